/* The reverse mode of a rollout. States are needed from the last to the first; as many as there is memory for are kept
 * on a stack, and the others are stepped again from the one below (checkpoint.h). Every state is the result of the same
 * steps whatever is kept, so the memory changes no bit of the gradient. */
#include "base/threads.h"
#include "solve/checkpoint.h"
#include "step/call.h"

#include <stdint.h>
#include <string.h>

static const char CALL[] = "tac_rollout_vjp";

typedef struct Replay {
    tacSim *sim;
    const tacTrajectory *path;
    const tacGrad *grad;
    size_t nx, ndx, ninput, np;
    double *kept;          /* slots by nx: states on the stack */
    int *at;               /* slots: their numbers, rising */
    int slots, used;       /* of the stack */
    double *state;         /* nx: where none is kept */
    double *lambda, *next; /* ndx: gradients with respect to the present state and the one before */
    double *theta, *sum;   /* np: of one step, of all so far */
    tacArena arena;        /* the caller's memory, which has all of these */
    tacStatus all;         /* of the steps, where they went on */
    tacStepInfo counts;    /* how many of them were not solved; start and violation of x0 */
} Replay;

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* States worth keeping: 1 to n - 2. State n - 1 is used where it is made, state n is not needed. */
static int count_slots(int n, int checkpoints) {
    int most = n > 2 ? n - 2 : 0;
    return checkpoints < most ? checkpoints : most;
}

static int layout(const tacModel *m, int slots, tacArena *arena, Replay *r) {
    r->slots = slots;
    r->kept = TAC_TAKE(arena, (size_t)slots * (size_t)tac_nx(m), double);
    r->at = TAC_TAKE(arena, slots, int);
    r->state = TAC_TAKE(arena, tac_nx(m), double);
    r->lambda = TAC_TAKE(arena, tac_ndx(m), double);
    r->next = TAC_TAKE(arena, tac_ndx(m), double);
    r->theta = TAC_TAKE(arena, m->nparam, double);
    r->sum = TAC_TAKE(arena, m->nparam, double);
    return r->sum != NULL; /* the last is NULL when any before it is */
}

size_t tac_rollout_vjp_bytes(const tacModel *model, int n, int checkpoints) {
    if (model == NULL || n < 0 || checkpoints < 0) return 0;
    Replay r;
    tacArena dry = tac_arena_dry();
    layout(model, count_slots(n, checkpoints), &dry, &r);
    return dry.peak;
}

/* States to keep; those that are given need not be kept. */
static int count_kept(const Replay *r, const tacCheckpoints *memory) { return r->path->X != NULL ? 0 : memory->count; }

static tacStatus check_memory(const Replay *r, const tacCheckpoints *memory) {
    int n = r->path->n, count = count_kept(r, memory);
    size_t need = tac_rollout_vjp_bytes(r->sim->ctx.model, n, count);
    if (memory->count < 0)
        return tac_sim_fail(r->sim, TAC_ERR_ARGUMENT, CALL, "memory->count is %d, expected at least 0", memory->count);
    if (memory->memory == NULL) return tac_sim_null(r->sim, CALL, "memory->memory");
    if ((uintptr_t)memory->memory % TAC_ARENA_ALIGN != 0)
        return tac_sim_fail(r->sim, TAC_ERR_ARGUMENT, CALL, "memory->memory is not aligned to %d bytes",
                            TAC_ARENA_ALIGN);
    if (memory->bytes < need)
        return tac_sim_fail(r->sim, TAC_ERR_ARENA_FULL, CALL,
                            "memory->bytes is %zu, expected at least %zu for %d steps and %d states kept",
                            memory->bytes, need, n, count);
    return TAC_OK;
}

/* --- States ------------------------------------------------------------------------------------------------------- */

static const double *input_of(const Replay *r, int k) {
    return r->path->U == NULL ? NULL : r->path->U + (size_t)k * r->ninput;
}

