"""Boxes and environments: gymnasium's classes where it can be imported, otherwise ours with the same members."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Box", "Env"]

try:
    from gymnasium import Env as Env
    from gymnasium.spaces import Box as Box

    HAVE_GYMNASIUM = True
except ImportError:
    HAVE_GYMNASIUM = False

    class Box:  # type: ignore[no-redef]
        """Arrays of one shape between two bounds.

        >>> from tactus import env
        >>> bool(env.Box(-1.0, 1.0, shape=(3,)).contains(np.zeros(3)))
        True
        """

        def __init__(
            self,
            low: npt.ArrayLike,
            high: npt.ArrayLike,
            shape: tuple[int, ...] | None = None,
            dtype: Any = np.float64,
            seed: int | None = None,
        ):
            self.shape = tuple(np.shape(low)) if shape is None else tuple(shape)
            self.dtype = np.dtype(dtype)
            self.low = np.broadcast_to(np.asarray(low, dtype), self.shape).copy()
            self.high = np.broadcast_to(np.asarray(high, dtype), self.shape).copy()
            self.seed(seed)

        def seed(self, seed: int | None = None) -> None:
            """Begins the samples anew."""
            self._random = np.random.default_rng(seed)

        def sample(self) -> npt.NDArray[Any]:
            """A random member: uniform where both bounds are finite, normal elsewhere."""
            bounded = np.isfinite(self.low) & np.isfinite(self.high)
            low, high = np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0)
            uniform = self._random.uniform(low, high)
            normal = np.clip(self._random.standard_normal(self.shape), self.low, self.high)
            return np.where(bounded, uniform, normal).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            """Has x this shape, and is it between the bounds?"""
            if not isinstance(x, np.ndarray) or not np.can_cast(x.dtype, self.dtype, casting="same_kind"):
                return False
            return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

        def __contains__(self, x: Any) -> bool:
            return self.contains(x)

        def __eq__(self, other: object) -> bool:
            same = isinstance(other, Box) and self.shape == other.shape and self.dtype == other.dtype
            return same and bool(np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high))

        def __hash__(self) -> int:
            return hash((self.shape, self.dtype.str))

        def __repr__(self) -> str:
            return f"Box({self.low.min(initial=np.inf)}, {self.high.max(initial=-np.inf)}, {self.shape}, {self.dtype})"

    class Env:  # type: ignore[no-redef]
        """What every environment has.

        >>> from tactus import env
        >>> sorted(env.Env.metadata)
        ['render_fps', 'render_modes']
        """

        metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}
        render_mode: str | None = None
        spec: Any = None
        observation_space: Any
        action_space: Any

        @property
        def unwrapped(self) -> Env:
            """The environment itself."""
            return self

        def close(self) -> None:
            """Ends the use of the environment."""

        def __enter__(self) -> Env:
            return self

        def __exit__(self, *rest: Any) -> bool:
            self.close()
            return False
