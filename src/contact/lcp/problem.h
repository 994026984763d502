/* Hard contact as a boxed linear complementarity problem on velocities [Werling2021; contact.md, L1-L3].
 *
 *   Mhat (v+ - v_free) = J^T f,      w = J v+ + s + eps f,      f within its bounds, w complementary
 *
 *   contact    normal 0 <= f, tangents -mu f_n <= f <= mu f_n
 *   limit      0 <= f
 *   friction   -h loss <= f <= h loss
 *   equality   any f
 *   s          gap open: dist / h, so that the next position just touches
 *              gap closed: the same, but at least -TAC_LCP_CORRECTION, so that overlap goes away slowly and adds
 *              next to no energy
 *              contact with restitution e > 0 that closes in this step, faster than a threshold: e J v, v before the
 *              step, so that it leaves with e times the speed it came with (bounce.c); less where that would give
 *              energy (share.h)
 *              equality: pos / h and the row's curvature along h v; less where it is open, or driven by a mocap body
 *              (equality.c)
 *   eps        TAC_LCP_COMPLIANCE (1/mass of one tree + 1/mass of the other), over TAC_LCP_ARM^2 for a rotational row.
 *              It makes the forces of redundant rows unique, in the derivative too. It is less where the model has a
 *              tree more than TAC_LCP_LOAD times as heavy, which may lie on the row (compliance.c)
 *
 * f are impulses. Rows that share no tree are solved apart. */
#pragma once

#include "contact/contact_run.h"
#include "solve/boxed.h"

#define TAC_LCP_CORRECTION 0.01 /* m/s (rad/s) */
#define TAC_LCP_COMPLIANCE 1e-6
/* With toi, a contact nearer than its target returns no faster than h TAC_LCP_RETURN (m/s^2), because a return in one
 * short step would be a second impact. Compliance gives way more slowly, by 0.01 h under a million times the contact's
 * own load. A contact within the share TAC_LCP_ROOM of its target returns in one step, so that resting bodies stay
 * there. Beyond TAC_LCP_AWAY it returns slowly (H9). */
#define TAC_LCP_RETURN    0.05
#define TAC_LCP_ROOM      0.2
#define TAC_LCP_AWAY      0.4
#define TAC_LCP_STEP      0.1   /* s: longer steps have less compliance, by the square: contacts sink by eps f h */
#define TAC_LCP_ARM       0.3   /* m: lever at which a rotational row counts as a translational one */
#define TAC_LCP_LOAD      100.0 /* load, over a tree's own mass, up to which its contacts have the whole compliance */
#define TAC_LCP_FIRMEST   1e-3  /* least share of the compliance: with less, rounding hides redundant rows */
#define TAC_LCP_CLOSING   0.05  /* m/s (rad/s): speed limit of closing an open equality */
#define TAC_LCP_FOLLOWING 2.0   /* m/s (rad/s): speed limit of following a mocap body */
/* Equalities contradict each other when they give way by more than this, m/s (rad/s), or more than this share of the
 * velocity that they are to stop. */
#define TAC_LCP_GIVING 1e-3
/* An island of at most TAC_LCP_FEW_ROWS rows is solved with a dense matrix of rows. So is one of at most
 * TAC_LCP_SMALL_ROWS rows that has no fewer dofs than rows. A larger one is solved with a sparse matrix of dofs; where
 * that fails, with the dense one if it has at most lcp_dense_rows rows (tacOptions). */
#define TAC_LCP_FEW_ROWS   40
#define TAC_LCP_SMALL_ROWS 96
/* Derivatives have room for this many rows of a step, whatever the options say. */
#define TAC_LCP_DERIV_ROWS 512
/* Most dofs of an island that the sparse matrix takes. Larger islands have Gauss-Seidel sweeps alone. */
#define TAC_LCP_MOST_DOFS 2048

/* Smooth pieces of a shift: all of the way in one step, at a bound, and with toi from one to the other, or in overlap
 * (H9). */
typedef enum { TAC_LCP_WHOLE, TAC_LCP_BOUND, TAC_LCP_BETWEEN, TAC_LCP_OVERLAP } tacLcpPiece;
/* Law of an equality in a step (equality.c). */
typedef enum {
    TAC_LCP_CLOSED, /* (L12) */
    TAC_LCP_OPEN,   /* (L13) */
    TAC_LCP_DRIVEN, /* (L12), no faster than TAC_LCP_FOLLOWING */
    TAC_LCP_KEPT    /* at an impact: keeps its velocity */
} tacLcpHold;

