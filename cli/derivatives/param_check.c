#include "cli/derivatives/param_check.h"

#include "cli/cli.h"
#include "cli/derivatives/active_set.h"
#include "measure/differences.h"
#include "measure/memory.h"
#include "measure/step_column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* First step of the differences of a parameter: relative to its size, but never a large part of a small one. What is
 * smaller than TINY is as good as zero: a step that is a part of it would drown in rounding. */
#define RELATIVE_STEP 1e-3
#define LARGEST_SHARE 0.5
#define TINY          1e-9
/* Further tries, as factors of it: smaller ones stay clear of kinks. */
static const double FACTORS[] = {1, 0.1, 0.01, 0.001, 1e-4, 1e-5, 10};
enum { NFACTORS = sizeof FACTORS / sizeof *FACTORS };
/* Share of the stencil that is searched for another active set. */
#define SWITCH_FACTOR 0.001
/* A parameter on the edge moves inside by this many first steps: far enough for the largest of them, or, where that is
 * too far, for the first. */
static const double STEPS_INSIDE[] = {40, 4};

static double first_step(double value) {
    double size = fabs(value);
    return size > TINY ? fmin(LARGEST_SHARE * size, RELATIVE_STEP * fmax(1, size)) : RELATIVE_STEP;
}

/* --- Samples ----------------------------------------------------------------------------------------------------- */

static double *new_numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

int cli_param_samples_new(const tacModel *m, const tacOptions *options, int capacity, tacParamSamples *g) {
    size_t n = (size_t)capacity, nx = (size_t)tac_nx(m), nu = (size_t)tac_ninput(m, options);
    g->capacity = capacity;
    g->x = new_numbers(n * nx);
    g->u = new_numbers(n * nu);
    g->y0 = new_numbers(n * nx);
    g->P = new_numbers(n * g->p_stride);
    g->param = new_numbers(n * (size_t)m->nparam);
    g->errors = calloc(n + 1, sizeof *g->errors);
    return g->x != NULL && g->u != NULL && g->y0 != NULL && g->P != NULL && g->param != NULL && g->errors != NULL;
}

void cli_param_samples_free(tacParamSamples *g) {
    double *all[] = {g->x, g->u, g->y0, g->P, g->param};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(g->errors);
    *g = (tacParamSamples){0};
}

/* --- Parameters on the edge of what is allowed ------------------------------------------------------------------- */

static int may_be(tacModel *model, const char *path, double value) {
    tacStatus status = tac_param_set(model, path, value, NULL);
    if (status == TAC_ERR_MEMORY) measure_memory_ran_out();
    return status == TAC_OK;
}

/* Where a parameter can be moved by h both ways: its value or a place beside it. 1, or 0 where there is none. */
static int find_base(tacModel *model, const char *path, double value, double h, double *base) {
    const double places[] = {value, value + STEPS_INSIDE[0] * h, value - STEPS_INSIDE[0] * h,
                             value + STEPS_INSIDE[1] * h, value - STEPS_INSIDE[1] * h};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *base = places[i];
        if (may_be(model, path, *base + h) && may_be(model, path, *base - h) && may_be(model, path, *base)) return 1;
    }
    *base = value;
    return 0;
}

int cli_move_params_inside(const char *verb, tacGradientCheck *check) {
    for (int p = 0; p < check->params->count; p++) {
        const char *path = check->params->entry[p].path;
        double value, base = 0;
        if (tac_param_get(check->model, path, &value, NULL) != TAC_OK)
            return cli_fail(verb, "%s: the parameter no longer exists", path);
        int found = 0;
        for (int k = 0; k < NFACTORS && !found; k++) {
            double h = FACTORS[k] * first_step(value);
            found = FACTORS[k] <= 1 && find_base(check->model, path, value, h, &base);
            check->step[p] = found ? h : 0;
        }
        if (!may_be(check->model, path, base)) return cli_fail(verb, "%s: cannot restore the value %g", path, base);
        check->moved += base != value;
        if (found) continue;
        fprintf(stderr, "tactus %s: warning: %s = %g is skipped: its range has no room for finite differences\n", verb,
                path, value);
    }
    return CLI_GO_ON;
}

/* --- Differences ------------------------------------------------------------------------------------------------- */

/* All samples of a group as one function of one parameter. */
typedef struct Sweep {
    const tacModel *model;
    tacSim *sim;
    tacParamSamples *group;
    int nx, ndx, nu, np, param;
    double unit; /* a thousand first steps, at most 1: differences resolve all parameters alike in this unit */
    double tol;
    const double *worst; /* of each sample so far: one within tol is left alone */
    double *estimate;    /* of differences, count x ndx */
    double *theta, *moved, *y;
} Sweep;

