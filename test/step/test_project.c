/* The nearest state that satisfies its constraints: loops opened by hand, bodies that overlap, joints out of range, and
 * constraints that contradict each other. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "math/quat.h"
#include "io/scratch.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_HELD    1e-9 /* m, rad: the default tolerance */
#define TOL_NEAREST 1e-5 /* of the first-order condition */
enum { MOST = 40 };

typedef struct World {
    tacModel *m;
    tacSim *sim;
    double x[MOST], y[MOST];
    tacProjection p;
} World;

static World world_with(tacModel *m, tacContactModel contact, int toi) {
    World w = {.m = m};
    tacOptions options = tac_default_options(m);
    tacError err;
    options.contact = contact, options.toi = toi;
    if (tac_sim_new(m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK(tac_nx(m) <= MOST);
    tac_default_state(m, w.x);
    w.p.bytes = tac_project_bytes(m, &options);
    w.p.memory = aligned_alloc(64, w.p.bytes);
    return w;
}

static World world_of(tacModel *m, tacContactModel contact) { return world_with(m, contact, 0); }

static tacModel *load(const char *path) {
    tacModel *m;
    tacError err;
    if (tac_load(path, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

static void release(World *w) {
    free(w->p.memory);
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

static tacStatus project(World *w) {
    static const double NONE[MOST];
    return tac_project_state(w->sim, w->x, NONE, w->y, &w->p);
}

/* The loop's gap and its rows along x and z, of four_bar.xml. */
static void loop_of(World *w, const double *q, double gap[2], double J[2][3]) {
    tacVec3 xpos[4];
    tacQuat xquat[4];
    double one[9], two[9];
    tacKinematics k = {.xpos = xpos, .xquat = xquat};
    CHECK_INT(tac_kinematics(w->sim, q, NULL, &k), TAC_OK);
    tacVec3 a = tac_add3(xpos[2], tac_quat_rotate(xquat[2], (tacVec3){0.3, 0, -0.4}));
    tacVec3 b = tac_add3(xpos[3], tac_quat_rotate(xquat[3], (tacVec3){0, 0, -0.4}));
    CHECK_INT(tac_point_jacobian(w->sim, q, 2, a, one, NULL), TAC_OK);
    CHECK_INT(tac_point_jacobian(w->sim, q, 3, b, two, NULL), TAC_OK);
    gap[0] = a.x - b.x, gap[1] = a.z - b.z;
    for (int i = 0; i < 3; i++)
        J[0][i] = one[i] - two[i], J[1][i] = one[6 + i] - two[6 + i];
}

/* Component of M d along the direction in which the loop stays closed, of its length. */
static double along_loop(World *w, const double *q, double J[2][3], const double *d) {
    double M[9], Md[3], t[3], dot = 0, length = 0, force = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = J[0][j] * J[1][k] - J[0][k] * J[1][j];
    }
    CHECK_INT(tac_mass_matrix(w->sim, q, M), TAC_OK);
    for (int i = 0; i < 3; i++) {
        Md[i] = M[3 * i] * d[0] + M[3 * i + 1] * d[1] + M[3 * i + 2] * d[2];
        dot += t[i] * Md[i], length += t[i] * t[i], force += Md[i] * Md[i];
    }
    return fabs(dot) / sqrt(length * force);
}

/* A four-bar linkage, its bars turned by hand: closed again, at the nearest place and the nearest velocity. */
static void loops_are_closed(void **state) {
    (void)state;
    static const tacContactModel MODELS[] = {TAC_CONTACT_MODEL_NONE, TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP,
                                             TAC_CONTACT_MODEL_SOFT};
    double first[MOST] = {0};
    for (int k = 0; k < 4; k++) {
        World w = world_of(load("models/four_bar.xml"), MODELS[k]);
        double gap[2], J[2][3], moved[3], change[3], rate[2];
        static const double AWAY[6] = {0.3, -0.2, 0.25, 1, -2, 0.5};
        for (int i = 0; i < 6; i++)
            w.x[i] += AWAY[i];
        loop_of(&w, w.x, gap, J);
        CHECK(hypot(gap[0], gap[1]) > 0.02);
        CHECK_INT(project(&w), TAC_OK);
        CHECK_INT(w.p.kind, TAC_CONSTRAINT_EQUALITY);
        CHECK_INT(w.p.id, 0);
        CHECK_NEAR(w.p.before, fmax(fabs(gap[0]), fabs(gap[1])), 1e-12);
        CHECK_LT(w.p.after, TOL_HELD);
        CHECK(w.p.moved > 0.01);
        loop_of(&w, w.y, gap, J);
        CHECK_LT(hypot(gap[0], gap[1]), 2 * TOL_HELD);
        for (int i = 0; i < 3; i++)
            moved[i] = w.y[i] - w.x[i], change[i] = w.y[3 + i] - w.x[3 + i];
        CHECK_LT(along_loop(&w, w.y, J, moved), TOL_NEAREST);
        CHECK_LT(along_loop(&w, w.y, J, change), TOL_NEAREST);
        for (int r = 0; r < 2; r++) {
            rate[r] = J[r][0] * w.y[3] + J[r][1] * w.y[4] + J[r][2] * w.y[5];
            CHECK_NEAR(rate[r], 0, 1e-10);
        }
        if (k == 0) memcpy(first, w.y, sizeof first);
        CHECK(memcmp(first, w.y, sizeof first) == 0); /* whatever the contact model */
        release(&w);
    }
}

/* Two free boxes that overlap by `depth` along x, of masses 1 and 3, and a third on their way where asked for. */
static tacModel *boxes(double depth, int third) {
    tacBuilder *b = tac_model_begin();
    for (int i = 0; i < 2 + third; i++) {
        static const double MASS[] = {1, 3, 2};
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = (tacVec3){i * (0.2 - depth) + (i == 2 ? depth + 0.001 : 0), third * 0.01 * i, 0};
        int id = tac_model_add_body(b, 0, &body);
        joint.type = TAC_JOINT_FREE;
        tac_model_add_joint(b, id, &joint);
        geom.type = TAC_GEOM_BOX, geom.size[0] = 0.1, geom.size[1] = geom.size[2] = 0.5;
        geom.has_mass = 1, geom.mass = MASS[i];
        tac_model_add_geom(b, id, &geom);
    }
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

static double deepest(World *w, const double *q) {
    tacContact contact[64];
    int n;
    double depth = 0;
    CHECK_INT(tac_contacts(w->sim, q, NULL, contact, 64, &n), TAC_OK);
    for (int i = 0; i < n; i++)
        depth = fmax(depth, -contact[i].dist);
    return depth;
}

/* Each goes the other's share of both masses, and where they face each other nothing turns; what is then in the way
 * goes too. */
static void overlaps_come_apart(void **state) {
    (void)state;
    const double depth = 0.04;
    World w = world_of(boxes(depth, 0), TAC_CONTACT_MODEL_NCP);
    CHECK_NEAR(deepest(&w, w.x), depth, 1e-12);
    CHECK_INT(project(&w), TAC_OK);
    CHECK_INT(w.p.kind, TAC_CONSTRAINT_CONTACT);
    CHECK(w.p.geom[0] == 0 && w.p.geom[1] == 1);
    CHECK_NEAR(w.p.before, depth, 1e-12);
    CHECK_NEAR(w.y[0] - w.x[0], -0.75 * depth, 1e-7);
    CHECK_NEAR(w.y[7] - w.x[7], 0.25 * depth, 1e-7);
    CHECK_NEAR(w.p.moved, sqrt(1 * 0.75 * 0.75 + 3 * 0.25 * 0.25) * depth, 1e-7);
    CHECK_LT(deepest(&w, w.y), TOL_HELD);
    for (int i = 3; i < 7; i++)
        CHECK_NEAR(w.y[i], w.x[i], 1e-7);
    release(&w);
    w = world_of(boxes(depth, 1), TAC_CONTACT_MODEL_NCP);
    CHECK_INT(project(&w), TAC_OK);
    CHECK_LT(deepest(&w, w.y), TOL_HELD);
    CHECK(w.y[14] - w.x[14] > 1e-4);
    CHECK_LT(w.x[0] - w.y[0], 0.04);
    release(&w);
}

/* Robots put into the ground: they come up, no more than they must. */
static void robots_come_out_of_the_ground(void **state) {
    (void)state;
    static const char *const PATHS[] = {"models/ant.xml", "models/half_cheetah.xml", "models/quadruped.xml"};
    static const int HEIGHT[] = {2, 1, 2};
    for (int k = 0; k < 3; k++) {
        World w = world_of(load(PATHS[k]), TAC_CONTACT_MODEL_SOFT);
        double start = deepest(&w, w.x);
        while (start < 0.02)
            w.x[HEIGHT[k]] -= 0.01, start = deepest(&w, w.x);
        CHECK_INT(project(&w), TAC_OK);
        CHECK_LT(deepest(&w, w.y), TOL_HELD);
        CHECK(w.y[HEIGHT[k]] > w.x[HEIGHT[k]]);
        release(&w);
    }
}

/* A coordinate out of its range comes to its end. */
static void joints_come_back_into_range(void **state) {
    (void)state;
    World w = world_of(load("models/half_cheetah.xml"), TAC_CONTACT_MODEL_LCP);
    w.x[1] += 1, w.x[3] = 1.3; /* high above the ground; a thigh's range ends at 1.05 */
    CHECK_INT(project(&w), TAC_OK);
    CHECK_INT(w.p.kind, TAC_CONSTRAINT_JOINT_LIMIT);
    CHECK_INT(w.p.id, 3);
    CHECK_NEAR(w.p.before, 0.25, 1e-12);
    CHECK_NEAR(w.y[3], 1.05, 1e-7);
    release(&w);
}

/* A pendulum whose end is to be at two places: no state is one, and what comes back is between them. */
static void contradictions_are_told(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef hinge = tac_default_joint();
    tacEqualityDef pin = tac_default_equality();
    body.inertial = TAC_INERTIAL_DIAG, body.mass = 1, body.inertia = (tacVec3){0.1, 0.1, 0.1};
    int rod = tac_model_add_body(b, 0, &body);
    hinge.type = TAC_JOINT_HINGE, hinge.axis = (tacVec3){0, 1, 0};
    tac_model_add_joint(b, rod, &hinge);
    pin.type = TAC_EQ_CONNECT, pin.objkind = TAC_KIND_BODY, pin.obj[0] = rod, pin.obj[1] = 0;
    pin.data[0] = 1;
    tac_model_add_equality(b, &pin); /* (1, 0, 0) where it is */
    pin.data[0] = 0, pin.data[2] = -1;
    tac_model_add_equality(b, &pin);
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    m->equality_data_used[11 + 3] += 0.2; /* the second's place in the world */
    World w = world_of(m, TAC_CONTACT_MODEL_SOFT);
    CHECK_INT(project(&w), TAC_ERR_UNSOLVED);
    CHECK_NEAR(w.p.before, 0.2, 1e-12);
    CHECK(w.p.after > 0.05 && w.p.after < 0.2);
    CHECK(isfinite(w.y[0]) && isfinite(w.y[1]));
    release(&w);
}

static int add_ball(tacBuilder *b, int body, double x, double radius) {
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_SPHERE, geom.size[0] = radius, geom.pos.x = x;
    return tac_model_add_geom(b, body, &geom);
}

static int add_slider(tacBuilder *b, tacVec3 pos, tacVec3 axis) {
    tacBodyDef body = tac_default_body();
    tacJointDef slide = tac_default_joint();
    body.pos = pos, slide.type = TAC_JOINT_SLIDE, slide.axis = axis;
    int id = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, id, &slide);
    return id;
}

static tacModel *finished(tacBuilder *b) {
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* A ball on a slide between two fixed ones that are nearer to each other than it is wide comes to the middle, the least
 * sum of squares; another one in the way of a third comes free of it all the same. */
static void wedged_ones_come_to_the_middle(void **state) {
    (void)state;
    const double radius = 0.1, gap = 0.16;
    tacBuilder *b = tac_model_begin();
    add_ball(b, 0, -gap / 2 - radius, radius), add_ball(b, 0, gap / 2 + radius, radius), add_ball(b, 0, 3, radius);
    add_ball(b, add_slider(b, (tacVec3){0.03, 0, 0}, (tacVec3){1, 0, 0}), 0, radius);
    add_ball(b, add_slider(b, (tacVec3){3.15, 0, 0}, (tacVec3){1, 0, 0}), 0, radius);
    World w = world_of(finished(b), TAC_CONTACT_MODEL_NCP);
    CHECK_INT(project(&w), TAC_ERR_UNSOLVED);
    CHECK_NEAR(w.p.before, radius - gap / 2 + 0.03, 1e-12);
    CHECK_NEAR(w.p.after, radius - gap / 2, 1e-6);
    CHECK_NEAR(w.y[0], -0.03, 1e-6);
    CHECK_NEAR(w.y[1], 0.05, 1e-6);
    release(&w);
}

/* An explicit pair on one body overlaps in every state: that is nothing that a state breaks. */
static void pairs_on_one_body_do_not_count(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        static const double NONE[MOST];
        tacStepInfo info;
        tacBuilder *b = tac_model_begin();
        tacPairDef pair = tac_default_pair();
        add_ball(b, 0, -0.15, 0.1);
        int body = add_slider(b, (tacVec3){0, 0, 0}, (tacVec3){1, 0, 0});
        pair.geom[0] = add_ball(b, body, 0, 0.1), pair.geom[1] = add_ball(b, body, 0.1, 0.1);
        tac_model_add_pair(b, &pair);
        World w = world_of(finished(b), k == 0 ? TAC_CONTACT_MODEL_LCP : TAC_CONTACT_MODEL_NCP);
        CHECK_INT(project(&w), TAC_OK);
        CHECK_NEAR(w.p.before, 0.05, 1e-12);
        CHECK_NEAR(w.y[0], 0.05, 1e-6);
        memcpy(w.x, w.y, sizeof w.x);
        CHECK_INT(tac_step(w.sim, w.x, NONE, w.y, &info), TAC_OK);
        CHECK_INT(info.start, TAC_OK);
        release(&w);
    }
}

/* Three hinges, the second turned so that the axes of the others are one line: the mass matrix is singular there, and
 * the state is mended all the same. */
static void singular_masses_are_no_hindrance(void **state) {
    (void)state;
    static const tacVec3 AXIS[3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef hinge = tac_default_joint();
    int arm = tac_model_add_body(b, 0, &body);
    for (int i = 0; i < 3; i++) {
        hinge.type = TAC_JOINT_HINGE, hinge.axis = AXIS[i];
        tac_model_add_joint(b, arm, &hinge);
    }
    add_ball(b, arm, 1, 0.1);
    body.pos = (tacVec3){0, 0, -1};
    add_ball(b, tac_model_add_body(b, 0, &body), 0.15, 0.1);
    World w = world_of(finished(b), TAC_CONTACT_MODEL_NCP);
    double z[3];
    w.x[1] = acos(0);
    CHECK_INT(tac_mass_solve(w.sim, w.x, (const double[3]){1, 1, 1}, z), TAC_ERR_SINGULAR);
    CHECK_INT(project(&w), TAC_OK);
    CHECK_NEAR(w.p.before, 0.05, 1e-12);
    CHECK_LT(deepest(&w, w.y), TOL_HELD);
    CHECK(w.y[1] > w.x[1] + 0.04 && w.y[1] < w.x[1] + 0.06);
    release(&w);
}

/* Random models as they are: what can be mended is, the rest is told, and nothing gets worse. Of 1 to 40, as measured
 * and confirmed by sampling states, a few have geoms that overlap wherever they are. */
static void random_states_are_mended(void **state) {
    (void)state;
    enum { SEEDS = 40, WEDGED = 8 };
    int unsolved = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        tacModel *m;
        tacError err;
        tacOptions options;
        tacSim *sim;
        char *text = tac_random_model((uint64_t)seed);
        if (tac_load(scratch_text("project.xml", text), &m, &err) != TAC_OK) fail_msg("%s", err.text);
        options = tac_default_options(m), options.contact = TAC_CONTACT_MODEL_LCP,
        options.integrator = TAC_INTEGRATOR_EULER;
        if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
        size_t nx = (size_t)tac_nx(m), nu = (size_t)tac_ninput(m, &options) + 1;
        double *x = calloc(2 * nx + nu, sizeof *x), *y = x + nx, *u = y + nx;
        tacProjection p = {.bytes = tac_project_bytes(m, &options)};
        p.memory = aligned_alloc(64, p.bytes);
        tac_default_state(m, x), tac_default_input(m, &options, u);
        tacStatus status = tac_project_state(sim, x, u, y, &p);
        CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED);
        CHECK(p.after <= p.before && (status != TAC_OK || p.after <= TOL_HELD));
        for (size_t i = 0; i < nx; i++)
            CHECK(isfinite(y[i]));
        unsolved += status != TAC_OK;
        free(x), free(p.memory), free(text);
        tac_sim_free(sim), tac_model_free(m);
    }
    CHECK(unsolved <= WEDGED);
}

/* Without a place to write to it only says what is off. */
static void inconsistency_is_a_status(void **state) {
    (void)state;
    static const double NONE[MOST];
    World w = world_of(load("models/four_bar.xml"), TAC_CONTACT_MODEL_LCP);
    CHECK_INT(tac_project_state(w.sim, w.x, NONE, NULL, &w.p), TAC_OK);
    CHECK_LT(w.p.before, TOL_HELD);
    CHECK_INT(project(&w), TAC_OK);
    CHECK(memcmp(w.y, w.x, 3 * sizeof *w.x) == 0); /* what holds stays where it is */
    w.x[0] += 0.1;
    CHECK_INT(tac_project_state(w.sim, w.x, NONE, NULL, &w.p), TAC_ERR_INCONSISTENT);
    CHECK_INT(w.p.kind, TAC_CONSTRAINT_EQUALITY);
    w.p.tolerance = 0.5;
    CHECK_INT(tac_project_state(w.sim, w.x, NONE, NULL, &w.p), TAC_OK);
    CHECK_HAS(tac_status_text(TAC_ERR_INCONSISTENT), "constraints");
    w.p.bytes--;
    CHECK_INT(project(&w), TAC_ERR_ARGUMENT);
    w.p.bytes++, w.p.tolerance = -1;
    CHECK_INT(project(&w), TAC_ERR_ARGUMENT);
    release(&w);
}

/* What a step says of a state is what projection says of it. */
static void check_start(World *w, tacStatus start) {
    static const double NONE[MOST];
    tacStepInfo info[2];
    double bar[MOST] = {1}, gx[2 * MOST];
    CHECK_INT(tac_project_state(w->sim, w->x, NONE, NULL, &w->p), start);
    tacStatus status = tac_step(w->sim, w->x, NONE, w->y, &info[0]);
    CHECK(status == TAC_OK || status == TAC_ERR_UNSOLVED); /* loops and ranges that are far off may not be made good */
    CHECK_INT(tac_step_vjp(w->sim, w->x, NONE, bar, &(tacGrad){.x = gx}, &info[1]), status);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(info[i].start, start);
        CHECK_NEAR(info[i].violation.size, w->p.before, 1e-12);
        if (start == TAC_OK) continue;
        CHECK_INT(info[i].violation.kind, w->p.kind);
        CHECK(info[i].violation.geom[0] == w->p.geom[0] && info[i].violation.geom[1] == w->p.geom[1]);
        CHECK(w->p.kind == TAC_CONSTRAINT_CONTACT || info[i].violation.id == w->p.id);
    }
}

/* A motion says it of its first state. */
static void check_rollout(World *w, tacStatus start) {
    static const double NONE[3 * MOST];
    double X[4 * MOST];
    tacStepInfo info, step;
    tac_step(w->sim, w->x, NONE, w->y, &step);
    tac_rollout(w->sim, w->x, NONE, 3, X, &info);
    CHECK_INT(info.start, start);
    CHECK(info.violation.size == step.violation.size && info.violation.kind == step.violation.kind);
}

/* A limited ball, turned by `angle` about a slanted axis. */
static tacModel *ball(double range, double angle) {
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.inertial = TAC_INERTIAL_DIAG, body.mass = 1, body.inertia = (tacVec3){0.1, 0.2, 0.15};
    joint.type = TAC_JOINT_BALL, joint.limited = 1, joint.range[1] = range;
    tac_model_add_joint(b, tac_model_add_body(b, 0, &body), &joint);
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    tacQuat turned = tac_quat_exp(tac_scale3(angle, (tacVec3){0.6, 0, 0.8}));
    tac_quat_store(m->qpos_0, turned);
    return m;
}

/* Steps go on from a state that breaks its constraints, and say so; from one mended by projection they do not. */
static void steps_say_how_they_began(void **state) {
    (void)state;
    static const tacContactModel MODELS[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP, TAC_CONTACT_MODEL_LCP};
    for (int k = 0; k < 3; k++) {
        World w[] = {world_with(load("models/four_bar.xml"), MODELS[k], k == 2),
                     world_with(boxes(0.04, 0), MODELS[k], k == 2),
                     world_with(load("models/half_cheetah.xml"), MODELS[k], k == 2),
                     world_with(ball(0.5, 0.4), MODELS[k], k == 2)};
        check_start(&w[0], TAC_OK);
        w[0].x[0] += 0.1;
        w[2].x[1] += 1, w[2].x[3] = 1.3;
        check_start(&w[3], TAC_OK);
        tac_quat_store(w[3].x, tac_quat_exp((tacVec3){0.6, 0, 0.8}));
        for (int i = 0; i < 4; i++) {
            w[i].p.tolerance = TAC_START_TOLERANCE;
            check_start(&w[i], TAC_ERR_INCONSISTENT);
            w[i].p.tolerance = 0;
            check_rollout(&w[i], TAC_ERR_INCONSISTENT);
            CHECK_INT(project(&w[i]), TAC_OK);
            memcpy(w[i].x, w[i].y, sizeof w[i].x);
            check_start(&w[i], TAC_OK);
            check_rollout(&w[i], TAC_OK);
            release(&w[i]);
        }
    }
}

/* A free body welded to a mocap body. */
static tacModel *led(void) {
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacEqualityDef weld = tac_default_equality();
    body.mocap = 1;
    int hand = tac_model_add_body(b, 0, &body);
    body = tac_default_body();
    body.inertial = TAC_INERTIAL_DIAG, body.mass = 1, body.inertia = (tacVec3){0.1, 0.1, 0.1};
    int thing = tac_model_add_body(b, 0, &body);
    joint.type = TAC_JOINT_FREE;
    tac_model_add_joint(b, thing, &joint);
    weld.type = TAC_EQ_WELD, weld.objkind = TAC_KIND_BODY, weld.obj[0] = hand, weld.obj[1] = thing;
    tac_model_add_equality(b, &weld);
    tacModel *m;
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* Not of soft contact, which overlaps by its nature, nor of what hangs on a mocap body that was moved. */
static void steps_say_nothing_of_what_is_meant(void **state) {
    (void)state;
    static const double NONE[MOST];
    tacStepInfo info;
    World w = world_of(boxes(0.04, 0), TAC_CONTACT_MODEL_SOFT);
    CHECK_INT(tac_step(w.sim, w.x, NONE, w.y, &info), TAC_OK);
    CHECK(info.start == TAC_OK && info.violation.size == 0);
    release(&w);
    for (int k = 0; k < 2; k++) {
        tacOptions options;
        double y[13];
        tacModel *m = led();
        options = tac_default_options(m);
        options.contact = k == 0 ? TAC_CONTACT_MODEL_LCP : TAC_CONTACT_MODEL_NCP, options.inputs = TAC_INPUT_MOCAP;
        tacSim *sim;
        tacError err;
        if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
        CHECK_INT(tac_step(sim, (const double[13]){[3] = 1}, (const double[7]){0.2, [3] = 1}, y, &info), TAC_OK);
        CHECK(info.start == TAC_OK && info.violation.size == 0);
        CHECK(y[7] > 0.1); /* it follows */
        tac_sim_free(sim);
        tac_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_closed),
        cmocka_unit_test(overlaps_come_apart),
        cmocka_unit_test(robots_come_out_of_the_ground),
        cmocka_unit_test(joints_come_back_into_range),
        cmocka_unit_test(contradictions_are_told),
        cmocka_unit_test(wedged_ones_come_to_the_middle),
        cmocka_unit_test(pairs_on_one_body_do_not_count),
        cmocka_unit_test(singular_masses_are_no_hindrance),
        cmocka_unit_test(random_states_are_mended),
        cmocka_unit_test(inconsistency_is_a_status),
        cmocka_unit_test(steps_say_how_they_began),
        cmocka_unit_test(steps_say_nothing_of_what_is_meant),
    };
    return cmocka_run_group_tests_name("project", tests, NULL, NULL);
}
