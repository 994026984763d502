/* P of a step, and the reverse mode's gradient, against Ridders' differences of the step with the parameter set: every
 * number of a small world that has everything, a share of every robot's, and the vertices of a mesh; for Euler, and a
 * part of them for each of the other integrators. */
#include "io/scratch.h"
#include "support/check.h"
#include "support/random_tree.h"

#include "measure/differences.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to max(1, largest entry of the column). */
#define TOL_GRADIENT 1e-7
#define TOL_REVERSE  1e-10
/* First step of the differences, relative to the size of the number. */
#define FIRST_STEP 1e-3
/* Parameters of one simulation. */
#define MOST 64

typedef struct Case {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    int nx, ndx, nu, np, column;
    double *x, *u, *y, *y0, theta[MOST], moved[MOST];
    char path[MOST][256];
} Case;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

/* Registers every `stride`-th listed parameter from `first` on, at most MOST; returns the next one to begin with. */
static int register_some(Case *c, int first, int stride) {
    int n = tac_param_count(c->m), i;
    tacError err;
    for (i = first; i < n && c->np < MOST; i += stride) {
        CHECK_INT(tac_param_path(c->m, i, c->path[c->np], sizeof c->path[0]), TAC_OK);
        if (tac_param_register(c->m, c->path[c->np], NULL, &err) == TAC_OK) c->np++;
    }
    return i;
}

