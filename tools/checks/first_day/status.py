"""Whether runs of the shared robots tell how they went: unsolved steps, infeasible starts."""

import json
from dataclasses import dataclass

from checks.evidence import side_by_side
from checks.models import entry_of
from checks.registry import Failed, Result, check, last_line

CONTACTS = ("none", "lcp", "ncp", "soft")
STEPS = 100
MODELS = 57  # shared, with true numbers
MOST_UNSOLVED = 0.01  # of the steps of ncp
FINE, NO = 0, 1  # exit codes


@dataclass
class Run:
    model: str
    contact: str
    lenient: bool
    exit: int
    answer: dict

    @property
    def unsolved(self):
        return self.answer["unsolved"]

    @property
    def truthful(self):
        """No unsolved step under a status or an exit code of success, and no word of failure without one."""
        solved = self.unsolved == 0
        return solved == (self.answer["status"] == "success") and solved == (self.exit == FINE)


def loads_strictly(context, path):
    return context.run(context.tactus, "info", path, "--json").returncode == FINE


def run_model(context, folder, contact, lenient):
    words = [context.tactus, "sim", entry_of(folder), "--contact", contact, "--steps", STEPS, "--json"]
    done = context.run(*words, *(["--lenient"] if lenient else []))
    if done.returncode not in (FINE, NO):
        raise Failed(f"{folder.name}, {contact}: exit {done.returncode}: {last_line(done.stderr)}")
    answer = json.loads(done.stdout)
    for key in ("status", "steps", "unsolved", "first_unsolved", "worst_residual", "infeasible_start"):
        if key not in answer:
            raise Failed(f"{folder.name}, {contact}: the answer has no \"{key}\"")
    return Run(folder.name, contact, lenient, done.returncode, answer)


def all_runs(context):
    folders = context.shared_models()
    strict = side_by_side(lambda folder: loads_strictly(context, entry_of(folder)), [(folder,) for folder in folders])
    jobs = [(folder, contact, not ok) for folder, ok in zip(folders, strict) for contact in CONTACTS]
    return side_by_side(lambda *job: run_model(context, *job), jobs)


def infeasible(runs, contact):
    return sorted(run.model for run in runs if run.contact == contact and run.answer["infeasible_start"])


def count(runs, contact):
    of = [run for run in runs if run.contact == contact]
    return sum(run.unsolved for run in of), sum(run.answer["steps"] for run in of)


@check(
    "first-day-status",
    bar=f"every shared model (--lenient where strict loading refuses it), every contact model, {STEPS} steps: no unsolved step under a status or exit code of success; at most {100 * MOST_UNSOLVED:g} % of the steps of ncp unsolved; infeasible starts counted apart and listed",
)
def status(context):
    runs = context.once("first-day-status", all_runs)
    models, lenient = {run.model for run in runs}, {run.model for run in runs if run.lenient}
    untrue = [run for run in runs if not run.truthful]
    cut = [run for run in runs if run.answer["steps"] != STEPS]
    counts = {contact: count(runs, contact) for contact in CONTACTS}
    unsolved, steps = counts["ncp"]
    starts = {contact: infeasible(runs, contact) for contact in ("lcp", "ncp")}
    figure = f"{len(models)} models, {len(lenient)} of them leniently; unsolved steps: "
    figure += ", ".join(f"{contact} {some} of {of}" for contact, (some, of) in counts.items())
    figure += f"; {len(untrue)} of {len(runs)} runs say what is not so, {len(cut)} stopped early"
    figure += f"; infeasible starts: {len(starts['ncp'])} with ncp ({', '.join(starts['ncp'])}), {len(starts['lcp'])} with lcp"
    lines = [
        f"{run.model}, {run.contact}: {run.unsolved} of {run.answer['steps']} unsolved, status \"{run.answer['status']}\", exit {run.exit}"
        for run in runs
        if run.unsolved > 0 or run in untrue or run in cut
    ]
    ok = not untrue and not cut and (len(models) == MODELS or context.only is not None) and unsolved <= MOST_UNSOLVED * steps
    return Result(ok, figure, lines)
