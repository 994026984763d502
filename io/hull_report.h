/* Warnings about meshes that are far from what collides in their place. */
#pragma once

#include "tactus/io.h"

/* A line for each mesh that something may touch and that fills its convex hull poorly. NULL report: does nothing. */
void tac_report_hulls(tacReport *report, const char *path, const tacModel *model);
