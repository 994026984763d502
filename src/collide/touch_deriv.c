/* Derivatives of touches with respect to motions of their shapes: the differentials of the rules in touch.c, from the
 * features alone. dx and dt are the changes of a patch at fixed local coordinates (tac_feature_move). Equations:
 * docs/theory/collision.md. */
#include "collide/closed_form.h"

/* Two moving shapes and the derivatives of their patches. */
typedef struct touchMove {
    const tacTouchSystem *k;
    const tacShapeTangent *move[2];
    tacPatchTangent d[2]; /* of the two patches */
} touchMove;

/* --- NEAREST ------------------------------------------------------------------------------------------------------ */

/* Derivative of x + sign pad n: of the core's point, of its slide along the core, and of the padding. */
static tacVec3 surface_move(const touchMove *m, int side, const tacNearestTangent *slide) {
    const tacPatch *p = &m->k->patch[side];
    double sign = side == 0 ? 1 : -1;
    tacVec3 v = tac_madd3(m->d[side].x, sign * m->d[side].pad, m->k->touch.normal);
    for (int i = 0; i < p->dim; i++)
        v = tac_madd3(v, slide->s[side][i], p->t[i]);
    return tac_madd3(v, sign * p->pad, slide->n);
}

/* (D10) with the derivatives of the patches on its right side. The distance needs no solve: dd = n . (dx1 - dx0)
 * (D9). */
static tacTouchTangent nearest_jvp(const touchMove *m) {
    tacVec3 n = m->k->touch.normal, gap = tac_sub3(m->d[1].x, m->d[0].x);
    double slope[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < m->k->patch[i].dim; j++)
            slope[i][j] = tac_dot3(n, m->d[i].t[j]);
    tacNearestTangent slide = tac_nearest_solve(&m->k->nearest, gap, (const double(*)[2])slope);
    return (tacTouchTangent){.dist = tac_dot3(n, gap) - m->d[0].pad - m->d[1].pad,
                             .point = {surface_move(m, 0, &slide), surface_move(m, 1, &slide)},
                             .normal = slide.n};
}

/* --- A face gives the normal -------------------------------------------------------------------------------------- */

/* Outward normal of the face on side `face`. */
static tacVec3 outward(const tacTouchSystem *k, int face) {
    return face == 0 ? k->touch.normal : tac_neg3(k->touch.normal);
}

/* A plane's tangents are orthonormal and stay in the plane: dN = -sum_i t_i (N . dt_i). */
static tacVec3 normal_move(const tacPatch *plane, const tacPatchTangent *d, tacVec3 N) {
    tacVec3 dN = tac_zero3();
    for (int i = 0; i < 2; i++)
        dN = tac_madd3(dN, -tac_dot3(N, d->t[i]), plane->t[i]);
    return dN;
}

/* From the derivative dq of the point above the face. With y under q on the face, q - y = g N:
 *   dg = N . (dq - dy),   d(q - g N) = dq - dg N - g dN */
static tacTouchTangent above_jvp(const touchMove *m, int face, tacVec3 dq, tacVec3 dN) {
    tacVec3 N = outward(m->k, face);
    tacTouchTangent t = {.dist = tac_dot3(N, tac_sub3(dq, m->d[face].x))};
    t.normal = face == 0 ? dN : tac_neg3(dN);
    t.point[1 - face] = dq;
    t.point[face] = tac_madd3(tac_madd3(dq, -t.dist, N), -m->k->touch.dist, dN);
    return t;
}

/* The lowest direction u of the rim is opposed to the component of N across the axis. Seen from the rim, N changes by
 * dN - w x N and u by -(z x u) (z x u) . (dN - w x N)/|N x z|. Every point at a fixed angle from u moves with it. The
 * points of a flat rim are fixed to it (D12). */
static tacTouchTangent rim_jvp(const touchMove *m, int face) {
    int rim = 1 - face;
    tacVec3 N = outward(m->k, face), z = tac_pose_axis(&m->k->pose[rim], 2), dq = m->d[rim].x;
    tacVec3 dN = normal_move(&m->k->patch[face], &m->d[face], N);
    double sine = tac_norm3(tac_cross3(N, z)), flat = tac_rim_flat(m->k->shape[face]);
    if (!tac_rim_is_fixed(m->k->touch.feature[rim]) && sine >= flat) {
        tacVec3 u = tac_rim_lowest(&m->k->pose[rim], N, flat);
        tacVec3 turn = tac_sub3(dN, tac_cross3(m->move[rim]->twist.ang, N));
        dq = tac_madd3(dq, -tac_dot3(tac_cross3(z, u), turn) / sine, m->k->patch[rim].t[0]);
    }
    return above_jvp(m, face, dq, dN);
}

