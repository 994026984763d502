/* Derivatives by class (docs/theory/contact.md, L4). At the solution the free rows C keep w_C = 0, bounded rows move
 * with their parents, f_B = E f_C + b, the rest has no force:
 *
 *   Mhat da - Jhat^T df_C / h = -dR,      h J_C da + eps df_C = -dr,      Jhat = J_C + E^T J_B
 *
 * dR and dr are the changes at fixed a and f_C; this file emits what contacts, limits and friction add to them. */
#include "contact/lcp/problem.h"

#include "contact/ball_limit.h"
#include "contact/coordinate.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* --- The system of the free rows ---------------------------------------------------------------------------------- */

/* A contact's tangents follow its normal. */
int tac_lcp_bounded_children(const tacLcp *lcp, int k, int child[2], double factor[2]) {
    int n = 0;
    for (int l = k + 1; l <= k + 2 && l < lcp->rows.n; l++) {
        if (lcp->parent[l] != k) continue;
        double e = lcp->row_class[l] == TAC_ROW_LOW    ? lcp->low[l]
                   : lcp->row_class[l] == TAC_ROW_HIGH ? lcp->high[l]
                                                       : 0;
        if (e != 0) {
            child[n] = l;
            factor[n++] = e;
        }
    }
    return n;
}

/* by[2 j], by[2 j + 1]: forces of the first and second row after free row j per unit of its own; 0: none. */
static void find_factors(const tacLcp *lcp, int n, const int *row, double *by) {
    int child[2];
    double factor[2];
    for (int j = 0; j < n; j++) {
        by[2 * j] = by[2 * j + 1] = 0;
        for (int c = tac_lcp_bounded_children(lcp, row[j], child, factor) - 1; c >= 0; c--)
            by[2 * j + child[c] - row[j] - 1] = factor[c];
    }
}

/* lu <- J_C Mhat^-1 Jhat^T + eps from G, products of the island's rows with eps. at[i]: number of free row i among
 * them; children follow their parent there too. lu may be G itself: since at[i] >= i and all >= n, every entry is
 * written after all that is read at its place. */
static void compose_system(int n, int all, const int *at, const double *by, const double *G, double *lu) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double *g = G + (size_t)at[i] * (size_t)all + (size_t)at[j];
            double a = g[0];
            if (by[2 * j] != 0) a += by[2 * j] * g[1];
            if (by[2 * j + 1] != 0) a += by[2 * j + 1] * g[2];
            lu[(size_t)i * (size_t)n + (size_t)j] = a;
        }
}

/* Of the factor; 0 where there is no row. */
static double pivot_ratio(int n, const double *lu) {
    double least = TAC_INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        double pivot = tac_abs(lu[(size_t)i * (size_t)n + (size_t)i]);
        least = tac_min(least, pivot);
        most = tac_max(most, pivot);
    }
    return n == 0 ? 0 : most / least;
}

static int shares_forces(const tacLcp *lcp, const tacLcpSystem *system) {
    int mixed = 0;
    for (int i = 0; i < system->n; i++)
        mixed |= lcp->rows.row[system->row[i]].kind != TAC_ROW_CONTACT;
    return system->conditioning > (mixed ? TAC_LCP_SHARED_MIXED : TAC_LCP_SHARED_CONTACTS);
}

/* G <- products of rows of an island, eps on the diagonal. */
static void island_products(const tacModel *m, const tacLcp *lcp, int n, const int *row, double *spread, double *G) {
    memset(spread, 0, 3 * (size_t)m->nv * sizeof *spread);
    tac_rows_products(&lcp->rows, n, row, spread, G);
    for (int i = 0; i < n; i++)
        G[(size_t)i * (size_t)n + (size_t)i] += lcp->eps[row[i]];
}

/* Lists of an island's rows: those that take part, and the free ones among them. */
typedef struct Lists {
    int *order, *at;
} Lists;

static int lists_layout(Lists *l, tacLcpSystem *system, int count, tacArena *arena) {
    l->at = TAC_TAKE(arena, count, int);
    l->order = TAC_TAKE(arena, count, int);
    system->row = TAC_TAKE(arena, count, int);
    system->pivot = TAC_TAKE(arena, count, int);
    return l->at && l->order && system->row && system->pivot;
}

/* Matrices of n free rows; lu with room for `most` x `most` numbers. */
typedef struct Matrices {
    double *spread, *by; /* 3 nv, 2 n */
} Matrices;

static int matrices_layout(Matrices *x, tacLcpSystem *system, const tacModel *m, int n, int most, tacArena *arena) {
    system->n = n;
    system->lu = TAC_TAKE(arena, (size_t)most * (size_t)most, double);
    system->work = TAC_TAKE(arena, n, double);
    x->spread = TAC_TAKE(arena, 3 * (size_t)m->nv, double);
    x->by = TAC_TAKE(arena, 2 * (size_t)n, double);
    return system->lu && system->work && x->spread && x->by;
}

