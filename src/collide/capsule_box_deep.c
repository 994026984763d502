/* Capsule against box where the segment meets the box: the least translation that separates them
 * (docs/theory/collision.md, F4).
 *
 * The box swept along the segment is a polyhedron. The depth along its normals is
 *   face normal e_k of the box                              b_k + h |u_k| - |c_k|
 *   edge crossed with the segment, a = u x e_k/|u x e_k|    b . |a| - |c . a|
 * The answer is the least of the six. Under a face, the part of the segment inside the face's prism touches with both
 * ends. One of them is the deepest end of the segment. */
#include "collide/capsule_box.h"

/* A separating axis along which the two overlap. */
typedef struct overlapAxis {
    tacVec3 n; /* outward from the box */
    double depth;
    int k;    /* axis of the face or edge */
    int edge; /* 1: the segment crosses an edge along k */
} overlapAxis;

static overlapAxis face_overlap(const tacBoxSegment *s, int k) {
    double c = tac_get3(s->c, k), side = c < 0 ? -1 : 1;
    overlapAxis a = {.depth = tac_get3(s->half, k) + s->h * tac_abs(tac_get3(s->u, k)) - tac_abs(c), .k = k};
    a.n = tac_vec3(k == 0 ? side : 0, k == 1 ? side : 0, k == 2 ? side : 0);
    return a;
}

/* The depth is infinite where the segment is along the edge. */
static overlapAxis edge_overlap(const tacBoxSegment *s, int k) {
    tacVec3 u = s->u, n = k == 0 ? tac_vec3(0, u.z, -u.y) : k == 1 ? tac_vec3(-u.z, 0, u.x) : tac_vec3(u.y, -u.x, 0);
    double sine = tac_norm3(n), c = tac_dot3(n, s->c);
    overlapAxis a = {.depth = TAC_INFINITY, .k = k, .edge = 1};
    if (!(sine > TAC_PARALLEL)) return a;
    a.n = tac_scale3((c < 0 ? -1 : 1) / sine, n);
    a.depth = s->half.x * tac_abs(a.n.x) + s->half.y * tac_abs(a.n.y) + s->half.z * tac_abs(a.n.z) - tac_abs(c) / sine;
    return a;
}

/* The least overlap. Faces come before edges where they are equal up to rounding. *next: the second least. */
static overlapAxis least_overlap(const tacBoxSegment *s, double *next) {
    overlapAxis best = face_overlap(s, 0);
    double bias = TAC_COINCIDENT * (s->size + s->h);
    *next = TAC_INFINITY;
    for (int i = 1; i < 6; i++) {
        overlapAxis a = i < 3 ? face_overlap(s, i) : edge_overlap(s, i - 3);
        if (a.depth + (a.edge ? bias : 0) < best.depth) {
            *next = best.depth;
            best = a;
        } else {
            *next = tac_min(*next, a.depth);
        }
    }
    return best;
}

void tac_box_face_put(const tacBoxSegment *s, int axis, int side, tacBoxCut cut, tacTouch *out) {
    tacVec3 x = tac_box_segment_at(s, cut.t);
    tacVec3 n = tac_vec3(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0);
    double d = side * tac_get3(x, axis) - tac_get3(s->half, axis), room = TAC_INFINITY;
    for (int k = 0; k < 3; k++)
        if (k != axis && k != cut.axis) room = tac_min(room, tac_get3(s->half, k) - tac_abs(tac_get3(x, k)));
    tac_box_segment_put(s, cut.t, n, d, cut.axis < 0 ? cut.side > 0 : -1, out);
    tac_box_put_face(&out->feature[1], axis, side);
    out->margin = tac_margin_at(room, s->size, tac_norm3(s->c));
    if (cut.axis < 0) return;
    int sides[3] = {0, 0, 0};
    sides[axis] = side;
    sides[cut.axis] = cut.side;
    out->rule = TAC_RULE_CLIP;
    tac_box_put_edge(&out->clip, 3 - axis - cut.axis, sides);
    /* The crossing runs along the segment 1/|u_axis| times as fast as the edge moves across it. */
    out->margin = tac_min(out->margin, s->h - tac_abs(cut.t)) * tac_abs(tac_get3(s->u, cut.axis));
}

