/* Box against box, by separating axes.
 *
 * Fifteen directions suffice: the face normals of both boxes and the cross products of their edges. These are the face
 * normals of the Minkowski difference B - A. Along a unit direction u the separation of the boxes is
 *
 *   s(u) = |t . u| - sum_i a_i |u_i| - sum_j b_j |u . B_j|                                                      (P2)
 *
 * in A's frame (t: from A's centre to B's; a, b half-sizes; B_j the axes of B). s(u) is a lower bound of the signed
 * distance for every u, even for one that is slightly wrong. So nearly parallel edges need no special case. Where the
 * largest of the fifteen is negative, it is the signed distance: the least translation is along a face normal of the
 * difference. Where it is positive, the distance is that of a corner of one box from the other, or of two edges whose
 * common normal is one of the nine cross products. */
#include "collide/clip.h"
#include "collide/closed_form.h"
#include "collide/manifold.h"
#include "collide/pairs.h"

/* Sine of the angle below which two edges are parallel. Their common normal would add less than rounding. */
#define EDGES_PARALLEL 1e-14
/* Sine of the angle below which the quotient of (P4) loses digits. (P2) along the unit vector does not. */
#define QUOTIENT_ACCURATE 1e-3

/* Boxes are apart when their separation exceeds this many ties. Below it, a corner within a tie of all sides of the
 * other box is the nearest. */
#define APART_TIES 2

/* Two boxes in A's frame. */
typedef struct Boxes {
    const tacShape *shape[2];
    const tacPose *pose[2];
    tacMat3 C; /* columns: axes of B */
    tacVec3 t; /* centre of B */
    double half[2][3];
    double tie; /* m: smaller differences are ties */
} Boxes;

/* One of the fifteen directions. */
typedef struct Axis {
    int kind;  /* 0, 1: face of A, B; 2: edges */
    int i, j;  /* indices of the axes of A and B */
    tacVec3 u; /* unit, from A to B, A's frame */
    double s;
} Axis;

/* The best axis and the best of the others. */
typedef struct Search {
    Axis best;
    double second;
} Search;

static tacVec3 column(const tacMat3 *M, int j) { return tac_vec3(M->m[j], M->m[3 + j], M->m[6 + j]); }

static tacVec3 unit_axis(int k, double sign) {
    return tac_vec3(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0);
}

static void begin(Boxes *x, const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B) {
    x->shape[0] = a;
    x->shape[1] = b;
    x->pose[0] = A;
    x->pose[1] = B;
    x->C = tac_mulmm3(tac_transpose3(A->R), B->R);
    x->t = tac_pose_local(A, B->p);
    tac_store3(x->half[0], a->size);
    tac_store3(x->half[1], b->size);
    x->tie = TAC_FEATURE_TIE * (tac_norm3(a->size) + tac_norm3(b->size));
}

/* --- Fifteen directions ------------------------------------------------------------------------------------------- */

/* (P2), with u oriented from A to B. */
static Axis measure(const Boxes *x, int kind, int i, int j, tacVec3 u) {
    tacVec3 v = tac_mulmtv3(x->C, u);
    const double *a = x->half[0], *b = x->half[1];
    double along = tac_dot3(x->t, u);
    double s = tac_abs(along) - (a[0] * tac_abs(u.x) + a[1] * tac_abs(u.y) + a[2] * tac_abs(u.z)) -
               (b[0] * tac_abs(v.x) + b[1] * tac_abs(v.y) + b[2] * tac_abs(v.z));
    return (Axis){kind, i, j, along < 0 ? tac_neg3(u) : u, s};
}

/* Unit vector across edge i of A and edge j of B. Zero: they are parallel. */
static tacVec3 across_edges(const Boxes *x, int i, int j) {
    tacVec3 u = tac_cross3(unit_axis(i, 1), column(&x->C, j));
    double sine = tac_norm3(u);
    return sine > EDGES_PARALLEL ? tac_scale3(1 / sine, u) : tac_zero3();
}

/* Keeps the best direction. Faces come before edges, and A's before B's. A later direction must be better by more than
 * a tie, or rounding would decide between equals. Returns 0 where the separation is at least `reach`. */
