/* Finds the contacts at given poses, and those that a motion may reach within a step. */
#pragma once

#include "dynamics/geom_motion.h"
#include "smooth/context.h"

/* Reach of each geom beyond its margin.
 *
 *   velocities   reach = h (factor (|velocity of the geom's centre| + |angular velocity| radius) + speed)
 *   motion       reach = distance + the bound of how far a point of the geom moves, and no less for a negative margin
 *   neither      reach = distance */
typedef struct tacContactReach {
    int moving;                   /* 1: geoms that no dof moves have no reach */
    double distance;              /* m */
    const tacVec6 *velocities;    /* nbody: of bodies, about their trees' origins in ctx->work */
    double factor, speed;         /* a pure number; m/s */
    const tacModelMotion *motion; /* with its bounds; from the poses in ctx->work */
    int retries;                  /* halvings of the reach if there is no room for all contacts; the last makes it
                                   * zero */
} tacContactReach;

/* Contacts at the poses of w and, with a reach (NULL: none), those within it -> contact[max], *n. Places the geoms of
 * the scene. Fails as tac_place_geoms and tac_scene_contacts do. */
tacStatus tac_find_contacts(tacContext *ctx, const tacWork *w, const tacContactReach *reach, tacContact *contact,
                            int max, int *n);
/* Visits the pairs of geoms within the reach that the broad phase leaves. Needs: the geoms of the scene placed. */
tacStatus tac_find_candidates(tacContext *ctx, const tacContactReach *reach, tacCandidateVisit visit, void *user);
/* Lays out the memory of either on a dry arena. */
void tac_measure_find_contacts(const tacModel *m, tacArena *dry);
