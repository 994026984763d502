/* Which constraints have to be solved together: those whose trees other constraints join. */
#include "contact/soft/problem.h"

#include "math/scalar.h"

size_t tac_soft_islands_bytes(const tacModel *m, int max_contacts) {
    size_t nv = (size_t)m->nv, blocks = (size_t)tac_rows_max(m, max_contacts);
    return 3 * tac_arena_round(nv * sizeof(int)) + tac_arena_round(2 * nv * sizeof(int)) +
           2 * tac_arena_round(blocks * sizeof(int)) + tac_arena_round(nv * sizeof(tacSoftIsland));
}

/* What stands for the island of a tree, as trees by their first dofs; paths are halved on the way. */
static int stand_in(int *up, int tree) {
    while (up[tree] != tree)
        tree = up[tree] = up[up[tree]];
    return tree;
}

/* First dof of the tree of each dof. */
static void find_trees(const tacModel *m, int *tree) {
    for (int i = 0; i < m->nv; i++)
        tree[i] = i > 0 && m->body_root[m->dof_body[i]] == m->body_root[m->dof_body[i - 1]] ? tree[i - 1] : i;
}

/* up: from trees towards the first one of their island. A tree's dofs stand together, in a row too. */
static void join_trees(const tacSoft *soft, const int *tree, int *up) {
    const tacRows *rows = &soft->rows;
    for (int k = 0; k < soft->nblock; k++) {
        const tacRow *row = &rows->row[soft->block[k].row];
        const int *dof = rows->dof + row->adr;
        if (row->num == 0 || tree[dof[0]] == tree[dof[row->num - 1]]) continue;
        for (int e = 1; e < row->num; e++) {
            if (tree[dof[e]] == tree[dof[e - 1]]) continue;
            int a = stand_in(up, tree[dof[e - 1]]), b = stand_in(up, tree[dof[e]]);
            up[a > b ? a : b] = a > b ? b : a;
        }
    }
}

/* Numbers islands in the order of blocks -> of: each block's, -1 where it moves nothing; number: each tree's. How
 * many. */
static int number_islands(const tacSoft *soft, const int *tree, int *up, int *number, int *of, tacSoftIsland *list) {
    int n = 0;
    for (int k = 0; k < soft->nblock; k++) {
        const tacRow *row = &soft->rows.row[soft->block[k].row];
        of[k] = -1;
        if (row->num == 0) continue;
        int *at = &number[stand_in(up, tree[soft->rows.dof[row->adr]])];
        if (*at < 0) list[n] = (tacSoftIsland){.goes = 1, .before = TAC_INFINITY, .best = TAC_INFINITY}, *at = n++;
        of[k] = *at;
        list[of[k]].nblock++;
    }
    return n;
}

/* Runs of dofs of each island: their number, and themselves where there is a place for them. */
static void list_runs(const tacModel *m, const int *tree, int *up, const int *number, tacSoftIsland *list) {
    for (int i = 0, next = 0, before = -1; i < m->nv; i = next) {
        int k = number[stand_in(up, i)], fresh = k >= 0 && k != before;
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
    int *tree = TAC_TAKE(arena, m->nv, int), *up = TAC_TAKE(arena, m->nv, int), *number = TAC_TAKE(arena, m->nv, int);
    int *run = TAC_TAKE(arena, 2 * m->nv, int), *of = TAC_TAKE(arena, soft->nblock, int);
    int *block = TAC_TAKE(arena, soft->nblock, int);
    tacSoftIsland *list = TAC_TAKE(arena, m->nv, tacSoftIsland);
    if (!tree || !up || !number || !run || !of || !block || !list) return -1;
    find_trees(m, tree);
    for (int i = 0; i < m->nv; i++)
        up[i] = i, number[i] = -1;
    join_trees(soft, tree, up);
    int n = number_islands(soft, tree, up, number, of, list);
    list_runs(m, tree, up, number, list);
    for (int i = 0; i < n; i++) {
        list[i].block = block, list[i].run = (int(*)[2])(void *)run;
        block += list[i].nblock, run += 2 * list[i].nrun;
        list[i].nblock = list[i].nrun = 0;
    }
    list_runs(m, tree, up, number, list);
    for (int k = 0; k < soft->nblock; k++)
        if (of[k] >= 0) list[of[k]].block[list[of[k]].nblock++] = k;
    *islands = list;
    return n;
}