static int consider(const Boxes *x, int kind, int i, int j, double s, double reach, Search *found) {
    if (s > found->best.s + x->tie) {
        found->second = found->best.s;
        found->best.kind = kind;
        found->best.i = i;
        found->best.j = j;
        found->best.s = s;
    } else {
        found->second = tac_max(found->second, s);
    }
    return s < reach;
}

/* (P2) along the axes of A, u = e_i, and of B, u = B_j; c: |C|. */
static int search_faces(const Boxes *x, const double c[9], double reach, Search *found) {
    const double *a = x->half[0], *b = x->half[1], t[3] = {x->t.x, x->t.y, x->t.z};
    for (int i = 0; i < 3; i++) {
        double s = tac_abs(t[i]) - a[i] - (b[0] * c[3 * i] + b[1] * c[3 * i + 1] + b[2] * c[3 * i + 2]);
        if (!consider(x, 0, i, 0, s, reach, found)) return 0;
    }
    for (int j = 0; j < 3; j++) {
        double along = tac_abs(tac_dot3(x->t, column(&x->C, j)));
        if (!consider(x, 1, 0, j, along - b[j] - (a[0] * c[j] + a[1] * c[3 + j] + a[2] * c[6 + j]), reach, found))
            return 0;
    }
    return 1;
}

/* (P2) along u = e_i x B_j/|.|, whose components in either frame are entries of C: with i, k, l and j, m, n cyclic
 *   s = (|t_l C_kj - t_k C_lj| - a_k |C_lj| - a_l |C_kj| - b_m |C_in| - b_n |C_im|)/sqrt(C_kj^2 + C_lj^2) (P4) */
static double edge_separation(const Boxes *x, const double c[9], int i, int j) {
    static const int NEXT[3] = {1, 2, 0}, LAST[3] = {2, 0, 1};
    const double *a = x->half[0], *b = x->half[1], *C = x->C.m, t[3] = {x->t.x, x->t.y, x->t.z};
    int k = NEXT[i], l = LAST[i], m = NEXT[j], n = LAST[j], kj = 3 * k + j, lj = 3 * l + j;
    double square = C[kj] * C[kj] + C[lj] * C[lj];
    if (!(square > QUOTIENT_ACCURATE * QUOTIENT_ACCURATE)) {
        tacVec3 u = across_edges(x, i, j);
        return u.x == 0 && u.y == 0 && u.z == 0 ? -TAC_INFINITY : measure(x, 2, i, j, u).s;
    }
    double along = tac_abs(t[l] * C[kj] - t[k] * C[lj]);
    return (along - (a[k] * c[lj] + a[l] * c[kj]) - (b[m] * c[3 * i + n] + b[n] * c[3 * i + m])) / tac_sqrt(square);
}

static int search_axes(const Boxes *x, double reach, Search *found) {
    double c[9];
    for (int k = 0; k < 9; k++)
        c[k] = tac_abs(x->C.m[k]);
    found->best = (Axis){.s = -TAC_INFINITY};
    found->second = -TAC_INFINITY;
    if (!search_faces(x, c, reach, found)) return 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!consider(x, 2, i, j, edge_separation(x, c, i, j), reach, found)) return 0;
    Axis *best = &found->best;
    tacVec3 u = best->kind == 0   ? unit_axis(best->i, 1)
                : best->kind == 1 ? column(&x->C, best->j)
                                  : across_edges(x, best->i, best->j);
    *best = measure(x, best->kind, best->i, best->j, u);
    return best->s < reach;
}

/* --- Touches ------------------------------------------------------------------------------------------------------ */

/* Points in A's frame and the unit normal u -> a NEAREST touch without its margin. */
static tacTouch nearest_touch(const Boxes *x, tacVec3 x0, tacVec3 u, double dist, const tacFeature feature[2]) {
    tacTouch t = tac_touch_between(tac_pose_point(x->pose[0], x0), tac_mulmv3(x->pose[0]->R, u), dist, 0, 0);
    t.feature[0] = feature[0];
    t.feature[1] = feature[1];
    return t;
}

static void set_margin(const Boxes *x, tacTouch *t) {
    t->margin = tac_touch_margin(x->shape[0], x->pose[0], x->shape[1], x->pose[1], t);
}

