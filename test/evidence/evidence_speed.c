/* Times of a step and its derivatives, on request:
 *
 *   evidence_speed MODEL.. <requests >answers
 *
 * Simulations are numbered model by model, each with every contact model. A request is a line "simulation piece calls";
 * its answer is the thread's CPU time per call in nanoseconds. The caller alternates between the programs of two
 * versions every few milliseconds, so that both meet the same clock rate and the same neighbours.
 *
 * Public interface only, so that the same file compiles against another version of the library. */
#define _POSIX_C_SOURCE 200809L
#include <tactus/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONTACTS = 4, SKIPPED = 30, STATES = 32 };

static const tacContactModel CONTACT[CONTACTS] = {TAC_CONTACT_MODEL_NONE, TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP,
                                                  TAC_CONTACT_MODEL_SOFT};

typedef struct Scene {
    tacSim *sim;
    size_t nx;
    int at;                             /* the next state's number */
    double *states, *u;                 /* STATES states of a motion */
    double *y, *A, *B, *ybar, *gx, *gu; /* what the pieces read and write */
} Scene;

static double *doubles(int n) { return calloc((size_t)(n > 0 ? n : 1), sizeof(double)); }

/* --- The pieces: one call each --- */

static void run_step(Scene *s, const double *x) { tac_step(s->sim, x, s->u, s->y, NULL); }

static void run_jac(Scene *s, const double *x) {
    tac_step_jac(s->sim, x, s->u, s->y, &(tacJac){s->A, s->B, NULL}, NULL);
}

static void run_vjp(Scene *s, const double *x) {
    tac_step_vjp(s->sim, x, s->u, s->ybar, &(tacGrad){s->gx, s->gu, NULL}, NULL);
}

static void (*const PIECES[])(Scene *, const double *) = {run_step, run_jac, run_vjp};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The states of a motion in turn; the first ones fill the caches. */
static double time_calls(Scene *s, int piece, int calls) {
    double begin = 0;
    for (int k = -STATES / 4; k < calls; k++) {
        if (k == 0) begin = now();
        PIECES[piece](s, s->states + (size_t)s->at * s->nx);
        s->at = (s->at + 1) % STATES;
    }
    return (now() - begin) / calls;
}

/* --- The simulations --- */

static int open_scene(const tacModel *m, tacContactModel contact, Scene *s) {
    tacOptions options = tac_default_options(m);
    options.contact = contact;
    if (tac_sim_new(m, &options, &s->sim, NULL) != TAC_OK) return 0;
    int nx = tac_nx(m), ndx = tac_ndx(m), nu = tac_ninput(m, &options);
    s->nx = (size_t)nx;
    s->states = doubles(STATES * nx), s->u = doubles(nu), s->y = doubles(nx);
    s->A = doubles(ndx * ndx), s->B = doubles(ndx * nu), s->gx = doubles(ndx), s->gu = doubles(nu);
    s->ybar = doubles(ndx);
    for (int i = 0; i < ndx; i++)
        s->ybar[i] = 1 + i % 3;
    tac_default_state(m, s->states);
    if (m->nkey > 0) memcpy(s->states, m->key_qpos, (size_t)m->nq * sizeof(double));
    if (m->nkey > 0) memcpy(s->u, m->key_ctrl, (size_t)m->nu * sizeof(double));
    for (int k = 1 - SKIPPED; k < STATES; k++) {
        double *to = s->states + (k > 0 ? (size_t)k * s->nx : 0);
        tac_step(s->sim, k > 1 ? to - s->nx : s->states, s->u, to, NULL);
    }
    return 1;
}

static int answer_requests(Scene *scenes, int n) {
    int scene, piece, calls;
    while (scanf("%d %d %d", &scene, &piece, &calls) == 3) {
        if (scene < 0 || scene >= n || piece < 0 || piece > 2 || calls < 1) return 2;
        printf("%.1f\n", time_calls(scenes + scene, piece, calls));
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv) {
    int n = 0;
    Scene *scenes = calloc((size_t)argc * CONTACTS, sizeof *scenes);
    for (int i = 1; i < argc; i++) {
        tacError err;
        tacModel *model;
        if (tac_load(argv[i], &model, &err) != TAC_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
        for (int c = 0; c < CONTACTS; c++)
            if (!open_scene(model, CONTACT[c], scenes + n++)) return 2;
    }
    return answer_requests(scenes, n); /* memory goes with the process */
}
