#include "solve/cone_program.h"

#include "math/cone.h"
#include "math/scalar.h"

#include <float.h>

/* Share of the way to the border that a step takes at most. */
#define SHARE 0.97
/* Products count as those of the path within this share of kappa. */
#define CENTRING 1e-9
/* Within this share they do as well where a Newton step brings them no nearer: what is left is rounding. */
#define ROUNDED 1e-5
/* Newton's step alone is taken where the product it leaves behind is below this share of kappa. */
#define NEWTON 0.9
/* Only centring is left once the mean product is below this times kappa and the dual point is feasible. */
#define NEAR 2.0
/* A line search ends where the slope is below this share of that at its start; and after so many secants. */
#define FLATTER 0.5
enum { SECANTS = 8 };
/* Bounds of the product that a corrector aims at, in units of the path's. */
#define BELOW 0.03
#define ABOVE 100
/* Least kappa nu that numbers carry, relative to the objective and the terms of its dual: below it s and lambda of a
 * cone lose their digits. */
#define LEAST_GAP 5e-14
/* Least product of a cone, relative to that of its first numbers: a hundred roundings. */
#define LEAST_PRODUCT 2e-14
/* Rounding of a sum, in units of the sum of absolute values: a few units in the last place, of 53 bits or of 113. */
#define ROUNDING (8 * (sizeof(double) > 8 ? 1.9259299443872359e-34 : DBL_EPSILON))

int tac_cone_path_layout(int n, int m, int ncone, tacArena *arena, tacConePath *k) {
    double **columns[] = {&k->s, &k->lambda, &k->scaled, &k->target, &k->ds, &k->dlambda, &k->second, &k->lost};
    double **shorts[] = {&k->x, &k->dx, &k->short_of, &k->work, &k->qr.diag, &k->qr.beta};
    int full = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        full |= (*columns[i] = TAC_TAKE(arena, m, double)) == NULL;
    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++)
        full |= (*shorts[i] = TAC_TAKE(arena, n, double)) == NULL;
    full |= (k->scaling = TAC_TAKE(arena, m + ncone * (1 + TAC_CONE_MOST), double)) == NULL;
    full |= (k->qr.A = TAC_TAKE(arena, (long)m * n, double)) == NULL;
    full |= (k->qr.column = TAC_TAKE(arena, n, int)) == NULL;
    full |= (k->qr.row = TAC_TAKE(arena, n, int)) == NULL;
    return !full;
}

/* --- Products with M ---------------------------------------------------------------------------------------------- */

/* y = M x */
static void multiply(const tacConeProgram *p, const double *x, double *y) {
    for (int i = 0; i < p->m; i++)
        y[i] = p->M[i] * x[0];
    for (int j = 1; j < p->n; j++) {
        const double *column = p->M + (long)p->m * j;
        for (int i = 0; i < p->m; i++)
            y[i] += column[i] * x[j];
    }
}

void tac_cone_program_slack(const tacConeProgram *p, const double *x, double *s) {
    multiply(p, x, s);
    for (int i = 0; i < p->m; i++)
        s[i] += p->c0[i];
}

/* lost = M x + c0 - s, zero where it is no more than rounding. */
static void primal_gap(const tacConeProgram *p, tacConePath *k) {
    double *size = k->second;
    for (int i = 0; i < p->m; i++) {
        k->lost[i] = p->c0[i];
        size[i] = tac_abs(p->c0[i]) + tac_abs(k->s[i]);
    }
    for (int j = 0; j < p->n; j++) {
        const double *column = p->M + (long)p->m * j, x = k->x[j];
        for (int i = 0; i < p->m; i++) {
            double term = column[i] * x;
            k->lost[i] += term;
            size[i] += tac_abs(term);
        }
    }
    for (int i = 0; i < p->m; i++) {
        k->lost[i] -= k->s[i];
        if (tac_abs(k->lost[i]) <= ROUNDING * size[i]) k->lost[i] = 0;
    }
}

