/* Prediction of one segment, its residuals, and their sums   (docs/theory/fit.md)
 *
 *   (FI4)  x_{k+1} = f(x_k, u_k; theta),   X_{k+1} = A_k X_k + [P_k dtheta/dz, 0],   X_0 = [0, 1]
 *   (FI5)  r_k = W (x_k (-) measured),     J_k = W L_k X_k;  outputs alike
 *   (FI6)  the start s is eliminated:  H = H_zz - H_zs H_ss^-1 H_sz,  g = g_z - H_zs H_ss^-1 g_s
 *
 * X_k is the derivative of the state by the unknown numbers z and, where it is estimated, by the start. */
#include "optimize/fit/fit.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "optimize/knot.h"

#include <string.h>

/* Passes over a segment with an unknown start: each is a Gauss-Newton step of it. */
enum { START_PASSES = 2 };

typedef struct Scratch {
    double *x, *y, *A, *P, *X, *Y, *PZ;      /* states, derivatives of a step, of states */
    double *L, *r, *row;                     /* of a frame's residual: ndx x ndx, and one row of J */
    double *zout, *zA, *zP;                  /* outputs */
    double *g, *H, *best_g, *best_H, *start; /* sums by z and start; the best so far; the start */
    double *solve, *residual, *jacobian;
} Scratch;

static int columns(const tacFit *fit) {
    return fit->nvar + (fit->options.start == TAC_SEGMENT_ESTIMATED ? fit->ndx : 0);
}

static int layout(Scratch *s, const tacFit *fit, tacArena *a) {
    size_t nx = (size_t)fit->nx, ndx = (size_t)fit->ndx, nc = (size_t)columns(fit), np = (size_t)fit->nparam;
    size_t nz = (size_t)fit->nz;
    s->x = TAC_TAKE(a, nx, double);
    s->y = TAC_TAKE(a, nx, double);
    s->A = TAC_TAKE(a, ndx * ndx, double);
    s->P = TAC_TAKE(a, ndx * np, double);
    s->X = TAC_TAKE(a, ndx * nc, double);
    s->Y = TAC_TAKE(a, ndx * nc, double);
    s->PZ = TAC_TAKE(a, (ndx > nz ? ndx : nz) * nc, double);
    s->L = TAC_TAKE(a, ndx * ndx, double);
    s->r = TAC_TAKE(a, ndx, double);
    s->row = TAC_TAKE(a, nc, double);
    s->zout = TAC_TAKE(a, nz, double);
    s->zA = TAC_TAKE(a, nz * ndx, double);
    s->zP = TAC_TAKE(a, nz * np, double);
    s->g = TAC_TAKE(a, nc, double);
    s->H = TAC_TAKE(a, nc * nc, double);
    s->best_g = TAC_TAKE(a, nc, double);
    s->best_H = TAC_TAKE(a, nc * nc, double);
    s->start = TAC_TAKE(a, nx, double);
    s->solve = TAC_TAKE(a, ndx * ndx + ndx * nc, double);
    return s->solve != NULL;
}

void tac_fit_measure(const tacFit *fit, tacArena *dry) {
    Scratch s;
    TAC_SCOPE(dry);
    layout(&s, fit, dry);
}

/* One segment on its way. */
typedef struct Run {
    const tacFit *fit;
    tacFitWork *work;
    Scratch *s;
    const double *z;
    const tacFitRecording *rec;
    int first, horizon, nc;
    double loss;
    long residuals;
    double *r, *J; /* where residuals are wanted one by one; NULL: sums alone */
    int row;
} Run;

/* --- Residuals ---------------------------------------------------------------------------------------------------- */

/* One residual, over its deviation, with row s->row of its derivative: into the sums, or into the list. */
static void add_residual(Run *run, double r, int measured) {
    Scratch *s = run->s;
    size_t nc = (size_t)run->nc;
    if (run->r != NULL) {
        run->r[run->row] = measured ? r : 0;
        for (size_t j = 0; run->J != NULL && j < nc; j++)
            run->J[(size_t)run->row * nc + j] = measured ? s->row[j] : 0;
        run->row++;
    }
    if (!measured) return;
    double slope, curvature;
    run->loss += tac_norm(run->fit->options.norm, run->fit->options.width, r, &slope, &curvature);
    run->residuals++;
    for (size_t i = 0; i < nc; i++) {
        if (s->row[i] == 0) continue;
        s->g[i] += 0.5 * slope * s->row[i];
        tac_dense_axpy((int)(nc - i), 0.5 * curvature * s->row[i], s->row + i, s->H + i * nc + i);
    }
}

