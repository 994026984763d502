/* Compliance of rows (docs/theory/contact.md, L11). It makes the forces of redundant rows unique.
 *
 *   eps = TAC_LCP_COMPLIANCE (1/m_0 + 1/m_1) share,      share = TAC_LCP_LOAD m / M, within [TAC_LCP_FIRMEST, 1]
 *
 * m_0 and m_1 are the masses of the row's trees, m = 1 / (1/m_0 + 1/m_1), and M is the mass of the heaviest moving tree
 * of the model. A contact gives way by eps f, and f may be the weight of any tree that lies on it. M is taken over the
 * model, not over the present contacts: eps depends on parameters alone, never on the state. */
#include "contact/lcp/problem.h"

#include "math/scalar.h"

/* 1: the body moves and its parent does not. */
static int is_first_to_move(const tacModel *m, int body) {
    return body > 0 && m->body_last_dof[body] >= 0 && m->body_last_dof[m->body_parent[body]] < 0;
}

int tac_lcp_heaviest(const tacModel *m) {
    int best = 0;
    for (int b = 1; b < m->nbody; b++)
        if (is_first_to_move(m, b) && (best == 0 || m->body_subtree_mass[b] > m->body_subtree_mass[best])) best = b;
    return best;
}

/* 1/m of a body's tree. 0: the tree does not move. */
static double inverse_mass(const tacModel *m, int body) {
    return m->body_last_dof[body] < 0 ? 0 : 1 / m->body_subtree_mass[m->body_root[body]];
}

/* A rotational row divides by the square of an arm. */
static double whole_compliance(const tacModel *m, const tacRow *row) {
    int turns = (row->kind == TAC_ROW_JOINT_LIMIT && m->joint_type[row->id] != TAC_JOINT_SLIDE) ||
                (row->kind == TAC_ROW_JOINT_FRICTION && m->joint_type[m->dof_joint[row->id]] != TAC_JOINT_SLIDE) ||
                (row->kind == TAC_ROW_EQUALITY && (row->axis >= 3 || m->equality_type[row->id] == TAC_EQ_JOINT));
    return turns ? TAC_LCP_COMPLIANCE / (TAC_LCP_ARM * TAC_LCP_ARM) : TAC_LCP_COMPLIANCE;
}

/* (1/m_0 + 1/m_1) share. Between its bounds, share is proportional to m and the product is TAC_LCP_LOAD / M. */
double tac_lcp_compliance(const tacModel *m, const tacRows *rows, int k, int heaviest) {
    int body[2];
    tac_row_bodies(m, rows, k, body);
    double inverse = inverse_mass(m, body[0]) + inverse_mass(m, body[1]), most = m->body_subtree_mass[heaviest];
    double product = tac_clamp(TAC_LCP_LOAD / most, TAC_LCP_FIRMEST * inverse, inverse);
    return whole_compliance(m, &rows->row[k]) * product;
}

/* --- Derivative --------------------------------------------------------------------------------------------------- */

/* Change of the mass of a body and its descendants. */
static double mass_rate(const tacModel *m, const tacParamTangent *t, int root) {
    double change = 0;
    for (int b = root; b < m->nbody; b++) {
        int a = b;
        while (a > root)
            a = m->body_parent[a];
        if (a == root) change += t->inertial[b].mass;
    }
    return change;
}

/* d(1/m) = -dm / m^2 */
static double inverse_mass_rate(const tacModel *m, const tacParamTangent *t, int root) {
    double total = m->body_subtree_mass[root];
    return -mass_rate(m, t, root) / (total * total);
}

double tac_lcp_compliance_param(const tacModel *m, const tacRows *rows, int k, int heaviest, const tacParamTangent *t) {
    int body[2];
    if (t->inertial == NULL) return 0;
    tac_row_bodies(m, rows, k, body);
    double inverse = 0, rate = 0, middle = TAC_LCP_LOAD / m->body_subtree_mass[heaviest];
    for (int side = 0; side < 2; side++) {
        inverse += inverse_mass(m, body[side]);
        if (m->body_last_dof[body[side]] >= 0) rate += inverse_mass_rate(m, t, m->body_root[body[side]]);
    }
    if (middle < TAC_LCP_FIRMEST * inverse)
        rate *= TAC_LCP_FIRMEST;
    else if (middle < inverse)
        rate = TAC_LCP_LOAD * inverse_mass_rate(m, t, heaviest);
    return whole_compliance(m, &rows->row[k]) * rate;
}
