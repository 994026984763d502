/* Newton's method on the central path   (docs/theory/ncp.md, W14a): at every iterate a o b = kappa unit e holds to
 * rounding, as the problem's `project` takes trial points there, so that no border is ever in the way and E alone is
 * left to be solved, while kappa goes down to what is asked for. */
#include "solve/interior_run.h"

#include "math/scalar.h"

/* A step that makes the merit larger than GROWTH times what it was is shortened by this factor, at most so often. */
#define SHORTEN         0.5
#define MAX_SHORTENINGS 10
#define GROWTH          2.0
/* Share of the merit that a whole step takes away at least. */
#define DECREASE 0.1
/* E below this share of that at the start may grow: stiff pairs leave so much of a step to rounding. */
#define SMALL 1e-6
/* kappa falls to no less than LAG of what E is in proportion to, (E/E_0)^2 kappa_0, nor by more than FALL in one step;
 * after steps that got stuck between the borders more slowly, as the path bends there. */
#define LAG          0.01
#define FALL         0.01
#define FALL_CAREFUL 0.2
/* After a step shorter than this the next aims at a larger kappa, by this factor. */
#define BLOCKED 0.1
#define RAISE   3.0
/* A search gives up whose merit does not halve in TAC_STALL_WINDOW steps, after the first so many. */
#define PATIENCE 5
#define STALL    0.5

/* One point on the path: merits of the last steps, as a ring. */
typedef struct Path {
    double kappa, first_kappa, fall;
    double past[TAC_STALL_WINDOW];
    int steps;
} Path;

/* (E/E_0)^2, which compares with kappa/kappa_0: on the path a . b is kappa, and |E|^2 is in the same unit   (W14c). */
static double share_of_residual(const tacInteriorRun *r) {
    double share = r->norm / r->first_norm;
    return share * share;
}

/* E, and how far kappa is above what is asked for, each as a share of what it was: Newton's direction takes away of
 * both. */
static double merit(const tacInteriorRun *r, const Path *path, double kappa) {
    return share_of_residual(r) + (kappa - r->s->kappa) / path->first_kappa;
}

/* A share of the step, on the path between kappa and `to` -> its merit, r->norm; infinite: there is no E. */
static double try_step(tacInteriorRun *r, const Path *path, double alpha, double to) {
    double kappa = path->kappa + alpha * (to - path->kappa), violation;
    tac_run_set_trial(r, alpha);
    tacInteriorTrial trial = {r->trial_x, kappa, 1 - alpha};
    tacStatus status = r->p->project(r->p->user, &trial, r->trial_a, r->trial_b, &violation);
    if (status != TAC_OK || !tac_finite(violation)) return TAC_INFINITY;
    tac_run_note_residual(r, violation);
    return merit(r, path, kappa);
}

/* Shortens the step until the merit is small enough, or as long as that makes it smaller; -> its length, 0: nowhere is
 * there an E. */
static double line_search(tacInteriorRun *r, const Path *path, double to) {
    double before = merit(r, path, path->kappa), best = TAC_INFINITY, found = 0, alpha = 1;
    for (int k = 0; k <= MAX_SHORTENINGS; k++, alpha *= SHORTEN) {
        double now = try_step(r, path, alpha, to);
        if (now < best) best = now, found = alpha;
        if (now <= GROWTH * (1 - DECREASE * alpha) * before) return alpha;
        if (now < TAC_INFINITY && r->norm <= SMALL * r->first_norm) return alpha;
        if (best < now && best < before) break;
    }
    return found > 0 && try_step(r, path, found, to) < TAC_INFINITY ? found : 0;
}

static double next_kappa(const tacInteriorRun *r, const Path *path) {
    double due = LAG * path->first_kappa * share_of_residual(r);
    double most = r->length < BLOCKED ? RAISE : 1;
    return tac_max(r->s->kappa, tac_clamp(due, path->fall * path->kappa, most * path->kappa));
}

/* One iteration; -> 0: no step could be taken. */
static int iterate(tacInteriorRun *r, Path *path) {
    double violation = r->at->violation, centring = r->at->centring;
    tac_run_count(r);
    if (tac_run_factor(r) != TAC_OK) return tac_run_stop(r, TAC_END_SINGULAR);
    double to = next_kappa(r, path);
    tac_run_right_side(r, to, 0);
    r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
    if (tac_first_nonfinite(r->p->n, r->dx) >= 0) return tac_run_stop(r, TAC_END_SINGULAR);
    double length = line_search(r, path, to);
    tac_run_record(r, to, violation, centring, length);
    if (length == 0) return tac_run_stop(r, TAC_END_OUTSIDE);
    path->kappa += length * (to - path->kappa);
    r->at->centring = tac_run_off_centre(r, r->trial_a, r->trial_b) / r->s->kappa;
    tac_run_accept(r);
    r->geometric_share = tac_run_next_geometric_share(r, length, violation), r->length = length;
    return 1;
}

/* 0: the last steps led nowhere. */
static int goes_on(tacInteriorRun *r, Path *path) {
    int slot = path->steps++ % TAC_STALL_WINDOW;
    double then = path->past[slot], now = path->past[slot] = merit(r, path, path->kappa);
    return path->steps > PATIENCE && now > STALL * then ? tac_run_stop(r, TAC_END_STALLED) : 1;
}

tacStatus tac_run_follow_path(tacInteriorRun *r, double kappa, int careful) {
    Path path = {.kappa = tac_max(kappa, r->s->kappa),
                 .first_kappa = tac_max(r->first_mean, r->s->kappa),
                 .fall = careful ? FALL_CAREFUL : FALL};
    r->length = 1;
    for (;;) {
        tac_run_keep_best(r);
        r->at->end = tac_run_relative_error(r) <= 1 ? TAC_END_SOLVED : TAC_END_ITERATIONS;
        if (r->at->end == TAC_END_SOLVED) return r->s->polish > 0 ? tac_run_polish(r) : TAC_OK;
        if (r->at->iterations >= r->s->max_iterations || !goes_on(r, &path) || !iterate(r, &path))
            return tac_run_restore_best(r);
    }
}
