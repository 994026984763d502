/* Unknown numbers z and the parameters theta(z), with derivative   (docs/theory/fit.md, FI3) */
#include "optimize/fit/fit.h"

#include "base/error.h"
#include "math/scalar.h"

#include <stdlib.h>
#include <string.h>

static double move_value(const tacFitVar *v, double z) {
    switch (v->move) {
    case TAC_MOVE_LOG:
        return tac_exp(z);
    case TAC_MOVE_BETWEEN:
        return v->low + (v->high - v->low) / (1 + tac_exp(-z));
    default:
        return v->scale * z;
    }
}

/* d theta / d z */
static double move_slope(const tacFitVar *v, double z) {
    switch (v->move) {
    case TAC_MOVE_LOG:
        return tac_exp(z);
    case TAC_MOVE_BETWEEN: {
        double s = 1 / (1 + tac_exp(-z));
        return (v->high - v->low) * s * (1 - s);
    }
    default:
        return v->scale;
    }
}

static double move_inverse(const tacFitVar *v, double theta) {
    switch (v->move) {
    case TAC_MOVE_LOG:
        return tac_log(theta);
    case TAC_MOVE_BETWEEN: {
        double s = (theta - v->low) / (v->high - v->low);
        return tac_log(s / (1 - s));
    }
    default:
        return theta / v->scale;
    }
}

void tac_fit_theta(const tacFit *fit, const double *z, double *theta) {
    memcpy(theta, fit->theta, (size_t)fit->nparam * sizeof *theta);
    for (int i = 0; i < fit->nvar; i++) {
        const tacFitVar *v = &fit->var[i];
        if (v->block < 0) {
            theta[v->param] = move_value(v, z[i]);
            continue;
        }
        double inertia[10];
        tac_inertia_from_log(z + i, inertia, NULL);
        for (int k = 0; k < 10; k++)
            theta[fit->block[v->block][k]] = inertia[k];
        i += 9;
    }
}

void tac_fit_chain(const tacFit *fit, const double *z, int rows, const double *P, double *Z, int ld) {
    double inertia[10], D[100];
    for (int i = 0; i < fit->nvar; i++) {
        const tacFitVar *v = &fit->var[i];
        if (v->block < 0) {
            double slope = move_slope(v, z[i]);
            for (int r = 0; r < rows; r++)
                Z[(size_t)r * (size_t)ld + (size_t)i] = P[(size_t)r * (size_t)fit->nparam + (size_t)v->param] * slope;
            continue;
        }
        const int *param = fit->block[v->block];
        tac_inertia_from_log(z + i, inertia, D);
        for (int r = 0; r < rows; r++) {
            for (int k = 0; k < 10; k++) {
                double sum = 0;
                for (int j = 0; j < 10; j++)
                    sum += P[(size_t)r * (size_t)fit->nparam + (size_t)param[j]] * D[10 * j + k];
                Z[(size_t)r * (size_t)ld + (size_t)(i + k)] = sum;
            }
        }
        i += 9;
    }
}

tacStatus tac_fit_inverse(const tacFit *fit, const double *theta, double *z, tacError *err) {
    for (int i = 0; i < fit->nvar; i++) {
        const tacFitVar *v = &fit->var[i];
        if (v->block < 0) {
            double at = theta[v->param];
            if (!tac_finite(at) || (v->move == TAC_MOVE_LOG && at <= 0))
                return tac_fail(err, TAC_ERR_ARGUMENT, "parameter %d is %g: expected a number%s", v->param, at,
                                v->move == TAC_MOVE_LOG ? " above 0" : "");
            z[i] = tac_clamp(move_inverse(v, at), v->z_low, v->z_high);
            continue;
        }
        double inertia[10];
        for (int k = 0; k < 10; k++)
            inertia[k] = theta[fit->block[v->block][k]];
        if (tac_inertia_to_log(inertia, z + i) != TAC_OK)
            return tac_fail(err, TAC_ERR_ARGUMENT,
                            "mass, centre of mass and inertia at parameter %d: expected those of a "
                            "body that can exist",
                            v->param);
        i += 9;
    }
    return TAC_OK;
}

/* --- Adding them -------------------------------------------------------------------------------------------------- */

tacFitParam tac_default_fit_param(void) {
    return (tacFitParam){
        .cookie = TAC_FIT_PARAM_COOKIE, .low = -TAC_INFINITY, .high = TAC_INFINITY, .start = __builtin_nan("")};
}

/* Numbers of a parameter: an error, or its text in *wrong is NULL. */
static const char *wrong_param(const tacFitParam *p, double start) {
    if (!(p->low < p->high)) return "low: expected below high";
    if (p->move == TAC_MOVE_LOG && p->low < 0 && tac_finite(p->low))
        return "low: expected 0 or more, it moves by its logarithm";
    if (p->move == TAC_MOVE_LOG && !(start > 0)) return "start: expected above 0, it moves by its logarithm";
    if (p->move == TAC_MOVE_BETWEEN && !(tac_finite(p->low) && tac_finite(p->high)))
        return "low, high: expected two numbers";
    if (!tac_finite(start)) return "start: expected a number";
    if (start < p->low || start > p->high) return "start: expected inside its bounds";
    if (p->move == TAC_MOVE_BETWEEN && (start <= p->low || start >= p->high))
        return "start: on a bound its derivative is 0";
    if (!(p->deviation >= 0) || !tac_finite(p->prior))
        return "prior, deviation: expected numbers, and no negative deviation";
    if (!(p->scale >= 0) || !tac_finite(p->scale)) return "scale: expected 0 or more";
    return NULL;
}

