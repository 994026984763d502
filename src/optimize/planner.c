/* A planner: memory laid out once, a pool of threads with a simulation each,
 * and the loop of iterations. Each sweep writes per knot and sums in the order
 * of knots, so the number of threads changes no bit. */
#include "optimize/planner.h"

#include "base/error.h"
#include "base/platform.h"
#include "math/scalar.h"
#include "optimize/ilqr.h"

#include <string.h>

/* --- Options
 * ------------------------------------------------------------------------------------------------------
 */

static const tacPlanMethod *const METHODS[] = {&TAC_METHOD_ILQR};
enum { NMETHOD = sizeof METHODS / sizeof *METHODS };

const tacPlanMethod *tac_plan_method(int i) { return i >= 0 && i < NMETHOD ? METHODS[i] : NULL; }

const tacPlanMethod *tac_plan_method_named(const char *name) {
    for (int i = 0; name != NULL && i < NMETHOD; i++)
        if (strcmp(METHODS[i]->name, name) == 0) return METHODS[i];
    return NULL;
}

tacPlanOptions tac_default_plan_options(void) {
    return (tacPlanOptions){.cookie = TAC_PLAN_COOKIE,
                            .method = &TAC_METHOD_ILQR,
                            .iterations = 100,
                            .cost_tolerance = 1e-3,
                            .constraint_tolerance = 1e-3,
                            .smoothing = {TAC_SMOOTHING_AUTO, 1e-2, 1e-4, 0.1},
                            .penalty = 30,
                            .penalty_factor = 10,
                            .penalty_most = 1e8,
                            .threads = 1};
}

