#include "solve/interior_run.h"

#include "base/error.h"
#include "math/cone.h"
#include "math/scalar.h"

#include <float.h>

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

/* Newton's direction towards the point of the path at `to`, with the predictor's second-order term if asked. 0: there
 * is none. */
static int find_direction(tacInteriorRun *r, double to, int second) {
    if (r->on_path)
        tac_path_right_side(r, to);
    else
        tac_run_right_side(r, to, second);
    return tac_run_find_direction(r);
}

/* The predictor aims at kappa = 0. Its length, and what it would leave of the products, decide what the corrector aims
 * at   [Howell2022, eqs. 51-54]. *second: use its second-order term. */
static double choose_kappa(tacInteriorRun *r, int *second) {
    double mean = r->on_path ? r->kappa : r->p->ncone > 0 ? tac_run_mean_product(r, 0) : 0;
    *second = 0;
    if (r->length < TAC_BLOCKED) return tac_max(TAC_GROWTH * mean, r->s->kappa);
    if (mean <= r->s->kappa || !find_direction(r, 0, 0)) return r->s->kappa;
    double reach = cone_search(r, 1, 1), ratio = tac_clamp(tac_run_mean_product(r, reach) / mean, 0, 1);
    double sigma = tac_max(ratio * ratio * ratio, TAC_LEAST_SIGMA * (1 - reach));
    double kappa = tac_max(sigma * mean, r->s->kappa);
    *second = !r->on_path && reach >= TAC_SECOND_ORDER_REACH && kappa > r->s->kappa;
    return kappa;
}

/* Shortens the step until E is no larger, or the products are closer to the path. Returns its length; 0: E is
 * undefined at all trial points. */
static double line_search(tacInteriorRun *r, double alpha) {
    double violation = r->at->violation, centring = r->at->centring, found = 0;
    for (int k = 0; k <= TAC_MAX_SHORTENINGS; k++, alpha *= 0.5) {
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

/* Length of a step inside the cones: closer to the border the smaller the errors are. */
static double step_inside(tacInteriorRun *r) {
    double worst = tac_max(r->at->violation, r->at->centring * r->s->kappa);
    double share = tac_max(r->s->share, 1 - worst * worst);
    return line_search(r, cone_search(r, share, tac_min(share, TAC_SHARE_CURVED)));
}

/* 1: the last steps made no progress. Between the borders falling products are progress where E is small, and must fall
 * where E is within its tolerance. */
static int stalls(tacInteriorRun *r) {
    int slot = r->steps++ % TAC_STALL_WINDOW;
    double then = r->past[slot], products = r->past_centring[slot];
    double now = r->past[slot] = r->on_path ? tac_path_merit(r, r->kappa) : r->at->violation;
    r->past_centring[slot] = r->at->centring;
    if (r->steps <= TAC_STALL_WINDOW || r->s->way == TAC_ALONG_PATH_PATIENTLY) return 0;
    if (r->on_path) return now > TAC_PROGRESS * then;
    int stuck = r->at->centring > TAC_PROGRESS * products;
    if (now <= r->s->residual) return stuck;
    return now > TAC_PROGRESS * then && (stuck || now > TAC_SMALL_RESIDUAL * r->first_violation);
}

/* --- The loop ----------------------------------------------------------------------------------------------------- */

/* One iteration. 0: no step was possible. */
static int iterate(tacInteriorRun *r) {
    double violation = r->at->violation, centring = r->at->centring;
    int second = 0;
    tac_run_count(r);
    if (tac_run_factor(r) != TAC_OK) return tac_run_stop(r, TAC_END_SINGULAR);
    double to = choose_kappa(r, &second);
    if (!find_direction(r, to, second)) return tac_run_stop(r, TAC_END_SINGULAR);
    double length = r->on_path ? tac_path_line_search(r, to) : step_inside(r);
    tac_run_record(r, to, violation, centring, length);
    if (length == 0) return tac_run_stop(r, TAC_END_OUTSIDE);
    tac_run_accept(r);
    if (r->on_path) tac_path_note_step(r, length, to, violation);
    r->geometric_share = tac_run_next_geometric_share(r, length, violation);
    r->length = length;
    return 1;
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

/* One further step. Newton's next one would be about the square of it. It is refused where rounding is all that is left
 * of it. */
static Polish polish(tacInteriorRun *r) {
    double violation = r->at->violation, centring = r->at->centring, now;
    if (!factor_to_polish(r)) return REFUSED;
    tac_run_right_side(r, r->s->kappa, 0);
    tac_run_find_direction(r);
    double size = step_size(r);
    if (!(size < 1) || !(size <= TAC_PROGRESS * r->at->polished)) return REFUSED;
    tac_run_set_trial(r, 1);
    if (r->p->residual(r->p->user, r->trial_x, r->trial_a, r->trial_b, &now) != TAC_OK || !tac_finite(now))
        return UNDEFINED;
    tac_run_note_residual(r, now);
    r->at->centring = tac_run_off_centre(r, r->trial_a, r->trial_b) / r->s->kappa;
    tac_run_record(r, r->s->kappa, violation, centring, 1);
    tac_run_accept(r);
    r->at->polished = size;
    return size * size > r->s->polished ? TOOK : TOOK_LAST;
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
    r->geometric_share = TAC_GEOMETRIC_SHARE;
    r->on_path = r->again = r->steps = 0;
    r->length = 1;
    return TAC_OK;
}

/* 1: goes on along the path, where steps between the borders have left a small E and end. */
static int may_follow(tacInteriorRun *r) {
    if (r->on_path || r->p->project == NULL || r->at->iterations >= r->s->max_iterations) return 0;
    if (!(r->at->violation < TAC_SMALL_RESIDUAL * r->first_violation)) return 0;
    if (evaluate_again(r) != TAC_OK) return 0; /* the last trial point may be where E is undefined */
    tac_path_begin(r, tac_run_mean_product(r, 0));
    return 1;
}

static tacStatus search(tacInteriorRun *r) {
    TAC_TRY(begin(r));
    if (r->s->way != TAC_BETWEEN_BORDERS && r->p->project != NULL) tac_path_begin(r, r->first_mean);
    for (;;) {
        tac_run_keep_best(r);
        r->at->end = tac_run_relative_error(r) <= 1 ? TAC_END_SOLVED : TAC_END_ITERATIONS;
        if (r->at->end == TAC_END_SOLVED) return r->s->polish > 0 ? tac_run_polish(r) : TAC_OK;
        if (r->again && tac_path_step_again(r)) continue;
        int left = r->at->iterations < r->s->max_iterations;
        if (left && stalls(r)) left = tac_run_stop(r, TAC_END_STALLED);
        if (!(left && iterate(r)) && !may_follow(r)) return tac_run_restore_best(r);
    }
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
