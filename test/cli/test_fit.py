"""`fit`: what it finds, writes and judges; what it refuses."""

import json
import unittest

from driver import ROOT, Case

TASKS = ROOT / "examples" / "tasks"
MASS = TASKS / "nimble-mass-id.yaml"
DATA = TASKS / "recordings" / "pushed_box.csv"
KEYS = {"params", "loss", "correlation", "singular", "directions", "iterations", "starts", "status"}
PARAM_KEYS = {"path", "value", "start", "se", "low", "high", "seen"}
FILES = {"fit.json", "model.tac", "task.yaml", "lock"}
PARAM = "{path: body/box.mass, %s}"
COLUMN = "{columns: x, of: {qpos: rail}, deviation: 1e-3}"

# Changes of the task, and what is said about each.
REFUSED = [
    ("fit.train=nowhere.csv", "fit.train: ", "No such file"),
    ("fit.train=nowhere_*.csv", "no file has such a name"),
    ("fit.train=[]", "found a list of 0, expected a text or a list of texts"),
    ("fit.horizon=31", "a segment needs 32"),
    ("fit.horizon=-1", "expected at least 0"),
    ("fit.horizont=3", 'unknown key "horizont"; the nearest known one is "horizon"'),
    ("fit.norm=linear", "expected one of quadratic, huber"),
    ("fit.method=gauss", "expected one of levenberg, adam"),
    ("fit.start=guessed", "expected one of measured, estimated"),
    ("fit.tolerance=0", "expected at least 1e-15"),
    ("fit.threads=0", "expected at least 1"),
    ("fit.time=seconds", 'there is no column "seconds" of times'),
    ("fit.param=[]", "expected one parameter or more"),
    ("fit.param[0].path=body/bax.mass", 'no parameter "body/bax.mass" in the model; the nearest known one is "body/box.mass"'),
    ("fit.param[0].start=0", "expected above 0: it moves by its logarithm"),
    ("fit.param[0].start=-1", "expected above 0: it moves by its logarithm"),
    ("fit.param[0].bounds=[1, 3]", "begins at 0.2, outside of its bounds from 1 to 3"),
    ("fit.param[0].bounds=[3, 1]", "expected least before most"),
    ("fit.param[0].bounds=[-1, 3]", "expected a least of 0 or more"),
    ("fit.param[0].prior=[1]", "expected [mean, deviation]"),
    ("fit.param[0].prior=[1, 0]", "expected above 0"),
    ("fit.param[0].move=slowly", "expected one of plain, log, between"),
    ("fit.param[0]=" + PARAM % "move: between", "expected bounds"),
    ("fit.param[0]=" + PARAM % "move: between, bounds: [0.2, 3]", "on a bound, where its derivative is 0"),
    ("fit.param=[%s, %s]" % (PARAM % "move: log", PARAM % "move: log"), "body/box.mass is unknown already"),
    ("fit.column[0].columns=y", 'there is no column "y"'),
    ("fit.column[0].columns=[x, v]", "found 2 columns, expected 1"),
    ("fit.column[0].of={qpos: rial}", 'expected the name of a joint; the nearest known one is "rail"'),
    ("fit.column[0].of=ctrl_change", "ctrl_change is not measured"),
    ("fit.column[0].of={qpos: rail, first: 0}", "found part of a state"),
    ("fit.column[0].unit=furlong", "expected one of m, cm"),
    ("fit.column[0].scale=0", "found the scale 0"),
    ("fit.column[0].deviation=0", "expected above 0"),
    ("fit.column[0].deviation=[1, 2]", "fit.column[0].deviation: "),
    ("fit.column[2].deviation=1", "they have no deviation"),
    ("fit.column[1].of={qpos: rail}", "measure the same number"),
    ("fit.column=[{columns: x, of: {qpos: rail}}]", "nothing is measured"),
    ("step.dt=0.003", "expected a whole number"),
]


