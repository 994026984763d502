"""tactus eval: values against closed forms, state files, keyframes, refusals."""

import json
import math
import unittest

from driver import ARM, NBODY, NQ, NU, NV, Case

TOLERANCE = 1e-12

PENDULUM = """<mujoco><compiler angle="radian"/><worldbody><body name="rod">
  <inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.02 0.03"/>
  <joint name="pin" axis="0 1 0" damping="0.3" stiffness="4" springref="0.2" armature="0.05"/>
  <site name="end" pos="1 0 0"/></body></worldbody>
  <actuator><motor name="drive" joint="pin" gear="7"/></actuator></mujoco>"""


# A rod of 1 kg, its centre 0.5 m from a pin on a mocap body of 1 kg.
HUNG = """<mujoco><worldbody><body name="hand" mocap="true"><geom type="sphere" size="0.02" mass="1"/>
  <body name="rod"><joint name="pin" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" mass="1"/></body></body></worldbody></mujoco>"""


class Pendulum(Case):
    """A rod of mass 2 with its centre 0.5 m from a pin along y, at angle q, speed v."""

    def setUp(self):
        super().setUp()
        self.q, self.v, self.u = 0.7, -1.3, 0.4
        state = self.file("s.json", {"qpos": [self.q], "qvel": [self.v], "ctrl": [self.u]})
        self.at = self.fine("eval", self.file("p.xml", PENDULUM), "--state", state, "--json").json()

    def test_dynamics(self):
        inertia = 0.02 + 2 * 0.25 + 0.05
        bias = -2 * 9.81 * 0.5 * math.cos(self.q)
        self.close(self.at["mass_matrix"], [[inertia]], TOLERANCE)
        self.close(self.at["bias"], [bias], TOLERANCE)
        self.close(self.at["passive"], [-0.3 * self.v - 4 * (self.q - 0.2)], TOLERANCE)
        force = 7 * self.u - bias - 0.3 * self.v - 4 * (self.q - 0.2)
        self.close(self.at["qacc"], [force / inertia], TOLERANCE)

    def test_poses(self):
        c, s = math.cos(self.q), math.sin(self.q)
        rod = self.at["bodies"][1]
        self.close(rod["pos"], [0, 0, 0], TOLERANCE)
        self.close(rod["quat"], [math.cos(self.q / 2), 0, math.sin(self.q / 2), 0], TOLERANCE)
        self.close(rod["ipos"], [0.5, 0, 0], TOLERANCE)
        self.close(sorted(rod["inertia"]), [0.01, 0.02, 0.03], TOLERANCE)
        self.close(self.at["sites"][0]["pos"], [c, 0, -s], TOLERANCE)
        self.close(self.at["com"], [0.5 * c, 0, -0.5 * s], TOLERANCE)

    def test_energies_and_momentum(self):
        spring = 0.5 * 4 * (self.q - 0.2) ** 2
        self.close(self.at["energy"]["kinetic"], 0.5 * (0.52 + 0.05) * self.v**2, TOLERANCE)
        self.close(self.at["energy"]["potential"], -2 * 9.81 * 0.5 * math.sin(self.q) + spring, TOLERANCE)
        speed = 0.5 * self.v
        direction = [-math.sin(self.q), 0, -math.cos(self.q)]
        self.close(self.at["momentum"]["linear"], [2 * speed * d for d in direction], TOLERANCE)
        self.close(self.at["momentum"]["angular"], [0, 0.02 * self.v, 0], TOLERANCE)

    def test_actuator(self):
        drive = self.at["actuators"][0]
        self.assertEqual(drive["name"], "drive")
        self.close([drive["length"], drive["velocity"], drive["force"]], [7 * self.q, 7 * self.v, self.u], TOLERANCE)

    def test_keys(self):
        for key in "mass_matrix bias passive bodies sites actuators energy com contacts nq nv qacc momentum tendons subtree_com".split():
            self.assertIn(key, self.at)
        self.assertEqual(self.at["contacts"], [])
        self.assertEqual(set(self.at["bodies"][0]) >= set("name pos quat mass ipos iquat inertia".split()), True)


