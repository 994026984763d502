/* Margins: the distance that shapes may move before a touch changes its features. Each feature has room
 * (feature_margin.c). The margin is the room divided by the rate at which a motion of either shape by one metre uses it
 * up. A rotation is measured by the motion that it causes on the shape's surface: 1/arm rad per metre. Equations:
 * docs/theory/collision.md. */
#include "collide/closed_form.h"

/* Sine of the angle by which a normal may lie outside its feature's cone because of rounding. Beyond it the touch is a
 * further point of a manifold. Such a touch has a face's normal, whatever the normals of its feature are. */
#define OUTSIDE_CONE 1e-6

/* Relative to the shapes' size: a touch outside its feature by at most this lies on the border, up to rounding. */
#define BORDER_ROUNDING 1e-9

typedef struct touchRoom {
    const tacShape *shape[2];
    const tacPose *pose[2];
    const tacTouch *touch;
    tacPatch patch[2];
    double arm[2];              /* lever arm, m per rad */
    double length[2], angle[2]; /* room along the core (m) and of the normal (sine) */
    double slide[2];            /* bound of the rate at which points slide along their cores, per metre */
    double turn;                /* bound of the rate at which the normal rotates, rad per metre */
} touchRoom;

/* Largest distance of the surface from the origin. For a plane and a mesh: that of the witness point. */
static double turning_arm(const tacShape *s, const tacPose *pose, tacVec3 x) {
    if (s->type == TAC_GEOM_PLANE || s->type == TAC_GEOM_MESH) return tac_norm3(tac_sub3(x, pose->p));
    return tac_shape_radius(s);
}

static void find_patch(touchRoom *r, int side) {
    const tacTouch *t = r->touch;
    tacVec3 near = t->point[side];
    r->patch[side] = tac_feature_patch(r->shape[side], r->pose[side], t->feature[side], near);
    if (t->rule == TAC_RULE_CLIP &&
        r->patch[side].pad > 0) { /* N is not across the line, so the point of its core is elsewhere */
        near = tac_add3(near,
                        tac_touch_offset(r->shape[side], &r->patch[side], side == 1 ? t->normal : tac_neg3(t->normal)));
        r->patch[side] = tac_feature_patch(r->shape[side], r->pose[side], t->feature[side], near);
    }
    r->arm[side] = turning_arm(r->shape[side], r->pose[side], t->point[side]);
}

static void find_room(touchRoom *r, int side) {
    const tacTouch *t = r->touch;
    r->length[side] = tac_feature_room(r->shape[side], r->pose[side], t->feature[side], r->patch[side].x,
                                       side == 0 ? t->normal : tac_neg3(t->normal), &r->angle[side]);
    if (r->angle[side] < -OUTSIDE_CONE) r->angle[side] = TAC_INFINITY;
}

/* --- NEAREST: how fast points and normal move --------------------------------------------------------------------- */

/* Rotation rate of the normal in the shapes' frames when the shapes rotate. */
static double rigid_turn(const touchRoom *r) {
    double arm = tac_min(r->arm[0], r->arm[1]);
    return arm > 0 ? 1 / arm : TAC_INFINITY;
}

/* The normal connects two points, or a point and its foot on a line, d apart. A translation rotates it by 1/d. */
static void point_rates(touchRoom *r) {
    double d = tac_norm3(tac_sub3(r->patch[1].x, r->patch[0].x));
    r->turn += d > 0 ? 1 / d : TAC_INFINITY;
}

/* The normal is across two lines. With `sine` of the angle between them, translations move the feet by 1/sine,
 * rotations by d/sine per rad, and both rotate the normal by 1/sine. */
static void line_rates(touchRoom *r) {
    tacVec3 m = tac_cross3(r->patch[0].t[0], r->patch[1].t[0]);
    double bound = tac_norm3(r->patch[0].t[0]) * tac_norm3(r->patch[1].t[0]), across = tac_norm3(m);
    double slow = across > 0 ? bound / across : TAC_INFINITY, d = tac_norm3(tac_sub3(r->patch[1].x, r->patch[0].x));
    r->slide[0] = r->slide[1] = slow * (1 + d * r->turn);
    r->turn *= slow;
}

/* Adds the response to one unit on the right side of (D10): points along their patches, and the normal. */
static void add_rates(touchRoom *r, const tacNearestTangent *d, double weight) {
    for (int side = 0; side < 2; side++) {
        tacVec3 slide = tac_zero3();
        for (int i = 0; i < r->patch[side].dim; i++)
            slide = tac_madd3(slide, d->s[side][i], r->patch[side].t[i]);
        r->slide[side] += weight * tac_norm3(slide);
    }
    r->turn += weight * tac_norm3(d->n);
}

/* Curved features: from the columns of the inverse of (D10). A rotation by 1/arm changes n . t by |t|/arm. */
static void curved_rates(touchRoom *r) {
    const double level[2][2] = {{0, 0}, {0, 0}};
    tacNearest k;
    if (tac_nearest_factor(r->patch, r->touch->normal, &k)) {
        r->turn = TAC_INFINITY;
        return;
    }
    for (int i = 0; i < 2; i++) {
        tacNearestTangent d = tac_nearest_solve(&k, k.e[i], level);
        add_rates(r, &d, 1);
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < r->patch[side].dim; i++) {
            double slope[2][2] = {{0, 0}, {0, 0}};
            slope[side][i] = 1;
            tacNearestTangent d = tac_nearest_solve(&k, tac_zero3(), (const double(*)[2])slope);
            if (r->arm[side] > 0) add_rates(r, &d, tac_norm3(r->patch[side].t[i]) / r->arm[side]);
        }
}

