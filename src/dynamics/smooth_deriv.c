#include "dynamics/smooth.h"

#include "dynamics/actuator.h"
#include "dynamics/inverse.h"
#include "dynamics/passive.h"

/* xfrc_applied as (torque, force) per body, in w->applied. */
static const tacVec6 *applied_wrenches(const tacModel *m, tacWork *w, const tacForceTorque *xfrc) {
    w->applied[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++)
        w->applied[b] = (tacVec6){xfrc[b].torque, xfrc[b].force};
    return w->applied;
}

/* d(forces)/d(q, v, act, ctrl). */
static void emit_forces(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacForceSink *sink) {
    tac_actuator_jac(m, w, x->q, x->v, x->u.ctrl, x->act, x->h, sink);
    tac_passive_jac(m, w, x->q, w->saturated, sink);
    if (x->u.xfrc != NULL) tac_world_force_jac(m, w, applied_wrenches(m, w, x->u.xfrc), &sink->q);
}

/* d(applied forces)/d(qfrc, xfrc): the identity, and the rows of each body's centre of mass. */
static void emit_applied(const tacModel *m, const tacWork *w, const tacSink *qfrc, const tacSink *xfrc) {
    static const tacVec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; qfrc != NULL && i < m->nv; i++)
        tac_emit(qfrc, i, i, 1);
    for (int b = 1; xfrc != NULL && b < m->nbody; b++) {
        tacVec3 arm = tac_sub3(w->xipos[b], w->origin[b]);
        for (int i = m->body_last_dof[b]; i >= 0; i = m->dof_parent[i]) {
            tacVec3 point = tac_add3(w->S[i].lin, tac_cross3(w->S[i].ang, arm));
            for (int k = 0; k < 3; k++) {
                tac_emit(xfrc, i, 6 * b + k, tac_dot3(AXES[k], point));
                tac_emit(xfrc, i, 6 * b + 3 + k, tac_dot3(AXES[k], w->S[i].ang));
            }
        }
    }
}

void tac_joint_force_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacForceSink *sink,
                         const tacSink *qfrc, const tacSink *xfrc) {
    emit_forces(m, w, x, sink);
    emit_applied(m, w, qfrc, xfrc);
}

void tac_smooth_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacSmoothJac *R) {
    const tacSink qfrc = {.matrix = R->dqfrc, .ld = R->ld, .negate = 1};
    const tacSink xfrc = {.matrix = R->dxfrc, .ld = R->ld, .negate = 1};
    tac_rnea_jac(m, w, x->v, a, R->ld, R->dq, R->dv);
    emit_forces(m, w, x,
                &(tacForceSink){.q = {.matrix = R->dq, .ld = R->ld, .negate = 1},
                                .v = {.matrix = R->dv, .ld = R->ld, .negate = 1},
                                .act = {.matrix = R->dact, .ld = R->ld, .negate = 1},
                                .ctrl = {.matrix = R->dctrl, .ld = R->ld, .negate = 1}});
    emit_applied(m, w, R->dqfrc != NULL ? &qfrc : NULL, R->dxfrc != NULL ? &xfrc : NULL);
}

void tac_smooth_jvp(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a,
                    const tacSmoothDirection *d, double *dR) {
    const tacSink qfrc = {.matrix = dR, .along = d->qfrc, .ld = 1, .negate = 1};
    const tacSink xfrc = {.matrix = dR, .along = d->xfrc, .ld = 1, .negate = 1};
    tac_rnea_jvp(m, w, x->v, a, d->q, d->v, dR);
    emit_forces(m, w, x,
                &(tacForceSink){.q = {.matrix = dR, .along = d->q, .ld = 1, .negate = 1},
                                .v = {.matrix = dR, .along = d->v, .ld = 1, .negate = 1},
                                .act = {.matrix = dR, .along = d->act, .ld = 1, .negate = 1},
                                .ctrl = {.matrix = dR, .along = d->ctrl, .ld = 1, .negate = 1}});
    emit_applied(m, w, d->qfrc != NULL ? &qfrc : NULL, d->xfrc != NULL ? &xfrc : NULL);
}

void tac_smooth_vjp(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const double *lambda,
                    const tacSmoothBar *bar) {
    const tacSink qfrc = {.lambda = lambda, .bar = bar->qfrc}, xfrc = {.lambda = lambda, .bar = bar->xfrc};
    double *q = w->vec[0], *v = w->vec[1];
    tac_rnea_vjp(m, w, x->v, a, lambda, q, v);
    for (int i = 0; i < m->nv; i++) {
        bar->q[i] -= q[i];
        bar->v[i] -= v[i];
    }
    emit_forces(m, w, x,
                &(tacForceSink){.q = {.lambda = lambda, .bar = bar->q},
                                .v = {.lambda = lambda, .bar = bar->v},
                                .act = {.lambda = lambda, .bar = bar->act},
                                .ctrl = {.lambda = lambda, .bar = bar->ctrl}});
    emit_applied(m, w, bar->qfrc != NULL ? &qfrc : NULL, bar->xfrc != NULL ? &xfrc : NULL);
}
