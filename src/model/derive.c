/* NUMBER rows -> the DERIVED rows that need no dynamics. */
#include "model/inertia.h"
#include "model/validate.h"

/* --- All bodies --------------------------------------------------------------------------------------------------- */

static int has_inertia(const tacModel *m, int body) {
    tacVec3 d = m->body_inertia[body];
    return m->body_mass[body] >= TAC_MIN_INERTIA && d.x >= TAC_MIN_INERTIA && d.y >= TAC_MIN_INERTIA &&
           d.z >= TAC_MIN_INERTIA;
}

/* A body with joints, or a body welded to it, has mass and inertia. The row of subtree masses, not yet filled, serves
 * as the mark. */
static tacStatus check_moving(tacModel *m, tacError *err) {
    double *mark = m->body_subtree_mass;
    for (int b = 0; b < m->nbody; b++)
        mark[b] = 0;
    for (int b = 0; b < m->nbody; b++)
        if (has_inertia(m, b)) mark[m->body_weld[b]] = 1;
    for (int b = 1; b < m->nbody; b++) {
        if (m->body_joint_num[b] == 0 || mark[b] != 0) continue;
        tacVec3 d = m->body_inertia[b];
        return tac_fail_element(m, NULL, err, TAC_KIND_BODY, b,
                                "moving body has mass %g and inertia %g %g %g, expected each to be at least %g",
                                m->body_mass[b], d.x, d.y, d.z, TAC_MIN_INERTIA);
    }
    return TAC_OK;
}

/* Scales masses and inertias so that they sum up to option_settotalmass. */
static void scale_to_total(tacModel *m) {
    double total = 0;
    for (int b = 0; b < m->nbody; b++)
        total += m->body_mass[b];
    double scale = tac_max(TAC_MIN_INERTIA, *m->option_settotalmass / tac_max(TAC_MIN_INERTIA, total));
    for (int b = 1; b < m->nbody; b++) {
        m->body_mass[b] *= scale;
        m->body_inertia[b] = tac_scale3(scale, m->body_inertia[b]);
        m->body_icom[b] = tac_scalesym3(scale, m->body_icom[b]);
    }
}

static tacStatus derive_bodies(tacModel *m, tacError *err) {
    m->body_iquat[0] = tac_quat_identity();
    for (int b = 1; b < m->nbody; b++) {
        tacMassProperties p;
        TAC_TRY(tac_body_inertia(m, b, &p, err));
        m->body_mass[b] = p.mass;
        m->body_ipos[b] = p.com;
        m->body_iquat[b] = p.quat;
        m->body_inertia[b] = p.diag;
        m->body_icom[b] = p.icom;
    }
    if (!*m->option_literal_inertia) TAC_TRY(check_moving(m, err));
    if (*m->option_settotalmass > 0) scale_to_total(m);
    for (int b = 0; b < m->nbody; b++)
        m->body_subtree_mass[b] = m->body_mass[b];
    for (int b = m->nbody - 1; b > 0; b--)
        m->body_subtree_mass[m->body_parent[b]] += m->body_subtree_mass[b];
    return TAC_OK;
}

/* --- Coordinates -------------------------------------------------------------------------------------------------- */

/* qpos_0 is the pose in the file. A free joint has the pose of its body. */
static void derive_coordinates(tacModel *m) {
    for (int j = 0; j < m->njnt; j++) {
        double *q0 = m->qpos_0 + m->joint_qpos_adr[j], *spring = m->qpos_spring + m->joint_qpos_adr[j];
        int body = m->joint_body[j];
        switch (m->joint_type[j]) {
        case TAC_JOINT_FREE:
            tac_store3(q0, m->body_pos[body]);
            tac_quat_store(q0 + 3, m->body_quat[body]);
            tac_store3(spring, m->body_pos[body]);
            tac_quat_store(spring + 3, m->body_quat[body]);
            break;
        case TAC_JOINT_BALL:
            tac_quat_store(q0, tac_quat_identity());
            tac_quat_store(spring, tac_quat_identity());
            break;
        default:
            q0[0] = m->joint_ref[j];
            spring[0] = m->joint_springref[j];
        }
    }
}

/* Per-dof copies. If springdamper applies, the dynamics replace stiffness and damping. */
static void derive_dofs(tacModel *m) {
    for (int i = 0; i < m->nv; i++) {
        m->dof_armature[i] = m->joint_armature[m->dof_joint[i]];
        m->dof_damping[i] = m->joint_damping[m->dof_joint[i]];
    }
    for (int j = 0; j < m->njnt; j++)
        m->joint_stiffness_used[j] = m->joint_stiffness[j];
}

/* A keyframe takes missing parts from the model: qpos_0, poses of mocap bodies. (Missing velocities, activations and
 * controls are zero, and stay so.) */
static void derive_keys(tacModel *m) {
    for (int i = 0; i < m->nkey; i++) {
        double *qpos = m->key_qpos + (size_t)i * (size_t)m->nq;
        for (int k = 0; k < m->nq && !(m->key_given[i] & TAC_KEY_QPOS); k++)
            qpos[k] = m->qpos_0[k];
        for (int k = 0; k < m->nmocap; k++) {
            int row = i * m->nmocap + k, body = m->mocap_body[k];
            if (!(m->key_given[i] & TAC_KEY_MPOS)) m->key_mpos[row] = m->body_pos[body];
            if (!(m->key_given[i] & TAC_KEY_MQUAT)) m->key_mquat[row] = m->body_quat[body];
        }
    }
}

tacStatus tac_model_derive(tacModel *m, tacError *err) {
    for (int i = 0; i < m->nmesh; i++)
        TAC_TRY(tac_mesh_derive(m, i, err));
    TAC_TRY(derive_bodies(m, err));
    derive_coordinates(m);
    derive_dofs(m);
    derive_keys(m);
    return TAC_OK;
}
