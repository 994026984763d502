/* The driver of a step's problem: runs a search, checks what its end penetrates, updates the features, decides what
 * comes next   (docs/theory/ncp.md, W15). */
#include "contact/ncp/contact.h"
#include "contact/ncp/fallback.h"
#include "contact/ncp/features.h"
#include "contact/ncp/step.h"
#include "contact/ncp/tuning.h"
#include "math/scalar.h"
#include "smooth/find_contacts.h"

#include <float.h>
#include <string.h>

/* Where a search starts (setup.c), and how it goes. */
typedef struct Search {
    int start;
    tacInteriorWay way;
    int replaces; /* 1: where it fails, features are replaced before the next one */
    int careful;  /* 1: products fall slowly, and steps stay further from the borders */
} Search;

/* Searches are tried in order until one succeeds. The second order is that of rough motions, which steps along the path
 * rarely solve. The last one takes all iterations that are left: jams with friction need a hundred of them, and no
 * other start helps. */
enum { NSEARCH = 4 };
static const Search SEARCHES[2][NSEARCH] = {{{0, TAC_ALONG_PATH, 0},
                                             {0, TAC_BETWEEN_BORDERS, 1},
                                             {1, TAC_BETWEEN_BORDERS, 0},
                                             {0, TAC_ALONG_PATH_PATIENTLY, 0}},
                                            {{0, TAC_BETWEEN_BORDERS, 0},
                                             {1, TAC_BETWEEN_BORDERS, 1},
                                             {0, TAC_ALONG_PATH, 0},
                                             {0, TAC_ALONG_PATH_PATIENTLY, 0}}};

/* With pairs there are no features to replace, and no steps along the path   (docs/theory/ncp_pairs.md, SL10). */
enum { NPAIR = 8 };
static const Search OF_PAIRS[NPAIR] = {{0, TAC_BETWEEN_BORDERS, 0, 0}, {1, TAC_BETWEEN_BORDERS, 0, 0},
                                       {2, TAC_BETWEEN_BORDERS, 0, 0}, {5, TAC_BETWEEN_BORDERS, 0, 1},
                                       {6, TAC_BETWEEN_BORDERS, 0, 1}, {4, TAC_BETWEEN_BORDERS, 0, 1},
                                       {3, TAC_BETWEEN_BORDERS, 0, 1}, {5, TAC_ALONG_PATH_PATIENTLY, 0, 1}};

/* What a search led to. */
typedef enum {
    SOLVED,    /* a solution that penetrates nothing */
    CHANGED,   /* features were added or removed: another problem */
    STUCK,     /* no solution */
    EXHAUSTED, /* no solution, and no iterations left */
    FAILED     /* an error */
} Outcome;

/* What comes next. */
typedef enum {
    ACCEPT,
    SOLVE_AGAIN, /* the changed problem, from where the last search ended */
    SEARCH_NEXT, /* from the next start */
    REPLACE,     /* the features by those near the best end */
    RELAX,       /* the bounds of what is violated at q   (W49) */
    FALL_BACK,   /* to the best end */
    GIVE_UP
} Action;

typedef struct Driver {
    tacContext *ctx;
    tacNcp *p;
    double kappa;
    const Search *searches;
    int search; /* the next one */
    int again;  /* 1: it starts where the last one ended */
    int rounds; /* of changing features */
    int relaxed;
    tacStatus status; /* of the last search */
    tacNcpBest best;  /* the best end of a search of this problem */
} Driver;

/* --- One search --------------------------------------------------------------------------------------------------- */

/* The options' tolerance, or the rounding of positions in the balance if that is larger: m |x|/h of 1e5 kg, 1 m and 1
 * ms is 1e8 N s. The balance has two positions. Each of their coordinates is rounded by half a unit, so the two are off
 * by at most sqrt(3) units of |x|. */
static double tolerance_of(const tacContext *ctx, const tacNcp *p) {
    double sum = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (!p->ldu.still[b]) sum += p->m->body_mass[b] * tac_norm3(p->w->xipos[b]);
    return tac_max(ctx->options.ncp_tolerance, 2 * DBL_EPSILON * sum / p->h);
}

static double centring(double tolerance, double kappa) {
    return tac_max(TAC_NCP_FINE_CENTRING, TAC_NCP_CENTRING * tac_min(1, tolerance / kappa));
}

static int iterations_left(const tacContext *ctx) { return ctx->options.ncp_iterations - ctx->info.iterations; }

