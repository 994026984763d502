/* What a step did, in words (tac_explain_step). */
#pragma once

#include "tactus/tactus.h"

/* What it takes from the arena beside the step itself; bytes. */
size_t tac_explain_scratch(const tacModel *model, const tacOptions *options);
