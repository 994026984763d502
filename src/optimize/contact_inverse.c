/* Forces for an acceleration through contact   (docs/theory/plan.md)
 *
 * soft: acceleration is a monotone function of the force that is applied, a(tau). Newton's method finds the
 * tau with the wanted one. Where zones do not change it is exact. lcp, ncp: least squares over forces inside
 * the cones. */
#include "base/error.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "optimize/hold.h"

#include <string.h>

enum { MOST_NEWTON = 200, MOST_HALVINGS = 30, MEMORY = 8, MOST_CONTACTS = 64 };
#define CONVERGED 1e-13
#define TOUCHING  1e-3 /* m */

typedef struct Inverse {
    const tacModel *m;
    tacOptions options; /* with forces on dofs as input */
    tacSim *sim;        /* soft: with them */
    void *sim_memory;
    size_t sim_bytes;
    int nu; /* of its input */
    double *u, *B, *A, *a, *r, *work, *LU, *need, *passive, *qfrc, *trial, *theta, *M, *low, *high, *x;
    int *pivot, *index, *free, *actuated;
    tacEdges edges;
    tacArena arena;
} Inverse;

static int room_of(const tacOptions *o) { return o->max_contacts < MOST_CONTACTS ? o->max_contacts : MOST_CONTACTS; }

static int layout(Inverse *v, const tacModel *m, const tacOptions *o, tacArena *arena) {
    v->m = m;
    v->options = *o;
    v->options.inputs |= TAC_INPUT_QFRC;
    v->options.batch_info = NULL;
    v->nu = tac_ninput(m, &v->options);
    v->sim_bytes = o->contact == TAC_CONTACT_MODEL_SOFT ? tac_sim_bytes(m, &v->options) : 0;
    size_t nv = (size_t)m->nv, nu = (size_t)v->nu, ndx = (size_t)tac_ndx(m),
           n = TAC_MOST_EDGES * (size_t)room_of(o) + nu;
    double **of[] = {&v->u,       &v->B,    &v->A,     &v->a,     &v->r, &v->work, &v->LU,   &v->need,
                     &v->passive, &v->qfrc, &v->trial, &v->theta, &v->M, &v->low,  &v->high, &v->x};
    size_t size[] = {nu, nv * nu, nv * ndx,          nv,     nv, 3 * nv + nu, nv * nv, nv, nv,
                     nv, nv,      (size_t)m->nparam, nv * n, n,  n,           n};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        *of[i] = TAC_TAKE(arena, size[i], double);
    v->pivot = TAC_TAKE(arena, nv, int);
    v->index = TAC_TAKE(arena, nv, int);
    v->actuated = TAC_TAKE(arena, nv, int);
    v->free = TAC_TAKE(arena, n, int);
    v->sim_memory = tac_arena_take(arena, v->sim_bytes);
    if (!tac_edges_layout(&v->edges, m, room_of(o), arena)) return 0;
    return v->sim_memory != NULL;
}

size_t tac_inverse_dynamics_contact_bytes(const tacModel *model, const tacOptions *options) {
    Inverse v;
    tacArena dry = tac_arena_dry();
    if (model == NULL || options == NULL) return 0;
    layout(&v, model, options, &dry);
    tac_share_measure(TAC_MOST_EDGES * room_of(options) + v.nu, &dry);
    return dry.peak;
}

/* What has to be applied besides springs, dampers and contacts: M a + c - passive. */
static tacStatus find_need(Inverse *v, tacSim *sim, const double *x, const double *qacc) {
    const tacModel *m = v->m;
    TAC_TRY(tac_inverse_dynamics(sim, x, x + m->nq, qacc, v->need));
    TAC_TRY(tac_passive(sim, x, x + m->nq, v->passive));
    for (int i = 0; i < m->nv; i++)
        v->need[i] -= v->passive[i];
    return TAC_OK;
}

/* --- soft --------------------------------------------------------------------------------------------------------- */

/* A simulation with forces on dofs as input and the caller's parameters; the input from the caller's. */
static tacStatus open_soft(Inverse *v, const tacSim *sim, const tacOptions *own, const double *u) {
    const tacModel *m = v->m;
    int had = (own->inputs & TAC_INPUT_QFRC) != 0, rest = tac_ninput(m, own) - m->nu - had * m->nv;
    TAC_TRY(tac_sim_create(m, &v->options, v->sim_memory, v->sim_bytes, &v->sim, NULL));
    if (m->nparam > 0) {
        TAC_TRY(tac_sim_get_params(sim, v->theta));
        TAC_TRY(tac_sim_set_params(v->sim, v->theta));
    }
    memcpy(v->u, u, (size_t)m->nu * sizeof *u);
    memcpy(v->u + m->nu + m->nv, u + m->nu + had * m->nv, (size_t)rest * sizeof *u);
    return TAC_OK;
}

