/* Contacts in the linear system of an iterate: derivatives of gap, slip and impulse by the next poses, the blocks that
 * they add to the bodies, and their steps from those of the bodies   (docs/theory/ncp.md, W12). */
#include "contact/ncp/contact_system.h"

#include "base/error.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/impulse_place.h"
#include "contact/ncp/plane_contact.h"
#include "math/six.h"

#include <string.h>

/* --- Linear system ------------------------------------------------------------------------------------------------ */

static tacVec3 axis(int k) { return tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2); }

tacNcpFrame tac_ncp_contact_frame(const tacNcp *p, const tacNcpContact *c) {
    double t[3] = {c->friction.gamma, c->friction.xi[1], c->friction.xi[2]};
    tacNcpFrame f = {.impulse = tac_ncp_impulse(&c->next.contact, t), .slip = tac_ncp_slip(p, c)};
    for (int k = 0; k < 2; k++) {
        int b = c->body[k];
        if (p->ldu.still[b]) continue;
        f.spin[k] = p->spin[b];
        f.arm[k] = tac_sub3(c->impulse.place, p->w->xipos[b]);
        f.inverse[k] = tac_quat_right_jacobian_inverse(tac_scale3(p->h, p->spin[b]));
        if (c->law.bounce > 0)
            f.inverse_before[k] = tac_quat_right_jacobian_inverse(tac_scale3(p->h, c->before.spin[k]));
    }
    f.both = c->law.bounce > 0 ? tac_madd3(f.slip, c->law.bounce, tac_ncp_slip_before(p, c)) : f.slip;
    return f;
}

/* d(velocity of the material point): d(slide) + d(spin) x arm + spin x d(arm), with
 * d(spin) = (Jl^-1 turn+ - Jr^-1 turn)/h. */
static tacVec3 velocity_move(const tacNcpFrame *f, int k, double h, tacVec3 darm, const tacNcpSide *s) {
    tacVec3 dspin = tac_sub3(tac_mulmtv3(f->inverse[k], s->turn_next), tac_mulmv3(f->inverse[k], s->turn_now));
    tacVec3 over_h = tac_add3(tac_sub3(s->dx_next, s->dx_now), tac_cross3(dspin, f->arm[k]));
    return tac_madd3(tac_cross3(f->spin[k], darm), 1 / h, over_h);
}

/* The same of the velocity before: d(spin) = (Jl^-1 turn - Jr^-1 turn-)/h   (W35). */
static tacVec3 velocity_move_before(const tacNcpContact *c, const tacNcpFrame *f, int k, double h, tacVec3 darm,
                                    const tacNcpSide *s) {
    tacMat3 inverse = f->inverse_before[k];
    tacVec3 dspin = tac_sub3(tac_mulmtv3(inverse, s->turn_now), tac_mulmv3(inverse, s->turn_before));
    tacVec3 over_h = tac_add3(tac_sub3(s->dx_now, s->dx_before), tac_cross3(dspin, f->arm[k]));
    return tac_madd3(tac_cross3(c->before.spin[k], darm), 1 / h, over_h);
}

/* Change of the impulse's place as the contact moves by d at q+, and its own point at q by `start`. */
static tacVec3 place_move(const tacNcpContact *c, const tacContactTangent *d, tacVec3 start, const tacNcpSide side[2]) {
    tacVec3 next = tac_ncp_own_point_move(c, &c->next.contact, d);
    for (int k = 0; k < 2; k++) /* fixed sides do not move */
        next = tac_madd3(next, -c->impulse.share[k], tac_sub3(side[k].dx_next, side[k].dx_now));
    return tac_ncp_place_move(c, start, next, c->impulse.side < 0 ? tac_zero3() : side[c->impulse.side].dx_now);
}

/* d(h n . (u + bounce u_-)) as the sum of velocities changes by `both`   (W35). */
static double way_move(const tacNcp *p, const tacNcpContact *c, const tacNcpFrame *f, const tacContactTangent *d,
                       tacVec3 both) {
    return p->h * (tac_dot3(d->normal, f->both) + tac_dot3(c->next.contact.normal, both));
}

