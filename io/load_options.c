#include "tactus/io.h"

tacLoadOptions tac_default_load_options(void) {
    return (tacLoadOptions){.base = TAC_BASE_AUTO, .max_bytes = (size_t)1 << 30};
}
