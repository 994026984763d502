/* States and equilibria: residuals, constraints and bounds of one knot, by
 * Levenberg-Marquardt steps over a box and an augmented Lagrangian
 * (docs/theory/plan.md) */
#include "base/error.h"
#include "base/platform.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "optimize/hold.h"
#include "optimize/box_newton.h"
#include "optimize/planner.h"

#include <string.h>

enum { MOST_DUALS = 40, MOST_RAISES = 30, SETTLING = 2000, HOLDING = 20, POLISHING = 50 };
/* A violation below which only rounding and penalties are in the way. */
#define NEARLY 0.1
/* rad, m: variations of a search for an equilibrium. */
#define NEARBY        0.03
#define FIRST_DAMPING 1e-4
#define LEAST_DAMPING 1e-15
#define MOST_DAMPING  1e12
#define FIRST_PENALTY 10.0
#define MOST_PENALTY  1e10
#define FALLS         0.1
/* Of the merit: less than that promised is rounding. */
#define ROUNDING 1e-16
/* Kappa of derivatives with ncp, where the hard derivative sees no contact that
 * is not there yet. */
#define NCP_KAPPA 1e-4

tacPoseOptions tac_default_pose_options(void) {
    return (tacPoseOptions){.cookie = TAC_POSE_COOKIE, .iterations = 200, .tolerance = 1e-9, .starts = 1};
}

typedef struct Pose {
    const tacPlan *plan;
    tacPoseOptions options;
    tacKnotWork work;
    int n, nq, nu;             /* unknown: coordinates, controls, parameters; n is their sum */
    int *column;               /* n: of w */
    double *x, *u, *p, *theta; /* where it is */
    double *tx, *tu, *tp, *d;  /* a candidate, and its displacement by all of w */
    double *g, *H, *tg, *tH;   /* nw, nw x nw */
    double *step, *b, *S, *low, *high, *L;
    double *lambda, *mu, *rows;
    int *free;
    double *bx, *bu, *bp; /* best of all starts */
    void *scratch;
    size_t scratch_bytes;
    tacArena arena;
    tacKnotValue at;
    double damping, gradient;
    int iterations, polishing; /* polishing: constraints alone */
} Pose;

static int layout(Pose *s, const tacPlan *plan, tacArena *arena) {
    size_t nw = (size_t)tac_plan_columns(plan).nw, nx = (size_t)plan->nx, nu = (size_t)plan->nu;
    size_t np = (size_t)plan->nunknown;
    tacArena dry = tac_arena_dry();
    tac_knot_measure(plan, &dry);
    s->scratch_bytes = dry.peak;
    double **of[] = {&s->x,  &s->tx, &s->bx, &s->u,    &s->tu,    &s->bu,     &s->p,   &s->tp,
                     &s->bp, &s->g,  &s->tg, &s->step, &s->b,     &s->d,      &s->low, &s->high,
                     &s->H,  &s->tH, &s->S,  &s->L,    &s->theta, &s->lambda, &s->mu,  &s->rows};
    size_t size[] = {nx,
                     nx,
                     nx,
                     nu,
                     nu,
                     nu,
                     np,
                     np,
                     np,
                     nw,
                     nw,
                     nw,
                     nw,
                     nw,
                     nw,
                     nw,
                     nw * nw,
                     nw * nw,
                     nw * nw,
                     nw * nw,
                     (size_t)plan->nparam,
                     (size_t)plan->nrow,
                     (size_t)plan->nterm,
                     (size_t)plan->nrow};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        *of[i] = TAC_TAKE(arena, size[i], double);
    s->column = TAC_TAKE(arena, nw, int);
    s->free = TAC_TAKE(arena, nw, int);
    s->scratch = tac_arena_take(arena, s->scratch_bytes);
    tac_box_newton_measure((int)nw, arena); /* stays room behind what is taken */
    return s->scratch != NULL;
}

/* --- Unknowns and their bounds
 * ------------------------------------------------------------------------------------
 */

