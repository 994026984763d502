#include "experiments/barrier.h"

#include "math/cone.h"
#include "math/dense.h"
#include "contact/ncp/bodies.h"
#include "contact/ncp/contact.h"
#include "contact/ncp/step.h"
#include "step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CENTRING 1e-2 /* of kappa */
/* Of the way to the border, as the step's first search. */
#define SHARE 0.9
/* Primal: where kappa begins, what it is multiplied by, how far the balance (N s) is solved before. */
#define PRIMAL_START   1e-2
#define PRIMAL_FACTOR  0.1
#define PRIMAL_BETWEEN 1e-3
/* Gaps shrink at most to this share in a step. */
#define PRIMAL_BORDER 0.05
enum { MOST_SHORTENINGS = 40, ROUNDS = 10 };
/* Step of the differences of E by v+ (m/s, rad/s); by a and b it is linear. */
#define STEP 1e-6

/* --- Condition numbers ------------------------------------------------------------------------------------------- */

static double one_norm(int n, const double *A) {
    double most = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += fabs(A[(size_t)i * (size_t)n + (size_t)j]);
        most = fmax(most, sum);
    }
    return most;
}

/* Rows and columns divided by the roots of their largest entries, again and again, so that units do not count
 * [Ruiz2001]. */
static void equilibrate(int n, double *A) {
    for (int round = 0; round < 2 * ROUNDS; round++) {
        int across = round % 2 ? 1 : n, along = round % 2 ? n : 1;
        for (int i = 0; i < n; i++) {
            double most = 0;
            for (int j = 0; j < n; j++)
                most = fmax(most, fabs(A[i * across + j * along]));
            for (int j = 0; j < n && most > 0; j++)
                A[i * across + j * along] /= sqrt(most);
        }
    }
}

/* A <- A^-1; 0: no memory. */
static int invert(int n, double *A) {
    size_t size = (size_t)n;
    double *inverse = calloc(size * size, sizeof *inverse), *work = calloc(size, sizeof *work);
    int *pivot = calloc(2 * size, sizeof *pivot), done = inverse != NULL && work != NULL && pivot != NULL;
    if (done) {
        for (size_t i = 0; i < size; i++)
            inverse[i * size + i] = 1;
        tac_lu_factor(n, A, pivot, work);
        tac_lu_solve_many(n, A, pivot, n, inverse, work, pivot + n);
        memcpy(A, inverse, size * size * sizeof *A);
    }
    free(inverse);
    free(work);
    free(pivot);
    return done;
}

/* |A|_1 |A^-1|_1 of A equilibrated; A is lost. 0: no memory. */
static double condition_of(int n, double *A) {
    equilibrate(n, A);
    double norm = one_norm(n, A);
    return invert(n, A) ? norm * one_norm(n, A) : 0;
}

/* --- The problem of one step ------------------------------------------------------------------------------------- */

typedef struct Problem {
    tacNcp *p;
    tacInteriorProblem base;
    int n, rows; /* unknowns (v+, a, b); rows of E */
    double *E[2], *M, *point;
    double kappa, tolerance;
    tacBarrierRun *run; /* the one in hand */
} Problem;

/* All rows of E: balance of every dof, then of contacts and limits; the models here have no other rows. */
static void put_rows(const tacNcp *p, double *E) {
    int n = 0;
    for (int i = 0; i < p->m->nv; i++)
        E[n++] = p->g[i] + tac_dot6(p->w->S[i], p->sum[p->m->dof_body[i]]);
    for (int i = 0; i < p->ncontact; i++) {
        const tacNcpContact *c = &p->contact[i];
        E[n++] = c->residual.e_s;
        if (c->friction.mu == 0) continue;
        E[n++] = c->residual.e_xi;
        E[n++] = c->residual.e_eta[0];
        E[n++] = c->residual.e_eta[1];
    }
    for (int i = 0; i < p->rows.n; i++)
        E[n++] = p->rows.row[i].e[0];
}

