"""Derivatives at the states that a model names: springs at rest, clamps at a bound, contacts that just touch."""

import unittest

from driver import Case

# Two fingers that a spring holds alike; the tendon's length is 0 at the default state. {spring}: its rest length or dead
# band. The motor's control stands at the lower bound of its range by default; in the keyframe it is inside, and the ball,
# which rests on the floor by default, is in the air.
MODEL = """<mujoco>
  <compiler autolimits="true"/>
  <option timestep="0.01" gravity="0 0 -10"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1" pos="0 0 -1"/>
    <body name="left"><joint name="left" type="slide" axis="1 0 0"/><geom size="0.1" mass="1" contype="0"/></body>
    <body name="right"><joint name="right" type="slide" axis="1 0 0"/><geom size="0.1" mass="2" contype="0"/></body>
    <body name="ball" pos="0 3 -0.9"><joint name="ball" type="slide" axis="0 0 1"/><geom size="0.1" mass="1"/></body>
  </worldbody>
  <tendon>
    <fixed name="difference" stiffness="50" springlength="{spring}">
      <joint joint="left" coef="1"/><joint joint="right" coef="-1"/>
    </fixed>
  </tendon>
  <actuator><motor name="push" joint="right" ctrlrange="0 1"/></actuator>
  <keyframe>
    <key name="apart" qpos="0.3 0.1 0.5" qvel="0.1 0.2 0.3" ctrl="0.5"/>
    <key qpos="0.3 0.3 0.5" ctrl="0.5"/>
  </keyframe>
</mujoco>
"""
# h k / m of the left finger: dv by dq in a step of Euler's
STIFFNESS = 0.01 * 50 / 1
TOL = 1e-12


# A ball on a shaft that touches the floor and is not pressed onto it.
UNLOADED = """<mujoco>
  <option timestep="0.01" gravity="0 0 0"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="ball" pos="0 0 0.1"><joint name="shaft" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/></body>
  </worldbody>
</mujoco>
"""


class AtRest(Case):
    def model(self, spring):
        return self.file("model.xml", MODEL.format(spring=spring))

    def stiffness(self, model, *state):
        """-dv:left/dq:left, dv:left/dq:right"""
        found = self.fine("grad", model, "--contact", "none", "--json", *state).json()
        rows = found["info"]["rows"]
        row = found["A"][rows.index("dv:left")]
        return [-row[rows.index("dq:left")], row[rows.index("dq:right")]]

    def named(self, model, contact, *words):
        found = self.fine("check", model, "--contact", contact, "--samples", 0, "--json", *words).json()
        return {state["name"]: state for state in found["named"]}

    def test_a_rest_length_has_no_kink(self):
        model = self.model("0")
        for state in ([], ["--key", "apart"], ["--key", "1"]):
            for entry in self.stiffness(model, *state):
                self.assertAlmostEqual(entry, STIFFNESS, delta=TOL)

    def test_a_dead_band_has_two(self):
        for spring in ("-0.1 0.1", "0 0.1", "-0.1 0"):
            self.assertEqual(self.stiffness(self.model(spring)), [0, 0])
        for entry in self.stiffness(self.model("-0.1 0.1"), "--key", "apart"):
            self.assertAlmostEqual(entry, STIFFNESS, delta=TOL)

    def test_the_panda_of_the_models(self):
        """Its fingers' spring is at rest by default: A is that of a state a tenth of a micrometre away."""
        words = ("grad", "models/panda.xml", "--contact", "none", "--json")
        here = self.fine(*words).json()
        rows, nq = here["info"]["rows"], 9
        beside = self.file("beside.json", {"qpos": [0.0] * (nq - 1) + [1e-7]})
        there = self.fine(*words, "--state", beside).json()
        i, j = rows.index("dv:left_finger"), rows.index("dq:right_finger")
        self.assertGreater(here["A"][i][j], 80)
        self.assertAlmostEqual(here["A"][i][j], there["A"][i][j], delta=1e-4)

    def test_named_states_are_visited(self):
        states = self.named(self.model("0"), "none")
        self.assertEqual(list(states), ["default", "key apart", "key 1"])
        self.assertEqual([state["verdict"] for state in states.values()], ["kink", "passed", "passed"])
        control = states["default"]
        self.assertEqual((control["ties"], control["kinked"], control["one_sided"]), (1, 1, 1))

    def test_parameters_at_rest(self):
        states = self.named(self.model("0"), "none", "--param", "tendon/*.stiffness", "--param", "tendon/*.coef*")
        self.assertEqual([state["verdict"] for state in states.values()], ["kink", "passed", "passed"])

    def test_ends_of_dead_bands_are_told(self):
        states = self.named(self.model("0 0.1"), "none")
        self.assertEqual(states["default"]["verdict"], "kink")
        self.assertEqual(states["default"]["ties"], 2)
        self.assertEqual(states["default"]["kinked"], states["default"]["one_sided"])
        self.assertEqual((states["key 1"]["verdict"], states["key 1"]["ties"]), ("kink", 1))

    def test_contacts_that_just_touch_are_told(self):
        for contact in ("lcp", "ncp", "soft"):
            states = self.named(self.model("0"), contact)
            with self.subTest(contact=contact):
                self.assertIn(states["default"]["verdict"], ("passed", "kink"))
                self.assertEqual(states["default"]["kinked"], states["default"]["one_sided"])
                self.assertEqual(states["key apart"]["verdict"], "passed")

    def test_friction_without_a_force_holds_nothing(self):
        """Its bounds coincide at zero: the ball slides whichever way it is pushed."""
        model = self.file("unloaded.xml", UNLOADED)
        found = self.fine("grad", model, "--contact", "lcp", "--json").json()
        rows = found["info"]["rows"]
        self.assertAlmostEqual(found["A"][rows.index("dv:shaft")][rows.index("dv:shaft")], 1, delta=TOL)
        self.assertEqual(self.named(model, "lcp")["default"]["verdict"], "passed")

    def test_people_read_of_them(self):
        text = self.fine("check", self.model("0"), "--contact", "none", "--samples", 2).out
        self.assertIn("kink       default: ", text)
        self.assertIn("passed     key apart: ", text)


if __name__ == "__main__":
    unittest.main()
