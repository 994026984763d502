/* The constraints that act at a state (docs/theory/adaptive.md, AD9): those below their margins, and those at their
 * margins to rounding that do not leave them. */
#include "contact/soft/adaptive.h"

#include "contact/ball_limit.h"
#include "contact/coordinate.h"
#include "dynamics/kinematics.h"
#include "math/scalar.h"

#include <string.h>

/* --- One gap ------------------------------------------------------------------------------------------------------ */

void tac_watch_place(tacAdaptive *a, const double *x) {
    tacContext *ctx = a->ctx;
    tacInputs in = tac_inputs_of(&ctx->inputs, a->u);
    tac_kinematics_q(ctx->model, &ctx->work, x, in.mocap);
    tac_kinematics_v(ctx->model, &ctx->work, x + ctx->model->nq);
}

static double approach(const tacWork *w, const tacModel *m, const tacContact *c) {
    tacVec3 v[2];
    for (int side = 0; side < 2; side++)
        v[side] = tac_point_velocity(w, m->geom_body[c->geom[side]], c->point[side]);
    return tac_dot3(c->normal, tac_sub3(v[1], v[0]));
}

/* The gap's rate by the derivative of its features; where it has none, by its points. */
static double contact_rate(const tacContext *ctx, const tacContact *c) {
    tacContactSystem s;
    const tacModel *m = ctx->model;
    if (tac_contact_prepare_sides(m, &ctx->scene, c, TAC_SIDE_0 | TAC_SIDE_1, &s) != TAC_OK)
        return approach(&ctx->work, m, c);
    double rate = 0;
    for (int side = 0; side < 2; side++) {
        int body = m->geom_body[c->geom[side]];
        rate += tac_contact_twist(&s, side, ctx->work.V[body], ctx->work.origin[body]).dist;
    }
    return rate;
}

tacStatus tac_watch_contact(tacAdaptive *a, const tacContact *c, double *gap, double *rate) {
    tacContext *ctx = a->ctx;
    tacContact here = *c;
    for (int side = 0; side < 2; side++)
        TAC_TRY(tac_place_geom(ctx->model, &ctx->work, c->geom[side], &ctx->scene));
    TAC_TRY(tac_scene_rebuild(&ctx->scene, &here));
    *gap = here.dist - here.include;
    *rate = contact_rate(ctx, &here);
    return TAC_OK;
}

int tac_watch_has_limit(const tacModel *m, tacWatch limit) {
    int id = limit.id / 2, side = limit.id % 2;
    if (*m->option_disable & (TAC_DISABLE_LIMIT | TAC_DISABLE_CONSTRAINT)) return 0;
    if (limit.kind == TAC_WATCH_TENDON) return m->tendon_limited[id];
    return m->joint_limited[id] && m->joint_type[id] != TAC_JOINT_FREE &&
           (m->joint_type[id] != TAC_JOINT_BALL || side == 1);
}

void tac_watch_limit(tacAdaptive *a, const double *x, tacWatch limit, double *gap, double *rate) {
    const tacModel *m = a->ctx->model;
    const double *v = x + m->nq;
    int id = limit.id / 2, joint = limit.kind == TAC_WATCH_JOINT;
    double margin = joint ? m->joint_margin[id] : m->tendon_margin[id];
    if (joint && m->joint_type[id] == TAC_JOINT_BALL) {
        tacVec3 axis;
        const double *range = m->joint_range + 2 * id;
        double angle = tac_ball_angle(m, id, x, &axis);
        *gap = tac_max(range[0], range[1]) - angle - margin;
        *rate = -tac_dot3(axis, tac_load3(v + m->joint_dof_adr[id]));
        return;
    }
    tacRow like = {.kind = joint ? TAC_ROW_JOINT_LIMIT : TAC_ROW_TENDON_LIMIT, .id = id, .axis = limit.id % 2};
    tacCombination c = tac_row_combination(m, &like, x);
    *gap = c.pos - margin;
    *rate = c.scale[0] * tac_coordinate_rate(m, c.c[0], v);
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

int tac_watch_is_same(const tacContact *a, const tacContact *b) {
    const double near = 1e-9; /* rad */
    return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] && a->pair == b->pair && a->rule == b->rule &&
           memcmp(a->feature, b->feature, sizeof a->feature) == 0 &&
           (a->rule == TAC_RULE_NEAREST || a->rule == TAC_RULE_RIM ||
            memcmp(&a->clip, &b->clip, sizeof a->clip) == 0) &&
           (a->rule != TAC_RULE_RIM || tac_abs(a->angle - b->angle) < near);
}

