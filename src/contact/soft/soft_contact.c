/* What contacts add to dG (Z8). Contacts between the same two bodies, a manifold's above all, are taken together: their
 * forces act as one wrench on each body, and a column's displacement of the bodies is the same for all. */
#include "contact/soft/soft.h"

/* Contacts of a run at once; a longer run is taken in parts. */
enum { RUN = 8 };

typedef struct RunContact {
    const tacSoftBlock *block;
    int id; /* of the block */
    tacContactSystem system;
    double f[TAC_SOFT_MOST_ROWS];
    tacVec3 F, T, u; /* force and torque on geom[1]'s body, velocity of it against the other at z */
} RunContact;

typedef struct Run {
    tacSoftPoint *p;
    int n, body[2];
    tacVec3 turn; /* turning of body[1] against body[0] at z */
    tacVec6 W[2]; /* sum of the forces on body[1], about the origin of each body's tree */
    RunContact contact[RUN];
} Run;

/* --- A run -------------------------------------------------------------------------------------------------------- */

static const tacContact *contact_of(const tacSoft *soft, const tacSoftBlock *b) {
    return &soft->rows.contact[soft->rows.row[b->row].id];
}

static tacStatus add_contact(Run *run, int id) {
    const tacSoftPoint *p = run->p;
    RunContact *r = &run->contact[run->n];
    r->block = &p->soft->block[id], r->id = id;
    const tacContact *c = contact_of(p->soft, r->block);
    tacStatus status = tac_contact_prepare(p->m, p->scene, c, &r->system);
    if (status != TAC_OK) return status;
    for (int i = 0; i < TAC_SOFT_MOST_ROWS; i++)
        r->f[i] = i < r->block->n ? p->soft->f[r->block->row + i] : 0;
    r->F = tac_contact_combine(r->f, c->normal, c->tangent),
    r->T = tac_contact_combine(r->f + 3, c->normal, c->tangent);
    const tacVec6 *V = p->V;
    run->turn = tac_sub3(V[run->body[1]].ang, V[run->body[0]].ang);
    r->u = tac_sub3(tac_velocity_at(p->w, run->body[1], V[run->body[1]], c->pos),
                    tac_velocity_at(p->w, run->body[0], V[run->body[0]], c->pos));
    for (int side = 0; side < 2; side++) {
        tacVec3 arm = tac_sub3(c->pos, p->w->origin[run->body[side]]);
        run->W[side] = tac_add6(run->W[side], (tacVec6){tac_add3(tac_cross3(arm, r->F), r->T), r->F});
    }
    run->n++;
    return TAC_OK;
}

/* Blocks from `id` on that are contacts, not idle, of the same bodies and damping -> run; *next: the first that was not
 * looked at. */
static tacStatus take_run(tacSoftPoint *p, int id, Run *run, int *next) {
    const tacSoft *soft = p->soft;
    tacStatus status = TAC_OK;
    run->p = p, run->n = 0, run->W[0] = run->W[1] = tac_zero6();
    for (; id < soft->nblock && run->n < RUN && status == TAC_OK; id++) {
        const tacSoftBlock *b = &soft->block[id];
        if (soft->rows.row[b->row].kind != TAC_ROW_CONTACT || tac_soft_is_idle(b)) continue;
        const tacContact *c = contact_of(soft, b);
        int first = p->m->geom_body[c->geom[0]], second = p->m->geom_body[c->geom[1]];
        if (run->n == 0) run->body[0] = first, run->body[1] = second, tac_soft_aim(p, b->z.B);
        if (first != run->body[0] || second != run->body[1] || b->z.B != p->B) break;
        status = add_contact(run, id);
    }
    *next = id;
    return status;
}

/* --- One column --------------------------------------------------------------------------------------------------- */

