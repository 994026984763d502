"""Models made by rule, as text and for programs."""

import unittest

from driver import Case


class Random(Case):
    def test_json_holds_the_same_text(self):
        for words in ((7,), ("--chain", 3), ("--tree", 4, "--joint", "ball")):
            text = self.fine("random", *words).out
            self.assertTrue(text.lstrip().startswith("<mujoco"), text[:80])
            self.assertEqual(self.fine("random", *words, "--json").json(), {"model": text})

    def test_json_to_a_file_is_what_would_be_printed(self):
        path = self.folder / "model.json"
        self.assertEqual(self.fine("random", 3, "--json", "-o", path).out, "")
        self.assertEqual(path.read_text(encoding="utf-8"), self.fine("random", 3, "--json").out)

    def test_wrong_arguments(self):
        self.refused("SEED is missing", "random", "--json")
        self.refused('SEED is "x"', "random", "x")
        self.refused("--chain and --tree exclude each other", "random", "--chain", 2, "--tree", 2)


if __name__ == "__main__":
    unittest.main()
