/* Contact none, implicit in velocity, as in MuJoCo (step.md, ST2):
 *
 *   (M - h G) a = F(x, u),   v+ = v + h a,   q+ = q (+) h v+,   G = dF/dv
 *
 * `implicit` takes all of G, which is not symmetric. `implicitfast` omits the derivative of Coriolis and centrifugal
 * forces, except for bodies that float alone. Without such bodies it is symmetric (dynamics/velocity.h). */
#include "smooth/implicit.h"

#include "dynamics/inverse.h"
#include "dynamics/mass.h"
#include "dynamics/param_deriv.h"
#include "dynamics/velocity.h"
#include "math/dense.h"
#include "math/tree_lu.h"

#include <string.h>

static int layout_factor(const tacModel *m, tacArena *arena, tacImplicit *f) {
    f->rows = TAC_TAKE(arena, m->nv, unsigned char);
    f->lower = TAC_TAKE(arena, m->nM, double);
    f->upper = TAC_TAKE(arena, m->nM, double);
    return f->rows != NULL && f->lower != NULL && f->upper != NULL;
}

tacStatus tac_implicit_open(tacContext *ctx, tacImplicit *f) {
    if (!layout_factor(ctx->model, &ctx->arena, f)) return TAC_ERR_ARENA_FULL;
    if (!tac_bias_rows(ctx->model, ctx->options.integrator == TAC_INTEGRATOR_IMPLICIT, f->rows)) f->rows = NULL;
    return TAC_OK;
}

tacStatus tac_implicit_accelerate(tacContext *ctx, const double *x, const double *u, tacImplicit *f) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tacTree tree = tac_dof_tree(m);
    tacSmoothPoint point = tac_point_of(ctx, x, u);
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

void tac_implicit_solve_many(tacContext *ctx, const tacImplicit *f, int n, double *W) {
    tacTree tree = tac_dof_tree(ctx->model);
    if (f->rows == NULL)
        tac_tree_solve_many(&tree, ctx->work.L, n, W);
    else
        tac_tree_lu_solve_many(&tree, f->lower, f->upper, n, W);
}

void tac_implicit_solve_transposed(tacContext *ctx, const tacImplicit *f, double *x) {
    tacTree tree = tac_dof_tree(ctx->model);
    if (f->rows == NULL)
        tac_tree_solve(&tree, ctx->work.L, x);
    else
        tac_tree_lu_solve_transposed(&tree, f->lower, f->upper, x);
}

/* (x, u) -> w->qacc. */
static tacStatus accelerate(tacContext *ctx, const double *x, const double *u, tacImplicit *f) {
    TAC_TRY(tac_implicit_open(ctx, f));
    tac_evaluate(ctx, x, u);
    return tac_implicit_accelerate(ctx, x, u, f);
}

/* The new state in w->next, h v+ in w->vec[0]. */
static tacStatus advance(tacContext *ctx, const double *x, const double *u, tacImplicit *f) {
    tacStatus status = accelerate(ctx, x, u, f);
    return status == TAC_OK ? tac_advance(ctx, x) : status;
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    TAC_SCOPE(&ctx->arena);
    tacImplicit f;
    tacStatus status = advance(ctx, x, u, &f);
    return tac_end_step(ctx, status, 0, y);
}

/* --- Derivatives ---------------------------------------------------------------------------------------------------
 * R = ID(q, v, a) - tau - h G a = 0 defines a:  da = -K^-1 dR. Of -h G a, the part of dc/dv is h (dc/dv) a. Since c is
 * quadratic in v, both this and its derivative with respect to anything are differences that are exact:
 *
 *   h (dc/dv) a = (c(v + h a) - c(v - h a)) / 2                                                              (ST4) */

/* v + side h a */
static void shift_velocity(const tacContext *ctx, const double *x, double side, double *v) {
    const tacModel *m = ctx->model;
    for (int i = 0; i < m->nv; i++)
        v[i] = x[m->nq + i] + side * ctx->options.dt * ctx->work.qacc[i];
}

/* Numbers of mocap poses, then registered numbers. Their columns are the last ones. */
static int count_placed(const tacContext *ctx) { return ctx->inputs.nmocap + ctx->model->nmember; }

/* Column of number k among all. */
static int placed_column(const tacContext *ctx, tacColumns c, int k) {
    int nmocap = ctx->inputs.nmocap;
    int first = c.nx + c.nu;
    return k < nmocap ? first - nmocap + k : first + ctx->tangents[k - nmocap].column;
}

