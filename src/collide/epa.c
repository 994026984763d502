/* Expanding polytope: (G10)-(G13) of docs/theory/collision.md. */
#include "collide/epa.h"

enum { MOST_CORNERS = TAC_EPA_CORNERS, MOST_FACES = 2 * TAC_EPA_CORNERS };
/* Thickness relative to scale below which D is flat. */
#define FLAT 1e-12
/* A corner sees a face when it lies this times scale above it: points in its plane do not. */
#define VISIBLE 1e-14
/* Corners to begin with that are nearer to the hull of the others, relative to scale, make slivers. */
#define WELL_APART 1e-3
/* Difference relative to scale that rounding makes of a repeated corner's height, besides that of the normal. */
#define REPEATED 1e-13
/* Sine of the angle up to which two faces are in one plane. */
#define SAME_PLANE 1e-6
/* The same for curved shapes, whose faces are many around one touch. */
#define SAME_TOUCH 0.02
/* Rounding of a unit normal is this times scale times its longest side over twice its area. */
#define ROUNDING 1.5e-15

typedef struct Face {
    int corner[3];   /* counter-clockwise seen from outside */
    int beside[3];   /* face across the edge corner[k], corner[k + 1] */
    tacVec3 outside; /* unit normal */
    double turn;     /* rounding error of the normal, rad */
    int seen;
} Face;

typedef struct Polytope {
    double scale;
    int ncorner, nface; /* nface: places used, some of them free again */
    int free[MOST_FACES], nfree;
    tacSupport corner[MOST_CORNERS];
    Face face[MOST_FACES];
    double offset[MOST_FACES]; /* outside . w in the face's plane; TAC_INFINITY: free, or no area: never taken */
} Polytope;

/* --- Faces -------------------------------------------------------------------------------------------------------- */

static void set_plane(Polytope *p, int at) {
    Face *f = &p->face[at];
    tacVec3 a = p->corner[f->corner[0]].w, b = p->corner[f->corner[1]].w, c = p->corner[f->corner[2]].w;
    tacVec3 ab = tac_sub3(b, a), ac = tac_sub3(c, a), n = tac_cross3(ab, ac);
    double area = tac_norm3(n), longest = tac_sqrt(tac_max(tac_dot3(ab, ab), tac_dot3(ac, ac)));
    f->turn = area > 0 ? ROUNDING * p->scale * longest / area : 1;
    if (!(f->turn < SAME_PLANE)) {
        p->offset[at] = TAC_INFINITY, f->outside = tac_zero3();
        return;
    }
    f->outside = tac_scale3(1 / area, n);
    p->offset[at] = tac_dot3(f->outside, a);
}

