"""Keyframes by name where a person looks for them, and what a strict load says."""

import unittest

from driver import ARM, Case

TWO = ARM.replace("<keyframe>", '<keyframe><key name="straight"/><key ctrl="1 0"/>')


class Keys(Case):
    def test_info_names_them(self):
        self.assertIn("keyframes  3: straight, #1, bent", self.fine("info", self.file("two.xml", TWO)).out)

    def test_error_names_them(self):
        model = self.file("two.xml", TWO)
        for verb in ("sim", "eval", "grad"):
            self.refused("--key brent: there is no keyframe of that name; the model has 3: 'straight', #1, 'bent'",
                         verb, model, "--key", "brent")
        self.refused("--key 0: there is no keyframe of that name; the model has 0", "sim",
                     self.file("none.xml", "<mujoco/>"), "--key", "0")

    def test_key_is_the_start(self):
        model = self.file("two.xml", TWO)
        for key in ("bent", "2"):
            at = self.fine("sim", model, "--key", key, "--steps", 0, "--contact", "none", "--json").json()
            self.assertEqual(at["final"]["qpos"][:2], [0.5, 1])
            self.assertEqual(at["final"]["act"], [0.25])

    def test_strict_load_names_lenient(self):
        model = self.file("fluid.xml", "<mujoco><option density='1.2'/></mujoco>")
        self.refused("load option lenient (--lenient) makes this a warning", "info", model)
        self.fine("info", model, "--lenient")


if __name__ == "__main__":
    unittest.main()
