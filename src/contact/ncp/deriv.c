/* Derivatives of the step's equations at fixed q+ by the state: through the poses at q (-) h v and at q, which the
 * bodies' blocks turn into residual impulses, and the contacts into changed impulses   (docs/theory/ncp.md, W20-W22).
 * With q+ fixed instead of v+ the stiff gaps at q+ do not change, and nothing large cancels. */
#include "contact/ncp/deriv.h"

#include "base/error.h"
#include "contact/ncp/bodies.h"
#include "contact/ncp/border.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/contact_system.h"
#include "contact/ncp/impulse_place.h"
#include "contact/ncp/pair_deriv.h"
#include "contact/ncp/rows_deriv.h"
#include "contact/ncp/turns.h"
#include "math/dense.h"
#include "math/six.h"

#include <string.h>

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

/* Impulses of contacts and rows, at most (adjoint_extended.c). */
static size_t max_impulses(const tacModel *m, int max_contacts) {
    return 3 * (size_t)tac_ncp_max_features(max_contacts) + (size_t)tac_ncp_max_rows(m);
}

static int layout_lanes(tacNcpLanes *w, const tacModel *m, int max_contacts, size_t lanes, tacArena *arena) {
    double **of_dofs[] = {&w->vbar, &w->lambda, &w->rest}, **of_bodies[] = {&w->path, &w->t, &w->f, &w->z};
    for (int i = 0; i < 3; i++)
        if ((*of_dofs[i] = TAC_TAKE(arena, lanes * (size_t)m->nv, double)) == NULL) return 0;
    for (int i = 0; i < 4; i++)
        if ((*of_bodies[i] = TAC_TAKE(arena, 6 * lanes * (size_t)m->nbody, double)) == NULL) return 0;
    w->mu = TAC_TAKE(arena, lanes * (size_t)tac_ncp_max_inputs(m, max_contacts), double);
    w->wide = TAC_TAKE(arena, lanes * (size_t)tac_ncp_max_wide(m), double);
    return w->mu && w->wide;
}

static int layout_adjoint(tacNcpDeriv *d, const tacModel *m, int max_contacts, tacArena *arena) {
    int inputs = tac_ncp_max_inputs(m, max_contacts);
    tacNcpExtended *w = &d->extended;
    d->size = TAC_TAKE(arena, max_impulses(m, max_contacts), double);
    d->row_response = TAC_TAKE(arena, tac_ncp_max_rows(m), tacNcpRowResponse);
    d->border = TAC_TAKE(arena, (size_t)tac_ncp_max_wide(m) * (size_t)m->nv, double);
    d->mu_given = TAC_TAKE(arena, inputs, double);
    w->mu = TAC_TAKE(arena, inputs, tacLong);
    w->y = TAC_TAKE(arena, max_impulses(m, max_contacts), tacLong);
    w->lambda = TAC_TAKE(arena, m->nv, tacLong);
    w->rest = TAC_TAKE(arena, m->nv, tacLong);
    w->path = TAC_TAKE(arena, 6 * m->nbody, tacLong);
    w->t = TAC_TAKE(arena, 6 * m->nbody, tacLong);
    return layout_lanes(&d->single, m, max_contacts, 1, arena) &&
           layout_lanes(&d->strip, m, max_contacts, TAC_NCP_LANES, arena) && d->size && d->row_response && d->border &&
           d->mu_given && w->mu && w->y && w->lambda && w->rest && w->path && w->t;
}

int tac_ncp_deriv_layout(tacNcpDeriv *d, const tacModel *m, int max_contacts, tacArena *arena) {
    double **blocks[] = {&d->block[0], &d->block[1], &d->block[2], &d->rigid, &d->held};
    tacVec6 **rows[] = {&d->row[0], &d->row[1], &d->row[2], &d->by_q, &d->by_v};
    for (int i = 0; i < 5; i++)
        if ((*blocks[i] = TAC_TAKE(arena, TAC_BLOCK_SIZE * m->nbody, double)) == NULL) return 0;
    for (int i = 0; i < 5; i++)
        if ((*rows[i] = TAC_TAKE(arena, m->nv, tacVec6)) == NULL) return 0;
    d->wrench = TAC_TAKE(arena, m->nbody, tacVec6);
    d->path = TAC_TAKE(arena, m->nbody, tacVec6);
    d->diag = TAC_TAKE(arena, m->nv, double);
    d->torque = (double(*)[3])TAC_TAKE(arena, 18 * m->nbody, double);
    d->inertia = TAC_TAKE(arena, m->nbody, tacSym3);
    d->spin = TAC_TAKE(arena, m->nbody, tacVec3);
    d->turning_block = TAC_TAKE(arena, m->nbody, tacMat3);
    d->q_before = TAC_TAKE(arena, m->nq, double);
    d->response = TAC_TAKE(arena, tac_ncp_max_features(max_contacts), tacNcpResponse);
    return d->wrench && d->path && d->diag && d->torque && d->inertia && d->spin && d->turning_block && d->q_before &&
           d->response && tac_ncp_kinematics_layout(&d->before, m, arena) && layout_adjoint(d, m, max_contacts, arena);
}

