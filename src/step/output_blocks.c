#include "step/output_blocks.h"

#include "dynamics/actuator.h"
#include "dynamics/passive.h"
#include "smooth/smooth_step.h"

#include <string.h>

/* --- Where derivatives go ----------------------------------------------------------------------------------------- */

/* First number of the mocap poses in u; any where u has none. */
static int mocap_column(const tacSim *sim) { return sim->ctx.inputs.mocap < 0 ? 0 : sim->ctx.inputs.mocap; }

static double *at(double *array, int offset) { return array == NULL ? NULL : array + offset; }

tacOutputSinks tac_output_matrix_sinks(const tacSim *sim, const tacJac *J, const int ld[3]) {
    int nv = sim->ctx.model->nv;
    tacForceSink state = {.q = {.matrix = J->A, .ld = ld[0]},
                          .v = {.matrix = at(J->A, nv), .ld = ld[0]},
                          .act = {.matrix = at(J->A, 2 * nv), .ld = ld[0]},
                          .ctrl = {.matrix = J->B, .ld = ld[1]}};
    return (tacOutputSinks){.state = state,
                            .mocap = {.matrix = at(J->B, mocap_column(sim)), .ld = ld[1]},
                            .theta = {.matrix = J->P, .ld = ld[2]}};
}

tacOutputSinks tac_output_reverse_sinks(const tacSim *sim, const double *lambda, const tacGrad *bar) {
    int nv = sim->ctx.model->nv;
    tacForceSink state = {.q = {.lambda = lambda, .bar = bar->x},
                          .v = {.lambda = lambda, .bar = bar->x + nv},
                          .act = {.lambda = lambda, .bar = bar->x + 2 * nv},
                          .ctrl = {.lambda = lambda, .bar = bar->u}};
    tacOutputSinks s = {.state = state, .mocap = {.lambda = lambda, .bar = bar->u + mocap_column(sim)}};
    if (bar->theta != NULL) s.theta = (tacSink){.lambda = lambda, .bar = bar->theta};
    return s;
}

/* --- All elements of a kind at once ------------------------------------------------------------------------------- */

static tacOutputSinks block_sinks(const tacSim *sim, const tacOutputBlock *b) {
    tacColumns c = tac_count_columns(&sim->ctx);
    if (b->W == NULL) return tac_output_reverse_sinks(sim, b->lambda, &b->bar);
    return tac_output_matrix_sinks(sim, &(tacJac){b->W, b->W + c.nx, b->W + c.nx + c.nu}, (int[]){c.n, c.n, c.n});
}

static tacStatus block_act_dot(tacSim *sim, const tacOutputPoint *p, const tacOutputBlock *b) {
    const tacModel *m = p->m;
    tacOutputSinks s = block_sinks(sim, b);
    tac_activation_rates_jac(m, p->w, p->x.u.ctrl, &s.state.act, &s.state.ctrl);
    for (int a = 0; a < m->nu; a++)
        for (int k = 0; m->actuator_act_num[a] > 0 && !tac_output_drops(&s.theta) && k < m->nmember; k++)
            tac_emit(&s.theta, m->actuator_act_adr[a] + m->actuator_act_num[a] - 1, sim->ctx.tangents[k].column,
                     tac_param_rate(m, p->w, &p->x, &sim->ctx.tangents[k], a));
    return TAC_OK;
}

/* Columns of mocap poses and parameters, of one part of the forces. */
static void emit_force_columns(tacSim *sim, const tacOutputPoint *p, const tacOutputSinks *s, int actuators) {
    const tacModel *m = p->m;
    tacForceParts mocap = {{0}, {0}}, theta = {{0}, {0}};
    *(actuators ? &mocap.actuator : &mocap.passive) = s->mocap;
    *(actuators ? &theta.actuator : &theta.passive) = s->theta;
    for (int i = 0; p->x.u.mocap != NULL && i < TAC_POSE_SIZE * m->nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(m, p->w, i, p->x.u.mocap, &mover);
        tac_force_move(m, p->w, &p->x, &mover, i, &mocap);
    }
    for (int k = 0; !tac_output_drops(&s->theta) && k < m->nmember; k++)
        tac_param_force_jac(m, p->w, &p->x, &sim->ctx.tangents[k], sim->ctx.tangents[k].column, &theta);
}

/* Gravity compensation belongs to the actuators at joints that say so, unless their total is held at a bound. */
static tacStatus block_qfrc_actuator(tacSim *sim, const tacOutputPoint *p, const tacOutputBlock *b) {
    const tacModel *m = p->m;
    tacOutputSinks s = block_sinks(sim, b);
    tac_actuator_jac(m, p->w, p->x.q, p->x.v, p->x.u.ctrl, p->x.act, p->x.h, &s.state);
    tacSink compensation = s.state.q;
    compensation.skip = p->w->skip;
    for (int i = 0; i < m->nv; i++)
        p->w->skip[i] = !m->joint_actgravcomp[m->dof_joint[i]] || p->w->saturated[i];
    tac_gravcomp_jac(m, p->w, &compensation);
    emit_force_columns(sim, p, &s, 1);
    return TAC_OK;
}

static tacStatus block_qfrc_passive(tacSim *sim, const tacOutputPoint *p, const tacOutputBlock *b) {
    tacOutputSinks s = block_sinks(sim, b);
    memset(p->w->saturated, 1, (size_t)p->m->nv); /* what goes through actuators is left out */
    tac_passive_jac(p->m, p->w, p->x.q, p->w->saturated, &s.state);
    emit_force_columns(sim, p, &s, 0);
    return TAC_OK;
}

static tacStatus block_acceleration(tacSim *sim, const tacOutputPoint *p, const tacOutputBlock *b) {
    const double *x = p->x.q, *u = p->x.u.ctrl;
    if (b->W != NULL)
        return sim->ctx.stepper->acceleration_jac(&sim->ctx, x, u, tac_count_columns(&sim->ctx), NULL, b->W);
    return sim->ctx.stepper->acceleration_vjp(&sim->ctx, x, u, b->lambda, &b->bar);
}

static tacStatus block_contact_force(tacSim *sim, const tacOutputPoint *p, const tacOutputBlock *b) {
    const double *x = p->x.q, *u = p->x.u.ctrl;
    if (b->W != NULL) return sim->ctx.stepper->forces_jac(&sim->ctx, x, u, b->W, NULL);
    return sim->ctx.stepper->forces_vjp(&sim->ctx, x, u, b->lambda, NULL, &b->bar);
}

static tacStatus block_qfrc_constraint(tacSim *sim, const tacOutputPoint *p, const tacOutputBlock *b) {
    const double *x = p->x.q, *u = p->x.u.ctrl;
    if (b->W != NULL) return sim->ctx.stepper->forces_jac(&sim->ctx, x, u, NULL, b->W);
    return sim->ctx.stepper->forces_vjp(&sim->ctx, x, u, NULL, b->lambda, &b->bar);
}

const tacOutputBlockJac TAC_OUTPUT_BLOCKS[TAC_OUTPUT_KINDS] = {
    [TAC_OUT_ACT_DOT] = block_act_dot,
    [TAC_OUT_QFRC_ACTUATOR] = block_qfrc_actuator,
    [TAC_OUT_QFRC_PASSIVE] = block_qfrc_passive,
    [TAC_OUT_ACCELERATION] = block_acceleration,
    [TAC_OUT_CONTACT_FORCE] = block_contact_force,
    [TAC_OUT_QFRC_CONSTRAINT] = block_qfrc_constraint,
};
