/* Default states and inputs; positions plus and minus tangent vectors. */
#include "dynamics/robots.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_ROUND_TRIP 1e-14

static void default_state(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    double *x = robot_array(tac_nx(m));
    tac_default_state(m, x);
    CHECK_ARRAY(m->nq, x, m->qpos_0, 0);
    for (int i = m->nq; i < tac_nx(m); i++)
        CHECK_NEAR(x[i], 0, 0);
    free(x);
    tac_model_free(m);
}

/* An activation whose range does not include zero starts at its nearer end. */
static void activation_in_range(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacActuatorDef def = tac_default_actuator();
    int body = robot_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
    def.trnid[0] = robot_joint(b, body, TAC_JOINT_HINGE, (tacVec3){0, 1, 0});
    def.dyntype = TAC_DYN_INTEGRATOR;
    def.actlimited = 1;
    def.actrange[0] = 0.5, def.actrange[1] = 2;
    tac_model_add_actuator(b, &def);
    tacModel *m = robot_finish(b);
    double x[3];
    tac_default_state(m, x);
    CHECK_NEAR(x[2], 0.5, 0);
    tac_model_free(m);
}

/* Blocks by name: a force and a torque on a free body accelerate what they should. */
static void blocks_by_name(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.gravity = (tacVec3){0, 0, 0};
    tac_model_set_option(b, &option);
    int body = robot_body(b, 0, (tacVec3){0, 0, 0}, 2, (tacVec3){0, 0, 0}, (tacVec3){3, 4, 5});
    robot_joint(b, body, TAC_JOINT_FREE, (tacVec3){0, 0, 1});
    int arm = robot_body(b, 0, (tacVec3){3, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
    int hinge = robot_joint(b, arm, TAC_JOINT_HINGE, (tacVec3){0, 0, 1});
    tacModel *m = robot_finish(b);
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    double x[15], u[7 + 18] = {0}, qacc[7];
    CHECK(tac_input_forces(m, &o, u) == NULL);
    o.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC;
    tacForceTorque *forces = tac_input_forces(m, &o, u);
    CHECK(forces == (tacForceTorque *)(u + 7));
    forces[body].force = (tacVec3){4, 0, 6};
    forces[body].torque = (tacVec3){0, 8, 5};
    tacSim *sim = NULL;
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    tac_default_state(m, x);
    CHECK_INT(tac_acceleration(sim, x, u, qacc), TAC_OK);
    const tacTwist *twist = tac_free_twist(m, 0, qacc);
    CHECK_ARRAY(3, &twist->lin.x, ((double[]){2, 0, 3}), TOL_ROUND_TRIP);
    CHECK_ARRAY(3, &twist->ang.x, ((double[]){0, 2, 1}), TOL_ROUND_TRIP);
    CHECK(tac_free_twist(m, hinge, qacc) == NULL);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void default_input(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    body.mocap = 1;
    body.pos = (tacVec3){1, 2, 3};
    body.quat = (tacQuat){0, 0, 1, 0};
    tac_model_add_body(b, 0, &body);
    tacModel *m = robot_finish(b);
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NONE;
    o.inputs = TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    CHECK_INT(tac_ninput(m, &o), 12 + 7);
    double u[19], expected[19] = {0};
    memset(u, 0xFF, sizeof u);
    tac_default_input(m, &o, u);
    expected[12] = 1, expected[13] = 2, expected[14] = 3, expected[17] = 1;
    CHECK_ARRAY(19, u, expected, 0);
    tac_model_free(m);
}

/* (q (+) d) (-) q = d, and q1 (+) (q2 (-) q1) = q2, for every joint type; in place too. */
static void round_trips(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    double *x = robot_array(tac_nx(m)), *q = robot_array(m->nq), *d = robot_array(m->nv), *back = robot_array(m->nv);
    for (uint64_t s = 0; s < 20; s++) {
        robot_state(m, x, s);
        robot_random(m->nv, d, s < 10 ? 1.5 : 1e-9, 100 + s);
        tac_qpos_add(m, x, d, q);
        tac_qpos_sub(m, q, x, back);
        CHECK_ARRAY(m->nv, back, d, TOL_ROUND_TRIP);
        tac_qpos_add(m, x, d, x);
        CHECK(memcmp(x, q, (size_t)m->nq * sizeof *x) == 0);
    }
    free(x), free(q), free(d), free(back);
    tac_model_free(m);
}

/* Quaternions of any length and sign stand for the same rotation; the result has unit length. */
static void unnormalized(void **state) {
    (void)state;
    tacModel *m = robot_free_body();
    double q[7] = {0, 0, 0, cos(0.3), 0, sin(0.3), 0}, scaled[7], sum[7], scaled_sum[7],
           d[6] = {0, 0, 0, 0.1, 0.2, 0.3};
    for (int i = 0; i < 7; i++)
        scaled[i] = i < 3 ? q[i] : -5 * q[i];
    tac_qpos_add(m, q, d, sum);
    tac_qpos_add(m, scaled, d, scaled_sum);
    for (int i = 3; i < 7; i++)
        CHECK_NEAR(scaled_sum[i], -sum[i], TOL_ROUND_TRIP);
    CHECK_NEAR(sum[3] * sum[3] + sum[4] * sum[4] + sum[5] * sum[5] + sum[6] * sum[6], 1, TOL_ROUND_TRIP);
    tac_qpos_sub(m, scaled_sum, q, d);
    CHECK_NEAR(d[4], 0.2, TOL_ROUND_TRIP);
    tac_model_free(m);
}

/* Gradients by plain numbers and by displacements of one function, g . q, against differences; quaternions off unit
 * length, too. */
#define TOL_COVECTOR 1e-8
static void covectors(void **state) {
    (void)state;
    enum { MOST = 64 };
    tacModel *m = robot_creature();
    double x[2 * MOST], q[MOST], g[MOST], d[MOST], e[MOST] = {0}, moved[MOST], up[MOST];
    CHECK(m->nq <= MOST && m->nv > 6);
    robot_state(m, x, 3);
    tac_qpos_add(m, x, e, q);
    robot_random(m->nq, g, 1, 4);
    tac_covector_down(m, q, g, d);
    for (int i = 0; i < m->nv; i++) {
        double value[2], step = 1e-6;
        for (int side = 0; side < 2; side++) {
            e[i] = side == 0 ? step : -step;
            tac_qpos_add(m, q, e, moved);
            value[side] = 0;
            for (int k = 0; k < m->nq; k++)
                value[side] += g[k] * moved[k];
        }
        e[i] = 0;
        CHECK_NEAR(d[i], (value[0] - value[1]) / (2 * step), TOL_COVECTOR);
    }
    for (int i = 0; i < m->nq; i++)
        q[i] *= 1.5;
    robot_random(m->nv, d, 1, 5);
    tac_covector_up(m, q, d, up);
    for (int i = 0; i < m->nq; i++) { /* d . (q moved (-) q), by each number of q */
        double value = 0, step = 1e-6, keep = q[i], there[MOST], back[MOST];
        memcpy(moved, q, sizeof moved);
        moved[i] = keep + step;
        tac_qpos_sub(m, moved, q, there);
        moved[i] = keep - step;
        tac_qpos_sub(m, moved, q, back);
        for (int k = 0; k < m->nv; k++)
            value += d[k] * (there[k] - back[k]) / (2 * step);
        CHECK_NEAR(up[i], value, TOL_COVECTOR);
    }
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_state),  cmocka_unit_test(activation_in_range), cmocka_unit_test(default_input),
        cmocka_unit_test(blocks_by_name), cmocka_unit_test(round_trips),         cmocka_unit_test(unnormalized),
        cmocka_unit_test(covectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
