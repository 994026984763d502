/* The integrators beside each other: what each one's step is by definition, its order, and what it does to energy and
 * momentum. */
#include "dynamics/robots.h"
#include "support/check.h"
#include "support/random_tree.h"

#include "math/dense.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static tacSim *open_sim(const tacModel *m, tacIntegrator integrator, double dt) {
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim = NULL;
    o.integrator = integrator;
    o.dt = dt;
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    return sim;
}

/* --- Implicit in velocity, by its definition ---------------------------------------------------------------------- */

/* F(v) = M a(v), forces without those of constraints, in continuous time. */
static void forces(tacSim *sim, const tacModel *m, const double *x, const double *u, const double *M, double *F) {
    double a[MOST];
    CHECK_INT(tac_acceleration(sim, x, u, a), TAC_OK);
    tac_dense_mulv(m->nv, m->nv, M, a, F);
}

static int on_one_path(const tacModel *m, int i, int j) {
    int low = i < j ? i : j, high = i < j ? j : i;
    while (high > low)
        high = m->dof_parent[high];
    return high == low;
}

/* (M - h G) a = F with G = dF/dv by central differences, which are exact for forces of second order in v; entries of G
 * between different branches are left out. */
static void solve_by_definition(tacSim *sim, const tacModel *m, const double *x, const double *u, double h, double *a) {
    double M[MOST * MOST], K[MOST * MOST], ahead[MOST], behind[MOST], moved[2 * MOST], work[MOST];
    int n = m->nv, pivot[MOST];
    CHECK_INT(tac_mass_matrix(sim, x, M), TAC_OK);
    memcpy(moved, x, (size_t)tac_nx(m) * sizeof *x);
    for (int j = 0; j < n; j++) {
        double step = 0.5;
        moved[m->nq + j] = x[m->nq + j] + step;
        forces(sim, m, moved, u, M, ahead);
        moved[m->nq + j] = x[m->nq + j] - step;
        forces(sim, m, moved, u, M, behind);
        moved[m->nq + j] = x[m->nq + j];
        for (int i = 0; i < n; i++)
            K[i * n + j] = M[i * n + j] - (on_one_path(m, i, j) ? h * (ahead[i] - behind[i]) / (2 * step) : 0);
    }
    forces(sim, m, x, u, M, a);
    CHECK_INT(tac_lu_factor(n, K, pivot, work), -1);
    tac_lu_solve(n, K, pivot, a);
}

