#include "dynamics/robots.h"

#include "support/check.h"

#include <stdlib.h>

tacModel *robot_finish(tacBuilder *b) {
    tacModel *model = NULL;
    tacError err = {.text = ""};
    tacStatus status = tac_model_finish(b, &model, &err);
    if (status != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(status, TAC_OK);
    tac_builder_free(b);
    return model;
}

int robot_body(tacBuilder *b, int parent, tacVec3 pos, double mass, tacVec3 ipos, tacVec3 inertia) {
    tacBodyDef def = tac_default_body();
    def.pos = pos;
    def.inertial = TAC_INERTIAL_DIAG;
    def.mass = mass;
    def.ipos = ipos;
    def.inertia = inertia;
    return tac_model_add_body(b, parent, &def);
}

int robot_joint(tacBuilder *b, int body, tacJointType type, tacVec3 axis) {
    tacJointDef def = tac_default_joint();
    def.type = type;
    def.axis = axis;
    return tac_model_add_joint(b, body, &def);
}

int robot_motor(tacBuilder *b, int joint, double gear) {
    tacActuatorDef def = tac_default_actuator();
    def.trnid[0] = joint;
    def.gear[0] = gear;
    return tac_model_add_actuator(b, &def);
}

static tacBuilder *begin(double gravity) {
    tacBuilder *b = tac_model_begin();
    CHECK(b != NULL);
    tacOptionDef option = tac_default_option();
    option.gravity = (tacVec3){0, 0, -gravity};
    option.literal_inertia = 1; /* a point mass has no inertia of its own */
    tac_model_set_option(b, &option);
    return b;
}

tacModel *robot_pendulum(void) {
    tacBuilder *b = begin(9.81);
    int body = robot_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, -1}, (tacVec3){0, 0, 0});
    robot_joint(b, body, TAC_JOINT_HINGE, (tacVec3){0, 1, 0});
    return robot_finish(b);
}

tacModel *robot_double_pendulum(void) {
    tacBuilder *b = begin(9.81);
    int upper = robot_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, -1}, (tacVec3){0, 0, 0});
    int lower = robot_body(b, upper, (tacVec3){0, 0, -1}, 1, (tacVec3){0, 0, -1}, (tacVec3){0, 0, 0});
    robot_joint(b, upper, TAC_JOINT_HINGE, (tacVec3){0, 1, 0});
    robot_joint(b, lower, TAC_JOINT_HINGE, (tacVec3){0, 1, 0});
    return robot_finish(b);
}

tacModel *robot_free_body(void) {
    tacBuilder *b = begin(0);
    int body = robot_body(b, 0, (tacVec3){0, 0, 0}, 2, (tacVec3){0, 0, 0}, (tacVec3){1, 2, 3});
    robot_joint(b, body, TAC_JOINT_FREE, (tacVec3){0, 0, 1});
    return robot_finish(b);
}

/* --- Creature and drifter ----------------------------------------------------------------------------------------- */

/* One joint, with passive elements where the model is not to conserve momentum. */
static int limb_joint(tacBuilder *b, int body, tacJointType type, tacVec3 axis, tacVec3 pos, double passive) {
    tacJointDef def = tac_default_joint();
    def.type = type;
    def.axis = axis;
    def.pos = pos;
    def.stiffness = 3 * passive;
    def.damping = 0.2 * passive;
    def.armature = 0.01 * passive;
    if (type == TAC_JOINT_HINGE || type == TAC_JOINT_SLIDE) {
        def.ref = 0.1;
        def.springref = 0.3;
    }
    return tac_model_add_joint(b, body, &def);
}

static int limb(tacBuilder *b, int parent, double shift, double mass) {
    tacBodyDef def = tac_default_body();
    def.pos = (tacVec3){0.2, shift, 0.1};
    def.quat = (tacQuat){0.8, 0.2 + shift, -0.3, 0.4};
    def.inertial = TAC_INERTIAL_DIAG;
    def.mass = mass;
    def.ipos = (tacVec3){0.05, -0.02, 0.1 + shift};
    def.iquat = (tacQuat){0.9, 0.1, 0.3, -0.2};
    def.inertia = (tacVec3){0.02 * mass, 0.03 * mass, 0.025 * mass};
    return tac_model_add_body(b, parent, &def);
}

