"""A robot, its steps, and the derivative of the last of them."""

import pathlib

import numpy as np

import tactus as tac

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def main() -> None:
    model = tac.load(MODELS / "quadruped.xml").register("body/trunk.mass")
    sim = tac.Sim(model, contact="lcp", dt=0.005)
    x, u = sim.state("home"), sim.input("home")
    for _ in range(100):
        x = sim.step(x, u)
    y, A, B, P = sim.step_jac(x, u)
    print(f"after half a second the trunk is {sim.split(y).qpos[2]:.3f} m high")
    print(f"{sim.info.contacts} contacts; A {A.shape}, B {B.shape}; a kilogram more lowers its speed by {-P[20, 0]:.4f} m/s")
    for contact in sim.step_contacts(x, u):
        foot = model.label("geom", contact.contact.geom[1])
        print(f"{foot}: {contact.state.name.lower()}, {contact.force[0]:.1f} N")
    assert np.isfinite(A).all()


main()
