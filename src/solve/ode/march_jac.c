/* Derivatives through the accepted steps, forward (docs/theory/adaptive.md, AD11, AD12). Lengths of free steps are
 * constants. At an event gap(x_1) = 0 gives dh = -(grad . dx_1)/(grad . x_1'), and a step that aims at a share of the
 * span takes up the difference. */
#include "solve/ode/march.h"

#include "math/dense.h"

#include <string.h>

int tac_march_jac_layout(tacMarchJac *j, const tacFlow *flow, const tacInnerOptions *options, tacArena *arena) {
    int nd = flow->nd, np = flow->np, resets = flow->call->reset != NULL;
    *j = (tacMarchJac){.n = nd + np + 2};
    size_t all = (size_t)nd * (size_t)j->n;
    for (int i = 0; i < tac_ode_method(options->integrator)->stages; i++)
        j->dk[i] = TAC_TAKE(arena, all, double);
    double **matrices[] = {&j->S, &j->dX, &j->dz, &j->df};
    for (int i = 0; i < 4; i++)
        *matrices[i] = TAC_TAKE(arena, all, double);
    j->F = TAC_TAKE(arena, (size_t)nd * (size_t)(nd + np), double);
    j->grad = TAC_TAKE(arena, nd, double);
    j->grad_p = TAC_TAKE(arena, np, double);
    j->time = TAC_TAKE(arena, j->n, double);
    j->row = TAC_TAKE(arena, j->n, double);
    j->x_h = TAC_TAKE(arena, nd, double);
    j->x_x = TAC_TAKE(arena, resets ? nd * nd : 0, double);
    j->x_p = TAC_TAKE(arena, resets ? nd * np : 0, double);
    j->direction = TAC_TAKE(arena, nd + np, double);
    j->change = TAC_TAKE(arena, nd, double);
    return j->change != NULL;
}

/* row += factor d(numbers . p) */
static void add_params(const tacMarch *m, const tacMarchJac *j, double factor, const double *numbers, double *row) {
    int nd = m->flow->nd, np = m->flow->np;
    if (j->along != NULL)
        row[0] += factor * tac_dense_dot(np, numbers, j->along + nd);
    else
        tac_dense_axpy(np, factor, numbers, row + nd);
}

/* --- Stages ------------------------------------------------------------------------------------------------------- */

/* dz = h sum a_ij dk_j, and in the last column sum a_ij k_j. */
static void sum_changes(const tacMarch *m, const tacMarchJac *j, int i) {
    const tacInner *s = &m->inner;
    size_t n = (size_t)j->n, nd = (size_t)m->flow->nd;
    memset(j->dz, 0, nd * n * sizeof *j->dz);
    for (int l = 0; l <= i; l++) {
        double a = l == i ? s->method->diagonal : tac_ode_coefficient(s->method, i, l);
        if (a == 0) continue;
        if (l < i) tac_dense_axpy((int)(nd * n), s->h * a, j->dk[l], j->dz);
        for (size_t r = 0; r < nd; r++)
            j->dz[r * n + n - 1] += a * s->k[l][r];
    }
}

/* dX = P S + Q dz */
static void place_changes(const tacMarch *m, const tacMarchJac *j, int i) {
    memcpy(j->dX, j->dz, (size_t)m->flow->nd * (size_t)j->n * sizeof *j->dX);
    tac_flow_place_jac(m->flow, m->inner.z[i], j->n, j->S, j->dX);
}

/* df = f_x dX + f_p */
static void rate_changes(const tacMarch *m, const tacMarchJac *j, const double *F) {
    size_t nd = (size_t)m->flow->nd, np = (size_t)m->flow->np, n = (size_t)j->n, wide = nd + np;
    memset(j->df, 0, nd * n * sizeof *j->df);
    for (size_t r = 0; r < nd; r++) {
        double *row = j->df + r * n;
        for (size_t c = 0; c < nd; c++)
            if (F[r * wide + c] != 0) tac_dense_axpy(j->n, F[r * wide + c], j->dX + c * n, row);
        add_params(m, j, 1, F + r * wide + nd, row);
    }
}

