/* quad_differences MODEL KAPPA FILE
 *
 * The derivatives that `tactus check --keep DIR` wrote to FILE, found in doubles, against Ridders' differences of the
 * same step of contact ncp in 113-bit numbers, with errors measured as `tactus check` measures them; and whether the
 * active set changes inside the differences, so that they say nothing. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "measure/differences.h"
#include "measure/step_column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* First step of the differences: gaps of hard contacts bend over 1e-10. */
#define FIRST_STEP 1e-12
/* Newton's steps at the end of a solve: each doubles the digits. */
enum { POLISH = 12, ITERATIONS = 1000, MOST_PARAMS = 64, PATH = 512 };
/* As cli/derivatives/param_check.c: parameters in units of a thousand first steps, at most 1. */
#define RELATIVE_STEP 1e-3
#define LARGEST_SHARE 0.5
#define TINY          1e-9

typedef struct Case {
    tacModel *m;
    tacSim *sim;
    tacStepColumn step;
    int np;
    int column;          /* of [A | B | P]: which number moves */
    uint64_t active_set; /* at the state */
    int switches;
    double theta[MOST_PARAMS];
    double *x, *u, *A, *B, *P;
} Case;

static void stop(const char *what) {
    fprintf(stderr, "quad_differences: %s\n", what);
    exit(2);
}

/* --- What doubles found ------------------------------------------------------------------------------------------- */

/* "name n", then n numbers. */
static double *read_numbers(FILE *f, const char *name, int n) {
    char word[PATH];
    int count;
    double *out = calloc((size_t)n + 1, sizeof *out);
    if (out == NULL || fscanf(f, "%511s %d", word, &count) != 2 || strcmp(word, name) != 0 || count != n) stop(name);
    for (int i = 0; i < n; i++) {
        quadDouble number;
        if (fscanf(f, "%lf", &number) != 1) stop(name);
        out[i] = number;
    }
    return out;
}

/* "params n", then a path and a value each: set and registered. */
static void read_params(FILE *f, Case *c) {
    if (fscanf(f, " params %d", &c->np) != 1 || c->np > MOST_PARAMS) stop("params");
    for (int i = 0; i < c->np; i++) {
        char path[PATH];
        quadDouble value;
        if (fscanf(f, "%511s %lf", path, &value) != 2) stop("params");
        if (tac_param_set(c->m, path, value, NULL) != TAC_OK || tac_param_register(c->m, path, NULL, NULL) != TAC_OK)
            stop(path);
    }
}

static void read_case(const char *model, const char *kappa, const char *file, Case *c) {
    tacError err;
    FILE *f = fopen(file, "r");
    if (f == NULL) stop(file);
    if (tac_load(model, &c->m, &err) != TAC_OK) stop(err.text);
    if (c->m->nmesh > 0) stop("meshes are not for this build");
    read_params(f, c);
    tacOptions options = tac_default_options(c->m);
    options.contact = TAC_CONTACT_MODEL_NCP, options.ncp_kappa = strtod(kappa, NULL);
    options.ncp_polish = POLISH, options.ncp_iterations = ITERATIONS;
    if (tac_sim_new(c->m, &options, &c->sim, &err) != TAC_OK) stop(err.text);
    if (!measure_step_column_new(c->m, &options, c->sim, &c->step)) stop("out of memory");
    int nx = c->step.nx, ndx = c->step.ndx, nu = c->step.nu;
    c->x = read_numbers(f, "x", nx), c->u = read_numbers(f, "u", nu);
    c->A = read_numbers(f, "A", ndx * ndx), c->B = read_numbers(f, "B", ndx * nu);
    c->P = read_numbers(f, "P", ndx * c->np);
    fclose(f);
    tac_sim_get_params(c->sim, c->theta);
}

/* --- Differences -------------------------------------------------------------------------------------------------- */

