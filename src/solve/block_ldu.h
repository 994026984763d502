/* Linear systems over a tree of nodes with six numbers each, and additional edges   (docs/theory/ncp.md, W16-W19)
 *
 *   z_b = z_parent + right_b dv_b                 six numbers a node, moved by its own dofs after its parent
 *   g_b + left_b^T (sum over b's subtree of  f + H z) + (diag_b + own_b) dv_b = 0        one row a dof
 *
 * H has a 6 x 6 block on each node, and one in each direction on each edge between two nodes. Nodes are eliminated from
 * the last to the first: in linear time for trees, with fill along edges only. */
#pragma once

#include "base/arena.h"
#include "tactus/status.h"

enum { TAC_BLOCK = 6, TAC_BLOCK_SIZE = 36 };

/* An edge between node b and the lower node `node`; a list per node. Once factored: up holds the columns H_kb right_b,
 * down the rows D^-1 left_b^T H_bk, dof by dof. */
typedef struct tacBlockEdge {
    int node, next; /* node -1: folded into the parent's block; next -1: end of the list */
    double *down;   /* H_bk */
    double *up;     /* H_kb */
} tacBlockEdge;

typedef struct tacBlockLdu {
    int nnode, nv, max_edge;      /* given */
    const int *parent;            /* given: nnode; less than the node */
    const int *dof_adr, *dof_num; /* given: nnode */
    int weak;                     /* given: 1: pivots that are rounding of their columns are let pass */
    int most;                     /* largest number of dofs of a node, at least six */
    unsigned char *still;         /* the caller's: nnode; 1: the node does not move (no dof on its path) */
    double *left, *right;         /* caller's: nv x 6 */
    double *diag;                 /* caller's: nv */
    double *own;         /* the caller's, given: nnode x most^2, the first dof_num squared of each; NULL: zeros */
    double *H;           /* caller's: nnode x 36; overwritten by the factors */
    int nedge, *first;   /* nnode: first edge, -1: none */
    tacBlockEdge *edge;  /* max_edge */
    double *numbers;     /* of edges: 12 most each */
    double *U, *Z;       /* nv x 6: up and down as of an edge, to the parent */
    double *D;           /* nnode x most^2: factors of the dofs' own block */
    int *pivot;          /* nnode x most */
    double *row;         /* 6 most: scratch of nodes with more than six dofs */
    double *f, *z;       /* nnode x 6: scratch of solves */
    unsigned char *mark; /* nnode: scratch of solves */
} tacBlockLdu;

/* The largest number of dofs of a node, at least six. */
int tac_block_ldu_max_dofs(int nnode, const int *dof_num);
/* Takes the arrays. Sizes, parent, dof_adr and dof_num are set. 0: the arena is too small. */
int tac_block_ldu_layout(tacBlockLdu *s, tacArena *arena);
/* Begins a system: removes edges, and zeroes diag and own. The caller sets all blocks H, or they are zeroed too. */
void tac_block_ldu_begin(tacBlockLdu *s);
void tac_block_ldu_clear(tacBlockLdu *s);
/* The edge between two moving nodes; a new one has zero blocks. NULL: no room. */
tacBlockEdge *tac_block_ldu_edge(tacBlockLdu *s, int a, int b);
/* Factors the system. TAC_ERR_SINGULAR: a node's dofs have no inertia. TAC_ERR_ARENA_FULL: no room for fill. */
tacStatus tac_block_ldu_factor(tacBlockLdu *s);
/* Solves for f (nnode x 6) and g (nv): dv (nv), z of all nodes in s->z. f is not changed; dv may be g. */
void tac_block_ldu_solve(const tacBlockLdu *s, const double *f, const double *g, double *dv);
/* The two passes of that solve. Both are linear. The first takes f (NULL: zeros) and g in y, and overwrites y. The
 * second takes that y and sets y to dv, and s->z. mark: only marked nodes; NULL: all. */
void tac_block_ldu_forward(const tacBlockLdu *s, const double *f, double *y);
void tac_block_ldu_backward(const tacBlockLdu *s, const unsigned char *mark, double *y);
/* Marks the nodes that marked ones need in the second pass. Needs: the system is factored. */
void tac_block_ldu_close_marks(const tacBlockLdu *s, unsigned char *mark);
/* Solves the transposed system at f = 0: A^T lambda = bar, where A dv = -g. s->f of each node is set to the sum of
 * left lambda over the path to the node. bar may be lambda. */
void tac_block_ldu_solve_transposed(const tacBlockLdu *s, const double *bar, double *lambda);
