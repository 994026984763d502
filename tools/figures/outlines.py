"""Convex shapes as lines of an SVG: what an orthographic camera sees of them, front and back.

Curves are exact: circles and ellipses in space are ellipses on the page, drawn by SVG's arcs.
"""

import math
from dataclasses import dataclass, field

# --- Vectors -------------------------------------------------------------------------------------------------------


def add(a, b):
    return tuple(x + y for x, y in zip(a, b, strict=True))


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b, strict=True))


def scaled(a, s):
    return tuple(x * s for x in a)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return scaled(a, 1 / math.sqrt(dot(a, a)))


def quat_mul(a, b):
    v = add(add(scaled(b[1:], a[0]), scaled(a[1:], b[0])), cross(a[1:], b[1:]))
    return (a[0] * b[0] - dot(a[1:], b[1:]), *v)


def turn(axis, degrees):
    """Quaternion of a rotation about a unit axis."""
    half = math.radians(degrees) / 2
    return (math.cos(half), *scaled(axis, math.sin(half)))


def rotated(q, v):
    return quat_mul(quat_mul(q, (0.0, *v)), (q[0], *scaled(q[1:], -1)))[1:]


# --- The page ------------------------------------------------------------------------------------------------------


class Camera:
    """Orthographic, z up: point in space -> point on the page, y downwards."""

    def __init__(self, azimuth, elevation):
        a, e = math.radians(azimuth), math.radians(elevation)
        self.right = (-math.sin(a), math.cos(a), 0.0)
        self.towards = (math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e))  # the viewer
        self.up = cross(self.towards, self.right)

    def flat(self, v):
        return (dot(self.right, v), -dot(self.up, v))


@dataclass
class Outline:
    """Paths are lists of commands ("M", x, y), ("L", x, y), ("A", rx, ry, degrees, sweep, x, y), ("Z",)."""

    fills: list = field(default_factory=list)  # (path, brightness 0..1 or None: the shape's gradient)
    front: list = field(default_factory=list)
    back: list = field(default_factory=list)
    border: list = field(default_factory=list)

    def points(self):
        return [command[-2:] for path, _ in self.fills for command in path if len(command) > 2]


def polygon(corners):
    return [("M", *corners[0]), *(("L", *corner) for corner in corners[1:]), ("Z",)]


def axes_of(a, b):
    """Conjugate half-diameters a, b of an ellipse on the page -> its half-axes and the angle of the first, degrees."""
    angle = math.atan2(2 * dot(a, b), dot(a, a) - dot(b, b)) / 2
    first = add(scaled(a, math.cos(angle)), scaled(b, math.sin(angle)))
    second = add(scaled(b, math.cos(angle)), scaled(a, -math.sin(angle)))
    return math.hypot(*first), math.hypot(*second), math.degrees(math.atan2(first[1], first[0]))


@dataclass
class Loop:
    """x(t) = centre + a cos t + b sin t, on the page."""

    centre: tuple
    a: tuple
    b: tuple

    def at(self, t):
        return add(self.centre, add(scaled(self.a, math.cos(t)), scaled(self.b, math.sin(t))))

    def arc(self, start, end, go_to="M"):
        """From t = start to t = end in pieces of at most a quarter, so that no flag is in doubt."""
        rx, ry, degrees = axes_of(self.a, self.b)
        sweep = int((self.a[0] * self.b[1] - self.a[1] * self.b[0] > 0) == (end > start))
        pieces = max(1, math.ceil(abs(end - start) / (math.pi / 2) - 1e-9))
        path = [(go_to, *self.at(start))]
        for k in range(1, pieces + 1):
            path.append(("A", rx, ry, degrees, sweep, *self.at(start + (end - start) * k / pieces)))
        return path

    def whole(self):
        return [*self.arc(0, 2 * math.pi), ("Z",)]


def halves(loop, c, s):
    """Where c cos t + s sin t > 0, as a path in front, and the other half behind."""
    middle, quarter = math.atan2(s, c), math.pi / 2
    return loop.arc(middle - quarter, middle + quarter), loop.arc(middle + quarter, middle + 3 * quarter)


# --- Shapes --------------------------------------------------------------------------------------------------------


@dataclass
class Solid:
    """A shape of Tactus where it stands. size as in src/collide/shape.h; corners and faces: of polyhedra."""

    kind: str
    size: tuple
    pos: tuple = (0.0, 0.0, 0.0)
    quat: tuple = (1.0, 0.0, 0.0, 0.0)
    corners: list = field(default_factory=list)
    faces: list = field(default_factory=list)

    def axis(self, k):
        return rotated(self.quat, tuple(float(i == k) for i in range(3)))

    def at(self, local):
        return add(self.pos, rotated(self.quat, local))


def ring(camera, solid, height, radius):
    """The circle about the shape's z axis at a height, with the parts of its outward direction towards the viewer."""
    x, y = solid.axis(0), solid.axis(1)
    loop = Loop(camera.flat(solid.at((0, 0, height))), camera.flat(scaled(x, radius)), camera.flat(scaled(y, radius)))
    return loop, dot(x, camera.towards), dot(y, camera.towards)


def put(outline, parts):
    front, back = parts
    outline.front.append(front)
    outline.back.append(back)


