#include "cli/derivatives/gradient_check.h"

#include "cli/cli.h"
#include "cli/derivatives/active_set.h"
#include "cli/derivatives/kept_state.h"
#include "cli/derivatives/param_check.h"
#include "cli/input/named_state.h"
#include "measure/differences.h"
#include "measure/draw_contact.h"
#include "measure/draw_state.h"
#include "measure/memory.h"
#include "measure/step_column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* First steps of the differences: the first serves nearly always; smaller ones stay clear of kinks and see bends of a
 * micrometre, as gaps of hard contacts are; a larger one is for what is nearly flat. */
static const double FIRST_STEPS[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-2};
enum { NSTEPS = sizeof FIRST_STEPS / sizeof *FIRST_STEPS };
/* A state that no stencil agrees at is switching where the active set changes inside one of this size. */
#define SWITCH_STEP 1e-6
/* What margins are held against: a number that moves by that moves velocities of rows by that times the
 * step's largest derivative or 1/dt (gaps become velocities), and features by a lever of some metres. */
#define MARGIN_FACTOR 10
/* A step of hard contact may bend over 1e-10: its differences have few digits, whatever the first step. A column agrees
 * with them as far as they tell where its error is at most this many times what they are known to by their own
 * estimate, and at most MOST_BLUR. */
#define BLUR_FACTOR 10
#define MOST_BLUR   1e-3
/* Forward and reverse mode may differ by this times the conditioning of the systems that derivatives solve. */
#define REVERSE_SHARE 1e-13
/* Samples are handled in groups so that setting a parameter serves many; numbers of P kept at once. */
enum { GROUP = 256, KEPT_NUMBERS = 1 << 23 };

/* Everything one run allocates. */
typedef struct Runner {
    tacGradientCheck *check;
    tacSim *sim;
    tacDerivative d;
    tacStepColumn step;
    double *F;                        /* (ndx + nu) columns of ndx: the differences */
    double *column, *estimate, *work; /* ndx each; of Ridders */
    double *ybar, *gx, *gu, *gtheta;  /* reverse mode */
    double *active_work;              /* of the active set */
    signed char *active, *active_moved;
    tacParamSamples group;
} Runner;

/* Named states are samples with numbers below zero: the last has -1. */
static int is_named(long sample) { return sample < 0; }

double cli_relative_error(double analytic, double difference, double scale) {
    double error = fabs(analytic - difference) / scale;
    return isnan(error) ? DIFFERENCE_NONE : error;
}

/* --- A and B ----------------------------------------------------------------------------------------------------- */

static double entry_of(const tacDerivative *d, int row, int column) {
    tacDerivativeSize n = d->size;
    if (column < n.ndx) return d->A[(size_t)row * (size_t)n.ndx + (size_t)column];
    return d->B[(size_t)row * (size_t)n.nu + (size_t)(column - n.ndx)];
}

/* Rows of block r, columns of block c (dq, dv, da, du) in [A | B]. */
static void block_range(tacDerivativeSize n, int block, int *first, int *count) {
    const int firsts[] = {0, n.nv, 2 * n.nv, n.ndx}, counts[] = {n.nv, n.nv, n.na, n.nu};
    *first = firsts[block];
    *count = counts[block];
}

/* max(1, max |F|) of a block; by the analytic entries where those are smaller, since one difference across a kink may
 * be of any size. */
static double block_scale(const Runner *r, int row_block, int column_block) {
    int row, rows, column, columns;
    double differences = 1, entries = 1;
    block_range(r->d.size, row_block, &row, &rows);
    block_range(r->d.size, column_block, &column, &columns);
    for (int j = column; j < column + columns; j++)
        for (int i = row; i < row + rows; i++) {
            differences = fmax(differences, fabs(r->F[(size_t)j * (size_t)r->d.size.ndx + (size_t)i]));
            entries = fmax(entries, fabs(entry_of(&r->d, i, j)));
        }
    return fmin(differences, entries);
}

