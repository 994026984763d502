/* A, B, P of the step with contact lcp: the classes' linear answer (docs/theory/contact.md, L4). */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/bounce_grad.h"
#include "contact/lcp/step.h"

#include <string.h>

/* Halves of Mhat^-1 = L^-1 D^-1 L^-T, with s = D^-1/2:  Y = J L^-1 s, so that  J Mhat^-1 X = (Y s) L^-T X  and
 * L^-T J^T = (Y / s)^T. */
static double root_of_pivot(const tacContext *ctx, int dof) {
    return tac_sqrt(ctx->work.L[ctx->model->dof_M_adr[dof]]);
}

/* What answer_island writes to. */
typedef struct IslandRoom {
    double *df, *Y, *c; /* free rows x columns; free rows x nv; larger of rows and nv */
    int *index;
} IslandRoom;

static int take_island(tacContext *ctx, int n, tacColumns c, IslandRoom *room) {
    size_t nv = (size_t)ctx->model->nv, most = (size_t)n > nv ? (size_t)n : nv;
    room->df = TAC_TAKE(&ctx->arena, (size_t)n * (size_t)c.n, double);
    room->Y = TAC_TAKE(&ctx->arena, (size_t)n * nv, double);
    room->c = TAC_TAKE(&ctx->arena, most, double);
    room->index = TAC_TAKE(&ctx->arena, most, int);
    return room->df != NULL && room->Y != NULL && room->c != NULL && room->index != NULL;
}

/* df = dr - h J Mhat^-1 dR, from H = L^-T dR. */
static void island_sides(tacContext *ctx, const tacLcp *lcp, const tacLcpSystem *system, tacColumns c, const double *dr,
                         const double *H, const IslandRoom *room) {
    for (int i = 0; i < system->n; i++) {
        const tacRow *row = &lcp->rows.row[system->row[i]];
        double *side = room->df + (size_t)i * (size_t)c.n;
        memcpy(side, dr + (size_t)system->row[i] * (size_t)c.n, (size_t)c.n * sizeof *side);
        for (int e = 0; e < row->num; e++)
            room->c[e] = -lcp->h * lcp->rows.Y[row->adr + e] * root_of_pivot(ctx, lcp->rows.dof[row->adr + e]);
        tac_dense_add_rows(c.n, row->num, room->c, lcp->rows.dof + row->adr, H, 1, side);
    }
}

/* Yhat^T, or the response A_CC^-T Yhat: nv lines of free rows. */
static void take_hat(const tacLcp *lcp, const tacLcpSystem *system, int nv, double *line) {
    if (system->shared) {
        tac_lcp_system_response(lcp, system, nv, line);
        return;
    }
    memset(line, 0, (size_t)system->n * (size_t)nv * sizeof *line);
    for (int i = 0; i < system->n; i++)
        tac_lcp_add_hat(lcp, system->row[i], 1, line + (size_t)i * (size_t)nv);
}

/* H += L^-T Jhat^T df / h, or of the response times what df is the answer to. */
static void island_forces(tacContext *ctx, const tacLcp *lcp, const tacLcpSystem *system, tacColumns c, double *H,
                          const IslandRoom *room) {
    size_t nv = (size_t)ctx->model->nv, n = (size_t)system->n;
    size_t row = system->shared ? 1 : nv, dof = system->shared ? n : 1;
    take_hat(lcp, system, (int)nv, room->Y);
    for (size_t j = 0; j < nv; j++) {
        double scale = 1 / (lcp->h * root_of_pivot(ctx, (int)j));
        int count = 0;
        for (size_t i = 0; i < n; i++) {
            double y = room->Y[i * row + j * dof];
            if (y != 0) room->c[count] = scale * y, room->index[count++] = (int)i;
        }
        tac_dense_add_rows(c.n, count, room->c, room->index, room->df, 1, H + j * (size_t)c.n);
    }
}

tacStatus tac_lcp_answer_island(tacContext *ctx, const tacLcp *lcp, int island, tacColumns c, double *dr, double *H) {
    size_t mark = tac_arena_mark(&ctx->arena);
    tacLcpSystem system;
    IslandRoom room;
    tacStatus status = tac_lcp_system(ctx->model, lcp, island, &ctx->arena, &system);
    if (status != TAC_OK) return status;
    ctx->info.conditioning = tac_max(ctx->info.conditioning, system.conditioning);
    if (!take_island(ctx, system.n, c, &room)) return TAC_ERR_ARENA_FULL;
    island_sides(ctx, lcp, &system, c, dr, H, &room);
    if (system.shared) island_forces(ctx, lcp, &system, c, H, &room);
    tac_lu_solve_many(system.n, system.lu, system.pivot, c.n, room.df, room.c, room.index);
    if (!system.shared) island_forces(ctx, lcp, &system, c, H, &room);
    for (int i = 0; i < system.n; i++)
        memcpy(dr + (size_t)system.row[i] * (size_t)c.n, room.df + (size_t)i * (size_t)c.n, (size_t)c.n * sizeof *dr);
    tac_arena_release(&ctx->arena, mark);
    return TAC_OK;
}

/* Largest |slope_j - bound parent_j| of n columns; parent may be NULL. */
static double largest_rate(int n, const double *slope, double bound, const double *parent) {
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = tac_max(largest, tac_abs(slope[j] - (parent == NULL ? 0 : bound * parent[j])));
    return largest;
}

/* Least change of one column's number that brings the force of a free row to a bound, to first order; dr from
 * tac_lcp_answer_island. */
