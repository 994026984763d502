/* Boxed problems: parts that all methods share, and the order in which the methods are tried. */
#include "solve/boxed.h"

#include "math/scalar.h"

/* Limit on the sweeps from zero that guess the classes. */
#define GUESS_SWEEPS 3
/* Largest problem for Dantzig's method. On larger ones it rarely succeeds, and it costs as much as the path, which
 * does. */
#define DANTZIG_ROWS 32
/* Sweeps if nothing else succeeds. */
#define LAST_SWEEPS 2000

/* --- Memory ------------------------------------------------------------------------------------------------------- */

int tac_boxed_track_layout(tacBoxedTrack *track, int n, tacArena *arena) {
    double **reals[] = {&track->wrong, &track->cover, &track->slope, &track->w_slope,
                        &track->z,     &track->y,     &track->dz,    &track->dy};
    int ok = 1;
    for (int k = 0; k < 8; k++)
        ok &= (*reals[k] = TAC_TAKE(arena, n, double)) != NULL;
    track->wanted = TAC_TAKE(arena, n, int);
    track->best = TAC_TAKE(arena, n, int);
    track->mark = TAC_TAKE(arena, n, int);
    return ok && track->wanted && track->best && track->mark;
}

int tac_boxed_layout(tacBoxedWork *work, int n, tacArena *arena) {
    work->rhs = TAC_TAKE(arena, n, double);
    work->scratch = TAC_TAKE(arena, n, double);
    work->table = TAC_TAKE(arena, (size_t)n * ((size_t)n + 2), double);
    work->matrix = work->table;
    work->change = TAC_TAKE(arena, n + 2, double);
    work->base = TAC_TAKE(arena, n, double);
    work->cover = TAC_TAKE(arena, n, double);
    work->shift = TAC_TAKE(arena, n, double);
    work->near_shift = TAC_TAKE(arena, n, double);
    work->near_b = TAC_TAKE(arena, n, double);
    work->row = TAC_TAKE(arena, n, int);
    work->place = TAC_TAKE(arena, n, int);
    work->pivot = TAC_TAKE(arena, n, int);
    work->part = TAC_TAKE(arena, (size_t)n * (size_t)n, double);
    work->part_row = TAC_TAKE(arena, 5 * (size_t)n, double);
    work->part_class = TAC_TAKE(arena, 4 * (size_t)n, int);
    return tac_boxed_track_layout(&work->track, n, arena) && work->rhs && work->scratch && work->table &&
           work->change && work->base && work->cover && work->shift && work->near_shift && work->near_b && work->row &&
           work->place && work->pivot && work->part && work->part_row && work->part_class;
}

size_t tac_boxed_bytes(int n) {
    tacArena dry = tac_arena_dry();
    tacBoxedWork work;
    tac_boxed_layout(&work, n, &dry);
    return dry.peak;
}

/* --- Residuals and tolerances ------------------------------------------------------------------------------------- */

double tac_boxed_residual(const tacBoxed *problem, const double *f, const double *w) {
    double worst = 0;
    for (int i = 0; i < problem->n; i++) {
        double lo, hi, z = f[i] - w[i] / tac_boxed_diagonal(problem, i);
        tac_boxed_bounds(problem, f, i, &lo, &hi);
        double r = tac_abs(f[i] - tac_min(tac_max(z, lo), hi));
        if (!(r <= worst)) worst = r;
    }
    return worst;
}

double tac_boxed_alone(const tacBoxed *problem) {
    double largest = 0;
    for (int i = 0; i < problem->n; i++) {
        if (problem->parent[i] >= 0) continue;
        double z = -problem->b[i] / tac_boxed_diagonal(problem, i);
        largest = tac_max(largest, tac_abs(tac_min(tac_max(z, problem->low[i]), problem->high[i])));
    }
    return largest;
}

double tac_boxed_largest(const tacBoxed *problem, const double *f) {
    double largest = tac_boxed_alone(problem);
    for (int i = 0; i < problem->n; i++)
        largest = tac_max(largest, tac_abs(f[i]));
    return largest;
}

