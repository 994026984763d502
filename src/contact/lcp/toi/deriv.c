/* Derivatives of steps that stop at impacts, forward: dq and dv of the current state with respect to [x | u | theta]
 * are carried along (docs/theory/contact.md, H3, H4). */
#include "math/dense.h"
#include "contact/lcp/share.h"
#include "contact/lcp/toi/step.h"
#include "smooth/tangent.h"

#include <string.h>

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* Column of the time step; below the first column of the parameters: it is no parameter. */
static int time_column(const tacContext *ctx) {
    tacColumns c = tac_count_columns(ctx);
    return c.nx + c.nu + tac_param_of_time(ctx->model);
}

/* Derivative of v+ = v + h a by h alone: adds a = w->qacc to the column of the time step (nv rows of n). */
static void add_time(const tacContext *ctx, size_t n, double *v) {
    for (int i = 0; tac_param_of_time(ctx->model) >= 0 && i < ctx->model->nv; i++)
        v[(size_t)i * n + (size_t)time_column(ctx)] += ctx->work.qacc[i];
}

static int layout(tacFlightTangent *d, const tacModel *m, tacColumns c, tacArena *arena) {
    size_t nv = (size_t)m->nv, n = (size_t)c.n, rows = (size_t)c.nx;
    *d = (tacFlightTangent){.c = c};
    double **wide[] = {&d->q, &d->v, &d->kick, &d->given, &d->W, &d->W_rest};
    int ok = 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        ok &= (*wide[i] = TAC_TAKE(arena, nv * n, double)) != NULL;
    d->time = TAC_TAKE(arena, n, double);
    d->left = TAC_TAKE(arena, n, double);
    d->J.A = TAC_TAKE(arena, rows * rows, double);
    d->J.B = TAC_TAKE(arena, rows * (size_t)c.nu, double);
    d->J.P = TAC_TAKE(arena, rows * (size_t)c.np, double);
    return ok && d->time && d->left && d->J.A && d->J.B && d->J.P;
}

void tac_flight_measure_tangent(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacFlightTangent d;
    layout(&d, m, tac_columns_of(m, options), dry);
}

