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

void tac_soft_respond(const tacSoft *soft, const tacSoftBlock *b, int n, int ld, const double *dy, const double *dr,
                      double *minus_df) {
    double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], c[TAC_SOFT_MOST_ROWS];
    int parts = b->kind == TAC_SOFT_EQUALITY ? b->n : 1; /* rows that r moves with */
    weigh_block(soft, b, K, c);
    memset(minus_df, 0, (size_t)b->n * (size_t)n * sizeof *minus_df);
    for (int i = 0; i < b->n; i++) {
        double *out = minus_df + (size_t)i * (size_t)n;
        for (int j = 0; j < b->n; j++)
            if (K[i * b->n + j] != 0) tac_dense_axpy(n, K[i * b->n + j], dy + (size_t)(b->row + j) * (size_t)ld, out);
        for (int j = 0; c[i] != 0 && j < parts; j++)
            tac_dense_axpy(n, c[i], dr + (size_t)(b->row + j) * (size_t)ld, out);
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

/* Columns that follow each other. */
typedef struct Span {
    int first, n;
} Span;

/* W += J^T (K dy + c dr) of a block, in a span of columns. force: scratch, rows of a block. */
static void add_response(const tacSoft *soft, const tacSoftBlock *b, Span s, int ld, const tacSoftChanges *d,
                         double *force) {
    const tacRow *row = &soft->rows.row[b->row];
    if (s.n <= 0) return;
    tac_soft_respond(soft, b, s.n, ld, d->dy + s.first, d->dr + s.first, force);
    for (int e = 0; e < row->num; e++) {
        double J[TAC_SOFT_MOST_ROWS], *out = d->W + (size_t)soft->rows.dof[row->adr + e] * (size_t)ld + s.first;
        int i = 0;
        for (int k = 0; k < b->n; k++)
            J[k] = soft->rows.J[row[k].adr + e];
        for (; i + 3 <= b->n; i += 3) {
            const double *f = force + i * s.n, *three[3] = {f, f + s.n, f + 2 * s.n};
            tac_dense_axpy_three(s.n, J + i, three, out);
        }
        for (; i < b->n; i++)
            tac_dense_axpy(s.n, J[i], force + i * s.n, out);
    }
}

/* Blocks answer to the dofs of their rows and their velocities, to mocap numbers and to parameters. */
static void add_responses(const tacSim *sim, const tacSoft *soft, tacColumns c, const tacSoftChanges *d,
                          double *force) {
    int nv = sim->model->nv, mocap = tac_mocap_column(sim), rest = c.nx + (mocap < 0 ? c.nu : mocap);
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        const tacRow *row = &soft->rows.row[b->row];
        if (tac_soft_is_idle(b)) continue;
        int low = soft->rows.dof[row->adr + row->num - 1], n = soft->rows.dof[row->adr] + 1 - low;
        const Span spans[3] = {{low, n}, {nv + low, n}, {rest, c.n - rest}};
        for (int i = 0; i < 3; i++)
            add_response(soft, b, spans[i], c.n, d, force);
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
    for (int k = 0; k < soft->nblock; k++) { /* B J dv */
        const tacSoftBlock *b = &soft->block[k];
        for (int i = 0; i < b->n; i++)
            tac_row_add_force(&soft->rows, b->row + i, tac_soft_damping(b, i),
                              d->dy + (size_t)(b->row + i) * n + sim->model->nv);
    }
    tacStatus status = emit(sim, x, u, soft, a, sink, c.np > 0);
    if (status == TAC_OK) add_responses(sim, soft, c, d, force);
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
        for (int i = 0; i < b->n; i++)
            tac_row_add_force(rows, b->row + i, -tac_soft_damping(b, i) * mu[b->row + i], bar->x + sim->model->nv);
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
