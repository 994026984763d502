/* Our robots under contact ncp, driven at random: steps are solved, in few iterations, whatever the step's length. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "contact/ncp/residual_norm.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 120, MOST_ITERATIONS = 30 };
#define MOST_MEAN 14.0 /* iterations a step, of any robot */
#define TOL_SIZE  1e-12

typedef struct Run {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    double *x, *u;
} Run;

static void begin(Run *run, const char *path, double dt) {
    tacError err;
    if (tac_load(path, &run->m, &err) != TAC_OK) fail_msg("%s", err.text);
    run->options = tac_default_options(run->m);
    run->options.contact = TAC_CONTACT_MODEL_NCP, run->options.dt = dt;
    if (tac_sim_new(run->m, &run->options, &run->sim, &err) != TAC_OK) fail_msg("%s", err.text);
    run->x = calloc((size_t)tac_nx(run->m), sizeof *run->x);
    run->u = calloc((size_t)run->m->nu + 1, sizeof *run->u);
    tac_default_state(run->m, run->x);
    if (run->m->nkey > 0) memcpy(run->x, run->m->key_qpos, (size_t)run->m->nq * sizeof *run->x);
}

static void end(Run *run) {
    tac_sim_free(run->sim);
    tac_model_free(run->m);
    free(run->x), free(run->u);
}

/* --- Driven at random --------------------------------------------------------------------------------------------- */

static void draw_controls(tacDraw *d, Run *run) {
    for (int a = 0; a < run->m->nu; a++) {
        const double *range = run->m->actuator_ctrlrange + 2 * a;
        double low = run->m->actuator_ctrllimited[a] ? range[0] : -1;
        double high = run->m->actuator_ctrllimited[a] ? range[1] : 1;
        run->u[a] = draw_uniform(d, low, high);
    }
}

/* Robots that stand, crawl and fall, two at which the path was lost before its steps were judged in one unit: a box at
 * rest on four corners, and a finger of a few grams. */
static void robots_are_solved(void **state) {
    (void)state;
    static const char *const PATH[] = {"models/ant.xml",    "models/box.xml",      "models/finger.xml",
                                       "models/hopper.xml", "models/humanoid.xml", "models/half_cheetah.xml"};
    static const double DT[] = {1e-4, 2e-3};
    for (size_t k = 0; k < 2 * sizeof PATH / sizeof *PATH; k++) {
        Run run;
        tacDraw d = {71 + k, 0};
        double sum = 0;
        begin(&run, PATH[k / 2], DT[k % 2]);
        for (int i = 0; i < STEPS; i++) {
            tacStepInfo info;
            draw_controls(&d, &run);
            CHECK(tac_step(run.sim, run.x, run.u, run.x, &info) == TAC_OK);
            CHECK_LT(info.iterations, MOST_ITERATIONS + 1);
            CHECK_LT(info.residual, run.options.ncp_tolerance * (1 + 1e-15));
            sum += info.iterations;
        }
        CHECK_LT(sum / STEPS, MOST_MEAN);
        end(&run);
    }
}

/* --- Residuals in one unit ---------------------------------------------------------------------------------------- */

/* A body of mass m, a contact on it, a limit, a dry joint and an equality, each off by the same speed v: m v^2 each. */
static void size_is_an_energy(void **state) {
    (void)state;
    const double h = 0.01, mass = 2, v = 3, loss = 0.4, energy = mass * v * v;
    int adr[2] = {0, 0}, num[2] = {0, 1};
    double inverse[1] = {1 / mass}, g[1] = {mass * v};
    double ratio[4] = {h / mass, 1 / mass, h / mass, loss / mass};
    tacVec6 S[1] = {{{0, 0, 0}, {0, 0, 1}}}, sum[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
    tacModel m = {.nbody = 2, .body_dof_adr = adr, .body_dof_num = num, .dof_invweight = inverse};
    tacWork w = {.S = S};
    tacNcpContact contact = {.cone = 0, .residual = {.e_s = h * v, .e_xi = mass * v, .e_eta = {0, -v}}};
    tacNcpRow row[3] = {
        {.law = TAC_NCP_PAIR, .cone = 2, .e = {h * v, 0}},
        {.law = TAC_NCP_DRY, .cone = 3, .coefficient = loss, .e = {-v, 0}},
        {.law = TAC_NCP_HELD, .cone = -1, .coefficient = h * TAC_NCP_COMPLIANCE / mass, .e = {h * v, 0}}};
    tacNcp p = {.m = &m, .w = &w, .h = h, .g = g, .sum = sum, .ratio = ratio, .contact = &contact};
    p.rows.row = row;
    CHECK_NEAR(tac_ncp_residual_norm(&p), sqrt(energy), TOL_SIZE * sqrt(energy));
    p.ncontact = 1;
    CHECK_NEAR(tac_ncp_residual_norm(&p), sqrt(4 * energy), TOL_SIZE * sqrt(energy));
    p.rows.n = 3;
    CHECK_NEAR(tac_ncp_residual_norm(&p), sqrt(7 * energy), TOL_SIZE * sqrt(energy));
    sum[1].lin.z = -mass * v; /* what the dof is missing, its subtree has too much of */
    CHECK_NEAR(tac_ncp_residual_norm(&p), sqrt(6 * energy), TOL_SIZE * sqrt(energy));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_are_solved),
        cmocka_unit_test(size_is_an_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
