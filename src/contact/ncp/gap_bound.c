/* The bound of a gap at q+   (docs/theory/ncp.md, W11, W47-W49). A negative gap at q recovers at a given speed. At an
 * infeasible start that is given up under a large impulse, but the gap does not become worse. */
#include "contact/ncp/gap_bound.h"

#include "contact/ncp/contact.h"
#include "math/scalar.h"

/* --- One bound ---------------------------------------------------------------------------------------------------- */

tacNcpGapBound tac_ncp_gap_bound_at(const tacNcp *p, double gap, double speed, double inverse_mass) {
    double way = p->h * speed;
    tacNcpGapBound c = {.gap = gap, .speed = speed, .inverse_mass = inverse_mass, .rest = tac_min(0, gap + way)};
    if (p->infeasible && gap < 0)
        c.yield = (tacYield){.way = tac_min(-gap, way), .per = TAC_NCP_YIELD * inverse_mass / way};
    return c;
}

double tac_ncp_gap_bound(const tacNcpGapBound *c, double impulse) {
    double slope;
    return c->rest - tac_yield(&c->yield, impulse, &slope);
}

/* The share of `way` that it yields; *press: d(what it yields)/d(log of yield.per). */
static double share_given(const tacNcpGapBound *c, double impulse, double *press) {
    double slope, gives = tac_yield(&c->yield, impulse, &slope);
    *press = slope * impulse;
    return c->yield.way > 0 ? gives / c->yield.way : 0;
}

double tac_ncp_gap_bound_by_gap(const tacNcpGapBound *c, double impulse) {
    double press, share = share_given(c, impulse, &press);
    return c->rest < 0 ? 1 : share;
}

double tac_ncp_gap_bound_by_time(const tacNcp *p, const tacNcpGapBound *c, double impulse) {
    double press, share = share_given(c, impulse, &press);
    return (c->rest < 0 ? c->speed * (1 - share) : 0) + press / p->h;
}

double tac_ncp_gap_bound_by_mass(const tacNcpGapBound *c, double impulse, double change) {
    double press;
    share_given(c, impulse, &press);
    return press > 0 ? -press * change / c->inverse_mass : 0;
}

/* --- All bounds --------------------------------------------------------------------------------------------------- */

static void set_again(const tacNcp *p, tacNcpGapBound *c) {
    *c = tac_ncp_gap_bound_at(p, c->gap, c->speed, c->inverse_mass);
}

/* Lets all bounds yield, those of removed contacts too: contacts of their geoms that are found later take their
 * bounds. */
static void yield_all(tacNcp *p) {
    p->infeasible = 1;
    for (int k = 0; k < p->rows.n; k++)
        if (p->rows.row[k].law == TAC_NCP_PAIR) set_again(p, &p->rows.row[k].bound);
    for (int i = 0; i < p->ncontact + p->nremoved; i++) {
        tacNcpContact *c = &p->contact[i < p->ncontact ? i : p->room - 1 - (i - p->ncontact)];
        if (c->law.bounce > 0) continue;
        set_again(p, &c->law.bound);
        c->friction.yield = c->law.bound.yield;
    }
}

void tac_ncp_detect_infeasible(tacNcp *p) {
    int found = 0;
    for (int k = 0; k < p->rows.n; k++)
        found |= p->rows.row[k].law == TAC_NCP_PAIR && p->rows.row[k].rest < 0;
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        found |= c->law.bound.rest < 0 || (c->law.bound.gap < -p->tolerance && tac_ncp_pushes(p->m, c->body));
    }
    if (found) yield_all(p);
}

int tac_ncp_relax_bounds(tacNcp *p) {
    double worst = 0;
    for (int k = 0; k < p->rows.n; k++)
        worst = tac_min(worst, p->rows.row[k].bound.gap);
    for (int i = 0; i < p->ncontact; i++)
        worst = tac_min(worst, p->contact[i].law.bound.gap);
    if (p->infeasible || !(worst < -p->tolerance)) return 0;
    yield_all(p);
    return 1;
}
