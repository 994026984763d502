/* Steps, their derivatives, rollouts. */
#include "sim.h"

#include <string.h>

/* --- One step, by a short way ------------------------------------------------------------------------------------- */

/* The arguments of step(x, u=None, *, out=None). */
typedef struct StepArguments {
    PyObject *x, *u, *out;
} StepArguments;

static int step_arguments(PyObject *const *args, Py_ssize_t n, PyObject *keywords, StepArguments *to) {
    static const char *const names[] = {"x", "u", "out", NULL};
    PyObject *given[3];
    if (n == 2 && keywords == NULL) {
        *to = (StepArguments){args[0], args[1], NULL};
        return 0;
    }
    if (tacpy_arguments("step", names, 2, 1, args, n, keywords, given) != 0) return -1;
    *to = (StepArguments){given[0], given[1], given[2]};
    return 0;
}

/* y may be x itself, and may not overlap x or u in another way. */
static int step_overlaps(const tacpyArray *y, const tacpyArray *x, const tacpyArray *u) {
    const char *first = y->view.buf, *last = first + y->view.len;
    const char *x0 = x->view.buf, *u0 = u->view.buf;
    int over_x = x0 != first && x0 < last && first < x0 + x->view.len;
    int over_u = u->data != NULL && u0 < last && first < u0 + u->view.len;
    if (over_x || over_u) PyErr_Format(PyExc_ValueError, "out overlaps %s", over_x ? "x" : "u");
    return over_x || over_u;
}

static int take_step(const tacpySim *s, const StepArguments *given, tacpyArray *x, tacpyArray *u, tacpyArray *y) {
    const Py_ssize_t *size = s->worlds.size;
    tacpyShape nx = {1, {size[D_NX]}}, nu = {1, {size[D_NINPUT]}};
    if (tacpy_input(given->x, "x", &nx, x) != 0) return -1;
    if (given->u != NULL && given->u != Py_None && tacpy_input(given->u, "u", &nu, u) != 0) return -1;
    if (given->out == NULL || given->out == Py_None) return tacpy_new_array(&nx, y);
    if (tacpy_output(given->out, "out", &nx, y) != 0) return -1;
    return step_overlaps(y, x, u) ? -1 : 0;
}

