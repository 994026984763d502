/* Contacts of a step: where they are at q+, and whether their impulses are those of W9, W10 and W11 there. */
#include "step_laws.h"

#include "math/vec3.h"

#include <math.h>

/* m: a contact that is found further from where it was than its bodies moved, and this, is another one. */
#define STRAY 2e-3
/* m: no body of a random model is larger. */
#define FURTHEST 2.0
/* m: rounding of places. */
#define SAME 1e-11

/* --- Where it went ------------------------------------------------------------------------------------------------ */

/* log(R+ R^T)/h from orientations at q, q+. */
static tacVec3 spin_of(const StepLaws *l, int b) {
    const double *R = l->pose[1].turn + 9 * b, *N = l->pose[2].turn + 9 * b;
    double M[9];
    for (int i = 0; i < 9; i++)
        M[i] = N[i / 3 * 3] * R[i % 3 * 3] + N[i / 3 * 3 + 1] * R[i % 3 * 3 + 1] + N[i / 3 * 3 + 2] * R[i % 3 * 3 + 2];
    tacVec3 s = {(M[7] - M[5]) / 2, (M[2] - M[6]) / 2, (M[3] - M[1]) / 2};
    double sine = tac_norm3(s), angle = atan2(sine, (M[0] + M[4] + M[8] - 1) / 2);
    return tac_scale3((sine > 0 ? angle / sine : 1) / l->scene->options.dt, s);
}

/* How far a body's centre of mass goes. */
static tacVec3 way_of(const StepLaws *l, int b) {
    if (step_laws_still(l->scene->model, b)) return tac_zero3();
    return tac_sub3(tac_load3(l->pose[2].com + 3 * b), tac_load3(l->pose[1].com + 3 * b));
}

/* Velocity of a body's material point between q and q+, at a place at q. */
static tacVec3 material_velocity(const StepLaws *l, int b, tacVec3 place) {
    if (step_laws_still(l->scene->model, b)) return tac_zero3();
    tacVec3 arm = tac_sub3(place, tac_load3(l->pose[1].com + 3 * b));
    return tac_madd3(tac_cross3(spin_of(l, b), arm), 1 / l->scene->options.dt, way_of(l, b));
}

/* Of the faster of both bodies where they touch. */
static double speed_at(const StepLaws *l, const tacContact *c) {
    const int *of = l->scene->model->geom_body;
    return fmax(tac_norm3(material_velocity(l, of[c->geom[0]], c->pos)),
                tac_norm3(material_velocity(l, of[c->geom[1]], c->pos)));
}

static int same_pair(const tacContact *a, const tacContact *b) {
    return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] && a->pair == b->pair;
}

static int same_feature(tacFeature a, tacFeature b) {
    return a.kind == b.kind && a.id[0] == b.id[0] && a.id[1] == b.id[1];
}

static int same_features(const tacContact *a, const tacContact *b) {
    return same_pair(a, b) && a->rule == b->rule && same_feature(a->feature[0], b->feature[0]) &&
           same_feature(a->feature[1], b->feature[1]) && same_feature(a->clip, b->clip) && a->angle == b->angle;
}

/* Where a touch that is told at one end of the step is at the other if its bodies take it along: forth (1) or back. */
static tacVec3 taken_along(const StepLaws *l, const tacContact *c, int forth) {
    const int *of = l->scene->model->geom_body;
    tacVec3 u = tac_add3(material_velocity(l, of[c->geom[0]], c->pos), material_velocity(l, of[c->geom[1]], c->pos));
    return tac_madd3(c->pos, 0.5 * (forth ? l->scene->options.dt : -l->scene->options.dt), u);
}

/* The nearest to a place of the same features among those that touch at q (0), q+ (1), less than `least` from it. NULL:
 * there are none, or the other way round. */
static const tacContact *nearest_to(const StepLaws *l, int at, const tacContact *c, tacVec3 place, double least) {
    const tacContact *nearest = NULL;
    for (int i = 0; i < l->ntouch[at]; i++) {
        const tacContact *t = &l->touch[at][i];
        double away = tac_norm3(tac_sub3(t->pos, place));
        if (same_features(c, t) && away < least && tac_dot3(t->normal, c->normal) > 0) least = away, nearest = t;
    }
    return nearest;
}

/* The same contact at q (0), q+ (1): that which it is told as there, or else, where its features meet twice, as a line
 * crosses a rim, the one that its bodies take it to. NULL: it is not there, or so far from there that it is another. */
