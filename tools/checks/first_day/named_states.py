"""Derivatives at the states that models name, where people begin: at rest, symmetric, just touching, at a bound."""

import concurrent.futures
import json
import os

from checks.models import entry_of, our_models
from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

CONTACTS = ("none", "lcp", "ncp", "soft")
# As the checks of random states have them: of smooth steps, and of steps with contact.
TOL = {"none": "1e-7", "lcp": "1e-6", "ncp": "1e-6", "soft": "1e-6"}
# What an engine may say of a state: that derivatives jump there, or that it has no step.
FLAGGED = ("kink", "no step")
MINUTES = 60


def named_states(context, path, contact):
    """`tactus check` at the named states alone, strict or else lenient -> its list of them, or the reason for none."""
    words = [context.tactus, "check", path, "--contact", contact, "--samples", 0, "--tol", TOL[contact], "--allow-outside", "--json"]
    for extra in ([], ["--lenient"]):
        done = context.run(*words, *extra, seconds=10 * MINUTES)
        if done.returncode in (0, 1) and done.stdout.strip():
            named = json.loads(done.stdout)["named"]
            if not named:
                raise Failed(f"{path.name}, contact {contact}: not even the default state was visited")
            return named
    raise Failed(f"{path.name}, contact {contact}: {last_line(done.stderr)}")


def line_of(path, contact, state):
    return (
        f"{path.parent.name}/{path.name} {contact} {state['name']}: {state['verdict']}, error {state['error']:.1e}, reverse {state['reverse']:.1e}, "
        f"{state['ties']} ties, {state['one_sided']} of {state['kinked']} columns of one side"
    )


@check(
    "first-day-check",
    bar="check at the default state and every keyframe of our models and the shared ones, all contact models: every state passes or is flagged by the step itself",
    slow=True,
)
def check_named(context):
    paths = [ROOT / path for path in our_models() if not context.only or context.only in path.stem]
    try:
        paths += [entry_of(folder) for folder in context.shared_models()]
    except CannotRun:
        pass  # ours alone; the figure says how many
    jobs = [(path, contact) for path in paths for contact in CONTACTS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        found = list(pool.map(lambda job: (*job, named_states(context, *job)), jobs))
    states = [(path, contact, state) for path, contact, named in found for state in named]
    count = {verdict: sum(state["verdict"] == verdict for *_, state in states) for verdict in ("passed", *FLAGGED, "failed")}
    bad = [line_of(*item) for item in states if item[2]["verdict"] not in ("passed", *FLAGGED)]
    told = [line_of(*item) for item in states if item[2]["verdict"] in FLAGGED]
    blurred = sum(state["verdict"] == "passed" and state["blur"] > 0 for *_, state in states)
    figure = f"{len(states)} states of {len(paths)} models: {count['passed']} pass ({blurred} of them only as far as differences tell), {count['kink']} are told as kinks, {count['no step']} as unsolved, {len(bad)} fail"
    return Result(not bad and bool(states), figure, bad or told)
