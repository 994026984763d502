#include "call.h"

#include <signal.h>
#include <string.h>

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

void tacpy_fill_sizes(tacpyWorlds *self, const tacModel *m) {
    Py_ssize_t *size = self->size;
    size[D_NQ] = m->nq;
    size[D_NV] = m->nv;
    size[D_NX] = tac_nx(m);
    size[D_NDX] = tac_ndx(m);
    size[D_NU] = m->nu;
    size[D_NA] = m->na;
    size[D_NINPUT] = tac_ninput(m, &self->options);
    size[D_NPARAM] = m->nparam;
    size[D_NBODY] = m->nbody;
    size[D_NJNT] = m->njnt;
    size[D_NGEOM] = m->ngeom;
    size[D_NSITE] = m->nsite;
    size[D_NTENDON] = m->ntendon;
    size[D_2NV] = 2 * (Py_ssize_t)m->nv;
    size[D_7NBODY] = 7 * (Py_ssize_t)m->nbody;
    size[D_6NBODY] = 6 * (Py_ssize_t)m->nbody;
    size[D_10NBODY] = TAC_INERTIAL_SIZE * (Py_ssize_t)m->nbody;
    size[D_12NBODY] = 12 * (Py_ssize_t)m->nbody;
    size[D_NMAXIMAL] = 12 * (Py_ssize_t)m->nbody + m->na;
}

static Py_ssize_t resolve(const tacpyCall *c, short dim) {
    if (dim < 0) return -dim;
    if (dim == D_STEPS) return c->steps;
    if (dim == D_STEPS1) return c->steps < 0 ? -1 : c->steps + 1;
    return dim == D_NZ ? c->nz : c->self->size[dim];
}

/* The shape of an array; a batch's has the worlds first. */
static void shape_of(const tacpyCall *c, const short *dim, tacpyShape *shape) {
    shape->n = 0;
    if (c->self->worlds > 0) shape->dim[shape->n++] = c->self->worlds;
    for (int i = 0; i < 3 && dim[i] != D_END; i++)
        shape->dim[shape->n++] = resolve(c, dim[i]);
}

/* --- One thread at a time ----------------------------------------------------------------------------------------- */

int tacpy_enter(tacpyWorlds *self) {
    if (!self->busy) {
        self->busy = 1;
        return 0;
    }
    PyErr_Format(PyExc_RuntimeError, "this %s is in a call of another thread: give each thread its own",
                 self->worlds > 0 ? "Batch" : "Sim");
    return -1;
}

void tacpy_leave(tacpyWorlds *self) { self->busy = 0; }

/* --- Ctrl-C ------------------------------------------------------------------------------------------------------- */

/* The flag that the handler sets; of the call in the main thread. */
static volatile int *volatile watched;
static struct sigaction before;

static void note_signal(int number, siginfo_t *info, void *context) {
    if (watched != NULL) *watched = 1;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
}

/* Python's handlers run in the main thread alone; that is where a call may be interrupted. */
static int in_main_thread(void) {
    static unsigned long main_thread;
    if (main_thread == 0) {
        PyObject *threading = PyImport_ImportModule("threading");
        PyObject *thread = threading == NULL ? NULL : PyObject_CallMethod(threading, "main_thread", NULL);
        PyObject *id = thread == NULL ? NULL : PyObject_GetAttrString(thread, "ident");
        if (id != NULL) main_thread = PyLong_AsUnsignedLongMask(id);
        Py_XDECREF(threading);
        Py_XDECREF(thread);
        Py_XDECREF(id);
        if (PyErr_Occurred()) PyErr_Clear();
    }
    return main_thread == PyThread_get_thread_ident();
}

int tacpy_watch(volatile int *flag) {
    if (watched != NULL || !in_main_thread()) return 0;
    if (sigaction(SIGINT, NULL, &before) != 0) return 0;
    if (!(before.sa_flags & SA_SIGINFO) && (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)) return 0;
    struct sigaction own = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO | (before.sa_flags & ~SA_SIGINFO)};
    own.sa_mask = before.sa_mask;
    watched = flag;
    if (sigaction(SIGINT, &own, NULL) == 0) return 1;
    watched = NULL;
    return 0;
}

void tacpy_unwatch(int watching) {
    if (!watching) return;
    sigaction(SIGINT, &before, NULL);
    watched = NULL;
}

/* --- Arguments ---------------------------------------------------------------------------------------------------- */

/* Positions: a state or nq numbers. Motions: a state, or nq + nv numbers. */
static int take_state(tacpyCall *c, const tacpyArg *arg, PyObject *o, tacpyArray *a) {
    const Py_ssize_t *size = c->self->size;
    Py_ssize_t least = size[D_NQ] + (arg->type == A_MOTION ? size[D_NV] : 0);
    tacpyShape shape = {1, {-1}};
    if (tacpy_input(o, arg->name, &shape, a) != 0) return -1;
    if (shape.dim[0] == size[D_NX] || shape.dim[0] == least) return 0;
    tacpy_raise_shape("%s has %zd numbers, expected %zd (a state) or %zd", arg->name, shape.dim[0], size[D_NX], least);
    return -1;
}

