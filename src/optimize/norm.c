/* Norms of one entry of a residual: value, slope, curvature
 * (docs/theory/plan.md). None has a negative curvature. */
#include "tactus/optimize.h"

#include "math/scalar.h"

/* Above this log(1 + exp(-2 a)) is below rounding of a. */
#define LOGCOSH_FAR 20.0

/* log cosh a, without overflow: |a| + log(1 + exp(-2 |a|)) - log 2 */
static double log_cosh(double a) {
    double s = tac_abs(a);
    return s > LOGCOSH_FAR ? s - 0.6931471805599453 : s + tac_log(0.5 * (1 + tac_exp(-2 * s)));
}

static double tanh_of(double a) {
    double e = tac_exp(-2 * tac_abs(a)), t = (1 - e) / (1 + e);
    return a < 0 ? -t : t;
}

static double huber(double d, double r, double *slope, double *curvature) {
    double a = r / d, root = tac_sqrt(1 + a * a);
    *slope = 2 * r / root;
    *curvature = 2 / (root * root * root);
    return 2 * r * r / (root + 1); /* d^2 (root - 1) without cancellation */
}

static double logcosh(double d, double r, double *slope, double *curvature) {
    double a = r / d, t = tanh_of(a);
    *slope = 2 * d * t;
    *curvature = 2 * (1 - t * t);
    return 2 * d * d * log_cosh(a);
}

static double absolute(double d, double r, double *slope, double *curvature) {
    double root = tac_sqrt(r * r + d * d);
    *slope = r / root;
    *curvature = d / root * (d / root) / root;
    return r * r / (root + d);
}

static double one_sided(double r, double *slope, double *curvature) {
    *slope = r > 0 ? 2 * r : 0;
    *curvature = r > 0 ? 2 : 0;
    return r > 0 ? r * r : 0;
}

/* Its curvature is that of the parabola with the same slope at r: the norm's own is negative for outliers. */
static double geman_mcclure(double d, double r, double *slope, double *curvature) {
    double share = 1 / (1 + (r / d) * (r / d));
    *curvature = 2 * share * share;
    *slope = *curvature * r;
    return r * r * share;
}

/* -log(s) of the slack s = -r; below s = d the parabola with its value, slope
 * and curvature there. */
static double barrier(double d, double r, double *slope, double *curvature) {
    double s = -r, t = (s - d) / d;
    if (s > d) {
        *slope = 1 / s;
        *curvature = 1 / s / s;
        return -tac_log(s);
    }
    *slope = (1 - t) / d;
    *curvature = 1 / d / d;
    return -tac_log(d) - t + 0.5 * t * t;
}

double tac_norm(tacNorm norm, double width, double r, double *slope, double *curvature) {
    switch (norm) {
    case TAC_NORM_HUBER:
        return huber(width, r, slope, curvature);
    case TAC_NORM_LOGCOSH:
        return logcosh(width, r, slope, curvature);
    case TAC_NORM_ABSOLUTE:
        return absolute(width, r, slope, curvature);
    case TAC_NORM_ONE_SIDED:
        return one_sided(r, slope, curvature);
    case TAC_NORM_BARRIER:
        return barrier(width, r, slope, curvature);
    case TAC_NORM_GEMAN:
        return geman_mcclure(width, r, slope, curvature);
    case TAC_NORM_LINEAR:
        *slope = 1;
        *curvature = 0;
        return r;
    default:
        *slope = 2 * r;
        *curvature = 2;
        return r * r;
    }
}

#define WORD(name, word) [name] = word,
static const char *const NORMS[] = {TAC_NORM_LIST(WORD)};
static const char *const QUANTITIES[] = {TAC_QUANTITY_LIST(WORD)};
static const char *const ENDS[] = {TAC_PLAN_END_LIST(WORD)};

const char *tac_norm_text(tacNorm norm) { return (unsigned)norm < TAC_NORM_KINDS ? NORMS[norm] : ""; }
const char *tac_quantity_text(tacQuantityKind kind) {
    return (unsigned)kind < TAC_QUANTITY_KINDS ? QUANTITIES[kind] : "";
}
const char *tac_plan_end_text(tacPlanEnd end) { return (unsigned)end < TAC_PLAN_ENDS ? ENDS[end] : ""; }
