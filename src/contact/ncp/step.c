/* Contact ncp: variational integrator and exact friction cones (contact/ncp/problem.h). */
#include "contact/ncp/step.h"

#include "contact/ncp/bodies.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/fallback.h"
#include "contact/ncp/features.h"
#include "contact/ncp/report.h"
#include "contact/ncp/step_deriv.h"
#include "dynamics/actuator.h"
#include "math/scalar.h"

#include <string.h>

/* Speed (m/s) beyond its own and that of falling which a geom may reach within one step and still be met. */
#define SLACK_SPEED 0.5
/* Products of cone variables are on the central path where they are off by this share of kappa: the tolerance times
 * CENTRING_PER_TOLERANCE, at most a thousandth, and by no more than CENTRING_SHARE of the tolerance in units of the
 * products, as at a large kappa a thousandth of it is a motion that can be seen; but for CENTRING_LEAST, below which
 * rounding may be all that is left of the products. */
#define CENTRING_PER_TOLERANCE 1e6
#define CENTRING_MOST          1e-3
#define CENTRING_SHARE         1e-2
#define CENTRING_LEAST         1e-5
/* Derivatives are those of a point of the path: where a solution is further from it than these shares of the tolerance
 * and of kappa, it is brought nearer by so many of Newton's steps at most. What a thousandth of a product is off by, a
 * derivative is as well. */
#define FINE          1e-3 /* of the tolerance, and of the smallest gap, which of small robots is less */
#define FINE_CENTRING 1e-7
#define REFINEMENTS   6
/* Of places: a few units of the last digit. */
#define ROUNDING 1e-15
/* m: where a search ends that found no solution, features that overlap by less say nothing. */
#define ROUGH 1e-3
/* Share of the way to the border that steps of a search go at least: of the first, and of the others, which are more
 * careful as it did not get through. */
#define SHARE_FIRST  0.9
#define SHARE_OTHERS 0.8
/* How often the reach is halved where it has more contacts than there is room for. */
#define MAX_HALVINGS 6
/* How often features that a search overlaps by are added to the problem. */
#define MAX_ROUNDS 6
/* How often they are chosen replaced, and after which of the searches that lead nowhere. */
#define MAX_REPLACEMENTS 2
#define SOFT             1e-8 /* kappa above which they are not */
#define REPLACE_AFTER    1
/* Searches one after another until one ends at a solution: where they start, and which go along the path from there.
 * Where the motion is rough that comes third. LOOSE: with friction's bound held still in each step, which finds its way
 * where bounds and normal impulses turn each other over. */
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

/* How far each geom may come in a step: h (2 |velocity of its middle| + 2 |turning| radius + h |g| + slack); twice, as
 * what hits something with one end may go on faster with the other. */
static void reach_of_motion(const tacContext *ctx, double *extra) {
    const tacModel *m = ctx->model;
    const tacWork *w = &ctx->work;
    double h = ctx->options.dt, slack = h * tac_norm3(tac_base_acceleration(m).lin) + SLACK_SPEED;
    for (int g = 0; g < m->ngeom; g++) {
        int body = m->geom_body[g];
        double radius = tac_geom_has_shape(m, g) ? tac_shape_radius(&ctx->scene.shape[g]) : 0;
        double speed = tac_norm3(tac_point_velocity(w, body, ctx->scene.pose[g].p));
        int still = m->body_last_dof[body] < 0;
        extra[g] = still ? 0 : h * (2 * (speed + tac_norm3(w->V[body].ang) * radius) + slack);
    }
}

static void scale_reach(int n, double scale, double *extra) {
    for (int g = 0; g < n; g++)
        extra[g] *= scale;
}

/* What touches at the poses of w, or with `ahead` may within the step -> p->found. Where there is no room for all that
 * may, the reach is halved until there is, and at last is none: what else is met, a look after the search finds. */
