/* Problems of contact and friction with known answers, contact model lcp. Blocks and balls on a plane; slopes are made
 * by tilting gravity, which along x leaves the contact's first tangent downhill. */
#include "physics/contact_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Compliance of contacts: a millionth of the motion and less. */
#define TOL_EXACT 1e-6

typedef struct Thing {
    tacGeomType type;
    double size[3], mass, z;
} Thing;

/* Things above each other on a plane, friction mu, slope theta. */
static World build(int n, const Thing *things, double mu, double theta, double h) {
    World w = world_begin(theta, h);
    world_add_plane(&w, 0, mu);
    for (int i = 0; i < n; i++) {
        tacGeomDef geom = world_geom(things[i].type, things[i].size, things[i].mass, mu);
        world_add_body(&w, (tacVec3){0, 0, things[i].z}, &geom);
    }
    world_finish(&w, TAC_CONTACT_MODEL_LCP);
    world_start(&w);
    return w;
}

static const Thing BLOCK = {TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 1, 0.05}, BALL = {TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, 0.1};

/* Stops after v0/(mu g) at v0^2/(2 mu g) - v0 h/2 exactly. */
static void block_slides_and_stops(void **state) {
    (void)state;
    const double h = 1e-3, mu = 0.5;
    const int steps = 400;
    double v0 = mu * WORLD_GRAVITY * h * steps;
    World w = build(1, &BLOCK, mu, 0, h);
    double *v = w.x + w.m->nq;
    v[0] = v0;
    world_run(&w, steps / 2);
    CHECK(w.info.sliding == 4 && w.info.sticking == 0);
    world_run(&w, steps - steps / 2);
    printf("stops at %.9f m, truth for the step %.9f, without one %.9f\n", w.x[0],
           v0 * v0 / (2 * mu * WORLD_GRAVITY) - v0 * h / 2, v0 * v0 / (2 * mu * WORLD_GRAVITY));
    CHECK_NEAR(w.x[0], v0 * v0 / (2 * mu * WORLD_GRAVITY) - v0 * h / 2, TOL_EXACT);
    CHECK_NEAR(v[0], 0, TOL_EXACT);
    world_run(&w, 100);
    CHECK_INT(w.info.sticking, 4);
    CHECK_NEAR(w.x[0], v0 * v0 / (2 * mu * WORLD_GRAVITY) - v0 * h / 2, TOL_EXACT);
    CHECK_NEAR(w.x[2], BLOCK.z, TOL_EXACT);
    world_end(&w);
}

/* 1: the block gains speed on the slope: more than compliance lets it creep. */
static int slides(double mu, double theta) {
    World w = build(1, &BLOCK, mu, theta, 1e-3);
    world_run(&w, 200);
    double creep = w.x[w.m->nq];
    world_run(&w, 200);
    double gained = w.x[w.m->nq] - creep;
    world_end(&w);
    return gained > 5e-7;
}

/* Sticks iff tan(theta) <= mu. */
static void threshold_of_sticking(void **state) {
    (void)state;
    double theta = 0.4, low = 0.1, high = 1;
    CHECK(slides(low, theta) && !slides(high, theta));
    while (high - low > 1e-7) {
        double mu = (low + high) / 2;
        if (slides(mu, theta))
            low = mu;
        else
            high = mu;
    }
    printf("sticks from mu = %.9f, tan(theta) = %.9f\n", high, tan(theta));
    CHECK_NEAR(high, tan(theta), TOL_EXACT);
}

/* a = g (sin theta - mu cos theta) */
static void block_slides_down(void **state) {
    (void)state;
    const double h = 1e-3, mu = 0.2, theta = 0.5;
    World w = build(1, &BLOCK, mu, theta, h);
    world_run(&w, 500);
    double truth = WORLD_GRAVITY * (sin(theta) - mu * cos(theta));
    printf("acceleration %.9f, truth %.9f\n", w.x[w.m->nq] / (500 * h), truth);
    CHECK_NEAR(w.x[w.m->nq], truth * 500 * h, TOL_EXACT);
    world_end(&w);
}

/* v = 5 v0/7 when it rolls, after x = 12 v0^2/(49 mu g): first order in the step. */
static void ball_slides_then_rolls(void **state) {
    (void)state;
    const double v0 = 1, mu = 0.3;
    double error[2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 1e-3 : 5e-4, t = 2 * v0 / (7 * mu * WORLD_GRAVITY);
        World w = build(1, &BALL, mu, 0, h);
        w.x[w.m->nq] = v0;
        int steps = (int)ceil(t / h);
        world_run(&w, steps);
        double late = steps * h - t;
        error[k] = fabs(w.x[0] - (12 * v0 * v0 / (49 * mu * WORLD_GRAVITY) + 5 * v0 / 7 * late));
        world_run(&w, 50);
        printf("step %g: rolls at %.6f, truth %.6f; x off by %.1e\n", h, w.x[w.m->nq], 5 * v0 / 7, error[k]);
        CHECK_NEAR(w.x[w.m->nq], 5 * v0 / 7, 1e-4);
        CHECK_NEAR(w.x[w.m->nq + 4], w.x[w.m->nq] / BALL.size[0], 1e-3);
        CHECK_INT(w.info.sticking, 1);
        world_end(&w);
    }
    CHECK_LT(error[0], 2e-3);
    CHECK_LT(error[1], 0.7 * error[0]);
}

