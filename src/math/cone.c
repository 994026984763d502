#include "math/cone.h"

#include "math/scalar.h"

void tac_cone_product(int n, const double *u, const double *v, double *w) {
    w[0] = u[0] * v[0];
    for (int i = 1; i < n; i++) {
        w[0] += u[i] * v[i];
        w[i] = u[0] * v[i] + v[0] * u[i];
    }
}

void tac_cone_product_jac(int n, const double *v, double *dw_du) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            dw_du[i * n + j] = i == j ? v[0] : i == 0 ? v[j] : j == 0 ? v[i] : 0;
}

static double length_of_tail(int n, const double *y) {
    double square = 0;
    for (int i = 1; i < n; i++)
        square += y[i] * y[i];
    return tac_sqrt(square);
}

double tac_cone_margin(int n, const double *y) { return y[0] - length_of_tail(n, y); }

/* With nu = y_0^2 - |y_t|^2 and zeta = y_0 d_0 - y_t . d_t, scaling by y's own square root takes y to e and d to rho:
 *   rho_0 = zeta/nu,   rho_t = d_t/sqrt(nu) - (zeta/sqrt(nu) + d_0)/(y_0 sqrt(nu) + nu) y_t
 * and e + alpha rho leaves the cone at alpha = 1/(|rho_t| - rho_0). nu as a product keeps its digits near the
 * border. */
double tac_cone_reach(int n, const double *y, const double *d) {
    double tail = length_of_tail(n, y), nu = (y[0] - tail) * (y[0] + tail), root = tac_sqrt(nu);
    if (n == 1) return d[0] < 0 ? -y[0] / d[0] : TAC_INFINITY;
    double zeta = y[0] * d[0], square = 0;
    for (int i = 1; i < n; i++)
        zeta -= y[i] * d[i];
    double along = (zeta / root + d[0]) / (y[0] * root + nu);
    for (int i = 1; i < n; i++) {
        double rho = d[i] / root - along * y[i];
        square += rho * rho;
    }
    double speed = tac_sqrt(square) - zeta / nu;
    return speed > 0 ? 1 / speed : TAC_INFINITY;
}
