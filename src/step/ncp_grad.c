/* Derivatives of the step with contact ncp: implicit, at the point of the central path that the options name, with the
 * factors of the step's own system   (docs/theory/ncp.md, W20-W23)
 *
 *   R(v+; q, v, act, u) = 0 with cone variables eliminated:   dv+ = w - A^-1 dR,   w = dv+ and dR at fixed q+
 *
 * In reverse the same columns are summed with vbar+. */
#include "step/ncp_step.h"

#include "dynamics/actuator.h"
#include "dynamics/passive.h"
#include "math/dense.h"
#include "step/tangent.h"

#include <string.h>

/* Derivatives that there are no equations for yet. */
static int has_columns(const tacSim *sim, const double *of_theta) {
    int mocap = (sim->options.inputs & TAC_INPUT_MOCAP) && sim->model->nmocap > 0;
    return !mocap && (of_theta == NULL || sim->model->nparam == 0);
}

/* The step solved where it is differentiated -> p with its system factored, d. */
static tacStatus prepare(tacSim *sim, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d) {
    double kappa = sim->options.ncp_kappa, smooth = sim->options.ncp_gradient_kappa;
    tacStatus solved = tac_ncp_go(sim, x, u, smooth > kappa ? smooth : kappa, p);
    if (!tac_went_on(solved)) return solved;
    if (!tac_ncp_deriv_layout(d, sim->model, sim->options.max_contacts, &sim->arena)) return TAC_ERR_ARENA_FULL;
    tac_ncp_linearize(p);
    tacStatus status = tac_ncp_contact_blocks(p);
    if (status == TAC_OK) status = tac_block_factor(&p->ldu);
    if (status == TAC_OK) status = tac_ncp_differentiate(p, d);
    return status == TAC_OK ? solved : status;
}

/* --- What moves with the dofs themselves -------------------------------------------------------------------------- */

/* Where the blocks of u after ctrl begin; -1: not there. */
static void input_columns(const tacSim *sim, int *qfrc, int *xfrc) {
    int next = sim->model->nu;
    *qfrc = *xfrc = -1;
    if (sim->options.inputs & TAC_INPUT_QFRC) *qfrc = next, next += sim->model->nv;
    if (sim->options.inputs & TAC_INPUT_XFRC) *xfrc = next;
}

/* d(joint forces) to sinks like `like`: by columns of a matrix or into the arrays of a gradient. */
static void emit_forces(tacSim *sim, const double *x, const double *u, tacSink like, double *of_x, double *of_u) {
    const tacModel *m = sim->model;
    int qfrc, xfrc;
    tacSmoothPoint point = tac_point_of(sim, x, u);
    tacSink sink[6];
    input_columns(sim, &qfrc, &xfrc);
    double *from[6] = {
        of_x, of_x + m->nv, of_x + 2 * m->nv, of_u, of_u + (qfrc < 0 ? 0 : qfrc), of_u + (xfrc < 0 ? 0 : xfrc)};
    for (int k = 0; k < 6; k++) {
        sink[k] = like;
        if (like.matrix != NULL)
            sink[k].matrix = from[k];
        else
            sink[k].bar = from[k];
    }
    tac_joint_force_jac(m, &sim->work, &point,
                        &(tacForceSink){.q = sink[0], .v = sink[1], .act = sink[2], .ctrl = sink[3]},
                        qfrc < 0 ? NULL : &sink[4], xfrc < 0 ? NULL : &sink[5]);
}

/* Of a limit that is overstepped at q, the end that counts moves along: what the dof's balance gains per unit of q. */
static double limit_start(const tacNcpLimit *l) { return l->rest < 0 ? -l->gamma / l->s : 0; }

