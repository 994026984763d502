"""Quantities as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tactus import _core
from tactus.enums import OutputKind
from tactus.model import Model

Array = npt.NDArray[np.float64]

__all__ = ["Outputs"]

# Kinds of two geoms.
PAIRS = {"PAIR_FORCE": 2, "GROWTH": 3}
# Kinds of the whole model.
WHOLE = {"MOMENTUM", "KINETIC", "POTENTIAL"}


def _is_one(kind: str, value: Any) -> bool:
    """Is the value one element, not a list of them?"""
    if kind in PAIRS:
        return isinstance(value, tuple) and not isinstance(value[0], tuple)
    return value is None or isinstance(value, (str, int, np.integer))


def _entry(kind: str, value: Any) -> tuple[Any, ...]:
    if kind in PAIRS:
        return (kind, *value)
    return (kind, 0 if kind in WHOLE else value)


def _entries(of: Iterable[Any], kinds: dict[str, Any]) -> list[tuple[Any, ...]]:
    found = [tuple(entry) for entry in of]
    for word, value in kinds.items():
        kind = word.upper()
        if kind not in OutputKind.__members__:
            raise TypeError(f"there is no output {word!r}; kinds: {', '.join(OutputKind.__members__).lower()}")
        values = [value] if _is_one(kind, value) else list(value)
        found += [_entry(kind, one) for one in values]
    return found


class Outputs(_core.Outputs):
    """Quantities of a model as one vector z = g(x, u; theta), with derivatives.

    Keywords are kinds: site_pos="tip", body_pos=["trunk", 2], joint_axis=None for all, pair_force=("floor", "foot"),
    growth=("a", "b", 1e-3), kinetic=True. The first arguments are entries (kind, id, second id, kappa) in an order of
    their own.

    >>> tac.Outputs(model, body_pos="trunk", kinetic=True)
    <tactus.Outputs: body_pos, kinetic: 4 numbers>
    """

    def __new__(cls, model: Model, *entries: tuple[Any, ...], **kinds: Any) -> Outputs:
        return super().__new__(cls, model, _entries(entries, kinds))  # type: ignore[return-value]

    def value(self, sim: _core.Sim, x: npt.ArrayLike, u: npt.ArrayLike | None = None) -> Array:
        """z at a state and input.

        >>> tac.Outputs(model, kinetic=True).value(sim, x, u)
        array([0.])
        """
        return sim.outputs(self, x, u)

    def jac(
        self, sim: _core.Sim, x: npt.ArrayLike, u: npt.ArrayLike | None = None, *, want: str = "x"
    ) -> tuple[Array, ...]:
        """z, and its derivatives: "x", "u", "t" for theta.

        >>> z, zx = tac.Outputs(model, body_pos="trunk").jac(sim, x, u)
        >>> zx.shape
        (3, 36)
        """
        return sim.outputs_jac(self, x, u, want=want)

    def vjp(
        self,
        sim: _core.Sim,
        x: npt.ArrayLike,
        u: npt.ArrayLike | None,
        zbar: npt.ArrayLike,
        *,
        want: str = "xut",
    ) -> tuple[Array, ...]:
        """The gradient of zbar . z by x, u, theta.

        >>> tac.Outputs(model, kinetic=True).vjp(sim, x, u, [1.0], want="t")[0].shape
        (1,)
        """
        return sim.outputs_vjp(self, x, u, zbar, want=want)

    def split(self, z: Array) -> list[Array]:
        """The parts of z, one for each entry: views.

        >>> [part.shape for part in tac.Outputs(model, body_pos="trunk", kinetic=True).split(np.zeros(4))]
        [(3,), (1,)]
        """
        ends = np.cumsum([0, *self.sizes])
        return [z[..., a:b] for a, b in zip(ends[:-1], ends[1:])]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model, *self.entries)

    def __repr__(self) -> str:
        words = ", ".join(OutputKind(kind).name.lower() for kind, *_ in self.entries)
        return f"<tactus.Outputs: {words}: {self.nz} numbers>"