/* row = w (rows of D, ndx long) X */
static void chain_row(Run *run, const double *d, double w) {
    Scratch *s = run->s;
    memset(s->row, 0, (size_t)run->nc * sizeof *s->row);
    for (int j = 0; j < run->fit->ndx; j++)
        if (d[j] != 0) tac_dense_axpy(run->nc, w * d[j], s->X + (size_t)j * (size_t)run->nc, s->row);
}

static void add_state(Run *run, const double *measured, const double *deviation) {
    const tacFit *fit = run->fit;
    Scratch *s = run->s;
    int known = tac_first_nonfinite(fit->nx, measured) < 0;
    memset(s->L, 0, (size_t)fit->ndx * (size_t)fit->ndx * sizeof *s->L);
    if (known) tac_state_residual(fit->model, s->x, measured, s->r, s->L, fit->ndx);
    for (int i = 0; i < fit->ndx; i++) {
        int counts = known && tac_finite(deviation[i]);
        double w = counts ? 1 / deviation[i] : 0;
        if (counts) chain_row(run, s->L + (size_t)i * (size_t)fit->ndx, w);
        add_residual(run, counts ? w * s->r[i] : 0, counts);
    }
}

static tacStatus add_outputs(Run *run, int frame, const double *u) {
    const tacFit *fit = run->fit;
    Scratch *s = run->s;
    tacJac jac = {.A = s->zA, .P = s->zP};
    const double *measured = run->rec->z + (size_t)(run->first + frame) * (size_t)fit->nz;
    tacStatus status = tac_outputs_jac(run->work->sim, s->x, u, &fit->options.outputs, s->zout, &jac);
    if (status != TAC_OK) return status;
    tac_fit_chain(fit, run->z, fit->nz, s->zP, s->PZ, run->nc);
    for (int i = 0; i < fit->nz; i++) {
        int counts = tac_finite(fit->output_deviation[i]) && tac_finite(measured[i]);
        double w = counts ? 1 / fit->output_deviation[i] : 0;
        if (counts) {
            chain_row(run, s->zA + (size_t)i * (size_t)fit->ndx, w);
            tac_dense_axpy(fit->nvar, w, s->PZ + (size_t)i * (size_t)run->nc, s->row);
        }
        add_residual(run, counts ? w * (s->zout[i] - measured[i]) : 0, counts);
    }
    return TAC_OK;
}

/* --- Prediction --------------------------------------------------------------------------------------------------- */

static const double *input_at(const Run *run, int step) {
    const tacFitRecording *rec = run->rec;
    long at = (long)run->first * rec->every + step;
    if (rec->u == NULL || at >= (long)(rec->frames - 1) * rec->every) return run->fit->input;
    return rec->u + (size_t)at * (size_t)run->fit->ninput;
}

/* x, X of the next state. */
static tacStatus predict_step(Run *run, int step) {
    Scratch *s = run->s;
    const tacFit *fit = run->fit;
    tacJac jac = {.A = s->A, .P = s->P};
    TAC_TRY(tac_step_jac(run->work->sim, s->x, input_at(run, step), s->y, &jac, NULL));
    tac_dense_mul(fit->ndx, fit->ndx, run->nc, s->A, s->X, s->Y);
    tac_fit_chain(fit, run->z, fit->ndx, s->P, s->PZ, run->nc);
    for (int i = 0; i < fit->ndx; i++)
        tac_dense_axpy(fit->nvar, 1, s->PZ + (size_t)i * (size_t)run->nc, s->Y + (size_t)i * (size_t)run->nc);
    double *x = s->x, *X = s->X;
    s->x = s->y, s->y = x;
    s->X = s->Y, s->Y = X;
    return TAC_OK;
}

static void begin_run(Run *run, const double *x0) {
    Scratch *s = run->s;
    size_t nc = (size_t)run->nc, nvar = (size_t)run->fit->nvar;
    memcpy(s->x, x0, (size_t)run->fit->nx * sizeof *x0);
    memset(s->X, 0, (size_t)run->fit->ndx * nc * sizeof *s->X);
    for (size_t i = 0; nc > nvar && i < (size_t)run->fit->ndx; i++)
        s->X[i * nc + nvar + i] = 1;
    memset(s->g, 0, nc * sizeof *s->g);
    memset(s->H, 0, nc * nc * sizeof *s->H);
    run->loss = 0;
    run->residuals = 0;
}

