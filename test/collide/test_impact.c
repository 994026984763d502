/* Time of impact: closed forms with their derivatives, grazing passes, what begins near, and what cannot be. */
#include "support/check.h"

#include "collide/impact.h"
#include "math/quat.h"

#include <math.h>

#define TOL_TIME     1e-14 /* of the step, which is one second here */
#define TOL_GRADIENT 1e-12
#define MOST_STEPS   60

static tacShape shape(tacGeomType type, double x, double y, double z) {
    return (tacShape){.type = type, .size = {x, y, z}};
}

static tacTwistMotion motion(tacVec3 p, tacVec3 w, tacVec3 v) {
    return (tacTwistMotion){{p, tac_quat_mat(tac_quat_identity())}, {w, v}};
}

static tacShapeImpact find(const tacShape *a, const tacTwistMotion *A, const tacShape *b, const tacTwistMotion *B,
                           double gap) {
    tacShapeImpact hit = {0};
    tacMotion MA = tac_twist_motion(A), MB = tac_twist_motion(B);
    CHECK_INT(tac_impact(a, &MA, b, &MB, 1, gap, &hit), TAC_OK);
    return hit;
}

static tacShapeImpact must_hit(const tacShape *a, const tacTwistMotion *A, const tacShape *b, const tacTwistMotion *B,
                               double gap, double time) {
    tacShapeImpact hit = find(a, A, b, B, gap);
    CHECK_INT(hit.kind, TAC_IMPACT_HIT);
    CHECK_NEAR(hit.time, time, TOL_TIME);
    CHECK_NEAR(hit.touch.dist, gap, TOL_TIME);
    CHECK_LT(hit.rate, 0);
    CHECK_LT(hit.steps, MOST_STEPS);
    return hit;
}

/* --- Closed forms ------------------------------------------------------------------------------------------------- */

/* t = (z - r - gap)/|v| */
static void sphere_drops_on_plane(void **state) {
    (void)state;
    tacShape plane = shape(TAC_GEOM_PLANE, 0, 0, 0), ball = shape(TAC_GEOM_SPHERE, 0.1, 0, 0);
    tacTwistMotion floor = motion(tac_vec3(3, 0, 0), tac_zero3(), tac_zero3());
    tacTwistMotion fall = motion(tac_vec3(0, 0, 0.7), tac_vec3(1, 2, 3), tac_vec3(0.3, 0, -2));
    tacShapeImpact hit = must_hit(&plane, &floor, &ball, &fall, 0.01, 0.295);
    CHECK_NEAR(hit.rate, -2, TOL_TIME);
    CHECK_NEAR(hit.touch.point[1].x, 0.3 * 0.295, TOL_TIME);
    tacTwistImpactGrad g;
    CHECK_INT(tac_impact_twist_grad(&hit, &floor, &fall, &g), TAC_OK);
    CHECK_NEAR(g.start[1].lin.z, 0.5, TOL_GRADIENT);                     /* later by dz/|v| */
    CHECK_NEAR(g.velocity[1].lin.z, 0.295 * 0.5, TOL_GRADIENT);          /* dt/dv = t/|v| */
    CHECK_NEAR(g.start[0].lin.z, -0.5, TOL_GRADIENT);                    /* the floor comes up */
    CHECK_NEAR(tac_norm3(g.velocity[1].ang), 0, TOL_GRADIENT);           /* turning a ball changes nothing */
    CHECK_NEAR(g.start[0].ang.y, 0.5 * (0.3 * 0.295 - 3), TOL_GRADIENT); /* tilting the floor lifts it there */
}

