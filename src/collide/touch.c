/* Touches from their features alone: the definition of each rule. Derivatives: touch_deriv.c. Equations:
 * docs/theory/collision.md. */
#include "collide/closed_form.h"

/* Maximum Newton iterations on curved features. Four to seven are usual, more only far from the start. */
#define MOST_ITERATIONS 60
/* A step below this changes nothing. Coordinates that are zero up to rounding may go on shrinking for ever. */
#define STEP_UNDERFLOW 1e-18
typedef struct touchSides {
    const tacShape *shape[2];
    const tacPose *pose[2];
} touchSides;

static tacPatch patch_near(const touchSides *w, const tacTouch *t, int side, tacVec3 near) {
    return tac_feature_patch(w->shape[side], w->pose[side], t->feature[side], near);
}

/* --- NEAREST: points, lines and planes ---------------------------------------------------------------------------- */

/* Patches and the unit normal -> the touch (D5). */
static tacStatus set_nearest(tacTouch *t, const tacPatch patch[2], tacVec3 n) {
    double d = tac_dot3(n, tac_sub3(patch[1].x, patch[0].x));
    t->normal = n;
    t->dist = d - patch[0].pad - patch[1].pad;
    t->point[0] = tac_madd3(patch[0].x, patch[0].pad, n);
    t->point[1] = tac_madd3(patch[1].x, -patch[1].pad, n);
    return TAC_OK;
}

/* Point and plane: the plane gives the normal. Two planes have no witness points. */
static tacStatus nearest_plane(const touchSides *w, tacTouch *t, int plane) {
    int other = 1 - plane;
    if (t->feature[other].kind != TAC_FEATURE_POINT) return TAC_ERR_DEGENERATE;
    tacPatch patch[2];
    tacVec3 n = tac_feature_normal(w->shape[plane], w->pose[plane], t->feature[plane]);
    patch[other] = patch_near(w, t, other, t->point[other]);
    patch[plane] = patch_near(w, t, plane, patch[other].x);
    return set_nearest(t, patch, plane == 0 ? n : tac_neg3(n));
}

/* Point and point or line: n is along x1 - x0. */
static tacStatus nearest_point(const touchSides *w, tacTouch *t, int point) {
    tacPatch patch[2];
    patch[point] = patch_near(w, t, point, t->point[point]);
    patch[1 - point] = patch_near(w, t, 1 - point, patch[point].x);
    tacVec3 gap = tac_sub3(patch[1].x, patch[0].x), along = patch[1 - point].t[0];
    if (patch[1 - point].dim ==
        1) /* Removes the component along the line: it is rounding, and large relative to a small gap. */
        gap = tac_madd3(gap, -tac_dot3(gap, along) / tac_dot3(along, along), along);
    double d = tac_norm3(gap);
    if (!(d > 0)) return TAC_ERR_DEGENERATE;
    return set_nearest(t, patch, tac_scale3(1 / d, gap));
}

/* Two lines: n is across both, on the same side as before. Let m = t0 x t1, and let g = x1 - x0 be the gap between any
 * two points of the lines. The feet of the common normal are (g x t1 . m)/|m|^2 tangents from x0 and (g x t0 . m)/|m|^2
 * tangents from x1. */
static tacStatus nearest_lines(const touchSides *w, tacTouch *t) {
    tacPatch patch[2];
    for (int i = 0; i < 2; i++)
        patch[i] =
            patch_near(w, t, i, w->pose[i]->p); /* not the touch's point, whose rounding would enter the result */
    tacVec3 m = tac_cross3(patch[0].t[0], patch[1].t[0]), g = tac_sub3(patch[1].x, patch[0].x);
    double square = tac_dot3(m, m), bound = tac_norm3(patch[0].t[0]) * tac_norm3(patch[1].t[0]);
    if (!(square > TAC_COINCIDENT * TAC_COINCIDENT * bound * bound)) return TAC_ERR_DEGENERATE;
    double s0 = tac_dot3(tac_cross3(g, patch[1].t[0]), m) / square;
    double s1 = tac_dot3(tac_cross3(g, patch[0].t[0]), m) / square;
    patch[0].x = tac_madd3(patch[0].x, s0, patch[0].t[0]);
    patch[1].x = tac_madd3(patch[1].x, s1, patch[1].t[0]);
    double sign = tac_dot3(m, t->normal) < 0 ? -1 : 1;
    return set_nearest(t, patch, tac_scale3(sign / tac_sqrt(square), m));
}

/* --- NEAREST: curved features ------------------------------------------------------------------------------------- */

