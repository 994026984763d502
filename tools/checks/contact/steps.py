"""What steps of every contact model are asked: random models, memory, bits, bad input. The contact model is data."""

from checks.builds import differing_bits, rows_of_builds
from checks.evidence import MINUTES, document, json_lines, ranges, side_by_side
from checks.registry import CannotRun, Result, check
from checks.unit import unit_tests

# --- Random models ---------------------------------------------------------------------------------------------------

RANDOM_MODELS = 1000
RANDOM_PARTS = 20
# Share of steps that may say they are unsolved, of contact models that say so of what they do not find.
MOST_UNSOLVED = {"ncp": 0.02}
# Contact models whose solved steps are held against their laws outside the solver (test/evidence/step_laws.h), and the least
# share of their contacts with an impulse that touch by the same features at the end, so that laws have a gap to hold.
JUDGED = ("ncp",)
LEAST_PLACED = 0.95


def number(found):
    """A figure that a program printed; null is what it prints for what is not finite."""
    return float("inf") if found is None else found


def random_rows(context, contact):
    def part(first, last):
        return document(context, "evidence_contact_random", contact, first, last, seconds=60 * MINUTES)

    return side_by_side(part, ranges(RANDOM_MODELS, RANDOM_PARTS))


def judged_laws(found, total):
    """Steps against their laws -> (ok, figure)"""
    worst = {key: max(number(row["worst"][key]) for row in found) for key in found[0]["worst"]}
    placed = total["placed"] / max(1, total["placed"] + total["lost"])
    ok = total["judged"] > 0 and total["unlawful"] == 0 and placed >= LEAST_PLACED
    figure = f"; {total['unlawful']} of {total['judged']} solved steps break a law outside the solver: momentum off by {worst['balance']:.1e} N s, bodies' forces from contacts' by {worst['wrench']:.0e}"
    figure += f", beyond the bounds of cones {worst['cone']:.0e}, gaps {worst['distance']:.0e}, slip {worst['friction']:.0e} N s, overlap {worst['overlap']:.0e} m, ranges {worst['range']:.0e}, places {worst['motion']:.0e} ({100 * placed:.0f} % of contacts placed)"
    return ok, figure


def random_check(contact):
    bar = f"{RANDOM_MODELS} random models x 1000 steps, random controls: no number that is not finite, no step that says it is solved and is not, no allocation, the same bits on 1 and 2 threads"
    if contact in JUDGED:
        bar += "; balance of momentum, contact laws, overlap and ranges of solved steps recomputed outside the solver"
    if contact in MOST_UNSOLVED:
        bar += f"; at most {100 * MOST_UNSOLVED[contact]:g} % of steps unsolved"

    @check(f"{contact}-random", bar=bar, slow=True)
    def run(context):
        found = random_rows(context, contact)
        total = {key: sum(row[key] for row in found) for key in found[0] if isinstance(found[0][key], int)}
        worst_ok, worst_unsolved = (max(row[key] for row in found) for key in ("worst_ok", "worst_unsolved"))
        bad = sum(total[key] for key in ("nonfinite", "above_tolerance", "refused", "failed", "allocations", "differing"))
        unsolved = total["unsolved"] / max(1, total["steps"])
        ok = total["models"] == RANDOM_MODELS and bad == 0 and total["counted"] > 0 and unsolved <= MOST_UNSOLVED.get(contact, 1)
        figure = f"{total['models']} models, {total['steps']} steps, {total['in_contact']} in contact; {total['nonfinite']} not finite, {total['above_tolerance']} above tolerance (worst {worst_ok:.0e})"
        figure += f", {total['refused']} models refused, {total['failed']} steps fail, {total['allocations']} allocations, {total['differing']} worlds differ; {total['unsolved']} steps ({100 * unsolved:.2g} %) say unsolved (worst residual {worst_unsolved:.0e})"
        if contact in JUDGED:
            lawful, laws = judged_laws(found, total)
            ok, figure = ok and lawful, figure + laws
        return Result(ok, figure, [str(case) for row in found for case in row["cases"]])


# --- Memory and bits -------------------------------------------------------------------------------------------------


def no_alloc_check(contact, models):
    """models(): files whose motions are looked at."""

    @check(f"{contact}-no-alloc", bar="0 allocations in steps, Jacobians and reverse modes, of joints and of bodies, along motions in contact; steps with and without derivatives are the same map")
    def run(context):
        rows = json_lines(context, "evidence_contact_steps", contact, *models(), rows=len(models()))
        total, steps, touching = (sum(row[key] for row in rows) for key in ("allocations", "steps", "in_contact"))
        counted, same = (all(row[key] > 0 for row in rows) for key in ("counted_at_load", "same_map"))
        figure = f"{total} allocations over {len(rows)} models, {touching} of {steps} steps in contact (the counter works: {counted}), same map: {same}"
        return Result(total == 0 and counted and same and touching > steps // 4, figure)


def bits_check(contact, models):
    @check(f"{contact}-bits", bar="one hash of motions in contact and their derivatives: gcc and clang, -O0 and -O2, 1 and 2 threads", slow=True)
    def run(context):
        found = rows_of_builds(context, "evidence_contact_steps", contact, *models(), rows=len(models()))
        problems = differing_bits(found, ("bits", "batch1", "batch2"))
        return Result(not problems, f"{len(models())} models, {len(found)} builds, {len(problems)} differences", problems)


# --- Bad input -------------------------------------------------------------------------------------------------------


def bad_input_check(contact, bar, *programs):
    @check(f"{contact}-bad-input", bar=bar)
    def run(context):
        count, failed = 0, []
        for program in programs:
            tests = unit_tests(context, program)
            if not tests:
                raise CannotRun(f"{program} ran no test")
            count += len(tests)
            failed += [name for name, (ok, _) in tests.items() if not ok]
        return Result(not failed, f"{count - len(failed)} of {count} tests pass", failed)
