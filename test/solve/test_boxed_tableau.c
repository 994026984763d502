/* The tableau after any changes of class against one solve for those classes; the driven force against both. */
#include "solve/boxed_tableau.h"

#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>
#include <string.h>

enum { CONTACTS = 5, JOINTS = 2, ROWS = 3 * CONTACTS + JOINTS, CHANGES = 400 };

/* Hundreds of exchanges, of condition numbers up to 1e3 each, against one factorization. */
static const double TOL_TABLEAU = 1e-11;

typedef struct Problem {
    tacBoxed boxed;
    double A[ROWS * ROWS], b[ROWS], low[ROWS], high[ROWS], cover[ROWS];
    int parent[ROWS];
} Problem;

static unsigned char memory[1 << 18] __attribute__((aligned(64)));

static void draw(Problem *p) {
    double J[ROWS][ROWS];
    uint64_t k = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            J[i][j] = tac_random_normal(3, 1, k++);
    for (int i = 0; i < ROWS; i++) {
        int friction = i < 3 * CONTACTS && i % 3 != 0;
        for (int j = 0; j < ROWS; j++) {
            p->A[i * ROWS + j] = i == j ? 0.1 : 0;
            for (int d = 0; d < ROWS; d++)
                p->A[i * ROWS + j] += J[i][d] * J[j][d];
        }
        p->b[i] = tac_random_normal(3, 2, (uint64_t)i), p->cover[i] = tac_random_normal(3, 3, (uint64_t)i);
        p->parent[i] = friction ? i - i % 3 : -1;
        p->low[i] = friction ? -0.4 : i < 3 * CONTACTS ? 0 : -0.3;
        p->high[i] = friction ? 0.5 : i < 3 * CONTACTS ? (double)INFINITY : 0.2;
    }
    p->boxed = (tacBoxed){ROWS, p->A, p->b, p->parent, p->low, p->high, NULL, 1, 0};
}

/* Largest difference of forces and velocities at t between the tableau and the solve for its classes. */
static double difference(const Problem *p, const tacTableau *tableau, tacBoxedWork *work, double t) {
    double f[ROWS], w[ROWS], b[ROWS], worst = 0, largest = 1;
    tacBoxed there = p->boxed;
    for (int i = 0; i < ROWS; i++)
        b[i] = p->b[i] + t * p->cover[i];
    there.b = b;
    CHECK(tac_boxed_solve_classes(&there, tableau->row_class, work, f, w));
    for (int i = 0; i < ROWS; i++) {
        tacLine force = tac_tableau_force(tableau, i), velocity = tac_tableau_velocity(tableau, i);
        largest = fmax(largest, fmax(fabs(f[i]), fabs(w[i])));
        worst = fmax(worst, fabs(force.at0 + t * force.slope - f[i]));
        worst = fmax(worst, fabs(velocity.at0 + t * velocity.slope - w[i]));
    }
    return worst / largest;
}

/* A class that row i may go to from where it is; -1: none now. */
static int another_class(const Problem *p, const int *row_class, int i, uint64_t draw_id) {
    double u = tac_random_uniform(4, draw_id, (uint64_t)i);
    if (p->parent[i] >= 0 && row_class[p->parent[i]] != TAC_ROW_FREE) return -1;
    if (row_class[i] != TAC_ROW_FREE) return TAC_ROW_FREE;
    return isfinite(p->high[i]) && u < 0.5 ? TAC_ROW_HIGH : TAC_ROW_LOW;
}

static void follows_classes(void **state) {
    (void)state;
    static Problem p;
    tacArena arena;
    tacBoxedWork work, other; /* the table of one and the matrix of the other live at the same time */
    tacTableau tableau;
    int row_class[ROWS], changes = 0;
    double worst = 0;
    draw(&p);
    tac_arena_init(&arena, memory, sizeof memory);
    tac_arena_spoil(&arena);
    CHECK(tac_boxed_layout(&work, ROWS, &arena) && tac_boxed_layout(&other, ROWS, &arena));
    tac_tableau_begin(&tableau, &p.boxed, &work, p.cover, row_class);
    for (uint64_t k = 0; k < CHANGES; k++) {
        int i = (int)(tac_random_uniform(5, 0, k) * ROWS), next = another_class(&p, row_class, i, k);
        if (next < 0) continue;
        CHECK(tac_tableau_move(&tableau, i, next, 0.3));
        worst = fmax(worst, fmax(difference(&p, &tableau, &other, 0.3), difference(&p, &tableau, &other, -2)));
        changes++;
    }
    print_message("%d changes, worst %.1e\n", changes, worst);
    CHECK(changes > CHANGES / 2);
    CHECK_LT(worst, TOL_TABLEAU);
}

/* A driven force moves all others at the rates that the tableau tells. */
static void drives(void **state) {
    (void)state;
    static Problem p;
    tacArena arena;
    tacBoxedWork work;
    tacTableau tableau;
    int row_class[ROWS], last = ROWS - 1;
    double before[2][ROWS];
    draw(&p);
    tac_arena_init(&arena, memory, sizeof memory);
    CHECK(tac_boxed_layout(&work, ROWS, &arena));
    tac_tableau_begin(&tableau, &p.boxed, &work, NULL, row_class);
    CHECK(tac_tableau_move(&tableau, 0, TAC_ROW_FREE, 0) && tac_tableau_move(&tableau, 1, TAC_ROW_FREE, 0));
    CHECK(tac_tableau_move(&tableau, 6, TAC_ROW_FREE, 0));
    for (int i = 0; i < ROWS; i++)
        before[0][i] = tac_tableau_force(&tableau, i).at0, before[1][i] = tac_tableau_velocity(&tableau, i).at0;
    tac_tableau_drive(&tableau, last, 0.7);
    for (int i = 0; i < ROWS; i++) {
        double df = 0.7 * tac_tableau_force_by(&tableau, i, last),
               dw = 0.7 * tac_tableau_velocity_by(&tableau, i, last);
        CHECK_NEAR(tac_tableau_force(&tableau, i).at0, before[0][i] + df, 1e-12);
        CHECK_NEAR(tac_tableau_velocity(&tableau, i).at0, before[1][i] + dw, 1e-12);
    }
    CHECK_NEAR(tac_tableau_force(&tableau, last).at0, 0.7, 0);
    CHECK(row_class[2] != TAC_ROW_FREE && tac_tableau_force(&tableau, 2).at0 != 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_classes), cmocka_unit_test(drives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
