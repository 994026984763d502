/* Public derivatives of inverse and forward dynamics, the inertial regressor, the momentum matrix, and dJ/dt v. */
#include "step/dynamics_jac.h"

#include "dynamics/forward.h"
#include "dynamics/inverse.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass.h"
#include "dynamics/regressor.h"

#include <string.h>

/* Results of a call until they are known to be finite. */
typedef struct Scratch {
    double *rows;  /* nv rows of three blocks of nv numbers */
    double *value; /* nv */
} Scratch;

static int layout(const tacModel *m, tacArena *arena, Scratch *s) {
    size_t nv = (size_t)m->nv;
    s->rows = TAC_TAKE(arena, 3 * nv * nv + 1, double);
    s->value = TAC_TAKE(arena, nv + 1, double);
    return s->rows != NULL && s->value != NULL;
}

void tac_dynamics_jac_measure(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    Scratch s;
    layout(m, dry, &s);
}

static tacStatus check_motion(tacSim *sim, const char *call, const double *q, const double *v) {
    TAC_TRY(tac_check_entries(sim, call, "q", TAC_OF_QPOS, q));
    return tac_check_entries(sim, call, "v", TAC_OF_DOFS, v);
}

/* Copies a block of nv columns out of rows of `ld` numbers; NULL skips it. */
static void give_block(int nv, int ld, const double *from, double *to) {
    for (int i = 0; to != NULL && i < nv; i++)
        memcpy(to + (size_t)i * (size_t)nv, from + (size_t)i * (size_t)ld, (size_t)nv * sizeof *to);
}

/* n numbers copied out, where they are wanted. */
static void give_array(int n, const double *from, double *to) {
    if (to != NULL) memcpy(to, from, (size_t)n * sizeof *to);
}

static int all_finite(size_t n, const double *x) { return tac_first_nonfinite((int)n, x) < 0; }

/* Tendons with inertia add a constant matrix to M, which tac_crba has and the recursion over bodies has not. */
static void inverse_value(const tacModel *m, tacWork *w, const double *v, const double *a, double *tau) {
    tac_rnea(m, w, v, NULL, w->bias);
    tac_crba(m, w);
    tac_mass_mul(m, w, a, tau);
    for (int i = 0; i < m->nv; i++)
        tau[i] += w->bias[i];
}

tacStatus tac_inverse_dynamics_jac(tacSim *sim, const double *q, const double *v, const double *a,
                                   const tacInverseJac *jac) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    TAC_TRY(tac_check_entries(sim, __func__, "a", TAC_OF_DOFS, a));
    if (jac == NULL) return tac_sim_null(sim, __func__, "jac");
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    int nv = m->nv, ld = 3 * nv;
    TAC_SCOPE(&sim->ctx.arena);
    Scratch s;
    if (!layout(m, &sim->ctx.arena, &s)) return tac_sim_tell(sim, __func__, TAC_ERR_ARENA_FULL);
    tac_kinematics_q(m, w, q, NULL);
    tac_kinematics_v(m, w, v);
    inverse_value(m, w, v, a, s.value);
    memset(s.rows, 0, 3 * (size_t)nv * (size_t)nv * sizeof *s.rows);
    tac_rnea_jac(m, w, v, a, ld, s.rows, s.rows + nv);
    if (!all_finite((size_t)nv, s.value) || !all_finite((size_t)nv * (size_t)ld, s.rows) ||
        !all_finite((size_t)m->nM, w->M))
        return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    give_array(nv, s.value, jac->tau);
    give_block(nv, ld, s.rows, jac->q);
    give_block(nv, ld, s.rows + nv, jac->v);
    if (jac->a != NULL) tac_mass_dense(m, w, jac->a);
    return TAC_OK;
}

