/* Gradients by the plain numbers of states, quaternions with four, as automatic differentiation has them: covectors go
 * down to the tangent space, through the reverse mode, and up again (tac_covector_down, tac_covector_up). */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#define IN(i)  tacpy_in(c, i)
#define OUT(i) tacpy_out(c, i)

static const tacModel *model_of(const tacpyCall *c) { return ((tacpyModel *)c->self->model)->model; }
static size_t size_of(const tacpyCall *c, tacpySize size) { return (size_t)c->self->size[size]; }

/* Rows of n states and gradients by their numbers -> gradients in the tangent space. */
static void carry_down(const tacpyCall *c, size_t n, const double *X, const double *G, double *D) {
    const tacModel *m = model_of(c);
    size_t nx = size_of(c, D_NX), ndx = size_of(c, D_NDX);
    for (size_t i = 0; i < n; i++) {
        tac_covector_down(m, X + i * nx, G + i * nx, D + i * ndx);
        memcpy(D + i * ndx + m->nv, G + i * nx + m->nq, (ndx - (size_t)m->nv) * sizeof *D);
    }
}

static void carry_up(const tacpyCall *c, size_t n, const double *X, const double *D, double *G) {
    const tacModel *m = model_of(c);
    size_t nx = size_of(c, D_NX), ndx = size_of(c, D_NDX);
    for (size_t i = 0; i < n; i++) {
        tac_covector_up(m, X + i * nx, D + i * ndx, G + i * nx);
        memcpy(G + i * nx + m->nq, D + i * ndx + m->nv, (ndx - (size_t)m->nv) * sizeof *G);
    }
}

