"""Unit tests that print their figures, as checks."""

import re

from checks.registry import CannotRun, Result, check


def unit_tests(context, program):
    """Runs a cmocka program -> {test: (ok, what it printed)}."""

    def run(_):
        done = context.run(context.program(program))
        found, name, lines = {}, None, []
        for line in (done.stdout + done.stderr).splitlines():
            begun = re.match(r"\[ RUN      \] (\S+)", line)
            ended = re.match(r"\[       OK \] (\S+)|\[  FAILED  \] (\S+)", line)
            if begun:
                name, lines = begun.group(1), []
            elif ended and name and (ended.group(1) or ended.group(2)) == name:
                found[name] = (ended.group(1) is not None, lines)
                name = None
            elif name:
                lines.append(line.strip())
        return found

    return context.once("unit " + program, run)


def unit_check(name, bar, program, test, slow=False):
    @check(name, bar=bar, slow=slow)
    def run(context):
        tests = unit_tests(context, program)
        if test not in tests:
            raise CannotRun(f"{program} has no test {test}")
        ok, lines = tests[test]
        return Result(ok, lines[-1] if lines else ("passes" if ok else "fails"), lines)


def unit_checks(prefix, table, program=None):
    """table: {the rest of the name: (bar, program, test)}, or (bar, test) of one program"""
    for key, (bar, *of, test) in table.items():
        unit_check(f"{prefix}-{key}", bar, program or of[0], test)
