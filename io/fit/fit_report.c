/* What a fit found, as text and as JSON. */
#include "io/fit/fit_run.h"

#include "base/error.h"
#include "io/page/json.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 2048 };
/* Least share of a parameter in a direction that is named, and the most difference of two shares that are equal. */
#define NAMED 0.1
#define EQUAL 0.02

static const char *status_text(const tacFitRun *run) {
    return run->setup.options.iterations == 0 ? "judged" : tac_fit_end_text(run->result.end);
}

/* --- Directions in words ------------------------------------------------------------------------------------------ */

static size_t put(char *text, size_t size, size_t used, const char *word) {
    int n = used < size ? snprintf(text + used, size - used, "%s", word) : 0;
    return used + (size_t)(n > 0 ? n : 0);
}

/* Parameters that a direction moves: those with a share of NAMED or more -> which[], their number. */
static int name_direction(const tacFitRun *run, const double *direction, int *which) {
    int n = 0;
    for (int i = 0; i < run->judgement.nvar; i++)
        if (fabs(direction[i]) >= NAMED) which[n++] = i;
    return n;
}

/* Two numbers that move by logarithms and change by equal parts enter by their ratio or their product alone. */
static const char *how_two_enter(const tacFitRun *run, const double *direction, const int *which) {
    double a = direction[which[0]], b = direction[which[1]];
    int logs = run->setup.unknown[which[0]].param.move == TAC_MOVE_LOG &&
               run->setup.unknown[which[1]].param.move == TAC_MOVE_LOG;
    if (logs && fabs(a - b) <= EQUAL) return " enter by their ratio alone";
    if (logs && fabs(a + b) <= EQUAL) return " enter by their product alone";
    return NULL;
}

static void describe(const tacFitRun *run, const double *direction, char *text, size_t size) {
    int which[64], n = 0;
    char share[32];
    const char *two;
    text[0] = '\0';
    if (run->judgement.nvar <= 64) n = name_direction(run, direction, which);
    size_t used = put(text, size, 0, "");
    if (n == 1) {
        used = put(text, size, used, run->setup.unknown[which[0]].path);
        put(text, size, used, " is not seen");
        return;
    }
    two = n == 2 ? how_two_enter(run, direction, which) : NULL;
    for (int i = 0; i < n; i++) {
        snprintf(share, sizeof share, "%+.2f ", direction[which[i]]);
        if (i > 0) used = put(text, size, used, two != NULL ? " and " : ", ");
        if (two == NULL) used = put(text, size, used, share);
        used = put(text, size, used, run->setup.unknown[which[i]].path);
    }
    put(text, size, used, two != NULL ? two : ": this change of them together is not seen");
}

/* --- Text --------------------------------------------------------------------------------------------------------- */

static void add_line(tacText *out, const char *format, ...) TAC_FORMAT(2, 3);
static void add_line(tacText *out, const char *format, ...) {
    char line[LINE];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    tac_text_add(out, line);
}

static void add_params(tacText *out, const tacFitRun *run) {
    const tacFitJudgement *j = &run->judgement;
    add_line(out, "\n%-32s %13s %13s %11s %28s\n", "parameter", "estimate", "start", "error", "95 % interval");
    for (int i = 0; i < j->nvar; i++) {
        const tacFitUnknown *u = &run->setup.unknown[i];
        if (j->seen[i])
            add_line(out, "%-32s %13.6g %13.6g %11.3g   %12.6g %12.6g\n", u->path, j->value[i], u->start, j->se[i],
                     j->low[i], j->high[i]);
        else
            add_line(out, "%-32s %13.6g %13.6g   not seen by these data\n", u->path, j->value[i], u->start);
    }
}

static void add_starts(tacText *out, const tacFitRun *run) {
    if (run->nstart < 2) return;
    add_line(out, "\n%-6s %-11s %10s %13s   estimates\n", "start", "status", "iterations", "loss");
    for (int i = 0; i < run->nstart; i++) {
        const tacFitStart *s = &run->start[i];
        add_line(out, "%-6d %-11s %10d %13.6g  ", i, tac_fit_end_text(s->end), s->iterations, s->loss);
        for (int k = 0; k < run->setup.n; k++)
            add_line(out, " %.6g", s->theta[run->setup.unknown[k].param.param]);
        tac_text_add(out, i == run->best ? "   best\n" : "\n");
    }
}

