/* Seeded variations of a first guess, side by side: each planner has one thread
 * and memory of its own. */
#include "base/error.h"
#include "base/threads.h"
#include "optimize/planner.h"

#include <stdlib.h>

typedef struct Starts {
    const tacPlan *plan;
    tacPlanOptions options;
    const tacPlanGuess *guess;
    tacPlanner **planner;
    tacStatus *status;
    tacError *err;
} Starts;

static void run_start(void *context, int i, int worker) {
    Starts *s = context;
    tacPlanGuess guess = *s->guess;
    guess.start += i;
    (void)worker;
    s->status[i] = tac_planner_new(s->plan, &s->options, &s->planner[i], &s->err[i]);
    if (s->status[i] == TAC_OK) s->status[i] = tac_planner_guess(s->planner[i], &guess, &s->err[i]);
    if (s->status[i] != TAC_OK) return;
    tac_planner_run(s->planner[i], NULL, &s->err[i]); /* a start that fails is one of its outcomes */
}

/* 1: a is better than b. */
static int beats(const tacPlanResult *a, const tacPlanResult *b, double tolerance) {
    int am = a->violation <= tolerance, bm = b->violation <= tolerance;
    if (am != bm) return am;
    return am ? a->cost < b->cost : a->violation < b->violation;
}

/* Outcomes, and the number of the best; -1: none could run. */
static int choose(const Starts *s, int n, tacPlanStart *starts) {
    tacPlanResult best = {0};
    int chosen = -1;
    for (int i = 0; i < n; i++) {
        if (s->status[i] != TAC_OK) continue;
        tacPlanResult r;
        tac_planner_result(s->planner[i], &r);
        if (starts != NULL) starts[i] = (tacPlanStart){r.end, r.cost, r.violation, r.iterations};
        if (chosen >= 0 && !beats(&r, &best, s->options.constraint_tolerance)) continue;
        chosen = i;
        best = r;
    }
    return chosen;
}

static tacStatus run_starts(Starts *s, int n, int threads, tacPlanStart *starts, tacPlanner **best, tacError *err) {
    tacPool *pool;
    TAC_TRY(tac_pool_new(threads < n ? threads : n, &pool, err));
    tac_pool_run(pool, n, 1, run_start, s);
    tac_pool_free(pool);
    int chosen = choose(s, n, starts);
    if (chosen < 0) {
        if (err != NULL) *err = s->err[0];
        return s->status[0];
    }
    *best = s->planner[chosen];
    s->planner[chosen] = NULL;
    return TAC_OK;
}

tacStatus tac_plan_starts(const tacPlan *plan, const tacPlanOptions *options, const tacPlanGuess *guess, int n,
                          tacPlanStart *starts, tacPlanner **best, tacError *err) {
    if (plan == NULL || options == NULL || guess == NULL || best == NULL || n < 1 || n > 1000000)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_plan_starts: expected all arguments, and 1 start or more");
    Starts s = {.plan = plan, .options = *options, .guess = guess};
    s.options.threads = 1;
    s.planner = calloc((size_t)n, sizeof *s.planner);
    s.status = calloc((size_t)n, sizeof *s.status);
    s.err = calloc((size_t)n, sizeof *s.err);
    tacStatus status = s.planner && s.status && s.err ? run_starts(&s, n, options->threads, starts, best, err)
                                                      : tac_fail(err, TAC_ERR_MEMORY, "no memory for %d starts", n);
    for (int i = 0; s.planner != NULL && i < n; i++)
        tac_planner_free(s.planner[i]);
    free(s.planner);
    free(s.status);
    free(s.err);
    return status;
}
