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
# A box of 5 kg beside the panda's low, turned hand, which sweeps towards it: the fingers' faces push it over the floor.
BOX = (
    '<body name="box" pos="0.52 0.0515 0.04"><freejoint/>'
    '<geom type="box" size="0.06 0.04 0.04" mass="5" friction="0.4" priority="1"/></body>'
)
ARM = "0.45 0 -2.3 0 2.75 -0.785398163397448"  # joints 2 to 7
SWEEP = 0.3  # rad: how far joint 1 is asked to turn


def panda_with_box(context):
    text = (ROOT / "models" / "panda.xml").read_text(encoding="utf-8")
    head = text[: text.index("<keyframe>")].replace("</worldbody>", BOX + "</worldbody>")
    start = f"0 {ARM} 0.02 0.02 0.52 0.0515 0.04 1 0 0 0"
    key = f'<keyframe><key name="push" qpos="{start}" ctrl="{SWEEP} {ARM} 0.02"/></keyframe></mujoco>'
    path = context.scratch / "panda_box.xml"
    path.write_text(head + key, encoding="utf-8")
    return path


def robot_rows(context):
    """{robot: its row of the run in which our step was quickest}"""
    best = {}
    runs = [ROBOTS, [panda_with_box(context), "--key", "push"]]
    for models in runs * RUNS:
        command = [context.tactus, "bench", *models, "--contact", "lcp", "--seconds", 2, "--json"]
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


@check("lcp-speed-step", bar="step in contact at most 1.5 times mj_step: humanoid, atlas, quadruped, panda pushing a box", slow=True)
def speed_step(context):
    return speed_result(context, "us_step", STEP_RATIO)


@check("lcp-speed-jac", bar="step with A and B in contact at most 2.5 times mj_step: humanoid, atlas, quadruped, panda pushing a box", slow=True)
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


DART_ROBOTS = ["half_cheetah", "ant", "quadruped", "humanoid", "atlas"]


@check("lcp-speed-dart", bar="step in contact beside DART's and MuJoCo's in one run, quicker than DART's on every robot", slow=True)
def speed_dart(context):
    robots = [ROOT / "models" / f"{name}.xml" for name in DART_ROBOTS]
    rows = []
    for arguments in (robots, ["-s", "5", panda_with_box(context)]):
        head, *lines = pinned(context, "bench_contact", *arguments)
        rows += [dict(zip(head, line, strict=True)) for line in lines]
    if not all(row["us_dart"] and row["us_mujoco"] for row in rows):
        raise CannotRun("a peer is not installed, or was not built in: ./dev peers, ./dev bench")
    table = {os.path.basename(row["model"]).split(".")[0]: row for row in rows}
    ratios = {name: float(row["us_step"]) / float(row["us_dart"]) for name, row in table.items()}
    lines = [
        f"{name:12} step {row['us_step']} us, with A and B {row['us_jac']}, reverse {row['us_vjp']}; MuJoCo {row['mujoco']} {row['us_mujoco']}, DART {row['dart']} {row['us_dart']}; contacts {row['contacts']}, {row['contacts_mujoco']}, {row['contacts_dart']}"
        for name, row in table.items()
    ]
    return Result(max(ratios.values()) < 1, "of DART's step: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()), lines)
