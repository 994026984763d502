/* Integrators with inner steps: orders on the manifold, onsets of contact and their derivatives, activations at their
 * range, reverse mode, limits of the work (docs/theory/adaptive.md). */
#include "inner_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_TOL 0.2
/* Published truths have six digits. */
#define TRUTH_TOL 1e-6
/* Central differences of fixed steps, width 1e-5. */
#define DIFFERENCE_TOL 2e-7

/* --- Models ------------------------------------------------------------------------------------------------------- */

/* A sphere 0.1 m above a plane, on a slide; the billiard's numbers. */
static tacModel *falling_ball(void) {
    const double solref[2] = {0.01, 0.2}, solimp[5] = {0.9, 0.95, 0.01, 0.5, 2};
    tacBuilder *b = tac_model_begin();
    tacOptionDef o = tac_default_option();
    o.disable = TAC_DISABLE_REFSAFE;
    tac_model_set_option(b, &o);
    inner_geom(b, 0, TAC_GEOM_PLANE, vec(1, 1, 1), solref, solimp, 1, 1000);
    int ball = inner_body(b, 0, vec(0, 0, 0.2), TAC_JOINT_SLIDE, vec(0, 0, 1));
    inner_geom(b, ball, TAC_GEOM_SPHERE, vec(0.1, 0, 0), solref, solimp, 1, 1000);
    return inner_finish(b);
}

/* A box above a plane, turned about x. */
static tacModel *falling_box(double turn) {
    const double solref[2] = {0.005, 1}, solimp[5] = {0, 0.95, 0.001, 0.5, 2};
    tacBuilder *b = tac_model_begin();
    tacOptionDef o = tac_default_option();
    o.disable = TAC_DISABLE_REFSAFE;
    o.gravity = vec(0, 0, -2);
    o.timestep = 0.01;
    tac_model_set_option(b, &o);
    inner_geom(b, 0, TAC_GEOM_PLANE, vec(5, 5, 1), solref, solimp, 3, 1000);
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.pos = vec(0, 0, 0.2);
    body.quat = (tacQuat){cos(turn / 2), sin(turn / 2), 0, 0};
    joint.type = TAC_JOINT_FREE;
    int box = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, box, &joint);
    inner_geom(b, box, TAC_GEOM_BOX, vec(0.05, 0.05, 0.05), solref, solimp, 3, 100);
    return inner_finish(b);
}

/* A free body with a child on a ball joint, and a hinge driven through a filter with a range. */
static tacModel *turning_bodies(void) {
    tacBuilder *b = tac_model_begin();
    int trunk = inner_body(b, 0, vec(0, 0, 1), TAC_JOINT_FREE, vec(0, 0, 1));
    inner_geom(b, trunk, TAC_GEOM_BOX, vec(0.1, 0.2, 0.3), NULL, NULL, 3, 1000);
    int arm = inner_body(b, trunk, vec(0.3, 0, 0), TAC_JOINT_BALL, vec(0, 0, 1));
    inner_geom(b, arm, TAC_GEOM_ELLIPSOID, vec(0.05, 0.1, 0.2), NULL, NULL, 3, 1000);
    int hand = inner_body(b, arm, vec(0, 0, 0.4), TAC_JOINT_HINGE, vec(0, 1, 0));
    inner_geom(b, hand, TAC_GEOM_CAPSULE, vec(0.03, 0.1, 0), NULL, NULL, 3, 1000);
    tacActuatorDef act = tac_default_actuator();
    act.trntype = TAC_TRN_JOINT;
    act.trnid[0] = 2;
    act.dyntype = TAC_DYN_FILTER;
    act.dynprm[0] = 0.2;
    act.gainprm[0] = 2;
    act.actlimited = 1;
    act.actrange[0] = -0.5, act.actrange[1] = 0.5;
    tac_model_add_actuator(b, &act);
    return inner_finish(b);
}

/* --- Tests -------------------------------------------------------------------------------------------------------- */

static void set_turning(InnerWorld *w, double speed) {
    for (int i = 0; i < w->m->nv; i++)
        w->x[w->m->nq + i] = speed * (0.7 + 0.3 * i - 0.05 * i * i);
    w->u[0] = 0.3;
    w->o.dt = 0.4;
}

typedef struct Order {
    tacIntegrator integrator;
    int steps;
    double order;
} Order;

