#include "solve/interior.h"

#include "math/cone.h"
#include "math/scalar.h"

#include <string.h>

/* Share of the way to the border that a step takes at most in second-order cones; [Howell2022, algorithm 2] */
#define SHARE_CURVED 0.99
/* A step that makes neither violation smaller is shortened by this factor, at most so often. */
#define SHORTEN         0.5
#define MAX_SHORTENINGS 10
/* E below this share of that at the start may grow: stiff pairs leave so much of a step to rounding, and the next step
 * takes it away. */
#define SMALL 1e-6
/* After this many steps in a row that are shorter than this the search gives up. */
#define SHORT_STEP      0.02
#define MAX_SHORT_STEPS 3
/* Within this many times kappa of the asked point the way is short: Newton's step towards it, no predictor. */
#define NEAR_TARGET 3.0
/* The corrector aims at no less than this share of the mean product times what the predictor falls short of its way. */
#define LEAST_SIGMA 0.3
/* A predictor that gets this far at least says what its second-order term is. */
#define SECOND_ORDER_REACH 0.5
/* Products fall no faster than E: to this share of the mean product at the start times E over E at the start. Where
 * products are gone before E is, nothing can be moved any more. */
#define JAM 0.03
/* A search that makes E no smaller than this factor in so many steps gives up, unless it is this near its tolerance. */
#define STALL        0.5
#define STALL_WINDOW 4
#define STALL_NEAR   3.0
#define STALL_SMALL  1e-3
/* After a step this short the next aims at this many times the mean product: away from the borders. */
#define BLOCKED 0.1
#define RAISE   3.0
/* Share of the bending in the systems: at first; where E falls, but by less than BEND_GOOD; where it does not fall.
 * All of it after a step of full length, where E falls well, and where it is below BEND_END of the start. */
#define BEND_FIRST  0.5
#define BEND_SLOW   0.6
#define BEND_STUCK  0.4
#define BEND_GOOD   0.3
#define BEND_BAD    0.9
#define BEND_LENGTH 0.9
#define BEND_END    3e-3

/* One solve: the iterate (the caller's arrays), its trial, the best so far, directions. */
typedef struct Run {
    const tacInteriorProblem *p;
    const tacInteriorSettings *s;
    tacInterior *at;
    int numbers;
    double *trial_x, *trial_a, *trial_b, *best_x, *best_a, *best_b;
    double *dx, *da, *db, *c;
    double best; /* larger of both violations over their tolerances */
    double best_violation, best_centring;
    int nshort;                                             /* short steps in a row */
    double first_violation, first_mean;                     /* at the start */
    double past[STALL_WINDOW], past_centring[STALL_WINDOW]; /* before the last steps: rings by iteration */
    double share, length;                                   /* of the bending in the last systems; of the last step */
} Run;

static void copy(int n, const double *from, double *to) {
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to); /* without x there is no array of it */
}

static int count_numbers(const tacInteriorProblem *p) {
    int numbers = 0;
    for (int c = 0; c < p->ncone; c++)
        numbers += p->dim[c];
    return numbers;
}

size_t tac_interior_scratch(int n, int numbers, int ncone) {
    (void)ncone;
    size_t x = tac_arena_round((size_t)n * sizeof(double)), a = tac_arena_round((size_t)numbers * sizeof(double));
    return 3 * x + 7 * a;
}

static int take(Run *r, tacArena *arena) {
    int n = r->p->n;
    double **of_x[] = {&r->trial_x, &r->best_x, &r->dx};
    double **of_a[] = {&r->trial_a, &r->trial_b, &r->best_a, &r->best_b, &r->da, &r->db, &r->c};
    for (size_t i = 0; i < sizeof of_x / sizeof *of_x; i++)
        if ((*of_x[i] = TAC_TAKE(arena, n, double)) == NULL) return 0;
    for (size_t i = 0; i < sizeof of_a / sizeof *of_a; i++)
        if ((*of_a[i] = TAC_TAKE(arena, r->numbers, double)) == NULL) return 0;
    return 1;
}

/* --- Cones -------------------------------------------------------------------------------------------------------- */

/* max_c |a o b - kappa unit e| / unit */
static double off_centre(const Run *r, const double *a, const double *b) {
    double most = 0, w[TAC_INTERIOR_MAX_DIM];
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        tac_cone_product(r->p->dim[c], a + adr, b + adr, w);
        w[0] -= r->s->kappa * r->p->unit[c];
        for (int i = 0; i < r->p->dim[c]; i++)
            most = tac_max(most, tac_abs(w[i]) / r->p->unit[c]);
    }
    return most;
}

/* mean over cones of (a + alpha da) . (b + alpha db) / unit; with alpha 0 directions are not read */
static double mean_product(const Run *r, double alpha) {
    double sum = 0;
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        double dot = 0;
        for (int i = adr; i < adr + r->p->dim[c]; i++)
            dot += alpha > 0 ? (r->at->a[i] + alpha * r->da[i]) * (r->at->b[i] + alpha * r->db[i])
                             : r->at->a[i] * r->at->b[i];
        sum += dot / r->p->unit[c];
    }
    return sum / r->p->ncone;
}

