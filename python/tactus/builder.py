"""Models made by a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from tactus import _core
from tactus.enums import Kind
from tactus.model import Model

__all__ = ["Builder"]


class Builder(_core.Builder):
    """Collects elements and makes a model of them. Elements are named by id or name; fields are those of the C
    definitions (docs/guide/model_fields.md). Bodies have the mass of their geoms unless mass or inertia is given.

    >>> b = tac.Builder()
    >>> ball = b.body("ball", mass=1.0, inertia=[0.1, 0.1, 0.1], pos=[0, 0, 1])
    >>> joint = b.joint(ball, "free")
    >>> geom = b.geom(ball, "sphere", size=[0.1, 0, 0])
    >>> b.finish()
    <tactus.Model: 2 bodies, 6 dofs, 0 actuators>
    """

    def _id(self, kind: str, element: int | str) -> int:
        if isinstance(element, str):
            return 0 if kind == "body" and element == "world" else self.find(kind, element)
        return element

    def body(self, name: str | None = None, parent: int | str = 0, **fields: Any) -> int:
        """Adds a body; its id.

        >>> tac.Builder().body("a", mass=1.0, inertia=[1, 1, 1])
        1
        """
        if "inertial" not in fields and "fullinertia" in fields:
            fields["inertial"] = "full"
        elif "inertial" not in fields and ("mass" in fields or "inertia" in fields):
            fields["inertial"] = "diag"
        return self._add("body", self._id("body", parent), name=name, **fields)

    def joint(self, body: int | str, type: Any = "hinge", name: str | None = None, **fields: Any) -> int:
        """Adds a joint to a body: "free", "ball", "slide", "hinge".

        >>> b = tac.Builder()
        >>> b.joint(b.body("a"), "hinge", axis=[0, 1, 0])
        0
        """
        return self._add("joint", self._id("body", body), name=name, type=type, **fields)

    def geom(self, body: int | str, type: Any = "sphere", name: str | None = None, **fields: Any) -> int:
        """Adds a geom to a body: "plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "cone".

        >>> tac.Builder().geom("world", "plane", size=[1, 1, 1])
        0
        """
        if "mesh" in fields:
            fields["mesh"] = self._id("mesh", fields["mesh"])
        if "mass" in fields and "has_mass" not in fields:
            fields["has_mass"] = 1
        return self._add("geom", self._id("body", body), name=name, type=type, **fields)

    def site(self, body: int | str, name: str | None = None, **fields: Any) -> int:
        """Adds a site to a body.

        >>> tac.Builder().site("world", "origin")
        0
        """
        return self._add("site", self._id("body", body), name=name, **fields)

    def mesh(self, name: str, **fields: Any) -> int:
        """Adds a mesh: vert (n, 3), face (m, 3), and its hull.

        >>> tac.Builder().count("mesh")
        0
        """
        return self._add("mesh", 0, name=name, **fields)

    def mesh_faces(self, name: str, normal: npt.ArrayLike, offset: npt.ArrayLike, **fields: Any) -> int:
        """Adds a mesh by its faces: normal . y <= offset.

        >>> import numpy as np
        >>> tac.Builder().mesh_faces("cube", np.vstack([np.eye(3), -np.eye(3)]), np.ones(6))
        0
        """
        return self._add_mesh_faces(normal, offset, name=name, **fields)

    def tendon(self, joint: Sequence[int | str], coef: npt.ArrayLike, name: str | None = None, **fields: Any) -> int:
        """Adds a fixed tendon: a sum of joints by coefficients.

        >>> b = tac.Builder()
        >>> j = b.joint(b.body("a"), "hinge")
        >>> b.tendon([j], [2.0])
        0
        """
        joints = [self._id("joint", j) for j in joint]
        return self._add("tendon", 0, name=name, joint=joints, coef=coef, **fields)

    def actuator(self, joint: int | str | None = None, name: str | None = None, **fields: Any) -> int:
        """Adds an actuator on a joint, or by trntype and trnid on something else.

        >>> b = tac.Builder()
        >>> j = b.joint(b.body("a"), "hinge")
        >>> b.actuator(j, gear=[2, 0, 0, 0, 0, 0])
        0
        """
        if joint is not None:
            fields["trnid"] = (self._id("joint", joint), -1)
        return self._add("actuator", 0, name=name, **fields)

    def equality(self, type: Any, first: int | str, second: int | str = -1, name: str | None = None, **fields: Any) -> int:
        """Adds an equality: "connect" and "weld" of bodies, "joint", "tendon".

        >>> b = tac.Builder()
        >>> a = b.body("a")
        >>> b.equality("connect", a, "world", data=[0] * 11)
        0
        """
        objkind = {"joint": "joint", "tendon": "tendon"}.get(str(type).lower(), "body")
        kind = fields.setdefault("objkind", objkind)
        word = Kind(kind).name.lower() if isinstance(kind, int) else kind
        obj = (self._id(word, first), self._id(word, second))
        return self._add("equality", 0, name=name, type=type, obj=obj, **fields)

    def pair(self, geom1: int | str, geom2: int | str, name: str | None = None, **fields: Any) -> int:
        """Adds an explicit contact pair.

        >>> b = tac.Builder()
        >>> b.pair(b.geom("world", "sphere", size=[1, 0, 0]), b.geom(b.body("a"), "sphere", size=[1, 0, 0]))
        0
        """
        geoms = (self._id("geom", geom1), self._id("geom", geom2))
        return self._add("pair", 0, name=name, geom=geoms, **fields)

    def exclude(self, body1: int | str, body2: int | str, name: str | None = None) -> int:
        """Bodies whose geoms do not touch.

        >>> b = tac.Builder()
        >>> b.exclude(b.body("a"), b.body("b"))
        0
        """
        return self._add_exclude(name, self._id("body", body1), self._id("body", body2))

    def key(self, name: str | None = None, **fields: Any) -> int:
        """Adds a keyframe, after all joints, actuators and mocap bodies: time, qpos, qvel, act, ctrl, mpos, mquat.

        >>> b = model.edit()
        >>> b.key("fallen", qpos=model.qpos_0) == model.nkey
        True
        """
        return self._add("key", 0, name=name, **fields)

    def sensor(self, tag: str, name: str | None = None) -> int:
        """Adds a sensor: its name alone.

        >>> tac.Builder().sensor("gyro", "imu")
        0
        """
        return self._add_sensor(tag, name)

    def remove(self, kind: Any, element: int | str) -> None:
        """Removes an element and all that refers to it.

        >>> b = model.edit()
        >>> b.remove("body", "trunk")
        >>> b.count("body")
        1
        """
        word = Kind(kind).name.lower() if isinstance(kind, int) else kind
        self._remove(kind, self._id(word, element))

    def attach(self, model: Model, parent: int | str = 0, **fields: Any) -> None:
        """Attaches a copy of a model to a body: prefix, suffix, pos, quat, body.

        >>> b = tac.Builder()
        >>> b.attach(model, prefix="first_")
        >>> b.finish().nv == model.nv
        True
        """
        if isinstance(fields.get("body"), str):
            fields["body"] = model.find("body", fields["body"])
        self._attach(self._id("body", parent), model, **fields)

    def finish(self) -> Model:
        """The model. The builder stays as it is.

        >>> model.edit().finish().nv
        18
        """
        return self._finish(Model)
