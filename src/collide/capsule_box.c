/* Capsule against box: a segment p(t) = c + t u, |t| <= h, against the box, in the box's frame; all else is the ball
 * around the segment.
 *
 * Apart. With e(t) = p - clamp(p), half the squared distance is f = e.e/2, convex, and f' = e . u is monotone and
 * linear on each of the up to seven stretches into which faces' planes cut the segment. Its root is the nearest point,
 * and the stretch's region the box's feature. A segment along a face or an edge has a whole stretch of roots: its end
 * is taken. Overlapping (the segment meets the box). The least translation is along a face normal or an edge crossed
 * with the segment: separating axes of box and segment (capsule_box_deep.c).
 *
 * Second points. From the first touch, in either direction along the segment: where the first face that it runs over
 * ends under it (an end of the segment, or CLIP by an edge of the face); where it runs over no face, where the first
 * edge ends (an end of the segment, or the corner). So a capsule along a face or an edge has the ends of the stretch,
 * which come and go by distance alone. */
#include "collide/capsule_box.h"

#include "collide/pairs.h"

/* The segment cut where coordinates pass faces. Stretch i runs from cut[i].t to cut[i + 1].t; the first and last cut
 * are the segment's ends. */
#define TAC_MAX_STRETCH 7
typedef struct boxStretches {
    int n; /* 0: not cut yet */
    tacBoxCut cut[TAC_MAX_STRETCH + 1];
} boxStretches;

