/* What does not change, and by how much at most. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000 };

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* d(momentum)/dt at one instant is zero for a floating robot in free space, whatever torques act inside it: central
 * difference of the momentum along (v, a). */
static void momentum_rate_is_zero(void **state) {
    (void)state;
    tacModel *m = robot_drifter();
    tacSim *sim = robot_sim(m);
    int nx = tac_nx(m);
    double *x = robot_array(nx), *u = robot_array(m->nv + 6 * m->nbody), *a = robot_array(m->nv),
           *d = robot_array(m->nv);
    double *moved = robot_array(nx), h = 1e-5;
    for (uint64_t s = 0; s < 5; s++) {
        tacVec6 p[2];
        robot_state(m, x, s);
        robot_random(m->nv - 6, u + 6, 1, 40 + s); /* torques inside the tree, none on the base */
        CHECK_INT(tac_acceleration(sim, x, u, a), TAC_OK);
        for (int side = 0; side < 2; side++) {
            double t = side ? h : -h;
            for (int i = 0; i < m->nv; i++) {
                d[i] = t * x[m->nq + i];
                moved[m->nq + i] = x[m->nq + i] + t * a[i];
            }
            tac_qpos_add(m, x, d, moved);
            CHECK_INT(tac_momentum(sim, moved, moved + m->nq, &p[side]), TAC_OK);
        }
        CHECK(fabs(a[8]) > 0.1);
        CHECK_LT(distance(&p[0].lin.x, &p[1].lin.x) / (2 * h), 1e-8);
        CHECK_LT(distance(&p[0].ang.x, &p[1].ang.x) / (2 * h), 1e-8);
    }
    free(x), free(u), free(a), free(d), free(moved);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Over a thousand steps the drift is of first order: ten times smaller steps, ten times less. */
static void drift(double dt, int steps, double *momentum, double *energy) {
    tacModel *m = robot_drifter();
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    double *x = robot_array(tac_nx(m));
    tacVec6 before, after;
    tacEnergy e0, e1;
    o.dt = dt;
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    robot_state(m, x, 1);
    CHECK_INT(tac_momentum(sim, x, x + m->nq, &before), TAC_OK);
    CHECK_INT(tac_energy(sim, x, x + m->nq, &e0), TAC_OK);
    for (int k = 0; k < steps; k++)
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
    CHECK_INT(tac_momentum(sim, x, x + m->nq, &after), TAC_OK);
    CHECK_INT(tac_energy(sim, x, x + m->nq, &e1), TAC_OK);
    *momentum = distance(&before.lin.x, &after.lin.x) + distance(&before.ang.x, &after.ang.x);
    *energy = fabs(e1.kinetic + e1.potential - e0.kinetic - e0.potential);
    free(x);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void drift_is_first_order(void **state) {
    (void)state;
    double momentum[2], energy[2];
    drift(1e-3, STEPS, &momentum[0], &energy[0]);
    drift(1e-4, 10 * STEPS, &momentum[1], &energy[1]);
    CHECK_LT(momentum[0], 1e-2);
    CHECK_LT(momentum[1], 0.12 * momentum[0]);
    CHECK_LT(energy[0], 1e-2);
    CHECK_LT(energy[1], 0.12 * energy[0]);
}

/* A free body without torque keeps its linear momentum to the bit. */
static void linear_momentum_of_one_body(void **state) {
    (void)state;
    tacModel *m = robot_free_body();
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    double x[13] = {0, 0, 0, 1, 0, 0, 0, 0.3, -0.7, 0.2, 1, 2, 3}, v[3] = {0.3, -0.7, 0.2};
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    for (int k = 0; k < STEPS; k++)
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
    CHECK_ARRAY(3, x + 7, v, 1e-14);
    CHECK_NEAR(x[0], 0.3 * STEPS * o.dt, 1e-12);
    tac_sim_free(sim);
    tac_model_free(m);
}

/* Undamped oscillator: the semi-implicit step keeps k q^2 + m v^2 - h k q v exactly. */
static void oscillator_invariant(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacJointDef joint = tac_default_joint();
    joint.type = TAC_JOINT_SLIDE;
    joint.axis = (tacVec3){1, 0, 0};
    joint.stiffness = 50;
    tac_model_add_joint(b, robot_body(b, 0, (tacVec3){0, 0, 0}, 2, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1}), &joint);
    tacModel *m = robot_finish(b);
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    double x[2] = {0.3, 0.5}, h = 0.05, k = 50, mass = 2;
    o.dt = h;
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    double before = k * x[0] * x[0] + mass * x[1] * x[1] - h * k * x[0] * x[1];
    for (int i = 0; i < 10 * STEPS; i++)
        CHECK_INT(tac_step(sim, x, NULL, x, NULL), TAC_OK);
    CHECK_NEAR(k * x[0] * x[0] + mass * x[1] * x[1] - h * k * x[0] * x[1], before, 1e-12);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_rate_is_zero),
        cmocka_unit_test(drift_is_first_order),
        cmocka_unit_test(linear_momentum_of_one_body),
        cmocka_unit_test(oscillator_invariant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
