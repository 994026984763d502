#include "contact/soft/hessian.h"

#include "math/scalar.h"

#include <string.h>

/* Columns of a solve that are taken at once where H is kept by trees. */
enum { CHUNK = 16 };

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* Trees with dofs are blocks. */
static int count_trees(const tacModel *m) {
    int n = 0;
    for (int i = 0; i < m->nv; i++)
        n += m->dof_parent[i] < 0 && (i == 0 || m->body_root[m->dof_body[i]] != m->body_root[m->dof_body[i - 1]]);
    return n;
}

size_t tac_soft_hessian_bytes(const tacModel *m) {
    size_t nv = (size_t)m->nv;
    return 2 * tac_arena_round((size_t)m->nM * sizeof(double)) + 3 * tac_arena_round(nv * sizeof(int)) +
           tac_arena_round(CHUNK * nv * sizeof(double)) + tac_arena_round(TAC_HESSIAN_ROWS * nv * sizeof(double)) +
           tac_block_lu_bytes(count_trees(m), m->nv);
}

/* 1: the row is of the same constraint as the one before, and has its dofs. */
static int is_further(const tacRows *rows, int k) {
    return k > 0 && rows->row[k].kind == rows->row[k - 1].kind && rows->row[k].id == rows->row[k - 1].id &&
           rows->row[k].kind == TAC_ROW_CONTACT;
}

static int is_chain(const tacModel *m, const tacRows *rows, const tacRow *row) {
    for (int e = row->adr; e < row->adr + row->num; e++) {
        int next = e + 1 < row->adr + row->num ? rows->dof[e + 1] : -1;
        if (m->dof_parent[rows->dof[e]] != next) return 0;
    }
    return 1;
}

/* --- By trees ----------------------------------------------------------------------------------------------------- */

/* Joins the trees of each row; the dofs of one stand together in it. */
static void link_rows(tacSoftHessian *h, const tacRows *rows, const int *block) {
    for (int k = 0; k < rows->n; k++) {
        const int *dof = rows->dof + rows->row[k].adr, num = rows->row[k].num;
        if (is_further(rows, k) || num == 0 || block[dof[0]] == block[dof[num - 1]]) continue;
        for (int e = 1; e < num; e++)
            for (int o = 0; o < e && block[dof[e]] != block[dof[e - 1]]; o++)
                tac_block_lu_link(&h->K, block[dof[e]], block[dof[o]]);
    }
}

static int begin_blocks(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena) {
    int *block = TAC_TAKE(arena, m->nv, int), *size = TAC_TAKE(arena, m->nv, int), n = 0;
    h->place = TAC_TAKE(arena, m->nv, int);
    h->x = TAC_TAKE(arena, CHUNK * m->nv, double);
    if (block == NULL || size == NULL || h->place == NULL || h->x == NULL) return 0;
    for (int i = 0, tree = -1; i < m->nv; i++) {
        int root = m->body_root[m->dof_body[i]];
        if (root != tree) size[n++] = 0, tree = root;
        block[i] = n - 1, h->place[i] = size[n - 1]++;
    }
    if (!tac_block_lu_begin(&h->K, n, size, arena)) return 0;
    link_rows(h, rows, block);
    tac_block_lu_order(&h->K);
    for (int i = 0; i < m->nv; i++)
        h->place[i] += h->K.first[block[i]];
    return 1;
}

int tac_soft_hessian_begin(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena) {
    *h = (tacSoftHessian){.along_tree = 1, .KJ = TAC_TAKE(arena, TAC_HESSIAN_ROWS * m->nv, double)};
    if (h->KJ == NULL) return 0;
    for (int k = 0; k < rows->n && h->along_tree; k++)
        h->along_tree = is_further(rows, k) || is_chain(m, rows, &rows->row[k]);
    if (!h->along_tree) return begin_blocks(h, m, rows, arena);
    h->H = TAC_TAKE(arena, m->nM, double);
    h->L = TAC_TAKE(arena, m->nM, double);
    return h->H != NULL && h->L != NULL;
}

/* --- Assembly ----------------------------------------------------------------------------------------------------- */

/* Rows over the same dofs, of one block or of several that follow each other (a manifold's): J^T (K J) is summed in one
 * go. */
typedef struct Term {
    int n, num;
    const int *dof;
    const double *J[TAC_HESSIAN_ROWS];
    double *KJ; /* n rows of num numbers */
} Term;

/* out[e] = sum_j K_j J_j[e] */
static void combine(int n, int num, const double *K, const double *const *J, double *out) {
    if (n == 3) {
        double a = K[0], b = K[1], c = K[2];
        const double *x = J[0], *y = J[1], *z = J[2];
        for (int e = 0; e < num; e++)
            out[e] = a * x[e] + b * y[e] + c * z[e];
        return;
    }
    memset(out, 0, (size_t)num * sizeof *out);
    for (int j = 0; j < n; j++)
        for (int e = 0; e < num; e++)
            out[e] += K[j] * J[j][e];
}

/* Takes up the block's rows; 0: they have other dofs, or there is no room. */
static int add_block(Term *t, const tacRows *rows, const tacSoftBlock *b, const double *K) {
    const tacRow *row = &rows->row[b->row];
    if (t->n > 0 && (t->n + b->n > TAC_HESSIAN_ROWS || row->num != t->num ||
                     memcmp(rows->dof + row->adr, t->dof, (size_t)t->num * sizeof *t->dof) != 0))
        return 0;
    t->num = row->num, t->dof = rows->dof + row->adr;
    for (int i = 0; i < b->n; i++)
        t->J[t->n + i] = rows->J + row[i].adr;
    for (int i = 0; i < b->n; i++)
        combine(b->n, t->num, K + i * b->n, t->J + t->n, t->KJ + (t->n + i) * t->num);
    t->n += b->n;
    return 1;
}

