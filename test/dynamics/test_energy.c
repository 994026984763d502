/* Energies and momentum against sums over bodies and closed forms. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#define TOL_EXACT 1e-13

/* A thrown, spinning body: 1/2 m v^2 + 1/2 w.Iw, m g z; momentum m v, R I w. */
static void free_body(void **state) {
    (void)state;
    tacModel *m = robot_free_body();
    tacSim *sim = robot_sim(m);
    double q[7] = {5, -3, 2, sqrt(0.5), 0, 0, sqrt(0.5)}, v[6] = {1, 2, 3, 0.4, 0.5, 0.6};
    tacEnergy energy;
    tacVec6 momentum;
    CHECK_INT(tac_energy(sim, q, v, &energy), TAC_OK);
    CHECK_NEAR(energy.kinetic, 0.5 * 2 * 14 + 0.5 * (0.16 + 2 * 0.25 + 3 * 0.36), TOL_EXACT);
    CHECK_NEAR(energy.potential, 0, 0);
    CHECK_INT(tac_momentum(sim, q, v, &momentum), TAC_OK);
    const double expected[6] = {-2 * 0.5, 0.4, 3 * 0.6, 2, 4, 6}; /* a quarter turn about z: x -> y, y -> -x */
    CHECK_ARRAY(6, &momentum, expected, TOL_EXACT);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Linear momentum = sum m_b v(com_b), kinetic energy = 1/2 v.Mv, from the public Jacobians and mass matrix. */
static void sums_over_bodies(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *jacp = robot_array(3 * m->nv), kinetic = 0, height = 0;
    tacVec6 momentum;
    tacVec3 xipos[8], sum = {0, 0, 0};
    tacEnergy energy;
    robot_state(m, x, 9);
    const double *v = x + m->nq;
    CHECK_INT(tac_energy(sim, x, v, &energy), TAC_OK);
    CHECK_INT(tac_momentum(sim, x, v, &momentum), TAC_OK);
    CHECK_INT(tac_kinematics(sim, x, NULL, &(tacKinematics){.xipos = xipos}), TAC_OK);
    double *M = robot_array(m->nv * m->nv);
    CHECK_INT(tac_mass_matrix(sim, x, M), TAC_OK);
    for (int i = 0; i < m->nv; i++)
        for (int j = 0; j < m->nv; j++)
            kinetic += 0.5 * v[i] * M[i * m->nv + j] * v[j];
    for (int b = 1; b < m->nbody; b++) {
        double velocity[3] = {0};
        CHECK_INT(tac_point_jacobian(sim, x, b, xipos[b], jacp, NULL), TAC_OK);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < m->nv; i++)
                velocity[k] += jacp[k * m->nv + i] * v[i];
        sum.x += m->body_mass[b] * velocity[0];
        sum.y += m->body_mass[b] * velocity[1];
        sum.z += m->body_mass[b] * velocity[2];
        height += m->body_mass[b] * xipos[b].z;
    }
    CHECK_NEAR(energy.kinetic, kinetic, TOL_EXACT);
    CHECK_ARRAY(3, &momentum.lin, &sum, TOL_EXACT);
    CHECK(energy.potential > 9.81 * height); /* strained springs store more */
    free(x), free(jacp), free(M);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Angular momentum about the centre of mass does not change with a shift of the whole robot or a uniform velocity. */
static void momentum_is_invariant(void **state) {
    (void)state;
    tacModel *m = robot_drifter();
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m));
    tacVec6 before, after;
    robot_state(m, x, 2);
    CHECK_INT(tac_momentum(sim, x, x + m->nq, &before), TAC_OK);
    x[0] += 10, x[1] -= 20, x[2] += 30;
    x[m->nq] += 3, x[m->nq + 1] -= 2, x[m->nq + 2] += 1;
    CHECK_INT(tac_momentum(sim, x, x + m->nq, &after), TAC_OK);
    CHECK(fabs(before.ang.x) + fabs(before.ang.y) + fabs(before.ang.z) > 1e-2);
    CHECK_ARRAY(3, &after.ang, &before.ang, 1e-12);
    double mass = m->body_subtree_mass[0];
    const double shifted[3] = {before.lin.x + 3 * mass, before.lin.y - 2 * mass, before.lin.z + mass};
    CHECK_ARRAY(3, &after.lin, shifted, TOL_EXACT);
    free(x);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_body),
        cmocka_unit_test(sums_over_bodies),
        cmocka_unit_test(momentum_is_invariant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