/* Errors of a column of differences by row blocks, the largest of them returned with its row in *at. */
static double column_error(const Runner *r, int column, const double *F, const double scale[CLI_ROW_BLOCKS],
                           double error[CLI_ROW_BLOCKS], int *at) {
    const int nv = r->d.size.nv, first[] = {0, nv, 2 * nv, r->d.size.ndx};
    double worst = 0;
    for (int b = 0; b < CLI_ROW_BLOCKS; b++) {
        error[b] = 0;
        for (int i = first[b]; i < first[b + 1]; i++) {
            double e = cli_relative_error(entry_of(&r->d, i, column), F[i], scale[b]);
            error[b] = fmax(error[b], e);
            if (e > worst) {
                worst = e;
                *at = i;
            }
        }
    }
    return worst;
}

/* Error of the differences by their own estimates, r->estimate: the largest of a column, in its blocks' units. */
static double column_blur(const Runner *r, const double scale[CLI_ROW_BLOCKS]) {
    const int nv = r->d.size.nv, first[] = {0, nv, 2 * nv, r->d.size.ndx};
    double most = 0;
    for (int b = 0; b < CLI_ROW_BLOCKS; b++)
        for (int i = first[b]; i < first[b + 1]; i++)
            most = fmax(most, r->estimate[i] / scale[b]);
    return most;
}

/* Column `column` once more with other first steps; the differences that agree best are kept -> what they are known to,
 * or 0 where the first ones stay. */
static double refine_column(Runner *r, int column, const double scale[CLI_ROW_BLOCKS]) {
    int at = 0;
    double by_block[CLI_ROW_BLOCKS], *F = r->F + (size_t)column * (size_t)r->d.size.ndx, blur = 0;
    double best = column_error(r, column, F, scale, by_block, &at);
    r->step.column = column;
    for (int k = 1; k < NSTEPS && best > r->check->tol; k++) {
        if (difference_ridders(measure_step_column_difference, &r->step, r->step.ndx, FIRST_STEPS[k], r->column,
                               r->estimate, r->work) != 0)
            continue;
        double error = column_error(r, column, r->column, scale, by_block, &at);
        if (error >= best) continue;
        best = error;
        blur = column_blur(r, scale);
        memcpy(F, r->column, (size_t)r->step.ndx * sizeof(double));
    }
    return blur;
}

/* The step as one number of a column has moved -> what is active there, in r->active_moved; 1: not as it was before. */
static int switched(Runner *r, double t, uint64_t before) {
    tacStepColumn *step = &r->step;
    tacStepInfo moved;
    measure_step_column_move(step, t);
    if (tac_step(r->sim, step->moved, step->input, step->y, &moved) != TAC_OK) return 0;
    if (moved.active_set != before) return 1;
    if (cli_active_set(r->sim, r->check->model, step->moved, step->input, step->y, r->active_work, r->active_moved) !=
        TAC_OK)
        return 0;
    return memcmp(r->active, r->active_moved, (size_t)cli_active_count(r->check->model)) != 0;
}

/* 1: the active set changes as the number moves by up to SWITCH_STEP either way. What is exactly tied, two edges as
 * near as each other, goes by rounding: one place of it may be as it was, others not. */
static int switches(Runner *r, int column) {
    tacStepColumn *step = &r->step;
    tacStepInfo here;
    if (tac_step(r->sim, step->x, step->u, step->y, &here) != TAC_OK) return 0;
    if (cli_active_set(r->sim, r->check->model, step->x, step->u, step->y0, r->active_work, r->active) != TAC_OK)
        return 0;
    step->column = column;
    for (int k = CLI_SWITCH_PLACES; k > 0; k--)
        for (int sign = -1; sign <= 1; sign += 2)
            if (switched(r, sign * SWITCH_STEP * k / CLI_SWITCH_PLACES, here.active_set)) return 1;
    return 0;
}

/* --- One side of a kink ------------------------------------------------------------------------------------------ */

/* Steps of the differences, and what counts as agreement: they are of second order, and the smaller ones have few
 * digits. */
