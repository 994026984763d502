"""torch.autograd.gradcheck of step, rollout and outputs by x, u, theta: pendulum, panda, quadruped, humanoid, all contact
models, random states outside the engine's own margins.

A state lies inside a margin where a change of eps = 1e-6 may cross a kink: the info of step_jac at the state says so.
"""

import sys

import numpy as np
import torch
from ground import CONTACTS, MODELS, finish, start_of

import tactus as tac
from tactus import torch as tt

EPS, TOL = 1e-6, 1e-5
ROBOTS = {"pendulum": "body/bob.mass", "panda": "body/link4.mass", "quadruped": "body/trunk.mass", "humanoid": "body/torso.mass"}
MARGIN = 1e-3  # far beyond what eps moves


def open_sim(robot, contact):
    options = {"ncp_kappa": 1e-4, "ncp_polish": 50} if contact == "ncp" else {}
    model = tac.load(MODELS / f"{robot}.xml").register(ROBOTS[robot])
    return tac.Sim(model, contact=contact, on_unsolved="raise", **options)


def is_outside_margins(sim, x, u):
    try:
        sim.step_jac(x, u)
    except tac.Error:
        return False
    i = sim.info
    return i.ties == 0 and min(i.class_margin or np.inf, i.feature_margin or np.inf, i.force_margin or np.inf) > MARGIN


def states(sim, count):
    """Random states outside margins, the default and all keyframes among them; and what was left out."""
    found, left = [], []
    fixed = [("default", None), *((f"key {name}", name) for name in sim.model.names("key"))]
    for name, key in fixed:
        x, u = sim.state(key), sim.input(key)
        (found if is_outside_margins(sim, x, u) else left).append((x, u) if is_outside_margins(sim, x, u) else name)
    seed = 0
    while len(found) < count and seed < 20 * count:
        seed += 1
        x, u = start_of(sim, seed)
        if is_outside_margins(sim, x, u):
            free = np.flatnonzero(sim.model.joint_type == tac.JointType.FREE)
            for j in free:  # quaternions off unit length, too
                adr = sim.model.joint_qpos_adr[j] + 3
                x[adr : adr + 4] *= 1 + 0.3 * (seed % 3)
            found.append((x, u))
    return found, left


def leaves(*arrays):
    return [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]


def passes(function, tensors):
    try:
        return torch.autograd.gradcheck(function, tensors, eps=EPS, atol=TOL, rtol=TOL, raise_exception=True), ""
    except RuntimeError as error:
        return False, str(error).splitlines()[0][:100]
    except tac.Error as error:
        return False, str(error)[:100]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    total, failed, details = 0, {}, []
    for robot in ROBOTS:
        for contact in CONTACTS:
            sim = open_sim(robot, contact)
            out = tac.Outputs(sim.model, subtree_com=0, subtree_velocity=0, kinetic=True, qfrc_passive=None)
            found, left = states(sim, count)
            bad = 0
            for x, u in found:
                theta = sim.theta
                for function, tensors in (
                    (lambda *t: tt.step(sim, *t), leaves(x, u, theta)),
                    (lambda *t: tt.rollout(sim, *t), leaves(x, np.tile(u, (2, 1)), theta)),
                    (lambda *t: tt.outputs(out, sim, *t), leaves(x, u, theta)),
                ):
                    fine, why = passes(function, tensors)
                    total += 1
                    bad += not fine
                    if not fine and bad <= 2:
                        details.append(f"{robot} {contact}: {why}")
                sim.theta = theta
            failed[contact] = failed.get(contact, 0) + bad
            details.append(f"{robot} {contact}: {len(found)} states, {bad} failures; inside margins: {', '.join(left) or 'none'}")
    words = ", ".join(f"{contact} {n}" for contact, n in failed.items())
    finish(not any(failed.values()), f"{total} checks, failures: {words}", details)


main()
