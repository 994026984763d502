/* A block 0.1 m wide and 0.5 m high rocks on a floor without restitution, with steps that stop at impacts. Let go at
 * 0.05 rad about one edge, it falls on the other one: its angular velocity is multiplied by 1 - 3/2 sin^2(alpha), tan
 * alpha = b/h. One JSON line per time step and start:
 *   evidence_rocking
 *   {"dt":s, "steps":n, "ratio":r, "error":r - theory, "impacts":n, "unsolved":n}
 * steps counts those that change the angular velocity by more than forces do. A step's velocity is that of its middle;
 * both velocities are extrapolated to the time of the impact by parabolas through three steps before and after. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH  0.1 /* m */
#define HEIGHT 0.5
#define ANGLE  0.05 /* rad */
/* rad/s^2: forces accelerate the block by 3 g/(4 R) sin alpha, 5.7, at most. */
#define FORCES 12.0
enum { STARTS = 4, MOST_STEPS = 20000 };

static tacModel *build(double dt) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef plane = tac_default_geom(), box = tac_default_geom();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    tacOptionDef option = tac_default_option();
    tacModel *m = NULL;
    tacError err;
    option.timestep = dt;
    tac_model_set_option(b, &option);
    plane.type = TAC_GEOM_PLANE, plane.friction[0] = 2;
    plane.size[0] = plane.size[1] = plane.size[2] = 1;
    tac_model_add_geom(b, 0, &plane);
    box.type = TAC_GEOM_BOX, box.friction[0] = 2;
    box.size[0] = WIDTH / 2, box.size[1] = 0.1, box.size[2] = HEIGHT / 2;
    int id = tac_model_add_body(b, 0, &body);
    joint.type = TAC_JOINT_FREE;
    tac_model_add_joint(b, id, &joint);
    tac_model_add_geom(b, id, &box);
    tacStatus status = tac_model_finish(b, &m, &err);
    tac_builder_free(b);
    if (status != TAC_OK) fprintf(stderr, "%s\n", err.text), exit(2);
    return m;
}

/* Tilted by `angle` about y, on its edge, one gap above the floor. */
static void place(double *x, double angle) {
    double s = sin(angle), c = cos(angle);
    x[0] = x[1] = 0;
    x[2] = 1e-6 + (WIDTH / 2) * fabs(s) + (HEIGHT / 2) * c;
    x[3] = cos(angle / 2), x[4] = 0, x[5] = sin(angle / 2), x[6] = 0;
}

/* Value at t of the parabola through three points. */
static double extrapolate(const double *time, const double *value, double t) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double weight = 1;
        for (int j = 0; j < 3; j++)
            if (j != i) weight *= (t - time[j]) / (time[i] - time[j]);
        sum += weight * value[i];
    }
    return sum;
}

static void rock(double dt, double angle) {
    static double time[MOST_STEPS], speed[MOST_STEPS];
    tacModel *m = build(dt);
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_LCP, options.toi = 1, options.dt = dt;
    Scene s = scene_with("block", m, &options);
    int changed = 0, first = -1, after = 0, n = 0, unsolved = 0, impacts = 0;
    double when = 0, before = 0;
    tac_default_state(m, s.x);
    place(s.x, angle);
    for (; n < MOST_STEPS && (first < 0 || after < 8); n++) {
        tacStepInfo info;
        unsolved += tac_step(s.sim, s.x, NULL, s.x, &info) != TAC_OK;
        time[n] = (n + 0.5) * dt, speed[n] = s.x[m->nq + 4];
        if (fabs(speed[n] - before) > FORCES * dt) {
            changed++;
            if (first < 0) first = n, when = n * dt + info.impact_time;
        }
        if (first >= 0) after++, impacts += info.impacts;
        before = speed[n];
    }
    double alpha = atan(WIDTH / HEIGHT), theory = 1 - 1.5 * sin(alpha) * sin(alpha);
    double ratio = first < 3 || n < first + changed + 3
                       ? HUGE_VAL
                       : extrapolate(time + first + changed, speed + first + changed, when) /
                             extrapolate(time + first - 3, speed + first - 3, when);
    printf("{\"dt\":%g,\"steps\":%d,\"impacts\":%d,\"unsolved\":%d", dt, changed, impacts, unsolved);
    scene_print(0, "ratio", ratio), scene_print(0, "error", ratio - theory);
    printf("}\n");
    scene_free(&s);
}

int main(int argc, char **argv) {
    if (argc != 1) return fprintf(stderr, "usage: %s\n", argv[0]), 2;
    for (int k = 0; k < STARTS; k++) { /* the impact falls on another part of its step */
        rock(1e-3, ANGLE + 1.3e-4 * k);
        rock(1e-4, ANGLE + 1.3e-5 * k);
    }
    return 0;
}
