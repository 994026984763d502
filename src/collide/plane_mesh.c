/* Plane against the hull of a mesh: its corners nearer than `reach`.
 *
 * The lowest corner is found by climbing along edges; the corners below a height hang together by edges that stay below
 * it, so the others are found from it, corner by corner. Of more than TAC_MAX_TOUCH there remain the deepest and the
 * furthest in seven directions along the plane; the directions turn with the mesh, so that a mesh that slides and spins
 * on one face keeps its corners. Each corner is a touch by itself, as a box's. An infinite reach asks for the distance
 * alone: the lowest corner, whose margin then is that of its being the lowest. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

#include <math.h>

/* Hulls of at most so many corners are looked through from end to end; larger ones, up to TAC_FLOOD_HULL, by
 * neighbours, while at most TAC_FLOOD_CORNERS are within reach. */
#define TAC_SCAN_CORNERS  32
#define TAC_FLOOD_HULL    16384
#define TAC_FLOOD_CORNERS 512
/* Corners lower than the lowest found plus this times the hull's size are looked at too: rounding may have stopped the
 * climb on a face that lies flat. */
#define TAC_LEVEL 1e-12

#define TAC_DIRECTIONS (TAC_MAX_TOUCH - 1)
/* Cosine and sine of k 2 pi/7 */
static const double HEPTAGON[TAC_DIRECTIONS][2] = {{1, 0},
                                                   {0.62348980185873353053, 0.78183148246802980871},
                                                   {-0.22252093395631440429, 0.97492791218182360702},
                                                   {-0.90096886790241912624, 0.43388373911755812048},
                                                   {-0.90096886790241912624, -0.43388373911755812048},
                                                   {-0.22252093395631440429, -0.97492791218182360702},
                                                   {0.62348980185873353053, -0.78183148246802980871}};

/* The plane in the mesh's frame, and the corners kept so far. */
typedef struct cornerChoice {
    const tacShape *shape;
    tacVec3 n, t[2]; /* normal; along the plane */
    double height;   /* of the mesh's origin above the plane */
    double reach;
    int count, kept[TAC_MAX_TOUCH]; /* corners within reach; the first of them */
    int deepest, furthest[TAC_DIRECTIONS];
    double depth, extent[TAC_DIRECTIONS], second[TAC_DIRECTIONS]; /* second: of the corner that is furthest but one */
    double beyond;                                                /* height of the lowest corner out of reach */
} cornerChoice;

/* Tangents from the mesh's axis that is most along the plane. */
static void choose_tangents(cornerChoice *c) {
    double x = tac_abs(c->n.x), y = tac_abs(c->n.y), z = tac_abs(c->n.z);
    tacVec3 axis = x <= y && x <= z ? tac_vec3(1, 0, 0) : y <= z ? tac_vec3(0, 1, 0) : tac_vec3(0, 0, 1);
    tacVec3 t = tac_madd3(axis, -tac_dot3(axis, c->n), c->n);
    c->t[0] = tac_scale3(1 / tac_norm3(t), t);
    c->t[1] = tac_cross3(c->n, c->t[0]);
}

static double corner_height(const cornerChoice *c, int i) { return c->height + tac_dot3(c->n, c->shape->hull.vert[i]); }

/* Greater, or as great with a lower number: the answer does not depend on the order in which corners come. */
static int is_better(double value, int i, double best, int of) { return value > best || (value == best && i < of); }

/* Takes note of corner i if it is within reach. */
static void consider(cornerChoice *c, int i, double height) {
    if (!(height < c->reach)) {
        c->beyond = tac_min(c->beyond, height);
        return;
    }
    if (c->count < TAC_MAX_TOUCH) c->kept[c->count] = i;
    if (c->count == 0 || is_better(-height, i, -c->depth, c->deepest)) c->deepest = i, c->depth = height;
    double x = tac_dot3(c->t[0], c->shape->hull.vert[i]), y = tac_dot3(c->t[1], c->shape->hull.vert[i]);
    for (int k = 0; k < TAC_DIRECTIONS; k++) {
        double extent = HEPTAGON[k][0] * x + HEPTAGON[k][1] * y;
        if (c->count == 0 || is_better(extent, i, c->extent[k], c->furthest[k]))
            c->second[k] = c->count == 0 ? -HUGE_VAL : c->extent[k], c->furthest[k] = i, c->extent[k] = extent;
        else
            c->second[k] = tac_max(c->second[k], extent);
    }
    c->count++;
}

static void scan(cornerChoice *c) {
    c->count = 0, c->beyond = HUGE_VAL;
    for (int i = 0; i < c->shape->hull.nvert; i++)
        consider(c, i, corner_height(c, i));
}

