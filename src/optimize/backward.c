/* Riccati recursion over knots with a box problem for the controls at each
 * (docs/theory/plan.md) */
#include "optimize/backward.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* F, T and the stacks have rows of ld numbers, a multiple of eight, zero behind what counts. */
typedef struct Scratch {
    int nz, nw, ld, lz;               /* lz: of the stacks, whose rows have nz that count */
    double *V, *v;                    /* nz x nz, nz: value of the knot behind */
    double *F, *T, *line;             /* nz x ld; two lines of ld */
    double *Q, *q;                    /* nw x nw, nw */
    double *left, *right;             /* stacks of 2 nu rows: [K; Quz], [S; K] */
    double *Quu, *low, *high, *L, *u; /* the box problem */
    double *S;                        /* nu x nz */
    double *z, *next;
    int *free, *row; /* row: 0, 1, 2, ... */
} Scratch;

int tac_backward_nz(const tacPlan *plan) { return plan->ndx + plan->nunknown + plan->nchange; }

static int up_to_eight(int n) { return (n + 7) & ~7; }

static int layout(Scratch *s, const tacPlan *plan, tacArena *arena) {
    s->nz = tac_backward_nz(plan);
    s->nw = s->nz + plan->nu;
    s->ld = up_to_eight(s->nw);
    s->lz = up_to_eight(s->nz);
    size_t nz = (size_t)s->nz, nu = (size_t)plan->nu, nw = (size_t)s->nw, np = (size_t)plan->nunknown;
    size_t box = nu > np ? nu : np, ld = (size_t)s->ld, lz = (size_t)s->lz;
    s->V = TAC_TAKE(arena, nz * nz, double);
    s->v = TAC_TAKE(arena, nz, double);
    s->F = TAC_TAKE(arena, nz * ld, double);
    s->T = TAC_TAKE(arena, nz * ld, double);
    s->line = TAC_TAKE(arena, 2 * ld, double);
    s->Q = TAC_TAKE(arena, nw * nw, double);
    s->q = TAC_TAKE(arena, nw, double);
    s->left = TAC_TAKE(arena, 2 * nu * lz, double);
    s->right = TAC_TAKE(arena, 2 * nu * lz, double);
    s->Quu = TAC_TAKE(arena, box * box, double);
    s->low = TAC_TAKE(arena, box, double);
    s->high = TAC_TAKE(arena, box, double);
    s->L = TAC_TAKE(arena, box * box, double);
    s->u = TAC_TAKE(arena, box, double);
    s->S = TAC_TAKE(arena, nu * nz, double);
    s->z = TAC_TAKE(arena, nw, double);
    s->next = TAC_TAKE(arena, nw, double);
    s->free = TAC_TAKE(arena, box, int);
    s->row = TAC_TAKE(arena, nz, int);
    return s->row != NULL;
}

void tac_backward_measure(const tacPlan *plan, tacArena *dry) {
    Scratch s;
    TAC_SCOPE(dry);
    layout(&s, plan, dry);
    tac_box_newton_measure(plan->nu > plan->nunknown ? plan->nu : plan->nunknown, dry);
}

/* F of knot k, nz x ld: [A P 0 B; 0 I 0 0; 0 0 0 I]. */
static void put_dynamics(const tacBackward *b, int k, const Scratch *s) {
    const tacPlan *plan = b->plan;
    size_t ndx = (size_t)plan->ndx, nu = (size_t)plan->nu, np = (size_t)plan->nunknown, i = (size_t)k;
    size_t nz = (size_t)s->nz, ld = (size_t)s->ld;
    double *F = s->F;
    memset(F, 0, nz * ld * sizeof *F);
    for (size_t r = 0; r < ndx; r++) {
        memcpy(F + r * ld, b->A + (i * ndx + r) * ndx, ndx * sizeof *F);
        if (np > 0) memcpy(F + r * ld + ndx, b->P + (i * ndx + r) * np, np * sizeof *F);
        if (nu > 0) memcpy(F + r * ld + nz, b->B + (i * ndx + r) * nu, nu * sizeof *F);
    }
    for (size_t r = 0; r < np; r++)
        F[(ndx + r) * ld + ndx + r] = 1;
    for (size_t r = 0; r < (size_t)plan->nchange; r++)
        F[(ndx + np + r) * ld + nz + r] = 1;
}

/* M += A' X, symmetric, n x n; A and X: count rows of ld numbers. */
static void add_product(const Scratch *s, int n, int count, int ld, const double *A, const double *X, double *M) {
    for (int e = 0; e < n; e += 2) {
        tac_dense_two_lines(count, ld, e, A, X, s->line);
        for (int i = e; i < n && i < e + 2; i++)
            for (int c = i; c < n; c++)
                M[(size_t)i * (size_t)n + (size_t)c] += s->line[(i - e) * ld + c];
    }
    for (int i = 0; i < n; i++)
        for (int c = 0; c < i; c++)
            M[(size_t)i * (size_t)n + (size_t)c] = M[(size_t)c * (size_t)n + (size_t)i];
}

