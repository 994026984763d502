/* Boxed problems: solutions judged by their conditions, recomputed here. */
#include "solve/boxed.h"

#include "math/dense.h"
#include "support/check.h"
#include "tactus/tactus.h"

#include <math.h>
#include <string.h>

enum { MAX_ROWS = 80, PROBLEMS = 2000 };

/* Conditions hold to this, relative to the largest force: systems have condition numbers up to 1e5. */
static const double TOL_CONDITIONS = 1e-10;

typedef struct Problem {
    tacBoxed boxed;
    double A[MAX_ROWS * MAX_ROWS], b[MAX_ROWS], low[MAX_ROWS], high[MAX_ROWS];
    double f[MAX_ROWS], w[MAX_ROWS];
    int parent[MAX_ROWS], row_class[MAX_ROWS];
} Problem;

static unsigned char memory[1 << 20] __attribute__((aligned(64)));

static double normal(uint64_t seed, uint64_t *k) { return tac_random_normal(seed, 7, (*k)++); }

/* contacts with normal and two friction rows on `dofs` dofs, then `joints` friction-loss rows: A = J J^T + eps I */
static void draw(Problem *p, uint64_t seed, int contacts, int joints, int dofs, double mu, double eps) {
    uint64_t k = 0;
    double J[MAX_ROWS][MAX_ROWS];
    int n = 3 * contacts + joints;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < dofs; j++)
            J[i][j] = normal(seed, &k);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double a = i == j ? eps : 0;
            for (int d = 0; d < dofs; d++)
                a += J[i][d] * J[j][d];
            p->A[i * n + j] = a;
        }
        int friction = i < 3 * contacts && i % 3 != 0;
        p->b[i] = normal(seed, &k);
        p->parent[i] = friction ? i - i % 3 : -1;
        p->low[i] = friction ? -mu : i < 3 * contacts ? 0 : -0.3;
        p->high[i] = friction ? mu : i < 3 * contacts ? (double)INFINITY : 0.3;
    }
    p->boxed = (tacBoxed){n, p->A, p->b, p->parent, p->low, p->high, NULL, 1, 0};
}

/* Largest violation of w = A f + b, bounds and complementarity, in units of the largest force. */
static double violation(const Problem *p) {
    int n = p->boxed.n;
    double worst = 0, largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(p->f[i]), fabs(p->b[i]) / p->A[i * n + i]));
    for (int i = 0; i < n; i++) {
        double w = p->b[i], scale = p->parent[i] < 0 ? 1 : p->f[p->parent[i]];
        for (int j = 0; j < n; j++)
            w += p->A[i * n + j] * p->f[j];
        double lo = p->low[i] * scale, hi = p->high[i] * scale, z = p->f[i] - w / p->A[i * n + i];
        double r = fabs(p->f[i] - fmin(fmax(z, lo), hi));
        if (!(r <= worst)) worst = r;
    }
    return worst / largest;
}

static tacBoxedResult solve(Problem *p) {
    tacArena arena;
    tacBoxedResult result;
    tac_arena_init(&arena, memory, sizeof memory);
    tac_arena_spoil(&arena);
    CHECK(tac_boxed_bytes(p->boxed.n) <= sizeof memory);
    CHECK(tac_boxed_solve(&p->boxed, &arena, p->f, p->w, p->row_class, &result) == TAC_OK);
    CHECK(arena.used == 0);
    return result;
}

