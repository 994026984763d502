/* Differential equations given by functions (tac_ode_solve, _jac, _vjp): orders, onsets, bounces, checkpoints. */
#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_TOL 0.2
/* Rounding of closed forms through a few hundred steps. */
#define ROUND_TOL 1e-9

enum { MOST = 8 };

typedef struct World {
    double x[MOST], J[MOST * MOST], P[MOST * MOST], T[MOST];
    tacStepInfo info;
} World;

static void *memory_for(const tacOde *ode, const tacOdeOptions *o) {
    tacError err = {.text = ""};
    size_t bytes = tac_ode_bytes(ode, o, &err);
    if (bytes == 0) fail_msg("%s", err.text);
    void *memory = aligned_alloc(64, bytes);
    assert_non_null(memory);
    return memory;
}

/* Forward mode is the Jacobian times the direction. */
static void check_forward(const tacOde *ode, const tacOdeOptions *o, double span, const double *x0, const double *theta,
                          const World *w, void *memory) {
    const double d[2 * MOST] = {0.7, -1.3, 0.4, 2.1, -0.6, 0.9, 1.7, -0.2, 0.3, -0.8, 1.1, 0.5, -1.9, 0.6, 0.1, 1.2};
    const tacOdeTangent along = {d, d + MOST, -0.45};
    double dx[MOST];
    assert_int_equal(tac_ode_jvp(ode, o, span, x0, theta, &along, dx, memory, NULL), TAC_OK);
    for (int i = 0; i < ode->n; i++) {
        double sum = w->T[i] * along.span, size = fabs(sum);
        for (int j = 0; j < ode->n; j++)
            sum += w->J[i * ode->n + j] * d[j], size += fabs(w->J[i * ode->n + j] * d[j]);
        for (int j = 0; j < ode->ntheta; j++)
            sum += w->P[i * ode->ntheta + j] * d[MOST + j], size += fabs(w->P[i * ode->ntheta + j] * d[MOST + j]);
        CHECK_NEAR(dx[i], sum, 1e-11 * fmax(1, size));
    }
}

static tacStatus run(const tacOde *ode, const tacOdeOptions *o, double span, const double *x0, const double *theta,
                     World *w) {
    void *memory = memory_for(ode, o);
    tacOdeJac jac = {w->J, w->P, w->T};
    tacStatus status = tac_ode_jac(ode, o, span, x0, theta, w->x, &jac, memory, &w->info);
    double plain[MOST];
    if (status == TAC_OK) {
        assert_int_equal(tac_ode_solve(ode, o, span, x0, theta, plain, memory, NULL), TAC_OK);
        assert_memory_equal(plain, w->x, (size_t)ode->n * sizeof *plain);
        check_forward(ode, o, span, x0, theta, w, memory);
    }
    free(memory);
    return status;
}

/* --- A smooth equation: a pendulum with a spring on its square ---------------------------------------------------- */

static int swing(void *user, const double *x, const double *p, const unsigned char *on, double *f) {
    (void)user, (void)on;
    f[0] = x[1];
    f[1] = -p[0] * sin(x[0]) - p[1] * x[1] + 0.3 * x[0] * x[0];
    return 0;
}

static int swing_jac(void *user, const double *x, const double *p, const unsigned char *on, double *f_x, double *f_p) {
    (void)user, (void)on;
    double rows[4] = {0, 1, -p[0] * cos(x[0]) + 0.6 * x[0], -p[1]};
    double cols[4] = {0, 0, -sin(x[0]), -x[1]};
    if (f_x != NULL) memcpy(f_x, rows, sizeof rows);
    if (f_p != NULL) memcpy(f_p, cols, sizeof cols);
    return 0;
}

static const tacOde SWING = {.n = 2, .ntheta = 2, .f = swing, .f_jac = swing_jac};
static const double SWING_X[2] = {1.1, -0.4}, SWING_P[2] = {4, 0.3};

static double error_of(tacIntegrator integrator, int steps, const double *truth) {
    tacOdeOptions o = tac_default_ode_options();
    World w;
    o.integrator = integrator;
    o.inner_steps = steps;
    assert_int_equal(run(&SWING, &o, 2, SWING_X, SWING_P, &w), TAC_OK);
    assert_int_equal(w.info.inner_accepted, steps);
    return hypot(w.x[0] - truth[0], w.x[1] - truth[1]);
}

