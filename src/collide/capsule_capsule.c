/* Capsule against capsule: the nearest points of two segments c + s u, |s| <= h, and the ends that face the other
 * (docs/theory/collision.md, F2).
 *
 * The first touch is the nearest pair. Every end of either capsule that projects onto the other's segment (ends
 * included) and is nearer than `reach` is a touch too. So parallel capsules touch at both ends of their common part.
 * Crossed capsules touch in the first point only, because their ends are far. There is no angle at which one case
 * switches to the other. Cores that meet have the distance -r0 - r1. Their normal then separates the cores locally:
 *   two segments that cross   u0 x u1
 *   an end o (outward axis) on a segment along u   o - (o . u) u, the segment's x axis if that is zero
 *   two ends                  o0 - o1, the x axis of the first if that is zero */
#include "collide/closed_form.h"
#include "collide/pairs.h"

/* Squared sine below which the nearest points are refined once. */
#define REFINE_BELOW 1e-6

typedef struct segment {
    tacVec3 c, u;
    double h, r;
    const tacPose *pose;
} segment;

/* Two segments and a point of each. */
typedef struct segmentPair {
    const segment *of[2];
    tacVec3 D, cross; /* c1 - c0, u0 x u1 */
    double k, sine;   /* u0 . u1, |u0 x u1| */
    double along[2];  /* D . u0, D . u1 */
    double at[2];     /* parameters of the points */
    int end[2];       /* 0, 1, or -1: between the ends */
    tacVec3 gap;      /* from the first point to the second */
} segmentPair;

static segmentPair make_pair(const segment *a, const segment *b, tacVec3 D) {
    segmentPair p = {.of = {a, b}, .D = D, .cross = tac_cross3(a->u, b->u), .k = tac_dot3(a->u, b->u)};
    p.sine = tac_norm3(p.cross);
    p.along[0] = tac_dot3(D, a->u);
    p.along[1] = tac_dot3(D, b->u);
    return p;
}

static int which_end(double at, double h) { return at >= h ? 1 : at <= -h ? 0 : -1; }

static void place(segmentPair *p, double s, double t) {
    const segment *a = p->of[0], *b = p->of[1];
    p->at[0] = s;
    p->at[1] = t;
    p->end[0] = which_end(s, a->h);
    p->end[1] = which_end(t, b->h);
    p->gap = tac_madd3(tac_madd3(p->D, t, b->u), -s, a->u);
}

/* Nearest points of segments that are not parallel. On the lines, s = D . (u0 - (u0 . u1) u1)/sin^2. It is clamped to
 * the first segment, then to the second, then to the first again. */
static void nearest_crossed(segmentPair *p) {
    const segment *a = p->of[0], *b = p->of[1];
    double k = p->k, Du = p->along[0], Dv = p->along[1], square = p->sine * p->sine;
    double s = tac_clamp((Du - k * Dv) / square, -a->h, a->h), t = s * k - Dv;
    if (square < REFINE_BELOW) { /* (Du - k Dv) has lost digits: refine from here, where the lines are near */
        tacVec3 gap = tac_madd3(tac_madd3(p->D, t, b->u), -s, a->u);
        s = tac_clamp(s + tac_dot3(gap, tac_madd3(a->u, -k, b->u)) / square, -a->h, a->h);
        t = s * k - Dv;
    }
    if (t > b->h || t < -b->h) {
        t = tac_clamp(t, -b->h, b->h);
        s = tac_clamp(t * k + Du, -a->h, a->h);
    }
    place(p, s, t);
}

/* Parameter of the projection of end e of segment i onto the other segment's line: s k - D . u1, t k + D . u0. */
static double foot_of_end(const segmentPair *p, int i, int e) {
    double at = e ? p->of[i]->h : -p->of[i]->h;
    return i == 0 ? at * p->k - p->along[1] : at * p->k + p->along[0];
}

/* End e of segment i and the nearest point of the other segment. Where that is an end of the other segment up to
 * rounding, it counts as its end. The projection itself stays where it is, so that the gap is across the segment. */
