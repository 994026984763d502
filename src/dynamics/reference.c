#include "dynamics/reference.h"

#include "base/error.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass.h"
#include "dynamics/transmission.h"
#include "model/model.h"

#include <string.h>

/* --- Inverse weights ---------------------------------------------------------------------------------------------- */

/* r . M^-1 r for a row r that is nonzero only on the path from `last` to the root. Overwrites r on that path. With
 * M = L^T D L it is |D^-1/2 L^-T r|^2, and L^-T stays on the path. */
static double inverse_along_path(const tacModel *m, const tacWork *w, int last, double *r) {
    double sum = 0;
    for (int i = last; i >= 0; i = m->dof_parent[i]) {
        const double *row = w->L + m->dof_M_adr[i];
        sum += r[i] * r[i] * *row++;
        for (int j = m->dof_parent[i]; j >= 0; j = m->dof_parent[j])
            r[j] -= *row++ * r[i];
    }
    return sum;
}

/* Mean over three directions of J M^-1 J^T at the body's centre of mass, for translation or rotation. */
static double body_inverse_weight(const tacModel *m, tacWork *w, int body, int rotation) {
    static const tacVec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double sum = 0, *row = w->vec[0];
    int last = m->body_last_dof[body];
    for (int k = 0; k < 3; k++) {
        for (int i = last; i >= 0; i = m->dof_parent[i])
            row[i] = 0;
        tac_add_point_row(m, w, body, w->xipos[body], rotation ? tac_zero3() : AXES[k],
                          rotation ? AXES[k] : tac_zero3(), 1, row);
        sum += inverse_along_path(m, w, last, row);
    }
    return sum / 3;
}

/* Mean of the diagonal of M^-1 over `count` dofs from `first`. */
static void average_dofs(tacModel *m, tacWork *w, int first, int count) {
    double sum = 0, *row = w->vec[0];
    for (int d = first; d < first + count; d++) {
        for (int i = d; i >= 0; i = m->dof_parent[i])
            row[i] = i == d;
        sum += inverse_along_path(m, w, d, row);
    }
    for (int d = first; d < first + count; d++)
        m->dof_invweight[d] = sum / count;
}

static void joint_inverse_weights(tacModel *m, tacWork *w, int joint) {
    int dof = m->joint_dof_adr[joint], type = m->joint_type[joint];
    average_dofs(m, w, dof, type == TAC_JOINT_FREE || type == TAC_JOINT_BALL ? 3 : 1);
    if (type == TAC_JOINT_FREE) average_dofs(m, w, dof + 3, 3);
}

static void weigh_body(tacModel *m, tacWork *w, int body, int slides) {
    double *weight = m->body_invweight + 2 * body;
    int first = m->body_joint_adr[body], last = first + m->body_joint_num[body];
    for (int j = first; j < last; j++) {
        joint_inverse_weights(m, w, j);
        if (slides) m->dof_invweight[m->joint_dof_adr[j]] = 1 / m->body_mass[body];
    }
    weight[0] = slides ? 1 / m->body_mass[body] : body_inverse_weight(m, w, body, 0);
    weight[1] = slides ? 0 : body_inverse_weight(m, w, body, 1);
}

static void weigh_bodies(tacModel *m, tacWork *w) {
    m->body_invweight[0] = m->body_invweight[1] = 0;
    for (int b = 1; b < m->nbody; b++)
        weigh_body(m, w, b, tac_body_only_slides(m, b));
}

static void weigh_tendons(tacModel *m, tacWork *w) {
    double *row = w->vec[0], *solved = w->vec[1];
    for (int t = 0; t < m->ntendon; t++) {
        memset(row, 0, (size_t)m->nv * sizeof *row);
        tac_add_tendon_row(m, t, 1, row);
        memcpy(solved, row, (size_t)m->nv * sizeof *row);
        tac_solve(m, w, solved);
        m->tendon_invweight[t] = 0;
        for (int i = 0; i < m->nv; i++)
            m->tendon_invweight[t] += row[i] * solved[i];
    }
}

/* --- Springs and dampers given by ratios -------------------------------------------------------------------------- */

/* springdamper = (time constant T, ratio r): I = 1 / mean inverse weight, k = I / (T r)^2, b = 2 I / T */
static void springs_from_ratios(tacModel *m) {
    static const int DOFS[] = {
        [TAC_JOINT_FREE] = 6, [TAC_JOINT_BALL] = 3, [TAC_JOINT_SLIDE] = 1, [TAC_JOINT_HINGE] = 1};
    for (int j = 0; j < m->njnt; j++) {
        int first = m->joint_dof_adr[j], n = DOFS[m->joint_type[j]];
        double T = m->joint_springdamper[2 * j], r = m->joint_springdamper[2 * j + 1], sum = 0;
        int given = tac_joint_by_ratio(m, j);
        for (int i = first; i < first + n; i++)
            sum += m->dof_invweight[i];
        double inertia = n / tac_max(TAC_MIN_DIVISOR, sum);
        m->joint_stiffness_used[j] = given ? inertia / tac_max(TAC_MIN_DIVISOR, T * T * r * r) : m->joint_stiffness[j];
        for (int i = first; i < first + n; i++)
            m->dof_damping[i] = given ? 2 * inertia / tac_max(TAC_MIN_DIVISOR, T) : m->joint_damping[j];
    }
}

/* Inertia that an actuator feels, each dof's own: sum M0 / moment^2. */
static double reflected_inertia(const tacModel *m, const tacWork *w, int actuator) {
    const double *row = w->moment + (size_t)actuator * (size_t)m->nv;
    double sum = 0;
    for (int i = w->moment_begin[actuator]; i < w->moment_end[actuator]; i++)
        if (row[i] * row[i] > TAC_MIN_DIVISOR) sum += m->dof_M0[i] / (row[i] * row[i]);
    return sum;
}

