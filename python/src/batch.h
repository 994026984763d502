/* tactus.Batch: many worlds of one model, on threads that stay. */
#pragma once

#include "sim.h"

typedef struct tacpyBatch {
    tacpyWorlds worlds; /* the head */
    tacBatch *batch;
    tacBatchOptions own;
    tacStepInfo *info;     /* worlds */
    tacStatus *status;     /* worlds */
    double *theta;         /* as it was set; NULL: the model's */
    unsigned char *active; /* NULL: all */
    PyObject *policy;
    char text[TAC_ERROR_TEXT];
} tacpyBatch;

static inline tacpyBatch *tacpy_batch_of(const tacpyCall *c) { return (tacpyBatch *)c->self; }
static inline const tacModel *tacpy_batch_model(const tacpyBatch *b) { return ((tacpyModel *)b->worlds.model)->model; }

/* Methods of pull.c. */
PyObject *tacpy_batch_step_pull(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords);
PyObject *tacpy_batch_rollout_pull(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords);
