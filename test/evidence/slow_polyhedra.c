/* Polyhedra by enumeration: every pair of features when apart, every candidate direction when overlapping. */
#include "slow_distance.h"

#include <math.h>

/* --- Hulls -------------------------------------------------------------------------------------------------------- */

static int add_edge(Polyhedron *p, int i, int j) {
    for (int e = 0; e < p->nedge; e++)
        if ((p->edge[e][0] == i && p->edge[e][1] == j) || (p->edge[e][0] == j && p->edge[e][1] == i)) return 1;
    if (p->nedge == SLOW_MOST_EDGES) return 0;
    p->edge[p->nedge][0] = i, p->edge[p->nedge++][1] = j;
    return 1;
}

static int add_face(Polyhedron *p, int i, int j, int k, tacVec3 n) {
    if (p->nface == SLOW_MOST_FACES) return 0;
    p->normal[p->nface] = tac_scale3(1 / tac_norm3(n), n);
    int *f = p->face[p->nface++];
    f[0] = i, f[1] = j, f[2] = k;
    return add_edge(p, i, j) && add_edge(p, j, k) && add_edge(p, k, i);
}

/* +1: all other points are behind the plane of i, j, k (counter-clockwise); -1: all before it; 0: neither. */
static int side_of_all(int n, const tacVec3 *x, const int t[3], tacVec3 normal) {
    int before = 0, behind = 0;
    for (int m = 0; m < n && !(before && behind); m++) {
        if (m == t[0] || m == t[1] || m == t[2]) continue;
        if (tac_dot3(normal, tac_sub3(x[m], x[t[0]])) > 0)
            before = 1;
        else
            behind = 1;
    }
    return before == behind ? 0 : behind - before;
}

int slow_hull(int n, const tacVec3 *x, Polyhedron *out) {
    *out = (Polyhedron){.nvert = n};
    if (n < 4 || n > SLOW_MOST_VERTICES) return 0;
    for (int i = 0; i < n; i++)
        out->vert[i] = x[i];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++) {
                tacVec3 normal = tac_cross3(tac_sub3(x[j], x[i]), tac_sub3(x[k], x[i]));
                int side = side_of_all(n, x, (int[]){i, j, k}, normal);
                if (side > 0 && !add_face(out, i, j, k, normal)) return 0;
                if (side < 0 && !add_face(out, i, k, j, tac_neg3(normal))) return 0;
            }
    return out->nface >= 4;
}

/* Corners by bits, as signs on x, y, z; a face's two triangles share the diagonal, which is no edge of the box but does
 * no harm: it lies in the surface. */
static void fill_box(tacVec3 r, Polyhedron *out) {
    out->nvert = 8;
    for (int i = 0; i < 8; i++)
        out->vert[i] = tac_vec3(i & 1 ? r.x : -r.x, i & 2 ? r.y : -r.y, i & 4 ? r.z : -r.z);
    for (int k = 0; k < 3; k++)
        for (int up = 0; up < 2; up++) {
            int a = up << k, b = 1 << (k + 2 - up) % 3, c = 1 << (k + 1 + up) % 3; /* counter-clockwise from outside */
            tacVec3 n = tac_vec3(k == 0, k == 1, k == 2);
            n = up ? n : tac_neg3(n);
            add_face(out, a, a | b, a | b | c, n);
            add_face(out, a, a | b | c, a | c, n);
        }
}

int slow_core(const tacShape *s, Polyhedron *out) {
    *out = (Polyhedron){.nvert = 1, .pad = s->size.x};
    switch (s->type) {
    case TAC_GEOM_SPHERE:
        return 1;
    case TAC_GEOM_CAPSULE:
        out->nvert = 2;
        out->vert[0] = tac_vec3(0, 0, -s->size.y), out->vert[1] = tac_vec3(0, 0, s->size.y);
        return add_edge(out, 0, 1);
    case TAC_GEOM_BOX:
        out->pad = 0;
        fill_box(s->size, out);
        return 1;
    default:
        return 0;
    }
}

