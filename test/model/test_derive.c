/* Bodies: where mass and inertia come from, bounds, totals; coordinates. */
#include "math/eig3.h"
#include "model/sample.h"
#include "support/check.h"

#include <math.h>

#define TOL      1e-14
#define TOL_AXES 1e-7 /* principal axes are right to 1.5e-6 rad (math/eig3.h), times differences of 0.05 kg m^2 */

/* A builder with one body made by this definition, fixed or on a hinge. */
static tacBuilder *one_body(const tacBodyDef *def, const tacOptionDef *option, int moves) {
    tacBuilder *b = tac_model_begin();
    tac_model_add_body(b, 0, def);
    if (option != NULL) tac_model_set_option(b, option);
    tacJointDef joint = tac_default_joint();
    if (moves) tac_model_add_joint(b, 1, &joint);
    return b;
}

static tacBodyDef diag_body(double mass, double x, double y, double z) {
    tacBodyDef body = tac_default_body();
    body.name = "lump";
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = mass;
    body.inertia = (tacVec3){x, y, z};
    return body;
}

/* iquat diag iquat^T */
static tacSym3 rebuilt(const tacModel *m, int body) {
    tacVec3 d = m->body_inertia[body];
    return tac_rotatesym3(tac_quat_mat(m->body_iquat[body]), (tacSym3){d.x, d.y, d.z, 0, 0, 0});
}

/* One geom alone keeps its frame: no principal axes are computed. */
static void one_geom_keeps_its_frame(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tac_model_add_body(b, 0, &body);
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_BOX;
    geom.size[0] = 0.3, geom.size[1] = 0.2, geom.size[2] = 0.1;
    geom.quat = (tacQuat){0.5, -0.5, 0.5, 0.5};
    tac_model_add_geom(b, 1, &geom);
    tacModel *m = assemble(b);
    CHECK(m->body_iquat[1].x == -0.5 && m->body_iquat[1].z == 0.5);
    CHECK(m->body_inertia[1].x < m->body_inertia[1].y && m->body_inertia[1].y < m->body_inertia[1].z);
    tacSym3 I = rebuilt(m, 1);
    CHECK_ARRAY(6, &m->body_icom[1], &I, TOL);
    tac_model_free(m);
}

/* Two equal boxes that make one long box together. */
static void several_geoms_add_up(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tac_model_add_body(b, 0, &body);
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_BOX;
    geom.size[0] = 0.1, geom.size[1] = 0.2, geom.size[2] = 0.3;
    geom.pos = (tacVec3){0.5, 0, 0.3};
    tac_model_add_geom(b, 1, &geom);
    geom.pos.z = -0.3;
    tac_model_add_geom(b, 1, &geom);
    tacModel *m = assemble(b);
    const double mass = 96, com[3] = {0.5, 0, 0};
    const double I[6] = {32 * (0.04 + 0.36), 32 * (0.01 + 0.36), 32 * 0.05, 0, 0, 0};
    CHECK_NEAR(m->body_mass[1], mass, 96 * TOL);
    CHECK_ARRAY(3, &m->body_ipos[1], com, TOL);
    CHECK_ARRAY(6, &m->body_icom[1], I, TOL);
    CHECK_NEAR(m->body_inertia[1].x, I[0], 96 * TOL);
    CHECK_NEAR(m->body_inertia[1].z, I[2], 96 * TOL);
    tac_model_free(m);
}