static double own_inertia(const tacNcp *p, int dof) {
    return p->m->dof_armature[dof] + p->damping_span * p->m->dof_damping[dof];
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* Column of W += S . (sums of f over subtrees). */
static void add_body_column(const tacNcp *p, tacVec6 *f, tacColumns c, double *W) {
    const tacModel *m = p->m;
    for (int b = m->nbody - 1; b > 0; b--) {
        for (int i = m->body_dof_adr[b]; i < m->body_dof_adr[b] + m->body_dof_num[b]; i++)
            W[(size_t)i * (size_t)c.n] += tac_dot6(p->w->S[i], f[b]);
        f[m->body_parent[b]] = tac_add6(f[m->body_parent[b]], f[b]);
    }
}

/* The dofs' own inertia feels v+ change as q moves at fixed q+. */
static void add_own_column(const tacNcp *p, int j, tacColumns c, double *W) {
    double hold[3];
    int n = tac_ncp_hold(p, j, hold), first = tac_ncp_hold_first(p, j);
    for (int k = 0; k < n; k++)
        W[(size_t)(first + k) * (size_t)c.n] += own_inertia(p, first + k) * hold[k];
}

/* W = dR at fixed q+. */
static void residual_jac(tacSim *sim, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d, tacColumns c,
                         double *W) {
    const tacModel *m = sim->model;
    memset(W, 0, (size_t)m->nv * (size_t)c.n * sizeof *W);
    emit_forces(sim, x, u, (tacSink){.matrix = W, .ld = c.n, .negate = 1}, W, W + c.nx);
    for (size_t i = 0; i < (size_t)m->nv * (size_t)c.n; i++)
        W[i] *= p->h;
    tac_world_force_jac(m, &sim->work, d->wrench, &(tacSink){.matrix = W, .ld = c.n});
    for (int i = 0; i < m->nv; i++)
        W[(size_t)i * (size_t)c.n + (size_t)(m->nv + i)] -= own_inertia(p, i);
    for (int i = 0; i < p->nlimit; i++)
        W[(size_t)p->limit[i].dof * (size_t)(c.n + 1)] += limit_start(&p->limit[i]);
    for (int j = 0; j < 2 * m->nv; j++) {
        tac_ncp_column(p, d, j % m->nv, j >= m->nv, p->rhs);
        add_body_column(p, p->rhs, c, W + j);
        if (j < m->nv) add_own_column(p, j, c, W + j);
    }
}

/* W = dR -> W = -(dv+ - dv)/h, as tac_assemble_jac takes it. */
static void answer_columns(tacNcp *p, tacColumns c, double *W, double *column) {
    int nv = p->m->nv;
    memset(p->rhs, 0, (size_t)p->m->nbody * sizeof *p->rhs);
    for (int j = 0; j < c.n; j++) {
        for (int i = 0; i < nv; i++)
            column[i] = W[(size_t)i * (size_t)c.n + (size_t)j];
        tac_block_solve(&p->ldu, &p->rhs[0].ang.x, column, column);
        if (j < nv) {
            double hold[3];
            int n = tac_ncp_hold(p, j, hold), first = tac_ncp_hold_first(p, j);
            for (int k = 0; k < n; k++)
                column[first + k] += hold[k];
        } else if (j < 2 * nv) {
            column[j - nv] -= 1;
        }
        for (int i = 0; i < nv; i++)
            W[(size_t)i * (size_t)c.n + (size_t)j] = -column[i] / p->h;
    }
}

tacStatus tac_ncp_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *J) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena);
    tacColumns c = tac_count_columns(sim);
    tacNcp p;
    tacNcpDeriv d;
    if (!has_columns(sim, J->P)) return TAC_ERR_UNSUPPORTED;
    double *W = TAC_TAKE(&sim->arena, (size_t)m->nv * (size_t)c.n, double), *hv = TAC_TAKE(&sim->arena, m->nv, double),
           *next = TAC_TAKE(&sim->arena, tac_nx(m), double);
    tacStatus status = W == NULL || hv == NULL || next == NULL ? TAC_ERR_ARENA_FULL : TAC_OK;
    size_t step = tac_arena_mark(&sim->arena);
    if (status == TAC_OK && y != NULL && sim->options.ncp_gradient_kappa > sim->options.ncp_kappa) {
        status = tac_ncp_go(sim, x, u, sim->options.ncp_kappa, &p); /* the step itself is not the smoothed one */
        memcpy(next, sim->work.next, (size_t)tac_nx(m) * sizeof *next);
        tac_arena_release(&sim->arena, step);
    }
    tacStatus solved = tac_went_on(status) ? prepare(sim, x, u, &p, &d) : status;
    if (tac_went_on(solved)) {
        if (!(sim->options.ncp_gradient_kappa > sim->options.ncp_kappa))
            memcpy(next, sim->work.next, (size_t)tac_nx(m) * sizeof *next);
        memcpy(hv, p.hv, (size_t)m->nv * sizeof *hv);
        residual_jac(sim, x, u, &p, &d, c, W);
        answer_columns(&p, c, W, p.g_rhs);
        tac_assemble_jac(sim, x, u, hv, c, W, J);
        if (y != NULL) memcpy(y, next, (size_t)tac_nx(m) * sizeof *y);
    }
    tac_arena_release(&sim->arena, mark);
    return tac_went_on(solved) && status == TAC_ERR_UNSOLVED ? status : solved;
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* bar -= W^T lambda. By columns and not by one transposed solve: that has the contacts' stiffness, 1e12 and more, times
 * what rounding leaves of motions that contacts hold, and loses as many digits. */
