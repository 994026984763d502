/* Problems of contact and friction with known answers, contact model lcp. Blocks and balls on a plane; slopes are made
 * by tilting gravity, which along x leaves the contact's first tangent downhill. */
#include "support/check.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GRAVITY 9.81
/* Compliance of contacts: a millionth of the motion and less. */
#define TOL_EXACT 1e-6

typedef struct World {
    tacModel *m;
    tacSim *sim;
    double x[32];
    tacStepInfo info;
    int nx;
} World;

typedef struct Thing {
    tacGeomType type;
    double size[3], mass, z;
} Thing;

/* Things above each other on a plane, friction mu, slope theta. */
static World build(int n, const Thing *things, double mu, double theta, double h) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.timestep = h;
    option.gravity = (tacVec3){GRAVITY * sin(theta), 0, -GRAVITY * cos(theta)};
    tac_model_set_option(b, &option);
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_PLANE, plane.friction[0] = mu;
    plane.size[0] = plane.size[1] = plane.size[2] = 1;
    tac_model_add_geom(b, 0, &plane);
    for (int i = 0; i < n; i++) {
        tacBodyDef body = tac_default_body();
        body.pos.z = things[i].z;
        int id = tac_model_add_body(b, 0, &body);
        tacJointDef joint = tac_default_joint();
        joint.type = TAC_FREE;
        tac_model_add_joint(b, id, &joint);
        tacGeomDef geom = tac_default_geom();
        geom.type = things[i].type, geom.friction[0] = mu, geom.has_mass = 1, geom.mass = things[i].mass;
        memcpy(geom.size, things[i].size, sizeof geom.size);
        tac_model_add_geom(b, id, &geom);
    }
    World w = {0};
    tacError err;
    if (tac_model_finish(b, &w.m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_model_abandon(b);
    tacOptions options = tac_default_options(w.m);
    options.contact = TAC_LCP;
    if (tac_sim_new(w.m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    w.nx = tac_nx(w.m);
    CHECK(w.nx <= 32);
    tac_default_state(w.m, w.x);
    return w;
}

static void end(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static void run(World *w, int steps) {
    for (int k = 0; k < steps; k++)
        CHECK_INT(tac_step(w->sim, w->x, NULL, w->x, &w->info), TAC_OK);
}

static const Thing BLOCK = {TAC_BOX, {0.1, 0.1, 0.05}, 1, 0.05}, BALL = {TAC_SPHERE, {0.1, 0, 0}, 1, 0.1};

/* Stops after v0/(mu g) at v0^2/(2 mu g) - v0 h/2 exactly. */
static void block_slides_and_stops(void **state) {
    (void)state;
    const double h = 1e-3, mu = 0.5;
    const int steps = 400;
    double v0 = mu * GRAVITY * h * steps;
    World w = build(1, &BLOCK, mu, 0, h);
    double *v = w.x + w.m->nq;
    v[0] = v0;
    run(&w, steps / 2);
    CHECK(w.info.sliding == 4 && w.info.sticking == 0);
    run(&w, steps - steps / 2);
    printf("stops at %.9f m, truth for the step %.9f, without one %.9f\n", w.x[0],
           v0 * v0 / (2 * mu * GRAVITY) - v0 * h / 2, v0 * v0 / (2 * mu * GRAVITY));
    CHECK_NEAR(w.x[0], v0 * v0 / (2 * mu * GRAVITY) - v0 * h / 2, TOL_EXACT);
    CHECK_NEAR(v[0], 0, TOL_EXACT);
    run(&w, 100);
    CHECK_INT(w.info.sticking, 4);
    CHECK_NEAR(w.x[0], v0 * v0 / (2 * mu * GRAVITY) - v0 * h / 2, TOL_EXACT);
    CHECK_NEAR(w.x[2], BLOCK.z, TOL_EXACT);
    end(&w);
}

/* 1: the block gains speed on the slope: more than compliance lets it creep. */
static int slides(double mu, double theta) {
    World w = build(1, &BLOCK, mu, theta, 1e-3);
    run(&w, 200);
    double creep = w.x[w.m->nq];
    run(&w, 200);
    double gained = w.x[w.m->nq] - creep;
    end(&w);
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
    run(&w, 500);
    double truth = GRAVITY * (sin(theta) - mu * cos(theta));
    printf("acceleration %.9f, truth %.9f\n", w.x[w.m->nq] / (500 * h), truth);
    CHECK_NEAR(w.x[w.m->nq], truth * 500 * h, TOL_EXACT);
    end(&w);
}

/* v = 5 v0/7 when it rolls, after x = 12 v0^2/(49 mu g): first order in the step. */
static void ball_slides_then_rolls(void **state) {
    (void)state;
    const double v0 = 1, mu = 0.3;
    double error[2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 1e-3 : 5e-4, t = 2 * v0 / (7 * mu * GRAVITY);
        World w = build(1, &BALL, mu, 0, h);
        w.x[w.m->nq] = v0;
        int steps = (int)ceil(t / h);
        run(&w, steps);
        double late = steps * h - t;
        error[k] = fabs(w.x[0] - (12 * v0 * v0 / (49 * mu * GRAVITY) + 5 * v0 / 7 * late));
        run(&w, 50);
        printf("step %g: rolls at %.6f, truth %.6f; x off by %.1e\n", h, w.x[w.m->nq], 5 * v0 / 7, error[k]);
        CHECK_NEAR(w.x[w.m->nq], 5 * v0 / 7, 1e-4);
        CHECK_NEAR(w.x[w.m->nq + 4], w.x[w.m->nq] / BALL.size[0], 1e-3);
        CHECK_INT(w.info.sticking, 1);
        end(&w);
    }
    CHECK_LT(error[0], 2e-3);
    CHECK_LT(error[1], 0.7 * error[0]);
}

/* a = g sin(theta)/(1 + k), k = 2/5 */
static void ball_rolls_down(void **state) {
    (void)state;
    const double h = 1e-3, theta = 0.3;
    World w = build(1, &BALL, 0.5, theta, h);
    run(&w, 400);
    CHECK_NEAR(w.x[w.m->nq], GRAVITY * sin(theta) / 1.4 * 400 * h, 1e-4);
    end(&w);
}

/* Nothing sinks: a ball and a flat block fall and come to rest on the surface, at any rate. */
static void nothing_sinks(void **state) {
    (void)state;
    const Thing fallen[2] = {{TAC_SPHERE, {0.1, 0, 0}, 1, 0.6}, {TAC_BOX, {0.1, 0.1, 0.05}, 1, 0.55}};
    const double steps[] = {0.05, 0.01, 0.002};
    for (int k = 0; k < 6; k++) {
        World w = build(1, &fallen[k % 2], 0.5, 0, steps[k / 2]);
        double rest = k % 2 ? 0.05 : 0.1, lowest = 1;
        for (int i = 0; i < (int)(2 / steps[k / 2]); i++) {
            run(&w, 1);
            lowest = fmin(lowest, w.x[2] - rest);
        }
        CHECK_LT(-lowest, 1e-6);
        CHECK_NEAR(w.x[2], rest, 1e-6);
        end(&w);
    }
}

/* A ball a little less and a little more deep than what the correction makes up for in one step, 1e-2 m/s times h: the
 * derivative has a step there, and the margin says how far it is. */
static void margin_of_the_correction(void **state) {
    (void)state;
    const double h = 1e-3, bound = 1e-2 * h, off[2] = {1e-9, -1e-9};
    const Thing sunk = {TAC_SPHERE, {0.1, 0, 0}, 1, 0.1};
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
        end(&w);
    }
    CHECK_NEAR(slope[0], -1 / h, 1e-3 / h);
    CHECK_NEAR(slope[1], 0, 1e-6 / h);
    CHECK(set[0] != set[1]);
}

/* A light block under one a million times heavier: finite, and at rest. */
static void mass_ratio(void **state) {
    (void)state;
    const Thing stack[2] = {{TAC_BOX, {0.1, 0.1, 0.05}, 1e-3, 0.05}, {TAC_BOX, {0.1, 0.1, 0.05}, 1e3, 0.15}};
    World w = build(2, stack, 0.5, 0, 1e-3);
    for (int k = 0; k < 300; k++) {
        tacStatus status = tac_step(w.sim, w.x, NULL, w.x, &w.info);
        CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
    }
    for (int i = 0; i < w.nx; i++)
        CHECK(isfinite(w.x[i]));
    CHECK_NEAR(w.x[9], 0.15, 0.02);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_slides_and_stops),   cmocka_unit_test(threshold_of_sticking),
        cmocka_unit_test(block_slides_down),        cmocka_unit_test(ball_slides_then_rolls),
        cmocka_unit_test(ball_rolls_down),          cmocka_unit_test(nothing_sinks),
        cmocka_unit_test(margin_of_the_correction), cmocka_unit_test(mass_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
