#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tolerance_scale(void) {
    const char *text = getenv("TAC_TOL_SCALE");
    return text != NULL ? atof(text) : 1.0;
}

void check_true(int condition, const char *what, const char *file, int line) {
    if (!condition) print_error("%s is false\n", what);
    _assert_true((uintmax_t)(condition != 0), what, file, line);
}

void check_less(double a, double b, const char *what, const char *file, int line) {
    int ok = a < b * tolerance_scale();
    if (!ok) print_error("%s = %.17g, bar %.3g\n", what, a, b);
    _assert_true((uintmax_t)ok, what, file, line);
}

void check_int(long a, long b, const char *what, const char *file, int line) {
    if (a != b) print_error("%s = %ld, expected %ld\n", what, a, b);
    _assert_true((uintmax_t)(a == b), what, file, line);
}

void check_near(double a, double b, double tol, const char *what, const char *file, int line) {
    int ok = fabs(a - b) <= tol * tolerance_scale();
    if (!ok) print_error("%s = %.17g, expected %.17g, difference %.3g, tolerance %.3g\n", what, a, b, fabs(a - b), tol);
    _assert_true((uintmax_t)ok, what, file, line);
}

void check_array(int n, const double *a, const double *b, double tol, const char *what, const char *file, int line) {
    double error = relative_error(n, a, b);
    int ok = error <= tol * tolerance_scale();
    if (!ok) {
        print_error("%s: relative error %.3g, tolerance %.3g\n", what, error, tol);
        for (int i = 0; i < n && i < 12; i++)
            print_error("  [%d] %.17g, expected %.17g\n", i, a[i], b[i]);
    }
    _assert_true((uintmax_t)ok, what, file, line);
}

void check_string(const char *a, const char *b, const char *what, const char *file, int line) {
    int ok = strcmp(a, b) == 0;
    if (!ok) print_error("%s = \"%s\", expected \"%s\"\n", what, a, b);
    _assert_true((uintmax_t)ok, what, file, line);
}

void check_has(const char *text, const char *part, const char *what, const char *file, int line) {
    int ok = strstr(text, part) != NULL;
    if (!ok) print_error("%s = \"%s\" lacks \"%s\"\n", what, text, part);
    _assert_true((uintmax_t)ok, what, file, line);
}

const char *shared_path(const char *relative) {
    static char path[4096];
    const char *root = getenv("TACTUS_SHARED");
    snprintf(path, sizeof path, "%s/%s", root != NULL ? root : "../shared", relative);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    fclose(file);
    return path;
}
