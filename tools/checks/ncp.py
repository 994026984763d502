"""Steps of contact ncp."""

import concurrent.futures
import json
import os

from checks.registry import Result, check
from checks.robots import COMPILERS, built_with, json_lines, parsed_lines

# --- Drops -----------------------------------------------------------------------------------------------------------

DROP_STARTS = 100
DROP_PARTS = 4
DROP_CELLS = 36
MOST_DROP_FAILURES = 4


@check(
    "ncp-drops",
    bar=f"{DROP_CELLS * DROP_STARTS} random drops of random polytopes on a plane, 10 to 100 Hz, tolerances 1e-3 to 1e-10: at most {MOST_DROP_FAILURES} with a step that needs more than 30 iterations or ends above tolerance",
    slow=True,
)
def drops(context):
    each = DROP_STARTS // DROP_PARTS
    parts = [(1 + each * k, each * (k + 1)) for k in range(DROP_PARTS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        found = list(pool.map(lambda part: json_lines(context, "evidence_ncp_drops", *map(str, part), rows=DROP_CELLS), parts))
    cells = [row for rows in found for row in rows]
    runs, failures, steps = (sum(row[key] for row in cells) for key in ("runs", "failures", "steps"))
    mean = sum(row["iterations"] * row["steps"] for row in cells) / steps
    depth, turn = (max(row[key] for row in cells) for key in ("depth", "turn"))
    figure = f"{failures} of {runs} fail; {mean:.1f} iterations on average, {max(row['most'] for row in cells)} at most; overlap {depth:.0e} m, turns of {turn:.1f} rad in one step"
    lines = [f"{row['hz']:g} Hz, {row['tolerance']:g}: {json.dumps(case)}" for row in cells for case in row["cases"]]
    return Result(failures <= MOST_DROP_FAILURES and runs == DROP_CELLS * DROP_STARTS, figure, lines)


# --- Memory and bits -------------------------------------------------------------------------------------------------

MOVED = ["ant", "atlas", "box", "cartpole", "double_pendulum", "half_cheetah", "hopper", "jumpworm", "xarm6"]


def moved_models():
    return [*(f"models/{name}.xml" for name in MOVED), "test/data/box_pile.xml"]


@check("ncp-no-alloc", bar="0 allocations in steps, Jacobians and reverse modes along motions in contact; steps with and without derivatives are the same map")
def no_alloc(context):
    rows = json_lines(context, "evidence_lcp_steps", "ncp", *moved_models(), rows=len(moved_models()))
    total, steps, touching = (sum(row[key] for row in rows) for key in ("allocations", "steps", "in_contact"))
    counted, same = (all(row[key] > 0 for row in rows) for key in ("counted_at_load", "same_map"))
    figure = f"{total} allocations over {len(rows)} models, {touching} of {steps} steps in contact (the counter works: {counted}), same map: {same}"
    return Result(total == 0 and counted and same and touching > steps // 4, figure)


@check("ncp-bits", bar="one hash of motions in contact and their derivatives: gcc and clang, -O0 and -O2, 1 and 2 threads", slow=True)
def bits(context):
    found = {}
    for name in COMPILERS:
        done = context.run(built_with(context, name, "evidence_lcp_steps"), "ncp", *moved_models())
        found[name] = parsed_lines(name, done, len(moved_models()))
    reference = found["gcc-O0"]
    problems = [
        f"{name}: {row['model']}: {key} differs from gcc-O0"
        for name, rows in found.items()
        for row, true in zip(rows, reference, strict=True)
        for key in ("bits", "batch1", "batch2")
        if row[key] != true["batch1" if key == "batch2" else key]
    ]
    return Result(not problems, f"{len(reference)} models, {len(found)} builds, {len(problems)} differences", problems)