static tacStatus score_frame(Run *run, int frame) {
    const tacFit *fit = run->fit;
    if (fit->options.score == TAC_SCORE_LAST && frame < run->horizon) return TAC_OK;
    if (fit->deviation != NULL)
        add_state(run, run->rec->x + (size_t)(run->first + frame) * (size_t)fit->nx, fit->deviation);
    return fit->nz > 0 ? add_outputs(run, frame, input_at(run, frame * run->rec->every)) : TAC_OK;
}

/* Loss and sums of the segment from x0, its start's own residual among them. */
static tacStatus run_from(Run *run, const double *x0) {
    begin_run(run, x0);
    if (run->nc > run->fit->nvar) {
        long before = run->residuals;
        add_state(run, run->rec->x + (size_t)run->first * (size_t)run->fit->nx, run->fit->start_deviation);
        run->residuals = before; /* as many unknown numbers as measurements */
    }
    for (int k = 1; k <= run->horizon; k++) {
        for (int i = 0; i < run->rec->every; i++)
            TAC_TRY(predict_step(run, (k - 1) * run->rec->every + i));
        TAC_TRY(score_frame(run, k));
    }
    return tac_finite(run->loss) ? TAC_OK : TAC_ERR_NONFINITE;
}

/* --- Starts ------------------------------------------------------------------------------------------------------- */

static void mirror(int n, double *H) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            H[(size_t)i * (size_t)n + (size_t)j] = H[(size_t)j * (size_t)n + (size_t)i];
}

/* Factors H_ss, and ds = -H_ss^-1 g_s. */
static int start_step(const Run *run, const double *g, const double *H, double *L, double *ds) {
    size_t nc = (size_t)run->nc, nv = (size_t)run->fit->nvar, n = (size_t)run->fit->ndx;
    for (size_t i = 0; i < n; i++)
        memcpy(L + i * n, H + (nv + i) * nc + nv, n * sizeof *L);
    if (tac_cholesky_factor((int)n, L) >= 0) return 0;
    for (size_t i = 0; i < n; i++)
        ds[i] = -g[nv + i];
    tac_cholesky_solve((int)n, L, ds);
    return 1;
}

/* (FI6) into the slot. */
static int eliminate_start(const Run *run, const double *g, const double *H, tacFitSlot *slot) {
    size_t nc = (size_t)run->nc, nv = (size_t)run->fit->nvar, n = (size_t)run->fit->ndx;
    double *L = run->s->solve, *V = L + n * n; /* V = H_ss^-1 [H_sz, g_s], n x (nv + 1) */
    double *ds = run->s->r;
    if (!start_step(run, g, H, L, ds)) return 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < nv; j++)
            V[i * nv + j] = H[(nv + i) * nc + j];
    if (nv > 0) tac_cholesky_solve_many((int)n, L, (int)nv, V);
    for (size_t i = 0; i < nv; i++) {
        slot->g[i] = g[i];
        for (size_t k = 0; k < n; k++)
            slot->g[i] += H[i * nc + nv + k] * ds[k];
        for (size_t j = 0; j < nv; j++) {
            double sum = H[i * nc + j];
            for (size_t k = 0; k < n; k++)
                sum -= H[i * nc + nv + k] * V[k * nv + j];
            slot->H[i * nv + j] = sum;
        }
    }
    return 1;
}

/* Displaces a state. */
static void move_state(const tacModel *m, const double *x, const double *d, double *y) {
    tac_qpos_add(m, x, d, y);
    for (int i = 0; i < m->nv + m->na; i++)
        y[m->nq + i] = x[m->nq + i] + d[m->nv + i];
}