static void choose_unknowns(Pose *s) {
    const tacPlan *plan = s->plan;
    tacPlanColumns c = tac_plan_columns(plan);
    s->n = 0;
    for (int i = 0; i < plan->model->nv && !s->options.fixed_q; i++)
        if (s->options.hold == NULL || !s->options.hold[i]) s->column[s->n++] = i;
    s->nq = s->n;
    for (int i = 0; i < plan->model->nu; i++)
        s->column[s->n++] = c.u + i;
    s->nu = s->n - s->nq;
    for (int i = 0; i < plan->nunknown; i++)
        s->column[s->n++] = c.p + i;
}

/* Range of the step of unknown i. */
static void bound_step(const Pose *s, int i, double *low, double *high) {
    const tacPlan *plan = s->plan;
    const tacModel *m = plan->model;
    tacPlanColumns c = tac_plan_columns(plan);
    int j = s->column[i];
    *low = -TAC_INFINITY;
    *high = TAC_INFINITY;
    if (i < s->nq) {
        int joint = m->dof_joint[j], type = m->joint_type[joint];
        if (!m->joint_limited[joint] || (type != TAC_JOINT_HINGE && type != TAC_JOINT_SLIDE)) return;
        *low = m->joint_range[2 * joint] - s->x[m->joint_qpos_adr[joint]];
        *high = m->joint_range[2 * joint + 1] - s->x[m->joint_qpos_adr[joint]];
    } else if (i < s->nq + s->nu) {
        *low = plan->low[j - c.u] - s->u[j - c.u];
        *high = plan->high[j - c.u] - s->u[j - c.u];
    } else {
        *low = plan->low_p[j - c.p] - s->p[j - c.p];
        *high = plan->high_p[j - c.p] - s->p[j - c.p];
    }
    if (*low > 0) *low = 0; /* a start out of range comes back by what its constraints do */
    if (*high < 0) *high = 0;
}

static void displace(Pose *s) {
    const tacPlan *plan = s->plan;
    tacPlanColumns c = tac_plan_columns(plan);
    memset(s->d, 0, (size_t)c.nw * sizeof *s->d);
    for (int i = 0; i < s->n; i++)
        s->d[s->column[i]] = s->step[i];
    tac_state_add(plan->model, s->x, s->d, s->tx);
    for (int i = 0; i < plan->nu; i++)
        s->tu[i] = s->u[i] + s->d[c.u + i];
    for (int i = 0; i < plan->nunknown; i++)
        s->tp[i] = s->p[i] + s->d[c.p + i];
}

/* --- Evaluation
 * ---------------------------------------------------------------------------------------------------
 */

/* Takes the cost out of merit, gradient and matrix. */
static tacStatus leave_out_cost(Pose *s, const tacKnotAt *at, tacKnotValue *v) {
    size_t nw = (size_t)tac_plan_columns(s->plan).nw;
    tacKnotValue cost = {.g = v->g == NULL ? NULL : s->tg, .H = v->H == NULL ? NULL : s->tH};
    v->merit -= v->cost;
    if (v->g == NULL) return TAC_OK;
    TAC_TRY(tac_knot_evaluate(s->plan, &s->work, at, NULL, &cost));
    for (size_t i = 0; i < nw; i++)
        v->g[i] -= s->tg[i];
    for (size_t i = 0; i < nw * nw && v->H != NULL; i++)
        v->H[i] -= s->tH[i];
    return TAC_OK;
}

static tacStatus evaluate(Pose *s, const double *x, const double *u, const double *p, double *g, double *H,
                          tacKnotValue *v) {
    const tacPlan *plan = s->plan;
    tacMultipliers m = {s->lambda, s->mu};
    tac_plan_fill_theta(plan, p, s->theta);
    if (plan->nunknown > 0) TAC_TRY(tac_sim_set_params(s->work.sim, s->theta));
    tacKnotAt at = {0, x, u, u, p, s->theta};
    *v = (tacKnotValue){.g = g, .H = H, .rows = s->rows};
    TAC_TRY(tac_knot_evaluate(plan, &s->work, &at, &m, v));
    if (s->polishing) TAC_TRY(leave_out_cost(s, &at, v));
    return tac_finite(v->merit) ? TAC_OK : TAC_ERR_NONFINITE;
}

