/* A step's derivatives between bodies: the two maps around those of the step   (docs/theory/maximal.md, X9, X14) */
#include "step/maximal.h"

#include "math/dense.h"
#include "step/call.h"
#include "step/step_jvp.h"
#include "smooth/linearize.h"
#include "smooth/smooth_step.h"

#include <stdint.h>
#include <string.h>

/* Numbers at hand: of joint coordinates, at both ends. */
typedef struct Chain {
    int n, bodies, ndx, na, ninput, nparam; /* n = bodies + na rows */
    double *y, *pose, *twist, *q;
    double *A, *B, *P;   /* the step's own */
    double *N;           /* 2 nv x bodies: joint coordinates by bodies, at its start */
    double *T, *TB, *TP; /* bodies x ndx, ninput, nparam: bodies by joint coordinates, at its end */
    double *AN;          /* ndx x bodies */
    tacArena arena;      /* the caller's memory, which has all of these */
} Chain;

static Chain sizes(const tacModel *m, const tacOptions *options) {
    Chain c = {.bodies = TAC_BODY_MOVE * m->nbody, .ndx = tac_ndx(m), .na = m->na, .nparam = m->nparam};
    c.ninput = tac_ninput(m, options);
    c.n = c.bodies + c.na;
    return c;
}

/* An array of a chain: its pointer, and how many numbers it has. */
typedef struct Part {
    double **at;
    size_t n;
} Part;

enum { PARTS = 12 };

static void parts_of(Chain *c, const tacModel *m, Part part[PARTS]) {
    size_t bodies = (size_t)c->bodies, ndx = (size_t)c->ndx, ninput = (size_t)c->ninput, nparam = (size_t)c->nparam;
    const Part all[PARTS] = {{&c->y, (size_t)tac_nx(m)},
                             {&c->pose, TAC_POSE_SIZE * (size_t)m->nbody},
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

static int layout(const tacModel *m, tacArena *arena, Chain *c) {
    Part part[PARTS];
    parts_of(c, m, part);
    for (int i = 0; i < PARTS; i++)
        if ((*part[i].at = TAC_TAKE(arena, part[i].n, double)) == NULL) return 0;
    return 1;
}

size_t tac_step_maximal_bytes(const tacModel *model, const tacOptions *options) {
    if (model == NULL || !tac_options_are_set(options)) return 0;
    Chain c = sizes(model, options);
    tacArena dry = tac_arena_dry();
    layout(model, &dry, &c);
    return dry.peak;
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
    tacMinimal back = {.q = c->q, .v = c->q + sim->ctx.model->nq, .jac = c->N};
    memcpy(c->q, x, (size_t)sim->ctx.model->nq * sizeof *x);
    TAC_TRY(tac_to_maximal(sim, x, u, &z, NULL));
    return tac_to_minimal(sim, &z, &back);
}

static tacStatus check_memory(tacSim *sim, const char *call, const tacMaximalStep *step) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (step == NULL) return tac_sim_null(sim, call, "step");
    if (!tac_finite(step->span) || step->span < 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "step->span is %g, expected a finite time", step->span);
    if (step->memory == NULL) return tac_sim_null(sim, call, "step->memory");
    if ((uintptr_t)step->memory % TAC_ARENA_ALIGN != 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "step->memory is not aligned to %d bytes", TAC_ARENA_ALIGN);
    size_t need = tac_step_maximal_bytes(sim->ctx.model, &sim->ctx.options);
    if (step->bytes < need)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "step->bytes is %zu, expected at least %zu", step->bytes,
                            need);
    return TAC_OK;
}

