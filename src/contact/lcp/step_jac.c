/* A, B, P of the step with contact lcp: the linear response of the classes (docs/theory/contact.md, L4). */
#include "math/dense.h"
#include "math/scalar.h"
#include "contact/lcp/bounce_grad.h"
#include "contact/lcp/share.h"
#include "contact/lcp/step.h"
#include "smooth/turning.h"

#include <string.h>

/* Halves of Mhat^-1 = L^-1 D^-1 L^-T, with s = D^-1/2:  Y = J L^-1 s, so that  J Mhat^-1 X = (Y s) L^-T X  and
 * L^-T J^T = (Y / s)^T. */
static double root_of_pivot(const tacContext *ctx, int dof) {
    return tac_sqrt(ctx->work.L[ctx->model->dof_M_adr[dof]]);
}

/* Arrays that answer_island writes. */
typedef struct IslandRoom {
    double *df, *Y, *c; /* free rows x columns; free rows x nv; larger of rows and nv */
    int *index;
} IslandRoom;

static int island_layout(IslandRoom *room, const tacModel *m, int n, tacColumns c, tacArena *arena) {
    size_t nv = (size_t)m->nv, most = (size_t)n > nv ? (size_t)n : nv;
    room->df = TAC_TAKE(arena, (size_t)n * (size_t)c.n, double);
    room->Y = TAC_TAKE(arena, (size_t)n * nv, double);
    room->c = TAC_TAKE(arena, most, double);
    room->index = TAC_TAKE(arena, most, int);
    return room->df && room->Y && room->c && room->index;
}