/* Bounds, gradient and regularized matrix of the unknowns; the projected
 * gradient's largest entry. */
static void set_up(Pose *s) {
    int nw = tac_plan_columns(s->plan).nw, n = s->n;
    s->gradient = 0;
    for (int i = 0; i < n; i++) {
        bound_step(s, i, &s->low[i], &s->high[i]);
        s->b[i] = s->g[s->column[i]];
        double moved = tac_clamp(-s->b[i], s->low[i], s->high[i]);
        s->gradient = tac_max(s->gradient, tac_abs(moved));
        for (int j = 0; j < n; j++)
            s->S[i * n + j] = s->H[(size_t)s->column[i] * (size_t)nw + (size_t)s->column[j]];
    }
}

/* A step with this damping: what it promises; below 0: there is none. */
static double find_step(Pose *s) {
    int n = s->n;
    double most = 1e-12;
    for (int i = 0; i < n; i++)
        most = tac_max(most, s->S[i * n + i]);
    for (int i = 0; i < n; i++) {
        s->tg[i] = s->S[i * n + i]; /* kept: the diagonal without damping */
        s->S[i * n + i] += s->damping * (s->S[i * n + i] + 1e-9 * most) + 1e-15 * most;
        s->step[i] = 0;
    }
    tacBox box = {.n = n, .H = s->S, .g = s->b, .low = s->low, .high = s->high, .x = s->step, .L = s->L};
    box.free = s->free;
    int solved = tac_box_newton(&box, &s->arena);
    double promised = 0;
    for (int i = 0; i < n; i++)
        s->S[i * n + i] = s->tg[i];
    for (int i = 0; i < n; i++)
        promised -= s->step[i] * (s->b[i] + 0.5 * tac_dense_dot(n, s->S + (size_t)i * (size_t)n, s->step));
    return solved ? promised : -1;
}

static void take_candidate(Pose *s, const tacKnotValue *v) {
    const tacPlan *plan = s->plan;
    memcpy(s->x, s->tx, (size_t)plan->nx * sizeof *s->x);
    memcpy(s->u, s->tu, (size_t)plan->nu * sizeof *s->u);
    memcpy(s->p, s->tp, (size_t)plan->nunknown * sizeof *s->p);
    s->at = *v;
}

/* One step that lowers the merit; 0: none does, or nothing more is promised. */
static int improve(Pose *s) {
    for (int t = 0; t < MOST_RAISES && s->damping <= MOST_DAMPING; t++) {
        double promised = find_step(s);
        tacKnotValue v;
        if (promised >= 0 && promised <= ROUNDING * tac_abs(s->at.merit)) return 0;
        if (promised > 0) {
            displace(s);
            if (evaluate(s, s->tx, s->tu, s->tp, NULL, NULL, &v) == TAC_OK && v.merit < s->at.merit) {
                double share = (s->at.merit - v.merit) / promised;
                take_candidate(s, &v);
                s->damping = share > 0.5   ? tac_max(0.1 * s->damping, LEAST_DAMPING)
                             : share < 0.1 ? 10 * s->damping
                                           : s->damping;
                return 1;
            }
        }
        s->damping = tac_max(10 * s->damping, 1e-8);
    }
    return 0;
}

/* --- The search
 * ---------------------------------------------------------------------------------------------------
 */

/* Steps at fixed multipliers until the projected gradient is small, or none
 * improves. */
