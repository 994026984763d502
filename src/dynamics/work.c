#include "dynamics/work.h"

/* One row an array: name, number of elements. */
/* clang-format off */
#define TAC_WORK_ARRAYS(X)                                                                                       \
    X(xpos, m->nbody) X(xquat, m->nbody) X(xmat, m->nbody) X(xipos, m->nbody)                                    \
    X(joint_pos, m->njnt) X(joint_axis, m->njnt) X(origin, m->nbody) X(S, m->nv) X(inertia, m->nbody)            \
    X(V, m->nbody) X(Sdot, m->nv) X(M, m->nM) X(L, m->nM)                                                        \
    X(A, m->nbody) X(F, m->nbody) X(composite, m->nbody) X(articulated, m->nbody)                                \
    X(U, m->nv) X(Dinv, m->nv) X(uu, m->nv)                                                                      \
    X(vec[0], m->nv) X(vec[1], m->nv) X(vec[2], m->nv) X(vec[3], m->nv)                                          \
    X(rate, m->nv) X(coriolis, m->nbody)                                                                         \
    X(Lambda, m->nbody) X(X, m->nbody) X(Y, m->nbody) X(skip, m->nv) X(saturated, m->nv)              \
    X(applied, m->nbody) X(wrench, m->nbody) X(attack, m->nbody)                                      \
    X(tendon_length, m->ntendon) X(tendon_velocity, m->ntendon) X(tendon_force, m->ntendon)                      \
    X(actuator_length, m->nu) X(actuator_velocity, m->nu)                                                        \
    X(moment, (size_t)m->nu * (size_t)m->nv) X(moment_begin, m->nu) X(moment_end, m->nu)                         \
    X(ctrl, m->nu) X(force, m->nu) X(act_dot, m->na)                                                             \
    X(qfrc_passive, m->nv) X(qfrc_gravcomp, m->nv) X(qfrc_actuator, m->nv) X(bias, m->nv) X(qfrc, m->nv)         \
    X(qacc, m->nv) X(next, m->nq + m->nv + m->na)
/* clang-format on */

int tac_work_layout(tacWork *w, const tacModel *m, tacArena *arena) {
#define X(name, count)                                                                                                 \
    if ((w->name = tac_arena_take(arena, (size_t)(count) * sizeof *w->name)) == NULL) return 0;
    TAC_WORK_ARRAYS(X)
#undef X
    w->count_ties = w->tied = w->ties = 0;
    return 1;
}

size_t tac_work_bytes(const tacModel *m) {
    tacWork w;
    tacArena dry = tac_arena_dry();
    tac_work_layout(&w, m, &dry);
    return dry.peak;
}
