/* Two convex shapes of any type: GJK where their cores are apart, EPA where they overlap, then the features that they
 * found. */
#include "collide/convex.h"

#include "collide/epa.h"
#include "collide/manifold.h"
#include "collide/nearest.h"
#include "collide/pairs.h"
#include "collide/tolerance.h"

/* Relative gap of GJK for polyhedral cores. These usually end earlier, by a repeated corner. */
#define GAP_POLYHEDRAL 1e-14
/* Gaps of EPA relative to scale. Directions whose depths differ by less than the first gap count as one. */
static const double GAP_OVERLAP[] = {1e-7, 1e-12};
enum { OVERLAP_TRIALS = sizeof GAP_OVERLAP / sizeof *GAP_OVERLAP };
/* Relative gaps of GJK after which curved features are tried. The last is the best that GJK can reach. */
static const double GAP_CURVED[] = {1e-3, 1e-6, 1e-9, 1e-12};
enum { CURVED_TRIALS = sizeof GAP_CURVED / sizeof *GAP_CURVED };

static void guess_from_gjk(const tacCores *c, const tacGjk *k, double gap, tacGuess *g) {
    *g = (tacGuess){.n = tac_scale3(1 / k->upper, k->v), .lower = k->lower, .upper = k->upper, .ncorner = k->n};
    tac_gjk_points(k, g->x);
    for (int i = 0; i < k->n; i++) {
        g->id[0][i] = k->corner[i].id[0];
        g->id[1][i] = k->corner[i].id[1];
    }
    g->normal_error = tac_sqrt(2 * gap) + TAC_DISTANCE_ROUNDING * c->scale / k->upper;
}

static void guess_from_epa(const tacEpa *e, tacGuess *g) {
    *g = (tacGuess){.n = e->n, .lower = e->lower, .upper = e->upper, .normal_error = e->normal_error, .ncorner = 3};
    g->rough = e->status == TAC_EPA_FULL;
    for (int k = 0; k < 2; k++) {
        g->x[k] = tac_zero3();
        for (int i = 0; i < 3; i++) {
            g->x[k] = tac_madd3(g->x[k], e->weight[i], e->corner[i].x[k]);
            g->id[k][i] = e->corner[i].id[k];
        }
    }
}

/* Outcome of a search: beyond the reach, features found, or the guess itself. */
typedef enum { BEYOND, FOUND, ROUGH } Outcome;

/* Separated cores. Polyhedral features come from the exact simplex, curved ones as soon as they fit. */
static Outcome find_apart(tacCores *c, tacGjk *k, double reach, tacTouch *t) {
    int polyhedral = tac_core_is_polyhedral(c->shape[0]) && tac_core_is_polyhedral(c->shape[1]);
    tacGuess g;
    for (int i = 0; i < (polyhedral ? 1 : CURVED_TRIALS); i++) {
        tac_gjk(c, polyhedral ? GAP_POLYHEDRAL : GAP_CURVED[i], reach, k);
        if (k->status == TAC_GJK_BEYOND) return BEYOND;
        if (k->status == TAC_GJK_OVERLAP) return ROUGH;
        guess_from_gjk(c, k, polyhedral ? 0 : GAP_CURVED[i], &g);
        if (tac_nearest_features(c, &g, i + 1 == CURVED_TRIALS, t)) return FOUND;
    }
    return ROUGH;
}

/* Overlapping cores. *next bounds the signed distance along any other direction. Where it exceeds the distance found,
 * the search continues with a smaller gap. */
static Outcome find_overlapping(tacCores *c, const tacGjk *k, double *next, tacTouch *t) {
    int polyhedral = tac_core_is_polyhedral(c->shape[0]) && tac_core_is_polyhedral(c->shape[1]);
    tacEpa e;
    tacGuess g;
    double pads = tac_shape_pad(c->shape[0]) + tac_shape_pad(c->shape[1]);
    for (int i = 0; i < OVERLAP_TRIALS; i++) {
        tac_epa(c, k, polyhedral ? 0 : GAP_OVERLAP[i], &e);
        *next = e.next;
        guess_from_epa(&e, &g);
        if (!polyhedral) g.normal_error += tac_sqrt(2 * GAP_OVERLAP[i]);
        int found = tac_nearest_features(c, &g, 1, t), last = polyhedral || i + 1 == OVERLAP_TRIALS;
        if (found && e.status != TAC_EPA_DONE) return ROUGH;
        if (found && (last || e.next <= t->dist + pads)) return FOUND;
        if (polyhedral || e.status != TAC_EPA_DONE) break;
    }
    return ROUGH;
}

static void carry_to_world(const tacPose *A, tacTouch *t) {
    t->normal = tac_mulmv3(A->R, t->normal);
    for (int k = 0; k < 2; k++)
        t->point[k] = tac_pose_point(A, t->point[k]);
}

/* A mesh without a hull has nothing that could touch. */
static int is_empty(const tacShape *s) { return s->type == TAC_GEOM_MESH && s->hull.nvert == 0; }

int tac_convex_nearest(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                       tacPairCache *cache, tacTouch *out) {
    if (is_empty(a) || is_empty(b)) return 0;
    tacCores c = tac_cores(a, A, b, B);
    double pads = tac_shape_pad(a) + tac_shape_pad(b), next = 0;
    tacGjk k;
    tac_gjk_start(&c, cache, &k);
    if (!tac_finite(k.upper)) {
        *out = (tacTouch){.dist = k.upper - k.upper};
        return 1;
    }
    Outcome outcome = find_apart(&c, &k, reach + pads, out);
    if (k.status == TAC_GJK_OVERLAP && cache && cache->used > 0) {
        tac_gjk_start(&c, NULL, &k); /* what EPA finds about other directions depends on its start */
        outcome = find_apart(&c, &k, reach + pads, out);
    }
    int overlap = k.status == TAC_GJK_OVERLAP;
    if (cache) tac_gjk_store(&c, &k, cache);
    if (outcome == BEYOND) return 0;
    if (overlap) outcome = find_overlapping(&c, &k, &next, out);
    carry_to_world(A, out);
    out->margin = outcome == FOUND ? tac_max(0, tac_touch_margin(a, A, b, B, out)) : 0;
    if (overlap) out->margin = tac_clamp(0.5 * (out->dist + pads - next), 0, out->margin);
    return !(out->dist >= reach);
}

int tac_touch_convex_convex(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                            tacPairCache *cache, tacTouch *out) {
    tacTouch nearest;
    if (!tac_convex_nearest(a, A, b, B, reach, cache, &nearest)) return 0;
    if (!tac_finite(nearest.dist)) {
        *out = nearest;
        return 1;
    }
    return tac_manifold(a, A, b, B, reach, &nearest, out);
}
