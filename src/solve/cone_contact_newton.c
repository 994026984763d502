/* Newton's method on the natural map, in proximal steps   (W44, W45) */
#include "math/scalar.h"
#include "solve/cone_contact.h"
#include "solve/coulomb.h"

#include <string.h>

/* Proximal parameter rho, in units of W' (whose diagonal is about one): its start, its factors after a solved and an
 * unsolved proximal step, and its range. If contacts are redundant, only rho makes a step finite. Along a motion with
 * the eigenvalue lambda, a step falls short of its target by rho/lambda. The next proximal step corrects this. */
#define RHO_FIRST  1e-6
#define RHO_SHRINK 0.3
#define RHO_GROW   5.0
#define RHO_LEAST  1e-10
#define RHO_MOST   1.0
/* A proximal step counts as solved when its map has fallen by this factor, or to this value. */
#define SOLVED_SHARE 0.01
#define SOLVED       1e-13
/* Least share of the decrease that the linear model predicts. */
#define ARMIJO 1e-4
enum { MAX_NEWTON = 20, MAX_HALVINGS = 4, MAX_FACTORS = 12000 };

/* Relative residual below which rounding dominates. Only MAX_TRIES further attempts are made to reduce it. */
#define RESIDUAL_ROUNDING 1e-12
enum { MAX_TRIES = 4 };
/* Relative residual at which nothing is left to do. */
#define DONE 1e-15

/* u = W' r + q' + rho (r - anchor) -> f, its root mean square */
static double evaluate(tacConeContacts *p, double rho) {
    double sum = 0;
    tac_cone_contact_multiply(p, p->r, p->u);
    for (int i = 0; i < p->n; i++)
        p->u[i] += p->q[i] + rho * (p->r[i] - p->anchor[i]);
    for (int c = 0; c < p->ncontact; c++)
        tac_coulomb_map(p->mu[c], p->r + 3 * c, p->u + 3 * c, p->f + 3 * c, NULL, NULL);
    for (int i = 0; i < p->n; i++)
        sum += p->f[i] * p->f[i];
    return tac_sqrt(sum / p->n);
}

/* K's rows of contact i: 1 - A + A B (W' + rho); right side -f */
static void linearize(tacConeContacts *p, int i, double rho) {
    double A[9], AB[9];
    int first = p->lu.first[i];
    tac_coulomb_map(p->mu[i], p->r + 3 * i, p->u + 3 * i, p->f + 3 * i, A, AB);
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
        const double *B = p->block + 9 * (size_t)e;
        for (int k = 0; k < 9; k++) {
            const double *row = AB + k / 3 * 3, *column = B + k % 3;
            *tac_block_lu_at(&p->lu, first + k / 3, p->lu.first[p->column[e]] + k % 3) =
                row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
        }
    }
    for (int k = 0; k < 9; k++)
        *tac_block_lu_at(&p->lu, first + k / 3, first + k % 3) += (k % 4 == 0) - A[k] + rho * AB[k];
    for (int k = 0; k < 3; k++)
        p->rhs[first + k] = -p->f[3 * i + k];
}

/* Newton's direction, in the order of K. 0: there is none. */
static int find_direction(tacConeContacts *p, double rho) {
    tac_block_lu_clear(&p->lu);
    for (int i = 0; i < p->ncontact; i++)
        linearize(p, i, rho);
    if (!tac_block_lu_factor(&p->lu)) return 0;
    tac_block_lu_solve(&p->lu, p->rhs);
    return tac_first_nonfinite(p->n, p->rhs) < 0;
}

/* Line search: halves the step until the map is smaller than `size`. Returns its size; r is unchanged if it is not. */
static double search_line(tacConeContacts *p, double rho, double size) {
    double alpha = 1;
    memcpy(p->base, p->r, (size_t)p->n * sizeof *p->r);
    for (int k = 0; k < MAX_HALVINGS; k++, alpha *= 0.5) {
        for (int i = 0; i < p->n; i++)
            p->r[i] = p->base[i] + alpha * p->rhs[p->lu.first[i / 3] + i % 3];
        double now = evaluate(p, rho);
        if (now < (1 - ARMIJO * alpha) * size) return now;
    }
    memcpy(p->r, p->base, (size_t)p->n * sizeof *p->r);
    return size;
}

/* One proximal step: moves r towards r' = P(r' - ...) with u = W' r' + q' + rho (r' - r). Returns 1 if solved. */
static int proximal_step(tacConeContacts *p, double rho, int *iterations) {
    memcpy(p->anchor, p->r, (size_t)p->n * sizeof *p->r);
    double before = evaluate(p, rho), now = before;
    for (int k = 0; k < MAX_NEWTON && (k == 0 || now > SOLVED); k++) {
        (*iterations)++;
        double next = find_direction(p, rho) ? search_line(p, rho, now) : now;
        if (!(next < now)) break;
        now = next;
    }
    if (now < SOLVED_SHARE * before || now <= SOLVED) return 1;
    if (!(evaluate(p, 0) < before)) memcpy(p->r, p->anchor, (size_t)p->n * sizeof *p->r);
    return 0;
}

double tac_cone_contact_newton(tacConeContacts *p, int *iterations) {
    double best = tac_cone_contact_residual(p), rho = RHO_FIRST;
    int last = *iterations + MAX_FACTORS, tries = 0;
    memcpy(p->best, p->r, (size_t)p->n * sizeof *p->r);
    while (best > DONE && *iterations < last && tries < MAX_TRIES) {
        int solved = proximal_step(p, rho, iterations);
        double now = tac_cone_contact_residual(p);
        tries = best < RESIDUAL_ROUNDING && !(now < best) ? tries + 1 : 0;
        if (now < best) {
            best = now;
            memcpy(p->best, p->r, (size_t)p->n * sizeof *p->r);
        }
        rho = tac_clamp(rho * (solved ? RHO_SHRINK : RHO_GROW), RHO_LEAST, RHO_MOST);
    }
    memcpy(p->r, p->best, (size_t)p->n * sizeof *p->r);
    return best;
}
