#include "structure.h"

#include "array.h"

#include <string.h>

/* An object that holds a copy of a struct. */
typedef struct Structure {
    PyObject_HEAD const tacpyTable *table;
    double value[]; /* aligned as the structs are */
} Structure;

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static PyObject *enum_member(const char *name, long value) {
    PyObject *type = PyObject_GetAttrString(tacpy.enums, name);
    PyObject *member = type == NULL ? NULL : PyObject_CallFunction(type, "l", value);
    Py_XDECREF(type);
    if (member == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) { /* a number without a name */
        PyErr_Clear();
        return PyLong_FromLong(value);
    }
    return member;
}

static PyObject *get_one(const tacpyField *field, const char *at) {
    switch (field->type) {
    case TACPY_INT: {
        int value = *(const int *)at;
        return field->enumeration == NULL ? PyLong_FromLong(value) : enum_member(field->enumeration, value);
    }
    case TACPY_SHORT:
        return PyLong_FromLong(*(const short *)at);
    case TACPY_LONG:
        return PyLong_FromLong(*(const long *)at);
    case TACPY_SIZE:
        return PyLong_FromSize_t(*(const size_t *)at);
    case TACPY_U64:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    case TACPY_DOUBLE:
        return PyFloat_FromDouble(*(const double *)at);
    case TACPY_FLOAT:
        return PyFloat_FromDouble((double)*(const float *)at);
    case TACPY_STRING: {
        const char *text = *(const char *const *)at;
        if (text != NULL) return PyUnicode_FromString(text);
        Py_RETURN_NONE;
    }
    case TACPY_STRUCT:
        return tacpy_struct(field->nested, at);
    }
    Py_RETURN_NONE;
}

static size_t size_of_one(const tacpyField *field) {
    switch (field->type) {
    case TACPY_INT:
        return sizeof(int);
    case TACPY_SHORT:
        return sizeof(short);
    case TACPY_LONG:
        return sizeof(long);
    case TACPY_SIZE:
        return sizeof(size_t);
    case TACPY_U64:
        return sizeof(uint64_t);
    case TACPY_DOUBLE:
        return sizeof(double);
    case TACPY_FLOAT:
        return sizeof(float);
    case TACPY_STRING:
        return sizeof(char *);
    case TACPY_STRUCT:
        return field->nested->size;
    }
    return 0;
}

PyObject *tacpy_get_field(const tacpyField *field, const void *value) {
    const char *at = (const char *)value + field->offset;
    int width = field->width, count = field->count;
    if (field->type == TACPY_DOUBLE && width * count > 1)
        return width == 1 || count == 1 ? tacpy_copied((const double *)at, (Py_ssize_t)width * count, 0)
                                        : tacpy_copied((const double *)at, count, width);
    if (count == 1) return get_one(field, at);
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != NULL && i < count; i++) {
        PyObject *one = get_one(field, at + (size_t)i * size_of_one(field));
        if (one == NULL || PyTuple_SetItem(tuple, i, one) != 0) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *get_attribute(PyObject *self, void *closure) {
    return tacpy_get_field(closure, ((Structure *)self)->value);
}

static PyObject *represent(PyObject *self) {
    const tacpyTable *table = ((Structure *)self)->table;
    PyObject *parts = PyList_New(0);
    for (const tacpyField *f = table->fields; parts != NULL && f->name != NULL; f++) {
        PyObject *value = tacpy_get_field(f, ((Structure *)self)->value);
        PyObject *text = value == NULL ? NULL : PyUnicode_FromFormat("%s=%R", f->name, value);
        if (text == NULL || PyList_Append(parts, text) != 0) Py_CLEAR(parts);
        Py_XDECREF(value);
        Py_XDECREF(text);
    }
    PyObject *comma = parts == NULL ? NULL : PyUnicode_FromString(", ");
    PyObject *inside = comma == NULL ? NULL : PyUnicode_Join(comma, parts);
    PyObject *text = inside == NULL ? NULL : PyUnicode_FromFormat("%s(%U)", table->name, inside);
    Py_XDECREF(parts);
    Py_XDECREF(comma);
    Py_XDECREF(inside);
    return text;
}

static PyObject *reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    const Structure *s = (Structure *)self;
    PyObject *module = PyImport_ImportModule("tactus._core");
    PyObject *make = module == NULL ? NULL : PyObject_GetAttrString(module, "_structure");
    Py_XDECREF(module);
    if (make == NULL) return NULL;
    return Py_BuildValue("N(sy#)", make, s->table->name, (const char *)s->value, (Py_ssize_t)s->table->size);
}

