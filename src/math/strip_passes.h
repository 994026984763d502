/* The three passes of tac_tree_solve for n x k right sides. Blocks of rows as in tree.c, and within a block four
 * columns at a time in registers; where these are zero, as for columns of another limb, the first pass has nothing to
 * do. The order of terms is that of the passes there.
 *
 * Included once by each of tree_strips_narrow.c and tree_strips_wide.c, which see it with and without STRIP_WIDE. */
#pragma once

#include "base/lanes.h"
#include "math/tree_strips.h"

#include <stddef.h>

#ifdef STRIP_WIDE
#define STRIP_TARGET TAC_WIDE
#else
#define STRIP_TARGET
#endif
#define STRIP_INLINE STRIP_TARGET static inline __attribute__((always_inline))

/* Numbers in a register, and columns that a pass takes at a time. */
#ifdef STRIP_WIDE
enum { LANES = 4, PUSHED = 4, PULLED = 8 };
#else
enum { LANES = 2, PUSHED = 4, PULLED = 4 };
#endif
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef __typeof__((Lanes){0} != 0) Mask;

/* n numbers: two registers where n is 2 LANES, one where n is LANES, and of fewer, two or one, the first of one. */
typedef struct Strip {
    Lanes a, b;
} Strip;

STRIP_INLINE Strip load(int n, const double *x) {
    const Lanes *p = (const Lanes *)(const void *)x;
    if (n >= LANES) return (Strip){p[0], p[n > LANES]};
    if (n == 2) return (Strip){{x[0], x[1]}, {0}};
    return (Strip){{x[0]}, {0}};
}
STRIP_INLINE void store(int n, double *x, Strip s) {
    Lanes *p = (Lanes *)(void *)x;
    if (n < LANES) {
        x[0] = s.a[0];
        if (n == 2) x[1] = s.a[1];
        return;
    }
    p[0] = s.a;
    if (n > LANES) p[1] = s.b;
}
STRIP_INLINE Strip scale(int n, double c, Strip x) {
    x.a *= c;
    if (n > LANES) x.b *= c;
    return x;
}
/* y - c x */
STRIP_INLINE Strip less(int n, Strip y, double c, Strip x) {
    y.a -= c * x.a;
    if (n > LANES) y.b -= c * x.b;
    return y;
}
/* A number but zero in one of three. */
STRIP_INLINE int any(int n, Strip x, Strip y, Strip z) {
    Mask m = (x.a != 0) | (y.a != 0) | (z.a != 0);
    if (n > LANES) m |= (x.b != 0) | (y.b != 0) | (z.b != 0);
    long long found = 0;
    for (int k = 0; k < LANES; k++)
        found |= m[k];
    return found != 0;
}

/* A block of rows, and the rows above it (or as many as fit), nearest first. */
enum { MOST_ABOVE = 64 };
typedef struct Block {
    double *X;
    size_t ld;                  /* numbers from row to row of X */
    int first, last;            /* columns */
    double *x;                  /* row k of X, at column `first`; rows k + 1 and k + 2 follow */
    double d[3], a10, a20, a21; /* 1/D, and the entries of L within the block */
    const double *l0, *l1, *l2; /* entries of L for the rows above */
    int above;
    double *row[MOST_ABOVE]; /* rows of X above, at column `first` */
} Block;

STRIP_TARGET static inline void open_block(const tacTree *tree, const double *L, int k, int count, Block *b) {
    const double *l0 = L + tree->adr[k], *l1 = l0, *l2 = l0;
    if (count > 1) {
        l1 = L + tree->adr[k + 1];
        b->a10 = l1[1];
    }
    if (count > 2) {
        l2 = L + tree->adr[k + 2];
        b->a21 = l2[1];
        b->a20 = l2[2];
    }
    b->d[0] = l0[0];
    b->d[1] = l1[0];
    b->d[2] = l2[0];
    b->l0 = l0 + 1;
    b->l1 = l1 + 2;
    b->l2 = l2 + 3;
    b->x = b->X + (size_t)k * b->ld + b->first;
}

/* The next rows above, from row i on; returns the first that did not fit, or -1. */
STRIP_TARGET static inline int open_above(const tacTree *tree, int i, Block *b) {
    for (b->above = 0; i >= 0 && b->above < MOST_ABOVE; i = tree->parent[i])
        b->row[b->above++] = b->X + (size_t)i * b->ld + b->first;
    return i;
}

/* n columns of X <- L^-T X: within the block where `within`, then x_i -= L_ki x_k for the rows i above, k + 2 first. */
STRIP_INLINE void push(const Block *b, int count, int within, int c, int n) {
    double *x = b->x + c;
    Strip x0 = load(n, x), x1 = x0, x2 = x0;
    if (count > 1) x1 = load(n, x + b->ld);
    if (count > 2) x2 = load(n, x + 2 * b->ld);
    if (!any(n, x0, x1, x2)) return;
    if (within && count > 2) {
        x1 = less(n, x1, b->a21, x2);
        x0 = less(n, x0, b->a20, x2);
        store(n, x + b->ld, x1);
    }
    if (within && count > 1) {
        x0 = less(n, x0, b->a10, x1);
        store(n, x, x0);
    }
    for (int t = 0; t < b->above; t++) {
        double *y = b->row[t] + c;
        Strip sum = load(n, y);
        if (count > 2) sum = less(n, sum, b->l2[t], x2);
        if (count > 1) sum = less(n, sum, b->l1[t], x1);
        store(n, y, less(n, sum, b->l0[t], x0));
    }
}

