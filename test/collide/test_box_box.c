#include "collide/closed_form.h"
#include "collide/flush.h"
#include "pair_checks.h"

#include <math.h>
#include <string.h>

/* Of the boxes' size: rounding, and the ties between features (TAC_FEATURE_TIE, 1e-10). */
static const double TOL = 1e-9;
/* The same where no tie is near. */
static const double TOL_EXACT = 1e-12;

static tacShape box_of(tacVec3 half) { return shape_of(TAC_GEOM_BOX, half.x, half.y, half.z); }

/* --- Random pairs ------------------------------------------------------------------------------------------------- */

/* Greatest gap over the fifteen directions, worked out from corners. */
static double greatest_of_fifteen(const Pair *p) {
    double best = -HUGE_VAL;
    tacVec3 axis[2][3];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            axis[k][i] = tac_mulmv3(p->pose[k].R, tac_vec3(i == 0, i == 1, i == 2));
    for (int k = 0; k < 15; k++) {
        tacVec3 u = k < 6 ? axis[k / 3][k % 3] : tac_cross3(axis[0][(k - 6) / 3], axis[1][(k - 6) % 3]);
        double length = tac_norm3(u);
        if (length < 1e-12) continue;
        u = tac_scale3(1 / length, u);
        best = fmax(best, fmax(gap_along(p, u), gap_along(p, tac_neg3(u))));
    }
    return best;
}

/* Every touch stands on both surfaces and follows from its features; the first has the pair's distance: apart, a plane
 * parts the boxes by as much as its two points are apart; overlapping, no direction of the fifteen parts them more
 * cheaply. None is deeper seen along the first's normal. */
static int check_boxes(const Pair *p, double reach, tacTouch *out) {
    double tol = TOL * pair_size(p);
    int n = touches_of(p, reach, out);
    CHECK(n >= 0 && n <= TAC_MAX_TOUCH);
    for (int i = 0; i < n; i++) {
        check_touch(p, &out[i], tol);
        CHECK(out[i].dist < reach + tol);
        CHECK(out[0].dist < out[i].dist * tac_dot3(out[0].normal, out[i].normal) + tol);
        for (int j = 0; j < i; j++)
            CHECK(tac_norm3(tac_sub3(out[i].point[0], out[j].point[0])) > 0 ||
                  tac_norm3(tac_sub3(out[i].point[1], out[j].point[1])) > 0);
    }
    if (n == 0) return 0;
    CHECK_NEAR(gap_along(p, out[0].normal), out[0].dist, tol);
    CHECK_LT(greatest_of_fifteen(p), out[0].dist + tol);
    return n;
}

/* A rotation by a random, often tiny, angle: near-parallel faces and edges at every size of tilt. */
static tacPose draw_near_pose(tacDraw *d, double range) {
    double angle = pow(10, draw_uniform(d, -16, 0.5));
    tacVec3 turn = tac_scale3(angle, draw_vec3(d, 1));
    tacVec3 quarter = {1.5707963267948966 * draw_int(d, 4), 0, 0};
    tacQuat q = tac_quat_mul(tac_quat_exp(turn), tac_quat_exp(quarter));
    return (tacPose){draw_vec3(d, range), tac_quat_mat(q)};
}

static void random_pairs(void **state) {
    (void)state;
    tacDraw d = {1, 0};
    int overlap = 0, kinds[4][4] = {{0}};
    const int n = 20000;
    for (int i = 0; i < n; i++) {
        Pair p = {{box_of(tac_vec3(0.5, 0.5, 0.5)), box_of(tac_vec3(0.5, 0.5, 0.5))}, {draw_near_pose(&d, 0.5)}};
        for (int k = 0; k < 2; k++)
            p.shape[k].size = tac_add3(tac_vec3(0.6, 0.6, 0.6), draw_vec3(&d, 0.5));
        p.pose[1] = i % 2 ? draw_near_pose(&d, 1.5) : draw_pose(&d, 1.5);
        tacTouch t[TAC_MAX_TOUCH];
        CHECK(check_boxes(&p, HUGE_VAL, t) > 0);
        overlap += t[0].dist < 0;
        kinds[t[0].feature[0].kind][t[0].feature[1].kind]++;
        double reach = t[0].dist + draw_uniform(&d, 1e-3, 0.3);
        CHECK(check_boxes(&p, reach, t) > 0);
        CHECK_INT(touches_of(&p, t[0].dist, t), 0);
    }
    CHECK(overlap > n / 10 && overlap < n - n / 10);
    CHECK(kinds[0][0] > 20 && kinds[0][1] > 20 && kinds[1][0] > 20 && kinds[1][1] > 20); /* every case was there */
    CHECK(kinds[0][2] > 20 && kinds[2][0] > 20);
}

