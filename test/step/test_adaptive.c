/* Integrators with inner steps: orders on the manifold, onsets of contact and their derivatives, activations at their
 * range, reverse mode, limits of the work (docs/theory/adaptive.md). */
#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_TOL 0.2
/* Published truths have six digits. */
#define TRUTH_TOL 1e-6
/* Central differences of fixed steps, width 1e-5. */
#define DIFFERENCE_TOL 2e-7
#define REVERSE_TOL    1e-11

/* --- Models ------------------------------------------------------------------------------------------------------- */

static tacModel *finish(tacBuilder *b) {
    tacModel *m;
    tacError err = {.text = ""};
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

static int add_body(tacBuilder *b, int parent, tacVec3 pos, tacJointType type, tacVec3 axis) {
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.pos = pos;
    joint.type = type;
    joint.axis = axis;
    int id = tac_model_add_body(b, parent, &body);
    tac_model_add_joint(b, id, &joint);
    return id;
}

static void add_geom(tacBuilder *b, int body, tacGeomType type, tacVec3 size, const double *solref,
                     const double *solimp, int condim, double density) {
    tacGeomDef g = tac_default_geom();
    g.type = type;
    g.size[0] = size.x, g.size[1] = size.y, g.size[2] = size.z;
    g.condim = condim;
    g.density = density;
    if (solref != NULL) memcpy(g.solref, solref, sizeof g.solref);
    if (solimp != NULL) memcpy(g.solimp, solimp, sizeof g.solimp);
    tac_model_add_geom(b, body, &g);
}

static tacVec3 vec(double x, double y, double z) { return (tacVec3){x, y, z}; }

/* A sphere 0.1 m above a plane, on a slide; the billiard's numbers. */
static tacModel *falling_ball(void) {
    const double solref[2] = {0.01, 0.2}, solimp[5] = {0.9, 0.95, 0.01, 0.5, 2};
    tacBuilder *b = tac_model_begin();
    tacOptionDef o = tac_default_option();
    o.disable = TAC_DISABLE_REFSAFE;
    tac_model_set_option(b, &o);
    add_geom(b, 0, TAC_GEOM_PLANE, vec(1, 1, 1), solref, solimp, 1, 1000);
    int ball = add_body(b, 0, vec(0, 0, 0.2), TAC_JOINT_SLIDE, vec(0, 0, 1));
    add_geom(b, ball, TAC_GEOM_SPHERE, vec(0.1, 0, 0), solref, solimp, 1, 1000);
    return finish(b);
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
    add_geom(b, 0, TAC_GEOM_PLANE, vec(5, 5, 1), solref, solimp, 3, 1000);
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.pos = vec(0, 0, 0.2);
    body.quat = (tacQuat){cos(turn / 2), sin(turn / 2), 0, 0};
    joint.type = TAC_JOINT_FREE;
    int box = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, box, &joint);
    add_geom(b, box, TAC_GEOM_BOX, vec(0.05, 0.05, 0.05), solref, solimp, 3, 100);
    return finish(b);
}

/* A free body with a child on a ball joint, and a hinge driven through a filter with a range. */
static tacModel *turning_bodies(void) {
    tacBuilder *b = tac_model_begin();
    int trunk = add_body(b, 0, vec(0, 0, 1), TAC_JOINT_FREE, vec(0, 0, 1));
    add_geom(b, trunk, TAC_GEOM_BOX, vec(0.1, 0.2, 0.3), NULL, NULL, 3, 1000);
    int arm = add_body(b, trunk, vec(0.3, 0, 0), TAC_JOINT_BALL, vec(0, 0, 1));
    add_geom(b, arm, TAC_GEOM_ELLIPSOID, vec(0.05, 0.1, 0.2), NULL, NULL, 3, 1000);
    int hand = add_body(b, arm, vec(0, 0, 0.4), TAC_JOINT_HINGE, vec(0, 1, 0));
    add_geom(b, hand, TAC_GEOM_CAPSULE, vec(0.03, 0.1, 0), NULL, NULL, 3, 1000);
    tacActuatorDef act = tac_default_actuator();
    act.trntype = TAC_TRN_JOINT;
    act.trnid[0] = 2;
    act.dyntype = TAC_DYN_FILTER;
    act.dynprm[0] = 0.2;
    act.gainprm[0] = 2;
    act.actlimited = 1;
    act.actrange[0] = -0.5, act.actrange[1] = 0.5;
    tac_model_add_actuator(b, &act);
    return finish(b);
}

/* --- Running ------------------------------------------------------------------------------------------------------ */

