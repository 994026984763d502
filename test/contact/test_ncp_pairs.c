/* One contact a pair, solved together with the impulses: bodies come to rest apart, momentum is kept, pads are known
 * (docs/theory/ncp_pairs.md, SL1-SL8). */
#include "support/check.h"
#include "io/mjcf_text.h"

#include <math.h>

#define DT 0.01
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(box_comes_to_rest), cmocka_unit_test(momentum_is_kept),
                                       cmocka_unit_test(pads_and_bounces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
