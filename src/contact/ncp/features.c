/* Features of the problem: which are worth having, which a solution penetrates   (docs/theory/ncp.md, W15). */
#include "contact/ncp/features.h"

#include "contact/ncp/contact.h"
#include "contact/ncp/report.h"
#include "contact/ncp/tuning.h"
#include "math/scalar.h"

static int same_feature(const tacFeature *a, const tacFeature *b) {
    return a->kind == b->kind && a->id[0] == b->id[0] && a->id[1] == b->id[1];
}

static int same_pair(const tacContact *a, const tacContact *b) {
    return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] && a->pair == b->pair;
}

static int same_features(const tacContact *a, const tacContact *b) {
    return a->rule == b->rule && same_feature(&a->feature[0], &b->feature[0]) &&
           same_feature(&a->feature[1], &b->feature[1]) && same_feature(&a->clip, &b->clip);
}

/* The bound of the gap at q+, under the impulse of the iterate. */
static double bound_of(const tacNcpContact *c) { return tac_ncp_gap_bound(&c->law.bound, c->friction.gamma); }

/* The contact of the same two geoms whose bound is lowest, removed ones included. NULL: no bound is negative. */
static const tacNcpContact *deepest_at_start(const tacNcp *p, const tacContact *found) {
    const tacNcpContact *deepest = NULL;
    for (int i = 0; i < p->ncontact + p->nremoved; i++) {
        const tacNcpContact *c = &p->contact[i < p->ncontact ? i : p->room - 1 - (i - p->ncontact)];
        if (same_pair(&c->feature.found, found) && bound_of(c) < (deepest == NULL ? 0 : bound_of(deepest))) deepest = c;
    }
    return deepest;
}

static int has_circle(const tacContact *c) {
    const short circle = TAC_FEATURE_CIRCLE;
    return c->feature[0].kind == circle || c->feature[1].kind == circle || c->clip.kind == circle;
}

/* 1: a contact of the problem is the one that was found at the poses of the scene. A rim meets an edge or a rim in
 * several places, each of which is a contact. */
static int is_same(const tacNcp *p, const tacNcpContact *c, const tacContact *found) {
    if (!same_pair(&c->feature.found, found) || !same_features(&c->feature.found, found)) return 0;
    tacContact now = c->feature.found;
    if (!has_circle(found) || tac_ncp_rebuild(p->scene, c, &now) != TAC_OK) return 1;
    return tac_norm3(tac_sub3(now.pos, found->pos)) <= TAC_NCP_SAME_PLACE;
}

static int is_known(const tacNcp *p, const tacContact *found) {
    for (int i = 0; i < p->ncontact; i++)
        if (is_same(p, &p->contact[i], found)) return 1;
    return 0;
}

/* Gap after the motion v, to first order. */
static double gap_ahead(const tacNcp *p, const tacContact *c) {
    tacVec3 v[2];
    for (int side = 0; side < 2; side++) {
        int body = p->m->geom_body[c->geom[side]];
        v[side] = p->ldu.still[body] ? tac_zero3() : tac_point_velocity(p->w, body, c->pos);
    }
    return c->dist + p->h * tac_dot3(c->normal, tac_sub3(v[1], v[0]));
}

/* If the motion v leaves two geoms further apart than the slack covers in a step, only their nearest features are
 * taken. Other features (crossings of edges, corners of opposite faces) matter where faces are about to meet; from afar
 * they appear and vanish as the bodies turn. If they do meet, they are found after the search. Points of a rim are
 * always taken together, because one of them alone would tilt a cylinder that falls flat. */
int tac_ncp_is_relevant(const tacNcp *p, const tacContact *found) {
    return found->rule == TAC_RULE_NEAREST || found->rule == TAC_RULE_RIM || found->dist <= 0 ||
           gap_ahead(p, found) <= p->h * TAC_NCP_SLACK_SPEED;
}

int tac_ncp_is_rough(const tacNcp *p) {
    double size = TAC_NCP_TIME * tac_sqrt(p->gap_unit / (p->h * tac_ncp_mean_mass(p))), depth = 0; /* L of (W8) */
    for (int i = 0; i < p->ncontact; i++)
        depth = tac_max(depth, p->contact[i].law.bound.rest - gap_ahead(p, &p->contact[i].feature.found));
    return depth > TAC_NCP_ROUGH_DEPTH * size;
}

