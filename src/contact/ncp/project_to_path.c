/* Trial points of Newton's steps, projected to the central path   (docs/theory/ncp.md, W14a). Impulses are those of the
 * linear equations, gaps and slips those of the trial's poses. So a distant contact has no residual, however nonlinear
 * its gap is. Of the residuals before the step, gaps and slips keep the share that the linear equations leave. */
#include "contact/ncp/project_to_path.h"

#include "contact/ncp/features.h"
#include "math/scalar.h"

#include <float.h>

void tac_ncp_save_residuals(tacNcp *p) {
    tac_ncp_clear_lost(p);
    for (int i = 0; i < p->ncontact; i++)
        p->contact[i].saved_residual = p->contact[i].residual;
    for (int k = 0; k < p->rows.n; k++)
        p->rows.row[k].off = p->rows.row[k].e[0];
}

static void project_contact(const tacNcp *p, const tacNcpContact *c, double kappa, double left, double *a, double *b) {
    int friction = c->friction.mu > 0 ? c->cone + 1 : c->cone; /* both cones of a pyramid are alike */
    tacFrictionPath path = {.ratio = {p->ratio[c->cone], p->ratio[friction]},
                            .k = {kappa * p->unit[c->cone], kappa * p->unit[friction]},
                            .left = left,
                            .off = &c->saved_residual};
    tac_friction_project_contact(&c->friction, &path, c->next.gap_slip, a, b);
}

static void project_row(const tacNcp *p, const tacNcpRow *row, double kappa, double left, double *a, double *b) {
    double r = row->r + left * row->off, product = kappa * p->unit[row->cone];
    if (row->law == TAC_NCP_PAIR) {
        *b = r;
        tac_yield_project_to_path(&row->bound.yield, p->ratio[row->cone], product, a, b);
    } else {
        a[0] = 1;
        tac_friction_project_to_path(1, p->ratio[row->cone], product, &r, a, b);
    }
}

/* --- Dry friction and limits of one coordinate -------------------------------------------------------------------- */

/* A coordinate with dry friction and limits. Its rate is u + d, the gaps of its limits are g_i + h sign_i d, and all
 * impulses follow from d. Projected one by one, each would assume that the coordinate moves under its own impulse
 * alone. But a coordinate at a limit does not move when friction changes sign. */
typedef struct Coordinate {
    double mass, bound, h;
    double rate, dry;             /* u, kappa V */
    double gap[2], sign[2], pair; /* g, kappa U */
    double impulse;               /* of the linear equations */
} Coordinate;

/* y = -u/eta_0 of the rate u on the path, eta_0 = k/2 + sqrt(k^2/4 + u^2);   dy/du = -(k/2)/(eta_0 (eta_0 - k/2)) */
static double dry_at(double k, double u, double *eta_0, double *slope) {
    double root = tac_sqrt(0.5 * k * 0.5 * k + u * u);
    *eta_0 = 0.5 * k + root;
    *slope = -0.5 * k / (*eta_0 * root);
    return -u / *eta_0;
}

/* The residual at d, mass d - (impulse there - impulse), which increases with d; its slope. */
static double residual_at(const Coordinate *c, double d, double *slope) {
    double eta_0, by_rate, sum = c->bound * dry_at(c->dry, c->rate + d, &eta_0, &by_rate);
    *slope = c->mass - c->bound * by_rate;
    for (int i = 0; i < 2; i++) {
        double s = c->gap[i] + c->h * c->sign[i] * d;
        sum += c->sign[i] * c->pair / s;
        *slope += c->h * c->pair / (s * s);
    }
    return c->mass * d - (sum - c->impulse);
}

/* Finds the root between the borders where a gap closes, by Newton's method with bisection: a few steps, and no more
 * bisections than a double has bits. 0: there is no interval. */
static int solve_coordinate(const Coordinate *c, double *d) {
    double low = -TAC_INFINITY, high = TAC_INFINITY, slope;
    for (int i = 0; i < 2; i++) {
        double border = -c->gap[i] / (c->h * c->sign[i]);
        if (c->sign[i] > 0)
            low = tac_max(low, border);
        else
            high = tac_min(high, border);
    }
    if (!(low < high)) return 0;
    double at = low < 0 && high > 0 ? 0 : 0.5 * (low + high);
    for (int k = 0; k < 2 * DBL_MANT_DIG; k++) {
        double off = residual_at(c, at, &slope), next = at - off / slope;
        if (next == at) break;
        if (off > 0)
            high = at;
        else
            low = at;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (!(next > low && next < high)) break; /* they are adjacent numbers */
        at = next;
    }
    *d = at;
    return tac_finite(residual_at(c, at, &slope));
}

static Coordinate coordinate_of(const tacNcp *p, const tacNcpRow *dry, double kappa, double left, const double *a) {
    const tacNcpRow *limit = &p->rows.row[dry->mate];
    const double *J = p->rows.J;
    Coordinate c = {.mass = dry->mass, .bound = dry->coefficient, .h = p->h, .rate = dry->r + left * dry->off};
    c.dry = kappa * p->unit[dry->cone];
    c.pair = kappa * p->unit[limit->cone];
    c.impulse = dry->coefficient * a[dry->at + 1];
    for (int i = 0; i < 2; i++) {
        double along = 0;
        for (int e = 0; e < dry->of.num; e++)
            along += J[dry->of.adr + e] * J[limit[i].of.adr + e];
        c.gap[i] = limit[i].r + left * limit[i].off;
        c.sign[i] = along < 0 ? -1 : 1;
        c.impulse += c.sign[i] * a[limit[i].at];
    }
    return c;
}

/* 0: they must be projected one by one. */
static int project_coordinate(const tacNcp *p, const tacNcpRow *dry, double kappa, double left, double *a, double *b) {
    const tacNcpRow *limit = &p->rows.row[dry->mate];
    double d, slope;
    if (limit[0].soft > 0 || limit[1].soft > 0) return 0; /* bounds do not yield here */
    Coordinate c = coordinate_of(p, dry, kappa, left, a);
    if (!solve_coordinate(&c, &d)) return 0;
    a[dry->at] = 1;
    a[dry->at + 1] = dry_at(c.dry, c.rate + d, &b[dry->at], &slope);
    b[dry->at + 1] = c.rate + d;
    for (int i = 0; i < 2; i++) {
        int at = p->rows.row[dry->mate + i].at;
        b[at] = c.gap[i] + c.h * c.sign[i] * d;
        a[at] = c.pair / b[at];
    }
    return 1;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

void tac_ncp_project_to_path(const tacNcp *p, double kappa, double left, double *a, double *b) {
    for (int i = 0; i < p->ncontact; i++)
        project_contact(p, &p->contact[i], kappa, left, a + p->contact[i].adr, b + p->contact[i].adr);
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        if (row->cone < 0 || row->mate == TAC_NCP_MATED) continue;
        if (row->mate >= 0 && project_coordinate(p, row, kappa, left, a, b)) continue;
        project_row(p, row, kappa, left, a + row->at, b + row->at);
        for (int i = 0; i < 2 && row->mate >= 0; i++) {
            const tacNcpRow *limit = &p->rows.row[row->mate + i];
            project_row(p, limit, kappa, left, a + limit->at, b + limit->at);
        }
    }
}
