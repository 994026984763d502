/* Ridders' differences against closed forms, and when they end. */
#include "measure/differences.h"

#include "support/check.h"

#include <math.h>

/* Of sums of exponentials with a first step of 0.1, to rounding over the steps. */
#define TOL_VALUE 1e-10
#define ENOUGH    1e-8
enum { COUNT = 3, OUTPUTS = 2, ALL = COUNT * OUTPUTS, WORK = 256 };

/* Three functions of two outputs, and how often each was evaluated. */
typedef struct Curves {
    const double *error;
    double rate[COUNT];
    int calls[COUNT];
} Curves;

/* (e^(a t), a sin t); those that have converged are left alone, and give what must not be read. */
static int curves(void *context, double t, double *out) {
    Curves *c = context;
    for (int k = 0; k < COUNT; k++) {
        int converged = c->error != NULL && c->error[k * OUTPUTS] == DIFFERENCE_CONVERGED;
        out[k * OUTPUTS] = converged ? 1e9 * t : exp(c->rate[k] * t);
        out[k * OUTPUTS + 1] = converged ? 1e9 * t : c->rate[k] * sin(t);
        c->calls[k] += !converged;
    }
    return 0;
}

static void whole_tableau(void **state) {
    (void)state;
    double d[ALL], error[ALL], work[WORK];
    Curves c = {.rate = {1, -2, 30}};
    CHECK(difference_work(ALL) <= WORK);
    CHECK_INT(difference_ridders(curves, &c, ALL, 0.1, d, error, work), 0);
    for (int k = 0; k < COUNT; k++) {
        CHECK_INT(c.calls[k], 2 * DIFFERENCE_ROWS);
        for (int i = 0; i < OUTPUTS; i++)
            CHECK_NEAR(d[k * OUTPUTS + i], c.rate[k], 1e3 * TOL_VALUE * fabs(c.rate[k]));
    }
    CHECK_NEAR(d[0], 1, TOL_VALUE);
}

/* A function that bends more takes more rows; one that has converged is not evaluated again, and keeps its value. */
static void ended_where_known(void **state) {
    (void)state;
    double d[ALL], error[ALL], work[WORK];
    Curves c = {.rate = {1e-6, 1, 100}, .error = error};
    CHECK_INT(difference_ridders_each(curves, &c, COUNT, OUTPUTS, 0.1, ENOUGH, d, error, work), 0);
    CHECK(c.calls[0] < c.calls[1] && c.calls[1] < c.calls[2]);
    CHECK_INT(c.calls[2], 2 * DIFFERENCE_ROWS);
    for (int i = 0; i < 2 * OUTPUTS; i++) {
        CHECK(error[i] == DIFFERENCE_CONVERGED);
        CHECK_NEAR(d[i], c.rate[i / OUTPUTS], ENOUGH);
    }
    CHECK(error[2 * OUTPUTS] > ENOUGH * 100);
}

/* What is known is known relative to the largest derivative. */
static void known_by_size(void **state) {
    (void)state;
    double d[ALL], error[ALL], work[WORK];
    Curves c = {.rate = {1, 1, 1}, .error = error};
    CHECK_INT(difference_ridders_each(curves, &c, COUNT, OUTPUTS, 1e-3, 1, d, error, work), 0);
    CHECK_INT(c.calls[0], 4);
}

static int fails(void *context, double t, double *out) {
    (void)context, (void)t, (void)out;
    return 1;
}

static void failure_is_told(void **state) {
    (void)state;
    double d[OUTPUTS], error[OUTPUTS], work[WORK];
    CHECK(difference_ridders(fails, NULL, OUTPUTS, 1e-3, d, error, work) != 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_tableau),
        cmocka_unit_test(ended_where_known),
        cmocka_unit_test(known_by_size),
        cmocka_unit_test(failure_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
