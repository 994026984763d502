/* Between the parts of the random model generator. Elements are numbered as they are written, so that later sections
 * (tendons, actuators, keyframes) know what exists. */
#pragma once

#include "io/model_text.h"
#include "tactus/io.h"

enum { RANDOM_MAX_BODIES = 24, RANDOM_MAX_JOINTS = 3 * RANDOM_MAX_BODIES, RANDOM_MAX_SITES = 2 * RANDOM_MAX_BODIES };

/* What has been written so far, and the next draw. */
typedef struct tacRandomModel {
    tacText out;
    uint64_t seed, draws;
    int degrees; /* the file's unit of angle */
    int modern;  /* may use what MuJoCo 2.2.2 does not know */
    int nbody;   /* planned */
    int parent[RANDOM_MAX_BODIES], depth[RANDOM_MAX_BODIES];
    int njoint;
    tacJointType joint[RANDOM_MAX_JOINTS]; /* in the order of qpos */
    int named[RANDOM_MAX_JOINTS];          /* its name is j<index> */
    int nsite;                             /* s0, s1, ... */
    int ngeom;                             /* g0, g1, ... */
    int nmesh, ntendon, nact, nactuator, has_mocap;
} tacRandomModel;

/* --- Draws --- */
double tac_random_between(tacRandomModel *g, double low, double high);
int tac_random_below(tacRandomModel *g, int n);
int tac_random_chance(tacRandomModel *g, double probability);

/* --- Pieces of elements --- */
/* ` attr="x y z"`, each in low ... high. */
void tac_random_attr(tacRandomModel *g, const char *attr, int n, double low, double high);
/* ` attr="value"`. */
void tac_random_value(tacRandomModel *g, const char *attr, double value);
/* Radians -> the file's unit. */
double tac_random_angle(const tacRandomModel *g, double radians);
/* One of the ways to write an orientation, or none. */
void tac_random_orientation(tacRandomModel *g);

/* --- Sections --- */
void tac_random_worldbody(tacRandomModel *g);
void tac_random_joints(tacRandomModel *g, int body);
void tac_random_geoms(tacRandomModel *g, int at_least);
void tac_random_tendons(tacRandomModel *g);
void tac_random_actuators(tacRandomModel *g);
