"""Real robots: `tactus eval` beside the shared true numbers, model by model, state by state."""

import concurrent.futures
import json
import math
import os
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field

from checks.models import entry_of
from checks.registry import CannotRun, Result, check, last_line
from checks.robots import compare

TOL_KINEMATICS = 1e-9  # of max(1, |x|)
TOL_DYNAMICS = 1e-8  # of the largest entry
TOL_INERTIA = 1e-8  # of the body's own
LEAST_AGREEING = 0.90  # of the models without a feature that is still to come
BIAS_FLOOR = 1e-6  # N m: below this a bias force is rounding noise
MASS_FLOOR = 1e-12  # kg, kg m^2
SINGULAR_PIVOT = 1e-12  # relative Cholesky pivot below which a mass matrix has no inverse

# Quantities the acceptance line names, and their bars; the rest is reported beside them.
BARS = {
    "xpos": TOL_KINEMATICS,
    "xquat": TOL_KINEMATICS,
    "sites": TOL_KINEMATICS,
    "mass_matrix": TOL_DYNAMICS,
    "bias": TOL_DYNAMICS,
    "mass": TOL_INERTIA,
    "ipos": TOL_INERTIA,
    "inertia": TOL_INERTIA,
}
EXTRA_BARS = {
    "actuator_length": TOL_DYNAMICS,
    "actuator_velocity": TOL_DYNAMICS,
    "actuator_force": TOL_DYNAMICS,
    "passive": TOL_DYNAMICS,
    "kinetic": TOL_DYNAMICS,
    "potential": TOL_DYNAMICS,
    "com": TOL_KINEMATICS,
}

# Element or attribute words one of which the refusal must contain.
NAMING = {
    "spatial tendon": ["spatial"],
    "muscle": ["muscle"],
    "equality": ["equality", "connect", "weld", "mimic"],
    "flex": ["flex"],
    "plugin": ["plugin", "extension"],
    "fluid": ["density", "viscosity", "wind", "fluid"],
    "loop": ["loop"],
    "height field": ["hfield", "height field"],
}


@dataclass
class Outcome:
    """One model in one variant: what was expected and what came."""

    model: str
    variant: str
    features: list  # what of NAMING the file uses
    singular: bool  # the inertias as written give a singular mass matrix
    strict_exit: int = 0
    strict_message: str = ""
    exit: int = 0  # of the runs that are compared (lenient when there are features)
    message: str = ""
    states: int = 0
    errors: dict = field(default_factory=dict)  # quantity -> (worst error, where)

    @property
    def loaded(self):
        return self.exit == 0 and self.states > 0

    @property
    def wrong(self):
        """Quantities whose error is over their bar."""
        return [name for name, bar in BARS.items() if not self.errors.get(name, (0, ""))[0] <= bar] if self.loaded else []

    @property
    def extra_wrong(self):
        return [name for name, bar in EXTRA_BARS.items() if not self.errors.get(name, (0, ""))[0] <= bar] if self.loaded else []

    @property
    def agrees(self):
        return self.loaded and not self.wrong

    @property
    def refused_by_name(self):
        """Strict loading failed with a message that names one of the features."""
        words = [word for feature in self.features for word in NAMING[feature]] + ["singular"] * self.singular
        return self.strict_exit == 2 and any(word in self.strict_message.lower() for word in words)

    def line(self):
        head = f"{self.model}/{self.variant}"
        if not self.loaded:
            return f"{head:36} not loaded: {self.message or self.strict_message}"
        worst = " ".join(
            f"{name}={error:.1e}" for name, (error, _) in self.errors.items() if name in BARS or error > EXTRA_BARS.get(name, 1)
        )
        text = f"{head:36} {'agrees' if self.agrees else 'WRONG '} {self.states} states {worst}"
        for name in self.wrong + self.extra_wrong:
            text += f"\n            {name}: {self.errors[name][0]:.3e} at {self.errors[name][1]}"
        return text


