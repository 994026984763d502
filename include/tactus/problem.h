/* One frictional contact problem without bodies: only its matrix, as in published collections. */
#pragma once

#include "tactus/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reactions r and velocities u = W r + q, three numbers per contact: normal, tangent, tangent. W is positive
 * semidefinite, not necessarily symmetric. */
typedef struct tacProblem {
    int ncontact;
    const double *W;  /* 3 ncontact x 3 ncontact, row major */
    const double *q;  /* 3 ncontact */
    const double *mu; /* ncontact */
} tacProblem;

/* Friction law:  r_n >= 0, u_n >= 0, r_n u_n = 0,  and
 *   box    |r_t| <= mu r_n for each tangent separately, against its velocity
 *   cone   |r_t| <= mu r_n in length (Coulomb), against the slip */
typedef enum { TAC_FRICTION_BOX, TAC_FRICTION_CONE } tacFrictionForm;

typedef struct tacProblemInfo {
    int solved;     /* 1: solved; 0: the best point found */
    int iterations; /* linear systems solved; box: also changes of the active set */
} tacProblemInfo;

/* Bytes of memory for tac_problem_solve, 64-byte aligned; 0: ncontact is out of range. */
TAC_API size_t tac_problem_bytes(int ncontact);
/* problem -> r, u (3 ncontact each). There is no compliance, so r need not be unique. For a finite problem r and u are
 * finite, solved or not. TAC_ERR_NONFINITE: the problem is not finite. TAC_ERR_ARGUMENT: a friction coefficient is
 * negative, or a diagonal entry of W is not positive. */
TAC_API tacStatus tac_problem_solve(const tacProblem *problem, tacFrictionForm form, void *memory, double *reaction,
                                    double *velocity, tacProblemInfo *info);

#ifdef __cplusplus
}
#endif
