"""Many worlds of one task side by side. All arithmetic is by world, so that a world has the same bits in any number of
them and on any number of threads."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import tactus as tac
from tactus.env.paint import paint
from tactus.env.spaces import Box
from tactus.env.task import TASKS, Reward, Task

Array = npt.NDArray[np.float64]

__all__ = ["VectorEnv", "find_model"]

# Streams of random numbers of one world and episode.
START, GOAL, NUMBERS = range(3)
EPISODES = 1 << 32


def find_model(name: str) -> pathlib.Path:
    """A model of ours by its file name: in TACTUS_MODELS, beside the package, in the source tree, or where it is installed.

    >>> from tactus import env
    >>> env.find_model("ant.xml").name
    'ant.xml'
    """
    here = pathlib.Path(__file__).resolve()
    folders = [here.parents[1] / "models", here.parents[3] / "models", pathlib.Path("/usr/local/share/tactus/models"),
               pathlib.Path("/usr/share/tactus/models")]  # fmt: skip
    if "TACTUS_MODELS" in os.environ:
        folders.insert(0, pathlib.Path(os.environ["TACTUS_MODELS"]))
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no model {name}; set TACTUS_MODELS to the folder of models")


class VectorEnv:
    """Worlds of one task on a Batch.

    autoreset: "same_step": an episode that ends is followed by the start of the next one in the same step, and its last
    observation is in info["final_obs"]; "next_step": the next step resets, without a reward, and ignores its action.
    randomize: {"body/*.mass": (0.8, 1.2)}: factors of numbers of the model, drawn for each world and episode.

    >>> from tactus import env
    >>> worlds = env.VectorEnv("pendulum", 3)
    >>> obs, info = worlds.reset(seed=1)
    >>> obs.shape
    (3, 2)
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}
    spec: Any = None

    def __init__(
        self,
        task: str | Task,
        num_envs: int = 1,
        *,
        threads: int = 1,
        autoreset: str = "same_step",
        randomize: Mapping[str, tuple[float, float]] | None = None,
        render_mode: str | None = None,
        **options: Any,
    ):
        if autoreset not in ("same_step", "next_step", "off"):
            raise ValueError(f"autoreset is {autoreset!r}, expected same_step or next_step")
        self.task = TASKS[task] if isinstance(task, str) else task
        self.num_envs, self.autoreset, self.render_mode = num_envs, autoreset, render_mode
        self.randomize = dict(randomize or {})
        self._open(threads, options)
        self._open_spaces()
        self.seeds = np.zeros(num_envs, dtype=np.uint64)
        self.episode = np.full(num_envs, -1, dtype=np.int64)
        self.elapsed = np.zeros(num_envs, dtype=np.int64)
        self._ended = np.zeros(num_envs, dtype=bool)
        self._seeded = False

    def _open(self, threads: int, options: dict[str, Any]) -> None:
        model = tac.load(find_model(self.task.model))
        for pattern in self.randomize:
            model = model.register(pattern)
        settings = {"contact": self.task.contact, **self.task.options, **options}
        if self.task.dt is not None:
            settings.setdefault("dt", self.task.dt)
        self.model = model
        self.batch = tac.Batch(
            model, self.num_envs, threads=threads, own_params=1 if model.nparam else 0, on_unsolved="accept", **settings
        )
        self.sim = tac.Sim(model, on_unsolved="accept", **settings)
        self.outputs = tac.Outputs(model, *((term.kind, term.element) for term in self.task.terms))
        self.reward = Reward(self.task, self.outputs)
        key = self.task.key if model.nkey else None
        self.start, self.input = self.sim.state(key), self.sim.input(key)
        self.nominal = self.sim.theta
        self._ranges = [self._range_of(paths[0]) for paths in model.registered()]

    def _range_of(self, path: str) -> tuple[float, float]:
        import fnmatch

        for pattern, limits in self.randomize.items():
            if fnmatch.fnmatchcase(path, pattern.replace("[", "[[]")):
                return limits
        return (1.0, 1.0)

    def _open_spaces(self) -> None:
        m, n = self.model, self.num_envs
        seen = [i for i in range(m.nq) if i not in self.task.hidden]
        self._seen = np.array([*seen, *range(m.nq, self.sim.nx)])
        size = len(self._seen) + len(self.task.goal)
        limited = m.actuator_ctrllimited.astype(bool)
        low = np.where(limited, m.actuator_ctrlrange[:, 0], -np.inf)
        high = np.where(limited, m.actuator_ctrlrange[:, 1], np.inf)
        self.single_observation_space = Box(-np.inf, np.inf, shape=(size,), dtype=np.float64)
        self.single_action_space = Box(low, high, dtype=np.float64)
        self.observation_space = Box(-np.inf, np.inf, shape=(n, size), dtype=np.float64)
        self.action_space = Box(np.tile(low, (n, 1)), np.tile(high, (n, 1)), dtype=np.float64)
        self.x = np.tile(self.start, (n, 1))
        self.goal = np.zeros((n, len(self.task.goal)))

    # --- Episodes -------------------------------------------------------------------------------------------------

    def _draw(self, world: int, what: int, n: int) -> Array:
        """n uniform numbers of this world and episode; no state."""
        stream = int(self.episode[world]) * NUMBERS + what
        return np.asarray(tac.random_uniform(int(self.seeds[world]), stream, 0, n))

    def _begin(self, world: int) -> None:
        """The next episode of a world."""
        self.episode[world] += 1
        self.elapsed[world] = 0
        m = self.model
        spread = self.task.noise * (2 * self._draw(world, START, 2 * m.nv + m.nparam) - 1)
        q = m.qpos_add(self.start[: m.nq], spread[: m.nv])
        v = self.start[m.nq : m.nq + m.nv] + spread[m.nv : 2 * m.nv]
        self.x[world] = np.concatenate([q, v, self.start[m.nq + m.nv :]])
        draws = self._draw(world, GOAL, len(self.task.goal) + m.nparam)
        for i, (low, high) in enumerate(self.task.goal):
            self.goal[world, i] = low + (high - low) * draws[i]
        if m.nparam:
            theta = self.batch.theta
            factors = draws[len(self.task.goal) :]
            theta[world] = [t * (low + (high - low) * f) for t, (low, high), f in zip(self.nominal, self._ranges, factors)]
            self.batch.theta = theta

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """The first observations. seed: of world i it is seed + i; without one, episodes go on from where they were.
        options: {"x": states} to start from.

        >>> from tactus import env
        >>> worlds = env.VectorEnv("pendulum", 2)
        >>> bool((worlds.reset(seed=3)[0] == worlds.reset(seed=3)[0]).all())
        True
        """
        if seed is None and not self._seeded:
            seed = int(np.random.default_rng().integers(1 << 62))
        if seed is not None:
            seeds = seed if isinstance(seed, (list, tuple, np.ndarray)) else [seed + i for i in range(self.num_envs)]
            self.seeds = np.array([int(s) % (1 << 64) for s in seeds], dtype=np.uint64)
            self.episode[:] = -1
            self._seeded = True
        for world in range(self.num_envs):
            self._begin(world)
        self._ended[:] = False
        if options and "x" in options:
            self.x[:] = options["x"]
        return self.observation(), {}

    def observation(self) -> Array:
        """What is seen now: positions, velocities, activations, and the goal.

        >>> from tactus import env
        >>> env.VectorEnv("push_box", 2).observation().shape
        (2, 15)
        """
        return np.concatenate([self.x[:, self._seen], self.goal], axis=1)

    # --- Steps ----------------------------------------------------------------------------------------------------

    def _controls(self, action: npt.ArrayLike) -> tuple[Array, Array]:
        """The action inside its range, and the inputs of all steps of the model."""
        a = np.array(action, dtype=np.float64).reshape(self.num_envs, self.model.nu)
        a = np.clip(a, self.single_action_space.low, self.single_action_space.high)
        u = np.tile(self.input, (self.num_envs, 1))
        u[:, : self.model.nu] = a
        return a, np.repeat(u[:, None], self.task.skip, axis=1)

    def _outputs(self, x: Array, u: Array) -> Array:
        """Outputs of all worlds, each with its own theta."""
        if self.model.nparam == 0:
            return self.sim._outputs_rows(self.outputs, x, u)
        return self.batch.outputs(self.outputs, x, u)

    def step(self, action: npt.ArrayLike) -> tuple[Array, Array, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """obs, reward, terminated, truncated, info

        >>> from tactus import env
        >>> worlds = env.VectorEnv("pendulum", 2)
        >>> _ = worlds.reset(seed=1)
        >>> obs, reward, terminated, truncated, info = worlds.step(np.zeros((2, 1)))
        >>> reward.shape
        (2,)
        """
        if self.autoreset == "next_step" and self._ended.any():
            return self._step_after_end(action)
        self.last = (self.x.copy(), *self._controls(action))
        terminated = self._advance(self.last[2])
        z = self._outputs(self.x, self.last[2][:, -1])
        reward = self.reward.value(z, self.last[1], self.goal)
        self.elapsed += 1
        truncated = (self.elapsed >= self.task.limit) & ~terminated
        info: dict[str, Any] = {}
        self._ended = terminated | truncated
        if self.autoreset == "same_step" and self._ended.any():
            info["final_obs"], info["_final_obs"] = self.observation(), self._ended.copy()
            for world in np.flatnonzero(self._ended):
                self._begin(int(world))
            self._ended = np.zeros(self.num_envs, dtype=bool)
        return self.observation(), reward, terminated, truncated, info

    def _advance(self, U: Array) -> npt.NDArray[np.bool_]:
        """Takes the steps; worlds that cannot go on keep their state and have ended."""
        failed = np.zeros(self.num_envs, dtype=bool)
        try:
            X = self.batch.rollout(self.x, U)
        except tac.Error as error:
            X = error.result
            solved = (tac.Status.OK, tac.Status.UNSOLVED, tac.Status.IMPACTS)
            failed = np.array([status not in solved for status in self.batch.status])
        self.path = X
        self.x = np.where(failed[:, None], self.x, X[:, -1])
        return failed | self._outside()

    def _outside(self) -> npt.NDArray[np.bool_]:
        if self.task.height is None:
            return np.zeros(self.num_envs, dtype=bool)
        index, least, most = self.task.height
        return (self.x[:, index] < least) | (self.x[:, index] > most)

    def _step_after_end(self, action: npt.ArrayLike) -> Any:
        """Worlds that ended begin their next episode; the others step."""
        begins = self._ended.copy()
        self.batch.active = ~begins
        before = self.x.copy()
        try:
            self.autoreset = "off"
            obs, reward, terminated, truncated, info = self.step(action)
        finally:
            self.autoreset = "next_step"
            self.batch.active = None
        for world in np.flatnonzero(begins):
            self.x[world] = before[world]
            self._begin(int(world))
        reward[begins], terminated[begins], truncated[begins] = 0.0, False, False
        self._ended = terminated | truncated
        return self.observation(), reward, terminated, truncated, info

    def gradient(self) -> tuple[Array, Array]:
        """Of the last step: the derivative of the rewards by the state before it (worlds, ndx), and by the action.

        >>> from tactus import env
        >>> worlds = env.VectorEnv("pendulum", 2)
        >>> _ = worlds.reset(seed=1), worlds.step(np.ones((2, 1)))
        >>> worlds.gradient()[1].shape
        (2, 1)
        """
        x, action, U = self.last
        y = self.path[:, -1]
        zbar, abar = self.reward.slope(self._outputs(y, U[:, -1]), action, self.goal)
        ybar, ubar = np.zeros((self.num_envs, self.sim.ndx)), np.zeros((self.num_envs, self.sim.ninput))
        theta = self.batch.theta
        for i in range(self.num_envs):
            if self.model.nparam:
                self.sim.theta = theta[i]
            ybar[i], ubar[i] = self.sim.outputs_vjp(self.outputs, y[i], U[i, -1], zbar[i], want="xu")
        gx, gU = self.batch.rollout_vjp(x, U, xbar=ybar, X=self.path, want="xu")
        return gx, abar + (gU.sum(axis=1) + ubar)[:, : self.model.nu]

    # --- Pictures -------------------------------------------------------------------------------------------------

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the first world, with render_mode="rgb_array".

        >>> from tactus import env
        >>> env.VectorEnv("pendulum", render_mode="rgb_array").render().shape
        (240, 320, 3)
        """
        return paint(self.sim, self.x[0]) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Ends the use of the worlds.

        >>> from tactus import env
        >>> env.VectorEnv("pendulum").close()
        """
