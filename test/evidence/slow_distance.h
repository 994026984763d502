/* Signed distance of two convex shapes by a slow method that shares nothing with src/collide but the shapes' structs.
 *
 * With h the support function, the shapes are g(n) = -(h_A(n) + h_B(-n)) apart along the unit vector n, and
 *
 *   dist = max of g over all unit n
 *
 * is their distance when they are apart and minus the least translation when they overlap. slow_distance searches the
 * whole sphere of directions by bounds: what it returns is within `eps` of the maximum, for curved shapes too. */
#pragma once

#include "collide/shape.h"

/* A convex shape at a pose. */
typedef struct Solid {
    const tacShape *shape;
    tacPose pose;
} Solid;

typedef struct SlowDistance {
    double dist;
    tacVec3 normal;   /* from A to B */
    long evaluations; /* of g */
    int exhausted;    /* 1: the budget ran out: dist may be below the true one */
} SlowDistance;

/* Signed distance to `eps`. Two planes have none: -INFINITY. */
SlowDistance slow_distance(const Solid *a, const Solid *b, double eps);
/* The same with at most `budget` evaluations of g. */
SlowDistance slow_search(const Solid *a, const Solid *b, double eps, long budget);
/* h(n): furthest the shape reaches along the unit vector n. INFINITY for a plane, unless n is its normal. */
double slow_support(const Solid *s, tacVec3 n);
/* g(n) */
double slow_gap(const Solid *a, const Solid *b, tacVec3 n);
/* Radius of a ball about the origin of the shape's frame that holds the shape; 0 for a plane. */
double slow_radius(const tacShape *s);

/* --- Faces and edges of polyhedra, for exact enumeration ---------------------------------------------------------- */

enum { SLOW_MOST_VERTICES = 64, SLOW_MOST_FACES = 160, SLOW_MOST_EDGES = 240 };

/* Triangles and edges of the hull of points in general position, or of a box, a segment (capsule) or a point (sphere),
 * in the shape's frame. */
typedef struct Polyhedron {
    int nvert, nface, nedge;
    tacVec3 vert[SLOW_MOST_VERTICES];
    tacVec3 normal[SLOW_MOST_FACES]; /* outward */
    int face[SLOW_MOST_FACES][3], edge[SLOW_MOST_EDGES][2];
    double pad; /* radius around it */
} Polyhedron;

/* Every triple of points with all others on one side. 0: too many, or no volume. */
int slow_hull(int n, const tacVec3 *point, Polyhedron *out);
/* The polyhedron inside a sphere, capsule or box; 0 for other shapes. */
int slow_core(const tacShape *s, Polyhedron *out);
/* Signed distance by trying every pair of features: exact but for rounding. */
double slow_polyhedra(const Polyhedron *a, const tacPose *A, const Polyhedron *b, const tacPose *B);
/* How far x (world) is outside the shape: a bound that is 0 on the surface, negative inside. `hull` for a mesh. */
double slow_outside(const Solid *s, const Polyhedron *hull, tacVec3 x);
