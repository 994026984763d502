/* Constraint terms of dG at fixed a (contact/soft/problem.h, Z9), in forward and reverse mode. */
#include "math/dense.h"
#include "contact/soft/step.h"

#include <string.h>

/* --- One block: df = -K dy - c dr --------------------------------------------------------------------------------- */

/* Extra term of row i's reference by the change of r: K d' pos_i (connects, welds). */
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

/* y = sum of s[k] x[k] */
static void mix(int n, int count, const double *s, const double *const *x, double *restrict y) {
    int i = 0;
    for (; i + 2 <= n; i += 2) { /* two at a time: compilers use 128-bit registers at -O2 */
        double u = 0, v = 0;
        for (int k = 0; k < count; k++) {
            u += s[k] * x[k][i];
            v += s[k] * x[k][i + 1];
        }
        y[i] = u;
        y[i + 1] = v;
    }
    if (i == n) return;
    y[i] = 0;
    for (int k = 0; k < count; k++)
        y[i] += s[k] * x[k][i];
}

/* The same for a contact's three rows: out = K x + c r. */
static void mix_three(int n, int ld, const double K[9], const double c[3], const double *x, const double *r,
                      double *restrict out) {
    const double *y = x + ld, *z = y + ld;
    for (int i = 0; i < 3; i++) {
        double a = K[3 * i], b = K[3 * i + 1], d = K[3 * i + 2], e = c[i], *to = out + i * n;
        int j = 0;
        for (; j + 2 <= n; j += 2) {
            double u = a * x[j] + b * y[j] + (d * z[j] + e * r[j]);
            double v = a * x[j + 1] + b * y[j + 1] + (d * z[j + 1] + e * r[j + 1]);
            to[j] = u;
            to[j + 1] = v;
        }
        if (j < n) to[j] = a * x[j] + b * y[j] + (d * z[j] + e * r[j]);
    }
}

/* -df = K dy + c dr of n columns. */
static void respond(const tacSoftBlock *b, const double *K, const double *c, int n, int ld, const double *dy,
                    const double *dr, double *minus_df) {
    int parts = b->kind == TAC_SOFT_EQUALITY ? b->n : 1; /* rows that r moves with */
    const double *x[2 * TAC_SOFT_MOST_ROWS];
    double s[2 * TAC_SOFT_MOST_ROWS];
    if (b->n == 3 && parts == 1) {
        size_t first = (size_t)b->row * (size_t)ld;
        mix_three(n, ld, K, c, dy + first, dr + first, minus_df);
        return;
    }
    for (int j = 0; j < b->n; j++)
        x[j] = dy + (size_t)(b->row + j) * (size_t)ld;
    for (int j = 0; j < parts; j++)
        x[b->n + j] = dr + (size_t)(b->row + j) * (size_t)ld;
    for (int i = 0; i < b->n; i++) {
        memcpy(s, K + i * b->n, (size_t)b->n * sizeof *s);
        for (int j = 0; j < parts; j++)
            s[b->n + j] = c[i];
        mix(n, c[i] != 0 ? b->n + parts : b->n, s, x, minus_df + (size_t)i * (size_t)n);
    }
}

void tac_soft_respond(const tacSoft *soft, const tacSoftBlock *b, int n, int ld, const double *dy, const double *dr,
                      double *minus_df) {
    double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], c[TAC_SOFT_MOST_ROWS];
    weigh_block(soft, b, K, c);
    respond(b, K, c, n, ld, dy, dr, minus_df);
}

/* mu, nu: gradients by dy and dr of the sum of minus_df with weights g. */
static void respond_vjp(const tacSoft *soft, const tacSoftBlock *b, const double *g, double *mu, double *nu) {
    double K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], c[TAC_SOFT_MOST_ROWS], sum = 0;
    weigh_block(soft, b, K, c);
    for (int i = 0; i < b->n; i++)
        sum += c[i] * g[i];
    for (int j = 0; j < b->n; j++) {
        mu[b->row + j] = 0;
        nu[b->row + j] = sum;
        for (int i = 0; i < b->n; i++)
            mu[b->row + j] += K[i * b->n + j] * g[i];
    }
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

static int point_layout(tacSoftPoint *p, const tacModel *m, tacArena *arena) {
    p->z = TAC_TAKE(arena, m->nv, double);
    p->V = TAC_TAKE(arena, m->nbody, tacVec6);
    return p->z && p->V;
}