static void moved_together_and_swapped(void **state) {
    (void)state;
    tacDraw d = {2, 0};
    for (int i = 0; i < 3000; i++) {
        Pair p = draw_pair(&d, TAC_GEOM_BOX, TAC_GEOM_BOX, 1.2);
        check_invariance(&p, &d, HUGE_VAL, 1e-10 * pair_size(&p));
        check_margin(&p, &d);
    }
}

/* --- Known manifolds ---------------------------------------------------------------------------------------------- */

/* Box b of half-sizes h, its bottom `gap` above the top of a box of half-sizes 1, 1, 1, at x, y, turned by yaw. */
static Pair stacked(tacVec3 h, double x, double y, double gap, double yaw) {
    Pair p = {{shape_of(TAC_GEOM_BOX, 1, 1, 1), box_of(h)}, {pose_at(0, 0, 0), pose_at(0, 0, 0)}};
    p.pose[1] = pose_turned(tac_vec3(x, y, 1 + h.z + gap), tac_vec3(0, 0, yaw));
    return p;
}

static int count(int n, const tacTouch *t, tacContactRule rule) {
    int found = 0;
    for (int i = 0; i < n; i++)
        found += t[i].rule == rule;
    return found;
}

static int check_stack(const Pair *p, double gap, tacTouch *t) {
    int n = check_boxes(p, fabs(gap) + 1e-3, t);
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(t[i].dist, gap, TOL);
        CHECK_NEAR(t[i].normal.z, 1, TOL_EXACT);
    }
    return n;
}

static void faces_on_faces(void **state) {
    (void)state;
    const double gaps[] = {-0.05, -1e-6, 0, 1e-6, 0.05};
    tacTouch t[TAC_MAX_TOUCH];
    for (int g = 0; g < 5; g++) {
        double gap = gaps[g];
        Pair small = stacked(tac_vec3(0.5, 0.4, 0.3), 0.1, 0.2, gap, 0.3),
             same = stacked(tac_vec3(1, 1, 1), 0, 0, gap, 0);
        CHECK_INT(check_stack(&small, gap, t), 4);
        CHECK_INT(count(4, t, TAC_RULE_NEAREST), 4);
        CHECK_INT(check_stack(&same, gap, t), 4); /* corner on corner: four points, not twelve */
        Pair shifted = stacked(tac_vec3(1, 1, 1), 0.5, 0.25, gap, 0);
        CHECK_INT(check_stack(&shifted, gap, t), 4); /* a corner of each, two crossings */
        CHECK_INT(count(4, t, TAC_RULE_CLIP), 2);
        Pair eight = stacked(tac_vec3(1, 1, 1), 0, 0, gap, 0.78539816339744831);
        CHECK_INT(check_stack(&eight, gap, t), 8);
        Pair large = stacked(tac_vec3(3, 3, 0.5), 0.4, -0.3, gap, 0.5);
        CHECK_INT(check_stack(&large, gap, t), 4); /* the corners of the face below */
        Pair cross = stacked(tac_vec3(0.2, 3, 0.5), 0.4, 0, gap, 0);
        CHECK_INT(check_stack(&cross, gap, t), 4); /* four crossings */
    }
}

/* Crossing planks, tilted: two edges give the nearest touch; the other crossings stay. While the planks are flush, but
 * not level, the nearest one is there along a face's normal as well. */
static void tilted_planks(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        double tilt = pow(10, -k);
        Pair p = stacked(tac_vec3(0.2, 3, 0.1), 0, 0, -1e-3, 0);
        p.pose[1] = pose_turned(p.pose[1].p, tac_vec3(tilt / 2, 0.3 * tilt, 0));
        tacTouch t[TAC_MAX_TOUCH];
        int n = check_boxes(&p, 2, t);
        CHECK(n >= 4);
        int crossings = 0;
        for (int i = 0; i < n; i++)
            crossings += t[i].rule == TAC_RULE_CLIP ||
                         (t[i].feature[0].kind == TAC_FEATURE_LINE && t[i].feature[1].kind == TAC_FEATURE_LINE);
        double cosine = tac_get3(tac_pose_axis(&p.pose[1], 2), 2), sine = sqrt(1 - cosine * cosine);
        CHECK_INT(crossings, cosine > TAC_FLUSH_FACES && sine > TAC_FLUSH_LEVEL ? 5 : 4);
        if (tilt > 1e-6) CHECK_INT(t[0].feature[0].kind, TAC_FEATURE_LINE);
    }
}

/* Thin plates, edge to edge but for a tilt, that overlap by about as much as they tilt: the directions of their edges
 * are as near to each other as the tilt, and part the boxes equally, to a tie. The touch stands on both boxes all the
 * same. */