tacStatus tac_flight_tangent(tacContext *ctx, tacFlightTangent *d) {
    tacColumns c = tac_count_columns(ctx);
    if (!layout(d, ctx->model, c, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    memset(d->left, 0, (size_t)c.n * sizeof(double));
    if (tac_param_of_time(ctx->model) >= 0) d->left[time_column(ctx)] = 1; /* all of h is left */
    return TAC_OK;
}

/* --- Kick --------------------------------------------------------------------------------------------------------- */

/* dq = identity, dv = dv - h W. f->scratch: h v+. */
tacStatus tac_flight_kick_jac(tacFlight *f, const double *x) {
    tacFlightTangent *d = f->d;
    const tacModel *m = f->ctx->model;
    size_t n = (size_t)d->c.n, nv = (size_t)m->nv;
    memset(d->q, 0, nv * n * sizeof(double));
    for (size_t i = 0; i < nv; i++) {
        d->q[i * n + i] = 1;
        for (size_t k = 0; k < n; k++)
            d->kick[i * n + k] = d->v[i * n + k] = -f->ctx->options.dt * d->W[i * n + k];
        d->v[i * n + nv + i] += 1;
    }
    add_time(f->ctx, n, d->kick);
    add_time(f->ctx, n, d->v);
    return tac_assemble_jac(f->ctx, x, f->u, f->scratch, d->c, d->W, &d->J); /* for the activations */
}

/* The kick without rows has d(k_0) = -h W, W = Mhat^-1 dR at its own acceleration, and a dh. */
tacStatus tac_flight_given_jac(tacFlight *f, const double *x) {
    tacFlightTangent *d = f->d;
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    size_t n = (size_t)d->c.n, nv = (size_t)m->nv;
    double h = ctx->options.dt, *qacc = ctx->work.qacc;
    tacTree tree = tac_dof_tree(m);
    memset(d->given, 0, nv * n * sizeof(double));
    if (f->nheld == 0) return TAC_OK;
    memcpy(f->undone, qacc, nv * sizeof *qacc); /* kept aside */
    for (size_t i = 0; i < nv; i++)
        qacc[i] = (f->v_free[i] - x[m->nq + (int)i]) / h;
    TAC_TRY(tac_lcp_smooth_jac(ctx, x, f->u, 0, d->c, d->W_rest));
    tac_tree_push_many(&tree, ctx->work.L, d->c.n, d->W_rest);
    tac_tree_pull_many(&tree, ctx->work.L, d->c.n, d->W_rest);
    for (size_t i = 0; i < nv * n; i++)
        d->given[i] = d->kick[i] + h * d->W_rest[i];
    for (size_t i = 0; tac_param_of_time(m) >= 0 && i < nv; i++)
        d->given[i * n + (size_t)time_column(ctx)] -= qacc[i];
    memcpy(qacc, f->undone, nv * sizeof *qacc);
    return TAC_OK;
}

/* --- Drift -------------------------------------------------------------------------------------------------------- */

/* q' = q (+) t v:  dq' = P dq + t Q dv (+ v dt, for Q v = v). f->scratch: t v. */
void tac_flight_drift_jac(tacFlight *f, double t) {
    tacFlightTangent *d = f->d;
    int n = d->c.n;
    tac_move_back_jac(f->ctx->model, f->scratch, n, d->q);
    tac_move_jac(f->ctx->model, f->scratch, t, n, n, d->v, n, d->W_rest);
    tac_dense_axpy(f->ctx->model->nv * n, 1, d->W_rest, d->q);
}

void tac_flight_stop_jac(tacFlight *f) {
    tacFlightTangent *d = f->d;
    const tacModel *m = f->ctx->model;
    for (int i = 0; i < m->nv; i++)
        tac_dense_axpy(d->c.n, f->x[m->nq + i], d->time, d->q + (size_t)i * (size_t)d->c.n);
    tac_dense_axpy(d->c.n, -1, d->time, d->left);
}

/* Adds the change of the distance by mocap poses and parameters to `time`. */
static void add_direct(tacFlight *f, const tacContactSystem *c, double *time) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    tacColumns columns = f->d->c;
    tacSmoothPoint x = tac_point_of(ctx, f->x, f->u);
    int mocap = ctx->inputs.mocap;
    for (int i = 0; i < ctx->inputs.nmocap; i++) {
        tacMover mover;
        tac_mocap_mover(m, &ctx->work, i, x.u.mocap, &mover);
        time[columns.nx + mocap + i] += tac_contact_along(m, &ctx->work, c, &mover).dist;
    }
    for (int i = 0; i < m->nmember; i++) {
        tacContactTangent t = {0};
        if (tac_contact_param(m, &ctx->work, c, &ctx->tangents[i], &x, ctx->scene.corner_change, &t))
            time[columns.nx + columns.nu + ctx->tangents[i].column] += t.dist;
    }
}

tacStatus tac_flight_time_jac(tacFlight *f, const int geom[2]) {
    tacContext *ctx = f->ctx;
    const tacModel *m = ctx->model;
    tacFlightTangent *d = f->d;
    tacContact contact;
    tacContactSystem c;
    double rate = 0;
    TAC_TRY(tac_scene_distance(&ctx->scene, m, geom[0], geom[1], &contact));
    TAC_TRY(tac_contact_prepare(m, &ctx->scene, &contact, &c));
    memset(d->time, 0, (size_t)d->c.n * sizeof(double));
    for (int j = 0; j < m->nv; j++) {
        tacMover mover = tac_dof_mover(m, &ctx->work, j);
        if (!tac_moves_body(m, &mover, c.body[0]) && !tac_moves_body(m, &mover, c.body[1])) continue;
        double G = tac_contact_along(m, &ctx->work, &c, &mover).dist;
        rate += G * f->x[m->nq + j];
        tac_dense_axpy(d->c.n, G, d->q + (size_t)j * (size_t)d->c.n, d->time);
    }
    add_direct(f, &c, d->time);
    if (!(rate < 0)) return TAC_ERR_DEGENERATE;
    for (int k = 0; k < d->c.n; k++)
        d->time[k] /= -rate;
    return TAC_OK;
}

/* --- Impact ------------------------------------------------------------------------------------------------------- */

/* sum (rows x n) = M_q dq + M_v dv + the columns of M for u and theta. M: derivatives of one problem. */
static void chain(const tacFlight *f, size_t rows, const double *M, double *sum) {
    const tacFlightTangent *d = f->d;
    size_t n = (size_t)d->c.n, nv = (size_t)f->ctx->model->nv, nx = (size_t)d->c.nx;
    for (size_t i = 0; i < rows; i++) {
        const double *own = M + i * n;
        double *row = sum + i * n;
        memset(row, 0, nx * sizeof(double));
        memcpy(row + nx, own + nx, (n - nx) * sizeof(double));
        for (size_t j = 0; j < nv; j++) {
            if (own[j] != 0) tac_dense_axpy((int)n, own[j], d->q + j * n, row);
            if (own[nv + j] != 0) tac_dense_axpy((int)n, own[nv + j], d->v + j * n, row);
        }
    }
}

/* dv' = dv - h (W_q dq + W_v dv + the columns of W for u and theta). */
void tac_flight_impact_jac(tacFlight *f) {
    tacFlightTangent *d = f->d;
    size_t nv = (size_t)f->ctx->model->nv;
    chain(f, nv, d->W, d->W_rest);
    tac_dense_axpy((int)nv * d->c.n, -f->ctx->options.dt, d->W_rest, d->v);
    add_time(f->ctx, (size_t)d->c.n, d->v);
}

/* --- Forces ------------------------------------------------------------------------------------------------------- */

/* dZ += the chained derivatives of one problem, row by row. */
static void add_chained(const tacFlight *f, size_t rows, const double *local, double *dZ) {
    size_t n = (size_t)f->d->c.n;
    for (size_t i = 0; i < rows; i++) {
        chain(f, 1, local + i * n, f->d->W_rest);
        tac_dense_axpy((int)n, 1, f->d->W_rest, dZ + i * n);
    }
}

/* Reads the derivatives of the contacts of the current problem, whose first contact has number `first`. Those of an
 * impact are chained with the derivatives of the state before it. */
typedef struct Told {
    const tacFlight *f;
    int first, chained;
} Told;

static void tell_line(void *of, int k, const tacContact *c, int axis, double factor, const double *df) {
    const Told *t = of;
    const tacContactReader *to = t->f->z->reader;
    if (t->chained) chain(t->f, 1, df, t->f->d->W_rest);
    to->line(to->of, t->first + k, c, axis, factor, t->chained ? t->f->d->W_rest : df);
}

/* Needs: tac_flight_add_forces. */
static Told told(const tacFlight *f, const tacLcp *lcp, int chained) {
    return (Told){f, f->z->n - lcp->rows.ncontact, chained};
}

static int tells_lines(const tacFlightForces *z) { return z != NULL && z->reader != NULL && z->reader->line != NULL; }

tacStatus tac_flight_forces_jac(tacFlight *f, const tacLcp *lcp) {
    tacFlightForces *z = f->z;
    const tacModel *m = f->ctx->model;
    if (tells_lines(z)) {
        Told t = told(f, lcp, lcp->impact);
        return tac_lcp_tell_lines(f->ctx, f->x, f->u, lcp, lcp->impact,
                                  &(tacContactReader){.of = &t, .line = tell_line});
    }
    if (z == NULL || (z->dwrench == NULL && z->dqfrc == NULL)) return TAC_OK;
    if (!lcp->impact) return tac_lcp_problem_forces_jac(f->ctx, f->x, f->u, lcp, 0, z->dwrench, z->dqfrc);
    double *sums[2] = {z->dwrench, z->dqfrc};
    size_t rows[2] = {6 * (size_t)m->nbody, (size_t)m->nv};
    for (int k = 0; k < 2; k++) {
        if (sums[k] == NULL) continue;
        double *wrench = k == 0 ? z->local : NULL, *qfrc = k == 1 ? z->local : NULL;
        memset(z->local, 0, rows[k] * (size_t)f->d->c.n * sizeof(double));
        TAC_TRY(tac_lcp_problem_forces_jac(f->ctx, f->x, f->u, lcp, 1, wrench, qfrc));
        add_chained(f, rows[k], z->local, sums[k]);
    }
    return TAC_OK;
}

/* --- Lag ---------------------------------------------------------------------------------------------------------- */

/* Derivative of (t/h - 1/2) k, t = h - left, where k is the kick or its rows' part:
 * share dk - k d(left)/h + k left/h^2 dh */
static void add_late(const tacFlight *f, int dof, double weight, const double *k, const double *dk, double *out) {
    const tacFlightTangent *d = f->d;
    double h = f->ctx->options.dt, share = (h - f->left) / h - 0.5;
    tac_dense_axpy(d->c.n, weight * share, dk + (size_t)dof * (size_t)d->c.n, out);
    tac_dense_axpy(d->c.n, -weight * k[dof] / h, d->left, out);
    if (tac_param_of_time(f->ctx->model) >= 0) out[time_column(f->ctx)] += weight * k[dof] * f->left / (h * h);
}

void tac_flight_late_jac(const tacFlight *f, double *out) {
    const tacFlightTangent *d = f->d;
    double h = f->ctx->options.dt;
    memset(out, 0, (size_t)d->c.n * sizeof *out);
    tac_dense_axpy(d->c.n, -1 / h, d->left, out);
    if (tac_param_of_time(f->ctx->model) >= 0) out[time_column(f->ctx)] += f->left / (h * h);
}

static void lag_row(const tacFlight *f, int dof, double weight, double *out) {
    add_late(f, dof, weight, f->kick, f->d->kick, out);
}

static void undone_row(const tacFlight *f, int dof, double weight, double *out) {
    if (f->undo[dof]) add_late(f, dof, weight, f->given, f->d->given, out);
}

/* d(s)/d(left) of s = (pos - target)/left; zero at the bound, and for rows that bounce, tangents and friction. */
double tac_flight_span_rate(const tacLcp *lcp, int k) {
    const tacRow *row = &lcp->rows.row[k];
    int gap = (row->kind == TAC_ROW_CONTACT && row->axis == 0) || row->kind == TAC_ROW_JOINT_LIMIT ||
              row->kind == TAC_ROW_TENDON_LIMIT;
    return gap ? tac_lcp_shift_by_span(lcp, k) : 0;
}

static double *change_layout(tacColumns c, tacArena *arena) { return TAC_TAKE(arena, c.n, double); }

/* Change of the shares of restitution with the lag and with the undone part of the kick: dE = -Q . d(lag) +
 * (Q_N - Q/2) . d(undone), Q of each island in turn (L18). */
static tacStatus share_jac(tacFlight *f, const tacLcp *lcp, double *dr) {
    tacContext *ctx = f->ctx;
    tacColumns c = f->d->c;
    if (lcp->limited == 0) return TAC_OK;
    TAC_SCOPE(&ctx->arena);
    tacLcpShare s;
    double *change = change_layout(c, &ctx->arena);
    if (change == NULL || !tac_lcp_share_layout(&s, ctx->model, lcp->rows.n, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(tac_lcp_share_adjoint(ctx, lcp, &s));
    for (int i = 0; i < lcp->nisland; i++) {
        if (s.scale[i] == 0) continue;
        memset(change, 0, (size_t)c.n * sizeof *change);
        for (int j = lcp->island_adr[i]; j < lcp->island_adr[i + 1]; j++) {
            const tacRow *row = &lcp->rows.row[lcp->order[j]];
            double power = lcp->f[lcp->order[j]], meant = tac_lcp_is_meant(ctx, lcp, lcp->order[j]) ? 0.5 : -0.5;
            for (int e = row->adr; e < row->adr + row->num; e++) {
                lag_row(f, lcp->rows.dof[e], -power * lcp->rows.J[e], change);
                undone_row(f, lcp->rows.dof[e], meant * power * lcp->rows.J[e], change);
            }
        }
        tac_lcp_share_change(lcp, &s, i, c, NULL, dr, change);
    }
    return TAC_OK;
}

tacStatus tac_flight_lag_jac(tacFlight *f, const tacLcp *lcp) {
    TAC_SCOPE(&f->ctx->arena);
    TAC_TRY(tac_lcp_check_rows(lcp));
    tacFlightTangent *d = f->d;
    size_t n = (size_t)d->c.n, nv = (size_t)f->ctx->model->nv;
    double *dr = tac_lcp_dr_layout(lcp->rows.n, d->c, &f->ctx->arena);
    if (dr == NULL) return TAC_ERR_ARENA_FULL;
    memset(dr, 0, (size_t)lcp->rows.n * n * sizeof *dr);
    memset(d->W, 0, nv * n * sizeof(double));
    for (int k = 0; k < lcp->rows.n; k++) {
        const tacRow *row = &lcp->rows.row[k];
        double share = tac_lcp_lag_share(lcp, k);
        for (int e = row->adr; e < row->adr + row->num && share > 0; e++)
            lag_row(f, lcp->rows.dof[e], share * lcp->rows.J[e], dr + (size_t)k * n);
        for (int e = row->adr; e < row->adr + row->num; e++)
            undone_row(f, lcp->rows.dof[e], lcp->rows.J[e], dr + (size_t)k * n);
        tac_dense_axpy((int)n, tac_flight_span_rate(lcp, k), d->left, dr + (size_t)k * n);
    }
    TAC_TRY(share_jac(f, lcp, dr));
    TAC_TRY(tac_lcp_respond(f->ctx, lcp, d->c, dr, d->W));
    tac_dense_axpy((int)(nv * n), -f->ctx->options.dt, d->W, d->v);
    for (size_t i = 0; i < nv; i++)
        undone_row(f, (int)i, 1, d->v + i * n);
    if (tells_lines(f->z)) {
        Told t = told(f, lcp, 0);
        tac_lcp_tell_changes(lcp, d->c, dr, &(tacContactReader){.of = &t, .line = tell_line});
    } else if (f->z != NULL) {
        tac_lcp_add_force_changes(f->ctx, lcp, d->c, dr, f->z->dwrench, f->z->dqfrc);
    }
    return TAC_OK;
}

void tac_flight_measure_lag_jac(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_lcp_dr_layout(tac_lcp_deriv_rows(m, options), tac_columns_of(m, options), dry);
    tac_lcp_measure_respond(m, options, dry);
    change_layout(tac_columns_of(m, options), dry);
    tac_lcp_measure_share(m, options, dry);
}

static void split_row(const tacFlightTangent *d, const double *row, size_t i) {
    size_t nx = (size_t)d->c.nx, nu = (size_t)d->c.nu, np = (size_t)d->c.np;
    memcpy(d->J.A + i * nx, row, nx * sizeof(double));
    memcpy(d->J.B + i * nu, row + nx, nu * sizeof(double));
    memcpy(d->J.P + i * np, row + nx + nu, np * sizeof(double));
}

int tac_flight_finish_jac(const tacFlight *f) {
    const tacFlightTangent *d = f->d;
    size_t nv = (size_t)f->ctx->model->nv, n = (size_t)d->c.n;
    if (tac_first_nonfinite((int)(nv * n), d->q) >= 0 || tac_first_nonfinite((int)(nv * n), d->v) >= 0) return 0;
    for (size_t i = 0; i < nv; i++) {
        split_row(d, d->q + i * n, i);
        split_row(d, d->v + i * n, nv + i);
    }
    return 1;
}
