#include "contact/contact_run.h"

/* A contact prepared: force and torque on geom[1]'s body, velocity of it against the other at z; where it is, from the
 * origin of body[0]'s tree. */
typedef struct Prepared {
    tacContactSystem system;
    tacVec3 F, T, u, arm;
} Prepared;

typedef struct Walk {
    const tacContactRun *run;
    tacVec3 turn; /* turning of body[1] against body[0] at z */
    tacVec6 W[2]; /* sum of the forces on body[1], about the origin of each body's tree */
    tacVec3 away; /* the origin of body[0]'s tree from that of body[1]'s */
    Prepared contact[TAC_RUN];
} Walk;

/* --- A run -------------------------------------------------------------------------------------------------------- */

static int body_of(const tacContactRun *run, int contact, int side) {
    return run->m->geom_body[run->rows->contact[contact].geom[side]];
}

int tac_contact_run_takes(const tacContactRun *run, int contact) {
    if (run->n == 0) return 1;
    return run->n < TAC_RUN && body_of(run, contact, 0) == run->body[0] && body_of(run, contact, 1) == run->body[1];
}

tacRunContact *tac_contact_run_add(tacContactRun *run, int contact, int first, int n) {
    tacRunContact *c = &run->contact[run->n++];
    *c = (tacRunContact){.contact = contact, .first = first, .n = n, .to = n};
    for (int side = 0; side < 2; side++)
        run->body[side] = body_of(run, contact, side);
    return c;
}

/* Sides that columns ask for: dofs move what they can, parameters and mocap bodies anything. */
static unsigned sides_of(const tacContactRun *run, const tacContactColumns *to) {
    const tacModel *m = run->m;
    int a = run->body[0], b = run->body[1], a_moves = m->body_last_dof[a] >= 0, b_moves = m->body_last_dof[b] >= 0;
    if (to->mocap != NULL || to->theta != NULL) return TAC_SIDE_0 | TAC_SIDE_1 | TAC_SIDE_BOTH;
    return (a_moves ? TAC_SIDE_0 : 0) | (b_moves ? TAC_SIDE_1 : 0) |
           (a_moves && b_moves && m->body_root[a] == m->body_root[b] ? TAC_SIDE_BOTH : 0);
}

static tacStatus prepare(Walk *walk, int i, unsigned sides) {
    const tacContactRun *run = walk->run;
    const tacRunContact *r = &run->contact[i];
    const tacContact *c = &run->rows->contact[r->contact];
    const int *body = run->body;
    Prepared *p = &walk->contact[i];
    p->F = tac_contact_combine(r->f, c->normal, c->tangent);
    p->T = tac_contact_combine(r->f + 3, c->normal, c->tangent);
    p->u = tac_sub3(tac_velocity_at(run->w, body[1], run->V[body[1]], c->pos),
                    tac_velocity_at(run->w, body[0], run->V[body[0]], c->pos));
    p->arm = tac_sub3(c->pos, run->w->origin[body[0]]);
    walk->W[0] = tac_add6(walk->W[0], (tacVec6){tac_add3(tac_cross3(p->arm, p->F), p->T), p->F});
    return tac_contact_prepare_sides(run->m, run->scene, c, sides, &p->system);
}

/* --- One column --------------------------------------------------------------------------------------------------- */

/* d(J z) of the rows that turn, beyond the first three. */
static void emit_turning(const Walk *walk, int i, tacVec3 dturn, const tacContactTangent *t, int column,
                         const tacContactSink *sink) {
    const tacRunContact *r = &walk->run->contact[i];
    const tacContact *c = &walk->contact[i].system.contact;
    const tacVec3 axis[3] = {c->normal, c->tangent[0], c->tangent[1]};
    const tacVec3 daxis[3] = {t->normal, t->tangent[0], t->tangent[1]};
    for (int k = 3; k < r->to; k++)
        tac_emit(&sink->row, r->first + k, column, tac_dot3(daxis[k - 3], walk->turn) + tac_dot3(axis[k - 3], dturn));
}

