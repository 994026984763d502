/* What kappa means: the unit of its products, how far it acts, and how soft overlap is   (docs/theory/ncp.md, W8, W8a,
 * W11a). */
#include "contact/ncp/ncp.h"

#include "math/scalar.h"

/* --- The unit of products ----------------------------------------------------------------------------------------- */

/* Bodies that the unit of gaps is a mean over. */
static int counts(const tacNcp *p, int b) { return !p->ldu.still[b] && p->m->body_mass[b] > 0; }

static double half_trace(tacSym3 J) { return 0.5 * (J.xx + J.yy + J.zz); }

/* h m L^2/T^2: m L^2 is half the trace of the inertia, the mean over moving bodies, L being the radius of gyration. */
static double unit_of_gaps(const tacNcp *p) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (counts(p, b)) sum += half_trace(p->m->body_icom[b]), count++;
    return (sum > 0 ? sum / count : 1) * p->h / (TAC_NCP_TIME * TAC_NCP_TIME);
}

double tac_ncp_unit_change(const tacNcp *p, const tacInertialTangent *d) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (counts(p, b)) sum += half_trace(d[b].icom), count++;
    return count == 0 ? 0 : sum / count * p->h / (TAC_NCP_TIME * TAC_NCP_TIME);
}

/* --- How far kappa acts ------------------------------------------------------------------------------------------- */

double tac_ncp_mean_mass(const tacNcp *p) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (!p->ldu.still[b]) sum += p->m->body_mass[b], count++;
    return sum > 0 ? sum / count : 1;
}

static double mean_mass_change(const tacNcp *p, const tacInertialTangent *d) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (!p->ldu.still[b]) sum += d[b].mass, count++;
    return count == 0 ? 0 : sum / count;
}

void tac_ncp_scale(tacNcp *p, double kappa) {
    p->gap_unit = unit_of_gaps(p);
    double height = kappa * p->gap_unit / (p->h * tac_ncp_mean_mass(p) * TAC_NCP_GRAVITY);
    p->kappa = kappa, p->reach = kappa > TAC_NCP_HARD ? TAC_NCP_REACH * height : 0;
}

/* 1 where the gap is no more than 0, TAC_NCP_HARD/kappa from the reach on; (1 - x^4)^3 between, x of the reach. */
double tac_ncp_near(const tacNcp *p, double gap) {
    if (p->reach == 0 || gap <= 0) return 1;
    double least = TAC_NCP_HARD / p->kappa, x = tac_min(1, gap / p->reach), w = 1 - x * x * x * x;
    return least + (1 - least) * w * w * w;
}

double tac_ncp_least_near(const tacNcp *p) {
    double least = 1;
    for (int i = 0; i < p->ncontact; i++)
        least = tac_min(least, p->contact[i].near);
    return least;
}

void tac_ncp_fade(tacNcp *p, double least) {
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        int dim[TAC_FRICTION_CONES];
        for (int k = 0, n = tac_friction_cones(&c->p, dim); k < n; k++)
            p->unit[c->cone + k] = tac_max(c->near, least) * (k == 0 ? p->gap_unit : p->gap_unit / TAC_NCP_TIME);
    }
}

double tac_ncp_near_by_gap(const tacNcp *p, double gap) {
    if (p->reach == 0 || gap <= 0) return 0;
    double least = TAC_NCP_HARD / p->kappa, x = tac_min(1, gap / p->reach), w = 1 - x * x * x * x;
    return -12 * (1 - least) * x * x * x * w * w / p->reach;
}

/* At a fixed gap, as the reach grows with L^2 = (unit)/(mass). */
double tac_ncp_near_change(const tacNcp *p, double gap, const tacInertialTangent *d) {
    double by_gap = tac_ncp_near_by_gap(p, gap);
    if (by_gap == 0) return 0;
    return -by_gap * gap * (tac_ncp_unit_change(p, d) / p->gap_unit - mean_mass_change(p, d) / tac_ncp_mean_mass(p));
}

/* --- Overlap that gives way --------------------------------------------------------------------------------------- */

/* How far a unit of impulse presses in what counts as closed d deep: Y (1/m_0 + 1/m_1) d^2/(d^2 + D^2), m the masses of
 * the two trees   (W11a). */
static double share_of_depth(double d) { return d * d / (d * d + TAC_NCP_YIELD_DEPTH * TAC_NCP_YIELD_DEPTH); }

static double share_by_depth(double d) {
    double square = TAC_NCP_YIELD_DEPTH * TAC_NCP_YIELD_DEPTH, sum = d * d + square;
    return 2 * d * square / (sum * sum);
}

double tac_ncp_softness(const tacNcp *p, const tacNcpContact *c) {
    return TAC_NCP_YIELD * tac_ncp_inverse_masses(p->m, c->body) * share_of_depth(tac_min(0, c->rest));
}

double tac_ncp_softness_by_rest(const tacNcp *p, const tacNcpContact *c) {
    return TAC_NCP_YIELD * tac_ncp_inverse_masses(p->m, c->body) * share_by_depth(tac_min(0, c->rest));
}

double tac_ncp_softness_change(const tacNcp *p, const tacNcpContact *c, const tacInertialTangent *d) {
    return TAC_NCP_YIELD * tac_ncp_inverse_masses_change(p->m, c->body, d) * share_of_depth(tac_min(0, c->rest));
}
