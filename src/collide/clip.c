#include "collide/clip.h"

#include "collide/closed_form.h"

#define PI 3.1415926535897932385
/* Maximum steps towards the crossing of two rims. Newton's method takes about four, bisection never more than this. */
#define RIM_ITERATIONS 60
/* Maximum bisections of a rim in the search for its crossings with another. Crossings nearer than pi/2^20 to each other
 * are not found. */
enum { RIM_HALVINGS = 20 };
/* Relative to the reference's radius R: rims that are nowhere further apart than this, seen along N, coincide.
 * Bisection finds a crossing only where |f'| (2 r times the offset, for equal rims) exceeds pi/2^20 times |f''| (4
 * r^2). So it finds none for rims offset by less than pi/2^19 = 6e-6 r. And a point that runs along the rim by more
 * than 1/RIMS_COINCIDE metres per metre leaves derivatives few digits. */
#define RIMS_COINCIDE 8e-6
/* Number of sides of the reference that are computed once. */
enum { CACHED_SIDES = 32 };

/* Side plane of the reference: s . x >= offset is inside; s is a unit vector across N. */
typedef struct Side {
    tacVec3 s;
    double offset;
} Side;

/* State of a clipping, in the reference's frame. */
typedef struct Clipper {
    const tacClip *c;
    tacVec3 N;
    double height;   /* N . x of the reference's plane */
    int n;           /* number of sides; 0: a disc about the z axis */
    const int *loop; /* corners of the reference */
    double tol;
    double margin; /* of all points, where it is known; else TAC_NO_MARGIN */
    Side side[CACHED_SIDES];
    tacClipPoint *point;
    int count;
} Clipper;

/* --- Faces -------------------------------------------------------------------------------------------------------- */

/* Unit vector along an edge. A box has it even for an edge without length. Zero for coincident corners of a mesh. */
static tacVec3 edge_direction(const tacShape *s, int from, int to) {
    int bit = from ^ to;
    double sign = to & bit ? 1 : -1;
    if (s->type == TAC_GEOM_BOX) return tac_vec3(bit == 1 ? sign : 0, bit == 2 ? sign : 0, bit == 4 ? sign : 0);
    tacVec3 e = tac_sub3(tac_shape_vertex(s, to), tac_shape_vertex(s, from));
    double length = tac_norm3(e);
    return length > 0 ? tac_scale3(1 / length, e) : tac_zero3();
}

static int after(int k, int n) { return k + 1 < n ? k + 1 : 0; }

static tacFeature line_of(int v, int w) { return tac_feature(TAC_FEATURE_LINE, v < w ? v : w, v < w ? w : v); }

static Side make_side(const Clipper *u, int k) {
    const tacShape *ref = u->c->shape[0];
    Side side = {.s = tac_cross3(u->N, edge_direction(ref, u->loop[k], u->loop[after(k, u->n)]))};
    side.offset = tac_dot3(side.s, tac_shape_vertex(ref, u->loop[k]));
    return side;
}

static Side side_at(const Clipper *u, int k) { return k < CACHED_SIDES ? u->side[k] : make_side(u, k); }

/* Size of a facet: the largest distance from one of its points, up to a factor of two. */
static double extent(const tacShape *s, tacFacet f) {
    if (f.kind == TAC_FACET_DISC) return s->size.x;
    if (f.kind == TAC_FACET_SEGMENT) return s->size.x + s->size.y;
    const int *loop;
    int n = tac_shape_loop(s, f.id, &loop);
    double most = 0;
    for (int k = 1; k < n; k++) {
        tacVec3 d = tac_sub3(tac_shape_vertex(s, loop[k]), tac_shape_vertex(s, loop[0]));
        most = tac_max(most, tac_dot3(d, d));
    }
    return tac_sqrt(most);
}

/* z coordinate of a flat end or base. */
static double disc_height(const tacShape *s, int end) { return end == 1 ? s->size.y : -s->size.y; }

