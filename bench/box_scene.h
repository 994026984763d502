/* Scenes of many boxes, for benchmarks of collision. */
#pragma once

#include "collide/scene.h"

/* A model's collision stage on its own, in memory of its own. */
typedef struct benchScene {
    tacModel *model;
    tacScene scene;
    tacContact *contact; /* max_contacts */
    int ncontact;
    void *memory;
} benchScene;

/* Takes the model over. 0: done; else a message was written. */
int bench_scene_make(benchScene *s, tacModel *model, int max_contacts);
/* Poses of all geoms at q. */
int bench_scene_place(benchScene *s, const double *q);
/* The timed stage: bounds, broad phase, narrow phase. */
void bench_scene_collide(void *scene);
void bench_scene_free(benchScene *s);

/* n free boxes with half-sizes between 0.05 and 0.15, turned at random, at random places of a cube that has room for a
 * cube of side 0.5 for each: density does not depend on n. The model, or NULL after a message. */
tacModel *bench_build_scattered(int n, uint64_t seed);
/* The same as MJCF text to be freed, or NULL. */
char *bench_scattered_boxes(int n, uint64_t seed);
/* n free boxes of side 0.2 in layers of 8 by 8, each layer set off from the one below and sunk into it by 0.1 mm, on a
 * floor; likewise. */
char *bench_piled_boxes(int n);
