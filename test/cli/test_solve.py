"""Contact problems: answers judged by their conditions, and files that are wrong."""

import math
import unittest

from driver import SHARED, Case

# Two masses on the floor, the second pushed sideways beyond its friction.
W = [[2 if i == j else 0 for j in range(6)] for i in range(6)]
Q = [-1, 0.1, 0, -1, 3, -0.2]
MU = [0.5, 0.4]
TOL_CONDITIONS = 1e-10


def words(*lists):
    return "\n".join(" ".join(str(x) for x in row) for row in lists) + "\n"


def dense(matrix=None, q=None, mu=None):
    """The file's text: W column by column."""
    matrix, q, mu = matrix or W, q or Q, mu or MU
    return words([3], [len(mu)], [0], [len(q)] * 2, [len(q)] * 2, *zip(*matrix), q, mu)


def blocks():
    """The same in blocks: two on the diagonal."""
    block = [2, 0, 0, 0, 2, 0, 0, 0, 2]
    places = [[2, 2, 2], [3, 6], [3, 6], [3, 2], [0, 1, 2], [0, 1]]
    return words([3], [2], [1], [6, 6], *places, [0], block, [1], block, Q, MU, [0])


def boxed(mu, r, u):
    """Projection on the box of r - u."""
    limit = mu * r[0]
    return [max(r[0] - u[0], 0)] + [min(max(r[i] - u[i], -limit), limit) for i in (1, 2)]


def coned(mu, r, u):
    """Projection on Coulomb's cone of r - u - mu |u_t| e_n."""
    z = [r[0] - u[0] - mu * math.hypot(u[1], u[2]), r[1] - u[1], r[2] - u[2]]
    length = math.hypot(z[1], z[2])
    if length <= mu * z[0]:
        return z
    if mu * length <= -z[0]:
        return [0, 0, 0]
    normal = (z[0] + mu * length) / (1 + mu * mu)
    return [normal, mu * normal * z[1] / length, mu * normal * z[2] / length]


def residual(matrix, q, mu, reaction, project=coned):
    """The natural map, computed once more."""
    u = [q[i] + math.fsum(a * b for a, b in zip(row, reaction, strict=True)) for i, row in enumerate(matrix)]
    allowed = [x for c, m in enumerate(mu) for x in project(m, reaction[3 * c : 3 * c + 3], u[3 * c : 3 * c + 3])]
    return math.dist(reaction, allowed)


