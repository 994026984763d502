/* Branch and bound over the sphere of directions. */
#include "slow_distance.h"

#include <math.h>
#include <stdlib.h>

/* --- Support ------------------------------------------------------------------------------------------------------ */

static tacVec3 unit(tacVec3 a) { return tac_scale3(1 / tac_norm3(a), a); }

/* Furthest point along d, in the shape's frame. */
static tacVec3 furthest(const tacShape *s, tacVec3 d) {
    tacVec3 r = s->size;
    double flat = hypot(d.x, d.y), len;
    tacVec3 rim = flat > 0 ? tac_vec3(r.x * d.x / flat, r.x * d.y / flat, 0) : tac_zero3();
    switch (s->type) {
    case TAC_GEOM_SPHERE:
        return tac_scale3(r.x / tac_norm3(d), d);
    case TAC_GEOM_CAPSULE:
        return tac_add3(tac_scale3(r.x / tac_norm3(d), d), tac_vec3(0, 0, copysign(r.y, d.z)));
    case TAC_GEOM_CYLINDER:
        return tac_vec3(rim.x, rim.y, copysign(r.y, d.z));
    case TAC_GEOM_CONE:
        return 2 * r.y * d.z > r.x * flat ? tac_vec3(0, 0, r.y) : tac_vec3(rim.x, rim.y, -r.y);
    case TAC_GEOM_BOX:
        return tac_vec3(copysign(r.x, d.x), copysign(r.y, d.y), copysign(r.z, d.z));
    case TAC_GEOM_ELLIPSOID:
        len = tac_norm3(tac_mul3(r, d));
        return len > 0 ? tac_scale3(1 / len, tac_mul3(tac_mul3(r, r), d)) : tac_zero3();
    default:
        break;
    }
    int best = 0;
    double far = -HUGE_VAL;
    for (int i = 0; i < s->hull.nvert; i++) {
        double along = tac_dot3(d, s->hull.vert[i]);
        if (along > far) far = along, best = i;
    }
    return s->hull.vert[best];
}

double slow_support(const Solid *s, tacVec3 n) {
    tacVec3 d = tac_mulmtv3(s->pose.R, n);
    if (s->shape->type == TAC_GEOM_PLANE)
        return hypot(d.x, d.y) <= 1e-12 && d.z > 0 ? tac_dot3(n, s->pose.p) : HUGE_VAL;
    return tac_dot3(n, s->pose.p) + tac_dot3(d, furthest(s->shape, d));
}

double slow_gap(const Solid *a, const Solid *b, tacVec3 n) {
    return -slow_support(a, n) - slow_support(b, tac_neg3(n));
}

double slow_radius(const tacShape *s) {
    tacVec3 r = s->size;
    double far = 0;
    switch (s->type) {
    case TAC_GEOM_PLANE:
        return 0;
    case TAC_GEOM_SPHERE:
        return r.x;
    case TAC_GEOM_CAPSULE:
        return r.x + r.y;
    case TAC_GEOM_CYLINDER:
    case TAC_GEOM_CONE:
        return hypot(r.x, r.y);
    case TAC_GEOM_BOX:
        return tac_norm3(r);
    case TAC_GEOM_ELLIPSOID:
        return fmax(r.x, fmax(r.y, r.z));
    default:
        break;
    }
    for (int i = 0; i < s->hull.nvert; i++)
        far = fmax(far, tac_norm3(s->hull.vert[i]));
    return far;
}

/* --- The search --------------------------------------------------------------------------------------------------- */

/* A part of the sphere: n = (axis + u side + v other)/|.| for (u, v) in a convex polygon; the axes are +-x, +-y,
 * +-z. */
enum { MOST_CORNERS = 12, RING = 1 << 14, BUDGET = 400000 };
typedef struct Cell {
    int face, n;
    double u[MOST_CORNERS], v[MOST_CORNERS];
} Cell;

typedef struct Search {
    const Solid *a, *b;
    tacVec3 between; /* from A's origin to B's */
    double eps;
    SlowDistance best;
    Cell *ring;
    int first, count;
} Search;