/* Column j of dE: central differences. */
static int put_column(Problem *k, int j) {
    tacNcp *p = k->p;
    int nv = p->m->nv;
    double violation, saved = k->point[j];
    for (int side = 0; side < 2; side++) {
        k->point[j] = saved + (side ? STEP : -STEP);
        tacStatus status = k->base.residual(p, k->point, k->point + nv, k->point + nv + p->numbers, &violation);
        if (status != TAC_OK) return 0;
        put_rows(p, k->E[side]);
    }
    k->point[j] = saved;
    for (int i = 0; i < k->rows; i++)
        k->M[(size_t)i * (size_t)k->n + (size_t)j] = (k->E[1][i] - k->E[0][i]) / (2 * STEP);
    return 1;
}

/* arrow(b) da + arrow(a) db */
static void put_products(const Problem *k, const double *a, const double *b) {
    int row = k->rows, nv = k->p->m->nv;
    for (int c = 0, adr = 0; c < k->p->ncone; adr += k->p->dim[c++]) {
        int dim = k->p->dim[c];
        double by_a[9], by_b[9];
        tac_cone_product_jac(dim, b + adr, by_a);
        tac_cone_product_jac(dim, a + adr, by_b);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                double *entry = k->M + (size_t)(row + adr + i) * (size_t)k->n + (size_t)(nv + adr + j);
                entry[0] = by_a[dim * i + j];
                entry[k->p->numbers] = by_b[dim * i + j];
            }
    }
}

/* The whole matrix at a point. */
static int put_matrix(Problem *k, const double *x, const double *a, const double *b) {
    int nv = k->p->m->nv, numbers = k->p->numbers;
    memset(k->M, 0, (size_t)k->n * (size_t)k->n * sizeof *k->M);
    memcpy(k->point, x, (size_t)nv * sizeof *x);
    memcpy(k->point + nv, a, (size_t)numbers * sizeof *a);
    memcpy(k->point + nv + numbers, b, (size_t)numbers * sizeof *b);
    for (int j = 0; j < k->n; j++)
        if (!put_column(k, j)) return 0;
    put_products(k, a, b);
    return 1;
}

static void note(Problem *k, double condition) {
    if (k->run->count < BARRIER_ROOM) k->run->condition[k->run->count++] = condition;
}

/* In the place of the interior point's own: notes the condition, and goes on as ever. */
static tacStatus watched_factor(void *user, const double *x, const double *a, const double *b) {
    Problem *k = user;
    double violation;
    note(k, put_matrix(k, x, a, b) ? condition_of(k->n, k->M) : 0);
    tacStatus status = k->base.residual(k->p, x, a, b, &violation);
    return status == TAC_OK ? k->base.factor(k->p, x, a, b) : status;
}
static tacStatus watched_residual(void *user, const double *x, const double *a, const double *b, double *violation) {
    return ((Problem *)user)->base.residual(((Problem *)user)->p, x, a, b, violation);
}
static void watched_solve(void *user, const double *c, double *dx, double *da, double *db) {
    ((Problem *)user)->base.solve(((Problem *)user)->p, c, dx, da, db);
}
static tacStatus watched_project(void *user, const tacInteriorTrial *trial, double *a, double *b, double *violation) {
    return ((Problem *)user)->base.project(((Problem *)user)->p, trial, a, b, violation);
}
static void watched_geometric_share(void *user, double share) {
    ((Problem *)user)->base.geometric_share(((Problem *)user)->p, share);
}
static double watched_norm(void *user) { return ((Problem *)user)->base.norm(((Problem *)user)->p); }

static int open_problem(Problem *k, tacNcp *p, const tacBarrierRuns *runs) {
    size_t nv = (size_t)p->m->nv, n = nv + 2 * (size_t)p->numbers;
    *k = (Problem){.p = p,
                   .base = tac_ncp_problem(p),
                   .n = (int)n,
                   .rows = (int)nv + p->numbers,
                   .kappa = runs->kappa,
                   .tolerance = runs->tolerance};
    for (int i = 0; i < 2; i++)
        k->E[i] = calloc(n, sizeof(double));
    k->M = calloc(n * n, sizeof(double));
    k->point = calloc(n, sizeof(double));
    return k->E[0] != NULL && k->E[1] != NULL && k->M != NULL && k->point != NULL;
}

