/* Work that must come to an end. What counts is the program's own time: a busy machine that lets it wait is no hang. */
#pragma once

/* From here on, until watch_end: `seconds` of CPU time and more end the program with exit code 1 and this text (which
 * stays where it is, and may change until then) on standard error. */
void watch_begin(int seconds, const char *text);
void watch_end(void);
