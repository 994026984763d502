#include "contact/contact_walk.h"

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

unsigned tac_contact_dof_sides(const tacContactRun *run) {
    const tacModel *m = run->m;
    int a = run->body[0], b = run->body[1], a_moves = m->body_last_dof[a] >= 0, b_moves = m->body_last_dof[b] >= 0;
    return (a_moves ? TAC_SIDE_0 : 0) | (b_moves ? TAC_SIDE_1 : 0) |
           (a_moves && b_moves && m->body_root[a] == m->body_root[b] ? TAC_SIDE_BOTH : 0);
}

/* Sides that the columns need. Parameters and mocap bodies may move either side. */
static unsigned sides_of(const tacContactRun *run, const tacContactColumns *to) {
    if (to->mocap != NULL || to->theta != NULL) return TAC_SIDE_0 | TAC_SIDE_1 | TAC_SIDE_BOTH;
    return tac_contact_dof_sides(run);
}

static void set_measures(const tacRunContact *r, tacPreparedContact *p) {
    const tacContact *c = &p->system.contact;
    const tacVec3 axis[3] = {c->normal, c->tangent[0], c->tangent[1]};
    for (int k = 0; k < r->n; k++)
        p->measure[k] = k < 3 ? (tacVec6){tac_cross3(p->arm, axis[k]), axis[k]} : (tacVec6){axis[k - 3], tac_zero3()};
}

static tacStatus prepare(tacContactWalk *walk, int i, unsigned sides) {
    const tacContactRun *run = walk->run;
    const tacRunContact *r = &run->contact[i];
    const tacContact *c = &run->rows->contact[r->contact];
    const int *body = run->body;
    tacPreparedContact *p = &walk->contact[i];
    p->F = tac_contact_combine(r->f, c->normal, c->tangent);
    p->T = tac_contact_combine(r->f + 3, c->normal, c->tangent);
    p->u = tac_sub3(tac_velocity_at(run->w, body[1], run->V[body[1]], c->pos),
                    tac_velocity_at(run->w, body[0], run->V[body[0]], c->pos));
    p->arm = tac_sub3(c->pos, run->w->origin[body[0]]);
    walk->W[0] = tac_add6(walk->W[0], (tacVec6){tac_add3(tac_cross3(p->arm, p->F), p->T), p->F});
    tacStatus status = tac_contact_prepare_sides(run->m, run->scene, c, sides, &p->system);
    if (status == TAC_OK) set_measures(r, p);
    return status;
}

/* --- One contact -------------------------------------------------------------------------------------------------- */

/* dV: change of body[1]'s velocity relative to body[0] at fixed joint velocities. */
static void emit_rows(const tacContactWalk *walk, int i, const double *row, double dist, tacVec6 dV, int column,
                      const tacContactSink *sink) {
    const tacRunContact *r = &walk->run->contact[i];
    const tacPreparedContact *p = &walk->contact[i];
    for (int k = r->from; k < r->to; k++)
        tac_emit(&sink->row, r->first + k, column, row[k] + tac_dot6(p->measure[k], dV));
    if (r->from == 0) tac_emit(&sink->pos, r->first, column, dist);
}

/* --- One column --------------------------------------------------------------------------------------------------- */