class Solve(Case):
    def near(self, found, true, delta):
        for a, b in zip(found, true, strict=True):
            self.assertAlmostEqual(a, b, delta=delta)

    def test_two_blocks(self):
        """The first sticks; the second slides with its friction against the slip, as long as the cone is wide."""
        answer = self.fine("solve", self.file("p.dat", dense()), "--json").json()
        self.assertEqual(answer["contacts"], 2)
        self.assertEqual(answer["status"], "solved")
        along = [x / math.hypot(*Q[4:]) for x in Q[4:]]
        self.near(answer["reaction"], [0.5, -0.05, 0, 0.5, -0.2 * along[0], -0.2 * along[1]], 1e-14)
        self.near(answer["velocity"], [0, 0, 0, 0, Q[4] - 0.4 * along[0], Q[5] - 0.4 * along[1]], 1e-14)
        self.assertLess(answer["residual_abs"], TOL_CONDITIONS)
        self.assertAlmostEqual(
            answer["residual_rel"] * math.hypot(*Q), answer["residual_abs"], delta=1e-12 * (1 + answer["residual_abs"])
        )

    def test_two_blocks_boxed(self):
        answer = self.fine("solve", self.file("p.dat", dense()), "--json", "--friction", "box").json()
        self.near(answer["reaction"], [0.5, -0.05, 0, 0.5, -0.2, 0.1], 1e-14)
        self.assertAlmostEqual(answer["velocity"][4], 2.6, delta=1e-14)
        self.assertLess(residual(W, Q, MU, answer["reaction"], boxed), TOL_CONDITIONS)

    def test_blocks_and_standard_input_are_the_same(self):
        first = self.fine("solve", self.file("p.dat", dense()), "--json", "--friction", "cone").json()
        second = self.fine("solve", self.file("b.dat", blocks()), "--json").json()
        third = self.fine("solve", "-", "--json", input=dense()).json()
        self.assertEqual(first["reaction"], second["reaction"])
        self.assertEqual(first["reaction"], third["reaction"])

    def test_redundant_contacts(self):
        """One mass held by the same contact twice: W is singular."""
        matrix = [[(2 + (i == j)) / 3 if i % 3 == j % 3 == 1 else float(i % 3 == j % 3) for j in range(6)] for i in range(6)]
        q, mu = [-1, 0.3, -2, -1, 0.3, -2], [0.6, 0.6]
        for form, project in (("box", boxed), ("cone", coned)):
            answer = self.fine("solve", self.file("p.dat", dense(matrix, q, mu)), "--json", "--friction", form).json()
            self.assertLess(residual(matrix, q, mu, answer["reaction"], project), TOL_CONDITIONS)
            self.assertLess(abs(residual(matrix, q, mu, answer["reaction"], project) - answer["residual_abs"]), 1e-14)

    def test_no_answer(self):
        """The same contact twice with two different ideas of the normal velocity, and no way to have both."""
        matrix = [[float(i == j) for j in range(3)] for i in range(3)]
        matrix[0] = [1, 0, 5]  # friction lifts the normal off, or presses it in, five times what it is
        matrix[2] = [-5, 0, 1]
        for form, project in (("box", boxed), ("cone", coned)):
            file = self.file("p.dat", dense(matrix, [-1, 0, 3], [1]))
            done = self.run_tactus("solve", file, "--json", "--friction", form)
            answer = done.json()
            self.assertEqual(done.code, 0 if answer["status"] == "solved" else 1)
            if answer["status"] == "solved":
                self.assertLess(residual(matrix, [-1, 0, 3], [1], answer["reaction"], project), TOL_CONDITIONS)
            self.assertTrue(all(math.isfinite(x) for x in answer["reaction"]))

    def test_text(self):
        self.assertIn("2 contacts, solved", self.fine("solve", self.file("p.dat", dense())).out)

    def test_what_is_not_finite_is_not_printed(self):
        """Reactions of 1e200: squares of them overflow."""
        path = self.file("p.dat", dense([[float(i == j) for j in range(3)] for i in range(3)], ["-1e200", 0, 0], [0.5]))
        for words in ((), ("--json",)):
            result = self.refused("residual_abs is not finite: nothing is printed", "solve", path, *words, code=1)
            self.assertEqual(result.out, "")

    def test_bad_files(self):
        good = dense()
        self.refused("No such file", "solve", self.folder / "none.dat")
        self.refused("Is a directory", "solve", self.folder)
        self.refused("p.dat:1: the file ends, expected dimension", "solve", self.file("p.dat", ""))
        self.refused('p.dat:1: "2", expected dimension', "solve", self.file("p.dat", "2" + good[1:]))
        self.refused("contacts: a whole number from 1", "solve", self.file("p.dat", "3\n-1\n0\n"))
        self.refused("contacts: a whole number from 1", "solve", self.file("p.dat", "3\n1e9\n0\n"))
        self.refused("rows of W", "solve", self.file("p.dat", "3\n2\n0\n5 5\n"))
        spoilt = good.replace("\n2 0 0 0 0 0\n", "\nnan 0 0 0 0 0\n")
        self.refused('p.dat:6: "nan", expected a number of W', "solve", self.file("p.dat", spoilt))
        self.refused("a friction coefficient that is not negative", "solve", self.file("p.dat", dense(mu=[0.5, -1])))
        self.refused("expected the end of the file", "solve", self.file("p.dat", good + "7\n"))
        self.refused("expected row start", "solve", self.file("p.dat", blocks().replace("0 1 2\n", "0 9 2\n")))
        self.refused("column of a block", "solve", self.file("p.dat", blocks().replace("\n0 1\n", "\n0 2\n")))
        above = "expected a number above 0: the diagonal of W, row"
        zero = self.file("z.dat", dense([[0.0] * 6] * 6))
        self.refused(f'z.dat:6: "0.0", {above} 0, contact 0', "solve", zero)
        spoilt = good.replace("\n0 0 0 0 2 0\n", "\n0 0 0 0 -2 0\n")
        self.refused(f'p.dat:10: "-2", {above} 4, contact 1', "solve", self.file("p.dat", spoilt))
        spoilt = blocks().replace("\n1\n2 0 0 0 2 0 0 0 2\n", "\n1\n2 0 0 0 2 0 0 0 0\n")
        self.refused(f'"0", {above} 5, contact 1', "solve", self.file("p.dat", spoilt))
        spoilt = blocks().replace("\n0 1\n", "\n0 0\n")
        self.refused("p.dat: contact 1 has no block on the diagonal of W", "solve", self.file("p.dat", spoilt))
        for cut in range(0, len(good) - 4, 7):
            self.refused("p.dat:", "solve", self.file("p.dat", good[:cut].rstrip() + " "))

    def test_wrong_arguments(self):
        path = self.file("p.dat", dense())
        self.refused("box", "solve", path, "--friction", "round")
        self.refused("FILE", "solve")

    def test_shared_problems(self):
        """The small ones of the shared collection, their residuals recomputed here."""
        paths = [p for p in sorted((SHARED / "data/contact_problems").glob("*.dat")) if p.stat().st_size < 10000]
        for path in paths:
            for form in ("box", "cone"):
                answer = self.fine("solve", path, "--json", "--friction", form).json()
                self.assertLess(answer["residual_abs"], TOL_CONDITIONS, path.name)
        print(f"{len(paths)} shared problems")


if __name__ == "__main__":
    unittest.main()
