/* Expanding polytope algorithm: (G10)-(G13) of docs/theory/collision.md. */
#include "collide/epa.h"

enum { MOST_CORNERS = TAC_EPA_CORNERS, MOST_FACES = 2 * TAC_EPA_CORNERS };
/* Relative to scale: D is flat when it is thinner. */
#define FLAT_THICKNESS 1e-12
/* Relative to scale: a corner sees a face when its height above the face exceeds this. Points in the plane do not. */
#define VISIBLE 1e-14
/* Relative to scale: initial corners nearer to the affine hull of the others would make slivers. */
#define WELL_APART 1e-3
/* Relative to scale: rounding of a repeated corner's height, apart from that of the normal. */
#define REPEATED_ROUNDING 1e-13
/* Sine of the largest angle between two faces in one plane. */
#define SAME_PLANE 1e-6
/* The same for curved shapes, which have many faces around one touch. */
#define SAME_TOUCH 0.02
/* The rounding error of a unit normal is this times scale times the longest side over twice the area. */
#define NORMAL_ROUNDING 1.5e-15

typedef struct Face {
    int corner[3];       /* counter-clockwise seen from outside */
    int adjacent[3];     /* face across the edge corner[k], corner[k + 1] */
    tacVec3 outside;     /* outward unit normal */
    double normal_error; /* rad: rounding error of the normal */
    int visible;
} Face;

typedef struct Polytope {
    double scale;
    int ncorner, nface; /* nface counts places, including free ones */
    int free[MOST_FACES], nfree;
    tacSupport corner[MOST_CORNERS];
    Face face[MOST_FACES];
    double offset[MOST_FACES]; /* outside . w in the face's plane; TAC_INFINITY: free or without area, never selected */
} Polytope;

/* --- Faces -------------------------------------------------------------------------------------------------------- */

static void set_plane(Polytope *p, int at) {
    Face *f = &p->face[at];
    tacVec3 a = p->corner[f->corner[0]].w, b = p->corner[f->corner[1]].w, c = p->corner[f->corner[2]].w;
    tacVec3 ab = tac_sub3(b, a), ac = tac_sub3(c, a), n = tac_cross3(ab, ac);
    double area = tac_norm3(n), longest = tac_sqrt(tac_max(tac_dot3(ab, ab), tac_dot3(ac, ac)));
    f->normal_error = area > 0 ? NORMAL_ROUNDING * p->scale * longest / area : 1;
    if (!(f->normal_error < SAME_PLANE)) {
        p->offset[at] = TAC_INFINITY;
        f->outside = tac_zero3();
        return;
    }
    f->outside = tac_scale3(1 / area, n);
    p->offset[at] = tac_dot3(f->outside, a);
}

static int add_face(Polytope *p, int i, int j, int k) {
    int at = p->nfree > 0 ? p->free[--p->nfree] : p->nface++;
    p->face[at] = (Face){.corner = {i, j, k}, .adjacent = {-1, -1, -1}};
    set_plane(p, at);
    return at;
}

/* The face nearest to the origin, or -1. */
static int nearest_face(const Polytope *p) {
    int best = -1;
    double least = TAC_INFINITY;
    for (int i = 0; i < p->nface; i++) {
        int nearer = p->offset[i] < least;
        least = nearer ? p->offset[i] : least;
        best = nearer ? i : best;
    }
    return best;
}

/* --- The first tetrahedron ---------------------------------------------------------------------------------------- */

/* Distance of w from the affine hull of the first n corners. n = 3: along the normal `along`. */
static double distance_from_hull(int n, const tacSupport *s, tacVec3 along, tacVec3 w) {
    tacVec3 d = tac_sub3(w, s[0].w);
    return n == 1 ? tac_norm3(d) : n == 2 ? tac_norm3(tac_cross3(along, d)) : tac_abs(tac_dot3(along, d));
}

