/* Sorting by integer keys: stable, no allocation, time linear in the number of keys. */
#pragma once

#include <stdint.h>

typedef struct tacKeyed {
    uint64_t key;
    int value, count; /* carried along */
} tacKeyed;

/* Ascending by key, equal keys in the order given. spare[n] is overwritten; returns whichever of the two arrays holds
 * the result. */
tacKeyed *tac_sort_keyed(int n, tacKeyed *rows, tacKeyed *spare);
