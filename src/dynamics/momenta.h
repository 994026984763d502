/* Inertial forces of a step, from the momenta that bodies have at the configuration q- where the last step began
 * (step.md, ST17). For every body, with v_c the velocity of its mass centre in world axes, w its angular velocity,
 * I its inertia about the mass centre, and v+ = v + h a,
 *
 *   force   m (v_c(q, v+) - v_c(q-, v)) / h
 *   torque  I (w+ - w~) / h + w+ x (I w~),   w~ = R(q) R(q-)^T w(q-, v)
 *
 * Psi_i = the sum of S_i . (both, about the tree's origin) over the bodies that dof i moves. It takes the place of
 * M a + c without armature. It is linear in a, and its matrix is M plus the skew h N. */
#pragma once

#include "dynamics/kinematics.h"
#include "dynamics/param_deriv.h"
#include "dynamics/sink.h"

typedef struct tacMomenta {
    double h;
    const double *v, *q_before; /* nv, nq: the caller's */
    const double *a;            /* nv; NULL: zero */
    tacWork before;             /* position and velocity stages at (q-, v) */
    double *ahead;              /* nv: v + h a */
    tacSym3 *I;                 /* nbody: about the mass centre, world axes */
    tacVec3 *arm;               /* nbody: mass centre from the tree's origin */
    tacVec3 *slide, *turn;      /* nbody: v_c(q-, v), w~ */
    tacVec6 *V, *W;             /* nbody: velocity of v + h a; sum of forces over the subtree */
    tacVec6 *change;            /* nbody: scratch */
    unsigned char *moved;       /* nbody: scratch */
} tacMomenta;

int tac_momenta_layout(const tacModel *m, tacArena *arena, tacMomenta *p);
/* (q, v, q-, mocap) -> momenta. Keeps v and q-. Needs: position. */
void tac_momenta_open(const tacModel *m, const tacWork *w, const double *v, const double *q_before, const double *mocap,
                      double h, tacMomenta *p);
/* lower, upper += h N in the layout of math/tree_lu.h, for the rows marked in rows[nv]: all or none of each tree. */
void tac_momenta_matrix(const tacModel *m, const tacWork *w, tacMomenta *p, const unsigned char *rows, double *lower,
                        double *upper);
/* force[nv] = Psi at a = 0, less the c of inverse dynamics without gravity. Needs: velocity. */
void tac_momenta_force(const tacModel *m, const tacWork *w, tacMomenta *p, double *force);

/* --- Derivatives of Psi at fixed a (momenta_deriv.c) -------------------------------------------------------------- */

/* Sets V and W at the acceleration a. The rest of this section needs it. */
void tac_momenta_at(const tacModel *m, const tacWork *w, const double *a, tacMomenta *p);
/* Emit columns by q [0, nv) and by v [nv, 2 nv) of the dofs marked in rows[nv]. */
void tac_momenta_state_jac(const tacModel *m, const tacWork *w, tacMomenta *p, const unsigned char *rows,
                           const tacSink *sink);
/* Emits the column of a registered number, of the time step, or of number k of the mocap poses. x: the present point.
 */
void tac_momenta_param_jac(const tacModel *m, const tacWork *w, tacMomenta *p, const tacSmoothPoint *x,
                           const tacParamTangent *t, const tacSink *sink);
void tac_momenta_mocap_jac(const tacModel *m, const tacWork *w, tacMomenta *p, const double *mocap, int k,
                           const tacSink *sink);
