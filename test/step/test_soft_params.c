/* P of steps with contact soft, beside A and B, against Ridders' differences at states in contact: the numbers of
 * worlds that have every kind of constraint, and for each integrator; the reverse mode against them. */
#include "support/check.h"

#include "measure/differences.h"
#include "measure/draw_contact.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to max(1, largest entry of the column), of differences that agree with themselves. */
#define TOL_GRADIENT 1e-6
#define TOL_REVERSE  1e-10
/* Largest first step of the differences, relative to the size of the number; how often it is divided by ten. */
#define FIRST_STEP 1e-2
enum { TRIES = 6, MOST = 64, PATH = 256 };
/* Frictions are told apart by this much: where two equal ones meet, the larger of them has a kink. */
#define APART 1e-2

enum { BY_STATE, BY_INPUT, BY_PARAM };

typedef struct Case {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    int nx, ndx, nu, np, what, column;
    double *x, *u, *y, *y0, *moved, *tangent, *J[3], theta[MOST];
    char path[MOST][PATH];
    uint64_t active_set;
    int compared, felt, switching;
    double worst, reverse;
} Case;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static void tell_frictions_apart(tacModel *m) {
    for (int g = 0; g < m->ngeom; g++)
        for (int i = 0; i < 3; i++)
            m->geom_friction[3 * g + i] *= 1 + APART * (g + 1);
}

/* Every `stride`-th from *first on, at most MOST. */
static void register_some(Case *c, int *first, int stride) {
    int n = tac_param_count(c->m), i;
    for (i = *first; i < n && c->np < MOST; i += stride) {
        CHECK_INT(tac_param_path(c->m, i, c->path[c->np], PATH), TAC_OK);
        if (tac_param_register(c->m, c->path[c->np], NULL, NULL) == TAC_OK) c->np++;
    }
    *first = i;
}

