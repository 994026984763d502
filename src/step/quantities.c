/* The public quantities. Each checks its arguments, runs the stages it needs in the simulation's scratch, and writes
 * its outputs once they are known to be finite. */
#include "step/call.h"

#include "dynamics/actuator.h"
#include "dynamics/energy.h"
#include "dynamics/forward.h"
#include "dynamics/inverse.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass.h"
#include "dynamics/passive.h"
#include "dynamics/transmission.h"

#include <string.h>

/* --- Checks ------------------------------------------------------------------------------------------------------- */

static tacStatus check_position(tacSim *sim, const char *call, const double *q) {
    return tac_check_entries(sim, call, "q", TAC_OF_QPOS, q);
}

static tacStatus check_motion(tacSim *sim, const char *call, const double *q, const double *v) {
    TAC_TRY(check_position(sim, call, q));
    return tac_check_entries(sim, call, "v", TAC_OF_DOFS, v);
}

/* Copies a result out; refused where it is not finite. */
static tacStatus give(tacSim *sim, const char *call, int n, const double *result, double *out) {
    if (tac_first_nonfinite(n, result) >= 0) return tac_sim_tell(sim, call, TAC_ERR_NONFINITE);
    memcpy(out, result, (size_t)n * sizeof *out);
    return TAC_OK;
}

/* Position stage from q; the bodies must be at finite places. */
static tacStatus place_bodies(tacSim *sim, const char *call, const double *q, const double *mocap) {
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_kinematics_q(m, w, q, mocap);
    for (int b = 0; b < m->nbody; b++)
        if (!tac_finite(tac_norm3(w->xpos[b])) || !tac_finite(tac_norm3(w->xipos[b])))
            return tac_sim_tell(sim, call, TAC_ERR_NONFINITE);
    return TAC_OK;
}

/* --- Kinematics --------------------------------------------------------------------------------------------------- */

static void give_frames(const tacModel *m, const tacWork *w, const tacKinematics *out) {
    for (int g = 0; g < m->ngeom; g++) {
        int body = m->geom_body[g];
        if (out->geom_pos != NULL) out->geom_pos[g] = tac_frame_pos(w, body, m->geom_pos[g]);
        if (out->geom_mat != NULL) out->geom_mat[g] = tac_quat_mat(tac_frame_quat(w, body, m->geom_quat[g]));
    }
    for (int s = 0; s < m->nsite; s++) {
        int body = m->site_body[s];
        if (out->site_pos != NULL) out->site_pos[s] = tac_frame_pos(w, body, m->site_pos[s]);
        if (out->site_mat != NULL) out->site_mat[s] = tac_quat_mat(tac_frame_quat(w, body, m->site_quat[s]));
    }
}

/* Copies n rows where the caller wants them. */
#define GIVE(array, n)                                                                                                 \
    if (out->array != NULL) memcpy(out->array, w->array, (size_t)(n) * sizeof *out->array)

tacStatus tac_kinematics(tacSim *sim, const double *q, const double *u, tacKinematics *out) {
    TAC_TRY(check_position(sim, __func__, q));
    if (out == NULL) return tac_sim_null(sim, __func__, "out");
    if (u != NULL) TAC_TRY(tac_check_entries(sim, __func__, "u", TAC_OF_INPUT, u));
    const tacModel *m = sim->ctx.model;
    const tacWork *w = &sim->ctx.work;
    TAC_TRY(place_bodies(sim, __func__, q, tac_inputs_of(&sim->ctx.inputs, u).mocap));
    GIVE(xpos, m->nbody);
    GIVE(xipos, m->nbody);
    GIVE(xquat, m->nbody);
    GIVE(joint_pos, m->njnt);
    GIVE(joint_axis, m->njnt);
    give_frames(m, w, out);
    if (out->subtree_com != NULL) tac_subtree_com(m, w, out->subtree_com);
    return TAC_OK;
}

tacStatus tac_body_velocity(tacSim *sim, const double *q, const double *v, tacVec6 *velocity) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    if (velocity == NULL) return tac_sim_null(sim, __func__, "velocity");
    TAC_TRY(place_bodies(sim, __func__, q, NULL));
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_kinematics_v(m, w, v);
    for (int b = 0; b < m->nbody; b++) {
        w->A[b] = (tacVec6){w->V[b].ang, tac_point_velocity(w, b, w->xpos[b])};
        if (!tac_finite(tac_dot6(w->A[b], w->A[b]))) return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    }
    memcpy(velocity, w->A, (size_t)m->nbody * sizeof *velocity);
    return TAC_OK;
}