int tac_ncp_has_full_pair(const tacNcp *p) {
    int run = 0;
    for (int i = 0; i < p->ncontact && run < TAC_MAX_TOUCH; i++)
        run = i > 0 && same_pair(&p->contact[i - 1].feature.found, &p->contact[i].feature.found) ? run + 1 : 1;
    return run == TAC_MAX_TOUCH;
}

void tac_ncp_clear_lost(tacNcp *p) {
    for (int i = 0; i < p->ncontact; i++)
        p->contact[i].feature.lost = 0;
}

/* Appends a contact that stays, with its cones. */
static void keep_contact(tacNcp *p, const tacNcpContact *c) {
    int dim[TAC_FRICTION_CONES], from = c->cone;
    tacNcpContact *to = &p->contact[p->ncontact++];
    *to = *c;
    to->cone = p->ncone;
    to->adr = p->numbers;
    for (int i = 0, n = tac_friction_cones(&to->friction, dim); i < n; i++)
        tac_ncp_add_cone(p, dim[i], p->unit[from + i], p->ratio[from + i]);
}

/* Remembers a removed contact that overlaps at q. Contacts of its two geoms that are found later take its bound;
 * without it the geoms would separate at once, however deep they are. */
static void remember(tacNcp *p, const tacNcpContact *c, int in_use) {
    int at = p->room - 1 - p->nremoved;
    if (!(c->law.bound.gap < 0) || at < in_use) return;
    p->contact[at] = *c;
    p->contact[at].friction.gamma = 0;
    p->nremoved++;
}

int tac_ncp_remove_lost(tacNcp *p) {
    int n = p->ncontact;
    if (n == 0) return 0;
    tac_ncp_strip_pairs(p);
    p->ncontact = 0;
    p->ncone = p->contact[0].cone;
    p->numbers = p->contact[0].adr;
    for (int i = 0; i < n; i++) {
        if (p->contact[i].feature.lost)
            remember(p, &p->contact[i], n);
        else
            keep_contact(p, &p->contact[i]);
    }
    return n - p->ncontact;
}

static int is_found(const tacNcp *p, int nfound, const tacNcpContact *known) {
    for (int i = 0; i < nfound; i++)
        if (is_same(p, known, &p->found[i])) return 1;
    return 0;
}

/* 1: a contact stays whatever features a search leads to: it overlaps at q and has a bound of its own, or it has
 * restitution. */
static int stays(const tacNcpContact *c) { return c->now.start.dist <= 0 || c->law.bounce > 0; }

/* Adds a contact that was found at q+, with the bound of its pair of geoms. Returns 0 if the problem has it already. */
static int add_found(tacNcp *p, const tacContact *found) {
    const tacNcpContact *start = deepest_at_start(p, found);
    int known = p->ncontact;
    if (is_known(p, found)) return 0;
    if (start == NULL)
        tac_ncp_add_contact(p, found, found, &(tacNcpGapBound){0});
    else
        tac_ncp_add_contact(p, found, &start->now.start, &start->law.bound);
    if (p->ncontact > known) tac_ncp_find_place(p, &p->contact[known]);
    return p->ncontact - known;
}

/* Removes contacts whose features are not found, unless they stay anyway. Returns how many. */
static int drop_vanished(tacNcp *p, int nfound) {
    for (int i = 0; i < p->ncontact; i++)
        p->contact[i].feature.lost = !stays(&p->contact[i]) && !is_found(p, nfound, &p->contact[i]);
    return tac_ncp_remove_lost(p);
}

int tac_ncp_replace_features(tacNcp *p, int nfound) {
    int changed = drop_vanished(p, nfound);
    for (int i = 0; i < nfound; i++)
        changed += add_found(p, &p->found[i]);
    return changed;
}

/* By how much its gap at q+ is below the bound of its two geoms. */
static double depth_of(const tacNcp *p, const tacContact *found) {
    const tacNcpContact *start = deepest_at_start(p, found);
    return tac_may_part(p->m, found->geom) ? (start == NULL ? 0 : bound_of(start)) - found->dist : 0;
}

double tac_ncp_overlap(const tacNcp *p, int nfound, double tolerance) {
    double overlap = tolerance;
    for (int i = 0; i < nfound; i++)
        overlap = tac_max(overlap, depth_of(p, &p->found[i]));
    return overlap > tolerance ? overlap : 0;
}

int tac_ncp_add_overlapping(tacNcp *p, int nfound, double tolerance) {
    int known = p->ncontact;
    for (int i = 0; i < nfound; i++)
        if (depth_of(p, &p->found[i]) > tolerance) add_found(p, &p->found[i]);
    return p->ncontact - known;
}
