"""Steps in contact beside mj_step, in one run, for every contact model: robots, and boxes on a floor."""

import math
import os

from checks.registry import ROOT, CannotRun, Result, check
from checks.times import RUNS, bench_rows_of, on_one_core

TOL_DERIVATIVE = 1e-6  # of A and B, in the run that is timed
BOX_RUNS = 3  # of which each row's quickest counts

# --- The panda with a box --------------------------------------------------------------------------------------------

# A box of 5 kg beside the panda's low, turned hand, which sweeps towards it: the fingers' faces push it over the floor.
BOX = (
    '<body name="box" pos="0.52 0.0515 0.04"><freejoint/>'
    '<geom type="box" size="0.06 0.04 0.04" mass="5" friction="0.4" priority="1"/></body>'
)
ARM = "0.45 0 -2.3 0 2.75 -0.785398163397448"  # joints 2 to 7
SWEEP = 0.3  # rad: how far joint 1 is asked to turn
PUSH = f'<key name="push" qpos="0 {ARM} 0.02 0.02 0.52 0.0515 0.04 1 0 0 0" ctrl="{SWEEP} {ARM} 0.02"/>'


def panda_with(context, name, body, key=""):
    """A file of that name: models/panda.xml, which has no box, with a body and a keyframe in the place of its own."""
    text = (ROOT / "models" / "panda.xml").read_text(encoding="utf-8")
    head, _, rest = text.partition("<keyframe>")
    tail = rest.partition("</keyframe>")[2]
    keyframe = f"<keyframe>{key}</keyframe>" if key else ""
    path = context.scratch / f"{name}.xml"
    path.write_text((head + keyframe + tail).replace("</worldbody>", body + "</worldbody>"), encoding="utf-8")
    return path


def panda_with_box(context):
    return panda_with(context, "panda_box", BOX, PUSH)


# --- Robots ----------------------------------------------------------------------------------------------------------


def quickest(best, name, row, key):
    """Keeps the row with the least time under its name."""
    if name not in best or float(row[key]) < float(best[name][key]):
        best[name] = row


def robot_rows(context, robots, options):
    """{robot: its row of the run in which our step was quickest}"""
    best = {}
    for models in [robots, [panda_with_box(context), "--key", "push"]] * RUNS:
        command = [context.tactus, "bench", *models, *options, "--seconds", 2, "--allow-unsolved", 64, "--json"]
        for row in context.json_from(*on_one_core(command))["rows"]:
            quickest(best, os.path.basename(row["model"]).split(".")[0], row, "us_step")
    if not all(row["us_peer"] for row in best.values()):
        raise CannotRun("MuJoCo is not installed: ./dev peers")
    return best


def robot_lines(table):
    return [
        f"{name:12} step {row['us_step']:.1f} us, with A and B {row['us_jac']:.1f}, reverse {row['us_vjp']:.1f}, mj_step {row['us_peer']:.1f}, mjd_transitionFD centred {row['us_peer_fd']:.0f} ({row['us_peer_fd'] / row['us_jac']:.0f} times our A and B); contacts {row['contacts']:.1f}, MuJoCo's {row['contacts_peer']:.1f}; error of A and B {row['derivative_error']:.0e}"
        for name, row in table.items()
    ]


def robot_result(table, named, key, bar):
    """named: robots whose ratios count; the others are shown."""
    ratios = {name: row[key] / row["us_peer"] for name, row in table.items()}
    error = max(row["derivative_error"] for row in table.values())
    touching = min(table[name]["contacts"] for name in named)
    ok = max(ratios[name] for name in named) <= bar and error <= TOL_DERIVATIVE and touching > 0
    return Result(ok, ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()) + f"; error {error:.0e}", robot_lines(table))


def robot_checks(contact, robots, named, bars, options=()):
    """Checks CONTACT-speed-step and -jac on robots; bars: at most how many times mj_step each may take."""
    files = [f"models/{name}.xml" for name in robots]
    words = ", ".join("panda pushing a box" if name == "panda_box" else name for name in named)

    def register(name, what, key, bar):
        @check(f"{contact}-speed-{name}", bar=f"{what} in contact at most {bar} times mj_step: {words}", slow=True)
        def run(context):
            table = context.once(f"{contact}-speed", lambda _: robot_rows(context, files, ["--contact", contact, *options]))
            return robot_result(table, named, key, bar)

    register("step", "step", "us_step", bars[0])
    register("jac", "step with A and B", "us_jac", bars[1])


# --- Boxes -----------------------------------------------------------------------------------------------------------


def box_rows(context, *arguments):
    """{number of boxes: its row of the run in which our step was quickest}"""
    best = {}
    for _ in range(BOX_RUNS):
        head, *rows = bench_rows_of(context, "bench_boxes", *arguments)
        for row in (dict(zip(head, row, strict=True)) for row in rows):
            quickest(best, int(row["boxes"]), row, "us_tactus")
    return best


def box_growth(rows, most):
    """-> (time of the step with `most` boxes, exponent of its growth from one box)"""
    times = {count: float(row["us_tactus"]) for count, row in rows.items()}
    return times[most], math.log(times[most] / times[1]) / math.log(most)


def all_solved(rows):
    return all(row["status"] == "0" for row in rows.values())