static tacStatus search(Pose *s) {
    s->damping = FIRST_DAMPING;
    for (; s->iterations < s->options.iterations; s->iterations++) {
        if (tac_flag_read(s->options.stop) != 0) return TAC_ERR_STOPPED;
        TAC_TRY(evaluate(s, s->x, s->u, s->p, s->g, s->H, &s->at));
        set_up(s);
        if (s->gradient <= 1e-3 * s->options.tolerance || !improve(s)) return TAC_OK;
    }
    return TAC_OK;
}

static void update_multipliers(Pose *s, double before) {
    const tacPlan *plan = s->plan;
    int falls = s->at.violation <= FALLS * before;
    for (int i = 0; i < plan->nterm; i++) {
        const tacTerm *t = &plan->term[i];
        if (tac_term_is_cost(t)) continue;
        for (int e = 0; e < t->size; e++) {
            double *lambda = &s->lambda[t->row0 + e];
            *lambda += t->own.weight[e] * s->mu[i] * s->rows[t->row0 + e];
            if (t->own.role != TAC_ROLE_EQUAL) *lambda = tac_max(*lambda, 0);
        }
        if (!falls) s->mu[i] = tac_min(10 * s->mu[i], MOST_PENALTY);
    }
}

/* Least squares of the constraints alone, from where the search ended. It moves little: they nearly hold. */
static tacPlanEnd polish(Pose *s, tacPlanEnd end) {
    if (end == TAC_PLAN_SOLVED || end == TAC_PLAN_STOPPED || s->at.violation > NEARLY) return end;
    double gradient = s->gradient;
    memset(s->lambda, 0, (size_t)s->plan->nrow * sizeof *s->lambda);
    for (int i = 0; i < s->plan->nterm; i++)
        s->mu[i] = 1;
    s->polishing = 1;
    s->options.iterations += POLISHING;
    tacStatus status = search(s);
    s->options.iterations -= POLISHING;
    s->polishing = 0;
    s->gradient = gradient;
    return status == TAC_OK && s->at.violation <= s->options.tolerance ? TAC_PLAN_SOLVED : end;
}

static tacPlanEnd solve(Pose *s) {
    double before = TAC_INFINITY;
    memset(s->lambda, 0, (size_t)s->plan->nrow * sizeof *s->lambda);
    for (int i = 0; i < s->plan->nterm; i++)
        s->mu[i] = FIRST_PENALTY;
    if (evaluate(s, s->x, s->u, s->p, NULL, NULL, &s->at) != TAC_OK) return TAC_PLAN_FAILED;
    for (int t = 0; t < MOST_DUALS; t++) {
        tacStatus status = search(s);
        if (status == TAC_ERR_STOPPED) return TAC_PLAN_STOPPED;
        if (status != TAC_OK) return TAC_PLAN_FAILED;
        if (s->at.violation <= s->options.tolerance) return TAC_PLAN_SOLVED;
        if (s->iterations >= s->options.iterations) return TAC_PLAN_ITERATIONS;
        if (evaluate(s, s->x, s->u, s->p, NULL, NULL, &s->at) != TAC_OK) return TAC_PLAN_FAILED; /* rows */
        update_multipliers(s, before);
        before = tac_min(before, s->at.violation);
    }
    return TAC_PLAN_VIOLATED;
}

/* 1: some term asks for an equilibrium. */
static int asks_for_rest(const tacPlan *plan) {
    for (int i = 0; i < plan->nterm; i++)
        if (plan->term[i].own.of.kind == TAC_OF_REST) return 1;
    return 0;
}

/* Marks dofs that actuators move at x, in s->free. */
static tacStatus find_actuated(Pose *s, double *moment) {
    const tacModel *m = s->plan->model;
    tacActuation out = {.moment = moment};
    memset(s->free, 0, (size_t)m->nv * sizeof *s->free);
    TAC_TRY(tac_actuation(s->work.sim, s->x, s->u, &out));
    for (int a = 0; a < m->nu; a++)
        for (int i = 0; i < m->nv; i++)
            s->free[i] |= moment[a * m->nv + i] != 0;
    return TAC_OK;
}

