/* Composite-rigid-body mass matrix and its sparse factorization. */
#pragma once

#include "dynamics/work.h"
#include "math/tree.h"

/* -> w->M, armature of joints included. Needs: position. */
void tac_crba(const tacModel *m, tacWork *w);
/* The tree along which M is stored. */
tacTree tac_dof_tree(const tacModel *m);
/* w->M (+ diagonal extra[nv], may be NULL) -> w->L. Returns TAC_ERR_SINGULAR when a pivot is not positive enough.
 * Needs: mass. */
tacStatus tac_factor(const tacModel *m, tacWork *w, const double *extra);
/* x = M^-1 x in place. Needs: tac_factor. */
void tac_solve(const tacModel *m, const tacWork *w, double *x);
/* y = M x. Needs: tac_crba. */
void tac_mass_mul(const tacModel *m, const tacWork *w, const double *x, double *y);
/* dq += d(M x)/dq at fixed x, in tangent coordinates. Rows are `ld` numbers apart. Trees with zero x take no time.
 * Needs: position. */
void tac_mass_mul_jac(const tacModel *m, tacWork *w, const double *x, int ld, double *dq);
/* Sparse M -> dense nv x nv. */
void tac_mass_dense(const tacModel *m, const tacWork *w, double *dense);
