"""Torch's nodes over the C calls that they make: a rollout of 100 steps, a step of 64 worlds, a single node."""

import time

import numpy as np
import torch
from ground import MODELS, finish, load_peer, open_peer, pointer, start_of

import tactus as tac
from tactus import torch as tt

STEPS, WORLDS = 100, 64


def medians(*pieces, rounds=15):
    return np.median([[piece() for piece in pieces] for _ in range(rounds)], axis=0)


def rollout(lib, peer, sim):
    x, u = start_of(sim)
    U = np.tile(u, (STEPS, 1))
    xt = torch.tensor(x, requires_grad=True)
    Ut = torch.tensor(U, requires_grad=True)
    weights, Xbar = torch.ones(STEPS + 1, sim.nx, dtype=torch.float64), np.ones((STEPS + 1, sim.ndx))

    def by_torch():
        start = time.thread_time()
        torch.autograd.backward(tt.rollout(sim, xt, Ut), weights)
        return time.thread_time() - start

    c, t = medians(lambda: lib.peer_gradient_time(peer, STEPS, pointer(x), pointer(U), pointer(Xbar)), by_torch)
    return t / c


def batch_step(lib, peer, sim, batch):
    starts = [start_of(sim, seed) for seed in range(WORLDS)]
    x, u = np.array([s[0] for s in starts]), np.array([s[1] for s in starts])
    xt, ut = torch.tensor(x, requires_grad=True), torch.tensor(u, requires_grad=True)
    weights, ybar = torch.ones(WORLDS, sim.nx, dtype=torch.float64), np.ones((WORLDS, sim.ndx))

    def by_torch():
        start = time.process_time()
        torch.autograd.backward(tt.step(batch, xt, ut), weights)
        return time.process_time() - start

    c, t = medians(
        lambda: lib.peer_batch_gradient_time(peer, WORLDS, 1, pointer(x), pointer(u), pointer(ybar)), by_torch
    )
    return t / c


def node():
    """Microseconds of one node beside the physics: of a pendulum, whose step takes almost none."""
    sim = tac.Sim(tac.load(MODELS / "pendulum.xml"), contact="none")
    x, u = torch.zeros(2, dtype=torch.float64, requires_grad=True), torch.zeros(1, dtype=torch.float64)
    weights = torch.ones(2, dtype=torch.float64)
    n = 300

    def many():
        start = time.thread_time()
        for _ in range(n):
            torch.autograd.backward(tt.step(sim, x, u), weights)
        return (time.thread_time() - start) / n

    return 1e6 * medians(many)[0]


def main():
    torch.set_num_threads(1)
    lib = load_peer()
    model = tac.load(MODELS / "quadruped.xml")
    sim, batch = tac.Sim(model, contact="lcp"), tac.Batch(model, WORLDS, contact="lcp")
    peer = open_peer(lib, "quadruped", "lcp")
    whole, stepped, one = rollout(lib, peer, sim), batch_step(lib, peer, sim, batch), node()
    finish(whole <= 1.15 and stepped <= 1.25 and one <= 30,
           f"rollout {whole:.2f} (bar 1.15), batch step {stepped:.2f} (1.25), node {one:.0f} us (30)")  # fmt: skip


main()
