/* A planner's place as bytes: head, counts, paths, history, what the method
 * keeps, checksum. */
#include "base/error.h"
#include "math/scalar.h"
#include "optimize/planner.h"

#include <string.h>

#define MAGIC   0x4e414c5043415455ull
#define VERSION 1u

typedef struct Head {
    uint64_t magic, version, bytes, plan, options;
} Head;

/* Of what decides results; the number of iterations may grow. */
static uint64_t hash_options(const tacPlanOptions *o) {
    double real[] = {o->cost_tolerance,   o->constraint_tolerance,  o->smoothing.first, o->smoothing.last,
                     o->smoothing.factor, o->regularization,        o->penalty,         o->penalty_factor,
                     o->penalty_most,     (double)o->smoothing.kind};
    return tac_hash(real, sizeof real, tac_hash(o->method->name, strlen(o->method->name), 0));
}

/* Walks over all that is kept: copies to `out`, or from `in`, or neither; the
 * number of bytes. */
typedef struct Walk {
    unsigned char *out;
    const unsigned char *in;
    size_t bytes;
} Walk;

static void walk(Walk *w, void *what, size_t size) {
    if (size == 0) return;
    if (w->out != NULL) memcpy(w->out + w->bytes, what, size);
    if (w->in != NULL) memcpy(what, w->in + w->bytes, size);
    w->bytes += size;
}

static void walk_path(Walk *w, const tacPlan *plan, const tacOwnPath *p) {
    size_t n = (size_t)plan->n, nu = (size_t)plan->nu, number = sizeof(double);
    walk(w, p->X, (n + 1) * (size_t)plan->nx * number);
    walk(w, p->U, n * nu * number);
    walk(w, p->p, (size_t)plan->nunknown * number);
    walk(w, p->K, n * nu * (size_t)plan->ndx * number);
}

static void walk_all(Walk *w, tacPlanner *pl) {
    const tacPlan *plan = pl->plan;
    walk(w, &pl->count, sizeof pl->count); /* the first: how long the history is */
    walk_path(w, plan, &pl->now);
    if (pl->count.best.found) walk_path(w, plan, &pl->best);
    if (pl->count.best.found) walk(w, pl->best_terms, (size_t)plan->nterm * sizeof(double));
    if (pl->count.begun) walk(w, pl->history, (size_t)(pl->count.iterations + 1) * sizeof *pl->history);
    if (pl->count.begun) walk(w, pl->method, pl->options.method->kept(plan, &pl->options));
}

size_t tac_planner_save_bytes(const tacPlanner *planner) {
    if (planner == NULL) return 0;
    tacPlanner copy = *planner;
    Walk w = {0};
    walk_all(&w, &copy);
    return sizeof(Head) + w.bytes + sizeof(uint64_t);
}

tacStatus tac_planner_save(const tacPlanner *planner, void *bytes, size_t size, tacError *err) {
    if (planner == NULL || bytes == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_planner_save: a NULL argument");
    size_t need = tac_planner_save_bytes(planner);
    if (size < need) return tac_fail(err, TAC_ERR_SHAPE, "a planner takes %zu bytes, got room for %zu", need, size);
    unsigned char *out = bytes;
    Head head = {MAGIC, VERSION, need, tac_plan_hash(planner->plan), hash_options(&planner->options)};
    memcpy(out, &head, sizeof head);
    tacPlanner copy = *planner;
    Walk w = {.out = out + sizeof head};
    walk_all(&w, &copy);
    uint64_t sum = tac_hash(out, need - sizeof sum, 0);
    memcpy(out + need - sizeof sum, &sum, sizeof sum);
    return TAC_OK;
}

static tacStatus check_bytes(const tacPlanner *pl, const unsigned char *in, size_t size, tacError *err) {
    Head head;
    uint64_t sum;
    if (size < sizeof head + sizeof sum) return tac_fail(err, TAC_ERR_SYNTAX, "%zu bytes are no planner's place", size);
    memcpy(&head, in, sizeof head);
    if (head.magic != MAGIC) return tac_fail(err, TAC_ERR_SYNTAX, "these bytes are no planner's place");
    if (head.version != VERSION)
        return tac_fail(err, TAC_ERR_VERSION, "a planner's place of version %llu: expected %u",
                        (unsigned long long)head.version, VERSION);
    if (head.bytes != size)
        return tac_fail(err, TAC_ERR_CHECKSUM, "a planner's place has %zu bytes: expected %llu", size,
                        (unsigned long long)head.bytes);
    memcpy(&sum, in + size - sizeof sum, sizeof sum);
    if (sum != tac_hash(in, size - sizeof sum, 0))
        return tac_fail(err, TAC_ERR_CHECKSUM, "a planner's place is damaged: its checksum differs");
    if (head.plan != tac_plan_hash(pl->plan))
        return tac_fail(err, TAC_ERR_MODEL, "a planner's place of another problem or model");
    if (head.options != hash_options(&pl->options))
        return tac_fail(err, TAC_ERR_MODEL, "a planner's place with other solver options");
    return TAC_OK;
}

tacStatus tac_planner_restore(tacPlanner *planner, const void *bytes, size_t size, tacError *err) {
    if (planner == NULL || bytes == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_planner_restore: a NULL argument");
    TAC_TRY(check_bytes(planner, bytes, size, err));
    tacPlannerCount count;
    memcpy(&count, (const unsigned char *)bytes + sizeof(Head), sizeof count);
    if (count.iterations > planner->options.iterations)
        return tac_fail(err, TAC_ERR_MODEL, "a planner's place of %d iterations: the options have room for %d",
                        count.iterations, planner->options.iterations);
    Walk w = {.in = (const unsigned char *)bytes + sizeof(Head)};
    walk_all(&w, planner);
    return TAC_OK;
}
