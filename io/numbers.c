#include "io/numbers.h"

#include "base/error.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Powers of ten that a double holds exactly. */
enum { EXACT_POWER = 22, EXACT_DIGITS = 15, TOKEN_SHOWN = 40 };
static const double POWER[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static const char *skip_blanks(const char *p) {
    while (is_blank(*p))
        p++;
    return p;
}
static size_t token_length(const char *p) {
    size_t n = 0;
    while (p[n] != '\0' && !is_blank(p[n]))
        n++;
    return n;
}

/* A decimal number taken apart: digits * 10^exponent, where `digits` is whole while ndigit <= EXACT_DIGITS. */
typedef struct Decimal {
    bool negative;
    long long digits;
    int ndigit;
    long exponent;
} Decimal;

/* Digits with at most one point; leading zeros do not count. Returns the first character not read, or NULL. */
static const char *scan_digits(const char *p, Decimal *d) {
    bool any = false, point = false;
    for (; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (d->ndigit > 0 || *p != '0') d->ndigit++;
        if (d->ndigit <= EXACT_DIGITS) d->digits = 10 * d->digits + (*p - '0');
        if (point) d->exponent--;
    }
    return any ? p : NULL;
}

/* [sign] digits [. digits] [e [sign] digits], the whole token and nothing else. */
static bool scan_decimal(const char *p, const char *end, Decimal *d) {
    enum { LARGE = 100000 }; /* beyond any double; keeps the sum from overflowing */
    *d = (Decimal){.negative = *p == '-'};
    if (*p == '-' || *p == '+') p++;
    p = scan_digits(p, d);
    if (p == NULL) return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        long e = 0;
        bool minus = *++p == '-';
        if (*p == '-' || *p == '+') p++;
        if (!is_digit(*p)) return false;
        for (; is_digit(*p); p++)
            e = e < LARGE ? 10 * e + (*p - '0') : e;
        d->exponent += minus ? -e : e;
    }
    return p == end;
}

/* The C library's exactly rounded conversion in the "C" locale, for this thread only. */
static double convert_slowly(const char *p) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale);
    double value = strtod(p, NULL);
    uselocale(before);
    freelocale(c_locale);
    return value;
}

/* One product or quotient of two exact doubles is exactly rounded [Clinger1990]; the rest goes to the library. */
static double convert(const char *p, const Decimal *d) {
    double value;
    if (d->ndigit == 0)
        value = 0;
    else if (d->ndigit > EXACT_DIGITS || labs(d->exponent) > EXACT_POWER)
        return convert_slowly(p);
    else if (d->exponent < 0)
        value = (double)d->digits / POWER[-d->exponent];
    else
        value = (double)d->digits * POWER[d->exponent];
    return d->negative ? -value : value;
}

static tacStatus fail_token(tacError *err, const char *p, size_t length, const char *expected) {
    int shown = length > TOKEN_SHOWN ? TOKEN_SHOWN : (int)length;
    return tac_fail(err, TAC_ERR_SYNTAX, "found \"%.*s%s\", expected %s", shown, p, length > TOKEN_SHOWN ? "..." : "",
                    expected);
}

static tacStatus read_double(const char *p, size_t length, double *value, tacError *err) {
    Decimal d;
    if (!scan_decimal(p, p + length, &d)) return fail_token(err, p, length, "a finite number");
    *value = convert(p, &d);
    return isfinite(*value) ? TAC_OK : fail_token(err, p, length, "a number below 1.8e308");
}

static tacStatus read_int(const char *p, size_t length, int *value, tacError *err) {
    Decimal d;
    bool whole = memchr(p, '.', length) == NULL && memchr(p, 'e', length) == NULL && memchr(p, 'E', length) == NULL;
    if (!whole || !scan_decimal(p, p + length, &d)) return fail_token(err, p, length, "a whole number");
    if (d.ndigit > EXACT_DIGITS || d.digits > INT_MAX)
        return fail_token(err, p, length, "a whole number below 2147483648");
    *value = (int)(d.negative ? -d.digits : d.digits);
    return TAC_OK;
}

static size_t count_tokens(const char *text) {
    size_t n = 0;
    for (const char *p = skip_blanks(text); *p != '\0'; p = skip_blanks(p + token_length(p)))
        n++;
    return n;
}

static tacStatus check_count(const char *text, int min, int max, tacError *err) {
    size_t n = count_tokens(text);
    if (n >= (size_t)min && n <= (size_t)max) return TAC_OK;
    const char *bound = min == max ? "" : n < (size_t)min ? "at least " : "at most ";
    return tac_fail(err, TAC_ERR_SYNTAX, "found %zu number%s, expected %s%d", n, n == 1 ? "" : "s", bound,
                    n < (size_t)min ? min : max);
}

tacStatus tac_numbers_read(const char *text, int min, int max, double *out, int *n, tacError *err) {
    *n = 0;
    tacStatus status = check_count(text, min, max, err);
    for (const char *p = skip_blanks(text); *p != '\0' && status == TAC_OK; p = skip_blanks(p)) {
        size_t length = token_length(p);
        status = read_double(p, length, &out[*n], err);
        ++*n;
        p += length;
    }
    return status;
}

tacStatus tac_numbers_read_int(const char *text, int min, int max, int *out, int *n, tacError *err) {
    *n = 0;
    tacStatus status = check_count(text, min, max, err);
    for (const char *p = skip_blanks(text); *p != '\0' && status == TAC_OK; p = skip_blanks(p)) {
        size_t length = token_length(p);
        status = read_int(p, length, &out[*n], err);
        ++*n;
        p += length;
    }
    return status;
}

/* Room for every token of the text, or NULL: there is none, too many, or no memory (status says which). */
static void *allocate_tokens(const char *text, size_t element, int *max, tacStatus *status, tacError *err) {
    size_t n = count_tokens(text);
    *status = TAC_OK;
    *max = 0;
    if (n == 0) return NULL;
    void *memory = n < INT_MAX ? malloc(n * element) : NULL;
    if (memory == NULL)
        *status = tac_fail(err, TAC_ERR_MEMORY, "no memory for %zu numbers", n);
    else
        *max = (int)n;
    return memory;
}

tacStatus tac_numbers_list(const char *text, double **out, int *n, tacError *err) {
    tacStatus status;
    int max;
    *n = 0;
    *out = allocate_tokens(text, sizeof(double), &max, &status, err);
    if (*out == NULL) return status;
    status = tac_numbers_read(text, 0, max, *out, n, err);
    if (status != TAC_OK) {
        free(*out);
        *out = NULL;
        *n = 0;
    }
    return status;
}

tacStatus tac_numbers_list_int(const char *text, int **out, int *n, tacError *err) {
    tacStatus status;
    int max;
    *n = 0;
    *out = allocate_tokens(text, sizeof(int), &max, &status, err);
    if (*out == NULL) return status;
    status = tac_numbers_read_int(text, 0, max, *out, n, err);
    if (status != TAC_OK) {
        free(*out);
        *out = NULL;
        *n = 0;
    }
    return status;
}

void tac_numbers_text(int n, const double *x, char *out, size_t size) {
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale);
    size_t used = 0;
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, i == 0 ? "%.17g" : " %.17g", x[i]);
    uselocale(before);
    freelocale(c_locale);
}