static tacVec3 direction(int face, double u, double v) {
    double s = face & 1 ? -1 : 1;
    switch (face / 2) {
    case 0:
        return tac_vec3(s, u, v);
    case 1:
        return tac_vec3(v, s, u);
    default:
        return tac_vec3(u, v, s);
    }
}

/* w with g(m) <= m . w for every m, and equality along n: the point of B - A that is least along n. */
static tacVec3 least(Search *q, tacVec3 n) {
    const Solid *a = q->a, *b = q->b;
    tacVec3 xa = tac_mulmv3(a->pose.R, furthest(a->shape, tac_mulmtv3(a->pose.R, n)));
    tacVec3 xb = tac_mulmv3(b->pose.R, furthest(b->shape, tac_mulmtv3(b->pose.R, tac_neg3(n))));
    tacVec3 w = tac_add3(q->between, tac_sub3(xb, xa));
    double gap = tac_dot3(n, w) / tac_norm3(n);
    q->best.evaluations++;
    if (gap > q->best.dist) q->best.dist = gap, q->best.normal = unit(n);
    return w;
}

static void push(Search *q, const Cell *c) {
    if (q->count == RING) {
        q->best.exhausted = 1;
        return;
    }
    q->ring[(q->first + q->count++) % RING] = *c;
}

/* The oldest cell, so that good directions are found early; the newest where the ring fills, so that it does not. */
static Cell take(Search *q) {
    int newest = (q->first + --q->count) % RING, oldest = q->first;
    if (2 * q->count > RING) return q->ring[newest];
    q->first = (q->first + 1) % RING;
    return q->ring[oldest];
}

/* Keeps the part of the polygon where p u + q v + r >= 0. */
static void cut(Cell *c, double p, double q, double r) {
    Cell old = *c;
    c->n = 0;
    for (int i = 0; i < old.n; i++) {
        int j = (i + 1) % old.n;
        double fi = p * old.u[i] + q * old.v[i] + r, fj = p * old.u[j] + q * old.v[j] + r;
        if (fi >= 0) c->u[c->n] = old.u[i], c->v[c->n++] = old.v[i];
        if ((fi > 0 && fj < 0) || (fi < 0 && fj > 0)) {
            double t = fi / (fi - fj);
            c->u[c->n] = old.u[i] + t * (old.u[j] - old.u[i]), c->v[c->n++] = old.v[i] + t * (old.v[j] - old.v[i]);
        }
    }
}

/* Twice the area; centre of area. */
static double centre(const Cell *c, double *u, double *v) {
    double area = 0, su = 0, sv = 0, mu = 0, mv = 0;
    for (int i = 1; i + 1 < c->n; i++) {
        double ax = c->u[i] - c->u[0], ay = c->v[i] - c->v[0], bx = c->u[i + 1] - c->u[0], by = c->v[i + 1] - c->v[0];
        double a = ax * by - ay * bx;
        area += a, su += a * (ax + bx) / 3, sv += a * (ay + by) / 3;
    }
    for (int i = 0; i < c->n; i++)
        mu += c->u[i] / c->n, mv += c->v[i] / c->n;
    int thin = !(area > 1e-300);
    *u = thin ? mu : c->u[0] + su / area, *v = thin ? mv : c->v[0] + sv / area;
    return area;
}

/* The corner furthest from (u, v); its distance squared. */
static double reach(const Cell *c, double u, double v, int *corner) {
    double far = -1;
    for (int i = 0; i < c->n; i++) {
        double d = (c->u[i] - u) * (c->u[i] - u) + (c->v[i] - v) * (c->v[i] - v);
        if (d > far) far = d, *corner = i;
    }
    return far;
}

/* Cuts away what cannot be better than T = best + eps. With y = (u, v) and m = (y, 1), a better m has m . w > T |m|,
 * and about the centre c, with s = |(c, 1)|,
 *   |m| >= s + c . (y - c)/s,   |m| <= s + c . (y - c)/s + |y - c|^2/2,
 * the first for T > 0, the second for T < 0. Both sides are then linear in y. */
