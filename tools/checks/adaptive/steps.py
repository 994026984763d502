"""Error-controlled steps: random models, memory, bits, bad input, time."""

from checks.builds import COMPILERS, built_with
from checks.contact.speed import panda_with_box
from checks.contact.steps import bad_input_check
from checks.evidence import MINUTES, document, ranges, side_by_side
from checks.registry import CannotRun, Result, check
from checks.times import bench_rows_of

# --- Random models ---------------------------------------------------------------------------------------------------

RANDOM_MODELS = 1000
RANDOM_PARTS = 20
BITS_MODELS = 10
COUNTS = ("models", "steps", "in_contact", "events", "nonfinite", "above", "failed", "changed", "allocations", "differing", "inner")


def random_result(context, count, parts):
    def part(first, last):
        return document(context, "evidence_adaptive_random", first, last, seconds=120 * MINUTES)

    rows = side_by_side(part, ranges(count, parts))
    total = {key: sum(row[key] for row in rows) for key in COUNTS}
    bad = sum(total[key] for key in ("nonfinite", "above", "changed", "allocations", "differing"))
    counted = all(row["counted"] > 0 for row in rows)
    text = f"{total['models']} models, {total['steps']} steps, {total['inner']} inner, {total['in_contact']} in contact, {total['events']} events; {total['nonfinite']} not finite, {total['above']} estimates above 1, {total['failed']} steps end in a status ({total['changed']} change the state), {total['allocations']} allocations (the counter works: {counted}), {total['differing']} differ on two threads"
    return total, bad, counted, text, [str(case) for row in rows for case in row["cases"]]


def bits_of(context, name):
    done = context.run(built_with(context, name, "evidence_adaptive_random"), 1, BITS_MODELS, seconds=60 * MINUTES)
    if done.returncode not in (0, 1):
        raise CannotRun(f"{name}: exit {done.returncode}")
    return done.stdout.partition('"bits":"')[2].partition('"')[0]


WHAT = "random models x 200 outer steps at 1e-6: no non-finite number, no status OK with an error estimate above 1, a failed step leaves the state; zero allocations; same bits on 1 and 2 threads"


@check("adaptive-random", bar=f"{RANDOM_MODELS} {WHAT}, and by gcc and clang, -O0 and -O2", slow=True)
def random_models(context):
    total, bad, counted, text, lines = random_result(context, RANDOM_MODELS, RANDOM_PARTS)
    bits = {name: bits_of(context, name) for name in COMPILERS}
    same = len(set(bits.values())) == 1 and "" not in bits.values()
    ok = total["models"] == RANDOM_MODELS and bad == 0 and counted and total["in_contact"] > 0 and same
    return Result(ok, f"{text}; {len(bits)} builds, {len(set(bits.values()))} hash", lines + [str(bits)])


@check("adaptive-random-sample", bar=f"20 {WHAT}")
def random_sample(context):
    total, bad, counted, text, lines = random_result(context, 20, 2)
    return Result(total["models"] == 20 and bad == 0 and counted and total["in_contact"] > 0, text, lines)


bad_input_check("adaptive", "tolerances out of range, inner_max 0, NaN: named errors; used up steps, events and step sizes, overflow: a status with time and constraint, the state untouched; grazing, resting, sliding, stacked, wedged starts, touching to rounding, 1e-6 to 10 s", "test_adaptive_bad_input")

# --- Time ------------------------------------------------------------------------------------------------------------

BOXES = "64"
CUBE = "experiments/scenes/toss_cube.xml"
ROBOTS = ("models/humanoid.xml", "models/quadruped.xml")
MOST_INNER, MOST_ACCELERATION, MOST_EVENTS, MOST_REVERSE = 1.1, 1.0, 1.1, {"reverse_1000": 4, "reverse_10": 8}


def speed_table(context):
    """{scene: its row}"""
    panda = str(panda_with_box(context))
    head, *rows = bench_rows_of(context, "bench_adaptive", *ROBOTS, panda, BOXES, CUBE)
    table = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    if not table[ROBOTS[0]]["us_mj_forward"]:
        raise CannotRun("MuJoCo is not installed: ./dev peers")
    table["panda"] = table.pop(panda)
    return table


@check(
    "adaptive-speed",
    bar="one run, medians, one core: an inner step without event at most 1.1 times its stages' accelerations; an acceleration at most 1.0 times mj_forward (humanoid, quadruped, panda in contact); events make the cube toss and the falling boxes at most 1.1 times as slow at 1e-8; reverse mode of 1000 steps at most 4 times the forward pass with all states kept, 8 times with 10",
    slow=True,
)
def speed(context):
    table = speed_table(context)
    robots = {name: table[name] for name in (*ROBOTS, "panda")}
    inner = max(float(row["inner_ratio"]) for row in table.values() if row["inner_ratio"])
    forward = {name: float(row["us_acceleration"]) / float(row["us_mj_forward"]) for name, row in robots.items()}
    events = {name: float(table[name]["events_ratio"]) for name in (CUBE, BOXES)}
    reverse = {key: max(float(row[key]) for row in table.values() if row[key]) for key in MOST_REVERSE}
    touching = min(float(row["contacts"]) for row in robots.values())
    ok = inner <= MOST_INNER and max(forward.values()) <= MOST_ACCELERATION and max(events.values()) <= MOST_EVENTS
    ok = ok and all(reverse[key] <= most for key, most in MOST_REVERSE.items()) and touching > 0
    accelerations = ", ".join(f"{name.split('/')[-1].removesuffix('.xml')} {ratio:.2f}" for name, ratio in forward.items())
    text = f"inner step {inner:.2f} of its accelerations; acceleration over mj_forward {accelerations}; with events: cube {events[CUBE]:.2f}, boxes {events[BOXES]:.2f}; reverse {reverse['reverse_1000']:.1f} at full memory, {reverse['reverse_10']:.1f} with 10 states"
    return Result(ok, text, [str(row) for row in table.values()])
