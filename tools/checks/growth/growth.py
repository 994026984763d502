"""Growth distances of every pair of shapes, and what stands on them."""

import json
import shutil

from checks.builds import BUILD_SECONDS
from checks.evidence import document, side_by_side
from checks.experiments.papers import reproduce
from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line
from checks.unit import unit_check, unit_tests

POSES = 1000
SYSTEMS = 25
TOL_LENGTH = 1e-9  # sizes


@check(
    "growth-pairs",
    bar=f"all pairs of nine primitives and eight sums, {POSES} poses each, at kappa 1e-4, 1e-8 and 1e-12: all solved in at most {SYSTEMS} systems; alpha - dual is kappa nu to 1e-7 of it or 1e-13 of alpha; gap never above the distance and, for half spaces at 1e-12 where kappa nu is below 5e-10 alpha, equal to it, to {TOL_LENGTH:g} sizes; the dual below alpha by at most kappa nu",
    slow=True,
)
def pairs(context):
    got = document(context, "evidence_growth", "pairs", POSES)
    good = got["failed"] == 0 and got["most"] <= SYSTEMS and got["dual"] <= 1
    good = good and got["above"] <= TOL_LENGTH and got["planes"] <= TOL_LENGTH and got["low"] <= 1e-12 and got["high"] <= 1e-12
    figure = f"{got['failed']} of {got['solves']} fail, {got['most']} systems at most, {got['mean']:.1f} on average; alpha - dual - kappa nu {got['dual']:.2f} of its bar; gap above by {got['above']:.0e}, half spaces off by {got['planes']:.0e} sizes; dual above by {got['low']:.0e}, short by {got['high']:.0e}"
    return Result(good and got["solves"] == 152 * POSES * 3, figure)


DERIVATIVES = 10000  # poses at each kappa
PART = 500
PART_SECONDS = 7200
SHARE = 0.999
TOL_REVERSE = 1e-10


def quad_growth(context):
    """Builds test/quad's program of growth distances."""
    if shutil.which("clang") is None:
        raise CannotRun("clang is not installed")
    build = ROOT / "build" / "quad"
    options = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1", "-DTACTUS_QUAD=ON"]
    made = context.run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *options)
    if made.returncode == 0:
        made = context.run("cmake", "--build", build, "--target", "quad_growth", seconds=BUILD_SECONDS)
    if made.returncode != 0:
        raise Failed(f"test/quad does not build: {last_line(made.stderr or made.stdout)}")
    return build / "test" / "quad" / "quad_growth"


def derivatives_at(context, program, kappa):
    """The figures of all poses, found in parts side by side."""

    def run(start):
        done = context.run(program, "derivatives", PART, kappa, start, seconds=PART_SECONDS)
        if done.returncode != 0:
            raise Failed(f"{program.name}: {last_line(done.stderr)}")
        return json.loads(done.stdout)

    parts = side_by_side(run, [(start,) for start in range(0, DERIVATIVES, PART)])
    return {key: sum(part[key] for part in parts) if key in ("poses", "rows", "within") else max(part[key] for part in parts) for key in parts[0]}


def derivative_runs(context):
    """{kappa: figures}"""

    def run(_):
        found = {kappa: derivatives_at(context, context.program("evidence_growth"), kappa) for kappa in ("1e-2", "1e-4")}
        found["1e-8"] = derivatives_at(context, quad_growth(context), "1e-8")
        return found

    return context.once("growth derivatives", run)


@check(
    "growth-derivatives",
    bar=f"{DERIVATIVES} poses each at kappa 1e-2 and 1e-4, and at 1e-8 in 113-bit numbers, all rows by poses and shapes' numbers: {100 * SHARE:g} % within 1e-6 of Ridders' differences, reverse mode within {TOL_REVERSE:g}",
    slow=True,
)
def derivatives(context):
    runs = derivative_runs(context)
    good = all(got["within"] >= SHARE * got["rows"] and got["rows"] > 0 for got in runs.values())
    good = good and all(got["reverse"] <= TOL_REVERSE for got in runs.values())
    figure = "; ".join(f"{kappa}: {got['within']} of {got['rows']} rows, worst {got['worst']:.1e}, reverse {got['reverse']:.0e}" for kappa, got in runs.items())
    return Result(good, figure)


