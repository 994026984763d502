"""Derivatives of steps at random states in contact, parameters included, for every contact model: `tactus check` in parts."""

import json
import pathlib
from dataclasses import dataclass

from checks.evidence import MINUTES, side_by_side
from checks.registry import CannotRun, Failed, Result, check, last_line

SAMPLES = 10_000
PARTS = 5  # of each model's samples: what runs side by side
TOL_REVERSE = 1e-10
LEAST_WITHIN = 0.999
MOST_SWITCHING = 0.05
LEAST_IN_CONTACT = 0.8
LEAST_SLIDING = 0.2
COUNTS = ("samples", "passed", "switching", "flagged", "unflagged", "failed", "in_contact", "sticking", "sliding", "in_quad")


@dataclass
class Study:
    """What is sampled: samples and parameters of each model, and what `tactus check` is told besides."""

    models: dict  # {name: (samples, [paths of parameters])}
    tol: str
    options: object  # (name, part) -> words of the command line
    file_of: object = lambda context, name: name  # the file of a model that is not one itself
    quad: object = None  # (context, name, part, file of a state that fails) -> what quad.py says of it
    seeds: tuple = tuple(range(PARTS))  # of the parts

    def __post_init__(self):
        assert sum(samples for samples, _ in self.models.values()) == SAMPLES


def judge_again(study, got, case, exact):
    """A state that differences in doubles disagree at, by what they say in 113 bits: got with it counted so. Differences say
    nothing of a state that failed by something else (a step that is another map with derivatives, or no step at all), and
    those beyond the ones that `tactus check` lists stay failures."""
    if case["what"] != "failed":
        return
    if exact.get("switches"):
        change = {"switching": 1, "unflagged": int(not case["flagged"])}
    elif exact.get("error", 1) <= float(study.tol) and case["reverse"] is not None and case["reverse"] <= TOL_REVERSE:
        change = {"passed": 1, "in_quad": 1}
    else:
        return
    for key, more in (change | {"failed": -1}).items():
        got[key] += more


def run_part(context, study, name, file, part):
    """One part of a model's samples -> the JSON of `tactus check`, and how many pass in 113-bit differences alone."""
    total, paths = study.models[name]
    samples = total * (part + 1) // len(study.seeds) - total * part // len(study.seeds)
    params = [word for path in paths for word in ("--param", path)]
    kept = context.scratch / f"{pathlib.Path(name).stem}_{part}"
    kept.mkdir(exist_ok=True)
    options = [*study.options(name, part), "--tol", study.tol, "--samples", samples, "--seed", study.seeds[part], *params, "--keep", kept]
    done = context.run(context.tactus, "check", file, *options, "--json", seconds=120 * MINUTES)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Failed(f"{name}, part {part}: exit {done.returncode}: {last_line(done.stderr)}")
    got = json.loads(done.stdout) | {"in_quad": 0}
    for case in got["odd"]:
        if study.quad and case["what"] == "failed":
            case["quad"] = study.quad(context, file, part, kept / f"sample_{case['sample']}.txt")
            judge_again(study, got, case, case["quad"])
    return got


def table_of(study, jobs, done):
    """Jobs (model, part) and what they printed -> {model: sums over its parts}"""
    table = {}
    for (name, part), got in zip(jobs, done, strict=True):
        row = table.setdefault(name, {"worst": 0, "reverse": 0, "kinds": set(), "odd": []})
        for key in COUNTS:
            row[key] = row.get(key, 0) + got[key]
        row["odd"] += [{"seed": study.seeds[part]} | case for case in got["odd"]]
        row["worst"] = max(row["worst"], got["worst"])
        row["reverse"] = max(row["reverse"], got["blocks"]["reverse"])
        row["kinds"] |= {block[4:] for block in got["blocks"] if block.startswith("dy/d")}
    return table


def lines_of(table):
    lines = [
        f"{name:26} {row['passed']} of {row['samples']} pass, {row['switching']} switch ({row['unflagged']} unflagged), {row['failed']} fail, worst {row['worst']:.1e}, reverse {row['reverse']:.0e}, sticking in {row['sticking']}, sliding in {row['sliding']}"
        for name, row in table.items()
    ]
    return lines + [f"{name}: {case}" for name, row in table.items() for case in row["odd"]]


def judged(table, study):
    total = {key: sum(row[key] for row in table.values()) for key in COUNTS}
    constant = total["samples"] - total["switching"]
    reverse = max(row["reverse"] for row in table.values())
    kinds = set().union(*(row["kinds"] for row in table.values()))
    ok = total["samples"] >= sum(study.models[name][0] for name in table) and total["passed"] >= LEAST_WITHIN * constant
    ok = ok and total["switching"] <= MOST_SWITCHING * total["samples"] and total["unflagged"] == 0 and reverse <= TOL_REVERSE
    ok = ok and total["in_contact"] >= LEAST_IN_CONTACT * total["samples"] and total["sliding"] >= LEAST_SLIDING * total["samples"]
    figure = f"{total['passed']} of {constant} within {study.tol}, {total['switching']} switch, {total['unflagged']} of them unflagged ({total['flagged']} flagged in all), reverse {reverse:.0e}"
    if study.quad:
        figure += f"; {total['in_quad']} of those by differences in 113-bit numbers, as doubles have too few digits there"
    figure += f"; {total['in_contact']} of {total['samples']} in contact, {total['sliding']} slide; {', '.join(sorted(kinds))}"
    return Result(ok, figure, lines_of(table))


def derivative_check(name, bar, study):
    @check(name, bar=bar, slow=True)
    def run(context):
        files = {model: study.file_of(context, model) for model in study.models if not context.only or context.only in model}
        if not files:
            raise CannotRun(f"no model is called {context.only}")
        jobs = [(model, part) for model in files for part in range(len(study.seeds))]
        done = side_by_side(lambda model, part: run_part(context, study, model, files[model], part), jobs)
        return judged(table_of(study, jobs, done), study)
