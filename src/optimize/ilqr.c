/* Iterative linear-quadratic regulator over knots with gaps
 * (docs/theory/plan.md)
 *
 * An iteration: one sweep of derivatives at the path, a backward pass, and a
 * line search with the hard step. Where no length improves, regularization is
 * raised, and the backward pass is done again with the same derivatives.
 * Constraints enter by an augmented Lagrangian. */
#include "optimize/ilqr.h"

#include "math/dense.h"
#include "math/scalar.h"
#include "optimize/backward.h"
#include "optimize/planner.h"

#include <string.h>

enum { MOST_RETRIES = 12, MOST_LENGTHS = 9, MOST_ESCAPES = 12, MOST_SOFTENINGS = 12 };
#define LEAST_REGULARIZATION 1e-9
#define MOST_REGULARIZATION  1e9
#define SUFFICIENT           1e-3 /* share of what was promised */
#define GOOD                 0.5  /* share of it with which regularization falls */
#define POOR                 0.1  /* and below which it rises */
#define FALLS                0.3  /* a violation that falls by less raises its penalty */
/* Of the merit: a step that gains less leaves held contacts as they are. */
#define STILL      1e-6
#define STATIONARY 1e-12
/* Kappa of auto: the first, the last, and the factor between. */
#define AUTO_FIRST 2e-3
#define AUTO_LAST  1e-6
/* At a larger one, auto looks whether the cost falls further at this one before it ends. */
#define AUTO_SHARP  5e-4
#define AUTO_FACTOR 0.31622776601683794

/* What is kept between iterations besides arrays. */
typedef struct State {
    double regularization, kappa, gap_weight;
    double cost, violation; /* at the last change of multipliers */
    int unsolved, stalls, met, exact;
    double met_cost;
} State;

typedef struct Ilqr {
    tacPlanner *pl;
    const tacPlan *plan;
    State *s;
    double *lambda, *mu, *D; /* nrow, nterm, n x ndx; kept */
    double *A, *B, *P, *g, *H, *k, *K, *Kx, *dp;
    double *X, *U, *p, *gaps; /* a candidate */
    double *rows, *dz;
    tacArena arena; /* of the backward pass */
} Ilqr;

/* --- Memory
 * -------------------------------------------------------------------------------------------------------
 */

/* The next n entries of memory that is laid out anew in each iteration and keeps its content: unlike TAC_TAKE it fills
 * nothing. */
static void *place(tacArena *memory, size_t n, size_t size) {
    void *block = (void *)((uintptr_t)memory->base + memory->used);
    memory->used += tac_arena_round(n * size);
    if (memory->used > memory->peak) memory->peak = memory->used;
    return block;
}

static size_t layout(Ilqr *q, const tacPlan *plan, tacArena *memory) {
    size_t n = (size_t)plan->n, ndx = (size_t)plan->ndx, nu = (size_t)plan->nu, np = (size_t)plan->nunknown;
    size_t nz = (size_t)tac_backward_nz(plan), nw = nz + nu;
    q->plan = plan;
    q->s = place(memory, 1, sizeof *q->s);
    q->lambda = place(memory, (size_t)plan->nrow, sizeof(double));
    q->mu = place(memory, (size_t)plan->nterm, sizeof(double));
    q->D = place(memory, n * ndx, sizeof(double));
    size_t kept = memory->used;
    q->A = place(memory, n * ndx * ndx, sizeof(double));
    q->B = place(memory, n * ndx * nu, sizeof(double));
    q->P = place(memory, n * ndx * np, sizeof(double));
    q->g = place(memory, (n + 1) * nw, sizeof(double));
    q->H = place(memory, (n + 1) * nw * nw, sizeof(double));
    q->k = place(memory, n * nu, sizeof(double));
    q->K = place(memory, n * nu * nz, sizeof(double));
    q->Kx = place(memory, n * nu * ndx, sizeof(double));
    q->dp = place(memory, np, sizeof(double));
    q->X = place(memory, (n + 1) * (size_t)plan->nx, sizeof(double));
    q->U = place(memory, n * nu, sizeof(double));
    q->p = place(memory, np, sizeof(double));
    q->gaps = place(memory, n * ndx, sizeof(double));
    q->rows = place(memory, (size_t)plan->nrow, sizeof(double));
    q->dz = place(memory, nz, sizeof(double));
    tacArena dry = tac_arena_dry();
    tac_backward_measure(plan, &dry);
    void *scratch = place(memory, dry.peak, 1);
    if (!tac_arena_is_dry(memory)) tac_arena_init(&q->arena, scratch, dry.peak);
    return kept;
}

