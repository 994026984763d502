/* Hard contact as a nonlinear complementarity problem over friction cones, on a variational integrator of bodies in
 * maximal coordinates [Howell2022; docs/theory/ncp.md, W1, W7, W13].
 *
 * Each body has three poses: at q (-) h v, at q, and at q+ = q (+) h v+. Between them it has momenta; joints, contacts
 * and limits change them by impulses. The joints' own coordinates are the unknowns v+, through which all poses agree
 * with all joints at every iterate; joint impulses act at the pose q and leave the equations with the rows they
 * multiply. Contacts keep their features and are put anew at q+. */
#pragma once

#include "contact/rows.h"
#include "solve/block_ldu.h"
#include "solve/friction_cone.h"
#include "solve/interior.h"

/* Overlap at q goes away this fast (m/s, rad/s): the gap at q+ is at least min(0, gap at q + h times this). A state
 * that a step has left overlaps by no more than the step's tolerance; one that is given may overlap by any depth. */
#define TAC_NCP_CORRECTION 0.1

/* s: with it kappa is a pure number, force times gap in units of m L^2/T^2 and force times slip in m L^2/T^3, whatever
 * the time step: gaps and creep at rest do not depend on it   (W8). */
#define TAC_NCP_TIME 0.05

/* A contact at the next pose: cone variables, residuals, and how it couples its bodies. */
typedef struct tacNcpContact {
    tacContact start, now; /* as found at q; with the same features at q+ */
    int body[2];
    int cone, adr;      /* its first cone, and place in a and b */
    tacFrictionPoint p; /* of the iterate */
    tacFrictionSides e; /* residuals of the iterate; right sides while solving */
    double rest;        /* the gap that counts as closed: 0, negative where bodies overlap at q */
    double gap_slip[3]; /* phi less rest, u_1, u_2 */
    tacVec3 arm[2];     /* from the tree's origin at q to where the impulse acts on each body */
    double G[3][12];    /* d(phi, u)/d(z_0, z_1): twists about the trees' origins at q+ */
} tacNcpContact;

/* One end of a joint's range: s = sign (q+ - bound) - rest. */
typedef struct tacNcpLimit {
    int dof, coordinate, cone, adr;
    double sign, bound, rest, gamma, s, e;
} tacNcpLimit;

typedef struct tacNcp {
    const tacModel *m;
    const tacWork *w; /* at q */
    tacScene *scene;
    const double *q, *v, *mocap;
    double h, damping_span;
    tacWork next; /* at q+: position stage alone */
    double *q_next, *hv;
    tacVec6 *before;       /* nbody: momentum before, with the weight's impulse; world axes, at the centre of mass */
    tacVec6 *f, *sum;      /* nbody: missing impulse about the tree's origin at q; its sums over subtrees */
    tacVec6 *rhs;          /* nbody, with g_rhs: of the reduced system */
    tacVec3 *slide, *spin; /* nbody: velocity of the centre of mass and angular velocity between q and q+ */
    double *g_rhs;         /* nv */
    double *tau, *g;       /* nv: impulses of joint forces; missing impulse of the dofs themselves */
    int ncontact, max_contacts, nlimit;
    tacNcpContact *contact;
    tacNcpLimit *limit;
    tacContact *found;
    int ncone, numbers;
    int *dim;
    double *unit, *x, *a, *b;
    tacBlockLdu ldu;
} tacNcp;

/* Room, in bytes; for how many edges between bodies. */
size_t tac_ncp_bytes(const tacModel *m, int max_contacts);
/* 0: the arena is too small. */
int tac_ncp_layout(tacNcp *p, const tacModel *m, int max_contacts, tacArena *arena);

/* The position stage of a workspace. */
size_t tac_ncp_pose_bytes(const tacModel *m);
int tac_ncp_pose_layout(tacWork *w, const tacModel *m, tacArena *arena);

/* --- Bodies and joints (ncp_bodies.c) ----------------------------------------------------------------------------- */

/* Momentum of turning between two orientations, in the frame of the first (`after`) or second (`before`), from the
 * vector part psi and the scalar part c of the relative quaternion: (2/h)(c J psi +- psi x J psi)   (W3) */
