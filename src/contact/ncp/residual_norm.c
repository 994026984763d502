/* Norm of the residual of a step's equations, all in one unit (docs/theory/ncp.md, W14c): the square root of an energy.
 * An impulse counts with the root of an inverse mass, a velocity with that of a mass, a gap as the velocity that closes
 * it in one step. */
#include "contact/ncp/residual_norm.h"

#include "math/scalar.h"

/* Of the balance of dofs (p->sum: residual impulses of subtrees). */
static double energy_of_balance(const tacNcp *p) {
    const tacModel *m = p->m;
    double sum = 0;
    for (int b = 1; b < m->nbody; b++)
        for (int i = m->body_dof_adr[b], k = 0; k < m->body_dof_num[b]; i++, k++) {
            double e = p->g[i] + tac_dot6(p->w->S[i], p->sum[b]);
            sum += e * e * m->dof_invweight[i];
        }
    return sum;
}

static double energy_of_contact(const tacNcp *p, const tacNcpContact *c) {
    const tacFrictionRhs *e = &c->residual;
    double inverse_mass = p->ratio[c->cone] / p->h, speed = e->e_s / p->h;
    double speeds = speed * speed + e->e_eta[0] * e->e_eta[0] + e->e_eta[1] * e->e_eta[1];
    double impulses = e->e_xi * e->e_xi;
    for (int k = 0; k < 2; k++) {
        impulses += e->e_side[k][0] * e->e_side[k][0];
        speeds += e->e_side[k][1] * e->e_side[k][1];
    }
    return speeds / inverse_mass + impulses * inverse_mass;
}

static double energy_of_row(const tacNcp *p, const tacNcpRow *row) {
    double square = row->e[0] * row->e[0];
    switch (row->law) {
    case TAC_NCP_PAIR: /* a gap; ratio is h times the inverse mass */
        return square / (p->h * p->ratio[row->cone]);
    case TAC_NCP_DRY: /* a rate; ratio is the bound h loss times the inverse mass */
        return square * row->coefficient / p->ratio[row->cone];
    case TAC_NCP_HELD: /* a gap; coefficient is h times a share of the inverse mass, 0 between fixed bodies */
        return row->coefficient > 0 ? square * TAC_NCP_COMPLIANCE / (p->h * row->coefficient) : 0;
    default:
        return 0;
    }
}

double tac_ncp_residual_norm(const tacNcp *p) {
    double sum = energy_of_balance(p);
    for (int i = 0; i < p->ncontact; i++)
        sum += energy_of_contact(p, &p->contact[i]);
    for (int k = 0; k < p->rows.n; k++)
        sum += energy_of_row(p, &p->rows.row[k]);
    return tac_sqrt(sum);
}
