/* The flow of contact soft: rates with the set that acts, and their signals (contact/soft/adaptive.h). */
#include "contact/soft/adaptive.h"

#include "contact/soft/step.h"
#include "math/scalar.h"

#include <string.h>

/* --- Signals (zone.c) --------------------------------------------------------------------------------------------- */

static void note_block(tacAdaptive *a, const tacSoft *soft, const tacSoftBlock *b) {
    tacSoftPart *p = a->part;
    const tacRow *row = &soft->rows.row[b->row];
    unsigned char pushes = !tac_soft_is_idle(b);
    a->nsignal += tac_soft_signals(b, soft->D + b->row, soft->y + b->row, a->signal + a->nsignal);
    if (row->kind == TAC_ROW_CONTACT) p->pushes[row->id] = pushes;
    if (row->kind == TAC_ROW_JOINT_LIMIT) p->joint_pushes[2 * row->id + row->axis] = pushes;
    if (row->kind == TAC_ROW_TENDON_LIMIT) p->tendon_pushes[2 * row->id + row->axis] = pushes;
}

/* The report's hash has every change of laws. */
static void hold(void *user, const unsigned char *sign, const double *f) {
    tacAdaptive *a = user;
    tacSoftPart *p = a->part;
    const tacModel *m = a->ctx->model;
    size_t n = (size_t)a->nsignal;
    tac_adaptive_hold(a, sign, f);
    p->acting.sign = sign == NULL ? NULL : sign + 2 * m->nu;
    p->acting.start = sign == NULL ? NULL : f + m->nv;
    if (sign == NULL || (p->nheld == a->nsignal && memcmp(p->held, sign, n) == 0)) return;
    memcpy(p->held, sign, n);
    p->nheld = a->nsignal;
    a->ctx->info.active_set = tac_hash(sign, n, a->ctx->info.active_set);
}

static int pushes(void *user, int i) {
    const tacAdaptive *a = user;
    const tacSoftPart *p = a->part;
    if (i >= p->nwatch) return 1;
    const tacWatch *w = &p->watch[i];
    return w->kind == TAC_WATCH_ACTING  ? p->pushes[w->id]
           : w->kind == TAC_WATCH_JOINT ? p->joint_pushes[w->id]
                                        : p->tendon_pushes[w->id];
}

/* --- Rates -------------------------------------------------------------------------------------------------------- */

/* The report is that of the step: of single rates it has the solver's work and worst residual, and most contacts. */
static void keep_report(tacContext *ctx, tacStepInfo before) {
    tacStepInfo now = ctx->info;
    ctx->info = before;
    ctx->info.iterations = now.iterations;
    ctx->info.residual = now.residual;
    ctx->info.contacts = now.contacts;
    ctx->info.sliding = now.sliding;
    ctx->info.sticking = now.sticking;
}

