#define LANES 4
#include "contact/ncp/adjoint_passes.h"

void tac_ncp_adjoint_narrow(const tacNcp *p, const tacNcpDeriv *d, tacNcpLanes *lanes, int known) {
    refine(p, d, lanes, known);
}
