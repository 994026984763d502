#include "tactus/problem.h"

#include "base/error.h"
#include "math/scalar.h"
#include "solve/boxed.h"
#include "solve/cone_contact.h"

/* Largest natural-map residual of cones, relative to |q|, that counts as solved. */
#define SOLVED_CONE 1e-10
/* Limit on contacts: the bytes of a square matrix with three rows a contact still fit in a size_t. */
#define MOST_CONTACTS (1 << 26)

/* Bounds of the pyramids, and the classes of the solution. */
typedef struct Bounds {
    double *low, *high;
    int *parent, *row_class;
} Bounds;

static int layout(Bounds *b, int n, tacArena *arena) {
    b->low = TAC_TAKE(arena, n, double);
    b->high = TAC_TAKE(arena, n, double);
    b->parent = TAC_TAKE(arena, n, int);
    b->row_class = TAC_TAKE(arena, n, int);
    return b->low && b->high && b->parent && b->row_class;
}

static void measure_boxed(int ncontact, tacArena *dry) {
    TAC_SCOPE(dry);
    Bounds bounds;
    tacBoxedWork work;
    layout(&bounds, 3 * ncontact, dry);
    tac_boxed_layout(&work, 3 * ncontact, dry);
}

static void measure_cones(int ncontact, tacArena *dry) { tac_cone_contact_measure(ncontact, dry); }

size_t tac_problem_bytes(int ncontact) {
    if (ncontact < 0 || ncontact > MOST_CONTACTS) return 0;
    tacArena dry = tac_arena_dry();
    measure_boxed(ncontact, &dry);
    measure_cones(ncontact, &dry);
    return dry.peak;
}

static tacStatus check(const tacProblem *problem) {
    int count = problem->ncontact;
    if (count < 0 || count > MOST_CONTACTS) return TAC_ERR_ARGUMENT;
    if (count > 0 && (problem->W == NULL || problem->q == NULL || problem->mu == NULL)) return TAC_ERR_ARGUMENT;
    size_t n = 3 * (size_t)problem->ncontact;
    for (size_t i = 0; i < n; i++) {
        if (tac_first_nonfinite((int)n, problem->W + i * n) >= 0) return TAC_ERR_NONFINITE;
        if (!(problem->W[i * n + i] > 0)) return TAC_ERR_ARGUMENT;
    }
    if (tac_first_nonfinite((int)n, problem->q) >= 0) return TAC_ERR_NONFINITE;
    if (tac_first_nonfinite(problem->ncontact, problem->mu) >= 0) return TAC_ERR_NONFINITE;
    for (int c = 0; c < problem->ncontact; c++)
        if (problem->mu[c] < 0) return TAC_ERR_ARGUMENT;
    return TAC_OK;
}

/* Normals 0 <= f, tangents -mu f_n <= f <= mu f_n. */
static void set_bounds(const tacProblem *problem, const Bounds *b) {
    for (int i = 0; i < 3 * problem->ncontact; i++) {
        double mu = problem->mu[i / 3];
        b->parent[i] = i % 3 == 0 ? -1 : i - i % 3;
        b->low[i] = i % 3 == 0 ? 0 : -mu;
        b->high[i] = i % 3 == 0 ? TAC_INFINITY : mu;
    }
}

static tacStatus solve_boxed(const tacProblem *problem, tacArena *arena, double *reaction, double *velocity,
                             tacProblemInfo *info) {
    int n = 3 * problem->ncontact;
    tacBoxedResult result;
    Bounds b;
    if (!layout(&b, n, arena)) return TAC_ERR_ARENA_FULL;
    set_bounds(problem, &b);
    tacBoxed boxed = {n, problem->W, problem->q, b.parent, b.low, b.high, NULL, 0, 1};
    TAC_TRY(tac_boxed_solve(&boxed, arena, reaction, velocity, b.row_class, &result));
    *info = (tacProblemInfo){result.solved, result.pivots};
    return TAC_OK;
}

static tacStatus solve_cones(const tacProblem *problem, tacArena *arena, double *reaction, double *velocity,
                             tacProblemInfo *info) {
    tacConeProblem cones = {problem->ncontact, problem->W, problem->q, problem->mu};
    tacConeResult result;
    tacStatus status = tac_cone_contact_solve(&cones, arena, reaction, velocity, &result);
    *info = (tacProblemInfo){result.residual <= SOLVED_CONE, result.iterations};
    return status;
}

tacStatus tac_problem_solve(const tacProblem *problem, tacFrictionForm form, void *memory, double *reaction,
                            double *velocity, tacProblemInfo *info) {
    int known = form == TAC_FRICTION_BOX || form == TAC_FRICTION_CONE;
    if (problem == NULL || info == NULL) return TAC_ERR_ARGUMENT;
    *info = (tacProblemInfo){0};
    if (!known) return TAC_ERR_ARGUMENT;
    TAC_TRY(check(problem));
    if (memory == NULL || (problem->ncontact > 0 && (reaction == NULL || velocity == NULL))) return TAC_ERR_ARGUMENT;
    tacArena arena;
    TAC_BORROW(&arena, memory, tac_problem_bytes(problem->ncontact));
    return form == TAC_FRICTION_BOX ? solve_boxed(problem, &arena, reaction, velocity, info)
                                    : solve_cones(problem, &arena, reaction, velocity, info);
}
