"""Programs that time us, on one core."""

import csv
import io
import math
import os

from checks.registry import Failed, last_line

RUNS = 5  # the quietest of these is looked at: the machine is shared


def on_one_core(command):
    """On one core, the last, where fewest others are."""
    return ["taskset", "-c", str((os.cpu_count() or 1) - 1), *command]


def bench_rows_of(context, name, *arguments):
    """A benchmark on one core; its CSV rows."""
    done = context.run("taskset", "-c", "0", context.program(name), *arguments)
    if done.returncode != 0:
        raise Failed(f"{name}: exit {done.returncode}: {last_line(done.stderr)}")
    return list(csv.reader(io.StringIO(done.stdout)))


def number(text):
    """The number, or infinity when it is not one."""
    value = float(text)
    return value if math.isfinite(value) else math.inf