static const tacContact *same_contact(const StepLaws *l, int at, const tacContact *c) {
    const tacContact *told = nearest_to(l, at, c, c->pos, SAME);
    double least = STRAY + l->scene->options.dt * speed_at(l, c);
    return told != NULL ? told : nearest_to(l, at, c, taken_along(l, c, at), least);
}

/* Beside what stays, from the point of the other body at q to that at q+ less its way, by sin^2 of half the angle
 * between arms of one length   (W5c). */
static tacVec3 place_between(const StepLaws *l, int body, tacVec3 now, tacVec3 next) {
    tacVec3 x = tac_load3(l->pose[1].com + 3 * body), way = tac_sub3(next, now);
    tacVec3 a0 = tac_sub3(now, x), a1 = tac_sub3(next, x);
    return tac_madd3(now, tac_dot3(way, way) / (2 * (tac_dot3(a0, a0) + tac_dot3(a1, a1))), way);
}

/* Where its impulse acts, at q   (W5a, W5c). Contacts are told where they touch at q, or, where they do not, at q+. 0:
 * it is told at q+, and where its features touch at q is not known. */
static int place_of(const StepLaws *l, const tacContactForce *c, const tacContact *next, tacVec3 *place) {
    const tacModel *m = l->scene->model;
    int body[2] = {m->geom_body[next->geom[0]], m->geom_body[next->geom[1]]};
    const tacContact *start = same_contact(l, 0, &c->contact);
    int there = start != NULL && tac_norm3(tac_sub3(start->pos, c->contact.pos)) <= SAME;
    int ahead = !there && tac_norm3(tac_sub3(next->pos, c->contact.pos)) <= SAME;
    *place = c->contact.pos;
    for (int side = 0; side < 2; side++)
        if (step_laws_still(m, body[1 - side])) {
            tacVec3 back = tac_sub3(next->point[side], way_of(l, body[side]));
            *place = ahead ? back : place_between(l, body[side], c->contact.point[side], back);
            return 1;
        }
    return !ahead;
}

/* --- Geometry ----------------------------------------------------------------------------------------------------- */

/* Deepest contact of two geoms at q; 0: they are apart. */
static double deepest_at_start(const StepLaws *l, const tacContact *of) {
    double deepest = 0;
    for (int i = 0; i < l->ntouch[0]; i++)
        if (same_pair(of, &l->touch[0][i])) deepest = fmin(deepest, l->touch[0][i].dist);
    return deepest;
}

int step_laws_pushed(const tacModel *m, const tacContact *c) {
    int first = m->body_weld[m->geom_body[c->geom[0]]], second = m->body_weld[m->geom_body[c->geom[1]]];
    return m->body_mocap[first] >= 0 || m->body_mocap[second] >= 0;
}

double step_laws_parting_speed(const tacModel *m, const tacContact *c) {
    return step_laws_pushed(m, c) ? LAW_PUSH : LAW_CORRECTION;
}

/* A contact of these geoms with this gap at q. */
static BrokenGap gap_of(const StepLaws *l, const tacContact *c, double gap) {
    const tacModel *m = l->scene->model;
    return (BrokenGap){gap, step_laws_parting_speed(m, c), step_laws_inverse_mass(m, c)};
}

/* What two geoms may overlap by at q+: what is left of their deepest contact at q, and what their largest impulse
 * presses that in by   (W47). */
static double depth_left(const StepLaws *l, const tacContact *at) {
    BrokenGap g = gap_of(l, at, deepest_at_start(l, at));
    double impulse = 0;
    for (int i = 0; i < l->forces.n; i++) {
        const tacContactForce *c = &l->forces.contact[i];
        if (same_pair(at, &c->contact)) impulse = fmax(impulse, l->scene->options.dt * c->force[0]);
    }
    return step_laws_gives(l, &g, impulse) - step_laws_rest(l, g.gap, g.speed);
}

/* Some dof moves one of the geoms against the other. */
int step_laws_may_part(const tacModel *m, const tacContact *c) {
    return m->body_last_dof[m->geom_body[c->geom[0]]] != m->body_last_dof[m->geom_body[c->geom[1]]];
}