/* Corners below `limit` that hang together with `start`; 0: too many of them. */
static int flood(cornerChoice *c, int start, double limit) {
    const tacHull *hull = &c->shape->hull;
    uint64_t seen[TAC_FLOOD_HULL / 64];
    int found[TAC_FLOOD_CORNERS], n = 1;
    for (int i = 0; i <= hull->nvert / 64; i++)
        seen[i] = 0;
    found[0] = start, seen[start / 64] |= (uint64_t)1 << start % 64;
    consider(c, start, corner_height(c, start));
    for (int k = 0; k < n; k++) {
        const int *next = hull->edge + hull->edge_adr[found[k]];
        for (int e = 0; e < hull->edge_num[found[k]]; e++) {
            int i = next[e];
            if (seen[i / 64] >> i % 64 & 1) continue;
            seen[i / 64] |= (uint64_t)1 << i % 64;
            double height = corner_height(c, i);
            if (!(height < limit)) {
                c->beyond = tac_min(c->beyond, height);
                continue;
            }
            if (n == TAC_FLOOD_CORNERS) return 0;
            found[n++] = i;
            consider(c, i, height);
        }
    }
    return 1;
}

/* The lowest corner alone. Another one takes over where a neighbour is as low; two heights part by two metres a metre. */
static double keep_lowest(cornerChoice *c) {
    const tacHull *hull = &c->shape->hull;
    double next = HUGE_VAL;
    for (int e = 0; e < hull->edge_num[c->deepest]; e++)
        next = tac_min(next, corner_height(c, hull->edge[hull->edge_adr[c->deepest] + e]));
    c->count = 1, c->kept[0] = c->deepest;
    return 0.5 * (next - c->depth);
}

static void choose_corners(cornerChoice *c, tacPairCache *cache) {
    const tacHull *hull = &c->shape->hull;
    if (hull->nvert <= TAC_SCAN_CORNERS || hull->nvert >= TAC_FLOOD_HULL) {
        scan(c);
        return;
    }
    int lowest = cache != 0 && cache->used ? cache->vertex[1][0] : -1;
    tacVec3 v = tac_shape_support(c->shape, tac_neg3(c->n), &lowest);
    if (cache != 0) cache->vertex[1][0] = lowest, cache->used = 1;
    double level = c->height + tac_dot3(c->n, v) + TAC_LEVEL * (tac_abs(v.x) + tac_abs(v.y) + tac_abs(v.z));
    double limit = c->reach < HUGE_VAL ? tac_max(c->reach, level) : level;
    if (!flood(c, lowest, limit)) scan(c);
}

/* Of more corners than there is room for: the deepest and the furthest, each once. */
static int reduced(const cornerChoice *c, int *keep) {
    int n = 1;
    keep[0] = c->deepest;
    for (int k = 0; k < TAC_DIRECTIONS; k++) {
        int again = 0;
        for (int j = 0; j < n; j++)
            again |= keep[j] == c->furthest[k];
        if (!again) keep[n++] = c->furthest[k];
    }
    return n;
}

/* Until others are chosen (m): where all corners within reach are kept, until one more comes than there is room for;
 * else until one comes, or two extents are equal. */
static double choice_margin(const cornerChoice *c) {
    if (c->count < TAC_MAX_TOUCH) return HUGE_VAL;
    double margin = c->beyond - c->reach;
    for (int k = 0; k < TAC_DIRECTIONS && c->count > TAC_MAX_TOUCH; k++)
        margin = tac_min(margin, 0.5 * (c->extent[k] - c->second[k]));
    return margin;
}

static void sort_ascending(int n, int *x) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            int swap = x[j];
            x[j] = x[j - 1], x[j - 1] = swap;
        }
}

int tac_touch_plane_mesh(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                         tacPairCache *cache, tacTouch *out) {
    (void)a;
    tacVec3 n = tac_pose_axis(A, 2);
    cornerChoice c = {.shape = b, .n = tac_mulmtv3(B->R, n), .reach = reach, .beyond = HUGE_VAL};
    c.height = tac_dot3(n, tac_sub3(B->p, A->p));
    if (b->hull.nvert < 1) return 0;
    choose_tangents(&c);
    choose_corners(&c, cache);
    double margin = reach < HUGE_VAL ? choice_margin(&c) : keep_lowest(&c);
    int keep[TAC_MAX_TOUCH], count = c.count;
    if (count > TAC_MAX_TOUCH)
        count = reduced(&c, keep);
    else
        for (int i = 0; i < count; i++)
            keep[i] = c.kept[i];
    sort_ascending(count, keep);
    for (int k = 0; k < count; k++) {
        tacVec3 x = tac_pose_point(B, b->hull.vert[keep[k]]);
        double d = corner_height(&c, keep[k]);
        tac_put_over_plane(&out[k], x, n, d, TAC_FEATURE_POINT, keep[k]);
        out[k].margin = margin;
    }
    return tac_deepest_first(count, out);
}
