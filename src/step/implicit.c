/* Contact none, implicit in velocity, as in MuJoCo (step.md, ST2):
 *
 *   (M - h G) a = F(x, u),   v+ = v + h a,   q+ = q (+) h v+,   G = dF/dv
 *
 * `implicit` takes all of G, which is not symmetric; `implicitfast` leaves the derivative of Coriolis and centrifugal
 * forces out, but for bodies that float alone, and is then symmetric where there are none (dynamics/velocity.h). */
#include "step/implicit.h"

#include "dynamics/inverse.h"
#include "dynamics/mass.h"
#include "dynamics/param_deriv.h"
#include "dynamics/velocity.h"
#include "math/dense.h"
#include "math/tree_lu.h"

#include <string.h>

tacStatus tac_implicit_open(tacSim *sim, tacImplicit *f) {
    const tacModel *m = sim->model;
    unsigned char *rows = TAC_TAKE(&sim->arena, m->nv, unsigned char);
    f->lower = TAC_TAKE(&sim->arena, m->nM, double);
    f->upper = TAC_TAKE(&sim->arena, m->nM, double);
    if (rows == NULL || f->lower == NULL || f->upper == NULL) return TAC_ERR_ARENA_FULL;
    f->rows = tac_bias_rows(m, sim->options.integrator == TAC_IMPLICIT, rows) ? rows : NULL;
    return TAC_OK;
}

tacStatus tac_implicit_accelerate(tacSim *sim, const double *x, const double *u, tacImplicit *f) {
    const tacModel *m = sim->model;
    tacWork *w = &sim->work;
    tacTree tree = tac_dof_tree(m);
    tacSmoothPoint point = tac_point_of(sim, x, u);
    tac_velocity_matrix(m, w, &point, f->rows, f->lower, f->upper);
    int bad =
        f->rows == NULL ? tac_tree_factor(&tree, f->lower, NULL, w->L) : tac_tree_lu_factor(&tree, f->lower, f->upper);
    if (bad >= 0) return TAC_ERR_SINGULAR;
    memcpy(w->qacc, w->qfrc, (size_t)m->nv * sizeof *w->qacc);
    if (f->rows == NULL)
        tac_tree_solve(&tree, w->L, w->qacc);
    else
        tac_tree_lu_solve(&tree, f->lower, f->upper, w->qacc);
    return TAC_OK;
}

void tac_implicit_solve_many(tacSim *sim, const tacImplicit *f, int n, double *W) {
    tacTree tree = tac_dof_tree(sim->model);
    if (f->rows == NULL)
        tac_tree_solve_many(&tree, sim->work.L, n, W);
    else
        tac_tree_lu_solve_many(&tree, f->lower, f->upper, n, W);
}

void tac_implicit_solve_transposed(tacSim *sim, const tacImplicit *f, double *x) {
    tacTree tree = tac_dof_tree(sim->model);
    if (f->rows == NULL)
        tac_tree_solve(&tree, sim->work.L, x);
    else
        tac_tree_lu_solve_transposed(&tree, f->lower, f->upper, x);
}

/* (x, u) -> w->qacc. */
static tacStatus accelerate(tacSim *sim, const double *x, const double *u, tacImplicit *f) {
    tacStatus status = tac_implicit_open(sim, f);
    if (status != TAC_OK) return status;
    tac_evaluate(sim, x, u);
    return tac_implicit_accelerate(sim, x, u, f);
}

/* The new state in w->next, h v+ in w->vec[0]. */
static tacStatus advance(tacSim *sim, const double *x, const double *u, tacImplicit *f) {
    tacStatus status = accelerate(sim, x, u, f);
    return status == TAC_OK ? tac_advance(sim, x) : status;
}

static tacStatus step(tacSim *sim, const double *x, const double *u, double *y) {
    size_t mark = tac_arena_mark(&sim->arena);
    tacImplicit f;
    tacStatus status = advance(sim, x, u, &f);
    return tac_end_step(sim, mark, status, y);
}

/* --- Derivatives ---------------------------------------------------------------------------------------------------
 * R = ID(q, v, a) - tau - h G a = 0 defines a:  da = -K^-1 dR. Of -h G a, the part of dc/dv is h (dc/dv) a. Since c is
 * quadratic in v, both this and its derivative with respect to anything are differences that are exact:
 *
 *   h (dc/dv) a = (c(v + h a) - c(v - h a)) / 2                                                              (ST4) */

/* v + side h a */
static void shift_velocity(const tacSim *sim, const double *x, double side, double *v) {
    const tacModel *m = sim->model;
    for (int i = 0; i < m->nv; i++)
        v[i] = x[m->nq + i] + side * sim->options.dt * sim->work.qacc[i];
}

