/* Rays against convex shapes. A line is inside of a convex shape over one interval. Shapes are intersections of
 * half-spaces and quadrics, whose intervals intersect; a capsule is the hull of two balls and a cylinder, whose
 * intervals unite. */
#include "collide/ray.h"

#include "math/scalar.h"

/* A line o + t d, d a unit vector. */
typedef struct Line {
    tacVec3 o, d;
} Line;

/* Inside for t from `in` to `out`; normals of the surface there. Empty where in > out. */
typedef struct Interval {
    double in, out;
    tacVec3 normal_in, normal_out;
} Interval;

static const Interval EMPTY = {TAC_INFINITY, -TAC_INFINITY, {0, 0, 0}, {0, 0, 0}};
static const Interval ALL = {-TAC_INFINITY, TAC_INFINITY, {0, 0, 0}, {0, 0, 0}};

static tacVec3 at(Line l, double t) { return tac_madd3(l.o, t, l.d); }

static tacVec3 unit(tacVec3 a) {
    double n = tac_norm3(a);
    return n > 0 ? tac_scale3(1 / n, a) : a;
}

static Interval intersect(Interval a, Interval b) {
    if (b.in > a.in) {
        a.in = b.in;
        a.normal_in = b.normal_in;
    }
    if (b.out < a.out) {
        a.out = b.out;
        a.normal_out = b.normal_out;
    }
    return a;
}

/* The interval of the union, where that is one. */
static Interval unite(Interval a, Interval b) {
    if (a.in > a.out) return b;
    if (b.in > b.out) return a;
    if (b.in < a.in) {
        a.in = b.in;
        a.normal_in = b.normal_in;
    }
    if (b.out > a.out) {
        a.out = b.out;
        a.normal_out = b.normal_out;
    }
    return a;
}

/* n . x <= w, n a unit vector */
static Interval half_space(Line l, tacVec3 n, double w) {
    double speed = tac_dot3(n, l.d), height = tac_dot3(n, l.o) - w;
    Interval all = ALL;
    if (speed == 0) return height <= 0 ? all : EMPTY;
    if (speed > 0) {
        all.out = -height / speed;
        all.normal_out = n;
    } else {
        all.in = -height / speed;
        all.normal_in = n;
    }
    return all;
}

/* Roots of a t^2 + 2 b t + c = 0, rising, without cancellation. Returns 0 when there are none. */
static int roots(double a, double b, double c, double *low, double *high) {
    double d = b * b - a * c;
    if (d < 0) return 0;
    double q = -(b + (b >= 0 ? tac_sqrt(d) : -tac_sqrt(d)));
    double first = q / a, second = q != 0 ? c / q : 0;
    *low = tac_min(first, second);
    *high = tac_max(first, second);
    return 1;
}

/* |x / radii| <= 1; an infinite radius: along that axis it goes on. The gradient of the surface is x / radii^2. */
static Interval ellipsoid(Line l, tacVec3 radii) {
    tacVec3 s = tac_vec3(1 / radii.x, 1 / radii.y, 1 / radii.z);
    tacVec3 o = tac_vec3(l.o.x * s.x, l.o.y * s.y, l.o.z * s.z), d = tac_vec3(l.d.x * s.x, l.d.y * s.y, l.d.z * s.z);
    double a = tac_dot3(d, d), c = tac_dot3(o, o) - 1;
    Interval i = ALL;
    if (a == 0) return c <= 0 ? i : EMPTY;
    if (!roots(a, tac_dot3(o, d), c, &i.in, &i.out)) return EMPTY;
    tacVec3 in = at((Line){o, d}, i.in), out = at((Line){o, d}, i.out);
    i.normal_in = unit(tac_vec3(in.x * s.x, in.y * s.y, in.z * s.z));
    i.normal_out = unit(tac_vec3(out.x * s.x, out.y * s.y, out.z * s.z));
    return i;
}

static Interval slab(Line l, double half) {
    return intersect(half_space(l, tac_vec3(0, 0, 1), half), half_space(l, tac_vec3(0, 0, -1), half));
}

static Interval cylinder(Line l, double radius, double half) {
    return intersect(ellipsoid(l, tac_vec3(radius, radius, TAC_INFINITY)), slab(l, half));
}

static Interval ball(Line l, double radius, double z) {
    l.o.z -= z;
    return ellipsoid(l, tac_vec3(radius, radius, radius));
}

static Interval capsule(Line l, double radius, double half) {
    return unite(cylinder(l, radius, half), unite(ball(l, radius, half), ball(l, radius, -half)));
}