/* Movers of number k. Returns how many. */
static int placed_movers(tacContext *ctx, const tacSmoothPoint *p, int k, tacMover movers[2]) {
    int nmocap = ctx->inputs.nmocap;
    if (k >= nmocap) return tac_param_movers(ctx->model, &ctx->work, &ctx->tangents[k - nmocap], p, movers);
    tac_mocap_mover(ctx->model, &ctx->work, k, p->u.mocap, &movers[0]);
    return 1;
}

/* Change of scale ID(q, v, a) at fixed v and a. */
typedef struct Inertial {
    const double *v, *a;
    double scale;
} Inertial;

/* d(ID) along column k, without armature. Needs: tac_rnea_jac or tac_rnea_vjp at (v, a). */
static void emit_bias(tacContext *ctx, const tacSmoothPoint *p, const Inertial *of, int k, int column,
                      const tacSink *sink) {
    const tacModel *m = ctx->model;
    tacMover movers[2];
    int n = placed_movers(ctx, p, k, movers), nmocap = ctx->inputs.nmocap;
    for (int i = 0; i < n; i++)
        tac_rnea_move(m, &ctx->work, of->v, of->a, &movers[i], column, sink);
    const tacInertialTangent *inertial = k < nmocap ? NULL : ctx->tangents[k - nmocap].inertial;
    for (int b = 1; inertial != NULL && b < m->nbody; b++) {
        tacInertia dI = tac_world_inertia_change(m, &ctx->work, b, &inertial[b]);
        tac_rnea_inertia(m, &ctx->work, b, &dI, column, sink);
    }
}

/* d(h G a) along column k, without dc/dv. */
static void emit_velocity(tacContext *ctx, const tacSmoothPoint *p, int k, int column, const tacSink *sink) {
    const tacModel *m = ctx->model;
    int nmocap = ctx->inputs.nmocap;
    tacMover movers[2];
    if (k >= nmocap) {
        tac_param_velocity_jac(m, &ctx->work, p, ctx->work.qacc, &ctx->tangents[k - nmocap], column, sink);
        return;
    }
    placed_movers(ctx, p, k, movers);
    tac_velocity_move(m, &ctx->work, p, ctx->work.qacc, &movers[0], column, sink);
}

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* The column of the time step: dc/dv(v + side h a) a / 2, the derivative of side/2 c by h. T: dc/dv. */
static void add_bias_time(const tacContext *ctx, const unsigned char *rows, tacColumns c, const double *T, double *W) {
    size_t n = (size_t)ctx->model->nv;
    int time = tac_param_of_time(ctx->model);
    tacSink theta = tac_columns_sink(c, W, c.nx + c.nu);
    for (size_t i = 0; time >= 0 && i < n; i++)
        if (rows[i]) tac_emit(&theta, (int)i, time, 0.5 * tac_dense_dot((int)n, T + i * 2 * n, ctx->work.qacc));
}

/* dc/dq and dc/dv side by side, a velocity, a zero acceleration, one column. */
typedef struct BiasSide {
    double *T, *v, *still, *column;
} BiasSide;

static int layout_bias_side(const tacModel *m, tacArena *arena, BiasSide *b) {
    size_t n = (size_t)m->nv;
    b->T = TAC_TAKE(arena, 2 * n * n, double);
    b->v = TAC_TAKE(arena, n, double);
    b->still = TAC_TAKE(arena, n, double);
    b->column = TAC_TAKE(arena, n, double);
    return b->T != NULL && b->v != NULL && b->still != NULL && b->column != NULL;
}

/* W += scale d(ID), all columns. Leaves dID/dq and dID/dv in b->T. */
static void add_inertial(tacContext *ctx, const double *x, const double *u, const Inertial *of,
                         const unsigned char *rows, tacColumns c, const BiasSide *b, double *W) {
    const tacModel *m = ctx->model;
    size_t n = (size_t)m->nv;
    double *T = b->T, *column = b->column;
    tacSink state = tac_columns_sink(c, W, 0);
    memset(T, 0, 2 * n * n * sizeof *T);
    tac_rnea_jac(m, &ctx->work, of->v, of->a, 2 * m->nv, T, T + n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; rows[i] && j < 2 * n; j++)
            tac_emit(&state, (int)i, (int)j, of->scale * T[i * 2 * n + j]);
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    int placed = count_placed(ctx);
    for (int k = 0; k < placed; k++) {
        memset(column, 0, n * sizeof *column);
        emit_bias(ctx, &point, of, k, 0, &(tacSink){.matrix = column, .ld = 1});
        for (size_t i = 0; i < n; i++)
            if (rows[i]) tac_emit(&state, (int)i, placed_column(ctx, c, k), of->scale * column[i]);
    }
}

