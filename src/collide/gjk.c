/* Distance of separated cores: (G1)-(G9) of docs/theory/collision.md. */
#include "collide/gjk.h"

#include "collide/corners.h"

/* Cores nearer than this times the size of D overlap: v is rounding and has no direction. */
#define TOUCHING 1e-10
/* Maximum iterations of one call. Polyhedra end earlier by a repeated corner, curved shapes by the gap. */
enum { MOST_ITERATIONS = 1000 };
/* Supports with momentum after a cold start, and the share of the previous direction in each (G9). */
enum { MOMENTUM_STEPS = 2 };
static const double MOMENTUM_SHARE[MOMENTUM_STEPS] = {0.5, 0.6};

tacCores tac_cores(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B) {
    return (tacCores){.shape = {a, b},
                      .pose = {tac_mulmtv3(A->R, tac_sub3(B->p, A->p)), tac_mulmm3(tac_transpose3(A->R), B->R)}};
}

static double largest(tacVec3 a) { return tac_max(tac_abs(a.x), tac_max(tac_abs(a.y), tac_abs(a.z))); }

/* x0 is the support along v, x1 the support along -v. */
static inline void find_support(tacCores *c, tacVec3 v, int hint[2], tacSupport *s) {
    s->x[0] = tac_shape_support(c->shape[0], v, &hint[0]);
    s->x[1] = tac_pose_point(&c->pose, tac_shape_support(c->shape[1], tac_neg3(tac_mulmtv3(c->pose.R, v)), &hint[1]));
    s->id[0] = hint[0];
    s->id[1] = hint[1];
    s->w = tac_sub3(s->x[1], s->x[0]);
    c->scale = tac_max(c->scale, largest(s->w));
}

tacSupport tac_cores_support(tacCores *c, tacVec3 v, int hint[2]) {
    tacSupport s;
    find_support(c, v, hint, &s);
    return s;
}

/* --- Start -------------------------------------------------------------------------------------------------------- */

static int recall_corner(const tacCores *c, const tacPairCache *cache, int i, tacSupport *s) {
    for (int k = 0; k < 2; k++) {
        s->id[k] = cache->vertex[k][i];
        if (s->id[k] < 0 || s->id[k] >= tac_core_ncorner(c->shape[k])) return 0;
    }
    s->x[0] = tac_core_corner(c->shape[0], s->id[0]);
    s->x[1] = tac_pose_point(&c->pose, tac_core_corner(c->shape[1], s->id[1]));
    s->w = tac_sub3(s->x[1], s->x[0]);
    return 1;
}

void tac_gjk_start(tacCores *c, const tacPairCache *cache, tacGjk *g) {
    g->n = 0;
    g->iterations = 0;
    g->lower = -TAC_INFINITY;
    g->momentum_left = 0;
    int most = cache && tac_core_is_polyhedral(c->shape[0]) && tac_core_is_polyhedral(c->shape[1]) ? cache->used : 0;
    for (int i = 0; i < most && i < 3; i++) {
        if (!recall_corner(c, cache, i, &g->corner[g->n])) break;
        c->scale = tac_max(c->scale, largest(g->corner[g->n].w));
        g->n++;
    }
    if (g->n == 0) {
        tacVec3 v = c->pose.p;
        if (!(tac_dot3(v, v) > 0)) v = tac_vec3(0, 0, 1);
        g->corner[g->n++] = tac_cores_support(c, v, (int[2]){-1, -1});
        g->lower = tac_dot3(v, g->corner[0].w) / tac_norm3(v);
        g->momentum = v;
        g->momentum_left = MOMENTUM_STEPS;
    }
    g->n = tac_simplex_nearest(g->n, TAC_INFINITY, g->corner, g->weight, &g->v);
    if (g->n == 0) { /* the square of v is not finite, nor is upper */
        g->n = 1;
        g->weight[0] = 1;
        g->v = g->corner[0].w;
    }
    g->upper = tac_norm3(g->v);
}