static int take_array(tacpyCall *c, const tacpyArg *arg, PyObject *o, tacpyArray *a) {
    tacpyShape shape;
    shape_of(c, arg->dim, &shape);
    if (tacpy_input(o, arg->name, &shape, a) != 0) return -1;
    for (int i = 0; i < 3 && arg->dim[i] != D_END && c->steps < 0; i++) {
        Py_ssize_t found = shape.dim[i + (c->self->worlds > 0)];
        if (arg->dim[i] == D_STEPS) c->steps = found;
        if (arg->dim[i] == D_STEPS1) c->steps = found - 1;
        if (c->steps > 0x7ffffffe) {
            tacpy_raise_shape("%s has %zd steps: too many", arg->name, c->steps);
            return -1;
        }
    }
    return 0;
}

static int take_argument(tacpyCall *c, int i, PyObject *o) {
    const tacpyArg *arg = &c->row->arg[i];
    const tacModel *m = ((tacpyModel *)c->self->model)->model;
    tacKind kind = (tacKind)arg->dim[0];
    switch (arg->type) {
    case A_ARRAY:
        return take_array(c, arg, o, &c->in[i]);
    case A_POSITION:
    case A_MOTION:
        return take_state(c, arg, o, &c->in[i]);
    case A_INT:
        return tacpy_int(o, arg->name, &c->whole[i]);
    case A_REAL:
        return tacpy_real(o, arg->name, &c->real[i]);
    case A_KIND:
        if (tacpy_kind(o, &kind) != 0) return -1;
        c->whole[i] = kind;
        return 0;
    case A_ELEMENT:
        if (kind == TAC_KIND_NONE) kind = (tacKind)c->whole[i - 1];
        return tacpy_element(m, kind, o, arg->name, &c->whole[i]);
    case A_OBJECT:
        c->object[i] = o;
        return 0;
    }
    return 0;
}

/* --- Results ------------------------------------------------------------------------------------------------------ */

static int is_wanted(const tacpyRow *row, const char *want, int i) {
    char letter = row->out[i].letter;
    return letter == 0 || want == NULL || strchr(want, letter) != NULL;
}

static int check_want(const tacpyRow *row, const char *want) {
    for (const char *p = want; p != NULL && *p != '\0'; p++) {
        int known = 0;
        for (int i = 0; row->out[i].name != NULL; i++)
            known |= row->out[i].letter == *p;
        if (!known) {
            PyErr_Format(PyExc_ValueError, "%s() gives no '%c'; want is some of \"%s\"", row->name, (int)*p, row->want);
            return -1;
        }
    }
    return 0;
}

/* Does memory that the call writes lie over memory that it reads, other than exactly so where that is fine? */
static int overlaps(const tacpyCall *c, int out) {
    const tacpyArray *a = &c->out[out];
    const char *first = a->view.buf, *last = first + a->view.len;
    for (int i = 0; i < MOST_ARGS; i++) {
        const char *from = c->in[i].view.buf, *to = from + c->in[i].view.len;
        if (c->in[i].data == NULL || from >= last || first >= to) continue;
        if (c->row->in_place && i == 0 && out == 0 && from == first) continue;
        PyErr_Format(PyExc_ValueError, "out overlaps %s", c->row->arg[i].name);
        return 1;
    }
    for (int i = 0; i < out; i++) {
        const char *from = c->out[i].view.buf, *to = from + c->out[i].view.len;
        if (c->out[i].data == NULL || from >= last || first >= to) continue;
        PyErr_SetString(PyExc_ValueError, "two arrays of out overlap");
        return 1;
    }
    return 0;
}

static int make_out(tacpyCall *c, int i, PyObject *given) {
    tacpyShape shape;
    shape_of(c, c->row->out[i].dim, &shape);
    if (given == NULL || given == Py_None) return tacpy_new_array(&shape, &c->out[i]);
    if (tacpy_output(given, "out", &shape, &c->out[i]) != 0) return -1;
    return overlaps(c, i) ? -1 : 0;
}

static int make_outs(tacpyCall *c, const char *want, PyObject *given) {
    int count = 0, taken = 0;
    for (int i = 0; c->row->out[i].name != NULL; i++)
        count += is_wanted(c->row, want, i);
    PyObject *several = given != NULL && given != Py_None && PyTuple_Check(given) ? given : NULL;
    if (several != NULL && PyTuple_Size(several) != count) {
        tacpy_raise_shape("out has %zd arrays, expected %d", PyTuple_Size(several), count);
        return -1;
    }
    if (several == NULL && given != NULL && given != Py_None && count > 1) {
        PyErr_Format(PyExc_TypeError, "out of %s() must be a tuple of %d arrays", c->row->name, count);
        return -1;
    }
    for (int i = 0; c->row->out[i].name != NULL; i++) {
        if (!is_wanted(c->row, want, i)) continue;
        if (make_out(c, i, several != NULL ? PyTuple_GetItem(several, taken) : given) != 0) return -1;
        taken++;
    }
    return 0;
}

