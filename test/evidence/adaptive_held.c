#include "adaptive_held.h"

#include "contact/soft/adaptive.h"
#include "step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Recording ---------------------------------------------------------------------------------------------------- */

static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes + 1);
    if (to == NULL) abort();
    return memcpy(to, from, bytes);
}

static void keep_step(HeldRun *run, const tacMarch *m, const tacAdaptive *a) {
    const tacSoftPart *p = a->part;
    const tacModel *model = a->ctx->model;
    if (run->n == run->room) {
        run->room = 2 * run->room + 64;
        run->steps = realloc(run->steps, (size_t)run->room * sizeof *run->steps);
        if (run->steps == NULL) abort();
    }
    run->steps[run->n++] = (HeldStep){m->step,
                                      copy_of(m->now.sign, (size_t)m->flow->max_signals),
                                      copy_of(m->now.f, (size_t)m->flow->nd * sizeof(double)),
                                      a->nsignal,
                                      copy_of(p->list, (size_t)p->nlist * sizeof *p->list),
                                      p->nlist,
                                      copy_of(p->joint, 2 * (size_t)model->njnt),
                                      copy_of(p->tendon, 2 * (size_t)model->ntendon)};
}

static tacStatus open_run(tacSim *sim, const double *x, const double *u, tacAdaptive *a, tacMarch *m) {
    tacStatus status = tac_adaptive_open(&TAC_SOFT_ADAPTIVE, &sim->ctx, u, a, m);
    return status == TAC_OK ? tac_march_begin(m, sim->ctx.options.dt, x, &sim->ctx.info) : status;
}

static tacStatus close_run(tacSim *sim, const tacMarch *m, tacStatus status, double *y) {
    sim->ctx.acting = NULL;
    sim->ctx.work.force_sign = NULL;
    if (status == TAC_OK) memcpy(y, m->now.x, (size_t)m->flow->nx * sizeof *y);
    return status;
}

tacStatus held_record(HeldRun *run, tacSim *sim, const double *x, const double *u, double *y) {
    TAC_SCOPE(&sim->ctx.arena);
    tacAdaptive a;
    tacMarch m;
    tacStatus status = open_run(sim, x, u, &a, &m);
    held_free(run);
    while (status == TAC_OK && !tac_march_is_done(&m)) {
        status = tac_march_take(&m);
        if (status == TAC_OK) keep_step(run, &m, &a);
        if (status == TAC_OK) status = tac_march_arrive(&m);
    }
    return close_run(sim, &m, status, y);
}

/* --- Repeating ---------------------------------------------------------------------------------------------------- */

static void act_as(tacAdaptive *a, const HeldStep *kept) {
    tacSoftPart *p = a->part;
    for (int i = 0; i < kept->nlist; i++) {
        tacContact *c = &p->list[i];
        *c = kept->list[i];
        c->include = tac_pair_reach(a->ctx->model, c->geom[0], c->geom[1], c->pair).include; /* it may be a parameter */
    }
    memcpy(p->joint, kept->joint, 2 * (size_t)a->ctx->model->njnt);
    memcpy(p->tendon, kept->tendon, 2 * (size_t)a->ctx->model->ntendon);
    p->acting.ncontact = p->nlist = kept->nlist;
}

/* The rate at the present state by the set and the laws of the kept step. */
static tacStatus start_held(tacAdaptive *a, tacMarch *m, const HeldStep *kept) {
    const tacFlow *flow = m->flow;
    act_as(a, kept);
    memcpy(m->now.sign, kept->sign, (size_t)flow->max_signals);
    flow->call->hold(flow->user, kept->step.loose ? NULL : kept->sign, kept->f);
    tacStatus status = flow->call->rate(flow->user, m->now.x, m->now.f);
    m->now.fresh = 1;
    m->now.crossed = 0;
    if (status != TAC_OK) return status;
    return a->nsignal == kept->nsignal ? TAC_OK : TAC_ERR_DEGENERATE;
}

/* The gap that is nearest to its margin at the end of the step, of those that an event of this kind is about; -1: none.
 */
static int nearest_gap(const tacMarch *m, int ends) {
    int best = -1;
    for (int i = 0; i < m->ngap; i++) {
        const tacGap *g = &m->gap[i];
        if ((g->acts != 0) != ends || (g->rate[1] > 0) != ends) continue;
        if (best < 0 || fabs(g->at[1]) < fabs(m->gap[best].at[1])) best = i;
    }
    return best;
}

/* Moves the end of the step, which has been run, to where its gap is zero. */
static tacStatus meet_gap(tacMarch *m, const HeldStep *kept) {
    int same, ends = kept->step.kind == TAC_MARCH_END;
    const double *end = m->inner.X[tac_inner_last(&m->inner)];
    TAC_TRY(m->flow->call->watch(m->flow->user, m->inner.X[0], end, m->step.h, m->gap, &m->ngap, &same));
    tacEvent event = {ends ? TAC_EVENT_END : TAC_EVENT_ONSET, nearest_gap(m, ends), 0.5, 0};
    if (event.which < 0) return TAC_ERR_DEGENERATE;
    m->step.h *= 2; /* room on both sides */
    TAC_TRY(tac_march_locate(m, &event));
    m->step.h = m->inner.h;
    return TAC_OK;
}

static tacStatus repeat_step(tacAdaptive *a, tacMarch *m, const HeldStep *kept) {
    tacMarchStep step = kept->step;
    if ((step.kind == TAC_MARCH_AGAIN) != (m->now.begun >= 0)) return TAC_ERR_DEGENERATE;
    if (step.kind == TAC_MARCH_AGAIN) return tac_march_take(m);
    if (step.kind == TAC_MARCH_TARGET) step.h = step.share * m->span - m->now.t;
    TAC_TRY(start_held(a, m, kept));
    TAC_TRY(tac_march_repeat(m, &step));
    return step.kind == TAC_MARCH_ONSET || step.kind == TAC_MARCH_END ? meet_gap(m, kept) : TAC_OK;
}

tacStatus held_repeat(const HeldRun *run, tacSim *sim, const double *x, const double *u, double *y) {
    TAC_SCOPE(&sim->ctx.arena);
    tacAdaptive a;
    tacMarch m;
    tacStatus status = open_run(sim, x, u, &a, &m);
    for (int k = 0; k < run->n && status == TAC_OK; k++) {
        status = repeat_step(&a, &m, &run->steps[k]);
        if (status == TAC_OK) status = tac_march_arrive(&m);
    }
    if (status == TAC_OK && !tac_march_is_done(&m)) status = TAC_ERR_DEGENERATE;
    return close_run(sim, &m, status, y);
}

void held_free(HeldRun *run) {
    for (int k = 0; k < run->n; k++) {
        free(run->steps[k].sign);
        free(run->steps[k].f);
        free(run->steps[k].list);
        free(run->steps[k].joint);
        free(run->steps[k].tendon);
    }
    free(run->steps);
    *run = (HeldRun){0};
}
