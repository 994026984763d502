"""Contacts of whole models: beside MuJoCo's, in time and in memory."""

import concurrent.futures
import json
import math
import os
from dataclasses import dataclass

from checks.collision import mujoco_points
from checks.evidence import json_lines
from checks.models import entry_of, our_models
from checks.peers import PACKAGE
from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line
from checks.robots.truth import evaluate, features_of
from checks.times import bench_rows_of, number

TOL_DISTANCE = 1e-6  # m
LEAST_AGREEING = 0.97
BROAD_EXPONENT = 1.3
FASTER = ("humanoid", "boxes_apart", "boxes_pile")  # scenes whose collision stage takes at most MuJoCo's time
QUIETEST_OF = 3  # runs


# --- Against the true numbers --------------------------------------------------------------------------------------
#
# MuJoCo has two numbers for two geoms that overlap: its signed distance (mj_geomDistance), and the deepest of its
# contacts. They are the same for single contacts. Where faces lie within 5 degrees of each other it makes several points
# and measures them along the normal of one of the faces: those are not the pair's distance. The check compares the deepest
# contact of either list. A pair that MuJoCo's list does not have has no deepest contact there; its distance takes its
# place. The figure says how many agree by which number, and of how many of the others MuJoCo's number is reproduced from
# our shapes (mujoco_points.py). Each of them is listed with all four numbers and the reason.


@dataclass
class Pair:
    """Two geoms that touch in MuJoCo, in Tactus or in both, at one state."""

    model: str
    variant: dict
    state: dict
    geoms: tuple  # as the truth numbers them
    contact: float = math.inf  # deepest of MuJoCo's contacts
    ours: float = math.inf  # deepest of our contacts
    nearest: float = math.nan  # our signed distance
    distance: float = math.nan  # MuJoCo's signed distance
    slow: float = math.nan
    why: str = "not measured"  # of a contact that is not the distance
    explained: bool = False

    @property
    def touches_only(self):
        """Two geoms at a distance of nothing, to rounding: MuJoCo makes no contact of them, and its distance says the same."""
        return self.contact == math.inf and abs(self.ours) <= TOL_DISTANCE and self.agrees_by_distance

    @property
    def agrees_by_contact(self):
        return abs(self.contact - self.ours) <= TOL_DISTANCE

    @property
    def agrees_by_distance(self):
        return abs(self.distance - self.nearest) <= TOL_DISTANCE

    def line(self):
        name = f"{self.model}/{self.variant['variant']} {self.state['name']} geoms {self.geoms[0]} {self.geoms[1]}"
        contact = "none" if self.contact == math.inf else f"{self.contact:.9g}"
        numbers = f"MuJoCo's contact {contact}, its distance {self.distance:.9g}; ours {self.ours:.9g}, distance {self.nearest:.9g}; slow method {self.slow:.9g}"
        return f"{name:58} {numbers}; {self.why}"


def deepest(contacts, rename=lambda geom: geom):
    """-> {(geom, geom): least distance}, the smaller number first."""
    found = {}
    for contact in contacts:
        key = tuple(sorted((rename(contact["geom1"]), rename(contact["geom2"]))))
        found[key] = min(found.get(key, math.inf), contact["dist"])
    return found


def load_options(path, variant):
    """Options of `tactus` for a shared model."""
    words = ["--allow-outside"]
    if variant["urdf_compiler"] is not None:
        words += ["--base", "floating" if variant["floating_base"] else "fixed"]
    if features_of(variant["model"]) or "<loop_joint" in path.read_text(errors="replace"):
        words.append("--lenient")
    return words


def bounded(variant):
    """What of the truth's inertias is not the file's: MuJoCo was told to raise them."""
    words = [f"{key}={value}" for key, value in (variant["urdf_compiler"] or {}).items() if key in ("boundmass", "boundinertia")]
    return f" (the truth is of inertias raised by {', '.join(words)})" if words else ""


