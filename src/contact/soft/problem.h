/* Soft contact as in MuJoCo: a convex problem for the acceleration (docs/theory/soft.md).
 *
 *   a = argmin (a - a0)^T M (a - a0)/2 + sum over constraints of s(y),   y = J a - a_ref,   f = -ds/dy             (Z1)
 *
 *   equality   s = D y^2 / 2
 *   friction   the same while |D y| <= loss, beyond it straight lines of slope +- loss
 *   limit      the same where y < 0, else 0; a contact of condim 1 too
 *   contact    pyramidal: 2 (condim - 1) edges, each a limit, along y_n +- mu_k y_k
 *              elliptic: three zones (cost.c)
 *
 * A constraint has one or several rows (rows.h), which share an impedance. a_ref = -B J v - K d (pos - margin). Only
 * rows with a position have the last term. Friction of elliptic contacts may have another B (solreffriction). Connects
 * and welds also have -(dJ/dt) v, so that y is their acceleration less the reference. 1/D = R = (1 - d)/d times
 * MuJoCo's estimate of J M^-1 J^T. */
#pragma once

#include "contact/contact_run.h"
#include "contact/soft/hessian.h"
#include "contact/soft/impedance.h"

enum { TAC_SOFT_MOST_ROWS = TAC_CONTACT_MOST_ROWS };
/* Lower bounds of regularization and friction, as in MuJoCo. */
#define TAC_SOFT_LEAST_R  1e-15
#define TAC_SOFT_LEAST_MU 1e-5
/* A larger residual counts as unsolved. */
#define TAC_SOFT_SOLVED 1e-8

typedef enum { TAC_SOFT_EQUALITY, TAC_SOFT_LOSS, TAC_SOFT_LIMIT, TAC_SOFT_PYRAMID, TAC_SOFT_ELLIPTIC } tacSoftKind;

struct tacSoftBlock {
    tacSoftKind kind;
    int row, n; /* first row, how many */
    int zone;   /* tacConstraintZone; of a pyramid a bit for every edge that pushes: 1 << (2 k) for +, 2 << (2 k) for -,
                   friction k */
    int held;   /* bit i: R of row i is at its lower bound, and has no derivative */
    int law;    /* 1 + the zone whose law holds whatever y is; 0: that of y */
    int piece;  /* of the impedance, likewise (tacSoftness) */
    tacImpedance z;
    int own;            /* 1: solreffriction of a contact's pair gives B of its friction */
    double slip;        /* B of the rows after the first, 1/s; z.B unless `own` */
    double r;           /* pos - margin, or the length of an equality's error */
    double loss;        /* friction: N, N m */
    double mu;          /* contact: of the regularized cone, friction[0]/sqrt(impratio) */
    double friction[5]; /* contact: along the rows after the first */
};

struct tacSoft {
    tacRows rows;
    const unsigned char *sign; /* of the signals, block by block: they say which laws hold (zone.c). NULL: those of y */
    const double *start;       /* nv: with sign, an acceleration nearby, from which islands start */
    int nblock;
    tacSoftBlock *block;    /* rows.max */
    double *D;              /* rows.max: 1/R; a pyramid has that of its edges in its first row */
    double *aref;           /* rows.max */
    double *y, *f;          /* rows.max: J a - a_ref, and the force */
    tacSoftHessian hessian; /* of the solution, where there are rows */
    int factored;           /* 1: its factor is that of the present zones */
    int iterations, unsolved;
    double residual; /* largest |M (a - a0) - J^T f|, relative to the forces of its island */
};

/* Takes the arrays of a problem with as many rows as there may be. 0: the arena is too small. */
int tac_soft_layout(tacSoft *soft, const tacModel *m, int max_contacts, tacArena *arena);

/* Parameters of a contact, from its pair or mixed from its geoms by MuJoCo's rules. */
typedef struct tacContactSoftness {
    double solref[2], solreffriction[2], solimp[5], friction[5];
} tacContactSoftness;
tacContactSoftness tac_contact_softness(const tacModel *m, const tacContact *c);
/* 1: the friction of the contact has a reference of its own, by MuJoCo's rules: its cone is elliptic, and
 * solreffriction is neither 0 0 nor of two signs. Otherwise solref holds for all rows. */