PyObject *tacpy_struct(const tacpyTable *table, const void *value) {
    Structure *s = (Structure *)PyType_GenericAlloc(table->type, 0);
    if (s == NULL) return NULL;
    s->table = table;
    memcpy(s->value, value, table->size);
    return (PyObject *)s;
}

PyObject *tacpy_structs(const tacpyTable *table, const void *values, int n) {
    PyObject *list = PyList_New(n);
    for (int i = 0; list != NULL && i < n; i++) {
        PyObject *one = tacpy_struct(table, (const char *)values + (size_t)i * table->size);
        if (one == NULL || PyList_SetItem(list, i, one) != 0) Py_CLEAR(list);
    }
    return list;
}

const void *tacpy_struct_of(const tacpyTable *table, PyObject *o, const char *name) {
    if (Py_TYPE(o) == table->type) return ((Structure *)o)->value;
    PyErr_Format(PyExc_TypeError, "%s must be a %s", name, table->name);
    return NULL;
}

/* (name, bytes) -> the struct: what pickled ones are made of. */
static PyObject *from_bytes(PyObject *module, PyObject *args) {
    (void)module;
    const char *name, *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "sy#", &name, &bytes, &size)) return NULL;
    for (tacpyTable *const *table = tacpy_tables; *table != NULL; table++)
        if (strcmp((*table)->name, name) == 0 && (*table)->size == (size_t)size) return tacpy_struct(*table, bytes);
    return tacpy_raise_status(TAC_ERR_CHECKSUM, "a pickled struct is damaged, or from another version");
}

/* --- Filling ------------------------------------------------------------------------------------------------------ */

static int set_numbers(const tacpyField *field, char *at, PyObject *o) {
    tacpyShape shape = {1, {(Py_ssize_t)field->width * field->count}};
    tacpyArray a = {{0}};
    int status = tacpy_input(o, field->name, &shape, &a);
    for (Py_ssize_t i = 0; status == 0 && i < shape.dim[0]; i++) {
        if (field->type == TACPY_DOUBLE)
            ((double *)at)[i] = a.data[i];
        else
            ((float *)at)[i] = (float)a.data[i];
    }
    tacpy_release(&a, NULL);
    return status;
}

static int set_one(const tacpyField *field, char *at, PyObject *o) {
    int whole = 0;
    double real = 0;
    if (field->type == TACPY_STRING) {
        const char *text = o == Py_None ? NULL : tacpy_text(o, field->name);
        if (text == NULL && o != Py_None) return -1;
        *(const char **)at = text;
        return 0;
    }
    if (field->type == TACPY_SIZE) {
        PyObject *index = PyNumber_Index(o);
        size_t size = index == NULL ? 0 : PyLong_AsSize_t(index);
        Py_XDECREF(index);
        if (PyErr_Occurred()) return -1;
        *(size_t *)at = size;
        return 0;
    }
    if (field->type == TACPY_INT) {
        if (field->enumeration != NULL ? tacpy_enum(field->enumeration, o, &whole) : tacpy_int(o, field->name, &whole))
            return -1;
        *(int *)at = whole;
        return 0;
    }
    if (field->type != TACPY_DOUBLE) {
        PyErr_Format(PyExc_TypeError, "%s cannot be set", field->name);
        return -1;
    }
    if (tacpy_real(o, field->name, &real) != 0) return -1;
    *(double *)at = real;
    return 0;
}

