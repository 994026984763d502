/* Attempts of a run, side by side: each has a planner of its own, and its place is kept after every iteration. */
#include "io/run/plan_run.h"

#include "base/error.h"
#include "base/threads.h"

#include <stdlib.h>
#include <string.h>

int tac_plan_run_beats(const tacPlanRun *run, const tacPlanOutcome *a, const tacPlanOutcome *b) {
    double tolerance = run->solver.constraint_tolerance;
    if (a->end == TAC_PLAN_FAILED || b->end == TAC_PLAN_FAILED) return b->end == TAC_PLAN_FAILED;
    int am = a->violation <= tolerance, bm = b->violation <= tolerance;
    if (am != bm) return am;
    return am ? a->cost < b->cost : a->violation < b->violation;
}

/* --- Keeping the place -------------------------------------------------------------------------------------------- */

/* The first reason ends the run. */
static void fail_run(tacPlanRun *run, tacStatus status, const tacError *why) {
    if (run->status != TAC_OK) return;
    run->status = status;
    run->err = *why;
}

static void forget(tacPlanAttempt *a) {
    free(a->bytes);
    a->bytes = NULL;
    a->size = 0;
    tac_trail_free(&a->trail);
}

/* Of the attempts that are done, only the best keeps its place. */
static void forget_beaten(tacPlanRun *run) {
    int best = -1;
    for (int i = 0; i < run->n; i++) {
        tacPlanAttempt *a = &run->attempt[i];
        if (a->stage != TAC_STAGE_DONE || a->bytes == NULL) continue;
        int beaten = best >= 0 && !tac_plan_run_beats(run, &a->outcome, &run->attempt[best].outcome);
        if (beaten) forget(a);
        if (!beaten && best >= 0) forget(&run->attempt[best]);
        if (!beaten) best = i;
    }
}

