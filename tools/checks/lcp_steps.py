"""Steps of contact lcp: derivatives at random states in contact, random models, memory, bits."""

import concurrent.futures
import json
import os

from checks.collision import document
from checks.gradients import MINUTES
from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line
from checks.robots import COMPILERS, json_lines, our_models, parsed_lines

# --- Derivatives -----------------------------------------------------------------------------------------------------

SAMPLES = 10_000
TOL_CHECK = "1e-6"
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
    "test/data/stone_pile.xml": (1250, ["body/stone.mass", "geom/floor.friction[0]", "geom/wedge.friction[0]", "geom/pill.size*", "geom/drum.size*", "mesh/stone.scale*"]),
}  # fmt: skip
PARTS = 5  # of each model's samples: what runs side by side


def derivative_part(context, path, part):
    """One part of a model's samples -> the JSON of `tactus check`."""
    samples, paths = MODELS[path]
    params = [word for name in paths for word in ("--param", name)]
    command = (context.tactus, "check", path, "--contact", "lcp", "--tol", TOL_CHECK, "--samples", samples // PARTS, "--seed", part, *params, "--json")
    done = context.run(*command, seconds=60 * MINUTES)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Failed(f"{path}: exit {done.returncode}: {last_line(done.stderr)}")
    return path, json.loads(done.stdout)


def derivative_rows(context):
    """{model: sums over its parts}"""
    jobs = [(path, part) for path in MODELS for part in range(PARTS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        done = list(pool.map(lambda job: derivative_part(context, *job), jobs))
    table = {}
    for path, got in done:
        row = table.setdefault(path, {"worst": 0, "reverse": 0, "kinds": set()})
        for key in ("samples", "passed", "switching", "unflagged", "failed", "in_contact", "sticking", "sliding"):
            row[key] = row.get(key, 0) + got[key]
        row["worst"] = max(row["worst"], got["worst"])
        row["reverse"] = max(row["reverse"], got["blocks"]["reverse"])
        row["kinds"] |= {block[4:] for block in got["blocks"] if block.startswith("dy/d")}
    return table


@check(
    "lcp-derivatives",
    bar=f"{SAMPLES} random states in contact, parameters included: 99.9 % of those with a constant active set within {TOL_CHECK}, at most 5 % switch, each flagged by its margin; reverse equals forward to 1e-10",
    slow=True,
)
def derivatives(context):
    table = context.once("lcp-derivatives", derivative_rows)
    total = {key: sum(row[key] for row in table.values()) for key in ("samples", "passed", "switching", "unflagged", "in_contact", "sliding")}
    constant = total["samples"] - total["switching"]
    reverse = max(row["reverse"] for row in table.values())
    kinds = set().union(*(row["kinds"] for row in table.values()))
    ok = total["samples"] >= SAMPLES and total["passed"] >= LEAST_WITHIN * constant
    ok = ok and total["switching"] <= MOST_SWITCHING * total["samples"] and total["unflagged"] == 0 and reverse <= TOL_REVERSE
    ok = ok and total["in_contact"] >= LEAST_IN_CONTACT * total["samples"] and total["sliding"] >= LEAST_SLIDING * total["samples"]
    figure = f"{total['passed']} of {constant} within {TOL_CHECK}, {total['switching']} switch, {total['unflagged']} of them unflagged, reverse {reverse:.0e}"
    figure += f"; {total['in_contact']} of {total['samples']} in contact, {total['sliding']} slide; {', '.join(sorted(kinds))}"
    lines = [
        f"{path:26} {row['passed']} of {row['samples']} pass, {row['switching']} switch ({row['unflagged']} unflagged), {row['failed']} fail, worst {row['worst']:.1e}, reverse {row['reverse']:.0e}, sticking in {row['sticking']}, sliding in {row['sliding']}"
        for path, row in table.items()
    ]
    return Result(ok, figure, lines)


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
    compiler, level = COMPILERS[name]
    build = ROOT / "build" / "determinism" / name
    made = context.run(
        "cmake", "-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=None",
        f"-DCMAKE_C_FLAGS={level}", "-DTACTUS_BENCH=OFF", "-DTACTUS_TESTS=ON",
    )  # fmt: skip
    if made.returncode == 0:
        made = context.run("cmake", "--build", build, "--target", "evidence_lcp_steps", seconds=30 * MINUTES)
    if made.returncode != 0:
        raise CannotRun(f"{name} does not build: {last_line(made.stderr or made.stdout)}")
    done = context.run(build / "test" / "evidence" / "evidence_lcp_steps", *moved_models(), seconds=30 * MINUTES)
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
