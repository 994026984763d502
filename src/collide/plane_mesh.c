/* Plane against the hull of a mesh: its corners nearer than `reach`.
 *
 * The lowest corner is found by climbing along edges; the corners below a height hang together by edges that stay below
 * it, so the others are found from it, corner by corner. Of more than TAC_MAX_TOUCH there remain the deepest, the
 * furthest in seven directions along the plane, and where these are fewer those that spread widest; the directions turn
 * with the mesh, so that a mesh that slides and spins on one face keeps its corners. Each corner is a touch by itself,
 * as a box's. An infinite reach asks for the distance alone: the lowest corner, whose margin then is that of its being
 * the lowest. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

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

/* The plane in the mesh's frame, and the corners to choose from. */
typedef struct cornerSearch {
    const tacHull *hull;
    tacVec3 n;
    double height; /* of the mesh's origin above the plane */
    double reach;
    int count;                   /* of corners below the reach or the lowest corner's level */
    int list[TAC_FLOOD_CORNERS]; /* them, unless `all` */
    double beyond;               /* height of the lowest corner seen above that */
    int all;                     /* 1: too many to list: the hull's corners are to be gone through */
} cornerSearch;

static double corner_height(const cornerSearch *c, int i) { return c->height + tac_dot3(c->n, c->hull->vert[i]); }
static int candidates(const cornerSearch *c) { return c->all ? c->hull->nvert : c->count; }
static int candidate(const cornerSearch *c, int k) { return c->all ? k : c->list[k]; }

/* Greater, or as great with a lower number: the answer does not depend on the order in which corners come. */
static int is_better(double value, int i, double best, int of) { return value > best || (value == best && i < of); }

/* --- Candidates --------------------------------------------------------------------------------------------------- */

/* Corners below `limit` that hang together with `start`; too many of them: all corners. */
static void flood(cornerSearch *c, int start, double limit) {
    const tacHull *hull = c->hull;
    uint64_t seen[TAC_FLOOD_HULL / 64];
    for (int i = 0; i <= hull->nvert / 64; i++)
        seen[i] = 0;
    c->list[0] = start, c->count = 1, seen[start / 64] |= (uint64_t)1 << start % 64;
    for (int k = 0; k < c->count; k++) {
        const int *next = hull->edge + hull->edge_adr[c->list[k]];
        for (int e = 0; e < hull->edge_num[c->list[k]]; e++) {
            int i = next[e];
            uint64_t bit = (uint64_t)1 << i % 64;
            if (seen[i / 64] & bit) continue;
            seen[i / 64] |= bit;
            double height = corner_height(c, i);
            if (!(height < limit)) {
                c->beyond = tac_min(c->beyond, height);
                continue;
            }
            c->all = c->count == TAC_FLOOD_CORNERS;
            if (c->all) return;
            c->list[c->count++] = i;
        }
    }
}

static void scan(cornerSearch *c) {
    for (int i = 0; i < c->hull->nvert; i++) {
        double height = corner_height(c, i);
        if (height < c->reach)
            c->list[c->count++] = i;
        else
            c->beyond = tac_min(c->beyond, height);
    }
}

/* From the corner that climbing finds; `vertex`: where it starts, and what it found. */
static void search_neighbours(const tacShape *b, cornerSearch *c, int *vertex) {
    tacVec3 v = tac_shape_support(b, tac_neg3(c->n), vertex);
    double lowest = c->height + tac_dot3(c->n, v), level = TAC_LEVEL * (tac_abs(v.x) + tac_abs(v.y) + tac_abs(v.z));
    if (lowest - level >= c->reach) return;
    flood(c, *vertex, c->reach < TAC_INFINITY ? tac_max(c->reach, lowest + level) : lowest + level);
}

static void search(const tacShape *b, cornerSearch *c, tacPairCache *cache) {
    c->count = 0, c->all = b->hull.nvert >= TAC_FLOOD_HULL, c->beyond = TAC_INFINITY;
    if (b->hull.nvert <= TAC_SCAN_CORNERS) {
        scan(c);
        return;
    }
    if (c->all) return;
    int vertex = cache != 0 && cache->used ? cache->vertex[1][0] : -1;
    search_neighbours(b, c, &vertex);
    if (cache != 0) cache->vertex[1][0] = vertex, cache->used = 1;
}

/* --- Which of them remain ----------------------------------------------------------------------------------------- */

/* The lowest candidate, if it is within reach -> its number, or -1. */
static int lowest_corner(const cornerSearch *c) {
    int best = -1;
    double least = c->reach;
    for (int k = 0; k < candidates(c); k++) {
        int i = candidate(c, k);
        double height = corner_height(c, i);
        if (height < least || (height == least && best >= 0 && i < best)) best = i, least = height;
    }
    return best;
}

/* Unit vector along the plane from the mesh's axis that is most along it. */
static tacVec3 tangent(tacVec3 n) {
    double x = tac_abs(n.x), y = tac_abs(n.y), z = tac_abs(n.z);
    tacVec3 axis = x <= y && x <= z ? tac_vec3(1, 0, 0) : y <= z ? tac_vec3(0, 1, 0) : tac_vec3(0, 0, 1);
    tacVec3 t = tac_madd3(axis, -tac_dot3(axis, n), n);
    return tac_scale3(1 / tac_norm3(t), t);
}