/* The step with one number moved by t, against that at the state. */
static int step_moved(void *context, double t, double *out) {
    Case *c = context;
    int param = c->column - c->step.ndx - c->step.nu;
    tacStepInfo info;
    double moved[MOST_PARAMS];
    memcpy(moved, c->theta, sizeof moved);
    if (param >= 0) moved[param] += t;
    c->step.column = c->column;
    measure_step_column_move(&c->step, param >= 0 ? 0 : t);
    if (tac_sim_set_params(c->sim, moved) != TAC_OK) return 1;
    tacStatus status = tac_step(c->sim, c->step.moved, c->step.input, c->step.y, &info);
    tac_sim_set_params(c->sim, c->theta);
    measure_state_difference(c->m, c->step.y, c->step.y0, out);
    c->switches |= info.active_set != c->active_set;
    return status != TAC_OK;
}

/* F: columns of [A | B | P], one after another. */
static void difference_all(Case *c, double *F) {
    int ndx = c->step.ndx, n = ndx + c->step.nu + c->np;
    double *work = calloc((size_t)difference_work(ndx), sizeof *work);
    if (work == NULL) stop("out of memory");
    for (c->column = 0; c->column < n; c->column++)
        if (difference_ridders(step_moved, c, ndx, FIRST_STEP, F + c->column * ndx, NULL, work) != 0)
            stop("a step beside the state fails");
    free(work);
}

static double entry_of(const Case *c, int row, int column) {
    int ndx = c->step.ndx, nu = c->step.nu;
    if (column < ndx) return c->A[row * ndx + column];
    return column < ndx + nu ? c->B[row * nu + column - ndx] : c->P[row * c->np + column - ndx - nu];
}

static double unit_of(double value) {
    double size = fabs(value);
    return size > TINY ? fmin(1, fmin(LARGEST_SHARE * size / RELATIVE_STEP, fmax(1, size))) : 1;
}

/* The larger of two errors. What is not finite is larger than all: no comparison holds of it, and fmax would drop
 * it. */
static double worse_error(double so_far, double error) {
    return fmax(so_far, error < DIFFERENCE_NONE ? error : DIFFERENCE_NONE);
}

/* Largest |entry - F| / max(1, max |F|) over rows and columns [first, last), both in the unit. */
static double block_error(const Case *c, const double *F, const int row[2], const int column[2], double unit) {
    double scale = 1, worst = 0;
    for (int j = column[0]; j < column[1]; j++)
        for (int i = row[0]; i < row[1]; i++) {
            scale = fmax(scale, fabs(unit * F[j * c->step.ndx + i]));
            worst = worse_error(worst, fabs(unit * (entry_of(c, i, j) - F[j * c->step.ndx + i])));
        }
    return worst < DIFFERENCE_NONE ? worst / scale : DIFFERENCE_NONE;
}

static double largest_error(const Case *c, const double *F) {
    int nv = c->m->nv, ndx = c->step.ndx, nu = c->step.nu;
    const int rows[3][2] = {{0, nv}, {nv, 2 * nv}, {2 * nv, ndx}}, columns[2] = {ndx, ndx + nu};
    double worst = 0;
    for (int r = 0; r < 3; r++) {
        for (int b = 0; b < 3; b++)
            worst = worse_error(worst, block_error(c, F, rows[r], rows[b], 1));
        worst = worse_error(worst, block_error(c, F, rows[r], columns, 1));
        for (int p = 0; p < c->np; p++) {
            const int column[2] = {ndx + nu + p, ndx + nu + p + 1};
            worst = worse_error(worst, block_error(c, F, rows[r], column, unit_of(c->theta[p])));
        }
    }
    return worst;
}

int main(int argc, char **argv) {
    Case c = {0};
    if (argc != 4) stop("expected MODEL KAPPA FILE");
    read_case(argv[1], argv[2], argv[3], &c);
    tacStepInfo info;
    if (measure_step_column_at(&c.step, c.x, c.u) != TAC_OK || tac_step(c.sim, c.x, c.u, c.step.y, &info) != TAC_OK)
        stop("the step fails");
    c.active_set = info.active_set;
    int ndx = c.step.ndx;
    double *F = calloc((size_t)(ndx * (ndx + c.step.nu + c.np)), sizeof *F);
    if (F == NULL) stop("out of memory");
    difference_all(&c, F);
    printf("{\"error\":%.3e,\"switches\":%d}\n", (quadDouble)largest_error(&c, F), c.switches);
    free(F);
    return 0;
}