/* The same along the direction, and, where the step's length is no constant, along that of the length, which moves no
 * parameter. */
static tacStatus rate_along(tacMarch *m, tacMarchJac *j, int i) {
    int nd = m->flow->nd, np = m->flow->np;
    for (int r = 0; r < nd; r++)
        j->df[2 * r + 1] = 0;
    for (int c = 0; c < (m->step.kind == TAC_MARCH_FREE ? 1 : 2); c++) {
        for (int r = 0; r < nd; r++)
            j->direction[r] = j->dX[2 * r + c];
        for (int k = 0; k < np; k++)
            j->direction[nd + k] = c == 0 ? j->along[nd + k] : 0;
        TAC_TRY(m->flow->call->rate_jvp(m->flow->user, m->inner.X[i], j->direction, j->change));
        for (int r = 0; r < nd; r++)
            j->df[2 * r + c] = j->change[r];
    }
    return TAC_OK;
}

static tacStatus find_rate_changes(tacMarch *m, tacMarchJac *j, int i) {
    if (j->along != NULL && m->flow->call->rate_jvp != NULL) return rate_along(m, j, i);
    TAC_TRY(m->flow->call->rate_jac(m->flow->user, m->inner.X[i], j->F));
    rate_changes(m, j, j->F);
    return TAC_OK;
}

static tacStatus explicit_stage(tacMarch *m, tacMarchJac *j, int i) {
    tacInner *s = &m->inner;
    if (i > 0)
        sum_changes(m, j, i);
    else
        memset(j->dz, 0, (size_t)m->flow->nd * (size_t)j->n * sizeof *j->dz);
    place_changes(m, j, i);
    if (i == tac_inner_last(s) && s->method->diagonal == 0) return TAC_OK;
    TAC_TRY(find_rate_changes(m, j, i));
    memcpy(j->dk[i], j->dz, (size_t)m->flow->nd * (size_t)j->n * sizeof *j->dz);
    tac_flow_correct_jac(m->flow, s->z[i], s->f[i], j->n, j->df, j->dk[i]);
    return TAC_OK;
}

/* (I - h gamma k_z) dk = k_z dz + (rest), dz without the stage's own part */
static tacStatus implicit_stage(tacMarch *m, tacMarchJac *j, int i) {
    tacInner *s = &m->inner;
    size_t nd = (size_t)m->flow->nd, n = (size_t)j->n;
    sum_changes(m, j, i);
    place_changes(m, j, i);
    TAC_TRY(tac_inner_factor(s, i));
    rate_changes(m, j, s->F);
    memcpy(j->dk[i], j->dz, nd * n * sizeof *j->dz);
    tac_flow_correct_jac(m->flow, s->z[i], s->f[i], j->n, j->df, j->dk[i]);
    for (size_t c = 0; c < n; c++) {
        for (size_t r = 0; r < nd; r++)
            s->move[r] = j->dk[i][r * n + c];
        tac_lu_solve((int)nd, s->M, s->pivot, s->move);
        for (size_t r = 0; r < nd; r++)
            j->dk[i][r * n + c] = s->move[r];
    }
    tac_dense_axpy((int)(nd * n), s->h * s->method->diagonal, j->dk[i], j->dz);
    place_changes(m, j, i);
    return TAC_OK;
}

/* S becomes that of the end at fixed length of the step, whose derivative by the length goes to x_h. */
static tacStatus run_stages(tacMarch *m, tacMarchJac *j) {
    size_t nd = (size_t)m->flow->nd, n = (size_t)j->n;
    if (m->step.kind == TAC_MARCH_AGAIN) {
        memcpy(j->x_h, m->inner.f[0], nd * sizeof *j->x_h);
        return TAC_OK;
    }
    for (size_t r = 0; r < nd; r++)
        j->S[r * n + n - 1] = 0;
    for (int i = 0; i <= tac_inner_last(&m->inner); i++)
        TAC_TRY(i > 0 && m->inner.method->diagonal != 0 ? implicit_stage(m, j, i) : explicit_stage(m, j, i));
    memcpy(j->S, j->dX, nd * n * sizeof *j->S);
    for (size_t r = 0; r < nd; r++)
        j->x_h[r] = j->S[r * n + n - 1];
    return TAC_OK;
}

