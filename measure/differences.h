/* Numerical derivatives, for checking analytic ones: the only finite differences in the project. */
#pragma once

/* out[m] = f(t): the function along one direction, t = 0 the point of interest. Returns 0, or non-zero where f
 * fails. */
typedef int (*differenceFunction)(void *context, double t, double *out);

enum { DIFFERENCE_ROWS = 8 };

/* Doubles of workspace that difference_ridders needs for m outputs. */
int difference_work(int m);

/* df/dt at 0 by central differences with steps h, h/c, h/c^2, ... extrapolated to zero step [Ridders1982]; each output
 * keeps the entry of its tableau with the smallest error estimate. derivative[m], error[m] (estimate; may be NULL).
 * Returns 0, or non-zero when the function failed. */
int difference_ridders(differenceFunction f, void *context, int m, double h, double *derivative, double *error,
                       double *work);

/* The same of `count` functions of m outputs each, one after another in out: one whose estimates are all below `enough`
 * times its largest |derivative|, or below `enough` itself, has converged. Its estimates become DIFFERENCE_CONVERGED,
 * and f need not evaluate it any more. Ends as soon as all have converged. error[count m]. */
#define DIFFERENCE_CONVERGED (-1.0)
int difference_ridders_each(differenceFunction f, void *context, int count, int m, double h, double enough,
                            double *derivative, double *error, double *work);

/* df/dt at 0 by one central difference of step h. work: 2 m doubles. */
int difference_central(differenceFunction f, void *context, int m, double h, double *derivative, double *work);

/* df/dt at 0 by one one-sided difference of step h. work: 2 m doubles. */
int difference_forward(differenceFunction f, void *context, int m, double h, double *derivative, double *work);

/* The error where no difference could be formed: the step failed at every stencil that was tried. */
#define DIFFERENCE_NONE 1e300
