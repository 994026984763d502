#include "solve/block_lu.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

enum { BITS = 64 };

int tac_block_lu_layout(tacBlockLu *lu, int nblock, int n, tacArena *arena) {
    *lu = (tacBlockLu){.nblock = nblock, .n = n, .words = (nblock + BITS - 1) / BITS};
    lu->size = TAC_TAKE(arena, nblock, int);
    lu->order = TAC_TAKE(arena, nblock, int);
    lu->first = TAC_TAKE(arena, nblock, int);
    lu->run = TAC_TAKE(arena, 2 * (size_t)nblock, int);
    lu->link = TAC_TAKE(arena, (size_t)nblock * (size_t)lu->words, uint64_t);
    lu->left = TAC_TAKE(arena, lu->words, uint64_t);
    lu->K = TAC_TAKE(arena, (size_t)lu->n * (size_t)lu->n, double);
    return lu->size && lu->order && lu->first && lu->run && lu->link && lu->left && lu->K;
}

size_t tac_block_lu_bytes(int nblock, int n) {
    tacArena dry = tac_arena_dry();
    tacBlockLu lu;
    tac_block_lu_layout(&lu, nblock, n, &dry);
    return dry.peak;
}

int tac_block_lu_begin(tacBlockLu *lu, int nblock, const int *size, tacArena *arena) {
    int n = 0;
    for (int i = 0; i < nblock; i++)
        n += size[i];
    if (!tac_block_lu_layout(lu, nblock, n, arena)) return 0;
    memcpy(lu->size, size, (size_t)nblock * sizeof *size);
    memset(lu->link, 0, (size_t)nblock * (size_t)lu->words * sizeof *lu->link);
    return 1;
}

/* --- Places ------------------------------------------------------------------------------------------------------- */

static uint64_t *links_of(const tacBlockLu *lu, int i) { return lu->link + (size_t)i * (size_t)lu->words; }
static int has(const uint64_t *set, int i) { return (int)(set[i / BITS] >> (i % BITS) & 1); }
static void put(uint64_t *set, int i) { set[i / BITS] |= (uint64_t)1 << (i % BITS); }
static void drop(uint64_t *set, int i) { set[i / BITS] &= ~((uint64_t)1 << (i % BITS)); }

/* First member from i on. Without one, at least `words` BITS. */
static int next_in(const uint64_t *set, int words, int i) {
    for (int word = i / BITS, shift = i % BITS; word < words; word++, shift = 0) {
        uint64_t rest = set[word] >> shift << shift;
        if (rest != 0) return word * BITS + __builtin_ctzll(rest);
    }
    return words * BITS;
}

void tac_block_lu_link(tacBlockLu *lu, int i, int j) {
    if (i == j) return;
    put(links_of(lu, i), j);
    put(links_of(lu, j), i);
}

/* Numbers beside block i in blocks not yet eliminated. */
static int degree(const tacBlockLu *lu, int i) {
    int sum = 0;
    for (int j = next_in(links_of(lu, i), lu->words, 0); j < lu->nblock; j = next_in(links_of(lu, i), lu->words, j + 1))
        sum += lu->size[j];
    return sum;
}

/* Eliminates block i from the pattern. Its neighbours are linked to each other, and no longer to it. */
static void eliminate(tacBlockLu *lu, int i) {
    const uint64_t *beside = links_of(lu, i);
    drop(lu->left, i);
    for (int j = next_in(beside, lu->words, 0); j < lu->nblock; j = next_in(beside, lu->words, j + 1)) {
        uint64_t *links = links_of(lu, j);
        for (int word = 0; word < lu->words; word++)
            links[word] |= beside[word];
        drop(links, i);
        drop(links, j);
    }
}

/* Renumbers links by order: bit j becomes bit l if block j is eliminated l-th. */
static void number_by_order(tacBlockLu *lu) {
    int *place = lu->run;
    for (int l = 0; l < lu->nblock; l++)
        place[lu->order[l]] = l;
    for (int i = 0; i < lu->nblock; i++) {
        uint64_t *links = links_of(lu, i), *again = lu->left;
        memset(again, 0, (size_t)lu->words * sizeof *again);
        for (int j = next_in(links, lu->words, 0); j < lu->nblock; j = next_in(links, lu->words, j + 1))
            put(again, place[j]);
        memcpy(links, again, (size_t)lu->words * sizeof *links);
    }
}

void tac_block_lu_order(tacBlockLu *lu) {
    int at = 0, *degrees = lu->run;
    memset(lu->left, 0, (size_t)lu->words * sizeof *lu->left);
    for (int i = 0; i < lu->nblock; i++) {
        put(lu->left, i);
        degrees[i] = degree(lu, i);
    }
    for (int k = 0; k < lu->nblock; k++) {
        int best = -1;
        for (int i = 0; i < lu->nblock; i++)
            if (has(lu->left, i) && (best < 0 || degrees[i] < degrees[best])) best = i;
        lu->order[k] = best;
        lu->first[best] = at;
        at += lu->size[best];
        eliminate(lu, best);
        const uint64_t *beside = links_of(lu, best);
        for (int j = next_in(beside, lu->words, 0); j < lu->nblock; j = next_in(beside, lu->words, j + 1))
            degrees[j] = degree(lu, j);
    }
    number_by_order(lu);
}

int tac_block_lu_beside(const tacBlockLu *lu, int k) {
    const uint64_t *beside = links_of(lu, lu->order[k]);
    int n = 0, *run = lu->run;
    for (int l = next_in(beside, lu->words, k + 1); l < lu->nblock; l = next_in(beside, lu->words, l + 1)) {
        int j = lu->order[l];
        if (n > 0 && run[2 * n - 2] + run[2 * n - 1] == lu->first[j])
            run[2 * n - 1] += lu->size[j];
        else {
            run[2 * n] = lu->first[j];
            run[2 * n + 1] = lu->size[j];
            n++;
        }
    }
    return n;
}

