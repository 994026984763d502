#include "solve/cone_contact.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/scalar.h"
#include "solve/coulomb.h"

#include <string.h>

/* Point of the central path, in the problem's own units, from which Newton's method starts. */
#define KAPPA 1e-12

/* --- The problem in its own units --------------------------------------------------------------------------------- */

static int layout(tacConeContacts *p, int ncontact, tacArena *arena) {
    size_t c = (size_t)ncontact;
    *p = (tacConeContacts){.ncontact = ncontact, .n = 3 * ncontact};
    double **of_n[] = {&p->q, &p->r, &p->u, &p->rhs, &p->f, &p->best, &p->anchor, &p->base};
    p->start = TAC_TAKE(arena, c + 1, int);
    p->adr = TAC_TAKE(arena, c + 1, int);
    p->column = TAC_TAKE(arena, c * c, int);
    p->block = TAC_TAKE(arena, 9 * c * c, double);
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        if ((*of_n[i] = TAC_TAKE(arena, p->n, double)) == NULL) return 0;
    p->scale = TAC_TAKE(arena, c, double);
    p->dim = TAC_TAKE(arena, 2 * c, int);
    p->weight = TAC_TAKE(arena, 2 * c, double);
    p->a = TAC_TAKE(arena, 4 * c, double);
    p->b = TAC_TAKE(arena, 4 * c, double);
    p->point = TAC_TAKE(arena, c, tacFrictionPoint);
    p->rhs_friction = TAC_TAKE(arena, c, tacFrictionRhs);
    return p->start && p->adr && p->column && p->block && p->scale && p->dim && p->weight && p->a && p->b && p->point &&
           p->rhs_friction;
}

void tac_cone_contact_measure(int ncontact, tacArena *dry) {
    TAC_SCOPE(dry);
    tacConeContacts p;
    layout(&p, ncontact, dry);
    tac_block_lu_layout(&p.lu, ncontact, p.n, dry);
    tac_cone_contact_measure_path(ncontact, dry);
}

size_t tac_cone_contact_bytes(int ncontact) {
    tacArena dry = tac_arena_dry();
    tac_cone_contact_measure(ncontact, &dry);
    return dry.peak;
}

static double entry(const tacConeProblem *problem, int i, int j) {
    return problem->W[(size_t)i * (size_t)(3 * problem->ncontact) + (size_t)j];
}

static int is_zero(const tacConeProblem *problem, int i, int j) {
    for (int e = 0; e < 9; e++)
        if (entry(problem, 3 * i + e / 3, 3 * j + e % 3) != 0) return 0;
    return 1;
}

/* Sets scale = 1/sqrt(d) until the blocks are gathered, q' and the unit. If q is zero it keeps its units. */
static void find_units(tacConeContacts *p, const tacConeProblem *problem) {
    double sum = 0;
    for (int c = 0; c < p->ncontact; c++) {
        double trace = 0;
        for (int i = 3 * c; i < 3 * c + 3; i++)
            trace += entry(problem, i, i);
        p->scale[c] = 1 / tac_sqrt(trace / 3);
        for (int i = 3 * c; i < 3 * c + 3; i++) {
            p->q[i] = problem->q[i] * p->scale[c];
            sum += p->q[i] * p->q[i];
        }
    }
    double size = sum > 0 ? tac_sqrt(sum / p->n) : 1;
    p->unit = size * size;
    for (int i = 0; i < p->n; i++)
        p->q[i] /= size;
}

/* Gathers the nonzero blocks of W' and orders their elimination. */
static void gather_blocks(tacConeContacts *p, const tacConeProblem *problem) {
    int at = 0;
    for (int i = 0; i < p->ncontact; i++) {
        p->start[i] = at;
        for (int j = 0; j < p->ncontact; j++) {
            if (i != j && is_zero(problem, i, j)) continue;
            tac_block_lu_link(&p->lu, i, j);
            double *block = p->block + 9 * (size_t)at;
            for (int e = 0; e < 9; e++)
                block[e] = entry(problem, 3 * i + e / 3, 3 * j + e % 3) * (p->scale[i] * p->scale[j]);
            p->column[at++] = j;
        }
    }
    p->start[p->ncontact] = at;
    tac_block_lu_order(&p->lu);
}

