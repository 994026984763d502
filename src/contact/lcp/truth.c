/* Impacts at which a row opens that had a force before (docs/theory/contact.md, H8). The kick has added the forces of
 * the whole step to v, also those of its rows. The velocity at the time of the impact is v + l (H4). It decides which
 * rows are hit and which open. The usual problem from there gives the classes C:
 *
 *   M (v_1 - v - l) = J^T f_1,    classes C
 *
 * A row that opens has no force in the rest of the step. A row that is hit has a force from now on. Let c be the change
 * of velocity by the rows of the kick. Then
 *
 *   M (v' - v - (t/h - 1/2) c) = Jhat^T f,    J_C v' + s + eps f = 0
 *
 * f may be negative: the kick gave too much, and f takes that back. If no row with a force opens, or v' would approach
 * an open row, the island is solved as usual, from v. */
#include "contact/lcp/share.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* Relative to the terms of a row's velocity: an open row may approach by this. */
#define VELOCITY_ROUNDING 1e-10

typedef enum { FROM_V, FROM_TRUTH, FROM_UNDONE } Side;

static double side_of(const tacLcp *lcp, int k, Side side) {
    double late = lcp->restitution[k] > 0 && lcp->lag != NULL ? tac_row_velocity(&lcp->rows, k, lcp->lag) : 0;
    if (side == FROM_TRUTH) return tac_row_velocity(&lcp->rows, k, lcp->truth) + lcp->s[k] - late;
    double b = tac_row_velocity(&lcp->rows, k, lcp->v_free) + lcp->s[k];
    return side == FROM_V ? b : b + tac_row_velocity(&lcp->rows, k, lcp->late);
}

static void set_sides(tacLcp *lcp, int island, Side side) {
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++)
        lcp->b[lcp->order[i]] = side_of(lcp, lcp->order[i], side);
}

static int root_of(const tacLcp *lcp, int tree) {
    while (lcp->tree[tree] != tree)
        tree = lcp->tree[tree];
    return tree;
}

/* Marks the dofs of an island. */
static void set_undo(const tacModel *m, tacLcp *lcp, int island, int undo) {
    const tacRow *first = &lcp->rows.row[lcp->order[lcp->island_adr[island]]];
    for (int d = 0; first->num > 0 && d < m->nv; d++)
        if (root_of(lcp, m->body_root[m->dof_body[d]]) == root_of(lcp, first->tree)) lcp->undo[d] = undo;
}

static int opens(const tacLcp *lcp, int island) {
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++)
        if (lcp->pressed[lcp->order[i]] && lcp->row_class[lcp->order[i]] == TAC_ROW_LOW) return 1;
    return 0;
}

static int any_pressed(const tacLcp *lcp, int island) {
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++)
        if (lcp->pressed[lcp->order[i]]) return 1;
    return 0;
}

/* A contact without normal force has no friction. */
static void release(tacLcp *lcp, int island) {
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++) {
        int k = lcp->order[i], p = lcp->parent[k];
        if (p >= 0 && lcp->row_class[k] == TAC_ROW_FREE && lcp->f[p] == 0) lcp->row_class[k] = TAC_ROW_OFF;
    }
}

/* Forces of the free rows and of what follows them. */
static void set_forces(tacLcp *lcp, int island, const tacLcpSystem *system) {
    int child[2];
    double factor[2];
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++) {
        lcp->decided[lcp->order[i]] = lcp->f[lcp->order[i]];
        lcp->f[lcp->order[i]] = 0;
    }
    for (int i = 0; i < system->n; i++)
        system->work[i] = -lcp->b[system->row[i]];
    tac_lu_solve(system->n, system->lu, system->pivot, system->work);
    for (int i = 0; i < system->n; i++) {
        lcp->f[system->row[i]] = system->work[i];
        for (int c = tac_lcp_bounded_children(lcp, system->row[i], child, factor) - 1; c >= 0; c--)
            lcp->f[child[c]] = factor[c] * system->work[i];
    }
}

static double *sum_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nv, double); }

/* w = A f + b. 0: an open row approaches. */
static int set_velocities(const tacModel *m, tacLcp *lcp, int island, double *sum) {
    const tacRows *rows = &lcp->rows;
    int open = 1;
    memset(sum, 0, (size_t)m->nv * sizeof *sum);
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++) {
        const tacRow *row = &rows->row[lcp->order[i]];
        for (int e = row->adr; e < row->adr + row->num; e++)
            sum[rows->dof[e]] += rows->Y[e] * lcp->f[lcp->order[i]];
    }
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++) {
        int k = lcp->order[i];
        const tacRow *row = &rows->row[k];
        double soft = lcp->eps[k] * lcp->f[k], w = lcp->b[k] + soft, size = tac_abs(lcp->b[k]) + tac_abs(soft);
        for (int e = row->adr; e < row->adr + row->num; e++) {
            double part = rows->Y[e] * sum[rows->dof[e]];
            w += part;
            size += tac_abs(part);
        }
        int one_sided = lcp->parent[k] < 0 && lcp->row_class[k] == TAC_ROW_LOW && lcp->low[k] == 0;
        lcp->w[k] = lcp->row_class[k] == TAC_ROW_FREE ? 0 : w;
        open &= !one_sided || w >= -VELOCITY_ROUNDING * size;
    }
    return open;
}

/* Solves with the current classes. *valid is 0 if an open row approaches. */
static tacStatus solve_classes(const tacModel *m, tacLcp *lcp, int island, tacArena *arena, int *valid) {
    TAC_SCOPE(arena);
    tacLcpSystem system;
    double *sum = sum_layout(m, arena);
    if (sum == NULL) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_lcp_system(m, lcp, island, arena, &system));
    set_forces(lcp, island, &system);
    *valid = set_velocities(m, lcp, island, sum);
    return TAC_OK;
}

tacStatus tac_lcp_solve_island(const tacModel *m, tacLcp *lcp, int island, tacArena *arena) {
    int n = lcp->island_adr[island + 1] - lcp->island_adr[island], valid = 0;
    int unsolved = lcp->unsolved, pivots = lcp->pivots;
    double residual = lcp->residual;
    if (lcp->truth == NULL) return tac_lcp_solve_boxed(m, lcp, island, arena);
    set_undo(m, lcp, island, 0);
    if (n <= lcp->deriv_rows && any_pressed(lcp, island)) {
        set_sides(lcp, island, FROM_TRUTH);
        TAC_TRY(tac_lcp_solve_boxed(m, lcp, island, arena));
        release(lcp, island);
        set_sides(lcp, island, FROM_UNDONE);
        int solved = lcp->unsolved == unsolved;
        if (solved && opens(lcp, island)) TAC_TRY(solve_classes(m, lcp, island, arena, &valid));
    }
    if (valid) {
        set_undo(m, lcp, island, 1);
        return TAC_OK;
    }
    lcp->unsolved = unsolved;
    lcp->pivots = pivots;
    lcp->residual = residual;
    set_sides(lcp, island, FROM_V);
    TAC_TRY(tac_lcp_solve_boxed(m, lcp, island, arena));
    for (int i = lcp->island_adr[island]; i < lcp->island_adr[island + 1]; i++)
        lcp->decided[lcp->order[i]] = lcp->f[lcp->order[i]];
    return TAC_OK;
}

void tac_lcp_measure_truth(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    sum_layout(m, dry);
    tac_lcp_measure_system(m, tac_lcp_deriv_rows(m, options), dry);
}
