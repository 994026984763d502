#include "contact/soft/hessian.h"

#include <string.h>

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* Trees with dofs are blocks. */
static int count_trees(const tacModel *m) {
    int n = 0;
    for (int i = 0; i < m->nv; i++)
        n += m->dof_parent[i] < 0 && (i == 0 || m->body_root[m->dof_body[i]] != m->body_root[m->dof_body[i - 1]]);
    return n;
}

size_t tac_soft_hessian_bytes(const tacModel *m) {
    return 2 * tac_arena_round((size_t)m->nM * sizeof(double)) + tac_arena_round((size_t)m->nv * sizeof(int)) * 3 +
           tac_arena_round((size_t)m->nv * sizeof(double)) + tac_block_lu_bytes(count_trees(m), m->nv);
}

static int is_chain(const tacModel *m, const tacRows *rows, const tacRow *row) {
    for (int e = row->adr; e < row->adr + row->num; e++) {
        int next = e + 1 < row->adr + row->num ? rows->dof[e + 1] : -1;
        if (m->dof_parent[rows->dof[e]] != next) return 0;
    }
    return 1;
}

/* --- By trees ----------------------------------------------------------------------------------------------------- */

static void link_rows(tacSoftHessian *h, const tacRows *rows, const int *block) {
    for (int k = 0; k < rows->n; k++) {
        const tacRow *row = &rows->row[k];
        for (int e = row->adr + 1; e < row->adr + row->num; e++)
            for (int o = row->adr; o < e; o++)
                if (block[rows->dof[e]] != block[rows->dof[o]])
                    tac_block_lu_link(&h->lu, block[rows->dof[e]], block[rows->dof[o]]);
    }
}

static int begin_blocks(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena) {
    int *block = TAC_TAKE(arena, m->nv, int), *size = TAC_TAKE(arena, m->nv, int), n = 0;
    h->place = TAC_TAKE(arena, m->nv, int);
    h->x = TAC_TAKE(arena, m->nv, double);
    if (block == NULL || size == NULL || h->place == NULL || h->x == NULL) return 0;
    for (int i = 0, tree = -1; i < m->nv; i++) {
        int root = m->body_root[m->dof_body[i]];
        if (root != tree) size[n++] = 0, tree = root;
        block[i] = n - 1, h->place[i] = size[n - 1]++;
    }
    if (!tac_block_lu_begin(&h->lu, n, size, arena)) return 0;
    link_rows(h, rows, block);
    tac_block_lu_order(&h->lu);
    for (int i = 0; i < m->nv; i++)
        h->place[i] += h->lu.first[block[i]];
    return 1;
}

int tac_soft_hessian_begin(tacSoftHessian *h, const tacModel *m, const tacRows *rows, tacArena *arena) {
    *h = (tacSoftHessian){.along_tree = 1};
    for (int k = 0; k < rows->n && h->along_tree; k++)
        h->along_tree = is_chain(m, rows, &rows->row[k]);
    if (!h->along_tree) return begin_blocks(h, m, rows, arena);
    h->H = TAC_TAKE(arena, m->nM, double);
    h->L = TAC_TAKE(arena, m->nM, double);
    return h->H != NULL && h->L != NULL;
}

/* --- Assembly ----------------------------------------------------------------------------------------------------- */

/* H += c a b^T + its transpose, in the lower part: of two rows along one path; a = b: once. */
static void add_to_tree(const tacModel *m, double *H, const tacRows *rows, const tacRow *a, const tacRow *b, double c) {
    for (int e = 0; e < a->num; e++) {
        int at = m->dof_M_adr[rows->dof[a->adr + e]];
        double x = c * rows->J[a->adr + e], y = a == b ? 0 : c * rows->J[b->adr + e];
        for (int o = e; o < a->num; o++)
            H[at + o - e] += x * rows->J[b->adr + o] + y * rows->J[a->adr + o];
    }
}

static void add_to_blocks(const tacSoftHessian *h, const tacRows *rows, const tacRow *a, const tacRow *b, double c) {
    for (int e = a->adr; e < a->adr + a->num; e++) {
        double *line = tac_block_lu_at(&h->lu, h->place[rows->dof[e]], 0), x = c * rows->J[e];
        for (int o = b->adr; o < b->adr + b->num; o++)
            line[h->place[rows->dof[o]]] += x * rows->J[o];
    }
}

static void add_block(tacSoftHessian *h, const tacModel *m, const tacRows *rows, const tacSoftBlock *b,
                      const double *K) {
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) {
            const tacRow *row = &rows->row[b->row];
            double c = K[i * b->n + j];
            if (c == 0) continue;
            if (!h->along_tree)
                add_to_blocks(h, rows, row + i, row + j, c);
            else if (j <= i)
                add_to_tree(m, h->H, rows, row + i, row + j, c);
        }
}

static void begin_sum(tacSoftHessian *h, const tacModel *m, const tacWork *w) {
    if (h->along_tree) {
        memcpy(h->H, w->M, (size_t)m->nM * sizeof *h->H);
        return;
    }
    tac_block_lu_clear(&h->lu);
    for (int i = 0; i < m->nv; i++)
        for (int j = i, at = m->dof_M_adr[i]; j >= 0; j = m->dof_parent[j], at++) {
            *tac_block_lu_at(&h->lu, h->place[i], h->place[j]) = w->M[at];
            *tac_block_lu_at(&h->lu, h->place[j], h->place[i]) = w->M[at];
        }
}

int tac_soft_hessian_factor(tacSoftHessian *h, const tacModel *m, const tacWork *w, const tacSoft *soft) {
    double f[TAC_SOFT_MOST_ROWS], K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS];
    begin_sum(h, m, w);
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        tac_soft_force(b, soft->D + b->row, soft->y + b->row, f, K);
        add_block(h, m, &soft->rows, b, K);
    }
    tacTree tree = tac_dof_tree(m);
    return h->along_tree ? tac_tree_factor(&tree, h->H, NULL, h->L) < 0 : tac_block_lu_factor(&h->lu);
}

void tac_soft_hessian_solve(tacSoftHessian *h, const tacModel *m, double *x) {
    tacTree tree = tac_dof_tree(m);
    if (h->along_tree) {
        tac_tree_solve(&tree, h->L, x);
        return;
    }
    for (int i = 0; i < m->nv; i++)
        h->x[h->place[i]] = x[i];
    tac_block_lu_solve(&h->lu, h->x);
    for (int i = 0; i < m->nv; i++)
        x[i] = h->x[h->place[i]];
}

void tac_soft_hessian_solve_many(tacSoftHessian *h, const tacModel *m, int k, double *X) {
    tacTree tree = tac_dof_tree(m);
    if (h->along_tree) {
        tac_tree_solve_many(&tree, h->L, k, X);
        return;
    }
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < m->nv; i++)
            h->x[h->place[i]] = X[(size_t)i * (size_t)k + (size_t)j];
        tac_block_lu_solve(&h->lu, h->x);
        for (int i = 0; i < m->nv; i++)
            X[(size_t)i * (size_t)k + (size_t)j] = h->x[h->place[i]];
    }
}
