"""A run that is ended, in whatever way, leaves nothing behind that keeps the next one from writing the same file."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

from driver import TACTUS, Case

SECONDS = 60  # for a run to open its file, on a busy machine


class KilledRuns(Case):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.out.mkdir()
        self.motion = self.out / "motion.csv"

    def files(self):
        return sorted(path.name for path in self.out.iterdir())

    def sim(self, time_to_simulate):
        return ["sim", self.arm, "--contact", "none", "--time", str(time_to_simulate), "-o", str(self.motion)]

    def start(self):
        """A run of hours that has opened its file."""
        before = set(self.files())
        process = subprocess.Popen([TACTUS, *self.sim(1e6)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + SECONDS
        while set(self.files()) == before:
            self.assertLess(time.monotonic(), end, "the run opens no file")
            self.assertIsNone(process.poll(), "the run ended by itself")
            time.sleep(0.01)
        time.sleep(0.05)
        return process

    def finish_one(self):
        """A short run writes its file whole, and that file alone is there."""
        self.fine(*self.sim(0.1))
        lines = self.motion.read_text().splitlines()
        self.assertEqual(len({line.count(",") for line in lines}), 1)
        self.assertGreater(len(lines), 2)

    def test_signals_remove_the_file(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name):
                process = self.start()
                process.send_signal(number)
                self.assertEqual(process.wait(SECONDS), -number)
                self.assertEqual(self.files(), [])

    def test_a_killed_run_blocks_nobody(self):
        process = self.start()
        process.kill()
        process.wait(SECONDS)
        self.assertEqual(len(self.files()), 1)  # nobody can remove it then
        self.finish_one()
        self.assertEqual(self.files(), ["motion.csv"])

    def test_the_same_process_number(self):
        """In a container every run is process 1: what one left has the name that the next one would take."""
        unshare = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]
        if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespaces of process numbers here")
        for _ in range(2):
            before = self.files()
            process = subprocess.Popen([*unshare, TACTUS, *self.sim(1e6)], stdout=subprocess.DEVNULL)
            end = time.monotonic() + SECONDS
            while not self.files() and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(0.05)
            self.assertIsNone(process.poll(), f"could not write beside {before}")
            process.kill()
            process.wait(SECONDS)
            time.sleep(0.1)
        done = subprocess.run([*unshare, TACTUS, *self.sim(0.1)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), ["motion.csv"])

    def test_runs_side_by_side(self):
        """A run that is alive keeps its file; another one writes the same name meanwhile."""
        process = self.start()
        self.finish_one()
        self.assertIsNone(process.poll())
        self.assertEqual(len(self.files()), 2)
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)
        self.assertEqual(self.files(), ["motion.csv"])

    def test_ignored_signals_stay_ignored(self):
        process = subprocess.Popen(
            [TACTUS, *self.sim(1e6)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )
        end = time.monotonic() + SECONDS
        while not self.files() and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.terminate()
        process.wait(SECONDS)
        self.assertEqual(self.files(), [])

    def test_what_is_not_ours_is_left_alone(self):
        """A link under the temporary name is not followed."""
        precious = self.folder / "precious"
        precious.write_text("keep")
        process = self.start()
        name = self.out / self.files()[0]
        process.terminate()
        process.wait(SECONDS)
        name.symlink_to(precious)
        self.finish_one()
        os.unlink(name)
        os.link(precious, name)
        self.finish_one()
        self.assertEqual(precious.read_text(), "keep")
        self.assertTrue(pathlib.Path(name).exists())


if __name__ == "__main__":
    unittest.main()