/* What is placed: numbers of mocap poses, then registered numbers. Their columns are the last ones. */
static int count_mocap(const tacSim *sim) { return sim->options.inputs & TAC_INPUT_MOCAP ? 7 * sim->model->nmocap : 0; }

static int count_placed(const tacSim *sim) { return count_mocap(sim) + sim->model->nmember; }

/* Column of the k-th of them among c.n. */
static int placed_column(const tacSim *sim, tacColumns c, int k) {
    int nmocap = count_mocap(sim);
    return k < nmocap ? c.n - c.np - nmocap + k : c.n - c.np + sim->tangents[k - nmocap].column;
}

/* Movers of such a column; returns their number. */
static int placed_movers(tacSim *sim, const tacSmoothPoint *p, int k, tacMover movers[2]) {
    int nmocap = count_mocap(sim);
    if (k >= nmocap) return tac_param_movers(sim->model, &sim->work, &sim->tangents[k - nmocap], p, movers);
    tac_mocap_mover(sim->model, &sim->work, k / 7, k % 7, p->u.mocap + 7 * (k / 7), &movers[0]);
    return 1;
}

/* dc along column k at velocity v. Needs: tac_rnea_jac or tac_rnea_vjp there, without acceleration. */
static void emit_bias(tacSim *sim, const tacSmoothPoint *p, const double *v, const double *still, int k, int column,
                      const tacSink *sink) {
    const tacModel *m = sim->model;
    tacMover movers[2];
    int n = placed_movers(sim, p, k, movers), nmocap = count_mocap(sim);
    for (int i = 0; i < n; i++)
        tac_rnea_move(m, &sim->work, v, still, &movers[i], column, sink);
    const tacInertialTangent *inertial = k < nmocap ? NULL : sim->tangents[k - nmocap].inertial;
    for (int b = 1; inertial != NULL && b < m->nbody; b++) {
        tacInertia dI = tac_world_inertia_change(m, &sim->work, b, &inertial[b]);
        tac_rnea_inertia(m, &sim->work, b, &dI, column, sink);
    }
}

/* d(h G a) along column k, without dc/dv. */
static void emit_velocity(tacSim *sim, const tacSmoothPoint *p, int k, int column, const tacSink *sink) {
    const tacModel *m = sim->model;
    int nmocap = count_mocap(sim);
    tacMover movers[2];
    if (k >= nmocap) {
        tac_param_velocity_jac(m, &sim->work, p, sim->work.qacc, &sim->tangents[k - nmocap], column, sink);
        return;
    }
    placed_movers(sim, p, k, movers);
    tac_velocity_move(m, &sim->work, p, sim->work.qacc, &movers[0], column, sink);
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* The column of the time step: dc/dv(v + side h a) a / 2, the derivative by h of side/2 c. T: dc/dv. */
static void add_bias_time(const tacSim *sim, const unsigned char *rows, tacColumns c, const double *T, double *W) {
    size_t n = (size_t)sim->model->nv;
    int time = tac_param_of_time(sim->model);
    for (size_t i = 0; time >= 0 && i < n; i++)
        if (rows[i])
            W[i * (size_t)c.n + (size_t)(c.nx + c.nu + time)] +=
                0.5 * tac_dense_dot((int)n, T + i * 2 * n, sim->work.qacc);
}

/* W += side/2 dc at v + side h a. */
static tacStatus add_bias_side(tacSim *sim, const double *x, const double *u, double side, const unsigned char *rows,
                               tacColumns c, double *W) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena), n = (size_t)m->nv, ld = (size_t)c.n;
    double *T = TAC_TAKE(&sim->arena, 2 * n * n, double), *v = TAC_TAKE(&sim->arena, n, double),
           *still = TAC_TAKE(&sim->arena, n, double), *column = TAC_TAKE(&sim->arena, n, double);
    if (T == NULL || v == NULL || still == NULL || column == NULL) return TAC_ERR_ARENA_FULL;
    memset(T, 0, 2 * n * n * sizeof *T);
    memset(still, 0, n * sizeof *still);
    shift_velocity(sim, x, side, v);
    tac_rnea_jac(m, &sim->work, v, still, 2 * m->nv, T, T + n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; rows[i] && j < 2 * n; j++)
            W[i * ld + j] += 0.5 * side * T[i * 2 * n + j];
    add_bias_time(sim, rows, c, T + n, W);
    tacSmoothPoint point = tac_point_of(sim, x, u);
    int placed = count_placed(sim);
    for (int k = 0; k < placed; k++) {
        memset(column, 0, n * sizeof *column);
        emit_bias(sim, &point, v, still, k, 0, &(tacSink){.matrix = column, .ld = 1});
        for (size_t i = 0; i < n; i++)
            if (rows[i]) W[i * ld + (size_t)placed_column(sim, c, k)] += 0.5 * side * column[i];
    }
    tac_arena_release(&sim->arena, mark);
    return TAC_OK;
}

