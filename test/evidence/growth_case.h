/* Random pairs of grown shapes: every primitive, padded, and sums, in poses of every sort. */
#pragma once

#include "step/sim.h"
#include "support/draw.h"

/* Plane, ball, capsule, ellipsoid, cylinder, box, mesh, cone, padded box; then eight sums. */
enum { GROWTH_PRIMITIVES = 9, GROWTH_KINDS = 17 };
enum { GROWTH_FIRST = 0, GROWTH_Q = 7, GROWTH_MOST_SIDES = 254 };

typedef struct GrowthCase {
    int kind[2], geom[2], nv;
    tacModel *model;
    tacSim *sim;
    double q[2 * GROWTH_Q];
    double size; /* m: sum of bounding radii of what is bounded */
} GrowthCase;

const char *growth_kind_name(int kind);
/* A model of two bodies, one shape each, with random sizes; a plane is on the world. params 1: all numbers of the
 * shapes are registered. To be closed. */
void growth_case_open(int kind0, int kind1, tacDraw *d, int params, GrowthCase *c);
/* The same of two prisms as meshes with this many faces each. */
void growth_case_prisms(int faces, tacDraw *d, GrowthCase *c);
/* Sizes over six decades, aspect ratios to 1000, every geom at its body's origin. */
void growth_case_extreme(int kind0, int kind1, tacDraw *d, GrowthCase *c);
void growth_case_close(GrowthCase *c);
/* Draws q: orientations random, equal, aligned or coaxial; apart, touching or deep, by n. */
void growth_case_pose(GrowthCase *c, tacDraw *d, int n);
/* Centres from coincident to 1e6 sizes apart. */
void growth_case_pose_extreme(GrowthCase *c, tacDraw *d, int n);