/* The edge along axis k that is furthest along direction d (box's frame): its lower corner. */
static int edge_along(tacVec3 d, int k) {
    int corner = (d.x > 0 ? 1 : 0) | (d.y > 0 ? 2 : 0) | (d.z > 0 ? 4 : 0);
    return corner & ~(1 << k);
}

/* The bit in which the corners of two equally far edges along axis k differ. They bound a face across d. 0: d is across
 * no face. */
static int twin_edge(const Boxes *x, int box, tacVec3 d, int k) {
    int bit = 0;
    for (int n = 0; n < 3; n++)
        if (n != k && 2 * x->half[box][n] * tac_abs(tac_get3(d, n)) <= x->tie) bit = 1 << n;
    return bit;
}

/* The touch of the edges that start at corners a and b, with the common normal of `axis`. x0 = p + s e_i and x1 = q + r
 * B_j with x1 - x0 along u:
 *   s = (g x B_j) . m/|m|^2,  r = (g x e_i) . m/|m|^2,  m = e_i x B_j,  g = q - p.
 * Returns 0 where a witness point lies beyond its edge. */
static int two_edges(const Boxes *x, const Axis *axis, int a, int b, tacTouch *out) {
    int i = axis->i, j = axis->j;
    tacVec3 e = unit_axis(i, 1), f = column(&x->C, j);
    tacVec3 p = tac_shape_vertex(x->shape[0], a), q = tac_shape_vertex(x->shape[1], b);
    q = tac_add3(x->t, tac_mulmv3(x->C, q));
    tacVec3 m = tac_cross3(e, f), g = tac_sub3(q, p);
    double square = tac_dot3(m, m);
    double s = tac_dot3(tac_cross3(g, f), m) / square, r = tac_dot3(tac_cross3(g, e), m) / square;
    const tacFeature feature[2] = {tac_feature(TAC_FEATURE_LINE, a, a | 1 << i),
                                   tac_feature(TAC_FEATURE_LINE, b, b | 1 << j)};
    *out = nearest_touch(x, tac_madd3(p, s, e), axis->u, axis->s, feature);
    return s >= 0 && s <= 2 * x->half[0][i] && r >= 0 && r <= 2 * x->half[1][j];
}

/* The touch of two edges along an axis. Where the axis is a face normal, the face has two such edges. The touch is of
 * those that contain both witness points. */
static int edge_touch(const Boxes *x, const Axis *axis, tacTouch *out) {
    tacTouch other;
    tacVec3 u = axis->u, v = tac_neg3(tac_mulmtv3(x->C, u));
    int a = edge_along(u, axis->i), b = edge_along(v, axis->j);
    int flip_a = twin_edge(x, 0, u, axis->i), flip_b = twin_edge(x, 1, v, axis->j);
    if (two_edges(x, axis, a, b, out)) return 1;
    for (int k = 1; k < 4; k++) {
        if (((k & 1) && !flip_a) || ((k & 2) && !flip_b)) continue;
        if (!two_edges(x, axis, a ^ (k & 1 ? flip_a : 0), b ^ (k & 2 ? flip_b : 0), &other)) continue;
        *out = other;
        return 1;
    }
    return 0;
}

/* The touch of overlapping boxes whose best direction is of two edges. Another pair of edges may be equally good, up to
 * a tie. Where its direction is nearly the same, the witness points of the best pair leave their edges by a tie over
 * the angle between the two. The other pair then has the touch. */
static tacTouch touch_edges(const Boxes *x, const Axis *best) {
    tacTouch touch, other;
    if (edge_touch(x, best, &touch)) return touch;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Axis axis = measure(x, 2, i, j, across_edges(x, i, j));
            if (axis.s >= best->s - x->tie && edge_touch(x, &axis, &other)) return other;
        }
    return touch;
}

/* --- Apart: corners ----------------------------------------------------------------------------------------------- */

/* A corner of one box and its distance from the other box. */
typedef struct Corner {
    int box, corner;  /* the box, and the index of its corner */
    tacVec3 x;        /* position in the other box's frame */
    double excess[3]; /* |x| minus the other's half-sizes; 0 where inside, up to a tie */
    double dist;
} Corner;

