"""Models: loading, parameters by path, pickling, tables."""

from __future__ import annotations

import fnmatch
import html
import re
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from tactus import _core
from tactus.enums import Kind, Status
from tactus.errors import ArgumentError, ModelError, UnsupportedError, make

if TYPE_CHECKING:
    from tactus.builder import Builder

__all__ = ["Model", "chain", "load"]


def _translate(pattern: str) -> re.Pattern[str]:
    """A pattern of * and ?, in which brackets are themselves."""
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]")))


class Model(_core.Model):
    """What the world is. A model never changes: with_values and register make another one.

    Every row of the field table is a read-only array that shares the model's memory: model.body_mass.

    >>> model
    <tactus.Model 'quadruped': 14 bodies, 18 dofs, 12 actuators, 1 parameter>
    """

    def __getitem__(self, path: str) -> float:
        return self.get(path)

    def paths(self, pattern: str = "*") -> list[str]:
        """Paths of settable numbers that match a pattern of * and ?.

        >>> model.paths("body/trunk.mass")
        ['body/trunk.mass']
        """
        if not isinstance(pattern, str):
            raise TypeError("pattern must be a str")
        matches = _translate(pattern).match
        return [path for path in self._paths() if matches(path)]

    def register(self, *patterns: str | tuple[str, ...]) -> Model:
        """A model with parameters: one for each path, for each match of a pattern, and for each tuple of paths together.

        A pattern leaves out numbers that have no derivative.

        >>> model.register("joint/*knee*.damping").nparam
        5
        """
        made: Model = self
        for entry in patterns:
            if isinstance(entry, str) and ("*" in entry or "?" in entry):
                made = made._register_pattern(entry)
            else:
                made = made._register([entry])
        return made

    def _register_pattern(self, pattern: str) -> Model:
        found = self.paths(pattern) or self._unlisted(pattern)
        if not found:
            raise make(Status.NAME, Kind.NONE, -1, f"no parameter matches {pattern!r}")
        made, refused = self, None
        for path in found:
            try:
                made = made._register([path])
            except (ArgumentError, ModelError, UnsupportedError) as error:
                refused = error
        if made is self and refused is not None:
            raise refused
        return made

    def _unlisted(self, pattern: str) -> list[str]:
        """Masses and inertias that come from geoms: no list has them, but registering fixes them at the body."""
        matches, fields = _translate(pattern).match, ("mass", "ipos", "iquat", "inertia")
        width = {"mass": 1, "ipos": 3, "iquat": 4, "inertia": 3}
        found = []
        for body in range(1, self.nbody):
            name = self.element_name("body", body) or f"#{body}"
            for word in fields:
                parts = [""] if width[word] == 1 else [f"[{i}]" for i in range(width[word])]
                found += [f"body/{name}.{word}{part}" for part in parts]
        return [path for path in found if matches(path)]

    def edit(self) -> Builder:
        """A builder that holds the model's elements.

        >>> model.edit().finish() == model.with_values({})
        False
        >>> model.edit().finish().nbody == model.nbody
        True
        """
        from tactus.builder import Builder

        return Builder(self)

    def names(self, kind: Any) -> list[str]:
        """The names of all elements of a kind, "" for those without.

        >>> model.names("key")[:1]
        ['home']
        """
        return [self.element_name(kind, i) for i in range(self.count(kind))]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self.digest() == other.digest() and self.pack() == other.pack()

    def __hash__(self) -> int:
        return hash(self.digest())

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (type(self), self.pack())

    def __copy__(self) -> Model:
        return self  # it never changes

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Model:
        return self

    def __repr__(self) -> str:
        params = f", {self.nparam} parameter{'s' if self.nparam != 1 else ''}" if self.nparam else ""
        name = f" '{self.name}'" if self.name else ""
        return f"<tactus.Model{name}: {self.nbody} bodies, {self.nv} dofs, {self.nu} actuators{params}>"

    def _repr_html_(self) -> str:
        rows = [("bodies", self.nbody), ("joints", self.njnt), ("dofs", self.nv), ("geoms", self.ngeom), ("sites", self.nsite),
                ("actuators", self.nu), ("equalities", self.neq), ("keyframes", self.nkey), ("parameters", self.nparam)]  # fmt: skip
        cells = "".join(f"<tr><th>{word}</th><td>{number}</td></tr>" for word, number in rows)
        return f"<table><caption>{html.escape(self.name or 'model')}</caption>{cells}</table>"


def _unpacked(kind: type[Model], data: bytes) -> Model:
    """What pickled models are made of."""
    return kind.unpack(data)


def load(path: str | PathLike[str], **options: Any) -> Model:
    """A model from a file: MJCF, URDF or packed. Keywords: lenient, base, actuate_joints, allow_outside, package_dirs,
    max_bytes.

    >>> tac.load(models / "cartpole.xml").nv
    2
    """
    return _core._load(Model, path, **options)


def chain(**fields: Any) -> Model:
    """A chain or tree of equal links: bodies, branching, joint, free_root.

    >>> tac.chain(bodies=5).nv
    5
    """
    return _core._chain_model(Model, **fields)