static void tilted_plates(void **state) {
    (void)state;
    tacDraw d = {7, 0};
    int edges = 0;
    for (int i = 0; i < 20000; i++) {
        double tilt = pow(10, draw_uniform(&d, -9, -6)), quarter = 0.78539816339744831;
        tacVec3 a = {3, 3, draw_uniform(&d, 0.02, 0.1)}, b = {2, 2, draw_uniform(&d, 0.02, 0.1)};
        tacVec3 along = {a.x + b.x - tilt * draw_uniform(&d, 0, 1), draw_uniform(&d, -3, 3),
                         draw_uniform(&d, -0.1, 0.1)};
        tacQuat turn = tac_quat_mul(tac_quat_exp(draw_vec3(&d, tilt)), tac_quat_exp(tac_vec3(quarter, 0, 0)));
        Pair p = {{box_of(a), box_of(b)}, {pose_at(0, 0, 0), {along, tac_quat_mat(turn)}}};
        tacTouch t[TAC_MAX_TOUCH];
        if (check_boxes(&p, HUGE_VAL, t) > 0) edges += t[0].dist < 0 && t[0].feature[0].kind == TAC_FEATURE_LINE;
    }
    CHECK(edges > 1000);
}

static void edges_and_corners(void **state) {
    (void)state;
    const double r2 = sqrt(2), r3 = sqrt(3);
    tacTouch t[TAC_MAX_TOUCH];
    /* two cubes with edges up and down, crossing at a right angle */
    Pair p = {{shape_of(TAC_GEOM_BOX, 1, 1, 1), shape_of(TAC_GEOM_BOX, 1, 1, 1)}, {pose_at(0, 0, 0), pose_at(0, 0, 0)}};
    p.pose[0] = pose_turned(tac_vec3(0, 0, 0), tac_vec3(0.78539816339744831, 0, 0));
    for (double gap = -0.2; gap < 0.3; gap += 0.1) {
        p.pose[1] = pose_turned(tac_vec3(0.1, 0.2, 2 * r2 + gap), tac_vec3(0, 0.78539816339744831, 0));
        CHECK_INT(check_boxes(&p, gap + 0.1, t), 1);
        CHECK_NEAR(t[0].dist, gap, TOL_EXACT);
        CHECK_NEAR(t[0].point[0].x, 0.1, TOL_EXACT);
        CHECK_NEAR(t[0].point[0].y, 0, TOL_EXACT);
        CHECK_INT(t[0].feature[0].kind, TAC_FEATURE_LINE);
    }
    p.pose[0] = pose_at(0, 0, 0), p.pose[1] = pose_at(3, 4, 5); /* corner to corner: 1, 2, 3 apart */
    CHECK_INT(check_boxes(&p, 10, t), 1);
    CHECK_NEAR(t[0].dist, sqrt(14), TOL_EXACT);
    p.pose[1] = pose_at(5, 0, 6); /* edge to edge, parallel */
    CHECK(check_boxes(&p, 10, t) >= 1);
    CHECK_NEAR(t[0].dist, 5, TOL_EXACT);
    p.pose[1] = pose_turned(tac_vec3(0, 0, 1 + r3), tac_vec3(0, 0, 0)); /* a corner straight down */
    double down = acos(1 / r3);
    p.pose[1] = pose_turned(tac_vec3(0.3, 0.1, 1 + r3 - 0.01), tac_scale3(down, tac_vec3(1 / r2, -1 / r2, 0)));
    CHECK_INT(check_boxes(&p, 0.1, t), 1);
    CHECK_NEAR(t[0].dist, -0.01, TOL_EXACT);
    CHECK_INT(t[0].feature[0].kind, TAC_FEATURE_PLANE);
}

/* Boxes that turn about two axes of each other, as links of a robot with hinges do: an axis of the one then lies across
 * an axis of the other, and the common normal of two edges is the normal of a face, which has two such edges. */
static void turned_about_two_axes(void **state) {
    (void)state;
    tacDraw d = {7, 0};
    int edges = 0;
    for (int i = 0; i < 20000; i++) {
        Pair p = {{box_of(tac_vec3(0.5, 0.5, 0.5)), box_of(tac_vec3(0.5, 0.5, 0.5))},
                  {pose_at(0, 0, 0), pose_at(0, 0, 0)}};
        for (int k = 0; k < 2; k++)
            p.shape[k].size = tac_add3(tac_vec3(0.6, 0.6, 0.6), draw_vec3(&d, 0.5));
        int first = draw_int(&d, 3), second = (first + 1 + draw_int(&d, 2)) % 3;
        tacVec3 turn = tac_scale3(draw_uniform(&d, -3, 3), tac_vec3(first == 0, first == 1, first == 2));
        tacVec3 then = tac_scale3(draw_uniform(&d, -3, 3), tac_vec3(second == 0, second == 1, second == 2));
        p.pose[1].p = draw_vec3(&d, 2.5);
        p.pose[1].R = tac_quat_mat(tac_quat_mul(tac_quat_exp(turn), tac_quat_exp(then)));
        tacTouch t[TAC_MAX_TOUCH];
        CHECK(check_boxes(&p, HUGE_VAL, t) > 0);
        edges += t[0].dist > 0 && t[0].feature[0].kind == TAC_FEATURE_LINE && t[0].feature[1].kind == TAC_FEATURE_LINE;
    }
    CHECK(edges > 200);
}