/* out[o] += sum_i KJ_i[e] J_i[e + o] for the dofs from e on */
static void add_line(const Term *t, int e, double *out) {
    int n = t->num - e, i = 0;
    for (; i + 3 <= t->n; i += 3) {
        const double *KJ = t->KJ + i * t->num + e, *x = t->J[i] + e, *y = t->J[i + 1] + e, *z = t->J[i + 2] + e;
        double a = KJ[0], b = KJ[t->num], c = KJ[2 * t->num];
        for (int o = 0; o < n; o++)
            out[o] += a * x[o] + b * y[o] + c * z[o];
    }
    for (; i < t->n; i++)
        for (int o = 0; o < n; o++)
            out[o] += t->KJ[i * t->num + e] * t->J[i][e + o];
}

/* H += J^T K J of rows along one path: a row of H from dof e on has its ancestors, as the rows have. */
static void add_to_tree(const tacModel *m, double *H, const Term *t) {
    for (int e = 0; e < t->num; e++)
        add_line(t, e, H + m->dof_M_adr[t->dof[e]]);
}

/* The same on and above the diagonal of K. line: scratch, t->num. */
static void add_to_blocks(const tacSoftHessian *h, const Term *t, double *line) {
    for (int e = 0; e < t->num; e++) {
        int at = h->place[t->dof[e]];
        memset(line, 0, (size_t)(t->num - e) * sizeof *line);
        add_line(t, e, line);
        for (int o = e; o < t->num; o++) {
            int to = h->place[t->dof[o]];
            *tac_block_lu_at(&h->K, at < to ? at : to, at < to ? to : at) += line[o - e];
        }
    }
}

static void finish_term(tacSoftHessian *h, const tacModel *m, Term *t) {
    if (t->n > 0 && h->along_tree)
        add_to_tree(m, h->H, t);
    else if (t->n > 0)
        add_to_blocks(h, t, h->x);
    t->n = 0;
}

static void begin_sum(tacSoftHessian *h, const tacModel *m, const tacWork *w) {
    if (h->along_tree) {
        memcpy(h->H, w->M, (size_t)m->nM * sizeof *h->H);
        return;
    }
    tac_block_ldl_clear(&h->K);
    for (int i = 0; i < m->nv; i++)
        for (int j = i, at = m->dof_M_adr[i]; j >= 0; j = m->dof_parent[j], at++)
            *tac_block_lu_at(&h->K, h->place[j], h->place[i]) = w->M[at];
}

int tac_soft_hessian_factor(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft) {
    return tac_soft_hessian_factor_by(h, m, w, soft, tac_soft_force, NULL, NULL);
}

int tac_soft_hessian_factor_by(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft,
                               tacSoftLaw law, double *f, int *zones) {
    double one[TAC_SOFT_MOST_ROWS], K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS];
    Term t = {.KJ = h->KJ};
    begin_sum(h, m, w);
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        int zone = law(b, soft->D + b->row, soft->y + b->row, f != NULL ? f + b->row : one, K);
        if (zones != NULL) zones[k] = zone;
        if (zone == TAC_ZONE_FREE) continue;
        if (add_block(&t, &soft->rows, b, K)) continue;
        finish_term(h, m, &t);
        add_block(&t, &soft->rows, b, K);
    }
    finish_term(h, m, &t);
    tacTree tree = tac_dof_tree(m);
    return h->along_tree ? tac_tree_factor(&tree, h->H, NULL, h->L) < 0 : tac_block_ldl_factor(&h->K);
}

/* Both factors keep one over their pivots. */
double tac_soft_hessian_conditioning(const tacSoftHessian *h, const tacModel *m) {
    double least = TAC_INFINITY, most = 0;
    for (int i = 0; i < m->nv; i++) {
        double pivot = tac_abs(h->along_tree ? h->L[m->dof_M_adr[i]] : *tac_block_lu_at(&h->K, i, i));
        least = tac_min(least, pivot), most = tac_max(most, pivot);
    }
    return m->nv == 0 ? 0 : most / least;
}

/* --- Solves ------------------------------------------------------------------------------------------------------- */

void tac_soft_hessian_solve(tacSoftHessian *h, const tacModel *m, double *x) {
    tacTree tree = tac_dof_tree(m);
    if (h->along_tree) {
        tac_tree_solve(&tree, h->L, x);
        return;
    }
    for (int i = 0; i < m->nv; i++)
        h->x[h->place[i]] = x[i];
    tac_block_ldl_solve(&h->K, h->x);
    for (int i = 0; i < m->nv; i++)
        x[i] = h->x[h->place[i]];
}

void tac_soft_hessian_solve_many(tacSoftHessian *h, const tacModel *m, int k, double *X) {
    tacTree tree = tac_dof_tree(m);
    if (h->along_tree) {
        tac_tree_solve_many(&tree, h->L, k, X);
        return;
    }
    for (int j = 0; j < k; j += CHUNK) {
        size_t some = (size_t)(k - j < CHUNK ? k - j : CHUNK), bytes = some * sizeof *X;
        for (int i = 0; i < m->nv; i++)
            memcpy(h->x + (size_t)h->place[i] * some, X + (size_t)i * (size_t)k + (size_t)j, bytes);
        tac_block_ldl_solve_many(&h->K, (int)some, h->x);
        for (int i = 0; i < m->nv; i++)
            memcpy(X + (size_t)i * (size_t)k + (size_t)j, h->x + (size_t)h->place[i] * some, bytes);
    }
}
