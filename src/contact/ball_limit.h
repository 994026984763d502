/* The limit of a ball joint: the largest angle from its reference, about any axis. */
#pragma once

#include "contact/rows.h"

/* rad: below this angle the axis of rotation is undetermined, and there is no row. */
#define TAC_BALL_LEAST_ANGLE 1e-6

/* Angle and unit axis of a ball joint, in child axes. The rotation leaves this axis in place. */
double tac_ball_angle(const tacModel *m, int joint, const double *q, tacVec3 *axis);
/* pos = range - angle,  J = -axis on the joint's dofs. Adds the row if the limit is within `reach` times its speed. */
void tac_add_ball_limit(const tacModel *m, int joint, const double *q, const double *v, double reach, tacRows *rows);
/* Emits the change of the row by each dof, and by a parameter. */
void tac_ball_limit_jac(const tacModel *m, const tacRow *row, int k, const double *q, const tacRowWeights *by,
                        const tacRowSink *sink);
void tac_ball_limit_param(const tacModel *m, const tacRow *row, int k, const tacRowWeights *by,
                          const tacParamTangent *t, int column, const tacRowSink *sink);
