"""This version beside an earlier one: bits of motions and derivatives, time of steps and derivatives.

The earlier commit is checked out under build/before and built there, so that both run in one go, interleaved.
"""

import json
import os
import pathlib
import statistics

from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

BEFORE = os.environ.get("TACTUS_BEFORE", "2a2e314")  # the commit before the first-day changes
RANDOM_MODELS = 50
ROUNDS = 20
SPEED_BAR = 1.02
SPEED_ROBOTS = ["panda", "quadruped", "humanoid", "atlas"]
CONTACTS = ["none", "lcp", "ncp", "soft"]
TIMES = ["us_step", "us_jac", "us_vjp"]

CORRECTION = 0.1  # m/s, rad/s: contact ncp has another law where a state breaks a constraint by more than this times dt


def need(done, what):
    if done.returncode != 0:
        raise CannotRun(f"{what}: {last_line(done.stderr) or last_line(done.stdout)}")


def before_tree(context):
    """-> the folder of the earlier version, built."""
    tree = ROOT / "build" / "before"
    if not (tree / "CMakeLists.txt").exists():
        need(context.run("git", "worktree", "prune"), "git worktree prune")
        need(context.run("git", "worktree", "add", "--detach", tree, BEFORE), f"commit {BEFORE} is not in this clone")
    need(context.run("git", "-C", tree, "checkout", "--detach", BEFORE), f"commit {BEFORE}")
    need(context.run("cmake", "--preset", "release", "-DTACTUS_TESTS=OFF", "-DTACTUS_BENCH=OFF", cwd=tree), "configuring it")
    need(context.run("cmake", "--build", "--preset", "release", "--target", "tactus", "tactus_io", "tactus_cli", cwd=tree), "building it")
    return tree


def bits_program(context, tree, build, name):
    """evidence_bits.c compiled against the headers and shared libraries of a tree."""
    program = context.scratch / name
    libraries = [pathlib.Path(build) / folder for folder in ("src", "io")]
    command = ["cc", "-O1", "-ffp-contract=off", "-std=c17", f"-I{tree / 'include'}", ROOT / "test" / "evidence" / "evidence_bits.c", "-o", program]
    for folder in libraries:
        command += [f"-L{folder}", f"-Wl,-rpath,{folder}"]
    need(context.run(*command, "-ltactus_io", "-ltactus", "-lm"), f"compiling evidence_bits.c against {name}")
    return program


def random_models(context):
    folder = context.scratch / "random"
    folder.mkdir(exist_ok=True)
    paths = []
    for seed in range(RANDOM_MODELS):
        paths.append(folder / f"random_{seed}.xml")
        need(context.run(context.tactus, "random", seed, "-o", paths[-1]), "tactus random")
    return paths


def bits_of(context, program, models):
    """{(model, contact, integrator): (motion, derivatives, failures, broken)}"""
    done = context.run(program, *models, seconds=1800)
    if done.returncode != 0:
        raise Failed(f"{program.name}: exit {done.returncode}: {last_line(done.stderr)}")
    rows = [line.split() for line in done.stdout.splitlines()]
    return {(pathlib.Path(row[0]).stem, row[1], row[2]): tuple(row[3:]) for row in rows}


def reason(key, old, new):
    """Why bits of a run may differ, or None."""
    failures, broken = int(old[2]), max(float(old[3]), float(new[3]))
    if key[1] == "ncp" and (broken > CORRECTION or failures > 0):
        return "infeasible states"
    return None


@check("first-day-bits", bar="motions and derivatives of our robots and 50 random models as before, but for changes on purpose", slow=True)
def first_day_bits(context):
    tree = context.once("before", before_tree)
    models = [*sorted((ROOT / "models").glob("*.xml")), *random_models(context)]
    old = bits_of(context, bits_program(context, tree, tree / "build" / "release", "before"), models)
    new = bits_of(context, bits_program(context, ROOT, context.build, "now"), models)
    if not old or old.keys() != new.keys():
        raise Failed("the two versions ran different models")
    changed = [key for key in old if old[key][:3] != new[key][:3]]
    stray = [key for key in changed if not reason(key, old[key], new[key])]
    lines = [f"{' '.join(key):44} {' '.join(old[key])} -> {' '.join(new[key])}   {reason(key, old[key], new[key]) or 'NOT EXPECTED'}" for key in changed]
    return Result(not stray, f"{len(old) - len(changed)} of {len(old)} runs as before, {len(changed) - len(stray)} changed on purpose, {len(stray)} otherwise", lines)


def bench_times(context, tactus, contact):
    models = [ROOT / "models" / f"{name}.xml" for name in SPEED_ROBOTS]
    done = context.run("taskset", "-c", "0", tactus, "bench", *models, "--key", "home", "--contact", contact, "--seconds", "0.4", "--json")
    rows = context_rows(done)
    return {(pathlib.Path(row["model"]).stem, contact, key): row[key] for row in rows for key in TIMES}


def context_rows(done):
    try:
        return json.loads(done.stdout)["rows"]
    except (ValueError, KeyError) as fault:
        raise Failed(f"bench: {last_line(done.stderr) or fault}") from fault


@check("first-day-speed", bar=f"steps and derivatives at most {SPEED_BAR} of before: median of {ROUNDS} rounds, interleaved, thread CPU time", slow=True)
def first_day_speed(context):
    tree = context.once("before", before_tree)
    old_tactus = tree / "build" / "release" / "tactus"
    ratios = {}
    for turn in range(ROUNDS):
        for contact in CONTACTS:
            both = [(old_tactus, "old"), (context.tactus, "new")]
            times = {word: bench_times(context, tactus, contact) for tactus, word in (both if turn % 2 else both[::-1])}
            for key, value in times["old"].items():
                ratios.setdefault(key, []).append(times["new"][key] / value)
    medians = {key: statistics.median(values) for key, values in ratios.items()}
    worst = max(medians, key=medians.get)
    lines = [f"{' '.join(key):36} {value:.3f}" for key, value in sorted(medians.items())]
    return Result(medians[worst] <= SPEED_BAR, f"worst {medians[worst]:.3f} ({' '.join(worst)}), {len(medians)} times", lines)
