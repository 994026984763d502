/* Soft contact as MuJoCo has it: a convex problem for the acceleration (docs/theory/soft.md).
 *
 *   a = argmin (a - a0)^T M (a - a0)/2 + sum over constraints of s(y),   y = J a - a_ref,   f = -ds/dy             (Z1)
 *
 *   equality   s = D y^2 / 2
 *   friction   the same while |D y| <= loss, beyond it straight lines of slope +- loss
 *   limit      the same where y < 0, else 0; a contact of condim 1 too
 *   contact    pyramidal: 2 (condim - 1) edges, each a limit, along y_n +- mu_k y_k
 *              elliptic: three zones (soft_cost.c)
 *
 * A constraint has one or several rows (rows.h), and they share an impedance. a_ref = -B J v - K d (pos - margin), the
 * last for rows that have a position. 1/D = R = (1 - d)/d times MuJoCo's estimate of J M^-1 J^T. */
#pragma once

#include "contact/rows.h"
#include "contact/soft/impedance.h"

enum { TAC_SOFT_MOST_ROWS = 6 };

typedef enum { TAC_SOFT_EQUALITY, TAC_SOFT_LOSS, TAC_SOFT_LIMIT, TAC_SOFT_PYRAMID, TAC_SOFT_ELLIPTIC } tacSoftKind;

/* Where y is. A pyramid has a bit for every edge that pushes: 1 << (2 k) for +, 2 << (2 k) for -, friction k. */
typedef enum {
    TAC_ZONE_FREE, /* no force; a pyramid none of whose edges pushes as well */
    TAC_ZONE_QUADRATIC,
    TAC_ZONE_LOW,  /* friction at +loss */
    TAC_ZONE_HIGH, /* at -loss */
    TAC_ZONE_CONE  /* elliptic: on the cone */
} tacSoftZone;

typedef struct tacSoftBlock {
    tacSoftKind kind;
    int row, n; /* first row, how many */
    int zone;   /* tacSoftZone, or the pyramid's edges */
    tacImpedance z;
    double r;           /* pos - margin, or the length of an equality's error */
    double loss;        /* friction: N, N m */
    double mu;          /* contact: of the regularized cone, friction[0]/sqrt(impratio) */
    double friction[5]; /* contact: along the rows after the first */
} tacSoftBlock;

typedef struct tacSoft {
    tacRows rows;
    int nblock;
    tacSoftBlock *block; /* rows.max */
    double *D;           /* rows.max: 1/R; a pyramid has that of its edges in its first row */
    double *aref;        /* rows.max */
    double *y, *f;       /* rows.max: J a - a_ref, and the force */
    int iterations, unsolved;
    double residual; /* largest |M (a - a0) - J^T f|, relative to the forces in it */
} tacSoft;

size_t tac_soft_bytes(const tacModel *m, int max_contacts);
size_t tac_soft_scratch(const tacModel *m, int max_contacts);
int tac_soft_layout(tacSoft *soft, const tacModel *m, int max_contacts, tacArena *arena);

/* What a contact has of its geoms or its pair, mixed by MuJoCo's rules. */
typedef struct tacContactSoftness {
    double solref[2], solimp[5], friction[5];
} tacContactSoftness;
tacContactSoftness tac_contact_softness(const tacModel *m, const tacContact *c);

/* Rows -> blocks with impedances, D, a_ref at velocity v. h: the step, for MuJoCo's bound on time constants. Needs:
 * tac_rows_find without reach. */
void tac_soft_pose(const tacModel *m, tacSoft *soft, const double *v, double h);

/* Where the block's rows are at y (n numbers) -> force f (n), the zone, and, unless NULL, K = -df/dy (n x n). */
int tac_soft_force(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K);

/* The same along a line: dy is the change of y per unit of it. slope -= dy . f, curve += dy . K dy. */
int tac_soft_line(const tacSoftBlock *block, const double *D, const double *y, const double *dy, double *f,
                  double *slope, double *curve);
/* The same where contacts that would push hold in all directions: a guess of zones. */
int tac_soft_hold(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K);

/* a0, M, a (the start) -> a, y, f, zones. TAC_ERR_ARENA_FULL, or TAC_OK whether solved or not. Needs: mass. */
tacStatus tac_soft_solve(const tacModel *m, const tacWork *w, tacSoft *soft, const double *a0, double *a,
                         tacArena *arena);

/* What the problem says about itself: contacts, zones, how far they are from others. */
void tac_soft_report(const tacSoft *soft, tacStepInfo *info);
/* Least change of y (m/s^2, rad/s^2) that takes the block to another zone. */
double tac_soft_margin(const tacSoftBlock *block, const double *D, const double *y);

/* --- Derivatives (soft_contact.c, soft_deriv.c) --------------------------------------------------------------------
 *
 * G = ID(q, v, a) - tau - J^T f = 0 defines a:  da = -H^-1 dG. At fixed a, constraints add to dG
 *
 *   -dJ^T f + J^T (K dy - b f dr),     dy = dJ (a + B v) + B J dv + K d(d r) of rows with a position,
 *   b = d(log D)/dr = d'/(d (1 - d))                                                                              (Z8)
 *
 * since all forces but those of dry friction at its bound are proportional to D. */

/* Where one kind of column goes: -dJ^T f over dofs, dy over rows, dr over blocks (forwards: ld of row apart; in reverse
 * over rows, all of a block alike). */
typedef struct tacSoftSink {
    tacSink force, row, pos;
} tacSoftSink;

/* What the emitters read. */
typedef struct tacSoftPoint {
    const tacModel *m;
    const tacWork *w;
    tacScene *scene;
    const tacSoft *soft;
    const tacSmoothPoint *x;
    const double *a;
    double B;   /* that z and V are of; below 0: none yet */
    double *z;  /* nv: a + B v */
    tacVec6 *V; /* nbody: velocities of bodies at z */
} tacSoftPoint;
/* z and V of another damping. */
void tac_soft_aim(tacSoftPoint *p, double B);
/* Emit dofs and mocap numbers (NULL skips) of contacts, and of all other rows; but for B J dv. */
tacStatus tac_soft_contacts_jac(tacSoftPoint *p, const tacSoftSink *q, const tacSoftSink *mocap);
void tac_soft_other_jac(tacSoftPoint *p, const tacSoftSink *q, const tacSoftSink *mocap);
/* Where dr of a block goes. */
static inline tacSink tac_soft_pos_sink(const tacSoftSink *sink, int block) {
    tacSink pos = sink->pos;
    if (pos.matrix != NULL) pos.matrix += (size_t)block * (size_t)pos.ld, pos.ld = 0;
    return pos;
}
/* d(K d r)/dr of a block's own row with a position. */
static inline double tac_soft_pull_rate(const tacSoftBlock *b) { return b->z.K * (b->z.d + b->z.rate * b->r); }
/* b of (Z8) */
static inline double tac_soft_stiffening(const tacSoftBlock *b) { return b->z.rate / (b->z.d * (1 - b->z.d)); }
/* 1: the block has neither force nor stiffness. */
static inline int tac_soft_is_idle(const tacSoftBlock *b) { return b->zone == TAC_ZONE_FREE; }
