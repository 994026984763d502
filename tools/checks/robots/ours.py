"""Our own robots: beside MuJoCo in one process, motions with known answers, memory, bits, random models, bad files."""

import concurrent.futures
import os
import shutil

from checks.builds import differing_bits, rows_of_builds
from checks.evidence import figure, json_lines
from checks.models import our_models
from checks.registry import ROOT, CannotRun, Result, check, last_line

TOL_MUJOCO = 1e-9
TOL_MOTION = 1e-8
TOL_IDENTITY = 1e-12
LOAD_MS = 5.0
RANDOM_MODELS = 1000
LEAST_BROKEN = 60


# --- MuJoCo in one process -----------------------------------------------------------------------------------------


def mujoco_rows(context):
    rows = json_lines(context, "evidence_mujoco", *our_models(), rows=len(our_models()))
    return [{key: value if key == "model" else figure(value) for key, value in row.items()} for row in rows]


def mujoco_check(name, keys, what):
    @check(f"robots-mujoco-{name}", bar=f"{what} of all our robots within 1e-9 of MuJoCo 2.2.2")
    def run(context):
        rows = context.once("mujoco", mujoco_rows)
        worst, where = max((row[key], row["model"]) for row in rows for key in keys)
        lines = [f"{row['model']:32} " + " ".join(f"{key}={row[key]:.1e}" for key in keys) for row in rows]
        return Result(worst <= TOL_MUJOCO, f"worst {worst:.1e} ({where}), {len(rows)} robots", lines)


mujoco_check("mass-matrix", ["mass_matrix"], "mass matrix")
mujoco_check("bias", ["bias"], "bias forces")
mujoco_check("kinematics", ["kinematics"], "poses of bodies, geoms and sites")
mujoco_check("energy", ["energy"], "energies")
mujoco_check("actuators", ["actuators", "passive"], "actuator lengths, velocities, forces and passive forces")
mujoco_check("steps", ["steps"], "1000 steps without contact")


# --- Motions with known answers ------------------------------------------------------------------------------------


def motion_figures(context):
    return json_lines(context, "evidence_motion", *our_models(), rows=1)[0]


def motion_check(key, what):
    @check(f"robots-truths-{key.replace('_', '-')}", bar=f"{what} within 1e-8 for steps to zero")
    def run(context):
        error = figure(context.once("motion", motion_figures)[key])
        return Result(error <= TOL_MOTION, f"{error:.1e}")


motion_check("pendulum", "IFToMM pendulum at 1 s and 10 s")
motion_check("double_pendulum", "double pendulum at 1, 3 and 5 s")
motion_check("precession", "free body's flip after half and a whole period")


@check("robots-inverse-forward", bar="inverse after forward dynamics is the identity to 1e-12, relative")
def inverse_forward(context):
    errors = {name: figure(error) for name, error in context.once("motion", motion_figures)["identity"].items()}
    where = max(errors, key=errors.get)
    lines = [f"{name:32} {error:.1e}" for name, error in errors.items()]
    return Result(errors[where] <= TOL_IDENTITY, f"worst {errors[where]:.1e} ({where})", lines)


# --- Memory and bits -----------------------------------------------------------------------------------------------


def memory_rows(context):
    return json_lines(context, "evidence_memory", *our_models(), rows=len(our_models()))


@check("robots-no-alloc", bar="0 allocations in every evaluation after creation")
def no_alloc(context):
    rows = context.once("memory", memory_rows)
    total = sum(row["allocations"] for row in rows)
    counted = all(row["counted_at_load"] > 0 for row in rows)
    return Result(total == 0 and counted, f"{total} allocations over {len(rows)} robots (the counter works: {counted})")


@check("robots-dirty-workspace", bar="results do not depend on what the workspace held")
def dirty_workspace(context):
    rows = context.once("memory", memory_rows)
    differing = sum(row["dirty_differences"] for row in rows)
    return Result(differing == 0, f"{differing} of {sum(row['states'] for row in rows)} states differ")


@check("robots-determinism", bar="one hash of 1000 steps: gcc and clang, -O0 and -O2, 64 worlds on 1 and 2 threads", slow=True)
def determinism(context):
    found = rows_of_builds(context, "evidence_hash", *our_models(), rows=len(our_models()))
    reference = found["gcc-O0"]
    problems = differing_bits(found, ("model", "steps", "batch1", "batch2"))
    lines = problems or [f"{row['model']:32} {row['steps']} {row['batch1']}" for row in reference]
    return Result(not problems, f"{len(reference)} robots, {len(found)} builds, {len(problems)} differences", lines)


# --- Files ---------------------------------------------------------------------------------------------------------


@check("robots-load-time", bar="loading the humanoid takes less than 5 ms")
def load_time(context):
    ms = figure(json_lines(context, "evidence_files", "--time", "models/humanoid.xml", rows=1)[0]["ms"])
    return Result(ms < LOAD_MS, f"{ms:.2f} ms, median of 51")


@check("robots-random-1000", bar="1000 random models load, save, load to the same hash and step 1000 times", slow=True)
def random_models(context):
    folder = context.scratch / "random"
    folder.mkdir()
    program = context.program("evidence_files")

    def one(seed):
        path = folder / f"{seed}.xml"
        made = context.run(context.tactus, "random", seed)
        if made.returncode != 0:
            return f"seed {seed}: tactus random: {last_line(made.stderr)}"
        path.write_text(made.stdout)
        done = context.run(program, path.with_suffix(".tac"), path)
        for file in (path, path.with_suffix(".tac")):
            file.unlink(missing_ok=True)
        if done.returncode != 0:
            return f"seed {seed}: {last_line(done.stderr) or last_line(done.stdout)}"
        return None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        problems = [line for line in pool.map(one, range(1, RANDOM_MODELS + 1)) if line]
    shutil.rmtree(folder, ignore_errors=True)
    return Result(not problems, f"{RANDOM_MODELS - len(problems)} of {RANDOM_MODELS}", problems[:20])


def expected_messages():
    """(file, options, parts of its message) from test/data/broken/expected.tsv."""
    path = ROOT / "test" / "data" / "broken" / "expected.tsv"
    if not path.exists():
        raise CannotRun(f"{path} is not there")
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, options, parts = line.split("\t", 2)
            yield path.parent / name, [] if options == "-" else options.split(), parts.split(" | ")


@check("robots-broken", bar="at least 60 broken files, each refused with exit 2 and its message")
def broken(context):
    files = list(expected_messages())
    problems = []
    for path, options, parts in files:
        done = context.run(context.tactus, "info", path, *options, seconds=60)
        missing = [part for part in parts if part not in done.stderr]
        if done.returncode != 2 or missing or done.stdout:
            problems.append(f"{path.name}: exit {done.returncode}: {last_line(done.stderr)!r}, expected {missing}")
    ok = len(files) >= LEAST_BROKEN and not problems
    return Result(ok, f"{len(files) - len(problems)} of {len(files)} refused as they should be", problems)