static int set_whole(const tacpyField *field, char *at, PyObject *o) {
    PyObject *items = PySequence_Tuple(o);
    if (items == NULL) return -1;
    int status = 0;
    if (PyTuple_Size(items) != field->count) {
        tacpy_raise_shape("%s has %zd numbers, expected %d", field->name, PyTuple_Size(items), field->count);
        status = -1;
    }
    for (int i = 0; status == 0 && i < field->count; i++)
        status = set_one(field, at + (size_t)i * size_of_one(field), PyTuple_GetItem(items, i));
    Py_DECREF(items);
    return status;
}

int tacpy_set_field(const tacpyField *field, void *value, PyObject *o) {
    char *at = (char *)value + field->offset;
    int numbers = field->type == TACPY_DOUBLE || field->type == TACPY_FLOAT;
    if (numbers && field->width * field->count > 1) return set_numbers(field, at, o);
    return field->count > 1 ? set_whole(field, at, o) : set_one(field, at, o);
}

const tacpyField *tacpy_find_field(const tacpyTable *table, const char *name) {
    for (const tacpyField *f = table->fields; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

int tacpy_set_keywords(const tacpyTable *table, void *value, PyObject *const *args, PyObject *names,
                       const char *const *skip) {
    Py_ssize_t n = names == NULL ? 0 : PyTuple_Size(names);
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (name == NULL) return -1;
        int skipped = 0;
        for (int k = 0; skip != NULL && skip[k] != NULL && !skipped; k++)
            skipped = strcmp(skip[k], name) == 0;
        if (skipped) continue;
        const tacpyField *field = tacpy_find_field(table, name);
        if (field == NULL || strcmp(name, "cookie") == 0) {
            PyErr_Format(PyExc_TypeError, "%s has no field '%s'", table->name, name);
            return -1;
        }
        if (tacpy_set_field(field, value, args[i]) != 0) return -1;
    }
    return 0;
}

/* --- Types -------------------------------------------------------------------------------------------------------- */

static PyMethodDef structure_methods[] = {
    {"__reduce__", reduce, METH_NOARGS, "How it is pickled."},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef from_bytes_method = {"_structure", from_bytes, METH_VARARGS, "(name, bytes) -> a struct."};

/* A type for the structs of a table. Its list of attributes lives as long as the interpreter. */
static int add_structure(PyObject *module, tacpyTable *table) {
    int n = 0;
    while (table->fields[n].name != NULL)
        n++;
    PyGetSetDef *attributes = PyMem_Calloc((size_t)n + 1, sizeof *attributes);
    if (attributes == NULL) return -1;
    for (int i = 0; i < n; i++)
        attributes[i] =
            (PyGetSetDef){table->fields[i].name, get_attribute, NULL, table->fields[i].doc, (void *)&table->fields[i]};
    PyType_Slot slots[] = {{Py_tp_getset, attributes},      {Py_tp_methods, structure_methods},
                           {Py_tp_repr, represent},         {Py_tp_dealloc, tacpy_free_object},
                           {Py_tp_doc, (void *)table->doc}, {0, NULL}};
    char name[80];
    PyOS_snprintf(name, sizeof name, "tactus.%s", table->name);
    PyType_Spec spec = {name, (int)(sizeof(Structure) + table->size), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    table->type = tacpy_add_type(module, &spec, table->name);
    return table->type == NULL ? -1 : 0;
}

int tacpy_add_structures(PyObject *module) {
    for (tacpyTable *const *table = tacpy_tables; *table != NULL; table++)
        if (add_structure(module, *table) != 0) return -1;
    PyObject *make = PyCFunction_New(&from_bytes_method, NULL);
    return make == NULL ? -1 : PyModule_AddObject(module, "_structure", make);
}
