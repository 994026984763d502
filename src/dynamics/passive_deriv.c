#include "dynamics/passive.h"

#include "dynamics/kinematics.h"

/* --- Springs and dampers ------------------------------------------------------------------------------------------ */

/* f = -k d, with d the displacement in tangent coordinates. df/dq = -k, and for a rotation -k Jr^-1(d), since log(Q
 * exp(x)) = d + Jr^-1(d) x + ... */
static void emit_joint_spring(const tacModel *m, int joint, const double *q, const tacSink *sink) {
    double d[6], k = m->joint_stiffness_used[joint];
    int n = tac_spring_displacement(m, joint, q, d), dof = m->joint_dof_adr[joint];
    for (int i = 0; i < n % 3 + (n == 6 ? 3 : 0); i++)
        tac_emit(sink, dof + i, dof + i, -k);
    if (n == 1) return;
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_load3(d + n - 3));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            tac_emit(sink, dof + n - 3 + i, dof + n - 3 + j, -k * inverse.m[3 * i + j]);
}

/* scale J^T J for the row J of a fixed tendon */
static void emit_tendon_square(const tacModel *m, int tendon, double scale, const tacSink *sink) {
    int first = m->tendon_term_adr[tendon], last = first + m->tendon_term_num[tendon];
    for (int k = first; k < last; k++)
        for (int l = first; l < last; l++)
            tac_emit(sink, m->joint_dof_adr[m->term_joint[k]], m->joint_dof_adr[m->term_joint[l]],
                     scale * m->term_coef[k] * m->term_coef[l]);
}

/* --- Forces of fixed direction ------------------------------------------------------------------------------------ */

/* Wrenches about the tree's reference point, W = (c x f + n, f), and T = c f^T of their points of attack, summed over
 * subtrees. */
static void sum_wrenches(const tacModel *m, tacWork *w, const tacVec6 *wrench) {
    for (int b = 1; b < m->nbody; b++) {
        tacVec3 c = tac_sub3(w->xipos[b], w->origin[b]), f = wrench[b].lin;
        w->wrench[b] = (tacVec6){tac_add3(wrench[b].ang, tac_cross3(c, f)), f};
        w->attack[b] = (tacMat3){
            {c.x * f.x, c.x * f.y, c.x * f.z, c.y * f.x, c.y * f.y, c.y * f.z, c.z * f.x, c.z * f.y, c.z * f.z}};
    }
    for (int b = m->nbody - 1; b > 0; b--) {
        int parent = m->body_parent[b];
        if (parent == 0) continue;
        w->wrench[parent] = tac_add6(w->wrench[parent], w->wrench[b]);
        for (int i = 0; i < 9; i++)
            w->attack[parent].m[i] += w->attack[b].m[i];
    }
}

/* T x - tr(T) x: change of the moments when turning by x, the sum of (x x c) x f. */
static tacVec3 turned_moment(const tacMat3 *T, tacVec3 x, int transposed) {
    double trace = T->m[0] + T->m[4] + T->m[8];
    return tac_madd3(transposed ? tac_mulmtv3(*T, x) : tac_mulmv3(*T, x), -trace, x);
}

/* A displacement S_j moves the points of attack outboard of j, dW_j = (S_j.lin x F + (S_j.ang x c) x f, 0), and the
 * axes it carries, dS_i = S_j x S_i:
 *   j inboard of or beside i   dtau_i/dq_j = S_i . dW_j(at i) + (S_j x S_i) . W_i = R_i . S_j
 *   i strictly inboard of j    dtau_i/dq_j = S_i . dW_j(at j) */
