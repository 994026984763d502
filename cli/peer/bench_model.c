/* The one part of the command line that looks behind the public headers: the pieces it times are not public alone. */
#include "cli/peer/bench_model.h"

#include "cli/cli.h"
#include "cli/derivatives/derivative.h"
#include "cli/derivatives/gradient_check.h"
#include "measure/agreement.h"
#include "measure/differences.h"
#include "measure/draw_contact.h"
#include "measure/draw_state.h"
#include "measure/memory.h"
#include "measure/mujoco_peer.h"
#include "measure/step_column.h"
#include "measure/timing.h"

#include "dynamics/forward.h"
#include "dynamics/inverse.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_TOL 1e-7
/* Step of the central differences that are timed; their error does not depend on the time they take. */
#define TIMED_STEP 1e-6
enum { SEED = 1, BATCHES = 41, MOST_PIECES = 11 };
/* In contact, states of a motion: each engine's own, from one start under the same controls. */
enum { MOTION_STATES = 64, MOTION_SKIPPED = 500 };

/* One model at its states, and room for everything that is timed. */
typedef struct Scene {
    tacModel *m;
    const tacOptions *options;
    tacSim *sim;
    tacWork w;
    void *memory;
    tacDerivative d;
    tacStepColumn column;
    tacMujoco *peer;
    int nstate, at; /* states, and the next one's number */
    int skipped;    /* steps of the motion before them */
    double *states, *x, *u, *ybar, *gx, *gu, *difference, *difference_work;
    double *a, *tau, *dtau_dq, *dtau_dv, *forward;
} Scene;

/* --- The pieces -------------------------------------------------------------------------------------------------- */

static void next_state(Scene *s) {
    if (s->nstate == 1) return;
    memcpy(s->x, s->states + (size_t)s->at * (size_t)tac_nx(s->m), (size_t)tac_nx(s->m) * sizeof *s->x);
    s->at = (s->at + 1) % s->nstate;
}

static void run_step(void *context) {
    Scene *s = context;
    next_state(s);
    tac_step(s->sim, s->x, s->u, s->d.y, NULL);
}

static void run_jac(void *context) {
    Scene *s = context;
    next_state(s);
    tac_step_jac(s->sim, s->x, s->u, s->d.y, &(tacJac){s->d.A, s->d.B, NULL}, NULL);
}

static void run_vjp(void *context) {
    Scene *s = context;
    next_state(s);
    tac_step_vjp(s->sim, s->x, s->u, s->ybar, &(tacGrad){s->gx, s->gu, NULL}, NULL);
}

static void run_differences(void *context) {
    Scene *s = context;
    next_state(s);
    measure_step_column_at(&s->column, s->x, s->u);
    for (s->column.column = 0; s->column.column < s->column.ndx + s->column.nu; s->column.column++)
        difference_central(measure_step_column_difference, &s->column, s->column.ndx, TIMED_STEP, s->difference,
                           s->difference_work);
}

static void run_rnea(void *context) {
    Scene *s = context;
    const double *v = s->x + s->m->nq;
    tac_kinematics_q(s->m, &s->w, s->x, NULL);
    tac_kinematics_v(s->m, &s->w, v);
    tac_rnea(s->m, &s->w, v, s->a, s->tau);
}

static void run_aba(void *context) {
    Scene *s = context;
    const double *v = s->x + s->m->nq;
    tac_kinematics_q(s->m, &s->w, s->x, NULL);
    tac_kinematics_v(s->m, &s->w, v);
    tac_aba(s->m, &s->w, v, s->tau, s->a);
}

static void run_crba(void *context) {
    Scene *s = context;
    tac_kinematics_q(s->m, &s->w, s->x, NULL);
    tac_crba(s->m, &s->w);
    tac_factor(s->m, &s->w, NULL);
}

static void run_did(void *context) {
    Scene *s = context;
    tac_kinematics_q(s->m, &s->w, s->x, NULL);
    tac_rnea_jac(s->m, &s->w, s->x + s->m->nq, s->a, s->m->nv, s->dtau_dq, s->dtau_dv);
    tac_crba(s->m, &s->w); /* dtau_da */
}

static void run_dfd(void *context) {
    Scene *s = context;
    const double *v = s->x + s->m->nq;
    tac_kinematics_q(s->m, &s->w, s->x, NULL);
    tac_kinematics_v(s->m, &s->w, v);
    tac_forward_jac(s->m, &s->w, v, s->tau, s->a, s->forward);
}

