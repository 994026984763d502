/* Builder, regrouping, layout. */
#include "model/sample.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static int find(const tacModel *m, tacKind kind, const char *name) {
    int id = tac_model_find(m, kind, name);
    CHECK(id >= 0);
    return id;
}

static void defaults_are_mujocos(void **state) {
    (void)state;
    tacGeomDef g = tac_default_geom();
    tacJointDef j = tac_default_joint();
    tacOptionDef o = tac_default_option();
    CHECK(g.type == TAC_GEOM_SPHERE && g.contype == 1 && g.conaffinity == 1 && g.condim == 3 && g.density == 1000);
    CHECK(g.friction[0] == 1 && g.friction[1] == 0.005 && g.friction[2] == 0.0001 && g.mesh == -1 && g.adds_mass == 1);
    CHECK(j.type == TAC_JOINT_HINGE && j.axis.z == 1 && j.solref_limit[0] == 0.02 && j.solimp_friction[1] == 0.95);
    CHECK(o.timestep == 0.002 && o.gravity.z == -9.81 && o.impratio == 1 && o.settotalmass == -1 &&
          o.iterations == 100);
    CHECK(tac_default_actuator().actdim == -1 && tac_default_actuator().gear[0] == 1);
    CHECK(tac_default_tendon().springlength[0] == -1 && tac_default_equality().data[10] == 1);
    CHECK(tac_default_pair().friction[1] == 1 && tac_default_site().size[2] == 0.005);
    CHECK(tac_default_mesh().scale.y == 1 && tac_default_body().iquat.w == 1 && tac_default_key().qpos == NULL);
}

static void empty_model(void **state) {
    (void)state;
    tacModel *m = assemble(tac_model_begin());
    CHECK_INT(m->nbody, 1);
    CHECK_INT(m->nv, 0);
    CHECK_INT(m->nM, 0);
    CHECK_STR(tac_model_name(m, TAC_KIND_BODY, 0), "world");
    CHECK_INT((long)((uintptr_t)m % 64), 0);
    tac_model_free(m);
}

/* Joints by body: root (torso), ball, slide (arm), hinge (tip): qpos 7 4 1 1, dofs 6 3 1 1. */
static void joints_are_regrouped(void **state) {
    (void)state;
    tacModel *m = sample_model();
    const char *order[] = {"root", "ball", "slide", "hinge"};
    const int qpos[] = {0, 7, 11, 12}, dof[] = {0, 6, 9, 10}, body[] = {1, 2, 2, 3};
    for (int i = 0; i < 4; i++) {
        CHECK_STR(tac_model_name(m, TAC_KIND_JOINT, i), order[i]);
        CHECK_INT(m->joint_qpos_adr[i], qpos[i]);
        CHECK_INT(m->joint_dof_adr[i], dof[i]);
        CHECK_INT(m->joint_body[i], body[i]);
    }
    CHECK_INT(m->nq, 13);
    CHECK_INT(m->nv, 11);
    CHECK_INT(m->body_joint_adr[2], 1);
    CHECK_INT(m->body_joint_num[2], 2);
    CHECK_INT(m->body_dof_adr[3], 10);
    CHECK_INT(m->body_dof_num[4], 0);
    CHECK_INT(m->body_last_dof[0], -1);
    CHECK_INT(m->body_last_dof[2], 9);
    CHECK_INT(m->body_last_dof[find(m, TAC_KIND_BODY, "pan")], 10);
    CHECK_INT(m->body_root[3], 1);
    CHECK_INT(m->body_weld[find(m, TAC_KIND_BODY, "pan")], 3);
    CHECK_INT(m->body_weld[4], 4);
    tac_model_free(m);
}

static void dofs_form_chains(void **state) {
    (void)state;
    tacModel *m = sample_model();
    int entries = 0;
    for (int i = 0; i < m->nv; i++) {
        CHECK_INT(m->dof_parent[i], i - 1); /* one chain: torso, arm, tip */
        CHECK_INT(m->dof_depth[i], i + 1);
        CHECK_INT(m->dof_M_adr[i], entries);
        entries += i + 1;
    }
    CHECK_INT(m->nM, entries);
    CHECK_INT(m->dof_joint[8], 1);
    CHECK_INT(m->dof_body[9], 2);
    tac_model_free(m);
}

