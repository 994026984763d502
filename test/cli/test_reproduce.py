"""The papers' experiments: the list, what a result looks like, and those that are quick."""

import unittest

from driver import Case

KEYS = {"experiment", "source", "paper", "tactus", "criterion", "pass", "seconds"}


class Reproduce(Case):
    def test_list(self):
        listed = self.fine("reproduce", "--list", "--json").json()["experiments"]
        text = self.fine("reproduce", "--list").out
        names = [row["experiment"] for row in listed]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("nimble-lcp-guess", names)
        for row in listed:
            self.assertIn(row["experiment"], text)
            self.assertIn(row["criterion"], text)
            self.assertTrue(row["source"] and row["shows"])

    def test_wrong_arguments(self):
        self.refused("did you mean nimble-lcp-guess?", "reproduce", "nimble-lcp-gues")
        self.refused("tactus reproduce --list", "reproduce", "frobnicate")
        self.refused("nothing", "reproduce", "nimble-lcp-guess", "-o", self.folder / "nothing" / "there")

    def holds(self, name):
        """The criterion holds, and the picture is one."""
        result = self.fine("reproduce", name, "--json", "-o", self.folder / "pictures").json()
        self.assertEqual(set(result), KEYS)
        self.assertEqual(result["experiment"], name)
        self.assertIs(result["pass"], True, result)
        picture = (self.folder / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        self.assertTrue(picture.startswith("<svg") and picture.endswith("</svg>\n"))
        self.assertNotIn("nan", picture)
        return result["paper"], result["tactus"]

    def test_for_people(self):
        text = self.fine("reproduce", "nimble-bounce", "jade-sliding").out
        self.assertIn("\nholds: nimble-bounce", text)
        self.assertIn("\nholds: jade-sliding", text)
        both = self.fine("reproduce", "nimble-bounce", "jade-sliding", "--json").json()["experiments"]
        self.assertEqual([row["experiment"] for row in both], ["nimble-bounce", "jade-sliding"])

    def test_mass_id(self):
        _, ours = self.holds("nimble-mass-id")
        self.assertLess(ours["worst"], 1e-7)
        self.assertLessEqual(ours["iterations"], 20)

    def test_lcp_guess(self):
        _, ours = self.holds("nimble-lcp-guess")
        right = sum(scene["right"] for scene in ours["scenes"].values())
        counted = sum(scene["steps_in_contact"] for scene in ours["scenes"].values())
        self.assertGreater(counted, 5000)
        self.assertAlmostEqual(ours["share"], right / counted, 12)

    def test_bounce(self):
        _, ours = self.holds("nimble-bounce")
        self.assertEqual([row["restitution"] for row in ours["ball"]], [0.25, 0.5, 0.75, 1])
        for row in ours["ball"]:
            self.assertAlmostEqual(row["exact"], 1, 9)
            self.assertAlmostEqual(row["bounce"], -row["restitution"], 9)
            self.assertAlmostEqual(row["toi"], -row["restitution"], 5)
        self.close(ours["two_balls"], [1, 0, 1, 0], 1e-9)
        self.close(ours["two_balls_speed"], [0, 1], 1e-5)

    def test_drone(self):
        _, ours = self.holds("nimble-drone")
        self.assertLess(ours["exact"]["moved"], 1e-6)
        self.assertGreater(ours["complementarity"]["height_after_50"], 4.5)
        self.close(ours["complementarity"]["height_last"], 5, 0.1)

    def test_sliding(self):
        _, ours = self.holds("jade-sliding")
        for leg in ("to_B", "to_C"):
            self.assertLess(ours[leg]["miss"], 1e-8)
            self.assertLess(ours[leg]["replay_miss"], 1e-4)
        self.assertGreater(ours["aslant"]["replay_miss"], 0.01, "a pyramid is no cone")

    def test_thin_plate(self):
        _, ours = self.holds("jade-thin-plate")
        for plate in ("thick", "thin"):
            on, off = ours[f"{plate}_toi_on"], ours[f"{plate}_toi_off"]
            self.assertGreater(on["lifted"], 0.05)
            self.assertLessEqual(on["overlap"], 1e-9)
            self.assertGreater(on["impacts"], 0)
            self.assertGreater(off["overlap"], 1e-7)
            self.assertEqual(off["impacts"], 0)

    def test_dantzig(self):
        _, ours = self.holds("jade-dantzig")
        self.assertGreaterEqual(ours["uncorrected_fails"], 1000)
        self.assertEqual(ours["of_those_solved"], ours["uncorrected_fails"])
        self.assertLess(ours["worst_violation"], 1e-12)

    def test_friction_cone(self):
        _, ours = self.holds("dojo-friction-cone")
        self.close(ours["cone"]["way"], ours["cone"]["way_expected"], 0.03)

    def test_energy(self):
        paper, ours = self.holds("dojo-energy")
        for name, change in ours["energy"].items():
            self.assertLess(change, paper["energy"][name])

    def test_dzhanibekov(self):
        _, ours = self.holds("dojo-dzhanibekov")
        self.assertLess(ours["fast"]["half_over"], ours["slow"]["half_over"])

    def test_tippe_top(self):
        """Halving the step divides what Jellett's constant changes by by eight: by how far impulses act from the touch (theory W5c)."""
        _, ours = self.holds("dojo-tippe-top")
        ratio = ours["round_top_coarse"]["jellett_change"] / ours["round_top"]["jellett_change"]
        self.assertTrue(6 < ratio < 10, ratio)

    def test_point_mass(self):
        """The closed form: -1 and -exp(-pi/(2 w)), w^2 = 50 - 1/4; small steps miss what moves with the times of the jumps."""
        _, ours = self.holds("diffmjx-point-mass")
        self.assertEqual(ours["ideal"]["slope_after_contact"], -1)
        self.assertEqual(ours["ideal"]["slope_after_contact_small_steps"], 1)
        self.assertAlmostEqual(ours["penalty"]["slope_after_contact"], -0.8003536, 7)
        self.assertAlmostEqual(ours["penalty"]["miss_small_steps_in_contact"], 0.127, 3)
        self.assertLess(ours["penalty"]["miss_with_events"], 1e-6)


if __name__ == "__main__":
    unittest.main()
