/* tacOptions from keywords, and back. */
#pragma once

#include "structure.h"

/* Sets options from a dict, but for the names in `skip` (ends with NULL). 0, or -1. */
int tacpy_take_options(PyObject *keywords, const char *const *skip, tacOptions *options);
/* on_unsolved of the same dict; raise where it is not there. */
int tacpy_take_unsolved(PyObject *keywords, tacpyUnsolved *unsolved);
/* All options as keywords. */
PyObject *tacpy_options_dict(const tacOptions *options, tacpyUnsolved unsolved);