/* 1: nothing is left to be found out, or there is no derivative to compare with. */
static int is_done(const Sweep *w, int sample) {
    return w->worst[sample] <= w->tol || w->group->errors[sample].status != TAC_OK;
}

static int is_known(const Sweep *w, int sample) {
    return w->estimate[(size_t)sample * (size_t)w->ndx] == DIFFERENCE_CONVERGED;
}

/* out[count x ndx]; a sample whose step fails gives NAN, one that needs no step zeros. */
static int step_all(void *context, double t, double *out) {
    Sweep *w = context;
    memcpy(w->moved, w->theta, (size_t)w->np * sizeof(double));
    w->moved[w->param] += t;
    if (tac_sim_set_params(w->sim, w->moved) != TAC_OK) return 1;
    for (int s = 0; s < w->group->count; s++) {
        const double *x = w->group->x + (size_t)s * (size_t)w->nx, *u = w->group->u + (size_t)s * (size_t)w->nu;
        double *row = out + (size_t)s * (size_t)w->ndx;
        if (is_done(w, s) || is_known(w, s))
            memset(row, 0, (size_t)w->ndx * sizeof *row);
        else if (tac_step(w->sim, x, u, w->y, NULL) == TAC_OK)
            measure_state_difference(w->model, w->y, w->group->y0 + (size_t)s * (size_t)w->nx, row);
        else
            for (int i = 0; i < w->ndx; i++)
                row[i] = (double)NAN;
    }
    return 0;
}

/* Errors of one sample's column by row blocks, in units of w->unit; worst row in *at. */
static double column_error(const Sweep *w, const double *P, const double *F, double error[CLI_ROW_BLOCKS], int *at) {
    const tacModel *m = w->model;
    const int first[] = {0, m->nv, 2 * m->nv, w->ndx};
    double worst = -1;
    for (int b = 0; b < CLI_ROW_BLOCKS; b++) {
        double scale = 1, largest = 0;
        for (int i = first[b]; i < first[b + 1]; i++)
            scale = fmax(scale, fabs(w->unit * F[i]));
        for (int i = first[b]; i < first[b + 1]; i++) {
            double entry = P[(size_t)i * (size_t)w->np + (size_t)w->param];
            double e = cli_relative_error(w->unit * entry, w->unit * F[i], scale);
            if (e > largest) largest = e;
            if (e > worst) {
                worst = e;
                *at = i;
            }
        }
        error[b] = largest;
    }
    return worst;
}

/* Keeps the better of what is known and F's errors; returns 1 where a sample still disagrees. */
static int keep_best(const Sweep *w, const double *F, double (*best)[CLI_ROW_BLOCKS], double *worst, int *at) {
    int disagrees = 0;
    for (int s = 0; s < w->group->count; s++) {
        if (is_done(w, s)) continue;
        double error[CLI_ROW_BLOCKS];
        int row = 0;
        const double *P = w->group->P + (size_t)s * w->group->p_stride;
        double e = column_error(w, P, F + (size_t)s * (size_t)w->ndx, error, &row);
        if (e < worst[s]) {
            worst[s] = e;
            at[s] = row;
            memcpy(best[s], error, sizeof error);
        }
        disagrees |= worst[s] > w->tol;
    }
    return disagrees;
}

/* --- Switching --------------------------------------------------------------------------------------------------- */

/* The active set of a sample with the parameter at `value`, clamps, then contacts: 1, or 0 where it cannot be had. */
static int set_with(const tacGradientCheck *check, const Sweep *w, int sample, double value, signed char *set) {
    const double *x = w->group->x + (size_t)sample * (size_t)w->nx, *u = w->group->u + (size_t)sample * (size_t)w->nu;
    tacModel *copy = NULL;
    tacSim *sim = NULL;
    tacStepInfo info = {0};
    tacOptions options = check->options;
    if (strcmp(check->params->entry[w->param].path, "option.timestep") == 0) options.dt = value;
    double *work = new_numbers((size_t)cli_active_work(w->model));
    tacStatus status = work != NULL ? tac_model_copy(check->model, &copy, NULL) : TAC_ERR_MEMORY;
    if (status == TAC_OK) status = tac_param_set(copy, check->params->entry[w->param].path, value, NULL);
    if (status == TAC_OK) status = tac_sim_new(copy, &options, &sim, NULL);
    if (status == TAC_OK) status = tac_step(sim, x, u, w->y, &info);
    if (status == TAC_OK) status = cli_active_set(sim, copy, x, u, w->y, work, set);
    if (status == TAC_ERR_MEMORY) measure_memory_ran_out();
    memcpy(set + cli_active_count(w->model), &info.active_set, sizeof info.active_set);
    tac_sim_free(sim);
    tac_model_free(copy);
    free(work);
    return status == TAC_OK;
}

