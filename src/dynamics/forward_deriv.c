#include "dynamics/forward.h"

#include "dynamics/inverse.h"
#include "dynamics/mass.h"

#include <string.h>

/* a = M^-1 (tau - c). */
static tacStatus accelerate(const tacModel *m, tacWork *w, const double *v, const double *tau, double *a) {
    tac_rnea(m, w, v, NULL, w->bias);
    tac_crba(m, w);
    tacStatus status = tac_factor(m, w, NULL);
    if (status != TAC_OK) return status;
    for (int i = 0; i < m->nv; i++)
        a[i] = tau[i] - w->bias[i];
    tac_solve(m, w, a);
    return TAC_OK;
}

/* (D8): the right sides [dID/dq | dID/dv | -1], one solve with the factor of M, and the sign. */
tacStatus tac_forward_jac(const tacModel *m, tacWork *w, const double *v, const double *tau, double *a, double *jac) {
    size_t n = (size_t)m->nv, ld = 3 * n;
    tacStatus status = accelerate(m, w, v, tau, a);
    if (status != TAC_OK) return status;
    memset(jac, 0, n * ld * sizeof *jac);
    tac_rnea_jac(m, w, v, a, (int)ld, jac, jac + n);
    for (size_t i = 0; i < n; i++)
        jac[i * ld + 2 * n + i] = -1;
    tacTree tree = tac_dof_tree(m);
    tac_tree_solve_many(&tree, w->L, (int)ld, jac);
    for (size_t i = 0; i < n * ld; i++)
        jac[i] = -jac[i];
    return TAC_OK;
}
