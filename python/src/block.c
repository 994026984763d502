#include "block.h"

#include <string.h>

enum { MOST_DIMS = 3 };
typedef struct Block {
    PyObject_HEAD PyObject *owner;
    const void *data;
    const char *format;
    Py_ssize_t itemsize;
    int n;
    Py_ssize_t dim[MOST_DIMS], stride[MOST_DIMS];
} Block;

static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    Block *b = (Block *)self;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "arrays of a model are read-only; with_values makes another model");
        view->obj = NULL;
        return -1;
    }
    Py_ssize_t count = 1;
    for (int i = 0; i < b->n; i++)
        count *= b->dim[i];
    *view = (Py_buffer){.buf = (void *)b->data,
                        .len = count * b->itemsize,
                        .itemsize = b->itemsize,
                        .readonly = 1,
                        .ndim = b->n,
                        .format = (char *)b->format,
                        .shape = b->dim,
                        .strides = b->stride};
    Py_INCREF(self);
    view->obj = self;
    return 0;
}

static void free_block(PyObject *self) {
    Py_XDECREF(((Block *)self)->owner);
    tacpy_free_object(self);
}

PyObject *tacpy_share(PyObject *owner, const void *data, const char *format, int n, const Py_ssize_t *dim) {
    static const double nothing;
    Block *b = (Block *)PyType_GenericAlloc(tacpy.block, 0);
    if (b == NULL) return NULL;
    Py_INCREF(owner);
    b->owner = owner;
    b->data = data != NULL ? data : &nothing;
    b->format = format;
    b->itemsize = *format == 'd' ? 8 : *format == 'B' ? 1 : 4;
    b->n = n;
    Py_ssize_t stride = b->itemsize;
    for (int i = n - 1; i >= 0; i--) {
        b->dim[i] = dim[i];
        b->stride[i] = stride;
        stride *= dim[i];
    }
    PyObject *array = PyObject_CallFunctionObjArgs(tacpy.asarray, (PyObject *)b, NULL);
    Py_DECREF(b);
    return array;
}

int tacpy_add_block(PyObject *module) {
    PyType_Slot slots[] = {{Py_bf_getbuffer, (void *)get_buffer},
                           {Py_tp_dealloc, (void *)free_block},
                           {Py_tp_doc, (void *)"Memory of a model that arrays share."},
                           {0, NULL}};
    PyType_Spec spec = {"tactus._core._Block", sizeof(Block), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    tacpy.block = tacpy_add_type(module, &spec, "_Block");
    return tacpy.block == NULL ? -1 : 0;
}
