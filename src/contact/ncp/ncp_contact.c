/* Contacts at the next pose: gap, slip, impulses, and what they add to the linear system. */
#include "contact/ncp/ncp.h"

#include "math/six.h"
#include "math/scalar.h"

#include <string.h>

/* --- Finding ------------------------------------------------------------------------------------------------------ */

void tac_ncp_add_cone(tacNcp *p, int dim, double unit, double ratio) {
    p->dim[p->ncone] = dim;
    p->ratio[p->ncone] = ratio > 0 ? ratio : 1;
    p->unit[p->ncone++] = unit;
    p->numbers += dim;
}

/* Bodies that the unit of gaps is a mean over. */
static int counts(const tacNcp *p, int b) { return !p->ldu.still[b] && p->m->body_mass[b] > 0; }

static double half_trace(tacSym3 J) { return 0.5 * (J.xx + J.yy + J.zz); }

/* h m L^2/T^2: m L^2 is half the trace of the inertia, the mean over moving bodies, L being the radius of gyration. */
static double unit_of_gaps(const tacNcp *p) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (counts(p, b)) sum += half_trace(p->m->body_icom[b]), count++;
    return (sum > 0 ? sum / count : 1) * p->h / (TAC_NCP_TIME * TAC_NCP_TIME);
}

double tac_ncp_unit_change(const tacNcp *p, const tacInertialTangent *d) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (counts(p, b)) sum += half_trace(d[b].icom), count++;
    return count == 0 ? 0 : sum / count * p->h / (TAC_NCP_TIME * TAC_NCP_TIME);
}

double tac_ncp_rest_of(const tacNcp *p, double gap) { return tac_min(0, gap + p->h * TAC_NCP_CORRECTION); }

/* |(xi_1/mu_1, xi_2/mu_2)| <= gamma, as the round cone of mu_1 along tangents that are scaled by mu_k/mu_1   (W34). */
static void take_friction(tacNcp *p, tacNcpContact *c) {
    int rubs = p->friction != TAC_NCP_FRICTIONLESS && tac_contact_dimension(p->m, &c->found) > 1,
        dim[TAC_FRICTION_CONES];
    double mu[2];
    tac_contact_friction(p->m, &c->found, mu);
    double of = mu[0] > 0 ? mu[0] : mu[1];
    c->p = (tacFrictionPoint){.mu = rubs ? of : 0, .pyramid = p->friction == TAC_NCP_PYRAMID};
    for (int k = 0; k < 2; k++)
        c->squeeze[k] = of > 0 ? mu[k] / of : 1;
    tac_ncp_squeeze(c, c->now.tangent);
    double inverse_mass = p->m->body_invweight[2 * c->body[0]] + p->m->body_invweight[2 * c->body[1]];
    for (int i = 0, n = tac_friction_cones(&c->p, dim); i < n; i++)
        tac_ncp_add_cone(p, dim[i], i == 0 ? p->gap_unit : p->gap_unit / TAC_NCP_TIME,
                         i == 0 ? p->h * inverse_mass : inverse_mass);
}

void tac_ncp_squeeze(const tacNcpContact *c, tacVec3 tangent[2]) {
    for (int k = 0; k < 2; k++)
        if (c->squeeze[k] != 1) tangent[k] = tac_scale3(c->squeeze[k], tangent[k]);
}

int tac_ncp_may_part(const tacNcp *p, const tacContact *c) {
    const int *body = p->m->geom_body, *last = p->m->body_last_dof;
    return last[body[c->geom[0]]] != last[body[c->geom[1]]];
}

void tac_ncp_take_contact(tacNcp *p, const tacContact *found, const tacContact *start, double rest) {
    const tacModel *m = p->m;
    int body[2] = {m->geom_body[found->geom[0]], m->geom_body[found->geom[1]]};
    tacNcpContact *c = &p->contact[p->ncontact];
    if (!tac_ncp_may_part(p, found) || p->ncontact == p->room) return;
    c->body[0] = body[0], c->body[1] = body[1];
    c->found = c->now = *found, c->start = *start, c->rest = rest;
    c->follows[0] = rest < 0 ? 1 : 0, c->follows[1] = 0;
    c->cone = p->ncone, c->adr = p->numbers;
    take_friction(p, c);
    c->seamless = p->friction != TAC_NCP_PYRAMID && c->squeeze[0] == 1 && c->squeeze[1] == 1;
    if (c->seamless) c->now.along = found->tangent[0], c->now.along_side = -1;
    tac_ncp_flat_begin(p, c);
    p->ncontact++;
}