int tac_ncp_max_inputs(const tacModel *m, int max_contacts) {
    return TAC_NCP_INPUTS * tac_ncp_max_features(max_contacts) + 2 * tac_ncp_max_rows(m);
}

int tac_ncp_inputs(const tacNcp *p) { return TAC_NCP_INPUTS * p->ncontact + 2 * p->rows.n; }

/* --- Bodies ------------------------------------------------------------------------------------------------------- */

/* With W+ = R L+ (second pose z+) and W- = R- L+ (second pose z) in world axes, T the derivative of either with its
 * second pose,  dW+ = turn x W+ + T (turn+ - turn),  dW- = turn- x W- + T- (turn - turn-). */
static void put_body(const tacNcp *p, tacNcpDeriv *d, int b) {
    const tacModel *m = p->m;
    double mass = m->body_mass[b] / p->h;
    const double *T = p->turning_block[b].m, *T_before = d->turning_block[b].m;
    tacMat3 A, B, of_W = tac_ncp_skew(p->turning[b]), of_before = tac_ncp_skew(p->before[b].ang);
    for (int i = 0; i < 9; i++) {
        A.m[i] = -of_W.m[i] - T[i] - T_before[i];
        B.m[i] = of_before.m[i] + T_before[i];
    }
    tacVec3 arm = tac_sub3(p->w->xipos[b], p->w->origin[b]),
            arm_before = tac_sub3(d->before.xipos[b], d->before.origin[b]);
    tac_ncp_set_rigid(&A, -2 * mass, arm, arm, d->block[TAC_NCP_NOW] + TAC_BLOCK_SIZE * b);
    tac_ncp_set_rigid(&B, mass, arm, arm_before, d->block[TAC_NCP_BEFORE] + TAC_BLOCK_SIZE * b);
}

/* T- of all bodies, then the blocks of each. Needs: the problem's system is linearized. */
static void put_bodies(const tacNcp *p, tacNcpDeriv *d) {
    const tacModel *m = p->m;
    int n = m->nbody - 1;
    for (int b = 1; b <= n; b++)
        d->inertia[b] = tac_rotatesym3(d->before.xmat[b], m->body_icom[b]);
    tac_ncp_turns(n, d->before.xquat + 1, p->w->xquat + 1, 1 / p->h, d->spin + 1);
    tac_ncp_momenta_jac(n, d->inertia + 1, d->spin + 1, p->h, d->turning_block + 1);
    for (int b = 0; b < m->nbody; b++) {
        if (!p->ldu.still[b]) {
            put_body(p, d, b);
            continue;
        }
        memset(d->block[TAC_NCP_NOW] + TAC_BLOCK_SIZE * b, 0, TAC_BLOCK_SIZE * sizeof(double));
        memset(d->block[TAC_NCP_BEFORE] + TAC_BLOCK_SIZE * b, 0, TAC_BLOCK_SIZE * sizeof(double));
    }
}

/* Sums blocks over subtrees; S . block for each dof. */
static void sum_blocks(const tacNcp *p, tacNcpDeriv *d) {
    const tacModel *m = p->m;
    for (int pose = 0; pose < TAC_NCP_POSES; pose++) {
        for (int b = m->nbody - 1; b > 0; b--)
            tac_six_add_block(1, d->block[pose] + TAC_BLOCK_SIZE * b,
                              d->block[pose] + TAC_BLOCK_SIZE * m->body_parent[b]);
        for (int i = 0; i < m->nv; i++)
            tac_six_multv(d->block[pose] + TAC_BLOCK_SIZE * m->dof_body[i], &p->w->S[i].ang.x, &d->row[pose][i].ang.x);
    }
}