/* Rows of the linear and angular velocity of a point of a body. Needs: position. */
static void give_jacobian(const tacModel *m, const tacWork *w, int body, tacVec3 point, double *jacp, double *jacr) {
    static const tacVec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    size_t nv = (size_t)m->nv;
    if (jacp != NULL) memset(jacp, 0, 3 * nv * sizeof *jacp);
    if (jacr != NULL) memset(jacr, 0, 3 * nv * sizeof *jacr);
    for (size_t k = 0; k < 3; k++) {
        if (jacp != NULL) tac_add_point_row(m, w, body, point, AXES[k], tac_zero3(), 1, jacp + k * nv);
        if (jacr != NULL) tac_add_point_row(m, w, body, point, tac_zero3(), AXES[k], 1, jacr + k * nv);
    }
}

tacStatus tac_point_jacobian(tacSim *sim, const double *q, int body, tacVec3 point, double *jacp, double *jacr) {
    TAC_TRY(check_position(sim, __func__, q));
    if (body < 0 || body >= sim->ctx.model->nbody)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, __func__, "body is %d, expected one of the model's %d bodies", body,
                            sim->ctx.model->nbody);
    if (!tac_finite(tac_norm3(point))) return tac_sim_fail(sim, TAC_ERR_NONFINITE, __func__, "point is not finite");
    TAC_TRY(place_bodies(sim, __func__, q, NULL));
    give_jacobian(sim->ctx.model, &sim->ctx.work, body, point, jacp, jacr);
    return TAC_OK;
}

tacStatus tac_frame_jacobian(tacSim *sim, const double *q, tacKind kind, int id, double *jacp, double *jacr) {
    TAC_TRY(check_position(sim, __func__, q));
    const tacModel *m = sim->ctx.model;
    int framed = kind == TAC_KIND_BODY || kind == TAC_KIND_GEOM || kind == TAC_KIND_SITE;
    if (!framed)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, __func__, "kind is %d, expected body, geom or site", (int)kind);
    if (id < 0 || id >= tac_model_count(m, kind))
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, __func__, "id is %d, expected one of the model's %d of kind %s", id,
                            tac_model_count(m, kind), tac_kind_text(kind));
    int body = kind == TAC_KIND_GEOM ? m->geom_body[id] : kind == TAC_KIND_SITE ? m->site_body[id] : id;
    tacVec3 pos = kind == TAC_KIND_GEOM ? m->geom_pos[id] : kind == TAC_KIND_SITE ? m->site_pos[id] : tac_zero3();
    TAC_TRY(place_bodies(sim, __func__, q, NULL));
    give_jacobian(m, &sim->ctx.work, body, tac_frame_pos(&sim->ctx.work, body, pos), jacp, jacr);
    return TAC_OK;
}

/* --- Inertia and forces ------------------------------------------------------------------------------------------- */

/* q -> w->M, finite. */
static tacStatus mass_stage(tacSim *sim, const char *call, const double *q) {
    TAC_TRY(place_bodies(sim, call, q, NULL));
    tac_crba(sim->ctx.model, &sim->ctx.work);
    int bad = tac_first_nonfinite(sim->ctx.model->nM, sim->ctx.work.M) >= 0;
    return bad ? tac_sim_tell(sim, call, TAC_ERR_NONFINITE) : TAC_OK;
}

tacStatus tac_mass_matrix(tacSim *sim, const double *q, double *M) {
    TAC_TRY(check_position(sim, __func__, q));
    if (M == NULL) return tac_sim_null(sim, __func__, "M");
    TAC_TRY(mass_stage(sim, __func__, q));
    tac_mass_dense(sim->ctx.model, &sim->ctx.work, M);
    return TAC_OK;
}

/* w->qacc = M^-1 r. Needs: mass stage. */
static tacStatus solve_mass(tacSim *sim, const double *r) {
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    TAC_TRY(tac_factor(m, w, NULL));
    memmove(w->qacc, r, (size_t)m->nv * sizeof *r);
    tac_solve(m, w, w->qacc);
    return TAC_OK;
}