/* W += side/2 dc at v + side h a. */
static tacStatus add_bias_side(tacContext *ctx, const double *x, const double *u, double side,
                               const unsigned char *rows, tacColumns c, double *W) {
    const tacModel *m = ctx->model;
    size_t n = (size_t)m->nv;
    TAC_SCOPE(&ctx->arena);
    BiasSide b;
    if (!layout_bias_side(m, &ctx->arena, &b)) return TAC_ERR_ARENA_FULL;
    memset(b.still, 0, n * sizeof *b.still);
    shift_velocity(ctx, x, side, b.v);
    add_inertial(ctx, x, u, &(Inertial){b.v, b.still, 0.5 * side}, rows, c, &b, W);
    add_bias_time(ctx, rows, c, b.T + n, W);
    return TAC_OK;
}

tacStatus tac_implicit_inertia_jac(tacContext *ctx, const double *x, const double *u, const unsigned char *rows,
                                   tacColumns c, double *W) {
    TAC_SCOPE(&ctx->arena);
    BiasSide b;
    if (!layout_bias_side(ctx->model, &ctx->arena, &b)) return TAC_ERR_ARENA_FULL;
    memset(b.still, 0, (size_t)ctx->model->nv * sizeof *b.still);
    add_inertial(ctx, x, u, &(Inertial){b.still, b.still, -1}, rows, c, &b, W);
    add_inertial(ctx, x, u, &(Inertial){x + ctx->model->nq, ctx->work.qacc, 1}, rows, c, &b, W);
    return TAC_OK;
}

static double *layout_velocity(const tacModel *m, tacArena *arena) {
    return TAC_TAKE(arena, 2 * (size_t)m->nv * (size_t)m->nv, double);
}

/* W += d(-h G a) without the part of Coriolis and centrifugal forces */
static tacStatus add_force_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *W) {
    const tacModel *m = ctx->model;
    TAC_SCOPE(&ctx->arena);
    double *scratch = layout_velocity(m, &ctx->arena);
    if (scratch == NULL) return TAC_ERR_ARENA_FULL;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    tacForceSink sink = {
        .q = tac_columns_sink(c, W, 0), .act = tac_columns_sink(c, W, 2 * m->nv), .ctrl = tac_columns_sink(c, W, c.nx)};
    sink.q.negate = sink.act.negate = sink.ctrl.negate = 1;
    tac_velocity_jac(m, &ctx->work, &point, ctx->work.qacc, &sink, scratch);
    int placed = count_placed(ctx);
    for (int k = 0; k < placed; k++)
        emit_velocity(ctx, &point, k, placed_column(ctx, c, k), &sink.q);
    return TAC_OK;
}

static tacStatus add_bias_jac(tacContext *ctx, const double *x, const double *u, const unsigned char *rows,
                              tacColumns c, double *W) {
    TAC_TRY(add_bias_side(ctx, x, u, 1, rows, c, W));
    return add_bias_side(ctx, x, u, -1, rows, c, W);
}

/* W += d(-h G a) */
static tacStatus add_velocity_jac(tacContext *ctx, const double *x, const double *u, const unsigned char *rows,
                                  tacColumns c, double *W) {
    TAC_TRY(add_force_jac(ctx, x, u, c, W));
    return rows == NULL ? TAC_OK : add_bias_jac(ctx, x, u, rows, c, W);
}

tacStatus tac_implicit_residual_jac(tacContext *ctx, const double *x, const double *u, const tacImplicit *f,
                                    tacColumns c, double *W) {
    tac_residual_jac(ctx, x, u, ctx->options.dt, c, W);
    return add_velocity_jac(ctx, x, u, f->rows, c, W);
}

static tacStatus fill_jac(tacContext *ctx, const double *x, const double *u, const tacImplicit *f, const tacJac *J) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    tacColumns c = tac_count_columns(ctx);
    tacJacRows rows;
    if (!tac_jac_layout(m, c, &ctx->arena, &rows)) return TAC_ERR_ARENA_FULL;
    memcpy(rows.hv, w->vec[0], (size_t)m->nv * sizeof *rows.hv);
    TAC_TRY(tac_implicit_residual_jac(ctx, x, u, f, c, rows.W));
    tac_implicit_solve_many(ctx, f, c.n, rows.W);
    return tac_assemble_jac(ctx, x, u, rows.hv, c, rows.W, J);
}