static void finds_the_orders(void **state) {
    (void)state;
    const struct {
        tacIntegrator integrator;
        int steps;
        double order;
    } rows[] = {{TAC_INTEGRATOR_TSIT5, 32, 5},     {TAC_INTEGRATOR_DOPRI5, 32, 5}, {TAC_INTEGRATOR_DOPRI8, 8, 8},
                {TAC_INTEGRATOR_BOSH3, 64, 3},     {TAC_INTEGRATOR_HEUN, 256, 2},  {TAC_INTEGRATOR_RALSTON, 256, 2},
                {TAC_INTEGRATOR_MIDPOINT, 256, 2}, {TAC_INTEGRATOR_STIFF, 64, 4}};
    tacOdeOptions o = tac_default_ode_options();
    World truth;
    o.integrator = TAC_INTEGRATOR_DOPRI8;
    o.inner_steps = 400;
    assert_int_equal(run(&SWING, &o, 2, SWING_X, SWING_P, &truth), TAC_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double a = error_of(rows[i].integrator, rows[i].steps, truth.x);
        double b = error_of(rows[i].integrator, 2 * rows[i].steps, truth.x);
        CHECK_NEAR(log2(a / b), rows[i].order, 2 * ORDER_TOL);
    }
}

static void error_follows_tolerance(void **state) {
    (void)state;
    for (int i = TAC_INTEGRATOR_TSIT5; i <= TAC_INTEGRATOR_STIFF; i++) {
        tacOdeOptions o = tac_default_ode_options();
        World truth, w;
        o.integrator = TAC_INTEGRATOR_DOPRI8;
        o.rtol = o.atol = 1e-13;
        assert_int_equal(run(&SWING, &o, 2, SWING_X, SWING_P, &truth), TAC_OK);
        o.integrator = (tacIntegrator)i;
        o.rtol = o.atol = i >= TAC_INTEGRATOR_HEUN && i <= TAC_INTEGRATOR_MIDPOINT ? 1e-6 : 1e-8;
        assert_int_equal(run(&SWING, &o, 2, SWING_X, SWING_P, &w), TAC_OK);
        assert_true(w.info.error_estimate <= 1 && w.info.inner_accepted > 1);
        for (int k = 0; k < 2; k++)
            CHECK_NEAR(w.x[k], truth.x[k], 200 * o.rtol);
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(w.J[k], truth.J[k], 2000 * o.rtol);
            CHECK_NEAR(w.P[k], truth.P[k], 2000 * o.rtol);
        }
        double f[2];
        swing(NULL, w.x, SWING_P, NULL, f);
        for (int k = 0; k < 2; k++)
            CHECK_NEAR(w.T[k], f[k], 1e-3);
    }
}

/* The derivative is that of the discrete map with these steps, to rounding. */
static void derivative_is_that_of_fixed_steps(void **state) {
    (void)state;
    for (int i = TAC_INTEGRATOR_TSIT5; i <= TAC_INTEGRATOR_STIFF; i++) {
        tacOdeOptions o = tac_default_ode_options();
        World w, high, low;
        double h = 1e-5;
        o.integrator = (tacIntegrator)i;
        o.inner_steps = 4;
        assert_int_equal(run(&SWING, &o, 2, SWING_X, SWING_P, &w), TAC_OK);
        for (int c = 0; c < 5; c++) {
            double x[2][2], p[2][2], span[2];
            for (int s = 0; s < 2; s++) {
                memcpy(x[s], SWING_X, sizeof x[s]);
                memcpy(p[s], SWING_P, sizeof p[s]);
                span[s] = 2;
                *(c < 2 ? &x[s][c] : c < 4 ? &p[s][c - 2] : &span[s]) += s ? h : -h;
            }
            run(&SWING, &o, span[0], x[0], p[0], &low);
            run(&SWING, &o, span[1], x[1], p[1], &high);
            for (int k = 0; k < 2; k++) {
                double d = (high.x[k] - low.x[k]) / (2 * h);
                double exact = c < 2 ? w.J[2 * k + c] : c < 4 ? w.P[2 * k + c - 2] : w.T[k];
                CHECK_NEAR(exact, d, 1e-8);
            }
        }
    }
}

static void check_reverse(const tacOde *ode, const tacOdeOptions *o, double span, const double *x0,
                          const double *theta) {
    World w;
    assert_int_equal(run(ode, o, span, x0, theta, &w), TAC_OK);
    double first[2 * MOST + 1];
    const int budgets[] = {1, 2, 5, 1000};
    for (int b = 0; b < 4; b++) {
        tacOdeOptions mine = *o;
        mine.inner_checkpoints = budgets[b];
        void *memory = memory_for(ode, &mine);
        double bar[MOST], all[2 * MOST + 1] = {0};
        for (int k = 0; k < ode->n; k++)
            bar[k] = 1 + 0.7 * k;
        tacOdeGrad grad = {all, all + MOST, all + 2 * MOST};
        assert_int_equal(tac_ode_vjp(ode, &mine, span, x0, theta, bar, &grad, memory, NULL), TAC_OK);
        free(memory);
        if (b == 0) memcpy(first, all, sizeof all);
        assert_memory_equal(first, all, sizeof all);
        for (int c = 0; c < ode->n + ode->ntheta + 1; c++) {
            double sum = 0, got = c < ode->n                 ? all[c]
                                  : c < ode->n + ode->ntheta ? all[MOST + c - ode->n]
                                                             : all[2 * MOST];
            for (int k = 0; k < ode->n; k++)
                sum += bar[k] * (c < ode->n                 ? w.J[k * ode->n + c]
                                 : c < ode->n + ode->ntheta ? w.P[k * ode->ntheta + c - ode->n]
                                                            : w.T[k]);
            CHECK_NEAR(got, sum, 1e-10 * fmax(1, fabs(sum)));
        }
    }
}

