#include "base/threads.h"

#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

typedef struct tacWorker {
    tacPool *pool;
    pthread_t thread;
    int id; /* 1 .. size - 1; worker 0 is whoever calls tac_pool_run */
} tacWorker;

struct tacPool {
    pthread_mutex_t
        lock; /* guards everything below but `next`; a round's task stays as it is while the round is open */
    pthread_cond_t start, done;
    unsigned long round; /* counts calls of tac_pool_run */
    bool open;           /* workers may join the round */
    int inside;          /* workers that have joined it and not finished */
    bool quit;
    tacPoolTask task;
    void *context;
    int n, chunk;
    _Atomic int64_t next; /* first item that no worker has taken */
    pid_t owner;          /* process whose threads these are */
    int wanted, size;
    tacWorker worker[];
};

static void take_chunks(tacPool *pool, int worker) {
    int n = pool->n, chunk = pool->chunk;
    tacPoolTask task = pool->task;
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&pool->next, chunk, memory_order_relaxed);
        int64_t end = begin + chunk < n ? begin + chunk : n;
        if (begin >= n) return;
        for (int i = (int)begin; i < end; i++)
            task(pool->context, i, worker);
    }
}

static void *serve(void *argument) {
    tacWorker *worker = argument;
    tacPool *pool = worker->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && !(pool->open && pool->round != seen))
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->quit) break;
        seen = pool->round;
        pool->inside++;
        pthread_mutex_unlock(&pool->lock);
        take_chunks(pool, worker->id);
        pthread_mutex_lock(&pool->lock);
        if (--pool->inside == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Starts workers 1 .. threads - 1 and counts those the system gave. */
static void start_threads(tacPool *pool) {
    pthread_mutex_lock(&pool->lock);
    for (int k = 1; k < pool->wanted; k++) {
        pool->worker[k] = (tacWorker){.pool = pool, .id = k};
        if (pthread_create(&pool->worker[k].thread, NULL, serve, &pool->worker[k]) != 0) break;
        pool->size++;
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Locks and threads of this process. */
static void start(tacPool *pool) {
    pool->owner = getpid();
    pool->size = 1;
    pool->inside = 0;
    pool->open = false;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    start_threads(pool);
}

tacStatus tac_pool_new(int threads, tacPool **pool, tacError *err) {
    if (threads < 1) return tac_fail(err, TAC_ERR_ARGUMENT, "a pool needs at least one thread, got %d", threads);
    tacPool *p = calloc(1, sizeof *p + (size_t)threads * sizeof p->worker[0]);
    if (p == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a pool of %d threads", threads);
    p->wanted = threads;
    start(p);
    p->wanted = p->size; /* callers have workspaces for these */
    *pool = p;
    return TAC_OK;
}

static void join_threads(tacPool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 1; k < pool->size; k++)
        pthread_join(pool->worker[k].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->lock);
}

void tac_pool_free(tacPool *pool) {
    if (pool == NULL) return;
    if (pool->owner == getpid()) join_threads(pool); /* the threads of a parent are not ours to join */
    free(pool);
}

int tac_pool_size(const tacPool *pool) { return pool->size; }

/* Opens a round. Wakes one thread for each chunk but the first, which the caller takes. */
static void open_round(tacPool *pool, int n, int chunk, tacPoolTask task, void *context) {
    int chunks = (n - 1) / chunk + 1, others = chunks - 1 < pool->size - 1 ? chunks - 1 : pool->size - 1;
    pthread_mutex_lock(&pool->lock);
    TAC_ASSERT(!pool->open && pool->inside == 0);
    pool->task = task;
    pool->context = context;
    pool->n = n;
    pool->chunk = chunk;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->open = others > 0;
    pool->round++;
    for (int k = 0; k < others; k++)
        pthread_cond_signal(&pool->start);
    pthread_mutex_unlock(&pool->lock);
}

void tac_pool_run(tacPool *pool, int n, int chunk, tacPoolTask task, void *context) {
    TAC_ASSERT(n >= 0 && chunk > 0 && task != NULL);
    if (n <= chunk || pool->wanted == 1) {
        for (int i = 0; i < n; i++)
            task(context, i, 0);
        return;
    }
    if (pool->owner != getpid()) start(pool);
    open_round(pool, n, chunk, task, context);
    take_chunks(pool, 0);
    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    while (pool->inside > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

int tac_flag_read(const volatile int *flag) { return flag == NULL ? 0 : __atomic_load_n(flag, __ATOMIC_RELAXED); }

int tac_cancel_hold(void) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void tac_cancel_release(int before) { pthread_setcancelstate(before, &before); }
