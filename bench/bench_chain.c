/* Articulated bodies on chains of growing length: microseconds, and the exponent of growth. CSV:
 *   links,us_aba     then   exponent,VALUE (least squares of log time over log links) */
#include "measure/timing.h"

#include "dynamics/forward.h"
#include "dynamics/kinematics.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Chain {
    tacModel *m;
    tacWork w;
    double *q, *v, *tau, *a;
} Chain;

static tacModel *make_chain(int links) {
    tacBuilder *b = tac_model_begin();
    tacModel *m = NULL;
    tacError err;
    int parent = 0;
    for (int i = 0; i < links; i++) {
        tacBodyDef body = tac_default_body();
        body.pos = (tacVec3){0, 0, i == 0 ? 0 : -0.1};
        tacJointDef joint = tac_default_joint();
        joint.type = TAC_JOINT_HINGE;
        joint.axis = i % 2 ? (tacVec3){1, 0, 0} : (tacVec3){0, 1, 0};
        tacGeomDef geom = tac_default_geom();
        geom.type = TAC_GEOM_CAPSULE;
        geom.size[0] = 0.02, geom.size[1] = 0.04;
        geom.pos = (tacVec3){0, 0, -0.05};
        parent = tac_model_add_body(b, parent, &body);
        tac_model_add_joint(b, parent, &joint);
        tac_model_add_geom(b, parent, &geom);
    }
    if (tac_model_finish(b, &m, &err) != TAC_OK) fprintf(stderr, "%s\n", err.text);
    tac_builder_free(b);
    return m;
}

static void run_aba(void *context) {
    Chain *c = context;
    tac_kinematics_q(c->m, &c->w, c->q, NULL);
    tac_kinematics_v(c->m, &c->w, c->v);
    tac_aba(c->m, &c->w, c->v, c->tau, c->a);
}

/* Microseconds of kinematics plus aba for one chain, or a negative number. */
static double time_chain(int links) {
    Chain c = {.m = make_chain(links)};
    if (c.m == NULL) return -1;
    size_t bytes = tac_arena_round(tac_work_bytes(c.m));
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    tacArena arena;
    tac_arena_init(&arena, memory, bytes);
    tac_work_layout(&c.w, c.m, &arena);
    double *numbers = calloc((size_t)links * 4, sizeof *numbers);
    c.q = numbers, c.v = c.q + links, c.tau = c.v + links, c.a = c.tau + links;
    for (int i = 0; i < links; i++) {
        c.q[i] = 0.1 * tac_random_normal(2, 0, (uint64_t)i);
        c.v[i] = 0.1 * tac_random_normal(2, 1, (uint64_t)i);
    }
    benchTime t;
    bench_interleaved(1, (benchWork[]){run_aba}, (void *[]){&c}, 41, 2e-3, &t);
    free(numbers);
    free(memory);
    tac_model_free(c.m);
    return 1e6 * t.median;
}

int main(void) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    printf("links,us_aba\n");
    for (int links = 4; links <= 1024; links *= 2) {
        double us = time_chain(links);
        if (us < 0) return 2;
        printf("%d,%.4f\n", links, us);
        double x = log((double)links), y = log(us);
        n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    printf("exponent,%.4f\n", (n * sxy - sx * sy) / (n * sxx - sx * sx));
    return 0;
}
