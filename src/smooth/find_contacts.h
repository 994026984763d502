/* Finding contacts: those at given poses, and those that a motion may reach within a step. */
#pragma once

#include "smooth/context.h"

/* How far each geom reaches beyond its margin.
 *
 *   velocities NULL   reach = distance
 *   else              reach = h (factor (|velocity of the geom's centre| + |angular velocity| radius) + speed) */
typedef struct tacContactReach {
    int moving;                /* 1: geoms that no dof moves have no reach */
    double distance;           /* m */
    const tacVec6 *velocities; /* nbody: of bodies, about their trees' origins in ctx->work */
    double factor, speed;      /* a pure number; m/s */
    int retries;               /* most retries where there is no room for all contacts: each halves the reach, the last
                                  sets it to zero */
} tacContactReach;

/* Contacts at the poses of w, and with a reach (NULL: none) those within it -> contact[max], *n. Places the geoms of
 * the scene. Fails as tac_place_geoms and tac_scene_contacts do. */
tacStatus tac_find_contacts(tacContext *ctx, const tacWork *w, const tacContactReach *reach, tacContact *contact,
                            int max, int *n);
/* Lays out on a dry arena what it takes. */
void tac_measure_find_contacts(const tacModel *m, tacArena *dry);
