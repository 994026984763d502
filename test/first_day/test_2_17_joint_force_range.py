"""Implicit steps beside MuJoCo 3.14: controls beyond their range, joints that hold their actuators' force, answers of one
integrator."""

import json
import unittest

from driver import Case

# A damper is an actuator whose gain is -kv times the velocity: its force is gain times control. The second joint's
# range holds the sum of its actuators' forces.
MODEL = """<mujoco>
  <option timestep="0.01" integrator="{integrator}"><flag contact="disable"/></option>
  <worldbody>
    <body>
      <joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/>
      <body pos="0.5 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.01" actuatorfrcrange="-2 2"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <damper name="brake" joint="shoulder" kv="10" ctrlrange="0 1"/>
    <position name="servo" joint="elbow" kp="100" kv="10"/>
    <damper name="elbow brake" joint="elbow" kv="10" ctrlrange="0 1"/>
  </actuator>
</mujoco>
"""
POSE = {"qpos": [0.3, -0.2], "qvel": [1, 2]}
# control -> velocities after one step of MuJoCo 3.14.0: inside the ranges, beyond the upper bound, beyond the lower.
TRUE = {
    "implicitfast": {
        (0.5, 0.5, 0.5): [1.0980211546810934, 2.066826278382558],
        (1.4, 0.5, 3.0): [1.0672849316099722, 2.1096600238994525],
        (-0.7, -0.5, -0.5): [1.1999860419114552, 1.800992647463918],
    },
    "implicit": {
        (0.5, 0.5, 0.5): [1.0971441027921458, 2.0687225852600477],
        (1.4, 0.5, 3.0): [1.066503231092109, 2.111135591845335],
        (-0.7, -0.5, -0.5): [1.1996520473220866, 1.8025050280428974],
    },
}
TOL = 1e-12


class ImplicitSteps(Case):
    def test_velocities_are_those_of_mujoco(self):
        for integrator, cases in TRUE.items():
            model = self.file("model.xml", MODEL.format(integrator=integrator))
            for ctrl, velocity in cases.items():
                state = self.file("state.json", POSE | {"ctrl": list(ctrl)})
                for contact in ("none", "soft"):
                    with self.subTest(integrator=integrator, ctrl=ctrl, contact=contact):
                        words = ("sim", model, "--contact", contact, "--state", state, "--steps", 1, "--json")
                        found = self.fine(*words).json()["final"]["qvel"]
                        self.assertLess(max(abs(a - b) for a, b in zip(found, velocity, strict=True)), TOL)

    def test_derivatives_see_the_range(self):
        """Controls drawn outside their range, and the bounds of the ranges as parameters."""
        for integrator in TRUE:
            model = self.file("model.xml", MODEL.format(integrator=integrator))
            words = ("--contact", "none", "--samples", 40, "--param", "actuator/*range*", "--param", "actuator/*.gainprm*")
            self.fine("check", model, *words)

    def test_answers_are_of_our_integrator(self):
        model, states = self.file("model.xml", MODEL.format(integrator="implicitfast")), self.folder / "states.json"
        self.fine("compare", model, "--samples", 1, "--states", states)
        asked = json.loads(states.read_text())
        self.assertEqual(asked["integrator"], "implicitfast")
        state = asked["states"][0]
        answers = [state | {"qacc": [0, 0], "qfrc": [0, 0], "next": [0, 0, 0, 0], "contacts": []}]
        file = self.file("answers.json", {"version": "0.0.0", "integrator": "euler", "answers": answers})
        self.refused('got answers of integrator "euler", expected "implicitfast"', "compare", model, "--answers", file)
        none = self.file("none.json", {"version": "0.0.0", "answers": answers})
        self.refused('expected "version", "integrator"', "compare", model, "--answers", none)


# A ball on a hinge through its centre inside a fixed one: contacts cannot move it, and weigh as much as rounding lets
# them (1e18 N).
HELD = """<mujoco>
  <worldbody>
    <geom type="sphere" size="0.1"/>
    <body><joint/><geom type="sphere" size="0.1"/></body>
    <body pos="0.01 0.02 0.03"><geom type="sphere" size="0.1"/></body>
  </worldbody>
</mujoco>
"""


class HeldBodies(Case):
    def test_steps_are_solved(self):
        model = self.file("held.xml", HELD)
        for speed in (0.1, 1.0, -3.0):
            state = self.file("state.json", {"qpos": [0.4], "qvel": [speed]})
            result = self.fine("sim", model, "--contact", "soft", "--state", state, "--steps", 50, "--json")
            self.assertEqual(result.err, "")


if __name__ == "__main__":
    unittest.main()