tacNcpChange tac_ncp_contact_change(const tacNcp *p, const tacNcpContact *c, const tacNcpFrame *f,
                                    const tacContactTangent *d, tacVec3 start, const tacNcpSide side[2]) {
    tacNcpChange out;
    tacVec3 du[2] = {tac_zero3(), tac_zero3()}, before = tac_zero3(), dP = tac_scale3(c->friction.gamma, d->normal);
    tacVec3 dplace = place_move(c, d, start, side);
    dP = tac_madd3(tac_madd3(dP, c->friction.xi[1], d->tangent[0]), c->friction.xi[2], d->tangent[1]);
    for (int k = 0; k < 2; k++) {
        double sign = k == 0 ? -1 : 1;
        tacVec3 darm = tac_sub3(dplace, side[k].dx_now);
        if (!p->ldu.still[c->body[k]]) {
            du[k] = velocity_move(f, k, p->h, darm, &side[k]);
            if (c->law.bounce > 0)
                before = tac_madd3(before, sign, velocity_move_before(c, f, k, p->h, darm, &side[k]));
        }
        tacVec6 wrench = {tac_add3(tac_cross3(darm, f->impulse), tac_cross3(c->impulse.arm[k], dP)), dP};
        out.wrench[k] = tac_scale6(sign, wrench);
    }
    tacVec3 slip_change = tac_sub3(du[1], du[0]);
    out.gap_slip[0] = d->dist;
    if (c->law.bounce > 0) out.gap_slip[0] = way_move(p, c, f, d, tac_madd3(slip_change, c->law.bounce, before));
    for (int i = 0; i < 2; i++)
        out.gap_slip[1 + i] = tac_dot3(d->tangent[i], f->slip) + tac_dot3(c->next.contact.tangent[i], slip_change);
    return out;
}

void tac_ncp_shift_row(tacVec3 d, double *row) {
    tacVec3 ang = tac_load3(row), lin = tac_load3(row + 3);
    tac_store3(row, tac_add3(ang, tac_cross3(d, lin)));
}

/* Columns of G and Gamma as one side moves along twist k about the contact's point, and the contact by d. Returns the
 * change of the impulse's place. */
static tacVec3 move_side(const tacNcp *p, tacNcpContact *c, const tacNcpFrame *f, int moved, int k,
                         const tacContactTangent *d, double Gamma[2][6][12]) {
    double sign = moved == 0 ? -1 : 1, over_h = sign / p->h;
    tacVec3 ahead = tac_sub3(c->next.contact.pos, p->next.xipos[c->body[moved]]); /* from the centre of mass at q+ */
    tacVec3 dx = k < 3 ? tac_cross3(ahead, axis(k)) : axis(k), dP = tac_scale3(c->friction.gamma, d->normal);
    tacVec3 turned = dx; /* h d(velocity of the material point) at a fixed place */
    if (k < 3) turned = tac_add3(dx, tac_cross3(tac_load3(f->inverse[moved].m + 3 * k), f->arm[moved]));
    dP = tac_madd3(tac_madd3(dP, c->friction.xi[1], d->tangent[0]), c->friction.xi[2], d->tangent[1]);
    tacVec3 next = tac_madd3(tac_ncp_own_point_move(c, &c->next.contact, d), -c->impulse.share[moved], dx);
    tacVec3 dplace = tac_ncp_place_move(c, tac_zero3(), next, tac_zero3());
    tacVec3 du = tac_madd3(tac_cross3(tac_sub3(f->spin[1], f->spin[0]), dplace), over_h, turned);
    c->next.G[0][6 * moved + k] =
        c->law.bounce > 0 ? way_move(p, c, f, d, du) : d->dist; /* with restitution the place is fixed */
    for (int i = 0; i < 2; i++)
        c->next.G[1 + i][6 * moved + k] = tac_dot3(d->tangent[i], f->slip) + tac_dot3(c->next.contact.tangent[i], du);
    for (int side = 0; side < 2; side++) {
        double of_side = side == 0 ? -1 : 1;
        tacVec3 ang = tac_add3(tac_cross3(dplace, f->impulse), tac_cross3(c->impulse.arm[side], dP));
        for (int i = 0; i < 3; i++) {
            Gamma[side][i][6 * moved + k] = of_side * tac_get3(ang, i);
            Gamma[side][3 + i][6 * moved + k] = of_side * tac_get3(dP, i);
        }
    }
    return dplace;
}

