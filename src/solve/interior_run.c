#include "solve/interior_run.h"

#include "math/cone.h"
#include "math/scalar.h"

#include <string.h>

static void copy(int n, const double *from, double *to) {
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to); /* without x there is no array */
}

int tac_run_layout(tacInteriorRun *r, int n, int numbers, tacArena *arena) {
    double **of_x[] = {&r->trial_x, &r->best_x, &r->dx};
    double **of_a[] = {&r->trial_a, &r->trial_b, &r->best_a, &r->best_b, &r->da, &r->db, &r->c};
    r->numbers = numbers;
    for (size_t i = 0; i < sizeof of_x / sizeof *of_x; i++)
        if ((*of_x[i] = TAC_TAKE(arena, n, double)) == NULL) return 0;
    for (size_t i = 0; i < sizeof of_a / sizeof *of_a; i++)
        if ((*of_a[i] = TAC_TAKE(arena, numbers, double)) == NULL) return 0;
    return 1;
}

double tac_run_off_centre(const tacInteriorRun *r, const double *a, const double *b) {
    double most = 0, w[TAC_INTERIOR_MAX_DIM];
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        tac_cone_product(r->p->dim[c], a + adr, b + adr, w);
        w[0] -= r->s->kappa * r->p->unit[c];
        for (int i = 0; i < r->p->dim[c]; i++)
            most = tac_max(most, tac_abs(w[i]) / r->p->unit[c]);
    }
    return most;
}

double tac_run_mean_product(const tacInteriorRun *r, double alpha) {
    double sum = 0;
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        double dot = 0;
        for (int i = adr; i < adr + r->p->dim[c]; i++)
            dot += alpha > 0 ? (r->at->a[i] + alpha * r->da[i]) * (r->at->b[i] + alpha * r->db[i])
                             : r->at->a[i] * r->at->b[i];
        sum += dot / r->p->unit[c];
    }
    return sum / r->p->ncone;
}

void tac_run_right_side(const tacInteriorRun *r, double kappa, int second) {
    double w[TAC_INTERIOR_MAX_DIM];
    for (int c = 0, adr = 0; c < r->p->ncone; adr += r->p->dim[c++]) {
        int dim = r->p->dim[c];
        tac_cone_product(dim, r->at->a + adr, r->at->b + adr, w);
        for (int i = 0; i < dim; i++)
            r->c[adr + i] = (i == 0 ? kappa * r->p->unit[c] : 0) - w[i];
        if (!second) continue;
        tac_cone_product(dim, r->da + adr, r->db + adr, w);
        for (int i = 0; i < dim; i++)
            r->c[adr + i] -= w[i];
    }
    if (r->p->aim != NULL) r->p->aim(r->p->user, kappa, second);
}

void tac_run_note_residual(tacInteriorRun *r, double violation) {
    r->at->violation = violation;
    r->norm = r->p->norm == NULL ? violation : r->p->norm(r->p->user);
}

tacStatus tac_run_factor(const tacInteriorRun *r) {
    if (r->p->geometric_share != NULL) r->p->geometric_share(r->p->user, r->geometric_share);
    return r->p->factor(r->p->user, r->at->x, r->at->a, r->at->b);
}

int tac_run_find_direction(const tacInteriorRun *r) {
    r->p->solve(r->p->user, r->c, r->dx, r->da, r->db);
    return tac_first_nonfinite(r->p->n, r->dx) < 0;
}

double tac_run_next_geometric_share(const tacInteriorRun *r, double length, double before) {
    double now = r->at->violation;
    int well = now < TAC_PROGRESS * before || now < TAC_SMALL_RESIDUAL * r->first_violation;
    return well || (length >= 1 && r->geometric_share < 1) ? 1 : TAC_GEOMETRIC_SHARE;
}

void tac_run_set_trial(const tacInteriorRun *r, double alpha) {
    for (int i = 0; i < r->p->n; i++)
        r->trial_x[i] = r->at->x[i] + alpha * r->dx[i];
    for (int i = 0; i < r->numbers; i++) {
        r->trial_a[i] = r->at->a[i] + alpha * r->da[i];
        r->trial_b[i] = r->at->b[i] + alpha * r->db[i];
    }
}

void tac_run_accept(const tacInteriorRun *r) {
    copy(r->p->n, r->trial_x, r->at->x);
    copy(r->numbers, r->trial_a, r->at->a);
    copy(r->numbers, r->trial_b, r->at->b);
}

double tac_run_relative_error(const tacInteriorRun *r) {
    return tac_max(r->at->violation / r->s->residual, r->at->centring / r->s->centring);
}

void tac_run_keep_best(tacInteriorRun *r) {
    double now = tac_run_relative_error(r);
    if (!(now < r->best)) return;
    r->best = now;
    r->best_violation = r->at->violation;
    r->best_centring = r->at->centring;
    copy(r->p->n, r->at->x, r->best_x);
    copy(r->numbers, r->at->a, r->best_a);
    copy(r->numbers, r->at->b, r->best_b);
}

void tac_run_count(const tacInteriorRun *r) {
    r->at->iterations++;
    tac_run_record(r, r->s->kappa, r->at->violation, r->at->centring, 0);
}

void tac_run_record(const tacInteriorRun *r, double kappa, double violation, double centring, double length) {
    int i = r->at->iterations - 1;
    if (i < r->at->max_trace) r->at->trace[i] = (tacIteration){violation, centring, kappa, length, 0};
}

/* If no iterate was kept, because E overflows at all of them, the last one stays. */
tacStatus tac_run_restore_best(tacInteriorRun *r) {
    double violation;
    if (r->best < TAC_INFINITY) {
        copy(r->p->n, r->best_x, r->at->x);
        copy(r->numbers, r->best_a, r->at->a);
        copy(r->numbers, r->best_b, r->at->b);
        r->at->violation = r->best_violation;
        r->at->centring = r->best_centring;
    }
    tacStatus status = r->p->residual(r->p->user, r->at->x, r->at->a, r->at->b, &violation);
    return status == TAC_OK ? TAC_ERR_UNSOLVED : status;
}

int tac_run_stop(tacInteriorRun *r, tacInteriorEnd why) {
    r->at->end = why;
    return 0;
}
