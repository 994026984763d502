/* Infinite-horizon regulator: the discrete algebraic Riccati equation by
 * structure-preserving doubling [Chu2004]   (docs/theory/plan.md)
 *
 *   A+ = A W^-1 A,   G+ = G + A W^-1 G A',   H+ = H + A' H W^-1 A,   W = I + G
 * H
 *
 * H goes to P, quadratically. Then a few steps of the fixed-point form P = Q +
 * A'P(A + B K) take off rounding. */
#include "base/error.h"
#include "base/platform.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "optimize/knot.h"

#include <string.h>

enum { MOST_DOUBLINGS = 60, POLISH = 12, SQUARINGS = 24 };
#define CONVERGED 1e-15
#define TOLERANCE 1e-9 /* of the residual */

typedef struct Work {
    double *A, *G, *H, *W, *X, *T, *S, *work; /* n x n each; work: n */
    double *R, *BP, *Q, *At;                  /* m x m, m x n, n x n: of the problem without N */
    int *pivot, *index;
} Work;

static int layout(Work *w, int n, int m, tacArena *arena) {
    size_t s = (size_t)n, r = (size_t)m;
    w->A = TAC_TAKE(arena, s * s, double);
    w->G = TAC_TAKE(arena, s * s, double);
    w->H = TAC_TAKE(arena, s * s, double);
    w->W = TAC_TAKE(arena, s * s, double);
    w->X = TAC_TAKE(arena, s * s, double);
    w->T = TAC_TAKE(arena, s * s, double);
    w->S = TAC_TAKE(arena, s * s, double);
    w->Q = TAC_TAKE(arena, s * s, double);
    w->At = TAC_TAKE(arena, s * s, double);
    w->work = TAC_TAKE(arena, s, double);
    w->R = TAC_TAKE(arena, r * r, double);
    w->BP = TAC_TAKE(arena, r * s, double);
    w->pivot = TAC_TAKE(arena, s, int);
    w->index = TAC_TAKE(arena, s, int);
    return w->index != NULL;
}

size_t tac_lqr_bytes(int n, int m) {
    Work w;
    tacArena dry = tac_arena_dry();
    if (n < 1 || m < 1) return 0;
    layout(&w, n, m, &dry);
    return dry.peak;
}

static void symmetrize(int n, double *P) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            P[i * n + j] = P[j * n + i] = 0.5 * (P[i * n + j] + P[j * n + i]);
}

/* A - B R^-1 N, G = B R^-1 B', H = Q - N' R^-1 N. 0: R is not positive
 * definite. */
static int set_up(const tacLqr *l, Work *w) {
    int n = l->n, m = l->m;
    size_t nn = (size_t)n * (size_t)n;
    memcpy(w->A, l->A, nn * sizeof *w->A);
    memcpy(w->H, l->Q, nn * sizeof *w->H);
    memcpy(w->R, l->R, (size_t)m * (size_t)m * sizeof *w->R);
    if (tac_cholesky_factor(m, w->R) >= 0) return 0;
    tac_dense_transpose(n, m, l->B, w->BP);
    tac_cholesky_solve_many(m, w->R, n, w->BP);
    tac_dense_mul(n, m, n, l->B, w->BP, w->G);
    if (l->N != NULL) {
        memcpy(w->BP, l->N, (size_t)m * (size_t)n * sizeof *w->BP);
        tac_cholesky_solve_many(m, w->R, n, w->BP);
        tac_dense_mul(n, m, n, l->B, w->BP, w->T);
        for (size_t i = 0; i < nn; i++)
            w->A[i] -= w->T[i];
        tac_dense_mulat(n, m, n, l->N, w->BP, w->T);
        for (size_t i = 0; i < nn; i++)
            w->H[i] -= w->T[i];
    }
    symmetrize(n, w->G);
    symmetrize(n, w->H);
    return 1;
}

