/* Large islands: the same classes, found through a matrix of dofs instead of rows.
 *
 * With y = D^1/2 L dv, in which the inertia is one, rows are Y and A = Y Y^T + eps. For given classes, C free, Yhat =
 * Y_C + E^T Y_B with the bounded rows that hang on them, and delta_k = eps_k,
 *
 *   (Y_C Yhat^T + delta) df = r      =>     df = (r - Y_C g) / delta,    K g = Yhat^T r / delta,
 *   K = 1 + sum over C of yhat_k y_k^T / delta_k                                                                  (1)
 *
 * K couples only trees that share a row: a sparse matrix of the size of the dofs, however many contacts hold them. The
 * difference r - Y_C g loses as many digits as A_kk/delta is large (six to eight, of sixteen), so f is refined with w =
 * Y Y^T f + b + eps f until w_C is zero to rounding, which takes four or five rounds. A delta larger than eps would
 * keep more digits, but among redundant rows it leaves (delta - eps)/delta of an error in every round; it stands in for
 * an eps of zero alone. Classes change by block pivoting, from those that sweeps suggest. */
#include "contact/lcp/lcp.h"

#include "math/scalar.h"
#include "solve/block_lu.h"

#include <string.h>

/* Sweeps that guess the classes; rounds of refinement. */
enum { FIRST_SWEEPS = 30, REFINEMENTS = 12 };
/* Sweeps when it was not solved. */
#define LAST_SWEEPS 400
/* delta relative to the row's own A_kk where there is no compliance. */
#define LEAST_DELTA 1e-7
/* w_C counts as zero at this share of the residual that counts as solved. */
#define REFINED 1e-2
/* Refinement goes on while each round leaves less than this of the error. */
#define GAIN 0.5

typedef struct Large {
    const tacRows *rows;
    const double *eps; /* of all rows */
    const int *row;    /* n: rows of the island */
    tacBoxed boxed;    /* without its matrix */
    double *b, *low, *high, *diagonal, *delta, *f, *w;
    int *parent, *row_class, *wanted;
    double *y;                /* nv: Y^T f */
    int *block_of, *place;    /* nbody: block of a tree, or -1; nv: place of a dof in K */
    int *block_size, *dof_of; /* nbody; nv: dofs of the island */
    double *g;                /* nv: right side of K */
    tacBlockLu lu;
    int ndof;
} Large;

enum { DOUBLES = 7, INTS = 3 };

size_t tac_lcp_large_scratch(const tacModel *m, int max_rows) {
    size_t n = (size_t)max_rows, nv = (size_t)m->nv, bodies = (size_t)m->nbody;
    int dofs = m->nv < TAC_LCP_MOST_DOFS ? m->nv : TAC_LCP_MOST_DOFS;
    return DOUBLES * tac_arena_round(n * sizeof(double)) + INTS * tac_arena_round(n * sizeof(int)) +
           2 * tac_arena_round(nv * sizeof(double)) + 2 * tac_arena_round(nv * sizeof(int)) +
           2 * tac_arena_round(bodies * sizeof(int)) + tac_block_lu_bytes(m->nbody, dofs);
}

static int lay_out(Large *l, const tacModel *m, int n, tacArena *arena) {
    double **reals[DOUBLES] = {&l->b, &l->low, &l->high, &l->diagonal, &l->delta, &l->f, &l->w};
    int **ints[INTS] = {&l->parent, &l->row_class, &l->wanted}, ok = 1;
    for (int k = 0; k < DOUBLES; k++)
        ok &= (*reals[k] = TAC_TAKE(arena, n, double)) != NULL;
    for (int k = 0; k < INTS; k++)
        ok &= (*ints[k] = TAC_TAKE(arena, n, int)) != NULL;
    l->y = TAC_TAKE(arena, m->nv, double);
    l->g = TAC_TAKE(arena, m->nv, double);
    l->place = TAC_TAKE(arena, m->nv, int);
    l->dof_of = TAC_TAKE(arena, m->nv, int);
    l->block_of = TAC_TAKE(arena, m->nbody, int);
    l->block_size = TAC_TAKE(arena, m->nbody, int);
    return ok && l->y && l->g && l->place && l->dof_of && l->block_of && l->block_size;
}

