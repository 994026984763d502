"""Simulations of many worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tactus import _core
from tactus.model import Model

Array = npt.NDArray[np.float64]

__all__ = ["Batch"]


class Batch(_core.Batch):
    """Many worlds of one model, on threads that stay. Arrays have the worlds first.

    Keywords: worlds, threads, chunk, own_params, steps, checkpoints, every option of a Sim, and on_unsolved. The
    interpreter's lock is free while a batch runs, and Ctrl-C ends it.

    >>> tac.Batch(model, 4, threads=2, contact="lcp")
    <tactus.Batch of 4 worlds on 2 threads: contact lcp, dt 0.002, nx 37, ninput 12>
    """

    model: Model

    def state(self, key: str | int | None = None) -> Array:
        """The default state, or that of a keyframe, for every world.

        >>> batch.state().shape
        (4, 37)
        """
        return np.tile(self._sim().state(key), (self.worlds, 1))

    def input(self, key: str | int | None = None) -> Array:
        """The default input, or that of a keyframe, for every world.

        >>> batch.input().shape
        (4, 12)
        """
        return np.tile(self._sim().input(key), (self.worlds, 1))

    def _sim(self) -> Any:
        from tactus.sim import Sim

        return Sim(self.model, **self.options)

    def rollout_vjp(
        self,
        x0: npt.ArrayLike,
        U: npt.ArrayLike,
        Xbar: npt.ArrayLike | None = None,
        X: npt.ArrayLike | None = None,
        xbar: npt.ArrayLike | None = None,
        checkpoints: int = 0,
        *,
        out: tuple[Array, ...] | None = None,
        want: str = "xut",
    ) -> tuple[Array, ...]:
        """Gradients by x0, U, theta of a loss of the states of every world's rollout.

        >>> U = np.zeros((4, 5, sim.ninput))
        >>> gx, gU, gtheta = batch.rollout_vjp(batch.state(), U, xbar=np.ones((4, sim.ndx)))
        >>> gU.shape == U.shape
        True
        """
        steps = np.shape(U)[1] if np.ndim(U) == 3 else 0
        if steps > self.steps or checkpoints > self.checkpoints:
            self.reserve(steps, checkpoints)
        return self._rollout_vjp(x0, U, Xbar, X, xbar, out=out, want=want)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), self.model, self._settings(), self.theta, self.active, self.policy)

    def _settings(self) -> dict[str, Any]:
        words = ("worlds", "threads", "chunk", "own_params", "steps", "checkpoints")
        return {**self.options, **{word: getattr(self, word) for word in words}}

    def __copy__(self) -> Batch:
        return _remade(*self.__reduce__()[1])

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        return self.__copy__()

    def __repr__(self) -> str:
        contact, dt = _core.contact_text(self.options["contact"]), self.options["dt"]
        return (
            f"<tactus.Batch of {self.worlds} worlds on {self.threads} threads: contact {contact}, dt {dt:g}, "
            f"nx {self.nx}, ninput {self.ninput}>"
        )


def _remade(
    kind: type[Batch], model: Model, settings: dict[str, Any], theta: Array, active: list[bool], policy: Any
) -> Batch:
    """What pickled batches and copies are made of."""
    made = kind(model, **settings)
    if model.nparam:
        made.theta = theta
    if not all(active):
        made.active = active
    made.policy = policy
    return made