/* One mass m on the floor: f = (m g h, ...) sticks, slides or leaves as it must. */
static void one_block(void **state) {
    (void)state;
    Problem p;
    memset(&p, 0, sizeof p);
    double mu = 0.5;
    for (int k = 0; k < 3; k++) {
        double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        double b[3][3] = {{-1, 0.3, 0.1}, {-1, 0.8, -0.2}, {1, 0.8, 0}};
        double f[3][3] = {{1, -0.3, -0.1}, {1, -0.5, 0.2}, {0, 0, 0}};
        int parent[3] = {-1, 0, 0};
        memcpy(p.A, A, sizeof A), memcpy(p.b, b[k], sizeof b[k]), memcpy(p.parent, parent, sizeof parent);
        for (int i = 0; i < 3; i++)
            p.low[i] = i ? -mu : 0, p.high[i] = i ? mu : (double)INFINITY;
        p.boxed = (tacBoxed){3, p.A, p.b, p.parent, p.low, p.high, NULL, 1, 0};
        tacBoxedResult result = solve(&p);
        CHECK(result.solved);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(p.f[i], f[k][i], 1e-15);
    }
    CHECK(p.row_class[0] == TAC_ROW_LOW && p.row_class[1] == TAC_ROW_OFF);
}

/* Random problems of all sizes, frictions and redundancies: A is positive definite, so all have an answer. */
static void random_problems(void **state) {
    (void)state;
    static Problem p;
    int methods[7] = {0}, tried[2] = {0}, solved[2] = {0};
    double worst = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        int contacts = 1 + k % 24, redundant = k % 3 == 0, dofs = redundant ? 6 + contacts : 3 * contacts + 6;
        draw(&p, (uint64_t)k, contacts, k % 5, dofs, k % 7 ? 0.1 * (k % 11) : 0, k % 2 ? 1e-3 : 1e-5);
        tacBoxedResult result = solve(&p);
        methods[result.method]++;
        tried[redundant]++, solved[redundant] += result.solved;
        for (int i = 0; i < p.boxed.n; i++)
            CHECK(isfinite(p.f[i]));
        if (result.solved) worst = fmax(worst, violation(&p));
    }
    print_message(
        "guess %d, pivots %d, nearby %d, dantzig %d, way %d, proximal %d, sweeps %d; solved %d of %d and %d of "
        "%d; worst violation %.1e\n",
        methods[0], methods[1], methods[2], methods[3], methods[4], methods[5], methods[6], solved[0], tried[0],
        solved[1], tried[1], worst);
    CHECK_LT(worst, TOL_CONDITIONS);
    CHECK_INT(solved[0] + solved[1], PROBLEMS);
}

/* Dantzig alone goes through too, and where friction is small its answer is the same. */
static void dantzig_alone(void **state) {
    (void)state;
    static Problem p;
    static double f[MAX_ROWS];
    int through = 0, tried = 0;
    for (int k = 0; k < PROBLEMS / 4; k++) {
        tacArena arena;
        tacBoxedWork work;
        int pivots = 0, contacts = 1 + k % 10;
        draw(&p, 5000 + (uint64_t)k, contacts, k % 3, 3 * contacts + 6, k % 2 ? 0.1 : 0.7, 1e-4);
        solve(&p);
        memcpy(f, p.f, sizeof f);
        tac_arena_init(&arena, memory, sizeof memory);
        CHECK(tac_boxed_layout(&work, p.boxed.n, &arena));
        int ok = tac_boxed_dantzig(&p.boxed, &work, 1, p.f, p.w, p.row_class, &pivots);
        tried++, through += ok;
        if (!ok) continue;
        CHECK_LT(violation(&p), TOL_CONDITIONS);
        for (int i = 0; k % 2 && i < p.boxed.n; i++)
            CHECK_NEAR(p.f[i], f[i], 1e-7);
    }
    print_message("dantzig: %d of %d\n", through, tried);
    CHECK(through >= 0.98 * tried);
}

