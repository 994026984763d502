/* Large islands: finds the same classes through a matrix of dofs instead of rows.
 *
 * In y = D^1/2 L dv the inertia is one, rows are Y, and A = Y Y^T + eps. Classes are given and C are the free rows.
 * Yhat = Y_C + E^T Y_B adds their bounded children, and delta_k = eps_k. Then
 *
 *   (Y_C Yhat^T + delta) df = r      =>     df = (r - Y_C g) / delta,    K g = Yhat^T r / delta,
 *   K = 1 + sum over C of yhat_k y_k^T / delta_k                                                                  (1)
 *
 * K couples only trees that share a row. It is sparse and has the size of the dofs, however many contacts hold them.
 * The difference r - Y_C g loses log10(A_kk/delta) digits (six to eight, of sixteen). So f is refined with w = Y Y^T
 * f + b + eps f until w_C is zero to rounding. This takes four or five rounds. A delta larger than eps would keep more
 * digits, but among redundant rows each round would leave (delta - eps)/delta of an error. It replaces only an eps of
 * zero. Classes change by block pivoting, from those that sweeps suggest. */
#include "contact/lcp/problem.h"

#include "math/scalar.h"
#include "solve/block_lu.h"

#include <string.h>

/* Sweeps that guess the classes; limit on rounds of refinement. */
enum { FIRST_SWEEPS = 10, REFINEMENTS = 12 };
/* Limit on rounds of pivoting without a gain, in a pile. There pivoting succeeds soon or not at all. */
enum { PILE_PATIENCE = 3 };
/* Sweeps if no method has solved the island. */
#define LAST_SWEEPS 400
/* delta, relative to A_kk, of a row without compliance. */
#define LEAST_DELTA 1e-7
/* Refinement ends when the error of w_C is below this share of the tolerance. */
#define REFINED 1e-2
/* Relative rounding of the answer. Forces of redundant rows move A_kk/eps times as much as w does. */
#define POLISHED 1e-14
/* Refinement continues while each round leaves less than this share of the error. */
#define GAIN 0.5

typedef struct Large {
    const tacModel *m;
    const tacRows *rows;
    const double *eps; /* of all rows */
    const int *row;    /* n: rows of the island */
    tacBoxed boxed;    /* without its matrix */
    double *b, *low, *high, *diagonal, *delta, *f, *w;
    double *T, *C, *r; /* n: (2) */
    int *parent, *row_class;
    int *split; /* n: entries of a row's first run of adjacent places if at most one more run follows, else 0 */
    tacBoxedTrack track;
    double *y;                /* nv: Y^T f */
    int *block_of, *place;    /* nbody: block of a tree, or -1; nv: place of a dof in K */
    int *block_size, *dof_of; /* nbody; nv: dofs of the island */
    double *g;                /* nv: right side of K */
    tacBlockLu lu;
    int ndof;
} Large;

/* Takes all but lu. The size of lu is known once the island's dofs are. */
static int layout(Large *l, const tacModel *m, int n, tacArena *arena) {
    double **reals[] = {&l->b, &l->low, &l->high, &l->diagonal, &l->delta, &l->f, &l->w, &l->T, &l->C, &l->r};
    int **ints[] = {&l->parent, &l->row_class, &l->split}, ok = tac_boxed_track_layout(&l->track, n, arena);
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        ok &= (*reals[k] = TAC_TAKE(arena, n, double)) != NULL;
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++)
        ok &= (*ints[k] = TAC_TAKE(arena, n, int)) != NULL;
    l->m = m;
    l->y = TAC_TAKE(arena, m->nv, double);
    l->g = TAC_TAKE(arena, m->nv, double);
    l->place = TAC_TAKE(arena, m->nv, int);
    l->dof_of = TAC_TAKE(arena, m->nv, int);
    l->block_of = TAC_TAKE(arena, m->nbody, int);
    l->block_size = TAC_TAKE(arena, m->nbody, int);
    return ok && l->y && l->g && l->place && l->dof_of && l->block_of && l->block_size;
}

void tac_lcp_measure_large(const tacModel *m, int max_rows, tacArena *dry) {
    TAC_SCOPE(dry);
    Large l;
    layout(&l, m, max_rows, dry);
    tacBlockLu lu;
    tac_block_lu_layout(&lu, m->nbody, m->nv < TAC_LCP_MOST_DOFS ? m->nv : TAC_LCP_MOST_DOFS, dry);
}

