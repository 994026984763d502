/* Distance of a touch from the border of its feature: the room along the core (a length) and inside the cone of the
 * feature's normals (an angle). Equations: docs/theory/collision.md.
 *
 *   feature          room along the core               room of the normal
 *   plane PLANE      unbounded                         fixed
 *   sphere POINT     -                                 any normal
 *   ellipsoid        -                                 any normal
 *   capsule POINT    -                                 n . z beyond the end
 *   capsule LINE     to the ends                       follows the line
 *   cylinder LINE    to the flat ends                  follows the line
 *   flat end, base   r - distance from the axis        fixed
 *   CIRCLE           -                                 between the normal of the side and that of the flat end
 *   cone POINT       -                                 inside the normals of the side
 *   cone SIDE        to apex and rim                   follows the side
 *   box, mesh POINT  -                                 below every edge of the corner
 *   box, mesh LINE   to both corners                   between the normals of the two faces
 *   box, mesh PLANE  to the edges of the face          fixed
 *
 * Angles are given by their sines. */
#include "collide/feature.h"

typedef struct featureRoom {
    double length, angle;
} featureRoom;

static double end_sign(int id) { return id == 1 ? 1 : -1; }

/* A feature with a point of its core and a normal, in the shape's frame. */
typedef struct featurePlace {
    const tacShape *shape;
    tacFeature feature;
    tacVec3 x, n;
} featurePlace;

/* --- Boxes and meshes --------------------------------------------------------------------------------------------- */

/* Corner v is the support point along n while n . (w - v) < 0 for all its neighbours w. */
static featureRoom corner_room(const featurePlace *p) {
    const int *neighbour;
    int v = p->feature.id[0], count = tac_shape_neighbours(p->shape, v, &neighbour);
    tacVec3 corner = tac_shape_vertex(p->shape, v);
    double least = TAC_INFINITY;
    for (int i = 0; i < count; i++) {
        tacVec3 e = tac_sub3(tac_shape_vertex(p->shape, neighbour[i]), corner);
        double length = tac_norm3(e);
        if (length > 0) least = tac_min(least, -tac_dot3(p->n, e) / length);
    }
    return (featureRoom){TAC_INFINITY, least};
}

/* Sine of the angle by which n may rotate about the edge of direction e before a face at corner v supports it: the
 * least over the neighbours w, by the component of w - v across the edge. */
static double edge_angle(const featurePlace *p, int v, tacVec3 e) {
    const int *neighbour;
    int count = tac_shape_neighbours(p->shape, v, &neighbour);
    tacVec3 corner = tac_shape_vertex(p->shape, v);
    double least = TAC_INFINITY;
    for (int i = 0; i < count; i++) {
        if (neighbour[i] == p->feature.id[0] || neighbour[i] == p->feature.id[1]) continue;
        tacVec3 a = tac_sub3(tac_shape_vertex(p->shape, neighbour[i]), corner);
        tacVec3 across = tac_madd3(a, -tac_dot3(a, e), e);
        double length = tac_norm3(across);
        if (length > 0) least = tac_min(least, -tac_dot3(p->n, across) / length);
    }
    return least;
}
static featureRoom edge_room(const featurePlace *p) {
    tacVec3 v0 = tac_shape_vertex(p->shape, p->feature.id[0]), v1 = tac_shape_vertex(p->shape, p->feature.id[1]);
    double length = tac_norm3(tac_sub3(v1, v0));
    if (!(length > 0)) return (featureRoom){0, 0};
    tacVec3 e = tac_scale3(1 / length, tac_sub3(v1, v0));
    double at = tac_dot3(tac_sub3(p->x, v0), e);
    return (featureRoom){tac_min(at, length - at),
                         tac_min(edge_angle(p, p->feature.id[0], e), edge_angle(p, p->feature.id[1], e))};
}

/* Room in a face: the least distance of x from the edges of the loop, inwards. */
static featureRoom face_room(const featurePlace *p) {
    const int *loop;
    int count = tac_shape_loop(p->shape, p->feature.id[0], &loop);
    tacVec3 normal = tac_feature_normal(p->shape, &TAC_IDENTITY_POSE, p->feature);
    double least = TAC_INFINITY;
    for (int i = 0; i < count; i++) {
        tacVec3 v = tac_shape_vertex(p->shape, loop[i]);
        tacVec3 e = tac_sub3(tac_shape_vertex(p->shape, loop[i + 1 < count ? i + 1 : 0]), v);
        tacVec3 inwards = tac_cross3(normal, e);
        double length = tac_norm3(inwards);
        if (length > 0) least = tac_min(least, tac_dot3(inwards, tac_sub3(p->x, v)) / length);
    }
    return (featureRoom){least, TAC_INFINITY};
}

/* Features of a box by axis. A corner is fixed on all three axes, an edge on the two across it, a face on the one
 * across it. n stays in the cone while it points outwards on the fixed axes. x stays on the feature while it is within
 * the sizes on the others. */
