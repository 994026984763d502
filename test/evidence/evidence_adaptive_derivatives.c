/* evidence_adaptive_derivatives held|free FIRST LAST MODEL [PARAMETER...]: derivatives of steps at random states in
 * contact of these numbers, along one random direction of state, input and parameters together, beside differences.
 *   held: step sizes and times of zone and feature changes are those of the start, onset times are free
 *     (adaptive_held.h); Ridders' differences
 *   free: error control at 1e-11, whose step sizes move as they like; centred differences of two widths, extrapolated
 * A parameter ends with * for all that begin so. One JSON line:
 *   {"model":path, "states":n, "in_contact":n, "events":n, "onsets":states, "switching":n, "ties":n, "compared":n,
 *    "within":n, "failed":n, "endless":n, "worst":e, "median":e, "reverse":e, "parameters":n,
 *    "cases":[[number, error], ...]}
 * endless: onsets without an end, TAC_ERR_EVENTS. switching: features change within the step (free), or there
 * are no such steps beside the start (held). Why a state failed goes to standard error. */
#include "adaptive_held.h"
#include "adaptive_scene.h"
#include "measure/differences.h"
#include "measure/draw_contact.h"
#include "measure/step_column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTER    0.01 /* s */
#define HELD_BAR 1e-6
#define FREE_BAR 1e-4
#define FREE_TOL 1e-11
#define HELD_TOL 1e-6
#define WIDTH    4e-6 /* free: of the outer differences */
#define LARGEST  1e-4 /* held: Ridders' first steps are this and smaller ones */
#define SMALLEST 1e-6
#define SAME_END 1e-9 /* how far the kept steps may lead elsewhere: zones change to 1e-9 of a step */
#define SMALL    1e-3 /* a parameter that is zero moves by so much of the direction */
enum { SEED = 29, STREAM = 43, MOST_CASES = 12, PATH_TEXT = 128 };

typedef struct Study {
    Scene s;
    tacSim *drawing; /* the model's own steps, which lead to the states */
    tacOptions draw_options;
    int held, np;
    HeldRun run;                       /* held: the inner steps of the start */
    double *x, *u, *theta, *direction; /* direction: ndx, nu, np numbers */
    double *moved_u, *moved_theta, *shift, *y0;
    double *trial, *estimate; /* ndx: of Ridders' differences */
    double *A, *B, *P, *along, *difference, *work, *ybar, *gx, *gu, *gp;
    double *errors;
    long states, in_contact, events, onsets, switching, ties, compared, within, failed, endless, ncase;
    double reverse, cases[MOST_CASES][2];
} Study;

/* --- Parameters ------------------------------------------------------------------------------------------------ */

static void register_all(tacModel *m, const char *prefix, size_t n) {
    char text[PATH_TEXT];
    for (int i = 0; i < tac_param_count(m); i++)
        if (tac_param_path(m, i, text, sizeof text) == TAC_OK && strncmp(text, prefix, n) == 0)
            tac_param_register(m, text, NULL, NULL); /* some are refused, with a reason */
}

static tacModel *load_with(const char *path, int n, char **parameter) {
    tacModel *m;
    tacError err;
    tacStatus status = tac_load(path, &m, &err);
    for (int i = 0; i < n && status == TAC_OK; i++) {
        const char *star = strchr(parameter[i], '*');
        if (star != NULL) register_all(m, parameter[i], (size_t)(star - parameter[i]));
        if (star == NULL) status = tac_param_register(m, parameter[i], NULL, &err);
    }
    if (status == TAC_OK) return m;
    fprintf(stderr, "%s: %s\n", path, err.text);
    exit(2);
}

/* --- A step from a moved start ----------------------------------------------------------------------------------- */

