/* Derivatives of the step of contact ncp: entries of its table, and what they share. */
#pragma once

#include "contact/ncp/deriv.h"
#include "contact/ncp/step.h"

/* Solves the step where it is differentiated: p with its system factored, d. Takes from the arena. */
tacStatus tac_ncp_prepare(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d);
/* Lays out on a dry arena what it takes. Problem and derivative stay laid out; the caller's scope releases them. */
void tac_ncp_measure_prepare(const tacModel *m, const tacOptions *options, tacArena *dry);

/* --- Jacobian ----------------------------------------------------------------------------------------------------- */

/* W = dR at fixed q+ and impulses, r = changes of the inputs. wrench is added to; NULL: not asked for. r NULL: of the
 * balance without constraints, whose wrenches d has. */
tacStatus tac_ncp_residual_jac(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                               tacColumns c, double *W, double *r, double *wrench);
/* Changes of all columns: R (nv) and r (inputs), by c.n. */
typedef struct tacNcpChanges {
    tacColumns c;
    double *R, *r;
    int nrow, *row; /* inputs whose row of r is not zero */
    int width;      /* columns of r that are not zero, once they are packed */
    int *used;
    double *weight; /* with used: scratch of sums, of TAC_NCP_LANES at once */
} tacNcpChanges;
/* Takes the arrays of so many inputs. 0: the arena is too small. */
int tac_ncp_changes_layout(tacNcpChanges *all, int nv, tacColumns c, int inputs, tacArena *arena);
/* Packs r: its rows that are not zero, the first `width` columns of each. */
void tac_ncp_pack_inputs(const tacNcp *p, tacNcpChanges *all);
/* out <- scale (out - lambda . R + mu . r) */
void tac_ncp_add_products(const tacNcpChanges *all, int nv, const double *lambda, const double *mu, double scale,
                          double *out);

/* --- Reverse mode ------------------------------------------------------------------------------------------------- */

/* Weights of R, of the inputs, of wrenches (NULL: none). */
typedef struct tacNcpPull {
    double *lambda, *mu;
    const double *wrench;
} tacNcpPull;
/* Takes lambda and mu of so many inputs. 0: the arena is too small. */
int tac_ncp_pull_layout(tacNcpPull *pull, int nv, int inputs, tacArena *arena);
/* bar += -lambda . dR + mu . dr + wrench . d(wrenches). mu NULL: of the balance without constraints. */
tacStatus tac_ncp_residual_vjp(tacContext *ctx, const double *x, const double *u, tacNcp *p, tacNcpDeriv *d,
                               const tacNcpPull *pull, const tacGrad *bar);

/* --- Entries of the stepper's table, and what each takes from a dry arena ----------------------------------------- */

tacStatus tac_ncp_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J);
tacStatus tac_ncp_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy);
tacStatus tac_ncp_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g);
void tac_ncp_measure_jac(const tacModel *m, const tacOptions *options, tacArena *dry);
void tac_ncp_measure_vjp(const tacModel *m, const tacOptions *options, tacArena *dry);
/* outputs.c */
tacStatus tac_ncp_forces_out(tacContext *ctx, const double *x, const double *u, double *wrench, double *qfrc);
tacStatus tac_ncp_forces_of_contacts(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader);
tacStatus tac_ncp_contact_forces_vjp(tacContext *ctx, const double *x, const double *u, const tacContactReader *reader,
                                     const tacGrad *bar);
tacStatus tac_ncp_contacts(tacContext *ctx, const double *x, const double *u, tacContactForce *out, int max, int *n);
tacFrictionEffect tac_ncp_friction(const tacContext *ctx, const tacContact *contact);
tacStatus tac_ncp_forces_jac(tacContext *ctx, const double *x, const double *u, double *dwrench, double *dqfrc);
tacStatus tac_ncp_forces_vjp(tacContext *ctx, const double *x, const double *u, const double *wrenchbar,
                             const double *qfrcbar, const tacGrad *bar);
void tac_ncp_measure_forces(const tacModel *m, const tacOptions *options, tacArena *dry);
