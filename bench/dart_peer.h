/* DART beside us: a model of ours built in it body by body, for the times of steps in contact. */
#pragma once

#include "tactus/tactus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One model in DART, with the states its steps start from; opaque. */
typedef struct dartPeer dartPeer;

/* The same bodies, joints, limits, springs, dampers and shapes; may_touch[a nbody + b], a < b; collision by Bullet,
 * contacts by DART's own solver (Dantzig). DART has no armature: a hinge's is added to its body's inertia about the
 * axis. Meshes, equality constraints, tendons' springs and dry friction are left out: a model with a mesh is refused.
 * NULL, with the reason, where it cannot be built. */
dartPeer *dart_open(const tacModel *model, double dt, const unsigned char *may_touch, char *reason, size_t size);
void dart_close(dartPeer *peer);
const char *dart_version(void);
/* States of DART's own motion from x under u, after `skipped` steps; `sim` (contact none) gives the actuators' forces.
 * 0: the motion does not stay finite. */
int dart_move(dartPeer *peer, tacSim *sim, const double *x, const double *u, int skipped, int n);
/* Contacts of these states, on average. */
double dart_contacts(const dartPeer *peer);
/* benchWork: one step from the next of the states. */
void dart_step(void *peer);

#ifdef __cplusplus
}
#endif
