"""The core library for Windows: compiled with MinGW, its exports, a program that calls it."""

import os
import pathlib
import re
import shutil

from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

COMPILERS = ("x86_64-w64-mingw32-gcc-posix", "x86_64-w64-mingw32-gcc")  # the first with winpthreads
OBJDUMP = "x86_64-w64-mingw32-objdump"
WINE = ("wine64", "/usr/lib/wine/wine64", "wine")  # runs what was made, where it is installed
OFF = ("IO", "CLI", "TESTS", "BENCH", "EXAMPLES")
DECLARED = re.compile(r"^TAC_API (?:TAC_DEPRECATED\(\"[^\"]*\"\) )?[^;(]*?(tac_\w+)\(", re.MULTILINE)
EXPORTED = re.compile(r"^\s*\[\s*\d+\]\s+(?:\+base\[\s*\d+\]\s+)?(?:[0-9a-f]{4,}\s+)?(\w+)\s*$", re.MULTILINE)


def found(*names):
    return next((path for path in map(shutil.which, names) if path), None)


def must(done, what):
    if done.returncode != 0:
        raise Failed(f"{what}: {last_line(done.stdout + done.stderr)}")
    return done.stdout


def build(context, compiler, folder):
    """The DLL, as our CMake makes it: warnings are errors."""
    words = ["-DCMAKE_SYSTEM_NAME=Windows", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release", *(f"-DTACTUS_{part}=OFF" for part in OFF)]
    must(context.run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, *words), "cmake")
    must(context.run("cmake", "--build", folder, "--target", "src/all", seconds=1800), "compiling")


def exports(context, folder):
    text = must(context.run(OBJDUMP, "-p", folder / "src" / "libtactus.dll"), "objdump")
    table = text[text.index("[Ordinal/Name Pointer] Table") :]
    return set(EXPORTED.findall(table.split("\n\n")[0]))


def declared():
    """Functions of the core's public headers; those of io.h are in the other library."""
    headers = [path for path in (ROOT / "include" / "tactus").glob("*.h") if path.name != "io.h"]
    return {name for path in headers for name in DECLARED.findall(path.read_text(encoding="utf-8"))}


def run_program(context, compiler, folder):
    """An example that imports from the DLL: its output there is ours -> words for the figure."""
    program = folder / "src" / "pendulum.exe"
    command = [compiler, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT / 'include'}", ROOT / "examples" / "pendulum.c"]
    must(context.run(*command, "-o", program, folder / "src" / "libtactus.dll.a"), "a program with the DLL")
    must(context.run(*command, "-DTAC_STATIC", "-o", folder / "static.exe", folder / "src" / "libtactus_core.a", "-lpthread"), "a program with the static library")
    wine, ours = found(*WINE), context.build / "examples" / "example_pendulum"
    if wine is None or not ours.exists():
        return True, "a program links, not run (no Wine)"
    threads = must(context.run(compiler, "-print-file-name=libwinpthread-1.dll"), "winpthreads").strip()
    shutil.copy(threads, folder / "src")
    environment = dict(os.environ, WINEDEBUG="-all", WINEPREFIX=str(folder / "wine"))
    there = must(context.run(wine, program, env=environment), "a program under Wine").replace("\r", "")
    same = there == must(context.run(ours), "the example")
    return same, f"a program prints {'the same' if same else 'something else'} under Wine"


@check("shown-windows", bar="src/ compiles for Windows without a warning and links as a DLL that exports the functions of the public headers alone; a program links with it, and prints what it prints here", slow=True)
def windows(context):
    compiler = found(*COMPILERS)
    if compiler is None or found(OBJDUMP) is None:
        raise CannotRun("no MinGW compiler (Debian: gcc-mingw-w64-x86-64)")
    folder = pathlib.Path(context.scratch) / "windows"
    build(context, compiler, folder)
    there, wanted = exports(context, folder), declared()
    same, words = run_program(context, compiler, folder)
    details = [f"exported, not declared: {name}" for name in sorted(there - wanted)] + [f"declared, not exported: {name}" for name in sorted(wanted - there)]
    return Result(same and there == wanted and len(wanted) > 100, f"{len(there)} functions exported, {len(details)} wrong; {words}", details)