/* One Newton step on (D4): moves the points and the normal. Returns its length: relative to `scale`, or rad. */
static double newton_step(const tacPatch patch[2], const tacNearest *k, double scale, tacVec3 near[2], tacVec3 *n) {
    double slope[2][2], length = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < patch[i].dim; j++)
            slope[i][j] = tac_dot3(*n, patch[i].t[j]);
    tacNearestTangent d = tac_nearest_solve(k, tac_sub3(patch[1].x, patch[0].x), (const double(*)[2])slope);
    double turn = tac_norm3(d.n), share = turn > TAC_NEWTON_MAX_TURN ? TAC_NEWTON_MAX_TURN / turn : 1;
    for (int i = 0; i < 2; i++) {
        tacVec3 move = tac_zero3();
        for (int j = 0; j < patch[i].dim; j++)
            move = tac_madd3(move, share * d.s[i][j], patch[i].t[j]);
        near[i] = tac_add3(patch[i].x, move);
        length = tac_max(length, tac_norm3(move) / scale);
    }
    *n = tac_madd3(*n, share, d.n);
    *n = tac_scale3(1 / tac_norm3(*n), *n);
    return tac_max(length, share * turn);
}

/* Length scale of a step: the longest tangent or the gap. */
static double patch_scale(const tacPatch patch[2]) {
    double scale = tac_norm3(tac_sub3(patch[1].x, patch[0].x));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < patch[i].dim; j++)
            scale = tac_max(scale, tac_norm3(patch[i].t[j]));
    return scale;
}

static tacStatus nearest_newton(const touchSides *w, tacTouch *t) {
    tacVec3 near[2] = {t->point[0], t->point[1]}, n = t->normal;
    tacPatch patch[2];
    tacNearest k;
    double last = 2;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        for (int i = 0; i < 2; i++)
            patch[i] = patch_near(w, t, i, near[i]);
        double scale = patch_scale(patch);
        if (tac_nearest_factor(patch, n, &k) || !(scale > 0)) return TAC_ERR_DEGENERATE;
        double step = newton_step(patch, &k, scale, near, &n);
        if (!tac_finite(step)) return TAC_ERR_DEGENERATE;
        if (step < TAC_NEWTON_ROUNDING && (step < STEP_UNDERFLOW || step >= 0.5 * last)) {
            for (int i = 0; i < 2; i++)
                patch[i] = patch_near(w, t, i, near[i]);
            return set_nearest(t, patch, n);
        }
        last = step;
    }
    return TAC_ERR_DEGENERATE;
}

/* --- A face gives the normal -------------------------------------------------------------------------------------- */

/* q on shape `1 - face` above the plane through y with normal N, outward from shape `face` -> the touch. */
static tacStatus set_above(tacTouch *t, int face, tacVec3 N, tacVec3 y, tacVec3 q) {
    t->dist = tac_dot3(N, tac_sub3(q, y));
    t->normal = face == 0 ? N : tac_neg3(N);
    t->point[1 - face] = q;
    t->point[face] = tac_madd3(q, -t->dist, N);
    return TAC_OK;
}

/* The point of the rim at the given angle (D8). */
static tacStatus rebuild_rim(const touchSides *w, tacTouch *t, int face, double angle) {
    int rim = 1 - face, end = t->feature[rim].id[0];
    const tacShape *s = w->shape[rim];
    tacVec3 N = tac_feature_normal(w->shape[face], w->pose[face], t->feature[face]), z = tac_pose_axis(w->pose[rim], 2);
    tacVec3 u = tac_rim_start(w->pose[rim], t->feature[rim], N, tac_rim_flat(w->shape[face]));
    tacVec3 e = tac_madd3(tac_scale3(tac_cos(angle), u), tac_sin(angle), tac_cross3(z, u));
    tacVec3 q = tac_madd3(tac_madd3(w->pose[rim]->p, end == 1 ? s->size.y : -s->size.y, z), s->size.x, e);
    return set_above(t, face, N, patch_near(w, t, face, q).x, q);
}

tacVec3 tac_touch_offset(const tacShape *s, const tacPatch *line, tacVec3 N) {
    if (s->type != TAC_GEOM_CYLINDER) return tac_scale3(line->pad, N);
    tacVec3 across = tac_madd3(N, -tac_dot3(N, line->t[0]), line->t[0]);
    double sine = tac_norm3(across);
    return sine > 0 ? tac_scale3(line->pad / sine, across) : tac_zero3();
}

/* Newton's method along the line or rim towards the side plane of `clip`, m . (q - v) = 0 with m = t_clip x N. v is the
 * point of the clip nearest to q. For two lines one step is exact (D6). */
