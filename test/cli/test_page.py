"""The page of `sim -o motion.html`: well-formed, self-contained, and carrying the right numbers."""

import base64
import html.parser
import json
import os
import re
import struct
import unittest

from driver import ARM, NBODY, NQ, Case, ROOT

VOID = {"meta", "input", "br", "link", "img", "hr"}
SINGLE = 1e-6  # positions of order one in single precision


class Page(html.parser.HTMLParser):
    """Checks that tags nest, and collects attributes and the embedded data."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.attributes, self.data, self.title, self.problems = [], [], "", "", []
        self.inside = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.inside = "data" if ("id", "data") in attrs else "title" if tag == "title" else None
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        self.inside = None
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        if self.inside == "data":
            self.data += data
        if self.inside == "title":
            self.title += data


def floats(text):
    raw = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(raw) // 4}f", raw)


def integers(text):
    raw = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(raw) // 4}i", raw)


class SimPage(Case):
    def page(self, model, *words):
        out = self.folder / "m.html"
        end = self.fine("sim", model, "--json", "-o", out, *words).json()
        text = out.read_text(encoding="utf-8")
        return text, Page(text), end

    def test_well_formed(self):
        text, page, _ = self.page(self.arm, "--time", 0.5, "--key", "bent")
        self.assertTrue(text.startswith("<!doctype html>"))
        self.assertEqual(page.problems, [])
        self.assertEqual(page.open, [])
        self.assertEqual(page.title, "arm – Tactus")
        self.assertNotIn("{{", re.sub(r"<script>.*", "", text, flags=re.S))

    def test_title_is_the_models_name(self):
        for attribute, title in ((' model="two < three"', "two < three"), ("", "file")):
            _, page, _ = self.page(self.file("file.xml", ARM.replace(' model="arm"', attribute.replace("<", "&lt;"))), "--steps", 1)
            self.assertEqual(page.title, f"{title} – Tactus")

    def test_needs_no_network(self):
        text, page, _ = self.page(self.arm, "--time", 0.1)
        self.assertEqual([a for a in page.attributes if a[1] in ("src", "href", "action", "srcset", "data-src")], [])
        for pattern in (r"https?://", r"@import", r"\burl\(", r"\bfetch\(", r"XMLHttpRequest", r"\bimport\(", r"WebSocket", r"//cdn"):
            self.assertIsNone(re.search(pattern, text), pattern)

    def test_data(self):
        _, page, end = self.page(self.arm, "--time", 0.5, "--key", "bent")
        data = json.loads(page.data)
        frames = data["motion"]["frames"]
        self.assertEqual([body["name"] for body in data["model"]["bodies"]], ["world", "upper", "lower", "ball", "hand"])
        self.assertEqual([geom["type"] for geom in data["model"]["geoms"]], ["plane", "capsule", "box", "sphere", "sphere"])
        time = floats(data["motion"]["time"])
        self.assertEqual(len(time), frames)
        self.assertTrue(28 <= frames <= 35, frames)  # 60 a second, and the end
        self.close(time[-1], 0.5, SINGLE)
        qpos = floats(data["motion"]["qpos"])
        self.close(qpos[-NQ:], end["final"]["qpos"], SINGLE)
        joints = data["model"]["joints"]
        self.assertEqual([(joint["name"], joint["qpos"]) for joint in joints[:3]], [("shoulder", 0), ("elbow", 1), ("float", 2)])
        kinetic, potential = floats(data["motion"]["kinetic"]), floats(data["motion"]["potential"])
        self.close(kinetic[-1] + potential[-1], end["energy"][-1], SINGLE)

    def test_numbers_are_base64_as_rfc_4648_says(self):
        ends = set()
        for steps in (1, 2, 3):
            _, page, end = self.page(self.arm, "--steps", steps, "--dt", 0.1, "--key", "bent")
            text = json.loads(page.data)["motion"]["time"]
            self.assertEqual(base64.b64encode(base64.b64decode(text)).decode(), text)
            self.close(floats(text), [0.1 * k for k in range(steps + 1)], SINGLE)
            ends.add(len(text) - len(text.rstrip("=")))
        self.assertEqual(ends, {0, 1, 2})

    def test_meshes_have_vertices_and_faces(self):
        _, page, _ = self.page(ROOT / "test" / "data" / "touching.xml", "--steps", 1)
        meshes = json.loads(page.data)["model"]["meshes"]
        self.assertGreater(len(meshes), 0)
        for mesh in meshes:
            points = len(floats(mesh["vert"])) // 3
            faces = integers(mesh["face"])
            self.assertEqual(set(faces), set(range(points)))
            self.assertEqual(len(faces) % 3, 0)
            self.assertEqual(points - len(faces) // 2 + len(faces) // 3, 2)  # Euler: a closed surface of triangles

    def test_poses_are_those_of_eval(self):
        _, page, end = self.page(self.arm, "--time", 0.5, "--key", "bent")
        pose = floats(json.loads(page.data)["motion"]["pose"])[-7 * NBODY :]
        state = self.file("end.json", {"qpos": end["final"]["qpos"]})
        bodies = self.fine("eval", self.arm, "--json", "--state", state).json()["bodies"]
        self.close(pose, [body["pos"] + body["quat"] for body in bodies], SINGLE)

    def test_names_cannot_break_out(self):
        model = self.file("evil.xml", ARM.replace('"upper" pos', '"&lt;/script>&lt;b>&amp;" pos'))
        text, page, _ = self.page(model, "--time", 0.1)
        self.assertEqual(page.problems, [])
        self.assertEqual(text.count("</script>"), 2)
        self.assertEqual(json.loads(page.data)["model"]["bodies"][1]["name"], "</script><b>&")

    def test_gradient_is_that_of_the_motions(self):
        # A ball that flies: its last place is linear in its velocity, with the time as derivative.
        _, page, end = self.page(self.arm, "--key", "bent", "--steps", 50, "--gradient", "qvel:float.vx=0.5", "--gradient-range", 0.2)
        found, shown = end["gradient"], json.loads(page.data)["gradient"]
        self.close(found["values"], [0.3, 0.4, 0.5, 0.6, 0.7], 1e-12)
        self.close(found["derivative"], [0.1, 0, 0], 1e-9)
        self.close([place[0] for place in found["places"]], [1 + 0.1 * value for value in found["values"]], 1e-9)
        self.assertEqual((found["name"], found["body"]), ("qvel:float.vx", "ball"))
        self.assertEqual((shown["unit"], shown["own"], len(shown["motions"])), ("m/s", 2, 5))
        self.close(shown["derivative"], found["derivative"], 1e-12)

    def test_gradient_by_a_parameter(self):
        _, _, end = self.page(self.arm, "--key", "bent", "--steps", 50, "--gradient", "option.gravity[2]", "--gradient-body", "ball")
        found = end["gradient"]
        slope = (found["places"][3][2] - found["places"][1][2]) / (found["values"][3] - found["values"][1])
        self.assertGreater(slope, 1e-3)
        self.close(found["derivative"][2], slope, 1e-9)

    def test_gradient_is_refused_by_name(self):
        for words, message in (
            (["--gradient", "qvel:nobody"], 'there is no velocity "qvel:nobody"'),
            (["--gradient", "geom/none.friction[0]"], "none"),
            (["--gradient", "qvel:elbow=x"], 'got "x" after =, expected a finite number'),
            (["--gradient", "qvel:elbow", "--gradient-range", "0"], "--gradient-range: got 0, expected more than 0"),
            (["--gradient-range", "0.1"], "--gradient-range requires --gradient"),
            (["--gradient", "body/nobody.mass"], "--gradient: parameter 'body/nobody.mass': no body 'nobody'"),
            (["--forces"], "--forces requires -o"),
            (["--gradient-body", "ball"], "--gradient-body requires --gradient"),
            (["--gradient", "qvel:elbow", "--gradient-body", "nobody"], 'there is no moving body "nobody"'),
        ):
            with self.subTest(words=words):
                self.refused(message, "sim", self.arm, "--steps", 3, *words)

    def test_frames_are_bounded(self):
        _, page, end = self.page(self.arm, "--steps", 40000, "--dt", 0.01)
        self.assertEqual(end["steps"], 40000)
        self.assertLessEqual(json.loads(page.data)["motion"]["frames"], 3601)

    def test_our_robots(self):
        models = sorted((ROOT / "models").glob("*.xml"))
        self.assertGreater(len(models), 10)
        for model in models:
            with self.subTest(model=model.name):
                _, page, _ = self.page(model, "--time", 0.05)
                self.assertEqual(page.problems, [])
                data = json.loads(page.data)
                self.assertEqual(len(floats(data["motion"]["pose"])), 7 * data["motion"]["frames"] * len(data["model"]["bodies"]))
        self.assertEqual([name for name in os.listdir(self.folder) if "part" in name], [])


if __name__ == "__main__":
    unittest.main()
