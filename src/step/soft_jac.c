/* Derivatives of the step with contact soft: the implicit function theorem at the optimum (contact/soft/soft.h, Z8). */
#include "step/soft_step.h"

#include "contact/soft/hessian.h"
#include "dynamics/mass.h"
#include "math/dense.h"

#include <string.h>

/* --- What constraints add to dG ----------------------------------------------------------------------------------- */

static tacStatus emit(tacSim *sim, const double *x, const double *u, const tacSoft *soft, const double *a,
                      const tacSoftSink *q, const tacSoftSink *mocap) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena);
    tacSmoothPoint point = tac_point_of(sim, x, u);
    tacSoftPoint p = {m, &sim->work, &sim->scene, soft, &point, a, -1, NULL, NULL};
    p.z = TAC_TAKE(&sim->arena, m->nv, double);
    p.V = TAC_TAKE(&sim->arena, m->nbody, tacVec6);
    if (p.z == NULL || p.V == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_soft_contacts_jac(&p, q, mocap);
    if (status == TAC_OK) tac_soft_other_jac(&p, q, mocap);
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* What the reference of row i of a block takes from the change of r besides its own: K d' pos_i (connects, welds). */
static double pull_of_length(const tacSoft *soft, const tacSoftBlock *b, int i) {
    return b->kind == TAC_SOFT_EQUALITY && b->n > 1 ? b->z.K * b->z.rate * soft->rows.row[b->row + i].pos : 0;
}

/* The block's stiffness, and c_i of  df_i = -sum K_ij dy_j - c_i dr. */
static void weigh_block(const tacSoft *soft, const tacSoftBlock *b, double *K, double *c) {
    double f[TAC_SOFT_MOST_ROWS], stiffening = tac_soft_stiffening(b);
    tac_soft_force(b, soft->D + b->row, soft->y + b->row, f, K);
    for (int i = 0; i < b->n; i++) {
        c[i] = b->kind == TAC_SOFT_LOSS ? 0 : -stiffening * f[i];
        for (int j = 0; j < b->n; j++)
            c[i] += K[i * b->n + j] * pull_of_length(soft, b, j);
    }
}

/* W += J^T (K dy + c dr) of one block. force: scratch, one row. */
static void respond_block(const tacSoft *soft, int id, int n, const double *dy, const double *dr, double *force,
                          double *W) {
    const tacSoftBlock *b = &soft->block[id];
    double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], c[TAC_SOFT_MOST_ROWS];
    weigh_block(soft, b, K, c);
    for (int i = 0; i < b->n; i++) {
        const tacRow *row = &soft->rows.row[b->row + i];
        memset(force, 0, (size_t)n * sizeof *force);
        for (int j = 0; j < b->n; j++)
            if (K[i * b->n + j] != 0) tac_dense_axpy(n, K[i * b->n + j], dy + (size_t)(b->row + j) * (size_t)n, force);
        if (c[i] != 0) tac_dense_axpy(n, c[i], dr + (size_t)id * (size_t)n, force);
        for (int e = row->adr; e < row->adr + row->num; e++)
            if (soft->rows.J[e] != 0)
                tac_dense_axpy(n, soft->rows.J[e], force, W + (size_t)soft->rows.dof[e] * (size_t)n);
    }
}

