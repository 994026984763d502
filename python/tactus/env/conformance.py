"""Holds an environment against the rules of the interface."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check"]


def _need(truth: Any, text: str) -> None:
    if not truth:
        raise AssertionError(text)


def _check_observation(env: Any, obs: Any) -> None:
    space = env.observation_space
    _need(isinstance(obs, np.ndarray), "an observation is no array")
    _need(obs.shape == space.shape, f"an observation has shape {obs.shape}, its space {space.shape}")
    _need(obs.dtype == space.dtype, f"an observation holds {obs.dtype}, its space {space.dtype}")
    _need(space.contains(obs), "an observation is outside its space")
    _need(np.all(np.isfinite(obs)), "an observation is not finite")


def _check_step(env: Any, action: Any) -> bool:
    found = env.step(action)
    _need(isinstance(found, tuple) and len(found) == 5, "step does not return five values")
    obs, reward, terminated, truncated, info = found
    _check_observation(env, obs)
    _need(isinstance(reward, float) and np.isfinite(reward), "a reward is no finite float")
    _need(isinstance(terminated, bool) and isinstance(truncated, bool), "terminated and truncated are no bools")
    _need(isinstance(info, dict), "info is no dict")
    return terminated or truncated


def _run(env: Any, seed: int, steps: int) -> list[Any]:
    """Observations of an episode of seeded actions."""
    obs, info = env.reset(seed=seed)
    _check_observation(env, obs)
    _need(isinstance(info, dict), "info of reset is no dict")
    env.action_space.seed(seed)
    seen = [obs]
    for _ in range(steps):
        found = env.step(env.action_space.sample())
        seen.append(found[0])
        if found[2] or found[3]:
            break
    return seen


def check(env: Any, steps: int = 20) -> None:
    """Raises AssertionError with what is wrong: spaces, five values and their types, seeds that repeat after any history,
    options, pictures, close.

    >>> from tactus import env
    >>> env.check(env.make("cartpole"))
    """
    _need(hasattr(env, "observation_space") and hasattr(env, "action_space"), "a space is missing")
    _need(env.unwrapped is not None and "render_modes" in env.metadata, "unwrapped or metadata is missing")
    env.action_space.seed(1)
    sample = env.action_space.sample()
    _need(env.action_space.contains(sample), "a sample is outside of its own space")
    first = _run(env, 7, steps)
    _run(env, 8, 3)
    again = _run(env, 7, steps)
    _need(len(first) == len(again) and all(np.array_equal(a, b) for a, b in zip(first, again)), "a seed does not repeat")
    env.reset(seed=9)
    other, _ = env.reset()
    _need(other.shape == first[0].shape, "a reset without a seed gives another shape")
    before = np.array(sample)
    env.reset(seed=1, options={})
    _check_step(env, sample)
    _need(np.array_equal(before, sample), "step changes the action that it is given")
    picture = env.render()
    if env.render_mode == "rgb_array":
        _need(picture is not None and picture.dtype == np.uint8 and picture.ndim == 3, "render gives no picture")
    else:
        _need(picture is None, "render gives a picture without a mode")
    env.close()
