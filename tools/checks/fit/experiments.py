"""Fits of real tosses and of a pushed box, as tasks of examples/tasks; what `tactus fit` keeps to."""

import json
import math
import os
import re

import run_pages

from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

TASKS = ROOT / "examples" / "tasks"
TOSSES = "data/contactnets/tosses"
SECONDS = 1500
RESTING = 51.25e-3  # m: median height of the resting cube's centre
SIDES = (0.060, 0.080, 0.120, 0.140)
MASS = TASKS / "nimble-mass-id.yaml"
FOUR = ((0.1, 0.030), (0.2, 0.040), (0.4, 0.060), (0.6, 0.070))  # friction and half-width of far starts
ERROR_POSITION, ERROR_ANGLE = 2.65e-3, math.radians(3.4)
PAGE = "docs/guide/tasks/fit.md"


def fit(context, task, *words):
    done = context.run(context.tactus, "fit", task, "--json", "--threads", "2", *words, seconds=SECONDS)
    if done.returncode not in (0, 1):
        raise Failed(f"exit {done.returncode}: {last_line(done.stderr)}")
    return json.loads(done.stdout)


def tosses(context, train, validate):
    folder = context.shared / TOSSES
    if not folder.is_dir():
        raise CannotRun(f"no tosses under {folder} (set TACTUS_SHARED)")
    return ("--set", f"fit.train={folder}/{train}", "--set", f"fit.validate={folder}/{validate}")


def values(found):
    return {param["path"]: param["value"] for param in found["params"]}


@check("fit-cube-side", bar="side and friction of the tossed cube from 60, 80, 120 and 140 mm: side within 1 % of 102.5 mm from every start", slow=True)
def cube_side(context):
    data = tosses(context, "toss_??[0-7].csv", "toss_??[89].csv")
    rows = [fit(context, TASKS / "cube-side.yaml", *data, "--set", f"fit.param[1].start={side / 2}") for side in SIDES]
    sides = [2 * values(found)["geom/cube.size"] for found in rows]
    ok = all(abs(side / (2 * RESTING) - 1) <= 0.01 for side in sides)
    frictions = [values(found)["geom/cube.friction[0]"] for found in rows]
    return Result(ok, "side " + ", ".join(f"{side * 1e3:.2f}" for side in sides) + " mm; friction " + ", ".join(f"{mu:.3f}" for mu in frictions) + "; " + ", ".join(found["status"] for found in rows))


@check("fit-cube-real", bar="friction, half-width, inertia of the tossed cube from four tosses in five, four far starts: after ten steps at most 2.65 mm and 3.4 degrees on the fifth; half-width within 1 % of 51.25 mm; starts within 1 % in half-width and 3 % in friction", slow=True)
def cube_real(context):
    data = tosses(context, "toss_??[0-7].csv", "toss_??[89].csv")
    rows = [fit(context, TASKS / "cube-real.yaml", *data, "--set", f"fit.param[0].start={mu}", "--set", f"fit.param[1].start={half}") for mu, half in FOUR]
    found = rows[0]
    position, angle = (math.sqrt(sum(e * e for e in found["errors"][i : i + 3])) for i in (0, 3))
    spread = [max(values(row)[path] for row in rows) / min(values(row)[path] for row in rows) - 1 for path in ("geom/cube.size", "geom/cube.friction[0]")]
    half = values(found)["geom/cube.size"]
    ok = position <= ERROR_POSITION and angle <= ERROR_ANGLE
    ok = ok and abs(half / RESTING - 1) <= 0.01 and spread[0] <= 0.01 and spread[1] <= 0.03
    figure = f"{position * 1e3:.2f} mm, {math.degrees(angle):.2f} degrees; half-width {half * 1e3:.2f} mm; starts apart {spread[0]:.1%} and {spread[1]:.1%}; " + ", ".join(row["status"] for row in rows)
    return Result(ok, figure, [str(values(row)) for row in rows])


@check("fit-bits", bar="the same estimates to the bit on 1 and 2 threads, and when run again")
def bits(context):
    words = ("fit", MASS, "--starts", 5, "--json")
    texts = set()
    for threads in (1, 2, 2):
        done = context.run(context.tactus, *words, "--threads", threads)
        texts.add(re.sub(r'"command":"[^"]*"', "", done.stdout))
    return Result(len(texts) == 1 and bool(texts.pop()), f"{'one result' if not texts else 'several results'} of three runs")


@check("fit-newcomer", bar="every command of the page from a CSV file to a fitted model runs and prints what the page states")
def newcomer(context):
    figures, problems, left_out = run_pages.run_pages(context.build, [PAGE])
    return Result(bool(figures) and not problems and not left_out, figures[0] if figures else "the page fails", [*left_out, *problems])


@check("fit-broken", bar="at least forty broken recordings and tasks, each with its message: file, line, column or key, and what was expected")
def broken(context):
    rows = (ROOT / "test/data/broken_recordings/expected.tsv").read_text(encoding="utf-8").splitlines()
    files = sum(not row.startswith("#") for row in rows)
    text = (ROOT / "test/cli/test_fit.py").read_text(encoding="utf-8")
    tasks = len(re.findall(r"^    \(\"", text.split("REFUSED = [")[1].split("\n]\n")[0], re.MULTILINE))
    done = [
        context.run(context.program("test_recording")),
        context.run("/usr/bin/env", "python3", "-B", "test/cli/test_fit.py", "Fit.test_refused", env={**os.environ, "TACTUS": str(context.tactus.resolve())}),
    ]
    failed = [last_line(one.stdout + one.stderr) for one in done if one.returncode != 0]
    return Result(not failed and files + tasks >= 40, f"{files} recordings and {tasks} tasks, {len(failed)} programs that failed", failed)
