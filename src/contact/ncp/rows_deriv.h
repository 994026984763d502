/* Derivatives of rows on dofs (docs/theory/ncp.md, W33). */
#pragma once

#include "contact/ncp/deriv.h"

/* Each row has two inputs: its value, and the number of its law (unit of products, or coefficient). Their indices. */
int tac_ncp_value_input(const tacNcp *p, int k);
int tac_ncp_number_input(const tacNcp *p, int k);
/* Weights of changes at q of the rows of a connect or weld; k is the first of them. */
tacEqualityWeights tac_ncp_equality_weights(const tacNcp *p, int k);
/* d(bound of the gap)/d(gap at q). */
double tac_ncp_row_bound_by_gap(const tacNcp *p, const tacNcpRow *row);
/* d(w)/d(number of the law): U of a limit's product, h loss, h eps. */
double tac_ncp_row_offset_rate(const tacNcpRow *row, double kappa);
/* Emits columns of q and v. `free`: of rows that are not constraints. */
void tac_ncp_rows_state_jac(const tacNcp *p, const tacNcpSink *q, const tacNcpSink *v, int free);
/* Emits columns of mocap poses and parameters; NULL skips (rows_param.c). */
void tac_ncp_rows_param_jac(const tacNcpView *v, const tacParamTangent *tangents, const tacNcpSink *mocap,
                            const tacNcpSink *theta);
/* qfrc += J^T p/h of constraints. */
void tac_ncp_row_forces(const tacNcp *p, double *qfrc);
/* vbar += (the part of A from rows that are not constraints)^T qfrcbar/h */
void tac_ncp_rows_free_weights(const tacNcp *p, const double *qfrcbar, double *vbar);
