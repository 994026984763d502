/* Calls that read arrays, let go of the interpreter's lock, and write arrays. A method is a row: the names and shapes
 * of its arguments and results, and a function that makes the C call. Simulations and batches share the rows: a batch
 * has one block per world in each array. */
#pragma once

#include "array.h"

/* Sizes that shapes are made of. Negative: that number itself. */
typedef enum {
    D_END,
    D_NQ,
    D_NV,
    D_NX,
    D_NDX,
    D_NU,
    D_NA,
    D_NINPUT,
    D_NPARAM,
    D_NBODY,
    D_NJNT,
    D_NGEOM,
    D_NSITE,
    D_NTENDON,
    D_2NV,
    D_7NBODY,
    D_6NBODY,
    D_10NBODY,
    D_12NBODY,
    D_NMAXIMAL, /* 12 nbody + na */
    D_STEPS,    /* of this call: from the first array that has it */
    D_STEPS1,   /* one more */
    D_NZ,       /* of this call's outputs */
    D_SIZES
} tacpySize;

typedef enum {
    A_ARRAY,
    A_POSITION, /* a state, of which the positions count; or positions alone */
    A_MOTION,   /* a state, of which positions and velocities count; or these alone */
    A_INT,
    A_REAL,
    A_KIND,    /* tacKind: number of the argument */
    A_ELEMENT, /* of the kind in dim[0]; 0: of the A_KIND before it */
    A_OBJECT   /* the call looks at it itself */
} tacpyArgument;

typedef struct tacpyArg {
    const char *name;
    tacpyArgument type;
    int optional;
    short dim[3];
} tacpyArg;

typedef struct tacpyOut {
    const char *name;
    short dim[3];
    char letter; /* in `want`; 0: always there */
} tacpyOut;

enum { MOST_ARGS = 7, MOST_OUTS = 10 };

typedef struct tacpyCall tacpyCall;
typedef struct tacpyRow {
    const char *name;
    tacpyArg arg[MOST_ARGS + 1]; /* ends with a NULL name; keywords out and want follow */
    tacpyOut out[MOST_OUTS + 1]; /* ends with a NULL name */
    const char *want;            /* letters that are wanted unless the call says so; NULL: there is no choice */
    const char *result;          /* class of tactus.results; NULL: one array, or a tuple of what is wanted */
    int may_last;                /* seconds, so that it heeds Ctrl-C */
    int in_place;                /* the first result may be the first argument */
    tacStatus (*run)(tacpyCall *call);
} tacpyRow;

/* What simulations and batches have in common. */
typedef struct tacpyWorlds {
    PyObject_HEAD PyObject *model; /* tactus.Model */
    Py_ssize_t size[D_SIZES];      /* those that a model and its options give */
    tacOptions options;
    int worlds; /* of a batch; 0: a simulation */
    int busy;   /* a call is under way */
    tacpyUnsolved unsolved;
    volatile int stop;                                        /* the flag that ends rollouts early */
    const char *(*text)(struct tacpyWorlds *self, tacStatus); /* of the last failure */
} tacpyWorlds;

struct tacpyCall {
    tacpyWorlds *self;
    const tacpyRow *row;
    tacpyArray in[MOST_ARGS], out[MOST_OUTS];
    PyObject *object[MOST_ARGS];
    int whole[MOST_ARGS];
    double real[MOST_ARGS];
    Py_ssize_t steps, nz;
    PyObject *made;                                         /* the result, where `finish` makes it */
    PyObject *(*finish)(tacpyCall *call, PyObject *result); /* NULL: the arrays are the result */
    void *extra;
};

/* The arrays of a call. */
static inline const double *tacpy_in(const tacpyCall *c, int i) { return c->in[i].data; }
static inline double *tacpy_out(const tacpyCall *c, int i) { return c->out[i].data; }

/* Fills the sizes from model and options. */
void tacpy_fill_sizes(tacpyWorlds *self, const tacModel *model);
/* Marks the object as busy; -1 with RuntimeError where it already is. */
int tacpy_enter(tacpyWorlds *self);
void tacpy_leave(tacpyWorlds *self);
/* A whole call. NULL: an exception. extra and finish may be NULL. nz: length of the outputs, for rows that have
 * them. */
PyObject *tacpy_call(tacpyWorlds *self, const tacpyRow *row, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *keywords, const tacpyCall *with);
/* The end of a call with this status: `result` (taken), or NULL with an exception. state: what came with the status. */
PyObject *tacpy_end(tacpyWorlds *self, tacStatus status, PyObject *result);

/* --- Ctrl-C ------------------------------------------------------------------------------------------------------- */

/* From now on SIGINT sets the flag, too; only in the main thread. Returns whether it does. */
int tacpy_watch(volatile int *flag);
/* The end of that. */
void tacpy_unwatch(int watching);

/* Defines a method: the C function of a row, for a table of methods. */
#define TACPY_ROW_METHOD(row_name)                                                                                     \
    static PyObject *call_##row_name(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords) {        \
        return tacpy_call((tacpyWorlds *)self, &row_##row_name, args, n, keywords, NULL);                              \
    }
