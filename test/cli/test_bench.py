"""tactus bench: rows with every key, times that make sense, errors of the same run; and the plot of check."""

import pathlib
import re
import unittest
import xml.etree.ElementTree as xml

import driver

KEYS = (
    "model contact nv contacts us_step us_jac us_vjp us_fd us_rnea us_aba us_crba us_did us_dfd residual peer peer_version "
    "us_peer us_peer_fd ratio"
).split()


class Bench(driver.Case):
    def rows(self, *words):
        return self.fine("bench", "--seconds", "0.05", "--json", *words).json()["rows"]

    def test_rows_have_every_key(self):
        (row,) = self.rows(self.arm, "--contact", "none")
        self.assertLessEqual(set(KEYS), set(row))
        self.assertEqual((row["model"], row["contact"], row["nv"], row["contacts"]), (self.arm, "none", driver.NV, 0))
        for key in KEYS:
            if key.startswith("us_") and "peer" not in key:
                self.assertGreater(row[key], 0, key)
        self.assertLess(row["derivative_error"], 1e-7)
        self.assertLess(row["residual"], 1e-10)
        self.assertGreater(row["us_fd"], row["us_jac"])  # what all this is for

    def test_contact_models_count_iterations(self):
        for contact in ("lcp", "ncp", "soft"):
            (row,) = self.rows("models/box.xml", "--contact", contact, "--dt", "0.01", "--key", "toss")
            self.assertEqual(row["contact"], contact)
            self.assertGreater(row["contacts"], 0)
            self.assertGreater(row["iterations"], 0)
            self.assertGreaterEqual(row["iterations_most"], row["iterations"])
            self.assertEqual(row["unsolved"], 0)
        text = self.fine("bench", "models/box.xml", "--contact", "ncp", "--key", "toss", "--seconds", "0.05").out
        self.assertRegex(text, r"solver iterations, at most \d+; 0 of 64 unsolved")

    def test_a_peer_is_named_or_null(self):
        (row,) = self.rows(self.arm)
        if row["peer"] is None:
            self.assertIsNone(row["us_peer"])
            self.assertIsNone(row["ratio"])
        else:
            self.assertEqual(row["peer"], "mujoco")
            self.assertRegex(row["peer_version"], r"^\d+\.\d+\.\d+$")
            self.assertAlmostEqual(row["ratio"], row["us_step"] / row["us_peer"])
            self.assertLess(row["peer_error"], 1e-9)

    def test_several_models_and_none(self):
        other = self.file("ball.xml", driver.ARM.replace('model="arm"', 'model="other"'))
        self.assertEqual([row["model"] for row in self.rows(self.arm, other)], [self.arm, other])
        alone = self.fine("bench", "--seconds", "0.02", "--json", cwd=self.folder).json()["rows"]
        self.assertEqual([(row["model"], row["nv"]) for row in alone], [("chain of 7 hinges", 7)])

    def test_text(self):
        text = self.fine("bench", self.arm, "--seconds", "0.05").out
        for words in ("step with A and B", "A and B by differences", "error of A and B"):
            self.assertIn(words, text)

    def test_bad_arguments(self):
        self.refused("--seconds", "bench", self.arm, "--seconds", "0")
        self.refused("no.xml", "bench", str(self.folder / "no.xml"))


class Plot(driver.Case):
    def test_the_plot_is_one_file_that_needs_nothing_else(self):
        path = self.folder / "error.svg"
        self.fine("check", self.arm, "--samples", 2, "--plot", path)
        text = path.read_text()
        root = xml.fromstring(text)
        self.assertTrue(root.tag.endswith("svg"))
        self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}path")), 3)
        self.assertNotRegex(text, r"href|url\(|@import")
        self.assertIn("exact derivative, largest error", text)

    def test_central_differences_are_best_in_the_middle(self):
        """The V: the lowest point of the curve is neither end, and lies above the exact derivative's line."""
        path = self.folder / "error.svg"
        self.fine("check", self.arm, "--samples", 2, "--plot", path)
        curve = re.search(r'class="two" d="M([^"]+)"', path.read_text()).group(1)
        heights = [float(point.split()[1]) for point in curve.split("L")]
        lowest = max(heights)  # pixels grow downwards
        line = float(re.search(r'class="own" d="M\d+ ([0-9.]+)L', path.read_text()).group(1))
        self.assertGreater(lowest, heights[0] + 50)
        self.assertGreater(lowest, heights[-1] + 50)
        self.assertGreater(line, lowest - 30)

    def test_a_plot_that_cannot_be_written(self):
        self.refused("", "check", self.arm, "--samples", 1, "--plot", self.folder / "no" / "error.svg")
        self.assertFalse(pathlib.Path(self.folder / "no").exists())


if __name__ == "__main__":
    unittest.main()
