"""Contact soft beside MuJoCo: at random states with its contacts and with our own, and along motions."""

import concurrent.futures
import json
import os
import pathlib
from dataclasses import dataclass, field

from checks.models import entry_of, our_models
from checks.peers import PACKAGE
from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

SAMPLES = 100
TOL = "1e-6"
MINUTES = 60
# Files for tests: what our robots leave out.
DATA = ["box_pile", "stone_pile", "touching", "soft_terms", "rows", "clamps", "everything", "ratios", "soft_pairs"]
# Models that the comparison cannot be about, and why.
ELSEWHERE = {
    "urdf_dojo_fourbar": "its loop joint is an extension that MuJoCo does not read",
    "urdf_r2d2": "wheels whose centre does not move with their joint: MuJoCo's estimate of the inverse inertia is zero there, and R stays at its bound 1e-15; accelerations agree, forces have no digits left in either engine",
}


@dataclass
class Model:
    """One file, or the reason why it is not compared."""

    name: str
    path: pathlib.Path
    root: pathlib.Path  # a folder with all its files
    options: list = field(default_factory=list)
    compiler: str = ""  # JSON: what a URDF file is given to suit MuJoCo
    cone: str = "model"

    def command(self, context, *more):
        return [context.tactus, "compare", self.path, "--integrator", "euler", "--cone", self.cone, *self.options, *more]


def shared_model(folder):
    truth = json.loads((folder / "truth.json").read_text())
    fixed = [variant for variant in truth["variants"] if not variant["floating_base"]] or truth["variants"]
    compiler = fixed[0]["urdf_compiler"]
    options = ["--allow-outside"] + (["--base", "fixed"] if compiler else [])
    return Model(folder.name, entry_of(folder), folder, options, json.dumps(compiler) if compiler else "")


def all_models(context):
    ours = [ROOT / path for path in our_models()] + [ROOT / "test" / "data" / f"{name}.xml" for name in DATA]
    models = [Model(path.stem, path, path.parent) for path in ours if not context.only or context.only in path.stem]
    models += [Model(f"{path.stem} ({cone})", path, path.parent, cone=cone) for path in ours for cone in ("pyramidal", "elliptic") if path.stem in ("soft_terms", "soft_pairs", "humanoid", "quadruped") and (not context.only or context.only in path.stem)]
    return models + [shared_model(folder) for folder in context.shared_models()]


# --- What MuJoCo says ------------------------------------------------------------------------------------------------


def parsed(done):
    """The comparison that a finished command printed, or None."""
    try:
        return json.loads(done.stdout) if done.returncode in (0, 1) else None
    except ValueError:
        return None


def error_line(text):
    words = [line for line in text.splitlines() if "Error" in line and "at " not in line]
    return words[0][:160] if words else last_line(text)[-160:]


def in_process(context, model):
    """-> (comparison with MuJoCo 2.2.2 and its contacts, reason for none)"""
    done = context.run(*model.command(context, "--samples", SAMPLES, "--contacts", "theirs", "--json"), seconds=20 * MINUTES)
    return parsed(done), last_line(done.stderr)


def answers(context, model):
    """Random states, and what MuJoCo 3.x says of them -> the file, or the reason for none."""
    if not PACKAGE.exists():
        raise CannotRun("MuJoCo 3.x is not installed: ./dev peers")
    states, file = (context.scratch / f"{model.name.replace(' ', '_')}-{what}.json" for what in ("states", "answers"))
    done = context.run(*model.command(context, "--samples", SAMPLES, "--states", states), seconds=20 * MINUTES)
    if done.returncode != 0:
        return None, last_line(done.stderr)
    script = ROOT / "tools" / "checks" / "soft" / "mujoco_answers.mjs"
    command = ["node", script, PACKAGE, model.root, model.path.relative_to(model.root), states, file]
    done = context.run(*command, *([model.compiler] if model.compiler else []), seconds=20 * MINUTES)
    return (file, "") if done.returncode == 0 else (None, error_line(done.stderr))


def elsewhere(context, model, contacts):
    """-> (comparison with MuJoCo 3.x, reason for none)"""
    file, reason = context.once(f"answers of {model.name}", lambda context: answers(context, model))
    if file is None:
        return None, reason
    done = context.run(*model.command(context, "--answers", file, "--contacts", contacts, "--json"), seconds=20 * MINUTES)
    found = parsed(done)
    if found is None:
        raise Failed(f"{model.name}: {last_line(done.stderr)}")
    return found, ""


def in_parallel(context, work):
    models = all_models(context)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(zip(models, pool.map(lambda model: work(context, model), models), strict=True))


# --- Its contacts ----------------------------------------------------------------------------------------------------


