/* Motions of geoms along q (+) t v: the same places and velocities as the kinematics, and bounds that hold. */
#include "support/check.h"

#include "dynamics/contact_move.h"
#include "dynamics/geom_motion.h"
#include "dynamics/kinematics.h"
#include "step/sim.h"
#include "support/draw.h"
#include "tactus/io.h"

#include <math.h>
#include <stdlib.h>

#define TOL_PLACE 1e-12
#define TOL_SPEED 1e-12
/* Differences of velocities: step, and what they may exceed a bound by. */
#define STEP      1e-6
#define TOL_BOUND 1e-5

enum { TIMES = 7, DRAWS = 20 };
static const double H = 0.4;

/* A chain of bodies with one, two and three joints of every kind, off their origins, with a geom each. */
static tacModel *chain(void) {
    static const tacJointType TYPE[] = {TAC_JOINT_SLIDE, TAC_JOINT_HINGE, TAC_JOINT_BALL,  TAC_JOINT_HINGE,
                                        TAC_JOINT_SLIDE, TAC_JOINT_HINGE, TAC_JOINT_HINGE, TAC_JOINT_BALL};
    static const int COUNT[] = {2, 1, 2, 0, 3};
    tacBuilder *b = tac_model_begin();
    tacDraw d = {5, 0};
    int parent = 0, next = 0;
    for (int i = 0; i < 5; i++) {
        tacBodyDef body = tac_default_body();
        body.pos = draw_vec3(&d, 0.5), body.quat = draw_quat(&d);
        parent = tac_model_add_body(b, parent, &body);
        for (int k = 0; k < COUNT[i]; k++) {
            tacJointDef joint = tac_default_joint();
            joint.type = TYPE[next++], joint.pos = draw_vec3(&d, 0.3), joint.axis = draw_vec3(&d, 1),
            joint.ref = 0.2 * k;
            CHECK(tac_model_add_joint(b, parent, &joint) >= 0);
        }
        tacGeomDef geom = tac_default_geom();
        geom.type = TAC_GEOM_BOX, geom.size[0] = 0.1, geom.size[1] = 0.2, geom.size[2] = 0.15;
        geom.pos = draw_vec3(&d, 0.4), geom.quat = draw_quat(&d);
        CHECK(tac_model_add_geom(b, parent, &geom) >= 0);
    }
    tacModel *m = NULL;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

static tacVec3 point_velocity(const tacPose *pose, tacVec6 V, tacVec3 x) {
    return tac_add3(V.lin, tac_cross3(V.ang, tac_mulmv3(pose->R, x)));
}

/* Against the kinematics at q (+) t v. */
static void compare_place(tacSim *sim, const tacModelMotion *all, double t, int geom) {
    const tacModel *m = sim->ctx.model;
    tacGeomMotion g = {all, geom, 0};
    tacMotion motion = tac_geom_motion(&g);
    tacPose pose;
    tacVec6 V;
    motion.at(motion.data, t, &pose, &V);
    double *tv = calloc((size_t)m->nv + 1, sizeof *tv), *q = calloc((size_t)m->nq + 1, sizeof *q);
    tacVec3 *pos = calloc((size_t)m->ngeom, sizeof *pos);
    tacMat3 *mat = calloc((size_t)m->ngeom, sizeof *mat);
    tacVec6 *velocity = calloc((size_t)m->nbody, sizeof *velocity);
    for (int i = 0; i < m->nv; i++)
        tv[i] = t * all->v[i];
    tac_qpos_add(m, all->q, tv, q);
    tacSim *other;
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    CHECK_INT(tac_sim_new(m, &options, &other, NULL), TAC_OK);
    CHECK_INT(tac_kinematics(other, q, NULL, &(tacKinematics){.geom_pos = pos, .geom_mat = mat}), TAC_OK);
    CHECK_ARRAY(3, &pose.p, &pos[geom], TOL_PLACE);
    CHECK_ARRAY(9, pose.R.m, mat[geom].m, TOL_PLACE);
    CHECK_INT(tac_body_velocity(other, q, all->v, velocity), TAC_OK);
    int body = m->geom_body[geom];
    tacVec3 origin = tac_sub3(pose.p, tac_quat_rotate(other->ctx.work.xquat[body], m->geom_pos[geom]));
    tacVec3 lin = tac_add3(velocity[body].lin, tac_cross3(velocity[body].ang, tac_sub3(pose.p, origin)));
    CHECK_ARRAY(3, &V.ang, &velocity[body].ang, TOL_SPEED);
    CHECK_ARRAY(3, &V.lin, &lin, TOL_SPEED);
    tac_sim_free(other);
    free(tv), free(q), free(pos), free(mat), free(velocity);
}

/* Speeds and accelerations of the origin and of a point at the distance r. */
static void check_bounds(const tacModelMotion *all, double t, int geom, int base) {
    tacGeomMotion g = {all, geom, base};
    tacMotion motion = tac_geom_motion(&g);
    const tacMotionBound *b = &motion.bound;
    tacPose pose[2];
    tacVec6 V[2];
    const double r = 0.7;
    tacVec3 x[] = {{0, 0, 0}, {r, 0, 0}, {0, r, 0}, {0, 0, -r}};
    for (int i = 0; i < 2; i++)
        motion.at(motion.data, t + STEP * i, &pose[i], &V[i]);
    CHECK_LT(tac_norm3(V[0].ang), b->spin * (1 + TOL_BOUND) + TOL_BOUND);
    CHECK_LT(tac_norm3(tac_sub3(V[1].ang, V[0].ang)) / STEP, b->spin_rate * (1 + TOL_BOUND) + TOL_BOUND);
    for (int k = 0; k < 4; k++) {
        double far = k == 0 ? 0 : r;
        tacVec3 v0 = point_velocity(&pose[0], V[0], x[k]), v1 = point_velocity(&pose[1], V[1], x[k]);
        double speed = b->speed + b->spin * far, accel = b->accel + (b->spin_rate + b->spin * b->spin) * far;
        CHECK_LT(tac_norm3(v0), speed * (1 + TOL_BOUND) + TOL_BOUND);
        CHECK_LT(tac_norm3(tac_sub3(v1, v0)) / STEP, accel * (1 + TOL_BOUND) + TOL_BOUND);
    }
}

/* Seen from a body above and then placed in the world: the same. */
static void compare_base(const tacModelMotion *all, double t, int geom, int base) {
    tacGeomMotion g = {all, geom, 0}, from = {all, geom, base};
    tacMotion world = tac_geom_motion(&g), motion = tac_geom_motion(&from);
    tacPose pose[2], body = tac_body_pose(all, base, t);
    world.at(world.data, t, &pose[0], NULL), motion.at(motion.data, t, &pose[1], NULL);
    tacVec3 p = tac_pose_point(&body, pose[1].p);
    tacMat3 R = tac_mulmm3(body.R, pose[1].R);
    CHECK_ARRAY(3, &p, &pose[0].p, TOL_PLACE);
    CHECK_ARRAY(9, R.m, pose[0].R.m, TOL_PLACE);
    CHECK_LT(motion.bound.spin, world.bound.spin + TOL_BOUND);
}

static void check_model(tacModel *m) {
    tacSim *sim;
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    double *q = calloc((size_t)m->nq + 1, sizeof *q), *v = calloc((size_t)m->nv + 1, sizeof *v);
    tacMotionBound *bound = calloc((size_t)m->nbody, sizeof *bound);
    for (uint64_t k = 0; k < DRAWS; k++) {
        tacDraw d = {k, 0};
        draw_array(&d, m->nv, v);
        tac_qpos_add(m, m->qpos_0, v, q);
        draw_array(&d, m->nv, v);
        for (int i = 0; i < m->nv && k > 0; i++)
            v[i] *= 3; /* the first: slowly */
        tac_kinematics_q(m, &sim->ctx.work, q, NULL);
        tacModelMotion all = {m, &sim->ctx.work, q, v, H, bound};
        tac_motion_bounds(&all);
        for (int i = 0; i < TIMES; i++) {
            double t = H * i / TIMES;
            for (int g = 0; g < m->ngeom; g++) {
                if (i == (int)(k % TIMES) && g % 3 == (int)(k % 3)) compare_place(sim, &all, t, g);
                for (int base = m->geom_body[g]; base > 0; base = m->body_parent[base])
                    check_bounds(&all, t, g, base), compare_base(&all, t, g, base);
                check_bounds(&all, t, g, 0);
            }
        }
    }
    free(q), free(v), free(bound);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void every_joint(void **state) {
    (void)state;
    check_model(chain());
}

static void floating_robot(void **state) {
    (void)state;
    tacModel *m = NULL;
    tacError err;
    if (tac_load("models/quadruped.xml", &m, &err) != TAC_OK) fail_msg("%s", err.text);
    check_model(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_joint), cmocka_unit_test(floating_robot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