void tac_ncp_place_geom(tacNcp *p, const tacWork *w, int geom) {
    int body = p->m->geom_body[geom];
    p->scene->pose[geom].p = tac_frame_pos(w, body, p->m->geom_pos[geom]);
    p->scene->pose[geom].R = tac_quat_mat(tac_frame_quat(w, body, p->m->geom_quat[geom]));
}

/* The same features at the poses of the scene. */
static tacStatus rebuild(const tacScene *s, const tacContact *found, tacContact *now) {
    int a = found->geom[0], b = found->geom[1];
    tacTouch touch = tac_contact_touch(found);
    tacStatus status = tac_touch_rebuild(&s->shape[a], &s->pose[a], &s->shape[b], &s->pose[b], &touch);
    if (status != TAC_OK) return status;
    now->dist = touch.dist, now->normal = touch.normal;
    now->point[0] = touch.point[0], now->point[1] = touch.point[1];
    now->pos = tac_scale3(0.5, tac_add3(touch.point[0], touch.point[1]));
    tac_contact_frame(touch.normal, &now->tangent[0], &now->tangent[1]);
    return TAC_OK;
}

/* A contact with restitution e that came nearer by d since q (-) h v, faster than the threshold, and would close in
 * this step, goes back by e d: gap+ >= gap + e d   (W35). Needs: next at q (-) h v. */
static void bounce(tacNcp *p, tacNcpContact *c) {
    double e = tac_contact_restitution(p->m, &c->found);
    if (!(e > 0)) return;
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, &p->next, c->found.geom[side]);
    c->before = c->found;
    tacStatus status = rebuild(p->scene, &c->found, &c->before);
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, p->w, c->found.geom[side]);
    double d = c->before.dist - c->found.dist;
    if (status != TAC_OK || !(d > p->h * p->bounce_speed) || !(d > c->found.dist)) return;
    c->rest = c->found.dist + e * d;
    c->follows[0] = 1 - e, c->follows[1] = e;
}

void tac_ncp_constrain(tacNcp *p, int nfound) {
    p->gap_unit = unit_of_gaps(p);
    p->ncontact = p->ncone = p->numbers = 0;
    tac_ncp_find_rows_at(p);
    if (*p->m->option_disable & TAC_DISABLE_CONSTRAINT) return;
    for (int i = 0; i < nfound; i++) {
        int known = p->ncontact;
        if (!tac_ncp_is_due(p, &p->found[i])) continue;
        tac_ncp_take_contact(p, &p->found[i], &p->found[i], tac_ncp_rest_of(p, p->found[i].dist));
        if (p->ncontact > known) bounce(p, &p->contact[known]);
    }
}

/* --- Geometry at the next pose ------------------------------------------------------------------------------------ */

/* Velocity of a body's material point between q and q+: that of the centre of mass, and spin x arm at q+. */
static tacVec3 material_velocity(const tacNcp *p, int body, tacVec3 point) {
    tacVec3 arm = tac_sub3(point, p->next.xipos[body]);
    return p->ldu.still[body] ? tac_zero3() : tac_add3(p->slide[body], tac_cross3(p->spin[body], arm));
}

tacVec3 tac_ncp_slip(const tacNcp *p, const tacNcpContact *c) {
    return tac_sub3(material_velocity(p, c->body[1], c->now.pos), material_velocity(p, c->body[0], c->now.pos));
}

/* c->now at q+. */
static tacStatus place_contact(tacNcp *p, tacNcpContact *c) {
    if (c->flat) {
        tac_ncp_flat_place(p, c);
        return TAC_OK;
    }
    tac_ncp_place_geom(p, &p->next, c->found.geom[0]);
    tac_ncp_place_geom(p, &p->next, c->found.geom[1]);
    tacStatus status = rebuild(p->scene, &c->found, &c->now);
    if (c->seamless) tac_contact_frame_along(c->now.normal, c->now.along, &c->now.tangent[0], &c->now.tangent[1]);
    tac_ncp_squeeze(c, c->now.tangent);
    return status;
}

