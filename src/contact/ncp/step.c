/* The step of contact ncp: sets the problem up, solves it by searches, adapts its features (contact/ncp/problem.h). */
#include "contact/ncp/step.h"

#include "contact/ncp/bodies.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/fallback.h"
#include "contact/ncp/features.h"
#include "contact/ncp/report.h"
#include "contact/ncp/step_deriv.h"
#include "dynamics/actuator.h"
#include "math/scalar.h"
#include "smooth/find_contacts.h"

#include <string.h>

/* m/s: speed beyond its own and that of free fall which a geom may reach within one step and still be found ahead. */
#define SLACK_SPEED 0.5
/* Products of cone variables count as central when they differ from kappa by at most this share of it: the tolerance
 * times CENTRING_PER_TOLERANCE, at most CENTRING_MOST. At a large kappa that share would be a visible motion, so it is
 * also at most CENTRING_SHARE of the tolerance in units of the products. It is never below CENTRING_LEAST, where
 * products may be nothing but rounding. */
#define CENTRING_PER_TOLERANCE 1e6
#define CENTRING_MOST          1e-3
#define CENTRING_SHARE         1e-2
#define CENTRING_LEAST         1e-5
/* Derivatives are those of a point of the central path. A solution that is further from it than these shares of the
 * tolerance, of the smallest gap and of kappa is refined by at most REFINEMENTS Newton steps: errors of gaps and
 * products are errors of the derivative. */
#define FINE          1e-3
#define FINE_CENTRING 1e-7
#define FINE_STEP     1e-3 /* of the way to the border of a cone: Newton's next step is the square of it */
#define REFINEMENTS   6
/* Relative rounding of positions. */
#define POSITION_ROUNDING 1e-15
/* m: at the end of a search without solution, smaller overlaps are ignored. */
#define ROUGH 1e-3
/* Share of the way to the border of the cones that a step takes at least: in searches from the first start, and in the
 * others, which are more careful. */
#define SHARE_FIRST  0.9
#define SHARE_OTHERS 0.8
/* Maximum number of times the reach is halved where it holds more contacts than there is room for. */
#define MAX_HALVINGS 6
/* Maximum rounds of adding features that the solution penetrates. */
#define MAX_ROUNDS 6
/* Maximum number of times the features are replaced, and after which failed search. */
#define MAX_REPLACEMENTS 2
#define SOFT             1e-8 /* kappa above which features are not replaced */
#define REPLACE_AFTER    1
/* Searches are tried in order until one succeeds: where each starts, and whether it follows the central path from
 * there. The second order is that of rough motions. LOOSE: each Newton step keeps the bound of friction fixed, which
 * converges where bounds and normal impulses change each other in turn. */
#define LOOSE 1.0
typedef struct Search {
    int start, follow;
    double loose;
} Search;
enum { NSEARCH = TAC_NCP_STARTS + 2 };
static const Search SEARCHES[2][NSEARCH] = {
    {{0, 1, 0}, {0, 0, 0}, {4, 1, LOOSE}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}},
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {4, 1, LOOSE}, {3, 0, 0}, {4, 0, 0}}};

/* --- The step ----------------------------------------------------------------------------------------------------- */

/* Contacts at the poses of w; with `ahead`, also those reachable within the step. Writes p->found. The reach of a geom:
 * h (2 |velocity of its middle| + 2 |angular velocity| radius + h |g| + slack). Velocities count twice, because a body
 * that hits something with one end may speed up at the other. Features that are missed are found after the search. */
static tacStatus find_contacts(tacContext *ctx, const tacWork *w, int ahead, tacNcp *p, int *nfound) {
    double fall = ctx->options.dt * tac_norm3(tac_base_acceleration(ctx->model).lin);
    const tacContactReach reach = {
        .moving = 1, .velocities = ctx->work.V, .factor = 2, .speed = fall + SLACK_SPEED, .retries = MAX_HALVINGS + 1};
    return tac_find_contacts(ctx, w, ahead ? &reach : NULL, p->found, p->max_contacts, nfound);
}

