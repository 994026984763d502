#include "dynamics/transmission.h"

#include "dynamics/kinematics.h"

#define TAC_TWO_PI 6.283185307179586476925286766559

/* --- Tendons ------------------------------------------------------------------------------------------------------ */

void tac_tendon_lengths(const tacModel *m, tacWork *w, const double *q) {
    for (int t = 0; t < m->ntendon; t++) {
        double length = 0;
        int first = m->tendon_term_adr[t], last = first + m->tendon_term_num[t];
        for (int k = first; k < last; k++)
            length += m->term_coef[k] * q[m->joint_qpos_adr[m->term_joint[k]]];
        w->tendon_length[t] = length;
    }
}

void tac_tendon_velocities(const tacModel *m, tacWork *w, const double *v) {
    for (int t = 0; t < m->ntendon; t++) {
        double velocity = 0;
        int first = m->tendon_term_adr[t], last = first + m->tendon_term_num[t];
        for (int k = first; k < last; k++)
            velocity += m->term_coef[k] * v[m->joint_dof_adr[m->term_joint[k]]];
        w->tendon_velocity[t] = velocity;
    }
}

void tac_add_tendon_row(const tacModel *m, int tendon, double scale, double *row) {
    int first = m->tendon_term_adr[tendon], last = first + m->tendon_term_num[tendon];
    for (int k = first; k < last; k++)
        row[m->joint_dof_adr[m->term_joint[k]]] += scale * m->term_coef[k];
}

/* --- Moment rows -------------------------------------------------------------------------------------------------- */

/* Declares the stored columns [begin, end) of a row and clears them. */
static double *open_row(tacTransmitted *out, int begin, int end) {
    out->begin = begin;
    out->end = end;
    for (int i = begin; i < end; i++)
        out->row[i] = 0;
    return out->row;
}

static tacVec3 site_pos(const tacModel *m, const tacWork *w, int site) {
    return tac_frame_pos(w, m->site_body[site], m->site_pos[site]);
}

static tacQuat site_quat(const tacModel *m, const tacWork *w, int site) {
    return tac_frame_quat(w, m->site_body[site], m->site_quat[site]);
}

static int last_dof(const tacModel *m, int site) { return m->body_last_dof[m->site_body[site]]; }

/* Ball joint: length = gear . log(quat), moment = gear, in the child's axes. Gear in the parent's axes is turned into
 * the child's. The row is MuJoCo's: a torque along gear. It equals d(length)/dq only to first order in the angle. */
static void transmit_ball(const tacModel *m, int actuator, const double *gears, tacQuat quat, tacTransmitted *out) {
    int dof = m->joint_dof_adr[m->actuator_trnid[2 * actuator]];
    tacVec3 gear = tac_load3(gears);
    if (m->actuator_trntype[actuator] == TAC_TRN_JOINT_IN_PARENT) gear = tac_quat_rotate(tac_quat_conj(quat), gear);
    out->length = tac_dot3(tac_quat_log(quat), gear);
    double *row = open_row(out, dof, dof + 3);
    tac_store3(row + dof, gear);
}

/* Free joint: a wrench of six gears, force in world axes, torque in the child's (in-parent: world) axes; no length. */
static void transmit_free(const tacModel *m, int actuator, const double *gear, tacQuat quat, tacTransmitted *out) {
    int dof = m->joint_dof_adr[m->actuator_trnid[2 * actuator]];
    tacVec3 torque = tac_load3(gear + 3);
    if (m->actuator_trntype[actuator] == TAC_TRN_JOINT_IN_PARENT) torque = tac_quat_rotate(tac_quat_conj(quat), torque);
    out->length = 0;
    double *row = open_row(out, dof, dof + 6);
    tac_store3(row + dof, tac_load3(gear));
    tac_store3(row + dof + 3, torque);
}

static void transmit_joint(const tacModel *m, int actuator, const double *gear, const double *q, tacTransmitted *out) {
    int joint = m->actuator_trnid[2 * actuator], dof = m->joint_dof_adr[joint];
    const double *qj = q + m->joint_qpos_adr[joint];
    switch (m->joint_type[joint]) {
    case TAC_JOINT_FREE:
        transmit_free(m, actuator, gear, tac_quat_normalize(tac_quat_load(qj + 3)), out);
        break;
    case TAC_JOINT_BALL:
        transmit_ball(m, actuator, gear, tac_quat_normalize(tac_quat_load(qj)), out);
        break;
    default:
        out->length = gear[0] * qj[0];
        open_row(out, dof, dof + 1)[dof] = gear[0];
    }
}

