/* The first impact of the motion q (+) t v. The broad phase over the whole motion leaves pairs of geoms. Each is
 * searched separately, up to the earliest time found so far (docs/theory/collision.md, I1 to I5). */
#include "smooth/first_impact.h"

#include "dynamics/contact_move.h"
#include "dynamics/geom_motion.h"
#include "dynamics/kinematics.h"
#include "smooth/find_contacts.h"
#include "smooth/tangent.h"

#include <string.h>

/* --- One pair ----------------------------------------------------------------------------------------------------- */

typedef struct Hunt {
    tacContext *ctx;
    tacModelMotion motion;
    double gap;
    tacHeldPairs *held; /* NULL: pairs that begin within the gap meet when they come nearer than they began */
    double end;         /* end of the motion, as known so far */
    double time;        /* time of the earliest impact so far, or h */
    double unsure;      /* time that every search reached; h: all the way */
    int cut;            /* 1: a pair did not fit into the list */
    tacStatus status;
    tacImpact *out; /* the list: sorted, all within TAC_IMPACT_SAME of the earliest so far */
    tacImpactPair first;
} Hunt;

/* Searches two geoms that begin at the gap or nearer and do not approach. They may part, turn and come nearer. */
static tacStatus search_resting(const tacShape *a, const tacMotion *A, const tacShape *b, const tacMotion *B, double h,
                                tacShapeImpact *found) {
    double scale = tac_norm3(found->pose[0].p) + tac_norm3(found->pose[1].p);
    scale += a->type == TAC_GEOM_PLANE ? 0 : tac_shape_radius(a);
    scale += b->type == TAC_GEOM_PLANE ? 0 : tac_shape_radius(b);
    return tac_impact(a, A, b, B, h, found->touch.dist - TAC_IMPACT_REST * scale, found);
}

/* A level is well below a distance if it is at most this fraction of it. */
#define LEVEL_SHARE 0.9

/* The largest of gap/2, gap/4, ... that is well below a distance. If there is none, half the distance, which is met at
 * once where rounding resolves no more. 0: the geoms overlap. */
static double level_below(double gap, double dist) {
    double level = gap / 2;
    for (int k = 1; k < TAC_IMPACT_LEVELS && !(level < LEVEL_SHARE * dist); k++)
        level /= 2;
    return level < LEVEL_SHARE * dist ? level : tac_max(dist / 2, 0);
}

/* Transforms the touch from a body's frame to the world. */
static void place(tacShapeImpact *found, tacPose base) {
    tacTouch *t = &found->touch;
    t->normal = tac_mulmv3(base.R, t->normal);
    for (int i = 0; i < 2; i++)
        t->point[i] = tac_pose_point(&base, t->point[i]);
}

/* Upper bound of the speed of a shape's points. */
static double fastest(const tacShape *s, const tacMotionBound *b) {
    if (s->type == TAC_GEOM_PLANE) return b->spin > 0 ? TAC_INFINITY : b->speed;
    return b->speed + b->spin * tac_shape_radius(s);
}

/* Lower bound of the initial distance of two geoms: the distance of their bounding balls, or of one and a plane. */
static double balls_apart(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B) {
    tacVec3 between = tac_sub3(B->p, A->p);
    double radius = tac_shape_radius(b);
    if (a->type == TAC_GEOM_PLANE) return tac_dot3(between, tac_vec3(A->R.m[2], A->R.m[5], A->R.m[8])) - radius;
    return tac_norm3(between) - radius - tac_shape_radius(a);
}

/* *far = 1: the initial distance is too large to fall to the gap within h. 0: *dist is that distance. */
static tacStatus is_far(const Hunt *k, const int geom[2], const tacMotion motion[2], double h, double gap, int *far,
                        double *dist) {
    const tacScene *scene = &k->ctx->scene;
    const tacShape *a = &scene->shape[geom[0]], *b = &scene->shape[geom[1]];
    const tacPose *first = &scene->pose[geom[0]], *second = &scene->pose[geom[1]];
    double enough = gap + (1 + TAC_IMPACT_REST) * h * (fastest(a, &motion[0].bound) + fastest(b, &motion[1].bound));
    tacPairCache cache = {.used = 0};
    tacTouch touch;
    *far = b->type != TAC_GEOM_PLANE && balls_apart(a, first, b, second) > (1 + TAC_IMPACT_REST) * enough;
    if (*far) return TAC_OK;
    TAC_TRY(tac_distance_pair(a, first, b, second, &cache, &touch));
    *far = touch.dist > enough;
    *dist = touch.dist;
    return TAC_OK;
}

