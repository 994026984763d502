/* Steps of contact ncp on scenes of growing size: chains that float, boxes apart on a floor, where they have come to
 * rest. CSV:
 *   scene,count,nv,contacts,iterations,us_step,us_jac,us_vjp,residual,unsolved
 * Means over the states that are timed; us_jac is empty where a Jacobian has more than MOST_COLUMNS columns.
 *
 * usage: bench_ncp [chain|boxes]   one of them; both */
#include "timing.h"

#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 21, STATES = 16, SETTLING = 50, LEAST_LINKS = 4, MOST = 256, MOST_COLUMNS = 800, SEED = 3 };
#define BATCH_SECONDS 2e-3
#define TIME_STEP     0.01
#define HALF_SIZE     0.1
#define SPEED         2.0 /* rad/s, over the number of links: at the chain's joints at first */

typedef struct Scene {
    tacModel *m;
    tacSim *sim;
    double *states, *u, *y, *A, *gx, *gu;
    int at, unsolved;
    double contacts, iterations, residual;
} Scene;

static const double *next_state(Scene *s) {
    const double *x = s->states + (size_t)s->at * (size_t)tac_nx(s->m);
    s->at = (s->at + 1) % STATES;
    return x;
}

static void run_step(void *context) {
    Scene *s = context;
    tac_step(s->sim, next_state(s), s->u, s->y, NULL);
}

static void run_vjp(void *context) {
    Scene *s = context;
    tac_step_vjp(s->sim, next_state(s), s->u, s->y, &(tacGrad){s->gx, s->gu, NULL}, NULL);
}

static void run_jac(void *context) {
    Scene *s = context;
    tac_step_jac(s->sim, next_state(s), s->u, s->y, &(tacJac){s->A, NULL, NULL}, NULL);
}

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

static double *numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

static int open_scene(Scene *s, int chain) {
    tacError err;
    tacOptions options = tac_default_options(s->m);
    options.contact = TAC_NCP, options.dt = TIME_STEP;
    if (!chain) options.max_contacts = 16 * s->m->nbody;
    if (tac_sim_new(s->m, &options, &s->sim, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    size_t nx = (size_t)tac_nx(s->m), ndx = (size_t)tac_ndx(s->m), nu = (size_t)tac_ninput(s->m, &options);
    s->states = numbers(STATES * nx), s->y = numbers(nx), s->u = numbers(nu), s->gx = numbers(ndx), s->gu = numbers(nu);
    s->A = ndx <= MOST_COLUMNS ? numbers(ndx * ndx) : NULL;
    if (!s->states || !s->y || !s->u || !s->gx || !s->gu) return fprintf(stderr, "out of memory\n");
    tac_default_state(s->m, s->states);
    for (int i = 6; chain && i < s->m->nv; i++)
        s->states[s->m->nq + i] = SPEED / s->m->nbody * tac_random_normal(SEED, 0, (uint64_t)i);
    return 0;
}

static int move(Scene *s) {
    size_t nx = (size_t)tac_nx(s->m);
    double *x = s->states;
    for (int k = -SETTLING; k < STATES; k++) {
        tacStepInfo info;
        tacStatus status = tac_step(s->sim, x, s->u, s->y, &info);
        if (status != TAC_OK && status != TAC_ERR_UNSOLVED) return fprintf(stderr, "%s\n", tac_status_text(status));
        if (k >= 0) {
            s->contacts += (double)info.contacts / STATES, s->iterations += (double)info.iterations / STATES;
            s->residual = fmax(s->residual, info.residual), s->unsolved += status != TAC_OK;
            x += nx;
        }
        if (k < STATES - 1) memcpy(x, s->y, nx * sizeof *x);
    }
    return 0;
}

static void measure(Scene *s, const char *name, int count) {
    const benchWork work[] = {run_step, run_vjp, run_jac};
    void *context[] = {s, s, s};
    benchTime t[3];
    bench_interleaved(s->A != NULL ? 3 : 2, work, context, BATCHES, BATCH_SECONDS, t);
    printf("%s,%d,%d,%.2f,%.2f,%.3f,", name, count, s->m->nv, s->contacts, s->iterations, 1e6 * t[0].median);
    if (s->A != NULL) printf("%.3f", 1e6 * t[2].median);
    printf(",%.3f,%.1e,%d\n", 1e6 * t[1].median, s->residual, s->unsolved);
    fflush(stdout);
}

static int bench(const char *name, int count) {
    Scene s = {0};
    tacError err;
    int chain = strcmp(name, "chain") == 0, bad = 0;
    if ((chain ? make_chain(count, &s.m, &err) : make_boxes(count, &s.m, &err)) != TAC_OK)
        return fprintf(stderr, "%s\n", err.text);
    bad = open_scene(&s, chain) || move(&s);
    if (!bad) measure(&s, name, count);
    double *all[] = {s.states, s.u, s.y, s.A, s.gx, s.gu};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    tac_sim_free(s.sim), tac_model_free(s.m);
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
