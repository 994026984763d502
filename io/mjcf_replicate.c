#include "io/mjcf_read.h"
tacStatus tac_mjcf_replicate(tacMjcf *m) {
    (void)m;
    return TAC_OK;
}
