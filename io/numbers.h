/* Numbers in text, read the same way whatever the locale, exactly rounded. */
#pragma once

#include "tactus/status.h"

#include <stddef.h>

/* Blank-separated numbers -> out[max], *n of them. Refused with the reason in err (no prefix): text that is not a
 * number, nan, inf, overflow, more than max or fewer than min. */
tacStatus tac_numbers_read(const char *text, int min, int max, double *out, int *n, tacError *err);
/* The same for integers that fit an int. */
tacStatus tac_numbers_read_int(const char *text, int min, int max, int *out, int *n, tacError *err);
/* The same with no bound but the text's length: *out is malloc'ed (NULL when there is none). */
tacStatus tac_numbers_list(const char *text, double **out, int *n, tacError *err);
tacStatus tac_numbers_list_int(const char *text, int **out, int *n, tacError *err);
/* Numbers -> text that reads back to the same bits, separated by blanks, whatever the locale; cut to size. */
void tac_numbers_text(int n, const double *x, char *out, size_t size);