def geom_numbers(context, path, variant):
    """-> (our ids of the geoms that the truth has, None), or (None, why not). URDF truths leave out what is only for
    looks."""
    done = context.run(context.tactus, "info", path, "--json", *load_options(path, variant))
    if done.returncode != 0:
        return None, f"refused{bounded(variant)}: {last_line(done.stderr)}"
    geoms = json.loads(done.stdout)["geoms"]
    solid = [i for i, geom in enumerate(geoms) if not geom["visual"]]
    for ids in (list(range(len(geoms))), solid):
        if len(ids) == variant["model"]["ngeom"]:
            return ids, None
    return None, f"{len(geoms)} geoms, {len(solid)} of them solid: the truth has {variant['model']['ngeom']}"


def pairs_of(context, folder, variant):
    """-> (pairs of all states, problem or None) of one model in one variant."""
    path, pairs = entry_of(folder), []
    name = f"{folder.name}/{variant['variant']}"
    ids, problem = geom_numbers(context, path, variant)
    if problem:
        return [], f"{name}: {problem}"
    lenient = "--lenient" in load_options(path, variant)
    for state in variant["states"]:
        code, message, got = evaluate(context, path, variant, state, lenient)
        if got is None:
            return [], f"{name}: exit {code}: {message}"
        ours, theirs = deepest(got["contacts"], ids.index), deepest(state["contacts"])
        for geoms in sorted(ours.keys() | theirs.keys()):
            pairs.append(Pair(folder.name, variant, state, geoms, theirs.get(geoms, math.inf), ours.get(geoms, math.inf)))
    return pairs, None


def explain(pair, got):
    """Why MuJoCo's contact is not the distance of the pair."""
    if pair.contact == math.inf:
        pair.why = "MuJoCo has no contact"
    else:
        theirs = [contact for contact in pair.state["contacts"] if {contact["geom1"], contact["geom2"]} == set(pair.geoms)]
        pair.why, pair.explained = mujoco_points.explain(theirs, pair.geoms, got)


def measure(context, folder, pairs):
    """The slow method's distance, ours where no contact was found, and MuJoCo's where it is installed; and why."""
    path, models = entry_of(folder), []
    for pair in pairs:
        ids, _ = geom_numbers(context, path, pair.variant)
        text = " ".join(map(repr, pair.state["qpos"])) + " " + " ".join(str(ids[geom]) for geom in pair.geoms)
        words = load_options(path, pair.variant)
        flags = [flag for flag, word in (("--outside", "--allow-outside"), ("--lenient", "--lenient"), ("--floating", "floating")) if word in words]
        done = context.run(context.program("evidence_pair"), path, *flags, input=text)
        if done.returncode == 0 and done.stdout.strip():
            got = json.loads(done.stdout)
            pair.slow, pair.nearest = got["slow"], got["dist"]
            explain(pair, got)
            models.append((pair, got["mjcf"]))
    if not models:
        return
    done = context.run("node", ROOT / "tools" / "checks" / "collision" / "mujoco_distance.mjs", PACKAGE, input=json.dumps([text for _, text in models]))
    if done.returncode == 0:
        for (pair, _), distance in zip(models, json.loads(done.stdout), strict=True):
            pair.distance = distance


def truth_figure(pairs, measured, others):
    by_contact, touching = len(pairs) - len(measured), len(measured) - len(others)
    by_distance = by_contact + sum(pair.agrees_by_distance for pair in measured)
    with_us = sum(abs(pair.nearest - pair.slow) <= TOL_DISTANCE for pair in measured)
    return (
        f"{100 * (by_contact + touching) / len(pairs):.2f} % of {len(pairs)} pairs: {by_contact} by the contacts, {touching} that just touch by the "
        f"distance; {by_distance} have MuJoCo's contact or its distance, the slow method is with us in {with_us} of {len(measured)}, "
        f"and of {sum(pair.explained for pair in others)} of the other {len(others)} MuJoCo's number is a slanted one of our faces"
    )


