/* What constraints add to dG at fixed a (contact/soft/soft.h, Z9), forwards and in reverse. */
#include "math/dense.h"
#include "step/soft_step.h"

#include <string.h>

/* --- One block: df = -K dy - c dr --------------------------------------------------------------------------------- */

/* What the reference of row i of a block takes from the change of r besides its own: K d' pos_i (connects, welds). */
static double pull_of_length(const tacSoft *soft, const tacSoftBlock *b, int i) {
    return b->kind == TAC_SOFT_EQUALITY && b->n > 1 ? b->z.K * b->z.rate * soft->rows.row[b->row + i].pos : 0;
}

/* The block's stiffness, n x n, and c_i of  df_i = -sum K_ij dy_j - c_i dr. */
static void weigh_block(const tacSoft *soft, const tacSoftBlock *b, double *K, double *c) {
    double f[TAC_SOFT_MOST_ROWS];
    tac_soft_force(b, soft->D + b->row, soft->y + b->row, f, K);
    for (int i = 0; i < b->n; i++) {
        c[i] = b->kind == TAC_SOFT_LOSS ? 0 : -tac_soft_stiffening(b, i) * f[i];
        for (int j = 0; j < b->n; j++)
            c[i] += K[i * b->n + j] * pull_of_length(soft, b, j);
    }
}

void tac_soft_respond(const tacSoft *soft, const tacSoftBlock *b, int n, const double *dy, const double *dr,
                      double *minus_df) {
    double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], c[TAC_SOFT_MOST_ROWS];
    int parts = b->kind == TAC_SOFT_EQUALITY ? b->n : 1; /* rows that r moves with */
    size_t ld = (size_t)n;
    weigh_block(soft, b, K, c);
    memset(minus_df, 0, (size_t)b->n * ld * sizeof *minus_df);
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++)
            if (K[i * b->n + j] != 0)
                tac_dense_axpy(n, K[i * b->n + j], dy + (size_t)(b->row + j) * ld, minus_df + (size_t)i * ld);
        for (int j = 0; c[i] != 0 && j < parts; j++)
            tac_dense_axpy(n, c[i], dr + (size_t)(b->row + j) * ld, minus_df + (size_t)i * ld);
    }
}

/* mu, nu: gradients by dy and dr of what weighs minus_df by g. */
static void respond_vjp(const tacSoft *soft, const tacSoftBlock *b, const double *g, double *mu, double *nu) {
    double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], c[TAC_SOFT_MOST_ROWS], sum = 0;
    weigh_block(soft, b, K, c);
    for (int i = 0; i < b->n; i++)
        sum += c[i] * g[i];
    for (int j = 0; j < b->n; j++) {
        mu[b->row + j] = 0, nu[b->row + j] = sum;
        for (int i = 0; i < b->n; i++)
            mu[b->row + j] += K[i * b->n + j] * g[i];
    }
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

static tacStatus emit(tacSim *sim, const double *x, const double *u, const tacSoft *soft, const double *a,
                      const tacSoftSink sink[3], int theta) {
    const tacModel *m = sim->model;
    size_t mark = tac_arena_mark(&sim->arena);
    tacSmoothPoint point = tac_point_of(sim, x, u);
    tacSoftPoint p = {m, &sim->work, &sim->scene, soft, &point, a, sim->options.dt, sim->margins, -1, NULL, NULL};
    p.z = TAC_TAKE(&sim->arena, m->nv, double);
    p.V = TAC_TAKE(&sim->arena, m->nbody, tacVec6);
    if (p.z == NULL || p.V == NULL) return TAC_ERR_ARENA_FULL;
    tacContactColumns to = {&sink[0], tac_mocap_column(sim) < 0 ? NULL : &sink[1], theta ? &sink[2] : NULL,
                            sim->tangents};
    tacStatus status = tac_soft_contacts_jac(&p, &to);
    if (status == TAC_OK) tac_soft_other_jac(&p, &to);
    if (status == TAC_OK && theta) tac_soft_numbers_jac(&p, to.theta, sim->tangents);
    tac_arena_release(&sim->arena, mark);
    return status;
}

