#include "base/sort.h"

#include <string.h>

/* Up to here insertion is faster than counting bytes. */
enum { SHORT = 40, BYTE = 256 };

static void insert_all(int n, tacKeyed *rows) {
    for (int i = 1; i < n; i++) {
        tacKeyed row = rows[i];
        int j = i;
        for (; j > 0 && rows[j - 1].key > row.key; j--)
            rows[j] = rows[j - 1];
        rows[j] = row;
    }
}

/* One pass: stable by one byte of the key. */
static void scatter(int n, const tacKeyed *from, tacKeyed *to, int shift) {
    int start[BYTE] = {0};
    for (int i = 0; i < n; i++)
        start[(from[i].key >> shift) & (BYTE - 1)]++;
    for (int b = 0, sum = 0; b < BYTE; b++) {
        int count = start[b];
        start[b] = sum;
        sum += count;
    }
    for (int i = 0; i < n; i++)
        to[start[(from[i].key >> shift) & (BYTE - 1)]++] = from[i];
}

tacKeyed *tac_sort_keyed(int n, tacKeyed *rows, tacKeyed *spare) {
    if (n <= SHORT) {
        insert_all(n, rows);
        return rows;
    }
    uint64_t differ = 0; /* bits in which keys differ: other bytes need no pass */
    for (int i = 1; i < n; i++)
        differ |= rows[i].key ^ rows[0].key;
    for (int shift = 0; shift < 64; shift += 8) {
        if (((differ >> shift) & (BYTE - 1)) == 0) continue;
        scatter(n, rows, spare, shift);
        tacKeyed *swap = rows;
        rows = spare;
        spare = swap;
    }
    return rows;
}
