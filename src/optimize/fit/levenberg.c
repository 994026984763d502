/* Levenberg-Marquardt with bounds   (docs/theory/fit.md)
 *
 *   (FI7)  (H + lambda D) dz = -g on the numbers that are not held,  D = diag(H), at least a share of its largest
 *   (FI8)  lambda follows the ratio of what came to what was promised [Nielsen1999]
 *
 * Sums of the candidate are taken whole: where it is accepted they are those of the next iteration. */
#include "optimize/fit/fit.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* Directions without data keep this share of the largest scale as damping. */
#define LEAST_SCALE 1e-12
/* A step that promises less than this share of a residual's variance moves no estimate by a hundredth of its standard
 * error. If rounding of the prediction refuses it, the fit is solved. */
#define NOTHING 1e-4
/* Candidates of an iteration: lambda grows by 2, 4, 8... and passes any scale after these. */
enum { CANDIDATES = 12 };

/* Numbers at a bound whose gradient points outside are held. */
static int find_held(const tacFit *fit, const double *z, const double *g, unsigned char *held) {
    int n = 0;
    for (int i = 0; i < fit->nvar; i++) {
        const tacFitVar *v = &fit->var[i];
        held[i] = (z[i] <= v->z_low && g[i] > 0) || (z[i] >= v->z_high && g[i] < 0);
        n += held[i];
    }
    return n;
}

/* dz by (FI7); 0: the matrix is not positive definite to rounding. */
static int solve_free(const tacFitter *f, double lambda, const unsigned char *held, double *M, double *dz) {
    const tacFit *fit = f->fit;
    size_t n = (size_t)fit->nvar;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = tac_max(most, f->H[i * n + i]);
    memcpy(M, f->H, n * n * sizeof *M);
    for (size_t i = 0; i < n; i++) {
        dz[i] = held[i] ? 0 : -f->g[i];
        M[i * n + i] += lambda * tac_max(f->H[i * n + i], LEAST_SCALE * most);
        for (size_t j = 0; held[i] && j < n; j++)
            M[i * n + j] = M[j * n + i] = i == j;
    }
    if (most == 0) return 0;
    if (tac_cholesky_factor((int)n, M) >= 0) return 0;
    tac_cholesky_solve((int)n, M, dz);
    return 1;
}

/* dz without its parts along directions that the data do not see: these stay where they are. */
static void leave_unseen(const tacFitter *f, const unsigned char *held, double *M, double *dz) {
    size_t n = (size_t)f->fit->nvar;
    double *value = M + n * n + 3 * n, *V = value + n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            M[i * n + j] = held[i] || held[j] ? 0 : f->H[i * n + j];
    tac_symmetric_eigen((int)n, M, value, V);
    int rank = tac_fit_rank((int)n, value, f->number[TAC_FIT_LOSS], (long)f->number[TAC_FIT_RESIDUALS]);
    for (size_t k = (size_t)rank; k < n; k++)
        tac_dense_axpy((int)n, -tac_dense_dot((int)n, V + k * n, dz), V + k * n, dz);
}

/* Step inside bounds: a number that would cross one is set on it and held, and the others are solved again. */
static int bounded_step(const tacFitter *f, double lambda, unsigned char *held, double *M, double *dz) {
    const tacFit *fit = f->fit;
    for (int round = 0; round <= fit->nvar; round++) {
        int crossed = 0;
        if (!solve_free(f, lambda, held, M, dz)) return 0;
        for (int i = 0; i < fit->nvar; i++) {
            const tacFitVar *v = &fit->var[i];
            double to = f->z[i] + dz[i];
            if (held[i] || (to >= v->z_low && to <= v->z_high)) continue;
            if (f->z[i] <= v->z_low || f->z[i] >= v->z_high) held[i] = 1, crossed = 1;
        }
        if (!crossed) break;
    }
    leave_unseen(f, held, M, dz);
    for (int i = 0; i < fit->nvar; i++)
        dz[i] = tac_clamp(f->z[i] + dz[i], fit->var[i].z_low, fit->var[i].z_high) - f->z[i];
    return 1;
}

/* Decrease of the loss by its model: -(2 g + H dz) . dz */
static double promise(const tacFitter *f, const double *dz) {
    size_t n = (size_t)f->fit->nvar;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum -= dz[i] * (2 * f->g[i] + tac_dense_dot((int)n, f->H + i * n, dz));
    return sum;
}

