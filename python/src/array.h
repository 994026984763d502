/* Arrays of float64 that calls read and write: buffers held for the time of a call, and new NumPy arrays. */
#pragma once

#include "core.h"

enum { TACPY_MOST_DIMS = 4 };
typedef struct tacpyShape {
    int n;
    Py_ssize_t dim[TACPY_MOST_DIMS];
} tacpyShape;

/* Zero it before use, release it after. */
typedef struct tacpyArray {
    Py_buffer view;  /* held while view.obj is not NULL */
    PyObject *owner; /* of a converted or new array */
    double *data;    /* NULL: no array */
} tacpyArray;

/* Numbers in a shape. */
Py_ssize_t tacpy_count(const tacpyShape *shape);
/* Takes an input. Any float64 buffer in C order is held as it is; other arrays of real numbers are converted. A
 * dimension of -1 in the shape is any, and is set. 0, or -1 with an exception. */
int tacpy_input(PyObject *o, const char *name, tacpyShape *shape, tacpyArray *a);
/* Takes an array that the call writes: float64 in C order, writable, of this very shape. */
int tacpy_output(PyObject *o, const char *name, const tacpyShape *shape, tacpyArray *a);
/* A new array of this shape, held. */
int tacpy_new_array(const tacpyShape *shape, tacpyArray *a);
/* A new array with a copy of n rows of `width` numbers; width 0: a vector. */
PyObject *tacpy_copied(const double *data, Py_ssize_t n, Py_ssize_t width);
/* Releases the buffer; the owner stays with *taken, where that is not NULL. */
void tacpy_release(tacpyArray *a, PyObject **taken);
