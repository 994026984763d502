/* Contact none, semi-implicit Euler. */
#include "step/smooth_step.h"

#include "dynamics/mass.h"

#include <string.h>

/* (M + h D) a = passive + actuators - bias + applied,  v+ = v + h a,  q+ = q (+) h v+, where D is the joints'
 * damping and passive includes -D v. Activations take their own explicit (or exact) step. w->qacc = a; w->L is left as
 * the factor of M + h D. */
static tacStatus accelerate(tacSim *sim, const double *x, const double *u) {
    tac_evaluate(sim, x, u);
    return tac_accelerate(sim, tac_implicit_damping(sim, sim->work.vec[1]));
}

/* The new state goes to w->next, h v+ to w->vec[0]. */
static tacStatus advance(tacSim *sim, const double *x, const double *u) {
    tacStatus status = accelerate(sim, x, u);
    return status == TAC_OK ? tac_advance(sim, x) : status;
}

static tacStatus step(tacSim *sim, const double *x, const double *u, double *y) {
    tacStatus status = advance(sim, x, u);
    return tac_end_step(sim, tac_arena_mark(&sim->arena), status, y);
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* R = ID(q, v, a) + h D a - tau = 0 defines a: da = -(M + h D)^-1 dR. M + h D is symmetric; advance left its factor. */
static tacStatus fill_jac(tacSim *sim, const double *x, const double *u, const tacJac *J) {
    const tacModel *m = sim->model;
    tacColumns c = tac_count_columns(sim);
    tacTree tree = tac_dof_tree(m);
    double *da = TAC_TAKE(&sim->arena, m->nv * c.n, double), *hv = TAC_TAKE(&sim->arena, m->nv, double);
    if (da == NULL || hv == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(hv, sim->work.vec[0], (size_t)m->nv * sizeof *hv);
    tac_residual_jac(sim, x, u, tac_damping_span(sim), c, da);
    tac_tree_solve_many(&tree, sim->work.L, c.n, da);
    return tac_assemble_jac(sim, x, u, hv, c, da, J);
}

static tacStatus jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *J) {
    size_t mark = tac_arena_mark(&sim->arena);
    tacStatus status = advance(sim, x, u);
    if (status == TAC_OK) status = fill_jac(sim, x, u, J);
    return tac_end_step(sim, mark, status, y);
}

static tacStatus vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    size_t mark = tac_arena_mark(&sim->arena);
    tacAdjoint adjoint;
    tacStatus status = accelerate(sim, x, u);
    if (status == TAC_OK) status = tac_advance_velocity(sim, x);
    if (status == TAC_OK) status = tac_adjoint_begin(sim, ybar, g->theta != NULL, &adjoint); /* lambda = h vbar+ */
    if (status == TAC_OK) {
        tac_solve(sim->model, &sim->work, adjoint.lambda);
        status = tac_adjoint_end(sim, x, u, tac_damping_span(sim), &adjoint, g);
    }
    return tac_end_step(sim, mark, status, NULL);
}

const tacStepper TAC_STEPPER_EULER = {.contact = TAC_NONE,
                                      .integrators = TAC_HAS(TAC_EULER),
                                      .step = step,
                                      .jac = jac,
                                      .vjp = vjp,
                                      TAC_SMOOTH_ACCELERATION,
                                      .scratch = tac_smooth_scratch};
