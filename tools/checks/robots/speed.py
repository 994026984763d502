"""Times: beside MuJoCo in one run, and how they grow with the size of the robot."""

from checks.registry import Failed, Result, check
from checks.times import bench_rows_of, number

ROBOTS = ["models/humanoid.xml", "models/atlas.xml", "models/panda.xml"]
RNEA_RATIO = 1.5
CRBA_RATIO = 1.0
ABA_EXPONENT = 1.1
TOL_SAME_ANSWER = 1e-9  # a fast wrong answer is no answer


def robot_rows(context):
    head, *rows = bench_rows_of(context, "bench_robots", *ROBOTS)
    return [dict(zip(head, row, strict=True)) for row in rows]


def ratio_result(context, what, bar):
    rows = [row for row in context.once("speed", robot_rows) if row["what"] == what]
    if len(rows) != len(ROBOTS):
        raise Failed(f"bench_robots: {len(rows)} rows of {what}, expected {len(ROBOTS)}")
    ratios = {row["model"].split("/")[-1]: number(row["ratio"]) for row in rows}
    error = max(number(row["error"]) for row in rows)
    lines = [f"{row['model']:24} {row['us_tactus']} us, MuJoCo {row['us_peer']} us, error {row['error']}" for row in rows]
    figure = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()) + f"; error {error:.0e}"
    return Result(max(ratios.values()) <= bar and error <= TOL_SAME_ANSWER, figure, lines)


@check("robots-speed-rnea", bar="kinematics plus rnea at most 1.5 times MuJoCo's, humanoid, atlas, panda")
def speed_rnea(context):
    return ratio_result(context, "kinematics_rnea", RNEA_RATIO)


@check("robots-speed-crba", bar="crba with factorization at most 1.0 times MuJoCo's, humanoid, atlas, panda")
def speed_crba(context):
    return ratio_result(context, "crba_factor", CRBA_RATIO)


@check("robots-aba-exponent", bar="aba of chains of 4 to 1024 links grows with an exponent below 1.1")
def aba_exponent(context):
    rows = bench_rows_of(context, "bench_chain")
    exponent = next(float(row[1]) for row in rows if row[0] == "exponent")
    return Result(exponent < ABA_EXPONENT, f"exponent {exponent:.3f}", [" ".join(row) for row in rows])
