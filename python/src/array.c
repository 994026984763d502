#include "array.h"

#include <string.h>

Py_ssize_t tacpy_count(const tacpyShape *shape) {
    Py_ssize_t count = 1;
    for (int i = 0; i < shape->n; i++)
        count *= shape->dim[i];
    return count;
}

/* "(3, 4)"; -1 is written as a letter. */
static void write_shape(int n, const Py_ssize_t *dim, char *text, size_t size) {
    size_t used = (size_t)PyOS_snprintf(text, size, "(");
    for (int i = 0; i < n && used < size; i++) {
        if (dim[i] < 0)
            used += (size_t)PyOS_snprintf(text + used, size - used, i == 0 ? "n" : ", n");
        else
            used += (size_t)PyOS_snprintf(text + used, size - used, i == 0 ? "%zd" : ", %zd", dim[i]);
    }
    if (used < size) PyOS_snprintf(text + used, size - used, n == 1 ? ",)" : ")");
}

/* Fits the buffer the shape? Unknown dimensions are set. */
static int fit_shape(const Py_buffer *view, const char *name, tacpyShape *shape) {
    int fits = view->ndim == shape->n;
    for (int i = 0; fits && i < shape->n; i++)
        fits = shape->dim[i] == view->shape[i] || shape->dim[i] < 0;
    if (!fits) {
        char found[120], expected[120];
        write_shape(view->ndim, view->shape, found, sizeof found);
        write_shape(shape->n, shape->dim, expected, sizeof expected);
        tacpy_raise_shape("%s has shape %s, expected %s", name, found, expected);
        return -1;
    }
    for (int i = 0; i < shape->n; i++)
        shape->dim[i] = view->shape[i];
    return 0;
}

/* float64 in the machine's order. */
static int is_double(const Py_buffer *view) {
    const char *f = view->format;
    if (f == NULL || view->itemsize != (Py_ssize_t)sizeof(double)) return 0;
    if (*f == '@' || *f == '=' || (*f == '<' && PY_LITTLE_ENDIAN)) f++;
    return f[0] == 'd' && f[1] == '\0';
}

static int hold(PyObject *o, int flags, tacpyArray *a) {
    if (PyObject_GetBuffer(o, &a->view, flags) != 0) {
        PyErr_Clear();
        a->view.obj = NULL;
        return 0;
    }
    if (is_double(&a->view)) return 1;
    PyBuffer_Release(&a->view);
    return 0;
}

int tacpy_input(PyObject *o, const char *name, tacpyShape *shape, tacpyArray *a) {
    int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS;
    if (!hold(o, flags, a)) {
        PyObject *argument = PyUnicode_FromString(name);
        if (argument == NULL) return -1;
        a->owner = PyObject_CallFunctionObjArgs(tacpy.convert, o, argument, NULL);
        Py_DECREF(argument);
        if (a->owner == NULL) return -1;
        if (!hold(a->owner, flags, a)) {
            PyErr_Format(PyExc_TypeError, "%s cannot be converted to float64", name);
            return -1;
        }
    }
    a->data = a->view.buf;
    return fit_shape(&a->view, name, shape);
}

int tacpy_output(PyObject *o, const char *name, const tacpyShape *shape, tacpyArray *a) {
    tacpyShape exact = *shape;
    if (!hold(o, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE, a)) {
        PyErr_Format(PyExc_TypeError, "%s must be a writable float64 array in C order", name);
        return -1;
    }
    a->data = a->view.buf;
    Py_INCREF(o);
    a->owner = o;
    return fit_shape(&a->view, name, &exact);
}

static PyObject *shape_tuple(const tacpyShape *shape) {
    PyObject *dims = PyTuple_New(shape->n), *args = PyTuple_New(1);
    for (int i = 0; dims != NULL && i < shape->n; i++) {
        PyObject *dim = PyLong_FromSsize_t(shape->dim[i]);
        if (dim == NULL || PyTuple_SetItem(dims, i, dim) != 0) Py_CLEAR(dims);
    }
    if (dims == NULL || args == NULL) {
        Py_XDECREF(dims);
        Py_XDECREF(args);
        return NULL;
    }
    PyTuple_SetItem(args, 0, dims);
    return args;
}

int tacpy_new_array(const tacpyShape *shape, tacpyArray *a) {
    PyObject *args = shape_tuple(shape);
    if (args == NULL) return -1;
    a->owner = PyObject_Call(tacpy.empty, args, NULL);
    Py_DECREF(args);
    if (a->owner == NULL) return -1;
    if (PyObject_GetBuffer(a->owner, &a->view, PyBUF_WRITABLE) != 0) {
        a->view.obj = NULL;
        return -1;
    }
    a->data = a->view.buf;
    return 0;
}

PyObject *tacpy_copied(const double *data, Py_ssize_t n, Py_ssize_t width) {
    tacpyShape shape = {width > 0 ? 2 : 1, {n, width}};
    tacpyArray a = {{0}};
    PyObject *array = NULL;
    size_t count = (size_t)(n * (width > 0 ? width : 1));
    if (tacpy_new_array(&shape, &a) == 0 && count > 0) memcpy(a.data, data, count * sizeof *data);
    int made = a.data != NULL;
    tacpy_release(&a, &array);
    if (!made) Py_CLEAR(array);
    return array;
}

void tacpy_release(tacpyArray *a, PyObject **taken) {
    if (a->view.obj != NULL) PyBuffer_Release(&a->view);
    if (taken != NULL)
        *taken = a->owner;
    else
        Py_XDECREF(a->owner);
    a->owner = NULL;
    a->data = NULL;
}
