"""What the programs of test/evidence print, and how to run them in parts."""

import concurrent.futures
import json
import math
import os

from checks.registry import CannotRun, Failed, last_line

MINUTES = 60
DOCUMENT_SECONDS = 1200


def parsed_lines(name, done, rows):
    """The JSON objects, one a line, of an evidence program that must print `rows` of them. Exit code 1 says that a figure
    is over its bar, which the checks see for themselves."""
    if done.returncode not in (0, 1):
        raise Failed(f"{name}: exit {done.returncode}: {last_line(done.stderr)}")
    try:
        found = [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError as reason:
        raise Failed(f"{name}: not JSON: {reason}") from reason
    if len(found) != rows:
        raise Failed(f"{name}: {len(found)} lines, expected {rows}: {last_line(done.stderr)}")
    return found


def json_lines(context, name, *arguments, rows):
    return parsed_lines(name, context.run(context.program(name), *arguments), rows)


def figure(value):
    """A number of an evidence program; null is one that is not finite."""
    return math.inf if value is None or not math.isfinite(value) else value


def document(context, program, *arguments, seconds=DOCUMENT_SECONDS):
    """The one JSON document an evidence program prints; its exit code says whether all is well and is not asked."""
    done = context.run(context.program(program), *arguments, seconds=seconds)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise CannotRun(f"{program}: exit {done.returncode}: {last_line(done.stderr)}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as reason:
        raise RuntimeError(f"{program}: exit {done.returncode}: {last_line(done.stderr)}") from reason


def ranges(count, parts):
    """Seeds 1 to count in equal parts: [(first, last)]."""
    each = count // parts
    return [(1 + each * k, each * (k + 1)) for k in range(parts)]


def side_by_side(work, jobs):
    """[work(*job)], as many at a time as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(lambda job: work(*job), jobs))