static tacInteriorSettings settings_of(const Driver *d) {
    const Search *s = &d->searches[d->search];
    double tolerance = tolerance_of(d->ctx, d->p);
    return (tacInteriorSettings){.kappa = d->kappa,
                                 .residual = tolerance,
                                 .centring = centring(tolerance, d->kappa),
                                 .max_iterations = iterations_left(d->ctx),
                                 .polish = d->ctx->options.ncp_polish,
                                 .polished = DBL_EPSILON,
                                 .share = s->start == 0 ? TAC_NCP_SHARE_FIRST
                                          : s->careful  ? TAC_NCP_SHARE_CAREFUL
                                                        : TAC_NCP_SHARE_OTHERS,
                                 .least_aim = s->careful ? TAC_NCP_AIM_CAREFUL : 0,
                                 .way = s->way};
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

/* The residual E. Where E is within the tolerance and products are not, their error in its unit. */
static double residual_of(const tacInteriorSettings *s, const tacInterior *point) {
    double products = s->residual * point->centring / s->centring;
    return point->end == TAC_END_SOLVED ? point->violation : tac_max(point->violation, products);
}

/* Starts and solves: p at the end, ctx->info. */
static tacStatus search(const Driver *d) {
    tacContext *ctx = d->ctx;
    tacNcp *p = d->p;
    tacInterior point = {.x = p->x, .a = p->a, .b = p->b};
    tacInteriorSettings settings = settings_of(d);
    tacStatus status = tac_ncp_start(p, d->searches[d->search].start, d->again); /* may remove contacts */
    tacInteriorProblem problem = tac_ncp_problem(p);
    tac_ncp_history_begin(ctx, &point);
    if (status == TAC_OK) status = tac_interior_solve(&problem, &settings, &point, &ctx->arena);
    tac_ncp_history_end(ctx, &point);
    ctx->info.iterations += point.iterations;
    ctx->info.residual = residual_of(&settings, &point);
    ctx->info.reason = reason_of(point.end, p);
    p->end.violation = point.violation;
    p->end.centring = point.centring;
    return status;
}

/* --- Its end ------------------------------------------------------------------------------------------------------ */

/* 1: features may change. */
static int may_change(const Driver *d) { return d->rounds < TAC_NCP_MAX_ROUNDS && iterations_left(d->ctx) > 0; }

/* Checks the solution. Adds the features that it penetrates where it may; otherwise the step is unsolved. */
static Outcome check_penetration(Driver *d) {
    tacStepInfo *info = &d->ctx->info;
    tacNcp *p = d->p;
    double overlap, tolerance = d->ctx->options.ncp_tolerance;
    int changed, may = may_change(d);
    d->status = tac_ncp_find_overlap(d->ctx, p, tolerance, may, &changed, &overlap);
    if (d->status != TAC_OK) return FAILED;
    if (overlap == 0) return SOLVED;
    int stopped = may ? tac_ncp_stop_bounces(p, tolerance) : 0;
    if (stopped > 0) memcpy(p->anchor, p->x, (size_t)p->m->nv * sizeof *p->x);
    info->residual = tac_max(info->residual, overlap);
    info->reason = may ? TAC_REASON_OVERLAP : iterations_left(d->ctx) > 0 ? TAC_REASON_FEATURES : TAC_REASON_ITERATIONS;
    return changed + stopped > 0 ? CHANGED : STUCK;
}

/* Updates the features after a search without solution: removes those that were lost, adds those that its end
 * penetrates. Returns how many. */
static int update_features(const Driver *d) {
    double overlap, tolerance = tac_max(d->ctx->options.ncp_tolerance, TAC_NCP_ROUGH_OVERLAP);
    tacReason why = d->ctx->info.reason;
    int added, gone = why == TAC_REASON_TOUCH || why == TAC_REASON_STALLED ? tac_ncp_remove_lost(d->p) : 0;
    tacStatus status = tac_ncp_find_overlap(d->ctx, d->p, tolerance, 1, &added, &overlap);
    return gone + (status == TAC_OK ? added : 0); /* there may be no room for all that overlap */
}

/* Runs the next search and checks its end. Keeps the end of one without solution if it is the best. */
static Outcome run_search(Driver *d) {
    d->status = search(d);
    Outcome outcome = d->status == TAC_OK ? check_penetration(d) : d->status == TAC_ERR_UNSOLVED ? STUCK : FAILED;
    if (d->status == TAC_ERR_UNSOLVED && may_change(d) && update_features(d) > 0) return CHANGED;
    if (outcome != STUCK) return outcome;
    tac_ncp_keep_best(d->ctx, d->p, &d->best);
    return iterations_left(d->ctx) > 0 ? STUCK : EXHAUSTED;
}

/* --- The driver --------------------------------------------------------------------------------------------------- */

static Action next_action(const Driver *d, Outcome outcome) {
    static const Action ACTIONS[] = {
        [SOLVED] = ACCEPT, [CHANGED] = SOLVE_AGAIN, [EXHAUSTED] = FALL_BACK, [FAILED] = GIVE_UP};
    if (outcome != STUCK) return ACTIONS[outcome];
    if (d->searches[d->search].replaces && may_change(d)) return REPLACE;
    if (d->search + 1 < (d->p->pairs.on ? (int)NPAIR : (int)NSEARCH)) return SEARCH_NEXT;
    return d->relaxed ? FALL_BACK : RELAX;
}

/* Begins with the first search of a changed problem. */
static void restart(Driver *d, int again) {
    d->search = 0;
    d->again = again;
    d->best.numbers = -1;
}

static void search_next(Driver *d) {
    d->search++;
    d->again = 0;
}

/* Replaces the features by those within reach at the best end, where those of q lead a search nowhere: a face counts as
 * an infinite plane, and a body that turns past its edge cannot get to the far side. */
static tacStatus replace_features(Driver *d) {
    int changed = 0;
    d->rounds++;
    if (!(*d->p->m->option_disable & TAC_DISABLE_CONSTRAINT)) {
        tacStatus status = tac_ncp_restore_best(d->ctx, d->p, &d->best);
        if (!tac_went_on(status)) return status;
        TAC_TRY(tac_ncp_find_features_ahead(d->ctx, d->p, &changed));
    }
    if (changed > 0)
        restart(d, 1);
    else
        search_next(d);
    return TAC_OK;
}

/* Relaxes the bounds that are violated at q. 0: there are none. */
static int relax_bounds(Driver *d) {
    d->relaxed = 1;
    if (!tac_ncp_relax_bounds(d->p)) return 0;
    restart(d, 0);
    return 1;
}

/* Runs searches until there is a solution or nothing is left to try. */
static tacStatus drive(Driver *d) {
    for (;;) {
        Outcome outcome = run_search(d);
        switch (next_action(d, outcome)) {
        case ACCEPT:
            return TAC_OK;
        case SOLVE_AGAIN:
            d->rounds++;
            restart(d, 1);
            break;
        case SEARCH_NEXT:
            search_next(d);
            break;
        case REPLACE:
            TAC_TRY(replace_features(d));
            break;
        case RELAX:
            if (!relax_bounds(d)) return TAC_ERR_UNSOLVED;
            break;
        case FALL_BACK:
            return TAC_ERR_UNSOLVED;
        case GIVE_UP:
            return d->status;
        }
    }
}

tacStatus tac_ncp_solve(tacContext *ctx, double kappa, tacNcp *p) {
    TAC_SCOPE(&ctx->arena);
    Driver d = {.ctx = ctx, .p = p, .kappa = kappa, .searches = p->pairs.on ? OF_PAIRS : SEARCHES[tac_ncp_is_rough(p)]};
    if (!tac_ncp_best_layout(&d.best, p->m, p->max_contacts, ctx->options.ncp_collision, &ctx->arena))
        return TAC_ERR_ARENA_FULL;
    d.best.numbers = -1;
    tacStatus status = drive(&d);
    return status == TAC_ERR_UNSOLVED ? tac_ncp_fall_back(ctx, p, &d.best) : status;
}

void tac_ncp_measure_searches(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    int max_contacts = options->max_contacts;
    tacNcpCollision collision = options->ncp_collision;
    tacNcpBest best;
    tac_ncp_best_layout(&best, m, max_contacts, collision, dry);
    tac_measure_find_contacts(m, dry);
    tac_interior_measure(tac_ncp_max_unknowns(m, max_contacts, collision),
                         tac_ncp_max_numbers(m, max_contacts, collision), dry);
}

/* --- For derivatives ---------------------------------------------------------------------------------------------- */

/* The smallest gap of contacts and limits: their cones are half lines. */
static double smallest_gap(const tacNcp *p) {
    double least = TAC_INFINITY;
    for (int c = 0, adr = 0; c < p->ncone; adr += p->dim[c++])
        if (p->dim[c] == 1) least = tac_min(least, p->b[adr]);
    return least;
}

tacStatus tac_ncp_refine(tacContext *ctx, double kappa, tacNcp *p) {
    double tolerance = tolerance_of(ctx, p), fine = TAC_NCP_FINE * tac_min(tolerance, smallest_gap(p));
    if (p->end.violation <= fine && p->end.centring <= TAC_NCP_FINE_CENTRING) return TAC_OK;
    tacInteriorSettings polish = {.kappa = kappa,
                                  .residual = tolerance,
                                  .centring = centring(tolerance, kappa),
                                  .polish = TAC_NCP_REFINEMENTS,
                                  .polished = tac_sqrt(DBL_EPSILON), /* rounding of small gaps leaves as much */
                                  .share = TAC_NCP_SHARE_FIRST};
    tacInteriorSettings follow = {.kappa = kappa,
                                  .residual = fine,
                                  .centring = TAC_NCP_FINE_CENTRING,
                                  .max_iterations = TAC_NCP_REFINEMENTS,
                                  .share = TAC_NCP_SHARE_FIRST,
                                  .way = TAC_ALONG_PATH};
    tacInteriorProblem problem = tac_ncp_problem(p);
    tacInterior point = {.x = p->x, .a = p->a, .b = p->b, .violation = p->end.violation, .centring = p->end.centring};
    tacStatus status = tac_interior_polish(&problem, &polish, &point, &ctx->arena);
    if (status == TAC_OK && !(point.polished <= TAC_NCP_FINE)) { /* its steps lead out of a cone, or go round */
        status = tac_interior_solve(&problem, &follow, &point, &ctx->arena);
        if (tac_went_on(status)) status = tac_interior_polish(&problem, &polish, &point, &ctx->arena);
    }
    p->end.violation = point.violation;
    p->end.centring = point.centring;
    return status;
}