static tacStatus emit(tacContext *ctx, const double *x, const double *u, const tacSoft *soft, const double *a,
                      const tacSoftSink sink[3], int theta) {
    TAC_SCOPE(&ctx->arena);
    const tacModel *m = ctx->model;
    tacSmoothPoint point = tac_point_of(ctx, x, u);
    tacSoftPoint p = {m, &ctx->work, &ctx->scene, soft, &point, a, ctx->options.dt, ctx->margins, -1, NULL, NULL};
    if (!point_layout(&p, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tacContactColumns to = {&sink[0], ctx->inputs.mocap < 0 ? NULL : &sink[1], theta ? &sink[2] : NULL, ctx->tangents};
    TAC_TRY(tac_soft_contacts_jac(&p, &to));
    tac_soft_other_jac(&p, &to);
    if (theta) tac_soft_numbers_jac(&p, to.theta, ctx->tangents);
    return TAC_OK;
}

static void measure_emit(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    tacSoftPoint p;
    point_layout(&p, m, dry);
}

/* A range of consecutive columns. */
typedef struct Span {
    int first, n;
} Span;

/* Blocks over the same dofs (a manifold's). Their terms of W are summed in one pass. */
typedef struct Team {
    int nblock, n; /* blocks; rows in all */
    const tacSoftBlock *block[TAC_SOFT_TEAM];
    double K[TAC_SOFT_TEAM][TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS], c[TAC_SOFT_TEAM][TAC_SOFT_MOST_ROWS];
} Team;

/* 0: the block has other dofs than the team, or there is no room. */
static int join(const tacSoft *soft, const tacSoftBlock *b, Team *team) {
    const tacRow *row = &soft->rows.row[b->row];
    if (team->nblock > 0) {
        const tacRow *first = &soft->rows.row[team->block[0]->row];
        const int *dof = soft->rows.dof;
        if (team->nblock == TAC_SOFT_TEAM || row->num != first->num ||
            memcmp(dof + row->adr, dof + first->adr, (size_t)row->num * sizeof *dof) != 0)
            return 0;
    }
    weigh_block(soft, b, team->K[team->nblock], team->c[team->nblock]);
    team->block[team->nblock++] = b;
    team->n += b->n;
    return 1;
}

/* W += J^T (K dy + c dr) of a team, in a span of columns. force: scratch for its rows. */
static void add_response(const tacSoft *soft, const Team *team, Span s, int ld, const tacSoftChanges *d,
                         double *force) {
    const tacRow *first = &soft->rows.row[team->block[0]->row];
    const double *J[TAC_SOFT_TEAM_ROWS];
    int line[TAC_SOFT_TEAM_ROWS], n = 0;
    if (s.n <= 0) return;
    for (int k = 0; k < team->nblock; k++) {
        const tacSoftBlock *b = team->block[k];
        respond(b, team->K[k], team->c[k], s.n, ld, d->dy + s.first, d->dr + s.first, force + n * s.n);
        for (int i = 0; i < b->n; i++, n++) {
            J[n] = soft->rows.J + soft->rows.row[b->row + i].adr;
            line[n] = n;
        }
    }
    for (int e = 0; e < first->num; e++) {
        double by[TAC_SOFT_TEAM_ROWS];
        for (int i = 0; i < n; i++)
            by[i] = J[i][e];
        tac_dense_add_rows(s.n, n, by, line, force, 1,
                           d->W + (size_t)soft->rows.dof[first->adr + e] * (size_t)ld + s.first);
    }
}

/* A team responds to the dofs of its rows and their velocities, to mocap numbers and to parameters. */
static void add_responses(const tacContext *ctx, const tacSoft *soft, tacColumns c, const tacSoftChanges *d,
                          double *force) {
    int nv = ctx->model->nv, mocap = ctx->inputs.mocap, rest = c.nx + (mocap < 0 ? c.nu : mocap);
    for (int k = 0; k < soft->nblock;) {
        Team team;
        team.nblock = team.n = 0;
        for (; k < soft->nblock; k++)
            if (!tac_soft_is_idle(&soft->block[k]) && !join(soft, &soft->block[k], &team)) break;
        if (team.nblock == 0) return;
        const tacRow *row = &soft->rows.row[team.block[0]->row];
        int low = soft->rows.dof[row->adr + row->num - 1], n = soft->rows.dof[row->adr] + 1 - low;
        const Span all = {0, 1}, spans[3] = {{low, n}, {nv + low, n}, {rest, c.n - rest}};
        if (c.along != NULL) add_response(soft, &team, all, c.n, d, force);
        for (int i = 0; c.along == NULL && i < 3; i++)
            add_response(soft, &team, spans[i], c.n, d, force);
    }
}

/* Forces of a team's rows. */
static double *team_layout(tacColumns c, tacArena *arena) {
    return TAC_TAKE(arena, TAC_SOFT_TEAM_ROWS * (size_t)c.n, double);
}

/* dy += B J dv */
static void add_damping(const tacSoft *soft, tacColumns c, int nv, double *dy) {
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        for (int i = b->row; i < b->row + b->n; i++) {
            double damping = tac_soft_damping(b, i - b->row);
            if (c.along != NULL)
                dy[i] += damping * tac_row_velocity(&soft->rows, i, c.along + nv);
            else
                tac_row_add_force(&soft->rows, i, damping, dy + (size_t)i * (size_t)c.n + nv);
        }
    }
}

tacStatus tac_soft_residuals_jac(tacContext *ctx, const double *x, const double *u, const tacSoft *soft,
                                 const double *a, tacColumns c, const tacSoftChanges *d) {
    TAC_SCOPE(&ctx->arena);
    size_t rows = (size_t)soft->rows.n, n = (size_t)c.n;
    int mocap = ctx->inputs.mocap, places[3] = {0, c.nx + (mocap < 0 ? 0 : mocap), c.nx + c.nu};
    double *force = team_layout(c, &ctx->arena);
    tacSoftSink sink[3]; /* dofs, mocap numbers, parameters */
    if (force == NULL) return TAC_ERR_ARENA_FULL;
    memset(d->dy, 0, rows * n * sizeof *d->dy);
    memset(d->dr, 0, rows * n * sizeof *d->dr);
    for (int i = 0; i < 3; i++)
        sink[i] = (tacSoftSink){tac_columns_sink(c, d->W, places[i]),
                                tac_columns_sink(c, d->dy, places[i]),
                                tac_columns_sink(c, d->wrench, places[i]),
                                tac_columns_sink(c, d->dr, places[i]),
                                {0}};
    sink[2].part = (tacSink){.matrix = d->part, .ld = c.np};
    add_damping(soft, c, ctx->model->nv, d->dy);
    TAC_TRY(emit(ctx, x, u, soft, a, sink, c.np > 0));
    add_responses(ctx, soft, c, d, force);
    return TAC_OK;
}

void tac_soft_measure_residuals_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    team_layout(tac_columns_of(m, options), dry);
    measure_emit(m, dry);
}