tacVec6 tac_ncp_block_times(const tacNcpDeriv *d, int pose, int body, tacVec6 z) {
    tacVec6 out;
    tac_six_mulv(d->block[pose] + TAC_BLOCK_SIZE * body, &z.ang.x, &out.ang.x);
    return out;
}

/* --- Rotations ---------------------------------------------------------------------------------------------------- */

/* First of the three dofs of the rotation that dof j belongs to; -1: none. */
static int rotation_of(const tacModel *m, int j) {
    int joint = m->dof_joint[j], type = m->joint_type[joint];
    int first = m->joint_dof_adr[joint] + (type == TAC_JOINT_FREE ? 3 : 0);
    return (type == TAC_JOINT_FREE || type == TAC_JOINT_BALL) && j >= first ? first : -1;
}

int tac_ncp_hold(const tacNcp *p, int j, double dv[3], int *first) {
    int rotation = rotation_of(p->m, j);
    *first = rotation < 0 ? j : rotation;
    dv[0] = -1 / p->h;
    if (rotation < 0) return 1;
    tacMat3 inverse = tac_quat_right_jacobian_inverse(tac_scale3(p->h, tac_load3(p->x + rotation)));
    for (int r = 0; r < 3; r++)
        dv[r] = -inverse.m[3 * (j - rotation) + r] / p->h;
    return 3;
}

void tac_ncp_hold_vjp(const tacNcp *p, const double *vbar, const tacGrad *bar) {
    int time = bar->theta == NULL ? -1 : tac_param_of_time(p->m);
    for (int j = 0; j < p->m->nv; j++) {
        double hold[3];
        int first, n = tac_ncp_hold(p, j, hold, &first);
        for (int k = 0; k < n; k++)
            bar->x[j] += hold[k] * vbar[first + k];
        if (time >= 0) bar->theta[time] += tac_ncp_hold_time(p, j) * vbar[j];
    }
}

/* sum_r S_r B[r][j] of a rotation's axes. */
static tacVec6 turned_axis(const tacVec6 *S, int first, int j, const tacMat3 *B) {
    tacVec6 sum = tac_zero6();
    for (int r = 0; r < 3; r++)
        sum = tac_madd6(sum, B->m[3 * r + (j - first)], S[first + r]);
    return sum;
}

/* Twists of the pose before per unit of q_j and v_j. It is at q (-) h v, of rotations quat exp(-h v). */
static void twists_before(const tacNcp *p, tacNcpDeriv *d) {
    for (int j = 0; j < p->m->nv; j++) {
        int first = rotation_of(p->m, j);
        d->by_q[j] = d->before.S[j];
        d->by_v[j] = tac_scale6(-p->h, d->before.S[j]);
        if (first < 0) continue;
        tacVec3 back = tac_scale3(-p->h, tac_load3(p->v + first));
        tacMat3 B = tac_transpose3(tac_quat_mat(tac_quat_exp(back))), Q = tac_quat_right_jacobian(back);
        d->by_q[j] = turned_axis(d->before.S, first, j, &B);
        d->by_v[j] = tac_scale6(-p->h, turned_axis(d->before.S, first, j, &Q));
    }
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

tacStatus tac_ncp_prepare_at(tacNcp *p, const tacWork *w, const tacContact *at, tacContactSystem *system) {
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, w, at->geom[side]);
    tacStatus status = tac_contact_prepare(p->m, p->scene, at, system);
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, &p->next, at->geom[side]);
    return status;
}

/* Derivative of the own point at q by the pose of one side there, by rows. */
static void own_point_by_q(const tacNcp *p, const tacNcpContact *c, const tacContactSystem *system, int side,
                           double own[3][6]) {
    for (int k = 0; k < 6; k++) {
        tacVec3 move = tac_ncp_own_point_move(c, &c->now.contact, &system->twist[side][k]);
        for (int i = 0; i < 3; i++)
            own[i][k] = tac_get3(move, i);
    }
    for (int i = 0; i < 3; i++)
        tac_ncp_shift_row(tac_sub3(c->now.contact.pos, p->w->origin[c->body[side]]), own[i]);
}