/* r = wanted - a(x, u) and its largest entry; with derivatives A, B where asked for. */
static tacStatus miss(Inverse *v, const double *x, const double *qacc, int derivatives, double *largest) {
    tacOutput all = {.kind = TAC_OUT_ACCELERATION, .id = TAC_OUT_ALL};
    tacOutputs outputs = {1, &all};
    tacJac jac = {v->A, v->B, NULL};
    TAC_TRY(derivatives ? tac_outputs_jac(v->sim, x, v->u, &outputs, v->a, &jac)
                        : tac_outputs(v->sim, x, v->u, &outputs, v->a));
    for (int i = 0; i < v->m->nv; i++)
        v->r[i] = qacc[i] - v->a[i];
    *largest = tac_dense_largest(v->m->nv, v->r);
    return TAC_OK;
}

/* LU of da/dtau. */
static tacStatus factor(Inverse *v) {
    int nv = v->m->nv;
    for (int i = 0; i < nv; i++)
        memcpy(v->LU + (size_t)i * (size_t)nv, v->B + (size_t)i * (size_t)v->nu + v->m->nu, (size_t)nv * sizeof *v->LU);
    return tac_lu_factor(nv, v->LU, v->pivot, v->work) < 0 ? TAC_OK : TAC_ERR_SINGULAR;
}

/* Newton's method. At a kink a full step may first lead away: a step is good below the worst of the last few. */
static tacStatus newton(Inverse *v, const double *x, const double *qacc) {
    int nv = v->m->nv;
    double *tau = v->u + v->m->nu, bar = CONVERGED * (1 + tac_dense_largest(nv, qacc)), last[MEMORY], now, after;
    for (int t = 0; t < MOST_NEWTON; t++) {
        TAC_TRY(miss(v, x, qacc, 1, &now));
        TAC_TRY(factor(v));
        if (now <= bar) return TAC_OK;
        last[t % MEMORY] = now;
        double worst = tac_dense_largest(t < MEMORY ? t + 1 : MEMORY, last), length = 1;
        memcpy(v->trial, tau, (size_t)nv * sizeof *tau);
        tac_lu_solve(nv, v->LU, v->pivot, v->r);
        memcpy(v->work, v->r, (size_t)nv * sizeof *v->work);
        after = TAC_INFINITY;
        for (int h = 0; h < MOST_HALVINGS && !(after < worst); h++, length *= 0.5) {
            for (int i = 0; i < nv; i++)
                tau[i] = v->trial[i] + length * v->work[i];
            TAC_TRY(miss(v, x, qacc, 0, &after));
        }
        if (after < worst) continue;
        memcpy(tau, v->trial, (size_t)nv * sizeof *tau);
        return now <= 1e3 * bar ? TAC_OK : TAC_ERR_UNSOLVED;
    }
    return TAC_ERR_UNSOLVED;
}

/* dtau/dq = -(da/dtau)^-1 da/dq, and so on; of what is applied in all, so that of actuators is added. */
static void put_derivatives(const Inverse *v, const double *dforce, tacContactInverse *out) {
    int nv = v->m->nv, ndx = tac_ndx(v->m);
    for (int j = 0; j < nv; j++) {
        double *column = v->work + nv, *part[3] = {out->dtau_dq, out->dtau_dv, out->dtau_da};
        for (int k = 0; k < 3; k++) {
            if (part[k] == NULL) continue;
            for (int i = 0; i < nv; i++)
                column[i] = k == 2 ? i == j : -v->A[(size_t)i * (size_t)ndx + (size_t)(k * nv + j)];
            tac_lu_solve(nv, v->LU, v->pivot, column);
            for (int i = 0; i < nv; i++)
                part[k][i * nv + j] = column[i] + (k < 2 ? dforce[(size_t)i * (size_t)ndx + (size_t)(k * nv + j)] : 0);
        }
    }
}

static tacStatus inverse_soft(Inverse *v, tacSim *sim, const tacOptions *own, const double *x, const double *qacc,
                              const double *u, tacContactInverse *out) {
    const tacModel *m = v->m;
    tacOutput force = {.kind = TAC_OUT_QFRC_ACTUATOR, .id = TAC_OUT_ALL};
    tacOutput constraint = {.kind = TAC_OUT_QFRC_CONSTRAINT, .id = TAC_OUT_ALL};
    TAC_TRY(open_soft(v, sim, own, u));
    TAC_TRY(tac_outputs(v->sim, x, v->u, &(tacOutputs){1, &force}, v->qfrc));
    for (int i = 0; i < m->nv; i++)
        v->u[m->nu + i] = v->need[i] - v->qfrc[i]; /* without contact it is the answer */
    TAC_TRY(newton(v, x, qacc));
    for (int i = 0; i < m->nv; i++)
        out->tau[i] = v->u[m->nu + i] + v->qfrc[i];
    if (out->qfrc_constraint != NULL)
        TAC_TRY(tac_outputs(v->sim, x, v->u, &(tacOutputs){1, &constraint}, out->qfrc_constraint));
    if (out->dtau_dq == NULL && out->dtau_dv == NULL && out->dtau_da == NULL) return TAC_OK;
    TAC_TRY(tac_outputs_jac(v->sim, x, v->u, &(tacOutputs){1, &force}, NULL, &(tacJac){v->M, NULL, NULL}));
    put_derivatives(v, v->M, out);
    return TAC_OK;
}

