/* Changes of rows: J z at fixed z, and J^T f at fixed f (docs/theory/contact.md). */
#include "contact/rows.h"

void tac_rows_body_velocity(const tacModel *m, const tacWork *w, const double *z, tacVec6 *V) {
    V[0] = (tacVec6){{0, 0, 0}, {0, 0, 0}};
    for (int b = 1; b < m->nbody; b++) {
        V[b] = V[m->body_parent[b]];
        for (int i = m->body_dof_adr[b]; i < m->body_dof_adr[b] + m->body_dof_num[b]; i++)
            V[b] = tac_add6(V[b], tac_scale6(z[i], w->S[i]));
    }
}

/* The part of a velocity that the mover does not carry: the velocity of the body before the mover's first dof. */
static tacVec6 velocity_before(const tacModel *m, const tacWork *w, const tacMover *x, const tacVec6 *V,
                               const double *z) {
    tacVec6 before = V[m->body_parent[x->body]];
    for (int i = m->body_dof_adr[x->body]; i < x->first && i < m->body_dof_adr[x->body] + m->body_dof_num[x->body]; i++)
        before = tac_add6(before, tac_scale6(z[i], w->S[i]));
    return before;
}

/* A mover turns the axes behind it: dS_i = X x S_i, so dV_b = X x (V_b - V_before)                  (contact.md, R2) */
tacVec6 tac_body_velocity_move(const tacModel *m, const tacWork *w, const tacVec6 *V, const double *z,
                               const tacDisplacement *d, int body) {
    tacVec6 sum = tac_zero6();
    for (int k = 0; k < d->nmover; k++) {
        const tacMover *x = &d->mover[k];
        if (!tac_moves_body(m, x, body)) continue;
        sum = tac_add6(sum, tac_crossm6(x->S, tac_sub6(V[body], velocity_before(m, w, x, V, z))));
    }
    return sum;
}

/* u = V_1(p) - V_0(p):  d(d_k . u) = dd_k . u + d_k . (dV_1(p) + w_1 x dp - dV_0(p) - w_0 x dp) */
void tac_contact_velocity_move(const tacModel *m, const tacWork *w, const tacContact *c, const tacVec6 *V,
                               const double *z, const tacDisplacement *d, const tacContactTangent *t, double out[3]) {
    tacVec3 u = tac_zero3(), du = tac_zero3();
    for (int side = 0; side < 2; side++) {
        int body = m->geom_body[c->geom[side]];
        double sign = side == 0 ? -1 : 1;
        tacVec6 dV = tac_body_velocity_move(m, w, V, z, d, body);
        u = tac_madd3(u, sign, tac_velocity_at(w, body, V[body], c->pos));
        du = tac_madd3(du, sign, tac_add3(tac_cross3(V[body].ang, t->pos), tac_velocity_at(w, body, dV, c->pos)));
    }
    out[0] = tac_dot3(t->normal, u) + tac_dot3(c->normal, du);
    for (int k = 0; k < 2; k++)
        out[k + 1] = tac_dot3(t->tangent[k], u) + tac_dot3(c->tangent[k], du);
}

/* Displacement of a body's origin. */
static tacVec3 origin_move(const tacModel *m, const tacWork *w, const tacDisplacement *d, int body) {
    tacVec3 sum = tac_zero3();
    for (int k = 0; k < d->nmover; k++) {
        const tacMover *x = &d->mover[k];
        if (!tac_moves_body(m, x, body)) continue;
        sum = tac_add3(sum, tac_velocity_at(w, x->body, x->S, w->xpos[body]));
    }
    return sum;
}

/* W = ((p - o) x F + T, F):  dW = ((dp - do) x F + (p - o) x dF + dT, dF)                                       (R5) */
void tac_contact_wrench_move(const tacModel *m, const tacWork *w, const tacContact *c, const double f[6],
                             const tacDisplacement *d, const tacContactTangent *t, double scale, int column,
                             const tacSink *sink) {
    tacVec3 F = tac_contact_combine(f, c->normal, c->tangent), dF = tac_contact_combine(f, t->normal, t->tangent);
    tacVec3 dT = tac_contact_combine(f + 3, t->normal, t->tangent);
    for (int side = 0; side < 2; side++) {
        int body = m->geom_body[c->geom[side]];
        tacVec3 arm = tac_sub3(c->pos, w->xpos[body]), darm = tac_sub3(t->pos, origin_move(m, w, d, body));
        tacVec6 dW = {tac_add3(dT, tac_add3(tac_cross3(darm, F), tac_cross3(arm, dF))), dF};
        tac_emit_wrench(sink, body, column, tac_scale6(side == 0 ? -scale : scale, dW));
    }
}

/* d(number)/d(parameter): 1 for the number itself. */
static int is_number(const tacModel *m, const tacParamTangent *t, const double *number) {
    return tac_param_at(m, t->field, t->index) == number;
}

double tac_contact_friction_param(const tacModel *m, const tacParamTangent *t, const tacContact *c, int axis) {
    if (c->pair >= 0) return is_number(m, t, m->pair_friction + 5 * c->pair + axis - 1);
    int a = c->geom[0], b = c->geom[1], pa = m->geom_priority[a], pb = m->geom_priority[b];
    double *fa = m->geom_friction + 3 * a, *fb = m->geom_friction + 3 * b;
    if (pa == pb && *fa == *fb) return 0.5 * (is_number(m, t, fa) + is_number(m, t, fb));
    return is_number(m, t, (pa != pb ? pa > pb : *fa > *fb) ? fa : fb);
}

double tac_contact_restitution_param(const tacModel *m, const tacParamTangent *t, const tacContact *c) {
    int a = c->geom[0], b = c->geom[1], pa = m->geom_priority[a], pb = m->geom_priority[b];
    const double *ea = m->geom_restitution + a, *eb = m->geom_restitution + b;
    if (pa == pb && *ea == *eb) return 0.5 * (is_number(m, t, ea) + is_number(m, t, eb));
    return is_number(m, t, (pa != pb ? pa > pb : *ea > *eb) ? ea : eb);
}