/* Derivative of the impulse's place by the poses at q. Needs: place all zero. */
static tacStatus place_by_q(tacNcp *p, const tacNcpContact *c, double place[3][12]) {
    tacContactSystem system;
    int now = c->impulse.rule != TAC_NCP_PLACE_NEXT;
    if (now) TAC_TRY(tac_ncp_prepare_at(p, p->w, &c->now.contact, &system));
    for (int side = 0; side < 2; side++) {
        double own[3][6] = {{0}};
        if (p->ldu.still[c->body[side]]) continue;
        if (now) own_point_by_q(p, c, &system, side, own);
        tacVec3 from = tac_sub3(p->w->xipos[c->body[side]], p->w->origin[c->body[side]]);
        for (int k = 0; k < 6; k++) {
            tacVec3 e = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2), dx = k < 3 ? tac_cross3(e, from) : e;
            tacVec3 move =
                tac_ncp_place_move(c, tac_vec3(own[0][k], own[1][k], own[2][k]), tac_scale3(c->impulse.share[side], dx),
                                   side == c->impulse.side ? dx : tac_zero3());
            for (int i = 0; i < 3; i++)
                place[i][6 * side + k] = tac_get3(move, i);
        }
    }
    return TAC_OK;
}

/* Derivative of the slip by the pose at q: d(slide) = -dx/h, d(spin) = -Jr^-1(h spin) turn / h. The arms of both bodies
 * follow the place; that of this body also loses dx. Twists are about the tree's origin. */
static void slip_by_q(const tacNcp *p, const tacNcpContact *c, int side, tacNcpResponse *out) {
    int b = c->body[side];
    double sign = side == 0 ? -1 : 1;
    tacNcpFrame f = tac_ncp_contact_frame(p, c);
    tacVec3 from = tac_sub3(p->w->xipos[b], p->w->origin[b]), both = tac_sub3(f.spin[1], f.spin[0]);
    for (int k = 0; k < 6; k++) {
        tacVec3 e = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2), dx = k < 3 ? tac_cross3(e, from) : e, way = dx;
        int column = 6 * side + k;
        tacVec3 place = tac_vec3(out->place[0][column], out->place[1][column], out->place[2][column]);
        if (k < 3) way = tac_add3(way, tac_cross3(tac_mulmv3(f.inverse[side], e), f.arm[side]));
        tacVec3 du = tac_madd3(tac_cross3(both, place), -sign, tac_cross3(f.spin[side], dx));
        du = tac_madd3(du, -sign / p->h, way);
        if (c->law.bounce > 0) out->start[0][column] = p->h * tac_dot3(c->next.contact.normal, du);
        for (int i = 0; i < 2; i++)
            out->start[1 + i][column] = tac_dot3(c->next.contact.tangent[i], du);
    }
}

/* Derivative of h n . (u + bounce u_-) through u_-. By the poses at q, d(slide) = dx/h, d(spin) = Jl^-1 turn/h; by
 * those at q (-) h v, d(slide) = -dx/h, d(spin) = -Jr^-1 turn/h   (W35). */
static void bounce_by_q(const tacNcp *p, const tacNcpDeriv *d, const tacNcpContact *c, int side, tacNcpResponse *out) {
    const tacWork *w[2] = {p->w, &d->before};
    int b = c->body[side];
    double sign = side == 0 ? -1 : 1;
    tacNcpFrame f = tac_ncp_contact_frame(p, c);
    tacVec3 both = tac_sub3(c->before.spin[1], c->before.spin[0]);
    for (int k = 0; k < 12; k++) {
        int now = k < 6, column = 6 * side + k % 6, turns = k % 6 < 3;
        tacVec3 from = tac_sub3(w[!now]->xipos[b], w[!now]->origin[b]);
        tacVec3 e = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2), dx = turns ? tac_cross3(e, from) : e, way = dx;
        tacVec3 spun = now ? tac_mulmtv3(f.inverse_before[side], e) : tac_mulmv3(f.inverse_before[side], e);
        tacVec3 place = tac_vec3(out->place[0][column], out->place[1][column], out->place[2][column]);
        if (turns) way = tac_add3(way, tac_cross3(spun, f.arm[side]));
        tacVec3 du = tac_scale3((now ? sign : -sign) / p->h, way);
        if (now) du = tac_add3(tac_madd3(du, -sign, tac_cross3(c->before.spin[side], dx)), tac_cross3(both, place));
        double *row = now ? out->start[0] : out->before;
        row[column] += p->h * c->law.bounce * tac_dot3(c->next.contact.normal, du);
    }
}

