/* Dojo, Table III, and further planning: a box to the right and up, a hopper, a quadruped's gait, a swing-up; a block in
 * the least time; and how many of twenty seeded guesses end where the best does. */
#include "experiments/plan_problem.h"

#include <math.h>

/* One row: where it starts, what it has to reach, and what the paper says (0: nothing). */
typedef struct Row {
    int (*open)(tacFindings *found, tacPlanned *p);
    double cost, violation; /* bars */
    int iterations;
    double paper_cost, paper_violation;
    int paper_iterations;
    double sharp_above; /* of the cost with the hard derivative; 0: no bar */
    int sharp;          /* 1: the hard derivative is run beside */
} Row;

static int put_result(tacFindings *found, const tacPlanResult *r) {
    experiment_put(found, found->tactus, "cost", r->cost);
    experiment_put(found, found->tactus, "violation", r->violation);
    experiment_put(found, found->tactus, "iterations", r->iterations);
    experiment_put(found, found->tactus, "seconds", r->seconds);
    experiment_say(
        found, "%s after %d iterations: cost %.4g, violation %.2g, %.2f s; a step took %.2g s, derivatives %.2g",
        tac_plan_end_text(r->end), r->iterations, r->cost, r->violation, r->seconds, r->step_seconds, r->jac_seconds);
    return r->unsolved == 0;
}

static int run_sharp(tacFindings *found, const Row *row, tacPlanned *p) {
    tacPlanner *planner;
    tacPlanResult r;
    p->options.smoothing.kind = TAC_SMOOTHING_EXACT;
    int result = planned_run(found, p, &planner, &r);
    if (result != EXPERIMENT_GO_ON) return result;
    experiment_say(found, "with the hard derivative: %s after %d iterations, cost %.4g, violation %.2g",
                   tac_plan_end_text(r.end), r.iterations, r.cost, r.violation);
    experiment_put(found, found->tactus, "hard_derivative_cost", r.cost);
    experiment_put(found, found->tactus, "hard_derivative_violation", r.violation);
    found->pass = found->pass && (row->sharp_above == 0 || r.cost > row->sharp_above);
    tac_planner_free(planner);
    return result;
}

static int run_row(tacFindings *found, const Row *row) {
    tacPlanned p;
    tacPlanner *planner;
    tacPlanResult r;
    int result = row->open(found, &p);
    if (result != EXPERIMENT_GO_ON) return result;
    if (row->paper_cost > 0) {
        experiment_put(found, found->paper, "cost", row->paper_cost);
        experiment_put(found, found->paper, "violation", row->paper_violation);
        experiment_put(found, found->paper, "iterations", row->paper_iterations);
    }
    result = planned_run(found, &p, &planner, &r);
    if (result == EXPERIMENT_GO_ON) {
        int solved = put_result(found, &r);
        found->pass = solved && r.violation <= row->violation && r.iterations <= row->iterations &&
                      (row->cost == 0 || r.cost <= row->cost);
        tac_planner_free(planner);
    }
    if (result == EXPERIMENT_GO_ON && row->sharp) result = run_sharp(found, row, &p);
    planned_close(&p);
    return result;
}

int dojo_plan_box_right(tacFindings *found) {
    return run_row(found, &(Row){planned_box_right, 14.6, 3e-4, 30, 14.5, 3e-3, 30, 0, 0});
}
int dojo_plan_box_up(tacFindings *found) {
    return run_row(found, &(Row){planned_box_up, 14.7, 3e-4, 40, 14.5, 3e-3, 106, 20, 1});
}
int dojo_plan_hopper(tacFindings *found) {
    return run_row(found, &(Row){planned_hopper, 7.9, 1e-3, 80, 8.9, 1e-3, 96, 0, 0});
}
int dojo_plan_quadruped(tacFindings *found) {
    return run_row(found, &(Row){planned_quadruped, 2e-2, 3e-4, 30, 2e-2, 3e-4, 20, 0, 1});
}
int dojo_plan_cartpole(tacFindings *found) {
    return run_row(found, &(Row){planned_cartpole, 0, 1e-3, 100, 0, 0, 0, 0, 0});
}

/* --- Least time --------------------------------------------------------------------------------------------------- */

#define TIME_BAR 0.01

int plan_minimum_time(tacFindings *found) {
    const double friction[2] = {0, 0.3};
    int result = EXPERIMENT_GO_ON;
    found->pass = 1;
    for (int i = 0; i < 2 && result == EXPERIMENT_GO_ON; i++) {
        tacPlanned p;
        tacPlanner *planner;
        tacPlanResult r;
        result = planned_block(found, &p, friction[i]);
        if (result != EXPERIMENT_GO_ON) return result;
        result = planned_run(found, &p, &planner, &r);
        if (result == EXPERIMENT_GO_ON) {
            double slow = 10 - friction[i] * 9.81, fast = 10 + friction[i] * 9.81; /* speeding up, and braking */
            double best = sqrt(2 * (slow + fast) / (slow * fast)), time = r.steps * r.theta[0];
            found->pass = found->pass && r.end == TAC_PLAN_SOLVED && fabs(time / best - 1) <= TIME_BAR;
            experiment_put(found, found->tactus, i == 0 ? "time" : "time_with_friction", time);
            experiment_put(found, found->tactus, i == 0 ? "closed_form" : "closed_form_with_friction", best);
            experiment_say(found, "friction %.1f: %.4f s after %d iterations, closed form %.4f s", friction[i], time,
                           r.iterations, best);
            tac_planner_free(planner);
        }
        planned_close(&p);
    }
    return result;
}

/* --- Seeded guesses ----------------------------------------------------------------------------------------------- */

enum { STARTS = 20, ENOUGH = 19 };
#define NEAR_BEST 1.05

static int count_good(const tacPlanned *p, const tacPlanStart *s) {
    double best = HUGE_VAL, tolerance = p->options.constraint_tolerance;
    int good = 0;
    for (int i = 0; i < STARTS; i++)
        if (s[i].violation <= tolerance && s[i].cost < best) best = s[i].cost;
    for (int i = 0; i < STARTS; i++)
        good += s[i].violation <= tolerance && s[i].cost <= NEAR_BEST * best;
    return good;
}

int plan_robust(tacFindings *found) {
    static const struct {
        const char *name;
        int (*open)(tacFindings *found, tacPlanned *p);
    } of[] = {{"box_right", planned_box_right}, {"box_up", planned_box_up}, {"hopper", planned_hopper}};
    found->pass = 1;
    for (int i = 0; i < 3; i++) {
        tacPlanned p;
        tacError err;
        tacPlanner *best = NULL;
        tacPlanStart starts[STARTS];
        int result = of[i].open(found, &p);
        if (result != EXPERIMENT_GO_ON) return result;
        p.guess.noise = p.noise;
        p.guess.seed = 1;
        p.guess.start = 1; /* start 0 has no noise */
        tacStatus status = tac_plan_starts(p.plan, &p.options, &p.guess, STARTS, starts, &best, &err);
        int good = status == TAC_OK ? count_good(&p, starts) : 0;
        tac_planner_free(best);
        planned_close(&p);
        if (status != TAC_OK) return experiment_fail(found, "%s", err.text);
        found->pass = found->pass && good >= ENOUGH;
        experiment_put(found, found->tactus, of[i].name, good);
        experiment_say(found, "%s: %d of %d guesses end within 5 %% of the best cost", of[i].name, good, STARTS);
    }
    return EXPERIMENT_GO_ON;
}
