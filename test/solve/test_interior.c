/* The interior point on problems with known answers; answers are checked by their own conditions. */
#include "solve/interior.h"

#include "math/cone.h"
#include "math/dense.h"
#include "support/check.h"
#include "solve/friction_cone.h"
#include "support/draw.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N            6
#define TOL_RESIDUAL 1e-12
#define CENTRING     1e-3  /* of kappa */
#define TOL_POLISHED 1e-10 /* of kappa: rounding of products */
#define TOL_SAME     1e-9  /* of the two searches' points, polished */
#define TOL_ANSWER   1e-6  /* of the limit kappa -> 0, at kappa 1e-12 */

/* b = M a + q over cones: a linear complementarity problem; x is empty. */
typedef struct Linear {
    double M[N * N], q[N], E[N], lu[N * N];
    int pivot[N];
    const int *dim;
    int ncone, polish;
    tacInteriorWay way;
    double a[N], b[N];
} Linear;

static tacStatus residual(void *user, const double *x, const double *a, const double *b, double *violation) {
    Linear *p = user;
    (void)x;
    *violation = 0;
    memcpy(p->a, a, sizeof p->a), memcpy(p->b, b, sizeof p->b);
    tac_dense_mulv(N, N, p->M, a, p->E);
    for (int i = 0; i < N; i++) {
        p->E[i] = b[i] - p->E[i] - p->q[i];
        *violation = fmax(*violation, fabs(p->E[i]));
    }
    return TAC_OK;
}

/* db = M da - E;  (arrow(b) + arrow(a) M) da = c + arrow(a) E */
static tacStatus factor(void *user, const double *x, const double *a, const double *b) {
    Linear *p = user;
    double work[N];
    (void)x;
    memset(p->lu, 0, sizeof p->lu);
    for (int c = 0, adr = 0; c < p->ncone; adr += p->dim[c++]) {
        int n = p->dim[c];
        double of_a[9], of_b[9];
        tac_cone_product_jac(n, a + adr, of_a), tac_cone_product_jac(n, b + adr, of_b);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                p->lu[(adr + i) * N + adr + k] += of_b[i * n + k];
                for (int j = 0; j < N; j++)
                    p->lu[(adr + i) * N + j] += of_a[i * n + k] * p->M[(adr + k) * N + j];
            }
    }
    return tac_lu_factor(N, p->lu, p->pivot, work) < 0 ? TAC_OK : TAC_ERR_SINGULAR;
}

static void solve(void *user, const double *c, double *dx, double *da, double *db) {
    Linear *p = user;
    (void)dx;
    for (int k = 0, adr = 0; k < p->ncone; adr += p->dim[k++]) {
        double aE[3];
        tac_cone_product(p->dim[k], p->a + adr, p->E + adr, aE);
        for (int i = 0; i < p->dim[k]; i++)
            da[adr + i] = c[adr + i] + aE[i];
    }
    tac_lu_solve(N, p->lu, p->pivot, da);
    tac_dense_mulv(N, N, p->M, da, db);
    for (int i = 0; i < N; i++)
        db[i] -= p->E[i];
}

/* Of half lines alone. */
static tacStatus settle(void *user, const tacInteriorTrial *trial, double *a, double *b, double *violation) {
    for (int i = 0; i < N; i++)
        tac_pair_project_to_path(1, trial->kappa, a + i, b + i);
    return residual(user, trial->x, a, b, violation);
}

static size_t bytes_of(int n, int numbers) {
    tacArena dry = tac_arena_dry();
    tac_interior_measure(n, numbers, &dry);
    return dry.peak;
}

static tacStatus run(Linear *p, int ncone, const int *dim, double kappa, tacInterior *at) {
    static const double UNIT[N] = {1, 1, 1, 1, 1, 1};
    size_t bytes = bytes_of(0, N);
    tacArena arena;
    p->dim = dim, p->ncone = ncone;
    tac_arena_init(&arena, aligned_alloc(TAC_ARENA_ALIGN, bytes), bytes);
    tac_arena_spoil(&arena);
    tacInteriorProblem problem = {0, ncone, dim, UNIT, p, residual, factor, solve, NULL, p->way ? settle : NULL, NULL};
    tacInteriorSettings settings = {kappa, TOL_RESIDUAL, CENTRING, 60, p->polish, DBL_EPSILON, 0.95, p->way};
    for (int c = 0, adr = 0; c < ncone; adr += dim[c++])
        for (int i = 0; i < dim[c]; i++)
            at->a[adr + i] = at->b[adr + i] = i == 0;
    tacStatus status = tac_interior_solve(&problem, &settings, at, &arena);
    free(arena.base);
    return status;
}