/* A plane gives the normal, and no translation rotates it. */
static void find_rates(touchRoom *r) {
    int plane = tac_touch_side(r->touch, TAC_FEATURE_PLANE), point = tac_touch_side(r->touch, TAC_FEATURE_POINT);
    int straight = 1;
    for (int side = 0; side < 2; side++)
        straight = straight && r->touch->feature[side].kind <= TAC_FEATURE_PLANE;
    r->slide[0] = r->slide[1] = straight ? 1 : 0;
    r->turn = rigid_turn(r);
    if (!straight) curved_rates(r);
    if (!straight || plane >= 0) return;
    if (point >= 0) point_rates(r);
    if (point < 0) line_rates(r);
}

/* room / rate; either may be infinite */
static double divide_room(double room, double rate) { return room < TAC_INFINITY && rate > 0 ? room / rate : room; }

static double nearest_margin(touchRoom *r) {
    double margin = TAC_INFINITY;
    find_rates(r);
    for (int side = 0; side < 2; side++)
        margin = tac_min(margin, tac_min(divide_room(r->length[side], tac_max(1, r->slide[side])),
                                         divide_room(r->angle[side], r->turn)));
    return margin;
}

/* --- A face gives the normal -------------------------------------------------------------------------------------- */

/* Two conditions: the point of the rim stays over the face, and the rim does not come to lie flat. A tilt that moves it
 * by r sine makes it flat. The lowest point runs along the rim by r/sine per rad. */
static double rim_margin(const touchRoom *r, int face) {
    int rim = 1 - face;
    double sine = tac_norm3(tac_cross3(r->touch->normal, tac_pose_axis(r->pose[rim], 2)));
    double radius = r->shape[rim]->size.x, turn = rigid_turn(r);
    if (tac_rim_is_fixed(r->touch->feature[rim])) {
        tacVec3 N = face == 0 ? r->touch->normal : tac_neg3(r->touch->normal);
        double tilt = tac_rim_tilt_room(r->shape[rim], r->pose[rim], N, tac_rim_flat(r->shape[face]));
        return tac_min(divide_room(r->length[face], 1 + radius * turn), divide_room(tilt, turn));
    }
    double room = tac_min(divide_room(r->length[face] * sine, sine + radius * turn), radius * sine);
    return r->touch->rule == TAC_RULE_NEAREST ? tac_min(room, divide_room(r->angle[rim], turn)) : room;
}

/* 1/m: curvature of a feature seen along a face's normal. */
static double curvature_of(const tacShape *s, tacFeature f) {
    return f.kind == TAC_FEATURE_CIRCLE && s->size.x > 0 ? 1 / s->size.x : 0;
}

/* The crossing stays on the edge `clip` and on the line. It runs along both 1/sine times as fast as the shapes. Where
 * one of them is a rim, or both are, they separate after (1 - cos)/(1/r0 + 1/r1), the sagitta of the rim beyond an
 * edge. A rotation moves the side plane by the height above the face. */
static double clip_margin(const touchRoom *r, int face) {
    int other = 1 - face;
    tacVec3 N = r->touch->normal, q = r->touch->point[other];
    tacPatch clip = tac_feature_patch(r->shape[face], r->pose[face], r->touch->clip, q);
    double angle, edge = tac_feature_room(r->shape[face], r->pose[face], r->touch->clip, clip.x, N, &angle);
    tacVec3 m = tac_cross3(clip.t[0], N);
    double bound = tac_norm3(m) * tac_norm3(r->patch[other].t[0]);
    double sine = bound > 0 ? tac_min(1, tac_abs(tac_dot3(m, r->patch[other].t[0])) / bound) : 0;
    double room = tac_min(edge, r->length[other]) * sine;
    double curvature =
        curvature_of(r->shape[other], r->touch->feature[other]) + curvature_of(r->shape[face], r->touch->clip);
    if (curvature > 0) room = tac_min(room, (1 - tac_sqrt(1 - sine * sine)) / curvature);
    return divide_room(room, 1 + tac_abs(r->touch->dist) * rigid_turn(r));
}

static void init_room(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, const tacTouch *touch,
                      touchRoom *r) {
    r->shape[0] = a;
    r->shape[1] = b;
    r->pose[0] = A;
    r->pose[1] = B;
    r->touch = touch;
    for (int side = 0; side < 2; side++)
        find_patch(r, side);
}

/* The margin by the rule of the touch. */
static double margin_of(touchRoom *r) {
    int plane = tac_touch_side(r->touch, TAC_FEATURE_PLANE);
    if (tac_touch_on_rim(r->touch)) return rim_margin(r, plane);
    if (r->touch->rule == TAC_RULE_NEAREST) return nearest_margin(r);
    if (plane < 0) return 0;
    return r->touch->rule == TAC_RULE_CLIP ? clip_margin(r, plane) : r->length[plane];
}

double tac_touch_margin(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                        const tacTouch *touch) {
    touchRoom r;
    init_room(a, A, b, B, touch, &r);
    for (int side = 0; side < 2; side++)
        find_room(&r, side);
    double margin = margin_of(&r);
    return margin < 0 && margin > -BORDER_ROUNDING * (r.arm[0] + r.arm[1]) ? 0 : margin;
}

double tac_touch_normal_rate(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B,
                             const tacTouch *touch) {
    touchRoom r;
    init_room(a, A, b, B, touch, &r);
    r.turn = rigid_turn(&r);
    if (touch->rule == TAC_RULE_NEAREST && !tac_touch_on_rim(touch)) find_rates(&r);
    return r.turn;
}
