/* Destination of derivative entries. One routine serves the Jacobian, its product with a direction, and the reverse
 * mode:
 *   matrix   M[i][j] += value                 (rows of ld numbers)
 *   forward  M[i][0] += value along[j]        (rows of ld numbers)
 *   reverse  bar[j] += lambda[i] value
 * Rows marked in skip[] are left out. `negate` changes the value's sign. */
#pragma once

#include <stddef.h>

typedef struct tacSink {
    double *matrix;       /* NULL: reverse */
    const double *along;  /* NULL: the matrix itself */
    const double *lambda; /* NULL as well: entries are dropped */
    double *bar;
    int ld;
    int negate;
    const unsigned char *skip; /* NULL: no row is left out */
} tacSink;

static inline void tac_emit(const tacSink *sink, int i, int j, double value) {
    if (sink->skip != NULL && sink->skip[i]) return;
    if (sink->negate) value = -value;
    if (sink->matrix != NULL && sink->along == NULL)
        sink->matrix[(size_t)i * (size_t)sink->ld + (size_t)j] += value;
    else if (sink->matrix != NULL)
        sink->matrix[(size_t)i * (size_t)sink->ld] += value * sink->along[j];
    else if (sink->lambda != NULL)
        sink->bar[j] += sink->lambda[i] * value;
}

/* 1: the sink drops all entries. */
static inline int tac_sink_is_empty(const tacSink *sink) { return sink->matrix == NULL && sink->lambda == NULL; }

/* Derivatives of joint forces with respect to the state and the controls. */
typedef struct tacForceSink {
    tacSink q, v, act, ctrl;
} tacForceSink;
