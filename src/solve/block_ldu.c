#include "solve/block_ldu.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "math/six.h"
#define LANES 1
#include "solve/block_ldu_lanes.h"

#include <string.h>

#define N TAC_BLOCK

/* --- Memory ------------------------------------------------------------------------------------------------------- */

int tac_block_ldu_max_dofs(int nnode, const int *dof_num) {
    int most = N;
    for (int b = 0; b < nnode; b++)
        most = dof_num[b] > most ? dof_num[b] : most;
    return most;
}

int tac_block_ldu_layout(tacBlockLdu *s, tacArena *arena) {
    s->most = tac_block_ldu_max_dofs(s->nnode, s->dof_num);
    size_t wide = (size_t)s->most, nodes = (size_t)s->nnode;
    s->still = TAC_TAKE(arena, s->nnode, unsigned char);
    s->mark = TAC_TAKE(arena, s->nnode, unsigned char);
    s->left = TAC_TAKE(arena, N * s->nv, double);
    s->right = TAC_TAKE(arena, N * s->nv, double);
    s->diag = TAC_TAKE(arena, s->nv, double);
    s->H = TAC_TAKE(arena, TAC_BLOCK_SIZE * s->nnode, double);
    s->first = TAC_TAKE(arena, s->nnode, int);
    s->edge = TAC_TAKE(arena, s->max_edge, tacBlockEdge);
    s->U = TAC_TAKE(arena, N * s->nv, double);
    s->Z = TAC_TAKE(arena, N * s->nv, double);
    s->numbers = TAC_TAKE(arena, 2 * N * wide * (size_t)s->max_edge, double);
    s->D = TAC_TAKE(arena, wide * wide * nodes, double);
    s->pivot = TAC_TAKE(arena, wide * nodes, int);
    s->row = TAC_TAKE(arena, N * wide, double);
    s->f = TAC_TAKE(arena, N * s->nnode, double);
    s->z = TAC_TAKE(arena, N * s->nnode, double);
    return s->still && s->mark && s->left && s->right && s->diag && s->H && s->first && s->edge && s->numbers && s->U &&
           s->Z && s->D && s->pivot && s->row && s->f && s->z;
}

/* Numbers of a node's D. */
static size_t square(const tacBlockLdu *s) { return (size_t)s->most * (size_t)s->most; }

void tac_block_ldu_clear(tacBlockLdu *s) {
    tac_block_ldu_begin(s);
    memset(s->H, 0, TAC_BLOCK_SIZE * (size_t)s->nnode * sizeof *s->H);
}

void tac_block_ldu_begin(tacBlockLdu *s) {
    s->nedge = 0;
    for (int b = 0; b < s->nnode; b++)
        s->first[b] = -1;
    memset(s->diag, 0, (size_t)s->nv * sizeof *s->diag);
    if (s->own != NULL) memset(s->own, 0, square(s) * (size_t)s->nnode * sizeof *s->own);
}

tacBlockEdge *tac_block_ldu_edge(tacBlockLdu *s, int a, int b) {
    int high = a > b ? a : b, low = a > b ? b : a;
    for (int e = s->first[high]; e >= 0; e = s->edge[e].next)
        if (s->edge[e].node == low) return &s->edge[e];
    if (s->nedge == s->max_edge) return NULL;
    tacBlockEdge *edge = &s->edge[s->nedge];
    edge->down = s->numbers + 2 * N * (size_t)s->most * (size_t)s->nedge;
    edge->up = edge->down + N * s->most;
    memset(edge->down, 0, TAC_BLOCK_SIZE * sizeof *edge->down);
    memset(edge->up, 0, TAC_BLOCK_SIZE * sizeof *edge->up);
    edge->node = low;
    edge->next = s->first[high];
    s->first[high] = s->nedge++;
    return edge;
}

/* --- Factors ------------------------------------------------------------------------------------------------------ */

/* rows i of out (n x 6) = block right_i */
static void times_right(int n, const double *block, const double *right, double *out) {
    for (int i = 0; i < n; i++)
        tac_six_mulv(block, right + N * i, out + N * i);
}

/* rows i of out (n x 6) = left_i^T block */
static void times_left(int n, const double *block, const double *left, double *out) {
    for (int i = 0; i < n; i++)
        tac_six_multv(block, left + N * i, out + N * i);
}