void tac_lcp_measure_respond(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    int rows = tac_lcp_deriv_rows(m, options);
    IslandRoom room;
    tac_lcp_measure_system(m, rows, dry);
    island_layout(&room, m, rows, tac_columns_of(m, options), dry);
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

/* Yhat, free rows of nv numbers, or the response A_CC^-T Yhat, dofs of n numbers. */
static void take_hat(const tacLcp *lcp, const tacLcpSystem *system, int nv, double *line) {
    if (system->shared) {
        tac_lcp_system_response(lcp, system, line);
        return;
    }
    memset(line, 0, (size_t)system->n * (size_t)nv * sizeof *line);
    for (int i = 0; i < system->n; i++)
        tac_lcp_add_hat(lcp, system->row[i], 1, line + (size_t)i * (size_t)nv);
}

/* H += L^-T Jhat^T df / h. With the response, df is the right side and the response is applied to it. */
static void island_forces(tacContext *ctx, const tacLcp *lcp, const tacLcpSystem *system, tacColumns c, double *H,
                          const IslandRoom *room) {
    size_t nv = (size_t)ctx->model->nv, n = (size_t)system->n;
    size_t row = system->shared ? 1 : nv, dof = system->shared ? n : 1, first = (size_t)system->first;
    size_t origin = system->shared ? first : 0; /* dof of the first line */
    take_hat(lcp, system, (int)nv, room->Y);
    for (size_t j = first; j < first + (size_t)system->ndof; j++) {
        double scale = 1 / (lcp->h * root_of_pivot(ctx, (int)j));
        int count = 0;
        for (size_t i = 0; i < n; i++) {
            double y = room->Y[i * row + (j - origin) * dof];
            if (y == 0) continue;
            room->c[count] = scale * y;
            room->index[count++] = (int)i;
        }
        tac_dense_add_rows(c.n, count, room->c, room->index, room->df, 1, H + j * (size_t)c.n);
    }
}

tacStatus tac_lcp_answer_island(tacContext *ctx, const tacLcp *lcp, int island, tacColumns c, double *dr, double *H) {
    TAC_SCOPE(&ctx->arena);
    tacLcpSystem system;
    IslandRoom room;
    TAC_TRY(tac_lcp_system(ctx->model, lcp, island, &ctx->arena, &system));
    ctx->info.conditioning = tac_max(ctx->info.conditioning, system.conditioning);
    if (!island_layout(&room, ctx->model, system.n, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    island_sides(ctx, lcp, &system, c, dr, H, &room);
    if (system.shared) island_forces(ctx, lcp, &system, c, H, &room);
    tac_lu_solve_many(system.n, system.lu, system.pivot, c.n, room.df, room.c, room.index);
    if (!system.shared) island_forces(ctx, lcp, &system, c, H, &room);
    for (int i = 0; i < system.n; i++)
        memcpy(dr + (size_t)system.row[i] * (size_t)c.n, room.df + (size_t)i * (size_t)c.n, (size_t)c.n * sizeof *dr);
    return TAC_OK;
}

/* Largest |slope_j - bound parent_j| of n columns; parent may be NULL. */
static double largest_rate(int n, const double *slope, double bound, const double *parent) {
    double largest = 0;
    for (int j = 0; j < n; j++)
        largest = tac_max(largest, tac_abs(slope[j] - (parent == NULL ? 0 : bound * parent[j])));
    return largest;
}

/* Least change of one column's number that brings the force of a free row to a bound, to first order. dr is from
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

/* The least over all parts of a step. */
static void note_margin(tacStepInfo *info, double margin) {
    info->force_margin = info->force_margin > 0 ? tac_min(info->force_margin, margin) : margin;
}

tacStatus tac_lcp_respond(tacContext *ctx, const tacLcp *lcp, tacColumns c, double *dr, double *W) {
    tacTree tree = tac_dof_tree(ctx->model);
    tac_tree_push_many(&tree, ctx->work.L, c.n, W);
    for (int i = 0; i < lcp->nisland; i++)
        TAC_TRY(tac_lcp_answer_island(ctx, lcp, i, c, dr, W));
    tac_tree_pull_many(&tree, ctx->work.L, c.n, W);
    return TAC_OK;
}

/* Derivatives of R at a = 0, and the saved a. */
typedef struct Inertia {
    double *rest, *a; /* nv x c.n, nv */
} Inertia;

static int inertia_layout(Inertia *r, const tacModel *m, tacColumns c, tacArena *arena) {
    r->rest = TAC_TAKE(arena, (size_t)m->nv * (size_t)c.n, double);
    r->a = TAC_TAKE(arena, m->nv, double);
    return r->rest && r->a;
}

void tac_lcp_measure_smooth_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Inertia r;
    tac_turning_measure_deriv(m, options, dry);
    if (options->toi) inertia_layout(&r, m, tac_columns_of(m, options), dry);
}

/* W = d(M a) at fixed a = w->qacc. R is affine in a. */
static tacStatus inertia_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *W) {
    TAC_SCOPE(&ctx->arena);
    size_t nv = (size_t)ctx->model->nv, n = nv * (size_t)c.n;
    double *qacc = ctx->work.qacc;
    Inertia r;
    if (!inertia_layout(&r, ctx->model, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tac_residual_jac(ctx, x, u, 0, c, W);
    memcpy(r.a, qacc, nv * sizeof *qacc);
    memset(qacc, 0, nv * sizeof *qacc);
    tac_residual_jac(ctx, x, u, 0, c, r.rest);
    memcpy(qacc, r.a, nv * sizeof *qacc);
    for (size_t i = 0; i < n; i++)
        W[i] -= r.rest[i];
    return TAC_OK;
}

tacStatus tac_lcp_smooth_jac(tacContext *ctx, const double *x, const double *u, int impact, tacColumns c, double *W) {
    if (impact) return inertia_jac(ctx, x, u, c, W);
    tac_residual_jac(ctx, x, u, tac_damping_span(ctx), c, W);
    return tac_turning_jac(ctx, x, u, c, W);
}

tacStatus tac_lcp_linearize(tacContext *ctx, const double *x, const double *u, const tacLcp *lcp, int impact,
                            tacColumns c, double *W) {
    TAC_SCOPE(&ctx->arena);
    TAC_TRY(tac_lcp_check_rows(lcp));
    double *dr = tac_lcp_dr_layout(lcp->rows.n, c, &ctx->arena);
    if (dr == NULL) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_lcp_smooth_jac(ctx, x, u, impact, c, W));
    TAC_TRY(tac_lcp_residuals_jac(ctx, x, u, lcp, c, W, dr, NULL));
    TAC_TRY(tac_lcp_share_jac(ctx, x, u, lcp, c, W, dr));
    TAC_TRY(tac_lcp_respond(ctx, lcp, c, dr, W));
    if (ctx->margins) note_margin(&ctx->info, force_margin(lcp, c, dr));
    return TAC_OK;
}

void tac_lcp_measure_linearize(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_lcp_dr_layout(tac_lcp_deriv_rows(m, options), tac_columns_of(m, options), dry);
    tac_lcp_measure_smooth_jac(m, options, dry);
    tac_lcp_measure_residuals(m, options, dry);
    tac_lcp_measure_share(m, options, dry);
    tac_lcp_measure_respond(m, options, dry);
}

/* Corrects A for gradient mode `bounce`. */
static tacStatus correct_jac(tacContext *ctx, const tacLcp *lcp, const tacJac *J) {
    if (ctx->options.gradient != TAC_GRADIENT_BOUNCE || J->A == NULL) return TAC_OK;
    TAC_SCOPE(&ctx->arena);
    int nv = ctx->model->nv, ndx = tac_ndx(ctx->model);
    tacBounces b;
    TAC_TRY(tac_bounces_find(ctx, lcp, &b));
    tac_bounces_see(&b, nv, ndx, J->A, b.seen);
    TAC_TRY(tac_bounces_weigh(ctx, &b));
    tac_bounces_jac(&b, nv, ndx, J->A);
    return TAC_OK;
}

/* Memory of a Jacobian besides its step. */
typedef struct JacRoom {
    double *W, *hv; /* nv x c.n, nv */
} JacRoom;

static int jac_layout(JacRoom *room, const tacModel *m, tacColumns c, tacArena *arena) {
    room->W = TAC_TAKE(arena, (size_t)m->nv * (size_t)c.n, double);
    room->hv = TAC_TAKE(arena, m->nv, double);
    return room->W && room->hv;
}

static tacStatus fill_jac(tacContext *ctx, const double *x, const double *u, const tacJac *J, tacLcp *lcp) {
    const tacModel *m = ctx->model;
    tacColumns c = tac_count_columns(ctx);
    JacRoom room;
    if (!jac_layout(&room, m, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_lcp_advance(ctx, x, u, lcp));
    memcpy(room.hv, ctx->work.vec[0], (size_t)m->nv * sizeof *room.hv);
    TAC_TRY(tac_lcp_linearize(ctx, x, u, lcp, 0, c, room.W));
    TAC_TRY(tac_assemble_jac(ctx, x, u, room.hv, c, room.W, J));
    return correct_jac(ctx, lcp, J);
}

tacStatus tac_lcp_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    tacStatus status = fill_jac(ctx, x, u, J, &lcp);
    return tac_end_step(ctx, status, lcp.unsolved, y);
}

static tacStatus fill_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, tacLcp *lcp, double *dy) {
    JacRoom room;
    if (!jac_layout(&room, ctx->model, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_lcp_advance(ctx, x, u, lcp));
    memcpy(room.hv, ctx->work.vec[0], (size_t)ctx->model->nv * sizeof *room.hv);
    TAC_TRY(tac_lcp_linearize(ctx, x, u, lcp, 0, c, room.W));
    return tac_assemble_jvp(ctx, x, u, room.hv, c, room.W, dy);
}

tacStatus tac_lcp_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy) {
    TAC_SCOPE(&ctx->arena);
    tacLcp lcp = {.unsolved = 0};
    tacStatus status = fill_jvp(ctx, x, u, c, &lcp, dy);
    return tac_end_step(ctx, status, lcp.unsolved, y);
}

void tac_lcp_measure_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    JacRoom room;
    jac_layout(&room, m, tac_columns_of(m, options), dry);
    tac_lcp_measure_advance(m, options, dry);
    tac_lcp_measure_linearize(m, options, dry);
    if (options->gradient != TAC_GRADIENT_BOUNCE) return;
    tac_bounces_measure_find(m, tac_lcp_deriv_rows(m, options), dry);
    tac_bounces_measure_weigh(tac_lcp_deriv_rows(m, options), dry);
}