/* The way from a solved problem goes through on every problem, on each of the ways, alone; all end in an answer. */
static void path_alone(void **state) {
    (void)state;
    static Problem p;
    int through[TAC_BOXED_WAYS] = {0}, tried = PROBLEMS / 4;
    for (int k = 0; k < tried; k++) {
        int contacts = 1 + k % 20;
        draw(&p, 9000 + (uint64_t)k, contacts, k % 4, 6 + contacts, 0.1 * (k % 15), 1e-5);
        for (int way = 0; way < TAC_BOXED_WAYS; way++) {
            tacArena arena;
            tacBoxedWork work;
            int pivots = 0;
            tac_arena_init(&arena, memory, sizeof memory);
            CHECK(tac_boxed_layout(&work, p.boxed.n, &arena));
            if (!tac_boxed_path(&p.boxed, &work, way, p.f, p.w, p.row_class, &pivots)) continue;
            CHECK_LT(violation(&p), TOL_CONDITIONS);
            through[way]++;
        }
    }
    print_message("ways: %d, %d, %d of %d\n", through[0], through[1], through[2], tried);
    for (int way = 0; way < TAC_BOXED_WAYS; way++)
        CHECK(through[way] >= 0.998 * tried);
}

/* --- Methods that ask only for the answer of given classes -------------------------------------------------------- */

/* A dense matrix with weights, for the interior way. */
typedef struct Weighed {
    tacBoxedDense dense; /* first: what the other functions see */
    double lu[MAX_ROWS * MAX_ROWS], scratch[MAX_ROWS];
    int pivot[MAX_ROWS];
} Weighed;

static int weigh(void *matrix, const double *D, const double *C) {
    Weighed *w = matrix;
    const tacBoxed *problem = w->dense.problem;
    int n = problem->n;
    memcpy(w->lu, problem->A, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) {
        w->lu[i * n + i] += D[i];
        if (problem->parent[i] >= 0) w->lu[i * n + problem->parent[i]] += C[i];
    }
    return tac_lu_factor(n, w->lu, w->pivot, w->scratch) < 0;
}

static void respond(void *matrix, double *x) {
    Weighed *w = matrix;
    tac_lu_solve(w->dense.problem->n, w->lu, w->pivot, x);
}

/* From classes that a few sweeps guess, with every fifth contact let go: the way from nearby, and the interior way with
 * pivots at its end. Each alone goes through on most, and to an answer; the way from afar on all. */
static void ways_alone(void **state) {
    (void)state;
    static Problem p;
    static Weighed weighed;
    int through[3] = {0}, tried = PROBLEMS / 4;
    for (int k = 0; k < tried; k++) {
        int contacts = 1 + k % 20, n, guess[MAX_ROWS];
        draw(&p, 20000 + (uint64_t)k, contacts, k % 4, 6 + contacts, 0.1 * (k % 9), 1e-5);
        n = p.boxed.n;
        tac_boxed_guess(&p.boxed, 6, p.f, guess);
        for (int i = 0; i + 2 < 3 * contacts; i += 15)
            guess[i] = TAC_ROW_LOW, guess[i + 1] = guess[i + 2] = TAC_ROW_OFF;
        for (int way = 0; way < 3; way++) {
            tacArena arena;
            tacBoxedWork work;
            int pivots = 0, ok;
            tac_arena_init(&arena, memory, sizeof memory);
            tac_arena_spoil(&arena);
            CHECK(tac_boxed_layout(&work, n, &arena));
            memcpy(p.row_class, guess, (size_t)n * sizeof(int));
            weighed.dense = (tacBoxedDense){&p.boxed, &work};
            tacBoxedRun run = tac_boxed_dense_run(&weighed.dense, p.f, p.w, p.row_class, &pivots);
            run.form.weigh = weigh, run.form.respond = respond;
            if (way == 0)
                ok = tac_boxed_nearby(&run);
            else if (way == 2)
                ok = tac_boxed_distant(&run, k % TAC_BOXED_WAYS);
            else
                ok = tac_boxed_interior(&run) && tac_boxed_pivot(&run, 1, TAC_BOXED_PATIENCE);
            if (!ok) continue;
            CHECK_LT(violation(&p), TOL_CONDITIONS);
            through[way]++;
        }
    }
    print_message("from nearby: %d; interior: %d; from afar: %d; of %d\n", through[0], through[1], through[2], tried);
    CHECK(through[0] >= 0.95 * tried && through[1] >= 0.95 * tried);
    CHECK_INT(through[2], tried);
}