typedef struct tacLcp {
    tacRows rows;
    int dense_rows; /* option lcp_dense_rows: most rows of an island that is large and may have a dense matrix */
    int deriv_rows; /* tac_lcp_deriv_rows */
    tacPrediction predicted; /* q NULL: no equality holds */
    double h;
    int heaviest;                 /* tac_lcp_heaviest */
    double firmness;              /* factor of compliance: 1, less in long steps */
    double *s, *eps, *low, *high; /* rows.max */
    double *b, *f, *w;
    double *bounce; /* rows.max: restitution of a row that bounces in this step (TAC_LCP_HOP: hops), times the share of
                       its island; else 0 */
    double *restitution;      /* rows.max: restitution before the share is applied; 0 for rows that hop */
    int bouncing;             /* rows with restitution in this step */
    int limited;              /* islands whose share is below 1 (share.h) */
    const double *v, *v_free; /* nv: velocities before the step, and without rows; they outlive the solve */
    int *parent, *row_class;
    int *hold; /* rows.max: tacLcpHold */
    int nisland;
    int *island_adr;  /* rows.max + 1: first of island k in `order` */
    int *order;       /* rows.max: rows by island */
    int *tree;        /* nbody: union-find over root bodies */
    int kept;         /* first small island solved, or -1 */
    double *products; /* TAC_LCP_FEW_ROWS squared: A of that island, eps on the diagonal, for the derivative */
    int pivots, unsolved;
    double residual;
    int toi;             /* 1: rows are contacts that touch (contact/lcp/toi/step.h) */
    int impact;          /* 1: an instant: dry friction has no time to act */
    double target;       /* m: distance that contacts are to have */
    const int *met;      /* the two geoms of this impact; NULL: none. Contacts between them that touch have no shift */
    double touch;        /* m: distance up to which they touch */
    double span;         /* s: contacts and limits reach their target in this time: the step, or the rest of it */
    const double *lag;   /* nv: tac_lcp_bounce; NULL: zero */
    const double *truth; /* nv: velocity at the time of an impact. It decides the classes if a row opens that had a
                            force (truth.c). NULL: v_free */
    const double *late;  /* nv: what is then to be undone of v */
    const int *joined;   /* nbody: trees that the kick had forces between, like `tree`. Both sides of such a force
                            are undone. NULL: none */
    int *undo;           /* nv: 1: it was undone of this dof. These three with truth */
    int *pressed;        /* rows.max: 1: the kick had a force in the row */
    double *decided;     /* rows.max: forces that the classes are of */
    double
        bounce_margin; /* m/s: least change of a row's velocity before the step that decides whether it bounces, or of
                             pos/h that decides whether it is open */
} tacLcp;

/* Takes the arrays of a problem with as many rows as there may be. 0: the arena is too small. */
int tac_lcp_layout(tacLcp *lcp, const tacModel *m, const tacOptions *options, tacArena *arena);
/* Joins the trees of a row, as tacLcp.tree. */
void tac_lcp_join_trees(const tacModel *m, const tacRows *rows, const tacRow *row, int *joined);
/* Most rows of a step whose derivatives have room: the larger of TAC_LCP_DERIV_ROWS and option lcp_dense_rows, or all
 * rows that the model may have. */
int tac_lcp_deriv_rows(const tacModel *m, const tacOptions *options);
/* Lays out on a dry arena what the classes of an impact take. */
void tac_lcp_measure_truth(const tacModel *m, const tacOptions *options, tacArena *dry);
/* Lays out on a dry arena what tac_lcp_solve takes. */
void tac_lcp_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry);

