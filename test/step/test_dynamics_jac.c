/* Derivatives of inverse and forward dynamics, the regressor, the momentum matrix and dJ/dt v: identities and
 * differences. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

#define TOL_IDENTITY 1e-12
/* Central differences of order four at this step. */
#define STEP_FD 1e-3
#define TOL_FD  1e-8

enum { STATES = 10 };

/* One robot, a state, an acceleration or force, and its simulation. */
typedef struct Case {
    tacModel *m;
    tacSim *sim;
    int nv;
    double *q, *v, *a;
} Case;

static Case begin(uint64_t s) {
    Case c = {.m = robot_creature()};
    c.sim = robot_sim(c.m);
    c.nv = c.m->nv;
    c.q = robot_array(tac_nx(c.m));
    c.v = c.q + c.m->nq;
    c.a = robot_array(c.nv);
    robot_state(c.m, c.q, s);
    robot_random(c.nv, c.a, 3, 90 + s);
    return c;
}

static void end(Case *c) {
    free(c->q), free(c->a);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

typedef tacStatus (*Dynamics)(tacSim *, const double *, const double *, const double *, double *);

/* f at input `which` (0: q, 1: v, 2: the last) moved by h along number j. */
static void at(const Case *c, Dynamics f, int which, int j, double h, double *out) {
    double *d = robot_array(c->nv), *q = robot_array(c->m->nq), *v = robot_array(c->nv), *a = robot_array(c->nv);
    d[j] = h;
    memcpy(v, c->v, (size_t)c->nv * sizeof *v), memcpy(a, c->a, (size_t)c->nv * sizeof *a);
    memcpy(q, c->q, (size_t)c->m->nq * sizeof *q);
    if (which == 0) tac_qpos_add(c->m, c->q, d, q);
    if (which == 1) v[j] += h;
    if (which == 2) a[j] += h;
    CHECK_INT(f(c->sim, q, v, a, out), TAC_OK);
    free(d), free(q), free(v), free(a);
}

/* Column j by differences: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h. */
static void check_column(const Case *c, Dynamics f, int which, int j, const double *jac) {
    static const double place[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    double *out = robot_array(c->nv), *sum = robot_array(c->nv), *column = robot_array(c->nv);
    for (int k = 0; k < 4; k++) {
        at(c, f, which, j, place[k] * STEP_FD, out);
        for (int i = 0; i < c->nv; i++)
            sum[i] += weight[k] * out[i] / (12 * STEP_FD);
    }
    for (int i = 0; i < c->nv; i++)
        column[i] = jac[i * c->nv + j];
    CHECK_ARRAY(c->nv, column, sum, TOL_FD);
    free(out), free(sum), free(column);
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = x[i] > most ? x[i] : -x[i] > most ? -x[i] : most;
    return most;
}

static void inverse_against_differences(void **state) {
    (void)state;
    for (uint64_t s = 0; s < STATES; s++) {
        Case c = begin(s);
        int n = c.nv * c.nv;
        double *block[3] = {robot_array(n), robot_array(n), robot_array(n)}, *tau = robot_array(c.nv),
               *own = robot_array(c.nv);
        tacInverseJac jac = {.tau = tau, .q = block[0], .v = block[1], .a = block[2]};
        CHECK_INT(tac_inverse_dynamics_jac(c.sim, c.q, c.v, c.a, &jac), TAC_OK);
        CHECK_INT(tac_inverse_dynamics(c.sim, c.q, c.v, c.a, own), TAC_OK);
        CHECK_ARRAY(c.nv, tau, own, TOL_IDENTITY);
        for (int which = 0; which < 3; which++) {
            CHECK(largest(n, block[which]) > 0.1);
            for (int j = 0; j < c.nv; j++)
                check_column(&c, tac_inverse_dynamics, which, j, block[which]);
            free(block[which]);
        }
        free(tau), free(own), end(&c);
    }
}

static void forward_against_differences(void **state) {
    (void)state;
    for (uint64_t s = 0; s < STATES; s++) {
        Case c = begin(s);
        int n = c.nv * c.nv;
        double *block[3] = {robot_array(n), robot_array(n), robot_array(n)}, *a = robot_array(c.nv),
               *own = robot_array(c.nv);
        tacForwardJac jac = {.a = a, .q = block[0], .v = block[1], .tau = block[2]};
        CHECK_INT(tac_forward_dynamics_jac(c.sim, c.q, c.v, c.a, &jac), TAC_OK);
        CHECK_INT(tac_forward_dynamics(c.sim, c.q, c.v, c.a, own), TAC_OK);
        CHECK_ARRAY(c.nv, a, own, TOL_IDENTITY);
        for (int which = 0; which < 3; which++) {
            CHECK(largest(n, block[which]) > 0.1);
            for (int j = 0; j < c.nv; j++)
                check_column(&c, tac_forward_dynamics, which, j, block[which]);
            free(block[which]);
        }
        free(a), free(own), end(&c);
    }
}

/* Y pi is inverse dynamics less armature, whose share is linear in a: tau(a) with masses alone. */
static void regressor_times_parameters(void **state) {
    (void)state;
    for (uint64_t s = 0; s < STATES; s++) {
        Case c = begin(s);
        int columns = TAC_INERTIAL_SIZE * c.m->nbody;
        double *Y = robot_array(c.nv * columns), *pi = robot_array(columns), *tau = robot_array(c.nv),
               *sum = robot_array(c.nv);
        CHECK_INT(tac_inertial_regressor(c.sim, c.q, c.v, c.a, Y), TAC_OK);
        CHECK_INT(tac_inertial_params(c.sim, pi), TAC_OK);
        CHECK_INT(tac_inverse_dynamics(c.sim, c.q, c.v, c.a, tau), TAC_OK);
        CHECK_NEAR(pi[TAC_INERTIAL_SIZE], c.m->body_mass[1], 0);
        for (int i = 0; i < c.nv; i++) {
            tau[i] -= c.m->dof_armature[i] * c.a[i];
            for (int k = 0; k < columns; k++)
                sum[i] += Y[i * columns + k] * pi[k];
        }
        for (int t = 0; t < c.m->ntendon; t++)
            CHECK_NEAR(c.m->tendon_armature[t], 0, 0);
        CHECK(largest(c.nv, tau) > 1);
        CHECK_ARRAY(c.nv, sum, tau, TOL_IDENTITY);
        free(Y), free(pi), free(tau), free(sum), end(&c);
    }
}

static void momentum_matrix_times_velocity(void **state) {
    (void)state;
    for (uint64_t s = 0; s < STATES; s++) {
        Case c = begin(s);
        double *A = robot_array(6 * c.nv), h[6] = {0};
        tacVec6 own;
        CHECK_INT(tac_momentum_matrix(c.sim, c.q, A), TAC_OK);
        CHECK_INT(tac_momentum(c.sim, c.q, c.v, &own), TAC_OK);
        for (int r = 0; r < 6; r++)
            for (int i = 0; i < c.nv; i++)
                h[r] += A[r * c.nv + i] * c.v[i];
        CHECK(largest(6, h) > 0.1);
        CHECK_ARRAY(6, h, &own, TOL_IDENTITY);
        free(A), end(&c);
    }
}

/* J v along the motion q (+) t v, whose v stays: its rate by differences is dJ/dt v. */
static void frame_bias_is_the_rate_of_J_v(void **state) {
    (void)state;
    static const double place[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    for (uint64_t s = 0; s < STATES; s++) {
        Case c = begin(s);
        double *J = robot_array(6 * c.nv), *q = robot_array(c.m->nq), *d = robot_array(c.nv);
        for (int body = 1; body < c.m->nbody; body++) {
            double rate[6] = {0};
            tacVec6 bias;
            CHECK_INT(tac_frame_bias(c.sim, c.q, c.v, TAC_KIND_BODY, body, &bias), TAC_OK);
            for (int k = 0; k < 4; k++) {
                for (int i = 0; i < c.nv; i++)
                    d[i] = place[k] * STEP_FD * c.v[i];
                tac_qpos_add(c.m, c.q, d, q);
                CHECK_INT(tac_frame_jacobian(c.sim, q, TAC_KIND_BODY, body, J + 3 * c.nv, J), TAC_OK);
                for (int r = 0; r < 6; r++)
                    for (int i = 0; i < c.nv; i++)
                        rate[r] += weight[k] * J[r * c.nv + i] * c.v[i] / (12 * STEP_FD);
            }
            CHECK_ARRAY(6, &bias, rate, TOL_FD);
            if (body > 1) CHECK(largest(6, rate) > 1e-3);
        }
        free(J), free(q), free(d), end(&c);
    }
}

static void refused(void **state) {
    (void)state;
    Case c = begin(0);
    tacVec6 bias = {{7, 7, 7}, {7, 7, 7}};
    double one = 7;
    CHECK_INT(tac_frame_bias(c.sim, c.q, c.v, TAC_KIND_JOINT, 0, &bias), TAC_ERR_ARGUMENT);
    CHECK_HAS(tac_sim_error(c.sim), "expected body, geom or site");
    CHECK_INT(tac_frame_bias(c.sim, c.q, c.v, TAC_KIND_BODY, 99, &bias), TAC_ERR_ARGUMENT);
    c.v[0] = 1e300;
    c.v[4] = 1e300;
    CHECK_INT(tac_inverse_dynamics_jac(c.sim, c.q, c.v, c.a, &(tacInverseJac){.tau = &one}), TAC_ERR_NONFINITE);
    CHECK_INT(tac_inertial_regressor(c.sim, c.q, c.v, c.a, &one), TAC_ERR_NONFINITE);
    CHECK_NEAR(one, 7, 0);
    CHECK_NEAR(bias.lin.x, 7, 0);
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_against_differences),   cmocka_unit_test(forward_against_differences),
        cmocka_unit_test(regressor_times_parameters),    cmocka_unit_test(momentum_matrix_times_velocity),
        cmocka_unit_test(frame_bias_is_the_rate_of_J_v), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
