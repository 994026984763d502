"""Three cylinders on each other, and a block that rocks: contact against closed forms."""

from checks.evidence import figure, json_lines
from checks.registry import Result, check
from checks.unit import unit_checks

TOL_CYLINDERS = {"lcp": 1e-5, "ncp": 1e-3}
LINES = 4

UNITS = {
    "flush": ("cylinders and capsules whose ends are flush to rounding touch at both ends of their line", "test_manifold", "flush_logs"),
    "rocking": ("the impact of a block that rocks, by state, size, mass, friction and time step, against differences: 1e-6", "test_time_of_impact", "rocking_block"),
}  # fmt: skip
unit_checks("exact", UNITS)


@check(
    "exact-cylinders",
    bar="three cylinders stand from mu = tan 15 degrees between them and a third of it on the ground, planar and free: within 1e-5 (lcp), 1e-3 (ncp)",
)
def cylinders(context):
    ok, figures, details = True, [], []
    for contact, bar in TOL_CYLINDERS.items():
        rows = json_lines(context, "evidence_cylinders", contact, rows=LINES)
        worst = max(abs(figure(row["error"])) for row in rows)
        ok &= worst <= bar and not any(row["unsolved"] for row in rows)
        figures.append(f"{contact} {worst:.1e}")
        details += [f"{contact}, {row['bodies']} bodies, {row['where']}: {row['error']:.1e}, {row['unsolved']} unsolved" for row in rows]
    return Result(ok, "; ".join(figures), details)


TOL_ROCKING = {1e-3: 5e-4, 1e-4: 5e-5}
STARTS = 4


@check(
    "exact-toi",
    bar="block of 0.1 by 0.5 let go at 0.05 rad, with toi: one step changes its velocity, the ratio of angular velocities is 0.942308 within 5e-4 at 1 ms, 5e-5 at 0.1 ms",
)
def toi(context):
    rows = json_lines(context, "evidence_rocking", rows=2 * STARTS)
    over = [row for row in rows if not abs(figure(row["error"])) <= TOL_ROCKING[row["dt"]] or row["steps"] != 1 or row["impacts"] != 1 or row["unsolved"]]
    worst = {dt: max(abs(figure(row["error"])) for row in rows if row["dt"] == dt) for dt in TOL_ROCKING}
    lines = [f"dt {row['dt']:g}: {row['steps']} step, {row['impacts']} impact, error {row['error']:.2e}" for row in rows]
    return Result(not over, ", ".join(f"{error:.1e} at {dt:g} s" for dt, error in worst.items()) + f"; {max(row['steps'] for row in rows)} step", lines)
