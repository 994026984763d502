"""A run whose steps were not solved says so: status, counts and exit code; a start that breaks constraints is told apart."""

import pathlib
import unittest

from driver import SHARED, Case

# Tilted and spinning just above the floor: one iteration of the solver is not enough once it touches.
BOX = """<mujoco><option timestep="0.002" cone="elliptic"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body name="brick" pos="0 0 0.4"><freejoint name="root"/><geom name="box" type="box" size=".1 .1 .1" mass="1"/></body>
</worldbody><keyframe>
  <key name="tumble" qpos="0 0 0.4 1 0 0 0" qvel="1 0 0 3 2 1"/>
  <key name="landed" qpos="0 0 0.13 1 0.2 0.1 0" qvel="1 0 -1 3 2 1"/>
  <key name="sunk" qpos="0 0 0.05 1 0 0 0"/>
</keyframe></mujoco>"""
ROUGH = ("--contact", "soft", "--solver", "cg", "--iterations", 1)
UNSOLVED = "not solved"
BARRETT = pathlib.Path(SHARED, "models", "urdf_barrett_hand", "bhand_model.urdf")


class Unsolved(Case):
    def setUp(self):
        super().setUp()
        self.box = self.file("box.xml", BOX)

    def test_sim(self):
        words = ("sim", self.box, "--key", "tumble", *ROUGH, "--steps", 300)
        result = self.run_tactus(*words, "--json")
        self.assertEqual(result.code, 1, result.err)
        found = result.json()
        self.assertIn(UNSOLVED, found["status"])
        self.assertEqual(found["steps"], 300)
        self.assertGreater(found["unsolved"], 10)
        self.assertGreater(found["first_unsolved"], 50)  # in flight there is nothing to solve
        self.assertGreater(found["worst_residual"], 1e-3)
        self.assertFalse(found["infeasible_start"])
        self.assertIsNone(found["start_breaks"])
        text = self.run_tactus(*words)
        self.assertEqual(text.code, 1)
        self.assertIn(f"{found['unsolved']} of 300 steps", text.out)
        # as many as there are may be allowed, and no fewer
        self.assertIn(UNSOLVED, self.fine(*words, "--allow-unsolved", found["unsolved"], "--json").json()["status"])
        self.assertEqual(self.run_tactus(*words, "--allow-unsolved", found["unsolved"] - 1).code, 1)
        # the first one is where it says: a run that ends before has none
        before = self.fine("sim", self.box, "--key", "tumble", *ROUGH, "--steps", found["first_unsolved"], "--json").json()
        self.assertEqual((before["status"], before["unsolved"], before["first_unsolved"]), ("success", 0, None))
        one = self.run_tactus("sim", self.box, "--key", "tumble", *ROUGH, "--steps", found["first_unsolved"] + 1, "--json")
        self.assertEqual((one.code, one.json()["unsolved"]), (1, 1))

    def test_solved_runs_are_fine(self):
        for contact in ("none", "lcp", "ncp", "soft"):
            found = self.fine("sim", self.box, "--key", "tumble", "--contact", contact, "--steps", 200, "--json").json()
            self.assertEqual((found["status"], found["unsolved"], found["first_unsolved"]), ("success", 0, None))
            self.assertEqual(found["contact"], contact)

    def test_an_infeasible_start_is_told_apart(self):
        result = self.run_tactus("sim", self.box, "--key", "sunk", "--contact", "lcp", "--steps", 1, "--json")
        found = result.json()
        self.assertTrue(found["infeasible_start"])
        self.assertEqual(found["start_breaks"], 'geoms "floor" and "box"')
        self.assertAlmostEqual(found["start_violation"], 0.05)

    def test_bench(self):
        words = ("bench", self.box, "--key", "landed", "--seconds", 0.05)
        result = self.run_tactus(*words, *ROUGH, "--json")
        self.assertEqual(result.code, 1, result.err)
        row = result.json()["rows"][0]
        self.assertIn(UNSOLVED, row["status"])
        self.assertTrue(0 < row["unsolved"] <= row["steps"])
        self.assertTrue(0 <= row["first_unsolved"] < row["steps"])
        self.assertGreater(row["worst_residual"], 0)
        self.assertIn(f"{row['unsolved']} of {row['steps']} timed steps", self.run_tactus(*words, *ROUGH).out)
        self.fine(*words, *ROUGH, "--allow-unsolved", row["unsolved"])
        row = self.fine(*words, "--contact", "soft", "--json").json()["rows"][0]
        self.assertEqual((row["status"], row["unsolved"], row["first_unsolved"]), ("success", 0, None))

    def test_grad_and_check(self):
        grad = self.run_tactus("grad", self.box, "--key", "landed", *ROUGH, "--json")
        self.assertEqual(grad.code, 1)
        self.assertIn(UNSOLVED, grad.err)
        self.assertNotIn("success", grad.out)
        check = self.run_tactus("check", self.box, *ROUGH, "--samples", 8, "--json").json()
        self.assertEqual(check["samples"], check["passed"] + check["switching"] + check["failed"])
        if check["broken"] > 0:
            self.assertIn(UNSOLVED, check["step_status"])

    @unittest.skipUnless(BARRETT.exists(), "the shared robots are not there")
    def test_a_hand_that_starts_in_itself(self):
        result = self.run_tactus("sim", BARRETT, "--contact", "ncp", "--steps", 5, "--allow-outside", "--json")
        found = result.json()
        self.assertTrue(found["infeasible_start"])
        self.assertIn("finger", found["start_breaks"])
        self.assertEqual(result.code, 1 if found["unsolved"] > 0 else 0)
        self.assertEqual(found["status"] == "success", found["unsolved"] == 0)


if __name__ == "__main__":
    unittest.main()