/* Sets the problem up: rows -> bounds, shifts, compliance, islands. Needs: tac_rows_find. */
void tac_lcp_setup(const tacModel *m, tacLcp *lcp, double h);
/* Sets how equalities are held, and the margin of that (equality.c). */
void tac_lcp_set_hold(const tacModel *m, tacLcp *lcp);
/* s of an equality's row. bound: -1 or 1 where the speed is at its lower or upper limit, else 0; NULL skips. */
double tac_lcp_closing_speed(const tacLcp *lcp, int k, int *bound);
/* Least change of pos/h (m/s, rad/s) at which the speed reaches a limit, or leaves one. */
double tac_lcp_closing_margin(const tacLcp *lcp, int k);
/* 1: the row of an equality is predicted: w has J (v+ - v) and pos at q (+) h v. */
static inline int tac_lcp_is_predicted(const tacLcp *lcp, int k) { return lcp->hold[k] != TAC_LCP_OPEN; }
/* 1: the row is a contact between the two geoms of this impact. */
int tac_lcp_has_met(const tacLcp *lcp, const tacRow *row);
/* Shift s of a contact or limit, and *rate = ds/d(pos). */
double tac_lcp_shift(const tacLcp *lcp, const tacRow *row, double *rate);
/* ds/d(span) of row k, a contact's normal or a limit, and ds/dh at a fixed span; 0 where it bounces. */
double tac_lcp_shift_by_span(const tacLcp *lcp, int k);
double tac_lcp_shift_by_step(const tacLcp *lcp, int k);
/* The smooth piece of row's shift. */
tacLcpPiece tac_lcp_shift_piece(const tacLcp *lcp, const tacRow *row);
/* With toi: least change of pos/span (m/s) at which the shift of a contact at that distance has a kink. */
double tac_lcp_return_margin(const tacLcp *lcp, double pos);
/* Sets the shifts of contacts that bounce. speed: the least speed of a bounce, m/s. lag: velocity at the impact less v
 * (H4), which outlives lcp; NULL: zero. Needs: tac_lcp_setup. */
void tac_lcp_bounce(const tacModel *m, tacLcp *lcp, const double *v, const double *lag, double speed);
/* A contact that had a row earlier in the same step may approach again, because the row is linear and the motion is
 * not. Then it hops: it leaves with this many times the speed it came with, so that hops grow and are few. */
#define TAC_LCP_HOP 2.0
void tac_lcp_hop(tacLcp *lcp, int contact, const double *v);
/* Derivative of a bouncing row's shift by J lag: 1 + e, e with the share; 0: it does not bounce. */
double tac_lcp_lag_share(const tacLcp *lcp, int k);
/* (v_free, factor of Mhat) -> f, w, row_class; status as tac_boxed_solve, or TAC_ERR_NONFINITE where it overflows.
 * Needs: tac_lcp_setup, tac_rows_weigh. */
tacStatus tac_lcp_solve(const tacModel *m, tacLcp *lcp, const double *v_free, tacArena *arena);
/* eps of row k, and its derivative by a parameter; heaviest: of tac_lcp_heaviest (compliance.c). */
double tac_lcp_compliance(const tacModel *m, const tacRows *rows, int k, int heaviest);
double tac_lcp_compliance_param(const tacModel *m, const tacRows *rows, int k, int heaviest, const tacParamTangent *t);
/* Number of dofs of an island's trees. Needs: tac_lcp_setup. */
int tac_lcp_count_dofs(const tacModel *m, tacLcp *lcp, int island);
/* Solves one island for its b. Counts it if it is not solved (solve.c). */
tacStatus tac_lcp_solve_boxed(const tacModel *m, tacLcp *lcp, int island, tacArena *arena);
/* The same; where lcp->truth is given, by the classes of the velocity at the time of the impact (truth.c). */
tacStatus tac_lcp_solve_island(const tacModel *m, tacLcp *lcp, int island, tacArena *arena);
/* Root of the heaviest tree that moves; 0: there is none. */
int tac_lcp_heaviest(const tacModel *m);
/* Solves one large island (solve_large.c). last: 1: sweeps are the answer when nothing else solves it. */
tacStatus tac_lcp_solve_large(const tacModel *m, tacLcp *lcp, int island, int last, tacArena *arena);
void tac_lcp_measure_large(const tacModel *m, int max_rows, tacArena *dry);
/* Fills in what the step reports: iterations and residual; if not quiet, contacts, margins, active set too (report.c).
 */
void tac_lcp_report(const tacModel *m, const tacLcp *lcp, int quiet, tacStepInfo *info);
/* Least change of a row's velocity (m/s, rad/s) that moves it into another class. */
double tac_lcp_row_margin(const tacLcp *lcp, int k);
/* force[nv] += J^T f */
void tac_lcp_add_force(const tacLcp *lcp, double *force);

/* --- Derivatives (deriv.c, rows_deriv.c) ---------------------------------------------------------------------- */

/* Sink of one kind of column: changes of the residual R = ... - J^T f / h over dofs, and of r = J v+ + s + eps f over
 * rows, both at fixed f and v+. Forces on bodies are those over h. */
typedef tacContactSink tacLcpSink;
/* Its part for rows that act on dofs alone. */
static inline tacRowSink tac_lcp_rows(const tacLcpSink *sink) { return (tacRowSink){sink->force, sink->row}; }