static tacFitVar make_var(const tacFitParam *p, double start) {
    tacFitVar v = {.param = p->param,
                   .block = -1,
                   .move = p->move,
                   .low = p->low,
                   .high = p->high,
                   .z_low = -TAC_INFINITY,
                   .z_high = TAC_INFINITY};
    v.scale = p->scale > 0 ? p->scale : start != 0 ? tac_abs(start) : 1;
    v.z_start = move_inverse(&v, start);
    if (p->move != TAC_MOVE_BETWEEN) {
        if (tac_finite(p->low) && (p->move != TAC_MOVE_LOG || p->low > 0)) v.z_low = move_inverse(&v, p->low);
        if (tac_finite(p->high)) v.z_high = move_inverse(&v, p->high);
    }
    if (p->deviation > 0) {
        v.z_prior = move_inverse(&v, p->prior);
        v.z_deviation = p->deviation / move_slope(&v, v.z_prior);
    }
    return v;
}

static int is_unknown(const tacFit *fit, int param) {
    for (int i = 0; i < fit->nvar; i++)
        if (fit->var[i].param == param) return 1;
    return 0;
}

static tacStatus more_vars(tacFit *fit, int n, tacError *err) {
    tacFitVar *var = realloc(fit->var, (size_t)(fit->nvar + n) * sizeof *var);
    if (var == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for %d unknown numbers", fit->nvar + n);
    fit->var = var;
    return TAC_OK;
}

tacStatus tac_fit_add_param(tacFit *fit, const tacFitParam *p, tacError *err) {
    if (fit == NULL || p == NULL || p->cookie != TAC_FIT_PARAM_COOKIE)
        return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fit, and a parameter of tac_default_fit_param");
    if (p->param < 0 || p->param >= fit->nparam)
        return tac_fail(err, TAC_ERR_ARGUMENT, "parameter %d: expected 0 to %d, a registered parameter", p->param,
                        fit->nparam - 1);
    if (is_unknown(fit, p->param)) return tac_fail(err, TAC_ERR_ARGUMENT, "parameter %d is unknown already", p->param);
    if ((unsigned)p->move > TAC_MOVE_BETWEEN) return tac_fail(err, TAC_ERR_ARGUMENT, "move: expected a tacMove");
    double start = p->start != p->start ? fit->theta[p->param] : p->start;
    const char *wrong = wrong_param(p, start);
    if (wrong != NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "parameter %d, %s", p->param, wrong);
    TAC_TRY(more_vars(fit, 1, err));
    fit->var[fit->nvar] = make_var(p, start);
    double prior = p->deviation > 0 ? fit->var[fit->nvar].z_prior : 0;
    if (!tac_finite(prior))
        return tac_fail(err, TAC_ERR_ARGUMENT, "parameter %d, prior: outside of what it can be", p->param);
    fit->nvar++;
    return TAC_OK;
}

tacStatus tac_fit_add_inertia(tacFit *fit, const int *param, tacError *err) {
    if (fit == NULL || param == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "expected a fit, and ten parameters");
    double inertia[10], z[10];
    for (int k = 0; k < 10; k++) {
        if (param[k] < 0 || param[k] >= fit->nparam || is_unknown(fit, param[k]))
            return tac_fail(err, TAC_ERR_ARGUMENT,
                            "parameter %d of an inertia: expected a registered parameter that is "
                            "not unknown yet",
                            param[k]);
        inertia[k] = fit->theta[param[k]];
    }
    if (tac_inertia_to_log(inertia, z) != TAC_OK)
        return tac_fail(err, TAC_ERR_MODEL, "mass %g and inertia at parameter %d are those of no body that can exist",
                        inertia[0], param[0]);
    int(*block)[10] = realloc(fit->block, (size_t)(fit->nblock + 1) * sizeof *block);
    if (block == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for an inertia");
    fit->block = block;
    TAC_TRY(more_vars(fit, 10, err));
    memcpy(block[fit->nblock], param, sizeof *block);
    for (int k = 0; k < 10; k++)
        fit->var[fit->nvar++] = (tacFitVar){.param = param[k],
                                            .block = fit->nblock,
                                            .scale = 1,
                                            .z_low = -TAC_INFINITY,
                                            .z_high = TAC_INFINITY,
                                            .z_start = z[k]};
    fit->nblock++;
    return TAC_OK;
}

int tac_fit_var_param(const tacFit *fit, int i) {
    return fit != NULL && i >= 0 && i < fit->nvar ? fit->var[i].param : -1;
}

void tac_fit_add_priors(const tacFit *fit, const double *z, tacFitSums *sums) {
    for (int i = 0; i < fit->nvar; i++) {
        const tacFitVar *v = &fit->var[i];
        if (!(v->z_deviation > 0)) continue;
        double w = 1 / v->z_deviation, r = w * (z[i] - v->z_prior);
        sums->loss += r * r;
        sums->g[i] += w * r;
        sums->H[(size_t)i * (size_t)fit->nvar + (size_t)i] += w * w;
    }
}
