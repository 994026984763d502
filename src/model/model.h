/* Calls for the layers above, beyond the public ones.
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
 * It is a pure function of INDEX and NUMBER rows and allocates nothing. */
tacStatus tac_model_derive(tacModel *model, tacError *err);

/* Most geoms that one sum goes through, beyond the first. */
enum { TAC_SUM_LEVELS = 3 };
/* 1: another geom of its body has it in its sum, so that it has neither contacts nor mass of its own. */
int tac_geom_is_added(const tacModel *model, int geom);

/* Mass, centre (in body) and inertia about it (body axes) per unit of a parameter. */
typedef struct tacInertialTangent {
    double mass;
    tacVec3 com;
    tacSym3 icom;
} tacInertialTangent;
static inline int tac_inertial_is_still(const tacInertialTangent *t) {
    const tacSym3 *I = &t->icom;
    return t->mass == 0 && t->com.x == 0 && t->com.y == 0 && t->com.z == 0 && I->xx == 0 && I->yy == 0 && I->zz == 0 &&
           I->xy == 0 && I->xz == 0 && I->yz == 0;
}
/* Changes of the masses and inertias in use with one NUMBER: t[nbody], exact, through sizes, densities, meshes, bounds
 * and the total mass. At a bound the derivative is that of the bound, which does not move. 0: nothing moves. */
int tac_inertial_tangent(const tacModel *model, int field, int index, tacInertialTangent *t);
/* 0: the number cannot move any mass or inertia, whatever its value. */
int tac_inertial_depends(const tacModel *model, int field, int index);

/* Changes of the corners of a mesh's hull with one NUMBER: dvert[mesh_corner_num], mesh frame, exact. 0: they do not
 * move, and dvert is untouched. */
int tac_hull_tangent(const tacModel *model, int mesh, int field, int index, tacVec3 *dvert);

/* Rules for the meaning of numbers (rules.c). 1: springdamper gives stiffness and damping of the joint. */
int tac_joint_by_ratio(const tacModel *model, int joint);
/* The damping ratio that sets an actuator's damping bias: a positive dampratio, or a positive biasprm[2], of a position
 * servo (gainprm[0] = -biasprm[1]). 0: the bias is biasprm[2] as written. */
double tac_damping_ratio(const tacModel *model, int actuator);
/* 1: a position servo whose length is an angle (ball joint; site beside a reference site, by rotation alone). Its
 * setpoint is taken on the circle, nearest to the length. */
int tac_servo_on_circle(const tacModel *model, int actuator);
/* 1: the tendon's spring rests at its length at qpos_spring (springlength is -1, -1). */
int tac_spring_is_automatic(const tacModel *model, int tendon);
/* 1: the weld of two bodies holds their relative pose at qpos_0 (its quaternion is written as zeros). */
int tac_weld_is_automatic(const tacModel *model, int equality);
/* 1: a childless body near the world that only slides, along its own coordinate axes, with its inertial frame at its
 * origin. MuJoCo gives such a body the inverse weight 1/mass, whatever the number of its slides and their armature. */
int tac_body_only_slides(const tacModel *model, int body);

/* Copies a model into memory of at least model->bytes, 64-byte aligned. Pointers refer to the new block. */
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

/* The address of a path's number. NULL (with err): there is no such number or it is not settable. */
double *tac_param_find(const tacModel *model, const char *path, int *field, int *index, tacError *err);
/* The number a (field, index) pair names. */
double *tac_param_at(const tacModel *model, int field, int index);
/* Index of the registered parameter that is the time step, option.timestep. -1: none. A simulation's own time step is
 * its options' dt. */
int tac_param_of_time(const tacModel *model);
/* Writes the number of a path into its NUMBER row, checked as on loading. Normalizes quaternions and axes again.
 * DERIVED rows are unchanged: the caller derives. On failure the model may be left changed: write to a copy, or put the
 * old bytes back. Writing mass, ipos, iquat or inertia of a body whose inertia comes from geoms makes it explicit. */
tacStatus tac_param_write(tacModel *model, const char *path, double value, tacError *err);
/* The same for all registered parameters at once: theta[nparam]. */
tacStatus tac_param_write_all(tacModel *model, const double *theta, tacError *err);
