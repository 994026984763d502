#include "solve/ode/inner.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

int tac_inner_layout(tacInner *s, const tacFlow *flow, const tacOdeMethod *method, tacArena *arena) {
    int nd = flow->nd, implicit = method->diagonal != 0, ok = 1;
    *s = (tacInner){.flow = flow, .method = method};
    for (int i = 0; i < method->stages; i++) {
        s->X[i] = TAC_TAKE(arena, flow->nx, double);
        double **vectors[] = {&s->z[i], &s->f[i], &s->k[i]};
        for (int j = 0; j < 3; j++)
            *vectors[j] = TAC_TAKE(arena, nd, double);
        ok &= (s->signal[i] = TAC_TAKE(arena, flow->max_signals, double)) != NULL;
    }
    double **vectors[] = {&s->error, &s->size[0], &s->size[1], &s->dense, &s->work, &s->move};
    for (size_t j = 0; j < sizeof vectors / sizeof *vectors; j++)
        ok &= (*vectors[j] = TAC_TAKE(arena, nd, double)) != NULL;
    s->at = TAC_TAKE(arena, flow->nx, double);
    double **signals[] = {&s->signal_at, &s->signals_low, &s->signals_high};
    for (int j = 0; j < 3; j++)
        ok &= (*signals[j] = TAC_TAKE(arena, flow->max_signals, double)) != NULL;
    size_t square = implicit ? (size_t)nd * (size_t)nd : 0,
           wide = implicit ? square + (size_t)nd * (size_t)flow->np : 0;
    s->F = TAC_TAKE(arena, wide, double);
    s->T = TAC_TAKE(arena, square, double);
    s->M = TAC_TAKE(arena, square, double);
    s->pivot = TAC_TAKE(arena, nd, int);
    return ok && s->pivot != NULL;
}

/* --- Stages ------------------------------------------------------------------------------------------------------- */

