"""What the integrator of contact ncp keeps, how its time grows, and the behaviours that Dojo's own tests ask for."""

import json
import math

from checks.evidence import json_lines
from checks.registry import ROOT, Failed, Result, check, last_line
from checks.times import bench_rows_of
from checks.unit import unit_check, unit_checks

# --- Known answers ---------------------------------------------------------------------------------------------------

TRUTHS = {
    "limit": ("a pendulum comes to rest on the end of its range to 1e-3", "rests_on_its_limit"),
    "box-toss": ("a thrown box comes to rest at its height to 1e-3", "box_comes_to_rest"),
    "free-fall": ("a body falls as the discrete equations say", "free_fall"),
    "sliding-block": ("a block slides straight and stops where Coulomb's law says", "block_slides_straight"),
    "sticking": ("a block on a slope sticks up to the angle of friction", "angle_of_friction"),
    "sliding-to-rolling": ("a ball slides, then rolls", "ball_slides_then_rolls"),
    "stack": ("a stack stands, its contacts carry the weight above", "stack_stands"),
    "momentum-contact": ("momentum of bodies that hit and slide on each other within 1e-8, at three time steps", "momentum_is_kept_in_contact"),
    "rolling-plate": ("a ball rolls on at 1 m/s over free plates of 0.1, 1 and 100 times its mass, at two time steps", "a_ball_rolls_on_a_free_plate"),
    "grip": ("a hand that floats, spins and holds a bar with 50 N keeps its momentum and gains no energy, at four time steps", "a_grip_gains_nothing"),
    "cans": ("a can on another and on a table, at seven places each and three time steps, stands, every step solved; beyond the edge it falls", "cans_stand"),
    "overlap": ("bodies given overlapping come apart at the stated speed", "overlap_goes_away"),
}
unit_checks("ncp-truths", TRUTHS, "test_contact_ncp")

CONTACTS = {
    "travel": ("of four pairs of shapes deep in each other, a velocity that both have in common changes nothing in 300 steps or more: 1e-5 m/s", "travel_changes_nothing"),
    "collisions": ("a capsule and a cylinder thrown at each other 60 times at 20 ms: all forces act on both of them, at most 5 of 900 steps unsolved", "collisions_are_between_bodies"),
    "mocap": ("a mocap body pushes a box before it at 0.02 to 1.9 m/s, in it by 2e-3 m at the hit and 1e-4 m at the end", "mocap_pushes"),
    "squeeze": ("two mocap bodies close on a box at 0.05 and 0.5 m/s, every step solved", "mocap_squeezes"),
    "bounce-energy": ("bricks and eggs that turn and bounce at restitution 1 and 0.5 gain no energy, within 1 %", "bounces_make_no_energy"),
    "place-derivatives": ("steps in which the touch of a coin, an egg and bricks runs far over them, by state and parameters, against differences: 1e-6", "place_has_derivatives"),
    "push-derivatives": ("steps in which a mocap body is put into a brick by 3 and 30 mm, by state and parameters, against differences: 1e-6", "pushed_brick_has_derivatives"),
    "bounce-derivatives": ("steps in which a brick that turns bounces on the floor and on a free egg, by state and parameters, against differences: 1e-6", "brick_bounces_by_its_derivatives"),
}  # fmt: skip
unit_checks("ncp-contacts", CONTACTS, "test_ncp_contacts")
unit_check("ncp-discs", "discs that are thrown and come to lie at 1, 5 and 20 ms: every step solved, no energy gained", "test_ncp_rolling", "discs_come_to_lie")
unit_check("ncp-stalled", "a search whose balance is solved while its products stay ends after a few systems", "test_interior", "products_that_stay_end_it")
unit_check("ncp-rests", "what two geoms are found to touch by later has the rest of what was left out of theirs", "test_ncp", "rests_are_remembered")
unit_check("ncp-ball-limit", "a ball with a range of up to 3.14 rad that turns at 9 rad/s stops there at three time steps, and gains no energy", "test_ncp_rows", "ball_does_not_come_round")
RIMS = {
    "points": ("rims that lie flat on planes, boxes and cylinders touch with points fixed to them, 1.2e-10 m above the lowest at most", "flat_rims_have_fixed_points"),
    "stay": ("the same points at any other pose", "points_stay_where_they_are"),
    "others": ("rims that are tilted, and points beside the face, touch as ever", "others_are_left_alone"),
    "margins": ("within its margin a rim keeps its points", "margins_hold"),
}
unit_checks("ncp-rims", RIMS, "test_rim")