static int add_face(Polytope *p, int i, int j, int k) {
    int at = p->nfree > 0 ? p->free[--p->nfree] : p->nface++;
    p->face[at] = (Face){.corner = {i, j, k}, .beside = {-1, -1, -1}};
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

/* Distance of w from the affine hull of the first n corners; n = 3: signed, by `normal`. */
static double off_hull(int n, const tacSupport *s, tacVec3 along, tacVec3 w) {
    tacVec3 d = tac_sub3(w, s[0].w);
    return n == 1 ? tac_norm3(d) : n == 2 ? tac_norm3(tac_cross3(along, d)) : tac_abs(tac_dot3(along, d));
}

/* Unit vector along the segment of two corners, normal of the triangle of three; zero when there is none. */
static tacVec3 hull_direction(int n, const tacSupport *s) {
    if (n < 2) return tac_zero3();
    tacVec3 d = tac_sub3(s[1].w, s[0].w);
    if (n == 3) d = tac_cross3(d, tac_sub3(s[2].w, s[0].w));
    double length = tac_norm3(d);
    return length > 0 ? tac_scale3(1 / length, d) : tac_zero3();
}

/* Unit vectors across a unit vector. */
static void across(tacVec3 d, tacVec3 e[2]) { tac_contact_frame(d, &e[0], &e[1]); }

/* Directions in which a further corner is looked for: the axes; across the segment; across the triangle. */
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

/* One more corner, the furthest from the hull of the n there are; 0: there is none. */
static int add_corner(tacCores *c, int n, tacSupport *s, int hint[2]) {
    tacVec3 d[6], along = hull_direction(n, s);
    int count = search_directions(n, along, d);
    double furthest = FLAT * c->scale;
    int found = 0;
    for (int k = 0; k < count; k++) {
        tacSupport here = tac_cores_support(c, d[k], hint);
        double distance = off_hull(n, s, along, here.w);
        if (distance > furthest) furthest = distance, s[n] = here, found = 1;
    }
    return found;
}

/* Corners of the simplex that stand well apart from the hull of those before: others are found that do, if D has any.
 * The origin may be left outside; a polytope in D grows around it all the same. */
static int keep_spanning(const tacGjk *start, double scale, tacSupport *s) {
    int n = 0;
    for (int i = 0; i < start->n; i++) {
        if (n > 0 && !(off_hull(n, s, hull_direction(n, s), start->corner[i].w) > WELL_APART * scale)) continue;
        s[n++] = start->corner[i];
    }
    return n;
}

/* Four corners with volume, or fewer where D has none. */
static int span_space(tacCores *c, const tacGjk *start, tacSupport *s, int hint[2]) {
    int n = keep_spanning(start, c->scale, s);
    while (n < 4 && add_corner(c, n, s, hint))
        n++;
    return n;
}

static void build_tetrahedron(Polytope *p) {
    tacVec3 a = p->corner[0].w, ab = tac_sub3(p->corner[1].w, a), ac = tac_sub3(p->corner[2].w, a);
    if (tac_dot3(tac_cross3(ab, ac), tac_sub3(p->corner[3].w, a)) > 0) { /* corner 3 must be below 0 1 2 */
        tacSupport t = p->corner[0];
        p->corner[0] = p->corner[1], p->corner[1] = t;
    }
    add_face(p, 0, 1, 2), add_face(p, 0, 3, 1), add_face(p, 1, 3, 2), add_face(p, 2, 3, 0);
    static const int BESIDE[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            p->face[i].beside[k] = BESIDE[i][k];
}

/* --- Growing ------------------------------------------------------------------------------------------------------ */

/* Marks the faces that w sees, from `first` over edges; they are one patch. A face without a normal is neither seen nor
 * not: `slivers` says which, because the patch may go on behind it. Returns their list's length. */
static int mark_seen(Polytope *p, int first, tacVec3 w, int slivers, int *list) {
    int count = 0;
    list[count++] = first;
    p->face[first].seen = 1;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            int at = p->face[list[i]].beside[k];
            Face *f = &p->face[at];
            int sliver = slivers && p->offset[at] == TAC_INFINITY;
            if (f->seen || !(sliver || tac_dot3(f->outside, w) - p->offset[at] > VISIBLE * p->scale)) continue;
            f->seen = 1;
            list[count++] = at;
        }
    return count;
}

/* The edges between seen and unseen faces: their first corner leads to the edge. 0: they are no simple ring. */
typedef struct Ring {
    int count;
    int from[MOST_FACES], to[MOST_FACES], behind[MOST_FACES];
    short edge_of[MOST_CORNERS]; /* edge that starts at a corner, or -1 */
} Ring;

static int find_ring(const Polytope *p, int nseen, const int *list, Ring *ring) {
    ring->count = 0;
    for (int i = 0; i < p->ncorner; i++)
        ring->edge_of[i] = -1;
    for (int i = 0; i < nseen; i++) {
        const Face *f = &p->face[list[i]];
        for (int k = 0; k < 3; k++) {
            if (p->face[f->beside[k]].seen) continue;
            int from = f->corner[k];
            if (ring->edge_of[from] >= 0) return 0;
            ring->edge_of[from] = (short)ring->count;
            ring->from[ring->count] = from, ring->to[ring->count] = f->corner[(k + 1) % 3];
            ring->behind[ring->count++] = f->beside[k];
        }
    }
    int steps = 0;
    for (int at = 0; steps == 0 || at > 0; steps++) {
        at = ring->edge_of[ring->to[at]];
        if (at < 0 || steps > ring->count) return 0;
    }
    return steps == ring->count;
}

/* The side of face f that runs from corner `from` to corner `to`. */
static int side_of(const Face *f, int from, int to) {
    for (int k = 0; k < 3; k++)
        if (f->corner[k] == from && f->corner[(k + 1) % 3] == to) return k;
    return 0;
}

/* Replaces the faces that w sees by the cone over their ring. 0: not possible; the polytope stays as it was. */
static int grow(Polytope *p, int first, const tacSupport *w) {
    int seen[MOST_FACES], fresh[MOST_FACES], nseen = 0, ok = 0;
    Ring ring;
    for (int slivers = 0; slivers < 2 && !ok; slivers++) {
        nseen = mark_seen(p, first, w->w, slivers, seen), ok = find_ring(p, nseen, seen, &ring);
        for (int i = 0; i < nseen; i++)
            p->face[seen[i]].seen = 0;
    }
    if (!ok) return 0;
    for (int i = 0; i < nseen; i++) {
        p->offset[seen[i]] = TAC_INFINITY;
        p->free[p->nfree++] = seen[i];
    }
    int apex = p->ncorner++;
    p->corner[apex] = *w;
    for (int i = 0; i < ring.count; i++)
        fresh[i] = add_face(p, ring.from[i], ring.to[i], apex);
    for (int i = 0; i < ring.count; i++) {
        Face *f = &p->face[fresh[i]], *behind = &p->face[ring.behind[i]];
        f->beside[0] = ring.behind[i];
        behind->beside[side_of(behind, ring.to[i], ring.from[i])] = fresh[i];
        int next = fresh[ring.edge_of[ring.to[i]]];
        f->beside[1] = next, p->face[next].beside[2] = fresh[i];
    }
    return 1;
}

/* --- The answer --------------------------------------------------------------------------------------------------- */

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
    out->n = tac_neg3(f->outside), out->turn = f->turn, out->lower = lower;
}

