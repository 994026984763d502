#include "contact/lcp/toi/step.h"

#include "dynamics/actuator.h"
#include "math/scalar.h"
#include "smooth/turning.h"

#include <string.h>

/* Relative to the time left: an impact closer to the end of the step is left to the next step. */
#define LAST_MOMENT 1e-9

/* --- Kick and impact ---------------------------------------------------------------------------------------------- */

static void note_held(tacFlight *f, const tacLcp *lcp) {
    f->nheld = 0;
    for (int c = 0; c < lcp->rows.ncontact; c++) {
        const tacContact *contact = &lcp->rows.contact[c];
        if (lcp->row_class[lcp->rows.first_row[c]] != TAC_ROW_FREE || tac_flight_is_held(f, contact->geom)) continue;
        memcpy(f->held + 2 * f->nheld++, contact->geom, sizeof contact->geom);
    }
}

/* v <- v + h a, a with the rows of what touches; next activations. lcp is left in the arena. */
static tacStatus kick(tacFlight *f, tacLcp *lcp) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    double h = ctx->options.dt;
    tac_evaluate(ctx, f->x, f->u);
    int too_fast = 0;
    TAC_TRY(tac_turning_accelerate(ctx, f->x, f->u, tac_implicit_damping(ctx, f->scratch), &too_fast));
    for (int i = 0; i < m->nv; i++)
        f->v_free[i] = f->x[m->nq + i] + h * w->qacc[i];
    if (tac_first_nonfinite(m->nv, f->v_free) >= 0) return TAC_ERR_NONFINITE;
    TAC_TRY(tac_flight_solve(f, f->v_free, 0, lcp));
    if (too_fast) {
        f->unsolved = 1;
        ctx->info.reason = TAC_REASON_SPIN;
    }
    note_held(f, lcp);
    tac_lcp_add_impulses(ctx, lcp, f->scratch);
    return tac_advance(ctx, f->x);
}

/* v <- v + undone + M^-1 J^T f at once. Needs: tac_evaluate at x. */
static tacStatus strike(tacFlight *f, tacLcp *lcp) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    double share = (ctx->options.dt - f->left) / ctx->options.dt - 0.5;
    for (int i = 0; i < m->nv; i++) {
        f->undone[i] = share * f->given[i];
        f->undo[i] = 0;
        f->truth[i] = f->x[m->nq + i] + share * f->kick[i];
    }
    TAC_TRY(tac_factor(m, w, NULL));
    TAC_TRY(tac_flight_solve(f, f->x + m->nq, 1, lcp));
    memset(w->qacc, 0, (size_t)m->nv * sizeof *w->qacc);
    tac_lcp_add_impulses(ctx, lcp, f->scratch);
    for (int i = 0; i < m->nv; i++)
        w->next[m->nq + i] = f->x[m->nq + i] + (f->undo[i] ? f->undone[i] : 0) + lcp->h * w->qacc[i];
    return tac_first_nonfinite(m->nv, w->next + m->nq) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

/* The kick with its derivative. */
static tacStatus begin(tacFlight *f) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(kick(f, &lcp));
    TAC_TRY(tac_flight_add_forces(f, &lcp));
    if (f->d != NULL) {
        memcpy(f->scratch, ctx->work.vec[0], (size_t)m->nv * sizeof(double));
        TAC_TRY(tac_lcp_linearize(ctx, f->x, f->u, &lcp, 0, f->d->c, f->d->W));
        TAC_TRY(tac_flight_kick_jac(f, f->x));
        TAC_TRY(tac_flight_given_jac(f, f->x));
        TAC_TRY(tac_flight_forces_jac(f, &lcp));
    }
    for (int i = 0; i < m->nv; i++) {
        f->kick[i] = ctx->work.next[m->nq + i] - f->x[m->nq + i];
        f->given[i] = f->nheld > 0 ? ctx->work.next[m->nq + i] - f->v_free[i] : 0;
    }
    memcpy(f->x + m->nq, ctx->work.next + m->nq, (size_t)m->nv * sizeof(double));
    memcpy(f->act, ctx->work.next + m->nq + m->nv, (size_t)m->na * sizeof(double));
    return TAC_OK;
}

