/* The rotation of a body that turns alone (step.md, ST13 to ST16). It has one free joint, or one ball joint on a fixed
 * body, and nothing moves on it. Explicit gyroscopic forces c(w) = w x I w feed such a body energy. They are replaced
 * by those of a torque-free motion that keeps its energy, by the implicit midpoint rule:
 *
 *   K (w* - w) + h m x I m = 0,   m = (w + w*)/2,   K = I + armature                         (ST13)
 *
 * These are body axes, with I about the centre of mass (free) or about the anchor (ball). The change is a joint force,
 * delta = c* - c. All other forces and impulses act on top. */
#pragma once

#include "dynamics/param_deriv.h"

/* Numbers of the mass matrix of one such body, in body axes: mass, first moment p = m r, inertia about the joint, and
 * additions to its diagonal. */
typedef struct tacSpinMass {
    double m;
    tacVec3 p;
    tacSym3 I;
    tacVec3 armature;
} tacSpinMass;

typedef struct tacSpin {
    int dof;      /* first of its dofs: three of translation where it is free, three of rotation */
    int is_free;  /* 1: on a free joint, 0: on a ball joint */
    double h;     /* s: time step */
    tacMat3 R;    /* body axes in the world */
    tacVec3 w;    /* rad/s, body axes: before the step */
    tacVec3 next; /* w* */
    tacSpinMass mass;
    tacSym3 I, K; /* of (ST13) */
    int steps;    /* Newton's */
} tacSpin;

/* 0: surely no body turns alone. The base of a robot is told without looking at every dof. */
int tac_spin_any(const tacModel *m);
/* Marks in alone[njnt] the joints that carry a body that turns alone. Returns their number. */
int tac_spin_find(const tacModel *m, unsigned char *alone);
/* Needs: position, mass. v: nv velocities. w* is not found yet. */
void tac_spin_open(const tacModel *m, const tacWork *w, int joint, const double *v, double h, tacSpin *s);
/* 1: delta is zero for every w, because the inertia is that of a ball and the mass centre is in the joint. */
int tac_spin_is_round(const tacSpin *s);
/* Newton's method on (ST13) -> w*. 0: it found none and w* is the best iterate, or the body tumbles too fast for a step
 * to keep more than its energy. */
int tac_spin_solve(tacSpin *s);
/* delta on the dofs of the joint, translation first. Needs: w*. */
void tac_spin_force(const tacSpin *s, double delta[6]);

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* One direction: the velocity changes by w, the step by h, the numbers by mass. */
typedef struct tacSpinChange {
    tacVec3 w;
    double h;
    tacSpinMass mass;
} tacSpinChange;
/* Shared parts of the derivatives along all directions: G = g'(m), (K + h/2 G)^-1, K - h/2 G, g' at the beginning. If
 * the mass centre is beside the joint, also exp(h [w*]), its right Jacobian, and the parts of c* and c due to the
 * centre's path. */
typedef struct tacSpinSlope {
    tacMat3 G, inverse, back, now, right;
    tacQuat turn;
    tacVec3 swing, swing_now;
} tacSpinSlope;
/* 0: K + h/2 G is singular. */
int tac_spin_slope(const tacSpin *s, tacSpinSlope *slope);
/* d(delta) along one direction. */
void tac_spin_jvp(const tacSpin *s, const tacSpinSlope *slope, const tacSpinChange *d, double delta[6]);
/* d(delta) when a free body turns by `turn`, body axes. */
void tac_spin_turn(const tacSpin *s, const tacSpinSlope *slope, tacVec3 turn, double delta[6]);
/* 1: the mass centre of a free body is beside its joint. Otherwise turning the body does not change delta. */
int tac_spin_is_beside(const tacSpin *s);

/* Changes of the mass matrix's numbers with a parameter. They are read off d(z.M z) for some z (param_mass.h). */
enum { TAC_SPIN_FORMS = 10 };
/* z[nv] of form k; 0: there are no more. */
int tac_spin_form(const tacSpin *s, int nv, int k, double *z);
/* Changes of the forms -> changes of the numbers. */
tacSpinMass tac_spin_mass_change(const tacSpin *s, const double forms[TAC_SPIN_FORMS]);
