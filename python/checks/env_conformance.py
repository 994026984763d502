"""Every task keeps the rules; two resets with one seed give equal bits, after any history; world k of 8 and of 64 agree."""

import numpy as np
from ground import finish

from tactus import env


def repeats(name):
    one = env.make(name)
    first = one.reset(seed=11)[0]
    one.action_space.seed(1)
    for _ in range(7):
        one.step(one.action_space.sample())
    one.reset()
    return np.array_equal(first, one.reset(seed=11)[0])


def agree(name, steps=8):
    few, many = env.VectorEnv(name, 8, threads=1), env.VectorEnv(name, 64, threads=3)
    same = np.array_equal(few.reset(seed=5)[0], many.reset(seed=5)[0][:8])
    many.action_space.seed(3)
    for _ in range(steps):
        action = many.action_space.sample()
        a, b = few.step(action[:8]), many.step(action)
        same &= all(np.array_equal(p, q[:8]) for p, q in zip(a[:4], b[:4]))
    return same


def main():
    fine, details = 0, []
    for name in env.TASKS:
        try:
            env.check(env.make(name, render_mode="rgb_array"))
            good = repeats(name) and agree(name)
            details.append(f"{name}: {'ok' if good else 'seeds or worlds differ'}")
        except AssertionError as error:
            good = False
            details.append(f"{name}: {error}")
        fine += good
    finish(fine == len(env.TASKS), f"{fine} of {len(env.TASKS)} tasks", details)


main()
