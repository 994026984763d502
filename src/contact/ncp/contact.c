/* Contacts: their cones, gaps and slips at the next pose, impulses and residuals. */
#include "contact/ncp/contact.h"

#include "base/error.h"
#include "contact/ncp/features.h"
#include "contact/ncp/impulse_place.h"
#include "contact/ncp/plane_contact.h"
#include "math/scalar.h"

/* Least length of the sum of two unit normals whose mean has a direction. */
#define LEAST_SUM 0.1

/* --- Constraints of a step ---------------------------------------------------------------------------------------- */

void tac_ncp_add_cone(tacNcp *p, int dim, double unit, double ratio) {
    p->dim[p->ncone] = dim;
    p->ratio[p->ncone] = ratio > 0 ? ratio : 1;
    p->unit[p->ncone++] = unit;
    p->numbers += dim;
}

/* 1: the unit of gaps is a mean over bodies that include this one. */
static int counts(const tacNcp *p, int b) { return !p->ldu.still[b] && p->m->body_mass[b] > 0; }

static double half_trace(tacSym3 J) { return 0.5 * (J.xx + J.yy + J.zz); }

/* h m L^2/T^2: m L^2 is half the trace of the inertia, the mean over moving bodies, L being the radius of gyration. */
static double unit_of_gaps(const tacNcp *p) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (counts(p, b)) {
            sum += half_trace(p->m->body_icom[b]);
            count++;
        }
    return (sum > 0 ? sum / count : 1) * p->h / (TAC_NCP_TIME * TAC_NCP_TIME);
}

double tac_ncp_gap_unit_change(const tacNcp *p, const tacInertialTangent *d) {
    double sum = 0;
    int count = 0;
    for (int b = 1; b < p->m->nbody; b++)
        if (counts(p, b)) {
            sum += half_trace(d[b].icom);
            count++;
        }
    return count == 0 ? 0 : sum / count * p->h / (TAC_NCP_TIME * TAC_NCP_TIME);
}

int tac_ncp_pushes(const tacModel *m, const int body[2]) {
    return m->body_mocap[m->body_weld[body[0]]] >= 0 || m->body_mocap[m->body_weld[body[1]]] >= 0;
}

double tac_ncp_parting_speed(const tacModel *m, const int body[2]) {
    return tac_ncp_pushes(m, body) ? TAC_NCP_PUSH : TAC_NCP_CORRECTION;
}

/* Bound of a gap at q between two bodies. */
static tacNcpGapBound bound_at(const tacNcp *p, const int body[2], double gap) {
    return tac_ncp_gap_bound_at(p, gap, tac_ncp_parting_speed(p->m, body), tac_ncp_inverse_masses(p->m, body));
}

static void set_bound(tacNcpContact *c, const tacNcpGapBound *bound) {
    c->law.bound = *bound;
    c->friction.yield = bound->yield;
}

/* |(xi_1/mu_1, xi_2/mu_2)| <= gamma, as the round cone of mu_1 along tangents that are scaled by mu_k/mu_1   (W34). */
static void add_friction_cones(tacNcp *p, tacNcpContact *c) {
    int rubs = p->cone_kind != TAC_NCP_FRICTIONLESS && tac_contact_dimension(p->m, &c->feature.found) > 1,
        dim[TAC_FRICTION_CONES];
    double mu[2];
    tac_contact_friction(p->m, &c->feature.found, mu);
    double of = mu[0] > 0 ? mu[0] : mu[1];
    c->friction = (tacFrictionPoint){.mu = rubs ? of : 0, .pyramid = p->cone_kind == TAC_NCP_PYRAMID};
    for (int k = 0; k < 2; k++)
        c->law.tangent_scale[k] = of > 0 ? mu[k] / of : 1;
    tac_ncp_scale_tangents(c, c->next.contact.tangent);
    double inverse_mass = p->m->body_invweight[2 * c->body[0]] + p->m->body_invweight[2 * c->body[1]];
    for (int i = 0, n = tac_friction_cones(&c->friction, dim); i < n; i++)
        tac_ncp_add_cone(p, dim[i], i == 0 ? p->gap_unit : p->gap_unit / TAC_NCP_TIME,
                         i == 0 ? p->h * inverse_mass : inverse_mass);
}

void tac_ncp_scale_tangents(const tacNcpContact *c, tacVec3 tangent[2]) {
    for (int k = 0; k < 2; k++)
        if (c->law.tangent_scale[k] != 1) tangent[k] = tac_scale3(c->law.tangent_scale[k], tangent[k]);
}