def agrees(found):
    return found is not None and found["within"] == found["count"] > 0


def with_their_contacts(context, model):
    """2.2.2 where it agrees; what that does not load, or has other rules for, by 3.x."""
    found, why = in_process(context, model)
    if agrees(found):
        return found, ""
    newer, reason = elsewhere(context, model, "theirs")
    if newer is None:
        return found, reason
    return newer, f"2.2.2: {why if found is None else 'differs'}"[-120:]


def figures(found):
    return f"{found['within']} of {found['count']} ({found['in_contact']} in contact) with {found['peer_version']}: acceleration {found['acceleration']:.0e}, force {found['force']:.0e}, mixing {found['mixing']:.0e}"


@check(
    "soft-mujoco",
    bar=f"MuJoCo's contacts, {SAMPLES} random states each of our models and every shared model without spatial tendons and muscles that a MuJoCo loads: acceleration and constraint forces within {TOL}, relative",
    slow=True,
)
def mujoco(context):
    rows = in_parallel(context, with_their_contacts)
    compared = [(model, found) for model, (found, _) in rows if found is not None and model.name not in ELSEWHERE]
    good = [model for model, found in compared if agrees(found)]
    worst = max((max(found["acceleration"], found["force"]) for _, found in compared if agrees(found)), default=1)
    states, touching = (sum(found[key] for _, found in compared) for key in ("count", "in_contact"))
    lines = [f"{model.name:28} {figures(found) + ' ' if found else ''}{ELSEWHERE.get(model.name, why)}" for model, (found, why) in rows]
    bad = [model.name for model, found in compared if not agrees(found)]
    figure = f"{len(good)} of {len(compared)} models agree, worst of them {worst:.0e}; {touching} of {states} states in contact"
    return Result(not bad and len(good) > 0, figure + (f"; not: {', '.join(bad)}" if bad else ""), lines)


# --- Our contacts ----------------------------------------------------------------------------------------------------


def reason_of(types):
    """Why two shapes have other contacts than in MuJoCo (docs/guide/mujoco_differences.md)."""
    closed = {"plane", "sphere", "capsule", "box"}
    if "mesh" in types:
        return "MuJoCo has at most 4 points, ours a face's corners" if "plane" in types else "other points of the patch, depths along another normal"
    if set(types) <= closed:
        return "our patch has all corners of the faces that meet; MuJoCo leaves some out"
    return "MuJoCo's iterations end at 1e-6, ours at rounding; patches where faces meet"


def with_our_contacts(context, model):
    return elsewhere(context, model, "ours")


@check(
    "soft-mujoco-contacts",
    bar=f"our own contacts, the same states: within {TOL} wherever the contacts are the same; other pairs of shapes tabulated with the reason",
    slow=True,
)
def mujoco_contacts(context):
    rows = [(model, found) for model, (found, _) in in_parallel(context, with_our_contacts) if found is not None and model.name not in ELSEWHERE]
    count, same, within = (sum(get(found) for _, found in rows) for get in (lambda f: f["count"], lambda f: f["contact_set"]["same"], lambda f: f["within"]))
    table = {}
    for _, found in rows:
        for pair in found["contact_set"]["pairs"]:
            types = tuple(pair["types"])
            table[types] = table.get(types, 0) + pair["states"]
    lines = [f"{' and '.join(types):24} differ {n} times: {reason_of(types)}" for types, n in sorted(table.items(), key=lambda item: -item[1])]
    bad = [model.name for model, found in rows if found["within"] != found["contact_set"]["same"]]
    lines += [f"{model.name:28} contacts the same in {found['contact_set']['same']} of {found['count']}; {figures(found)}" for model, found in rows]
    figure = f"{within} of {same} states with the same contacts agree; {count - same} of {count} have other contacts, of {len(table)} pairs of shapes"
    return Result(not bad and same > 0, figure + (f"; not: {', '.join(bad)}" if bad else ""), lines)


# --- Motions ---------------------------------------------------------------------------------------------------------

