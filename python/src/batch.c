/* tactus.Batch: many worlds of one model, on threads that stay. */
#include "batch.h"

#include "options.h"

#include <stdlib.h>
#include <string.h>

static const tacModel *model_of(const tacpyBatch *b) { return tacpy_batch_model(b); }

/* Names the first world that failed. */
static const char *failure(tacpyWorlds *self, tacStatus status) {
    tacpyBatch *b = (tacpyBatch *)self;
    for (int i = 0; i < self->worlds; i++) {
        if (b->status[i] != status) continue;
        PyOS_snprintf(b->text, sizeof b->text, "world %d: %s", i, tac_status_text(status));
        return b->text;
    }
    return tac_status_text(status);
}

/* --- Making and freeing ------------------------------------------------------------------------------------------- */

static const char *const own_words[] = {"worlds", "threads",     "chunk",       "own_params",
                                        "steps",  "checkpoints", "on_unsolved", NULL};

static int take_own(PyObject *keywords, tacBatchOptions *own) {
    for (int i = 0; own_words[i] != NULL; i++) {
        PyObject *value = keywords == NULL ? NULL : PyDict_GetItemString(keywords, own_words[i]);
        const tacpyField *field = tacpy_find_field(&tacpy_table_tacBatchOptions, own_words[i]);
        if (value != NULL && field != NULL && tacpy_set_field(field, own, value) != 0) return -1;
    }
    return 0;
}

static int take_settings(tacpyBatch *self, PyObject *model, PyObject *worlds, PyObject *keywords) {
    tacpyWorlds *w = &self->worlds;
    tacModel *m = tacpy_model_of(model);
    if (m == NULL) return -1;
    w->options = tac_default_options(m);
    self->own = tac_default_batch_options();
    if (worlds != NULL && tacpy_int(worlds, "worlds", &self->own.worlds) != 0) return -1;
    if (take_own(keywords, &self->own) != 0 || tacpy_take_unsolved(keywords, &w->unsolved) != 0) return -1;
    return tacpy_take_options(keywords, own_words, &w->options);
}

/* The C batch for the settings as they are. */
static int open_batch(tacpyBatch *self, tacBatch **batch) {
    tacError err;
    tacStatus status;
    const tacModel *m = model_of(self);
    self->own.stop = &self->worlds.stop;
    self->worlds.options.stop = &self->worlds.stop;
    self->worlds.options.batch_info = self->info;
    Py_BEGIN_ALLOW_THREADS status = tac_batch_new(m, &self->worlds.options, &self->own, batch, &err);
    Py_END_ALLOW_THREADS if (status == TAC_OK) return 0;
    tacpy_raise(&err);
    return -1;
}