double tac_boxed_tolerance(const tacBoxed *problem, const double *f) {
    return TAC_BOXED_ROUNDING * tac_min(tac_boxed_largest(problem, f), TAC_BOXED_MOST_FORCE);
}

/* --- All methods, one after another ------------------------------------------------------------------------------ */

/* Classifies each row by the place of f - w/A_ii relative to its bounds. */
void tac_boxed_classify(const tacBoxed *problem, const double *f, const double *w, int *row_class) {
    for (int i = 0; i < problem->n; i++) {
        int p = problem->parent[i];
        double lo, hi, z = f[i] - w[i] / tac_boxed_diagonal(problem, i);
        tac_boxed_bounds(problem, f, i, &lo, &hi);
        row_class[i] = z <= lo ? TAC_ROW_LOW : z >= hi ? TAC_ROW_HIGH : TAC_ROW_FREE;
        if (p >= 0 && row_class[p] != TAC_ROW_FREE) row_class[i] = TAC_ROW_OFF;
    }
}

static int good_enough(const tacBoxed *problem, const double *f, const double *w, tacBoxedResult *result) {
    result->residual = tac_boxed_residual(problem, f, w);
    return result->residual <= tac_boxed_tolerance(problem, f);
}

/* Sweeps from zero, and the classes that they suggest. */
static void sweep(const tacBoxed *problem, int count, double *f, double *w, int *row_class) {
    for (int i = 0; i < problem->n; i++)
        f[i] = 0;
    tac_boxed_sweep(problem, count, f, w);
    tac_boxed_classify(problem, f, w, row_class);
}

/* Dantzig's method. If it cycles, the path from a solved problem. */
static int follow(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class,
                  tacBoxedResult *result) {
    result->method = TAC_BOXED_DANTZIG;
    if (problem->n <= DANTZIG_ROWS && tac_boxed_dantzig(problem, work, 1, f, w, row_class, &result->pivots) &&
        good_enough(problem, f, w, result))
        return 1;
    result->method = TAC_BOXED_PATH;
    for (int way = 0; way < TAC_BOXED_WAYS; way++)
        if (tac_boxed_path(problem, work, way, f, w, row_class, &result->pivots) && good_enough(problem, f, w, result))
            return 1;
    return 0;
}

/* Tries the limit of definite problems. If that fails, sweeps, which redundant rows do not disturb. If redundant rows
 * are known to exist, sweeps come first: on large problems they are cheaper. */
static int approach(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class,
                    tacBoxedResult *result) {
    result->method = TAC_BOXED_SWEEP;
    sweep(problem, problem->semidefinite ? LAST_SWEEPS : GUESS_SWEEPS, f, w, row_class);
    if (problem->semidefinite && good_enough(problem, f, w, result)) return 1;
    result->method = TAC_BOXED_PROXIMAL;
    if (tac_boxed_proximal(problem, work, f, w, row_class, &result->pivots) && good_enough(problem, f, w, result))
        return 1;
    result->method = TAC_BOXED_SWEEP;
    sweep(problem, LAST_SWEEPS, f, w, row_class);
    return good_enough(problem, f, w, result);
}

/* Returns 1 when one of the methods solves the problem. */
static int try_methods(const tacBoxed *problem, tacBoxedWork *work, double *f, double *w, int *row_class,
                       tacBoxedResult *result) {
    tac_boxed_guess(problem, GUESS_SWEEPS, f, row_class);
    int solved = tac_boxed_part(problem, work, f, w, row_class, result) && good_enough(problem, f, w, result);
    if (solved || (!problem->semidefinite && follow(problem, work, f, w, row_class, result))) return 1;
    return approach(problem, work, f, w, row_class, result);
}

tacStatus tac_boxed_solve(const tacBoxed *problem, tacArena *arena, double *f, double *w, int *row_class,
                          tacBoxedResult *result) {
    TAC_SCOPE(arena);
    tacBoxedWork work;
    *result = (tacBoxedResult){TAC_BOXED_GUESS, 1, 0, 0};
    if (problem->n == 0) return TAC_OK;
    if (!tac_boxed_layout(&work, problem->n, arena)) return TAC_ERR_ARENA_FULL;
    result->solved = try_methods(problem, &work, f, w, row_class, result);
    return TAC_OK;
}
