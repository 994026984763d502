/* Terms of moving limits, dry friction and equalities in dG (problem.h, Z9). */
#include "contact/soft/problem.h"

#include "contact/ball_limit.h"
#include "contact/coordinate.h"
#include "contact/equality.h"

void tac_soft_set_damping(tacSoftPoint *p, double B) {
    if (B == p->B) return;
    p->B = B;
    for (int i = 0; i < p->m->nv; i++)
        p->z[i] = p->a[i] + B * p->x->v[i];
    tac_rows_body_velocity(p->m, p->w, p->z, p->V);
}

/* Sinks of forces, rows and dr. */
static tacRowSink to_rows(const tacSoftSink *sink) { return (tacRowSink){sink->force, sink->row}; }
static tacRowSink to_pos(const tacSoftSink *sink) { return (tacRowSink){{0}, sink->pos}; }

/* --- Limits, couplings of joints and tendons: one row ------------------------------------------------------------- */

static void emit_single(const tacSoftPoint *p, const tacSoftBlock *b, const tacContactColumns *to) {
    const tacModel *m = p->m;
    int k = b->row, dry = b->kind == TAC_SOFT_LOSS;
    const tacRow *row = &p->soft->rows.row[k];
    tacCombination a = tac_row_combination(m, row, p->x->q);
    int ball = row->kind == TAC_ROW_JOINT_LIMIT && a.n == 0;
    const tacRowWeights by[2] = {{p->soft->f[k], -1, dry ? 0 : tac_soft_pull_rate(b), p->z}, {.rate = !dry}};
    for (int i = 0; i < 2; i++) {
        tacRowSink q = i == 0 ? to_rows(to->q) : to_pos(to->q);
        if (a.n > 0) tac_combination_jac(m, &a, k, &by[i], &q);
        if (ball) tac_ball_limit_jac(m, row, k, p->x->q, &by[i], &q);
        if (to->theta == NULL) continue;
        tacRowSink theta = i == 0 ? to_rows(to->theta) : to_pos(to->theta);
        for (int t = 0; t < m->nmember; t++) {
            const tacParamTangent *by_t = &to->tangents[t];
            if (a.n > 0) tac_combination_param(m, &a, row, k, p->x->q, &by[i], by_t, by_t->column, &theta);
            if (ball) tac_ball_limit_param(m, row, k, &by[i], by_t, by_t->column, &theta);
        }
    }
}

/* --- Connects and welds ------------------------------------------------------------------------------------------- */

/* dy_k = dJ_k z + d(J'v)_k + K (d dpos_k + d' pos_k dr),  dr = sum pos dpos / r. The last part is emitted with dr, by
 * its share. J'v moves with q and with v. */
static void emit_poses(const tacSoftPoint *p, const tacSoftBlock *b, const tacContactColumns *to) {
    const tacModel *m = p->m;
    const tacRow *row = &p->soft->rows.row[b->row];
    tacEquality e = tac_equality_at(m, p->w, row->id);
    tacEqualityWeights by[2] = {{.k = b->row, .scale = -1, .z = p->z, .V = p->V, .v = p->x->v}, {.k = b->row}};
    for (int i = 0; i < b->n; i++) {
        by[0].f[i] = p->soft->f[b->row + i];
        by[0].rate[i] = b->z.K * b->z.d;
        by[1].rate[i] = b->r > 0 ? row[i].pos / b->r : 0;
    }
    tac_equality_bias_velocity_jac(m, p->w, &e, p->x->v, b->row, &to->q->row);
    for (int i = 0; i < 2; i++) {
        tacMover mover;
        tacRowSink q = i == 0 ? to_rows(to->q) : to_pos(to->q);
        for (int j = 0; j < m->nv; j++) {
            mover = tac_dof_mover(m, p->w, j);
            tac_equality_move(m, p->w, &e, &mover, &by[i], j, &q);
        }
        for (int j = 0; to->mocap != NULL && j < TAC_POSE_SIZE * m->nmocap; j++) {
            tacRowSink mocap = i == 0 ? to_rows(to->mocap) : to_pos(to->mocap);
            tac_mocap_mover(m, p->w, j, p->x->u.mocap, &mover);
            tac_equality_move(m, p->w, &e, &mover, &by[i], j, &mocap);
        }
        for (int j = 0; to->theta != NULL && j < m->nmember; j++) {
            tacRowSink theta = i == 0 ? to_rows(to->theta) : to_pos(to->theta);
            tac_equality_param(m, p->w, &e, p->x, &by[i], &to->tangents[j], to->tangents[j].column, &theta);
        }
    }
}

void tac_soft_other_jac(tacSoftPoint *p, const tacContactColumns *to) {
    for (int id = 0; id < p->soft->nblock; id++) {
        const tacSoftBlock *b = &p->soft->block[id];
        const tacRow *row = &p->soft->rows.row[b->row];
        if (row->kind == TAC_ROW_CONTACT || (tac_soft_is_idle(b) && !p->idle)) continue;
        tac_soft_set_damping(p, b->z.B);
        if (row->kind == TAC_ROW_EQUALITY && tac_equality_is_pose(p->m, row->id))
            emit_poses(p, b, to);
        else
            emit_single(p, b, to);
    }
}