static tacStatus rate(void *user, const double *x, double *f) {
    tacAdaptive *a = user;
    tacContext *ctx = a->ctx;
    tacSoftPart *p = a->part;
    tacStepInfo before = ctx->info;
    TAC_SCOPE(&ctx->arena);
    tacSoft soft = {.unsolved = 0};
    ctx->acting = a->options.event_max < 0 ? NULL : &p->acting;
    TAC_TRY(tac_soft_accelerate(ctx, x, a->u, &soft));
    if (soft.unsolved && soft.sign != NULL) return TAC_ERR_NONFINITE; /* held laws need not have a solution */
    a->nsignal = tac_adaptive_signals(a, x, a->signal);
    for (int k = 0; k < soft.nblock; k++)
        if (ctx->acting != NULL) note_block(a, &soft, &soft.block[k]);
    memcpy(f + ctx->model->nv, ctx->work.qacc, (size_t)ctx->model->nv * sizeof *f);
    tac_adaptive_finish_rate(a, x, f);
    a->unsolved |= soft.unsolved;
    keep_report(ctx, before);
    return tac_first_nonfinite(ctx->model->nv, ctx->work.qacc) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

static tacStatus rate_jac(void *user, const double *x, double *F) {
    tacAdaptive *a = user;
    tacStepInfo before = a->ctx->info;
    tacStatus status = tac_adaptive_rate_jac(user, x, F);
    before.conditioning = tac_max(before.conditioning, a->ctx->info.conditioning);
    a->ctx->info = before;
    return status;
}

static tacStatus rate_jvp(void *user, const double *x, const double *along, double *df) {
    tacAdaptive *a = user;
    tacStepInfo before = a->ctx->info;
    tacStatus status = tac_adaptive_rate_jvp(user, x, along, df);
    before.conditioning = tac_max(before.conditioning, a->ctx->info.conditioning);
    a->ctx->info = before;
    return status;
}

static tacStatus rate_vjp(void *user, const double *x, const double *bar, double *x_bar, double *p_bar) {
    tacAdaptive *a = user;
    tacStepInfo before = a->ctx->info;
    tacStatus status = tac_adaptive_rate_vjp(user, x, bar, x_bar, p_bar);
    before.conditioning = tac_max(before.conditioning, a->ctx->info.conditioning);
    a->ctx->info = before;
    return status;
}

/* --- Report ------------------------------------------------------------------------------------------------------- */

static void name(void *user, int i, tacStepInfo *info) {
    const tacAdaptive *a = user;
    const tacSoftPart *p = a->part;
    if (i < 0 || i >= p->nwatch) return;
    const tacWatch *w = &p->watch[i];
    info->has_stop = 1;
    if (w->kind == TAC_WATCH_ACTING || w->kind == TAC_WATCH_NEAR) {
        const tacContact *c = w->kind == TAC_WATCH_ACTING ? &p->list[w->id] : &p->near[w->id];
        info->stop_kind = TAC_CONSTRAINT_CONTACT;
        info->stop_id[0] = c->geom[0];
        info->stop_id[1] = c->geom[1];
        return;
    }
    info->stop_kind = w->kind == TAC_WATCH_JOINT ? TAC_CONSTRAINT_JOINT_LIMIT : TAC_CONSTRAINT_TENDON_LIMIT;
    info->stop_id[0] = w->id / 2;
    info->stop_id[1] = w->id % 2;
}

/* Trees that an onset moves; -1: none. Tendons: every tree. */
static void trees_of(const tacAdaptive *a, const tacWatch *w, int tree[2]) {
    const tacModel *m = a->ctx->model;
    const tacSoftPart *p = a->part;
    tree[0] = tree[1] = -1;
    if (w->kind == TAC_WATCH_JOINT) tree[0] = m->body_root[m->joint_body[w->id / 2]];
    for (int side = 0; w->kind == TAC_WATCH_NEAR && side < 2; side++) {
        int body = m->geom_body[p->found[w->id].geom[side]];
        if (m->body_last_dof[body] >= 0) tree[side] = m->body_root[body];
    }
}

static int couples(void *user, int i, int j) {
    const tacAdaptive *a = user;
    const tacSoftPart *p = a->part;
    int one[2], two[2];
    if (i >= p->nonset || j >= p->nonset) return 0;
    if (p->onset[i].kind == TAC_WATCH_TENDON || p->onset[j].kind == TAC_WATCH_TENDON) return 1;
    trees_of(a, &p->onset[i], one);
    trees_of(a, &p->onset[j], two);
    for (int k = 0; k < 2; k++)
        if (one[k] >= 0 && (one[k] == two[0] || one[k] == two[1])) return 1;
    return 0;
}

/* --- The kind ----------------------------------------------------------------------------------------------------- */

static int layout(tacAdaptive *a, const tacModel *m, const tacOptions *options, tacArena *arena) {
    int max = options->max_contacts, watched = 2 * (max + m->njnt + m->ntendon);
    tacSoftPart *p = TAC_TAKE(arena, 1, tacSoftPart), part = {.nlist = 0};
    tacContact **contacts[] = {&part.list, &part.was, &part.near, &part.found};
    for (int i = 0; i < 4; i++)
        *contacts[i] = TAC_TAKE(arena, max, tacContact);
    unsigned char **joints[] = {&part.joint, &part.was_joint, &part.one_joint, &part.joint_pushes};
    unsigned char **tendons[] = {&part.tendon, &part.was_tendon, &part.one_tendon, &part.tendon_pushes};
    for (int i = 0; i < 4; i++) {
        *joints[i] = TAC_TAKE(arena, 2 * m->njnt, unsigned char);
        *tendons[i] = TAC_TAKE(arena, 2 * m->ntendon, unsigned char);
    }
    part.seen = TAC_TAKE(arena, max, unsigned char);
    part.pushes = TAC_TAKE(arena, max, unsigned char);
    a->flow.max_signals += 4 * tac_rows_max(m, max);
    a->flow.max_gaps += watched;
    part.watch = TAC_TAKE(arena, watched, tacWatch);
    part.onset = TAC_TAKE(arena, watched, tacWatch);
    part.held = TAC_TAKE(arena, a->flow.max_signals, unsigned char);
    if (part.held == NULL) return 0;
    part.acting = (tacActing){.contact = part.list, .joint = part.joint, .tendon = part.tendon};
    a->part = p;
    if (tac_arena_is_dry(arena)) return 1;
    memset(part.joint, 0, (size_t)m->njnt * 2);
    memset(part.tendon, 0, (size_t)m->ntendon * 2);
    *p = part;
    return 1;
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_measure_find_contacts(m, dry);
    tac_soft_measure_gap_jac(m, options, dry);
}

const tacAdaptiveKind TAC_SOFT_ADAPTIVE = {
    .calls = {TAC_ADAPTIVE_TANGENT, .rate = rate, .rate_jac = rate_jac, .rate_jvp = rate_jvp, .rate_vjp = rate_vjp,
              .open = tac_soft_open, .watch = tac_soft_watch, .gap = tac_soft_gap, .same = tac_soft_same,
              .pushes = pushes, .gap_jac = tac_soft_gap_jac, .signals = tac_adaptive_copy_signals, .hold = hold,
              .name = name, .couples = couples},
    .layout = layout,
    .measure = measure};

tacStatus tac_soft_adaptive_step(tacContext *ctx, const double *x, const double *u, double *y) {
    return tac_adaptive_step(&TAC_SOFT_ADAPTIVE, ctx, x, u, y);
}

tacStatus tac_soft_adaptive_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    return tac_adaptive_jac(&TAC_SOFT_ADAPTIVE, ctx, x, u, y, J);
}

tacStatus tac_soft_adaptive_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y,
                                double *dy) {
    return tac_adaptive_jvp(&TAC_SOFT_ADAPTIVE, ctx, x, u, c, y, dy);
}

tacStatus tac_soft_adaptive_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar,
                                const tacGrad *g) {
    return tac_adaptive_vjp(&TAC_SOFT_ADAPTIVE, ctx, x, u, ybar, g);
}

void tac_soft_adaptive_measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_adaptive_measure(&TAC_SOFT_ADAPTIVE, m, options, tac_soft_measure_accelerations, dry);
}