void tac_lcp_measure_system(const tacModel *m, int rows, tacArena *dry) {
    tacLcpSystem system;
    Lists lists;
    Matrices matrices;
    lists_layout(&lists, &system, rows, dry);
    matrices_layout(&matrices, &system, m, rows, rows, dry);
}

tacStatus tac_lcp_system(const tacModel *m, const tacLcp *lcp, int island, tacArena *arena, tacLcpSystem *system) {
    int begin = lcp->island_adr[island], end = lcp->island_adr[island + 1], kept = lcp->kept == island, all = 0, n = 0;
    Lists lists;
    Matrices matrices;
    if (!lists_layout(&lists, system, end - begin, arena)) return TAC_ERR_ARENA_FULL;
    for (int i = begin; i < end; i++) {
        int k = lcp->order[i], p = lcp->parent[k];
        if (!kept && lcp->row_class[p < 0 ? k : p] != TAC_ROW_FREE) continue; /* nothing moves with it */
        if (lcp->row_class[k] == TAC_ROW_FREE) {
            lists.at[n] = all;
            system->row[n++] = k;
        }
        lists.order[all++] = k;
    }
    if (!matrices_layout(&matrices, system, m, n, kept ? n : all, arena)) return TAC_ERR_ARENA_FULL;
    if (!kept) island_products(m, lcp, all, lists.order, matrices.spread, system->lu);
    find_factors(lcp, n, system->row, matrices.by);
    compose_system(n, all, lists.at, matrices.by, kept ? lcp->products : system->lu, system->lu);
    tac_lu_factor(n, system->lu, system->pivot, system->work);
    system->conditioning = pivot_ratio(n, system->lu);
    system->shared = shares_forces(lcp, system);
    return TAC_OK;
}

static void add_weighed(const tacRows *rows, int k, double x, double *out) {
    for (int e = rows->row[k].adr; e < rows->row[k].adr + rows->row[k].num; e++)
        out[rows->dof[e]] += rows->Y[e] * x;
}

void tac_lcp_add_hat(const tacLcp *lcp, int row, double x, double *out) {
    int child[2];
    double factor[2];
    add_weighed(&lcp->rows, row, x, out);
    for (int c = tac_lcp_bounded_children(lcp, row, child, factor) - 1; c >= 0; c--)
        add_weighed(&lcp->rows, child[c], factor[c] * x, out);
}

static int is_zero(int n, const double *x) {
    int i = 0;
    while (i < n && x[i] == 0)
        i++;
    return i == n;
}

/* out[dof][i] += Y_k x */
static void spread_weighed(const tacRows *rows, int k, double x, int n, int i, double *out) {
    for (int e = rows->row[k].adr; e < rows->row[k].adr + rows->row[k].num; e++)
        out[(size_t)rows->dof[e] * (size_t)n + (size_t)i] += rows->Y[e] * x;
}

void tac_lcp_system_response(const tacLcp *lcp, const tacLcpSystem *system, int nv, double *out) {
    int n = system->n, child[2];
    double factor[2];
    memset(out, 0, (size_t)n * (size_t)nv * sizeof *out);
    for (int i = 0; i < n; i++) {
        spread_weighed(&lcp->rows, system->row[i], 1, n, i, out);
        for (int c = tac_lcp_bounded_children(lcp, system->row[i], child, factor) - 1; c >= 0; c--)
            spread_weighed(&lcp->rows, child[c], factor[c], n, i, out);
    }
    for (int j = 0; j < nv; j++) {
        double *line = out + (size_t)j * (size_t)n;
        if (!is_zero(n, line)) tac_lu_solve_transposed(n, system->lu, system->pivot, line);
    }
}

double tac_lcp_hat_velocity(const tacLcp *lcp, int row, const double *z) {
    int child[2];
    double factor[2], sum = tac_row_velocity(&lcp->rows, row, z);
    for (int c = tac_lcp_bounded_children(lcp, row, child, factor) - 1; c >= 0; c--)
        sum += factor[c] * tac_row_velocity(&lcp->rows, child[c], z);
    return sum;
}

