"""Hard contact on friction cones: published problems."""

import math

from checks.lcp.problems import answer_lines, answers
from checks.registry import Result, check

TOL_ALL, TOL_MOST, LEAST_MOST = 1e-8, 1e-12, 22
MAX_SECONDS = 30


def project(mu, z):
    """On the cone |z_t| <= mu z_n."""
    length = math.hypot(z[1], z[2])
    if length <= mu * z[0]:
        return z
    if mu * length <= -z[0]:
        return [0.0, 0.0, 0.0]
    normal = (z[0] + mu * length) / (1 + mu * mu)
    return [normal, mu * normal * z[1] / length, mu * normal * z[2] / length]


def cone_residual(rows, q, mu, reaction):
    """Norm of r - P(r - u - mu |u_t| e_n), u = W r + q, over |q|."""
    total = 0.0
    for c, m in enumerate(mu):
        r = reaction[3 * c : 3 * c + 3]
        u = [math.fsum([q[i], *(a * reaction[j] for j, a in rows[i].items())]) for i in range(3 * c, 3 * c + 3)]
        allowed = project(m, [r[0] - u[0] - m * math.hypot(u[1], u[2]), r[1] - u[1], r[2] - u[2]])
        total += math.dist(r, allowed) ** 2
    return math.sqrt(total) / math.hypot(*q)


@check(
    "ncp-solve",
    bar="25 published problems on friction cones: relative residual 1e-8 on all, 1e-12 on at least 22, in 30 s together",
    slow=True,
)
def solve(context):
    found = answers(context, "cone", cone_residual)
    residuals = [residual for _, _, residual in found]
    most = sum(residual <= TOL_MOST for residual in residuals)
    seconds = sum(answer["seconds"] for _, answer, _ in found)
    return Result(
        max(residuals) <= TOL_ALL and most >= LEAST_MOST and seconds <= MAX_SECONDS,
        f"worst {max(residuals):.1e}, {most} of {len(found)} at most {TOL_MOST:.0e}, {seconds:.1f} s",
        answer_lines(found),
    )