/* A rod turning about its middle: D - r - gap = L sin(w t). */
static void rod_turns_into_a_wall(void **state) {
    (void)state;
    const double L = 0.5, r = 0.05, D = 0.4, w = 2, gap = 0.003;
    tacShape wall = shape(TAC_GEOM_PLANE, 0, 0, 0), rod = shape(TAC_GEOM_CAPSULE, r, L, 0);
    tacTwistMotion still = motion(tac_zero3(), tac_zero3(), tac_zero3());
    tacTwistMotion spin = motion(tac_vec3(0, 0, D), tac_vec3(0, w, 0), tac_zero3());
    spin.start.R = tac_quat_mat(tac_quat_axis_angle(tac_vec3(0, 1, 0), acos(-1) / 2)); /* lies along x */
    double sine = (D - r - gap) / L, t = asin(sine) / w, rate = L * w * sqrt(1 - sine * sine);
    for (int swap = 0; swap < 2; swap++) {
        tacShapeImpact hit =
            swap ? must_hit(&rod, &spin, &wall, &still, gap, t) : must_hit(&wall, &still, &rod, &spin, gap, t);
        tacTwistImpactGrad g;
        CHECK_NEAR(hit.rate, -rate, TOL_GRADIENT);
        CHECK_INT(swap ? tac_impact_twist_grad(&hit, &spin, &still, &g)
                       : tac_impact_twist_grad(&hit, &still, &spin, &g),
                  TAC_OK);
        CHECK_NEAR(g.start[!swap].lin.z, 1 / rate, TOL_GRADIENT);
        CHECK_NEAR(g.velocity[!swap].ang.y, -t / w, TOL_GRADIENT);
        CHECK_NEAR(g.start[!swap].ang.y, -1 / w, TOL_GRADIENT);
    }
}

/* A plane turns about the y axis at the rate w, up to a ball at rest at (x, 0, z): z cos(w t) - x sin(w t) = r. */
static void plane_turns_into_a_ball(void **state) {
    (void)state;
    const double x = 2, z = 0.5, r = 0.1, w = 0.4;
    tacShape plane = shape(TAC_GEOM_PLANE, 0, 0, 0), ball = shape(TAC_GEOM_SPHERE, r, 0, 0);
    tacTwistMotion door = motion(tac_zero3(), tac_vec3(0, -w, 0), tac_zero3());
    tacTwistMotion still = motion(tac_vec3(x, 0, z), tac_zero3(), tac_zero3());
    /* normal (-sin, 0, cos): z cos a - x sin a = r, |(x, z)| cos(a + b) = r with tan b = x/z */
    double t = (acos(r / hypot(x, z)) - atan2(x, z)) / w;
    must_hit(&plane, &door, &ball, &still, 0, t);
    must_hit(&ball, &still, &plane, &door, 0, t);
}

/* Two cubes that turn against each other about parallel axes meet edge on edge: d = 2 sqrt(2) a cos(w t - pi/4). */
static void two_spinning_boxes(void **state) {
    (void)state;
    const double a = 0.5, d = 1.3, w = 1.1, gap = 0.02;
    tacShape box = shape(TAC_GEOM_BOX, a, a, a);
    tacTwistMotion left = motion(tac_zero3(), tac_vec3(0, 0, w), tac_zero3());
    tacTwistMotion right = motion(tac_vec3(d, 0, 0), tac_vec3(0, 0, -w), tac_zero3());
    double angle = acos((d - gap) / (2 * sqrt(2) * a)), rate = -2 * sqrt(2) * a * w * sin(angle);
    double t = (acos(-1) / 4 - angle) / w;
    tacShapeImpact hit = must_hit(&box, &left, &box, &right, gap, t);
    tacTwistImpactGrad g;
    CHECK_NEAR(hit.rate, rate, TOL_GRADIENT);
    CHECK_NEAR(hit.touch.normal.x, 1, TOL_GRADIENT);
    CHECK_INT(tac_impact_twist_grad(&hit, &left, &right, &g), TAC_OK);
    CHECK_NEAR(g.start[1].lin.x, -1 / rate, TOL_GRADIENT);
    CHECK_NEAR(g.velocity[0].ang.z - g.velocity[1].ang.z, -t / w, TOL_GRADIENT); /* faster both ways */
}