/* Derivative of tac_touch_offset: pad N, or pad u for a cylinder with u = a/|a|, a = N - (N . z) z. */
static tacVec3 offset_move(const touchMove *m, int other, tacVec3 N, tacVec3 dN) {
    const tacPatch *line = &m->k->patch[other];
    double pad = line->pad, dpad = m->d[other].pad;
    if (m->k->shape[other]->type != TAC_GEOM_CYLINDER) return tac_add3(tac_scale3(dpad, N), tac_scale3(pad, dN));
    tacVec3 z = line->t[0], dz = m->d[other].t[0], a = tac_madd3(N, -tac_dot3(N, z), z);
    double sine = tac_norm3(a);
    if (!(sine > 0)) return tac_zero3();
    tacVec3 u = tac_scale3(1 / sine, a);
    tacVec3 da = tac_madd3(tac_madd3(dN, -(tac_dot3(dN, z) + tac_dot3(N, dz)), z), -tac_dot3(N, z), dz);
    return tac_add3(tac_scale3(dpad, u), tac_scale3(pad / sine, tac_madd3(da, -tac_dot3(u, da), u)));
}

/* q stays on the side plane m . (q - v) = 0, m = e x N. v is the point of the clip nearest to q, and e its tangent:
 *   m . (dx + t ds - dv) + (de x N + e x dN) . (q - v) = 0
 * The slide of v along the clip changes nothing, because m . e = 0 and e rotates in the face (D11). */
static tacTouchTangent clip_jvp(const touchMove *m, int face) {
    const tacTouchSystem *k = m->k;
    int other = 1 - face;
    tacVec3 N = outward(k, face), dN = normal_move(&k->patch[face], &m->d[face], N), q = k->touch.point[other];
    tacPatchTangent dclip = tac_feature_move(k->shape[face], &k->pose[face], k->touch.clip, &k->clip, m->move[face]);
    tacVec3 e = k->clip.t[0], side = tac_cross3(e, N), t = k->patch[other].t[0], dq = m->d[other].x;
    tacVec3 dside = tac_add3(tac_cross3(dclip.t[0], N), tac_cross3(e, dN));
    if (k->patch[other].pad > 0) dq = tac_sub3(dq, offset_move(m, other, N, dN));
    double out = tac_dot3(side, tac_sub3(dq, dclip.x)) + tac_dot3(dside, tac_sub3(q, k->clip.x));
    return above_jvp(m, face, tac_madd3(dq, -out / tac_dot3(side, t), t), dN);
}

/* g = M . (y - v)/(M . N), y on the plane over the corner v: dg = M . (dy - dv - g dN)/(M . N). */
static tacTouchTangent corner_jvp(const touchMove *m, int corner) {
    const tacTouchSystem *k = m->k;
    int plane = 1 - corner;
    tacPatchTangent dclip =
        tac_feature_move(k->shape[corner], &k->pose[corner], k->touch.clip, &k->clip, m->move[corner]);
    tacVec3 N = outward(k, corner), dN = normal_move(&k->clip, &dclip, N), dv = m->d[corner].x;
    tacVec3 M = tac_feature_normal(k->shape[plane], &k->pose[plane], k->touch.feature[plane]);
    tacVec3 apart = tac_madd3(tac_sub3(m->d[plane].x, dv), -k->touch.dist, dN);
    tacTouchTangent t = {.dist = tac_dot3(M, apart) / tac_dot3(M, N)};
    t.normal = corner == 0 ? dN : tac_neg3(dN);
    t.point[corner] = dv;
    t.point[plane] = tac_madd3(tac_madd3(dv, t.dist, N), k->touch.dist, dN);
    return t;
}

/* --- All rules ---------------------------------------------------------------------------------------------------- */

/* Cores that coincide up to rounding have a normal but no derivative of it. */
static int coincide(const tacTouchSystem *k) {
    double pads = k->patch[0].pad + k->patch[1].pad;
    return k->patch[0].dim + k->patch[1].dim < 2 && tac_abs(k->nearest.d) <= TAC_COINCIDENT * pads;
}