/* A tangent that hardly anything moves would take b/A = 1e9 to stop; it has mu f_n, and the others' conditions hold to
 * what forces there are. */
static void unmoved_row(void **state) {
    (void)state;
    static Problem p;
    for (int k = 0; k < PROBLEMS / 10; k++) {
        double largest = 0, worst = 0;
        draw(&p, 30000 + (uint64_t)k, 12, 0, 18, 0.7, 1e-5);
        int n = p.boxed.n;
        for (int j = 0; j < n; j++)
            p.A[1 * n + j] = p.A[j * n + 1] = 0;
        p.A[1 * n + 1] = 1e-9, p.b[1] = 1;
        CHECK(solve(&p).solved);
        for (int i = 0; i < n; i++)
            largest = fmax(largest, fabs(p.f[i]));
        for (int i = 0; i < n; i += 3) /* normals: f >= 0, w >= 0, f w = 0 */
            worst = fmax(worst, fabs(p.f[i] - fmax(p.f[i] - p.w[i] / p.A[i * n + i], 0)));
        CHECK_LT(worst, TOL_CONDITIONS * largest);
    }
}

/* Rows without bounds beside contacts: always free, w = 0. */
static void equalities(void **state) {
    (void)state;
    static Problem p;
    double worst = 0;
    for (int k = 0; k < PROBLEMS / 4; k++) {
        int contacts = 1 + k % 12, ties = 1 + k % 7, n = 3 * contacts + ties;
        draw(&p, 20000 + (uint64_t)k, contacts, ties, k % 2 ? n + 3 : ties + contacts + 3, 0.1 * (k % 11), 1e-5);
        for (int i = 3 * contacts; i < n; i++)
            p.low[i] = -(double)INFINITY, p.high[i] = (double)INFINITY;
        CHECK(solve(&p).solved);
        for (int i = 3 * contacts; i < n; i++)
            CHECK_INT(p.row_class[i], TAC_ROW_FREE);
        worst = fmax(worst, violation(&p));
    }
    print_message("equalities: worst violation %.1e\n", worst);
    CHECK_LT(worst, TOL_CONDITIONS);
}

/* Row `to` of A and b becomes the same as row `from`: what one asks the other asks again. */
static void repeat_row(Problem *p, int from, int to) {
    int n = p->boxed.n;
    for (int j = 0; j < n; j++)
        p->A[to * n + j] = p->A[from * n + j];
    for (int j = 0; j < n; j++)
        p->A[j * n + to] = p->A[j * n + from];
    p->b[to] = p->b[from];
}

/* The same equality twice, no compliance: A is singular, the force is shared evenly, and w as if it were there once. */
static void redundant_equalities(void **state) {
    (void)state;
    static Problem p;
    for (int k = 0; k < PROBLEMS / 8; k++) {
        int contacts = 1 + k % 8, n = 3 * contacts + 3;
        draw(&p, 30000 + (uint64_t)k, contacts, 3, n + 6, 0.1 * (k % 9), 0);
        for (int i = 3 * contacts; i < n; i++)
            p.low[i] = -(double)INFINITY, p.high[i] = (double)INFINITY;
        repeat_row(&p, n - 2, n - 1);
        CHECK(solve(&p).solved);
        CHECK_LT(violation(&p), TOL_CONDITIONS);
        CHECK_NEAR(p.f[n - 1], p.f[n - 2], 1e-6 * (1 + fabs(p.f[n - 2])));
    }
}