/* One doubling; the relative change of H, or -1: W is singular. */
static double double_once(int n, Work *w) {
    size_t nn = (size_t)n * (size_t)n, bytes = nn * sizeof *w->A;
    tac_dense_mul(n, n, n, w->G, w->H, w->W);
    for (int i = 0; i < n; i++)
        w->W[i * n + i] += 1;
    if (tac_lu_factor(n, w->W, w->pivot, w->work) >= 0) return -1;
    memcpy(w->X, w->A, bytes);
    tac_lu_solve_many(n, w->W, w->pivot, n, w->X, w->work, w->index); /* W^-1 A */
    memcpy(w->T, w->G, bytes);
    tac_lu_solve_many(n, w->W, w->pivot, n, w->T, w->work, w->index); /* W^-1 G */
    tac_dense_mul(n, n, n, w->A, w->T, w->S);
    tac_dense_mulbt(n, n, n, w->S, w->A, w->T);
    for (size_t i = 0; i < nn; i++)
        w->G[i] += w->T[i];
    tac_dense_mul(n, n, n, w->H, w->X, w->S);
    tac_dense_mulat(n, n, n, w->A, w->S, w->T);
    for (size_t i = 0; i < nn; i++)
        w->H[i] += w->T[i];
    tac_dense_mul(n, n, n, w->A, w->X, w->S);
    memcpy(w->A, w->S, bytes);
    symmetrize(n, w->G);
    symmetrize(n, w->H);
    return tac_dense_largest((int)nn, w->T) / tac_max(tac_dense_largest((int)nn, w->H), 1e-300);
}

/* K = -(R + B'P B)^-1 (B'P A + N); 0: singular. S = B'P A + N stays in BP. */
static int find_gain(const tacLqr *l, Work *w) {
    int n = l->n, m = l->m;
    tac_dense_mulat(m, n, n, l->B, l->P, w->BP); /* B' P */
    tac_dense_mul(m, n, m, w->BP, l->B, w->R);
    for (int i = 0; i < m * m; i++)
        w->R[i] += l->R[i];
    tac_dense_mul(m, n, n, w->BP, l->A, l->K);
    for (int i = 0; i < m * n && l->N != NULL; i++)
        l->K[i] += l->N[i];
    memcpy(w->BP, l->K, (size_t)m * (size_t)n * sizeof *w->BP);
    if (tac_cholesky_factor(m, w->R) >= 0) return 0;
    tac_cholesky_solve_many(m, w->R, n, l->K);
    for (int i = 0; i < m * n; i++)
        l->K[i] = -l->K[i];
    return 1;
}

/* T = Q + A'P A + (B'P A + N)' K - P; its largest entry against that of P. */
static double find_residual(tacLqr *l, Work *w) {
    int n = l->n, m = l->m;
    tac_dense_mul(n, n, n, l->P, l->A, w->S);
    tac_dense_mulat(n, n, n, l->A, w->S, w->T);
    tac_dense_mulat(n, m, n, w->BP, l->K, w->S);
    for (int i = 0; i < n * n; i++)
        w->T[i] += l->Q[i] + w->S[i] - l->P[i];
    symmetrize(n, w->T);
    return tac_dense_largest(n * n, w->T) / tac_max(tac_dense_largest(n * n, l->P), 1e-300);
}

/* Newton's step: P + sum_k M'^k T M^k with M = A + B K, by doubling of the sum.
 */
static void correct(tacLqr *l, Work *w) {
    int n = l->n, m = l->m;
    size_t bytes = (size_t)n * (size_t)n * sizeof *w->A;
    tac_dense_mul(n, m, n, l->B, l->K, w->A);
    for (int i = 0; i < n * n; i++)
        w->A[i] += l->A[i];
    for (int t = 0; t < MOST_DOUBLINGS; t++) {
        tac_dense_mul(n, n, n, w->T, w->A, w->S);
        tac_dense_mulat(n, n, n, w->A, w->S, w->X);
        double change = tac_dense_largest(n * n, w->X);
        for (int i = 0; i < n * n; i++)
            w->T[i] += w->X[i];
        tac_dense_mul(n, n, n, w->A, w->A, w->S);
        memcpy(w->A, w->S, bytes);
        if (!(change > 1e-17 * tac_dense_largest(n * n, w->T)) || !tac_finite(change)) break;
    }
    if (tac_first_nonfinite(n * n, w->T) >= 0) return;
    for (int i = 0; i < n * n; i++)
        l->P[i] += w->T[i];
    symmetrize(n, l->P);
}

