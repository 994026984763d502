"""What calls return that is more than one array."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tactus.enums import ImpactKind

Array = npt.NDArray[np.float64]

__all__ = ["Actuation", "ForwardJac", "Impact", "InverseJac", "Kinematics"]


class Kinematics(NamedTuple):
    """Positions and orientations in the world frame, one row an element.

    >>> sim.kinematics(x).site_pos.shape == (model.nsite, 3)
    True
    """

    xpos: Array
    xipos: Array
    xquat: Array
    geom_pos: Array
    geom_mat: Array
    site_pos: Array
    site_mat: Array
    joint_pos: Array
    joint_axis: Array
    subtree_com: Array


class InverseJac(NamedTuple):
    """Inverse dynamics: tau, and its derivatives by q, v, a.

    >>> sim.inverse_dynamics_jac(x, np.zeros(model.nv)).q.shape
    (18, 18)
    """

    tau: Array
    q: Array
    v: Array
    a: Array


class ForwardJac(NamedTuple):
    """Forward dynamics: a, and its derivatives by q, v, tau.

    >>> sim.forward_dynamics_jac(x, np.zeros(model.nv)).q.shape
    (18, 18)
    """

    a: Array
    q: Array
    v: Array
    tau: Array


class Actuation(NamedTuple):
    """Actuators: length, velocity, force, moment (nu, nv), rates of activations, joint forces.

    >>> sim.actuation(x, u).moment.shape == (model.nu, model.nv)
    True
    """

    length: Array
    velocity: Array
    force: Array
    moment: Array
    act_dot: Array
    qfrc: Array


class _Impact(NamedTuple):
    kind: ImpactKind
    time: float
    pairs: list[Any]
    dtime_dq: Array | None
    dtime_dv: Array | None


class Impact(_Impact):
    """The first impact of a motion: kind, time, the pairs that meet, gradients of the time where they are asked for.

    >>> sim.first_impact(x, 1e-3).time
    0.001
    """

    def __new__(cls, kind: int, *rest: Any) -> "Impact":
        return super().__new__(cls, ImpactKind(kind), *rest)
