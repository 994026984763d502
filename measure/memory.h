/* Want of memory: noted where it is met, told once at the end.
 *
 * Most functions that find no memory say so to their caller, and the verb ends with CLI_CANNOT. A function
 * that cannot report so far up (it builds one value of a document, or draws one sample) sets a flag here. The flag
 * stays set: no document is printed after it, and the exit code is CLI_CANNOT whatever the verb returns. */
#pragma once

/* Notes it. */
void cli_memory_ran_out(void);
/* 1: it was noted. */
int cli_memory_was_short(void);
