/* The point of a simplex nearest to the origin, by signed volumes [Montanari2017]: (G3)-(G6) of
 * docs/theory/collision.md.
 *
 * Barycentric weights are areas about the projection p of the origin. They are computed from differences of the corners
 * to p, so that a small simplex far from the origin keeps its digits. */
#include "collide/gjk.h"

/* Squared sine of the angle below which two sides, or a side and a face, are parallel up to rounding. */
#define FLAT_SQUARE 1e-24

/* The nearest point so far: the corners of its sub-simplex, ascending, and their weights. */
typedef struct Part {
    int n, index[3];
    double weight[3];
    tacVec3 v;
    double square; /* |v|^2 */
} Part;

static inline void take_corner(const tacSupport *c, int i, Part *best) {
    double square = tac_dot3(c[i].w, c[i].w);
    if (square < best->square) *best = (Part){1, {i, 0, 0}, {1, 0, 0}, c[i].w, square};
}

/* (G3): weights b . (b - a) and -a . (b - a), each relative to |b - a|^2. */
static inline void take_segment(const tacSupport *c, int i, int j, Part *best) {
    tacVec3 a = c[i].w, b = c[j].w, e = tac_sub3(b, a);
    double wa = tac_dot3(b, e), wb = -tac_dot3(a, e);
    if (!(wb > 0)) {
        take_corner(c, i, best);
        return;
    }
    if (!(wa > 0)) {
        take_corner(c, j, best);
        return;
    }
    /* from the nearer corner, whose error is smaller */
    double t = wb / (wa + wb);
    tacVec3 v = t < 0.5 ? tac_madd3(a, t, e) : tac_madd3(b, t - 1, e);
    double square = tac_dot3(v, v);
    if (square < best->square) *best = (Part){2, {i, j, 0}, {1 - t, t, 0}, v, square};
}

/* (G4): p = n (n . a)/|n|^2 for the normal n = (b - a) x (c - a); weights n . ((b - p) x (c - p)) and cyclic. A
 * negative weight leads to the opposite side. A triangle without area is reduced to its sides. */
static inline void take_triangle(const tacSupport *s, int i, int j, int k, tacVec3 n, Part *best) {
    tacVec3 a = s[i].w, b = s[j].w, c = s[k].w, ab = tac_sub3(b, a), ac = tac_sub3(c, a), p = tac_zero3();
    double square = tac_dot3(n, n), wa = -1, wb = -1, wc = -1;
    if (square > FLAT_SQUARE * tac_dot3(ab, ab) * tac_dot3(ac, ac)) {
        p = tac_scale3(tac_dot3(n, a) / square, n);
        tacVec3 pa = tac_sub3(a, p), pb = tac_sub3(b, p), pc = tac_sub3(c, p);
        wa = tac_dot3(n, tac_cross3(pb, pc));
        wb = tac_dot3(n, tac_cross3(pc, pa));
        wc = tac_dot3(n, tac_cross3(pa, pb));
    }
    if (wa > 0 && wb > 0 && wc > 0) {
        double sum = 1 / (wa + wb + wc), here = tac_dot3(p, p);
        if (here < best->square) *best = (Part){3, {i, j, k}, {wa * sum, wb * sum, wc * sum}, p, here};
        return;
    }
    if (!(wa > 0)) take_segment(s, j, k, best);
    if (!(wb > 0)) take_segment(s, i, k, best);
    if (!(wc > 0)) take_segment(s, i, j, best);
}

static inline tacVec3 triangle_normal(const tacSupport *s, int i, int j, int k) {
    return tac_cross3(tac_sub3(s[j].w, s[i].w), tac_sub3(s[k].w, s[i].w));
}

/* (G5): the nearest of the faces that have the origin on their outer side. The opposite corner is on the inner side. In
 * a flat tetrahedron every face counts. 0: the origin is inside all faces. */
static int take_tetrahedron(const tacSupport *s, Part *best) {
    static const int FACE[4][4] = {{0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}, {0, 1, 2, 3}};
    int outside = 0;
    for (int f = 0; f < 4; f++) {
        int i = FACE[f][0], j = FACE[f][1], k = FACE[f][2];
        tacVec3 n = triangle_normal(s, i, j, k);
        tacVec3 up = tac_sub3(s[FACE[f][3]].w, s[i].w);
        double inner = tac_dot3(n, up), origin = -tac_dot3(n, s[i].w);
        int flat = inner * inner <= FLAT_SQUARE * tac_dot3(n, n) * tac_dot3(up, up);
        if (!flat && (inner > 0) == (origin > 0)) continue;
        outside = 1;
        take_triangle(s, i, j, k, n, best);
    }
    return outside;
}

int tac_simplex_nearest(int n, double bound, tacSupport *corner, double *weight, tacVec3 *v) {
    Part best = {.n = 0, .square = bound};
    if (n == 1) take_corner(corner, 0, &best);
    if (n == 2) take_segment(corner, 0, 1, &best);
    if (n == 3) take_triangle(corner, 0, 1, 2, triangle_normal(corner, 0, 1, 2), &best);
    if (n == 4 && !take_tetrahedron(corner, &best)) {
        *v = tac_zero3();
        return 4;
    }
    if (best.n == 0) return 0;
    *v = best.v;
    for (int i = 0; i < best.n; i++) { /* indices ascend: nothing is overwritten before it is moved */
        if (best.index[i] != i) corner[i] = corner[best.index[i]];
        weight[i] = best.weight[i];
    }
    return best.n;
}