/* Unit vector along the segment of two corners, or normal of the triangle of three. Zero: there is none. */
static tacVec3 hull_direction(int n, const tacSupport *s) {
    if (n < 2) return tac_zero3();
    tacVec3 d = tac_sub3(s[1].w, s[0].w);
    if (n == 3) d = tac_cross3(d, tac_sub3(s[2].w, s[0].w));
    double length = tac_norm3(d);
    return length > 0 ? tac_scale3(1 / length, d) : tac_zero3();
}

/* Unit vectors orthogonal to d and to each other. */
static void across(tacVec3 d, tacVec3 e[2]) { tac_contact_frame(d, &e[0], &e[1]); }

/* Directions in which to look for one more corner: along the axes, across the segment, or across the triangle. */
static int search_directions(int n, tacVec3 along, tacVec3 *d) {
    tacVec3 e[2] = {{1, 0, 0}, {0, 1, 0}};
    int count = 0;
    if (n == 3) d[count++] = along;
    if (n == 1) d[count++] = tac_vec3(0, 0, 1);
    if (n == 2) across(along, e);
    for (int k = 0; k < 2 && n < 3; k++)
        d[count++] = e[k];
    for (int k = 0; k < count; k++)
        d[count + k] = tac_neg3(d[k]);
    return 2 * count;
}

/* Adds the support point furthest from the affine hull of the n corners. 0: there is none. */
static int add_corner(tacCores *c, int n, tacSupport *s, int hint[2]) {
    tacVec3 d[6], along = hull_direction(n, s);
    int count = search_directions(n, along, d);
    double furthest = FLAT_THICKNESS * c->scale;
    int found = 0;
    for (int k = 0; k < count; k++) {
        tacSupport here = tac_cores_support(c, d[k], hint);
        double distance = distance_from_hull(n, s, along, here.w);
        if (distance > furthest) {
            furthest = distance;
            s[n] = here;
            found = 1;
        }
    }
    return found;
}

/* Keeps the corners of the simplex that are well apart from the affine hull of those before. Others are then found, if
 * D has any. The origin may end up outside the tetrahedron. The polytope still expands around it. */
static int keep_independent(const tacGjk *start, double scale, tacSupport *s) {
    int n = 0;
    for (int i = 0; i < start->n; i++) {
        if (n > 0 && !(distance_from_hull(n, s, hull_direction(n, s), start->corner[i].w) > WELL_APART * scale))
            continue;
        s[n++] = start->corner[i];
    }
    return n;
}

/* Four corners that span a volume, or fewer where D has none. */
static int find_tetrahedron(tacCores *c, const tacGjk *start, tacSupport *s, int hint[2]) {
    int n = keep_independent(start, c->scale, s);
    while (n < 4 && add_corner(c, n, s, hint))
        n++;
    return n;
}

static void build_tetrahedron(Polytope *p) {
    tacVec3 a = p->corner[0].w, ab = tac_sub3(p->corner[1].w, a), ac = tac_sub3(p->corner[2].w, a);
    if (tac_dot3(tac_cross3(ab, ac), tac_sub3(p->corner[3].w, a)) > 0) { /* corner 3 must lie below the face 0 1 2 */
        tacSupport t = p->corner[0];
        p->corner[0] = p->corner[1];
        p->corner[1] = t;
    }
    add_face(p, 0, 1, 2);
    add_face(p, 0, 3, 1);
    add_face(p, 1, 3, 2);
    add_face(p, 2, 3, 0);
    static const int ADJACENT[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            p->face[i].adjacent[k] = ADJACENT[i][k];
}

/* --- Expansion ---------------------------------------------------------------------------------------------------- */

/* Marks the faces that w sees, starting at `first` and going over edges. They form one patch. A face without a normal
 * counts as visible if `slivers`, because the patch may continue behind it. Returns the length of the list. */
static int mark_visible(Polytope *p, int first, tacVec3 w, int slivers, int *list) {
    int count = 0;
    list[count++] = first;
    p->face[first].visible = 1;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            int at = p->face[list[i]].adjacent[k];
            Face *f = &p->face[at];
            int sliver = slivers && p->offset[at] == TAC_INFINITY;
            if (f->visible || !(sliver || tac_dot3(f->outside, w) - p->offset[at] > VISIBLE * p->scale)) continue;
            f->visible = 1;
            list[count++] = at;
        }
    return count;
}