/* The distance at which a pair that begins `dist` apart meets. 0: it does not meet. */
static double level_of(const Hunt *k, double dist) {
    if (k->held == NULL || dist > k->held->near) return k->gap;
    double level = k->gap / 2;
    for (int i = 0; i < TAC_IMPACT_LEVELS; i++, level /= 2)
        k->held->margin = tac_min(k->held->margin, tac_abs(dist - level / LEVEL_SHARE));
    return level_below(k->gap, dist);
}

static tacStatus search(const Hunt *k, int g0, int g1, double h, tacShapeImpact *found) {
    const tacModel *m = k->motion.model;
    const tacShape *a = &k->ctx->scene.shape[g0], *b = &k->ctx->scene.shape[g1];
    int base = tac_common_body(m, m->geom_body[g0], m->geom_body[g1]), far;
    tacGeomMotion first = {&k->motion, g0, base}, second = {&k->motion, g1, base};
    tacMotion motion[2] = {tac_geom_motion(&first), tac_geom_motion(&second)};
    double dist = 0;
    TAC_TRY(is_far(k, (int[2]){g0, g1}, motion, h, k->gap, &far, &dist));
    if (far) return TAC_OK;
    double level = level_of(k, dist);
    if (k->held != NULL && !(level > 0)) return TAC_OK;
    TAC_TRY(tac_impact(a, &motion[0], b, &motion[1], h, level, found));
    if (k->held == NULL && found->kind == TAC_IMPACT_NEAR && !(found->rate < 0))
        TAC_TRY(search_resting(a, &motion[0], b, &motion[1], h, found));
    if (base > 0) place(found, tac_body_pose(&k->motion, base, found->time));
    return TAC_OK;
}

/* --- Pairs that are held ------------------------------------------------------------------------------------------ */

static int is_held(const tacHeldPairs *held, int g0, int g1) {
    for (int i = 0; held != NULL && i < held->n; i++) {
        const int *g = held->geom + 2 * i;
        if ((g[0] == g0 && g[1] == g1) || (g[0] == g1 && g[1] == g0)) return 1;
    }
    return 0;
}

/* m: a pair that begins with more overlap was given so, and may be pressed further. */
#define SOUND 1e-9

/* *apart = 1: a held pair is far enough apart at the end of the motion. */
static tacStatus ends_apart(const Hunt *k, int g0, int g1, int *apart) {
    const tacModel *m = k->motion.model;
    int base = tac_common_body(m, m->geom_body[g0], m->geom_body[g1]);
    tacGeomMotion first = {&k->motion, g0, base}, second = {&k->motion, g1, base};
    tacMotion A = tac_geom_motion(&first), B = tac_geom_motion(&second);
    tacPose pose[2];
    tacTouch touch;
    tacPairCache cache = {.used = 0};
    A.at(A.data, k->end, &pose[0], NULL);
    B.at(B.data, k->end, &pose[1], NULL);
    TAC_TRY(tac_distance_pair(&k->ctx->scene.shape[g0], &pose[0], &k->ctx->scene.shape[g1], &pose[1], &cache, &touch));
    k->held->margin = tac_min(k->held->margin, tac_abs(touch.dist - k->held->least));
    *apart = touch.dist >= k->held->least;
    if (!(touch.dist < 0)) return TAC_OK;
    double end = touch.dist;
    A.at(A.data, 0, &pose[0], NULL);
    B.at(B.data, 0, &pose[1], NULL);
    cache.used = 0;
    TAC_TRY(tac_distance_pair(&k->ctx->scene.shape[g0], &pose[0], &k->ctx->scene.shape[g1], &pose[1], &cache, &touch));
    if (touch.dist > -SOUND) k->held->sunk = tac_max(k->held->sunk, -end);
    return TAC_OK;
}

/* --- All pairs that meet at once ---------------------------------------------------------------------------------- */

static int comes_before(const tacImpactPair *a, const tacImpactPair *b) {
    if (a->time != b->time) return a->time < b->time;
    return a->geom[0] != b->geom[0] ? a->geom[0] < b->geom[0] : a->geom[1] < b->geom[1];
}

/* Keeps the list sorted. Pairs that fall off its end are only counted. */
static void insert(Hunt *k, tacImpactPair p) {
    tacImpact *out = k->out;
    int last = out->npair < out->max_pairs ? out->npair : out->max_pairs;
    out->npair++;
    for (int i = 0; i < last; i++)
        if (comes_before(&p, &out->pair[i])) {
            tacImpactPair later = out->pair[i];
            out->pair[i] = p;
            p = later;
        }
    if (last < out->max_pairs)
        out->pair[last] = p;
    else
        k->cut = 1;
}

/* Time up to which impacts of a pair matter. */
static double horizon(const Hunt *k) { return tac_min(k->time + TAC_IMPACT_SAME * k->motion.h, k->motion.h); }