/* Errors with a number of steps and four times as many. */
static void check_orders(int n, const Order *rows, double speed) {
    InnerWorld truth, w;
    double d[32];
    inner_open(&truth, turning_bodies(), TAC_INTEGRATOR_DOPRI8, TAC_CONTACT_MODEL_NONE);
    set_turning(&truth, speed);
    truth.o.inner_steps = 200;
    inner_run(&truth);
    for (int i = 0; i < n; i++) {
        double error[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            inner_open(&w, turning_bodies(), rows[i].integrator, TAC_CONTACT_MODEL_NONE);
            set_turning(&w, speed);
            w.o.inner_steps = rows[i].steps << 2 * k;
            inner_run(&w);
            inner_difference(&w, w.y, truth.y, d);
            for (int j = 0; j < w.nd; j++)
                error[k] += d[j] * d[j];
            inner_close(&w);
        }
        CHECK_NEAR(0.25 * log2(error[0] / error[1]), rows[i].order, ORDER_TOL);
    }
    inner_close(&truth);
}

/* Slower motion for order eight, whose errors would be rounding where they are regular. */
static void finds_the_orders_on_the_manifold(void **state) {
    (void)state;
    const Order fast[] = {{TAC_INTEGRATOR_TSIT5, 40, 5},   {TAC_INTEGRATOR_DOPRI5, 40, 5},
                          {TAC_INTEGRATOR_BOSH3, 40, 3},   {TAC_INTEGRATOR_HEUN, 64, 2},
                          {TAC_INTEGRATOR_RALSTON, 64, 2}, {TAC_INTEGRATOR_MIDPOINT, 64, 2},
                          {TAC_INTEGRATOR_STIFF, 64, 4}};
    const Order slow[] = {{TAC_INTEGRATOR_DOPRI8, 10, 8}};
    check_orders(7, fast, 1);
    check_orders(1, slow, 0.4);
}

/* The truth is from differences at tolerance 1e-12 (design/math/adaptive.md). */
static void ball_has_its_derivative(void **state) {
    (void)state;
    const tacIntegrator some[] = {TAC_INTEGRATOR_TSIT5, TAC_INTEGRATOR_DOPRI8, TAC_INTEGRATOR_STIFF};
    for (int i = 0; i < 3; i++) {
        InnerWorld w;
        inner_open(&w, falling_ball(), some[i], TAC_CONTACT_MODEL_SOFT);
        w.o.dt = 0.35;
        w.o.rtol = w.o.atol = 1e-9;
        w.x[1] = -1;
        inner_run(&w);
        CHECK_NEAR(w.A[1], -0.0141622, TRUTH_TOL);
        CHECK_NEAR(w.A[3], -0.43657, 10 * TRUTH_TOL);
        assert_int_equal(w.info.events, 2);
        assert_true(w.info.error_estimate <= 1 && w.info.switches == 0);
        inner_close(&w);
    }
}

