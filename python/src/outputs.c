/* tactus.Outputs: a list of quantities of a model. */
#include "sim.h"

typedef struct Outputs {
    PyObject_HEAD PyObject *model;
    int nz;
    tacOutputs outputs;
    tacOutput *list;
} Outputs;

/* The kind of element that the ids of an output kind are of; TAC_KIND_NONE: numbers alone. */
static tacKind element_of(tacOutputKind kind) {
    switch (kind) {
    case TAC_OUT_BODY_POS:
    case TAC_OUT_BODY_MAT:
    case TAC_OUT_BODY_COM:
    case TAC_OUT_SUBTREE_COM:
    case TAC_OUT_SUBTREE_VELOCITY:
    case TAC_OUT_BODY_VELOCITY:
    case TAC_OUT_CONTACT_FORCE:
        return TAC_KIND_BODY;
    case TAC_OUT_GEOM_POS:
    case TAC_OUT_GEOM_MAT:
    case TAC_OUT_PAIR_FORCE:
    case TAC_OUT_GROWTH:
        return TAC_KIND_GEOM;
    case TAC_OUT_SITE_POS:
    case TAC_OUT_SITE_MAT:
    case TAC_OUT_SITE_VELOCITY:
        return TAC_KIND_SITE;
    case TAC_OUT_JOINT_POS:
    case TAC_OUT_JOINT_AXIS:
        return TAC_KIND_JOINT;
    case TAC_OUT_TENDON_LENGTH:
    case TAC_OUT_TENDON_VELOCITY:
        return TAC_KIND_TENDON;
    case TAC_OUT_ACTUATOR_LENGTH:
    case TAC_OUT_ACTUATOR_VELOCITY:
    case TAC_OUT_ACTUATOR_FORCE:
        return TAC_KIND_ACTUATOR;
    default:
        return TAC_KIND_NONE;
    }
}

/* An id, a name, or None for all of a kind. */
static int take_id(const tacModel *m, tacOutputKind kind, PyObject *o, int *id) {
    if (o == Py_None) {
        *id = TAC_OUT_ALL;
        return 0;
    }
    if (PyUnicode_Check(o) && element_of(kind) == TAC_KIND_NONE) {
        PyErr_SetString(PyExc_TypeError, "this output has a number, not a name");
        return -1;
    }
    return tacpy_element(m, element_of(kind), o, "id", id);
}

/* (kind, id, id2, kappa) -> an output. */
static int take_entry(const tacModel *m, PyObject *entry, tacOutput *to) {
    PyObject *word, *id, *id2 = NULL;
    double kappa = 0;
    int kind = 0;
    if (!PyTuple_Check(entry)) {
        PyErr_SetString(PyExc_TypeError, "an output is a tuple (kind, id, id2, kappa)");
        return -1;
    }
    if (!PyArg_ParseTuple(entry, "OO|Od", &word, &id, &id2, &kappa)) return -1;
    if (tacpy_enum("OutputKind", word, &kind) != 0) return -1;
    *to = (tacOutput){.kind = (tacOutputKind)kind, .kappa = kappa};
    if (take_id(m, to->kind, id, &to->id) != 0) return -1;
    return id2 == NULL || id2 == Py_None ? 0 : take_id(m, to->kind, id2, &to->id2);
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *model, *entries;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OO:Outputs", &model, &entries)) return NULL;
    tacModel *m = tacpy_model_of(model);
    PyObject *tuple = m == NULL ? NULL : PySequence_Tuple(entries);
    if (tuple == NULL) return NULL;
    int n = (int)PyTuple_Size(tuple), status = 0;
    Outputs *self = (Outputs *)PyType_GenericAlloc(type, 0);
    if (self == NULL) {
        Py_DECREF(tuple);
        return NULL;
    }
    self->model = Py_NewRef(model);
    self->list = PyMem_Calloc((size_t)n + 1, sizeof *self->list);
    if (self->list == NULL) {
        PyErr_NoMemory();
        status = -1;
    }
    self->outputs = (tacOutputs){n, self->list};
    for (int i = 0; i < n && status == 0; i++)
        status = take_entry(m, PyTuple_GetItem(tuple, i), &self->list[i]);
    Py_DECREF(tuple);
    if (status == 0 && (self->nz = tac_outputs_size(m, &self->outputs)) < 0) {
        tacpy_raise_status(TAC_ERR_ARGUMENT, "an output has a kind or id that the model does not have");
        status = -1;
    }
    if (status != 0) Py_CLEAR(self);
    return (PyObject *)self;
}

static void free_outputs(PyObject *o) {
    Py_XDECREF(((Outputs *)o)->model);
    PyMem_Free(((Outputs *)o)->list);
    tacpy_free_object(o);
}

const tacOutputs *tacpy_outputs_of(PyObject *o, const tacModel *model, Py_ssize_t *nz) {
    int is = PyObject_IsInstance(o, (PyObject *)tacpy.outputs);
    if (is == 0) PyErr_SetString(PyExc_TypeError, "expected tactus.Outputs");
    if (is != 1) return NULL;
    const Outputs *self = (Outputs *)o;
    const tacModel *own = ((tacpyModel *)self->model)->model;
    *nz = own == model ? self->nz : tac_outputs_size(model, &self->outputs);
    if (*nz >= 0) return &self->outputs;
    tacpy_raise_status(TAC_ERR_ARGUMENT, "the outputs are of another model");
    return NULL;
}

static PyObject *get_nz(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(((Outputs *)self)->nz);
}
static PyObject *get_model(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef(((Outputs *)self)->model);
}
static PyObject *get_entries(PyObject *self, void *unused) {
    (void)unused;
    const Outputs *o = (Outputs *)self;
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < o->outputs.n; i++) {
        const tacOutput *e = &o->list[i];
        PyObject *id = e->id == TAC_OUT_ALL ? Py_NewRef(Py_None) : PyLong_FromLong(e->id);
        PyObject *row = id == NULL ? NULL : Py_BuildValue("iNid", (int)e->kind, id, e->id2, e->kappa);
        if (row == NULL || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}
static PyObject *get_sizes(PyObject *self, void *unused) {
    (void)unused;
    const Outputs *o = (Outputs *)self;
    const tacModel *m = ((tacpyModel *)o->model)->model;
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < o->outputs.n; i++) {
        PyObject *size = PyLong_FromLong(tac_outputs_size(m, &(tacOutputs){1, &o->list[i]}));
        if (size == NULL || PyList_Append(list, size) != 0) Py_CLEAR(list);
        Py_XDECREF(size);
    }
    return list;
}

static PyGetSetDef attributes[] = {
    {"model", get_model, NULL, DOC_Outputs_model, NULL},
    {"nz", get_nz, NULL, DOC_Outputs_nz, NULL},
    {"entries", get_entries, NULL, DOC_Outputs_entries, NULL},
    {"sizes", get_sizes, NULL, DOC_Outputs_sizes, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

int tacpy_add_outputs(PyObject *module) {
    PyType_Slot slots[] = {{Py_tp_new, (void *)make},
                           {Py_tp_dealloc, (void *)free_outputs},
                           {Py_tp_getset, attributes},
                           {Py_tp_doc, (void *)DOC_Outputs},
                           {0, NULL}};
    PyType_Spec spec = {"tactus._core.Outputs", sizeof(Outputs), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    tacpy.outputs = tacpy_add_type(module, &spec, "Outputs");
    return tacpy.outputs == NULL ? -1 : 0;
}
