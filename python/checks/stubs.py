"""mypy --strict on the examples and the package, stubtest on the extension."""

import os
import pathlib
import subprocess
import sys

from ground import ROOT, finish


def run(*words):
    folder = pathlib.Path(os.environ["PYTHONPATH"])
    environment = {**os.environ, "MYPYPATH": str(folder)}
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()


def main():
    examples = sorted(str(path) for path in (ROOT / "examples" / "python").glob("*.py"))
    code, lines = run("mypy", "--strict", "--cache-dir", "/dev/null", *examples)
    other, more = run("mypy.stubtest", "tactus._core", "--concise", "--ignore-missing-stub")
    problems = (0 if code == 0 else len(lines)) + (0 if other == 0 else len(more))
    finish(code == 0 and other == 0, f"{len(examples)} examples, {problems} remarks", lines[-20:] + more[-20:])


main()
