#include "contact/lcp/bounce_grad.h"

#include "math/dense.h"
#include "smooth/smooth_step.h"

#include <string.h>

static int bounces(const tacLcp *lcp, int k) { return lcp->bounce[k] > 0 && lcp->row_class[k] == TAC_ROW_FREE; }

tacStatus tac_bounces_find(tacContext *ctx, const tacLcp *lcp, tacBounces *b) {
    size_t nv = (size_t)ctx->model->nv, n = 0;
    for (int k = 0; k < lcp->rows.n; k++)
        n += (size_t)bounces(lcp, k);
    *b = (tacBounces){.J = TAC_TAKE(&ctx->arena, n * nv, double),
                      .e = TAC_TAKE(&ctx->arena, n, double),
                      .k = TAC_TAKE(&ctx->arena, n, double)};
    if (b->J == NULL || b->e == NULL || b->k == NULL) return TAC_ERR_ARENA_FULL;
    memset(b->J, 0, n * nv * sizeof *b->J);
    for (int k = 0; k < lcp->rows.n; k++) {
        if (!bounces(lcp, k)) continue;
        b->e[b->n] = lcp->bounce[k];
        tac_row_add_force(&lcp->rows, k, 1, b->J + (size_t)b->n++ * nv);
    }
    return TAC_OK;
}

static const double *row_of(const tacBounces *b, int i, int nv) { return b->J + (size_t)i * (size_t)nv; }

tacStatus tac_bounces_weigh(tacContext *ctx, tacBounces *b, const double *seen) {
    size_t mark = tac_arena_mark(&ctx->arena), n = (size_t)b->n;
    int nv = ctx->model->nv;
    double *H = TAC_TAKE(&ctx->arena, n * n, double), *right = TAC_TAKE(&ctx->arena, n, double);
    tacQr qr = {.m = b->n, .n = b->n, .A = H, .left = TAC_TAKE(&ctx->arena, n, double)};
    qr.right = TAC_TAKE(&ctx->arena, n, double), qr.column = TAC_TAKE(&ctx->arena, n, int);
    qr.work = TAC_TAKE(&ctx->arena, 2 * n, double);
    if (!H || !right || !qr.left || !qr.right || !qr.column || !qr.work) return TAC_ERR_ARENA_FULL;
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) {
            double product = tac_dense_dot(nv, row_of(b, i, nv), row_of(b, j, nv));
            H[i * b->n + j] = product * product;
        }
        right[i] = -(b->e[i] * tac_dense_dot(nv, row_of(b, i, nv), row_of(b, i, nv)) + seen[i]);
    }
    tac_qr_factor(&qr, 0);
    tac_qr_solve(&qr, right, b->k);
    tac_arena_release(&ctx->arena, mark);
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

size_t tac_bounces_scratch(const tacModel *m, size_t rows) {
    return tac_room(rows * (size_t)m->nv) + tac_room(rows * rows) + 8 * tac_room(rows) + tac_room(2 * rows) +
           2 * tac_room((size_t)tac_ndx(m));
}