/* Fails where the plane contains the normal. */
static tacStatus prepare_corner(tacTouchSystem *k) {
    int corner = tac_touch_side(&k->touch, TAC_FEATURE_POINT), plane = 1 - corner;
    if (corner < 0 || k->touch.feature[plane].kind != TAC_FEATURE_PLANE) return TAC_ERR_DEGENERATE;
    k->clip = tac_feature_patch(k->shape[corner], &k->pose[corner], k->touch.clip, k->touch.point[corner]);
    tacVec3 M = tac_feature_normal(k->shape[plane], &k->pose[plane], k->touch.feature[plane]);
    return tac_abs(tac_dot3(M, outward(k, corner))) > TAC_COINCIDENT ? TAC_OK : TAC_ERR_DEGENERATE;
}

/* Fails where the line or rim is parallel to the side plane. Its patch is at the core, pad N from the witness point. */
static tacStatus prepare_clip(tacTouchSystem *k) {
    int face = tac_touch_side(&k->touch, TAC_FEATURE_PLANE), other = 1 - face;
    if (face < 0 || k->touch.feature[other].kind == TAC_FEATURE_PLANE) return TAC_ERR_DEGENERATE;
    tacVec3 N = outward(k, face), q = k->touch.point[other];
    k->clip = tac_feature_patch(k->shape[face], &k->pose[face], k->touch.clip, q);
    if (k->patch[other].pad > 0)
        k->patch[other] = tac_feature_patch(k->shape[other], &k->pose[other], k->touch.feature[other],
                                            tac_add3(q, tac_touch_offset(k->shape[other], &k->patch[other], N)));
    tacVec3 side = tac_cross3(k->clip.t[0], N), along = k->patch[other].t[0];
    double bound = tac_norm3(side) * tac_norm3(along);
    return tac_abs(tac_dot3(side, along)) > TAC_COINCIDENT * bound ? TAC_OK : TAC_ERR_DEGENERATE;
}

tacStatus tac_touch_prepare(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                            const tacTouch *touch, tacTouchSystem *k) {
    k->shape[0] = a;
    k->shape[1] = b;
    k->pose[0] = *A;
    k->pose[1] = *B;
    k->touch = *touch;
    for (int i = 0; i < 2; i++)
        k->patch[i] = tac_feature_patch(k->shape[i], &k->pose[i], touch->feature[i], touch->point[i]);
    if (tac_touch_on_rim(touch)) return TAC_OK;
    if (touch->rule == TAC_RULE_RIM) return TAC_ERR_DEGENERATE;
    if (touch->rule == TAC_RULE_CORNER) return prepare_corner(k);
    if (touch->rule == TAC_RULE_CLIP) return prepare_clip(k);
    if (tac_nearest_factor(k->patch, touch->normal, &k->nearest) || coincide(k)) return TAC_ERR_DEGENERATE;
    return TAC_OK;
}

tacTouchTangent tac_touch_jvp(const tacTouchSystem *k, const tacShapeTangent *da, const tacShapeTangent *db) {
    touchMove m = {.k = k, .move = {da, db}};
    for (int i = 0; i < 2; i++)
        m.d[i] = tac_feature_move(k->shape[i], &k->pose[i], k->touch.feature[i], &k->patch[i], m.move[i]);
    int face = tac_touch_side(&k->touch, TAC_FEATURE_PLANE);
    if (tac_touch_on_rim(&k->touch)) return rim_jvp(&m, face);
    if (k->touch.rule == TAC_RULE_CLIP) return clip_jvp(&m, face);
    if (k->touch.rule == TAC_RULE_CORNER) return corner_jvp(&m, tac_touch_side(&k->touch, TAC_FEATURE_POINT));
    return nearest_jvp(&m);
}

/* Unit twist k: angular about the axes, then linear along them. */
static tacVec6 unit_twist(int k) {
    tacVec3 e = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    return k < 3 ? (tacVec6){e, tac_zero3()} : (tacVec6){tac_zero3(), e};
}

/* Response of a NEAREST touch to one unit on the right side of (D10): of the normal, and of the two witness points
 * relative to their own shapes. */
typedef struct touchResponse {
    tacVec3 normal, point[2];
} touchResponse;

