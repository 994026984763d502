#include "smooth/tangent.h"

#include "math/quat.h"

/* First dof of a joint's rotation, or -1. */
static int rotation_dof(const tacModel *m, int joint) {
    int dof = m->joint_dof_adr[joint], type = m->joint_type[joint];
    return type == TAC_JOINT_BALL ? dof : type == TAC_JOINT_FREE ? dof + 3 : -1;
}

static tacMat3 start_block(tacVec3 turn) { return tac_transpose3(tac_quat_mat(tac_quat_exp(turn))); }

/* rows[3] <- B rows[3], n columns */
static void turn_rows(const tacMat3 *B, int n, int ld, double *rows) {
    for (int c = 0; c < n; c++) {
        tacVec3 x = {rows[c], rows[ld + c], rows[2 * ld + c]}, y = tac_mulmv3(*B, x);
        rows[c] = y.x;
        rows[ld + c] = y.y;
        rows[2 * ld + c] = y.z;
    }
}

void tac_turn_jac(const tacModel *m, const double *hv, int n, int ld, double *out) {
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_dof(m, j);
        if (dof < 0) continue;
        tacMat3 Q = tac_quat_right_jacobian(tac_load3(hv + dof));
        turn_rows(&Q, n, ld, out + (size_t)dof * (size_t)ld);
    }
}

void tac_move_jac(const tacModel *m, const double *hv, double h, int n, int ld_dv, const double *dv, int ld,
                  double *out) {
    for (int i = 0; i < m->nv; i++)
        for (int c = 0; c < n; c++)
            out[(size_t)i * (size_t)ld + (size_t)c] = h * dv[(size_t)i * (size_t)ld_dv + (size_t)c];
    tac_turn_jac(m, hv, n, ld, out);
}

void tac_move_start_jac(const tacModel *m, const double *hv, int ld, double *out) {
    for (int i = 0; i < m->nv; i++)
        out[(size_t)i * (size_t)ld + (size_t)i] += 1;
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_dof(m, j);
        if (dof < 0) continue;
        tacMat3 P = start_block(tac_load3(hv + dof));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                out[(size_t)(dof + r) * (size_t)ld + (size_t)(dof + c)] += P.m[3 * r + c] - (r == c);
    }
}

void tac_move_back_jac(const tacModel *m, const double *hv, int n, double *q) {
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_dof(m, j);
        if (dof < 0) continue;
        tacMat3 P = start_block(tac_load3(hv + dof));
        turn_rows(&P, n, n, q + (size_t)dof * (size_t)n);
    }
}

void tac_move_vjp(const tacModel *m, const double *hv, double h, const double *bar, double *qbar, double *vbar) {
    for (int i = 0; i < m->nv; i++)
        qbar[i] = bar[i];
    for (int i = 0; i < m->nv; i++)
        vbar[i] += h * bar[i];
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_dof(m, j);
        if (dof < 0) continue;
        tacVec3 turn = tac_load3(hv + dof), b = tac_load3(bar + dof);
        tacVec3 v = tac_sub3(tac_mulmtv3(tac_quat_right_jacobian(turn), b), b);
        tac_store3(qbar + dof, tac_mulmtv3(start_block(turn), b));
        tac_store3(vbar + dof, tac_madd3(tac_load3(vbar + dof), h, v));
    }
}

/* --- Rates of logarithmic coordinates ----------------------------------------------------------------------------- */

/* T x = x + u x x / 2 + u x (u x x) / 12; its transpose with -u. */
static tacVec3 correct(tacVec3 u, tacVec3 x) {
    tacVec3 turned = tac_cross3(u, x);
    return tac_madd3(tac_madd3(x, 0.5, turned), 1.0 / 12, tac_cross3(u, turned));
}

/* N d = d x v / 2 + (d x (u x v) + u x (d x v)) / 12 */
static tacVec3 correct_along(tacVec3 u, tacVec3 v, tacVec3 d) {
    tacVec3 second = tac_add3(tac_cross3(d, tac_cross3(u, v)), tac_cross3(u, tac_cross3(d, v)));
    return tac_madd3(tac_scale3(0.5, tac_cross3(d, v)), 1.0 / 12, second);
}

/* N^T b: b . (d x y) = d . (y x b), b . (u x (d x v)) = d . (v x (b x u)) */
static tacVec3 correct_along_transposed(tacVec3 u, tacVec3 v, tacVec3 b) {
    tacVec3 second = tac_add3(tac_cross3(tac_cross3(u, v), b), tac_cross3(v, tac_cross3(b, u)));
    return tac_madd3(tac_scale3(0.5, tac_cross3(v, b)), 1.0 / 12, second);
}

void tac_log_rate(const tacModel *m, const double *u, const double *v, double *rate) {
    for (int i = 0; i < m->nv; i++)
        rate[i] = v[i];
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_dof(m, j);
        if (dof >= 0) tac_store3(rate + dof, correct(tac_load3(u + dof), tac_load3(v + dof)));
    }
}

void tac_log_rate_jac(const tacModel *m, const double *u, const double *v, int n, int ld, const double *dv,
                      double *du) {
    size_t row = (size_t)ld;
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_dof(m, j), first = m->joint_dof_adr[j];
        int last = dof >= 0 ? dof : first + 1; /* dofs that do not turn */
        for (size_t i = (size_t)first; i < (size_t)last; i++)
            for (size_t c = 0; c < (size_t)n; c++)
                du[i * row + c] = dv[i * row + c];
        if (dof < 0) continue;
        tacVec3 turn = tac_load3(u + dof), rate = tac_load3(v + dof);
        const double *x = dv + (size_t)dof * row;
        double *y = du + (size_t)dof * row;
        for (int c = 0; c < n; c++) {
            tacVec3 a = {x[c], x[ld + c], x[2 * ld + c]}, b = {y[c], y[ld + c], y[2 * ld + c]};
            tacVec3 out = tac_add3(correct(turn, a), correct_along(turn, rate, b));
            y[c] = out.x;
            y[ld + c] = out.y;
            y[2 * ld + c] = out.z;
        }
    }
}

void tac_log_rate_vjp(const tacModel *m, const double *u, const double *v, const double *bar, double *vbar,
                      double *ubar) {
    for (int i = 0; i < m->nv; i++)
        ubar[i] = 0;
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_dof(m, j), first = m->joint_dof_adr[j];
        int last = dof >= 0 ? dof : first + 1;
        for (int i = first; i < last; i++)
            vbar[i] += bar[i];
        if (dof < 0) continue;
        tacVec3 turn = tac_load3(u + dof), rate = tac_load3(v + dof), b = tac_load3(bar + dof);
        tac_store3(vbar + dof, tac_add3(tac_load3(vbar + dof), correct(tac_neg3(turn), b)));
        tac_store3(ubar + dof, correct_along_transposed(turn, rate, b));
    }
}
