/* A step's derivatives between bodies: the two maps around those of the step   (docs/theory/maximal.md, X9) */
#include "step/maximal.h"

#include "math/dense.h"
#include "step/linearize.h"
#include "step/smooth_step.h"

#include <string.h>

/* Numbers at hand: of joint coordinates, at both ends. */
typedef struct Chain {
    int n, bodies, ndx, na, ninput, nparam; /* n = bodies + na rows */
    double *y, *pose, *twist, *q;
    double *A, *B, *P;   /* the step's own */
    double *N;           /* 2 nv x bodies: joint coordinates by bodies, at its start */
    double *T, *TB, *TP; /* bodies x ndx, ninput, nparam: bodies by joint coordinates, at its end */
    double *AN;          /* ndx x bodies */
} Chain;

static Chain sizes(const tacModel *m, const tacOptions *options) {
    Chain c = {.bodies = TAC_BODY_MOVE * m->nbody, .ndx = tac_ndx(m), .na = m->na, .nparam = m->nparam};
    c.ninput = tac_ninput(m, options);
    c.n = c.bodies + c.na;
    return c;
}

/* Where each array of a chain is, and how many numbers it has. */
typedef struct Part {
    double **at;
    size_t n;
} Part;

enum { PARTS = 12 };

static void parts_of(Chain *c, const tacModel *m, Part part[PARTS]) {
    size_t bodies = (size_t)c->bodies, ndx = (size_t)c->ndx, ninput = (size_t)c->ninput, nparam = (size_t)c->nparam;
    const Part all[PARTS] = {{&c->y, (size_t)tac_nx(m)},
                             {&c->pose, 7 * (size_t)m->nbody},
                             {&c->twist, 6 * (size_t)m->nbody},
                             {&c->q, (size_t)tac_nx(m)},
                             {&c->A, ndx * ndx},
                             {&c->B, ndx * ninput},
                             {&c->P, ndx * nparam},
                             {&c->N, 2 * (size_t)m->nv * bodies},
                             {&c->T, bodies * ndx},
                             {&c->TB, bodies * ninput},
                             {&c->TP, bodies * nparam},
                             {&c->AN, ndx * bodies}};
    memcpy(part, all, sizeof all);
}

size_t tac_step_maximal_bytes(const tacModel *model, const tacOptions *options) {
    if (model == NULL || options == NULL) return 0;
    Chain c = sizes(model, options);
    Part part[PARTS];
    size_t bytes = 0;
    parts_of(&c, model, part);
    for (int i = 0; i < PARTS; i++)
        bytes += tac_room(part[i].n);
    return bytes;
}

static int lay_out(Chain *c, const tacModel *m, const tacMaximalStep *step) {
    tacArena arena;
    Part part[PARTS];
    if (step->memory == NULL) return 0;
    tac_arena_init(&arena, step->memory, step->bytes);
    parts_of(c, m, part);
    for (int i = 0; i < PARTS; i++)
        if ((*part[i].at = TAC_TAKE(&arena, part[i].n, double)) == NULL) return 0;
    return 1;
}

/* out (n x k) = [T 0; 0 1] D + [direct; 0], D ndx x k with the activations' rows last; direct NULL: none. */
static void carry(const Chain *c, int k, const double *D, const double *direct, double *out) {
    size_t columns = (size_t)k, bodies = (size_t)c->bodies;
    tac_dense_mul(c->bodies, c->ndx, k, c->T, D, out);
    for (size_t i = 0; direct != NULL && i < bodies * columns; i++)
        out[i] += direct[i];
    memcpy(out + bodies * columns, D + (size_t)(c->ndx - c->na) * columns, (size_t)c->na * columns * sizeof *out);
}

/* A = [T 0; 0 1] A_step [N 0; 0 1], columns of activations last. */
static void carry_state(const Chain *c, double *out) {
    size_t n = (size_t)c->n, bodies = (size_t)c->bodies, ndx = (size_t)c->ndx, state = ndx - (size_t)c->na;
    for (size_t i = 0; i < ndx; i++) { /* row by row: A's columns of q and v alone */
        memset(c->AN + i * bodies, 0, bodies * sizeof *out);
        for (size_t k = 0; k < state; k++)
            tac_dense_axpy(c->bodies, c->A[i * ndx + k], c->N + k * bodies, c->AN + i * bodies);
    }
    for (size_t r = 0; r < n; r++) {
        double *row = out + r * n;
        memset(row, 0, n * sizeof *row);
        for (size_t k = 0; k < ndx; k++) {
            double t = r < bodies ? c->T[r * ndx + k] : (double)(k == state + r - bodies);
            tac_dense_axpy(c->bodies, t, c->AN + k * bodies, row);
            tac_dense_axpy(c->na, t, c->A + k * ndx + state, row + bodies);
        }
    }
}

/* N at x: through bodies and back. */
static tacStatus start_map(tacSim *sim, const double *x, const double *u, double span, const Chain *c) {
    tacMaximal z = {span, c->pose, c->twist};
    tacMinimal back = {.q = c->q, .v = c->q + sim->model->nq, .jac = c->N};
    memcpy(c->q, x, (size_t)sim->model->nq * sizeof *x);
    tacStatus status = tac_to_maximal(sim, x, u, &z, NULL);
    return status == TAC_OK ? tac_to_minimal(sim, &z, &back) : status;
}

tacStatus tac_step_maximal_jac(tacSim *sim, const double *x, const double *u, const tacMaximalStep *step,
                               tacStepInfo *info) {
    if (sim == NULL || step == NULL || !tac_finite(step->span) || step->span < 0) return TAC_ERR_ARGUMENT;
    Chain c = sizes(sim->model, &sim->options);
    if (!lay_out(&c, sim->model, step)) return TAC_ERR_ARGUMENT;
    tacJac own = {step->A == NULL ? NULL : c.A, step->B == NULL ? NULL : c.B, step->P == NULL ? NULL : c.P};
    tacJac end = {c.T, step->B == NULL ? NULL : c.TB, step->P == NULL ? NULL : c.TP};
    tacMaximal z = {.span = step->span};
    tacStatus solved = tac_step_jac(sim, x, u, c.y, &own, info);
    if (!tac_went_on(solved)) return solved;
    tacStatus status = tac_to_maximal(sim, c.y, u, &z, &end);
    if (status == TAC_OK && step->A != NULL) status = start_map(sim, x, u, step->span, &c);
    if (status != TAC_OK) return status;
    if (step->y != NULL) memcpy(step->y, c.y, (size_t)tac_nx(sim->model) * sizeof *c.y);
    if (step->A != NULL) carry_state(&c, step->A);
    if (step->B != NULL) carry(&c, c.ninput, c.B, c.TB, step->B);
    if (step->P != NULL) carry(&c, c.nparam, c.P, c.TP, step->P);
    return solved;
}