/* Two children of one body start their chains from the same dof, and bodies need not be depth first. */
static void branches_share_their_parent(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacGeomDef geom = tac_default_geom();
    geom.size[0] = 0.1;
    int root = tac_model_add_body(b, 0, &body), left = tac_model_add_body(b, root, &body);
    int right = tac_model_add_body(b, root, &body), below = tac_model_add_body(b, left, &body);
    for (int i = 1; i <= 4; i++) {
        tac_model_add_joint(b, i, &joint);
        tac_model_add_geom(b, i, &geom);
    }
    tacModel *m = assemble(b);
    const int parent[] = {-1, 0, 0, 1}, depth[] = {1, 2, 2, 3}, adr[] = {0, 1, 3, 5};
    for (int i = 0; i < 4; i++) {
        CHECK_INT(m->dof_parent[i], parent[i]);
        CHECK_INT(m->dof_depth[i], depth[i]);
        CHECK_INT(m->dof_M_adr[i], adr[i]);
    }
    CHECK_INT(m->nM, 8);
    CHECK_INT(m->body_last_dof[right], 2);
    CHECK_INT(m->body_last_dof[below], 3);
    tac_model_free(m);
}

static void references_follow(void **state) {
    (void)state;
    tacModel *m = sample_model();
    int hinge = find(m, TAC_KIND_JOINT, "hinge"), slide = find(m, TAC_KIND_JOINT, "slide");
    CHECK_INT(m->term_joint[0], hinge);
    CHECK_INT(m->term_joint[1], slide);
    CHECK(m->term_coef[0] == 2 && m->term_coef[1] == -1);
    CHECK_INT(m->actuator_trnid[0], slide);
    CHECK_INT(m->actuator_trnid[2], 0);
    CHECK_INT(m->actuator_trnid[4], find(m, TAC_KIND_SITE, "hand"));
    CHECK_INT(m->actuator_trnid[5], -1);
    CHECK_INT(m->equality_obj[0], slide);
    CHECK_INT(m->equality_obj[1], hinge);
    CHECK_INT(m->pair_geom[0], find(m, TAC_KIND_GEOM, "capsule"));
    CHECK_INT(m->pair_geom[1], find(m, TAC_KIND_GEOM, "box"));
    CHECK_INT(find(m, TAC_KIND_GEOM, "floor"), 0);
    CHECK_INT(m->geom_body[m->pair_geom[0]], 2);
    CHECK_INT(m->body_site_num[1], 1);
    CHECK_STR(m->all_names + m->sensor_tag[0], "jointpos");
    CHECK_INT(m->na, 1);
    CHECK_INT(m->actuator_act_adr[0], -1);
    CHECK_INT(m->actuator_act_adr[1], 0);
    CHECK_INT(m->nmocap, 1);
    CHECK_INT(m->mocap_body[0], find(m, TAC_KIND_BODY, "target"));
    tac_model_free(m);
}

/* A key's numbers are in the order in which joints were added: hinge 1, ball 4, slide 1, root 7. */
static void keys_follow(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    double qpos[13], qvel[11];
    for (int i = 0; i < 13; i++)
        qpos[i] = i + 1;
    for (int i = 0; i < 11; i++)
        qvel[i] = -i - 1;
    tacKeyDef key = tac_default_key();
    key.qpos = qpos;
    key.qvel = qvel;
    CHECK_INT(tac_model_add_key(b, &key), 1);
    qpos[0] = 99; /* copied */
    tacModel *m = assemble(b);
    const double expected_q[] = {7, 8, 9, 10, 11, 12, 13, 2, 3, 4, 5, 6, 1};
    const double expected_v[] = {-6, -7, -8, -9, -10, -11, -2, -3, -4, -5, -1};
    CHECK_ARRAY(13, m->key_qpos + 13, expected_q, 0);
    CHECK_ARRAY(11, m->key_qvel + 11, expected_v, 0);
    CHECK_ARRAY(13, m->key_qpos, m->qpos_0, 0); /* the other key gave nothing */
    CHECK(m->key_mpos[1].x == 1 && m->key_mquat[0].w == 1);
    tac_model_free(m);
}

static void keys_come_last(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    tacJointDef joint = tac_default_joint();
    tac_model_add_joint(b, 3, &joint);
    tacError err = assemble_error(b);
    CHECK_INT(err.kind, TAC_KIND_KEY);
    CHECK_INT(err.id, 0);
    CHECK_HAS(err.text, "'home'");
    CHECK_HAS(err.text, "expected after all joints");
}

static void units_are_normalized_once(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    body.quat = (tacQuat){2, 0, 0, 0};
    tac_model_add_body(b, 0, &body);
    body.quat = (tacQuat){0.5, 0.5, -0.5, 0.5};
    tac_model_add_body(b, 0, &body);
    body.quat = (tacQuat){0.1, 0.2, 0.3, 0.4};
    tac_model_add_body(b, 0, &body);
    tacModel *m = assemble(b);
    CHECK(m->body_quat[1].w == 1);
    CHECK(m->body_quat[2].y == -0.5);
    tacQuat once = m->body_quat[3];
    tac_model_free(m);
    b = tac_model_begin();
    body.quat = once;
    tac_model_add_body(b, 0, &body);
    m = assemble(b);
    CHECK(memcmp(&m->body_quat[1], &once, sizeof once) == 0); /* not one bit */
    tac_model_free(m);
    m = sample_model();
    CHECK_NEAR(m->joint_axis[2].y, 0.6, 1e-16);
    CHECK_NEAR(m->joint_axis[2].z, 0.8, 1e-16);
    CHECK(m->joint_axis[0].z == 1 && m->joint_axis[1].z == 1); /* free, ball: none */
    tac_model_free(m);
}

