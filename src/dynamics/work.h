/* The arrays that the algorithms of this folder read and write: one set per simulation, laid out once.
 *
 * Frames. Spatial vectors are in world axes about `origin[root]`, one fixed point per kinematic tree (the present
 * position of the root body). So a robot far from the world's origin loses no digits. The point does not move in
 * derivatives or integration: it is a choice of expression only.
 *
 * Stages. Each function says which stages it needs:
 *   position   tac_kinematics_q     (q, mocap) -> xpos ... S, inertia
 *   velocity   tac_kinematics_v     + v -> V, Sdot
 *   mass       tac_crba, tac_factor -> M, L, Dinv */
#pragma once

#include "math/quat.h"
#include "math/scalar.h"
#include "math/spatial.h"
#include "tactus/tactus.h"

#include "base/arena.h"

/* Velocity terms of the derivative of a body's force: B x = (B11 w, 2 w x p) for x = (w, .)  (inverse_deriv.c). */
typedef struct tacCoriolis {
    tacMat3 B11;
    tacVec3 p;
} tacCoriolis;

/* Two numbers that go through the same sums side by side. */
typedef double tacPair __attribute__((vector_size(2 * sizeof(double))));

/* Residuals of a displacement and of a velocity of one dof (inverse_deriv.c): the six components of (psi2, psi1 + Sd)
 * and the angular ones of (psi1, S). Also the axis itself, each of its six components twice. */
typedef struct tacRate {
    tacPair u[6], w[3], S[6];
} tacRate;

typedef struct tacWork {
    /* position stage */
    tacVec3 *xpos;       /* nbody: body origins, world */
    tacQuat *xquat;      /* nbody */
    tacMat3 *xmat;       /* nbody */
    tacVec3 *xipos;      /* nbody: centres of mass, world */
    tacVec3 *joint_pos;  /* njnt: anchors, world */
    tacVec3 *joint_axis; /* njnt: axes, world */
    tacVec3 *origin;     /* nbody: reference point of the body's tree, world */
    tacVec6 *S;          /* nv: motion axis of each dof */
    tacInertia *inertia; /* nbody: spatial inertia of each body */
    /* velocity stage */
    tacVec6 *V;    /* nbody: velocity */
    tacVec6 *Sdot; /* nv: time derivative of S; for the dofs of one joint by the velocity before the joint */
    /* mass stage */
    double *M; /* nM: sparse mass matrix, layout of dof_M_adr */
    double *L; /* nM: its factor M = L^T D L: unit L below the diagonal, 1/D on it */
    /* scratch of the algorithms, overwritten by each */
    tacVec6 *A, *F;        /* nbody */
    tacInertia *composite; /* nbody */
    tacSym6 *articulated;  /* nbody */
    tacVec6 *U;            /* nv */
    double *Dinv, *uu;     /* nv */
    double *vec[4];        /* nv each */
    /* scratch of the derivatives of inverse dynamics (inverse_deriv.c) */
    tacRate *rate;                   /* nv */
    tacCoriolis *coriolis;           /* nbody */
    tacVec6 *Lambda, *X;             /* nbody */
    tacVec3 *Y;                      /* nbody */
    tacVec6 *applied, *wrench;       /* nbody: forces of fixed direction, their sums (passive_deriv.c) */
    tacMat3 *attack;                 /* nbody: sums of their points of attack */
    unsigned char *skip, *saturated; /* nv: rows of derivatives */
    /* transmission stage */
    double *tendon_length, *tendon_velocity;     /* ntendon */
    double *actuator_length, *actuator_velocity; /* nu */
    double *moment;                              /* nu x nv: rows of d(length)/dq */
    int *moment_begin, *moment_end;              /* nu: columns outside [begin, end) of a row are zero and not stored */
    double *ctrl, *force, *act_dot;              /* nu, nu, na */
    double *tendon_force;                        /* ntendon: scratch of the clamps */
    double *qfrc_passive, *qfrc_gravcomp, *qfrc_actuator, *bias, *qfrc, *qacc; /* nv */
    double *next;                                                              /* nq + nv + na: the state being made */
    const unsigned char *force_sign; /* 2 nu: whether each force is held above its bounds, lower and upper; NULL: by its
                                        value. For steps with inner steps */
    int count_ties;                  /* 1: the two counts below are wanted */
    int tied;                        /* clamps of the last forces, and dead bands of springs, that just begin to hold */
    int ties;                        /* largest of these counts in the current step */
} tacWork;

/* Relative to the value, or to 1: a number nearer to a bound is on it. */
#define TAC_ON_BOUND 1e-12
/* 1: x is at a bound of its range, where a clamp begins to hold and derivatives jump. A range of one number has no such
 * bound: nothing moves inside it. */
static inline int tac_is_tied(const double range[2], double x) {
    double to_bound = tac_abs(tac_min(x - range[0], range[1] - x));
    return range[0] < range[1] && to_bound <= TAC_ON_BOUND * tac_max(1, tac_abs(x));
}

/* Takes every array from the arena; false when it is too small. */
int tac_work_layout(tacWork *w, const tacModel *m, tacArena *arena);
/* Bytes that tac_work_layout takes. */
size_t tac_work_bytes(const tacModel *m);
