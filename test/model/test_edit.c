/* A model back in a builder: unchanged, with more, with less, and as a part of another. */
#include "model/sample.h"
#include "support/check.h"

#include "math/quat.h"

/* Poses of a few bodies: rounding of a handful of rotations. */
#define POSE_TOL 1e-14

static tacModel *finish(tacBuilder *b) {
    tacModel *m = NULL;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

static tacBuilder *edit(const tacModel *m) {
    tacBuilder *b = NULL;
    tacError err;
    if (tac_model_edit(m, &b, &err) != TAC_OK) fail_msg("%s", err.text);
    return b;
}

static void remove_named(tacBuilder *b, tacKind kind, const char *name) {
    tacError err;
    if (tac_model_remove(b, kind, tac_builder_find(b, kind, name), &err) != TAC_OK) fail_msg("%s", err.text);
}

static void unchanged_is_the_same_model(void **state) {
    (void)state;
    tacModel *m = finish(sample_builder());
    CHECK(tac_param_set(m, "body/torso.mass", 3.5, NULL) == TAC_OK);
    CHECK(tac_param_set(m, "mesh/cube.scale[0]", 0.15, NULL) == TAC_OK);
    tacModel *again = finish(edit(m));
    CHECK(tac_model_hash(again) == tac_model_hash(m));
    tac_model_free(again), tac_model_free(m);
}

/* A mirrored mesh has its triangles turned when it is built: twice is not. */
static void mirrored_mesh_stays(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    tacMeshDef mesh = cube_mesh(TAC_MESH_EXACT);
    mesh.name = "mirror";
    mesh.scale = (tacVec3){-0.1, 0.2, 0.3};
    tac_model_add_mesh(b, &mesh);
    tacModel *m = finish(b), *again = finish(edit(m));
    CHECK(tac_model_hash(again) == tac_model_hash(m));
    tac_model_free(again), tac_model_free(m);
}

/* What is added to an edited model is the same as built at once; its keyframe gives the new joint its ref. */
static void added_as_built_at_once(void **state) {
    (void)state;
    tacModel *m = finish(sample_builder());
    tacBuilder *b = edit(m);
    tacBodyDef body = tac_default_body();
    body.name = "extra", body.inertial = TAC_INERTIAL_DIAG, body.mass = 1, body.inertia = (tacVec3){1, 1, 1};
    tacJointDef joint = tac_default_joint();
    joint.name = "turn", joint.ref = 0.75;
    tacGeomDef geom = tac_default_geom();
    geom.name = "ball", geom.size[0] = 0.1;
    tacActuatorDef motor = tac_default_actuator();
    motor.name = "spin";
    int extra = tac_model_add_body(b, tac_builder_find(b, TAC_KIND_BODY, "pan"), &body);
    motor.trnid[0] = tac_model_add_joint(b, extra, &joint);
    tac_model_add_geom(b, extra, &geom);
    tac_model_add_actuator(b, &motor);
    tacModel *more = finish(b);
    CHECK_INT(more->nv, m->nv + 1);
    CHECK_INT(more->nu, m->nu + 1);
    CHECK_INT(more->ngeom, m->ngeom + 1);
    CHECK_STR(tac_model_name(more, TAC_KIND_JOINT, more->actuator_trnid[2 * m->nu]), "turn");
    CHECK_NEAR(more->key_qpos[more->joint_qpos_adr[tac_model_find(more, TAC_KIND_JOINT, "turn")]], 0.75, 0);
    /* and taken out again, it is as it was */
    b = edit(more);
    remove_named(b, TAC_KIND_BODY, "extra");
    CHECK_INT(tac_builder_find(b, TAC_KIND_ACTUATOR, "spin"), -1);
    tacModel *again = finish(b);
    CHECK(tac_model_hash(again) == tac_model_hash(m));
    tac_model_free(again), tac_model_free(more), tac_model_free(m);
}

static void removing_takes_what_refers(void **state) {
    (void)state;
    tacModel *m = finish(sample_builder());
    tacBuilder *b = edit(m);
    remove_named(b, TAC_KIND_JOINT, "hinge"); /* cable hangs on it, and pull on the cable; couple couples it */
    CHECK_INT(tac_builder_count(b, TAC_KIND_TENDON), 0);
    CHECK_INT(tac_builder_find(b, TAC_KIND_ACTUATOR, "pull"), -1);
    CHECK_INT(tac_builder_count(b, TAC_KIND_EQUALITY), 0);
    CHECK_INT(tac_builder_count(b, TAC_KIND_ACTUATOR), 2);
    remove_named(b, TAC_KIND_MESH, "cube");
    CHECK_INT(tac_builder_count(b, TAC_KIND_GEOM), m->ngeom - 1);
    tacModel *less = finish(b);
    CHECK_INT(less->nv, m->nv - 1);
    CHECK_INT(less->na, 0);
    CHECK_STR(tac_model_name(less, TAC_KIND_SITE, less->actuator_trnid[2]), "hand");
    CHECK_STR(tac_model_name(less, TAC_KIND_JOINT, less->actuator_trnid[0]), "slide");
    b = edit(m);
    remove_named(b, TAC_KIND_GEOM, "box");
    CHECK_INT(tac_builder_count(b, TAC_KIND_PAIR), 0);
    remove_named(b, TAC_KIND_BODY, "arm"); /* tip and pan hang on it */
    CHECK_INT(tac_builder_count(b, TAC_KIND_BODY), 3);
    CHECK_INT(tac_builder_count(b, TAC_KIND_EXCLUDE), 0);
    CHECK_INT(tac_builder_count(b, TAC_KIND_ACTUATOR), 0);
    CHECK_INT(tac_builder_count(b, TAC_KIND_SENSOR), 1);
    tac_builder_free(b);
    tac_model_free(less), tac_model_free(m);
}

/* Keyframes lose the numbers of what goes, and those of the rest stay with their joints. */
static void keyframes_follow(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    double qpos[13], ctrl[3] = {1, 2, 3}, act[1] = {0.5};
    const tacVec3 mpos[1] = {{4, 5, 6}};
    tacKeyDef key = tac_default_key();
    for (int i = 0; i < 13; i++)
        qpos[i] = i + 1;
    key.name = "mark", key.qpos = qpos, key.ctrl = ctrl, key.act = act, key.mpos = mpos;
    tac_model_add_key(b, &key);
    tacModel *m = finish(b);
    int k = tac_model_find(m, TAC_KIND_KEY, "mark");
    b = edit(m);
    remove_named(b, TAC_KIND_JOINT, "ball");
    remove_named(b, TAC_KIND_ACTUATOR, "motor");
    remove_named(b, TAC_KIND_BODY, "target");
    tacModel *less = finish(b);
    CHECK_INT(less->nq, 9);
    CHECK_INT(less->nmocap, 0);
    for (int j = 0; j < less->njnt; j++) {
        int old = tac_model_find(m, TAC_KIND_JOINT, tac_model_name(less, TAC_KIND_JOINT, j));
        CHECK_NEAR(less->key_qpos[k * less->nq + less->joint_qpos_adr[j]],
                   m->key_qpos[k * m->nq + m->joint_qpos_adr[old]], 0);
    }
    CHECK_NEAR(less->key_ctrl[k * less->nu], 2, 0);
    CHECK_NEAR(less->key_ctrl[k * less->nu + 1], 3, 0);
    CHECK_NEAR(less->key_act[k * less->na], 0.5, 0);
    tacModel *again = finish(edit(less)); /* its keyframe gave the pose of a mocap body that is gone */
    CHECK(tac_model_hash(again) == tac_model_hash(less));
    tac_model_free(again), tac_model_free(less), tac_model_free(m);
}

/* A keyframe that gave coordinates stays when no joint is left, and so does the hash of what is left. */
static void keyframes_outlive_joints(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    double qpos[13] = {0};
    tacKeyDef key = tac_default_key();
    key.name = "mark", key.time = 0.25, key.qpos = qpos;
    tac_model_add_key(b, &key);
    tacError err;
    while (tac_builder_count(b, TAC_KIND_BODY) > 1)
        CHECK(tac_model_remove(b, TAC_KIND_BODY, 1, &err) == TAC_OK);
    tacModel *less = finish(b), *again = finish(edit(less));
    int k = tac_model_find(less, TAC_KIND_KEY, "mark");
    CHECK_INT(less->nq, 0);
    CHECK_NEAR(less->key_time[k], 0.25, 0);
    CHECK_INT(less->key_given[k], 0);
    CHECK(tac_model_hash(again) == tac_model_hash(less));
    tac_model_free(again), tac_model_free(less);
}

static void removal_refuses(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    tacError err;
    CHECK(tac_model_remove(b, TAC_KIND_BODY, 0, &err) == TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "world");
    CHECK(tac_model_remove(b, TAC_KIND_GEOM, 99, &err) == TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "geom 99 does not exist");
    CHECK(tac_model_remove(b, TAC_KIND_OPTION, 0, &err) == TAC_ERR_ARGUMENT);
    CHECK(tac_model_remove(b, TAC_KIND_BODY, tac_builder_find(b, TAC_KIND_BODY, "nobody"), &err) == TAC_ERR_ARGUMENT);
    CHECK_INT(tac_builder_count(b, TAC_KIND_GEOM), 4);
    tac_builder_free(b);
}

/* --- Attaching ---------------------------------------------------------------------------------------------------- */

static void body_poses(tacModel *m, int key, tacVec3 *pos, tacQuat *quat) {
    tacOptions options = tac_default_options(m);
    tacSim *sim = NULL;
    double x[64];
    tacKinematics out = {.xpos = pos, .xquat = quat};
    options.contact = TAC_CONTACT_MODEL_NONE;
    CHECK(tac_sim_new(m, &options, &sim, NULL) == TAC_OK);
    CHECK(tac_key_state(m, &options, key, x, NULL, NULL) == TAC_OK);
    CHECK(tac_kinematics(sim, x, NULL, &out) == TAC_OK);
    tac_sim_free(sim);
}

/* Into an empty world at a pose: all bodies, at a keyframe's state, move by that pose. */
static void attached_moves_as_one(void **state) {
    (void)state;
    enum { MOST = 16 };
    tacModel *m = finish(sample_builder());
    tacBuilder *b = tac_model_begin();
    tacAttachDef at = tac_default_attach();
    tacVec3 pos[MOST], moved_pos[MOST];
    tacQuat quat[MOST], moved_quat[MOST];
    at.prefix = "left/";
    at.pos = (tacVec3){1, -2, 0.5};
    at.quat = tac_quat_axis_angle((tacVec3){0.6, 0, 0.8}, 0.7);
    CHECK(tac_model_attach(b, 0, m, &at, NULL) == TAC_OK);
    at.prefix = NULL;
    at.suffix = "/right";
    at.pos = (tacVec3){3, 0, 0};
    CHECK(tac_model_attach(b, 0, m, &at, NULL) == TAC_OK);
    tacModel *two = finish(b);
    CHECK_INT(two->nbody, 2 * m->nbody - 1);
    CHECK_STR(tac_model_name(two, TAC_KIND_BODY, tac_model_find(two, TAC_KIND_BODY, "torso/right")), "torso/right");
    CHECK_INT(tac_model_find(two, TAC_KIND_BODY, "left/torso/right"), -1);
    CHECK_INT(two->nv, 2 * m->nv);
    CHECK_INT(two->nu, 2 * m->nu);
    CHECK_INT(two->nkey, 2 * m->nkey);
    body_poses(m, 0, pos, quat);
    body_poses(two, 1, moved_pos, moved_quat);
    for (int i = 1; i < m->nbody; i++) {
        int k = m->nbody - 1 + i; /* of the second copy */
        tacVec3 p = tac_add3(at.pos, tac_quat_rotate(at.quat, pos[i]));
        tacQuat q = tac_quat_mul(at.quat, quat[i]);
        CHECK_ARRAY(3, &moved_pos[k], &p, POSE_TOL);
        CHECK_ARRAY(4, &moved_quat[k], &q, POSE_TOL);
    }
    CHECK(tac_model_find(two, TAC_KIND_ACTUATOR, "left/pull") >= 0 &&
          tac_model_find(two, TAC_KIND_MESH, "cube/right") >= 0);
    CHECK_STR(tac_model_name(two, TAC_KIND_TENDON, two->actuator_trnid[2 * (m->nu + 1)]), "cable/right");
    /* the floor of the attached world stands on the world, where the pose puts it */
    CHECK_INT(two->geom_body[tac_model_find(two, TAC_KIND_GEOM, "floor/right")], 0);
    tac_model_free(two), tac_model_free(m);
}

/* A subtree: what refers to the rest stays behind. */
static void attached_subtree(void **state) {
    (void)state;
    tacModel *m = finish(sample_builder());
    tacBuilder *b = edit(m);
    tacAttachDef at = tac_default_attach();
    at.prefix = "b_";
    at.body = tac_model_find(m, TAC_KIND_BODY, "arm");
    CHECK(tac_model_attach(b, tac_builder_find(b, TAC_KIND_BODY, "pan"), m, &at, NULL) == TAC_OK);
    tacModel *more = finish(b);
    CHECK_INT(more->nbody, m->nbody + 3);
    CHECK_INT(more->nv, m->nv + 5);
    CHECK_INT(more->ntendon, 2);
    CHECK_INT(more->npair, 1); /* touch has a geom of the torso */
    CHECK_INT(more->nkey, 1);
    CHECK_STR(tac_model_name(more, TAC_KIND_BODY, more->body_parent[tac_model_find(more, TAC_KIND_BODY, "b_arm")]),
              "pan");
    tac_model_free(more), tac_model_free(m);
}

static void attaching_refuses(void **state) {
    (void)state;
    tacModel *m = finish(sample_builder()), *made = NULL;
    tacBuilder *b = edit(m);
    tacAttachDef at = tac_default_attach();
    tacError err;
    CHECK(tac_model_attach(b, 99, m, &at, &err) == TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "parent body 99 does not exist");
    at.quat = (tacQuat){0};
    CHECK(tac_model_attach(b, 0, m, &at, &err) == TAC_ERR_ARGUMENT);
    at = tac_default_attach();
    CHECK(tac_model_attach(b, 0, m, &at, &err) == TAC_OK); /* no prefix: names are taken */
    CHECK(tac_model_finish(b, &made, &err) == TAC_ERR_MODEL);
    CHECK_HAS(err.text, "the name is taken");
    tac_builder_free(b);
    b = edit(m);
    at.prefix = "c_";
    CHECK(tac_model_attach(b, 1, m, &at, &err) == TAC_OK); /* a free joint on a body */
    CHECK(tac_model_finish(b, &made, &err) == TAC_ERR_MODEL);
    tac_builder_free(b), tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_is_the_same_model),
        cmocka_unit_test(mirrored_mesh_stays),
        cmocka_unit_test(added_as_built_at_once),
        cmocka_unit_test(removing_takes_what_refers),
        cmocka_unit_test(keyframes_follow),
        cmocka_unit_test(keyframes_outlive_joints),
        cmocka_unit_test(removal_refuses),
        cmocka_unit_test(attached_moves_as_one),
        cmocka_unit_test(attached_subtree),
        cmocka_unit_test(attaching_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
