/* Free bodies above a plane that bounce, for tests of restitution and of impacts. */
#pragma once

#include "physics/contact_world.h"

enum { BOUNCE_MAX_STATE = 80, BOUNCE_MAX_DX = 72 };

typedef struct Thing {
    tacGeomType type;
    double size[3], mass;
    tacVec3 pos;
    double restitution;
} Thing;

typedef struct WorldSetup {
    double gravity, dt;
    double friction;          /* of the first thing; that of the floor is a tenth */
    double floor_restitution; /* below 0: no floor */
    int parameters;           /* 1: restitution, sizes and friction of all geoms are registered */
    tacOptions (*change)(tacOptions options);
} WorldSetup;

/* Thing i is geom i + 1 of body i + 1 on a free joint; geom 0 is the floor. */
World bounce_world(int n, const Thing *things, WorldSetup setup);
/* Largest difference of A, P and reverse mode from central differences of the step at w->x, relative to the largest
 * entry or 1. */
double bounce_world_check(World *w, double step);
/* Largest difference of ybar^T [A P] and the reverse mode. */
double bounce_world_reverse(World *w);
