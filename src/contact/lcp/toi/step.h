/* Steps that stop at impacts [Yang2023; docs/theory/contact.md, H1 to H4].
 *
 *   kick     v <- v + h a, with rows for the contacts that touch: forces act at the step's beginning, as in every step
 *   drift    q <- q (+) t v until two geoms meet, or to the step's end
 *   impact   M (v' - v) = J^T f, with rows for all contacts that touch then; the rest of the step follows
 *
 * Such a step is second order with v half a step before q. At time t the velocity is that of the drift plus (t/h - 1/2)
 * times the kick, and a bounce reverses that (H4).
 *
 * Two geoms meet when their distance is TAC_TOI_GAP. Surfaces never quite reach each other, so neither rounding nor
 * compliance makes them overlap.
 *
 * The kick has rows for pairs that have met, up to TAC_TOI_TOUCH, and for near pairs, up to TAC_TOI_NEAR, unless these
 * approach faster than bounce_speed. The row of a near pair brings it to the gap by the end of the step, as the row of
 * an open gap does without `toi`. So resting bodies make no impacts, and near ones may move a little without another
 * kind of row. An impact has rows for pairs that have met, and for near pairs that the kick held. Other near pairs have
 * none, because such a row would transmit the impact before they are hit.
 *
 * Pairs with rows are held. The search uses their distance at the end of a drift, if it is at least TAC_TOI_LEAST. A
 * held pair may come nearer, because rows are linear and bodies rotate. Some near pairs have no row. In both cases two
 * geoms meet when their distance falls to the next level below the gap (tac_next_impact). */
#pragma once

#include "smooth/first_impact.h"
#include "contact/lcp/step.h"

#define TAC_TOI_GAP   1e-6               /* m: distance at which two geoms meet */
#define TAC_TOI_TOUCH 2e-6               /* m: pairs up to this distance have met */
#define TAC_TOI_NEAR  1e-4               /* m: pairs up to this distance are near */
#define TAC_TOI_LEAST (TAC_TOI_GAP / 16) /* m: a held pair nearer than this at the end of a drift is searched */
#define TAC_TOI_SUNK  1e-9               /* m: an overlap beyond this, under too heavy a load, counts as unsolved */

/* Derivatives of the current state of a flight, with respect to [x | u | theta]. */
typedef struct tacFlightTangent {
    tacColumns c;
    double *q, *v;      /* nv x c.n: of the current coordinates (tangent) and velocities */
    double *time;       /* c.n: of the duration of the current drift */
    double *left;       /* c.n: of the time that is left */
    double *kick;       /* nv x c.n */
    double *given;      /* nv x c.n: of the change of velocity by the rows of the kick */
    double *W, *W_rest; /* nv x c.n: of one change of velocity */
    tacJac J;           /* of the whole step: all three */
} tacFlightTangent;

/* Forces of a step, summed over its problems. NULL: not asked for. */
typedef struct tacFlightForces {
    double *wrench, *qfrc;    /* 6 nbody; nv */
    double *dwrench, *dqfrc;  /* their derivatives, c.n numbers a row */
    double *local;            /* 6 nbody x c.n: of one problem by its own q, v, u, theta */
    tacContactForce *contact; /* max: of every problem in turn */
    int max, n;
    const tacContactReader *reader; /* values, or lines, of the contacts of every problem in turn */
    /* The part of the kick that the first impact takes back: `share` of the forces on trees with these dofs (H8). */
    int *undo;      /* nv */
    int undone;     /* 1: there are such dofs */
    double share;   /* t/h - 1/2 */
    double *dshare; /* c.n, where derivatives are asked for */
} tacFlightForces;

/* A stop of a flight: at an impact of the pair, where a search ended early, or, NONE, at the step's end. */
typedef struct tacFlightStop {
    tacImpactPair pair;
    tacImpactKind kind;
} tacFlightStop;
/* Stops that a flight records, so that it can be repeated without a search. */
#define TAC_FLIGHT_STOPS 12

/* The current state of a step that stops at impacts. */
typedef struct tacFlight {
    tacContext *ctx;
    const double *u;
    double *x;        /* nx: current coordinates and velocities; activations as at the start */
    double *act;      /* na: next activations */
    double *kick;     /* nv: what the step's forces added to the velocity */
    tacContact *last; /* max_contacts: rows of the problem before */
    int nlast;
    int *pairs, npairs; /* of geoms, that these are between */
    char *searched;     /* max_contacts: tacHeldPairs */
    int slow;           /* steps of long searches so far */
    int *held, nheld;   /* pairs of geoms that the kick had a force between */
    int met[2];         /* geoms of the impact in hand */
    double *lag;        /* nv: tac_lcp_bounce */
    double *given;      /* nv: what the rows of the kick added to the velocity */
    double *undone;     /* nv: (t/h - 1/2) given, at the first impact (H8) */
    int *undo;          /* nv: 1: this was undone of the dof */
    int *joined;        /* nbody: trees that the kick had forces between (tacLcp.tree) */
    double *pressed;    /* max_contacts: normal forces of `last`, of the kick; 0 after an impact */
    double *truth;      /* nv: velocity at the time of an impact */
    double *v_free;     /* nv: velocity after the kick without rows */
    double *scratch;    /* 3 nv */
    double left;        /* s */
    double since;       /* s: of drift since the kick or the last impact */
    tacFlightStop stops[TAC_FLIGHT_STOPS];
    int nstops;                    /* so far; also counts those that are not recorded */
    const struct tacFlight *again; /* the flight that is repeated; NULL: stops are searched */
    int stop;                      /* number of the impact to stop at, from 1; 0: none */
    tacLcp *stopped;               /* its problem */
    int impacts;                   /* so far */
    int unsolved;                  /* 1: a problem was not */
    double sunk;                   /* m: tacHeldPairs, of the last search */
    tacFlightTangent *d;           /* NULL: values alone */
    tacFlightForces *z;            /* NULL: not asked for */
} tacFlight;

