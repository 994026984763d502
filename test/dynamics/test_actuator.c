/* Forces of actuators: gains, biases, activations, clamps. */
#include "dynamics/robots.h"
#include "support/check.h"

#include "dynamics/actuator.h"

#include <math.h>
#include <stdlib.h>

#define TOL_EXACT 1e-14

/* Two independent sliders of 1 kg along x; the actuators under test act on the first. */
typedef struct Rig {
    tacBuilder *b;
    int joint[2];
    tacModel *m;
    tacSim *sim;
    double x[16], u[64]; /* zero but where a test says */
} Rig;

static Rig rig_begin(int disable) {
    Rig r = {.b = tac_model_begin()};
    tacOptionDef option = tac_default_option();
    option.gravity = (tacVec3){0, 0, 0};
    option.disable = disable;
    option.timestep = 0.01;
    tac_model_set_option(r.b, &option);
    for (int i = 0; i < 2; i++) {
        int body = robot_body(r.b, 0, (tacVec3){0, i, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
        r.joint[i] = robot_joint(r.b, body, TAC_JOINT_SLIDE, (tacVec3){1, 0, 0});
    }
    return r;
}

static void rig_finish(Rig *r) {
    r->m = robot_finish(r->b);
    r->sim = robot_sim(r->m);
}

static void rig_end(Rig *r) {
    tac_sim_free(r->sim);
    tac_model_free(r->m);
}

static double rig_force(Rig *r, int actuator) {
    double force[8];
    CHECK_INT(tac_actuation(r->sim, r->x, r->u, &(tacActuation){.force = force}), TAC_OK);
    return force[actuator];
}

/* force = (g0 + g1 L + g2 V) u + b0 + b1 L + b2 V with L = gear q, V = gear v */
static void affine_gain_and_bias(void **state) {
    (void)state;
    Rig r = rig_begin(0);
    tacActuatorDef def = tac_default_actuator();
    double qfrc[2];
    def.trnid[0] = r.joint[0];
    def.gear[0] = 2;
    def.gaintype = TAC_GAIN_AFFINE;
    def.biastype = TAC_BIAS_AFFINE;
    def.gainprm[0] = 1, def.gainprm[1] = 0.5, def.gainprm[2] = -0.25;
    def.biasprm[0] = 0.3, def.biasprm[1] = -0.7, def.biasprm[2] = -0.2;
    tac_model_add_actuator(r.b, &def);
    rig_finish(&r);
    r.x[0] = 0.6, r.x[2] = -1.5, r.u[0] = 0.8;
    double L = 1.2, V = -3, expected = (1 + 0.5 * L - 0.25 * V) * 0.8 + 0.3 - 0.7 * L - 0.2 * V;
    CHECK_NEAR(rig_force(&r, 0), expected, TOL_EXACT);
    CHECK_INT(tac_actuation(r.sim, r.x, r.u, &(tacActuation){.qfrc = qfrc}), TAC_OK);
    CHECK_NEAR(qfrc[0], 2 * expected, TOL_EXACT);
    CHECK_NEAR(qfrc[1], 0, 0);
    rig_end(&r);
}

static void control_and_force_ranges(void **state) {
    (void)state;
    for (int disabled = 0; disabled < 2; disabled++) {
        Rig r = rig_begin(disabled ? TAC_DISABLE_CLAMPCTRL : 0);
        tacActuatorDef def = tac_default_actuator();
        def.trnid[0] = r.joint[0];
        def.ctrllimited = 1;
        def.ctrlrange[0] = -0.5, def.ctrlrange[1] = 1;
        tac_model_add_actuator(r.b, &def);
        def.ctrllimited = 0;
        def.forcelimited = 1;
        def.forcerange[0] = -2, def.forcerange[1] = 3;
        tac_model_add_actuator(r.b, &def);
        rig_finish(&r);
        r.u[0] = -4, r.u[1] = 5;
        CHECK_NEAR(rig_force(&r, 0), disabled ? -4 : -0.5, 0);
        CHECK_NEAR(rig_force(&r, 1), 3, 0);
        rig_end(&r);
    }
}

/* Two actuators on one joint: the sum is clamped, the forces are not. */
static void joint_range(void **state) {
    (void)state;
    Rig r = rig_begin(0);
    tacJointDef joint = tac_default_joint();
    tacActuation out = {0};
    double force[2], qfrc[3];
    joint.type = TAC_JOINT_SLIDE;
    joint.actfrclimited = 1;
    joint.actfrcrange[0] = -1, joint.actfrcrange[1] = 1.5;
    int body = robot_body(r.b, 0, (tacVec3){0, 5, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
    int id = tac_model_add_joint(r.b, body, &joint);
    robot_motor(r.b, id, 1);
    robot_motor(r.b, id, 2);
    rig_finish(&r);
    r.u[0] = 1, r.u[1] = 0.5;
    out.force = force, out.qfrc = qfrc;
    CHECK_INT(tac_actuation(r.sim, r.x, r.u, &out), TAC_OK);
    CHECK_NEAR(force[0], 1, 0);
    CHECK_NEAR(qfrc[2], 1.5, 0);
    rig_end(&r);
}

/* Two actuators on one tendon share its range in proportion. */
static void tendon_range(void **state) {
    (void)state;
    Rig r = rig_begin(0);
    tacTendonDef tendon = tac_default_tendon();
    const double coef[2] = {1, -1};
    tacActuatorDef def = tac_default_actuator();
    tendon.nterm = 2;
    tendon.joint = r.joint;
    tendon.coef = coef;
    tendon.actfrclimited = 1;
    tendon.actfrcrange[0] = -2, tendon.actfrcrange[1] = 2;
    def.trntype = TAC_TRN_TENDON;
    def.trnid[0] = tac_model_add_tendon(r.b, &tendon);
    tac_model_add_actuator(r.b, &def);
    tac_model_add_actuator(r.b, &def);
    rig_finish(&r);
    r.u[0] = 1, r.u[1] = 3;
    CHECK_NEAR(rig_force(&r, 0), 0.5, TOL_EXACT);
    CHECK_NEAR(rig_force(&r, 1), 1.5, TOL_EXACT);
    r.u[0] = -1, r.u[1] = 1;
    CHECK_NEAR(rig_force(&r, 1), 1, 0);
    r.u[0] = -7, r.u[1] = -1;
    CHECK_NEAR(rig_force(&r, 0), -1.75, TOL_EXACT);
    rig_end(&r);
}

/* act_dot of each kind, and the state after a step; filterexact is the exact solution. */
static void activation_dynamics(void **state) {
    (void)state;
    Rig r = rig_begin(0);
    tacActuatorDef def = tac_default_actuator();
    const tacDynType types[] = {TAC_DYN_INTEGRATOR, TAC_DYN_FILTER, TAC_DYN_FILTER_EXACT};
    double act_dot[3], force[3], y[16], h = 0.01, tau = 0.03;
    def.trnid[0] = r.joint[0];
    def.dynprm[0] = tau;
    for (int i = 0; i < 3; i++) {
        def.dyntype = types[i];
        tac_model_add_actuator(r.b, &def);
    }
    rig_finish(&r);
    CHECK_INT(r.m->na, 3);
    r.u[0] = 0.4, r.u[1] = 1.5, r.u[2] = 1.5;
    r.x[4] = 0.2, r.x[5] = 0.7, r.x[6] = 0.7;
    CHECK_INT(tac_actuation(r.sim, r.x, r.u, &(tacActuation){.act_dot = act_dot, .force = force}), TAC_OK);
    const double rates[3] = {0.4, 0.8 / tau, 0.8 / tau}, forces[3] = {0.2, 0.7, 0.7};
    CHECK_ARRAY(3, act_dot, rates, TOL_EXACT);
    CHECK_ARRAY(3, force, forces, 0);
    CHECK_INT(tac_step(r.sim, r.x, r.u, y, NULL), TAC_OK);
    const double next[3] = {0.2 + h * 0.4, 0.7 + h * 0.8 / tau, 1.5 - 0.8 * exp(-h / tau)};
    CHECK_ARRAY(3, y + 4, next, TOL_EXACT);
    rig_end(&r);
}

/* Early activation: the force uses the activation after the step. Its range holds in both. */
static void early_and_limited_activation(void **state) {
    (void)state;
    Rig r = rig_begin(0);
    tacActuatorDef def = tac_default_actuator();
    double y[16];
    def.trnid[0] = r.joint[0];
    def.dyntype = TAC_DYN_INTEGRATOR;
    def.actearly = 1;
    tac_model_add_actuator(r.b, &def);
    def.actlimited = 1;
    def.actrange[0] = -1, def.actrange[1] = 0.21;
    tac_model_add_actuator(r.b, &def);
    rig_finish(&r);
    r.u[0] = r.u[1] = 3;
    r.x[4] = r.x[5] = 0.2;
    CHECK_NEAR(rig_force(&r, 0), 0.23, TOL_EXACT);
    CHECK_NEAR(rig_force(&r, 1), 0.21, 0);
    CHECK_INT(tac_step(r.sim, r.x, r.u, y, NULL), TAC_OK);
    CHECK_NEAR(y[4], 0.23, TOL_EXACT);
    CHECK_NEAR(y[5], 0.21, 0);
    rig_end(&r);
}

/* With several activations the last one drives. User dynamics, which bring them, stay where they are. */
static void last_activation_drives(void **state) {
    (void)state;
    Rig r = rig_begin(0);
    tacActuatorDef def = tac_default_actuator();
    double y[16];
    def.trnid[0] = r.joint[0];
    def.dyntype = TAC_DYN_USER;
    def.actdim = 2;
    tac_model_add_actuator(r.b, &def);
    rig_finish(&r);
    CHECK_INT(r.m->na, 2);
    r.u[0] = 2;
    r.x[4] = 5, r.x[5] = 0.25;
    CHECK_NEAR(rig_force(&r, 0), 0.25, 0);
    CHECK_INT(tac_step(r.sim, r.x, r.u, y, NULL), TAC_OK);
    CHECK_NEAR(y[4], 5, 0);
    CHECK_NEAR(y[5], 0.25, 0);
    rig_end(&r);
}

/* An inert actuator stays in place and gives no force; a model with actuation disabled moves no activation. */
static void inert_and_disabled(void **state) {
    (void)state;
    for (int disabled = 0; disabled < 2; disabled++) {
        Rig r = rig_begin(disabled ? TAC_DISABLE_ACTUATION : 0);
        tacActuatorDef def = tac_default_actuator();
        double y[16], qfrc[2];
        def.trnid[0] = r.joint[0];
        def.dyntype = TAC_DYN_MUSCLE;
        def.without_force = 1;
        tac_model_add_actuator(r.b, &def);
        def.dyntype = TAC_DYN_INTEGRATOR;
        def.without_force = 0;
        tac_model_add_actuator(r.b, &def);
        rig_finish(&r);
        CHECK_INT(r.m->na, 2);
        r.u[0] = r.u[1] = 1;
        r.x[4] = 0.5, r.x[5] = 0.25;
        CHECK_NEAR(rig_force(&r, 0), 0, 0);
        CHECK_INT(tac_actuation(r.sim, r.x, r.u, &(tacActuation){.qfrc = qfrc}), TAC_OK);
        CHECK_NEAR(qfrc[0], disabled ? 0 : 0.25, 0);
        CHECK_INT(tac_step(r.sim, r.x, r.u, y, NULL), TAC_OK);
        CHECK_NEAR(y[4], 0.5, 0);
        CHECK_NEAR(y[5], disabled ? 0.25 : 0.26, TOL_EXACT);
        rig_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_gain_and_bias),
        cmocka_unit_test(control_and_force_ranges),
        cmocka_unit_test(joint_range),
        cmocka_unit_test(tendon_range),
        cmocka_unit_test(activation_dynamics),
        cmocka_unit_test(early_and_limited_activation),
        cmocka_unit_test(last_activation_drives),
        cmocka_unit_test(inert_and_disabled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