/* Keeps points and normal in the frames of both geoms. Needs: geoms where the touch was found. */
static void keep_local(const tacScene *s, tacNcpContact *c) {
    for (int side = 0; side < 2; side++) {
        const tacPose *pose = &s->pose[c->feature.found.geom[side]];
        c->feature.own_point[side] = tac_pose_local(pose, c->feature.found.point[side]);
        c->feature.own_normal[side] = tac_mulmtv3(pose->R, c->feature.found.normal);
    }
}

void tac_ncp_add_contact(tacNcp *p, const tacContact *found, const tacContact *start, const tacNcpGapBound *bound) {
    const tacModel *m = p->m;
    int body[2] = {m->geom_body[found->geom[0]], m->geom_body[found->geom[1]]};
    tacNcpContact *c = &p->contact[p->ncontact];
    if (!tac_may_part(m, found->geom) || p->ncontact == p->room - p->nremoved) return;
    tac_ncp_strip_pairs(p);
    c->pair = NULL;
    c->body[0] = body[0];
    c->body[1] = body[1];
    c->feature.found = c->next.contact = *found;
    c->now.start = *start;
    c->law.bounce = c->law.restitution = 0;
    c->feature.lost = 0;
    keep_local(p->scene, c);
    c->cone = p->ncone;
    c->adr = p->numbers;
    c->now.contact = *found;
    c->now.touches = 1;
    tac_ncp_choose_place(p, c);
    add_friction_cones(p, c);
    set_bound(c, bound);
    c->law.steady_frame =
        p->cone_kind != TAC_NCP_PYRAMID && c->law.tangent_scale[0] == 1 && c->law.tangent_scale[1] == 1;
    if (c->law.steady_frame) {
        c->next.contact.along = found->tangent[0];
        c->next.contact.along_side = -1;
    }
    tac_ncp_plane_begin(p, c);
    p->ncontact++;
}

/* Share of body 0 in the place of the impulse between two moving bodies: the point follows what rolls   (SL7). */
static double share_of_first(const tacNcpPair *pair) {
    int rolls[2] = {1, 1};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < pair->shape[side].nterm; i++)
            rolls[side] &=
                pair->shape[side].term[i].type != TAC_GEOM_BOX && pair->shape[side].term[i].type != TAC_GEOM_MESH;
    return rolls[0] == rolls[1] ? 0.5 : rolls[0];
}

tacNcpContact *tac_ncp_add_pair_contact(tacNcp *p, const tacContact *found, tacNcpPair *pair,
                                        const tacNcpGapBound *bound) {
    int known = p->ncontact;
    tac_ncp_add_contact(p, found, found, bound);
    if (p->ncontact == known) return NULL;
    tacNcpContact *c = &p->contact[known];
    c->pair = pair;
    c->plane.kind = 0;
    c->impulse.rule = TAC_NCP_PLACE_NEXT;
    c->impulse.side = -1; /* the place follows the point, not a surface */
    if (!p->ldu.still[c->body[0]] && !p->ldu.still[c->body[1]]) {
        c->impulse.share[0] = share_of_first(pair);
        c->impulse.share[1] = 1 - c->impulse.share[0];
    }
    return c;
}

void tac_ncp_place_geom(tacNcp *p, const tacWork *w, int geom) {
    int body = p->m->geom_body[geom];
    p->scene->pose[geom].p = tac_frame_pos(w, body, p->m->geom_pos[geom]);
    p->scene->pose[geom].R = tac_quat_mat(tac_frame_quat(w, body, p->m->geom_quat[geom]));
}

/* The touch as both geoms carry it along, with the mean of both normals. Features may meet in several ways (a rim and
 * an edge that overlap deeply); the one that was found is the nearest to this, however far both have moved. */
static tacTouch carried_touch(const tacScene *s, const tacNcpContact *c) {
    tacTouch touch = tac_contact_touch(&c->feature.found);
    tacVec3 n[2];
    for (int side = 0; side < 2; side++) {
        const tacPose *pose = &s->pose[c->feature.found.geom[side]];
        touch.point[side] = tac_pose_point(pose, c->feature.own_point[side]);
        n[side] = tac_mulmv3(pose->R, c->feature.own_normal[side]);
    }
    double between = tac_norm3(tac_add3(n[0], n[1]));
    touch.normal = between > LEAST_SUM ? tac_scale3(1 / between, tac_add3(n[0], n[1])) : n[0];
    return touch;
}

