/* Steps that stop at impacts [Yang2023; docs/theory/contact.md, H1 to H4].
 *
 *   kick     v <- v + h a, with the contacts that touch as rows: forces act at the step's beginning, as ever
 *   drift    q <- q (+) t v until two geoms meet, or to the step's end
 *   impact   M (v' - v) = J^T f, with all that touches then as rows; then on with the rest of the step
 *
 * Time steps of this kind are second order in the middle of a step: v is the velocity half a step earlier than q is. At
 * time t the velocity is that of the drift plus (t/h - 1/2) times the kick, and a bounce turns that (H4).
 *
 * Two geoms meet when they are TAC_TOI_GAP from each other: surfaces never quite reach each other, so that neither
 * rounding nor compliance makes them overlap. The kick has rows for what has met, up to TAC_TOI_TOUCH, and for what is
 * near, up to TAC_TOI_NEAR, unless it comes fast enough to bounce: such a row brings the two to the gap by the end of
 * the step, as an open gap does without `toi`. So what rests makes no impacts, and what is near may move a little
 * without changing its kind. An impact has rows for what has met, and for what is near and was held by the kick; not
 * for what is merely near, which would pass the impact on before it is hit. Pairs that have rows are held: they count
 * by where they are at the end of a drift, TAC_TOI_LEAST apart or more. Where they are nearer, for rows are straight
 * and do not see them turn, and where near pairs have no row, they meet when their distance falls to the next of the
 * levels below the gap (tac_next_impact). */
#pragma once

#include "step/first_impact.h"
#include "step/lcp_step.h"

#define TAC_TOI_GAP   1e-6 /* m */
#define TAC_TOI_TOUCH 2e-6
#define TAC_TOI_NEAR  1e-4
#define TAC_TOI_LEAST (TAC_TOI_GAP / 16)

/* Derivatives of a step on its way, with respect to [x | u | theta]. */
typedef struct tacFlightTangent {
    tacColumns c;
    double *q, *v;      /* nv x c.n: of the coordinates in hand, tangent */
    double *time;       /* c.n: of the time of the drift in hand */
    double *left;       /* c.n: of the time that is left */
    double *kick;       /* nv x c.n */
    double *W, *W_rest; /* nv x c.n: of one change of velocity */
    tacJac J;           /* of the whole step: all three */
} tacFlightTangent;

/* A step on its way. */
typedef struct tacFlight {
    tacSim *sim;
    const double *u;
    double *x;        /* nx: coordinates and velocities in hand, activations as they were */
    double *act;      /* na: next activations */
    double *kick;     /* nv: what the step's forces added to the velocity */
    tacContact *last; /* max_contacts: rows of the problem before */
    int nlast;
    int *pairs, npairs;  /* of geoms, that these are between */
    int *held, nheld;    /* pairs of geoms that the kick had a force between */
    int met[2];          /* geoms of the impact in hand */
    double *lag;         /* nv: tac_lcp_bounce */
    double *scratch;     /* 3 nv */
    double left;         /* s */
    int impacts;         /* so far */
    int unsolved;        /* 1: a problem was not */
    tacFlightTangent *d; /* NULL: values alone */
} tacFlight;

/* --- Derivatives (lcp_toi_deriv.c) -------------------------------------------------------------------------------- */

/* Room for them in the arena, and its bytes. */
tacStatus tac_flight_tangent(tacSim *sim, tacFlightTangent *d);
size_t tac_flight_tangent_bytes(const tacModel *m, const tacOptions *options);
/* After the kick, from W: dv, dq = identity, and of the whole step what the activations have. Needs: w as the kick left
 * it. */
void tac_flight_kick_jac(tacFlight *f, const double *x);
/* q (+) t v: dq <- P dq + t Q dv; the time's own part follows. */
void tac_flight_drift_jac(tacFlight *f, double t);
/* The drift ends where the distance of a pair of geoms is at a fixed level:  time = -(G dq + ...)/(G v), G the change
 * of their distance (H3). Needs: geoms placed at the impact. */
tacStatus tac_flight_time_jac(tacFlight *f, const int geom[2]);
/* dq += v time, left -= time. */
void tac_flight_stop_jac(tacFlight *f);
/* dv <- d(v') through one impact, from W by its own q, v, u, theta. */
void tac_flight_impact_jac(tacFlight *f);
/* What the lag of a bounce adds to it: rows change by (1 + e) J d(lag). */
tacStatus tac_flight_lag_jac(tacFlight *f, const tacLcp *lcp);
/* -> rows dq, dv of the whole step. */
void tac_flight_finish_jac(const tacFlight *f);