/* row (12) -= follows d(gap)/d(poses at q): the bound changes with the gap at q   (W11). */
static tacStatus bound_by_q(tacNcp *p, const tacNcpContact *c, double follows, double *row) {
    tacContactSystem system;
    if (follows == 0) return TAC_OK;
    if (c->pair != NULL) return tac_ncp_pair_bound_by_q(p, c, follows, row);
    TAC_TRY(tac_ncp_prepare_at(p, p->w, &c->now.start, &system));
    for (int side = 0; side < 2; side++) {
        double by[6];
        if (p->ldu.still[c->body[side]]) continue;
        for (int k = 0; k < 6; k++)
            by[k] = system.twist[side][k].dist;
        tac_ncp_shift_row(tac_sub3(c->now.start.pos, p->w->origin[c->body[side]]), by);
        tac_six_axpy(-follows, by, row + 6 * side);
    }
    return TAC_OK;
}

/* dp/d(gap, slip, mu, unit)   (W12) */
static void put_response(const tacNcpContact *c, double kappa, tacNcpResponse *out) {
    static const double STILL[2] = {0, 0};
    tacFrictionRhs more_mu = tac_friction_by_mu(&c->friction),
                   more_unit = tac_friction_by_unit(kappa, kappa / TAC_NCP_TIME);
    tacFrictionStep by_mu = tac_friction_step(&c->friction, &more_mu, 0, STILL),
                    by_unit = tac_friction_step(&c->friction, &more_unit, 0, STILL);
    tac_friction_stiffness(&c->friction, out->K);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            out->to[k][i] = -out->K[3 * k + i];
        out->to[k][TAC_NCP_MU] = k == 0 ? by_mu.gamma : by_mu.xi[k];
        out->to[k][TAC_NCP_UNIT] = k == 0 ? by_unit.gamma : by_unit.xi[k];
    }
}

static tacStatus put_contact(tacNcp *p, tacNcpDeriv *d, int i) {
    tacNcpContact *c = &p->contact[i];
    tacNcpResponse *out = &d->response[i];
    for (int side = 0; side < 2; side++) /* derivatives by parameters need it too */
        tac_ncp_place_geom(p, &p->next, c->feature.found.geom[side]);
    memset(out->start, 0, sizeof out->start);
    memset(out->before, 0, sizeof out->before);
    memset(out->place, 0, sizeof out->place);
    memset(out->beyond, 0, sizeof out->beyond);
    put_response(c, d->kappa, out);
    out->bound_by_gap = tac_ncp_gap_bound_by_gap(&c->law.bound, c->friction.gamma);
    TAC_TRY(place_by_q(p, c, out->place));
    for (int side = 0; side < 2; side++)
        if (!p->ldu.still[c->body[side]]) {
            slip_by_q(p, c, side, out);
            if (c->law.bounce > 0) bounce_by_q(p, d, c, side, out);
        }
    TAC_TRY(tac_ncp_contact_jac(p, c, out->Gamma, out->beyond));
    TAC_TRY(bound_by_q(p, c, out->bound_by_gap, out->start[0]));
    tac_ncp_unit_wrenches(p, c, out->unit);
    return tac_ncp_couple(p, c, out->K, out->Gamma);
}

/* held -= Gamma of a side by its own pose. */
static void hold_side(const tacNcp *p, tacNcpDeriv *d, int contact, int side) {
    int b = p->contact[contact].body[side];
    double *block = d->held + TAC_BLOCK_SIZE * b;
    for (int r = 0; r < 6 && !p->ldu.still[b]; r++)
        tac_six_axpy(-1, d->response[contact].Gamma[side][r] + 6 * side, block + 6 * r);
}

/* --- At the solution ---------------------------------------------------------------------------------------------- */

/* Residual of the bodies' balance, contacts included, at their centres of mass. */
static void put_wrenches(const tacNcp *p, tacNcpDeriv *d) {
    d->wrench[0] = tac_zero6();
    for (int b = 1; b < p->m->nbody; b++) {
        tacVec3 arm = tac_sub3(p->w->xipos[b], p->w->origin[b]);
        d->wrench[b] = tac_zero6();
        if (!p->ldu.still[b])
            d->wrench[b] = (tacVec6){tac_sub3(p->f[b].ang, tac_cross3(arm, p->f[b].lin)), p->f[b].lin};
    }
}