static int is_stopped(const tacFlight *f) { return f->stop > 0 && f->ctx->info.impacts == f->stop; }

/* Notes which part of the kick the outputs of forces have to subtract. Only the first impact of a step has one. */
static void note_undone(const tacFlight *f) {
    tacFlightForces *z = f->z;
    double h = f->ctx->options.dt;
    int any = 0;
    for (int i = 0; z != NULL && i < f->ctx->model->nv; i++)
        if (f->undo[i]) z->undo[i] = any = 1;
    if (!any) return;
    z->undone = 1;
    z->share = (h - f->left) / h - 0.5;
    if (z->dshare != NULL) tac_flight_late_jac(f, z->dshare);
}

/* An impact with its derivative. Needs: tac_evaluate at x. lcp is left in the arena. */
static tacStatus solve_impact(tacFlight *f, tacLcp *lcp) {
    tacContext *ctx = f->ctx;
    TAC_TRY(strike(f, lcp));
    note_undone(f);
    TAC_TRY(tac_flight_add_forces(f, lcp));
    if (f->d == NULL) return TAC_OK;
    TAC_TRY(tac_flight_forces_jac(f, lcp));
    TAC_TRY(tac_lcp_linearize(ctx, f->x, f->u, lcp, 1, f->d->c, f->d->W));
    tac_flight_impact_jac(f);
    return tac_flight_lag_jac(f, lcp);
}

/* Solves an impact. The problem of the impact at which the flight stops stays in the arena for the caller. */
static tacStatus collide(tacFlight *f) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    if (is_stopped(f)) {
        *f->stopped = (tacLcp){.unsolved = 0};
        return solve_impact(f, f->stopped);
    }
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    f->since = 0;
    TAC_TRY(solve_impact(f, &lcp));
    memcpy(f->x + m->nq, ctx->work.next + m->nq, (size_t)m->nv * sizeof(double));
    return TAC_OK;
}

/* --- Drift -------------------------------------------------------------------------------------------------------- */

