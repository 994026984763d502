"""Steps of contact lcp: known answers, derivatives at random states in contact, penetration, random models, memory, bits."""

import concurrent.futures
import json
import os

from checks.collision import document
from checks.gradients import MINUTES, unit_check, unit_tests
from checks.registry import CannotRun, Failed, Result, check, last_line
from checks.robots import COMPILERS, built_with, json_lines, our_models, parsed_lines

# --- Known answers ---------------------------------------------------------------------------------------------------

TRUTHS = {
    "sliding-block": ("stops at v0^2/(2 mu g) - v0 h/2 to 1e-6", "test_contact_lcp", "block_slides_and_stops"),
    "sticking": ("block on an incline: the threshold found by bisection equals tan(theta) to 1e-6", "test_contact_lcp", "threshold_of_sticking"),
    "incline": ("a = g (sin theta - mu cos theta) to 1e-6", "test_contact_lcp", "block_slides_down"),
    "sliding-to-rolling": ("v = 5 v0/7 after 12 v0^2/(49 mu g), first order in the step", "test_contact_lcp", "ball_slides_then_rolls"),
    "toppling": ("topples iff tan(theta) > width/height, to 2e-6", "test_contact_truths", "tower_on_a_slope"),
    "rolling": ("no slip iff mu >= k tan(theta)/(1 + k), to 1e-6; a = g sin(theta)/(1 + k) to 1e-5", "test_contact_truths", "ball_on_a_slope"),
    "ladder": ("stands iff mu >= 1/(2 tan theta), to 1e-6", "test_contact_truths", "ladder_at_a_smooth_wall"),
    "stack": ("the i-th contact of a stack carries i m g, to 1e-6", "test_contact_truths", "stack_of_boxes"),
    "painleve": ("rods sliding beyond mu = 4/3: finite, solved, tips do not sink", "test_contact_truths", "painleve_rod"),
    "bouncing-ball": ("k-th apex e^(2k) h, rest at sqrt(2h/g)(1+e)/(1-e), first order in the step", "test_contact_truths", "bouncing_ball"),
    "cradle": ("only the last ball leaves, with the first one's speed, to 1e-5", "test_contact_truths", "newtons_cradle"),
    "two-balls": ("central impacts with mass ratios to 1e6", "test_restitution", "two_balls"),
    "oblique-impact": ("sliding through dv_t = -mu (1+e) |v_n|, sticking v_t+ = 5/7 v_t", "test_restitution", "oblique_impact"),
    "toi-bounce": ("one bounce inside a step: dp+/dp = -e, dp+/dv = -e h, dv+/dp = 0, dv+/dv = -e", "test_time_of_impact", "one_bounce"),
    "rest-gradient": ("d(rest time)/de = 2 sqrt(2h/g)/(1-e)^2 through four bounces, first order in the step", "test_time_of_impact", "rest_gradient"),
    "toi-apexes": ("with impacts in the step: k-th apex e^(2k) h to 1e-4 at 1 ms", "test_time_of_impact", "apexes_of_a_ball"),
    "toi-cradle": ("five balls with gaps, in one step: only the last leaves", "test_time_of_impact", "cradle"),
    "toi-gradients": ("derivatives through impact times against differences to 1e-5, reverse to 1e-10", "test_time_of_impact", "gradients"),
    "bounce-gradient": ("after one elastic bounce dp+/dp = -e", "test_restitution", "corrected_gradient"),
    "stopping-gradients": ("d(stop)/dv0 = v0/(mu g), d(stop)/dmu = -v0^2/(2 mu^2 g) through the rollout, first order in the step", "test_contact_truths", "gradients_of_stopping"),
    "rolling-gradient": ("dx/dtheta = t^2 g cos(theta)/(2 (1 + k)) through the rollout, first order in the step", "test_contact_truths", "gradient_of_rolling"),
}  # fmt: skip
for key, (truth, program, test) in TRUTHS.items():
    unit_check(f"lcp-truths-{key}", truth, program, test)