static tacStatus jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    TAC_SCOPE(&ctx->arena);
    tacImplicit f;
    tacStatus status = advance(ctx, x, u, &f);
    if (status == TAC_OK) status = fill_jac(ctx, x, u, &f, J);
    return tac_end_step(ctx, status, 0, y);
}

static tacStatus fill_jvp(tacContext *ctx, const double *x, const double *u, const tacImplicit *f, tacColumns c,
                          double *dy) {
    tacJacRows rows;
    if (!tac_jac_layout(ctx->model, c, &ctx->arena, &rows)) return TAC_ERR_ARENA_FULL;
    memcpy(rows.hv, ctx->work.vec[0], (size_t)ctx->model->nv * sizeof *rows.hv);
    TAC_TRY(tac_implicit_residual_jac(ctx, x, u, f, c, rows.W));
    tac_implicit_solve_many(ctx, f, 1, rows.W);
    return tac_assemble_jvp(ctx, x, u, rows.hv, c, rows.W, dy);
}

static tacStatus jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy) {
    TAC_SCOPE(&ctx->arena);
    tacImplicit f;
    tacStatus status = advance(ctx, x, u, &f);
    if (status == TAC_OK) status = fill_jvp(ctx, x, u, &f, c, dy);
    return tac_end_step(ctx, status, 0, y);
}

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* Destination of the gradient by number k. NULL: it is not asked for. */
static double *placed_bar(const tacContext *ctx, const tacGrad *bar, int k) {
    int nmocap = ctx->inputs.nmocap;
    if (k < nmocap) return bar->u + ctx->inputs.mocap + k;
    return bar->theta != NULL ? bar->theta + ctx->tangents[k - nmocap].column : NULL;
}

/* lambda of the marked rows, a velocity, a zero acceleration, gradients by q and v. */
typedef struct BiasBar {
    double *lambda, *v, *still, *qbar, *vbar;
} BiasBar;

static int layout_bias_bar(const tacModel *m, tacArena *arena, BiasBar *b) {
    double **all[] = {&b->lambda, &b->v, &b->still, &b->qbar, &b->vbar};
    int ok = 1;
    for (int i = 0; i < 5; i++)
        ok &= (*all[i] = TAC_TAKE(arena, m->nv, double)) != NULL;
    return ok;
}

/* bar -= scale d(ID)^T lambda, lambda that of b. Leaves the gradient by v in b->vbar. */
static void pull_inertial(tacContext *ctx, const double *x, const double *u, const Inertial *of, const BiasBar *b,
                          const tacGrad *bar) {
    const tacModel *m = ctx->model;
    int n = m->nv, placed = count_placed(ctx);
    tac_rnea_vjp(m, &ctx->work, of->v, of->a, b->lambda, b->qbar, b->vbar);
    for (int i = 0; i < n; i++) {
        bar->x[i] -= of->scale * b->qbar[i];
        bar->x[n + i] -= of->scale * b->vbar[i];
    }
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    for (int k = 0; k < placed; k++) {
        double moved = 0, *to = placed_bar(ctx, bar, k);
        if (to == NULL) continue;
        emit_bias(ctx, &point, of, k, 0, &(tacSink){.lambda = b->lambda, .bar = &moved});
        *to -= of->scale * moved;
    }
}

/* bar -= side/2 dc^T lambda at v + side h a. */
static void pull_bias_side(tacContext *ctx, const double *x, const double *u, double side, const BiasBar *b,
                           const tacGrad *bar) {
    const tacModel *m = ctx->model;
    int time = bar->theta == NULL ? -1 : tac_param_of_time(m);
    shift_velocity(ctx, x, side, b->v);
    pull_inertial(ctx, x, u, &(Inertial){b->v, b->still, 0.5 * side}, b, bar);
    if (time >= 0) bar->theta[time] -= 0.5 * tac_dense_dot(m->nv, b->vbar, ctx->work.qacc);
}

/* Takes lambda of the marked rows, and a zero acceleration. */
static int open_bias_bar(tacContext *ctx, const unsigned char *rows, const double *lambda, BiasBar *b) {
    if (!layout_bias_bar(ctx->model, &ctx->arena, b)) return 0;
    for (int i = 0; i < ctx->model->nv; i++) {
        b->lambda[i] = rows[i] ? lambda[i] : 0;
        b->still[i] = 0;
    }
    return 1;
}

static tacStatus pull_bias(tacContext *ctx, const double *x, const double *u, const unsigned char *rows,
                           const double *lambda, const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    BiasBar bias;
    if (!open_bias_bar(ctx, rows, lambda, &bias)) return TAC_ERR_ARENA_FULL;
    pull_bias_side(ctx, x, u, 1, &bias, bar);
    pull_bias_side(ctx, x, u, -1, &bias, bar);
    return TAC_OK;
}

