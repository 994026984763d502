/* What a model derives at its reference pose. */
#include "dynamics/robots.h"
#include "support/check.h"

#include "base/arena.h"
#include "dynamics/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_EXACT 1e-13

/* A hinge with inertia I about its axis (mass at a distance, armature), and an offset mass. */
static tacBuilder *lever(tacJointDef *joint, double mass, double radius, int *body, int *id) {
    tacBuilder *b = tac_model_begin();
    *body = robot_body(b, 0, (tacVec3){0, 0, 0}, mass, (tacVec3){radius, 0, 0}, (tacVec3){0.1, 0.2, 0.3});
    joint->axis = (tacVec3){0, 0, 1};
    *id = tac_model_add_joint(b, *body, joint);
    return b;
}

/* M0 = I + m r^2 + armature, inverse weights 1/M0 of the dof, r^2/M0/3 and 1/M0/3 of the body. */
static void hinge_weights(void **state) {
    (void)state;
    tacJointDef joint = tac_default_joint();
    int body, id;
    joint.armature = 0.05;
    tacModel *m = robot_finish(lever(&joint, 2, 0.5, &body, &id));
    double inertia = 0.3 + 2 * 0.25 + 0.05;
    CHECK_NEAR(m->dof_M0[0], inertia, TOL_EXACT);
    CHECK_NEAR(m->dof_invweight[0], 1 / inertia, TOL_EXACT);
    CHECK_NEAR(m->body_invweight[2], 0.25 / inertia / 3, TOL_EXACT);
    CHECK_NEAR(m->body_invweight[3], 1 / inertia / 3, TOL_EXACT);
    CHECK_NEAR(m->body_invweight[0], 0, 0);
    tac_model_free(m);
}

/* A free body: translation 1/m, rotation the mean of 1/I, for the dofs and the body. */
static void free_weights(void **state) {
    (void)state;
    tacModel *m = robot_free_body();
    const double rotation = (1 + 1. / 2 + 1. / 3) / 3;
    const double dofs[6] = {0.5, 0.5, 0.5, rotation, rotation, rotation}, bodies[4] = {0, 0, 0.5, rotation};
    CHECK_ARRAY(6, m->dof_invweight, dofs, TOL_EXACT);
    CHECK_ARRAY(4, m->body_invweight, bodies, TOL_EXACT);
    tac_model_free(m);
}

