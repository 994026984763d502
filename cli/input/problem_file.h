/* Contact problems in the text format of the published collections.
 *
 * Numbers separated by white space: dimension (3), contacts nc, storage; `n n` with n = 3 nc; then W
 *   storage 0   `n n` again and n n numbers, column by column
 *   storage 1   blocks, rows, columns; cumulative row sizes; cumulative column sizes; how many row starts and column
 *               indices follow, and they; then per block its number and its nine values, column by column
 * then q (n numbers) and mu (nc numbers). */
#pragma once

#include "tactus/problem.h"

typedef struct tacProblemFile {
    tacProblem problem;
    double *numbers; /* W, q, mu: free by cli_problem_close */
} tacProblemFile;

/* Reads a file ("-": standard input). CLI_GO_ON, or CLI_CANNOT after a message that names file, line, what was found
 * and what was expected. */
int cli_problem_read(const char *verb, const char *path, tacProblemFile *file);
void cli_problem_close(tacProblemFile *file);
