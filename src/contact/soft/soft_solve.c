/* Newton's method with an exact line search on the convex problem (Z1). It ends at rounding: the answer is a function
 * of the problem alone, and derivatives by the implicit function theorem are those of the step. */
#include "contact/soft/hessian.h"

#include "dynamics/mass.h"
#include "math/dense.h"
#include "math/scalar.h"

#include <string.h>

/* Systems solved, and points on a line, at most. */
enum { MOST_ITERATIONS = 100, MOST_POINTS = 50 };
/* Relative to the forces that balance: what is left counts as rounding. */
#define ROUNDING 1e-14
/* Beyond this the residual is not what was asked for. */
#define SOLVED 1e-8
/* Share of the slope that may be left on a line. */
#define LINE 1e-3

typedef struct Newton {
    const tacModel *m;
    const tacWork *w;
    tacSoft *soft;
    const double *a0;
    double *a, *Ma;     /* nv: a, and M (a - a0) */
    double *grad;       /* nv: Ma - J^T f */
    double *p, *Mp, *q; /* nv: direction; M p; scratch */
    double *Jp, *z, *g; /* rows: J p; y and force along the line */
    double scale;       /* of the forces in grad */
    tacSoftHessian hessian;
} Newton;

size_t tac_soft_scratch(const tacModel *m, int max_contacts) {
    size_t n = (size_t)tac_rows_max(m, max_contacts);
    return 5 * tac_arena_round((size_t)m->nv * sizeof(double)) + 3 * tac_arena_round(n * sizeof(double)) +
           tac_soft_hessian_bytes(m);
}

static int lay_out(Newton *s, tacArena *arena) {
    double **dofs[5] = {&s->Ma, &s->grad, &s->p, &s->Mp, &s->q}, **rows[3] = {&s->Jp, &s->z, &s->g};
    int ok = 1;
    for (int k = 0; k < 5; k++)
        ok &= (*dofs[k] = TAC_TAKE(arena, s->m->nv, double)) != NULL;
    for (int k = 0; k < 3; k++)
        ok &= (*rows[k] = TAC_TAKE(arena, s->soft->rows.n, double)) != NULL;
    return ok && tac_soft_hessian_begin(&s->hessian, s->m, &s->soft->rows, arena);
}

/* --- Where it stands ---------------------------------------------------------------------------------------------- */

static void place(Newton *s) {
    tacSoft *soft = s->soft;
    for (int i = 0; i < s->m->nv; i++)
        s->q[i] = s->a[i] - s->a0[i];
    tac_mass_mul(s->m, s->w, s->q, s->Ma);
    for (int k = 0; k < soft->rows.n; k++)
        soft->y[k] = tac_row_velocity(&soft->rows, k, s->a) - soft->aref[k];
}

/* y -> forces and zones, grad. */
static void evaluate(Newton *s) {
    tacSoft *soft = s->soft;
    int nv = s->m->nv;
    for (int k = 0; k < soft->nblock; k++) {
        tacSoftBlock *b = &soft->block[k];
        b->zone = tac_soft_force(b, soft->D + b->row, soft->y + b->row, soft->f + b->row, NULL);
    }
    memset(s->q, 0, (size_t)nv * sizeof *s->q);
    for (int k = 0; k < soft->rows.n; k++)
        if (soft->f[k] != 0) tac_row_add_force(&soft->rows, k, soft->f[k], s->q);
    s->scale = 0;
    for (int i = 0; i < nv; i++) {
        s->grad[i] = s->Ma[i] - s->q[i];
        s->scale = tac_max(s->scale, tac_max(tac_abs(s->Ma[i]), tac_abs(s->q[i])));
    }
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = tac_max(most, tac_abs(x[i]));
    return most;
}

/* --- Along a line ------------------------------------------------------------------------------------------------- */

/* Slope of the objective at a + t p, and its own. */
static double slope_at(const Newton *s, double t, double pMa, double pMp, double *curve) {
    const tacSoft *soft = s->soft;
    double slope = pMa + t * pMp, K[TAC_SOFT_MOST_ROWS * TAC_SOFT_MOST_ROWS];
    *curve = pMp;
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        const double *Jp = s->Jp + b->row;
        double *z = s->z + b->row, *g = s->g + b->row;
        for (int i = 0; i < b->n; i++)
            z[i] = soft->y[b->row + i] + t * Jp[i];
        tac_soft_force(b, soft->D + b->row, z, g, K);
        for (int i = 0; i < b->n; i++) {
            slope -= Jp[i] * g[i];
            for (int j = 0; j < b->n; j++)
                *curve += Jp[i] * K[i * b->n + j] * Jp[j];
        }
    }
    return slope;
}

/* The t > 0 where the slope, which grows, is zero: Newton's method between two bounds. */
static double search_line(const Newton *s) {
    int nv = s->m->nv;
    double pMa = tac_dense_dot(nv, s->p, s->Ma), pMp = tac_dense_dot(nv, s->p, s->Mp), curve;
    double start = tac_abs(tac_dense_dot(nv, s->p, s->grad)), low = 0, high = TAC_INFINITY, t = 1;
    for (int k = 0; k < MOST_POINTS; k++) {
        double slope = slope_at(s, t, pMa, pMp, &curve);
        if (tac_abs(slope) <= LINE * start) return t;
        if (slope < 0)
            low = t;
        else
            high = t;
        double next = t - slope / curve;
        if (!(next > low && next < high)) next = tac_finite(high) ? (low + high) / 2 : 2 * t;
        t = next;
    }
    return t;
}

/* --- The method --------------------------------------------------------------------------------------------------- */

/* 0: there is no direction to go. */
static int advance(Newton *s) {
    tacSoft *soft = s->soft;
    int nv = s->m->nv;
    if (!tac_soft_hessian_factor(&s->hessian, s->m, s->w, soft)) return 0;
    for (int i = 0; i < nv; i++)
        s->p[i] = -s->grad[i];
    tac_soft_hessian_solve(&s->hessian, s->m, s->p);
    tac_mass_mul(s->m, s->w, s->p, s->Mp);
    for (int k = 0; k < soft->rows.n; k++)
        s->Jp[k] = tac_row_velocity(&soft->rows, k, s->p);
    double t = search_line(s);
    for (int i = 0; i < nv; i++)
        s->a[i] += t * s->p[i];
    return tac_first_nonfinite(nv, s->a) < 0;
}

tacStatus tac_soft_solve(const tacModel *m, const tacWork *w, tacSoft *soft, const double *a0, double *a,
                         tacArena *arena) {
    size_t mark = tac_arena_mark(arena);
    Newton s = {.m = m, .w = w, .soft = soft, .a0 = a0, .a = a};
    soft->iterations = soft->unsolved = 0, soft->residual = 0;
    if (soft->rows.n == 0) return TAC_OK;
    if (!lay_out(&s, arena)) return TAC_ERR_ARENA_FULL;
    place(&s);
    evaluate(&s);
    double error = largest(m->nv, s.grad), before = TAC_INFINITY;
    while (error > ROUNDING * s.scale && soft->iterations < MOST_ITERATIONS) {
        if (error >= before && error <= SOLVED * s.scale) break; /* rounding is all that is left */
        before = error;
        soft->iterations++;
        if (!advance(&s)) break;
        place(&s);
        evaluate(&s);
        error = largest(m->nv, s.grad);
    }
    soft->residual = s.scale > 0 ? error / s.scale : 0;
    soft->unsolved = !(error <= SOLVED * s.scale);
    tac_arena_release(arena, mark);
    return TAC_OK;
}
