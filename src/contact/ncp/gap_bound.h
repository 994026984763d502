/* The lower bound of a gap at q+, of contacts and limits (docs/theory/ncp.md, W11, W47-W49).
 *
 * A gap that is open or closed at q is bounded by zero. One that is negative at q recovers at a given speed, so its
 * bound is negative too. At an infeasible start the bound yields to a large impulse, down to the gap at q. */
#pragma once

#include "solve/yield.h"

typedef struct tacNcp tacNcp;

/* All zero: the bound is zero, whatever the impulse. */
typedef struct tacNcpGapBound {
    double gap, speed;   /* gap at q; speed at which a negative gap recovers */
    double inverse_mass; /* sum of both trees' */
    double rest;         /* the bound without impulse: min(0, gap + h speed) */
    tacYield yield;      /* how the bound yields to the impulse, down to min(0, gap) */
} tacNcpGapBound;

/* The bound of a gap at q that recovers at this speed. */
tacNcpGapBound tac_ncp_gap_bound_at(const tacNcp *p, double gap, double speed, double inverse_mass);
/* Its value under an impulse. */
double tac_ncp_gap_bound(const tacNcpGapBound *c, double impulse);
/* Its derivatives at a fixed impulse: by the gap at q; by h at a fixed gap; times a change of the inverse mass. */
double tac_ncp_gap_bound_by_gap(const tacNcpGapBound *c, double impulse);
double tac_ncp_gap_bound_by_time(const tacNcp *p, const tacNcpGapBound *c, double impulse);
double tac_ncp_gap_bound_by_mass(const tacNcpGapBound *c, double impulse, double change);

/* Sets p->infeasible where a contact or limit at q is violated; all bounds yield then   (W49). */
void tac_ncp_detect_infeasible(tacNcp *p);
/* Lets all bounds yield, after searches that found no motion within them. 0: they yield already, or none is
 * violated. */
int tac_ncp_relax_bounds(tacNcp *p);
