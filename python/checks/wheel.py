"""The wheel from a clean clone, in an empty venv without network; what the extension imports."""

import os
import pathlib
import re
import subprocess
import sys

from ground import ROOT, finish

FIRST = """
import numpy as np, tactus as tac, pathlib
models = pathlib.Path(tac.__file__).parent / "models"
model = tac.load(models / "cartpole.xml")
sim = tac.Sim(model)
y, B = sim.step_jac(sim.state(), sim.input(), want="B")
from tactus import env
obs, info = env.make("cartpole").reset(seed=1)
print(float(abs(B).max()), pathlib.Path(tac._core.__file__).parent.name)
"""


# Names with an underscore that the stable ABI has; functions that take sizes as Py_ssize_t are in it as NAME_SizeT.
STABLE = ("_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct")


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]}: {(done.stdout + done.stderr).strip()[-400:]}")
    return done.stdout


def main():
    scratch = pathlib.Path(sys.argv[1])
    clone, venv = scratch / "clone", scratch / "venv"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    run("git", "-c", "safe.directory=*", "clone", "-q", ROOT, clone)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", scratch, cwd=clone, env=environment)
    (wheel,) = scratch.glob("*.whl")
    run("rm", "-rf", clone)
    run(sys.executable, "-m", "venv", "--system-site-packages", venv)
    run(venv / "bin/python", "-m", "pip", "install", "--no-index", "--no-deps", wheel, env=environment)
    said = run(venv / "bin/python", "-c", FIRST, cwd=scratch, env=environment).split()
    core = next(venv.rglob("_core.abi3.so"))
    asked = {word.split("@")[0] for word in re.findall(r"\bU (_?Py\w+)", run("nm", "-D", "--undefined-only", core))}
    private = sorted(name for name in asked if name.startswith("_Py") and name not in STABLE and not name.endswith("_SizeT"))
    ok = wheel.name == "tactus-0.1.0-cp311-abi3-linux_x86_64.whl" and float(said[0]) > 0 and not private
    finish(ok, f"{wheel.name}, {wheel.stat().st_size / 1e6:.2f} MB, first gradient {float(said[0]):.4g}, {len(asked)} names",
           [f"not of the limited API: {name}" for name in private])  # fmt: skip


main()
