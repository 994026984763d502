#include "motion_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

int bench_motion_open(benchMotion *s, const tacModel *m, const tacOptions *options, int nstate, int most_columns) {
    tacError err;
    size_t nx = (size_t)tac_nx(m), ndx = (size_t)tac_ndx(m), nu = (size_t)tac_ninput(m, options);
    int jacobian = tac_ndx(m) <= most_columns;
    *s = (benchMotion){.m = m, .nstate = nstate};
    if (tac_sim_new(m, options, &s->sim, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    s->states = numbers((size_t)nstate * nx), s->u = numbers(nu), s->y = numbers(nx);
    s->gx = numbers(ndx), s->gu = numbers(nu);
    if (jacobian) s->A = numbers(ndx * ndx), s->B = numbers(ndx * nu);
    if (!s->states || !s->u || !s->y || !s->gx || !s->gu || (jacobian && (!s->A || !s->B)))
        return fprintf(stderr, "out of memory\n");
    tac_default_state(m, s->states);
    tac_default_input(m, options, s->u);
    return 0;
}

int bench_motion_run(benchMotion *s, int skipped) {
    size_t nx = (size_t)tac_nx(s->m);
    double *x = s->states;
    for (int k = -skipped; k < s->nstate; k++) {
        tacStepInfo info;
        tacStatus status = tac_step(s->sim, x, s->u, s->y, &info);
        if (status != TAC_OK && status != TAC_ERR_UNSOLVED)
            return fprintf(stderr, "step %d: %s\n", k + skipped, tac_status_text(status));
        if (k >= 0) {
            s->contacts += (double)info.contacts / s->nstate, s->iterations += (double)info.iterations / s->nstate;
            s->iterations_most = info.iterations > s->iterations_most ? info.iterations : s->iterations_most;
            s->residual = info.residual > s->residual ? info.residual : s->residual, s->unsolved += status != TAC_OK;
            x += nx;
        }
        if (k < s->nstate - 1) memcpy(x, s->y, nx * sizeof *x);
    }
    return 0;
}

void bench_motion_free(benchMotion *s) {
    double *all[] = {s->states, s->u, s->y, s->A, s->B, s->gx, s->gu};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    tac_sim_free(s->sim);
}

static const double *next_state(benchMotion *s) {
    const double *x = s->states + (size_t)s->at * (size_t)tac_nx(s->m);
    s->at = (s->at + 1) % s->nstate;
    return x;
}

void bench_motion_step(void *motion) {
    benchMotion *s = motion;
    tac_step(s->sim, next_state(s), s->u, s->y, NULL);
}

void bench_motion_jac(void *motion) {
    benchMotion *s = motion;
    tac_step_jac(s->sim, next_state(s), s->u, s->y, &(tacJac){s->A, s->B, NULL}, NULL);
}

/* The covector is the state of the last step: any will do. */
void bench_motion_vjp(void *motion) {
    benchMotion *s = motion;
    tac_step_vjp(s->sim, next_state(s), s->u, s->y, &(tacGrad){s->gx, s->gu, NULL}, NULL);
}

static const char *const WORDS[] = {[TAC_CONTACT_MODEL_NONE] = "none",
                                    [TAC_CONTACT_MODEL_LCP] = "lcp",
                                    [TAC_CONTACT_MODEL_NCP] = "ncp",
                                    [TAC_CONTACT_MODEL_SOFT] = "soft"};

int bench_contact_named(const char *word, tacContactModel *contact) {
    for (int k = TAC_CONTACT_MODEL_LCP; k <= TAC_CONTACT_MODEL_SOFT; k++)
        if (strcmp(word, WORDS[k]) == 0) return *contact = (tacContactModel)k, 1;
    return 0;
}

const char *bench_contact_word(tacContactModel contact) { return WORDS[contact]; }