static void init_clipper(Clipper *u, const tacClip *c, tacClipPoint *point) {
    const tacShape *ref = c->shape[0];
    u->c = c;
    u->point = point;
    u->count = 0;
    u->margin = TAC_NO_MARGIN;
    u->tol = TAC_FEATURE_TIE * (extent(ref, c->facet[0]) + extent(c->shape[1], c->facet[1]));
    if (c->facet[0].kind == TAC_FACET_DISC) {
        u->N = tac_vec3(0, 0, c->facet[0].id == 1 ? 1 : -1);
        u->height = ref->size.y;
        u->n = 0;
        u->loop = 0;
        return;
    }
    u->N = tac_shape_face_normal(ref, c->facet[0].id);
    u->n = tac_shape_loop(ref, c->facet[0].id, &u->loop);
    u->height = tac_dot3(u->N, tac_shape_vertex(ref, u->loop[0]));
    for (int k = 0; k < u->n && k < CACHED_SIDES; k++)
        u->side[k] = make_side(u, k);
}

/* Whether x is above the reference, or outside by at most a tie. */
static int is_inside(const Clipper *u, tacVec3 x) {
    double r = u->c->shape[0]->size.x + u->tol;
    if (u->n == 0) return x.x * x.x + x.y * x.y <= r * r;
    for (int k = 0; k < u->n; k++) {
        Side side = side_at(u, k);
        if (!(tac_dot3(side.s, x) - side.offset >= -u->tol)) return 0;
    }
    return 1;
}

/* --- Points ------------------------------------------------------------------------------------------------------- */

/* Keeps the `keep` points that spread most widely from x, and the one at index `also` (-1: none). */
static int spread(tacClipPoint *point, int n, int keep, tacVec3 x, int also) {
    double far[TAC_MAX_CLIP_POINT];
    char kept[TAC_MAX_CLIP_POINT] = {0};
    for (int i = 0; i < n; i++) {
        tacVec3 d = tac_sub3(point[i].x, x);
        far[i] = tac_dot3(d, d);
    }
    if (also >= 0) kept[also] = 1;
    for (int k = 0; k < keep; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!kept[i] && (best < 0 || far[i] > far[best])) best = i;
        if (best < 0) break;
        kept[best] = 1;
        for (int i = 0; i < n; i++) {
            tacVec3 d = tac_sub3(point[i].x, point[best].x);
            far[i] = tac_min(far[i], tac_dot3(d, d));
        }
    }
    int left = 0;
    for (int i = 0; i < n; i++)
        if (kept[i]) point[left++] = point[i];
    return left;
}

int tac_clip_spread(tacClipPoint *point, int n, int keep, tacVec3 first) {
    return n > keep ? spread(point, n, keep, first, -1) : n;
}

/* Makes room for one more point: keeps the deepest and those around it. */
static void thin_points(Clipper *u) {
    int deepest = 0;
    for (int i = 1; i < u->count; i++)
        if (u->point[i].dist < u->point[deepest].dist) deepest = i;
    u->count = spread(u->point, u->count, TAC_MAX_TOUCH - 1, u->point[deepest].x, deepest);
}

/* Adds a point that is nearer than reach, unless it is there already. feature[0] follows from the reference. */
static void add_point(Clipper *u, tacClipPoint m) {
    m.dist = tac_dot3(u->N, m.x) - u->height;
    if (!(m.dist < u->c->reach)) return;
    for (int i = 0; i < u->count; i++) {
        tacVec3 d = tac_sub3(m.x, u->point[i].x);
        if (tac_dot3(d, d) <= TAC_SAME_POINT * TAC_SAME_POINT * u->tol * u->tol) return;
    }
    if (u->count == TAC_MAX_CLIP_POINT) thin_points(u);
    m.margin = u->margin;
    if (m.rule != TAC_RULE_CORNER) m.feature[0] = tac_feature(TAC_FEATURE_PLANE, u->c->facet[0].id, 0);
    u->point[u->count++] = m;
}

