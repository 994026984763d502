/* The derivatives of a problem's residuals against differences. */
#include "base/error.h"
#include "base/platform.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "optimize/planner.h"

#include <string.h>

/* First step of differences, against 1 + |coordinate|; and the factor between
 * steps. */
#define STEP   1e-3
#define FACTOR 0.25
enum { LEVELS = 6 };
/* Estimates apart by more than this share are a kink, not a derivative. */
#define KINK 3e-8

typedef struct Check {
    const tacPlan *plan;
    tacKnotWork work;
    const tacTerm *t;
    tacKnotAt at;
    double *x, *u, *c, *p, *theta; /* displaced */
    double *d, *J, *r[2], *table;  /* table: LEVELS x LEVELS */
    void *scratch;
    size_t scratch_bytes;
    tacPlanCheck *out;
} Check;

static int layout(Check *c, const tacPlan *plan, tacArena *arena) {
    size_t most = 1, nw = (size_t)tac_plan_columns(plan).nw;
    for (int i = 0; i < plan->nterm; i++)
        if ((size_t)plan->term[i].size > most) most = (size_t)plan->term[i].size;
    tacArena dry = tac_arena_dry();
    tac_knot_measure(plan, &dry);
    c->scratch_bytes = dry.peak;
    c->x = TAC_TAKE(arena, plan->nx, double);
    c->u = TAC_TAKE(arena, plan->nu, double);
    c->c = TAC_TAKE(arena, plan->nu, double);
    c->p = TAC_TAKE(arena, plan->nunknown, double);
    c->theta = TAC_TAKE(arena, plan->nparam, double);
    c->d = TAC_TAKE(arena, plan->ndx, double);
    c->J = TAC_TAKE(arena, most * nw, double);
    c->r[0] = TAC_TAKE(arena, most * LEVELS, double);
    c->r[1] = TAC_TAKE(arena, most * LEVELS, double);
    c->scratch = tac_arena_take(arena, c->scratch_bytes);
    return c->scratch != NULL;
}

/* The residual with column j of w displaced by h. */
static tacStatus displaced(Check *c, int j, double h, double *r) {
    const tacPlan *plan = c->plan;
    tacPlanColumns col = tac_plan_columns(plan);
    memset(c->d, 0, (size_t)plan->ndx * sizeof *c->d);
    memcpy(c->u, c->at.u, (size_t)plan->nu * sizeof *c->u);
    if (c->at.c != NULL) memcpy(c->c, c->at.c, (size_t)plan->nu * sizeof *c->c);
    for (int i = 0; i < plan->nunknown; i++)
        c->p[i] = c->at.p[i];
    if (j < col.p) c->d[j] = h;
    if (j >= col.p && j < col.c) c->p[j - col.p] += h;
    if (j >= col.c && j < col.u) c->c[j - col.c] += h;
    if (j >= col.u) c->u[j - col.u] += h;
    tac_state_add(plan->model, c->at.x, c->d, c->x);
    tac_plan_fill_theta(plan, c->p, c->theta);
    tacKnotAt at = {c->at.k, c->x, c->u, c->at.c == NULL ? NULL : c->c, c->p, c->theta};
    if (plan->nparam > 0) TAC_TRY(tac_sim_set_params(c->work.sim, c->theta));
    return tac_knot_residual(plan, &c->work, &at, c->t, r, NULL);
}

/* Size of the number that column j displaces. */
static double size_of(const Check *c, int j) {
    tacPlanColumns col = tac_plan_columns(c->plan);
    if (j < col.p) return 1;
    if (j < col.c) return tac_abs(c->at.p[j - col.p]);
    return 1 + tac_abs(j < col.u ? c->at.c[j - col.c] : c->at.u[j - col.u]);
}

/* Central differences at falling steps, extrapolated [Ridders1982]; *error:
 * what the best two differ by. */
static double extrapolate(const Check *c, int e, double h, double *error) {
    double table[LEVELS][LEVELS], best = 0;
    int size = c->t->size;
    *error = TAC_INFINITY;
    for (int i = 0; i < LEVELS; i++, h *= FACTOR) {
        table[0][i] = (c->r[1][i * size + e] - c->r[0][i * size + e]) / (2 * h);
        double weight = 1 / (FACTOR * FACTOR), factor = weight;
        for (int k = 1; k <= i; k++, factor *= weight) {
            table[k][i] = (table[k - 1][i] * factor - table[k - 1][i - 1]) / (factor - 1);
            double apart = tac_max(tac_abs(table[k][i] - table[k - 1][i]), tac_abs(table[k][i] - table[k - 1][i - 1]));
            if (apart > *error) continue;
            *error = apart;
            best = table[k][i];
        }
    }
    return best;
}

