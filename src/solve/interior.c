#include "solve/interior_run.h"

#include "base/error.h"
#include "math/cone.h"
#include "math/scalar.h"

/* Largest share of the way to the border of a second-order cone that a step takes; [Howell2022, algorithm 2] */
#define SHARE_CURVED 0.99
/* If the mean product is within this factor of kappa, the step aims at kappa without a predictor. */
#define NEAR_TARGET 3.0
/* The corrector aims at least at the mean product times this share of what the predictor falls short of a full step. */
#define LEAST_SIGMA 0.3
/* Least length of a predictor whose second-order term is used. */
#define SECOND_ORDER_REACH 0.5
/* Where E is below this share of that at the start, falling products count as progress. */
#define STALL_SMALL 1e-3
/* Geometric share of the first systems. */
#define GEOMETRIC_FIRST 0.5
/* A search that ends with E below this share of that at the start continues along the path. */
#define FOLLOW_FROM 1e-2
/* A further step at the solution is at most this share of the one before: less than that leaves rounding alone. After
 * one as small as POLISH_END nothing is left: in this measure Newton's next step is about the square of the last. */
#define POLISH_SHRINKS 0.5
#define POLISH_END     1e-8

/* --- Cones -------------------------------------------------------------------------------------------------------- */

/* Longest step, at most 1, that takes the given shares of the way to the borders of half lines and of second-order
 * cones. */
static double cone_search(const tacInteriorRun *r, double share, double share_curved) {
    double alpha = 1;
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        double reach = tac_min(tac_cone_reach(r->p->dim[c], r->at->a + adr, r->da + adr),
                               tac_cone_reach(r->p->dim[c], r->at->b + adr, r->db + adr));
        alpha = tac_min(alpha, (r->p->dim[c] > 1 ? share_curved : share) * reach);
    }
    return alpha;
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* The predictor aims at kappa = 0; its length decides what the corrector aims at   [Howell2022, eqs. 51-54]. *second:
 * use its second-order term. */
static double choose_kappa(const tacInteriorRun *r, int *second) {
    double mean = r->p->ncone > 0 ? tac_run_mean_product(r, 0) : 0;
    *second = 0;
    if (r->length < TAC_RUN_BLOCKED) return tac_max(TAC_RUN_RAISE * mean, r->s->kappa);
    if (mean <= NEAR_TARGET * r->s->kappa) return r->s->kappa;
    tac_run_right_side(r, 0, 0);
    r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
    double reach = cone_search(r, 1, 1), ratio = tac_clamp(tac_run_mean_product(r, reach) / mean, 0, 1);
    double sigma = tac_max(ratio * ratio * ratio, LEAST_SIGMA * (1 - reach));
    double kappa = tac_max(sigma * mean, r->s->kappa);
    *second = reach >= SECOND_ORDER_REACH && kappa > r->s->kappa;
    return kappa;
}

/* 1: the last steps made no progress. `before`, `centring`: violations before the last step. Where E is small, falling
 * products are progress; where E is within its tolerance, they must fall. */
static int stalls(tacInteriorRun *r, double before, double centring) {
    int slot = r->at->iterations % TAC_STALL_WINDOW;
    double then = r->past[slot], products = r->past_centring[slot], now = r->at->violation;
    r->past[slot] = before;
    r->past_centring[slot] = centring;
    int stuck = r->at->centring > TAC_RUN_STALL * products;
    if (r->at->iterations <= TAC_STALL_WINDOW) return 0;
    if (now <= r->s->residual) return stuck;
    return now > TAC_RUN_STALL * then && (stuck || now > STALL_SMALL * r->first_violation);
}

/* Shortens the step until E is no larger, or small, or the products are closer to the path. Returns its length; 0: E is
 * undefined at all trial points. */
static double line_search(tacInteriorRun *r, double alpha) {
    double violation = tac_max(r->at->violation, TAC_RUN_SMALL * r->first_violation), centring = r->at->centring,
           found = 0;
    for (int k = 0; k <= TAC_RUN_MAX_SHORTENINGS; k++, alpha *= TAC_RUN_SHORTEN) {
        double now;
        tac_run_set_trial(r, alpha);
        if (r->p->residual(r->p->user, r->trial_x, r->trial_a, r->trial_b, &now) != TAC_OK || !tac_finite(now))
            continue;
        tac_run_note_residual(r, now);
        r->at->centring = tac_run_off_centre(r, r->trial_a, r->trial_b) / r->s->kappa;
        found = alpha;
        if (now <= violation || r->at->centring < centring) break;
    }
    return found;
}