# --- Penetration -----------------------------------------------------------------------------------------------------

TOL_FLAT = 1e-6
THINGS = 6
RATES = 5


@check(
    "lcp-penetration",
    bar="10 s at 20, 50, 100, 200, 500 Hz: ball and flat box at most 1e-6 m, tumbling box and mesh at most h^2 w^2 r",
)
def penetration(context):
    rows = json_lines(context, "evidence_lcp_penetration", rows=THINGS * RATES)
    over = [row for row in rows if row["depth"] > max(row["bound"], 0 if row["bound"] else TOL_FLAT)]
    flat = max(row["depth"] for row in rows if not row["bound"])
    turning = max((row for row in rows if row["bound"]), key=lambda row: row["depth"] / row["bound"])
    figure = f"ball and flat box {flat:.1e} m; tumbling at most {turning['depth']:.1e} m, {turning['depth'] / turning['bound']:.1e} of the bound ({turning['thing']}, {turning['hz']} Hz)"
    lines = [f"{row['thing']:16} {row['hz']:4} Hz: {row['depth']:.1e} m, bound {row['bound'] or TOL_FLAT:.1e}, {row['unsolved']} unsolved" for row in rows]
    return Result(not over, figure, lines)


TOL_TOI = 1e-9


@check("lcp-toi-penetration", bar="the same with steps that stop at impacts: at most 1e-9 m at every rate")
def toi_penetration(context):
    rows = json_lines(context, "evidence_lcp_penetration", "toi", rows=THINGS * RATES)
    worst = max(rows, key=lambda row: row["depth"])
    lines = [f"{row['thing']:16} {row['hz']:4} Hz: {row['depth']:.1e} m, {row['unsolved']} steps with a status" for row in rows]
    stopped = all(row["toi"] == 1 for row in rows)
    return Result(stopped and worst["depth"] <= TOL_TOI, f"at most {worst['depth']:.1e} m ({worst['thing']}, {worst['hz']} Hz)", lines)


@check("lcp-bad-input", bar="zero and huge friction, mass ratios of 1e6, redundant contacts, contradictory limits, dt 0, 1e-6, 1: defined results or a named status; failed steps leave the caller's state untouched")
def bad_input(context):
    tests = unit_tests(context, "test_contact_bad_input")
    failed = [name for name, (ok, _) in tests.items() if not ok]
    return Result(bool(tests) and not failed, f"{len(tests) - len(failed)} of {len(tests)} tests pass", failed)


# --- Derivatives -----------------------------------------------------------------------------------------------------

SAMPLES = 10_000
TOL_REVERSE = 1e-10
LEAST_WITHIN = 0.999
MOST_SWITCHING = 0.05
LEAST_IN_CONTACT = 0.8
LEAST_SLIDING = 0.2

# Samples of each model, and of what kinds its parameters are: mass, friction, sizes, places.
MODELS = {
    "models/half_cheetah.xml": (1500, ["body/torso.mass", "geom/ground.friction[0]", "geom/*foot.size*", "body/fore_shin.pos*"]),
    "models/ant.xml": (1500, ["body/foot_1.mass", "geom/tibia_1.friction[0]", "geom/cap_2.size[0]", "body/foot_2.pos[0]", "geom/cap_1.pos*"]),
    "models/quadruped.xml": (1500, ["body/trunk.mass", "geom/front_left_foot.friction[0]", "geom/rear_*_foot.size[0]", "body/front_left_calf.pos*"]),
    "models/humanoid.xml": (1500, ["body/pelvis.mass", "geom/ground.friction[0]", "geom/left_foot.size*", "body/left_shank.pos[2]", "geom/right_foot.pos*"]),
    "models/atlas.xml": (1500, ["body/pelvis.mass", "geom/ground.friction[0]", "geom/left_foot.size*", "body/left_shank.pos[2]", "geom/left_foot.pos[0]"]),
    "test/data/box_pile.xml": (1250, ["body/c.mass", "geom/a.friction[0]", "geom/b.size*", "geom/c.pos[0]"]),
    "test/data/stone_pile.xml": (1250, ["body/stone.mass", "geom/floor.friction[0]", "geom/wedge.friction[0]", "geom/floor.restitution", "geom/pill.size*", "geom/drum.size*", "mesh/stone.scale*"]),
}  # fmt: skip
assert sum(samples for samples, _ in MODELS.values()) == SAMPLES
PARTS = 5  # of each model's samples: what runs side by side