static double judge_overlap(const StepLaws *l) {
    double worst = 0;
    for (int i = 0; i < l->ntouch[1]; i++) {
        const tacContact *c = &l->touch[1][i];
        if (step_laws_may_part(l->scene->model, c) && !(c->dist > -worst))
            worst = worse(worst, -c->dist - depth_left(l, c));
    }
    return worst;
}

/* --- Normal impulse ----------------------------------------------------------------------------------------------- */

/* gamma s = kappa U, s = phi - rest + y(gamma), of a contact that is `next` at q+   (W9, W48). One that does not touch
 * at q has the rest of another of its pair, which is known, none, where the geoms are apart there. */
static double judge_distance(const StepLaws *l, const tacContactForce *c, const tacContact *next) {
    const tacContact *start = same_contact(l, 0, &c->contact);
    double gamma = l->scene->options.dt * c->force[0];
    if (start == NULL && deepest_at_start(l, next) < 0) return 0;
    BrokenGap g = gap_of(l, next, start == NULL ? 0 : start->dist);
    double rest = step_laws_rest(l, g.gap, g.speed);
    return gamma - step_laws_push(l, next->dist - rest + step_laws_gives(l, &g, gamma));
}

/* --- Friction ----------------------------------------------------------------------------------------------------- */

/* Of an explicit pair its own numbers, else those of the geom of higher priority, or the larger. */
static void friction_of(const tacModel *m, const tacContact *c, double mu[2]) {
    int a = c->geom[0], b = c->geom[1], order = m->geom_priority[a] - m->geom_priority[b];
    int first = order >= 0, second = order <= 0, p = c->pair, rubs;
    if (p < 0) {
        mu[0] = mu[1] = fmax(first ? m->geom_friction[3 * a] : 0, second ? m->geom_friction[3 * b] : 0);
        rubs = (first && m->geom_condim[a] > 1) || (second && m->geom_condim[b] > 1);
    } else {
        mu[0] = m->pair_friction[5 * p], mu[1] = m->pair_friction[5 * p + 1], rubs = m->pair_condim[p] > 1;
    }
    if (!rubs) mu[0] = mu[1] = 0;
}

/* |(xi_1/mu_1, xi_2/mu_2)| <= gamma, in units of xi along the larger; gamma >= 0   (W10, W34). */
static double judge_cone(const StepLaws *l, const tacContactForce *c) {
    double h = l->scene->options.dt, mu[2], square = 0;
    friction_of(l->scene->model, &c->contact, mu);
    double most = fmax(mu[0], mu[1]);
    for (int k = 0; k < 2; k++) {
        double xi = h * c->force[1 + k] * (mu[k] > 0 ? most / mu[k] : 1);
        square += xi * xi;
    }
    return worse(-h * c->force[0], sqrt(square) - most * h * c->force[0]);
}

/* Tangential impulse on geom[1], world axes: the tangents at q+ are along those where the features were found. */
static tacVec3 tangential(const StepLaws *l, const tacContactForce *c, tacVec3 n) {
    double h = l->scene->options.dt;
    tacVec3 along = c->contact.tangent[0], t = tac_madd3(along, -tac_dot3(along, n), n);
    t = tac_scale3(1 / tac_norm3(t), t);
    return tac_add3(tac_scale3(h * c->force[1], t), tac_scale3(h * c->force[2], tac_cross3(n, t)));
}

/* W10 solved for friction: xi_t = -(xi_0/eta_0) u, eta_0^2 - (kappa U/T xi_0) eta_0 - |u|^2 = 0. Off by what slip and
 * the product may be off by. Round cones. */
static double judge_friction(const StepLaws *l, const tacContactForce *c, const tacContact *next) {
    const tacModel *m = l->scene->model;
    double mu[2], xi = l->scene->options.dt * c->force[0];
    friction_of(m, &c->contact, mu);
    if (mu[0] != mu[1] || !(mu[0] * xi > 0)) return 0;
    tacVec3 place;
    if (!place_of(l, c, next, &place)) return 0;
    tacVec3 u = tac_sub3(material_velocity(l, m->geom_body[next->geom[1]], place),
                         material_velocity(l, m->geom_body[next->geom[0]], place));
    u = tac_madd3(u, -tac_dot3(u, next->normal), next->normal);
    xi *= mu[0];
    double product = l->unit / LAW_TIME, half = 0.5 * product / xi, eta = half + sqrt(half * half + tac_dot3(u, u));
    tacVec3 off = tac_madd3(tangential(l, c, next->normal), xi / eta, u);
    return tac_norm3(off) - (xi * LAW_SLIP + (LAW_CENTRING - 1) * product) / eta;
}