SYSTEMS = {
    "system-jacobian": ("Newton's direction in contact against differences of all equations, to 1e-7", "direction_in_contact"),
    "system-joints": ("the same for trees with all kinds of joints, several on a body", "direction_of_trees"),
    "system-flat": ("points and ellipsoids on a plane: closed form against the general way, to 1e-11", "flat_is_the_general_way"),
    "momentum-jacobian": ("momentum of turning and its derivative", "momentum_derivative"),
}  # fmt: skip
unit_checks("ncp", SYSTEMS, "test_ncp")

# --- Momentum and energy ---------------------------------------------------------------------------------------------

TOL_MOMENTUM = 1e-8
FLOATING = [
    *(f"models/{name}.xml" for name in ("atlas", "quadruped", "ant")),
    *(f"experiments/scenes/{name}.xml" for name in ("astronaut", "a1_drop", "atlas_drop", "timing_humanoid")),
]


@check("ncp-momentum", bar=f"robots that float and drive their joints at random: momentum within {TOL_MOMENTUM:g} N s, N m s of zero over two seconds")
def momentum(context):
    rows = json_lines(context, "evidence_ncp_momentum", *FLOATING, rows=len(FLOATING))
    worst = max(rows, key=lambda row: row["momentum"])
    moved = min(row["moved"] for row in rows)
    lines = [f"{row['model']:40} {row['dofs']:3} dofs, {row['momentum']:.1e}, joints up to {row['moved']:.2g} rad/s" for row in rows]
    return Result(worst["momentum"] <= TOL_MOMENTUM and moved > 0.01, f"at most {worst['momentum']:.1e} ({worst['model']}), {len(rows)} robots", lines)


CHAIN_LINKS, CHAIN_STEPS = 10, 100_000
TOL_CHAIN_MOMENTUM = 1e-9
MOST_TREND = 1e-4  # of the energy, over all steps
CHAIN_EXPONENT = 1.1


def growth(rows):
    """Least squares of log time over log count."""
    points = [(math.log(float(row["count"])), math.log(float(row["us_step"]))) for row in rows]
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


@check(
    "ncp-chain",
    bar=f"free chains of 4 to 256 links: the step's time grows with an exponent below {CHAIN_EXPONENT}; {CHAIN_LINKS} links over {CHAIN_STEPS} steps: momentum within {TOL_CHAIN_MOMENTUM:g}, a line through the energy changes by less than {MOST_TREND:g} of it",
)
def chain(context):
    head, *rows = bench_rows_of(context, "bench_size", "ncp", "chain")
    rows = [dict(zip(head, row, strict=True)) for row in rows]
    exponent = growth(rows)
    kept = json_lines(context, "evidence_ncp_chain", str(CHAIN_LINKS), str(CHAIN_STEPS), rows=1)[0]
    ok = exponent < CHAIN_EXPONENT and kept["momentum"] <= TOL_CHAIN_MOMENTUM and abs(kept["trend"]) <= MOST_TREND
    figure = f"exponent {exponent:.2f}; momentum {kept['momentum']:.1e}, trend of the energy {kept['trend']:+.1e} (standard error {kept['noise']:.0e}) over {kept['steps']} steps"
    return Result(ok and len(rows) == 7 and kept["steps"] == CHAIN_STEPS, figure, [json.dumps(row) for row in rows])


BOX_EXPONENT = 1.1


