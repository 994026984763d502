/* Calls with one argument broken at a time. Each argument of a call goes through P (pointer), I (id), N (count of what
 * an array has), D (number) or O (options); a run of the call breaks the one whose turn it is. */
#pragma once

#include "tactus/tactus.h"

#include <limits.h>
#include <stddef.h>

enum { BREAKS = 4 };

static struct {
    int slot, turn, way; /* of this run; whose turn it is, and which of the ways to break it */
    int broke;           /* 1: its turn came */
} run;

static int is_broken(void) {
    int now = run.slot++ == run.turn;
    run.broke |= now;
    return now;
}

static inline void *P(const void *pointer) { return is_broken() ? NULL : (void *)pointer; }

static inline int I(int number) {
    static const int WAYS[BREAKS] = {-1, INT_MIN, INT_MAX, 1000000};
    return is_broken() ? WAYS[run.way] : number;
}

static inline int N(int count) {
    static const int WAYS[BREAKS] = {-1, INT_MIN, -2, -1000000};
    return is_broken() ? WAYS[run.way] : count;
}

static inline double D(double number) {
    static const double WAYS[BREAKS] = {-1, 1e308, -1e308, 0};
    return is_broken() ? WAYS[run.way] : number;
}

/* No options, options that were never set, ones with every byte set, and ones with one field out of range. */
static inline const tacOptions *O(const tacOptions *options) {
    static tacOptions other;
    if (!is_broken()) return options;
    unsigned char *bytes = (unsigned char *)&other;
    for (size_t i = 0; i < sizeof other; i++)
        bytes[i] = run.way == 1 ? 0 : 0xA5;
    if (run.way == 3) other = *options, other.max_contacts = INT_MAX, other.contact = (tacContactModel)77;
    return run.way == 0 ? NULL : &other;
}