/* Outwards at a point of the side: r = k (half - z). */
static tacVec3 side_normal(tacVec3 x, double k) {
    double r = tac_sqrt(x.x * x.x + x.y * x.y);
    return r > 0 ? unit(tac_vec3(x.x / r, x.y / r, k)) : tac_vec3(0, 0, 1);
}

/* x^2 + y^2 <= k^2 (half - z)^2 below the apex. Where the line is steeper than the side it leaves the one part and
 * enters the other, above the apex: what is below counts. */
static Interval cone(Line l, double radius, double half) {
    double k = radius / (2 * half), z = half - l.o.z, dz = -l.d.z;
    double a = l.d.x * l.d.x + l.d.y * l.d.y - k * k * dz * dz;
    double b = l.o.x * l.d.x + l.o.y * l.d.y - k * k * z * dz;
    double c = l.o.x * l.o.x + l.o.y * l.o.y - k * k * z * z;
    Interval i = ALL;
    double low = 0, high = 0;
    if (a == 0 && b == 0) {
        if (c > 0) return EMPTY;
    } else if (a == 0) {
        if (b > 0)
            i.out = -c / (2 * b);
        else
            i.in = -c / (2 * b);
    } else if (!roots(a, b, c, &low, &high)) {
        if (a > 0) return EMPTY;
    } else if (a > 0) {
        i.in = low;
        i.out = high;
    } else if (dz > 0) {
        i.in = high;
    } else {
        i.out = low;
    }
    if (tac_finite(i.in)) i.normal_in = side_normal(at(l, i.in), k);
    if (tac_finite(i.out)) i.normal_out = side_normal(at(l, i.out), k);
    return intersect(i, slab(l, half));
}

static Interval box(Line l, tacVec3 half) {
    Interval i = slab(l, half.z);
    i = intersect(i, half_space(l, tac_vec3(1, 0, 0), half.x));
    i = intersect(i, half_space(l, tac_vec3(-1, 0, 0), half.x));
    i = intersect(i, half_space(l, tac_vec3(0, 1, 0), half.y));
    return intersect(i, half_space(l, tac_vec3(0, -1, 0), half.y));
}

/* The normal of a polygon is half the sum of the cross products around it. */
static Interval hull(Line l, const tacHull *h) {
    Interval i = ALL;
    for (int f = 0; f < h->nface; f++) {
        const int *loop = h->loop + h->loop_adr[f];
        tacVec3 first = h->vert[loop[0]], n = tac_zero3();
        for (int k = 1; k + 1 < h->loop_num[f]; k++)
            n = tac_add3(n, tac_cross3(tac_sub3(h->vert[loop[k]], first), tac_sub3(h->vert[loop[k + 1]], first)));
        n = unit(n);
        i = intersect(i, half_space(l, n, tac_dot3(n, first)));
    }
    return h->nface > 0 ? i : EMPTY;
}

static Interval interval(const tacShape *s, Line l) {
    tacVec3 size = s->size;
    switch (s->type) {
    case TAC_GEOM_PLANE:
        return half_space(l, tac_vec3(0, 0, 1), 0);
    case TAC_GEOM_SPHERE:
        return ball(l, size.x, 0);
    case TAC_GEOM_CAPSULE:
        return capsule(l, size.x, size.y);
    case TAC_GEOM_ELLIPSOID:
        return ellipsoid(l, size);
    case TAC_GEOM_CYLINDER:
        return cylinder(l, size.x, size.y);
    case TAC_GEOM_BOX:
        return box(l, size);
    case TAC_GEOM_CONE:
        return cone(l, size.x, size.y);
    case TAC_GEOM_MESH:
        return hull(l, &s->hull);
    default:
        return EMPTY;
    }
}

/* The line starts where it is nearest to the shape's origin, so that a far ray loses no digits. */
int tac_ray_shape(const tacShape *s, tacVec3 from, tacVec3 along, tacRayHit *hit) {
    double ahead = -tac_dot3(from, along);
    Interval i = interval(s, (Line){tac_madd3(from, ahead, along), along});
    if (!(i.in <= i.out)) return 0;
    double in = ahead + i.in, out = ahead + i.out;
    if (in >= 0 && tac_finite(in))
        *hit = (tacRayHit){in, i.normal_in};
    else if (in < 0 && out >= 0 && tac_finite(out))
        *hit = (tacRayHit){out, i.normal_out};
    else
        return 0;
    return 1;
}
