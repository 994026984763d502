/* The transposed solve of block_ldu.h, both passes in reverse, for several right sides side by side (math/lane.h). */
#pragma once

#include "math/lane.h"
#include "solve/block_ldu.h"

#include <string.h>

/* y += rows . x, of n rows of six numbers. */
LANE_INLINE void lane_add_dots(int n, const double *rows, const Lane *x, double sign, Lane *y) {
    for (int i = 0; i < n; i++)
        y[i] += sign * lane_dot6(rows + TAC_BLOCK * i, x);
}

/* to += sign sum_i rows_i y_i */
LANE_INLINE void lane_add_rows(int n, const double *rows, const Lane *y, double sign, Lane *to) {
    for (int i = 0; i < n; i++)
        lane_axpy6(sign * y[i], rows + TAC_BLOCK * i, to);
}

LANE_INLINE void lane_backward_transposed(const tacBlockLdu *s, int b, Lane *y, Lane *z) {
    int n = s->dof_num[b], adr = s->dof_adr[b], parent = s->parent[b];
    Lane *own = z + TAC_BLOCK * b;
    lane_add_dots(n, s->right + TAC_BLOCK * adr, own, 1, y);
    for (int e = s->first[b]; e >= 0; e = s->edge[e].next)
        if (s->edge[e].node >= 0) lane_add_rows(n, s->edge[e].down, y, -1, z + TAC_BLOCK * s->edge[e].node);
    if (s->still[parent]) return;
    lane_add6(own, z + TAC_BLOCK * parent);
    lane_add_rows(n, s->Z + TAC_BLOCK * adr, y, -1, z + TAC_BLOCK * parent);
}

/* y = D^-T y of a node; a hinge or slide has one number. */
LANE_INLINE void lane_solve_dofs_transposed(const tacBlockLdu *s, int b, Lane *y) {
    const double *D = s->D + (size_t)s->most * (size_t)s->most * (size_t)b;
    if (s->dof_num[b] == 1)
        y[0] /= D[0];
    else
        lane_lu_solve_transposed(s->dof_num[b], D, s->pivot + s->most * b, y);
}

LANE_INLINE void lane_forward_transposed(const tacBlockLdu *s, int b, Lane *y, Lane *f) {
    int n = s->dof_num[b], adr = s->dof_adr[b], parent = s->parent[b];
    Lane *own = f + TAC_BLOCK * b;
    lane_zero(TAC_BLOCK, own);
    for (int e = s->first[b]; e >= 0; e = s->edge[e].next)
        if (s->edge[e].node >= 0) lane_add_dots(n, s->edge[e].up, f + TAC_BLOCK * s->edge[e].node, -1, y);
    if (!s->still[parent]) {
        lane_add_dots(n, s->U + TAC_BLOCK * adr, f + TAC_BLOCK * parent, -1, y);
        memcpy(own, f + TAC_BLOCK * parent, TAC_BLOCK * sizeof *own);
    }
    lane_solve_dofs_transposed(s, b, y);
    lane_add_rows(n, s->left + TAC_BLOCK * adr, y, 1, own);
}

/* Marks the node and those that its backward pass adds to. */
LANE_INLINE void mark_node(const tacBlockLdu *s, int b) {
    s->mark[s->parent[b]] = 1;
    for (int e = s->first[b]; e >= 0; e = s->edge[e].next)
        if (s->edge[e].node >= 0) s->mark[s->edge[e].node] = 1;
}

/* The backward pass of right sides that are zero but for dofs `first` to first + count - 1: nodes that they do not
 * reach keep their zeros. */
LANE_INLINE void lane_backward_sparse(const tacBlockLdu *s, int first, int count, Lane *y, Lane *z) {
    memset(s->mark, 0, (size_t)s->nnode);
    for (int b = s->nnode - 1; b > 0; b--) {
        int adr = s->dof_adr[b], has = adr < first + count && adr + s->dof_num[b] > first;
        if (s->still[b] || !(has || s->mark[b])) continue;
        mark_node(s, b);
        lane_backward_transposed(s, b, y + adr, z);
    }
}

/* y <- A^-T y (nv). f (6 nnode) gets the sum of left y over the path to each node; z (6 nnode) is scratch. y is zero
 * but for dofs `first` to first + count - 1. */
LANE_TARGET static inline void lane_solve_transposed(const tacBlockLdu *s, int first, int count, Lane *y, Lane *z,
                                                     Lane *f) {
    lane_zero(TAC_BLOCK * s->nnode, z);
    if (count < s->nv)
        lane_backward_sparse(s, first, count, y, z);
    else
        for (int b = s->nnode - 1; b > 0; b--)
            if (!s->still[b]) lane_backward_transposed(s, b, y + s->dof_adr[b], z);
    for (int b = 0; b < s->nnode; b++) {
        if (b > 0 && !s->still[b])
            lane_forward_transposed(s, b, y + s->dof_adr[b], f);
        else
            lane_zero(TAC_BLOCK, f + TAC_BLOCK * b);
    }
}