/* The arrays as the row says: one, a tuple, or a named tuple. They are taken from the call. */
static PyObject *collect(tacpyCall *c) {
    int count = 0, k = 0;
    for (int i = 0; c->row->out[i].name != NULL; i++)
        count += c->row->result != NULL || c->out[i].owner != NULL;
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != NULL && c->row->out[i].name != NULL; i++) {
        PyObject *array = NULL;
        if (c->row->result == NULL && c->out[i].owner == NULL) continue;
        tacpy_release(&c->out[i], &array);
        if (array == NULL) {
            array = Py_None;
            Py_INCREF(array);
        }
        PyTuple_SetItem(tuple, k++, array);
    }
    if (tuple == NULL) return NULL;
    PyObject *result = NULL;
    if (c->row->result != NULL) {
        PyObject *type = PyObject_GetAttrString(tacpy.results, c->row->result);
        result = type == NULL ? NULL : PyObject_Call(type, tuple, NULL);
        Py_XDECREF(type);
    } else if (count == 1 && c->row->want == NULL) {
        result = PyTuple_GetItem(tuple, 0);
        Py_XINCREF(result);
    } else {
        return tuple;
    }
    Py_DECREF(tuple);
    return result;
}

/* Gives the exception what was computed. */
static void attach(PyObject *result) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value != NULL && PyObject_SetAttrString(value, "result", result) != 0) PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

PyObject *tacpy_end(tacpyWorlds *self, tacStatus status, PyObject *result) {
    if (status == TAC_OK || result == NULL) return result;
    const char *text = self->text(self, status);
    int has_state = status == TAC_ERR_UNSOLVED || status == TAC_ERR_IMPACTS;
    if (has_state && self->unsolved == TACPY_ACCEPT) return result;
    if (has_state && self->unsolved == TACPY_WARN) {
        if (PyErr_WarnEx(tacpy.warning, text, 2) == 0) return result;
        Py_DECREF(result);
        return NULL;
    }
    if (status == TAC_ERR_STOPPED && PyErr_CheckSignals() != 0) { /* KeyboardInterrupt, or what the handler raised */
        Py_DECREF(result);
        return NULL;
    }
    tacpy_raise_status(status, text);
    attach(result);
    Py_DECREF(result);
    return NULL;
}

/* --- A whole call ------------------------------------------------------------------------------------------------- */

static void release_all(tacpyCall *c) {
    for (int i = 0; i < MOST_ARGS; i++)
        tacpy_release(&c->in[i], NULL);
    for (int i = 0; i < MOST_OUTS; i++)
        tacpy_release(&c->out[i], NULL);
}

/* Python's arguments -> arrays of the call. */
static int take_all(tacpyCall *c, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
    const tacpyRow *row = c->row;
    const char *names[MOST_ARGS + 3], *want = row->want;
    PyObject *given[MOST_ARGS + 3];
    int n = 0, needed = 0;
    for (; row->arg[n].name != NULL; n++) {
        names[n] = row->arg[n].name;
        if (!row->arg[n].optional) needed = n + 1;
    }
    int at_out = n, at_want = n + 1, has_out = row->out[0].name != NULL;
    names[at_out] = has_out ? "out" : NULL;
    names[at_want] = has_out && row->want != NULL ? "want" : NULL;
    names[at_want + 1] = NULL;
    given[at_out] = given[at_want] = NULL;
    if (tacpy_arguments(row->name, names, n, needed, args, nargs, keywords, given) != 0) return -1;
    for (int i = 0; i < n; i++)
        if (given[i] != NULL && given[i] != Py_None && take_argument(c, i, given[i]) != 0)
            return -1;
        else if (given[i] == Py_None && !row->arg[i].optional) {
            PyErr_Format(PyExc_TypeError, "%s() needs '%s'; None was given", row->name, row->arg[i].name);
            return -1;
        }
    if (names[at_want] != NULL && given[at_want] != NULL) {
        want = tacpy_text(given[at_want], "want");
        if (want == NULL || check_want(row, want) != 0) return -1;
    }
    return has_out ? make_outs(c, want, given[at_out]) : 0;
}

PyObject *tacpy_call(tacpyWorlds *self, const tacpyRow *row, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *keywords, const tacpyCall *with) {
    tacpyCall c = with != NULL ? *with : (tacpyCall){.nz = 0};
    PyObject *result = NULL;
    c.self = self;
    c.row = row;
    c.steps = -1;
    if (take_all(&c, args, nargs, keywords) == 0 && tacpy_enter(self) == 0) {
        tacStatus status;
        self->stop = 0;
        int watching = row->may_last ? tacpy_watch(&self->stop) : 0;
        Py_BEGIN_ALLOW_THREADS status = row->run(&c);
        Py_END_ALLOW_THREADS tacpy_unwatch(watching);
        result = row->out[0].name != NULL ? collect(&c) : Py_NewRef(Py_None);
        if (c.finish != NULL && result != NULL && (status == TAC_OK || status == TAC_ERR_UNSOLVED))
            result = c.finish(&c, result);
        result = tacpy_end(self, status, result);
        tacpy_leave(self);
    }
    release_all(&c);
    return result;
}
