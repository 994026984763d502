/* tactus.Sim: a model with options and the workspace of its steps. */
#pragma once

#include "call.h"
#include "structure.h"

#include <stddef.h>

typedef struct tacpySim {
    tacpyWorlds worlds; /* the head */
    tacSim *sim;
    tacStepInfo info; /* of the last call that has one */
    void *memory;     /* of rollouts in reverse mode */
    size_t bytes;
} tacpySim;

static inline tacpySim *tacpy_sim_of(const tacpyCall *c) { return (tacpySim *)c->self; }
static inline const tacModel *tacpy_sim_model(const tacpySim *s) { return ((tacpyModel *)s->worlds.model)->model; }
/* Memory of at least `bytes` bytes for a call, kept until the next larger one; NULL: there is none. */
void *tacpy_sim_memory(tacpySim *self, size_t bytes);

/* Methods by subject; each ends with {NULL}. */
extern PyMethodDef tacpy_step_methods[], tacpy_quantity_methods[], tacpy_contact_methods[], tacpy_pull_methods[];
/* The outputs of an argument; NULL: a TypeError, or another model's. */
const tacOutputs *tacpy_outputs_of(PyObject *o, const tacModel *model, Py_ssize_t *nz);
