/* Growth distance of two convex shapes: the least factor alpha at which both, scaled about their centres, share a
 * point, on the central path of its cone program   [Silico, eq. 14]   (docs/theory/growth.md, G1-G12)
 *
 * A shape is a Minkowski sum of terms. Each term is a list of rows, linear in the pair's numbers, in half lines and
 * second-order cones. */
#pragma once

#include "collide/shape.h"
#include "solve/cone_program.h"
#include "tactus/status.h"

/* Terms of a shape: a geom and what is added to it, three levels deep, each with a pad. */
enum { TAC_GROWTH_TERMS = 8 };

/* Faces of a polytope about its centre: normal . y <= offset, normals of unit length. */
typedef struct tacGrowthFaces {
    int n;
    const tacVec3 *normal;
    const double *offset;
    tacVec3 centre; /* centroid of the hull, in its frame */
} tacGrowthFaces;

typedef struct tacGrowthTerm {
    tacGeomType type; /* a pad is a sphere */
    tacVec3 size;
    tacGrowthFaces faces; /* meshes only */
    tacMat3 R;            /* in the world */
} tacGrowthTerm;

typedef struct tacGrowthShape {
    tacVec3 p; /* origin of the first term's frame in the world; all others are added about their own */
    int nterm;
    tacGrowthTerm term[TAC_GROWTH_TERMS];
} tacGrowthShape;

/* A pair as a program: its numbers are the point (3, from `origin`), alpha, then per term the point's share (3; the
 * first term of a shape has what is left) and the place along a capsule's segment. */
typedef struct tacGrowthPair {
    const tacGrowthShape *shape[2];
    tacVec3 centre[2]; /* growth centres in the world; of a plane: a point of its face */
    tacVec3 origin;
    double depth; /* of the centre of a plane below its face: the other shape's size */
    tacConeProgram program;
    tacConePath path;
    int half[2][TAC_GROWTH_TERMS], cone[2][TAC_GROWTH_TERMS]; /* first row of each term */
    int share[2][TAC_GROWTH_TERMS], along[2][TAC_GROWTH_TERMS]; /* first number of each; -1: none */
} tacGrowthPair;

enum { TAC_GROWTH_POINT = 0, TAC_GROWTH_ALPHA = 3 };

typedef struct tacGrowthResult {
    double alpha, dual; /* value of the program and of its dual: alpha - dual = kappa nu */
    double gap;         /* m: of the shapes as they are, along the normal: never above their distance */
    tacVec3 point, normal;
    tacVec3 force; /* 1 / m: on shape 1, along the normal */
    int systems, nu, solved;
} tacGrowthResult;

/* --- Rows (growth_rows.c) ----------------------------------------------------------------------------------------- */

/* A term's half lines, and the numbers of its second-order cone (0: it has none). */
typedef struct tacGrowthRows {
    int half, dim;
    int along; /* 1: a number along its segment */
} tacGrowthRows;
tacGrowthRows tac_growth_term_rows(const tacGrowthTerm *t);
/* Growth centre of a term in its own frame. */
tacVec3 tac_growth_term_centre(const tacGrowthTerm *t);
/* A length of the shape's size that is smooth in all its numbers: what planes take as their depth. */
double tac_growth_term_size(const tacGrowthTerm *t);
/* Numbers of a pair's program: n, m, and cones. */
void tac_growth_count(const tacGrowthShape *a, const tacGrowthShape *b, int *n, int *m, int *ncone);
/* Lays out a pair's memory. 0: the arena is full. */
int tac_growth_layout(int n, int m, int ncone, tacArena *arena, tacGrowthPair *pair);
/* Fills the program's rows and a start inside. Needs its layout, with shapes set. */
void tac_growth_rows(tacGrowthPair *pair);

/* --- Solve (growth.c) --------------------------------------------------------------------------------------------- */

/* Force of a shape at a dual point: sum over the rows of its first term of their part by the point. */
tacVec3 tac_growth_force(const tacGrowthPair *pair, int side, const double *lambda);

/* Two shapes, not both planes -> the point of the path at kappa. Takes memory from the arena, which the caller
 * releases. TAC_ERR_UNSOLVED: best point found. */
tacStatus tac_growth_solve(const tacGrowthShape *a, const tacGrowthShape *b, const tacConeSettings *settings,
                           tacArena *arena, tacGrowthPair *pair, tacGrowthResult *out);
