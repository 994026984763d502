/* Contacts: their cones, gaps and slips at the next pose, impulses and residuals (docs/theory/ncp.md, W5-W11). */
#pragma once

#include "contact/ncp/problem.h"

/* --- Constraints of a step ---------------------------------------------------------------------------------------- */

/* Sets up all rows and the contacts p->found[nfound] that the scene has at q. Needs: tac_ncp_begin_bodies. */
tacStatus tac_ncp_add_constraints(tacNcp *p, int nfound);
/* Appends one cone. */
void tac_ncp_add_cone(tacNcp *p, int dim, double unit, double ratio);
/* Appends one contact; `start` is a touch of its two geoms at q. Does nothing where no motion could separate the geoms,
 * or where there is no room. */
void tac_ncp_add_contact(tacNcp *p, const tacContact *found, const tacContact *start, const tacNcpGapBound *bound);
/* Completes a contact whose features were found at q+: their touch at q if there is one, else the shares by which the
 * place of the impulse follows the bodies. */
/* Appends a pair's contact. NULL: no motion could separate the geoms, or there is no room. */
tacNcpContact *tac_ncp_add_pair_contact(tacNcp *p, const tacContact *found, tacNcpPair *pair,
                                        const tacNcpGapBound *bound);
void tac_ncp_find_place(tacNcp *p, tacNcpContact *c);
/* Ends restitution of contacts that overlap at q+ all the same, as their bodies turn. Returns how many. */
int tac_ncp_stop_bounces(tacNcp *p, double tolerance);
/* d(unit of gaps)   (W8) */
double tac_ncp_gap_unit_change(const tacNcp *p, const tacInertialTangent *d);
/* 1: one of both bodies is a mocap body. */
int tac_ncp_pushes(const tacModel *m, const int body[2]);
/* m/s: the speed at which the overlap of two geoms of these bodies recovers. */
double tac_ncp_parting_speed(const tacModel *m, const int body[2]);

/* --- Geometry at the next pose ------------------------------------------------------------------------------------ */

/* Sets gap and slip from the contact at q+. */
void tac_ncp_set_gap_slip(tacNcp *p, tacNcpContact *c);
/* Places all contacts of features at the poses of tac_ncp_place_bodies. TAC_ERR_DEGENERATE: the features of one do not
 * touch there; it is marked lost. */
tacStatus tac_ncp_place_contacts(tacNcp *p);
/* Places one geom of the scene at the poses of w. */
void tac_ncp_place_geom(tacNcp *p, const tacWork *w, int geom);
/* Finds the contact's features at the poses of the scene. */
tacStatus tac_ncp_rebuild(const tacScene *s, const tacNcpContact *c, tacContact *now);
/* Scales unit tangents, or their changes, by law.tangent_scale. */
void tac_ncp_scale_tangents(const tacNcpContact *c, tacVec3 tangent[2]);
/* Velocity of the material point of body 1 relative to that of body 0, between q and q+. */
tacVec3 tac_ncp_slip(const tacNcp *p, const tacNcpContact *c);
/* The same at the same place between q (-) h v and q, of a contact with restitution. */
tacVec3 tac_ncp_slip_before(const tacNcp *p, const tacNcpContact *c);

/* --- Impulses ----------------------------------------------------------------------------------------------------- */

/* Evaluates all contacts at an iterate: impulses are added to f, residuals are set. Returns the largest residual. */
double tac_ncp_evaluate_contacts(tacNcp *p, const double *a, const double *b);
/* f -= wrench on both bodies of an impulse with components t, normal first. */
void tac_ncp_add_impulse(const tacNcp *p, const tacNcpContact *c, const double t[3], tacVec6 *f);
/* Impulse of body 0 on body 1 with components (normal, tangents). */
tacVec3 tac_ncp_impulse(const tacContact *c, const double t[3]);