@check("collision-truth", bar="97 % of the touching geom pairs of the shared models within 1e-6 of MuJoCo's deepest contact; the others listed with the reason", slow=True)
def truth(context):
    if not context.tactus.exists():
        raise CannotRun(f"{context.tactus} is not built")
    if not PACKAGE.exists():
        raise CannotRun("MuJoCo 3.x is not installed (./dev peers): its distances cannot be asked for")
    work = [(folder, variant) for folder in context.shared_models() for variant in json.loads((folder / "truth.json").read_text())["variants"]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        found = list(pool.map(lambda item: pairs_of(context, *item), work))
    pairs = [pair for some, _ in found for pair in some]
    measured = [pair for pair in pairs if not pair.agrees_by_contact]
    for folder in {folder.name: folder for folder, _ in work}.values():
        measure(context, folder, [pair for pair in measured if pair.model == folder.name])
    if not pairs:
        raise Failed("no geoms touch")
    others = [pair for pair in measured if not pair.touches_only]
    agree = 1 - len(others) / len(pairs)
    problems = [problem for _, problem in found if problem]
    return Result(agree >= LEAST_AGREEING, truth_figure(pairs, measured, others), problems + [pair.line() for pair in measured])


# --- Time ----------------------------------------------------------------------------------------------------------


def scene_rows(context):
    head, *rows = bench_rows_of(context, "bench_scene")
    return [dict(zip(head, row, strict=True)) for row in rows]


@check("collision-speed-scene", bar="collision stage of the humanoid and of 256 boxes, apart and piled, at most MuJoCo's time")
def speed_scene(context):
    best = {}
    for _ in range(QUIETEST_OF):
        for row in scene_rows(context):
            if row["scene"] not in best or number(row["ratio"]) < number(best[row["scene"]]["ratio"]):
                best[row["scene"]] = row
    if not set(FASTER) <= best.keys():
        raise Failed(f"bench_scene: rows {', '.join(best)}, expected {', '.join(FASTER)}")
    lines = [
        f"{name:12} {row['us_tactus']} us, MuJoCo {row['us_peer']} us; {row['contacts']} contacts, MuJoCo {row['contacts_peer']}; "
        f"{row['pairs_both']} of {row['pairs']} pairs in both, deepest distance differs by {row['error']}"
        for name, row in best.items()
    ]
    figure = ", ".join(f"{name} {number(row['ratio']):.2f}" for name, row in best.items())
    return Result(all(number(best[name]["ratio"]) <= 1 for name in FASTER), figure, lines)


@check("collision-broad-exponent", bar="broad phase of 16 to 4096 scattered boxes grows with an exponent below 1.3")
def broad_exponent(context):
    runs = [bench_rows_of(context, "bench_broad") for _ in range(QUIETEST_OF)]
    found = [float(next(row for row in rows if row[0] == "exponent")[1]) for rows in runs]
    best = runs[found.index(min(found))]
    figure = f"exponent {min(found):.3f} (of {QUIETEST_OF} runs: {', '.join(f'{value:.3f}' for value in found)})"
    return Result(min(found) < BROAD_EXPONENT, figure, [" ".join(row) for row in best])


# --- Memory --------------------------------------------------------------------------------------------------------


@check("collision-no-alloc", bar="0 allocations in contacts, distances and their derivatives; nothing found before changes them")
def no_alloc(context):
    models = ["test/data/touching.xml", *our_models()]
    rows = json_lines(context, "evidence_contacts", *models, rows=len(models))
    allocations, differing, contacts = (sum(row[key] for row in rows) for key in ("allocations", "differing", "contacts"))
    counted = all(row["counted"] > 0 for row in rows)
    figure = f"{allocations} allocations, {differing} states differ, {contacts} contacts of {len(rows)} models (the counter works: {counted})"
    return Result(allocations == 0 and differing == 0 and contacts > 0 and counted, figure)
