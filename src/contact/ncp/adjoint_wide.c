#define LANES 4
#define LANE_WIDE
#include "contact/ncp/adjoint_passes.h"

LANE_TARGET void tac_ncp_adjoint_wide(const tacNcp *p, const tacNcpDeriv *d, tacNcpLanes *lanes, int known) {
    refine(p, d, lanes, known);
}