void tac_gjk_store(const tacCores *c, const tacGjk *g, tacPairCache *cache) {
    cache->used = 0;
    if (g->status == TAC_GJK_OVERLAP || !tac_core_is_polyhedral(c->shape[0]) || !tac_core_is_polyhedral(c->shape[1]))
        return;
    for (int i = 0; i < g->n && i < 3; i++, cache->used++)
        for (int k = 0; k < 2; k++)
            cache->vertex[k][i] = g->corner[i].id[k];
}

/* --- Iterations --------------------------------------------------------------------------------------------------- */

/* Whether the new corner is one of the simplex. Then v . w_i = |v|^2, and the gap is zero. */
static int is_repeated(const tacGjk *g, tacVec3 w) {
    for (int i = 0; i < g->n; i++)
        if (g->corner[i].w.x == w.x && g->corner[i].w.y == w.y && g->corner[i].w.z == w.z) return 1;
    return 0;
}

/* a |a| */
static double signed_square(double a) { return a * tac_abs(a); }

/* (G9): the next direction is v. With momentum it is a mean of the previous direction, v and the last corner. */
static tacVec3 next_direction(tacGjk *g) {
    if (g->momentum_left == 0) return g->v;
    double kept = MOMENTUM_SHARE[MOMENTUM_STEPS - g->momentum_left], rest = 1 - kept;
    tacVec3 last = g->corner[g->n - 1].w;
    tacVec3 mean = tac_madd3(tac_scale3(kept, g->v), rest, last);
    g->momentum = tac_madd3(tac_scale3(kept, g->momentum), rest, mean);
    g->momentum_left--;
    return g->momentum;
}

/* (G7): a support w along n gives n . x >= n . w for every x of D. So the distance is at least n . w/|n|, and at most
 * |v|. The loop compares squares of lengths. */
static tacGjkStatus iterate(tacCores *c, double gap, double reach, double *lower, tacGjk *g) {
    int hint[2] = {g->corner[0].id[0], g->corner[0].id[1]};
    double beyond = signed_square(reach), touching = TOUCHING * TOUCHING;
    if (!tac_finite(g->upper)) return TAC_GJK_STOPPED;
    if (*lower > beyond) return TAC_GJK_BEYOND;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        double upper = tac_dot3(g->v, g->v);
        if (g->n == 4 || upper <= touching * c->scale * c->scale) return TAC_GJK_OVERLAP;
        int with_momentum = g->momentum_left > 0;
        tacVec3 n = next_direction(g);
        tacSupport *w = &g->corner[g->n];
        find_support(c, n, hint, w);
        g->iterations++;
        *lower = tac_max(*lower, signed_square(tac_dot3(n, w->w)) / tac_dot3(n, n));
        if (*lower > beyond) return TAC_GJK_BEYOND;
        if (upper - *lower <= gap * upper) return TAC_GJK_APART; /* holds for the squares, and so for the lengths */
        int came = is_repeated(g, w->w) ? 0 : tac_simplex_nearest(g->n + 1, upper, g->corner, g->weight, &g->v);
        if (came == 0 && !with_momentum) return TAC_GJK_APART; /* no progress: (G8), or rounding */
        if (came == 0) g->momentum_left = 0;
        if (came > 0) g->n = came;
    }
    return TAC_GJK_STOPPED;
}

void tac_gjk(tacCores *c, double gap, double reach, tacGjk *g) {
    double lower = signed_square(g->lower);
    g->status = iterate(c, gap, reach, &lower, g);
    g->upper = tac_norm3(g->v);
    g->lower = lower < 0 ? -tac_sqrt(-lower) : tac_sqrt(lower);
}

void tac_gjk_points(const tacGjk *g, tacVec3 x[2]) {
    for (int k = 0; k < 2; k++) {
        x[k] = tac_scale3(g->weight[0], g->corner[0].x[k]);
        for (int i = 1; i < g->n; i++)
            x[k] = tac_madd3(x[k], g->weight[i], g->corner[i].x[k]);
    }
}
