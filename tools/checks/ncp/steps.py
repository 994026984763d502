"""Steps of contact ncp."""

import json

from checks.contact.steps import bits_check, no_alloc_check, number, random_check
from checks.evidence import json_lines, ranges, side_by_side
from checks.registry import Result, check

# --- Drops -----------------------------------------------------------------------------------------------------------

DROP_STARTS = 100
DROP_PARTS = 4
DROP_CELLS = 36
MOST_DROP_FAILURES = 4


@check(
    "ncp-drops",
    bar=f"{DROP_CELLS * DROP_STARTS} random drops of random polytopes on a plane, 10 to 100 Hz, tolerances 1e-3 to 1e-10: at most {MOST_DROP_FAILURES} with a step that needs more than 30 iterations or ends above tolerance, each of which says so; no solved step with a corner deeper in the plane than its tolerance",
    slow=True,
)
def drops(context):
    found = side_by_side(lambda *part: json_lines(context, "evidence_ncp_drops", *part, rows=DROP_CELLS), ranges(DROP_STARTS, DROP_PARTS))
    cells = [row for rows in found for row in rows]
    runs, failures, silent, deep, steps = (sum(row[key] for row in cells) for key in ("runs", "failures", "silent", "deep", "steps"))
    mean = sum(row["iterations"] * row["steps"] for row in cells) / steps
    depth, turn = (max(number(row[key]) for row in cells) for key in ("depth", "turn"))
    figure = f"{failures} of {runs} fail, {silent} of them with a step that says it is solved; {mean:.1f} iterations on average, {max(row['most'] for row in cells)} at most; overlap {depth:.0e} m, beyond the tolerance in {deep} steps, turns of {turn:.1f} rad in one step"
    lines = [f"{row['hz']:g} Hz, {row['tolerance']:g}: {json.dumps(case)}" for row in cells for case in row["cases"]]
    ok = failures <= MOST_DROP_FAILURES and silent == 0 and deep == 0 and runs == DROP_CELLS * DROP_STARTS
    return Result(ok, figure, lines)


random_check("ncp")


# --- Memory and bits -------------------------------------------------------------------------------------------------

MOVED = ["ant", "atlas", "box", "cartpole", "double_pendulum", "half_cheetah", "hopper", "jumpworm", "xarm6"]


def moved_models():
    return [*(f"models/{name}.xml" for name in MOVED), "test/data/box_pile.xml"]


no_alloc_check("ncp", moved_models)
bits_check("ncp", moved_models)
