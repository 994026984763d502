"""`grad` lists the contacts of the step and says why a derivative is zero."""

import unittest

from driver import Case

BOX = """<mujoco><option timestep="0.002" cone="elliptic"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1" friction="0.2"/>
  <body name="brick" pos="0 0 0.0999"><freejoint name="root"/><geom name="box" type="box" size=".1 .1 .1" mass="1" friction="0.5"/></body>
</worldbody><keyframe>
  <key name="creep" qpos="0 0 0.0999 1 0 0 0" qvel="0.0005 0 0 0 0 0"/>
  <key name="slide" qpos="0 0 0.0999 1 0 0 0" qvel="1 0 0 0 0 0"/>
  <key name="up" qpos="0 0 1 1 0 0 0"/>
</keyframe></mujoco>"""
REASON = "4 contacts, all sticking: friction has no first-order effect here; a softer gradient: --contact ncp --kappa 1e-4"


class Explained(Case):
    def grad(self, key, *words):
        box = self.file("box.xml", BOX)
        return self.fine("grad", box, "--key", key, "--param", "geom/box.friction[0]", *words)

    def test_json(self):
        for contact in ("lcp", "soft"):
            found = self.grad("creep", "--contact", contact, "--json").json()
            self.assertEqual(max(abs(row[0]) for row in found["P"]), 0)
            self.assertIn(REASON, found["explanation"])
            self.assertEqual(len(found["contacts"]), 4)
            for c in found["contacts"]:
                self.assertEqual((c["geom1_name"], c["geom2_name"], c["class"]), ("floor", "box", "sticking"))
                self.assertGreater(c["force"][0], 0)
                self.assertGreater(c["margin"], 0)
        # the forces hold the box up
        self.close(sum(c["force"][0] for c in found["contacts"]), 9.81, 0.05)

    def test_the_advice_is_good(self):
        """What is offered instead has a gradient."""
        found = self.grad("creep", "--contact", "ncp", "--kappa", 1e-4, "--json").json()
        self.assertGreater(max(abs(row[0]) for row in found["P"]), 1e-6)

    def test_text(self):
        flat = " ".join(self.grad("creep", "--contact", "lcp").out.split())
        self.assertIn(REASON, flat)
        self.assertIn("floor box", flat)
        self.assertIn("P, largest entries: all are zero", flat)
        slide = self.grad("slide", "--contact", "lcp", "--json").json()
        self.assertIn("all sliding", slide["explanation"])
        self.assertGreater(max(abs(row[0]) for row in slide["P"]), 1e-3)

    def test_other_reasons(self):
        self.assertIn("Contact is off", self.grad("creep", "--contact", "none", "--json").json()["explanation"])
        self.assertIn("no geoms that may touch are near enough", self.grad("up", "--contact", "lcp", "--json").json()["explanation"])
        clamped = self.file("ctrl.json", '{"ctrl": [9, 0]}')
        found = self.fine("grad", self.arm, "--state", clamped, "--contact", "none", "--json").json()
        self.assertIn('clamped and have no effect: "push"', found["explanation"])
        self.assertEqual(max(abs(row[0]) for row in found["B"]), 0)


if __name__ == "__main__":
    unittest.main()