static void draw_problem(tacDraw *d, Linear *p) {
    double B[N * N];
    draw_array(d, N * N, B), draw_array(d, N, p->q);
    tac_dense_mulbt(N, N, N, B, B, p->M);
    for (int i = 0; i < N; i++)
        p->M[i * N + i] += 0.1;
}

/* Both inside their cones, E = 0, and a o b = kappa e, recomputed here. */
static void check_point(const Linear *p, const tacInterior *at, double kappa) {
    double want[N], w[3];
    tac_dense_mulv(N, N, p->M, at->a, want);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(at->b[i], want[i] + p->q[i], 10 * TOL_RESIDUAL);
    for (int c = 0, adr = 0; c < p->ncone; adr += p->dim[c++]) {
        CHECK(tac_cone_margin(p->dim[c], at->a + adr) > 0 && tac_cone_margin(p->dim[c], at->b + adr) > 0);
        tac_cone_product(p->dim[c], at->a + adr, at->b + adr, w);
        for (int i = 0; i < p->dim[c]; i++)
            CHECK_NEAR(w[i] / kappa, i == 0, 2 * CENTRING);
    }
}

/* The same points, down to rounding. */
static void polish_ends_at_rounding(void **state) {
    (void)state;
    static const int MIXED[4] = {1, 3, 1, 1};
    tacDraw d = {43, 0};
    double rough = 0, fine = 0;
    for (int k = 0; k < 20; k++) {
        Linear p = {.polish = 0};
        double a[N], b[N];
        tacInterior at = {.a = a, .b = b};
        draw_problem(&d, &p);
        for (p.polish = 0; p.polish <= 5; p.polish += 5) {
            CHECK_INT(run(&p, 4, MIXED, 1e-3, &at), TAC_OK);
            check_point(&p, &at, 1e-3);
            double *worst = p.polish ? &fine : &rough;
            *worst = at.centring > *worst ? at.centring : *worst;
        }
    }
    CHECK_LT(fine, TOL_POLISHED);
    CHECK(rough > 1e3 * TOL_POLISHED);
}

static void orthants_and_cones(void **state) {
    (void)state;
    static const int ORTHANT[N] = {1, 1, 1, 1, 1, 1}, CONES[2] = {3, 3}, MIXED[4] = {1, 3, 1, 1};
    tacDraw d = {41, 0};
    int most = 0;
    for (int k = 0; k < 150; k++) {
        Linear p = {.polish = 0};
        double a[N], b[N], kappa = k % 2 ? 1e-10 : 1e-3;
        tacInterior at = {.a = a, .b = b};
        draw_problem(&d, &p);
        const int *dim = k % 3 == 0 ? ORTHANT : k % 3 == 1 ? CONES : MIXED;
        CHECK_INT(run(&p, k % 3 == 0 ? 6 : k % 3 == 1 ? 2 : 4, dim, kappa, &at), TAC_OK);
        check_point(&p, &at, kappa);
        most = at.iterations > most ? at.iterations : most;
    }
    CHECK(most > 3 && most <= 20);
}

/* Both ways lead to the one point of the path; of the second most do. */
static void path_leads_to_the_same_point(void **state) {
    (void)state;
    static const int ORTHANT[N] = {1, 1, 1, 1, 1, 1};
    tacDraw d = {44, 0};
    int most = 0, solved = 0;
    for (int k = 0; k < 100; k++) {
        Linear p = {.polish = 3};
        double a[N], b[N], want[N], kappa = k % 2 ? 1e-10 : 1e-3;
        tacInterior at = {.a = a, .b = b};
        draw_problem(&d, &p);
        CHECK_INT(run(&p, 6, ORTHANT, kappa, &at), TAC_OK);
        memcpy(want, a, sizeof want);
        p.way = TAC_ALONG_PATH;
        if (run(&p, 6, ORTHANT, kappa, &at) != TAC_OK) continue; /* it may go in circles */
        solved++;
        check_point(&p, &at, kappa);
        CHECK_ARRAY(N, a, want, TOL_SAME);
        most = at.iterations > most ? at.iterations : most;
    }
    CHECK(most > 2 && most <= 15 && solved >= 95);
}

