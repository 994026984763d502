/* tactus.Model: what the world is. It never changes; with_values and register make another one. */
#include "array.h"
#include "block.h"
#include "structure.h"

#include <stdlib.h>
#include <string.h>

/* Longest path of a parameter, with its zero. */
enum { PATH_SIZE = 1024 };

tacModel *tacpy_model_of(PyObject *o) {
    int is = PyObject_IsInstance(o, (PyObject *)tacpy.model);
    if (is == 1) return ((tacpyModel *)o)->model;
    if (is == 0) PyErr_SetString(PyExc_TypeError, "expected a tactus.Model");
    return NULL;
}

static tacModel *own(PyObject *self) { return ((tacpyModel *)self)->model; }

PyObject *tacpy_model_object(PyTypeObject *type, tacModel *model) {
    tacpyModel *self = (tacpyModel *)PyType_GenericAlloc(type != NULL ? type : tacpy.model, 0);
    if (self == NULL) {
        tac_model_free(model);
        return NULL;
    }
    self->model = model;
    self->name = PyUnicode_FromString("");
    self->ignored = PyTuple_New(0);
    self->warnings = PyTuple_New(0);
    return (PyObject *)self;
}

static void free_model(PyObject *o) {
    tacpyModel *self = (tacpyModel *)o;
    tac_model_free(self->model);
    Py_XDECREF(self->name);
    Py_XDECREF(self->ignored);
    Py_XDECREF(self->warnings);
    tacpy_free_object(o);
}

/* --- Sizes and arrays, from the headers' table -------------------------------------------------------------------- */

typedef struct SizeRow {
    size_t offset;
} SizeRow;
static const SizeRow size_rows[] = {
#define S(name, meaning) {offsetof(tacModel, name)},
    TAC_MODEL_SIZES(S)
#undef S
};

/* Numbers of one value of each type of the table. */
enum {
    WIDTH_double = 1,
    WIDTH_int = 1,
    WIDTH_float = 1,
    WIDTH_char = 1,
    WIDTH_tacVec3 = 3,
    WIDTH_tacQuat = 4,
    WIDTH_tacSym3 = 6
};
#define FORMAT_double  "d"
#define FORMAT_tacVec3 "d"
#define FORMAT_tacQuat "d"
#define FORMAT_tacSym3 "d"
#define FORMAT_int     "i"
#define FORMAT_float   "f"
#define FORMAT_char    "B"