/* Q = H_k + F' V F, q = g_k + F' (v + V d)   (PL4) */
static void expand(const tacBackward *b, int k, const Scratch *s) {
    const tacPlan *plan = b->plan;
    size_t w = (size_t)s->nw, i = (size_t)k, nz = (size_t)s->nz, ld = (size_t)s->ld;
    put_dynamics(b, k, s);
    memset(s->T, 0, nz * ld * sizeof *s->T);
    memcpy(s->Q, b->H + i * w * w, w * w * sizeof *s->Q);
    memcpy(s->q, b->g + i * w, w * sizeof *s->q);
    for (size_t r = 0; r < nz; r++) {
        double ahead = s->v[r] + tac_dense_dot(plan->ndx, s->V + r * nz, b->D + i * (size_t)plan->ndx);
        tac_dense_add_rows(s->ld, s->nz, s->V + r * nz, s->row, s->F, 1, s->T + r * ld);
        tac_dense_axpy(s->nw, ahead, s->F + r * ld, s->q);
    }
    add_product(s, s->nw, s->nz, s->ld, s->F, s->T, s->Q);
}

/* Adds the regularization to a diagonal. */
static void regularize(int n, double share, double *H) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = tac_max(most, H[(size_t)i * (size_t)n + (size_t)i]);
    for (int i = 0; i < n; i++)
        H[(size_t)i * (size_t)n + (size_t)i] += share * (H[(size_t)i * (size_t)n + (size_t)i] + 1e-6 * most + 1e-12);
}

/* k and K of the box problem of the controls; K is zero where a bound holds. */
static int find_gains(const tacBackward *b, int knot, Scratch *s, tacArena *arena) {
    const tacPlan *plan = b->plan;
    size_t nu = (size_t)plan->nu, nz = (size_t)tac_backward_nz(plan), nw = nz + nu;
    double *k = b->k + (size_t)knot * nu, *K = b->K + (size_t)knot * nu * nz;
    const double *u = b->U + (size_t)knot * nu;
    for (size_t i = 0; i < nu; i++) {
        s->low[i] = plan->low[i] - u[i];
        s->high[i] = plan->high[i] - u[i];
        k[i] = 0;
        memcpy(s->Quu + i * nu, s->Q + (nz + i) * nw + nz, nu * sizeof *s->Quu);
    }
    regularize(plan->nu, b->regularization, s->Quu);
    tacBox box = {.n = plan->nu, .H = s->Quu, .g = s->q + nz, .low = s->low, .high = s->high, .x = k, .L = s->L};
    box.free = s->free;
    if (!tac_box_newton(&box, arena)) return 0;
    memset(K, 0, nu * nz * sizeof *K);
    int row = 0;
    for (size_t i = 0; i < nu; i++) /* right sides of the free rows, packed, then solved and spread */
        if (s->free[i]) {
            for (size_t j = 0; j < nz; j++)
                s->S[(size_t)row * nz + j] = -s->Q[(nz + i) * nw + j];
            row++;
        }
    tac_cholesky_solve_many(row, s->L, plan->nu > 0 ? (int)nz : 0, s->S);
    row = 0;
    for (size_t i = 0; i < nu; i++)
        if (s->free[i]) memcpy(K + i * nz, s->S + (size_t)row++ * nz, nz * sizeof *K);
    return 1;
}

/* V = Qzz + K' (Quu K + Quz) + Quz' K,   v = qz + K' (Quu k + qu) + Quz' k   (PL5) */
static void fold(const tacBackward *b, int knot, const Scratch *s) {
    const tacPlan *plan = b->plan;
    int nz = s->nz, nu = plan->nu;
    size_t z = (size_t)nz, w = (size_t)s->nw, lz = (size_t)s->lz, rows = (size_t)nu;
    const double *k = b->k + (size_t)knot * rows, *K = b->K + (size_t)knot * rows * z;
    memset(s->left, 0, 2 * rows * lz * sizeof *s->left);
    memset(s->right, 0, 2 * rows * lz * sizeof *s->right);
    for (int i = 0; i < nz; i++)
        memcpy(s->V + (size_t)i * z, s->Q + (size_t)i * w, z * sizeof *s->V);
    memcpy(s->v, s->q, z * sizeof *s->v);
    for (size_t i = 0; i < rows; i++) {
        const double *Q = s->Q + (z + i) * w, *row = K + i * z;
        double *S = s->right + i * lz, force = s->q[z + i];
        memcpy(s->left + i * lz, row, z * sizeof *s->left);
        memcpy(s->left + (rows + i) * lz, Q, z * sizeof *s->left);
        memcpy(s->right + (rows + i) * lz, row, z * sizeof *s->right);
        memcpy(S, Q, z * sizeof *S);
        for (size_t j = 0; j < rows; j++) {
            tac_dense_axpy(nz, Q[z + j], K + j * z, S);
            force += Q[z + j] * k[j];
        }
        tac_dense_axpy(nz, force, row, s->v);
        tac_dense_axpy(nz, k[i], Q, s->v);
    }
    add_product(s, nz, 2 * nu, s->lz, s->left, s->right, s->V);
}

