#include "contact/ball_limit.h"

#include "math/quat.h"
#include "math/scalar.h"

double tac_ball_angle(const tacModel *m, int joint, const double *q, tacVec3 *axis) {
    tacVec3 turn = tac_quat_log(tac_quat_normalize(tac_quat_load(q + m->joint_qpos_adr[joint])));
    double angle = tac_norm3(turn);
    *axis = angle > 0 ? tac_scale3(1 / angle, turn) : tac_zero3();
    return angle;
}

/* The larger of the two numbers, as MuJoCo takes it. */
static int range_index(const tacModel *m, int joint) {
    const double *range = m->joint_range + 2 * joint;
    return 2 * joint + (range[1] >= range[0]);
}

/* The angle's rate is axis . w, w the velocity in child axes. */
void tac_add_ball_limit(const tacModel *m, int joint, const double *q, const double *v, double reach, tacRows *rows) {
    tacVec3 axis;
    int dof = m->joint_dof_adr[joint];
    double angle = tac_ball_angle(m, joint, q, &axis), pos = m->joint_range[range_index(m, joint)] - angle;
    double near = m->joint_margin[joint] + reach * (tac_norm3(tac_load3(v + dof)) + 1);
    if (angle < TAC_BALL_LEAST_ANGLE || !(pos < near)) return;
    tacRow *row = tac_rows_begin(rows, TAC_ROW_JOINT_LIMIT, joint, 1, pos);
    if (row == NULL) return;
    tac_rows_add_path(m, rows, row, dof + 2);
    for (int i = 0; i < 3; i++)
        tac_rows_add_value(rows, row, dof + i, -tac_get3(axis, i));
}

/* exp(angle axis) exp(d):  d(angle) = axis . d,  d(axis) = (axis x d + cot(angle/2) (d - axis (axis . d))) / 2  (R7) */
void tac_ball_limit_jac(const tacModel *m, const tacRow *row, int k, const double *q, const tacRowWeights *by,
                        const tacRowSink *sink) {
    tacVec3 a;
    double angle = tac_ball_angle(m, row->id, q, &a), cot = tac_cos(angle / 2) / tac_sin(angle / 2);
    int dof = m->joint_dof_adr[row->id];
    for (int j = 0; j < 3; j++) {
        tacVec3 d = tac_vec3(j == 0, j == 1, j == 2), across = tac_madd3(d, -tac_get3(a, j), a);
        tacVec3 da = tac_scale3(0.5, tac_madd3(tac_cross3(a, d), cot, across));
        for (int i = 0; by->f != 0 && i < 3; i++)
            tac_emit(&sink->force, dof + i, dof + j, -by->scale * by->f * tac_get3(da, i));
        double change = -by->rate * tac_get3(a, j);
        if (by->z != NULL) change -= tac_dot3(da, tac_load3(by->z + dof));
        tac_emit(&sink->row, k, dof + j, change);
    }
}

void tac_ball_limit_param(const tacModel *m, const tacRow *row, int k, const tacRowWeights *by,
                          const tacParamTangent *t, int column, const tacRowSink *sink) {
    if (tac_param_at(m, t->field, t->index) == m->joint_range + range_index(m, row->id))
        tac_emit(&sink->row, k, column, by->rate);
}