static const double SIDE_STEPS[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
enum { NSIDE_STEPS = sizeof SIDE_STEPS / sizeof *SIDE_STEPS };
#define SIDE_TOL 1e-4

/* r->column = 2 D(h/2) - D(h), D the difference of the two states at 0 and h, which may be negative. */
static int side_difference(Runner *r, double h) {
    int n = r->step.ndx;
    if (difference_forward(measure_step_column_difference, &r->step, n, h, r->estimate, r->work) != 0) return 0;
    if (difference_forward(measure_step_column_difference, &r->step, n, h / 2, r->column, r->work) != 0) return 0;
    for (int i = 0; i < n; i++)
        r->column[i] = 2 * r->column[i] - r->estimate[i];
    return 1;
}

/* 1: the column is the derivative of the step as its number moves one way, sign 1 or -1. */
static int is_of_side(Runner *r, int column, int sign, const double scale[CLI_ROW_BLOCKS]) {
    double by_block[CLI_ROW_BLOCKS];
    int at;
    r->step.column = column;
    for (int k = 0; k < NSIDE_STEPS; k++)
        if (side_difference(r, sign * SIDE_STEPS[k]) &&
            column_error(r, column, r->column, scale, by_block, &at) <= SIDE_TOL)
            return 1;
    return 0;
}

/* A column that disagrees, by `error`, with differences that are known to `blur`. */
static void judge_column(Runner *r, int column, const double scale[CLI_ROW_BLOCKS], double error, double blur,
                         int named, tacSampleErrors *out) {
    int other = switches(r, column);
    out->switching |= other;
    if (!named) return;
    if (!other && error <= fmin(BLUR_FACTOR * blur, MOST_BLUR)) {
        out->blur = fmax(out->blur, blur);
        return;
    }
    int sides = is_of_side(r, column, 1, scale) + is_of_side(r, column, -1, scale);
    if (!other && sides == 2 && error <= SIDE_TOL) {
        out->blur = fmax(out->blur, SIDE_TOL);
        return;
    }
    out->kinked++;
    out->one_sided += sides > 0;
    out->odd += sides == 0 && !other;
}

/* Errors of one sample's A and B. */
static void compare_columns(Runner *r, tacSampleErrors *out, long sample) {
    tacDerivativeSize n = r->d.size;
    double scale[CLI_COLUMN_THETA][CLI_ROW_BLOCKS];
    for (int c = 0; c < CLI_COLUMN_THETA; c++)
        for (int b = 0; b < CLI_ROW_BLOCKS; b++)
            scale[c][b] = block_scale(r, b, c);
    for (int c = 0; c < CLI_COLUMN_THETA; c++) {
        int first, count, at = 0;
        block_range(n, c, &first, &count);
        for (int j = first; j < first + count; j++) {
            const double *F = r->F + (size_t)j * (size_t)n.ndx;
            double by_block[CLI_ROW_BLOCKS], error = column_error(r, j, F, scale[c], by_block, &at);
            if (error > r->check->tol) {
                double blur = refine_column(r, j, scale[c]);
                error = column_error(r, j, F, scale[c], by_block, &at);
                if (error > r->check->tol) judge_column(r, j, scale[c], error, blur, is_named(sample), out);
            }
            for (int b = 0; b < CLI_ROW_BLOCKS; b++)
                out->block[b][c] = fmax(out->block[b][c], by_block[b]);
            if (error > out->worst.error) out->worst = (tacWorstEntry){error, sample, at, j};
        }
    }
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------ */

/* |ybar . (M dx) - got . dx| over the sum of the terms' sizes, for a matrix of ndx rows and a random dx. */
static double pairing_error(const Runner *r, long sample, int first, int columns, const double *M, const double *got) {
    double forward = 0, reverse = 0, size = 1;
    for (int j = 0; j < columns; j++) {
        double dx = tac_random_normal(~r->check->seed, (uint64_t)sample, (uint64_t)(first + j));
        for (int i = 0; i < r->d.size.ndx; i++) {
            double term = r->ybar[i] * M[(size_t)i * (size_t)columns + (size_t)j] * dx;
            forward += term;
            size += fabs(term);
        }
        reverse += got[j] * dx;
    }
    return cli_relative_error(forward, reverse, size);
}

/* Stream of the covectors, apart from those of the states. */
enum { YBAR_STREAM = 1 };

static tacStatus compare_reverse(Runner *r, long sample, double *error) {
    tacDerivativeSize n = r->d.size;
    for (int i = 0; i < n.ndx; i++)
        r->ybar[i] = tac_random_normal(r->check->seed ^ (uint64_t)YBAR_STREAM << 63, (uint64_t)sample, (uint64_t)i);
    tacGrad grad = {r->gx, r->gu, n.np > 0 ? r->gtheta : NULL};
    tacStatus status = tac_step_vjp(r->sim, r->step.x, r->step.u, r->ybar, &grad, NULL);
    if (status != TAC_OK) return status;
    *error =
        fmax(pairing_error(r, sample, 0, n.ndx, r->d.A, r->gx), pairing_error(r, sample, n.ndx, n.nu, r->d.B, r->gu));
    *error = fmax(*error, pairing_error(r, sample, n.ndx + n.nu, n.np, r->d.P, r->gtheta));
    return TAC_OK;
}

/* --- Margins ----------------------------------------------------------------------------------------------------- */

static double largest_entry(size_t n, const double *M) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(M[i]));
    return largest;
}