/* Responses of rows, and the size of all rows of G. */
static void put_rows(const tacNcp *p, tacNcpDeriv *d) {
    for (int i = 0; i < 3 * p->ncontact; i++)
        d->size[i] = tac_dense_largest(12, p->contact[i / 3].next.G[i % 3]);
    for (int k = 0; k < p->rows.n; k++) {
        const tacNcpRow *row = &p->rows.row[k];
        double C = tac_ncp_row_compliance(row);
        d->size[3 * p->ncontact + k] = tac_dense_largest(row->of.num, p->rows.G + row->of.adr);
        d->row_response[k] = (tacNcpRowResponse){.compliance = C,
                                                 .stiffness = 1 / C,
                                                 .offset_rate = tac_ncp_row_offset_rate(row, d->kappa),
                                                 .coefficient = row->coefficient,
                                                 .adr = row->of.adr,
                                                 .num = row->of.num,
                                                 .wide = row->wide,
                                                 .is_ball = tac_ncp_row_is_ball(p, row),
                                                 .is_smooth = tac_ncp_row_is_smooth(row)};
    }
}

/* border = A^-T G^T of the wide rows, and S = C + G A^-1 J^T, factored   (W33). */
static tacStatus factor_border(tacNcp *p, tacNcpDeriv *d) {
    int n = p->rows.nwide, nv = p->m->nv;
    for (int k = 0; k < n; k++) {
        const tacNcpRow *row = &p->rows.row[p->rows.wide[k]];
        double *y = d->border + (size_t)k * (size_t)nv, *S = p->rows.S + (size_t)k * (size_t)n;
        memset(y, 0, (size_t)nv * sizeof *y);
        tac_ncp_row_axpy(&p->rows, row, 1, p->rows.G, y);
        tac_block_ldu_solve_transposed(&p->ldu, y, y);
        for (int l = 0; l < n; l++)
            S[l] = tac_ncp_row_dot(&p->rows, &p->rows.row[p->rows.wide[l]], p->rows.J, y);
        S[k] += tac_ncp_row_compliance(row);
    }
    return n == 0 || tac_lu_factor(n, p->rows.S, p->rows.pivot, p->rows.work) < 0 ? TAC_OK : TAC_ERR_SINGULAR;
}

tacStatus tac_ncp_differentiate(tacNcp *p, tacNcpDeriv *d, double kappa) {
    const tacModel *m = p->m;
    size_t blocks = TAC_BLOCK_SIZE * (size_t)m->nbody * sizeof(double);
    d->kappa = kappa;
    d->conditioning = 0;
    tac_ncp_place_before(p, &d->before, d->q_before);
    tac_ncp_linearize(p);
    memcpy(d->rigid, p->ldu.H, blocks);
    memcpy(d->block[TAC_NCP_NEXT], p->ldu.H, blocks);
    memcpy(d->diag, p->ldu.diag, (size_t)m->nv * sizeof *d->diag);
    put_bodies(p, d);
    sum_blocks(p, d);
    twists_before(p, d);
    put_wrenches(p, d);
    TAC_TRY(tac_ncp_factor_pairs(p));
    for (int i = 0; i < p->ncontact; i++)
        TAC_TRY(put_contact(p, d, i));
    memcpy(d->held, d->rigid, blocks);
    for (int i = 0; i < p->ncontact; i++)
        for (int side = 0; side < 2; side++)
            hold_side(p, d, i, side);
    tac_ncp_linearize_rows(p);
    put_rows(p, d);
    p->ldu.weak = p->pairs.n > 0;
    TAC_TRY(tac_block_ldu_factor(&p->ldu));
    return factor_border(p, d);
}

/* --- Columns of q and v ------------------------------------------------------------------------------------------- */

