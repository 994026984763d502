/* Margins of touches: known ones by hand; and of random pairs, that motions shorter than the margin leave the features
 * the nearest, while longer ones do not always. */
#include "support/check.h"

#include "collide/closed_form.h"
#include "collide/touch_motion.h"
#include "support/draw.h"

#include <math.h>

#define TOL_VALUE 1e-12
/* A margin holds to first order in the motion; motions of this share of it are within. */
#define SHARE 0.5
/* Room that a moved touch may be short of: the second order of motions of at most MOST. */
#define MOST   1e-3
#define SECOND 1e-5

enum { TRIALS = 3000 };

#define F(kind_, a, b)                                                                                                 \
    {                                                                                                                  \
        .kind = TAC_FEATURE_##kind_, .id = { a, b }                                                                    \
    }

static const tacMat3 UPRIGHT = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

/* --- By hand ------------------------------------------------------------------------------------------------------ */

/* A ball over a box: from its corner's side the face has 0.25 left. */
static void a_ball_over_a_face(void **state) {
    (void)state;
    tacShape box = {.type = TAC_GEOM_BOX, .size = {1, 2, 3}}, ball = {.type = TAC_GEOM_SPHERE, .size = {0.5, 0, 0}};
    tacPose A = {{0, 0, 0}, UPRIGHT}, B = {{0.75, 0, 3.6}, UPRIGHT};
    tacTouch t = {.feature = {F(PLANE, 5, 0), F(POINT, 0, 0)}};
    CHECK_INT(tac_touch_rebuild(&box, &A, &ball, &B, &t), TAC_OK);
    CHECK_NEAR(t.dist, 0.1, TOL_VALUE);
    CHECK_NEAR(tac_touch_margin(&box, &A, &ball, &B, &t), 0.25, TOL_VALUE);
}

/* Two capsules crossed at a right angle: each foot is 0.5 from the end of its segment, d apart; turns of the larger one
 * (reach 2.1) move the feet by d more. */
static void two_crossed_capsules(void **state) {
    (void)state;
    tacShape rod = {.type = TAC_GEOM_CAPSULE, .size = {0.1, 2, 0}};
    tacPose A = {{0, 0, 1.5}, UPRIGHT}, B = {{1, 0, 0}, {{1, 0, 0, 0, 0, -1, 0, 1, 0}}};
    tacTouch t = {.normal = {1, 0, 0}, .feature = {F(LINE, 0, 1), F(LINE, 0, 1)}};
    CHECK_INT(tac_touch_rebuild(&rod, &A, &rod, &B, &t), TAC_OK);
    CHECK_NEAR(t.dist, 0.8, TOL_VALUE);
    CHECK_NEAR(tac_touch_margin(&rod, &A, &rod, &B, &t), 0.5 / (1 + 1 / 2.1), TOL_VALUE);
}

/* Nothing can take over from two balls but where they are one. */
static void two_balls(void **state) {
    (void)state;
    tacShape ball = {.type = TAC_GEOM_SPHERE, .size = {0.5, 0, 0}};
    tacPose A = {{0, 0, 0}, UPRIGHT}, B = {{0, 0, 2}, UPRIGHT};
    tacTouch t = {.feature = {F(POINT, 0, 0), F(POINT, 0, 0)}};
    CHECK_INT(tac_touch_rebuild(&ball, &A, &ball, &B, &t), TAC_OK);
    CHECK(isinf(tac_touch_margin(&ball, &A, &ball, &B, &t)));
    CHECK_NEAR(tac_touch_normal_rate(&ball, &A, &ball, &B, &t), 1 / 2.0 + 1 / 0.5, TOL_VALUE);
}

/* --- Random pairs ------------------------------------------------------------------------------------------------- */

static tacShape draw_one(tacDraw *d) {
    static const tacGeomType TYPES[] = {TAC_GEOM_CAPSULE, TAC_GEOM_CYLINDER,  TAC_GEOM_CONE,
                                        TAC_GEOM_BOX,     TAC_GEOM_ELLIPSOID, TAC_GEOM_MESH};
    tacGeomType type = TYPES[draw_int(d, 6)];
    if (type == TAC_GEOM_MESH) return motion_prism();
    tacVec3 size = {draw_uniform(d, 0.4, 1.2), draw_uniform(d, 0.4, 1.2), draw_uniform(d, 0.4, 1.2)};
    return (tacShape){.type = type, .size = size};
}

static double room(const tacShape *s, const tacPose *pose, const tacTouch *t, int side) {
    double angle, length = tac_feature_room(s, pose, t->feature[side], t->point[side],
                                            side == 0 ? t->normal : tac_neg3(t->normal), &angle);
    return fmin(length, angle);
}

/* One pair, one direction: moved by a share of the margin, both features still have room. -> 1 where it was tried. */
static int check_motion(tacDraw *d, int *crossed) {
    TouchMotion m = {.side = draw_int(d, 2), .what = draw_int(d, MOTION_POSE)};
    for (int i = 0; i < 2; i++)
        m.shape[i] = draw_one(d), m.pose[i] = (tacPose){draw_vec3(d, 0.3), tac_quat_mat(draw_quat(d))};
    m.pose[1].p = tac_add3(m.pose[1].p, tac_quat_rotate(draw_quat(d), tac_vec3(0, 0, draw_uniform(d, 2.5, 4))));
    m.about = m.pose[m.side].p;
    tacTouch t[TAC_MAX_TOUCH];
    if (tac_touches(&m.shape[0], &m.pose[0], &m.shape[1], &m.pose[1], 10, NULL, t) == 0) return 0;
    if (!(t[0].dist > 0) || t[0].rule != TAC_RULE_NEAREST || !(t[0].margin > 0)) return 0;
    double arm = m.what < 3 ? tac_shape_radius(&m.shape[m.side]) : 1, reach = fmin(MOST, SHARE * t[0].margin);
    for (int sign = -1; sign <= 1; sign += 2) {
        tacShape shape[2];
        tacPose pose[2];
        tacTouch moved = t[0];
        motion_at(&m, sign * reach / arm, shape, pose);
        CHECK_INT(tac_touch_rebuild(&shape[0], &pose[0], &shape[1], &pose[1], &moved), TAC_OK);
        for (int side = 0; side < 2; side++)
            CHECK(room(&shape[side], &pose[side], &moved, side) > -SECOND);
        motion_at(&m, sign * 20 * t[0].margin / arm, shape, pose);
        moved = t[0];
        if (tac_touch_rebuild(&shape[0], &pose[0], &shape[1], &pose[1], &moved) != TAC_OK) continue;
        for (int side = 0; side < 2; side++)
            *crossed += room(&shape[side], &pose[side], &moved, side) < 0;
    }
    return 1;
}

static void shorter_motions_keep_the_features(void **state) {
    (void)state;
    tacDraw d = {71, 0};
    int tried = 0, crossed = 0;
    for (int i = 0; i < TRIALS; i++)
        tried += check_motion(&d, &crossed);
    CHECK(tried > TRIALS / 2);
    CHECK(crossed > tried / 10); /* a margin that is always too small would say nothing */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_over_a_face),
        cmocka_unit_test(two_crossed_capsules),
        cmocka_unit_test(two_balls),
        cmocka_unit_test(shorter_motions_keep_the_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