static void keep_better(Search *q, Cell *c, double u, double v) {
    int corner = 0;
    double s = sqrt(1 + u * u + v * v), far2 = reach(c, u, v, &corner);
    tacVec3 w = least(q, direction(c->face, u, v));
    double T = q->best.dist + q->eps;
    double wu = tac_dot3(w, tac_sub3(direction(c->face, 1, 0), direction(c->face, 0, 0)));
    double wv = tac_dot3(w, tac_sub3(direction(c->face, 0, 1), direction(c->face, 0, 0)));
    double w1 = tac_dot3(w, direction(c->face, 0, 0));
    cut(c, wu - T * u / s, wv - T * v / s, w1 - T * (s - (u * u + v * v) / s + (T < 0 ? far2 / 2 : 0)));
}

/* One cell: evaluate, cut, and halve it unless the cut already did. */
static void look(Search *q, Cell c) {
    double u, v, old = centre(&c, &u, &v);
    keep_better(q, &c, u, v);
    if (c.n < 3) return;
    double area = centre(&c, &u, &v);
    int corner = 0;
    reach(&c, u, v, &corner);
    if (area < 0.5 * old && c.n < MOST_CORNERS - 2) {
        push(q, &c);
        return;
    }
    double p = c.u[corner] - u, r = c.v[corner] - v;
    Cell half = c;
    cut(&half, p, r, -(p * u + r * v));
    cut(&c, -p, -r, p * u + r * v);
    if (half.n >= 3) push(q, &half);
    if (c.n >= 3) push(q, &c);
}

/* Directions that are often the answer; they only save time. */
static void guess(Search *q) {
    if (tac_dot3(q->between, q->between) > 0) least(q, q->between);
    for (int k = 0; k < 12; k++) {
        const double *R = k < 6 ? q->a->pose.R.m : q->b->pose.R.m;
        int j = k % 3;
        least(q, tac_scale3(k / 3 % 2 ? -1 : 1, tac_vec3(R[j], R[3 + j], R[6 + j])));
    }
}

static SlowDistance from_plane(const Solid *plane, const Solid *b, double sign) {
    tacVec3 n = tac_vec3(plane->pose.R.m[2], plane->pose.R.m[5], plane->pose.R.m[8]);
    double dist = b->shape->type == TAC_GEOM_PLANE ? -HUGE_VAL : slow_gap(plane, b, n);
    return (SlowDistance){.dist = dist, .normal = tac_scale3(sign, n), .evaluations = 1};
}

/* Takes the ball off a shape -> its radius: g of the rest has its maximum in the same place, and bounds that are
 * relative to it are closer. */
static double take_ball(tacShape *s) {
    double radius = s->type == TAC_GEOM_SPHERE || s->type == TAC_GEOM_CAPSULE ? s->size.x : 0;
    s->size.x -= radius;
    return radius;
}

SlowDistance slow_search(const Solid *a, const Solid *b, double eps, long budget) {
    if (a->shape->type == TAC_GEOM_PLANE) return from_plane(a, b, 1);
    if (b->shape->type == TAC_GEOM_PLANE) return from_plane(b, a, -1);
    tacShape core[2] = {*a->shape, *b->shape};
    double balls = take_ball(&core[0]) + take_ball(&core[1]);
    Solid of[2] = {{&core[0], a->pose}, {&core[1], b->pose}};
    Search q = {.a = &of[0], .b = &of[1], .between = tac_sub3(b->pose.p, a->pose.p), .eps = eps};
    q.best.dist = -HUGE_VAL;
    q.ring = malloc(RING * sizeof(Cell));
    if (q.ring == NULL) abort();
    guess(&q);
    for (int face = 0; face < 6; face++)
        push(&q, &(Cell){face, 4, {-1, 1, 1, -1}, {-1, -1, 1, 1}});
    while (q.count > 0) {
        look(&q, take(&q));
        if (q.best.evaluations < budget) continue;
        q.best.exhausted = 1;
        break;
    }
    free(q.ring);
    q.best.dist -= balls;
    return q.best;
}

SlowDistance slow_distance(const Solid *a, const Solid *b, double eps) { return slow_search(a, b, eps, BUDGET); }
