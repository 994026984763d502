/* Forces of constraints as outputs, and the weights that they give to the step's equations in reverse
 * (docs/theory/ncp.md, W27, W28). */
#include "contact/ncp/wrench.h"

#include "contact/ncp/contact.h"
#include "contact/ncp/rows_deriv.h"
#include "math/dense.h"
#include "math/six.h"

#include <string.h>

static void components_of(const tacNcpContact *c, double t[3]) {
    t[0] = c->friction.gamma;
    t[1] = c->friction.xi[1];
    t[2] = c->friction.xi[2];
}

/* W_b = sum of +-((p - o_b) x P, P)/h at q+, with the body's origin o_b. */
static void wrenches_on_bodies(const tacNcp *p, tacVec6 *wrench) {
    memset(wrench, 0, (size_t)p->m->nbody * sizeof *wrench);
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        double t[3];
        components_of(c, t);
        tacVec3 F = tac_scale3(1 / p->h, tac_ncp_impulse(&c->next.contact, t));
        for (int side = 0; side < 2; side++) {
            tacVec3 arm = tac_sub3(c->next.contact.pos, p->next.xpos[c->body[side]]);
            tacVec6 *sum = &wrench[c->body[side]];
            *sum = tac_madd6(*sum, side == 0 ? -1 : 1, (tacVec6){tac_cross3(arm, F), F});
        }
    }
}

void tac_ncp_forces(tacNcp *p, double *wrench, double *qfrc) {
    const tacModel *m = p->m;
    wrenches_on_bodies(p, (tacVec6 *)(void *)wrench);
    memset(qfrc, 0, (size_t)m->nv * sizeof *qfrc);
    memset(p->rhs, 0, (size_t)m->nbody * sizeof *p->rhs);
    for (int i = 0; i < p->ncontact; i++) {
        double t[3];
        components_of(&p->contact[i], t);
        tac_ncp_add_impulse(p, &p->contact[i], t, p->rhs);
    }
    for (int b = m->nbody - 1; b > 0; b--) {
        for (int i = m->body_dof_adr[b]; i < m->body_dof_adr[b] + m->body_dof_num[b]; i++)
            qfrc[i] = -tac_dot6(p->w->S[i], p->rhs[b]) / p->h;
        p->rhs[m->body_parent[b]] = tac_add6(p->rhs[m->body_parent[b]], p->rhs[b]);
    }
    tac_ncp_row_forces(p, qfrc);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

void tac_ncp_free_wrenches(const tacNcp *p, tacVec6 *wrench) {
    memcpy(wrench, p->f, (size_t)p->m->nbody * sizeof *wrench);
    for (int i = 0; i < p->ncontact; i++) {
        const tacFrictionPoint *at = &p->contact[i].friction;
        double back[3] = {-at->gamma, -at->xi[1], -at->xi[2]};
        tac_ncp_add_impulse(p, &p->contact[i], back, wrench);
    }
    wrench[0] = tac_zero6();
    for (int b = 1; b < p->m->nbody; b++) {
        tacVec3 arm = tac_sub3(p->w->xipos[b], p->w->origin[b]);
        if (p->ldu.still[b])
            wrench[b] = tac_zero6();
        else
            wrench[b].ang = tac_sub3(wrench[b].ang, tac_cross3(arm, wrench[b].lin));
    }
}

/* z += block^T x, with one half of a 6 x 12 block. */
static void add_transposed(const double block[6][12], int half, tacVec6 x, tacVec6 *z) {
    for (int r = 0; r < 6; r++)
        tac_six_axpy((&x.ang.x)[r], block[r] + 6 * half, &z->ang.x);
}

/* Adds weights of a point of a body at q+ to those of its twist about the tree's origin there. */
static void add_point_weights(const tacNcp *p, int body, tacVec3 point, tacVec3 of, tacVec6 *zbar) {
    if (p->ldu.still[body]) return;
    tacVec3 arm = tac_sub3(point, p->next.origin[body]);
    zbar[body] = tac_add6(zbar[body], (tacVec6){tac_cross3(arm, of), of});
}

/* Adds weights of the wrench on a side. Gamma is its derivative about the tree's origin at q, where the arm follows the
 * place. About the body's origin at q+ the arm follows the point at q+, and loses the motion of that origin. */
static void side_weights(const tacNcp *p, const tacNcpContact *c, const tacNcpResponse *answer, int side, tacVec6 bar,
                         tacVec6 *zbar) {
    int b = c->body[side];
    double t[3];
    components_of(c, t);
    tacVec3 P = tac_scale3(side == 0 ? -1 : 1, tac_ncp_impulse(&c->next.contact, t)), of = tac_cross3(P, bar.ang);
    tacVec3 further = tac_sub3(tac_sub3(c->next.contact.pos, p->next.xpos[b]), c->impulse.arm[side]);
    tacVec6 X = {bar.ang, tac_add3(bar.lin, tac_cross3(bar.ang, further))};
    for (int moved = 0; moved < 2; moved++) {
        int body = c->body[moved];
        if (!p->ldu.still[body]) add_transposed(answer->Gamma[side], moved, X, &zbar[body]);
        for (int i = 0; i < 3; i++)
            tac_six_axpy(tac_get3(of, i), answer->beyond[i] + 6 * moved, &zbar[body].ang.x);
    }
    add_point_weights(p, b, p->next.xpos[b], tac_neg3(of), zbar);
}

void tac_ncp_wrench_weights(const tacNcp *p, const tacNcpDeriv *d, const double *wrenchbar, tacVec6 *zbar, double *mu) {
    const tacVec6 *on_body = (const tacVec6 *)(const void *)wrenchbar;
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        const tacVec3 axis[3] = {c->next.contact.normal, c->next.contact.tangent[0], c->next.contact.tangent[1]};
        tacVec3 push = tac_zero3(); /* weight of the impulse */
        for (int side = 0; side < 2; side++) {
            tacVec6 bar = tac_scale6(1 / p->h, on_body[c->body[side]]);
            tacVec3 arm = tac_sub3(c->next.contact.pos, p->next.xpos[c->body[side]]);
            push = tac_madd3(push, side == 0 ? -1 : 1, tac_add3(bar.lin, tac_cross3(bar.ang, arm)));
            side_weights(p, c, &d->response[i], side, bar, zbar);
        }
        for (int k = 0; k < 3; k++)
            tac_dense_axpy(TAC_NCP_INPUTS, tac_dot3(push, axis[k]), d->response[i].to[k], mu + TAC_NCP_INPUTS * i);
    }
}

