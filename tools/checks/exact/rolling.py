"""Bodies whose touch travels over them, contact ncp: Euler's disc keeps its energy, a round top Jellett's constant."""

import csv

from checks.registry import Failed, Result, check, last_line

DISC, TOP = "test/data/disc.xml", "test/data/round_top.xml"
DISC_DT, DISC_SECONDS, DISC_BAR = 1e-4, 0.3, 0.005
TOP_SECONDS, TOP_BARS = 4, {1e-3: 0.015, 1e-4: 0.0015}
# Of TOP: principal moments, radius of the ball, depth of the centre of mass below its middle.
MOMENTS, RADIUS, BELOW = (1e-3, 1e-3, 0.96e-3), 0.05, 0.01
EVERY_SECONDS = 1e-3


def motion(context, model, contact, dt, seconds):
    """Rows of `tactus sim`, one each millisecond: time, qpos, qvel, kinetic and potential energy."""
    path = context.scratch / f"rolling_{contact}_{dt}.csv"
    done = context.run(context.tactus, "sim", model, "--key", 0, "--contact", contact, "--dt", dt, "--time", seconds,
                       "--every", max(1, round(EVERY_SECONDS / dt)), "-o", path)  # fmt: skip
    if done.returncode != 0:
        raise Failed(f"{model} at {dt}: exit {done.returncode}: {last_line(done.stderr or done.stdout)}")
    with path.open() as file:
        rows = [[float(word) for word in row] for row in list(csv.reader(file))[1:]]
    if abs(rows[-1][0] - seconds) > EVERY_SECONDS:
        raise Failed(f"{model} at {dt} ends at {rows[-1][0]} s")
    return rows


def largest_change(values):
    return max(abs(value / values[0] - 1) for value in values)


def energy(row):
    return row[-2] + row[-1]


def jellett(row):
    """L . a in the body's axes: angular momentum, and the arm from the centre of mass to the touch below the ball's middle."""
    w, x, y, z = row[4:8]
    up = (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    arm = (-RADIUS * up[0], -RADIUS * up[1], BELOW - RADIUS * up[2])
    return sum(moment * rate * a for moment, rate, a in zip(MOMENTS, row[11:14], arm, strict=True))


@check("exact-disc", bar=f"Euler's disc, inclined by 0.1 rad, rolls for {DISC_SECONDS} s at {DISC_DT:g} s: energy within {DISC_BAR:.1%}")
def disc(context):
    changes = {contact: largest_change([energy(row) for row in motion(context, DISC, contact, DISC_DT, DISC_SECONDS)]) for contact in ("ncp", "lcp")}
    return Result(changes["ncp"] <= DISC_BAR, f"{changes['ncp']:.2%}; lcp {changes['lcp']:.2%}")


@check("exact-top", bar="Jellett's constant of a round top over 4 s: within " + ", ".join(f"{bar:.2%} at {dt:g} s" for dt, bar in TOP_BARS.items()))
def top(context):
    figures, ok = [], True
    for dt, bar in TOP_BARS.items():
        changes = {contact: largest_change([jellett(row) for row in motion(context, TOP, contact, dt, TOP_SECONDS)]) for contact in ("ncp", "lcp")}
        ok = ok and changes["ncp"] <= bar
        figures.append(f"{changes['ncp']:.3%} at {dt:g} s (lcp {changes['lcp']:.3%})")
    return Result(ok, ", ".join(figures))
