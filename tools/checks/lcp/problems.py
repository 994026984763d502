"""Hard contact: the boxed solver on published problems."""

import json
import math

from checks.registry import CannotRun, Failed, Result, check

TOL_RESIDUAL = 1e-10
LEAST_SOLVED = 23
PROBLEMS = 25


def numbers_of(path):
    """W (rows), q, mu of a problem file, read here once more."""
    words = iter(path.read_text(encoding="utf-8").split())

    def take(n):
        return [float(next(words)) for _ in range(n)]

    _, contacts, storage = (int(x) for x in take(3))
    n = 3 * contacts
    take(2)
    rows = [{} for _ in range(n)]
    if storage == 0:
        take(2)
        for j in range(n):
            for i, value in enumerate(take(n)):
                rows[i][j] = value
    else:
        blocks = int(take(3)[0])
        take(2 * contacts)
        starts, columns = (int(x) for x in take(2))
        start, column = [int(x) for x in take(starts)], [int(x) for x in take(columns)]
        for i in range(contacts):
            for k in range(start[i], start[i + 1]):
                values = take(10)[1:]
                for e, value in enumerate(values):
                    rows[3 * i + e % 3][3 * column[k] + e // 3] = value
        assert start[contacts] == blocks, path
    return rows, take(n), take(contacts)


def answers(context, friction, residual_of):
    """Every published problem by `tactus solve` -> [(name, its JSON, residual_of(W, q, mu, reaction))]"""
    paths = sorted((context.shared / "data/contact_problems").glob("*.dat"))
    if len(paths) < PROBLEMS:
        raise CannotRun(f"{len(paths)} of {PROBLEMS} problems under {context.shared} (set TACTUS_SHARED)")
    found = []
    for path in paths:
        done = context.run(context.tactus, "solve", path, "--friction", friction, "--json")
        if done.returncode not in (0, 1):
            raise Failed(f"{path.name}: exit {done.returncode}: {done.stderr.strip()}")
        answer = json.loads(done.stdout)
        found.append((path.name, answer, residual_of(*numbers_of(path), answer["reaction"])))
    return found


def answer_lines(found):
    return [
        f"{name:40} {answer['contacts']:4} contacts {answer['status']:9} {residual:.1e} {answer['iterations']:5} iterations {answer['seconds']:.3f} s"
        for name, answer, residual in found
    ]


def boxed_residual(rows, q, mu, reaction):
    """Norm of r - P(r - W r - q): r_n >= 0, |r_t| <= mu r_n along each tangent."""
    total = 0.0
    for i, r in enumerate(reaction):
        u = q[i] + math.fsum(a * reaction[j] for j, a in rows[i].items())
        limit = mu[i // 3] * max(reaction[i - i % 3], 0)
        allowed = max(r - u, 0) if i % 3 == 0 else min(max(r - u, -limit), limit)
        total += (r - allowed) ** 2
    return math.sqrt(total)


@check(
    "lcp-solve",
    bar="25 published problems in boxed form: residual at most 1e-10 on every one reported solved, at least 23 solved",
    slow=True,
)
def solve(context):
    found = answers(context, "box", boxed_residual)
    solved = [max(residual, answer["residual_abs"]) for _, answer, residual in found if answer["status"] == "solved"]
    worst = max(solved, default=0.0)
    ok = worst <= TOL_RESIDUAL and len(solved) >= LEAST_SOLVED
    return Result(ok, f"{len(solved)} of {len(found)} solved, worst residual {worst:.1e}", answer_lines(found))
