"""The index of equations, and how much of each file the tests it names run."""

import pathlib
import re
import sys

from checks.registry import ROOT, Failed, Result, check, last_line

sys.path.insert(0, str(ROOT / "tools"))
import equations  # noqa: E402

LEAST = 0.90
BUILD = ROOT / "build" / "coverage"
BUILD_SECONDS = 3600
FLAGS = "-O1 --coverage -fprofile-update=atomic"
# Its allocations fail on purpose, those of the counters with them.
NOT_COUNTED = ("test_first_day_3_04_memory_short",)


def named_tests():
    """Names of the tests that the index names, for ctest."""
    files = {test for prefix, _ in equations.TESTS for test in equations.tests_of(prefix)}
    return sorted({name for test in files for name in ctest_names(pathlib.PurePath(test))}.difference(NOT_COUNTED))


def ctest_names(test):
    """Tests of the first day, and of the command line, have their folder in their name; a list names its checks."""
    if test.name == "CMakeLists.txt":
        return re.findall(r"add_test\(NAME (\w+) COMMAND tactus_cli check", (ROOT / test).read_text(encoding="utf-8"))
    stem = test.stem.removeprefix("test_")
    return [f"test_{test.parts[1]}_{stem}" if test.parts[1] in ("first_day", "cli") else test.stem]


def run_tests(context):
    """Builds with counters and runs the tests; -> how many ran."""
    made = context.run("cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={FLAGS}", "-DTACTUS_BENCH=OFF", "-DTACTUS_TESTS=ON")
    if made.returncode == 0:
        made = context.run("cmake", "--build", BUILD, seconds=BUILD_SECONDS)
    if made.returncode != 0:
        raise Failed(f"the build with counters: {last_line(made.stderr) or last_line(made.stdout)}")
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    names = "|".join(named_tests())
    done = context.run("ctest", "--test-dir", BUILD, "-R", f"^({names})$", "-j2", "--timeout", 1200, seconds=BUILD_SECONDS)
    ran = re.search(r"tests failed out of (\d+)", done.stdout)
    if done.returncode != 0 or not ran:
        raise Failed(f"tests with counters: {last_line(done.stdout)}")
    missing = [name for name in named_tests() if not re.search(rf": {name} ", done.stdout)]
    if missing:
        raise Failed(f"ctest does not know {len(missing)} of the tests: {', '.join(missing[:5])}")
    return int(ran.group(1))


def coverage_of(context, path):
    """(lines run, lines) of one file of src/."""
    layer = path.parts[1]
    notes = BUILD / "src" / "CMakeFiles" / f"tactus_{layer}.dir" / pathlib.PurePath(*path.parts[1:])
    done = context.run("gcov", "-n", f"{notes}.gcda", cwd=context.scratch)
    if "No executable lines" in done.stdout:
        return 0, 0
    for name, share, count in re.findall(r"File '([^']*)'\nLines executed:([\d.]+)% of (\d+)", done.stdout):
        if name.endswith(path.as_posix()):
            return round(float(share) / 100 * int(count)), int(count)
    return 0, 1  # no test runs it


@check("house-index", bar=f"every equation that code cites exists and is listed with file and test; every file of src/ is run to {LEAST:.0%} of its lines by those tests", slow=True)
def house_index(context):
    unknown = list(equations.problems())
    page = ROOT / "docs" / "theory" / "equations.md"
    stale = page.read_text(encoding="utf-8") != equations.page()
    ran = run_tests(context)
    rows = []
    for path in sorted((ROOT / "src").rglob("*.c")):
        name = path.relative_to(ROOT)
        hit, lines = coverage_of(context, name)
        if lines:
            rows.append((hit / lines, name.as_posix(), hit, lines))
    short = [row for row in sorted(rows) if row[0] < LEAST]
    total = sum(row[2] for row in rows) / max(1, sum(row[3] for row in rows))
    figure = f"{len(equations.citations())} equations cited, {len(unknown)} unknown{', index out of date' if stale else ''}; {ran} tests; {len(rows)} files, {total:.1%} of lines, {len(short)} files below {LEAST:.0%}"
    return Result(not unknown and not stale and not short, figure, [*unknown, *(f"{name} {share:.1%} of {lines}" for share, name, _, lines in short)])
