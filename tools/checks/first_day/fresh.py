"""The first day on a machine that has nothing: Debian, git, a compiler and root, made by this check.

A root is made with debootstrap and copied, so that each order of commands starts from nothing. Commands run in it in a
mount namespace of their own: /proc and /dev are mounted there alone and go with it, so that nothing has to be unmounted
and removing a root cannot reach through a mount. The kernel ends what a command leaves running.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

SUITE = "bookworm"
PACKAGES = "git,gcc,ca-certificates"
PLACE = "/opt/tactus"  # of the clone, inside a root; nothing is shared beside it
CORES = 2
MINUTE = 60
TEST_MINUTES = 30
COMMAND_MINUTES = 90  # a command that takes longer hangs
# Of apt's settings, those that say where packages are and how they are fetched.
APT_SETTINGS = ("sources.list", "sources.list.d", "apt.conf", "apt.conf.d", "preferences.d", "trusted.gpg.d", "keyrings")

# In the order in which the README gives them, and the other way round.
ORDERS = {
    "demo-first": (("demo",), ("test",), ("bench", "robots"), ("verify", "robots-mujoco-steps")),
    "test-first": (("test",), ("demo",)),
}


@dataclass
class Run:
    order: str
    words: tuple
    code: object  # exit code, or None where it was stopped
    seconds: float
    lines: list  # the last ones

    @property
    def name(self):
        return " ".join(self.words)

    @property
    def fine(self):
        return self.code == 0 and (self.words != ("test",) or self.seconds <= TEST_MINUTES * MINUTE)

    @property
    def text(self):
        word = "" if self.code == 0 else " stopped" if self.code is None else f" exit {self.code}"
        return f"{self.name} {self.seconds / MINUTE:.1f} min{word}"


def say(text):
    print(f"first-day-fresh: {text}", file=sys.stderr, flush=True)


def source_of_packages(context):
    """Where apt gets the suite's packages from."""
    done = context.run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", f"Codename: {SUITE}")
    found = done.stdout.split()
    if not found:
        raise CannotRun(f"apt has no source of {SUITE}")
    return found[0]


def copy_settings(root):
    """apt works inside as it does here: sources, keys, how to fetch; and names are resolved as here."""
    for name in APT_SETTINGS:
        here, there = pathlib.Path("/etc/apt") / name, root / "etc/apt" / name
        if here.is_dir():
            shutil.copytree(here, there, dirs_exist_ok=True)
        elif here.exists():
            shutil.copy(here, there)
        elif there.is_file():
            there.unlink()  # what debootstrap wrote there
    shutil.copytree("/usr/share/keyrings", root / "usr/share/keyrings", dirs_exist_ok=True)
    for name in ("resolv.conf", "hosts"):
        if pathlib.Path("/etc", name).exists():
            shutil.copy(pathlib.Path("/etc", name), root / "etc" / name)


def make_root(context, root):
    """A Debian of its own in the folder `root`, with a clone of what is committed."""
    if os.geteuid() != 0:
        raise CannotRun("a root is made as root")
    if shutil.which("debootstrap") is None:
        raise CannotRun("debootstrap is not installed")
    if context.run("unshare", "--mount", "--pid", "--fork", "true").returncode != 0:
        raise CannotRun("no mount namespaces here")
    made = context.run(
        "debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, root, source_of_packages(context), seconds=30 * MINUTE
    )
    if made.returncode != 0:
        raise CannotRun(f"debootstrap: {last_line(made.stdout) or last_line(made.stderr)}")
    copy_settings(root)
    cloned = context.run("git", "clone", "--quiet", "--no-hardlinks", ROOT, f"{root}{PLACE}")
    if cloned.returncode != 0:
        raise CannotRun(f"git clone: {last_line(cloned.stderr)}")


def environment():
    """What a login shell has, and how to reach the network where that is said by a variable."""
    plain = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/opt", "LANG": "C.UTF-8"}
    return plain | {name: value for name, value in os.environ.items() if name.lower() in ("http_proxy", "https_proxy", "no_proxy")}


def run_inside(root, words, seconds, log):
    """Runs ./dev WORDS in the root's clone on two cores; its output goes to `log`. -> exit code, or None when stopped."""
    cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[:CORES]))
    inside = 'root=$1; mount --rbind /dev "$root/dev" && shift && exec chroot "$root" sh -c \'cd "$0" && exec ./dev "$@"\' "$@"'
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={root}/proc"]
    command += ["taskset", "-c", cores, "sh", "-c", inside, "sh", str(root), PLACE, *words]
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment())
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            process.kill()  # with it goes everything in its process namespace
            process.wait()


def run_order(context, order, root):
    """Runs the commands of one order in the root, each after the other whatever its exit code."""
    runs = []
    for words in ORDERS[order]:
        log = context.scratch / f"{order}-{words[0]}.log"
        start = time.monotonic()
        code = run_inside(root, words, COMMAND_MINUTES * MINUTE, log)
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        runs.append(Run(order, words, code, time.monotonic() - start, lines[-15:]))
        say(f"{order}: {runs[-1].text}")
    return runs


@check(
    "first-day-fresh",
    bar="from nothing: demo, then test, bench and verify; and test first; test within 30 minutes on two cores",
    slow=True,
)
def first_day_fresh(context):
    base = context.scratch / "root"
    try:
        say("making a root")
        make_root(context, base)
        runs = []
        for order in ORDERS:
            root = context.scratch / order
            copied = context.run("cp", "-a", "--reflink=auto", base, root)
            if copied.returncode != 0:
                raise Failed(f"cp: {last_line(copied.stderr)}")
            runs += run_order(context, order, root)
            shutil.rmtree(root)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    details = [line for run in runs for line in (f"{run.order}: {run.text}", *("    " + line for line in run.lines))]
    figure = "; ".join(f"{order}: " + ", ".join(run.text for run in runs if run.order == order) for order in ORDERS)
    return Result(all(run.fine for run in runs), figure, details)
