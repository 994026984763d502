/* The scenes of the experiments: MJCF texts of experiments/scenes, compiled into the program. */
#pragma once

#include "experiments/experiment.h"

typedef struct tacSceneText {
    const char *name;
    const unsigned char *text; /* zero-terminated */
} tacSceneText;

/* Made by embed.cmake; ends with a null name. */
extern const tacSceneText SCENE_TEXTS[];

/* A model with a simulation and room for a state, an input and a next state. */
typedef struct tacScene {
    tacModel *model;
    tacOptions options;
    tacSim *sim;
    int nx, ndx, nu;
    double *x, *u, *y; /* nx, nu, nx */
} tacScene;

/* A scene's text in a file with a name of its own, which the caller removes. EXPERIMENT_GO_ON, or EXPERIMENT_STOP with
 * the reason. */
enum { SCENE_PATH = 32 };
int scene_file(tacFindings *found, const char *name, char path[SCENE_PATH]);
/* The scene's model and options: hard contact (lcp), forces on every dof as input. What differs is changed then.
 * EXPERIMENT_GO_ON, or EXPERIMENT_STOP with the reason. */
int scene_load(tacFindings *found, const char *name, tacScene *scene);
/* The simulation: x is the first keyframe or the default state, u is zero. On failure the scene is closed. */
int scene_start(tacFindings *found, tacScene *scene);
/* Both, as it is. */
int scene_open(tacFindings *found, const char *name, tacScene *scene);
void scene_close(tacScene *scene);
/* x <- step(x, u), `steps` times. TAC_OK or the first status that is not; after TAC_ERR_UNSOLVED, which has the best
 * state found, it goes on. */
tacStatus scene_move(tacScene *scene, int steps, tacStepInfo *info);
