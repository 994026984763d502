/* A folder of small files that a test makes and that goes away with it. */
#pragma once

#include <stddef.h>

/* Makes a fresh folder; fails the test when that cannot be done. */
void scratch_begin(void);
/* Removes it and all in it. */
void scratch_end(void);
/* The same as set-up and tear-down of a test or of a group of them; 0. */
int scratch_setup(void **state);
int scratch_teardown(void **state);
/* Path of a name in the folder; four at a time are valid. */
const char *scratch_path(const char *name);
/* Writes a file (its folders too) and returns its path. */
const char *scratch_bytes(const char *name, const void *bytes, size_t size);
const char *scratch_text(const char *name, const char *text);
