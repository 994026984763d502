#include "smooth/turning.h"

#include "dynamics/mass.h"
#include "dynamics/momenta.h"
#include "dynamics/spin.h"
#include "math/tree_lu.h"
#include "smooth/implicit.h"
#include "smooth/spin.h"

#include <string.h>

/* --- Coriolis forces ---------------------------------------------------------------------------------------------- */

static int is_asked(const tacOptions *options) {
    return options->lcp_coriolis || options->integrator == TAC_INTEGRATOR_CORIOLIS;
}

/* The factor of K = Mhat + h N, and its results. */
typedef struct Coriolis {
    unsigned char *rows, *others, *alone; /* nv: dofs whose forces count, all others; njnt */
    double *lower, *upper;                /* nM */
    double *extra, *a, *kept;             /* nv: h D; acceleration without constraints; w->qacc of the caller */
    double *q_before, *back;              /* nq, nv: q- = q (+) back */
    tacMomenta momenta;
} Coriolis;

static int layout(const tacModel *m, tacArena *arena, Coriolis *k) {
    k->rows = TAC_TAKE(arena, m->nv, unsigned char);
    k->others = TAC_TAKE(arena, m->nv, unsigned char);
    k->alone = TAC_TAKE(arena, m->njnt, unsigned char);
    k->lower = TAC_TAKE(arena, m->nM, double);
    k->upper = TAC_TAKE(arena, m->nM, double);
    k->extra = TAC_TAKE(arena, m->nv, double);
    k->a = TAC_TAKE(arena, m->nv, double);
    k->kept = TAC_TAKE(arena, m->nv, double);
    k->q_before = TAC_TAKE(arena, m->nq, double);
    k->back = TAC_TAKE(arena, m->nv, double);
    return tac_momenta_layout(m, arena, &k->momenta) && k->rows && k->others && k->alone && k->lower && k->upper &&
           k->extra && k->a && k->kept && k->q_before && k->back;
}

/* Marks all dofs except those of bodies that turn alone. Returns 0 if none is marked. */
static int mark_rows(const tacModel *m, Coriolis *k) {
    int any = 0;
    tac_spin_find(m, k->alone);
    for (int i = 0; i < m->nv; i++)
        any |= k->rows[i] = !(k->others[i] = k->alone[m->dof_joint[i]]);
    return any;
}

/* q- = q (-) h v, and the momenta there. */
static void find_momenta(tacContext *ctx, const double *x, const double *u, Coriolis *k) {
    const tacModel *m = ctx->model;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    for (int i = 0; i < m->nv; i++)
        k->back[i] = -ctx->options.dt * point.v[i];
    tac_qpos_add(m, x, k->back, k->q_before);
    tac_kinematics_v(m, &ctx->work, point.v);
    tac_momenta_open(m, &ctx->work, point.v, k->q_before, point.u.mocap, ctx->options.dt, &k->momenta);
}

/* lower, upper = K, not factored. */
static void fill_matrix(tacContext *ctx, Coriolis *k) {
    const tacModel *m = ctx->model;
    if (tac_implicit_damping(ctx, k->extra) == NULL) memset(k->extra, 0, (size_t)m->nv * sizeof *k->extra);
    memcpy(k->lower, ctx->work.M, (size_t)m->nM * sizeof *k->lower);
    for (int i = 0; i < m->nv; i++)
        k->lower[m->dof_M_adr[i]] += k->extra[i];
    memcpy(k->upper, k->lower, (size_t)m->nM * sizeof *k->upper);
    tac_momenta_matrix(m, &ctx->work, &k->momenta, k->rows, k->lower, k->upper);
}

/* Factors K in lower and upper; a = K^-1 (F - Psi_0 + c). *any 0: no dof has such forces. Needs: tac_evaluate,
 * tac_spin_add. */
static tacStatus factor(tacContext *ctx, const double *x, const double *u, Coriolis *k, int *any) {
    const tacModel *m = ctx->model;
    tacTree tree = tac_dof_tree(m);
    if (!layout(m, &ctx->arena, k)) return TAC_ERR_ARENA_FULL;
    *any = mark_rows(m, k);
    if (!*any) return TAC_OK;
    find_momenta(ctx, x, u, k);
    fill_matrix(ctx, k);
    if (tac_tree_lu_factor(&tree, k->lower, k->upper) >= 0) return TAC_ERR_SINGULAR;
    tac_momenta_force(m, &ctx->work, &k->momenta, k->a);
    for (int i = 0; i < m->nv; i++)
        k->a[i] = ctx->work.qfrc[i] - (k->rows[i] ? k->a[i] : 0);
    tac_tree_lu_solve(&tree, k->lower, k->upper, k->a);
    return TAC_OK;
}