/* 1: it changes as the parameter moves by up to h either way. */
static int switches(const tacGradientCheck *check, const Sweep *w, int sample) {
    size_t n = (size_t)cli_active_count(w->model) + sizeof(uint64_t);
    double value = w->theta[w->param], h = SWITCH_FACTOR * check->step[w->param];
    signed char *here = calloc(2 * n, 1), *moved = here + n;
    if (here == NULL) measure_memory_ran_out();
    int known = here != NULL && set_with(check, w, sample, value, here), changes = 0;
    for (int k = CLI_SWITCH_PLACES; known && k > 0 && !changes; k--)
        for (int sign = -1; sign <= 1 && !changes; sign += 2)
            changes = set_with(check, w, sample, value + sign * h * k / CLI_SWITCH_PLACES, moved) &&
                      memcmp(here, moved, n) != 0;
    free(here);
    return changes;
}

/* --- The check --------------------------------------------------------------------------------------------------- */

static void record(tacGradientCheck *check, const Sweep *w, long first, double (*best)[CLI_ROW_BLOCKS],
                   const double *worst, const int *at) {
    for (int s = 0; s < w->group->count; s++) {
        tacSampleErrors *e = &w->group->errors[s];
        if (e->status != TAC_OK) continue;
        if (worst[s] > check->tol && switches(check, w, s)) e->switching = 1;
        w->group->param[(size_t)s * (size_t)w->np + (size_t)w->param] = worst[s];
        for (int b = 0; b < CLI_ROW_BLOCKS; b++)
            e->block[b][CLI_COLUMN_THETA] = fmax(e->block[b][CLI_COLUMN_THETA], best[s][b]);
        if (worst[s] > e->worst.error)
            e->worst = (tacWorstEntry){worst[s], first + s, at[s], w->ndx + w->nu + w->param};
    }
}

/* Results of one parameter, per sample: the best agreement so far. */
typedef struct Best {
    double (*block)[CLI_ROW_BLOCKS];
    double *worst;
    int *at;
} Best;

/* One parameter, all samples of the group. */
static void check_param(tacGradientCheck *check, Sweep *w, long first, double *F, double *work, Best best) {
    int disagrees = 1;
    for (int s = 0; s < w->group->count; s++)
        best.worst[s] = 2 * DIFFERENCE_NONE;
    double h = check->step[w->param];
    w->unit = fmin(1, h / RELATIVE_STEP);
    w->tol = check->tol;
    w->worst = best.worst;
    for (int k = 0; k < NFACTORS && disagrees; k++) {
        double enough = k == 0 ? CLI_KNOWN_WELL * check->tol : -1;
        if (difference_ridders_each(step_all, w, w->group->count, w->ndx, FACTORS[k] * h, enough, F, w->estimate,
                                    work) == 0)
            disagrees = keep_best(w, F, best.block, best.worst, best.at);
    }
    record(check, w, first, best.block, best.worst, best.at);
}

int cli_check_params(tacGradientCheck *check, tacSim *sim, long first, tacParamSamples *group) {
    const tacModel *m = check->model;
    Sweep w = {.model = m,
               .sim = sim,
               .group = group,
               .nx = tac_nx(m),
               .ndx = tac_ndx(m),
               .nu = tac_ninput(m, &check->options),
               .np = m->nparam};
    if (w.np == 0) return 1;
    size_t count = (size_t)group->count;
    w.theta = new_numbers((size_t)w.np);
    w.moved = new_numbers((size_t)w.np);
    w.y = new_numbers((size_t)w.nx);
    w.estimate = new_numbers(count * (size_t)w.ndx);
    double *F = new_numbers(count * (size_t)w.ndx), *work = new_numbers((size_t)difference_work(group->count * w.ndx));
    Best best = {calloc(count, sizeof *best.block), new_numbers(count), calloc(count, sizeof(int))};
    int good = w.theta != NULL && w.moved != NULL && w.y != NULL && w.estimate != NULL && F != NULL && work != NULL &&
               best.block != NULL && best.worst != NULL && best.at != NULL;
    if (good) {
        tac_sim_get_params(sim, w.theta);
        for (w.param = 0; w.param < w.np; w.param++)
            if (check->step[w.param] > 0) check_param(check, &w, first, F, work, best);
        tac_sim_set_params(sim, w.theta);
    }
    double *all[] = {w.theta, w.moved, w.y, w.estimate, F, work, best.worst};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(best.block);
    free(best.at);
    return good;
}