/* The part of the segment inside the prism on the faces of axis k: its two ends. Where rounding leaves none, both are
 * at t. */
static void clip_to_face(const tacBoxSegment *s, int k, double t, tacBoxCut cut[2]) {
    cut[0] = (tacBoxCut){-s->h, -1, -1};
    cut[1] = (tacBoxCut){s->h, -1, 1};
    for (int i = 0; i < 3; i++) {
        double u = tac_get3(s->u, i), c = tac_get3(s->c, i), half = tac_get3(s->half, i);
        if (i == k || u == 0) continue;
        int up = u > 0 ? 1 : -1;
        double enter = (-up * half - c) / u, leave = (up * half - c) / u;
        if (enter > cut[0].t) cut[0] = (tacBoxCut){enter, i, -up};
        if (leave < cut[1].t) cut[1] = (tacBoxCut){leave, i, up};
    }
    if (cut[0].t > cut[1].t) cut[0].t = cut[1].t = t;
}

/* Whether the segment's point at t is under the face, up to rounding. */
static int is_under(const tacBoxSegment *s, int axis, double t) {
    tacVec3 x = tac_box_segment_at(s, t);
    double over = 0;
    for (int k = 0; k < 3; k++)
        if (k != axis) over = tac_max(over, tac_abs(tac_get3(x, k)) - tac_get3(s->half, k));
    return over <= TAC_COINCIDENT * (s->size + s->h);
}

/* The touches under a face. The deepest end of a segment that is not along the face is always one of them. Rounding at
 * a thin box must not remove it. */
static int under_face(const tacBoxSegment *s, const overlapAxis *a, double t, double reach, tacTouch *out) {
    int side = tac_get3(a->n, a->k) < 0 ? -1 : 1, n = 0;
    double down = -side * tac_get3(s->u, a->k);
    tacBoxCut cut[2];
    clip_to_face(s, a->k, t, cut);
    if (down > TAC_PARALLEL && is_under(s, a->k, s->h)) cut[1] = (tacBoxCut){s->h, -1, 1};
    if (down < -TAC_PARALLEL && is_under(s, a->k, -s->h)) cut[0] = (tacBoxCut){-s->h, -1, -1};
    for (int i = 0; i < 2; i++) {
        if (i == 1 && cut[0].t == cut[1].t) continue;
        tac_box_face_put(s, a->k, side, cut[i], &out[n]);
        n += out[n].dist < reach;
    }
    return tac_deepest_first(n, out);
}

/* The touch of the segment and the edge furthest along n. Nearest points of the two lines: t = ((q - c) . w)/(w . w)
 * with w the component of u across the edge and q a point of the edge. */
static int across_edge(const tacBoxSegment *s, const overlapAxis *a, double reach, tacTouch *out) {
    int side[3];
    double dot = 0, square = 0, along = 0, u[3] = {s->u.x, s->u.y, s->u.z};
    for (int i = 0; i < 3; i++) {
        side[i] = i == a->k ? 0 : tac_get3(a->n, i) < 0 ? -1 : 1;
        if (i == a->k) continue;
        dot += (side[i] * tac_get3(s->half, i) - tac_get3(s->c, i)) * u[i];
        square += u[i] * u[i];
    }
    double t = tac_clamp(dot / square, -s->h, s->h), sine = tac_sqrt(square);
    along = tac_get3(s->half, a->k) - tac_abs(tac_get3(tac_box_segment_at(s, t), a->k));
    tac_box_segment_put(s, t, a->n, -a->depth, -1, out);
    tac_box_put_edge(&out[0].feature[1], a->k, side);
    out[0].margin = tac_min(along, s->h - tac_abs(t)) * sine;
    return out[0].dist < reach;
}

int tac_capsule_box_deep(const tacBoxSegment *s, double t, double reach, tacTouch *out) {
    double next;
    overlapAxis a = least_overlap(s, &next);
    int n = a.edge ? across_edge(s, &a, reach, out) : under_face(s, &a, t, reach, out);
    /* A depth changes by at most a metre per metre. The opposite side is deeper by 2 |c . n|. */
    double rival = tac_min(0.5 * (next - a.depth), tac_abs(tac_dot3(s->c, a.n)));
    for (int i = 0; i < n; i++)
        out[i].margin = tac_min(out[i].margin, rival);
    return n;
}
