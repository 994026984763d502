/* Contacts: which there are, their gaps and slips at the next pose, impulses and residuals. */
#include "contact/ncp/problem.h"

#include "math/scalar.h"

/* Share of both ways of a place whose features touch at q+ alone. */
#define HALF_WAY 0.5
/* Sum of two unit normals that have turned away from each other so far that nothing is between them. */
#define APART 0.1

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

int tac_ncp_pushes(const tacModel *m, const int body[2]) {
    return m->body_mocap[m->body_weld[body[0]]] >= 0 || m->body_mocap[m->body_weld[body[1]]] >= 0;
}

double tac_ncp_parting_speed(const tacModel *m, const int body[2]) {
    return tac_ncp_pushes(m, body) ? TAC_NCP_PUSH : TAC_NCP_CORRECTION;
}

/* What counts as closed of a gap at q between two bodies. */
static tacNcpClosed closed_at(const tacNcp *p, const int body[2], double gap) {
    return tac_ncp_closed_at(p, gap, tac_ncp_parting_speed(p->m, body), tac_ncp_inverse_masses(p->m, body));
}

static void close_at(tacNcpContact *c, const tacNcpClosed *closed) { c->closed = *closed, c->p.give = closed->give; }

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

/* Beside what stays, the place goes with the other body. */
static void share_way(const tacNcp *p, tacNcpContact *c) {
    int stays[2] = {p->ldu.still[c->body[0]], p->ldu.still[c->body[1]]};
    c->held = !stays[0] && !stays[1];
    for (int side = 0; side < 2; side++)
        c->share[side] = c->held ? HALF_WAY : stays[side] ? 0 : 1;
}

/* Needs: geoms where the touch was found. */
static void take_along(const tacScene *s, tacNcpContact *c) {
    for (int side = 0; side < 2; side++) {
        const tacPose *pose = &s->pose[c->found.geom[side]];
        c->own_point[side] = tac_pose_local(pose, c->found.point[side]);
        c->own_normal[side] = tac_mulmtv3(pose->R, c->found.normal);
    }
}

void tac_ncp_take_contact(tacNcp *p, const tacContact *found, const tacContact *start, const tacNcpClosed *closed) {
    const tacModel *m = p->m;
    int body[2] = {m->geom_body[found->geom[0]], m->geom_body[found->geom[1]]};
    tacNcpContact *c = &p->contact[p->ncontact];
    if (!tac_may_part(m, found->geom) || p->ncontact == p->room - p->nleft) return;
    c->body[0] = body[0], c->body[1] = body[1];
    c->found = c->now = *found, c->start = *start, c->bounce = 0, c->lost = 0;
    take_along(p->scene, c);
    c->cone = p->ncone, c->adr = p->numbers;
    share_way(p, c);
    c->at_q = *found, c->touches_at_q = 1;
    take_friction(p, c);
    close_at(c, closed);
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

/* The touch as geoms take it along, the normal between what either makes of it: of features that meet in several ways
 * (a rim and an edge deep in each other), the one that was found is the one nearest to it, however far both have
 * gone. */
static tacTouch touch_along(const tacScene *s, const tacNcpContact *c) {
    tacTouch touch = tac_contact_touch(&c->found);
    tacVec3 n[2];
    for (int side = 0; side < 2; side++) {
        const tacPose *pose = &s->pose[c->found.geom[side]];
        touch.point[side] = tac_pose_point(pose, c->own_point[side]);
        n[side] = tac_mulmv3(pose->R, c->own_normal[side]);
    }
    double between = tac_norm3(tac_add3(n[0], n[1]));
    touch.normal = between > APART ? tac_scale3(1 / between, tac_add3(n[0], n[1])) : n[0];
    return touch;
}

tacStatus tac_ncp_rebuild(const tacScene *s, const tacNcpContact *c, tacContact *now) {
    int a = c->found.geom[0], b = c->found.geom[1];
    tacTouch touch = touch_along(s, c);
    tacStatus status = tac_touch_rebuild(&s->shape[a], &s->pose[a], &s->shape[b], &s->pose[b], &touch);
    if (status != TAC_OK) return status;
    now->dist = touch.dist, now->normal = touch.normal;
    now->point[0] = touch.point[0], now->point[1] = touch.point[1];
    now->pos = tac_scale3(0.5, tac_add3(touch.point[0], touch.point[1]));
    tac_contact_frame(touch.normal, &now->tangent[0], &now->tangent[1]);
    return TAC_OK;
}

/* Lines and faces have no ends to their touch: two edges that are about to cross may meet far beside both. */
static int is_on_features(const tacScene *s, const tacContact *c) {
    for (int side = 0; side < 2; side++) {
        const tacShape *shape = &s->shape[c->geom[side]];
        const tacPose *pose = &s->pose[c->geom[side]];
        tacVec3 x = tac_feature_patch(shape, pose, c->feature[side], c->point[side]).x;
        tacVec3 outward = side == 0 ? c->normal : tac_neg3(c->normal);
        double angle;
        if (tac_feature_room(shape, pose, c->feature[side], x, outward, &angle) < 0) return 0;
    }
    return 1;
}

void tac_ncp_find_place(tacNcp *p, tacNcpContact *c) {
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, p->w, c->found.geom[side]);
    c->touches_at_q = tac_ncp_rebuild(p->scene, c, &c->at_q) == TAC_OK && is_on_features(p->scene, &c->at_q);
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, &p->next, c->found.geom[side]);
    c->held = c->held && c->touches_at_q;
    if (c->seamless && c->touches_at_q) c->now.along = c->at_q.tangent[0];
}