tacStatus tac_ncp_place(tacNcp *p) {
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *c = &p->contact[i];
        tacStatus status = place_contact(p, c);
        if (status != TAC_OK) return status;
        tacVec3 u = tac_ncp_slip(p, c);
        c->gap_slip[0] = c->now.dist - c->rest;
        c->gap_slip[1] = tac_dot3(c->now.tangent[0], u), c->gap_slip[2] = tac_dot3(c->now.tangent[1], u);
        for (int side = 0; side < 2; side++) {
            int b = c->body[side]; /* the torque about the centre of mass, arm at q+, as one about the origin at q */
            tacVec3 carried = tac_sub3(p->w->xipos[b], p->next.xipos[b]);
            c->arm[side] = tac_add3(tac_sub3(c->now.pos, p->w->origin[b]), carried);
        }
    }
    return TAC_OK;
}

/* --- Impulses and residuals --------------------------------------------------------------------------------------- */

tacVec3 tac_ncp_impulse(const tacContact *c, const double t[3]) {
    return tac_madd3(tac_madd3(tac_scale3(t[0], c->normal), t[1], c->tangent[0]), t[2], c->tangent[1]);
}

void tac_ncp_add_impulse(const tacNcp *p, const tacNcpContact *c, const double t[3], tacVec6 *f) {
    tacVec3 P = tac_ncp_impulse(&c->now, t);
    for (int side = 0; side < 2; side++) {
        int b = c->body[side];
        double sign = side == 0 ? 1 : -1;
        if (p->ldu.still[b]) continue;
        f[b] = tac_madd6(f[b], sign, (tacVec6){tac_cross3(c->arm[side], P), P});
    }
}

static double load_contact(tacNcp *p, tacNcpContact *c, const double *a, const double *b) {
    double worst = tac_friction_load(&c->p, &c->e, c->gap_slip, a + c->adr, b + c->adr);
    double t[3] = {c->p.gamma, c->p.xi[1], c->p.xi[2]};
    tac_ncp_add_impulse(p, c, t, p->f);
    return worst;
}

double tac_ncp_load(tacNcp *p, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < p->ncontact; i++)
        worst = tac_max(worst, load_contact(p, &p->contact[i], a, b));
    return worst;
}

/* --- Linear system ------------------------------------------------------------------------------------------------ */

static tacVec3 axis(int k) { return tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2); }

tacNcpFrame tac_ncp_contact_frame(const tacNcp *p, const tacNcpContact *c) {
    double t[3] = {c->p.gamma, c->p.xi[1], c->p.xi[2]};
    tacNcpFrame f = {.impulse = tac_ncp_impulse(&c->now, t), .slip = tac_ncp_slip(p, c)};
    for (int k = 0; k < 2; k++) {
        int b = c->body[k];
        if (p->ldu.still[b]) continue;
        f.spin[k] = p->spin[b];
        f.arm[k] = tac_sub3(c->now.pos, p->next.xipos[b]);
        f.inverse[k] = tac_quat_right_jacobian_inverse(tac_scale3(p->h, p->spin[b]));
    }
    return f;
}

/* d(velocity of the material point): d(slide) + d(spin) x arm + spin x d(arm), with
 * d(spin) = (Jl^-1 turn+ - Jr^-1 turn)/h. */
static tacVec3 velocity_move(const tacNcpFrame *f, int k, double h, tacVec3 dpoint, const tacNcpSide *s) {
    tacVec3 dspin = tac_sub3(tac_mulmtv3(f->inverse[k], s->turn_next), tac_mulmv3(f->inverse[k], s->turn_now));
    tacVec3 over_h = tac_add3(tac_sub3(s->dx_next, s->dx_now), tac_cross3(dspin, f->arm[k]));
    return tac_madd3(tac_cross3(f->spin[k], tac_sub3(dpoint, s->dx_next)), 1 / h, over_h);
}

tacNcpChange tac_ncp_contact_change(const tacNcp *p, const tacNcpContact *c, const tacNcpFrame *f,
                                    const tacContactTangent *d, const tacNcpSide side[2]) {
    tacNcpChange out;
    tacVec3 du[2] = {tac_zero3(), tac_zero3()}, dP = tac_scale3(c->p.gamma, d->normal);
    dP = tac_madd3(tac_madd3(dP, c->p.xi[1], d->tangent[0]), c->p.xi[2], d->tangent[1]);
    for (int k = 0; k < 2; k++) {
        double sign = k == 0 ? -1 : 1;
        if (!p->ldu.still[c->body[k]]) du[k] = velocity_move(f, k, p->h, d->pos, &side[k]);
        tacVec3 darm = tac_sub3(d->pos, side[k].dx_next);
        tacVec6 wrench = {tac_add3(tac_cross3(darm, f->impulse), tac_cross3(c->arm[k], dP)), dP};
        out.wrench[k] = tac_scale6(sign, wrench);
    }
    tacVec3 slip_change = tac_sub3(du[1], du[0]);
    out.gap_slip[0] = d->dist;
    for (int i = 0; i < 2; i++)
        out.gap_slip[1 + i] = tac_dot3(d->tangent[i], f->slip) + tac_dot3(c->now.tangent[i], slip_change);
    return out;
}

