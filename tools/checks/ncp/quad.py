"""Differences in 113-bit numbers (test/quad), for states at which doubles have too few digits of them."""

import json
import shutil

from checks.builds import BUILD_SECONDS
from checks.registry import ROOT, CannotRun, Failed, last_line

SECONDS_A_STATE = 1800


def quad_program(context):
    """Builds test/quad; -> its program."""
    if shutil.which("clang") is None:
        raise CannotRun("clang is not installed")
    build = ROOT / "build" / "quad"
    options = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1", "-DTACTUS_QUAD=ON"]
    made = context.run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *options)
    if made.returncode == 0:
        made = context.run("cmake", "--build", build, "--target", "quad_differences", seconds=BUILD_SECONDS)
    if made.returncode != 0:
        raise Failed(f"test/quad does not build: {last_line(made.stderr or made.stdout)}")
    return build / "test" / "quad" / "quad_differences"


def quad_judged(context, model, kappa, kept):
    """A state that `tactus check --keep` wrote -> {error, switches}, or {what} where there is no answer."""
    program = context.once("quad", quad_program)
    done = context.run(program, model, kappa, kept, seconds=SECONDS_A_STATE)
    if done.returncode != 0:
        return {"what": last_line(done.stderr) or f"exit {done.returncode}"}
    return json.loads(done.stdout)