static touchResponse response_to(const tacTouchSystem *k, tacVec3 gap, int slope_of, int slope_i) {
    double slope[2][2] = {{0, 0}, {0, 0}};
    if (slope_of >= 0) slope[slope_of][slope_i] = 1;
    tacNearestTangent d = tac_nearest_solve(&k->nearest, gap, (const double(*)[2])slope);
    touchResponse a = {.normal = d.n};
    for (int side = 0; side < 2; side++) {
        a.point[side] = tac_scale3(side == 0 ? k->patch[0].pad : -k->patch[1].pad, d.n);
        for (int i = 0; i < k->patch[side].dim; i++)
            a.point[side] = tac_madd3(a.point[side], d.s[side][i], k->patch[side].t[i]);
    }
    return a;
}

static void add_response(tacTouchTangent *t, double s, const touchResponse *a) {
    t->normal = tac_madd3(t->normal, s, a->normal);
    for (int side = 0; side < 2; side++)
        t->point[side] = tac_madd3(t->point[side], s, a->point[side]);
}

/* A point above a plane: the normal is fixed, and the point under it follows along the plane. */
static void point_on_plane_jac(const tacTouchSystem *k, tacVec3 about, tacTouchTangent column[6]) {
    tacVec3 n = k->touch.normal, arm = tac_sub3(k->patch[1].x, about);
    for (int i = 0; i < 6; i++) {
        tacVec6 twist = unit_twist(i);
        tacVec3 v = i < 3 ? tac_cross3(twist.ang, arm) : twist.lin;
        double along = tac_dot3(n, v);
        column[i] = (tacTouchTangent){.dist = along, .point = {tac_madd3(v, -along, n), v}};
    }
}

/* A twist of shape 1 enters (D10) in two places: by the velocity v + w x (x1 - about) of its core's point, and by n .
 * (w x t1) = w . (t1 x n). Two to four solves give all six columns. */
static void nearest_jac(const tacTouchSystem *k, tacVec3 about, tacTouchTangent column[6]) {
    const tacNearest *nearest = &k->nearest;
    const tacPatch *p = &k->patch[1];
    touchResponse across[2], tilt[2];
    for (int j = 0; j < 2; j++)
        across[j] = response_to(k, nearest->e[j], -1, 0);
    for (int j = 0; j < p->dim; j++)
        tilt[j] = response_to(k, tac_zero3(), 1, j);
    for (int i = 0; i < 6; i++) {
        tacVec6 twist = unit_twist(i);
        tacVec3 v = i < 3 ? tac_cross3(twist.ang, tac_sub3(p->x, about)) : twist.lin;
        column[i] = (tacTouchTangent){.dist = tac_dot3(nearest->normal, v), .point = {tac_zero3(), v}};
        for (int j = 0; j < 2; j++)
            add_response(&column[i], tac_dot3(nearest->e[j], v), &across[j]);
        for (int j = 0; j < p->dim && i < 3; j++)
            add_response(&column[i], tac_dot3(nearest->normal, tac_cross3(twist.ang, p->t[j])), &tilt[j]);
    }
}

void tac_touch_jac(const tacTouchSystem *k, tacVec3 about, tacTouchTangent column[6]) {
    if (k->touch.rule == TAC_RULE_NEAREST && !tac_touch_on_rim(&k->touch)) {
        if (k->touch.feature[0].kind == TAC_FEATURE_PLANE && k->patch[1].dim == 0) {
            point_on_plane_jac(k, about, column);
            return;
        }
        nearest_jac(k, about, column);
        return;
    }
    tacShapeTangent still = {.about = about}, move = {.about = about};
    for (int i = 0; i < 6; i++) {
        move.twist = unit_twist(i);
        column[i] = tac_touch_jvp(k, &still, &move);
    }
}

/* A common motion of both shapes moves the touch rigidly: dist is constant, points move by v + w x r, the normal
 * rotates (D13). */
tacTouchTangent tac_touch_opposite(const tacTouchSystem *k, tacVec3 about, int i, const tacTouchTangent *of_b) {
    tacVec6 twist = unit_twist(i);
    tacTouchTangent t = {.dist = -of_b->dist};
    t.normal = tac_sub3(tac_cross3(twist.ang, k->touch.normal), of_b->normal);
    for (int side = 0; side < 2; side++) {
        tacVec3 arm = tac_sub3(k->touch.point[side], about);
        t.point[side] = tac_sub3(tac_add3(twist.lin, tac_cross3(twist.ang, arm)), of_b->point[side]);
    }
    return t;
}