/* |M^(2^k)|^(1/2^k) of the closed loop in the largest row sum: never below its
 * spectral radius. */
static double find_radius(tacLqr *l, Work *w) {
    int n = l->n, m = l->m;
    double scale = 0, share = 1, radius = 0; /* log of what was divided off, per power */
    tac_dense_mul(n, m, n, l->B, l->K, w->A);
    for (int i = 0; i < n * n; i++)
        w->A[i] += l->A[i];
    for (int t = 0; t <= SQUARINGS; t++, share *= 0.5) {
        double norm = 0;
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += tac_abs(w->A[i * n + j]);
            norm = tac_max(norm, sum);
        }
        if (!(norm > 0)) return 0;
        scale += share * tac_log(norm);
        radius = tac_exp(scale);
        for (int i = 0; i < n * n; i++)
            w->A[i] /= norm;
        tac_dense_mul(n, n, n, w->A, w->A, w->S);
        memcpy(w->A, w->S, (size_t)n * (size_t)n * sizeof *w->A);
    }
    return radius;
}

static tacStatus solve(tacLqr *l, Work *w) {
    int n = l->n;
    double change = 1;
    if (!set_up(l, w)) return TAC_ERR_ARGUMENT;
    for (l->iterations = 0; l->iterations < MOST_DOUBLINGS && change > CONVERGED; l->iterations++) {
        change = double_once(n, w);
        if (change < 0 || !tac_finite(change)) return TAC_ERR_UNSOLVED;
    }
    memcpy(l->P, w->H, (size_t)n * (size_t)n * sizeof *l->P);
    for (int t = 0; t < POLISH; t++) {
        if (!find_gain(l, w)) return TAC_ERR_UNSOLVED;
        double before = l->residual;
        l->residual = find_residual(l, w);
        if (t > 0 && !(l->residual < 0.5 * before)) break;
        correct(l, w);
    }
    if (!find_gain(l, w)) return TAC_ERR_UNSOLVED;
    l->residual = find_residual(l, w);
    l->radius = find_radius(l, w);
    return l->residual <= TOLERANCE && l->radius < 1 + 1e-9 ? TAC_OK : TAC_ERR_UNSOLVED;
}

tacStatus tac_lqr(tacLqr *l) {
    if (l == NULL || l->n < 1 || l->m < 1 || !l->A || !l->B || !l->Q || !l->R || !l->P || !l->K || !l->memory)
        return TAC_ERR_ARGUMENT;
    if (l->bytes < tac_lqr_bytes(l->n, l->m)) return TAC_ERR_ARENA_FULL;
    tacArena arena;
    Work w;
    TAC_BORROW(&arena, l->memory, l->bytes);
    l->residual = l->radius = TAC_INFINITY;
    return layout(&w, l->n, l->m, &arena) ? solve(l, &w) : TAC_ERR_ARENA_FULL;
}

/* --- About a state of a plan
 * --------------------------------------------------------------------------------------
 */

typedef struct About {
    double *A, *B, *P, *g, *H, *Q, *R, *N, *Pout, *theta;
    void *memory, *scratch;
    size_t bytes, scratch_bytes;
} About;

static int layout_about(About *a, const tacPlan *plan, tacArena *arena) {
    size_t n = (size_t)plan->ndx, m = (size_t)plan->nu, nw = (size_t)tac_plan_columns(plan).nw;
    tacArena dry = tac_arena_dry();
    tac_knot_measure(plan, &dry);
    a->scratch_bytes = dry.peak;
    a->bytes = tac_lqr_bytes(plan->ndx, plan->nu);
    a->A = TAC_TAKE(arena, n * n, double);
    a->B = TAC_TAKE(arena, n * m, double);
    a->g = TAC_TAKE(arena, nw, double);
    a->H = TAC_TAKE(arena, nw * nw, double);
    a->Q = TAC_TAKE(arena, n * n, double);
    a->R = TAC_TAKE(arena, m * m, double);
    a->N = TAC_TAKE(arena, m * n, double);
    a->Pout = TAC_TAKE(arena, n * n, double);
    a->theta = TAC_TAKE(arena, plan->nparam, double);
    a->memory = tac_arena_take(arena, a->bytes);
    a->scratch = tac_arena_take(arena, a->scratch_bytes);
    return a->scratch != NULL;
}

