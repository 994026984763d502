/* Forces of constraints as functions of y = J a - a_ref, and their derivatives by y (docs/theory/soft.md, Z5-Z7). */
#include "contact/soft/problem.h"

#include "math/scalar.h"

#include <string.h>

static void set_diagonal(int n, const double *D, double *K) {
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int i = 0; i < n; i++)
        K[i * n + i] = D[i];
}

static int quadratic(int n, const double *D, const double *y, double *f, double *K) {
    for (int i = 0; i < n; i++)
        f[i] = -D[i] * y[i];
    if (K != NULL) set_diagonal(n, D, K);
    return TAC_ZONE_QUADRATIC;
}

static int none(int n, double *f, double *K) {
    memset(f, 0, (size_t)n * sizeof *f);
    if (K != NULL) memset(K, 0, (size_t)(n * n) * sizeof *K);
    return TAC_ZONE_FREE;
}

static int loss_bound(double loss, int low, double *f, double *K) {
    f[0] = low ? loss : -loss;
    if (K != NULL) K[0] = 0;
    return low ? TAC_ZONE_LOW : TAC_ZONE_HIGH;
}

static int loss_force(double loss, const double *D, const double *y, double *f, double *K) {
    if (tac_abs(D[0] * y[0]) < loss) return quadratic(1, D, y, f, K);
    return loss_bound(loss, y[0] < 0, f, K);
}

/* Edges e = y_0 +- mu_k y_k. Each has D if it is below zero; or those of a fixed zone have. */
static int pyramid_force(const tacSoftBlock *b, double D, const double *y, int fixed, double *f, double *K) {
    int n = b->n, zone = 0;
    none(n, f, K);
    for (int k = 1; k < n; k++)
        for (int side = 0; side < 2; side++) {
            double mu = side == 0 ? b->friction[k - 1] : -b->friction[k - 1], e = y[0] + mu * y[k];
            int edge = 1 << (2 * (k - 1) + side);
            if (fixed < 0 ? !(e < 0) : !(fixed & edge)) continue;
            zone |= edge;
            f[0] -= D * e;
            f[k] -= D * mu * e;
            if (K == NULL) continue;
            K[0] += D;
            K[k * n + k] += D * mu * mu;
            K[k] += D * mu;
            K[k * n] += D * mu;
        }
    return zone;
}

/* In u = (mu y_0, friction_k y_k) = (N, t), T = |t|: zero above the dual cone N >= mu T, quadratic below the cone mu
 * N + T <= 0, and between them s = c (N - mu T)^2 / 2 with c = D_0/(mu^2 (1 + mu^2)). That law may be
 * held outside. */
static int elliptic_force(const tacSoftBlock *b, const double *D, const double *y, int between, double *f, double *K) {
    int n = b->n;
    double mu = b->mu, N = mu * y[0], T = 0, u[TAC_SOFT_MOST_ROWS] = {0};
    for (int k = 1; k < n; k++) {
        u[k] = b->friction[k - 1] * y[k];
        T += u[k] * u[k];
    }
    T = tac_sqrt(T);
    if (N >= mu * T && !between) return none(n, f, K);
    if (mu * N + T <= 0 && !between) return quadratic(n, D, y, f, K);
    double c = D[0] / (mu * mu * (1 + mu * mu)), over = c * (N - mu * T);
    f[0] = -over * mu;
    for (int k = 1; k < n; k++)
        f[k] = over * mu * u[k] / T * b->friction[k - 1];
    if (K == NULL) return TAC_ZONE_CONE;
    K[0] = c * mu * mu;
    for (int k = 1; k < n; k++) {
        double by_k = b->friction[k - 1];
        K[k] = K[k * n] = -c * mu * mu * u[k] / T * by_k;
        for (int l = 1; l < n; l++) {
            double turn = mu * N / T * u[k] * u[l] / (T * T) + (k == l ? mu * mu - mu * N / T : 0);
            K[k * n + l] = c * turn * by_k * b->friction[l - 1];
        }
    }
    return TAC_ZONE_CONE;
}

/* The law of one zone, wherever y is. */
static int held_force(const tacSoftBlock *b, const double *D, const double *y, double *f, double *K) {
    int zone = b->law - 1;
    if (b->kind == TAC_SOFT_PYRAMID) return pyramid_force(b, D[0], y, zone, f, K);
    switch (zone) {
    case TAC_ZONE_FREE:
        return none(b->n, f, K);
    case TAC_ZONE_CONE:
        return elliptic_force(b, D, y, 1, f, K);
    case TAC_ZONE_LOW:
    case TAC_ZONE_HIGH:
        return loss_bound(b->loss, zone == TAC_ZONE_LOW, f, K);
    default:
        return quadratic(b->n, D, y, f, K);
    }
}

int tac_soft_force(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K) {
    if (block->law > 0) return held_force(block, D, y, f, K);
    switch (block->kind) {
    case TAC_SOFT_EQUALITY:
        return quadratic(block->n, D, y, f, K);
    case TAC_SOFT_LOSS:
        return loss_force(block->loss, D, y, f, K);
    case TAC_SOFT_LIMIT:
        return y[0] < 0 ? quadratic(1, D, y, f, K) : none(1, f, K);
    case TAC_SOFT_PYRAMID:
        return pyramid_force(block, D[0], y, -1, f, K);
    default:
        return elliptic_force(block, D, y, 0, f, K);
    }
}

