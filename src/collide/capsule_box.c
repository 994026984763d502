/* Capsule against box: a segment p(t) = c + t u, |t| <= h, against the box, in the box's frame. The capsule is a ball
 * around the segment (docs/theory/collision.md, F3).
 *
 * Apart. With e(t) = p - clamp(p), half the squared distance is f = e.e/2. f is convex. f' = e . u is monotone, and
 * linear on each of up to seven intervals into which the planes of the faces cut the segment. The root of f' is the
 * nearest point, and the region of its interval gives the box's feature. A segment along a face or an edge has a whole
 * interval of roots; the end of the interval is taken.
 *
 * Overlapping. Where the segment meets the box, the least translation is along a face normal or along the cross product
 * of an edge and the segment: separating axes of box and segment (capsule_box_deep.c).
 *
 * Second points. The search goes from the first touch in both directions along the segment. The second point is where
 * the first face under the segment ends: at an end of the segment, or at an edge of the face (CLIP). If there is no
 * face under it, the second point is where the first edge ends: at an end of the segment, or at the corner. So a
 * capsule along a face or an edge touches with both ends of the interval. Second points appear and vanish by their
 * distance alone. */
#include "collide/capsule_box.h"

#include "collide/pairs.h"

/* The segment cut by the planes of the faces. Interval i is from cut[i].t to cut[i + 1].t. The first and last cut are
 * the ends of the segment. */
#define MAX_INTERVALS 7
typedef struct segmentIntervals {
    int n; /* 0: not cut yet */
    tacBoxCut cut[MAX_INTERVALS + 1];
} segmentIntervals;

static segmentIntervals cut_segment(const tacBoxSegment *s) {
    segmentIntervals w = {.n = 1};
    w.cut[0] = (tacBoxCut){-s->h, -1, -1};
    w.cut[1] = (tacBoxCut){s->h, -1, 1};
    for (int k = 0; k < 3; k++) {
        double u = tac_get3(s->u, k), c = tac_get3(s->c, k), half = tac_get3(s->half, k);
        for (int side = -1; side < 2 && u != 0; side += 2) {
            tacBoxCut b = {(side * half - c) / u, k, side};
            if (!(b.t > -s->h && b.t < s->h)) continue;
            int j = ++w.n;
            for (; w.cut[j - 1].t > b.t; j--)
                w.cut[j] = w.cut[j - 1];
            w.cut[j] = b;
        }
    }
    return w;
}

static tacBoxRegion region_of(const tacBoxSegment *s, const segmentIntervals *w, int i) {
    return tac_box_region(s->half, tac_box_segment_at(s, 0.5 * (w->cut[i].t + w->cut[i + 1].t)));
}

static double slope(const tacBoxSegment *s, double t) {
    return tac_dot3(tac_box_gap(s->half, tac_box_segment_at(s, t)), s->u);
}

/* The nearest pair of points: parameter on the segment, and the features there. */
typedef struct nearestPair {
    double t;
    int interval;
    int end; /* of the segment: 0, 1; -1: between */
    tacBoxRegion region;
    tacVec3 gap; /* from the box to the segment */
    double d;
} nearestPair;

/* The root of f' on an interval: sum of u_i (c_i + t u_i - b_i) = 0 over the axes on which the interval is outside.
 * *curvature: f'', the sum of their u_i^2. It is zero where the segment is along the feature. */
static double root_in_interval(const tacBoxSegment *s, const segmentIntervals *w, int i, double *curvature) {
    double low = w->cut[i].t, high = w->cut[i + 1].t, value = 0;
    tacBoxRegion g = region_of(s, w, i);
    *curvature = 0;
    for (int k = 0; k < 3; k++) {
        if (!g.side[k]) continue;
        double u = tac_get3(s->u, k);
        *curvature += u * u;
        value += u * (g.side[k] * tac_get3(s->half, k) - tac_get3(s->c, k));
    }
    return *curvature > 0 ? tac_clamp(value / *curvature, low, high) : low;
}

/* The end of an interval of roots. It is an end of the segment if the interval has one. Otherwise it is the border to
 * the interval before it, whose feature replaces the face or edge along the segment. */
static void take_interval_end(const segmentIntervals *w, nearestPair *p) {
    int i = p->interval;
    if (i == 0) {
        p->t = w->cut[0].t;
    } else if (i == w->n - 1) {
        p->t = w->cut[w->n].t;
    } else {
        p->t = w->cut[i].t;
        p->interval = i - 1;
    }
}

/* A segment that is not along a face has no nearest point above it. Where rounding finds one (a thin box), the root is
 * at the border of the interval, and the feature is that of the next region. */
static void leave_face_region(const segmentIntervals *w, nearestPair *p) {
    int i = p->interval;
    if (p->t <= w->cut[i].t && i > 0)
        p->interval = i - 1;
    else if (p->t >= w->cut[i + 1].t && i < w->n - 1)
        p->interval = i + 1;
}

