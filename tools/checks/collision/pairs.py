"""Collision: distances, contacts, their derivatives and the time of impact."""

import re

from checks.evidence import document
from checks.registry import CannotRun, Result, check
from checks.times import bench_rows_of
from checks.unit import unit_check, unit_tests

PAIRS = 100_000
ALIGNED = 20_000  # besides: axes and centres in line, exactly or nearly, and often the same sizes


def shown(number):
    """None is what the programs print for what is not finite."""
    return "inf" if number is None else f"{number:.1e}"


@check(
    "collision-distance",
    bar=f"{PAIRS} random pairs of every kind and {ALIGNED} aligned ones agree with the slow method: 1e-9 of the size, 1e-7 for curved pairs; no hang",
    slow=True,
)
def distance(context):
    got = document(context, "evidence_distance", PAIRS, ALIGNED)
    lines = [
        f"{row['kind']:20} {row['pairs']:5} pairs, {row['failed']} fail, distance {shown(row['dist'])}, points {shown(row['point'])}, slowest {row['slowest_us']:.0f} us"
        for row in got["kinds"]
    ]
    lines += [f"seed {case['case']['seed']} {case['case']['kind']}: {case['errors']}" for case in got["cases"]]
    figure = f"{got['failed']} of {got['pairs']} fail, {got['undecided']} undecided, worst {shown(got['worst_exact'])}, curved {shown(got['worst_curved'])}, {got['hangs']} hangs"
    return Result(got["failed"] == 0 and got["undecided"] == 0 and got["pairs"] == PAIRS + ALIGNED, figure, lines)


MOTIONS = 10_000


@check(
    "collision-impact",
    bar=f"{MOTIONS} random motions of random pairs: no impact missed, time right to 1e-9 of the step, derivative to 1e-5",
    slow=True,
)
def impact(context):
    got = document(context, "evidence_impact", MOTIONS)
    good = got["motions"] == MOTIONS and not any(got[key] for key in ("missed", "undecided", "wrong_time", "wrong_derivative"))
    # every impact is either checked or switches, and next to none only grazes
    good = good and got["checked"] + got["switching"] == got["hits"] and got["grazing"] <= got["hits"] // 100
    figure = f"{got['hits']} impacts ({got['grazing']} graze), {got['missed']} missed, {got['undecided']} undecided, time {shown(got['worst_time'])} of the step"
    figure += f", derivative {shown(got['worst_derivative'])} on {got['checked']} ({got['switching']} switch), at most {got['most_steps']} steps"
    return Result(good and got["checked"] > MOTIONS // 4, figure, [str(case) for case in got["cases"]])


unit_check(
    "collision-stability",
    "a box resting and sliding slowly on a box, 1000 frames: points move continuously, none comes or goes but where features change",
    "test_stability",
    "sliding",
)


CONFIGURATIONS = 10_000


@check(
    "collision-derivatives",
    bar=f"{CONFIGURATIONS} random configurations of every kind of pair, twists, sizes and corners: 99.9 % of those with constant features within 1e-6 of differences, at most 5 % switch, each flagged",
    slow=True,
)
def derivatives(context):
    got = document(context, "evidence_collide_deriv", CONFIGURATIONS)
    good = got["configurations"] == CONFIGURATIONS and got["without_touch"] == 0
    good = good and got["share_within"] >= 0.999 and got["share_switching"] <= 0.05 and got["unflagged"] == 0
    figure = f"{got['within']} of {got['constant']} within {got['tol']:g}, worst {shown(got['worst'])}, {got['touches']} touches, {got['columns']} columns"
    figure += f", {got['switching']} switch, {got['unflagged']} of them unflagged"
    lines = [
        f"{row['kind']:20} {row['configurations']:4} configurations, {row['touches']} touches, worst {shown(row['worst'])}, {row['switching']} switch, {row['unflagged']} unflagged"
        for row in got["kinds"]
    ]
    return Result(good, figure, lines + [str(case) for case in got["failures"]])


@check("collision-bad-input", bar="zero sizes, coincident centres, deep overlap, 1e6 apart, 1e-6 small, NaN poses, meshes without volume: a defined answer or a named error")
def bad_input(context):
    tests = unit_tests(context, "test_bad_input")
    if not tests:
        raise CannotRun("test_bad_input ran no test")
    lines = [line for _, (_, printed) in tests.items() for line in printed]
    found = [re.search(r": (\d+) pairs, (\d+) not exact", line) for line in lines]
    pairs, missed = (sum(int(match.group(i)) for match in found if match) for i in (1, 2))
    failed = [name for name, (ok, _) in tests.items() if not ok]
    figure = f"{len(tests) - len(failed)} of {len(tests)} tests pass; {pairs} pairs, all defined, {missed} not exact to 1e-7"
    return Result(not failed and pairs > 10_000, figure, failed + lines)


GJK_SIZES = ["20", "100", "1000"]
GJK_COLD = 1.0
GJK_WARM = 0.5
GJK_ERROR = 1e-12  # between the proved bounds of the distances that were timed, of the larger radius
GJK_RUNS = 3  # of which the quietest counts


def gjk_rows(context):
    """{what: {corners: row}}, of each row the run with the least ratio."""
    table = {}
    for _ in range(GJK_RUNS):
        head, *rows = bench_rows_of(context, "bench_collide", "gjk")
        for row in (dict(zip(head, row, strict=True)) for row in rows):
            if row["ratio"] == "":
                raise CannotRun("bench_collide was built without libccd (./dev peers installs it; ./dev bench and ./dev verify build it)")
            sizes = table.setdefault(row["what"], {})
            if row["corners"] not in sizes or float(row["ratio"]) < float(sizes[row["corners"]]["ratio"]):
                sizes[row["corners"]] = row
    return table


@check(
    "collision-speed-gjk",
    bar="GJK on hulls of 20, 100, 1000 corners, same support function as libccd: cold at most 1.0 of its time (apart or overlapping), warm at most 0.5",
)
def speed_gjk(context):
    # libccd 2.1 says whether shapes overlap, not how far they are apart. Cold is that same question to both; warm is our
    # whole distance against its yes or no, and so is the cold distance, which has no bar.
    table = context.once("gjk", gjk_rows)
    ratios = {what: [float(table[what][n]["ratio"]) for n in GJK_SIZES] for what in ("gjk-apart", "gjk-overlap", "gjk-warm", "gjk-cold", "depth")}
    error = max(float(table[what][n]["error"]) for what in ("gjk-cold", "gjk-warm") for n in GJK_SIZES)
    ok = max(ratios["gjk-apart"] + ratios["gjk-overlap"]) <= GJK_COLD and max(ratios["gjk-warm"]) <= GJK_WARM and error <= GJK_ERROR
    shown_as = {"gjk-apart": "cold, apart", "gjk-overlap": "cold, overlapping", "gjk-warm": "warm", "gjk-cold": "cold distance", "depth": "depth"}
    figure = "; ".join(f"{shown_as[what]} {' '.join(f'{value:.2f}' for value in values)}" for what, values in ratios.items())
    lines = [" ".join(f"{key} {value}" for key, value in row.items() if value) for sizes in table.values() for row in sizes.values()]
    return Result(ok, f"{figure}; error {error:.0e}", lines)