/* d(S_i . W) for the dofs above a body. A mover turns the last axes of the path, which see W turned back (R3). */
static void emit_force(const tacContactWalk *walk, int side, tacVec6 dW, const tacDisplacement *d, int column,
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

tacVec6 tac_contact_velocity_change(const tacContactWalk *walk, const tacDisplacement *d, int which) {
    const tacContactRun *run = walk->run;
    tacVec6 a = tac_zero6(), b = tac_zero6();
    if (which != 1) a = tac_body_velocity_move(run->m, run->w, run->V, run->z, d, run->body[0]);
    if (which != 0) b = tac_body_velocity_move(run->m, run->w, run->V, run->z, d, run->body[1]);
    return tac_sub6((tacVec6){b.ang, tac_add3(b.lin, tac_cross3(b.ang, walk->away))}, a);
}

static void emit_forces(const tacContactWalk *walk, tacVec6 dW, const tacDisplacement *d, int column,
                        const tacSink *sink) {
    const tacContactRun *run = walk->run;
    if (run->m->body_last_dof[run->body[0]] >= 0) emit_force(walk, 0, dW, d, column, sink);
    if (run->m->body_last_dof[run->body[1]] >= 0)
        emit_force(walk, 1, tac_contact_about_other(walk, dW), d, column, sink);
}

/* t: motion of each contact of the run. */
static void emit_column(const tacContactWalk *walk, const tacDisplacement *d, const tacContactTangent *t, int column,
                        const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    tacVec6 dV = tac_contact_velocity_change(walk, d, 2), dW = tac_zero6();
    for (int i = 0; i < run->n; i++) {
        const tacRunContact *r = &run->contact[i];
        const tacContact *c = &walk->contact[i].system.contact;
        tacResponse by = tac_contact_respond(walk, i, &t[i]);
        if (run->more != NULL && r->from == 0) by.row[0] += run->more(run->context, c, r->first, d, &t[i]);
        emit_rows(walk, i, by.row, t[i].dist, dV, column, sink);
        dW = tac_add6(dW, by.force);
        if (!tac_sink_is_empty(&sink->wrench))
            tac_contact_wrench_move(run->m, run->w, c, r->f, d, &t[i], run->wrench_scale, column, &sink->wrench);
    }
    emit_forces(walk, dW, d, column, &sink->force);
}

/* --- All columns -------------------------------------------------------------------------------------------------- */

/* which: the column moves body[0], body[1], or both. */
static void emit_mover(const tacContactWalk *walk, const tacMover *mover, int which, int column,
                       const tacContactSink *sink) {
    tacDisplacement d = {1, {*mover}};
    tacContactTangent t[TAC_RUN];
    for (int i = 0; i < walk->run->n; i++)
        t[i] = tac_contact_twist(&walk->contact[i].system, which, mover->S, walk->run->w->origin[mover->body]);
    emit_column(walk, &d, t, column, sink);
}

static void emit_dofs(const tacContactWalk *walk, const tacContactSink *sink) {
    const tacModel *m = walk->run->m;
    int i = m->body_last_dof[walk->run->body[0]], j = m->body_last_dof[walk->run->body[1]];
    while (i >= 0 || j >= 0) {
        int dof = i > j ? i : j;
        tacMover mover = tac_dof_mover(m, walk->run->w, dof);
        emit_mover(walk, &mover, i == j ? 2 : dof == j, dof, sink);
        if (i == dof) i = m->dof_parent[i];
        if (j == dof) j = m->dof_parent[j];
    }
}

static void emit_mocap(const tacContactWalk *walk, const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    for (int i = 0; i < TAC_POSE_SIZE * run->m->nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(run->m, run->w, i, run->x->u.mocap, &mover);
        int first = tac_moves_body(run->m, &mover, run->body[0]), second = tac_moves_body(run->m, &mover, run->body[1]);
        if (first || second) emit_mover(walk, &mover, first && second ? 2 : second, i, sink);
    }
}

static void emit_params(const tacContactWalk *walk, const tacParamTangent *tangents, const tacContactSink *sink) {
    const tacContactRun *run = walk->run;
    tacContactTangent t[TAC_RUN];
    for (int k = 0; k < run->m->nmember; k++) {
        tacDisplacement d;
        int moves = 0;
        for (int i = 0; i < run->n; i++)
            moves |= tac_contact_param(run->m, run->w, &walk->contact[i].system, &tangents[k], run->x,
                                       run->scene->corner_change, &t[i]);
        d.nmover = tac_param_movers(run->m, run->w, &tangents[k], run->x, d.mover);
        if (moves || d.nmover > 0) emit_column(walk, &d, t, tangents[k].column, sink);
    }
}

tacStatus tac_contact_run_jac(tacContactRun *run, const tacContactColumns *to) {
    tacContactWalk walk;
    walk.run = run;
    walk.W[0] = walk.W[1] = tac_zero6();
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
    walk.W[1] = tac_contact_about_other(&walk, walk.W[0]);
    int together = to->q != NULL && run->more == NULL && tac_sink_is_empty(&to->q->wrench);
    if (together) tac_contact_run_dofs(&walk, to->q);
    if (to->q != NULL && !together) emit_dofs(&walk, to->q);
    if (to->mocap != NULL) emit_mocap(&walk, to->mocap);
    if (to->theta != NULL) emit_params(&walk, to->tangents, to->theta);
    run->n = 0;
    return TAC_OK;
}