static double column_size(const tacConeProgram *p, int j) {
    double most = 0;
    for (int i = 0; i < p->m; i++)
        most = tac_max(most, tac_abs(p->M[(long)p->m * j + i]));
    return most;
}

/* short_of = e - M^T lambda, the same way -> 1: none is missing. */
static int dual_gap(const tacConeProgram *p, tacConePath *k) {
    double largest = 0;
    int none = 1;
    for (int i = 0; i < p->m; i++)
        largest = tac_max(largest, tac_abs(k->lambda[i]));
    for (int j = 0; j < p->n; j++) {
        const double *column = p->M + (long)p->m * j;
        double sum = j == p->objective, size = sum + largest * column_size(p, j);
        for (int i = 0; i < p->m; i++) {
            double term = column[i] * k->lambda[i];
            sum -= term;
            size += tac_abs(term);
        }
        k->short_of[j] = tac_abs(sum) <= ROUNDING * size ? 0 : sum;
        none &= k->short_of[j] == 0;
    }
    return none;
}

/* --- Scaling (E6) ------------------------------------------------------------------------------------------------- */

double tac_cone_determinant(int n, const double *s) {
    double square = 0;
    for (int i = 1; i < n; i++)
        square += s[i] * s[i];
    double length = tac_sqrt(square);
    return (s[0] - length) * (s[0] + length);
}

/* W of one cone, stored as b and w, with w_0^2 - |w_t|^2 = 1: the boost of apply_cone. */
static void scale_cone(int n, const double *s, const double *lambda, double *W) {
    double ds = tac_sqrt(tac_cone_determinant(n, s)), dl = tac_sqrt(tac_cone_determinant(n, lambda)), dot = 0,
           *w = W + 1;
    for (int i = 0; i < n; i++)
        dot += s[i] * lambda[i];
    double gamma = tac_sqrt((1 + dot / (ds * dl)) / 2);
    W[0] = tac_sqrt(ds / dl);
    for (int i = 0; i < n; i++)
        w[i] = (s[i] / ds + (i == 0 ? 1 : -1) * lambda[i] / dl) / (2 * gamma);
}

/* y = W x (inverse 0) or W^-1 x (1), in the form of Lorentz boosts: with t = w_t . x_t,
 *   y_0 = b (w_0 x_0 + t),   y_t = b (x_t + (x_0 + t / (1 + w_0)) w_t) */
static void apply_cone(int n, const double *W, int inverse, const double *x, double *y) {
    const double *w = W + 1, sign = inverse ? -1 : 1, b = inverse ? 1 / W[0] : W[0];
    double t = 0, x0 = x[0];
    for (int i = 1; i < n; i++)
        t += sign * w[i] * x[i];
    double along = sign * b * (x0 + t / (1 + w[0]));
    y[0] = b * (w[0] * x0 + t);
    for (int i = 1; i < n; i++)
        y[i] = b * x[i] + along * w[i];
}

/* y = W x or W^-1 x over all rows; y may be x. */
static void apply(const tacConeProgram *p, const tacConePath *k, int inverse, const double *x, double *y) {
    for (int i = 0; i < p->nhalf; i++)
        y[i] = inverse ? x[i] / k->scaling[i] : x[i] * k->scaling[i];
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++])
        apply_cone(p->dim[c], k->scaling + p->nhalf + (1 + TAC_CONE_MOST) * c, inverse, x + row, y + row);
}

static void scale(const tacConeProgram *p, tacConePath *k) {
    for (int i = 0; i < p->nhalf; i++)
        k->scaling[i] = tac_sqrt(k->s[i] / k->lambda[i]);
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++])
        scale_cone(p->dim[c], k->s + row, k->lambda + row, k->scaling + p->nhalf + (1 + TAC_CONE_MOST) * c);
    apply(p, k, 0, k->lambda, k->scaled);
}

