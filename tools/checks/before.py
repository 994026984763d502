"""This version beside an earlier one: bits of motions and derivatives, time of steps and derivatives.

The earlier commit is checked out under build/before and built there, so that both run in one go, interleaved.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import statistics
import subprocess

from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

# The last commit before each piece of work that may not change what is computed, nor how fast.
BEFORE = {"first-day": "2a2e314", "house": "dea23a2"}
# A later commit, after the changes on purpose below: since then every run keeps its bits, those of contact ncp too. Work
# that changes a run on purpose lists it in SINCE_KEPT, with the reason, or moves this commit on when it is complete.
KEPT = "72ac2a89"
SINCE_KEPT = ()
RANDOM_MODELS = 50
ROUNDS = 20
SPEED_BAR = 1.02
SPEED_ROBOTS = ["panda", "quadruped", "humanoid", "atlas"]
CONTACTS = ["none", "lcp", "ncp", "soft"]
PIECES = ["step", "jac", "vjp"]
BATCHES = 9  # of one ratio
BATCH_NS = 2e6

ROUNDING = 1e3  # units of DBL_EPSILON times conditioning, summed over a run: what another order of operations may change
CORRECTION = 0.1  # m/s, rad/s: contact ncp has another law where a state breaks a constraint by more than this times dt


def need(done, what):
    if done.returncode != 0:
        raise CannotRun(f"{what}: {last_line(done.stderr) or last_line(done.stdout)}")


def before_tree(context, commit):
    """-> the folder of an earlier version, built."""
    tree = ROOT / "build" / f"before-{commit}"
    if not (tree / "CMakeLists.txt").exists():
        need(context.run("git", "worktree", "prune"), "git worktree prune")
        need(context.run("git", "worktree", "add", "--detach", tree, commit), f"commit {commit} is not in this clone")
    need(context.run("cmake", "--preset", "release", "-DTACTUS_TESTS=OFF", "-DTACTUS_BENCH=OFF", cwd=tree), "configuring it")
    need(context.run("cmake", "--build", "--preset", "release", "--target", "tactus", "tactus_io", "tactus_cli", cwd=tree), "building it")
    return tree


def renamed(tree):
    """Options of the compiler that give a version of before the constants' present names the names it has."""
    names = pathlib.Path("include/tactus/old_names.h")
    if (tree / names).exists():
        return []
    pairs = re.findall(r"#define (\w+) +TAC_OLD_NAME\((\w+)\)\n", (ROOT / names).read_text(encoding="utf-8"))
    return [f"-D{new}={old}" for old, new in pairs]


def compiled(context, source, tree, build, name):
    """A program of test/evidence compiled against the headers and shared libraries of a tree."""
    program = context.scratch / name
    libraries = [pathlib.Path(build) / folder for folder in ("src", "io")]
    command = ["cc", "-O1", "-ffp-contract=off", "-std=c17", *renamed(tree), f"-I{tree / 'include'}", ROOT / "test" / "evidence" / source, "-o", program]
    for folder in libraries:
        command += [f"-L{folder}", f"-Wl,-rpath,{folder}"]
    need(context.run(*command, "-ltactus_io", "-ltactus", "-lm"), f"compiling {source} for {name}")
    return program


def random_models(context):
    folder = context.scratch / "random"
    folder.mkdir(exist_ok=True)
    paths = []
    for seed in range(RANDOM_MODELS):
        paths.append(folder / f"random_{seed}.xml")
        need(context.run(context.tactus, "random", seed, "-o", paths[-1]), "tactus random")
    return paths


def bits_of(context, program, model):
    """{(model, contact, integrator): (motion, derivatives, the rest, failures, broken, the plain, shared, margins)}"""
    done = context.run(program, model, seconds=1800)
    if done.returncode != 0:
        raise Failed(f"{program.name}, {model.name}: exit {done.returncode}: {last_line(done.stderr)}")
    rows = [line.split() for line in done.stdout.splitlines()]
    return {(pathlib.Path(row[0]).stem, row[1], row[2]): tuple(row[3:]) for row in rows}


