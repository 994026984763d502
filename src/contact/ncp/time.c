/* Derivatives of the step's equations at fixed q+ by the time step h   (docs/theory/ncp.md, W38-W40). Momenta are
 * displacements over h, gravity and joint forces act for h, the pose before is at q (-) h v, and v+ = (q+ (-) q)/h. How
 * joint forces themselves depend on h is not here (dynamics/param_deriv.h). */
#include "contact/ncp/deriv.h"

#include "contact/ncp/bodies.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/rows_deriv.h"
#include "math/six.h"

/* The column. */
typedef struct Column {
    const tacNcp *p;
    const tacNcpDeriv *d;
    int id;
    const tacNcpSink *sink;
} Column;

/* --- Bodies and dofs ---------------------------------------------------------------------------------------------- */

/* f = (momenta gained, displacements over h) - h m g:  df = -(momenta gained)/h - m g at fixed poses. */
static void change_momenta(const Column *c, int b) {
    const tacNcp *p = c->p;
    const tacWork *w[TAC_NCP_POSES] = {&c->d->before, p->w, &p->next};
    double mass = p->m->body_mass[b], h = p->h;
    tacVec3 gravity = tac_neg3(tac_base_acceleration(p->m).lin), arm = tac_sub3(w[1]->xipos[b], w[1]->origin[b]);
    tacVec3 second_difference = tac_add3(tac_madd3(w[2]->xipos[b], -2, w[1]->xipos[b]), w[0]->xipos[b]);
    tacVec3 lin = tac_madd3(tac_scale3(-mass / (h * h), second_difference), -mass, gravity);
    tacVec3 ang = tac_scale3(-1 / h, tac_ncp_angular_momentum_gained(w, b, p->m->body_icom[b], h));
    tacVec6 f = {tac_add3(ang, tac_cross3(arm, lin)), lin};
    for (int i = p->m->body_last_dof[b]; i >= 0; i = p->m->dof_parent[i])
        tac_emit(&c->sink->balance, i, c->id, tac_dot6(p->w->S[i], f));
}

/* The pose before depends on h as on v, times v/h. */
static void move_before(const Column *c) {
    const tacNcp *p = c->p;
    const tacNcpDeriv *d = c->d;
    for (int i = 0; i < p->m->nv; i++) {
        tacVec6 behind = tac_ncp_block_times(d, TAC_NCP_BEFORE, p->m->dof_body[i], d->by_v[i]);
        for (int j = i; j >= 0; j = p->m->dof_parent[j]) {
            tac_emit(&c->sink->balance, i, c->id, tac_dot6(d->row[TAC_NCP_BEFORE][i], d->by_v[j]) * p->v[j] / p->h);
            if (j != i) tac_emit(&c->sink->balance, j, c->id, tac_dot6(p->w->S[j], behind) * p->v[i] / p->h);
        }
    }
}