static size_t worlds_of(const tacpyCall *c) { return c->self->worlds > 0 ? (size_t)c->self->worlds : 1; }
/* Does the state that came with the status count as one? */
static int went_on(tacStatus status) {
    return status == TAC_OK || status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* (x, u, y, g): g is the gradient by the numbers of y. */
static tacStatus run_step_pull(tacpyCall *c) {
    size_t n = worlds_of(c), ndx = size_of(c, D_NDX);
    double *ybar = malloc((2 * n * ndx + 1) * sizeof *ybar), *xbar = ybar == NULL ? NULL : ybar + n * ndx;
    if (ybar == NULL) return TAC_ERR_MEMORY;
    tacGrad grad = {OUT(0) != NULL ? xbar : NULL, OUT(1), OUT(2)};
    carry_down(c, n, IN(2), IN(3), ybar);
    tacStatus status;
    if (c->self->worlds > 0) {
        tacpyBatch *b = tacpy_batch_of(c);
        status = tac_batch_run_vjp(b->batch, IN(0), IN(1), ybar, &grad, b->status);
    } else {
        tacpySim *s = tacpy_sim_of(c);
        status = tac_step_vjp(s->sim, IN(0), IN(1), ybar, &grad, &s->info);
    }
    if (went_on(status) && OUT(0) != NULL) carry_up(c, n, IN(0), xbar, OUT(0));
    free(ybar);
    return status;
}

static const tacpyRow row_step_pull = {
    "_step_pull",
    {{"x", A_ARRAY, 0, {D_NX}}, {"u", A_ARRAY, 1, {D_NINPUT}}, {"y", A_ARRAY, 0, {D_NX}}, {"g", A_ARRAY, 0, {D_NX}}},
    {{"x", {D_NX}, 'x'}, {"u", {D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
    "xut",
    NULL,
    0,
    0,
    run_step_pull};

/* --- Rollouts ----------------------------------------------------------------------------------------------------- */

/* What the reverse mode of a rollout works in. */
typedef struct Room {
    double *Xbar, *xbar; /* worlds by (steps + 1) by ndx, worlds by ndx */
    void *memory;        /* of a simulation */
    size_t bytes;
} Room;

static int open_room(tacpyCall *c, Room *room) {
    size_t n = worlds_of(c), rows = (size_t)c->steps + 1, ndx = size_of(c, D_NDX);
    *room = (Room){.Xbar = malloc((n * rows + n) * ndx * sizeof(double) + 1)};
    if (room->Xbar == NULL) return 0;
    room->xbar = room->Xbar + n * rows * ndx;
    if (c->self->worlds > 0) return 1;
    room->bytes = tac_rollout_vjp_bytes(model_of(c), (int)c->steps, 0);
    room->memory = tacpy_sim_memory(tacpy_sim_of(c), room->bytes);
    if (room->memory != NULL) return 1;
    free(room->Xbar);
    return 0;
}

/* Row 0 is x0 itself, whose gradient by its numbers is added at the end. */
static void carry_rows(const tacpyCall *c, const Room *room) {
    size_t rows = (size_t)c->steps + 1, nx = size_of(c, D_NX), ndx = size_of(c, D_NDX);
    for (size_t i = 0; i < worlds_of(c); i++) {
        memset(room->Xbar + i * rows * ndx, 0, ndx * sizeof(double));
        carry_down(c, rows - 1, IN(2) + (i * rows + 1) * nx, IN(3) + (i * rows + 1) * nx,
                   room->Xbar + (i * rows + 1) * ndx);
    }
}

static void add_start(const tacpyCall *c, const Room *room) {
    size_t rows = (size_t)c->steps + 1, nx = size_of(c, D_NX);
    carry_up(c, worlds_of(c), IN(0), room->xbar, OUT(0));
    for (size_t i = 0; i < worlds_of(c); i++)
        for (size_t k = 0; k < nx; k++)
            OUT(0)[i * nx + k] += IN(3)[i * rows * nx + k];
}

/* (x0, U, X, G): G is the gradient by the numbers of the states X. */
static tacStatus run_rollout_pull(tacpyCall *c) {
    Room room;
    if (!open_room(c, &room)) return TAC_ERR_MEMORY;
    carry_rows(c, &room);
    tacTrajectory path = {(int)c->steps, IN(0), IN(1), IN(2), room.Xbar, NULL};
    tacGrad grad = {OUT(0) != NULL ? room.xbar : NULL, OUT(1), OUT(2)};
    tacStatus status;
    if (c->self->worlds > 0) {
        tacpyBatch *b = tacpy_batch_of(c);
        status = tac_batch_run_rollout_vjp(b->batch, &path, &grad, b->status);
    } else {
        tacpySim *s = tacpy_sim_of(c);
        tacCheckpoints memory = {0, room.memory, room.bytes};
        status = tac_rollout_vjp(s->sim, &path, &memory, &grad, &s->info);
    }
    if (went_on(status) && OUT(0) != NULL) add_start(c, &room);
    free(room.Xbar);
    return status;
}

static const tacpyRow row_rollout_pull = {
    "_rollout_pull",
    {{"x0", A_ARRAY, 0, {D_NX}},
     {"U", A_ARRAY, 0, {D_STEPS, D_NINPUT}},
     {"X", A_ARRAY, 0, {D_STEPS1, D_NX}},
     {"G", A_ARRAY, 0, {D_STEPS1, D_NX}}},
    {{"x0", {D_NX}, 'x'}, {"U", {D_STEPS, D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
    "xut",
    NULL,
    1,
    0,
    run_rollout_pull};

/* --- Outputs of many states: one after the other in one simulation ------------------------------------------------ */

static tacStatus run_outputs_rows(tacpyCall *c) {
    size_t nx = size_of(c, D_NX), ninput = size_of(c, D_NINPUT), nz = (size_t)c->nz;
    tacStatus status = TAC_OK;
    for (size_t k = 0; k < (size_t)c->steps && status == TAC_OK; k++)
        status = tac_outputs(tacpy_sim_of(c)->sim, IN(1) + k * nx, IN(2) == NULL ? NULL : IN(2) + k * ninput, c->extra,
                             OUT(0) + k * nz);
    return status;
}

/* (outputs, X, U, Zbar) -> gradients by each row, by the plain numbers of states. */
static tacStatus run_outputs_pull(tacpyCall *c) {
    size_t nx = size_of(c, D_NX), ninput = size_of(c, D_NINPUT), np = size_of(c, D_NPARAM), ndx = size_of(c, D_NDX);
    double *xbar = malloc((ndx + 1) * sizeof *xbar);
    tacStatus status = xbar == NULL ? TAC_ERR_MEMORY : TAC_OK;
    for (size_t k = 0; k < (size_t)c->steps && status == TAC_OK; k++) {
        tacGrad grad = {OUT(0) != NULL ? xbar : NULL, OUT(1) != NULL ? OUT(1) + k * ninput : NULL,
                        OUT(2) != NULL ? OUT(2) + k * np : NULL};
        status = tac_outputs_vjp(tacpy_sim_of(c)->sim, IN(1) + k * nx, IN(2) == NULL ? NULL : IN(2) + k * ninput,
                                 c->extra, IN(3) + k * (size_t)c->nz, &grad);
        if (status == TAC_OK && OUT(0) != NULL) carry_up(c, 1, IN(1) + k * nx, xbar, OUT(0) + k * nx);
    }
    free(xbar);
    return status;
}

#define ROWS                                                                                                           \
    {"outputs", A_OBJECT, 0, {0}}, {"X", A_ARRAY, 0, {D_STEPS, D_NX}}, {                                               \
        "U", A_ARRAY, 1, { D_STEPS, D_NINPUT }                                                                         \
    }
static const tacpyRow row_outputs_rows = {"_outputs_rows", {ROWS}, {{"Z", {D_STEPS, D_NZ}, 0}}, NULL, NULL, 1, 0,
                                          run_outputs_rows};
static const tacpyRow row_outputs_pull = {
    "_outputs_pull",
    {ROWS, {"Zbar", A_ARRAY, 0, {D_STEPS, D_NZ}}},
    {{"X", {D_STEPS, D_NX}, 'x'}, {"U", {D_STEPS, D_NINPUT}, 'u'}, {"theta", {D_STEPS, D_NPARAM}, 't'}},
    "xut",
    NULL,
    1,
    0,
    run_outputs_pull};

static PyObject *call_of_outputs(PyObject *self, const tacpyRow *row, PyObject *const *args, Py_ssize_t n,
                                 PyObject *keywords) {
    tacpyCall with = {.nz = 0};
    if (n < 1) {
        PyErr_Format(PyExc_TypeError, "%s() needs outputs first", row->name);
        return NULL;
    }
    with.extra = (void *)tacpy_outputs_of(args[0], tacpy_sim_model((tacpySim *)self), &with.nz);
    return with.extra == NULL ? NULL : tacpy_call((tacpyWorlds *)self, row, args, n, keywords, &with);
}

static PyObject *call_outputs_rows(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    return call_of_outputs(self, &row_outputs_rows, args, n, keywords);
}
static PyObject *call_outputs_pull(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    return call_of_outputs(self, &row_outputs_pull, args, n, keywords);
}

TACPY_ROW_METHOD(step_pull)
TACPY_ROW_METHOD(rollout_pull)

PyObject *tacpy_batch_step_pull(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    return call_step_pull(self, args, n, keywords);
}
PyObject *tacpy_batch_rollout_pull(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    return call_rollout_pull(self, args, n, keywords);
}

PyMethodDef tacpy_pull_methods[] = {
    TACPY_METHOD("_step_pull", call_step_pull, DOC_Sim__step_pull),
    TACPY_METHOD("_rollout_pull", call_rollout_pull, DOC_Sim__rollout_pull),
    TACPY_METHOD("_outputs_rows", call_outputs_rows, DOC_Sim__outputs_rows),
    TACPY_METHOD("_outputs_pull", call_outputs_pull, DOC_Sim__outputs_pull),
    {NULL, NULL, 0, NULL},
};
