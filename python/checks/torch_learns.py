"""A box is thrown onto a target through its impacts: by the gradient of one torch node, and by random search and CMA-ES with
as many rollouts, five seeds each."""

import numpy as np
import torch
from ground import MODELS, finish

import tactus as tac
from tactus import torch as tt

STEPS, ROUNDS, TARGET = 200, 60, torch.tensor([1.0, 0.3], dtype=torch.float64)
SIM = tac.Sim(tac.load(MODELS / "box.xml"), contact="lcp", dt=0.005, on_unsolved="accept")
U = torch.zeros(STEPS, SIM.ninput, dtype=torch.float64)


def throw(velocity):
    """The distance to the target, as a tensor."""
    nq = SIM.model.nq
    x0 = torch.from_numpy(SIM.state("home"))
    x0[2] += 0.2
    x0 = torch.cat([x0[:nq], velocity, x0[nq + 2 :]])
    return (tt.rollout(SIM, x0, U)[-1, :2] - TARGET).norm()


def by_gradient():
    """Rollouts until it is within 1 cm."""
    velocity, length = torch.tensor([1.0, 0.0], dtype=torch.float64), 0.5
    best = throw(velocity.requires_grad_())
    for count in range(1, ROUNDS + 1):
        (slope,) = torch.autograd.grad(0.5 * best**2, velocity, retain_graph=True)
        candidate = (velocity - length * slope).detach().requires_grad_()
        found = throw(candidate)
        if float(found) < float(best):
            velocity, best, length = candidate, found, 2 * length
        else:
            length /= 4
        if float(best) <= 0.01:
            return count, float(best)
    return ROUNDS + 1, float(best)


def distance(v):
    with torch.no_grad():
        return float(throw(torch.tensor(v, dtype=torch.float64)))


def by_ars(seed, budget):
    rng, v = np.random.default_rng(seed), np.array([1.0, 0.0])
    best = distance(v)
    for _ in range(budget // 3):
        e = 0.3 * rng.standard_normal(2)
        plus, minus = distance(v + e), distance(v - e)
        w = v - 2.0 * (plus - minus) * e / 0.3
        found = distance(w)
        best = min(best, plus, minus, found)
        v = w if found < distance(v) else v
    return best


def by_cma(seed, budget, offspring=6):
    """(mu/mu, lambda) with the covariance of its best steps."""
    rng, mean, root, best = np.random.default_rng(seed), np.array([1.0, 0.0]), np.eye(2), np.inf
    for _ in range(budget // offspring):
        steps = rng.standard_normal((offspring, 2)) @ root.T
        values = np.array([distance(mean + s) for s in steps])
        chosen = steps[np.argsort(values)[:3]]
        mean = mean + chosen.mean(axis=0)
        root = np.linalg.cholesky(0.5 * root @ root.T + 0.5 * chosen.T @ chosen / 3 + 1e-8 * np.eye(2))
        best = min(best, values.min())
    return best


def main():
    count, left = by_gradient()
    others = {name: [go(seed, max(count, 6)) for seed in range(5)] for name, go in (("ARS", by_ars), ("CMA-ES", by_cma))}
    words = ", ".join(f"{name} {100 * min(v):.1f} cm" for name, v in others.items())
    finish(count <= ROUNDS, f"{100 * left:.2f} cm after {count} rollouts; with as many: best of five {words}",
           [f"{name}: median {100 * np.median(v):.1f} cm" for name, v in others.items()])  # fmt: skip


main()
