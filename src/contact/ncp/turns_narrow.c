#define LANES 4
#include "contact/ncp/turns_passes.h"

void tac_ncp_turns_narrow(int n, const tacQuat *from, const tacQuat *to, double s, tacVec3 *spin) {
    turns(n, from, to, s, spin);
}

void tac_ncp_momenta_narrow(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacVec3 *L) {
    momenta(n, J, spin, h, L);
}

void tac_ncp_momenta_jac_narrow(int n, const tacSym3 *J, const tacVec3 *spin, double h, tacMat3 *T) {
    momenta_jac(n, J, spin, h, T);
}