/* block -= sum_i u_i z_i^T */
static void downdate(int n, const double *u, const double *z, double *block) {
    for (int i = 0; i < n; i++)
        for (int r = 0; r < N; r++)
            tac_six_axpy(-u[N * i + r], z + N * i, block + N * r);
}

/* A neighbour of the eliminated node: `up` and `down` (one row a dof) of the parent or of an edge. */
typedef struct Neighbour {
    int node;
    double *up, *down;
} Neighbour;

/* Adds -up_i down_j to the block of row-node i and column-node j. */
static int fill_pair(tacBlockLdu *s, int n, const Neighbour *i, const Neighbour *j) {
    if (i->node == j->node) {
        downdate(n, i->up, j->down, s->H + TAC_BLOCK_SIZE * i->node);
        return 1;
    }
    tacBlockEdge *edge = tac_block_ldu_edge(s, i->node, j->node);
    if (edge == NULL) return 0;
    downdate(n, i->up, j->down, i->node > j->node ? edge->down : edge->up);
    return 1;
}

/* Adds the blocks of the node's edge e to an edge of the parent, which carries the node along. */
static int pass_edge(tacBlockLdu *s, int parent, int e) {
    tacBlockEdge *over = tac_block_ldu_edge(s, parent, s->edge[e].node);
    if (over == NULL) return 0;
    int up = parent > s->edge[e].node;
    tac_six_add_block(1, s->edge[e].down, up ? over->down : over->up);
    tac_six_add_block(1, s->edge[e].up, up ? over->up : over->down);
    return 1;
}