/* A full tensor in the axes of inertial quat: icom = R full R^T, the same for a turned description of the same body. */
static void full_inertia(void **state) {
    (void)state;
    tacBodyDef body = tac_default_body();
    body.inertial = TAC_INERTIAL_FULL;
    body.mass = 2;
    body.fullinertia = (tacSym3){0.02, 0.03, 0.04, 0.001, 0.002, 0.003};
    tacModel *m = assemble(one_body(&body, NULL, 1));
    CHECK_ARRAY(6, &m->body_icom[1], &body.fullinertia, 0);
    tacSym3 I = rebuilt(m, 1);
    CHECK_ARRAY(6, &I, &body.fullinertia, TOL_AXES);
    CHECK(m->body_inertia[1].x >= m->body_inertia[1].y && m->body_inertia[1].y >= m->body_inertia[1].z);
    tac_model_free(m);
    body.iquat = (tacQuat){0.5, 0.5, 0.5, 0.5}; /* x -> y -> z -> x */
    m = assemble(one_body(&body, NULL, 1));
    const double turned[6] = {0.04, 0.02, 0.03, 0.002, 0.003, 0.001};
    CHECK_ARRAY(6, &m->body_icom[1], turned, TOL);
    I = rebuilt(m, 1);
    CHECK_ARRAY(6, &I, turned, TOL_AXES);
    tac_model_free(m);
}

static void bounds(void **state) {
    (void)state;
    tacBodyDef body = diag_body(0.001, 1e-6, 2e-6, 1e-2);
    tacOptionDef option = tac_default_option();
    option.boundmass = 0.1;
    option.boundinertia = 0.006;
    tacModel *m = assemble(one_body(&body, &option, 1));
    const double I[3] = {0.006, 0.006, 0.01};
    CHECK_NEAR(m->body_mass[1], 0.1, 0);
    CHECK_ARRAY(3, &m->body_inertia[1], I, 0);
    CHECK_NEAR(m->body_icom[1].yy, 0.006, TOL);
    tac_model_free(m);
}

static void balance(void **state) {
    (void)state;
    tacBodyDef body = diag_body(1, 1, 2, 6);
    tacError err = assemble_error(one_body(&body, NULL, 0));
    CHECK_INT(err.kind, TAC_KIND_BODY);
    CHECK_INT(err.id, 1);
    CHECK_STR(err.text, "body 'lump': inertia is 1 2 6, expected the triangle inequality to hold");
    tacOptionDef option = tac_default_option();
    option.balanceinertia = 1;
    tacModel *m = assemble(one_body(&body, &option, 1));
    CHECK(m->body_inertia[1].x == 3 && m->body_inertia[1].y == 3 && m->body_inertia[1].z == 3);
    CHECK_NEAR(m->body_icom[1].zz, 3, TOL);
    tac_model_free(m);
    body = diag_body(1, 1, 2, 3); /* a flat body is on the edge of what is possible */
    m = assemble(one_body(&body, NULL, 1));
    CHECK(m->body_inertia[1].z == 3);
    tac_model_free(m);
}

/* URDF: whatever the sign; body_icom is the written tensor, turned. */
static void literal_inertia(void **state) {
    (void)state;
    tacBodyDef body = tac_default_body();
    body.inertial = TAC_INERTIAL_FULL;
    body.mass = 2;
    body.fullinertia = (tacSym3){0.02, -0.03, 0, 0.1, 0.2, 0.3};
    tacOptionDef option = tac_default_option();
    option.literal_inertia = 1;
    tacModel *m = assemble(one_body(&body, &option, 1));
    CHECK_ARRAY(6, &m->body_icom[1], &body.fullinertia, 0);
    tacSym3 I = rebuilt(m, 1);
    CHECK_ARRAY(6, &I, &body.fullinertia, TOL_AXES);
    CHECK(m->body_inertia[1].z < 0);
    tac_model_free(m);
    body = diag_body(0, 0, 0, 0); /* zero mass: the dynamics find out whether that is singular */
    m = assemble(one_body(&body, &option, 1));
    CHECK(m->body_mass[1] == 0);
    tac_model_free(m);
    body.mass = -1;
    CHECK_STR(assemble_error(one_body(&body, &option, 1)).text, "body 'lump': mass is -1, expected zero or more");
}

