"""Memory that runs short: output is whole, or the exit code is 2. Each allocation of a run fails once, all others succeed.

ALL_ALLOCATIONS=1 lets each of them fail, not a sample."""

import json
import os
import re
import subprocess
import unittest

from driver import ROOT, TACTUS, Case

LIBRARY = os.environ.get("FAIL_ALLOCATION_LIBRARY")
RUNS = 10**9 if os.environ.get("ALL_ALLOCATIONS") else 60  # of each command
TIMES = re.compile(r'"(seconds|ratio|us_[a-z_]+)":[-+.e0-9]+')
CORNERS = [(0, 0, 0), (0.2, 0, 0), (0, 0.2, 0), (0, 0, 0.2)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]

# A mesh that collides, one that is only seen, and what is refused unless loaded leniently.
URDF = """<robot name="cart">
  <link name="base">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="tetra.obj"/></geometry></visual>
    <collision><geometry><mesh filename="tetra.stl"/></geometry></collision>
    <collision><geometry><mesh filename="missing.stl"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="base"/><child link="top"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <link name="top"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="tetra.stl" scale="2 2 2"/></geometry></collision></link>
</robot>
"""


def stl():
    lines = ["solid tetra"]
    for face in FACES:
        corners = [f"vertex {x} {y} {z}" for x, y, z in (CORNERS[i] for i in face)]
        lines += ["facet normal 0 0 0", "outer loop", *corners, "endloop", "endfacet"]
    return "\n".join([*lines, "endsolid tetra", ""])


def obj():
    corners = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    return "\n".join(corners + ["f " + " ".join(str(i + 1) for i in face) for face in FACES] + [""])


@unittest.skipIf(LIBRARY is None, "a sanitizer's allocator cannot be made to fail")
class MemoryShort(Case):
    def setUp(self):
        super().setUp()
        self.robot = self.file("cart.urdf", URDF)
        self.file("tetra.stl", stl())
        self.file("tetra.obj", obj())
        self.counts = self.folder / "count"

    def run_failing(self, number, words, output):
        """-> exit code, what was printed and what was written (without times), what was said."""
        if output is not None:
            output.unlink(missing_ok=True)
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, FAIL_ALLOCATION=str(number), MALLOC_PERTURB_="165")
        environment["COUNT_ALLOCATIONS"] = str(self.counts) if number == 0 else ""
        done = subprocess.run([TACTUS, *words], capture_output=True, timeout=300, check=False, env=environment)
        written = output.read_bytes() if output is not None and output.exists() else b""
        printed, written, said = (text.decode("utf-8", errors="replace") for text in (done.stdout, written, done.stderr))
        return done.returncode, TIMES.sub("", printed), TIMES.sub("", written), said

    def holds(self, *words, output=None):
        words = [str(word) for word in words]
        output = self.folder / output if output is not None else None
        if output is not None:
            words += ["-o", str(output)]
        code, whole, file, said = self.run_failing(0, words, output)
        self.assertEqual(code, 0, said)
        total = int(self.counts.read_text())
        self.assertGreater(total, 10)
        refused = 0
        for k in range(min(RUNS, total)):
            number = 1 + k * total // min(RUNS, total)
            code, printed, written, said = self.run_failing(number, words, output)
            where = f"{words}: allocation {number} of {total}: exit {code}: {said}"
            self.assertIn(code, (0, 2), where)
            self.assertEqual(printed, whole if code == 0 else "", where)
            self.assertIn(written, (file,) if code == 0 else (file, ""), where)
            self.assertEqual([path.name for path in self.folder.glob("*tactus-part*")], [], where)
            if code == 2:
                self.assertNotEqual(said, "", where)
                refused += 1
        self.assertGreater(refused, 0, "nothing failed: the library is not loaded")

    def test_documents(self):
        for words in (["info"], ["eval", "--key", "bent"], ["distance"], ["grad", "--contact", "soft", "--key", "bent"]):
            with self.subTest(words[0]):
                self.holds(words[0], self.arm, *words[1:], "--json")

    def test_grad_of_parameters(self):
        self.holds("grad", self.arm, "--contact", "lcp", "--param", "body/*.mass", "--json")

    def test_sim(self):
        self.holds("sim", self.arm, "--contact", "soft", "--time", "0.02", "--json")

    def test_files(self):
        for suffix in ("csv", "json", "html"):
            with self.subTest(suffix):
                self.holds("sim", self.arm, "--contact", "none", "--time", "0.02", "--json", output=f"motion.{suffix}")

    def test_state_file(self):
        state = self.file("state.json", {"qpos": [0.5, 1, 1, 0, 1, 1, 0, 0, 0], "qvel": [1, 2, 0, 0, 0, 0, 0, 0]})
        self.holds("eval", self.arm, "--state", state, "--json")

    def test_lenient(self):
        """Want of memory is no reason to leave a shape out."""
        result = json.loads(self.fine("info", self.robot, "--lenient", "--json").out)
        self.assertEqual(result["nmesh"], 2)
        self.holds("info", self.robot, "--lenient", "--json")
        self.holds("info", ROOT / "test" / "data" / "everything.xml", "--lenient", "--json")

    def test_random(self):
        self.holds("random", "7", "--json")

    def test_check(self):
        self.holds("check", self.arm, "--contact", "lcp", "--samples", "2", "--param", "body/*.mass", "--json")


if __name__ == "__main__":
    unittest.main()