static int top_number(const Replay *r) { return r->used > 0 ? r->at[r->used - 1] : 0; }
static const double *top_state(const Replay *r) {
    return r->used > 0 ? r->kept + (size_t)(r->used - 1) * r->nx : r->path->x0;
}

/* State number `to` from the top of the stack. */
static tacStatus step_to(Replay *r, int to, double *state) {
    tacStatus status = TAC_OK;
    memcpy(state, top_state(r), r->nx * sizeof *state);
    for (int k = top_number(r); k < to && tac_went_on(status); k++) {
        if (tac_flag_read(r->sim->ctx.options.stop) != 0) return TAC_ERR_STOPPED;
        status = r->sim->ctx.stepper->step(&r->sim->ctx, state, input_of(r, k), state);
    }
    return tac_went_on(status) ? TAC_OK : status;
}

/* State number k, which is at or above the top of the stack; states are kept on the way. */
static tacStatus find_state(Replay *r, int k, const double **state) {
    if (r->path->X != NULL) {
        *state = r->path->X + (size_t)k * r->nx;
        return TAC_OK;
    }
    while (top_number(r) < k && r->used < r->slots) {
        int below = top_number(r), next = below + tac_checkpoint_split(k + 1 - below, r->slots - r->used);
        TAC_TRY(step_to(r, next, r->kept + (size_t)r->used * r->nx));
        r->at[r->used++] = next;
    }
    *state = top_state(r);
    if (top_number(r) == k) return TAC_OK;
    *state = r->state;
    return step_to(r, k, r->state);
}

/* --- Gradients ---------------------------------------------------------------------------------------------------- */

/* lambda += gradient of the loss with respect to state k itself. */
static void add_loss(Replay *r, int k) {
    const double *row = r->path->Xbar == NULL ? NULL : r->path->Xbar + (size_t)k * r->ndx;
    const double *last = k == r->path->n ? r->path->xbar : NULL;
    for (size_t i = 0; i < r->ndx; i++)
        r->lambda[i] += (row != NULL ? row[i] : 0) + (last != NULL ? last[i] : 0);
}

