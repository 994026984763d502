"""Runs the binary the way its users do. TACTUS names it; default build/release/tactus."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TACTUS = os.environ.get("TACTUS", str(ROOT / "build" / "release" / "tactus"))
SHARED = pathlib.Path(os.environ.get("TACTUS_SHARED", ROOT.parent / "shared"))

# Two links, a gripper that floats, a tendon, two kinds of actuator, a keyframe, a mocap body.
ARM = """<mujoco model="arm">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.002"/>
  <visual><global offwidth="100"/></visual>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" range="-2 2" damping="0.1"/>
      <geom name="upper" type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" stiffness="2"/>
        <geom name="lower" type="box" size="0.2 0.03 0.03" pos="0.2 0 0"/>
        <site name="tip" pos="0.4 0 0"/>
      </body>
    </body>
    <body name="ball" pos="1 0 1"><freejoint name="float"/><geom type="sphere" size="0.1"/></body>
    <body name="hand" mocap="true" pos="0 1 0"><geom type="sphere" size="0.02" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed name="cable"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-2"/></fixed></tendon>
  <actuator>
    <motor name="push" joint="shoulder" ctrlrange="-3 3" gear="2"/>
    <intvelocity name="turn" joint="elbow" kp="5" actrange="-1 1"/>
  </actuator>
  <keyframe><key name="bent" qpos="0.5 1 1 0 1 1 0 0 0" qvel="1 2 0 0 0 0 0 0" act="0.25" ctrl="1.5 0"/></keyframe>
</mujoco>
"""
NQ, NV, NU, NA, NBODY = 9, 8, 2, 1, 5


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def json(self):
        def refuse(word):
            raise ValueError(f"{word} is not a result")

        return json.loads(self.out, parse_constant=refuse)


class Case(unittest.TestCase):
    """A test with a folder of its own, where arm.xml lies."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus_cli_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.arm = self.file("arm.xml", ARM)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        return str(path)

    def run_tactus(self, *words, **options):
        command = [TACTUS, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
        self.assertGreaterEqual(done.returncode, 0, f"{command} was ended by a signal: {done.stderr}")
        return Result(done)

    def fine(self, *words, **options):
        result = self.run_tactus(*words, **options)
        self.assertEqual(result.code, 0, result.err)
        return result

    def refused(self, message, *words, code=2, **options):
        """It could not run, said why, and printed no result."""
        result = self.run_tactus(*words, **options)
        self.assertEqual(result.code, code, result.out + result.err)
        self.assertIn(message, result.err)
        if code == 2:
            self.assertEqual(result.out, "")
        return result

    def close(self, got, expected, tolerance, what=""):
        """max |got - expected| <= tolerance max(1, max |expected|), for nested lists of one shape."""
        got, expected = flat(got), flat(expected)
        self.assertEqual(len(got), len(expected), what)
        largest = max([1.0] + [abs(x) for x in expected])
        worst = max([0.0] + [abs(a - b) for a, b in zip(got, expected)])
        self.assertLessEqual(worst, tolerance * largest, what)


def flat(value):
    if isinstance(value, (int, float)):
        return [float(value)]
    return [x for item in value for x in flat(item)]
