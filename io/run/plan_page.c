/* The report of a plan: its motion, those of earlier iterations, targets, bounds, and how cost and violation fell. */
#include "io/run/plan_run.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TARGETS = 64 };

/* All arrays that a page is given. */
typedef struct Report {
    tacPlanResult r;
    int motions;
    int iteration[TAC_TRAIL_MOST + 1];
    const double *x[TAC_TRAIL_MOST + 1], *u[TAC_TRAIL_MOST + 1];
    double *controls; /* of all motions: the last control stands for the last knot too */
    double *history;  /* cost, violation and kappa of all iterations */
    const char **term;
    double *term_cost;
    int terms;
    tacPageTarget target[MOST_TARGETS];
    int targets;
} Report;

static void free_report(Report *p) {
    free(p->controls);
    free(p->history);
    free(p->term);
    free(p->term_cost);
}

static int all_finite(const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

/* --- Motions ------------------------------------------------------------------------------------------------------ */

/* states and controls of an iteration; what is not finite cannot be drawn */
static void add_motion(Report *p, int iteration, const double *x, const double *u) {
    size_t steps = (size_t)p->r.steps, nu = (size_t)p->r.nu, nx = (size_t)p->r.nx;
    if (!all_finite(x, (steps + 1) * nx) || !all_finite(u, steps * nu)) return;
    double *all = p->controls + (size_t)p->motions * (steps + 1) * nu;
    memcpy(all, u, steps * nu * sizeof *all);
    memcpy(all + steps * nu, u + (steps - 1) * nu, nu * sizeof *all);
    p->iteration[p->motions] = iteration;
    p->x[p->motions] = x;
    p->u[p->motions++] = all;
}

static int collect_motions(Report *p, const tacTrail *trail) {
    size_t steps = (size_t)p->r.steps, nu = (size_t)p->r.nu, states = (steps + 1) * (size_t)p->r.nx;
    p->controls = calloc((size_t)(trail->n + 1) * (steps + 1) * nu + 1, sizeof *p->controls);
    if (p->controls == NULL) return 0;
    for (int i = 0; i < trail->n; i++)
        if (trail->size == states + steps * nu && trail->iteration[i] < p->r.iterations)
            add_motion(p, trail->iteration[i], trail->path[i], trail->path[i] + states);
    add_motion(p, p->r.iterations, p->r.X, p->r.U);
    return p->motions > 0;
}

static int collect_history(Report *p) {
    size_t n = (size_t)p->r.iterations + 1;
    p->history = calloc(3 * n, sizeof *p->history);
    if (p->history == NULL) return 0;
    for (size_t i = 0; i < n; i++) {
        p->history[i] = p->r.history[i].cost;
        p->history[n + i] = p->r.history[i].violation;
        p->history[2 * n + i] = p->r.history[i].kappa;
    }
    return 1;
}

static int collect_terms(Report *p, const tacPlan *plan) {
    p->term = calloc((size_t)p->r.nterm + 1, sizeof *p->term);
    p->term_cost = calloc((size_t)p->r.nterm + 1, sizeof *p->term_cost);
    if (p->term == NULL || p->term_cost == NULL) return 0;
    for (int i = 0; i < p->r.nterm; i++) {
        tacPlanTermInfo info = tac_plan_term(plan, i);
        if (info.role != TAC_ROLE_COST) continue;
        p->term[p->terms] = info.name;
        p->term_cost[p->terms++] = p->r.terms[i];
    }
    return 1;
}

static void collect_targets(Report *p, const tacTask *task) {
    for (int i = 0; p->targets < MOST_TARGETS; i++) {
        tacTaskTarget found;
        if (!tac_task_target(task, i, &found)) return;
        tacPageTarget *target = &p->target[p->targets++];
        *target = (tacPageTarget){.name = found.name, .first = found.first, .last = found.last};
        memcpy(target->place, found.place, sizeof target->place);
    }
}

/* --- The page ----------------------------------------------------------------------------------------------------- */

static tacStatus make_page(const tacPlanRun *run, Report *p, const tacModel *model, const tacOptions *options,
                           char **text, tacError *err) {
    size_t n = (size_t)p->r.iterations + 1;
    tacPagePlan plan = {.n = p->motions, .iteration = p->iteration, .x = p->x, .u = p->u, .nhistory = (int)n};
    plan.cost = p->history;
    plan.violation = p->history + n;
    plan.kappa = p->history + 2 * n;
    plan.nterm = p->terms;
    plan.term = p->term;
    plan.term_cost = p->term_cost;
    plan.ntarget = p->targets;
    plan.target = p->target;
    plan.low = run->low;
    plan.high = run->high;
    tacPage page = tac_default_page();
    page.model = model;
    page.options = options;
    page.nframe = p->r.steps + 1;
    page.x = p->x[p->motions - 1];
    page.u = p->u[p->motions - 1];
    page.plan = &plan;
    page.title = tac_report_name(tac_task_report(run->task));
    if (page.title[0] == '\0') page.title = tac_files_base(tac_task_model_path(run->task));
    page.command = run->options.command;
    page.steps = p->r.steps;
    page.unsolved = p->r.unsolved;
    return tac_page_text(&page, text, err);
}

tacStatus tac_plan_run_page(const tacPlanRun *run, char **text, tacError *err) {
    Report report = {0};
    tacModel *model = NULL;
    tacOptions options;
    TAC_TRY(tac_plan_run_result(run, &report.r));
    TAC_TRY(tac_plan_run_model(run, &model, &options, err));
    int fine = collect_motions(&report, &run->attempt[run->best].trail) && collect_history(&report) &&
               collect_terms(&report, run->plan);
    if (fine) collect_targets(&report, run->task);
    tacStatus status = fine ? make_page(run, &report, model, &options, text, err)
                            : tac_fail(err, TAC_ERR_MEMORY, "no memory for the report, or its motion is not finite");
    free_report(&report);
    tac_model_free(model);
    return status;
}
