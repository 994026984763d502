#include "cli/derivatives/error_plot.h"

#include "cli/cli.h"
#include "cli/derivatives/derivative.h"
#include "cli/options.h"
#include "cli/report/output_file.h"
#include "measure/differences.h"
#include "measure/draw_state.h"
#include "measure/step_column.h"

#include <math.h>
#include <stdlib.h>

/* Steps from 10^-13 to 1, four a decade. */
enum { FIRST_DECADE = -13, LAST_DECADE = 0, PER_DECADE = 4, POINTS = (LAST_DECADE - FIRST_DECADE) * PER_DECADE + 1 };
/* Errors from 10^-15 to 10. */
enum { LOWEST = -15, HIGHEST = 1 };
/* First step of Ridders' differences, which stand for the truth. */
#define RIDDERS_STEP 1e-3
/* Pixels. */
enum { WIDTH = 760, HEIGHT = 460, LEFT = 70, RIGHT = 30, TOP = 64, BOTTOM = 52 };

/* Curves of the plot. */
typedef struct Curves {
    double step[POINTS], forward[POINTS], central[POINTS];
    double exact;
} Curves;

/* --- Errors ------------------------------------------------------------------------------------------------------ */

typedef struct Work {
    tacStepColumn step;
    tacDerivative d;
    double *x, *u, *column, *work;
} Work;

typedef enum { EXACT, FORWARD, CENTRAL } Kind;

/* Largest |analytic - difference| of A and B, over max(1, largest entry); where a step fails, the top of the plot. */
static double error_of(Work *w, Kind kind, double h) {
    tacDerivativeSize n = w->d.size;
    double worst = 0, largest = 1;
    for (int j = 0; j < n.ndx + n.nu; j++) {
        w->step.column = j;
        int failed = kind == EXACT ? difference_ridders(measure_step_column_difference, &w->step, n.ndx, RIDDERS_STEP,
                                                        w->column, NULL, w->work)
                     : kind == FORWARD
                         ? difference_forward(measure_step_column_difference, &w->step, n.ndx, h, w->column, w->work)
                         : difference_central(measure_step_column_difference, &w->step, n.ndx, h, w->column, w->work);
        if (failed) return pow(10, HIGHEST);
        for (int i = 0; i < n.ndx; i++) {
            size_t row = (size_t)i;
            double entry =
                j < n.ndx ? w->d.A[row * (size_t)n.ndx + (size_t)j] : w->d.B[row * (size_t)n.nu + (size_t)(j - n.ndx)];
            worst = fmax(worst, fabs(entry - w->column[i]));
            largest = fmax(largest, fabs(entry));
        }
    }
    return worst / largest;
}

static tacStatus measure(Work *w, const tacModel *m, const tacOptions *options, uint64_t seed, Curves *c) {
    measure_draw_state(m, options, seed, 0, w->x, w->u);
    tacStatus status = measure_step_column_at(&w->step, w->x, w->u);
    if (status == TAC_OK) status = cli_derivative_at(w->step.sim, w->x, w->u, &w->d, NULL);
    if (status != TAC_OK) return status;
    c->exact = error_of(w, EXACT, 0);
    for (int i = 0; i < POINTS; i++) {
        c->step[i] = pow(10, FIRST_DECADE + (double)i / PER_DECADE);
        c->forward[i] = error_of(w, FORWARD, c->step[i]);
        c->central[i] = error_of(w, CENTRAL, c->step[i]);
    }
    return TAC_OK;
}

/* --- Drawing ----------------------------------------------------------------------------------------------------- */

static double x_of(double step) {
    return LEFT + (log10(step) - FIRST_DECADE) / (LAST_DECADE - FIRST_DECADE) * (WIDTH - LEFT - RIGHT);
}

static double y_of(double error) {
    double level = error > 0 ? log10(error) : LOWEST;
    level = fmin(HIGHEST, fmax(LOWEST, level));
    return HEIGHT - BOTTOM - (level - LOWEST) / (HIGHEST - LOWEST) * (HEIGHT - TOP - BOTTOM);
}