/* Slider-crank: rod of length r from the crank's pin to a slider on axis a; with p = pin - slider,
 *   L = a.p - sqrt(det),  det = (a.p)^2 + r^2 - p.p
 * where the rod is too short to reach (det <= 0), L = a.p. Only the axis turns: da = w x a. */
static void transmit_slidercrank(const tacModel *m, const tacWork *w, int actuator, double gear, tacTransmitted *out) {
    int crank = m->actuator_trnid[2 * actuator], slider = m->actuator_trnid[2 * actuator + 1];
    double rod = m->actuator_cranklength[actuator];
    tacVec3 axis = tac_quat_rotate(site_quat(m, w, slider), tac_vec3(0, 0, 1));
    tacVec3 crank_pos = site_pos(m, w, crank), slider_pos = site_pos(m, w, slider);
    tacVec3 p = tac_sub3(crank_pos, slider_pos);
    double along = tac_dot3(axis, p), det = along * along + rod * rod - tac_dot3(p, p);
    double root = det > 0 ? tac_sqrt(det) : 0, s = det > 0 ? 1 - along / root : 1;
    /* dL/dp = s a + p / root,  dL/da = s p */
    tacVec3 dL_dp = det > 0 ? tac_madd3(tac_scale3(s, axis), 1 / root, p) : axis;
    tacVec3 dL_da = tac_scale3(s, p);
    out->length = gear * (along - root);
    int last = last_dof(m, crank) > last_dof(m, slider) ? last_dof(m, crank) : last_dof(m, slider);
    double *row = open_row(out, 0, last + 1);
    tac_add_point_row(m, w, m->site_body[crank], crank_pos, dL_dp, tac_zero3(), gear, row);
    tac_add_point_row(m, w, m->site_body[slider], slider_pos, tac_neg3(dL_dp), tac_cross3(axis, dL_da), gear, row);
}

static void transmit_tendon(const tacModel *m, const tacWork *w, int actuator, double gear, tacTransmitted *out) {
    int tendon = m->actuator_trnid[2 * actuator], begin = m->nv, end = 0;
    int first = m->tendon_term_adr[tendon], last = first + m->tendon_term_num[tendon];
    for (int k = first; k < last; k++) {
        int dof = m->joint_dof_adr[m->term_joint[k]];
        if (dof < begin) begin = dof;
        if (dof >= end) end = dof + 1;
    }
    out->length = gear * w->tendon_length[tendon];
    tac_add_tendon_row(m, tendon, gear, open_row(out, begin < end ? begin : 0, end));
}

/* Site alone: the gear is a wrench in the site's axes; no length. */
static void transmit_site(const tacModel *m, const tacWork *w, int actuator, const double *gear, tacTransmitted *out) {
    int site = m->actuator_trnid[2 * actuator];
    tacQuat quat = site_quat(m, w, site);
    out->length = 0;
    double *row = open_row(out, 0, last_dof(m, site) + 1);
    tac_add_point_row(m, w, m->site_body[site], site_pos(m, w, site), tac_quat_rotate(quat, tac_load3(gear)),
                      tac_quat_rotate(quat, tac_load3(gear + 3)), 1, row);
}

/* Last dof that moves both bodies, or -1. */
static int common_dof(const tacModel *m, int dof1, int dof2) {
    while (dof1 != dof2 && dof1 >= 0 && dof2 >= 0) {
        if (dof1 < dof2)
            dof2 = m->dof_parent[dof2];
        else
            dof1 = m->dof_parent[dof1];
    }
    return dof1 == dof2 ? dof1 : -1;
}

/* Rotation from the reference site to the site, measured as in MuJoCo: by the product site quaternion times body
 * quaternion, in this order. It is the true rotation if the sites are aligned with their bodies. */
static tacVec3 measured_rotation(const tacModel *m, const tacWork *w, int site, int ref) {
    tacQuat quat = tac_quat_mul(m->site_quat[site], w->xquat[m->site_body[site]]);
    tacQuat refquat = tac_quat_mul(m->site_quat[ref], w->xquat[m->site_body[ref]]);
    return tac_quat_log(tac_quat_mul(tac_quat_conj(refquat), quat));
}

static int all_zero3(const double *x) { return x[0] == 0 && x[1] == 0 && x[2] == 0; }

