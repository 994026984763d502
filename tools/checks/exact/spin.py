"""Bodies that turn: energy kept, hinged ones that gain nothing, derivatives, time, bits."""

import json
import math
import statistics

from checks.before import PIECES, Timer, before_tree, compare_bits, compiled, on_purpose, ratio
from checks.evidence import side_by_side
from checks.exact.energy import simulated
from checks.registry import ROOT, Failed, Result, check
from checks.unit import unit_tests

BEFORE = "3cda21d"  # the last commit with explicit gyroscopic forces in lcp
DT = 0.002
SHAPES = {"needle": "0.001 0.0012 0.5", "plate": "0.3 0.2 0.01", "rod": "0.02 0.03 0.4"}
JOINTS = {
    "free": ("<freejoint/>", ""),
    "free beside": ("<freejoint/>", "pos='0.1 0.05 0.3' euler='20 30 40'"),
    "ball": ("<joint type='ball'/>", ""),
    "ball beside": ("<joint type='ball'/>", "pos='0 0.02 0.3' euler='20 30 40'"),
}  # fmt: skip
WAYS = [("--contact", "lcp"), ("--contact", "lcp", "--toi"), ("--contact", "none", "--integrator", "spin")]
TURNS = (0.1, 0.5, 1.0)  # |w| dt
DIRECTION = (0.62, 0.58, 0.53)
KEPT_STEPS, KEPT_BAR = 100_000, 0.01
HINGES = {"two hinges": ("<joint axis='0 0 1'/><joint axis='0 1 0'/>", "pos='0 0.05 0.1'")}
# Hinges that come to lie in one line or plane on the way: rates of joints are then far above |w|.
LINED_UP = {
    "two hinges turned": ("<joint axis='0 0 1'/><joint axis='0 1 0'/>", "pos='0 0.05 0.1' euler='70 40 20'"),
    "three hinges": ("<joint axis='0 0 1' armature='0.01'/><joint axis='0 1 0' armature='0.01'/><joint axis='1 0 0' armature='0.01'/>", ""),
}  # fmt: skip
HINGED_WAYS = [("--contact", "lcp", "--coriolis"), ("--contact", "lcp", "--toi", "--coriolis"), ("--contact", "none", "--integrator", "coriolis")]
HINGED_STEPS, HINGED_BAR, HINGED_TURN = 10_000, 1.1, 0.2
SPEED_BAR = 1.03
SPEED_ROUNDS = 10
SPEED_MODELS = ["models/panda.xml", "models/quadruped.xml", "models/humanoid.xml", "models/atlas.xml", "models/box.xml", "test/data/box_pile.xml", "test/data/stone_pile.xml"]  # fmt: skip
CONTACT_LCP, CONTACTS = 1, 4  # of evidence_speed


def model_file(context, name, size, joints, place):
    path = context.scratch / f"{name.replace(' ', '_')}.xml"
    path.write_text(
        f"<mujoco><option timestep='{DT}' gravity='0 0 0'/><worldbody><body pos='0 0 1'>{joints}"
        f"<geom type='box' size='{size}' mass='1' {place}/></body></worldbody></mujoco>"
    )
    return path


def spun(context, model, turn, rates, way, steps, every):
    """Energies of a run that begins with |w| dt = turn, over the start's."""
    size = turn / DT / math.sqrt(sum(rate * rate for rate in rates))
    info = context.json_from(context.tactus, "info", model, "--json")
    state = context.scratch / f"{model.stem}_{turn}.json"
    state.write_text(json.dumps({"qvel": [0.1] * (info["nv"] - len(rates)) + [size * rate for rate in rates]}))
    run = simulated(context, model, *way, "--state", state, "--steps", steps, "--every", every)
    if run["steps"] != steps or run["unsolved"]:
        raise Failed(f"{model.stem} {' '.join(way)}: {run['status']}")
    return [value / run["energy"][0] for value in run["energy"]]


def lone_runs(context):
    """[(name, largest |E/E0 - 1|)]"""
    jobs = []
    for shape, size in SHAPES.items():
        for joint, (joints, place) in JOINTS.items():
            model = model_file(context, f"{shape} {joint}", size, joints, place)
            jobs += [(model, turn, way) for way in WAYS for turn in TURNS]

    def run(model, turn, way):
        energies = spun(context, model, turn, DIRECTION, way, KEPT_STEPS, 20)
        return f"{model.stem} {' '.join(way)} |w| dt {turn}", max(abs(e - 1) for e in energies)

    return side_by_side(run, jobs)