static void draw_head(FILE *f, const char *title) {
    fprintf(
        f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    fputs(
        "<style>\n"
        ":root{--back:#ffffff;--ink:#1c2430;--soft:#6b7787;--grid:#e6eaf0;--one:#c77a00;--two:#2a6fdb;--own:#14855f}\n"
        "@media(prefers-color-scheme:dark){:root{--back:#12161c;--ink:#e8ecf2;--soft:#98a3b3;--grid:#262d37;"
        "--one:#f0a63a;--two:#6ea3f5;--own:#3fc795}}\n"
        "svg{background:var(--back);font:13px system-ui,sans-serif}text{fill:var(--ink)}.soft{fill:var(--soft)}\n"
        ".title{font-size:17px;font-weight:600}.grid{stroke:var(--grid)}path{fill:none;stroke-width:2}\n"
        ".one{stroke:var(--one)}.two{stroke:var(--two)}.own{stroke:var(--own);stroke-width:2.5}\n"
        "text.one{fill:var(--one);stroke:none}text.two{fill:var(--two);stroke:none}\n"
        "text.own{fill:var(--own);stroke:none;font-weight:600}\n</style>\n",
        f);
    fprintf(f, "<rect width=\"%d\" height=\"%d\" fill=\"var(--back)\"/>\n", WIDTH, HEIGHT);
    fprintf(f, "<text class=\"title\" x=\"%d\" y=\"28\">", LEFT);
    for (; *title != '\0'; title++)
        fputs(*title == '<' ? "&lt;" : *title == '&' ? "&amp;" : (char[2]){*title, '\0'}, f);
    fputs(": error of the derivatives of one step</text>\n", f);
    fprintf(f,
            "<text class=\"soft\" x=\"%d\" y=\"48\">largest error of A and B, relative to their largest entry</text>\n",
            LEFT);
}

static void draw_axes(FILE *f) {
    double bottom = y_of(pow(10, LOWEST)), top = y_of(pow(10, HIGHEST));
    for (int d = FIRST_DECADE; d <= LAST_DECADE; d++) {
        double x = x_of(pow(10, d));
        fprintf(f, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x, x, top, bottom);
        if (d % 2 == 0)
            fprintf(f, "<text class=\"soft\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">1e%d</text>\n", x,
                    bottom + 20, d);
    }
    for (int d = LOWEST; d <= HIGHEST; d += 2) {
        double y = y_of(pow(10, d));
        fprintf(f, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT, WIDTH - RIGHT, y, y);
        fprintf(f, "<text class=\"soft\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">1e%d</text>\n", LEFT - 8, y + 4, d);
    }
    fprintf(f, "<text class=\"soft\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">finite-difference step</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12);
}

static void draw_curve(FILE *f, const char *name, const double *step, const double *error) {
    fprintf(f, "<path class=\"%s\" d=\"", name);
    for (int i = 0; i < POINTS; i++)
        fprintf(f, "%c%.1f %.1f", i == 0 ? 'M' : 'L', x_of(step[i]), y_of(error[i]));
    fputs("\"/>\n", f);
}

/* Index of the smallest error. */
static int best_of(const double *error) {
    int best = 0;
    for (int i = 1; i < POINTS; i++)
        if (error[i] < error[best]) best = i;
    return best;
}

static void draw_curves(FILE *f, const Curves *c) {
    int one = best_of(c->forward), two = best_of(c->central);
    draw_curve(f, "one", c->step, c->forward);
    draw_curve(f, "two", c->step, c->central);
    fprintf(f, "<path class=\"own\" d=\"M%d %.1fL%d %.1f\"/>\n", LEFT, y_of(c->exact), WIDTH - RIGHT, y_of(c->exact));
    fprintf(f,
            "<text class=\"one\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">one-sided differences, least error "
            "%.0e</text>\n",
            x_of(c->step[one]), y_of(c->forward[one]) - 84, c->forward[one]);
    fprintf(f, "<text class=\"two\" x=\"%.1f\" y=\"%.1f\">central differences, least error %.0e</text>\n",
            x_of(c->step[two]) + 16, y_of(c->central[two]) + 2, c->central[two]);
    fprintf(f, "<text class=\"own\" x=\"%d\" y=\"%.1f\">exact derivative, largest error %.0e</text>\n", LEFT + 10,
            y_of(c->exact) - 8, c->exact);
    fputs("</svg>\n", f);
}

/* --- The file ---------------------------------------------------------------------------------------------------- */

static int write_plot(const char *verb, const char *title, const Curves *curves, const char *path) {
    tacOutputFile file;
    int result = cli_output_open(verb, path, &file);
    if (result != CLI_GO_ON) return result;
    draw_head(file.stream, title);
    draw_axes(file.stream);
    draw_curves(file.stream, curves);
    return cli_output_finish(verb, &file);
}

static int measure_and_write(const char *verb, const char *title, tacSim *sim, const tacModel *m,
                             const tacOptions *options, uint64_t seed, const char *path) {
    Work w = {0};
    Curves curves;
    int result, good = cli_derivative_new(m, options, &w.d) && measure_step_column_new(m, options, sim, &w.step);
    w.x = calloc((size_t)tac_nx(m) + 1, sizeof(double));
    w.u = calloc((size_t)w.d.size.nu + 1, sizeof(double));
    w.column = calloc((size_t)w.d.size.ndx + 1, sizeof(double));
    w.work = calloc((size_t)difference_work(w.d.size.ndx) + 1, sizeof(double));
    if (!good || w.x == NULL || w.u == NULL || w.column == NULL || w.work == NULL) {
        result = cli_fail(verb, "out of memory");
    } else {
        tacStatus status = measure(&w, m, options, seed, &curves);
        result = status == TAC_OK ? write_plot(verb, title, &curves, path)
                                  : cli_fail(verb, "nothing to plot: %s", tac_status_text(status));
    }
    free(w.x);
    free(w.u);
    free(w.column);
    free(w.work);
    measure_step_column_free(&w.step);
    cli_derivative_free(&w.d);
    return result;
}

int cli_error_plot(const char *verb, const char *title, const tacModel *model, const tacOptions *options, uint64_t seed,
                   const char *path) {
    tacError err;
    tacSim *sim;
    if (tac_sim_new(model, options, &sim, &err) != TAC_OK) return cli_fail(verb, "%s", err.text);
    int result = measure_and_write(verb, title, sim, model, options, seed, path);
    tac_sim_free(sim);
    return result;
}
