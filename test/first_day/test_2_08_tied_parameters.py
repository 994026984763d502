"""`grad` says where two geoms share a derivative, and --tie has the whole of it."""

import unittest

from driver import Case

SLIDE = """<mujoco><option timestep="0.002"/>
  <worldbody><geom name="floor" type="plane" size="1 1 1"/>
    <body name="box" pos="0 0 0.099"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1"/></body></worldbody>
  <keyframe><key name="slides" qpos="0 0 0.099 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>
"""
FLOOR, BOX = "geom/floor.friction[0]", "geom/box.friction[0]"
VX = 6  # row of P: the box's velocity along x


class Tie(Case):
    def grad(self, model, contact, *words):
        return self.fine("grad", model, "--key", "slides", "--contact", contact, "--json", *words).json()

    def test_tie_has_the_sum(self):
        model = self.file("slide.xml", SLIDE)
        for contact in ("lcp", "ncp", "soft"):
            halves = self.grad(model, contact, "--param", FLOOR, "--param", BOX)
            tied = self.grad(model, contact, "--tie", "geom/*.friction[0]")
            self.assertEqual(tied["params"], ["geom/*.friction[0]"])
            self.assertEqual(tied["info"]["tied"], {"geom/*.friction[0]": [FLOOR, BOX]})
            self.assertEqual(tied["info"]["shared"], [])
            whole, (one, two) = tied["P"][VX][0], halves["P"][VX]
            self.assertLess(whole, -1e-3)
            self.assertAlmostEqual(one, two, delta=1e-12)
            self.assertAlmostEqual(whole, one + two, delta=1e-9 * abs(whole))
            self.assertEqual(sorted(s["param"] for s in halves["info"]["shared"]), [BOX, FLOOR])

    def test_text_says_who_shares(self):
        model = self.file("slide.xml", SLIDE)
        words = ["grad", model, "--key", "slides", "--contact", "soft"]
        out = self.fine(*words, "--param", BOX).out
        self.assertIn(f"{BOX} and {FLOOR}; --tie '{BOX},{FLOOR}' gives the full derivative", out)
        self.assertNotIn("--tie", self.fine(*words, "--tie", f"{BOX},{FLOOR}").out)
        other = self.file("other.xml", SLIDE.replace('name="floor"', 'name="floor" friction="0.3"'))
        self.assertNotIn("--tie", self.fine("grad", other, *words[2:], "--param", BOX).out)

    def test_check_takes_it(self):
        model = self.file("slide.xml", SLIDE)
        result = self.fine("check", model, "--contact", "soft", "--samples", 5, "--tie", "geom/*.friction[0]", "--json")
        self.assertIn("dy/dgeom.friction", result.json()["blocks"])

    def test_patterns(self):
        """Parts may overlap, and a pattern finds what that of --param does: masses that come from geoms too."""
        model = self.file("slide.xml", SLIDE)
        found = self.grad(model, "soft", "--tie", f"{BOX},geom/*.friction[0]")
        self.assertEqual(list(found["info"]["tied"].values()), [[BOX, FLOOR]])
        twins = self.file("twins.xml", SLIDE.replace('<geom name="box"', '<geom name="box" contype="0"').replace(
            "</body>", '<body name="arm"><joint/><geom type="box" size="0.1 0.1 0.1"/></body></body>').replace("<keyframe>", "<!--").replace("</keyframe>", "-->"))
        words = ["grad", twins, "--contact", "none", "--json"]
        tied = self.fine(*words, "--tie", "body/*.mass").json()
        self.assertEqual(list(tied["info"]["tied"].values()), [["body/box.mass", "body/arm.mass"]])
        apart = self.fine(*words, "--param", "body/*.mass").json()
        for whole, parts in zip(tied["P"], apart["P"]):
            self.assertAlmostEqual(whole[0], sum(parts), delta=1e-12)

    def test_refusals(self):
        model = self.file("slide.xml", SLIDE.replace('name="floor"', 'name="floor" friction="0.3"'))
        words = ["grad", model, "--contact", "soft"]
        self.refused(f"a group needs equal values: '{FLOOR}' is 0.29", *words, "--tie", "geom/*.friction[0]")
        self.refused("matches none of the", *words, "--tie", "geom/*.frictoin[0]")
        self.refused("one of a group", *words, "--tie", "geom/box.size[0],geom/box.size[1]", "--param", "geom/box.size[1]")


if __name__ == "__main__":
    unittest.main()