/* Half of the Gauss-Newton blocks: cost x'Q x + 2 u'N x + u'R u. */
static void take_blocks(const tacPlan *plan, About *a) {
    tacPlanColumns c = tac_plan_columns(plan);
    for (int i = 0; i < plan->ndx; i++)
        for (int j = 0; j < plan->ndx; j++)
            a->Q[i * plan->ndx + j] = 0.5 * a->H[i * c.nw + j];
    for (int i = 0; i < plan->nu; i++) {
        for (int j = 0; j < plan->nu; j++)
            a->R[i * plan->nu + j] = 0.5 * a->H[(c.u + i) * c.nw + c.u + j];
        for (int j = 0; j < plan->ndx; j++)
            a->N[i * plan->ndx + j] = 0.5 * a->H[(c.u + i) * c.nw + j];
    }
}

static tacStatus solve_about(const tacPlan *plan, tacSim *sim, About *a, const double *x, const double *u, double *K,
                             double *P, tacError *err) {
    tacKnotWork work = {.sim = sim};
    tacArena *arena = &work.arena;
    TAC_BORROW(arena, a->scratch, a->scratch_bytes);
    double *p = NULL;
    tac_plan_fill_theta(plan, NULL, a->theta);
    if (plan->nunknown > 0) return tac_fail(err, TAC_ERR_UNSUPPORTED, "a regulator of a plan with unknown parameters");
    tacKnotAt at = {0, x, u, u, p, a->theta};
    tacKnotValue value = {.g = a->g, .H = a->H};
    tacStatus status = tac_step_jac(sim, x, u, NULL, &(tacJac){a->A, a->B, NULL}, NULL);
    if (status == TAC_OK) status = tac_knot_evaluate(plan, &work, &at, NULL, &value);
    if (status != TAC_OK) return tac_fail(err, status, "regulator: %s", tac_status_text(status));
    take_blocks(plan, a);
    tacLqr l = {.n = plan->ndx, .m = plan->nu, .A = a->A, .B = a->B, .Q = a->Q, .R = a->R, .N = a->N};
    l.P = P != NULL ? P : a->Pout;
    l.K = K;
    l.memory = a->memory;
    l.bytes = a->bytes;
    status = tac_lqr(&l);
    if (status == TAC_OK) return TAC_OK;
    return tac_fail(err, status, "regulator: residual %g, closed loop %g: no stabilizing solution", l.residual,
                    l.radius);
}

tacStatus tac_plan_lqr(const tacPlan *plan, const double *x, const double *u, double *K, double *P, tacError *err) {
    if (plan == NULL || x == NULL || u == NULL || K == NULL || plan->nu < 1)
        return tac_fail(err, TAC_ERR_ARGUMENT, "tac_plan_lqr: an argument is NULL, or there are no controls");
    About a;
    tacSim *sim;
    tacArena dry = tac_arena_dry(), arena;
    layout_about(&a, plan, &dry);
    TAC_TRY(tac_sim_new(plan->model, &plan->options, &sim, err));
    void *memory = tac_aligned_new(TAC_ARENA_ALIGN, dry.peak);
    tacStatus status = memory != NULL ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "no memory for a regulator");
    if (status == TAC_OK) {
        tac_arena_init(&arena, memory, dry.peak);
        status = layout_about(&a, plan, &arena) ? solve_about(plan, sim, &a, x, u, K, P, err) : TAC_ERR_ARENA_FULL;
        tac_arena_end(&arena);
    }
    tac_aligned_free(memory);
    tac_sim_free(sim);
    return status;
}