/* d(J z) of one contact's rows, dV: change of body[1]'s velocity against body[0]'s at fixed joint velocities   (R2). */
static void emit_rows(const Walk *walk, int i, tacVec6 dV, const tacDisplacement *d, const tacContactTangent *t,
                      int column, const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    const tacRunContact *r = &run->contact[i];
    const Prepared *p = &walk->contact[i];
    const tacContact *c = &p->system.contact;
    tacVec3 du = tac_add3(tac_cross3(walk->turn, t->pos), tac_add3(dV.lin, tac_cross3(dV.ang, p->arm)));
    if (r->from == 0) {
        double normal = tac_dot3(t->normal, p->u) + tac_dot3(c->normal, du) + r->rate * t->dist;
        if (run->more != NULL) normal += run->more(run->context, c, r->first, d, t);
        tac_emit(&sink->row, r->first, column, normal);
        tac_emit(&sink->pos, r->first, column, t->dist);
    }
    for (int k = 1; k < 3 && k < r->to; k++)
        tac_emit(&sink->row, r->first + k, column, tac_dot3(t->tangent[k - 1], p->u) + tac_dot3(c->tangent[k - 1], du));
    if (r->to > 3) emit_turning(walk, i, dV.ang, t, column, sink);
}

/* d(S_i . W) for the dofs above a body: the axes that a mover turns, the last ones of the path, see W turned back
 * (R3). */
static void emit_force(const Walk *walk, int side, tacVec6 dW, const tacDisplacement *d, int column,
                       const tacSink *sink) {
    const tacContactRun *run = walk->run;
    const tacVec6 *S = run->w->S;
    const int *parent = run->m->dof_parent;
    int last = run->m->body_last_dof[run->body[side]];
    double scale = side == 0 ? -run->scale : run->scale;
    tacVec6 by = tac_scale6(scale, dW);
    for (int i = last; i >= 0; i = parent[i])
        tac_emit(sink, i, column, tac_dot6(S[i], by));
    for (int k = 0; k < d->nmover; k++) {
        tacVec6 turned = tac_scale6(-scale, tac_crossf6(d->mover[k].S, walk->W[side]));
        for (int i = last; i >= 0 && tac_moves_dof(run->m, &d->mover[k], i); i = parent[i])
            tac_emit(sink, i, column, tac_dot6(S[i], turned));
    }
}

/* A wrench about the origin of body[0]'s tree, about that of body[1]'s. */
static tacVec6 about_other(const Walk *walk, tacVec6 W) {
    return (tacVec6){tac_add3(W.ang, tac_cross3(walk->away, W.lin)), W.lin};
}

/* Change of body[1]'s velocity against body[0]'s, about the origin of body[0]'s tree. */
static tacVec6 velocity_change(const Walk *walk, const tacDisplacement *d) {
    const tacContactRun *run = walk->run;
    tacVec6 a = tac_body_velocity_move(run->m, run->w, run->V, run->z, d, run->body[0]);
    tacVec6 b = tac_body_velocity_move(run->m, run->w, run->V, run->z, d, run->body[1]);
    return tac_sub6((tacVec6){b.ang, tac_add3(b.lin, tac_cross3(b.ang, walk->away))}, a);
}

