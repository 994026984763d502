/* Memory of a model as a buffer: arrays share it, and it stays as long as they do. */
#pragma once

#include "core.h"

/* A read-only array of `format` (one of "d", "i", "f") over memory that `owner` keeps. */
PyObject *tacpy_share(PyObject *owner, const void *data, const char *format, int n, const Py_ssize_t *dim);
int tacpy_add_block(PyObject *module);