typedef struct FieldRow {
    size_t offset, count;
    int width;
    const char *format, *kind;
    size_t per_row; /* rows of one element, for what a keyframe has many of; 0: one row an element */
} FieldRow;
/* The count of a row's arrays, or of one keyframe's part. */
#define PART_nkeyq offsetof(tacModel, nq)
#define PART_nkeyv offsetof(tacModel, nv)
#define PART_nkeya offsetof(tacModel, na)
#define PART_nkeyu offsetof(tacModel, nu)
#define PART_nkeym offsetof(tacModel, nmocap)
static const FieldRow field_rows[] = {
#define X(kind, field, type, per, count, role, meaning)                                                                \
    {offsetof(tacModel, kind##_##field), offsetof(tacModel, count), (per)*WIDTH_##type, FORMAT_##type, #kind, 0},
    TAC_MODEL_FIELDS(X)
#undef X
};

static int size_at(const tacModel *m, size_t offset) { return *(const int *)((const char *)m + offset); }

static PyObject *get_size(PyObject *self, void *closure) {
    return PyLong_FromLong(size_at(own(self), ((const SizeRow *)closure)->offset));
}

/* The part of a keyframe's array that one keyframe has; 0: not such an array. */
static int key_part(const tacModel *m, size_t count) {
    if (count == offsetof(tacModel, nkeyq)) return m->nq;
    if (count == offsetof(tacModel, nkeyv)) return m->nv;
    if (count == offsetof(tacModel, nkeya)) return m->na;
    if (count == offsetof(tacModel, nkeyu)) return m->nu;
    return count == offsetof(tacModel, nkeym) ? m->nmocap : -1;
}

static PyObject *get_array(PyObject *self, void *closure) {
    const FieldRow *row = closure;
    const tacModel *m = own(self);
    const void *data = *(const void *const *)((const char *)m + row->offset);
    int count = size_at(m, row->count), n = 0;
    if (*row->format == 'B') return PyBytes_FromStringAndSize(data, count);
    Py_ssize_t dim[3];
    int part = key_part(m, row->count);
    if (part >= 0) {
        dim[n++] = m->nkey;
        dim[n++] = part;
    } else if (row->count != offsetof(tacModel, noption)) {
        dim[n++] = count;
    }
    if (row->width > 1) dim[n++] = row->width;
    return tacpy_share(self, data, row->format, n, dim);
}

static PyObject *get_nx(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(tac_nx(own(self)));
}
static PyObject *get_ndx(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(tac_ndx(own(self)));
}
static PyObject *get_nparam(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(own(self)->nparam);
}
static PyObject *get_bytes(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(own(self)->bytes);
}
static PyObject *get_max_contacts(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(tac_max_contacts(own(self)));
}

/* The attributes: those below, then sizes, then arrays. Lives as long as the interpreter. */
static PyGetSetDef *make_attributes(void) {
    static const PyGetSetDef first[] = {
        {"nx", get_nx, NULL, DOC_Model_nx, NULL},
        {"ndx", get_ndx, NULL, DOC_Model_ndx, NULL},
        {"nparam", get_nparam, NULL, DOC_Model_nparam, NULL},
        {"nbytes", get_bytes, NULL, DOC_Model_nbytes, NULL},
        {"max_contacts", get_max_contacts, NULL, DOC_Model_max_contacts, NULL},
    };
    static const struct {
        const char *name, *doc;
    } sizes[] =
        {
#define S(name, meaning) {#name, meaning},
            TAC_MODEL_SIZES(S)
#undef S
        },
      arrays[] = {
#define X(kind, field, type, per, count, role, meaning) {#kind "_" #field, meaning},
          TAC_MODEL_FIELDS(X)
#undef X
      };
    enum {
        FIRST = sizeof first / sizeof *first,
        SIZES = sizeof sizes / sizeof *sizes,
        ARRAYS = sizeof arrays / sizeof *arrays
    };
    PyGetSetDef *all = PyMem_Calloc(FIRST + SIZES + ARRAYS + 1, sizeof *all);
    if (all == NULL) return NULL;
    memcpy(all, first, sizeof first);
    for (size_t i = 0; i < SIZES; i++)
        all[FIRST + i] = (PyGetSetDef){sizes[i].name, get_size, NULL, sizes[i].doc, (void *)&size_rows[i]};
    for (size_t i = 0; i < ARRAYS; i++)
        all[FIRST + SIZES + i] = (PyGetSetDef){arrays[i].name, get_array, NULL, arrays[i].doc, (void *)&field_rows[i]};
    return all;
}

/* --- Elements and names ------------------------------------------------------------------------------------------- */

static PyObject *find(PyObject *self, PyObject *args) {
    PyObject *word;
    const char *name;
    tacKind kind;
    if (!PyArg_ParseTuple(args, "Os", &word, &name) || tacpy_kind(word, &kind) != 0) return NULL;
    PyObject *text = PyTuple_GetItem(args, 1);
    int id = -1;
    if (tacpy_element(own(self), kind, text, "name", &id) != 0) return NULL;
    return PyLong_FromLong(id);
}

static PyObject *name(PyObject *self, PyObject *args) {
    PyObject *word;
    tacKind kind;
    int id;
    if (!PyArg_ParseTuple(args, "Oi", &word, &id) || tacpy_kind(word, &kind) != 0) return NULL;
    return PyUnicode_FromString(tac_model_name(own(self), kind, id));
}

static PyObject *label(PyObject *self, PyObject *args) {
    PyObject *word;
    tacKind kind;
    int id;
    char text[PATH_SIZE];
    if (!PyArg_ParseTuple(args, "Oi", &word, &id) || tacpy_kind(word, &kind) != 0) return NULL;
    return PyUnicode_FromString(tac_model_label(own(self), kind, id, text, sizeof text));
}

static PyObject *count(PyObject *self, PyObject *word) {
    tacKind kind;
    if (tacpy_kind(word, &kind) != 0) return NULL;
    return PyLong_FromLong(tac_model_count(own(self), kind));
}

/* --- Parameters --------------------------------------------------------------------------------------------------- */

static PyObject *get(PyObject *self, PyObject *path) {
    tacError err;
    double value = 0;
    const char *text = tacpy_text(path, "path");
    if (text == NULL) return NULL;
    if (tac_param_get(own(self), text, &value, &err) != TAC_OK) return tacpy_raise(&err);
    return PyFloat_FromDouble(value);
}

/* Every path, in order. */
static PyObject *all_paths(PyObject *self, PyObject *unused) {
    (void)unused;
    int n = tac_param_count(own(self));
    char text[PATH_SIZE];
    PyObject *list = PyList_New(n);
    for (int i = 0; list != NULL && i < n; i++) {
        tacStatus status = tac_param_path(own(self), i, text, sizeof text);
        PyObject *path = status == TAC_OK ? PyUnicode_FromString(text) : tacpy_raise_status(status, NULL);
        if (path == NULL || PyList_SetItem(list, i, path) != 0) Py_CLEAR(list);
    }
    return list;
}

/* The registered parameters: a tuple of paths for each. */
static PyObject *registered(PyObject *self, PyObject *unused) {
    (void)unused;
    const tacModel *m = own(self);
    char text[PATH_SIZE];
    PyObject *all = PyList_New(0);
    for (int k = 0; all != NULL && k < m->nparam; k++) {
        PyObject *members = PyList_New(0);
        for (int j = 0; members != NULL && tac_param_registered(m, k, j, text, sizeof text) == TAC_OK; j++) {
            PyObject *path = PyUnicode_FromString(text);
            if (path == NULL || PyList_Append(members, path) != 0) Py_CLEAR(members);
            Py_XDECREF(path);
        }
        PyObject *tuple = members == NULL ? NULL : PyList_AsTuple(members);
        if (tuple == NULL || PyList_Append(all, tuple) != 0) Py_CLEAR(all);
        Py_XDECREF(members);
        Py_XDECREF(tuple);
    }
    return all;
}

static tacModel *copied(PyObject *self) {
    tacError err;
    tacModel *copy = NULL;
    tacStatus status;
    const tacModel *from = own(self);
    Py_BEGIN_ALLOW_THREADS status = tac_model_copy(from, &copy, &err);
    Py_END_ALLOW_THREADS if (status == TAC_OK) return copy;
    tacpy_raise(&err);
    return NULL;
}

/* A copy with the report of the file that the original came from. */
static PyObject *like(PyObject *self, tacModel *copy) {
    PyObject *made = tacpy_model_object(Py_TYPE(self), copy);
    if (made == NULL) return NULL;
    tacpyModel *to = (tacpyModel *)made, *from = (tacpyModel *)self;
    PyObject **places[] = {&to->name, &to->ignored, &to->warnings};
    PyObject *values[] = {from->name, from->ignored, from->warnings};
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(*places[i]);
        Py_XINCREF(values[i]);
        *places[i] = values[i];
    }
    return made;
}

/* {path: value} -> a copy with these numbers. */
static PyObject *set_values(PyObject *self, PyObject *values) {
    if (!PyDict_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "values must be a dict of paths and numbers");
        return NULL;
    }
    tacModel *copy = copied(self);
    Py_ssize_t at = 0;
    PyObject *path, *number;
    while (copy != NULL && PyDict_Next(values, &at, &path, &number)) {
        double value = 0;
        const char *text = tacpy_text(path, "path");
        tacError err = {.status = TAC_OK};
        if (text == NULL || tacpy_real(number, text, &value) != 0 || tac_param_set(copy, text, value, &err) != TAC_OK) {
            if (err.status != TAC_OK) tacpy_raise(&err);
            tac_model_free(copy);
            return NULL;
        }
    }
    return copy == NULL ? NULL : like(self, copy);
}

