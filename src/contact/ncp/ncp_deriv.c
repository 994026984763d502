/* How the step's equations move with the state at fixed q+: the poses at q (-) h v and at q move by twists, which the
 * bodies' blocks and contacts turn into missing impulses   (docs/theory/ncp.md, W20-W23). With q+ held instead of v+
 * the stiff gaps at q+ do not move, and nothing large cancels. */
#include "contact/ncp/ncp.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* --- Room --------------------------------------------------------------------------------------------------------- */

size_t tac_ncp_deriv_bytes(const tacModel *m, int max_contacts) {
    size_t nb = (size_t)m->nbody, block = tac_arena_round(TAC_BLOCK_SIZE * nb * sizeof(double));
    return 2 * block + tac_arena_round(nb * sizeof(tacVec6)) + tac_arena_round(nb) + tac_ncp_pose_bytes(m) +
           tac_arena_round((size_t)max_contacts * sizeof(tacNcpStart));
}

int tac_ncp_deriv_layout(tacNcpDeriv *d, const tacModel *m, int max_contacts, tacArena *arena) {
    d->now = TAC_TAKE(arena, TAC_BLOCK_SIZE * m->nbody, double);
    d->before = TAC_TAKE(arena, TAC_BLOCK_SIZE * m->nbody, double);
    d->wrench = TAC_TAKE(arena, m->nbody, tacVec6);
    d->behind = TAC_TAKE(arena, m->nbody, unsigned char);
    d->start = TAC_TAKE(arena, max_contacts, tacNcpStart);
    return d->now && d->before && d->wrench && d->behind && d->start && tac_ncp_pose_layout(&d->prev, m, arena);
}

/* --- Blocks ------------------------------------------------------------------------------------------------------- */

/* With W+ = R L+ (second pose z+) and W- = R- L+ (second pose z) in world axes, T the derivative of either with its
 * second pose,  dW+ = turn x W+ + T (turn+ - turn),  dW- = turn- x W- + T- (turn - turn-). */
static void put_body(const tacNcp *p, tacNcpDeriv *d, int b) {
    const tacModel *m = p->m;
    double mass = m->body_mass[b] / p->h;
    tacSym3 J = m->body_icom[b];
    tacVec3 W, W_before = p->before[b].ang;
    tacMat3 T = tac_ncp_turn_block(p->w, &p->next, b, J, p->h, &W), T_before, A, B;
    T_before = tac_ncp_turn_block(&d->prev, p->w, b, J, p->h, NULL);
    tacMat3 of_W = tac_ncp_skew(W), of_before = tac_ncp_skew(W_before);
    for (int i = 0; i < 9; i++) {
        A.m[i] = -of_W.m[i] - T.m[i] - T_before.m[i];
        B.m[i] = of_before.m[i] + T_before.m[i];
    }
    tacVec3 arm = tac_sub3(p->w->xipos[b], p->w->origin[b]), arm_before = tac_sub3(d->prev.xipos[b], d->prev.origin[b]);
    memset(d->now + TAC_BLOCK_SIZE * b, 0, TAC_BLOCK_SIZE * sizeof(double));
    memset(d->before + TAC_BLOCK_SIZE * b, 0, TAC_BLOCK_SIZE * sizeof(double));
    tac_ncp_add_rigid(&A, -2 * mass, arm, arm, d->now + TAC_BLOCK_SIZE * b);
    tac_ncp_add_rigid(&B, mass, arm, arm_before, d->before + TAC_BLOCK_SIZE * b);
}

