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
REASON = "4 contacts, all sticking: friction has no first-order effect here. For a softer gradient, use --contact ncp --kappa 1e-4"


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
        self.assertIn("no two geoms are close enough", self.grad("up", "--contact", "lcp", "--json").json()["explanation"])
        clamped = self.file("ctrl.json", '{"ctrl": [9, 0]}')
        found = self.fine("grad", self.arm, "--state", clamped, "--contact", "none", "--json").json()
        self.assertIn('clamped and have zero derivatives: "push"', found["explanation"])
        self.assertEqual(max(abs(row[0]) for row in found["B"]), 0)

    def test_actuators_and_flags(self):
        """A column of B that is zero has its reason, and so has a floor that holds nothing."""
        arm = """<mujoco><option><flag {flag}/></option><worldbody><geom name="floor" type="plane" size="1 1 1"/>
          <body><joint name="hinge" axis="0 1 0" {joint}/><geom type="capsule" size=".1" fromto="0 0 0 1 0 0"/></body></worldbody>
          <actuator><motor name="push" joint="hinge" {motor}/></actuator></mujoco>"""
        push = self.file("push.json", '{"ctrl": [3]}')
        cases = (
            ({"motor": 'forcelimited="true" forcerange="-1 1"'}, 'These actuator forces are saturated, so their controls have zero derivatives: "push"'),
            ({"joint": 'actuatorfrclimited="true" actuatorfrcrange="-1 1"'}, 'These joints saturate the force of their actuators, so the controls have zero derivatives: "hinge"'),
            ({"flag": 'actuation="disable"'}, "The model disables its actuators"),
            ({"flag": 'contact="disable"'}, "The model disables contacts"),
            ({"flag": 'constraint="disable"'}, "The model disables contacts"),
            ({}, None),
        )
        for words, reason in cases:
            model = self.file("arm.xml", arm.format(**{"flag": "", "joint": "", "motor": "", **words}).replace("<flag />", ""))
            for contact in ("none", "soft"):
                found = self.fine("grad", model, "--state", push, "--contact", contact, "--json").json()
                told = found["explanation"]
                if reason is None or (contact == "none" and "disables contacts" in reason):
                    self.assertNotIn("saturate", told)
                    self.assertNotIn("disables", told)
                else:
                    self.assertIn(reason, told)
                free = reason is None or "disables contacts" in reason
                self.assertEqual(max(abs(row[0]) for row in found["B"]) > 0, free, told)

    def test_kinks(self):
        """A box that just touches the floor, and a control at the end of its range, without contact too."""
        touching = self.file("touching.xml", BOX.replace("0 0 0.0999", "0 0 0.1"))
        told = self.fine("grad", touching, "--contact", "soft", "--json").json()["explanation"]
        self.assertIn("changes at this state: derivatives may jump", told)
        self.assertNotIn("jump", self.grad("creep", "--contact", "soft", "--json").json()["explanation"])
        at_bound = self.file("ctrl.json", '{"ctrl": [3, 0]}')
        told = self.fine("grad", self.arm, "--state", at_bound, "--contact", "none", "--json").json()["explanation"]
        self.assertIn("1 row is in two classes: the step has a kink here", told)

    def test_softened_contacts(self):
        """Soft contacts that are open carry what the list says, and the advice does not lead in a circle."""
        box = self.file("box.xml", BOX.replace("0 0 0.0999", "0 0 0.1"))
        found = self.fine("grad", box, "--contact", "ncp", "--kappa", 1e-4, "--json").json()
        most = max(c["force"][0] for c in found["contacts"])
        self.assertEqual({c["class"] for c in found["contacts"]}, {"open"})
        self.assertGreater(most, 1)
        self.assertIn(f"with a relaxation force (kappa 0.0001) of at most {most:.3g} N", found["explanation"])
        self.assertNotIn("--kappa", self.grad("creep", "--contact", "ncp", "--kappa", 1e-4, "--json").json()["explanation"])


if __name__ == "__main__":
    unittest.main()