static void take_rows(Large *l, const tacLcp *lcp, int island) {
    int first = lcp->island_adr[island], n = lcp->island_adr[island + 1] - first;
    l->rows = &lcp->rows, l->eps = lcp->eps, l->row = lcp->order + first;
    for (int i = 0; i < n; i++) {
        int k = l->row[i];
        l->b[i] = lcp->b[k], l->low[i] = lcp->low[k], l->high[i] = lcp->high[k];
        l->parent[i] = lcp->parent[k] < 0 ? -1 : i - (k - lcp->parent[k]);
        double a = tac_row_product(&lcp->rows, k, k);
        l->diagonal[i] = a + lcp->eps[k];
        l->delta[i] = lcp->eps[k] > 0 ? lcp->eps[k] : LEAST_DELTA * a;
    }
    l->boxed = (tacBoxed){n, NULL, l->b, l->parent, l->low, l->high, l->diagonal, 0, 0};
}

/* --- Sweeps ------------------------------------------------------------------------------------------------------- */

static void add_row(const Large *l, int i, double f, double *y) {
    const tacRows *rows = l->rows;
    const tacRow *row = &rows->row[l->row[i]];
    for (int e = row->adr; e < row->adr + row->num; e++)
        y[rows->dof[e]] += rows->Y[e] * f;
}

static double along_row(const Large *l, int i, const double *y) {
    const tacRows *rows = l->rows;
    const tacRow *row = &rows->row[l->row[i]];
    double sum = 0;
    for (int e = row->adr; e < row->adr + row->num; e++)
        sum += rows->Y[e] * y[rows->dof[e]];
    return sum;
}

/* f -> y, w */
static void multiply(const Large *l, const tacModel *m) {
    memset(l->y, 0, (size_t)m->nv * sizeof *l->y);
    for (int i = 0; i < l->boxed.n; i++)
        if (l->f[i] != 0) add_row(l, i, l->f[i], l->y);
    for (int i = 0; i < l->boxed.n; i++)
        l->w[i] = l->b[i] + along_row(l, i, l->y) + l->eps[l->row[i]] * l->f[i];
}

/* Projected Gauss-Seidel: y follows every change of a force. -> 1 when nothing changes any more. */
static int sweep(const Large *l, const tacModel *m, int count) {
    double change = 1;
    multiply(l, m);
    for (int s = 0; s < count && change > 0; s++) {
        change = 0;
        for (int i = 0; i < l->boxed.n; i++) {
            double lo, hi, w = l->b[i] + along_row(l, i, l->y) + l->eps[l->row[i]] * l->f[i];
            tac_boxed_bounds(&l->boxed, l->f, i, &lo, &hi);
            double next = tac_min(tac_max(l->f[i] - w / l->diagonal[i], lo), hi), df = next - l->f[i];
            if (df == 0) continue;
            add_row(l, i, df, l->y);
            l->f[i] = next;
            change = tac_max(change, tac_abs(df));
        }
    }
    multiply(l, m);
    return change == 0;
}

/* --- The matrix of dofs ------------------------------------------------------------------------------------------- */

static int tree_of(const tacModel *m, int dof) { return m->body_root[m->dof_body[dof]]; }