static Corner measure_corner(const Boxes *x, int box, int corner) {
    tacVec3 v = tac_shape_vertex(x->shape[box], corner);
    Corner c = {.box = box, .corner = corner};
    c.x = box == 1 ? tac_add3(x->t, tac_mulmv3(x->C, v)) : tac_mulmtv3(x->C, tac_sub3(v, x->t));
    double square = 0;
    for (int k = 0; k < 3; k++) {
        c.excess[k] = tac_abs(tac_get3(c.x, k)) - x->half[1 - box][k];
        if (c.excess[k] <= x->tie) c.excess[k] = 0;
        square += c.excess[k] * c.excess[k];
    }
    c.dist = tac_sqrt(square);
    return c;
}

/* The feature of the other box under a corner: a face, edge or corner, by the number of axes on which the corner is
 * outside. On the other axes an edge has both corner bits. */
static tacFeature feature_under(const Corner *c) {
    int bits = 0, beyond = 0, axis = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        if (tac_get3(c->x, k) > 0) bits |= 1 << k;
        if (c->excess[k] > 0) {
            beyond++;
            axis = k;
        } else {
            along = k;
        }
    }
    if (beyond == 3) return tac_feature(TAC_FEATURE_POINT, bits, 0);
    if (beyond == 1) return tac_feature(TAC_FEATURE_PLANE, 2 * axis + (bits >> axis & 1), 0);
    return tac_feature(TAC_FEATURE_LINE, bits & ~(1 << along), bits | 1 << along);
}

/* Unit vector from A to B between a corner and the other box; their distance is not zero. */
static tacVec3 corner_normal(const Boxes *x, const Corner *c) {
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = (tac_get3(c->x, k) > 0 ? c->excess[k] : -c->excess[k]) / c->dist;
    return c->box == 1 ? tac_load3(d) : tac_neg3(tac_mulmv3(x->C, tac_load3(d)));
}

static tacTouch corner_touch(const Boxes *x, const Corner *c) {
    tacVec3 u = corner_normal(x, c);
    tacFeature feature[2];
    feature[c->box] = tac_feature(TAC_FEATURE_POINT, c->corner, 0);
    feature[1 - c->box] = feature_under(c);
    tacVec3 x0 = c->box == 1 ? tac_madd3(c->x, -c->dist, u) : tac_shape_vertex(x->shape[0], c->corner);
    return nearest_touch(x, x0, u, c->dist, feature);
}

/* The nearest of B's corners, A's corners, and pairs of edges. Of several within a tie: the first whose own direction
 * separates the boxes by its distance. Where features change, distances vary slowly, so that one within rounding of the
 * least can have its points elsewhere. The separation s(u) does not vary slowly. */
static tacTouch touch_apart(const Boxes *x) {
    Corner corner[16];
    tacTouch edge, best_edge = {.dist = TAC_INFINITY};
    double least = TAC_INFINITY;
    for (int k = 0; k < 16; k++) {
        corner[k] = measure_corner(x, k < 8 ? 1 : 0, k & 7);
        least = tac_min(least, corner[k].dist);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Axis axis = measure(x, 2, i, j, across_edges(x, i, j));
            if (axis.s > 0 && axis.s < best_edge.dist && edge_touch(x, &axis, &edge)) best_edge = edge;
        }
    least = tac_min(least, best_edge.dist);
    int best = -1;
    double gap = -TAC_INFINITY;
    for (int k = 0; k < 16; k++) {
        if (corner[k].dist > least + x->tie) continue;
        double parts = measure(x, 2, 0, 0, corner_normal(x, &corner[k])).s - corner[k].dist;
        if (parts > gap + x->tie) {
            gap = parts;
            best = k;
        }
    }
    if (best < 0 || (best_edge.dist <= least + x->tie && -gap > x->tie)) return best_edge;
    return corner_touch(x, &corner[best]);
}

/* --- Overlapping: a face ------------------------------------------------------------------------------------------ */

/* The face that faces d best (box's frame); among equals the lowest index. */
static int facing(tacVec3 d) {
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (tac_abs(tac_get3(d, i)) > tac_abs(tac_get3(d, k)) + TAC_FEATURE_TIE) k = i;
    return 2 * k + (tac_get3(d, k) > 0);
}