static void take_rows(Large *l, const tacLcp *lcp, int island) {
    int first = lcp->island_adr[island], n = lcp->island_adr[island + 1] - first;
    l->rows = &lcp->rows;
    l->eps = lcp->eps;
    l->row = lcp->order + first;
    for (int i = 0; i < n; i++) {
        int k = l->row[i];
        l->b[i] = lcp->b[k];
        l->low[i] = lcp->low[k];
        l->high[i] = lcp->high[k];
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

/* y = Y^T f, w = Y y + eps f + b */
static void multiply(const Large *l, const double *f, const double *b, double *w) {
    memset(l->y, 0, (size_t)l->m->nv * sizeof *l->y);
    for (int i = 0; i < l->boxed.n; i++)
        if (f[i] != 0) add_row(l, i, f[i], l->y);
    for (int i = 0; i < l->boxed.n; i++)
        w[i] = b[i] + along_row(l, i, l->y) + l->eps[l->row[i]] * f[i];
}

/* Projected Gauss-Seidel: y follows every change of a force. Returns 1 when nothing changes any more. */
static int sweep(const Large *l, int count) {
    double change = 1;
    multiply(l, l->f, l->b, l->w);
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
    multiply(l, l->f, l->b, l->w);
    return change == 0;
}

/* --- The matrix of dofs ------------------------------------------------------------------------------------------- */

static int tree_of(const tacModel *m, int dof) { return m->body_root[m->dof_body[dof]]; }

/* Makes the island's trees blocks. Dofs of a block are adjacent. 0: the island has too many dofs. */
static int find_blocks(Large *l, const tacModel *m, tacArena *arena) {
    const tacRows *rows = l->rows;
    int nblock = 0;
    for (int b = 0; b < m->nbody; b++)
        l->block_of[b] = -1;
    for (int i = 0; i < l->boxed.n; i++) {
        const tacRow *row = &rows->row[l->row[i]];
        for (int e = row->adr; e < row->adr + row->num; e++) {
            int tree = tree_of(m, rows->dof[e]);
            if (l->block_of[tree] >= 0) continue;
            l->block_size[nblock] = 0;
            l->block_of[tree] = nblock++;
        }
    }
    l->ndof = 0;
    for (int d = 0; d < m->nv; d++) {
        int block = l->block_of[tree_of(m, d)];
        if (block < 0) continue;
        l->place[d] = l->block_size[block]++;
        l->dof_of[l->ndof++] = d;
    }
    return l->ndof <= TAC_LCP_MOST_DOFS && tac_block_lu_begin(&l->lu, nblock, l->block_size, arena);
}

/* Number of entries of row i, from e on, whose places are consecutive. */
static int run_from(const Large *l, int i, int e) {
    const tacRows *rows = l->rows;
    const tacRow *row = &rows->row[l->row[i]];
    int n = 1;
    while (e + n < row->adr + row->num && l->place[rows->dof[e + n]] == l->place[rows->dof[e]] + n)
        n++;
    return n;
}

/* Two bodies that touch have two runs, one each. */
static void find_runs(Large *l) {
    for (int i = 0; i < l->boxed.n; i++) {
        const tacRow *row = &l->rows->row[l->row[i]];
        int first = row->num > 0 ? run_from(l, i, row->adr) : 0, rest = row->num - first;
        l->split[i] = rest == 0 || run_from(l, i, row->adr + first) == rest ? first : 0;
    }
}

static void order_blocks(Large *l) {
    const tacModel *m = l->m;
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
    find_runs(l);
}

/* y += x a */
static inline void add_run(int n, double x, const double *a, double *restrict y) {
    for (int i = 0; i < n; i++)
        y[i] += x * a[i];
}

/* K += scale a b^T, a and b rows of Y */
static void add_product(const Large *l, double scale, int a, int b) {
    const tacRows *rows = l->rows;
    const tacRow *left = &rows->row[l->row[a]], *right = &rows->row[l->row[b]];
    const double *Y = rows->Y + right->adr;
    const int *dof = rows->dof + right->adr;
    int split = l->split[b], rest = right->num - split;
    int first = right->num > 0 ? l->place[dof[0]] : 0, second = split > 0 && rest > 0 ? l->place[dof[split]] : 0;
    for (int e = left->adr; e < left->adr + left->num; e++) {
        double *line = tac_block_lu_at(&l->lu, l->place[rows->dof[e]], 0), x = scale * rows->Y[e];
        if (x == 0) continue;
        add_run(split, x, Y, line + first);
        if (split > 0)
            add_run(rest, x, Y + split, line + second);
        else
            for (int o = 0; o < right->num; o++)
                line[l->place[dof[o]]] += x * Y[o];
    }
}

/* The free row that the force of row i depends on: itself, or its parent. -1: none. */
static int driver_of(const Large *l, const int *row_class, int i) {
    if (row_class[i] == TAC_ROW_FREE) return i;
    if (l->parent[i] < 0 || tac_boxed_factor_of(&l->boxed, row_class, i) == 0) return -1;
    return row_class[l->parent[i]] == TAC_ROW_FREE ? l->parent[i] : -1;
}

static double share_of(const Large *l, const int *row_class, int i) {
    return row_class[i] == TAC_ROW_FREE ? 1 : tac_boxed_factor_of(&l->boxed, row_class, i);
}

/* (1) */
static int factor(void *matrix, const int *row_class) {
    Large *l = matrix;
    tac_block_lu_clear(&l->lu);
    for (int d = 0; d < l->ndof; d++)
        *tac_block_lu_at(&l->lu, d, d) = 1;
    for (int i = 0; i < l->boxed.n; i++) {
        int k = driver_of(l, row_class, i);
        if (k >= 0) add_product(l, share_of(l, row_class, i) / l->delta[k], i, k);
    }
    return tac_block_lu_factor(&l->lu);
}

/* Sets the forces that the classes fix. */
static void follow_classes(const Large *l, const int *row_class, double constant, double *f) {
    for (int i = 0; i < l->boxed.n; i++) {
        if (row_class[i] == TAC_ROW_FREE) continue;
        double e = tac_boxed_factor_of(&l->boxed, row_class, i);
        f[i] = l->parent[i] < 0 ? constant * e : e * f[l->parent[i]];
    }
}

/* Largest |w_k| / A_kk over free rows. */
static double free_error(const Large *l, const int *row_class, const double *w) {
    double worst = 0;
    for (int i = 0; i < l->boxed.n; i++)
        if (row_class[i] == TAC_ROW_FREE) worst = tac_max(worst, tac_abs(w[i]) / l->diagonal[i]);
    return worst;
}

/* f_C += (A_CC + delta)^-1 (-w_C) */
static void correct(Large *l, const int *row_class, const double *w, double *f) {
    const tacRows *rows = l->rows;
    memset(l->g, 0, (size_t)l->ndof * sizeof *l->g);
    for (int i = 0; i < l->boxed.n; i++) {
        int k = driver_of(l, row_class, i);
        if (k < 0) continue;
        const tacRow *row = &rows->row[l->row[i]];
        double x = -share_of(l, row_class, i) * w[k] / l->delta[k];
        for (int e = row->adr; e < row->adr + row->num; e++)
            l->g[l->place[rows->dof[e]]] += rows->Y[e] * x;
    }
    tac_block_lu_solve(&l->lu, l->g);
    for (int i = 0; i < l->ndof; i++)
        l->y[l->dof_of[i]] = l->g[l->place[l->dof_of[i]]];
    for (int i = 0; i < l->boxed.n; i++)
        if (row_class[i] == TAC_ROW_FREE) f[i] += (-w[i] - along_row(l, i, l->y)) / l->delta[i];
}

/* Refines f until w of the free rows is zero to `rounding`, or stops falling. 1: it is zero. */
static int refine(Large *l, const int *row_class, const double *b, double constant, double rounding, double *f,
                  double *w) {
    tacBoxed problem = l->boxed;
    problem.b = b;
    double before = TAC_INFINITY, scale = 0, error = TAC_INFINITY;
    for (int k = 0; k <= REFINEMENTS; k++) {
        if (k > 0) correct(l, row_class, w, f);
        follow_classes(l, row_class, constant, f);
        multiply(l, f, b, w);
        error = free_error(l, row_class, w);
        scale = rounding * tac_boxed_largest(&problem, f);
        if (error <= REFINED * scale || !(error < GAIN * before)) break;
        before = error;
    }
    return error <= scale;
}

static int answer(void *matrix, const int *row_class, const double *b, double constant, double rounding, double *f,
                  double *w) {
    memset(f, 0, (size_t)((Large *)matrix)->boxed.n * sizeof *f);
    return refine(matrix, row_class, b, constant, rounding, f, w);
}

/* T has D + eps on the diagonal, and C where a row meets its parent:
 *   (Y Y^T + T) df = r   =>   df = T^-1 (r - Y g),   (1 + Y^T T^-1 Y) g = Y^T T^-1 r (2) */
static int weigh(void *matrix, const double *D, const double *C) {
    Large *l = matrix;
    tac_block_lu_clear(&l->lu);
    for (int d = 0; d < l->ndof; d++)
        *tac_block_lu_at(&l->lu, d, d) = 1;
    for (int i = 0; i < l->boxed.n; i++) {
        int p = l->parent[i];
        l->T[i] = D[i] + l->delta[i];
        l->C[i] = C[i];
        add_product(l, 1 / l->T[i], i, i);
        if (p >= 0 && C[i] != 0) add_product(l, -C[i] / (l->T[i] * l->T[p]), i, p);
    }
    return tac_block_lu_factor(&l->lu);
}

/* x <- T^-1 x: parents come before their children. */
static void divide(const Large *l, double *x) {
    for (int i = 0; i < l->boxed.n; i++) {
        int p = l->parent[i];
        x[i] = (p < 0 ? x[i] : x[i] - l->C[i] * x[p]) / l->T[i];
    }
}

static void respond(void *matrix, double *x) {
    Large *l = matrix;
    memset(l->y, 0, (size_t)l->m->nv * sizeof *l->y);
    for (int i = 0; i < l->boxed.n; i++)
        l->r[i] = x[i];
    divide(l, l->r);
    for (int i = 0; i < l->boxed.n; i++)
        add_row(l, i, l->r[i], l->y);
    for (int i = 0; i < l->ndof; i++)
        l->g[l->place[l->dof_of[i]]] = l->y[l->dof_of[i]];
    tac_block_lu_solve(&l->lu, l->g);
    for (int i = 0; i < l->ndof; i++)
        l->y[l->dof_of[i]] = l->g[l->place[l->dof_of[i]]];
    for (int i = 0; i < l->boxed.n; i++)
        x[i] -= along_row(l, i, l->y);
    divide(l, x);
}

static void multiply_any(void *matrix, const double *f, const double *b, double *w) { multiply(matrix, f, b, w); }

/* --- Classes ------------------------------------------------------------------------------------------------------ */

/* Follows the path from a solved problem. It fails by rounding alone, and then another cover is tried. It is long: one
 * line for each row that takes part. */
static int solve_from_afar(const tacBoxedRun *run) {
    int solved = 0;
    for (int way = 0; way < TAC_BOXED_WAYS && !solved; way++)
        solved = tac_boxed_distant(run, way);
    return solved;
}

/* One tree among many contacts is wedged rather than piled. There the interior point gets stuck. The path from a nearby
 * problem is short. */
static int solve_tree(const tacBoxedRun *run) {
    return tac_boxed_pivot(run, TAC_BOXED_STAGES, TAC_BOXED_PATIENCE) || tac_boxed_nearby(run) ||
           (tac_boxed_interior(run) && (tac_boxed_pivot(run, 1, TAC_BOXED_PATIENCE) || tac_boxed_nearby(run)));
}

/* Many trees: where pivoting fails, many rows are in wrong classes. The cost of the interior point does not depend on
 * their number. Friction stops it in one step of ten of a heap in motion. The path from a nearby problem solves most of
 * these. */
static int solve_pile(const tacBoxedRun *run) {
    return tac_boxed_pivot(run, 1, PILE_PATIENCE) ||
           (tac_boxed_interior(run) && (tac_boxed_pivot(run, 1, TAC_BOXED_PATIENCE) || tac_boxed_nearby(run)));
}

static int guess_and_solve(Large *l, int *pivots) {
    tacBoxedForm form = {l, factor, answer, multiply_any, weigh, respond};
    tacBoxedRun run = {&l->boxed, form, &l->track, l->f, l->w, l->row_class, pivots};
    order_blocks(l);
    memset(l->f, 0, (size_t)l->boxed.n * sizeof *l->f);
    sweep(l, FIRST_SWEEPS);
    tac_boxed_classify(&l->boxed, l->f, l->w, l->row_class);
    int solved = l->lu.nblock == 1 ? solve_tree(&run) : solve_pile(&run);
    solved = solved || solve_from_afar(&run);
    if (solved) refine(l, l->row_class, l->b, 1, POLISHED, l->f, l->w);
    return solved;
}

static void sweep_alone(Large *l) {
    memset(l->f, 0, (size_t)l->boxed.n * sizeof *l->f);
    sweep(l, LAST_SWEEPS);
    tac_boxed_classify(&l->boxed, l->f, l->w, l->row_class);
}

tacStatus tac_lcp_solve_large(const tacModel *m, tacLcp *lcp, int island, int last, tacArena *arena) {
    TAC_SCOPE(arena);
    Large l;
    int first = lcp->island_adr[island], n = lcp->island_adr[island + 1] - first;
    if (!layout(&l, m, n, arena)) return TAC_ERR_ARENA_FULL;
    take_rows(&l, lcp, island);
    int solved = find_blocks(&l, m, arena) && guess_and_solve(&l, &lcp->pivots);
    if (!solved && !last) {
        lcp->unsolved++;
        return TAC_OK;
    }
    if (!solved) sweep_alone(&l);
    double residual = tac_boxed_residual(&l.boxed, l.f, l.w);
    lcp->unsolved += !(residual <= tac_boxed_tolerance(&l.boxed, l.f));
    for (int i = 0; i < n; i++) {
        lcp->f[l.row[i]] = l.f[i];
        lcp->w[l.row[i]] = l.w[i];
        lcp->row_class[l.row[i]] = l.row_class[i];
    }
    lcp->residual = tac_max(lcp->residual, residual);
    return TAC_OK;
}
