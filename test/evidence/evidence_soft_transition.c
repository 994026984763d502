/* Derivatives of steps of contact soft beside MuJoCo's own finite differences of its step (mjd_transitionFD, centred),
 * at random states in contact where both engines find the same contacts: where their steps agree. MuJoCo 2.2.2 is given
 * the reference that connects and welds have since 3.7 (peers/mujoco_reference.h). usage:
 * evidence_soft_transition STATES FILE.xml ...; a JSON line for each file:
 * {"model":..., "states":n, "same":n, "within":n, "median":error, "worst":error} */
#include "measure/draw_contact.h"
#include "scene.h"
#include "test/peers/mujoco_reference.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 1024, SEED = 17 };
/* Of the velocities' change in the step, relative: what says that the contacts are the same. */
static const double TOL_STEP = 1e-8;
/* Of A and B, relative to max(1, largest entry). */
static const double TOL_DERIVATIVE = 1e-4;
static const double EPSILON = 1e-5;

typedef struct Both {
    tacModel *m;
    tacSim *sim;
    tacOptions options;
    mjModel *mj;
    mjData *d;
    double *x, *u, *y, *A, *B, *peer_A, *peer_B;
} Both;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static void fail(const char *path, const char *text) {
    fprintf(stderr, "%s: %s\n", path, text);
    exit(2);
}

static Both open_both(const char *path) {
    Both b = {0};
    tacError err;
    char message[MESSAGE];
    if (tac_load(path, &b.m, &err) != TAC_OK) fail(path, err.text);
    b.options = tac_default_options(b.m);
    b.options.contact = TAC_CONTACT_MODEL_SOFT, b.options.integrator = TAC_INTEGRATOR_EULER;
    if (tac_sim_new(b.m, &b.options, &b.sim, &err) != TAC_OK) fail(path, err.text);
    b.mj = mj_loadXML(path, NULL, message, sizeof message);
    if (b.mj == NULL) fail(path, message);
    *b.m->option_cone = TAC_CONE_ELLIPTIC,
    b.mj->opt.cone = mjCONE_ELLIPTIC; /* pyramids turn with the contact's frame */
    b.mj->opt.integrator = mjINT_EULER, b.mj->opt.tolerance = 1e-15, b.mj->opt.iterations = 300;
    b.d = mj_makeData(b.mj);
    reference_begin(b.mj);
    int ndx = tac_ndx(b.m), nu = b.m->nu;
    b.x = numbers(tac_nx(b.m)), b.u = numbers(nu), b.y = numbers(tac_nx(b.m));
    b.A = numbers(ndx * ndx), b.B = numbers(ndx * nu), b.peer_A = numbers(ndx * ndx), b.peer_B = numbers(ndx * nu);
    return b;
}

static void close_both(Both *b) {
    double *arrays[] = {b->x, b->u, b->y, b->A, b->B, b->peer_A, b->peer_B};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    reference_end();
    mj_deleteData(b->d), mj_deleteModel(b->mj);
    tac_sim_free(b->sim), tac_model_free(b->m);
}

static void give_state(Both *b) {
    const tacModel *m = b->m;
    mj_resetData(b->mj, b->d);
    memcpy(b->d->qpos, b->x, (size_t)m->nq * sizeof(double));
    memcpy(b->d->qvel, b->x + m->nq, (size_t)m->nv * sizeof(double));
    memcpy(b->d->act, b->x + m->nq + m->nv, (size_t)m->na * sizeof(double));
    memcpy(b->d->ctrl, b->u, (size_t)m->nu * sizeof(double));
}

static int steps_agree(Both *b) {
    const tacModel *m = b->m;
    double error = 0, largest = 0;
    give_state(b);
    mj_step(b->mj, b->d);
    for (int i = 0; i < m->nv; i++) {
        double before = b->x[m->nq + i];
        error = fmax(error, fabs(b->y[m->nq + i] - b->d->qvel[i]));
        largest = fmax(largest, fabs(b->d->qvel[i] - before));
    }
    return error <= TOL_STEP * largest;
}

/* Error of A and B; -1: the two find other contacts. */
static double compare(Both *b, uint64_t state) {
    int ndx = tac_ndx(b->m);
    measure_draw_contact_state(b->sim, b->m, &b->options, SEED, state, b->x, b->u);
    if (tac_step_jac(b->sim, b->x, b->u, b->y, &(tacJac){b->A, b->B, NULL}, NULL) != TAC_OK) return (double)INFINITY;
    if (!steps_agree(b)) return -1;
    give_state(b);
    mj_forward(b->mj, b->d);
    mjd_transitionFD(b->mj, b->d, EPSILON, 1, b->peer_A, b->peer_B, NULL, NULL);
    return fmax(relative_error(ndx * ndx, b->A, b->peer_A), relative_error(ndx * b->m->nu, b->B, b->peer_B));
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *path, int states) {
    Both b = open_both(path);
    double *errors = numbers(states);
    int same = 0, within = 0;
    for (int k = 0; k < states; k++) {
        double error = compare(&b, (uint64_t)k);
        if (error < 0) continue;
        errors[same++] = error, within += error <= TOL_DERIVATIVE;
    }
    qsort(errors, (size_t)same, sizeof *errors, ascending);
    printf("{\"model\":\"%s\",\"states\":%d,\"same\":%d,\"within\":%d", path, states, same, within);
    scene_print(0, "median", same > 0 ? errors[same / 2] : 0);
    scene_print(0, "worst", same > 0 ? errors[same - 1] : 0);
    printf("}\n");
    free(errors);
    close_both(&b);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: evidence_soft_transition STATES FILE.xml ...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        report(argv[i], atoi(argv[1]));
    return 0;
}