static void plane_jac(const tacNcp *p, tacNcpContact *c, double Gamma[2][6][12], double beyond[3][12]) {
    double torque[3][6];
    tacMat3 by_turn = tac_ncp_plane_place_by_turn(p, c);
    tac_ncp_plane_rows(p, c, &by_turn);
    if (beyond != NULL) tac_ncp_plane_beyond(p, c, &by_turn, beyond);
    memset(Gamma, 0, 2 * sizeof *Gamma);
    for (int side = 0; side < 2; side++) {
        tac_ncp_plane_geometric_stiffness(c, &by_turn, side, torque);
        for (int i = 0; i < 3; i++)
            memcpy(Gamma[side][i] + 6, torque[i], sizeof torque[i]);
    }
}

/* Columns of sides that do not move are zero. */
tacStatus tac_ncp_contact_jac(tacNcp *p, tacNcpContact *c, double Gamma[2][6][12], double beyond[3][12]) {
    tacContactSystem system;
    if (c->plane.kind) {
        plane_jac(p, c, Gamma, beyond);
        return TAC_OK;
    }
    int moves[2] = {!p->ldu.still[c->body[0]], !p->ldu.still[c->body[1]]};
    unsigned sides = (moves[0] ? TAC_SIDE_0 : 0u) | (moves[1] ? TAC_SIDE_1 : 0u);
    tacContactTangent *twist[2] = {system.twist[0], system.twist[1]};
    if (c->pair == NULL)
        TAC_TRY(tac_contact_prepare_sides(p->m, p->scene, &c->next.contact, sides, &system));
    else
        tac_ncp_pair_twists(p, c, moves, twist);
    tacNcpFrame frame = tac_ncp_contact_frame(p, c);
    if (!moves[0] || !moves[1]) {
        memset(c->next.G, 0, sizeof c->next.G);
        memset(Gamma, 0, 2 * sizeof *Gamma);
    }
    for (int moved = 0; moved < 2; moved++) {
        if (!moves[moved]) continue;
        tacVec3 d = tac_sub3(c->next.contact.pos, p->next.origin[c->body[moved]]);
        for (int k = 0; k < 6; k++) {
            tac_ncp_scale_tangents(c, system.twist[moved][k].tangent);
            tacVec3 dplace = move_side(p, c, &frame, moved, k, &system.twist[moved][k], Gamma);
            for (int i = 0; beyond != NULL && i < 3; i++)
                beyond[i][6 * moved + k] = tac_get3(system.twist[moved][k].pos, i) - tac_get3(dplace, i);
        }
        for (int i = 0; i < 3; i++) {
            tac_ncp_shift_row(d, c->next.G[i] + 6 * moved);
            if (beyond != NULL) tac_ncp_shift_row(d, beyond[i] + 6 * moved);
        }
        for (int i = 0; i < 12; i++)
            tac_ncp_shift_row(d, Gamma[i / 6][i % 6] + 6 * moved);
    }
    return TAC_OK;
}

/* The block (side, moved) of a contact in ldu; NULL: no room. */
static double *block_of(tacNcp *p, const tacNcpContact *c, int side, int moved) {
    int row = c->body[side], column = c->body[moved];
    if (row == column) return p->ldu.H + TAC_BLOCK_SIZE * row;
    tacBlockEdge *edge = tac_block_ldu_edge(&p->ldu, row, column);
    return edge == NULL ? NULL : row > column ? edge->down : edge->up;
}

/* block += F K G, F the wrench per unit of each component. */
static void add_stiffness(const tacNcpContact *c, int side, int moved, const double K[9], double *block) {
    const tacVec3 axes[3] = {c->next.contact.normal, c->next.contact.tangent[0], c->next.contact.tangent[1]};
    double F[3][6], KG[3][6], sign = side == 0 ? -1 : 1;
    int n = c->friction.mu > 0 ? 3 : 1;
    for (int i = 0; i < n; i++) {
        tacVec3 P = tac_scale3(sign, axes[i]);
        tac_store3(F[i], tac_cross3(c->impulse.arm[side], P));
        tac_store3(F[i] + 3, P);
        memset(KG[i], 0, sizeof KG[i]);
        for (int k = 0; k < n; k++)
            tac_six_axpy(K[3 * i + k], c->next.G[k] + 6 * moved, KG[i]);
    }
    for (int r = 0; r < 6; r++)
        for (int i = 0; i < n; i++)
            tac_six_axpy(F[i][r], KG[i], block + 6 * r);
}