/* The chain of the three maps, in memory that is laid out. */
static tacStatus chain_maps(tacSim *sim, const double *x, const double *u, const tacMaximalStep *step, const Chain *c,
                            tacStepInfo *info) {
    tacJac own = {step->A == NULL ? NULL : c->A, step->B == NULL ? NULL : c->B, step->P == NULL ? NULL : c->P};
    tacJac end = {c->T, step->B == NULL ? NULL : c->TB, step->P == NULL ? NULL : c->TP};
    tacMaximal z = {.span = step->span};
    tacStatus solved = tac_step_jac(sim, x, u, c->y, &own, info);
    if (!tac_went_on(solved)) return solved;
    TAC_TRY(tac_to_maximal(sim, c->y, u, &z, &end));
    if (step->A != NULL) TAC_TRY(start_map(sim, x, u, step->span, c));
    if (step->y != NULL) memcpy(step->y, c->y, (size_t)tac_nx(sim->ctx.model) * sizeof *c->y);
    if (step->A != NULL) carry_state(c, step->A);
    if (step->B != NULL) carry(c, c->ninput, c->B, c->TB, step->B);
    if (step->P != NULL) carry(c, c->nparam, c->P, c->TP, step->P);
    return solved;
}

tacStatus tac_step_maximal_jac(tacSim *sim, const double *x, const double *u, const tacMaximalStep *step,
                               tacStepInfo *info) {
    TAC_TRY(check_memory(sim, __func__, step));
    Chain c = sizes(sim->ctx.model, &sim->ctx.options);
    TAC_BORROW(&c.arena, step->memory, step->bytes);
    if (!layout(sim->ctx.model, &c.arena, &c)) return tac_end_call(sim, __func__, TAC_ERR_ARENA_FULL);
    return chain_maps(sim, x, u, step, &c, info);
}

/* --- Forward mode ------------------------------------------------------------------------------------------------- */

/* A direction on its way from the bodies at the start to those at the end. */
typedef struct Push {
    tacColumns c;
    double *y, *dx, *dy; /* nx, ndx, ndx */
    double *bodies;      /* 12 nbody: at the end */
} Push;

static int layout_push(const tacModel *m, tacColumns c, tacArena *arena, Push *p) {
    p->c = c;
    p->y = TAC_TAKE(arena, tac_nx(m), double);
    p->dx = TAC_TAKE(arena, c.nx, double);
    p->dy = TAC_TAKE(arena, c.nx, double);
    p->bodies = TAC_TAKE(arena, TAC_BODY_MOVE * m->nbody, double);
    return p->y != NULL && p->dx != NULL && p->dy != NULL && p->bodies != NULL;
}

void tac_step_maximal_measure_jvp(const tacModel *m, const tacOptions *options, const tacStepper *stepper,
                                  tacArena *dry) {
    TAC_SCOPE(dry);
    Push p;
    layout_push(m, tac_columns_of(m, options), dry, &p);
    tac_step_jvp_measure(m, options, stepper, dry);
    tac_to_maximal_measure(m, dry);
    tac_to_minimal_measure(m, dry);
}

static tacStatus check_along(tacSim *sim, const char *call, const tacMaximalTangent *along, const double *dz) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    const tacModel *m = sim->ctx.model;
    if (along == NULL) return tac_sim_null(sim, call, "along");
    if (dz == NULL) return tac_sim_null(sim, call, "dz");
    if (!tac_finite(along->span) || along->span < 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "along->span is %g, expected a finite time", along->span);
    if (along->z != NULL) TAC_TRY(tac_check_array(sim, call, "along->z", TAC_BODY_MOVE * m->nbody + m->na, along->z));
    return tac_check_direction(sim, call, &(tacTangent){NULL, along->u, along->theta});
}

static tacStatus push(tacSim *sim, const double *x, const double *u, const tacMaximalTangent *along, const Push *p,
                      tacStepInfo *info) {
    const tacModel *m = sim->ctx.model;
    size_t state = 2 * (size_t)m->nv, na = (size_t)m->na, bodies = TAC_BODY_MOVE * (size_t)m->nbody;
    memset(p->dx, 0, (size_t)p->c.nx * sizeof *p->dx);
    if (along->z != NULL) {
        TAC_TRY(tac_to_minimal_jvp(sim, x, u, along->span, along->z, p->dx));
        memcpy(p->dx + state, along->z + bodies, na * sizeof *p->dx);
    }
    tacStepCall call = {x, u, p->y};
    tacStatus solved = tac_step_jvp_told(sim, "tac_step_maximal_jvp", &call,
                                         &(tacTangent){p->dx, along->u, along->theta}, p->dy, info);
    if (!tac_went_on(solved)) return solved;
    TAC_TRY(tac_to_maximal_jvp(sim, p->y, u, along->span, &(tacTangent){p->dy, along->u, along->theta}, p->bodies));
    return tac_first_nonfinite((int)bodies, p->bodies) < 0 ? solved : TAC_ERR_NONFINITE;
}

