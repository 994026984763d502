/* Several numbers as one parameter: a box slides on a floor of its own friction. By each alone the derivative is half,
 * by both together the whole, which differences of both have. */
#include "first_day/box_on_floor.h"

#include <math.h>
#include <stdlib.h>

/* Of a derivative against central differences; relative to the largest entry of the column. */
#define TOL_DIFFERENCE 1e-6
/* Of sums of the same terms in another order. */
#define TOL_SUM 1e-12
/* Half the stencil of differences, of a friction of 1. */
#define STEP 1e-5

enum { FLOOR, BOX };
static const char *const FRICTION[] = {"geom/floor.friction[0]", "geom/box.friction[0]"};
static const tacContactModel CONTACTS[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP, TAC_CONTACT_MODEL_SOFT};

static tacSim *open_sim(const tacModel *m, tacContactModel contact) {
    tacOptions options = tac_default_options(m);
    tacSim *sim = NULL;
    tacError err;
    options.contact = contact, options.ncp_polish = 5;
    if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    return sim;
}

/* The box slides a few steps, until its contact is settled: a state with a smooth neighbourhood. */
static void slide(tacSim *sim, const tacModel *m, double *x) {
    const double u[1] = {0};
    CHECK_INT(tac_key_state(m, NULL, 0, x, NULL, NULL), TAC_OK);
    for (int i = 0; i < 20; i++)
        CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
    CHECK(x[BOX_NQ] > 0.1);
}

/* Columns of P by floor and box alone, and one of both in a model where they are one parameter. */
static void columns(tacContactModel contact, double alone[2][BOX_NDX], double both[BOX_NDX], double *x) {
    tacModel *apart = box_on_floor(TAC_INTEGRATOR_EULER), *tied = box_on_floor(TAC_INTEGRATOR_EULER);
    const double u[1] = {0};
    double P[2 * BOX_NDX], gx[BOX_NDX], ybar[BOX_NDX], gtheta[2];
    for (int i = 0; i < 2; i++)
        CHECK_INT(tac_param_register(apart, FRICTION[i], NULL, NULL), TAC_OK);
    CHECK_INT(tac_param_register_group(tied, FRICTION, 2, NULL, NULL), TAC_OK);
    CHECK_INT(tied->nparam, 1);
    tacSim *of_apart = open_sim(apart, contact), *of_tied = open_sim(tied, contact);
    slide(of_apart, apart, x);
    CHECK_INT(tac_step_jac(of_apart, x, u, NULL, &(tacJac){.P = P}, NULL), TAC_OK);
    for (int i = 0; i < BOX_NDX; i++)
        alone[0][i] = P[2 * i], alone[1][i] = P[2 * i + 1], ybar[i] = 1 + 0.1 * i;
    CHECK_INT(tac_step_jac(of_tied, x, u, NULL, &(tacJac){.P = both}, NULL), TAC_OK);
    CHECK_INT(tac_step_vjp(of_tied, x, u, ybar, &(tacGrad){gx, NULL, gtheta}, NULL), TAC_OK);
    double forward = 0;
    for (int i = 0; i < BOX_NDX; i++)
        forward += ybar[i] * both[i];
    CHECK_NEAR(gtheta[0], forward, 1e-9 * fabs(forward));
    tac_sim_free(of_apart), tac_sim_free(of_tied);
    tac_model_free(apart), tac_model_free(tied);
}

/* Differences of a step by the friction of both at once, set through the tied parameter. */
static void differences(tacContactModel contact, const double *x, double *column) {
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    const double u[1] = {0};
    double y[2][BOX_NX], theta, dq[BOX_NV];
    CHECK_INT(tac_param_register_group(m, FRICTION, 2, NULL, NULL), TAC_OK);
    tacSim *sim = open_sim(m, contact);
    CHECK_INT(tac_sim_get_params(sim, &theta), TAC_OK);
    CHECK(theta == 1);
    for (int i = 0; i < 2; i++) {
        double moved = theta + (i == 0 ? -STEP : STEP);
        CHECK_INT(tac_sim_set_params(sim, &moved), TAC_OK);
        CHECK_INT(tac_step(sim, x, u, y[i], NULL), TAC_OK);
    }
    tac_qpos_sub(m, y[1], y[0], dq);
    for (int i = 0; i < BOX_NV; i++) {
        column[i] = dq[i] / (2 * STEP);
        column[BOX_NV + i] = (y[1][BOX_NQ + i] - y[0][BOX_NQ + i]) / (2 * STEP);
    }
    tac_sim_free(sim);
    tac_model_free(m);
}

