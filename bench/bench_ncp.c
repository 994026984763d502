/* Steps of contact ncp on scenes of growing size: chains that float, boxes apart on a floor, where they have come to
 * rest. CSV:
 *   scene,count,nv,contacts,iterations,us_step,us_jac,us_vjp,residual,unsolved
 * Means over the states that are timed; us_jac is empty where a Jacobian has more than MOST_COLUMNS columns.
 *
 * usage: bench_ncp [chain|boxes]   one of them; both */
#include "motion_states.h"
#include "timing.h"

#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCHES = 21, STATES = 16, SETTLING = 50, LEAST_LINKS = 4, MOST = 256, MOST_COLUMNS = 800, SEED = 3 };
#define BATCH_SECONDS 2e-3
#define TIME_STEP     0.01
#define HALF_SIZE     0.1
#define SPEED         2.0 /* rad/s, over the number of links: at the chain's joints at first */

static tacStatus make_chain(int links, tacModel **m, tacError *err) {
    tacChain chain = tac_default_chain();
    chain.bodies = links, chain.free_root = 1;
    return tac_chain_build(&chain, m, err);
}

/* A metre and a half apart, so that boxes do not meet. */
static tacStatus make_boxes(int n, tacModel **m, tacError *err) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef plane = tac_default_geom();
    int side = (int)ceil(sqrt((double)n));
    plane.type = TAC_PLANE, plane.size[0] = plane.size[1] = plane.size[2] = 1;
    tac_model_add_geom(b, 0, &plane);
    for (int i = 0; i < n; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        tacGeomDef geom = tac_default_geom();
        body.pos = (tacVec3){1.5 * (i % side), 1.5 * (i / side), HALF_SIZE + 1e-4};
        joint.type = TAC_FREE;
        geom.type = TAC_BOX, geom.size[0] = geom.size[1] = geom.size[2] = HALF_SIZE;
        int added = tac_model_add_body(b, 0, &body);
        tac_model_add_joint(b, added, &joint);
        tac_model_add_geom(b, added, &geom);
    }
    tacStatus status = tac_model_finish(b, m, err);
    tac_model_abandon(b);
    return status;
}

/* At rest, but for a chain's joints. */
static int open_scene(benchMotion *s, const tacModel *m, int chain) {
    tacOptions options = tac_default_options(m);
    options.contact = TAC_NCP, options.dt = TIME_STEP;
    if (!chain) options.max_contacts = 16 * m->nbody;
    int bad = bench_motion_open(s, m, &options, STATES, MOST_COLUMNS);
    for (int i = 6; !bad && chain && i < m->nv; i++)
        s->states[m->nq + i] = SPEED / m->nbody * tac_random_normal(SEED, 0, (uint64_t)i);
    return bad;
}

static void measure(benchMotion *s, const char *name, int count) {
    const benchWork work[] = {bench_motion_step, bench_motion_vjp, bench_motion_jac};
    void *context[] = {s, s, s};
    benchTime t[3];
    bench_interleaved(s->A != NULL ? 3 : 2, work, context, BATCHES, BATCH_SECONDS, t);
    printf("%s,%d,%d,%.2f,%.2f,%.3f,", name, count, s->m->nv, s->contacts, s->iterations, 1e6 * t[0].median);
    if (s->A != NULL) printf("%.3f", 1e6 * t[2].median);
    printf(",%.3f,%.1e,%d\n", 1e6 * t[1].median, s->residual, s->unsolved);
    fflush(stdout);
}

static int bench(const char *name, int count) {
    benchMotion s;
    tacModel *m = NULL;
    tacError err;
    int chain = strcmp(name, "chain") == 0;
    if ((chain ? make_chain(count, &m, &err) : make_boxes(count, &m, &err)) != TAC_OK)
        return fprintf(stderr, "%s\n", err.text);
    int bad = open_scene(&s, m, chain) || bench_motion_run(&s, SETTLING);
    if (!bad) measure(&s, name, count);
    bench_motion_free(&s);
    tac_model_free(m);
    return bad;
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : "";
    printf("scene,count,nv,contacts,iterations,us_step,us_jac,us_vjp,residual,unsolved\n");
    for (int n = LEAST_LINKS; n <= MOST && strcmp(only, "boxes") != 0; n *= 2)
        if (bench("chain", n)) return 2;
    for (int n = 1; n <= MOST && strcmp(only, "chain") != 0; n *= 4)
        if (bench("boxes", n)) return 2;
    return 0;
}
