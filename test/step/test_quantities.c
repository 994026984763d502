/* Public quantities: identities between them, and bad input. Values against MuJoCo are in test/peers. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_IDENTITY 1e-12
#define STEP_FD      1e-6
#define TOL_FD       1e-8

/* inverse(forward(tau)) = tau and forward(inverse(a)) = a; M a + c = tau. */
static void inverse_after_forward(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    int nv = m->nv;
    double *x = robot_array(tac_nx(m)), *tau = robot_array(nv), *a = robot_array(nv), *back = robot_array(nv);
    double *M = robot_array(nv * nv), *bias = robot_array(nv), *sum = robot_array(nv);
    for (uint64_t s = 0; s < 20; s++) {
        robot_state(m, x, s);
        robot_random(nv, tau, 5, 50 + s);
        const double *v = x + m->nq;
        CHECK_INT(tac_forward_dynamics(sim, x, v, tau, a), TAC_OK);
        CHECK_INT(tac_inverse_dynamics(sim, x, v, a, back), TAC_OK);
        CHECK_ARRAY(nv, back, tau, TOL_IDENTITY);
        CHECK_INT(tac_mass_matrix(sim, x, M), TAC_OK);
        CHECK_INT(tac_bias(sim, x, v, bias), TAC_OK);
        for (int i = 0; i < nv; i++) {
            sum[i] = bias[i];
            for (int j = 0; j < nv; j++) {
                sum[i] += M[i * nv + j] * a[j];
                CHECK_NEAR(M[i * nv + j], M[j * nv + i], 0);
            }
        }
        CHECK_ARRAY(nv, sum, tau, TOL_IDENTITY);
        for (int i = 0; i < nv; i++)
            tau[i] -= bias[i];
        CHECK_INT(tac_mass_solve(sim, x, tau, tau), TAC_OK);
        CHECK_ARRAY(nv, tau, a, TOL_IDENTITY);
    }
    free(x), free(tau), free(a), free(back), free(M), free(bias), free(sum);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* qacc of (x, u) is forward dynamics of all forces. */
static void acceleration_is_forward_dynamics(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    int nv = m->nv, nu = m->nu + nv + 6 * m->nbody;
    double *x = robot_array(tac_nx(m)), *u = robot_array(nu), *a = robot_array(nv), *b = robot_array(nv);
    double *passive = robot_array(nv), *qfrc = robot_array(nv);
    robot_state(m, x, 3);
    robot_random(m->nu + nv, u, 1, 77); /* controls and generalized forces */
    CHECK_INT(tac_passive(sim, x, x + m->nq, passive), TAC_OK);
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.qfrc = qfrc}), TAC_OK);
    for (int i = 0; i < nv; i++)
        qfrc[i] += passive[i] + u[m->nu + i];
    CHECK_INT(tac_forward_dynamics(sim, x, x + m->nq, qfrc, a), TAC_OK);
    CHECK_INT(tac_acceleration(sim, x, u, b), TAC_OK);
    CHECK(fabs(a[7]) > 1e-3);
    CHECK_ARRAY(nv, b, a, TOL_IDENTITY);
    free(x), free(u), free(a), free(b), free(passive), free(qfrc);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Tendon armature adds J^T J to the mass matrix; forward and inverse dynamics agree with it. */
static void tendon_armature(void **state) {
    (void)state;
    tacModel *m[2];
    for (int with = 0; with < 2; with++) {
        tacBuilder *b = tac_model_begin();
        tacTendonDef tendon = tac_default_tendon();
        int joint[2], body = 0;
        const double coef[2] = {0.5, -2};
        for (int i = 0; i < 2; i++) {
            body = robot_body(b, body, (tacVec3){0.5, 0, 0}, 1, (tacVec3){0.2, 0, 0}, (tacVec3){0.1, 0.1, 0.1});
            joint[i] = robot_joint(b, body, TAC_JOINT_HINGE, (tacVec3){0, 1, 0});
        }
        tendon.nterm = 2;
        tendon.joint = joint;
        tendon.coef = coef;
        tendon.armature = with ? 3 : 0;
        tac_model_add_tendon(b, &tendon);
        m[with] = robot_finish(b);
    }
    tacSim *plain = robot_sim(m[0]), *heavy = robot_sim(m[1]);
    double q[2] = {0.3, 0.4}, v[2] = {1, -2}, M[2][4], tau[2] = {0.7, -0.2}, a[2], back[2];
    CHECK_INT(tac_mass_matrix(plain, q, M[0]), TAC_OK);
    CHECK_INT(tac_mass_matrix(heavy, q, M[1]), TAC_OK);
    const double expected[4] = {M[0][0] + 0.75, M[0][1] - 3, M[0][2] - 3, M[0][3] + 12};
    CHECK_ARRAY(4, M[1], expected, 1e-14);
    CHECK_INT(tac_forward_dynamics(heavy, q, v, tau, a), TAC_OK);
    CHECK_INT(tac_inverse_dynamics(heavy, q, v, a, back), TAC_OK);
    CHECK_ARRAY(2, back, tau, TOL_IDENTITY);
    for (int i = 0; i < 2; i++)
        tac_model_free(m[i]);
    tac_sim_free(plain), tac_sim_free(heavy);
}