static void first_error_stays(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    body.name = "lost";
    CHECK_INT(tac_model_add_body(b, 7, &body), -1);
    CHECK_INT(tac_model_add_body(b, 0, &body), -1);
    CHECK_INT(tac_model_add_geom(b, 0, NULL), -1);
    tacError err = assemble_error(b);
    CHECK_INT(err.kind, TAC_KIND_BODY);
    CHECK_INT(err.id, 1);
    CHECK_STR(err.text, "body 'lost': parent 7 does not exist, expected 0 to 0");
}

static void missing_arguments(void **state) {
    (void)state;
    tacModel *m = NULL;
    tacError err;
    CHECK_INT(tac_model_add_body(NULL, 0, NULL), -1);
    CHECK_INT(tac_model_add_sensor(NULL, NULL, NULL), -1);
    tac_model_set_option(NULL, NULL);
    tac_builder_free(NULL);
    tac_model_free(NULL);
    CHECK_INT(tac_model_assemble(NULL, &m, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_model_copy(NULL, &m, NULL), TAC_ERR_ARGUMENT);
    tacBuilder *b = tac_model_begin();
    CHECK_INT(tac_model_add_joint(b, 0, NULL), -1);
    err = assemble_error(b);
    CHECK_INT(err.status, TAC_ERR_ARGUMENT);
    CHECK_STR(err.text, "a joint was added without a definition");
    b = tac_model_begin();
    tacMeshDef mesh = cube_mesh(TAC_MESH_EXACT);
    mesh.face = NULL;
    CHECK_INT(tac_model_add_mesh(b, &mesh), -1);
    CHECK_HAS(assemble_error(b).text, "mesh 'cube': a count does not match its array");
    b = tac_model_begin();
    tacTendonDef tendon = tac_default_tendon();
    tendon.nterm = 1;
    CHECK_INT(tac_model_add_tendon(b, &tendon), -1);
    CHECK_HAS(assemble_error(b).text, "tendon 0: 1 terms do not match");
}

/* The builder can go on after a model was made of it, and makes the same model twice. */
static void builder_stays_valid(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    tacModel *first = NULL, *second = NULL;
    CHECK_INT(tac_model_assemble(b, &first, NULL), TAC_OK);
    CHECK_INT(tac_model_assemble(b, &second, NULL), TAC_OK);
    CHECK(tac_model_hash(first) == tac_model_hash(second));
    tac_model_free(second);
    tac_model_add_sensor(b, "gyro", NULL);
    second = assemble(b);
    CHECK_INT(second->nsensor, 2);
    CHECK(tac_model_hash(first) != tac_model_hash(second));
    tac_model_free(first);
    tac_model_free(second);
}

static void copies_are_deep(void **state) {
    (void)state;
    tacModel *m = sample_model(), *copy = NULL;
    CHECK_INT(tac_param_register(m, "body/tip.mass", NULL, NULL), TAC_OK);
    CHECK_INT(tac_model_copy(m, &copy, NULL), TAC_OK);
    CHECK(tac_model_hash(copy) == tac_model_hash(m));
    CHECK_INT((long)(copy->bytes - m->bytes), 0);
    copy->body_mass[2] += 1;
    CHECK(tac_model_hash(copy) != tac_model_hash(m));
    tac_model_free(copy);
    void *memory = aligned_alloc(64, m->bytes);
    memset(memory, 0xff, m->bytes);
    copy = tac_model_copy_into(m, memory);
    CHECK(tac_model_hash(copy) == tac_model_hash(m));
    CHECK((char *)copy->body_mass > (char *)memory && (char *)copy->param_index < (char *)memory + m->bytes);
    CHECK_INT((long)((uintptr_t)copy->qpos_0 % 64), 0);
    free(memory);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_mujocos),
        cmocka_unit_test(empty_model),
        cmocka_unit_test(joints_are_regrouped),
        cmocka_unit_test(dofs_form_chains),
        cmocka_unit_test(branches_share_their_parent),
        cmocka_unit_test(references_follow),
        cmocka_unit_test(keys_follow),
        cmocka_unit_test(keys_come_last),
        cmocka_unit_test(units_are_normalized_once),
        cmocka_unit_test(first_error_stays),
        cmocka_unit_test(missing_arguments),
        cmocka_unit_test(builder_stays_valid),
        cmocka_unit_test(copies_are_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
