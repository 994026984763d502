/* Motions with known answers, at 1e-8.
 *
 * The step is first order, so no step size reaches 1e-8 by itself in reasonable time. Two ways are used and named:
 *   continuous  the equations of motion, tac_acceleration, under a Runge-Kutta integrator of order 4 in this file
 *   stepped     tac_step itself, with errors c1 h + c2 h^2 + ... removed by Richardson's extrapolation */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_MOTION 1e-8
/* Step of the integrator of order 4, s: error about 1e-11 over 10 s of these motions. */
#define STEP_RK4 2e-4

enum { MOST = 16 };
static const double PI = 3.14159265358979323846;

/* --- Continuous: Runge-Kutta 4 over tac_acceleration, positions in tangent coordinates ---------------------------- */

/* v and a at x displaced by h (dq, dv). */
static void slope(tacSim *sim, const tacModel *m, const double *x, double h, const double *dq, const double *dv,
                  double *kq, double *kv) {
    double moved[MOST], d[MOST], u[64] = {0};
    for (int i = 0; i < m->nv; i++) {
        d[i] = h * dq[i];
        moved[m->nq + i] = x[m->nq + i] + h * dv[i];
        kq[i] = moved[m->nq + i];
    }
    tac_qpos_add(m, x, d, moved);
    CHECK_INT(tac_acceleration(sim, moved, u, kv), TAC_OK);
}

/* Where a free body turns, tangent coordinates d at q (+) d move at  w + 1/2 d x w + 1/12 d x (d x w) + O(d^4),  not
 * at w. */
static void correct_rotation(const tacModel *m, double h, const double *dq, double *kq) {
    if (m->nq == m->nv) return;
    double *w = kq + 3, d[3], c[3], e[3];
    for (int i = 0; i < 3; i++)
        d[i] = h * dq[3 + i];
    c[0] = d[1] * w[2] - d[2] * w[1], c[1] = d[2] * w[0] - d[0] * w[2], c[2] = d[0] * w[1] - d[1] * w[0];
    e[0] = d[1] * c[2] - d[2] * c[1], e[1] = d[2] * c[0] - d[0] * c[2], e[2] = d[0] * c[1] - d[1] * c[0];
    for (int i = 0; i < 3; i++)
        w[i] += c[i] / 2 + e[i] / 12;
}

static void runge_kutta(tacSim *sim, const tacModel *m, double h, double *x) {
    double kq[4][MOST], kv[4][MOST], zero[MOST] = {0}, d[MOST], q[MOST];
    const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    for (int s = 0; s < 4; s++) {
        const double *dq = s == 0 ? zero : kq[s - 1], *dv = s == 0 ? zero : kv[s - 1];
        slope(sim, m, x, at[s] * h, dq, dv, kq[s], kv[s]);
        correct_rotation(m, at[s] * h, dq, kq[s]);
    }
    for (int i = 0; i < m->nv; i++) {
        d[i] = 0;
        for (int s = 0; s < 4; s++) {
            d[i] += h * weight[s] * kq[s][i];
            x[m->nq + i] += h * weight[s] * kv[s][i];
        }
    }
    tac_qpos_add(m, x, d, q);
    memcpy(x, q, (size_t)m->nq * sizeof *x);
}

static void flow(tacSim *sim, const tacModel *m, double time, double *x) {
    long n = lround(time / STEP_RK4);
    for (long k = 0; k < n; k++)
        runge_kutta(sim, m, time / (double)n, x);
}

