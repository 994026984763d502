/* Riccati recursion over knots with a box problem for the controls at each
 * (docs/theory/plan.md) */
#include "optimize/backward.h"

#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

typedef struct Scratch {
    double *V, *v;                    /* nz x nz, nz: value of the knot behind */
    double *F, *T;                    /* nz x nw */
    double *Q, *q;                    /* nw x nw, nw */
    double *Quu, *low, *high, *L, *u; /* the box problem */
    double *S, *row;                  /* nu x nz; nz + nw */
    double *z, *next;
    int *free;
} Scratch;

int tac_backward_nz(const tacPlan *plan) { return plan->ndx + plan->nunknown + plan->nchange; }

static int layout(Scratch *s, const tacPlan *plan, tacArena *arena) {
    size_t nz = (size_t)tac_backward_nz(plan), nu = (size_t)plan->nu, nw = nz + nu, np = (size_t)plan->nunknown;
    size_t box = nu > np ? nu : np;
    s->V = TAC_TAKE(arena, nz * nz, double);
    s->v = TAC_TAKE(arena, nz, double);
    s->F = TAC_TAKE(arena, nz * nw, double);
    s->T = TAC_TAKE(arena, nz * nw, double);
    s->Q = TAC_TAKE(arena, nw * nw, double);
    s->q = TAC_TAKE(arena, nw, double);
    s->Quu = TAC_TAKE(arena, box * box, double);
    s->low = TAC_TAKE(arena, box, double);
    s->high = TAC_TAKE(arena, box, double);
    s->L = TAC_TAKE(arena, box * box, double);
    s->u = TAC_TAKE(arena, box, double);
    s->S = TAC_TAKE(arena, nu * nz, double);
    s->row = TAC_TAKE(arena, nz + nw, double);
    s->z = TAC_TAKE(arena, nw, double);
    s->next = TAC_TAKE(arena, nw, double);
    s->free = TAC_TAKE(arena, box, int);
    return s->free != NULL;
}

void tac_backward_measure(const tacPlan *plan, tacArena *dry) {
    Scratch s;
    TAC_SCOPE(dry);
    layout(&s, plan, dry);
    tac_box_newton_measure(plan->nu > plan->nunknown ? plan->nu : plan->nunknown, dry);
}

/* F of knot k, nz x nw: [A P 0 B; 0 I 0 0; 0 0 0 I]. */
static void put_dynamics(const tacBackward *b, int k, double *F) {
    const tacPlan *plan = b->plan;
    size_t ndx = (size_t)plan->ndx, nu = (size_t)plan->nu, np = (size_t)plan->nunknown, i = (size_t)k;
    size_t nz = (size_t)tac_backward_nz(plan), nw = nz + nu;
    memset(F, 0, nz * nw * sizeof *F);
    for (size_t r = 0; r < ndx; r++) {
        memcpy(F + r * nw, b->A + (i * ndx + r) * ndx, ndx * sizeof *F);
        if (np > 0) memcpy(F + r * nw + ndx, b->P + (i * ndx + r) * np, np * sizeof *F);
        if (nu > 0) memcpy(F + r * nw + nz, b->B + (i * ndx + r) * nu, nu * sizeof *F);
    }
    for (size_t r = 0; r < np; r++)
        F[(ndx + r) * nw + ndx + r] = 1;
    for (size_t r = 0; r < (size_t)plan->nchange; r++)
        F[(ndx + np + r) * nw + nz + r] = 1;
}

