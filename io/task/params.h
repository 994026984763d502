/* Numbers of the model that a task sets, by path and pattern. */
#pragma once

#include "io/task/node.h"

#include "tactus/tactus.h"

/* Sets the numbers that a map of paths names. */
tacStatus tac_task_set_params(tacModel *model, const tacNode *map, tacError *err);
/* A path without pattern -> registers its number, or all numbers that a pattern names as a group. */
tacStatus tac_task_register(tacModel *model, const tacNode *item, int *index, tacError *err);
