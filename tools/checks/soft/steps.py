"""Steps of contact soft: random models, memory, bits, bad input, and time beside mj_step."""

from checks.contact.speed import all_solved, box_growth, box_rows, robot_checks
from checks.contact.steps import bad_input_check, bits_check, no_alloc_check, random_check
from checks.models import our_models
from checks.registry import Result, check

# --- Random models, memory, bits, bad input --------------------------------------------------------------------------


def moved_models():
    return [*our_models(), *(f"test/data/{name}.xml" for name in ("box_pile", "stone_pile", "soft_terms"))]


random_check("soft")
no_alloc_check("soft", moved_models)
bits_check("soft", moved_models)
bad_input_check("soft", "solref and solimp out of range, zero and negative friction, margins, contradictory equalities, redundant loops, mass ratios of 1e6: defined results, residual reported; a failed step leaves the caller's state untouched", "test_soft_bad_input")


# --- Time ------------------------------------------------------------------------------------------------------------

ROBOTS = ("humanoid", "quadruped", "ant", "half_cheetah", "four_bar")
robot_checks("soft", ROBOTS, ("humanoid", "quadruped", "panda_box"), (1.0, 2.0), ("--integrator", "euler"))

BOX_RATIO = 1.0


@check("soft-speed-boxes", bar="256 boxes apart at most 1.0 and a pile of 64 at most 1.0 times MuJoCo's step; stacks shown", slow=True)
def speed_boxes(context):
    scenes = {scene: box_rows(context, "soft", scene, most) for scene, most in {"apart": 256, "pile": 64, "stacks": 64}.items()}
    apart, pile, stacks = (float(scenes[scene][most]["ratio"]) for scene, most in (("apart", 256), ("pile", 64), ("stacks", 64)))
    time, exponent = box_growth(scenes["apart"], 256)
    figure = f"256 apart {apart:.2f} of MuJoCo's step ({time:.0f} us, exponent {exponent:.2f}), pile of 64 {pile:.2f}, stacks of 64 {stacks:.2f}"
    ok = apart <= BOX_RATIO and pile <= BOX_RATIO and all(all_solved(rows) for rows in scenes.values())
    return Result(ok, figure, [str(row) for rows in scenes.values() for row in rows.values()])
