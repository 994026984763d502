"""tactus info: sizes, names, what was ignored, parameters."""

import unittest

from driver import NA, NBODY, NQ, NU, NV, Case


class Info(Case):
    def test_keys_and_sizes(self):
        info = self.fine("info", self.arm, "--json").json()
        for key in "nq nv nu na nbody ngeom njnt mass bodies joints geoms actuators ignored warnings".split():
            self.assertIn(key, info)
        sizes = [info[key] for key in ("nq", "nv", "nu", "na", "nbody", "ngeom", "njnt")]
        self.assertEqual(sizes, [NQ, NV, NU, NA, NBODY, 5, 3])
        self.assertEqual([body["name"] for body in info["bodies"]], ["world", "upper", "lower", "ball", "hand"])
        self.assertAlmostEqual(info["mass"], sum(body["mass"] for body in info["bodies"]), delta=1e-12)

    def test_elements(self):
        info = self.fine("info", self.arm, "--json").json()
        joints = {joint["name"]: joint for joint in info["joints"]}
        self.assertEqual([joint["type"] for joint in info["joints"]], ["hinge", "hinge", "free"])
        self.assertEqual(joints["shoulder"]["range"], [-2.0, 2.0])
        self.assertEqual([geom["type"] for geom in info["geoms"]], ["plane", "capsule", "box", "sphere", "sphere"])
        self.assertEqual([geom["name"] for geom in info["geoms"]], ["floor", "upper", "lower", "", ""])
        self.assertEqual([a["name"] for a in info["actuators"]], ["push", "turn"])
        self.assertEqual(info["actuators"][0]["ctrlrange"], [-3.0, 3.0])

    def test_ignored_lines_name_file_and_line(self):
        ignored = self.fine("info", self.arm, "--json").json()["ignored"]
        self.assertTrue(any("arm.xml:4" in line and "visual" in line for line in ignored), ignored)

    def test_parameters(self):
        info = self.fine("info", self.arm, "--json", "--params").json()
        self.assertEqual(info["params"]["joint/shoulder.damping"], 0.1)
        self.assertEqual(info["params"]["option.gravity[2]"], -9.81)
        text = self.fine("info", self.arm, "--params").out
        self.assertIn("0.10000000000000001", text)

    def test_text_is_readable(self):
        text = self.fine("info", self.arm).out
        for part in ("8 degrees of freedom", "shoulder", "-2 to 2 rad", "push", "1 plane", "ignored"):
            self.assertIn(part, text)
        self.assertTrue(all(len(line) <= 120 for line in text.splitlines() if "arm.xml" not in line))

    def test_random_models_are_described(self):
        for seed in range(5):
            model = self.file(f"random{seed}.xml", self.fine("random", seed).out)
            info = self.fine("info", model, "--json").json()
            self.assertEqual(len(info["joints"]), info["njnt"])
            self.assertGreater(info["nv"], 0)


if __name__ == "__main__":
    unittest.main()
