/* The gradient of a gap by state, inputs and parameters: the derivative dr of the constraint's own block (Z9). */
#include "contact/soft/adaptive.h"

#include "contact/soft/step.h"
#include "math/scalar.h"

#include <string.h>

/* The constraint whose gap is nearest to its margin and rises. */
static tacStatus find_rising(tacAdaptive *a, const double *x, tacWatch *out) {
    tacSoftPart *p = a->part;
    const tacModel *m = a->ctx->model;
    double least = TAC_INFINITY;
    int found;
    tac_watch_place(a, x);
    TAC_TRY(tac_watch_find(a, NULL, &found));
    *out = (tacWatch){TAC_WATCH_NEAR, -1};
    for (int i = 0; i < found; i++) {
        double gap, rate;
        if (tac_watch_contact(a, &p->found[i], &gap, &rate) != TAC_OK || rate <= 0 || tac_abs(gap) >= least) continue;
        least = tac_abs(gap);
        *out = (tacWatch){TAC_WATCH_NEAR, i};
    }
    for (int k = 0; k < 2; k++) {
        tacWatchKind kind = k == 0 ? TAC_WATCH_JOINT : TAC_WATCH_TENDON;
        for (int i = 0; i < 2 * (k == 0 ? m->njnt : m->ntendon); i++) {
            tacWatch limit = {kind, i};
            double gap, rate;
            if (!tac_watch_has_limit(m, limit)) continue;
            tac_watch_limit(a, x, limit, &gap, &rate);
            if (rate <= 0 || tac_abs(gap) >= least) continue;
            least = tac_abs(gap);
            *out = limit;
        }
    }
    return out->id >= 0 ? TAC_OK : TAC_ERR_DEGENERATE;
}

/* The set of this constraint alone. */
static tacActing act_alone(tacSoftPart *p, const tacModel *m, const tacWatch *w) {
    memset(p->one_joint, 0, 2 * (size_t)m->njnt);
    memset(p->one_tendon, 0, 2 * (size_t)m->ntendon);
    if (w->kind == TAC_WATCH_JOINT) p->one_joint[w->id] = 1;
    if (w->kind == TAC_WATCH_TENDON) p->one_tendon[w->id] = 1;
    int contact = w->kind == TAC_WATCH_NEAR;
    return (tacActing){.contact = contact ? p->found + w->id : p->found,
                       .ncontact = contact,
                       .joint = p->one_joint,
                       .tendon = p->one_tendon};
}

static int row_of(const tacSoft *soft, const tacWatch *w) {
    tacRowKind kind = w->kind == TAC_WATCH_NEAR    ? TAC_ROW_CONTACT
                      : w->kind == TAC_WATCH_JOINT ? TAC_ROW_JOINT_LIMIT
                                                   : TAC_ROW_TENDON_LIMIT;
    for (int k = 0; k < soft->rows.n; k++)
        if (soft->rows.row[k].kind == kind) return k;
    return -1;
}

static tacStatus gradient(tacAdaptive *a, const double *x, const tacWatch *w, double *grad, double *grad_p) {
    tacContext *ctx = a->ctx;
    TAC_SCOPE(&ctx->arena);
    tacColumns c = tac_count_columns(ctx);
    tacSoft soft = {.unsolved = 0};
    tacSoftChanges d = {.wrench = NULL};
    double *qacc;
    if (!tac_soft_matrices_layout(&d, ctx->model, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_soft_accelerate_apart(ctx, x, a->u, &soft, &qacc));
    if (!tac_soft_changes_layout(&d, soft.rows.n, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(d.W, 0, (size_t)ctx->model->nv * (size_t)c.n * sizeof *d.W);
    ctx->margins = 1; /* also of blocks without force */
    tacStatus status = tac_soft_residuals_jac(ctx, x, a->u, &soft, qacc, c, &d);
    ctx->margins = 0;
    int k = row_of(&soft, w);
    if (status != TAC_OK || k < 0) return status != TAC_OK ? status : TAC_ERR_DEGENERATE;
    memcpy(grad, d.dr + (size_t)k * (size_t)c.n, (size_t)c.nx * sizeof *grad);
    memcpy(grad_p, d.dr + (size_t)k * (size_t)c.n + c.nx, (size_t)(c.nu + c.np) * sizeof *grad_p);
    return TAC_OK;
}

tacStatus tac_soft_gap_jac(void *user, int member, int falls, const double *x, double *grad, double *grad_p) {
    tacAdaptive *a = user;
    tacContext *ctx = a->ctx;
    tacSoftPart *p = a->part;
    tacWatch which;
    if (falls && member >= p->nonset) {
        tac_held_gap_jac(a, member - p->nonset, grad, grad_p);
        return TAC_OK;
    }
    if (falls)
        which = p->onset[member];
    else
        TAC_TRY(find_rising(a, x, &which));
    tacActing alone = act_alone(p, ctx->model, &which);
    tacStepInfo before = ctx->info;
    ctx->acting = &alone;
    tacStatus status = gradient(a, x, &which, grad, grad_p);
    ctx->acting = &p->acting;
    ctx->info = before;
    return status;
}

void tac_soft_measure_gap_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tacSoftChanges d;
    tac_soft_matrices_layout(&d, m, tac_columns_of(m, options), dry);
    tac_soft_measure_accelerations(m, options, dry);
}
