/* After a failure the simulation has its text: which call, which argument, which entry and whose. */
#include "first_day/box_on_floor.h"

#include <math.h>
#include <stdlib.h>

typedef struct World {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    double x[BOX_NX], u[1 + BOX_NV], y[BOX_NX], P[BOX_NDX * BOX_NDX];
} World;

static World open_world(tacContactModel contact) {
    World w = {.m = box_on_floor(TAC_INTEGRATOR_EULER)};
    w.options = tac_default_options(w.m);
    w.options.contact = contact, w.options.inputs = TAC_INPUT_QFRC;
    return w;
}

static void start(World *w) {
    tacError err;
    if (tac_sim_new(w->m, &w->options, &w->sim, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_INT(tac_key_state(w->m, &w->options, 0, w->x, w->u, NULL), TAC_OK);
    CHECK_STR(tac_sim_error(w->sim), "");
}

static void close_world(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

#define SAYS(call, status, text)                                                                                       \
    CHECK_INT(call, status);                                                                                           \
    CHECK_HAS(tac_sim_error(w.sim), text)

static void test_entries_by_name(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_SOFT);
    tacStepInfo info;
    double before;
    start(&w);
#define BREAK(number, text)                                                                                            \
    before = (number), (number) = (double)NAN;                                                                         \
    SAYS(tac_step(w.sim, w.x, w.u, w.y, &info), TAC_ERR_NONFINITE, text);                                              \
    (number) = before
    BREAK(w.x[1], "tac_step: x[1] (qpos[1] of joint 'base') is nan, expected a finite number");
    BREAK(w.x[7], "x[7] (qpos[7] of joint 'hinge') is nan");
    BREAK(w.x[14], "x[14] (qvel[6] of joint 'hinge') is nan");
    BREAK(w.u[0], "u[0] (ctrl[0] of actuator 'push') is nan");
    BREAK(w.u[7], "u[7] (qfrc_applied[6] of joint 'hinge') is nan");
    w.x[8] = -(double)INFINITY;
    SAYS(tac_energy(w.sim, w.x, w.x + BOX_NQ, NULL), TAC_ERR_NONFINITE, "tac_energy: v[0] (joint 'base') is -inf");
    w.x[8] = 0;
    CHECK_INT(tac_step(w.sim, w.x, w.u, w.y, &info), TAC_OK);
    CHECK_HAS(tac_sim_error(w.sim), "tac_energy"); /* a call that goes well leaves it */
    w.y[3] = (double)NAN;
    SAYS(tac_step_vjp(w.sim, w.x, w.u, w.y, &(tacGrad){.x = w.P}, NULL), TAC_ERR_NONFINITE, "ybar[3] is nan");
    close_world(&w);
}

static void test_arguments_by_name(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_SOFT);
    double big = 1e308, *X = w.P;
    tacContact contact;
    tacContactForce force[1];
    int n = -5;
    start(&w);
    SAYS(tac_step(w.sim, NULL, w.u, w.y, NULL), TAC_ERR_ARGUMENT, "tac_step: x is NULL");
    SAYS(tac_step(w.sim, w.x, NULL, w.y, NULL), TAC_ERR_ARGUMENT, "u is NULL, expected 8 numbers");
    SAYS(tac_step(w.sim, w.x, w.u, NULL, NULL), TAC_ERR_ARGUMENT, "y is NULL");
    SAYS(tac_step_jac(w.sim, w.x, w.u, w.y, NULL, NULL), TAC_ERR_ARGUMENT, "tac_step_jac: jac is NULL");
    SAYS(tac_rollout(w.sim, w.x, w.u, -1, X, NULL), TAC_ERR_ARGUMENT, "n is -1, expected a number of steps");
    SAYS(tac_frame_jacobian(w.sim, w.x, TAC_KIND_SITE, 5, w.P, NULL), TAC_ERR_ARGUMENT, "the model's 5 of kind site");
    SAYS(tac_geom_distance(w.sim, w.x, NULL, 0, 9, &contact), TAC_ERR_ARGUMENT, "geom2 is 9");
    SAYS(tac_geom_distance(w.sim, w.x, NULL, 1, 1, &contact), TAC_ERR_ARGUMENT, "geoms 1 and 1 have no distance");
    SAYS(tac_outputs(w.sim, w.x, w.u, &(tacOutputs){1, &(tacOutput){TAC_OUT_BODY_POS, 8}}, w.y), TAC_ERR_ARGUMENT,
         "output 0 (body_pos): id is 8, expected 0 to 2 or TAC_OUT_ALL");
    SAYS(tac_step_history(w.sim, w.x, w.u, NULL, 0, &n), TAC_ERR_UNSUPPORTED, "requires contact ncp");
    SAYS(tac_step_contacts(w.sim, w.x, w.u, force, 1, &n), TAC_ERR_CONTACTS,
         "the result has 4 entries, out has room for 1");
    CHECK_INT(n, 4);
    SAYS(tac_first_impact(w.sim, w.x, w.x + BOX_NQ, NULL, -1, &(tacImpact){.gap = 0}), TAC_ERR_ARGUMENT, "h is -1");
    SAYS(tac_project_state(w.sim, w.x, w.u, w.y, &(tacProjection){.tolerance = 0}), TAC_ERR_ARGUMENT,
         "out->memory is NULL");
    w.x[0] = big, w.x[BOX_NQ] = big;
    SAYS(tac_momentum(w.sim, w.x, w.x + BOX_NQ, (tacVec6 *)w.y), TAC_ERR_NONFINITE, "the result is not finite");
    close_world(&w);
}

static void test_contacts_beyond_the_room(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_LCP);
    w.options.max_contacts = 2;
    start(&w);
    w.x[2] = 0.09;
    SAYS(tac_step(w.sim, w.x, w.u, w.y, NULL), TAC_ERR_CONTACTS,
         "the step has 4 contacts, option max_contacts allows 2");
    close_world(&w);
}