def kept_bits(context, tree, program, model):
    """bits_of an earlier version. They are kept beside it, under the hash of the model and of the program's source."""
    content = (ROOT / "test" / "evidence" / "evidence_bits.c").read_bytes() + model.read_bytes()
    path = tree / "build" / "bits" / f"{model.stem}-{hashlib.sha256(content).hexdigest()[:16]}.json"
    if not path.exists():
        bits = bits_of(context, program, model)
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps([[key, row] for key, row in bits.items()]), encoding="utf-8")
    return {tuple(key): tuple(row) for key, row in json.loads(path.read_text(encoding="utf-8"))}


def joined(parts):
    return {key: row for part in parts for key, row in part.items()}


def on_the_first_day(key, old, new):
    """Contact lcp refuses the integrators that it used to ignore; ncp has another law at states that break a constraint."""
    if new is None:
        return "integrator refused" if key[1].startswith("lcp") and key[2] != "euler" else None
    failures, broken = int(old[3]), max(float(old[4]), float(new[4]))
    return "infeasible states" if key[1].startswith("ncp") and (broken > CORRECTION or failures > 0) else None


def compare_bits(context, commit, columns, reason):
    """Runs of both versions, the first `columns` hashes compared; reason(key, old, new): why they may differ, or None.

    new is None where a run is gone."""
    tree = context.once(f"before-{commit}", lambda c: before_tree(c, commit))
    models = [*sorted((ROOT / "models").glob("*.xml")), *context.once("random models", random_models)]
    programs = [compiled(context, "evidence_bits.c", tree, tree / "build" / "release", f"bits-{commit}"), compiled(context, "evidence_bits.c", ROOT, context.build, "bits-now")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        old = pool.map(lambda model: kept_bits(context, tree, programs[0], model), models)
        new = pool.map(lambda model: bits_of(context, programs[1], model), models)
        old, new = joined(old), joined(new)
    if not old or not old.keys() >= new.keys():
        raise Failed("the two versions ran different models")
    reasons = {key: reason(key, old[key], new.get(key)) for key in old}
    changed = [key for key in old if key not in new or old[key][:columns] != new[key][:columns]]
    stray = [key for key in changed if not reasons[key]]
    lines = [f"{' '.join(key):44} {' '.join(old[key])} -> {' '.join(new.get(key, ()))}   {reasons[key] or 'NOT EXPECTED'}" for key in changed]
    return Result(not stray, f"{len(old) - len(changed)} of {len(old)} runs as before, {len(changed) - len(stray)} changed on purpose, {len(stray)} otherwise", lines)


def turns_alone(context, path):
    """1: a free or ball joint has no other joint above it or behind it, so that contact lcp keeps the energy of its body."""
    model = context.json_from(context.tactus, "info", path, "--json")
    parents = [row["parent"] for row in model["bodies"]]
    bodies = [joint["body"] for joint in model["joints"]]

    def joints_on_the_way_to(body):
        return bodies.count(body) + (joints_on_the_way_to(parents[body]) if body > 0 else 0)

    def is_behind(body, other):
        return body > 0 and (body == other or is_behind(parents[body], other))

    def is_alone(joint):
        behind = sum(is_behind(body, joint["body"]) for body in bodies)
        return joint["type"] in ("free", "ball") and joints_on_the_way_to(joint["body"]) == 1 and behind == 1

    return any(is_alone(joint) for joint in model["joints"])


# Runs that other work changed on purpose: contact, models (None: all), reason. Of contact lcp nothing else may differ but
# rounding where rows share forces.
TURNING = {"quadrotor", *(f"random_{seed}" for seed in (0, 2, 4, 10, 14, 16, 18, 19, 23, 24, 26, 27, 28, 35, 36, 37, 38, 39, 42, 47))}
ON_PURPOSE = (
    (("ncp", "ncp-pyramid", "ncp-smooth"), None, "another place of impulses, other searches"),
    (("lcp-toi",), {"atlas", "half_cheetah", "hopper", "humanoid"}, "a plastic impact is one impact at one time"),
    (("lcp", "lcp-bounce", "lcp-complementarity", "lcp-toi"), TURNING, "a body turns alone"),
)


def listed(table, key):
    """The reason of a run in a table of changes, or None."""
    return next((text for contacts, models, text in table if key[1] in contacts and (models is None or key[0] in models)), None)


def rounding(key, old, new, margins):
    """Why derivatives may differ where the motion does not, and all derivatives of steps whose rows share no forces are the same."""
    if old[0] != new[0] or old[5] != new[5] or not abs(float(old[6]) - float(new[6])) <= ROUNDING:
        return None
    if not margins or old[7] == new[7]:
        return "rounding: one matrix for both modes where rows share forces"
    return "margins tell the kinks of the return to the gap" if key[1] == "lcp-toi" else None


def on_purpose(context, margins=True):
    """Why bits of contact lcp and ncp may differ: reason(key, old, new) of compare_bits. margins: 0: they are not compared."""
    paths = [*sorted((ROOT / "models").glob("*.xml")), *context.once("random models", random_models)]
    straight = [path.stem for path in paths if path.stem in TURNING and not turns_alone(context, path)]
    if straight:
        raise Failed(f"no body turns alone in {', '.join(straight)}")

    def reason(key, old, new):
        text = listed(ON_PURPOSE, key)
        if text:
            return text
        return rounding(key, old, new, margins) if key[1].startswith("lcp") and new is not None else None

    return reason


@check("first-day-bits", bar="motions and derivatives of our robots and 50 random models as before, but for changes on purpose", slow=True)
def first_day_bits(context):
    since = on_purpose(context, margins=False)
    return compare_bits(context, BEFORE["first-day"], 2, lambda *row: on_the_first_day(*row) or since(*row))


@check("house-bits", bar="motions, derivatives, outputs and margins of our robots and 50 random models as before, every contact model and integrator", slow=True)
def house_bits(context):
    return compare_bits(context, BEFORE["house"], 3, on_purpose(context))


@check("house-bits-kept", bar="the same since a later commit, without exceptions: every contact model, contact ncp too, and every integrator", slow=True)
def house_bits_kept(context):
    return compare_bits(context, KEPT, 3, lambda key, old, new: listed(SINCE_KEPT, key))


class Timer:
    """evidence_speed of one version: answers with the CPU time of a call, in nanoseconds."""

    def __init__(self, program, models):
        command = ["taskset", "-c", str(max(os.sched_getaffinity(0))), str(program), *map(str, models)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, scene, piece, calls):
        self.process.stdin.write(f"{scene} {piece} {calls}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise Failed(f"evidence_speed: exit {self.process.wait()}")
        return float(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ratio(old, new, scene, piece):
    """New over old of one call: the median over alternating batches of a few milliseconds."""
    calls = max(1, round(BATCH_NS / old(scene, piece, 8)))
    ratios = []
    for turn in range(BATCHES):
        order = (old, new) if turn % 2 else (new, old)
        times = {timer: timer(scene, piece, calls) for timer in order}
        ratios.append(times[new] / times[old])
    return statistics.median(ratios)


def speed_ratios(context, commit, robots, contacts, pieces):
    """{(robot, contact, piece): ratios of new to old time, one a round}"""
    tree = context.once(f"before-{commit}", lambda c: before_tree(c, commit))
    programs = [compiled(context, "evidence_speed.c", tree, tree / "build" / "release", f"speed-{commit}"), compiled(context, "evidence_speed.c", ROOT, context.build, "speed-now")]
    models = [ROOT / "models" / f"{name}.xml" for name in robots]
    ratios = {(robot, contact, piece): [] for robot in robots for contact in contacts for piece in pieces}
    for _ in range(ROUNDS):  # new processes each time: the place of memory matters by several per cent
        old, new = (Timer(program, models) for program in programs)
        for key, values in ratios.items():
            scene = len(CONTACTS) * robots.index(key[0]) + CONTACTS.index(key[1])
            values.append(ratio(old, new, scene, PIECES.index(key[2])))
        old.close(), new.close()
    return ratios


def compare_speed(context, commit):
    ratios = speed_ratios(context, commit, SPEED_ROBOTS, CONTACTS, PIECES)
    medians = {key: statistics.median(values) for key, values in ratios.items()}
    worst = max(medians, key=medians.get)
    return Result(medians[worst] <= SPEED_BAR, f"worst {medians[worst]:.3f} ({' '.join(worst)}), {len(medians)} times, median {statistics.median(medians.values()):.3f}", speed_lines(ratios))


def speed_lines(ratios):
    return [f"{' '.join(key):36} {statistics.median(values):.3f}   {min(values):.3f} to {max(values):.3f}" for key, values in ratios.items()]


for work, commit in BEFORE.items():
    check(f"{work}-speed", bar=f"steps and derivatives at most {SPEED_BAR} of before: median of {ROUNDS} rounds, interleaved, thread CPU time", slow=True)(functools.partial(compare_speed, commit=commit))
