#include "dynamics/velocity.h"

#include "dynamics/actuator.h"
#include "dynamics/inverse.h"
#include "dynamics/mass.h"
#include "dynamics/transmission.h"

#include <string.h>

/* --- The matrix --------------------------------------------------------------------------------------------------- */

/* 1: the body has one free joint on the world, and its descendants have neither mass nor joints. */
static int floats_alone(const tacModel *m, int body) {
    if (m->body_joint_num[body] != 1 || m->joint_type[m->body_joint_adr[body]] != TAC_JOINT_FREE) return 0;
    for (int b = body + 1; b < m->nbody; b++) {
        int above = b;
        while (above > body)
            above = m->body_parent[above];
        if (above == body && (m->body_joint_num[b] > 0 || m->body_mass[b] > 0)) return 0;
    }
    return 1;
}

int tac_bias_rows(const tacModel *m, int all, unsigned char *rows) {
    int any = 0;
    memset(rows, all, (size_t)m->nv);
    if (all) return m->nv > 0;
    for (int j = 0; j < m->njnt; j++) {
        if (m->joint_type[j] != TAC_JOINT_FREE || !floats_alone(m, m->joint_body[j])) continue;
        memset(rows + m->joint_dof_adr[j], 1, 6);
        any = 1;
    }
    return any;
}

/* Address of (i, j), j an ancestor of i or i itself; -1 for dofs of different paths. */
static int entry_of(const tacModel *m, int i, int j) {
    int above = i;
    while (above > j)
        above = m->dof_parent[above];
    return above == j ? m->dof_M_adr[i] + m->dof_depth[i] - m->dof_depth[j] : -1;
}

static void add_tendon_dampers(const tacModel *m, double h, double *K) {
    for (int t = 0; t < m->ntendon; t++) {
        if (m->tendon_type[t] != TAC_TENDON_FIXED || m->tendon_damping[t] == 0) continue;
        int first = m->tendon_term_adr[t], last = first + m->tendon_term_num[t];
        for (int k = first; k < last; k++)
            for (int l = first; l < last; l++) {
                int i = m->joint_dof_adr[m->term_joint[k]], j = m->joint_dof_adr[m->term_joint[l]];
                int at = entry_of(m, i, j);
                if (at >= 0) K[at] += h * m->tendon_damping[t] * m->term_coef[k] * m->term_coef[l];
            }
    }
}

/* K -= scale m^T m */
static void add_actuator(const tacModel *m, const tacWork *w, int a, double scale, double *K) {
    const double *row = w->moment + (size_t)a * (size_t)m->nv;
    int begin = w->moment_begin[a], end = w->moment_end[a];
    for (int i = begin; i < end; i++) {
        int at = m->dof_M_adr[i];
        for (int j = i; j >= begin && row[i] != 0; j = m->dof_parent[j])
            K[at++] -= scale * row[i] * row[j];
    }
}

void tac_velocity_matrix(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const unsigned char *rows,
                         double *lower, double *upper) {
    size_t bytes = (size_t)m->nM * sizeof(double);
    memcpy(lower, w->M, bytes);
    if (!(*m->option_disable & TAC_DISABLE_DAMPER)) {
        for (int i = 0; i < m->nv; i++)
            lower[m->dof_M_adr[i]] += x->h * m->dof_damping[i];
        add_tendon_dampers(m, x->h, lower);
    }
    for (int a = 0; a < m->nu; a++) {
        double k = tac_velocity_gain(m, w, a, x->u.ctrl, x->act, x->h).value;
        if (k != 0) add_actuator(m, w, a, x->h * k, lower);
    }
    if (rows == NULL) return;
    memcpy(upper, lower, bytes);
    tac_bias_velocity_jac(m, w, x->v, x->h, rows, lower, upper);
}

/* --- Derivatives ---------------------------------------------------------------------------------------------------
 * The part of one actuator is (h G a)_i = h k m_i s_i with s_i = sum of m_j a_j over the dofs j on a path with i. */

/* sums[i] = sum of z[j] over the dofs j on one path with i, itself included; n columns. sums and z do not overlap. */
static void sum_on_paths(const tacModel *m, int n, const double *z, double *sums) {
    size_t width = (size_t)n;
    memcpy(sums, z, (size_t)m->nv * width * sizeof *sums);
    for (int i = m->nv - 1; i >= 0; i--) /* outboard */
        for (size_t c = 0; m->dof_parent[i] >= 0 && c < width; c++)
            sums[(size_t)m->dof_parent[i] * width + c] += sums[(size_t)i * width + c];
    for (int i = 0; i < m->nv; i++) /* inboard */
        for (int j = m->dof_parent[i]; j >= 0; j = m->dof_parent[j])
            for (size_t c = 0; c < width; c++)
                sums[(size_t)i * width + c] += z[(size_t)j * width + c];
}

/* The moment row with zeros where it is not stored, times weight (NULL: 1). */
static void full_row(const tacModel *m, const tacWork *w, int a, const double *weight, double *row) {
    const double *stored = w->moment + (size_t)a * (size_t)m->nv;
    for (int i = 0; i < m->nv; i++)
        row[i] = i < w->moment_begin[a] || i >= w->moment_end[a] ? 0
                 : weight != NULL                                ? stored[i] * weight[i]
                                                                 : stored[i];
}