# --- What a truth file says about a model --------------------------------------------------------------------------


def features_of(model):
    """What the compiled model uses that is still to come."""
    found = []
    if any(wrap["type"] != "joint" for tendon in model["tendons"] for wrap in tendon.get("wrap", [])):
        found.append("spatial tendon")
    if any("muscle" in (a["dyntype"], a["gaintype"], a["biastype"]) for a in model["actuators"]):
        found.append("muscle")
    if model["neq"]:
        found.append("equality")
    if model["nflex"]:
        found.append("flex")
    if model["nplugin"]:
        found.append("plugin")
    if model["nhfield"]:
        found.append("height field")
    medium = model["opt"]
    if medium["density"] or medium["viscosity"] or any(medium["wind"]):
        found.append("fluid")
    return found


def unusual_actuators(model):
    """Indices of actuators that give no force yet: muscles, spatial tendons, and what needs contacts."""
    spatial = {t["name"] for t in model["tendons"] if any(w["type"] != "joint" for w in t.get("wrap", []))}
    return {
        a["id"]
        for a in model["actuators"]
        if "muscle" in (a["dyntype"], a["gaintype"], a["biastype"])
        or (a["trntype"] == "tendon" and a["target"] in spatial)
        or a["trntype"] == "body"
    }


def urdf_inertials(path):
    """link name -> (mass, ipos, tensor in link axes) as the URDF writes them; a link without inertial weighs nothing."""
    found = {}
    for link in xml.parse(path).getroot().findall("link"):
        inertial = link.find("inertial")
        if inertial is None:
            found[link.get("name")] = (0.0, [0.0] * 3, [[0.0] * 3 for _ in range(3)])
            continue
        origin, mass, inertia = (inertial.find(tag) for tag in ("origin", "mass", "inertia"))
        pos, rpy = ([0.0] * 3, [0.0] * 3) if origin is None else (numbers(origin, "xyz"), numbers(origin, "rpy"))
        get = lambda key: float(inertia.get(key, 0)) if inertia is not None else 0.0  # noqa: E731
        xx, yy, zz, xy, xz, yz = (get(key) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        axes = compare.rotation_from_rpy(*rpy)
        local = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        full = compare.product(compare.product(axes, local), compare.transposed(axes))
        found[link.get("name")] = (float(mass.get("value")) if mass is not None else 0.0, pos, full)
    return found


def numbers(element, key):
    text = element.get(key)
    return [float(word) for word in text.split()] if text else [0.0] * 3


# --- Comparing one state -------------------------------------------------------------------------------------------


class Worst:
    """Keeps the worst error of each quantity and where it was."""

    def __init__(self):
        self.errors = {}

    def see(self, quantity, error, where):
        if quantity not in self.errors or not error <= self.errors[quantity][0]:
            self.errors[quantity] = (error, where)


def compare_bodies(worst, ours, model, state, literal, where):
    """literal: the URDF's own inertials where the truth's were changed to suit MuJoCo, else None."""
    true = model["bodies"]
    if len(ours) != len(true):
        worst.see("xpos", math.inf, f"{where}: {len(ours)} bodies, true {len(true)}")
        return
    for i, (mine, body) in enumerate(zip(ours, true)):
        at = f"{where}: body {body['name'] or i}"
        worst.see("xpos", compare.absolute_error(mine["pos"], state["xpos"][i]), at)
        worst.see("xquat", compare.quaternion_error(mine["quat"], state["xquat"][i]), at)
        mass, ipos, full = body["mass"], body["ipos"], compare.tensor(body["iquat"], body["inertia"])
        if literal is not None and body["name"] in literal:
            mass, ipos, full = literal[body["name"]]
        worst.see("mass", compare.relative_error(mine["mass"], mass, MASS_FLOOR), at)
        worst.see("ipos" if mass else "ipos_massless", compare.absolute_error(mine["ipos"], ipos), at)
        tensor = compare.tensor(mine["iquat"], mine["inertia"])
        worst.see("inertia", compare.relative_error(tensor, full, MASS_FLOOR), at)


def compare_actuators(worst, ours, model, state, skip, where):
    for i, actuator in enumerate(model["actuators"]):
        if i in skip:
            continue
        at = f"{where}: actuator {actuator['name'] or i}"
        for key in ("length", "velocity", "force"):
            error = compare.absolute_error(ours[i][key], state[f"actuator_{key}"][i]) if i < len(ours) else math.inf
            worst.see(f"actuator_{key}", error, at)


def compare_state(worst, ours, model, state, literal, skip):
    where = state["name"]
    M = state.get("M_urdf_literal", state["M"])
    bias = state.get("qfrc_bias_urdf_literal", state["qfrc_bias"])
    kinetic = state.get("kinetic_urdf_literal", state["energy"]["kinetic"])
    compare_bodies(worst, ours["bodies"], model, state, literal, where)
    for i, site in enumerate(model["sites"]):
        mine = ours["sites"][i]["pos"] if i < len(ours["sites"]) else []
        worst.see("sites", compare.absolute_error(mine, state["site_xpos"][i]), f"{where}: site {site['name'] or i}")
    worst.see("mass_matrix", compare.relative_error(ours["mass_matrix"], M, MASS_FLOOR), where)
    worst.see("bias", compare.relative_error(ours["bias"], bias, BIAS_FLOOR), where)
    worst.see("mass_matrix_scaled", compare.scaled_matrix_error(ours["mass_matrix"], M), where)
    compare_actuators(worst, ours["actuators"], model, state, skip, where)
    worst.see("kinetic", compare.relative_error(ours["energy"]["kinetic"], kinetic, 1.0), where)
    if literal is None:
        worst.see("com", compare.absolute_error(ours["com"], state["subtree_com"][0]), where)
        if not features_of(model):
            worst.see("potential", compare.relative_error(ours["energy"]["potential"], state["energy"]["potential"], 1.0), where)
            worst.see("passive", compare.relative_error(ours["passive"], state["qfrc_passive"], 1.0), where)


# --- Running one model ---------------------------------------------------------------------------------------------

STATE_KEYS = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat")


def evaluate(context, path, variant, state, lenient, outside=False):
    """-> (exit code, error text, parsed JSON or None) of tactus eval. A model whose files lie beside its folder is given
    leave to open them."""
    name = f"{path.parent.name}-{variant['variant']}-{state['name']}-{int(lenient)}.json"
    file = context.scratch / name
    file.write_text(json.dumps({key: state[key] for key in STATE_KEYS if state.get(key) is not None}))
    command = [context.tactus, "eval", path, "--state", file, "--json"]
    if variant["urdf_compiler"] is not None:
        command += ["--base", "floating" if variant["floating_base"] else "fixed"]
    if lenient:
        command.append("--lenient")
    if outside:
        command.append("--allow-outside")
    done = context.run(*command)
    file.unlink()
    if done.returncode == 2 and not outside and "outside the model's folder" in done.stderr:
        return evaluate(context, path, variant, state, lenient, outside=True)
    if done.returncode != 0:
        return done.returncode, last_line(done.stderr), None
    try:
        return 0, "", json.loads(done.stdout)
    except ValueError as reason:
        return -1, f"not JSON: {reason}", None


def examine(context, folder, variant):
    """Loads and compares one model in one variant."""
    path = entry_of(folder)
    model, states = variant["model"], variant["states"]
    literal_M = [s["M_urdf_literal"] for s in states if "M_urdf_literal" in s]
    outcome = Outcome(
        model=folder.name,
        variant=variant["variant"],
        features=features_of(model) + (["loop"] if "<loop_joint" in path.read_text(errors="replace") else []),
        singular=any(compare.smallest_pivot(M) < SINGULAR_PIVOT for M in literal_M),
    )
    outcome.strict_exit, outcome.strict_message, _ = evaluate(context, path, variant, states[0], lenient=False)
    literal = urdf_inertials(path) if literal_M else None
    worst, skip = Worst(), unusual_actuators(model)
    for state in states:
        outcome.exit, outcome.message, ours = evaluate(context, path, variant, state, lenient=bool(outcome.features))
        if ours is None:
            break
        outcome.states += 1
        try:
            compare_state(worst, ours, model, state, literal, skip)
        except (KeyError, TypeError, IndexError) as reason:
            outcome.exit, outcome.message = -1, f"unexpected JSON: {reason!r}"
            break
    outcome.errors = worst.errors
    return outcome


def examine_all(context):
    """Every shared model and variant, two at a time."""
    if not context.tactus.exists():
        raise CannotRun(f"{context.tactus} is not built")
    work = []
    for folder in context.shared_models():
        for variant in json.loads((folder / "truth.json").read_text())["variants"]:
            work.append((folder, variant))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(lambda item: examine(context, *item), work))