/* A position servo (gain = -bias[1] = kp) may give its damping as a ratio: bias[2] = -2 ratio sqrt(kp inertia). MJCF
 * may also write the ratio as a positive bias[2]. A servo that pushes away has no such damping (MuJoCo computes NaN).
 * An unused bias is ignored. */
static tacStatus damping_from_ratios(tacModel *m, const tacWork *w, tacError *err) {
    for (int a = 0; a < m->nu; a++) {
        double kp = m->actuator_gainprm[10 * a], ratio = tac_damping_ratio(m, a);
        m->actuator_damping_used[a] = m->actuator_biasprm[10 * a + 2];
        if (ratio > 0 && kp < 0 && m->actuator_biastype[a] == TAC_BIAS_AFFINE)
            return tac_fail_at(err, TAC_ERR_MODEL, TAC_KIND_ACTUATOR, a,
                               "actuator \"%s\": damping ratio %g with kp = %g, expected a non-negative kp",
                               tac_model_name(m, TAC_KIND_ACTUATOR, a), ratio, kp);
        if (ratio > 0) m->actuator_damping_used[a] = -2 * ratio * tac_sqrt(tac_max(0, kp) * reflected_inertia(m, w, a));
    }
    return TAC_OK;
}

static void spring_lengths(tacModel *m, tacWork *w) {
    tac_tendon_lengths(m, w, m->qpos_spring);
    for (int t = 0; t < m->ntendon; t++) {
        const double *written = m->tendon_springlength + 2 * t;
        int automatic = tac_spring_is_automatic(m, t);
        m->tendon_springlength_used[2 * t] = automatic ? w->tendon_length[t] : written[0];
        m->tendon_springlength_used[2 * t + 1] = automatic ? w->tendon_length[t] : written[1];
    }
}

/* --- Relative poses of equality constraints ----------------------------------------------------------------------- */

/* A point given in one body's frame -> another's. */
static tacVec3 carry_point(const tacWork *w, int from, int to, tacVec3 p) {
    return tac_mulmtv3(w->xmat[to], tac_sub3(tac_frame_pos(w, from, p), w->xpos[to]));
}

/* connect: data[0-2] anchor in body 1 -> data[3-5] the same point in body 2.
 * weld:    data[0-2] anchor in body 2; where no quaternion was written, data[3-5] the same point in body 1 and
 *          data[6-9] the rotation from body 1 to body 2. */
static void complete_equality(tacModel *m, const tacWork *w, int eq) {
    double *data = m->equality_data_used + 11 * eq;
    memcpy(data, m->equality_data + 11 * eq, 11 * sizeof *data);
    if (m->equality_objkind[eq] != TAC_KIND_BODY) return;
    int body1 = m->equality_obj[2 * eq], body2 = m->equality_obj[2 * eq + 1];
    if (body1 < 0) body1 = 0;
    if (body2 < 0) body2 = 0;
    if (m->equality_type[eq] == TAC_EQ_CONNECT) tac_store3(data + 3, carry_point(w, body1, body2, tac_load3(data)));
    if (m->equality_type[eq] != TAC_EQ_WELD) return;
    if (!tac_weld_is_automatic(m, eq)) {
        tac_quat_store(data + 6, tac_quat_normalize(tac_quat_load(data + 6)));
        return;
    }
    tac_store3(data + 3, carry_point(w, body2, body1, tac_load3(data)));
    tac_quat_store(data + 6, tac_quat_mul(tac_quat_conj(w->xquat[body1]), w->xquat[body2]));
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

/* Diagonal of the mass matrix from the composite inertias, tendon armature left out. Needs: tac_crba. */
static void diagonal_masses(tacModel *m, const tacWork *w) {
    for (int i = 0; i < m->nv; i++)
        m->dof_M0[i] = tac_dot6(w->S[i], tac_inertia_mul(w->composite[m->dof_body[i]], w->S[i])) + m->dof_armature[i];
}

static tacStatus factor_at_reference(const tacModel *m, tacWork *w, tacError *err) {
    tacTree tree = tac_dof_tree(m);
    int dof = tac_tree_factor(&tree, w->M, NULL, w->L);
    if (dof < 0) return TAC_OK;
    int joint = m->dof_joint[dof], body = m->dof_body[dof];
    return tac_fail_at(err, TAC_ERR_SINGULAR, TAC_KIND_JOINT, joint,
                       "joint \"%s\" of body \"%s\" moves no inertia at the reference pose (degree of freedom %d), "
                       "expected mass, inertia or armature on the body or its descendants",
                       tac_model_name(m, TAC_KIND_JOINT, joint), tac_model_name(m, TAC_KIND_BODY, body), dof);
}

tacStatus tac_model_reference(tacModel *m, tacWork *w, tacError *err) {
    tac_kinematics_q(m, w, m->qpos_0, NULL);
    tac_crba(m, w);
    diagonal_masses(m, w);
    TAC_TRY(factor_at_reference(m, w, err));
    tac_tendon_lengths(m, w, m->qpos_0);
    tac_transmission_q(m, w, m->qpos_0);
    memcpy(m->tendon_length0, w->tendon_length, (size_t)m->ntendon * sizeof(double));
    memcpy(m->actuator_length0, w->actuator_length, (size_t)m->nu * sizeof(double));
    weigh_bodies(m, w);
    weigh_tendons(m, w);
    springs_from_ratios(m);
    TAC_TRY(damping_from_ratios(m, w, err));
    for (int eq = 0; eq < m->neq; eq++)
        complete_equality(m, w, eq);
    spring_lengths(m, w);
    return TAC_OK;
}