static tacModel *load(const char *file) {
    tacModel *m = NULL;
    tacError err;
    if (tac_load(file, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    return m;
}

/* Of a model whose parameters are registered, c->m. */
static Case open_model(Case c, tacIntegrator integrator) {
    tacError err;
    c.options = tac_default_options(c.m);
    c.options.contact = TAC_CONTACT_MODEL_NONE;
    c.options.integrator = integrator;
    c.options.inputs = TAC_INPUT_XFRC;
    CHECK_INT(tac_sim_new(c.m, &c.options, &c.sim, &err), TAC_OK);
    c.nx = tac_nx(c.m), c.ndx = tac_ndx(c.m), c.nu = tac_ninput(c.m, &c.options);
    c.x = numbers(c.nx), c.u = numbers(c.nu), c.y = numbers(c.nx), c.y0 = numbers(c.nx);
    CHECK_INT(tac_sim_get_params(c.sim, c.theta), TAC_OK);
    return c;
}

static Case open_case(const char *file, tacIntegrator integrator, int *first, int stride) {
    Case c = {.m = load(file)};
    *first = register_some(&c, *first, stride);
    return open_model(c, integrator);
}

static void close_case(Case *c) {
    free(c->x);
    free(c->u);
    free(c->y);
    free(c->y0);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

static void draw_state(Case *c, uint64_t seed) { random_point(c->m, &c->options, seed, c->x, c->u); }

static int step_along(void *context, double t, double *out) {
    Case *c = context;
    const tacModel *m = c->m;
    memcpy(c->moved, c->theta, sizeof c->theta);
    c->moved[c->column] += t;
    if (tac_sim_set_params(c->sim, c->moved) != TAC_OK) return 1;
    if (tac_step(c->sim, c->x, c->u, c->y, NULL) != TAC_OK) return 1;
    tac_qpos_sub(m, c->y, c->y0, out);
    for (int i = m->nv; i < c->ndx; i++)
        out[i] = c->y[m->nq - m->nv + i];
    return 0;
}

/* Differences by the step size that they themselves find good enough; 0 where there is no neighbour on one side. */
static int difference(Case *c, double *column, double *work) {
    double h = FIRST_STEP * fmin(1, fmax(fabs(c->theta[c->column]), 0.01)), *error = numbers(c->ndx);
    int found = 0;
    for (int attempt = 0; attempt < 3; attempt++, h *= 10) {
        double worst = 0, largest = 1;
        if (difference_ridders(step_along, c, c->ndx, h, column, error, work) != 0) break;
        found = 1;
        for (int i = 0; i < c->ndx; i++) {
            worst = worse(worst, error[i]);
            largest = fmax(largest, fabs(column[i]));
        }
        if (worst / largest < 0.1 * TOL_GRADIENT) break;
    }
    free(error);
    return found;
}

/* Checks one column; returns 1 where it is not zero. */
static int check_column(Case *c, const double *P, double *column, double *work) {
    double worst = 0, largest = 1, size = 0;
    if (!difference(c, column, work)) return 0;
    for (int i = 0; i < c->ndx; i++) {
        worst = worse(worst, fabs(P[i * c->np + c->column] - column[i]));
        largest = fmax(largest, fabs(column[i]));
        size = fmax(size, fabs(P[i * c->np + c->column]));
    }
    if (!(worst / largest < TOL_GRADIENT)) print_error("%s: error %.3g\n", c->path[c->column], worst / largest);
    CHECK_LT(worst / largest, TOL_GRADIENT);
    return size > 0;
}

static int check_params(Case *c, uint64_t seed) {
    double *P = numbers(c->ndx * c->np), *ybar = numbers(c->ndx), *grad = numbers(c->np), *column = numbers(c->ndx);
    double *work = numbers(difference_work(c->ndx));
    int moving = 0;
    draw_state(c, seed);
    CHECK_INT(tac_sim_set_params(c->sim, c->theta), TAC_OK);
    CHECK_INT(tac_step_jac(c->sim, c->x, c->u, c->y0, &(tacJac){NULL, NULL, P}, NULL), TAC_OK);
    for (int i = 0; i < c->ndx; i++)
        ybar[i] = tac_random_normal(seed, 5, (uint64_t)i);
    CHECK_INT(tac_step_vjp(c->sim, c->x, c->u, ybar, &(tacGrad){NULL, NULL, grad}, NULL), TAC_OK);
    for (c->column = 0; c->column < c->np; c->column++) {
        double sum = 0, scale = 1;
        for (int i = 0; i < c->ndx; i++) {
            sum += ybar[i] * P[i * c->np + c->column];
            scale = fmax(scale, fabs(ybar[i] * P[i * c->np + c->column]));
        }
        CHECK_LT(fabs(sum - grad[c->column]) / scale, TOL_REVERSE);
        moving += check_column(c, P, column, work);
    }
    double *all[] = {P, ybar, grad, column, work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return moving;
}

static void check_file(const char *file, tacIntegrator integrator, int first, int stride, int at_least) {
    tacModel *m = NULL;
    int moving = 0;
    CHECK_INT(tac_load(file, &m, NULL), TAC_OK);
    int n = tac_param_count(m);
    tac_model_free(m);
    for (int next = first; next < n;) {
        Case c = open_case(file, integrator, &next, stride);
        for (uint64_t seed = 1; seed <= 2; seed++)
            moving += check_params(&c, seed);
        close_case(&c);
    }
    print_message("%s, integrator %d: %d numbers, %d derivatives that are not zero\n", file, (int)integrator, n,
                  moving);
    CHECK(moving >= at_least);
}

static void every_number(void **state) {
    (void)state;
    for (int k = TAC_INTEGRATOR_EULER; k <= TAC_INTEGRATOR_RKMK4; k++)
        check_file("test/data/everything.xml", (tacIntegrator)k, k, k == TAC_INTEGRATOR_EULER ? 1 : 5,
                   k == TAC_INTEGRATOR_EULER ? 300 : 50);
}

static void robots(void **state) {
    static const char *const ROBOTS[] = {"pendulum", "hopper", "half_cheetah", "ant",     "quadruped",
                                         "humanoid", "panda",  "quadrotor",    "catapult"};
    (void)state;
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        char file[256];
        snprintf(file, sizeof file, "models/%s.xml", ROBOTS[r]);
        for (int k = TAC_INTEGRATOR_EULER; k <= TAC_INTEGRATOR_RKMK4; k++)
            check_file(file, (tacIntegrator)k, (int)r + k, k == TAC_INTEGRATOR_EULER ? 17 : 67,
                       k == TAC_INTEGRATOR_EULER);
    }
}

/* A turned and mirrored mesh of six vertices, the last inside its hull, which counts where the surface goes there. */
static tacModel *crystal(const char *inertia, const double move[3]) {
    static char text[1024];
    const double x = 0.1 + move[0], y = 0.02 + move[1], z = -0.1 + move[2];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='gem' inertia='%s' scale='1.5 -0.8 1' refpos='0.01 0 0.02' "
             "refquat='0.9 0.1 0.2 0.3' vertex='%.17g %.17g %.17g  -0.1 0.03 -0.09  0 -0.1 -0.08  0.01 0.1 -0.12 "
             "0 0.01 0.2  0.01 0.02 0.01' face='0 2 1  1 3 0  0 4 2  2 4 1  1 4 3  3 4 5  3 5 0  0 5 4'/></asset>"
             "<worldbody><body><freejoint/><geom type='mesh' mesh='gem'/></body></worldbody></mujoco>",
             inertia, x, y, z);
    return load(scratch_text("gem.xml", text));
}

static void vertices(void **state) {
    static const char *const modes[] = {"exact", "legacy", "convex", "shell"};
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        Case c = {.m = crystal(modes[mode], (double[]){0, 0, 0})};
        for (c.np = 0; c.np < 18; c.np++) {
            snprintf(c.path[c.np], sizeof c.path[0], "mesh/gem.file_vert[%d]", c.np);
            CHECK_INT(tac_param_register(c.m, c.path[c.np], NULL, NULL), TAC_OK);
        }
        c = open_model(c, TAC_INTEGRATOR_EULER);
        int moving = check_params(&c, 3);
        CHECK(moving >= (mode == 2 ? 15 : 18));
        close_case(&c);
    }
}

/* By path as by an edited file; and what would change the hull's faces is refused by name. */
static void vertices_by_path(void **state) {
    static const double move[3] = {0.02, -0.01, 0.02}, from[3] = {0.1, 0.02, -0.1};
    tacError err = {.text = ""};
    char path[64];
    (void)state;
    tacModel *m = crystal("exact", (double[]){0, 0, 0}), *edited = crystal("exact", move);
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "mesh/gem.file_vert[%d]", k);
        CHECK_INT(tac_param_set(m, path, (double)(float)(from[k] + move[k]), &err), TAC_OK); /* files have floats */
    }
    CHECK_INT(tac_model_hash(m) == tac_model_hash(edited), 1);
    CHECK(tac_param_set(m, "mesh/gem.file_vert[15]", 0.3, &err) != TAC_OK); /* the one inside comes out */
    CHECK_HAS(err.text, "mesh 'gem': file_vert[15] becomes 0.3");
    CHECK(tac_param_set(m, "mesh/gem.file_vert[14]", -0.3, &err) != TAC_OK); /* the top goes through the bottom */
    CHECK_HAS(err.text, "expected a number at which the hull has the same faces");
    CHECK_INT(tac_model_hash(m) == tac_model_hash(edited), 1);
    tac_model_free(m);
    tac_model_free(edited);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_number), cmocka_unit_test(robots),
                                       cmocka_unit_test(vertices), cmocka_unit_test(vertices_by_path)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