/* --- lcp, ncp ----------------------------------------------------------------------------------------------------- */

static tacStatus find_actuated(Inverse *v, tacSim *sim, const double *x, const double *u) {
    const tacModel *m = v->m;
    tacActuation out = {.moment = v->B};
    TAC_TRY(tac_actuation(sim, x, u, &out));
    memset(v->actuated, 0, (size_t)m->nv * sizeof *v->actuated);
    for (int a = 0; a < m->nu; a++)
        for (int i = 0; i < m->nv; i++)
            v->actuated[i] |= v->B[a * m->nv + i] != 0;
    return TAC_OK;
}

/* Weights of edges: least squares of what no actuator can give. */
static tacStatus share(Inverse *v) {
    int n = v->edges.nedge, rows = 0;
    for (int i = 0; i < v->m->nv; i++) {
        if (v->actuated[i]) continue;
        memcpy(v->M + (size_t)rows * (size_t)n, v->edges.G + (size_t)i * (size_t)n, (size_t)n * sizeof *v->M);
        v->r[rows++] = v->need[i];
    }
    for (int i = 0; i < n; i++) {
        v->low[i] = 0;
        v->high[i] = TAC_INFINITY;
    }
    tacShare s = {rows, n, v->M, v->r, v->low, v->high, v->x, v->free};
    return tac_share_solve(&s, &v->arena) ? TAC_OK : TAC_ERR_SINGULAR;
}

static tacStatus inverse_hard(Inverse *v, tacSim *sim, const double *x, const double *u, tacContactInverse *out) {
    const tacModel *m = v->m;
    if (out->dtau_dq != NULL || out->dtau_dv != NULL || out->dtau_da != NULL) return TAC_ERR_UNSUPPORTED;
    TAC_TRY(find_actuated(v, sim, x, u));
    TAC_TRY(tac_edges_find(&v->edges, m, sim, x, u, room_of(&v->options), TOUCHING));
    TAC_TRY(share(v));
    out->ncontact = v->edges.ncontact;
    out->residual = 0;
    if (out->force != NULL && out->ncontact > out->max) return TAC_ERR_CONTACTS;
    if (out->force != NULL) memset(out->force, 0, 3 * (size_t)out->ncontact * sizeof *out->force);
    for (int e = 0; e < v->edges.nedge && out->force != NULL; e++)
        for (int k = 0; k < 3; k++)
            out->force[3 * v->edges.of[e] + k] += v->x[e] * v->edges.along[e][k];
    for (int i = 0; i < m->nv; i++) {
        double given = tac_dense_dot(v->edges.nedge, v->edges.G + (size_t)i * (size_t)v->edges.nedge, v->x);
        out->tau[i] = v->need[i] - given;
        if (out->qfrc_constraint != NULL) out->qfrc_constraint[i] = given;
        if (!v->actuated[i]) out->residual = tac_max(out->residual, tac_abs(out->tau[i]));
    }
    return TAC_OK;
}

tacStatus tac_inverse_dynamics_contact(tacSim *sim, const double *x, const double *qacc, const double *u,
                                       tacContactInverse *out) {
    if (sim == NULL || x == NULL || qacc == NULL || u == NULL || out == NULL || out->model == NULL ||
        out->tau == NULL || out->memory == NULL)
        return TAC_ERR_ARGUMENT;
    tacOptions own;
    TAC_TRY(tac_sim_options(sim, &own));
    if (own.contact == TAC_CONTACT_MODEL_NONE) return TAC_ERR_UNSUPPORTED;
    if (out->bytes < tac_inverse_dynamics_contact_bytes(out->model, &own)) return TAC_ERR_ARENA_FULL;
    Inverse v = {0};
    tacArena *arena = &v.arena;
    TAC_BORROW(arena, out->memory, out->bytes);
    if (!layout(&v, out->model, &own, arena)) return TAC_ERR_ARENA_FULL;
    TAC_TRY(find_need(&v, sim, x, qacc));
    out->ncontact = 0;
    out->residual = 0;
    return own.contact == TAC_CONTACT_MODEL_SOFT ? inverse_soft(&v, sim, &own, x, qacc, u, out)
                                                 : inverse_hard(&v, sim, x, u, out);
}
