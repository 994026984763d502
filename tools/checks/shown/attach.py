"""Models that are put together from several files."""

import json

from checks.peers import PACKAGE
from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line
from checks.unit import unit_tests

MODELS = [ROOT / "test" / "data" / "attached" / name for name in ("scene.xml", "fingers.xml")]
SAMPLES = 20
TOL = 1e-10  # relative to the largest number of its kind


def asked(context, *command):
    done = context.run(context.tactus, *command)
    if done.returncode != 0:
        raise Failed(last_line(done.stderr))
    return done.stdout


def theirs(context, model, states):
    script = ROOT / "tools" / "checks" / "shown" / "mujoco_model.mjs"
    done = context.run("node", script, PACKAGE, model.parent, model.name, states)
    if done.returncode != 0:
        raise Failed(last_line(done.stderr))
    return json.loads(done.stdout)


def ours(context, model, state):
    file = context.scratch / "attached-state.json"
    file.write_text(json.dumps({key: state[key] for key in ("qpos", "qvel", "act", "ctrl")}))
    found = json.loads(asked(context, "eval", model, "--state", file, "--json"))
    quat = []
    for body in found["bodies"]:
        quat += body["quat"]
    return {"pos": [x for body in found["bodies"] for x in body["pos"]], "quat": quat, "bias": found["bias"], "passive": found["passive"], "actuator": found["qfrc_actuator"]}


def same_sign(quat, like):
    """q and -q are one rotation."""
    out = []
    for i in range(0, len(quat), 4):
        sign = -1 if sum(a * b for a, b in zip(quat[i : i + 4], like[i : i + 4], strict=True)) < 0 else 1
        out += [sign * x for x in quat[i : i + 4]]
    return out


def largest_difference(mine, peer):
    return max(abs(a - b) for a, b in zip(mine, peer, strict=True)) / max(1e-6, max(abs(b) for b in peer))


def wrong_names(info, peer):
    """The kinds whose names, in their order, differ."""
    mine = {kind: [row if isinstance(row, str) else row["name"] for row in info[kind]] for kind in peer["names"]}
    return [f"{kind}: {mine[kind]} for {names}" for kind, names in peer["names"].items() if mine[kind] != names]


def compare(context, model):
    """-> names of what differs, largest relative difference of each term, number of states, MuJoCo's version."""
    states = context.scratch / "attached-states.json"
    asked(context, "compare", model, "--samples", SAMPLES, "--states", states)
    peer, info = theirs(context, model, states), json.loads(asked(context, "info", model, "--json"))
    wrong = [f"{key}: {info[key]} for {value}" for key, value in peer["sizes"].items() if info[key] != value] + wrong_names(info, peer)
    errors = {"mass": largest_difference([body["mass"] for body in info["bodies"]], peer["mass"])}
    for state, terms in zip(json.loads(states.read_text())["states"], peer["terms"], strict=True):
        mine = ours(context, model, state)
        mine["quat"] = same_sign(mine["quat"], terms["quat"])
        for key, value in terms.items():
            errors[key] = max(errors.get(key, 0), largest_difference(mine[key], value))
    return wrong, errors, len(peer["terms"]), peer["version"]


@check("shown-attach", bar=f"<model>, <attach>, also in <replicate>: unit tests pass; two models of three files beside MuJoCo 3.x: same sizes, names, masses, and poses and forces at {SAMPLES} states within {TOL}")
def attach(context):
    tests = unit_tests(context, "test_mjcf_attach")
    failed = [name for name, (ok, _) in tests.items() if not ok]
    if not PACKAGE.exists():
        raise CannotRun("MuJoCo 3.x is not installed: ./dev peers")
    wrong, worst, states, details, version = [], 0, 0, [], ""
    for model in MODELS:
        different, errors, n, version = compare(context, model)
        wrong += [f"{model.name}: {text}" for text in different]
        worst = max(worst, *errors.values())
        states += n
        details += [f"{model.name}: {key}: {value:.1e}" for key, value in errors.items()]
    ok = not failed and not wrong and worst <= TOL and len(tests) > 0 and states == SAMPLES * len(MODELS)
    figure = f"{len(tests) - len(failed)} of {len(tests)} tests; {len(MODELS)} models beside {version}: {len(wrong)} sizes or names differ, largest relative difference {worst:.0e}"
    return Result(ok, figure, wrong + details)
