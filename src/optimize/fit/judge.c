/* What the data say about the estimates   (docs/theory/fit.md)
 *
 *   (FI10)  H D-scaled by z = sum v s^2 v':  s singular values of the Jacobian, v directions
 *   (FI11)  plain: s^2 H^+;  sandwich: H^+ (sum over groups g g') H^+ G/(G-1)  [Huber1967, White1980]
 *
 * H^+ leaves out the directions that the data do not see. */
#include "optimize/fit/fit.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <stdlib.h>
#include <string.h>

/* A singular value below this share of the largest is none: J'J has rounding of 2^-53 of its largest entry. */
#define UNSEEN 1e-7
/* A direction is unseen where ten units along it change all residuals together by less than one deviation. Where
 * residuals are smaller than their deviations, by less than their root mean square. */
#define FAINT 0.1
/* A number is seen if at most this share of its unit vector lies in unseen directions. */
#define SEEN_SHARE 1e-6

int tac_fit_rank(int n, const double *value, double loss, long residuals) {
    double rms = residuals > 0 ? tac_sqrt(loss / (double)residuals) : 0;
    double faint = FAINT * tac_min(1, rms), least = tac_max(faint * faint, UNSEEN * UNSEEN * value[0]);
    int rank = 0;
    while (rank < n && value[rank] > least)
        rank++;
    return rank;
}

double tac_student_quantile(int degrees) {
    static const double SMALL[] = {12.706204736, 4.302652730, 3.182446305, 2.776445105, 2.570581836};
    if (degrees < 1) return TAC_INFINITY;
    if (degrees <= 5) return SMALL[degrees - 1];
    /* expansion in 1 / degrees about the normal quantile [Hill1970] */
    double z = 1.959963984540054, n = degrees, z2 = z * z;
    double a = z * (z2 + 1) / 4, b = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;
    double c = z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
    double d = z * (79 * z2 * z2 * z2 * z2 + 776 * z2 * z2 * z2 + 1482 * z2 * z2 - 1920 * z2 - 945) / 92160;
    return z + a / n + b / (n * n) + c / (n * n * n) + d / (n * n * n * n);
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static int open_judgement(tacFitJudgement *j, int nvar) {
    size_t n = (size_t)nvar;
    double *a = calloc(6 * n + 3 * n * n + n + 1, sizeof *a);
    j->memory = a;
    if (a == NULL) return 0;
    j->value = a, a += n;
    j->se_plain = a, a += n;
    j->se = a, a += n;
    j->low = a, a += n;
    j->high = a, a += n;
    j->singular = a, a += n;
    j->direction = a, a += n * n;
    j->correlation = a, a += n * n;
    j->information = a, a += n * n;
    j->seen = (unsigned char *)a;
    return 1;
}

void tac_fit_judgement_free(tacFitJudgement *j) {
    if (j == NULL) return;
    free(j->memory);
    *j = (tacFitJudgement){0};
}

/* --- Covariance --------------------------------------------------------------------------------------------------- */

/* The pseudo-inverse of H, of its rank, from eigenvalues and directions. */
static void pseudo_inverse(int n, int rank, const double *value, const double *direction, double *inverse) {
    memset(inverse, 0, (size_t)n * (size_t)n * sizeof *inverse);
    for (int k = 0; k < rank; k++) {
        const double *v = direction + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++)
            tac_dense_axpy(n, v[i] / value[k], v, inverse + (size_t)i * (size_t)n);
    }
}

static void find_seen(tacFitJudgement *j) {
    size_t n = (size_t)j->nvar;
    for (size_t i = 0; i < n; i++) {
        double share = 0;
        for (size_t k = (size_t)j->rank; k < n; k++)
            share += j->direction[k * n + i] * j->direction[k * n + i];
        j->seen[i] = share <= SEEN_SHARE;
    }
}

/* d theta_i / d z_i of numbers alone; numbers of an inertia go through all ten: their covariance is D C D'. */
static void unit_derivative(const tacFit *fit, const double *z, double *D) {
    size_t n = (size_t)fit->nvar, np = (size_t)fit->nparam;
    double *one = D + n * n, *row = one + np; /* scratch behind it */
    for (size_t i = 0; i < n; i++) {
        memset(one, 0, np * sizeof *one);
        one[fit->var[i].param] = 1;
        tac_fit_chain(fit, z, 1, one, row, (int)n);
        memcpy(D + i * n, row, n * sizeof *row);
    }
}

/* C = D C D' */
static void change_units(int n, const double *D, double *C, double *scratch) {
    tac_dense_mul(n, n, n, D, C, scratch);
    tac_dense_mulbt(n, n, n, scratch, D, C);
}

