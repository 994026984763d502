"""Numbers beside true numbers: the arithmetic of the truth checks, in plain Python."""

import math


def flat(values):
    """Nested lists -> one flat list of floats."""
    if isinstance(values, (list, tuple)):
        return [x for item in values for x in flat(item)]
    return [float(values)]


def largest(values):
    return max((abs(x) for x in values), default=0.0)


def absolute_error(ours, true):
    """max |ours - true| / max(1, |true|), element by element; inf when the sizes differ or a number is not finite."""
    a, b = flat(ours), flat(true)
    if len(a) != len(b) or not all(map(math.isfinite, a)):
        return math.inf
    return max((abs(x - y) / max(1.0, abs(y)) for x, y in zip(a, b)), default=0.0)


def relative_error(ours, true, floor):
    """max |ours - true| / max(floor, max |true|)."""
    a, b = flat(ours), flat(true)
    if len(a) != len(b) or not all(map(math.isfinite, a)):
        return math.inf
    return max((abs(x - y) for x, y in zip(a, b)), default=0.0) / max(floor, largest(b))


def scaled_matrix_error(ours, true):
    """max |dM_ij| / sqrt(M_ii M_jj): the same for any choice of units; entries on a zero diagonal count absolutely."""
    a, b = ours, true
    n = len(b)
    if len(a) != n or any(len(row) != n for row in a):
        return math.inf
    root = [math.sqrt(b[i][i]) if b[i][i] > 0 else 1.0 for i in range(n)]
    return max((abs(a[i][j] - b[i][j]) / (root[i] * root[j]) for i in range(n) for j in range(n)), default=0.0)


def quaternion_error(ours, true):
    """Distance of two unit quaternions, sign ignored."""
    if len(ours) != 4 or not all(map(math.isfinite, ours)):
        return math.inf
    plus = max(abs(x - y) for x, y in zip(ours, true))
    minus = max(abs(x + y) for x, y in zip(ours, true))
    return min(plus, minus)


def rotation(quat):
    """Unit quaternion (w first) -> rotation matrix."""
    size = math.sqrt(sum(x * x for x in quat)) or 1.0
    w, x, y, z = (c / size for c in quat)
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def transposed(a):
    return [list(column) for column in zip(*a)]


def tensor(quat, diagonal):
    """Principal axes and inertia -> full inertia tensor R diag R^T."""
    axes = rotation(quat)
    middle = [[axes[i][k] * diagonal[k] for k in range(3)] for i in range(3)]
    return product(middle, transposed(axes))


def rotation_from_rpy(roll, pitch, yaw):
    """URDF's fixed-axis roll, pitch, yaw -> rotation matrix Rz Ry Rx."""
    cr, sr, cp, sp, cy, sy = (f(x) for x in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def smallest_pivot(matrix):
    """Smallest pivot of Cholesky relative to the largest diagonal entry; <= 0 when not positive definite."""
    n = len(matrix)
    low = [row[:] for row in matrix]
    scale = max((abs(matrix[i][i]) for i in range(n)), default=1.0) or 1.0
    smallest = math.inf
    for j in range(n):
        pivot = low[j][j] - sum(low[j][k] ** 2 for k in range(j))
        smallest = min(smallest, pivot / scale)
        if pivot <= 0:
            return smallest
        root = math.sqrt(pivot)
        low[j][j] = root
        for i in range(j + 1, n):
            low[i][j] = (low[i][j] - sum(low[i][k] * low[j][k] for k in range(j))) / root
    return smallest