static tacStatus find_contacts(tacContext *ctx, const tacWork *w, int ahead, tacNcp *p, int *nfound) {
    const tacModel *m = ctx->model;
    TAC_SCOPE(&ctx->arena);
    double *extra = TAC_TAKE(&ctx->arena, m->ngeom, double);
    if (extra == NULL) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_place_geoms(m, w, &ctx->scene));
    if (ahead) reach_of_motion(ctx, extra);
    ctx->scene.extra = ahead ? extra : NULL;
    tacStatus status = tac_scene_contacts(&ctx->scene, m, p->found, p->max_contacts, nfound);
    for (int k = 0; ahead && k <= MAX_HALVINGS && status == TAC_ERR_CONTACTS; k++) {
        scale_reach(m->ngeom, k < MAX_HALVINGS ? 0.5 : 0, extra);
        status = tac_scene_contacts(&ctx->scene, m, p->found, p->max_contacts, nfound);
    }
    ctx->scene.extra = NULL;
    return status;
}

/* (x, u) -> the problem: forces at x, momenta before, contacts, limits. */
static tacStatus set_up(tacContext *ctx, const double *x, const double *u, tacNcp *p) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tacSmoothPoint at = tac_point_of(ctx, x, u);
    int nfound = 0;
    if (!tac_ncp_layout(p, m, ctx->options.max_contacts, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    p->w = w, p->scene = &ctx->scene;
    p->q = x, p->v = x + m->nq, p->mocap = at.u.mocap;
    p->h = ctx->options.dt, p->point = at, p->cone_kind = ctx->options.ncp_friction;
    p->implicit = ctx->options.integrator == TAC_IMPLICIT || ctx->options.integrator == TAC_IMPLICITFAST;
    p->damping_span = p->implicit && !(*m->option_disable & TAC_DISABLE_DAMPER) ? p->h : tac_damping_span(ctx);
    p->bounce_speed = ctx->options.bounce_speed, p->tolerance = ctx->options.ncp_tolerance;
    tac_smooth_forces(m, w, at.q, at.v, at.act, at.u, at.h);
    for (int i = 0; i < m->nv; i++)
        p->tau[i] = p->h * (w->qfrc[i] + w->bias[i]); /* bias is the integrator's own */
    tacStatus status = find_contacts(ctx, w, 1, p, &nfound);
    if (status != TAC_OK) return status;
    tac_ncp_begin_bodies(p);
    tac_ncp_add_constraints(p, nfound);
    return TAC_OK;
}

/* Why a search ended as it did: steps that get nowhere may do so because a body would turn too far. */
static tacReason reason_of(tacInteriorEnd end, const tacNcp *p) {
    static const tacReason REASONS[] = {[TAC_END_SOLVED] = TAC_REASON_NONE,
                                        [TAC_END_ITERATIONS] = TAC_REASON_ITERATIONS,
                                        [TAC_END_STALLED] = TAC_REASON_STALLED,
                                        [TAC_END_SINGULAR] = TAC_REASON_SINGULAR,
                                        [TAC_END_OUTSIDE] = TAC_REASON_TOUCH};
    int nowhere = end == TAC_END_STALLED || end == TAC_END_OUTSIDE;
    return nowhere && p->turned > 0 ? TAC_REASON_TURNED : REASONS[end];
}

/* Steps of this search leave out a share of how friction's bound follows the normal impulse. */
static void loosen(tacNcp *p, double share) {
    for (int i = 0; i < p->ncontact; i++)
        p->contact[i].friction.loose = share;
}

/* What E is off by; where that is within the tolerance and products are not, by how much they are, in its unit. */
static double residual_of(const tacInteriorSettings *s, const tacInterior *point) {
    double products = s->residual * point->centring / s->centring;
    return point->end == TAC_END_SOLVED ? point->violation : tac_max(point->violation, products);
}

/* One search -> p at its end, ctx->info. */
static tacStatus search(tacContext *ctx, tacNcp *p, Search way, int again, const tacInteriorSettings *settings) {
    tacInterior point = {.x = p->x, .a = p->a, .b = p->b};
    tacStatus status = tac_ncp_start(p, way.start, again); /* may leave contacts out */
    tacInteriorProblem problem = tac_ncp_problem(p);
    tac_ncp_history_begin(ctx, &point);
    loosen(p, way.loose);
    if (status == TAC_OK) status = tac_interior_solve(&problem, settings, &point, &ctx->arena);
    tac_ncp_history_end(ctx, &point);
    loosen(p, 0);
    ctx->info.iterations += point.iterations;
    ctx->info.residual = residual_of(settings, &point);
    p->end.violation = point.violation, p->end.centring = point.centring;
    ctx->info.reason = reason_of(point.end, p);
    return status;
}

tacStatus tac_ncp_find_overlap(tacContext *ctx, tacNcp *p, double tolerance, int may_change, int *added,
                               double *overlap) {
    int nfound = 0;
    *added = 0, *overlap = 0;
    if (*ctx->model->option_disable & TAC_DISABLE_CONSTRAINT) return TAC_OK;
    tacStatus status = find_contacts(ctx, &p->next, 0, p, &nfound);
    if (status != TAC_OK) return status;
    *overlap = tac_ncp_overlap(p, nfound, tolerance);
    if (!may_change || *overlap == 0) return TAC_OK;
    *added = tac_ncp_add_overlapping(p, nfound, tolerance);
    if (*added > 0) memcpy(p->anchor, p->x, (size_t)p->m->nv * sizeof *p->x);
    return TAC_OK;
}

/* The options' tolerance, or what rounding of places leaves of the balance: m |x|/h of 1e5 kg, 1 m and 1 ms is 1e8 N
 * s. */
static double tolerance_of(const tacContext *ctx, const tacNcp *p) {
    double sum = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (!p->ldu.still[b]) sum += p->m->body_mass[b] * tac_norm3(p->w->xipos[b]);
    return tac_max(ctx->options.ncp_tolerance, ROUNDING * sum / p->h);
}

static double centring(double tolerance, double kappa) {
    double share = tac_max(CENTRING_LEAST, CENTRING_SHARE * tolerance / kappa);
    return tac_min(tac_min(CENTRING_MOST, CENTRING_PER_TOLERANCE * tolerance), share);
}

/* Steps that got nowhere as they led where a contact's features are not: such contacts leave the problem -> how
 * many. */
static int remove_lost(const tacContext *ctx, tacNcp *p) {
    int nowhere = ctx->info.reason == TAC_REASON_TOUCH || ctx->info.reason == TAC_REASON_STALLED;
    return nowhere ? tac_ncp_remove_lost(p) : 0;
}

/* How the searches of a step stand. */
typedef struct Course {
    const Search *ways;
    int next;             /* which of them comes */
    int again;            /* 1: it begins where the last one ended */
    int rounds, replaced; /* how often features have come or gone; were chosen replaced */
    tacNcpBest best;      /* the best end of searches of this problem */
} Course;

/* The problem has become another one: all its searches, the first from where the last one ended. */
static void restart(Course *c) { c->next = 0, c->again = 1, c->best.numbers = -1; }

static int iterations_left(const tacContext *ctx) { return ctx->options.ncp_iterations - ctx->info.iterations; }

/* p at a solution -> TAC_OK, unless it overlaps: by features that are added to it, or may not be any more, or by such
 * as it has. */
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

/* p at the end of a search that found no solution -> features that it lost on its way, or overlaps by: how many have
 * gone and come. */
static int update_features(tacContext *ctx, tacNcp *p) {
    double overlap;
    int added, gone = remove_lost(ctx, p);
    tacStatus status = tac_ncp_find_overlap(ctx, p, tac_max(ctx->options.ncp_tolerance, ROUGH), 1, &added, &overlap);
    return gone + (status == TAC_OK ? added : 0); /* there need be no room for all that overlaps then */
}

/* The next search, and a look at the features where it led. *changed: TAC_ERR_UNSOLVED as some have come or gone, and
 * the problem is another one. */
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

/* Where two geoms have more features in reach than are best, those that the motion of before overlaps by are added at
 * once: found after a search they would cost another. */
static tacStatus predict_features(tacContext *ctx, tacNcp *p) {
    double overlap;
    int added;
    if (!tac_ncp_has_full_pair(p)) return TAC_OK;
    memcpy(p->x, p->v, (size_t)p->m->nv * sizeof *p->x);
    if (tac_ncp_place_bodies(p, p->x) != TAC_OK) return TAC_OK;
    tacStatus status = tac_ncp_find_overlap(ctx, p, 0, 1, &added, &overlap);
    return status == TAC_ERR_CONTACTS ? TAC_OK : status; /* a solution overlaps by less */
}

/* Where the features of q lead a search nowhere, those within reach at its best end take their place: a face is a plane
 * without end to them, which a body that turns past its edge cannot be on the far side of. Not of soft steps,
 * where all that is near at q has a force. -> how many are others. */
static tacStatus replace_features(tacContext *ctx, tacNcp *p, double kappa, const tacNcpBest *best, int *changed) {
    int nfound = 0;
    *changed = 0;
    if (*ctx->model->option_disable & TAC_DISABLE_CONSTRAINT || kappa > SOFT) return TAC_OK;
    tacStatus status = tac_ncp_restore_best(ctx, p, best);
    if (!tac_went_on(status)) return status;
    status = find_contacts(ctx, &p->next, 1, p, &nfound);
    if (status == TAC_ERR_CONTACTS) return TAC_OK; /* no room for all */
    if (status != TAC_OK) return status;
    *changed = tac_ncp_replace_features(p, nfound);
    if (*changed > 0) memcpy(p->anchor, p->x, (size_t)p->m->nv * sizeof *p->x);
    return TAC_OK;
}

/* The starts are tried in order; features that a search leads to, or loses on its way, begin them replaced, from where it
 * ended. -> p at the solution (p->x is v+), or TAC_ERR_UNSOLVED and the best end. */
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
        status = replace_features(ctx, p, kappa, &c->best, &changed);
        if (status != TAC_OK) return status;
        if (changed > 0) restart(c);
    }
    return TAC_ERR_UNSOLVED;
}

