"""The gradient of a rollout against central differences."""

import pathlib

import numpy as np

import tactus as tac

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def main() -> None:
    sim = tac.Sim(tac.load(MODELS / "cartpole.xml"), contact="none")
    x0, U = sim.state(), 0.5 * np.ones((50, sim.ninput))
    xbar = np.zeros(sim.ndx)
    xbar[1] = 1  # the loss is the last angle of the pole
    (gU,) = sim.rollout_vjp(x0, U, xbar=xbar, checkpoints=5, want="u")
    h, worst = 1e-5, 0.0
    for k in (0, 10, 49):
        more, less = U.copy(), U.copy()
        more[k] += h
        less[k] -= h
        difference = (sim.rollout(x0, more)[-1, 1] - sim.rollout(x0, less)[-1, 1]) / (2 * h)
        worst = max(worst, abs(difference - gU[k, 0]))
        print(f"step {k:2}: {gU[k, 0]:+.9f} by the reverse mode, {difference:+.9f} by differences")
    assert worst < 1e-9


main()