static int open_arrays(tacpyBatch *self) {
    size_t n = self->own.worlds > 0 ? (size_t)self->own.worlds : 1;
    self->info = calloc(n, sizeof *self->info);
    self->status = calloc(n, sizeof *self->status);
    if (self->info != NULL && self->status != NULL) return 0;
    PyErr_NoMemory();
    return -1;
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *model, *worlds = NULL;
    if (!PyArg_ParseTuple(args, "O|O:Batch", &model, &worlds)) return NULL;
    tacpyBatch *self = (tacpyBatch *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    self->worlds.text = failure;
    int made = take_settings(self, model, worlds, keywords) == 0;
    if (made) self->worlds.model = Py_NewRef(model);
    made = made && open_arrays(self) == 0 && open_batch(self, &self->batch) == 0;
    if (!made) {
        Py_DECREF(self);
        return NULL;
    }
    self->worlds.worlds = self->own.worlds;
    tacpy_fill_sizes(&self->worlds, model_of(self));
    return (PyObject *)self;
}

static void free_batch(PyObject *o) {
    tacpyBatch *self = (tacpyBatch *)o;
    tacBatch *batch = self->batch;
    Py_BEGIN_ALLOW_THREADS /* its threads may want the lock */
        tac_batch_free(batch);
    Py_END_ALLOW_THREADS free(self->info);
    free(self->status);
    free(self->theta);
    free(self->active);
    Py_XDECREF(self->policy);
    Py_XDECREF(self->worlds.model);
    tacpy_free_object(o);
}

/* --- What stays from call to call --------------------------------------------------------------------------------- */

static size_t theta_size(const tacpyBatch *self) {
    size_t thetas = self->own.own_params ? (size_t)self->own.worlds : 1;
    return thetas * (size_t)self->worlds.size[D_NPARAM];
}

static void theta_shape(const tacpyBatch *self, tacpyShape *shape) {
    shape->n = 0;
    if (self->own.own_params) shape->dim[shape->n++] = self->own.worlds;
    shape->dim[shape->n++] = self->worlds.size[D_NPARAM];
}

static void model_theta(const tacpyBatch *self, double *theta) {
    const tacModel *m = model_of(self);
    char path[TAC_ERROR_TEXT];
    size_t np = (size_t)m->nparam, n = theta_size(self);
    for (size_t k = 0; k < np; k++)
        if (tac_param_registered(m, (int)k, 0, path, sizeof path) == TAC_OK) tac_param_get(m, path, &theta[k], NULL);
    for (size_t i = np; i < n; i++)
        theta[i] = theta[i - np];
}

static PyObject *get_theta(PyObject *o, void *unused) {
    (void)unused;
    tacpyBatch *self = (tacpyBatch *)o;
    tacpyShape shape;
    tacpyArray theta = {{0}};
    PyObject *array = NULL;
    theta_shape(self, &shape);
    if (tacpy_new_array(&shape, &theta) == 0) {
        if (self->theta != NULL)
            memcpy(theta.data, self->theta, theta_size(self) * sizeof *self->theta);
        else
            model_theta(self, theta.data);
    }
    tacpy_release(&theta, &array);
    return array;
}

static int keep_theta(tacpyBatch *self, const double *theta) {
    size_t bytes = theta_size(self) * sizeof *theta;
    if (self->theta == NULL && (self->theta = malloc(bytes + 1)) == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(self->theta, theta, bytes);
    return 0;
}

static int set_theta(PyObject *o, PyObject *value, void *unused) {
    (void)unused;
    tacpyBatch *self = (tacpyBatch *)o;
    tacpyShape shape;
    tacpyArray theta = {{0}};
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "theta cannot be deleted");
        return -1;
    }
    theta_shape(self, &shape);
    int result = -1;
    if (tacpy_input(value, "theta", &shape, &theta) == 0 && tacpy_enter(&self->worlds) == 0) {
        tacStatus status = tac_batch_set_params(self->batch, theta.data);
        if (status != TAC_OK)
            tacpy_raise_status(status, "theta is refused");
        else
            result = keep_theta(self, theta.data);
        tacpy_leave(&self->worlds);
    }
    tacpy_release(&theta, NULL);
    return result;
}

static PyObject *get_active(PyObject *o, void *unused) {
    (void)unused;
    const tacpyBatch *self = (tacpyBatch *)o;
    PyObject *list = PyList_New(self->own.worlds);
    for (int i = 0; list != NULL && i < self->own.worlds; i++)
        PyList_SetItem(list, i, PyBool_FromLong(self->active == NULL || self->active[i] != 0));
    return list;
}

/* A sequence of truths, one a world; None: all. */
static int set_active(PyObject *o, PyObject *value, void *unused) {
    (void)unused;
    tacpyBatch *self = (tacpyBatch *)o;
    int n = self->own.worlds, all = value == NULL || value == Py_None;
    PyObject *items = all ? NULL : PySequence_Tuple(value);
    if (!all && items == NULL) return -1;
    if (!all && PyTuple_Size(items) != n) {
        tacpy_raise_shape("active has %zd entries, expected %d", PyTuple_Size(items), n);
        Py_DECREF(items);
        return -1;
    }
    unsigned char *mask = all ? NULL : calloc((size_t)n, 1);
    for (int i = 0; mask != NULL && i < n; i++) {
        int truth = PyObject_IsTrue(PyTuple_GetItem(items, i));
        if (truth < 0) {
            free(mask);
            Py_DECREF(items);
            return -1;
        }
        mask[i] = (unsigned char)truth;
    }
    Py_XDECREF(items);
    if (tacpy_enter(&self->worlds) != 0) {
        free(mask);
        return -1;
    }
    free(self->active);
    self->active = mask;
    tac_batch_active(self->batch, mask);
    tacpy_leave(&self->worlds);
    return 0;
}

