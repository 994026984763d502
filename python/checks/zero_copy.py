"""Addresses of arrays that share memory, and resident memory after many calls."""

import gc
import resource

import numpy as np
from ground import MODELS, finish, start_of

import tactus as tac


def address(array):
    return array.__array_interface__["data"][0]


def resident():
    """Resident memory now, kB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def main():
    model = tac.load(MODELS / "quadruped.xml")
    sim = tac.Sim(model, contact="lcp")
    x, u = start_of(sim)
    shares = [address(model.body_mass) == address(model.body_mass), address(sim.split(x).qvel) == address(x) + 8 * model.nq]
    try:
        import torch

        shares.append(torch.from_numpy(x).data_ptr() == address(x))
    except ImportError:
        pass
    pendulum = tac.Sim(tac.load(MODELS / "pendulum.xml"), contact="none")
    px, pu, py = pendulum.state("home"), pendulum.input(), np.empty(2)

    def calls(n):
        for _ in range(n):
            pendulum.step(px, pu, out=py)
            pendulum.step(px, pu)
            pendulum.mass_matrix(px)
            pendulum.kinematics(px)
            pendulum.energy(px)

    def creations(n):
        for _ in range(n):
            tac.Sim(tac.load(MODELS / "pendulum.xml")).step(px, pu)

    calls(2000), creations(100)
    gc.collect()
    before = resident()
    calls(200000), creations(1000)
    gc.collect()
    grown = resident() - before
    finish(all(shares) and grown <= 1024, f"{sum(shares)} of {len(shares)} share, {grown} kB more after 1e6 calls, 1e3 loads")


main()
