/* Nimble's Tables II and III: the five Jacobians of a step in contact, analytic, by central differences, by Ridders.
 *
 * A perturbed column gives all its rows, so differences are made of 3 nv columns (dq, dv, dtau), not of one set of
 * columns for each of the five Jacobians: the cheaper way to difference, and the harder one to be faster than. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include "measure/differences.h"
#include "measure/step_column.h"
#include "measure/timing.h"

#include <math.h>
#include <stdlib.h>

#define ERROR_BAR 1e-7
/* Steps of differences, largest first; a column takes the first across which contacts and classes stay as they are. */
static const double STEPS[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
enum { NSTEP = sizeof STEPS / sizeof *STEPS };
/* Step of the central differences that stand beside us, unless classes change across it. */
#define CENTRAL_STEP 1e-6
/* Interleaved rounds, and how long each piece of work takes in one. */
enum { ROUNDS = 31 };
#define ROUND_SECONDS 0.004

/* The paper's Table III ("all"), ms; and Nimble as we measured it in 2025, us: step with the five Jacobians. */
typedef struct Case {
    const char *scene, *label;
    double analytic_ms, central_ms, ridders_ms, speedup, nimble_us;
    int settle; /* steps under gravity alone before the step that is differentiated */
} Case;

static const Case CASES[] = {
    {"atlas", "Atlas", 16.1, 737, 2229, 45.8, 2924, 20},
    {"half_cheetah", "half-cheetah", 0.870, 7.52, 24, 8.6, 286, 400},
    {"jumpworm", "jump-worm", 0.484, 3.08, 9.727, 6.4, 150, 400},
    {"catapult", "catapult", 0.576, 3.69, 12.0, 6.4, 167, 300},
};
enum { NCASE = sizeof CASES / sizeof *CASES };

enum { POS_POS, VEL_POS, POS_VEL, VEL_VEL, VEL_FORCE, NBLOCK };
static const char *const BLOCK_NAMES[NBLOCK] = {"dq+/dq", "dv+/dq", "dq+/dv", "dv+/dv", "dv+/dtau"};

typedef struct Measured {
    int nv, contacts, sticking;
    double us_step, us_jac, us_state, us_force, us_central, us_ridders;
    double error[NBLOCK], central_error[NBLOCK];
    double worst;
} Measured;

/* One scene at its state. */
typedef struct Work {
    tacScene scene;
    tacStepColumn column;
    tacStepInfo info;
    double *A, *B;             /* ndx x ndx, ndx x nu: analytic */
    double *first;             /* ndx + nu: step of each column */
    double *central, *ridders; /* (ndx + nu) x ndx: column by column */
    double *work;
} Work;

/* --- Differences ------------------------------------------------------------------------------------------------- */

/* Does the same hold with the column moved by t? Contacts that only change their order within a pair count as the
 * same. */
static int stays(Work *w, double t) {
    tacStepInfo info;
    measure_step_column_move(&w->column, t);
    return tac_step(w->scene.sim, w->column.moved, w->column.input, w->column.y, &info) == TAC_OK &&
           (info.active_set == w->info.active_set ||
            (info.contacts == w->info.contacts && info.sticking == w->info.sticking &&
             info.sliding == w->info.sliding));
}

/* Steps for all columns; -1 and a column that has none: the state is not one to differentiate at. */
static int choose_steps(Work *w) {
    int n = w->scene.ndx + w->scene.nu;
    for (w->column.column = 0; w->column.column < n; w->column.column++) {
        int k = 0;
        while (k < NSTEP && !(stays(w, STEPS[k]) && stays(w, -STEPS[k])))
            k++;
        if (k == NSTEP) return w->column.column;
        w->first[w->column.column] = STEPS[k];
    }
    return -1;
}

static void run_central(void *context) {
    Work *w = context;
    int ndx = w->scene.ndx;
    for (w->column.column = 0; w->column.column < ndx + w->scene.nu; w->column.column++)
        difference_central(measure_step_column_difference, &w->column, ndx,
                           fmin(CENTRAL_STEP, w->first[w->column.column]),
                           w->central + (size_t)w->column.column * (size_t)ndx, w->work);
}

static void run_ridders(void *context) {
    Work *w = context;
    int ndx = w->scene.ndx;
    for (w->column.column = 0; w->column.column < ndx + w->scene.nu; w->column.column++)
        difference_ridders(measure_step_column_difference, &w->column, ndx, w->first[w->column.column],
                           w->ridders + (size_t)w->column.column * (size_t)ndx, NULL, w->work);
}

/* --- Analytic ---------------------------------------------------------------------------------------------------- */

static void run_step(void *context) {
    Work *w = context;
    tac_step(w->scene.sim, w->scene.x, w->scene.u, w->scene.y, NULL);
}

static void run_jac(void *context) {
    Work *w = context;
    tac_step_jac(w->scene.sim, w->scene.x, w->scene.u, w->scene.y, &(tacJac){w->A, w->B, NULL}, NULL);
}

static void run_state(void *context) {
    Work *w = context;
    tac_step_jac(w->scene.sim, w->scene.x, w->scene.u, w->scene.y, &(tacJac){w->A, NULL, NULL}, NULL);
}

static void run_force(void *context) {
    Work *w = context;
    tac_step_jac(w->scene.sim, w->scene.x, w->scene.u, w->scene.y, &(tacJac){NULL, w->B, NULL}, NULL);
}

/* --- Errors ------------------------------------------------------------------------------------------------------ */

/* Entry (row, column) of [A | B] as they are and as differences gave them. */
static double analytic_entry(const Work *w, int row, int column) {
    size_t i = (size_t)row, ndx = (size_t)w->scene.ndx, nu = (size_t)w->scene.nu;
    return column < w->scene.ndx ? w->A[i * ndx + (size_t)column] : w->B[i * nu + (size_t)column - ndx];
}

static double difference_entry(const Work *w, const double *columns, int row, int column) {
    return columns[(size_t)column * (size_t)w->scene.ndx + (size_t)row];
}

/* Largest |ours - Ridders'| and |central - Ridders'| of a block over max(1, its largest entry). */
static void block_errors(const Work *w, int block, double *ours, double *central) {
    int nv = w->scene.model->nv, row = block == POS_POS || block == POS_VEL ? 0 : nv;
    int column = block == POS_POS || block == VEL_POS ? 0 : block == VEL_FORCE ? 2 * nv : nv;
    double largest = 1;
    *ours = *central = 0;
    for (int i = row; i < row + nv; i++)
        for (int j = column; j < column + nv; j++) {
            double truth = difference_entry(w, w->ridders, i, j);
            largest = fmax(largest, fabs(truth));
            *ours = fmax(*ours, fabs(analytic_entry(w, i, j) - truth));
            *central = fmax(*central, fabs(difference_entry(w, w->central, i, j) - truth));
        }
    *ours /= largest;
    *central /= largest;
}

/* --- One scene --------------------------------------------------------------------------------------------------- */

static double *new_numbers(int rows, int columns) { return calloc((size_t)rows * (size_t)columns + 1, sizeof(double)); }

static int make_room(Work *w) {
    int ndx = w->scene.ndx, nu = w->scene.nu;
    w->A = new_numbers(ndx, ndx);
    w->B = new_numbers(ndx, nu);
    w->first = new_numbers(ndx + nu, 1);
    w->central = new_numbers(ndx + nu, ndx);
    w->ridders = new_numbers(ndx + nu, ndx);
    w->work = new_numbers(difference_work(ndx), 1);
    return w->A != NULL && w->B != NULL && w->first != NULL && w->central != NULL && w->ridders != NULL &&
           w->work != NULL && measure_step_column_new(w->scene.model, &w->scene.options, w->scene.sim, &w->column);
}

static void close_work(Work *w) {
    free(w->A);
    free(w->B);
    free(w->first);
    free(w->central);
    free(w->ridders);
    free(w->work);
    measure_step_column_free(&w->column);
    scene_close(&w->scene);
}

static void time_all(Work *w, Measured *m) {
    const benchWork work[] = {run_step, run_jac, run_state, run_force, run_central, run_ridders};
    double *const us[] = {&m->us_step, &m->us_jac, &m->us_state, &m->us_force, &m->us_central, &m->us_ridders};
    enum { PIECES = sizeof work / sizeof *work };
    void *context[PIECES];
    benchTime time[PIECES];
    for (int i = 0; i < PIECES; i++)
        context[i] = w;
    bench_interleaved(PIECES, work, context, ROUNDS, ROUND_SECONDS, time);
    for (int i = 0; i < PIECES; i++)
        *us[i] = 1e6 * time[i].median;
}

static int measure(tacFindings *found, const Case *c, Work *w, Measured *m) {
    tacStepInfo info;
    tacStatus status = scene_move(&w->scene, c->settle, NULL);
    if (status == TAC_OK) status = tac_step(w->scene.sim, w->scene.x, w->scene.u, w->scene.y, &info);
    if (status == TAC_OK) status = measure_step_column_at(&w->column, w->scene.x, w->scene.u);
    if (status != TAC_OK) return experiment_fail(found, "%s: %s", c->label, tac_status_text(status));
    w->info = info;
    m->nv = w->scene.model->nv;
    m->contacts = info.contacts;
    m->sticking = info.sticking;
    int kink = choose_steps(w);
    if (kink >= 0) return experiment_fail(found, "%s: classes change however little number %d moves", c->label, kink);
    time_all(w, m);
    for (int block = 0; block < NBLOCK; block++) {
        block_errors(w, block, &m->error[block], &m->central_error[block]);
        m->worst = fmax(m->worst, m->error[block]);
    }
    return EXPERIMENT_GO_ON;
}

static int measure_case(tacFindings *found, const Case *c, Measured *m) {
    Work w = {0};
    *m = (Measured){0};
    int result = scene_open(found, c->scene, &w.scene);
    if (result != EXPERIMENT_GO_ON) return result;
    result = make_room(&w) ? measure(found, c, &w, m) : experiment_fail(found, "out of memory");
    close_work(&w);
    return result;
}

/* --- What came out ----------------------------------------------------------------------------------------------- */

static void report_paper(tacFindings *found, const Case *c) {
    json_t *object = json_object();
    experiment_put(found, object, "ms_analytic", c->analytic_ms);
    experiment_put(found, object, "ms_central", c->central_ms);
    experiment_put(found, object, "ms_ridders", c->ridders_ms);
    experiment_put(found, object, "speedup", c->speedup);
    experiment_put(found, object, "us_nimble_2025", c->nimble_us);
    json_object_set_new(found->paper, c->scene, object);
}

static void report_ours(tacFindings *found, const Case *c, const Measured *m) {
    json_t *object = json_object(), *errors = json_object(), *central = json_object();
    for (int block = 0; block < NBLOCK; block++) {
        experiment_put(found, errors, BLOCK_NAMES[block], m->error[block]);
        experiment_put(found, central, BLOCK_NAMES[block], m->central_error[block]);
    }
    json_object_set_new(object, "nv", json_integer(m->nv));
    json_object_set_new(object, "contacts", json_integer(m->contacts));
    json_object_set_new(object, "sticking", json_integer(m->sticking));
    experiment_put(found, object, "us_step", m->us_step);
    experiment_put(found, object, "us_analytic", m->us_jac);
    experiment_put(found, object, "us_analytic_state", m->us_state);
    experiment_put(found, object, "us_analytic_force", m->us_force);
    experiment_put(found, object, "us_central", m->us_central);
    experiment_put(found, object, "us_ridders", m->us_ridders);
    experiment_put(found, object, "speedup", m->us_central / m->us_jac);
    experiment_put(found, object, "speedup_ridders", m->us_ridders / m->us_jac);
    experiment_put(found, object, "times_faster_than_nimble_2025", c->nimble_us / m->us_jac);
    experiment_put(found, object, "worst_error", m->worst);
    json_object_set_new(object, "error", errors);
    json_object_set_new(object, "error_central", central);
    json_object_set_new(found->tactus, c->scene, object);
}

static void say(tacFindings *found, const Case *c, const Measured *m) {
    experiment_say(found, "  %s: %d degrees of freedom, %d contacts, %d of them sticking", c->label, m->nv, m->contacts,
                   m->sticking);
    experiment_say(found, "    step %.2f us; with all five Jacobians %.2f us (four by state %.2f, one by force %.2f)",
                   m->us_step, m->us_jac, m->us_state, m->us_force);
    experiment_say(found,
                   "    central differences %.1f us, %.1f times as long (paper %.1f); Ridders %.1f us, %.0f times",
                   m->us_central, m->us_central / m->us_jac, c->speedup, m->us_ridders, m->us_ridders / m->us_jac);
    experiment_say(found, "    Nimble on a 2.8 GHz Xeon %.0f us: %.1f times our time here", c->nimble_us,
                   c->nimble_us / m->us_jac);
    for (int block = 0; block < NBLOCK; block++)
        experiment_say(found, "    %-9s error %.1e, of central differences %.1e", BLOCK_NAMES[block], m->error[block],
                       m->central_error[block]);
}

/* Bars of time, decades of microseconds, a group a scene. */
static void draw(FILE *file, const Measured *m) {
    tacPlot plot = {.file = file,
                    .title = "All Jacobians of one step in contact",
                    .subtitle = "time of each way, and the largest error of ours",
                    .x0 = 1,
                    .x1 = 1e6,
                    .y0 = 0,
                    .y1 = NCASE,
                    .log_x = 1,
                    .left = 110,
                    .nkey = 4};
    plot_begin(&plot);
    plot_key(&plot, "soft", "Nimble, analytic, in the paper");
    plot_key(&plot, "own", "Tactus, analytic");
    plot_key(&plot, "two", "Tactus, central differences");
    plot_key(&plot, "one", "Tactus, Ridders' differences");
    plot_axes(&plot, "microseconds", NULL);
    for (int i = 0; i < NCASE; i++) {
        double y = NCASE - 1 - i, us[] = {m[i].us_ridders, m[i].us_central, m[i].us_jac, CASES[i].nimble_us};
        const char *const colour[] = {"one", "two", "own", "soft"};
        for (int k = 0; k < 4; k++) {
            double low = y + 0.12 + 0.19 * k;
            plot_bar(&plot, colour[k], 1, low, us[k], low + 0.16);
            plot_note(&plot, (tacPlotNote){colour[k], "start", us[k], low, 6, -2}, us[k] < 100 ? "%.1f" : "%.0f",
                      us[k]);
        }
        plot_note(&plot, (tacPlotNote){"ink", "end", 1, y + 0.5, -10, 0}, "%s", CASES[i].label);
        plot_note(&plot, (tacPlotNote){"soft", "end", 1, y + 0.5, -10, 16}, "error %.0e", m[i].worst);
    }
    plot_end(&plot);
}

int nimble_jacobians(tacFindings *found) {
    Measured measured[NCASE];
    found->pass = 1;
    for (int i = 0; i < NCASE; i++) {
        measure_progress_show(&found->progress, i, NCASE);
        int result = measure_case(found, &CASES[i], &measured[i]);
        if (result != EXPERIMENT_GO_ON) return result;
        report_paper(found, &CASES[i]);
        report_ours(found, &CASES[i], &measured[i]);
        say(found, &CASES[i], &measured[i]);
        double speedup = measured[i].us_central / measured[i].us_jac;
        if (!(measured[i].worst <= ERROR_BAR && speedup >= CASES[i].speedup && measured[i].contacts > 0))
            found->pass = 0;
    }
    if (found->picture != NULL) draw(found->picture, measured);
    return EXPERIMENT_GO_ON;
}