/* y = D^-1 y of a node, as tac_lu_solve without its calls, which cost more than a row of a few numbers. */
static void solve_dofs(const tacBlockLdu *s, int b, double *y) {
    int n = s->dof_num[b];
    const double *D = s->D + square(s) * (size_t)b;
    const int *pivot = s->pivot + s->most * b;
    for (int i = 0; i < n && n > 1; i++) {
        double t = y[i];
        y[i] = y[pivot[i]];
        y[pivot[i]] = t;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            y[i] -= D[i * n + j] * y[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            y[i] -= D[i * n + j] * y[j];
        y[i] /= D[i * n + i];
    }
}

static void swap_six(double *a, double *b) {
    for (int i = 0; i < N; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

static void scale_six(double by, double *y) {
    for (int i = 0; i < N; i++)
        y[i] *= by;
}

/* rows (dof_num x 6) = D^-1 rows of a node: substitution, row by row. */
static void solve_rows(const tacBlockLdu *s, int b, double *rows) {
    int n = s->dof_num[b];
    const double *D = s->D + square(s) * (size_t)b;
    const int *pivot = s->pivot + s->most * b;
    for (int i = 0; i < n && n > 1; i++)
        if (pivot[i] != i) swap_six(rows + N * i, rows + N * pivot[i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            tac_six_axpy(-D[i * n + j], rows + N * j, rows + N * i);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            tac_six_axpy(-D[i * n + j], rows + N * j, rows + N * i);
        scale_six(1 / D[i * n + i], rows + N * i);
    }
}

/* Projects the blocks of an edge to the dofs, in place: up = row right (columns by dof), down = D^-1 left^T column. */
static void project(const tacBlockLdu *s, int b, double *up, double *down) {
    int n = s->dof_num[b], adr = s->dof_adr[b];
    double small[TAC_BLOCK_SIZE], *out = n > N ? s->row : small;
    times_right(n, up, s->right + N * adr, out);
    memcpy(up, out, (size_t)(N * n) * sizeof *up);
    times_left(n, down, s->left + N * adr, out);
    memcpy(down, out, (size_t)(N * n) * sizeof *down);
    solve_rows(s, b, down);
}

/* U = H right;  D = left^T U + diag + own, factored. */
static int factor_dofs(tacBlockLdu *s, int b) {
    int n = s->dof_num[b], adr = s->dof_adr[b];
    double few[N], *work = n > N ? s->row : few, *D = s->D + square(s) * (size_t)b, *HR = s->U + N * adr;
    times_right(n, s->H + TAC_BLOCK_SIZE * b, s->right + N * adr, HR);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            D[i * n + j] = tac_six_dot(s->left + N * (adr + i), HR + N * j) + (i == j ? s->diag[adr + i] : 0);
    for (int i = 0; s->own != NULL && i < n * n; i++)
        D[i] += s->own[square(s) * (size_t)b + (size_t)i];
    if (n <= 1) return n == 0 || tac_abs(D[0]) > 0;
    return tac_lu_factor(n, D, s->pivot + s->most * b, work) < 0 || s->weak;
}

/* Adds the node's blocks to the parent's, with those of an edge between both. Sets U and Z, the blocks of the node's
 * column and row as the parent sees them, projected. Needs: U = H right. */
static void fold_parent(tacBlockLdu *s, int b, int parent) {
    int n = s->dof_num[b], adr = s->dof_adr[b];
    double *to = s->H + TAC_BLOCK_SIZE * parent, *column = s->H + TAC_BLOCK_SIZE * b, *U = s->U + N * adr;
    tac_six_add_block(1, column, to);
    for (int e = s->first[b]; e >= 0; e = s->edge[e].next) {
        if (s->edge[e].node != parent) continue;
        double HR[N];
        for (int i = 0; i < n; i++) {
            tac_six_mulv(s->edge[e].up, s->right + N * (adr + i), HR);
            tac_six_axpy(1, HR, U + N * i);
        }
        tac_six_add_block(1, s->edge[e].up, to);
        tac_six_add_block(1, s->edge[e].down, to);
        tac_six_add_block(1, s->edge[e].down, column);
        s->edge[e].node = -1;
    }
    times_left(n, column, s->left + N * adr, s->Z + N * adr);
    solve_rows(s, b, s->Z + N * adr);
}

static tacStatus eliminate(tacBlockLdu *s, int b) {
    int n = s->dof_num[b], parent = s->parent[b], moving = !s->still[parent];
    Neighbour tie = {parent, s->U + N * s->dof_adr[b], s->Z + N * s->dof_adr[b]};
    if (!factor_dofs(s, b)) return TAC_ERR_SINGULAR;
    if (moving) {
        fold_parent(s, b, parent);
        fill_pair(s, n, &tie, &tie);
    }
    for (int e = s->first[b]; e >= 0; e = s->edge[e].next) {
        if (s->edge[e].node < 0) continue;
        if (moving && !pass_edge(s, parent, e)) return TAC_ERR_ARENA_FULL;
        if (n > 0) project(s, b, s->edge[e].up, s->edge[e].down);
    }
    for (int e = s->first[b]; e >= 0 && n > 0; e = s->edge[e].next) {
        Neighbour i = {s->edge[e].node, s->edge[e].up, s->edge[e].down};
        if (i.node < 0) continue;
        if (moving && !(fill_pair(s, n, &i, &tie) && fill_pair(s, n, &tie, &i))) return TAC_ERR_ARENA_FULL;
        for (int k = s->first[b]; k >= 0; k = s->edge[k].next) {
            Neighbour j = {s->edge[k].node, s->edge[k].up, s->edge[k].down};
            if (j.node >= 0 && !fill_pair(s, n, &i, &j)) return TAC_ERR_ARENA_FULL;
        }
    }
    return TAC_OK;
}

/* The same for a node with one dof and no edges, as most are: the parent's block += H - U Z^T at once. */
static tacStatus eliminate_one(tacBlockLdu *s, int b) {
    int adr = s->dof_adr[b], parent = s->parent[b];
    const double *H = s->H + TAC_BLOCK_SIZE * b, *left = s->left + N * adr;
    double *U = s->U + N * adr, *Z = s->Z + N * adr, *D = s->D + square(s) * (size_t)b;
    tac_six_mulv(H, s->right + N * adr, U);
    D[0] = tac_six_dot(left, U) + s->diag[adr];
    if (s->own != NULL) D[0] += s->own[square(s) * (size_t)b];
    if (!(tac_abs(D[0]) > 0)) return TAC_ERR_SINGULAR;
    if (s->still[parent]) return TAC_OK;
    tac_six_multv(H, left, Z);
    scale_six(1 / D[0], Z);
    tacTwo *to = (tacTwo *)(void *)(s->H + TAC_BLOCK_SIZE * parent);
    const tacTwo *from = (const tacTwo *)(const void *)H, *row = (const tacTwo *)(const void *)Z;
    const tacTwo z0 = row[0], z1 = row[1], z2 = row[2];
    for (int r = 0; r < N; r++, to += 3, from += 3) {
        to[0] += from[0] - U[r] * z0;
        to[1] += from[1] - U[r] * z1;
        to[2] += from[2] - U[r] * z2;
    }
    return TAC_OK;
}

tacStatus tac_block_ldu_factor(tacBlockLdu *s) {
    for (int b = s->nnode - 1; b > 0; b--) {
        int plain = s->dof_num[b] == 1 && s->first[b] < 0;
        if (!s->still[b]) TAC_TRY(plain ? eliminate_one(s, b) : eliminate(s, b));
    }
    return TAC_OK;
}

/* --- Solves ------------------------------------------------------------------------------------------------------- */

/* to += sum_i rows_i y_i */
static void add_rows(int n, const double *rows, const double *y, double sign, double *to) {
    for (int i = 0; i < n; i++)
        tac_six_axpy(sign * y[i], rows + N * i, to);
}

/* y[i] += sign rows_i . x */
static void add_dots(int n, const double *rows, const double *x, double sign, double *y) {
    for (int i = 0; i < n; i++)
        y[i] += sign * tac_six_dot(rows + N * i, x);
}

static int is_zero(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (x[i] != 0) return 0;
    return 1;
}

/* Forward pass of one node: solves its dofs and adds its forces to its neighbours. */
static void forward(const tacBlockLdu *s, int b, double *y) {
    int n = s->dof_num[b], adr = s->dof_adr[b], parent = s->parent[b];
    double *f = s->f + N * b;
    if (is_zero(n, y) && is_zero(N, f)) return;
    for (int i = 0; i < n; i++)
        y[i] = -y[i];
    add_dots(n, s->left + N * adr, f, -1, y);
    solve_dofs(s, b, y);
    if (!s->still[parent]) {
        tac_six_axpy(1, f, s->f + N * parent);
        add_rows(n, s->U + N * adr, y, 1, s->f + N * parent);
    }
    for (int e = s->first[b]; e >= 0; e = s->edge[e].next)
        if (s->edge[e].node >= 0) add_rows(n, s->edge[e].up, y, 1, s->f + N * s->edge[e].node);
}

/* Backward pass of one node: its motion from that of its neighbours. */
static void backward(const tacBlockLdu *s, int b, double *y) {
    int n = s->dof_num[b], adr = s->dof_adr[b], parent = s->parent[b];
    double *z = s->z + N * b;
    memset(z, 0, N * sizeof *z);
    for (int e = s->first[b]; e >= 0; e = s->edge[e].next)
        if (s->edge[e].node >= 0) add_dots(n, s->edge[e].down, s->z + N * s->edge[e].node, -1, y);
    if (!s->still[parent]) {
        add_dots(n, s->Z + N * adr, s->z + N * parent, -1, y);
        memcpy(z, s->z + N * parent, N * sizeof *z);
    }
    add_rows(n, s->right + N * adr, y, 1, z);
}

void tac_block_ldu_forward(const tacBlockLdu *s, const double *f, double *y) {
    if (f == NULL)
        memset(s->f, 0, N * (size_t)s->nnode * sizeof *s->f);
    else
        memcpy(s->f, f, N * (size_t)s->nnode * sizeof *f);
    for (int b = s->nnode - 1; b > 0; b--)
        if (!s->still[b]) forward(s, b, y + s->dof_adr[b]);
}

void tac_block_ldu_backward(const tacBlockLdu *s, const unsigned char *mark, double *y) {
    memset(s->z, 0, N * sizeof *s->z);
    for (int b = 1; b < s->nnode; b++) {
        if (mark != NULL && !mark[b]) continue;
        if (s->still[b])
            memset(s->z + N * b, 0, N * sizeof *s->z);
        else
            backward(s, b, y + s->dof_adr[b]);
    }
}

void tac_block_ldu_solve(const tacBlockLdu *s, const double *f, const double *g, double *dv) {
    if (dv != g) memcpy(dv, g, (size_t)s->nv * sizeof *dv);
    tac_block_ldu_forward(s, f, dv);
    tac_block_ldu_backward(s, NULL, dv);
}

void tac_block_ldu_close_marks(const tacBlockLdu *s, unsigned char *mark) {
    for (int b = s->nnode - 1; b > 0; b--) {
        if (!mark[b] || s->still[b]) continue;
        mark[s->parent[b]] = 1;
        for (int e = s->first[b]; e >= 0; e = s->edge[e].next)
            if (s->edge[e].node >= 0) mark[s->edge[e].node] = 1;
    }
}

void tac_block_ldu_solve_transposed(const tacBlockLdu *s, const double *bar, double *lambda) {
    if (lambda != bar) memcpy(lambda, bar, (size_t)s->nv * sizeof *lambda);
    lane_solve_transposed(s, 0, s->nv, lambda, s->z, s->f);
}
