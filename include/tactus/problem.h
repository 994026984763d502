/* One frictional contact problem by itself, as published collections have them: no bodies, only its matrix. */
#pragma once

#include "tactus/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reactions r and velocities u = W r + q, three numbers a contact: normal, tangent, tangent. W is positive
 * semidefinite, not necessarily symmetric. */
typedef struct tacProblem {
    int ncontact;
    const double *W;  /* 3 ncontact x 3 ncontact, row by row */
    const double *q;  /* 3 ncontact */
    const double *mu; /* ncontact */
} tacProblem;

/* What friction may do:  r_n >= 0, u_n >= 0, r_n u_n = 0,  and
 *   box    |r_t| <= mu r_n along each tangent by itself, against its own velocity
 *   cone   |r_t| <= mu r_n in length (Coulomb), against the slip */
typedef enum { TAC_FRICTION_BOX, TAC_FRICTION_CONE } tacFrictionForm;

typedef struct tacProblemInfo {
    int solved;     /* 1: the conditions hold; 0: the best found */
    int iterations; /* systems solved; box: changes of class followed too */
} tacProblemInfo;

/* Bytes of scratch that tac_problem_solve needs, 64-byte aligned; 0 for a count out of range. */
TAC_API size_t tac_problem_bytes(int ncontact);
/* problem -> r, u (3 ncontact each): without compliance, so that r need not be unique. Finite for a finite problem,
 * solved or not. TAC_ERR_NONFINITE: the problem is not finite; TAC_ERR_ARGUMENT: a negative friction, or a diagonal of
 * W that is not positive. */
TAC_API tacStatus tac_problem_solve(const tacProblem *problem, tacFrictionForm form, void *memory, double *reaction,
                                    double *velocity, tacProblemInfo *info);

#ifdef __cplusplus
}
#endif