/* a = g sin(theta)/(1 + k), k = 2/5 */
static void ball_rolls_down(void **state) {
    (void)state;
    const double h = 1e-3, theta = 0.3;
    World w = build(1, &BALL, 0.5, theta, h);
    world_run(&w, 400);
    CHECK_NEAR(w.x[w.m->nq], WORLD_GRAVITY * sin(theta) / 1.4 * 400 * h, 1e-4);
    world_end(&w);
}

/* Nothing sinks: a ball and a flat block fall and come to rest on the surface, at any rate. */
static void nothing_sinks(void **state) {
    (void)state;
    const Thing fallen[2] = {{TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, 0.6}, {TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 1, 0.55}};
    const double steps[] = {0.05, 0.01, 0.002};
    for (int k = 0; k < 6; k++) {
        World w = build(1, &fallen[k % 2], 0.5, 0, steps[k / 2]);
        double rest = k % 2 ? 0.05 : 0.1, lowest = 1;
        for (int i = 0; i < (int)(2 / steps[k / 2]); i++) {
            world_run(&w, 1);
            lowest = fmin(lowest, w.x[2] - rest);
        }
        CHECK_LT(-lowest, 1e-6);
        CHECK_NEAR(w.x[2], rest, 1e-6);
        world_end(&w);
    }
}

/* A ball a little less and a little more deep than what the correction makes up for in one step, 1e-2 m/s times h: the
 * derivative has a step there, and the margin says how far it is. */
static void margin_of_the_correction(void **state) {
    (void)state;
    const double h = 1e-3, bound = 1e-2 * h, off[2] = {1e-9, -1e-9};
    const Thing sunk = {TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, 0.1};
    double slope[2];
    uint64_t set[2];
    for (int k = 0; k < 2; k++) {
        World w = build(1, &sunk, 0.5, 0, h);
        double A[12 * 12];
        w.x[2] = 0.1 - bound + off[k];
        CHECK(tac_step_jac(w.sim, w.x, NULL, NULL, &(tacJac){.A = A}, &w.info) == TAC_OK);
        CHECK_NEAR(w.info.class_margin, fabs(off[k]) / h, 1e-3 * fabs(off[k]) / h);
        slope[k] = A[8 * 12 + 2];
        set[k] = w.info.active_set;
        world_end(&w);
    }
    CHECK_NEAR(slope[0], -1 / h, 1e-3 / h);
    CHECK_NEAR(slope[1], 0, 1e-6 / h);
    CHECK(set[0] != set[1]);
}

/* A light block under one a million times heavier: finite, and at rest. */
static void mass_ratio(void **state) {
    (void)state;
    const Thing stack[2] = {{TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 1e-3, 0.05}, {TAC_GEOM_BOX, {0.1, 0.1, 0.05}, 1e3, 0.15}};
    World w = build(2, stack, 0.5, 0, 1e-3);
    for (int k = 0; k < 300; k++) {
        tacStatus status = tac_step(w.sim, w.x, NULL, w.x, &w.info);
        CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
    }
    for (int i = 0; i < tac_nx(w.m); i++)
        CHECK(isfinite(w.x[i]));
    CHECK_NEAR(w.x[9], 0.15, 0.02);
    world_end(&w);
}

/* A step that is not asked for a report has the bits of one that is, and leaves nothing behind for the next report. */
static void report_changes_nothing(void **state) {
    (void)state;
    const Thing stack[2] = {BLOCK, {TAC_GEOM_SPHERE, {0.1, 0, 0}, 1, 0.2}};
    World w = build(2, stack, 0.5, 0.2, 1e-3);
    double y[2][WORLD_MAX_STATE], A[2][24 * 24];
    tacStepInfo info[2];
    w.x[w.m->nq] = 0.3;
    for (int k = 0; k < 2; k++) {
        CHECK_INT(tac_step_jac(w.sim, w.x, NULL, y[1], &(tacJac){.A = A[1]}, NULL), TAC_OK);
        CHECK_INT(tac_step_jac(w.sim, w.x, NULL, y[0], &(tacJac){.A = A[0]}, &info[k]), TAC_OK);
        CHECK(memcmp(A[0], A[1], sizeof A[0]) == 0);
        CHECK(memcmp(y[0], y[1], sizeof(double) * (size_t)tac_nx(w.m)) == 0);
        CHECK_INT(tac_step(w.sim, w.x, NULL, y[1], NULL), TAC_OK);
        CHECK_INT(tac_step(w.sim, w.x, NULL, y[0], &info[k]), TAC_OK);
        CHECK(memcmp(y[0], y[1], sizeof(double) * (size_t)tac_nx(w.m)) == 0);
    }
    CHECK_INT(info[0].contacts, 5);
    CHECK(info[0].active_set == info[1].active_set && info[0].class_margin == info[1].class_margin);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_slides_and_stops),   cmocka_unit_test(threshold_of_sticking),
        cmocka_unit_test(block_slides_down),        cmocka_unit_test(ball_slides_then_rolls),
        cmocka_unit_test(ball_rolls_down),          cmocka_unit_test(nothing_sinks),
        cmocka_unit_test(margin_of_the_correction), cmocka_unit_test(mass_ratio),
        cmocka_unit_test(report_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
