"""./dev verify: runs the acceptance checks and says name, figure, bar, ok.

Exit code 0: every check that ran is ok; 1: one is not; 2: one could not run (and none failed).
"""

import argparse
import importlib
import json
import pathlib
import pkgutil
import shutil
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import checks  # noqa: E402
from checks.registry import CHECKS, ROOT, CannotRun, Context, Failed  # noqa: E402


def load_checks():
    for module in pkgutil.walk_packages(checks.__path__, "checks."):
        importlib.import_module(module.name)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev verify", description="Run the acceptance checks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="checks to run, or the start of their names; default: all")
    parser.add_argument("--list", action="store_true", help="list the checks and their bars")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("--verbose", "-v", action="store_true", help="print each check's details")
    parser.add_argument("--quick", action="store_true", help="leave out the checks that take minutes")
    parser.add_argument("--model", help="look only at shared models whose name contains this")
    parser.add_argument("--build", default=str(ROOT / "build" / "release"), help="build tree with the programs to check")
    return parser.parse_args()


def selected(options):
    names = [name for name in CHECKS if not (options.quick and CHECKS[name].slow)]
    if not options.names:
        return names
    unknown = [word for word in options.names if not any(name.startswith(word) for name in CHECKS)]
    if unknown:
        sys.exit(f"verify: no check is called {', '.join(unknown)}; see ./dev verify --list")
    wanted = lambda name, word: name == word or (word not in CHECKS and name.startswith(word))  # noqa: E731
    return [name for name in CHECKS if any(wanted(name, word) for word in options.names)]


def run_one(check, context):
    """-> a row: name, figure, bar, ok (True, False, or None when it could not run), seconds, details."""
    start = time.monotonic()
    try:
        result = check.run(context)
        ok, figure, details = bool(result.ok), result.figure, result.details
    except CannotRun as reason:
        ok, figure, details = None, f"could not run: {reason}", []
    except Failed as reason:
        ok, figure, details = False, f"failed: {reason}", []
    except Exception as reason:  # a check that breaks must not hide the others
        ok, figure, details = False, f"check broke: {reason!r}", traceback.format_exc().splitlines()
    seconds = time.monotonic() - start
    return {
        "name": check.name,
        "figure": figure,
        "bar": check.bar,
        "ok": ok,
        "seconds": round(seconds, 2),
        "details": details,
    }


def print_row(row, verbose):
    word = {True: "ok", False: "FAILED", None: "?"}[row["ok"]]
    print(f"{word:7} {row['name']:28} {row['figure']}   [bar: {row['bar']}]   {row['seconds']:.1f} s", flush=True)
    if verbose or row["ok"] is False:
        for line in row["details"]:
            print(f"          {line}")


def main():
    options = arguments()
    load_checks()
    names = selected(options)
    if options.list:
        for name in names:
            print(json.dumps({"name": name, "bar": CHECKS[name].bar}) if options.json else f"{name:28} {CHECKS[name].bar}")
        return 0
    context = Context(options.build, options.model)
    rows = []
    try:
        for name in names:
            rows.append(run_one(CHECKS[name], context))
            if not options.json:
                print_row(rows[-1], options.verbose)
    finally:
        shutil.rmtree(context.scratch, ignore_errors=True)
    good, bad, unknown = (sum(row["ok"] is word for row in rows) for word in (True, False, None))
    if options.json:
        print(json.dumps({"checks": rows, "passed": good, "failed": bad, "not_run": unknown}, indent=1))
    else:
        print(f"{good} passed, {bad} failed" + (f", {unknown} could not run" if unknown else ""))
    return 1 if bad else 2 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