@check("ncp-boxes", bar=f"1 to 256 boxes apart on a floor: the step's time grows with an exponent below {BOX_EXPONENT}, all solved")
def boxes(context):
    head, *rows = bench_rows_of(context, "bench_size", "ncp", "boxes")
    rows = [dict(zip(head, row, strict=True)) for row in rows]
    exponent, last = growth(rows), rows[-1]
    solved = all(row["unsolved"] == "0" for row in rows)
    figure = f"exponent {exponent:.2f}; {last['count']} boxes {float(last['us_step']):.0f} us a step, {last['iterations']} iterations, {last['contacts']} contacts"
    return Result(exponent < BOX_EXPONENT and solved and last["count"] == "256", figure, [json.dumps(row) for row in rows])


# --- Behaviours of Dojo's tests (facts/dojo.md, section 4) -----------------------------------------------------------


def motion(context, path, *options):
    """The document of `tactus sim`."""
    done = context.run(context.tactus, "sim", path, "--contact", "ncp", *options, "--json")
    if done.returncode != 0:
        raise Failed(f"{path}: exit {done.returncode}: {last_line(done.stderr)}")
    return json.loads(done.stdout)


def scene(context, name, text):
    path = context.scratch / f"{name}.xml"
    path.write_text(text, encoding="utf-8")
    return path


@check("ncp-dojo-quadruped", bar="A1 five seconds on the ground at 0.05 s: no gap is ever negative")
def quadruped(context):
    depth = motion(context, ROOT / "experiments/scenes/a1_drop.xml", "--key", "start", "--dt", "0.05", "--time", "5")["penetration_max"]
    return Result(depth <= 0, f"deepest {depth:.1e} m")


TOSS = """<mujoco><option gravity="0 0 -9.81"/><worldbody><geom type="plane" size="9 9 1" friction="0.1"/>
<body pos="0 0 1"><freejoint/><geom type="box" size="0.25 0.25 0.25" mass="1" friction="0.1"/></body></worldbody>
<keyframe><key name="start" qpos="0 0 1.25 0.9 0.3 0.2 0.1" qvel="1 0.3 0.2 2.5 -1 2"/></keyframe></mujoco>"""
REST_SPEED, REST_HEIGHT = 1e-8, 1e-3


@check("ncp-dojo-box-toss", bar=f"a box thrown with friction 0.1, steps of 0.1, 0.05, 0.01, 0.005 s, rests after 5 s: slower than {REST_SPEED:g}, height 0.25 m within {REST_HEIGHT:g}")
def box_toss(context):
    path, lines, ok = scene(context, "toss", TOSS), [], True
    for dt in (0.1, 0.05, 0.01, 0.005):
        final = motion(context, path, "--dt", dt, "--time", "5", "--key", "start")["final"]
        speed, height = max(map(abs, final["qvel"])), final["qpos"][2]
        lines.append(f"{dt} s: {speed:.1e}, {height:.6f} m")
        ok = ok and speed < REST_SPEED and abs(height - 0.25) < REST_HEIGHT
    return Result(ok, "; ".join(lines), lines)


FREE = """<mujoco><option gravity="0 0 0"/><worldbody><body name="b"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""


@check("ncp-dojo-push", bar="a unit force a metre off the centre of a body of 1 kg and 1 kg m^2 for 0.5 s: 0.5 m/s and 0.5 rad/s to 1e-3; without it nothing moves to 1e-6")
def push(context):
    path = scene(context, "free", FREE)
    state = context.scratch / "push.json"
    state.write_text(json.dumps({"xfrc_applied": [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0]}), encoding="utf-8")
    pushed = motion(context, path, "--dt", "0.01", "--time", "0.5", "--state", state)["final"]["qvel"]
    still = motion(context, path, "--dt", "0.01", "--time", "0.5")["final"]
    rest = max(map(abs, still["qvel"] + still["qpos"][:3]))
    speed, turn = (math.hypot(*pushed[:3]), math.hypot(*pushed[3:]))
    ok = abs(speed - 0.5) <= 1e-3 and abs(turn - 0.5) <= 1e-3 and rest <= 1e-6
    return Result(ok, f"{speed:.6f} m/s, {turn:.6f} rad/s; left alone {rest:.0e}")
