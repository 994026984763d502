"""Why the deepest of MuJoCo's contacts is not the distance of two geoms: its number from our shapes.

Where a face of one shape and a face or edge of the other lie within 5 degrees, MuJoCo 3.x takes points v of the one and
calls (v - w) . n a contact's distance, with w and n of the other's face; the normal it reports is that of either face.
That is the distance only when n is the direction of the least translation. A contact is explained when its point v lies
on our one surface and its number is v's height over a face of our other: nothing in that is fitted.
"""

import math

TOL_HEIGHT = 1e-6  # m: of MuJoCo's number, and of its point from our surface
TOL_JOINED = 1e-8  # m: through a corner, of which there are many
FACE_ANGLE = 6  # degrees: MuJoCo's 5, and what joining faces adds
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


def explain(contacts, geoms, normal, shapes):
    """MuJoCo's contacts of two geoms, our normal from the first to the second -> (text, explained?)."""
    deepest = min(contacts, key=lambda contact: contact["dist"])
    sign = 1 if deepest["geom1"] == geoms[0] else -1
    slanted = angle([sign * x for x in deepest["normal"]], normal)
    why = reason(deepest, geoms, shapes)
    text = f"{len(contacts)} points along a normal {slanted:.2f} degrees from the least translation's"
    return f"{text}: {why or 'not reproduced'}", why is not None
