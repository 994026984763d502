"""Why the deepest of MuJoCo's contacts is not the distance of two geoms: its number from our shapes.

Where a face of one shape and a face or edge of the other lie within 5 degrees, MuJoCo 3.x takes points v of the one and
calls (v - w) . n a contact's distance, with w and n of the other's face; the normal it reports is that of either face.
That is the distance only when n is the direction of the least translation. A contact is explained when its point v lies
on our one surface and its number is v's height over a face of our other: nothing in that is fitted. Most of these are the
pair's nearest touch once more: measured along the normal N of a face at the touching features its distance phi becomes
phi/(N . m), with m the direction of the least translation (docs/guide/mujoco_differences.md).
"""

import math

TOL_HEIGHT = 1e-6  # m: of MuJoCo's number, and of its point from our surface
TOL_JOINED = 1e-8  # m: through a corner, of which there are many
TOL_TOUCHING = 1e-7  # m: corners this near the furthest are of the touching feature
FACE_ANGLE = 6  # degrees: MuJoCo's 5, and what joining faces adds
TOUCH_ANGLE = 10  # degrees: of an edge's faces to the direction of the least translation, where another face is within 5 of the edge
JOINED_ANGLE = math.degrees(0.01)  # MuJoCo makes one face of triangles that are this nearly parallel


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def angle(a, b):
    """Degrees between two unit vectors."""
    return math.degrees(math.acos(max(-1.0, min(1.0, dot(a, b)))))


def height(plane, point):
    return dot(plane[:3], point) - plane[3]


def off_surface(shape, point):
    """How far a point is from a shape's surface, at least; infinite for shapes of which that is not known here."""
    if "planes" in shape:
        return abs(max(height(plane, point) for plane in shape["planes"]))
    if "tube" in shape:
        centre, axis, radius, half = shape["tube"]
        arm = [x - c for x, c in zip(point, centre, strict=True)]
        along = dot(axis, arm)
        return abs(max(math.sqrt(max(0.0, dot(arm, arm) - along * along)) - radius, abs(along) - half))
    return math.inf


def over_face(shape, out, point, dist):
    """-> (error, degrees between the normals): the face of a shape, looking along `out`, over which a point is as high as MuJoCo says."""
    near = [(plane, angle(plane[:3], out)) for plane in shape.get("planes", [])]
    return min(((abs(height(plane, point) - dist), turned) for plane, turned in near if turned <= FACE_ANGLE), default=(math.inf, 0))


def over_joined(shape, out, point, dist):
    """-> error: the same over a plane across MuJoCo's normal through a corner, where that is nearly a face's normal."""
    if not any(angle(plane[:3], out) <= JOINED_ANGLE for plane in shape.get("planes", [])):
        return math.inf
    return min(abs(dot(out, [x - w for x, w in zip(point, corner, strict=True)]) - dist) for corner in shape["corners"])


def sides(contact, geoms):
    """The two readings of a contact: (shape with the face, shape with the point, direction out of the first, point)."""
    for face in (0, 1):
        sign = 1 if contact["geom1"] == geoms[face] else -1
        out = [sign * x for x in contact["normal"]]
        yield face, 1 - face, out, [p + n * contact["dist"] / 2 for p, n in zip(contact["pos"], out, strict=True)]


def reason(contact, geoms, shapes):
    """-> why the contact has its number, or None."""
    for face, other, out, point in sides(contact, geoms):
        if off_surface(shapes[other], point) > TOL_HEIGHT:
            continue
        error, turned = over_face(shapes[face], out, point, contact["dist"])
        if error <= TOL_HEIGHT:
            return f"height over a face at {turned:.2f} degrees to it, to {error:.0e} m"
        error = over_joined(shapes[face], out, point, contact["dist"])
        if error <= TOL_JOINED:
            return f"height over faces that MuJoCo joins into one, to {error:.0e} m"
    return None


def faces_at_touch(shape, out):
    """Normals of the faces that meet at the corners furthest along `out`."""
    if "planes" not in shape:
        return []
    top = max(dot(out, corner) for corner in shape["corners"])
    at = [corner for corner in shape["corners"] if dot(out, corner) >= top - TOL_TOUCHING]
    return [plane[:3] for plane in shape["planes"] if any(abs(height(plane, corner)) <= TOL_JOINED for corner in at)]


def same_touch(dist, ours, normal, shapes):
    """-> degrees between the normals: MuJoCo's number is our touch measured along a face's normal N; or None."""
    for side, shape in enumerate(shapes):
        out = normal if side == 0 else [-x for x in normal]
        for face in faces_at_touch(shape, out):
            if angle(face, out) <= TOUCH_ANGLE and abs(dist - ours / dot(face, out)) <= TOL_HEIGHT:
                return angle(face, out)
    return None


def explain(contacts, geoms, got):
    """MuJoCo's contacts of two geoms, our answer and shapes of the first and the second -> (text, explained?)."""
    deepest = min(contacts, key=lambda contact: contact["dist"])
    sign = 1 if deepest["geom1"] == geoms[0] else -1
    normal, shapes = got["normal"], got["shapes"]
    slanted = angle([sign * x for x in deepest["normal"]], normal)
    turned = same_touch(deepest["dist"], got["dist"], normal, shapes)
    why = reason(deepest, geoms, shapes) if turned is None else f"our touch along the normal of a face at {turned:.2f} degrees to it"
    text = f"{len(contacts)} points along a normal {slanted:.2f} degrees from the least translation's"
    return f"{text}: {why or 'not reproduced'}", why is not None
