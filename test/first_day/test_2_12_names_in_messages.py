"""Messages name geoms, bodies and joints; the final state of `sim` goes by the joints' names."""

import unittest

from driver import Case

# Unnamed geoms on a named body and on the world.
SUNK = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
  <body name="torso" pos="0 0 0.05"><freejoint name="root"/><geom type="sphere" size=".1" mass="1"/></body>
  <body name="lever" pos="2 0 1"><joint name="knee" axis="0 1 0" limited="true" range="-10 10"/><geom name="bar" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/></body>
</worldbody></mujoco>"""
BENT = '{"qpos": [0, 0, 1, 1, 0, 0, 0, 0.5]}'


class Names(Case):
    def test_a_start_that_overlaps(self):
        sunk = self.file("sunk.xml", SUNK)
        done = self.run_tactus("sim", sunk, "--contact", "lcp", "--steps", 1, "--json")
        self.assertIn('geoms #0 of the world and #1 of "torso": 0.05', done.err)
        self.assertEqual(done.json()["start_breaks"], 'geoms #0 of the world and #1 of "torso"')
        moved = self.run_tactus("sim", sunk, "--contact", "lcp", "--steps", 1, "--project")
        self.assertIn('geoms #0 of the world and #1 of "torso"', moved.err)

    def test_a_joint_out_of_range(self):
        done = self.run_tactus("grad", self.file("sunk.xml", SUNK), "--state", self.file("bent.json", BENT), "--contact", "lcp")
        self.assertIn('range of joint "knee": ', done.err)
        self.assertIn('joint "knee" is out of its range', " ".join(done.out.split()))

    def test_the_final_state(self):
        text = self.fine("sim", self.file("sunk.xml", SUNK), "--contact", "soft", "--steps", 2).out
        for name in ("qpos:root.x", "qpos:root.qw", "qpos:knee", "qvel:root.wz", "qvel:knee"):
            self.assertIn(name, text)
        arm = self.fine("sim", self.arm, "--contact", "none", "--steps", 2).out
        for name in ("qpos:shoulder", "qvel:elbow", "act:turn"):
            self.assertIn(name, arm)

    def test_contacts(self):
        text = self.fine("eval", self.file("sunk.xml", SUNK)).out
        self.assertIn("#0 of world", text)
        self.assertIn("#1 of torso", text)
        for name in ("root.vz", "knee"):
            self.assertIn(name, text.split("body ")[0])  # forces and accelerations, one a degree of freedom

    def test_a_mocap_body(self):
        state = self.file("m.json", '{"mocap_quat": [0, 0, 0, 0]}')
        self.refused('mocap body "hand" has no valid length', "eval", self.arm, "--state", state)


if __name__ == "__main__":
    unittest.main()
