"""Energy that no input gave: told of every step, and a run that grows never reads as a plain success."""

import json

from checks.evidence import figure, json_lines
from checks.models import our_models
from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

TOL_GAIN = 1e-10
WAYS = 11  # of evidence_energy: contact models and their integrators
STEPS = 2000
GROWN = 3  # of the start's energy above the lowest, where nothing was told
CONTACTS = [("none",), ("lcp",), ("lcp", "--toi"), ("ncp",), ("soft",)]
# Files of the shared material, and how they grew without bound.
GREW = [
    ("needle_box.xml", "--contact", "lcp"),
    ("needle_box.xml", "--contact", "lcp", "--toi"),
    ("needle_box.xml", "--contact", "soft"),
    ("needle_box.xml", "--contact", "ncp"),
    ("ell_needle.xml", "--contact", "lcp", "--dt", "0.01"),
    ("ell_needle.xml", "--contact", "soft"),
    ("1043.xml", "--contact", "soft", "--dt", "0.02"),
    ("1044.xml", "--contact", "soft", "--dt", "0.02"),
    ("1058.xml", "--contact", "lcp", "--toi", "--dt", "0.02"),
]  # fmt: skip


def simulated(context, *arguments):
    """What `tactus sim --json` prints, and what it warns of."""
    done = context.run(context.tactus, "sim", *arguments, "--json")
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Failed(f"sim {' '.join(map(str, arguments))}: exit {done.returncode}: {last_line(done.stderr)}")
    run = json.loads(done.stdout)
    if run["energy_warning"] != ("warning: energy grew" in done.stderr):
        raise Failed(f"sim {' '.join(map(str, arguments))}: text and JSON do not agree")
    return run


def recomputed(context):
    """Worst difference of energy_gain from E(y) - E(x) - work by public functions, over robots, contact models, integrators."""
    models = [*our_models(), "test/data/stone_pile.xml"]
    rows = json_lines(context, "evidence_energy", *models, rows=WAYS * len(models))
    if any(row["skipped"] > row["states"] // 2 for row in rows):
        raise Failed("most states of a model were refused")
    worst = max(rows, key=lambda row: figure(row["error"]))
    return figure(worst["error"]), f"{worst['model']}, {worst['way']}", len(rows)


def grown(context):
    """Runs that grew before: [(name, told, ok)]; each warns, or its energy stays near what it had."""
    folder = context.shared / "hardening"
    if not folder.exists():
        raise CannotRun(f"no {folder} (set TACTUS_SHARED)")
    found = []
    for name, *options in GREW:
        run = simulated(context, folder / name, *options, "--steps", STEPS)
        energy = run["energy"]
        bounded = max(energy) - min(energy) <= GROWN * (energy[0] - min(energy)) and run["steps"] == STEPS
        found.append((f"{name} {' '.join(options)}", run["energy_warning"], run["energy_warning"] or bounded, run["energy_gain_share"]))
    return found


def keyframes(context):
    """Runs of our robots from their keyframes for a second: [(name, share, warned)]"""
    found = []
    for model in our_models():
        keys = context.json_from(context.tactus, "info", ROOT / model, "--json")["keys"]
        for key in range(len(keys)):
            for contact in CONTACTS:
                run = simulated(context, ROOT / model, "--key", key, "--contact", *contact, "--time", 1)
                found.append((f"{model.stem} {keys[key]} {' '.join(contact)}", run["energy_gain_share"], run["energy_warning"]))
    return found


@check(
    "exact-energy",
    bar=f"energy_gain is E(y) - E(x) - work to {TOL_GAIN}, every contact model and integrator; needles and models 1043, 1044, 1058 warn or stay bounded; keyframes of our robots do not warn",
)
def energy(context):
    error, where, rows = recomputed(context)
    runs, starts = grown(context), keyframes(context)
    loud = [name for name, _, warned in starts if warned]
    silent = [name for name, _, ok, _ in runs if not ok]
    lines = [f"{name:52} {'warned' if told else 'bounded' if ok else 'GREW UNTOLD'}, share {share:.2g}" for name, told, ok, share in runs]
    lines += [f"{name:40} share {share:.2g}{' WARNED' if warned else ''}" for name, share, warned in starts]
    figures = f"{error:.1e} of {rows} ways at most ({where}); {sum(told for _, told, _, _ in runs)} of {len(runs)} warn, {len(silent)} grow untold; {len(loud)} of {len(starts)} keyframes warn, largest share {max(share for _, share, _ in starts):.2g}"
    return Result(error <= TOL_GAIN and not silent and not loud, figures, lines)