static tacStatus rebuild_clip(const touchSides *w, tacTouch *t, int face) {
    int other = 1 - face;
    tacVec3 N = tac_feature_normal(w->shape[face], w->pose[face], t->feature[face]), start = t->point[other];
    tacPatch line = patch_near(w, t, other, start);
    tacVec3 offset = line.pad > 0 ? tac_touch_offset(w->shape[other], &line, N) : tac_zero3();
    tacVec3 core = tac_add3(start, offset);
    double last = -1;
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        line = patch_near(w, t, other, core);
        tacVec3 q = tac_sub3(line.x, offset);
        tacPatch clip = tac_feature_patch(w->shape[face], w->pose[face], t->clip, q);
        tacVec3 m = tac_cross3(clip.t[0], N);
        double rate = tac_dot3(m, line.t[0]), bound = tac_norm3(m) * tac_norm3(line.t[0]);
        if (!(tac_abs(rate) > TAC_COINCIDENT * bound)) return TAC_ERR_DEGENERATE;
        double s = -tac_dot3(m, tac_sub3(q, clip.x)) / rate, step = tac_abs(s);
        core = tac_madd3(line.x, s, line.t[0]);
        if (iteration > 0 && (step < STEP_UNDERFLOW || (step < TAC_NEWTON_ROUNDING && step >= 0.5 * last)))
            return set_above(t, face, N, patch_near(w, t, face, q).x, tac_madd3(q, s, line.t[0]));
        last = step;
    }
    return TAC_ERR_DEGENERATE;
}

/* A corner v of the face `clip`, which gives N, and the plane of the other shape above it along N. For a point y and
 * the normal M of that plane:
 *   g = M . (y - v)/(M . N) (D7) */
static tacStatus rebuild_corner(const touchSides *w, tacTouch *t, int corner) {
    int plane = 1 - corner;
    tacVec3 N = tac_feature_normal(w->shape[corner], w->pose[corner], t->clip);
    tacVec3 M = tac_feature_normal(w->shape[plane], w->pose[plane], t->feature[plane]);
    tacVec3 v = patch_near(w, t, corner, t->point[corner]).x, y = patch_near(w, t, plane, v).x;
    double slope = tac_dot3(M, N);
    if (!(tac_abs(slope) > TAC_COINCIDENT)) return TAC_ERR_DEGENERATE;
    t->dist = tac_dot3(M, tac_sub3(y, v)) / slope;
    t->normal = corner == 0 ? N : tac_neg3(N);
    t->point[corner] = v;
    t->point[plane] = tac_madd3(v, t->dist, N);
    return TAC_OK;
}

/* --- All rules ---------------------------------------------------------------------------------------------------- */

static int has(const tacTouch *t, int side, tacFeatureKind kind) { return t->feature[side].kind == (short)kind; }

int tac_touch_side(const tacTouch *t, tacFeatureKind kind) { return has(t, 0, kind) ? 0 : has(t, 1, kind) ? 1 : -1; }

int tac_touch_on_rim(const tacTouch *t) {
    int face = tac_touch_side(t, TAC_FEATURE_PLANE);
    return face >= 0 && has(t, 1 - face, TAC_FEATURE_CIRCLE) && t->rule != TAC_RULE_CLIP;
}

static int is_straight(const tacTouch *t, int side) { return t->feature[side].kind <= (short)TAC_FEATURE_PLANE; }

static tacStatus rebuild_nearest(const touchSides *w, tacTouch *t) {
    int plane = tac_touch_side(t, TAC_FEATURE_PLANE), point = tac_touch_side(t, TAC_FEATURE_POINT);
    if (tac_touch_on_rim(t)) return rebuild_rim(w, t, plane, 0);
    if (!is_straight(t, 0) || !is_straight(t, 1)) return nearest_newton(w, t);
    if (plane >= 0) return nearest_plane(w, t, plane);
    return point >= 0 ? nearest_point(w, t, point) : nearest_lines(w, t);
}

tacStatus tac_touch_rebuild(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, tacTouch *touch) {
    touchSides w = {{a, b}, {A, B}};
    tacTouch t = *touch;
    int plane = tac_touch_side(&t, TAC_FEATURE_PLANE), point = tac_touch_side(&t, TAC_FEATURE_POINT);
    tacStatus status = TAC_ERR_DEGENERATE;
    if (t.rule == TAC_RULE_NEAREST) status = rebuild_nearest(&w, &t);
    if (t.rule == TAC_RULE_CLIP && plane >= 0) status = rebuild_clip(&w, &t, plane);
    if (t.rule == TAC_RULE_CORNER && point >= 0) status = rebuild_corner(&w, &t, point);
    if (t.rule == TAC_RULE_RIM && plane >= 0) status = rebuild_rim(&w, &t, plane, t.angle);
    if (status == TAC_OK) *touch = t;
    return status;
}
