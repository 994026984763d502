/* Where the impulse of a contact acts, and how that place moves (docs/theory/ncp.md, W5a-W5d). */
#pragma once

#include "contact/ncp/problem.h"
#include "dynamics/contact_move.h"

/* Sets the rule, the side that moves and the shares. Needs: now.touches, law.bounce. */
void tac_ncp_choose_place(const tacNcp *p, tacNcpContact *c);
/* Sets c->impulse at the poses of tac_ncp_place_bodies. Needs: c->next.contact. */
void tac_ncp_place_impulse(const tacNcp *p, tacNcpContact *c);

/* The point of a touch that the place follows: that of the body beside what stays, else midway between both. */
tacVec3 tac_ncp_own_point(const tacNcpContact *c, const tacContact *touch);
/* Its change, as the touch changes by d. */
tacVec3 tac_ncp_own_point_move(const tacNcpContact *c, const tacContact *touch, const tacContactTangent *d);
/* Change of the place: `now` of the own point at q; `next` of that at q+, less the shares of the displacements;
 * `centre` of the centre of mass at q beside what stays. */
tacVec3 tac_ncp_place_move(const tacNcpContact *c, tacVec3 now, tacVec3 next, tacVec3 centre);