static boxStretches cut_segment(const tacBoxSegment *s) {
    boxStretches w = {.n = 1};
    w.cut[0] = (tacBoxCut){-s->h, -1, -1}, w.cut[1] = (tacBoxCut){s->h, -1, 1};
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

static tacBoxRegion region_of(const tacBoxSegment *s, const boxStretches *w, int i) {
    return tac_box_region(s->half, tac_box_segment_at(s, 0.5 * (w->cut[i].t + w->cut[i + 1].t)));
}

static double slope(const tacBoxSegment *s, double t) {
    return tac_dot3(tac_box_gap(s->half, tac_box_segment_at(s, t)), s->u);
}

/* Where on the segment the nearest point is, and what is nearest to what there. */
typedef struct nearPlace {
    double t;
    int stretch;
    int end; /* of the segment: 0, 1; -1: between */
    tacBoxRegion region;
    tacVec3 gap; /* from the box to the segment */
    double d;
} nearPlace;

/* The root of f' on a stretch: sum over the sides beyond of u_i (c_i + t u_i - b_i) = 0. *rise: sum of their u_i^2,
 * zero where the segment is along the feature. */
static double root_on(const tacBoxSegment *s, const boxStretches *w, int i, double *rise) {
    double low = w->cut[i].t, high = w->cut[i + 1].t, value = 0;
    tacBoxRegion g = region_of(s, w, i);
    *rise = 0;
    for (int k = 0; k < 3; k++) {
        if (!g.side[k]) continue;
        double u = tac_get3(s->u, k);
        *rise += u * u, value += u * (g.side[k] * tac_get3(s->half, k) - tac_get3(s->c, k));
    }
    return *rise > 0 ? tac_clamp(value / *rise, low, high) : low;
}

/* The end of a stretch of roots: an end of the segment if there is one; else the border to the region before it, whose
 * feature takes the place of the face or edge that the segment is along. */
static void settle_along(const boxStretches *w, nearPlace *p) {
    int i = p->stretch;
    if (i == 0)
        p->t = w->cut[0].t;
    else if (i == w->n - 1)
        p->t = w->cut[w->n].t;
    else
        p->t = w->cut[i].t, p->stretch = i - 1;
}

/* A segment has no nearest point above a face that it is not along. Where rounding says so (a thin box), the root is
 * the stretch's border, and the feature that of the region beyond it. */
static void leave_face(const boxStretches *w, nearPlace *p) {
    int i = p->stretch;
    if (p->t <= w->cut[i].t && i > 0)
        p->stretch = i - 1;
    else if (p->t >= w->cut[i + 1].t && i < w->n - 1)
        p->stretch = i + 1;
}

static void nearest_between_ends(const tacBoxSegment *s, boxStretches *w, nearPlace *p) {
    double rise;
    *w = cut_segment(s);
    while (p->stretch < w->n - 1 && slope(s, w->cut[p->stretch + 1].t) < 0)
        p->stretch++;
    p->t = root_on(s, w, p->stretch, &rise);
    if (rise <= TAC_ALONG * TAC_ALONG)
        settle_along(w, p);
    else if (region_of(s, w, p->stretch).beyond == 1)
        leave_face(w, p);
    p->end = p->t >= s->h ? 1 : p->t <= -s->h ? 0 : -1;
    p->region = region_of(s, w, p->stretch);
}

static nearPlace nearest_place(const tacBoxSegment *s, boxStretches *w) {
    nearPlace p = {.t = -s->h};
    int low = slope(s, -s->h) >= 0;
    w->n = 0;
    if (low || slope(s, s->h) <= 0) {
        p.end = !low, p.t = low ? -s->h : s->h;
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

/* Room of the features at the nearest pair, with n outwards from the box: along the segment and the edge or face, of
 * the normal in the cone of edge, corner or end. */
static double room(const tacBoxSegment *s, const nearPlace *p, tacVec3 n, double sine) {
    int crossed = p->end < 0 && p->region.beyond == 2;
    double least = p->region.beyond == 1 || crossed ? TAC_INFINITY : p->d, away = tac_norm3(s->c), cone = 1;
    tacVec3 x = tac_box_segment_at(s, p->t);
    for (int k = 0; k < 3; k++) {
        double along = tac_get3(s->half, k) - tac_abs(tac_get3(x, k));
        if (!p->region.side[k])
            least = tac_min(least, tac_seen_from(along, s->size, away) * (crossed ? sine : 1));
        else if (p->region.beyond > 1)
            cone = tac_min(cone, tac_abs(tac_get3(n, k)));
    }
    if (p->region.beyond > 1) least = tac_min(least, cone * tac_min(p->d, s->size));
    if (p->end < 0) return tac_min(least, tac_seen_from(s->h - tac_abs(p->t), s->length, away) * (crossed ? sine : 1));
    double outward = tac_dot3(n, s->u) * (p->end ? -1 : 1);
    return s->h > 0 ? tac_min(least, outward * tac_min(p->d, s->length)) : least;
}

/* The touch of the nearest pair. Where segment and edge cross near each other their directions tell the normal better
 * than their difference. */
static void put_nearest(const tacBoxSegment *s, const nearPlace *p, tacTouch *out) {
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

/* How far a box or capsule may move before stretch i is no more, its two cuts having changed places: before the segment
 * meets the line where the two planes cross, dt |u_a u_b|/|(u_a, u_b)| away, or its end the plane, dt |u_a|. */
static double stretch_room(const tacBoxSegment *s, const boxStretches *w, int i) {
    const tacBoxCut *c = &w->cut[i];
    double dt = c[1].t - c[0].t, u[2];
    for (int k = 0; k < 2; k++)
        u[k] = c[k].axis < 0 ? TAC_INFINITY : tac_abs(tac_get3(s->u, c[k].axis));
    if (c[0].axis == c[1].axis) return TAC_INFINITY; /* the two sides of one axis, or both ends */
    if (c[0].axis < 0 || c[1].axis < 0) return dt * tac_min(u[0], u[1]);
    return dt * u[0] * u[1] / tac_sqrt(u[0] * u[0] + u[1] * u[1]);
}

/* And before an end of the segment passes the plane of a face. */
static double end_room(const tacBoxSegment *s, double t) {
    tacVec3 x = tac_box_segment_at(s, t);
    double least = TAC_INFINITY;
    for (int k = 0; k < 3; k++)
        least = tac_min(least, tac_abs(tac_abs(tac_get3(x, k)) - tac_get3(s->half, k)));
    return least;
}

/* The far end of a stretch along an edge: an end of the segment, or the edge's corner if it projects inside. Neither
 * has to be the nearest: there is no cone that its normal could leave. */
static int edge_touch(const tacBoxSegment *s, tacBoxRegion edge, tacBoxCut cut, tacTouch *out) {
    nearPlace p = {.t = cut.t, .end = cut.axis < 0 ? cut.side > 0 : -1, .region = edge};
    if (cut.axis >= 0) {
        p.region.side[cut.axis] = cut.side, p.region.beyond = 3;
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

/* The second point in one direction (+1, -1) from the first, whose margin is `first`. It stays while the stretches up
 * to its own do; where it is on another one than the first point, while that stays on its own, too. */
static int second_touch(const tacBoxSegment *s, const boxStretches *w, const nearPlace *p, double first, int direction,
                        tacTouch *out) {
    int edge = -1, far = direction > 0, found = 0, i = p->stretch;
    double room = TAC_INFINITY, seen;
    tacBoxRegion beside = {{0, 0, 0}, 0};
    if (p->end == far) return 0;
    for (; i >= 0 && i < w->n && !found; i += direction) {
        tacBoxRegion g = region_of(s, w, i);
        if (g.beyond == 2 && edge < 0) edge = i, beside = g;
        room = tac_min(room, stretch_room(s, w, i));
        if (g.beyond != 1) continue;
        int k = tac_box_axis(&g);
        tac_box_face_put(s, k, g.side[k], w->cut[i + far], out);
        if (i != p->stretch) room = tac_min(room, first);
        found = 1;
    }
    if (!found) {
        if (edge < 0 || !edge_touch(s, beside, w->cut[edge + far], out)) return 0;
        room = tac_min(room, first);
    }
    seen = tac_seen_from(room, s->size, tac_norm3(s->c));
    out->margin = tac_min(out->margin, seen);
    return 1;
}

static int same_features(const tacTouch *a, const tacTouch *b) {
    return tac_same_feature(a->feature[0], b->feature[0]) && tac_same_feature(a->feature[1], b->feature[1]) &&
           a->rule == b->rule;
}

static int second_touches(const tacBoxSegment *s, boxStretches *w, nearPlace *p, double reach, tacTouch *out) {
    int n = 1;
    if (w->n == 0) *w = cut_segment(s), p->stretch = p->end ? w->n - 1 : 0;
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
    s.A = A, s.B = B, s.size = tac_norm3(s.half), s.length = s.h + s.radius;
    if (!(tac_norm3(s.c) < s.size + s.length + reach)) return 0;
    s.u = tac_mulmtv3(B->R, tac_pose_axis(A, 2));
    boxStretches w;
    nearPlace p = nearest_place(&s, &w);
    if (p.d <= TAC_COINCIDENT * (s.size + s.h)) return tac_capsule_box_deep(&s, p.t, reach, out);
    if (!(p.d - s.radius < reach)) return 0;
    put_nearest(&s, &p, out);
    return out[0].dist < reach ? second_touches(&s, &w, &p, reach, out) : 0;
}
