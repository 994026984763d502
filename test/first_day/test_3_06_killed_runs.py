"""A run that is ended, in whatever way, leaves nothing behind that keeps the next one from writing the same file."""

import os
import pathlib
import resource
import signal
import subprocess
import time
import unittest

from driver import TACTUS, Case

# A box that turns as it lands.
BOX = """<mujoco><option timestep="0.002" cone="elliptic"/><worldbody>
  <geom type="plane" size="5 5 .1"/>
  <body pos="0 0 0.1" euler="20 10 0"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
</worldbody></mujoco>"""
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

    def test_a_file_that_grows_too_large(self):
        """A limit on the size of files ends the run by a signal: what it wrote goes with it."""
        done = subprocess.run(
            [TACTUS, *self.sim(50)],
            capture_output=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.files(), [])

    def test_a_link_stays(self):
        """What a link points to is written, and keeps its permissions; a link that leads nowhere is refused."""
        target = self.folder / "target.csv"
        target.write_text("old")
        target.chmod(0o600)
        self.motion.symlink_to(target)
        self.finish_one()
        self.assertTrue(self.motion.is_symlink())
        self.assertEqual(target.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.files(), ["motion.csv"])
        target.unlink()
        self.refused("broken symbolic link", *self.sim(0.1))
        self.assertTrue(self.motion.is_symlink())

    def test_standard_output_by_its_link(self):
        """As /dev/stdout is: a link to the open file."""
        link, file = self.folder / "stdout", self.out / "model.xml"
        link.symlink_to("/proc/self/fd/1")
        with open(file, "wb") as stream:
            done = subprocess.run([TACTUS, "random", "7", "-o", str(link)], stdout=stream, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(link.is_symlink())
        self.assertIn("</mujoco>", file.read_text())

    def test_a_file_that_may_not_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everything")
        self.motion.write_text("keep")
        self.motion.chmod(0o444)
        self.refused("Permission denied", *self.sim(0.1))
        self.assertEqual(self.motion.read_text(), "keep")

    def test_states_are_whole_or_not_there(self):
        """compare --states goes the same way."""
        states = self.out / "states.json"
        states.write_text("keep")
        words = ["compare", self.arm, "--samples", "50", "--states", str(states)]
        done = subprocess.run(
            [TACTUS, *words],
            capture_output=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(states.read_text(), "keep")
        self.assertEqual(self.files(), ["states.json"])

    def test_closed_streams(self):
        """A file that is written never gets the number of a closed stream, and with it what is printed."""
        scene = self.file("box.xml", BOX)
        # One iteration is not enough: there is something to say while the file is open.
        words = ["sim", scene, "--contact", "soft", "--solver", "cg", "--iterations", "1", "--steps", "20", "-o", str(self.motion)]
        self.assertIn("not solved", self.run_tactus(*words).err)
        whole = self.motion.read_bytes()
        for closed in ([0], [1], [2], [0, 1, 2]):
            with self.subTest(closed=closed):
                self.motion.unlink()
                quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                subprocess.run([TACTUS, *words], check=False, preexec_fn=lambda c=closed: list(map(os.close, c)), **quiet)
                self.assertEqual(self.motion.read_bytes(), whole)
                self.assertEqual(self.files(), ["motion.csv"])


if __name__ == "__main__":
    unittest.main()
