"""Beside MuJoCo: motions and random states that agree, and arguments that make no sense."""

import json
import pathlib
import unittest

from driver import Case

PEER = pathlib.Path("/usr/include/mujoco/mujoco.h")
TOL = 1e-9


class Compare(Case):
    @unittest.skipUnless(PEER.exists(), "MuJoCo is not installed")
    def test_a_motion_is_the_same(self):
        found = self.fine("compare", "models/half_cheetah.xml", "--steps", 100, "--random", 1, "--json").json()
        self.assertEqual(found["count"], 100)
        self.assertGreater(found["in_contact"], 0)
        self.assertIsNone(found["first_difference"])
        for key in ("position", "velocity", "acceleration", "force"):
            self.assertLess(found[key], TOL)

    @unittest.skipUnless(PEER.exists(), "MuJoCo is not installed")
    def test_every_term_is_the_same_with_its_contacts(self):
        for cone in ("pyramidal", "elliptic"):
            words = ("test/data/soft_terms.xml", "--samples", 10, "--contacts", "theirs", "--cone", cone)
            found = self.fine("compare", *words, "--json").json()
            self.assertEqual(found["within"], 10)
            self.assertEqual(found["contact_set"], {"same": 10, "different": 0, "pairs": []})
            self.assertLess(max(found["acceleration"], found["force"], found["mixing"]), TOL)

    @unittest.skipUnless(PEER.exists(), "MuJoCo is not installed")
    def test_a_difference_is_told(self):
        words = ("models/half_cheetah.xml", "--steps", 100, "--random", 1, "--tol", 0)
        result = self.run_tactus("compare", *words, "--json")
        self.assertEqual(result.code, 1, result.err)
        self.assertGreater(result.json()["first_difference"]["error"], 0)

    @unittest.skipUnless(PEER.exists(), "MuJoCo is not installed")
    def test_a_file_that_ends_mujoco_does_not_end_us(self):
        """2.2.2 writes to memory that is not there where a URDF file has a type of joint that it does not know."""
        inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        joint = '<joint name="j" type="planaraxis"><parent link="a"/><child link="b"/></joint>'
        file = self.file("planar.urdf", f'<robot name="p"><link name="a"/>{joint}<link name="b">{inertia}</link></robot>')
        self.refused("without an answer", "compare", file, "--samples", 1)

    def test_answers_from_elsewhere(self):
        """What we write for another engine, answered by one that agrees with us on nothing."""
        states = str(self.folder / "states.json")
        self.fine("compare", "models/pendulum.xml", "--samples", 3, "--states", states)
        asked = json.loads(pathlib.Path(states).read_text())
        self.assertEqual(len(asked["states"]), 3)
        answers = [state | {"qacc": [1e3], "qfrc": [0], "next": [0, 0], "contacts": []} for state in asked["states"]]
        file = self.file("answers.json", {"version": "0.0.0", "integrator": asked["integrator"], "answers": answers})
        result = self.run_tactus("compare", "models/pendulum.xml", "--answers", file, "--json")
        self.assertEqual(result.code, 1, result.err)
        self.assertEqual(result.json()["peer_version"], "0.0.0")
        self.assertEqual(result.json()["first_difference"]["what"], "acceleration")
        short = self.file("short.json", {"version": "0.0.0", "integrator": "euler", "answers": [{"qpos": []}]})
        self.refused("answer 0", "compare", "models/pendulum.xml", "--answers", short)

    def test_bad_arguments(self):
        for words, message in (
            (["--steps", "1", "--samples", "1"], "exclude"),
            (["--contact", "lcp"], "soft"),
            (["--steps", "0"], "--steps: got 0"),
            (["--samples", "0"], "--samples: got 0"),
            (["--contacts", "theirs", "--integrator", "rk4"], "every stage"),
            (["--contacts", "theirs", "--integrator", "rk4", "--samples", "1"], "every stage"),
            (["--integrator", "rkmk4"], "--integrator"),
            (["--states", "x"], "--samples"),
            (["--tol", "-1"], "--tol"),
            (["--contacts", "both"], "--contacts"),
        ):
            self.refused(message, "compare", "models/pendulum.xml", *words)


if __name__ == "__main__":
    unittest.main()