/* -> p at the solution, or at the best of the ends of searches (ncp_ends.c). Where none makes good all that q breaks,
 * that gives way   (W49). */
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

/* Of contacts and limits, whose cones are half lines. */
static double smallest_gap(const tacNcp *p) {
    double least = TAC_INFINITY;
    for (int c = 0, adr = 0; c < p->ncone; adr += p->dim[c++])
        if (p->dim[c] == 1) least = tac_min(least, p->b[adr]);
    return least;
}

tacStatus tac_ncp_refine(tacContext *ctx, double kappa, tacNcp *p) {
    double tolerance = tolerance_of(ctx, p), gap = smallest_gap(p), fine = FINE * tac_min(tolerance, gap);
    if (p->end.violation <= fine && p->end.centring <= FINE_CENTRING) return TAC_OK;
    tacInteriorSettings polish = {kappa, tolerance, centring(tolerance, kappa), 0, REFINEMENTS, SHARE_FIRST, 0};
    tacInteriorSettings follow = {kappa, fine, FINE_CENTRING, REFINEMENTS, 0, SHARE_FIRST, 1};
    tacInteriorProblem problem = tac_ncp_problem(p);
    tacInterior point = {.x = p->x, .a = p->a, .b = p->b};
    tacStatus status = tac_interior_solve(&problem, gap < tolerance ? &follow : &polish, &point, &ctx->arena);
    return tac_went_on(status) ? TAC_OK : status;
}