static void creature_actuators(tacBuilder *b, const int *joint, int tendon, int site) {
    tacActuatorDef def = tac_default_actuator();
    robot_motor(b, joint[1], 2);
    def.trnid[0] = joint[3];
    def.gaintype = TAC_GAIN_FIXED;
    def.gainprm[0] = 5;
    def.biastype = TAC_BIAS_AFFINE;
    def.biasprm[1] = -5;
    def.dyntype = TAC_DYN_FILTER;
    def.dynprm[0] = 0.05;
    tac_model_add_actuator(b, &def);
    def.trntype = TAC_TRN_TENDON;
    def.trnid[0] = tendon;
    def.dyntype = TAC_DYN_INTEGRATOR;
    def.actlimited = 1;
    def.actrange[0] = -0.5, def.actrange[1] = 0.5;
    tac_model_add_actuator(b, &def);
    def = tac_default_actuator();
    def.trntype = TAC_TRN_SITE;
    def.trnid[0] = site;
    def.gear[2] = 0.3, def.gear[4] = 0.1;
    def.dyntype = TAC_DYN_FILTER_EXACT;
    def.dynprm[0] = 0.02;
    tac_model_add_actuator(b, &def);
}

static tacModel *floating_tree(double passive) {
    tacBuilder *b = begin(9.81 * passive);
    int base = limb(b, 0, 0, 3), arm = limb(b, base, 0.1, 1), hand = limb(b, arm, -0.1, 0.5),
        leg = limb(b, base, -0.2, 1.2);
    tacSiteDef site = tac_default_site();
    int joint[6];
    joint[0] = limb_joint(b, base, TAC_JOINT_FREE, (tacVec3){0, 0, 1}, (tacVec3){0, 0, 0}, 0);
    joint[1] = limb_joint(b, arm, TAC_JOINT_HINGE, (tacVec3){1, 2, 0}, (tacVec3){0.1, 0, 0.05}, passive);
    joint[2] = limb_joint(b, arm, TAC_JOINT_BALL, (tacVec3){0, 0, 1}, (tacVec3){0, 0.05, 0}, passive);
    joint[3] = limb_joint(b, hand, TAC_JOINT_SLIDE, (tacVec3){0, 1, 1}, (tacVec3){0, 0, 0}, passive);
    joint[4] = limb_joint(b, leg, TAC_JOINT_HINGE, (tacVec3){0, 1, 0.5}, (tacVec3){0, 0, 0.1}, passive);
    joint[5] = limb_joint(b, leg, TAC_JOINT_HINGE, (tacVec3){1, 0, 0.2}, (tacVec3){0.05, 0, 0}, passive);
    site.pos = (tacVec3){0.1, 0.05, 0.02};
    site.quat = (tacQuat){0.7, 0.1, 0.5, 0.2};
    int tip = tac_model_add_site(b, hand, &site);
    if (passive == 0) return robot_finish(b);
    tacTendonDef tendon = tac_default_tendon();
    const int joints[] = {joint[1], joint[5]};
    const double coef[] = {0.7, -0.4};
    tendon.nterm = 2;
    tendon.joint = joints;
    tendon.coef = coef;
    tendon.stiffness = 4;
    tendon.damping = 0.3;
    tendon.springlength[0] = -0.05, tendon.springlength[1] = 0.1;
    creature_actuators(b, joint, tac_model_add_tendon(b, &tendon), tip);
    return robot_finish(b);
}

tacModel *robot_creature(void) { return floating_tree(1); }
tacModel *robot_drifter(void) { return floating_tree(0); }

/* --- States ------------------------------------------------------------------------------------------------------- */

tacSim *robot_sim(const tacModel *model) {
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim = NULL;
    tacError err;
    options.integrator = TAC_INTEGRATOR_EULER;
    options.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC | TAC_INPUT_MOCAP;
    CHECK_INT(tac_sim_new(model, &options, &sim, &err), TAC_OK);
    return sim;
}

void robot_random(int n, double *x, double scale, uint64_t stream) {
    for (int i = 0; i < n; i++)
        x[i] = scale * (2 * tac_random_uniform(3, stream, (uint64_t)i) - 1);
}

void robot_state(const tacModel *model, double *x, uint64_t stream) {
    double *d = robot_array(model->nv);
    robot_random(model->nv, d, 1, 2 * stream);
    tac_qpos_add(model, model->qpos_0, d, x);
    robot_random(model->nv + model->na, x + model->nq, 1, 2 * stream + 1);
    free(d);
}

double *robot_array(int n) {
    double *p = calloc((size_t)n + 1, sizeof *p);
    CHECK(p != NULL);
    return p;
}