static void place_end(segmentPair *p, int i, int e, double foot) {
    const segment *a = p->of[i], *b = p->of[1 - i];
    double at = e ? a->h : -a->h, rounding = TAC_COINCIDENT * (a->h + b->h), over = tac_abs(foot) - b->h;
    if (over > rounding) foot = foot < 0 ? -b->h : b->h;
    if (i == 0)
        place(p, at, foot);
    else
        place(p, foot, at);
    if (over >= -rounding) p->end[1 - i] = foot > 0;
}

/* An end of one segment is a nearest point of parallel segments, as are all others of their common part. An end that
 * projects inside the other segment comes before one that is clamped to its end. Where the ends are nearly level, the
 * clamped one is longer by less than rounding. */
static void nearest_parallel(segmentPair *p) {
    double best = TAC_INFINITY;
    int inside = 0;
    segmentPair nearest = *p;
    for (int i = 0; i < 4; i++) {
        double foot = foot_of_end(p, i / 2, i % 2);
        int is_inside = tac_abs(foot) <= p->of[1 - i / 2]->h;
        place_end(p, i / 2, i % 2, foot);
        double square = tac_dot3(p->gap, p->gap);
        if (is_inside < inside || (is_inside == inside && !(square < best))) continue;
        best = square;
        nearest = *p;
        inside = is_inside;
    }
    *p = nearest;
}

/* component of a across u */
static tacVec3 across(tacVec3 a, tacVec3 u) { return tac_madd3(a, -tac_dot3(a, u), u); }

static tacVec3 unit_or(tacVec3 a, tacVec3 otherwise) {
    double length = tac_norm3(a);
    return length > TAC_PARALLEL ? tac_scale3(1 / length, a) : otherwise;
}

/* Normal where the cores meet (see above). */
static tacVec3 normal_of_meeting(const segmentPair *p) {
    tacVec3 o[2];
    for (int i = 0; i < 2; i++)
        o[i] = tac_scale3(p->end[i] == 0 ? -1 : 1, p->of[i]->u);
    if (p->end[0] >= 0 && p->end[1] >= 0) return unit_or(tac_sub3(o[0], o[1]), tac_pose_axis(p->of[0]->pose, 0));
    int on = p->end[0] >= 0; /* index of the segment that holds the other's end */
    tacVec3 u = p->of[on]->u, n = unit_or(across(o[1 - on], u), tac_pose_axis(p->of[on]->pose, 0));
    return unit_or(tac_scale3(on ? 1 : -1, across(n, u)), n);
}

/* Whether the gap at an end of segment i points back inside, by no more than rounding. */
static int is_back_inside(const segmentPair *p, int i, tacVec3 gap) {
    double along = tac_dot3(gap, p->of[i]->u) * ((p->end[i] == 1) == (i == 0) ? 1 : -1);
    double rounding = TAC_COINCIDENT * (p->of[0]->h + p->of[1]->h);
    return p->end[i] >= 0 && p->of[i]->h > rounding && along < 0 && -along <= rounding;
}

/* Unit normal from core 0 to core 1 and their distance. For crossing segments near each other, the normal is more
 * accurate from the axes. The component of the gap along a segment is rounding and is removed: a long segment would
 * amplify it. */
static tacVec3 normal_of(const segmentPair *p, double *d) {
    double size = p->of[0]->h + p->of[1]->h, length = tac_norm3(p->gap);
    int line = p->end[0] < 0 ? 0 : p->end[1] < 0 ? 1 : -1;
    *d = length;
    tacVec3 n = p->gap;
    if (p->end[0] < 0 && p->end[1] < 0 && length < size * p->sine)
        n = tac_dot3(p->gap, p->cross) < 0 ? tac_neg3(p->cross) : p->cross;
    else if (!(length > TAC_COINCIDENT * (size + p->of[0]->r + p->of[1]->r)))
        return normal_of_meeting(p);
    for (int i = 0; i < 2; i++)
        if (is_back_inside(p, i, n)) n = across(n, p->of[i]->u);
    if (line >= 0) n = across(n, p->of[line]->u);
    n = tac_scale3(1 / tac_norm3(n), n);
    *d = tac_dot3(p->gap, n);
    return n;
}