void tac_block_lu_clear(tacBlockLu *lu) {
    for (int k = 0; k < lu->nblock; k++) {
        int i = lu->order[k], first = lu->first[i], size = lu->size[i], runs = tac_block_lu_beside(lu, k);
        for (int r = first; r < first + size; r++) {
            memset(tac_block_lu_at(lu, r, first), 0, (size_t)size * sizeof(double));
            for (int s = 0; s < runs; s++)
                memset(tac_block_lu_at(lu, r, lu->run[2 * s]), 0, (size_t)lu->run[2 * s + 1] * sizeof(double));
        }
        for (int s = 0; s < runs; s++)
            for (int r = lu->run[2 * s]; r < lu->run[2 * s] + lu->run[2 * s + 1]; r++)
                memset(tac_block_lu_at(lu, r, first), 0, (size_t)size * sizeof(double));
    }
}

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

/* Row i of L in the columns of the pivot block. */
static void eliminate_row(const tacBlockLu *lu, int i, int first, int count, int last) {
    double *row = tac_block_lu_at(lu, i, 0);
    for (int p = first; p < first + count; p++) {
        const double *top = tac_block_lu_at(lu, p, 0);
        row[p] /= top[p];
        for (int j = p + 1; j < last; j++)
            row[j] -= row[p] * top[j];
    }
}

/* Factors the pivot block. 0: it is singular. */
static int factor_block(const tacBlockLu *lu, int first, int size) {
    for (int i = first; i < first + size; i++) {
        eliminate_row(lu, i, first, i - first, first + size);
        double pivot = *tac_block_lu_at(lu, i, i);
        if (!(tac_abs(pivot) > 0) || !tac_finite(pivot)) return 0;
    }
    return 1;
}

/* y -= l[0] x_0 + ... + l[5] x_5 over n numbers, x_k rows of K n_row apart */
static void take_six_rows(int n, const double *l, const double *x, size_t n_row, double *restrict y) {
    const double *x0 = x, *x1 = x0 + n_row, *x2 = x1 + n_row, *x3 = x2 + n_row, *x4 = x3 + n_row, *x5 = x4 + n_row;
    double l0 = l[0], l1 = l[1], l2 = l[2], l3 = l[3], l4 = l[4], l5 = l[5];
    for (int j = 0; j < n; j++)
        y[j] -= ((l0 * x0[j] + l1 * x1[j]) + (l2 * x2[j] + l3 * x3[j])) + (l4 * x4[j] + l5 * x5[j]);
}

/* Updates row i in the columns of one run by `count` pivots from `first` on. */
static void update_run(const tacBlockLu *lu, int i, int first, int count, const int *run) {
    const double *l = tac_block_lu_at(lu, i, first);
    double *y = tac_block_lu_at(lu, i, run[0]);
    int p = 0;
    for (; p + 6 <= count; p += 6)
        take_six_rows(run[1], l + p, tac_block_lu_at(lu, first + p, run[0]), (size_t)lu->n, y);
    for (; p < count; p++)
        tac_dense_axpy(run[1], -l[p], tac_block_lu_at(lu, first + p, run[0]), y);
}

int tac_block_lu_factor(tacBlockLu *lu) {
    for (int k = 0; k < lu->nblock; k++) {
        int first = lu->first[lu->order[k]], size = lu->size[lu->order[k]], runs = tac_block_lu_beside(lu, k);
        if (!factor_block(lu, first, size)) return 0;
        for (int i = first + 1; i < first + size; i++) /* U: the pivot's rows in the columns beside it */
            for (int s = 0; s < runs; s++)
                update_run(lu, i, first, i - first, lu->run + 2 * s);
        for (int r = 0; r < runs; r++)
            for (int i = lu->run[2 * r]; i < lu->run[2 * r] + lu->run[2 * r + 1]; i++) {
                eliminate_row(lu, i, first, size, first + size);
                for (int s = 0; s < runs; s++)
                    update_run(lu, i, first, size, lu->run + 2 * s);
            }
    }
    return 1;
}

void tac_block_lu_solve(tacBlockLu *lu, double *x) {
    for (int k = 0; k < lu->nblock; k++) {
        int first = lu->first[lu->order[k]], size = lu->size[lu->order[k]], runs = tac_block_lu_beside(lu, k);
        for (int i = first + 1; i < first + size; i++)
            x[i] -= tac_dense_dot(i - first, tac_block_lu_at(lu, i, first), x + first);
        for (int r = 0; r < runs; r++)
            for (int i = lu->run[2 * r]; i < lu->run[2 * r] + lu->run[2 * r + 1]; i++)
                x[i] -= tac_dense_dot(size, tac_block_lu_at(lu, i, first), x + first);
    }
    for (int k = lu->nblock - 1; k >= 0; k--) {
        int first = lu->first[lu->order[k]], size = lu->size[lu->order[k]], runs = tac_block_lu_beside(lu, k);
        for (int i = first + size - 1; i >= first; i--) {
            const double *row = tac_block_lu_at(lu, i, 0);
            double sum = tac_dense_dot(first + size - i - 1, row + i + 1, x + i + 1);
            for (int r = 0; r < runs; r++)
                sum += tac_dense_dot(lu->run[2 * r + 1], row + lu->run[2 * r], x + lu->run[2 * r]);
            x[i] = (x[i] - sum) / row[i];
        }
    }
}
