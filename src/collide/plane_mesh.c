/* Plane against the hull of a mesh: its corners nearer than `reach`.
 *
 * The lowest corner is found by climbing along edges. The corners below a height are connected by edges below it, so
 * the others are found from the lowest by a flood fill. If there are more than TAC_MAX_TOUCH, the deepest and the
 * furthest in seven directions along the plane are kept, and then the most widely spread. The directions rotate with
 * the mesh, so that a mesh that slides and spins on one face keeps its corners. Each corner is a touch of its own, as
 * for a box. An infinite reach asks for the distance alone: the lowest corner, whose margin then ends where another
 * corner is as low. */
#include "collide/closed_form.h"
#include "collide/pairs.h"

/* Hulls with at most SCAN_CORNERS corners are scanned. Larger ones, up to FLOOD_HULL, are flood-filled from the lowest
 * corner, while at most FLOOD_CORNERS are within reach. */
#define SCAN_CORNERS  32
#define FLOOD_HULL    16384
#define FLOOD_CORNERS 512
/* Relative to the hull's size: corners this little above the lowest one found are tested too. Rounding may have stopped
 * the climb on a face that lies flat. */
#define CLIMB_ROUNDING 1e-12

#define DIRECTIONS (TAC_MAX_TOUCH - 1)
/* Cosine and sine of k 2 pi/7 */
static const double HEPTAGON[DIRECTIONS][2] = {{1, 0},
                                               {0.62348980185873353053, 0.78183148246802980871},
                                               {-0.22252093395631440429, 0.97492791218182360702},
                                               {-0.90096886790241912624, 0.43388373911755812048},
                                               {-0.90096886790241912624, -0.43388373911755812048},
                                               {-0.22252093395631440429, -0.97492791218182360702},
                                               {0.62348980185873353053, -0.78183148246802980871}};

/* The plane in the mesh's frame, and the candidate corners. */
typedef struct cornerSearch {
    const tacHull *hull;
    tacVec3 n;
    double height; /* of the mesh's origin above the plane */
    double reach;
    int count;               /* number of candidates */
    int list[FLOOD_CORNERS]; /* candidates, unless `all` */
    double beyond;           /* least height of the corners tested that are no candidates */
    int all;                 /* 1: too many to list; every corner of the hull is a candidate */
} cornerSearch;

static double corner_height(const cornerSearch *c, int i) { return c->height + tac_dot3(c->n, c->hull->vert[i]); }
static int candidates(const cornerSearch *c) { return c->all ? c->hull->nvert : c->count; }
static int candidate(const cornerSearch *c, int k) { return c->all ? k : c->list[k]; }

/* Greater, or equal with a lower index. So the answer does not depend on the order of the corners. */
static int is_better(double value, int i, double best, int of) { return value > best || (value == best && i < of); }

/* --- Candidates --------------------------------------------------------------------------------------------------- */

