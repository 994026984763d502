/* Planners: a box through contact, the same bits on any number of threads and
 * after a stop, bad input by name. */
#include "tactus/io.h"
#include "tactus/optimize.h"
#include "tactus/tactus.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10 };

typedef struct Case {
    tacModel *model;
    tacPlan *plan;
    tacPlanOptions options;
} Case;

/* The box of models/ goes 1 m to the right in 1 s. */
static Case open_case(void) {
    Case c;
    tacError err;
    if (tac_load("models/box.xml", &c.model, &err) != TAC_OK) fail_msg("%s", err.text);
    tacOptions o = tac_default_options(c.model);
    o.contact = TAC_CONTACT_MODEL_NCP;
    o.dt = 0.1;
    CHECK_INT(tac_plan_new(c.model, &o, STEPS, &c.plan, &err), TAC_OK);
    const double goal[13] = {1, 0, 0.25, 1}, weight[3] = {1e-4, 1e-4, 1e-4};
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_STATE;
    term.target = goal;
    CHECK_INT(tac_plan_add(c.plan, &term, NULL, &err), TAC_OK);
    term.role = TAC_ROLE_EQUAL;
    term.first = TAC_PLAN_END;
    CHECK_INT(tac_plan_add(c.plan, &term, NULL, &err), TAC_OK);
    term = tac_default_plan_term();
    term.of.kind = TAC_OF_CTRL;
    term.weight = weight;
    CHECK_INT(tac_plan_add(c.plan, &term, NULL, &err), TAC_OK);
    c.options = tac_default_plan_options();
    return c;
}

static void close_case(Case *c) {
    tac_plan_free(c->plan);
    tac_model_free(c->model);
}

static tacPlanner *run(const Case *c, tacPlanResult *r) {
    tacPlanner *planner;
    tacError err;
    if (tac_planner_new(c->plan, &c->options, &planner, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_INT(tac_planner_run(planner, r, &err), TAC_OK);
    return planner;
}

static void box_reaches_its_goal(void **state) {
    (void)state;
    Case c = open_case();
    tacPlanResult r;
    tacPlanner *planner = run(&c, &r);
    CHECK_INT(r.end, TAC_PLAN_SOLVED);
    CHECK_LT(r.violation, 1e-3);
    CHECK_NEAR(r.X[STEPS * r.nx], 1, 1e-3);
    tacSim *sim; /* a simulation of its own gives the same states */
    tacOptions o = tac_default_options(c.model);
    o.contact = TAC_CONTACT_MODEL_NCP;
    o.dt = 0.1;
    double X[(STEPS + 1) * 13];
    CHECK_INT(tac_sim_new(c.model, &o, &sim, NULL), TAC_OK);
    CHECK_INT(tac_rollout(sim, r.X, r.U, STEPS, X, NULL), TAC_OK);
    CHECK(memcmp(X, r.X, sizeof X) == 0);
    tac_sim_free(sim);
    tac_planner_free(planner);
    close_case(&c);
}

/* One planner is run on two threads; another is saved after each iteration and
 * goes on in a third. */
static void bits_depend_on_nothing_else(void **state) {
    (void)state;
    Case c = open_case();
    tacPlanResult one, two, three;
    tacPlanner *a = run(&c, &one), *b, *other;
    c.options.threads = 2;
    b = run(&c, &two);
    size_t bytes = sizeof(double) * STEPS * 3;
    CHECK_INT(one.iterations, two.iterations);
    CHECK(memcmp(one.U, two.U, bytes) == 0);
    tac_planner_free(b);
    tacError err;
    CHECK_INT(tac_planner_new(c.plan, &c.options, &b, &err), TAC_OK);
    for (int i = 0; i < 3; i++)
        CHECK_INT(tac_planner_iterate(b), TAC_PLAN_RUNNING);
    size_t size = tac_planner_save_bytes(b);
    unsigned char *place = malloc(size);
    CHECK_INT(tac_planner_save(b, place, size, &err), TAC_OK);
    CHECK_INT(tac_planner_new(c.plan, &c.options, &other, &err), TAC_OK);
    place[size / 2] ^= 4;
    CHECK_INT(tac_planner_restore(other, place, size, &err), TAC_ERR_CHECKSUM);
    place[size / 2] ^= 4;
    CHECK_INT(tac_planner_restore(other, place, size - 1, &err), TAC_ERR_CHECKSUM);
    if (tac_planner_restore(other, place, size, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_INT(tac_planner_run(other, &three, &err), TAC_OK);
    CHECK_INT(three.iterations, one.iterations);
    CHECK(memcmp(one.U, three.U, bytes) == 0);
    free(place);
    tac_planner_free(a), tac_planner_free(b), tac_planner_free(other);
    close_case(&c);
}

static void bad_input_is_named(void **state) {
    (void)state;
    Case c = open_case();
    tacError err;
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_OUTPUT;
    term.of.output = (tacOutput){.kind = TAC_OUT_BODY_POS, .id = 7};
    CHECK_INT(tac_plan_add(c.plan, &term, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "no such quantity");
    term.of.output.id = 1;
    const double weight[3] = {1, -1, 1};
    term.weight = weight;
    CHECK_INT(tac_plan_add(c.plan, &term, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "weight 1 is -1");
    term.weight = NULL;
    term.last = 11;
    CHECK_INT(tac_plan_add(c.plan, &term, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "0 to 10");
    const double low[3] = {0, 1, 0}, high[3] = {0, 0, 0};
    CHECK_INT(tac_plan_bound(c.plan, TAC_BOUND_CTRL, low, high, &err), TAC_ERR_ARGUMENT);
    CHECK_HAS(err.text, "control 1 are 1 and 0");
    tacPlan *plan;
    tacOptions o = tac_default_options(c.model);
    CHECK_INT(tac_plan_new(c.model, &o, 1000000000, &plan, &err), TAC_ERR_ARGUMENT);
    tacPlanner *planner;
    CHECK_INT(tac_planner_new(c.plan, &c.options, &planner, &err), TAC_OK);
    tacPlanGuess guess = tac_default_plan_guess();
    double u[3] = {0, nan(""), 0};
    guess.ctrl = TAC_GUESS_CONSTANT;
    guess.u = u;
    CHECK_INT(tac_planner_guess(planner, &guess, &err), TAC_ERR_NONFINITE);
    CHECK_HAS(err.text, "number 1 of 3");
    tac_planner_free(planner);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_reaches_its_goal),
        cmocka_unit_test(bits_depend_on_nothing_else),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
