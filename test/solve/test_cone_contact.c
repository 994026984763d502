/* Contact problems on cones: blocks whose answers are known, random ones judged by their conditions. */
#include "solve/cone_contact.h"

#include "math/dense.h"
#include "solve/coulomb.h"
#include "support/check.h"
#include "support/draw.h"

#include <stdlib.h>
#include <string.h>

#define TOL          1e-13
#define TOL_RESIDUAL 1e-12 /* relative, of a problem in numbers of about one */

enum { MAX_N = 90 };

typedef struct Problem {
    int n;
    double W[MAX_N * MAX_N], q[MAX_N], mu[MAX_N / 3], r[MAX_N], u[MAX_N];
    tacConeResult result;
} Problem;

/* Solves in scratch full of NaN, then once more: the same bits. */
static tacStatus solve(Problem *p) {
    size_t bytes = tac_cone_contact_bytes(p->n / 3);
    void *memory = aligned_alloc(TAC_ARENA_ALIGN, tac_arena_round(bytes));
    double again[2 * MAX_N];
    tacConeProblem cones = {p->n / 3, p->W, p->q, p->mu};
    tacArena arena;
    tacStatus status = TAC_OK;
    for (int k = 0; k < 2; k++) {
        if (k == 0) memset(memory, 0xff, bytes);
        tac_arena_init(&arena, memory, bytes);
        status = k == 0 ? tac_cone_contact_solve(&cones, &arena, p->r, p->u, &p->result)
                        : tac_cone_contact_solve(&cones, &arena, again, again + MAX_N, &p->result);
        CHECK(arena.used == 0);
    }
    CHECK(memcmp(again, p->r, (size_t)p->n * sizeof(double)) == 0);
    free(memory);
    return status;
}

/* The natural map, put together here. */
static double residual(const Problem *p) {
    double u[MAX_N], sum = 0, size = 0;
    tac_dense_mulv(p->n, p->n, p->W, p->r, u);
    for (int i = 0; i < p->n; i++) {
        u[i] += p->q[i], size += p->q[i] * p->q[i];
        CHECK_NEAR(u[i], p->u[i], TOL * (1 + tac_sqrt(size)));
    }
    for (int c = 0; c < p->n / 3; c++) {
        double f[3];
        tac_coulomb_map(p->mu[c], p->r + 3 * c, u + 3 * c, f, NULL, NULL);
        for (int i = 0; i < 3; i++)
            sum += f[i] * f[i];
    }
    return tac_sqrt(sum / size);
}

/* A block of mass 2 on the floor, one contact: W = 1/2. */
static void set_block(Problem *p, double normal, double along, double across, double mu) {
    *p = (Problem){.n = 3, .q = {normal, along, across}, .mu = {mu}};
    p->W[0] = p->W[4] = p->W[8] = 0.5;
}

static void block_sticks(void **state) {
    (void)state;
    static Problem p;
    set_block(&p, -1, 0.3, -0.2, 0.5);
    CHECK(solve(&p) == TAC_OK);
    CHECK_NEAR(p.r[0], 2, TOL);
    CHECK_NEAR(p.r[1], -0.6, TOL);
    CHECK_NEAR(p.r[2], 0.4, TOL);
    CHECK_LT(residual(&p), TOL_RESIDUAL);
}

/* Friction mu r_n against the slip, whose direction it leaves as it is. */
static void block_slides(void **state) {
    (void)state;
    static Problem p;
    set_block(&p, -1, 3, 4, 0.5);
    CHECK(solve(&p) == TAC_OK);
    CHECK_NEAR(p.r[0], 2, TOL);
    CHECK_NEAR(p.r[1], -0.6, TOL);
    CHECK_NEAR(p.r[2], -0.8, TOL);
    CHECK_NEAR(p.u[1], 2.7, TOL);
    CHECK_NEAR(p.u[2], 3.6, TOL);
}

static void block_takes_off(void **state) {
    (void)state;
    static Problem p;
    set_block(&p, 1e-3, 3, 4, 0.5);
    CHECK(solve(&p) == TAC_OK);
    CHECK(p.r[0] == 0 && p.r[1] == 0 && p.r[2] == 0);
    CHECK_NEAR(p.u[0], 1e-3, TOL);
}

/* Neither pressed nor leaving, and nothing at all to do. */
static void block_floats(void **state) {
    (void)state;
    static Problem p;
    set_block(&p, 0, 1, 0, 0.5);
    CHECK(solve(&p) == TAC_OK);
    CHECK_NEAR(p.r[0], 0, TOL);
    CHECK_LT(residual(&p), TOL_RESIDUAL);
    set_block(&p, 0, 0, 0, 0.5);
    CHECK(solve(&p) == TAC_OK);
    CHECK(p.r[0] == 0 && p.r[1] == 0 && p.result.residual == 0);
}