typedef struct World {
    tacModel *m;
    tacOptions o;
    tacSim *sim;
    int nx, nd, nu;
    double x[32], u[8], y[32], A[32 * 32], B[32 * 8], P[32 * 4];
    tacStepInfo info;
} World;

static void open_world(World *w, tacModel *m, tacIntegrator integrator, tacContactModel contact) {
    *w = (World){.m = m, .o = tac_default_options(m)};
    w->o.integrator = integrator;
    w->o.contact = contact;
    w->nx = tac_nx(m), w->nd = tac_ndx(m), w->nu = tac_ninput(m, &w->o);
    tac_default_state(m, w->x);
}

static void start(World *w) {
    tacError err = {.text = ""};
    if (w->sim != NULL) tac_sim_free(w->sim);
    if (tac_sim_new(w->m, &w->o, &w->sim, &err) != TAC_OK) fail_msg("%s", err.text);
}

static void run(World *w) {
    tacJac jac = {w->A, w->B, w->P};
    start(w);
    assert_int_equal(tac_step_jac(w->sim, w->x, w->u, w->y, &jac, &w->info), TAC_OK);
    double plain[32];
    assert_int_equal(tac_step(w->sim, w->x, w->u, plain, NULL), TAC_OK);
    assert_memory_equal(plain, w->y, (size_t)w->nx * sizeof *plain);
}

static void close_world(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

/* y2 (-) y1 */
static void difference(const World *w, const double *y2, const double *y1, double *d) {
    tac_qpos_sub(w->m, y2, y1, d);
    for (int i = 0; i < w->nd - w->m->nv; i++)
        d[w->m->nv + i] = y2[w->m->nq + i] - y1[w->m->nq + i];
}

static void displace(const World *w, int column, double by, double *x) {
    double d[32] = {0};
    d[column] = by;
    tac_qpos_add(w->m, w->x, d, x);
    for (int i = 0; i < w->nd - w->m->nv; i++)
        x[w->m->nq + i] = w->x[w->m->nq + i] + d[w->m->nv + i];
}

/* --- Tests -------------------------------------------------------------------------------------------------------- */

static void set_turning(World *w, double speed) {
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
    World truth, w;
    double d[32];
    open_world(&truth, turning_bodies(), TAC_INTEGRATOR_DOPRI8, TAC_CONTACT_MODEL_NONE);
    set_turning(&truth, speed);
    truth.o.inner_steps = 200;
    run(&truth);
    for (int i = 0; i < n; i++) {
        double error[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            open_world(&w, turning_bodies(), rows[i].integrator, TAC_CONTACT_MODEL_NONE);
            set_turning(&w, speed);
            w.o.inner_steps = rows[i].steps << 2 * k;
            run(&w);
            difference(&w, w.y, truth.y, d);
            for (int j = 0; j < w.nd; j++)
                error[k] += d[j] * d[j];
            close_world(&w);
        }
        CHECK_NEAR(0.25 * log2(error[0] / error[1]), rows[i].order, ORDER_TOL);
    }
    close_world(&truth);
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
        World w;
        open_world(&w, falling_ball(), some[i], TAC_CONTACT_MODEL_SOFT);
        w.o.dt = 0.35;
        w.o.rtol = w.o.atol = 1e-9;
        w.x[1] = -1;
        run(&w);
        CHECK_NEAR(w.A[1], -0.0141622, TRUTH_TOL);
        CHECK_NEAR(w.A[3], -0.43657, 10 * TRUTH_TOL);
        assert_int_equal(w.info.events, 2);
        assert_true(w.info.error_estimate <= 1 && w.info.switches == 0);
        close_world(&w);
    }
}

