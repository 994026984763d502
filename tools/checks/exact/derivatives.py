"""Derivatives of steps of contact ncp at the states of seeds that no other check has, at the default softness."""

import json

from checks.contact.derivatives import SAMPLES, TOL_REVERSE, Study, derivative_check
from checks.ncp.derivatives import TOL
from checks.ncp.quad import quad_judged
from checks.registry import Result, check

SEEDS = (4243, 7001, 90210)
KAPPA = "1e-8"  # the default
MODELS = {
    "models/box.xml": (2000, []),
    "models/half_cheetah.xml": (2500, []),
    "models/ant.xml": (2500, []),
    "models/quadruped.xml": (1200, []),
    "models/humanoid.xml": (900, []),
    "models/atlas.xml": (900, []),
}


def options(_model, _part):
    return ["--contact", "ncp", "--kappa", KAPPA]


def quad(context, model, _part, kept):
    return quad_judged(context, model, KAPPA, kept)


derivative_check(
    "exact-derivatives",
    f"{SAMPLES} states in contact of seeds {', '.join(map(str, SEEDS))} at the default kappa: 99.9 % of those with a constant active set within {TOL} of differences, at most 5 % switch, each flagged by its margin; reverse equals forward to 1e-10",
    Study(MODELS, TOL, options, quad=quad, seeds=SEEDS),
)


# A foot with a gap of 3e-11 m under it, and two contacts with the other foot that are nearly one.
REDUNDANT = ("models/atlas.xml", "--samples", 1, "--first", 297, "--seed", 4242)
TOL_REDUNDANT = 1e-7


@check("exact-redundant", bar=f"a state of atlas with gaps below the tolerance and contacts that are nearly redundant: A and B within {TOL_REDUNDANT:g} of differences, reverse equals forward to {TOL_REVERSE:g}")
def redundant(context):
    done = context.run(context.tactus, "check", *REDUNDANT, "--contact", "ncp", "--tol", TOL_REDUNDANT, "--json")
    got = json.loads(done.stdout)
    ok = got["passed"] == 1 and got["blocks"]["reverse"] <= TOL_REVERSE
    return Result(ok, f"within {got['worst']:.1e}, reverse {got['blocks']['reverse']:.0e}")
