/* What the files of the extension share: the interpreter's limited API, the objects, errors. */
#pragma once

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "tactus/io.h"
#include "tactus/problem.h"

#include "docs.h"

/* A method with positional and keyword arguments, without a tuple of them. */
typedef PyObject *(*tacpyFast)(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names);
#define TACPY_METHOD(name, function, doc)                                                                              \
    { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, doc }

/* Objects that live as long as the interpreter. */
typedef struct tacpyKept {
    PyObject *empty;   /* numpy.empty */
    PyObject *asarray; /* numpy.asarray */
    PyObject *convert; /* tactus._arrays.convert: any array of numbers -> float64 in C order */
    PyObject *fail;    /* tactus.errors.make: (status, kind, id, text) -> exception */
    PyObject *warning; /* tactus.errors.UnsolvedWarning */
    PyObject *enums;   /* module tactus.enums */
    PyObject *results; /* module tactus.results */
    PyTypeObject *model, *block, *builder, *sim, *batch, *outputs;
} tacpyKept;
extern tacpyKept tacpy;

/* What a step does that ends without a solution. */
typedef enum { TACPY_RAISE, TACPY_WARN, TACPY_ACCEPT } tacpyUnsolved;

typedef struct tacpyModel {
    PyObject_HEAD tacModel *model;
    PyObject *name, *ignored, *warnings; /* of the file that it comes from: str, tuples */
} tacpyModel;

/* --- Errors: all return NULL or -1 with an exception -------------------------------------------------------------- */

/* Raises what the library says about a failed call. */
PyObject *tacpy_raise(const tacError *err);
/* The same of a status with a text. */
PyObject *tacpy_raise_status(tacStatus status, const char *text);
/* tac.ShapeError: format as of PyErr_Format. */
PyObject *tacpy_raise_shape(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- Arguments ---------------------------------------------------------------------------------------------------- */

/* Where the arguments of a call by these names are: args[i] for names[i], in the order of names; NULL: not given.
 * `most` of them may be positional; `needed` must be there. 0, or -1. */
int tacpy_arguments(const char *call, const char *const *names, int positional, int needed, PyObject *const *args,
                    Py_ssize_t nargs, PyObject *keywords, PyObject **out);
/* A text without a zero byte; NULL with an exception. It lives as long as `o`. */
const char *tacpy_text(PyObject *o, const char *name);
/* 0, or -1. */
int tacpy_int(PyObject *o, const char *name, int *value);
int tacpy_real(PyObject *o, const char *name, double *value);
/* An element by id or name; another kind of id is refused by the call itself. */
int tacpy_element(const tacModel *model, tacKind kind, PyObject *o, const char *name, int *id);
/* A kind by word, enum or number. */
int tacpy_kind(PyObject *o, tacKind *kind);
/* A member of an enum of tactus.enums, by word or number. */
int tacpy_enum(const char *name, PyObject *o, int *value);

/* --- Types -------------------------------------------------------------------------------------------------------- */

int tacpy_add_model(PyObject *module);
int tacpy_add_builder(PyObject *module);
int tacpy_add_sim(PyObject *module);
int tacpy_add_batch(PyObject *module);
int tacpy_add_outputs(PyObject *module);
int tacpy_add_structures(PyObject *module);
int tacpy_add_ode(PyObject *module);
/* Functions of the module that need no object; ends with {NULL}. */
extern PyMethodDef tacpy_files[];   /* reading, writing, pages, generated models */
extern PyMethodDef tacpy_numbers[]; /* random numbers, hashes, texts, contact problems */

/* Takes the model: a new object; NULL: an exception, and the model is freed. type NULL: tacpy.model */
PyObject *tacpy_model_object(PyTypeObject *type, tacModel *model);
/* The model of an object; NULL with a TypeError. */
tacModel *tacpy_model_of(PyObject *o);
/* Adds a heap type to the module; NULL: an exception. The reference is the caller's. */
PyTypeObject *tacpy_add_type(PyObject *module, PyType_Spec *spec, const char *name);
/* Frees an object of a heap type. */
void tacpy_free_object(PyObject *self);