class Fit(Case):
    def test_mass(self):
        folder = self.folder / "out"
        done = self.fine("fit", MASS, "-o", folder)
        self.assertIn("solved after", done.out)
        self.assertEqual({path.name for path in folder.iterdir()}, FILES)
        fit = json.loads((folder / "fit.json").read_text(encoding="utf-8"))
        self.assertLessEqual(KEYS, set(fit))
        self.assertLessEqual(PARAM_KEYS, set(fit["params"][0]))
        self.assertEqual((fit["status"], fit["params"][0]["start"], fit["params"][0]["seen"]), ("solved", 0.2, True))
        self.assertLess(abs(fit["params"][0]["value"] - 2.5), 1e-7)
        self.assertLessEqual(fit["iterations"], 20)
        info = self.fine("info", folder / "model.tac", "--json").json()
        self.assertLess(abs(info["mass"] - 2.5), 1e-7)

    def test_judging(self):
        fit = self.fine("fit", MASS, "--iterations", 0, "--set", "body/box.mass=2.5", "--validate", DATA, "--json").json()
        self.assertEqual((fit["status"], fit["iterations"]), ("judged", 0))
        self.assertLess(fit["rms"]["validate"], 1e-9)
        worse = self.fine("fit", MASS, "--iterations", 0, "--set", "body/box.mass=2", "--validate", DATA, "--json").json()
        self.assertGreater(worse["rms"]["validate"], 0.1)

    def test_starts_and_threads(self):
        words = ("fit", MASS, "--starts", 4, "--seed", 3, "--json")
        one = self.fine(*words).json()
        self.assertEqual(len(one["starts"]), 4)
        for start in one["starts"]:
            self.assertLess(abs(start["values"][0] - 2.5), 1e-6)
        two = self.fine(*words, "--threads", 2).json()
        self.assertEqual({key: value for key, value in two.items() if key != "command"}, {key: value for key, value in one.items() if key != "command"})

    def test_columns(self):
        rows = [line.split(",") for line in DATA.read_text(encoding="utf-8").split()[1:]]
        file = self.folder / "millimetres.csv"
        file.write_text("ms,mm,push\n" + "".join(f"{t},{float(x) * 1000!r},{f}\n" for t, x, _, f in rows), encoding="utf-8")
        columns = "[{columns: mm, of: {qpos: rail}, unit: mm, deviation: 1e-3}, {columns: push, of: ctrl}]"
        changes = ("--set", f"fit.train={file}", "--set", "fit.time=ms", "--set", f"fit.column={columns}")
        fit = self.fine("fit", MASS, *changes, "--json").json()  # velocities are differences
        self.close(fit["params"][0]["value"], 2.5, 1e-6)
        place = "[{columns: mm, of: {qpos: rail}, unit: mm}, {columns: push, of: ctrl}, {columns: x, of: {body_pos: box, count: 1}, deviation: 1e-3}]"
        file.write_text("ms,mm,push,x\n" + "".join(f"{t},{float(x) * 1000!r},{f},{x}\n" for t, x, _, f in rows), encoding="utf-8")
        fit = self.fine("fit", MASS, *changes[:4], "--set", f"fit.column={place}", "--json").json()
        self.close(fit["params"][0]["value"], 2.5, 1e-6)

    def test_not_solved(self):
        done = self.run_tactus("fit", MASS, "--iterations", 1)
        self.assertEqual(done.code, 1)
        self.assertIn("iterations after 1", done.out)

    def test_refused(self):
        for change, *words in REFUSED:
            with self.subTest(change):
                done = self.refused(words[0], "fit", MASS, "--set", change)
                for word in words[1:]:
                    self.assertIn(word, done.err)
        self.refused("the numbers are those of", "fit", MASS, "--validate", DATA)
        self.refused("no file has such a name", "fit", MASS, "--validate", self.folder / "no*.csv")
        self.refused("the task has no section `fit`", "fit", TASKS / "pose-reach.yaml")


if __name__ == "__main__":
    unittest.main()
