/* The same robot in MuJoCo and in Tactus, and states to compare them at. */
#pragma once

#include "tactus/tactus.h"

#include <mujoco/mujoco.h>

typedef struct Peer {
    const char *name;
    mjModel *mj;
    mjData *data;
    tacModel *model;
    tacOptions options;
    tacSim *sim;
    int nx, ninput;
    double *x, *u; /* one state and input; all input blocks */
} Peer;

/* XML text (or, with text NULL, the file `name`) -> both engines. The Tactus model is built through the public
 * builder from MuJoCo's compiled numbers, so that this compares dynamics alone. Constraints are disabled. Asserts on
 * failure. */
Peer peer_open(const char *name, const char *text);
#ifdef PEER_WITH_IO
/* The same with the Tactus model made by our own loader. */
Peer peer_load(const char *name, const char *text);
#endif
void peer_close(Peer *peer);
/* The same integrator for both; Euler until this is called. */
void peer_integrate(Peer *peer, tacIntegrator integrator);
/* Draws state (input) `index` of stream `seed` into peer->x (peer->u) and into MuJoCo's data; `applied` is the size of
 * applied forces and torques. */
void peer_randomize_state(Peer *peer, uint64_t seed, uint64_t index);
void peer_randomize_input(Peer *peer, uint64_t seed, uint64_t index, double applied);
/* peer->x (after a reset), peer->u -> MuJoCo's data. */
void peer_give_state(Peer *peer);
void peer_give_input(Peer *peer);

/* Largest difference of both states: positions in tangent coordinates, velocities, activations. */
double peer_difference(const Peer *peer);
/* Largest entry of peer->x, at least 1. */
double peer_largest(const Peer *peer);
/* Both from the default state, with the same random controls, forces of the size `applied` and mocap poses, changed
 * every few steps. Largest difference, relative to the largest entry of the state so far. */
double peer_trajectory(Peer *peer, int steps, double applied);

/* Models written for coverage: every joint type, transmission, spring, tendon and actuator kind. Ends with a NULL
 * name. */
typedef struct PeerText {
    const char *name, *xml;
} PeerText;
extern const PeerText PEER_TEXTS[];
/* Files of models/; ends with NULL. */
extern const char *const PEER_ROBOTS[];

/* Opens, checks and closes each of PEER_TEXTS, each of PEER_ROBOTS; open is peer_open or peer_load. */
typedef Peer (*PeerOpen)(const char *name, const char *text);
void peer_each_text(PeerOpen open, void (*check)(Peer *peer));
void peer_each_robot(PeerOpen open, void (*check)(Peer *peer));
