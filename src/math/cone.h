/* Second-order cones: y = (y_0, y_t) with |y_t| <= y_0. A cone of dimension one is the half line y_0 >= 0, so that one
 * set of functions serves orthants too. */
#pragma once

/* Jordan product w = u o v:  w_0 = u . v,  w_t = u_0 v_t + v_0 u_t   [Howell2022, eq. 24]; w overlaps neither. */
void tac_cone_product(int n, const double *u, const double *v, double *w);
/* dw/du = arrow(v), n x n: first row and column v, v_0 along the diagonal. */
void tac_cone_product_jac(int n, const double *v, double *dw_du);
/* Distance to the border: y_0 - |y_t|; positive inside. */
double tac_cone_margin(int n, const double *y);
/* Largest alpha with y + alpha d in the cone, for y inside; TAC_INFINITY where there is none   [Howell2022, eqs.
 * 41-46] */
double tac_cone_reach(int n, const double *y, const double *d);
