#include "contact/lcp/bounce_grad.h"

#include "math/dense.h"
#include "smooth/smooth_step.h"

#include <string.h>

static int bounces(const tacLcp *lcp, int k) { return lcp->bounce[k] > 0 && lcp->row_class[k] == TAC_ROW_FREE; }

static int layout(tacBounces *b, const tacModel *m, int n, tacArena *arena) {
    size_t nv = (size_t)m->nv;
    *b = (tacBounces){.J = TAC_TAKE(arena, (size_t)n * nv, double),
                      .e = TAC_TAKE(arena, n, double),
                      .k = TAC_TAKE(arena, n, double),
                      .seen = TAC_TAKE(arena, n, double)};
    return b->J && b->e && b->k && b->seen;
}

void tac_bounces_measure_find(const tacModel *m, int rows, tacArena *dry) {
    tacBounces b;
    layout(&b, m, rows, dry);
}

tacStatus tac_bounces_find(tacContext *ctx, const tacLcp *lcp, tacBounces *b) {
    size_t nv = (size_t)ctx->model->nv;
    int n = 0;
    for (int k = 0; k < lcp->rows.n; k++)
        n += bounces(lcp, k);
    if (!layout(b, ctx->model, n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(b->J, 0, (size_t)n * nv * sizeof *b->J);
    for (int k = 0; k < lcp->rows.n; k++) {
        if (!bounces(lcp, k)) continue;
        b->e[b->n] = lcp->bounce[k];
        tac_row_add_force(&lcp->rows, k, 1, b->J + (size_t)b->n++ * nv);
    }
    return TAC_OK;
}

static const double *row_of(const tacBounces *b, int i, int nv) { return b->J + (size_t)i * (size_t)nv; }

/* The system of the k_i. */
typedef struct System {
    double *H, *right; /* n x n, n */
    tacQr qr;
} System;

static int system_layout(System *s, int count, tacArena *arena) {
    size_t n = (size_t)count;
    s->H = TAC_TAKE(arena, n * n, double);
    s->right = TAC_TAKE(arena, n, double);
    s->qr = (tacQr){.m = count, .n = count, .A = s->H, .left = TAC_TAKE(arena, n, double)};
    s->qr.right = TAC_TAKE(arena, n, double);
    s->qr.column = TAC_TAKE(arena, n, int);
    s->qr.work = TAC_TAKE(arena, 2 * n, double);
    return s->H && s->right && s->qr.left && s->qr.right && s->qr.column && s->qr.work;
}

void tac_bounces_measure_weigh(int rows, tacArena *dry) {
    TAC_SCOPE(dry);
    System s;
    system_layout(&s, rows, dry);
}

tacStatus tac_bounces_weigh(tacContext *ctx, tacBounces *b) {
    TAC_SCOPE(&ctx->arena);
    int nv = ctx->model->nv;
    System s;
    if (!system_layout(&s, b->n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) {
            double product = tac_dense_dot(nv, row_of(b, i, nv), row_of(b, j, nv));
            s.H[i * b->n + j] = product * product;
        }
        s.right[i] = -(b->e[i] * tac_dense_dot(nv, row_of(b, i, nv), row_of(b, i, nv)) + b->seen[i]);
    }
    tac_qr_factor(&s.qr, 0);
    tac_qr_solve(&s.qr, s.right, b->k);
    return TAC_OK;
}

void tac_bounces_see(const tacBounces *b, int nv, int ld, const double *A, double *seen) {
    for (int i = 0; i < b->n; i++) {
        const double *J = row_of(b, i, nv);
        seen[i] = 0;
        for (int r = 0; r < nv; r++)
            if (J[r] != 0) seen[i] += J[r] * tac_dense_dot(nv, A + (size_t)r * (size_t)ld, J);
    }
}

void tac_bounces_jac(const tacBounces *b, int nv, int ld, double *A) {
    for (int i = 0; i < b->n; i++)
        for (int r = 0; r < nv; r++)
            tac_dense_axpy(nv, b->k[i] * row_of(b, i, nv)[r], row_of(b, i, nv), A + (size_t)r * (size_t)ld);
}

void tac_bounces_vjp(const tacBounces *b, int nv, const double *ybar, double *qbar) {
    for (int i = 0; i < b->n; i++)
        tac_dense_axpy(nv, b->k[i] * tac_dense_dot(nv, row_of(b, i, nv), ybar), row_of(b, i, nv), qbar);
}