/* Covectors of dy and dr, one number a row. */
typedef struct Covectors {
    double *mu, *nu;
} Covectors;

static int covectors_layout(Covectors *v, int rows, tacArena *arena) {
    v->mu = TAC_TAKE(arena, rows, double);
    v->nu = TAC_TAKE(arena, rows, double);
    return v->mu && v->nu;
}

void tac_soft_measure_residuals_vjp(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    Covectors v;
    covectors_layout(&v, tac_rows_max(m, options->max_contacts), dry);
    measure_emit(m, dry);
}

tacStatus tac_soft_residuals_vjp(tacContext *ctx, const double *x, const double *u, const tacSoft *soft,
                                 const double *a, const tacSoftDual *dual, const tacGrad *bar) {
    TAC_SCOPE(&ctx->arena);
    const tacRows *rows = &soft->rows;
    Covectors v;
    if (!covectors_layout(&v, rows->n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        double g[TAC_SOFT_MOST_ROWS];
        for (int i = 0; i < b->n; i++)
            g[i] = tac_row_velocity(rows, b->row + i, dual->lambda) + (dual->seed == NULL ? 0 : dual->seed[b->row + i]);
        respond_vjp(soft, b, g, v.mu, v.nu);
        for (int i = 0; i < b->n; i++)
            tac_row_add_force(rows, b->row + i, -tac_soft_damping(b, i) * v.mu[b->row + i], bar->x + ctx->model->nv);
    }
    int mocap = ctx->inputs.mocap;
    double *places[3] = {bar->x, bar->u + (mocap < 0 ? 0 : mocap), bar->theta};
    tacSoftSink sink[3];
    for (int i = 0; i < 3; i++)
        sink[i] = (tacSoftSink){{.lambda = dual->lambda, .bar = places[i], .negate = 1},
                                {.lambda = v.mu, .bar = places[i], .negate = 1},
                                {.lambda = dual->wrenchbar, .bar = places[i]},
                                {.lambda = v.nu, .bar = places[i], .negate = 1},
                                {.lambda = dual->part, .bar = places[i]}};
    return emit(ctx, x, u, soft, a, sink, bar->theta != NULL);
}