static void test_tied_friction(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof CONTACTS / sizeof *CONTACTS; c++) {
        double alone[2][BOX_NDX], both[BOX_NDX], expected[BOX_NDX], x[BOX_NX], most = 0, off = 0;
        columns(CONTACTS[c], alone, both, x);
        differences(CONTACTS[c], x, expected);
        for (int i = 0; i < BOX_NDX; i++)
            most = fmax(most, fabs(both[i]));
        CHECK(most > 1e-3); /* it slides: friction brakes */
        for (int i = 0; i < BOX_NDX; i++) {
            off = fmax(off, fabs(both[i] - expected[i]) / most);
            CHECK_NEAR(alone[FLOOR][i], alone[BOX][i], TOL_SUM * most);
            CHECK_NEAR(both[i], 2 * alone[BOX][i], TOL_SUM * most);
        }
        print_message("contact %d: largest %.3g, off differences by %.1e of it\n", (int)CONTACTS[c], most, off);
        CHECK_LT(off, TOL_DIFFERENCE);
    }
}

/* A group of numbers of different kinds, in every place that has parameters: outputs, forces, integrators. */
static void check_sum(tacContactModel contact, tacIntegrator integrator) {
    static const char *const PATHS[] = {"geom/box.density", "geom/rod.density"};
    const tacOutput list[] = {{TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL},
                              {TAC_OUT_ACCELERATION, TAC_OUT_ALL},
                              {TAC_OUT_KINETIC, 0},
                              {TAC_OUT_SUBTREE_COM, 0},
                              {TAC_OUT_QFRC_PASSIVE, TAC_OUT_ALL}};
    const tacOutputs outputs = {5, list};
    tacModel *apart = box_on_floor(integrator), *tied = box_on_floor(integrator);
    const double u[1] = {0.2};
    int nz = tac_outputs_size(apart, &outputs);
    double P2[2 * BOX_NDX], P1[BOX_NDX], x[BOX_NX], *Z2 = calloc(2 * (size_t)nz, sizeof *Z2),
                                                    *Z1 = calloc((size_t)nz, sizeof *Z1);
    for (int i = 0; i < 2; i++)
        CHECK_INT(tac_param_register(apart, PATHS[i], NULL, NULL), TAC_OK);
    CHECK_INT(tac_param_register_group(tied, PATHS, 2, NULL, NULL), TAC_OK);
    tacSim *of_apart = open_sim(apart, contact), *of_tied = open_sim(tied, contact);
    slide(of_apart, apart, x);
    x[BOX_NX - 1] = 0.7; /* the arm turns */
    CHECK_INT(tac_step_jac(of_apart, x, u, NULL, &(tacJac){.P = P2}, NULL), TAC_OK);
    CHECK_INT(tac_step_jac(of_tied, x, u, NULL, &(tacJac){.P = P1}, NULL), TAC_OK);
    CHECK_INT(tac_outputs_jac(of_apart, x, u, &outputs, NULL, &(tacJac){.P = Z2}), TAC_OK);
    CHECK_INT(tac_outputs_jac(of_tied, x, u, &outputs, NULL, &(tacJac){.P = Z1}), TAC_OK);
    double most = 0;
    for (int i = 0; i < BOX_NDX; i++) {
        CHECK_NEAR(P1[i], P2[2 * i] + P2[2 * i + 1], 1e-10 * fmax(1, fabs(P1[i])));
        most = fmax(most, fabs(P1[i]));
    }
    CHECK(most > 1e-9);
    for (int i = 0; i < nz; i++)
        CHECK_NEAR(Z1[i], Z2[2 * i] + Z2[2 * i + 1], 1e-8 * fmax(1, fabs(Z1[i])));
    free(Z1), free(Z2);
    tac_sim_free(of_apart), tac_sim_free(of_tied);
    tac_model_free(apart), tac_model_free(tied);
}