/* Without events the derivative through the accepted steps is that of no motion. */
static void events_are_needed(void **state) {
    (void)state;
    World w;
    open_world(&w, falling_ball(), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.35;
    w.o.rtol = w.o.atol = 1e-10;
    w.o.event_max = -1;
    w.x[1] = -1;
    run(&w);
    CHECK_NEAR(w.A[1], 11.57, 0.01);
    close_world(&w);
}

static void cube_lands_as_published(void **state) {
    (void)state;
    enum { STEPS = 100 };
    World w;
    static double X[(STEPS + 1) * 13], bar[12], grad[12];
    open_world(&w, falling_box(acos(-1.0) / 3), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.rtol = w.o.atol = 1e-8;
    w.x[8] = -0.1;
    w.x[9] = -2;
    start(&w);
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
    close_world(&w);
}

/* The four corners of a box that lands flat begin one after another at one time. */
static void flat_box_lands(void **state) {
    (void)state;
    World w;
    open_world(&w, falling_box(0), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.1;
    w.x[9] = -2;
    run(&w);
    assert_int_equal(w.info.events, 4);
    assert_int_equal(w.info.ties, 3);
    CHECK_NEAR(w.y[3], 1, 1e-9);
    close_world(&w);
}

static void check_columns(World *w, double width) {
    run(w);
    double A[32 * 32];
    memcpy(A, w->A, sizeof A);
    for (int c = 0; c < w->nd; c++) {
        double x[32], y[2][32], d[32];
        for (int side = 0; side < 2; side++) {
            displace(w, c, side ? width : -width, x);
            assert_int_equal(tac_step(w->sim, x, w->u, y[side], NULL), TAC_OK);
        }
        difference(w, y[1], y[0], d);
        for (int i = 0; i < w->nd; i++)
            CHECK_NEAR(A[i * w->nd + c], d[i] / (2 * width), DIFFERENCE_TOL * (1 + fabs(d[i] / (2 * width))));
    }
}

static void derivative_is_that_of_fixed_steps(void **state) {
    (void)state;
    for (int i = TAC_INTEGRATOR_TSIT5; i <= TAC_INTEGRATOR_STIFF; i++) {
        World w;
        open_world(&w, turning_bodies(), (tacIntegrator)i, TAC_CONTACT_MODEL_NONE);
        set_turning(&w, 0.4);
        w.o.dt = 0.1;
        w.o.inner_steps = 2;
        check_columns(&w, 1e-5);
        close_world(&w);
    }
}

static void check_reverse(World *w) {
    run(w);
    double first[64], bar[32];
    const int budgets[] = {1, 3, 100};
    for (int b = 0; b < 3; b++) {
        double g[64] = {0};
        w->o.inner_checkpoints = budgets[b];
        start(w);
        for (int i = 0; i < w->nd; i++)
            bar[i] = 1 - 0.3 * i;
        tacGrad grad = {g, g + w->nd, g + w->nd + w->nu};
        assert_int_equal(tac_step_vjp(w->sim, w->x, w->u, bar, &grad, NULL), TAC_OK);
        if (b == 0) memcpy(first, g, sizeof g);
        assert_memory_equal(first, g, sizeof g);
        for (int c = 0; c < w->nd + w->nu + w->m->nparam; c++) {
            double sum = 0;
            for (int i = 0; i < w->nd; i++)
                sum += bar[i] * (c < w->nd           ? w->A[i * w->nd + c]
                                 : c < w->nd + w->nu ? w->B[i * w->nu + c - w->nd]
                                                     : w->P[i * w->m->nparam + c - w->nd - w->nu]);
            CHECK_NEAR(g[c], sum, REVERSE_TOL * fmax(1, fabs(sum)));
        }
    }
}

static void reverse_is_forward(void **state) {
    (void)state;
    const tacIntegrator some[] = {TAC_INTEGRATOR_TSIT5, TAC_INTEGRATOR_BOSH3, TAC_INTEGRATOR_STIFF};
    for (int i = 0; i < 3; i++) {
        World w;
        open_world(&w, turning_bodies(), some[i], TAC_CONTACT_MODEL_NONE);
        set_turning(&w, 0.4);
        w.u[0] = 2;
        check_reverse(&w);
        assert_int_equal(w.info.events, 1); /* the activation reaches its range */
        close_world(&w);
        open_world(&w, falling_box(1), some[i], TAC_CONTACT_MODEL_SOFT);
        w.o.dt = 0.1;
        w.x[9] = -2;
        check_reverse(&w);
        assert_true(w.info.events > 0);
        close_world(&w);
    }
}

/* P, whose columns are not zero, against central differences. */
static void check_parameters(World *w, double width) {
    double theta[8], y[2][32], d[32];
    int n = w->m->nparam;
    assert_int_equal(tac_sim_get_params(w->sim, theta), TAC_OK);
    for (int k = 0; k < n; k++) {
        double most = 0;
        for (int side = 0; side < 2; side++) {
            double moved[8];
            memcpy(moved, theta, sizeof moved);
            moved[k] += side ? width : -width;
            assert_int_equal(tac_sim_set_params(w->sim, moved), TAC_OK);
            assert_int_equal(tac_step(w->sim, w->x, w->u, y[side], NULL), TAC_OK);
        }
        difference(w, y[1], y[0], d);
        for (int i = 0; i < w->nd; i++) {
            d[i] /= 2 * width;
            most = fmax(most, fabs(d[i]));
            CHECK_NEAR(w->P[n * i + k], d[i], 1e-4 * (1 + fabs(d[i])));
        }
        assert_true(most > 1e-3);
    }
    assert_int_equal(tac_sim_set_params(w->sim, theta), TAC_OK);
}

/* Parameters in the gap and elsewhere, and the outer step, against differences at a small tolerance. */
static void parameters_have_their_derivative(void **state) {
    (void)state;
    static const char *const PATHS[] = {"geom/#0.margin", "geom/#1.size[0]", "geom/#1.solref[0]", "option.timestep"};
    tacModel *m = falling_ball();
    for (int k = 0; k < 4; k++)
        assert_int_equal(tac_param_register(m, PATHS[k], NULL, NULL), TAC_OK);
    World w;
    open_world(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.085;
    w.o.rtol = w.o.atol = 1e-12;
    w.x[1] = -1;
    run(&w);
    check_parameters(&w, 1e-6);
    check_reverse(&w);
    close_world(&w);
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
        add_geom(b, id, TAC_GEOM_SPHERE, vec(0.1, 0, 0), NULL, NULL, 1, 1000 * (i + 1));
    }
    const double coef[2] = {1, -2};
    tacTendonDef tendon = tac_default_tendon();
    tendon.type = TAC_TENDON_FIXED;
    tendon.nterm = 2, tendon.joint = joint, tendon.coef = coef;
    tendon.limited = 1;
    tendon.range[0] = -0.08, tendon.range[1] = 1;
    tac_model_add_tendon(b, &tendon);
    return finish(b);
}

static void limits_begin(void **state) {
    (void)state;
    static const char *const PATHS[] = {"joint/#0.range[1]", "tendon/#0.range[0]", "body/#1.mass", "tendon/#0.coef[1]"};
    tacModel *m = limited_slides();
    tacError err = {.text = ""};
    for (int k = 0; k < 4; k++)
        if (tac_param_register(m, PATHS[k], NULL, &err) != TAC_OK) fail_msg("%s: %s", PATHS[k], err.text);
    World w;
    open_world(&w, m, TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
    w.o.dt = 0.09;
    w.o.rtol = w.o.atol = 1e-12;
    w.x[2] = 1;
    w.x[3] = 0.9;
    run(&w);
    assert_true(w.info.events >= 2);
    check_columns(&w, 1e-6);
    run(&w);
    check_parameters(&w, 1e-6);
    check_reverse(&w);
    close_world(&w);
}

/* act' = (ctrl - act)/tau reaches 0.5 and stays. */
static void activation_stays_in_its_range(void **state) {
    (void)state;
    World w;
    open_world(&w, turning_bodies(), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_NONE);
    w.o.dt = 0.4;
    w.u[0] = 2;
    run(&w);
    CHECK_NEAR(w.y[w.nx - 1], 0.5, 1e-12);
    CHECK_NEAR(w.A[(size_t)w.nd * (size_t)w.nd - 1], 0, 1e-12);
    CHECK_NEAR(w.B[(w.nd - 1) * w.nu], 0, 1e-12);
    assert_true(fabs(w.A[(size_t)(w.nd - 1) * (size_t)w.nd - 1]) > 1e-3); /* the hinge still feels it */
    w.u[0] = 0.4;
    run(&w);
    CHECK_NEAR(w.y[w.nx - 1], 0.4 * (1 - exp(-2.0)), 1e-5);
    CHECK_NEAR(w.A[(size_t)w.nd * (size_t)w.nd - 1], exp(-2.0), 1e-5);
    close_world(&w);
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
        World w;
        open_world(&w, falling_ball(), TAC_INTEGRATOR_TSIT5, TAC_CONTACT_MODEL_SOFT);
        w.o.dt = 0.35;
        w.o.inner_max = rows[i].inner_max;
        w.o.event_max = rows[i].event_max;
        w.x[1] = -1;
        start(&w);
        double y[2] = {3, 4};
        assert_int_equal(tac_step(w.sim, w.x, w.u, y, &w.info), rows[i].status);
        assert_true(y[0] == 3 && y[1] == 4);
        assert_true(w.info.stop_time >= 0 && w.info.stop_time < 0.35);
        if (rows[i].status == TAC_ERR_EVENTS) {
            assert_int_equal(w.info.has_stop, 1);
            assert_int_equal(w.info.stop_kind, TAC_CONSTRAINT_CONTACT);
            assert_int_equal(w.info.stop_id[0] + w.info.stop_id[1], 1);
        }
        close_world(&w);
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
