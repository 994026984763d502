/* A state at which derivatives disagree with differences, written out for whoever looks for the cause. */
#pragma once

#include "cli/derivatives/derivative.h"
#include "cli/derivatives/gradient_check.h"

/* Makes the folder where there is none, and says beforehand where no state could be written. CLI_GO_ON, or CLI_CANNOT
 * after a message. */
int cli_keep_begin(const char *verb, const char *folder);
/* DIR/sample_N.txt, or DIR/state_K.txt of a named state: parameters by path and value, x, u, A, B, P, each after its
 * name and count, with all digits. CLI_GO_ON, or CLI_CANNOT after a message. */
int cli_keep_state(const char *verb, const tacGradientCheck *check, long sample, const double *x, const double *u,
                   const tacDerivative *d);