/* --- Lengths ------------------------------------------------------------------------------------------------------ */

/* S += x_h dh, and the end's time moves as well. */
static void add_length(const tacMarch *m, tacMarchJac *j, const double *dh) {
    for (int r = 0; r < m->flow->nd; r++)
        tac_dense_axpy(j->n, j->x_h[r], dh, j->S + (size_t)r * (size_t)j->n);
    tac_dense_axpy(j->n, 1, dh, j->time);
}

static void aim(const tacMarch *m, tacMarchJac *j) {
    for (int c = 0; c < j->n; c++)
        j->row[c] = -j->time[c];
    j->row[j->n - 2] += m->step.share * (j->along == NULL ? 1 : j->along[m->flow->nd + m->flow->np]);
    add_length(m, j, j->row);
}

/* dh = -(grad . dx + grad_p)/(grad . x_h) */
static tacStatus meet(tacMarch *m, tacMarchJac *j, int member, int falls) {
    const tacFlow *flow = m->flow;
    TAC_TRY(flow->call->gap_jac(flow->user, member, falls, tac_march_end(m), j->grad, j->grad_p));
    double rate = tac_dense_dot(flow->nd, j->grad, j->x_h);
    if (rate == 0) return TAC_OK;
    memset(j->row, 0, (size_t)j->n * sizeof *j->row);
    for (int r = 0; r < flow->nd; r++)
        tac_dense_axpy(j->n, -j->grad[r] / rate, j->S + (size_t)r * (size_t)j->n, j->row);
    add_params(m, j, -1 / rate, j->grad_p, j->row);
    j->row[j->n - 1] = 0;
    add_length(m, j, j->row);
    return TAC_OK;
}

/* S <- x_x S + x_p */
static void jump(const tacMarch *m, tacMarchJac *j) {
    size_t nd = (size_t)m->flow->nd, np = (size_t)m->flow->np, n = (size_t)j->n;
    memcpy(j->dX, j->S, nd * n * sizeof *j->S);
    memset(j->S, 0, nd * n * sizeof *j->S);
    for (size_t r = 0; r < nd; r++) {
        for (size_t c = 0; c < nd; c++)
            tac_dense_axpy(j->n, j->x_x[r * nd + c], j->dX + c * n, j->S + r * n);
        add_params(m, j, 1, j->x_p + r * np, j->S + r * n);
    }
}

static tacStatus follow(tacMarch *m, tacMarchJac *j) {
    TAC_TRY(run_stages(m, j));
    if (m->step.kind == TAC_MARCH_TARGET) aim(m, j);
    if (m->step.kind == TAC_MARCH_AGAIN) TAC_TRY(meet(m, j, m->step.member, 1));
    TAC_TRY(tac_march_reach(m));
    if (m->step.kind == TAC_MARCH_ONSET && m->step.member >= 0) TAC_TRY(meet(m, j, 0, 1));
    if (m->step.kind == TAC_MARCH_END) TAC_TRY(meet(m, j, -1, 0));
    TAC_TRY(tac_march_reset(m, j->x_x, j->x_p));
    if (m->step.reset && m->step.member >= 0) jump(m, j);
    return TAC_OK;
}

tacStatus tac_march_run_jac(tacMarch *m, tacMarchJac *j, double span, const double *x, tacStepInfo *info) {
    size_t nd = (size_t)m->flow->nd, n = (size_t)j->n;
    memset(j->S, 0, nd * n * sizeof *j->S);
    memset(j->time, 0, n * sizeof *j->time);
    for (size_t r = 0; r < nd; r++) {
        if (j->along != NULL)
            j->S[r * n] = j->along[r];
        else
            j->S[r * n + r] = 1;
    }
    TAC_TRY(tac_march_begin(m, span, x, info));
    while (!tac_march_is_done(m)) {
        TAC_TRY(tac_march_take(m));
        TAC_TRY(follow(m, j));
    }
    info->stop_time = span;
    return TAC_OK;
}
