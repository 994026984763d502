"""Motions by error-controlled steps: orders, known answers, accuracy, onsets of contact, the cube of DiffMJX."""

from checks.contact.speed import panda_with_box
from checks.evidence import MINUTES, figure, parsed_lines
from checks.experiments.papers import reproduce
from checks.registry import CannotRun, Result, check
from checks.unit import unit_tests

PROGRAM = "test_adaptive_motion"


def one_test(context, test):
    """-> (does it pass, the last line that it printed)"""
    tests = unit_tests(context, PROGRAM)
    if test not in tests:
        raise CannotRun(f"{PROGRAM} has no test {test}")
    ok, lines = tests[test]
    return ok, lines[-1] if lines else ""


@check("adaptive-orders", bar="fixed inner steps where balls and free joints turn and activations move: the observed order of each of eight methods within 0.2 of theory")
def orders(context):
    ok, text = one_test(context, "fixed_steps_have_their_order")
    return Result(ok, text)


# --- Accuracy --------------------------------------------------------------------------------------------------------

# Ten scenes in contact, in place of one file each: a panda that pushes a box.
SCENES = ["models/humanoid.xml", "models/ant.xml", "models/quadruped.xml", "models/half_cheetah.xml", "models/hopper.xml", "models/box.xml", "models/finger.xml", "test/data/closed_loop.xml", "test/data/box_pile.xml"]
LEAST_SLOPE, MOST_SLOPE = 0.8, 1.2


def accuracy_rows(context, files):
    done = context.run(context.program("evidence_adaptive_accuracy"), *files, seconds=60 * MINUTES)
    return parsed_lines("evidence_adaptive_accuracy", done, len(files))


def accuracy_result(context, files):
    ok, text = one_test(context, "known_motions_at_the_finest_tolerance")
    rows = accuracy_rows(context, files)
    good = [row for row in rows if LEAST_SLOPE <= figure(row["slope"]) <= MOST_SLOPE and row["in_contact"] > 0]
    slopes = ", ".join(f"{row['model'].split('/')[-1].removesuffix('.xml')} {figure(row['slope']):.2f}" for row in rows)
    return Result(ok and len(good) == len(rows), f"{text}; slopes {slopes}", [str(row) for row in rows])


TRUTHS = "pendulum, double pendulum and free body of known motion within 1e-8 at tolerance 1e-12 by tsit5, dopri5, dopri8 and stiff; error proportional to the tolerance from 1e-4 to 1e-11, slope 0.8 to 1.2"


@check("adaptive-truths", bar=f"{TRUTHS}, on ten scenes in contact", slow=True)
def truths(context):
    return accuracy_result(context, [*SCENES, panda_with_box(context)])


@check("adaptive-truths-sample", bar=f"{TRUTHS}, on two of them")
def truths_sample(context):
    return accuracy_result(context, ["models/box.xml", "models/hopper.xml"])


# --- Onsets ----------------------------------------------------------------------------------------------------------

TOL_SLOPE = 1e-5
AT = 1e-10
KNOWN = {"billiard": (-0.0141622, -0.43657)}  # dz/dv0, dv/dv0, as published with the issue
DROPPED = ["models/humanoid.xml", "models/quadruped.xml", "models/box.xml", "test/data/limited_pendulum.xml"]
DROPS = 250  # of each model
LEAST_WITHIN = 0.99
MOST_EXCLUDED = 0.10


def ball_rows(context):
    done = context.run(context.program("evidence_adaptive_onset"), seconds=10 * MINUTES)
    return parsed_lines("evidence_adaptive_onset", done, 24)