static void close_problem(Problem *k) {
    free(k->E[0]);
    free(k->E[1]);
    free(k->M);
    free(k->point);
}

/* --- The primal method ------------------------------------------------------------------------------------------- */

/* Cone variables that follow from v+ -> p->a, p->b and the balance. TAC_ERR_UNSOLVED: a gap is smaller than this share
 * of what it was; with share 0 it is taken down. */
static tacStatus follow(Problem *k, double kappa, const double *x, double *gap, double share, double *balance) {
    tacNcp *p = k->p;
    tacStatus status = tac_ncp_place_bodies(p, x);
    if (status == TAC_OK) status = tac_ncp_place_contacts(p);
    if (status != TAC_OK) return status;
    tac_ncp_place_rows(p, x);
    for (int i = 0; i < p->ncontact + p->rows.n; i++) {
        const tacNcpContact *c = i < p->ncontact ? &p->contact[i] : NULL;
        const tacNcpRow *limit = c == NULL ? &p->rows.row[i - p->ncontact] : NULL;
        double phi = c != NULL ? c->next.gap_slip[0] : limit->r;
        double *a = p->a + (c != NULL ? c->adr : limit->at), *b = p->b + (c != NULL ? c->adr : limit->at);
        if (!(phi > share * gap[i])) return TAC_ERR_UNSOLVED;
        gap[i] = share > 0 ? gap[i] : phi;
        b[0] = phi;
        a[0] = kappa * p->gap_unit / phi;
        if (c == NULL || c->friction.mu == 0) continue;
        const double *u = c->next.gap_slip + 1;
        double half = 0.5 * kappa * p->unit[c->cone + 1] / (c->friction.mu * a[0]);
        a[1] = c->friction.mu * a[0];
        b[1] = half + sqrt(half * half + u[0] * u[0] + u[1] * u[1]);
        for (int r = 0; r < 2; r++) {
            b[2 + r] = u[r];
            a[2 + r] = -a[1] / b[1] * u[r];
        }
    }
    return k->base.residual(p, x, p->a, p->b, balance);
}

/* Of the balance's matrix, by the columns of its inverse (rows here: of the transpose, which has the same). */
static double primal_condition(const Problem *k, double *inverse, double *none) {
    const tacNcp *p = k->p;
    int nv = p->m->nv;
    memset(none, 0, 6 * (size_t)p->m->nbody * sizeof *none);
    for (int i = 0; i < nv; i++) {
        double *row = inverse + (size_t)i * (size_t)nv;
        memset(row, 0, (size_t)nv * sizeof *row);
        row[i] = 1;
        tac_block_ldu_solve(&p->ldu, none, row, row);
    }
    return invert(nv, inverse) ? condition_of(nv, inverse) : 0;
}

typedef struct Primal {
    double *x, *trial, *dx, *da, *db, *c, *gap, *matrix, *none;
} Primal;

/* One of Newton's steps for kappa; -> 0: there is none. */
static int primal_step(Problem *k, double kappa, const Primal *m, double *balance) {
    tacNcp *p = k->p;
    int nv = p->m->nv;
    p->geometric_share = 1;
    if (follow(k, kappa, m->x, m->gap, 0, balance) != TAC_OK || k->base.factor(p, m->x, p->a, p->b) != TAC_OK) return 0;
    note(k, primal_condition(k, m->matrix, m->none));
    memset(m->c, 0, (size_t)p->numbers * sizeof *m->c); /* products are as they should be */
    k->base.solve(p, m->c, m->dx, m->da, m->db);
    double before = *balance, length = 1;
    for (int shortened = 0; shortened < MOST_SHORTENINGS; shortened++, length *= 0.5) {
        for (int i = 0; i < nv; i++)
            m->trial[i] = m->x[i] + length * m->dx[i];
        if (follow(k, kappa, m->trial, m->gap, PRIMAL_BORDER, balance) == TAC_OK && *balance < before) {
            memcpy(m->x, m->trial, (size_t)nv * sizeof *m->x);
            return 1;
        }
    }
    *balance = before;
    return 0;
}

