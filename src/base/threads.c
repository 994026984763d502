#include "base/threads.h"

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct tacWorker {
    tacPool *pool;
    pthread_t thread;
    int id; /* 1 .. size - 1; worker 0 is whoever calls tac_pool_run */
} tacWorker;

struct tacPool {
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t start, done;
    unsigned long round; /* counts calls of tac_pool_run */
    int busy;            /* threads that have not finished this round */
    bool quit;
    tacPoolTask task;
    void *context;
    int n;
    int size;
    tacWorker worker[];
};

static void run_share(tacPoolTask task, void *context, int n, int worker, int size) {
    int begin = (int)((int64_t)n * worker / size), end = (int)((int64_t)n * (worker + 1) / size);
    for (int i = begin; i < end; i++)
        task(context, i, worker);
}

static void *serve(void *argument) {
    tacWorker *worker = argument;
    tacPool *pool = worker->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->quit)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->quit) break;
        seen = pool->round;
        tacPoolTask task = pool->task;
        void *context = pool->context;
        int n = pool->n, size = pool->size;
        pthread_mutex_unlock(&pool->lock);
        run_share(task, context, n, worker->id, size);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Starts workers 1 .. threads - 1 and counts those the system gave. */
static void start_threads(tacPool *pool, int threads) {
    pthread_mutex_lock(&pool->lock);
    for (int k = 1; k < threads; k++) {
        pool->worker[k] = (tacWorker){.pool = pool, .id = k};
        if (pthread_create(&pool->worker[k].thread, NULL, serve, &pool->worker[k]) != 0) break;
        pool->size++;
    }
    pthread_mutex_unlock(&pool->lock);
}

tacStatus tac_pool_new(int threads, tacPool **pool, tacError *err) {
    if (threads < 1) return tac_fail(err, TAC_ERR_ARGUMENT, "a pool needs at least one thread, got %d", threads);
    tacPool *p = calloc(1, sizeof *p + (size_t)threads * sizeof p->worker[0]);
    if (p == NULL) return tac_fail(err, TAC_ERR_MEMORY, "no memory for a pool of %d threads", threads);
    p->size = 1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->done, NULL);
    start_threads(p, threads);
    *pool = p;
    return TAC_OK;
}

void tac_pool_free(tacPool *pool) {
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 1; k < pool->size; k++)
        pthread_join(pool->worker[k].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

int tac_pool_size(const tacPool *pool) { return pool->size; }

void tac_pool_run(tacPool *pool, int n, tacPoolTask task, void *context) {
    TAC_ASSERT(n >= 0 && task != NULL);
    if (pool->size == 1) {
        run_share(task, context, n, 0, 1);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    TAC_ASSERT(pool->busy == 0);
    pool->task = task;
    pool->context = context;
    pool->n = n;
    pool->busy = pool->size - 1;
    pool->round++;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    run_share(task, context, n, 0, pool->size);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

int tac_cancel_hold(void) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void tac_cancel_release(int before) { pthread_setcancelstate(before, &before); }
