#include "measure/differences.h"

#include <math.h>
#include <string.h>

/* Ratio of successive steps. */
#define STEP_RATIO 1.7

int difference_work(int m) { return (2 + DIFFERENCE_ROWS * 2 + 1) * m; }

int difference_central(differenceFunction f, void *context, int m, double h, double *derivative, double *work) {
    double *ahead = work, *behind = work + m;
    if (f(context, h, ahead) != 0 || f(context, -h, behind) != 0) return 1;
    for (int i = 0; i < m; i++)
        derivative[i] = (ahead[i] - behind[i]) / (2 * h);
    return 0;
}

int difference_forward(differenceFunction f, void *context, int m, double h, double *derivative, double *work) {
    double *ahead = work, *here = work + m;
    if (f(context, h, ahead) != 0 || f(context, 0, here) != 0) return 1;
    for (int i = 0; i < m; i++)
        derivative[i] = (ahead[i] - here[i]) / h;
    return 0;
}

/* Error estimate of an entry: its distance to the two entries it was made from. */
static double estimate(double entry, double left, double above) {
    return fmax(fabs(entry - left), fabs(entry - above));
}

/* Neville's tableau, one row of it at a time: row[k] eliminates the error terms h^2, ..., h^2k.
 *   row_n[k] = (c^2k row_n[k-1] - row_(n-1)[k-1]) / (c^2k - 1) */
static void next_row(int n, int m, const double *before, double *row, double *derivative, double *error) {
    double factor = STEP_RATIO * STEP_RATIO;
    for (int k = 1; k <= n; k++, factor *= STEP_RATIO * STEP_RATIO)
        for (int i = 0; i < m; i++) {
            double left = row[(k - 1) * m + i], above = before[(k - 1) * m + i];
            double entry = (factor * left - above) / (factor - 1), e = estimate(entry, left, above);
            row[k * m + i] = entry;
            if (e <= error[i]) {
                error[i] = e;
                derivative[i] = entry;
            }
        }
}

static double largest(int m, const double *x) {
    double most = 0;
    for (int i = 0; i < m; i++)
        most = fabs(x[i]) <= most ? most : fabs(x[i]); /* NAN stays */
    return most;
}

/* Marks the functions whose derivatives have converged; -> how many have not. */
static int mark_converged(int count, int m, double enough, const double *derivative, double *error) {
    int open = 0;
    for (int k = 0; k < count; k++, derivative += m, error += m) {
        if (m > 0 && error[0] == DIFFERENCE_CONVERGED) continue;
        if (largest(m, error) <= enough * fmax(1, largest(m, derivative)))
            for (int i = 0; i < m; i++)
                error[i] = DIFFERENCE_CONVERGED;
        else
            open++;
    }
    return open;
}

int difference_ridders_each(differenceFunction f, void *context, int count, int m, double h, double enough,
                            double *derivative, double *error, double *work) {
    int all = count * m;
    double *scratch = work, *before = scratch + 2 * all, *row = before + DIFFERENCE_ROWS * all;
    for (int i = 0; i < all; i++)
        error[i] = HUGE_VAL;
    for (int n = 0; n < DIFFERENCE_ROWS; n++, h /= STEP_RATIO) {
        if (difference_central(f, context, all, h, row, scratch) != 0) return 1;
        if (n == 0)
            memcpy(derivative, row, (size_t)all * sizeof *row);
        else
            next_row(n, all, before, row, derivative, error);
        if (n > 0 && mark_converged(count, m, enough, derivative, error) == 0) return 0;
        double *swap = before;
        before = row;
        row = swap;
    }
    return 0;
}

int difference_ridders(differenceFunction f, void *context, int m, double h, double *derivative, double *error,
                       double *work) {
    double *estimates = error != NULL ? error : work + (2 + 2 * DIFFERENCE_ROWS) * m;
    return difference_ridders_each(f, context, 1, m, h, -1, derivative, estimates, work);
}