static void add_nearest(Clipper *u, tacVec3 x, tacFeature f) {
    if (is_inside(u, x)) add_point(u, (tacClipPoint){.x = x, .rule = TAC_RULE_NEAREST, .feature[1] = f});
}

static tacFeature clip_of(const Clipper *u, int k) {
    if (u->n == 0) return tac_feature(TAC_FEATURE_CIRCLE, u->c->facet[0].id, 0);
    return line_of(u->loop[k], u->loop[after(k, u->n)]);
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

/* The part of a segment p + t (q - p) inside the prism: parameters where it enters and leaves, and the sides. t stays 0
 * or 1 where that end is inside. */
typedef struct ParamRange {
    double t[2];
    int side[2];
} ParamRange;

static int clip_to_sides(const Clipper *u, tacVec3 p, tacVec3 q, ParamRange *w) {
    for (int k = 0; k < u->n; k++) {
        Side side = side_at(u, k);
        double fp = tac_dot3(side.s, p) - side.offset, fq = tac_dot3(side.s, q) - side.offset;
        if (fp < 0 && fq < 0) return 0;
        if (fp >= 0 && fq >= 0) continue;
        double t = fp / (fp - fq);
        if (fp < 0 && t > w->t[0]) {
            w->t[0] = t;
            w->side[0] = k;
        }
        if (fq < 0 && t < w->t[1]) {
            w->t[1] = t;
            w->side[1] = k;
        }
    }
    return w->t[0] < w->t[1];
}

/* |p + t d| = r across the axis:  a t^2 + 2 b t + c = 0. */
static int clip_to_tube(const Clipper *u, tacVec3 p, tacVec3 q, ParamRange *w) {
    tacVec3 d = tac_sub3(q, p);
    double r = u->c->shape[0]->size.x, a = d.x * d.x + d.y * d.y, b = p.x * d.x + p.y * d.y;
    double c = p.x * p.x + p.y * p.y - r * r, square = b * b - a * c;
    if (!(a > 0) || !(square > 0)) return 0;
    double root = b > 0 ? -b - tac_sqrt(square) : -b + tac_sqrt(square), t0 = root / a, t1 = c / root;
    w->t[0] = tac_max(0, tac_min(t0, t1));
    w->t[1] = tac_min(1, tac_max(t0, t1));
    return w->t[0] < w->t[1];
}

/* Adds the points where a segment with feature f crosses the sides. Ends inside (up to a tie) are points of their
 * own. */
static void add_crossings(Clipper *u, tacVec3 p, tacVec3 q, tacFeature f) {
    ParamRange w = {{0, 1}, {0, 0}};
    int inside[2] = {is_inside(u, p), is_inside(u, q)};
    if ((inside[0] && inside[1]) || !(u->n == 0 ? clip_to_tube(u, p, q, &w) : clip_to_sides(u, p, q, &w))) return;
    for (int i = 0; i < 2; i++) {
        if (inside[i] || w.t[i] == i) continue;
        tacVec3 x = tac_madd3(p, w.t[i], tac_sub3(q, p));
        add_point(u, (tacClipPoint){.x = x, .rule = TAC_RULE_CLIP, .feature[1] = f, .clip = clip_of(u, w.side[i])});
    }
}

/* --- Incident polygon --------------------------------------------------------------------------------------------- */

/* Plane of the incident facet: normal and N . x. */
typedef struct Plane {
    tacVec3 normal;
    double height;
} Plane;

static tacVec3 incident_corner(const Clipper *u, int v) {
    return tac_pose_point(&u->c->rel, tac_shape_vertex(u->c->shape[1], v));
}

/* Whether x, a corner of the reference, is under the incident polygon, which runs clockwise seen along N. */
static int is_under_polygon(const Clipper *u, const int *loop, int n, tacVec3 x) {
    for (int k = 0; k < n; k++) {
        tacVec3 e = tac_mulmv3(u->c->rel.R, edge_direction(u->c->shape[1], loop[k], loop[after(k, n)]));
        tacVec3 d = tac_sub3(x, incident_corner(u, loop[k]));
        if (!(tac_dot3(tac_cross3(e, d), u->N) <= u->tol)) return 0;
    }
    return 1;
}

/* x = v + g N on the incident plane: g = (height - M . v)/(M . N). There is none where the planes face the same way or
 * are perpendicular. */
static int above_corner(const Clipper *u, Plane plane, int v, tacVec3 *x) {
    tacVec3 corner = tac_shape_vertex(u->c->shape[0], v);
    double slope = tac_dot3(plane.normal, u->N);
    if (!(slope < -TAC_COINCIDENT)) return 0;
    *x = tac_madd3(corner, (plane.height - tac_dot3(plane.normal, corner)) / slope, u->N);
    return 1;
}

static void add_corner(Clipper *u, int v, tacVec3 x) {
    add_point(u, (tacClipPoint){.x = x,
                                .rule = TAC_RULE_CORNER,
                                .feature = {tac_feature(TAC_FEATURE_POINT, v, 0),
                                            tac_feature(TAC_FEATURE_PLANE, u->c->facet[1].id, 0)},
                                .clip = tac_feature(TAC_FEATURE_PLANE, u->c->facet[0].id, 0)});
}

static void clip_polygon(Clipper *u) {
    const tacShape *inc = u->c->shape[1];
    const int *loop;
    int n = tac_shape_loop(inc, u->c->facet[1].id, &loop);
    Plane plane = {.normal = tac_mulmv3(u->c->rel.R, tac_shape_face_normal(inc, u->c->facet[1].id))};
    plane.height = tac_dot3(plane.normal, incident_corner(u, loop[0]));
    for (int k = 0; k < n; k++)
        add_nearest(u, incident_corner(u, loop[k]), tac_feature(TAC_FEATURE_POINT, loop[k], 0));
    for (int k = 0; k < u->n; k++) {
        tacVec3 x;
        if (above_corner(u, plane, u->loop[k], &x) && is_under_polygon(u, loop, n, x)) add_corner(u, u->loop[k], x);
    }
    for (int k = 0; k < n; k++) {
        int v = loop[k], w = loop[after(k, n)];
        add_crossings(u, incident_corner(u, v), incident_corner(u, w), line_of(v, w));
    }
}

/* --- Incident disc ------------------------------------------------------------------------------------------------ */

/* Centre, unit axis and radius of the incident rim. */
typedef struct Rim {
    tacVec3 centre, z;
    double r;
    tacFeature feature;
} Rim;

static Rim incident_rim(const tacClip *c, int end) {
    const tacShape *s = c->shape[1];
    return (Rim){tac_pose_point(&c->rel, tac_vec3(0, 0, disc_height(s, end))), tac_pose_axis(&c->rel, 2), s->size.x,
                 tac_feature(TAC_FEATURE_CIRCLE, end, 0)};
}

/* Bound, relative to R, of the distance between the two rims seen along N. A point of the incident rim is between r cos
 * - |centre| and r + |centre| from the axis. */
static double rim_gap(const tacClip *c, const Rim *rim) {
    double R = c->shape[0]->size.x, away = tac_sqrt(rim->centre.x * rim->centre.x + rim->centre.y * rim->centre.y);
    double gap = tac_abs(rim->r - R) + away + rim->r * (1 - tac_abs(rim->z.z));
    return R > 0 ? gap / R : TAC_INFINITY;
}

int tac_clip_same_rims(const tacClip *c) {
    if (c->facet[0].kind != TAC_FACET_DISC || c->facet[1].kind != TAC_FACET_DISC) return 0;
    Rim rim = incident_rim(c, c->facet[1].id);
    return rim_gap(c, &rim) <= RIMS_COINCIDE;
}

/* Adds the lowest point of the rim and two more. `all`: without testing whether they are above the reference. */
static void add_rim_points(Clipper *u, const Rim *rim, int all) {
    tacVec3 lowest = tac_rim_lowest(&u->c->rel, u->N, TAC_RIM_FLAT), beside = tac_cross3(rim->z, lowest);
    for (int k = 0; k < 3; k++) {
        double angle = k == 0 ? 0 : k == 1 ? -TAC_RIM_SIDE_ANGLE : TAC_RIM_SIDE_ANGLE;
        tacVec3 e = tac_madd3(tac_scale3(tac_cos(angle), lowest), tac_sin(angle), beside);
        tacClipPoint m = {.x = tac_madd3(rim->centre, rim->r, e), .feature[1] = rim->feature, .angle = angle};
        m.rule = k == 0 ? TAC_RULE_NEAREST : TAC_RULE_RIM;
        if (all || is_inside(u, m.x)) add_point(u, m);
    }
}

static void add_rim_crossing(Clipper *u, const Rim *rim, int k, tacVec3 x) {
    if (!is_inside(u, x)) return;
    add_point(u, (tacClipPoint){.x = x, .rule = TAC_RULE_CLIP, .feature[1] = rim->feature, .clip = clip_of(u, k)});
}

/* Crosses the rim with the plane of side k. With p the component of s across z, x = centre + a p/|p| +- b z x p/|p|,
 * where a = (offset - s . centre)/|p| and a^2 + b^2 = r^2. */
static void cross_side(Clipper *u, const Rim *rim, int k) {
    Side side = side_at(u, k);
    tacVec3 p = tac_madd3(side.s, -tac_dot3(side.s, rim->z), rim->z);
    double length = tac_norm3(p);
    if (!(length > TAC_COINCIDENT)) return;
    double a = (side.offset - tac_dot3(side.s, rim->centre)) / length, square = rim->r * rim->r - a * a;
    if (!(square > 0)) return;
    tacVec3 e = tac_scale3(1 / length, p), middle = tac_madd3(rim->centre, a, e), turned = tac_cross3(rim->z, e);
    add_rim_crossing(u, rim, k, tac_madd3(middle, -tac_sqrt(square), turned));
    add_rim_crossing(u, rim, k, tac_madd3(middle, tac_sqrt(square), turned));
}

/* The incident rim x(a) = centre + r (cos(a) p + sin(a) q) against the tube |x across| = R about the z axis: f(a) = |x
 * across|^2 - R^2 = level + harmonic[0] . e(a) + harmonic[1] . e(2 a), e(a) = (cos(a), sin(a)). */
typedef struct Tube {
    const Rim *rim;
    tacVec3 p, q;
    double R;
    double max_second; /* bound of |f''|: 2 r (2 r + |centre across|) */
    double level, harmonic[2][2];
    double max_fourth; /* bound of |f''''|: |harmonic[0]| + 16 |harmonic[1]| */
} Tube;

static double dot_across(tacVec3 a, tacVec3 b) { return a.x * b.x + a.y * b.y; }

/* Coefficients of f as a trigonometric polynomial. */
static void expand_harmonics(Tube *t) {
    double r = t->rim->r, pp = dot_across(t->p, t->p), qq = dot_across(t->q, t->q);
    tacVec3 c = t->rim->centre;
    t->level = dot_across(c, c) + 0.5 * r * r * (pp + qq) - t->R * t->R;
    t->harmonic[0][0] = 2 * r * dot_across(c, t->p);
    t->harmonic[0][1] = 2 * r * dot_across(c, t->q);
    t->harmonic[1][0] = 0.5 * r * r * (pp - qq);
    t->harmonic[1][1] = r * r * dot_across(t->p, t->q);
    t->max_fourth = 0;
    for (int k = 0; k < 2; k++) {
        const double *w = t->harmonic[k];
        t->max_fourth += (k == 0 ? 1 : 16) * tac_sqrt(w[0] * w[0] + w[1] * w[1]);
    }
}

/* Whether f has no root within `half` of the angle a, e = e(a), or is zero up to rounding. By the Taylor series about
 * a:
 *   |f| >= half |f'| + half^2/2 |f''| + half^3/6 |f'''| + half^4/24 max |f''''|. */
static int excludes_root(const Tube *t, const double e[2], double half) {
    double twice[2] = {e[0] * e[0] - e[1] * e[1], 2 * e[0] * e[1]};
    double w1 = t->harmonic[0][0] * e[0] + t->harmonic[0][1] * e[1],
           d1 = t->harmonic[0][1] * e[0] - t->harmonic[0][0] * e[1];
    double w2 = t->harmonic[1][0] * twice[0] + t->harmonic[1][1] * twice[1];
    double d2 = t->harmonic[1][1] * twice[0] - t->harmonic[1][0] * twice[1];
    double rest = tac_abs(d1 + 8 * d2) / 6 + half / 24 * t->max_fourth;
    rest = tac_abs(w1 + 4 * w2) / 2 + half * rest;
    rest = tac_abs(d1 + 2 * d2) + half * rest;
    return !(tac_abs(t->level + w1 + w2) < half * rest);
}

/* f(a), its derivative and x(a), for e = e(a). */
static double tube_gap(const Tube *t, const double e[2], double *slope, tacVec3 *x) {
    double r = t->rim->r, c = e[0], s = e[1];
    tacVec3 d = tac_scale3(r, tac_madd3(tac_scale3(-s, t->p), c, t->q));
    *x = tac_madd3(t->rim->centre, r, tac_madd3(tac_scale3(c, t->p), s, t->q));
    *slope = 2 * (x->x * d.x + x->y * d.y);
    return x->x * x->x + x->y * x->y - t->R * t->R;
}

static double tube_gap_at(const Tube *t, double a, double *slope, tacVec3 *x) {
    const double e[2] = {tac_cos(a), tac_sin(a)};
    return tube_gap(t, e, slope, x);
}

/* The root of f between a and b, where f is monotone and changes its sign: Newton's method inside the bracket. */
static tacVec3 find_tube_root(const Tube *t, double a, double b) {
    tacVec3 x;
    double slope, at_a = tube_gap_at(t, a, &slope, &x), m = 0.5 * (a + b);
    for (int i = 0; i < RIM_ITERATIONS; i++) {
        double f = tube_gap_at(t, m, &slope, &x);
        if (tac_abs(f) <= TAC_COINCIDENT * t->R * t->R) break;
        if ((f > 0) == (at_a > 0))
            a = m;
        else
            b = m;
        double next = m - f / slope;
        m = next > a && next < b ? next : 0.5 * (a + b);
    }
    return x;
}

/* Adds all crossings in middle +- half. There is none where |f| exceeds what its Taylor series can take away. There is
 * at most one where f' and the bound of |f''| fix the sign of f'. Otherwise the interval is bisected. Rims that touch
 * without crossing are left out.
 *
 * f has four roots, counting complex ones, and the series excludes intervals some lengths away from all of them. So
 * only a few intervals of each length are bisected again, whatever the rims. Two million pairs of rims that touch or
 * nearly coincide in every way took at most 225 evaluations, 11 per bisection. */
static void bisect_crossings(Clipper *u, const Tube *t, double middle, double half, int depth) {
    const double e[2] = {tac_cos(middle), tac_sin(middle)};
    tacVec3 x;
    double slope, rest = t->max_second * half, f;
    if (depth == RIM_HALVINGS || excludes_root(t, e, half)) return;
    f = tube_gap(t, e, &slope, &x);
    if (tac_abs(f) > half * (tac_abs(slope) + 0.5 * rest)) return;
    if (tac_abs(slope) > rest) {
        double low = tube_gap_at(t, middle - half, &slope, &x), high = tube_gap_at(t, middle + half, &slope, &x);
        if ((low > 0) != (high > 0)) add_rim_crossing(u, t->rim, 0, find_tube_root(t, middle - half, middle + half));
        return;
    }
    bisect_crossings(u, t, middle - 0.5 * half, 0.5 * half, depth + 1);
    bisect_crossings(u, t, middle + 0.5 * half, 0.5 * half, depth + 1);
}

/* Adds the crossings of two rims, at most four. Angles start where the incident rim is farthest from the tube's
 * axis. */
static void cross_tube(Clipper *u, const Rim *rim) {
    tacVec3 c = rim->centre, e = tac_vec3(c.x, c.y, 0), p = tac_madd3(e, -tac_dot3(e, rim->z), rim->z);
    double length = tac_norm3(p);
    Tube t = {.rim = rim, .R = u->c->shape[0]->size.x, .max_second = 2 * rim->r * (2 * rim->r + tac_norm3(e))};
    t.p = length > TAC_COINCIDENT * t.R ? tac_scale3(1 / length, p) : tac_pose_axis(&u->c->rel, 0);
    t.q = tac_cross3(rim->z, t.p);
    expand_harmonics(&t);
    bisect_crossings(u, &t, -0.5 * PI, 0.5 * PI, 0);
    bisect_crossings(u, &t, 0.5 * PI, 0.5 * PI, 0);
}

static void clip_disc(Clipper *u) {
    Rim rim = incident_rim(u->c, u->c->facet[1].id);
    double gap = u->n == 0 ? rim_gap(u->c, &rim) : TAC_INFINITY;
    Plane plane = {.normal = u->c->facet[1].id == 1 ? rim.z : tac_neg3(rim.z)};
    plane.height = tac_dot3(plane.normal, rim.centre);
    if (gap <= 2 * RIMS_COINCIDE) u->margin = 0;
    add_rim_points(u, &rim, gap <= RIMS_COINCIDE);
    for (int k = 0; k < u->n; k++) {
        tacVec3 x;
        if (!above_corner(u, plane, u->loop[k], &x)) continue;
        tacVec3 d = tac_sub3(x, rim.centre);
        if (tac_dot3(d, d) <= (rim.r + u->tol) * (rim.r + u->tol)) add_corner(u, u->loop[k], x);
    }
    for (int k = 0; k < u->n; k++)
        cross_side(u, &rim, k);
    if (u->n == 0 && gap > RIMS_COINCIDE) cross_tube(u, &rim);
}

/* --- Incident segment --------------------------------------------------------------------------------------------- */

/* Clips the line of the surface nearest to the reference's plane: a capsule's axis moved by its radius, or the lowest
 * generator of a cylinder or cone. */
static void clip_segment(Clipper *u) {
    const tacShape *s = u->c->shape[1];
    tacVec3 x[2];
    tacFeature f[2];
    for (int k = 0; k < 2; k++) {
        Rim rim = incident_rim(u->c, k);
        f[k] = rim.feature;
        x[k] = tac_madd3(rim.centre, rim.r, tac_rim_lowest(&u->c->rel, u->N, TAC_RIM_FLAT));
        if (s->type == TAC_GEOM_CAPSULE) x[k] = tac_madd3(rim.centre, -rim.r, u->N);
        if (s->type == TAC_GEOM_CONE && k == 1) x[k] = rim.centre;
        if (s->type == TAC_GEOM_CAPSULE) f[k] = tac_feature(TAC_FEATURE_POINT, k, 0);
        if (s->type == TAC_GEOM_CONE && k == 1) f[k] = tac_feature(TAC_FEATURE_POINT, 0, 0);
        add_nearest(u, x[k], f[k]);
    }
    if (s->type != TAC_GEOM_CONE) add_crossings(u, x[0], x[1], tac_feature(TAC_FEATURE_LINE, 0, 1));
}

int tac_clip(const tacClip *c, tacClipPoint point[TAC_MAX_CLIP_POINT]) {
    Clipper u;
    if (c->shape[0]->type == TAC_GEOM_BOX && c->shape[1]->type == TAC_GEOM_BOX) return tac_clip_boxes(c, point);
    init_clipper(&u, c, point);
    if (c->facet[1].kind == TAC_FACET_POLYGON) clip_polygon(&u);
    if (c->facet[1].kind == TAC_FACET_DISC) clip_disc(&u);
    if (c->facet[1].kind == TAC_FACET_SEGMENT) clip_segment(&u);
    return u.count;
}