/* Emits columns of bodies. Dof j moves its subtree; row i sums over the subtrees of both. */
static void emit_bodies(const tacNcp *p, const tacNcpDeriv *d, const tacSink *q, const tacSink *v) {
    const tacModel *m = p->m;
    const tacVec6 *S = p->w->S;
    for (int i = 0; i < m->nv; i++) {
        int b = m->dof_body[i];
        tacVec6 by_v = tac_ncp_block_times(d, TAC_NCP_BEFORE, b, d->by_v[i]),
                by_q = tac_add6(tac_ncp_block_times(d, TAC_NCP_BEFORE, b, d->by_q[i]),
                                tac_ncp_block_times(d, TAC_NCP_NOW, b, S[i]));
        for (int j = i; j >= 0; j = m->dof_parent[j]) {
            tac_emit(q, i, j, tac_dot6(d->row[TAC_NCP_BEFORE][i], d->by_q[j]) + tac_dot6(d->row[TAC_NCP_NOW][i], S[j]));
            tac_emit(v, i, j, tac_dot6(d->row[TAC_NCP_BEFORE][i], d->by_v[j]));
            if (j == i) continue;
            tac_emit(q, j, i, tac_dot6(S[j], by_q));
            tac_emit(v, j, i, tac_dot6(S[j], by_v));
        }
    }
}

double tac_ncp_own_inertia(const tacNcp *p, int dof) {
    return p->m->dof_armature[dof] + p->damping_span * p->m->dof_damping[dof];
}

/* Emits columns of the dofs' own inertia: by v, and by v+ as q moves at fixed q+. */
static void emit_dofs(const tacNcp *p, const tacSink *q, const tacSink *v) {
    for (int j = 0; j < p->m->nv; j++) {
        double hold[3];
        int first, n = tac_ncp_hold(p, j, hold, &first);
        for (int k = 0; k < n; k++)
            tac_emit(q, first + k, j, tac_ncp_own_inertia(p, first + k) * hold[k]);
        tac_emit(v, j, j, -tac_ncp_own_inertia(p, j));
    }
}

/* Emits gap and slip of a contact by the dofs on the paths to its bodies; with restitution also by the pose before. */
static void emit_starts(const tacNcp *p, const tacNcpDeriv *d, int contact, const tacSink *inputs,
                        const tacSink *by_v) {
    const tacModel *m = p->m;
    const tacNcpContact *c = &p->contact[contact];
    int at[2] = {m->body_last_dof[c->body[0]], m->body_last_dof[c->body[1]]};
    while (at[0] >= 0 || at[1] >= 0) {
        int dof = at[0] > at[1] ? at[0] : at[1];
        double change[3] = {0, 0, 0}, along_v = 0;
        for (int side = 0; side < 2; side++) {
            const double *before = d->response[contact].before + 6 * side;
            if (at[side] != dof) continue;
            change[0] += tac_six_dot(before, &d->by_q[dof].ang.x);
            along_v += tac_six_dot(before, &d->by_v[dof].ang.x);
            for (int k = 0; k < 3; k++)
                change[k] += tac_six_dot(d->response[contact].start[k] + 6 * side, &p->w->S[dof].ang.x);
            at[side] = m->dof_parent[dof];
        }
        for (int k = 0; k < 3; k++)
            if (change[k] != 0) tac_emit(inputs, TAC_NCP_INPUTS * contact + k, dof, change[k]);
        if (along_v != 0) tac_emit(by_v, TAC_NCP_INPUTS * contact, dof, along_v);
    }
}

/* Derivative of the centre of mass of a body by a dof on the path to it. */
static tacVec3 centre_move(const tacNcp *p, int body, int dof) {
    tacVec3 arm = tac_sub3(p->w->xipos[body], p->w->origin[body]);
    return tac_add3(p->w->S[dof].lin, tac_cross3(p->w->S[dof].ang, arm));
}

/* Emits a torque on a body to the rows of the balance on its path. */
static void emit_torque(const tacNcp *p, int body, tacVec3 torque, int column, const tacSink *balance) {
    for (int i = p->m->body_last_dof[body]; i >= 0; i = p->m->dof_parent[i])
        tac_emit(balance, i, column, tac_dot3(p->w->S[i].ang, torque));
}

/* Emits torques as the impulse's place moves relative to the centres of mass of two moving bodies at q. The residual of
 * a body's balance contains minus the torque on it. */
