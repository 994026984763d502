"""What tests share: our robots, and simulations of them."""

import pathlib

import numpy as np
import pytest

import tactus as tac

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
ROBOTS = sorted(path.stem for path in MODELS.glob("*.xml"))
CONTACTS = ("none", "lcp", "ncp", "soft")


def robot(name):
    return tac.load(MODELS / f"{name}.xml")


def make_sim(model, contact, **options):
    """A simulation, or a skip where the contact model does not have what the model asks for."""
    try:
        return tac.Sim(model, contact=contact, **options)
    except tac.UnsupportedError as reason:
        pytest.skip(str(reason))


def push(sim, seed=1):
    """A state and input near the first keyframe, or near the default."""
    key = 0 if sim.model.nkey else None
    x, u = sim.state(key), sim.input(key)
    rng = np.random.default_rng(seed)
    q = sim.model.qpos_add(x[: sim.model.nq], 0.01 * rng.standard_normal(sim.model.nv))
    x[: sim.model.nq] = q
    x[sim.model.nq : sim.model.nq + sim.model.nv] += 0.1 * rng.standard_normal(sim.model.nv)
    u[: sim.model.nu] += 0.1 * rng.standard_normal(sim.model.nu)
    return x, u


@pytest.fixture
def quadruped():
    return robot("quadruped")


@pytest.fixture
def pendulum():
    return robot("pendulum")
