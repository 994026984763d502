"""The command line names the integrator that runs, and refuses one that was asked for and cannot run."""

import unittest

from driver import Case

BALL = """<mujoco><option timestep="0.001" integrator="RK4"/>
  <worldbody><geom name="floor" type="plane" size="1 1 1"/>
    <body name="ball" pos="0 0 0.1"><freejoint/><geom name="ball" size="0.1"/></body></worldbody></mujoco>
"""


class Integrator(Case):
    def test_the_models_own_gives_way(self):
        ball = self.file("ball.xml", BALL)
        for contact, word in (("lcp", "euler"), ("ncp", "variational"), ("soft", "rk4"), ("none", "rk4")):
            info = self.fine("grad", ball, "--contact", contact, "--json").json()["info"]
            self.assertEqual(info["integrator"], word)

    def test_one_that_was_asked_for_is_refused(self):
        for text in (BALL, BALL.replace("RK4", "Euler")):  # the same as the model's own, or another
            ball = self.file("ball.xml", text)
            for verb in ("sim", "grad", "check"):
                self.refused("--integrator rk4 is not available with --contact lcp, which uses euler", verb, ball,
                             "--contact", "lcp", "--integrator", "rk4")
            self.fine("sim", ball, "--contact", "ncp", "--integrator", "implicit", "--steps", 1)


if __name__ == "__main__":
    unittest.main()
