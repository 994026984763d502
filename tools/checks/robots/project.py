"""The project as a stranger meets it: a fresh clone, its demo, its tests, and how long they take."""

import os
import re
import time

from checks.registry import ROOT, CannotRun, Result, check, last_line

CI_MINUTES = 25
DEMO_SECONDS = 60
MINUTE = 60
EXTERNAL = re.compile(r"""(?:src|href)\s*=\s*["'](?:https?:)?//|@import|url\(\s*["']?https?:""")


def plain_environment(home):
    """What a login shell has, and nothing that points at our own folders."""
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}


def fresh_clone(context):
    """Clones what is committed to where there is no shared material; runs the demo, then the tests."""
    place = context.scratch / "clone" / "tactus"
    cloned = context.run("git", "clone", "--quiet", ROOT, place)
    if cloned.returncode != 0:
        raise CannotRun(f"git clone: {last_line(cloned.stderr)}")
    found = {}
    for command in ("demo", "test"):
        start = time.monotonic()
        done = context.run("./dev", command, cwd=place, env=plain_environment(context.scratch), seconds=40 * MINUTE)
        found[command] = {"exit": done.returncode, "seconds": time.monotonic() - start, "lines": done.stdout.splitlines()[-15:]}
    page = place / "build" / "demo" / "index.html"
    found["page"] = page.read_text(encoding="utf-8", errors="replace") if page.exists() else ""
    return found


@check("robots-fresh-clone", bar="./dev demo and ./dev test succeed in a fresh clone without the shared material", slow=True)
def clone_works(context):
    found = context.once("clone", fresh_clone)
    summary = found["test"]["lines"][-1] if found["test"]["lines"] else "no output"
    ok = found["demo"]["exit"] == 0 and found["test"]["exit"] == 0 and not (context.scratch / "clone" / "shared").exists()
    figure = f"demo exit {found['demo']['exit']}, test exit {found['test']['exit']}: {summary}"
    return Result(ok, figure, found["demo"]["lines"] + found["test"]["lines"])


@check("robots-ci-time", bar="./dev test succeeds from a fresh clone in less than 25 minutes", slow=True)
def ci_time(context):
    test = context.once("clone", fresh_clone)["test"]
    seconds, code = test["seconds"], test["exit"]
    figure = f"{seconds / MINUTE:.1f} minutes on {os.cpu_count()} cores, exit {code}"
    return Result(code == 0 and seconds < CI_MINUTES * MINUTE, figure, test["lines"])


@check("robots-demo-page", bar="the demo writes one self-contained page; nothing in it needs a network", slow=True)
def demo_page(context):
    page = context.once("clone", fresh_clone)["page"]
    outside = EXTERNAL.findall(page)
    drawn = "<svg" in page or "<canvas" in page
    return Result(bool(page) and drawn and not outside, f"{len(page) // 1024} KiB, {len(outside)} outside addresses")


@check("robots-demo-time", bar="./dev demo in less than a minute once built")
def demo_time(context):
    if not context.tactus.exists():
        raise CannotRun("not built")
    start = time.monotonic()
    done = context.run("./dev", "demo")
    seconds = time.monotonic() - start
    return Result(done.returncode == 0 and seconds < DEMO_SECONDS, f"{seconds:.1f} s, exit {done.returncode}")


@check("robots-installed", bar="an installed tree works with pkg-config and find_package, exports tac_* alone")
def installed(context):
    done = context.run(ROOT / "test" / "install" / "run.sh", context.build, ROOT, "cc")
    return Result(done.returncode == 0, last_line(done.stdout) or last_line(done.stderr), done.stderr.splitlines())
