#include "dynamics/forward.h"

#include "base/error.h"
#include "dynamics/inverse.h"
#include "dynamics/mass.h"

#include <string.h>

/* a = M^-1 (tau - c). */
static tacStatus accelerate(const tacModel *m, tacWork *w, const double *v, const double *tau, double *a) {
    tac_rnea(m, w, v, NULL, w->bias);
    tac_crba(m, w);
    TAC_TRY(tac_factor(m, w, NULL));
    for (int i = 0; i < m->nv; i++)
        a[i] = tau[i] - w->bias[i];
    tac_solve(m, w, a);
    return TAC_OK;
}

static void negate_diagonal(const tacModel *m, double *L) {
    for (int i = 0; i < m->nv; i++)
        L[m->dof_M_adr[i]] = -L[m->dof_M_adr[i]];
}

/* (ID8). D carries the minus sign of the first two blocks. */
tacStatus tac_forward_jac(const tacModel *m, tacWork *w, const double *v, const double *tau, double *a, double *jac) {
    size_t n = (size_t)m->nv, ld = 3 * n;
    tacTree tree = tac_dof_tree(m);
    TAC_TRY(accelerate(m, w, v, tau, a));
    for (size_t i = 0; i < n; i++)
        memset(jac + i * ld, 0, 2 * n * sizeof *jac);
    tac_rnea_jac(m, w, v, a, (int)ld, jac, jac + n);
    tac_tree_inverse(&tree, w->L, (int)ld, jac + 2 * n);
    negate_diagonal(m, w->L);
    tac_tree_solve_block(&tree, w->L, 2 * m->nv, (int)ld, jac);
    negate_diagonal(m, w->L);
    return TAC_OK;
}
