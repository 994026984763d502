/* Growth distances of a model's geoms at the scene's poses. */
#pragma once

#include "collide/growth.h"
#include "collide/scene.h"

/* The geoms whose shapes a geom's shape is the sum of: itself first   -> their number; 0: more than
 * TAC_GROWTH_TERMS terms. A term is one of them, or its pad. */
typedef struct tacGrowthTerms {
    int n;
    int geom[TAC_GROWTH_TERMS], is_pad[TAC_GROWTH_TERMS];
} tacGrowthTerms;
int tac_growth_terms(const tacModel *m, int geom, tacGrowthTerms *out);
/* The shape of a geom at the scene's poses. It points into the scene. */
void tac_growth_shape_of(const tacScene *s, const tacModel *m, const tacGrowthTerms *terms, tacGrowthShape *out);
/* 1: the pair has a growth distance: two different geoms with shapes, not two planes. */
int tac_geoms_grow(const tacModel *m, int geom1, int geom2);
/* Numbers of the largest pair's program. */
void tac_growth_most(const tacModel *m, int *n, int *rows, int *ncone);
