/* Growth distances of geoms, and how they move with coordinates, mocap poses and the numbers of the model. */
#pragma once

#include "collide/growth_scene.h"
#include "dynamics/param_deriv.h"
#include "dynamics/sink.h"

/* Rows of a derivative: alpha, dual, gap, point, normal, barrier. */
enum { TAC_GROWTH_NUMBERS = 10 };

/* A growth distance prepared for derivatives: its program, and adjoints of the sums that are asked for. */
typedef struct tacGrowthSystem {
    int geom[2], body[2];
    double kappa;
    tacGrowthTerms terms[2];
    tacGrowthShape shape[2];
    tacGrowthPair pair;
    tacGrowthResult result;
    double barrier; /* alpha - kappa sum log det s */
    int count;      /* adjoints */
    int weighted;   /* 1: columns are one number, the sum of rows with these weights */
    double weight[TAC_GROWTH_NUMBERS];
    tacGrowthAdjoint adjoint[TAC_GROWTH_PARTS + 1];
    tacGrowthMotion motion[TAC_GROWTH_PARTS + 1][2];
} tacGrowthSystem;

/* Solves at the scene's poses; arrays from the arena, which the caller releases. polish: further Newton steps.
 * TAC_ERR_NONFINITE, TAC_ERR_UNSOLVED: see tac_geom_growth. */
tacStatus tac_growth_open(const tacScene *s, const tacModel *m, const int geom[2], double kappa, int polish,
                          tacArena *arena, tacGrowthSystem *out);
/* Takes from a dry arena the memory of the largest pair. */
void tac_growth_measure(const tacModel *m, tacArena *dry);
/* The public numbers in the order of the rows. */
void tac_growth_numbers(const tacGrowthSystem *g, double *z);
/* Adjoints of all rows (bar NULL) or of the weighted sum of rows, from the same numbers, so that the sum is that of
 * the rows to rounding even where the system is badly conditioned; of one dual. */
tacStatus tac_growth_adjoints(tacGrowthSystem *g, const double *bar, tacArena *arena);
tacStatus tac_growth_adjoint_of_dual(tacGrowthSystem *g, int row, tacArena *arena);
/* Emits the changes: with dofs, columns [0, nv); with one mover; with one parameter. Rows are 0 to 9, or 0 alone where
 * the system has one sum. Need: position. */
void tac_growth_emit_dofs(const tacModel *m, const tacWork *w, const tacGrowthSystem *g, int row, const tacSink *sink);
/* The change with one twist of a shape's body about a point, in column 0. */
void tac_growth_emit_twist(const tacGrowthSystem *g, int side, tacVec6 S, tacVec3 origin, const tacSink *sink);
void tac_growth_emit_mover(const tacModel *m, const tacWork *w, const tacGrowthSystem *g, const tacMover *mover,
                           int row, int column, const tacSink *sink);
void tac_growth_emit_param(const tacModel *m, const tacWork *w, const tacScene *s, const tacGrowthSystem *g,
                           const tacParamTangent *t, const tacSmoothPoint *x, int row, const tacSink *sink);
