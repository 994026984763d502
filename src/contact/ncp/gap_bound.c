/* The gap that counts as closed at q+, of contacts and limits that q breaks   (docs/theory/ncp.md, W11, W47-W49): it is
 * made good at a speed; at an infeasible start it gives that up under a large impulse, and does not get worse. */
#include "contact/ncp/problem.h"

#include "math/scalar.h"

/* --- One of them -------------------------------------------------------------------------------------------------- */

tacNcpClosed tac_ncp_closed_at(const tacNcp *p, double gap, double speed, double inverse_mass) {
    double way = p->h * speed;
    tacNcpClosed c = {.gap = gap, .speed = speed, .inverse_mass = inverse_mass, .rest = tac_min(0, gap + way)};
    if (p->infeasible && gap < 0)
        c.give = (tacGiveWay){.way = tac_min(-gap, way), .per = TAC_NCP_YIELD * inverse_mass / way};
    return c;
}

double tac_ncp_closed_gap(const tacNcpClosed *c, double impulse) {
    double slope;
    return c->rest - tac_give_way(&c->give, impulse, &slope);
}

/* The share of its way that it gives; *press: d(what it gives)/d(log of give.per). */
static double share_given(const tacNcpClosed *c, double impulse, double *press) {
    double slope, gives = tac_give_way(&c->give, impulse, &slope);
    *press = slope * impulse;
    return c->give.way > 0 ? gives / c->give.way : 0;
}

double tac_ncp_closed_by_gap(const tacNcpClosed *c, double impulse) {
    double press, share = share_given(c, impulse, &press);
    return c->rest < 0 ? 1 : share;
}

double tac_ncp_closed_by_time(const tacNcp *p, const tacNcpClosed *c, double impulse) {
    double press, share = share_given(c, impulse, &press);
    return (c->rest < 0 ? c->speed * (1 - share) : 0) + press / p->h;
}

double tac_ncp_closed_by_mass(const tacNcpClosed *c, double impulse, double change) {
    double press;
    share_given(c, impulse, &press);
    return press > 0 ? -press * change / c->inverse_mass : 0;
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

static void close_again(const tacNcp *p, tacNcpClosed *c) {
    *c = tac_ncp_closed_at(p, c->gap, c->speed, c->inverse_mass);
}

/* Contacts that were left out too: what is found of their geoms later is closed as they are. */
static void give_way(tacNcp *p) {
    p->infeasible = 1;
    for (int k = 0; k < p->rows.n; k++)
        if (p->rows.row[k].law == TAC_NCP_PAIR) close_again(p, &p->rows.row[k].closed);
    for (int i = 0; i < p->ncontact + p->nleft; i++) {
        tacNcpContact *c = &p->contact[i < p->ncontact ? i : p->room - 1 - (i - p->ncontact)];
        if (c->bounce > 0) continue;
        close_again(p, &c->closed);
        c->p.give = c->closed.give;
    }
}

void tac_ncp_find_infeasible(tacNcp *p) {
    int found = 0;
    for (int k = 0; k < p->rows.n; k++)
        found |= p->rows.row[k].law == TAC_NCP_PAIR && p->rows.row[k].rest < 0;
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        found |= c->closed.rest < 0 || (c->closed.gap < -p->tolerance && tac_ncp_pushes(p->m, c->body));
    }
    if (found) give_way(p);
}

int tac_ncp_give_up(tacNcp *p) {
    double worst = 0;
    for (int k = 0; k < p->rows.n; k++)
        worst = tac_min(worst, p->rows.row[k].closed.gap);
    for (int i = 0; i < p->ncontact; i++)
        worst = tac_min(worst, p->contact[i].closed.gap);
    if (p->infeasible || !(worst < -p->tolerance)) return 0;
    give_way(p);
    return 1;
}