/* W += what constraints add to dG, at fixed a. */
static tacStatus constraints_jac(tacSim *sim, const double *x, const double *u, const tacSoft *soft, const double *a,
                                 tacColumns c, double *W) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena), rows = (size_t)soft->rows.n, n = (size_t)c.n;
    double *dy = TAC_TAKE(&sim->arena, rows * n, double), *dr = TAC_TAKE(&sim->arena, rows * n, double);
    double *force = TAC_TAKE(&sim->arena, n, double);
    if (dy == NULL || dr == NULL || force == NULL) return TAC_ERR_ARENA_FULL;
    memset(dy, 0, rows * n * sizeof *dy);
    memset(dr, 0, (size_t)soft->nblock * n * sizeof *dr);
    for (int k = 0; k < soft->nblock; k++)
        for (int i = soft->block[k].row; i < soft->block[k].row + soft->block[k].n; i++)
            tac_row_add_force(&soft->rows, i, soft->block[k].z.B, dy + (size_t)i * n + m->nv);
    int mocap = tac_mocap_column(sim), at = c.nx + (mocap < 0 ? 0 : mocap);
    tacSoftSink q = {{.matrix = W, .ld = c.n}, {.matrix = dy, .ld = c.n}, {.matrix = dr, .ld = c.n}}, moved = q;
    moved.force.matrix += at, moved.row.matrix += at, moved.pos.matrix += at;
    tacStatus status = emit(sim, x, u, soft, a, &q, mocap < 0 ? NULL : &moved);
    for (int k = 0; k < soft->nblock && status == TAC_OK; k++)
        if (!tac_soft_is_idle(&soft->block[k])) respond_block(soft, k, c.n, dy, dr, force, W);
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* bar -= (what constraints add to dG)^T lambda */
static tacStatus constraints_vjp(tacSim *sim, const double *x, const double *u, const tacSoft *soft, const double *a,
                                 const double *lambda, const tacGrad *bar) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena);
    double *mu = TAC_TAKE(&sim->arena, soft->rows.n, double), *nu = TAC_TAKE(&sim->arena, soft->rows.n, double);
    if (mu == NULL || nu == NULL) return TAC_ERR_ARENA_FULL;
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], c[TAC_SOFT_MOST_ROWS], g[TAC_SOFT_MOST_ROWS], sum = 0;
        weigh_block(soft, b, K, c);
        for (int i = 0; i < b->n; i++)
            g[i] = tac_row_velocity(&soft->rows, b->row + i, lambda), sum += c[i] * g[i];
        for (int j = 0; j < b->n; j++) {
            mu[b->row + j] = 0, nu[b->row + j] = sum;
            for (int i = 0; i < b->n; i++)
                mu[b->row + j] += K[i * b->n + j] * g[i];
            tac_row_add_force(&soft->rows, b->row + j, -b->z.B * mu[b->row + j], bar->x + m->nv);
        }
    }
    int mocap = tac_mocap_column(sim);
    tacSoftSink q = {{.lambda = lambda, .bar = bar->x, .negate = 1},
                     {.lambda = mu, .bar = bar->x, .negate = 1},
                     {.lambda = nu, .bar = bar->x, .negate = 1}},
                moved = q;
    if (mocap >= 0) moved.force.bar = moved.row.bar = moved.pos.bar = bar->u + mocap;
    tacStatus status = emit(sim, x, u, soft, a, &q, mocap < 0 ? NULL : &moved);
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* --- Acceleration ------------------------------------------------------------------------------------------------- */

/* Keeps w->qacc, which the derivatives of the smooth part read, at a. */
static void set_acceleration(tacSim *sim, const double *a) {
    memcpy(sim->work.qacc, a, (size_t)sim->model->nv * sizeof *a);
}

/* H^-1 at the solution. */
static tacStatus factor(tacSim *sim, const tacSoft *soft, tacSoftHessian *h) {
    if (!tac_soft_hessian_begin(h, sim->model, &soft->rows, &sim->arena)) return TAC_ERR_ARENA_FULL;
    return tac_soft_hessian_factor(h, sim->model, &sim->work, soft) ? TAC_OK : TAC_ERR_SINGULAR;
}

/* W <- H^-1 dG = -da, nv rows of c.n columns, at the acceleration a. */
static tacStatus accelerate_jac(tacSim *sim, const double *x, const double *u, const tacSoft *soft, const double *a,
                                tacColumns c, double *W) {
    size_t mark = tac_arena_mark(&sim->arena);
    tacSoftHessian h;
    set_acceleration(sim, a);
    tac_residual_jac(sim, x, u, 0, c, W);
    tacStatus status = constraints_jac(sim, x, u, soft, a, c, W);
    if (status == TAC_OK) status = factor(sim, soft, &h);
    if (status == TAC_OK) tac_soft_hessian_solve_many(&h, sim->model, c.n, W);
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* --- Euler -------------------------------------------------------------------------------------------------------- */

/* W = -da -> -da', (M + h D) a' = M a, where d(M a') - d(M a) is the difference of two residuals. */
static tacStatus damp_jac(tacSim *sim, const double *x, const double *u, const double *a, const double *damped,
                          tacColumns c, double *W) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena), n = (size_t)m->nv * (size_t)c.n;
    double *there = TAC_TAKE(&sim->arena, n, double), *here = TAC_TAKE(&sim->arena, n, double);
    double *extra = TAC_TAKE(&sim->arena, m->nv, double);
    if (there == NULL || here == NULL || extra == NULL) return TAC_ERR_ARENA_FULL;
    tacTree tree = tac_dof_tree(m);
    tac_tree_mul_many(&tree, sim->work.M, c.n, W, there);
    memcpy(W, there, n * sizeof *W);
    set_acceleration(sim, damped);
    tac_residual_jac(sim, x, u, tac_damping_span(sim), c, there);
    set_acceleration(sim, a);
    tac_residual_jac(sim, x, u, 0, c, here);
    for (size_t i = 0; i < n; i++)
        W[i] += there[i] - here[i];
    tacStatus status = tac_factor(m, &sim->work, tac_implicit_damping(sim, extra));
    if (status == TAC_OK) tac_tree_solve_many(&tree, sim->work.L, c.n, W);
    tac_arena_release(&sim->arena, mark);
    return status;
}