tacStatus tac_forward_dynamics_jac(tacSim *sim, const double *q, const double *v, const double *tau,
                                   const tacForwardJac *jac) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    TAC_TRY(tac_check_entries(sim, __func__, "tau", TAC_OF_DOFS, tau));
    if (jac == NULL) return tac_sim_null(sim, __func__, "jac");
    const tacModel *m = sim->ctx.model;
    int nv = m->nv, ld = 3 * nv;
    TAC_SCOPE(&sim->ctx.arena);
    Scratch s;
    if (!layout(m, &sim->ctx.arena, &s)) return tac_sim_tell(sim, __func__, TAC_ERR_ARENA_FULL);
    tac_kinematics_q(m, &sim->ctx.work, q, NULL);
    tac_kinematics_v(m, &sim->ctx.work, v);
    TAC_TRY(tac_end_call(sim, __func__, tac_forward_jac(m, &sim->ctx.work, v, tau, s.value, s.rows)));
    if (!all_finite((size_t)nv, s.value) || !all_finite((size_t)nv * (size_t)ld, s.rows))
        return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    give_array(nv, s.value, jac->a);
    give_block(nv, ld, s.rows, jac->q);
    give_block(nv, ld, s.rows + nv, jac->v);
    give_block(nv, ld, s.rows + 2 * (size_t)nv, jac->tau);
    return TAC_OK;
}

tacStatus tac_inertial_regressor(tacSim *sim, const double *q, const double *v, const double *a, double *Y) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    TAC_TRY(tac_check_entries(sim, __func__, "a", TAC_OF_DOFS, a));
    if (Y == NULL) return tac_sim_null(sim, __func__, "Y");
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_kinematics_q(m, w, q, NULL);
    tac_kinematics_v(m, w, v);
    tac_rnea(m, w, v, a, w->qfrc);
    if (!tac_regressor(m, w, NULL)) return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    tac_regressor(m, w, Y);
    return TAC_OK;
}

tacStatus tac_inertial_params(tacSim *sim, double *pi) {
    if (sim == NULL) return TAC_ERR_ARGUMENT;
    if (pi == NULL) return tac_sim_null(sim, __func__, "pi");
    tac_inertial_parameters(sim->ctx.model, pi);
    return TAC_OK;
}

tacStatus tac_momentum_matrix(tacSim *sim, const double *q, double *A) {
    TAC_TRY(tac_check_entries(sim, __func__, "q", TAC_OF_QPOS, q));
    if (A == NULL) return tac_sim_null(sim, __func__, "A");
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_kinematics_q(m, w, q, NULL);
    if (!tac_momentum_columns(m, w, NULL)) return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    tac_momentum_columns(m, w, A);
    return TAC_OK;
}

/* Acceleration of the frame's origin with qacc = 0 and without gravity: with A the sum of Sdot_i v_i about the tree's
 * origin O, r = p - O and the point's velocity u,  d2p/dt2 = A.lin + A.ang x r + w x u. */
static tacVec6 frame_bias(const tacModel *m, const tacWork *w, const double *v, int body, tacVec3 point) {
    tacVec6 A = tac_zero6();
    for (int i = m->body_last_dof[body]; i >= 0; i = m->dof_parent[i])
        A = tac_madd6(A, v[i], w->Sdot[i]);
    tacVec3 r = tac_sub3(point, w->origin[body]), u = tac_point_velocity(w, body, point);
    A.lin = tac_add3(A.lin, tac_add3(tac_cross3(A.ang, r), tac_cross3(w->V[body].ang, u)));
    return A;
}

tacStatus tac_frame_bias(tacSim *sim, const double *q, const double *v, tacKind kind, int id, tacVec6 *bias) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    if (bias == NULL) return tac_sim_null(sim, __func__, "bias");
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    if (kind != TAC_KIND_BODY && kind != TAC_KIND_GEOM && kind != TAC_KIND_SITE)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, __func__, "kind is %d, expected body, geom or site", (int)kind);
    if (id < 0 || id >= tac_model_count(m, kind))
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, __func__, "id is %d, expected one of the model's %d of kind %s", id,
                            tac_model_count(m, kind), tac_kind_text(kind));
    int body = kind == TAC_KIND_GEOM ? m->geom_body[id] : kind == TAC_KIND_SITE ? m->site_body[id] : id;
    tacVec3 pos = kind == TAC_KIND_GEOM ? m->geom_pos[id] : kind == TAC_KIND_SITE ? m->site_pos[id] : tac_zero3();
    tac_kinematics_q(m, w, q, NULL);
    tac_kinematics_v(m, w, v);
    tacVec6 A = frame_bias(m, w, v, body, tac_frame_pos(w, body, pos));
    if (!tac_finite(tac_dot6(A, A))) return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    *bias = A;
    return TAC_OK;
}