/* A contact with restitution e that came nearer by d since q (-) h v, faster than the threshold, and would close in
 * this step, leaves e times as fast as its material points came: n . u >= -e n . u_-   (W35). Needs: next at q (-) h v,
 * and the motion there, as tac_ncp_begin leaves them. */
static void bounce(tacNcp *p, tacNcpContact *c) {
    double e = tac_contact_restitution(p->m, &c->found);
    if (!(e > 0)) return;
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, &p->next, c->found.geom[side]);
    c->before = c->found;
    tacStatus status = tac_ncp_rebuild(p->scene, c, &c->before);
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, p->w, c->found.geom[side]);
    double d = c->before.dist - c->found.dist;
    if (status != TAC_OK || !(d > p->h * p->bounce_speed) || !(d > c->found.dist)) return;
    close_at(c, &(tacNcpClosed){0});
    c->bounce = e, c->flat = 0;
    c->held = 1; /* velocities at a place that does not run as the bodies turn */
    for (int side = 0; side < 2; side++) {
        int b = c->body[side], still = p->ldu.still[b];
        c->came_slide[side] = still ? tac_zero3() : tac_neg3(p->slide[b]); /* they lead back */
        c->came_spin[side] = still ? tac_zero3() : tac_neg3(p->spin[b]);
    }
}

int tac_ncp_stop_bounces(tacNcp *p, double tolerance) {
    int stopped = 0;
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *c = &p->contact[i];
        if (!(c->bounce > 0) || c->now.dist >= -tolerance) continue;
        tacNcpClosed closed = closed_at(p, c->body, c->found.dist);
        close_at(c, &closed);
        c->bounce = 0;
        share_way(p, c);
        stopped++;
    }
    return stopped;
}

