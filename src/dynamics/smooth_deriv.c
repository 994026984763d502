#include "dynamics/smooth.h"

#include "dynamics/actuator.h"
#include "dynamics/inverse.h"
#include "dynamics/passive.h"

#include <string.h>

/* xfrc_applied as (torque, force) per body, in w->Lambda. */
static const tacVec6 *applied_wrenches(const tacModel *m, tacWork *w, const double *xfrc) {
    w->Lambda[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++)
        w->Lambda[b] = (tacVec6){tac_load3(xfrc + 6 * b + 3), tac_load3(xfrc + 6 * b)};
    return w->Lambda;
}

/* d(forces)/d(q, v, act, ctrl). */
static void emit_forces(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const tacForceSink *sink) {
    tac_actuator_jac(m, w, x->q, x->v, x->u.ctrl, x->act, x->h, sink);
    tac_passive_jac(m, w, x->q, w->saturated, sink);
    if (x->u.xfrc != NULL) tac_world_force_jac(m, w, applied_wrenches(m, w, x->u.xfrc), &sink->q);
}

void tac_smooth_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacSmoothJac *R) {
    memset(R->dact, 0, (size_t)m->nv * (size_t)m->na * sizeof(double));
    memset(R->dctrl, 0, (size_t)m->nv * (size_t)m->nu * sizeof(double));
    tac_rnea_jac(m, w, x->v, a, R->dq, R->dv);
    emit_forces(m, w, x,
                &(tacForceSink){.q = {.matrix = R->dq, .ld = m->nv, .negate = 1},
                                .v = {.matrix = R->dv, .ld = m->nv, .negate = 1},
                                .act = {.matrix = R->dact, .ld = m->na, .negate = 1},
                                .ctrl = {.matrix = R->dctrl, .ld = m->nu, .negate = 1}});
}

void tac_smooth_vjp(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const double *lambda,
                    const tacSmoothBar *bar) {
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
}
