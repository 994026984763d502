#include "io/mjcf_read.h"
tacStatus tac_mjcf_simplify(tacMjcf *m) {
    (void)m;
    return TAC_OK;
}