tacVec3 tac_turn_momentum(tacSym3 J, double c, tacVec3 psi, double h, int after);
/* Its derivative (`after`) as the second orientation turns by a small rotation in the frame of the first   (W4) */
tacMat3 tac_turn_momentum_jac(tacSym3 J, double c, tacVec3 psi, double h);
/* The same for a body between two poses, world axes; its momentum too where asked for. */
tacMat3 tac_ncp_turn_block(const tacWork *first, const tacWork *second, int b, tacSym3 J, double h, tacVec3 *momentum);
/* H += [T 0; 0 s 1] at a body's centre of mass, as a 6 x 6 block about points from which it is at these arms. */
void tac_ncp_add_rigid(const tacMat3 *T, double s, tacVec3 arm_row, tacVec3 arm_column, double *H);
/* [a]: the matrix of a x. */
tacMat3 tac_ncp_skew(tacVec3 a);
/* w at q (-) h v. */
void tac_ncp_pose_before(tacNcp *p, tacWork *w);
/* State at hand (w at q, tau set) -> before. Uses next. */
void tac_ncp_begin(tacNcp *p);
/* v+ -> poses at q+, f and g without contacts and limits. TAC_ERR_DEGENERATE: a body turns by pi/2 or more. */
tacStatus tac_ncp_move(tacNcp *p, const double *v_next);
/* -> ldu: axes, blocks and diag of bodies and joints, without contacts and limits. */
void tac_ncp_linearize(tacNcp *p);

/* --- Contacts and limits (ncp_contact.c) -------------------------------------------------------------------------- */

/* Contacts of the scene at q (p->found) and limits -> cones; needs: tac_ncp_begin. */
void tac_ncp_constrain(tacNcp *p, int nfound);
/* Geometry of all contacts at the poses of tac_ncp_move. */
tacStatus tac_ncp_place(tacNcp *p);
/* One geom at the poses of w, in the scene. */
void tac_ncp_place_geom(tacNcp *p, const tacWork *w, int geom);
/* f -= wrench on both bodies of an impulse with components t, normal first. */
void tac_ncp_add_impulse(const tacNcp *p, const tacNcpContact *c, const double t[3], tacVec6 *f);
/* Row over twists about a point -> about an origin from which the point is at d. */
void tac_ncp_shift_row(tacVec3 d, double *row);
/* Iterate -> impulses on f and g, residuals of contacts and limits; -> the largest. */
double tac_ncp_load(tacNcp *p, const double *a, const double *b);
/* Forces of contacts on bodies, about their origins at q+ (6 nbody), and of contacts and limits on dofs (nv). */
void tac_ncp_forces(tacNcp *p, double *wrench, double *qfrc);
/* -> what they add to ldu. TAC_ERR_DEGENERATE: a contact has no derivative. */
tacStatus tac_ncp_contact_blocks(tacNcp *p);
/* Right sides c of the complementarity rows -> f and g of the reduced system. */
void tac_ncp_reduce(tacNcp *p, const double *c, double *f, double *g);
/* Solved motion (dv, ldu.z) -> da, db; needs tac_ncp_reduce with the same c. */
void tac_ncp_recover(const tacNcp *p, const double *c, const double *dv, double *da, double *db);

/* --- The problem (ncp.c) ------------------------------------------------------------------------------------------ */

tacInteriorProblem tac_ncp_problem(tacNcp *p);
/* Counts and margins of the step's contacts (ncp_report.c). */
void tac_ncp_report(const tacNcp *p, tacStepInfo *info);
/* Start of search number `start`: x, a, b, the cone variables on the central path. */
enum { TAC_NCP_STARTS = 3 };
tacStatus tac_ncp_start(tacNcp *p, int start);

/* --- Derivatives (ncp_deriv.c) ------------------------------------------------------------------------------------ */

/* How a contact's gap (less rest) and slip move with the poses at q. */
typedef struct tacNcpStart {
    double K[9], G[3][12];
} tacNcpStart;

typedef struct tacNcpDeriv {
    tacWork prev;         /* at q (-) h v: position stage */
    double *now, *before; /* nbody x 36: df/d(pose at q), df/d(pose before) of bodies without contacts */
    tacVec6 *wrench;      /* nbody: missing impulse at the centre of mass */
    unsigned char *behind;
    tacNcpStart *start; /* a contact */
} tacNcpDeriv;

size_t tac_ncp_deriv_bytes(const tacModel *m, int max_contacts);
int tac_ncp_deriv_layout(tacNcpDeriv *d, const tacModel *m, int max_contacts, tacArena *arena);
/* At the solution. */
tacStatus tac_ncp_differentiate(tacNcp *p, tacNcpDeriv *d);
/* The change of v+ that keeps q+ where it is as q_j moves: -1/h, for rotations a row of -Jr^-1(h v+)^T / h. Of 1 or 3
 * dofs, from tac_ncp_hold_first on. */
int tac_ncp_hold(const tacNcp *p, int j, double dv[3]);
int tac_ncp_hold_first(const tacNcp *p, int j);
/* Twists of the poses before and now of all behind dof j, per unit of q_j or v_j. */
void tac_ncp_twists(const tacNcp *p, const tacNcpDeriv *d, int j, int velocity, tacVec6 twist[2]);
/* Change of the missing impulses f (nbody) about the trees' origins at q, per unit of q_j or v_j at fixed q+. */
void tac_ncp_column(const tacNcp *p, const tacNcpDeriv *d, int j, int velocity, tacVec6 *f);
