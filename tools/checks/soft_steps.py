"""Steps of contact soft: random models, memory, bits, bad input, and time beside mj_step."""

import concurrent.futures
import math
import os

from checks.collision import document, unit_tests
from checks.gradients import RUNS
from checks.gradients import pinned as pinned_command
from checks.lcp_speed import panda_with_box, robot_lines
from checks.registry import CannotRun, Result, check
from checks.robots import COMPILERS, built_with, json_lines, our_models, parsed_lines
from checks.speed import pinned

MINUTES = 60

# --- Random models ---------------------------------------------------------------------------------------------------

RANDOM_MODELS = 1000
RANDOM_PARTS = 20


@check(
    "soft-random",
    bar=f"{RANDOM_MODELS} random models x 1000 steps, random controls: no number that is not finite, no step that says it is solved and is not, no allocation, the same bits on 1 and 2 threads",
    slow=True,
)
def random_models(context):
    each = RANDOM_MODELS // RANDOM_PARTS
    parts = [(1 + each * k, each * (k + 1)) for k in range(RANDOM_PARTS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        found = list(pool.map(lambda part: document(context, "evidence_lcp_random", *part, "soft", seconds=60 * MINUTES), parts))
    total = {key: sum(row[key] for row in found) for key in found[0] if isinstance(found[0][key], int)}
    worst_ok, worst_unsolved = (max(row[key] for row in found) for key in ("worst_ok", "worst_unsolved"))
    bad = sum(total[key] for key in ("nonfinite", "above_tolerance", "refused", "failed", "allocations", "differing"))
    ok = total["models"] == RANDOM_MODELS and bad == 0 and total["counted"] > 0
    figure = f"{total['models']} models, {total['steps']} steps, {total['in_contact']} in contact; {total['nonfinite']} not finite, {total['above_tolerance']} above tolerance (worst {worst_ok:.0e})"
    figure += f", {total['refused']} models refused, {total['failed']} steps fail, {total['allocations']} allocations, {total['differing']} worlds differ; {total['unsolved']} steps say unsolved (worst residual {worst_unsolved:.0e})"
    return Result(ok, figure, [str(case) for row in found for case in row["cases"]])


# --- Memory and bits -------------------------------------------------------------------------------------------------


def moved_models():
    return [*our_models(), *(f"test/data/{name}.xml" for name in ("box_pile", "stone_pile", "soft_terms"))]


@check("soft-no-alloc", bar="0 allocations in steps, Jacobians and reverse modes along motions in contact; steps with and without derivatives are the same map")
def no_alloc(context):
    rows = json_lines(context, "evidence_lcp_steps", "soft", *moved_models(), rows=len(moved_models()))
    total, steps, touching = (sum(row[key] for row in rows) for key in ("allocations", "steps", "in_contact"))
    counted, same = (all(row[key] > 0 for row in rows) for key in ("counted_at_load", "same_map"))
    figure = f"{total} allocations over {len(rows)} models, {touching} of {steps} steps in contact (the counter works: {counted}), same map: {same}"
    return Result(total == 0 and counted and same and touching > steps // 4, figure)


@check("soft-bits", bar="one hash of motions in contact and their derivatives: gcc and clang, -O0 and -O2, 1 and 2 threads", slow=True)
def bits(context):
    found = {}
    for name in COMPILERS:
        done = context.run(built_with(context, name, "evidence_lcp_steps"), "soft", *moved_models(), seconds=30 * MINUTES)
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


@check("soft-bad-input", bar="solref and solimp out of range, zero and negative friction, margins, contradictory equalities, redundant loops, mass ratios of 1e6: defined results, residual reported; a failed step leaves the caller's state untouched")
def bad_input(context):
    tests = unit_tests(context, "test_soft_bad_input")
    if not tests:
        raise CannotRun("test_soft_bad_input ran no test")
    bad = [name for name, (ok, _) in tests.items() if not ok]
    return Result(not bad, f"{len(tests) - len(bad)} of {len(tests)} tests pass", bad)


# --- Time ------------------------------------------------------------------------------------------------------------

STEP_RATIO = 1.0
JAC_RATIO = 2.0
BOX_RATIO = 1.0
BOX_RUNS = 3
TOL_DERIVATIVE = 1e-6  # of A and B, in the run that is timed
NAMED = ("humanoid", "quadruped", "panda_box")  # whose ratios count; the others are shown
ROBOTS = [f"models/{name}.xml" for name in ("humanoid", "quadruped", "ant", "half_cheetah", "four_bar")]


def robot_rows(context):
    """{robot: its row of the run in which our step was quickest}"""
    best = {}
    runs = [ROBOTS, [panda_with_box(context), "--key", "push"]]
    for models in runs * RUNS:
        command = [context.tactus, "bench", *models, "--contact", "soft", "--integrator", "euler", "--seconds", 2, "--json"]
        for row in context.json_from(*pinned_command(command))["rows"]:
            name = os.path.basename(row["model"]).split(".")[0]
            if name not in best or row["us_step"] < best[name]["us_step"]:
                best[name] = row
    if not all(row["us_peer"] for row in best.values()):
        raise CannotRun("MuJoCo is not installed: ./dev peers")
    return best


def speed_result(context, key, bar):
    table = context.once("soft-speed", robot_rows)
    ratios = {name: row[key] / row["us_peer"] for name, row in table.items()}
    error = max(row["derivative_error"] for row in table.values())
    touching = min(table[name]["contacts"] for name in NAMED)
    ok = max(ratios[name] for name in NAMED) <= bar and error <= TOL_DERIVATIVE and touching > 0
    return Result(ok, ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()) + f"; error {error:.0e}", robot_lines(table))


@check("soft-speed-step", bar="step in contact at most 1.0 times mj_step: humanoid, quadruped, panda pushing a box", slow=True)
def speed_step(context):
    return speed_result(context, "us_step", STEP_RATIO)


@check("soft-speed-jac", bar="step with A and B in contact at most 2.0 times mj_step: humanoid, quadruped, panda pushing a box", slow=True)
def speed_jac(context):
    return speed_result(context, "us_jac", JAC_RATIO)


def box_rows(context, scene, most):
    """{number of boxes: its row of the run in which our step was quickest}"""
    best = {}
    for _ in range(BOX_RUNS):
        head, *rows = pinned(context, "bench_boxes", "soft", scene, str(most))
        for row in (dict(zip(head, row, strict=True)) for row in rows):
            count = int(row["boxes"])
            if count not in best or float(row["us_tactus"]) < float(best[count]["us_tactus"]):
                best[count] = row
    return best


@check("soft-speed-boxes", bar="256 boxes apart at most 1.0 and a pile of 64 at most 1.0 times MuJoCo's step; stacks shown", slow=True)
def speed_boxes(context):
    scenes = {"apart": box_rows(context, "apart", 256), "pile": box_rows(context, "pile", 64), "stacks": box_rows(context, "stacks", 64)}
    apart, pile = float(scenes["apart"][256]["ratio"]), float(scenes["pile"][64]["ratio"])
    times = {count: float(row["us_tactus"]) for count, row in scenes["apart"].items()}
    exponent = math.log(times[256] / times[1]) / math.log(256)
    solved = all(row["status"] == "0" for rows in scenes.values() for row in rows.values())
    figure = f"256 apart {apart:.2f} of MuJoCo's step ({times[256]:.0f} us, exponent {exponent:.2f}), pile of 64 {pile:.2f}, stacks of 64 {float(scenes['stacks'][64]['ratio']):.2f}"
    return Result(apart <= BOX_RATIO and pile <= BOX_RATIO and solved, figure, [str(row) for rows in scenes.values() for row in rows.values()])