/* A cube falls and turns; it lands on an edge: z0 - v t = sqrt(2) a cos(w t - pi/4). */
static void tumbling_box_lands(void **state) {
    (void)state;
    const double a = 0.3, z = 1.2, v = 1, w = 1.7;
    tacShape plane = shape(TAC_GEOM_PLANE, 0, 0, 0), box = shape(TAC_GEOM_BOX, a, a, a);
    tacTwistMotion floor = motion(tac_zero3(), tac_zero3(), tac_zero3());
    tacTwistMotion fall = motion(tac_vec3(0.1, -0.2, z), tac_vec3(w, 0, 0), tac_vec3(0, 0, -v));
    double t = 0.7;
    for (int k = 0; k < 50; k++) { /* Newton */
        double f = z - v * t - sqrt(2) * a * cos(w * t - acos(-1) / 4);
        t -= f / (-v + sqrt(2) * a * w * sin(w * t - acos(-1) / 4));
    }
    must_hit(&plane, &floor, &box, &fall, 0, t);
}

/* --- Passing by --------------------------------------------------------------------------------------------------- */

/* Balls that pass at the distance 2 r + e: hit if e < 0, and few steps however small e is. */
static void grazing_passes_end(void **state) {
    (void)state;
    const double off[] = {1e-3, 1e-6, 1e-9, 1e-12, -1e-12, -1e-9, -1e-6, -1e-3};
    tacShape ball = shape(TAC_GEOM_SPHERE, 0.1, 0, 0), box = shape(TAC_GEOM_BOX, 0.1, 0.1, 0.1);
    for (int i = 0; i < 8; i++) {
        tacTwistMotion a = motion(tac_zero3(), tac_vec3(0, 0, 5), tac_zero3());
        tacTwistMotion b = motion(tac_vec3(-1, 0.2 + off[i], 0), tac_zero3(), tac_vec3(2, 0, 0));
        tacShapeImpact hit = find(&ball, &a, &ball, &b, 0);
        CHECK_INT(hit.kind, off[i] < 0 ? TAC_IMPACT_HIT : TAC_IMPACT_NONE);
        CHECK_LT(hit.steps, MOST_STEPS);
        /* along x the centres are sqrt(4 r^2 - y^2) apart then */
        if (off[i] < -1e-10) CHECK_NEAR(hit.time, 0.5 - sqrt(-off[i] * (0.4 + off[i])) / 2, 1e-10);
        if (fabs(off[i]) < 1e-10) continue; /* which face of two boxes is nearer is told to rounding only */
        a.velocity.ang = tac_zero3();
        hit = find(&box, &a, &box, &b, 0); /* face along face */
        CHECK_INT(hit.kind, off[i] < 0 ? TAC_IMPACT_HIT : TAC_IMPACT_NONE);
        CHECK_LT(hit.steps, MOST_STEPS);
        if (off[i] < 0) CHECK_NEAR(hit.time, 0.4, TOL_TIME);
    }
}

/* --- Beginnings and ends ------------------------------------------------------------------------------------------ */

/* A small box rides on a large one that turns, 0.2 micrometres above it: along a direction that stays, the edges of the
 * large one reach it at once; along one that turns with the two they part. */
static void rides_along(void **state) {
    (void)state;
    const double w = 0.01, z = 0.06 + 2e-7;
    tacShape large = shape(TAC_GEOM_BOX, 0.2, 0.2, 0.05), small = shape(TAC_GEOM_BOX, 0.02, 0.03, 0.01);
    tacTwistMotion A = motion(tac_zero3(), tac_vec3(0, w, 0), tac_zero3());
    tacTwistMotion B = motion(tac_vec3(0.1, 0, z), tac_vec3(0, w, 0), tac_vec3(w * z, 0, -w * 0.1));
    tacShapeImpact found = find(&large, &A, &small, &B, 1e-7);
    CHECK_INT(found.kind, TAC_IMPACT_NONE);
    CHECK_LT(found.steps, MOST_STEPS);
}