/* d(m_i s_i) = s_i dm_i + m_i sum_j a_j dm_j: the rows dm of one actuator to the sink. */
static void emit_turning_rows(const tacModel *m, tacWork *w, int a, const double *acc, const double *s, double scale,
                              const tacSink *sink, double *scratch) {
    size_t n = (size_t)m->nv;
    double *dm = scratch, *weighted = scratch + n * n, *row = w->vec[2];
    memset(dm, 0, n * n * sizeof *dm);
    tac_moment_jac(m, w, a, 1, &(tacSink){.matrix = dm, .ld = m->nv});
    full_row(m, w, a, NULL, row);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            tac_emit(sink, (int)i, (int)j, scale * s[i] * dm[i * n + j]);
    for (int i = 0; i < m->nv; i++) {
        for (size_t j = 0; j < n; j++)
            weighted[(size_t)i * n + j] = acc[i] * dm[(size_t)i * n + j];
    }
    sum_on_paths(m, m->nv, weighted, dm);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; row[i] != 0 && j < n; j++)
            tac_emit(sink, (int)i, (int)j, scale * row[i] * dm[i * n + j]);
}

/* Reverse: lambda . d(m s) = sum_j (lambda_j s_j + a_j r_j) dm_j with r the sums of lambda_i m_i. */
static void pull_turning_rows(const tacModel *m, tacWork *w, int a, const double *acc, const double *s, double scale,
                              const tacSink *sink) {
    double *weighted = w->vec[2], *r = w->vec[3], sign = sink->negate ? -1 : 1;
    full_row(m, w, a, sink->lambda, weighted);
    sum_on_paths(m, 1, weighted, r);
    for (int j = 0; j < m->nv; j++)
        weighted[j] = sink->lambda[j] * s[j] + acc[j] * r[j];
    tac_moment_jac(m, w, a, sign * scale, &(tacSink){.lambda = weighted, .bar = sink->bar});
}

void tac_velocity_jac(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacForceSink *sink,
                      double *scratch) {
    double *pulled = w->vec[0], *s = w->vec[1];
    for (int k = 0; k < m->nu; k++) {
        tacVelocityGain gain = tac_velocity_gain(m, w, k, x->u.ctrl, x->act, x->h);
        int turns = gain.value != 0 && !tac_moment_is_constant(m, k);
        int j_act = m->actuator_act_adr[k] + m->actuator_act_num[k] - 1;
        if (!turns && gain.act == 0 && gain.ctrl == 0) continue;
        full_row(m, w, k, a, pulled);
        sum_on_paths(m, 1, pulled, s);
        for (int i = w->moment_begin[k]; i < w->moment_end[k]; i++) {
            double force = x->h * w->moment[(size_t)k * (size_t)m->nv + (size_t)i] * s[i];
            if (gain.act != 0) tac_emit(&sink->act, i, j_act, force * gain.act);
            tac_emit(&sink->ctrl, i, k, force * gain.ctrl);
        }
        if (turns && sink->q.matrix != NULL)
            emit_turning_rows(m, w, k, a, s, x->h * gain.value, &sink->q, scratch);
        else if (turns)
            pull_turning_rows(m, w, k, a, s, x->h * gain.value, &sink->q);
    }
}

void tac_emit_row_change(const tacModel *m, tacWork *w, const double *a, const double *z, double scale,
                         const double *dz, double dscale, int column, const tacSink *sink) {
    double *weighted = w->vec[0], *sums = w->vec[1];
    for (int i = 0; i < m->nv; i++)
        weighted[i] = z[i] * a[i];
    sum_on_paths(m, 1, weighted, sums);
    for (int i = 0; i < m->nv; i++)
        tac_emit(sink, i, column, (dscale * z[i] + (dz != NULL ? scale * dz[i] : 0)) * sums[i]);
    if (dz == NULL) return;
    for (int i = 0; i < m->nv; i++)
        weighted[i] = dz[i] * a[i];
    sum_on_paths(m, 1, weighted, sums);
    for (int i = 0; i < m->nv; i++)
        tac_emit(sink, i, column, scale * z[i] * sums[i]);
}

void tac_velocity_move(const tacModel *m, tacWork *w, const tacSmoothPoint *x, const double *a, const tacMover *mover,
                       int column, const tacSink *sink) {
    double *row = w->vec[2], *dm = w->vec[3];
    for (int k = 0; k < m->nu; k++) {
        int type = m->actuator_trntype[k];
        double scale = x->h * tac_velocity_gain(m, w, k, x->u.ctrl, x->act, x->h).value;
        if (scale == 0 || (type != TAC_TRN_SITE && type != TAC_TRN_SLIDERCRANK)) continue;
        memset(dm, 0, (size_t)m->nv * sizeof *dm);
        tac_moment_move(m, w, k, mover, 0, 1, &(tacSink){.matrix = dm, .ld = 1});
        full_row(m, w, k, NULL, row);
        tac_emit_row_change(m, w, a, row, scale, dm, 0, column, sink);
    }
}
