/* Interior point method for boxed problems. It finds the classes of large ones in some twenty systems, however many
 * rows there are.
 *
 *   w = A f + b = z - y,    s = f - low >= 0,  z >= 0,  s z = kappa,    u = high - f >= 0,  y >= 0,  u y = kappa
 *
 * low and high move with the parent's force (low f_p, high f_p). Newton's step is
 *
 *   (A + D) df + C df_p = -(A f + b - z + y) + (kappa - c)/s - z - ((kappa - c')/u - y)
 *   D = z/s + y/u,     C = -(low z/s + high y/u)
 *
 * kappa goes to zero by predictor and corrector [Mehrotra1992]. With friction the problem is not monotone. Where bodies
 * are wedged, steps may become ever shorter, and other methods have to continue. The result is near the solution. The
 * smaller of s and z gives the class of a row. */
#include "solve/boxed.h"

#include "math/scalar.h"

#include <string.h>

enum { ROUNDS = 40, SHORT_STEPS = 3 };
/* Ends when every row has min(s, z/A_ii) and its residual below this fraction of the largest force of a row alone. */
#define END 1e-8
/* Fraction of the way to the nearest bound. A step below the second number is short. */
#define KEEP_OFF   0.99
#define SHORT_STEP 1e-3
/* D of a row whose force is known, relative to its A_ii. */
#define STIFF 1e20

typedef struct Interior {
    const tacBoxed *problem;
    const tacBoxedForm *form;
    double *f, *w, *z, *y; /* n */
    double *df, *dz, *dy;
    double *D, *C, *rhs;
    double scale; /* largest force that a row alone would have */
} Interior;

/* Bounds of a row, as shares of f_p or constants. has[0]: it has a lower one; has[1]: an upper one. 1: its force is
 * known. */
static int bounds_of(const tacBoxed *problem, int i, int has[2]) {
    int known = problem->low[i] == problem->high[i];
    has[0] = !known && tac_finite(problem->low[i]);
    has[1] = !known && tac_finite(problem->high[i]);
    return known;
}

/* x_i - low x_p, of forces (constant 1) or of their changes (constant 0). */
static double above(const tacBoxed *problem, const double *x, int i, double constant) {
    int p = problem->parent[i];
    return x[i] - problem->low[i] * (p < 0 ? constant : x[p]);
}

static double below(const tacBoxed *problem, const double *x, int i, double constant) {
    int p = problem->parent[i];
    return problem->high[i] * (p < 0 ? constant : x[p]) - x[i];
}

/* --- Where it begins ---------------------------------------------------------------------------------------------- */

static void begin(Interior *in) {
    const tacBoxed *problem = in->problem;
    in->scale = tac_boxed_alone(problem);
    for (int i = 0; i < problem->n; i++) {
        int has[2], known = bounds_of(problem, i, has), child = problem->parent[i] >= 0;
        double low = problem->low[i], high = problem->high[i], velocity = in->scale * tac_boxed_diagonal(problem, i);
        in->f[i] = 0;
        if (!child && known) in->f[i] = low;
        if (!child && has[0] && has[1]) in->f[i] = (low + high) / 2;
        if (!child && has[0] && !has[1]) in->f[i] = low + in->scale;
        if (!child && !has[0] && has[1]) in->f[i] = high - in->scale;
        in->z[i] = has[0] ? velocity : 0;
        in->y[i] = has[1] ? velocity : 0;
    }
}

/* --- One round ---------------------------------------------------------------------------------------------------- */

typedef struct Residual {
    double kappa; /* mean of s z and u y */
    double worst; /* the one that END is compared with */
    int pairs;
} Residual;

/* f, z, y -> w, D, C, and the residuals there */
static Residual evaluate(Interior *in) {
    const tacBoxed *problem = in->problem;
    Residual residual = {0, 0, 0};
    in->form->multiply(in->form->matrix, in->f, problem->b, in->w);
    for (int i = 0; i < problem->n; i++) {
        int has[2], known = bounds_of(problem, i, has);
        double a = tac_boxed_diagonal(problem, i);
        in->D[i] = known ? STIFF * a : 0;
        in->C[i] = 0;
        if (known) continue;
        residual.worst = tac_max(residual.worst, tac_abs(in->w[i] - in->z[i] + in->y[i]) / a);
        if (has[0]) {
            double s = above(problem, in->f, i, 1), z = in->z[i];
            residual.kappa += s * z;
            residual.pairs++;
            residual.worst = tac_max(residual.worst, tac_min(s, z / a));
            in->D[i] += z / s;
            in->C[i] -= problem->low[i] * z / s;
        }
        if (has[1]) {
            double u = below(problem, in->f, i, 1), y = in->y[i];
            residual.kappa += u * y;
            residual.pairs++;
            residual.worst = tac_max(residual.worst, tac_min(u, y / a));
            in->D[i] += y / u;
            in->C[i] -= problem->high[i] * y / u;
        }
        if (problem->parent[i] < 0) in->C[i] = 0;
    }
    if (residual.pairs > 0) residual.kappa /= residual.pairs;
    return residual;
}

