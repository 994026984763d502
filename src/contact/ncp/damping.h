/* Forces that are implicit in velocity: damping of tendons and actuators, as rows (docs/theory/ncp.md, W37). */
#pragma once

#include "contact/ncp/problem.h"

/* Largest number of their wide rows, and of numbers of J. */
int tac_ncp_max_damping(const tacModel *m);
int tac_ncp_max_damping_numbers(const tacModel *m);
/* Adds the rows at q and v. */
void tac_ncp_add_damping(tacNcp *p);
/* Emit the change of their forces, over h, at fixed v+ - v: by q, act and ctrl; by a mover; by a parameter. w: p->w. */
void tac_ncp_damping_jac(const tacNcp *p, tacWork *w, const tacForceSink *sink);
void tac_ncp_damping_move(const tacNcp *p, tacWork *w, const tacMover *mover, int column, const tacSink *sink);
void tac_ncp_damping_param(const tacNcp *p, tacWork *w, const tacParamTangent *t, int column, const tacSink *sink);
