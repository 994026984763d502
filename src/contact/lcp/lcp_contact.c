/* What contacts add to dR and dr (docs/theory/contact.md, R2, R3). Contacts between the same two bodies, a manifold's
 * above all, are taken together: their forces act as one wrench on each body, and a column's displacement of the bodies
 * is the same for all. */
#include "contact/lcp/lcp.h"

/* Contacts of a run at once; a longer run is taken in parts. */
enum { RUN = 8 };

typedef struct RunContact {
    int first, rows; /* in lcp->rows: normal, then tangents */
    tacContactSystem system;
    double f[3];
    tacVec3 F, u; /* force on geom[1]'s body, velocity of it against the other */
} RunContact;

typedef struct Run {
    const tacLcpPoint *p;
    int n, body[2];
    tacVec6 W[2]; /* sum of the forces on body[1], about the origin of each body's tree */
    RunContact contact[RUN];
} Run;

/* --- A run -------------------------------------------------------------------------------------------------------- */

static tacStatus add_contact(Run *run, int contact) {
    const tacLcpPoint *p = run->p;
    const tacLcp *lcp = p->lcp;
    const tacContact *c = &lcp->rows.contact[contact];
    RunContact *r = &run->contact[run->n];
    tacStatus status = tac_contact_prepare(p->m, p->scene, c, &r->system);
    if (status != TAC_OK) return status;
    r->first = lcp->rows.first_row[contact];
    r->rows = r->first + 1 < lcp->rows.n && lcp->parent[r->first + 1] == r->first ? 3 : 1;
    for (int axis = 0; axis < 3; axis++)
        r->f[axis] = axis < r->rows ? lcp->f[r->first + axis] : 0;
    r->F = tac_contact_combine(r->f, c->normal, c->tangent);
    r->u = tac_sub3(tac_velocity_at(p->w, run->body[1], p->V[run->body[1]], c->pos),
                    tac_velocity_at(p->w, run->body[0], p->V[run->body[0]], c->pos));
    for (int side = 0; side < 2; side++) {
        tacVec3 arm = tac_sub3(c->pos, p->w->origin[run->body[side]]);
        run->W[side] = tac_add6(run->W[side], (tacVec6){tac_cross3(arm, r->F), r->F});
    }
    run->n++;
    return TAC_OK;
}

/* 1: the contact is held; the others have neither force nor condition. */
static int is_held(const tacLcp *lcp, int contact) {
    return lcp->row_class[lcp->rows.first_row[contact]] == TAC_ROW_FREE;
}

/* Contacts from `contact` on that are held and have the same bodies -> run; *next: the first that was not looked at. */
static tacStatus take_run(const tacLcpPoint *p, int contact, Run *run, int *next) {
    const tacRows *rows = &p->lcp->rows;
    tacStatus status = TAC_OK;
    run->p = p, run->n = 0, run->W[0] = run->W[1] = tac_zero6();
    for (; contact < rows->ncontact && run->n < RUN && status == TAC_OK; contact++) {
        const tacContact *c = &rows->contact[contact];
        int a = p->m->geom_body[c->geom[0]], b = p->m->geom_body[c->geom[1]];
        if (!is_held(p->lcp, contact)) continue;
        if (run->n == 0) run->body[0] = a, run->body[1] = b;
        if (a != run->body[0] || b != run->body[1]) break;
        status = add_contact(run, contact);
    }
    *next = contact;
    return status;
}

/* --- One column --------------------------------------------------------------------------------------------------- */

/* d(J z) of one contact's rows, dV: changes of the bodies' velocities at fixed joint velocities   (R2). */
static void emit_velocity(const Run *run, const RunContact *r, const tacVec6 dV[2], const tacDisplacement *d,
                          const tacContactTangent *t, int column, const tacLcpSink *sink) {
    const tacLcpPoint *p = run->p;
    const tacContact *c = &r->system.contact;
    tacVec3 turn = tac_sub3(p->V[run->body[1]].ang, p->V[run->body[0]].ang);
    tacVec3 du = tac_add3(tac_cross3(turn, t->pos), tac_sub3(tac_velocity_at(p->w, run->body[1], dV[1], c->pos),
                                                             tac_velocity_at(p->w, run->body[0], dV[0], c->pos)));
    double normal = tac_dot3(t->normal, r->u) + tac_dot3(c->normal, du);
    normal += tac_lcp_shift_rate(p->lcp, r->first) * t->dist + tac_lcp_bounce_move(p, c, r->first, d, t);
    tac_emit(&sink->row, r->first, column, normal);
    for (int k = 0; k < r->rows - 1; k++)
        tac_emit(&sink->row, r->first + 1 + k, column, tac_dot3(t->tangent[k], r->u) + tac_dot3(c->tangent[k], du));
}