static void nearest_between_ends(const tacBoxSegment *s, segmentIntervals *w, nearestPair *p) {
    double curvature;
    *w = cut_segment(s);
    while (p->interval < w->n - 1 && slope(s, w->cut[p->interval + 1].t) < 0)
        p->interval++;
    p->t = root_in_interval(s, w, p->interval, &curvature);
    if (curvature <= TAC_PARALLEL * TAC_PARALLEL)
        take_interval_end(w, p);
    else if (region_of(s, w, p->interval).beyond == 1)
        leave_face_region(w, p);
    p->end = p->t >= s->h ? 1 : p->t <= -s->h ? 0 : -1;
    p->region = region_of(s, w, p->interval);
}

static nearestPair nearest_pair(const tacBoxSegment *s, segmentIntervals *w) {
    nearestPair p = {.t = -s->h};
    int low = slope(s, -s->h) >= 0;
    w->n = 0;
    if (low || slope(s, s->h) <= 0) {
        p.end = !low;
        p.t = low ? -s->h : s->h;
        p.region = tac_box_region(s->half, tac_box_segment_at(s, p.t));
    } else {
        nearest_between_ends(s, w, &p);
    }
    p.gap = tac_box_gap(s->half, tac_box_segment_at(s, p.t));
    p.d = tac_norm3(p.gap);
    return p;
}

/* u x e_k */
static tacVec3 across_edge(tacVec3 u, int k) {
    return k == 0 ? tac_vec3(0, u.z, -u.y) : k == 1 ? tac_vec3(-u.z, 0, u.x) : tac_vec3(u.y, -u.x, 0);
}

/* Room of the features of the nearest pair: along the segment and the edge or face, and of the normal in the cone of
 * the edge, corner or end. n is outward from the box. */
static double room(const tacBoxSegment *s, const nearestPair *p, tacVec3 n, double sine) {
    int crossed = p->end < 0 && p->region.beyond == 2;
    double least = p->region.beyond == 1 || crossed ? TAC_INFINITY : p->d, away = tac_norm3(s->c), cone = 1;
    tacVec3 x = tac_box_segment_at(s, p->t);
    for (int k = 0; k < 3; k++) {
        double along = tac_get3(s->half, k) - tac_abs(tac_get3(x, k));
        if (!p->region.side[k])
            least = tac_min(least, tac_margin_at(along, s->size, away) * (crossed ? sine : 1));
        else if (p->region.beyond > 1)
            cone = tac_min(cone, tac_abs(tac_get3(n, k)));
    }
    if (p->region.beyond > 1) least = tac_min(least, cone * tac_min(p->d, s->size));
    if (p->end < 0) return tac_min(least, tac_margin_at(s->h - tac_abs(p->t), s->length, away) * (crossed ? sine : 1));
    double outward = tac_dot3(n, s->u) * (p->end ? -1 : 1);
    return s->h > 0 ? tac_min(least, outward * tac_min(p->d, s->length)) : least;
}

/* Writes the touch of the nearest pair. Where segment and edge cross near each other, the normal is more accurate from
 * their directions than from their difference. */
static void put_nearest(const tacBoxSegment *s, const nearestPair *p, tacTouch *out) {
    tacVec3 n = p->gap;
    double d = p->d, sine = 1;
    if (p->end < 0 && p->region.beyond == 3) n = tac_madd3(n, -tac_dot3(n, s->u), s->u); /* across the segment */
    n = tac_scale3(1 / tac_norm3(n), n);
    if (p->end < 0 && p->region.beyond == 2) {
        tacVec3 cross = across_edge(s->u, tac_box_axis(&p->region));
        sine = tac_norm3(cross);
        if (d < sine * s->size) {
            n = tac_scale3((tac_dot3(cross, p->gap) < 0 ? -1 : 1) / sine, cross);
            d = tac_dot3(n, p->gap);
        }
    }
    tac_box_segment_put(s, p->t, n, d, p->end, out);
    tac_box_put_feature(&out->feature[1], &p->region);
    out->margin = room(s, p, n, sine);
}

/* --- Second points ------------------------------------------------------------------------------------------------ */

/* m: motion of box or capsule until interval i vanishes, when its two cuts exchange places. Either the segment meets
 * the line where the two planes cross, dt |u_a u_b|/|(u_a, u_b)| away, or its end meets the plane, dt |u_a| away. */
static double interval_room(const tacBoxSegment *s, const segmentIntervals *w, int i) {
    const tacBoxCut *c = &w->cut[i];
    double dt = c[1].t - c[0].t, u[2];
    for (int k = 0; k < 2; k++)
        u[k] = c[k].axis < 0 ? TAC_INFINITY : tac_abs(tac_get3(s->u, c[k].axis));
    if (c[0].axis == c[1].axis) return TAC_INFINITY; /* the two sides of one axis, or both ends */
    if (c[0].axis < 0 || c[1].axis < 0) return dt * tac_min(u[0], u[1]);
    return dt * u[0] * u[1] / tac_sqrt(u[0] * u[0] + u[1] * u[1]);
}