tacStatus tac_implicit_inertia_vjp(tacContext *ctx, const double *x, const double *u, const unsigned char *rows,
                                   const double *lambda, const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    BiasBar b;
    if (!open_bias_bar(ctx, rows, lambda, &b)) return TAC_ERR_ARENA_FULL;
    pull_inertial(ctx, x, u, &(Inertial){b.still, b.still, -1}, &b, bar);
    pull_inertial(ctx, x, u, &(Inertial){x + ctx->model->nq, ctx->work.qacc, 1}, &b, bar);
    return TAC_OK;
}

/* bar -= d(-h G a)^T lambda */
static tacStatus pull_velocity(tacContext *ctx, const double *x, const double *u, const unsigned char *rows,
                               const double *lambda, const tacGrad *bar) {
    const tacModel *m = ctx->model;
    int n = m->nv, placed = count_placed(ctx);
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    tacForceSink sink = {.q = {.lambda = lambda, .bar = bar->x},
                         .act = {.lambda = lambda, .bar = bar->x + 2 * n},
                         .ctrl = {.lambda = lambda, .bar = bar->u}};
    tac_velocity_jac(m, &ctx->work, &point, ctx->work.qacc, &sink, NULL);
    for (int k = 0; k < placed; k++) {
        double *to = placed_bar(ctx, bar, k);
        if (to != NULL) emit_velocity(ctx, &point, k, 0, &(tacSink){.lambda = lambda, .bar = to});
    }
    return rows == NULL ? TAC_OK : pull_bias(ctx, x, u, rows, lambda, bar);
}

tacStatus tac_implicit_residual_vjp(tacContext *ctx, const double *x, const double *u, const tacImplicit *f,
                                    const double *lambda, const tacGrad *bar) {
    TAC_TRY(pull_velocity(ctx, x, u, f->rows, lambda, bar));
    tac_residual_vjp(ctx, x, u, ctx->options.dt, lambda, bar);
    return TAC_OK;
}

static tacStatus pull_step(tacContext *ctx, const double *x, const double *u, const tacImplicit *f, const double *ybar,
                           const tacGrad *g) {
    tacAdjoint adjoint;
    TAC_TRY(tac_adjoint_begin(ctx, ybar, g->theta != NULL, &adjoint)); /* lambda = h vbar+ */
    tac_implicit_solve_transposed(ctx, f, adjoint.lambda);
    TAC_TRY(pull_velocity(ctx, x, u, f->rows, adjoint.lambda, &adjoint.bar));
    return tac_adjoint_end(ctx, x, u, ctx->options.dt, &adjoint, g);
}

static tacStatus vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    TAC_SCOPE(&ctx->arena);
    tacImplicit f;
    TAC_TRY(accelerate(ctx, x, u, &f));
    TAC_TRY(tac_advance_velocity(ctx, x));
    return pull_step(ctx, x, u, &f, ybar, g);
}

void tac_implicit_measure_factor(const tacModel *m, tacArena *dry) {
    tacImplicit f;
    layout_factor(m, dry, &f);
}

void tac_implicit_measure_residual(const tacModel *m, tacArena *dry) {
    {
        TAC_SCOPE(dry);
        layout_velocity(m, dry);
    }
    {
        TAC_SCOPE(dry);
        BiasSide side;
        layout_bias_side(m, dry, &side);
    }
    TAC_SCOPE(dry);
    BiasBar bar;
    layout_bias_bar(m, dry, &bar);
}

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacColumns c = tac_columns_of(m, options);
    tac_smooth_measure(m, options, dry);
    TAC_SCOPE(dry);
    tac_implicit_measure_factor(m, dry);
    {
        TAC_SCOPE(dry);
        tacJacRows rows;
        tac_jac_layout(m, c, dry, &rows);
        tac_implicit_measure_residual(m, dry);
    }
    tacAdjoint adjoint;
    tac_adjoint_layout(m, c, dry, &adjoint);
    tac_implicit_measure_residual(m, dry);
}

const tacStepper TAC_STEPPER_IMPLICIT = {.integrators =
                                             TAC_HAS(TAC_INTEGRATOR_IMPLICIT) | TAC_HAS(TAC_INTEGRATOR_IMPLICITFAST),
                                         .step = step,
                                         .jac = jac,
                                         .jvp = jvp,
                                         .vjp = vjp,
                                         TAC_SMOOTH_ACCELERATION,
                                         .measure = measure};
