/* Dojo, Fig. 4: a box at rest on the floor is pushed for one step, across (friction) or up (impact). How far it moves,
 * and the derivative of that by the push, at several softnesses kappa; beside it randomized smoothing, which has
 * noise. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#include "measure/agreement.h"
#include "measure/differences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAR        1e-6
#define MOVES      0.5   /* of h/m: a slope that says that friction or weight gave way within these pushes */
#define MOST_PUSH  0.2   /* N s */
#define DIFFERENCE 2e-3  /* N s: Ridders' first step */
#define TRUE_KAPPA 1e-10 /* of the curve that counts as hard contact */
#define SEED       4u
enum { NMODE = 2, NKAPPA = 5, PUSHES = 40, NSPREAD = 3, SAMPLES = 500, SMOOTHED = 10, WORK = 64 };

static const char *const MODE[NMODE] = {"friction", "impact"};
static const double KAPPA[NKAPPA] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}, VARIANCE[NSPREAD] = {1e-2, 1e-3, 1e-4};

/* One softness and direction: displacement and derivative by the push, over pushes. */
typedef struct Curve {
    double moved[PUSHES], slope[PUSHES];
    /* over the slope h/m of a box that nothing holds: the steepest; the largest difference to Ridders' */
    double steepest, error;
} Curve;

/* Randomized smoothing of one variance: estimates of the slope and the standard error of their mean, in units of
 * h/m. */
typedef struct Smoothing {
    double slope0[SMOOTHED], slope1[SMOOTHED]; /* from displacements alone; from their derivatives */
    double noise0, noise1;                     /* largest */
} Smoothing;

typedef struct Pushed {
    tacScene scene;
    int dof;
    double push; /* N s */
    double *jac;
} Pushed;

static double push_at(int k) { return 0.001 + (MOST_PUSH - 0.001) * k / (PUSHES - 1); }
static double smoothed_at(int k) { return MOST_PUSH * (k + 1) / SMOOTHED; }

static int open_box(tacFindings *found, double kappa, int dof, Pushed *p) {
    *p = (Pushed){.dof = dof};
    int result = scene_load(found, "planar_box", &p->scene);
    if (result != EXPERIMENT_GO_ON) return result;
    p->scene.options.contact = TAC_CONTACT_MODEL_NCP;
    p->scene.options.ncp_kappa = kappa;
    p->scene.options.ncp_tolerance = 1e-12;
    p->scene.options.ncp_polish = 4;
    result = scene_start(found, &p->scene);
    if (result != EXPERIMENT_GO_ON) return result;
    p->jac = calloc((size_t)p->scene.ndx * (size_t)p->scene.nu, sizeof(double));
    return p->jac != NULL ? EXPERIMENT_GO_ON : experiment_fail(found, "out of memory");
}

static void close_box(Pushed *p) {
    free(p->jac);
    scene_close(&p->scene);
}

/* push + t -> displacement; slope may be NULL. */
static tacStatus move(Pushed *p, double t, double *moved, double *slope) {
    tacScene *s = &p->scene;
    tacJac jac = {.B = p->jac};
    s->u[p->dof] = (p->push + t) / s->options.dt;
    tacStatus status =
        slope == NULL ? tac_step(s->sim, s->x, s->u, s->y, NULL) : tac_step_jac(s->sim, s->x, s->u, s->y, &jac, NULL);
    *moved = s->y[p->dof] - s->x[p->dof];
    if (slope != NULL) *slope = p->jac[p->dof * s->nu + p->dof] / s->options.dt;
    return status;
}

static int moved_along(void *context, double t, double *out) { return move(context, t, out, NULL) != TAC_OK; }

static int find_curve(tacFindings *found, double kappa, int mode, Curve *c) {
    Pushed p;
    double work[WORK], numeric, free_slope;
    int result = open_box(found, kappa, mode, &p);
    if (result != EXPERIMENT_GO_ON) return result;
    free_slope = p.scene.options.dt; /* h/m, m = 1 kg */
    for (int k = 0; k < PUSHES && result == EXPERIMENT_GO_ON; k++) {
        p.push = push_at(k);
        tacStatus status = move(&p, 0, &c->moved[k], &c->slope[k]);
        if (status != TAC_OK || difference_ridders(moved_along, &p, 1, DIFFERENCE, &numeric, NULL, work) != 0)
            result = experiment_fail(found, "kappa %g, push %g: %s", kappa, p.push, tac_status_text(status));
        else {
            c->error = worse(c->error, fabs(c->slope[k] - numeric) / free_slope);
            c->steepest = worse(c->steepest, fabs(c->slope[k]) / free_slope);
        }
    }
    close_box(&p);
    return result;
}

/* Standard error of a mean; rounding may leave of a constant's variance less than nothing. */
static double noise_of(double mean, double mean_of_squares) {
    double variance = mean_of_squares - mean * mean;
    return sqrt((variance < 0 ? 0 : variance) / SAMPLES);
}

/* Estimates at one push: moved(F + sigma w) - moved(F) times w/sigma; slope(F + sigma w). */
static tacStatus smooth_at(Pushed *p, double sigma, int spread, int k, Smoothing *s) {
    double here, moved, slope, sum[2] = {0}, square[2] = {0};
    p->push = smoothed_at(k);
    tacStatus status = move(p, 0, &here, NULL);
    for (int i = 0; i < SAMPLES && status == TAC_OK; i++) {
        double w = tac_random_normal(SEED, (uint64_t)spread, (uint64_t)(k * SAMPLES + i));
        status = move(p, sigma * w, &moved, &slope);
        double estimate[2] = {(moved - here) * w / sigma, slope};
        for (int e = 0; e < 2; e++) {
            sum[e] += estimate[e] / SAMPLES;
            square[e] += estimate[e] * estimate[e] / SAMPLES;
        }
    }
    double unit = p->scene.options.dt;
    s->slope0[k] = sum[0];
    s->slope1[k] = sum[1];
    s->noise0 = worse(s->noise0, noise_of(sum[0], square[0]) / unit);
    s->noise1 = worse(s->noise1, noise_of(sum[1], square[1]) / unit);
    return status;
}

