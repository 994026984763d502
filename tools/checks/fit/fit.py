"""Fits of simulated recordings: inertias that can exist, parameters that come back, intervals that hold the truth."""

from checks.evidence import json_lines
from checks.registry import Result, check

SAMPLES = 10000
TRIP, DERIVATIVE = 1e-10, 1e-8
MODELS, RECOVERED = 200, 195
SEEDS, LEAST, MOST, EACH = 200, 0.90, 0.99, 0.86
PARAMS = ("friction", "half_width", "inertia")


@check("fit-physical", bar="10,000 inertias from ten free numbers: mass above 0, pseudo-inertia positive definite, round trip 1e-10, derivative 1e-8")
def physical(context):
    row = json_lines(context, "evidence_fit", "physical", SAMPLES, rows=1)[0]
    ok = row["lightest"] > 0 and row["least"] > 0 and row["trip"] <= TRIP and row["derivative"] <= DERIVATIVE
    return Result(ok, f"{row['samples']} samples: round trip {row['trip']:.0e}, derivative {row['derivative']:.0e}, least pivot {row['least']:.0e}")


@check("fit-synthetic", bar="200 random models, three parameters each 20 % off, no noise: at least 195 recovered to 1e-5 or told as unseen; the others say that they did not converge", slow=True)
def synthetic(context):
    last = json_lines(context, "evidence_fit", "synthetic", MODELS, rows=1)[0]
    ok = last["models"] == MODELS and last["recovered"] >= RECOVERED and last["silent"] == 0
    return Result(ok, f"{last['recovered']} of {last['models']}, {last['silent']} say that they are solved and are not")


@check("fit-coverage", bar="200 noisy sets of 12 tosses, starts estimated: 95 % intervals hold the truth in 90 to 99 % of all, 86 % of each parameter", slow=True)
def coverage(context):
    row = json_lines(context, "evidence_fit", "coverage", SEEDS, rows=1)[0]
    shares = {name: row[name] / row["seeds"] for name in PARAMS}
    pooled = sum(shares.values()) / len(shares)
    ok = LEAST <= pooled <= MOST and min(shares.values()) >= EACH
    each = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    return Result(ok, f"{pooled:.1%} pooled; {each}; {row['solved']} of {row['seeds']} solved")