tacStatus tac_soft_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *J) {
    const tacModel *m = sim->model;
    if (J->P != NULL && m->nparam > 0) return TAC_ERR_UNSUPPORTED;
    tacSoftMotion move;
    size_t mark = tac_arena_mark(&sim->arena);
    tacColumns c = tac_count_columns(sim);
    double *W = TAC_TAKE(&sim->arena, (size_t)m->nv * (size_t)c.n, double);
    tacStatus status = W == NULL ? TAC_ERR_ARENA_FULL : tac_soft_advance(sim, x, u, &move);
    if (status == TAC_OK && y != NULL) memcpy(y, sim->work.next, (size_t)tac_nx(m) * sizeof *y);
    if (status == TAC_OK) status = accelerate_jac(sim, x, u, &move.soft, move.a, c, W);
    if (status == TAC_OK && move.damped != NULL) status = damp_jac(sim, x, u, move.a, move.damped, c, W);
    if (status == TAC_OK) tac_assemble_jac(sim, x, u, move.hv, c, W, J);
    tac_arena_release(&sim->arena, mark);
    return tac_soft_judge(&move.soft, status);
}

/* lambda = (M + h D)^-1 times the gradient by a': what goes through a' alone is taken to bar; lambda -> M lambda. */
static tacStatus damp_vjp(tacSim *sim, const double *x, const double *u, const tacSoftMotion *move, double *lambda,
                          const tacGrad *bar) {
    const tacModel *m = sim->model;
    double *back = TAC_TAKE(&sim->arena, m->nv, double), *extra = TAC_TAKE(&sim->arena, m->nv, double);
    if (back == NULL || extra == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_factor(m, &sim->work, tac_implicit_damping(sim, extra));
    if (status != TAC_OK) return status;
    tac_solve(m, &sim->work, lambda);
    set_acceleration(sim, move->damped);
    tac_residual_vjp(sim, x, u, tac_damping_span(sim), lambda, bar);
    for (int i = 0; i < m->nv; i++)
        back[i] = -lambda[i];
    set_acceleration(sim, move->a);
    tac_residual_vjp(sim, x, u, 0, back, bar);
    tac_mass_mul(m, &sim->work, lambda, back);
    memcpy(lambda, back, (size_t)m->nv * sizeof *lambda);
    return TAC_OK;
}

static tacStatus pull(tacSim *sim, const double *x, const double *u, const tacSoftMotion *move, const double *ybar,
                      const tacGrad *g) {
    tacAdjoint adjoint;
    tacSoftHessian h;
    memcpy(sim->work.vec[0], move->hv, (size_t)sim->model->nv * sizeof(double));
    tacStatus status = tac_adjoint_begin(sim, ybar, g->theta != NULL, &adjoint);
    if (status == TAC_OK) status = factor(sim, &move->soft, &h);
    if (status == TAC_OK && move->damped != NULL) status = damp_vjp(sim, x, u, move, adjoint.lambda, &adjoint.bar);
    if (status == TAC_OK) {
        tac_soft_hessian_solve(&h, sim->model, adjoint.lambda);
        status = constraints_vjp(sim, x, u, &move->soft, move->a, adjoint.lambda, &adjoint.bar);
    }
    set_acceleration(sim, move->a);
    if (status == TAC_OK) tac_adjoint_end(sim, x, u, 0, &adjoint, g);
    return status;
}

tacStatus tac_soft_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    tacSoftMotion move;
    if (g->theta != NULL && sim->model->nparam > 0) return TAC_ERR_UNSUPPORTED;
    size_t mark = tac_arena_mark(&sim->arena);
    tacStatus status = tac_soft_advance(sim, x, u, &move);
    if (status == TAC_OK) status = pull(sim, x, u, &move, ybar, g);
    tac_arena_release(&sim->arena, mark);
    return tac_soft_judge(&move.soft, status);
}