static void columns_vjp(const tacModel *m, tacColumns c, const double *W, const double *lambda, const tacGrad *bar) {
    for (int i = 0; i < m->nv; i++) {
        const double *row = W + (size_t)i * (size_t)c.n;
        tac_dense_axpy(c.nx, -lambda[i], row, bar->x);
        tac_dense_axpy(c.nu, -lambda[i], row + c.nx, bar->u);
    }
}

/* Activations go on by themselves. */
static void activations_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *bar) {
    const tacModel *m = sim->model;
    const double *actbar = ybar + 2 * m->nv;
    tacSink act = {.lambda = actbar, .bar = bar->x + 2 * m->nv}, ctrl = {.lambda = actbar, .bar = bar->u};
    tac_advance_activations_jac(m, &sim->work, u, x + m->nq + m->nv, sim->options.dt, &act, &ctrl);
}

tacStatus tac_ncp_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena);
    tacColumns c = tac_count_columns(sim);
    tacNcp p;
    tacNcpDeriv d;
    tacAdjoint adjoint;
    if (!has_columns(sim, g->theta)) return TAC_ERR_UNSUPPORTED;
    double *W = TAC_TAKE(&sim->arena, (size_t)m->nv * (size_t)c.n, double);
    tacStatus solved = W == NULL ? TAC_ERR_ARENA_FULL : prepare(sim, x, u, &p, &d), status = solved;
    if (tac_went_on(solved)) {
        memcpy(sim->work.vec[0], p.hv, (size_t)m->nv * sizeof(double));
        status = tac_adjoint_begin(sim, ybar, 0, &adjoint);
    }
    if (tac_went_on(solved) && status == TAC_OK) {
        residual_jac(sim, x, u, &p, &d, c, W);
        answer_columns(&p, c, W, p.g_rhs);
        columns_vjp(m, c, W, adjoint.lambda, &adjoint.bar);
        activations_vjp(sim, x, u, ybar, &adjoint.bar);
        if (g->theta != NULL) adjoint.bar.theta = g->theta; /* no parameters */
        tac_copy_grad(&adjoint.bar, c, g);
    }
    tac_arena_release(&sim->arena, mark);
    return status == TAC_OK ? solved : status;
}

size_t tac_ncp_grad_scratch(const tacModel *m, const tacOptions *options) {
    return tac_ncp_deriv_bytes(m, options->max_contacts) + tac_smooth_scratch(m, options) + tac_room((size_t)tac_nx(m));
}