int tac_contact_has_slip(const tacModel *m, const tacContactSoftness *s);
/* Weight of the first geom in averages. *average 0: solref is not averaged, the smaller one is taken. */
double tac_contact_mix(const tacModel *m, int a, int b, int *average);
/* The model's parameters of any other row. */
typedef struct tacSoftNumbers {
    const double *solref, *solimp, *margin, *loss; /* margin, loss: NULL where it has none */
} tacSoftNumbers;
tacSoftNumbers tac_soft_numbers(const tacModel *m, const tacRow *row);
/* Lower bound of time constants, s. */
double tac_soft_shortest(const tacModel *m, double h);

/* Inverse weights, or their changes; NULL: zeros. */
typedef struct tacInverseWeights {
    const double *dof, *body, *tendon; /* nv, 2 nbody, ntendon */
} tacInverseWeights;
/* MuJoCo's estimate of J M^-1 J^T of a row; of a contact, along its normal. It is linear in the weights. */
double tac_soft_weight(const tacModel *m, const tacRows *rows, int k, tacInverseWeights by);

/* Sets the problem up: rows -> blocks with impedances, D, and a_ref at velocity v. h is the step, for MuJoCo's bound of
 * time constants. Needs: tac_rows_find without reach; velocity. */
void tac_soft_setup(const tacModel *m, const tacWork *w, tacSoft *soft, const double *v, double h);

/* y of a block (n numbers) -> force f (n), the zone, and, unless NULL, K = -df/dy (n x n). */
int tac_soft_force(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K);

/* The same along a line, where dy is the change of y per unit. slope -= dy . f, curve += dy . K dy. */
int tac_soft_line(const tacSoftBlock *block, const double *D, const double *y, const double *dy, double *f,
                  double *slope, double *curve);
/* Signals of a block at y, numbers whose signs tell its zone and the piece of its impedance -> how many. */
int tac_soft_signals(const tacSoftBlock *block, const double *D, const double *y, double *out);
/* Signs of the signals -> piece (before the impedance is known), and law. Returns how many signals there are. */
void tac_soft_hold_piece(tacSoftBlock *block, const unsigned char *sign);
int tac_soft_hold_law(tacSoftBlock *block, const unsigned char *sign);
/* The same as if every contact that pushes stuck. This guesses the zones. */
int tac_soft_sticking_force(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K);

/* Method, limits and tolerances of the search. */
typedef struct tacSoftSearch {
    tacSolver solver;      /* Newton's or conjugate gradients */
    int iterations, lines; /* most steps; most points on a line */
    double tolerance;      /* residual at which it may stop; 0: at rounding */
    double line;           /* line-search tolerance (relative slope) */
} tacSoftSearch;
/* Takes it from the options, and from the model where the options leave it open. */
tacSoftSearch tac_soft_search(const tacModel *m, const tacOptions *options);
/* The residual up to which a problem counts as solved. */
static inline double tac_soft_solved(double tolerance) {
    return tolerance > TAC_SOFT_SOLVED ? tolerance : TAC_SOFT_SOLVED;
}

/* Trees that share constraints, and the state of their search (islands.c). */
struct tacSoftIsland {
    int nblock, nrun;
    int *block;
    int (*run)[2];              /* dofs from .. to, the latter not included */
    int goes, moves, since;     /* 1: its search goes on; it has a direction; steps since the best was halved */
    int stale;                  /* 1: its part of the factor belongs to earlier zones */
    double error, before, best; /* largest |M (a - a0) - J^T f|: now, a step ago, least so far */
    double scale;               /* of the forces in it */
    double weight;              /* conjugate gradients: grad . M^-1 grad of the step before; 0: there was none */
};
/* Takes from a dry arena the memory of tac_soft_islands for nblock blocks. */
void tac_soft_measure_islands(const tacModel *m, int nblock, tacArena *dry);
/* Blocks -> islands, in the order of their first blocks, taken from the arena. Blocks and dofs of each are in ascending
 * order, dofs in runs of maximal length. Returns how many; -1: the arena is too small. */
int tac_soft_islands(const tacModel *m, const tacSoft *soft, tacArena *arena, tacSoftIsland **islands);

/* (a0, M, a = a0) -> a, y, f, zones. TAC_ERR_ARENA_FULL, or TAC_OK whether solved or not. Needs: mass; conjugate
 * gradients: the factor of M. */
tacStatus tac_soft_solve(const tacModel *m, const tacWork *w, tacSoft *soft, const tacSoftSearch *how, const double *a0,
                         double *a, tacArena *arena);
/* Takes its memory from a dry arena. The Hessian stays taken. */
void tac_soft_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry);

/* Adds the problem to the report of the step: contacts, zones, margins as velocities over the step h (report.c). A step
 * of several stages adds up all of them. */