static void write_intervals(const tacFitter *f, tacFitJudgement *j, const double *plain, const double *sandwich) {
    const tacFit *fit = f->fit;
    size_t n = (size_t)j->nvar;
    double t = tac_student_quantile(j->groups - 1);
    for (size_t i = 0; i < n; i++) {
        double unknown = TAC_INFINITY;
        j->value[i] = f->theta[fit->var[i].param];
        j->se_plain[i] = j->seen[i] ? tac_sqrt(tac_max(plain[i * n + i], 0)) : unknown;
        j->se[i] = j->seen[i] && j->groups > 1 ? tac_sqrt(tac_max(sandwich[i * n + i], 0)) : unknown;
        j->low[i] = j->value[i] - t * j->se[i];
        j->high[i] = j->value[i] + t * j->se[i];
        for (size_t k = 0; k < n; k++) {
            double scale = tac_sqrt(plain[i * n + i] * plain[k * n + k]);
            j->correlation[i * n + k] = scale > 0 ? plain[i * n + k] / scale : i == k;
        }
    }
}

/* Groups, rank and covariances from sums with S. */
static void write_judgement(const tacFitter *f, const tacFitSums *sums, double *scratch, tacFitJudgement *j) {
    const tacFit *fit = f->fit;
    int n = fit->nvar;
    size_t nn = (size_t)n * (size_t)n;
    double *plain = scratch, *sandwich = plain + nn, *value = sandwich + nn, *D = value + n,
           *work = D + nn + fit->nparam + n;
    memcpy(plain, sums->H, nn * sizeof *plain);
    tac_symmetric_eigen(n, plain, value, j->direction);
    j->rank = tac_fit_rank(n, value, sums->loss, sums->residuals);
    for (int i = 0; i < n; i++)
        j->singular[i] = tac_sqrt(tac_max(value[i], 0));
    find_seen(j);
    long degrees = sums->residuals - j->rank;
    j->variance = degrees > 0 ? sums->loss / (double)degrees : TAC_INFINITY;
    pseudo_inverse(n, j->rank, value, j->direction, plain);
    tac_dense_mul(n, n, n, plain, sums->S, work);
    tac_dense_mul(n, n, n, work, plain, sandwich);
    double correction = j->groups > 1 ? (double)j->groups / (j->groups - 1) : 0;
    for (size_t i = 0; i < nn; i++) {
        sandwich[i] *= correction;
        plain[i] *= j->variance;
    }
    unit_derivative(fit, f->z, D);
    change_units(n, D, plain, work);
    change_units(n, D, sandwich, work);
    write_intervals(f, j, plain, sandwich);
}

/* Information by parameters in their own units, of numbers that are alone: H over the variance and both slopes. */
static void write_information(const tacFitSums *sums, const double *D, tacFitJudgement *j) {
    size_t n = (size_t)j->nvar;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double slopes = D[i * n + i] * D[k * n + k];
            j->information[i * n + k] = slopes != 0 ? sums->H[i * n + k] / (j->variance * slopes) : 0;
        }
}

tacStatus tac_fitter_judge(tacFitter *f, tacFitJudgement *j, tacError *err) {
    if (f == NULL || j == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fitter and a judgement");
    const tacFit *fit = f->fit;
    size_t n = (size_t)fit->nvar, nn = n * n;
    int by_segment = fit->nrecording < 10;
    *j = (tacFitJudgement){
        .nvar = fit->nvar, .by_segment = by_segment, .groups = by_segment ? fit->nsegment : fit->nrecording};
    double *scratch = calloc(nn + 4 * nn + 3 * n + (size_t)fit->nparam + 1, sizeof *scratch);
    if (!open_judgement(j, fit->nvar) || scratch == NULL) {
        free(scratch);
        tac_fit_judgement_free(j);
        return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a judgement");
    }
    tacFitSums sums = {.g = f->g_new, .H = f->H_new, .S = scratch};
    memcpy(f->worst_new, f->worst, (size_t)fit->nsegment * sizeof *f->worst);
    tacFitAt at = {f->z, f->theta, f->starts, NULL, f->worst_new, 0, fit->nsegment, NULL};
    tacStatus status = tac_fit_sum(f, &at, &sums);
    if (status == TAC_OK) {
        write_judgement(f, &sums, scratch + nn, j);
        write_information(&sums, scratch + nn + 2 * nn + n, j);
    } else {
        tac_fit_judgement_free(j);
        tac_fail(err, status, "stopped");
    }
    free(scratch);
    return status;
}
