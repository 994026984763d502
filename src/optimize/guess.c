/* First guesses: controls from many sources, states on a straight line, seeded
 * variations. */
#include "base/error.h"
#include "base/random.h"
#include "math/scalar.h"
#include "optimize/hold.h"
#include "optimize/planner.h"

#include <string.h>

tacPlanGuess tac_default_plan_guess(void) { return (tacPlanGuess){.cookie = TAC_GUESS_COOKIE}; }

static tacStatus check_numbers(const char *what, int n, const double *x, tacError *err) {
    if (x == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "guess of %s: the array is NULL, expected %d numbers", what, n);
    int bad = tac_first_nonfinite(n, x);
    if (bad >= 0) return tac_fail(err, TAC_ERR_NONFINITE, "guess of %s: number %d of %d is not finite", what, bad, n);
    return TAC_OK;
}

static tacStatus check_guess(const tacPlan *plan, const tacPlanGuess *g, tacError *err) {
    if (g->cookie != TAC_GUESS_COOKIE)
        return tac_fail(err, TAC_ERR_OPTIONS, "a guess was not made by tac_default_plan_guess");
    if ((unsigned)g->ctrl >= TAC_GUESS_KINDS || (unsigned)g->states > TAC_STATES_GIVEN)
        return tac_fail(err, TAC_ERR_ARGUMENT, "guess: kind %d of controls, %d of states: no such kind", (int)g->ctrl,
                        (int)g->states);
    int rows = g->ctrl == TAC_GUESS_CONSTANT ? 1 : g->ctrl == TAC_GUESS_SPLINE ? g->knots : plan->n;
    int given = g->ctrl == TAC_GUESS_CONSTANT || g->ctrl == TAC_GUESS_GIVEN || g->ctrl == TAC_GUESS_SPLINE;
    if (g->ctrl == TAC_GUESS_SPLINE && (g->knots < 2 || g->knots > TAC_PLAN_STEPS))
        return tac_fail(err, TAC_ERR_ARGUMENT, "guess: a spline of %d knots: expected 2 or more", g->knots);
    if (given) TAC_TRY(check_numbers("controls", rows * plan->nu, g->u, err));
    if (g->states == TAC_STATES_LINE && g->nkey < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT, "guess: a line through %d states: expected 1 or more", g->nkey);
    if (g->states == TAC_STATES_LINE) TAC_TRY(check_numbers("states", g->nkey * plan->nx, g->x, err));
    if (g->states == TAC_STATES_GIVEN) TAC_TRY(check_numbers("states", (plan->n + 1) * plan->nx, g->x, err));
    if (g->theta != NULL) TAC_TRY(check_numbers("parameters", plan->nunknown, g->theta, err));
    if (g->noise != NULL) TAC_TRY(check_numbers("noise", plan->nu, g->noise, err));
    return TAC_OK;
}

/* Slope of a Catmull-Rom spline at knot i. */
static double slope_at(const double *u, int knots, int nu, int i, int e) {
    int a = i > 0 ? i - 1 : i, b = i + 1 < knots ? i + 1 : i;
    return (u[b * nu + e] - u[a * nu + e]) / (b - a);
}

/* Cubic Hermite interpolation at t in [0, knots - 1]. */
static double spline_at(const tacPlanGuess *g, int nu, double t, int e) {
    int i = (int)t < g->knots - 1 ? (int)t : g->knots - 2;
    double s = t - i, s2 = s * s, s3 = s2 * s;
    return (2 * s3 - 3 * s2 + 1) * g->u[i * nu + e] + (s3 - 2 * s2 + s) * slope_at(g->u, g->knots, nu, i, e) +
           (3 * s2 - 2 * s3) * g->u[(i + 1) * nu + e] + (s3 - s2) * slope_at(g->u, g->knots, nu, i + 1, e);
}

/* One row of controls for all steps, in `row`; GIVEN and SPLINE have their own.
 */
static tacStatus constant_row(tacPlanner *pl, const tacPlanGuess *g, double *row, tacError *err) {
    const tacPlan *plan = pl->plan;
    size_t bytes = (size_t)plan->nu * sizeof *row;
    memcpy(row, plan->u_default, bytes);
    if (g->ctrl == TAC_GUESS_CONSTANT) memcpy(row, g->u, bytes);
    if (g->ctrl == TAC_GUESS_KEY) return tac_key_state(plan->model, &plan->options, g->key, NULL, row, err);
    if (g->ctrl == TAC_GUESS_HOLD) return tac_hold_pose(plan, pl->work[0].sim, plan->x0, row, err);
    return TAC_OK;
}

