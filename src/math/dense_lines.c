/* Lines of A^T X for tall thin A and X, two at a time, held in registers while the rows go by. */
#include "base/lanes.h"
#include "math/dense.h"

#include <stddef.h>

typedef double Four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Eight columns from c on: out[e] = sum_i A_ie X_i, out[e + 1] below it. */
static inline __attribute__((always_inline)) void add_eight(int count, int ld, int e, int c, const double *A,
                                                            const double *X, double *out) {
    Four p = {0}, q = {0}, r = {0}, s = {0};
    for (int i = 0; i < count; i++, A += ld, X += ld) {
        const Four *x = (const Four *)(const void *)(X + c);
        double a = A[e], b = A[e + 1];
        p += a * x[0];
        q += a * x[1];
        r += b * x[0];
        s += b * x[1];
    }
    Four *first = (Four *)(void *)(out + c), *second = (Four *)(void *)(out + ld + c);
    first[0] = p;
    first[1] = q;
    second[0] = r;
    second[1] = s;
}

TAC_WIDE static void lines_wide(int count, int ld, int e, const double *A, const double *X, double *out) {
    for (int c = e & ~7; c < ld; c += 8)
        add_eight(count, ld, e, c, A, X, out);
}

void tac_dense_two_lines_narrow(int count, int ld, int e, const double *A, const double *X, double *out) {
    for (int c = e & ~7; c < ld; c += 8)
        add_eight(count, ld, e, c, A, X, out);
}

void tac_dense_two_lines(int count, int ld, int e, const double *A, const double *X, double *out) {
    if (tac_has_wide())
        lines_wide(count, ld, e, A, X, out);
    else
        tac_dense_two_lines_narrow(count, ld, e, A, X, out);
}
