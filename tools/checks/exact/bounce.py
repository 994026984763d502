"""Restitution that gives no energy, and its derivatives."""

from checks.evidence import figure, parsed_lines, ranges, side_by_side
from checks.registry import Result, check
from checks.unit import unit_checks

SEEDS = 22000
LEAST_IMPACTS = 10000
PARTS = 4
# Every so many-th seed has its derivatives compared, and every impact whose restitution is limited.
EVERY = {"lcp": 10, "ncp": 80}
TOL_GAIN = {"lcp": 1e-9, "ncp": 1e-6}
SHARE_WITHIN = 0.999
MOST_UNSOLVED = {"lcp": 0, "ncp": 0.03}
SECONDS = 1500

UNITS = {
    "hinged": ("two hinged bodies at e 0.3 and mu 0.7, where Newton's law gives energy: none, with lcp and ncp, and the derivative", "test_restitution", "hinged_bodies"),
    "single": ("one contact whose slip keeps its direction bounces by Newton's law, its share of restitution is 1", "test_restitution", "slip_that_keeps_its_direction"),
}  # fmt: skip
unit_checks("exact-bounce", UNITS)


def drawn(context, contact):
    def run(first, last):
        done = context.run(context.program("evidence_bounce"), contact, str(first), str(last), str(EVERY[contact]), seconds=SECONDS)
        return parsed_lines(f"evidence_bounce {contact}", done, 1)[0]

    return side_by_side(run, ranges(SEEDS, PARTS))


def total(rows, key):
    return sum(row[key] for row in rows)


@check(
    "exact-bounce",
    bar="10,000 random impacts without gravity: kinetic energy grows by at most 1e-9 of itself (lcp), 1e-6 (ncp); derivatives 99.9 % within 1e-6",
    slow=True,
)
def bounce(context):
    ok, figures, details = True, [], []
    for contact in ("lcp", "ncp"):
        rows = drawn(context, contact)
        solved = total(rows, "impacts") - total(rows, "unsolved")
        gain = max(figure(row["gain"]) for row in rows)
        shares = [sum(row["within"][k] for row in rows) / max(1, sum(row["columns"][k] for row in rows)) for k in (0, 1)]
        limited = total(rows, "limited") / max(1, solved)
        within = (1 - limited) * shares[0] + limited * shares[1]  # all limited impacts are compared, of others a few
        worst = max(figure(row["worst"]) for row in rows)
        ok &= solved >= LEAST_IMPACTS and total(rows, "unsolved") <= MOST_UNSOLVED[contact] * total(rows, "impacts")
        ok &= gain <= TOL_GAIN[contact] and total(rows, "limited") > 0
        ok &= within >= SHARE_WITHIN and total(rows, "compared_limited") > 0
        figures.append(f"{contact}: {solved} impacts, gain {gain:.1e}, {100 * within:.3f} % of derivatives ({100 * shares[1]:.2f} % where restitution is limited), worst {worst:.1e}")
        details.append(
            f"{contact}: {total(rows, 'limited')} limited, least share {min(row['least'] for row in rows):.3f}, {total(rows, 'unsolved')} unsolved, "
            f"{total(rows, 'compared')} compared ({total(rows, 'compared_limited')} limited), {total(rows, 'vague')} vague differences, "
            f"reverse mode {max(figure(row['reverse']) for row in rows):.1e}"
        )
    return Result(ok, "; ".join(figures), details)