static double force_margin(const tacLcp *lcp, tacColumns c, const double *dr) {
    double margin = TAC_INFINITY;
    for (int k = 0; k < lcp->rows.n; k++) {
        if (lcp->row_class[k] != TAC_ROW_FREE) continue;
        int p = lcp->parent[k];
        const double bound[2] = {lcp->low[k], lcp->high[k]}, scale = p < 0 ? 1 : lcp->f[p];
        const double *slope = dr + (size_t)k * (size_t)c.n, *parent = p < 0 ? NULL : dr + (size_t)p * (size_t)c.n;
        for (int side = 0; side < 2; side++) {
            double gap = tac_abs(lcp->f[k] - bound[side] * scale);
            double rate = tac_finite(bound[side]) ? largest_rate(c.n, slope, bound[side], parent) : 0;
            if (rate > 0) margin = tac_min(margin, gap / rate);
        }
    }
    return margin;
}

/* The least of all parts of a step. */
static void note_margin(tacStepInfo *info, double margin) {
    info->force_margin = info->force_margin > 0 ? tac_min(info->force_margin, margin) : margin;
}

tacStatus tac_lcp_respond(tacContext *ctx, const tacLcp *lcp, tacColumns c, double *dr, double *W) {
    tacStatus status = TAC_OK;
    tacTree tree = tac_dof_tree(ctx->model);
    tac_tree_push_many(&tree, ctx->work.L, c.n, W);
    for (int i = 0; i < lcp->nisland && status == TAC_OK; i++)
        status = tac_lcp_answer_island(ctx, lcp, i, c, dr, W);
    tac_tree_pull_many(&tree, ctx->work.L, c.n, W);
    return status;
}

/* W = d(M a) at fixed a = w->qacc: R is linear in a but for what has no a in it. */
static tacStatus inertia_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *W) {
    size_t mark = tac_arena_mark(&ctx->arena), nv = (size_t)ctx->model->nv, n = nv * (size_t)c.n;
    double *rest = TAC_TAKE(&ctx->arena, n, double), *a = TAC_TAKE(&ctx->arena, nv, double), *qacc = ctx->work.qacc;
    if (rest == NULL || a == NULL) return TAC_ERR_ARENA_FULL;
    tac_residual_jac(ctx, x, u, 0, c, W);
    memcpy(a, qacc, nv * sizeof *a);
    memset(qacc, 0, nv * sizeof *a);
    tac_residual_jac(ctx, x, u, 0, c, rest);
    memcpy(qacc, a, nv * sizeof *a);
    for (size_t i = 0; i < n; i++)
        W[i] -= rest[i];
    tac_arena_release(&ctx->arena, mark);
    return TAC_OK;
}

tacStatus tac_lcp_smooth_jac(tacContext *ctx, const double *x, const double *u, int impact, tacColumns c, double *W) {
    if (impact) return inertia_jac(ctx, x, u, c, W);
    tac_residual_jac(ctx, x, u, tac_damping_span(ctx), c, W);
    return TAC_OK;
}

tacStatus tac_lcp_linearize(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                            tacColumns c, double *W) {
    double *dr = TAC_TAKE(&ctx->arena, (size_t)lcp->rows.n * (size_t)c.n, double);
    if (dr == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_lcp_smooth_jac(ctx, x, u, impact, c, W);
    if (status == TAC_OK) status = tac_lcp_residuals_jac(ctx, x, u, lcp, c, W, dr, NULL);
    if (status == TAC_OK) status = tac_lcp_respond(ctx, lcp, c, dr, W);
    if (status == TAC_OK && ctx->margins) note_margin(&ctx->info, force_margin(lcp, c, dr));
    return status;
}

/* What the gradient mode changes of A. */
static tacStatus correct_jac(tacContext *ctx, const tacLcp *lcp, const tacJac *J) {
    if (ctx->options.gradient != TAC_GRADIENT_BOUNCE || J->A == NULL) return TAC_OK;
    size_t mark = tac_arena_mark(&ctx->arena);
    int nv = ctx->model->nv, ndx = tac_ndx(ctx->model);
    tacBounces b;
    tacStatus status = tac_bounces_find(ctx, lcp, &b);
    double *seen = TAC_TAKE(&ctx->arena, b.n, double);
    if (status == TAC_OK && seen == NULL) status = TAC_ERR_ARENA_FULL;
    if (status == TAC_OK) {
        tac_bounces_see(&b, nv, ndx, J->A, seen);
        status = tac_bounces_weigh(ctx, &b, seen);
    }
    if (status == TAC_OK) tac_bounces_jac(&b, nv, ndx, J->A);
    tac_arena_release(&ctx->arena, mark);
    return status;
}

tacStatus tac_lcp_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tacLcp lcp = {.unsolved = 0};
    size_t mark = tac_arena_mark(&ctx->arena);
    tacColumns c = tac_count_columns(ctx);
    double *W = TAC_TAKE(&ctx->arena, (size_t)m->nv * (size_t)c.n, double), *hv = TAC_TAKE(&ctx->arena, m->nv, double);
    tacStatus status = W == NULL || hv == NULL ? TAC_ERR_ARENA_FULL : tac_lcp_advance(ctx, x, u, &lcp);
    if (status == TAC_OK) {
        memcpy(hv, w->vec[0], (size_t)m->nv * sizeof *hv);
        status = tac_lcp_linearize(ctx, x, u, &lcp, 0, c, W);
    }
    if (status == TAC_OK) status = tac_assemble_jac(ctx, x, u, hv, c, W, J);
    if (status == TAC_OK) status = correct_jac(ctx, &lcp, J);
    if (status == TAC_OK) {
        if (y != NULL) memcpy(y, w->next, (size_t)tac_nx(m) * sizeof *y);
    }
    tac_arena_release(&ctx->arena, mark);
    return tac_lcp_judge(&lcp, status);
}