static void total_mass(void **state) {
    (void)state;
    tacBuilder *b = sample_builder();
    tacModel *plain = NULL;
    CHECK_INT(tac_model_assemble(b, &plain, NULL), TAC_OK);
    tacOptionDef option = tac_default_option();
    option.settotalmass = 10;
    tac_model_set_option(b, &option);
    tacModel *m = assemble(b);
    double scale = 10 / plain->body_subtree_mass[0];
    CHECK_NEAR(m->body_subtree_mass[0], 10, 10 * TOL);
    for (int i = 1; i < m->nbody; i++) {
        CHECK_NEAR(m->body_mass[i], scale * plain->body_mass[i], 10 * TOL);
        CHECK_NEAR(m->body_inertia[i].x, scale * plain->body_inertia[i].x, TOL);
        CHECK_NEAR(m->body_icom[i].yz, scale * plain->body_icom[i].yz, TOL);
        CHECK(m->body_ipos[i].x == plain->body_ipos[i].x);
    }
    tac_model_free(plain);
    tac_model_free(m);
}

static void subtrees(void **state) {
    (void)state;
    tacModel *m = sample_model();
    double sum = 0;
    for (int i = 0; i < m->nbody; i++)
        sum += m->body_mass[i];
    CHECK(sum > 0.8);
    CHECK_NEAR(m->body_subtree_mass[0], sum, sum * TOL);
    CHECK_NEAR(m->body_subtree_mass[3], 0.8, TOL); /* tip 0.3 + pan 0.5 */
    CHECK_NEAR(m->body_subtree_mass[1], sum, sum * TOL);
    CHECK(m->body_subtree_mass[4] == 0);
    tac_model_free(m);
}

/* A moving body may weigh nothing only where something welded to it does. */
static void moving_bodies_have_inertia(void **state) {
    (void)state;
    tacBodyDef body = diag_body(1, 0, 0, 0);
    tacError err = assemble_error(one_body(&body, NULL, 1));
    CHECK_STR(err.text, "body 'lump': moving body has mass 1 and inertia 0 0 0, expected each to be at least 1e-15");
    tacModel *m = assemble(one_body(&body, NULL, 0));
    CHECK(m->body_mass[1] == 1);
    tac_model_free(m);
    tacBuilder *b = one_body(&body, NULL, 1);
    tacBodyDef child = diag_body(1, 1, 1, 1);
    child.name = "child";
    tac_model_add_body(b, 1, &child);
    m = assemble(b);
    CHECK(m->body_subtree_mass[1] == 2);
    tac_model_free(m);
    b = one_body(&body, NULL, 1);
    tacJointDef joint = tac_default_joint();
    tac_model_add_joint(b, tac_model_add_body(b, 1, &child), &joint); /* a joint between: no help */
    CHECK_HAS(assemble_error(b).text, "body 'lump'");
}

static void coordinates(void **state) {
    (void)state;
    tacModel *m = sample_model();
    const double q0[13] = {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0.25, 0.25};
    const double spring[13] = {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5};
    CHECK_ARRAY(13, m->qpos_0, q0, 0);
    CHECK_ARRAY(13, m->qpos_spring, spring, 0);
    for (int i = 0; i < m->nv; i++)
        CHECK(m->dof_damping[i] == 0.1 && m->dof_armature[i] == 0);
    tac_model_free(m);
}

/* Deriving is a function: the same rows whatever DERIVED rows held. */
static void deriving_again_changes_nothing(void **state) {
    (void)state;
    tacModel *m = sample_model();
    const double nan = (double)NAN;
    uint64_t before = tac_model_hash(m);
    for (int i = 0; i < m->nbody; i++)
        m->body_mass[i] = i > 0 ? nan : 0, m->body_subtree_mass[i] = nan, m->body_inertia[i].z = i > 0 ? nan : 0;
    m->mesh_volume[0] = m->qpos_0[12] = m->dof_damping[3] = nan;
    CHECK_INT(tac_model_derive(m, NULL), TAC_OK);
    CHECK(tac_model_hash(m) == before);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_geom_keeps_its_frame),
        cmocka_unit_test(several_geoms_add_up),
        cmocka_unit_test(full_inertia),
        cmocka_unit_test(bounds),
        cmocka_unit_test(balance),
        cmocka_unit_test(literal_inertia),
        cmocka_unit_test(total_mass),
        cmocka_unit_test(subtrees),
        cmocka_unit_test(moving_bodies_have_inertia),
        cmocka_unit_test(coordinates),
        cmocka_unit_test(deriving_again_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