/* Drops pairs from the list's end that meet too late after an earlier impact found since. */
static void forget_later(Hunt *k) {
    tacImpact *out = k->out;
    while (out->npair > 0 && out->npair <= out->max_pairs && out->pair[out->npair - 1].time > horizon(k))
        out->npair--;
}

/* Counts long searches. Too many of them end the hunt. */
static tacStatus count_steps(const Hunt *k, const tacShapeImpact *found) {
    if (k->held == NULL || found->steps <= TAC_IMPACT_STEADY) return TAC_OK;
    k->held->slow += found->steps - TAC_IMPACT_STEADY;
    return k->held->slow > TAC_IMPACT_SLOW_STEPS ? TAC_ERR_IMPACTS : TAC_OK;
}

static void search_pair(Hunt *k, int g0, int g1) {
    tacShapeImpact found = {.kind = TAC_IMPACT_NONE};
    k->status = search(k, g0, g1, horizon(k), &found);
    if (k->status == TAC_OK) k->status = count_steps(k, &found);
    if (k->status != TAC_OK || found.kind == TAC_IMPACT_NONE) return;
    if (found.kind == TAC_IMPACT_UNDECIDED) {
        k->unsure = tac_min(k->unsure, found.time);
        return;
    }
    k->time = tac_min(k->time, found.time);
    forget_later(k);
    tacImpactPair p = {.geom = {g0, g1},
                       .time = found.time,
                       .dist = found.touch.dist,
                       .rate = found.rate,
                       .point = {found.touch.point[0], found.touch.point[1]},
                       .normal = found.touch.normal};
    if (k->out->npair == 0 || comes_before(&p, &k->first)) k->first = p;
    if (found.kind == TAC_IMPACT_NEAR) k->out->kind = TAC_IMPACT_NEAR;
    insert(k, p);
}

static void visit_pair(void *user, int g0, int g1, int pair) {
    Hunt *k = user;
    (void)pair;
    if (k->status == TAC_OK && !is_held(k->held, g0, g1)) search_pair(k, g0, g1);
}

/* Searches the held pairs that are too near at the end of the motion. The other pairs have fixed this end. If a held
 * pair ends the motion earlier, the rest is checked again at the new end. */
static void visit_held(Hunt *k) {
    tacHeldPairs *held = k->held;
    for (int i = 0; i < held->n && k->status == TAC_OK; i++)
        if (held->searched[i]) search_pair(k, held->geom[2 * i], held->geom[2 * i + 1]);
    do {
        k->end = tac_min(k->time, k->unsure);
        for (int i = 0; i < held->n && k->status == TAC_OK; i++) {
            int apart = 0, g0 = held->geom[2 * i], g1 = held->geom[2 * i + 1];
            if (held->searched[i]) continue;
            k->status = ends_apart(k, g0, g1, &apart);
            if (k->status != TAC_OK || apart) continue;
            held->searched[i] = 1;
            search_pair(k, g0, g1);
        }
    } while (k->status == TAC_OK && tac_min(k->time, k->unsure) < k->end);
}

/* --- The scene ---------------------------------------------------------------------------------------------------- */

/* Searches every pair that may meet. Held pairs come last, after the others have fixed the end of the motion. */
static tacStatus each_pair(Hunt *k) {
    const tacContactReach reach = {.motion = &k->motion, .distance = 0.5 * tac_max(k->gap, 0)};
    k->status = TAC_OK;
    k->out->npair = k->cut = 0;
    TAC_TRY(tac_find_candidates(k->ctx, &reach, visit_pair, k));
    if (k->held != NULL) visit_held(k);
    return k->status;
}

static tacStatus prepare(Hunt *k) {
    const tacModel *m = k->ctx->model;
    tac_motion_bounds(&k->motion);
    for (int b = 0; b < m->nbody; b++) {
        const tacMotionBound *bound = &k->motion.bound[b];
        if (!tac_finite(k->motion.h * bound->speed) || !tac_finite(bound->accel)) return TAC_ERR_NONFINITE;
    }
    return TAC_OK;
}

/* row = d(d . (x1 - x0))/dq of the touching points, fixed to their bodies. Returns row v. */
static double rate_along(const Hunt *k, tacVec3 d, double *row) {
    const tacModel *m = k->ctx->model;
    double rate = 0;
    for (int i = 0; i < m->nv; i++)
        row[i] = 0;
    for (int i = 0; i < 2; i++)
        tac_add_point_row(m, &k->ctx->work, m->geom_body[k->first.geom[i]], k->first.point[i], d, tac_zero3(),
                          i == 0 ? -1 : 1, row);
    for (int i = 0; i < m->nv; i++)
        rate += row[i] * k->motion.v[i];
    return rate;
}

