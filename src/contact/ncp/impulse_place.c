/* Where the impulse of a contact acts: one place for both bodies, so that the impulses on them have no total moment.
 * Impulses change momenta at q. So the place is where the features touch at q; from there energy and momentum of a body
 * that rolls are those of its motion. Where the touch runs through a large angle within the step, the impulse has to
 * act on the side where it ends. Beside what stays, with arms a_0 at q and a_1 at q+ from the centre of mass,
 *
 *   place = P_0 + w (P_1 - P_0),   w = |a_1 - a_0|^2/(2 (|a_0|^2 + |a_1|^2))                                     (W5c)
 *
 * w is sin^2 of half the angle between arms of one length. */
#include "contact/ncp/impulse_place.h"

/* Share of each body in the displacement of the place, where both move. */
#define EQUAL_SHARE 0.5

void tac_ncp_choose_place(const tacNcp *p, tacNcpContact *c) {
    int stays[2] = {p->ldu.still[c->body[0]], p->ldu.still[c->body[1]]};
    int both = !stays[0] && !stays[1];
    c->impulse.side = both ? -1 : stays[0];
    for (int side = 0; side < 2; side++)
        c->impulse.share[side] = both ? EQUAL_SHARE : stays[side] ? 0 : 1;
    if (!c->now.touches)
        c->impulse.rule = TAC_NCP_PLACE_NEXT;
    else
        c->impulse.rule = both || c->law.bounce > 0 ? TAC_NCP_PLACE_NOW : TAC_NCP_PLACE_BETWEEN;
}

tacVec3 tac_ncp_own_point(const tacNcpContact *c, const tacContact *touch) {
    return c->impulse.side < 0 ? touch->pos : touch->point[c->impulse.side];
}

/* The points of a touch are at pos -+ dist normal/2. */
tacVec3 tac_ncp_own_point_move(const tacNcpContact *c, const tacContact *touch, const tacContactTangent *d) {
    if (c->impulse.side < 0) return d->pos;
    double half = c->impulse.side == 0 ? -0.5 : 0.5;
    return tac_madd3(tac_madd3(d->pos, half * touch->dist, d->normal), half * d->dist, touch->normal);
}

/* --- The place ---------------------------------------------------------------------------------------------------- */

/* Sets the weight w of P_1 = P_0 + way and its gradients, from the arms a_0, a_1:  with S = |a_0|^2 + |a_1|^2,
 *   dw = ((way - 2 w a_1) . da_1 - (way + 2 w a_0) . da_0)/S   (W5d) */
static void set_weight(tacNcpContact *c, tacVec3 a0, tacVec3 way) {
    tacVec3 a1 = tac_add3(a0, way);
    double square = tac_dot3(a0, a0) + tac_dot3(a1, a1);
    double over = square > 0 ? 1 / square : 0, w = 0.5 * over * tac_dot3(way, way);
    c->impulse.weight = w;
    c->impulse.by_next = tac_scale3(over, tac_madd3(way, -2 * w, a1));
    c->impulse.by_now = tac_scale3(-over, tac_madd3(way, 2 * w, a0));
}

void tac_ncp_place_impulse(const tacNcp *p, tacNcpContact *c) {
    tacVec3 now = tac_ncp_own_point(c, &c->now.contact), next = tac_ncp_own_point(c, &c->next.contact);
    for (int side = 0; side < 2; side++)
        if (!p->ldu.still[c->body[side]])
            next = tac_madd3(next, -p->h * c->impulse.share[side], p->slide[c->body[side]]);
    c->impulse.way = tac_sub3(next, now);
    c->impulse.weight = c->impulse.rule == TAC_NCP_PLACE_NEXT;
    c->impulse.by_now = c->impulse.by_next = tac_zero3();
    if (c->impulse.rule == TAC_NCP_PLACE_BETWEEN)
        set_weight(c, tac_sub3(now, p->w->xipos[c->body[c->impulse.side]]), c->impulse.way);
    c->impulse.place = c->impulse.rule == TAC_NCP_PLACE_NEXT ? next : tac_madd3(now, c->impulse.weight, c->impulse.way);
    for (int side = 0; side < 2; side++)
        c->impulse.arm[side] = tac_sub3(c->impulse.place, p->w->origin[c->body[side]]);
}

/* dP = (1 - w) dP_0 + w dP_1 + (P_1 - P_0) dw */
tacVec3 tac_ncp_place_move(const tacNcpContact *c, tacVec3 now, tacVec3 next, tacVec3 centre) {
    double w = c->impulse.weight;
    double dw =
        tac_dot3(c->impulse.by_now, tac_sub3(now, centre)) + tac_dot3(c->impulse.by_next, tac_sub3(next, centre));
    return tac_madd3(tac_madd3(tac_scale3(1 - w, now), w, next), dw, c->impulse.way);
}