static void without_friction(void **state) {
    (void)state;
    static Problem p;
    set_block(&p, -1, 3, 4, 0);
    CHECK(solve(&p) == TAC_OK);
    CHECK_NEAR(p.r[0], 2, TOL);
    CHECK(p.r[1] == 0 && p.r[2] == 0);
}

/* W = G G^T of contacts with `freedoms` motions: singular where there are fewer of these than rows. */
static void draw_problem(Problem *p, tacDraw *d, int contacts, int freedoms) {
    double G[MAX_N * MAX_N], v[MAX_N];
    *p = (Problem){.n = 3 * contacts};
    draw_array(d, p->n * freedoms, G);
    draw_array(d, freedoms, v);
    tac_dense_mulbt(p->n, freedoms, p->n, G, G, p->W);
    tac_dense_mulv(p->n, freedoms, G, v, p->q);
    for (int c = 0; c < contacts; c++)
        p->mu[c] = c % 7 == 3 ? 0 : draw_uniform(d, 0.1, 1);
}

/* Random problems with as many motions as rows, fewer, and far fewer. q = G v is what motions alone can do, so that
 * there is an answer. */
static void random_problems(void **state) {
    (void)state;
    static Problem p;
    tacDraw d = {41, 0};
    int sliding = 0, sticking = 0, open = 0;
    for (int k = 0; k < 60; k++) {
        int contacts = 1 + draw_int(&d, 12);
        draw_problem(&p, &d, contacts, k % 3 == 0 ? 3 * contacts : k % 3 == 1 ? 6 + contacts : 6);
        CHECK(solve(&p) == TAC_OK);
        CHECK_LT(residual(&p), TOL_RESIDUAL);
        CHECK_NEAR(p.result.residual, residual(&p), TOL_RESIDUAL);
        for (int c = 0; c < contacts; c++) {
            const double *r = p.r + 3 * c, slack = p.mu[c] * r[0] - tac_sqrt(r[1] * r[1] + r[2] * r[2]);
            open += r[0] <= TOL, sliding += r[0] > TOL && slack <= TOL, sticking += r[0] > TOL && slack > TOL;
        }
    }
    CHECK(open > 20 && sliding > 20 && sticking > 10);
}

/* Twice the same contact: only the sum of reactions is known. */
static void redundant_contacts(void **state) {
    (void)state;
    static Problem p;
    p = (Problem){.n = 6, .q = {-1, 0.3, -2, -1, 0.3, -2}, .mu = {0.6, 0.6}};
    for (int i = 0; i < 36; i++)
        p.W[i] = i / 6 % 3 == i % 6 % 3;
    CHECK(solve(&p) == TAC_OK);
    CHECK_LT(residual(&p), TOL_RESIDUAL);
    CHECK_NEAR(p.r[0] + p.r[3], 1, TOL);
}

/* In other units, length of reactions and of velocities: the same answer in those. */
static void units_do_not_matter(void **state) {
    (void)state;
    static Problem p, other;
    tacDraw d = {42, 0};
    draw_problem(&p, &d, 5, 15);
    other = p;
    for (int i = 0; i < p.n * p.n; i++)
        other.W[i] *= 1e-6;
    for (int i = 0; i < p.n; i++)
        other.q[i] *= 1e3;
    CHECK(solve(&p) == TAC_OK && solve(&other) == TAC_OK);
    for (int i = 0; i < p.n; i++)
        CHECK_NEAR(other.r[i] * 1e-9, p.r[i], 1e-9);
}

/* No answer at all: a contact that friction lifts off. Something finite comes back. */
static void without_answer(void **state) {
    (void)state;
    static Problem p;
    p = (Problem){.n = 3, .W = {1, 0, 5, 0, 1, 0, -5, 0, 1}, .q = {-1, 0, 3}, .mu = {1}};
    CHECK(solve(&p) == TAC_OK);
    CHECK(tac_first_nonfinite(3, p.r) < 0 && tac_first_nonfinite(3, p.u) < 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_sticks),       cmocka_unit_test(block_slides),        cmocka_unit_test(block_takes_off),
        cmocka_unit_test(block_floats),       cmocka_unit_test(without_friction),    cmocka_unit_test(random_problems),
        cmocka_unit_test(redundant_contacts), cmocka_unit_test(units_do_not_matter), cmocka_unit_test(without_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