/* g = (armature + span damping) (v+ - v) - h tau,  dv+ = -v+/h; span: h or 0. */
static void change_dofs(const Column *c) {
    const tacNcp *p = c->p;
    for (int i = 0; i < p->m->nv; i++) {
        double damping = p->damping_span / p->h * p->m->dof_damping[i] * (p->x[i] - p->v[i]);
        double own = tac_ncp_own_inertia(p, i) * p->x[i] / p->h;
        tac_emit(&c->sink->balance, i, c->id, damping - own - p->tau[i] / p->h);
    }
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

/* d(gap less rest): a negative gap at q recovers for h; with restitution it depends on the pose before. */
static double gap_change(const Column *c, int contact) {
    const tacNcp *p = c->p;
    const tacNcpContact *at = &p->contact[contact];
    double sum = 0;
    if (!(at->law.bounce > 0)) return -tac_ncp_gap_bound_by_time(p, &at->law.bound, at->friction.gamma);
    for (int side = 0; side < 2; side++) {
        const double *before = c->d->response[contact].before + 6 * side;
        for (int j = p->m->body_last_dof[at->body[side]]; j >= 0; j = p->m->dof_parent[j])
            sum += tac_six_dot(before, &c->d->by_v[j].ang.x) * p->v[j] / p->h;
    }
    return sum;
}

/* Forces on bodies are impulses over h. */
static void change_wrenches(const Column *c, const tacNcpContact *at) {
    const tacNcp *p = c->p;
    double t[3] = {at->friction.gamma, at->friction.xi[1], at->friction.xi[2]};
    tacVec3 P = tac_ncp_impulse(&at->next.contact, t);
    for (int side = 0; side < 2; side++) {
        tacVec3 arm = tac_sub3(at->next.contact.pos, p->next.xpos[at->body[side]]);
        tacVec6 W = {tac_cross3(arm, P), P};
        tac_emit_wrench(&c->sink->wrench, at->body[side], c->id, tac_scale6((side == 0 ? 1 : -1) / (p->h * p->h), W));
    }
}

/* Slips are displacements over h, and the unit of products is proportional to h. */
static void change_contact(const Column *c, int contact) {
    const tacNcp *p = c->p;
    const tacNcpContact *at = &p->contact[contact];
    const int row = TAC_NCP_INPUTS * contact;
    tac_emit(&c->sink->inputs, row + TAC_NCP_GAP, c->id, gap_change(c, contact));
    for (int k = 1; k < 3 && at->friction.mu > 0; k++)
        tac_emit(&c->sink->inputs, row + k, c->id, -at->next.gap_slip[k] / p->h);
    tac_emit(&c->sink->inputs, row + TAC_NCP_UNIT, c->id, p->gap_unit / p->h);
    if (!tac_sink_is_empty(&c->sink->wrench)) change_wrenches(c, at);
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* R_i has coefficient J_i J . (v+ - v). Of damping the coefficient is proportional to h. */
static void change_smooth(const Column *c, const tacNcpRow *row) {
    const tacNcp *p = c->p;
    double rate = row->law == TAC_NCP_INERTIA ? 0 : row->coefficient / p->h;
    double along = rate * row->r - row->coefficient * tac_ncp_row_dot(&p->rows, row, p->rows.J, p->x) / p->h;
    for (int e = row->of.adr; e < row->of.adr + row->of.num; e++)
        tac_emit(&c->sink->balance, p->rows.dof[e], c->id, p->rows.J[e] * along);
}

/* d(value): a rate follows v+, and an open equality at q closes for h. */
static double value_change(const tacNcp *p, const tacNcpRow *row) {
    if (row->law == TAC_NCP_DRY) return -row->r / p->h;
    if (row->law == TAC_NCP_PAIR) return -tac_ncp_gap_bound_by_time(p, &row->bound, row->p);
    if (row->rest == 0) return 0;
    return row->of.pos > 0 ? TAC_NCP_CLOSING : -TAC_NCP_CLOSING;
}

/* The number of its law is proportional to h: U, h loss, h eps. */
static void change_row(const Column *c, int k) {
    const tacNcp *p = c->p;
    const tacNcpRow *row = &p->rows.row[k];
    tac_emit(&c->sink->inputs, tac_ncp_value_input(p, k), c->id, value_change(p, row));
    tac_emit(&c->sink->inputs, tac_ncp_number_input(p, k), c->id,
             (row->law == TAC_NCP_PAIR ? p->gap_unit : row->coefficient) / p->h);
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

void tac_ncp_time_jac(const tacNcpView *v, int column, const tacNcpSink *sink) {
    const tacNcp *p = v->p;
    Column c = {p, v->d, column, sink};
    for (int b = 1; b < p->m->nbody; b++)
        if (!p->ldu.still[b]) change_momenta(&c, b);
    move_before(&c);
    change_dofs(&c);
    for (int i = 0; i < p->ncontact && !v->free; i++)
        change_contact(&c, i);
    for (int k = 0; k < p->rows.n; k++) {
        if (tac_ncp_row_is_smooth(&p->rows.row[k]))
            change_smooth(&c, &p->rows.row[k]);
        else if (!v->free)
            change_row(&c, k);
    }
}

double tac_ncp_hold_time(const tacNcp *p, int dof) { return -p->x[dof] / p->h; }