/* Lets the body down onto what it stands on: steps from rest, joints with actuators held, under controls that hold the
 * pose they are in. A search for an equilibrium then begins where contacts carry. */
static void settle(Pose *s) {
    const tacPlan *plan = s->plan;
    const tacModel *m = plan->model;
    if (!asks_for_rest(plan) || s->options.fixed_q || find_actuated(s, s->tH) != TAC_OK) return;
    for (int k = 0; k < SETTLING; k++) {
        if (k % HOLDING == 0 && tac_hold_pose(plan, s->work.sim, s->x, s->u, NULL) != TAC_OK) return;
        if (!tac_went_on_planning(tac_step(s->work.sim, s->x, s->u, s->tx, NULL))) return;
        double moved = 0;
        tac_qpos_sub(m, s->tx, s->x, s->d);
        for (int i = 0; i < m->nv; i++) {
            if (s->free[i] || (s->options.hold != NULL && s->options.hold[i])) s->d[i] = 0;
            moved = tac_max(moved, tac_abs(s->d[i]));
        }
        tac_qpos_add(m, s->x, s->d, s->x);
        if (moved < 1e-4 * plan->options.dt * plan->options.dt) return;
    }
}

/* The start, or a variation: coordinates anywhere within joint ranges, others
 * about the start's. */
static void begin(Pose *s, const double *u, int start) {
    const tacPlan *plan = s->plan;
    const tacModel *m = plan->model;
    memcpy(s->x, plan->x0, (size_t)plan->nx * sizeof *s->x);
    memcpy(s->u, u != NULL ? u : plan->u_default, (size_t)plan->nu * sizeof *s->u);
    for (int i = 0; i < plan->nu; i++)
        s->u[i] = tac_clamp(s->u[i], plan->low[i], plan->high[i]);
    for (int i = 0; i < plan->nunknown; i++)
        s->p[i] = tac_clamp(plan->theta[plan->unknown[i]], plan->low_p[i], plan->high_p[i]);
    if (start == 0) {
        settle(s);
        return;
    }
    int rest = asks_for_rest(plan);
    memset(s->step, 0, (size_t)s->n * sizeof *s->step);
    for (int i = 0; i < s->nq; i++) {
        double low, high, share = tac_random_uniform(s->options.seed, (uint64_t)start, (uint64_t)s->column[i]);
        bound_step(s, i, &low, &high);
        if (!tac_finite(low) || !tac_finite(high)) low = -1, high = 1;
        if (rest) {
            low = -NEARBY;
            high = NEARBY;
        }
        if (m->joint_type[m->dof_joint[s->column[i]]] == TAC_JOINT_FREE) low *= 0.1, high *= 0.1;
        s->step[i] = low + share * (high - low);
    }
    displace(s);
    memcpy(s->x, s->tx, (size_t)plan->nx * sizeof *s->x);
    if (rest) settle(s);
}

static void keep_best(const Pose *s, tacPlanEnd end, tacPoseResult *r, int first) {
    const tacPlan *plan = s->plan;
    double tolerance = s->options.tolerance;
    int met = s->at.violation <= tolerance, was = r->violation <= tolerance;
    int better = first || (met != was ? met : met ? s->at.cost < r->cost : s->at.violation < r->violation);
    r->iterations += s->iterations;
    if (!better || end == TAC_PLAN_FAILED) return;
    r->end = end;
    r->cost = s->at.cost;
    r->violation = s->at.violation;
    r->gradient = s->gradient;
    memcpy(s->bx, s->x, (size_t)plan->nx * sizeof *s->x);
    memcpy(s->bu, s->u, (size_t)plan->nu * sizeof *s->u);
    memcpy(s->bp, s->p, (size_t)plan->nunknown * sizeof *s->p);
}

