#include "measure/timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_calls(benchWork work, void *context, long calls) {
    double start = bench_now();
    for (long k = 0; k < calls; k++)
        work(context);
    return bench_now() - start;
}

/* Number of calls that take about `seconds`, after warming up. */
static long choose_calls(benchWork work, void *context, double seconds) {
    long calls = 1;
    double taken = time_calls(work, context, calls);
    while (taken < seconds / 4 && calls < 1L << 30) {
        calls *= 2;
        taken = time_calls(work, context, calls);
    }
    long wanted = (long)((double)calls * seconds / (taken > 0 ? taken : seconds));
    return wanted > 0 ? wanted : 1;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_interleaved(int n, const benchWork *work, void *const *context, int batches, double batch_seconds,
                       benchTime *out) {
    long *calls = malloc((size_t)n * sizeof *calls);
    double *taken = malloc((size_t)n * (size_t)batches * sizeof *taken);
    for (int i = 0; i < n; i++)
        calls[i] = choose_calls(work[i], context[i], batch_seconds);
    for (int k = 0; k < batches; k++)
        for (int i = 0; i < n; i++)
            taken[i * batches + k] = time_calls(work[i], context[i], calls[i]) / (double)calls[i];
    for (int i = 0; i < n; i++) {
        double *t = taken + (ptrdiff_t)i * batches;
        qsort(t, (size_t)batches, sizeof *t, compare);
        out[i] = (benchTime){t[batches / 2], t[batches / 10], t[batches - 1 - batches / 10]};
    }
    free(calls);
    free(taken);
}