static tacStatus drift(tacFlight *f, double t) {
    const tacModel *m = f->ctx->model;
    for (int i = 0; i < m->nv; i++)
        f->scratch[i] = t * f->x[m->nq + i];
    if (f->d != NULL) tac_flight_drift_jac(f, t);
    tac_qpos_add(m, f->x, f->scratch, f->x);
    f->left -= t;
    f->since += t;
    return tac_first_nonfinite(m->nq, f->x) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

/* Number of the level, among gap, gap/2, gap/4, ..., at which two geoms meet. */
static int level_of(double dist) {
    int level = 0;
    for (double least = 0.75 * TAC_TOI_GAP; dist < least && level < 2 * TAC_IMPACT_LEVELS; least /= 2)
        level++;
    return level;
}

/* Reports an impact: its pair, distance and time, and its margin to an impact after the step. */
static void note_impact(tacFlight *f, const tacImpactPair *pair) {
    tacStepInfo *info = &f->ctx->info;
    double h = f->ctx->options.dt;
    if (info->impacts++ == 0) info->impact_time = h - f->left;
    int level = level_of(pair->dist);
    info->active_set = tac_hash(pair->geom, sizeof pair->geom, info->active_set);
    info->active_set = tac_hash(&level, sizeof level, info->active_set);
    info->class_margin = tac_min(info->class_margin, tac_abs(pair->rate) * f->left / h);
}

/* Drifts to where the pair meets, and solves the impact. */
static tacStatus meet(tacFlight *f, const tacImpactPair *pair) {
    tacContext *ctx = f->ctx;
    TAC_TRY(drift(f, pair->time));
    note_impact(f, pair);
    memcpy(f->met, pair->geom, sizeof f->met);
    tac_evaluate(ctx, f->x, f->u);
    if (f->d != NULL) {
        TAC_TRY(tac_place_geoms(ctx->model, &ctx->work, &ctx->scene));
        TAC_TRY(tac_flight_time_jac(f, pair->geom));
        tac_flight_stop_jac(f);
    }
    return collide(f);
}

/* Drifts to the step's end. */
static tacStatus land(tacFlight *f) {
    tacStatus status = drift(f, f->left);
    f->unsolved |= f->sunk > TAC_TOI_SUNK;
    f->ctx->info.residual = tac_max(f->ctx->info.residual, f->sunk);
    if (status != TAC_OK || f->d == NULL) return status;
    memcpy(f->d->time, f->d->left, (size_t)f->d->c.n * sizeof(double));
    tac_flight_stop_jac(f);
    return TAC_OK;
}

/* The next impact in the time left; kind NONE: there is none. */
static tacStatus find_impact(tacFlight *f, tacImpactPair *pair, tacImpactKind *kind) {
    const tacModel *m = f->ctx->model;
    tacImpact next = {.gap = TAC_TOI_GAP, .max_pairs = 1, .pair = pair};
    const double *mocap = tac_inputs_of(&f->ctx->inputs, f->u).mocap;
    tacHeldPairs held = {f->pairs, f->searched, f->npairs, TAC_TOI_NEAR, TAC_TOI_LEAST, 0, 0, f->slow};
    tacStatus status = tac_next_impact(f->ctx, f->x, f->x + m->nq, mocap, f->left, &held, &next);
    f->slow = held.slow;
    f->sunk = held.sunk;
    TAC_TRY(status);
    f->ctx->info.feature_margin = tac_min(f->ctx->info.feature_margin, held.margin);
    *kind = next.kind;
    if (next.kind == TAC_IMPACT_UNDECIDED) pair->time = next.time;
    if (!(next.time < (1 - LAST_MOMENT) * f->left)) *kind = TAC_IMPACT_NONE;
    return TAC_OK;
}

/* The next impact, which is recorded; or the one that an earlier flight recorded. */
static tacStatus next_stop(tacFlight *f, tacImpactPair *pair, tacImpactKind *kind) {
    int k = f->nstops++;
    if (f->again != NULL) {
        *pair = f->again->stops[k].pair;
        *kind = f->again->stops[k].kind;
        return TAC_OK;
    }
    TAC_TRY(find_impact(f, pair, kind));
    if (k < TAC_FLIGHT_STOPS) f->stops[k] = (tacFlightStop){*pair, *kind};
    return TAC_OK;
}

/* Drifts and impacts to the step's end. A search that ended early continues from the time that it reached. */
static tacStatus fly(tacFlight *f) {
    for (int stops = 0; stops <= f->ctx->options.toi_impacts; stops++) {
        tacImpactPair pair;
        tacImpactKind kind;
        TAC_TRY(next_stop(f, &pair, &kind));
        if (kind == TAC_IMPACT_NONE) return land(f);
        if (stops == f->ctx->options.toi_impacts) return TAC_ERR_IMPACTS;
        if (kind == TAC_IMPACT_UNDECIDED) {
            if (f->d != NULL) memset(f->d->time, 0, (size_t)f->d->c.n * sizeof(double));
            TAC_TRY(drift(f, pair.time));
        } else {
            TAC_TRY(meet(f, &pair));
        }
        if (is_stopped(f)) return TAC_OK;
    }
    return TAC_ERR_IMPACTS;
}

/* --- The step ----------------------------------------------------------------------------------------------------- */

static int layout(tacFlight *f, const tacModel *m, const tacOptions *options, tacArena *arena) {
    size_t contacts = (size_t)options->max_contacts;
    f->x = TAC_TAKE(arena, tac_nx(m), double);
    f->act = TAC_TAKE(arena, m->na, double);
    f->scratch = TAC_TAKE(arena, 3 * (size_t)m->nv, double);
    f->v_free = TAC_TAKE(arena, m->nv, double);
    f->kick = TAC_TAKE(arena, m->nv, double);
    f->lag = TAC_TAKE(arena, m->nv, double);
    f->given = TAC_TAKE(arena, m->nv, double);
    f->undone = TAC_TAKE(arena, m->nv, double);
    f->truth = TAC_TAKE(arena, m->nv, double);
    f->undo = TAC_TAKE(arena, m->nv, int);
    f->joined = TAC_TAKE(arena, m->nbody, int);
    f->pressed = TAC_TAKE(arena, contacts, double);
    f->held = TAC_TAKE(arena, 2 * contacts, int);
    f->pairs = TAC_TAKE(arena, 2 * contacts, int);
    f->last = TAC_TAKE(arena, contacts, tacContact);
    f->searched = TAC_TAKE(arena, contacts, char);
    return f->x && f->act && f->scratch && f->v_free && f->kick && f->lag && f->given && f->undone && f->truth &&
           f->undo && f->joined && f->pressed && f->held && f->pairs && f->last && f->searched;
}

/* f's arrays, at the step's beginning. */
static tacStatus prepare(tacFlight *f, const double *x) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    f->left = ctx->options.dt;
    if (!layout(f, m, &ctx->options, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(f->kick, 0, (size_t)m->nv * sizeof *f->kick);
    memcpy(f->x, x, (size_t)tac_nx(m) * sizeof *x);
    ctx->info = (tacStepInfo){.class_margin = TAC_INFINITY, .feature_margin = TAC_INFINITY, .restitution_share = 1};
    return TAC_OK;
}

/* -> w->next */
static void write_state(const tacFlight *f) {
    const tacModel *m = f->ctx->model;
    double *next = f->ctx->work.next;
    memcpy(next, f->x, (size_t)(m->nq + m->nv) * sizeof *next);
    memcpy(next + m->nq + m->nv, f->act, (size_t)m->na * sizeof *next);
}

tacStatus tac_flight_travel(tacContext *ctx, const double *x, const double *u, tacFlightTangent *d, tacFlightForces *z,
                            tacFlight *f) {
    *f = (tacFlight){.ctx = ctx, .u = u, .d = d, .z = z};
    TAC_TRY(prepare(f, x));
    TAC_TRY(begin(f));
    tacStatus status = fly(f);
    if (d != NULL && tac_went_on(status) && !tac_flight_finish_jac(f)) return TAC_ERR_NONFINITE;
    write_state(f);
    return tac_end_step(ctx, status, f->unsolved, NULL);
}

tacStatus tac_flight_to_impact(const tacFlight *first, const double *x, int k, tacFlight *f, tacLcp *lcp) {
    *f = (tacFlight){.ctx = first->ctx, .u = first->u, .again = first, .stop = k, .stopped = lcp};
    TAC_TRY(prepare(f, x));
    TAC_TRY(begin(f));
    return fly(f);
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    TAC_SCOPE(&ctx->arena);
    tacFlight f;
    tacStatus status = tac_flight_travel(ctx, x, u, NULL, NULL, &f);
    return tac_end_step(ctx, status, 0, y);
}

static void copy_block(double *to, const double *from, int columns, int rows) {
    if (to != NULL) memcpy(to, from, (size_t)rows * (size_t)columns * sizeof *to);
}

static tacStatus jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    TAC_SCOPE(&ctx->arena);
    tacFlight f;
    tacFlightTangent d;
    TAC_TRY(tac_flight_tangent(ctx, &d));
    tacStatus status = tac_flight_travel(ctx, x, u, &d, NULL, &f);
    if (tac_went_on(status)) {
        copy_block(J->A, d.J.A, d.c.nx, d.c.nx);
        copy_block(J->B, d.J.B, d.c.nu, d.c.nx);
        copy_block(J->P, d.J.P, d.c.np, d.c.nx);
    }
    return tac_end_step(ctx, status, 0, y);
}

/* bar = M^T ybar, M rows by n */
static void transpose_product(double *bar, const double *M, const double *ybar, int rows, int n) {
    if (bar == NULL) return;
    memset(bar, 0, (size_t)n * sizeof *bar);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++)
            bar[k] += ybar[i] * M[(size_t)i * (size_t)n + (size_t)k];
}

