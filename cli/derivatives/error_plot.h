/* A picture of why derivatives are not differences: the error of one-sided and of central differences over their step,
 * and the error of the exact derivative as a line below. One SVG file that needs nothing else. */
#pragma once

#include "tactus/tactus.h"

/* Errors of A and B at the first random state of the seed, relative to max(1, largest entry) of A and of B. */
int cli_error_plot(const char *verb, const char *title, const tacModel *model, const tacOptions *options, uint64_t seed,
                   const char *path);