tacStatus tac_turning_accelerate(tacContext *ctx, const double *x, const double *u, const double *extra,
                                 int *unsolved) {
    TAC_SCOPE(&ctx->arena);
    Coriolis k;
    tacStatus status;
    int any;
    *unsolved |= !tac_spin_add(ctx, x, &status);
    TAC_TRY(status);
    TAC_TRY(tac_accelerate(ctx, extra));
    if (!is_asked(&ctx->options)) return TAC_OK;
    TAC_TRY(factor(ctx, x, u, &k, &any));
    if (any) memcpy(ctx->work.qacc, k.a, (size_t)ctx->model->nv * sizeof *k.a);
    return TAC_OK;
}

/* --- Derivatives ---------------------------------------------------------------------------------------------------
 * R_a = ID(q, v, a) + h D a - tau + kappa = 0 defines a, so da = -K^-1 dR_a. At fixed a, D1 is the change of R_a
 * without kappa and D2 the change of kappa = Psi - ID(q, v, a) + ID(q, 0, 0). Then kappa = F - Mhat a has
 *
 *   d(kappa) = Mhat K^-1 (D1 + D2) - D1                                                                      (ST21) */

/* X <- Mhat X of n columns; column: scratch, 2 nv. */
static void multiply(const tacContext *ctx, const Coriolis *k, int n, double *column, double *X) {
    const tacModel *m = ctx->model;
    double *product = column + m->nv;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m->nv; i++)
            column[i] = X[(size_t)i * (size_t)n + (size_t)j];
        tac_mass_mul(m, &ctx->work, column, product);
        for (int i = 0; i < m->nv; i++)
            X[(size_t)i * (size_t)n + (size_t)j] = product[i] + k->extra[i] * column[i];
    }
}

typedef struct Columns {
    double *X, *column; /* nv x c.n, 2 nv */
} Columns;

static int columns_layout(const tacModel *m, tacColumns c, tacArena *arena, Columns *r) {
    r->X = TAC_TAKE(arena, (size_t)m->nv * (size_t)c.n, double);
    r->column = TAC_TAKE(arena, 2 * (size_t)m->nv, double);
    return r->X && r->column;
}

/* Sets w->qacc to a and saves the caller's; restores it. */
static void take_acceleration(tacContext *ctx, const Coriolis *k) {
    memcpy(k->kept, ctx->work.qacc, (size_t)ctx->model->nv * sizeof *k->kept);
    memcpy(ctx->work.qacc, k->a, (size_t)ctx->model->nv * sizeof *k->a);
}
static void give_acceleration(tacContext *ctx, const Coriolis *k) {
    memcpy(ctx->work.qacc, k->kept, (size_t)ctx->model->nv * sizeof *k->kept);
}

/* Destinations of the derivatives of Psi: by x, by numbers of u, by parameters. theta NULL: not asked for. */
typedef struct Sinks {
    const tacSink *x, *u, *theta;
} Sinks;

/* Emits d(Psi) at a = w->qacc. */
static void emit_momenta(tacContext *ctx, const double *x, const double *u, Coriolis *k, const Sinks *to) {
    const tacModel *m = ctx->model;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    tac_momenta_at(m, &ctx->work, k->a, &k->momenta);
    tac_momenta_state_jac(m, &ctx->work, &k->momenta, k->rows, to->x);
    for (int i = 0; i < ctx->inputs.nmocap; i++)
        tac_momenta_mocap_jac(m, &ctx->work, &k->momenta, point.u.mocap, i, to->u);
    for (int p = 0; to->theta != NULL && p < m->nmember; p++)
        tac_momenta_param_jac(m, &ctx->work, &k->momenta, &point, &ctx->tangents[p], to->theta);
}

/* X += D2. Needs: a in w->qacc. */
static tacStatus add_kappa(tacContext *ctx, const double *x, const double *u, Coriolis *k, tacColumns c, double *X) {
    size_t n = (size_t)ctx->model->nv * (size_t)c.n;
    const unsigned char *skip = k->others;
    tacSink state = {.matrix = X, .ld = c.n, .skip = skip};
    tacSink mocap = {.matrix = X + c.nx + ctx->inputs.mocap, .ld = c.n, .skip = skip};
    tacSink theta = {.matrix = X + c.nx + c.nu, .ld = c.n, .skip = skip};
    emit_momenta(ctx, x, u, k, &(Sinks){&state, &mocap, c.np > 0 ? &theta : NULL});
    for (size_t i = 0; i < n; i++)
        X[i] = -X[i];
    TAC_TRY(tac_implicit_inertia_jac(ctx, x, u, k->rows, c, X));
    for (size_t i = 0; i < n; i++)
        X[i] = -X[i];
    return TAC_OK;
}

