/* Adam on batches of segments [Kingma2015]   (docs/theory/fit.md, FI9) */
#include "optimize/fit/fit.h"

#include "math/scalar.h"

/* The batch of an iteration: segments drawn with the seed, none twice, in ascending order. */
static int draw_batch(const tacFit *fit, int iteration, int *list) {
    int want = fit->options.batch < fit->nsegment ? fit->options.batch : fit->nsegment, n = 0;
    for (int i = 0; i < fit->nsegment && n < want; i++) { /* selection sampling: segments in ascending order */
        double u = tac_random_uniform(fit->options.seed, (uint64_t)iteration, (uint64_t)i);
        if (u * (fit->nsegment - i) < want - n) list[n++] = i;
    }
    return n;
}

static void move(tacFitter *f, int iteration, double scale, tacFitIteration *now) {
    const tacFitOptions *o = &f->fit->options;
    double *mean = f->adam, *square = mean + f->fit->nvar;
    double first = 1 - tac_pow(o->decay[0], iteration), second = 1 - tac_pow(o->decay[1], iteration);
    for (int i = 0; i < f->fit->nvar; i++) {
        const tacFitVar *v = &f->fit->var[i];
        double g = 2 * scale * f->g_new[i], before = f->z[i];
        mean[i] = o->decay[0] * mean[i] + (1 - o->decay[0]) * g;
        square[i] = o->decay[1] * square[i] + (1 - o->decay[1]) * g * g;
        double step = o->rate * (mean[i] / first) / (tac_sqrt(square[i] / second) + o->floor);
        f->z[i] = tac_clamp(before - step, v->z_low, v->z_high);
        now->step = tac_max(now->step, tac_abs(f->z[i] - before));
        now->bounds += f->z[i] <= v->z_low || f->z[i] >= v->z_high;
    }
}

tacFitEnd tac_fit_adam(tacFitter *f, tacFitIteration *now) {
    const tacFit *fit = f->fit;
    int *list = (int *)f->scratch, count = draw_batch(fit, now->iteration, list);
    tacFitSums sums = {.g = f->g_new, .H = f->H_new};
    tac_fit_theta(fit, f->z, f->theta_new);
    tacFitAt at = {f->z, f->theta_new, f->starts, f->starts, f->worst, 0, count, list};
    if (tac_fit_sum(f, &at, &sums) != TAC_OK) return TAC_FIT_STOPPED;
    now->failed = sums.failed;
    f->number[TAC_FIT_FAILURES] = sums.failed;
    f->number[TAC_FIT_RESIDUALS] = (double)sums.residuals;
    if (sums.failed == count) return TAC_FIT_FAILED;
    f->number[TAC_FIT_LOSS] = sums.loss * fit->nsegment / (count - sums.failed);
    move(f, now->iteration, 1.0 / (count - sums.failed), now);
    return now->step <= fit->options.tolerance ? TAC_FIT_SOLVED : TAC_FIT_RUNNING;
}