static void test_sums_everywhere(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof CONTACTS / sizeof *CONTACTS; c++)
        check_sum(CONTACTS[c], TAC_INTEGRATOR_EULER);
    check_sum(TAC_CONTACT_MODEL_NCP, TAC_INTEGRATOR_IMPLICIT);
    check_sum(TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_IMPLICIT);
    check_sum(TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_IMPLICITFAST);
    check_sum(TAC_CONTACT_MODEL_SOFT, TAC_INTEGRATOR_RK4);
}

/* --- What a group is ---------------------------------------------------------------------------------------------- */

static void test_values_names_and_copies(void **state) {
    (void)state;
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER), *copy = NULL, *back = NULL;
    int k = -1;
    char text[256];
    double value, theta[2], mass = 3;
    CHECK_INT(tac_param_register(m, "body/arm.mass", &k, NULL), TAC_OK);
    uint64_t before = tac_model_hash(m);
    CHECK_INT(tac_param_register_group(m, FRICTION, 2, &k, NULL), TAC_OK);
    CHECK_INT(k, 1);
    CHECK_INT(tac_param_register_group(m, FRICTION, 2, &k, NULL), TAC_OK); /* again: the same */
    CHECK_INT(k, 1);
    CHECK_INT(m->nparam, 2);
    CHECK(tac_model_hash(m) != before);
    CHECK_INT(tac_param_registered(m, 1, 1, text, sizeof text), TAC_OK);
    CHECK_STR(text, FRICTION[1]);
    CHECK_INT(tac_param_registered(m, 1, 2, text, sizeof text), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_param_registered(m, 0, 1, text, sizeof text), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_param_set(m, FRICTION[1], 0.5, NULL), TAC_OK); /* one of them sets them all */
    CHECK_INT(tac_param_get(m, FRICTION[0], &value, NULL), TAC_OK);
    CHECK(value == 0.5);
    CHECK_INT(tac_model_copy(m, &copy, NULL), TAC_OK);
    CHECK(tac_model_hash(copy) == tac_model_hash(m));
    size_t bytes = tac_model_pack_bytes(m);
    void *packed = malloc(bytes);
    CHECK_INT(tac_model_pack(m, packed, bytes, NULL), TAC_OK);
    CHECK_INT(tac_model_unpack(packed, bytes, &back, NULL), TAC_OK);
    CHECK(tac_model_hash(back) == tac_model_hash(m));
    tacSim *sim = open_sim(back, TAC_CONTACT_MODEL_SOFT);
    CHECK_INT(tac_sim_get_params(sim, theta), TAC_OK);
    CHECK(theta[1] == 0.5);
    theta[0] = mass, theta[1] = 0.25;
    CHECK_INT(tac_sim_set_params(sim, theta), TAC_OK);
    CHECK_INT(tac_sim_get_params(sim, theta), TAC_OK);
    CHECK(theta[0] == mass && theta[1] == 0.25);
    tac_sim_free(sim);
    free(packed);
    tac_model_free(m), tac_model_free(copy), tac_model_free(back);
}

/* Two numbers of one axis: both are set before it becomes a unit again, in the model and in a simulation. */
static void test_numbers_of_one_axis(void **state) {
    (void)state;
    static const char *const AXIS[2] = {"joint/hinge.axis[0]", "joint/hinge.axis[2]"};
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    double axis[3];
    CHECK_INT(tac_param_register_group(m, AXIS, 2, NULL, NULL), TAC_OK);
    CHECK_INT(tac_param_set(m, AXIS[0], 0.5, NULL), TAC_OK);
    for (int i = 0; i < 3; i++)
        CHECK_INT(tac_param_get(m, (const char *[]){AXIS[0], "joint/hinge.axis[1]", AXIS[1]}[i], &axis[i], NULL),
                  TAC_OK);
    CHECK(axis[0] == axis[2]);
    CHECK_NEAR(axis[0], sqrt(1.0 / 6), 1e-15);
    CHECK_NEAR(axis[1], sqrt(2.0 / 3), 1e-15);
    tac_model_free(m);
}