/* The step from the start moved by t along the direction -> out[ndx], from y0. */
static tacStatus step_moved(Study *w, double t, double *out, tacStepInfo *info) {
    Scene *s = &w->s;
    const tacModel *m = s->model;
    int nv = m->nv, ndx = tac_ndx(m);
    const double *du = w->direction + ndx, *dp = du + s->nu;
    for (int i = 0; i < nv; i++)
        w->shift[i] = t * w->direction[i];
    tac_qpos_add(m, w->x, w->shift, s->x);
    for (int i = 0; i < nv + m->na; i++)
        s->x[m->nq + i] = w->x[m->nq + i] + t * w->direction[nv + i];
    for (int i = 0; i < s->nu; i++)
        w->moved_u[i] = w->u[i] + t * du[i];
    for (int i = 0; i < w->np; i++)
        w->moved_theta[i] = w->theta[i] + t * dp[i];
    tacStatus status = w->np > 0 ? tac_sim_set_params(s->sim, w->moved_theta) : TAC_OK;
    if (status == TAC_OK && w->held)
        status = held_repeat(&w->run, s->sim, s->x, w->moved_u, s->y);
    else if (status == TAC_OK)
        status = tac_step(s->sim, s->x, w->moved_u, s->y, info);
    if (status == TAC_OK) measure_state_difference(m, s->y, w->y0, out);
    return status;
}

/* A differenceFunction. */
static int moved(void *context, double t, double *out) {
    tacStepInfo info;
    return step_moved(context, t, out, &info) != TAC_OK;
}

/* 1: there are such steps on both sides. */
static int has_sides(Study *w, double t) {
    tacStepInfo info;
    for (int side = -1; side <= 1; side += 2)
        if (step_moved(w, side * t, w->trial, &info) != TAC_OK) return 0;
    return 1;
}

/* Keeps the inner steps of the start. 1: they do not lead where the step does. */
static int keep_steps(Study *w) {
    Scene *s = &w->s;
    int nx = s->nx;
    if (held_record(&w->run, s->sim, w->x, w->u, s->y) != TAC_OK || memcmp(s->y, w->y0, (size_t)nx * sizeof(double)))
        return fprintf(stderr, "%s: the kept steps lead elsewhere\n", s->path), 1;
    if (held_repeat(&w->run, s->sim, w->x, w->u, s->y) != TAC_OK)
        return fprintf(stderr, "%s: the kept steps cannot be repeated\n", s->path), 1;
    for (int i = 0; i < nx; i++)
        if (fabs(s->y[i] - w->y0[i]) > SAME_END * (1 + fabs(w->y0[i])))
            return fprintf(stderr, "%s: the repeated steps lead elsewhere\n", s->path), 1;
    return 0;
}

static double largest_of(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* -> 1: w->difference is there: of several first steps, that whose estimated errors are least. */
static int differentiate_held(Study *w) {
    int ndx = tac_ndx(w->s.model);
    double least = HUGE_VAL;
    if (keep_steps(w)) {
        w->failed++;
        return 0;
    }
    for (double h = LARGEST; h >= SMALLEST; h /= 10) {
        if (!has_sides(w, h) || difference_ridders(moved, w, ndx, h, w->trial, w->estimate, w->work) != 0) continue;
        double error = largest_of(ndx, w->estimate);
        if (!(error < least)) continue;
        least = error;
        memcpy(w->difference, w->trial, (size_t)ndx * sizeof(double));
    }
    w->switching += least == HUGE_VAL;
    return least < HUGE_VAL;
}

static int differentiate_free(Study *w) {
    static const double at[4] = {WIDTH, -WIDTH, WIDTH / 2, -WIDTH / 2};
    static const double weight[4] = {-1. / 6, 1. / 6, 4. / 3, -4. / 3}; /* over WIDTH */
    int ndx = tac_ndx(w->s.model), switches = 0;
    memset(w->difference, 0, (size_t)ndx * sizeof(double));
    for (int k = 0; k < 4; k++) {
        tacStepInfo info;
        if (step_moved(w, at[k], w->work, &info) != TAC_OK) {
            w->failed++;
            return 0;
        }
        switches += info.switches;
        for (int i = 0; i < ndx; i++)
            w->difference[i] += weight[k] / WIDTH * w->work[i];
    }
    w->switching += switches > 0;
    return switches == 0;
}

/* --- One state -------------------------------------------------------------------------------------------------- */

static void draw(Study *w, uint64_t number) {
    const tacModel *m = w->s.model;
    int ndx = tac_ndx(m), n = ndx + w->s.nu + w->np;
    double sum = 0;
    measure_draw_contact_state(w->drawing, m, &w->draw_options, SEED, number, w->x, w->u);
    for (int i = 0; i < n; i++)
        w->direction[i] = tac_random_normal(STREAM, number, (uint64_t)i);
    for (int i = 0; i < w->np; i++)
        w->direction[ndx + w->s.nu + i] *= w->theta[i] != 0 ? fabs(w->theta[i]) : SMALL;
    for (int i = 0; i < n; i++)
        sum += w->direction[i] * w->direction[i];
    for (int i = 0; i < n; i++)
        w->direction[i] /= sqrt(sum);
    for (int i = 0; i < ndx; i++)
        w->ybar[i] = tac_random_normal(STREAM + 1, number, (uint64_t)i);
}

/* out[rows] += J d */
static void add_product(int rows, int columns, const double *J, const double *d, double *out) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            out[i] += J[i * columns + k] * d[k];
}

