"""Derivatives of error-controlled steps: beside differences, and by any budget of kept states."""

from checks.contact.speed import panda_with_box
from checks.evidence import MINUTES, figure, parsed_lines, ranges, side_by_side
from checks.registry import Result, check

PANDA = "panda and box"
# States of each model, of 10,000, and its parameters.
MODELS = {
    "models/humanoid.xml": (1500, ["body/pelvis.mass", "geom/ground.friction[0]", "geom/right_foot.pos[0]", "geom/ground.solref[0]", "geom/left_foot.solimp[1]", "joint/left_knee.damping", "joint/left_knee.range[0]", "joint/left_knee.solref_limit[0]"]),
    "models/ant.xml": (1500, ["body/foot_1.mass", "geom/tibia_1.friction[0]", "geom/cap_2.size[0]", "body/foot_2.pos[0]", "geom/ground.solref*", "geom/ground.solimp*", "geom/ground.margin"]),
    "models/quadruped.xml": (1500, ["option.gravity[2]", "option.timestep"]),
    PANDA: (1250, ["body/link6.mass", "joint/joint3.armature", "joint/joint4.damping", "actuator/#3.gainprm[0]"]),
    "test/data/closed_loop.xml": (1500, ["body/chassis.mass", "geom/left_foot.size[0]", "geom/floor.friction[0]", "equality/left.data[0]", "joint/left_front.armature", "joint/right_rear.range[0]"]),
    "test/data/box_pile.xml": (1500, ["body/c.mass", "geom/a.friction[0]", "geom/b.size*", "geom/c.pos[0]", "geom/a.solref[0]", "geom/b.solimp[2]"]),
    "test/data/servo.xml": (1250, []),
}  # fmt: skip
PARTS = 5
MOST_ENDLESS = 0.05  # of the states
SAMPLE = 50  # the share of the states that the sample looks at: one in so many
LEAST = {"held": 0.999, "free": 0.99}
BAR = {"held": "1e-6", "free": "1e-4"}
TOL_REVERSE = 1e-10
KEYS = ("states", "in_contact", "events", "onsets", "switching", "ties", "compared", "within", "failed", "endless")

assert sum(states for states, _ in MODELS.values()) == 10_000


def part_row(context, mode, name, first, last):
    path = panda_with_box(context) if name == PANDA else name
    done = context.run(context.program("evidence_adaptive_derivatives"), mode, first, last, path, *MODELS[name][1], seconds=180 * MINUTES)
    return parsed_lines("evidence_adaptive_derivatives", done, 1)[0]


def total_of(rows):
    return {key: sum(row[key] for row in rows) for key in KEYS}


def judged(mode, rows):
    """-> (ok, figure)"""
    total, reverse = total_of(rows), max(figure(row["reverse"]) for row in rows)
    ok = total["compared"] > 0 and total["within"] >= LEAST[mode] * total["compared"] and total["failed"] == 0
    ok = ok and total["endless"] <= MOST_ENDLESS * total["states"] and reverse <= TOL_REVERSE and total["in_contact"] > total["states"] // 2 and total["onsets"] > 0
    text = f"{mode}: {total['within']} of {total['compared']} within {BAR[mode]}, {total['switching']} of {total['states']} switch, {total['ties']} tie, {total['endless']} have onsets without end, {total['failed']} fail, reverse {reverse:.0e}, {total['onsets']} with an onset, {total['in_contact']} in contact"
    return ok, text


def study(context, share, parts):
    ok, texts, lines = True, [], []
    for mode in LEAST:
        jobs = [(context, mode, name, first, last) for name, (states, _) in MODELS.items() for first, last in ranges(states // share, parts)]
        rows = side_by_side(part_row, jobs)
        good, text = judged(mode, rows)
        ok, texts, lines = ok and good, [*texts, text], [*lines, *map(str, rows)]
    return Result(ok, "; ".join(texts), lines)


WHAT = "random states in contact (humanoid, ant, quadruped, panda and box, closed loop, box pile, activations), parameters included: with step sizes and times of zone and feature changes held 99.9 % within 1e-6 of Ridders' differences; freely at tolerance 1e-11, where features do not change, 99 % within 1e-4; reverse equals forward to 1e-10"


@check("adaptive-derivatives", bar=f"10,000 {WHAT}", slow=True)
def derivatives(context):
    return study(context, 1, PARTS)


@check("adaptive-derivatives-sample", bar=f"200 {WHAT}")
def derivatives_sample(context):
    return study(context, SAMPLE, 1)


# --- Checkpoints -----------------------------------------------------------------------------------------------------

KEPT_MODELS = ["models/humanoid.xml", "models/quadruped.xml", "models/half_cheetah.xml", "test/data/servo.xml"]


@check("adaptive-checkpoints", bar="reverse mode of 1000 outer steps with 10, 100, 1000 kept states and 4, 32 inner ones: the same bits; memory as computed beforehand, independent of inner_max", slow=True)
def checkpoints(context):
    done = context.run(context.program("evidence_adaptive_checkpoints"), *KEPT_MODELS, seconds=60 * MINUTES)
    rows = parsed_lines("evidence_adaptive_checkpoints", done, len(KEPT_MODELS))
    same, fixed, untouched = (sum(row[key] for row in rows) for key in ("same_bits", "bytes_fixed", "untouched"))
    within = sum(0 < row["peak"] <= row["sim_bytes"][1] for row in rows)
    ok = same == fixed == untouched == within == len(rows) and all(row["in_contact"] > 0 for row in rows if "servo" not in row["model"])
    figure_text = f"{same} of {len(rows)} models have the same bits; memory as computed in {min(within, untouched)}, independent of inner_max in {fixed}; {sum(row['inner'] for row in rows)} inner steps"
    return Result(ok, figure_text, [str(row) for row in rows])