/* Two equalities that contradict each other: no answer; finite forces, and it says so. */
static void contradiction(void **state) {
    (void)state;
    static Problem p;
    draw(&p, 40000, 2, 2, 20, 0.5, 0);
    for (int i = 6; i < 8; i++)
        p.low[i] = -(double)INFINITY, p.high[i] = (double)INFINITY;
    repeat_row(&p, 6, 7);
    p.b[7] += 1;
    tacBoxedResult result = solve(&p);
    CHECK(!result.solved && isfinite(result.residual) && result.residual > TOL_CONDITIONS);
    for (int i = 0; i < p.boxed.n; i++)
        CHECK(isfinite(p.f[i]));
}

/* A rod that jams (Painleve): friction pushes the normal harder than it holds it. With A definite there is an answer
 * all the same; with A = 0 in the normal's row and friction against it there is none. */
static void jamming(void **state) {
    (void)state;
    Problem p;
    memset(&p, 0, sizeof p);
    double A[4] = {1, -2, -2, 4.1}, b[2] = {-1, 1};
    int parent[2] = {-1, 0};
    memcpy(p.A, A, sizeof A), memcpy(p.b, b, sizeof b), memcpy(p.parent, parent, sizeof parent);
    p.low[1] = -1, p.high[0] = (double)INFINITY, p.high[1] = 1;
    p.boxed = (tacBoxed){2, p.A, p.b, p.parent, p.low, p.high, NULL, 1, 0};
    CHECK(solve(&p).solved);
    CHECK_LT(violation(&p), TOL_CONDITIONS);
    /* an indefinite matrix: at the bound -1 the normal's own answer is 1 - 2 < 0, whatever the force */
    double indefinite[4] = {1, 2, 2, 0.1};
    memcpy(p.A, indefinite, sizeof indefinite);
    p.b[1] = 100;
    tacBoxedResult result = solve(&p);
    CHECK(isfinite(p.f[0]) && isfinite(p.f[1]) && isfinite(result.residual));
    CHECK(result.solved == (violation(&p) < TOL_CONDITIONS));
}

/* Without friction the tangents have no force, and the side that they would push from is told by w. One guess does. */
static void no_friction(void **state) {
    (void)state;
    static Problem p;
    int pivots = 0, most = 0;
    for (int k = 0; k < PROBLEMS / 8; k++) {
        int contacts = 1 + k % 12;
        draw(&p, 50000 + (uint64_t)k, contacts, 0, 3 * contacts + 6, 0, 1e-5);
        tacBoxedResult result = solve(&p);
        CHECK(result.solved && result.method <= TAC_BOXED_PIVOT);
        pivots += result.pivots, most += result.pivots > 4;
        for (int i = 0; i < p.boxed.n; i++) {
            if (i % 3 == 0 || p.row_class[i] == TAC_ROW_OFF) continue;
            CHECK_INT(p.row_class[i], p.w[i] > 0 ? TAC_ROW_LOW : TAC_ROW_HIGH);
            CHECK(p.f[i] == 0);
        }
    }
    print_message("no friction: %.2f systems a problem, more than four %d times\n", pivots / (PROBLEMS / 8.0), most);
    CHECK(most <= PROBLEMS / 80);
}

/* The same bits again, and from a dirty workspace (solve fills it). */
static void repeats(void **state) {
    (void)state;
    static Problem p;
    static double f[MAX_ROWS];
    draw(&p, 99, 8, 2, 20, 0.6, 1e-5);
    solve(&p);
    memcpy(f, p.f, sizeof f);
    solve(&p);
    CHECK(memcmp(f, p.f, (size_t)p.boxed.n * sizeof f[0]) == 0);
    p.boxed.n = 0;
    CHECK(solve(&p).solved);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block),  cmocka_unit_test(random_problems),      cmocka_unit_test(dantzig_alone),
        cmocka_unit_test(path_alone), cmocka_unit_test(ways_alone),           cmocka_unit_test(unmoved_row),
        cmocka_unit_test(equalities), cmocka_unit_test(redundant_equalities), cmocka_unit_test(contradiction),
        cmocka_unit_test(jamming),    cmocka_unit_test(no_friction),          cmocka_unit_test(repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