/* Trees of the island become blocks; dofs of one are neighbours. 0: more dofs than we take. */
static int find_blocks(Large *l, const tacModel *m, tacArena *arena) {
    const tacRows *rows = l->rows;
    int nblock = 0;
    for (int b = 0; b < m->nbody; b++)
        l->block_of[b] = -1;
    for (int i = 0; i < l->boxed.n; i++) {
        const tacRow *row = &rows->row[l->row[i]];
        for (int e = row->adr; e < row->adr + row->num; e++) {
            int tree = tree_of(m, rows->dof[e]);
            if (l->block_of[tree] < 0) l->block_size[nblock] = 0, l->block_of[tree] = nblock++;
        }
    }
    l->ndof = 0;
    for (int d = 0; d < m->nv; d++) {
        int block = l->block_of[tree_of(m, d)];
        if (block >= 0) l->place[d] = l->block_size[block]++, l->dof_of[l->ndof++] = d;
    }
    return l->ndof <= TAC_LCP_MOST_DOFS && tac_block_lu_begin(&l->lu, nblock, l->block_size, arena);
}

static void order_blocks(Large *l, const tacModel *m) {
    const tacRows *rows = l->rows;
    for (int i = 0; i < l->boxed.n; i++) {
        const tacRow *row = &rows->row[l->row[i]];
        int last = -1;
        for (int e = row->adr; e < row->adr + row->num; e++) {
            int block = l->block_of[tree_of(m, rows->dof[e])];
            if (block == last) continue;
            for (int o = row->adr; o < e; o++)
                tac_block_lu_link(&l->lu, block, l->block_of[tree_of(m, rows->dof[o])]);
            last = block;
        }
    }
    tac_block_lu_order(&l->lu);
    for (int i = 0; i < l->ndof; i++)
        l->place[l->dof_of[i]] += l->lu.first[l->block_of[tree_of(m, l->dof_of[i])]];
}

/* K += scale a b^T, a and b rows of Y */
static void add_product(const Large *l, double scale, int a, int b) {
    const tacRows *rows = l->rows;
    const tacRow *left = &rows->row[l->row[a]], *right = &rows->row[l->row[b]];
    for (int e = left->adr; e < left->adr + left->num; e++) {
        double *line = tac_block_lu_at(&l->lu, l->place[rows->dof[e]], 0), x = scale * rows->Y[e];
        if (x == 0) continue;
        for (int o = right->adr; o < right->adr + right->num; o++)
            line[l->place[rows->dof[o]]] += x * rows->Y[o];
    }
}

/* The row whose free force row i moves with: itself, or its parent; -1: none. */
static int driver_of(const Large *l, int i) {
    if (l->row_class[i] == TAC_ROW_FREE) return i;
    if (l->parent[i] < 0 || tac_boxed_factor_of(&l->boxed, l->row_class, i) == 0) return -1;
    return l->row_class[l->parent[i]] == TAC_ROW_FREE ? l->parent[i] : -1;
}

static double share_of(const Large *l, int i) {
    return l->row_class[i] == TAC_ROW_FREE ? 1 : tac_boxed_factor_of(&l->boxed, l->row_class, i);
}

/* (1) */
static int factor(Large *l) {
    tac_block_lu_clear(&l->lu);
    for (int d = 0; d < l->ndof; d++)
        *tac_block_lu_at(&l->lu, d, d) = 1;
    for (int i = 0; i < l->boxed.n; i++) {
        int k = driver_of(l, i);
        if (k >= 0) add_product(l, share_of(l, i) / l->delta[k], i, k);
    }
    return tac_block_lu_factor(&l->lu);
}

/* Forces that classes fix. */
static void follow_classes(const Large *l) {
    for (int i = 0; i < l->boxed.n; i++) {
        if (l->row_class[i] == TAC_ROW_FREE) continue;
        double e = tac_boxed_factor_of(&l->boxed, l->row_class, i);
        l->f[i] = l->parent[i] < 0 ? e : e * l->f[l->parent[i]];
    }
}

/* Largest |w_k| / A_kk of free rows. */
static double free_error(const Large *l) {
    double worst = 0;
    for (int i = 0; i < l->boxed.n; i++)
        if (l->row_class[i] == TAC_ROW_FREE) worst = tac_max(worst, tac_abs(l->w[i]) / l->diagonal[i]);
    return worst;
}

