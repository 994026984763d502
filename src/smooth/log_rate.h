/* Rates of the coordinates z of q = q_0 (+) z for one rotation, to all orders (docs/theory/adaptive.md, AD4):
 *
 *   z' = T(z) w = w + z x w / 2 + k(t) z x (z x w),   k(t) = (1 - (t/2) cot(t/2))/t^2,   t = |z| < 2 pi */
#pragma once

#include "math/vec3.h"

/* T(z) w; with -z it is the transpose. */
tacVec3 tac_log_rate_exact(tacVec3 z, tacVec3 w);
/* Its change by dz at fixed w, N dz, and N^T bar. */
tacVec3 tac_log_rate_exact_jvp(tacVec3 z, tacVec3 w, tacVec3 dz);
tacVec3 tac_log_rate_exact_vjp(tacVec3 z, tacVec3 w, tacVec3 bar);