tacStatus tac_flight_kick_again(tacFlight *f, const double *x, tacLcp *lcp) {
    const tacModel *m = f->ctx->model;
    f->left = f->ctx->options.dt;
    memcpy(f->x, x, (size_t)tac_nx(m) * sizeof *x);
    memset(f->kick, 0, (size_t)m->nv * sizeof *f->kick);
    return kick(f, lcp);
}

/* Reverse mode of a step without impacts, which was the kick and one drift. */
static tacStatus pull_smooth(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g,
                             tacFlight *f) {
    tacLcp lcp = {.unsolved = 0};
    TAC_TRY(tac_flight_kick_again(f, x, &lcp));
    memcpy(f->scratch, ctx->work.vec[0], (size_t)ctx->model->nv * sizeof(double));
    return ctx->options.gradient == TAC_GRADIENT_COMPLEMENTARITY
               ? tac_lcp_pull_aware(ctx, x, u, &lcp, f->scratch, ybar, g)
               : tac_lcp_pull(ctx, x, u, &lcp, f->scratch, ybar, g, NULL);
}

/* Reverse mode through the matrices of the whole step. */
static tacStatus pull_matrices(tacContext *ctx, const double *x, const double *u, const double *ybar,
                               const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    tacFlight f;
    tacFlightTangent d;
    TAC_TRY(tac_flight_tangent(ctx, &d));
    tacStatus status = tac_flight_travel(ctx, x, u, &d, NULL, &f);
    if (tac_went_on(status)) {
        transpose_product(g->x, d.J.A, ybar, d.c.nx, d.c.nx);
        transpose_product(g->u, d.J.B, ybar, d.c.nx, d.c.nu);
        transpose_product(g->theta, d.J.P, ybar, d.c.nx, d.c.np);
    }
    return status;
}

