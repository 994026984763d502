/* A plan: forces that bring a box 1 m to the right in 1 s, through friction, and the gains about it. */
#include <tactus/io.h>
#include <tactus/optimize.h>

#include <stdio.h>

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    if (tac_load(argc > 1 ? argv[1] : "models/box.xml", &model, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NCP;
    options.dt = 0.1;
    const double goal[13] = {1, 0, 0.25, 1}, effort[3] = {1e-4, 1e-4, 1e-4};
    tacPlan *plan;
    tac_plan_new(model, &options, 10, &plan, &err); /* from the default state: at rest on the floor */
    tacPlanTerm term = tac_default_plan_term();
    term.of.kind = TAC_OF_STATE; /* a cost: the distance from the goal, at all knots */
    term.target = goal;
    tac_plan_add(plan, &term, NULL, &err);
    term.role = TAC_ROLE_EQUAL; /* a constraint: there, at rest, at the end */
    term.first = TAC_PLAN_END;
    tac_plan_add(plan, &term, NULL, &err);
    term = tac_default_plan_term();
    term.of.kind = TAC_OF_CTRL;
    term.weight = effort;
    tac_plan_add(plan, &term, NULL, &err);
    tacPlanOptions solver = tac_default_plan_options();
    tacPlanner *planner;
    tacPlanResult result;
    if (tac_planner_new(plan, &solver, &planner, &err) != TAC_OK || tac_planner_run(planner, &result, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("%s after %d iterations: cost %.1f, violation %.0e\n", tac_plan_end_text(result.end), result.iterations,
           result.cost, result.violation);
    for (int k = 0; k < result.steps; k++)
        printf("%.1f s: at x %.3f m, push %.2f N, %.2f N for each metre off the plan\n", 0.1 * k,
               result.X[k * result.nx], result.U[k * result.nu], result.K[k * result.nu * result.ndx]);
    tac_planner_free(planner);
    tac_plan_free(plan);
    tac_model_free(model);
    return 0;
}
