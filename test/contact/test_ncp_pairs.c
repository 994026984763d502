/* One contact a pair, solved together with the impulses: bodies come to rest apart, momentum is kept, pads are known
 * (docs/theory/ncp_pairs.md, SL1-SL8). */
#include "support/check.h"
#include "io/mjcf_text.h"

#include "contact/ncp/step.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

#define DT 0.01
/* Derivatives of softer geometry against central differences of STEP, whose error is its square times the third
 * derivative, of the order of 1/kappa. */
#define KAPPA      1e-4
#define SOFTNESS   10
#define STEP       1e-7
#define TOL_SOFTER 1e-5
/* m: overlap of a solved step, by the closest features; 0 at any softness, but for the residual. */
#define TOL_APART 1e-9
/* kg m/s: linear momentum of two bodies, of the balance's residual. */
#define TOL_LINEAR 1e-8
/* Angular momentum of the joints' velocities is that of the chords to second order of a turn of 0.002 rad. */
#define TOL_ANGULAR 1e-5

#define SCENE(body)                                                                                                    \
    "<mujoco xmlns:tactus='urn:tactus'><option timestep='0.01'/><worldbody>" body "</worldbody></mujoco>"
#define FLOOR "<geom type='plane' size='5 5 1' friction='0.5'/>"

static tacModel *load(const char *text) {
    Loaded l = load_ok(text);
    tac_report_free(l.report);
    return l.model;
}

static tacStatus open_pairs(const tacModel *m, double dt, tacNcpCollision collision, tacSim **sim, tacError *err) {
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NCP, o.dt = dt, o.ncp_collision = collision;
    return tac_sim_new(m, &o, sim, err);
}

