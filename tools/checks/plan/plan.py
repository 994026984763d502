"""Planning: quantities and norms, linear-quadratic problems, gradients, bits, memory, speed, poses, the experiments."""

from checks.builds import built_with
from checks.evidence import json_lines, parsed_lines
from checks.experiments.papers import reproduce
from checks.registry import Result, check

BAR_TERMS = 1e-7
BAR_NORMS = 1e-7
BAR_GRADIENT = 1e-10
RATIOS = {"hopper": 4, "quadruped": 6, "humanoid": 8}
BAR_SHARE = 0.75
BAR_EXPONENT = 1.1
STATES, PROBLEMS, TARGETS = 30, 1000, 1000  # a thousand states take an hour
NORMS = 8
MOST_SKIPPED = 0.1
TABLE = ("dojo-plan-box-right", "dojo-plan-box-up", "dojo-plan-hopper", "dojo-plan-quadruped")
EXPERIMENTS = (*TABLE, "dojo-plan-cartpole", "plan-minimum-time", "plan-robust")
TABLE_SECONDS = 10


def terms(context, states):
    rows = json_lines(context, "evidence_plan", "terms", states, rows=3)
    norms = json_lines(context, "evidence_plan", "norms", rows=NORMS)
    worst = max(row["error"] for row in rows)
    steep = max(row["error"] for row in norms)
    ok = worst <= BAR_TERMS and steep <= BAR_NORMS and all(row["skipped"] <= MOST_SKIPPED * row["checked"] for row in rows)
    lines = [f"{row['model']:9} {row['terms']} terms at {row['states']} states: {row['error']:.1e} ({row['worst']}), {row['checked']} derivatives, {row['skipped']} at kinks" for row in rows]
    return Result(ok, f"derivatives {worst:.1e}, norms {steep:.1e}", lines)


@check("plan-terms", bar="derivatives of every quantity and Hessians of every norm against Ridders' differences at 30 random states each of ant, humanoid, panda: 1e-7", slow=True)
def all_terms(context):
    return terms(context, STATES)


@check("plan-lqr", bar="1000 random linear-quadratic problems: one iteration within 1e-10 of the Riccati solution")
def linear(context):
    row = json_lines(context, "evidence_plan", "lqr", PROBLEMS, rows=1)[0]
    return Result(row["good"] == row["problems"], f"{row['good']} of {row['problems']}, {row['error']:.1e}")


@check("plan-gradient", bar="the gradient of the replayed cost equals that of tac_rollout_vjp to 1e-10: lcp, ncp, soft")
def gradient(context):
    rows = json_lines(context, "evidence_plan", "gradient", rows=6)
    worst = max(row["error"] for row in rows)
    return Result(worst <= BAR_GRADIENT, f"{worst:.1e}", [f"{row['model']:9} {row['contact']:4} {row['error']:.1e}" for row in rows])


@check("plan-bits", bar="one result for 1 and 2 threads, with and without stops in between, gcc and clang", slow=True)
def bits(context):
    rows = json_lines(context, "evidence_plan", "bits", rows=4)
    other = parsed_lines("evidence_plan, clang-O2", context.run(built_with(context, "clang-O2", "evidence_plan"), "bits"), 4)
    good = [a["same_threads"] and a["same_pieces"] and a["hash"] == b["hash"] for a, b in zip(rows, other, strict=True)]
    lines = [f"{row['model']:9} {row['contact']:4} {row['hash']}: {'same' if ok else 'DIFFERS'}" for row, ok in zip(rows, good, strict=True)]
    return Result(all(good), f"{sum(good)} of {len(good)}", lines)


@check("plan-alloc", bar="nothing is allocated while a planner iterates")
def allocations(context):
    rows = json_lines(context, "evidence_plan", "alloc", rows=3)
    total = sum(row["allocations"] for row in rows)
    return Result(total == 0, f"{total} allocations")


@check("plan-speed", bar="derivatives, backward pass and a rollout at least 4 (hopper), 6 (quadruped), 8 (humanoid) times as fast as with differences; 75 % of the quadruped's time in steps and derivatives; exponent in steps below 1.1", slow=True)
def speed(context):
    rows = json_lines(context, "evidence_plan", "speed", rows=4)
    ratios, growth = rows[:3], rows[3]
    share = next(row["share"] for row in ratios if row["model"] == "quadruped")
    ok = all(row["ratio"] >= RATIOS[row["model"]] for row in ratios) and share >= BAR_SHARE and growth["exponent"] < BAR_EXPONENT
    figure = ", ".join(f"{row['model']} {row['ratio']:.1f}" for row in ratios)
    lines = [f"{row['model']:9} {row['contact']:4} derivatives {1e3 * row['jac']:.2f} ms, by differences {1e3 * row['differences']:.2f} ms, backward {1e3 * row['backward']:.2f} ms, rollout {1e3 * row['rollout']:.2f} ms" for row in ratios]
    return Result(ok, f"{figure}; share {share:.2f}; exponent {growth['exponent']:.2f}", lines)


@check("plan-pose", bar="inverse kinematics of panda and atlas at 1000 reachable targets: 99 % to 1e-8; equilibria of the quadruped at 100 poses: accelerations below 1e-8; regulators within 1e-9; torques for accelerations: forward of inverse within 1e-9 (soft), forces inside their cones (lcp, ncp)", slow=True)
def pose(context):
    rows = json_lines(context, "evidence_plan", "pose", TARGETS, rows=7)
    need = {"panda": 0.99, "atlas": 0.99, "equilibria": 1, "regulators": 1, "inverse lcp": 1, "inverse ncp": 1, "inverse soft": 1}
    ok = all(row["good"] >= need[row["case"]] * row["trials"] for row in rows)
    return Result(ok, ", ".join(f"{row['case']} {row['good']} of {row['trials']}" for row in rows))


@check("plan-experiments", bar=f"the experiments {', '.join(EXPERIMENTS)} hold; Table III's four rows together under {TABLE_SECONDS} s", slow=True)
def experiments(context):
    found = {name: reproduce(context, name) for name in EXPERIMENTS}
    seconds = sum(found[name]["tactus"]["seconds"] for name in TABLE)
    held = [name for name in EXPERIMENTS if found[name]["pass"] is True]
    lines = [f"{name}: {found[name]['tactus']}" for name in EXPERIMENTS]
    return Result(len(held) == len(EXPERIMENTS) and seconds < TABLE_SECONDS, f"{len(held)} of {len(EXPERIMENTS)} hold; Table III in {seconds:.1f} s", lines)
