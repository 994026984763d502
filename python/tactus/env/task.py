"""What a task is: a robot, its start, what it sees, what it is rewarded for, when it ends.

A reward is a sum of terms of the outputs z of the next state and of the action a, smooth so that it has a gradient:

    linear     w z_i              squared   -w (z_i - t)^2
    action    -w |a|^2            alive      w
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

__all__ = ["TASKS", "Task", "Term"]


@dataclass(frozen=True)
class Term:
    """weight times z[index] of an output; squared: minus weight times the square of what is missing to the target.

    >>> from tactus import env
    >>> env.Term("site_pos", "tip", (2,), 1.0).squared
    False
    """

    kind: str
    element: Any
    index: tuple[int, ...]
    weight: float
    squared: bool = False
    target: tuple[float, ...] = ()  # of a squared term; empty: zero
    goal: bool = False  # the target is the goal of the episode


@dataclass(frozen=True)
class Task:
    """A task of one robot.

    >>> from tactus import env
    >>> env.TASKS["hopper"].model
    'hopper.xml'
    """

    model: str
    terms: tuple[Term, ...]
    contact: str = "lcp"
    skip: int = 4  # steps of the model in one step of the environment
    limit: int = 500  # steps after which it is truncated
    key: str | int | None = 0
    alive: float = 0.0
    action_cost: float = 1e-3
    hidden: tuple[int, ...] = ()  # positions that are not observed
    noise: float = 0.01  # of the start, uniform in tangent coordinates
    height: tuple[int, float, float] | None = None  # position index, least, most: outside it ends
    goal: tuple[tuple[float, float], ...] = ()  # ranges of the goal
    dt: float | None = None
    options: dict[str, Any] = field(default_factory=dict)


def _speed(weight: float = 1.0) -> Term:
    """Forward speed of the whole robot."""
    return Term("subtree_velocity", 0, (0,), weight)


UP = (0.0, 0.0, 0.0)
TASKS: dict[str, Task] = {
    "pendulum": Task(
        "pendulum.xml",
        (Term("site_pos", "tip", (2,), 1.0), Term("site_velocity", "tip", (3, 4, 5), 0.01, True)),
        contact="none", skip=10, limit=200, key="home", noise=0.1,
    ),
    "cartpole": Task(
        "cartpole.xml",
        (Term("site_pos", "tip", (2,), 1.0), Term("site_pos", "tip", (0,), 0.1, True)),
        contact="none", skip=4, limit=500, key="upright", height=(0, -2.0, 2.0),
    ),
    "double_cartpole": Task(
        "double_cartpole.xml",
        (Term("site_pos", "tip", (2,), 1.0), Term("site_pos", "tip", (0,), 0.1, True)),
        contact="none", skip=2, limit=500, key="home", height=(0, -2.0, 2.0),
    ),
    "hopper": Task(
        "hopper.xml", (_speed(), Term("body_velocity", "body", (0, 1, 2), 0.01, True)),
        alive=1.0, action_cost=1e-5, hidden=(0, 1), height=(2, 0.25, 3.0), skip=5,
    ),
    "walker": Task(
        "walker.xml", (_speed(),), alive=1.0, hidden=(0,), height=(1, 0.7, 2.0), skip=5, noise=5e-3,
    ),
    "half_cheetah": Task("half_cheetah.xml", (_speed(),), action_cost=0.1, hidden=(0,), skip=5, limit=1000),
    "ant": Task("ant.xml", (_speed(),), alive=1.0, action_cost=0.05, hidden=(0, 1), height=(2, 0.2, 1.5), skip=5, limit=1000),
    "humanoid": Task(
        "humanoid.xml", (_speed(1.25),), alive=5.0, action_cost=0.1, hidden=(0, 1), height=(2, 0.6, 2.0), skip=5,
        limit=1000,
    ),
    "quadruped_walk": Task(
        "quadruped.xml",
        (Term("body_velocity", "trunk", (3, 4), 2.0, True, (0.5, 0.0)), Term("body_velocity", "trunk", (0, 1, 2), 0.05, True)),
        alive=1.0, action_cost=1e-3, hidden=(0, 1), height=(2, 0.12, 0.6), skip=8, limit=500, key="home",
    ),
    "quadrotor_waypoint": Task(
        "quadrotor.xml",
        (Term("site_pos", "imu", (0, 1, 2), 1.0, True, UP, True), Term("body_velocity", "hull", (0, 1, 2), 0.01, True)),
        alive=1.0, action_cost=1e-4, height=(2, 0.05, 5.0), goal=((-1.0, 1.0), (-1.0, 1.0), (0.8, 2.0)), skip=4,
    ),
    "panda_reach": Task(
        "panda.xml", (Term("site_pos", "gripper", (0, 1, 2), 10.0, True, UP, True),),
        goal=((0.3, 0.6), (-0.3, 0.3), (0.2, 0.6)), action_cost=1e-4, skip=10, limit=200, key="home",
    ),
    "push_box": Task(
        "box.xml", (Term("body_pos", "box", (0, 1), 1.0, True, (0.0, 0.0), True),),
        goal=((-1.0, 1.0), (-1.0, 1.0)), action_cost=1e-4, skip=4, limit=200, key="home",
    ),
}  # fmt: skip


class Reward:
    """The reward of a task on arrays of worlds: its value, and its gradient by the outputs and the action.

    >>> from tactus import env
    >>> isinstance(env.make("pendulum").unwrapped, env.Env)
    True
    """

    def __init__(self, task: Task, outputs: Any):
        self.task = task
        ends = np.cumsum([0, *outputs.sizes])
        self.places = [start + np.array(term.index) for start, term in zip(ends, task.terms)]
        self.nz = outputs.nz

    def _target(self, term: Term, goal: Array) -> Array:
        if term.goal:
            return goal[:, : len(term.index)]
        return np.array(term.target or (0.0,) * len(term.index))

    def value(self, z: Array, action: Array, goal: Array) -> Array:
        """(worlds, nz), (worlds, nu), (worlds, ngoal) -> (worlds,)"""
        total = self.task.alive - self.task.action_cost * _square_sum(action)
        for term, place in zip(self.task.terms, self.places):
            part = z[:, place]
            if term.squared:
                total = total - term.weight * _square_sum(part - self._target(term, goal))
            else:
                total = total + term.weight * part[:, 0]
        return np.asarray(total)

    def slope(self, z: Array, action: Array, goal: Array) -> tuple[Array, Array]:
        """The gradient by z and by the action."""
        zbar = np.zeros_like(z)
        for term, place in zip(self.task.terms, self.places):
            if term.squared:
                zbar[:, place] -= 2 * term.weight * (z[:, place] - self._target(term, goal))
            else:
                zbar[:, place] += term.weight
        return zbar, -2 * self.task.action_cost * action


def _square_sum(a: Array) -> Array:
    """Sums of squares of each row, in the order of its entries: the same bits for any number of rows."""
    total = np.zeros(len(a))
    for i in range(a.shape[1]):
        total = total + a[:, i] * a[:, i]
    return total

