/* Any two convex shapes: GJK where their cores are apart, EPA where they overlap, then the features they found. */
#include "collide/convex.h"

#include "collide/epa.h"
#include "collide/manifold.h"
#include "collide/nearest.h"
#include "collide/pairs.h"

/* Gap of GJK for straight cores, which end by repetition of a corner first. */
#define GAP_STRAIGHT 1e-14
/* Rounding of v relative to scale, from which its direction follows. */
#define ROUNDING 1e-14
/* Gaps of EPA relative to scale: two directions whose depths differ by less than the first are taken for one. */
static const double GAP_OVERLAP[] = {1e-7, 1e-12};
enum { OVERLAP_TRIALS = sizeof GAP_OVERLAP / sizeof *GAP_OVERLAP };
/* Gaps after which curved features are tried; the last is what GJK can do by itself. */
static const double GAP_CURVED[] = {1e-3, 1e-6, 1e-9, 1e-12};
enum { CURVED_TRIALS = sizeof GAP_CURVED / sizeof *GAP_CURVED };

static void guess_apart(const tacCores *c, const tacGjk *k, double gap, tacGuess *g) {
    *g = (tacGuess){.n = tac_scale3(1 / k->upper, k->v), .lower = k->lower, .upper = k->upper, .ncorner = k->n};
    tac_gjk_points(k, g->x);
    for (int i = 0; i < k->n; i++)
        g->id[0][i] = k->corner[i].id[0], g->id[1][i] = k->corner[i].id[1];
    g->turn = tac_sqrt(2 * gap) + ROUNDING * c->scale / k->upper;
}

static void guess_overlapping(const tacEpa *e, tacGuess *g) {
    *g = (tacGuess){.n = e->n, .lower = e->lower, .upper = e->upper, .turn = e->turn, .ncorner = 3};
    g->rough = e->status == TAC_EPA_FULL;
    for (int k = 0; k < 2; k++) {
        g->x[k] = tac_zero3();
        for (int i = 0; i < 3; i++) {
            g->x[k] = tac_madd3(g->x[k], e->weight[i], e->corner[i].x[k]);
            g->id[k][i] = e->corner[i].id[k];
        }
    }
}

/* How the search ended. */
typedef enum { BEYOND, FOUND, ROUGH } Ending;

/* Apart: the features of straight cores from the exact simplex; of curved ones as soon as they fit. */
static Ending find_apart(tacCores *c, tacGjk *k, double reach, tacTouch *t) {
    int straight = tac_core_is_straight(c->shape[0]) && tac_core_is_straight(c->shape[1]);
    tacGuess g;
    for (int i = 0; i < (straight ? 1 : CURVED_TRIALS); i++) {
        tac_gjk(c, straight ? GAP_STRAIGHT : GAP_CURVED[i], reach, k);
        if (k->status == TAC_GJK_BEYOND) return BEYOND;
        if (k->status == TAC_GJK_OVERLAP) return ROUGH;
        guess_apart(c, k, straight ? 0 : GAP_CURVED[i], &g);
        if (tac_nearest_features(c, &g, i + 1 == CURVED_TRIALS, t)) return FOUND;
    }
    return ROUGH;
}

/* Overlapping: *next is the signed distance that another direction may have. Where that is more than what was found,
 * the search goes on. */
static Ending find_overlapping(tacCores *c, const tacGjk *k, double *next, tacTouch *t) {
    int straight = tac_core_is_straight(c->shape[0]) && tac_core_is_straight(c->shape[1]);
    tacEpa e;
    tacGuess g;
    double pads = tac_shape_pad(c->shape[0]) + tac_shape_pad(c->shape[1]);
    for (int i = 0; i < OVERLAP_TRIALS; i++) {
        tac_epa(c, k, straight ? 0 : GAP_OVERLAP[i], &e);
        *next = e.next;
        guess_overlapping(&e, &g);
        if (!straight) g.turn += tac_sqrt(2 * GAP_OVERLAP[i]);
        int found = tac_nearest_features(c, &g, 1, t), last = straight || i + 1 == OVERLAP_TRIALS;
        if (found && e.status != TAC_EPA_DONE) return ROUGH;
        if (found && (last || e.next <= t->dist + pads)) return FOUND;
        if (straight || e.status != TAC_EPA_DONE) break;
    }
    return ROUGH;
}

static void carry_to_world(const tacPose *A, tacTouch *t) {
    t->normal = tac_mulmv3(A->R, t->normal);
    for (int k = 0; k < 2; k++)
        t->point[k] = tac_pose_point(A, t->point[k]);
}

/* A mesh without a hull: nothing that could touch. */
static int is_nothing(const tacShape *s) { return s->type == TAC_MESH && s->hull.nvert == 0; }

int tac_convex_nearest(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                       tacPairCache *cache, tacTouch *out) {
    if (is_nothing(a) || is_nothing(b)) return 0;
    tacCores c = tac_cores(a, A, b, B);
    double pads = tac_shape_pad(a) + tac_shape_pad(b), next = 0;
    tacGjk k;
    tac_gjk_start(&c, cache, &k);
    if (!tac_finite(k.upper)) {
        *out = (tacTouch){.dist = k.upper - k.upper};
        return 1;
    }
    Ending ending = find_apart(&c, &k, reach + pads, out);
    if (k.status == TAC_GJK_OVERLAP && cache && cache->used > 0) {
        tac_gjk_start(&c, NULL, &k); /* what EPA says of other directions depends on where it starts */
        ending = find_apart(&c, &k, reach + pads, out);
    }
    int overlap = k.status == TAC_GJK_OVERLAP;
    if (cache) tac_gjk_keep(&c, &k, cache);
    if (ending == BEYOND) return 0;
    if (overlap) ending = find_overlapping(&c, &k, &next, out);
    carry_to_world(A, out);
    out->margin = ending == FOUND ? tac_max(0, tac_touch_margin(a, A, b, B, out)) : 0;
    if (overlap) out->margin = tac_clamp(0.5 * (out->dist + pads - next), 0, out->margin);
    return !(out->dist >= reach);
}

int tac_touch_convex_convex(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                            tacPairCache *cache, tacTouch *out) {
    tacTouch nearest;
    if (!tac_convex_nearest(a, A, b, B, reach, cache, &nearest)) return 0;
    if (!tac_finite(nearest.dist)) return *out = nearest, 1;
    return tac_manifold(a, A, b, B, reach, &nearest, out);
}
