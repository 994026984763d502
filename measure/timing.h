/* Timing of short pieces of work, interleaved with a peer's: medians over many batches, thread CPU time. */
#pragma once

#include <stddef.h>

typedef void (*benchWork)(void *context);

typedef struct benchTime {
    double median, p10, p90; /* seconds per call */
} benchTime;

/* Seconds of CPU time of this thread. */
double bench_now(void);
/* Times n pieces of work side by side: `batches` rounds, each running every piece `calls[i]` times in turn. calls are
 * chosen so that a batch of each takes about batch_seconds. */
void bench_interleaved(int n, const benchWork *work, void *const *context, int batches, double batch_seconds,
                       benchTime *out);
