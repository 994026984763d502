"""Random arguments of all methods: no crash, and documented exceptions alone."""

import sys
import warnings

import numpy as np
from ground import MODELS, finish

import tactus as tac

FINE = (tac.Error, TypeError, ValueError, OverflowError, RuntimeError, BufferError, LookupError, MemoryError)
METHODS = [name for name in dir(tac.Sim) if not name.startswith("_") and callable(getattr(tac.Sim, name))]


def values(rng, sim, model):
    """What an argument may be, good and bad."""
    nx, nu = sim.nx, sim.ninput
    good = [sim.state(), sim.input(), sim.state()[: model.nq], np.zeros(sim.ndx), np.zeros(model.nv), np.zeros((3, nu))]
    bad = [None, object(), "trunk", "no", 3, -1, 10**30, 1e308, float("nan"), [], [1.0] * nx, np.zeros(nx, dtype=object),
           np.zeros(nx, dtype=complex), np.full(nx, np.nan), np.full(nu, np.inf), np.zeros((nx, nx))[:, 0], b"bytes", {},
           np.zeros(nx, dtype=np.float32), np.zeros(nx).view(">f8"), memoryview(bytearray(8 * nx)), "a\0b", (), True,
           np.zeros((0, nu)), np.float64(3), [[1, 2], [3]], range(nx), np.arange(nx)[::-1] * 1.0, np.zeros((2, 3, 4))]  # fmt: skip
    return good + bad


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    model = tac.load(MODELS / "quadruped.xml").register("body/trunk.mass")
    sim, batch = tac.Sim(model, contact="lcp"), tac.Batch(model, 2, contact="lcp")
    out = tac.Outputs(model, body_pos="trunk")
    pool = [*values(rng, sim, model), out, sim.geom_distance(sim.state(), 0, 1), sim.geom_growth(sim.state(), 0, 1, 1e-3)]
    targets = [(sim, name) for name in METHODS]
    targets += [(batch, name) for name in ("step", "step_jac", "step_vjp", "step_jvp", "rollout", "rollout_vjp", "outputs")]
    targets += [(model, name) for name in ("find", "get", "paths", "register", "with_values", "qpos_add", "qpos_sub",
                                           "covector_down", "covector_up", "label", "element_name", "count")]  # fmt: skip
    outcomes, odd = {}, []
    for _ in range(count):
        owner, name = targets[rng.integers(len(targets))]
        words = [pool[rng.integers(len(pool))] for _ in range(rng.integers(5))]
        named = {"out": pool[rng.integers(len(pool))]} if rng.random() < 0.1 else {}
        try:
            getattr(owner, name)(*words, **named)
            outcome = "answered"
        except FINE as error:
            outcome = type(error).__name__
        except Exception as error:  # noqa: BLE001: what this check looks for
            outcome = f"UNDOCUMENTED {type(error).__name__}"
            odd.append(f"{name}: {error!r}")
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    y = sim.step(sim.state(), sim.input())
    finish(not odd and np.all(np.isfinite(y)), f"{count} calls, {len(odd)} undocumented exceptions",
           [f"{name}: {n}" for name, n in sorted(outcomes.items())] + odd[:10])  # fmt: skip


main()
