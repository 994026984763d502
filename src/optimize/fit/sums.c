/* Sums over segments, chunk by chunk: memory does not grow with the data, and the order of summing is fixed. */
#include "optimize/fit/fit.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

typedef struct Chunk {
    tacFitter *f;
    const tacFitAt *at;
    int first;
} Chunk;

static int segment_at(const tacFitAt *at, int i) { return at->list != NULL ? at->list[i] : at->first + i; }

static void one_segment(void *context, int item, int worker) {
    Chunk *chunk = context;
    tacFitter *f = chunk->f;
    if (tac_flag_read(f->fit->options.stop)) return;
    tac_fit_segment_sums(f->fit, &f->work[worker], chunk->at, segment_at(chunk->at, chunk->first + item),
                         &f->slot[item]);
}

/* The group of a segment: its recording, or itself where there are few recordings. */
static int group_of(const tacFit *fit, int segment) {
    return fit->nrecording < 10 ? segment : fit->segment[segment][0];
}

/* sums->S += g g' of the group that ended. */
static void close_group(tacFitter *f, tacFitSums *sums) {
    int n = f->fit->nvar;
    for (int i = 0; sums->S != NULL && i < n; i++)
        tac_dense_axpy(n, f->group[i], f->group, sums->S + (size_t)i * (size_t)n);
    memset(f->group, 0, (size_t)n * sizeof *f->group);
}

/* A segment that cannot be predicted counts at its largest loss so far, or at the largest of any. */
static double loss_of_failed(const tacFitter *f, const tacFitAt *at, int segment) {
    double worst = at->worst[segment];
    for (int i = 0; worst == 0 && i < f->fit->nsegment; i++)
        worst = tac_max(worst, at->worst[i] * (at->worst[i] > worst));
    return worst;
}

static void add_slot(tacFitter *f, const tacFitAt *at, int segment, const tacFitSlot *slot, tacFitSums *sums) {
    int n = f->fit->nvar;
    if (slot->status != TAC_OK) {
        sums->failed++;
        sums->loss += loss_of_failed(f, at, segment);
        return;
    }
    at->worst[segment] = tac_max(at->worst[segment], slot->loss);
    sums->loss += slot->loss;
    sums->residuals += slot->residuals;
    tac_dense_axpy(n, 1, slot->g, sums->g);
    tac_dense_axpy(n, 1, slot->g, f->group);
    tac_dense_axpy(n * n, 1, slot->H, sums->H);
}

tacStatus tac_fit_sum(tacFitter *f, const tacFitAt *at, tacFitSums *sums) {
    const tacFit *fit = f->fit;
    size_t n = (size_t)fit->nvar;
    memset(sums->g, 0, n * sizeof *sums->g);
    memset(sums->H, 0, n * n * sizeof *sums->H);
    if (sums->S != NULL) memset(sums->S, 0, n * n * sizeof *sums->S);
    memset(f->group, 0, n * sizeof *f->group);
    sums->loss = 0;
    sums->residuals = 0;
    sums->failed = 0;
    for (int first = 0, group = -1; first < at->count; first += TAC_FIT_CHUNK) {
        int count = at->count - first < TAC_FIT_CHUNK ? at->count - first : TAC_FIT_CHUNK;
        tac_pool_run(f->pool, count, 1, one_segment, &(Chunk){f, at, first});
        if (tac_flag_read(fit->options.stop)) return TAC_ERR_STOPPED;
        for (int i = 0; i < count; i++) {
            int segment = segment_at(at, first + i);
            if (group_of(fit, segment) != group) close_group(f, sums);
            group = group_of(fit, segment);
            add_slot(f, at, segment, &f->slot[i], sums);
        }
    }
    close_group(f, sums);
    tac_fit_add_priors(fit, at->z, sums);
    return TAC_OK;
}
