#include "step/tangent.h"

#include "math/quat.h"

/* First dof of a joint's rotation, or -1. */
static int rotation_dof(const tacModel *m, int joint) {
    int dof = m->joint_dof_adr[joint], type = m->joint_type[joint];
    return type == TAC_BALL ? dof : type == TAC_FREE ? dof + 3 : -1;
}

static tacMat3 start_block(tacVec3 turn) { return tac_transpose3(tac_quat_mat(tac_quat_exp(turn))); }

/* rows[3] <- B rows[3], n columns */
static void turn_rows(const tacMat3 *B, int n, int ld, double *rows) {
    for (int c = 0; c < n; c++) {
        tacVec3 x = {rows[c], rows[ld + c], rows[2 * ld + c]}, y = tac_mulmv3(*B, x);
        rows[c] = y.x, rows[ld + c] = y.y, rows[2 * ld + c] = y.z;
    }
}

void tac_move_jac(const tacModel *m, const double *hv, double h, int n, int ld_dv, const double *dv, int ld,
                  double *out) {
    for (int i = 0; i < m->nv; i++)
        for (int c = 0; c < n; c++)
            out[(size_t)i * (size_t)ld + (size_t)c] = h * dv[(size_t)i * (size_t)ld_dv + (size_t)c];
    for (int j = 0; j < m->njnt; j++) {
        int dof = rotation_dof(m, j);
        if (dof < 0) continue;
        tacMat3 Q = tac_quat_right_jacobian(tac_load3(hv + dof));
        turn_rows(&Q, n, ld, out + (size_t)dof * (size_t)ld);
    }
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