/* 1: the step's own margins say that a stencil of SWITCH_STEP may reach another active set. Contact soft has a
 * force_margin for every constraint; with the others rows without force have a class_margin alone. */
static int is_flagged(const Runner *r, const tacStepInfo *info) {
    size_t ndx = (size_t)r->d.size.ndx, nu = (size_t)r->d.size.nu, np = (size_t)r->d.size.np;
    double rate = fmax(1 / r->check->options.dt, largest_entry(ndx * ndx, r->d.A));
    rate = fmax(rate, fmax(largest_entry(ndx * nu, r->d.B), largest_entry(ndx * np, r->d.P)));
    return (info->class_margin <= MARGIN_FACTOR * SWITCH_STEP * rate &&
            r->check->options.contact != TAC_CONTACT_MODEL_SOFT) ||
           info->feature_margin <= MARGIN_FACTOR * SWITCH_STEP || info->force_margin <= MARGIN_FACTOR * SWITCH_STEP;
}

/* --- One sample -------------------------------------------------------------------------------------------------- */

/* The step, its derivative (the same map, to the bit), the reverse mode, and the differences by x and u. */
static tacStatus check_sample(Runner *r, long sample, const double *x, const double *u, tacSampleErrors *out) {
    int ndx = r->d.size.ndx;
    tacStatus status = measure_step_column_at(&r->step, x, u);
    tacStepInfo info = {0};
    if (status == TAC_OK) status = cli_derivative_at(r->sim, x, u, &r->d, &info);
    if (status != TAC_OK) return status;
    out->flagged = is_flagged(r, &info);
    out->ties = info.ties;
    out->conditioning = info.conditioning;
    out->same_map = memcmp(r->d.y, r->step.y0, (size_t)r->step.nx * sizeof(double)) == 0;
    status = compare_reverse(r, sample, &out->reverse);
    for (int j = 0; status == TAC_OK && j < ndx + r->d.size.nu; j++) {
        r->step.column = j;
        double *F = r->F + (size_t)j * (size_t)ndx;
        if (difference_ridders_each(measure_step_column_difference, &r->step, 1, ndx, FIRST_STEPS[0],
                                    CLI_KNOWN_WELL * r->check->tol, F, r->estimate, r->work) != 0)
            for (int i = 0; i < ndx; i++)
                F[i] = (double)NAN; /* a step that fails inside the stencil: the smaller ones are tried */
    }
    if (status == TAC_OK) compare_columns(r, out, sample);
    return status;
}

/* A state to check at: one that the model names; anywhere without contact, otherwise where something touches. */
static void draw_state(Runner *r, long sample, double *x, double *u) {
    const tacGradientCheck *check = r->check;
    tacStepInfo info = {0};
    if (is_named(sample)) {
        cli_named_state(check->model, &check->options, (int)(sample + check->nnamed), x, u);
        return;
    }
    if (check->options.contact == TAC_CONTACT_MODEL_NONE) {
        measure_draw_state(check->model, &check->options, check->seed, (uint64_t)sample, x, u);
        return;
    }
    if (!measure_draw_contact_state(r->sim, check->model, &check->options, check->seed, (uint64_t)sample, x, u))
        measure_memory_ran_out();
    tac_step(r->sim, x, u, r->step.y, &info);
    r->check->in_contact += info.contacts > 0;
    r->check->sticking += info.sticking > 0;
    r->check->sliding += info.sliding > 0;
}

