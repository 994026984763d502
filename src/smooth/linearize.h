/* Shared derivatives of the steppers with v+ = v + h a, q+ = q (+) h v+. */
#pragma once

#include "smooth/context.h"

tacColumns tac_columns_of(const tacModel *m, const tacOptions *options);
tacColumns tac_count_columns(const tacContext *ctx);
/* (x, u) as a point for the functions of src/dynamics. */
tacSmoothPoint tac_point_of(const tacContext *ctx, const double *x, const double *u);

/* R = ID(q, v, a) + span D a - tau at fixed a = w->qacc, with D the joints' damping. Writes its derivatives into W, nv
 * rows of c.n numbers. Writes neither w->M nor w->L. Needs: tac_smooth_forces at (x, u). */
void tac_residual_jac(tacContext *ctx, const double *x, const double *u, double span, tacColumns c, double *W);
/* Reverse mode of the same: bar -= dR/d(x, u, theta)^T lambda. Adds to bar's arrays; x and u are not NULL. lambda is
 * none of w->vec. Same needs. */
void tac_residual_vjp(tacContext *ctx, const double *x, const double *u, double span, const double *lambda,
                      const tacGrad *bar);

/* 1: squares and sums of motions and slopes do not overflow. */
int tac_slopes_are_finite(size_t nhv, const double *hv, size_t n, const double *slopes);
/* W = -da, nv rows of c.n numbers, hv = h v+, a in w->qacc  ->  A, B, P. TAC_ERR_NONFINITE: they overflow, and none is
 * written. */
tacStatus tac_assemble_jac(tacContext *ctx, const double *x, const double *u, const double *hv, tacColumns c,
                           const double *W, const tacJac *J);

/* The same along a direction: W has nv numbers. dy[ndx]. */
tacStatus tac_assemble_jvp(tacContext *ctx, const double *x, const double *u, const double *hv, tacColumns c,
                           const double *W, double *dy);

/* Scratch of a Jacobian: W, nv rows of c.n numbers, and h v+. */
typedef struct tacJacRows {
    double *W, *hv;
} tacJacRows;
int tac_jac_layout(const tacModel *m, tacColumns c, tacArena *arena, tacJacRows *rows);

/* The reverse of it. lambda begins as the gradient by the stepper's unknown: by v+, or by a with v+ = v + h a. The
 * stepper replaces it by K^-T lambda for K a = ... . end gives the gradient by all inputs. TAC_ERR_NONFINITE: it
 * overflows, and none is written. Arrays are taken from the arena; the caller releases. */
typedef struct tacAdjoint {
    double *lambda;     /* nv */
    tacGrad bar;        /* the gradient so far; theta is NULL if it is not asked for */
    const double *ybar; /* ndx */
} tacAdjoint;
int tac_adjoint_layout(const tacModel *m, tacColumns c, tacArena *arena, tacAdjoint *adjoint);
/* q+ = q (+) h v+: sets lambda = vbar+, and adds to bar the part of q+ that bypasses v+. Needs: h v+ in w->vec[0]. */
tacStatus tac_adjoint_begin_velocity(tacContext *ctx, const double *ybar, int theta, tacAdjoint *adjoint);
/* The same with v+ = v + h a: lambda = h vbar+, and bar gets the part that bypasses a. Also needs: a in w->qacc. */
tacStatus tac_adjoint_begin(tacContext *ctx, const double *ybar, int theta, tacAdjoint *adjoint);
tacStatus tac_adjoint_end(tacContext *ctx, const double *x, const double *u, double span, const tacAdjoint *adjoint,
                          const tacGrad *g);
/* Copies the arrays that `to` asks for. TAC_ERR_NONFINITE: one of `from` (theta may be NULL) overflows, and none is
 * written. */
tacStatus tac_copy_grad(const tacGrad *from, tacColumns c, const tacGrad *to);
