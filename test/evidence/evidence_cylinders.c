/* Three parallel cylinders, two on the ground side by side and one on both of them, stand if and only if friction is at
 * least tan 15 degrees between cylinders and a third of that on the ground. One JSON line for planar and free bodies
 * and for each of the two coefficients, the other one half as much again as it needs to be:
 *   evidence_cylinders lcp|ncp
 *   {"bodies":"planar"|"free", "where":"between"|"ground", "error":threshold/theory - 1, "unsolved":n}
 * Contact ncp creeps where it sticks. Its friction lacks K/u of its bound at the speed u, so that at the threshold
 * itself u u' = K, and u grows as the root of time; below it u grows faster, above it comes to an end. Bodies slip
 * where their speed more than doubles in four times the time. Creep would change the geometry, on which the threshold
 * depends: positions are put back after every step. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI     3.14159265358979323846
#define RADIUS 0.1  /* m */
#define HALF   0.2  /* m: half a length */
#define DT     1e-3 /* s */
/* s: the first time at which the speed is taken; the second is four times that. */
#define TIME_LCP 0.05
#define TIME_NCP 0.25
/* Error of a threshold at which its search ends, relative. */
#define CLOSE_LCP 1e-7
#define CLOSE_NCP 5e-5

static void add_cylinder(tacBuilder *b, double x, double z, int free, double mu) {
    static const tacVec3 axis[3] = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    tacBodyDef body = tac_default_body();
    tacGeomDef geom = tac_default_geom();
    body.pos = (tacVec3){x, 0, z};
    int id = tac_model_add_body(b, 0, &body);
    for (int k = 0; k < (free ? 1 : 3); k++) {
        tacJointDef joint = tac_default_joint();
        joint.type = free ? TAC_JOINT_FREE : k < 2 ? TAC_JOINT_SLIDE : TAC_JOINT_HINGE;
        joint.axis = axis[k];
        tac_model_add_joint(b, id, &joint);
    }
    geom.type = TAC_GEOM_CYLINDER, geom.size[0] = RADIUS, geom.size[1] = HALF, geom.friction[0] = mu;
    geom.has_mass = 1, geom.mass = 1;
    geom.quat = (tacQuat){sqrt(0.5), sqrt(0.5), 0, 0};
    tac_model_add_geom(b, id, &geom);
}

static tacModel *build(int free, double between, double ground) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef plane = tac_default_geom();
    tacModel *m = NULL;
    tacError err;
    plane.type = TAC_GEOM_PLANE, plane.friction[0] = ground, plane.priority = 1;
    plane.size[0] = plane.size[1] = plane.size[2] = 1;
    tac_model_add_geom(b, 0, &plane);
    add_cylinder(b, -RADIUS, RADIUS, free, between);
    add_cylinder(b, RADIUS, RADIUS, free, between);
    add_cylinder(b, 0, (1 + sqrt(3)) * RADIUS, free, between);
    tacStatus status = tac_model_finish(b, &m, &err);
    tac_builder_free(b);
    if (status != TAC_OK) fprintf(stderr, "%s\n", err.text);
    return m;
}

/* Downward speed of the upper cylinder after some steps at one place. */
static double run(Scene *s, int free, int steps, long *unsolved) {
    int nq = s->model->nq, nv = s->model->nv;
    for (int k = 0; k < steps; k++) {
        *unsolved += tac_step(s->sim, s->x, NULL, s->y, NULL) != TAC_OK;
        memcpy(s->x + nq, s->y + nq, (size_t)nv * sizeof *s->x);
    }
    return -s->x[nq + (free ? 14 : 7)];
}

static int slips(tacContactModel contact, int free, double between, double ground, long *unsolved) {
    tacModel *m = build(free, between, ground);
    if (m == NULL) exit(2);
    int steps = (int)lround((contact == TAC_CONTACT_MODEL_LCP ? TIME_LCP : TIME_NCP) / DT);
    tacOptions options = tac_default_options(m);
    options.contact = contact, options.dt = DT;
    Scene s = scene_with("cylinders", m, &options);
    tac_default_state(m, s.x);
    double first = run(&s, free, steps, unsolved), second = run(&s, free, 3 * steps, unsolved);
    scene_free(&s);
    return second > 2 * first;
}

static void find(tacContactModel contact, int free, int ground) {
    double low = 0.9, high = 1.1, enough = 1.5, mu = tan(PI / 12);
    double close = contact == TAC_CONTACT_MODEL_LCP ? CLOSE_LCP : CLOSE_NCP;
    long unsolved = 0;
    while (high - low > close) {
        double middle = (low + high) / 2;
        int slip =
            slips(contact, free, mu * (ground ? enough : middle), mu / 3 * (ground ? middle : enough), &unsolved);
        if (slip)
            low = middle;
        else
            high = middle;
    }
    printf("{\"bodies\":\"%s\",\"where\":\"%s\",\"unsolved\":%ld", free ? "free" : "planar",
           ground ? "ground" : "between", unsolved);
    scene_print(0, "error", (low + high) / 2 - 1);
    printf("}\n");
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: %s lcp|ncp\n", argv[0]), 2;
    tacContactModel contact = scene_contact_named(argv[1]);
    for (int k = 0; k < 4; k++)
        find(contact, k / 2, k % 2);
    return 0;
}
