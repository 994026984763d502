"""One contact a pair of shapes (docs/theory/ncp_pairs.md): drops, starts, momentum, derivatives, robots."""

import json

from checks.evidence import MINUTES, document
from checks.registry import Failed, Result, check, last_line

STARTS = 100  # each at 36 rates and tolerances: 3600 drops
MOST_FAILED = {"truncated": 36, "polytope": 36, "ellipsoid": 0, "capsule": 0, "cylinder": 0, "padded": 0}


@check(
    "silico-drops-3d",
    bar=f"{36 * STARTS} drops each of truncated cubes and random polytopes, at most 36 fail within 200 systems; of ellipsoids, capsules, cylinders, padded boxes none; each failure says so; no solved step overlaps by more than its tolerance",
    slow=True,
)
def drops(context):
    rows = {kind: document(context, "evidence_silico_drops", kind, 0, STARTS - 1, seconds=60 * MINUTES) for kind in MOST_FAILED}
    good = all(row["failures"] <= MOST_FAILED[kind] and row["deep"] == 0 and row["silent"] == 0 for kind, row in rows.items())
    good = good and all(row["runs"] == 36 * STARTS for row in rows.values())
    figure = ", ".join(f"{kind} {row['failures']} of {row['runs']} fail ({row['slow']} steps above 30, {row['iterations']:.1f} systems)" for kind, row in rows.items())
    return Result(good, figure + f"; overlap {max(row['depth'] for row in rows.values()):.0e} m at most")


@check("silico-starts", bar="all pairs of seven shapes by faces, edges, vertices and at random, at rest and thrown, with and without friction: every step solved, every number finite", slow=True)
def starts(context):
    got = document(context, "evidence_silico", "starts", 40, seconds=60 * MINUTES)
    return Result(got["unsolved"] == 0 and got["nonfinite"] == 0, f"{got['unsolved']} of {got['steps']} steps unsolved in {got['runs']} runs (first: {got['first'] or 'none'})")


TOL_MOMENTUM = 1e-9
TOL_ROLLING = 1e-3


@check("silico-momentum", bar=f"two free bodies of all shapes that push, roll and scrape: linear and angular momentum within {TOL_MOMENTUM:g}; a ball that rolls on a free plate keeps its speed within {TOL_ROLLING:g} in 10 s", slow=True)
def momentum(context):
    got = document(context, "evidence_silico", "momentum", 6, seconds=30 * MINUTES)
    ball = document(context, "evidence_silico", "rolling", seconds=30 * MINUTES)
    good = got["linear"] <= TOL_MOMENTUM and got["angular"] <= TOL_MOMENTUM and got["met"] > got["runs"] / 2
    good = good and ball["slower"] <= TOL_ROLLING and ball["unsolved"] == 0
    return Result(good, f"linear {got['linear']:.0e}, angular {got['angular']:.0e} in {got['steps']} steps, {got['met']} of {got['runs']} met, {got['unsolved']} unsolved; ball {ball['slower']:.0e} m/s")


TOL_DERIVATIVES = 1e-6
LEAST_WITHIN = 0.999
LEAST_IN_CONTACT = 0.8
TOL_REVERSE = 1e-10
KAPPAS = ("1e-3", "1e-5", "1e-8")
NUMBERS = ("geom/*.size[0]", "body/*.mass", "geom/*.friction[0]")
MODELS = {"models/half_cheetah.xml": 600, "models/ant.xml": 600, "models/humanoid.xml": 400, "models/box.xml": 1200, "test/data/pairs.xml": 533}


def derivatives_of(context, model, samples, kappa):
    params = [word for path in NUMBERS for word in ("--param", path)]
    options = ["--contact", "ncp", "--collision", "single-level", "--kappa", kappa, "--tol", TOL_DERIVATIVES, "--samples", samples]
    done = context.run(context.tactus, "check", model, *options, *params, "--json", seconds=120 * MINUTES)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Failed(f"{model}: exit {done.returncode}: {last_line(done.stderr)}")
    return json.loads(done.stdout)


@check(
    "silico-derivatives",
    bar=f"{3 * sum(MODELS.values())} states, at least {100 * LEAST_IN_CONTACT:g} % in contact, by state and numbers at kappa {', '.join(KAPPAS)}: {100 * LEAST_WITHIN:g} % of those that switch nothing within {TOL_DERIVATIVES:g} of differences; reverse within {TOL_REVERSE:g} of forward",
    slow=True,
)
def derivatives(context):
    total = {"samples": 0, "passed": 0, "failed": 0, "switching": 0, "in_contact": 0}
    reverse, lines = 0, []
    for kappa in KAPPAS:
        for model, samples in MODELS.items():
            got = derivatives_of(context, model, samples, kappa)
            reverse = max(reverse, got["blocks"]["reverse"])
            lines.append(f"{model} {kappa}: {got['passed']} of {got['samples']}, {got['failed']} failed, {got['switching']} switching, worst {got['worst']:.1e}")
            for key in total:
                total[key] += got[key]
    good = total["passed"] >= LEAST_WITHIN * (total["samples"] - total["switching"]) and reverse <= TOL_REVERSE
    good = good and total["in_contact"] >= LEAST_IN_CONTACT * total["samples"]
    figure = f"{total['passed']} of {total['samples']}, {total['failed']} failed, {total['switching']} switching, {total['in_contact']} in contact; reverse {reverse:.0e}"
    return Result(good, figure, lines)


ROBOTS = ("ant", "atlas", "half_cheetah", "hopper", "humanoid", "quadruped", "xarm6", "panda", "finger")


def unsolved_steps(context, model, collision):
    options = ["--contact", "ncp", "--collision", collision, "--dt", "0.005", "--time", "2", "--allow-unsolved", "100000", "--json"]
    done = context.run(context.tactus, "sim", model, *options, seconds=30 * MINUTES)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Failed(f"{model}: exit {done.returncode}: {last_line(done.stderr)}")
    return json.loads(done.stdout)["unsolved"]


@check("silico-falls", bar="the project's robots fall for 2 s at 5 ms: no more unsolved steps than with features", slow=True)
def falls(context):
    found = {name: [unsolved_steps(context, f"models/{name}.xml", word) for word in ("single-level", "features")] for name in ROBOTS}
    pairs, features = (sum(row[k] for row in found.values()) for k in range(2))
    return Result(pairs <= features, f"{pairs} unsolved steps, {features} with features", [f"{name}: {row[0]}, {row[1]}" for name, row in found.items()])
