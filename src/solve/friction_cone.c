#include "solve/friction_cone.h"

#include "math/scalar.h"

/* gamma ds + s dgamma = c_n, then with dxi_0 and deta_t known
 *   [xi_0  eta_t^T] [deta_0]   [c_0 - eta_0 dxi_0 - xi_t . deta_t   ]
 *   [xi_t  eta_0 1] [dxi_t ] = [c_t - eta_t dxi_0 - xi_0 deta_t     ]
 * whose determinant eta_0 (eta_0 xi_0 - eta_t . xi_t) is positive inside. */
tacFrictionStep tac_friction_step(const tacFrictionPoint *p, const tacFrictionSides *sides, double dphi,
                                  const double du[2]) {
    static const tacFrictionSides NONE;
    const tacFrictionSides *z = sides == 0 ? &NONE : sides;
    tacFrictionStep d = {.s = dphi - z->e_s};
    d.gamma = (z->c_normal - p->gamma * d.s) / p->s;
    if (p->mu == 0) return d;
    const double *xi = p->xi, *eta = p->eta;
    d.xi[0] = p->mu * d.gamma - z->e_xi;
    d.eta[1] = du[0] - z->e_eta[0], d.eta[2] = du[1] - z->e_eta[1];
    double b0 = z->c_friction[0] - eta[0] * d.xi[0] - xi[1] * d.eta[1] - xi[2] * d.eta[2];
    double b1 = z->c_friction[1] - eta[1] * d.xi[0] - xi[0] * d.eta[1];
    double b2 = z->c_friction[2] - eta[2] * d.xi[0] - xi[0] * d.eta[2];
    d.eta[0] = (eta[0] * b0 - eta[1] * b1 - eta[2] * b2) / (eta[0] * xi[0] - eta[1] * xi[1] - eta[2] * xi[2]);
    d.xi[1] = (b1 - xi[1] * d.eta[0]) / eta[0];
    d.xi[2] = (b2 - xi[2] * d.eta[0]) / eta[0];
    return d;
}

void tac_friction_stiffness(const tacFrictionPoint *p, double K[9]) {
    for (int j = 0; j < 3; j++) {
        double du[2] = {j == 1, j == 2};
        tacFrictionStep d = tac_friction_step(p, 0, j == 0, du);
        K[j] = -d.gamma, K[3 + j] = -d.xi[1], K[6 + j] = -d.xi[2];
    }
}

/* --- Impulses given ----------------------------------------------------------------------------------------------- */

/* x with xi o x = v: x_0 = (xi_0 v_0 - xi_t . v_t)/det, x_t = (v_t - x_0 xi_t)/xi_0, det = xi_0^2 - |xi_t|^2 as a
 * product that keeps its digits near the border. */
static void divide_by_xi(const double xi[3], const double v[3], double x[3]) {
    double tail = tac_sqrt(xi[1] * xi[1] + xi[2] * xi[2]), det = (xi[0] - tail) * (xi[0] + tail);
    x[0] = (xi[0] * v[0] - xi[1] * v[1] - xi[2] * v[2]) / det;
    x[1] = (v[1] - x[0] * xi[1]) / xi[0];
    x[2] = (v[2] - x[0] * xi[2]) / xi[0];
}

/* dphi = e_s + (c_n - s dgamma)/gamma,   du = e_eta + [arrow(xi)^-1 (c - arrow(eta) dxi)]_t,
 * dxi = (mu dgamma - e_xi, dp_t) */
void tac_friction_compliance(const tacFrictionPoint *p, double C[9]) {
    double x[3];
    for (int i = 0; i < 9; i++)
        C[i] = 0;
    C[0] = p->s / p->gamma;
    if (p->mu == 0) return;
    divide_by_xi(p->xi, p->eta, x);
    C[3] = p->mu * x[1], C[6] = p->mu * x[2];
    for (int j = 1; j < 3; j++) {
        double column[3] = {p->eta[j], j == 1 ? p->eta[0] : 0, j == 2 ? p->eta[0] : 0};
        divide_by_xi(p->xi, column, x);
        C[3 + j] = x[1], C[6 + j] = x[2];
    }
}

void tac_friction_offset(const tacFrictionPoint *p, const tacFrictionSides *z, double w[3]) {
    double x[3], v[3];
    w[0] = z->e_s + z->c_normal / p->gamma, w[1] = 0, w[2] = 0;
    if (p->mu == 0) return;
    for (int i = 0; i < 3; i++)
        v[i] = z->c_friction[i] + z->e_xi * p->eta[i];
    divide_by_xi(p->xi, v, x);
    w[1] = z->e_eta[0] + x[1], w[2] = z->e_eta[1] + x[2];
}

/* eta_0 by the first row of the product: xi_0 deta_0 = c_0 - xi_t . deta_t - eta . dxi */
tacFrictionStep tac_friction_follow(const tacFrictionPoint *p, const tacFrictionSides *z, const double dp[3],
                                    const double dphi_du[3]) {
    tacFrictionStep d = {.gamma = dp[0], .s = dphi_du[0] - z->e_s};
    if (p->mu == 0) return d;
    d.xi[0] = p->mu * dp[0] - z->e_xi, d.xi[1] = dp[1], d.xi[2] = dp[2];
    d.eta[1] = dphi_du[1] - z->e_eta[0], d.eta[2] = dphi_du[2] - z->e_eta[1];
    double rest = z->c_friction[0] - p->xi[1] * d.eta[1] - p->xi[2] * d.eta[2];
    for (int i = 0; i < 3; i++)
        rest -= p->eta[i] * d.xi[i];
    d.eta[0] = rest / p->xi[0];
    return d;
}