/* The same in the world. */
static void place(const Polyhedron *p, const tacPose *pose, tacVec3 about, Polyhedron *out) {
    *out = *p;
    for (int i = 0; i < p->nvert; i++)
        out->vert[i] = tac_sub3(tac_pose_point(pose, p->vert[i]), about);
    for (int i = 0; i < p->nface; i++)
        out->normal[i] = tac_mulmv3(pose->R, p->normal[i]);
}

/* --- Overlap: directions in which the difference of the two can have a face --------------------------------------- */

static double extreme(const Polyhedron *p, tacVec3 n, double sign) {
    double far = -HUGE_VAL;
    for (int i = 0; i < p->nvert; i++)
        far = fmax(far, sign * tac_dot3(n, p->vert[i]));
    return far;
}

static double gap_along(const Polyhedron *a, const Polyhedron *b, tacVec3 n) {
    return -extreme(a, n, 1) - extreme(b, n, -1);
}

static double best_direction(const Polyhedron *a, const Polyhedron *b) {
    double best = -HUGE_VAL;
    for (int i = 0; i < a->nface; i++)
        best = fmax(best, gap_along(a, b, a->normal[i]));
    for (int i = 0; i < b->nface; i++)
        best = fmax(best, gap_along(a, b, tac_neg3(b->normal[i])));
    for (int i = 0; i < a->nedge; i++)
        for (int j = 0; j < b->nedge; j++) {
            tacVec3 e = tac_sub3(a->vert[a->edge[i][1]], a->vert[a->edge[i][0]]);
            tacVec3 f = tac_sub3(b->vert[b->edge[j][1]], b->vert[b->edge[j][0]]), n = tac_cross3(e, f);
            double len = tac_norm3(n);
            if (len <= 1e-10 * tac_norm3(e) * tac_norm3(f)) continue;
            n = tac_scale3(1 / len, n);
            best = fmax(best, fmax(gap_along(a, b, n), gap_along(a, b, tac_neg3(n))));
        }
    return best;
}

/* --- Apart: nearest features -------------------------------------------------------------------------------------- */

static double clamp01(double t) { return fmin(1, fmax(0, t)); }

/* Of x to the segment p + t e. */
static double point_segment(tacVec3 x, tacVec3 p, tacVec3 e) {
    double ee = tac_dot3(e, e), t = ee > 0 ? clamp01(tac_dot3(tac_sub3(x, p), e) / ee) : 0;
    return tac_norm3(tac_sub3(x, tac_madd3(p, t, e)));
}

/* Ends against segments, and the inner points of both where the lines are nearest. */
static double segment_segment(tacVec3 p, tacVec3 e, tacVec3 q, tacVec3 f) {
    double best = fmin(point_segment(p, q, f), point_segment(tac_add3(p, e), q, f));
    best = fmin(best, fmin(point_segment(q, p, e), point_segment(tac_add3(q, f), p, e)));
    tacVec3 n = tac_cross3(e, f), d = tac_sub3(q, p);
    double nn = tac_dot3(n, n);
    if (nn <= 0) return best;
    double t = tac_dot3(tac_cross3(d, f), n) / nn; /* n of nearly parallel edges is not across them to rounding */
    return t > 0 && t < 1 ? fmin(best, point_segment(tac_madd3(p, t, e), q, f)) : best;
}

/* Of x to the inside of a triangle, before it; HUGE_VAL elsewhere. */
static double point_face(tacVec3 x, const Polyhedron *p, int f) {
    tacVec3 n = p->normal[f];
    double height = tac_dot3(n, tac_sub3(x, p->vert[p->face[f][0]]));
    if (height < 0) return HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        tacVec3 a = p->vert[p->face[f][k]], b = p->vert[p->face[f][(k + 1) % 3]];
        if (tac_dot3(tac_cross3(n, tac_sub3(b, a)), tac_sub3(x, a)) < 0) return HUGE_VAL;
    }
    return height;
}