static tacStatus set_up(tacConeContacts *p, const tacConeProblem *problem, tacArena *arena) {
    if (!layout(p, problem->ncontact, arena)) return TAC_ERR_ARENA_FULL;
    p->mu = problem->mu;
    int *size = p->dim; /* not yet in use */
    for (int i = 0; i < p->ncontact; i++)
        size[i] = 3;
    if (!tac_block_lu_begin(&p->lu, p->ncontact, size, arena)) return TAC_ERR_ARENA_FULL;
    find_units(p, problem);
    gather_blocks(p, problem);
    for (int c = 0; c < p->ncontact; c++)
        p->scale[c] *= tac_sqrt(p->unit);
    return TAC_OK;
}

void tac_cone_contact_multiply(const tacConeContacts *p, const double *x, double *y) {
    for (int i = 0; i < p->ncontact; i++) {
        double sum[3] = {0, 0, 0};
        for (int e = p->start[i]; e < p->start[i + 1]; e++) {
            const double *B = p->block + 9 * (size_t)e, *v = x + 3 * p->column[e];
            for (int k = 0; k < 3; k++)
                sum[k] += (B[3 * k] * v[0] + B[3 * k + 1] * v[1]) + B[3 * k + 2] * v[2];
        }
        memcpy(y + 3 * i, sum, sizeof sum);
    }
}

/* --- The solution-------------------------------------------------------------------------------------------------- */

/* The natural map in the caller's units. Newton's method solves it in the problem's own. */
double tac_cone_contact_residual(tacConeContacts *p) {
    double sum = 0, size = 0;
    tac_cone_contact_multiply(p, p->r, p->u);
    for (int c = 0; c < p->ncontact; c++) {
        double r[3], u[3], f[3], *own = p->u + 3 * c;
        for (int i = 0; i < 3; i++) {
            double q = p->q[3 * c + i] * p->unit / p->scale[c];
            own[i] += p->q[3 * c + i];
            r[i] = p->r[3 * c + i] * p->scale[c];
            u[i] = own[i] * p->unit / p->scale[c];
            size += q * q;
        }
        tac_coulomb_map(p->mu[c], r, u, f, NULL, NULL);
        for (int i = 0; i < 3; i++)
            sum += f[i] * f[i];
    }
    return tac_sqrt(sum) / (size > 0 ? tac_sqrt(size) : 1);
}

/* u = W r + q in the caller's numbers */
static void write_result(const tacConeContacts *p, const tacConeProblem *problem, double *r, double *u) {
    for (int i = 0; i < p->n; i++)
        r[i] = p->r[i] * p->scale[i / 3];
    tac_dense_mulv(p->n, p->n, problem->W, r, u);
    for (int i = 0; i < p->n; i++)
        u[i] += problem->q[i];
}

/* Zero reactions are a candidate too. Newton's method starts there if the path ends early with a larger residual. */
static tacStatus solve(tacConeContacts *p, tacArena *arena, tacConeResult *result) {
    size_t bytes = (size_t)p->n * sizeof *p->r;
    memset(p->r, 0, bytes);
    double none = tac_cone_contact_residual(p);
    if (none == 0) return TAC_OK;
    tac_cone_contact_begin_path(p);
    tacStatus status = tac_cone_contact_path(p, KAPPA, arena, &result->iterations);
    if (status != TAC_OK && status != TAC_ERR_UNSOLVED) return status;
    if (!(tac_cone_contact_residual(p) < none)) memset(p->r, 0, bytes);
    result->residual = tac_cone_contact_newton(p, &result->iterations);
    return TAC_OK;
}

tacStatus tac_cone_contact_solve(const tacConeProblem *problem, tacArena *arena, double *r, double *u,
                                 tacConeResult *result) {
    tacConeContacts contacts;
    TAC_SCOPE(arena);
    *result = (tacConeResult){0};
    TAC_TRY(set_up(&contacts, problem, arena));
    TAC_TRY(solve(&contacts, arena, result));
    write_result(&contacts, problem, r, u);
    return TAC_OK;
}