/* W += d(-h G a) */
static tacStatus add_velocity_jac(tacSim *sim, const double *x, const double *u, const unsigned char *rows,
                                  tacColumns c, double *W) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena), n = (size_t)m->nv;
    double *scratch = TAC_TAKE(&sim->arena, 2 * n * n, double);
    if (scratch == NULL) return TAC_ERR_ARENA_FULL;
    tacSmoothPoint point = tac_point_of(sim, x, u);
    tacForceSink sink = {.q = {.matrix = W, .ld = c.n, .negate = 1},
                         .act = {.matrix = W + 2 * m->nv, .ld = c.n, .negate = 1},
                         .ctrl = {.matrix = W + c.nx, .ld = c.n, .negate = 1}};
    tac_velocity_jac(m, &sim->work, &point, sim->work.qacc, &sink, scratch);
    int placed = count_placed(sim);
    for (int k = 0; k < placed; k++)
        emit_velocity(sim, &point, k, placed_column(sim, c, k), &(tacSink){.matrix = W, .ld = c.n, .negate = 1});
    tac_arena_release(&sim->arena, mark);
    if (rows == NULL) return TAC_OK;
    tacStatus status = add_bias_side(sim, x, u, 1, rows, c, W);
    return status == TAC_OK ? add_bias_side(sim, x, u, -1, rows, c, W) : status;
}

tacStatus tac_implicit_residual_jac(tacSim *sim, const double *x, const double *u, const tacImplicit *f, tacColumns c,
                                    double *W) {
    tac_residual_jac(sim, x, u, sim->options.dt, c, W);
    return add_velocity_jac(sim, x, u, f->rows, c, W);
}