int tac_soft_sticking_force(const tacSoftBlock *block, const double *D, const double *y, double *f, double *K) {
    if (block->law > 0) return held_force(block, D, y, f, K);
    if (block->kind == TAC_SOFT_PYRAMID && y[0] < 0)
        return pyramid_force(block, D[0], y, (1 << 2 * (block->n - 1)) - 1, f, K);
    if (block->kind == TAC_SOFT_ELLIPTIC && y[0] < 0) return quadratic(block->n, D, y, f, K);
    return tac_soft_force(block, D, y, f, K);
}

/* --- Along a line ------------------------------------------------------------------------------------------------- */

static int quadratic_line(int n, const double *D, const double *y, const double *dy, double *f, double *slope,
                          double *curve) {
    for (int i = 0; i < n; i++) {
        f[i] = -D[i] * y[i];
        *slope -= dy[i] * f[i];
        *curve += D[i] * dy[i] * dy[i];
    }
    return TAC_ZONE_QUADRATIC;
}

/* The edges of pyramid_force, and the change of each. */
static int pyramid_line(const tacSoftBlock *b, double D, const double *y, const double *dy, double *f, double *slope,
                        double *curve) {
    int zone = 0;
    memset(f, 0, (size_t)b->n * sizeof *f);
    for (int k = 1; k < b->n; k++)
        for (int side = 0; side < 2; side++) {
            double mu = side == 0 ? b->friction[k - 1] : -b->friction[k - 1], e = y[0] + mu * y[k];
            if (!(e < 0)) continue;
            double de = dy[0] + mu * dy[k];
            zone |= 1 << (2 * (k - 1) + side);
            f[0] -= D * e;
            f[k] -= D * mu * e;
            *slope += D * e * de;
            *curve += D * de * de;
        }
    return zone;
}

int tac_soft_line(const tacSoftBlock *block, const double *D, const double *y, const double *dy, double *f,
                  double *slope, double *curve) {
    double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS];
    if (block->kind == TAC_SOFT_PYRAMID && !block->law) return pyramid_line(block, D[0], y, dy, f, slope, curve);
    if (block->kind == TAC_SOFT_EQUALITY || (block->kind == TAC_SOFT_LIMIT && y[0] < 0 && !block->law))
        return quadratic_line(block->n, D, y, dy, f, slope, curve);
    int zone = tac_soft_force(block, D, y, f, K), n = block->n;
    for (int i = 0; i < n && zone != TAC_ZONE_FREE; i++) {
        *slope -= dy[i] * f[i];
        for (int j = 0; j < n; j++)
            *curve += dy[i] * K[i * n + j] * dy[j];
    }
    return zone;
}

/* --- By the numbers of the constraint, y fixed -------------------------------------------------------------------- */

/* f_0 = -sum D e, f_k = -sum (+-mu_k) D e over the edges e = y_0 +- mu_k y_k that push. */
static void pyramid_change(const tacSoftBlock *b, double D, const double *y, const tacSoftChange *d, double *df) {
    for (int k = 1; k < b->n; k++)
        for (int side = 0; side < 2; side++) {
            if (!(b->zone & 1 << (2 * (k - 1) + side))) continue;
            double sign = side == 0 ? 1 : -1, mu = sign * b->friction[k - 1], dmu = sign * d->friction[k - 1];
            double e = y[0] + mu * y[k], de = dmu * y[k];
            df[0] -= D * de;
            df[k] -= D * (dmu * e + mu * de);
        }
}

/* f_0 = -g, f_k = g mu_k u_k/T with g = D_0 (y_0 - T)/(1 + mu^2), u_k = mu_k y_k, T = |u|. */
static void cone_change(const tacSoftBlock *b, const double *D, const double *y, const tacSoftChange *d, double *df) {
    double share = 1 / (1 + b->mu * b->mu), T = 0, dT = 0;
    for (int k = 1; k < b->n; k++) {
        double u = b->friction[k - 1] * y[k];
        T += u * u;
        dT += u * y[k] * d->friction[k - 1];
    }
    T = tac_sqrt(T);
    dT /= T;
    double g = D[0] * share * (y[0] - T), dg = g * (d->log_D[0] - 2 * b->mu * d->mu * share) - D[0] * share * dT;
    df[0] = -dg;
    for (int k = 1; k < b->n; k++) {
        double mu = b->friction[k - 1], dmu = d->friction[k - 1];
        df[k] = y[k] / T * (dg * mu * mu + g * (2 * mu * dmu - mu * mu * dT / T));
    }
}

void tac_soft_force_change(const tacSoftBlock *b, const double *D, const double *y, const double *f,
                           const tacSoftChange *d, double *df) {
    for (int i = 0; i < b->n; i++)
        df[i] = f[i] * d->log_D[i];
    if (b->kind == TAC_SOFT_LOSS && b->zone != TAC_ZONE_QUADRATIC) df[0] = f[0] > 0 ? d->loss : -d->loss;
    if (b->kind == TAC_SOFT_PYRAMID) pyramid_change(b, D[0], y, d, df);
    if (b->kind == TAC_SOFT_ELLIPTIC && b->zone == TAC_ZONE_CONE) cone_change(b, D, y, d, df);
}