/* Lists the corners below `limit` that are connected to `start`. Too many: sets `all`. */
static void flood(cornerSearch *c, int start, double limit) {
    const tacHull *hull = c->hull;
    uint64_t seen[FLOOD_HULL / 64];
    for (int i = 0; i <= hull->nvert / 64; i++)
        seen[i] = 0;
    c->list[0] = start;
    c->count = 1;
    seen[start / 64] |= (uint64_t)1 << start % 64;
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
            c->all = c->count == FLOOD_CORNERS;
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

/* Flood fill from the lowest corner. *vertex: where the climb starts, and the corner it found. */
static void search_neighbours(const tacShape *b, cornerSearch *c, int *vertex) {
    tacVec3 v = tac_shape_support(b, tac_neg3(c->n), vertex);
    double lowest = c->height + tac_dot3(c->n, v),
           level = CLIMB_ROUNDING * (tac_abs(v.x) + tac_abs(v.y) + tac_abs(v.z));
    if (lowest - level >= c->reach) return;
    flood(c, *vertex, c->reach < TAC_INFINITY ? tac_max(c->reach, lowest + level) : lowest + level);
}

static void search(const tacShape *b, cornerSearch *c, tacPairCache *cache) {
    c->count = 0;
    c->all = b->hull.nvert >= FLOOD_HULL;
    c->beyond = TAC_INFINITY;
    if (b->hull.nvert <= SCAN_CORNERS) {
        scan(c);
        return;
    }
    if (c->all) return;
    int vertex = cache != 0 && cache->used ? cache->vertex[1][0] : -1;
    search_neighbours(b, c, &vertex);
    if (cache != 0) {
        cache->vertex[1][0] = vertex;
        cache->used = 1;
    }
}

/* --- Selection ---------------------------------------------------------------------------------------------------- */

/* The lowest candidate within reach -> its index, or -1. */
static int lowest_corner(const cornerSearch *c) {
    int best = -1;
    double least = c->reach;
    for (int k = 0; k < candidates(c); k++) {
        int i = candidate(c, k);
        double height = corner_height(c, i);
        if (height < least || (height == least && best >= 0 && i < best)) {
            best = i;
            least = height;
        }
    }
    return best;
}

/* Unit vector along the plane: the projection of the mesh's axis that is closest to the plane. */
static tacVec3 tangent(tacVec3 n) {
    double x = tac_abs(n.x), y = tac_abs(n.y), z = tac_abs(n.z);
    tacVec3 axis = x <= y && x <= z ? tac_vec3(1, 0, 0) : y <= z ? tac_vec3(0, 1, 0) : tac_vec3(0, 0, 1);
    tacVec3 t = tac_madd3(axis, -tac_dot3(axis, n), n);
    return tac_scale3(1 / tac_norm3(t), t);
}

/* The candidates within reach that are furthest in the seven directions -> half the least lead over the second. */
static double find_furthest(const cornerSearch *c, int furthest[DIRECTIONS]) {
    tacVec3 t0 = tangent(c->n), t1 = tac_cross3(c->n, t0);
    double extent[DIRECTIONS], second[DIRECTIONS], lead = TAC_INFINITY;
    for (int j = 0; j < DIRECTIONS; j++) {
        furthest[j] = -1;
        extent[j] = second[j] = -TAC_INFINITY;
    }
    for (int k = 0; k < candidates(c); k++) {
        int i = candidate(c, k);
        if (!(corner_height(c, i) < c->reach)) continue;
        double x = tac_dot3(t0, c->hull->vert[i]), y = tac_dot3(t1, c->hull->vert[i]);
        for (int j = 0; j < DIRECTIONS; j++) {
            double along = HEPTAGON[j][0] * x + HEPTAGON[j][1] * y;
            if (is_better(along, i, extent[j], furthest[j])) {
                second[j] = extent[j];
                furthest[j] = i;
                extent[j] = along;
            } else {
                second[j] = tac_max(second[j], along);
            }
        }
    }
    for (int j = 0; j < DIRECTIONS; j++)
        lead = tac_min(lead, 0.5 * (extent[j] - second[j]));
    return lead;
}

static void sort_ascending(int n, int *x) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            int swap = x[j];
            x[j] = x[j - 1];
            x[j - 1] = swap;
        }
}

static int add_once(int n, int *keep, int i) {
    for (int k = 0; k < n; k++)
        if (keep[k] == i) return n;
    keep[n] = i;
    return n + 1;
}

/* Fills the remaining places by farthest-point sampling. Distances are those within the mesh and do not depend on its
 * pose. */
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
            if (corner_height(c, i) < c->reach && near > 0 && is_better(near, i, most, best)) {
                best = i;
                most = near;
            }
        }
        if (best < 0) return n;
        keep[n++] = best;
    }
    return n;
}

/* Keeps the furthest corners, then widely spread ones. The lowest replaces the last, if it is not among them. Rounding
 * may decide which corner is lowest, but not the others. Returns the margin (m) of the choice. */
static double choose_spread(const cornerSearch *c, int lowest, int keep[TAC_MAX_TOUCH], int *count) {
    int n = 0, furthest[DIRECTIONS], at = 0;
    double margin = find_furthest(c, furthest);
    for (int j = 0; j < DIRECTIONS; j++)
        n = add_once(n, keep, furthest[j]);
    n = fill_places(c, n, keep);
    for (int k = 0; k < n; k++) /* when one leaves, the farthest from the others changes */
        margin = tac_min(margin, c->reach - corner_height(c, keep[k]));
    while (at < n && keep[at] != lowest)
        at++;
    if (at == n) at = n < TAC_MAX_TOUCH ? n++ : n - 1;
    keep[at] = keep[0];
    keep[0] = lowest;
    *count = n;
    return margin;
}

/* Keeps all candidates within reach while they fit, or else a spread of them, ascending after the lowest. *margin (m):
 * of the choice; where all are kept, until there are too many. */
static int choose(const cornerSearch *c, int lowest, int keep[TAC_MAX_TOUCH], double *margin) {
    int n = 1, within = 0;
    keep[0] = lowest;
    *margin = TAC_INFINITY;
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

/* m: motion until a neighbour is as low as the lowest corner. Two heights approach by at most two metres per metre. */
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
    c.hull = &b->hull;
    c.n = tac_mulmtv3(B->R, n);
    c.height = tac_dot3(n, tac_sub3(B->p, A->p));
    c.reach = reach;
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