/* IFToMM A01: from the horizontal at rest, hinge angle q from the vertical, mass at (-sin q, -cos q) for q about +y. */
static void pendulum(void **state) {
    (void)state;
    tacModel *m = robot_pendulum();
    tacSim *sim = robot_sim(m);
    double x[2] = {PI / 2, 0};
    tacVec3 p[2];
    CHECK_INT(tac_kinematics(sim, x, NULL, &(tacKinematics){.xipos = p}), TAC_OK);
    CHECK_NEAR(p[1].x, -1, 1e-15);
    flow(sim, m, 1, x);
    CHECK_INT(tac_kinematics(sim, x, NULL, &(tacKinematics){.xipos = p}), TAC_OK);
    CHECK_NEAR(p[1].x, 0.986291751131875, TOL_MOTION);
    CHECK_NEAR(p[1].z, -0.165010853125541, TOL_MOTION);
    flow(sim, m, 9, x);
    CHECK_INT(tac_kinematics(sim, x, NULL, &(tacKinematics){.xipos = p}), TAC_OK);
    CHECK_NEAR(p[1].x, -0.275087462576117, TOL_MOTION);
    CHECK_NEAR(p[1].z, -0.961419205099125, TOL_MOTION);
    /* after one period it is back */
    x[0] = PI / 2, x[1] = 0;
    flow(sim, m, 2.367841947576237, x);
    CHECK_NEAR(x[0], PI / 2, TOL_MOTION);
    CHECK_NEAR(x[1], 0, TOL_MOTION);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void double_pendulum(void **state) {
    (void)state;
    const double times[] = {1, 2, 2};
    const double truth[3][2] = {{-0.625087699806391, -1.034585085680012},
                                {1.785795522077417, 1.118107461205155},
                                {-0.627186705066531, -1.301315550209812}};
    tacModel *m = robot_double_pendulum();
    tacSim *sim = robot_sim(m);
    double x[4] = {PI / 2, 0, 0, 0};
    for (int i = 0; i < 3; i++) {
        flow(sim, m, times[i], x);
        CHECK_NEAR(x[0], truth[i][0], TOL_MOTION);
        CHECK_NEAR(x[0] + x[1], truth[i][1], TOL_MOTION);
    }
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Torque-free body about its middle axis: w2 is back after its period, and reversed after half of it. */
static void tumbling_body(void **state) {
    (void)state;
    const double flip = 20.75460976466924;
    tacModel *m = robot_free_body();
    tacSim *sim = robot_sim(m);
    double x[13] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.01, 1, 0};
    tacEnergy energy;
    tacVec6 first, now;
    CHECK_INT(tac_momentum(sim, x, x + 7, &first), TAC_OK);
    for (int half = 1; half <= 2; half++) {
        flow(sim, m, flip, x);
        CHECK_NEAR(x[11], half == 1 ? -1 : 1, TOL_MOTION);
        CHECK_NEAR(x[10], 0.01, TOL_MOTION);
        CHECK_NEAR(x[12], 0, TOL_MOTION);
        CHECK_INT(tac_energy(sim, x, x + 7, &energy), TAC_OK);
        CHECK_NEAR(energy.kinetic, 0.5 * (0.0001 + 2), TOL_MOTION);
        CHECK_INT(tac_momentum(sim, x, x + 7, &now), TAC_OK);
        CHECK_ARRAY(3, &now.ang, &first.ang, TOL_MOTION);
    }
    tac_sim_free(sim);
    tac_model_free(m);
}

/* --- Stepped: the limit of tac_step for small steps --------------------------------------------------------------- */

static void step_to(const tacModel *m, double time, long n, double *x) {
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    o.dt = time / (double)n;
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    for (long k = 0; k < n; k++)
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
    tac_sim_free(sim);
}

/* Extrapolated state of hinges after `time` from x0, errors in h .. h^(LEVELS-1) removed. */
static void extrapolate(const tacModel *m, double time, long n, const double *x0, double *out) {
    enum { LEVELS = 6 };
    double table[LEVELS][MOST];
    int nx = tac_nx(m);
    for (int l = 0; l < LEVELS; l++) {
        memcpy(table[l], x0, (size_t)nx * sizeof *x0);
        step_to(m, time, n << l, table[l]);
    }
    for (int order = 1; order < LEVELS; order++)
        for (int l = LEVELS - 1; l >= order; l--)
            for (int i = 0; i < nx; i++)
                table[l][i] += (table[l][i] - table[l - 1][i]) / (double)((1L << order) - 1);
    memcpy(out, table[LEVELS - 1], (size_t)nx * sizeof *out);
}

static void steps_converge(void **state) {
    (void)state;
    tacModel *single = robot_pendulum(), *both = robot_double_pendulum();
    double x[4] = {PI / 2, 0}, coarse[2] = {PI / 2, 0}, fine[2] = {PI / 2, 0};
    extrapolate(single, 1, 2000, x, x);
    CHECK_NEAR(-sin(x[0]), 0.986291751131875, TOL_MOTION);
    CHECK_NEAR(-cos(x[0]), -0.165010853125541, TOL_MOTION);
    /* the step alone is of first order */
    step_to(single, 1, 1000, coarse);
    step_to(single, 1, 2000, fine);
    CHECK_NEAR((coarse[0] - x[0]) / (fine[0] - x[0]), 2, 0.01);
    double y[4] = {PI / 2, 0, 0, 0};
    extrapolate(both, 1, 2000, y, y);
    CHECK_NEAR(y[0], -0.625087699806391, TOL_MOTION);
    CHECK_NEAR(y[0] + y[1], -1.034585085680012, TOL_MOTION);
    tac_model_free(single), tac_model_free(both);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(tumbling_body),
        cmocka_unit_test(steps_converge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
