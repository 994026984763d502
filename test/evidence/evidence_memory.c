/* Allocations during evaluation (none are allowed), and whether results depend on what the workspace held. The linker
 * sends every allocation of this program through the counters below. One JSON line per model. */
#include "count_allocations.h"
#include "evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 10 };

/* Allocations in evaluating every quantity at several states, after one warm-up. */
static long count_allocations(Scene *s, Results *r) {
    long counted = 0;
    for (uint64_t k = 0; k < STATES; k++) {
        scene_randomize(s, k);
        long before = counted_allocations();
        evaluate_all(s, r);
        counted += counted_allocations() - before;
    }
    return counted;
}

/* Hash of everything at state k in a simulation laid out over memory filled with `byte`, after visiting other
 * states. */
static uint64_t hash_over(Scene *s, Results *r, int byte, uint64_t k) {
    tacError err;
    tacSim *own = s->sim;
    size_t bytes = tac_sim_bytes(s->model, &s->options);
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL) exit(2);
    memset(memory, byte, bytes);
    if (tac_sim_create(s->model, &s->options, memory, bytes, &s->sim, &err) != TAC_OK) exit(2);
    if (byte != 0) { /* a workspace that has seen something else */
        scene_randomize(s, k + 1000);
        evaluate_all(s, r);
    }
    scene_randomize(s, k);
    uint64_t hash = evaluate_all(s, r);
    free(memory);
    s->sim = own;
    return hash;
}

static int differing_states(Scene *s, Results *r) {
    int differing = 0;
    for (uint64_t k = 0; k < STATES; k++)
        differing += hash_over(s, r, 0, k) != hash_over(s, r, 0xFF, k);
    return differing;
}

int main(int argc, char **argv) {
    int code = 0;
    for (int i = 1; i < argc; i++) {
        Scene s = scene_load(argv[i]);
        Results r = results_make(s.model);
        evaluate_all(&s, &r);
        long loaded = counted_allocations(), counted = count_allocations(&s, &r), randomized = STATES;
        int differing = differing_states(&s, &r);
        printf(
            "{\"model\":\"%s\",\"allocations\":%ld,\"counted_at_load\":%ld,\"states\":%ld,\"dirty_differences\":%d}\n",
            argv[i], counted, loaded, randomized, differing);
        if (counted != 0 || differing != 0 || loaded == 0) code = 1;
        results_free(&r);
        scene_free(&s);
    }
    return code;
}
