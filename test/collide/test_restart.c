#include "collide/nearest.h"

#include "collide/closed_form.h"
#include "collide/convex.h"
#include "pair_checks.h"
#include "support/check.h"

#include <math.h>

/* Of the shapes' size, against the best of all directions in the plane of parallel axes. Axes nearer than 1e-8 of the
 * size count as one (nearest_degenerate.c), which leaves twice that. */
static const double TOL_DISTANCE = 2e-8;
/* Of normals against the conditions they are solved from; cancellation leaves 1e-16 over the sine of the tilt. */
static const double TOL_NORMAL = 1e-13;
/* Of the one known number below, given to ten digits. */
static const double TOL_KNOWN = 1e-10;

static const tacGeomType ROUND[] = {TAC_GEOM_CAPSULE, TAC_GEOM_CYLINDER, TAC_GEOM_CONE, TAC_GEOM_ELLIPSOID};
enum { NROUND = 4, GRID = 4000, REFINED = 100 };

/* --- Parallel axes: one angle is left ----------------------------------------------------------------------------- */

/* How far a shape of revolution reaches at the angle with sine s and cosine c to its axis. */
static double reach_at(const tacShape *a, double s, double c) {
    double r = a->size.x, h = a->type == TAC_GEOM_ELLIPSOID ? a->size.z : a->size.y;
    switch (a->type) {
    case TAC_GEOM_CAPSULE:
        return h * fabs(c) + r;
    case TAC_GEOM_CYLINDER:
        return r * s + h * fabs(c);
    case TAC_GEOM_CONE:
        return fmax(h * c, r * s - h * c);
    default:
        return hypot(r * s, h * c);
    }
}

/* Two shapes with parallel axes, the second `aside` and `above` the first, upside down or not. */
typedef struct Parallel {
    tacShape shape[2];
    double aside, above, flip;
} Parallel;

/* s(n) of the direction at an angle to the axis, in the plane of the axes: n . p - H0(n) - H1(-n). */
static double gap_at(const Parallel *p, double angle) {
    double s = sin(angle), c = cos(angle);
    return p->aside * s + p->above * c - reach_at(&p->shape[0], s, c) - reach_at(&p->shape[1], s, -p->flip * c);
}

/* The greatest gap: that of every local maximum on a grid, narrowed down. */
static double greatest(const Parallel *p) {
    double step = 3.14159265358979323846 / GRID, best = -HUGE_VAL;
    for (int i = 0; i <= GRID; i++) {
        double low = (i - 1) * step, high = (i + 1) * step, here = gap_at(p, i * step);
        best = fmax(best, here);
        if (here < gap_at(p, low) || here < gap_at(p, high)) continue;
        for (int k = 0; k < REFINED; k++) {
            double a = low + (high - low) / 3, b = high - (high - low) / 3;
            if (gap_at(p, a) < gap_at(p, b))
                low = a;
            else
                high = b;
        }
        best = fmax(best, gap_at(p, 0.5 * (low + high)));
    }
    return best;
}

static tacShape draw_of_revolution(tacDraw *d) {
    tacShape s = {.type = ROUND[draw_int(d, NROUND)]};
    s.size = tac_vec3(draw_uniform(d, 0.2, 2), draw_uniform(d, 0.2, 2), draw_uniform(d, 0.2, 2));
    if (s.type == TAC_GEOM_ELLIPSOID) s.size.y = s.size.x;
    return s;
}

static void check_parallel(const Parallel *p, tacDraw *d) {
    tacPose A = {draw_vec3(d, 1), tac_quat_mat(draw_quat(d))}, B = A;
    double turn = draw_uniform(d, -3, 3), about = draw_uniform(d, -3, 3);
    tacMat3 flip = {{1, 0, 0, 0, p->flip, 0, 0, 0, p->flip}};
    tacMat3 spin = tac_quat_mat((tacQuat){cos(turn), 0, 0, sin(turn)});
    B.p = tac_pose_point(&A, tac_vec3(p->aside * cos(about), p->aside * sin(about), p->above));
    B.R = tac_mulmm3(A.R, tac_mulmm3(flip, spin));
    tacTouch t;
    CHECK_INT(tac_convex_nearest(&p->shape[0], &A, &p->shape[1], &B, HUGE_VAL, NULL, &t), 1);
    CHECK_NEAR(t.dist, greatest(p), TOL_DISTANCE * (tac_shape_radius(&p->shape[0]) + tac_shape_radius(&p->shape[1])));
}