def outcomes(context):
    return context.once("truth", examine_all)


# --- The checks ----------------------------------------------------------------------------------------------------


def by_model(found):
    """-> {model: [outcomes of its variants]}"""
    models = {}
    for outcome in found:
        models.setdefault(outcome.model, []).append(outcome)
    return models


def to_come(outcome):
    """Features the acceptance line lets fail; a fluid medium, a height field and a URDF's loop are not among them."""
    return [feature for feature in outcome.features if feature not in ("fluid", "loop", "height field")]


def acceptable(outcome):
    """Agrees; or is refused because the inertias as written have no inverse."""
    return outcome.agrees or (outcome.singular and outcome.exit == 2)


def good_strictly(outcome):
    """The same without --lenient."""
    return (acceptable(outcome) and outcome.strict_exit == 0) or (outcome.singular and outcome.strict_exit == 2)


@check("robots-truth", bar="at least 90 % of the plain models load strictly and agree")
def truth(context):
    plain = {n: o for n, o in by_model(outcomes(context)).items() if not any(to_come(x) for x in o)}
    good = [n for n, o in plain.items() if all(good_strictly(x) for x in o)]
    lines = [x.line() for n, o in plain.items() for x in o]
    states = sum(x.states for o in plain.values() for x in o)
    share = len(good) / len(plain) if plain else 0
    return Result(
        share >= LEAST_AGREEING, f"{len(good)} of {len(plain)} models agree ({100 * share:.1f} %), {states} states", lines
    )