static featureRoom box_room(const featurePlace *p) {
    const double x[3] = {p->x.x, p->x.y, p->x.z}, n[3] = {p->n.x, p->n.y, p->n.z};
    featureRoom r = {TAC_INFINITY, TAC_INFINITY};
    int corner = p->feature.id[0], free = 0;
    if (p->feature.kind == TAC_FEATURE_LINE) free = corner ^ p->feature.id[1];
    if (p->feature.kind == TAC_FEATURE_PLANE) free = 7 & ~(1 << corner / 2);
    for (int k = 0; k < 3; k++) {
        double half = tac_get3(p->shape->size, k);
        if (free >> k & 1)
            r.length = tac_min(r.length, half - tac_abs(x[k]));
        else if (half > 0 && p->feature.kind != TAC_FEATURE_PLANE)
            r.angle = tac_min(r.angle, corner >> k & 1 ? n[k] : -n[k]);
    }
    return r;
}

static featureRoom polyhedron_room(const featurePlace *p) {
    if (p->shape->type == TAC_GEOM_BOX) return box_room(p);
    if (p->feature.kind == TAC_FEATURE_POINT) return corner_room(p);
    return p->feature.kind == TAC_FEATURE_LINE ? edge_room(p) : face_room(p);
}

/* --- Capsules, cylinders, cones ----------------------------------------------------------------------------------- */

static double across_axis(tacVec3 a) { return tac_sqrt(a.x * a.x + a.y * a.y); }

/* n . e for the unit vector e from the axis to x. */
static double outwards(const featurePlace *p) {
    double rho = across_axis(p->x);
    return rho > 0 ? (p->n.x * p->x.x + p->n.y * p->x.y) / rho : across_axis(p->n);
}

static featureRoom capsule_room(const featurePlace *p) {
    if (p->feature.kind == TAC_FEATURE_POINT)
        return (featureRoom){TAC_INFINITY, p->shape->size.y > 0 ? end_sign(p->feature.id[0]) * p->n.z : TAC_INFINITY};
    return (featureRoom){p->shape->size.y - tac_abs(p->x.z), TAC_INFINITY};
}

static featureRoom cylinder_room(const featurePlace *p) {
    tacVec3 size = p->shape->size;
    if (p->feature.kind == TAC_FEATURE_LINE) return (featureRoom){size.y - tac_abs(p->x.z), TAC_INFINITY};
    if (p->feature.kind == TAC_FEATURE_PLANE) return (featureRoom){size.x - across_axis(p->x), TAC_INFINITY};
    return (featureRoom){TAC_INFINITY, tac_min(outwards(p), end_sign(p->feature.id[0]) * p->n.z)};
}

/* With the generator g = (r e - 2 h z)/|.| downwards: the normals of the apex have n . g < 0 for every e, those of the
 * rim n . g > 0 and n . e > 0. */
static featureRoom cone_room(const featurePlace *p) {
    double r = p->shape->size.x, h = p->shape->size.y, slant = tac_sqrt(r * r + 4 * h * h);
    if (p->feature.kind == TAC_FEATURE_PLANE) return (featureRoom){r - across_axis(p->x), TAC_INFINITY};
    if (!(slant > 0)) return (featureRoom){0, 0};
    if (p->feature.kind == TAC_FEATURE_POINT)
        return (featureRoom){TAC_INFINITY, (2 * h * p->n.z - r * across_axis(p->n)) / slant};
    if (p->feature.kind == TAC_FEATURE_CIRCLE)
        return (featureRoom){TAC_INFINITY, tac_min(outwards(p), (r * outwards(p) - 2 * h * p->n.z) / slant)};
    double along = (r * across_axis(p->x) - 2 * h * (p->x.z - h)) / slant; /* from the apex */
    return (featureRoom){tac_min(along, slant - along), TAC_INFINITY};
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static featureRoom room(const featurePlace *p) {
    switch (p->shape->type) {
    case TAC_GEOM_CAPSULE:
        return capsule_room(p);
    case TAC_GEOM_CYLINDER:
        return cylinder_room(p);
    case TAC_GEOM_CONE:
        return cone_room(p);
    case TAC_GEOM_BOX:
    case TAC_GEOM_MESH:
        return polyhedron_room(p);
    default:
        return (featureRoom){TAC_INFINITY, TAC_INFINITY};
    }
}

double tac_feature_room(const tacShape *s, const tacPose *pose, tacFeature f, tacVec3 x_world, tacVec3 n_world,
                        double *angle) {
    featurePlace p = {s, f, tac_pose_local(pose, x_world), tac_mulmtv3(pose->R, n_world)};
    featureRoom r = room(&p);
    *angle = r.angle;
    return r.length;
}

double tac_feature_margin(const tacShape *s, const tacPose *pose, tacFeature f, tacVec3 x_world, tacVec3 n_world) {
    double angle, length = tac_feature_room(s, pose, f, x_world, n_world, &angle);
    tacVec3 arm = tac_sub3(x_world, pose->p);
    return tac_min(length, angle * tac_norm3(arm));
}