/* 1: E is small enough to continue along the path. */
static int may_follow(const tacInteriorRun *r) {
    return r->p->project != NULL && r->at->violation < FOLLOW_FROM * r->first_violation;
}

/* One iteration. 0: no step was possible, or the last ones made no progress. */
static int iterate(tacInteriorRun *r) {
    double violation = r->at->violation, centring = r->at->centring;
    double product = centring * r->s->kappa, worst = tac_max(violation, product);
    int second;
    tac_run_count(r);
    if (tac_run_factor(r) != TAC_OK) return tac_run_stop(r, TAC_END_SINGULAR);
    double kappa = choose_kappa(r, &second);
    tac_run_right_side(r, kappa, second);
    r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
    if (tac_first_nonfinite(r->p->n, r->dx) >= 0) return tac_run_stop(r, TAC_END_SINGULAR);
    double share = tac_max(r->s->share, 1 - worst * worst);
    double length = line_search(r, cone_search(r, share, tac_min(share, SHARE_CURVED)));
    tac_run_record(r, kappa, violation, centring, length);
    if (length == 0) return tac_run_stop(r, TAC_END_OUTSIDE);
    tac_run_accept(r);
    r->geometric_share = tac_run_next_geometric_share(r, length, violation);
    r->length = length;
    return stalls(r, violation, centring) ? tac_run_stop(r, TAC_END_STALLED) : 1;
}

/* Share of the way from y to the border of its cone that d goes, forward or back. */
static double share_of_way(int dim, const double *y, const double *d) {
    double back[TAC_INTERIOR_MAX_DIM];
    for (int k = 0; k < dim; k++)
        back[k] = -d[k];
    return 1 / tac_min(tac_cone_reach(dim, y, d), tac_cone_reach(dim, y, back));
}

static double step_size(const tacInteriorRun *r) {
    double most = 0;
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        most = tac_max(most, share_of_way(r->p->dim[c], r->at->a + adr, r->da + adr));
        most = tac_max(most, share_of_way(r->p->dim[c], r->at->b + adr, r->db + adr));
    }
    return tac_first_nonfinite(r->p->n, r->dx) < 0 ? most : TAC_INFINITY;
}

/* How a further step ended. */
typedef enum { TOOK, TOOK_LAST, REFUSED, UNDEFINED } Polish;

static int factor_to_polish(tacInteriorRun *r) {
    r->geometric_share = 1;
    tac_run_count(r);
    return tac_run_factor(r) == TAC_OK;
}

/* One further step. The factors of the last one serve again after a small step: what they leave is the product of both.
 * It is refused where rounding is all that is left of it. */
static Polish polish(tacInteriorRun *r) {
    double violation = r->at->violation, centring = r->at->centring, now;
    if (r->at->polished * r->at->polished > POLISH_END && !factor_to_polish(r)) return REFUSED;
    tac_run_right_side(r, r->s->kappa, 0);
    r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
    double size = step_size(r);
    if (!(size < 1) || !(size <= POLISH_SHRINKS * r->at->polished)) return REFUSED;
    tac_run_set_trial(r, 1);
    if (r->p->residual(r->p->user, r->trial_x, r->trial_a, r->trial_b, &now) != TAC_OK || !tac_finite(now))
        return UNDEFINED;
    tac_run_note_residual(r, now);
    r->at->centring = tac_run_off_centre(r, r->trial_a, r->trial_b) / r->s->kappa;
    tac_run_record(r, r->s->kappa, violation, centring, 1);
    tac_run_accept(r);
    r->at->polished = size;
    return size > POLISH_END ? TOOK : TOOK_LAST;
}

/* The residual at the iterate, after a trial point elsewhere. */
static tacStatus evaluate_again(const tacInteriorRun *r) {
    double violation;
    return r->p->residual(r->p->user, r->at->x, r->at->a, r->at->b, &violation);
}

