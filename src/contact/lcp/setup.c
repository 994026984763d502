#include "contact/lcp/share.h"

#include "base/error.h"
#include "math/scalar.h"

#include <string.h>

/* --- Room --------------------------------------------------------------------------------------------------------- */

static int least(int a, int b) { return a < b ? a : b; }

int tac_lcp_layout(tacLcp *lcp, const tacModel *m, const tacOptions *options, tacArena *arena) {
    *lcp = (tacLcp){.dense_rows = options->lcp_dense_rows, .deriv_rows = tac_lcp_deriv_rows(m, options)};
    int ok = tac_rows_layout(&lcp->rows, m, options->max_contacts, arena), n = lcp->rows.max;
    size_t small = (size_t)least(n, TAC_LCP_FEW_ROWS);
    lcp->rows.meet = 1;
    double **reals[] = {&lcp->s, &lcp->eps, &lcp->low,    &lcp->high,        &lcp->b,
                        &lcp->f, &lcp->w,   &lcp->bounce, &lcp->restitution, &lcp->decided};
    int **ints[] = {&lcp->parent, &lcp->row_class, &lcp->hold, &lcp->island_adr, &lcp->order, &lcp->pressed};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        ok &= (*reals[k] = TAC_TAKE(arena, n, double)) != NULL;
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++)
        ok &= (*ints[k] = TAC_TAKE(arena, (size_t)n + 1, int)) != NULL;
    lcp->tree = TAC_TAKE(arena, m->nbody, int);
    lcp->products = TAC_TAKE(arena, small * small, double);
    return ok && lcp->tree != NULL && lcp->products != NULL;
}

int tac_lcp_deriv_rows(const tacModel *m, const tacOptions *options) {
    int most = options->lcp_dense_rows > TAC_LCP_DERIV_ROWS ? options->lcp_dense_rows : TAC_LCP_DERIV_ROWS;
    return least(tac_rows_max(m, options->max_contacts), most);
}

/* --- Bounds, shifts, compliance ----------------------------------------------------------------------------------- */

int tac_lcp_has_met(const tacLcp *lcp, const tacRow *row) {
    if (lcp->met == NULL || row->kind != TAC_ROW_CONTACT || row->pos > lcp->touch) return 0;
    const int *geom = lcp->rows.contact[row->id].geom, *met = lcp->met;
    return (geom[0] == met[0] && geom[1] == met[1]) || (geom[0] == met[1] && geom[1] == met[0]);
}

/* A shift and its derivatives. */
typedef struct Shift {
    double s, by_pos, by_span, by_step; /* by_step: by h at a fixed span */
    tacLcpPiece piece;
} Shift;

static Shift in_one_step(double x, double span) {
    double s = x / span;
    return (Shift){s, 1 / span, -s * (1 / span), 0, TAC_LCP_WHOLE};
}

/* m/s: how fast a contact goes back, with toi. */
static double return_speed(const tacLcp *lcp) { return TAC_LCP_RETURN * lcp->h; }

/* 1: all go back in one step: none would be faster. */
static int returns_at_once(const tacLcp *lcp) { return return_speed(lcp) * lcp->span >= lcp->target; }

/* Of a contact with toi that is nearer than its target by x (H9): at first as ever, then no faster than the speed of
 * return. */
static Shift returning(const tacLcp *lcp, double x, double pos) {
    double span = lcp->span, near = TAC_LCP_ROOM * lcp->target, far = TAC_LCP_AWAY * lcp->target;
    double r = return_speed(lcp), k = TAC_LCP_RETURN;
    if (x >= -near || x / span >= -r || returns_at_once(lcp)) return in_one_step(x, span);
    if (pos <= 0) return (Shift){pos / span - r, 1 / span, -pos / (span * span), -k, TAC_LCP_OVERLAP};
    if (x <= -far || near / span <= r) return (Shift){-r, 0, 0, -k, TAC_LCP_BOUND};
    double y = (-near - x) / (far - near), drop = near / span - r;
    return (Shift){-near / span + y * drop, -drop / (far - near), (1 - y) * near / (span * span), -k * y,
                   TAC_LCP_BETWEEN};
}

/* The two geoms of an impact come no nearer, whatever their distance is. The distance has rounding, which over a short
 * time, and divided by the compliance that shares forces between redundant points, would show. */
static Shift shift_of(const tacLcp *lcp, const tacRow *row) {
    if (tac_lcp_has_met(lcp, row)) return (Shift){.piece = TAC_LCP_BOUND};
    int contact = row->kind == TAC_ROW_CONTACT;
    double x = row->pos - (contact ? lcp->target : 0);
    Shift out = lcp->toi && contact && x < 0 ? returning(lcp, x, row->pos) : in_one_step(x, lcp->span);
    return out.s < -TAC_LCP_CORRECTION ? (Shift){.s = -TAC_LCP_CORRECTION, .piece = TAC_LCP_BOUND} : out;
}

