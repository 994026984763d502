"""Steps of contact lcp beside mj_step, in one run: robots in contact, and boxes on a floor."""

import math
import os

from checks.gradients import RUNS
from checks.gradients import pinned as pinned_command
from checks.registry import ROOT, CannotRun, Result, check
from checks.speed import pinned

STEP_RATIO = 1.5
JAC_RATIO = 2.5
TOL_DERIVATIVE = 1e-6  # of A and B, in the run that is timed
BOX_RATIO = 1.5
BOX_EXPONENT = 1.3
BOX_RUNS = 3
MOST_BOXES = 256

ROBOTS = ["models/humanoid.xml", "models/atlas.xml", "models/quadruped.xml"]
BOX = '<body name="box" pos="0.5 0.02 0.03"><freejoint/><geom type="box" size="0.03 0.03 0.03" mass="0.2"/></body>'


def panda_with_box(context):
    """The panda, its hand low beside a box on the floor."""
    text = (ROOT / "models" / "panda.xml").read_text(encoding="utf-8")
    head = text[: text.index("<keyframe>")].replace("</worldbody>", BOX + "</worldbody>")
    low = "0 0.35 0 -2.5 0 2.85 0.785398163397448"
    key = f'<keyframe><key qpos="{low} 0.02 0.02 0.5 0.02 0.03 1 0 0 0" ctrl="{low} 0.02"/></keyframe></mujoco>'
    path = context.scratch / "panda_box.xml"
    path.write_text(head + key, encoding="utf-8")
    return path


def robot_rows(context):
    """{robot: its row of the run in which our step was quickest}"""
    best = {}
    for _ in range(RUNS):
        command = [context.tactus, "bench", *ROBOTS, panda_with_box(context), "--contact", "lcp", "--seconds", 2, "--json"]
        for row in context.json_from(*pinned_command(command))["rows"]:
            name = os.path.basename(row["model"]).split(".")[0]
            if name not in best or row["us_step"] < best[name]["us_step"]:
                best[name] = row
    if not all(row["us_peer"] for row in best.values()):
        raise CannotRun("MuJoCo is not installed: ./dev peers")
    return best


def robot_lines(table):
    return [
        f"{name:12} step {row['us_step']:.1f} us, with A and B {row['us_jac']:.1f}, reverse {row['us_vjp']:.1f}, mj_step {row['us_peer']:.1f}, mjd_transitionFD centred {row['us_peer_fd']:.0f} ({row['us_peer_fd'] / row['us_jac']:.0f} times our A and B); contacts {row['contacts']:.1f}, MuJoCo's {row['contacts_peer']:.1f}; error of A and B {row['derivative_error']:.0e}"
        for name, row in table.items()
    ]


def speed_result(context, key, bar):
    table = context.once("lcp-speed", robot_rows)
    ratios = {name: row[key] / row["us_peer"] for name, row in table.items()}
    error = max(row["derivative_error"] for row in table.values())
    touching = min(row["contacts"] for row in table.values())
    ok = max(ratios.values()) <= bar and error <= TOL_DERIVATIVE and touching > 0
    return Result(ok, ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()) + f"; error {error:.0e}", robot_lines(table))


@check("lcp-speed-step", bar="step in contact at most 1.5 times mj_step: humanoid, atlas, quadruped, panda with a box", slow=True)
def speed_step(context):
    return speed_result(context, "us_step", STEP_RATIO)


@check("lcp-speed-jac", bar="step with A and B in contact at most 2.5 times mj_step: humanoid, atlas, quadruped, panda with a box", slow=True)
def speed_jac(context):
    return speed_result(context, "us_jac", JAC_RATIO)


@check("lcp-speed-boxes", bar="256 boxes apart at most 1.5 times mj_step; growth from 1 to 256 boxes with an exponent below 1.3", slow=True)
def speed_boxes(context):
    best = {}
    for _ in range(BOX_RUNS):
        head, *rows = pinned(context, "bench_boxes", "apart")
        for row in (dict(zip(head, row, strict=True)) for row in rows):
            count = int(row["boxes"])
            if count not in best or float(row["us_tactus"]) < float(best[count]["us_tactus"]):
                best[count] = row
    times = {count: float(row["us_tactus"]) for count, row in best.items()}
    ratio = float(best[MOST_BOXES]["ratio"])
    exponent = math.log(times[MOST_BOXES] / times[1]) / math.log(MOST_BOXES)
    solved = all(row["status"] == "0" for row in best.values())
    figure = f"{ratio:.2f} of mj_step at {MOST_BOXES} boxes ({times[MOST_BOXES]:.0f} us), exponent {exponent:.2f}"
    return Result(ratio <= BOX_RATIO and exponent < BOX_EXPONENT and solved, figure, [str(row) for row in best.values()])
