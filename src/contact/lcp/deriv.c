/* Derivatives by class (docs/theory/contact.md, L4). At the solution the free rows C keep w_C = 0. Bounded rows move
 * with their parents, f_B = E f_C + b. All other rows have no force:
 *
 *   Mhat da - Jhat^T df_C / h = -dR,      h J_C da + eps df_C = -dr,      Jhat = J_C + E^T J_B
 *
 * dR and dr are the changes at fixed a and f_C (contact_deriv.c, rows_deriv.c, equality.c). */
#include "contact/lcp/problem.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <limits.h>
#include <string.h>

/* A contact's tangents follow its normal. */
int tac_lcp_bounded_children(const tacLcp *lcp, int k, int child[2], double factor[2]) {
    int n = 0;
    for (int l = k + 1; l <= k + 2 && l < lcp->rows.n; l++) {
        if (lcp->parent[l] != k) continue;
        double e = lcp->row_class[l] == TAC_ROW_LOW    ? lcp->low[l]
                   : lcp->row_class[l] == TAC_ROW_HIGH ? lcp->high[l]
                                                       : 0;
        if (e != 0) {
            child[n] = l;
            factor[n++] = e;
        }
    }
    return n;
}

/* by[2 j] and by[2 j + 1]: forces of the first and second row after free row j per unit of its force. 0: none.
 * Returns how many are not 0. */
static int find_factors(const tacLcp *lcp, int n, const int *row, double *by) {
    int child[2], count = 0;
    double factor[2];
    for (int j = 0; j < n; j++) {
        int children = tac_lcp_bounded_children(lcp, row[j], child, factor);
        by[2 * j] = by[2 * j + 1] = 0;
        for (int c = children - 1; c >= 0; c--)
            by[2 * j + child[c] - row[j] - 1] = factor[c];
        count += children;
    }
    return count;
}

/* lu <- J_C Mhat^-1 Jhat^T + eps, from G, the products of the island's rows with eps. at[i] is the index of free row i
 * among these rows. Children follow their parent there too. lu may be G itself: since at[i] >= i and all >= n, every
 * entry is written after all reads at its place. by NULL: no free row has bounded ones. */
static void compose_system(int n, int all, const int *at, const double *by, const double *G, double *lu) {
    for (int i = 0; i < n; i++) {
        const double *from = G + (size_t)at[i] * (size_t)all;
        double *to = lu + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            const double *g = from + at[j];
            double a = g[0];
            if (by != NULL && by[2 * j] != 0) a += by[2 * j] * g[1];
            if (by != NULL && by[2 * j + 1] != 0) a += by[2 * j + 1] * g[2];
            to[j] = a;
        }
    }
}

/* Largest over smallest pivot of the factor; 0 without rows. */
static double pivot_ratio(int n, const double *lu) {
    double least = TAC_INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        double pivot = tac_abs(lu[(size_t)i * (size_t)n + (size_t)i]);
        least = tac_min(least, pivot);
        most = tac_max(most, pivot);
    }
    return n == 0 ? 0 : most / least;
}

/* The least range of dofs with all entries of the rows. */
static void find_dofs(const tacRows *rows, int n, const int *row, tacLcpSystem *system) {
    int first = INT_MAX, last = -1;
    for (int i = 0; i < n; i++) {
        const int *dof = rows->dof + rows->row[row[i]].adr;
        for (int e = 0; e < rows->row[row[i]].num; e++) {
            first = dof[e] < first ? dof[e] : first;
            last = dof[e] > last ? dof[e] : last;
        }
    }
    system->first = last < 0 ? 0 : first;
    system->ndof = last < 0 ? 0 : last - first + 1;
}

/* G <- products of an island's rows, with eps on the diagonal. */
static void island_products(const tacModel *m, const tacLcp *lcp, int n, const int *row, double *spread, double *G) {
    memset(spread, 0, 3 * (size_t)m->nv * sizeof *spread);
    tac_rows_products(&lcp->rows, n, row, spread, G);
    for (int i = 0; i < n; i++)
        G[(size_t)i * (size_t)n + (size_t)i] += lcp->eps[row[i]];
}

/* Lists the rows of an island that take part, and the free rows among them. */
typedef struct Lists {
    int *order, *at;
} Lists;

static int lists_layout(Lists *l, tacLcpSystem *system, int count, tacArena *arena) {
    l->at = TAC_TAKE(arena, count, int);
    l->order = TAC_TAKE(arena, count, int);
    system->row = TAC_TAKE(arena, count, int);
    system->pivot = TAC_TAKE(arena, count, int);
    return l->at && l->order && system->row && system->pivot;
}

/* Matrices of n free rows. lu has room for `most` x `most` numbers. */
typedef struct Matrices {
    double *spread, *by; /* 3 nv, 2 n */
} Matrices;