/* Without events the derivative through the accepted steps is that of no motion. */
static void events_are_needed(void **state) {
    (void)state;
    InnerWorld w;
    inner_open(&w, falling_ball(), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.35;
    w.o.rtol = w.o.atol = 1e-10;
    w.o.event_max = -1;
    w.x[1] = -1;
    inner_run(&w);
    CHECK_NEAR(w.A[1], 11.57, 0.01);
    inner_close(&w);
}

static void cube_lands_as_published(void **state) {
    (void)state;
    enum { STEPS = 100 };
    InnerWorld w;
    static double X[(STEPS + 1) * 13], bar[12], grad[12];
    inner_open(&w, falling_box(acos(-1.0) / 3), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.rtol = w.o.atol = 1e-8;
    w.x[8] = -0.1;
    w.x[9] = -2;
    inner_start(&w);
    memcpy(X, w.x, 13 * sizeof *X);
    assert_int_equal(tac_rollout(w.sim, w.x, NULL, STEPS, X, NULL), TAC_OK);
    CHECK_NEAR(X[13 * STEPS + 1], -0.260896, 2e-6);
    bar[1] = 1;
    size_t bytes = tac_rollout_vjp_bytes(w.m, STEPS, 10);
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    tacTrajectory path = {.n = STEPS, .x0 = w.x, .xbar = bar};
    tacCheckpoints kept = {10, memory, bytes};
    assert_int_equal(tac_rollout_vjp(w.sim, &path, &kept, &(tacGrad){.x = grad}, NULL), TAC_OK);
    CHECK_NEAR(grad[8], 0.57577, 5e-5);
    free(memory);
    inner_close(&w);
}

/* The four corners of a box that lands flat begin one after another at one time. */
static void flat_box_lands(void **state) {
    (void)state;
    InnerWorld w;
    inner_open(&w, falling_box(0), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.1;
    w.x[9] = -2;
    inner_run(&w);
    assert_int_equal(w.info.events, 4);
    assert_int_equal(w.info.ties, 3);
    CHECK_NEAR(w.y[3], 1, 1e-9);
    inner_close(&w);
}

static void derivative_is_that_of_fixed_steps(void **state) {
    (void)state;
    for (int i = TAC_INTEGRATOR_TSIT5; i <= TAC_INTEGRATOR_STIFF; i++) {
        InnerWorld w;
        inner_open(&w, turning_bodies(), (tacIntegrator)i, TAC_CONTACT_MODEL_NONE);
        set_turning(&w, 0.4);
        w.o.dt = 0.1;
        w.o.inner_steps = 2;
        inner_check_columns(&w, 1e-5, DIFFERENCE_TOL);
        inner_close(&w);
    }
}

static void reverse_is_forward(void **state) {
    (void)state;
    const tacIntegrator some[] = {TAC_INTEGRATOR_TSIT5, TAC_INTEGRATOR_BOSH3, TAC_INTEGRATOR_STIFF};
    for (int i = 0; i < 3; i++) {
        InnerWorld w;
        inner_open(&w, turning_bodies(), some[i], TAC_CONTACT_MODEL_NONE);
        set_turning(&w, 0.4);
        w.u[0] = 2;
        inner_check_reverse(&w);
        assert_int_equal(w.info.events, 1); /* the activation reaches its range */
        inner_close(&w);
        inner_open(&w, falling_box(1), some[i], TAC_CONTACT_MODEL_SOFT);
        w.o.dt = 0.1;
        w.x[9] = -2;
        inner_check_reverse(&w);
        assert_true(w.info.events > 0);
        inner_close(&w);
    }
}

/* Parameters in the gap and elsewhere, and the outer step, against differences at a small tolerance. */
static void parameters_have_their_derivative(void **state) {
    (void)state;
    static const char *const PATHS[] = {"geom/#0.margin", "geom/#1.size[0]", "geom/#1.solref[0]", "option.timestep"};
    tacModel *m = falling_ball();
    for (int k = 0; k < 4; k++)
        assert_int_equal(tac_param_register(m, PATHS[k], NULL, NULL), TAC_OK);
    InnerWorld w;
    inner_open(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.085;
    w.o.rtol = w.o.atol = 1e-12;
    w.x[1] = -1;
    inner_run(&w);
    inner_check_parameters(&w, 1e-6);
    inner_check_reverse(&w);
    inner_close(&w);
}

/* Two slides whose joint and tendon reach their limits, one after the other. */
static tacModel *limited_slides(void) {
    tacBuilder *b = tac_model_begin();
    int joint[2];
    for (int i = 0; i < 2; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef slide = tac_default_joint();
        body.pos = vec(0, i, 0);
        slide.type = TAC_JOINT_SLIDE;
        slide.axis = vec(1, 0, 0);
        slide.limited = i == 0;
        slide.range[0] = -1, slide.range[1] = 0.05;
        int id = tac_model_add_body(b, 0, &body);
        joint[i] = tac_model_add_joint(b, id, &slide);
        inner_geom(b, id, TAC_GEOM_SPHERE, vec(0.1, 0, 0), NULL, NULL, 1, 1000 * (i + 1));
    }
    const double coef[2] = {1, -2};
    tacTendonDef tendon = tac_default_tendon();
    tendon.type = TAC_TENDON_FIXED;
    tendon.nterm = 2, tendon.joint = joint, tendon.coef = coef;
    tendon.limited = 1;
    tendon.range[0] = -0.08, tendon.range[1] = 1;
    tac_model_add_tendon(b, &tendon);
    return inner_finish(b);
}

static void limits_begin(void **state) {
    (void)state;
    static const char *const PATHS[] = {"joint/#0.range[1]", "tendon/#0.range[0]", "body/#1.mass", "tendon/#0.coef[1]"};
    tacModel *m = limited_slides();
    tacError err = {.text = ""};
    for (int k = 0; k < 4; k++)
        if (tac_param_register(m, PATHS[k], NULL, &err) != TAC_OK) fail_msg("%s: %s", PATHS[k], err.text);
    InnerWorld w;
    inner_open(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.09;
    w.o.rtol = w.o.atol = 1e-12;
    w.x[2] = 1;
    w.x[3] = 0.9;
    inner_run(&w);
    assert_true(w.info.events >= 2);
    inner_check_columns(&w, 1e-6, DIFFERENCE_TOL);
    inner_run(&w);
    inner_check_parameters(&w, 1e-6);
    inner_check_reverse(&w);
    inner_close(&w);
}

/* act' = (ctrl - act)/tau reaches 0.5 and stays. */
static void activation_stays_in_its_range(void **state) {
    (void)state;
    InnerWorld w;
    inner_open(&w, turning_bodies(), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_NONE);
    w.o.dt = 0.4;
    w.u[0] = 2;
    inner_run(&w);
    CHECK_NEAR(w.y[w.nx - 1], 0.5, 1e-12);
    CHECK_NEAR(w.A[(size_t)w.nd * (size_t)w.nd - 1], 0, 1e-12);
    CHECK_NEAR(w.B[(w.nd - 1) * w.nu], 0, 1e-12);
    assert_true(fabs(w.A[(size_t)(w.nd - 1) * (size_t)w.nd - 1]) > 1e-3); /* the hinge still feels it */
    w.u[0] = 0.4;
    inner_run(&w);
    CHECK_NEAR(w.y[w.nx - 1], 0.4 * (1 - exp(-2.0)), 1e-5);
    CHECK_NEAR(w.A[(size_t)w.nd * (size_t)w.nd - 1], exp(-2.0), 1e-5);
    inner_close(&w);
}

static void others_refuse_it(void **state) {
    (void)state;
    tacModel *m = falling_ball();
    const tacContactModel hard[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP};
    for (int i = 0; i < 2; i++) {
        tacOptions o = tac_default_options(m);
        tacSim *sim;
        tacError err;
        o.contact = hard[i];
        o.integrator = TAC_INTEGRATOR_STIFF;
        assert_int_equal(tac_sim_new(m, &o, &sim, &err), TAC_ERR_UNSUPPORTED);
        CHECK_HAS(err.text, "stiff");
    }
    tac_model_free(m);
}

static void bad_options_are_named(void **state) {
    (void)state;
    static const char *const ROWS[][2] = {
        {"rtol", "2"},       {"rtol", "0"},         {"atol", "1e-15"},   {"inner_max", "0"},
        {"event_max", "-2"}, {"inner_steps", "-1"}, {"inner_dt", "nan"}, {"inner_checkpoints", "0"}};
    tacModel *m = falling_ball();
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        tacOptions o = tac_default_options(m);
        tacError err = {.text = ""};
        assert_int_equal(tac_option_set(&o, ROWS[i][0], ROWS[i][1], &err), TAC_ERR_ARGUMENT);
        CHECK_HAS(err.text, ROWS[i][0]);
    }
    tac_model_free(m);
}

static void used_up_work_is_a_status(void **state) {
    (void)state;
    const struct {
        int inner_max, event_max;
        tacStatus status;
    } rows[] = {{3, 1000, TAC_ERR_INNER_MAX}, {10000, 0, TAC_ERR_EVENTS}};
    for (int i = 0; i < 2; i++) {
        InnerWorld w;
        inner_open(&w, falling_ball(), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
        w.o.dt = 0.35;
        w.o.inner_max = rows[i].inner_max;
        w.o.event_max = rows[i].event_max;
        w.x[1] = -1;
        inner_start(&w);
        double y[2] = {3, 4};
        assert_int_equal(tac_step(w.sim, w.x, w.u, y, &w.info), rows[i].status);
        assert_true(y[0] == 3 && y[1] == 4);
        assert_true(w.info.stop_time >= 0 && w.info.stop_time < 0.35);
        if (rows[i].status == TAC_ERR_EVENTS) {
            assert_int_equal(w.info.has_stop, 1);
            assert_int_equal(w.info.stop_kind, TAC_CONSTRAINT_CONTACT);
            assert_int_equal(w.info.stop_id[0] + w.info.stop_id[1], 1);
        }
        inner_close(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_orders_on_the_manifold),
                                       cmocka_unit_test(ball_has_its_derivative),
                                       cmocka_unit_test(events_are_needed),
                                       cmocka_unit_test(cube_lands_as_published),
                                       cmocka_unit_test(flat_box_lands),
                                       cmocka_unit_test(derivative_is_that_of_fixed_steps),
                                       cmocka_unit_test(reverse_is_forward),
                                       cmocka_unit_test(parameters_have_their_derivative),
                                       cmocka_unit_test(limits_begin),
                                       cmocka_unit_test(activation_stays_in_its_range),
                                       cmocka_unit_test(others_refuse_it),
                                       cmocka_unit_test(bad_options_are_named),
                                       cmocka_unit_test(used_up_work_is_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