double tac_lcp_shift(const tacLcp *lcp, const tacRow *row, double *rate) {
    Shift shift = shift_of(lcp, row);
    *rate = shift.by_pos;
    return shift.s;
}

double tac_lcp_shift_by_span(const tacLcp *lcp, int k) {
    return lcp->bounce[k] > 0 ? 0 : shift_of(lcp, &lcp->rows.row[k]).by_span;
}

double tac_lcp_shift_by_step(const tacLcp *lcp, int k) {
    return lcp->bounce[k] > 0 ? 0 : shift_of(lcp, &lcp->rows.row[k]).by_step;
}

tacLcpPiece tac_lcp_shift_piece(const tacLcp *lcp, const tacRow *row) { return shift_of(lcp, row).piece; }

double tac_lcp_return_margin(const tacLcp *lcp, double pos) {
    double x = pos - lcp->target, span = lcp->span, r = return_speed(lcp);
    if (returns_at_once(lcp)) return tac_abs(x / span + TAC_LCP_CORRECTION);
    double least = tac_min(tac_abs(pos), tac_abs(x + TAC_LCP_ROOM * lcp->target));
    least = tac_min(least, tac_min(tac_abs(x + TAC_LCP_AWAY * lcp->target), tac_abs(x + r * span)));
    return tac_min(least / span, tac_abs(pos / span - r + TAC_LCP_CORRECTION));
}

static void set_tangent(const tacModel *m, tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    double mu[2];
    tac_contact_friction(m, &lcp->rows.contact[row->id], mu);
    lcp->parent[k] = k - row->axis;
    lcp->s[k] = lcp->bounce[k] = lcp->restitution[k] = 0;
    lcp->eps[k] = lcp->eps[lcp->parent[k]];
    lcp->low[k] = -mu[row->axis - 1];
    lcp->high[k] = mu[row->axis - 1];
}

static void set_loss(tacLcp *lcp, int k, double loss) {
    double most = lcp->impact ? 0 : lcp->h * loss;
    lcp->s[k] = 0;
    lcp->low[k] = -most;
    lcp->high[k] = most;
}

static void set_row(const tacModel *m, tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    if (row->kind == TAC_ROW_CONTACT && row->axis > 0) {
        set_tangent(m, lcp, k);
        return;
    }
    double rate;
    lcp->parent[k] = -1;
    lcp->bounce[k] = lcp->restitution[k] = 0;
    lcp->eps[k] = lcp->firmness * tac_lcp_compliance(m, &lcp->rows, k, lcp->heaviest);
    lcp->s[k] = tac_lcp_shift(lcp, row, &rate);
    lcp->low[k] = 0;
    lcp->high[k] = TAC_INFINITY;
    if (row->kind == TAC_ROW_JOINT_FRICTION) set_loss(lcp, k, m->joint_frictionloss[m->dof_joint[row->id]]);
    if (row->kind == TAC_ROW_TENDON_FRICTION) set_loss(lcp, k, m->tendon_frictionloss[row->id]);
    if (row->kind == TAC_ROW_EQUALITY) {
        lcp->low[k] = -TAC_INFINITY;
        lcp->s[k] = tac_lcp_closing_speed(lcp, k, NULL);
    }
}

/* --- Islands ------------------------------------------------------------------------------------------------------ */

static int find_tree(int *tree, int b) {
    while (tree[b] != b)
        b = tree[b] = tree[tree[b]];
    return b;
}

void tac_lcp_join_trees(const tacModel *m, const tacRows *rows, const tacRow *row, int *joined) {
    for (int e = row->adr + 1, last = row->tree; e < row->adr + row->num; e++) {
        int tree = m->body_root[m->dof_body[rows->dof[e]]];
        if (tree == last) continue;
        int a = find_tree(joined, row->tree), b = find_tree(joined, tree);
        if (a != b) joined[a > b ? a : b] = a < b ? a : b;
        last = tree;
    }
}

