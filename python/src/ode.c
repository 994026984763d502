/* tactus.Ode: an ordinary differential equation whose functions are Python's. Calls keep the interpreter's lock,
 * because the functions need it at every inner step. */
#include "array.h"
#include "structure.h"

#include <stdlib.h>
#include <string.h>

typedef struct Ode {
    PyObject_HEAD tacOde ode;
    tacOdeOptions options;
    PyObject *f, *jac, *gaps, *reset; /* NULL: none */
    void *memory;
    tacStepInfo info;
    int busy;
} Ode;

/* --- Python's functions as C's; each returns 0, or 1 with the exception kept -------------------------------------- */

/* The i-th result of a call, or its only one -> out[rows by columns]. out NULL: not asked for. */
static int take_result(PyObject *answer, int i, const char *name, int rows, int columns, double *out) {
    if (out == NULL || rows == 0 || columns == 0) return 0;
    PyObject *o = PyTuple_Check(answer) ? PyTuple_GetItem(answer, i) : i == 0 ? answer : NULL;
    if (o == NULL) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s is missing in the answer", name);
        return 1;
    }
    tacpyShape shape = {columns > 0 ? 2 : 1, {rows, columns}};
    tacpyArray a = {{0}};
    int status = tacpy_input(o, name, &shape, &a);
    if (status == 0) memcpy(out, a.data, (size_t)tacpy_count(&shape) * sizeof *out);
    tacpy_release(&a, NULL);
    return status != 0;
}

static PyObject *flags_of(const Ode *o, const unsigned char *on) {
    PyObject *tuple = PyTuple_New(o->ode.ngap);
    for (int i = 0; tuple != NULL && i < o->ode.ngap; i++)
        PyTuple_SetItem(tuple, i, PyBool_FromLong(on != NULL && on[i]));
    return tuple;
}

/* function(first, x, theta, last), of which first and last may be NULL and last is taken. */
static PyObject *ask(const Ode *o, PyObject *function, PyObject *first, const double *x, const double *theta,
                     PyObject *last) {
    PyObject *ax = tacpy_copied(x, o->ode.n, 0), *at = tacpy_copied(theta, o->ode.ntheta, 0), *answer = NULL;
    if (ax != NULL && at != NULL && !PyErr_Occurred())
        answer = first != NULL ? PyObject_CallFunctionObjArgs(function, first, ax, at, NULL)
                               : PyObject_CallFunctionObjArgs(function, ax, at, last, NULL);
    Py_XDECREF(ax);
    Py_XDECREF(at);
    Py_XDECREF(last);
    return answer;
}

static int call_f(void *user, const double *x, const double *theta, const unsigned char *on, double *rate) {
    const Ode *o = user;
    if (PyErr_Occurred() || PyErr_CheckSignals() != 0) return 1;
    PyObject *answer = ask(o, o->f, NULL, x, theta, flags_of(o, on));
    int status = answer == NULL || take_result(answer, 0, "rate", o->ode.n, -1, rate);
    Py_XDECREF(answer);
    return status;
}

static int call_jac(void *user, const double *x, const double *theta, const unsigned char *on, double *f_x,
                    double *f_theta) {
    const Ode *o = user;
    if (PyErr_Occurred()) return 1;
    PyObject *answer = ask(o, o->jac, NULL, x, theta, flags_of(o, on));
    int status = answer == NULL || take_result(answer, 0, "f_x", o->ode.n, o->ode.n, f_x) ||
                 take_result(answer, 1, "f_theta", o->ode.n, o->ode.ntheta, f_theta);
    Py_XDECREF(answer);
    return status;
}

static int call_gaps(void *user, const double *x, const double *theta, double *gap, double *gap_x, double *gap_theta) {
    const Ode *o = user;
    if (PyErr_Occurred()) return 1;
    PyObject *answer = ask(o, o->gaps, NULL, x, theta, NULL);
    int status = answer == NULL || take_result(answer, 0, "gap", o->ode.ngap, -1, gap) ||
                 take_result(answer, 1, "gap_x", o->ode.ngap, o->ode.n, gap_x) ||
                 take_result(answer, 2, "gap_theta", o->ode.ngap, o->ode.ntheta, gap_theta);
    Py_XDECREF(answer);
    return status;
}