static void accept(tacFitter *f, const tacFitSums *sums) {
    const tacFit *fit = f->fit;
    size_t n = (size_t)fit->nvar;
    memcpy(f->z, f->z_new, n * sizeof *f->z);
    memcpy(f->g, f->g_new, n * sizeof *f->g);
    memcpy(f->H, f->H_new, n * n * sizeof *f->H);
    memcpy(f->worst, f->worst_new, (size_t)fit->nsegment * sizeof *f->worst);
    if (f->starts != NULL)
        memcpy(f->starts, f->starts_new, (size_t)fit->nsegment * (size_t)fit->nx * sizeof *f->starts);
    f->number[TAC_FIT_LOSS] = sums->loss;
    f->number[TAC_FIT_RESIDUALS] = (double)sums->residuals;
    f->number[TAC_FIT_FAILURES] = sums->failed;
}

/* One candidate z + dz: accepted (1), refused (0), or stopped (-1). */
static int try_step(tacFitter *f, const double *dz, tacFitIteration *now) {
    const tacFit *fit = f->fit;
    tacFitSums sums = {.g = f->g_new, .H = f->H_new};
    for (int i = 0; i < fit->nvar; i++)
        f->z_new[i] = f->z[i] + dz[i];
    tac_fit_theta(fit, f->z_new, f->theta_new);
    memcpy(f->worst_new, f->worst, (size_t)fit->nsegment * sizeof *f->worst);
    tacFitAt at = {f->z_new, f->theta_new, f->starts, f->starts_new, f->worst_new, 0, fit->nsegment, NULL};
    if (tac_fit_sum(f, &at, &sums) != TAC_OK) return -1;
    now->gained = f->number[TAC_FIT_LOSS] - sums.loss;
    now->failed = sums.failed;
    if (sums.failed > (int)f->number[TAC_FIT_FAILURES] || !(now->gained > 0)) return 0;
    now->step = tac_dense_largest(fit->nvar, dz);
    accept(f, &sums);
    return 1;
}

/* (FI8) */
static void adapt_damping(tacFitter *f, int accepted, double ratio) {
    double *lambda = &f->number[TAC_FIT_DAMPING], *growth = &f->number[TAC_FIT_GROWTH];
    if (accepted) {
        double s = 2 * ratio - 1;
        *lambda *= tac_max(1.0 / 3, 1 - s * s * s);
        *growth = 2;
    } else {
        *lambda *= *growth;
        *growth *= 2;
    }
    *lambda = tac_clamp(*lambda, 1e-15, 1e15);
}

/* Nothing moves any more: in scaled parameters, or in the loss. */
static int is_small(const tacFitter *f, const double *dz, double promised) {
    double tol = f->fit->options.tolerance;
    return tac_dense_largest(f->fit->nvar, dz) <= tol ||
           promised <= tol * tol * (f->number[TAC_FIT_LOSS] + TAC_FIT_LEAST_LOSS);
}

tacFitEnd tac_fit_levenberg(tacFitter *f, tacFitIteration *now) {
    const tacFit *fit = f->fit;
    double *M = f->scratch, *dz = M + (size_t)fit->nvar * (size_t)fit->nvar;
    unsigned char *held = (unsigned char *)(dz + fit->nvar);
    double first = -1, nothing = NOTHING * f->number[TAC_FIT_LOSS] / tac_max(f->number[TAC_FIT_RESIDUALS], 1);
    for (int i = 0; i < CANDIDATES; i++) {
        now->bounds = find_held(fit, f->z, f->g, held);
        now->damping = f->number[TAC_FIT_DAMPING];
        if (now->bounds == fit->nvar) return TAC_FIT_SOLVED;
        if (!bounded_step(f, now->damping, held, M, dz)) {
            if (tac_dense_largest(fit->nvar * fit->nvar, f->H) == 0) return TAC_FIT_SOLVED;
            adapt_damping(f, 0, 0);
            continue;
        }
        now->promised = promise(f, dz);
        if (first < 0) first = now->promised;
        if (is_small(f, dz, now->promised)) return i == 0 || first <= nothing ? TAC_FIT_SOLVED : TAC_FIT_STALLED;
        int accepted = try_step(f, dz, now);
        if (accepted < 0) return TAC_FIT_STOPPED;
        adapt_damping(f, accepted, now->gained / now->promised);
        if (accepted) return TAC_FIT_RUNNING;
    }
    return first <= nothing ? TAC_FIT_SOLVED : TAC_FIT_STALLED;
}
