"""Derivatives of steps of contact soft at random states in contact, parameters included."""

from checks.contact.derivatives import SAMPLES, Study, derivative_check
from checks.contact.speed import panda_with
from checks.evidence import MINUTES, parsed_lines
from checks.registry import Result, check

PANDA = "panda and box"
# The arm with a box to push, since models/panda.xml has none.
BOX = """<body name="box" pos="0.45 0.05 0.05" quat="0.99 0.02 0.01 0.1"><freejoint/>
  <geom name="box" type="box" size="0.06 0.05 0.045" mass="0.8" friction="0.7"/></body>"""
# Samples of each model; its parameters: masses and inertias, sizes and places, friction, solref and solimp, margins, damping,
# armature, gains, losses, limits.
MODELS = {
    "models/humanoid.xml": (1500, ["body/pelvis.mass", "body/left_shank.ipos[2]", "geom/ground.friction[0]", "geom/left_foot.size*", "geom/right_foot.pos[0]", "body/left_shank.pos[2]", "geom/ground.solref[0]", "geom/left_foot.solimp[1]", "joint/left_knee.armature", "joint/left_knee.damping", "joint/left_knee.range[0]", "joint/left_knee.solref_limit[0]", "option.impratio"]),
    "models/ant.xml": (1750, ["body/foot_1.mass", "geom/tibia_1.friction[0]", "geom/cap_2.size[0]", "body/foot_2.pos[0]", "geom/cap_1.pos*", "geom/ground.solref*", "geom/ground.solimp*", "geom/ground.margin"]),
    "test/data/mesh_quadruped.xml": (1750, ["body/trunk.mass", "geom/front_left_foot.friction[0]", "geom/floor.solref[1]", "geom/stair.solimp[0]", "geom/rear_left_foot.pos*", "body/front_left_calf.pos*", "mesh/hoof.scale*", "joint/front_right_thigh.damping", "joint/front_right_thigh.frictionloss", "actuator/front_left_calf.gainprm[0]", "geom/stair.size[2]"]),
    PANDA: (1500, ["body/box.mass", "geom/box.size*", "geom/box.friction*", "geom/ground.friction[0]", "geom/box.solref*", "geom/box.solimp*", "body/link6.mass", "joint/joint3.armature", "joint/joint4.damping", "actuator/#3.gainprm[0]"]),
    "test/data/closed_loop.xml": (1750, ["body/chassis.mass", "body/left_link.pos*", "geom/left_foot.size[0]", "geom/floor.friction[0]", "equality/left.data[0]", "equality/left.solref*", "equality/right.solimp*", "geom/right_foot.solref[0]", "joint/left_front.armature", "joint/left_shin.damping", "joint/right_rear.range[0]", "actuator/left_front.gainprm[0]"]),
    "test/data/box_pile.xml": (1750, ["body/c.mass", "geom/a.friction[0]", "geom/b.size*", "geom/c.pos[0]", "geom/a.solref[0]", "geom/b.solimp[2]"]),
}  # fmt: skip
TOL = "1e-6"


def file_of(context, model):
    return context.once(PANDA, lambda _: panda_with(context, "panda_and_box", BOX)) if model == PANDA else model


derivative_check(
    "soft-derivatives",
    f"{SAMPLES} random states in contact (humanoid, ant, quadruped with meshes, panda and box, closed loop, box pile), parameters included: 99.9 % of those with constant zones within {TOL} of differences of the step, at most 5 % switch, each flagged by its margin; reverse equals forward to 1e-10",
    Study(MODELS, TOL, lambda model, part: ["--contact", "soft", "--integrator", "euler"], file_of),
)


# --- Beside MuJoCo's differences -------------------------------------------------------------------------------------

# Meshes on planes have other contacts in MuJoCo: the quadruped has round feet here.
PEER_MODELS = ["models/humanoid.xml", "models/ant.xml", "models/quadruped.xml", PANDA, "test/data/closed_loop.xml", "test/data/box_pile.xml"]
PEER_STATES = 200
LEAST_PEER = 0.95
LEAST_SAME = 0.5


@check(
    "soft-transition",
    bar=f"{PEER_STATES} random states in contact each of six models, where both engines find the same contacts: 95 % within 1e-4 of MuJoCo's centred mjd_transitionFD, eps 1e-5, tolerance 1e-15",
)
def transition(context):
    files = [file_of(context, model) for model in PEER_MODELS]
    done = context.run(context.program("evidence_soft_transition"), PEER_STATES, *files, seconds=10 * MINUTES)
    rows = parsed_lines("evidence_soft_transition", done, len(files))
    same, within, states = (sum(row[key] for row in rows) for key in ("same", "within", "states"))
    ok = within >= LEAST_PEER * same and same >= LEAST_SAME * states
    lines = [f"{name:28} {row['within']} of {row['same']} with the same contacts, of {row['states']}; median {row['median']:.0e}, worst {row['worst']:.0e}" for name, row in zip(PEER_MODELS, rows, strict=True)]
    return Result(ok, f"{within} of {same} ({within / max(same, 1):.1%}) of {states} states", lines)