/* dz = T A_step N dz + ... : one direction through the three                                                    (X9) */
tacStatus tac_step_maximal_jvp(tacSim *sim, const double *x, const double *u, const tacMaximalTangent *along,
                               double *dz, tacStepInfo *info) {
    int bad;
    Push p;
    tacStatus status = check_along(sim, __func__, along, dz);
    if (status == TAC_OK) status = tac_check_state(sim, __func__, x, u, &bad);
    if (status != TAC_OK) {
        tac_report(NULL, status, -1, info);
        return status;
    }
    const tacModel *m = sim->ctx.model;
    TAC_SCOPE(&sim->ctx.arena);
    if (!layout_push(m, tac_count_columns(&sim->ctx), &sim->ctx.arena, &p))
        return tac_end_call(sim, __func__, TAC_ERR_ARENA_FULL);
    status = push(sim, x, u, along, &p, info);
    if (tac_went_on(status)) {
        size_t bodies = TAC_BODY_MOVE * (size_t)m->nbody;
        memcpy(dz, p.bodies, bodies * sizeof *dz);
        memcpy(dz + bodies, p.dy + 2 * m->nv, (size_t)m->na * sizeof *dz);
    }
    return tac_end_call(sim, __func__, status);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* Covectors on their way from the bodies at the end to those at the start. */
typedef struct Pullback {
    tacColumns c;
    double *y;      /* nx */
    double *ybar;   /* ndx: weights of y */
    double *bar;    /* the step's own: x, u, theta */
    double *end;    /* u, theta: what acts at the end directly */
    double *bodies; /* 12 nbody: weights of those at the start */
} Pullback;

static int layout_pullback(const tacModel *m, tacColumns c, tacArena *arena, Pullback *p) {
    p->c = c;
    p->y = TAC_TAKE(arena, tac_nx(m), double);
    p->ybar = TAC_TAKE(arena, c.nx, double);
    p->bar = TAC_TAKE(arena, c.n, double);
    p->end = TAC_TAKE(arena, c.n, double);
    p->bodies = TAC_TAKE(arena, TAC_BODY_MOVE * m->nbody, double);
    return p->y != NULL && p->ybar != NULL && p->bar != NULL && p->end != NULL && p->bodies != NULL;
}

void tac_step_maximal_measure(const tacModel *m, const tacOptions *options, tacMeasure step, tacArena *dry) {
    TAC_SCOPE(dry);
    Pullback p;
    layout_pullback(m, tac_columns_of(m, options), dry, &p);
    step(m, options, dry);
    tac_to_maximal_measure(m, dry);
    tac_to_minimal_measure(m, dry);
}

/* Weights of the bodies at the end -> p->bar of the step, p->end. */
static tacStatus pull_step(tacSim *sim, const double *x, const double *u, const double *ybar,
                           const tacMaximalGrad *grad, Pullback *p) {
    const tacModel *m = sim->ctx.model;
    tacColumns c = p->c;
    tacStepInfo own = {0};
    tacStatus stepped = TAC_OK;
    if (grad->y != NULL) {
        memcpy(p->y, grad->y, (size_t)tac_nx(m) * sizeof *p->y);
    } else {
        stepped = sim->ctx.stepper->step(&sim->ctx, x, u, p->y);
        own = sim->ctx.info;
    }
    if (!tac_went_on(stepped)) return stepped;
    tacGrad end = {p->ybar, p->end, grad->theta == NULL ? NULL : p->end + c.nu};
    tacGrad bar = {p->bar, p->bar + c.nx, grad->theta == NULL ? NULL : p->bar + c.nx + c.nu};
    TAC_TRY(tac_to_maximal_vjp(sim, p->y, u, grad->span, ybar, &end));
    memcpy(p->ybar + 2 * m->nv, ybar + TAC_BODY_MOVE * m->nbody, (size_t)m->na * sizeof *ybar);
    if (tac_first_nonfinite(c.nx, p->ybar) >= 0) return TAC_ERR_NONFINITE;
    tacStatus status = sim->ctx.stepper->vjp(&sim->ctx, x, u, p->ybar, &bar);
    if (!tac_went_on(status) || stepped != TAC_ERR_UNSOLVED) return status;
    tac_restore_solve(&sim->ctx.info, &own);
    return stepped;
}

/* p->bar += p->end, p->bodies where they are asked for; all finite. */
static tacStatus pull_start(tacSim *sim, const double *x, const double *u, const tacMaximalGrad *grad, Pullback *p) {
    tacColumns c = p->c;
    int n = grad->theta == NULL ? c.nu : c.nu + c.np;
    for (int i = 0; i < n; i++)
        p->bar[c.nx + i] += p->end[i];
    if (tac_first_nonfinite(c.nx + n, p->bar) >= 0) return TAC_ERR_NONFINITE;
    if (grad->z == NULL) return TAC_OK;
    TAC_TRY(tac_to_minimal_vjp(sim, x, u, grad->span, p->bar, p->bodies));
    return tac_first_nonfinite(TAC_BODY_MOVE * sim->ctx.model->nbody, p->bodies) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

static void give(const Pullback *p, const tacModel *m, const tacMaximalGrad *grad) {
    size_t bodies = TAC_BODY_MOVE * (size_t)m->nbody, size = sizeof(double);
    const double *u = p->bar + p->c.nx, *theta = u + p->c.nu;
    if (grad->z != NULL) {
        memcpy(grad->z, p->bodies, bodies * size);
        memcpy(grad->z + bodies, p->bar + 2 * m->nv, (size_t)m->na * size);
    }
    if (grad->u != NULL) memcpy(grad->u, u, (size_t)p->c.nu * size);
    if (grad->theta != NULL) memcpy(grad->theta, theta, (size_t)p->c.np * size);
}

static tacStatus check_reverse(tacSim *sim, const char *call, const double *x, const double *u, const double *ybar,
                               const tacMaximalGrad *grad, int *bad) {
    TAC_TRY(tac_check_state(sim, call, x, u, bad));
    const tacModel *m = sim->ctx.model;
    if (grad == NULL) return tac_sim_null(sim, call, "grad");
    if (!tac_finite(grad->span) || grad->span < 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "grad->span is %g, expected a finite time", grad->span);
    TAC_TRY(tac_check_array(sim, call, "ybar", TAC_BODY_MOVE * m->nbody + m->na, ybar));
    return grad->y == NULL ? TAC_OK : tac_check_entries(sim, call, "grad->y", TAC_OF_STATE, grad->y);
}

/* A^T = N^T A_step^T T^T: one covector through the three                                                       (X14) */
tacStatus tac_step_maximal_vjp(tacSim *sim, const double *x, const double *u, const double *ybar,
                               const tacMaximalGrad *grad, tacStepInfo *info) {
    int bad;
    Pullback p;
    tacStatus solved = check_reverse(sim, __func__, x, u, ybar, grad, &bad);
    int began = solved == TAC_OK;
    if (began) {
        sim->ctx.work.ties = 0;
        sim->ctx.work.count_ties = info != NULL;
        TAC_SCOPE(&sim->ctx.arena);
        int room = layout_pullback(sim->ctx.model, tac_count_columns(&sim->ctx), &sim->ctx.arena, &p);
        solved = room ? pull_step(sim, x, u, ybar, grad, &p) : TAC_ERR_ARENA_FULL;
        tacStatus status = tac_went_on(solved) ? pull_start(sim, x, u, grad, &p) : solved;
        if (status == TAC_OK) give(&p, sim->ctx.model, grad);
        if (tac_went_on(solved) && status != TAC_OK) solved = status;
        solved = tac_end_call(sim, __func__, solved);
    }
    tac_report(began ? sim : NULL, solved, bad, info);
    return solved;
}