/* From the point of the path at PRIMAL_START on (p->x), kappa by tens. */
static void primal_solve(Problem *k, const Primal *m) {
    double kappa = PRIMAL_START * PRIMAL_FACTOR, balance = 0;
    memcpy(m->x, k->p->x, (size_t)k->p->m->nv * sizeof *m->x);
    while (k->run->count < BARRIER_ROOM && !k->run->solved) {
        int going = primal_step(k, kappa, m, &balance), last = kappa <= k->kappa;
        if (last && balance <= k->tolerance) k->run->solved = 1;
        if (last && !going) break;
        if (!last && (balance <= PRIMAL_BETWEEN || !going)) kappa = fmax(k->kappa, kappa * PRIMAL_FACTOR);
    }
}

static tacStatus run_primal(Problem *k, tacBarrierRuns *out) {
    size_t nv = (size_t)k->p->m->nv, numbers = (size_t)k->p->numbers + 1;
    const size_t of[] = {nv, nv, nv, numbers, numbers, numbers, numbers, nv * nv, 6 * (size_t)k->p->m->nbody};
    enum { PARTS = sizeof of / sizeof *of };
    size_t all = 0;
    for (int i = 0; i < PARTS; i++)
        all += of[i];
    double *room = calloc(all, sizeof *room), *at[PARTS], *next = room;
    if (room == NULL) return TAC_ERR_MEMORY;
    for (int i = 0; i < PARTS; next += of[i++])
        at[i] = next;
    k->run = &out->primal;
    primal_solve(k, &(Primal){at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8]});
    free(room);
    return TAC_OK;
}

/* --- Both -------------------------------------------------------------------------------------------------------- */

/* The step's search from its first start to a point of the path. */
static tacStatus go_to(tacSim *sim, tacNcp *p, const tacInteriorProblem *problem, tacInteriorSettings end) {
    tacInterior point = {.x = p->x, .a = p->a, .b = p->b};
    tacStatus status = tac_ncp_start(p, 0, 0);
    return status == TAC_OK ? tac_interior_solve(problem, &end, &point, &sim->ctx.arena) : status;
}

static tacStatus run_interior(tacSim *sim, Problem *k, tacBarrierRuns *out) {
    tacInteriorProblem watched = k->base;
    watched.user = k;
    watched.residual = watched_residual;
    watched.factor = watched_factor;
    watched.solve = watched_solve;
    watched.geometric_share = watched_geometric_share;
    watched.project = watched_project;
    watched.norm = watched_norm;
    k->run = &out->interior;
    tacStatus status = go_to(sim, k->p, &watched,
                             (tacInteriorSettings){out->kappa, out->tolerance, CENTRING, BARRIER_ROOM, 0, 0, SHARE, 1});
    out->interior.solved = status == TAC_OK;
    return status == TAC_ERR_UNSOLVED ? TAC_OK : status;
}

tacStatus barrier_runs(tacSim *sim, const double *x, const double *u, tacBarrierRuns *out) {
    tacNcp p;
    Problem k;
    size_t mark = tac_arena_mark(&sim->ctx.arena);
    tacStatus status = tac_ncp_solve_step(&sim->ctx, x, u, out->kappa, &p);
    out->contacts = p.ncontact;
    if (status == TAC_OK && p.ncontact > 0) {
        status = open_problem(&k, &p, out) ? run_interior(sim, &k, out) : TAC_ERR_MEMORY;
        tacInteriorSettings first = {PRIMAL_START, out->tolerance, CENTRING, BARRIER_ROOM, 0, 0, SHARE, 0};
        if (status == TAC_OK && go_to(sim, &p, &k.base, first) == TAC_OK) status = run_primal(&k, out);
        close_problem(&k);
    }
    tac_arena_release(&sim->ctx.arena, mark);
    return status;
}
