#include "contact/soft/problem.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* Columns of a solve that are processed at once if H is stored by trees. */
enum { CHUNK = 16 };
/* Numbers per dof that merged paths may add to those of M. */
enum { MERGED = 32 };

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* Number of trees with dofs. Each is a block. */
static int count_trees(const tacModel *m) {
    int n = 0;
    for (int i = 0; i < m->nv; i++)
        n += m->dof_parent[i] < 0 && (i == 0 || m->body_root[m->dof_body[i]] != m->body_root[m->dof_body[i - 1]]);
    return n;
}

/* Capacity of the merged tree, in numbers. */
static size_t room_in_tree(const tacModel *m) {
    size_t nv = (size_t)m->nv, dense = nv * (nv + 1) / 2, merged = (size_t)m->nM + MERGED * nv;
    return dense < merged ? dense : merged;
}

/* Numbers of a row, padded with zeros. */
static int padded(int n) { return (n + 7) / 8 * 8; }

/* Lists of the tree, or of the blocks: nv each. */
typedef struct Lists {
    int *parent, *adr, *depth;
} Lists;

/* Takes the arrays that both layouts of H need. */
static int layout(tacSoftHessian *h, Lists *l, const tacModel *m, tacArena *arena) {
    size_t rows = TAC_HESSIAN_ROWS * (size_t)padded(m->nv);
    l->parent = TAC_TAKE(arena, m->nv, int);
    l->adr = TAC_TAKE(arena, m->nv, int);
    l->depth = TAC_TAKE(arena, m->nv, int);
    *h = (tacSoftHessian){.J = TAC_TAKE(arena, 2 * rows + 2 * (size_t)padded(m->nv), double),
                          .x = TAC_TAKE(arena, CHUNK * (size_t)m->nv, double)};
    if (!l->parent || !l->adr || !l->depth || !h->J || !h->x) return 0;
    h->KJ = h->J + rows;
    h->line = h->KJ + rows;
    return 1;
}

static int tree_layout(tacSoftHessian *h, const tacModel *m, tacArena *arena) {
    h->H = TAC_TAKE(arena, room_in_tree(m), double);
    h->L = TAC_TAKE(arena, room_in_tree(m), double);
    return h->H && h->L;
}

/* Takes the larger of both layouts. */
void tac_soft_measure_hessian(const tacModel *m, tacArena *dry) {
    tacSoftHessian h;
    Lists l;
    tacBlockLu lu;
    tacArena tree = tac_arena_dry(), blocks = tac_arena_dry();
    layout(&h, &l, m, dry);
    tree_layout(&h, m, &tree);
    tac_block_lu_layout(&lu, count_trees(m), m->nv, &blocks);
    tac_arena_take(dry, tree.peak > blocks.peak ? tree.peak : blocks.peak);
}

/* 1: the row belongs to the constraint of the row before it, and has its dofs. */
static int is_further(const tacRows *rows, int k) {
    return k > 0 && rows->row[k].kind == rows->row[k - 1].kind && rows->row[k].id == rows->row[k - 1].id &&
           rows->row[k].kind == TAC_ROW_CONTACT;
}

/* --- Along a tree ------------------------------------------------------------------------------------------------- */

/* Makes j an ancestor of i > j: merges two paths to the root into one, in descending order. */
static void merge_paths(int *parent, int i, int j) {
    while (parent[i] != j) {
        int next = parent[i];
        if (next > j) {
            i = next;
            continue;
        }
        parent[i] = j;
        if (next < 0) return;
        i = j;
        j = next;
    }
}

/* Rows -> the elimination tree of H [Liu1990]. The ancestors of a row's first dof include all its other dofs. 0: the
 * tree has more numbers than there is room for. */
static int merge_rows(tacSoftHessian *h, const tacModel *m, const tacRows *rows, int *parent, int *adr, int *depth) {
    size_t numbers = 0;
    memcpy(parent, m->dof_parent, (size_t)m->nv * sizeof *parent);
    for (int k = 0; k < rows->n; k++)
        for (int e = rows->row[k].adr + 1; e < rows->row[k].adr + rows->row[k].num && !is_further(rows, k); e++)
            merge_paths(parent, rows->dof[e - 1], rows->dof[e]);
    for (int i = 0; i < m->nv; i++) {
        adr[i] = (int)numbers;
        depth[i] = parent[i] < 0 ? 1 : depth[parent[i]] + 1;
        numbers += (size_t)depth[i];
        if (numbers > room_in_tree(m)) return 0;
    }
    h->tree = (tacTree){m->nv, parent, adr, depth};
    h->own = numbers == (size_t)m->nM;
    return 1;
}

/* --- By trees ----------------------------------------------------------------------------------------------------- */

