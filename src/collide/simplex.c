/* The point of a simplex nearest to the origin, by signed volumes [Montanari2017]: (G3)-(G6) of docs/theory/collision.md.
 *
 * Barycentric weights are areas about the projection p of the origin, formed from differences of the corners to p, so
 * that a small simplex far from the origin keeps its digits. */
#include "collide/gjk.h"

/* A sub-simplex under trial: which corners, their weights, the point. */
typedef struct Nearest {
    int n, index[3];
    double weight[3];
    tacVec3 v;
    double square; /* |v|^2 */
} Nearest;

static Nearest at_corner(const tacSupport *c, int i) {
    return (Nearest){1, {i, 0, 0}, {1, 0, 0}, c[i].w, tac_dot3(c[i].w, c[i].w)};
}

/* (G3): weights b . (b - a) and -a . (b - a), each relative to |b - a|^2. */
static Nearest on_segment(const tacSupport *c, int i, int j) {
    tacVec3 a = c[i].w, b = c[j].w, e = tac_sub3(b, a);
    double wa = tac_dot3(b, e), wb = -tac_dot3(a, e);
    if (!(wb > 0)) return at_corner(c, i);
    if (!(wa > 0)) return at_corner(c, j);
    /* from the nearer corner, whose coordinates are the smaller part of the error */
    double t = wb / (wa + wb);
    tacVec3 v = t < 0.5 ? tac_madd3(a, t, e) : tac_madd3(b, t - 1, e);
    return (Nearest){2, {i, j, 0}, {1 - t, t, 0}, v, tac_dot3(v, v)};
}

static Nearest nearer(Nearest a, Nearest b) { return b.square < a.square ? b : a; }

/* (G4): p = n (n . a)/|n|^2; weights n . ((b - p) x (c - p)) and cyclic. A negative one sends us to the opposite side;
 * a triangle without area is its sides. */
static Nearest on_triangle(const tacSupport *s, int i, int j, int k) {
    tacVec3 a = s[i].w, b = s[j].w, c = s[k].w, n = tac_cross3(tac_sub3(b, a), tac_sub3(c, a));
    double square = tac_dot3(n, n), wa = -1, wb = -1, wc = -1;
    tacVec3 p = tac_zero3();
    if (square > 0) {
        p = tac_scale3(tac_dot3(n, a) / square, n);
        tacVec3 pa = tac_sub3(a, p), pb = tac_sub3(b, p), pc = tac_sub3(c, p);
        wa = tac_dot3(n, tac_cross3(pb, pc));
        wb = tac_dot3(n, tac_cross3(pc, pa));
        wc = tac_dot3(n, tac_cross3(pa, pb));
    }
    if (wa > 0 && wb > 0 && wc > 0) {
        double sum = wa + wb + wc;
        return (Nearest){3, {i, j, k}, {wa / sum, wb / sum, wc / sum}, p, tac_dot3(p, p)};
    }
    Nearest best = {.square = -1};
    if (!(wa > 0)) best = on_segment(s, j, k);
    if (!(wb > 0)) best = best.square < 0 ? on_segment(s, i, k) : nearer(best, on_segment(s, i, k));
    if (!(wc > 0)) best = best.square < 0 ? on_segment(s, i, j) : nearer(best, on_segment(s, i, j));
    return best;
}

/* Whether the origin lies outside face (i, j, k), seen from the corner l; a flat tetrahedron is outside of itself. */
static int is_outside(const tacSupport *s, int i, int j, int k, int l) {
    tacVec3 a = s[i].w, n = tac_cross3(tac_sub3(s[j].w, a), tac_sub3(s[k].w, a));
    double inner = tac_dot3(n, tac_sub3(s[l].w, a)), origin = -tac_dot3(n, a);
    return inner > 0 ? !(origin > 0) : inner < 0 ? !(origin < 0) : 1;
}

/* (G5): nearest of the faces that the origin is outside of; n = 0 when it is inside of all. */
static Nearest on_tetrahedron(const tacSupport *s) {
    static const int FACE[4][4] = {{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}};
    Nearest best = {.n = 0};
    for (int f = 0; f < 4; f++) {
        if (!is_outside(s, FACE[f][0], FACE[f][1], FACE[f][2], FACE[f][3])) continue;
        Nearest here = on_triangle(s, FACE[f][0], FACE[f][1], FACE[f][2]);
        best = best.n == 0 ? here : nearer(best, here);
    }
    return best;
}

int tac_simplex_nearest(int n, tacSupport *corner, double *weight, tacVec3 *v) {
    Nearest best = n == 1   ? at_corner(corner, 0)
                   : n == 2 ? on_segment(corner, 0, 1)
                   : n == 3 ? on_triangle(corner, 0, 1, 2)
                            : on_tetrahedron(corner);
    *v = best.v;
    if (best.n == 0) return 4;
    for (int i = 0; i < best.n; i++) { /* indices ascend: nothing is overwritten before it is moved */
        if (best.index[i] != i) corner[i] = corner[best.index[i]];
        weight[i] = best.weight[i];
    }
    return best.n;
}
