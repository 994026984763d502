"""Torques that bring the panda's gripper to a point, by torch's Adam through a rollout."""

import pathlib

import numpy as np
import torch

import tactus as tac
from tactus import torch as tt

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def main() -> None:
    model = tac.load(MODELS / "panda.xml")
    sim = tac.Sim(model, contact="none", dt=0.005, integrator="implicitfast")
    gripper = tac.Outputs(model, site_pos="gripper")
    x0, target = torch.from_numpy(sim.state("home")), torch.tensor([0.5, 0.2, 0.5], dtype=torch.float64)
    U = torch.from_numpy(np.tile(sim.input("home"), (100, 1))).requires_grad_()
    adam = torch.optim.Adam([U], lr=0.02)
    distance = 1.0
    for _ in range(150):
        adam.zero_grad()
        X = tt.rollout(sim, x0, U)
        missing = tt.outputs(gripper, sim, X[-1]) - target
        loss = missing.square().sum() + 1e-3 * X[-1, model.nq :].square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        distance = float(np.linalg.norm(missing.detach().numpy()))
        if distance < 0.005:
            break
    print(f"the gripper is {1e3 * distance:.1f} mm from its target")
    assert distance < 0.01


main()