/* |J^T ybar - gradient|, relative to the largest entry of the gradient. */
static double reverse_error(int rows, int columns, const double *J, const double *ybar, const double *gradient) {
    double worst = 0, largest = 1;
    for (int k = 0; k < columns; k++) {
        double sum = 0;
        for (int i = 0; i < rows; i++)
            sum += J[i * columns + k] * ybar[i];
        worst = worse(worst, fabs(sum - gradient[k]));
        largest = fmax(largest, fabs(gradient[k]));
    }
    return worst / largest;
}

static tacStatus derive(Study *w, tacStepInfo *info) {
    Scene *s = &w->s;
    int ndx = tac_ndx(s->model);
    const double *d = w->direction;
    tacStatus status = w->np > 0 ? tac_sim_set_params(s->sim, w->theta) : TAC_OK;
    if (status == TAC_OK) status = tac_step_jac(s->sim, w->x, w->u, w->y0, &(tacJac){w->A, w->B, w->P}, info);
    if (status == TAC_OK) status = tac_step_vjp(s->sim, w->x, w->u, w->ybar, &(tacGrad){w->gx, w->gu, w->gp}, NULL);
    if (status != TAC_OK) return status;
    memset(w->along, 0, (size_t)ndx * sizeof(double));
    add_product(ndx, ndx, w->A, d, w->along);
    add_product(ndx, s->nu, w->B, d + ndx, w->along);
    add_product(ndx, w->np, w->P, d + ndx + s->nu, w->along);
    w->reverse = worse(w->reverse, reverse_error(ndx, ndx, w->A, w->ybar, w->gx));
    w->reverse = worse(w->reverse, reverse_error(ndx, s->nu, w->B, w->ybar, w->gu));
    w->reverse = worse(w->reverse, reverse_error(ndx, w->np, w->P, w->ybar, w->gp));
    return TAC_OK;
}

/* y (-) y0 leaves velocities as they are: a constant, which a difference takes away. */
static void compare(Study *w, uint64_t number) {
    double error = relative_error(tac_ndx(w->s.model), w->along, w->difference);
    int within = error <= (w->held ? HELD_BAR : FREE_BAR);
    w->errors[w->compared++] = error;
    w->within += within;
    if (within || w->ncase >= MOST_CASES) return;
    w->cases[w->ncase][0] = (double)number;
    w->cases[w->ncase++][1] = error;
}

static void run_state(Study *w, uint64_t number) {
    tacStepInfo info;
    draw(w, number);
    tacStatus status = derive(w, &info);
    w->states++;
    if (status != TAC_OK) {
        w->endless += status == TAC_ERR_EVENTS;
        w->failed += status != TAC_ERR_EVENTS;
        fprintf(stderr, "%s, state %llu: %s\n", w->s.path, (unsigned long long)number, tac_sim_error(w->s.sim));
        return;
    }
    w->in_contact += info.contacts > 0;
    w->events += info.events;
    w->onsets += info.events > 0;
    w->ties += info.ties > 0;
    if (!w->held && info.switches > 0)
        w->switching++;
    else if (w->held ? differentiate_held(w) : differentiate_free(w))
        compare(w, number);
}

/* --- All --------------------------------------------------------------------------------------------------------- */

