/* Iterations of a plan, and what it was to reach. */
#include "io/page/data.h"

#include "base/error.h"

#include <math.h>

static int all_finite(const double *values, size_t n) {
    for (size_t i = 0; values != NULL && i < n; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

tacStatus tac_page_check_plan(const tacPage *page, tacError *err) {
    const tacPagePlan *p = page->plan;
    size_t frames = (size_t)page->nframe, nx = (size_t)tac_nx(page->model);
    size_t ninput = (size_t)tac_ninput(page->model, page->options);
    int fine = p->n >= 1 && p->iteration != NULL && p->x != NULL && p->nhistory >= 0 && p->nterm >= 0 &&
               p->ntarget >= 0 && (p->nhistory == 0 || (p->cost != NULL && p->violation != NULL && p->kappa != NULL)) &&
               (p->nterm == 0 || (p->term != NULL && p->term_cost != NULL)) && (p->ntarget == 0 || p->target != NULL) &&
               (p->low != NULL) == (p->high != NULL);
    if (!fine) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_write_page: plan: an array is missing, or a number below 0");
    for (int i = 0; i < p->n; i++)
        if (p->x[i] == NULL || !all_finite(p->x[i], frames * nx) ||
            (p->u != NULL && (p->u[i] == NULL || !all_finite(p->u[i], frames * ninput))))
            return tac_fail(err, TAC_ERR_NONFINITE, "tac_write_page: plan: motion %d is missing or not finite", i);
    for (int i = 0; i < p->ntarget; i++)
        if (p->target[i].name == NULL || !all_finite(p->target[i].place, 3))
            return tac_fail(err, TAC_ERR_NONFINITE, "tac_write_page: plan: target %d has no name, or is not finite", i);
    for (int i = 0; i < p->nterm; i++)
        if (p->term[i] == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_write_page: plan: term %d has no name", i);
    return TAC_OK;
}

static void put_targets(tacText *out, const tacPagePlan *p) {
    tac_json_open(out, "targets", '[');
    for (int i = 0; i < p->ntarget; i++) {
        tac_json_open(out, NULL, '{');
        tac_json_string(out, "name", p->target[i].name);
        tac_json_numbers(out, "place", 3, p->target[i].place);
        tac_json_integer(out, "first", p->target[i].first);
        tac_json_integer(out, "last", p->target[i].last);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

static void put_terms(tacText *out, const tacPagePlan *p) {
    tac_json_open(out, "terms", '[');
    for (int i = 0; i < p->nterm; i++) {
        tac_json_open(out, NULL, '{');
        tac_json_string(out, "name", p->term[i]);
        tac_json_number(out, "cost", p->term_cost[i]);
        tac_json_close(out, '{');
    }
    tac_json_close(out, '[');
}

tacStatus tac_page_plan(tacText *out, const tacPage *page, tacError *err) {
    const tacPagePlan *p = page->plan;
    tac_json_open(out, "plan", '{');
    tac_json_numbers(out, "cost", p->nhistory, p->cost);
    tac_json_numbers(out, "violation", p->nhistory, p->violation);
    tac_json_numbers(out, "kappa", p->nhistory, p->kappa);
    put_terms(out, p);
    put_targets(out, p);
    tac_json_numbers(out, "low", p->low != NULL ? page->model->nu : 0, p->low);
    tac_json_numbers(out, "high", p->high != NULL ? page->model->nu : 0, p->high);
    tac_json_open(out, "iterations", '[');
    for (int i = 0; i < p->n; i++)
        tac_json_integer(out, NULL, p->iteration[i]);
    tac_json_close(out, '[');
    tac_json_open(out, "motions", '[');
    for (int i = 0; i < p->n; i++) {
        tacPage one = *page;
        one.u = p->u != NULL ? p->u[i] : NULL;
        TAC_TRY(tac_page_motion(out, NULL, &one, page->model, p->x[i], err));
    }
    tac_json_close(out, '[');
    tac_json_close(out, '{');
    return TAC_OK;
}
