/* --project: the start is moved to the nearest state that satisfies the model's constraints. */
#pragma once

#include "tactus/tactus.h"

/* x in place; options->inputs says what u has. Says on standard error what was off. CLI_GO_ON, or CLI_CANNOT after a
 * message where no such state was found. */
int cli_project_start(const char *verb, const tacModel *model, const tacOptions *options, double *x, const double *u);
