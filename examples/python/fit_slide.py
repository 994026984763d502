"""Mass and friction of a box from a recorded slide: Gauss-Newton with P, the derivative of states by parameters."""

import pathlib

import numpy as np
import numpy.typing as npt

import tactus as tac

Array = npt.NDArray[np.float64]
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
STEPS = 60


def slide(sim: tac.Sim) -> tuple[Array, Array]:
    """Positions of the box while it is pushed and slides, and their derivatives by theta."""
    m = sim.model
    x0, U = sim.state("home"), np.zeros((STEPS, sim.ninput))
    x0[m.nq] = 2.0
    U[:20, 0] = 5.0
    columns, X = [], x0
    for k in range(m.nparam):
        X, dX = sim.rollout_jvp(x0, U, dtheta=np.eye(m.nparam)[k])
        columns.append(dX[:, 0])
    return X[:, 0], np.array(columns).T


def main() -> None:
    model = tac.load(MODELS / "box.xml")
    ground = model.names("geom")[0]
    paths = ("body/box.mass", f"geom/{ground}.friction[0]")
    model = model.register("body/box.mass", tuple(p for p in model.paths("geom/*.friction[0]")))
    sim = tac.Sim(model, contact="lcp", dt=0.005)
    truth = sim.theta
    recorded, _ = slide(sim)
    sim.theta = truth * [1.5, 0.7]
    for i in range(8):
        place, P = slide(sim)
        missing = recorded - place
        print(f"round {i}: {1e3 * np.abs(missing).max():.4f} mm off, mass {sim.theta[0]:.5f}, friction {sim.theta[1]:.5f}")
        if np.abs(missing).max() < 1e-10:
            break
        sim.theta = np.maximum(sim.theta + np.linalg.lstsq(P, missing, rcond=None)[0], 0.2 * truth)
    print(f"the numbers of {' and '.join(paths)} are found to {np.abs(sim.theta - truth).max():.1e}")
    assert np.allclose(sim.theta, truth, rtol=1e-6)


main()
