/* Comparisons for cmocka tests. Each prints what it compared when it fails. Tolerances are multiplied by the
 * environment variable TAC_TOL_SCALE (default 1); 0 makes every approximate check fail and print its residual. */
#pragma once

#include "measure/agreement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CHECK(condition)      check_true((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_LT(a, b)        check_less((double)(a), (double)(b), #a, __FILE__, __LINE__)
#define CHECK_INT(a, b)       check_int((long)(a), (long)(b), #a, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tol) check_near((double)(a), (double)(b), (tol), #a, __FILE__, __LINE__)
/* max |a_i - b_i| <= tol max(1, max |b_i|) */
#define CHECK_ARRAY(n, a, b, tol)                                                                                      \
    check_array((n), (const double *)(a), (const double *)(b), (tol), #a, __FILE__, __LINE__)
#define CHECK_STR(a, b) check_string((a), (b), #a, __FILE__, __LINE__)
/* text contains part */
#define CHECK_HAS(text, part) check_has((text), (part), #text, __FILE__, __LINE__)

void check_true(int condition, const char *what, const char *file, int line);
void check_less(double a, double b, const char *what, const char *file, int line);
void check_int(long a, long b, const char *what, const char *file, int line);
void check_near(double a, double b, double tol, const char *what, const char *file, int line);
void check_array(int n, const double *a, const double *b, double tol, const char *what, const char *file, int line);
void check_string(const char *a, const char *b, const char *what, const char *file, int line);
void check_has(const char *text, const char *part, const char *what, const char *file, int line);

/* Path of a file of the shared material (TACTUS_SHARED, default ../shared), or NULL when it is not there. The text is
 * in a static buffer. */
const char *shared_path(const char *relative);
