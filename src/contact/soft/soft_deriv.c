/* What limits, dry friction and equalities add to dG (soft.h, Z8). */
#include "contact/soft/soft.h"

#include "contact/ball_limit.h"
#include "contact/coordinate.h"
#include "contact/equality.h"

void tac_soft_aim(tacSoftPoint *p, double B) {
    if (B == p->B) return;
    p->B = B;
    for (int i = 0; i < p->m->nv; i++)
        p->z[i] = p->a[i] + B * p->x->v[i];
    tac_rows_body_velocity(p->m, p->w, p->z, p->V);
}

/* --- Limits, couplings of joints and tendons: one row ------------------------------------------------------------- */

static void emit_single(const tacSoftPoint *p, int id, const tacSoftSink *q) {
    const tacSoftBlock *b = &p->soft->block[id];
    const tacRow *row = &p->soft->rows.row[b->row];
    tacCombination a = tac_row_combination(p->m, row, p->x->q);
    int ball = row->kind == TAC_ROW_JOINT_LIMIT && a.n == 0, dry = b->kind == TAC_SOFT_LOSS;
    tacRowWeights by = {p->soft->f[b->row], -1, dry ? 0 : tac_soft_pull_rate(b), p->z}, pos = {.rate = !dry};
    tacRowSink to_row = {q->force, q->row}, to_pos = {{0}, tac_soft_pos_sink(q, id)};
    if (a.n > 0)
        tac_combination_jac(p->m, &a, b->row, &by, &to_row), tac_combination_jac(p->m, &a, b->row, &pos, &to_pos);
    if (ball) tac_ball_limit_jac(p->m, row, b->row, p->x->q, &by, &to_row);
    if (ball) tac_ball_limit_jac(p->m, row, b->row, p->x->q, &pos, &to_pos);
}

/* --- Connects and welds ------------------------------------------------------------------------------------------- */

/* dy_k = dJ_k z + K (d dpos_k + d' pos_k dr),  dr = sum pos dpos / r: the second part goes with dr, by `share`. */
static void emit_pose(const tacSoftPoint *p, int id, const tacMover *mover, int column, const tacSoftSink *sink) {
    const tacSoftBlock *b = &p->soft->block[id];
    const tacRow *row = &p->soft->rows.row[b->row];
    tacEquality e = tac_equality_at(p->m, p->w, row->id);
    tacEqualityWeights by = {.k = b->row, .scale = -1, .z = p->z, .V = p->V}, pos = {.k = b->row};
    for (int i = 0; i < b->n; i++) {
        by.f[i] = p->soft->f[b->row + i], by.rate[i] = b->z.K * b->z.d;
        pos.rate[i] = b->r > 0 ? row[i].pos / b->r : 0;
    }
    tacRowSink to_row = {sink->force, sink->row}, to_pos = {{0}, tac_soft_pos_sink(sink, id)};
    tac_equality_move(p->m, p->w, &e, mover, &by, column, &to_row);
    tac_equality_move(p->m, p->w, &e, mover, &pos, column, &to_pos);
}

static void emit_poses(const tacSoftPoint *p, int id, const tacSoftSink *q, const tacSoftSink *mocap) {
    for (int j = 0; j < p->m->nv; j++) {
        tacMover mover = tac_dof_mover(p->m, p->w, j);
        emit_pose(p, id, &mover, j, q);
    }
    for (int i = 0; mocap != NULL && i < 7 * p->m->nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(p->m, p->w, i / 7, i % 7, p->x->u.mocap + 7 * (i / 7), &mover);
        emit_pose(p, id, &mover, i, mocap);
    }
}

void tac_soft_other_jac(tacSoftPoint *p, const tacSoftSink *q, const tacSoftSink *mocap) {
    for (int id = 0; id < p->soft->nblock; id++) {
        const tacSoftBlock *b = &p->soft->block[id];
        const tacRow *row = &p->soft->rows.row[b->row];
        if (row->kind == TAC_ROW_CONTACT || tac_soft_is_idle(b)) continue;
        tac_soft_aim(p, b->z.B);
        if (row->kind == TAC_ROW_EQUALITY && tac_equality_is_pose(p->m, row->id))
            emit_poses(p, id, q, mocap);
        else
            emit_single(p, id, q);
    }
}