static size_t bytes_of(const tacPlan *plan, const tacPlanOptions *options) {
    Ilqr q;
    tacArena dry = tac_arena_dry();
    (void)options;
    layout(&q, plan, &dry);
    return dry.peak;
}

static size_t kept_of(const tacPlan *plan, const tacPlanOptions *options) {
    Ilqr q;
    tacArena dry = tac_arena_dry();
    (void)options;
    return layout(&q, plan, &dry);
}

static Ilqr open_ilqr(tacPlanner *pl, void *memory) {
    Ilqr q = {.pl = pl};
    tacArena arena = {memory, bytes_of(pl->plan, &pl->options), 0, 0};
    layout(&q, pl->plan, &arena);
    return q;
}

/* --- Candidates
 * ---------------------------------------------------------------------------------------------------
 */

typedef struct Candidate {
    tacPathSum sum;
    double gap, gaps; /* largest; sum of all */
    int unsolved, ok;
} Candidate;

/* The candidate of one step length: a rollout of the policy, gaps 1 - a times
 * what they were. */
static int roll_candidate(const Ilqr *q, double length, Candidate *c) {
    const tacPlan *plan = q->plan;
    tacPlanner *pl = q->pl;
    int ndx = plan->ndx, nu = plan->nu, nz = tac_backward_nz(plan);
    for (int i = 0; i < plan->nunknown; i++) {
        q->p[i] = tac_clamp(pl->now.p[i] + length * q->dp[i], plan->low_p[i], plan->high_p[i]);
        q->dz[ndx + i] = q->p[i] - pl->now.p[i];
    }
    memset(q->dz + ndx + plan->nunknown, 0, (size_t)plan->nchange * sizeof *q->dz);
    if (tac_planner_set_p(pl, q->p) != TAC_OK) return 0;
    memcpy(q->X, plan->x0, (size_t)plan->nx * sizeof *q->X);
    for (int k = 0; k < plan->n; k++) {
        double *x = tac_own_row(q->X, k, plan->nx), *y = tac_own_row(q->X, k + 1, plan->nx);
        double *u = tac_own_row(q->U, k, nu), *gap = tac_own_row(q->gaps, k, ndx);
        const double *before = tac_row(pl->now.U, k, nu);
        tac_state_sub(plan->model, x, tac_row(pl->now.X, k, plan->nx), q->dz);
        for (int i = 0; i < nu; i++) {
            double feedback = tac_dense_dot(nz, q->K + ((size_t)k * (size_t)nu + (size_t)i) * (size_t)nz, q->dz);
            u[i] = tac_clamp(before[i] + length * tac_row(q->k, k, nu)[i] + feedback, plan->low[i], plan->high[i]);
        }
        for (int i = 0; i < plan->nchange; i++)
            q->dz[nz - plan->nchange + i] = u[i] - before[i];
        tacStatus status = tac_planner_step(pl, x, u, y);
        if (!tac_went_on_planning(status)) return 0;
        c->unsolved += status != TAC_OK;
        if (q->s->exact) continue;
        for (int i = 0; i < ndx; i++) {
            gap[i] = (1 - length) * tac_row(q->D, k, ndx)[i];
            c->gap = tac_max(c->gap, tac_abs(gap[i]));
            c->gaps += tac_abs(gap[i]);
            q->dz[i] = -gap[i];
        }
        if (length < 1) tac_state_add(plan->model, y, q->dz, y);
    }
    return 1;
}

