/* Planning in C: the controls that push a box by 0.5 m, and the gains that hold the motion.   ./push push.xml */
#include <tactus/io.h>
#include <tactus/optimize.h>

#include <stdio.h>

enum { STEPS = 30 };

int main(int argc, char **argv) {
    static const double weight = 1e-4, goal[3] = {0.5, 0, 0.1}, push = 5;
    tacError err;
    tacModel *model;
    tacPlan *plan;
    tacPlanner *planner;
    if (argc < 2 || tac_load(argv[1], &model, &err) != TAC_OK) return 1;
    tacOptions step = tac_default_options(model);
    step.contact = TAC_CONTACT_MODEL_NCP;
    step.dt = 0.05;
    if (tac_plan_new(model, &step, STEPS, &plan, &err) != TAC_OK) return 1;

    tacPlanTerm hand = tac_default_plan_term(), effort = tac_default_plan_term(), place = tac_default_plan_term();
    hand.of = (tacQuantity){.kind = TAC_OF_STATE, .first = 0, .count = 1}; /* the first joint: the rail */
    effort.of.kind = TAC_OF_CTRL;
    effort.weight = &weight;
    place.of.kind = TAC_OF_OUTPUT;
    place.of.output = (tacOutput){TAC_OUT_BODY_POS, tac_model_find(model, TAC_KIND_BODY, "box")};
    place.role = TAC_ROLE_EQUAL;
    place.target = goal;
    place.first = TAC_PLAN_END;
    tac_plan_add(plan, &hand, NULL, &err);
    tac_plan_add(plan, &effort, NULL, &err);
    if (tac_plan_add(plan, &place, NULL, &err) != TAC_OK) return 1;

    tacPlanOptions options = tac_default_plan_options();
    tacPlanGuess guess = tac_default_plan_guess();
    tacPlanResult r;
    options.cost_tolerance = 1e-5;
    options.constraint_tolerance = 1e-4;
    guess.ctrl = TAC_GUESS_CONSTANT;
    guess.u = &push;
    if (tac_planner_new(plan, &options, &planner, &err) != TAC_OK ||
        tac_planner_guess(planner, &guess, &err) != TAC_OK || tac_planner_run(planner, &r, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("%s: cost %.3f\n", tac_plan_end_text(r.end), r.cost);
    printf("control of step 0: %.3f N; its gain on the hand: %.3f N/m\n", r.U[0], r.K[0]);
    tac_planner_free(planner);
    tac_plan_free(plan);
    tac_model_free(model);
    return r.end == TAC_PLAN_SOLVED ? 0 : 1;
}