static void reverse_is_forward(void **state) {
    (void)state;
    for (int i = TAC_INTEGRATOR_TSIT5; i <= TAC_INTEGRATOR_STIFF; i++) {
        tacOdeOptions o = tac_default_ode_options();
        o.integrator = (tacIntegrator)i;
        check_reverse(&SWING, &o, 2, SWING_X, SWING_P);
    }
}

/* --- A point that falls on a plane: acceleration -v - 50 q below it, theta: the plane's height -------------------- */

static int fall(void *user, const double *x, const double *p, const unsigned char *on, double *f) {
    (void)user;
    f[0] = x[1];
    f[1] = on[0] ? -x[1] - 50 * (x[0] - p[0]) : 0;
    return 0;
}

static int fall_jac(void *user, const double *x, const double *p, const unsigned char *on, double *f_x, double *f_p) {
    (void)user, (void)x, (void)p;
    double rows[4] = {0, 1, on[0] ? -50 : 0, on[0] ? -1 : 0};
    if (f_x != NULL) memcpy(f_x, rows, sizeof rows);
    if (f_p != NULL) f_p[0] = 0, f_p[1] = on[0] ? 50 : 0;
    return 0;
}

static int height(void *user, const double *x, const double *p, double *gap, double *gap_x, double *gap_p) {
    (void)user;
    if (gap != NULL) gap[0] = x[0] - p[0];
    if (gap_x != NULL) gap_x[0] = 1, gap_x[1] = 0;
    if (gap_p != NULL) gap_p[0] = -1;
    return 0;
}

static int bounce(void *user, int i, double *x, const double *p, double *x_x, double *x_p) {
    (void)user, (void)i, (void)p;
    x[1] = -x[1];
    if (x_x != NULL) x_x[0] = 1, x_x[1] = x_x[2] = 0, x_x[3] = -1;
    if (x_p != NULL) x_p[0] = x_p[1] = 0;
    return 0;
}

static const tacOde PENALTY = {.n = 2, .ntheta = 1, .ngap = 1, .f = fall, .f_jac = fall_jac, .gaps = height};
static const tacOde IDEAL = {
    .n = 2, .ntheta = 1, .ngap = 1, .f = fall, .f_jac = fall_jac, .gaps = height, .reset = bounce};

/* In contact from time q0 on: q = -(1/w) exp(-s/2) sin(w s), s = t - q0, w^2 = 50 - 1/4; it ends at s = pi/w if it
 * still pushes there: at q = 0 the damper pulls. Afterwards v is constant. */
static void onset_has_its_derivative(void **state) {
    (void)state;
    const double zero = 0, w0 = sqrt(49.75), ratio = exp(-0.5 * acos(-1.0) / w0);
    for (int i = TAC_INTEGRATOR_TSIT5; i <= TAC_INTEGRATOR_STIFF; i++) {
        if (i >= TAC_INTEGRATOR_BOSH3 && i <= TAC_INTEGRATOR_MIDPOINT) continue; /* of low order: too many steps */
        tacOdeOptions o = tac_default_ode_options();
        World w;
        o.integrator = (tacIntegrator)i;
        o.rtol = o.atol = 1e-11;
        double x0[2] = {1.9, -1}, s = 0.1, decay = exp(-s / 2);
        assert_int_equal(run(&PENALTY, &o, 2, x0, &zero, &w), TAC_OK);
        double v = decay * (sin(w0 * s) / (2 * w0) - cos(w0 * s));
        CHECK_NEAR(w.x[0], -decay * sin(w0 * s) / w0, ROUND_TOL);
        CHECK_NEAR(w.x[1], v, ROUND_TOL);
        CHECK_NEAR(w.J[0], -v, ROUND_TOL); /* dq_T/dq0 = -v(T) */
        assert_int_equal(w.info.events, 1);
        x0[0] = 1;
        assert_int_equal(run(&PENALTY, &o, 2, x0, &zero, &w), TAC_OK);
        CHECK_NEAR(w.J[0], -ratio, ROUND_TOL);
        CHECK_NEAR(w.J[0], -0.8003536, 1e-7);
        assert_int_equal(w.info.events, 2);
        CHECK_NEAR(w.P[0], 1 + ratio, ROUND_TOL);
        x0[0] = 2.5;
        assert_int_equal(run(&PENALTY, &o, 2, x0, &zero, &w), TAC_OK);
        CHECK_NEAR(w.J[0], 1, 1e-12);
        x0[0] = 1;
        check_reverse(&PENALTY, &o, 2, x0, &zero);
    }
}

