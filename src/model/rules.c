/* Rules for the meaning of written numbers. */
#include "math/vec3.h"
#include "model/model.h"

/* Tolerance of equal frames, m or quaternion component: MuJoCo's. */
#define SAME_FRAME 1e-6
/* Direction cosine that counts as zero for an axis along a coordinate: MuJoCo's. */
#define AXIS_ALIGNED 1e-14
/* Least mass used as a divisor: MuJoCo's. */
#define MIN_MASS 1e-15

int tac_geom_is_added(const tacModel *m, int geom) {
    int body = m->geom_body[geom];
    for (int g = m->body_geom_adr[body]; g < m->body_geom_adr[body] + m->body_geom_num[body]; g++)
        if (m->geom_sum[g] == geom) return 1;
    return 0;
}

int tac_joint_by_ratio(const tacModel *m, int joint) {
    const double *spring = m->joint_springdamper + 2 * joint;
    return spring[0] > 0 && spring[1] > 0;
}

double tac_damping_ratio(const tacModel *m, int actuator) {
    const double *biasprm = m->actuator_biasprm + 10 * actuator;
    double ratio = m->actuator_dampratio[actuator] > 0 ? m->actuator_dampratio[actuator] : biasprm[2];
    return m->actuator_gainprm[10 * actuator] == -biasprm[1] && ratio > 0 ? ratio : 0;
}

static int measures_angle(const tacModel *m, int a) {
    const double *gear = m->actuator_gear + 6 * a;
    int id = m->actuator_trnid[2 * a], ref = m->actuator_trnid[2 * a + 1];
    switch (m->actuator_trntype[a]) {
    case TAC_TRN_JOINT:
    case TAC_TRN_JOINT_IN_PARENT:
        return m->joint_type[id] == TAC_JOINT_BALL;
    case TAC_TRN_SITE:
        return ref >= 0 && gear[0] == 0 && gear[1] == 0 && gear[2] == 0;
    default:
        return 0;
    }
}

int tac_servo_on_circle(const tacModel *m, int a) {
    int dyntype = m->actuator_dyntype[a];
    return m->actuator_gaintype[a] == TAC_GAIN_FIXED && m->actuator_biastype[a] == TAC_BIAS_AFFINE &&
           m->actuator_gainprm[10 * a] == -m->actuator_biasprm[10 * a + 1] &&
           (dyntype == TAC_DYN_NONE || dyntype == TAC_DYN_INTEGRATOR) && measures_angle(m, a);
}

int tac_spring_is_automatic(const tacModel *m, int tendon) {
    const double *written = m->tendon_springlength + 2 * tendon;
    return written[0] == -1 && written[1] == -1;
}

int tac_weld_is_automatic(const tacModel *m, int equality) {
    const double *quat = m->equality_data + 11 * equality + 6;
    return m->equality_type[equality] == TAC_EQ_WELD && m->equality_objkind[equality] == TAC_KIND_BODY &&
           quat[0] == 0 && quat[1] == 0 && quat[2] == 0 && quat[3] == 0;
}

/* --- Sliding ------------------------------------------------------------------------------------------------------ */

static int near_zero3(tacVec3 a) {
    return tac_abs(a.x) < SAME_FRAME && tac_abs(a.y) < SAME_FRAME && tac_abs(a.z) < SAME_FRAME;
}

static int is_aligned(tacVec3 axis) {
    return (tac_abs(axis.x) > AXIS_ALIGNED) + (tac_abs(axis.y) > AXIS_ALIGNED) + (tac_abs(axis.z) > AXIS_ALIGNED) == 1;
}

static int has_child(const tacModel *m, int body) {
    for (int b = body + 1; b < m->nbody; b++)
        if (m->body_parent[b] == body) return 1;
    return 0;
}

/* 1: a tendon with inertia pulls the body. Then the full mass matrix gives its weight. */
static int is_pulled(const tacModel *m, int body) {
    for (int t = 0; t < m->ntendon; t++)
        for (int k = 0; m->tendon_armature[t] != 0 && k < m->tendon_term_num[t]; k++)
            if (m->joint_body[m->term_joint[m->tendon_term_adr[t] + k]] == body) return 1;
    return 0;
}

int tac_body_only_slides(const tacModel *m, int body) {
    int parent = m->body_parent[body];
    int near_world = parent == 0 || (m->body_parent[parent] == 0 && m->body_dof_num[parent] == 0);
    tacQuat iquat = m->body_iquat[body];
    if (!near_world || m->body_dof_num[body] == 0 || !near_zero3(m->body_ipos[body]) ||
        !near_zero3(tac_vec3(iquat.x, iquat.y, iquat.z)) || !(m->body_mass[body] > MIN_MASS))
        return 0;
    int first = m->body_joint_adr[body], last = first + m->body_joint_num[body];
    for (int j = first; j < last; j++)
        if (m->joint_type[j] != TAC_JOINT_SLIDE || !near_zero3(m->joint_pos[j]) || !is_aligned(m->joint_axis[j]))
            return 0;
    return !has_child(m, body) && !is_pulled(m, body);
}
