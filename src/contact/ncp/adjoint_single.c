#define LANES 1
#include "contact/ncp/adjoint_passes.h"

void tac_ncp_adjoint_single(const tacNcp *p, const tacNcpDeriv *d, tacNcpLanes *lanes, int known) {
    refine(p, d, lanes, known);
}

void tac_ncp_adjoint_correct(const tacNcp *p, const tacNcpDeriv *d, const tacNcpLanes *lanes) {
    correct(p, d, lanes, (Span){0, p->m->nv});
}
