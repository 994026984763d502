/* Apart from discrete.c, which needs no scenes. */
#include "experiments/discrete.h"

tacStatus discrete_step(tacScene *scene, tacPoses *first, tacPoses *second, tacStepInfo *info) {
    tacStatus status = discrete_poses(scene, scene->x, first);
    if (status == TAC_OK) status = scene_move(scene, 1, info);
    return status == TAC_OK ? discrete_poses(scene, scene->x, second) : status;
}