/* Factors W^-1 M. */
static int factor(const tacConeProgram *p, tacConePath *k) {
    k->qr.m = p->m;
    k->qr.n = p->n;
    for (int j = 0; j < p->n; j++)
        apply(p, k, 1, p->M + (long)p->m * j, k->qr.A + (long)p->m * j);
    k->systems++;
    return tac_graded_factor(&k->qr);
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* arrow(u) d = r */
static void divide(int n, const double *u, const double *r, double *d) {
    double dot = u[0] * r[0], square = u[0] * u[0];
    for (int i = 1; i < n; i++) {
        dot -= u[i] * r[i];
        square -= u[i] * u[i];
    }
    d[0] = dot / square;
    for (int i = 1; i < n; i++)
        d[i] = (r[i] - d[0] * u[i]) / u[0];
}

/* Clamps the product that a corrector aims at, tau unit e - second: its eigenvalues r_0 +- |r_t| stay between BELOW and
 * ABOVE times that of the path. A negative product would lead across the border [Gondzio1996]. */
static void bound_aim(int n, double path, double *r) {
    double square = 0;
    for (int i = 1; i < n; i++)
        square += r[i] * r[i];
    double length = tac_sqrt(square), low = tac_clamp(r[0] - length, BELOW * path, ABOVE * path),
           high = tac_clamp(r[0] + length, BELOW * path, ABOVE * path);
    r[0] = 0.5 * (high + low);
    for (int i = 1; i < n && length > 0; i++)
        r[i] *= 0.5 * (high - low) / length;
}

/* target: what the scaled steps add up to, arrow(scaled) target = aim - scaled o scaled, with the aim tau unit e, less
 * the second order of a predictor (NULL: none). */
static void set_target(const tacConeProgram *p, tacConePath *k, double tau, const double *second) {
    for (int i = 0; i < p->nhalf; i++) {
        double aim = second == NULL ? tau : tac_clamp(tau - second[i], BELOW * tau, ABOVE * tau);
        k->target[i] = aim / k->scaled[i] - k->scaled[i];
    }
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++]) {
        double r[TAC_CONE_MOST], aim[TAC_CONE_MOST] = {2 * tau};
        int n = p->dim[c];
        for (int i = 0; i < n && second != NULL; i++)
            aim[i] -= second[row + i];
        if (second != NULL) bound_aim(n, 2 * tau, aim);
        tac_cone_product(n, k->scaled + row, k->scaled + row, r);
        for (int i = 0; i < n; i++)
            r[i] = aim[i] - r[i];
        divide(n, k->scaled + row, r, k->target + row);
    }
}

/* (E7): dx by least squares, and its residual W dlambda, so that M^T dlambda is exact even where rows of W^-1 M differ
 * by 1e12. Steps are scaled: ds is W^-1 ds, dlambda is W dlambda; they add up to the target. */
static void solve(const tacConeProgram *p, tacConePath *k) {
    double *t = k->dlambda;
    apply(p, k, 1, k->lost, t);
    for (int i = 0; i < p->m; i++)
        t[i] = k->target[i] - t[i];
    tac_graded_rotate(&k->qr, t);
    tac_graded_lower(&k->qr, k->short_of, k->work);
    for (int j = 0; j < p->n; j++) {
        double head = t[j] - k->work[j];
        t[j] = k->work[j];
        k->work[j] = head;
    }
    tac_graded_upper(&k->qr, k->work, k->dx);
    tac_graded_rotate_back(&k->qr, t);
    for (int i = 0; i < p->m; i++)
        k->ds[i] = k->target[i] - k->dlambda[i];
}

/* Longest step from the scaled point along a scaled step; TAC_INFINITY where there is no border. */
static double reach(const tacConeProgram *p, const tacConePath *k, const double *d) {
    double least = TAC_INFINITY;
    for (int i = 0; i < p->nhalf; i++)
        if (d[i] < 0) least = tac_min(least, -k->scaled[i] / d[i]);
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++])
        least = tac_min(least, tac_cone_reach(p->dim[c], k->scaled + row, d + row));
    return least;
}

/* second = ds o dlambda, the change of the products that the predictor neglects. Returns its largest entry. */
static double second_order(const tacConeProgram *p, tacConePath *k) {
    double most = 0;
    for (int i = 0; i < p->nhalf; i++)
        k->second[i] = k->ds[i] * k->dlambda[i];
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++])
        tac_cone_product(p->dim[c], k->ds + row, k->dlambda + row, k->second + row);
    for (int i = 0; i < p->m; i++)
        most = tac_max(most, tac_abs(k->second[i]));
    return most;
}

