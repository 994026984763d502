#include "contact/ncp/turns.h"

#include "base/lanes.h"

void tac_ncp_turns(int n, const tacQuat *from, const tacQuat *to, double s, tacVec3 *spin) {
    (tac_has_wide() ? tac_ncp_turns_wide : tac_ncp_turns_narrow)(n, from, to, s, spin);
}

void tac_ncp_momenta(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacVec3 *L) {
    (tac_has_wide() ? tac_ncp_momenta_wide : tac_ncp_momenta_narrow)(n, J, spin, h, L);
}

void tac_ncp_momenta_jac(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacMat3 *T) {
    (tac_has_wide() ? tac_ncp_momenta_jac_wide : tac_ncp_momenta_jac_narrow)(n, J, spin, h, T);
}