void tac_world_force_jac(const tacModel *m, tacWork *w, const tacVec6 *wrench, const tacSink *q) {
    sum_wrenches(m, w, wrench);
    for (int i = 0; i < m->nv; i++) {
        int b = m->dof_body[i], start = tac_dof_group(m, i);
        tacVec6 S = w->S[i], W = w->wrench[b], R = tac_crossf6(S, W);
        R.ang = tac_add3(R.ang, turned_moment(&w->attack[b], S.ang, 1));
        R.lin = tac_add3(R.lin, tac_cross3(W.lin, S.ang));
        tacVec3 D = tac_add3(tac_cross3(S.lin, W.lin), turned_moment(&w->attack[b], S.ang, 0));
        for (int j = i; j >= 0; j = m->dof_parent[j]) {
            tac_emit(q, i, j, tac_dot6(R, w->S[j]));
            if (j < start) tac_emit(q, j, i, tac_dot3(w->S[j].ang, D));
        }
        for (int j = i + 1; j < m->nv && tac_dof_group(m, j) == start; j++)
            tac_emit(q, i, j, tac_dot6(R, w->S[j]));
    }
}

void tac_world_force_move(const tacModel *m, const tacWork *w, int body, tacVec6 wrench, const tacMover *x, int column,
                          const tacSink *sink) {
    if (!tac_moves_body(m, x, body)) return;
    tacVec3 c = tac_sub3(w->xipos[body], w->origin[body]), moved = tac_add3(x->S.lin, tac_cross3(x->S.ang, c));
    tacVec6 W = {tac_add3(wrench.ang, tac_cross3(c, wrench.lin)), wrench.lin};
    tacVec3 dmoment = tac_cross3(moved, wrench.lin);
    for (int i = m->body_last_dof[body]; i >= 0; i = m->dof_parent[i]) {
        double value = tac_dot3(w->S[i].ang, dmoment);
        if (tac_moves_dof(m, x, i)) value += tac_dot6(tac_crossm6(x->S, w->S[i]), W);
        tac_emit(sink, i, column, value);
    }
}

/* Gravity compensation: a force at each body. Wrenches are in w->applied. */
void tac_gravcomp_jac(const tacModel *m, tacWork *w, const tacSink *q) {
    tacVec3 up = tac_base_acceleration(m).lin;
    int any = 0, both = TAC_DISABLE_SPRING | TAC_DISABLE_DAMPER;
    for (int b = 1; b < m->nbody; b++) {
        any |= m->body_gravcomp[b] != 0;
        w->applied[b] = (tacVec6){{0, 0, 0}, tac_scale3(m->body_mass[b] * m->body_gravcomp[b], up)};
    }
    if (any && (*m->option_disable & both) != both) tac_world_force_jac(m, w, w->applied, q);
}

static void emit_gravity_compensation(const tacModel *m, tacWork *w, const unsigned char *saturated, tacSink q) {
    for (int i = 0; i < m->nv; i++)
        w->skip[i] = saturated[i] && m->joint_actgravcomp[m->dof_joint[i]];
    q.skip = w->skip;
    tac_gravcomp_jac(m, w, &q);
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

void tac_passive_jac(const tacModel *m, tacWork *w, const double *q, const unsigned char *saturated,
                     const tacForceSink *sink) {
    int spring = !(*m->option_disable & TAC_DISABLE_SPRING), damper = !(*m->option_disable & TAC_DISABLE_DAMPER);
    if (!spring && !damper) return;
    for (int j = 0; spring && j < m->njnt; j++)
        if (m->joint_stiffness_used[j] != 0) emit_joint_spring(m, j, q, &sink->q);
    for (int i = 0; damper && i < m->nv; i++)
        tac_emit(&sink->v, i, i, -m->dof_damping[i]);
    for (int t = 0; t < m->ntendon; t++) {
        if (m->tendon_type[t] != TAC_TENDON_FIXED) continue;
        if (spring && tac_tendon_band_side(m, w, t) >= 0) emit_tendon_square(m, t, -m->tendon_stiffness[t], &sink->q);
        if (damper && m->tendon_damping[t] != 0) emit_tendon_square(m, t, -m->tendon_damping[t], &sink->v);
    }
    emit_gravity_compensation(m, w, saturated, sink->q);
}