/* kappa -> df, dz, dy. `second`: less the products of the changes before */
static void find_step(Interior *in, double kappa, int second) {
    const tacBoxed *problem = in->problem;
    for (int i = 0; i < problem->n; i++) {
        int has[2], known = bounds_of(problem, i, has);
        double off[2] = {0, 0};
        if (second && has[0]) off[0] = above(problem, in->df, i, 0) * in->dz[i];
        if (second && has[1]) off[1] = below(problem, in->df, i, 0) * in->dy[i];
        in->dz[i] = has[0] ? (kappa - off[0]) / above(problem, in->f, i, 1) - in->z[i] : 0;
        in->dy[i] = has[1] ? (kappa - off[1]) / below(problem, in->f, i, 1) - in->y[i] : 0;
        in->rhs[i] = known ? 0 : -(in->w[i] - in->z[i] + in->y[i]) + in->dz[i] - in->dy[i];
    }
    memcpy(in->df, in->rhs, (size_t)problem->n * sizeof *in->df);
    in->form->respond(in->form->matrix, in->df);
    for (int i = 0; i < problem->n; i++) {
        int has[2];
        bounds_of(problem, i, has);
        if (has[0]) in->dz[i] -= in->z[i] / above(problem, in->f, i, 1) * above(problem, in->df, i, 0);
        if (has[1]) in->dy[i] -= in->y[i] / below(problem, in->f, i, 1) * below(problem, in->df, i, 0);
    }
}

static double until_zero(double x, double dx) { return dx < 0 ? -x / dx : TAC_INFINITY; }

/* Fraction of the step after which the first of s, z, u, y is zero; at most 1. */
static double longest(const Interior *in) {
    const tacBoxed *problem = in->problem;
    double length = 1;
    for (int i = 0; i < problem->n; i++) {
        int has[2];
        bounds_of(problem, i, has);
        if (has[0]) {
            length = tac_min(length, until_zero(above(problem, in->f, i, 1), above(problem, in->df, i, 0)));
            length = tac_min(length, until_zero(in->z[i], in->dz[i]));
        }
        if (has[1]) {
            length = tac_min(length, until_zero(below(problem, in->f, i, 1), below(problem, in->df, i, 0)));
            length = tac_min(length, until_zero(in->y[i], in->dy[i]));
        }
    }
    return length;
}

/* Mean of s z and u y after that fraction of the step. */
static double kappa_after(const Interior *in, double length, int pairs) {
    const tacBoxed *problem = in->problem;
    double sum = 0;
    for (int i = 0; i < problem->n; i++) {
        int has[2];
        bounds_of(problem, i, has);
        if (has[0])
            sum +=
                (above(problem, in->f, i, 1) + length * above(problem, in->df, i, 0)) * (in->z[i] + length * in->dz[i]);
        if (has[1])
            sum +=
                (below(problem, in->f, i, 1) + length * below(problem, in->df, i, 0)) * (in->y[i] + length * in->dy[i]);
    }
    return tac_max(sum, 0) / pairs;
}

/* Predictor and corrector. Returns the fraction of the step taken. */
static double take_step(Interior *in, Residual residual) {
    find_step(in, 0, 0);
    double after = residual.pairs > 0 ? kappa_after(in, longest(in), residual.pairs) / residual.kappa : 0;
    double share = tac_min(after * after * after, 1);
    find_step(in, share * residual.kappa, 1);
    double length = tac_min(KEEP_OFF * longest(in), 1);
    for (int i = 0; i < in->problem->n; i++) {
        in->f[i] += length * in->df[i];
        in->z[i] += length * in->dz[i];
        in->y[i] += length * in->dy[i];
    }
    return length;
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

static void classify(const Interior *in, int *row_class) {
    const tacBoxed *problem = in->problem;
    for (int i = 0; i < problem->n; i++) {
        int has[2], p = problem->parent[i], known = bounds_of(problem, i, has);
        double a = tac_boxed_diagonal(problem, i);
        row_class[i] = known ? TAC_ROW_LOW : TAC_ROW_FREE;
        if (has[0] && in->z[i] > a * above(problem, in->f, i, 1)) row_class[i] = TAC_ROW_LOW;
        if (has[1] && in->y[i] > a * below(problem, in->f, i, 1)) row_class[i] = TAC_ROW_HIGH;
        if (p >= 0 && row_class[p] != TAC_ROW_FREE) row_class[i] = TAC_ROW_OFF;
    }
}

int tac_boxed_interior(const tacBoxedRun *run) {
    const tacBoxedTrack *track = run->track;
    Interior in = {run->problem, &run->form, run->f,       run->w,       track->z,       track->y, track->slope,
                   track->dz,    track->dy,  track->wrong, track->cover, track->w_slope, 0};
    int brief = 0;
    begin(&in);
    if (in.scale == 0) return 0;
    for (int round = 0; round < ROUNDS && brief < SHORT_STEPS; round++) {
        Residual residual = evaluate(&in);
        if (residual.worst <= END * in.scale) break;
        if (!run->form.weigh(run->form.matrix, in.D, in.C)) break; /* rounding, near the end */
        ++*run->pivots;
        double length = take_step(&in, residual);
        if (!(length >= 0)) return 0;
        brief = length < SHORT_STEP ? brief + 1 : 0;
    }
    classify(&in, run->row_class);
    return 1;
}
