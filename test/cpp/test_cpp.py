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


OLD_NAME = re.compile(r"^#define (TAC_\w+)\s+TAC_OLD_NAME\((TAC_\w+)\)", re.MULTILINE)
# Compilers that are here, as commands up to the language.
COMPILERS = [[name, f"-std={standard}", "-x", language] for names, standard, language in ((("gcc", "clang"), "c17", "c"), (("g++", "clang++"), "c++17", "c++")) for name in names if shutil.which(name)]


@unittest.skipUnless(COMPILERS, "no compiler")
class OldNames(unittest.TestCase):
    """Each former name of a constant is its new name, with a warning that says the new one."""

    def setUp(self):
        header = (ROOT / "include" / "tactus" / "old_names.h").read_text(encoding="utf-8")
        self.names = OLD_NAME.findall(header)
        self.assertEqual(len(self.names), header.count("TAC_OLD_NAME(TAC_"))

    def compile(self, compiler, text, *flags):
        command = [*compiler, "-Wall", "-Wextra", "-Wpedantic", f"-I{ROOT / 'include'}", "-fsyntax-only", *flags, "-"]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    def test_values_and_warnings(self):
        assertion = "#define EQUAL(a, b) static_assert((a) == (b), #a)\n"
        lines = [f"EQUAL({old}, {new});" for old, new in self.names]
        text = "#include <assert.h>\n#include \"tactus/tactus.h\"\n" + assertion + "\n".join(lines) + "\n"
        for compiler in COMPILERS:
            done = self.compile(compiler, text)
            self.assertEqual(done.returncode, 0, done.stderr)
            for _, new in self.names:
                self.assertIn(f"use {new}", done.stderr, compiler)

    def test_can_be_left_out(self):
        for compiler in COMPILERS:
            for old, _ in self.names:
                done = self.compile(compiler, f'#include "tactus/tactus.h"\nint x = {old};\n', "-DTAC_NO_OLD_NAMES")
                self.assertNotEqual(done.returncode, 0, (compiler, old))

    def test_silent_unless_used(self):
        for compiler in COMPILERS:
            done = self.compile(compiler, '#include "tactus/tactus.h"\n', "-Werror")
            self.assertEqual(done.returncode, 0, done.stderr)


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