/* The horizon: the edges between visible and hidden faces, in a loop. */
typedef struct Horizon {
    int count;
    int from[MOST_FACES], to[MOST_FACES], behind[MOST_FACES];
    short edge_of[MOST_CORNERS]; /* edge that starts at a corner, or -1 */
} Horizon;

static int find_horizon(const Polytope *p, int nvisible, const int *list, Horizon *horizon) {
    horizon->count = 0;
    for (int i = 0; i < p->ncorner; i++)
        horizon->edge_of[i] = -1;
    for (int i = 0; i < nvisible; i++) {
        const Face *f = &p->face[list[i]];
        for (int k = 0; k < 3; k++) {
            if (p->face[f->adjacent[k]].visible) continue;
            int from = f->corner[k];
            if (horizon->edge_of[from] >= 0) return 0;
            horizon->edge_of[from] = (short)horizon->count;
            horizon->from[horizon->count] = from;
            horizon->to[horizon->count] = f->corner[(k + 1) % 3];
            horizon->behind[horizon->count++] = f->adjacent[k];
        }
    }
    int steps = 0;
    for (int at = 0; steps == 0 || at > 0; steps++) {
        at = horizon->edge_of[horizon->to[at]];
        if (at < 0 || steps > horizon->count) return 0;
    }
    return steps == horizon->count;
}

/* The side of face f that runs from corner `from` to corner `to`. */
static int side_of(const Face *f, int from, int to) {
    for (int k = 0; k < 3; k++)
        if (f->corner[k] == from && f->corner[(k + 1) % 3] == to) return k;
    return 0;
}

/* Replaces the faces that w sees by the triangles between w and the horizon. 0: not possible; the polytope stays as it
 * was. */
static int extend(Polytope *p, int first, const tacSupport *w) {
    int visible[MOST_FACES], fresh[MOST_FACES], nvisible = 0, ok = 0;
    Horizon horizon;
    for (int slivers = 0; slivers < 2 && !ok; slivers++) {
        nvisible = mark_visible(p, first, w->w, slivers, visible);
        ok = find_horizon(p, nvisible, visible, &horizon);
        for (int i = 0; i < nvisible; i++)
            p->face[visible[i]].visible = 0;
    }
    if (!ok) return 0;
    for (int i = 0; i < nvisible; i++) {
        p->offset[visible[i]] = TAC_INFINITY;
        p->free[p->nfree++] = visible[i];
    }
    int apex = p->ncorner++;
    p->corner[apex] = *w;
    for (int i = 0; i < horizon.count; i++)
        fresh[i] = add_face(p, horizon.from[i], horizon.to[i], apex);
    for (int i = 0; i < horizon.count; i++) {
        Face *f = &p->face[fresh[i]], *behind = &p->face[horizon.behind[i]];
        f->adjacent[0] = horizon.behind[i];
        behind->adjacent[side_of(behind, horizon.to[i], horizon.from[i])] = fresh[i];
        int next = fresh[horizon.edge_of[horizon.to[i]]];
        f->adjacent[1] = next;
        p->face[next].adjacent[2] = fresh[i];
    }
    return 1;
}

/* --- The result --------------------------------------------------------------------------------------------------- */

static int is_corner(const Polytope *p, tacVec3 w) {
    for (int i = 0; i < p->ncorner; i++) {
        tacVec3 d = tac_sub3(p->corner[i].w, w);
        if (d.x == 0 && d.y == 0 && d.z == 0) return 1;
    }
    return 0;
}

static void keep_face(const Polytope *p, const Face *f, double lower, tacEpa *out) {
    for (int k = 0; k < 3; k++)
        out->corner[k] = p->corner[f->corner[k]];
    out->n = tac_neg3(f->outside);
    out->normal_error = f->normal_error;
    out->lower = lower;
}

