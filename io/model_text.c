#include "io/model_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024, DECIMALS = 6, DECIMAL_UNIT = 1000000, LONGEST_WORD = 256 };

static void fail(tacText *out) {
    free(out->text);
    *out = (tacText){.failed = 1};
}

/* Room for n more bytes and the final zero. */
static int reserve(tacText *out, size_t n) {
    if (out->failed) return 0;
    size_t need = out->size + n + 1, capacity = out->capacity > 0 ? out->capacity : FIRST_CAPACITY;
    if (need <= out->capacity) return 1;
    while (capacity < need)
        capacity *= 2;
    char *grown = realloc(out->text, capacity);
    if (grown == NULL) {
        fail(out);
        return 0;
    }
    out->text = grown;
    out->capacity = capacity;
    return 1;
}

void tac_text_add(tacText *out, const char *text) {
    size_t n = strlen(text);
    if (!reserve(out, n)) return;
    memcpy(out->text + out->size, text, n + 1);
    out->size += n;
}

void tac_text_format(tacText *out, const char *format, ...) {
    char word[LONGEST_WORD];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(word, sizeof word, format, args);
    va_end(args);
    if (n < 0 || n >= LONGEST_WORD)
        fail(out);
    else
        tac_text_add(out, word);
}

void tac_text_number(tacText *out, double value) {
    long long scaled = llround(value * DECIMAL_UNIT), size = scaled < 0 ? -scaled : scaled;
    char decimals[DECIMALS + 1];
    snprintf(decimals, sizeof decimals, "%0*lld", DECIMALS, size % DECIMAL_UNIT);
    int last = DECIMALS;
    while (last > 0 && decimals[last - 1] == '0')
        last--;
    decimals[last] = '\0';
    tac_text_format(out, "%s%lld%s%s", scaled < 0 ? "-" : "", size / DECIMAL_UNIT, last > 0 ? "." : "", decimals);
}

void tac_text_attr(tacText *out, const char *attr, int n, const double *value) {
    tac_text_format(out, " %s=\"", attr);
    for (int i = 0; i < n; i++) {
        if (i > 0) tac_text_add(out, " ");
        tac_text_number(out, value[i]);
    }
    tac_text_add(out, "\"");
}

char *tac_text_take(tacText *out) {
    char *text = out->text;
    *out = (tacText){0};
    return text;
}