/* Candidates within reach furthest in the seven directions -> half the least lead of one over the next. */
static double find_furthest(const cornerSearch *c, int furthest[TAC_DIRECTIONS]) {
    tacVec3 t0 = tangent(c->n), t1 = tac_cross3(c->n, t0);
    double extent[TAC_DIRECTIONS], second[TAC_DIRECTIONS], lead = TAC_INFINITY;
    for (int j = 0; j < TAC_DIRECTIONS; j++)
        furthest[j] = -1, extent[j] = second[j] = -TAC_INFINITY;
    for (int k = 0; k < candidates(c); k++) {
        int i = candidate(c, k);
        if (!(corner_height(c, i) < c->reach)) continue;
        double x = tac_dot3(t0, c->hull->vert[i]), y = tac_dot3(t1, c->hull->vert[i]);
        for (int j = 0; j < TAC_DIRECTIONS; j++) {
            double along = HEPTAGON[j][0] * x + HEPTAGON[j][1] * y;
            if (is_better(along, i, extent[j], furthest[j]))
                second[j] = extent[j], furthest[j] = i, extent[j] = along;
            else
                second[j] = tac_max(second[j], along);
        }
    }
    for (int j = 0; j < TAC_DIRECTIONS; j++)
        lead = tac_min(lead, 0.5 * (extent[j] - second[j]));
    return lead;
}

static void sort_ascending(int n, int *x) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            int swap = x[j];
            x[j] = x[j - 1], x[j - 1] = swap;
        }
}

static int add_once(int n, int *keep, int i) {
    for (int k = 0; k < n; k++)
        if (keep[k] == i) return n;
    keep[n] = i;
    return n + 1;
}

/* Places that the furthest corners leave go to those farthest from all that have one; how far is the mesh's own affair,
 * whatever its pose. */
static int fill_places(const cornerSearch *c, int n, int keep[TAC_MAX_TOUCH]) {
    while (n < TAC_MAX_TOUCH) {
        int best = -1;
        double most = 0;
        for (int k = 0; k < candidates(c); k++) {
            int i = candidate(c, k);
            double near = TAC_INFINITY;
            for (int j = 0; j < n; j++) {
                tacVec3 d = tac_sub3(c->hull->vert[i], c->hull->vert[keep[j]]);
                near = tac_min(near, tac_dot3(d, d));
            }
            if (corner_height(c, i) < c->reach && near > 0 && is_better(near, i, most, best)) best = i, most = near;
        }
        if (best < 0) return n;
        keep[n++] = best;
    }
    return n;
}

/* The furthest, others that spread, and in place of the last the lowest if it is not among them: which it is may hang
 * on rounding, and the others not on it. -> until others are chosen (m) */
static double choose_spread(const cornerSearch *c, int lowest, int keep[TAC_MAX_TOUCH], int *count) {
    int n = 0, furthest[TAC_DIRECTIONS], at = 0;
    double margin = find_furthest(c, furthest);
    for (int j = 0; j < TAC_DIRECTIONS; j++)
        n = add_once(n, keep, furthest[j]);
    n = fill_places(c, n, keep);
    for (int k = 0; k < n; k++) /* one that leaves changes what the others are farthest from */
        margin = tac_min(margin, c->reach - corner_height(c, keep[k]));
    while (at < n && keep[at] != lowest)
        at++;
    if (at == n) at = n < TAC_MAX_TOUCH ? n++ : n - 1;
    keep[at] = keep[0], keep[0] = lowest, *count = n;
    return margin;
}

/* All candidates within reach while there is room; else those that spread. Ascending after the lowest. *margin (m):
 * until others are chosen; where all are kept, until one more comes than there is room for. */
static int choose(const cornerSearch *c, int lowest, int keep[TAC_MAX_TOUCH], double *margin) {
    int n = 1, within = 0;
    keep[0] = lowest, *margin = TAC_INFINITY;
    for (int k = 0; k < candidates(c) && within <= TAC_MAX_TOUCH; k++)
        within += corner_height(c, candidate(c, k)) < c->reach;
    if (within >= TAC_MAX_TOUCH) *margin = c->all ? 0 : c->beyond - c->reach;
    if (within > TAC_MAX_TOUCH) {
        *margin = tac_min(*margin, choose_spread(c, lowest, keep, &n));
    } else {
        for (int k = 0; k < candidates(c); k++)
            if (corner_height(c, candidate(c, k)) < c->reach) n = add_once(n, keep, candidate(c, k));
    }
    sort_ascending(n - 1, keep + 1);
    return n;
}

/* Until a neighbour is as low as the lowest corner; two heights part by two metres a metre. */
static double lowest_margin(const cornerSearch *c, int lowest) {
    double next = TAC_INFINITY;
    for (int e = 0; e < c->hull->edge_num[lowest]; e++)
        next = tac_min(next, corner_height(c, c->hull->edge[c->hull->edge_adr[lowest] + e]));
    return 0.5 * (next - corner_height(c, lowest));
}

int tac_touch_plane_mesh(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                         tacPairCache *cache, tacTouch *out) {
    (void)a;
    tacVec3 n = tac_pose_axis(A, 2);
    cornerSearch c;
    c.hull = &b->hull, c.n = tac_mulmtv3(B->R, n), c.height = tac_dot3(n, tac_sub3(B->p, A->p)), c.reach = reach;
    search(b, &c, cache);
    int keep[TAC_MAX_TOUCH], lowest = lowest_corner(&c), count = 1;
    if (lowest < 0) return 0;
    double margin;
    keep[0] = lowest;
    if (reach < TAC_INFINITY)
        count = choose(&c, lowest, keep, &margin);
    else
        margin = lowest_margin(&c, lowest);
    for (int k = 0; k < count; k++) {
        tacVec3 x = tac_pose_point(B, b->hull.vert[keep[k]]);
        tac_put_over_plane(&out[k], x, n, corner_height(&c, keep[k]), TAC_FEATURE_POINT, keep[k]);
        out[k].margin = margin;
    }
    return count;
}