/* Step k:  lambda <- A^T lambda + dloss/dX[k],  dloss/dU[k] = B^T lambda,  dloss/dtheta += P^T lambda   (ST7). */
static tacStatus pull_step(Replay *r, int k) {
    const double *state;
    if (tac_flag_read(r->sim->ctx.options.stop) != 0) return TAC_ERR_STOPPED;
    TAC_TRY(find_state(r, k, &state));
    double *ubar = r->grad->u == NULL ? NULL : r->grad->u + (size_t)k * r->ninput;
    tacGrad one = {r->next, ubar, r->grad->theta == NULL ? NULL : r->theta};
    tacStatus status = r->sim->ctx.stepper->vjp(&r->sim->ctx, state, input_of(r, k), r->lambda, &one);
    if (!tac_went_on(status)) return status;
    r->all = tac_first_of(r->all, status);
    tac_count_step(&r->counts, k, status, r->sim->ctx.info.residual);
    if (k == 0) {
        r->counts.start = r->sim->ctx.info.start;
        r->counts.violation = r->sim->ctx.info.violation;
    }
    for (size_t i = 0; one.theta != NULL && i < r->np; i++)
        r->sum[i] += r->theta[i];
    double *swap = r->lambda;
    r->lambda = r->next;
    r->next = swap;
    add_loss(r, k);
    if (r->used > 0 && top_number(r) == k) r->used--;
    return tac_first_nonfinite((int)r->ndx, r->lambda) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

static tacStatus pull_path(Replay *r) {
    memset(r->lambda, 0, r->ndx * sizeof(double));
    memset(r->sum, 0, r->np * sizeof(double));
    add_loss(r, r->path->n);
    for (int k = r->path->n - 1; k >= 0; k--)
        TAC_TRY(pull_step(r, k));
    if (r->grad->x != NULL) memcpy(r->grad->x, r->lambda, r->ndx * sizeof(double));
    if (r->grad->theta != NULL) memcpy(r->grad->theta, r->sum, r->np * sizeof(double));
    return r->all;
}

/* --- The public function ------------------------------------------------------------------------------------------ */

static tacStatus fail_row(tacSim *sim, const char *array, int k, int i, double value) {
    return tac_sim_fail(sim, TAC_ERR_NONFINITE, CALL, "row %d of path->%s: entry %d is %g, expected a finite number", k,
                        array, i, value);
}

/* Everything given is finite. */
static tacStatus check_path(tacSim *sim, const tacTrajectory *path, int *bad) {
    size_t nx = (size_t)tac_nx(sim->ctx.model), ninput = (size_t)tac_ninput(sim->ctx.model, &sim->ctx.options);
    int ndx = tac_ndx(sim->ctx.model);
    *bad = -1;
    if (path->n < 0)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, CALL, "path->n is %d, expected a number of steps", path->n);
    if (path->x0 == NULL) return tac_sim_null(sim, CALL, "path->x0");
    if (path->U == NULL && ninput > 0 && path->n > 0) return tac_sim_null(sim, CALL, "path->U");
    for (int k = 0; k <= path->n; k++) {
        const double *x = path->X != NULL ? path->X + (size_t)k * nx : path->x0;
        const double *u = path->U != NULL && k < path->n ? path->U + (size_t)k * ninput : NULL;
        int in_x = k == 0 || path->X != NULL ? tac_first_nonfinite((int)nx, x) : -1;
        int in_u = u != NULL ? tac_first_nonfinite((int)ninput, u) : -1;
        const double *xbar = path->Xbar != NULL ? path->Xbar + (size_t)k * (size_t)ndx : NULL;
        int in_bar = xbar != NULL ? tac_first_nonfinite(ndx, xbar) : -1;
        if (in_x >= 0) {
            *bad = in_x;
            return fail_row(sim, path->X != NULL ? "X" : "x0", k, in_x, x[in_x]);
        }
        if (in_u >= 0) {
            *bad = (int)nx + in_u;
            return fail_row(sim, "U", k, in_u, u[in_u]);
        }
        if (in_bar >= 0) return fail_row(sim, "Xbar", k, in_bar, xbar[in_bar]);
    }
    return path->xbar == NULL ? TAC_OK : tac_check_array(sim, CALL, "path->xbar", ndx, path->xbar);
}

/* Pulls the path back, in memory that the caller lends. */
static tacStatus pull_path_in(Replay *r, const tacCheckpoints *memory) {
    TAC_TRY(check_memory(r, memory));
    TAC_BORROW(&r->arena, memory->memory, memory->bytes);
    int slots = count_slots(r->path->n, count_kept(r, memory));
    if (!layout(r->sim->ctx.model, slots, &r->arena, r)) return tac_end_call(r->sim, CALL, TAC_ERR_ARENA_FULL);
    return tac_end_call(r->sim, CALL, pull_path(r));
}

tacStatus tac_rollout_vjp(tacSim *sim, const tacTrajectory *path, const tacCheckpoints *memory, const tacGrad *grad,
                          tacStepInfo *info) {
    int bad = -1;
    Replay r = {.sim = sim, .path = path, .grad = grad, .all = TAC_OK, .counts = {.first_unsolved = -1}};
    tacStatus status = TAC_OK;
    if (path == NULL || memory == NULL || grad == NULL)
        status = tac_sim_null(sim, CALL, path == NULL ? "path" : memory == NULL ? "memory" : "grad");
    if (sim == NULL) status = TAC_ERR_ARGUMENT;
    if (status == TAC_OK) status = check_path(sim, path, &bad);
    if (status == TAC_OK) {
        r.nx = (size_t)tac_nx(sim->ctx.model);
        r.ndx = (size_t)tac_ndx(sim->ctx.model);
        r.ninput = (size_t)tac_ninput(sim->ctx.model, &sim->ctx.options);
        r.np = (size_t)sim->ctx.model->nparam;
        status = pull_path_in(&r, memory);
    }
    r.counts.status = status;
    r.counts.bad_index = bad;
    if (info != NULL) *info = r.counts;
    return status;
}