static void emit_place_between(const tacNcp *p, const tacNcpDeriv *d, int contact, const tacSink *balance) {
    const tacModel *m = p->m;
    const tacNcpContact *c = &p->contact[contact];
    int at[2] = {m->body_last_dof[c->body[0]], m->body_last_dof[c->body[1]]};
    tacVec3 P = tac_ncp_contact_frame(p, c).impulse;
    while (at[0] >= 0 || at[1] >= 0) {
        int dof = at[0] > at[1] ? at[0] : at[1];
        tacVec3 dx[2] = {tac_zero3(), tac_zero3()};
        double place[3] = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            if (at[side] != dof) continue;
            dx[side] = centre_move(p, c->body[side], dof);
            for (int i = 0; i < 3; i++)
                place[i] += tac_six_dot(d->response[contact].place[i] + 6 * side, &p->w->S[dof].ang.x);
            at[side] = m->dof_parent[dof];
        }
        emit_torque(p, c->body[0], tac_cross3(tac_sub3(tac_load3(place), dx[0]), P), dof, balance);
        emit_torque(p, c->body[1], tac_cross3(tac_sub3(dx[1], tac_load3(place)), P), dof, balance);
    }
}

/* Adds the same torque on the only body that moves, per unit of its twist at q: +-(dx - d(place)) x P. */
static void add_place(const tacNcp *p, const tacNcpDeriv *d, int contact) {
    const tacNcpContact *c = &p->contact[contact];
    int side = c->impulse.side, b = c->body[side];
    double(*torque)[3] = d->torque + 6 * b, (*place)[12] = d->response[contact].place;
    tacVec3 P = tac_scale3(side == 0 ? -1 : 1, tac_ncp_contact_frame(p, c).impulse);
    tacVec3 arm = tac_sub3(p->w->xipos[b], p->w->origin[b]);
    for (int k = 0; k < 6; k++) {
        tacVec3 e = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2), dx = k < 3 ? tac_cross3(e, arm) : e;
        int column = 6 * side + k;
        tacVec3 by = tac_vec3(place[0][column], place[1][column], place[2][column]);
        tac_store3(torque[k], tac_add3(tac_load3(torque[k]), tac_cross3(tac_sub3(dx, by), P)));
    }
}

/* Emits what add_place has added for a body. */
static void emit_body_torque(const tacNcp *p, const tacNcpDeriv *d, int b, const tacSink *balance) {
    double(*torque)[3] = d->torque + 6 * b;
    for (int j = p->m->body_last_dof[b]; j >= 0; j = p->m->dof_parent[j]) {
        tacVec3 sum = tac_zero3();
        for (int k = 0; k < 6; k++)
            sum = tac_madd3(sum, (&p->w->S[j].ang.x)[k], tac_load3(torque[k]));
        emit_torque(p, b, sum, j, balance);
    }
}

/* Emits torques as places of impulses move: of places at q, or between two moving bodies. */
static void emit_places(const tacNcp *p, const tacNcpDeriv *d, const tacSink *balance) {
    int nbody = p->m->nbody;
    memset(d->torque, 0, 6 * (size_t)nbody * sizeof *d->torque);
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        if (c->impulse.side < 0)
            emit_place_between(p, d, i, balance);
        else if (c->impulse.rule != TAC_NCP_PLACE_NEXT)
            add_place(p, d, i);
    }
    for (int b = 1; b < nbody; b++)
        if (tac_dense_largest(18, d->torque[6 * b]) > 0) emit_body_torque(p, d, b, balance);
}

void tac_ncp_state_jac(const tacNcp *p, const tacNcpDeriv *d, const tacNcpSink *q, const tacNcpSink *v) {
    int free = tac_sink_is_empty(&q->inputs);
    emit_bodies(p, d, &q->balance, &v->balance);
    emit_dofs(p, &q->balance, &v->balance);
    for (int i = 0; i < p->ncontact; i++)
        emit_starts(p, d, i, &q->inputs, &v->inputs);
    if (!free) emit_places(p, d, &q->balance);
    tac_ncp_rows_state_jac(p, q, v, free);
}

/* --- Responses ---------------------------------------------------------------------------------------------------- */

void tac_ncp_unit_wrenches(const tacNcp *p, const tacNcpContact *c, tacVec6 unit[2][3]) {
    const tacVec3 axis[3] = {c->next.contact.normal, c->next.contact.tangent[0], c->next.contact.tangent[1]};
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
            double sign = p->ldu.still[c->body[side]] ? 0 : side == 0 ? -1 : 1;
            unit[side][k] = tac_scale6(sign, (tacVec6){tac_cross3(c->impulse.arm[side], axis[k]), axis[k]});
        }
}