static void try_length(const Ilqr *q, double length, Candidate *c) {
    tacPlanner *pl = q->pl;
    double start = tac_planner_clock(pl);
    *c = (Candidate){0};
    c->ok = roll_candidate(q, length, c);
    pl->count.step_seconds += tac_planner_clock(pl) - start;
    if (!c->ok) return;
    tacPlanPath path = {q->X, q->U, q->p};
    tacMultipliers m = {q->lambda, q->mu};
    c->ok = tac_planner_sum(pl, &path, &m, NULL, NULL, NULL, NULL, &c->sum) == TAC_OK;
}

/* Takes the candidate as the current path. */
static void accept(const Ilqr *q, const Candidate *c) {
    const tacPlan *plan = q->plan;
    size_t nz = (size_t)tac_backward_nz(plan), ndx = (size_t)plan->ndx;
    for (size_t i = 0; i < (size_t)plan->n * (size_t)plan->nu; i++)
        memcpy(q->Kx + i * ndx, q->K + i * nz, ndx * sizeof *q->Kx);
    if (!q->s->exact) memcpy(q->D, q->gaps, (size_t)plan->n * ndx * sizeof *q->D);
    q->s->exact |= c->gap == 0;
    q->s->unsolved = c->unsolved;
    tac_planner_hold(q->pl, &(tacPlanPath){q->X, q->U, q->p}, q->Kx, q->s->exact, c->unsolved);
}

/* --- The start
 * ----------------------------------------------------------------------------------------------------
 */

static double first_kappa(const tacPlanner *pl) {
    const tacSmoothing *s = &pl->options.smoothing;
    if (pl->plan->options.contact != TAC_CONTACT_MODEL_NCP || s->kind == TAC_SMOOTHING_EXACT) return 0;
    return s->kind == TAC_SMOOTHING_AUTO ? AUTO_FIRST : s->first;
}

/* Gaps of a guess of states. 0: some step has no next state. */
static int find_gaps(Ilqr *q) {
    tacPlanner *pl = q->pl;
    const tacPlan *plan = q->plan;
    double largest = 0;
    q->s->unsolved = 0;
    if (tac_planner_set_p(pl, pl->now.p) != TAC_OK) return 0;
    for (int k = 0; k < plan->n; k++) {
        double *d = tac_own_row(q->D, k, plan->ndx), *y = q->X;
        tacStatus status = tac_planner_step(pl, tac_row(pl->now.X, k, plan->nx), tac_row(pl->now.U, k, plan->nu), y);
        if (!tac_went_on_planning(status)) return 0;
        q->s->unsolved += status != TAC_OK;
        tac_state_sub(plan->model, y, tac_row(pl->now.X, k + 1, plan->nx), d);
        largest = tac_max(largest, tac_dense_largest(plan->ndx, d));
    }
    q->s->exact = largest == 0;
    return 1;
}

static tacStatus begin(tacPlanner *pl, void *memory, tacError *err) {
    Ilqr q = open_ilqr(pl, memory);
    const tacPlanOptions *o = &pl->options;
    (void)err;
    memset(memory, 0, kept_of(pl->plan, o));
    *q.s = (State){.regularization = o->regularization, .kappa = first_kappa(pl)};
    for (int i = 0; i < pl->plan->nterm; i++)
        q.mu[i] = o->penalty;
    memset(q.Kx, 0, (size_t)pl->plan->n * (size_t)pl->plan->nu * (size_t)pl->plan->ndx * sizeof *q.Kx);
    if (!find_gaps(&q)) return TAC_ERR_NONFINITE;
    tacStatus status =
        tac_planner_hold(pl, &(tacPlanPath){pl->now.X, pl->now.U, pl->now.p}, q.Kx, q.s->exact, q.s->unsolved);
    q.s->cost = pl->count.best.cost;
    q.s->violation = TAC_INFINITY;
    return status;
}

/* --- One iteration
 * ------------------------------------------------------------------------------------------------
 */