void tac_ncp_shift_row(tacVec3 d, double *row) {
    tacVec3 ang = tac_load3(row), lin = tac_load3(row + 3);
    tac_store3(row, tac_add3(ang, tac_cross3(d, lin)));
}

/* One side moves along twist k about the contact's point, the contact by d: Gamma's columns, and the slip. */
static void move_side(const tacNcp *p, tacNcpContact *c, const tacNcpFrame *f, int moved, int k,
                      const tacContactTangent *d, double Gamma[2][6][12]) {
    double sign = moved == 0 ? -1 : 1, over_h = sign / p->h;
    tacVec3 dx = k < 3 ? tac_cross3(f->arm[moved], axis(k)) : axis(k), dP = tac_scale3(c->p.gamma, d->normal);
    tacVec3 turned = dx; /* h d(velocity of the material point) at a fixed point */
    if (k < 3) turned = tac_add3(dx, tac_cross3(tac_load3(f->inverse[moved].m + 3 * k), f->arm[moved]));
    dP = tac_madd3(tac_madd3(dP, c->p.xi[1], d->tangent[0]), c->p.xi[2], d->tangent[1]);
    tacVec3 du = tac_cross3(tac_sub3(f->spin[1], f->spin[0]), d->pos);
    du = tac_madd3(tac_madd3(du, over_h, turned), -sign, tac_cross3(f->spin[moved], dx));
    c->G[0][6 * moved + k] = d->dist;
    for (int i = 0; i < 2; i++)
        c->G[1 + i][6 * moved + k] = tac_dot3(d->tangent[i], f->slip) + tac_dot3(c->now.tangent[i], du);
    for (int side = 0; side < 2; side++) {
        double of_side = side == 0 ? -1 : 1;
        tacVec3 darm = side == moved ? tac_sub3(d->pos, dx) : d->pos;
        tacVec3 ang = tac_add3(tac_cross3(darm, f->impulse), tac_cross3(c->arm[side], dP));
        for (int i = 0; i < 3; i++) {
            Gamma[side][i][6 * moved + k] = of_side * tac_get3(ang, i);
            Gamma[side][3 + i][6 * moved + k] = of_side * tac_get3(dP, i);
        }
    }
}

static void flat_jac(const tacNcp *p, tacNcpContact *c, double Gamma[2][6][12]) {
    double torque[3][6];
    tac_ncp_flat_rows(p, c);
    memset(Gamma, 0, 2 * sizeof *Gamma);
    for (int side = 0; side < 2; side++) {
        tac_ncp_flat_bending(p, c, side, torque);
        for (int i = 0; i < 3; i++)
            memcpy(Gamma[side][i] + 6, torque[i], sizeof torque[i]);
    }
}

/* Columns of sides that do not move are left as zeros. */
tacStatus tac_ncp_contact_jac(tacNcp *p, tacNcpContact *c, double Gamma[2][6][12]) {
    tacContactSystem system;
    if (c->flat) {
        flat_jac(p, c, Gamma);
        return TAC_OK;
    }
    int moves[2] = {!p->ldu.still[c->body[0]], !p->ldu.still[c->body[1]]};
    unsigned sides = (moves[0] ? TAC_SIDE_0 : 0u) | (moves[1] ? TAC_SIDE_1 : 0u);
    tacStatus status = tac_contact_prepare_sides(p->m, p->scene, &c->now, sides, &system);
    if (status != TAC_OK) return status;
    tacNcpFrame frame = tac_ncp_contact_frame(p, c);
    if (!moves[0] || !moves[1]) {
        memset(c->G, 0, sizeof c->G);
        memset(Gamma, 0, 2 * sizeof *Gamma);
    }
    for (int moved = 0; moved < 2; moved++) {
        if (!moves[moved]) continue;
        tacVec3 d = tac_sub3(c->now.pos, p->next.origin[c->body[moved]]);
        for (int k = 0; k < 6; k++) {
            tac_ncp_squeeze(c, system.twist[moved][k].tangent);
            move_side(p, c, &frame, moved, k, &system.twist[moved][k], Gamma);
        }
        for (int i = 0; i < 3; i++)
            tac_ncp_shift_row(d, c->G[i] + 6 * moved);
        for (int i = 0; i < 12; i++)
            tac_ncp_shift_row(d, Gamma[i / 6][i % 6] + 6 * moved);
    }
    return TAC_OK;
}

