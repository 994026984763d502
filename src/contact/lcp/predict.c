#include "contact/lcp/predict.h"

#include "math/dense.h"
#include "smooth/tangent.h"

#include <string.h>

/* One row for each array of the position stage: name, number of elements. */
/* clang-format off */
#define POSITION_ARRAYS(X)                                                                             \
    X(xpos, m->nbody) X(xquat, m->nbody) X(xmat, m->nbody) X(xipos, m->nbody) X(joint_pos, m->njnt)    \
    X(joint_axis, m->njnt) X(origin, m->nbody) X(S, m->nv) X(inertia, m->nbody)
/* clang-format on */

static int layout(tacPrediction *a, const tacModel *m, tacArena *arena) {
    *a = (tacPrediction){.q = TAC_TAKE(arena, m->nq, double)};
#define X(name, count)                                                                                                 \
    if ((a->w.name = tac_arena_take(arena, (size_t)(count) * sizeof *a->w.name)) == NULL) return 0;
    POSITION_ARRAYS(X)
#undef X
    return a->q != NULL;
}

static double *motion_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nv, double); }

/* hv <- h v */
static void set_motion(const tacModel *m, const double *x, double h, double *hv) {
    for (int i = 0; i < m->nv; i++)
        hv[i] = h * x[m->nq + i];
}

void tac_lcp_measure_predict(const tacModel *m, tacArena *dry) {
    tacPrediction a;
    if (!tac_rows_any_equality(m)) return;
    layout(&a, m, dry);
    TAC_SCOPE(dry);
    motion_layout(m, dry);
}

tacStatus tac_lcp_predict(tacContext *ctx, const double *x, const double *u, tacLcp *lcp) {
    const tacModel *m = ctx->model;
    lcp->predicted = (tacPrediction){.q = NULL};
    if (!tac_rows_any_equality(m)) return TAC_OK;
    if (lcp->impact) {
        tac_rows_keep_velocity(&lcp->rows, x + m->nq);
        return TAC_OK;
    }
    if (!layout(&lcp->predicted, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_SCOPE(&ctx->arena);
    double h = ctx->options.dt, *hv = motion_layout(m, &ctx->arena);
    if (hv == NULL) return TAC_ERR_ARENA_FULL;
    set_motion(m, x, h, hv);
    tac_qpos_add(m, x, hv, lcp->predicted.q);
    tac_kinematics_q(m, &lcp->predicted.w, lcp->predicted.q, tac_inputs_of(&ctx->inputs, u).mocap);
    tac_rows_set_curvature(m, &lcp->predicted, x + m->nq, h, &lcp->rows);
    return TAC_OK;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* d(q (+) h v) = P dq + h Q dv  (step.md, ST1). A row J at q (+) h v is the row J P, h J Q at (q, v). */
typedef struct Pull {
    double *hv, *row, *q, *v; /* nv each */
} Pull;

static int pull_layout(Pull *p, const tacModel *m, tacArena *arena) {
    p->hv = motion_layout(m, arena);
    p->row = TAC_TAKE(arena, m->nv, double);
    p->q = TAC_TAKE(arena, m->nv, double);
    p->v = TAC_TAKE(arena, m->nv, double);
    return p->hv && p->row && p->q && p->v;
}

void tac_lcp_measure_predict_deriv(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    Pull p;
    if (tac_rows_any_equality(m)) pull_layout(&p, m, dry);
}

/* Gradient of row k at q (+) h v -> its parts by q and v, in p->q and p->v. 0: the row is not predicted. */
static int pull_row(const tacModel *m, const tacLcp *lcp, int k, Pull *p) {
    if (lcp->rows.row[k].kind != TAC_ROW_EQUALITY || !tac_lcp_is_predicted(lcp, k)) return 0;
    memset(p->row, 0, (size_t)m->nv * sizeof(double));
    memset(p->v, 0, (size_t)m->nv * sizeof(double));
    tac_row_gradient_at(m, &lcp->predicted, &lcp->rows.row[k], p->row);
    tac_move_vjp(m, p->hv, lcp->h, p->row, p->q, p->v);
    return 1;
}

tacStatus tac_lcp_predict_jac(tacContext *ctx, const double *x, const tacLcp *lcp, tacColumns c, double *dr) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    tacSink q = tac_columns_sink(c, dr, 0), v = tac_columns_sink(c, dr, m->nv);
    tacSink theta = tac_columns_sink(c, dr, c.nx + c.nu);
    Pull p;
    int time = tac_param_of_time(m); /* d(q (+) h v)/dh = Q v = v */
    if (lcp->predicted.q == NULL) return TAC_OK;
    if (!pull_layout(&p, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    set_motion(m, x, lcp->h, p.hv);
    for (int k = 0; k < lcp->rows.n; k++) {
        if (!pull_row(m, lcp, k, &p)) continue;
        for (int i = 0; i < m->nv; i++) {
            tac_emit(&q, k, i, p.q[i] / lcp->h);
            tac_emit(&v, k, i, p.v[i] / lcp->h);
        }
        if (time >= 0) tac_emit(&theta, k, time, tac_dense_dot(m->nv, p.row, x + m->nq) / lcp->h);
    }
    return TAC_OK;
}

tacStatus tac_lcp_predict_vjp(tacContext *ctx, const double *x, const tacLcp *lcp, const double *mu,
                              const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    size_t nv = (size_t)m->nv;
    Pull p;
    int time = bar->theta == NULL ? -1 : tac_param_of_time(m);
    if (lcp->predicted.q == NULL) return TAC_OK;
    if (!pull_layout(&p, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    set_motion(m, x, lcp->h, p.hv);
    for (int k = 0; k < lcp->rows.n; k++) {
        if (mu[k] == 0 || !pull_row(m, lcp, k, &p)) continue;
        for (size_t i = 0; i < nv; i++) {
            bar->x[i] -= mu[k] * p.q[i] / lcp->h;
            bar->x[nv + i] -= mu[k] * p.v[i] / lcp->h;
        }
        if (time >= 0) bar->theta[time] -= mu[k] * tac_dense_dot(m->nv, p.row, x + m->nq) / lcp->h;
    }
    return TAC_OK;
}