static Study open_study(int held, const char *path, int n, char **parameter, size_t states) {
    Study w = {.held = held};
    tacModel *m = load_with(path, n, parameter);
    tacOptions options = tac_default_options(m);
    tacError err;
    options.contact = TAC_CONTACT_MODEL_SOFT;
    w.draw_options = options;
    if (tac_sim_new(m, &options, &w.drawing, &err) != TAC_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(2);
    }
    options.integrator = TAC_INTEGRATOR_TSIT5;
    options.dt = OUTER;
    options.rtol = options.atol = held ? HELD_TOL : FREE_TOL;
    w.s = scene_with(path, m, &options);
    w.np = m->nparam;
    size_t ndx = (size_t)tac_ndx(m), nu = (size_t)w.s.nu, np = (size_t)w.np, nx = (size_t)w.s.nx;
    w.x = scene_doubles(nx);
    w.u = scene_doubles(nu);
    w.theta = scene_doubles(np);
    w.y0 = scene_doubles(nx);
    w.direction = scene_doubles(ndx + nu + np);
    w.moved_u = scene_doubles(nu);
    w.moved_theta = scene_doubles(np);
    w.shift = scene_doubles(ndx);
    w.A = scene_doubles(ndx * ndx);
    w.B = scene_doubles(ndx * nu);
    w.P = scene_doubles(ndx * np);
    w.along = scene_doubles(ndx);
    w.difference = scene_doubles(ndx);
    w.work = scene_doubles((size_t)difference_work((int)ndx));
    w.ybar = scene_doubles(ndx);
    w.trial = scene_doubles(ndx);
    w.estimate = scene_doubles(ndx);
    w.gx = scene_doubles(ndx);
    w.gu = scene_doubles(nu);
    w.gp = scene_doubles(np);
    w.errors = scene_doubles(states);
    tac_sim_get_params(w.s.sim, w.theta);
    return w;
}

static void close_study(Study *w) {
    double *all[] = {w->x,     w->u,  w->theta, w->y0, w->direction, w->moved_u,    w->moved_theta,
                     w->shift, w->A,  w->B,     w->P,  w->along,     w->difference, w->work,
                     w->ybar,  w->gx, w->gu,    w->gp, w->errors,    w->trial,      w->estimate};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    held_free(&w->run);
    tac_sim_free(w->drawing);
    scene_free(&w->s);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_study(Study *w) {
    qsort(w->errors, (size_t)w->compared, sizeof *w->errors, ascending);
    printf("{\"model\":\"%s\",\"states\":%ld,\"in_contact\":%ld,\"events\":%ld,\"onsets\":%ld,\"switching\":%ld,"
           "\"ties\":%ld,\"compared\":%ld,\"within\":%ld,\"failed\":%ld,\"endless\":%ld",
           w->s.path, w->states, w->in_contact, w->events, w->onsets, w->switching, w->ties, w->compared, w->within,
           w->failed, w->endless);
    scene_print(0, "worst", w->compared > 0 ? w->errors[w->compared - 1] : 0);
    scene_print(0, "median", w->compared > 0 ? w->errors[w->compared / 2] : 0);
    scene_print(0, "reverse", w->reverse);
    printf(",\"parameters\":%d,\"cases\":[", w->np);
    for (long i = 0; i < w->ncase; i++)
        printf("%s[%.0f,%.2g]", i == 0 ? "" : ",", w->cases[i][0], isfinite(w->cases[i][1]) ? w->cases[i][1] : -1);
    printf("]}\n");
}

int main(int argc, char **argv) {
    if (argc < 5 || (strcmp(argv[1], "held") != 0 && strcmp(argv[1], "free") != 0))
        return fprintf(stderr, "usage: %s held|free FIRST LAST MODEL [PARAMETER...]\n", argv[0]), 2;
    uint64_t first = strtoull(argv[2], NULL, 10), last = strtoull(argv[3], NULL, 10);
    Study w = open_study(strcmp(argv[1], "held") == 0, argv[4], argc - 5, argv + 5, (size_t)(last - first + 1));
    for (uint64_t number = first; number <= last; number++)
        run_state(&w, number);
    print_study(&w);
    close_study(&w);
    return 0;
}
