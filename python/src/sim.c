#include "sim.h"

#include "options.h"

#include <stdlib.h>
#include <string.h>

static const char *failure(tacpyWorlds *self, tacStatus status) {
    const char *text = tac_sim_error(((tacpySim *)self)->sim);
    return text != NULL && *text != '\0' ? text : tac_status_text(status);
}

void *tacpy_sim_memory(tacpySim *self, size_t bytes) {
    if (bytes <= self->bytes) return self->memory;
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL) return NULL;
    free(self->memory);
    self->memory = memory;
    self->bytes = bytes;
    return memory;
}

/* --- Making and freeing ------------------------------------------------------------------------------------------- */

/* (model, keywords) -> the object's options. */
static int take_settings(tacpyWorlds *self, PyObject *model, PyObject *keywords) {
    static const char *const skip[] = {"on_unsolved", NULL};
    tacModel *m = tacpy_model_of(model);
    if (m == NULL) return -1;
    self->options = tac_default_options(m);
    if (tacpy_take_unsolved(keywords, &self->unsolved) != 0) return -1;
    return tacpy_take_options(keywords, skip, &self->options);
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *model;
    tacError err;
    if (!PyArg_ParseTuple(args, "O:Sim", &model)) return NULL;
    tacpySim *self = (tacpySim *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    tacpyWorlds *w = &self->worlds;
    w->text = failure;
    if (take_settings(w, model, keywords) != 0) {
        Py_DECREF(self);
        return NULL;
    }
    w->model = Py_NewRef(model);
    const tacModel *m = tacpy_sim_model(self);
    w->options.stop = &w->stop;
    tacStatus status;
    Py_BEGIN_ALLOW_THREADS status = tac_sim_new(m, &w->options, &self->sim, &err);
    Py_END_ALLOW_THREADS if (status != TAC_OK) {
        Py_DECREF(self);
        return tacpy_raise(&err);
    }
    tac_sim_options(self->sim, &w->options);
    self->info = (tacStepInfo){.bad_index = -1, .first_unsolved = -1};
    tacpy_fill_sizes(w, m);
    return (PyObject *)self;
}

static void free_sim(PyObject *o) {
    tacpySim *self = (tacpySim *)o;
    tac_sim_free(self->sim);
    free(self->memory);
    Py_XDECREF(self->worlds.model);
    tacpy_free_object(o);
}

/* --- Attributes --------------------------------------------------------------------------------------------------- */

static PyObject *get_info(PyObject *self, void *unused) {
    (void)unused;
    return tacpy_struct(&tacpy_table_tacStepInfo, &((tacpySim *)self)->info);
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
static PyObject *get_peak(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(tac_sim_peak(((tacpySim *)self)->sim));
}
static PyObject *get_bytes(PyObject *self, void *unused) {
    (void)unused;
    const tacpySim *s = (tacpySim *)self;
    return PyLong_FromSize_t(tac_sim_bytes(tacpy_sim_model(s), &s->worlds.options));
}
static PyObject *get_error(PyObject *self, void *unused) {
    (void)unused;
    return PyUnicode_FromString(tac_sim_error(((tacpySim *)self)->sim));
}

static PyObject *get_theta(PyObject *self, void *unused) {
    (void)unused;
    tacpySim *s = (tacpySim *)self;
    tacpyShape shape = {1, {s->worlds.size[D_NPARAM]}};
    tacpyArray theta = {{0}};
    PyObject *array = NULL;
    if (tacpy_enter(&s->worlds) != 0) return NULL;
    if (tacpy_new_array(&shape, &theta) == 0) tac_sim_get_params(s->sim, theta.data);
    tacpy_release(&theta, &array);
    tacpy_leave(&s->worlds);
    return array;
}

static int set_theta(PyObject *self, PyObject *value, void *unused) {
    (void)unused;
    tacpySim *s = (tacpySim *)self;
    tacpyShape shape = {1, {s->worlds.size[D_NPARAM]}};
    tacpyArray theta = {{0}};
    tacStatus status = TAC_OK;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "theta cannot be deleted");
        return -1;
    }
    int done = tacpy_input(value, "theta", &shape, &theta) == 0 && tacpy_enter(&s->worlds) == 0;
    if (done) {
        status = tac_sim_set_params(s->sim, theta.data);
        if (status != TAC_OK) tacpy_raise_status(status, tac_sim_error(s->sim));
        tac_sim_options(s->sim, &s->worlds.options); /* dt may be among them */
        tacpy_leave(&s->worlds);
    }
    tacpy_release(&theta, NULL);
    return done && status == TAC_OK ? 0 : -1;
}

