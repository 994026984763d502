"""What `bench` calls a residual is one: of the equation of motion, with forces of constraints where the acceleration has them."""

import unittest

from driver import Case


class Residual(Case):
    def test_every_contact_model(self):
        for contact in ("none", "lcp", "ncp", "soft"):
            words = ("bench", "models/half_cheetah.xml", "--contact", contact, "--seconds", 0.05)
            row = self.fine(*words, "--json").json()["rows"][0]
            self.assertLess(row["residual"], 1e-10, contact)
            if contact == "soft":
                self.assertGreater(row["contacts"], 0)
            if contact != "none":
                self.assertLess(row["worst_residual"], 1e-6, contact)
        text = self.fine(*words).out
        self.assertIn("equation of motion", text)
        self.assertIn("residual of the acceleration with constraints", text)
        self.assertIn("residual of contact", text)


if __name__ == "__main__":
    unittest.main()
