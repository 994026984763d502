"""A box is thrown so that it slides to a target: the gradient goes through its impacts and its friction."""

import pathlib

import numpy as np
import numpy.typing as npt

import tactus as tac

Array = npt.NDArray[np.float64]
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
STEPS, TARGET = 200, np.array([1.0, 0.3])


def throw(sim: tac.Sim, velocity: Array) -> tuple[Array, Array, float]:
    """Where the box ends, the gradient of half the squared distance by its velocity, and the distance."""
    m = sim.model
    x0, U = sim.state("home"), np.zeros((STEPS, sim.ninput))
    x0[2] += 0.2
    x0[m.nq : m.nq + 2] = velocity
    X = sim.rollout(x0, U)
    missing = X[-1, :2] - TARGET
    xbar = np.zeros(sim.ndx)
    xbar[:2] = missing
    (gx,) = sim.rollout_vjp(x0, U, X=X, xbar=xbar, want="x")
    return X[-1, :2], gx[m.nv : m.nv + 2], float(np.linalg.norm(missing))


def main() -> None:
    sim = tac.Sim(tac.load(MODELS / "box.xml"), contact="lcp", dt=0.005, on_unsolved="accept")
    velocity, rollouts = np.array([1.0, 0.0]), 0
    place, gradient, distance = throw(sim, velocity)
    length = 0.5
    while distance > 0.01 and rollouts < 60:
        candidate = velocity - length * gradient
        there, slope, left = throw(sim, candidate)
        rollouts += 1
        if left < distance:
            velocity, place, gradient, distance, length = candidate, there, slope, left, 2 * length
        else:
            length /= 4
    print(f"after {rollouts} rollouts: thrown with {velocity.round(3)} m/s it ends at {place.round(3)}, {1e3 * distance:.1f} mm off")
    assert distance < 0.01


main()