/* v+ -> w->next. */
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
    tacStatus status = set_up(ctx, x, u, p);
    if (status != TAC_OK) return status;
    tac_ncp_report_start(p, &ctx->info);
    status = predict_features(ctx, p);
    if (status != TAC_OK) return status;
    tacStatus solved = solve(ctx, kappa, p);
    if (!tac_went_on(solved)) return solved;
    if (p->turned_before > 0) solved = TAC_ERR_UNSOLVED, ctx->info.reason = TAC_REASON_TURNED;
    status = advance(ctx, x, p);
    tac_ncp_report(p, &ctx->info);
    return status == TAC_OK ? solved : status;
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    tacNcp p;
    TAC_SCOPE(&ctx->arena);
    tacStatus status = tac_ncp_solve_step(ctx, x, u, ctx->options.ncp_kappa, &p);
    if (tac_went_on(status)) memcpy(y, ctx->work.next, (size_t)tac_nx(ctx->model) * sizeof *y);
    return status;
}

/* --- The table ---------------------------------------------------------------------------------------------------- */

/* What find_contacts takes. */
static void measure_contacts(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    TAC_TAKE(dry, m->ngeom, double);
}

/* What `solve` takes: the searches, each of which may find contacts. */
static void measure_searches(const tacModel *m, int max_contacts, tacArena *dry) {
    TAC_SCOPE(dry);
    tacNcpBest best;
    tac_ncp_best_layout(&best, m, max_contacts, dry);
    measure_contacts(m, dry);
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

static void measure_acceleration(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_arena_take(dry, tac_smooth_scratch(m, options));
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    measure_step(m, options, dry);
    measure_acceleration(m, options, dry);
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