/* The least loss over Gauss-Newton steps of the start, and its sums in best_g, best_H; start has where. */
static tacStatus improve_start(Run *run, const double *x0, tacFitSlot *slot) {
    Scratch *s = run->s;
    size_t nc = (size_t)run->nc;
    double best = TAC_INFINITY;
    tacStatus status = TAC_OK;
    double *trial = TAC_TAKE(&run->work->arena, (size_t)run->fit->nx, double);
    if (trial == NULL) return TAC_ERR_ARENA_FULL;
    memcpy(trial, x0, (size_t)run->fit->nx * sizeof *trial);
    for (int pass = 0; pass < START_PASSES; pass++) {
        tacStatus now = run_from(run, trial);
        if (pass == 0) status = now;
        if (now != TAC_OK || !(run->loss < best)) break;
        mirror(run->nc, s->H);
        best = run->loss;
        slot->loss = run->loss;
        slot->residuals = run->residuals;
        memcpy(s->best_g, s->g, nc * sizeof *s->g);
        memcpy(s->best_H, s->H, nc * nc * sizeof *s->H);
        memcpy(s->start, trial, (size_t)run->fit->nx * sizeof *trial);
        if (pass + 1 == START_PASSES || !start_step(run, s->g, s->H, s->solve, s->r)) break;
        move_state(run->fit->model, s->start, s->r, trial);
    }
    return status;
}

/* --- Sums --------------------------------------------------------------------------------------------------------- */

static Run run_of(const tacFit *fit, tacFitWork *work, Scratch *s, const double *z, int segment) {
    int recording = fit->segment[segment][0];
    return (Run){.fit = fit,
                 .work = work,
                 .s = s,
                 .z = z,
                 .rec = &fit->recording[recording],
                 .first = fit->segment[segment][1],
                 .horizon = tac_fit_horizon(fit, segment),
                 .nc = columns(fit)};
}

static const double *measured_start(const Run *run) { return run->rec->x + (size_t)run->first * (size_t)run->fit->nx; }

static tacStatus segment_sums(Run *run, const tacFitAt *at, int segment, tacFitSlot *slot) {
    const tacFit *fit = run->fit;
    size_t nvar = (size_t)fit->nvar, nx = (size_t)fit->nx;
    if (run->nc == fit->nvar) {
        TAC_TRY(run_from(run, measured_start(run)));
        mirror(run->nc, run->s->H);
        memcpy(slot->g, run->s->g, nvar * sizeof *slot->g);
        memcpy(slot->H, run->s->H, nvar * nvar * sizeof *slot->H);
        slot->loss = run->loss;
        slot->residuals = run->residuals;
        return TAC_OK;
    }
    TAC_TRY(improve_start(run, at->starts + (size_t)segment * nx, slot));
    if (at->starts_new != NULL) memcpy(at->starts_new + (size_t)segment * nx, run->s->start, nx * sizeof(double));
    return eliminate_start(run, run->s->best_g, run->s->best_H, slot) ? TAC_OK : TAC_ERR_SINGULAR;
}

void tac_fit_segment_sums(const tacFit *fit, tacFitWork *work, const tacFitAt *at, int segment, tacFitSlot *slot) {
    Scratch s;
    TAC_SCOPE(&work->arena);
    size_t nvar = (size_t)fit->nvar;
    slot->status = layout(&s, fit, &work->arena) ? TAC_OK : TAC_ERR_ARENA_FULL;
    if (slot->status == TAC_OK) slot->status = tac_sim_set_params(work->sim, at->theta);
    if (slot->status == TAC_OK) {
        Run run = run_of(fit, work, &s, at->z, segment);
        slot->status = segment_sums(&run, at, segment, slot);
    }
    if (slot->status == TAC_OK) return;
    slot->loss = 0;
    slot->residuals = 0;
    memset(slot->g, 0, nvar * sizeof *slot->g);
    memset(slot->H, 0, nvar * nvar * sizeof *slot->H);
    if (at->starts_new != NULL)
        memcpy(at->starts_new + (size_t)segment * (size_t)fit->nx, at->starts + (size_t)segment * (size_t)fit->nx,
               (size_t)fit->nx * sizeof(double));
}

tacStatus tac_fit_segment_residuals(const tacFit *fit, tacFitWork *work, const double *z, const double *theta,
                                    int segment, const double *x0, double *r, double *J) {
    Scratch s;
    TAC_SCOPE(&work->arena);
    if (!layout(&s, fit, &work->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_sim_set_params(work->sim, theta));
    Run run = run_of(fit, work, &s, z, segment);
    run.r = r;
    run.J = J;
    return run_from(&run, x0 != NULL ? x0 : measured_start(&run));
}
