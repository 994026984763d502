/* Want of memory: noted where it is met, told once at the end.
 *
 * Most functions that find no memory say so to their caller, and the program ends as one that could not run. A function
 * that cannot report so far up (it builds one value of a document, or draws one sample) sets a flag here. The flag
 * stays set: no document is printed after it, and the exit code says so whatever else was found. */
#pragma once

/* Notes it. */
void measure_memory_ran_out(void);
/* 1: it was noted. */
int measure_memory_was_short(void);
