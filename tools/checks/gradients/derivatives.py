"""Derivatives of smooth dynamics: against differences, forward against reverse, integrators, rollouts, parameters, speed."""

import concurrent.futures
import json
import os
import re

from checks.builds import differing_bits, rows_of_builds
from checks.evidence import MINUTES, json_lines
from checks.models import our_models
from checks.registry import ROOT, CannotRun, Result, check, last_line
from checks.times import RUNS, on_one_core
from checks.unit import unit_check, unit_checks

TOL_CHECK = "1e-7"
TOL_REVERSE = 1e-10
SAMPLES = 1000
PARAM_SAMPLES = 20
PAIRS = 100_000
INTEGRATORS = ["euler", "rk4", "rkmk4", "implicit", "implicitfast"]


# --- tactus check --------------------------------------------------------------------------------------------------


def run_check(context, path, *options):
    """`tactus check` -> (problem or None, its JSON)."""
    done = context.run(context.tactus, "check", path, "--contact", "none", "--tol", TOL_CHECK, "--json", *options, seconds=60 * MINUTES)
    name = path.parent.name + "/" + path.name if path.is_absolute() else path.name
    words = " ".join(map(str, options))
    if done.returncode not in (0, 1) or not done.stdout.strip():
        return f"{name} {words}: exit {done.returncode}: {last_line(done.stderr)}", None
    got = json.loads(done.stdout)
    good = got["passed"] + got["switching"] == got["samples"] and got["passed"] > 0
    where = max(got["blocks"], key=got["blocks"].get)
    problem = None if good else f"{name} {words}: {got['passed']} of {got['samples']} pass, {got['switching']} switch, worst {got['worst']:.1e} ({where})"
    return problem, got


