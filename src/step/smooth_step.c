#include "step/smooth_step.h"

#include "dynamics/actuator.h"
#include "dynamics/mass.h"

#include <string.h>

void tac_evaluate(tacSim *sim, const double *x, const double *u) {
    tacSmoothPoint p = tac_point_of(sim, x, u);
    tac_smooth_forces(sim->model, &sim->work, p.q, p.v, p.act, p.u, p.h);
    tac_crba(sim->model, &sim->work);
}

double tac_damping_span(const tacSim *sim) {
    return *sim->model->option_disable & (TAC_DISABLE_EULERDAMP | TAC_DISABLE_DAMPER) ? 0 : sim->options.dt;
}

const double *tac_implicit_damping(const tacSim *sim, double *extra) {
    double span = tac_damping_span(sim);
    if (span == 0) return NULL;
    for (int i = 0; i < sim->model->nv; i++)
        extra[i] = span * sim->model->dof_damping[i];
    return extra;
}

tacStatus tac_accelerate(tacSim *sim, const double *extra) {
    const tacModel *m = sim->model;
    tacWork *w = &sim->work;
    tacStatus status = tac_factor(m, w, extra);
    if (status != TAC_OK) return status;
    memcpy(w->qacc, w->qfrc, (size_t)m->nv * sizeof *w->qacc);
    tac_solve(m, w, w->qacc);
    return TAC_OK;
}

tacStatus tac_advance_velocity(tacSim *sim, const double *x) {
    const tacModel *m = sim->model;
    tacWork *w = &sim->work;
    double h = sim->options.dt, *hv = w->vec[0], *v_next = w->next + m->nq;
    const double *v = x + m->nq;
    for (int i = 0; i < m->nv; i++) {
        v_next[i] = v[i] + h * w->qacc[i];
        hv[i] = h * v_next[i];
    }
    return tac_first_nonfinite(m->nv, v_next) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_advance(tacSim *sim, const double *x) {
    const tacModel *m = sim->model;
    tacWork *w = &sim->work;
    tac_advance_velocity(sim, x);
    tac_qpos_add(m, x, w->vec[0], w->next);
    tac_advance_activations(m, w, x + m->nq + m->nv, sim->options.dt, w->next + m->nq + m->nv);
    return tac_first_nonfinite(tac_nx(m), w->next) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_end_step(tacSim *sim, size_t mark, tacStatus status, double *y) {
    if (status == TAC_OK && y != NULL) memcpy(y, sim->work.next, (size_t)tac_nx(sim->model) * sizeof *y);
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* --- Acceleration in continuous time: M a = qfrc ------------------------------------------------------------------ */

tacStatus tac_smooth_acceleration(tacSim *sim, const double *x, const double *u, double *qacc) {
    const tacModel *m = sim->model;
    tac_evaluate(sim, x, u);
    tacStatus status = tac_accelerate(sim, NULL);
    if (status != TAC_OK) return status;
    if (tac_first_nonfinite(m->nv, sim->work.qacc) >= 0) return TAC_ERR_NONFINITE;
    if (qacc != NULL) memcpy(qacc, sim->work.qacc, (size_t)m->nv * sizeof *qacc);
    return TAC_OK;
}

/* R = ID(q, v, a) - tau = 0:  da = -M^-1 dR   (dynamics.md, ID8) */
tacStatus tac_smooth_acceleration_jac(tacSim *sim, const double *x, const double *u, double *qacc, double *dqacc) {
    const tacModel *m = sim->model;
    tacColumns c = tac_count_columns(sim);
    tacStatus status = tac_smooth_acceleration(sim, x, u, qacc);
    if (status != TAC_OK) return status;
    tac_residual_jac(sim, x, u, 0, c, dqacc);
    tacTree tree = tac_dof_tree(m);
    tac_tree_solve_many(&tree, sim->work.L, c.n, dqacc);
    for (size_t i = 0; i < (size_t)m->nv * (size_t)c.n; i++)
        dqacc[i] = -dqacc[i];
    return TAC_OK;
}

tacStatus tac_smooth_acceleration_vjp(tacSim *sim, const double *x, const double *u, const double *abar,
                                      const tacGrad *bar) {
    const tacModel *m = sim->model;
    tacStatus status = tac_smooth_acceleration(sim, x, u, NULL);
    if (status != TAC_OK) return status;
    size_t mark = tac_arena_mark(&sim->arena);
    double *lambda = TAC_TAKE(&sim->arena, m->nv, double);
    if (lambda == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(lambda, abar, (size_t)m->nv * sizeof *lambda);
    tac_solve(m, &sim->work, lambda);
    tac_residual_vjp(sim, x, u, 0, lambda, bar);
    tac_arena_release(&sim->arena, mark);
    return TAC_OK;
}

size_t tac_smooth_scratch(const tacModel *m, const tacOptions *options) {
    tacColumns c = tac_columns_of(m, options);
    size_t nv = (size_t)m->nv, jac = tac_room(nv * (size_t)c.n) + tac_room(nv);
    size_t vjp = 2 * tac_room(nv) + tac_room((size_t)c.nx) + tac_room((size_t)c.nu) + tac_room((size_t)c.np);
    return jac + vjp;
}
