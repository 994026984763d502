"""tactus distance, and the contacts that tactus eval lists: values against closed forms, order, margins, refusals."""

import json
import math
import unittest

from driver import Case

TOLERANCE = 1e-12

# A floor, a fixed box, two free balls and a capsule; the small ball is only for looks.
SCENE = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <geom name="block" type="box" size="0.1 0.2 0.3" pos="2 0 0.3"/>
  <body name="red" pos="0 0 0.09"><freejoint/><geom name="red" type="sphere" size="0.1"/>
    <geom name="mark" type="sphere" size="0.01" contype="0" conaffinity="0"/></body>
  <body name="blue" pos="0.3 0.4 1"><freejoint/><geom name="blue" type="sphere" size="0.2" margin="0.05"/></body>
  <body name="pill" pos="1.5 0 0.3"><freejoint/><geom name="pill" type="capsule" size="0.1 0.2"/></body>
  </worldbody></mujoco>"""


class Distances(Case):
    def setUp(self):
        super().setUp()
        self.scene = self.file("scene.xml", SCENE)

    def pairs(self, *words):
        return self.fine("distance", self.scene, "--json", *words).json()["pairs"]

    def pair(self, name1, name2, *words):
        found = [pair for pair in self.pairs(*words) if (pair["geom1_name"], pair["geom2_name"]) == (name1, name2)]
        self.assertEqual(len(found), 1, f"{name1} {name2}")
        return found[0]

    def test_keys_and_order(self):
        pairs = self.pairs()
        for pair in pairs:
            self.assertEqual(set(pair), set("geom1 geom2 geom1_name geom2_name dist pos1 pos2 normal features switch_margin".split()))
            self.assertLess(pair["geom1"], pair["geom2"])
            for piece in pair["features"]:
                self.assertIn(piece["kind"], "point line plane circle ellipsoid side".split())
        ids = [(pair["geom1"], pair["geom2"]) for pair in pairs]
        self.assertEqual(ids, sorted(ids))
        self.assertEqual(len(ids), len(set(ids)))
        # not within a body: floor and block, red and its mark
        self.assertNotIn((0, 1), ids)
        self.assertNotIn((2, 3), ids)

    def test_values(self):
        near = self.pair("red", "blue")
        gap = [0.3, 0.4, 0.91]
        length = math.hypot(*gap)
        unit = [x / length for x in gap]
        self.close(near["dist"], length - 0.3, TOLERANCE)
        self.close(near["normal"], unit, TOLERANCE)
        self.close(near["pos1"], [0.1 * unit[0], 0.1 * unit[1], 0.09 + 0.1 * unit[2]], TOLERANCE)
        self.close(near["pos2"], [x + near["dist"] * n for x, n in zip(near["pos1"], unit)], TOLERANCE)
        self.close(self.pair("floor", "red")["dist"], -0.01, TOLERANCE)
        side = self.pair("block", "pill")  # by number, though a capsule comes before a box in a contact
        self.close(side["dist"], 0.3, TOLERANCE)
        self.close(side["normal"], [-1, 0, 0], TOLERANCE)

    def test_margin(self):
        self.assertEqual([(p["geom1_name"], p["geom2_name"]) for p in self.pairs("--margin", "0.01")], [("floor", "red"), ("floor", "pill")])
        self.assertEqual(self.pairs("--margin", "-5"), [])
        self.assertLess(len(self.pairs("--margin", "1")), len(self.pairs()))

    def test_state(self):
        state = self.file("s.json", {"qpos": [0, 0, 2, 1, 0, 0, 0, 0, 0, 2.25, 1, 0, 0, 0, 5, 0, 1, 1, 0, 0, 0]})
        self.close(self.pair("red", "blue", "--state", state)["dist"], -0.05, TOLERANCE)

    def test_switch_margin(self):
        """How far other pieces of the surfaces are; null where there are none: a ball on a plane, two balls."""
        self.assertIsNone(self.pair("floor", "red")["switch_margin"])
        self.assertGreater(self.pair("block", "red")["switch_margin"], 0)
        self.assertEqual(self.pair("block", "pill")["switch_margin"], 0)  # side by side: all points are equally near
        text = self.fine("distance", self.scene, "--json").out
        json.loads(text, parse_constant=self.fail)  # Infinity and NaN are no JSON

    def test_text(self):
        text = self.fine("distance", self.scene).out
        lines = text.splitlines()
        self.assertIn("nearest first", lines[0])
        self.assertTrue(lines[3].startswith("floor"), lines[3])
        self.assertIn("plane 0, point 0", lines[3])

    def test_refusals(self):
        self.refused("metres", "distance", self.scene, "--margin", "wide")
        self.refused("metres", "distance", self.scene, "--margin", "nan")
        self.refused("MODEL", "distance")


class Contacts(Case):
    def contacts(self, scene):
        return self.fine("eval", self.file("scene.xml", scene), "--json").json()["contacts"]

    def test_keys_values_and_order(self):
        found = self.contacts(SCENE)
        self.assertEqual([(c["geom1_name"], c["geom2_name"]) for c in found], [("floor", "red"), ("floor", "pill")])
        self.assertEqual(set(found[0]) >= set("geom1 geom2 geom1_name geom2_name dist pos normal".split()), True)
        self.close(found[0]["dist"], -0.01, TOLERANCE)
        self.close(found[0]["pos"], [0, 0, -0.005], TOLERANCE)
        self.close(found[0]["normal"], [0, 0, 1], TOLERANCE)
        self.close(found[1]["dist"], 0, TOLERANCE)
        self.assertIsNone(found[0]["switch_margin"])
        json.loads(self.fine("eval", self.file("scene.xml", SCENE), "--json").out, parse_constant=self.fail)

    def test_none(self):
        self.assertEqual(self.contacts(SCENE.replace("<mujoco>", '<mujoco><option><flag contact="disable"/></option>')), [])

    def test_margin_and_gap(self):
        lifted = SCENE.replace('pos="0.3 0.4 1"', 'pos="0.3 0.4 0.24"')
        self.assertIn("blue", [c["geom2_name"] for c in self.contacts(lifted)])
        self.assertEqual(next(c for c in self.contacts(lifted) if c["geom2_name"] == "blue")["include"], 0.05)
        higher = SCENE.replace('pos="0.3 0.4 1"', 'pos="0.3 0.4 0.26"')
        self.assertNotIn("blue", [c["geom2_name"] for c in self.contacts(higher)])
        wider = higher.replace('margin="0.05"', 'margin="0.05" gap="0.02"')
        self.assertIn("blue", [c["geom2_name"] for c in self.contacts(wider)])

    def test_more_than_the_default_room(self):
        """Sixty boxes in one place: every pair touches, far more than a scene of that many geoms is expected to have."""
        boxes = "".join('<body><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>' for _ in range(60))
        found = self.contacts(f"<mujoco><worldbody>{boxes}</worldbody></mujoco>")
        self.assertGreaterEqual(len({(c["geom1"], c["geom2"]) for c in found}), 60 * 59 // 2)

    def test_text(self):
        text = self.fine("eval", self.file("scene.xml", SCENE)).out
        self.assertIn("contact of", text)

    def test_text_of_many(self):
        balls = "".join('<body><freejoint/><geom size="0.1"/></body>' for _ in range(12))
        text = self.fine("eval", self.file("many.xml", f"<mujoco><worldbody>{balls}</worldbody></mujoco>")).out
        self.assertIn(f"and {12 * 11 // 2 - 40} more", text)


if __name__ == "__main__":
    unittest.main()