/* Weights of the point nearest to the origin on the face kept. */
static void weigh(tacEpa *out) {
    tacSupport s[3] = {out->corner[0], out->corner[1], out->corner[2]};
    double weight[3];
    tacVec3 v;
    int n = tac_simplex_nearest(3, TAC_INFINITY, s, weight, &v);
    for (int i = 0; i < 3; i++) {
        out->corner[i] = s[i < n ? i : 0];
        out->weight[i] = i < n ? weight[i] : 0;
    }
}

/* D lies in a plane, on a line, or is a point: across it the signed distance is that of its thickness, which is
 * rounding. */
static void answer_flat(tacCores *c, int n, const tacSupport *s, tacEpa *out) {
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
    weigh(out);
}

/* (G13): the next best plane that is not that of the face found. */
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
    out->status = TAC_EPA_FULL, out->lower = -TAC_INFINITY, out->upper = 0;
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
            (repeated && out->upper - lower <= (REPEATED + 4 * f->turn) * p->scale)) {
            if (proved || lower > out->lower) keep_face(p, f, lower, out);
            if (proved) out->status = TAC_EPA_DONE;
            return;
        }
        if (lower > out->lower) keep_face(p, f, lower, out);
        if (p->ncorner == MOST_CORNERS) return;
        if (!repeated && grow(p, at, &w)) continue;
        /* Not a face of D, and not to be replaced: a sliver whose normal is no normal, or among slivers. There may be
         * better ones, but the bound has a hole now. */
        p->offset[at] = TAC_INFINITY;
        proved = proved && repeated;
    }
}

void tac_epa(tacCores *c, const tacGjk *start, double gap, tacEpa *out) {
    Polytope p;
    int hint[2] = {start->corner[0].id[0], start->corner[0].id[1]};
    p.nface = p.nfree = 0;
    int n = span_space(c, start, p.corner, hint);
    if (n < 4) {
        answer_flat(c, n, p.corner, out);
        return;
    }
    p.ncorner = 4, p.scale = c->scale;
    build_tetrahedron(&p);
    *out = (tacEpa){.iterations = 0};
    expand(c, &p, gap, hint, out);
    if (out->lower == -TAC_INFINITY) { /* not one face with a normal: as good as flat */
        answer_flat(c, 3, p.corner, out);
        return;
    }
    out->next = next_offset(&p, out, gap > 0 ? SAME_TOUCH : SAME_PLANE);
    weigh(out);
}
