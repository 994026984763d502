/* What the layers above may ask of this folder beyond the public calls.
 *
 * Building is two steps, because some derived numbers need the dynamics at qpos_0 (inverse weights, damping ratios):
 *   tac_model_assemble  here:         validate, lay out, tac_model_derive
 *   tac_model_reference in dynamics/: the rest of the DERIVED rows
 * tac_model_finish and tac_param_set (dynamics/finish.c) do both. */
#pragma once

#include "tactus/tactus.h"

/* Least mass and principal inertia of a moving body, as in MuJoCo. */
#define TAC_MIN_INERTIA 1e-15

/* Builder -> model with every INDEX and NUMBER row, and the DERIVED rows that need no dynamics. */
tacStatus tac_model_assemble(tacBuilder *b, tacModel **model, tacError *err);
/* NUMBER rows -> the DERIVED rows that need no dynamics: meshes, masses, inertias, qpos_0, qpos_spring, copies per dof.
 * A pure function of INDEX and NUMBER rows; allocates nothing. */
tacStatus tac_model_derive(tacModel *model, tacError *err);

/* Mass, centre (in body) and inertia about it (body axes) per unit of a parameter. */
typedef struct tacInertialTangent {
    double mass;
    tacVec3 com;
    tacSym3 icom;
} tacInertialTangent;
/* How the masses and inertias in use move with one NUMBER: t[nbody], exact, through sizes, densities, meshes, bounds and
 * the total mass. At a bound the derivative is that of the bound, which does not move. Returns 0 when nothing moves. */
int tac_inertial_tangent(const tacModel *model, int field, int index, tacInertialTangent *t);
/* 0: the number cannot move any mass or inertia, whatever its value. */
int tac_inertial_depends(const tacModel *model, int field, int index);
/* Copies a model into memory of at least model->bytes, 64-byte aligned, pointers into the new block. */
tacModel *tac_model_copy_into(const tacModel *model, void *memory);

/* The field table at run time. */
typedef struct tacField {
    const char *kind, *name; /* "body", "pos": the words of the struct */
    size_t offset;           /* of the pointer in tacModel */
    size_t size_offset;      /* of the row count in tacModel */
    int per;                 /* doubles (ints, ...) per row, vectors opened up: tacVec3 is 3 */
    size_t element;          /* bytes of one: 8 is a double, 4 an int or float, 1 a char */
    char role;               /* 'I', 'N', 'D' */
} tacField;
extern const tacField TAC_FIELDS[];
extern const int TAC_NFIELD;

/* The table of sizes at run time. */
typedef struct tacSize {
    const char *name;
    size_t offset; /* of the int in tacModel */
} tacSize;
extern const tacSize TAC_SIZES[];
extern const int TAC_NSIZE;

/* Where a path's number lives; NULL (with err) when there is no such number or it is not settable. */
double *tac_param_find(const tacModel *model, const char *path, int *field, int *index, tacError *err);
/* The number a (field, index) pair names. */
double *tac_param_at(const tacModel *model, int field, int index);
/* Path -> the number written into its NUMBER row, checked as on loading, quaternions and axes normalized again. DERIVED
 * rows are left as they were: the caller derives. On failure the model may be left changed: write to a copy, or put the
 * old bytes back. Writing mass, ipos, iquat or inertia of a body whose inertia comes from geoms makes it explicit. */
tacStatus tac_param_write(tacModel *model, const char *path, double value, tacError *err);
/* The same for all registered parameters at once: theta[nparam]. */
tacStatus tac_param_write_all(tacModel *model, const double *theta, tacError *err);