static int call_reset(void *user, int i, double *x, const double *theta, double *x_x, double *x_theta) {
    const Ode *o = user;
    if (PyErr_Occurred()) return 1;
    PyObject *number = PyLong_FromLong(i), *answer = number == NULL ? NULL : ask(o, o->reset, number, x, theta, NULL);
    Py_XDECREF(number);
    int status = answer == NULL || take_result(answer, 0, "x", o->ode.n, -1, x) ||
                 take_result(answer, 1, "x_x", o->ode.n, o->ode.n, x_x) ||
                 take_result(answer, 2, "x_theta", o->ode.n, o->ode.ntheta, x_theta);
    Py_XDECREF(answer);
    return status;
}

/* --- Making ------------------------------------------------------------------------------------------------------- */

static const char *const own_names[] = {"f", "n", "jac", "gaps", "reset", "ntheta", "ngap", NULL};

static PyObject *keyword(PyObject *keywords, const char *name) {
    PyObject *o = keywords == NULL ? NULL : PyDict_GetItemString(keywords, name);
    return o == Py_None ? NULL : o;
}

static int take_function(PyObject *keywords, const char *name, PyObject **to) {
    PyObject *o = keyword(keywords, name);
    if (o != NULL && !PyCallable_Check(o)) {
        PyErr_Format(PyExc_TypeError, "%s must be callable", name);
        return -1;
    }
    *to = Py_XNewRef(o);
    return 0;
}

static int take_sizes(PyObject *keywords, tacOde *ode) {
    PyObject *ntheta = keyword(keywords, "ntheta"), *ngap = keyword(keywords, "ngap");
    if (ntheta != NULL && tacpy_int(ntheta, "ntheta", &ode->ntheta) != 0) return -1;
    return ngap != NULL && tacpy_int(ngap, "ngap", &ode->ngap) != 0 ? -1 : 0;
}

static int take_options(PyObject *keywords, tacOdeOptions *options) {
    Py_ssize_t at = 0;
    PyObject *key, *value;
    while (keywords != NULL && PyDict_Next(keywords, &at, &key, &value)) {
        const char *name = tacpy_text(key, "option");
        if (name == NULL) return -1;
        int own = 0;
        for (int i = 0; own_names[i] != NULL; i++)
            own |= strcmp(own_names[i], name) == 0;
        if (own) continue;
        const tacpyField *field = tacpy_find_field(&tacpy_table_tacOdeOptions, name);
        if (field == NULL || strcmp(name, "cookie") == 0) {
            PyErr_Format(PyExc_TypeError, "Ode() has no option '%s'", name);
            return -1;
        }
        if (tacpy_set_field(field, options, value) != 0) return -1;
    }
    return 0;
}

static int open_ode(Ode *self, PyObject *keywords) {
    self->options = tac_default_ode_options();
    if (take_function(keywords, "jac", &self->jac) || take_function(keywords, "gaps", &self->gaps) ||
        take_function(keywords, "reset", &self->reset) || take_sizes(keywords, &self->ode) ||
        take_options(keywords, &self->options))
        return -1;
    self->ode.user = self;
    self->ode.f = call_f;
    self->ode.f_jac = self->jac != NULL ? call_jac : NULL;
    self->ode.gaps = self->gaps != NULL ? call_gaps : NULL;
    self->ode.reset = self->reset != NULL ? call_reset : NULL;
    tacError err = {.status = TAC_OK};
    size_t bytes = tac_ode_bytes(&self->ode, &self->options, &err);
    if (bytes == 0) {
        tacpy_raise(&err);
        return -1;
    }
    self->memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (self->memory == NULL) PyErr_NoMemory();
    return self->memory == NULL ? -1 : 0;
}

/* Ode(f, n, *, jac, gaps, reset, ntheta, ngap, **options) */
static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *f;
    int n;
    if (!PyArg_ParseTuple(args, "Oi:Ode", &f, &n)) return NULL;
    if (!PyCallable_Check(f)) {
        PyErr_SetString(PyExc_TypeError, "f must be callable: f(x, theta, on)");
        return NULL;
    }
    Ode *self = (Ode *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    self->f = Py_NewRef(f);
    self->ode.n = n;
    if (open_ode(self, keywords) != 0) Py_CLEAR(self);
    return (PyObject *)self;
}