/* Input of the functions that emit columns. */
typedef struct tacLcpPoint {
    const tacModel *m;
    const tacWork *w;
    tacScene *scene;
    const tacLcp *lcp;
    const tacSmoothPoint *x;
    const double *v_next;
    tacVec6 *V;           /* nbody: velocities at v_next; tac_rows_body_velocity */
    tacVec6 *V_start;     /* nbody: at x->v */
    tacVec6 *V_lag;       /* nbody: at lcp->lag */
    const double *gained; /* v+ - v, for equalities */
    tacVec6 *V_gained;    /* nbody: velocities at that */
} tacLcpPoint;

/* Emits all columns of contacts (dofs; mocap numbers; parameters); a NULL sink is skipped (contact_deriv.c). */
tacStatus tac_lcp_contacts_jac(const tacLcpPoint *p, const tacLcpSink *q, const tacLcpSink *mocap,
                               const tacLcpSink *theta, const tacParamTangent *tangents);
/* Emits what limits, friction, compliance and bounds add to the same columns (rows_deriv.c). */
void tac_lcp_other_jac(const tacLcpPoint *p, const tacLcpSink *q, const tacLcpSink *theta,
                       const tacParamTangent *tangents);
/* Emits the columns of equalities, except for the change of q (+) h v with q and v (equality.c, predict.c). */
void tac_lcp_equality_jac(const tacLcpPoint *p, const tacLcpSink *q, const tacLcpSink *mocap, const tacLcpSink *theta,
                          const tacParamTangent *tangents);

/* Emits the column of the time step (time.c). */
void tac_lcp_time_jac(const tacLcpPoint *p, int column, const tacLcpSink *sink);

/* Derivative of a bouncing row's shift s = e J v at fixed v: along a displacement, and by a parameter that is a
 * restitution; 0 where it does not bounce (bounce.c). */
double tac_lcp_bounce_move(const tacLcpPoint *p, const tacContact *c, int row, const tacDisplacement *d,
                           const tacContactTangent *t);
double tac_lcp_bounce_param(const tacLcpPoint *p, int row, const tacParamTangent *t);

/* The free rows of island k as a system: A_CC = J_C Mhat^-1 Jhat^T + eps, Jhat = J_C + E^T J_B, factored. */
typedef struct tacLcpSystem {
    int n;
    int *row;   /* n: free rows */
    double *lu; /* n x n, in a block that may be larger */
    int *pivot;
    double *work;
    double conditioning; /* largest over smallest pivot */
    int shared;          /* 1: the conditioning exceeds TAC_LCP_SHARED */
    int first, ndof;     /* all dofs that the rows move are among these */
} tacLcpSystem;
/* Rows share forces when the conditioning exceeds this: rounding, amplified by it, stays below 1e-12 up to here. */
#define TAC_LCP_SHARED 1e4
tacStatus tac_lcp_system(const tacModel *m, const tacLcp *lcp, int island, tacArena *arena, tacLcpSystem *system);
/* Takes from a dry arena what it does for an island of that many rows. */
void tac_lcp_measure_system(const tacModel *m, int rows, tacArena *dry);
/* A_CC^-T Yhat, column by column: a line of n numbers for each of the ndof dofs. Shared forces are large and cancel in
 * motions, so that forward and reverse mode agree only when both apply this matrix. */
void tac_lcp_system_response(const tacLcp *lcp, const tacLcpSystem *system, double *out);
/* out[nv] += Yhat^T x of one free row, Yhat weighed as Y is (rows.h) */
void tac_lcp_add_hat(const tacLcp *lcp, int row, double x, double *out);
/* Jhat_k . z of one free row */
double tac_lcp_hat_velocity(const tacLcp *lcp, int row, const double *z);
/* (x_C + E^T x_B)_k of a free row */
double tac_lcp_hat_sum(const tacLcp *lcp, int row, const double *x);
/* Bounded rows whose parent is free row k, and the force of each per unit of the parent's. */
int tac_lcp_bounded_children(const tacLcp *lcp, int k, int child[2], double factor[2]);

/* d(shift)/d(pos): none where the correction is at its bound or the row bounces. */
double tac_lcp_shift_rate(const tacLcp *lcp, int k);

/* --- Forces on bodies (wrench.c) ------------------------------------------------------------------------------ */

/* tac_row_wrench over h. 0: the row is no contact's. */
int tac_lcp_row_wrench(const tacModel *m, const tacWork *w, const tacLcp *lcp, int k, tacRowWrench *out);
/* wrench[6 nbody] of all contacts. */
void tac_lcp_wrenches(const tacModel *m, const tacWork *w, const tacLcp *lcp, double *wrench);