static void what_begins_near(void **state) {
    (void)state;
    tacShape ball = shape(TAC_GEOM_SPHERE, 0.1, 0, 0);
    tacTwistMotion a = motion(tac_zero3(), tac_zero3(), tac_zero3());
    const double at[] = {0.15, 0.2, 0.205};
    for (int i = 0; i < 3; i++)
        for (int away = -1; away < 2; away++) {
            tacTwistMotion b = motion(tac_vec3(at[i], 0, 0), tac_zero3(), tac_vec3(away, 0, 0));
            tacShapeImpact hit = find(&ball, &a, &ball, &b, 0.01);
            CHECK_INT(hit.kind, TAC_IMPACT_NEAR);
            CHECK_NEAR(hit.time, 0, TOL_TIME);
            CHECK_NEAR(hit.rate, away, TOL_TIME);
            tacTwistImpactGrad g;
            CHECK_INT(tac_impact_twist_grad(&hit, &a, &b, &g), TAC_ERR_DEGENERATE);
        }
}

static void no_impact(void **state) {
    (void)state;
    tacShape ball = shape(TAC_GEOM_SPHERE, 0.1, 0, 0), plane = shape(TAC_GEOM_PLANE, 0, 0, 0),
             box = shape(TAC_GEOM_BOX, 1, 0.2, 0.3);
    tacTwistMotion still = motion(tac_vec3(0, 0, -1), tac_zero3(), tac_zero3());
    tacTwistMotion away = motion(tac_vec3(0, 0, 1), tac_vec3(9, 9, 9), tac_vec3(0, 0, 3));
    tacTwistMotion slow = motion(tac_vec3(0, 0, 1), tac_zero3(), tac_vec3(0, 0, -0.1));
    const tacShape *first[] = {&ball, &plane, &box};
    for (int i = 0; i < 3; i++) {
        CHECK_INT(find(first[i], &still, &ball, &away, 0).kind, TAC_IMPACT_NONE);
        CHECK_INT(find(first[i], &still, &ball, &slow, 0).kind, TAC_IMPACT_NONE);
        tacShapeImpact none = find(first[i], &still, &ball, &still, -2.5);
        CHECK_INT(none.kind, TAC_IMPACT_NONE); /* at rest, overlapping, above a gap that is lower still */
        CHECK_NEAR(none.time, 1, 0);
    }
    /* arriving at the very end counts */
    slow.velocity.lin.z = -1.8;
    must_hit(&ball, &still, &ball, &slow, 0, 1);
}

/* No time at all, and gaps below zero: a depth of overlap. */
static void corners_of_the_question(void **state) {
    (void)state;
    tacShape ball = shape(TAC_GEOM_SPHERE, 0.1, 0, 0), plane = shape(TAC_GEOM_PLANE, 0, 0, 0);
    tacTwistMotion floor = motion(tac_zero3(), tac_zero3(), tac_zero3());
    tacTwistMotion fall = motion(tac_vec3(0, 0, 0.5), tac_zero3(), tac_vec3(0, 0, -1));
    must_hit(&plane, &floor, &ball, &fall, -0.05, 0.45);
    tacMotion A = tac_twist_motion(&floor), B = tac_twist_motion(&fall);
    tacShapeImpact hit;
    CHECK_INT(tac_impact(&plane, &A, &ball, &B, 0, 0, &hit), TAC_OK);
    CHECK_INT(hit.kind, TAC_IMPACT_NONE);
    CHECK_INT(tac_impact(&plane, &A, &ball, &B, 0, 0.5, &hit), TAC_OK);
    CHECK_INT(hit.kind, TAC_IMPACT_NEAR);
    CHECK_INT(tac_impact(&plane, &A, &plane, &B, 1, 0, &hit), TAC_ERR_SHAPE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_drops_on_plane),
        cmocka_unit_test(rod_turns_into_a_wall),
        cmocka_unit_test(plane_turns_into_a_ball),
        cmocka_unit_test(two_spinning_boxes),
        cmocka_unit_test(tumbling_box_lands),
        cmocka_unit_test(grazing_passes_end),
        cmocka_unit_test(what_begins_near),
        cmocka_unit_test(rides_along),
        cmocka_unit_test(no_impact),
        cmocka_unit_test(corners_of_the_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
