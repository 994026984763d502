/* Free bodies and planes, one contact model: a world that is begun, filled, finished, started and run. */
#pragma once

#include "support/check.h"

#include "tactus/tactus.h"

#define WORLD_GRAVITY 9.81
enum { WORLD_MAX_STATE = 160 };

typedef struct World {
    tacBuilder *b; /* until it is finished */
    tacModel *m;
    tacOptions options; /* may be changed before the start */
    tacSim *sim;
    double x[WORLD_MAX_STATE];
    tacStepInfo info; /* of the last step */
} World;

/* Nothing but gravity, tilted about y so that a plane z = 0 slopes downhill along x, by an angle. */
World world_begin(double slope, double dt);
/* A plane through the origin with normal z, turned by `tilt` about y. */
void world_add_plane(World *w, double tilt, double mu);
tacGeomDef world_geom(tacGeomType type, const double size[3], double mass, double mu);
/* A free body with one geom; its id. */
int world_add_body(World *w, tacVec3 pos, const tacGeomDef *geom);
/* The model, its default state, and its default options with the contact model. */
void world_finish(World *w, tacContactModel contact);
/* The same for a model that is already there. */
World world_of(tacModel *m, tacContactModel contact);
/* The simulation. */
void world_start(World *w);
void world_end(World *w);
/* Steps, all of which must go well and stay finite. */
void world_run(World *w, int steps);
double *world_velocity(World *w);
