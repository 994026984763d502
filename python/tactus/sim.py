"""Simulations of one world."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tactus import _core
from tactus.model import Model

Array = npt.NDArray[np.float64]

__all__ = ["Page", "Ray", "Sim", "State", "page", "write_page"]


class State(NamedTuple):
    """The parts of a state, or of many: views that share its memory.

    >>> sim.split(x).qvel.shape
    (18,)
    """

    qpos: Array
    qvel: Array
    act: Array


class Ray(NamedTuple):
    """What a ray meets first, and with it the derivative of the distance by the positions.

    >>> tac.Ray._fields
    ('ray', 'ddist_dq')
    """

    ray: _core.Ray
    ddist_dq: Array


class Sim(_core.Sim):
    """A model with options, and the workspace of its steps; one thread at a time.

    Keywords: every option (contact, integrator, dt, inputs, ...), and on_unsolved: "raise", "warn" or "accept".

    >>> tac.Sim(model, contact="lcp", dt=0.005)
    <tactus.Sim of 'quadruped': contact lcp, dt 0.005, nx 37, ninput 12>
    """

    model: Model

    def state(self, key: str | int | None = None) -> Array:
        """The default state, or that of a keyframe.

        >>> sim.state(key="home").shape
        (37,)
        """
        return self._start(key)[0]

    def input(self, key: str | int | None = None) -> Array:
        """The default input, or that of a keyframe.

        >>> sim.input().shape
        (12,)
        """
        return self._start(key)[1]

    def split(self, x: Array) -> State:
        """Views of qpos, qvel and act of a state, or of an array whose last dimension is a state's.

        >>> sim.split(x).qpos.base is x
        True
        """
        nq, nv = self.model.nq, self.model.nv
        return State(x[..., :nq], x[..., nq : nq + nv], x[..., nq + nv :])

    def ray(
        self,
        x: npt.ArrayLike,
        from_: npt.ArrayLike,
        along: npt.ArrayLike = (0.0, 0.0, -1.0),
        excluded: int | str | None = None,
        u: npt.ArrayLike | None = None,
    ) -> _core.Ray:
        """The nearest geom on a ray; excluded: a body whose geoms are not looked at.

        >>> sim.ray(x, [0, 0, 10]).dist < 10
        True
        """
        found: _core.Ray = self._ray(x, from_, along, self._excluded(excluded), u)
        return found

    def ray_jac(
        self,
        x: npt.ArrayLike,
        from_: npt.ArrayLike,
        along: npt.ArrayLike = (0.0, 0.0, -1.0),
        excluded: int | str | None = None,
        u: npt.ArrayLike | None = None,
    ) -> Ray:
        """The same, and the derivative of the distance by the positions.

        >>> sim.ray_jac(x, [0, 0, 10]).ddist_dq.shape
        (18,)
        """
        return Ray(*self._ray(x, from_, along, self._excluded(excluded), u, want="q"))

    def _excluded(self, body: int | str | None) -> int:
        """One more than the body, 0 for none."""
        if body is None:
            return 0
        return 1 + (self.model.find("body", body) if isinstance(body, str) else body)

    def step_contacts_jac(
        self, x: npt.ArrayLike, u: npt.ArrayLike | None = None, *, want: str = "xut"
    ) -> tuple[list[_core.ContactForce], tuple[Array, ...]]:
        """The contacts of a step, and derivatives of their forces: three rows a contact.

        >>> contacts, (fx,) = sim.step_contacts_jac(x, u, want="x")
        >>> fx.shape[0] == 3 * len(contacts)
        True
        """
        contacts = self.step_contacts(x, u)
        return contacts, self._step_contacts_jac(x, u, len(contacts), want=want)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), self.model, self.options, self.theta)

    def __copy__(self) -> Sim:
        return _remade(type(self), self.model, self.options, self.theta)

    def __deepcopy__(self, memo: dict[int, Any]) -> Sim:
        return self.__copy__()

    def __repr__(self) -> str:
        o = self.options
        name = f" of '{self.model.name}'" if self.model.name else ""
        contact = _core.contact_text(o["contact"])
        return f"<tactus.Sim{name}: contact {contact}, dt {o['dt']:g}, nx {self.nx}, ninput {self.ninput}>"


def _remade(kind: Any, model: Model, options: dict[str, Any], theta: Array) -> Any:
    """What pickled simulations and copies are made of."""
    made = kind(model, **options)
    if model.nparam:
        made.theta = theta
    return made


class Page:
    """A motion to look at: one HTML text that needs nothing else. Notebooks show it.

    >>> page = tac.page(sim, x[None])
    >>> page.html.lower().startswith("<!doctype html>")
    True
    """

    def __init__(self, html: str):
        self.html = html

    def save(self, path: Any) -> None:
        """Writes the page to a file.

        >>> tac.page(sim, x[None]).save(scratch / "page.html")
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        escaped = self.html.replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{escaped}" width="100%" height="560" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<tactus.Page of {len(self.html)} characters>"


def page(
    sim: Sim,
    X: npt.ArrayLike,
    U: npt.ArrayLike | None = None,
    *,
    time: npt.ArrayLike | None = None,
    title: str | None = None,
    command: str | None = None,
) -> Page:
    """The states X, one a row, as a page; U: their inputs, one for each state or one fewer.

    >>> tac.page(sim, np.tile(x, (3, 1)), title="a quadruped")
    <tactus.Page of ... characters>
    """
    states = np.ascontiguousarray(X, dtype=np.float64)
    inputs = None if U is None else np.asarray(U, dtype=np.float64)
    if inputs is not None and len(inputs) and len(inputs) == len(states) - 1:
        inputs = np.concatenate([inputs, inputs[-1:]])
    text = _core._page(sim, states, inputs, time, title or sim.model.name or None, command)
    return Page(text or "")


def write_page(sim: Sim, X: npt.ArrayLike, path: Any, U: npt.ArrayLike | None = None) -> None:
    """The same as a file, which appears under its name when it is whole.

    >>> tac.write_page(sim, x[None], scratch / "whole.html")
    """
    _core._page(sim, X, U, path=path, title=sim.model.name or None)
