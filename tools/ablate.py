#!/usr/bin/env python3
"""An ablation of contact ncp's tables: steps without solution and iterations with other numbers in them.

    tools/ablate.py [--seeds K,K..] [--sets RBD] [--build DIR] [NAME=VALUE[,NAME=VALUE...]...]

Each argument is one variant. The first row is the tables as they are. The sets, each with its own draw for every K:

    R   240 random models, many of which start in jams, 15 steps each
    B   nine robots at time steps of 1e-4, 1e-3, 5e-3, 2e-2, 5e-2 s, 40 steps each, under random controls
    D   10 polytopes that fall, at six rates and six tolerances

A number is chosen with some K and reported with others. One jam may be unsolved in each of its steps, so R and B of one K
scatter: R by a half of itself. Files that read the tables are compiled again with the changed
ones, and linked before the library of a release build.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLES = ("contact/ncp/tuning.h", "solve/tuning.h")
READERS = re.compile(r'#include "[\w/]*(tuning|interior_run)\.h"')
COMPILE = "cc -c -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -std=c17 -DTAC_BUILDING -D_POSIX_C_SOURCE=200809L".split()
ROBOTS = ("ant", "atlas", "finger", "half_cheetah", "hopper", "humanoid", "jumpworm", "panda", "quadruped")
MODELS, MODEL_STEPS, ROBOT_STEPS, DROPS = 240, 15, 40, 10


def edited(text, changes):
    """The table with other values; notes which names it had."""
    for name, value in list(changes.items()):
        text, found = re.subn(rf"^(#define {name}\s+)\S.*$", rf"\g<1>{value}", text, flags=re.MULTILINE)
        if found:
            del changes[name]
    return text


def build_variant(folder, build, changes):
    """-> the programs of a variant."""
    left = dict(changes)
    for table in TABLES:
        (folder / table).parent.mkdir(parents=True, exist_ok=True)
        (folder / table).write_text(edited((ROOT / "src" / table).read_text(), left))
    for header in ("solve/interior_run.h",):  # it includes the table of its own folder
        (folder / header).write_text((ROOT / "src" / header).read_text())
    if left:
        sys.exit(f"no table has {', '.join(left)}")
    objects = []
    for source in sorted((ROOT / "src").rglob("*.c")):
        if READERS.search(source.read_text()):
            objects.append(folder / f"{source.stem}.o")
            subprocess.run([*COMPILE, f"-I{folder}", f"-I{ROOT}/include", f"-I{ROOT}/src", source, "-o", objects[-1]], check=True)
    libraries = ["test/evidence/libtactus_evidence.a", "io/libtactus_io_static.a", "-lxml2", "-lyaml", "-ljansson", "-lqhull_r", "-ldl", "measure/libtactus_measure.a", "src/libtactus_core.a", "-lm"]
    for program in ("evidence_ncp_cost", "evidence_ncp_drops"):
        main = f"test/evidence/CMakeFiles/{program}.dir/{program}.c.o"
        subprocess.run(["cc", main, *objects, *libraries, "-o", folder / program], cwd=build, check=True)


def run(folder, program, *arguments):
    done = subprocess.run([folder / program, *map(str, arguments)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure(folder, sets, seed):
    """{set: (unsolved, of, iterations per step)}"""
    robots = [ROOT / "models" / f"{name}.xml" for name in ROBOTS]
    first = 1 + 1000 * seed
    calls = {
        "R": lambda: run(folder, "evidence_ncp_cost", "random", first, first + MODELS - 1, MODEL_STEPS),
        "B": lambda: run(folder, "evidence_ncp_cost", "robots", seed, ROBOT_STEPS, *robots),
        "D": lambda: run(folder, "evidence_ncp_drops", first, first + DROPS - 1),
    }
    figures = {}
    for key in sets:
        rows = calls[key]()
        steps = sum(row["steps"] for row in rows)
        bad = sum(row.get("unsolved", 0) + row.get("failed", 0) + row.get("failures", 0) for row in rows)
        iterations = sum(row["iterations"] * row["steps"] for row in rows) / steps
        figures[key] = (bad, sum(row.get("runs", row["steps"]) for row in rows), iterations)
    return figures


def measure_variant(text, build, sets, seeds):
    """-> one text a set: steps without solution of all, for each seed; iterations per step."""
    changes = dict(part.split("=", 1) for part in text.split(",")) if text else {}
    with tempfile.TemporaryDirectory() as folder:
        build_variant(pathlib.Path(folder), build, changes)
        figures = [measure(pathlib.Path(folder), sets, seed) for seed in seeds]
    for key in sets:
        bad, of, mean = zip(*(figure[key] for figure in figures))
        yield f"{key} {sum(bad):3d} of {sum(of)} ({' '.join(map(str, bad))}; {sum(mean) / len(mean):.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--sets", default="RBD")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("variants", nargs="*")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = ["", *options.variants]
        seeds = [int(seed) for seed in options.seeds.split(",")]
        jobs = [pool.submit(lambda text: [*measure_variant(text, options.build, options.sets, seeds)], text) for text in rows]
        for text, job in zip(rows, jobs):
            print(f"{text or 'as they are':48}", *job.result(), sep="  ", flush=True)


if __name__ == "__main__":
    main()