static void run(Pose *s, const double *u, tacPoseResult *r) {
    const tacPlan *plan = s->plan;
    r->end = TAC_PLAN_FAILED;
    r->iterations = 0;
    for (int i = 0; i < s->options.starts; i++) {
        begin(s, u, i);
        s->iterations = 0;
        s->at = (tacKnotValue){.cost = TAC_INFINITY, .violation = TAC_INFINITY};
        tacPlanEnd end = polish(s, solve(s));
        keep_best(s, end, r, r->end == TAC_PLAN_FAILED);
        double small = s->options.tolerance * s->options.tolerance;
        int found = r->end == TAC_PLAN_SOLVED && (r->cost <= small || asks_for_rest(plan));
        if (end == TAC_PLAN_STOPPED || found) break;
    }
    if (r->end == TAC_PLAN_FAILED) return;
    if (r->x != NULL) memcpy(r->x, s->bx, (size_t)plan->nx * sizeof *s->x);
    if (r->u != NULL) memcpy(r->u, s->bu, (size_t)plan->nu * sizeof *s->u);
    if (r->theta != NULL) memcpy(r->theta, s->bp, (size_t)plan->nunknown * sizeof *s->p);
}

static tacStatus check_pose(const tacPlan *plan, const tacPoseOptions *o, const double *u, tacError *err) {
    if (o->cookie != TAC_POSE_COOKIE)
        return tac_fail(err, TAC_ERR_OPTIONS, "pose options were not made by tac_default_pose_options");
    if (plan->n != 0) return tac_fail(err, TAC_ERR_ARGUMENT, "a pose of a plan of %d steps: expected 0", plan->n);
    if (o->iterations < 0 || o->starts < 1 || !(o->tolerance > 0))
        return tac_fail(err, TAC_ERR_ARGUMENT, "pose options: iterations %d, starts %d, tolerance %g: out of range",
                        o->iterations, o->starts, o->tolerance);
    int bad = u == NULL ? -1 : tac_first_nonfinite(plan->nu, u);
    if (bad >= 0) return tac_fail(err, TAC_ERR_NONFINITE, "guess of controls: number %d is not finite", bad);
    return TAC_OK;
}

static tacStatus run_in(Pose *s, void *memory, size_t bytes, const double *u, tacPoseResult *r) {
    tacArena *arena = &s->arena;
    TAC_BORROW(arena, memory, bytes);
    if (!layout(s, s->plan, arena)) return TAC_ERR_ARENA_FULL;
    tac_arena_init(&s->work.arena, s->scratch, s->scratch_bytes);
    choose_unknowns(s);
    run(s, u, r);
    tac_arena_end(&s->work.arena);
    return r->end == TAC_PLAN_FAILED ? TAC_ERR_NONFINITE : TAC_OK;
}

tacStatus tac_pose_solve(const tacPlan *plan, const tacPoseOptions *options, const double *u, tacPoseResult *result,
                         tacError *err) {
    if (plan == NULL || options == NULL || result == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_pose_solve: an argument is NULL");
    TAC_TRY(check_pose(plan, options, u, err));
    Pose s = {.plan = plan, .options = *options};
    tacArena dry = tac_arena_dry();
    layout(&s, plan, &dry);
    TAC_TRY(tac_sim_new(plan->model, &plan->options, &s.work.sim, err));
    if (plan->options.contact == TAC_CONTACT_MODEL_NCP && plan->options.ncp_gradient_kappa == 0)
        tac_sim_set_gradient_kappa(s.work.sim, tac_max(NCP_KAPPA, plan->options.ncp_kappa));
    void *memory = tac_aligned_new(TAC_ARENA_ALIGN, dry.peak);
    tacStatus status = memory != NULL ? run_in(&s, memory, dry.peak, u, result) : TAC_ERR_MEMORY;
    tac_aligned_free(memory);
    tac_sim_free(s.work.sim);
    if (status == TAC_OK) return TAC_OK;
    return tac_fail(err, status, "the pose that the search starts from cannot be evaluated: %s",
                    tac_status_text(status));
}
