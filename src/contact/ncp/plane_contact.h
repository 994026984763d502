/* Contacts of a point or an ellipsoid with a fixed plane, in closed form. */
#pragma once

#include "contact/ncp/problem.h"

/* Sets c->plane: whether the contact is one, and its constants. */
void tac_ncp_plane_begin(const tacNcp *p, tacNcpContact *c);
/* Sets c->next.contact at q+. */
void tac_ncp_plane_place(const tacNcp *p, tacNcpContact *c);
/* How the impulse's place moves as body 1 turns at q+: the matrix of the turn. */
tacMat3 tac_ncp_plane_place_by_turn(const tacNcp *p, const tacNcpContact *c);
/* Sets c->next.G. */
void tac_ncp_plane_rows(const tacNcp *p, tacNcpContact *c, const tacMat3 *by_turn);
/* Sets d(next.contact.pos - impulse.place)/d(pose of body 1 at q+). Needs: c->next.G. */
void tac_ncp_plane_beyond(const tacNcp *p, const tacNcpContact *c, const tacMat3 *by_turn, double beyond[3][12]);
/* Rows of torque of the geometric stiffness on one side, by the pose of body 1. All other rows are zero. */
void tac_ncp_plane_geometric_stiffness(const tacNcpContact *c, const tacMat3 *by_turn, int side, double torque[3][6]);