/* --- Odd boxes ---------------------------------------------------------------------------------------------------- */

static void odd_boxes(void **state) {
    (void)state;
    tacTouch t[TAC_MAX_TOUCH];
    Pair p = {{shape_of(TAC_GEOM_BOX, 0, 0, 0), shape_of(TAC_GEOM_BOX, 0, 0, 0)}, {pose_at(0, 0, 0), pose_at(1, 2, 2)}};
    CHECK_INT(touches_of(&p, HUGE_VAL, t), 1); /* two points */
    CHECK_NEAR(t[0].dist, 3, TOL_EXACT);
    p.pose[1] = pose_at(0, 0, 0);
    CHECK(touches_of(&p, HUGE_VAL, t) >= 1);
    CHECK_NEAR(t[0].dist, 0, 0);
    CHECK_NEAR(t[0].normal.x, 1, 0); /* the first direction */
    p.shape[0] = p.shape[1] = shape_of(TAC_GEOM_BOX, 1, 1, 1);
    CHECK_INT(check_boxes(&p, HUGE_VAL, t), 4); /* one inside the other */
    CHECK_NEAR(t[0].dist, -2, TOL_EXACT);
    p.shape[0] = shape_of(TAC_GEOM_BOX, 1, 1, 0), p.shape[1] = shape_of(TAC_GEOM_BOX, 0.5, 0.5, 0); /* two sheets */
    p.pose[1] = pose_at(0.2, 0.1, 0.25);
    CHECK_INT(check_boxes(&p, 1, t), 4);
    CHECK_NEAR(t[0].dist, 0.25, TOL_EXACT);
    p.shape[1] = shape_of(TAC_GEOM_BOX, 0.5, 0, 0); /* a needle above a sheet */
    CHECK_INT(check_boxes(&p, 1, t), 2);
    p.shape[0] = p.shape[1] = shape_of(TAC_GEOM_BOX, 1e-6, 2e-6, 3e-6);
    p.pose[1] = pose_at(1e-6, 3e-6, 1e-6);
    CHECK(check_boxes(&p, HUGE_VAL, t) >= 4);
    CHECK_NEAR(t[0].dist / 1e-6, -1, TOL);
    p.pose[1] = pose_at(1e6, 0, 0);
    CHECK(touches_of(&p, HUGE_VAL, t) >= 1);
    CHECK_NEAR(t[0].dist, 1e6 - 2e-6, TOL);
    CHECK_INT(touches_of(&p, 1e5, t), 0);
    p.shape[0] = shape_of(TAC_GEOM_BOX, 1e6, 1e6, 1e6), p.pose[0] = pose_at(0, 0, -1e6); /* a very large floor */
    p.shape[1] = shape_of(TAC_GEOM_BOX, 0.1, 0.1, 0.1), p.pose[1] = pose_at(3, 4, 0.09);
    CHECK_INT(touches_of(&p, 0, t), 4);
    CHECK_NEAR(t[0].dist, -0.01, 1e-9);
}

/* The same numbers from a workspace of any content: nothing is kept between calls. */
static void repeats(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    for (int i = 0; i < 200; i++) {
        Pair p = draw_pair(&d, TAC_GEOM_BOX, TAC_GEOM_BOX, 1), other = draw_pair(&d, TAC_GEOM_BOX, TAC_GEOM_BOX, 1);
        tacTouch t[TAC_MAX_TOUCH], u[TAC_MAX_TOUCH];
        memset(t, 0x7f, sizeof t), memset(u, 0xff, sizeof u);
        int n = touches_of(&p, HUGE_VAL, t);
        touches_of(&other, HUGE_VAL, u);
        CHECK_INT(touches_of(&p, HUGE_VAL, u), n);
        for (int k = 0; k < n; k++) {
            CHECK(memcmp(t[k].point, u[k].point, sizeof t[k].point) == 0);
            CHECK(memcmp(t[k].feature, u[k].feature, sizeof t[k].feature) == 0);
            CHECK(t[k].dist == u[k].dist && t[k].margin == u[k].margin);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs),      cmocka_unit_test(moved_together_and_swapped),
        cmocka_unit_test(faces_on_faces),    cmocka_unit_test(tilted_planks),
        cmocka_unit_test(edges_and_corners), cmocka_unit_test(turned_about_two_axes),
        cmocka_unit_test(odd_boxes),         cmocka_unit_test(repeats),
        cmocka_unit_test(tilted_plates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
