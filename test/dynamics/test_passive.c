/* Springs, dampers, gravity compensation. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_EXACT 1e-13
#define STEP_FD   1e-6
#define TOL_FD    1e-7

static double potential(tacSim *sim, const tacModel *m, const double *q) {
    tacEnergy energy;
    double *v = robot_array(m->nv);
    CHECK_INT(tac_energy(sim, q, v, &energy), TAC_OK);
    free(v);
    return energy.potential;
}

/* At rest, passive - bias = -d(potential)/dq: springs of every joint type, tendon springs on both sides of their dead
 * band, gravity. The creature's ball and hinge springs are strained by the random states. */
static void forces_are_gradients(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *moved = robot_array(m->nq), *d = robot_array(m->nv), *v = robot_array(m->nv);
    double *passive = robot_array(m->nv), *bias = robot_array(m->nv), largest = 0;
    for (uint64_t s = 0; s < 6; s++) {
        robot_state(m, x, s);
        CHECK_INT(tac_passive(sim, x, v, passive), TAC_OK);
        CHECK_INT(tac_bias(sim, x, v, bias), TAC_OK);
        for (int i = 0; i < m->nv; i++) {
            d[i] = STEP_FD;
            tac_qpos_add(m, x, d, moved);
            double forward = potential(sim, m, moved);
            d[i] = -STEP_FD;
            tac_qpos_add(m, x, d, moved);
            CHECK_NEAR(passive[i] - bias[i], -(forward - potential(sim, m, moved)) / (2 * STEP_FD), TOL_FD);
            d[i] = 0;
            largest = fmax(largest, fabs(passive[i]));
        }
    }
    CHECK(largest > 1);
    free(x), free(moved), free(d), free(v), free(passive), free(bias);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* passive(q, v) - passive(q, 0) = -D v with D symmetric positive: linear, and takes power out. */
static void dampers_take_power(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    tacSim *sim = robot_sim(m);
    double *x = robot_array(tac_nx(m)), *rest = robot_array(m->nv), *zero = robot_array(m->nv);
    double *passive = robot_array(m->nv), power = 0;
    robot_state(m, x, 1);
    const double *v = x + m->nq;
    CHECK_INT(tac_passive(sim, x, zero, rest), TAC_OK);
    CHECK_INT(tac_passive(sim, x, v, passive), TAC_OK);
    double stretch_rate = 0.7 * v[6] - 0.4 * v[m->nv - 1], expected = -0.3 * stretch_rate * stretch_rate;
    for (int i = 0; i < m->nv; i++) {
        power += (passive[i] - rest[i]) * v[i];
        if (i >= 6) expected -= 0.2 * v[i] * v[i];
    }
    CHECK(power < -0.1);
    CHECK_NEAR(power, expected, TOL_EXACT);
    free(x), free(rest), free(zero), free(passive);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A free joint's spring pulls position and orientation back to where the file draws the body. */
static void free_joint_spring(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacJointDef joint = tac_default_joint();
    int body = robot_body(b, 0, (tacVec3){1, 2, 3}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
    joint.type = TAC_JOINT_FREE;
    joint.stiffness = 4;
    tac_model_add_joint(b, body, &joint);
    tacModel *m = robot_finish(b);
    tacSim *sim = robot_sim(m);
    double q[7] = {1.5, 2, 2, 2 * cos(0.3), 0, 2 * sin(0.3), 0}, v[6] = {0}, passive[6];
    const double expected[6] = {-2, 0, 4, 0, -4 * 0.6, 0};
    CHECK_INT(tac_passive(sim, q, v, passive), TAC_OK);
    CHECK_ARRAY(6, passive, expected, TOL_EXACT);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* A two-link arm whose bodies carry their own weight: passive forces cancel the bias at rest. */
static tacModel *balanced_arm(int through_actuators, int motors, int disable) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.disable = disable;
    tac_model_set_option(b, &option);
    int parent = 0;
    for (int i = 0; i < 2; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        body.pos = (tacVec3){0.3, 0, 0};
        body.inertial = TAC_INERTIAL_DIAG;
        body.mass = 2;
        body.ipos = (tacVec3){0.2, 0.1, 0};
        body.inertia = (tacVec3){0.1, 0.1, 0.1};
        body.gravcomp = 1;
        joint.axis = (tacVec3){0, 1, 0.2 * i};
        joint.actgravcomp = through_actuators;
        parent = tac_model_add_body(b, parent, &body);
        int id = tac_model_add_joint(b, parent, &joint);
        if (motors) robot_motor(b, id, 1);
    }
    return robot_finish(b);
}

static void gravity_compensation(void **state) {
    (void)state;
    for (int through = 0; through < 2; through++) {
        tacModel *m = balanced_arm(through, 1, 0);
        tacSim *sim = robot_sim(m);
        double x[4] = {0.4, -0.8}, u[2 + 2 + 18] = {0}, bias[2], passive[2], qfrc[2], qacc[2], zero[2] = {0};
        CHECK_INT(tac_bias(sim, x, zero, bias), TAC_OK);
        CHECK_INT(tac_passive(sim, x, zero, passive), TAC_OK);
        CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.qfrc = qfrc}), TAC_OK);
        CHECK(fabs(bias[0]) > 1);
        CHECK_ARRAY(2, through ? qfrc : passive, bias, TOL_EXACT);
        CHECK_ARRAY(2, through ? passive : qfrc, zero, 0);
        CHECK_INT(tac_acceleration(sim, x, u, qacc), TAC_OK);
        CHECK_ARRAY(2, qacc, zero, TOL_EXACT);
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

/* Without actuators there is nothing it could come through; without gravity, or with springs and dampers both disabled,
 * there is none. */
static void no_gravity_compensation(void **state) {
    (void)state;
    const int disable[] = {TAC_DISABLE_GRAVITY, TAC_DISABLE_SPRING | TAC_DISABLE_DAMPER};
    double q[2] = {0.4, -0.8}, v[2] = {0}, passive[2], zero[2] = {0}, x[4] = {0.4, -0.8}, u[2 + 18] = {0},
           qfrc[2] = {1, 1};
    for (int i = 0; i < 2; i++) {
        tacModel *m = balanced_arm(0, 0, disable[i]);
        tacSim *sim = robot_sim(m);
        CHECK_INT(tac_passive(sim, q, v, passive), TAC_OK);
        CHECK_ARRAY(2, passive, zero, 0);
        tac_sim_free(sim);
        tac_model_free(m);
    }
    tacModel *m = balanced_arm(1, 0, 0);
    tacSim *sim = robot_sim(m);
    CHECK_INT(tac_actuation(sim, x, u, &(tacActuation){.qfrc = qfrc}), TAC_OK);
    CHECK_ARRAY(2, qfrc, zero, 0);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Each flag removes its part and no other. */
static void spring_and_damper_flags(void **state) {
    (void)state;
    const int flags[] = {0, TAC_DISABLE_SPRING, TAC_DISABLE_DAMPER, TAC_DISABLE_SPRING | TAC_DISABLE_DAMPER};
    const double expected[] = {-3 * 0.5 - 0.7 * 2, -0.7 * 2, -3 * 0.5, 0};
    for (int i = 0; i < 4; i++) {
        tacBuilder *b = tac_model_begin();
        tacOptionDef option = tac_default_option();
        tacJointDef joint = tac_default_joint();
        double q = 0.5, v = 2, passive;
        tacEnergy energy;
        option.disable = flags[i];
        option.gravity = (tacVec3){0, 0, 0};
        tac_model_set_option(b, &option);
        joint.stiffness = 3;
        joint.damping = 0.7;
        int body = robot_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
        tac_model_add_joint(b, body, &joint);
        tacModel *m = robot_finish(b);
        tacSim *sim = robot_sim(m);
        CHECK_INT(tac_passive(sim, &q, &v, &passive), TAC_OK);
        CHECK_NEAR(passive, expected[i], TOL_EXACT);
        CHECK_INT(tac_energy(sim, &q, &v, &energy), TAC_OK);
        CHECK_NEAR(energy.potential, flags[i] & TAC_DISABLE_SPRING ? 0 : 0.375, TOL_EXACT);
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_gradients),    cmocka_unit_test(dampers_take_power),
        cmocka_unit_test(free_joint_spring),       cmocka_unit_test(gravity_compensation),
        cmocka_unit_test(no_gravity_compensation), cmocka_unit_test(spring_and_damper_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