tacStatus tac_ncp_rebuild(const tacScene *s, const tacNcpContact *c, tacContact *now) {
    int a = c->feature.found.geom[0], b = c->feature.found.geom[1];
    tacTouch touch = carried_touch(s, c);
    TAC_TRY(tac_touch_rebuild(&s->shape[a], &s->pose[a], &s->shape[b], &s->pose[b], &touch));
    now->dist = touch.dist;
    now->normal = touch.normal;
    now->point[0] = touch.point[0];
    now->point[1] = touch.point[1];
    now->pos = tac_scale3(0.5, tac_add3(touch.point[0], touch.point[1]));
    tac_contact_frame(touch.normal, &now->tangent[0], &now->tangent[1]);
    return TAC_OK;
}

/* 1: the touch lies on both features. Lines and planes are infinite: two edges that are about to cross may meet far
 * outside both. */
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
        tac_ncp_place_geom(p, p->w, c->feature.found.geom[side]);
    c->now.touches =
        tac_ncp_rebuild(p->scene, c, &c->now.contact) == TAC_OK && is_on_features(p->scene, &c->now.contact);
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, &p->next, c->feature.found.geom[side]);
    tac_ncp_choose_place(p, c);
    if (c->law.steady_frame && c->now.touches) c->next.contact.along = c->now.contact.tangent[0];
}

/* Sets restitution. A contact with restitution e that approached by d since q (-) h v, faster than the threshold, and
 * would close in this step, leaves e times as fast as its material points approached: n . u >= -e n . u_-   (W35).
 * Needs: next at q (-) h v and the motion there, as tac_ncp_begin_bodies leaves them. */
static void set_restitution(tacNcp *p, tacNcpContact *c) {
    double e = tac_contact_restitution(p->m, &c->feature.found);
    if (!(e > 0)) return;
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, &p->next, c->feature.found.geom[side]);
    c->before.contact = c->feature.found;
    tacStatus status = tac_ncp_rebuild(p->scene, c, &c->before.contact);
    for (int side = 0; side < 2; side++)
        tac_ncp_place_geom(p, p->w, c->feature.found.geom[side]);
    double d = c->before.contact.dist - c->feature.found.dist;
    if (status != TAC_OK || !(d > p->h * p->bounce_speed) || !(d > c->feature.found.dist)) return;
    set_bound(c, &(tacNcpGapBound){0});
    c->law.bounce = c->law.restitution = e;
    c->plane.kind = 0;
    tac_ncp_choose_place(p, c); /* velocities are taken at a fixed place */
    for (int side = 0; side < 2; side++) {
        int b = c->body[side], still = p->ldu.still[b];
        c->before.slide[side] = still ? tac_zero3() : tac_neg3(p->slide[b]); /* p->slide and p->spin lead back */
        c->before.spin[side] = still ? tac_zero3() : tac_neg3(p->spin[b]);
    }
}

int tac_ncp_stop_bounces(tacNcp *p, double tolerance) {
    int stopped = 0;
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *c = &p->contact[i];
        if (!(c->law.bounce > 0) || c->next.contact.dist >= -tolerance) continue;
        tacNcpGapBound bound = bound_at(p, c->body, c->feature.found.dist);
        set_bound(c, &bound);
        c->law.bounce = c->law.restitution = 0;
        tac_ncp_choose_place(p, c);
        stopped++;
    }
    return stopped;
}

tacStatus tac_ncp_add_constraints(tacNcp *p, int nfound) {
    p->gap_unit = unit_of_gaps(p);
    p->ncontact = p->nremoved = p->ncone = p->numbers = p->infeasible = p->limited = 0;
    for (int i = 0; i < p->m->nv; i++)
        p->anchor[i] = 0;
    p->pairs.n = 0;
    p->pairs.first_cone = -1;
    tac_ncp_collect_rows(p);
    if (*p->m->option_disable & TAC_DISABLE_CONSTRAINT) return TAC_OK;
    for (int i = 0; i < nfound; i++) {
        int known = p->ncontact;
        if (!tac_ncp_is_relevant(p, &p->found[i])) continue;
        const tacContact *found = &p->found[i];
        int body[2] = {p->m->geom_body[found->geom[0]], p->m->geom_body[found->geom[1]]};
        tacNcpGapBound bound = bound_at(p, body, found->dist);
        tac_ncp_add_contact(p, found, found, &bound);
        if (p->ncontact > known) set_restitution(p, &p->contact[known]);
    }
    if (p->pairs.on) TAC_TRY(tac_ncp_add_pairs(p));
    tac_ncp_detect_infeasible(p);
    return TAC_OK;
}

/* --- Geometry at the next pose ------------------------------------------------------------------------------------ */