/* --- On bodies ---------------------------------------------------------------------------------------------------- */

/* An impulse whose place at q or whose point at q+ is not known has a torque that is not either: features that are lost
 * may be anywhere along edges and rims. */
static void add_adrift(StepLaws *l, int b, double size) { l->adrift[b] += size * FURTHEST; }

/* Adds the impulse of a contact to the sums of its bodies: of forces, torques about origins at q+; and what its place
 * has beside that: (c - x) x P is (p - x+) x P and this, ((c - x) - (p - x+)) x P. */
static void add_impulse(StepLaws *l, const tacContactForce *c, const tacContact *next) {
    tacVec3 P = tac_madd3(tangential(l, c, next->normal), l->scene->options.dt * c->force[0], next->normal), place;
    int known = place_of(l, c, next, &place);
    for (int side = 0; side < 2; side++) {
        int b = l->scene->model->geom_body[next->geom[side]];
        tacVec3 arm = tac_sub3(next->pos, l->origin[b]);
        tacVec3 off = tac_add3(tac_sub3(place, next->pos), way_of(l, b));
        double sign = side == 0 ? -1 : 1;
        l->sum[b].lin = tac_madd3(l->sum[b].lin, sign, P);
        l->sum[b].ang = tac_madd3(l->sum[b].ang, sign, tac_cross3(arm, P));
        if (known)
            l->carry[b] = tac_madd3(l->carry[b], sign, tac_cross3(off, P));
        else
            add_adrift(l, b, tac_norm3(P));
    }
}

/* An impulse whose place is not known: forces on its bodies may be off by it, and torques by anything. */
static void add_unknown(StepLaws *l, const tacContactForce *c) {
    const double *f = c->force;
    for (int side = 0; side < 2; side++) {
        int b = l->scene->model->geom_body[c->contact.geom[side]];
        double size = l->scene->options.dt * sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        l->unknown[b] += size;
        if (size > 0) add_adrift(l, b, size);
    }
}

/* Forces on bodies as they are told, against the sums. */
static double judge_wrenches(const StepLaws *l) {
    double worst = 0, h = l->scene->options.dt;
    for (int b = 1; b < l->scene->model->nbody; b++) {
        double off = tac_norm3(tac_madd3(l->sum[b].lin, -h, l->forces.wrench[b].lin));
        double turn = tac_norm3(tac_madd3(l->sum[b].ang, -h, l->forces.wrench[b].ang));
        worst = worse(worst, off - l->unknown[b]);
        if (l->unknown[b] <= LAW_IMPULSE) worst = worse(worst, turn - l->unknown[b]);
    }
    return worst;
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

static int find_touch(StepLaws *l, const double *x, const double *u, const double *y) {
    return tac_contacts(l->look, x, u, l->touch[0], LAW_CONTACTS, &l->ntouch[0]) == TAC_OK &&
           tac_contacts(l->look, y, u, l->touch[1], LAW_CONTACTS, &l->ntouch[1]) == TAC_OK;
}

void step_laws_contacts(StepLaws *l, const double *x, const double *u, const double *y, StepFaults *f) {
    if (!find_touch(l, x, u, y)) {
        f->overlap = HUGE_VAL;
        return;
    }
    step_laws_start(l, x, y);
    for (int b = 0; b < l->scene->model->nbody; b++)
        l->sum[b] = (tacVec6){{0, 0, 0}, {0, 0, 0}}, l->unknown[b] = 0, l->carry[b] = tac_zero3(), l->adrift[b] = 0;
    for (int i = 0; i < l->forces.n; i++) {
        const tacContactForce *c = &l->forces.contact[i];
        const tacContact *next = same_contact(l, 1, &c->contact);
        int large = l->scene->options.dt * c->force[0] > step_laws_push(l, LAW_LOOK); /* it has to be near */
        f->cone = worse(f->cone, judge_cone(l, c));
        f->placed += large && next != NULL, f->lost += large && next == NULL;
        if (next == NULL) {
            add_unknown(l, c);
            continue;
        }
        f->distance = worse(f->distance, judge_distance(l, c, next));
        f->friction = worse(f->friction, judge_friction(l, c, next));
        add_impulse(l, c, next);
    }
    f->wrench = judge_wrenches(l);
    f->overlap = judge_overlap(l);
}