static Case open_case(const char *file, tacIntegrator integrator, tacCone cone, int *first, int stride) {
    Case c = {0};
    tacError err;
    if (tac_load(file, &c.m, &err) != TAC_OK) fail_msg("%s", err.text);
    tell_frictions_apart(c.m);
    *c.m->option_cone = cone;
    register_some(&c, first, stride);
    c.options = tac_default_options(c.m);
    c.options.contact = TAC_CONTACT_MODEL_SOFT, c.options.integrator = integrator;
    c.options.inputs = TAC_INPUT_XFRC | (c.m->nmocap > 0 ? TAC_INPUT_MOCAP : 0);
    if (tac_sim_new(c.m, &c.options, &c.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_INT(tac_sim_get_params(c.sim, c.theta), TAC_OK);
    c.nx = tac_nx(c.m), c.ndx = tac_ndx(c.m), c.nu = tac_ninput(c.m, &c.options);
    c.x = numbers(c.nx), c.u = numbers(c.nu), c.y = numbers(c.nx), c.y0 = numbers(c.nx);
    c.moved = numbers(c.nx + c.nu), c.tangent = numbers(c.m->nv);
    const int columns[3] = {c.ndx, c.nu, c.np};
    for (int k = 0; k < 3; k++)
        c.J[k] = numbers(c.ndx * columns[k]);
    return c;
}

static void close_case(Case *c) {
    double *arrays[] = {c->x, c->u, c->y, c->y0, c->moved, c->tangent, c->J[0], c->J[1], c->J[2]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

/* The next state with one number moved by t; fails where other zones hold there. */
static int step_along(void *context, double t, double *out) {
    Case *c = context;
    const tacModel *m = c->m;
    double *x = c->moved, *u = c->moved + c->nx, set[MOST], *d = c->tangent;
    tacStepInfo info = {0};
    memcpy(x, c->x, (size_t)c->nx * sizeof *x);
    memcpy(u, c->u, (size_t)c->nu * sizeof *u);
    memcpy(set, c->theta, sizeof set);
    memset(d, 0, (size_t)m->nv * sizeof *d);
    if (c->what == BY_PARAM) set[c->column] += t;
    if (c->what == BY_INPUT) u[c->column] += t;
    if (c->what == BY_STATE && c->column < m->nv) d[c->column] = t, tac_qpos_add(m, c->x, d, x);
    if (c->what == BY_STATE && c->column >= m->nv) x[m->nq - m->nv + c->column] += t;
    if (c->what == BY_PARAM && tac_sim_set_params(c->sim, set) != TAC_OK) return 1;
    if (tac_step(c->sim, x, u, c->y, &info) != TAC_OK || info.active_set != c->active_set) return 1;
    tac_qpos_sub(m, c->y, c->y0, out);
    for (int i = m->nv; i < c->ndx; i++)
        out[i] = c->y[m->nq - m->nv + i];
    return 0;
}

static double size_of(const Case *c) {
    return c->what == BY_PARAM ? fmin(1, fmax(fabs(c->theta[c->column]), 1e-3)) : 1;
}

/* Error of the present column by the best differences; infinite where there are none. */
static double column_error(Case *c, int ld, double *largest) {
    double *d = numbers(c->ndx), *estimate = numbers(c->ndx), *work = numbers(difference_work(c->ndx));
    double best = (double)INFINITY, h = FIRST_STEP * size_of(c);
    for (int k = 0; k < TRIES && !(best < TOL_GRADIENT / 10); k++, h /= 10) {
        double error = 0, scale = 1;
        if (difference_ridders(step_along, c, c->ndx, h, d, estimate, work) != 0) continue;
        for (int i = 0; i < c->ndx; i++) {
            error = fmax(error, fabs(c->J[c->what][i * ld + c->column] - d[i]));
            scale = fmax(scale, fabs(d[i]));
        }
        best = fmin(best, error / scale), *largest = scale;
    }
    *largest = 0;
    for (int i = 0; i < c->ndx; i++)
        *largest = fmax(*largest, fabs(c->J[c->what][i * ld + c->column]));
    free(d), free(estimate), free(work);
    return best;
}

static void check_columns(Case *c, int what, int n) {
    c->what = what;
    for (c->column = 0; c->column < n; c->column++) {
        double largest, error = column_error(c, n, &largest);
        if (isinf(error)) {
            c->switching++;
            continue;
        }
        if (!(error < TOL_GRADIENT))
            print_error("%s %d: error %.3g, entry %.3g\n", what == BY_PARAM ? c->path[c->column] : "column", c->column,
                        error, largest);
        CHECK_LT(error, TOL_GRADIENT);
        c->worst = fmax(c->worst, error), c->compared++, c->felt += largest > 1e-9;
    }
    CHECK_INT(tac_sim_set_params(c->sim, c->theta), TAC_OK);
}

static void check_reverse(Case *c) {
    const int n[3] = {c->ndx, c->nu, c->np};
    double *ybar = numbers(c->ndx), *g[3] = {numbers(c->ndx), numbers(c->nu), numbers(c->np)};
    for (int i = 0; i < c->ndx; i++)
        ybar[i] = tac_random_normal(6, 0, (uint64_t)i);
    CHECK_INT(tac_step_vjp(c->sim, c->x, c->u, ybar, &(tacGrad){g[0], g[1], g[2]}, NULL), TAC_OK);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < n[k]; j++) {
            double sum = 0, scale = 1;
            for (int i = 0; i < c->ndx; i++) {
                double term = ybar[i] * c->J[k][i * n[k] + j];
                sum += term, scale = fmax(scale, fabs(term));
            }
            c->reverse = fmax(c->reverse, fabs(sum - g[k][j]) / scale);
        }
    CHECK_LT(c->reverse, TOL_REVERSE);
    free(ybar), free(g[0]), free(g[1]), free(g[2]);
}

static void check_state(Case *c, uint64_t seed, int state_too) {
    tacStepInfo info = {0};
    measure_draw_contact_state(c->sim, c->m, &c->options, 11, seed, c->x, c->u);
    CHECK_INT(tac_step(c->sim, c->x, c->u, c->y0, &info), TAC_OK);
    c->active_set = info.active_set;
    CHECK_INT(tac_step_jac(c->sim, c->x, c->u, c->y, &(tacJac){c->J[0], c->J[1], c->J[2]}, NULL), TAC_OK);
    CHECK(memcmp(c->y, c->y0, (size_t)c->nx * sizeof *c->y) == 0);
    check_reverse(c);
    if (state_too) check_columns(c, BY_STATE, c->ndx), check_columns(c, BY_INPUT, c->nu);
    check_columns(c, BY_PARAM, c->np);
}

/* All numbers of a file in turn, of every `stride`-th; each time at another state. */
static void check_file(const char *file, tacIntegrator integrator, tacCone cone, int stride) {
    int first = 0, parts = 0, compared = 0, felt = 0, switching = 0;
    double worst = 0, reverse = 0;
    tacModel *m = NULL;
    CHECK_INT(tac_load(file, &m, NULL), TAC_OK);
    int count = tac_param_count(m);
    tac_model_free(m);
    while (first < count) {
        Case c = open_case(file, integrator, cone, &first, stride);
        check_state(&c, (uint64_t)parts, parts == 0);
        compared += c.compared, felt += c.felt, switching += c.switching;
        worst = fmax(worst, c.worst), reverse = fmax(reverse, c.reverse);
        close_case(&c), parts++;
    }
    print_message("%s, integrator %d, cone %d: %d columns, %d not zero, worst %.1e, reverse %.1e; %d at a kink\n", file,
                  (int)integrator, (int)cone, compared, felt, worst, reverse, switching);
    CHECK(felt > 0 && switching < compared);
}

static void worlds(void **state) {
    (void)state;
    check_file("test/data/rows.xml", TAC_INTEGRATOR_EULER, TAC_CONE_ELLIPTIC, 6);
    check_file("test/data/rows.xml", TAC_INTEGRATOR_EULER, TAC_CONE_PYRAMIDAL, 5);
    check_file("test/data/touching.xml", TAC_INTEGRATOR_EULER, TAC_CONE_ELLIPTIC, 5);
    check_file("test/data/soft_terms.xml", TAC_INTEGRATOR_EULER, TAC_CONE_ELLIPTIC, 4);
    check_file("test/data/closed_loop.xml", TAC_INTEGRATOR_EULER, TAC_CONE_ELLIPTIC, 11);
}

static void integrators(void **state) {
    (void)state;
    const tacIntegrator kinds[] = {TAC_INTEGRATOR_IMPLICIT, TAC_INTEGRATOR_IMPLICITFAST, TAC_INTEGRATOR_RK4,
                                   TAC_INTEGRATOR_RKMK4};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        check_file("test/data/rows.xml", kinds[i], TAC_CONE_ELLIPTIC, 29);
        if (i % 2 == 0) check_file("models/humanoid.xml", kinds[i], TAC_CONE_PYRAMIDAL, 397);
        check_file("models/finger.xml", kinds[i], TAC_CONE_ELLIPTIC, 7);
    }
}

static void robots(void **state) {
    (void)state;
    check_file("models/humanoid.xml", TAC_INTEGRATOR_EULER, TAC_CONE_ELLIPTIC, 47);
    check_file("models/ant.xml", TAC_INTEGRATOR_EULER, TAC_CONE_PYRAMIDAL, 23);
    check_file("models/four_bar.xml", TAC_INTEGRATOR_EULER, TAC_CONE_ELLIPTIC, 5);
    check_file("models/finger.xml", TAC_INTEGRATOR_EULER, TAC_CONE_ELLIPTIC, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds),
        cmocka_unit_test(integrators),
        cmocka_unit_test(robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