/* Value of the current path, and all derivatives. */
static tacStatus differentiate(Ilqr *q, tacPathSum *sum) {
    tacPlanner *pl = q->pl;
    tacPlanPath path = tac_planner_path(pl);
    tacMultipliers m = {q->lambda, q->mu};
    double start = tac_planner_clock(pl);
    tacStatus status = tac_planner_jac(pl, &path, q->s->kappa, &(tacJac){q->A, q->B, q->P});
    pl->count.jac_seconds += tac_planner_clock(pl) - start;
    if (status != TAC_OK) return status;
    return tac_planner_sum(pl, &path, &m, NULL, NULL, q->g, q->H, sum);
}

/* What the search looks at: merit with gaps. */
static double merit_of(const Ilqr *q, double merit, double gaps) { return merit + q->s->gap_weight * gaps; }

static double sum_of_gaps(const Ilqr *q) {
    double sum = 0;
    for (int i = 0; !q->s->exact && i < q->plan->n * q->plan->ndx; i++)
        sum += tac_abs(q->D[i]);
    return sum;
}

/* What a step length promises, gaps included. */
static double promised_by(const Ilqr *q, const tacBackward *b, double gaps, double length) {
    return -(length * b->linear + length * length * b->quadratic) + length * q->s->gap_weight * gaps;
}

/* The longest step that gives enough of what it promises; 0: none does. */
static double search(Ilqr *q, const tacBackward *b, const tacPathSum *from, Candidate *c, tacPlanIteration *now) {
    double length = 1, gaps = sum_of_gaps(q);
    if (gaps > 0) { /* a full step promises at least half of what closing gaps is
                     worth */
        double weight = 2 * (b->linear + b->quadratic) / gaps;
        q->s->gap_weight = tac_max(q->s->gap_weight, weight);
    }
    double before = merit_of(q, from->merit, gaps);
    for (int t = 0; t < MOST_LENGTHS; t++, length *= 0.5) {
        double promised = promised_by(q, b, gaps, length);
        if (!(promised > 0)) continue;
        try_length(q, length, c);
        now->candidates++;
        if (!c->ok || c->unsolved > q->s->unsolved) continue;
        double after = merit_of(q, c->sum.merit, c->gaps);
        if (!(before - after >= SUFFICIENT * promised)) continue;
        now->promised = promised;
        now->gained = before - after;
        now->merit = after;
        return length;
    }
    return 0;
}

static void raise_regularization(State *s) { s->regularization = tac_max(10 * s->regularization, 1e-6); }

/* Backward passes with rising regularization until a step is found. */
static double find_step(Ilqr *q, const tacPathSum *from, Candidate *c, tacPlanIteration *now) {
    tacPlanner *pl = q->pl;
    for (int t = 0; t < MOST_RETRIES; t++) {
        tacBackward b = {.plan = q->plan, .A = q->A, .B = q->B, .P = q->P, .D = q->D, .g = q->g, .H = q->H};
        b.U = pl->now.U;
        b.p = pl->now.p;
        b.regularization = q->s->regularization;
        b.k = q->k;
        b.K = q->K;
        b.dp = q->dp;
        double start = tac_planner_clock(pl);
        int solved = tac_backward(&b, &q->arena);
        pl->count.solve_seconds += tac_planner_clock(pl) - start;
        now->regularization = q->s->regularization;
        now->passes++;
        if (solved > 0) {
            if (q->s->exact && -(b.linear + b.quadratic) <= STATIONARY * (1 + tac_abs(from->merit))) return 0;
            double length = search(q, &b, from, c, now);
            if (length > 0) return length;
        }
        if (tac_planner_is_stopped(pl) || q->s->regularization >= MOST_REGULARIZATION) return 0;
        raise_regularization(q->s);
    }
    return 0;
}