static tacStatus save_planner(tacPlanAttempt *a, const tacPlanner *planner, tacError *err) {
    size_t size = tac_planner_save_bytes(planner);
    unsigned char *bytes = realloc(a->bytes, size + 1);
    if (bytes == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for the place of a planner");
    a->bytes = bytes;
    a->size = size;
    return tac_planner_save(planner, bytes, size, err);
}

static tacStatus write_checkpoint(tacPlanRun *run, tacError *err) {
    size_t size;
    if (run->folder == NULL) return TAC_OK;
    unsigned char *bytes = tac_plan_run_pack(run, &size);
    if (bytes == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a checkpoint");
    tacStatus status = tac_run_checkpoint(run->folder, bytes, size, err);
    free(bytes);
    return status;
}

static void note_outcome(tacPlanAttempt *a, const tacPlanner *planner, tacPlanEnd end) {
    tacPlanResult r;
    if (tac_planner_result(planner, &r) != TAC_OK) return;
    a->outcome = (tacPlanOutcome){.end = end, .cost = r.cost, .violation = r.violation, .iterations = r.iterations};
}

/* The path of the iteration that has just been made. */
static tacStatus add_to_trail(tacPlanAttempt *a, const tacPlanner *planner, tacError *err) {
    tacPlanResult r;
    tacPlanPath path = tac_planner_path(planner);
    if (tac_planner_result(planner, &r) != TAC_OK || path.X == NULL || path.U == NULL) return TAC_OK;
    size_t states = ((size_t)r.steps + 1) * (size_t)r.nx, controls = (size_t)r.steps * (size_t)r.nu;
    int kept = tac_trail_add(&a->trail, r.iterations, path.X, states, path.U, controls);
    return kept ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for states of an iteration");
}

static void report(const tacPlanRun *run, int i, const tacPlanner *planner) {
    tacPlanResult r;
    if (run->options.report == NULL || tac_planner_result(planner, &r) != TAC_OK) return;
    tacPlanNews news = {.start = i,
                        .starts = run->n,
                        .coarse = run->attempt[i].stage == TAC_STAGE_COARSE,
                        .now = &r.history[r.iterations]};
    run->options.report(run->options.context, &news);
}

/* After an iteration: all attempts' places are on the disk before the next one begins. */
static void keep_place(tacPlanRun *run, int i, const tacPlanner *planner, tacPlanEnd end, int iterated) {
    tacError err = {0};
    tacPlanAttempt *a = &run->attempt[i];
    pthread_mutex_lock(&run->mutex);
    note_outcome(a, planner, end);
    tacStatus status = save_planner(a, planner, &err);
    if (status == TAC_OK && iterated && a->stage == TAC_STAGE_FINE) status = add_to_trail(a, planner, &err);
    if (end != TAC_PLAN_RUNNING && end != TAC_PLAN_STOPPED && a->stage == TAC_STAGE_FINE) a->stage = TAC_STAGE_DONE;
    forget_beaten(run);
    if (status == TAC_OK) status = write_checkpoint(run, &err);
    if (status != TAC_OK) fail_run(run, status, &err);
    if (iterated) report(run, i, planner);
    pthread_mutex_unlock(&run->mutex);
}

static int may_go_on(tacPlanRun *run) {
    pthread_mutex_lock(&run->mutex);
    int fine = run->status == TAC_OK;
    pthread_mutex_unlock(&run->mutex);
    return fine && (run->options.stop == NULL || *run->options.stop == 0);
}

/* Attempts are written to checkpoints by other threads. */
static void enter_stage(tacPlanRun *run, tacPlanAttempt *a, tacPlanStage stage) {
    pthread_mutex_lock(&run->mutex);
    a->stage = stage;
    pthread_mutex_unlock(&run->mutex);
}

/* --- One attempt -------------------------------------------------------------------------------------------------- */

static void iterate(tacPlanRun *run, int i, tacPlanner *planner) {
    tacPlanResult r = {0};
    tacPlanEnd end = TAC_PLAN_RUNNING;
    while (end == TAC_PLAN_RUNNING) {
        int before = tac_planner_result(planner, &r) == TAC_OK ? r.iterations : 0;
        end = tac_planner_iterate(planner);
        int iterated = tac_planner_result(planner, &r) == TAC_OK && r.iterations > before;
        keep_place(run, i, planner, end, iterated);
        if (end == TAC_PLAN_RUNNING && !may_go_on(run)) end = TAC_PLAN_STOPPED;
    }
    pthread_mutex_lock(&run->mutex);
    run->attempt[i].outcome.end = end;
    pthread_mutex_unlock(&run->mutex);
}

/* A planner at the place of the attempt, or at its guess. */
static tacStatus open_planner(const tacPlanRun *run, const tacPlanAttempt *a, const tacPlan *plan,
                              const tacPlanGuess *guess, tacPlanner **planner, tacError *err) {
    tacPlanOptions options = run->solver;
    if (run->n > 1) options.threads = 1;
    TAC_TRY(tac_planner_new(plan, &options, planner, err));
    if (a->bytes != NULL) return tac_planner_restore(*planner, a->bytes, a->size, err);
    return tac_planner_guess(*planner, guess, err);
}

/* What the coarse plan found is the guess of the fine one. */
static tacStatus refine(tacPlanRun *run, tacPlanAttempt *a, tacPlanner *coarse, tacPlanner **fine, tacError *err) {
    tacPlanResult r;
    tacPlanSizes sizes = tac_plan_sizes(run->plan);
    TAC_TRY(tac_planner_result(coarse, &r));
    double *u = calloc((size_t)sizes.steps * (size_t)sizes.nu + 1, sizeof *u);
    if (u == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a guess");
    tac_plan_resample(sizes.nu, r.steps, r.U, sizes.steps, u);
    tacPlanGuess guess = tac_default_plan_guess();
    guess.ctrl = TAC_GUESS_GIVEN;
    guess.u = u;
    guess.theta = sizes.nunknown > 0 ? r.theta : NULL;
    pthread_mutex_lock(&run->mutex);
    forget(a);
    a->stage = TAC_STAGE_FINE;
    pthread_mutex_unlock(&run->mutex);
    tacStatus status = open_planner(run, a, run->plan, &guess, fine, err);
    free(u);
    return status;
}

static tacStatus run_coarse(tacPlanRun *run, int i, const tacPlanGuess *guess, tacPlanner **fine, tacError *err) {
    tacPlanner *coarse = NULL;
    tacPlanAttempt *a = &run->attempt[i];
    enter_stage(run, a, TAC_STAGE_COARSE);
    tacStatus status = open_planner(run, a, run->coarse, guess, &coarse, err);
    if (status == TAC_OK) iterate(run, i, coarse);
    if (status == TAC_OK) status = refine(run, a, coarse, fine, err);
    tac_planner_free(coarse);
    return status;
}

static void run_attempt(void *context, int i, int worker) {
    tacPlanRun *run = context;
    tacPlanAttempt *a = &run->attempt[i];
    tacPlanner *planner = NULL;
    tacPlanGuess guess = run->guess;
    tacError err = {0};
    (void)worker;
    guess.start = i;
    if (a->stage == TAC_STAGE_DONE || (i > 0 && !may_go_on(run))) return;
    tacStatus status;
    if (run->coarse != NULL && a->stage != TAC_STAGE_FINE) {
        status = run_coarse(run, i, &guess, &planner, &err);
    } else {
        enter_stage(run, a, TAC_STAGE_FINE);
        status = open_planner(run, a, run->plan, &guess, &planner, &err);
    }
    if (status == TAC_OK) iterate(run, i, planner);
    tac_planner_free(planner);
    if (status == TAC_OK) return;
    pthread_mutex_lock(&run->mutex);
    fail_run(run, status, &err);
    pthread_mutex_unlock(&run->mutex);
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

static tacStatus open_best(tacPlanRun *run, tacError *err) {
    run->best = -1;
    for (int i = 0; i < run->n; i++) {
        const tacPlanAttempt *a = &run->attempt[i];
        if (a->bytes == NULL || a->stage < TAC_STAGE_FINE) continue;
        if (run->best < 0 || tac_plan_run_beats(run, &a->outcome, &run->attempt[run->best].outcome)) run->best = i;
    }
    if (run->best < 0) return tac_fail(err, TAC_ERR_STOPPED, "stopped before there was a plan");
    return open_planner(run, &run->attempt[run->best], run->plan, &run->guess, &run->planner, err);
}

tacStatus tac_plan_run_attempts(tacPlanRun *run, tacError *err) {
    tacPool *pool;
    int threads = run->n > 1 ? run->solver.threads : 1;
    TAC_TRY(tac_pool_new(threads < run->n ? threads : run->n, &pool, err));
    tac_pool_run(pool, run->n, 1, run_attempt, run);
    tac_pool_free(pool);
    if (run->status != TAC_OK) {
        if (err != NULL) *err = run->err;
        return run->status;
    }
    return open_best(run, err);
}