/* One path, or a tuple of paths that become one parameter. */
static int register_one(tacModel *copy, PyObject *entry) {
    tacError err;
    if (PyUnicode_Check(entry)) {
        const char *text = tacpy_text(entry, "path");
        if (text == NULL) return -1;
        if (tac_param_register(copy, text, NULL, &err) == TAC_OK) return 0;
        tacpy_raise(&err);
        return -1;
    }
    PyObject *group = PySequence_Tuple(entry);
    Py_ssize_t n = group == NULL ? 0 : PyTuple_Size(group);
    const char **paths = group == NULL ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *paths);
    int status = paths == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; status == 0 && i < n; i++)
        status = (paths[i] = tacpy_text(PyTuple_GetItem(group, i), "path")) == NULL ? -1 : 0;
    if (status == 0 && tac_param_register_group(copy, paths, (int)n, NULL, &err) != TAC_OK) {
        tacpy_raise(&err);
        status = -1;
    }
    PyMem_Free((void *)paths);
    Py_XDECREF(group);
    return status;
}

static PyObject *register_paths(PyObject *self, PyObject *entries) {
    PyObject *list = PySequence_Tuple(entries);
    tacModel *copy = list == NULL ? NULL : copied(self);
    int status = copy == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; status == 0 && i < PyTuple_Size(list); i++)
        status = register_one(copy, PyTuple_GetItem(list, i));
    Py_XDECREF(list);
    if (status == 0) return like(self, copy);
    tac_model_free(copy);
    return NULL;
}