/* Trees that share a row become one island; islands are numbered by their first row. */
static void find_islands(const tacModel *m, tacLcp *lcp) {
    const tacRows *rows = &lcp->rows;
    int *island_of = lcp->row_class; /* free until the solve */
    for (int b = 0; b < m->nbody; b++)
        lcp->tree[b] = lcp->joined == NULL ? b : lcp->joined[b];
    for (int k = 0; k < rows->n; k++)
        if (lcp->parent[k] < 0) tac_lcp_join_trees(m, rows, &rows->row[k], lcp->tree);
    lcp->nisland = 0;
    for (int k = 0; k < rows->n; k++) {
        if (lcp->parent[k] >= 0) { /* the same dofs */
            island_of[k] = island_of[lcp->parent[k]];
            continue;
        }
        int root = rows->row[k].num == 0 ? -1 : find_tree(lcp->tree, rows->row[k].tree), found = -1;
        for (int l = lcp->nisland - 1; l >= 0 && found < 0; l--)
            if (root >= 0 && lcp->order[l] == root) found = l;
        if (found < 0) {
            lcp->order[lcp->nisland] = root;
            found = lcp->nisland++;
        }
        island_of[k] = found;
    }
    for (int l = 0; l <= lcp->nisland; l++)
        lcp->island_adr[l] = 0;
    for (int k = 0; k < rows->n; k++)
        lcp->island_adr[island_of[k] + 1]++;
    for (int l = 0; l < lcp->nisland; l++)
        lcp->island_adr[l + 1] += lcp->island_adr[l];
    for (int k = 0; k < rows->n; k++)
        lcp->order[lcp->island_adr[island_of[k]]++] = k;
    for (int l = lcp->nisland; l > 0; l--)
        lcp->island_adr[l] = lcp->island_adr[l - 1];
    lcp->island_adr[0] = 0;
}

void tac_lcp_setup(const tacModel *m, tacLcp *lcp, double h) {
    lcp->h = h;
    if (!lcp->impact) lcp->span = h;
    lcp->bounce_margin = TAC_INFINITY;
    lcp->heaviest = tac_lcp_heaviest(m);
    lcp->firmness = h > TAC_LCP_STEP ? (TAC_LCP_STEP / h) * (TAC_LCP_STEP / h) : 1;
    tac_lcp_set_hold(m, lcp);
    for (int k = 0; k < lcp->rows.n; k++)
        set_row(m, lcp, k);
    find_islands(m, lcp);
}

/* --- Solve -------------------------------------------------------------------------------------------------------- */

/* The boxed problem of one island. */
typedef struct Dense {
    double *A, *spread; /* n x n, 3 nv */
    double *b, *low, *high, *f, *w;
    int *parent, *row_class;
} Dense;

/* A: NULL: taken as well. */
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

/* One island by factorization. */
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

/* Where a contact touches without a force, both bounds of its friction are zero. Such a row holds nothing, so
 * derivatives must not hold it either. */
static void release_unloaded(tacLcp *lcp) {
    for (int k = 0; k < lcp->rows.n; k++) {
        int p = lcp->parent[k];
        if (p >= 0 && lcp->row_class[k] == TAC_ROW_FREE && lcp->f[p] == 0) lcp->row_class[k] = TAC_ROW_OFF;
    }
}

/* Number of rows of equalities that contradict others: compliance alone reconciles them, and they give way by more than
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

/* Number of dofs of an island's trees. */
static int count_dofs(const tacModel *m, tacLcp *lcp, int island) {
    int n = 0, root = find_tree(lcp->tree, lcp->rows.row[lcp->order[lcp->island_adr[island]]].tree);
    for (int d = 0; d < m->nv; d++)
        n += find_tree(lcp->tree, m->body_root[m->dof_body[d]]) == root;
    return n;
}

/* 1: the island is solved with its matrix of dofs. */
static int is_large(const tacModel *m, tacLcp *lcp, int island) {
    int n = lcp->island_adr[island + 1] - lcp->island_adr[island];
    return n > TAC_LCP_SMALL_ROWS || (n > TAC_LCP_FEW_ROWS && n > count_dofs(m, lcp, island));
}

/* Through the matrix of dofs where that is the smaller one, and through the matrix of rows where that fails. */
tacStatus tac_lcp_solve_boxed(const tacModel *m, tacLcp *lcp, int island, tacArena *arena) {
    int n = lcp->island_adr[island + 1] - lcp->island_adr[island];
    int unsolved = lcp->unsolved, dense = n <= lcp->dense_rows;
    if (!is_large(m, lcp, island)) return solve_dense(m, lcp, island, arena);
    TAC_TRY(tac_lcp_solve_large(m, lcp, island, !dense, arena));
    if (!dense || lcp->unsolved == unsolved) return TAC_OK;
    lcp->unsolved = unsolved;
    return solve_dense(m, lcp, island, arena);
}

/* With less restitution where the whole of it would give energy. */
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
    measure_dense(m, least(n, most > TAC_LCP_SMALL_ROWS ? most : TAC_LCP_SMALL_ROWS), dry);
    if (n > TAC_LCP_FEW_ROWS) tac_lcp_measure_large(m, n, dry);
    if (options->toi) tac_lcp_measure_truth(m, options, dry);
}

void tac_lcp_add_force(const tacLcp *lcp, double *force) {
    for (int k = 0; k < lcp->rows.n; k++)
        if (lcp->f[k] != 0) tac_row_add_force(&lcp->rows, k, lcp->f[k], force);
}
