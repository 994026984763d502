"""C++17 with -Wpedantic: every public header alone, every public function by its declaration, and a program that runs."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TACTUS_BUILD", ROOT / "build" / "release"))
HEADERS = sorted((ROOT / "include" / "tactus").glob("*.h"))
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT / 'include'}"]
DECLARED = re.compile(r"^TAC_API (?:TAC_DEPRECATED\(\"[^\"]*\"\) )?[^;(]*?(tac_\w+)\(", re.MULTILINE)


def functions():
    """Names of the public functions."""
    return sorted({name for header in HEADERS for name in DECLARED.findall(header.read_text(encoding="utf-8"))})


@unittest.skipUnless(COMPILER, "no C++ compiler")
class Interface(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus_cpp_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, text, *flags):
        """Compiles text, which must give no warning."""
        source = self.folder / "part.cpp"
        source.write_text(text, encoding="utf-8")
        done = subprocess.run([COMPILER, *FLAGS, str(source), *map(str, flags)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def link(self, *sources):
        libraries = {path.name: path for path in BUILD.rglob("libtactus*.so")}
        folders = [str(libraries[name].parent) for name in ("libtactus.so", "libtactus_io.so")]
        program = self.folder / "program"
        paths = [word for folder in folders for word in (f"-L{folder}", f"-Wl,-rpath,{folder}")]
        command = [COMPILER, *FLAGS, *map(str, sources), "-o", str(program), *paths, "-ltactus_io", "-ltactus"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return subprocess.run([str(program)], capture_output=True, text=True, check=False)

    def test_each_header_alone(self):
        for header in HEADERS:
            self.compile(f'#include "tactus/{header.name}"\n', "-fsyntax-only")

    def test_every_function_is_declared_and_exported(self):
        names = functions()
        self.assertGreater(len(names), 150)
        lines = [f'#include "tactus/{header.name}"' for header in HEADERS]
        lines += ['#pragma GCC diagnostic ignored "-Wdeprecated-declarations"', "#include <cstdio>"]
        lines += ["template <class R, class... A> static int is_there(R (*f)(A...)) { return f != nullptr; }"]
        # volatile: the address is taken from the library, not assumed
        lines += ["int main() {", "    int n = 0;"]
        lines += [f"    {{ auto *volatile f = {name}; n += is_there(f); }}" for name in names]
        lines += [f"    return n == {len(names)} ? 0 : 1;", "}"]
        source = self.folder / "all.cpp"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.assertEqual(self.link(source).returncode, 0)

    def test_a_program_runs(self):
        done = self.link(ROOT / "test" / "cpp" / "use.cpp")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
