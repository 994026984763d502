"""Forces of contacts in `tactus eval` and in the files of `tactus sim`: a ball on a plane carries its weight."""

import csv
import json
import unittest

from driver import Case

WEIGHT = 2 * 9.81
TOLERANCE = 1e-6 * WEIGHT

BALLS = """<mujoco><option timestep="0.005"/><worldbody><geom name="ground" type="plane" size="5 5 1"/>
  <body name="ball" pos="0 0 0.1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="2"/></body>
  <body name="high" pos="1 0 3"><freejoint/><geom name="high" type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""


class Forces(Case):
    """Contact lcp: a ball that rests on the plane is held by its weight in the first step; the other falls."""

    def setUp(self):
        super().setUp()
        self.model = self.file("balls.xml", BALLS)

    def check(self, forces):
        self.assertEqual(forces["status"], "success")
        pair = [p for p in forces["pairs"] if p["geom2_name"] == "ball"]
        contact = [c for c in forces["contacts"] if c["geom2_name"] == "ball"]
        self.assertEqual((len(pair), len(contact), pair[0]["geom1_name"]), (1, 1, "ground"))
        self.assertAlmostEqual(pair[0]["normal"], WEIGHT, delta=TOLERANCE)
        self.close(pair[0]["friction"], [0, 0], TOLERANCE)
        self.assertEqual(contact[0]["force"], [pair[0]["normal"], *pair[0]["friction"]])
        self.assertEqual(contact[0]["state"], "sticking")
        self.close(contact[0]["normal"], [0, 0, 1], 0)

    def test_eval(self):
        self.check(self.fine("eval", self.model, "--contact", "lcp", "--json").json()["forces"])
        none = self.fine("eval", self.model, "--contact", "none", "--json").json()["forces"]
        self.assertEqual(none, {"status": "success", "pairs": [], "contacts": []})
        lines = self.fine("eval", self.model, "--contact", "lcp").out.splitlines()
        line = [x for x in lines[[x.startswith("force of") for x in lines].index(True) :] if " ball " in x][0].split()
        self.assertEqual(line[:2], ["ground", "ball"])
        self.assertAlmostEqual(float(line[2]), WEIGHT, delta=1e-3)

    def test_json_of_a_motion(self):
        out = self.folder / "m.json"
        self.fine("sim", self.model, "--contact", "lcp", "--steps", 3, "-o", out)
        frames = json.loads(out.read_text(encoding="ascii"))["trajectory"]["forces"]
        self.assertEqual(len(frames), 4)
        for forces in frames:
            self.check(forces)

    def test_csv_of_a_motion(self):
        out = self.folder / "m.csv"
        words = ("sim", self.model, "--contact", "lcp", "--steps", 200, "-o", out)
        self.fine(*words)
        plain = out.read_text(encoding="ascii").splitlines()
        self.fine(*words, "--forces")
        rows = out.read_text(encoding="ascii").splitlines()
        for row, without in zip(rows, plain):
            self.assertTrue(row.startswith(without + ","))
        with open(out, encoding="ascii") as file:
            table = list(csv.DictReader(file))
        normal = [float(row["force:ground:ball:normal"]) for row in table]
        for x in normal:
            self.assertAlmostEqual(x, WEIGHT, delta=TOLERANCE)
        high = [float(row["force:ground:high:normal"]) for row in table]
        self.assertEqual(high[0], 0)  # it has not landed yet
        self.assertGreater(max(high), WEIGHT)


if __name__ == "__main__":
    unittest.main()
