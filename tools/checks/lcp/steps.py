"""Steps of contact lcp: known answers, derivatives at random states in contact, penetration, random models, memory, bits."""

from checks.contact.derivatives import SAMPLES, Study, derivative_check
from checks.contact.steps import bad_input_check, bits_check, no_alloc_check, random_check
from checks.evidence import json_lines
from checks.models import our_models
from checks.registry import Result, check
from checks.unit import unit_checks

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
unit_checks("lcp-truths", TRUTHS)


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


bad_input_check("lcp", "zero and huge friction, mass ratios of 1e6, redundant contacts, contradictory limits, dt 0, 1e-6, 1: defined results or a named status; failed steps leave the caller's state untouched", "test_contact_bad_input", "test_mass_ratio")

# --- Derivatives -----------------------------------------------------------------------------------------------------

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


def derivatives(name, tol, words, *options):
    bar = f"{SAMPLES} random states in contact{words}, parameters included: 99.9 % of those with a constant active set within {tol}, at most 5 % switch, each flagged by its margin; reverse equals forward to 1e-10"
    derivative_check(name, bar, Study(MODELS, tol, lambda model, part: ["--contact", "lcp", *options]))


derivatives("lcp-derivatives", "1e-6", "")
derivatives("lcp-derivatives-toi", "1e-5", " with toi", "--toi")


# --- Random models, memory, bits -------------------------------------------------------------------------------------


def moved_models():
    return [*our_models(), "test/data/box_pile.xml", "test/data/stone_pile.xml"]


random_check("lcp")
no_alloc_check("lcp", moved_models)
bits_check("lcp", moved_models)
