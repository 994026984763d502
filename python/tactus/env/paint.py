"""A picture of a robot from the side, without a graphics library: each geom as the shadow of its capsule."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tactus.enums import GeomType

Array = npt.NDArray[np.float64]

WIDTH, HEIGHT = 320, 240
METRES = 4.0  # across the picture
SKY, GROUND = (242, 245, 248), (205, 212, 219)


def _axis(model: Any, geom: int) -> tuple[float, float]:
    """Half the length along z and the radius of a capsule about a geom."""
    size, kind = model.geom_size[geom], model.geom_type[geom]
    if kind in (GeomType.CAPSULE, GeomType.CYLINDER, GeomType.CONE):
        return float(size[1]), float(size[0])
    if kind == GeomType.BOX:
        return float(size[2]) * 0.7, float(max(size[0], size[1]))
    if kind == GeomType.ELLIPSOID:
        return 0.0, float(size.max())
    return 0.0, float(size[0]) if kind == GeomType.SPHERE else 0.05


def _cover(px: Array, pz: Array, ends: Array, radius: float) -> npt.NDArray[np.bool_]:
    """Pixels nearer to a segment than its radius; ends: two rows of x, z."""
    along = ends[1] - ends[0]
    length = float(along @ along)
    t = np.zeros_like(px) if length == 0 else ((px - ends[0, 0]) * along[0] + (pz - ends[0, 1]) * along[1]) / length
    t = np.clip(t, 0, 1)
    dx, dz = px - ends[0, 0] - t * along[0], pz - ends[0, 1] - t * along[1]
    return np.asarray(dx * dx + dz * dz <= radius * radius)


def paint(sim: Any, x: Array) -> npt.NDArray[np.uint8]:
    """State -> (240, 320, 3): the plane of x and z, with the robot in the middle."""
    model, k = sim.model, sim.kinematics(x)
    scale = WIDTH / METRES
    middle = float(k.subtree_com[0, 0])
    column, row = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    px = middle + (column - WIDTH / 2) / scale
    pz = (0.8 * HEIGHT - row) / scale
    picture = np.empty((HEIGHT, WIDTH, 3), dtype=np.uint8)
    picture[:] = SKY
    if (model.geom_type == GeomType.PLANE).any():
        picture[pz < 0] = GROUND
    for g in np.argsort(-k.geom_pos[:, 1], kind="stable"):
        if model.geom_type[g] == GeomType.PLANE:
            continue
        half, radius = _axis(model, int(g))
        axis = k.geom_mat[g][:, 2] * half
        ends = np.array([k.geom_pos[g] - axis, k.geom_pos[g] + axis])[:, [0, 2]]
        picture[_cover(px, pz, ends, max(radius, 1.5 / scale))] = (255 * model.geom_rgba[g, :3]).astype(np.uint8)
    return picture