/* Where the block (side, moved) of a contact goes; NULL: no room. */
static double *block_of(tacNcp *p, const tacNcpContact *c, int side, int moved) {
    int row = c->body[side], column = c->body[moved];
    if (row == column) return p->ldu.H + TAC_BLOCK_SIZE * row;
    tacBlockEdge *edge = tac_block_edge(&p->ldu, row, column);
    return edge == NULL ? NULL : row > column ? edge->down : edge->up;
}

/* block += F K G, F the wrench per unit of each component. */
static void add_stiffness(const tacNcpContact *c, int side, int moved, const double K[9], double *block) {
    const tacVec3 axes[3] = {c->now.normal, c->now.tangent[0], c->now.tangent[1]};
    double F[3][6], KG[3][6], sign = side == 0 ? -1 : 1;
    int n = c->p.mu > 0 ? 3 : 1;
    for (int i = 0; i < n; i++) {
        tacVec3 P = tac_scale3(sign, axes[i]);
        tac_store3(F[i], tac_cross3(c->arm[side], P)), tac_store3(F[i] + 3, P);
        memset(KG[i], 0, sizeof KG[i]);
        for (int k = 0; k < n; k++)
            tac_six_axpy(K[3 * i + k], c->G[k] + 6 * moved, KG[i]);
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

/* Both for a point or ellipsoid above a plane that stays. */
static void couple_flat(const tacNcp *p, tacNcpContact *c, const double K[9]) {
    double torque[3][6], *block = p->ldu.H + TAC_BLOCK_SIZE * c->body[1];
    tac_ncp_flat_rows(p, c);
    tac_ncp_flat_bending(p, c, 1, torque);
    for (int r = 0; r < 3; r++)
        tac_six_axpy(-p->bend, torque[r], block + 6 * r);
    add_stiffness(c, 1, 1, K, block);
}

static void scale_bending(double share, double Gamma[2][6][12]) {
    for (int i = 0; i < 2 * 6 * 12 && share < 1; i++)
        Gamma[i / 72][i / 12 % 6][i % 12] *= share;
}

tacStatus tac_ncp_contact_blocks(tacNcp *p) {
    tacStatus status = TAC_OK;
    for (int i = 0; i < p->ncontact && status == TAC_OK; i++) {
        double K[9], Gamma[2][6][12];
        tacNcpContact *c = &p->contact[i];
        tac_friction_stiffness(&c->p, K);
        if (c->flat) {
            couple_flat(p, c, K);
            continue;
        }
        status = tac_ncp_contact_jac(p, c, Gamma);
        scale_bending(p->bend, Gamma);
        if (status == TAC_OK) status = tac_ncp_couple(p, c, K, Gamma);
    }
    return status;
}

/* --- Solving ------------------------------------------------------------------------------------------------------ */

void tac_ncp_reduce(tacNcp *p, const double *c, double *f, double *g) {
    static const double STILL[2] = {0, 0};
    tacVec6 *wrench = (tacVec6 *)(void *)f;
    memcpy(f, p->f, (size_t)p->m->nbody * sizeof *p->f);
    memcpy(g, p->g, (size_t)p->m->nv * sizeof *g);
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *contact = &p->contact[i];
        tac_friction_aim(&contact->p, c + contact->adr, &contact->e);
        tacFrictionStep d = tac_friction_step(&contact->p, &contact->e, 0, STILL);
        double t[3] = {d.gamma, d.xi[1], d.xi[2]};
        tac_ncp_add_impulse(p, contact, t, wrench);
    }
    tac_ncp_reduce_rows(p, c, g);
}

static void recover_contact(const tacNcp *p, const tacNcpContact *c, double *da, double *db) {
    double change[3] = {0, 0, 0};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3 && !p->ldu.still[c->body[side]]; i++)
            change[i] += tac_six_dot(c->G[i] + 6 * side, p->ldu.z + 6 * c->body[side]);
    tacFrictionStep d = tac_friction_step(&c->p, &c->e, change[0], change + 1);
    tac_friction_store(&c->p, &d, da + c->adr, db + c->adr);
}

void tac_ncp_recover(const tacNcp *p, double *da, double *db) {
    for (int i = 0; i < p->ncontact; i++)
        recover_contact(p, &p->contact[i], da, db);
}