static void check_refused(tacModel *m, int n, const char *const *paths, const char *text) {
    tacError err;
    int before = m->nparam;
    CHECK(tac_param_register_group(m, paths, n, NULL, &err) != TAC_OK);
    CHECK_HAS(err.text, text);
    CHECK_INT(m->nparam, before);
}

static void test_refusals(void **state) {
    (void)state;
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    tacError err;
    check_refused(m, 2, (const char *[]){"geom/box.size[0]", "geom/box.size[2]"},
                  "a group needs equal values: 'geom/box.size[0]' is 0.2");
    check_refused(m, 2, (const char *[]){"geom/box.size[0]", "geom/box.size[0]"}, "is in the group twice");
    check_refused(m, 2, (const char *[]){"geom/box.size[0]", "geom/none.size[0]"}, "no geom 'none'");
    check_refused(m, 1, (const char *[]){"option.timestep"}, "own time step");
    check_refused(m, 0, FRICTION, "expected at least 1");
    CHECK_INT(tac_param_register(m, FRICTION[0], NULL, NULL), TAC_OK);
    check_refused(m, 2, FRICTION, "it is registered by itself");
    CHECK_INT(tac_param_register_group(m, (const char *[]){"geom/box.size[0]", "geom/box.size[1]"}, 2, NULL, NULL),
              TAC_OK);
    check_refused(m, 2, (const char *[]){"geom/box.size[0]", "geom/box.size[0]"}, "one of a group of 2");
    check_refused(m, 1, (const char *[]){"geom/box.size[1]"}, "one of a group of 2, with 'geom/box.size[0]'");
    CHECK_INT(tac_param_register(m, "geom/box.size[0]", NULL, &err), TAC_ERR_NAME);
    CHECK_HAS(err.text, "one of a group of 2, with 'geom/box.size[1]'");
    CHECK_INT(m->nparam, 2);
    tac_model_free(m);
}

/* Worlds of a batch and rollouts in reverse have the group's column too. */
static void test_batch_and_rollout(void **state) {
    (void)state;
    enum { WORLDS = 3, STEPS = 4 };
    tacModel *m = box_on_floor(TAC_INTEGRATOR_EULER);
    tacOptions options = tac_default_options(m);
    double X[WORLDS * BOX_NX], U[WORLDS * STEPS] = {0}, Ybar[WORLDS * BOX_NDX], theta[WORLDS], one, sum;
    options.contact = TAC_CONTACT_MODEL_SOFT;
    CHECK_INT(tac_param_register_group(m, FRICTION, 2, NULL, NULL), TAC_OK);
    tacSim *sim = open_sim(m, TAC_CONTACT_MODEL_SOFT);
    for (int i = 0; i < WORLDS; i++)
        slide(sim, m, X + i * BOX_NX), X[i * BOX_NX + BOX_NQ] += 0.1 * i;
    for (int i = 0; i < WORLDS * BOX_NDX; i++)
        Ybar[i] = i % 7;
    CHECK_INT(tac_batch_step_vjp(m, &options, WORLDS, X, U, Ybar, &(tacGrad){.theta = theta}, 2), TAC_OK);
    for (int i = 0; i < WORLDS; i++) {
        CHECK_INT(tac_step_vjp(sim, X + i * BOX_NX, U, Ybar + i * BOX_NDX, &(tacGrad){.theta = &one}, NULL), TAC_OK);
        CHECK(one == theta[i] && one != 0);
    }
    size_t bytes = tac_rollout_vjp_bytes(m, STEPS, 1);
    tacCheckpoints memory = {1, aligned_alloc(64, bytes), bytes};
    tacTrajectory path = {.n = STEPS, .x0 = X, .U = U, .xbar = Ybar};
    CHECK_INT(tac_rollout_vjp(sim, &path, &memory, &(tacGrad){.theta = &sum}, NULL), TAC_OK);
    CHECK(sum != 0);
    free(memory.memory);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tied_friction),           cmocka_unit_test(test_sums_everywhere),
        cmocka_unit_test(test_values_names_and_copies), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_batch_and_rollout),       cmocka_unit_test(test_numbers_of_one_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