/* dy at fixed a, dV: changes of the bodies' velocities at fixed joint velocities   (contact.md, R2). */
static void emit_rows(const Run *run, const RunContact *r, const tacVec6 dV[2], const tacContactTangent *t, int column,
                      const tacSoftSink *sink) {
    const tacSoftPoint *p = run->p;
    const tacContact *c = &r->system.contact;
    const tacVec3 axis[3] = {c->normal, c->tangent[0], c->tangent[1]};
    const tacVec3 daxis[3] = {t->normal, t->tangent[0], t->tangent[1]};
    tacVec3 du = tac_add3(tac_cross3(run->turn, t->pos), tac_sub3(tac_velocity_at(p->w, run->body[1], dV[1], c->pos),
                                                                  tac_velocity_at(p->w, run->body[0], dV[0], c->pos)));
    tacVec3 dturn = tac_sub3(dV[1].ang, dV[0].ang);
    for (int i = 0; i < r->block->n; i++) {
        tacVec3 x = i < 3 ? r->u : run->turn, dx = i < 3 ? du : dturn;
        double change = tac_dot3(daxis[i % 3], x) + tac_dot3(axis[i % 3], dx);
        if (i == 0) change += tac_soft_pull_rate(r->block) * t->dist;
        tac_emit(&sink->row, r->block->row + i, column, change);
    }
    tacSink pos = tac_soft_pos_sink(sink, r->id);
    tac_emit(&pos, r->block->row, column, t->dist);
}

/* d(S_i . W) for the dofs above a body: the axes that the movers turn see W turned back   (contact.md, R3). */
static void emit_force(const Run *run, int side, tacVec6 dW, const tacDisplacement *d, int column,
                       const tacSoftSink *sink) {
    const tacSoftPoint *p = run->p;
    double sign = side == 0 ? 1 : -1;
    tacVec6 turned[2];
    for (int k = 0; k < d->nmover; k++)
        turned[k] = tac_crossf6(d->mover[k].S, run->W[side]);
    for (int i = p->m->body_last_dof[run->body[side]]; i >= 0; i = p->m->dof_parent[i]) {
        tacVec6 seen = dW;
        for (int k = 0; k < d->nmover; k++)
            if (tac_moves_dof(p->m, &d->mover[k], i)) seen = tac_sub6(seen, turned[k]);
        tac_emit(&sink->force, i, column, sign * tac_dot6(p->w->S[i], seen));
    }
}

/* t: how each contact of the run moves. */
static void emit_column(const Run *run, const tacDisplacement *d, const tacContactTangent *t, int column,
                        const tacSoftSink *sink) {
    const tacSoftPoint *p = run->p;
    tacVec6 dV[2], dW[2] = {tac_zero6(), tac_zero6()};
    for (int side = 0; side < 2; side++)
        dV[side] = tac_body_velocity_move(p->m, p->w, p->V, p->z, d, run->body[side]);
    for (int i = 0; i < run->n; i++) {
        const RunContact *r = &run->contact[i];
        tacVec3 dF = tac_contact_combine(r->f, t[i].normal, t[i].tangent),
                dT = tac_contact_combine(r->f + 3, t[i].normal, t[i].tangent);
        tacVec3 turning = tac_add3(tac_cross3(t[i].pos, r->F), dT);
        for (int side = 0; side < 2; side++) {
            tacVec3 arm = tac_sub3(r->system.contact.pos, p->w->origin[run->body[side]]);
            dW[side] = tac_add6(dW[side], (tacVec6){tac_add3(turning, tac_cross3(arm, dF)), dF});
        }
        emit_rows(run, r, dV, &t[i], column, sink);
    }
    for (int side = 0; side < 2; side++)
        emit_force(run, side, dW[side], d, column, sink);
}

/* --- All columns -------------------------------------------------------------------------------------------------- */

static void emit_mover(const Run *run, const tacMover *mover, int column, const tacSoftSink *sink) {
    tacDisplacement d = {1, {*mover}};
    tacContactTangent t[RUN];
    for (int i = 0; i < run->n; i++)
        t[i] = tac_contact_along(run->p->m, run->p->w, &run->contact[i].system, mover);
    emit_column(run, &d, t, column, sink);
}

/* Dofs on the paths to the two bodies. */
static void emit_dofs(const Run *run, const tacSoftSink *sink) {
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

tacStatus tac_soft_contacts_jac(tacSoftPoint *p, const tacSoftSink *q, const tacSoftSink *mocap) {
    Run run;
    tacStatus status = TAC_OK;
    for (int id = 0; id < p->soft->nblock && status == TAC_OK;) {
        status = take_run(p, id, &run, &id);
        if (status != TAC_OK || run.n == 0) continue;
        emit_dofs(&run, q);
        for (int i = 0; mocap != NULL && i < 7 * p->m->nmocap; i++) {
            tacMover mover;
            tac_mocap_mover(p->m, p->w, i / 7, i % 7, p->x->u.mocap + 7 * (i / 7), &mover);
            emit_mover(&run, &mover, i, mocap);
        }
    }
    return status;
}