/* Velocity of a body's material point between q and q+: that of the centre of mass plus spin x arm. */
static tacVec3 material_velocity(const tacNcp *p, int body, tacVec3 place) {
    tacVec3 arm = tac_sub3(place, p->w->xipos[body]);
    return p->ldu.still[body] ? tac_zero3() : tac_add3(p->slide[body], tac_cross3(p->spin[body], arm));
}

tacVec3 tac_ncp_slip(const tacNcp *p, const tacNcpContact *c) {
    return tac_sub3(material_velocity(p, c->body[1], c->impulse.place),
                    material_velocity(p, c->body[0], c->impulse.place));
}

tacVec3 tac_ncp_slip_before(const tacNcp *p, const tacNcpContact *c) {
    tacVec3 u[2];
    for (int k = 0; k < 2; k++) {
        tacVec3 arm = tac_sub3(c->impulse.place, p->w->xipos[c->body[k]]);
        u[k] = tac_add3(c->before.slide[k], tac_cross3(c->before.spin[k], arm));
    }
    return tac_sub3(u[1], u[0]);
}

/* Places one contact at q+: c->next.contact. */
static tacStatus place_contact(tacNcp *p, tacNcpContact *c) {
    if (c->plane.kind) {
        tac_ncp_plane_place(p, c);
        return TAC_OK;
    }
    tac_ncp_place_geom(p, &p->next, c->feature.found.geom[0]);
    tac_ncp_place_geom(p, &p->next, c->feature.found.geom[1]);
    tacStatus status = tac_ncp_rebuild(p->scene, c, &c->next.contact);
    if (c->law.steady_frame)
        tac_contact_frame_along(c->next.contact.normal, c->next.contact.along, &c->next.contact.tangent[0],
                                &c->next.contact.tangent[1]);
    tac_ncp_scale_tangents(c, c->next.contact.tangent);
    return status;
}

void tac_ncp_set_gap_slip(tacNcp *p, tacNcpContact *c) {
    tac_ncp_place_impulse(p, c);
    tacVec3 u = tac_ncp_slip(p, c);
    c->next.gap_slip[0] = c->next.contact.dist - c->law.bound.rest;
    if (c->law.bounce > 0)
        c->next.gap_slip[0] =
            p->h * tac_dot3(c->next.contact.normal, tac_madd3(u, c->law.bounce, tac_ncp_slip_before(p, c)));
    c->next.gap_slip[1] = tac_dot3(c->next.contact.tangent[0], u);
    c->next.gap_slip[2] = tac_dot3(c->next.contact.tangent[1], u);
}

tacStatus tac_ncp_place_contacts(tacNcp *p) {
    for (int i = 0; i < p->ncontact; i++) {
        tacNcpContact *c = &p->contact[i];
        if (c->pair != NULL) continue; /* they are placed with the numbers of an iterate */
        tacStatus status = place_contact(p, c);
        if (status != TAC_OK) {
            c->feature.lost = 1;
            return status;
        }
        tac_ncp_set_gap_slip(p, c);
    }
    return TAC_OK;
}

/* --- Impulses and residuals --------------------------------------------------------------------------------------- */

tacVec3 tac_ncp_impulse(const tacContact *c, const double t[3]) {
    return tac_madd3(tac_madd3(tac_scale3(t[0], c->normal), t[1], c->tangent[0]), t[2], c->tangent[1]);
}

void tac_ncp_add_impulse(const tacNcp *p, const tacNcpContact *c, const double t[3], tacVec6 *f) {
    tacVec3 P = tac_ncp_impulse(&c->next.contact, t);
    for (int side = 0; side < 2; side++) {
        int b = c->body[side];
        double sign = side == 0 ? 1 : -1;
        if (p->ldu.still[b]) continue;
        f[b] = tac_madd6(f[b], sign, (tacVec6){tac_cross3(c->impulse.arm[side], P), P});
    }
}

static double evaluate_contact(tacNcp *p, tacNcpContact *c, const double *a, const double *b) {
    double worst = tac_friction_evaluate(&c->friction, &c->residual, c->next.gap_slip, a + c->adr, b + c->adr);
    double t[3] = {c->friction.gamma, c->friction.xi[1], c->friction.xi[2]};
    tac_ncp_add_impulse(p, c, t, p->f);
    return worst;
}

double tac_ncp_evaluate_contacts(tacNcp *p, const double *a, const double *b) {
    double worst = 0;
    for (int i = 0; i < p->ncontact; i++)
        worst = tac_max(worst, evaluate_contact(p, &p->contact[i], a, b));
    return worst;
}