static void implicit_is_its_definition(void **state) {
    (void)state;
    const double h = 0.01;
    for (uint64_t seed = 0; seed < 12; seed++) {
        tacModel *m = seed % 2 ? robot_creature() : random_tree(seed, 6);
        tacSim *sim = open_sim(m, TAC_INTEGRATOR_IMPLICIT, h);
        double x[2 * MOST], y[2 * MOST], a[MOST], u[MOST] = {0};
        CHECK(tac_nx(m) <= 2 * MOST && m->nv <= MOST);
        robot_state(m, x, seed);
        robot_random(m->nu, u, 1, 30 + seed);
        CHECK_INT(tac_step(sim, x, u, y, NULL), TAC_OK);
        solve_by_definition(sim, m, x, u, h, a);
        for (int i = 0; i < m->nv; i++)
            a[i] = x[m->nq + i] + h * a[i];
        CHECK_ARRAY(m->nv, y + m->nq, a, 1e-9);
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

/* Without Coriolis forces, and for a body that floats alone, implicitfast is implicit; for linked bodies it is not. */
static void implicitfast_leaves_coriolis_out(void **state) {
    (void)state;
    double x[2 * MOST], y[2][2 * MOST], u[MOST] = {0};
    for (int robot = 0; robot < 3; robot++) {
        tacModel *m = robot == 0 ? robot_pendulum() : robot == 1 ? robot_free_body() : robot_double_pendulum();
        robot_state(m, x, 3);
        for (int k = 0; k < 2; k++) {
            tacSim *sim = open_sim(m, k ? TAC_INTEGRATOR_IMPLICITFAST : TAC_INTEGRATOR_IMPLICIT, 0.01);
            CHECK_INT(tac_step(sim, x, u, y[k], NULL), TAC_OK);
            tac_sim_free(sim);
        }
        double difference = relative_error(tac_nx(m), y[0], y[1]);
        if (robot < 2)
            CHECK_LT(difference, 1e-14);
        else
            CHECK(difference > 1e-6);
        tac_model_free(m);
    }
}

/* A stiff damper: explicit forces would swing over, implicit ones come to rest. */
static void stiff_damping_is_stable(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    int body = robot_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
    int joint = robot_joint(b, body, TAC_JOINT_SLIDE, (tacVec3){1, 0, 0});
    tacActuatorDef def = tac_default_actuator();
    def.trnid[0] = joint;
    def.biastype = TAC_BIAS_AFFINE;
    def.biasprm[2] = -1000; /* N s/m on 1 kg: h k = 10 */
    tac_model_add_actuator(b, &def);
    tacModel *m = robot_finish(b);
    double h = 0.01, u = 0;
    for (int k = 0; k < 2; k++) {
        tacSim *sim = open_sim(m, k ? TAC_INTEGRATOR_IMPLICITFAST : TAC_INTEGRATOR_IMPLICIT, h);
        double x[2] = {0, 1};
        for (int i = 1; i <= 5; i++) {
            CHECK_INT(tac_step(sim, x, &u, x, NULL), TAC_OK);
            CHECK_NEAR(x[1], pow(1 / (1 + 1000 * h), i), 1e-15);
        }
        tac_sim_free(sim);
    }
    tac_model_free(m);
}

/* --- Order -------------------------------------------------------------------------------------------------------- */

/* State at time 0.4 s with n steps. */
static void run(const tacModel *m, tacIntegrator integrator, int n, double *x) {
    tacSim *sim = open_sim(m, integrator, 0.4 / n);
    double u[MOST];
    robot_random(m->nu, u, 0.3, 8); /* constant: the solution is smooth */
    robot_state(m, x, 2);
    for (int i = 0; i < m->na; i++)
        x[m->nq + m->nv + i] *= 0.2; /* well inside their ranges */
    for (int k = 0; k < n; k++)
        CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
    tac_sim_free(sim);
}

static double error_of(const tacModel *m, const double *x, const double *exact) {
    double d[MOST], worst = 0;
    tac_qpos_sub(m, x, exact, d);
    for (int i = 0; i < m->nv; i++)
        worst = worse(worst, fmax(fabs(d[i]), fabs(x[m->nq + i] - exact[m->nq + i])));
    for (int i = m->nq + m->nv; i < tac_nx(m); i++)
        worst = worse(worst, fabs(x[i] - exact[i]));
    return worst;
}

/* Halving the step divides the error by 2^order. */
static void check_order(const tacModel *m, tacIntegrator integrator, int n, double order) {
    double exact[2 * MOST], coarse[2 * MOST], fine[2 * MOST];
    run(m, TAC_INTEGRATOR_RKMK4, 4000, exact);
    run(m, integrator, n, coarse);
    run(m, integrator, 2 * n, fine);
    double e1 = error_of(m, coarse, exact), e2 = error_of(m, fine, exact), observed = log2(e1 / e2);
    print_message("  integrator %d: errors %.3g %.3g, order %.3f\n", (int)integrator, e1, e2, observed);
    CHECK(e2 > 1e-12);
    CHECK_NEAR(observed, order, 0.1);
}

/* MuJoCo's Runge-Kutta has order two where balls or a free joint turn, RKMK4 has four. Springs with a dead band and
 * clamps have kinks and no order: none of these models has one. */
static void orders(void **state) {
    (void)state;
    tacModel *models[] = {random_tree(3, 5), robot_drifter(), robot_double_pendulum()};
    for (int i = 0; i < 3; i++) {
        check_order(models[i], TAC_INTEGRATOR_EULER, 2000, 1);
        check_order(models[i], TAC_INTEGRATOR_RK4, i < 2 ? 200 : 40, i < 2 ? 2 : 4);
        check_order(models[i], TAC_INTEGRATOR_RKMK4, 40, 4);
        check_order(models[i], TAC_INTEGRATOR_IMPLICIT, 2000, 1);
        check_order(models[i], TAC_INTEGRATOR_IMPLICITFAST, 2000, 1);
        tac_model_free(models[i]);
    }
}

/* --- Energy and momentum ------------------------------------------------------------------------------------------ */

static double energy_of(tacSim *sim, const tacModel *m, const double *x) {
    tacEnergy e;
    CHECK_INT(tac_energy(sim, x, x + m->nq, &e), TAC_OK);
    return e.kinetic + e.potential;
}

/* A free chain keeps its energy to 1e-8 over ten thousand steps of a millisecond with Runge-Kutta, and its momentum. */
static void runge_kutta_keeps_energy(void **state) {
    (void)state;
    tacModel *m = robot_drifter();
    tacSim *sim = open_sim(m, TAC_INTEGRATOR_RKMK4, 1e-3);
    double x[2 * MOST];
    tacVec6 before, after;
    robot_state(m, x, 1);
    double e0 = energy_of(sim, m, x);
    CHECK_INT(tac_momentum(sim, x, x + m->nq, &before), TAC_OK);
    for (int k = 0; k < 10000; k++)
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
    double drift = fabs(energy_of(sim, m, x) - e0) / e0;
    CHECK_INT(tac_momentum(sim, x, x + m->nq, &after), TAC_OK);
    print_message("  energy drift %.2g, linear momentum %.2g\n", drift, tac_norm3(tac_sub3(after.lin, before.lin)));
    CHECK_LT(drift, 1e-8);
    CHECK_LT(tac_norm3(tac_sub3(after.lin, before.lin)), 1e-8);
    CHECK_LT(tac_norm3(tac_sub3(after.ang, before.ang)), 1e-8);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Semi-implicit Euler on a pendulum: the energy swings by something of order h around a mean whose error is of order
 * two, and does not drift away: over three hundred swings the mean of the first and of the last tenth agree. */
static void mean_energy(int n, double *first, double *whole, double *last) {
    tacModel *m = robot_pendulum();
    const double time = 600;
    long steps = (long)n * (long)time;
    tacSim *sim = open_sim(m, TAC_INTEGRATOR_EULER, time / (double)steps);
    double x[2] = {1, 0}, e0 = energy_of(sim, m, x);
    *first = *whole = *last = 0;
    for (long k = 0; k < steps; k++) {
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
        double e = (energy_of(sim, m, x) - e0) / (double)steps;
        *whole += e;
        if (k < steps / 10) *first += 10 * e;
        if (k >= steps - steps / 10) *last += 10 * e;
    }
    tac_sim_free(sim);
    tac_model_free(m);
}

static void euler_keeps_the_mean_energy(void **state) {
    (void)state;
    double first[2], whole[2], last[2];
    mean_energy(100, &first[0], &whole[0], &last[0]);
    mean_energy(200, &first[1], &whole[1], &last[1]);
    double observed = log2(whole[0] / whole[1]);
    print_message("  mean energy error %.3g %.3g, order %.3f; drift %.2g %.2g\n", whole[0], whole[1], observed,
                  fabs(last[0] - first[0]), fabs(last[1] - first[1]));
    CHECK_NEAR(observed, 2, 0.1);
    CHECK_LT(fabs(last[0] - first[0]), 1e-4); /* J of 9.81 J; the windows do not hold whole swings */
    CHECK_LT(fabs(last[1] - first[1]), 5e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicit_is_its_definition), cmocka_unit_test(implicitfast_leaves_coriolis_out),
        cmocka_unit_test(stiff_damping_is_stable),    cmocka_unit_test(orders),
        cmocka_unit_test(runge_kutta_keeps_energy),   cmocka_unit_test(euler_keeps_the_mean_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