static int matrices_layout(Matrices *x, tacLcpSystem *system, const tacModel *m, int n, int most, tacArena *arena) {
    system->n = n;
    system->lu = TAC_TAKE(arena, (size_t)most * (size_t)most, double);
    system->work = TAC_TAKE(arena, n, double);
    x->spread = TAC_TAKE(arena, 3 * (size_t)m->nv, double);
    x->by = TAC_TAKE(arena, 2 * (size_t)n, double);
    return system->lu && system->work && x->spread && x->by;
}

void tac_lcp_measure_system(const tacModel *m, int rows, tacArena *dry) {
    tacLcpSystem system;
    Lists lists;
    Matrices matrices;
    lists_layout(&lists, &system, rows, dry);
    matrices_layout(&matrices, &system, m, rows, rows, dry);
}

tacStatus tac_lcp_system(const tacModel *m, const tacLcp *lcp, int island, tacArena *arena, tacLcpSystem *system) {
    int begin = lcp->island_adr[island], end = lcp->island_adr[island + 1], kept = lcp->kept == island, all = 0, n = 0;
    Lists lists;
    Matrices matrices;
    if (!lists_layout(&lists, system, end - begin, arena)) return TAC_ERR_ARENA_FULL;
    for (int i = begin; i < end; i++) {
        int k = lcp->order[i], p = lcp->parent[k];
        if (!kept && lcp->row_class[p < 0 ? k : p] != TAC_ROW_FREE) continue; /* nothing moves with it */
        if (lcp->row_class[k] == TAC_ROW_FREE) {
            lists.at[n] = all;
            system->row[n++] = k;
        }
        lists.order[all++] = k;
    }
    if (!matrices_layout(&matrices, system, m, n, kept ? n : all, arena)) return TAC_ERR_ARENA_FULL;
    if (!kept) island_products(m, lcp, all, lists.order, matrices.spread, system->lu);
    if (find_factors(lcp, n, system->row, matrices.by) == 0) matrices.by = NULL;
    compose_system(n, all, lists.at, matrices.by, kept ? lcp->products : system->lu, system->lu);
    tac_lu_factor(n, system->lu, system->pivot, system->work);
    system->conditioning = pivot_ratio(n, system->lu);
    system->shared = system->conditioning > TAC_LCP_SHARED;
    find_dofs(&lcp->rows, all, lists.order, system);
    return TAC_OK;
}

static void add_weighed(const tacRows *rows, int k, double x, double *out) {
    for (int e = rows->row[k].adr; e < rows->row[k].adr + rows->row[k].num; e++)
        out[rows->dof[e]] += rows->Y[e] * x;
}

void tac_lcp_add_hat(const tacLcp *lcp, int row, double x, double *out) {
    int child[2];
    double factor[2];
    add_weighed(&lcp->rows, row, x, out);
    for (int c = tac_lcp_bounded_children(lcp, row, child, factor) - 1; c >= 0; c--)
        add_weighed(&lcp->rows, child[c], factor[c] * x, out);
}

static int is_zero(int n, const double *x) {
    int i = 0;
    while (i < n && x[i] == 0)
        i++;
    return i == n;
}

/* out[dof][i] += Y_k x */
static void spread_weighed(const tacRows *rows, const tacLcpSystem *system, int k, double x, int i, double *out) {
    for (int e = rows->row[k].adr; e < rows->row[k].adr + rows->row[k].num; e++)
        out[(size_t)(rows->dof[e] - system->first) * (size_t)system->n + (size_t)i] += rows->Y[e] * x;
}

void tac_lcp_system_response(const tacLcp *lcp, const tacLcpSystem *system, double *out) {
    int n = system->n, child[2];
    double factor[2];
    memset(out, 0, (size_t)n * (size_t)system->ndof * sizeof *out);
    for (int i = 0; i < n; i++) {
        spread_weighed(&lcp->rows, system, system->row[i], 1, i, out);
        for (int c = tac_lcp_bounded_children(lcp, system->row[i], child, factor) - 1; c >= 0; c--)
            spread_weighed(&lcp->rows, system, child[c], factor[c], i, out);
    }
    for (int j = 0; j < system->ndof; j++) {
        double *line = out + (size_t)j * (size_t)n;
        if (!is_zero(n, line)) tac_lu_solve_transposed(n, system->lu, system->pivot, line);
    }
}

double tac_lcp_hat_velocity(const tacLcp *lcp, int row, const double *z) {
    int child[2];
    double factor[2], sum = tac_row_velocity(&lcp->rows, row, z);
    for (int c = tac_lcp_bounded_children(lcp, row, child, factor) - 1; c >= 0; c--)
        sum += factor[c] * tac_row_velocity(&lcp->rows, child[c], z);
    return sum;
}

double tac_lcp_hat_sum(const tacLcp *lcp, int row, const double *x) {
    int child[2];
    double factor[2], sum = x[row];
    for (int c = tac_lcp_bounded_children(lcp, row, child, factor) - 1; c >= 0; c--)
        sum += factor[c] * x[child[c]];
    return sum;
}
