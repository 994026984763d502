"""`grad` for people lists the largest entries of each matrix, by size."""

import re
import unittest

from driver import Case

SLIDE = """<mujoco><option timestep="0.01"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body name="brick" pos="0 0 0.0999"><freejoint name="root"/><geom name="box" type="box" size=".1 .1 .1" mass="1"/></body>
</worldbody></mujoco>"""


class Sorted(Case):
    def listed(self, text, title):
        """The numbers under a title."""
        block = text.split(f"\n{title}, largest entries", 1)[1].split("\n\n")[0]
        return [float(line.split()[0]) for line in block.splitlines()[1:]]

    def test_by_size(self):
        box = self.file("box.xml", SLIDE)
        for words in ((box, "--contact", "lcp"), (box, "--contact", "soft"), (self.arm, "--contact", "none", "--key", "bent")):
            text = self.fine("grad", *words).out
            entries = sorted((abs(a) for row in self.fine("grad", *words, "--json").json()["A"] for a in row), reverse=True)
            shown = self.listed(text, "A")
            self.assertEqual(len(shown), 12)
            self.close([abs(a) for a in shown], entries[:12], 1e-4)

    def test_a_body_that_is_held_shows_no_rounding(self):
        """A box that sticks: rows of its velocity are zero, and the largest entries are not 1e-9."""
        shown = self.listed(self.fine("grad", self.file("box.xml", SLIDE), "--contact", "lcp").out, "A")
        self.assertGreater(abs(shown[0]), 0.5)
        self.assertEqual([abs(a) for a in shown], sorted((abs(a) for a in shown), reverse=True))

    def test_a_matrix_of_zeros(self):
        text = self.fine("grad", self.file("box.xml", SLIDE), "--contact", "lcp", "--param", "geom/box.friction[0]").out
        self.assertTrue(re.search(r"P, largest entries: all are zero", text), text)


if __name__ == "__main__":
    unittest.main()