static tacStatus check_options(const tacPlan *plan, const tacPlanOptions *o, tacError *err) {
    if (o->cookie != TAC_PLAN_COOKIE)
        return tac_fail(err, TAC_ERR_OPTIONS, "plan options were not made by tac_default_plan_options");
    if (o->method == NULL || o->iterations < 0 || o->iterations > 1000000 || o->threads < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT, "plan options: method %s, iterations %d, threads %d: out of range",
                        o->method == NULL ? "NULL" : o->method->name, o->iterations, o->threads);
    const struct {
        const char *name;
        double value;
        int zero;
    } of[] = {{"cost_tolerance", o->cost_tolerance, 1},
              {"constraint_tolerance", o->constraint_tolerance, 0},
              {"regularization", o->regularization, 1},
              {"penalty", o->penalty, 0},
              {"penalty_most", o->penalty_most, 0}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (!(of[k].value > 0 || (of[k].zero && of[k].value == 0)) || !tac_finite(of[k].value))
            return tac_fail(err, TAC_ERR_ARGUMENT, "plan option %s is %g: expected above 0", of[k].name, of[k].value);
    if (!(o->penalty_factor >= 1))
        return tac_fail(err, TAC_ERR_ARGUMENT, "plan option penalty_factor is %g: expected 1 or more",
                        o->penalty_factor);
    const tacSmoothing *s = &o->smoothing;
    if (s->kind == TAC_SMOOTHING_SCHEDULE && plan->options.contact != TAC_CONTACT_MODEL_NCP)
        return tac_fail(err, TAC_ERR_UNSUPPORTED, "a schedule of kappa with contact %s: expected ncp",
                        tac_contact_text(plan->options.contact));
    if (s->kind == TAC_SMOOTHING_SCHEDULE &&
        !(s->first >= s->last && s->last >= TAC_NCP_LEAST_KAPPA && s->factor > 0 && s->factor < 1))
        return tac_fail(err, TAC_ERR_ARGUMENT,
                        "schedule of kappa %g to %g by %g: expected downwards by a "
                        "factor below 1",
                        s->first, s->last, s->factor);
    if (plan->n < 1) return tac_fail(err, TAC_ERR_ARGUMENT, "a plan of 0 steps is a pose: tac_pose_solve");
    return TAC_OK;
}

/* Options of a simulation whose reverse mode is complementarity-aware, where
 * auto may ask for it. 0: it may not. */
static int aware_options(const tacPlan *plan, const tacPlanOptions *o, tacOptions *s) {
    *s = plan->options;
    s->gradient = TAC_GRADIENT_COMPLEMENTARITY;
    return plan->options.contact == TAC_CONTACT_MODEL_LCP && plan->options.gradient == TAC_GRADIENT_EXACT &&
           o->smoothing.kind == TAC_SMOOTHING_AUTO;
}

/* --- Memory
 * -------------------------------------------------------------------------------------------------------
 */

static void layout_path(tacOwnPath *p, const tacPlan *plan, tacArena *memory) {
    size_t n = (size_t)plan->n, nu = (size_t)plan->nu;
    p->X = TAC_TAKE(memory, (n + 1) * (size_t)plan->nx, double);
    p->U = TAC_TAKE(memory, n * nu, double);
    p->p = TAC_TAKE(memory, plan->nunknown, double);
    p->K = TAC_TAKE(memory, n * nu * (size_t)plan->ndx, double);
}

typedef struct Room {
    void *sim, *scratch;
} Room;

typedef struct Bytes {
    size_t sim, aware, scratch, method;
} Bytes;

static Bytes bytes_of(const tacPlan *plan, const tacPlanOptions *o) {
    tacArena dry = tac_arena_dry();
    tacOptions s;
    size_t aware = aware_options(plan, o, &s) ? tac_sim_bytes(plan->model, &s) : 0;
    tac_knot_measure(plan, &dry);
    TAC_TAKE(&dry, (size_t)plan->ndx * (size_t)plan->nparam, double); /* jac_of_knot */
    return (Bytes){tac_sim_bytes(plan->model, &plan->options), aware, dry.peak, o->method->bytes(plan, o)};
}

/* All of a planner; pl and work are written unless memory is dry.
 * rooms[workers]. */
static tacPlanner *layout_planner(const tacPlan *plan, const tacPlanOptions *o, Bytes bytes, int workers, Room *rooms,
                                  tacArena *memory) {
    tacPlanner own = {0}, *pl = TAC_TAKE(memory, 1, tacPlanner);
    size_t knots = (size_t)plan->n + 1;
    own.work = TAC_TAKE(memory, workers, tacKnotWork);
    layout_path(&own.now, plan, memory);
    layout_path(&own.best, plan, memory);
    own.replay = TAC_TAKE(memory, knots * (size_t)plan->nx, double);
    own.best_terms = TAC_TAKE(memory, plan->nterm, double);
    own.g = TAC_TAKE(memory, knots * (size_t)tac_plan_columns(plan).nw, double);
    own.bar = TAC_TAKE(memory, plan->ndx + plan->nu + plan->nparam + plan->ndx, double);
    own.theta = TAC_TAKE(memory, plan->nparam, double);
    own.value = TAC_TAKE(memory, knots, tacKnotValue);
    own.parts = TAC_TAKE(memory, knots * (size_t)plan->nterm, double);
    own.status = TAC_TAKE(memory, knots, tacStatus);
    own.history = TAC_TAKE(memory, o->iterations + 1, tacPlanIteration);
    own.method = tac_arena_take(memory, bytes.method);
    for (int i = 0; i < workers; i++) {
        void *sim = tac_arena_take(memory, bytes.sim), *scratch = tac_arena_take(memory, bytes.scratch);
        if (rooms != NULL) rooms[i] = (Room){sim, scratch};
    }
    if (bytes.aware > 0) own.aware = tac_arena_take(memory, bytes.aware);
    if (!tac_arena_is_dry(memory)) *pl = own;
    return pl;
}

size_t tac_plan_bytes(const tacPlan *plan, const tacPlanOptions *options) {
    if (plan == NULL || options == NULL || check_options(plan, options, NULL) != TAC_OK) return 0;
    tacArena dry = tac_arena_dry();
    layout_planner(plan, options, bytes_of(plan, options), options->threads, NULL, &dry);
    return dry.peak;
}

enum { MOST_THREADS = 256 };

static tacStatus open_planner(const tacPlan *plan, const tacPlanOptions *o, tacPool *pool, tacPlanner **planner,
                              tacError *err) {
    Room rooms[MOST_THREADS];
    Bytes bytes = bytes_of(plan, o);
    size_t all = tac_plan_bytes(plan, o);
    void *memory = tac_aligned_new(TAC_ARENA_ALIGN, all);
    if (memory == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a planner: %zu bytes", all);
    tacArena arena;
    tac_arena_init(&arena, memory, all);
    int workers = tac_pool_size(pool) < o->threads ? tac_pool_size(pool) : o->threads;
    tacPlanner *pl = layout_planner(plan, o, bytes, workers, rooms, &arena);
    pl->plan = plan;
    pl->options = *o;
    pl->col = tac_plan_columns(plan);
    pl->memory = memory;
    pl->method_bytes = bytes.method;
    pl->nworker = workers;
    tacOptions s;
    tacStatus status = TAC_OK;
    if (aware_options(plan, o, &s)) status = tac_sim_create(plan->model, &s, pl->aware, bytes.aware, &pl->aware, err);
    for (int i = 0; i < workers && status == TAC_OK; i++) {
        tac_arena_init(&pl->work[i].arena, rooms[i].scratch, bytes.scratch);
        status = tac_sim_create(plan->model, &plan->options, rooms[i].sim, bytes.sim, &pl->work[i].sim, err);
    }
    if (status != TAC_OK) {
        tac_aligned_free(memory);
        return status;
    }
    pl->pool = pool;
    *planner = pl;
    return TAC_OK;
}

tacStatus tac_planner_new(const tacPlan *plan, const tacPlanOptions *options, tacPlanner **planner, tacError *err) {
    if (plan == NULL || options == NULL || planner == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_planner_new: an argument is NULL");
    TAC_TRY(check_options(plan, options, err));
    tacPool *pool;
    tacPlanOptions o = *options;
    if (o.threads > MOST_THREADS) o.threads = MOST_THREADS;
    TAC_TRY(tac_pool_new(o.threads, &pool, err));
    tacStatus status = open_planner(plan, &o, pool, planner, err);
    if (status != TAC_OK) {
        tac_pool_free(pool);
        return status;
    }
    tacPlanGuess guess = tac_default_plan_guess();
    status = tac_planner_guess(*planner, &guess, err);
    if (status != TAC_OK) tac_planner_free(*planner);
    return status;
}

void tac_planner_free(tacPlanner *planner) {
    if (planner == NULL) return;
    tac_pool_free(planner->pool);
    for (int i = 0; i < planner->nworker; i++)
        tac_arena_end(&planner->work[i].arena);
    tac_aligned_free(planner->memory);
}

const tacPlan *tac_planner_plan(const tacPlanner *planner) { return planner == NULL ? NULL : planner->plan; }

const tacPlanOptions *tac_planner_options(const tacPlanner *planner) {
    return planner == NULL ? NULL : &planner->options;
}

/* --- Small pieces
 * -------------------------------------------------------------------------------------------------
 */

double tac_planner_clock(const tacPlanner *planner) {
    return planner->options.clock == NULL ? 0 : planner->options.clock();
}

int tac_planner_is_stopped(const tacPlanner *planner) { return tac_flag_read(planner->options.stop) != 0; }

void tac_state_add(const tacModel *m, const double *x, const double *d, double *out) {
    tac_qpos_add(m, x, d, out);
    for (int i = 0; i < m->nv + m->na; i++)
        out[m->nq + i] = x[m->nq + i] + d[m->nv + i];
}

void tac_state_sub(const tacModel *m, const double *x, const double *y, double *d) {
    tac_qpos_sub(m, x, y, d);
    for (int i = 0; i < m->nv + m->na; i++)
        d[m->nv + i] = x[m->nq + i] - y[m->nq + i];
}

tacStatus tac_planner_set_p(tacPlanner *pl, const double *p) {
    const tacPlan *plan = pl->plan;
    if (plan->nparam == 0) return TAC_OK;
    int same = pl->theta_is_set;
    for (int i = 0; i < plan->nunknown && same; i++)
        same = pl->theta[plan->unknown[i]] == p[i];
    if (same) return TAC_OK;
    pl->theta_is_set = 0;
    tac_plan_fill_theta(plan, p, pl->theta);
    for (int i = 0; i < pl->nworker; i++)
        TAC_TRY(tac_sim_set_params(pl->work[i].sim, pl->theta));
    if (pl->aware != NULL) TAC_TRY(tac_sim_set_params(pl->aware, pl->theta));
    pl->theta_is_set = 1;
    return TAC_OK;
}

tacStatus tac_planner_step(tacPlanner *pl, const double *x, const double *u, double *y) {
    pl->count.nstep++;
    return tac_step(pl->work[0].sim, x, u, y, NULL);
}

/* --- Sweeps
 * -------------------------------------------------------------------------------------------------------
 */

/* Arguments of a sweep over knots. */
typedef struct tacSweep {
    const tacPlanPath *path;
    const tacMultipliers *multipliers;
    double *rows, *g, *H;
    tacJac jac;
} tacSweep;

static void evaluate_knot(void *context, int k, int worker) {
    tacPlanner *pl = context;
    const tacPlan *plan = pl->plan;
    const tacSweep *s = pl->sweep;
    size_t nw = (size_t)pl->col.nw;
    const double *U = s->path->U;
    tacKnotAt at = {.k = k, .x = tac_row(s->path->X, k, plan->nx), .p = s->path->theta, .theta = pl->theta};
    at.u = k < plan->n ? tac_row(U, k, plan->nu) : plan->u_default;
    at.c = k > 0 ? tac_row(U, k - 1, plan->nu) : NULL;
    tacKnotValue *v = &pl->value[k];
    *v = (tacKnotValue){.terms = tac_own_row(pl->parts, k, plan->nterm), .rows = s->rows};
    v->g = s->g == NULL ? NULL : s->g + (size_t)k * nw;
    v->H = s->H == NULL ? NULL : s->H + (size_t)k * nw * nw;
    pl->status[k] = tac_knot_evaluate(plan, &pl->work[worker], &at, s->multipliers, v);
}

/* Sums of all knots, in their order. */
static tacStatus add_knots(const tacPlanner *pl, double *terms, tacPathSum *sum) {
    const tacPlan *plan = pl->plan;
    *sum = (tacPathSum){0};
    if (terms != NULL) memset(terms, 0, (size_t)plan->nterm * sizeof *terms);
    for (int k = 0; k <= plan->n; k++) {
        if (pl->status[k] != TAC_OK) {
            *sum = (tacPathSum){TAC_INFINITY, TAC_INFINITY, TAC_INFINITY};
            return pl->status[k];
        }
        sum->cost += pl->value[k].cost;
        sum->merit += pl->value[k].merit;
        sum->violation = tac_max(sum->violation, pl->value[k].violation);
        for (int i = 0; terms != NULL && i < plan->nterm; i++) {
            double part = tac_row(pl->parts, k, plan->nterm)[i];
            terms[i] = tac_term_is_cost(&plan->term[i]) ? terms[i] + part : tac_max(terms[i], part);
        }
    }
    return tac_finite(sum->merit) ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_planner_sum(tacPlanner *pl, const tacPlanPath *path, const tacMultipliers *multipliers, double *terms,
                          double *rows, double *g, double *H, tacPathSum *sum) {
    *sum = (tacPathSum){TAC_INFINITY, TAC_INFINITY, TAC_INFINITY};
    TAC_TRY(tac_planner_set_p(pl, path->theta));
    tacSweep sweep = {path, multipliers, rows, g, H, {0}};
    pl->sweep = &sweep;
    tac_pool_run(pl->pool, pl->plan->n + 1, 1, evaluate_knot, pl);
    return add_knots(pl, terms, sum);
}

tacStatus tac_planner_evaluate(tacPlanner *planner, const tacPlanPath *path, tacPlanBlocks *blocks) {
    if (planner == NULL || path == NULL || blocks == NULL || path->X == NULL || path->U == NULL)
        return TAC_ERR_ARGUMENT;
    tacPathSum sum;
    tacStatus status = tac_planner_sum(planner, path, NULL, blocks->terms, blocks->constraints, blocks->g,
                                       blocks->g == NULL ? NULL : blocks->H, &sum);
    blocks->cost = sum.cost;
    blocks->violation = sum.violation;
    return status;
}

/* Columns of the unknown parameters, out of those of all of them. */
static void jac_of_knot(void *context, int k, int worker) {
    tacPlanner *pl = context;
    const tacPlan *plan = pl->plan;
    const tacSweep *s = pl->sweep;
    size_t i = (size_t)k, ndx = (size_t)plan->ndx, nu = (size_t)plan->nu, np = (size_t)plan->nparam;
    tacArena *arena = &pl->work[worker].arena;
    TAC_SCOPE(arena);
    double *P = s->jac.P != NULL && plan->nunknown > 0 ? TAC_TAKE(arena, ndx * np, double) : NULL;
    tacJac jac = {s->jac.A == NULL ? NULL : s->jac.A + i * ndx * ndx, s->jac.B == NULL ? NULL : s->jac.B + i * ndx * nu,
                  P};
    pl->status[k] = tac_step_jac(pl->work[worker].sim, tac_row(s->path->X, k, plan->nx),
                                 tac_row(s->path->U, k, plan->nu), NULL, &jac, NULL);
    for (size_t r = 0; P != NULL && r < ndx; r++)
        for (int c = 0; c < plan->nunknown; c++)
            s->jac.P[(i * ndx + r) * (size_t)plan->nunknown + (size_t)c] = P[r * np + (size_t)plan->unknown[c]];
}

tacStatus tac_planner_jac(tacPlanner *pl, const tacPlanPath *path, double kappa, const tacJac *jac) {
    if (pl == NULL || path == NULL || jac == NULL || path->X == NULL || path->U == NULL) return TAC_ERR_ARGUMENT;
    const tacPlan *plan = pl->plan;
    TAC_TRY(tac_planner_set_p(pl, path->theta));
    tacSweep sweep = {.path = path, .jac = *jac};
    pl->sweep = &sweep;
    int ncp = plan->options.contact == TAC_CONTACT_MODEL_NCP;
    for (int i = 0; ncp && i < pl->nworker; i++)
        TAC_TRY(tac_sim_set_gradient_kappa(pl->work[i].sim, kappa > plan->options.ncp_kappa ? kappa : 0));
    tac_pool_run(pl->pool, plan->n, 1, jac_of_knot, pl);
    pl->count.njac += plan->n;
    for (int i = 0; ncp && i < pl->nworker; i++)
        TAC_TRY(tac_sim_set_gradient_kappa(pl->work[i].sim, plan->options.ncp_gradient_kappa));
    for (int k = 0; k < plan->n; k++)
        if (!tac_went_on_planning(pl->status[k])) return pl->status[k];
    return TAC_OK;
}

static tacStatus roll(tacPlanner *pl, const double *U, double *X, int *unsolved) {
    const tacPlan *plan = pl->plan;
    tacStatus first = TAC_OK;
    *unsolved = 0;
    memcpy(X, plan->x0, (size_t)plan->nx * sizeof *X);
    for (int k = 0; k < plan->n; k++) {
        tacStatus status =
            tac_planner_step(pl, tac_row(X, k, plan->nx), tac_row(U, k, plan->nu), tac_own_row(X, k + 1, plan->nx));
        if (!tac_went_on_planning(status)) return status;
        *unsolved += status != TAC_OK;
        if (first == TAC_OK) first = status;
    }
    return first;
}

tacStatus tac_planner_rollout(tacPlanner *pl, const double *U, const double *theta, double *X) {
    int unsolved;
    if (pl == NULL || U == NULL || X == NULL) return TAC_ERR_ARGUMENT;
    TAC_TRY(tac_planner_set_p(pl, theta));
    return roll(pl, U, X, &unsolved);
}

/* --- Gradients
 * ----------------------------------------------------------------------------------------------------
 */

tacStatus tac_planner_slope(tacPlanner *pl, tacSim *sim, const tacPlanPath *path, const tacMultipliers *multipliers,
                            double *gu, double *gp) {
    const tacPlan *plan = pl->plan;
    const tacPlanColumns *c = &pl->col;
    double *bar = pl->bar, *next = bar + plan->ndx, *u = next + plan->ndx, *theta = u + plan->nu;
    tacPathSum sum;
    TAC_TRY(tac_planner_sum(pl, path, multipliers, NULL, NULL, pl->g, NULL, &sum));
    const double *g = tac_row(pl->g, plan->n, c->nw), *behind = g;
    memcpy(bar, g + c->x, (size_t)plan->ndx * sizeof *bar);
    for (int i = 0; gp != NULL && i < plan->nunknown; i++)
        gp[i] = g[c->p + i];
    for (int k = plan->n - 1; k >= 0; k--, behind = g) {
        tacGrad grad = {next, u, plan->nparam > 0 ? theta : NULL};
        tacStatus status =
            tac_step_vjp(sim, tac_row(path->X, k, plan->nx), tac_row(path->U, k, plan->nu), bar, &grad, NULL);
        pl->count.njac++;
        if (!tac_went_on_planning(status)) return status;
        g = tac_row(pl->g, k, c->nw);
        for (int i = 0; gu != NULL && i < plan->nu; i++)
            tac_own_row(gu, k, plan->nu)[i] = u[i] + g[c->u + i] + (plan->nchange > 0 ? behind[c->c + i] : 0);
        for (int i = 0; gp != NULL && i < plan->nunknown; i++)
            gp[i] += theta[plan->unknown[i]] + g[c->p + i];
        for (int i = 0; i < plan->ndx; i++)
            bar[i] = next[i] + g[c->x + i];
    }
    return TAC_OK;
}

tacStatus tac_planner_gradient(tacPlanner *pl, const double *U, const double *theta, double *cost, double *gu,
                               double *gp) {
    if (pl == NULL || U == NULL) return TAC_ERR_ARGUMENT;
    tacPathSum sum;
    tacPlanPath path = {pl->replay, U, theta};
    tacStatus status = tac_planner_rollout(pl, U, theta, pl->replay);
    if (!tac_went_on_planning(status)) return status;
    TAC_TRY(tac_planner_sum(pl, &path, NULL, NULL, NULL, NULL, NULL, &sum));
    if (cost != NULL) *cost = sum.cost;
    if (gu == NULL && gp == NULL) return status;
    TAC_TRY(tac_planner_slope(pl, pl->work[0].sim, &path, NULL, gu, gp));
    return status;
}

/* --- Keeping
 * ------------------------------------------------------------------------------------------------------
 */

tacPlanPath tac_planner_path(const tacPlanner *planner) {
    if (planner == NULL) return (tacPlanPath){0};
    return (tacPlanPath){planner->now.X, planner->now.U, planner->now.p};
}

/* Constraints met: less cost. Otherwise less violation. */
static int is_better(const tacPlanner *pl, const tacReplay *a, const tacReplay *b) {
    double tolerance = pl->options.constraint_tolerance;
    if (!b->found) return 1;
    if (tac_went_on_planning(a->status) != tac_went_on_planning(b->status)) return tac_went_on_planning(a->status);
    if (a->violation <= tolerance && b->violation <= tolerance) return a->cost < b->cost;
    return a->violation < b->violation;
}

static void copy_path(const tacPlan *plan, tacOwnPath *to, const tacPlanPath *from, const double *X) {
    size_t n = (size_t)plan->n;
    memmove(to->X, X, (n + 1) * (size_t)plan->nx * sizeof *X);
    memmove(to->U, from->U, n * (size_t)plan->nu * sizeof *X);
    if (plan->nunknown > 0) memmove(to->p, from->theta, (size_t)plan->nunknown * sizeof *X);
}

tacStatus tac_planner_hold(tacPlanner *pl, const tacPlanPath *path, const double *K, int replayed, int unsolved) {
    const tacPlan *plan = pl->plan;
    size_t gains = (size_t)plan->n * (size_t)plan->nu * (size_t)plan->ndx * sizeof *K;
    tacReplay r = {.found = 1, .status = unsolved > 0 ? TAC_ERR_UNSOLVED : TAC_OK, .unsolved = unsolved};
    const double *X = path->X;
    tacPathSum sum = {TAC_INFINITY, TAC_INFINITY, TAC_INFINITY};
    copy_path(plan, &pl->now, path, X);
    if (K != NULL) memmove(pl->now.K, K, gains);
    TAC_TRY(tac_planner_set_p(pl, pl->now.p));
    if (!replayed) {
        memset(pl->replay, 0, (size_t)(plan->n + 1) * (size_t)plan->nx * sizeof *pl->replay);
        r.status = roll(pl, pl->now.U, pl->replay, &r.unsolved);
        X = pl->replay;
    }
    tacPlanPath replay = {X, pl->now.U, pl->now.p};
    if (tac_went_on_planning(r.status)) tac_planner_sum(pl, &replay, NULL, NULL, NULL, NULL, NULL, &sum);
    r.cost = sum.cost;
    r.violation = sum.violation;
    if (!is_better(pl, &r, &pl->count.best)) return TAC_OK;
    if (tac_went_on_planning(r.status)) add_knots(pl, pl->best_terms, &sum);
    pl->count.best = r;
    copy_path(plan, &pl->best, &replay, X);
    memmove(pl->best.K, pl->now.K, gains);
    return TAC_OK;
}

tacStatus tac_planner_keep(tacPlanner *planner, const tacPlanPath *path, const double *K) {
    if (planner == NULL || path == NULL) return TAC_ERR_ARGUMENT;
    return tac_planner_hold(planner, path, K, 0, 0);
}

/* --- Iterations
 * ---------------------------------------------------------------------------------------------------
 */

static tacStatus begin(tacPlanner *pl, tacError *err) {
    if (pl->count.begun) return TAC_OK;
    tacStatus status = pl->options.method->begin(pl, pl->method, err);
    pl->count.begun = 1;
    pl->history[0] = (tacPlanIteration){.cost = pl->count.best.cost, .violation = pl->count.best.violation};
    pl->history[0].unsolved = pl->count.best.unsolved;
    if (status != TAC_OK) pl->count.end = TAC_PLAN_FAILED;
    return status;
}

static tacPlanEnd next_end(const tacPlanner *pl) {
    if (pl->count.end != TAC_PLAN_RUNNING) return pl->count.end;
    if (tac_planner_is_stopped(pl)) return TAC_PLAN_STOPPED;
    return pl->count.iterations >= pl->options.iterations ? TAC_PLAN_ITERATIONS : TAC_PLAN_RUNNING;
}

/* An end by the flag is not kept: a planner that was stopped may go on. */
static tacPlanEnd iterate(tacPlanner *pl, tacError *err) {
    double start = tac_planner_clock(pl);
    if (begin(pl, err) != TAC_OK) return pl->count.end;
    tacPlanEnd end = next_end(pl);
    if (end != TAC_PLAN_RUNNING) return end;
    tacPlanIteration now = {.iteration = pl->count.iterations + 1};
    end = pl->options.method->iterate(pl, pl->method, &now);
    if (end == TAC_PLAN_STOPPED) return end; /* in the middle: nothing has changed */
    pl->count.seconds += tac_planner_clock(pl) - start;
    now.seconds = pl->count.seconds;
    pl->count.iterations++;
    pl->history[pl->count.iterations] = now;
    pl->count.end = end;
    if (pl->options.report != NULL && pl->options.report(pl->options.context, pl, &now) != 0 && end == TAC_PLAN_RUNNING)
        return TAC_PLAN_STOPPED;
    return end;
}

tacPlanEnd tac_planner_iterate(tacPlanner *planner) {
    return planner == NULL ? TAC_PLAN_FAILED : iterate(planner, NULL);
}

tacStatus tac_planner_result(const tacPlanner *pl, tacPlanResult *r) {
    if (pl == NULL || r == NULL) return TAC_ERR_ARGUMENT;
    const tacPlan *plan = pl->plan;
    const tacPlannerCount *c = &pl->count;
    *r = (tacPlanResult){.end = next_end(pl), .steps = plan->n, .nx = plan->nx, .ndx = plan->ndx, .nu = plan->nu};
    r->nunknown = plan->nunknown;
    r->nterm = plan->nterm;
    r->X = pl->best.X;
    r->U = pl->best.U;
    r->theta = pl->best.p;
    r->K = pl->best.K;
    r->terms = pl->best_terms;
    r->cost = c->best.cost;
    r->violation = c->best.violation;
    r->unsolved = c->best.unsolved;
    r->replay = c->best.status;
    r->iterations = c->iterations;
    r->nstep = c->nstep;
    r->njac = c->njac;
    r->seconds = c->seconds;
    r->step_seconds = c->step_seconds;
    r->jac_seconds = c->jac_seconds;
    r->solve_seconds = c->solve_seconds;
    r->history = pl->history;
    return TAC_OK;
}

tacStatus tac_planner_run(tacPlanner *planner, tacPlanResult *result, tacError *err) {
    if (planner == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_planner_run: planner is NULL");
    TAC_TRY(begin(planner, err));
    tacPlanEnd end = TAC_PLAN_RUNNING;
    while (end == TAC_PLAN_RUNNING)
        end = iterate(planner, err);
    if (result == NULL) return TAC_OK;
    TAC_TRY(tac_planner_result(planner, result));
    result->end = end;
    return TAC_OK;
}