static void free_ode(PyObject *o) {
    Ode *self = (Ode *)o;
    Py_XDECREF(self->f);
    Py_XDECREF(self->jac);
    Py_XDECREF(self->gaps);
    Py_XDECREF(self->reset);
    free(self->memory);
    tacpy_free_object(o);
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

enum { X0, THETA, FIRST, SECOND, ARRAYS };
typedef struct Call {
    double span;
    tacpyArray in[ARRAYS], out[ARRAYS];
} Call;

/* (span, x0, theta) of every call. */
static int take_start(const Ode *o, PyObject *const *given, Call *c) {
    tacpyShape n = {1, {o->ode.n}}, ntheta = {1, {o->ode.ntheta}};
    if (tacpy_real(given[0], "span", &c->span) != 0 || tacpy_input(given[1], "x0", &n, &c->in[X0]) != 0) return -1;
    if (given[2] == NULL || given[2] == Py_None) return 0;
    return tacpy_input(given[2], "theta", &ntheta, &c->in[THETA]);
}

static int new_out(Call *c, int i, int dims, Py_ssize_t rows, Py_ssize_t columns) {
    tacpyShape shape = {dims, {rows, columns}};
    return tacpy_new_array(&shape, &c->out[i]);
}

/* The arrays that were made, or NULL with what went wrong. */
static PyObject *end(Call *c, int made, tacStatus status, int count) {
    PyObject *result = NULL, *array = NULL;
    if (made && PyErr_Occurred() == NULL && status != TAC_OK) tacpy_raise_status(status, NULL);
    if (made && !PyErr_Occurred()) result = PyTuple_New(count);
    for (int i = 0; i < ARRAYS; i++) {
        tacpy_release(&c->in[i], NULL);
        tacpy_release(&c->out[i], &array);
        if (result != NULL && i < count)
            PyTuple_SetItem(result, i, array);
        else
            Py_XDECREF(array);
    }
    return result;
}

static int enter(Ode *o) {
    if (o->busy) PyErr_SetString(PyExc_RuntimeError, "this Ode is in a call already");
    return o->busy ? -1 : (o->busy = 1, 0);
}

static PyObject *first_of(PyObject *tuple) {
    PyObject *o = tuple == NULL ? NULL : Py_NewRef(PyTuple_GetItem(tuple, 0));
    Py_XDECREF(tuple);
    return o;
}

static PyObject *solve(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    static const char *const names[] = {"span", "x0", "theta", NULL};
    Ode *o = (Ode *)self;
    PyObject *given[3];
    Call c;
    memset(&c, 0, sizeof c);
    if (tacpy_arguments("solve", names, 3, 2, args, n, keywords, given) != 0 || enter(o) != 0) return NULL;
    int made = take_start(o, given, &c) == 0 && new_out(&c, 0, 1, o->ode.n, 0) == 0;
    tacStatus status = made ? tac_ode_solve(&o->ode, &o->options, c.span, c.in[X0].data, c.in[THETA].data,
                                            c.out[0].data, o->memory, &o->info)
                            : TAC_OK;
    o->busy = 0;
    return first_of(end(&c, made, status, 1));
}

static PyObject *jac(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    static const char *const names[] = {"span", "x0", "theta", NULL};
    Ode *o = (Ode *)self;
    PyObject *given[3];
    Call c;
    memset(&c, 0, sizeof c);
    if (tacpy_arguments("jac", names, 3, 2, args, n, keywords, given) != 0 || enter(o) != 0) return NULL;
    int size = o->ode.n, made = take_start(o, given, &c) == 0 && new_out(&c, 0, 1, size, 0) == 0 &&
                                new_out(&c, 1, 2, size, size) == 0 && new_out(&c, 2, 2, size, o->ode.ntheta) == 0 &&
                                new_out(&c, 3, 1, size, 0) == 0;
    tacOdeJac j = {c.out[1].data, c.out[2].data, c.out[3].data};
    tacStatus status = made ? tac_ode_jac(&o->ode, &o->options, c.span, c.in[X0].data, c.in[THETA].data, c.out[0].data,
                                          &j, o->memory, &o->info)
                            : TAC_OK;
    o->busy = 0;
    return end(&c, made, status, 4);
}

static PyObject *jvp(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    static const char *const names[] = {"span", "x0", "theta", "dx0", "dtheta", "dspan", NULL};
    Ode *o = (Ode *)self;
    PyObject *given[6];
    Call c;
    memset(&c, 0, sizeof c);
    if (tacpy_arguments("jvp", names, 6, 2, args, n, keywords, given) != 0 || enter(o) != 0) return NULL;
    tacpyShape dx = {1, {o->ode.n}}, dtheta = {1, {o->ode.ntheta}};
    double dspan = 0;
    int made = take_start(o, given, &c) == 0 && new_out(&c, 0, 1, o->ode.n, 0) == 0;
    if (made && given[3] != NULL && given[3] != Py_None) made = tacpy_input(given[3], "dx0", &dx, &c.in[FIRST]) == 0;
    if (made && given[4] != NULL && given[4] != Py_None)
        made = tacpy_input(given[4], "dtheta", &dtheta, &c.in[SECOND]) == 0;
    if (made && given[5] != NULL) made = tacpy_real(given[5], "dspan", &dspan) == 0;
    tacOdeTangent along = {c.in[FIRST].data, c.in[SECOND].data, dspan};
    tacStatus status = made ? tac_ode_jvp(&o->ode, &o->options, c.span, c.in[X0].data, c.in[THETA].data, &along,
                                          c.out[0].data, o->memory, &o->info)
                            : TAC_OK;
    o->busy = 0;
    return first_of(end(&c, made, status, 1));
}

static PyObject *vjp(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {
    static const char *const names[] = {"span", "x0", "xbar", "theta", NULL};
    Ode *o = (Ode *)self;
    PyObject *given[4];
    Call c;
    memset(&c, 0, sizeof c);
    if (tacpy_arguments("vjp", names, 4, 3, args, n, keywords, given) != 0 || enter(o) != 0) return NULL;
    PyObject *const starting[] = {given[0], given[1], given[3]};
    tacpyShape xbar = {1, {o->ode.n}};
    int made = take_start(o, starting, &c) == 0 && tacpy_input(given[2], "xbar", &xbar, &c.in[FIRST]) == 0 &&
               new_out(&c, 0, 1, o->ode.n, 0) == 0 && new_out(&c, 1, 1, o->ode.ntheta, 0) == 0 &&
               new_out(&c, 2, 1, 1, 0) == 0;
    tacOdeGrad grad = {c.out[0].data, c.out[1].data, c.out[2].data};
    tacStatus status = made ? tac_ode_vjp(&o->ode, &o->options, c.span, c.in[X0].data, c.in[THETA].data,
                                          c.in[FIRST].data, &grad, o->memory, &o->info)
                            : TAC_OK;
    o->busy = 0;
    return end(&c, made, status, 3);
}

static PyObject *get_info(PyObject *self, void *unused) {
    (void)unused;
    return tacpy_struct(&tacpy_table_tacStepInfo, &((Ode *)self)->info);
}

static PyGetSetDef attributes[] = {{"info", get_info, NULL, DOC_Ode_info, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef methods[] = {
    TACPY_METHOD("solve", solve, DOC_Ode_solve),
    TACPY_METHOD("jac", jac, DOC_Ode_jac),
    TACPY_METHOD("jvp", jvp, DOC_Ode_jvp),
    TACPY_METHOD("vjp", vjp, DOC_Ode_vjp),
    {NULL, NULL, 0, NULL},
};

int tacpy_add_ode(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_new, (void *)make}, {Py_tp_dealloc, (void *)free_ode}, {Py_tp_getset, attributes},
                           {Py_tp_methods, methods},  {Py_tp_doc, (void *)DOC_Ode},      {0, NULL}};
    PyType_Spec spec = {"tactus._core.Ode", sizeof(Ode), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    PyTypeObject *type = tacpy_add_type(module, &spec, "Ode");
    Py_XDECREF((PyObject *)type);
    return type == NULL ? -1 : 0;
}
