/* Coordinates of inner steps: x = x_0 (+) z, and Munthe-Kaas' correction of rates (docs/theory/adaptive.md, AD2,
 * AD4). */
#include "smooth/adaptive.h"

#include "math/quat.h"
#include "math/scalar.h"
#include "smooth/log_rate.h"

#include <string.h>

/* rad: most that a ball or free joint turns in an inner step. */
#define MOST_TURN 2

static const tacModel *model_of(const void *user) { return ((const tacAdaptive *)user)->ctx->model; }

/* First dof of a joint's rotation, or -1. */
static int rotation_of(const tacModel *m, int joint) {
    int dof = m->joint_dof_adr[joint], type = m->joint_type[joint];
    return type == TAC_JOINT_BALL ? dof : type == TAC_JOINT_FREE ? dof + 3 : -1;
}

static tacMat3 back_of(tacVec3 turn) { return tac_transpose3(tac_quat_mat(tac_quat_exp(turn))); }

static tacVec3 load(const double *x, int dof, int n, int c) {
    const double *at = x + (size_t)dof * (size_t)n + c;
    return (tacVec3){at[0], at[n], at[2 * n]};
}

static void store(double *x, int dof, int n, int c, tacVec3 v) {
    double *at = x + (size_t)dof * (size_t)n + c;
    at[0] = v.x;
    at[n] = v.y;
    at[2 * n] = v.z;
}

/* --- Places ------------------------------------------------------------------------------------------------------- */

void tac_adaptive_place(void *user, const double *x, const double *z, double *out) {
    const tacModel *m = model_of(user);
    tac_qpos_add(m, x, z, out);
    for (int i = 0; i < m->nv + m->na; i++)
        out[m->nq + i] = x[m->nq + i] + z[m->nv + i];
}

void tac_adaptive_place_jac(void *user, const double *z, int n, const double *e, double *dz) {
    const tacModel *m = model_of(user);
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_of(m, j);
        if (dof < 0) continue;
        tacMat3 P = back_of(tac_load3(z + dof)), Q = tac_quat_right_jacobian(tac_load3(z + dof));
        for (int c = 0; c < n; c++) { /* less e, which is added below */
            tacVec3 from = load(e, dof, n, c), by = tac_mulmv3(Q, load(dz, dof, n, c));
            store(dz, dof, n, c, tac_add3(by, tac_sub3(tac_mulmv3(P, from), from)));
        }
    }
    for (size_t i = 0; i < (size_t)tac_ndx(m) * (size_t)n; i++)
        dz[i] += e[i];
}

void tac_adaptive_place_vjp(void *user, const double *z, const double *bar, double *e, double *z_bar) {
    const tacModel *m = model_of(user);
    for (int i = 0; i < tac_ndx(m); i++) {
        e[i] += bar[i];
        z_bar[i] += bar[i];
    }
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_of(m, j);
        if (dof < 0) continue;
        tacVec3 turn = tac_load3(z + dof), b = tac_load3(bar + dof);
        tacVec3 back = tac_sub3(tac_mulmtv3(back_of(turn), b), b);
        tacVec3 along = tac_sub3(tac_mulmtv3(tac_quat_right_jacobian(turn), b), b);
        tac_store3(e + dof, tac_add3(tac_load3(e + dof), back));
        tac_store3(z_bar + dof, tac_add3(tac_load3(z_bar + dof), along));
    }
}

/* --- Corrections of rates ----------------------------------------------------------------------------------------- */

void tac_adaptive_correct(void *user, const double *z, const double *f, double *k) {
    const tacModel *m = model_of(user);
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_of(m, j);
        if (dof >= 0) tac_store3(k + dof, tac_log_rate_exact(tac_load3(z + dof), tac_load3(f + dof)));
    }
}

void tac_adaptive_correct_jac(void *user, const double *z, const double *f, int n, const double *df, double *dz) {
    const tacModel *m = model_of(user);
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_of(m, j);
        if (dof < 0) continue;
        tacVec3 turn = tac_load3(z + dof), rate = tac_load3(f + dof);
        for (int c = 0; c < n; c++) { /* less df, which is set below */
            tacVec3 own = load(df, dof, n, c), by = tac_log_rate_exact_jvp(turn, rate, load(dz, dof, n, c));
            store(dz, dof, n, c, tac_add3(tac_log_rate_exact(turn, own), by));
        }
    }
    for (int j = 0; j < m->njnt; j++) { /* dofs that do not turn */
        int dof = rotation_of(m, j), first = m->joint_dof_adr[j], last = dof >= 0 ? dof : first + 1;
        size_t from = (size_t)first * (size_t)n;
        memcpy(dz + from, df + from, (size_t)(last - first) * (size_t)n * sizeof *dz);
    }
    size_t rest = (size_t)m->nv * (size_t)n;
    memcpy(dz + rest, df + rest, (size_t)(m->nv + m->na) * (size_t)n * sizeof *dz);
}

void tac_adaptive_correct_vjp(void *user, const double *z, const double *f, const double *bar, double *f_bar,
                              double *z_bar) {
    const tacModel *m = model_of(user);
    for (int i = 0; i < tac_ndx(m); i++)
        f_bar[i] += bar[i];
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_of(m, j);
        if (dof < 0) continue;
        tacVec3 turn = tac_load3(z + dof), rate = tac_load3(f + dof), b = tac_load3(bar + dof);
        tacVec3 back = tac_sub3(tac_log_rate_exact(tac_neg3(turn), b), b);
        tac_store3(f_bar + dof, tac_add3(tac_load3(f_bar + dof), back));
        tac_store3(z_bar + dof, tac_add3(tac_load3(z_bar + dof), tac_log_rate_exact_vjp(turn, rate, b)));
    }
}

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

/* |x| of coordinates that do not turn, 1 of rotations (AD5). */
void tac_adaptive_size(void *user, const double *x, double *size) {
    const tacModel *m = model_of(user);
    for (int j = 0; j < m->njnt; j++) {
        int dof = m->joint_dof_adr[j], turns = rotation_of(m, j), q = m->joint_qpos_adr[j];
        int straight = turns < 0 ? 1 : turns - dof;
        for (int i = 0; i < straight; i++)
            size[dof + i] = tac_abs(x[q + i]);
        for (int i = 0; turns >= 0 && i < 3; i++)
            size[turns + i] = 1;
    }
    for (int i = 0; i < m->nv + m->na; i++)
        size[m->nv + i] = tac_abs(x[m->nq + i]);
}

double tac_adaptive_longest(void *user, const double *x) {
    const tacModel *m = model_of(user);
    double fastest = 0;
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_of(m, j);
        if (dof >= 0) fastest = tac_max(fastest, tac_norm3(tac_load3(x + m->nq + dof)));
    }
    return fastest > 0 ? MOST_TURN / fastest : TAC_INFINITY;
}