/* Joins the trees of each row. The dofs of a tree are contiguous in the row. */
static void link_rows(tacSoftHessian *h, const tacRows *rows, const int *block) {
    for (int k = 0; k < rows->n; k++) {
        const int *dof = rows->dof + rows->row[k].adr, num = rows->row[k].num;
        if (is_further(rows, k) || num == 0 || block[dof[0]] == block[dof[num - 1]]) continue;
        for (int e = 1; e < num; e++)
            for (int o = 0; o < e && block[dof[e]] != block[dof[e - 1]]; o++)
                tac_block_lu_link(&h->K, block[dof[e]], block[dof[o]]);
    }
}

static int begin_blocks(tacSoftHessian *h, const tacModel *m, const tacRows *rows, int *block, int *size,
                        tacArena *arena) {
    int n = 0;
    for (int i = 0, tree = -1; i < m->nv; i++) {
        int root = m->body_root[m->dof_body[i]];
        if (root != tree) {
            size[n++] = 0;
            tree = root;
        }
        block[i] = n - 1;
        h->place[i] = size[n - 1]++;
    }
    if (!tac_block_lu_begin(&h->K, n, size, arena)) return 0;
    link_rows(h, rows, block);
    tac_block_lu_order(&h->K);
    for (int i = 0; i < m->nv; i++)
        h->place[i] += h->K.first[block[i]];
    return 1;
}

int tac_soft_hessian_begin(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena) {
    Lists l;
    if (!layout(h, &l, m, arena)) return 0;
    h->along_tree = merge_rows(h, m, rows, l.parent, l.adr, l.depth);
    h->place = l.depth;
    return h->along_tree ? tree_layout(h, m, arena) : begin_blocks(h, m, rows, l.parent, l.adr, arena);
}

/* --- Assembly ----------------------------------------------------------------------------------------------------- */

/* Rows over the same dofs, of one block or of several consecutive ones (a manifold's). Their J^T (K J) is summed in one
 * pass. */
typedef struct Term {
    int n, num, ld; /* rows; their dofs; stride between rows, with zeros after num */
    const int *dof;
    double *J, *KJ;
} Term;

/* out = a x + b y + c z */
static void mix_three(int n, const double k[3], const double *x, const double *y, const double *z,
                      double *restrict out) {
    double a = k[0], b = k[1], c = k[2];
    for (int e = 0; e < n; e++)
        out[e] = a * x[e] + b * y[e] + c * z[e];
}

/* A contact's three rows (num numbers) -> J and K J, padded with zeros. */
static void take_three(int num, int ld, const double *K, const double *first, double *J, double *KJ) {
    for (int i = 0; i < 3; i++) {
        for (int e = ld - 8; e < ld; e++)
            J[i * ld + e] = 0;
        memcpy(J + i * ld, first + i * num, (size_t)num * sizeof *J);
    }
    for (int i = 0; i < 3; i++)
        mix_three(ld, K + 3 * i, J, J + ld, J + 2 * ld, KJ + i * ld);
}

/* The same for n consecutive rows. */
static void take_rows(int n, int num, int ld, const double *K, const double *first, double *J, double *KJ) {
    memset(J, 0, (size_t)(n * ld) * sizeof *J);
    memset(KJ, 0, (size_t)(n * ld) * sizeof *KJ);
    for (int i = 0; i < n; i++)
        memcpy(J + i * ld, first + i * num, (size_t)num * sizeof *J);
    for (int i = 0; i < n * n; i++)
        if (K[i] != 0) tac_dense_axpy(num, K[i], first + i % n * num, KJ + i / n * ld);
}

/* Adds the block's rows to the term. 0: they have other dofs, or there is no room. */
static int add_block(Term *t, const tacRows *rows, const tacSoftBlock *b, const double *K) {
    const tacRow *row = &rows->row[b->row];
    if (t->n > 0 && (t->n + b->n > TAC_HESSIAN_ROWS || row->num != t->num ||
                     memcmp(rows->dof + row->adr, t->dof, (size_t)t->num * sizeof *t->dof) != 0))
        return 0;
    t->num = row->num;
    t->ld = padded(row->num);
    t->dof = rows->dof + row->adr;
    double *J = t->J + t->n * t->ld, *KJ = t->KJ + t->n * t->ld;
    const double *first = rows->J + row->adr; /* rows of a block follow each other */
    if (b->n == 3)
        take_three(t->num, t->ld, K, first, J, KJ);
    else
        take_rows(b->n, t->num, t->ld, K, first, J, KJ);
    t->n += b->n;
    return 1;
}

/* Adds the line of dof e of J^T (K J) to H. Its dofs are on one path, which may also pass others. */
static void add_to_tree(const tacSoftHessian *h, const Term *t, int e, const double *line) {
    const int *depth = h->tree.depth, *dof = t->dof;
    double *row = h->H + h->tree.adr[dof[e]];
    if (depth[dof[e]] - depth[dof[t->num - 1]] == t->num - 1 - e) {
        for (int o = e; o < t->num; o++)
            row[o - e] += line[o];
        return;
    }
    for (int o = e; o < t->num; o++)
        row[depth[dof[e]] - depth[dof[o]]] += line[o];
}