class States(Case):
    def eval(self, state=None, *more):
        words = ["--state", self.file("s.json", state)] if state is not None else []
        return self.fine("eval", self.arm, "--json", *words, *more).json()

    def test_missing_fields_take_the_default(self):
        self.assertEqual(self.eval(), self.eval({}))
        plain = self.eval({"qpos": [0, 0, 1, 0, 1, 1, 0, 0, 0]})
        self.assertEqual(self.eval(), plain)

    def test_state_from_standard_input(self):
        text = json.dumps({"qpos": [0.5, 1, 1, 0, 1, 1, 0, 0, 0]})
        piped = self.fine("eval", self.arm, "--json", "--state", "-", input=text).json()
        self.assertEqual(piped, self.eval({"qpos": [0.5, 1, 1, 0, 1, 1, 0, 0, 0]}))

    def test_keyframe_by_name_and_number_then_state_over_it(self):
        by_hand = self.eval({"qpos": [0.5, 1, 1, 0, 1, 1, 0, 0, 0], "qvel": [1, 2, 0, 0, 0, 0, 0, 0], "act": [0.25], "ctrl": [1.5, 0]})
        self.assertEqual(self.eval(None, "--key", "bent"), by_hand)
        self.assertEqual(self.eval(None, "--key", "0"), by_hand)
        still = self.eval({"qvel": [0] * NV}, "--key", "bent")
        self.assertEqual(still["mass_matrix"], by_hand["mass_matrix"])
        self.assertEqual(still["energy"]["kinetic"], 0.0)
        self.refused("--key straight: there is no keyframe of that name; the model has 1: 'bent'", "eval", self.arm, "--key", "straight")
        self.refused("--key 1: there is no keyframe", "eval", self.arm, "--key", "1")

    def test_applied_forces_move_the_robot(self):
        rest = self.eval()
        force = [0.0] * NV
        force[0] = 0.3
        pushed = self.eval({"qfrc_applied": force})
        mass = rest["mass_matrix"]
        change = [b - a for a, b in zip(rest["qacc"], pushed["qacc"])]
        self.close([sum(m * c for m, c in zip(row, change)) for row in mass], force, 1e-10)
        # 5 N upwards on the ball, whose mass is bodies[3]
        xfrc = [[0.0] * 6 for _ in range(NBODY)]
        xfrc[3][2] = 5.0
        lifted = self.eval({"xfrc_applied": xfrc})
        self.close(lifted["qacc"][4] - rest["qacc"][4], 5 / rest["bodies"][3]["mass"], 1e-10)

    def test_mocap(self):
        moved = self.eval({"mocap_pos": [[1, 2, 3]], "mocap_quat": [[0, 1, 0, 0]]})
        hand = moved["bodies"][4]
        self.assertEqual(hand["name"], "hand")
        self.close(hand["pos"], [1, 2, 3], 0)
        self.close(hand["quat"], [0, 1, 0, 0], 0)
        turned = self.eval({"mocap_quat": [0, 0, 1, 0]})["bodies"][4]
        self.close(turned["pos"], [0, 1, 0], 0)

    def test_what_hangs_on_a_mocap_body_turns_with_it(self):
        model = self.file("hung.xml", HUNG)
        level = self.fine("eval", model, "--json").json()
        self.close(level["bias"], [-9.81 * 0.5], 1e-12)
        half = math.sqrt(0.5)
        state = self.file("down.json", {"mocap_pos": [[0, 0, 2]], "mocap_quat": [[2 * half, 0, 2 * half, 0]]})
        down = self.fine("eval", model, "--json", "--state", state).json()
        self.close(down["bias"], [0], 1e-12)
        self.close(down["qacc"], [0], 1e-12)
        self.close(down["energy"]["potential"], 9.81 * (2 + 1.5), 1e-12)
        run = self.fine("sim", model, "--json", "--steps", 5, "--state", state).json()
        self.close(run["energy"], [9.81 * (2 + 1.5)] * 6, 1e-12)
        bad = self.file("zero.json", {"mocap_quat": [[0, 0, 0, 0]]})
        self.refused('"mocap_quat" of mocap body "hand" has no valid length', "eval", model, "--state", bad)

    def test_tendons(self):
        at = self.eval({"qpos": [0.5, 1, 1, 0, 1, 1, 0, 0, 0], "qvel": [1, 2, 0, 0, 0, 0, 0, 0]})
        self.assertEqual(at["tendons"][0]["name"], "cable")
        self.close([at["tendons"][0]["length"], at["tendons"][0]["velocity"]], [0.5 - 2, 1 - 4], TOLERANCE)

    def test_wrong_states(self):
        def state(text):
            return self.file("bad.json", text)

        self.refused(f'"qpos" has 3 numbers, expected {NQ}', "eval", self.arm, "--state", state({"qpos": [0, 0, 0]}))
        self.refused(f'"ctrl" has 1 numbers, expected {NU}', "eval", self.arm, "--state", state({"ctrl": [0]}))
        self.refused('unknown field "qpso"', "eval", self.arm, "--state", state({"qpso": []}))
        self.refused('"qpos" must be a list of numbers', "eval", self.arm, "--state", state({"qpos": "zero"}))
        self.refused('"qvel" must be a list of numbers', "eval", self.arm, "--state", state({"qvel": [None] * NV}))
        self.refused("bad.json:1: not JSON", "eval", self.arm, "--state", state("{qpos: 1}"))
        self.refused("not JSON", "eval", self.arm, "--state", state('{"ctrl": [1e400, 0]}'))
        self.refused("not JSON", "eval", self.arm, "--state", state('{"ctrl": [NaN, 0]}'))
        self.refused("not JSON", "eval", self.arm, "--state", state('{"act": [0], "act": [1]}'))
        self.refused("expected an object", "eval", self.arm, "--state", state("[1, 2]"))
        self.refused("absent.json: cannot open the file", "eval", self.arm, "--state", self.folder / "absent.json")
        self.refused(f"{self.folder}: is a folder, expected a JSON file", "eval", self.arm, "--state", self.folder)

    def test_overflow_is_never_printed(self):
        state = self.file("huge.json", {"qvel": [1e300] * NV})
        result = self.run_tactus("eval", self.arm, "--json", "--state", state)
        self.assertIn(result.code, (1, 2))
        self.assertEqual(result.out, "")
        self.assertNotIn("nan", self.run_tactus("eval", self.arm, "--state", state).out.lower())

    def test_overflow_names_the_state(self):
        text = {"qvel": [1e200] * NV}
        state = self.file("huge.json", text)
        for words in (["--json"], []):
            result = self.refused("not finite at this state", "eval", self.arm, "--state", state, *words, code=1)
            self.assertIn("huge.json: ", result.err)
            self.assertEqual(result.out, "")
        fast = self.file("fast.xml", ARM.replace('qvel="1 2 0 0 0 0 0 0"', 'qvel="1e200 1e200 0 0 0 0 0 0"'))
        self.refused("is not finite at this state", "eval", fast, "--key", "bent", code=1)

    def test_seventeen_digits(self):
        text = self.fine("eval", self.arm, "--json", "--key", "bent").out
        again = json.dumps(json.loads(text))
        self.assertEqual(json.loads(again), json.loads(text))
        tenth = 0.1
        state = {"qpos": [tenth, 1 / 3, 1, 0, 1, 1, 0, 0, 0]}
        at = self.eval(state)
        self.assertEqual(at["tendons"][0]["length"], tenth - 2 * (1 / 3))

    def test_text_is_readable(self):
        text = self.fine("eval", self.arm, "--key", "bent").out
        for part in ("energy", "bias", "mass matrix, 8 x 8", "upper", "push", "tip"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
