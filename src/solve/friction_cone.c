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
