/* Systems over a tree of nodes with six numbers each, and edges besides   (docs/theory/ncp.md, W16-W19)
 *
 *   z_b = z_parent + right_b dv_b                 six numbers a node, moved by its own dofs after its parent
 *   g_b + left_b^T (sum over b's subtree of  f + H z) + (diag_b + own_b) dv_b = 0        one row a dof
 *
 * H has a 6 x 6 block on each node and one each way on each edge between two nodes. Nodes are eliminated from the last
 * to the first: linear time for trees, with fill along edges only. */
#pragma once

#include "base/arena.h"
#include "tactus/status.h"

enum { TAC_BLOCK = 6, TAC_BLOCK_SIZE = 36 };

/* Between node b and the lower node `node`; a list a node. Once factored: up the columns H_kb right_b, down the rows
 * D^-1 left_b^T H_bk, dof by dof. */
typedef struct tacBlockEdge {
    int node, next; /* -1: folded into the parent's; end of the list */
    double *down;   /* H_bk */
    double *up;     /* H_kb */
} tacBlockEdge;

typedef struct tacBlockLdu {
    int nnode, nv, max_edge;      /* given */
    const int *parent;            /* given: nnode; less than the node */
    const int *dof_adr, *dof_num; /* given: nnode */
    int most;                     /* dofs of any node, six at least */
    unsigned char *still;         /* caller's: nnode; 1: does not move at all (no dof on the way to it) */
    double *left, *right;         /* caller's: nv x 6 */
    double *diag;                 /* caller's: nv */
    double *own;                  /* caller's, given: nnode x most^2, dof_num squared of each; NULL: zeros */
    double *H;                    /* caller's: nnode x 36; overwritten by the factors */
    int nedge, *first;            /* nnode: first edge, -1: none */
    tacBlockEdge *edge;           /* max_edge */
    double *numbers;              /* of edges: 12 most each */
    double *U, *Z;                /* nv x 6: as an edge's up and down, of the parent */
    double *D;                    /* nnode x most^2: factors of the dofs' own block */
    int *pivot;                   /* nnode x most */
    double *row;                  /* 7 most, with index (most): scratch of nodes with more than six dofs */
    int *index;
    double *f, *z; /* nnode x 6: scratch of solves */
} tacBlockLdu;

/* -> most. */
int tac_block_ldu_max_dofs(int nnode, const int *dof_num);
/* Sizes, parent, dof_adr and dof_num are set; 0: the arena is too small. */
int tac_block_ldu_layout(tacBlockLdu *s, tacArena *arena);
/* Edges gone, blocks and diag zero: then the caller adds. */
void tac_block_ldu_clear(tacBlockLdu *s);
/* The edge between two moving nodes, made with zero blocks where there is none yet; NULL: no room. */
tacBlockEdge *tac_block_ldu_edge(tacBlockLdu *s, int a, int b);
/* TAC_ERR_SINGULAR: a node's dofs have no inertia; TAC_ERR_ARENA_FULL: no room for fill. */
tacStatus tac_block_ldu_factor(tacBlockLdu *s);
/* f (nnode x 6) and g (nv) -> dv (nv), z of all nodes in s->z. f is left alone; dv may be g. */
void tac_block_ldu_solve(const tacBlockLdu *s, const double *f, const double *g, double *dv);
/* Transpose of g -> dv at f = 0:  lambda with  A^T lambda = bar,  A dv = -g. Also in s->f the rows of nodes that left
 * multiplies by lambda: sum over the way to the node of left lambda. bar may be lambda. */
void tac_block_ldu_solve_transposed(const tacBlockLdu *s, const double *bar, double *lambda);