static void bounce_has_its_derivative(void **state) {
    (void)state;
    double x0[2] = {0.7, -1}, theta = 0.1;
    tacOdeOptions o = tac_default_ode_options();
    World w;
    assert_int_equal(run(&IDEAL, &o, 2, x0, &theta, &w), TAC_OK);
    CHECK_NEAR(w.x[0], 2 - 0.6 + 0.1, 1e-12);
    CHECK_NEAR(w.J[0], -1, 1e-12);
    CHECK_NEAR(w.J[1], -2, 1e-12);
    CHECK_NEAR(w.P[0], 2, 1e-12);
    CHECK_NEAR(w.T[0], 1, 1e-12);
    assert_int_equal(w.info.events, 1);
    check_reverse(&IDEAL, &o, 2, x0, &theta);
}

/* Gravity and an ideal bounce with loss: infinitely many bounces in a finite time. */
static int drop(void *user, const double *x, const double *p, const unsigned char *on, double *f) {
    (void)user, (void)on, (void)p;
    f[0] = x[1];
    f[1] = -9.81;
    return 0;
}

static int lossy(void *user, int i, double *x, const double *p, double *x_x, double *x_p) {
    bounce(user, i, x, p, x_x, x_p);
    x[1] *= 0.5;
    return 0;
}

static void endless_bounces_end(void **state) {
    (void)state;
    tacOde ode = {.n = 2, .ntheta = 1, .ngap = 1, .f = drop, .gaps = height, .reset = lossy};
    tacOdeOptions o = tac_default_ode_options();
    double x0[2] = {0.1, 0}, zero = 0, x1[2] = {7, 8};
    tacStepInfo info;
    void *memory = memory_for(&ode, &o);
    tacStatus status = tac_ode_solve(&ode, &o, 5, x0, &zero, x1, memory, &info);
    assert_true(status == TAC_ERR_EVENTS || status == TAC_ERR_INNER_MAX || status == TAC_ERR_INNER_STEP);
    assert_true(x1[0] == 7 && x1[1] == 8);
    CHECK_NEAR(info.stop_time, 3 * sqrt(2 * 0.1 / 9.81), 1e-3);
    free(memory);
}

/* A stiff equation, x' = -1e6 (x - cos y), y' = 1: the explicit methods need a thousand times as many steps. */
static int stiff(void *user, const double *x, const double *p, const unsigned char *on, double *f) {
    (void)user, (void)on;
    f[0] = -p[0] * (x[0] - cos(x[1]));
    f[1] = 1;
    return 0;
}

static int stiff_jac(void *user, const double *x, const double *p, const unsigned char *on, double *f_x, double *f_p) {
    (void)user, (void)on;
    double rows[4] = {-p[0], -p[0] * sin(x[1]), 0, 0};
    if (f_x != NULL) memcpy(f_x, rows, sizeof rows);
    if (f_p != NULL) f_p[0] = -(x[0] - cos(x[1])), f_p[1] = 0;
    return 0;
}

static void stiff_equation_takes_few_steps(void **state) {
    (void)state;
    const tacOde ode = {.n = 2, .ntheta = 1, .f = stiff, .f_jac = stiff_jac};
    tacOdeOptions o = tac_default_ode_options();
    double x0[2] = {0, 0}, p = 1e6;
    World w;
    o.integrator = TAC_INTEGRATOR_STIFF;
    assert_int_equal(run(&ode, &o, 2, x0, &p, &w), TAC_OK);
    assert_true(w.info.inner_accepted < 300);
    CHECK_NEAR(w.x[0], cos(2.0) + sin(2.0) * -1e-6, 1e-5);
    CHECK_NEAR(w.J[0], 0, 1e-6);
    CHECK_NEAR(w.J[1], -sin(2.0), 1e-4);
    check_reverse(&ode, &o, 2, x0, &p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_orders),
                                       cmocka_unit_test(error_follows_tolerance),
                                       cmocka_unit_test(derivative_is_that_of_fixed_steps),
                                       cmocka_unit_test(reverse_is_forward),
                                       cmocka_unit_test(onset_has_its_derivative),
                                       cmocka_unit_test(bounce_has_its_derivative),
                                       cmocka_unit_test(endless_bounces_end),
                                       cmocka_unit_test(stiff_equation_takes_few_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