/* Longest step, at most 1, that goes the given shares of the way to the borders of half lines and of curved cones. */
static double cone_search(const Run *r, double share, double share_curved) {
    double alpha = 1;
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        double reach = tac_min(tac_cone_reach(r->p->dim[c], r->at->a + adr, r->da + adr),
                               tac_cone_reach(r->p->dim[c], r->at->b + adr, r->db + adr));
        alpha = tac_min(alpha, (r->p->dim[c] > 1 ? share_curved : share) * reach);
    }
    return alpha;
}

/* c = kappa unit e - a o b, and with `second` Mehrotra's - da o db of the predictor. */
static void aim(const Run *r, double kappa, int second) {
    double w[TAC_INTERIOR_MAX_DIM];
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        int dim = r->p->dim[c];
        tac_cone_product(dim, r->at->a + adr, r->at->b + adr, w);
        for (int i = 0; i < dim; i++)
            r->c[adr + i] = (i == 0 ? kappa * r->p->unit[c] : 0) - w[i];
        if (!second) continue;
        tac_cone_product(dim, r->da + adr, r->db + adr, w);
        for (int i = 0; i < dim; i++)
            r->c[adr + i] -= w[i];
    }
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* The predictor aims at kappa = 0; how far it gets says what the corrector may aim at   [Howell2022, eqs. 51-54].
 * *second: whether its second-order term is of use. */
static double choose_kappa(const Run *r, int *second) {
    double mean = r->p->ncone > 0 ? mean_product(r, 0) : 0;
    *second = 0;
    if (r->length < BLOCKED) return tac_max(RAISE * mean, r->s->kappa);
    if (mean <= NEAR_TARGET * r->s->kappa) return r->s->kappa;
    aim(r, 0, 0);
    r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
    double reach = cone_search(r, 1, 1), ratio = tac_clamp(mean_product(r, reach) / mean, 0, 1), jam = 0;
    if (r->at->violation > r->s->residual)
        jam = tac_min(mean, JAM * r->first_mean * r->at->violation / r->first_violation);
    double sigma = tac_max(ratio * ratio * ratio, LEAST_SIGMA * (1 - reach));
    double kappa = tac_max(tac_max(sigma * mean, jam), r->s->kappa);
    *second = reach >= SECOND_ORDER_REACH && kappa > r->s->kappa;
    return kappa;
}

/* Share of the bending in the next systems, after a step of this length from `before`. */
static double next_share(const Run *r, double length, double before) {
    double now = r->at->violation;
    if (now < BEND_GOOD * before || now < BEND_END * r->first_violation) return 1;
    if (length >= BEND_LENGTH && r->share < 1) return 1;
    return now < BEND_BAD * before ? BEND_SLOW : BEND_STUCK;
}

/* 1: the last steps led nowhere; `before`, `centring`: violations before the last. Where E is small already, products
 * that fall are a way on. */
static int stalls(Run *r, double before, double centring) {
    int slot = r->at->iterations % STALL_WINDOW;
    double then = r->past[slot], products = r->past_centring[slot], now = r->at->violation;
    r->past[slot] = before, r->past_centring[slot] = centring;
    if (r->at->iterations <= STALL_WINDOW || now <= STALL_NEAR * r->s->residual || now <= STALL * then) return 0;
    return now > STALL_SMALL * r->first_violation || r->at->centring > STALL * products;
}

static void go(const Run *r, double alpha) {
    for (int i = 0; i < r->p->n; i++)
        r->trial_x[i] = r->at->x[i] + alpha * r->dx[i];
    for (int i = 0; i < r->numbers; i++) {
        r->trial_a[i] = r->at->a[i] + alpha * r->da[i];
        r->trial_b[i] = r->at->b[i] + alpha * r->db[i];
    }
}

static void accept(const Run *r) {
    copy(r->p->n, r->trial_x, r->at->x);
    copy(r->numbers, r->trial_a, r->at->a);
    copy(r->numbers, r->trial_b, r->at->b);
}

/* Shortens the step until E is no larger, or small, or the violation of the products smaller than before; -> its
 * length, 0: nowhere is there an E. */
static double line_search(const Run *r, double alpha) {
    double violation = tac_max(r->at->violation, SMALL * r->first_violation), centring = r->at->centring, found = 0;
    for (int k = 0; k <= MAX_SHORTENINGS; k++, alpha *= SHORTEN) {
        double now;
        go(r, alpha);
        if (r->p->residual(r->p->user, r->trial_x, r->trial_a, r->trial_b, &now) != TAC_OK || !tac_finite(now))
            continue;
        r->at->violation = now;
        r->at->centring = off_centre(r, r->trial_a, r->trial_b) / r->s->kappa;
        found = alpha;
        if (now <= violation || r->at->centring < centring) break;
    }
    return found;
}

/* Larger of both violations in units of their tolerances; at most 1 at a solution. */
static double badness(const Run *r) {
    return tac_max(r->at->violation / r->s->residual, r->at->centring / r->s->centring);
}

