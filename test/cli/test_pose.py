"""`pose`: states that task files ask for."""

import json
import unittest

from driver import ROOT, Case

REACH = ROOT / "examples" / "tasks" / "pose-reach.yaml"
NEAR = 1e-8


class Pose(Case):
    def test_inverse_kinematics(self):
        state = self.folder / "reached.json"
        said = self.fine("pose", REACH, "--json", "-o", state).json()
        self.assertEqual(said["status"], "solved")
        self.assertLess(said["violation"], NEAR)
        model = ROOT / "models" / "panda.xml"
        sites = {site["name"]: site for site in self.fine("eval", model, "--state", state, "--json").json()["sites"]}
        self.close(sites["gripper"]["pos"], [0.5, 0.2, 0.3], NEAR)
        self.assertEqual(json.loads(state.read_text(encoding="utf-8"))["qpos"], said["qpos"])

    def test_held_joints_stay(self):
        said = self.fine("pose", REACH, "--json", "--set", "pose={hold: [joint3]}").json()
        self.assertEqual(said["qpos"][2], 0)
        self.assertLess(said["violation"], NEAR)

    def test_out_of_reach(self):
        done = self.run_tactus("pose", REACH, "--set", "constraint[0].equals=[5, 0, 0]")
        self.assertEqual(done.code, 1, done.err)
        self.assertNotIn("solved", done.out)

    def test_refusals(self):
        self.refused('expected the name of a joint; the nearest known one is "joint', "pose", REACH, "--set", "pose={hold: [joynt3]}")
        self.refused("has a horizon: it asks for a motion (tactus plan)", "pose", REACH, "--set", "horizon=5")
        self.refused("pose.fixed: found \"yes\", expected true or false", "pose", REACH, "--set", "pose.fixed=yes")
        self.refused("/nowhere/at/all.json", "pose", REACH, "-o", "/nowhere/at/all.json")


if __name__ == "__main__":
    unittest.main()
