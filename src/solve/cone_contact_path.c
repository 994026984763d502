/* The central path: r = (gamma, xi_t), s = u_n, eta_t = u_t, xi_0 = mu gamma; gamma s = kappa, xi o eta = kappa e
 * (W43) */
#include "math/scalar.h"
#include "solve/cone_contact.h"
#include "solve/interior.h"

#include <string.h>

/* Tolerances of the linear equations, and of the products in units of kappa. Newton's method continues from there. */
#define RESIDUAL 1e-10
#define CENTRING 0.1
/* Share of the way to the border that a step takes at least   [Howell2022, algorithm 2] */
#define SHARE 0.95
enum { MAX_ITERATIONS = 100 };

/* --- Cones -------------------------------------------------------------------------------------------------------- */

void tac_cone_contact_begin_path(tacConeContacts *p) {
    p->ncone = 0;
    p->numbers = 0;
    for (int c = 0; c < p->ncontact; c++) {
        double mu = p->mu[c], *a = p->a + p->numbers, *b = p->b + p->numbers;
        p->adr[c] = p->numbers;
        p->dim[p->ncone++] = 1;
        p->numbers += 1;
        a[0] = 1;
        b[0] = 1;
        if (mu == 0) continue;
        p->dim[p->ncone++] = 3;
        p->numbers += 3;
        a[1] = mu;
        b[1] = 1 / mu;
        a[2] = a[3] = b[2] = b[3] = 0;
    }
    for (int i = 0; i < p->ncone; i++)
        p->weight[i] = 1;
}

static void read_point(tacConeContacts *p, const double *a, const double *b) {
    for (int c = 0; c < p->ncontact; c++) {
        const double *ac = a + p->adr[c], *bc = b + p->adr[c];
        double *r = p->r + 3 * c;
        tacFrictionPoint *at = p->point + c;
        *at = (tacFrictionPoint){.mu = p->mu[c], .gamma = ac[0], .s = bc[0]};
        r[0] = at->gamma;
        r[1] = r[2] = 0;
        if (at->mu == 0) continue;
        memcpy(at->xi, ac + 1, sizeof at->xi);
        memcpy(at->eta, bc + 1, sizeof at->eta);
        r[1] = at->xi[1];
        r[2] = at->xi[2];
    }
}

/* --- The interior point's functions ------------------------------------------------------------------------------- */

static tacStatus residual(void *user, const double *x, const double *a, const double *b, double *violation) {
    tacConeContacts *p = user;
    (void)x;
    read_point(p, a, b);
    tac_cone_contact_multiply(p, p->r, p->u);
    *violation = 0;
    for (int c = 0; c < p->ncontact; c++) {
        const tacFrictionPoint *at = p->point + c;
        tacFrictionRhs *e = p->rhs_friction + c;
        double *u = p->u + 3 * c;
        for (int i = 0; i < 3; i++)
            u[i] += p->q[3 * c + i];
        *e = (tacFrictionRhs){.e_s = at->s - u[0]};
        if (at->mu > 0) e->e_xi = at->xi[0] - at->mu * at->gamma;
        if (at->mu > 0) {
            e->e_eta[0] = at->eta[1] - u[1];
            e->e_eta[1] = at->eta[2] - u[2];
        }
        double worst =
            tac_max(tac_max(tac_abs(e->e_s), tac_abs(e->e_xi)), tac_max(tac_abs(e->e_eta[0]), tac_abs(e->e_eta[1])));
        *violation = tac_max(*violation, worst);
    }
    return TAC_OK;
}

/* K = W' + C; without friction the tangents' rows say dr_t = 0. */
static tacStatus factor(void *user, const double *x, const double *a, const double *b) {
    tacConeContacts *p = user;
    (void)x;
    (void)a;
    (void)b;
    tac_block_lu_clear(&p->lu);
    for (int i = 0; i < p->ncontact; i++) {
        int rows = p->mu[i] > 0 ? 3 : 1, first = p->lu.first[i];
        double C[9];
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            for (int k = 0; k < rows; k++)
                memcpy(tac_block_lu_at(&p->lu, first + k, p->lu.first[p->column[e]]), p->block + 9 * (size_t)e + 3 * k,
                       3 * sizeof(double));
        tac_friction_compliance(p->point + i, C);
        for (int k = 0; k < 9; k++)
            *tac_block_lu_at(&p->lu, first + k / 3, first + k % 3) += C[k];
        for (int k = rows; k < 3; k++)
            *tac_block_lu_at(&p->lu, first + k, first + k) = 1;
    }
    return tac_block_lu_factor(&p->lu) ? TAC_OK : TAC_ERR_SINGULAR;
}

/* Solves (W' + C) dr = w; everything else follows from dr. */
static void solve(void *user, const double *c, double *dx, double *da, double *db) {
    tacConeContacts *p = user;
    double *dr = p->f, *du = p->rhs;
    (void)dx;
    for (int i = 0; i < p->ncontact; i++) {
        tacFrictionRhs *z = p->rhs_friction + i;
        z->c_normal = c[p->adr[i]];
        if (p->mu[i] > 0) memcpy(z->c_friction, c + p->adr[i] + 1, sizeof z->c_friction);
        tac_friction_offset(p->point + i, z, du + p->lu.first[i]);
    }
    tac_block_lu_solve(&p->lu, du);
    for (int i = 0; i < p->ncontact; i++)
        memcpy(dr + 3 * i, du + p->lu.first[i], 3 * sizeof *dr);
    tac_cone_contact_multiply(p, dr, du);
    for (int i = 0; i < p->ncontact; i++) {
        tacFrictionStep d = tac_friction_step_of_impulse(p->point + i, p->rhs_friction + i, dr + 3 * i, du + 3 * i);
        int adr = p->adr[i];
        da[adr] = d.gamma;
        db[adr] = d.s;
        if (p->mu[i] == 0) continue;
        memcpy(da + adr + 1, d.xi, sizeof d.xi);
        memcpy(db + adr + 1, d.eta, sizeof d.eta);
    }
}

/* --- The path ----------------------------------------------------------------------------------------------------- */

void tac_cone_contact_measure_path(int ncontact, tacArena *dry) { tac_interior_measure(0, 4 * ncontact, dry); }

tacStatus tac_cone_contact_path(tacConeContacts *p, double kappa, tacArena *arena, int *iterations) {
    tacInteriorProblem problem = {0, p->ncone, p->dim, p->weight, p, residual, factor, solve, NULL, NULL, NULL};
    tacInteriorSettings settings = {
        .kappa = kappa, .residual = RESIDUAL, .centring = CENTRING, .max_iterations = MAX_ITERATIONS, .share = SHARE};
    tacInterior point = {.x = NULL, .a = p->a, .b = p->b};
    tacStatus status = tac_interior_solve(&problem, &settings, &point, arena);
    *iterations += point.iterations;
    return status;
}