/* Mean product of the scaled point after a share of the steps. */
static double mean_product(const tacConeProgram *p, const tacConePath *k, double by) {
    double sum = 0;
    for (int i = 0; i < p->m; i++)
        sum += (k->scaled[i] + by * k->ds[i]) * (k->scaled[i] + by * k->dlambda[i]);
    return sum / (p->nhalf + 2 * p->ncone);
}

/* Takes the steps: s stays M x + c0, to rounding. */
static void move(const tacConeProgram *p, tacConePath *k, double by_s, double by_lambda) {
    multiply(p, k->dx, k->ds);
    for (int i = 0; i < p->m; i++)
        k->s[i] += by_s * (k->ds[i] + k->lost[i]);
    for (int j = 0; j < p->n; j++)
        k->x[j] += by_s * k->dx[j];
    apply(p, k, 1, k->dlambda, k->dlambda);
    for (int i = 0; i < p->m; i++)
        k->lambda[i] += by_lambda * k->dlambda[i];
}

/* --- The path ----------------------------------------------------------------------------------------------------- */

/* lambda = tau unit s^-1, with tau such that the objective's own equation holds. */
static void start(const tacConeProgram *p, tacConePath *k) {
    tac_cone_program_slack(p, k->x, k->s);
    for (int i = 0; i < p->nhalf; i++)
        k->lambda[i] = 1 / k->s[i];
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++])
        for (int i = 0; i < p->dim[c]; i++)
            k->lambda[row + i] = (i == 0 ? 2 : -2) * k->s[row + i] / tac_cone_determinant(p->dim[c], k->s + row);
    double sum = 0;
    for (int i = 0; i < p->m; i++)
        sum += p->M[(long)p->m * p->objective + i] * k->lambda[i];
    for (int i = 0; i < p->m; i++)
        k->lambda[i] /= sum;
}

/* Slope of the barrier's value at a share of a scaled step d of s, or of the dual's along one of lambda:
 *   scaled . d - kappa sum unit (scaled + a d)^-1 . d   (E8) */
static double slope(const tacConeProgram *p, const tacConePath *k, double kappa, const double *d, double a) {
    double sum = 0;
    for (int i = 0; i < p->nhalf; i++)
        sum += k->scaled[i] * d[i] - kappa * d[i] / (k->scaled[i] + a * d[i]);
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++]) {
        double v[TAC_CONE_MOST], dot = 0;
        for (int i = 0; i < p->dim[c]; i++) {
            v[i] = k->scaled[row + i] + a * d[row + i];
            sum += k->scaled[row + i] * d[row + i];
            dot += (i == 0 ? 1 : -1) * v[i] * d[row + i];
        }
        sum -= 2 * kappa * dot / tac_cone_determinant(p->dim[c], v);
    }
    return sum;
}

/* Line search: the share of a scaled step up to which the barrier function falls. Its slope increases along the step,
 * and secants find where the slope is near zero. */
static double search(const tacConeProgram *p, const tacConePath *k, double kappa, const double *d) {
    double a = tac_min(1, SHARE * reach(p, k, d)), first = slope(p, k, kappa, d, 0);
    for (int i = 0; i < SECANTS; i++) {
        double there = slope(p, k, kappa, d, a);
        if (there <= -FLATTER * first) break;
        a *= first / (first - there);
    }
    return a;
}

/* One system. The predictor aims at kappa. It is Newton's step where it leaves products right to a share of kappa.
 * Where only centring is left, steps of s and of lambda minimize each its own convex barrier along the line. Otherwise
 * a corrector follows (Mehrotra), towards as much of the mean product as the predictor could not remove.
 * -> share of kappa that products are off by. */
