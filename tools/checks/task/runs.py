"""Runs of `tactus plan`: killed and resumed, damaged checkpoints, replays."""

import json
import random
import shlex
import shutil
import subprocess
import time

from checks.registry import ROOT, Failed, Result, check, last_line

TASKS = ROOT / "examples" / "tasks"
KILLS, DAMAGES = 200, 1000
KILLED_TASK = "dojo-plan-hopper.yaml"
STARTS = 3  # of the task that is killed: several planners at work at once
SECONDS = 120


def without_times(plan):
    """What a plan is, whatever the machine does."""
    plan = {key: value for key, value in plan.items() if key not in ("seconds", "command", "replay")}
    plan["history"] = [{key: value for key, value in row.items() if key != "seconds"} for row in plan["history"]]
    return plan


def plan_of(folder):
    return json.loads((folder / "plan.json").read_text(encoding="utf-8"))


def command(context, task, folder, *words):
    return [str(context.tactus), "plan", str(TASKS / task), "--starts", str(STARTS), "--threads", "2", "-o", str(folder), *words]


def finish(context, task, folder, *words):
    """Runs to the end -> the plan."""
    done = context.run(*command(context, task, folder, *words), seconds=SECONDS)
    if done.returncode not in (0, 1):
        raise Failed(f"exit {done.returncode}: {last_line(done.stderr)}")
    return plan_of(folder), done.stderr


def iterations_kept(context, folder):
    """Iterations of all starts that the last whole checkpoint holds: its number, which grows by one each."""
    numbers = [int(path.name[11:]) for path in folder.glob("checkpoint-*") if path.name[11:].isdigit()]
    return max(numbers, default=0)


def kill_once(context, folder, seconds):
    """One run, ended by signal 9 after so long -> 1: it was killed, 0: it had come to its end."""
    run = subprocess.Popen(command(context, KILLED_TASK, folder, "--resume"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(seconds)
    run.kill()
    said = run.communicate()[1].decode(errors="replace")
    if run.returncode not in (-9, 0, 1):
        raise Failed(f"exit {run.returncode}: {last_line(said)}")
    return int(run.returncode == -9)


@check(
    "plan-kill",
    bar=f"killed (signal 9) at {KILLS} random moments and resumed, no kept iteration is lost and the end has the same bits; {DAMAGES} damaged checkpoints refused by name, the one before taken",
    slow=True,
)
def kill(context):
    rng = random.Random(26)
    straight, folder = context.scratch / "straight", context.scratch / "killed"
    begin = time.monotonic()
    expected, _ = finish(context, KILLED_TASK, straight)
    whole = time.monotonic() - begin
    kills = ends = lost = different = 0
    while kills < KILLS:
        shutil.rmtree(folder, ignore_errors=True)
        kept, finished = 0, False
        while not finished and kills < KILLS:
            killed = kill_once(context, folder, rng.uniform(0, whole))
            now = iterations_kept(context, folder) if folder.exists() else 0
            kills, lost, kept, finished = kills + killed, lost + (now < kept), now, not killed
        found, _ = finish(context, KILLED_TASK, folder, "--resume")
        ends += 1
        different += without_times(found) != without_times(expected)
    refused, taken = damaged(context, folder, expected, rng)
    figure = f"{kills} kills, {ends} ends, {different} differ, {lost} lost a kept iteration; {refused} of {DAMAGES} damaged checkpoints refused, {taken} went on from the one before"
    return Result(different == 0 and lost == 0 and refused == taken == DAMAGES, figure)


def damage(data, rng):
    """Flips bits, cuts, or exchanges two stretches."""
    data = bytearray(data)
    before = bytes(data)
    while bytes(data) == before:
        way, at, to, size = rng.randrange(3), rng.randrange(len(data)), rng.randrange(len(data)), rng.randrange(1, 64)
        if way == 0:
            for _ in range(rng.randrange(1, 4)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif way == 1:
            del data[at:]
        else:
            size = min(size, len(data) - max(at, to), abs(at - to))
            data[at : at + size], data[to : to + size] = data[to : to + size], data[at : at + size]
    return bytes(data)


def damaged(context, folder, expected, rng):
    """(refused by name, went on from the one before to the same end) of damaged last checkpoints"""
    source = context.scratch / "two"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    for path in folder.glob("checkpoint-*"):
        shutil.copy(path, source)
    last = max(source.glob("checkpoint-*"))
    good, work = last.read_bytes(), context.scratch / "work"
    refused = taken = 0
    for _ in range(DAMAGES):
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(source, work)
        (work / last.name).write_bytes(damage(good, rng))
        found, said = finish(context, KILLED_TASK, work, "--resume")
        refused += f"{last.name}: " in said
        taken += "went on from the one before" in said and without_times(found) == without_times(expected)
    return refused, taken


@check("plan-replay", bar="the command in plan.json gives the plan's states to the bit, for every plan of examples/tasks")
def replay(context):
    rows = []
    for task in sorted(path for path in TASKS.glob("*.yaml") if "\nhorizon:" in path.read_text(encoding="utf-8")):
        folder = context.scratch / f"replay-{task.stem}"
        done = context.run(context.tactus, "plan", task, "-o", folder, "--set", "solver.iterations=8", seconds=SECONDS)
        if not (folder / "plan.json").exists():
            rows.append((task.stem, False, last_line(done.stderr)))
            continue
        plan = plan_of(folder)
        words = shlex.split(plan["replay"]["command"])
        sim = context.run(context.tactus, *words[1:], seconds=SECONDS)
        motion = json.loads((folder / "replay.json").read_text(encoding="utf-8"))["trajectory"] if sim.returncode == 0 else None
        states = [q + v + a for q, v, a in zip(motion["qpos"], motion["qvel"], motion["act"], strict=True)] if motion else []
        rows.append((task.stem, states == plan["states"], last_line(sim.stderr)))
    good = sum(same for _, same, _ in rows)
    lines = [f"{name:24} {'same bits' if same else 'DIFFERENT'} {said}" for name, same, said in rows]
    return Result(bool(rows) and good == len(rows), f"{good} of {len(rows)} tasks", lines)