static void test_unsolved_says_why(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_NCP);
    w.options.ncp_iterations = 2;
    start(&w);
    SAYS(tac_step(w.sim, w.x, w.u, w.y, NULL), TAC_ERR_UNSOLVED,
         "tac_step: contact ncp was not solved: its iterations were used up; residual");
    CHECK_HAS(tac_sim_error(w.sim), "after 2 iterations");
    close_world(&w);
}

static void test_impacts(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_LCP);
    w.options.toi = 1, w.options.toi_impacts = 0;
    start(&w);
    w.x[2] = 0.1005, w.x[BOX_NQ + 2] = -1, w.x[BOX_NQ] = 0;
    SAYS(tac_step(w.sim, w.x, w.u, w.y, NULL), TAC_ERR_IMPACTS, "option toi_impacts allows 0");
    close_world(&w);
}

static void test_rollouts_name_the_step(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_NONE);
    double U[4 * (1 + BOX_NV)] = {0}, X[5 * BOX_NX];
    start(&w);
    U[2 * (1 + BOX_NV)] = (double)INFINITY;
    SAYS(tac_rollout(w.sim, w.x, U, 4, X, NULL), TAC_ERR_NONFINITE,
         "tac_rollout: step 2: tac_step: u[0] (ctrl[0] of actuator 'push') is inf");
    tacTrajectory path = {.n = 4, .x0 = w.x, .U = U};
    size_t bytes = tac_rollout_vjp_bytes(w.m, 4, 0);
    void *block = aligned_alloc(64, bytes);
    SAYS(tac_rollout_vjp(w.sim, &path, &(tacCheckpoints){0, block, bytes}, &(tacGrad){.x = w.P}, NULL),
         TAC_ERR_NONFINITE, "row 2 of path->U: entry 0 is inf");
    free(block);
    close_world(&w);
}

static void test_parameters(void **state) {
    (void)state;
    World w = open_world(TAC_CONTACT_MODEL_SOFT);
    CHECK_INT(tac_param_register(w.m, "body/arm.mass", NULL, NULL), TAC_OK);
    start(&w);
    SAYS(tac_sim_set_params(w.sim, &(double){-1}), TAC_ERR_MODEL, "tac_sim_set_params: body 'arm'");
    SAYS(tac_sim_set_params(w.sim, &(double){(double)NAN}), TAC_ERR_NONFINITE, "theta[0] is nan");
    SAYS(tac_sim_set_params(w.sim, NULL), TAC_ERR_ARGUMENT, "theta is NULL");
    CHECK_STR(tac_sim_error(NULL), "");
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_by_name),
        cmocka_unit_test(test_arguments_by_name),
        cmocka_unit_test(test_contacts_beyond_the_room),
        cmocka_unit_test(test_unsolved_says_why),
        cmocka_unit_test(test_impacts),
        cmocka_unit_test(test_rollouts_name_the_step),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
