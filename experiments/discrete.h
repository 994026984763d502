/* Poses of a scene's motion, for what a variational integrator keeps (measure/discrete_motion.h). */
#pragma once

#include "experiments/scene.h"

#include "measure/discrete_motion.h"

/* 0: no memory. */
int discrete_poses_new(const tacScene *scene, tacPoses *poses);
void discrete_poses_free(tacPoses *poses);
tacStatus discrete_poses(tacScene *scene, const double *x, tacPoses *poses);
/* x <- step(x, u); the poses before and after it. */
tacStatus discrete_step(tacScene *scene, tacPoses *first, tacPoses *second, tacStepInfo *info);