double tac_lcp_hat_sum(const tacLcp *lcp, int row, const double *x) {
    int child[2];
    double factor[2], sum = x[row];
    for (int c = tac_lcp_bounded_children(lcp, row, child, factor) - 1; c >= 0; c--)
        sum += factor[c] * x[child[c]];
    return sum;
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

double tac_lcp_shift_rate(const tacLcp *lcp, int k) {
    double rate;
    tac_lcp_shift(lcp, &lcp->rows.row[k], &rate);
    return lcp->bounce[k] > 0 ? 0 : rate;
}

/* --- Limits, friction, compliance --------------------------------------------------------------------------------- */

static void emit_row_force(const tacLcp *lcp, int k, double df, int column, const tacSink *sink) {
    const tacRow *row = &lcp->rows.row[k];
    for (int e = row->adr; e < row->adr + row->num; e++)
        tac_emit(sink, lcp->rows.dof[e], column, -lcp->rows.J[e] * df / lcp->h);
}

/* The same on bodies. */
static void emit_row_wrench(const tacLcpPoint *p, int k, double df, int column, const tacSink *sink) {
    tacRowWrench unit;
    if (tac_sink_is_empty(sink) || !tac_lcp_row_wrench(p->m, p->w, p->lcp, k, &unit)) return;
    for (int side = 0; side < 2; side++)
        tac_emit_wrench(sink, unit.body[side], column, tac_scale6(df, unit.wrench[side]));
}

/* d(number)/d(parameter): 1 for the number itself. */
static int is_number(const tacModel *m, const tacParamTangent *t, const double *number) {
    return tac_param_at(m, t->field, t->index) == number;
}

static double bound_sign(const tacLcp *lcp, int k) {
    return lcp->row_class[k] == TAC_ROW_LOW ? -1 : lcp->row_class[k] == TAC_ROW_HIGH ? 1 : 0;
}

/* d(eps) f */
static void emit_compliance(const tacLcpPoint *p, int k, const tacParamTangent *t, int column, const tacLcpSink *sink) {
    double change = p->lcp->firmness * tac_lcp_compliance_param(p->m, &p->lcp->rows, k, p->lcp->heaviest, t);
    if (change != 0) tac_emit(&sink->row, k, column, change * p->lcp->f[k]);
}

/* Bounds that hold a row: its force moves with them. */
static void emit_bound(const tacLcpPoint *p, int k, const tacParamTangent *t, int column, const tacLcpSink *sink) {
    const tacModel *m = p->m;
    const tacLcp *lcp = p->lcp;
    const tacRow *row = &lcp->rows.row[k];
    double sign = bound_sign(lcp, k), change = 0;
    if (sign == 0) return;
    if (row->kind == TAC_ROW_CONTACT && row->axis > 0)
        change = tac_contact_friction_param(m, t, &lcp->rows.contact[row->id], row->axis) * lcp->f[lcp->parent[k]];
    if (row->kind == TAC_ROW_JOINT_FRICTION && !lcp->impact)
        change = is_number(m, t, m->joint_frictionloss + m->dof_joint[row->id]) * lcp->h;
    if (row->kind == TAC_ROW_TENDON_FRICTION && !lcp->impact)
        change = is_number(m, t, m->tendon_frictionloss + row->id) * lcp->h;
    if (change == 0) return;
    emit_row_force(lcp, k, sign * change, column, &sink->force);
    emit_row_wrench(p, k, sign * change, column, &sink->wrench);
}

/* Limits and friction of tendons: rows that stand on coordinates; limits of balls. */
static void emit_row(const tacLcpPoint *p, int k, const tacLcpSink *q, const tacLcpSink *theta,
                     const tacParamTangent *tangents) {
    const tacLcp *lcp = p->lcp;
    const tacRow *row = &lcp->rows.row[k];
    double rate = row->kind == TAC_ROW_TENDON_FRICTION ? 0 : tac_lcp_shift_rate(lcp, k);
    tacRowWeights by = {lcp->f[k], -1 / lcp->h, rate, p->v_next};
    tacCombination a = tac_row_combination(p->m, row, p->x->q);
    int ball = row->kind == TAC_ROW_JOINT_LIMIT && a.n == 0;
    tacRowSink sink = tac_lcp_rows(q), numbers = theta == NULL ? sink : tac_lcp_rows(theta);
    if (a.n > 0) tac_combination_jac(p->m, &a, k, &by, &sink);
    if (ball) tac_ball_limit_jac(p->m, row, k, p->x->q, &by, &sink);
    for (int i = 0; theta != NULL && i < p->m->nmember; i++) {
        int column = tangents[i].column;
        if (a.n > 0) tac_combination_param(p->m, &a, row, k, p->x->q, &by, &tangents[i], column, &numbers);
        if (ball) tac_ball_limit_param(p->m, row, k, &by, &tangents[i], column, &numbers);
    }
}

void tac_lcp_other_jac(const tacLcpPoint *p, const tacLcpSink *q, const tacLcpSink *theta,
                       const tacParamTangent *tangents) {
    const tacLcp *lcp = p->lcp;
    for (int k = 0; k < lcp->rows.n; k++) {
        const tacRow *row = &lcp->rows.row[k];
        int idle = lcp->row_class[k] == TAC_ROW_LOW && lcp->low[k] == 0;
        if (row->kind != TAC_ROW_CONTACT && row->kind != TAC_ROW_EQUALITY && !idle) emit_row(p, k, q, theta, tangents);
        for (int i = 0; theta != NULL && i < p->m->nmember; i++) {
            int column = tangents[i].column;
            double ds = tac_lcp_bounce_param(p, k, &tangents[i]);
            if (ds != 0) tac_emit(&theta->row, k, column, ds);
            emit_compliance(p, k, &tangents[i], column, theta);
            emit_bound(p, k, &tangents[i], column, theta);
        }
    }
    int time = theta == NULL ? -1 : tac_param_of_time(p->m);
    if (time >= 0) tac_lcp_time_jac(p, time, theta);
}