void tac_ncp_constrain(tacNcp *p, int nfound) {
    p->gap_unit = unit_of_gaps(p);
    p->ncontact = p->nleft = p->ncone = p->numbers = p->infeasible = 0;
    for (int i = 0; i < p->m->nv; i++)
        p->anchor[i] = 0;
    tac_ncp_find_rows_at(p);
    if (*p->m->option_disable & TAC_DISABLE_CONSTRAINT) return;
    for (int i = 0; i < nfound; i++) {
        int known = p->ncontact;
        if (!tac_ncp_is_due(p, &p->found[i])) continue;
        const tacContact *found = &p->found[i];
        int body[2] = {p->m->geom_body[found->geom[0]], p->m->geom_body[found->geom[1]]};
        tacNcpClosed closed = closed_at(p, body, found->dist);
        tac_ncp_take_contact(p, found, found, &closed);
        if (p->ncontact > known) bounce(p, &p->contact[known]);
    }
    tac_ncp_find_infeasible(p);
}

/* --- Geometry at the next pose ------------------------------------------------------------------------------------ */

/* Velocity of a body's material point between q and q+: that of the centre of mass, and spin x arm. */
static tacVec3 material_velocity(const tacNcp *p, int body, tacVec3 place) {
    tacVec3 arm = tac_sub3(place, p->w->xipos[body]);
    return p->ldu.still[body] ? tac_zero3() : tac_add3(p->slide[body], tac_cross3(p->spin[body], arm));
}

tacVec3 tac_ncp_slip(const tacNcp *p, const tacNcpContact *c) {
    return tac_sub3(material_velocity(p, c->body[1], c->place), material_velocity(p, c->body[0], c->place));
}

tacVec3 tac_ncp_slip_before(const tacNcp *p, const tacNcpContact *c) {
    tacVec3 u[2];
    for (int k = 0; k < 2; k++) {
        tacVec3 arm = tac_sub3(c->place, p->w->xipos[c->body[k]]);
        u[k] = tac_add3(c->came_slide[k], tac_cross3(c->came_spin[k], arm));
    }
    return tac_sub3(u[1], u[0]);
}

/* One place for both bodies, so that the impulses on them have no moment together: between bodies that move, and where
 * they bounce, where they touch at q. Taken back by a body's own way from q+, the arm is that of q+: so it is beside
 * what stays   (W5a). */
static void place_impulse(const tacNcp *p, tacNcpContact *c) {
    c->place = c->held ? c->at_q.pos : c->now.pos;
    for (int side = 0; side < 2; side++)
        if (!c->held && !p->ldu.still[c->body[side]])
            c->place = tac_madd3(c->place, -p->h * c->share[side], p->slide[c->body[side]]);
    for (int side = 0; side < 2; side++)
        c->arm[side] = tac_sub3(c->place, p->w->origin[c->body[side]]);
}

/* c->now at q+. */
static tacStatus place_contact(tacNcp *p, tacNcpContact *c) {
    if (c->flat) {
        tac_ncp_flat_place(p, c);
        return TAC_OK;
    }
    tac_ncp_place_geom(p, &p->next, c->found.geom[0]);
    tac_ncp_place_geom(p, &p->next, c->found.geom[1]);
    tacStatus status = tac_ncp_rebuild(p->scene, c, &c->now);
    if (c->seamless) tac_contact_frame_along(c->now.normal, c->now.along, &c->now.tangent[0], &c->now.tangent[1]);
    tac_ncp_squeeze(c, c->now.tangent);
    return status;
}

tacStatus tac_ncp_place(tacNcp *p) {
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *c = &p->contact[i];
        tacStatus status = place_contact(p, c);
        if (status != TAC_OK) {
            c->lost = 1;
            return status;
        }
        place_impulse(p, c);
        tacVec3 u = tac_ncp_slip(p, c);
        c->gap_slip[0] = c->now.dist - c->closed.rest;
        if (c->bounce > 0)
            c->gap_slip[0] = p->h * tac_dot3(c->now.normal, tac_madd3(u, c->bounce, tac_ncp_slip_before(p, c)));
        c->gap_slip[1] = tac_dot3(c->now.tangent[0], u), c->gap_slip[2] = tac_dot3(c->now.tangent[1], u);
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
