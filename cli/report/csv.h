/* Comma-separated text. */
#pragma once

#include <stdio.h>

/* Writes one cell of a header, quoted where it has to be. */
void cli_csv_name(FILE *file, const char *name);
/* Writes numbers with 17 digits, each after a comma. */
void cli_csv_numbers(FILE *file, int n, const double *numbers);
