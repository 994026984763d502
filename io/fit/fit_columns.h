/* The list `column` of a fit: what the columns of its recordings measure. */
#pragma once

#include "io/fit/fit_task.h"

/* Columns, outputs and deviations of fit->node. */
tacStatus tac_fit_read_columns(tacFitTask *fit, tacError *err);
