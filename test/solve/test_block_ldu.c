/* Systems over trees with edges, against the same system written out and solved densely. */
#include "solve/block_ldu.h"

#include "math/dense.h"
#include "support/check.h"
#include "support/draw.h"

#include <stdlib.h>
#include <string.h>

#define TOL   1e-9
#define NODES 9
#define MOST  64

typedef struct Tree {
    int parent[NODES], adr[NODES], num[NODES], nv;
    tacBlockLdu s;
    tacArena arena;
    double H[6 * NODES][6 * NODES]; /* all blocks */
} Tree;

/* Random tree; dofs per node 0 .. 6, now and then 8; node 1 is still. */
static void build(Tree *t, tacDraw *d, int max_edge) {
    t->nv = 0;
    for (int b = 0; b < NODES; b++) {
        t->parent[b] = b == 0 ? 0 : draw_int(d, b);
        t->adr[b] = t->nv;
        t->num[b] = b < 2 ? 0 : draw_int(d, 7);
        if (b == 3 && draw_int(d, 3) == 0) t->num[b] = 8;
        if (b == 2) t->num[b] = 3, t->parent[b] = 0;
        t->nv += t->num[b];
    }
    t->parent[1] = 0;
    t->s = (tacBlockLdu){
        .nnode = NODES, .nv = t->nv, .max_edge = max_edge, .parent = t->parent, .dof_adr = t->adr, .dof_num = t->num};
    tacArena dry = tac_arena_dry();
    tac_block_ldu_layout(&t->s, &dry);
    tac_arena_init(&t->arena, aligned_alloc(TAC_ARENA_ALIGN, dry.peak), dry.peak);
    tac_arena_spoil(&t->arena);
    CHECK(tac_block_ldu_layout(&t->s, &t->arena));
    for (int b = 0; b < NODES; b++)
        t->s.still[b] = b == 0 || (t->num[b] == 0 && t->s.still[t->parent[b]]);
}

static void put_block(Tree *t, int row, int column, double *block, const double *values) {
    for (int i = 0; i < 36; i++) {
        block[i] += values[i];
        t->H[6 * row + i / 6][6 * column + i % 6] += values[i];
    }
}

static void draw_system(Tree *t, tacDraw *d, int nedge) {
    double values[36];
    memset(t->H, 0, sizeof t->H);
    tac_block_ldu_clear(&t->s);
    draw_array(d, 6 * t->nv, t->s.left), draw_array(d, 6 * t->nv, t->s.right);
    for (int i = 0; i < 6 * t->nv; i++) /* axes at two poses are near each other */
        t->s.right[i] = t->s.left[i] + 0.1 * t->s.right[i];
    for (int i = 0; i < t->nv; i++)
        t->s.diag[i] = draw_uniform(d, 0, 1);
    for (int b = 1; b < NODES; b++) {
        if (t->s.still[b]) continue;
        draw_array(d, 36, values);
        for (int i = 0; i < 6; i++)
            values[7 * i] += 8;
        put_block(t, b, b, t->s.H + 36 * b, values);
    }
    for (int e = 0; e < nedge; e++) {
        int a = 1 + draw_int(d, NODES - 1), b = 1 + draw_int(d, NODES - 1), high = a > b ? a : b, low = a > b ? b : a;
        if (a == b || t->s.still[a] || t->s.still[b]) continue;
        tacBlockEdge *edge = tac_block_ldu_edge(&t->s, a, b);
        CHECK(edge != NULL);
        draw_array(d, 36, values), put_block(t, high, low, edge->down, values);
        draw_array(d, 36, values), put_block(t, low, high, edge->up, values);
    }
}

/* How node b moves with dof i: right_i where i is on the way to b; and what force on b does to it: left_i. */
static const double *axis(const Tree *t, const double *axes, int b, int i) {
    static const double ZERO[6];
    for (; b > 0; b = t->parent[b])
        if (i >= t->adr[b] && i < t->adr[b] + t->num[b]) return axes + 6 * i;
    return ZERO;
}

static void write_out(const Tree *t, double *A) {
    static double HR[6 * NODES][MOST];
    for (int r = 0; r < 6 * NODES; r++)
        for (int j = 0; j < t->nv; j++) {
            HR[r][j] = 0;
            for (int c = 0; c < 6 * NODES; c++)
                if (t->H[r][c] != 0) HR[r][j] += t->H[r][c] * axis(t, t->s.right, c / 6, j)[c % 6];
        }
    for (int i = 0; i < t->nv; i++)
        for (int j = 0; j < t->nv; j++) {
            A[i * t->nv + j] = i == j ? t->s.diag[i] : 0;
            for (int r = 0; r < 6 * NODES; r++)
                A[i * t->nv + j] += axis(t, t->s.left, r / 6, i)[r % 6] * HR[r][j];
        }
}

static void check_system(Tree *t, tacDraw *d) {
    static double A[MOST * MOST], f[6 * NODES], g[MOST], want[MOST], got[MOST], work[MOST];
    int pivot[MOST];
    write_out(t, A);
    draw_array(d, 6 * NODES, f), draw_array(d, t->nv, g);
    for (int b = 0; b < NODES; b++)
        if (t->s.still[b]) memset(f + 6 * b, 0, 6 * sizeof *f);
    for (int i = 0; i < t->nv; i++) {
        want[i] = -g[i];
        for (int r = 0; r < 6 * NODES; r++)
            want[i] -= axis(t, t->s.left, r / 6, i)[r % 6] * f[r];
    }
    CHECK_INT(tac_block_ldu_factor(&t->s), TAC_OK);
    tac_block_ldu_solve(&t->s, f, g, got);
    CHECK_INT(tac_lu_factor(t->nv, A, pivot, work), -1);
    tac_lu_solve(t->nv, A, pivot, want);
    CHECK_ARRAY(t->nv, got, want, TOL);
    for (int b = 0; b < NODES; b++) /* poses follow */
        for (int r = 0; r < 6; r++) {
            double z = 0;
            for (int i = 0; i < t->nv; i++)
                z += axis(t, t->s.right, b, i)[r] * want[i];
            CHECK_NEAR(t->s.z[6 * b + r], z, TOL * 100);
        }
    draw_array(d, t->nv, g);
    memcpy(want, g, sizeof want);
    tac_lu_solve_transposed(t->nv, A, pivot, want);
    tac_block_ldu_solve_transposed(&t->s, g, got);
    CHECK_ARRAY(t->nv, got, want, TOL);
}

static void agrees_with_dense(void **state) {
    (void)state;
    tacDraw d = {31, 0};
    for (int k = 0; k < 200; k++) {
        Tree t;
        build(&t, &d, NODES * (NODES - 1) / 2);
        draw_system(&t, &d, k % 5);
        check_system(&t, &d);
        free(t.arena.base);
    }
}

/* Without room for fill the answer is a status. */
static void full_is_a_status(void **state) {
    (void)state;
    tacDraw d = {32, 0};
    Tree t;
    int full = 0;
    for (int k = 0; k < 20; k++) {
        build(&t, &d, 2);
        memset(t.H, 0, sizeof t.H);
        tac_block_ldu_clear(&t.s);
        for (int b = 2; b < NODES; b++)
            for (int a = 1; a < b; a++)
                if (!t.s.still[a] && !t.s.still[b] && tac_block_ldu_edge(&t.s, a, b) == NULL) full = 1;
        free(t.arena.base);
    }
    CHECK(full);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_dense), cmocka_unit_test(full_is_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