def ellipsoid(camera, solid):
    """Silhouette: with E = (radii along the axes), support of the page's direction d is E E^T d / |E^T d|."""
    radii = solid.size if solid.kind == "ellipsoid" else (solid.size[0],) * 3
    columns = [scaled(solid.axis(k), radii[k]) for k in range(3)]
    gram = [[sum(dot(p, c) * dot(q, c) for c in columns) for q in (camera.right, camera.up)] for p in (camera.right, camera.up)]
    angle = math.atan2(2 * gram[0][1], gram[0][0] - gram[1][1]) / 2
    c, s = math.cos(angle), math.sin(angle)
    half = [math.sqrt(gram[0][0] * x * x + 2 * gram[0][1] * x * y + gram[1][1] * y * y) for x, y in ((c, s), (-s, c))]
    silhouette = Loop(camera.flat(solid.pos), (c * half[0], -s * half[0]), (-s * half[1], -c * half[1]))
    out = Outline(fills=[(silhouette.whole(), None)], border=[silhouette.whole()])
    for i, j in ((0, 1), (0, 2)) if solid.kind == "sphere" else ((0, 1), (1, 2), (0, 2)):
        loop = Loop(silhouette.centre, camera.flat(columns[i]), camera.flat(columns[j]))
        put(out, halves(loop, dot(columns[i], camera.towards) / radii[i] ** 2, dot(columns[j], camera.towards) / radii[j] ** 2))
    return out


def capsule(camera, solid):
    radius, half = solid.size[:2]
    ends = [camera.flat(solid.at((0, 0, s * half))) for s in (-1, 1)]
    along = sub(ends[1], ends[0])
    angle = math.atan2(along[1], along[0])
    caps = [Loop(end, (radius, 0), (0, radius)) for end in ends]
    path = caps[1].arc(angle - math.pi / 2, angle + math.pi / 2) + caps[0].arc(angle + math.pi / 2, angle + 1.5 * math.pi, "L") + [("Z",)]
    out = Outline(fills=[(path, None)], border=[path])
    for height in (-half, half):
        put(out, halves(*ring(camera, solid, height, radius)))
    return out


def tangent_angles(loop, point):
    """The two t at which the tangent of a loop passes through a point outside: c cos t + s sin t = 1."""
    d = sub(point, loop.centre)
    area = loop.a[0] * loop.b[1] - loop.a[1] * loop.b[0]
    c, s = (d[0] * loop.b[1] - d[1] * loop.b[0]) / area, (loop.a[0] * d[1] - loop.a[1] * d[0]) / area
    size = math.hypot(c, s)
    return None if size <= 1 else (math.atan2(s, c) - math.acos(1 / size), math.atan2(s, c) + math.acos(1 / size))


def cylinder(camera, solid):
    radius, half = solid.size[:2]
    facing = 1 if dot(solid.axis(2), camera.towards) > 0 else -1
    near, c, s = ring(camera, solid, facing * half, radius)
    far, _, _ = ring(camera, solid, -facing * half, radius)
    middle = math.atan2(s, c)  # the side is seen from middle - 90 to middle + 90 degrees
    low, high = middle - math.pi / 2, middle + math.pi / 2
    path = near.arc(high, low + 2 * math.pi) + far.arc(low, high, "L") + [("Z",)]
    out = Outline(fills=[(path, None)], border=[path], front=[near.arc(low, high)], back=[far.arc(high, low + 2 * math.pi)])
    return out


def cone(camera, solid):
    radius, half = solid.size[:2]
    apex = camera.flat(solid.at((0, 0, half)))
    rim, _, _ = ring(camera, solid, -half, radius)
    tangents = tangent_angles(rim, apex)
    if tangents is None:  # seen along its axis
        return Outline(fills=[(rim.whole(), None)], border=[rim.whole()])
    low, high = tangents
    path = [*rim.arc(high, low + 2 * math.pi), ("L", *apex), ("Z",)]
    out = Outline(fills=[(path, None)], border=[path])
    base_seen = dot(solid.axis(2), camera.towards) < 0
    (out.front if base_seen else out.back).append(rim.arc(low, high))
    return out


def polyhedron(camera, solid):
    light = unit(add(add(scaled(camera.towards, 0.5), scaled(camera.right, -0.4)), (0, 0, 1)))
    corners = [solid.at(corner) for corner in solid.corners]
    out, seen = Outline(), {}
    for face in solid.faces:
        a, b, c = (corners[i] for i in face[:3])
        normal = unit(cross(sub(b, a), sub(c, a)))
        visible = dot(normal, camera.towards) > 0
        if visible:
            out.fills.append((polygon([camera.flat(corners[i]) for i in face]), 0.5 + 0.5 * dot(normal, light)))
        for i, j in zip(face, face[1:] + face[:1], strict=True):
            key = (min(i, j), max(i, j))
            seen[key] = seen.get(key, 0) + visible
    for (i, j), count in seen.items():
        line = [("M", *camera.flat(corners[i])), ("L", *camera.flat(corners[j]))]
        (out.back, out.border, out.front)[count].append(line)
    return out


def plane(camera, solid):
    """A square piece of it: size is that piece's half-sizes."""
    corners = [solid.at((x * solid.size[0], y * solid.size[1], 0)) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    path = polygon([camera.flat(corner) for corner in corners])
    return Outline(fills=[(path, 0.8)], border=[path])


DRAWN_BY = {
    "plane": plane, "sphere": ellipsoid, "capsule": capsule, "ellipsoid": ellipsoid,
    "cylinder": cylinder, "box": polyhedron, "mesh": polyhedron, "cone": cone,
}  # fmt: skip


def outline(camera, solid):
    return DRAWN_BY[solid.kind](camera, solid)
