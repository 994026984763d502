/* Arguments of calls, and how calls fail. */
#include "core.h"

#include <stdarg.h>
#include <string.h>

/* --- Errors ------------------------------------------------------------------------------------------------------- */

static PyObject *raise_made(tacStatus status, tacKind kind, int id, const char *text) {
    PyObject *made = PyObject_CallFunction(tacpy.fail, "iiis", (int)status, (int)kind, id, text);
    if (made == NULL) return NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(made), made);
    Py_DECREF(made);
    return NULL;
}

PyObject *tacpy_raise(const tacError *err) {
    return raise_made(err->status, err->kind, err->id, err->text[0] != '\0' ? err->text : tac_status_text(err->status));
}

PyObject *tacpy_raise_status(tacStatus status, const char *text) {
    return raise_made(status, TAC_KIND_NONE, -1, text != NULL && *text != '\0' ? text : tac_status_text(status));
}

PyObject *tacpy_raise_shape(const char *format, ...) {
    char text[TAC_ERROR_TEXT];
    va_list rest;
    va_start(rest, format);
    PyOS_vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    return raise_made(TAC_ERR_SHAPE, TAC_KIND_NONE, -1, text);
}

/* --- Names -------------------------------------------------------------------------------------------------------- */

static int place_keyword(const char *call, const char *const *names, PyObject *keyword, PyObject *value,
                         PyObject **out) {
    for (int i = 0; names[i] != NULL; i++) {
        if (PyUnicode_CompareWithASCIIString(keyword, names[i]) != 0) continue;
        if (out[i] == NULL) {
            out[i] = value;
            return 0;
        }
        PyErr_Format(PyExc_TypeError, "%s() got two values for '%s'", call, names[i]);
        return -1;
    }
    PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", call, keyword);
    return -1;
}

int tacpy_arguments(const char *call, const char *const *names, int positional, int needed, PyObject *const *args,
                    Py_ssize_t nargs, PyObject *keywords, PyObject **out) {
    int count = 0;
    for (; names[count] != NULL; count++)
        out[count] = NULL;
    if (nargs > positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments, %zd were given", call, positional,
                     nargs);
        return -1;
    }
    for (Py_ssize_t i = 0; i < nargs; i++)
        out[i] = args[i];
    Py_ssize_t nkeywords = keywords == NULL ? 0 : PyTuple_Size(keywords);
    for (Py_ssize_t i = 0; i < nkeywords; i++)
        if (place_keyword(call, names, PyTuple_GetItem(keywords, i), args[nargs + i], out) != 0) return -1;
    for (int i = 0; i < needed; i++) {
        if (out[i] != NULL) continue;
        PyErr_Format(PyExc_TypeError, "%s() needs '%s'", call, names[i]);
        return -1;
    }
    return 0;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

const char *tacpy_text(PyObject *o, const char *name) {
    Py_ssize_t size = 0;
    if (!PyUnicode_Check(o)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str", name);
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(o, &size);
    if (text == NULL) return NULL;
    if (strlen(text) == (size_t)size) return text;
    PyErr_Format(PyExc_ValueError, "%s has a zero byte in it", name);
    return NULL;
}

int tacpy_int(PyObject *o, const char *name, int *value) {
    PyObject *index = PyNumber_Index(o);
    int overflow = 0;
    long whole = index == NULL ? -1 : PyLong_AsLongAndOverflow(index, &overflow);
    Py_XDECREF(index);
    if (index == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a whole number", name);
        return -1;
    }
    if (overflow != 0 || whole < -2147483647L - 1 || whole > 2147483647L) {
        PyErr_Format(PyExc_OverflowError, "%s is out of the range of a C int", name);
        return -1;
    }
    *value = (int)whole;
    return 0;
}

int tacpy_real(PyObject *o, const char *name, double *value) {
    *value = PyFloat_AsDouble(o);
    if (*value != -1.0 || !PyErr_Occurred()) return 0;
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a number", name);
    }
    return -1;
}

int tacpy_element(const tacModel *model, tacKind kind, PyObject *o, const char *name, int *id) {
    if (!PyUnicode_Check(o)) return tacpy_int(o, name, id);
    const char *text = tacpy_text(o, name);
    if (text == NULL) return -1;
    *id = tac_model_find(model, kind, text);
    if (*id >= 0) return 0;
    char message[TAC_ERROR_TEXT];
    PyOS_snprintf(message, sizeof message, "the model has no %s \"%s\"", tac_kind_text(kind), text);
    raise_made(TAC_ERR_NAME, kind, -1, message);
    return -1;
}

int tacpy_enum(const char *name, PyObject *o, int *value) {
    if (!PyUnicode_Check(o)) return tacpy_int(o, name, value);
    PyObject *type = PyObject_GetAttrString(tacpy.enums, name);
    PyObject *upper = type == NULL ? NULL : PyObject_CallMethod(o, "upper", NULL);
    PyObject *member = upper == NULL ? NULL : PyObject_GetItem(type, upper);
    Py_XDECREF(type);
    Py_XDECREF(upper);
    if (member == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_KeyError)) return -1;
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%R is no %s", o, name);
        return -1;
    }
    int status = tacpy_int(member, name, value);
    Py_DECREF(member);
    return status;
}

int tacpy_kind(PyObject *o, tacKind *kind) {
    int value = 0;
    if (tacpy_enum("Kind", o, &value) != 0) return -1;
    *kind = (tacKind)value;
    return 0;
}

/* --- Types -------------------------------------------------------------------------------------------------------- */

PyTypeObject *tacpy_add_type(PyObject *module, PyType_Spec *spec, const char *name) {
    PyObject *type = PyType_FromSpec(spec);
    if (type == NULL) return NULL;
    if (PyModule_AddObjectRef(module, name, type) != 0) Py_CLEAR(type);
    return (PyTypeObject *)type;
}

void tacpy_free_object(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}
