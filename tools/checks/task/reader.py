"""Broken task files: each has its message; mutated ones do no harm."""

import os
import re

from checks.registry import ROOT, Failed, Result, check, last_line

BUILD_SECONDS = 1800
FUZZ_SECONDS = 1800
MUTATIONS = 100000
LEAST_FILES = 60


def sanitized(context, *programs):
    """Builds test programs with the address and undefined-behaviour sanitizers -> their folder."""
    build = ROOT / "build" / "asan"
    made = context.run("cmake", "--preset", "asan", "-DTACTUS_TESTS=ON")
    if made.returncode == 0:
        made = context.run("cmake", "--build", build, "--target", *programs, seconds=BUILD_SECONDS)
    if made.returncode != 0:
        raise Failed(f"the programs do not build with sanitizers: {last_line(made.stderr or made.stdout)}")
    return build / "test" / "io"


def run_program(context, program, pattern, **environment):
    """Runs a test program -> (ok, the numbers that its line has, its last words)"""
    done = context.run(program, seconds=FUZZ_SECONDS, env=os.environ | environment)
    text = done.stdout + done.stderr
    found = re.search(pattern, text)
    return done.returncode == 0 and found is not None, found, last_line(text)


@check(
    "task-broken",
    bar=f"at least {LEAST_FILES} broken task files, each refused with its message; {MUTATIONS} mutated ones under sanitizers without a crash, hang or leak",
    slow=True,
)
def broken(context):
    folder = sanitized(context, "test_task_broken", "test_task_fuzz")
    files_ok, files, files_words = run_program(context, folder / "test_task_broken", r"(\d+) files")
    fuzz_ok, fuzz, fuzz_words = run_program(
        context, folder / "test_task_fuzz", r"(\d+) mutated tasks, (\d+) accepted", TAC_FUZZ_COUNT=str(MUTATIONS)
    )
    count = int(files.group(1)) if files else 0
    mutated = int(fuzz.group(1)) if fuzz else 0
    ok = files_ok and fuzz_ok and count >= LEAST_FILES and mutated == MUTATIONS
    figure = f"{count} broken files, {mutated} mutated ones" + (f" ({fuzz.group(2)} of them accepted)" if fuzz else "")
    return Result(ok, figure, [] if ok else [files_words, fuzz_words])