tacStatus tac_mass_solve(tacSim *sim, const double *q, const double *r, double *out) {
    TAC_TRY(check_position(sim, __func__, q));
    TAC_TRY(tac_check_entries(sim, __func__, "r", TAC_OF_DOFS, r));
    if (out == NULL) return tac_sim_null(sim, __func__, "out");
    TAC_TRY(mass_stage(sim, __func__, q));
    TAC_TRY(tac_end_call(sim, __func__, solve_mass(sim, r)));
    return give(sim, __func__, sim->ctx.model->nv, sim->ctx.work.qacc, out);
}

tacStatus tac_bias(tacSim *sim, const double *q, const double *v, double *bias) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    if (bias == NULL) return tac_sim_null(sim, __func__, "bias");
    tac_kinematics_q(sim->ctx.model, &sim->ctx.work, q, NULL);
    tac_kinematics_v(sim->ctx.model, &sim->ctx.work, v);
    tac_rnea(sim->ctx.model, &sim->ctx.work, v, NULL, sim->ctx.work.bias);
    return give(sim, __func__, sim->ctx.model->nv, sim->ctx.work.bias, bias);
}

/* Tendons with inertia couple joints that the recursions over bodies keep apart. */
static int has_tendon_inertia(const tacModel *m) {
    for (int t = 0; t < m->ntendon; t++)
        if (m->tendon_armature[t] != 0) return 1;
    return 0;
}

/* tau = M a + c with the assembled M */
static void inverse_with_mass(const tacModel *m, tacWork *w, const double *v, const double *a, double *tau) {
    tac_rnea(m, w, v, NULL, w->bias);
    tac_crba(m, w);
    tac_mass_mul(m, w, a, tau);
    for (int i = 0; i < m->nv; i++)
        tau[i] += w->bias[i];
}

tacStatus tac_inverse_dynamics(tacSim *sim, const double *q, const double *v, const double *a, double *tau) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    TAC_TRY(tac_check_entries(sim, __func__, "a", TAC_OF_DOFS, a));
    if (tau == NULL) return tac_sim_null(sim, __func__, "tau");
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_kinematics_q(m, w, q, NULL);
    tac_kinematics_v(m, w, v);
    if (has_tendon_inertia(m))
        inverse_with_mass(m, w, v, a, w->qfrc);
    else
        tac_rnea(m, w, v, a, w->qfrc);
    return give(sim, __func__, m->nv, w->qfrc, tau);
}

/* w->qacc = M^-1 (tau - c) with the assembled M */
static tacStatus forward_with_mass(tacSim *sim, const double *v, const double *tau) {
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_rnea(m, w, v, NULL, w->bias);
    tac_crba(m, w);
    for (int i = 0; i < m->nv; i++)
        w->qfrc[i] = tau[i] - w->bias[i];
    return solve_mass(sim, w->qfrc);
}

tacStatus tac_forward_dynamics(tacSim *sim, const double *q, const double *v, const double *tau, double *a) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    TAC_TRY(tac_check_entries(sim, __func__, "tau", TAC_OF_DOFS, tau));
    if (a == NULL) return tac_sim_null(sim, __func__, "a");
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_kinematics_q(m, w, q, NULL);
    tac_kinematics_v(m, w, v);
    tacStatus status = has_tendon_inertia(m) ? forward_with_mass(sim, v, tau) : tac_aba(m, w, v, tau, w->qacc);
    TAC_TRY(tac_end_call(sim, __func__, status));
    return give(sim, __func__, m->nv, w->qacc, a);
}

tacStatus tac_passive(tacSim *sim, const double *q, const double *v, double *passive) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    if (passive == NULL) return tac_sim_null(sim, __func__, "passive");
    tac_smooth_motion(sim->ctx.model, &sim->ctx.work, q, v, NULL);
    return give(sim, __func__, sim->ctx.model->nv, sim->ctx.work.qfrc_passive, passive);
}

/* --- Actuators and tendons ---------------------------------------------------------------------------------------- */