/* The same on and above the diagonal of K. */
static void add_to_blocks(const tacSoftHessian *h, const Term *t, int e, const double *line) {
    int at = h->place[t->dof[e]];
    for (int o = e; o < t->num; o++) {
        int to = h->place[t->dof[o]];
        *tac_block_lu_at(&h->K, at < to ? at : to, at < to ? to : at) += line[o];
    }
}

static void finish_term(tacSoftHessian *h, Term *t) {
    for (int e = 0; e < t->num && t->n > 0; e++) {
        const double *line = h->line + e % 2 * t->ld;
        if (e % 2 == 0) tac_dense_two_lines(t->n, t->ld, e, t->KJ, t->J, h->line);
        if (h->along_tree)
            add_to_tree(h, t, e, line);
        else
            add_to_blocks(h, t, e, line);
    }
    t->n = 0;
}

/* Adds to the sum of rows over the same dofs, or begins a new one. */
static void take_block(tacSoftHessian *h, Term *t, const tacRows *rows, const tacSoftBlock *b, const double *K) {
    if (add_block(t, rows, b, K)) return;
    finish_term(h, t);
    add_block(t, rows, b, K);
}

/* Sets rows first .. end - 1 of H to those of M. The range may be empty. */
static void begin_rows(const tacSoftHessian *h, const tacModel *m, const tacWork *w, int first, int end) {
    const int *adr = h->tree.adr, *depth = h->tree.depth;
    if (first >= end) return;
    size_t numbers = (size_t)(adr[end - 1] + depth[end - 1] - adr[first]);
    if (h->own) {
        memcpy(h->H + adr[first], w->M + adr[first], numbers * sizeof *h->H);
        return;
    }
    memset(h->H + adr[first], 0, numbers * sizeof *h->H);
    for (int i = first; i < end; i++)
        for (int j = i, at = m->dof_M_adr[i]; j >= 0; j = m->dof_parent[j], at++)
            h->H[adr[i] + depth[i] - depth[j]] = w->M[at];
}

/* H or K = M */
static void begin_sum(tacSoftHessian *h, const tacModel *m, const tacWork *w) {
    if (h->along_tree) {
        begin_rows(h, m, w, 0, m->nv);
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
    Term t = {.J = h->J, .KJ = h->KJ};
    begin_sum(h, m, w);
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        int zone = law(b, soft->D + b->row, soft->y + b->row, f != NULL ? f + b->row : one, K);
        if (zones != NULL) zones[k] = zone;
        if (zone != TAC_ZONE_FREE) take_block(h, &t, &soft->rows, b, K);
    }
    finish_term(h, &t);
    return h->along_tree ? tac_tree_factor(&h->tree, h->H, NULL, h->L) < 0 : tac_block_ldl_factor(&h->K);
}

int tac_soft_hessian_factor_island(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft,
                                   const tacSoftIsland *island) {
    double f[TAC_SOFT_MOST_ROWS], K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS];
    Term t = {.J = h->J, .KJ = h->KJ};
    for (int r = 0; r < island->nrun; r++)
        begin_rows(h, m, w, island->run[r][0], island->run[r][1]);
    for (int k = 0; k < island->nblock; k++) {
        const tacSoftBlock *b = &soft->block[island->block[k]];
        if (tac_soft_force(b, soft->D + b->row, soft->y + b->row, f, K) != TAC_ZONE_FREE)
            take_block(h, &t, &soft->rows, b, K);
    }
    finish_term(h, &t);
    return tac_tree_factor_runs(&h->tree, h->H, island->nrun, island->run, h->L) < 0;
}

/* Both factors store the reciprocals of their pivots. */
double tac_soft_hessian_conditioning(const tacSoftHessian *h, const tacModel *m) {
    double least = TAC_INFINITY, most = 0;
    for (int i = 0; i < m->nv; i++) {
        double pivot = tac_abs(h->along_tree ? h->L[h->tree.adr[i]] : *tac_block_lu_at(&h->K, i, i));
        least = tac_min(least, pivot);
        most = tac_max(most, pivot);
    }
    return m->nv == 0 ? 0 : most / least;
}

/* --- Solves ------------------------------------------------------------------------------------------------------- */

void tac_soft_hessian_solve(tacSoftHessian *h, const tacModel *m, double *x) {
    if (h->along_tree) {
        tac_tree_solve(&h->tree, h->L, x);
        return;
    }
    for (int i = 0; i < m->nv; i++)
        h->x[h->place[i]] = x[i];
    tac_block_ldl_solve(&h->K, h->x);
    for (int i = 0; i < m->nv; i++)
        x[i] = h->x[h->place[i]];
}

void tac_soft_hessian_solve_many(tacSoftHessian *h, const tacModel *m, int k, double *X) {
    if (h->along_tree) {
        tac_tree_solve_many(&h->tree, h->L, k, X);
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