static int check_group(Runner *r, long first, int count) {
    tacParamSamples *g = &r->group;
    g->count = count;
    for (int s = 0; s < count; s++) {
        double *x = g->x + (size_t)s * (size_t)r->step.nx, *u = g->u + (size_t)s * (size_t)r->step.nu;
        tacSampleErrors *out = &g->errors[s];
        memset(out, 0, sizeof *out);
        draw_state(r, first + s, x, u);
        out->status = check_sample(r, first + s, x, u, out);
        memcpy(g->y0 + (size_t)s * (size_t)r->step.nx, r->step.y0, (size_t)r->step.nx * sizeof(double));
        memcpy(g->P + (size_t)s * g->p_stride, r->d.P, g->p_stride * sizeof(double));
    }
    return cli_check_params(r->check, r->sim, first, g);
}

/* --- The run ----------------------------------------------------------------------------------------------------- */

static void note_odd(tacGradientCheck *check, long sample, const char *what, const tacSampleErrors *e) {
    if (check->nodd < CLI_ODD_SAMPLES)
        check->odd[check->nodd] = (tacOddSample){sample, what, e->flagged, e->worst.error, e->reverse};
    check->nodd++;
}

/* -> 1: it passed, or says nothing. */
static int count_sample(tacGradientCheck *check, long sample, const tacSampleErrors *e, const double *param) {
    if (e->status != TAC_OK) {
        check->failed++;
        note_odd(check, sample, "broken", e);
        if (check->broken++ == 0) check->status = e->status;
        return 1;
    }
    check->flagged += e->flagged;
    if (!e->same_map) { /* whatever its derivatives are of, they are not of this step */
        check->failed++;
        note_odd(check, sample, "another map", e);
        return 0;
    }
    if (e->switching) {
        check->switching++;
        check->unflagged += !e->flagged;
        if (!e->flagged) note_odd(check, sample, "unflagged", e);
        return 1;
    }
    for (int b = 0; b < CLI_ROW_BLOCKS; b++)
        for (int c = 0; c < CLI_COLUMN_BLOCKS; c++)
            check->block[b][c] = fmax(check->block[b][c], e->block[b][c]);
    for (int p = 0; p < check->params->count; p++)
        check->param[p] = fmax(check->param[p], param[p]);
    check->reverse = fmax(check->reverse, e->reverse);
    if (e->worst.error > check->worst.error) check->worst = e->worst;
    int passed = e->worst.error <= check->tol && e->reverse <= CLI_REVERSE_TOL;
    check->passed += passed;
    check->failed += !passed;
    if (!passed) note_odd(check, sample, "failed", e);
    return passed;
}

/* 1: the step itself says that it may have a kink here. */
static int says_kink(const tacGradientCheck *check, const tacSampleErrors *e) {
    return e->ties > 0 || (check->options.contact != TAC_CONTACT_MODEL_NONE && e->flagged);
}

static tacVerdict verdict_of(const tacGradientCheck *check, const tacSampleErrors *e) {
    if (e->status != TAC_OK) return CLI_NO_STEP;
    if (!e->same_map || !(e->reverse <= fmax(CLI_REVERSE_TOL, REVERSE_SHARE * e->conditioning))) return CLI_FAILED;
    if (e->kinked == 0 && (e->worst.error <= check->tol || e->blur > 0)) return CLI_PASSED;
    return says_kink(check, e) && e->odd == 0 ? CLI_KINK : CLI_FAILED;
}

/* -> 1: it passed, or says nothing. */
static int count_named(tacGradientCheck *check, long sample, const tacSampleErrors *e) {
    tacNamedResult *out = &check->named[sample + check->nnamed];
    *out = (tacNamedResult){verdict_of(check, e), e->status,  e->ties, e->kinked, e->one_sided,
                            e->worst.error,       e->reverse, e->blur, e->worst};
    return out->verdict != CLI_FAILED;
}

/* Counts the samples of a group, and keeps those that fail. */
static int count_group(const char *verb, Runner *r, long first, int count) {
    const tacParamSamples *g = &r->group;
    int result = CLI_GO_ON;
    for (int s = 0; s < count; s++) {
        const double *x = g->x + (size_t)s * (size_t)r->step.nx, *u = g->u + (size_t)s * (size_t)r->step.nu;
        const double *param = g->param + (size_t)s * (size_t)r->check->params->count;
        int fine = is_named(first + s) ? count_named(r->check, first + s, &g->errors[s])
                                       : count_sample(r->check, first + s, &g->errors[s], param);
        if (fine || r->check->keep == NULL || result != CLI_GO_ON) continue;
        if (cli_derivative_at(r->sim, x, u, &r->d, NULL) == TAC_OK)
            result = cli_keep_state(verb, r->check, first + s, x, u, &r->d);
    }
    return result;
}