static void time_pieces(Scene *s, double seconds, tacBenchRow *row) {
    const struct {
        benchWork work;
        double *us;
    } pieces[MOST_PIECES] = {{run_step, &row->us_step},
                             {run_jac, &row->us_jac},
                             {run_vjp, &row->us_vjp},
                             {run_differences, &row->us_fd},
                             {run_rnea, &row->us_rnea},
                             {run_aba, &row->us_aba},
                             {run_crba, &row->us_crba},
                             {run_did, &row->us_did},
                             {run_dfd, &row->us_dfd},
                             {measure_mujoco_step, &row->us_peer},
                             {measure_mujoco_differences, &row->us_peer_fd}};
    int n = s->peer != NULL ? MOST_PIECES : MOST_PIECES - 2;
    benchWork work[MOST_PIECES];
    void *context[MOST_PIECES];
    benchTime time[MOST_PIECES];
    for (int i = 0; i < n; i++) {
        work[i] = pieces[i].work;
        context[i] = i < MOST_PIECES - 2 ? (void *)s : (void *)s->peer;
    }
    bench_interleaved(n, work, context, BATCHES, seconds / (BATCHES * n), time);
    for (int i = 0; i < n; i++)
        *pieces[i].us = 1e6 * time[i].median;
}

static int has_state(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}

static void count_step(const tacStepInfo *info, int of, tacBenchRow *row) {
    tacStepInfo *sum = &row->timed;
    row->contacts += (double)info->contacts / of;
    row->iterations += (double)info->iterations / of;
    row->iterations_most = info->iterations > row->iterations_most ? info->iterations : row->iterations_most;
    if (info->status != TAC_OK && sum->unsolved++ == 0) {
        sum->first_unsolved = sum->steps;
        sum->status = info->status;
    }
    sum->worst_residual = fmax(sum->worst_residual, info->residual);
    sum->steps++;
}

/* States that timed steps start from: in contact, along a motion from the first state. */
static void find_states(Scene *s, tacBenchRow *row) {
    size_t nx = (size_t)tac_nx(s->m);
    tacStepInfo info = {0};
    int first = s->nstate > 1 ? -s->skipped : 0;
    for (int k = first; k < s->nstate; k++) {
        if (k >= 0) memcpy(s->states + (size_t)k * nx, s->x, nx * sizeof *s->x);
        tacStatus status = tac_step(s->sim, s->x, s->u, s->d.y, &info);
        if (k >= 0) count_step(&info, s->nstate, row);
        if (s->nstate > 1 && has_state(status)) memcpy(s->x, s->d.y, nx * sizeof *s->x);
    }
}

/* --- How right it is --------------------------------------------------------------------------------------------- */

/* A finite number for a result that may not be finite. */
static double error_between(int n, const double *a, const double *b) {
    return fmin(relative_error(n, a, b), DIFFERENCE_NONE);
}

/* Passive and actuator forces, and where the acceleration has them those of constraints, against the inverse dynamics
 * of the acceleration that they give. */
static double residual_of(Scene *s) {
    const tacModel *m = s->m;
    const double *q = s->x, *v = s->x + m->nq;
    double *more = s->difference, *tau = s->tau, *qacc = s->a, *back = s->gx;
    tacActuation actuation = {.qfrc = tau};
    const tacOutput constraint = {TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL};
    if (tac_acceleration(s->sim, s->x, s->u, qacc) != TAC_OK ||
        tac_actuation(s->sim, s->x, s->u, &actuation) != TAC_OK || tac_passive(s->sim, q, v, more) != TAC_OK)
        return DIFFERENCE_NONE;
    for (int i = 0; i < m->nv; i++)
        tau[i] += more[i];
    int constrained = s->options->contact == TAC_CONTACT_MODEL_SOFT;
    if (constrained && tac_outputs(s->sim, s->x, s->u, &(tacOutputs){1, &constraint}, more) != TAC_OK)
        return DIFFERENCE_NONE;
    for (int i = 0; i < m->nv && constrained; i++)
        tau[i] += more[i];
    if (tac_inverse_dynamics(s->sim, q, v, qacc, back) != TAC_OK) return DIFFERENCE_NONE;
    return error_between(m->nv, back, tau);
}

static int measure_error(const char *verb, const Scene *s, tacBenchRow *row) {
    tacParamList none = {0};
    tacGradientCheck check = {
        .model = s->m, .options = *s->options, .params = &none, .samples = 1, .seed = SEED, .tol = CHECK_TOL};
    int result = cli_gradient_check(verb, &check);
    row->derivative_error = check.broken > 0 ? DIFFERENCE_NONE : check.worst.error;
    cli_gradient_check_free(&check);
    return result;
}

static void compare_with_peer(Scene *s, tacBenchRow *row) {
    if (s->peer == NULL) return;
    snprintf(row->peer, sizeof row->peer, "mujoco");
    snprintf(row->peer_version, sizeof row->peer_version, "%s", measure_mujoco_version(s->peer));
    if (s->options->contact != TAC_CONTACT_MODEL_NONE) {
        measure_mujoco_move(s->peer, s->x, s->u, s->skipped, MOTION_STATES);
        row->contacts_peer = measure_mujoco_contacts(s->peer);
        return;
    }
    measure_mujoco_set(s->peer, s->x, s->u);
    measure_mujoco_step(s->peer);
    double *theirs = s->column.moved;
    measure_mujoco_result(s->peer, theirs, theirs + s->m->nq);
    run_step(s);
    row->peer_error = error_between(s->m->nq + s->m->nv, theirs, s->d.y);
}

