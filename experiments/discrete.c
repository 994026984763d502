#include "experiments/discrete.h"

int discrete_poses_new(const tacScene *scene, tacPoses *poses) { return measure_poses_new(scene->model, poses); }

void discrete_poses_free(tacPoses *poses) { measure_poses_free(poses); }

tacStatus discrete_poses(tacScene *scene, const double *x, tacPoses *poses) {
    return measure_poses(scene->sim, x, scene->u, poses);
}

tacStatus discrete_step(tacScene *scene, tacPoses *first, tacPoses *second, tacStepInfo *info) {
    tacStatus status = discrete_poses(scene, scene->x, first);
    if (status == TAC_OK) status = scene_move(scene, 1, info);
    return status == TAC_OK ? discrete_poses(scene, scene->x, second) : status;
}
