"""One evidence program from several compilers and levels, for its bits."""

import shutil

from checks.evidence import parsed_lines
from checks.registry import ROOT, CannotRun, Failed, last_line

BUILD_SECONDS = 1800
COMPILERS = {"gcc-O0": ("gcc", "-O0"), "gcc-O2": ("gcc", "-O2"), "clang-O0": ("clang", "-O0"), "clang-O2": ("clang", "-O2")}


def built_with(context, name, program):
    """Builds an evidence program with one compiler and level; -> its path."""
    compiler, level = COMPILERS[name]
    if shutil.which(compiler) is None:
        raise CannotRun(f"{compiler} is not installed")
    build = ROOT / "build" / "determinism" / name
    made = context.run(
        "cmake", "-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=None",
        f"-DCMAKE_C_FLAGS={level}", "-DTACTUS_BENCH=OFF", "-DTACTUS_TESTS=ON",
    )  # fmt: skip
    if made.returncode == 0:
        made = context.run("cmake", "--build", build, "--target", program, seconds=BUILD_SECONDS)
    if made.returncode != 0:
        raise Failed(f"{name} does not build: {last_line(made.stderr or made.stdout)}")
    return build / "test" / "evidence" / program


def rows_of_builds(context, program, *arguments, rows):
    """{build: the lines an evidence program prints when built so}"""
    found = {}
    for name in COMPILERS:
        done = context.run(built_with(context, name, program), *arguments, seconds=BUILD_SECONDS)
        found[name] = parsed_lines(f"{program}, {name}", done, rows)
    return found


def differing_bits(found, keys):
    """{build: rows} -> lines for every hash that is not gcc -O0's; two threads (batch2) must give what one (batch1) does."""
    return [
        f"{name}: {row['model']}: {key} differs from gcc-O0"
        for name, rows in found.items()
        for row, true in zip(rows, found["gcc-O0"], strict=True)
        for key in keys
        if row[key] != true["batch1" if key == "batch2" else key]
    ]
