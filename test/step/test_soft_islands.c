/* Constraints of contact soft that share no tree are solved apart: each island has the bits that it has alone, and is
 * as exact by its own forces, whatever stands beside it. */
#include "tactus/io.h"
#include "tactus/tactus.h"

#include "io/mjcf_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 400, STEPS = 60 };

/* A box that slides and tips against a ball, light as a feather; ten million times as heavy; and one that flies. */
#define PAIR(x, mass)                                                                                                  \
    "<body pos='" x " 0 .19' euler='.3 .2 .1'><freejoint/><geom type='box' size='.1 .12 .1' mass='" mass "'/></body>"  \
    "<body pos='" x " .25 .1'><freejoint/><geom type='sphere' size='.1' mass='" mass "'/></body>"
#define FLYING "<body pos='0 5 3'><freejoint/><geom type='sphere' size='.1'/></body>"

static tacModel *load(const char *bodies, const char *cone) {
    static char text[1 << 13];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><option cone='%s' timestep='.004'/><worldbody>"
             "<geom type='plane' size='1 1 1'/>%s</worldbody></mujoco>",
             cone, bodies);
    Loaded l = load_ok(text);
    tac_report_free(l.report);
    return l.model;
}

static void move(const tacModel *m, const double push[6], tacSolver solver, double *x, tacStepInfo *worst) {
    tacSim *sim;
    tacError err;
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_SOFT, options.soft_solver = solver;
    if (tac_sim_new(m, &options, &sim, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK(tac_nx(m) <= MOST);
    tac_default_state(m, x);
    memcpy(x + m->nq, push, 6 * sizeof *push);
    for (int k = 0; k < STEPS; k++) {
        tacStepInfo info;
        CHECK_INT(tac_step(sim, x, NULL, x, &info), TAC_OK);
        if (info.contacts > worst->contacts) worst->contacts = info.contacts;
        worst->residual = fmax(worst->residual, info.residual);
    }
    tac_sim_free(sim);
}

static void an_island_does_not_see_the_others(void **state) {
    (void)state;
    static const char *const cones[2] = {"elliptic", "pyramidal"};
    static const tacSolver solvers[2] = {TAC_SOLVER_NEWTON, TAC_SOLVER_CG};
    const double push[6] = {1, 0.8, -0.5, 2, -1, 3};
    for (int k = 0; k < 4; k++) {
        double alone[MOST], beside[MOST];
        tacStepInfo info = {0};
        tacModel *one = load(PAIR("0", "1e-3"), cones[k % 2]);
        tacModel *three = load(PAIR("0", "1e-3") FLYING PAIR("40", "1e4"), cones[k % 2]);
        move(one, push, solvers[k / 2], alone, &info);
        move(three, push, solvers[k / 2], beside, &info);
        CHECK(info.contacts >= 6);
        CHECK_LT(info.residual, 1e-8);
        CHECK(memcmp(alone, beside, 14 * sizeof *alone) == 0);
        CHECK(memcmp(alone + one->nq, beside + three->nq, 12 * sizeof *alone) == 0);
        CHECK(fabs(alone[0]) > 0.05); /* it has moved */
        tac_model_free(one), tac_model_free(three);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_island_does_not_see_the_others, scratch_setup, scratch_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