/* Site and reference site: the site's pose in the reference site's axes, dot gear. Dofs that move both do nothing. */
static void transmit_site_pair(const tacModel *m, const tacWork *w, int actuator, const double *gear,
                               tacTransmitted *out) {
    int site = m->actuator_trnid[2 * actuator], ref = m->actuator_trnid[2 * actuator + 1];
    tacVec3 pos = site_pos(m, w, site), ref_pos = site_pos(m, w, ref), arm = tac_sub3(pos, ref_pos);
    tacQuat ref_quat = site_quat(m, w, ref);
    tacVec3 direction = tac_quat_rotate(ref_quat, tac_load3(gear));
    tacVec3 rotation = tac_quat_rotate(ref_quat, tac_load3(gear + 3));
    double length = tac_dot3(arm, direction);
    if (!all_zero3(gear + 3)) length += tac_dot3(measured_rotation(m, w, site, ref), tac_load3(gear + 3));
    out->length = length;
    int dof1 = last_dof(m, site), dof2 = last_dof(m, ref);
    double *row = open_row(out, 0, (dof1 > dof2 ? dof1 : dof2) + 1);
    tac_add_point_row(m, w, m->site_body[site], pos, direction, rotation, 1, row);
    tac_add_point_row(m, w, m->site_body[ref], ref_pos, direction, rotation, -1, row);
    for (int i = common_dof(m, dof1, dof2); i >= 0; i = m->dof_parent[i])
        row[i] = 0;
}

void tac_transmit(const tacModel *m, const tacWork *w, int a, const double *gear, const double *q,
                  tacTransmitted *out) {
    switch (m->actuator_trntype[a]) {
    case TAC_TRN_JOINT:
    case TAC_TRN_JOINT_IN_PARENT:
        transmit_joint(m, a, gear, q, out);
        break;
    case TAC_TRN_SLIDERCRANK:
        transmit_slidercrank(m, w, a, gear[0], out);
        break;
    case TAC_TRN_TENDON:
        transmit_tendon(m, w, a, gear[0], out);
        break;
    case TAC_TRN_SITE:
        if (m->actuator_trnid[2 * a + 1] >= 0)
            transmit_site_pair(m, w, a, gear, out);
        else
            transmit_site(m, w, a, gear, out);
        break;
    default: /* TAC_TRN_BODY acts through contacts alone */
        out->length = 0;
        open_row(out, 0, 0);
    }
}

void tac_transmission_q(const tacModel *m, tacWork *w, const double *q) {
    for (int a = 0; a < m->nu; a++) {
        tacTransmitted out = {.row = w->moment + (size_t)a * (size_t)m->nv};
        tac_transmit(m, w, a, m->actuator_gear + 6 * a, q, &out);
        w->actuator_length[a] = out.length;
        w->moment_begin[a] = out.begin;
        w->moment_end[a] = out.end;
    }
}

void tac_transmission_v(const tacModel *m, tacWork *w, const double *v) {
    for (int a = 0; a < m->nu; a++) {
        const double *row = w->moment + (size_t)a * (size_t)m->nv;
        double velocity = 0;
        for (int i = w->moment_begin[a]; i < w->moment_end[a]; i++)
            velocity += row[i] * v[i];
        w->actuator_velocity[a] = velocity;
    }
}

double tac_transmission_period(const tacModel *m, int actuator) {
    const double *gear = m->actuator_gear + 6 * actuator;
    const int *trnid = m->actuator_trnid + 2 * actuator;
    switch (m->actuator_trntype[actuator]) {
    case TAC_TRN_JOINT:
    case TAC_TRN_JOINT_IN_PARENT:
        return m->joint_type[trnid[0]] == TAC_JOINT_BALL ? TAC_TWO_PI * tac_norm3(tac_load3(gear)) : 0;
    case TAC_TRN_SITE:
        return trnid[1] >= 0 && all_zero3(gear) ? TAC_TWO_PI * tac_norm3(tac_load3(gear + 3)) : 0;
    default:
        return 0;
    }
}

double tac_transmission_period_jac(const tacModel *m, int actuator, int k) {
    const double *gear = m->actuator_gear + 6 * actuator;
    int first = m->actuator_trntype[actuator] == TAC_TRN_SITE ? 3 : 0;
    double norm = tac_norm3(tac_load3(gear + first));
    if (!(tac_transmission_period(m, actuator) > 0) || k < first || k >= first + 3) return 0;
    return TAC_TWO_PI * gear[k] / norm;
}