/* Room of the features: along a segment (used up 1/sine times as fast where two lines cross), and of an end's
 * normal. */
static double room(const segmentPair *p, tacVec3 n, double d, int is_nearest) {
    int crossed = p->end[0] < 0 && p->end[1] < 0;
    double least = crossed ? TAC_INFINITY : d, away = tac_norm3(p->D);
    for (int i = 0; i < 2; i++) {
        const segment *a = p->of[i];
        double size = a->h + a->r, outward = tac_dot3(n, a->u) * ((p->end[i] == 1) == (i == 0) ? 1 : -1);
        double along = tac_margin_at(a->h - tac_abs(p->at[i]), size, away);
        if (p->end[i] < 0)
            least = tac_min(least, crossed ? along * p->sine : along);
        else if (is_nearest && a->h > 0)
            least = tac_min(least, outward * tac_min(d, size));
    }
    return least;
}

static void put_feature(tacFeature *f, int end) {
    tac_put_feature(f, end < 0 ? TAC_FEATURE_LINE : TAC_FEATURE_POINT, end < 0 ? 0 : end, end < 0);
}

/* Writes the touch at p. Returns whether it is within reach. */
static int put_touch(const segmentPair *p, int is_nearest, double reach, tacTouch *out) {
    const segment *a = p->of[0], *b = p->of[1];
    double limit = reach + a->r + b->r, d;
    if (!(limit > 0 && tac_dot3(p->gap, p->gap) < limit * limit)) return 0;
    tacVec3 n = normal_of(p, &d);
    tac_put_between(out, tac_madd3(a->c, p->at[0], a->u), n, d, a->r, b->r);
    for (int i = 0; i < 2; i++)
        put_feature(&out->feature[i], p->end[i]);
    out->margin = room(p, n, d, is_nearest);
    return out->dist < reach;
}

static int is_new(const tacTouch *t, int n, const tacTouch *others) {
    for (int i = 0; i < n; i++)
        if (tac_same_feature(t->feature[0], others[i].feature[0]) &&
            tac_same_feature(t->feature[1], others[i].feature[1]))
            return 0;
    return 1;
}

/* Adds the ends that project onto the other segment, after the first touch. Its ends count as inside, up to rounding.
 * So equal capsules side by side have both pairs of ends. */
static int facing_ends(segmentPair *p, double reach, tacTouch *out) {
    int n = 1;
    double rounding = TAC_COINCIDENT * (p->of[0]->h + p->of[1]->h);
    for (int i = 0; i < 4; i++) {
        double foot = foot_of_end(p, i / 2, i % 2);
        if (tac_abs(foot) > p->of[1 - i / 2]->h + rounding || !(p->of[i / 2]->h > 0)) continue;
        place_end(p, i / 2, i % 2, foot);
        if (put_touch(p, 0, reach, &out[n]) && is_new(&out[n], n, out)) n++;
    }
    return n;
}

int tac_touch_capsule_capsule(const tacShape *a, const tacPose *A, const tacShape *b, const tacPose *B, double reach,
                              tacPairCache *cache, tacTouch *out) {
    (void)cache;
    tacVec3 D = tac_sub3(B->p, A->p);
    double most = reach + (a->size.x + a->size.y) + (b->size.x + b->size.y);
    if (!(most > 0 && tac_dot3(D, D) < most * most)) return 0;
    segment first = {A->p, tac_pose_axis(A, 2), a->size.y, a->size.x, A};
    segment second = {B->p, tac_pose_axis(B, 2), b->size.y, b->size.x, B};
    segmentPair p = make_pair(&first, &second, D);
    if (p.sine > TAC_PARALLEL)
        nearest_crossed(&p);
    else
        nearest_parallel(&p);
    return put_touch(&p, 1, reach, out) ? facing_ends(&p, reach, out) : 0;
}