def hinged_runs(context, table):
    """[(name, largest E/E0)]"""
    jobs = []
    for shape, size in SHAPES.items():
        for hinges, (joints, place) in table.items():
            model = model_file(context, f"{shape} {hinges}", size, joints, place)
            jobs += [(model, (3, -2, 1)[: joints.count("axis")], way) for way in HINGED_WAYS]

    def run(model, rates, way):
        return f"{model.stem} {' '.join(way)}", max(spun(context, model, HINGED_TURN, rates, way, HINGED_STEPS, 1))

    return side_by_side(run, jobs)


@check(
    "exact-spin",
    bar="needle, plate, rod, free and on a ball joint, lcp and none's spin: energy within 1 % over 1e5 steps up to |w| dt = 1; on two crossed hinges with the option at most 1.1 of the start's over 1e4 steps at 0.2; derivatives 1e-7; too fast is told",
)
def spin(context):
    kept, hinged = lone_runs(context), hinged_runs(context, HINGES)
    tests = unit_tests(context, "test_spin")
    failed = [name for name, (ok, _) in tests.items() if not ok]
    drift, most = max(value for _, value in kept), max(value for _, value in hinged)
    told = [line for _, lines in tests.values() for line in lines]
    figures = f"energy within {drift:.1e} in {len(kept)} runs; hinged at most {most:.3f} of the start's in {len(hinged)} runs; {len(tests) - len(failed)} of {len(tests)} tests: {'; '.join(told)}"
    lines = [f"{name:64} {value:.2e}" for name, value in kept] + [f"{name:64} {value:.4f}" for name, value in hinged]
    return Result(drift <= KEPT_BAR and most <= HINGED_BAR and not failed and len(tests) > 0, figures, lines)


@check("exact-spin-hinged", bar=f"the same bodies on hinges that line up on the way, with the option: energy at most {HINGED_BAR} of the start's over 1e4 steps at |w| dt = {HINGED_TURN}")
def spin_hinged(context):
    runs = hinged_runs(context, LINED_UP)
    worst, most = max(runs, key=lambda row: row[1])
    return Result(most <= HINGED_BAR, f"at most {most:.3f} of the start's ({worst}), {sum(value <= HINGED_BAR for _, value in runs)} of {len(runs)} runs within", [f"{name:64} {value:.4f}" for name, value in runs])


@check("exact-spin-speed", bar=f"lcp's step at most {SPEED_BAR} of before, our robots and free bodies: median of {SPEED_ROUNDS} rounds, interleaved", slow=True)
def spin_speed(context):
    tree = context.once(f"before-{BEFORE}", lambda c: before_tree(c, BEFORE))
    programs = [compiled(context, "evidence_speed.c", tree, tree / "build" / "release", f"speed-{BEFORE}"), compiled(context, "evidence_speed.c", ROOT, context.build, "speed-now")]
    ratios = {name: [] for name in SPEED_MODELS}
    for _ in range(SPEED_ROUNDS):
        old, new = (Timer(program, [ROOT / name for name in SPEED_MODELS]) for program in programs)
        for k, name in enumerate(SPEED_MODELS):
            ratios[name].append(ratio(old, new, CONTACTS * k + CONTACT_LCP, PIECES.index("step")))
        old.close(), new.close()
    medians = {name: statistics.median(values) for name, values in ratios.items()}
    worst = max(medians, key=medians.get)
    lines = [f"{name:28} {value:.3f}   {min(ratios[name]):.3f} to {max(ratios[name]):.3f}" for name, value in medians.items()]
    return Result(medians[worst] <= SPEED_BAR, f"worst {medians[worst]:.3f} ({worst}), median {statistics.median(medians.values()):.3f}", lines)


@check("exact-spin-bits", bar="motions, derivatives, outputs and margins of our robots and 50 random models as before, but for lcp where a body turns alone", slow=True)
def spin_bits(context):
    return compare_bits(context, BEFORE, 3, on_purpose(context))