/* --- Room -------------------------------------------------------------------------------------------------------- */

/* Zeros, aligned as a simulation's own arrays are. */
static double *new_numbers(int n) {
    size_t bytes = tac_arena_round(((size_t)n + 1) * sizeof(double));
    double *numbers = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    if (numbers != NULL) memset(numbers, 0, bytes);
    return numbers;
}

static int scene_arrays(Scene *s) {
    int nv = s->m->nv, ndx = tac_ndx(s->m), nu = tac_ninput(s->m, s->options);
    if (!cli_derivative_new(s->m, s->options, &s->d) || !measure_step_column_new(s->m, s->options, s->sim, &s->column))
        return 0;
    s->states = new_numbers(s->nstate * tac_nx(s->m));
    s->x = new_numbers(tac_nx(s->m));
    s->u = new_numbers(nu);
    s->ybar = new_numbers(ndx);
    s->gx = new_numbers(ndx);
    s->gu = new_numbers(nu);
    s->difference = new_numbers(ndx);
    s->difference_work = new_numbers(2 * ndx);
    s->a = new_numbers(nv);
    s->tau = new_numbers(nv);
    s->dtau_dq = new_numbers(nv * nv);
    s->dtau_dv = new_numbers(nv * nv);
    s->forward = new_numbers(3 * nv * nv);
    size_t bytes = tac_arena_round(tac_work_bytes(s->m));
    s->memory = aligned_alloc(TAC_ARENA_ALIGN, bytes);
    if (s->memory == NULL) return 0;
    tacArena arena;
    tac_arena_init(&arena, s->memory, bytes);
    const double *all[] = {s->states,          s->x, s->u,   s->ybar,    s->gx,      s->gu,     s->difference,
                           s->difference_work, s->a, s->tau, s->dtau_dq, s->dtau_dv, s->forward};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == NULL) return 0;
    return tac_work_layout(&s->w, s->m, &arena);
}

static void scene_free(Scene *s) {
    double *all[] = {s->states,          s->x, s->u,   s->ybar,    s->gx,      s->gu,     s->difference,
                     s->difference_work, s->a, s->tau, s->dtau_dq, s->dtau_dv, s->forward};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(s->memory);
    measure_step_column_free(&s->column);
    cli_derivative_free(&s->d);
    measure_mujoco_close(s->peer);
    tac_sim_free(s->sim);
}

/* Chooses the start of the motion, or the one state. */
static void choose_start(Scene *s, const tacStart *start) {
    if (start != NULL) {
        memcpy(s->x, start->x, (size_t)tac_nx(s->m) * sizeof *s->x);
        memcpy(s->u, start->u, (size_t)tac_ninput(s->m, s->options) * sizeof *s->u);
    } else if (s->nstate == 1) {
        measure_draw_state(s->m, s->options, SEED, 0, s->x, s->u);
    } else {
        if (!measure_draw_contact_state(s->sim, s->m, s->options, SEED, 0, s->x, s->u)) measure_memory_ran_out();
    }
}

int cli_bench_model(const char *verb, const char *path, tacModel *model, const tacOptions *options,
                    const tacStart *start, double seconds, tacBenchRow *row) {
    tacError err;
    Scene s = {.m = model,
               .options = options,
               .nstate = options->contact == TAC_CONTACT_MODEL_NONE ? 1 : MOTION_STATES,
               .skipped = start == NULL ? MOTION_SKIPPED : 0};
    *row = (tacBenchRow){.nv = model->nv, .us_peer = -1, .us_peer_fd = -1, .timed = {.first_unsolved = -1}};
    if (tac_sim_new(model, options, &s.sim, &err) != TAC_OK) return cli_fail(verb, "%s: %s", path, err.text);
    int result = CLI_GO_ON;
    if (!scene_arrays(&s)) {
        result = cli_fail(verb, "out of memory");
    } else {
        choose_start(&s, start);
        for (int i = 0; i < s.d.size.ndx; i++)
            s.ybar[i] = tac_random_normal(SEED, 1, (uint64_t)i);
        s.peer = measure_mujoco_open(path, model, options->dt, s.nstate > 1, row->no_peer, sizeof row->no_peer);
        row->residual = residual_of(&s);
        compare_with_peer(&s, row);
        find_states(&s, row);
        result = measure_error(verb, &s, row);
    }
    if (result == CLI_GO_ON) time_pieces(&s, seconds, row);
    scene_free(&s);
    return result;
}