static tacStatus guess_controls(tacPlanner *pl, const tacPlanGuess *g, tacError *err) {
    const tacPlan *plan = pl->plan;
    int nu = plan->nu;
    double *U = pl->now.U;
    if (plan->n > 0) TAC_TRY(constant_row(pl, g, U, err));
    for (int k = 0; k < plan->n; k++) {
        double *row = tac_own_row(U, k, nu);
        if (k > 0) memcpy(row, U, (size_t)nu * sizeof *row);
        for (int e = 0; e < nu && g->ctrl == TAC_GUESS_SPLINE; e++) {
            double t = plan->n > 1 ? (double)k / (plan->n - 1) * (g->knots - 1) : 0;
            row[e] = spline_at(g, nu, t, e);
        }
        if (g->ctrl == TAC_GUESS_GIVEN) memcpy(row, tac_row(g->u, k, nu), (size_t)nu * sizeof *row);
    }
    for (int k = plan->n - 1; k >= 0; k--)
        for (int e = 0; e < nu; e++) {
            double *u = tac_own_row(U, k, nu) + e;
            uint64_t index = (uint64_t)k * (uint64_t)nu + (uint64_t)e;
            if (g->noise != NULL && g->start > 0)
                *u += g->noise[e] * tac_random_normal(g->seed, (uint64_t)g->start, index);
            *u = tac_clamp(*u, plan->low[e], plan->high[e]);
        }
    return TAC_OK;
}

/* Knot k on the line through the start and nkey states at even times. */
static void line_at(const tacPlan *plan, const tacPlanGuess *g, int k, double *d, double *x) {
    double t = (double)k / plan->n * g->nkey;
    int i = (int)t < g->nkey ? (int)t : g->nkey - 1;
    const double *a = i == 0 ? plan->x0 : tac_row(g->x, i - 1, plan->nx), *b = tac_row(g->x, i, plan->nx);
    tac_state_sub(plan->model, b, a, d);
    for (int e = 0; e < plan->ndx; e++)
        d[e] *= t - i;
    tac_state_add(plan->model, a, d, x);
}

static void guess_states(tacPlanner *pl, const tacPlanGuess *g) {
    const tacPlan *plan = pl->plan;
    double *X = pl->now.X, *d = pl->replay; /* scratch */
    memcpy(X, plan->x0, (size_t)plan->nx * sizeof *X);
    for (int k = 1; k <= plan->n; k++) {
        double *x = tac_own_row(X, k, plan->nx);
        if (g->states == TAC_STATES_LINE) line_at(plan, g, k, d, x);
        if (g->states == TAC_STATES_GIVEN) memcpy(x, tac_row(g->x, k, plan->nx), (size_t)plan->nx * sizeof *x);
        if (g->states != TAC_STATES_ROLLOUT) continue;
        tacStatus status = tac_planner_step(pl, tac_row(X, k - 1, plan->nx), tac_row(pl->now.U, k - 1, plan->nu), x);
        if (!tac_went_on_planning(status)) memcpy(x, tac_row(X, k - 1, plan->nx), (size_t)plan->nx * sizeof *x);
    }
}

tacStatus tac_planner_guess(tacPlanner *pl, const tacPlanGuess *g, tacError *err) {
    if (pl == NULL || g == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_planner_guess: an argument is NULL");
    const tacPlan *plan = pl->plan;
    TAC_TRY(check_guess(plan, g, err));
    for (int i = 0; i < plan->nunknown; i++) {
        double value = g->theta != NULL ? g->theta[i] : plan->theta[plan->unknown[i]];
        pl->now.p[i] = tac_clamp(value, plan->low_p[i], plan->high_p[i]);
    }
    tacStatus status = tac_planner_set_p(pl, pl->now.p);
    if (status != TAC_OK) return tac_fail(err, status, "guess of parameters: %s", tac_sim_error(pl->work[0].sim));
    TAC_TRY(guess_controls(pl, g, err));
    guess_states(pl, g);
    memset(pl->now.K, 0, (size_t)plan->n * (size_t)plan->nu * (size_t)plan->ndx * sizeof *pl->now.K);
    pl->count = (tacPlannerCount){.end = TAC_PLAN_RUNNING};
    return TAC_OK;
}
