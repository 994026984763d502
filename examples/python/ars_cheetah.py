"""Augmented random search of a linear policy for the half-cheetah, on a batch of worlds."""

import sys

import numpy as np
import numpy.typing as npt

from tactus import env

Array = npt.NDArray[np.float64]
PAIRS, STEPS = 8, 60


def returns(worlds: env.VectorEnv, policies: Array, seed: int) -> Array:
    """The sum of rewards of each world with its own policy."""
    obs, _ = worlds.reset(seed=[seed] * worlds.num_envs)
    total, alive = np.zeros(worlds.num_envs), np.ones(worlds.num_envs)
    for _ in range(STEPS):
        action = np.einsum("wij,wj->wi", policies, obs)
        obs, reward, terminated, _, _ = worlds.step(action)
        total += alive * reward
        alive *= ~terminated
    return total


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    worlds = env.VectorEnv("half_cheetah", 2 * PAIRS, threads=2)
    size = (worlds.model.nu, worlds.single_observation_space.shape[0])
    policy, rng = np.zeros(size), np.random.default_rng(1)
    first = last = 0.0
    for i in range(rounds):
        noise = rng.standard_normal((PAIRS, *size))
        found = returns(worlds, np.concatenate([policy + 0.1 * noise, policy - 0.1 * noise]), seed=i)
        plus, minus = found[:PAIRS], found[PAIRS:]
        best = np.argsort(-np.maximum(plus, minus))[: PAIRS // 2]
        spread = np.concatenate([plus[best], minus[best]]).std() + 1e-8
        policy += 0.05 / (len(best) * spread) * np.einsum("k,kij->ij", plus[best] - minus[best], noise[best])
        last = float(found.mean())
        first = last if i == 0 else first
        print(f"round {i}: mean return {last:.1f}")
    assert np.isfinite(last) and last > first - 50


main()
