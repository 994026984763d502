"""`compare` runs the contact model that it is asked for, says which, and lists no option that it refuses."""

import pathlib
import re
import unittest

from driver import Case

PEER = pathlib.Path("/usr/include/mujoco/mujoco.h")
HEIGHT = 0.5
# Lands after about 0.3 s; a joint at the end of its range.
DROP = f"""<mujoco><option timestep="0.002"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body pos="0 0 {HEIGHT}"><freejoint/><geom type="sphere" size=".1" mass="1"/></body>
  <body pos="2 0 1"><joint type="slide" axis="0 0 1" limited="true" range="-.01 .01"/><geom type="sphere" size=".1" mass="1"/></body>
</worldbody></mujoco>"""


class Asked(Case):
    @unittest.skipUnless(PEER.exists(), "MuJoCo is not installed")
    def test_contact(self):
        drop = self.file("drop.xml", DROP)
        for words, contact in (((), "soft"), (("--contact", "soft"), "soft"), (("--contact", "none"), "none")):
            found = self.fine("compare", drop, "--steps", 300, *words, "--json").json()
            self.assertEqual(found["contact"], contact)
            self.assertEqual(found["in_contact"] > 0, contact == "soft")
            self.assertIsNone(found["first_difference"])
            self.assertEqual(found["status"], "success")
            self.assertIn(f"contact {contact}, integrator euler", self.fine("compare", drop, "--steps", 3, *words).out)
        states = self.fine("compare", drop, "--samples", 5, "--contact", "none", "--json").json()
        self.assertEqual((states["count"], states["in_contact"]), (5, 0))
        self.assertLess(states["acceleration"], 1e-9)

    def test_help_lists_what_it_takes(self):
        text = self.fine("compare", "--help").out
        for option in ("--kappa", "--toi", "--friction", "lcp", "ncp", "rkmk4"):
            self.assertNotIn(option, text)
        self.assertIn("--contact soft|none", text)
        for word in re.search(r"--integrator (\S+)", text).group(1).split("|"):
            result = self.run_tactus("compare", self.file("drop.xml", DROP), "--integrator", word, "--steps", 1)
            self.assertNotIn("expected", result.err)

    def test_what_it_cannot_do_is_refused(self):
        drop = self.file("drop.xml", DROP)
        self.refused('--contact: got "lcp", expected soft|none', "compare", drop, "--contact", "lcp")
        self.refused("unknown option --kappa", "compare", drop, "--kappa", 1)
        self.refused("require --contact soft", "compare", drop, "--contact", "none", "--contacts", "theirs")
        state = self.file("s.json", "{}")
        self.refused("--samples draws its own states", "compare", drop, "--samples", 2, "--state", state)
        self.refused("--samples draws its own states", "compare", drop, "--samples", 2, "--random", 1)


if __name__ == "__main__":
    unittest.main()