/* --- States and inputs -------------------------------------------------------------------------------------------- */

/* (key or None) -> x and u of the keyframe, or the defaults. */
static PyObject *start(PyObject *self, PyObject *key) {
    tacpySim *s = (tacpySim *)self;
    const tacModel *m = tacpy_sim_model(s);
    tacpyShape nx = {1, {s->worlds.size[D_NX]}}, nu = {1, {s->worlds.size[D_NINPUT]}};
    tacpyArray x = {{0}}, u = {{0}};
    PyObject *ax = NULL, *au = NULL;
    tacError err = {.status = TAC_OK};
    int id = -1, made = tacpy_new_array(&nx, &x) == 0 && tacpy_new_array(&nu, &u) == 0;
    if (made && key == Py_None) {
        tac_default_state(m, x.data);
        tac_default_input(m, &s->worlds.options, u.data);
    } else if (made) {
        const char *name = PyUnicode_Check(key) ? tacpy_text(key, "key") : NULL;
        made = PyUnicode_Check(key) ? name != NULL : tacpy_int(key, "key", &id) == 0;
        if (made && name != NULL) id = tac_model_find(m, TAC_KIND_KEY, name);
        if (made && tac_key_state(m, &s->worlds.options, id, x.data, u.data, &err) != TAC_OK) {
            tacpy_raise(&err);
            made = 0;
        }
    }
    tacpy_release(&x, &ax);
    tacpy_release(&u, &au);
    PyObject *result = made ? PyTuple_Pack(2, ax, au) : NULL;
    Py_XDECREF(ax);
    Py_XDECREF(au);
    return result;
}

/* --- The type ----------------------------------------------------------------------------------------------------- */

static PyGetSetDef attributes[] = {
    {"model", get_model, NULL, DOC_Sim_model, NULL},
    {"info", get_info, NULL, DOC_Sim_info, NULL},
    {"options", get_options, NULL, DOC_Sim_options, NULL},
    {"nx", get_size, NULL, DOC_Sim_nx, (void *)(size_t)D_NX},
    {"ndx", get_size, NULL, DOC_Sim_ndx, (void *)(size_t)D_NDX},
    {"ninput", get_size, NULL, DOC_Sim_ninput, (void *)(size_t)D_NINPUT},
    {"nparam", get_size, NULL, DOC_Sim_nparam, (void *)(size_t)D_NPARAM},
    {"theta", get_theta, set_theta, DOC_Sim_theta, NULL},
    {"peak", get_peak, NULL, DOC_Sim_peak, NULL},
    {"nbytes", get_bytes, NULL, DOC_Sim_nbytes, NULL},
    {"error", get_error, NULL, DOC_Sim_error, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef own_methods[] = {
    {"_start", start, METH_O, DOC_Sim__start},
    {NULL, NULL, 0, NULL},
};

static size_t length(const PyMethodDef *methods) {
    size_t n = 0;
    while (methods[n].ml_name != NULL)
        n++;
    return n;
}

/* All methods in one table, which lives as long as the interpreter. */
static PyMethodDef *join_methods(void) {
    PyMethodDef *const parts[] = {own_methods, tacpy_step_methods, tacpy_quantity_methods, tacpy_contact_methods,
                                  tacpy_pull_methods};
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t n = 0, at = 0;
    for (int i = 0; i < PARTS; i++)
        n += length(parts[i]);
    PyMethodDef *all = PyMem_Calloc(n + 1, sizeof *all);
    for (int i = 0; all != NULL && i < PARTS; i++) {
        memcpy(all + at, parts[i], length(parts[i]) * sizeof *all);
        at += length(parts[i]);
    }
    return all;
}

int tacpy_add_sim(PyObject *module) {
    PyMethodDef *methods = join_methods();
    if (methods == NULL) return -1;
    PyType_Slot slots[] = {{Py_tp_new, (void *)make}, {Py_tp_dealloc, (void *)free_sim}, {Py_tp_getset, attributes},
                           {Py_tp_methods, methods},  {Py_tp_doc, (void *)DOC_Sim},      {0, NULL}};
    PyType_Spec spec = {"tactus._core.Sim", sizeof(tacpySim), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    tacpy.sim = tacpy_add_type(module, &spec, "Sim");
    return tacpy.sim == NULL ? -1 : 0;
}
