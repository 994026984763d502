"""Steps of contact lcp beside mj_step, in one run: robots in contact, and boxes on a floor; and beside DART's."""

import os

from checks.contact.speed import all_solved, box_growth, box_rows, panda_with_box, robot_checks
from checks.registry import ROOT, CannotRun, Result, check
from checks.times import bench_rows_of

ROBOTS = ("humanoid", "atlas", "quadruped")
robot_checks("lcp", ROBOTS, (*ROBOTS, "panda_box"), (1.5, 2.5))

BOX_RATIO = 1.5
BOX_EXPONENT = 1.3
MOST_BOXES = 256


@check("lcp-speed-boxes", bar="256 boxes apart at most 1.5 times mj_step; growth from 1 to 256 boxes with an exponent below 1.3", slow=True)
def speed_boxes(context):
    rows = box_rows(context, "apart")
    ratio = float(rows[MOST_BOXES]["ratio"])
    time, exponent = box_growth(rows, MOST_BOXES)
    figure = f"{ratio:.2f} of mj_step at {MOST_BOXES} boxes ({time:.0f} us), exponent {exponent:.2f}"
    return Result(ratio <= BOX_RATIO and exponent < BOX_EXPONENT and all_solved(rows), figure, [str(row) for row in rows.values()])


DART_ROBOTS = ["half_cheetah", "ant", "quadruped", "humanoid", "atlas"]


@check("lcp-speed-dart", bar="step in contact beside DART's and MuJoCo's in one run, quicker than DART's on every robot", slow=True)
def speed_dart(context):
    robots = [ROOT / "models" / f"{name}.xml" for name in DART_ROBOTS]
    rows = []
    for arguments in (robots, ["-s", "5", panda_with_box(context)]):
        head, *lines = bench_rows_of(context, "bench_contact", *arguments)
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