/* lcp, where no step improves: along the complementarity-aware gradient of the merit. It lets go of held contacts. */
static double escape(Ilqr *q, const tacPathSum *from, Candidate *c, tacPlanIteration *now) {
    tacPlanner *pl = q->pl;
    const tacPlan *plan = q->plan;
    int n = plan->n * plan->nu;
    tacPlanPath path = tac_planner_path(pl);
    tacMultipliers m = {q->lambda, q->mu};
    if (pl->aware == NULL || !q->s->exact || n == 0) return 0;
    if (tac_planner_set_p(pl, pl->now.p) != TAC_OK) return 0;
    if (tac_planner_slope(pl, pl->aware, &path, &m, q->k, NULL) != TAC_OK) return 0;
    double largest = tac_dense_largest(n, q->k), length = 2 * tac_max(1, tac_dense_largest(n, pl->now.U));
    if (!(largest > 0) || !tac_finite(largest)) return 0;
    for (int i = 0; i < n; i++)
        q->k[i] /= -largest;
    memset(q->K, 0, (size_t)n * (size_t)tac_backward_nz(plan) * sizeof *q->K);
    memset(q->dp, 0, (size_t)plan->nunknown * sizeof *q->dp);
    for (int t = 0; t < MOST_ESCAPES; t++, length *= 0.5) {
        try_length(q, length, c);
        now->candidates++;
        if (!c->ok || c->unsolved > q->s->unsolved || !(c->sum.merit < from->merit)) continue;
        now->aware = 1;
        now->merit = c->sum.merit;
        now->gained = now->promised = from->merit - c->sum.merit;
        return length;
    }
    return 0;
}

/* 1: an escape is worth a try: constraints are not met, and the step found gives next to nothing. */
static int stands_still(const Ilqr *q, const tacPathSum *from, const tacPlanIteration *now) {
    int nothing = now->length == 0 || now->gained <= STILL * (1 + tac_abs(from->merit));
    return q->pl->aware != NULL && q->s->exact && nothing && from->violation > q->pl->options.constraint_tolerance;
}

static void adapt_regularization(State *s, const tacPlanIteration *now) {
    double share = now->promised > 0 ? now->gained / now->promised : 0;
    if (share > GOOD && now->length > 0.4)
        s->regularization = s->regularization > LEAST_REGULARIZATION ? 0.1 * s->regularization : 0;
    else if (share < POOR || now->length < 0.2)
        raise_regularization(s);
}

/* lambda + mu c of all constraints of the current path; penalties of terms that
 * do not fall rise. */
static void update_multipliers(Ilqr *q) {
    tacPlanner *pl = q->pl;
    const tacPlan *plan = q->plan;
    const tacPlanOptions *o = &pl->options;
    tacPathSum sum;
    tacPlanPath path = tac_planner_path(pl);
    if (tac_planner_sum(pl, &path, NULL, NULL, q->rows, NULL, NULL, &sum) != TAC_OK) return;
    int falls = sum.violation <= FALLS * q->s->violation;
    for (int i = 0; i < plan->nterm; i++) {
        const tacTerm *t = &plan->term[i];
        if (tac_term_is_cost(t)) continue;
        for (int j = 0; j < (t->own.last - t->own.first + 1) * t->size; j++) {
            double *lambda = &q->lambda[t->row0 + j], w = t->own.weight[j % t->size];
            *lambda += w * q->mu[i] * q->rows[t->row0 + j];
            if (t->own.role != TAC_ROLE_EQUAL) *lambda = tac_max(*lambda, 0);
        }
        if (!falls) q->mu[i] = tac_min(o->penalty_factor * q->mu[i], o->penalty_most);
    }
    q->s->violation = tac_min(sum.violation, q->s->violation);
}

/* The next kappa of the schedule; 0: there is none. */
static int next_kappa(Ilqr *q) {
    const tacSmoothing *s = &q->pl->options.smoothing;
    int own = s->kind == TAC_SMOOTHING_SCHEDULE;
    double factor = own ? s->factor : AUTO_FACTOR, last = own ? s->last : AUTO_LAST;
    if (q->s->kappa == 0 || q->s->kappa * factor < 0.999 * last) return 0;
    q->s->kappa *= factor;
    q->s->regularization = tac_min(q->s->regularization, 1e-3);
    return 1;
}

