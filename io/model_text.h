/* A growing piece of model text for the generators. Running out of memory is remembered, so that only the end
 * checks. */
#pragma once

#include <stddef.h>

typedef struct tacText {
    char *text; /* zero-terminated; NULL before the first word and after a failure */
    size_t size, capacity;
    int failed;
} tacText;

/* Appends text as it is. */
void tac_text_add(tacText *out, const char *text);
/* Appends printf's text; whole numbers and words only: a decimal point would follow the locale. */
void tac_text_format(tacText *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a number rounded to six decimals, with a point whatever the locale; |value| below 1e12. */
void tac_text_number(tacText *out, double value);
/* Appends ` attr="v0 v1 ..."`. */
void tac_text_attr(tacText *out, const char *attr, int n, const double *value);
/* The text, to be freed by the caller, or NULL after a failure; `out` is empty afterwards. */
char *tac_text_take(tacText *out);