/* --- A policy: Python on the threads of the batch ----------------------------------------------------------------- */

/* A view of n numbers that the batch owns. */
static PyObject *view_of(double *data, Py_ssize_t n, int flags) {
    static double nothing;
    PyObject *bytes =
        PyMemoryView_FromMemory((char *)(data != NULL ? data : &nothing), n * (Py_ssize_t)sizeof *data, flags);
    PyObject *view = bytes == NULL ? NULL : PyObject_CallMethod(bytes, "cast", "s", "d");
    Py_XDECREF(bytes);
    PyObject *array = view == NULL ? NULL : PyObject_CallFunctionObjArgs(tacpy.asarray, view, NULL);
    Py_XDECREF(view);
    return array;
}

static void ask_policy(void *context, int world, int step, const double *x, double *u) {
    tacpyBatch *self = context;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *ax = view_of((double *)x, self->worlds.size[D_NX], PyBUF_READ);
    PyObject *au = ax == NULL ? NULL : view_of(u, self->worlds.size[D_NINPUT], PyBUF_WRITE);
    PyObject *answer = au == NULL ? NULL : PyObject_CallFunction(self->policy, "iiOO", world, step, ax, au);
    if (answer == NULL) {
        PyErr_WriteUnraisable(self->policy);
        self->worlds.stop = 1; /* the rollout ends */
    }
    Py_XDECREF(answer);
    Py_XDECREF(ax);
    Py_XDECREF(au);
    PyGILState_Release(state);
}

static PyObject *get_policy(PyObject *self, void *unused) {
    (void)unused;
    PyObject *policy = ((tacpyBatch *)self)->policy;
    return Py_NewRef(policy != NULL ? policy : Py_None);
}

static int set_policy(PyObject *o, PyObject *value, void *unused) {
    (void)unused;
    tacpyBatch *self = (tacpyBatch *)o;
    int none = value == NULL || value == Py_None;
    if (!none && !PyCallable_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "policy must be callable: policy(world, step, x, u)");
        return -1;
    }
    if (tacpy_enter(&self->worlds) != 0) return -1;
    PyObject *before = self->policy;
    self->policy = none ? NULL : Py_NewRef(value);
    tac_batch_set_policy(self->batch, none ? NULL : ask_policy, none ? NULL : self);
    tacpy_leave(&self->worlds);
    Py_XDECREF(before);
    return 0;
}

