/* Growth distances as outputs (outputs.c). */
#pragma once

#include "step/growth.h"
#include "step/output_pairs.h"

/* 1: the output names a growth distance of the model. */
int tac_output_is_growth(const tacModel *m, tacOutput o);
/* The current element's numbers. Needs: position. */
tacStatus tac_output_growth_value(tacSim *sim, const tacOutputCursor *c, double *z);
/* Emits the derivatives of all growths of the list: as rows (zbar NULL), or weighted in reverse. Needs: position. */
tacStatus tac_output_growths_emit(tacSim *sim, const tacOutputPoint *p, const tacOutputs *outputs, const double *zbar,
                                  const tacOutputSinks *s);
