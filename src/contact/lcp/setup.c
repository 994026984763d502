/* The problem of a step: its memory, bounds, shifts and compliance of rows, islands (contact/lcp/problem.h). */
#include "contact/lcp/problem.h"

#include "math/scalar.h"

/* --- Room --------------------------------------------------------------------------------------------------------- */

static int least(int a, int b) { return a < b ? a : b; }

/* Rows for which derivatives have room, of at most `rows` rows. */
static int deriv_rows(int rows, const tacOptions *options) {
    int most = options->lcp_dense_rows > TAC_LCP_DERIV_ROWS ? options->lcp_dense_rows : TAC_LCP_DERIV_ROWS;
    return least(rows, most);
}

int tac_lcp_layout(tacLcp *lcp, const tacModel *m, const tacOptions *options, tacArena *arena) {
    *lcp = (tacLcp){.dense_rows = options->lcp_dense_rows};
    int ok = tac_rows_layout(&lcp->rows, m, options->max_contacts, arena), n = lcp->rows.max;
    size_t small = (size_t)least(n, TAC_LCP_FEW_ROWS);
    lcp->rows.meet = 1;
    lcp->deriv_rows = deriv_rows(n, options);
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
    return deriv_rows(tac_rows_max(m, options->max_contacts), options);
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

/* The shift of a contact with toi that is nearer than its target by x (H9): in one step while x is small, then no
 * faster than the speed of return. */
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

int tac_lcp_count_dofs(const tacModel *m, tacLcp *lcp, int island) {
    int n = 0, root = find_tree(lcp->tree, lcp->rows.row[lcp->order[lcp->island_adr[island]]].tree);
    for (int d = 0; d < m->nv; d++)
        n += find_tree(lcp->tree, m->body_root[m->dof_body[d]]) == root;
    return n;
}

void tac_lcp_setup(const tacModel *m, tacLcp *lcp, double h) {
    lcp->h = h;
    if (!lcp->impact) lcp->span = h;
    lcp->bounce_margin = TAC_INFINITY;
    lcp->bouncing = 0;
    lcp->heaviest = tac_lcp_heaviest(m);
    lcp->firmness = h > TAC_LCP_STEP ? (TAC_LCP_STEP / h) * (TAC_LCP_STEP / h) : 1;
    tac_lcp_set_hold(m, lcp);
    for (int k = 0; k < lcp->rows.n; k++)
        set_row(m, lcp, k);
    find_islands(m, lcp);
}
