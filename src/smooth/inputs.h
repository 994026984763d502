/* The blocks of u: controls, then the blocks that the options ask for. */
#pragma once

#include "dynamics/smooth.h"
#include "tactus/tactus.h"

typedef struct tacInputLayout {
    int n;                 /* numbers of u */
    int qfrc, xfrc, mocap; /* first number of each block after the controls; -1: u has no such block */
    int nmocap;            /* numbers of the mocap block */
} tacInputLayout;
tacInputLayout tac_input_layout(const tacModel *model, const tacOptions *options);

/* The blocks of one u. NULL if u does not have them. u may be NULL. */
tacInputs tac_inputs_of(const tacInputLayout *layout, const double *u);
