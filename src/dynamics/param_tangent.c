#include "dynamics/param_tangent.h"

size_t tac_param_tangents_bytes(const tacModel *m) {
    (void)m;
    return 0;
}

int tac_param_tangents(const tacModel *m, tacWork *w, tacArena *arena, tacParamTangent *t) {
    (void)w;
    (void)arena;
    for (int p = 0; p < m->nparam; p++)
        t[p] = (tacParamTangent){.field = m->param_field[p], .index = m->param_index[p]};
    return 1;
}