static PyObject *step(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    tacpySim *s = (tacpySim *)self;
    StepArguments given;
    tacpyArray x = {{0}}, u = {{0}}, y = {{0}};
    PyObject *result = NULL;
    if (step_arguments(args, n, keywords, &given) != 0) return NULL;
    if (take_step(s, &given, &x, &u, &y) == 0 && tacpy_enter(&s->worlds) == 0) {
        tacStatus status;
        Py_BEGIN_ALLOW_THREADS status = tac_step(s->sim, x.data, u.data, y.data, &s->info);
        Py_END_ALLOW_THREADS tacpy_release(&y, &result);
        if (status != TAC_OK) result = tacpy_end(&s->worlds, status, result);
        tacpy_leave(&s->worlds);
    }
    tacpy_release(&x, NULL);
    tacpy_release(&u, NULL);
    tacpy_release(&y, NULL);
    return result;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

static tacStatus run_jac(tacpyCall *c) {
    tacpySim *s = tacpy_sim_of(c);
    tacJac jac = {tacpy_out(c, 1), tacpy_out(c, 2), tacpy_out(c, 3)};
    return tac_step_jac(s->sim, tacpy_in(c, 0), tacpy_in(c, 1), tacpy_out(c, 0), &jac, &s->info);
}

static tacStatus run_vjp(tacpyCall *c) {
    tacpySim *s = tacpy_sim_of(c);
    tacGrad grad = {tacpy_out(c, 0), tacpy_out(c, 1), tacpy_out(c, 2)};
    return tac_step_vjp(s->sim, tacpy_in(c, 0), tacpy_in(c, 1), tacpy_in(c, 2), &grad, &s->info);
}

static tacStatus run_jvp(tacpyCall *c) {
    tacpySim *s = tacpy_sim_of(c);
    return tac_step_jvp(s->sim, tacpy_in(c, 0), tacpy_in(c, 1), tacpy_in(c, 2), tacpy_in(c, 3), tacpy_in(c, 4),
                        tacpy_out(c, 0), &s->info);
}

static const tacpyRow row_step_jac = {
    "step_jac",
    {{"x", A_ARRAY, 0, {D_NX}}, {"u", A_ARRAY, 1, {D_NINPUT}}},
    {{"y", {D_NX}, 0}, {"A", {D_NDX, D_NDX}, 'A'}, {"B", {D_NDX, D_NINPUT}, 'B'}, {"P", {D_NDX, D_NPARAM}, 'P'}},
    "ABP",
    NULL,
    0,
    0,
    run_jac};
static const tacpyRow row_step_vjp = {
    "step_vjp",
    {{"x", A_ARRAY, 0, {D_NX}}, {"u", A_ARRAY, 0, {D_NINPUT}}, {"ybar", A_ARRAY, 0, {D_NDX}}},
    {{"x", {D_NDX}, 'x'}, {"u", {D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
    "xut",
    NULL,
    0,
    0,
    run_vjp};
static const tacpyRow row_step_jvp = {"step_jvp",
                                      {{"x", A_ARRAY, 0, {D_NX}},
                                       {"u", A_ARRAY, 0, {D_NINPUT}},
                                       {"dx", A_ARRAY, 1, {D_NDX}},
                                       {"du", A_ARRAY, 1, {D_NINPUT}},
                                       {"dtheta", A_ARRAY, 1, {D_NPARAM}}},
                                      {{"dy", {D_NDX}, 0}},
                                      NULL,
                                      NULL,
                                      0,
                                      0,
                                      run_jvp};

/* --- Rollouts ----------------------------------------------------------------------------------------------------- */

static tacStatus run_rollout(tacpyCall *c) {
    tacpySim *s = tacpy_sim_of(c);
    return tac_rollout(s->sim, tacpy_in(c, 0), tacpy_in(c, 1), (int)c->steps, tacpy_out(c, 0), &s->info);
}

static tacStatus run_rollout_jvp(tacpyCall *c) {
    tacpySim *s = tacpy_sim_of(c);
    tacTangent along = {tacpy_in(c, 2), tacpy_in(c, 3), tacpy_in(c, 4)};
    return tac_rollout_jvp(s->sim, tacpy_in(c, 0), tacpy_in(c, 1), (int)c->steps, &along, tacpy_out(c, 0),
                           tacpy_out(c, 1), &s->info);
}

/* x0, U, Xbar, X, xbar, checkpoints -> gradients. */
static tacStatus run_rollout_vjp(tacpyCall *c) {
    tacpySim *s = tacpy_sim_of(c);
    tacTrajectory path = {(int)c->steps,  tacpy_in(c, 0), tacpy_in(c, 1),
                          tacpy_in(c, 3), tacpy_in(c, 2), tacpy_in(c, 4)};
    int count = path.X != NULL ? 0 : c->whole[5] > 0 ? c->whole[5] : 0;
    size_t bytes = tac_rollout_vjp_bytes(tacpy_sim_model(s), path.n, count);
    tacCheckpoints memory = {count, tacpy_sim_memory(s, bytes), bytes};
    if (memory.memory == NULL) return TAC_ERR_MEMORY;
    tacGrad grad = {tacpy_out(c, 0), tacpy_out(c, 1), tacpy_out(c, 2)};
    return tac_rollout_vjp(s->sim, &path, &memory, &grad, &s->info);
}

static const tacpyRow row_rollout = {"rollout",
                                     {{"x0", A_ARRAY, 0, {D_NX}}, {"U", A_ARRAY, 0, {D_STEPS, D_NINPUT}}},
                                     {{"X", {D_STEPS1, D_NX}, 0}},
                                     NULL,
                                     NULL,
                                     1,
                                     0,
                                     run_rollout};
static const tacpyRow row_rollout_vjp = {
    "rollout_vjp",
    {{"x0", A_ARRAY, 0, {D_NX}},
     {"U", A_ARRAY, 0, {D_STEPS, D_NINPUT}},
     {"Xbar", A_ARRAY, 1, {D_STEPS1, D_NDX}},
     {"X", A_ARRAY, 1, {D_STEPS1, D_NX}},
     {"xbar", A_ARRAY, 1, {D_NDX}},
     {"checkpoints", A_INT, 1, {0}}},
    {{"x0", {D_NDX}, 'x'}, {"U", {D_STEPS, D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
    "xut",
    NULL,
    1,
    0,
    run_rollout_vjp};
static const tacpyRow row_rollout_jvp = {"rollout_jvp",
                                         {{"x0", A_ARRAY, 0, {D_NX}},
                                          {"U", A_ARRAY, 0, {D_STEPS, D_NINPUT}},
                                          {"dx0", A_ARRAY, 1, {D_NDX}},
                                          {"dU", A_ARRAY, 1, {D_STEPS, D_NINPUT}},
                                          {"dtheta", A_ARRAY, 1, {D_NPARAM}}},
                                         {{"X", {D_STEPS1, D_NX}, 0}, {"dX", {D_STEPS1, D_NDX}, 0}},
                                         NULL,
                                         NULL,
                                         1,
                                         0,
                                         run_rollout_jvp};

/* --- Outputs ------------------------------------------------------------------------------------------------------ */

static tacStatus run_outputs(tacpyCall *c) {
    return tac_outputs(tacpy_sim_of(c)->sim, tacpy_in(c, 1), tacpy_in(c, 2), c->extra, tacpy_out(c, 0));
}

static tacStatus run_outputs_jac(tacpyCall *c) {
    tacJac jac = {tacpy_out(c, 1), tacpy_out(c, 2), tacpy_out(c, 3)};
    return tac_outputs_jac(tacpy_sim_of(c)->sim, tacpy_in(c, 1), tacpy_in(c, 2), c->extra, tacpy_out(c, 0), &jac);
}

static tacStatus run_outputs_vjp(tacpyCall *c) {
    tacGrad grad = {tacpy_out(c, 0), tacpy_out(c, 1), tacpy_out(c, 2)};
    return tac_outputs_vjp(tacpy_sim_of(c)->sim, tacpy_in(c, 1), tacpy_in(c, 2), c->extra, tacpy_in(c, 3), &grad);
}

static tacStatus run_outputs_jvp(tacpyCall *c) {
    tacTangent along = {tacpy_in(c, 3), tacpy_in(c, 4), tacpy_in(c, 5)};
    return tac_outputs_jvp(tacpy_sim_of(c)->sim, tacpy_in(c, 1), tacpy_in(c, 2), c->extra, &along, tacpy_out(c, 0));
}

#define OUTPUTS_X_U                                                                                                    \
    {"outputs", A_OBJECT, 0, {0}}, {"x", A_ARRAY, 0, {D_NX}}, {                                                        \
        "u", A_ARRAY, 1, { D_NINPUT }                                                                                  \
    }
static const tacpyRow row_outputs = {"outputs", {OUTPUTS_X_U}, {{"z", {D_NZ}, 0}}, NULL, NULL, 0, 0, run_outputs};
static const tacpyRow row_outputs_jac = {
    "outputs_jac",
    {OUTPUTS_X_U},
    {{"z", {D_NZ}, 0}, {"x", {D_NZ, D_NDX}, 'x'}, {"u", {D_NZ, D_NINPUT}, 'u'}, {"theta", {D_NZ, D_NPARAM}, 't'}},
    "x",
    NULL,
    0,
    0,
    run_outputs_jac};
static const tacpyRow row_outputs_vjp = {"outputs_vjp",
                                         {OUTPUTS_X_U, {"zbar", A_ARRAY, 0, {D_NZ}}},
                                         {{"x", {D_NDX}, 'x'}, {"u", {D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
                                         "xut",
                                         NULL,
                                         0,
                                         0,
                                         run_outputs_vjp};
static const tacpyRow row_outputs_jvp = {
    "outputs_jvp",
    {OUTPUTS_X_U, {"dx", A_ARRAY, 1, {D_NDX}}, {"du", A_ARRAY, 1, {D_NINPUT}}, {"dtheta", A_ARRAY, 1, {D_NPARAM}}},
    {{"dz", {D_NZ}, 0}},
    NULL,
    NULL,
    0,
    0,
    run_outputs_jvp};

/* The first argument is the outputs; they give the length of z. */
static PyObject *call_with_outputs(PyObject *self, const tacpyRow *row, PyObject *const *args, Py_ssize_t n,
                                   PyObject *keywords) {
    tacpyCall with = {.nz = 0};
    if (n < 1) {
        PyErr_Format(PyExc_TypeError, "%s() needs outputs first", row->name);
        return NULL;
    }
    const tacOutputs *outputs = tacpy_outputs_of(args[0], tacpy_sim_model((tacpySim *)self), &with.nz);
    if (outputs == NULL) return NULL;
    with.extra = (void *)outputs;
    return tacpy_call((tacpyWorlds *)self, row, args, n, keywords, &with);
}

#define OUTPUTS_METHOD(row_name)                                                                                       \
    static PyObject *call_##row_name(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {        \
        return call_with_outputs(self, &row_##row_name, args, n, keywords);                                            \
    }

TACPY_ROW_METHOD(step_jac)
TACPY_ROW_METHOD(step_vjp)
TACPY_ROW_METHOD(step_jvp)
TACPY_ROW_METHOD(rollout)
TACPY_ROW_METHOD(rollout_vjp)
TACPY_ROW_METHOD(rollout_jvp)
OUTPUTS_METHOD(outputs)
OUTPUTS_METHOD(outputs_jac)
OUTPUTS_METHOD(outputs_vjp)
OUTPUTS_METHOD(outputs_jvp)

#define ROW(row_name) TACPY_METHOD(#row_name, call_##row_name, DOC_Sim_##row_name)
PyMethodDef tacpy_step_methods[] = {
    TACPY_METHOD("step", step, DOC_Sim_step),
    ROW(step_jac),
    ROW(step_vjp),
    ROW(step_jvp),
    ROW(rollout),
    ROW(rollout_vjp),
    ROW(rollout_jvp),
    ROW(outputs),
    ROW(outputs_jac),
    ROW(outputs_vjp),
    ROW(outputs_jvp),
    {NULL, NULL, 0, NULL},
};