@check("robots-wrong-numbers", bar="0 models give a wrong number, strict or lenient")
def wrong_numbers(context):
    found = outcomes(context)
    wrong = [x for x in found if x.wrong]
    return Result(not wrong, f"{len(wrong)} wrong of {len(found)} model variants", [x.line() for x in wrong])


@check("robots-refused", bar="every model with a feature to come fails strictly, exit 2, naming it")
def refused(context):
    special = [x for x in outcomes(context) if x.features]
    bad = [x for x in special if not x.refused_by_name]
    lines = [f"{x.model}/{x.variant}: {', '.join(x.features)}: exit {x.strict_exit}: {x.strict_message}" for x in special]
    return Result(not bad, f"{len(special) - len(bad)} of {len(special)} refused by name", lines)


@check("robots-lenient", bar="every model with a feature to come loads with --lenient and agrees")
def lenient(context):
    special = [x for x in outcomes(context) if x.features]
    bad = [x for x in special if not acceptable(x)]
    return Result(not bad, f"{len(special) - len(bad)} of {len(special)} agree", [x.line() for x in special])


@check("robots-truth-extra", bar="actuators, passive forces, energies, centre of mass to 1e-8 wherever comparable")
def extra(context):
    loaded = [x for x in outcomes(context) if x.loaded]
    bad = [x for x in loaded if x.extra_wrong]
    return Result(not bad and bool(loaded), f"{len(loaded) - len(bad)} of {len(loaded)} model variants agree", [x.line() for x in bad])
