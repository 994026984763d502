"""Derivatives of steps of contact ncp at random states in contact, at several softnesses, parameters included."""

from checks.contact.derivatives import PARTS, SAMPLES, Study, derivative_check
from checks.ncp.quad import quad_judged

# Samples of each model, fewer of those whose steps take longer; of what kinds its parameters are: mass, inertia, friction, sizes, places of bodies, joints and geoms, springs, dampers, gravity, the time step.
MODELS = {
    "models/half_cheetah.xml": (3500, ["option.timestep", "body/torso.mass", "geom/ground.friction[0]", "geom/*foot.size*", "body/fore_shin.pos*", "joint/fore_shin.pos*", "joint/fore_shin.stiffness", "joint/fore_shin.damping"]),
    "models/ant.xml": (3000, ["option.timestep", "body/foot_1.mass", "geom/tibia_1.friction[0]", "geom/tibia_2.size[0]", "body/foot_2.pos[0]", "body/foot_1.inertia*", "option.gravity*"]),
    "models/quadruped.xml": (1000, ["option.timestep", "body/trunk.mass", "geom/front_left_foot.friction[0]", "geom/rear_*_foot.size[0]", "body/front_left_calf.pos*"]),
    "models/humanoid.xml": (750, ["option.timestep", "body/pelvis.mass", "geom/ground.friction[0]", "geom/left_foot.size*", "body/left_shank.pos[2]", "geom/right_foot.pos*"]),
    "models/atlas.xml": (750, ["option.timestep", "body/pelvis.mass", "geom/ground.friction[0]", "geom/left_foot.size*", "body/left_shank.pos[2]", "geom/left_foot.pos[0]"]),
    "test/data/box_pile.xml": (1000, ["option.timestep", "body/c.mass", "geom/a.friction[0]", "geom/b.size*", "geom/c.pos[0]"]),
}  # fmt: skip
# The models' frictions are all alike, and a contact has the larger of two: one of them is raised, so that differences of it do
# not reach over the change from one to the other.
RAISED = {
    "models/half_cheetah.xml": "geom/ground.friction[0]=0.5",
    "models/ant.xml": "geom/tibia_1.friction[0]=1.1",
    "models/quadruped.xml": "geom/front_left_foot.friction[0]=0.9",
    "models/humanoid.xml": "geom/ground.friction[0]=1",
    "models/atlas.xml": "geom/ground.friction[0]=0.9",
    "test/data/box_pile.xml": "geom/a.friction[0]=0.7",
}
# A part of each model's samples for each softness: the step is solved and differentiated there.
KAPPAS = ("1e-3", "1e-4", "1e-5", "1e-6", "1e-8")
assert len(KAPPAS) == PARTS
TOL = "1e-6"


def options(model, part):
    return ["--contact", "ncp", "--set", RAISED[model], "--kappa", KAPPAS[part]]


def quad(context, model, part, kept):
    return quad_judged(context, model, KAPPAS[part], kept)


derivative_check(
    "ncp-derivatives",
    f"{SAMPLES} random states in contact at kappa {KAPPAS[0]} to {KAPPAS[-1]}, parameters included: 99.9 % of those with a constant active set within {TOL} of differences of the step at that kappa, at most 5 % switch, each flagged by its margin; reverse equals forward to 1e-10",
    Study(MODELS, TOL, options, quad=quad),
)
