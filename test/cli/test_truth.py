"""tactus eval beside the true numbers of published robots, where the shared material is there."""

import json
import unittest

from driver import SHARED, Case

KINEMATICS = 1e-9
DYNAMICS = 1e-8

# One of each kind: arm with meshes, legs, a flying robot, a planar runner, tendons, mocap, ball joints, URDF.
ROBOTS = [
    "men_franka_emika_panda",
    "men_unitree_a1",
    "men_skydio_x2",
    "gym_half_cheetah",
    "dmc_quadruped",
    "diffmjx_billiard",
    "mj_humanoid",
    "urdf_kuka_iiwa",
    "urdf_bolt",
]
# Loaded leniently without the medium they fly in, whose drag is in the true passive forces.
FLUID = {"men_skydio_x2"}


class Truth(Case):
    def compare(self, model, words, truth, in_fluid):
        given = {key: truth[key] for key in ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat") if truth.get(key)}
        state = self.file("state.json", given)
        at = self.fine("eval", model, "--json", "--lenient", "--state", state, *words).json()
        self.close([b["pos"] for b in at["bodies"]], truth["xpos"], KINEMATICS, "pos")
        self.close([b["com"] for b in at["bodies"]], truth["xipos"], KINEMATICS, "com")
        for got, true in zip([b["quat"] for b in at["bodies"]], truth["xquat"]):
            sign = 1 if sum(a * b for a, b in zip(got, true)) > 0 else -1
            self.close([sign * x for x in got], true, KINEMATICS, "quat")
        self.close([s["pos"] for s in at["sites"]], truth.get("site_xpos", []), KINEMATICS, "sites")
        self.close(at["mass_matrix"], truth.get("M_urdf_literal", truth["M"]), DYNAMICS, "mass matrix")
        self.close(at["bias"], truth.get("qfrc_bias_urdf_literal", truth["qfrc_bias"]), DYNAMICS, "bias")
        self.close([a["length"] for a in at["actuators"]], truth.get("actuator_length", []), DYNAMICS, "length")
        self.close([a["force"] for a in at["actuators"]], truth.get("actuator_force", []), DYNAMICS, "force")
        if not in_fluid:
            self.close(at["passive"], truth["qfrc_passive"], DYNAMICS, "passive")

    def test_robots(self):
        compared = absent = 0
        for name in ROBOTS:
            folder = SHARED / "models" / name
            if not (folder / "truth.json").is_file():
                absent += 1
                continue
            truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
            model = folder / json.loads((folder / "meta.json").read_text(encoding="utf-8"))["entry"]
            variant = next(v for v in truth["variants"] if v["variant"] in ("default", "fixed", "floating"))
            base = ["--base", variant["variant"]] if variant["variant"] != "default" else []
            for state in variant["states"][:3]:
                with self.subTest(robot=name, state=state["name"]):
                    self.compare(model, base, state, name in FLUID)
            compared += 1
        print(f"compared {compared} robots, {absent} absent")
        if compared == 0:
            self.skipTest("the shared material is not there")


if __name__ == "__main__":
    unittest.main()