/* A body on one aligned slide is weighed by its mass alone, whatever its armature: MuJoCo 3.x. Tilted, it is not. */
static void slider_weights(void **state) {
    (void)state;
    for (int tilted = 0; tilted < 2; tilted++) {
        tacBuilder *b = tac_model_begin();
        tacJointDef joint = tac_default_joint();
        joint.type = TAC_JOINT_SLIDE;
        joint.axis = (tacVec3){1, tilted, 0};
        joint.armature = 6;
        int body = robot_body(b, 0, (tacVec3){0, 0, 1}, 2, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
        tac_model_add_joint(b, body, &joint);
        tacModel *m = robot_finish(b);
        CHECK_NEAR(m->dof_invweight[0], tilted ? 1. / 8 : 1. / 2, TOL_EXACT);
        CHECK_NEAR(m->body_invweight[2], tilted ? 1. / 24 : 1. / 2, TOL_EXACT);
        CHECK_NEAR(m->body_invweight[3], 0, 0);
        tac_model_free(m);
    }
}

/* springdamper (T, r): k = I / (T r)^2, d = 2 I / T: the joint oscillates with that time constant and ratio. */
static void springs_from_time_constants(void **state) {
    (void)state;
    tacJointDef joint = tac_default_joint();
    int body, id;
    joint.springdamper[0] = 0.4, joint.springdamper[1] = 0.5;
    joint.stiffness = joint.damping = 99; /* replaced */
    tacModel *m = robot_finish(lever(&joint, 2, 0.5, &body, &id));
    double inertia = 0.8;
    CHECK_NEAR(m->joint_stiffness_used[0], inertia / 0.04, 1e-12);
    CHECK_NEAR(m->dof_damping[0], 2 * inertia / 0.4, 1e-12);
    CHECK_NEAR(m->joint_stiffness[0], 99, 0);
    tac_model_free(m);
}

/* A servo with damping ratio z: damping 2 z sqrt(kp I / gear^2); also when MJCF writes it as a positive bias. Not a
 * servo (gain and bias differ): the bias as written. */
static void damping_from_ratios(void **state) {
    (void)state;
    tacJointDef joint = tac_default_joint();
    tacActuatorDef def = tac_default_actuator();
    int body, id;
    tacBuilder *b = lever(&joint, 2, 0.5, &body, &id);
    def.trnid[0] = id;
    def.gear[0] = 3;
    def.gainprm[0] = 10;
    def.biastype = TAC_BIAS_AFFINE;
    def.biasprm[1] = -10;
    def.dampratio = 0.7;
    tac_model_add_actuator(b, &def);
    def.dampratio = 0;
    def.biasprm[2] = 0.7;
    tac_model_add_actuator(b, &def);
    def.biasprm[1] = -9;
    tac_model_add_actuator(b, &def);
    def.biasprm[1] = -10, def.biasprm[2] = -1.5;
    tac_model_add_actuator(b, &def);
    tacModel *m = robot_finish(b);
    const double expected = -2 * 0.7 * sqrt(10 * 0.8 / 9), used[4] = {expected, expected, 0.7, -1.5};
    CHECK_ARRAY(4, m->actuator_damping_used, used, TOL_EXACT);
    tac_model_free(m);
}

/* A servo that pushes away has no damping ratio: an error that names it. With no bias in use there is nothing wrong,
 * and no NaN; a gain of zero gives no damping. */
static void ratio_of_a_servo_that_pushes(void **state) {
    (void)state;
    for (int by_bias = 0; by_bias < 2; by_bias++)
        for (int biastype = TAC_BIAS_NONE; biastype <= TAC_BIAS_AFFINE; biastype++)
            for (int sign = -1; sign <= 0; sign++) {
                double kp = 10 * sign;
                tacJointDef joint = tac_default_joint();
                tacActuatorDef def = tac_default_actuator();
                tacError err;
                tacModel *m = NULL;
                int body, id;
                tacBuilder *b = lever(&joint, 2, 0.5, &body, &id);
                def.name = "pusher";
                def.trnid[0] = id;
                def.gainprm[0] = kp;
                def.biastype = biastype;
                def.biasprm[1] = -kp;
                if (by_bias)
                    def.biasprm[2] = 0.7;
                else
                    def.dampratio = 0.7;
                tac_model_add_actuator(b, &def);
                tacStatus status = tac_model_finish(b, &m, &err);
                if (kp < 0 && biastype == TAC_BIAS_AFFINE) {
                    CHECK_INT(status, TAC_ERR_MODEL);
                    CHECK_HAS(err.text, "pusher");
                    CHECK(m == NULL);
                } else {
                    CHECK_INT(status, TAC_OK);
                    CHECK(m->actuator_damping_used[0] == 0);
                }
                tac_builder_free(b);
                tac_model_free(m);
            }
}

static void tendon_rows(void **state) {
    (void)state;
    tacJointDef joint = tac_default_joint();
    tacTendonDef tendon = tac_default_tendon();
    int body, id;
    const double coef = 2;
    joint.ref = 0.3, joint.springref = 0.5;
    tacBuilder *b = lever(&joint, 2, 0.5, &body, &id);
    tendon.nterm = 1;
    tendon.joint = &id;
    tendon.coef = &coef;
    tac_model_add_tendon(b, &tendon);
    tendon.springlength[0] = -0.1, tendon.springlength[1] = 0.2;
    tac_model_add_tendon(b, &tendon);
    tacModel *m = robot_finish(b);
    const double lengths[2] = {0.6, 0.6}, weights[2] = {4 / 0.8, 4 / 0.8}, bands[4] = {1, 1, -0.1, 0.2};
    CHECK_ARRAY(2, m->tendon_length0, lengths, TOL_EXACT);
    CHECK_ARRAY(2, m->tendon_invweight, weights, TOL_EXACT);
    CHECK_ARRAY(4, m->tendon_springlength_used, bands, TOL_EXACT);
    tac_model_free(m);
}

/* Relative poses: where nothing was written they hold the reference pose, and what was written stays. */
static void equality_poses(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacEqualityDef def = tac_default_equality();
    int body[2];
    for (int i = 0; i < 2; i++) {
        tacBodyDef bodydef = tac_default_body();
        bodydef.pos = (tacVec3){1 + i, 2, 3};
        bodydef.quat = (tacQuat){cos(0.4 * i), 0, 0, sin(0.4 * i)};
        bodydef.inertial = TAC_INERTIAL_DIAG;
        bodydef.mass = 1;
        bodydef.inertia = (tacVec3){1, 1, 1};
        body[i] = tac_model_add_body(b, 0, &bodydef);
        robot_joint(b, body[i], TAC_JOINT_FREE, (tacVec3){0, 0, 1});
    }
    memset(def.data, 0, sizeof def.data);
    def.objkind = TAC_KIND_BODY;
    def.obj[0] = body[0], def.obj[1] = body[1];
    def.type = TAC_EQ_CONNECT;
    def.data[0] = 0.5;
    tac_model_add_equality(b, &def);
    def.type = TAC_EQ_WELD;
    def.data[0] = 0, def.data[10] = 1;
    tac_model_add_equality(b, &def);
    def.data[3] = 7, def.data[6] = 2;
    tac_model_add_equality(b, &def);
    tacModel *m = robot_finish(b);
    const double *connect = m->equality_data_used, *weld = connect + 11, *written = connect + 22;
    const double anchor[3] = {-0.5 * cos(0.8), 0.5 * sin(0.8), 0};
    CHECK_ARRAY(3, connect + 3, anchor, TOL_EXACT);
    const double pose[7] = {1, 0, 0, cos(0.4), 0, 0, sin(0.4)}, kept[7] = {7, 0, 0, 1, 0, 0, 0}, zero[4] = {0};
    CHECK_ARRAY(7, weld + 3, pose, TOL_EXACT);
    CHECK_ARRAY(7, written + 3, kept, TOL_EXACT);
    CHECK_ARRAY(4, m->equality_data + 11 + 6, zero, 0);
    tac_model_free(m);
}

/* Deriving again, in a workspace full of NaN, gives the same bits. */
static void deriving_twice(void **state) {
    (void)state;
    tacModel *m = robot_creature();
    size_t bytes = tac_work_bytes(m);
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    tacArena arena;
    tacWork work;
    uint64_t before = tac_model_hash(m);
    CHECK(memory != NULL);
    tac_arena_init(&arena, memory, bytes);
    CHECK(tac_work_layout(&work, m, &arena));
    CHECK_INT(arena.used, bytes);
    tac_arena_spoil(&arena);
    CHECK_INT(tac_model_reference(m, &work, NULL), TAC_OK);
    CHECK(tac_model_hash(m) == before);
    free(memory);
    tac_model_free(m);
}

/* A joint that moves nothing is named. */
static void singular_model(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacModel *m = NULL;
    tacError err;
    option.literal_inertia = 1;
    tac_model_set_option(b, &option);
    body.name = "ghost";
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = 0;
    body.inertia = (tacVec3){0, 0, 0};
    joint.name = "twist";
    tac_model_add_joint(b, tac_model_add_body(b, 0, &body), &joint);
    CHECK(tac_model_finish(b, &m, &err) != TAC_OK);
    CHECK(m == NULL);
    CHECK_HAS(err.text, "ghost");
    tac_builder_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hinge_weights),       cmocka_unit_test(free_weights),
        cmocka_unit_test(slider_weights),      cmocka_unit_test(springs_from_time_constants),
        cmocka_unit_test(damping_from_ratios), cmocka_unit_test(ratio_of_a_servo_that_pushes),
        cmocka_unit_test(tendon_rows),         cmocka_unit_test(equality_poses),
        cmocka_unit_test(deriving_twice),      cmocka_unit_test(singular_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
