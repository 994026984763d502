/* Motions with known answers. The step is first order, so each answer is the limit of runs with ever smaller steps
 * (Richardson's extrapolation of tac_step itself). One JSON object: error of each motion against its true numbers. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 9, MOST = 8 };

static const double TOL_MOTION = 1e-8;    /* absolute: metres, radians, rad/s */
static const double TOL_IDENTITY = 1e-12; /* of the largest force */
static const double PI = 3.14159265358979323846;

/* A body whose mass sits at ipos, hanging from `parent` at pos. */
static int add_body(tacBuilder *b, int parent, tacVec3 pos, double mass, tacVec3 ipos, tacVec3 inertia) {
    tacBodyDef body = tac_default_body();
    body.pos = pos;
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = mass;
    body.ipos = ipos;
    body.inertia = inertia;
    return tac_model_add_body(b, parent, &body);
}

static void add_joint(tacBuilder *b, int body, tacJointType type, tacVec3 axis) {
    tacJointDef joint = tac_default_joint();
    joint.type = type;
    joint.axis = axis;
    tac_model_add_joint(b, body, &joint);
}

static Scene finish(tacBuilder *b, const char *name, double gravity) {
    tacError err;
    tacModel *model = NULL;
    tacOptionDef option = tac_default_option();
    option.gravity = (tacVec3){0, 0, -gravity};
    option.literal_inertia = 1; /* a point mass has no inertia of its own */
    tac_model_set_option(b, &option);
    if (tac_model_finish(b, &model, &err) != TAC_OK) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        exit(2);
    }
    tac_builder_free(b);
    return scene_make(name, model);
}

/* State after `time` in n steps from x0, in s->x. */
static void run(Scene *s, const double *x0, double time, long n) {
    tac_sim_free(s->sim);
    s->options.dt = time / (double)n;
    tacError err;
    if (tac_sim_new(s->model, &s->options, &s->sim, &err) != TAC_OK) exit(2);
    memcpy(s->x, x0, (size_t)s->nx * sizeof(double));
    for (long k = 0; k < n; k++)
        scene_require(s, "step", tac_step(s->sim, s->x, s->u, s->x, NULL));
}

/* Limit of the state for steps to zero: the error is a series in h, of which each column removes one power. */
static void limit(Scene *s, const double *x0, double time, long n, double *out) {
    double table[LEVELS][2 * MOST];
    for (int level = 0; level < LEVELS; level++, n *= 2) {
        run(s, x0, time, n);
        memcpy(table[level], s->x, (size_t)s->nx * sizeof(double));
    }
    for (int order = 1; order < LEVELS; order++)
        for (int level = LEVELS - 1; level >= order; level--)
            for (int i = 0; i < s->nx; i++)
                table[level][i] += (table[level][i] - table[level - 1][i]) / (ldexp(1, order) - 1);
    memcpy(out, table[LEVELS - 1], (size_t)s->nx * sizeof(double));
}

/* IFToMM A01: a point of 1 kg on a rod of 1 m, starting at (-1, 0) at rest. Angle from the vertical, positive to +x. */
static double pendulum_error(void) {
    static const struct {
        double time, x, y;
        long n;
    } truth[] = {{1, 0.986291751131875, -0.165010853125541, 200}, {10, -0.275087462576117, -0.961419205099125, 2000}};
    tacBuilder *b = tac_model_begin();
    int bob = add_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, -1}, (tacVec3){0, 0, 0});
    add_joint(b, bob, TAC_JOINT_HINGE, (tacVec3){0, -1, 0});
    Scene s = finish(b, "pendulum", 9.81);
    double worst = 0, x[2], start[2] = {-PI / 2, 0};
    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
        limit(&s, start, truth[i].time, truth[i].n, x);
        scene_grow(&worst, fabs(sin(x[0]) - truth[i].x));
        scene_grow(&worst, fabs(-cos(x[0]) - truth[i].y));
    }
    scene_free(&s);
    return worst;
}