/* m: motion until an end of the segment crosses the plane of a face. */
static double end_room(const tacBoxSegment *s, double t) {
    tacVec3 x = tac_box_segment_at(s, t);
    double least = TAC_INFINITY;
    for (int k = 0; k < 3; k++)
        least = tac_min(least, tac_abs(tac_abs(tac_get3(x, k)) - tac_get3(s->half, k)));
    return least;
}

/* The touch at the far end of an interval along an edge: an end of the segment, or the edge's corner if it projects
 * onto the segment. It need not be the nearest pair, so its normal has no cone to stay in. */
static int edge_touch(const tacBoxSegment *s, tacBoxRegion edge, tacBoxCut cut, tacTouch *out) {
    nearestPair p = {.t = cut.t, .end = cut.axis < 0 ? cut.side > 0 : -1, .region = edge};
    if (cut.axis >= 0) {
        p.region.side[cut.axis] = cut.side;
        p.region.beyond = 3;
        tacVec3 corner =
            tac_vec3(p.region.side[0] * s->half.x, p.region.side[1] * s->half.y, p.region.side[2] * s->half.z);
        p.t = tac_dot3(s->u, tac_sub3(corner, s->c));
        if (!(tac_abs(p.t) < s->h) || cut.axis != tac_box_axis(&edge)) return 0;
        p.gap = tac_sub3(tac_box_segment_at(s, p.t), corner);
    } else {
        p.gap = tac_box_gap(s->half, tac_box_segment_at(s, p.t));
    }
    p.d = tac_norm3(p.gap);
    if (!(p.d > TAC_COINCIDENT * s->size)) return 0;
    put_nearest(s, &p, out);
    out->margin = cut.axis < 0 ? end_room(s, p.t) : s->h - tac_abs(p.t);
    return 1;
}

/* The second point in one direction (+1, -1) from the first, whose margin is `first`. It stays as long as the intervals
 * up to its own exist. If it is on another interval than the first point, it also needs the first point to stay on its
 * own. */
static int second_touch(const tacBoxSegment *s, const segmentIntervals *w, const nearestPair *p, double first,
                        int direction, tacTouch *out) {
    int edge = -1, far = direction > 0, found = 0, i = p->interval;
    double room = TAC_INFINITY, seen;
    tacBoxRegion beside = {{0, 0, 0}, 0};
    if (p->end == far) return 0;
    for (; i >= 0 && i < w->n && !found; i += direction) {
        tacBoxRegion g = region_of(s, w, i);
        if (g.beyond == 2 && edge < 0) {
            edge = i;
            beside = g;
        }
        room = tac_min(room, interval_room(s, w, i));
        if (g.beyond != 1) continue;
        int k = tac_box_axis(&g);
        tac_box_face_put(s, k, g.side[k], w->cut[i + far], out);
        if (i != p->interval) room = tac_min(room, first);
        found = 1;
    }
    if (!found) {
        if (edge < 0 || !edge_touch(s, beside, w->cut[edge + far], out)) return 0;
        room = tac_min(room, first);
    }
    seen = tac_margin_at(room, s->size, tac_norm3(s->c));
    out->margin = tac_min(out->margin, seen);
    return 1;
}

static int same_features(const tacTouch *a, const tacTouch *b) {
    return tac_same_feature(a->feature[0], b->feature[0]) && tac_same_feature(a->feature[1], b->feature[1]) &&
           a->rule == b->rule;
}

static int second_touches(const tacBoxSegment *s, segmentIntervals *w, nearestPair *p, double reach, tacTouch *out) {
    int n = 1;
    if (w->n == 0) {
        *w = cut_segment(s);
        p->interval = p->end ? w->n - 1 : 0;
    }
    for (int direction = -1; direction < 2; direction += 2)
        if (second_touch(s, w, p, out[0].margin, direction, &out[n]) && out[n].dist < reach &&
            !same_features(&out[0], &out[n]))
            n++;
    return n;
}

int tac_touch_capsule_box(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                          tacPairCache *cache, tacTouch *out) {
    (void)cache;
    tacBoxSegment s = {.c = tac_pose_local(B, A->p), .half = b->size, .h = a->size.y, .radius = a->size.x};
    s.A = A;
    s.B = B;
    s.size = tac_norm3(s.half);
    s.length = s.h + s.radius;
    if (!(tac_norm3(s.c) < s.size + s.length + reach)) return 0;
    s.u = tac_mulmtv3(B->R, tac_pose_axis(A, 2));
    segmentIntervals w;
    nearestPair p = nearest_pair(&s, &w);
    if (p.d <= TAC_COINCIDENT * (s.size + s.h)) return tac_capsule_box_deep(&s, p.t, reach, out);
    if (!(p.d - s.radius < reach)) return 0;
    put_nearest(&s, &p, out);
    return out[0].dist < reach ? second_touches(&s, &w, &p, reach, out) : 0;
}