static tacStatus add_coriolis(tacContext *ctx, const double *x, const double *u, tacColumns c, double *W) {
    TAC_SCOPE(&ctx->arena);
    size_t n = (size_t)ctx->model->nv * (size_t)c.n;
    tacTree tree = tac_dof_tree(ctx->model);
    Coriolis k;
    Columns r;
    int any;
    TAC_TRY(factor(ctx, x, u, &k, &any));
    if (!any) return TAC_OK;
    if (!columns_layout(ctx->model, c, &ctx->arena, &r)) return TAC_ERR_ARENA_FULL;
    take_acceleration(ctx, &k);
    tac_residual_jac(ctx, x, u, tac_damping_span(ctx), c, r.X);
    for (size_t i = 0; i < n; i++)
        W[i] -= r.X[i];
    tacStatus status = add_kappa(ctx, x, u, &k, c, r.X);
    give_acceleration(ctx, &k);
    TAC_TRY(status);
    tac_tree_lu_solve_many(&tree, k.lower, k.upper, c.n, r.X);
    multiply(ctx, &k, c.n, r.column, r.X);
    for (size_t i = 0; i < n; i++)
        W[i] += r.X[i];
    return TAC_OK;
}

tacStatus tac_turning_jac(tacContext *ctx, const double *x, const double *u, tacColumns c, double *W) {
    TAC_TRY(tac_spin_jac(ctx, x, u, c, W));
    return is_asked(&ctx->options) ? add_coriolis(ctx, x, u, c, W) : TAC_OK;
}

typedef struct Covectors {
    double *both, *less; /* nv: mu = K^-T Mhat lambda, mu - lambda */
} Covectors;

static int covectors_layout(const tacModel *m, tacArena *arena, Covectors *r) {
    r->both = TAC_TAKE(arena, m->nv, double);
    r->less = TAC_TAKE(arena, m->nv, double);
    return r->both && r->less;
}

/* bar -= D1^T less + D2^T both. Needs: a in w->qacc. */
static tacStatus pull_changes(tacContext *ctx, const double *x, const double *u, Coriolis *k, const Covectors *r,
                              const tacGrad *bar) {
    tacSink state = {.lambda = r->both, .bar = bar->x, .negate = 1, .skip = k->others}, mocap = state, theta = state;
    mocap.bar = bar->u + ctx->inputs.mocap;
    theta.bar = bar->theta;
    tac_residual_vjp(ctx, x, u, tac_damping_span(ctx), r->less, bar);
    emit_momenta(ctx, x, u, k, &(Sinks){&state, &mocap, bar->theta != NULL ? &theta : NULL});
    for (int i = 0; i < ctx->model->nv; i++)
        r->less[i] = -r->both[i];
    return tac_implicit_inertia_vjp(ctx, x, u, k->rows, r->less, bar);
}

static tacStatus pull_coriolis(tacContext *ctx, const double *x, const double *u, const double *lambda,
                               const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    tacTree tree = tac_dof_tree(m);
    Coriolis k;
    Covectors r;
    int any;
    TAC_TRY(factor(ctx, x, u, &k, &any));
    if (!any) return TAC_OK;
    if (!covectors_layout(m, &ctx->arena, &r)) return TAC_ERR_ARENA_FULL;
    tac_mass_mul(m, &ctx->work, lambda, r.both);
    for (int i = 0; i < m->nv; i++)
        r.both[i] += k.extra[i] * lambda[i];
    tac_tree_lu_solve_transposed(&tree, k.lower, k.upper, r.both);
    for (int i = 0; i < m->nv; i++)
        r.less[i] = r.both[i] - lambda[i];
    take_acceleration(ctx, &k);
    tacStatus status = pull_changes(ctx, x, u, &k, &r, bar);
    give_acceleration(ctx, &k);
    return status;
}

tacStatus tac_turning_vjp(tacContext *ctx, const double *x, const double *u, const double *lambda, const tacGrad *bar) {
    TAC_TRY(tac_spin_vjp(ctx, x, u, lambda, bar));
    return is_asked(&ctx->options) ? pull_coriolis(ctx, x, u, lambda, bar) : TAC_OK;
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

void tac_turning_measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Coriolis k;
    tac_spin_measure(m, dry);
    if (is_asked(options)) layout(m, dry, &k);
}

void tac_turning_measure_deriv(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Coriolis k;
    Columns columns;
    Covectors covectors;
    tac_spin_measure(m, dry);
    if (!is_asked(options)) return;
    layout(m, dry, &k);
    columns_layout(m, tac_columns_of(m, options), dry, &columns);
    covectors_layout(m, dry, &covectors);
    tac_implicit_measure_residual(m, dry);
}