/* d(S_i . W) for the dofs above a body: the axes that the movers turn see W turned back   (R3). */
static void emit_force(const Run *run, int side, tacVec6 dW, const tacDisplacement *d, int column,
                       const tacLcpSink *sink) {
    const tacLcpPoint *p = run->p;
    double scale = (side == 0 ? 1 : -1) / p->lcp->h;
    tacVec6 turned[2];
    for (int k = 0; k < d->nmover; k++)
        turned[k] = tac_crossf6(d->mover[k].S, run->W[side]);
    for (int i = p->m->body_last_dof[run->body[side]]; i >= 0; i = p->m->dof_parent[i]) {
        tacVec6 seen = dW;
        for (int k = 0; k < d->nmover; k++)
            if (tac_moves_dof(p->m, &d->mover[k], i)) seen = tac_sub6(seen, turned[k]);
        tac_emit(&sink->force, i, column, scale * tac_dot6(p->w->S[i], seen));
    }
}

/* t: how each contact of the run moves. */
static void emit_column(const Run *run, const tacDisplacement *d, const tacContactTangent *t, int column,
                        const tacLcpSink *sink) {
    const tacLcpPoint *p = run->p;
    tacVec6 dV[2], dW[2] = {tac_zero6(), tac_zero6()};
    for (int side = 0; side < 2; side++)
        dV[side] = tac_body_velocity_move(p->m, p->w, p->V, p->v_next, d, run->body[side]);
    for (int i = 0; i < run->n; i++) {
        const RunContact *r = &run->contact[i];
        const tacContact *c = &r->system.contact;
        tacVec3 dF = tac_contact_combine(r->f, t[i].normal, t[i].tangent), turning = tac_cross3(t[i].pos, r->F);
        for (int side = 0; side < 2; side++) {
            tacVec3 arm = tac_sub3(c->pos, p->w->origin[run->body[side]]);
            dW[side] = tac_add6(dW[side], (tacVec6){tac_add3(turning, tac_cross3(arm, dF)), dF});
        }
        emit_velocity(run, r, dV, d, &t[i], column, sink);
        if (!tac_sink_is_empty(&sink->wrench))
            tac_contact_wrench_move(p->m, p->w, c, r->f, d, &t[i], 1 / p->lcp->h, column, &sink->wrench);
    }
    for (int side = 0; side < 2; side++)
        emit_force(run, side, dW[side], d, column, sink);
}

/* --- All columns -------------------------------------------------------------------------------------------------- */

static void emit_mover(const Run *run, const tacMover *mover, int column, const tacLcpSink *sink) {
    tacDisplacement d = {1, {*mover}};
    tacContactTangent t[RUN];
    for (int i = 0; i < run->n; i++)
        t[i] = tac_contact_along(run->p->m, run->p->w, &run->contact[i].system, mover);
    emit_column(run, &d, t, column, sink);
}

/* Dofs on the paths to the two bodies. */
static void emit_dofs(const Run *run, const tacLcpSink *sink) {
    const tacModel *m = run->p->m;
    int i = m->body_last_dof[run->body[0]], j = m->body_last_dof[run->body[1]];
    while (i >= 0 || j >= 0) {
        int dof = i > j ? i : j;
        tacMover mover = tac_dof_mover(m, run->p->w, dof);
        emit_mover(run, &mover, dof, sink);
        if (i == dof) i = m->dof_parent[i];
        if (j == dof) j = m->dof_parent[j];
    }
}

static void emit_params(const Run *run, const tacParamTangent *tangents, const tacLcpSink *sink) {
    const tacLcpPoint *p = run->p;
    tacContactTangent t[RUN];
    for (int k = 0; k < p->m->nparam; k++) {
        tacDisplacement d;
        int moves = 0;
        for (int i = 0; i < run->n; i++)
            moves |= tac_contact_param(p->m, p->w, &run->contact[i].system, &tangents[k], p->x, p->scene->corner_change,
                                       &t[i]);
        d.nmover = tac_param_movers(p->m, p->w, &tangents[k], p->x, d.mover);
        if (moves || d.nmover > 0) emit_column(run, &d, t, k, sink);
    }
}

tacStatus tac_lcp_contacts_jac(const tacLcpPoint *p, const tacLcpSink *q, const tacLcpSink *mocap,
                               const tacLcpSink *theta, const tacParamTangent *tangents) {
    Run run;
    tacStatus status = TAC_OK;
    for (int contact = 0; contact < p->lcp->rows.ncontact && status == TAC_OK;) {
        status = take_run(p, contact, &run, &contact);
        if (status != TAC_OK || run.n == 0) continue;
        if (q != NULL) emit_dofs(&run, q);
        for (int i = 0; mocap != NULL && i < 7 * p->m->nmocap; i++) {
            tacMover mover;
            tac_mocap_mover(p->m, p->w, i / 7, i % 7, p->x->u.mocap + 7 * (i / 7), &mover);
            emit_mover(&run, &mover, i, mocap);
        }
        if (theta != NULL) emit_params(&run, tangents, theta);
    }
    return status;
}
