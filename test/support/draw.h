/* Reproducible random test inputs: a walk along one stream of the engine's own counter-based numbers. */
#pragma once

#include "math/quat.h"
#include "tactus/tactus.h"

typedef struct tacDraw {
    uint64_t seed, index;
} tacDraw;

/* Uniform in [low, high). */
static inline double draw_uniform(tacDraw *d, double low, double high) {
    return low + (high - low) * tac_random_uniform(d->seed, 0, d->index++);
}
/* Uniform in 0 .. n - 1. */
static inline int draw_int(tacDraw *d, int n) { return (int)(tac_random_bits(d->seed, 0, d->index++) % (uint64_t)n); }
static inline double draw_normal(tacDraw *d) { return tac_random_normal(d->seed, 0, d->index++); }
/* Each component uniform in [-size, size). */
static inline tacVec3 draw_vec3(tacDraw *d, double size) {
    double x = draw_uniform(d, -size, size), y = draw_uniform(d, -size, size), z = draw_uniform(d, -size, size);
    return (tacVec3){x, y, z};
}
/* Uniform on the unit quaternions. */
static inline tacQuat draw_quat(tacDraw *d) {
    double w = draw_normal(d), x = draw_normal(d), y = draw_normal(d), z = draw_normal(d);
    return tac_quat_normalize((tacQuat){w, x, y, z});
}
/* x[n], each uniform in [-1, 1). */
static inline void draw_array(tacDraw *d, int n, double *x) {
    for (int i = 0; i < n; i++)
        x[i] = draw_uniform(d, -1, 1);
}
