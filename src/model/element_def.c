#include "model/element_def.h"

#include <string.h>

/* COPY: a number, an int or a vector; COPY_N: row i into an array of the definition. */
#define COPY(kind, field) d.field = m->kind##_##field[i]
#define COPY_N(kind, field)                                                                                            \
    memcpy(d.field, (const char *)m->kind##_##field + (size_t)i * sizeof d.field, sizeof d.field)

/* The name of element i. */
#define NAME(kind) d.name = m->all_names + m->kind##_name[i]

tacOptionDef tac_option_def(const tacModel *m) {
    const int i = 0;
    tacOptionDef d = tac_default_option();
    COPY(option, timestep);
    COPY(option, gravity);
    COPY(option, impratio);
    COPY(option, tolerance);
    COPY(option, ls_tolerance);
    COPY(option, iterations);
    COPY(option, ls_iterations);
    COPY(option, integrator);
    COPY(option, cone);
    COPY(option, solver);
    COPY(option, disable);
    COPY(option, enable);
    COPY(option, o_margin);
    COPY_N(option, o_solref);
    COPY_N(option, o_solimp);
    COPY_N(option, o_friction);
    COPY(option, boundmass);
    COPY(option, boundinertia);
    COPY(option, balanceinertia);
    COPY(option, literal_inertia);
    COPY(option, settotalmass);
    return d;
}

tacBodyDef tac_body_def(const tacModel *m, int i) {
    tacBodyDef d = tac_default_body();
    NAME(body);
    COPY(body, pos);
    COPY(body, quat);
    COPY(body, gravcomp);
    COPY(body, inertia_fixed);
    d.mocap = m->body_mocap[i] >= 0;
    d.inertial = (tacInertial)m->body_inertial[i];
    d.mass = m->inertial_mass[i];
    d.ipos = m->inertial_pos[i];
    d.iquat = m->inertial_quat[i];
    d.inertia = m->inertial_diag[i];
    d.fullinertia = m->inertial_full[i];
    return d;
}

tacJointDef tac_joint_def(const tacModel *m, int i) {
    tacJointDef d = tac_default_joint();
    NAME(joint);
    COPY(joint, pos);
    COPY(joint, axis);
    d.type = (tacJointType)m->joint_type[i];
    COPY(joint, limited);
    COPY(joint, actfrclimited);
    COPY(joint, actgravcomp);
    COPY(joint, group);
    COPY(joint, ref);
    COPY(joint, springref);
    COPY_N(joint, springdamper);
    COPY(joint, stiffness);
    COPY(joint, damping);
    COPY(joint, armature);
    COPY(joint, frictionloss);
    COPY_N(joint, range);
    COPY(joint, margin);
    COPY_N(joint, actfrcrange);
    COPY_N(joint, solref_limit);
    COPY_N(joint, solimp_limit);
    COPY_N(joint, solref_friction);
    COPY_N(joint, solimp_friction);
    return d;
}

tacGeomDef tac_geom_def(const tacModel *m, int i) {
    tacGeomDef d = tac_default_geom();
    NAME(geom);
    COPY(geom, quat);
    COPY(geom, mesh);
    COPY(geom, sum);
    COPY(geom, pad);
    d.type = (tacGeomType)m->geom_type[i];
    COPY(geom, contype);
    COPY(geom, conaffinity);
    COPY(geom, condim);
    COPY(geom, priority);
    COPY(geom, group);
    COPY(geom, adds_mass);
    COPY(geom, has_mass);
    COPY(geom, shell);
    COPY(geom, visual);
    COPY(geom, pos);
    COPY_N(geom, size);
    COPY(geom, density);
    COPY(geom, mass);
    COPY_N(geom, friction);
    COPY(geom, restitution);
    COPY(geom, solmix);
    COPY_N(geom, solref);
    COPY_N(geom, solimp);
    COPY(geom, margin);
    COPY(geom, gap);
    COPY_N(geom, rgba);
    return d;
}

/* A mirroring scale has turned the triangles round: they are turned back. */
static void copy_faces(int *to, const int *from, int n, int mirrored) {
    for (int f = 0; f < n; f++) {
        to[3 * f] = from[3 * f];
        to[3 * f + 1] = from[3 * f + (mirrored ? 2 : 1)];
        to[3 * f + 2] = from[3 * f + (mirrored ? 1 : 2)];
    }
}

tacMeshDef tac_mesh_def(const tacModel *m, int i, int *face, int *hullface) {
    tacMeshDef d = tac_default_mesh();
    NAME(mesh);
    COPY(mesh, scale);
    COPY(mesh, refpos);
    COPY(mesh, refquat);
    int mirrored = d.scale.x * d.scale.y * d.scale.z < 0;
    d.inertia_mode = (tacMeshInertia)m->mesh_inertia_mode[i];
    d.nvert = m->mesh_vert_num[i];
    d.nface = m->mesh_face_num[i];
    d.nhullvert = m->mesh_hullvert_num[i];
    d.nhullface = m->mesh_hullface_num[i];
    d.vert = m->mesh_file_vert + m->mesh_vert_adr[i];
    d.hullvert = m->mesh_hullvert + m->mesh_hullvert_adr[i];
    copy_faces(face, m->mesh_face + 3 * (size_t)m->mesh_face_adr[i], d.nface, mirrored);
    copy_faces(hullface, m->mesh_hullface + 3 * (size_t)m->mesh_hullface_adr[i], d.nhullface, mirrored);
    d.face = face;
    d.hullface = hullface;
    return d;
}

tacSiteDef tac_site_def(const tacModel *m, int i) {
    tacSiteDef d = tac_default_site();
    NAME(site);
    COPY(site, quat);
    d.type = (tacGeomType)m->site_type[i];
    COPY(site, group);
    COPY(site, pos);
    COPY_N(site, size);
    return d;
}

tacTendonDef tac_tendon_def(const tacModel *m, int i) {
    tacTendonDef d = tac_default_tendon();
    NAME(tendon);
    d.type = (tacTendonType)m->tendon_type[i];
    d.nterm = m->tendon_term_num[i];
    d.joint = m->term_joint + m->tendon_term_adr[i];
    d.coef = m->term_coef + m->tendon_term_adr[i];
    COPY(tendon, limited);
    COPY(tendon, actfrclimited);
    COPY(tendon, group);
    COPY(tendon, stiffness);
    COPY(tendon, damping);
    COPY(tendon, armature);
    COPY(tendon, frictionloss);
    COPY_N(tendon, range);
    COPY(tendon, margin);
    COPY_N(tendon, actfrcrange);
    COPY_N(tendon, springlength);
    COPY_N(tendon, solref_limit);
    COPY_N(tendon, solimp_limit);
    COPY_N(tendon, solref_friction);
    COPY_N(tendon, solimp_friction);
    return d;
}

tacActuatorDef tac_actuator_def(const tacModel *m, int i) {
    tacActuatorDef d = tac_default_actuator();
    NAME(actuator);
    COPY_N(actuator, trnid);
    d.trntype = (tacTransmission)m->actuator_trntype[i];
    d.dyntype = (tacDynType)m->actuator_dyntype[i];
    d.gaintype = (tacGainType)m->actuator_gaintype[i];
    d.biastype = (tacBiasType)m->actuator_biastype[i];
    d.actdim = m->actuator_act_num[i];
    COPY(actuator, ctrllimited);
    COPY(actuator, forcelimited);
    COPY(actuator, actlimited);
    COPY(actuator, actearly);
    COPY(actuator, group);
    COPY(actuator, without_force);
    COPY_N(actuator, gear);
    COPY(actuator, cranklength);
    COPY_N(actuator, dynprm);
    COPY_N(actuator, gainprm);
    COPY_N(actuator, biasprm);
    COPY(actuator, dampratio);
    COPY_N(actuator, ctrlrange);
    COPY_N(actuator, forcerange);
    COPY_N(actuator, actrange);
    COPY_N(actuator, lengthrange);
    return d;
}

tacEqualityDef tac_equality_def(const tacModel *m, int i) {
    tacEqualityDef d = tac_default_equality();
    NAME(equality);
    COPY_N(equality, obj);
    d.type = (tacEqualityType)m->equality_type[i];
    d.objkind = (tacKind)m->equality_objkind[i];
    COPY(equality, active);
    COPY_N(equality, data);
    COPY_N(equality, solref);
    COPY_N(equality, solimp);
    return d;
}

tacPairDef tac_pair_def(const tacModel *m, int i) {
    tacPairDef d = tac_default_pair();
    NAME(pair);
    COPY_N(pair, geom);
    COPY(pair, condim);
    COPY_N(pair, friction);
    COPY_N(pair, solref);
    COPY_N(pair, solreffriction);
    COPY_N(pair, solimp);
    COPY(pair, margin);
    COPY(pair, gap);
    return d;
}

tacKeyDef tac_key_def(const tacModel *m, int i) {
    tacKeyDef d = tac_default_key();
    size_t row = (size_t)i;
    NAME(key);
    COPY(key, time);
    if (m->key_given[i] & TAC_KEY_QPOS) d.qpos = m->key_qpos + row * (size_t)m->nq;
    if (m->key_given[i] & TAC_KEY_MPOS) d.mpos = m->key_mpos + row * (size_t)m->nmocap;
    if (m->key_given[i] & TAC_KEY_MQUAT) d.mquat = m->key_mquat + row * (size_t)m->nmocap;
    d.qvel = m->key_qvel + row * (size_t)m->nv;
    d.act = m->key_act + row * (size_t)m->na;
    d.ctrl = m->key_ctrl + row * (size_t)m->nu;
    return d;
}