/* Reverse mode of a step. Without impacts it uses the gradient mode of the options. With up to TAC_FLIGHT_STOPS stops
 * it goes backward through each impact. With more it computes all columns forward once, and multiplies. */
static tacStatus vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    tacStepInfo info;
    tacStatus status;
    int many;
    {
        TAC_SCOPE(&ctx->arena);
        tacFlight f;
        status = tac_flight_travel(ctx, x, u, NULL, NULL, &f);
        info = ctx->info;
        many = f.nstops > TAC_FLIGHT_STOPS;
        if (tac_went_on(status) && !many) {
            int landed = status != TAC_ERR_IMPACTS;
            tacStatus pulled = info.impacts == 0 && landed ? pull_smooth(ctx, x, u, ybar, g, &f)
                                                           : tac_flight_pull(&f, x, landed, ybar, g);
            if (pulled != TAC_OK) status = pulled;
        }
    }
    if (tac_went_on(status) && many) status = pull_matrices(ctx, x, u, ybar, g);
    ctx->info = info;
    return status;
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

void tac_flight_measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacFlight f;
    layout(&f, m, options, dry);
    tac_turning_measure(m, options, dry);
    tac_first_impact_measure(m, dry);
}

void tac_flight_measure_travel(const tacModel *m, const tacOptions *options, int derivatives, tacArena *dry) {
    tac_flight_measure(m, options, dry);
    TAC_SCOPE(dry);
    tac_flight_measure_solve(m, options, dry);
    tac_flight_measure_add_forces(m, dry);
    if (!derivatives) return;
    tac_lcp_measure_linearize(m, options, dry);
    tac_flight_measure_lag_jac(m, options, dry);
    tac_lcp_measure_problem_forces_jac(m, options, dry);
}

static void measure_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_flight_measure_tangent(m, options, dry);
    tac_flight_measure_travel(m, options, 1, dry);
}

static void measure_vjp(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_flight_measure_travel(m, options, 0, dry);
    tac_flight_measure_pull(m, options, dry);
    tac_flight_measure_solve(m, options, dry);
    tac_lcp_measure_pull(m, options, dry);
    if (options->gradient == TAC_GRADIENT_COMPLEMENTARITY) tac_lcp_measure_pull_aware(m, options, dry);
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    measure_jac(m, options, dry);
    measure_vjp(m, options, dry);
    tac_toi_measure_outputs(m, options, dry);
    tac_smooth_measure(m, options, dry);
}

const tacStepper TAC_STEPPER_LCP_TOI = {.integrators = TAC_HAS(TAC_INTEGRATOR_EULER),
                                        .toi = 1,
                                        .step = step,
                                        .jac = jac,
                                        .vjp = vjp,
                                        TAC_SMOOTH_ACCELERATION,
                                        .forces = tac_toi_forces,
                                        .forces_jac = tac_toi_forces_jac,
                                        .forces_vjp = tac_toi_forces_vjp,
                                        .contact_forces = tac_toi_contact_forces,
                                        .contact_forces_vjp = tac_toi_contact_forces_vjp,
                                        .contacts = tac_toi_contacts,
                                        .friction = tac_lcp_friction,
                                        .measure = measure};