/* W += J^T (K dy + c dr). force: scratch, rows of a block. */
static void add_responses(const tacSoft *soft, tacColumns c, const double *dy, const double *dr, double *force,
                          double *W) {
    size_t n = (size_t)c.n;
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        if (tac_soft_is_idle(b)) continue;
        tac_soft_respond(soft, b, c.n, dy, dr, force);
        for (int i = 0; i < b->n; i++) {
            const tacRow *row = &soft->rows.row[b->row + i];
            for (int e = row->adr; e < row->adr + row->num; e++)
                if (soft->rows.J[e] != 0)
                    tac_dense_axpy(c.n, soft->rows.J[e], force + (size_t)i * n, W + (size_t)soft->rows.dof[e] * n);
        }
    }
}

static tacSink columns_of(double *matrix, int first, tacColumns c) {
    return (tacSink){.matrix = matrix == NULL ? NULL : matrix + first, .ld = c.n};
}

tacStatus tac_soft_residuals_jac(tacSim *sim, const double *x, const double *u, const tacSoft *soft, const double *a,
                                 tacColumns c, const tacSoftChanges *d) {
    size_t mark = tac_arena_mark(&sim->arena), rows = (size_t)soft->rows.n, n = (size_t)c.n;
    int mocap = tac_mocap_column(sim), places[3] = {0, c.nx + (mocap < 0 ? 0 : mocap), c.nx + c.nu};
    double *force = TAC_TAKE(&sim->arena, TAC_SOFT_MOST_ROWS * n, double);
    tacSoftSink sink[3]; /* dofs, mocap numbers, parameters */
    if (force == NULL) return TAC_ERR_ARENA_FULL;
    memset(d->dy, 0, rows * n * sizeof *d->dy);
    memset(d->dr, 0, rows * n * sizeof *d->dr);
    for (int i = 0; i < 3; i++)
        sink[i] = (tacSoftSink){columns_of(d->W, places[i], c), columns_of(d->dy, places[i], c),
                                columns_of(d->wrench, places[i], c), columns_of(d->dr, places[i], c)};
    for (int k = 0; k < soft->nblock; k++) /* B J dv */
        for (int i = soft->block[k].row; i < soft->block[k].row + soft->block[k].n; i++)
            tac_row_add_force(&soft->rows, i, soft->block[k].z.B, d->dy + (size_t)i * n + sim->model->nv);
    tacStatus status = emit(sim, x, u, soft, a, sink, c.np > 0);
    if (status == TAC_OK) add_responses(soft, c, d->dy, d->dr, force, d->W);
    tac_arena_release(&sim->arena, mark);
    return status;
}

tacStatus tac_soft_residuals_vjp(tacSim *sim, const double *x, const double *u, const tacSoft *soft, const double *a,
                                 const tacSoftDual *dual, const tacGrad *bar) {
    const tacRows *rows = &soft->rows;
    size_t mark = tac_arena_mark(&sim->arena);
    double *mu = TAC_TAKE(&sim->arena, rows->n, double), *nu = TAC_TAKE(&sim->arena, rows->n, double);
    if (mu == NULL || nu == NULL) return TAC_ERR_ARENA_FULL;
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        double g[TAC_SOFT_MOST_ROWS];
        for (int i = 0; i < b->n; i++)
            g[i] = tac_row_velocity(rows, b->row + i, dual->lambda) + (dual->seed == NULL ? 0 : dual->seed[b->row + i]);
        respond_vjp(soft, b, g, mu, nu);
        for (int i = b->row; i < b->row + b->n; i++)
            tac_row_add_force(rows, i, -b->z.B * mu[i], bar->x + sim->model->nv);
    }
    int mocap = tac_mocap_column(sim);
    double *places[3] = {bar->x, bar->u + (mocap < 0 ? 0 : mocap), bar->theta};
    tacSoftSink sink[3];
    for (int i = 0; i < 3; i++)
        sink[i] = (tacSoftSink){{.lambda = dual->lambda, .bar = places[i], .negate = 1},
                                {.lambda = mu, .bar = places[i], .negate = 1},
                                {.lambda = dual->wrenchbar, .bar = places[i]},
                                {.lambda = nu, .bar = places[i], .negate = 1}};
    tacStatus status = emit(sim, x, u, soft, a, sink, bar->theta != NULL);
    tac_arena_release(&sim->arena, mark);
    return status;
}