def ball_result(rows):
    """-> (ok, figure): slopes against 113-bit numbers at the tolerance that counts, with events found"""
    found = [row for row in rows if row["tolerance"] == AT and row["events"] > 0]
    errors = {row["case"]: max(figure(row["gap_slope_error"]), figure(row["speed_slope_error"])) for row in found}
    known = max(abs(figure(row["gap_slope"]) - KNOWN[row["case"]][0]) + abs(figure(row["speed_slope"]) - KNOWN[row["case"]][1]) for row in found if row["case"] in KNOWN)
    unrolled = {row["case"]: row["gap_slope"] for row in rows if row["tolerance"] == AT and row["events"] == 0}
    ok = len(errors) == 3 and max(errors.values()) <= TOL_SLOPE and known <= 2 * TOL_SLOPE and len(unrolled) == 3
    text = ", ".join(f"{case} {error:.0e}" for case, error in errors.items())
    return ok, f"ball {text} (without events dz/dv0 is {unrolled.get('billiard')})"


def drop_result(context, models, count):
    done = context.run(context.program("evidence_adaptive_drops"), 1, count, *models, seconds=120 * MINUTES)
    rows = parsed_lines("evidence_adaptive_drops", done, len(models))
    total = {key: sum(row[key] for row in rows) for key in ("drops", "onsets", "compared", "within", "kinked", "grazing", "failed", "endless")}
    excluded = total["kinked"] + total["grazing"] + total["endless"]
    ok = total["failed"] == 0 and total["within"] >= LEAST_WITHIN * total["compared"] > 0
    ok = ok and excluded <= MOST_EXCLUDED * (total["onsets"] + total["endless"]) and all(row["compared"] > 0 for row in rows)
    text = f"{total['within']} of {total['compared']} drops within 1e-4; of {total['onsets']} with an onset {total['kinked']} have ties or switches, {total['grazing']} graze; {total['endless']} have onsets without end, {total['failed']} fail"
    return ok, text, [str(row) for row in rows]


ONSET = "a ball on a plane, solimp and solref of the billiard, the default and the toss: dz/dv0 and dv/dv0 within 1e-5 of a reference in 113-bit numbers at tolerance 1e-10"
RANDOM_DROPS = "derivative of 0.2 s through an onset within 1e-4 of differences at 99 % of those without ties or switches whose graze_margin exceeds what the stencil moves, at most 10 % excluded"


def onset_result(context, count):
    rows = ball_rows(context)
    ball_ok, ball = ball_result(rows)
    drop_ok, drops, lines = drop_result(context, DROPPED, count)
    return Result(ball_ok and drop_ok, f"{ball}; {drops}", [*map(str, rows), *lines])


@check("adaptive-onset", bar=f"{ONSET}; {4 * DROPS} random drops of humanoid, quadruped, box, pendulum with limits: {RANDOM_DROPS}", slow=True)
def onset(context):
    return onset_result(context, DROPS)


@check("adaptive-onset-sample", bar=f"{ONSET}; 20 random drops: {RANDOM_DROPS}")
def onset_sample(context):
    return onset_result(context, 5)


# --- The cube --------------------------------------------------------------------------------------------------------

LOSS, SLOPE = -0.260896, 0.5758
# By whom and with which setting: most error of loss and of slope.
CUBE = {("tsit5", 1e-8): (2e-6, 5e-4), ("tsit5", 1e-10): (2e-6, 2e-4), ("mujoco_rk4", 1e-5): (1e-5, 2e-3)}


@check("adaptive-cube", bar="DiffMJX's cube at -2 m/s: loss -0.260896 within 2e-6 and slope 0.5758 within 5e-4 at 1e-8, within 2e-4 at 1e-10; MuJoCo's RK4 at 1e-5 s in the same run within 1e-5 and 2e-3", slow=True)
def cube(context):
    found = reproduce(context, "diffmjx-cost")["tactus"]
    if not found["mujoco_rk4"]:
        raise CannotRun("MuJoCo is not installed: ./dev peers")
    rows = {(by, setting): next(row for row in found[by] if row["setting"] == setting) for by, setting in CUBE}
    ok = all(abs(rows[key]["loss"] - LOSS) <= loss and abs(rows[key]["slope"] - SLOPE) <= slope for key, (loss, slope) in CUBE.items())
    text = "; ".join(f"{by} {setting:g}: {row['loss']:.7f}, {row['slope']:.5f}" for (by, setting), row in rows.items())
    return Result(ok, text)
