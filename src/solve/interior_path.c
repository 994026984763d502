/* Newton's method on the central path   (docs/theory/ncp.md, W14a). a o b = kappa unit e holds to rounding at every
 * iterate, because the problem projects trial points to the path. So no border limits a step, and only E is left to
 * solve while kappa falls to its target. */
#include "solve/interior_run.h"

#include "math/scalar.h"

/* A step whose merit exceeds this multiple of that before is shortened. */
#define GROWTH 2.0
/* Share of the merit that a full step removes at least. */
#define DECREASE 0.1
/* kappa falls no lower than LAG (E/E_0)^2 kappa_0, which is proportional to E, and by no more than the factor FALL in
 * one step. After steps that got stuck between the borders it falls more slowly, because the path is curved there. */
#define LAG          0.01
#define FALL         0.01
#define FALL_CAREFUL 0.2
/* The search may end as stalled after the first so many steps. */
#define PATIENCE 5

/* The point on the path; the merits of the last steps, as a ring buffer. */
typedef struct Path {
    double kappa, first_kappa, fall;
    double past[TAC_STALL_WINDOW];
    int steps;
    int again; /* 1: another step with the last system may be the last one */
} Path;

/* (E/E_0)^2 is comparable with kappa/kappa_0: on the path a . b is kappa, and |E|^2 has the same unit   (W14c). */
static double share_of_residual(const tacInteriorRun *r) {
    double share = r->norm / r->first_norm;
    return share * share;
}

/* E and the distance of kappa from its target, each relative to the start. Newton's direction decreases both. */
static double merit(const tacInteriorRun *r, const Path *path, double kappa) {
    return share_of_residual(r) + (kappa - r->s->kappa) / path->first_kappa;
}

/* Tries alpha times the step, on the path between kappa and `to`. Returns the merit; infinite: E is undefined there. */
static double try_step(tacInteriorRun *r, const Path *path, double alpha, double to) {
    double kappa = path->kappa + alpha * (to - path->kappa), violation;
    tac_run_set_trial(r, alpha);
    tacInteriorTrial trial = {r->trial_x, kappa, 1 - alpha};
    tacStatus status = r->p->project(r->p->user, &trial, r->trial_a, r->trial_b, &violation);
    if (status != TAC_OK || !tac_finite(violation)) return TAC_INFINITY;
    tac_run_note_residual(r, violation);
    return merit(r, path, kappa);
}

/* Shortens the step until the merit is small enough, or while it falls. Returns its length; 0: E is undefined at all
 * trial points. */
static double line_search(tacInteriorRun *r, const Path *path, double to) {
    double before = merit(r, path, path->kappa), best = TAC_INFINITY, found = 0, alpha = 1;
    for (int k = 0; k <= TAC_RUN_MAX_SHORTENINGS; k++, alpha *= TAC_RUN_SHORTEN) {
        double now = try_step(r, path, alpha, to);
        if (now < best) {
            best = now;
            found = alpha;
        }
        if (now <= GROWTH * (1 - DECREASE * alpha) * before) return alpha;
        if (now < TAC_INFINITY && r->norm <= TAC_RUN_SMALL * r->first_norm) return alpha;
        if (best < now && best < before) break;
    }
    return found > 0 && try_step(r, path, found, to) < TAC_INFINITY ? found : 0;
}

/* 1: E is within its tolerance if it falls by the same share once more. */
static int falls_within(const tacInteriorRun *r, double before) {
    return r->at->violation * r->at->violation <= r->s->residual * before;
}

static double next_kappa(const tacInteriorRun *r, const Path *path) {
    double due = LAG * path->first_kappa * share_of_residual(r);
    double most = r->length < TAC_RUN_BLOCKED ? TAC_RUN_RAISE : 1;
    return tac_max(r->s->kappa, tac_clamp(due, path->fall * path->kappa, most * path->kappa));
}

/* c = to unit e - a o b. Steps end on the path, where the product is known; a search may begin elsewhere. */
static void right_side(const tacInteriorRun *r, const Path *path, double to) {
    if (path->steps <= 1) {
        tac_run_right_side(r, to, 0);
        return;
    }
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        r->c[adr] = (to - path->kappa) * r->p->unit[c];
        for (int i = 1; i < r->p->dim[c]; i++)
            r->c[adr + i] = 0;
    }
}

/* Newton's direction to the point `to` of the path, by the system that was factored last. 0: there is none. */
static int find_direction(const tacInteriorRun *r, const Path *path, double to) {
    right_side(r, path, to);
    r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
    return tac_first_nonfinite(r->p->n, r->dx) < 0;
}

/* Makes the trial point the iterate. */
static void take_step(tacInteriorRun *r, Path *path, double length, double to, double violation) {
    path->kappa += length * (to - path->kappa);
    r->at->centring = tac_abs(path->kappa / r->s->kappa - 1);
    tac_run_accept(r);
    r->geometric_share = tac_run_next_geometric_share(r, length, violation);
    r->length = length;
    path->again = length >= 1 && path->kappa <= r->s->kappa && falls_within(r, violation);
}

/* One iteration. 0: no step was possible. */
static int iterate(tacInteriorRun *r, Path *path) {
    double violation = r->at->violation, centring = r->at->centring;
    tac_run_count(r);
    if (tac_run_factor(r) != TAC_OK) return tac_run_stop(r, TAC_END_SINGULAR);
    double to = next_kappa(r, path);
    if (!find_direction(r, path, to)) return tac_run_stop(r, TAC_END_SINGULAR);
    double length = line_search(r, path, to);
    tac_run_record(r, to, violation, centring, length);
    if (length == 0) return tac_run_stop(r, TAC_END_OUTSIDE);
    take_step(r, path, length, to, violation);
    return 1;
}

/* A step with the system of the last iteration. 0: it leads to no smaller E, and is not taken   (W14e). */
static int step_again(tacInteriorRun *r, Path *path) {
    double violation = r->at->violation, to = r->s->kappa;
    path->again = 0;
    if (!find_direction(r, path, to)) return 0;
    if (try_step(r, path, 1, to) < TAC_INFINITY && r->at->violation < violation) {
        take_step(r, path, 1, to, violation);
        return 1;
    }
    if (r->p->residual(r->p->user, r->at->x, r->at->a, r->at->b, &violation) != TAC_OK)
        return 0; /* cannot be: it was defined here */
    tac_run_note_residual(r, violation);
    return 0;
}

/* 0: the last steps made no progress. */
static int goes_on(tacInteriorRun *r, Path *path) {
    int slot = path->steps++ % TAC_STALL_WINDOW;
    double then = path->past[slot], now = path->past[slot] = merit(r, path, path->kappa);
    if (r->s->way == TAC_ALONG_PATH_PATIENTLY) return 1;
    return path->steps > PATIENCE && now > TAC_RUN_STALL * then ? tac_run_stop(r, TAC_END_STALLED) : 1;
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
        if (path.again && step_again(r, &path)) continue;
        if (r->at->iterations >= r->s->max_iterations || !goes_on(r, &path) || !iterate(r, &path))
            return tac_run_restore_best(r);
    }
}