static int find_smoothing(tacFindings *found, int mode, int spread, Smoothing *s) {
    Pushed p;
    int result = open_box(found, TRUE_KAPPA, mode, &p);
    for (int k = 0; k < SMOOTHED && result == EXPERIMENT_GO_ON; k++) {
        tacStatus status = smooth_at(&p, sqrt(VARIANCE[spread]), spread, k, s);
        if (status != TAC_OK) result = experiment_fail(found, "push %g: %s", p.push, tac_status_text(status));
        measure_progress_show(&found->progress, (mode * NSPREAD + spread) * SMOOTHED + k, NMODE * NSPREAD * SMOOTHED);
    }
    if (p.jac != NULL) close_box(&p);
    return result;
}

/* --- The experiment ----------------------------------------------------------------------------------------------- */

static void draw(FILE *file, const Curve *curve, const Smoothing *smoothing) {
    static const char *const COLOUR[NKAPPA] = {"one", "two", "three", "soft", "own"};
    double push[PUSHES], smoothed[SMOOTHED];
    for (int k = 0; k < PUSHES; k++)
        push[k] = push_at(k);
    for (int k = 0; k < SMOOTHED; k++)
        smoothed[k] = smoothed_at(k);
    tacPlot plot = {.file = file,
                    .title = "How a push moves a box at rest",
                    .subtitle =
                        "derivative of the way across by the push, one step of 0.1 s; friction gives way at 0.1 N s",
                    .x1 = MOST_PUSH,
                    .y0 = -0.05,
                    .y1 = 0.15,
                    .nkey = NKAPPA + 1};
    plot_begin(&plot);
    plot_axes(&plot, "push, N s", "derivative, m/(N s)");
    plot_curve(&plot, "bad", SMOOTHED, smoothed, smoothing[1].slope0);
    for (int i = 0; i < NKAPPA; i++) {
        plot_curve(&plot, COLOUR[i], PUSHES, push, curve[i].slope);
        plot_key(&plot, COLOUR[i], "kappa %.0e", KAPPA[i]);
    }
    plot_key(&plot, "bad", "randomized smoothing, %d samples", SAMPLES);
    plot_end(&plot);
}

static int run_curves(tacFindings *found, int mode, json_t *object, Curve curve[NKAPPA], double *worst) {
    json_t *errors = json_object();
    int result = EXPERIMENT_GO_ON;
    double apart = 0;
    for (int i = 0; i < NKAPPA && result == EXPERIMENT_GO_ON; i++) {
        char key[16];
        snprintf(key, sizeof key, "%.0e", KAPPA[i]);
        result = find_curve(found, KAPPA[i], mode, &curve[i]);
        experiment_put(found, errors, key, curve[i].error);
        *worst = worse(*worst, curve[i].steepest > MOVES ? curve[i].error : HUGE_VAL);
        experiment_say(found, "  %-8s kappa %.0e: derivative off by %.1e from differences", MODE[mode], KAPPA[i],
                       curve[i].error);
    }
    for (int k = 0; k < PUSHES && result == EXPERIMENT_GO_ON; k++)
        apart = worse(apart, fabs(curve[0].moved[k] - curve[NKAPPA - 1].moved[k]));
    json_object_set_new(object, "error", errors);
    experiment_put(found, object, "softest_to_hardest", apart);
    return result;
}

static int run_smoothing(tacFindings *found, int mode, json_t *object, Smoothing smoothing[NSPREAD]) {
    int result = EXPERIMENT_GO_ON;
    json_t *list = json_array();
    for (int i = 0; i < NSPREAD && result == EXPERIMENT_GO_ON; i++) {
        json_t *row = json_object();
        result = find_smoothing(found, mode, i, &smoothing[i]);
        experiment_put(found, row, "variance", VARIANCE[i]);
        experiment_put(found, row, "noise_from_values", smoothing[i].noise0);
        experiment_put(found, row, "noise_from_derivatives", smoothing[i].noise1);
        json_array_append_new(list, row);
        experiment_say(
            found, "  %-8s smoothing, variance %.0e: noise of the mean of %d: %.1e from values, %.1e from derivatives",
            MODE[mode], VARIANCE[i], SAMPLES, smoothing[i].noise0, smoothing[i].noise1);
    }
    json_object_set_new(object, "smoothing", list);
    return result;
}

int dojo_gradients(tacFindings *found) {
    double worst = 0;
    for (int mode = 0; mode < NMODE; mode++) {
        Curve curve[NKAPPA] = {0};
        Smoothing smoothing[NSPREAD] = {0};
        json_t *object = json_object();
        int result = run_curves(found, mode, object, curve, &worst);
        if (result == EXPERIMENT_GO_ON) result = run_smoothing(found, mode, object, smoothing);
        json_object_set_new(found->tactus, MODE[mode], object);
        if (result != EXPERIMENT_GO_ON) return result;
        if (mode == 0 && found->picture != NULL) draw(found->picture, curve, smoothing);
    }
    experiment_put(found, found->paper, "softest_to_hardest_friction", 1.52e-3);
    experiment_put(found, found->paper, "softest_to_hardest_impact", 2.56e-3);
    experiment_put(found, found->tactus, "worst", worst);
    found->pass = worst <= BAR;
    return EXPERIMENT_GO_ON;
}