/* --- The whole model ---------------------------------------------------------------------------------------------- */

static PyObject *copy(PyObject *self, PyObject *unused) {
    (void)unused;
    tacModel *made = copied(self);
    return made == NULL ? NULL : like(self, made);
}

static PyObject *digest(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(tac_model_hash(own(self)));
}

static PyObject *pack(PyObject *self, PyObject *unused) {
    (void)unused;
    tacError err;
    tacStatus status;
    const tacModel *m = own(self);
    size_t size = tac_model_pack_bytes(m);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL) return NULL;
    char *to = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS status = tac_model_pack(m, to, size, &err);
    Py_END_ALLOW_THREADS if (status == TAC_OK) return bytes;
    Py_DECREF(bytes);
    return tacpy_raise(&err);
}

static PyObject *unpack(PyObject *type, PyObject *o) {
    Py_buffer bytes;
    if (PyObject_GetBuffer(o, &bytes, PyBUF_SIMPLE) != 0) return NULL;
    tacError err;
    tacModel *model = NULL;
    tacStatus status;
    Py_BEGIN_ALLOW_THREADS status = tac_model_unpack(bytes.buf, (size_t)bytes.len, &model, &err);
    Py_END_ALLOW_THREADS PyBuffer_Release(&bytes);
    if (status == TAC_OK) return tacpy_model_object((PyTypeObject *)type, model);
    if (status == TAC_ERR_SYNTAX) err.status = TAC_ERR_CHECKSUM; /* there is no file to blame */
    return tacpy_raise(&err);
}

static PyObject *save(PyObject *self, PyObject *path) {
    PyObject *bytes = NULL;
    tacError err;
    tacStatus status;
    const tacModel *m = own(self);
    if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
    const char *name = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS status = tac_save(m, name, &err);
    Py_END_ALLOW_THREADS Py_DECREF(bytes);
    if (status != TAC_OK) return tacpy_raise(&err);
    Py_RETURN_NONE;
}

/* --- Positions ---------------------------------------------------------------------------------------------------- */

static PyObject *default_state(PyObject *self, PyObject *unused) {
    (void)unused;
    tacpyShape shape = {1, {tac_nx(own(self))}};
    tacpyArray x = {{0}};
    PyObject *array = NULL;
    if (tacpy_new_array(&shape, &x) == 0) tac_default_state(own(self), x.data);
    tacpy_release(&x, &array);
    return array;
}

/* (a, b) -> out of n numbers, by one of the two operations. */
static PyObject *combine(PyObject *self, PyObject *args, const char *const *names, int nb, int nout,
                         void (*run)(const tacModel *, const double *, const double *, double *)) {
    PyObject *first, *second, *array = NULL;
    if (!PyArg_ParseTuple(args, "OO", &first, &second)) return NULL;
    tacpyShape sa = {1, {own(self)->nq}}, sb = {1, {nb}}, so = {1, {nout}};
    tacpyArray a = {{0}}, b = {{0}}, out = {{0}};
    int made = tacpy_input(first, names[0], &sa, &a) == 0 && tacpy_input(second, names[1], &sb, &b) == 0 &&
               tacpy_new_array(&so, &out) == 0;
    if (made) run(own(self), a.data, b.data, out.data);
    tacpy_release(&a, NULL);
    tacpy_release(&b, NULL);
    tacpy_release(&out, &array);
    if (!made) Py_CLEAR(array);
    return array;
}

static PyObject *qpos_add(PyObject *self, PyObject *args) {
    static const char *const names[] = {"q", "d"};
    return combine(self, args, names, own(self)->nv, own(self)->nq, tac_qpos_add);
}

static PyObject *qpos_sub(PyObject *self, PyObject *args) {
    static const char *const names[] = {"q2", "q1"};
    return combine(self, args, names, own(self)->nq, own(self)->nv, tac_qpos_sub);
}

