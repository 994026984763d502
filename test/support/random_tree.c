#include "support/random_tree.h"

#include "support/check.h"
#include "support/draw.h"

#include <stdlib.h>

static tacBodyDef random_body(tacDraw *d) {
    tacBodyDef body = tac_default_body();
    body.pos = draw_vec3(d, 1);
    body.quat = (tacQuat){1, draw_uniform(d, -1, 1), draw_uniform(d, -1, 1), draw_uniform(d, -1, 1)};
    body.inertial = TAC_INERTIAL_FULL;
    body.mass = 1 + 0.5 * draw_uniform(d, -1, 1);
    body.ipos = draw_vec3(d, 0.3);
    body.fullinertia = (tacSym3){
        1, 1.2, 0.9, 0.1 * draw_uniform(d, -1, 1), 0.1 * draw_uniform(d, -1, 1), 0.1 * draw_uniform(d, -1, 1)};
    return body;
}

static void add_joint(tacBuilder *b, int body, tacJointType type, tacDraw *d) {
    tacJointDef joint = tac_default_joint();
    joint.type = type;
    joint.pos = type == TAC_JOINT_FREE ? (tacVec3){0, 0, 0} : draw_vec3(d, 0.5);
    joint.axis = draw_vec3(d, 1);
    joint.axis.z += 2;
    joint.armature = 0.1;
    tac_model_add_joint(b, body, &joint);
}

tacModel *random_tree(uint64_t seed, int nbody) {
    static const tacJointType TYPES[] = {TAC_JOINT_BALL, TAC_JOINT_SLIDE, TAC_JOINT_HINGE};
    tacDraw d = {seed, 0};
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.gravity = (tacVec3){0.3, -1, -9.81};
    tac_model_set_option(b, &option);
    for (int i = 1; i <= nbody; i++) {
        tacBodyDef def = random_body(&d);
        int body = tac_model_add_body(b, i < 3 ? 0 : draw_int(&d, i), &def);
        int joints = i == 1 ? 1 : draw_int(&d, 3), last = -1;
        for (int k = 0; k < joints; k++) {
            int type = i == 1 ? TAC_JOINT_FREE : (int)TYPES[last == TAC_JOINT_BALL ? 1 : draw_int(&d, 3)];
            add_joint(b, body, (tacJointType)type, &d);
            last = type;
        }
    }
    tacModel *m = NULL;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) print_error("%s\n", err.text);
    tac_builder_free(b);
    CHECK(m != NULL);
    return m;
}

void random_state(const tacModel *m, uint64_t seed, double *q, double *v) {
    double *move = malloc((size_t)(m->nv + 1) * sizeof *move);
    for (int i = 0; i < m->nv; i++) {
        move[i] = tac_random_normal(seed, 1, (uint64_t)i);
        v[i] = tac_random_normal(seed, 2, (uint64_t)i);
    }
    tac_qpos_add(m, m->qpos_0, move, q);
    free(move);
}

void random_point(const tacModel *m, const tacOptions *options, uint64_t seed, double *x, double *u) {
    double *move = malloc((size_t)(m->nv + 1) * sizeof *move);
    for (int i = 0; i < m->nv; i++) {
        move[i] = 0.4 * tac_random_normal(seed, 1, (uint64_t)i);
        x[m->nq + i] = tac_random_normal(seed, 2, (uint64_t)i);
    }
    tac_qpos_add(m, m->qpos_0, move, x);
    for (int i = 0; i < m->na; i++)
        x[m->nq + m->nv + i] = 0.3 * tac_random_normal(seed, 3, (uint64_t)i);
    tac_default_input(m, options, u);
    for (int i = 0; i < tac_ninput(m, options); i++)
        u[i] += 0.3 * tac_random_normal(seed, 4, (uint64_t)i);
    free(move);
}

tacModel *balls_over_floor(int n, const tacVec3 *at, double margin, double gap) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef geom = tac_default_geom();
    tacModel *m = NULL;
    geom.type = TAC_GEOM_PLANE, geom.size[0] = geom.size[1] = geom.size[2] = 1;
    geom.margin = margin, geom.gap = gap;
    CHECK_INT(tac_model_add_geom(b, 0, &geom), 0);
    geom.type = TAC_GEOM_SPHERE, geom.size[0] = 0.1;
    for (int i = 0; i < n; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        body.pos = at[i];
        joint.type = TAC_JOINT_FREE;
        int id = tac_model_add_body(b, 0, &body);
        CHECK(tac_model_add_joint(b, id, &joint) >= 0 && tac_model_add_geom(b, id, &geom) >= 0);
    }
    CHECK_INT(tac_model_finish(b, &m, NULL), TAC_OK);
    tac_builder_free(b);
    return m;
}