/* The unknown parameters' step: min over their box of the value at the start.
 */
static int find_parameters(const tacBackward *b, Scratch *s, tacArena *arena) {
    const tacPlan *plan = b->plan;
    size_t np = (size_t)plan->nunknown, nz = (size_t)tac_backward_nz(plan), ndx = (size_t)plan->ndx;
    if (np == 0) return 1;
    for (size_t i = 0; i < np; i++) {
        s->low[i] = plan->low_p[i] - b->p[i];
        s->high[i] = plan->high_p[i] - b->p[i];
        b->dp[i] = 0;
        memcpy(s->Quu + i * np, s->V + (ndx + i) * nz + ndx, np * sizeof *s->Quu);
    }
    regularize(plan->nunknown, b->regularization, s->Quu);
    tacBox box = {.n = plan->nunknown, .H = s->Quu, .g = s->v + ndx, .low = s->low, .high = s->high, .x = b->dp};
    box.L = s->L;
    box.free = s->free;
    return tac_box_newton(&box, arena);
}

/* Sums of the model's change along its own solution, knot by knot. */
static void promise(tacBackward *b, const Scratch *s) {
    const tacPlan *plan = b->plan;
    int nz = s->nz, nw = s->nw;
    size_t z = (size_t)nz, w = (size_t)nw, nu = (size_t)plan->nu, ndx = (size_t)plan->ndx, np = (size_t)plan->nunknown;
    b->linear = b->quadratic = 0;
    memset(s->z, 0, w * sizeof *s->z);
    if (np > 0) memcpy(s->z + ndx, b->dp, np * sizeof *s->z);
    for (int k = 0; k <= plan->n; k++) {
        size_t i = (size_t)k;
        for (size_t e = 0; e < nu; e++)
            s->z[z + e] = k < plan->n ? b->k[i * nu + e] + tac_dense_dot(nz, b->K + (i * nu + e) * z, s->z) : 0;
        b->linear += tac_dense_dot(nw, b->g + i * w, s->z);
        tac_dense_mulv(nw, nw, b->H + i * w * w, s->z, s->next);
        b->quadratic += 0.5 * tac_dense_dot(nw, s->next, s->z);
        if (k == plan->n) return;
        memcpy(s->next, b->D + i * ndx, ndx * sizeof *s->next);
        for (size_t r = 0; r < ndx; r++) {
            s->next[r] += tac_dense_dot(plan->ndx, b->A + (i * ndx + r) * ndx, s->z);
            s->next[r] += tac_dense_dot(plan->nu, b->B + (i * ndx + r) * nu, s->z + z);
            if (np > 0) s->next[r] += tac_dense_dot(plan->nunknown, b->P + (i * ndx + r) * np, s->z + ndx);
        }
        memcpy(s->z, s->next, ndx * sizeof *s->z);
        if (plan->nchange > 0) memcpy(s->z + ndx + np, s->z + z, nu * sizeof *s->z);
    }
}

int tac_backward(tacBackward *b, tacArena *arena) {
    const tacPlan *plan = b->plan;
    Scratch s;
    TAC_SCOPE(arena);
    if (!layout(&s, plan, arena)) return -1;
    for (int i = 0; i < s.nz; i++)
        s.row[i] = i;
    size_t z = (size_t)tac_backward_nz(plan), w = z + (size_t)plan->nu, last = (size_t)plan->n;
    for (size_t i = 0; i < z; i++)
        memcpy(s.V + i * z, b->H + (last * w + i) * w, z * sizeof *s.V);
    memcpy(s.v, b->g + last * w, z * sizeof *s.v);
    b->largest_costate = tac_dense_largest(plan->ndx, s.v);
    for (int k = plan->n - 1; k >= 0; k--) {
        expand(b, k, &s);
        if (!find_gains(b, k, &s, arena)) return 0;
        fold(b, k, &s);
        if (k > 0) b->largest_costate = tac_max(b->largest_costate, tac_dense_largest(plan->ndx, s.v));
    }
    if (!find_parameters(b, &s, arena)) return 0;
    promise(b, &s);
    return tac_finite(b->linear) && tac_finite(b->quadratic);
}
