/* Forces of contacts on bodies: W_b = sum of +-((p - o_b) x F, F) / h with F = f_0 n + f_1 t_1 + f_2 t_2. The sign
 * is + on the body of geom[1]   (docs/theory/contact.md, R5). */
#include "contact/lcp/problem.h"

#include <string.h>

int tac_lcp_row_wrench(const tacModel *m, const tacWork *w, const tacLcp *lcp, int k, tacRowWrench *out) {
    if (!tac_row_wrench(m, w, &lcp->rows, k, out)) return 0;
    for (int side = 0; side < 2; side++)
        out->wrench[side] = tac_scale6(1 / lcp->h, out->wrench[side]);
    return 1;
}

void tac_lcp_wrenches(const tacModel *m, const tacWork *w, const tacLcp *lcp, double *wrench) {
    tacVec6 *sum = (tacVec6 *)(void *)wrench;
    tacRowWrench unit;
    memset(wrench, 0, 6 * (size_t)m->nbody * sizeof *wrench);
    for (int k = 0; k < lcp->rows.n; k++) {
        if (lcp->f[k] == 0 || !tac_lcp_row_wrench(m, w, lcp, k, &unit)) continue;
        for (int side = 0; side < 2; side++)
            sum[unit.body[side]] = tac_add6(sum[unit.body[side]], tac_scale6(lcp->f[k], unit.wrench[side]));
    }
}