/* f_C += (A_CC + delta)^-1 (-w_C) */
static void correct(Large *l, const tacModel *m) {
    const tacRows *rows = l->rows;
    memset(l->g, 0, (size_t)l->ndof * sizeof *l->g);
    for (int i = 0; i < l->boxed.n; i++) {
        int k = driver_of(l, i);
        if (k < 0) continue;
        const tacRow *row = &rows->row[l->row[i]];
        double x = -share_of(l, i) * l->w[k] / l->delta[k];
        for (int e = row->adr; e < row->adr + row->num; e++)
            l->g[l->place[rows->dof[e]]] += rows->Y[e] * x;
    }
    tac_block_lu_solve(&l->lu, l->g);
    for (int i = 0; i < l->ndof; i++)
        l->y[l->dof_of[i]] = l->g[l->place[l->dof_of[i]]];
    for (int i = 0; i < l->boxed.n; i++)
        if (l->row_class[i] == TAC_ROW_FREE) l->f[i] += (-l->w[i] - along_row(l, i, l->y)) / l->delta[i];
    follow_classes(l);
    multiply(l, m);
}

/* Classes -> f, w; 0: K is singular or f does not settle. */
static int solve_classes(Large *l, const tacModel *m) {
    if (!factor(l)) return 0;
    follow_classes(l);
    multiply(l, m);
    double before = TAC_INFINITY, error = free_error(l), scale = tac_boxed_tolerance(&l->boxed, l->f);
    for (int k = 0; k < REFINEMENTS && error < GAIN * before; k++) {
        before = error;
        correct(l, m);
        error = free_error(l), scale = tac_boxed_tolerance(&l->boxed, l->f);
        if (error <= REFINED * scale) break;
    }
    return error <= scale;
}

/* --- Classes ------------------------------------------------------------------------------------------------------ */

static int pivot(Large *l, const tacModel *m, int *pivots) {
    int fewest = l->boxed.n + 1, patience = TAC_BOXED_PATIENCE;
    while (patience >= 0) {
        if (!solve_classes(l, m)) return 0;
        ++*pivots;
        int wrong = tac_boxed_sort(&l->boxed, l->f, l->w, l->row_class, l->wanted);
        if (wrong == 0) return 1;
        patience = wrong < fewest ? TAC_BOXED_PATIENCE : patience - 1;
        fewest = wrong < fewest ? wrong : fewest;
    }
    return 0;
}

static int guess_and_pivot(Large *l, const tacModel *m, int *pivots) {
    order_blocks(l, m);
    memset(l->f, 0, (size_t)l->boxed.n * sizeof *l->f);
    sweep(l, m, FIRST_SWEEPS);
    tac_boxed_classify(&l->boxed, l->f, l->w, l->row_class);
    return pivot(l, m, pivots);
}

static void sweep_alone(Large *l, const tacModel *m) {
    memset(l->f, 0, (size_t)l->boxed.n * sizeof *l->f);
    sweep(l, m, LAST_SWEEPS);
    tac_boxed_classify(&l->boxed, l->f, l->w, l->row_class);
}

tacStatus tac_lcp_solve_large(const tacModel *m, tacLcp *lcp, int island, int last, tacArena *arena) {
    Large l;
    int first = lcp->island_adr[island], n = lcp->island_adr[island + 1] - first;
    if (!lay_out(&l, m, n, arena)) return TAC_ERR_ARENA_FULL;
    take_rows(&l, lcp, island);
    int solved = find_blocks(&l, m, arena) && guess_and_pivot(&l, m, &lcp->pivots);
    if (!solved && last) sweep_alone(&l, m);
    double residual = tac_boxed_residual(&l.boxed, l.f, l.w);
    solved = residual <= tac_boxed_tolerance(&l.boxed, l.f);
    lcp->unsolved += !solved;
    if (!solved && !last) return TAC_OK;
    for (int i = 0; i < n; i++)
        lcp->f[l.row[i]] = l.f[i], lcp->w[l.row[i]] = l.w[i], lcp->row_class[l.row[i]] = l.row_class[i];
    lcp->residual = tac_max(lcp->residual, residual);
    return TAC_OK;
}
