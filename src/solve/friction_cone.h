/* One contact point with Coulomb friction as two pairs of cone variables, eliminated   (docs/theory/ncp.md, W9-W12)
 *
 *   normal     gamma, s       half lines      s = phi
 *   friction   xi, eta        cones of 3      eta_t = u,  xi_0 = mu gamma,  eta_0 free
 *
 * xi_t are the friction impulses along the tangents, phi the gap and u the slip. Without friction the second pair is
 * absent. */
#pragma once

typedef struct tacFrictionPoint {
    double mu;            /* 0: without friction */
    double gamma, s;      /* > 0 */
    double xi[3], eta[3]; /* inside */
} tacFrictionPoint;

/* What the linear equations of a step are asked to make of the point:
 *   ds = dphi - e_s,   deta_t = du - e_eta,   dxi_0 = mu dgamma - e_xi,   arrow products = c */
typedef struct tacFrictionSides {
    double e_s, e_xi, e_eta[2]; /* s - phi, xi_0 - mu gamma, eta_t - u */
    double c_normal, c_friction[3];
} tacFrictionSides;

typedef struct tacFrictionStep {
    double gamma, s, xi[3], eta[3];
} tacFrictionStep;

/* (dphi, du) -> the step; sides NULL: all zero. */
tacFrictionStep tac_friction_step(const tacFrictionPoint *p, const tacFrictionSides *sides, double dphi,
                                  const double du[2]);
/* K (3 x 3) of dp = p0 - K (dphi, du), p = (gamma, xi_t): the stiffness that the pair is for its bodies. */
void tac_friction_stiffness(const tacFrictionPoint *p, double K[9]);

/* The same equations the other way round, dp given: (dphi, du) = w - C dp. Near the border of the cones K loses its
 * digits, by the difference of numbers that are equal but for kappa; C has none to lose. mu > 0, or the normal
 * alone. */
void tac_friction_compliance(const tacFrictionPoint *p, double C[9]);
void tac_friction_offset(const tacFrictionPoint *p, const tacFrictionSides *sides, double w[3]);
/* (dp, dphi, du) -> the step: the linear equations hold to rounding whatever the error of dp. */
tacFrictionStep tac_friction_follow(const tacFrictionPoint *p, const tacFrictionSides *sides, const double dp[3],
                                    const double dphi_du[3]);