static void test_parallel_axes(void **state) {
    (void)state;
    tacDraw d = {31, 0};
    for (int k = 0; k < 600; k++) {
        Parallel p = {.shape = {draw_of_revolution(&d), draw_of_revolution(&d)}, .flip = draw_int(&d, 2) ? 1 : -1};
        while (p.shape[0].type == TAC_GEOM_CAPSULE &&
               p.shape[1].type == TAC_GEOM_CAPSULE) /* these have a closed form */
            p.shape[0] = draw_of_revolution(&d);
        if (draw_int(&d, 2)) p.shape[1].size = p.shape[0].size;
        if (p.shape[1].type == TAC_GEOM_ELLIPSOID) p.shape[1].size.y = p.shape[1].size.x;
        p.aside = draw_int(&d, 4) ? pow(10, -draw_uniform(&d, 2, 10)) : 0;
        p.above = draw_int(&d, 3) ? draw_uniform(&d, -1, 1) : 0;
        check_parallel(&p, &d);
    }
}

/* A cylinder and a cone of the same size on top of each other, 1.9e-6 aside. */
static void test_known(void **state) {
    (void)state;
    tacVec3 size = {0.1511957837520386, 3.1712510976369979, 0};
    tacShape a = {.type = TAC_GEOM_CYLINDER, .size = size}, b = {.type = TAC_GEOM_CONE, .size = size};
    tacPose A = pose_at(0, 0, 0.79830124655810875), B = pose_at(1.9089e-6, 0, 3.9695523445405945);
    tacTouch t;
    CHECK_INT(tac_convex_nearest(&a, &A, &b, &B, HUGE_VAL, NULL, &t), 1);
    CHECK_NEAR(t.dist, -0.3023896586, TOL_KNOWN);
}

/* --- The guesses themselves --------------------------------------------------------------------------------------- */

static void test_rotated_guesses(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    tacShape tin = {.type = TAC_GEOM_CYLINDER, .size = {0.5, 1, 0}}, cube = {.type = TAC_GEOM_BOX, .size = {1, 1, 1}};
    tacPose A = pose_at(0, 0, 0), B = {draw_vec3(&d, 0.1), tac_quat_mat(draw_quat(&d))};
    tacCores c = tac_cores(&cube, &A, &tin, &B);
    tacGuess g = {.n = draw_vec3(&d, 1), .ncorner = 1}, turned;
    g.n = tac_scale3(1 / tac_norm3(g.n), g.n);
    tacVec3 axis = tac_pose_axis(&c.pose, 2);
    int more, found = 0;
    for (int i = 0; (more = tac_guess_rotated(&c, &g, i, &turned)) >= 0; i++) {
        if (more == 0) continue; /* a box has no axis */
        found++;
        CHECK_NEAR(tac_norm3(turned.n), 1, TOL_NORMAL);
        CHECK_NEAR(tac_dot3(turned.n, axis), tac_dot3(g.n, axis), TOL_NORMAL);
        CHECK_NEAR(tac_dot3(turned.n, turned.x[0]), fabs(turned.n.x) + fabs(turned.n.y) + fabs(turned.n.z), TOL_NORMAL);
    }
    CHECK_INT(found, 7 + 2); /* and in the plane that holds the centre of the box */
}

static void test_sides_of_cones(void **state) {
    (void)state;
    tacDraw d = {6, 0};
    int found = 0;
    for (int k = 0; k < 200; k++) {
        double r = draw_uniform(&d, 0.2, 1), h = draw_uniform(&d, 0.2, 1), tilt = pow(10, -draw_uniform(&d, 0, 6));
        tacShape a = {.type = TAC_GEOM_CONE, .size = {r, h, 0}}, b = a;
        tacVec3 e = draw_vec3(&d, 1);
        tacPose A = pose_at(0, 0, 0), B = {draw_vec3(&d, 0.01), {{1, 0, 0, 0, -1, 0, 0, 0, -1}}};
        B.R = tac_mulmm3(tac_quat_mat(tac_quat_exp(tac_scale3(tilt, e))), B.R);
        tacCores c = tac_cores(&a, &A, &b, &B);
        tacTouch t;
        for (int i = 0; i < 2; i++) {
            if (!tac_guess_cone_sides(&c, i, &t)) continue;
            double m = r / sqrt(r * r + 4 * h * h), tol = TOL_NORMAL / tilt;
            found++;
            CHECK_NEAR(tac_norm3(t.normal), 1, tol);
            CHECK_NEAR(t.normal.z, m, TOL_NORMAL);
            CHECK_NEAR(tac_dot3(t.normal, tac_pose_axis(&c.pose, 2)), -m, tol);
        }
    }
    CHECK_LT(200, (double)found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel_axes),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_rotated_guesses),
        cmocka_unit_test(test_sides_of_cones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
