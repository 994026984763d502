"""The time of contact ncp beside that of the version before its solver was rewritten."""

import statistics

from checks.before import ROUNDS, speed_lines, speed_ratios
from checks.registry import Result, check

BEFORE = "37aba62"
# Most of the time before that a step, and a step with A and B, may take.
STEP = 0.6
JACOBIAN = {"humanoid": 0.4, "atlas": 0.4, "quadruped": 0.6, "ant": 0.6}


def bar_of(robot, piece):
    return STEP if piece == "step" else JACOBIAN[robot]


@check(
    "exact-solver",
    bar=f"contact ncp: a step takes at most {STEP} of the time before, with A and B {JACOBIAN['humanoid']} (humanoid, atlas) or {JACOBIAN['ant']} (quadruped, ant): median of {ROUNDS} rounds, interleaved, thread CPU time",
    slow=True,
)
def solver(context):
    ratios = speed_ratios(context, BEFORE, list(JACOBIAN), ["ncp"], ["step", "jac"])
    medians = {(robot, piece): statistics.median(values) for (robot, _, piece), values in ratios.items()}
    ok = all(value <= bar_of(*key) for key, value in medians.items())
    parts = [f"{piece} " + ", ".join(f"{robot} {medians[robot, piece]:.2f}" for robot in JACOBIAN) for piece in ("step", "jac")]
    return Result(ok, "; ".join(parts), speed_lines(ratios))