/* Moment rows with their zeros. */
static void give_moment(const tacModel *m, const tacWork *w, double *moment) {
    size_t nv = (size_t)m->nv;
    memset(moment, 0, (size_t)m->nu * nv * sizeof *moment);
    for (int a = 0; a < m->nu; a++) {
        size_t begin = (size_t)w->moment_begin[a], end = (size_t)w->moment_end[a], row = (size_t)a * nv;
        memcpy(moment + row + begin, w->moment + row + begin, (end - begin) * sizeof *moment);
    }
}

tacStatus tac_actuation(tacSim *sim, const double *x, const double *u, tacActuation *out) {
    int bad;
    TAC_TRY(tac_check_state(sim, __func__, x, u, &bad));
    if (out == NULL) return tac_sim_null(sim, __func__, "out");
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    const double *v = x + m->nq, *act = v + m->nv;
    tacInputs in = tac_inputs_of(&sim->ctx.inputs, u);
    tac_smooth_motion(m, w, x, v, in.mocap);
    tac_actuator_forces(m, w, in.ctrl, act, sim->ctx.options.dt);
    if (tac_first_nonfinite(m->nu, w->actuator_length) >= 0 || tac_first_nonfinite(m->nu, w->actuator_velocity) >= 0 ||
        tac_first_nonfinite(m->nu, w->force) >= 0 || tac_first_nonfinite(m->na, w->act_dot) >= 0 ||
        tac_first_nonfinite(m->nv, w->qfrc_actuator) >= 0)
        return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    if (out->length != NULL) memcpy(out->length, w->actuator_length, (size_t)m->nu * sizeof(double));
    if (out->velocity != NULL) memcpy(out->velocity, w->actuator_velocity, (size_t)m->nu * sizeof(double));
    if (out->qfrc != NULL) memcpy(out->qfrc, w->qfrc_actuator, (size_t)m->nv * sizeof(double));
    if (out->moment != NULL) give_moment(m, w, out->moment);
    GIVE(force, m->nu);
    GIVE(act_dot, m->na);
    return TAC_OK;
}

tacStatus tac_tendons(tacSim *sim, const double *q, const double *v, double *length, double *velocity) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_tendon_lengths(m, w, q);
    tac_tendon_velocities(m, w, v);
    if (tac_first_nonfinite(m->ntendon, w->tendon_length) >= 0 ||
        tac_first_nonfinite(m->ntendon, w->tendon_velocity) >= 0)
        return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    if (length != NULL) memcpy(length, w->tendon_length, (size_t)m->ntendon * sizeof *length);
    if (velocity != NULL) memcpy(velocity, w->tendon_velocity, (size_t)m->ntendon * sizeof *velocity);
    return TAC_OK;
}

tacStatus tac_acceleration(tacSim *sim, const double *x, const double *u, double *qacc) {
    int bad;
    TAC_TRY(tac_check_state(sim, __func__, x, u, &bad));
    if (qacc == NULL) return tac_sim_null(sim, __func__, "qacc");
    return tac_end_call(sim, __func__, sim->ctx.stepper->acceleration(&sim->ctx, x, u, qacc));
}

/* --- Energy and momentum ------------------------------------------------------------------------------------------ */

tacStatus tac_energy(tacSim *sim, const double *q, const double *v, tacEnergy *energy) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    if (energy == NULL) return tac_sim_null(sim, __func__, "energy");
    TAC_TRY(mass_stage(sim, __func__, q));
    const tacModel *m = sim->ctx.model;
    tacWork *w = &sim->ctx.work;
    tac_tendon_lengths(m, w, q);
    tacEnergy e = {tac_kinetic_energy(m, w, v), tac_potential_energy(m, w, q)};
    if (!tac_finite(e.kinetic) || !tac_finite(e.potential)) return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    *energy = e;
    return TAC_OK;
}

tacStatus tac_momentum(tacSim *sim, const double *q, const double *v, tacVec6 *momentum) {
    TAC_TRY(check_motion(sim, __func__, q, v));
    if (momentum == NULL) return tac_sim_null(sim, __func__, "momentum");
    tac_kinematics_q(sim->ctx.model, &sim->ctx.work, q, NULL);
    tac_kinematics_v(sim->ctx.model, &sim->ctx.work, v);
    tacVec6 h = tac_total_momentum(sim->ctx.model, &sim->ctx.work);
    if (!tac_finite(tac_dot6(h, h))) return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    *momentum = h;
    return TAC_OK;
}
