/* Rollouts, their reverse mode and batches count the steps that were not solved. */
#include "support/check.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40, WORLDS = 5 };

/* A box of 1 kg that starts `height` above where it rests on the floor. */
static tacModel *new_box(void) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef floor = tac_default_geom(), box = tac_default_geom();
    tacBodyDef body = tac_default_body();
    tacJointDef free_joint = tac_default_joint();
    tacModel *m = NULL;
    floor.name = "floor", floor.type = TAC_GEOM_PLANE, floor.size[0] = floor.size[1] = 5, floor.size[2] = 0.1;
    box.name = "box", box.type = TAC_GEOM_BOX, box.size[0] = box.size[1] = box.size[2] = 0.1, box.mass = 1;
    body.name = "brick", free_joint.type = TAC_JOINT_FREE;
    tac_model_add_geom(b, 0, &floor);
    int id = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, id, &free_joint);
    tac_model_add_geom(b, id, &box);
    tacError err;
    if (tac_model_finish(b, &m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_builder_free(b);
    return m;
}

/* ncp with so few iterations that flight is solved and contact is not. */
static tacOptions few_iterations(const tacModel *m) {
    tacOptions o = tac_default_options(m);
    o.contact = TAC_CONTACT_MODEL_NCP;
    o.dt = 0.01;
    o.ncp_iterations = 2;
    return o;
}

static void start(const tacModel *m, double height, double *x) {
    tac_default_state(m, x);
    x[2] = 0.1 + height;
}

/* The same counts, made here step by step. */
static tacStepInfo count(tacSim *sim, const tacModel *m, double height, int n) {
    double x[13];
    tacStepInfo sum = {.first_unsolved = -1}, info;
    start(m, height, x);
    for (int k = 0; k < n; k++) {
        tacStatus status = tac_step(sim, x, NULL, x, &info);
        int unsolved = status == TAC_ERR_UNSOLVED;
        CHECK(status == TAC_OK || unsolved);
        CHECK_INT(info.steps, 1), CHECK_INT(info.unsolved, unsolved);
        CHECK_INT(info.first_unsolved, unsolved ? 0 : -1);
        CHECK_NEAR(info.worst_residual, info.residual, 0);
        if (unsolved && sum.first_unsolved < 0) sum.first_unsolved = k;
        sum.steps++, sum.unsolved += unsolved;
        sum.worst_residual = fmax(sum.worst_residual, info.residual);
    }
    return sum;
}

static void check_counts(const tacStepInfo *a, const tacStepInfo *b) {
    CHECK_INT(a->steps, b->steps);
    CHECK_INT(a->unsolved, b->unsolved);
    CHECK_INT(a->first_unsolved, b->first_unsolved);
    CHECK_NEAR(a->worst_residual, b->worst_residual, 0);
}

static void rollouts_count(void **state) {
    (void)state;
    tacModel *m = new_box();
    tacOptions o = few_iterations(m);
    tacSim *sim;
    tacStepInfo info, back, own;
    double x[13], X[(STEPS + 1) * 13], xbar[12] = {0, 0, 1}, gx[12];
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    start(m, 0.05, x);
    CHECK_INT(tac_rollout(sim, x, NULL, STEPS, X, &info), TAC_ERR_UNSOLVED);
    own = count(sim, m, 0.05, STEPS);
    check_counts(&info, &own);
    CHECK(info.first_unsolved > 0 && info.unsolved > 0 && info.unsolved < STEPS && info.worst_residual > 0);
    tacTrajectory path = {.n = STEPS, .x0 = x, .xbar = xbar};
    tacCheckpoints memory = {.count = 3, .bytes = tac_rollout_vjp_bytes(m, STEPS, 3)};
    memory.memory = aligned_alloc(64, memory.bytes);
    CHECK_INT(tac_rollout_vjp(sim, &path, &memory, &(tacGrad){.x = gx}, &back), TAC_ERR_UNSOLVED);
    CHECK_INT(back.steps, STEPS);
    CHECK_INT(back.unsolved, info.unsolved);
    CHECK_INT(back.first_unsolved, info.first_unsolved);
    /* nothing to count */
    CHECK_INT(tac_rollout(sim, x, NULL, 0, X, &info), TAC_OK);
    CHECK_INT(info.steps, 0), CHECK_INT(info.unsolved, 0), CHECK_INT(info.first_unsolved, -1);
    /* a step that has no next state is none */
    x[0] = (double)NAN;
    CHECK_INT(tac_step(sim, x, NULL, X, &info), TAC_ERR_NONFINITE);
    CHECK_INT(info.steps, 0), CHECK_INT(info.first_unsolved, -1);
    free(memory.memory);
    tac_sim_free(sim);
    tac_model_free(m);
}

static void batches_count(void **state) {
    (void)state;
    tacModel *m = new_box();
    tacOptions o = few_iterations(m);
    tacSim *sim;
    tacStepInfo infos[WORLDS], first[WORLDS];
    double X[WORLDS][STEPS + 1][13], Y[WORLDS][13], x[WORLDS][13], ybar[WORLDS][12], gx[WORLDS][12];
    memset(ybar, 0, sizeof ybar);
    CHECK_INT(tac_sim_new(m, &o, &sim, NULL), TAC_OK);
    o.batch_info = infos;
    for (int threads = 1; threads <= 3; threads++) {
        memset(infos, 0xff, sizeof infos);
        for (int i = 0; i < WORLDS; i++)
            start(m, 0.3 * i, X[i][0]);
        CHECK_INT(tac_batch_rollout(m, &o, WORLDS, STEPS, X[0][0], NULL, threads), TAC_ERR_UNSOLVED);
        for (int i = 0; i < WORLDS; i++) {
            tacStepInfo own = count(sim, m, 0.3 * i, STEPS);
            check_counts(&infos[i], &own);
        }
        if (threads == 1) memcpy(first, infos, sizeof infos);
        for (int i = 0; i < WORLDS; i++) {
            check_counts(&infos[i], &first[i]);
            CHECK(infos[i].active_set == first[i].active_set && infos[i].residual == first[i].residual);
        }
    }
    CHECK(infos[0].unsolved > 0);
    CHECK_INT(infos[WORLDS - 1].unsolved, 0);
    for (int i = 0; i < WORLDS; i++)
        start(m, 0.3 * i, x[i]);
    memset(infos, 0xff, sizeof infos);
    CHECK_INT(tac_batch_step(m, &o, WORLDS, x[0], NULL, Y[0], 2), TAC_ERR_UNSOLVED);
    CHECK_INT(infos[0].unsolved, 1), CHECK_INT(infos[WORLDS - 1].unsolved, 0);
    memset(infos, 0xff, sizeof infos);
    CHECK_INT(tac_batch_step_jac(m, &o, WORLDS, x[0], NULL, Y[0], &(tacJac){0}, 2), TAC_ERR_UNSOLVED);
    CHECK_INT(infos[0].unsolved, 1), CHECK_INT(infos[WORLDS - 1].unsolved, 0);
    memset(infos, 0xff, sizeof infos);
    CHECK_INT(tac_batch_step_vjp(m, &o, WORLDS, x[0], NULL, ybar[0], &(tacGrad){.x = gx[0]}, 2), TAC_ERR_UNSOLVED);
    CHECK_INT(infos[0].unsolved, 1), CHECK_INT(infos[WORLDS - 1].unsolved, 0);
    memset(infos, 0xff, sizeof infos);
    tacTrajectory path = {.n = STEPS, .x0 = x[0], .xbar = ybar[0]};
    CHECK_INT(tac_batch_rollout_vjp(m, &o, WORLDS, &path, 4, &(tacGrad){.x = gx[0]}, 2), TAC_ERR_UNSOLVED);
    CHECK_INT(infos[0].unsolved, first[0].unsolved), CHECK_INT(infos[WORLDS - 1].unsolved, 0);
    tac_sim_free(sim);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rollouts_count), cmocka_unit_test(batches_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