static int group_size(const Runner *r) {
    size_t each = r->group.p_stride + 1, most = KEPT_NUMBERS / each;
    long both = r->check->samples + r->check->nnamed, size = both < GROUP ? both : GROUP;
    return (int)((size_t)size < most ? (size_t)size : most > 0 ? most : 1);
}

static int run_groups(const char *verb, Runner *r) {
    tacProgress progress = measure_progress_begin("checking");
    long named = r->check->nnamed, samples = r->check->samples + named, size = r->group.capacity;
    for (long done = 0, count; done < samples; done += count) {
        long end = done < named ? named : samples, first = done < named ? done - named : r->check->first + done - named;
        count = end - done < size ? end - done : size;
        if (!check_group(r, first, (int)count)) {
            measure_progress_end(&progress);
            return cli_fail(verb, "out of memory");
        }
        int result = count_group(verb, r, first, (int)count);
        if (result != CLI_GO_ON) {
            measure_progress_end(&progress);
            return result;
        }
        measure_progress_show(&progress, done + count, samples);
    }
    measure_progress_end(&progress);
    return CLI_GO_ON;
}

static void runner_free(Runner *r) {
    double *all[] = {r->F, r->column, r->estimate, r->work, r->ybar, r->gx, r->gu, r->gtheta, r->active_work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(r->active);
    free(r->active_moved);
    cli_param_samples_free(&r->group);
    measure_step_column_free(&r->step);
    cli_derivative_free(&r->d);
    tac_sim_free(r->sim);
}

static double *new_numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static int runner_new(Runner *r) {
    const tacModel *m = r->check->model;
    const tacOptions *options = &r->check->options;
    if (!cli_derivative_new(m, options, &r->d) || !measure_step_column_new(m, options, r->sim, &r->step)) return 0;
    tacDerivativeSize n = r->d.size;
    r->F = new_numbers(n.ndx * (n.ndx + n.nu));
    r->column = new_numbers(n.ndx);
    r->estimate = new_numbers(n.ndx);
    r->work = new_numbers(difference_work(n.ndx));
    r->ybar = new_numbers(n.ndx);
    r->gx = new_numbers(n.ndx);
    r->gu = new_numbers(n.nu);
    r->gtheta = new_numbers(n.np);
    r->active_work = new_numbers(cli_active_work(m));
    size_t active = (size_t)cli_active_count(m) + 1;
    r->active = malloc(active);
    r->active_moved = malloc(active);
    r->group.p_stride = (size_t)n.ndx * (size_t)n.np;
    if (!cli_param_samples_new(m, options, group_size(r), &r->group)) return 0;
    return r->F != NULL && r->column != NULL && r->estimate != NULL && r->work != NULL && r->ybar != NULL &&
           r->gx != NULL && r->gu != NULL && r->gtheta != NULL && r->active_work != NULL && r->active != NULL &&
           r->active_moved != NULL;
}

int cli_gradient_check(const char *verb, tacGradientCheck *check) {
    tacError err;
    Runner r = {.check = check};
    check->param = calloc((size_t)check->params->count + 1, sizeof *check->param);
    check->step = calloc((size_t)check->params->count + 1, sizeof *check->step);
    check->named = calloc((size_t)check->nnamed + 1, sizeof *check->named);
    if (check->param == NULL || check->step == NULL || check->named == NULL) return cli_fail(verb, "out of memory");
    int result = cli_move_params_inside(verb, check);
    if (result != CLI_GO_ON) return result;
    if (tac_sim_new(check->model, &check->options, &r.sim, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    result = runner_new(&r) ? run_groups(verb, &r) : cli_fail(verb, "out of memory");
    runner_free(&r);
    return result;
}

void cli_gradient_check_free(tacGradientCheck *check) {
    free(check->param);
    free(check->step);
    free(check->named);
    check->named = NULL;
    check->param = NULL;
    check->step = NULL;
}