void tac_ncp_free_weights(const tacNcp *p, const tacNcpDeriv *d, const double *qfrcbar, tacVec6 *zbar, double *vbar) {
    const tacModel *m = p->m;
    d->path[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++) {
        double t[6];
        d->path[b] = d->path[m->body_parent[b]];
        for (int i = m->body_dof_adr[b]; i < m->body_dof_adr[b] + m->body_dof_num[b]; i++) {
            d->path[b] = tac_madd6(d->path[b], qfrcbar[i] / p->h, p->w->S[i]);
            vbar[i] += d->diag[i] * qfrcbar[i] / p->h;
        }
        if (p->ldu.still[b]) continue;
        tac_six_multv(d->rigid + TAC_BLOCK_SIZE * b, &d->path[b].ang.x, t);
        zbar[b] = tac_add6(zbar[b], (tacVec6){tac_load3(t), tac_load3(t + 3)});
    }
    tac_ncp_rows_free_weights(p, qfrcbar, vbar);
}

void tac_ncp_pose_weights(const tacNcp *p, tacVec6 *zbar, double *vbar) {
    const tacModel *m = p->m;
    for (int b = m->nbody - 1; b > 0; b--) {
        for (int j = m->body_dof_adr[b]; j < m->body_dof_adr[b] + m->body_dof_num[b]; j++)
            vbar[j] += tac_six_dot(p->ldu.right + 6 * j, &zbar[b].ang.x);
        zbar[m->body_parent[b]] = tac_add6(zbar[m->body_parent[b]], zbar[b]);
    }
}
