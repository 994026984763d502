"""`plan`: what it finds, writes and replays; how it ends and goes on; what it refuses."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import time
import unittest

from driver import ROOT, TACTUS, Case
from test_page import SINGLE, Page, floats

TASKS = ROOT / "examples" / "tasks"
KEYS = {"cost", "terms", "violation", "iterations", "seconds", "steps", "derivatives", "status", "replay", "starts", "history"}
FILES = {"plan.json", "controls.csv", "task.yaml", "report.html", "model.tac", "start.json", "lock"}
SECONDS = 60


def without_times(plan):
    """What is the same whatever the machine does."""
    plan = {key: value for key, value in plan.items() if key not in ("seconds", "command", "replay")}
    plan["history"] = [{key: value for key, value in row.items() if key != "seconds"} for row in plan["history"]]
    return plan


class Plan(Case):
    def plan(self, folder):
        return json.loads((folder / "plan.json").read_text(encoding="utf-8"))

    def replay(self, folder):
        """States of the command that plan.json gives."""
        words = shlex.split(self.plan(folder)["replay"]["command"])
        self.assertEqual(words[:2], ["tactus", "sim"])
        done = subprocess.run([TACTUS, *words[1:]], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        motion = json.loads((folder / "replay.json").read_text(encoding="utf-8"))["trajectory"]
        return [q + v + a for q, v, a in zip(motion["qpos"], motion["qvel"], motion["act"], strict=True)]

    def test_hopper(self):
        folder = self.folder / "out"
        done = self.fine("plan", TASKS / "dojo-plan-hopper.yaml", "-o", folder)
        self.assertIn("solved after", done.out)
        names = {path.name for path in folder.iterdir()}
        self.assertLessEqual(FILES, names)
        self.assertEqual(sorted(name[:11] for name in names - FILES), ["checkpoint-"] * 2)
        plan = self.plan(folder)
        self.assertLessEqual(KEYS, set(plan))
        self.assertEqual(plan["status"], "solved")
        self.assertLess(plan["violation"], 1e-3)
        self.assertEqual(plan["cost"], plan["replay"]["cost"])
        self.assertEqual(plan["violation"], plan["replay"]["violation"])
        self.assertEqual(len(plan["history"]), plan["iterations"] + 1)
        self.assertEqual((len(plan["states"]), len(plan["controls"]), len(plan["gains"])), (21, 20, 20))
        self.assertEqual(self.replay(folder), plan["states"])
        again = self.folder / "again"  # the task as it was read is the same task
        self.fine("plan", folder / "task.yaml", "-o", again)
        self.assertEqual(without_times(self.plan(again)), without_times(plan))

    def test_report(self):
        """The page holds motions of iterations with the plan last, targets, bounds and history."""
        folder = self.folder / "out"
        self.fine("plan", TASKS / "plan-post.yaml", "-o", folder)
        page = Page((folder / "report.html").read_text(encoding="utf-8"))
        self.assertEqual(page.problems, [])
        data, plan = json.loads(page.data), self.plan(folder)
        shown = data["plan"]
        self.assertEqual(shown["motions"][-1], data["motion"])
        self.assertEqual((len(shown["motions"]), shown["iterations"][-1]), (len(shown["iterations"]), plan["iterations"]))
        self.assertEqual(shown["cost"], [row["cost"] for row in plan["history"]])
        self.assertEqual((shown["low"], shown["high"]), ([-30] * 3, [30] * 3))
        self.assertEqual(shown["targets"], [{"name": "place", "place": [1, 0, 0.1], "first": 30, "last": 30}])
        self.assertEqual([term["name"] for term in shown["terms"]], ["effort", "time"])
        self.close(floats(data["motion"]["qpos"])[-7:], plan["states"][-1][:7], SINGLE)

    def test_json_and_changes(self):
        said = self.fine("plan", TASKS / "dojo-plan-box-right.yaml", "--json", "--set", "cost[1].weight=1e-3").json()
        other = self.fine("plan", TASKS / "dojo-plan-box-right.yaml", "--json").json()
        self.assertGreater(said["cost"], other["cost"])
        self.assertEqual([term["name"] for term in said["terms"]], ["way", "effort", "goal"])

    def test_goal_out_of_reach(self):
        done = self.run_tactus("plan", TASKS / "dojo-plan-box-right.yaml", "--set", "bound={ctrl: [-0.1, 0.1]}", "-o", self.folder / "out")
        self.assertEqual(done.code, 1, done.err)
        self.assertNotIn("solved", done.out)
        plan = self.plan(self.folder / "out")
        self.assertNotEqual(plan["status"], "solved")
        self.assertGreater(plan["violation"], 0.1)
        self.assertEqual(self.replay(self.folder / "out"), plan["states"])

    def test_starts_are_told(self):
        one = self.fine("plan", TASKS / "dojo-plan-box-up.yaml", "--json", "--starts", 3, "--seed", 5, "--threads", 1).json()
        two = self.fine("plan", TASKS / "dojo-plan-box-up.yaml", "--json", "--starts", 3, "--seed", 5, "--threads", 2).json()
        self.assertEqual(without_times(one), without_times(two))
        self.assertEqual(len(one["starts"]), 3)
        self.assertEqual(one["cost"], one["starts"][one["best"]]["cost"])

    def test_check(self):
        done = self.fine("plan", TASKS / "dojo-plan-hopper.yaml", "--check")
        self.assertRegex(done.out, r"[1-9]\d* derivatives beside differences")
        self.refused("--check writes nothing", "plan", TASKS / "dojo-plan-hopper.yaml", "--check", "-o", self.folder)

    def started(self, folder, *words):
        """A run in the background, with its first checkpoint."""
        command = [TACTUS, "plan", str(TASKS / "dojo-plan-hopper.yaml"), "--starts", "4", "-o", str(folder), *words]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and run.poll() is None and not list(folder.glob("checkpoint-*[0-9]")):
            time.sleep(0.001)
        return run

    def test_stopped_runs_go_on(self):
        straight, folder = self.folder / "straight", self.folder / "out"
        self.fine("plan", TASKS / "dojo-plan-hopper.yaml", "--starts", 4, "-o", straight)
        run = self.started(folder)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=SECONDS)
        self.assertIn(run.returncode, (0, 1), err)
        if run.returncode == 1:
            self.assertIn("stopped after", out)
        self.assertTrue((folder / "plan.json").exists())
        run = self.started(folder, "--resume")
        run.kill()
        run.communicate(timeout=SECONDS)
        self.fine("plan", TASKS / "dojo-plan-hopper.yaml", "--starts", 4, "-o", folder, "--resume")
        self.assertEqual(without_times(self.plan(folder)), without_times(self.plan(straight)))

    def test_two_runs_in_one_folder(self):
        folder = self.folder / "out"
        folder.mkdir()
        with open(folder / "lock", "w", encoding="utf-8") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.refused(f"another run has this folder (process {os.getpid()})", "plan", TASKS / "dojo-plan-box-right.yaml", "-o", folder)
        self.fine("plan", TASKS / "dojo-plan-box-right.yaml", "-o", folder)

    def test_checkpoint_of_another_task(self):
        folder = self.folder / "out"
        self.fine("plan", TASKS / "dojo-plan-box-right.yaml", "-o", folder)
        self.refused("the checkpoint is of another task or model", "plan", TASKS / "dojo-plan-box-up.yaml", "-o", folder, "--resume")
        self.fine("plan", TASKS / "dojo-plan-box-right.yaml", "-o", folder, "--resume", "--threads", 2)

    def test_refusals(self):
        task = TASKS / "dojo-plan-box-right.yaml"
        self.refused("--resume requires -o DIR", "plan", task, "--resume")
        self.refused('expected one of ilqr; the nearest known one is "ilqr"', "plan", task, "--method", "ilqg")
        self.refused('unknown key "horizn"; the nearest known one is "horizon"', "plan", task, "--set", "horizn=3")
        self.refused("solver.starts: found 0, expected at least 1", "plan", task, "--starts", 0)
        self.refused("/nowhere/at/all: No such file", "plan", task, "-o", "/nowhere/at/all")
        self.refused("none.yaml: No such file", "plan", self.folder / "none.yaml")
        pose = self.file("pose.yaml", f"version: 1\nmodel: {self.arm}\n")
        self.refused("has no horizon", "plan", pose)


if __name__ == "__main__":
    unittest.main()