/* Jacobians are derivatives of positions: point of every body, and the frames of bodies and sites. */
static void jacobians_are_derivatives(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *moved = robot_array(m->nq), *d = robot_array(m->nv),
           *jac = robot_array(3 * m->nv);
    tacVec3 ahead[8], behind[8], site_ahead, site_behind;
    robot_state(m, x, 4);
    for (int i = 0; i < m->nv; i++) {
        d[i] = STEP_FD;
        tac_qpos_add(m, x, d, moved);
        CHECK_INT(tac_kinematics(sim, moved, NULL, &(tacKinematics){.xpos = ahead, .site_pos = &site_ahead}), TAC_OK);
        d[i] = -STEP_FD;
        tac_qpos_add(m, x, d, moved);
        CHECK_INT(tac_kinematics(sim, moved, NULL, &(tacKinematics){.xpos = behind, .site_pos = &site_behind}), TAC_OK);
        d[i] = 0;
        for (int b = 0; b < m->nbody; b++) {
            CHECK_INT(tac_frame_jacobian(sim, x, TAC_KIND_BODY, b, jac, NULL), TAC_OK);
            CHECK_NEAR(jac[i], (ahead[b].x - behind[b].x) / (2 * STEP_FD), TOL_FD);
            CHECK_NEAR(jac[m->nv + i], (ahead[b].y - behind[b].y) / (2 * STEP_FD), TOL_FD);
            CHECK_NEAR(jac[2 * m->nv + i], (ahead[b].z - behind[b].z) / (2 * STEP_FD), TOL_FD);
        }
        CHECK_INT(tac_frame_jacobian(sim, x, TAC_KIND_SITE, 0, jac, NULL), TAC_OK);
        CHECK_NEAR(jac[i], (site_ahead.x - site_behind.x) / (2 * STEP_FD), TOL_FD);
    }
    free(x), free(moved), free(d), free(jac);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Unnormalized quaternions give what normalized ones give. */
static void quaternion_length(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *a = robot_array(m->nv), *b = robot_array(m->nv);
    double *u = robot_array(m->nu + m->nv + 6 * m->nbody);
    robot_state(m, x, 8);
    CHECK_INT(tac_acceleration(sim, x, u, a), TAC_OK);
    for (int i = 3; i < 7; i++)
        x[i] *= 1000;
    CHECK_INT(tac_acceleration(sim, x, u, b), TAC_OK);
    CHECK_ARRAY(m->nv, b, a, TOL_IDENTITY);
    free(x), free(a), free(b), free(u);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Every quantity refuses NaN and NULL, and leaves its outputs alone. */
static void bad_input(void **state) {
    (void)state;
    tacModel *m = robot_double_pendulum();
    tacSim *sim = robot_sim(m);
    double bad[2] = {0, nan("")}, good[2] = {0.1, 0.2}, out[6] = {7, 7, 7, 7, 7, 7};
    const double kept[6] = {7, 7, 7, 7, 7, 7};
    tacEnergy energy;
    tacVec6 vec6[3];
    tacVec3 pos[3], point = {0, 0, 0};
    tacKinematics kin = {.xpos = pos};
    CHECK_INT(tac_kinematics(sim, bad, NULL, &kin), TAC_ERR_NONFINITE);
    CHECK_INT(tac_kinematics(sim, good, NULL, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_body_velocity(sim, good, bad, vec6), TAC_ERR_NONFINITE);
    CHECK_INT(tac_point_jacobian(sim, bad, 1, point, out, NULL), TAC_ERR_NONFINITE);
    CHECK_INT(tac_point_jacobian(sim, good, 1, (tacVec3){0, HUGE_VAL, 0}, out, NULL), TAC_ERR_NONFINITE);
    CHECK_INT(tac_point_jacobian(sim, good, 3, point, out, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_point_jacobian(sim, good, -1, point, out, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_frame_jacobian(sim, good, TAC_KIND_SITE, 0, out, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_frame_jacobian(sim, good, TAC_KIND_JOINT, 0, out, NULL), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_mass_matrix(sim, bad, out), TAC_ERR_NONFINITE);
    CHECK_INT(tac_mass_solve(sim, good, bad, out), TAC_ERR_NONFINITE);
    CHECK_INT(tac_bias(sim, good, bad, out), TAC_ERR_NONFINITE);
    CHECK_INT(tac_bias(sim, good, NULL, out), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_bias(NULL, good, good, out), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_inverse_dynamics(sim, good, good, bad, out), TAC_ERR_NONFINITE);
    CHECK_INT(tac_forward_dynamics(sim, good, good, bad, out), TAC_ERR_NONFINITE);
    CHECK_INT(tac_passive(sim, bad, good, out), TAC_ERR_NONFINITE);
    CHECK_INT(tac_energy(sim, bad, good, &energy), TAC_ERR_NONFINITE);
    CHECK_INT(tac_momentum(sim, good, bad, vec6), TAC_ERR_NONFINITE);
    CHECK_INT(tac_tendons(sim, bad, good, NULL, NULL), TAC_ERR_NONFINITE);
    /* finite input whose result is not */
    const double fast[2] = {1e200, 1e200};
    CHECK_INT(tac_bias(sim, good, fast, out), TAC_ERR_NONFINITE);
    CHECK_INT(tac_energy(sim, good, fast, &energy), TAC_ERR_NONFINITE);
    CHECK_ARRAY(6, out, kept, 0);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_after_forward), cmocka_unit_test(acceleration_is_forward_dynamics),
        cmocka_unit_test(tendon_armature),       cmocka_unit_test(jacobians_are_derivatives),
        cmocka_unit_test(quaternion_length),     cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