/* A step that makes E smaller may leave larger errors of the products, or the other way round, where a gap is smaller
 * than the tolerance of E. The next one makes both small. So steps are judged by their own size. If they end beyond the
 * tolerances, the point before them is restored. */
tacStatus tac_run_polish(tacInteriorRun *r) {
    Polish last = TOOK;
    r->at->polished = TAC_INFINITY;
    for (int k = 0; k < r->s->polish && last == TOOK; k++)
        last = polish(r);
    if (tac_run_relative_error(r) <= 1) return last == UNDEFINED ? evaluate_again(r) : TAC_OK;
    r->at->polished = TAC_INFINITY;
    tacStatus status = tac_run_restore_best(r);
    return status == TAC_ERR_UNSOLVED ? TAC_OK : status;
}

/* Evaluates the start. */
static tacStatus begin(tacInteriorRun *r) {
    double violation;
    TAC_TRY(r->p->residual(r->p->user, r->at->x, r->at->a, r->at->b, &violation));
    if (!tac_finite(violation)) return TAC_ERR_NONFINITE;
    tac_run_note_residual(r, violation);
    r->at->centring = tac_run_off_centre(r, r->at->a, r->at->b) / r->s->kappa;
    r->at->iterations = 0;
    r->at->polished = TAC_INFINITY;
    r->first_violation = tac_max(violation, r->s->residual);
    r->first_norm = r->norm > 0 ? r->norm * r->first_violation / violation : 1;
    r->first_mean = r->p->ncone > 0 ? tac_run_mean_product(r, 0) : 0;
    r->geometric_share = GEOMETRIC_FIRST;
    r->length = 1;
    return TAC_OK;
}

/* Ends the search between the borders: continues along the path if E is small. */
static tacStatus end_search(tacInteriorRun *r) {
    int left = r->at->iterations < r->s->max_iterations;
    return left && may_follow(r) ? tac_run_follow_path(r, tac_run_mean_product(r, 0), 1) : tac_run_restore_best(r);
}

static tacStatus iterate_all(tacInteriorRun *r) {
    for (;;) {
        tac_run_keep_best(r);
        r->at->end = tac_run_relative_error(r) <= 1 ? TAC_END_SOLVED : TAC_END_ITERATIONS;
        if (r->at->end == TAC_END_SOLVED) return r->s->polish > 0 ? tac_run_polish(r) : TAC_OK;
        if (r->at->iterations >= r->s->max_iterations || !iterate(r)) return end_search(r);
    }
}

static tacStatus search(tacInteriorRun *r) {
    TAC_TRY(begin(r));
    return r->s->way != TAC_BETWEEN_BORDERS && r->p->project != NULL ? tac_run_follow_path(r, r->first_mean, 0)
                                                                     : iterate_all(r);
}

static int count_numbers(const tacInteriorProblem *p) {
    int numbers = 0;
    for (int c = 0; c < p->ncone; c++)
        numbers += p->dim[c];
    return numbers;
}

tacStatus tac_interior_solve(const tacInteriorProblem *problem, const tacInteriorSettings *settings, tacInterior *point,
                             tacArena *arena) {
    tacInteriorRun run = {.p = problem, .s = settings, .at = point, .best = TAC_INFINITY};
    TAC_SCOPE(arena);
    if (!tac_run_layout(&run, problem->n, count_numbers(problem), arena)) return TAC_ERR_ARENA_FULL;
    return search(&run);
}

tacStatus tac_interior_polish(const tacInteriorProblem *problem, const tacInteriorSettings *settings,
                              tacInterior *point, tacArena *arena) {
    tacInteriorRun run = {.p = problem, .s = settings, .at = point, .best = TAC_INFINITY};
    TAC_SCOPE(arena);
    if (!tac_run_layout(&run, problem->n, count_numbers(problem), arena)) return TAC_ERR_ARENA_FULL;
    point->iterations = 0;
    tac_run_keep_best(&run);
    return tac_run_polish(&run);
}

void tac_interior_measure(int n, int numbers, tacArena *dry) {
    TAC_SCOPE(dry);
    tacInteriorRun run = {0};
    tac_run_layout(&run, n, numbers, dry);
}