/* Q = H_k + F' V F, q = g_k + F' (v + V d) */
static void expand(const tacBackward *b, int k, Scratch *s) {
    const tacPlan *plan = b->plan;
    int nz = tac_backward_nz(plan), nw = nz + plan->nu;
    size_t w = (size_t)nw, i = (size_t)k;
    put_dynamics(b, k, s->F);
    tac_dense_mul(nz, nz, nw, s->V, s->F, s->T);
    memcpy(s->Q, b->H + i * w * w, w * w * sizeof *s->Q);
    memcpy(s->q, b->g + i * w, w * sizeof *s->q);
    for (int r = 0; r < nz; r++) {
        const double *f = s->F + (size_t)r * w, *t = s->T + (size_t)r * w;
        double ahead = s->v[r] + tac_dense_dot(plan->ndx, s->V + (size_t)r * (size_t)nz, b->D + i * (size_t)plan->ndx);
        tac_dense_axpy(nw, ahead, f, s->q);
        for (int a = 0; a < nw; a++) /* what lies right of the diagonal */
            if (f[a] != 0) tac_dense_axpy(nw - a, f[a], t + a, s->Q + (size_t)a * w + a);
    }
    for (int a = 0; a < nw; a++)
        for (int c = 0; c < a; c++)
            s->Q[(size_t)a * w + (size_t)c] = s->Q[(size_t)c * w + (size_t)a];
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

/* V = Qzz + K' (Quu K + Quz) + Quz' K,   v = qz + K' (Quu k + qu) + Quz' k */
static void fold(const tacBackward *b, int knot, Scratch *s) {
    const tacPlan *plan = b->plan;
    int nz = tac_backward_nz(plan), nu = plan->nu;
    size_t z = (size_t)nz, w = z + (size_t)nu;
    const double *k = b->k + (size_t)knot * (size_t)nu, *K = b->K + (size_t)knot * (size_t)nu * z;
    for (int i = 0; i < nz; i++)
        memcpy(s->V + (size_t)i * z, s->Q + (size_t)i * w, z * sizeof *s->V);
    memcpy(s->v, s->q, z * sizeof *s->v);
    for (int i = 0; i < nu; i++) {
        const double *Q = s->Q + (z + (size_t)i) * w, *row = K + (size_t)i * z;
        double *S = s->S + (size_t)i * z, force = s->q[z + (size_t)i];
        memcpy(S, Q, z * sizeof *S);
        for (int j = 0; j < nu; j++) {
            tac_dense_axpy(nz, Q[z + (size_t)j], K + (size_t)j * z, S);
            force += Q[z + (size_t)j] * k[j];
        }
        tac_dense_axpy(nz, force, row, s->v);
        tac_dense_axpy(nz, k[i], Q, s->v);
        for (int a = 0; a < nz; a++) { /* right of the diagonal */
            double one = row[a], other = Q[a];
            const double two[2] = {one, other};
            double *V = s->V + (size_t)a * z;
            for (int c = a; c < nz; c++)
                V[c] += two[0] * S[c] + two[1] * row[c];
        }
    }
    for (int a = 0; a < nz; a++)
        for (int c = 0; c < a; c++)
            s->V[(size_t)a * z + (size_t)c] = s->V[(size_t)c * z + (size_t)a];
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
static void promise(tacBackward *b, Scratch *s) {
    const tacPlan *plan = b->plan;
    int nz = tac_backward_nz(plan), nw = nz + plan->nu;
    size_t z = (size_t)nz, w = (size_t)nw, nu = (size_t)plan->nu, ndx = (size_t)plan->ndx;
    b->linear = b->quadratic = 0;
    memset(s->z, 0, w * sizeof *s->z);
    if (plan->nunknown > 0) memcpy(s->z + ndx, b->dp, (size_t)plan->nunknown * sizeof *s->z);
    for (int k = 0; k <= plan->n; k++) {
        size_t i = (size_t)k;
        for (size_t e = 0; e < nu; e++)
            s->z[z + e] = k < plan->n ? b->k[i * nu + e] + tac_dense_dot(nz, b->K + (i * nu + e) * z, s->z) : 0;
        b->linear += tac_dense_dot(nw, b->g + i * w, s->z);
        tac_dense_mulv(nw, nw, b->H + i * w * w, s->z, s->next);
        b->quadratic += 0.5 * tac_dense_dot(nw, s->next, s->z);
        if (k == plan->n) return;
        put_dynamics(b, k, s->F);
        tac_dense_mulv(nz, nw, s->F, s->z, s->next);
        tac_dense_axpy(plan->ndx, 1, b->D + i * ndx, s->next);
        memcpy(s->z, s->next, z * sizeof *s->z);
    }
}

int tac_backward(tacBackward *b, tacArena *arena) {
    const tacPlan *plan = b->plan;
    Scratch s;
    TAC_SCOPE(arena);
    if (!layout(&s, plan, arena)) return -1;
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
