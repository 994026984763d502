"""Batches that stay: what they cost beside a loop, what each world gives, and MuJoCo on as many threads."""

import os

from checks.evidence import json_lines
from checks.registry import Result, check
from checks.times import RUNS

BAR_ONE, BAR_MANY = 1.05, 1.02
BAR_THREADS = {16: 1.1, 256: 1.03}
BAR_WALL = 1.02  # of one thread's: what its noise is
CASES = 8
TURNS = 8
BAR_MUJOCO = 0.6


def bar_of(row):
    if row["threads"] > 1:
        return BAR_THREADS[row["worlds"]]
    return BAR_ONE if row["worlds"] == 1 else BAR_MANY


@check(
    "batch-overhead",
    bar="run_step on one thread over a loop of tac_step: at most 1.05 for 1 world, 1.02 for 256; CPU time of all threads over one at most 1.1 for 16 pandas, 1.03 for 256, and no more wall time; nothing allocated, no thread started",
    slow=True,
)
def overhead(context):
    runs = [json_lines(context, "evidence_batch", "overhead", rows=CASES) for _ in range(RUNS)]
    rows = [min(row, key=lambda one: one["cpu"]) | {"wall": min(one["wall"] for one in row)} for row in zip(*runs, strict=True)]
    clean = all(one["allocations"] == 0 and one["started"] == 0 for run in runs for one in run)
    over = [row for row in rows if row["cpu"] > bar_of(row) or (row["threads"] > 1 and row["wall"] > BAR_WALL)]
    worst = max(rows, key=lambda row: row["cpu"] / bar_of(row))
    figure = f"{worst['cpu']:.3f} of bar {bar_of(worst)} ({worst['model']}, {worst['worlds']} worlds, {worst['threads']} threads); {'nothing' if clean else 'SOMETHING'} allocated or started"
    lines = [f"{row['model']:10} {row['worlds']:4} worlds, {row['threads']} threads: CPU time {row['cpu']:.4f} (bar {bar_of(row)}), wall {row['wall']:.4f}" for row in rows]
    return Result(clean and not over, figure, lines)


@check("batch-worlds", bar="status, info and theta of each of 256 worlds equal those of a simulation of its own, to the bit; 1 with NaN leaves 255 untouched")
def worlds(context):
    rows = json_lines(context, "evidence_batch", "worlds", rows=TURNS)
    good = [row for row in rows if row["other"] == 0 and row["failed"] == 1 and row["untouched"] and row["nonfinite"]]
    lines = [f"{row['model']:10} {row['contact']:4} on {row['threads']} threads: {row['worlds'] - row['other']} of {row['worlds']} as alone, {row['failed']} failed" for row in rows]
    return Result(len(good) == len(rows), f"{sum(row['worlds'] - row['other'] for row in rows)} of {sum(row['worlds'] for row in rows)} worlds as alone", lines)


@check("batch-beside-mujoco", bar="64 humanoids x 100 steps with soft: at most 0.6 of the time of mj_step on a pool of as many threads", slow=True)
def beside_mujoco(context):
    threads = os.cpu_count() or 1
    rows = [json_lines(context, "evidence_batch_mujoco", threads, rows=1)[0] for _ in range(RUNS)]
    best = min(rows, key=lambda row: row["ratio"])
    lines = [f"{row['ours']:.4f} s, mj_step {row['peer']:.4f} s: {row['ratio']:.3f}; heights at the end differ by {row['apart']:.0e} m" for row in rows]
    return Result(best["ratio"] <= BAR_MUJOCO, f"{best['ratio']:.2f} of MuJoCo {best['version']} on {threads} threads", lines)
