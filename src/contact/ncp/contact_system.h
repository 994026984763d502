/* Contacts in the linear system of an iterate (docs/theory/ncp.md, W12). */
#pragma once

#include "contact/ncp/problem.h"

/* Adds all contacts to ldu. TAC_ERR_DEGENERATE: a contact has no derivative. */
tacStatus tac_ncp_contact_blocks(tacNcp *p);
/* Right sides c of the complementarity rows to f and g of the reduced system, rows included. */
void tac_ncp_reduce(tacNcp *p, const double *c, double *f, double *g);
/* Solved motion (ldu.z) to da, db. Needs: tac_ncp_reduce with the same c. */
void tac_ncp_recover(const tacNcp *p, double *da, double *db);

/* --- One contact -------------------------------------------------------------------------------------------------- */

/* Sets c->next.G and the geometric stiffness Gamma: d(wrench on each side)/d(poses at q+) at fixed impulses, about the
 * trees' origins. Also d(next.contact.pos - impulse.place)/d(poses at q+) unless NULL. */
tacStatus tac_ncp_contact_jac(tacNcp *p, tacNcpContact *c, double Gamma[2][6][12], double beyond[3][12]);
/* Adds a contact with stiffness K and geometric stiffness Gamma to ldu. TAC_ERR_ARENA_FULL: no room for an edge. */
tacStatus tac_ncp_couple(tacNcp *p, const tacNcpContact *c, const double K[9], double Gamma[2][6][12]);
/* Shifts a row over twists about a point to twists about an origin from which the point is at d. */
void tac_ncp_shift_row(tacVec3 d, double *row);

/* How one side of a contact moves: its centre of mass and rotation, at q (-) h v, at q and at q+. */
typedef struct tacNcpSide {
    tacVec3 dx_before, turn_before, dx_now, turn_now, dx_next, turn_next;
} tacNcpSide;
/* What all changes of a contact have in common. Of a side that does not move all is zero. */
typedef struct tacNcpFrame {
    tacVec3 impulse;         /* on body 1 */
    tacVec3 slip;            /* u */
    tacVec3 both;            /* u + bounce u_- */
    tacVec3 spin[2], arm[2]; /* angular velocity; arm from the centre of mass at q */
    tacMat3 inverse[2];      /* Jr^-1(h spin) */
    tacMat3 inverse_before[2];
} tacNcpFrame;
tacNcpFrame tac_ncp_contact_frame(const tacNcp *p, const tacNcpContact *c);
/* Change of a contact: of gap and slip, and at fixed impulses of the wrench on each side about the tree's origin at q,
 * the centre of mass kept there. */
typedef struct tacNcpChange {
    double gap_slip[3];
    tacVec6 wrench[2];
} tacNcpChange;
/* The change as the contact moves by d at q+, its own point at q (tac_ncp_own_point) by `start`, and its sides by
 * `side`. */
tacNcpChange tac_ncp_contact_change(const tacNcp *p, const tacNcpContact *c, const tacNcpFrame *frame,
                                    const tacContactTangent *d, tacVec3 start, const tacNcpSide side[2]);