static int is_moved(const tacModel *m, const tacContact *c) {
    return m->body_last_dof[m->geom_body[c->geom[0]]] >= 0 || m->body_last_dof[m->geom_body[c->geom[1]]] >= 0;
}

tacStatus tac_watch_find(tacAdaptive *a, const tacContactReach *reach, int *n) {
    tacContext *ctx = a->ctx;
    tacSoftPart *p = a->part;
    const tacContactReach rounding = {.distance = TAC_GAP_ROUNDING};
    int found = 0, max = ctx->options.max_contacts;
    *n = 0;
    if (*ctx->model->option_disable & TAC_DISABLE_CONSTRAINT) return TAC_OK;
    TAC_TRY(tac_find_contacts(ctx, &ctx->work, reach == NULL ? &rounding : reach, p->found, max, &found));
    for (int i = 0; i < found; i++)
        if (is_moved(ctx->model, &p->found[i])) p->found[(*n)++] = p->found[i];
    return TAC_OK;
}

/* --- The set ------------------------------------------------------------------------------------------------------ */

/* Whether a gap acts. One that falls at its margin is an onset: it acts if it has begun. */
static int acts(tacSoftPart *p, double gap, double rate, int begun, tacWatch watch) {
    if (gap > TAC_GAP_ROUNDING) return 0;
    if (gap < -TAC_GAP_ROUNDING) return 1;
    if (rate > TAC_GAP_REST) return 0;
    if (rate >= -TAC_GAP_REST) return 1;
    p->onset[p->nonset++] = watch;
    return begun < 0 || p->nonset <= begun;
}

static tacStatus open_contacts(tacAdaptive *a, const double *x, int begun) {
    tacSoftPart *p = a->part;
    int found;
    tac_watch_place(a, x);
    TAC_TRY(tac_watch_find(a, NULL, &found));
    p->nlist = 0;
    for (int i = 0; i < found; i++) {
        const tacContact *c = &p->found[i];
        double gap = c->dist - c->include;
        double rate = tac_abs(gap) <= TAC_GAP_ROUNDING ? contact_rate(a->ctx, c) : 0;
        if (acts(p, gap, rate, begun, (tacWatch){TAC_WATCH_NEAR, i})) p->list[p->nlist++] = *c;
    }
    p->acting.ncontact = p->nlist;
    return TAC_OK;
}

static void open_limits(tacAdaptive *a, const double *x, int begun, tacWatchKind kind, int n, unsigned char *on) {
    for (int i = 0; i < n; i++) {
        tacWatch limit = {kind, i};
        double gap, rate;
        on[i] = 0;
        if (!tac_watch_has_limit(a->ctx->model, limit)) continue;
        tac_watch_limit(a, x, limit, &gap, &rate);
        on[i] = (unsigned char)acts(a->part, gap, rate, begun, limit);
    }
}

static int is_changed(const tacSoftPart *p, const tacModel *m) {
    if (p->nlist != p->nwas || memcmp(p->joint, p->was_joint, 2 * (size_t)m->njnt) != 0) return 1;
    if (memcmp(p->tendon, p->was_tendon, 2 * (size_t)m->ntendon) != 0) return 1;
    for (int i = 0; i < p->nlist; i++)
        if (!tac_watch_is_same(&p->list[i], &p->was[i])) return 1;
    return 0;
}

tacStatus tac_soft_open(void *user, const double *x, int begun, int *onsets, int *changed) {
    tacAdaptive *a = user;
    tacSoftPart *p = a->part;
    const tacModel *m = a->ctx->model;
    *onsets = *changed = 0;
    if (a->options.event_max < 0) return TAC_OK;
    memcpy(p->was, p->list, (size_t)p->nlist * sizeof *p->list);
    memcpy(p->was_joint, p->joint, 2 * (size_t)m->njnt);
    memcpy(p->was_tendon, p->tendon, 2 * (size_t)m->ntendon);
    p->nwas = p->nlist;
    p->nonset = 0;
    TAC_TRY(open_contacts(a, x, begun));
    open_limits(a, x, begun, TAC_WATCH_JOINT, 2 * m->njnt, p->joint);
    open_limits(a, x, begun, TAC_WATCH_TENDON, 2 * m->ntendon, p->tendon);
    *changed = is_changed(p, m);
    TAC_TRY(tac_held_open(a, x, p->nonset, begun, changed));
    *onsets = p->nonset + a->nonset;
    if (!*changed) return TAC_OK;
    for (int i = 0; i < p->nlist; i++)
        a->ctx->info.active_set = tac_contact_hash(&p->list[i], a->ctx->info.active_set);
    return TAC_OK;
}