static double nearest_faces(const Polyhedron *a, const Polyhedron *b) {
    double best = HUGE_VAL;
    for (int i = 0; i < a->nvert; i++)
        for (int f = 0; f < b->nface; f++)
            best = fmin(best, point_face(a->vert[i], b, f));
    return best;
}

/* Edge i; a point alone is an edge of no length. */
static void edge_of(const Polyhedron *p, int i, tacVec3 *start, tacVec3 *along) {
    *start = p->vert[p->nedge ? p->edge[i][0] : 0];
    *along = p->nedge ? tac_sub3(p->vert[p->edge[i][1]], *start) : tac_zero3();
}

static double nearest_features(const Polyhedron *a, const Polyhedron *b) {
    double best = fmin(nearest_faces(a, b), nearest_faces(b, a));
    for (int i = 0; i < (a->nedge ? a->nedge : 1); i++)
        for (int j = 0; j < (b->nedge ? b->nedge : 1); j++) {
            tacVec3 p, e, q, f;
            edge_of(a, i, &p, &e), edge_of(b, j, &q, &f);
            best = fmin(best, segment_segment(p, e, q, f));
        }
    return best;
}

double slow_polyhedra(const Polyhedron *a, const tacPose *A, const Polyhedron *b, const tacPose *B) {
    Polyhedron wa, wb;
    place(a, A, A->p, &wa), place(b, B, A->p, &wb);
    double inside = a->nface + b->nface > 0 ? best_direction(&wa, &wb) : 0;
    double dist = inside < 0 ? inside : nearest_features(&wa, &wb);
    return dist - a->pad - b->pad;
}

/* --- Where a point is --------------------------------------------------------------------------------------------- */

/* Of (x, y) to a box of half-sizes (rx, ry): negative inside. */
static double outside_box(double x, double rx, double y, double ry) {
    double dx = fabs(x) - rx, dy = fabs(y) - ry;
    return dx > 0 && dy > 0 ? hypot(dx, dy) : fmax(dx, dy);
}

double slow_outside(const Solid *s, const Polyhedron *hull, tacVec3 x_world) {
    tacVec3 x = tac_pose_local(&s->pose, x_world), r = s->shape->size;
    double flat = hypot(x.x, x.y), far = -HUGE_VAL;
    switch (s->shape->type) {
    case TAC_GEOM_PLANE:
        return x.z;
    case TAC_GEOM_SPHERE:
        return tac_norm3(x) - r.x;
    case TAC_GEOM_CAPSULE:
        return hypot(flat, fmax(0, fabs(x.z) - r.y)) - r.x;
    case TAC_GEOM_CYLINDER:
        return outside_box(flat, r.x, x.z, r.y);
    case TAC_GEOM_BOX:
        return fmax(outside_box(x.x, r.x, x.y, r.y), fabs(x.z) - r.z);
    case TAC_GEOM_CONE: /* base, and side with the normal (2 half-height, radius) */
        return fmax(-r.y - x.z, (2 * r.y * flat + r.x * (x.z - r.y)) / hypot(2 * r.y, r.x));
    case TAC_GEOM_ELLIPSOID: { /* F/|grad F| of F = |x/r|^2 - 1, to first order the distance */
        tacVec3 k = tac_vec3(x.x / r.x, x.y / r.y, x.z / r.z), g = tac_vec3(k.x / r.x, k.y / r.y, k.z / r.z);
        return (tac_dot3(k, k) - 1) / (2 * tac_norm3(g));
    }
    default:
        break;
    }
    for (int f = 0; f < hull->nface; f++)
        far = fmax(far, tac_dot3(hull->normal[f], tac_sub3(x, hull->vert[hull->face[f][0]])));
    return far;
}
