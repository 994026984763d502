#define LANES 4
#define LANE_WIDE
#include "contact/ncp/turns_passes.h"

LANE_TARGET void tac_ncp_turns_wide(int n, const tacQuat *from, const tacQuat *to, double s, tacVec3 *spin) {
    turns(n, from, to, s, spin);
}

LANE_TARGET void tac_ncp_momenta_wide(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacVec3 *L) {
    momenta(n, J, spin, h, L);
}

LANE_TARGET void tac_ncp_momenta_jac_wide(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacMat3 *T) {
    momenta_jac(n, J, spin, h, T);
}
