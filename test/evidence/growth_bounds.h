/* Bounds of a growth distance from both sides by other means than its rows: gauges and supports in closed form. */
#pragma once

#include "dynamics/growth_move.h"

typedef struct GrowthBounds {
    double low;  /* by the separating direction and both supports: never above the growth distance */
    double high; /* by the gauges of both shapes at the point found: never below it */
} GrowthBounds;

/* Of a solved pair. A mesh's support is that of its vertices. */
GrowthBounds growth_bounds(const tacModel *m, const tacGrowthSystem *g);