/* m: margin of that choice. A rotation by t rad changes the difference of two cosines by at most 2 t. */
static double facing_margin(const Boxes *x, tacVec3 d) {
    double at[3] = {tac_abs(d.x), tac_abs(d.y), tac_abs(d.z)}, most = tac_max(at[0], tac_max(at[1], at[2]));
    double least = tac_min(at[0], tac_min(at[1], at[2])), next = at[0] + at[1] + at[2] - most - least;
    return (most - next) / 2 * tac_min(tac_shape_radius(x->shape[0]), tac_shape_radius(x->shape[1]));
}

/* The deepest corner of the other box below the face. Needed where clipping finds no point. */
static tacTouch deepest_corner(const Boxes *x, const Axis *axis, const int face[2]) {
    tacVec3 v = tac_mulmtv3(x->C, axis->u);
    int side = axis->kind;
    int corner = side == 0 ? edge_along(tac_neg3(v), 0) | (v.x < 0) : edge_along(axis->u, 0) | (axis->u.x > 0);
    tacFeature feature[2];
    feature[side] = tac_feature(TAC_FEATURE_PLANE, face[side], 0);
    feature[1 - side] = tac_feature(TAC_FEATURE_POINT, corner, 0);
    tacVec3 p = tac_shape_vertex(x->shape[1 - side], corner);
    if (side == 0) p = tac_madd3(tac_add3(x->t, tac_mulmv3(x->C, p)), -axis->s, axis->u);
    return nearest_touch(x, p, axis->u, axis->s, feature);
}

static int touch_faces(const Boxes *x, const Axis *axis, double reach, tacTouch *out) {
    tacVec3 v = tac_mulmtv3(x->C, axis->u);
    const tacFacePair faces = {axis->kind,
                               {axis->kind == 0 ? 2 * axis->i + (tac_get3(axis->u, axis->i) > 0) : facing(axis->u),
                                axis->kind == 1 ? 2 * axis->j + (tac_get3(v, axis->j) < 0) : facing(tac_neg3(v))}};
    const tacShape *const *shape = x->shape;
    const tacPose *const *pose = x->pose;
    int n = tac_manifold_of_faces(shape[0], pose[0], shape[1], pose[1], reach, &faces, out);
    double room = n > 1 ? facing_margin(x, axis->kind == 0 ? v : axis->u) : 0;
    for (int k = 1; k < n; k++)
        out[k].margin = tac_min(out[k].margin, room);
    if (n > 0) return n;
    if (tac_manifold_of_faces(shape[0], pose[0], shape[1], pose[1], TAC_INFINITY, &faces, out) > 0) return 0;
    out[0] = deepest_corner(x, axis, faces.face);
    set_margin(x, &out[0]);
    return 1;
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

/* Bounds the margins of overlapping boxes, because another direction may become the best. Both separations change at
 * most as fast as the boxes move. A direction within a tie leaves no margin. */
static void bound_margins(const Search *found, int n, tacTouch *out) {
    double room = tac_max(0, found->best.s - found->second) / 2;
    for (int k = 0; k < n; k++)
        out[k].margin = tac_min(out[k].margin, room);
}

/* The nearest touch. For overlapping faces: all their touches. *whole: 1 where there are no more to be found. */
static int touch_nearest(const Boxes *x, double reach, int *whole, tacTouch *out) {
    Search found;
    int n = 1;
    *whole = 1;
    if (!search_axes(x, reach, &found)) return 0;
    if (found.best.s <= APART_TIES * x->tie && found.best.kind < 2) {
        n = touch_faces(x, &found.best, reach, out);
        bound_margins(&found, n, out);
        return n;
    }
    *whole = 0;
    *out = found.best.s > APART_TIES * x->tie ? touch_apart(x) : touch_edges(x, &found.best);
    set_margin(x, out);
    if (found.best.s <= APART_TIES * x->tie) bound_margins(&found, n, out);
    return out->dist < reach;
}

int tac_touch_box_box(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                      tacPairCache *cache, tacTouch *out) {
    (void)cache;
    Boxes x;
    int whole;
    begin(&x, a, A, b, B);
    int n = touch_nearest(&x, reach, &whole, out);
    if (n == 0 || whole) return n;
    tacTouch nearest = out[0];
    return tac_manifold(a, A, b, B, reach, &nearest, out);
}

int tac_nearest_box_box(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                        tacPairCache *cache, tacTouch *out) {
    (void)cache;
    Boxes x;
    int whole;
    begin(&x, a, A, b, B);
    return touch_nearest(&x, reach, &whole, out);
}
