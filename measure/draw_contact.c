#include "measure/draw_contact.h"

#include <stdlib.h>
#include <string.h>

/* Steps of the motion: at least so many, then until something touches, at most so many more. */
enum { MOTION_LEAST = 20, MOTION_SPREAD = 180, MOTION_MORE = 400, CONTROL_EVERY = 25 };
/* Share of the controls' range that is used, and speeds at the start (m/s, rad/s). */
#define CONTROL_SHARE 0.3
#define START_SPEED   0.7

typedef struct Draw {
    uint64_t seed, sample, next;
} Draw;

static double normal(Draw *d) { return tac_random_normal(~d->seed, d->sample, d->next++); }

static void draw_controls(const tacModel *m, Draw *d, double *u) {
    for (int a = 0; a < m->nu; a++) {
        const double *range = m->actuator_ctrlrange + 2 * a;
        double middle = m->actuator_ctrllimited[a] ? (range[0] + range[1]) / 2 : 0;
        double half = m->actuator_ctrllimited[a] ? (range[1] - range[0]) / 2 : 1;
        u[a] = middle + CONTROL_SHARE * half * normal(d);
    }
}

static void start(const tacModel *m, Draw *d, double *x) {
    tac_default_state(m, x);
    if (m->nkey > 0) memcpy(x, m->key_qpos, (size_t)m->nq * sizeof *x);
    for (int i = 0; i < m->nv; i++)
        x[m->nq + i] = START_SPEED * normal(d);
}

int measure_draw_contact_state(tacSim *sim, const tacModel *m, const tacOptions *options, uint64_t seed,
                               uint64_t sample, double *x, double *u) {
    Draw d = {seed, sample, 0};
    int least = MOTION_LEAST + (int)(tac_random_bits(~seed, sample, 1u << 20) % MOTION_SPREAD);
    double *next = malloc((size_t)(tac_nx(m) + 1) * sizeof *next);
    start(m, &d, x);
    tac_default_input(m, options, u);
    for (int k = 0; next != NULL && k < least + MOTION_MORE; k++) {
        tacStepInfo info;
        if (k % CONTROL_EVERY == 0) draw_controls(m, &d, u);
        tacStatus status = tac_step(sim, x, u, next, &info);
        if (status != TAC_OK && status != TAC_ERR_UNSOLVED) break;
        if (k >= least && info.contacts > 0 && status == TAC_OK) break;
        memcpy(x, next, (size_t)tac_nx(m) * sizeof *x);
    }
    free(next);
    return next != NULL;
}