tacStatus tac_ncp_couple(tacNcp *p, const tacNcpContact *c, const double K[9], double Gamma[2][6][12]) {
    for (int side = 0; side < 2; side++)
        for (int moved = 0; moved < 2; moved++) {
            if (p->ldu.still[c->body[side]] || p->ldu.still[c->body[moved]]) continue;
            double *block = block_of(p, c, side, moved);
            if (block == NULL) return TAC_ERR_ARENA_FULL;
            for (int r = 0; r < 6; r++)
                tac_six_axpy(-1, Gamma[side][r] + 6 * moved, block + 6 * r);
            add_stiffness(c, side, moved, K, block);
        }
    return TAC_OK;
}

/* Adds a contact with a fixed plane: stiffness and geometric stiffness. */
static void couple_plane(const tacNcp *p, tacNcpContact *c, const double K[9]) {
    double torque[3][6], *block = p->ldu.H + TAC_BLOCK_SIZE * c->body[1];
    tacMat3 by_turn = tac_ncp_plane_place_by_turn(p, c);
    tac_ncp_plane_rows(p, c, &by_turn);
    tac_ncp_plane_geometric_stiffness(c, &by_turn, 1, torque);
    for (int r = 0; r < 3; r++)
        tac_six_axpy(-p->geometric_share, torque[r], block + 6 * r);
    add_stiffness(c, 1, 1, K, block);
}

static void scale_geometric_stiffness(double share, double Gamma[2][6][12]) {
    for (int i = 0; i < 2 * 6 * 12 && share < 1; i++)
        Gamma[i / 72][i / 12 % 6][i % 12] *= share;
}

tacStatus tac_ncp_contact_blocks(tacNcp *p) {
    for (int i = 0; i < p->ncontact; i++) {
        double K[9], Gamma[2][6][12];
        tacNcpContact *c = &p->contact[i];
        c->factored = c->friction;
        tac_friction_stiffness(&c->friction, K);
        if (c->plane.kind) {
            couple_plane(p, c, K);
            continue;
        }
        TAC_TRY(tac_ncp_contact_jac(p, c, Gamma, NULL));
        if (c->pair == NULL) scale_geometric_stiffness(p->geometric_share, Gamma);
        TAC_TRY(tac_ncp_couple(p, c, K, Gamma));
    }
    return TAC_OK;
}

/* --- Solving ------------------------------------------------------------------------------------------------------ */

void tac_ncp_reduce(tacNcp *p, const double *c, double *f, double *g) {
    static const double STILL[3] = {0, 0, 0};
    tacVec6 *wrench = (tacVec6 *)(void *)f;
    memcpy(f, p->f, (size_t)p->m->nbody * sizeof *p->f);
    memcpy(g, p->g, (size_t)p->m->nv * sizeof *g);
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *contact = &p->contact[i];
        tac_friction_right_side(&contact->factored, c + contact->adr, &contact->residual);
        const double *still = STILL;
        if (contact->pair != NULL) {
            tac_ncp_pair_offset(p, contact, wrench);
            still = contact->pair->offset;
        }
        tacFrictionStep d = tac_friction_step(&contact->factored, &contact->residual, still[0], still + 1);
        double t[3] = {d.gamma, d.xi[1], d.xi[2]};
        tac_ncp_add_impulse(p, contact, t, wrench);
    }
    tac_ncp_reduce_rows(p, c, g);
}

static void recover_contact(const tacNcp *p, const tacNcpContact *c, double *da, double *db) {
    double change[3] = {0, 0, 0};
    if (c->pair != NULL) memcpy(change, c->pair->offset, sizeof change);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3 && !p->ldu.still[c->body[side]]; i++)
            change[i] += tac_six_dot(c->next.G[i] + 6 * side, p->ldu.z + 6 * c->body[side]);
    tacFrictionStep d = tac_friction_step(&c->factored, &c->residual, change[0], change + 1);
    tac_friction_store(&c->factored, &d, da + c->adr, db + c->adr);
}

void tac_ncp_recover(const tacNcp *p, double *da, double *db) {
    for (int i = 0; i < p->ncontact; i++)
        recover_contact(p, &p->contact[i], da, db);
}