BALL = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 0.1"/>
<body pos="0 0 0.2"><freejoint/><geom type="sphere" size="0.1" condim="6" friction="0.8 0.01 0.002"/></body></worldbody></mujoco>"""
MOTIONS = {
    "pendulum": ("models/pendulum.xml", {"qpos": [1.2]}),
    "double pendulum": ("models/double_pendulum.xml", {"qpos": [1.0, 0.5]}),
    "sliding box": ("models/box.xml", {"qpos": [0, 0, 0.25, 1, 0, 0, 0], "qvel": [3, 0.5, 0, 0, 0, 0]}),
    "tilting box": ("models/box.xml", {"qpos": [0, 0, 0.34, 0.9238795325112867, 0.3826834323650898, 0, 0]}),
    "ball drop": (BALL, {"qpos": [0, 0, 0.2, 1, 0, 0, 0], "qvel": [0.5, 0, 0, 1, 2, 3]}),
    "four-bar": ("models/four_bar.xml", {"qvel": [1, 0, 0]}),
    "arm under servo": ("models/panda.xml", {"key": "home", "ctrl": [0.3, 0.4, 0.2, -1.8, 0.1, 1.6, 0.5, 0.03]}),
    "standing quadruped": ("models/quadruped.xml", {"key": "0"}),
}
STEPS = 200
# Whose reference has changed since 2.2.2 (docs/guide/mujoco_differences.md): these go beside 3.x.
NEWER = ("four-bar",)


def their_motion(context, path, state):
    """-> (states after each step, version) of MuJoCo 3.x"""
    if not PACKAGE.exists():
        raise CannotRun("MuJoCo 3.x is not installed: ./dev peers")
    asked, file = (context.scratch / f"{pathlib.Path(path).stem}-{what}.json" for what in ("start", "motion"))
    context.run(context.tactus, "compare", path, "--integrator", "euler", "--samples", 1, "--states", asked)
    start = json.loads(asked.read_text())
    start.update(steps=STEPS, states=[{"qpos": [], "qvel": [], "act": [], "ctrl": [], **state}])
    asked.write_text(json.dumps(start))
    script = ROOT / "tools" / "checks" / "soft" / "mujoco_answers.mjs"
    done = context.run("node", script, PACKAGE, (ROOT / path).parent, pathlib.Path(path).name, asked, file)
    if done.returncode != 0:
        raise Failed(f"{path}: {error_line(done.stderr)}")
    found = json.loads(file.read_text())
    return found["answers"][0]["motion"], found["version"]


def newer_motion(context, path, state, start):
    """As compare has it: the largest differences along the motion, and how often they are small."""
    theirs, version = their_motion(context, path, state)
    out = context.scratch / f"{pathlib.Path(path).stem}.csv"
    done = context.run(context.tactus, "sim", path, "--contact", "soft", "--integrator", "euler", "--steps", STEPS, *start, "-o", out)
    if done.returncode != 0:
        raise Failed(f"{path}: {last_line(done.stderr)}")
    head, *lines = [line.split(",") for line in out.read_text().splitlines()]
    found, bad = {"in_contact": 0, "count": len(theirs), "peer_version": version}, []
    for quantity, key in (("position", "qpos"), ("velocity", "qvel")):
        columns = [k for k, name in enumerate(head) if name.startswith(f"{key}:")]
        errors = [max(abs(float(line[k]) - value) for k, value in zip(columns, row[key], strict=True)) for line, row in zip(lines[1:], theirs, strict=True)]
        found[quantity] = max(errors)
        bad += [k for k, error in enumerate(errors) if not error <= float(TOL)]
    return found | {"first_difference": min(bad, default=None)}


def motion(context, name):
    path, state = MOTIONS[name]
    file = context.scratch / f"{name.replace(' ', '_')}.json"
    if path.startswith("<"):
        file.with_suffix(".xml").write_text(path)
        path = file.with_suffix(".xml")
    file.write_text(json.dumps({key: value for key, value in state.items() if key != "key"}))
    start = ["--state", file, *(["--key", state["key"]] if "key" in state else [])]
    if name in NEWER:
        return newer_motion(context, path, state, start)
    command = [context.tactus, "compare", path, "--steps", STEPS, "--integrator", "euler", *start, "--json"]
    done = context.run(*command)
    found = parsed(done)
    if found is None:
        raise CannotRun(f"{name}: {last_line(done.stderr)}") if "not installed" in done.stderr else Failed(f"{name}: {last_line(done.stderr)}")
    return found


@check("soft-trajectories", bar=f"{STEPS} steps beside MuJoCo 2.2.2 ({', '.join(NEWER)}: 3.x) with our own contacts within {TOL}: {', '.join(MOTIONS)}")
def trajectories(context):
    rows = {name: motion(context, name) for name in MOTIONS}
    worst = {name: max(found["position"], found["velocity"]) for name, found in rows.items()}
    lines = [f"{name:20} position {found['position']:.0e}, velocity {found['velocity']:.0e}, in contact {found['in_contact']} of {found['count']}, first difference {found['first_difference']}, {found['peer_version']}" for name, found in rows.items()]
    figure = ", ".join(f"{name} {error:.0e}" for name, error in worst.items())
    return Result(all(error <= float(TOL) for error in worst.values()), figure, lines)