/* What counts as 1: one and the largest derivative of an entry. */
static double scale_of(const Check *c, int e) {
    int nw = tac_plan_columns(c->plan).nw;
    return 1 + tac_dense_largest(nw, c->J + (size_t)e * (size_t)nw);
}

static void note(Check *c, int term, int j, int e, double analytic, double difference) {
    tacPlanColumns col = tac_plan_columns(c->plan);
    double error = tac_abs(analytic - difference) / tac_max(scale_of(c, e), 1 + tac_abs(difference));
    c->out->checked++;
    if (error <= c->out->error && c->out->checked > 1) return;
    int from = j < col.p ? 0 : j < col.c ? col.p : j < col.u ? col.c : col.u;
    c->out->term = term;
    c->out->knot = c->at.k;
    c->out->entry = e;
    c->out->by = j < col.p ? 'x' : j < col.c ? 'p' : 'u';
    c->out->column = j - from;
    c->out->error = error;
    c->out->analytic = analytic;
    c->out->difference = difference;
}

static tacStatus check_column(Check *c, int term, int j) {
    int size = c->t->size, nw = tac_plan_columns(c->plan).nw;
    double first = STEP * size_of(c, j), h = first;
    if (first == 0) first = h = STEP;
    for (int i = 0; i < LEVELS; i++, h *= FACTOR)
        for (int side = 0; side < 2; side++)
            TAC_TRY(displaced(c, j, side ? h : -h, c->r[side] + i * size));
    for (int e = 0; e < size; e++) {
        double error, difference = extrapolate(c, e, first, &error);
        if (error > KINK * tac_max(scale_of(c, e), 1 + tac_abs(difference)))
            c->out->skipped++;
        else
            note(c, term, j, e, c->J[e * nw + j], difference);
    }
    return TAC_OK;
}

static tacStatus check_knot(Check *c, const tacPlanPath *path, int term, int k) {
    const tacPlan *plan = c->plan;
    tacPlanColumns col = tac_plan_columns(plan);
    int last = k == plan->n && plan->n > 0;
    tac_plan_fill_theta(plan, path->theta, c->theta);
    c->at = (tacKnotAt){.k = k, .x = tac_row(path->X, k, plan->nx), .p = path->theta, .theta = c->theta};
    c->at.u = last ? plan->u_default : tac_row(path->U, k, plan->nu);
    c->at.c = k > 0 ? tac_row(path->U, k - 1, plan->nu) : NULL;
    if (plan->nparam > 0) TAC_TRY(tac_sim_set_params(c->work.sim, c->theta));
    TAC_TRY(tac_knot_residual(plan, &c->work, &c->at, c->t, c->r[0], c->J));
    for (int j = 0; j < col.nw; j++) {
        if ((last && j >= col.u) || (j >= col.c && j < col.u && k == 0)) continue;
        TAC_TRY(check_column(c, term, j));
    }
    return TAC_OK;
}

static tacStatus check_all(Check *c, const tacPlanPath *path, int knots, tacError *err) {
    for (int i = 0; i < c->plan->nterm; i++) {
        c->t = &c->plan->term[i];
        int first = c->t->own.first, count = c->t->own.last - first + 1, n = count < knots ? count : knots;
        for (int s = 0; s < n; s++) {
            int k = first + (n > 1 ? s * (count - 1) / (n - 1) : count - 1);
            tacStatus status = check_knot(c, path, i, k);
            if (status != TAC_OK)
                return tac_fail(err, status, "term \"%s\" at knot %d: %s", c->t->name, k, tac_status_text(status));
        }
    }
    return TAC_OK;
}

tacStatus tac_plan_check(const tacPlan *plan, const tacPlanPath *path, int knots, tacPlanCheck *check, tacError *err) {
    if (plan == NULL || path == NULL || check == NULL || path->X == NULL || knots < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_plan_check: expected all arguments, and 1 knot or more");
    Check c = {.plan = plan, .out = check};
    *check = (tacPlanCheck){.term = -1};
    tacArena dry = tac_arena_dry(), arena;
    layout(&c, plan, &dry);
    TAC_TRY(tac_sim_new(plan->model, &plan->options, &c.work.sim, err));
    void *memory = tac_aligned_new(TAC_ARENA_ALIGN, dry.peak);
    tacStatus status = memory != NULL ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory to check a plan");
    if (status == TAC_OK) {
        tac_arena_init(&arena, memory, dry.peak);
        status = layout(&c, plan, &arena) ? TAC_OK : TAC_ERR_ARENA_FULL;
        if (status == TAC_OK) tac_arena_init(&c.work.arena, c.scratch, c.scratch_bytes);
        if (status == TAC_OK) status = check_all(&c, path, knots, err);
        if (c.work.arena.base != NULL) tac_arena_end(&c.work.arena);
        tac_arena_end(&arena);
    }
    tac_aligned_free(memory);
    tac_sim_free(c.work.sim);
    return status;
}
