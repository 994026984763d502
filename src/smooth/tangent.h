/* The position update q+ = q (+) h v+ in tangent coordinates: dq+ = P dq + h Q dv+   (step.md, ST1).
 * For each rotation P = R(exp(h w))^T and Q = Jr(h w); both are the identity elsewhere. */
#pragma once

#include "tactus/tactus.h"

/* out <- Q out for n columns, rows ld apart. hv: h v+. */
void tac_turn_jac(const tacModel *m, const double *hv, int n, int ld, double *out);
/* out = h Q dv for n columns; rows of dv are ld_dv numbers apart, those of out ld. hv: h v+. */
void tac_move_jac(const tacModel *m, const double *hv, double h, int n, int ld_dv, const double *dv, int ld,
                  double *out);
/* The columns of q: out[i][j] += P[i][j]. */
void tac_move_start_jac(const tacModel *m, const double *hv, int ld, double *out);
/* q <- P q for n columns, rows n apart. */
void tac_move_back_jac(const tacModel *m, const double *hv, int n, double *q);
/* qbar = P^T bar, vbar += h Q^T bar. */
void tac_move_vjp(const tacModel *m, const double *hv, double h, const double *bar, double *qbar, double *vbar);

/* Rates of the coordinates u of q = q_0 (+) u: u' = Jr^-1(u) v for each rotation, v elsewhere, to second order in u,
 *   u' = v + u x v / 2 + u x (u x v) / 12                                                     (step.md, ST6) */
void tac_log_rate(const tacModel *m, const double *u, const double *v, double *rate);
/* d(u') = T dv + N du of n columns: dv (rows ld numbers apart) and du (in place of it the result). */
void tac_log_rate_jac(const tacModel *m, const double *u, const double *v, int n, int ld, const double *dv, double *du);
/* vbar += T^T bar, ubar = N^T bar. */
void tac_log_rate_vjp(const tacModel *m, const double *u, const double *v, const double *bar, double *vbar,
                      double *ubar);
