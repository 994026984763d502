"""One world of a task, with the five-tuple interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tactus.env import spaces
from tactus.env.task import TASKS, Task
from tactus.env.vector import VectorEnv

Array = npt.NDArray[np.float64]

__all__ = ["TaskEnv", "make"]


class TaskEnv(spaces.Env):  # type: ignore[misc]
    """One world. Randomness follows from the seed, the world and the episode alone.

    >>> from tactus import env
    >>> one = env.make("cartpole")
    >>> obs, info = one.reset(seed=1)
    >>> obs, reward, terminated, truncated, info = one.step(np.zeros(1))
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, task: str | Task, *, render_mode: str | None = None, **options: Any):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}, expected None or 'rgb_array'")
        self.worlds = VectorEnv(task, 1, autoreset="off", render_mode=render_mode, **options)
        self.render_mode = render_mode
        self.observation_space = self.worlds.single_observation_space
        self.action_space = self.worlds.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """The first observation of an episode; the same for the same seed.

        >>> from tactus import env
        >>> env.make("hopper").reset(seed=2)[0].shape
        (13,)
        """
        obs, info = self.worlds.reset(seed=seed, options=options)
        return obs[0], info

    def step(self, action: npt.ArrayLike) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """obs, reward, terminated, truncated, info

        >>> from tactus import env
        >>> one = env.make("pendulum")
        >>> _ = one.reset(seed=2)
        >>> len(one.step([0.0]))
        5
        """
        obs, reward, terminated, truncated, info = self.worlds.step(np.reshape(np.asarray(action, dtype=np.float64), (1, -1)))
        return obs[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def gradient(self) -> tuple[Array, Array]:
        """The derivative of the last reward by the state before the step (ndx), and by the action (nu).

        >>> from tactus import env
        >>> one = env.make("pendulum")
        >>> _ = one.reset(seed=2), one.step([0.0])
        >>> one.gradient()[0].shape
        (2,)
        """
        gx, ga = self.worlds.gradient()
        return gx[0], ga[0]

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture, with render_mode="rgb_array".

        >>> from tactus import env
        >>> env.make("pendulum").render() is None
        True
        """
        return self.worlds.render()

    def close(self) -> None:
        """Ends the use of the environment.

        >>> from tactus import env
        >>> env.make("pendulum").close()
        """
        self.worlds.close()


def make(task: str, **options: Any) -> TaskEnv:
    """An environment by the name of its task.

    >>> from tactus import env
    >>> env.make("ant", render_mode="rgb_array").render_mode
    'rgb_array'
    """
    if task not in TASKS:
        raise ValueError(f"there is no task {task!r}; tasks: {', '.join(TASKS)}")
    return TaskEnv(task, **options)
