/* Growth distance of two convex shapes: the least factor alpha at which both, scaled about their centres, share a
 * point, on the central path of its cone program   [LeCleach2022, eq. 14]   (docs/theory/growth.md, E1-E12)
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

/* A pair as a program: its numbers are the point (3, from `origin`), alpha, then three numbers per term, its share
 * of the point, and the place along a capsule's segment. The first term of a shape has no numbers: its share is the
 * point less the other shares. */
typedef struct tacGrowthPair {
    const tacGrowthShape *shape[2];
    tacVec3 centre[2]; /* growth centres in the world; of a plane: a point of its face */
    tacVec3 origin;
    double depth; /* of the centre of a plane below its face: the other shape's size */
    tacConeProgram program;
    tacConePath path;
    int half[2][TAC_GROWTH_TERMS], cone[2][TAC_GROWTH_TERMS];   /* first row of each term */
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

/* A row in its term's frame: a . y + alpha_by alpha + along_by t + one, y from the growth centre. */
typedef struct tacGrowthRow {
    tacVec3 a;
    double alpha, along, one;
} tacGrowthRow;
/* Its change with number k of the term's size (3: with the depth of a plane). */
tacGrowthRow tac_growth_half_change(const tacGrowthTerm *t, int row, int k);
tacGrowthRow tac_growth_cone_change(const tacGrowthTerm *t, int row, int k);
/* Changes of the centre and of the size that planes take, with number k of the term's size. */
tacVec3 tac_growth_centre_change(const tacGrowthTerm *t, int k);
double tac_growth_size_change(const tacGrowthTerm *t, int k);

/* --- Solve (growth.c) --------------------------------------------------------------------------------------------- */

/* Force of a term at a dual point, in the world: sum over its rows of a lambda. That of a shape is its first term's. */
tacVec3 tac_growth_force(const tacGrowthPair *pair, int side, int term, const double *lambda);

/* Two shapes, not both planes -> the point of the path at kappa. Takes memory from the arena, which the caller
 * releases. TAC_ERR_UNSOLVED: best point found. */
tacStatus tac_growth_solve(const tacGrowthShape *a, const tacGrowthShape *b, const tacConeSettings *settings,
                           tacArena *arena, tacGrowthPair *pair, tacGrowthResult *out);

/* --- Derivatives at that kappa (growth_deriv.c) ------------------------------------------------------------------- */

/* Changes of a result's numbers: the rows of a public derivative. */
typedef struct tacGrowthTangent {
    double alpha, dual, gap;
    tacVec3 point, normal;
} tacGrowthTangent;

/* A sum of numbers of a result, differentiated: y (n) and z (m) of (E10), from the arena. */
typedef struct tacGrowthAdjoint {
    double *y, *z;
    tacVec3 force; /* weight of the force on shape 1 */
} tacGrowthAdjoint;

/* The parts that all numbers of a result are made of: alpha, point, force. */
enum { TAC_GROWTH_PARTS = 7 };
/* Takes the memory of one. 0: the arena is full. */
int tac_growth_adjoint_layout(const tacGrowthPair *pair, tacArena *arena, tacGrowthAdjoint *out);
/* Factors the system at the solution. TAC_ERR_SINGULAR: it has no derivative. */
tacStatus tac_growth_prepare(tacGrowthPair *pair);
/* The adjoint of part k alone; 0 alpha, 1 to 3 point, 4 to 6 force. */
void tac_growth_adjoint_part(tacGrowthPair *pair, int k, tacGrowthAdjoint *out);
/* The adjoint of the dual of one row. */
void tac_growth_adjoint_dual(tacGrowthPair *pair, int row, tacGrowthAdjoint *out);
/* Derivatives of all parts by one number -> those of the result. */
tacGrowthTangent tac_growth_combine(const tacGrowthResult *r, const double part[TAC_GROWTH_PARTS]);
/* The barrier's value alpha - kappa sum log det s by the duals alone   [LeCleach2022, eq. 15] (E12). */
void tac_growth_envelope(const tacGrowthPair *pair, tacGrowthAdjoint *out);

/* Gradient of the sum by a shape's motion: as a whole (moved: 1 / m; turned about its origin p), and term by term. */
typedef struct tacGrowthMotion {
    tacVec3 moved, turned;
    tacVec3 term_turned[TAC_GROWTH_TERMS];
} tacGrowthMotion;
void tac_growth_motion(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side, tacGrowthMotion *out);
/* Gradient by the three numbers of a term's size; by the change of a polytope's faces and centre. */
tacVec3 tac_growth_by_size(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side, int term);
double tac_growth_along_faces(const tacGrowthPair *pair, const tacGrowthAdjoint *k, int side, int term,
                              const tacGrowthFaces *change);