def derivative_part(context, path, part, tol, options):
    """One part of a model's samples -> the JSON of `tactus check`."""
    samples, paths = MODELS[path]
    params = [word for name in paths for word in ("--param", name)]
    command = (context.tactus, "check", path, "--contact", "lcp", *options, "--tol", tol, "--samples", samples // PARTS, "--seed", part, *params, "--json")
    done = context.run(*command, seconds=60 * MINUTES)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Failed(f"{path}: exit {done.returncode}: {last_line(done.stderr)}")
    return path, json.loads(done.stdout)


def derivative_table(jobs, done):
    """Jobs (model, seed, ...) and what they printed -> {model: sums over its parts}"""
    table = {}
    for (path, seed, *_), (_, got) in zip(jobs, done, strict=True):
        row = table.setdefault(path, {"worst": 0, "reverse": 0, "kinds": set(), "odd": []})
        for key in ("samples", "passed", "switching", "flagged", "unflagged", "failed", "in_contact", "sticking", "sliding"):
            row[key] = row.get(key, 0) + got[key]
        row["odd"] += [{"seed": seed} | case for case in got["odd"]]
        row["worst"] = max(row["worst"], got["worst"])
        row["reverse"] = max(row["reverse"], got["blocks"]["reverse"])
        row["kinds"] |= {block[4:] for block in got["blocks"] if block.startswith("dy/d")}
    return table


def derivative_rows(context, tol, *options):
    jobs = [(path, part, tol, options) for path in MODELS for part in range(PARTS) if not context.only or context.only in path]
    if not jobs:
        raise CannotRun(f"no model is called {context.only}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return derivative_table(jobs, list(pool.map(lambda job: derivative_part(context, *job), jobs)))


def derivative_result(table, tol, models):
    total = {key: sum(row[key] for row in table.values()) for key in ("samples", "passed", "switching", "flagged", "unflagged", "in_contact", "sliding")}
    constant = total["samples"] - total["switching"]
    reverse = max(row["reverse"] for row in table.values())
    kinds = set().union(*(row["kinds"] for row in table.values()))
    ok = total["samples"] >= sum(models[path][0] for path in table) and total["passed"] >= LEAST_WITHIN * constant
    ok = ok and total["switching"] <= MOST_SWITCHING * total["samples"] and total["unflagged"] == 0 and reverse <= TOL_REVERSE
    ok = ok and total["in_contact"] >= LEAST_IN_CONTACT * total["samples"] and total["sliding"] >= LEAST_SLIDING * total["samples"]
    figure = f"{total['passed']} of {constant} within {tol}, {total['switching']} switch, {total['unflagged']} of them unflagged ({total['flagged']} flagged in all), reverse {reverse:.0e}"
    figure += f"; {total['in_contact']} of {total['samples']} in contact, {total['sliding']} slide; {', '.join(sorted(kinds))}"
    lines = [
        f"{path:26} {row['passed']} of {row['samples']} pass, {row['switching']} switch ({row['unflagged']} unflagged), {row['failed']} fail, worst {row['worst']:.1e}, reverse {row['reverse']:.0e}, sticking in {row['sticking']}, sliding in {row['sliding']}"
        for path, row in table.items()
    ]
    lines += [f"{path}: {case}" for path, row in table.items() for case in row["odd"]]
    return Result(ok, figure, lines)


def derivative_check(name, tol, words, *options):
    @check(
        name,
        bar=f"{SAMPLES} random states in contact{words}, parameters included: 99.9 % of those with a constant active set within {tol}, at most 5 % switch, each flagged by its margin; reverse equals forward to 1e-10",
        slow=True,
    )
    def run(context):
        return derivative_result(derivative_rows(context, tol, *options), tol, MODELS)


derivative_check("lcp-derivatives", "1e-6", "")
derivative_check("lcp-derivatives-toi", "1e-5", " with toi", "--toi")


# --- Random models ---------------------------------------------------------------------------------------------------

RANDOM_MODELS = 1000
RANDOM_PARTS = 20


@check(
    "lcp-random",
    bar=f"{RANDOM_MODELS} random models x 1000 steps, random controls: no number that is not finite, no step that says it is solved and is not, no allocation, the same bits on 1 and 2 threads",
    slow=True,
)
def random_models(context):
    each = RANDOM_MODELS // RANDOM_PARTS
    parts = [(1 + each * k, each * (k + 1)) for k in range(RANDOM_PARTS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        found = list(pool.map(lambda part: document(context, "evidence_lcp_random", *part, seconds=60 * MINUTES), parts))
    total = {key: sum(row[key] for row in found) for key in found[0] if isinstance(found[0][key], int)}
    worst_ok, worst_unsolved = (max(row[key] for row in found) for key in ("worst_ok", "worst_unsolved"))
    bad = sum(total[key] for key in ("nonfinite", "above_tolerance", "refused", "failed", "allocations", "differing"))
    ok = total["models"] == RANDOM_MODELS and bad == 0 and total["counted"] > 0
    figure = f"{total['models']} models, {total['steps']} steps, {total['in_contact']} in contact; {total['nonfinite']} not finite, {total['above_tolerance']} above tolerance (worst {worst_ok:.0e})"
    figure += f", {total['refused']} models refused, {total['failed']} steps fail, {total['allocations']} allocations, {total['differing']} worlds differ; {total['unsolved']} steps say unsolved (worst residual {worst_unsolved:.0e})"
    return Result(ok, figure, [str(case) for row in found for case in row["cases"]])


# --- Memory and bits -------------------------------------------------------------------------------------------------


def moved_models():
    return [*our_models(), "test/data/box_pile.xml", "test/data/stone_pile.xml"]


def step_rows(context):
    return json_lines(context, "evidence_lcp_steps", *moved_models(), rows=len(moved_models()))


@check("lcp-no-alloc", bar="0 allocations in steps, Jacobians and reverse modes along motions in contact; steps with and without derivatives are the same map")
def no_alloc(context):
    rows = context.once("lcp-steps", step_rows)
    total = sum(row["allocations"] for row in rows)
    counted = all(row["counted_at_load"] > 0 for row in rows)
    same = all(row["same_map"] for row in rows)
    steps, touching = (sum(row[key] for row in rows) for key in ("steps", "in_contact"))
    figure = f"{total} allocations over {len(rows)} models, {touching} of {steps} steps in contact (the counter works: {counted}), same map: {same}"
    return Result(total == 0 and counted and same and touching > steps // 4, figure)


def built_rows(context, name):
    """The rows of a build with one compiler and level."""
    done = context.run(built_with(context, name, "evidence_lcp_steps"), *moved_models(), seconds=30 * MINUTES)
    return parsed_lines(name, done, len(moved_models()))


@check("lcp-bits", bar="one hash of motions in contact and their derivatives: gcc and clang, -O0 and -O2, 1 and 2 threads", slow=True)
def bits(context):
    found = {name: built_rows(context, name) for name in COMPILERS}
    reference = found["gcc-O0"]
    problems = [
        f"{name}: {row['model']}: {key} differs from gcc-O0"
        for name, rows in found.items()
        for row, true in zip(rows, reference, strict=True)
        for key in ("bits", "batch1", "batch2")
        if row[key] != true["batch1" if key == "batch2" else key]
    ]
    return Result(not problems, f"{len(reference)} models, {len(found)} builds, {len(problems)} differences", problems)
