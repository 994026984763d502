"""./dev bench: runs every benchmark program of the build tree; CSV, with the machine, into build/bench/MACHINE/."""

import os
import pathlib
import platform
import subprocess
import sys

import source


def machine():
    """A short name of this machine's processor, fit for a folder."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else []:
        if line.startswith("model name"):
            return "_".join("".join(c if c.isalnum() else " " for c in line.split(":", 1)[1]).lower().split())
    return platform.machine()


ARGUMENTS = {
    "bench_adaptive": ["models/humanoid.xml", "models/quadruped.xml", "experiments/scenes/toss_cube.xml", "64"],
    "bench_robots": ["models/humanoid.xml", "models/atlas.xml", "models/panda.xml"],
    "bench_contact": [f"models/{name}.xml" for name in ("half_cheetah", "ant", "quadruped", "humanoid", "atlas")],
}


def main():
    release = source.ROOT / "build" / "release"
    programs = sorted((release / "bench").glob("bench_*"))
    programs = [path for path in programs if path.is_file() and os.access(path, os.X_OK)]
    wanted = [path for path in programs if not sys.argv[1:] or path.name.removeprefix("bench_") in sys.argv[1:]]
    if not wanted:
        print(f"bench: nothing to run; there are: {', '.join(p.name.removeprefix('bench_') for p in programs)}", file=sys.stderr)
        return 2
    folder = source.ROOT / "build" / "bench" / machine()
    folder.mkdir(parents=True, exist_ok=True)
    code = 0
    if not sys.argv[1:]:
        print("== tactus bench --contact none", flush=True)
        code = subprocess.run([release / "tactus", "bench", "--contact", "none"], cwd=source.ROOT, check=False).returncode
    for path in wanted:
        print(f"== {path.name.removeprefix('bench_')}", flush=True)
        done = subprocess.run([path, *ARGUMENTS.get(path.name, [])], cwd=source.ROOT, capture_output=True, text=True, check=False)
        print(done.stdout, end="", flush=True)
        if done.returncode != 0:
            print(f"{path.name}: exit {done.returncode}: {done.stderr.strip()}", file=sys.stderr)
            code = 2
            continue
        (folder / f"{path.name.removeprefix('bench_')}.csv").write_text(done.stdout)
    print(f"written to {folder.relative_to(source.ROOT)}/", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