/* A batch whose rollouts in reverse mode have `steps` steps. */
static int grow(tacpyBatch *self, int steps, int checkpoints) {
    if (steps <= self->own.steps && checkpoints <= self->own.checkpoints) return 0;
    tacBatchOptions before = self->own;
    tacBatch *batch = NULL, *old = self->batch;
    if (steps > self->own.steps) self->own.steps = steps;
    if (checkpoints > self->own.checkpoints) self->own.checkpoints = checkpoints;
    if (open_batch(self, &batch) != 0) {
        self->own = before;
        return -1;
    }
    if (self->theta != NULL) tac_batch_set_params(batch, self->theta);
    tac_batch_active(batch, self->active);
    tac_batch_set_policy(batch, self->policy != NULL ? ask_policy : NULL, self->policy != NULL ? self : NULL);
    self->batch = batch;
    Py_BEGIN_ALLOW_THREADS tac_batch_free(old);
    Py_END_ALLOW_THREADS return 0;
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

#define IN(i)  tacpy_in(c, i)
#define OUT(i) tacpy_out(c, i)

static tacStatus run_step(tacpyCall *c) {
    tacpyBatch *b = tacpy_batch_of(c);
    return tac_batch_run_step(b->batch, IN(0), IN(1), OUT(0), b->status);
}
static tacStatus run_jac(tacpyCall *c) {
    tacpyBatch *b = tacpy_batch_of(c);
    tacJac jac = {OUT(1), OUT(2), OUT(3)};
    return tac_batch_run_jac(b->batch, IN(0), IN(1), OUT(0), &jac, b->status);
}
static tacStatus run_vjp(tacpyCall *c) {
    tacpyBatch *b = tacpy_batch_of(c);
    tacGrad grad = {OUT(0), OUT(1), OUT(2)};
    return tac_batch_run_vjp(b->batch, IN(0), IN(1), IN(2), &grad, b->status);
}
static tacStatus run_jvp(tacpyCall *c) {
    tacpyBatch *b = tacpy_batch_of(c);
    tacTangent along = {IN(2), IN(3), IN(4)};
    return tac_batch_run_jvp(b->batch, IN(0), IN(1), &along, OUT(0), b->status);
}

/* X begins with x0. A policy writes controls into a copy of U. */
static tacStatus run_rollout(tacpyCall *c) {
    tacpyBatch *b = tacpy_batch_of(c);
    size_t nx = (size_t)c->self->size[D_NX], ninput = (size_t)c->self->size[D_NINPUT], n = (size_t)c->steps;
    for (size_t i = 0; i < (size_t)c->self->worlds; i++)
        memcpy(OUT(0) + i * (n + 1) * nx, IN(0) + i * nx, nx * sizeof(double));
    double *U = OUT(1);
    if (U != NULL && n * ninput > 0) memcpy(U, IN(1), (size_t)c->self->worlds * n * ninput * sizeof *U);
    return tac_batch_run_rollout(b->batch, c->steps > 0 ? (int)c->steps : 0, OUT(0), U != NULL ? U : c->in[1].data,
                                 b->status);
}

static tacStatus run_rollout_jvp(tacpyCall *c) {
    tacpyBatch *b = tacpy_batch_of(c);
    tacTangent along = {IN(2), IN(3), IN(4)};
    return tac_batch_run_rollout_jvp(b->batch, (int)c->steps, IN(0), IN(1), &along, OUT(0), OUT(1), b->status);
}

static tacStatus run_rollout_vjp(tacpyCall *c) {
    tacpyBatch *b = tacpy_batch_of(c);
    tacTrajectory path = {(int)c->steps, IN(0), IN(1), IN(3), IN(2), IN(4)};
    tacGrad grad = {OUT(0), OUT(1), OUT(2)};
    return tac_batch_run_rollout_vjp(b->batch, &path, &grad, b->status);
}

static tacStatus run_outputs(tacpyCall *c) {
    tacpyBatch *b = tacpy_batch_of(c);
    return tac_batch_run_outputs(b->batch, IN(1), IN(2), c->extra, OUT(0), b->status);
}

#define STATE                                                                                                          \
    {                                                                                                                  \
        "x", A_ARRAY, 0, { D_NX }                                                                                      \
    }
#define INPUT                                                                                                          \
    {                                                                                                                  \
        "u", A_ARRAY, 1, { D_NINPUT }                                                                                  \
    }
#define START                                                                                                          \
    {"x0", A_ARRAY, 0, {D_NX}}, {                                                                                      \
        "U", A_ARRAY, 0, { D_STEPS, D_NINPUT }                                                                         \
    }
static const tacpyRow row_step = {"step", {STATE, INPUT}, {{"y", {D_NX}, 0}}, NULL, NULL, 1, 1, run_step};
static const tacpyRow row_step_jac = {
    "step_jac",
    {STATE, INPUT},
    {{"y", {D_NX}, 0}, {"A", {D_NDX, D_NDX}, 'A'}, {"B", {D_NDX, D_NINPUT}, 'B'}, {"P", {D_NDX, D_NPARAM}, 'P'}},
    "ABP",
    NULL,
    1,
    0,
    run_jac};
static const tacpyRow row_step_vjp = {"step_vjp",
                                      {STATE, {"u", A_ARRAY, 0, {D_NINPUT}}, {"ybar", A_ARRAY, 0, {D_NDX}}},
                                      {{"x", {D_NDX}, 'x'}, {"u", {D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
                                      "xut",
                                      NULL,
                                      1,
                                      0,
                                      run_vjp};
static const tacpyRow row_step_jvp = {"step_jvp",
                                      {STATE,
                                       {"u", A_ARRAY, 0, {D_NINPUT}},
                                       {"dx", A_ARRAY, 1, {D_NDX}},
                                       {"du", A_ARRAY, 1, {D_NINPUT}},
                                       {"dtheta", A_ARRAY, 1, {D_NPARAM}}},
                                      {{"dy", {D_NDX}, 0}},
                                      NULL,
                                      NULL,
                                      1,
                                      0,
                                      run_jvp};
static const tacpyRow row_rollout = {"rollout", {START}, {{"X", {D_STEPS1, D_NX}, 0}}, NULL, NULL, 1, 0, run_rollout};
static const tacpyRow row_rollout_driven = {
    "rollout", {START}, {{"X", {D_STEPS1, D_NX}, 0}, {"U", {D_STEPS, D_NINPUT}, 0}}, NULL, NULL, 1, 0, run_rollout};
static const tacpyRow row_rollout_jvp = {
    "rollout_jvp",
    {START, {"dx0", A_ARRAY, 1, {D_NDX}}, {"dU", A_ARRAY, 1, {D_STEPS, D_NINPUT}}, {"dtheta", A_ARRAY, 1, {D_NPARAM}}},
    {{"X", {D_STEPS1, D_NX}, 0}, {"dX", {D_STEPS1, D_NDX}, 0}},
    NULL,
    NULL,
    1,
    0,
    run_rollout_jvp};
static const tacpyRow row_rollout_vjp = {
    "rollout_vjp",
    {START,
     {"Xbar", A_ARRAY, 1, {D_STEPS1, D_NDX}},
     {"X", A_ARRAY, 1, {D_STEPS1, D_NX}},
     {"xbar", A_ARRAY, 1, {D_NDX}}},
    {{"x0", {D_NDX}, 'x'}, {"U", {D_STEPS, D_NINPUT}, 'u'}, {"theta", {D_NPARAM}, 't'}},
    "xut",
    NULL,
    1,
    0,
    run_rollout_vjp};
static const tacpyRow row_outputs = {
    "outputs", {{"outputs", A_OBJECT, 0, {0}}, STATE, INPUT}, {{"z", {D_NZ}, 0}}, NULL, NULL, 1, 0, run_outputs};

TACPY_ROW_METHOD(step)
TACPY_ROW_METHOD(step_jac)
TACPY_ROW_METHOD(step_vjp)
TACPY_ROW_METHOD(step_jvp)
TACPY_ROW_METHOD(rollout_jvp)
TACPY_ROW_METHOD(rollout_vjp)

/* With a policy the controls that it chose come, too. */
static PyObject *call_rollout(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    const tacpyRow *row = ((tacpyBatch *)self)->policy != NULL ? &row_rollout_driven : &row_rollout;
    return tacpy_call((tacpyWorlds *)self, row, args, n, keywords, NULL);
}

static PyObject *call_outputs(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    tacpyCall with = {.nz = 0};
    if (n < 1) {
        PyErr_SetString(PyExc_TypeError, "outputs() needs outputs first");
        return NULL;
    }
    with.extra = (void *)tacpy_outputs_of(args[0], model_of((tacpyBatch *)self), &with.nz);
    return with.extra == NULL ? NULL : tacpy_call((tacpyWorlds *)self, &row_outputs, args, n, keywords, &with);
}

/* (steps, checkpoints): room for rollouts in reverse mode. */
static PyObject *reserve(PyObject *self, PyObject *args) {
    int steps, checkpoints = 0;
    if (!PyArg_ParseTuple(args, "i|i", &steps, &checkpoints)) return NULL;
    if (tacpy_enter((tacpyWorlds *)self) != 0) return NULL;
    int status = grow((tacpyBatch *)self, steps, checkpoints);
    tacpy_leave((tacpyWorlds *)self);
    if (status != 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *stop(PyObject *self, PyObject *unused) {
    (void)unused;
    ((tacpyWorlds *)self)->stop = 1;
    Py_RETURN_NONE;
}

/* --- Attributes --------------------------------------------------------------------------------------------------- */

static PyObject *get_info(PyObject *self, void *unused) {
    (void)unused;
    const tacpyBatch *b = (tacpyBatch *)self;
    return tacpy_structs(&tacpy_table_tacStepInfo, b->info, b->own.worlds);
}
static PyObject *get_status(PyObject *self, void *unused) {
    (void)unused;
    const tacpyBatch *b = (tacpyBatch *)self;
    PyObject *list = PyList_New(b->own.worlds);
    for (int i = 0; list != NULL && i < b->own.worlds; i++)
        PyList_SetItem(list, i, PyLong_FromLong((long)b->status[i]));
    return list;
}
static PyObject *get_options(PyObject *self, void *unused) {
    (void)unused;
    const tacpyWorlds *w = (tacpyWorlds *)self;
    return tacpy_options_dict(&w->options, w->unsolved);
}
static PyObject *get_model(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef(((tacpyWorlds *)self)->model);
}
static PyObject *get_size(PyObject *self, void *closure) {
    return PyLong_FromSsize_t(((tacpyWorlds *)self)->size[(size_t)closure]);
}
static PyObject *get_threads(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(tac_batch_threads(((tacpyBatch *)self)->batch));
}
static PyObject *get_own(PyObject *self, void *closure) {
    return tacpy_get_field(tacpy_find_field(&tacpy_table_tacBatchOptions, closure), &((tacpyBatch *)self)->own);
}

static PyGetSetDef attributes[] = {
    {"model", get_model, NULL, DOC_Batch_model, NULL},
    {"info", get_info, NULL, DOC_Batch_info, NULL},
    {"status", get_status, NULL, DOC_Batch_status, NULL},
    {"options", get_options, NULL, DOC_Batch_options, NULL},
    {"nx", get_size, NULL, DOC_Batch_nx, (void *)(size_t)D_NX},
    {"ndx", get_size, NULL, DOC_Batch_ndx, (void *)(size_t)D_NDX},
    {"ninput", get_size, NULL, DOC_Batch_ninput, (void *)(size_t)D_NINPUT},
    {"nparam", get_size, NULL, DOC_Batch_nparam, (void *)(size_t)D_NPARAM},
    {"threads", get_threads, NULL, DOC_Batch_threads, NULL},
    {"worlds", get_own, NULL, DOC_Batch_worlds, (void *)"worlds"},
    {"chunk", get_own, NULL, DOC_Batch_chunk, (void *)"chunk"},
    {"own_params", get_own, NULL, DOC_Batch_own_params, (void *)"own_params"},
    {"steps", get_own, NULL, DOC_Batch_steps, (void *)"steps"},
    {"checkpoints", get_own, NULL, DOC_Batch_checkpoints, (void *)"checkpoints"},
    {"theta", get_theta, set_theta, DOC_Batch_theta, NULL},
    {"active", get_active, set_active, DOC_Batch_active, NULL},
    {"policy", get_policy, set_policy, DOC_Batch_policy, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define METHOD(row_name) TACPY_METHOD(#row_name, call_##row_name, DOC_Batch_##row_name)
static PyMethodDef methods[] = {
    METHOD(step),
    METHOD(step_jac),
    METHOD(step_vjp),
    METHOD(step_jvp),
    METHOD(rollout),
    METHOD(rollout_jvp),
    TACPY_METHOD("_rollout_vjp", call_rollout_vjp, DOC_Batch__rollout_vjp),
    METHOD(outputs),
    TACPY_METHOD("_step_pull", tacpy_batch_step_pull, DOC_Batch__step_pull),
    TACPY_METHOD("_rollout_pull", tacpy_batch_rollout_pull, DOC_Batch__rollout_pull),
    {"reserve", reserve, METH_VARARGS, DOC_Batch_reserve},
    {"stop", stop, METH_NOARGS, DOC_Batch_stop},
    {NULL, NULL, 0, NULL},
};

int tacpy_add_batch(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_new, (void *)make}, {Py_tp_dealloc, (void *)free_batch}, {Py_tp_getset, attributes},
                           {Py_tp_methods, methods},  {Py_tp_doc, (void *)DOC_Batch},      {0, NULL}};
    PyType_Spec spec = {"tactus._core.Batch", sizeof(tacpyBatch), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    tacpy.batch = tacpy_add_type(module, &spec, "Batch");
    return tacpy.batch == NULL ? -1 : 0;
}
