"""The tests of test/first_day: one for each line of the table there."""

import re

from checks.registry import ROOT, CannotRun, Result, check, last_line

NUMBER = re.compile(r"^\| (\d)\.(\d\d) \|", re.MULTILINE)
RESULT = re.compile(r"Test +#\d+: test_first_day_(\d_\d\d)\S* \.+ *(\S+)")


@check("first-day-tests", bar="every number of test/first_day/README.md has a test, and all pass")
def first_day_tests(context):
    table = (ROOT / "test" / "first_day" / "README.md").read_text(encoding="utf-8")
    wanted = ["_".join(number) for number in NUMBER.findall(table)]
    done = context.run("ctest", "--test-dir", context.build, "-R", "^test_first_day_", "--no-tests=error", "--timeout", 600)
    found = RESULT.findall(done.stdout)
    if not found:
        raise CannotRun(f"ctest found no tests: {last_line(done.stderr) or last_line(done.stdout)}")
    lines = [f"{number} {word}" for number, word in found]
    missing = [number for number in wanted if number not in {number for number, _ in found}]
    bad = sorted({number for number, word in found if word != "Passed"})
    figure = f"{len(found)} tests of {len(wanted) - len(missing)} of {len(wanted)} numbers, failed: {bad or 'none'}"
    return Result(not missing and not bad, figure + (f", missing: {missing}" if missing else ""), lines)