void tac_soft_report(const tacSoft *soft, double h, tacStepInfo *info);
/* The part of it that a rate of inner steps reports: solver, contacts. */
void tac_soft_count(const tacSoft *soft, tacStepInfo *info);
/* Least change of a limited coordinate (m, rad) that adds or removes the row of a limit. */
double tac_soft_limit_margin(const tacModel *m, const double *q);
/* Least change of y (m/s^2, rad/s^2) that takes the block to another zone. */
double tac_soft_margin(const tacSoftBlock *block, const double *D, const double *y);

/* --- Derivatives (contact_deriv.c, rows_deriv.c) -------------------------------------------------------------------
 *
 * G = ID(q, v, a) - tau - J^T f = 0 defines a:  da = -H^-1 dG. At fixed a, constraints add to dG
 *
 *   -dJ^T f + J^T (K dy - b f dr),     dy = dJ (a + B v) + B J dv + K d(d r) of rows with a position, B by row,
 *   b = d(log D)/dr = d'/(d (1 - d))                                                                              (Z9)
 *
 * since all forces but those of dry friction at its bound are proportional to D. */

/* Destination of one kind of column: -dJ^T f and -J^T df over dofs, dy over rows, dr over rows (summed over a block),
 * and changes of contacts' forces on bodies. f and y are fixed except where parameters change them. */
typedef tacContactSink tacSoftSink;

/* Inputs of the emitters. */
typedef struct tacSoftPoint {
    const tacModel *m;
    const tacWork *w;
    tacScene *scene;
    const tacSoft *soft;
    const tacSmoothPoint *x;
    const double *a;
    double h;
    int idle;   /* 1: also dy and dr of blocks that do not push, for their margins */
    double B;   /* damping of z and V; below 0: none yet */
    double *z;  /* nv: a + B v */
    tacVec6 *V; /* nbody: velocities of bodies at z */
} tacSoftPoint;
/* z and V for the damping B. */
void tac_soft_set_damping(tacSoftPoint *p, double B);
/* Emit the columns of dofs, mocap numbers and parameters, for contacts and for all other rows. Without B J dv. */
tacStatus tac_soft_contacts_jac(tacSoftPoint *p, const tacContactColumns *to);
void tac_soft_other_jac(tacSoftPoint *p, const tacContactColumns *to);
/* Emits the changes by parameters other than positions: impedances, weights, friction, losses, margins (param.c). */
void tac_soft_numbers_jac(const tacSoftPoint *p, const tacSoftSink *theta, const tacParamTangent *tangents);

/* Changes of a block's own numbers with a parameter. r is fixed except for its margin. */
typedef struct tacSoftChange {
    tacImpedance z; /* K, B, d */
    double slip;    /* B of the rows after the first */
    double r;
    double loss, mu, friction[5];
    double log_D[TAC_SOFT_MOST_ROWS]; /* d(log D): of a pyramid all alike */
} tacSoftChange;
/* df at fixed y. */
void tac_soft_force_change(const tacSoftBlock *block, const double *D, const double *y, const double *f,
                           const tacSoftChange *d, double *df);

/* r of one row of a block: the error that its reference acceleration corrects. */
static inline double tac_soft_row_error(const tacSoftBlock *b, const tacRow *row, int i) {
    if (row->kind == TAC_ROW_CONTACT) return i == 0 ? b->r : 0;
    return b->n > 1 ? row[i].pos : b->r;
}
/* B of row i of a block. */
static inline double tac_soft_damping(const tacSoftBlock *b, int i) { return i == 0 ? b->z.B : b->slip; }
/* d(K d r)/dr of a block's own row with a position. */
static inline double tac_soft_pull_rate(const tacSoftBlock *b) { return b->z.K * (b->z.d + b->z.rate * b->r); }
/* b of (Z9), of row i */
static inline double tac_soft_stiffening(const tacSoftBlock *b, int i) {
    return b->held & 1 << i ? 0 : b->z.rate / (b->z.d * (1 - b->z.d));
}
/* The reported zone. A pyramid is on its cone if some of its edges push and some do not. */
static inline tacConstraintZone tac_soft_zone(const tacSoftBlock *b) {
    if (b->kind != TAC_SOFT_PYRAMID || b->zone == TAC_ZONE_FREE) return (tacConstraintZone)b->zone;
    return b->zone == (1 << 2 * (b->n - 1)) - 1 ? TAC_ZONE_QUADRATIC : TAC_ZONE_CONE;
}
/* 1: the block has neither force nor stiffness. */
static inline int tac_soft_is_idle(const tacSoftBlock *b) { return b->zone == TAC_ZONE_FREE; }
