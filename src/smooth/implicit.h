/* Steps that are implicit in velocity (step.md, ST2): K a = F + (forces of constraints), K = M - h G. Steppers with
 * such forces use these parts.
 *
 * R = ID(q, v, a) - tau - h G a is the residual without them. */
#pragma once

#include "smooth/smooth_step.h"

/* K factored: in w->L if rows is NULL and K symmetric, else in lower and upper. Taken from the arena. */
typedef struct tacImplicit {
    unsigned char *rows; /* nv: dofs whose dc/dv counts; NULL: none */
    double *lower, *upper;
} tacImplicit;

tacStatus tac_implicit_open(tacContext *ctx, tacImplicit *f);
/* w->qacc = K^-1 w->qfrc. Needs: tac_evaluate. */
tacStatus tac_implicit_accelerate(tacContext *ctx, const double *x, const double *u, tacImplicit *f);
/* W (nv rows of n numbers) <- K^-1 W;  x <- K^-T x. Need: tac_implicit_accelerate. */
void tac_implicit_solve_many(tacContext *ctx, const tacImplicit *f, int n, double *W);
void tac_implicit_solve_transposed(tacContext *ctx, const tacImplicit *f, double *x);
/* W = dR at fixed a = w->qacc, and bar -= dR^T lambda. bar's x and u are not NULL. lambda is none of w->vec. */
tacStatus tac_implicit_residual_jac(tacContext *ctx, const double *x, const double *u, const tacImplicit *f,
                                    tacColumns c, double *W);
tacStatus tac_implicit_residual_vjp(tacContext *ctx, const double *x, const double *u, const tacImplicit *f,
                                    const double *lambda, const tacGrad *bar);
/* ID(q, v, a) - ID(q, 0, 0) at fixed a = w->qacc, without armature, for the rows marked in rows[nv]. W += its changes;
 * bar -= (its changes)^T lambda. */
tacStatus tac_implicit_inertia_jac(tacContext *ctx, const double *x, const double *u, const unsigned char *rows,
                                   tacColumns c, double *W);
tacStatus tac_implicit_inertia_vjp(tacContext *ctx, const double *x, const double *u, const unsigned char *rows,
                                   const double *lambda, const tacGrad *bar);
/* Lay out memory on a dry arena: of opening, which stays taken, and of the residual's derivatives. */
void tac_implicit_measure_factor(const tacModel *m, tacArena *dry);
void tac_implicit_measure_residual(const tacModel *m, tacArena *dry);
