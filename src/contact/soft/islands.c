/* Islands: constraints whose trees are joined are solved together. */
#include "contact/soft/problem.h"

#include "math/scalar.h"

typedef struct Lists {
    int *tree, *up, *number; /* nv: tree of a dof; union-find over trees; island of a tree */
    int *run;                /* 2 nv: runs of dofs, island by island */
    int *of, *block;         /* blocks: island of a block; blocks, island by island */
    tacSoftIsland *island;   /* nv */
} Lists;

static int layout(Lists *l, const tacModel *m, int nblock, tacArena *arena) {
    l->tree = TAC_TAKE(arena, m->nv, int);
    l->up = TAC_TAKE(arena, m->nv, int);
    l->number = TAC_TAKE(arena, m->nv, int);
    l->run = TAC_TAKE(arena, 2 * (size_t)m->nv, int);
    l->of = TAC_TAKE(arena, nblock, int);
    l->block = TAC_TAKE(arena, nblock, int);
    l->island = TAC_TAKE(arena, m->nv, tacSoftIsland);
    return l->tree && l->up && l->number && l->run && l->of && l->block && l->island;
}

void tac_soft_measure_islands(const tacModel *m, int nblock, tacArena *dry) {
    Lists l;
    layout(&l, m, nblock, dry);
}

/* Union-find: the representative of a tree's island. Trees are named by their first dofs. Paths are halved on the
 * way. */
static int find_root(int *up, int tree) {
    while (up[tree] != tree)
        tree = up[tree] = up[up[tree]];
    return tree;
}

/* First dof of the tree of each dof. */
static void find_trees(const tacModel *m, int *tree) {
    for (int i = 0; i < m->nv; i++)
        tree[i] = i > 0 && m->body_root[m->dof_body[i]] == m->body_root[m->dof_body[i - 1]] ? tree[i - 1] : i;
}

/* up points from a tree towards the first one of its island. A tree's dofs are contiguous, in a row too. */
static void join_trees(const tacSoft *soft, const int *tree, int *up) {
    const tacRows *rows = &soft->rows;
    for (int k = 0; k < soft->nblock; k++) {
        const tacRow *row = &rows->row[soft->block[k].row];
        const int *dof = rows->dof + row->adr;
        if (row->num == 0 || tree[dof[0]] == tree[dof[row->num - 1]]) continue;
        for (int e = 1; e < row->num; e++) {
            if (tree[dof[e]] == tree[dof[e - 1]]) continue;
            int a = find_root(up, tree[dof[e - 1]]), b = find_root(up, tree[dof[e]]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    }
}

/* Numbers islands in the order of blocks. of: island of each block, -1 if it moves nothing. number: island of each
 * tree. Returns how many. */
static int number_islands(const tacSoft *soft, const int *tree, int *up, int *number, int *of, tacSoftIsland *list) {
    int n = 0;
    for (int k = 0; k < soft->nblock; k++) {
        const tacRow *row = &soft->rows.row[soft->block[k].row];
        of[k] = -1;
        if (row->num == 0) continue;
        int *at = &number[find_root(up, tree[soft->rows.dof[row->adr]])];
        if (*at < 0) {
            list[n] = (tacSoftIsland){.goes = 1, .before = TAC_INFINITY, .best = TAC_INFINITY};
            *at = n++;
        }
        of[k] = *at;
        list[of[k]].nblock++;
    }
    return n;
}

/* Counts the runs of dofs of each island, and writes them if there is a place for them. */
static void list_runs(const tacModel *m, const int *tree, int *up, const int *number, tacSoftIsland *list) {
    for (int i = 0, next = 0, before = -1; i < m->nv; i = next) {
        int k = number[find_root(up, i)], fresh = k >= 0 && k != before;
        for (next = i + 1; next < m->nv && tree[next] == i;)
            next++;
        before = k;
        if (k < 0) continue;
        list[k].nrun += fresh;
        if (list[k].run == NULL) continue;
        if (fresh) list[k].run[list[k].nrun - 1][0] = i;
        list[k].run[list[k].nrun - 1][1] = next;
    }
}

int tac_soft_islands(const tacModel *m, const tacSoft *soft, tacArena *arena, tacSoftIsland **islands) {
    Lists l;
    if (!layout(&l, m, soft->nblock, arena)) return -1;
    find_trees(m, l.tree);
    for (int i = 0; i < m->nv; i++) {
        l.up[i] = i;
        l.number[i] = -1;
    }
    join_trees(soft, l.tree, l.up);
    int n = number_islands(soft, l.tree, l.up, l.number, l.of, l.island);
    list_runs(m, l.tree, l.up, l.number, l.island);
    int *block = l.block, *run = l.run;
    for (int i = 0; i < n; i++) {
        tacSoftIsland *d = &l.island[i];
        d->block = block;
        d->run = (int(*)[2])(void *)run;
        block += d->nblock;
        run += 2 * d->nrun;
        d->nblock = d->nrun = 0;
    }
    list_runs(m, l.tree, l.up, l.number, l.island);
    for (int k = 0; k < soft->nblock; k++)
        if (l.of[k] >= 0) l.island[l.of[k]].block[l.island[l.of[k]].nblock++] = k;
    *islands = l.island;
    return n;
}