/* d(time) = -row (P dq + t Q dv)/(row v), with row = d(dist)/dq at the impact (I5). */
static tacStatus differentiate(Hunt *k, const double *mocap, tacImpact *out) {
    const tacModel *m = k->ctx->model;
    tacWork *w = &k->ctx->work;
    double *row = w->vec[0], *tv = w->vec[1], *qbar = w->vec[2], *vbar = w->vec[3], *q = w->next;
    tacVec3 t1, t2;
    for (int i = 0; i < m->nv; i++) {
        vbar[i] = 0;
        tv[i] = k->first.time * k->motion.v[i];
    }
    tac_qpos_add(m, k->motion.q, tv, q);
    tac_kinematics_q(m, w, q, mocap);
    tac_contact_frame(k->first.normal, &t1, &t2);
    double aside = rate_along(k, t1, row), along = rate_along(k, t2, row), rate = rate_along(k, k->first.normal, row);
    double speed = tac_norm3(tac_vec3(aside, along, rate));
    if (!(rate < -TAC_IMPACT_GRAZE * speed)) return TAC_ERR_DEGENERATE;
    tac_move_vjp(m, tv, k->first.time, row, qbar, vbar);
    for (int i = 0; i < m->nv; i++) {
        if (out->dtime_dq) out->dtime_dq[i] = -qbar[i] / rate;
        if (out->dtime_dv) out->dtime_dv[i] = -vbar[i] / rate;
    }
    return TAC_OK;
}

/* Writes the impacts to a copy of the caller's struct. A list that was too short is made again at the known time, so
 * that it counts the pairs that meet then. */
static tacStatus hunt(Hunt *k, tacImpact *found) {
    found->kind = TAC_IMPACT_NONE;
    found->time = k->motion.h;
    k->out = found;
    TAC_TRY(prepare(k));
    TAC_TRY(each_pair(k));
    if (k->cut) TAC_TRY(each_pair(k));
    if (k->unsure < k->time) {
        found->kind = TAC_IMPACT_UNDECIDED;
        found->time = k->unsure;
        found->npair = 0;
    }
    if (found->npair == 0) return TAC_OK;
    if (found->kind == TAC_IMPACT_NONE) found->kind = TAC_IMPACT_HIT;
    found->time = k->first.time;
    return TAC_OK;
}

/* --- Searches ----------------------------------------------------------------------------------------------------- */

static int layout(const tacModel *m, tacArena *arena, Hunt *k) {
    k->motion.bound = TAC_TAKE(arena, m->nbody, tacMotionBound);
    return k->motion.bound != NULL;
}

void tac_first_impact_measure(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    Hunt k;
    layout(m, dry, &k);
    tac_measure_find_contacts(m, dry);
}

tacStatus tac_find_first_impact(tacContext *ctx, const double *q, const double *v, const double *u, double h,
                                tacImpact *out) {
    const tacModel *m = ctx->model;
    const double *mocap = tac_inputs_of(&ctx->inputs, u).mocap;
    tac_kinematics_q(m, &ctx->work, q, mocap);
    TAC_TRY(tac_place_geoms(m, &ctx->work, &ctx->scene));
    TAC_SCOPE(&ctx->arena);
    Hunt k = {.ctx = ctx, .motion = {m, &ctx->work, q, v, h, NULL}, .gap = out->gap, .time = h, .unsure = h};
    tacImpact found = *out;
    if (!layout(m, &ctx->arena, &k)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(hunt(&k, &found));
    int moves = found.kind == TAC_IMPACT_HIT;
    if (moves && (out->dtime_dq || out->dtime_dv)) TAC_TRY(differentiate(&k, mocap, out));
    for (int i = 0; i < m->nv && !moves; i++) {
        if (out->dtime_dq) out->dtime_dq[i] = 0;
        if (out->dtime_dv) out->dtime_dv[i] = 0;
    }
    *out = found;
    return TAC_OK;
}

tacStatus tac_next_impact(tacContext *ctx, const double *q, const double *v, const double *mocap, double h,
                          tacHeldPairs *held, tacImpact *out) {
    const tacModel *m = ctx->model;
    tac_kinematics_q(m, &ctx->work, q, mocap);
    TAC_TRY(tac_place_geoms(m, &ctx->work, &ctx->scene));
    TAC_SCOPE(&ctx->arena);
    Hunt k = {.ctx = ctx, .motion = {m, &ctx->work, q, v, h, NULL}, .gap = out->gap, .held = held};
    k.time = k.unsure = h;
    held->margin = TAC_INFINITY;
    memset(held->searched, 0, (size_t)held->n);
    return layout(m, &ctx->arena, &k) ? hunt(&k, out) : TAC_ERR_ARENA_FULL;
}