/* Slip as the pose at q moves: d(slide) = -dx/h, d(spin) = -Jr^-1(h spin) turn / h. Twists about the tree's origin. */
static void slip_start(const tacNcp *p, const tacNcpContact *c, int side, double G[3][12]) {
    int b = c->body[side];
    double sign = side == 0 ? -1 : 1;
    tacVec3 arm = tac_sub3(c->now.pos, p->next.xipos[b]), from = tac_sub3(p->w->xipos[b], p->w->origin[b]);
    tacMat3 turn = tac_quat_right_jacobian_inverse(tac_scale3(p->h, p->spin[b]));
    for (int k = 0; k < 6; k++) {
        tacVec3 e = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2), du;
        if (k < 3)
            du = tac_add3(tac_cross3(tac_mulmv3(turn, e), arm), tac_cross3(e, from));
        else
            du = e;
        for (int i = 0; i < 2; i++)
            G[1 + i][6 * side + k] = -sign / p->h * tac_dot3(c->now.tangent[i], du);
    }
}

/* Of a contact that overlaps at q the gap that counts as closed moves with it. */
static tacStatus rest_start(tacNcp *p, const tacNcpContact *c, double G[3][12]) {
    tacContactSystem system;
    if (!(c->rest < 0)) return TAC_OK;
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, p->w, c->start.geom[side]);
    tacStatus status = tac_contact_prepare(p->m, p->scene, &c->start, &system);
    for (int side = 0; side < 2 && status == TAC_OK; side++) {
        double *row = G[0] + 6 * side;
        for (int k = 0; k < 6; k++)
            row[k] = -system.twist[side][k].dist;
        tac_ncp_shift_row(tac_sub3(c->start.pos, p->w->origin[c->body[side]]), row);
    }
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, &p->next, c->start.geom[side]);
    return status;
}

tacStatus tac_ncp_differentiate(tacNcp *p, tacNcpDeriv *d) {
    const tacModel *m = p->m;
    tacStatus status = TAC_OK;
    tac_ncp_pose_before(p, &d->prev);
    d->wrench[0] = tac_zero6();
    for (int b = 1; b < m->nbody; b++) {
        tacVec3 arm = tac_sub3(p->w->xipos[b], p->w->origin[b]);
        d->wrench[b] = tac_zero6();
        if (p->ldu.still[b]) continue;
        d->wrench[b] = (tacVec6){tac_sub3(p->f[b].ang, tac_cross3(arm, p->f[b].lin)), p->f[b].lin};
        put_body(p, d, b);
    }
    for (int i = 0; i < p->ncontact && status == TAC_OK; i++) {
        tacNcpContact *c = &p->contact[i];
        memset(&d->start[i], 0, sizeof d->start[i]);
        tac_friction_stiffness(&c->p, d->start[i].K);
        for (int side = 0; side < 2; side++)
            if (!p->ldu.still[c->body[side]]) slip_start(p, c, side, d->start[i].G);
        status = rest_start(p, c, d->start[i].G);
    }
    return status;
}

/* --- Columns ------------------------------------------------------------------------------------------------------ */

enum { PREVIOUS, NOW };

/* Axis of dof j after B (of the three of a rotation; others are scaled by s). */
static tacVec6 turned_axis(const tacModel *m, const tacVec6 *S, int j, const tacMat3 *B, double s) {
    int joint = m->dof_joint[j], type = m->joint_type[joint],
        first = m->joint_dof_adr[joint] + (type == TAC_FREE ? 3 : 0);
    if ((type != TAC_FREE && type != TAC_BALL) || j < first) return tac_scale6(s, S[j]);
    tacVec6 sum = tac_zero6();
    for (int r = 0; r < 3; r++)
        sum = tac_madd6(sum, B->m[3 * r + (j - first)], S[first + r]);
    return sum;
}

/* h v of the rotation that dof j belongs to; zero for others. */
static tacVec3 rotation_of(const tacModel *m, int j, double h, const double *v) {
    int joint = m->dof_joint[j], type = m->joint_type[joint],
        first = m->joint_dof_adr[joint] + (type == TAC_FREE ? 3 : 0);
    return (type != TAC_FREE && type != TAC_BALL) || j < first ? tac_zero3() : tac_scale3(h, tac_load3(v + first));
}

static tacMat3 start_block(tacVec3 turn) { return tac_transpose3(tac_quat_mat(tac_quat_exp(turn))); }