/* Barycentric weights of the point of the face nearest to the origin. */
static void set_weights(tacEpa *out) {
    tacSupport s[3] = {out->corner[0], out->corner[1], out->corner[2]};
    double weight[3];
    tacVec3 v;
    int n = tac_simplex_nearest(3, TAC_INFINITY, s, weight, &v);
    for (int i = 0; i < 3; i++) {
        out->corner[i] = s[i < n ? i : 0];
        out->weight[i] = i < n ? weight[i] : 0;
    }
}

/* D lies in a plane, on a line, or is a point. Across it the signed distance is its thickness, which is rounding. */
static void set_flat(tacCores *c, int n, const tacSupport *s, tacEpa *out) {
    tacVec3 along = hull_direction(n, s), e[2] = {along, along};
    if (n == 1) e[0] = tac_vec3(0, 0, 1);
    if (n == 2) across(along, e);
    int hint[2] = {s[0].id[0], s[0].id[1]};
    tacSupport plus = tac_cores_support(c, e[0], hint), minus = tac_cores_support(c, tac_neg3(e[0]), hint);
    double up = tac_dot3(e[0], plus.w), down = -tac_dot3(e[0], minus.w);
    *out = (tacEpa){.status = TAC_EPA_FLAT, .next = -TAC_INFINITY};
    out->n = up >= down ? e[0] : tac_neg3(e[0]);
    out->lower = out->upper = tac_max(up, down);
    for (int k = 0; k < 3; k++)
        out->corner[k] = s[k < n ? k : 0];
    set_weights(out);
}

/* (G13): the nearest plane other than that of the face found. */
static double next_offset(const Polytope *p, const tacEpa *out, double same) {
    double least = TAC_INFINITY;
    for (int i = 0; i < p->nface; i++) {
        const Face *f = &p->face[i];
        if (!(p->offset[i] < least)) continue;
        if (tac_norm3(tac_cross3(f->outside, out->n)) > same || tac_dot3(f->outside, out->n) > 0) least = p->offset[i];
    }
    return -least;
}

static void expand(tacCores *c, Polytope *p, double gap, int hint[2], tacEpa *out) {
    int proved = 1;
    out->status = TAC_EPA_FULL;
    out->lower = -TAC_INFINITY;
    out->upper = 0;
    for (;;) {
        int at = nearest_face(p);
        if (at < 0) return;
        Face *f = &p->face[at];
        tacSupport w = tac_cores_support(c, tac_neg3(f->outside), hint);
        p->scale = c->scale;
        out->iterations++;
        double lower = -tac_dot3(f->outside, w.w);
        out->upper = -p->offset[at];
        int repeated = is_corner(p, w.w);
        if (out->upper - lower <= gap * p->scale ||
            (repeated && out->upper - lower <= (REPEATED_ROUNDING + 4 * f->normal_error) * p->scale)) {
            if (proved || lower > out->lower) keep_face(p, f, lower, out);
            if (proved) out->status = TAC_EPA_DONE;
            return;
        }
        if (lower > out->lower) keep_face(p, f, lower, out);
        if (p->ncorner == MOST_CORNERS) return;
        if (!repeated && extend(p, at, &w)) continue;
        /* The face is not a face of D and cannot be replaced: its normal is undefined, or it lies among slivers. There
         * may be better faces, but the upper bound is no longer proved. */
        p->offset[at] = TAC_INFINITY;
        proved = proved && repeated;
    }
}

void tac_epa(tacCores *c, const tacGjk *start, double gap, tacEpa *out) {
    Polytope p;
    int hint[2] = {start->corner[0].id[0], start->corner[0].id[1]};
    p.nface = p.nfree = 0;
    int n = find_tetrahedron(c, start, p.corner, hint);
    if (n < 4) {
        set_flat(c, n, p.corner, out);
        return;
    }
    p.ncorner = 4;
    p.scale = c->scale;
    build_tetrahedron(&p);
    *out = (tacEpa){.iterations = 0};
    expand(c, &p, gap, hint, out);
    if (out->lower == -TAC_INFINITY) { /* no face has a normal: as good as flat */
        set_flat(c, 3, p.corner, out);
        return;
    }
    out->next = next_offset(&p, out, gap > 0 ? SAME_TOUCH : SAME_PLANE);
    set_weights(out);
}