/* Two points of 1 kg on rods of 1 m, both horizontal at rest; angles from the vertical, the second absolute. */
static double double_pendulum_error(void) {
    static const struct {
        double time, theta1, theta2;
        long n;
    } truth[] = {{1, -0.625087699806391, -1.034585085680012, 400},
                 {3, 1.785795522077417, 1.118107461205155, 1200},
                 {5, -0.627186705066531, -1.301315550209812, 2400}};
    tacVec3 none = {0, 0, 0}, down = {0, 0, -1};
    tacBuilder *b = tac_model_begin();
    int upper = add_body(b, 0, none, 1, down, none);
    add_joint(b, upper, TAC_JOINT_HINGE, (tacVec3){0, -1, 0});
    int lower = add_body(b, upper, down, 1, down, none);
    add_joint(b, lower, TAC_JOINT_HINGE, (tacVec3){0, -1, 0});
    Scene s = finish(b, "double pendulum", 9.81);
    double worst = 0, x[4], start[4] = {PI / 2, 0, 0, 0};
    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
        limit(&s, start, truth[i].time, truth[i].n, x);
        scene_grow(&worst, fabs(x[0] - truth[i].theta1));
        scene_grow(&worst, fabs(x[0] + x[1] - truth[i].theta2));
    }
    scene_free(&s);
    return worst;
}

/* A torque-free body, I = (1, 2, 3), w0 = (0.01, 1, 0). By Euler's equations w = (a dn, cn, c sn)(t): after half a
 * period the spin about the middle axis is reversed and the rest is as at the start; after a whole one w0 is back. */
static double precession_error(void) {
    enum { SPIN = 10 }; /* where angular velocity begins in the state of a free body */
    static const struct {
        double time, w[3];
        long n;
    } truth[] = {{0.5 * 41.50921952933849, {0.01, -1, 0}, 1000}, {41.50921952933849, {0.01, 1, 0}, 2000}};
    tacBuilder *b = tac_model_begin();
    int body = add_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 2, 3});
    add_joint(b, body, TAC_JOINT_FREE, (tacVec3){0, 0, 1});
    Scene s = finish(b, "precession", 0);
    double x[13], start[13] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.01, 1, 0}, worst = 0;
    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
        limit(&s, start, truth[i].time, truth[i].n, x);
        for (int k = 0; k < 3; k++)
            scene_grow(&worst, fabs(x[SPIN + k] - truth[i].w[k]));
    }
    scene_free(&s);
    return worst;
}

/* inverse(forward(tau)) - tau, relative, over random states of one model. */
static double identity_error(const char *path) {
    Scene s = scene_load(path);
    const tacModel *m = s.model;
    size_t nv = (size_t)m->nv;
    double *tau = scene_doubles(nv), *qacc = scene_doubles(nv), *back = scene_doubles(nv), worst = 0;
    for (uint64_t k = 0; k < 100; k++) {
        scene_randomize(&s, k);
        for (int i = 0; i < m->nv; i++)
            tau[i] = 10 * tac_random_normal(k, 9, (uint64_t)i);
        if (tac_forward_dynamics(s.sim, s.x, s.x + m->nq, tau, qacc) != TAC_OK) return HUGE_VAL;
        if (tac_inverse_dynamics(s.sim, s.x, s.x + m->nq, qacc, back) != TAC_OK) return HUGE_VAL;
        scene_grow(&worst, relative_error(m->nv, back, tau));
    }
    free(tau), free(qacc), free(back);
    scene_free(&s);
    return worst;
}

/* Exit code 1 when an error is over its bar. */
int main(int argc, char **argv) {
    double pendulum = pendulum_error(), twice = double_pendulum_error(), precession = precession_error();
    int good = pendulum <= TOL_MOTION && twice <= TOL_MOTION && precession <= TOL_MOTION;
    printf("{");
    scene_print(1, "pendulum", pendulum);
    scene_print(0, "double_pendulum", twice);
    scene_print(0, "precession", precession);
    printf(",\"identity\":{");
    for (int i = 1; i < argc; i++) {
        double identity = identity_error(argv[i]);
        scene_print(i == 1, argv[i], identity);
        good = good && identity <= TOL_IDENTITY;
    }
    printf("}}\n");
    return good ? 0 : 1;
}
