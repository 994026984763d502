"""Each check is a script of python/checks, run by the package's own interpreter; it prints one JSON line."""

import json
import os
import pathlib
import sys

from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line

SCRIPTS = ROOT / "python" / "checks"


def package_of(context):
    folder = pathlib.Path(context.build).resolve() / "python"
    if not list((folder / "tactus").glob("_core*.so")):
        raise CannotRun("the package is not built: ./dev python")
    return folder


def run_script(context, name, *words, seconds=1800):
    folder = package_of(context)
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    peers = list(folder.glob("libtactus_peer*.so"))
    if peers:
        environment["TACTUS_PEER"] = str(peers[0])
    done = context.run(sys.executable, SCRIPTS / f"{name}.py", *words, seconds=seconds, env=environment)
    if done.returncode != 0 and "No module named 'torch'" in done.stderr:
        raise CannotRun("torch is not installed")
    if done.returncode != 0:
        raise Failed(f"{name}: exit {done.returncode}: {last_line(done.stderr)}")
    found = json.loads(last_line(done.stdout))
    return Result(ok=found["ok"], figure=found["figure"], details=found["details"])


@check("python-same-bits", bar="1000 steps, A, B, P of all robots and contact models: the bits of C", slow=True)
def same_bits(context):
    return run_script(context, "same_bits")


@check("python-overhead", bar="step: pendulum 2.2, panda 1.25, humanoid 1.05 times C; batch 1.03")
def overhead(context):
    return run_script(context, "overhead")


@check("python-zero-copy", bar="addresses are the same; 1e6 calls and 1e3 loads within 1 MB")
def zero_copy(context):
    return run_script(context, "zero_copy")


@check("python-threads", bar="two threads 1.8 times the steps; another thread wakes every 10 ms")
def threads(context):
    return run_script(context, "threads")


@check("torch-gradcheck", bar="step, rollout, outputs: 4 robots, 4 contact models, 50 states: all pass", slow=True)
def torch_gradcheck(context):
    return run_script(context, "torch_gradcheck", seconds=3600)


@check("torch-cost", bar="rollout 1.15, batch step 1.25 times C, a node 30 us")
def torch_cost(context):
    return run_script(context, "torch_cost")


@check("torch-learns", bar="a throw through contact within 1 cm in 60 iterations", slow=True)
def torch_learns(context):
    return run_script(context, "torch_learns")


@check("env-conformance", bar="every task keeps the rules; seeds and worlds repeat to the bit")
def env_conformance(context):
    return run_script(context, "env_conformance")


@check("python-pickle", bar="all copies have the same bits", slow=True)
def pickled(context):
    return run_script(context, "pickled")


@check("python-stubs", bar="mypy --strict and stubtest have nothing to say")
def stubs(context):
    return run_script(context, "stubs")


@check("python-bad-input", bar="1e5 random arguments: 0 crashes, documented exceptions alone", slow=True)
def bad_input(context):
    return run_script(context, "bad_input", "100000")


@check("python-wheel", bar="from a clean clone into an empty venv; limited API alone", slow=True)
def wheel(context):
    return run_script(context, "wheel", str(context.scratch))