static double advance(const tacConeProgram *p, double kappa, int feasible, tacConePath *k) {
    set_target(p, k, kappa, NULL);
    solve(p, k);
    double by = tac_min(1, tac_min(reach(p, k, k->ds), reach(p, k, k->dlambda)));
    double left = second_order(p, k), mean = mean_product(p, k, 0), share = mean_product(p, k, by) / mean;
    if (by == 1 && left <= NEWTON * kappa) {
        move(p, k, 1, 1);
        return left / kappa;
    }
    if (feasible && mean <= NEAR * kappa) {
        move(p, k, search(p, k, kappa, k->ds), search(p, k, kappa, k->dlambda));
        return TAC_INFINITY;
    }
    set_target(p, k, tac_max(kappa, share * share * share * mean), k->second);
    solve(p, k);
    by = tac_min(1, SHARE * tac_min(reach(p, k, k->ds), reach(p, k, k->dlambda)));
    move(p, k, by, by);
    return TAC_INFINITY;
}

/* kappa, or the least that numbers carry: those of the objective and of the terms of its dual value c0 . lambda, and
 * those of each cone, whose determinant is a difference. */
static double reachable(const tacConeProgram *p, const tacConePath *k, double kappa) {
    double size = 0, cone = 0;
    for (int i = 0; i < p->m; i++)
        size += tac_abs(p->c0[i] * k->lambda[i]);
    size = tac_max(size, tac_abs(k->x[p->objective]));
    int row = p->nhalf;
    for (int c = 0; c < p->ncone; row += p->dim[c++])
        cone = tac_max(cone, k->s[row] * k->lambda[row]);
    return tac_max(kappa, tac_max(LEAST_GAP / (p->nhalf + 2 * p->ncone) * size, LEAST_PRODUCT * cone));
}

int tac_cone_path(const tacConeProgram *p, const tacConeSettings *settings, tacConePath *k) {
    int polish = 0, centred = 0;
    double off = TAC_INFINITY;
    start(p, k);
    for (k->systems = 0; k->systems < settings->max_systems + polish;) {
        primal_gap(p, k);
        int feasible = dual_gap(p, k);
        if (centred && feasible && polish == settings->polish) return 1;
        polish += centred && polish < settings->polish;
        scale(p, k);
        if (!factor(p, k)) return 0;
        double before = off;
        off = advance(p, reachable(p, k, settings->kappa), feasible, k);
        centred = off <= CENTRING || (off <= ROUNDED && off >= before);
    }
    dual_gap(p, k);
    return centred;
}

/* --- Derivatives (E9, E10) ---------------------------------------------------------------------------------------- */

int tac_cone_path_factor(const tacConeProgram *p, tacConePath *k) {
    scale(p, k);
    return factor(p, k);
}

/* y = argmin |W^-1 M y + W^-1 lambdabar|^2 - 2 xbar . y,   z = W^-2 (M y + lambdabar) */
void tac_cone_path_adjoint(const tacConeProgram *p, tacConePath *k, const double *xbar, const double *lambdabar,
                           double *y, double *z) {
    apply(p, k, 1, lambdabar, z);
    tac_graded_rotate(&k->qr, z);
    tac_graded_lower(&k->qr, xbar, k->work);
    for (int j = 0; j < p->n; j++) {
        double head = k->work[j] - z[j];
        z[j] = k->work[j];
        k->work[j] = head;
    }
    tac_graded_upper(&k->qr, k->work, y);
    tac_graded_rotate_back(&k->qr, z);
    apply(p, k, 1, z, z);
}

/* --- Where the program is a part of a larger problem -------------------------------------------------------------- */

void tac_cone_path_aim(const tacConeProgram *p, tacConePath *k, double tau, int second) {
    set_target(p, k, tau, second ? k->second : NULL);
}

/* ds by the rows: large rows of a program on nearly parallel faces lose no digits to the scaling. */
void tac_cone_path_direction(const tacConeProgram *p, tacConePath *k) {
    solve(p, k);
    second_order(p, k);
    multiply(p, k->dx, k->ds);
    for (int i = 0; i < p->m; i++)
        k->ds[i] += k->lost[i];
    apply(p, k, 1, k->dlambda, k->dlambda);
}
