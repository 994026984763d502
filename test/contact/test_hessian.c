/* The Hessian M + J^T K J of the soft problem against a dense one: rows on one path, across limbs and trees, in
 * piles. */
#include "contact/soft/problem.h"

#include "math/dense.h"

#include "support/check.h"
#include "support/draw.h"

#include <stdlib.h>
#include <string.h>

/* Of a solve, relative: the matrices have condition numbers up to about 1e4. */
#define TOL_SOLVE 1e-11

enum { MOST = 150, MOST_ROWS = 120, COLUMNS = 5 };

/* A forest of dofs with a mass matrix, and rows over paths of it. */
typedef struct Problem {
    tacModel m;
    tacWork w;
    tacSoft soft;
    int parent[MOST], adr[MOST], body[MOST], root[MOST], dof[MOST_ROWS * MOST];
    double M[MOST * MOST], J[MOST_ROWS * MOST], D[MOST_ROWS], y[MOST_ROWS], f[MOST_ROWS], dense[MOST * MOST];
    tacRow row[MOST_ROWS];
    tacSoftBlock block[MOST_ROWS];
} Problem;

/* Trees of `size` dofs, each dof behind one of the two before it: chains with limbs. */
static void plant(Problem *p, tacDraw *d, int nv, int size) {
    int numbers = 0;
    for (int i = 0; i < nv; i++) {
        int first = i / size * size, back = 1 + draw_int(d, 2), depth = 0;
        p->parent[i] = i == first ? -1 : i - back < first ? first : i - back;
        p->body[i] = i, p->root[i] = first, p->adr[i] = numbers;
        for (int j = i; j >= 0; j = p->parent[j], depth++) {
            double value = j == i ? 4 * size : draw_uniform(d, -1, 1);
            p->M[numbers++] = value;
            p->dense[i * nv + j] = p->dense[j * nv + i] = value;
        }
    }
    p->m.nv = nv, p->m.nM = numbers;
    p->m.dof_parent = p->parent, p->m.dof_M_adr = p->adr, p->m.dof_body = p->body, p->m.body_root = p->root;
    p->w.M = p->M;
}

/* n rows over the dofs on the ways from i and j to their roots, in descending order. */
static void add_rows(Problem *p, tacDraw *d, int id, int i, int j, int n) {
    tacRows *rows = &p->soft.rows;
    int count = 0, dof[MOST], nv = p->m.nv;
    while (i >= 0 || j >= 0) {
        int next = dof[count++] = i > j ? i : j;
        if (i == next) i = p->parent[i];
        if (j == next) j = p->parent[j];
    }
    p->block[p->soft.nblock++] = (tacSoftBlock){.kind = TAC_SOFT_EQUALITY, .row = rows->n, .n = n};
    for (int r = 0; r < n; r++, rows->n++) {
        p->row[rows->n] = (tacRow){.kind = TAC_ROW_CONTACT, .id = id, .adr = rows->nnz, .num = count};
        p->D[rows->n] = draw_uniform(d, 0, 50);
        for (int e = 0; e < count; e++)
            p->dof[rows->nnz] = dof[e], p->J[rows->nnz++] = draw_uniform(d, -1, 1);
        const double *J = p->J + p->row[rows->n].adr;
        for (int a = 0; a < count; a++)
            for (int b = 0; b < count; b++)
                p->dense[dof[a] * nv + dof[b]] += p->D[rows->n] * J[a] * J[b];
    }
}

/* -> how the Hessian was kept. */
static int check_solves(Problem *p, tacDraw *d) {
    tacArena arena;
    tacSoft *soft = &p->soft;
    int nv = p->m.nv;
    tacArena dry = tac_arena_dry();
    tac_soft_measure_hessian(&p->m, &dry);
    size_t bytes = dry.peak;
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, tac_arena_round(bytes));
    double *x = malloc((size_t)nv * COLUMNS * sizeof *x), *expected = malloc((size_t)nv * COLUMNS * sizeof *x),
           one[MOST];
    tac_arena_init(&arena, memory, bytes);
    CHECK(tac_soft_hessian_begin(&soft->hessian, &p->m, &soft->rows, &arena));
    CHECK(tac_soft_hessian_factor(&soft->hessian, &p->m, &p->w, soft));
    draw_array(d, nv * COLUMNS, x);
    memcpy(expected, x, (size_t)nv * COLUMNS * sizeof *x);
    for (int i = 0; i < nv; i++)
        one[i] = x[i * COLUMNS];
    CHECK_INT(tac_cholesky_factor(nv, p->dense), -1);
    tac_cholesky_solve_many(nv, p->dense, COLUMNS, expected);
    tac_soft_hessian_solve_many(&soft->hessian, &p->m, COLUMNS, x);
    tac_soft_hessian_solve(&soft->hessian, &p->m, one);
    for (int i = 0; i < nv * COLUMNS; i++)
        CHECK_NEAR(x[i], expected[i], TOL_SOLVE);
    for (int i = 0; i < nv; i++)
        CHECK_NEAR(one[i], expected[i * COLUMNS], TOL_SOLVE);
    int along = soft->hessian.along_tree;
    free(memory), free(x), free(expected);
    return along;
}

static Problem *new_problem(tacDraw *d, int nv, int size) {
    Problem *p = calloc(1, sizeof *p);
    p->soft.rows = (tacRows){.row = p->row, .dof = p->dof, .J = p->J};
    p->soft.block = p->block, p->soft.D = p->D, p->soft.y = p->y, p->soft.f = p->f;
    plant(p, d, nv, size);
    return p;
}

/* Limbs and trees that touch at random are still along a tree; where none do it is the model's own. */
static void along_merged_paths(void **state) {
    (void)state;
    tacDraw d = {5, 0};
    const int sizes[4] = {1, 3, 9, 27};
    for (int t = 0; t < 60; t++) {
        Problem *p = new_problem(&d, 27, sizes[t % 4]);
        const int rows[4] = {1, 3, 4, 6};
        for (int k = 0; k < t % 7; k++) {
            int i = draw_int(&d, 27), j = t % 3 == 0 ? -1 : draw_int(&d, 27);
            add_rows(p, &d, k, i, j, rows[draw_int(&d, 4)]);
        }
        CHECK(check_solves(p, &d));
        if (t % 3 == 0) CHECK(p->soft.hessian.own);
        free(p);
    }
}

/* A pile of many trees, neighbours touching, is kept by blocks; the same trees apart are not. */
static void piles_by_blocks(void **state) {
    (void)state;
    tacDraw d = {6, 0};
    Problem *p = new_problem(&d, MOST, 6);
    for (int k = 0; k < 24; k++)
        add_rows(p, &d, k, 6 * k + 5, 6 * k + 11, 3);
    CHECK(!check_solves(p, &d));
    free(p);
    p = new_problem(&d, MOST, 6);
    for (int k = 0; k < 24; k++)
        add_rows(p, &d, k, 6 * k + 5, -1, 3);
    CHECK(check_solves(p, &d));
    free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(along_merged_paths), cmocka_unit_test(piles_by_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