/* Rows of states (n, nx) and of covectors -> covectors, row by row. */
static PyObject *carry(PyObject *self, PyObject *args, int down) {
    const tacModel *m = own(self);
    Py_ssize_t nx = tac_nx(m), ndx = tac_ndx(m), from = down ? nx : ndx, to = down ? ndx : nx;
    PyObject *first, *second, *array = NULL;
    if (!PyArg_ParseTuple(args, "OO", &first, &second)) return NULL;
    tacpyShape sx = {2, {-1, nx}}, sc, so;
    tacpyArray x = {{0}}, c = {{0}}, out = {{0}};
    int made = tacpy_input(first, "x", &sx, &x) == 0;
    sc = (tacpyShape){2, {sx.dim[0], from}};
    so = (tacpyShape){2, {sx.dim[0], to}};
    made = made && tacpy_input(second, "covector", &sc, &c) == 0 && tacpy_new_array(&so, &out) == 0;
    for (Py_ssize_t i = 0; made && i < sx.dim[0]; i++) {
        const double *in = c.data + i * from;
        double *o = out.data + i * to;
        Py_ssize_t n = down ? m->nq : m->nv, k = down ? m->nv : m->nq;
        (down ? tac_covector_down : tac_covector_up)(m, x.data + i * nx, in, o);
        memcpy(o + k, in + n, (size_t)(from - n) * sizeof *o);
    }
    tacpy_release(&x, NULL);
    tacpy_release(&c, NULL);
    tacpy_release(&out, &array);
    if (!made) Py_CLEAR(array);
    return array;
}

static PyObject *covector_down(PyObject *self, PyObject *args) { return carry(self, args, 1); }
static PyObject *covector_up(PyObject *self, PyObject *args) { return carry(self, args, 0); }

static PyMethodDef methods[] = {
    {"covector_down", covector_down, METH_VARARGS, DOC_Model_covector_down},
    {"covector_up", covector_up, METH_VARARGS, DOC_Model_covector_up},
    {"find", find, METH_VARARGS, DOC_Model_find},
    {"element_name", name, METH_VARARGS, DOC_Model_element_name},
    {"label", label, METH_VARARGS, DOC_Model_label},
    {"count", count, METH_O, DOC_Model_count},
    {"get", get, METH_O, DOC_Model_get},
    {"_paths", all_paths, METH_NOARGS, DOC_Model__paths},
    {"registered", registered, METH_NOARGS, DOC_Model_registered},
    {"with_values", set_values, METH_O, DOC_Model_with_values},
    {"_register", register_paths, METH_O, DOC_Model__register},
    {"copy", copy, METH_NOARGS, DOC_Model_copy},
    {"digest", digest, METH_NOARGS, DOC_Model_digest},
    {"pack", pack, METH_NOARGS, DOC_Model_pack},
    {"unpack", unpack, METH_O | METH_CLASS, DOC_Model_unpack},
    {"save", save, METH_O, DOC_Model_save},
    {"default_state", default_state, METH_NOARGS, DOC_Model_default_state},
    {"qpos_add", qpos_add, METH_VARARGS, DOC_Model_qpos_add},
    {"qpos_sub", qpos_sub, METH_VARARGS, DOC_Model_qpos_sub},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"name", T_OBJECT_EX, offsetof(tacpyModel, name), READONLY, DOC_Model_name},
    {"ignored", T_OBJECT_EX, offsetof(tacpyModel, ignored), READONLY, DOC_Model_ignored},
    {"warnings", T_OBJECT_EX, offsetof(tacpyModel, warnings), READONLY, DOC_Model_warnings},
    {NULL, 0, 0, 0, NULL},
};

int tacpy_add_model(PyObject *module) {
    PyGetSetDef *attributes = make_attributes();
    if (attributes == NULL) return -1;
    PyType_Slot slots[] = {{Py_tp_getset, attributes},     {Py_tp_methods, methods},
                           {Py_tp_members, members},       {Py_tp_dealloc, (void *)free_model},
                           {Py_tp_doc, (void *)DOC_Model}, {0, NULL}};
    PyType_Spec spec = {"tactus._core.Model", sizeof(tacpyModel), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    tacpy.model = tacpy_add_type(module, &spec, "Model");
    return tacpy.model == NULL ? -1 : tacpy_add_block(module);
}
