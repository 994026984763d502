/* Inertia of a body that can exist, as ten free numbers   (docs/theory/fit.md)
 *
 *   (FI1)  J = [Sigma_o, m c; m c', m] = U U',  U = e^a [S, t; 0, 1],  S upper triangular with diagonal e^d
 *   (FI2)  z = (a, d1, d2, d3, s12, s23, s13, t1, t2, t3)
 *          m = e^(2a),  c = t,  Sigma = m S S',  I = tr(Sigma) 1 - Sigma
 *
 * J is the pseudo-inertia, Sigma the second moments about the centre of mass, I the inertia there [Rucker2022]. */
#include "tactus/fit.h"

#include "math/scalar.h"

#include <string.h>

/* Second moments about the centre of mass over the mass, from the six numbers of a full inertia xx yy zz xy xz yz. */
static void moments(const double *I, double m, double *C) {
    double half = 0.5 * (I[0] + I[1] + I[2]);
    for (int i = 0; i < 3; i++)
        C[i] = (half - I[i]) / m;
    for (int i = 3; i < 6; i++)
        C[i] = -I[i] / m;
}

tacStatus tac_inertia_to_log(const double *inertia, double *z) {
    if (inertia == NULL || z == NULL) return TAC_ERR_ARGUMENT;
    double m = inertia[0], C[6];
    if (tac_first_nonfinite(10, inertia) >= 0 || m <= 0) return TAC_ERR_MODEL;
    moments(inertia + 4, m, C);
    double s3 = C[2];
    if (s3 <= 0) return TAC_ERR_MODEL;
    double d3 = tac_sqrt(s3), s13 = C[4] / d3, s23 = C[5] / d3, s2 = C[1] - s23 * s23;
    if (s2 <= 0) return TAC_ERR_MODEL;
    double d2 = tac_sqrt(s2), s12 = (C[3] - s13 * s23) / d2, s1 = C[0] - s12 * s12 - s13 * s13;
    if (s1 <= 0) return TAC_ERR_MODEL;
    z[0] = 0.5 * tac_log(m);
    z[1] = 0.5 * tac_log(s1);
    z[2] = 0.5 * tac_log(s2);
    z[3] = 0.5 * tac_log(s3);
    z[4] = s12;
    z[5] = s23;
    z[6] = s13;
    memcpy(z + 7, inertia + 1, 3 * sizeof *z);
    return TAC_OK;
}

/* The inertia m (tr(C) 1 - C) of second moments C, in the order of a full inertia. */
static void inertia_of(double m, const double *C, double *I) {
    double trace = C[0] + C[1] + C[2];
    for (int i = 0; i < 3; i++)
        I[i] = m * (trace - C[i]);
    for (int i = 3; i < 6; i++)
        I[i] = -m * C[i];
}

void tac_inertia_from_log(const double *z, double *inertia, double *jac) {
    if (z == NULL || inertia == NULL) return;
    double m = tac_exp(2 * z[0]), a = tac_exp(z[1]), b = tac_exp(z[2]), c = tac_exp(z[3]);
    double s12 = z[4], s23 = z[5], s13 = z[6];
    double C[6] = {a * a + s12 * s12 + s13 * s13, b * b + s23 * s23, c * c, s12 * b + s13 * s23, s13 * c, s23 * c};
    inertia[0] = m;
    memcpy(inertia + 1, z + 7, 3 * sizeof *z);
    inertia_of(m, C, inertia + 4);
    if (jac == NULL) return;
    /* dC by d1, d2, d3, s12, s23, s13 */
    const double dC[6][6] = {
        {2 * a * a, 0, 0, 0, 0, 0}, {0, 2 * b * b, 0, s12 * b, 0, 0}, {0, 0, 2 * c * c, 0, s13 * c, s23 * c},
        {2 * s12, 0, 0, b, 0, 0},   {0, 2 * s23, 0, s13, 0, c},       {2 * s13, 0, 0, s23, c, 0}};
    memset(jac, 0, 100 * sizeof *jac);
    jac[0] = 2 * m;
    for (int i = 0; i < 6; i++)
        jac[(size_t)(4 + i) * 10] = 2 * inertia[4 + i];
    for (int k = 0; k < 6; k++) {
        double I[6];
        inertia_of(m, dC[k], I);
        for (int i = 0; i < 6; i++)
            jac[(4 + i) * 10 + 1 + k] = I[i];
    }
    for (int i = 0; i < 3; i++)
        jac[(1 + i) * 10 + 7 + i] = 1;
}