/* Auto, before it ends: derivatives nearer to those of the step. 0: they are near enough. */
static int sharpen(Ilqr *q) {
    State *s = q->s;
    if (q->pl->options.smoothing.kind != TAC_SMOOTHING_AUTO || s->kappa <= 1.001 * AUTO_SHARP) return 0;
    s->kappa = AUTO_SHARP;
    s->met = 0;
    return 1;
}

/* After the step: multipliers, kappa, or the end. */
static tacPlanEnd settle(Ilqr *q, const tacPathSum *at, double gap, tacPlanIteration *now) {
    const tacPlanOptions *o = &q->pl->options;
    State *s = q->s;
    int closed = gap <= o->constraint_tolerance, moved = now->length > 0;
    double still = o->cost_tolerance * (1 + tac_abs(at->cost));
    int slow = !moved || (closed && now->gained <= still),
        full = now->length == 1 && now->gained > GOOD * now->promised;
    if (!closed && !moved) return next_kappa(q) ? TAC_PLAN_RUNNING : TAC_PLAN_VIOLATED;
    if (!closed) return TAC_PLAN_RUNNING;
    if (at->violation > o->constraint_tolerance) {
        s->met = 0;
        if (!slow && !full) return TAC_PLAN_RUNNING;
        s->stalls = moved ? 0 : s->stalls + 1;
        if (s->stalls > 3 && !next_kappa(q)) return TAC_PLAN_VIOLATED;
        if (s->stalls > 3) s->stalls = 0;
        update_multipliers(q);
        return TAC_PLAN_RUNNING;
    }
    int same = s->met && tac_abs(s->met_cost - at->cost) <= still;
    s->met = 1;
    s->met_cost = at->cost;
    if (!slow || (moved && !same)) return TAC_PLAN_RUNNING;
    return sharpen(q) ? TAC_PLAN_RUNNING : TAC_PLAN_SOLVED;
}

static void describe(const Ilqr *q, const tacPathSum *at, double gap, tacPlanIteration *now) {
    now->cost = at->cost;
    now->violation = at->violation;
    now->gap = gap;
    now->kappa = q->s->kappa;
    now->unsolved = q->s->unsolved;
    for (int i = 0; i < q->plan->nterm; i++)
        if (!tac_term_is_cost(&q->plan->term[i])) now->penalty = tac_max(now->penalty, q->mu[i]);
}

static tacPlanEnd iterate(tacPlanner *pl, void *memory, tacPlanIteration *now) {
    Ilqr q = open_ilqr(pl, memory);
    const State before = *q.s;
    tacPathSum from;
    Candidate c = {0};
    double gap = q.s->exact ? 0 : tac_dense_largest(q.plan->n * q.plan->ndx, q.D);
    tacStatus status = differentiate(&q, &from);
    if (status != TAC_OK) {
        describe(&q, &from, gap, now);
        return next_kappa(&q) ? TAC_PLAN_RUNNING : TAC_PLAN_FAILED;
    }
    now->length = find_step(&q, &from, &c, now);
    if (now->length == 0 && tac_planner_is_stopped(pl)) {
        *q.s = before;
        return TAC_PLAN_STOPPED;
    }
    if (stands_still(&q, &from, now)) now->length = escape(&q, &from, &c, now);
    if (now->length > 0) {
        accept(&q, &c);
        adapt_regularization(q.s, now);
        gap = c.gap;
    } else {
        now->merit = from.merit;
        q.s->regularization = 0;
    }
    const tacPathSum *at = now->length > 0 ? &c.sum : &from;
    describe(&q, at, gap, now);
    return settle(&q, at, gap, now);
}

const tacPlanMethod TAC_METHOD_ILQR = {"ilqr",
                                       "iterative linear-quadratic regulator with gaps, control bounds and an "
                                       "augmented Lagrangian",
                                       bytes_of,
                                       begin,
                                       iterate,
                                       kept_of};