static void keep_best(Run *r) {
    double now = badness(r);
    if (!(now < r->best)) return;
    r->best = now, r->best_violation = r->at->violation, r->best_centring = r->at->centring;
    copy(r->p->n, r->at->x, r->best_x);
    copy(r->numbers, r->at->a, r->best_a);
    copy(r->numbers, r->at->b, r->best_b);
}

static void record(const Run *r, double kappa, double violation, double centring, double length) {
    int i = r->at->iterations - 1;
    if (i < r->at->max_trace) r->at->trace[i] = (tacIteration){violation, centring, kappa, length, 0};
}

/* The search ends here. */
static int stop(Run *r, tacInteriorEnd why) {
    r->at->end = why;
    return 0;
}

/* One iteration; -> 0: no step could be taken, or the last ones led nowhere. */
static int iterate(Run *r) {
    double violation = r->at->violation, centring = r->at->centring;
    double product = centring * r->s->kappa, worst = tac_max(violation, product);
    int second;
    r->at->iterations++;
    if (r->p->bend != NULL) r->p->bend(r->p->user, r->share);
    if (r->p->factor(r->p->user, r->at->x, r->at->a, r->at->b) != TAC_OK) return stop(r, TAC_END_SINGULAR);
    double kappa = choose_kappa(r, &second);
    aim(r, kappa, second);
    r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
    if (tac_first_nonfinite(r->p->n, r->dx) >= 0) return stop(r, TAC_END_SINGULAR);
    double share = tac_max(r->s->share, 1 - worst * worst);
    double length = line_search(r, cone_search(r, share, tac_min(share, SHARE_CURVED)));
    record(r, kappa, violation, centring, length);
    if (length == 0) return stop(r, TAC_END_OUTSIDE);
    r->nshort = length < SHORT_STEP ? r->nshort + 1 : 0;
    accept(r);
    r->share = next_share(r, length, violation), r->length = length;
    int stalled = r->nshort >= MAX_SHORT_STEPS || stalls(r, violation, centring);
    return stalled ? stop(r, TAC_END_STALLED) : 1;
}

/* Back to the best point, with the caller's residual there. */
static tacStatus give_up(Run *r) {
    double violation;
    copy(r->p->n, r->best_x, r->at->x);
    copy(r->numbers, r->best_a, r->at->a);
    copy(r->numbers, r->best_b, r->at->b);
    tacStatus status = r->p->residual(r->p->user, r->at->x, r->at->a, r->at->b, &violation);
    r->at->violation = r->best_violation, r->at->centring = r->best_centring;
    return status == TAC_OK ? TAC_ERR_UNSOLVED : status;
}

/* Newton's steps towards the same point from within the tolerances, while E or the products are halved: down to what
 * rounding leaves. */
static tacStatus polish(Run *r) {
    for (int k = 0; k < r->s->polish; k++) {
        double violation = r->at->violation, centring = r->at->centring;
        if (r->p->bend != NULL) r->p->bend(r->p->user, 1);
        if (r->p->factor(r->p->user, r->at->x, r->at->a, r->at->b) != TAC_OK) break;
        aim(r, r->s->kappa, 0);
        r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
        if (line_search(r, cone_search(r, 1, 1)) != 1 || badness(r) > 1) break;
        if (!(r->at->violation < 0.5 * violation) && !(r->at->centring < 0.5 * centring)) break;
        accept(r);
        r->best = TAC_INFINITY;
        keep_best(r);
    }
    tacStatus status = give_up(r);
    return status == TAC_ERR_UNSOLVED ? TAC_OK : status;
}

static tacStatus iterate_all(Run *r) {
    tacStatus status = r->p->residual(r->p->user, r->at->x, r->at->a, r->at->b, &r->at->violation);
    if (status != TAC_OK) return status;
    if (!tac_finite(r->at->violation)) return TAC_ERR_NONFINITE;
    r->at->centring = off_centre(r, r->at->a, r->at->b) / r->s->kappa;
    r->at->iterations = 0;
    r->first_violation = r->at->violation;
    r->first_mean = r->p->ncone > 0 ? mean_product(r, 0) : 0;
    r->share = BEND_FIRST, r->length = 1;
    for (;;) {
        keep_best(r);
        r->at->end = badness(r) <= 1 ? TAC_END_SOLVED : TAC_END_ITERATIONS;
        if (r->at->end == TAC_END_SOLVED) return r->s->polish > 0 ? polish(r) : TAC_OK;
        if (r->at->iterations >= r->s->max_iterations || !iterate(r)) return give_up(r);
    }
}

tacStatus tac_interior_solve(const tacInteriorProblem *problem, const tacInteriorSettings *settings, tacInterior *point,
                             tacArena *arena) {
    Run run = {.p = problem, .s = settings, .at = point, .numbers = count_numbers(problem), .best = TAC_INFINITY};
    size_t mark = tac_arena_mark(arena);
    tacStatus status = take(&run, arena) ? iterate_all(&run) : TAC_ERR_ARENA_FULL;
    tac_arena_release(arena, mark);
    return status;
}