/* t: how each contact of the run moves. */
static void emit_column(const Walk *walk, const tacDisplacement *d, const tacContactTangent *t, int column,
                        const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    tacVec6 dV = velocity_change(walk, d), dW[2] = {tac_zero6(), tac_zero6()};
    for (int i = 0; i < run->n; i++) {
        const double *f = run->contact[i].f;
        const Prepared *p = &walk->contact[i];
        tacVec3 dF = tac_contact_combine(f, t[i].normal, t[i].tangent), turning = tac_cross3(t[i].pos, p->F);
        if (run->contact[i].n > 3) turning = tac_add3(turning, tac_contact_combine(f + 3, t[i].normal, t[i].tangent));
        dW[0] = tac_add6(dW[0], (tacVec6){tac_add3(turning, tac_cross3(p->arm, dF)), dF});
        emit_rows(walk, i, dV, d, &t[i], column, sink);
        if (!tac_sink_is_empty(&sink->wrench))
            tac_contact_wrench_move(run->m, run->w, &p->system.contact, f, d, &t[i], run->wrench_scale, column,
                                    &sink->wrench);
    }
    dW[1] = about_other(walk, dW[0]);
    for (int side = 0; side < 2; side++)
        if (run->m->body_last_dof[run->body[side]] >= 0) emit_force(walk, side, dW[side], d, column, &sink->force);
}

/* --- All columns -------------------------------------------------------------------------------------------------- */

static void emit_mover(const Walk *walk, const tacMover *mover, int column, const tacContactSink *sink) {
    tacDisplacement d = {1, {*mover}};
    tacContactTangent t[TAC_RUN];
    const tacContactRun *run = walk->run;
    int first = tac_moves_body(run->m, mover, run->body[0]), second = tac_moves_body(run->m, mover, run->body[1]);
    if (!first && !second) return;
    for (int i = 0; i < run->n; i++)
        t[i] = tac_contact_twist(&walk->contact[i].system, first && second ? 2 : second, mover->S,
                                 run->w->origin[mover->body]);
    emit_column(walk, &d, t, column, sink);
}

/* Dofs on the paths to the two bodies. */
static void emit_dofs(const Walk *walk, const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    const tacModel *m = run->m;
    int i = m->body_last_dof[run->body[0]], j = m->body_last_dof[run->body[1]];
    while (i >= 0 || j >= 0) {
        int dof = i > j ? i : j;
        tacMover mover = tac_dof_mover(m, run->w, dof);
        emit_mover(walk, &mover, dof, sink);
        if (i == dof) i = m->dof_parent[i];
        if (j == dof) j = m->dof_parent[j];
    }
}

static void emit_mocap(const Walk *walk, const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    for (int i = 0; i < 7 * run->m->nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(run->m, run->w, i / 7, i % 7, run->x->u.mocap + 7 * (i / 7), &mover);
        emit_mover(walk, &mover, i, sink);
    }
}

static void emit_params(const Walk *walk, const tacParamTangent *tangents, const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    tacContactTangent t[TAC_RUN];
    for (int k = 0; k < run->m->nparam; k++) {
        tacDisplacement d;
        int moves = 0;
        for (int i = 0; i < run->n; i++)
            moves |= tac_contact_param(run->m, run->w, &walk->contact[i].system, &tangents[k], run->x,
                                       run->scene->corner_change, &t[i]);
        d.nmover = tac_param_movers(run->m, run->w, &tangents[k], run->x, d.mover);
        if (moves || d.nmover > 0) emit_column(walk, &d, t, k, sink);
    }
}

tacStatus tac_contact_run_jac(tacContactRun *run, const tacContactColumns *to) {
    Walk walk;
    walk.run = run, walk.W[0] = walk.W[1] = tac_zero6();
    if (run->n == 0) return TAC_OK;
    walk.turn = tac_sub3(run->V[run->body[1]].ang, run->V[run->body[0]].ang);
    walk.away = tac_sub3(run->w->origin[run->body[0]], run->w->origin[run->body[1]]);
    unsigned sides = sides_of(run, to);
    for (int i = 0; i < run->n; i++) {
        tacStatus status = prepare(&walk, i, sides);
        if (status == TAC_OK) continue;
        run->n = 0;
        return status;
    }
    walk.W[1] = about_other(&walk, walk.W[0]);
    if (to->q != NULL) emit_dofs(&walk, to->q);
    if (to->mocap != NULL) emit_mocap(&walk, to->mocap);
    if (to->theta != NULL) emit_params(&walk, to->tangents, to->theta);
    run->n = 0;
    return TAC_OK;
}
