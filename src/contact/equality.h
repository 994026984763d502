/* Equalities between two frames, each a body's or a site's (docs/theory/contact.md, R8-R10):
 *
 *   connect   p_0 - p_1 = 0, world axes                                          3 rows
 *   weld      the same, and  torquescale vec(conj(q_1) q_0 rel) = 0              3 rows more
 *
 * p are anchors and q orientations. The weld holds the rotation `rel` from frame 0 to frame 1. */
#pragma once

#include "contact/rows.h"

enum { TAC_EQUALITY_ROWS = 6 };

/* One equality at a configuration. World frame. */
typedef struct tacEquality {
    int id, n; /* rows: 3 or 6 */
    int body[2];
    int site[2];      /* -1: the body's own frame */
    tacVec3 point[2]; /* anchors */
    tacVec3 act[2];   /* where its force acts on either body: at the anchors, */
    int meet;         /* or, 1, in their middle (tac_equality_meet) */
    tacQuat quat[2];  /* of the frames; quat[0] with `rel` in it */
    tacQuat turn;     /* conj(quat[1]) quat[0] */
    double scale;     /* torquescale */
    tacVec3 axis[3];  /* of the rotational rows: J v = axis . (w_0 - w_1) */
    double pos[TAC_EQUALITY_ROWS];
} tacEquality;

/* 1: the equality is a connect or weld. The others stand on coordinates (coordinate.h). */
int tac_equality_is_pose(const tacModel *m, int eq);
/* 1: the equality is active and the model does not disable it. */
int tac_equality_holds(const tacModel *m, int eq);
/* Needs: position. */
tacEquality tac_equality_at(const tacModel *m, const tacWork *w, int eq);
/* Moves the points where the force acts on both bodies to the middle of the anchors. Rows then have the velocity of one
 * body relative to the other there, and an open equality leaves no torque over. */
void tac_equality_meet(tacEquality *e);
/* Adds its rows; in the middle of the anchors if rows->meet. Adds none if neither body moves. */
void tac_add_equality(const tacModel *m, const tacWork *w, int eq, tacRows *rows);
/* Wrench of a row's unit force on a side, about its tree's origin: J_i = S_i . wrench. */
tacVec6 tac_equality_wrench(const tacWork *w, const tacEquality *e, int side, int axis);
/* out[nv] += J of one row */
void tac_equality_gradient(const tacModel *m, const tacWork *w, const tacEquality *e, int axis, double *out);
/* (dJ/dt) v of its rows: their acceleration at zero joint accelerations (equality_bias.c). Needs: velocity. */
void tac_equality_bias(const tacModel *m, const tacWork *w, const tacEquality *e, const double *v,
                       double out[TAC_EQUALITY_ROWS]);

/* --- Derivatives (equality_deriv.c, equality_bias.c) -------------------------------------------------------------- */

/* A change of an equality: of its anchors, of frame 1, of the rotation between the frames, of torquescale; and the
 * resulting changes of its rows. */
typedef struct tacEqualityChange {
    tacVec3 point[2], frame; /* frame: the turn of frame 1, world */
    tacVec3 act[2];
    tacQuat turn;
    double scale;
    const tacMover *mover; /* that turns axes of dofs; NULL: none */
    tacVec3 axis[3];
    double pos[TAC_EQUALITY_ROWS];
} tacEqualityChange;

/* -> change of (dJ/dt) v at fixed v. Needs: velocity. */
void tac_equality_bias_change(const tacModel *m, const tacWork *w, const tacEquality *e, const double *v,
                              const tacEqualityChange *d, double out[TAC_EQUALITY_ROWS]);
/* Emits its change with v as rows k, k + 1, ... of the columns nv, nv + 1, ... Needs: velocity. */
void tac_equality_bias_velocity_jac(const tacModel *m, const tacWork *w, const tacEquality *e, const double *v, int k,
                                    const tacSink *sink);

/* Weights of the changes of its rows (rows.h). k is its first row. */
typedef struct tacEqualityWeights {
    int k;
    double f[TAC_EQUALITY_ROWS], rate[TAC_EQUALITY_ROWS];
    double across[TAC_EQUALITY_ROWS]; /* a of three rows: rate dpos less a (a . dpos) */
    double scale;
    const double *z;  /* NULL: as zeros, with V */
    const tacVec6 *V; /* nbody: tac_rows_body_velocity of z */
    const double *v;  /* joint velocities; adds the changes of (dJ/dt) v to the rows'; NULL: does not */
} tacEqualityWeights;

/* One equality at a configuration x.q (poses w), with the weights of its changes. */
typedef struct tacEqualityPlace {
    const tacWork *w;
    tacSmoothPoint x;
    tacEquality e;
    tacEqualityWeights by;
} tacEqualityPlace;

/* Emits its change along a mover, or by a parameter, at the configuration x->q as a column. */
void tac_equality_move(const tacModel *m, const tacWork *w, const tacEquality *e, const tacMover *mover,
                       const tacEqualityWeights *by, int column, const tacRowSink *sink);
void tac_equality_param(const tacModel *m, const tacWork *w, const tacEquality *e, const tacSmoothPoint *x,
                        const tacEqualityWeights *by, const tacParamTangent *t, int column, const tacRowSink *sink);
/* Emits its changes with all mocap poses (7 columns each) and parameters; NULL skips. */
void tac_equality_inputs_jac(const tacModel *m, const tacEqualityPlace *a, const tacParamTangent *tangents,
                             const tacRowSink *mocap, const tacRowSink *theta);
