"""`tactus solve` reads a dense matrix column by column, as the format stores it."""

import math
import unittest

from driver import SHARED, Case

TOL_RESIDUAL = 1e-10
ROVERS = 10

# A sliding contact whose friction lifts its normal: the order decides the answer.  W is not symmetric.
W = [[2.0, 0.5, 0.0], [-0.25, 1.0, 0.0], [0.0, 0.0, 1.0]]
Q = [-1.0, 4.0, 0.0]
MU = 0.5


def file_text(columns, q, mu):
    rows = [[3], [1], [0], [3, 3], [3, 3], *columns, q, [mu]]
    return "\n".join(" ".join(map(str, row)) for row in rows) + "\n"


def read_dense(path):
    """-> W (rows), q, mu"""
    numbers = [float(x) for x in path.read_text(encoding="utf-8").split()]
    n, contacts = int(numbers[3]), int(numbers[1])
    body = numbers[7:]
    rows = [[body[j * n + i] for j in range(n)] for i in range(n)]
    return rows, body[n * n : n * n + n], body[n * n + n : n * n + n + contacts]


def natural_map(rows, q, mu, r):
    """|r - P(r - u - mu |u_t| e_n)| over all contacts, u = W r + q."""
    u = [q[i] + math.fsum(a * b for a, b in zip(row, r, strict=True)) for i, row in enumerate(rows)]
    squares = []
    for c, m in enumerate(mu):
        (rn, rx, ry), (un, ux, uy) = r[3 * c : 3 * c + 3], u[3 * c : 3 * c + 3]
        z = [rn - un - m * math.hypot(ux, uy), rx - ux, ry - uy]
        length = math.hypot(z[1], z[2])
        if length > m * z[0]:
            normal = max((z[0] + m * length) / (1 + m * m), 0)
            z = [normal] + [m * normal * x / length if length > 0 else 0 for x in z[1:]]
        squares += [(a - b) ** 2 for a, b in zip((rn, rx, ry), z, strict=True)]
    return math.sqrt(math.fsum(squares))


class SolveByColumns(Case):
    def test_the_order_shows(self):
        """The contact slides along +x: r_x = -mu r_n, 0 = W_nn r_n + W_nx r_x + q_n."""
        path = self.file("order.dat", file_text(zip(*W), Q, MU))
        answer = self.fine("solve", path, "--json").json()
        normal = -Q[0] / (W[0][0] - MU * W[0][1])
        self.close(answer["reaction"], [normal, -MU * normal, 0], 1e-12)
        slip = Q[1] + W[1][0] * normal - W[1][1] * MU * normal
        self.close(answer["velocity"], [0, slip, 0], 1e-12)
        self.assertLess(natural_map(W, Q, [MU], answer["reaction"]), TOL_RESIDUAL)
        transposed = self.fine("solve", self.file("rows.dat", file_text(W, Q, MU)), "--json").json()
        self.assertGreater(natural_map(W, Q, [MU], transposed["reaction"]), 1e-2)

    def test_a_block_has_the_same_order(self):
        dense = self.fine("solve", self.file("d.dat", file_text(zip(*W), Q, MU)), "--json").json()
        block = [x for column in zip(*W) for x in column]
        rows = [[3], [1], [1], [3, 3], [1, 1, 1], [3], [3], [2, 1], [0, 1], [0], [0], block, Q, [MU]]
        text = "\n".join(" ".join(map(str, row)) for row in rows) + "\n"
        blocks = self.fine("solve", self.file("b.dat", text), "--json").json()
        self.assertEqual(dense["reaction"], blocks["reaction"])

    def test_rovers(self):
        """The published files that are not symmetric, judged here on the matrix of their columns."""
        paths = sorted((SHARED / "data/contact_problems").glob("Rover*.dat"))
        if len(paths) < ROVERS:
            self.skipTest("no shared problems")
        for path in paths:
            answer = self.fine("solve", path, "--json").json()
            residual = natural_map(*read_dense(path), answer["reaction"])
            self.assertLess(residual, TOL_RESIDUAL, path.name)
            self.assertLess(abs(residual - answer["residual_abs"]), 1e-13, path.name)


if __name__ == "__main__":
    unittest.main()