static void add_unseen(tacText *out, const tacFitRun *run) {
    const tacFitJudgement *j = &run->judgement;
    char text[LINE];
    if (j->rank < j->nvar) tac_text_add(out, "\nwhat the data do not see\n");
    for (int i = j->rank; i < j->nvar; i++) {
        describe(run, j->direction + (size_t)i * (size_t)j->nvar, text, sizeof text);
        add_line(out, "  %s\n", text);
    }
}

tacStatus tac_fit_run_text(const tacFitRun *run, char **text, tacError *err) {
    tacText out = {0};
    if (run == NULL || text == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a run and a place for its text are needed");
    tacFitSizes sizes = tac_fit_sizes(run->fit);
    const tacFitJudgement *j = &run->judgement;
    add_line(&out, "%s after %d iterations\n", status_text(run), run->result.iterations);
    add_line(&out, "  data        %d recordings, %d segments, %ld numbers\n", sizes.nrecording, sizes.nsegment,
             run->result.residuals);
    add_line(&out, "  loss        %.6g (rms %.4g deviations)\n", run->result.loss, run->result.rms);
    if (run->check != NULL)
        add_line(&out, "  validation  rms %.4g deviations, of %d recordings\n", run->judged.rms, run->validate.n);
    if (run->result.failed + run->judged.failed > 0)
        add_line(&out, "  UNSOLVED    %d segments cannot be predicted\n", run->result.failed + run->judged.failed);
    add_line(&out, "  intervals   over %d %s\n", j->groups,
             j->by_segment ? "segments: fewer than ten recordings" : "recordings");
    add_params(&out, run);
    add_unseen(&out, run);
    add_starts(&out, run);
    *text = tac_text_take(&out);
    return *text != NULL ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for the report");
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void put_params(tacText *out, const tacFitRun *run) {
    const tacFitJudgement *j = &run->judgement;
    tac_json_open(out, "params", '[');
    for (int i = 0; i < j->nvar; i++) {
        tac_json_open(out, NULL, '{');
        tac_json_string(out, "path", run->setup.unknown[i].path);
        tac_json_number(out, "value", j->value[i]);
        tac_json_number(out, "start", run->setup.unknown[i].start);
        tac_json_number(out, "se", j->seen[i] ? j->se[i] : (double)NAN);
        tac_json_number(out, "se_plain", j->seen[i] ? j->se_plain[i] : (double)NAN);
        tac_json_number(out, "low", j->seen[i] ? j->low[i] : (double)NAN);
        tac_json_number(out, "high", j->seen[i] ? j->high[i] : (double)NAN);
        tac_json_boolean(out, "seen", j->seen[i]);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

static void put_matrix(tacText *out, const char *key, int n, const double *rows) {
    tac_json_open(out, key, '[');
    for (int i = 0; i < n; i++)
        tac_json_numbers(out, NULL, n, rows + (size_t)i * (size_t)n);
    tac_json_close(out, '[');
}

static void put_directions(tacText *out, const tacFitRun *run) {
    const tacFitJudgement *j = &run->judgement;
    char text[LINE];
    tac_json_numbers(out, "singular", j->nvar, j->singular);
    tac_json_open(out, "directions", '[');
    for (int i = j->rank; i < j->nvar; i++) {
        const double *direction = j->direction + (size_t)i * (size_t)j->nvar;
        describe(run, direction, text, sizeof text);
        tac_json_open(out, NULL, '{');
        tac_json_string(out, "text", text);
        tac_json_numbers(out, "direction", j->nvar, direction);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

static void put_starts(tacText *out, const tacFitRun *run) {
    tac_json_open(out, "starts", '[');
    for (int i = 0; i < run->nstart; i++) {
        const tacFitStart *s = &run->start[i];
        tac_json_open(out, NULL, '{');
        tac_json_string(out, "status", tac_fit_end_text(s->end));
        tac_json_number(out, "loss", s->loss);
        tac_json_integer(out, "iterations", s->iterations);
        tac_json_open(out, "values", '[');
        for (int k = 0; k < run->setup.n; k++)
            tac_json_number(out, NULL, s->theta[run->setup.unknown[k].param.param]);
        tac_json_close(out, '[');
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
    tac_json_integer(out, "best", run->best);
}

static void put_history(tacText *out, const tacFitRun *run) {
    tac_json_open(out, "history", '[');
    for (int i = 0; i <= run->result.iterations; i++) {
        const tacFitIteration *h = &run->result.history[i];
        tac_json_open(out, NULL, '{');
        tac_json_integer(out, "iteration", h->iteration);
        tac_json_number(out, "loss", h->loss);
        tac_json_number(out, "step", h->step);
        tac_json_number(out, "damping", h->damping);
        tac_json_integer(out, "failed", h->failed);
        tac_json_integer(out, "bounds", h->bounds);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

static void put_losses(tacText *out, const tacFitRun *run) {
    double none = (double)NAN;
    tac_json_open(out, "loss", '{');
    tac_json_number(out, "train", run->result.loss);
    tac_json_number(out, "validate", run->check != NULL ? run->judged.loss : none);
    tac_json_close(out, '{');
    tac_json_open(out, "rms", '{');
    tac_json_number(out, "train", run->result.rms);
    tac_json_number(out, "validate", run->check != NULL ? run->judged.rms : none);
    tac_json_close(out, '{');
}

/* Root mean square of a prediction's error at its last frame, by entries of the state's tangent and of the outputs, in
 * their units -> rms[n]; entries without deviation are not measured. */
static void measure_errors(const tacFitRun *run, int n, double *rms, double *r) {
    const tacFit *fit = run->check != NULL ? run->check : run->fit;
    tacFitter *fitter = run->check != NULL ? run->checker : run->fitter;
    int segments = tac_fit_sizes(fit).nsegment, used = 0, ndx = tac_ndx(run->setup.model);
    for (int s = 0; s < segments; s++) {
        int rows = tac_fit_segment_rows(fit, s);
        if (tac_fitter_residuals(fitter, s, r, NULL) != TAC_OK) continue;
        used++;
        for (int i = 0; i < n; i++)
            rms[i] += r[rows - n + i] * r[rows - n + i];
    }
    for (int i = 0; i < n; i++) {
        double deviation = i < ndx ? run->setup.deviation[i] : run->setup.output_deviation[i - ndx];
        rms[i] = isfinite(deviation) && used > 0 ? deviation * sqrt(rms[i] / used) : (double)NAN;
    }
}

static void put_errors(tacText *out, const tacFitRun *run) {
    const tacFit *fit = run->check != NULL ? run->check : run->fit;
    int n = tac_ndx(run->setup.model) + run->setup.nz, most = n;
    for (int s = 0; s < tac_fit_sizes(fit).nsegment; s++)
        most = tac_fit_segment_rows(fit, s) > most ? tac_fit_segment_rows(fit, s) : most;
    double *rms = calloc((size_t)n, sizeof *rms), *r = calloc((size_t)most, sizeof *r);
    if (rms == NULL || r == NULL)
        out->failed = 1;
    else
        measure_errors(run, n, rms, r);
    if (rms != NULL) tac_json_numbers(out, "errors", n, rms);
    free(rms);
    free(r);
}

tacStatus tac_fit_run_json(const tacFitRun *run, char **text, tacError *err) {
    tacText out = {0};
    if (run == NULL || text == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "a run and a place for its text are needed");
    tacFitSizes sizes = tac_fit_sizes(run->fit);
    tac_json_open(&out, NULL, '{');
    tac_json_string(&out, "version", tac_version());
    tac_json_string(&out, "command", run->options.command != NULL ? run->options.command : "");
    tac_json_string(&out, "status", status_text(run));
    tac_json_integer(&out, "iterations", run->result.iterations);
    tac_json_integer(&out, "recordings", sizes.nrecording);
    tac_json_integer(&out, "segments", sizes.nsegment);
    tac_json_integer(&out, "failed", run->result.failed + run->judged.failed);
    put_losses(&out, run);
    put_errors(&out, run);
    put_params(&out, run);
    tac_json_string(&out, "groups", run->judgement.by_segment ? "segments" : "recordings");
    put_matrix(&out, "correlation", run->judgement.nvar, run->judgement.correlation);
    put_matrix(&out, "information", run->judgement.nvar, run->judgement.information);
    put_directions(&out, run);
    put_starts(&out, run);
    put_history(&out, run);
    tac_json_close(&out, '{');
    tac_text_add(&out, "\n");
    *text = tac_text_take(&out);
    return *text != NULL ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for the report");
}
