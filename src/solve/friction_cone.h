/* One contact point with Coulomb friction as two pairs of cone variables, eliminated   (docs/theory/ncp.md, W9-W12)
 *
 *   normal     gamma, s       half lines      s = phi + y(gamma), y what the bound yields
 *   friction   xi, eta        cones of 3      eta_t = u,  xi_0 = mu gamma,  eta_0 free
 *
 * xi_t are the friction impulses along the tangents, phi is the gap and u the slip. Without friction there is no second
 * pair. The pyramid |xi_1| + |xi_2| <= mu gamma has two pairs in its place, along d_k = (t_1 +- t_2)/sqrt 2   (W36)
 *
 *   friction   xi, eta        cones of 2      eta_1 = d_k . u,  xi_0 = mu gamma/sqrt 2,  eta_0 free */
#pragma once

#include "solve/yield.h"

enum { TAC_FRICTION_NUMBERS = 5, TAC_FRICTION_CONES = 3 }; /* of one contact, at most */

typedef struct tacFrictionPoint {
    double mu;                            /* 0: without friction */
    tacYield yield;                       /* how the bound of the gap yields to the normal impulse */
    double soft;                          /* dy/dgamma at gamma; 0: hard */
    int pyramid;                          /* 1: a pyramid */
    double gamma, s;                      /* > 0 */
    double xi[3], eta[3];                 /* inside their cones; of a pyramid xi_t alone */
    double side_xi[2][2], side_eta[2][2]; /* of a pyramid, by k */
} tacFrictionPoint;

/* Right sides of a step's linear equations:
 *   ds = dphi + soft dgamma - e_s,   deta_t = du - e_eta,   dxi_0 = mu dgamma - e_xi,   arrow products = c */
typedef struct tacFrictionRhs {
    double e_s, e_xi, e_eta[2]; /* s - phi - y(gamma), xi_0 - mu gamma, eta_t - u */
    double c_normal, c_friction[3];
    double e_side[2][2], c_side[2][2]; /* of a pyramid: (xi_0 - mu gamma/sqrt 2, eta_1 - d_k . u) and products, by k */
} tacFrictionRhs;

typedef struct tacFrictionStep {
    double gamma, s, xi[3], eta[3];
    double side_xi[2][2], side_eta[2][2];
} tacFrictionStep;

/* --- As numbers of cones: of each contact gamma, then xi, or both xi of a pyramid --------------------------------- */

/* Sizes of its cones. Returns how many there are. */
int tac_friction_cones(const tacFrictionPoint *p, int dim[TAC_FRICTION_CONES]);
/* Evaluates the point from the iterate a, b and (phi, u), with the residuals of its linear equations. Returns the
 * largest. */
double tac_friction_evaluate(tacFrictionPoint *p, tacFrictionRhs *e, const double gap_slip[3], const double *a,
                             const double *b);
/* Sets the right sides of the products. */
void tac_friction_right_side(const tacFrictionPoint *p, const double *c, tacFrictionRhs *e);
/* Stores a step as da, db. */
void tac_friction_store(const tacFrictionPoint *p, const tacFrictionStep *d, double *da, double *db);
/* Sets xi and eta from gamma (a[0]) and the slip so that xi o eta = product e. */
void tac_friction_start(const tacFrictionPoint *p, double product, const double u[2], double *a, double *b);
/* Right sides whose step is the derivative by mu, and by the unit of products (kappa and kappa_friction per unit). */
tacFrictionRhs tac_friction_by_mu(const tacFrictionPoint *p);
tacFrictionRhs tac_friction_by_unit(double kappa, double kappa_friction);
/* Friction impulse relative to its bound: 1 where the contact slides. */
double tac_friction_share(const tacFrictionPoint *p);

/* The step for given (dphi, du). Right sides NULL: all zero. */
tacFrictionStep tac_friction_step(const tacFrictionPoint *p, const tacFrictionRhs *sides, double dphi,
                                  const double du[2]);
/* K (3 x 3) of dp = p0 - K (dphi, du), p = (gamma, xi_t): the stiffness that its bodies feel. */
void tac_friction_stiffness(const tacFrictionPoint *p, double K[9]);

/* The same equations solved for (dphi, du) = w - C dp. Near the border of the cones K loses digits in a difference of
 * numbers that are equal up to kappa; C does not. mu > 0, or the normal alone. */
void tac_friction_compliance(const tacFrictionPoint *p, double C[9]);
void tac_friction_offset(const tacFrictionPoint *p, const tacFrictionRhs *sides, double w[3]);
/* The step for given (dp, dphi, du). The linear equations hold to rounding, whatever the error of dp. */
tacFrictionStep tac_friction_step_of_impulse(const tacFrictionPoint *p, const tacFrictionRhs *sides, const double dp[3],
                                             const double dphi_du[3]);

/* --- The central path --------------------------------------------------------------------------------------------- */

/* tac_pair_project_to_path (yield.h) for cones of 1 + n numbers, n at most 2. a_0 > 0 and u are given and b_0 is free:
 * a_t (in and out) and b with a o b = k e and r a_t - b_t/r = r a_t (in) - u/r, r^2 = ratio. */
void tac_friction_project_to_path(int n, double ratio, double k, const double *u, double *a, double *b);
/* Both for a contact, with impulses a as the linear equations have them. Gap and slip keep the share `left` of the
 * residuals `off`. ratio and k: of the normal, of friction. */
typedef struct tacFrictionPath {
    double ratio[2], k[2], left;
    const tacFrictionRhs *off;
} tacFrictionPath;
void tac_friction_project_contact(const tacFrictionPoint *p, const tacFrictionPath *path, const double gap_slip[3],
                                  double *a, double *b);