/* f, k and signals of stage i at its z. */
static tacStatus evaluate(tacInner *s, int i) {
    const tacFlow *flow = s->flow;
    if (flow->unsolved != NULL) *flow->unsolved = 0;
    TAC_TRY(flow->call->rate(flow->user, s->X[i], s->f[i]));
    s->unsolved |= flow->unsolved != NULL && *flow->unsolved;
    s->nsignal = flow->call->signals == NULL ? 0 : flow->call->signals(flow->user, s->signal[i]);
    tac_flow_correct(flow, s->z[i], s->f[i], s->k[i]);
    return tac_first_nonfinite(flow->nd, s->k[i]) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

tacStatus tac_inner_start(tacInner *s, const double *x) {
    memmove(s->X[0], x, (size_t)s->flow->nx * sizeof *x);
    memset(s->z[0], 0, (size_t)s->flow->nd * sizeof(double));
    return evaluate(s, 0);
}

static tacStatus place(tacInner *s, int i) {
    if (tac_first_nonfinite(s->flow->nd, s->z[i]) >= 0) return TAC_ERR_NONFINITE;
    tac_flow_place(s->flow, s->X[0], s->z[i], s->X[i]);
    return tac_first_nonfinite(s->flow->nx, s->X[i]) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

/* z = h sum_(j < i) a_ij k_j */
static void sum_stages(const tacInner *s, int i, double *z) {
    memset(z, 0, (size_t)s->flow->nd * sizeof *z);
    for (int j = 0; j < i; j++) {
        double a = tac_ode_coefficient(s->method, i, j);
        if (a != 0) tac_dense_axpy(s->flow->nd, s->h * a, s->k[j], z);
    }
}

/* --- Implicit stages ---------------------------------------------------------------------------------------------- */

/* Newton steps on a stage; a step below this share of the state is rounding; steps that shrink less refactor. */
enum { MOST_NEWTON = 40 };
#define NEWTON_ROUNDING 1e-15
#define NEWTON_SLOW     0.1
#define NEWTON_PLATEAU  1e-11

tacStatus tac_inner_factor(tacInner *s, int i) {
    const tacFlow *flow = s->flow;
    int nd = flow->nd;
    size_t n = (size_t)nd, wide = n + (size_t)flow->np;
    double *Q = s->M; /* f_x Q, then the matrix */
    TAC_TRY(flow->call->rate_jac(flow->user, s->X[i], s->F));
    memset(s->T, 0, n * n * sizeof *s->T);
    for (size_t j = 0; j < n; j++)
        s->T[j * n + j] = 1;
    memset(Q, 0, n * n * sizeof *Q);
    if (flow->call->place_jac != NULL) flow->call->place_jac(flow->user, s->z[i], nd, Q, s->T); /* P 0 + Q I */
    for (size_t r = 0; r < n; r++) {
        double *row = Q + r * n;
        for (size_t j = 0; j < n; j++)
            if (s->F[r * wide + j] != 0) tac_dense_axpy(nd, s->F[r * wide + j], s->T + j * n, row);
    }
    memset(s->T, 0, n * n * sizeof *s->T);
    for (size_t j = 0; j < n; j++)
        s->T[j * n + j] = 1;
    tac_flow_correct_jac(flow, s->z[i], s->f[i], nd, Q, s->T);
    for (size_t j = 0; j < n * n; j++)
        s->M[j] = -s->h * s->method->diagonal * s->T[j];
    for (size_t j = 0; j < n; j++)
        s->M[j * n + j] += 1;
    if (tac_first_nonfinite(nd * nd, s->M) >= 0) return TAC_ERR_NONFINITE;
    return tac_lu_factor(nd, s->M, s->pivot, s->work) < 0 ? TAC_OK : TAC_ERR_NONFINITE;
}

/* |move| relative to the coordinates of the step and of the state. */
static double length_of(const tacInner *s, const double *z) {
    double most = 0;
    for (int j = 0; j < s->flow->nd; j++)
        most = tac_max(most, tac_abs(s->move[j]) / (tac_abs(z[j]) + s->size[0][j]));
    return most;
}

void tac_inner_size(tacInner *s, int i) {
    double *size = s->size[i != 0];
    if (s->flow->call->size != NULL) {
        s->flow->call->size(s->flow->user, s->X[i], size);
        return;
    }
    for (int j = 0; j < s->flow->nd; j++)
        size[j] = tac_abs(s->X[i][j]);
}

/* z_i = base + h gamma k_i:  (I - h gamma dk/dz) move = base + h gamma k - z */
static tacStatus solve_stage(tacInner *s, int i, const double *base) {
    int nd = s->flow->nd;
    double gain = s->h * s->method->diagonal, *z = s->z[i], last = TAC_INFINITY;
    tac_inner_size(s, 0);
    for (int j = 0; j < nd; j++) {
        s->size[0][j] += 1e-3;
        z[j] = base[j] + gain * s->k[i - 1][j];
    }
    for (int count = 0; count < MOST_NEWTON; count++) {
        TAC_TRY(place(s, i));
        TAC_TRY(evaluate(s, i));
        if (count == 0 || last > NEWTON_SLOW) TAC_TRY(tac_inner_factor(s, i));
        for (int j = 0; j < nd; j++)
            s->move[j] = base[j] + gain * s->k[i][j] - z[j];
        tac_lu_solve(nd, s->M, s->pivot, s->move);
        double step = length_of(s, z);
        if (!tac_finite(step)) return TAC_ERR_NONFINITE;
        if (step < NEWTON_ROUNDING || (step < NEWTON_PLATEAU && step > 0.5 * last && count > 2)) return TAC_OK;
        int slow = step > NEWTON_SLOW * last;
        tac_dense_axpy(nd, 1, s->move, z);
        last = slow ? TAC_INFINITY : step;
        if (slow && step < NEWTON_PLATEAU) last = step;
    }
    return TAC_ERR_NONFINITE;
}

tacStatus tac_inner_run(tacInner *s, double h) {
    s->h = h;
    s->unsolved = 0;
    for (int i = 1; i < s->method->stages; i++) {
        if (s->method->diagonal == 0) {
            sum_stages(s, i, s->z[i]);
            TAC_TRY(place(s, i));
            TAC_TRY(evaluate(s, i));
        } else {
            sum_stages(s, i, s->dense);
            TAC_TRY(solve_stage(s, i, s->dense));
        }
    }
    return TAC_OK;
}

/* --- Error and points between ------------------------------------------------------------------------------------- */

double tac_inner_error(tacInner *s, double rtol, double atol) {
    int nd = s->flow->nd, last = tac_inner_last(s);
    double sum = 0;
    memset(s->error, 0, (size_t)nd * sizeof *s->error);
    for (int i = 0; i <= last; i++)
        if (s->method->E[i] != 0) tac_dense_axpy(nd, s->h * s->method->E[i], s->k[i], s->error);
    tac_inner_size(s, 0);
    tac_inner_size(s, last);
    for (int j = 0; j < nd; j++) {
        double e = s->error[j] / (atol + rtol * tac_max(s->size[0][j], s->size[1][j]));
        sum += e * e;
    }
    return nd > 0 ? tac_sqrt(sum / nd) : 0;
}

/* The cubic polynomial with z and k at both ends. */
static void hermite(tacInner *s, double t) {
    int last = tac_inner_last(s);
    double u = 1 - t, k0 = s->h * t * u * u, k1 = -s->h * t * t * u, z1 = t * t * (3 - 2 * t);
    for (int j = 0; j < s->flow->nd; j++)
        s->dense[j] = k0 * s->k[0][j] + k1 * s->k[last][j] + z1 * s->z[last][j];
}

void tac_inner_dense(tacInner *s, double at) {
    const double *D = s->method->dense;
    memset(s->dense, 0, (size_t)s->flow->nd * sizeof *s->dense);
    if (D == NULL) hermite(s, at);
    for (int i = 0; D != NULL && i < s->method->stages; i++, D += TAC_ODE_DENSE_TERMS) {
        double b = at * (D[0] + at * (D[1] + at * (D[2] + at * D[3])));
        tac_dense_axpy(s->flow->nd, s->h * b, s->k[i], s->dense);
    }
    tac_flow_place(s->flow, s->X[0], s->dense, s->at);
}
