/* Clipping of two faces of boxes: the points of clip.c, from coordinates along the reference's axes.
 *
 * In the frame of the reference, p and q are its axes along the face and r is the one across. The prism on the face is
 * |x_p| <= a_p, |x_q| <= a_q. The distance of a point is dist = sign x_r - a_r. R is the incident box's rotation in
 * that frame, b its half-sizes, i and j its axes along its face, and `arm` the smaller of the boxes' radii. The rooms
 * are
 *
 *   corner over the face      min(a_p - |x_p|, a_q - |x_q|)                                                     (P5)
 *   face over a corner        min(b_i - |y_i|, b_j - |y_j|),  y the point in the incident box's frame            (P6)
 *   edge along j over a side  |R_pj| min(a_q - |x_q|, b_j - |y_j|)/(1 + |dist|/arm)                              (P7)
 *
 * for side p. The crossing runs along both edges 1/|R_pj| times as fast as the boxes, and a rotation moves it by its
 * height. */
#include "collide/clip.h"
#include "collide/closed_form.h"

enum { CORNERS = 4, MOST_POINTS = 16 };

/* A face of a box: the two axes along it and the one across. */
typedef struct Face {
    int along[2], across;
    double sign; /* of the outward normal along the axis across */
} Face;

typedef struct Clipper {
    const tacClip *c;
    Face face[2];              /* reference, incident */
    double half[2];            /* half-sizes of the reference along its face */
    double top;                /* and across it */
    const int *loop[2];        /* corners of the faces */
    double corner[CORNERS][3]; /* corners of the incident face, in the reference's frame */
    double room[CORNERS];      /* (P5) of these corners */
    double tol, arm;
    tacClipPoint *point;
    int count;
} Clipper;

static Face face_of(int id) {
    int k = id / 2;
    return (Face){{k < 2 ? k + 1 : 0, k > 0 ? k - 1 : 2}, k, id & 1 ? 1 : -1};
}

/* Entry of the incident box's rotation in the reference's frame. */
static double rotation(const Clipper *u, int row, int column) { return u->c->rel.R.m[3 * row + column]; }
static double half_of(const tacShape *s, int axis) { return tac_get3(s->size, axis); }

static double room_over_face(const Clipper *u, const double *x) {
    const int *k = u->face[0].along;
    return tac_min(u->half[0] - tac_abs(x[k[0]]), u->half[1] - tac_abs(x[k[1]]));
}

static void init_clipper(Clipper *u, const tacClip *c, tacClipPoint *point) {
    double square[2];
    u->c = c;
    u->point = point;
    u->count = 0;
    for (int s = 0; s < 2; s++) {
        u->face[s] = face_of(c->facet[s].id);
        tac_shape_loop(c->shape[s], c->facet[s].id, &u->loop[s]);
        double p = half_of(c->shape[s], u->face[s].along[0]), q = half_of(c->shape[s], u->face[s].along[1]);
        square[s] = p * p + q * q;
        if (s == 0) {
            u->half[0] = p;
            u->half[1] = q;
        }
    }
    u->top = half_of(c->shape[0], u->face[0].across);
    u->tol = TAC_FEATURE_TIE * 2 * (tac_sqrt(square[0]) + tac_sqrt(square[1]));
    u->arm = tac_min(tac_shape_radius(c->shape[0]), tac_shape_radius(c->shape[1]));
    for (int k = 0; k < CORNERS; k++) {
        tac_store3(u->corner[k], tac_pose_point(&c->rel, tac_shape_vertex(c->shape[1], u->loop[1][k])));
        u->room[k] = room_over_face(u, u->corner[k]);
    }
}

/* Adds a point at x with its room. Returns NULL where it is not nearer than reach, or is there already (up to
 * TAC_SAME_POINT ties). */
static tacClipPoint *add_point(Clipper *u, const double *x, tacContactRule rule, double room) {
    double dist = u->face[0].sign * x[u->face[0].across] - u->top, same = TAC_SAME_POINT * u->tol;
    if (!(dist < u->c->reach) || u->count == MOST_POINTS) return 0;
    for (int i = 0; i < u->count; i++) {
        tacVec3 d = tac_sub3(tac_load3(x), u->point[i].x);
        if (tac_dot3(d, d) <= same * same) return 0;
    }
    tacClipPoint *m = &u->point[u->count++];
    m->x = tac_load3(x);
    m->dist = dist;
    m->rule = rule;
    m->angle = 0;
    m->margin = tac_max(0, room); /* a point outside an edge by at most a tie lies on it */
    tac_put_feature(&m->feature[0], TAC_FEATURE_PLANE, u->c->facet[0].id, 0);
    tac_put_feature(&m->clip, TAC_FEATURE_POINT, 0, 0);
    return m;
}

static void add_incident_corners(Clipper *u) {
    for (int k = 0; k < CORNERS; k++) {
        if (!(u->room[k] >= -u->tol)) continue;
        tacClipPoint *m = add_point(u, u->corner[k], TAC_RULE_NEAREST, u->room[k]);
        if (m != 0) tac_put_feature(&m->feature[1], TAC_FEATURE_POINT, u->loop[1][k], 0);
    }
}