/* (x, u) -> f->x, f->act, w->next; with derivatives if d is given, with forces if z is. Leaves f in the arena: the
 * caller releases it. There is a next state if tac_went_on(status). */
tacStatus tac_flight_travel(tacContext *ctx, const double *x, const double *u, tacFlightTangent *d, tacFlightForces *z,
                            tacFlight *f);
/* Repeats the flight `first` up to impact k (from 1), and solves the problem of that impact. The problem stays in the
 * arena. Its change of velocity is in w->next and w->qacc. f->x is the state before the impact. */
tacStatus tac_flight_to_impact(const tacFlight *first, const double *x, int k, tacFlight *f, tacLcp *lcp);
/* Repeats the kick, for reverse mode of a step that is the kick and one drift. lcp stays in the arena. */
tacStatus tac_flight_kick_again(tacFlight *f, const double *x, tacLcp *lcp);

/* --- Memory -------------------------------------------------------------------------------------------------------
 *
 * Each lays out on a dry arena the arrays of the function with its name (contact/lcp/step.h). */
void tac_flight_measure(const tacModel *m, const tacOptions *options, tacArena *dry); /* a flight's own arrays */
void tac_flight_measure_travel(const tacModel *m, const tacOptions *options, int derivatives, tacArena *dry);
void tac_flight_measure_solve(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_flight_measure_tangent(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_flight_measure_lag_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_flight_measure_add_forces(const tacModel *m, tacArena *dry);
void tac_flight_measure_pull(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_toi_measure_outputs(const tacModel *m, const tacOptions *options, tacArena *dry);

/* --- Rows of touching contacts (rows.c) --------------------------------------------------------------------------- */

/* 1: the kick had a force between the two geoms. */
int tac_flight_is_held(const tacFlight *f, const int geom[2]);
/* (current x, velocity without rows) -> impulses of the kick or of an impact, in lcp. Needs: position, the factor. */
tacStatus tac_flight_solve(tacFlight *f, const double *v_free, int impact, tacLcp *lcp);

/* --- Derivatives (deriv.c) ---------------------------------------------------------------------------------------- */

/* Takes their arrays from the arena and sets them at the step's beginning. */
tacStatus tac_flight_tangent(tacContext *ctx, tacFlightTangent *d);
/* Derivatives after the kick, from W: dv, dq = identity, and the rows of the activations for the whole step. Needs: w
 * as the kick left it. */
tacStatus tac_flight_kick_jac(tacFlight *f, const double *x);
/* After that: derivatives of the change by the rows, which is the kick minus the kick without rows. Needs: the same,
 * f->v_free. */
tacStatus tac_flight_given_jac(tacFlight *f, const double *x);
/* q (+) t v at fixed t: dq <- P dq + t Q dv. */
void tac_flight_drift_jac(tacFlight *f, double t);
/* The drift ends where the distance of a pair of geoms is at a fixed level:  time = -(G dq + ...)/(G v), G the change
 * of their distance (H3). Needs: geoms placed at the impact. */
tacStatus tac_flight_time_jac(tacFlight *f, const int geom[2]);
/* dq += v time, left -= time. */
void tac_flight_stop_jac(tacFlight *f);
/* dv <- d(v') through one impact, from W by its own q, v, u, theta. */
void tac_flight_impact_jac(tacFlight *f);
/* Adds the changes with the lag of a bounce and with the undone part of the kick: rows change by (1 + e) J d(lag) +
 * J d(undone), and v by d(undone). */
tacStatus tac_flight_lag_jac(tacFlight *f, const tacLcp *lcp);
/* d(forces) += the derivatives of the forces of one problem, chained with those of the state before it. */
tacStatus tac_flight_forces_jac(tacFlight *f, const tacLcp *lcp);
/* out (c.n) = derivative of t/h - 1/2 */
void tac_flight_late_jac(const tacFlight *f, double *out);
/* d(shift)/d(time left) of row k. */
double tac_flight_span_rate(const tacLcp *lcp, int k);
/* -> rows dq, dv of the whole step. 0: not all are finite. */
int tac_flight_finish_jac(const tacFlight *f);

/* --- Reverse mode (adjoint.c) ------------------------------------------------------------------------------------- */

/* Reverse mode of the step of f, which has recorded all its stops. ctx->info is the report of that step. landed: 1 if
 * the flight reached the end of the step. */
tacStatus tac_flight_pull(tacFlight *f, const double *x, int landed, const double *ybar, const tacGrad *g);

/* --- Forces as outputs (outputs.c) -------------------------------------------------------------------------------- */

/* Adds the forces of a solved problem. Needs: its kinematics, v+ in w->next. */
tacStatus tac_flight_add_forces(tacFlight *f, const tacLcp *lcp);

/* The stepper's entries (sim.h). */
tacStatus tac_toi_forces(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc);
tacStatus tac_toi_contact_forces(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader);
tacStatus tac_toi_contact_forces_vjp(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                     const tacGrad *bar);
tacStatus tac_toi_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc);
tacStatus tac_toi_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar);
tacStatus tac_toi_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n);