static tacStatus fill_jac(tacSim *sim, const double *x, const double *u, const tacImplicit *f, const tacJac *J) {
    const tacModel *m = sim->model;
    tacWork *w = &sim->work;
    tacColumns c = tac_count_columns(sim);
    double *da = TAC_TAKE(&sim->arena, m->nv * c.n, double), *hv = TAC_TAKE(&sim->arena, m->nv, double);
    if (da == NULL || hv == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(hv, w->vec[0], (size_t)m->nv * sizeof *hv);
    tacStatus status = tac_implicit_residual_jac(sim, x, u, f, c, da);
    if (status != TAC_OK) return status;
    tac_implicit_solve_many(sim, f, c.n, da);
    return tac_assemble_jac(sim, x, u, hv, c, da, J);
}

static tacStatus jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *J) {
    size_t mark = tac_arena_mark(&sim->arena);
    tacImplicit f;
    tacStatus status = advance(sim, x, u, &f);
    if (status == TAC_OK) status = fill_jac(sim, x, u, &f, J);
    return tac_end_step(sim, mark, status, y);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* Where the gradient with respect to column k of those above goes; NULL: it is not asked for. */
static double *placed_bar(const tacSim *sim, const tacGrad *bar, int k) {
    int nmocap = count_mocap(sim);
    if (k < nmocap) return bar->u + tac_ninput(sim->model, &sim->options) - nmocap + k;
    return bar->theta != NULL ? bar->theta + sim->tangents[k - nmocap].column : NULL;
}

/* bar -= side/2 dc^T lambda at v + side h a; scratch: 4 nv. */
static void pull_bias_side(tacSim *sim, const double *x, const double *u, double side, const double *lambda,
                           const tacGrad *bar, double *scratch) {
    const tacModel *m = sim->model;
    int n = m->nv, placed = count_placed(sim);
    double *v = scratch, *still = v + n, *qbar = still + n, *vbar = qbar + n;
    memset(still, 0, (size_t)n * sizeof *still);
    shift_velocity(sim, x, side, v);
    tac_rnea_vjp(m, &sim->work, v, still, lambda, qbar, vbar);
    for (int i = 0; i < n; i++) {
        bar->x[i] -= 0.5 * side * qbar[i];
        bar->x[n + i] -= 0.5 * side * vbar[i];
    }
    int time = bar->theta == NULL ? -1 : tac_param_of_time(m);
    if (time >= 0) bar->theta[time] -= 0.5 * tac_dense_dot(n, vbar, sim->work.qacc);
    tacSmoothPoint point = tac_point_of(sim, x, u);
    for (int k = 0; k < placed; k++) {
        double moved = 0, *to = placed_bar(sim, bar, k);
        if (to == NULL) continue;
        emit_bias(sim, &point, v, still, k, 0, &(tacSink){.lambda = lambda, .bar = &moved});
        *to -= 0.5 * side * moved;
    }
}

/* bar -= d(-h G a)^T lambda */
static tacStatus pull_velocity(tacSim *sim, const double *x, const double *u, const unsigned char *rows,
                               const double *lambda, const tacGrad *bar) {
    const tacModel *m = sim->model;
    int n = m->nv, placed = count_placed(sim);
    double *masked = TAC_TAKE(&sim->arena, n, double), *scratch = TAC_TAKE(&sim->arena, 4 * n, double);
    if (masked == NULL || scratch == NULL) return TAC_ERR_ARENA_FULL;
    tacSmoothPoint point = tac_point_of(sim, x, u);
    tacForceSink sink = {.q = {.lambda = lambda, .bar = bar->x},
                         .act = {.lambda = lambda, .bar = bar->x + 2 * n},
                         .ctrl = {.lambda = lambda, .bar = bar->u}};
    tac_velocity_jac(m, &sim->work, &point, sim->work.qacc, &sink, NULL);
    for (int k = 0; k < placed; k++) {
        double *to = placed_bar(sim, bar, k);
        if (to != NULL) emit_velocity(sim, &point, k, 0, &(tacSink){.lambda = lambda, .bar = to});
    }
    if (rows == NULL) return TAC_OK;
    for (int i = 0; i < n; i++)
        masked[i] = rows[i] ? lambda[i] : 0;
    pull_bias_side(sim, x, u, 1, masked, bar, scratch);
    pull_bias_side(sim, x, u, -1, masked, bar, scratch);
    return TAC_OK;
}

tacStatus tac_implicit_residual_vjp(tacSim *sim, const double *x, const double *u, const tacImplicit *f,
                                    const double *lambda, const tacGrad *bar) {
    tacStatus status = pull_velocity(sim, x, u, f->rows, lambda, bar);
    if (status == TAC_OK) tac_residual_vjp(sim, x, u, sim->options.dt, lambda, bar);
    return status;
}

static tacStatus pull_step(tacSim *sim, const double *x, const double *u, const tacImplicit *f, const double *ybar,
                           const tacGrad *g) {
    tacAdjoint adjoint;
    tacStatus status = tac_adjoint_begin(sim, ybar, g->theta != NULL, &adjoint); /* lambda = h vbar+ */
    if (status != TAC_OK) return status;
    tac_implicit_solve_transposed(sim, f, adjoint.lambda);
    status = pull_velocity(sim, x, u, f->rows, adjoint.lambda, &adjoint.bar);
    if (status == TAC_OK) status = tac_adjoint_end(sim, x, u, sim->options.dt, &adjoint, g);
    return status;
}

static tacStatus vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    size_t mark = tac_arena_mark(&sim->arena);
    tacImplicit f;
    tacStatus status = accelerate(sim, x, u, &f);
    if (status == TAC_OK) status = tac_advance_velocity(sim, x);
    if (status == TAC_OK) status = pull_step(sim, x, u, &f, ybar, g);
    tac_arena_release(&sim->arena, mark);
    return status;
}

size_t tac_implicit_scratch(const tacModel *m) {
    size_t nv = (size_t)m->nv, factor = tac_arena_round(nv) + 2 * tac_room((size_t)m->nM);
    return factor + tac_room(2 * nv * nv) + tac_room(4 * nv) + 4 * tac_room(nv);
}

static size_t scratch(const tacModel *m, const tacOptions *options) {
    return tac_implicit_scratch(m) + tac_smooth_scratch(m, options);
}

const tacStepper TAC_STEPPER_IMPLICIT = {.contact = TAC_NONE,
                                         .integrators = TAC_HAS(TAC_IMPLICIT),
                                         .step = step,
                                         .jac = jac,
                                         .vjp = vjp,
                                         TAC_SMOOTH_ACCELERATION,
                                         .scratch = scratch};
const tacStepper TAC_STEPPER_IMPLICITFAST = {.contact = TAC_NONE,
                                             .integrators = TAC_HAS(TAC_IMPLICITFAST),
                                             .step = step,
                                             .jac = jac,
                                             .vjp = vjp,
                                             TAC_SMOOTH_ACCELERATION,
                                             .scratch = scratch};