static tacSim *pairs(const tacModel *m, double dt) {
    tacSim *sim;
    tacError err;
    if (open_pairs(m, dt, TAC_NCP_SINGLE_LEVEL, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return sim;
}

/* A tilted box falls on its corner and comes to rest on a side, one contact under its middle. */
static void box_comes_to_rest(void **state) {
    (void)state;
    tacModel *m = load(SCENE(FLOOR "<body pos='0 0 0.6' euler='30 40 50'><freejoint/><geom type='box' size='.1 .15 .2' "
                                   "mass='1' friction='0.5'/></body>"));
    tacSim *sim = pairs(m, DT);
    double x[13];
    tacContact c;
    tacContactForce force[4];
    int n;
    tac_default_state(m, x);
    for (int k = 0; k < 300; k++) {
        tacStepInfo info;
        CHECK(tac_step(sim, x, NULL, x, &info) == TAC_OK);
        CHECK(tac_geom_distance(sim, x, NULL, 0, 1, &c) == TAC_OK);
        CHECK_LT(-c.dist, TOL_APART);
    }
    CHECK_NEAR(x[2], 0.15, 1e-6);
    CHECK(tac_step_contacts(sim, x, NULL, force, 4, &n) == TAC_OK);
    CHECK_INT(n, 1);
    CHECK_NEAR(force[0].force[0], 9.81, 1e-5);
    CHECK_NEAR(force[0].contact.pos.x, x[0], 1e-4);
    tac_sim_free(sim);
    tac_model_free(m);
}

static tacVec6 momentum_of(tacSim *sim, const double *x) {
    tacVec6 p;
    CHECK(tac_momentum(sim, x, x + 14, &p) == TAC_OK);
    return p;
}

/* A turning box hits another one in the air. */
static void momentum_is_kept(void **state) {
    (void)state;
    tacModel *m =
        load("<mujoco><option gravity='0 0 0'/><worldbody>"
             "<body pos='0 0 0'><freejoint/><geom type='box' size='.1 .15 .2' mass='1'/></body>"
             "<body pos='.4 0.05 0.1' euler='10 20 30'><freejoint/><geom type='cylinder' size='.1 .15' mass='2'/>"
             "</body></worldbody></mujoco>");
    tacSim *sim = pairs(m, 0.001);
    double x[26];
    tac_default_state(m, x);
    x[14] = 1.5, x[14 + 4] = 2, x[14 + 5] = 1;
    tacVec6 before = momentum_of(sim, x);
    for (int k = 0; k < 200; k++)
        CHECK(tac_step(sim, x, NULL, x, NULL) == TAC_OK);
    tacVec6 after = momentum_of(sim, x);
    CHECK(fabs(x[14] - 1.5) > 0.1); /* they met */
    CHECK_ARRAY(3, &after.lin.x, &before.lin.x, TOL_LINEAR);
    CHECK_ARRAY(3, &after.ang.x, &before.ang.x, TOL_ANGULAR);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Features know no pads; pairs do, and have no restitution. */
static void pads_and_bounces(void **state) {
    (void)state;
    tacModel *m =
        load(SCENE(FLOOR "<body pos='0 0 0.3'><freejoint/><geom name='soft' type='box' size='.1 .1 .1' mass='1' "
                         "tactus:pad='0.05'/></body>"));
    tacSim *sim;
    tacError err;
    double x[13];
    CHECK(open_pairs(m, DT, TAC_NCP_FEATURES, &sim, &err) == TAC_ERR_UNSUPPORTED);
    CHECK_HAS(err.text, "single-level");
    sim = pairs(m, DT);
    tac_default_state(m, x);
    for (int k = 0; k < 100; k++)
        CHECK(tac_step(sim, x, NULL, x, NULL) == TAC_OK);
    CHECK_NEAR(x[2], 0.15, 1e-6);
    tac_sim_free(sim);
    CHECK(tac_param_set(m, "geom/soft.restitution", 0.5, &err) == TAC_OK);
    CHECK(open_pairs(m, DT, TAC_NCP_SINGLE_LEVEL, &sim, &err) == TAC_ERR_UNSUPPORTED);
    CHECK_HAS(err.text, "soft");
    tac_model_free(m);
}

/* v+ of a step whose geometry is softer than its contacts. */
static void soft_velocity(tacSim *sim, const double *x, double v[6]) {
    tacContext *ctx = &sim->ctx;
    TAC_SCOPE(&ctx->arena);
    tacNcp p;
    CHECK(tac_ncp_solve_softened(ctx, x, NULL, KAPPA, SOFTNESS, &p) == TAC_OK);
    CHECK(tac_ncp_refine(ctx, KAPPA, &p) == TAC_OK);
    memcpy(v, p.x, 6 * sizeof *v);
}

/* A box near its edge: the derivative is that of the softer geometry, by velocities and positions. */
static void geometry_is_softer(void **state) {
    (void)state;
    tacModel *m = load(SCENE(FLOOR "<body pos='0 0 0.235' euler='30 4 5'><freejoint/><geom type='box' size='.1 .15 .2' "
                                   "mass='1' friction='0.5'/></body>"));
    tacOptions o = tac_default_options(m);
    tacSim *sim;
    tacError err;
    double x[13], moved[13], A[144], v[2][6], largest = 0;
    o.contact = TAC_CONTACT_MODEL_NCP, o.dt = DT, o.ncp_collision = TAC_NCP_SINGLE_LEVEL;
    o.ncp_gradient_kappa = KAPPA, o.ncp_geometry_softness = SOFTNESS;
    if (tac_sim_new(m, &o, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_default_state(m, x);
    x[7] = 0.5, x[9] = -1, x[10] = 1;
    tacJac jac = {.A = A};
    CHECK_INT(tac_step_jac(sim, x, NULL, NULL, &jac, NULL), TAC_OK);
    for (int j = 0; j < 12; j++) {
        if (j >= 3 && j < 6) continue; /* rotations have four numbers */
        for (int side = 0; side < 2; side++) {
            memcpy(moved, x, sizeof x);
            moved[j < 3 ? j : j + 1] += side == 0 ? -STEP : STEP;
            soft_velocity(sim, moved, v[side]);
        }
        for (int i = 0; i < 6; i++) {
            double difference = (v[1][i] - v[0][i]) / (2 * STEP);
            CHECK_NEAR(A[12 * (6 + i) + j], difference, TOL_SOFTER);
            largest = fmax(largest, fabs(difference));
        }
    }
    CHECK(largest > 0.1);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(box_comes_to_rest), cmocka_unit_test(momentum_is_kept),
                                       cmocka_unit_test(pads_and_bounces), cmocka_unit_test(geometry_is_softer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
