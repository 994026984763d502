/* A pool of threads for independent items of work. Results cannot depend on the number of threads as long as an item
 * writes only what belongs to it. No global state. */
#pragma once

#include "tactus/status.h"

typedef struct tacPool tacPool;

/* Work on one item. worker is in 0 .. tac_pool_size - 1: which of the caller's workspaces this thread may use. */
typedef void (*tacPoolTask)(void *context, int item, int worker);

/* A pool of `threads` workers, the calling thread among them: one worker starts no thread. Where the system refuses
 * further threads the pool is smaller; ask tac_pool_size. */
tacStatus tac_pool_new(int threads, tacPool **pool, tacError *err);
/* Joins and frees; NULL is fine. */
void tac_pool_free(tacPool *pool);
/* Number of workers, at least 1. */
int tac_pool_size(const tacPool *pool);
/* task(context, i, worker) for i = 0 .. n - 1; returns when all are done. A worker that is free takes the next `chunk`
 * items. The caller begins at once and waits for nobody who has not begun; up to one chunk it works alone. A task may
 * not use the pool; one thread at a time may call this. In the child of a fork the pool starts its threads again. */
void tac_pool_run(tacPool *pool, int n, int chunk, tacPoolTask task, void *context);

/* Reads a flag that another thread or a signal handler may set. NULL: 0. */
int tac_flag_read(const volatile int *flag);

/* Between the two pthread_cancel waits for the calling thread: workers use its stack, and a pool is its to free. The
 * first returns what the second needs. */
int tac_cancel_hold(void);
void tac_cancel_release(int before);
