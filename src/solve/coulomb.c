#include "solve/coulomb.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <stddef.h>
#include <string.h>

/* Onto the mantle: z_t = l t -> h (1, mu t), h = (z_n + mu l)/(1 + mu^2);
 *   A = v v^T/(1 + mu^2) + (mu h/l) (1 - t t^T),   v = (1, mu t) */
static void project_on_mantle(double mu, const double z[3], double l, double p[3], double A[9]) {
    double t[2] = {l > 0 ? z[1] / l : 0, l > 0 ? z[2] / l : 0}, square = 1 + mu * mu, h = (z[0] + mu * l) / square;
    double v[3] = {1, mu * t[0], mu * t[1]}, turn = l > 0 ? mu * h / l : 0;
    for (int i = 0; i < 3; i++)
        p[i] = h * v[i];
    if (A == NULL) return;
    for (int i = 0; i < 9; i++)
        A[i] = v[i / 3] * v[i % 3] / square;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            A[3 * i + j + 4] += turn * ((i == j) - t[i] * t[j]);
}

void tac_coulomb_project(double mu, const double z[3], double p[3], double A[9]) {
    static const double ONE[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, ZERO[9];
    double l = tac_sqrt(z[1] * z[1] + z[2] * z[2]);
    if (mu * l <= -z[0]) { /* the polar cone: the tip */
        p[0] = p[1] = p[2] = 0;
        if (A != NULL) memcpy(A, ZERO, sizeof ZERO);
    } else if (mu > 0 && l <= mu * z[0]) {
        memcpy(p, z, 3 * sizeof *p);
        if (A != NULL) memcpy(A, ONE, sizeof ONE);
    } else {
        project_on_mantle(mu, z, l, p, A);
    }
}

/* z = r - B(u), B(u) = u + mu |u_t| e_n, dB = 1 + mu e_n t^T, t = u_t/|u_t| */
void tac_coulomb_map(double mu, const double r[3], const double u[3], double f[3], double A[9], double AB[9]) {
    double slip = tac_sqrt(u[1] * u[1] + u[2] * u[2]);
    double z[3] = {r[0] - u[0] - mu * slip, r[1] - u[1], r[2] - u[2]}, p[3];
    tac_coulomb_project(mu, z, p, A);
    for (int i = 0; i < 3; i++)
        f[i] = r[i] - p[i];
    if (A == NULL) return;
    double B[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (slip > 0) {
        B[1] = mu * u[1] / slip;
        B[2] = mu * u[2] / slip;
    }
    tac_dense_mul(3, 3, 3, A, B, AB);
}
