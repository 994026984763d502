"""Contact is on unless the user turns it off: what falls on the floor stays there."""

import unittest

from driver import Case

BALL = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 0.3"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""


class ContactByDefault(Case):
    def height(self, *words):
        return self.fine("sim", self.file("ball.xml", BALL), "--time", 1, "--json", *words).json()["final"]["qpos"][2]

    def test_a_ball_lands(self):
        self.assertAlmostEqual(self.height(), 0.1, delta=0.005)
        self.assertEqual(self.height(), self.height("--contact", "soft"))
        self.assertLess(self.height("--contact", "none"), -4)

    def test_every_verb_that_steps_says_soft(self):
        ball = self.file("ball.xml", BALL)
        self.assertEqual(self.fine("grad", ball, "--json").json()["info"]["contact"], "soft")
        self.assertEqual(self.fine("bench", ball, "--seconds", "0.02", "--json").json()["rows"][0]["contact"], "soft")
        self.assertIn("contact soft", self.fine("check", self.arm, "--samples", 2).out)


if __name__ == "__main__":
    unittest.main()