/* n columns of X <- L^-1 D^-1 X: by D where `first`, x_k -= L_ki x_i over the rows i above, then within the block where
 * `last`. */
STRIP_INLINE void pull(const Block *b, int count, int first, int last, int c, int n) {
    double *y = b->x + c;
    Strip y0 = load(n, y), y1 = y0, y2 = y0;
    if (count > 1) y1 = load(n, y + b->ld);
    if (count > 2) y2 = load(n, y + 2 * b->ld);
    if (first) {
        y0 = scale(n, b->d[0], y0);
        y1 = scale(n, b->d[1], y1);
        y2 = scale(n, b->d[2], y2);
    }
    for (int t = 0; t < b->above; t++) {
        Strip x = load(n, b->row[t] + c);
        if (count > 2) y2 = less(n, y2, b->l2[t], x);
        if (count > 1) y1 = less(n, y1, b->l1[t], x);
        y0 = less(n, y0, b->l0[t], x);
    }
    if (last && count > 1) y1 = less(n, y1, b->a10, y0);
    if (last && count > 2) y2 = less(n, less(n, y2, b->a20, y0), b->a21, y1);
    store(n, y, y0);
    if (count > 1) store(n, y + b->ld, y1);
    if (count > 2) store(n, y + 2 * b->ld, y2);
}

/* All columns, strip by strip, what is left over by narrower ones. */
STRIP_INLINE void push_strips(const Block *b, int count, int within) {
    int c = 0, n = b->last - b->first;
    for (; c + PUSHED <= n; c += PUSHED)
        push(b, count, within, c, PUSHED);
    if (c + 2 <= n) {
        push(b, count, within, c, 2);
        c += 2;
    }
    if (c < n) push(b, count, within, c, 1);
}

STRIP_INLINE void pull_strips(const Block *b, int count, int first, int last) {
    int c = 0, n = b->last - b->first;
    for (; c + PULLED <= n; c += PULLED)
        pull(b, count, first, last, c, PULLED);
    if (PULLED > LANES && c + LANES <= n) {
        pull(b, count, first, last, c, LANES);
        c += LANES;
    }
    if (LANES > 2 && c + 2 <= n) {
        pull(b, count, first, last, c, 2);
        c += 2;
    }
    if (c < n) pull(b, count, first, last, c, 1);
}

STRIP_TARGET static inline void push_block(const tacTree *tree, const double *L, int k, int count, Block *b) {
    int i = tree->parent[k], within = 1;
    open_block(tree, L, k, count, b);
    do {
        i = open_above(tree, i, b);
        if (count == 1)
            push_strips(b, 1, within);
        else if (count == 2)
            push_strips(b, 2, within);
        else
            push_strips(b, 3, within);
        b->l0 += b->above;
        b->l1 += b->above;
        b->l2 += b->above;
        within = 0;
    } while (i >= 0);
}

STRIP_TARGET static inline void pull_block(const tacTree *tree, const double *L, int k, int count, Block *b) {
    int i = tree->parent[k], first = 1;
    open_block(tree, L, k, count, b);
    do {
        i = open_above(tree, i, b);
        if (count == 1)
            pull_strips(b, 1, first, i < 0);
        else if (count == 2)
            pull_strips(b, 2, first, i < 0);
        else
            pull_strips(b, 3, first, i < 0);
        b->l0 += b->above;
        b->l1 += b->above;
        b->l2 += b->above;
        first = 0;
    } while (i >= 0);
}

/* A pass over all blocks; `upper`: columns from the block's own on. */
STRIP_TARGET static inline void push_blocks(const tacTree *tree, const double *L, int upper, Block *b) {
    for (int last = tree->n - 1, count; last >= 0; last -= count) {
        count = tac_tree_rows_ending(tree, last);
        b->first = upper ? (last - count + 1) / PUSHED * PUSHED : 0;
        push_block(tree, L, last - count + 1, count, b);
    }
}

STRIP_TARGET static inline void pull_blocks(const tacTree *tree, const double *L, int upper, Block *b) {
    for (int first = 0, count; first < tree->n; first += count) {
        count = tac_tree_rows_beginning(tree, first);
        b->first = upper ? first / PUSHED * PUSHED : 0;
        pull_block(tree, L, first, count, b);
    }
}

STRIP_TARGET static inline void solve_strips(const tacTree *tree, const double *L, tacStrips job) {
    Block b = {.X = job.X, .ld = (size_t)job.ld, .last = job.k};
    if (job.passes & TAC_PASS_PUSH) push_blocks(tree, L, job.upper, &b);
    if (job.passes & TAC_PASS_PULL) pull_blocks(tree, L, job.upper, &b);
}
