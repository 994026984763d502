"""`show`: the page of `sim` from its states, and what it says about files that are wrong."""

import json
import unittest

from driver import NBODY, NQ, Case
from test_page import SINGLE, Page, floats


class Show(Case):
    def motion(self, *words):
        path = self.folder / "m.csv"
        self.fine("sim", self.arm, "--key", "bent", "--steps", 20, "-o", path, *words)
        return path

    def data(self, path):
        page = Page(path.read_text(encoding="utf-8"))
        self.assertEqual(page.problems, [])
        return json.loads(page.data)

    def test_same_motion_as_sim(self):
        path = self.motion()
        self.fine("sim", self.arm, "--key", "bent", "--steps", 20, "--every", 1, "-o", self.folder / "sim.html")
        said = self.fine("show", self.arm, path, "--json").json()
        self.assertEqual(said, {"frames": 21, "time": 0.04, "output": str(self.folder / "m.html")})
        shown, simulated = self.data(self.folder / "m.html"), self.data(self.folder / "sim.html")
        self.assertEqual(shown["motion"], simulated["motion"])
        self.assertEqual(shown["title"], "arm")
        self.assertFalse(shown["ran"])
        self.assertEqual(shown["contact"], "soft")
        self.assertIn("show", shown["command"])

    def test_rows_without_header(self):
        numbers = [0.1, 0.2, 1, 0, 1, 1, 0, 0, 0]
        for time in (False, True):
            rows = [",".join(map(str, ([0.5 * i] if time else []) + numbers)) for i in range(3)]
            states = self.file("rows.csv", "\n".join(rows))
            self.fine("show", self.arm, states, "-o", self.folder / "rows.html", "--dt", 0.25, "--title", "a name")
            data = self.data(self.folder / "rows.html")
            self.assertEqual(data["title"], "a name")
            self.close(floats(data["motion"]["time"]), [0, 0.5, 1] if time else [0, 0.25, 0.5], SINGLE)
            self.close(floats(data["motion"]["qpos"])[:NQ], numbers, SINGLE)
            self.assertEqual(len(floats(data["motion"]["pose"])), 3 * 7 * NBODY)

    def test_columns_by_number_in_any_order(self):
        header = [f"qpos[{i}]" for i in reversed(range(NQ))] + ["note"]
        states = self.file("s.csv", ",".join(header) + "\n0,0,0,1,1,0,1,0.2,0.1,hello\n")
        self.fine("show", self.arm, states)
        self.close(floats(self.data(self.folder / "s.html")["motion"]["qpos"]), [0.1, 0.2, 1, 0, 1, 1, 0, 0, 0], SINGLE)

    def test_bad_files_are_named(self):
        good = "0.1,0.2,1,0,1,1,0,0,0"
        header = ",".join(f"qpos[{i}]" for i in range(NQ))
        cases = [
            ("", "s.csv: no states, expected at least one row"),
            ("1,2,3\n", "s.csv:1: 3 numbers, expected 9 (qpos) or 18 (qpos qvel act), or one more with the time"),
            (f"{good}\n0.1,0.2,x,0,1,1,0,0,0\n", 's.csv:2: column 3: expected a finite number, got "x"'),
            (f"0.1,0.2,x,0,1,1,0,0,0\n{good}\n", 's.csv:1: column 3: expected a finite number, got "x"'),
            (f"0.1,0.2,0,0,1,1,0,0,nan\n{good}\n", 's.csv:1: column 9: expected a finite number, got "nan"'),
            ("1,2,x\n", 's.csv:1: column 3: expected a finite number, got "x"'),
            (f"{good}\n{good},7\n", "s.csv:2: 10 columns, expected 9"),
            (f"{good}\n0.1,0.2,nan,0,1,1,0,0,0\n", 's.csv:2: column 3: expected a finite number, got "nan"'),
            ("0.1,0.2,1,0,1,0,0,0,0\n", "s.csv:1: column 6: the quaternion is zero, expected one of length 1"),
            (f"0,{good}\n0,{good}\n", "s.csv:2: column 1: the time is 0, expected more than 0"),
            (f"time,{header},qvel:nobody\n", 's.csv:1: column 11: the model has no coordinate or actuator "qvel:nobody"'),
            (f"{header},qpos[1]\n", 's.csv:1: column 10: it is there twice: "qpos[1]"'),
            ("time,qpos:shoulder\n0,1\n", "s.csv:1: the column qpos:elbow is missing"),
        ]
        for text, message in cases:
            with self.subTest(message=message):
                self.refused(message, "show", self.arm, self.file("s.csv", text))
        self.assertFalse((self.folder / "s.html").exists())

    def test_bad_arguments(self):
        self.refused("No such file", "show", self.arm, self.folder / "none.csv")
        self.refused("expected a name that ends in .html", "show", self.arm, self.motion(), "-o", "page.csv")
        self.refused("MODEL STATES", "show", self.arm)


if __name__ == "__main__":
    unittest.main()