/* Sets the problem up at (x, u): forces, momenta before the step, contacts and rows. */
static tacStatus set_up(tacContext *ctx, const double *x, const double *u, tacNcp *p) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tacSmoothPoint at = tac_point_of(ctx, x, u);
    int nfound = 0;
    if (!tac_ncp_layout(p, m, ctx->options.max_contacts, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    p->w = w;
    p->scene = &ctx->scene;
    p->q = x;
    p->v = x + m->nq;
    p->mocap = at.u.mocap;
    p->h = ctx->options.dt;
    p->point = at;
    p->cone_kind = ctx->options.ncp_friction;
    p->implicit = ctx->options.integrator == TAC_IMPLICIT || ctx->options.integrator == TAC_IMPLICITFAST;
    p->damping_span = p->implicit && !(*m->option_disable & TAC_DISABLE_DAMPER) ? p->h : tac_damping_span(ctx);
    p->bounce_speed = ctx->options.bounce_speed;
    p->tolerance = ctx->options.ncp_tolerance;
    tac_smooth_forces(m, w, at.q, at.v, at.act, at.u, at.h);
    for (int i = 0; i < m->nv; i++)
        p->tau[i] = p->h * (w->qfrc[i] + w->bias[i]); /* the bias force is part of the integrator */
    TAC_TRY(find_contacts(ctx, w, 1, p, &nfound));
    tac_ncp_begin_bodies(p);
    tac_ncp_add_constraints(p, nfound);
    return TAC_OK;
}

/* Reason of the end of a search. Steps may fail because a body would turn too far. */
static tacReason reason_of(tacInteriorEnd end, const tacNcp *p) {
    static const tacReason REASONS[] = {[TAC_END_SOLVED] = TAC_REASON_NONE,
                                        [TAC_END_ITERATIONS] = TAC_REASON_ITERATIONS,
                                        [TAC_END_STALLED] = TAC_REASON_STALLED,
                                        [TAC_END_SINGULAR] = TAC_REASON_SINGULAR,
                                        [TAC_END_OUTSIDE] = TAC_REASON_TOUCH};
    int nowhere = end == TAC_END_STALLED || end == TAC_END_OUTSIDE;
    return nowhere && p->turned > 0 ? TAC_REASON_TURNED : REASONS[end];
}

/* Sets the share by which steps ignore that the bound of friction follows the normal impulse. */
static void loosen(tacNcp *p, double share) {
    for (int i = 0; i < p->ncontact; i++)
        p->contact[i].friction.loose = share;
}

/* The residual E. Where E is within the tolerance and products are not, their error in its unit. */
static double residual_of(const tacInteriorSettings *s, const tacInterior *point) {
    double products = s->residual * point->centring / s->centring;
    return point->end == TAC_END_SOLVED ? point->violation : tac_max(point->violation, products);
}

/* Runs one search: p at its end, ctx->info. */
static tacStatus search(tacContext *ctx, tacNcp *p, Search way, int again, const tacInteriorSettings *settings) {
    tacInterior point = {.x = p->x, .a = p->a, .b = p->b};
    tacStatus status = tac_ncp_start(p, way.start, again); /* may remove contacts */
    tacInteriorProblem problem = tac_ncp_problem(p);
    tac_ncp_history_begin(ctx, &point);
    loosen(p, way.loose);
    if (status == TAC_OK) status = tac_interior_solve(&problem, settings, &point, &ctx->arena);
    tac_ncp_history_end(ctx, &point);
    loosen(p, 0);
    ctx->info.iterations += point.iterations;
    ctx->info.residual = residual_of(settings, &point);
    p->end.violation = point.violation;
    p->end.centring = point.centring;
    ctx->info.reason = reason_of(point.end, p);
    return status;
}

tacStatus tac_ncp_find_overlap(tacContext *ctx, tacNcp *p, double tolerance, int may_change, int *added,
                               double *overlap) {
    int nfound = 0;
    *added = 0, *overlap = 0;
    if (*ctx->model->option_disable & TAC_DISABLE_CONSTRAINT) return TAC_OK;
    TAC_TRY(find_contacts(ctx, &p->next, 0, p, &nfound));
    *overlap = tac_ncp_overlap(p, nfound, tolerance);
    if (!may_change || *overlap == 0) return TAC_OK;
    *added = tac_ncp_add_overlapping(p, nfound, tolerance);
    if (*added > 0) memcpy(p->anchor, p->x, (size_t)p->m->nv * sizeof *p->x);
    return TAC_OK;
}

/* The options' tolerance, or the rounding of positions in the balance if that is larger: m |x|/h of 1e5 kg, 1 m and 1
 * ms is 1e8 N s. */
static double tolerance_of(const tacContext *ctx, const tacNcp *p) {
    double sum = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (!p->ldu.still[b]) sum += p->m->body_mass[b] * tac_norm3(p->w->xipos[b]);
    return tac_max(ctx->options.ncp_tolerance, POSITION_ROUNDING * sum / p->h);
}

static double centring(double tolerance, double kappa) {
    double share = tac_max(CENTRING_LEAST, CENTRING_SHARE * tolerance / kappa);
    return tac_min(tac_min(CENTRING_MOST, CENTRING_PER_TOLERANCE * tolerance), share);
}

/* Removes contacts whose features were lost, after steps that failed for that reason. Returns how many. */
static int remove_lost(const tacContext *ctx, tacNcp *p) {
    int nowhere = ctx->info.reason == TAC_REASON_TOUCH || ctx->info.reason == TAC_REASON_STALLED;
    return nowhere ? tac_ncp_remove_lost(p) : 0;
}

/* State of the searches of a step. */
typedef struct Course {
    const Search *ways;
    int next;             /* the next search */
    int again;            /* 1: it starts where the last one ended */
    int rounds, replaced; /* rounds of adding or removing features; of replacing them */
    tacNcpBest best;      /* the best end of a search of this problem */
} Course;

/* Restarts all searches after a change of the problem; the first one starts where the last one ended. */
static void restart(Course *c) { c->next = 0, c->again = 1, c->best.numbers = -1; }

static int iterations_left(const tacContext *ctx) { return ctx->options.ncp_iterations - ctx->info.iterations; }

/* Accepts the solution p unless it overlaps. Adds the features that it penetrates where it may; otherwise the step is
 * unsolved. */
static tacStatus accept(tacContext *ctx, tacNcp *p, int may_change, int *changed) {
    double overlap;
    tacStatus status = tac_ncp_find_overlap(ctx, p, ctx->options.ncp_tolerance, may_change, changed, &overlap);
    if (status != TAC_OK || overlap == 0) return status;
    int stopped = may_change ? tac_ncp_stop_bounces(p, ctx->options.ncp_tolerance) : 0;
    if (stopped > 0) memcpy(p->anchor, p->x, (size_t)p->m->nv * sizeof *p->x);
    *changed += stopped;
    ctx->info.residual = tac_max(ctx->info.residual, overlap);
    ctx->info.reason = may_change                 ? TAC_REASON_OVERLAP
                       : iterations_left(ctx) > 0 ? TAC_REASON_FEATURES
                                                  : TAC_REASON_ITERATIONS;
    return TAC_ERR_UNSOLVED;
}

/* Updates the features after a search without solution: removes those that were lost, adds those that its end
 * penetrates. Returns how many. */
static int update_features(tacContext *ctx, tacNcp *p) {
    double overlap;
    int added, gone = remove_lost(ctx, p);
    tacStatus status = tac_ncp_find_overlap(ctx, p, tac_max(ctx->options.ncp_tolerance, ROUGH), 1, &added, &overlap);
    return gone + (status == TAC_OK ? added : 0); /* there may be no room for all that overlap */
}

/* Runs the next search and checks the features at its end. *changed > 0 with TAC_ERR_UNSOLVED: the features have
 * changed, and with them the problem. */
static tacStatus search_next(tacContext *ctx, tacNcp *p, double kappa, const Course *c, int *changed) {
    Search way = c->ways[c->next];
    double tolerance = tolerance_of(ctx, p);
    tacInteriorSettings end = {kappa,
                               tolerance,
                               centring(tolerance, kappa),
                               iterations_left(ctx),
                               ctx->options.ncp_polish,
                               way.start == 0 ? SHARE_FIRST : SHARE_OTHERS,
                               way.follow};
    tacStatus status = search(ctx, p, way, c->again, &end);
    int may_change = c->rounds < MAX_ROUNDS && iterations_left(ctx) > 0;
    *changed = 0;
    if (status == TAC_OK) return accept(ctx, p, may_change, changed);
    if (status == TAC_ERR_UNSOLVED && may_change) *changed = update_features(ctx, p);
    return status;
}

/* Predicts features where two geoms have more of them in reach than collision keeps: adds those that the motion v
 * penetrates. If they were found after a search, another search would be needed. */
static tacStatus predict_features(tacContext *ctx, tacNcp *p) {
    double overlap;
    int added;
    if (!tac_ncp_has_full_pair(p)) return TAC_OK;
    memcpy(p->x, p->v, (size_t)p->m->nv * sizeof *p->x);
    if (tac_ncp_place_bodies(p, p->x) != TAC_OK) return TAC_OK;
    tacStatus status = tac_ncp_find_overlap(ctx, p, 0, 1, &added, &overlap);
    return status == TAC_ERR_CONTACTS ? TAC_OK : status; /* a solution overlaps less */
}

/* Replaces the features by those within reach at the best end, where those of q lead a search nowhere: a face counts as
 * an infinite plane, and a body that turns past its edge cannot get to the far side. Not at a large kappa, where every
 * feature near q has a force. *changed: how many. */
static tacStatus replace_features(tacContext *ctx, tacNcp *p, double kappa, const tacNcpBest *best, int *changed) {
    int nfound = 0;
    *changed = 0;
    if (*ctx->model->option_disable & TAC_DISABLE_CONSTRAINT || kappa > SOFT) return TAC_OK;
    tacStatus status = tac_ncp_restore_best(ctx, p, best);
    if (!tac_went_on(status)) return status;
    status = find_contacts(ctx, &p->next, 1, p, &nfound);
    if (status == TAC_ERR_CONTACTS) return TAC_OK; /* no room for all */
    TAC_TRY(status);
    *changed = tac_ncp_replace_features(p, nfound);
    if (*changed > 0) memcpy(p->anchor, p->x, (size_t)p->m->nv * sizeof *p->x);
    return TAC_OK;
}

/* Tries the searches in order. When the features change, starts over from where the last search ended. Leaves p at the
 * solution (p->x is v+), or returns TAC_ERR_UNSOLVED. */
static tacStatus search_all(tacContext *ctx, double kappa, tacNcp *p, Course *c) {
    int changed;
    while (c->next < NSEARCH) {
        tacStatus status = search_next(ctx, p, kappa, c, &changed);
        if (status != TAC_ERR_UNSOLVED) return status;
        if (changed > 0) {
            c->rounds++;
            restart(c);
            continue;
        }
        tac_ncp_keep_best(ctx, p, &c->best);
        if (iterations_left(ctx) <= 0) break;
        c->again = 0;
        if (c->next++ != REPLACE_AFTER || c->replaced++ >= MAX_REPLACEMENTS) continue;
        TAC_TRY(replace_features(ctx, p, kappa, &c->best, &changed));
        if (changed > 0) restart(c);
    }
    return TAC_ERR_UNSOLVED;
}

/* Solves the problem: p at the solution, or at the best end of the searches (fallback.h). Where no search satisfies all
 * bounds, the bounds yield   (W49). */
static tacStatus solve(tacContext *ctx, double kappa, tacNcp *p) {
    TAC_SCOPE(&ctx->arena);
    Course c = {.ways = SEARCHES[tac_ncp_is_rough(p)]};
    if (!tac_ncp_best_layout(&c.best, p->m, p->max_contacts, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    c.best.numbers = -1;
    tacStatus status = search_all(ctx, kappa, p, &c);
    if (status == TAC_ERR_UNSOLVED && iterations_left(ctx) > 0 && tac_ncp_relax_bounds(p)) {
        restart(&c);
        c.again = 0;
        status = search_all(ctx, kappa, p, &c);
    }
    return status == TAC_ERR_UNSOLVED ? tac_ncp_fall_back(ctx, p, &c.best) : status;
}

/* The smallest gap of contacts and limits: their cones are half lines. */
static double smallest_gap(const tacNcp *p) {
    double least = TAC_INFINITY;
    for (int c = 0, adr = 0; c < p->ncone; adr += p->dim[c++])
        if (p->dim[c] == 1) least = tac_min(least, p->b[adr]);
    return least;
}

tacStatus tac_ncp_refine(tacContext *ctx, double kappa, tacNcp *p) {
    double tolerance = tolerance_of(ctx, p), fine = FINE * tac_min(tolerance, smallest_gap(p));
    if (p->end.violation <= fine && p->end.centring <= FINE_CENTRING) return TAC_OK;
    tacInteriorSettings polish = {kappa, tolerance, centring(tolerance, kappa), 0, REFINEMENTS, SHARE_FIRST, 0};
    tacInteriorSettings follow = {kappa, fine, FINE_CENTRING, REFINEMENTS, 0, SHARE_FIRST, 1};
    tacInteriorProblem problem = tac_ncp_problem(p);
    tacInterior point = {.x = p->x, .a = p->a, .b = p->b};
    tacStatus status = tac_interior_solve(&problem, &polish, &point, &ctx->arena);
    if (!tac_went_on(status) || point.polished <= FINE_STEP) return tac_went_on(status) ? TAC_OK : status;
    status = tac_interior_solve(&problem, &follow, &point, &ctx->arena); /* its steps lead out of a cone, or go round */
    if (tac_went_on(status)) status = tac_interior_solve(&problem, &polish, &point, &ctx->arena);
    return tac_went_on(status) ? TAC_OK : status;
}

/* Advances the state by v+ to w->next. */
static tacStatus advance(tacContext *ctx, const double *x, const tacNcp *p) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    for (int i = 0; i < m->nv; i++)
        w->qacc[i] = (p->x[i] - x[m->nq + i]) / p->h;
    memcpy(w->next, p->q_next, (size_t)m->nq * sizeof *w->next);
    memcpy(w->next + m->nq, p->x, (size_t)m->nv * sizeof *w->next);
    tac_advance_activations(m, w, x + m->nq + m->nv, p->h, w->next + m->nq + m->nv);
    return tac_first_nonfinite(tac_nx(m), w->next) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_ncp_solve_step(tacContext *ctx, const double *x, const double *u, double kappa, tacNcp *p) {
    ctx->info = (tacStepInfo){.kappa = kappa};
    TAC_TRY(set_up(ctx, x, u, p));
    tac_ncp_report_start(p, &ctx->info);
    TAC_TRY(predict_features(ctx, p));
    tacStatus solved = solve(ctx, kappa, p);
    if (!tac_went_on(solved)) return solved;
    if (p->turned_before > 0) {
        solved = TAC_ERR_UNSOLVED;
        ctx->info.reason = TAC_REASON_TURNED;
    }
    tacStatus status = advance(ctx, x, p);
    tac_ncp_report(p, &ctx->info);
    return status == TAC_OK ? solved : status;
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    tacNcp p;
    TAC_SCOPE(&ctx->arena);
    tacStatus status = tac_ncp_solve_step(ctx, x, u, ctx->options.ncp_kappa, &p);
    return tac_end_step(ctx, status, 0, y);
}

/* --- The table ---------------------------------------------------------------------------------------------------- */

/* Of solve: searches, each of which may find contacts. */
static void measure_searches(const tacModel *m, int max_contacts, tacArena *dry) {
    TAC_SCOPE(dry);
    tacNcpBest best;
    tac_ncp_best_layout(&best, m, max_contacts, dry);
    tac_measure_find_contacts(m, dry);
    tac_interior_measure(tac_ncp_max_unknowns(m), tac_ncp_max_numbers(m, max_contacts), dry);
}

void tac_ncp_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacNcp p;
    tac_ncp_layout(&p, m, options->max_contacts, dry);
    measure_searches(m, options->max_contacts, dry);
}

static void measure_step(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_ncp_measure_solve(m, options, dry);
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    measure_step(m, options, dry);
    tac_smooth_measure(m, options, dry);
    tac_ncp_measure_jac(m, options, dry);
    tac_ncp_measure_vjp(m, options, dry);
    tac_ncp_measure_forces(m, options, dry);
}

static const tacStepper STEPPER = {.integrators =
                                       TAC_HAS(TAC_EULER) | TAC_HAS(TAC_IMPLICIT) | TAC_HAS(TAC_IMPLICITFAST),
                                   .step = step,
                                   .jac = tac_ncp_jac,
                                   .vjp = tac_ncp_vjp,
                                   TAC_SMOOTH_ACCELERATION,
                                   .forces = tac_ncp_forces_out,
                                   .forces_jac = tac_ncp_forces_jac,
                                   .forces_vjp = tac_ncp_forces_vjp,
                                   .contacts = tac_ncp_contacts,
                                   .history = tac_ncp_history,
                                   .fixed_rims = 1, /* it finds the same features again at other poses */
                                   .measure = measure};

const tacStepper *const TAC_STEPPERS_NCP[] = {&STEPPER, NULL};
