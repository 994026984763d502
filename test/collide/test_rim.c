/* Rims that lie flat touch with points that are fixed to them. Derivatives of such touches: test_touch_deriv.c. */
#include "pair_checks.h"

#include <math.h>

static const double TOL = 1e-14;     /* m */
static const double UNDER = 1.2e-10; /* m: what may lie lower than the lowest fixed point */
enum { SAMPLES = 500 };

/* A cylinder or cone that stands on a plane, a box or a flat end of another cylinder, tilted by up to `tilt`, above it
 * by `gap`; away from the middle by `off`. */
static Pair draw_standing(tacDraw *d, tacGeomType on, double tilt, double gap, double off) {
    tacGeomType type = draw_int(d, 2) ? TAC_GEOM_CYLINDER : TAC_GEOM_CONE;
    double half = on == TAC_GEOM_PLANE ? 0 : 0.5, r = draw_uniform(d, 0.05, 0.4), h = draw_uniform(d, 0.1, 1);
    tacVec3 turn = {draw_uniform(d, -tilt, tilt), draw_uniform(d, -tilt, tilt), 0}, p = {off, 0, half + h + gap};
    tacQuat yaw = tac_quat_exp(tac_vec3(0, 0, draw_uniform(d, -3, 3)));
    Pair pair = {{shape_of(on, 0.6, on == TAC_GEOM_CYLINDER ? 0.5 : 0.6, 0.5), shape_of(type, r, h, 0)},
                 {pose_at(0, 0, 0), {p, tac_quat_mat(tac_quat_mul(tac_quat_exp(turn), yaw))}}};
    return pair;
}

static int fixed_touches(const Pair *p, double reach, tacTouch *t) {
    int n = touches_of(p, reach, t);
    return tac_fix_rims(&p->shape[0], &p->pose[0], &p->shape[1], &p->pose[1], n, t);
}

static int is_fixed(const tacTouch *t) {
    int rim = t->feature[0].kind == TAC_FEATURE_CIRCLE ? 0 : 1;
    return t->feature[rim].kind == TAC_FEATURE_CIRCLE && t->rule == TAC_RULE_RIM && tac_rim_is_fixed(t->feature[rim]);
}

static int same_features(const tacTouch *a, const tacTouch *b) {
    for (int side = 0; side < 2; side++)
        if (a->feature[side].kind != b->feature[side].kind || a->feature[side].id[0] != b->feature[side].id[0] ||
            a->feature[side].id[1] != b->feature[side].id[1])
            return 0;
    return a->rule == b->rule;
}

/* Its point is that of the shape at its angle, its distance that of the point above the other's face. */
static void check_fixed(const Pair *p, const tacTouch *t) {
    int rim = t->feature[0].kind == TAC_FEATURE_CIRCLE ? 0 : 1, which = t->feature[rim].id[1] - 1;
    tacVec3 x = tac_pose_local(&p->pose[rim], t->point[rim]);
    double angle = 2 * acos(-1) * which / TAC_RIM_POINTS, r = p->shape[rim].size.x;
    CHECK(which >= 0 && which < TAC_RIM_POINTS);
    CHECK_NEAR(x.x, r * cos(angle), TOL);
    CHECK_NEAR(x.y, r * sin(angle), TOL);
    CHECK_NEAR(tac_dot3(t->normal, tac_sub3(t->point[1], t->point[0])), t->dist, TOL);
    CHECK(t->normal.z > 0);
}

/* On every kind of face: three points 120 degrees apart, none of them much above what is lowest. */
static void flat_rims_have_fixed_points(void **state) {
    static const tacGeomType ON[] = {TAC_GEOM_PLANE, TAC_GEOM_BOX, TAC_GEOM_CYLINDER};
    (void)state;
    tacDraw d = {31, 0};
    tacTouch t[TAC_MAX_TOUCH];
    for (int k = 0; k < 3 * SAMPLES; k++) {
        Pair p = draw_standing(&d, ON[k % 3], 3e-5, draw_uniform(&d, -1e-3, 1e-3), 0);
        int n = fixed_touches(&p, 0.01, t), fixed = 0;
        for (int i = 0; i < n; i++)
            if (is_fixed(&t[i])) check_fixed(&p, &t[i]), fixed++;
        CHECK(fixed >= 3);
        CHECK(is_fixed(&t[0]));
        CHECK_LT(t[0].dist - gap_along(&p, t[0].normal), UNDER);
        for (int i = 1; i < n; i++)
            CHECK(t[i].dist >= t[0].dist);
    }
}