def run_checks(context, jobs):
    """Runs (path, options...) jobs side by side -> Result."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        done = list(pool.map(lambda job: run_check(context, *job), jobs))
    problems = [problem for problem, _ in done if problem]
    got = [result for _, result in done if result]
    samples, passed, switching = (sum(result[key] for result in got) for key in ("samples", "passed", "switching"))
    worst = max((result["worst"] for result in got), default=float("nan"))
    kinds = {block for result in got for block in result["blocks"] if block.startswith("dy/d")}
    figure = f"{passed} of {samples} states pass, {switching} switch, worst {worst:.1e}, {len(jobs)} runs"
    if kinds:
        figure += f", {len(kinds)} kinds of parameters"
    return Result(not problems and bool(got), figure, problems or sorted(kinds))


def robots_check(integrator):
    @check(
        f"gradients-check-{integrator}",
        bar=f"check --samples {SAMPLES} --tol {TOL_CHECK} --integrator {integrator}: every sample of every robot of ours passes",
        slow=True,
    )
    def run(context):
        few = ["--param", "option.gravity*", "--param", "joint/*.damping", "--param", "actuator/*.gear[0]"]
        has_motors = {path: bool(re.search(r"<actuator>", (ROOT / path).read_text())) for path in our_models()}
        jobs = []
        for path in our_models():
            options = few if has_motors[path] else few[:4]
            jobs.append((path, "--samples", SAMPLES, "--integrator", integrator, *options))
        return run_checks(context, jobs)


for word in INTEGRATORS:
    robots_check(word)


@check("gradients-check-robots", bar=f"check --tol {TOL_CHECK}: 20 samples of every robot of ours with every integrator pass")
def check_robots(context):
    jobs = [(path, "--samples", 20, "--integrator", word, "--inputs", "all") for path in our_models() for word in INTEGRATORS]
    return run_checks(context, jobs)


@check(
    "gradients-check-params",
    bar=f"check --tol {TOL_CHECK} --param '*': every parameter of every robot of ours, {PARAM_SAMPLES} samples (integrators 3)",
    slow=True,
)
def check_params(context):
    jobs = [(path, "--samples", PARAM_SAMPLES, "--integrator", "euler", "--param", "*") for path in our_models()]
    jobs += [(path, "--samples", 3, "--integrator", word, "--param", "*") for path in our_models() for word in INTEGRATORS[1:]]
    return run_checks(context, jobs)


def shared_files(context):
    """The shared robots that load, each with the options it needs."""
    files = []
    for folder in context.shared_models():
        entry = json.loads((folder / "meta.json").read_text())["entry"]
        path = folder / entry
        if path.is_file() and context.run(context.tactus, "info", path, "--allow-outside", "--json").returncode == 0:
            files.append(path)
    if not files:
        raise CannotRun("no shared model loads")
    return files


@check(
    "gradients-check-shared",
    bar=f"check --samples {SAMPLES} --tol {TOL_CHECK} --param: every sample of every shared robot that loads passes, its own integrator",
    slow=True,
)
def check_shared(context):
    jobs = [(path, "--samples", SAMPLES, "--allow-outside", "--param", "option.gravity*") for path in context.once("shared-files", shared_files)]
    return run_checks(context, jobs)


@check(
    "gradients-check-shared-integrators",
    bar=f"check --tol {TOL_CHECK}: 20 samples of every shared robot that loads, every integrator, joint numbers as parameters",
    slow=True,
)
def check_shared_integrators(context):
    files = context.once("shared-files", shared_files)
    jobs = [(path, "--samples", 20, "--allow-outside", "--integrator", word, "--param", "joint/*.armature") for path in files for word in INTEGRATORS]
    return run_checks(context, jobs)


# --- Forward and reverse, memory, bits -----------------------------------------------------------------------------


def gradient_rows(context):
    each = -(-PAIRS // len(our_models()))
    return json_lines(context, "evidence_gradients", each, *our_models(), rows=len(our_models()))


@check("gradients-reverse-pairs", bar="reverse equals forward to 1e-10 on 100000 random pairs, all integrators, parameters included")
def reverse_pairs(context):
    rows = context.once("gradients", gradient_rows)
    pairs = sum(row["pairs"] for row in rows)
    worst = max(rows, key=lambda row: row["reverse"])
    ok = worst["reverse"] <= TOL_REVERSE and pairs >= PAIRS
    return Result(ok, f"worst {worst['reverse']:.1e} ({worst['model']}) of {pairs} pairs")


@check("gradients-no-alloc", bar="0 allocations in Jacobians, reverse modes and rollouts backwards, all integrators")
def no_alloc(context):
    rows = context.once("gradients", gradient_rows)
    total = sum(row["allocations"] for row in rows)
    counted = all(row["counted_at_load"] > 0 for row in rows)
    return Result(total == 0 and counted, f"{total} allocations over {len(rows)} robots (the counter works: {counted})")


@check("gradients-threads", bar="derivatives of 16 worlds: the same bits on 1 and 2 threads")
def threads(context):
    rows = context.once("gradients", gradient_rows)
    differing = [row["model"] for row in rows if row["batch1"] != row["batch2"]]
    return Result(not differing, f"{len(rows) - len(differing)} of {len(rows)} robots", differing)


@check("gradients-bits", bar="one hash of all derivatives: gcc and clang, -O0 and -O2, 1 and 2 threads", slow=True)
def bits(context):
    found = rows_of_builds(context, "evidence_gradients", 5, *our_models(), rows=len(our_models()))
    problems = differing_bits(found, ("bits", "batch1", "batch2"))
    return Result(not problems, f"{len(our_models())} robots, {len(found)} builds, {len(problems)} differences", problems)


# --- Unit tests that print their figures ---------------------------------------------------------------------------


BUGS = {
    "shared-ancestor": ("a shared ancestor is counted once", "shared_ancestor_counted_once"),
    "prismatic-quaternion": ("gradient of a quaternion behind a prismatic offset", "quaternion_behind_a_prismatic_offset"),
    "quaternion-projected": ("a free joint's quaternion gradient is projected", "free_joint_quaternion_is_projected"),
    "implicit-control": ("implicit integrators' reverse mode sees the control", "implicit_reverse_mode_sees_the_control"),
    "not-depth-first": ("joints that are not numbered depth first", "joints_not_numbered_depth_first"),
    "same-map": ("the step with gradients is the step without, to the bit", "gradients_do_not_change_the_step"),
    "before-step": ("Jacobians are those at the state before the step", "jacobians_belong_to_the_state_before_the_step"),
    "stale-velocities": ("nothing is stale after restoring a state", "nothing_is_stale_after_restoring"),
}
unit_checks("gradients-bug", BUGS, "test_known_bugs")

unit_check("gradients-rollout", "1000-step rollout gradients equal differences to 1e-6; 10 checkpoints, the same bits", "test_rollout_vjp", "equals_differences")
unit_check("gradients-outputs", "quantities for losses: A, B, P of every kind equal differences to 1e-7, reverse equals forward to 1e-10", "test_outputs", "equal_differences")
unit_check("gradients-orders", "observed order of every integrator within 0.1 of theory", "test_integrators", "orders")
unit_check("gradients-energy", "mean energy error of semi-implicit Euler falls with order 2 in the step, without drift", "test_integrators", "euler_keeps_the_mean_energy")
unit_check("gradients-rk4-energy", "RK4 energy within 1e-8 over 10000 steps of 1 ms on the free chain; momentum", "test_integrators", "runge_kutta_keeps_energy")
unit_check("gradients-params-reload", "setting a parameter of every kind equals reloading an edited file, to the bit", "test_param_reload", "setting_is_reloading")
unit_check("gradients-params-reload-sim", "the same in a running simulation", "test_param_reload", "setting_in_a_simulation_is_reloading")


# --- Speed ---------------------------------------------------------------------------------------------------------

ROLLOUT_RATIO = 4.0
STEP_RATIO = 2.5
PINOCCHIO = {  # microseconds of facts/speeds: rnea, aba, crba with factorization, dID, dFD
    "atlas": (4.4, 9.3, 5.2, 18.8, 35.6),
    "arm": (0.92, 1.8, 0.84, 3.5, 4.9),
}
PIECES = ("us_rnea", "us_aba", "us_crba", "us_did", "us_dfd")
DID_RATIO = 4.3
DFD_RATIO = 3.8


def bench_rows(context):
    arm = context.scratch / "arm.xml"
    made = context.run(context.tactus, "random", "--chain", 7, "-o", arm)
    if made.returncode != 0:
        raise CannotRun(last_line(made.stderr))
    best = {}
    for _ in range(RUNS):
        command = on_one_core([context.tactus, "bench", arm, "models/atlas.xml", "models/humanoid.xml", "--contact", "none", "--seconds", 3, "--json"])
        for row in context.json_from(*command)["rows"]:
            name = os.path.basename(row["model"]).split(".")[0]
            if name not in best or row["us_step"] < best[name]["us_step"]:
                best[name] = row
    return best


def speed_check(robot, words):
    @check(f"gradients-speed-{robot}", bar=f"{words}: rnea, aba, crba, dID, dFD at most {PINOCCHIO[robot]} us; dID/rnea <= 4.3, dFD/aba <= 3.8")
    def run(context):
        row = context.once("bench", bench_rows)[robot]
        ratios = row["us_did"] / row["us_rnea"], row["us_dfd"] / row["us_aba"]
        ok = all(row[piece] <= most for piece, most in zip(PIECES, PINOCCHIO[robot]))
        ok = ok and ratios[0] <= DID_RATIO and ratios[1] <= DFD_RATIO and row["derivative_error"] < float(TOL_CHECK)
        times = ", ".join(f"{row[piece]:.2f}" for piece in PIECES)
        return Result(ok, f"{times} us; dID/rnea {ratios[0]:.2f}, dFD/aba {ratios[1]:.2f}; error {row['derivative_error']:.0e}")


speed_check("atlas", "36-degree humanoid")
speed_check("arm", "7-degree arm")


@check("gradients-speed-step", bar="humanoid step with A and B at most 2.5 times mj_step without contact (aim 1.5)")
def speed_step(context):
    row = context.once("bench", bench_rows)["humanoid"]
    if not row["us_peer"]:
        raise CannotRun("MuJoCo is not installed: ./dev peers")
    ratio = row["us_jac"] / row["us_peer"]
    figure = f"{ratio:.2f} ({row['us_jac']:.1f} us, mj_step {row['us_peer']:.1f} us); centred mjd_transitionFD takes {row['us_peer_fd'] / row['us_jac']:.0f} times as long; error {row['derivative_error']:.0e}"
    return Result(ratio <= STEP_RATIO and row["derivative_error"] < float(TOL_CHECK), figure)


@check("gradients-speed-rollout", bar="reverse mode of a 1000-step rollout at most 4 times its forward time at full memory; same bits with 10 states")
def speed_rollout(context):
    names = ["pendulum", "cartpole", "quadrotor", "panda", "humanoid"]
    best = {}
    for _ in range(RUNS):
        done = context.run(*on_one_core([context.program("evidence_rollout"), *(f"models/{name}.xml" for name in names)]))
        if done.returncode != 0:
            raise CannotRun(f"evidence_rollout: {last_line(done.stderr)}")
        for line in done.stdout.splitlines():
            row = json.loads(line)
            if row["model"] not in best or row["us_forward"] < best[row["model"]]["us_forward"]:
                best[row["model"]] = row
    rows = list(best.values())
    worst = max(rows, key=lambda row: row["ratio"])
    same = all(row["same_bits"] for row in rows)
    lines = [f"{row['model']:24} {row['ratio']:.2f}; {row['bytes_10']} bytes for 10 states, {row['bytes_1000']} for 1000" for row in rows]
    return Result(worst["ratio"] <= ROLLOUT_RATIO and same, f"worst {worst['ratio']:.2f} ({worst['model']}), same bits: {same}", lines)