/* Adds the points of the incident face above the corners v of the reference: v + g N with M . (v + g N - x) = 0 for the
 * normal M and a point x of the face. There is none where the faces look the same way or are perpendicular. */
static void add_reference_corners(Clipper *u) {
    const Face *f = &u->face[0], *g = &u->face[1];
    double M[3], slope, height = 0;
    for (int k = 0; k < 3; k++) {
        M[k] = g->sign * rotation(u, k, g->across);
        height += M[k] * u->corner[0][k];
    }
    slope = f->sign * M[f->across];
    if (!(slope < -TAC_COINCIDENT)) return;
    for (int k = 0; k < CORNERS; k++) {
        double v[3], y[2], room = TAC_INFINITY;
        tac_store3(v, tac_shape_vertex(u->c->shape[0], u->loop[0][k]));
        v[f->across] += f->sign * (height - (M[0] * v[0] + M[1] * v[1] + M[2] * v[2])) / slope;
        tacVec3 from = tac_sub3(tac_load3(v), u->c->rel.p);
        for (int i = 0; i < 2; i++) {
            int j = g->along[i];
            y[i] = from.x * rotation(u, 0, j) + from.y * rotation(u, 1, j) + from.z * rotation(u, 2, j);
            room = tac_min(room, half_of(u->c->shape[1], j) - tac_abs(y[i]));
        }
        if (!(slope * room <= u->tol)) continue; /* a tie is measured along N */
        tacClipPoint *m = add_point(u, v, TAC_RULE_CORNER, room);
        if (m == 0) continue;
        tac_put_feature(&m->feature[0], TAC_FEATURE_POINT, u->loop[0][k], 0);
        tac_put_feature(&m->feature[1], TAC_FEATURE_PLANE, u->c->facet[1].id, 0);
        tac_put_feature(&m->clip, TAC_FEATURE_PLANE, u->c->facet[0].id, 0);
    }
}

/* A crossing at parameter t of the incident edge that starts at corner k, over the + or - side of axis along[a]. */
typedef struct Crossing {
    double t;
    int a, plus;
} Crossing;

static void add_crossing(Clipper *u, int k, const Crossing *w) {
    const Face *f = &u->face[0];
    int next = (k + 1) % CORNERS, v = u->loop[1][k], other = u->loop[1][next], bit = v ^ other, j = bit >> 1;
    int side = f->along[w->a], beside = f->along[1 - w->a];
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = u->corner[k][i] + w->t * (u->corner[next][i] - u->corner[k][i]);
    double room =
        tac_min(u->half[1 - w->a] - tac_abs(x[beside]), 2 * half_of(u->c->shape[1], j) * tac_min(w->t, 1 - w->t));
    double dist = tac_abs(f->sign * x[f->across] - u->top), slow = u->arm > 0 ? u->arm / (u->arm + dist) : 0;
    tacClipPoint *m = add_point(u, x, TAC_RULE_CLIP, room * tac_abs(rotation(u, side, j)) * slow);
    if (m == 0) return;
    int low = (w->plus ? 1 << side : 0) | (f->sign > 0 ? 1 << f->across : 0);
    tac_put_feature(&m->feature[1], TAC_FEATURE_LINE, v & ~bit, v | bit);
    tac_put_feature(&m->clip, TAC_FEATURE_LINE, low, low | 1 << beside);
}

/* Adds the crossings where the incident edge that starts at corner k enters and leaves the prism. Ends inside are
 * points of their own. */
static void cross_sides(Clipper *u, int k) {
    int next = (k + 1) % CORNERS;
    int inside[2] = {u->room[k] >= -u->tol, u->room[next] >= -u->tol};
    Crossing enter = {0, 0, 0}, leave = {1, 0, 0};
    if (inside[0] && inside[1]) return;
    for (int s = 0; s < 4; s++) {
        int a = s / 2, axis = u->face[0].along[a], plus = s & 1;
        double p = u->corner[k][axis], q = u->corner[next][axis];
        double from = u->half[a] - (plus ? p : -p), to = u->half[a] - (plus ? q : -q);
        if (from < 0 && to < 0) return;
        if (from >= 0 && to >= 0) continue;
        double t = from / (from - to);
        if (from < 0 && t > enter.t) enter = (Crossing){t, a, plus};
        if (to < 0 && t < leave.t) leave = (Crossing){t, a, plus};
    }
    if (!(enter.t < leave.t)) return;
    if (!inside[0] && enter.t > 0) add_crossing(u, k, &enter);
    if (!inside[1] && leave.t < 1) add_crossing(u, k, &leave);
}

int tac_clip_boxes(const tacClip *c, tacClipPoint point[TAC_MAX_CLIP_POINT]) {
    Clipper u;
    init_clipper(&u, c, point);
    add_incident_corners(&u);
    if (u.count == CORNERS) return u.count;
    add_reference_corners(&u);
    for (int k = 0; k < CORNERS; k++)
        cross_sides(&u, k);
    return u.count;
}