/* The same points at any other pose, also where the rim is tilted ten thousand times as much, or the other
 * way. */
static void points_stay_where_they_are(void **state) {
    (void)state;
    tacDraw d = {32, 0};
    tacTouch t[TAC_MAX_TOUCH];
    for (int k = 0; k < SAMPLES; k++) {
        Pair p = draw_standing(&d, TAC_GEOM_BOX, 3e-5, 0, 0), moved = draw_standing(&d, TAC_GEOM_BOX, 0.2, 0, 0);
        int n = fixed_touches(&p, 0.01, t);
        for (int i = 0; i < n; i++) {
            if (!is_fixed(&t[i])) continue;
            p.pose[1] = moved.pose[1];
            CHECK_INT(tac_touch_rebuild(&p.shape[0], &p.pose[0], &p.shape[1], &p.pose[1], &t[i]), TAC_OK);
            check_fixed(&p, &t[i]);
        }
    }
}

/* Rims that are tilted more, and what has no radius, touch as ever; so do points that would be beside the face. */
static void others_are_left_alone(void **state) {
    (void)state;
    tacDraw d = {33, 0};
    tacTouch t[TAC_MAX_TOUCH], plain[TAC_MAX_TOUCH];
    int beside = 0;
    for (int k = 0; k < SAMPLES; k++) {
        Pair p = draw_standing(&d, k % 2 ? TAC_GEOM_PLANE : TAC_GEOM_BOX, 0.1, 0, 0);
        int n = fixed_touches(&p, 0.01, t);
        CHECK_INT(touches_of(&p, 0.01, plain), n);
        for (int i = 0; i < n; i++)
            CHECK(same_features(&t[i], &plain[i]) && t[i].dist == plain[i].dist);
        double toward = draw_uniform(&d, -1, 1); /* of its lowest point, just over the edge */
        p = draw_standing(&d, TAC_GEOM_BOX, 0, 0, 0);
        p.pose[1].R = tac_quat_mat(tac_quat_exp(tac_vec3(-1e-6 * sin(toward), 1e-6 * cos(toward), 0)));
        p.pose[1].p.x = 0.6 - 1e-5 - p.shape[1].size.x * cos(toward);
        n = fixed_touches(&p, 0.01, t);
        for (int i = 0; i < n; i++) {
            CHECK(fabs(t[i].point[0].x) <= 0.6 + 1e-9);
            beside += tac_touch_on_rim(&t[i]) && !is_fixed(&t[i]);
        }
        p.shape[1].size.x = 0;
        n = fixed_touches(&p, 0.01, t);
        for (int i = 0; i < n; i++)
            CHECK(!is_fixed(&t[i]));
    }
    CHECK(beside > 0);
}

/* Within its margin a pair keeps its fixed points. */
static void margins_hold(void **state) {
    (void)state;
    tacDraw d = {34, 0};
    tacTouch t[TAC_MAX_TOUCH], after[TAC_MAX_TOUCH];
    int wide = 0;
    for (int k = 0; k < SAMPLES; k++) {
        Pair p = draw_standing(&d, k % 2 ? TAC_GEOM_PLANE : TAC_GEOM_BOX, 3e-5, 0, 0), moved = p;
        int n = fixed_touches(&p, 0.01, t);
        double room = 0.99 * t[0].margin / (p.shape[1].size.x + p.shape[1].size.y);
        wide += room > 1e-9;
        tacQuat turn = tac_quat_exp(tac_scale3(room / sqrt(3), draw_vec3(&d, 1)));
        moved.pose[1].R = tac_mulmm3(tac_quat_mat(turn), p.pose[1].R);
        CHECK_INT(fixed_touches(&moved, 0.01, after), n);
        int same = 0;
        for (int i = 0; i < n; i++)
            same += same_features(&t[0], &after[i]);
        CHECK_INT(same, 1);
    }
    CHECK(wide > SAMPLES / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_rims_have_fixed_points),
        cmocka_unit_test(points_stay_where_they_are),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(margins_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