@check("growth-duals", bar="the barrier's gradient by the duals alone within 1e-6 of differences of its value", slow=True)
def duals(context):
    runs = derivative_runs(context)
    return Result(all(got["barrier"] <= 1e-6 for got in runs.values()), ", ".join(f"{kappa}: {got['barrier']:.1e}" for kappa, got in runs.items()))


unit_check("growth-files", "pad and sum by builder, MJCF and packed file give the same bits; by path as by an edited file", "test_growth", "files")


@check("growth-bad-input", bar="kappa, poses, concentric and deep shapes, extreme sizes, pads, sums and faces that make no sense: each a defined result or a named status")
def bad_input(context):
    tests = {**unit_tests(context, "test_growth"), **unit_tests(context, "test_growth_models")}
    wanted = ("bad_calls", "extremes", "extreme_pairs", "contact_models", "bad_shapes", "bad_faces", "nearly_parallel_faces")
    missing = [name for name in wanted if name not in tests]
    if missing:
        raise CannotRun(f"no test {missing[0]}")
    failed = [name for name in wanted if not tests[name][0]]
    return Result(not failed, f"{len(wanted) - len(failed)} of {len(wanted)} pass", failed)


EXTREMES = 100  # of each pair
EXTREME_SYSTEMS = 40
TOL_BOUND = 1e-9


@check(
    "growth-extremes",
    bar=f"all pairs {EXTREMES} times at kappa 1, 1e-2, 1e-4, 1e-8, 1e-12 and 1e-15, sizes over six decades, aspect ratios to 1000, centres from coincident to 1e6 sizes apart: all solved in at most {EXTREME_SYSTEMS} systems or without a normal, derivatives finite, alpha and its dual value within bounds by supports and gauges in closed form to {TOL_BOUND:g}",
    slow=True,
)
def extremes(context):
    got = document(context, "evidence_growth", "extremes", EXTREMES)
    good = got["failed"] == 0 and got["off"] == 0 and got["singular"] == 0 and got["most"] <= EXTREME_SYSTEMS and got["solves"] == 152 * EXTREMES * 6
    figure = f"{got['failed']} of {got['solves']} fail, {got['degenerate']} without a normal, {got['most']} systems at most, {got['singular']} without derivatives; dual above its bound by {got['low']:.0e}, alpha below its own by {got['high']:.0e}"
    return Result(good, figure)


LINEAR = 1.3


@check("growth-linear", bar=f"time a face grows by less than {LINEAR} from 32 to 256 faces a hull; no allocation in a query")
def linear(context):
    got = document(context, "evidence_growth", "linear")
    figure = f"{got['us_a_face'][0]:.2f} to {got['us_a_face'][-1]:.2f} us a face, ratio {got['ratio']:.2f}, {got['allocations']} allocations"
    return Result(got["ratio"] < LINEAR and got["allocations"] == 0, figure)


GROWTH_US = 10
DERIVATIVES_RATIO = 3


@check("growth-speed", bar=f"two boxes at kappa 1e-4: at most {GROWTH_US} us, with all derivatives by poses at most {DERIVATIVES_RATIO} times that")
def speed(context):
    got = document(context, "evidence_growth", "speed")
    ratio = got["derivatives_us"] / got["growth_us"]
    figure = f"{got['growth_us']:.1f} us, with derivatives {ratio:.2f} times; {got['growth_us'] / got['features_us']:.1f} times the distance of features (GJK)"
    return Result(got["growth_us"] <= GROWTH_US and ratio <= DERIVATIVES_RATIO, figure)


@check("growth-frames", bar="silico-contact-frames: the plane across the normal separates the scaled shapes to 1e-9, all frames finite")
def frames(context):
    got = reproduce(context, "silico-contact-frames")
    return Result(got["pass"] is True, f"{got['tactus']['scenes']:.0f} scenes, worst {got['tactus']['worst']:.1e} of the size")