int tac_ncp_hold(const tacNcp *p, int j, double dv[3]) {
    int joint = p->m->dof_joint[j], type = p->m->joint_type[joint];
    int first = p->m->joint_dof_adr[joint] + (type == TAC_FREE ? 3 : 0);
    dv[0] = -1 / p->h;
    if ((type != TAC_FREE && type != TAC_BALL) || j < first) return 1;
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(p->h, tac_load3(p->x + first)));
    for (int r = 0; r < 3; r++)
        dv[r] = -inverse.m[3 * (j - first) + r] / p->h;
    return 3;
}

int tac_ncp_hold_first(const tacNcp *p, int j) {
    int joint = p->m->dof_joint[j], type = p->m->joint_type[joint];
    int first = p->m->joint_dof_adr[joint] + (type == TAC_FREE ? 3 : 0);
    return (type != TAC_FREE && type != TAC_BALL) || j < first ? j : first;
}

void tac_ncp_twists(const tacNcp *p, const tacNcpDeriv *d, int j, int velocity, tacVec6 twist[2]) {
    const tacModel *m = p->m;
    tacVec3 back = rotation_of(m, j, -p->h, p->v);
    tacMat3 B = velocity ? tac_quat_right_jacobian(back) : start_block(back);
    for (int i = 0; i < 9 && velocity; i++)
        B.m[i] *= -p->h;
    twist[PREVIOUS] = turned_axis(m, d->prev.S, j, &B, velocity ? -p->h : 1);
    twist[NOW] = velocity ? tac_zero6() : p->w->S[j];
}

/* f += block z */
static void add_product(const double *block, const tacVec6 *z, tacVec6 *f) {
    double out[6];
    tac_dense_mulv(6, 6, block, &z->ang.x, out);
    *f = tac_add6(*f, (tacVec6){tac_load3(out), tac_load3(out + 3)});
}

/* Bodies behind dof j. */
static void mark_behind(const tacNcp *p, const tacNcpDeriv *d, int j) {
    int from = p->m->dof_body[j];
    memset(d->behind, 0, (size_t)p->m->nbody);
    for (int b = from; b < p->m->nbody; b++)
        d->behind[b] = b == from || d->behind[p->m->body_parent[b]];
}

/* What contacts answer to slip and rest that move with the poses at q: f += F K G z. */
static void add_contact_starts(const tacNcp *p, const tacNcpDeriv *d, const tacVec6 *twist, tacVec6 *f) {
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        const tacNcpStart *s = &d->start[i];
        double change[3] = {0, 0, 0}, t[3];
        if (!d->behind[c->body[0]] && !d->behind[c->body[1]]) continue;
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3 && d->behind[c->body[side]]; k++)
                change[k] += tac_dense_dot(6, s->G[k] + 6 * side, &twist->ang.x);
        for (int k = 0; k < 3; k++)
            t[k] = -(s->K[3 * k] * change[0] + s->K[3 * k + 1] * change[1] + s->K[3 * k + 2] * change[2]);
        tac_ncp_add_impulse(p, c, t, f);
    }
}

void tac_ncp_column(const tacNcp *p, const tacNcpDeriv *d, int j, int velocity, tacVec6 *f) {
    const tacModel *m = p->m;
    tacVec6 twist[2];
    tac_ncp_twists(p, d, j, velocity, twist);
    mark_behind(p, d, j);
    memset(f, 0, (size_t)m->nbody * sizeof *f);
    for (int b = m->dof_body[j]; b < m->nbody; b++) {
        if (!d->behind[b]) continue;
        add_product(d->before + TAC_BLOCK_SIZE * b, &twist[PREVIOUS], &f[b]);
        if (!velocity) add_product(d->now + TAC_BLOCK_SIZE * b, &twist[NOW], &f[b]);
    }
    if (!velocity) add_contact_starts(p, d, &twist[NOW], f);
}