/* M = 1: a is the projection of -q onto the cone. */
static void projection_on_a_cone(void **state) {
    (void)state;
    static const int DIM[2] = {3, 3};
    Linear p = {.q = {-1, -2, 0, 1, -2, 0}};
    for (int i = 0; i < N; i++)
        p.M[7 * i] = 1;
    double a[N], b[N], want[N] = {1.5, 1.5, 0, 0.5, 0.5, 0}; /* (|y| + y_0)/2 (1, y/|y|) of y = (1; 2, 0), (-1; 2, 0) */
    tacInterior at = {.a = a, .b = b};
    CHECK_INT(run(&p, 2, DIM, 1e-12, &at), TAC_OK);
    CHECK_ARRAY(N, a, want, TOL_ANSWER);
}

/* b = -1 - 0 a has no answer: the best point and its violation come back. */
static void no_answer_is_a_status(void **state) {
    (void)state;
    static const int ORTHANT[N] = {1, 1, 1, 1, 1, 1};
    Linear p = {.q = {-1, -1, -1, -1, -1, -1}};
    tacIteration trace[3] = {{0}};
    double a[N], b[N];
    tacInterior at = {.a = a, .b = b, .trace = trace, .max_trace = 3};
    CHECK_INT(run(&p, 6, ORTHANT, 1e-8, &at), TAC_ERR_UNSOLVED);
    CHECK(at.violation > 0.1 && isfinite(at.violation));
    CHECK(at.iterations > 1 && trace[0].residual > 0);
    for (int i = 0; i < N; i++)
        CHECK(isfinite(a[i]) && isfinite(b[i]));
}

/* --- Products that do not fall ------------------------------------------------------------------------------------ */

static tacStatus nothing_is_off(void *user, const double *x, const double *a, const double *b, double *violation) {
    (void)user, (void)x, (void)a, (void)b;
    *violation = 0;
    return TAC_OK;
}

static tacStatus factor_nothing(void *user, const double *x, const double *a, const double *b) {
    (void)user, (void)x, (void)a, (void)b;
    return TAC_OK;
}

static void stay(void *user, const double *c, double *dx, double *da, double *db) {
    (void)user, (void)c;
    *dx = *da = *db = 0;
}

/* E is zero and every step is whole, but leads nowhere: the search says so after a few, and does not take all systems
 * there are. */
static void products_that_stay_end_it(void **state) {
    (void)state;
    size_t bytes = bytes_of(1, 1);
    const int dim = 1;
    const double unit = 1;
    double x = 0, a = 1, b = 1;
    tacArena arena;
    tac_arena_init(&arena, aligned_alloc(TAC_ARENA_ALIGN, bytes), bytes);
    tacInteriorProblem problem = {.n = 1,
                                  .ncone = 1,
                                  .dim = &dim,
                                  .unit = &unit,
                                  .residual = nothing_is_off,
                                  .factor = factor_nothing,
                                  .solve = stay};
    tacInteriorSettings settings = {1e-8, 1e-9, 1e-3, 200, 0, 0, 0.9, 0};
    tacInterior at = {.x = &x, .a = &a, .b = &b};
    CHECK_INT(tac_interior_solve(&problem, &settings, &at, &arena), TAC_ERR_UNSOLVED);
    CHECK_INT(at.end, TAC_END_STALLED);
    CHECK(at.iterations <= 8);
    free(arena.base);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orthants_and_cones),           cmocka_unit_test(polish_ends_at_rounding),
        cmocka_unit_test(path_leads_to_the_same_point), cmocka_unit_test(products_that_stay_end_it),
        cmocka_unit_test(projection_on_a_cone),         cmocka_unit_test(no_answer_is_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
