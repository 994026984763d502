"""--ground: a floor under a robot whose file has none."""

import unittest

from driver import Case

RADIUS = 0.1
BALL = f"""<robot name="ball"><link name="ball">
  <inertial><mass value="1"/><inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="{RADIUS}"/></geometry></collision>
</link></robot>"""


class Ground(Case):
    def fall(self, *words):
        ball, start = self.file("ball.urdf", BALL), self.file("start.json", {"qpos": [0, 0, 0.3, 1, 0, 0, 0]})
        words = ("sim", ball, "--base", "floating", "--state", start, "--contact", "lcp", "--time", 2, "--json", *words)
        return self.fine(*words).json()["final"]["qpos"][2]

    def test_a_ball_comes_to_rest_on_it(self):
        self.assertLess(self.fall(), -1)
        self.assertAlmostEqual(self.fall("--ground"), RADIUS, delta=1e-3)

    def test_one_geom_more(self):
        ball = self.file("ball.urdf", BALL)
        geoms = self.fine("info", ball, "--ground", "--json").json()["geoms"]
        self.assertEqual([(geom["name"], geom["type"]) for geom in geoms], [("ground", "plane"), ("", "sphere")])

    def test_taken_name(self):
        model = self.file("taken.xml", '<mujoco><worldbody><geom name="ground" type="plane" size="1 1 1"/></worldbody></mujoco>')
        self.refused("--ground: the model has a geom", "info", model, "--ground")


if __name__ == "__main__":
    unittest.main()
