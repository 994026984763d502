/* Solves the boxed problems of a step island by island (contact/lcp/problem.h). Small islands use the matrix of rows,
 * large ones the matrix of dofs (solve_large.c). */
#include "contact/lcp/share.h"

#include "base/error.h"
#include "math/scalar.h"

#include <string.h>

/* The boxed problem of one island. */
typedef struct Dense {
    double *A, *spread; /* n x n, 3 nv */
    double *b, *low, *high, *f, *w;
    int *parent, *row_class;
} Dense;

/* A NULL: takes the matrix too. */
static int dense_layout(Dense *d, const tacModel *m, int n, double *A, tacArena *arena) {
    double **reals[] = {&d->b, &d->low, &d->high, &d->f, &d->w};
    int ok = 1;
    d->A = A != NULL ? A : TAC_TAKE(arena, (size_t)n * (size_t)n, double);
    d->spread = TAC_TAKE(arena, 3 * (size_t)m->nv, double);
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        ok &= (*reals[k] = TAC_TAKE(arena, n, double)) != NULL;
    d->parent = TAC_TAKE(arena, n, int);
    d->row_class = TAC_TAKE(arena, n, int);
    return ok && d->A && d->spread && d->parent && d->row_class;
}

/* Solves one island by factorization. */
static tacStatus solve_dense(const tacModel *m, tacLcp *lcp, int island, tacArena *arena) {
    TAC_SCOPE(arena);
    int first = lcp->island_adr[island], n = lcp->island_adr[island + 1] - first;
    const int *row = lcp->order + first;
    int keep = lcp->kept < 0 && n <= TAC_LCP_FEW_ROWS;
    Dense d;
    if (!dense_layout(&d, m, n, keep ? lcp->products : NULL, arena)) return TAC_ERR_ARENA_FULL;
    if (keep) lcp->kept = island;
    memset(d.spread, 0, 3 * (size_t)m->nv * sizeof *d.spread);
    tac_rows_products(&lcp->rows, n, row, d.spread, d.A);
    for (int i = 0; i < n; i++) {
        int k = row[i];
        d.A[i * n + i] += lcp->eps[k];
        d.b[i] = lcp->b[k];
        d.low[i] = lcp->low[k];
        d.high[i] = lcp->high[k];
        d.parent[i] = lcp->parent[k] < 0 ? -1 : i - (k - lcp->parent[k]);
    }
    tacBoxed problem = {n, d.A, d.b, d.parent, d.low, d.high, NULL, 1, 0};
    tacBoxedResult result;
    TAC_TRY(tac_boxed_solve(&problem, arena, d.f, d.w, d.row_class, &result));
    for (int i = 0; i < n; i++) {
        lcp->f[row[i]] = d.f[i];
        lcp->w[row[i]] = d.w[i];
        lcp->row_class[row[i]] = d.row_class[i];
    }
    lcp->pivots += result.pivots;
    lcp->unsolved += !result.solved;
    lcp->residual = tac_max(lcp->residual, result.residual);
    return TAC_OK;
}

/* A contact that touches without a force has zero friction bounds. Its friction rows hold nothing, so derivatives must
 * not hold them either. */
static void release_unloaded(tacLcp *lcp) {
    for (int k = 0; k < lcp->rows.n; k++) {
        int p = lcp->parent[k];
        if (p >= 0 && lcp->row_class[k] == TAC_ROW_FREE && lcp->f[p] == 0) lcp->row_class[k] = TAC_ROW_OFF;
    }
}

/* Number of equality rows that contradict others. Compliance alone reconciles them, and they give way by more than
 * TAC_LCP_GIVING. That is their residual. */
static int count_contradictions(tacLcp *lcp) {
    int n = 0;
    for (int k = 0; k < lcp->rows.n; k++) {
        double giving = tac_abs(lcp->eps[k] * lcp->f[k]);
        if (lcp->rows.row[k].kind != TAC_ROW_EQUALITY || !(giving > TAC_LCP_GIVING * (1 + tac_abs(lcp->b[k]))))
            continue;
        lcp->residual = tac_max(lcp->residual, giving);
        n++;
    }
    return n;
}

/* 1: the island is solved with its matrix of dofs. */
static int is_large(const tacModel *m, tacLcp *lcp, int island) {
    int n = lcp->island_adr[island + 1] - lcp->island_adr[island];
    return n > TAC_LCP_SMALL_ROWS || (n > TAC_LCP_FEW_ROWS && n > tac_lcp_count_dofs(m, lcp, island));
}

/* Uses the matrix of dofs where it is the smaller one. Falls back on the matrix of rows. */
tacStatus tac_lcp_solve_boxed(const tacModel *m, tacLcp *lcp, int island, tacArena *arena) {
    int n = lcp->island_adr[island + 1] - lcp->island_adr[island];
    int unsolved = lcp->unsolved, dense = n <= lcp->dense_rows;
    if (!is_large(m, lcp, island)) return solve_dense(m, lcp, island, arena);
    TAC_TRY(tac_lcp_solve_large(m, lcp, island, !dense, arena));
    if (!dense || lcp->unsolved == unsolved) return TAC_OK;
    lcp->unsolved = unsolved;
    return solve_dense(m, lcp, island, arena);
}

/* Reduces restitution where all of it would give energy. */
static tacStatus solve_with_bounce(const tacModel *m, tacLcp *lcp, int island, tacArena *arena) {
    int unsolved = lcp->unsolved;
    TAC_TRY(tac_lcp_solve_island(m, lcp, island, arena));
    return tac_lcp_limit_bounce(m, lcp, island, unsolved, arena);
}

tacStatus tac_lcp_solve(const tacModel *m, tacLcp *lcp, const double *v_free, tacArena *arena) {
    lcp->pivots = lcp->unsolved = lcp->limited = 0;
    lcp->v_free = v_free;
    lcp->residual = 0;
    lcp->kept = -1;
    for (int k = 0; k < lcp->rows.n; k++)
        lcp->b[k] = tac_row_velocity(&lcp->rows, k, v_free) + lcp->s[k];
    if (tac_first_nonfinite(lcp->rows.n, lcp->b) >= 0) return TAC_ERR_NONFINITE;
    for (int i = 0; i < lcp->nisland; i++)
        TAC_TRY(solve_with_bounce(m, lcp, i, arena));
    lcp->unsolved += count_contradictions(lcp);
    release_unloaded(lcp);
    if (lcp->truth == NULL) memcpy(lcp->decided, lcp->f, (size_t)lcp->rows.n * sizeof *lcp->f);
    return tac_finite(lcp->residual) && tac_first_nonfinite(lcp->rows.n, lcp->f) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

static void measure_dense(const tacModel *m, int n, tacArena *dry) {
    TAC_SCOPE(dry);
    Dense d;
    tacBoxedWork work;
    dense_layout(&d, m, n, NULL, dry);
    tac_boxed_layout(&work, n, dry);
}

void tac_lcp_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry) {
    int n = tac_rows_max(m, options->max_contacts), most = options->lcp_dense_rows;
    if (most < TAC_LCP_SMALL_ROWS) most = TAC_LCP_SMALL_ROWS;
    measure_dense(m, n < most ? n : most, dry);
    if (n > TAC_LCP_FEW_ROWS) tac_lcp_measure_large(m, n, dry);
    if (options->toi) tac_lcp_measure_truth(m, options, dry);
}

void tac_lcp_add_force(const tacLcp *lcp, double *force) {
    for (int k = 0; k < lcp->rows.n; k++)
        if (lcp->f[k] != 0) tac_row_add_force(&lcp->rows, k, lcp->f[k], force);
}
