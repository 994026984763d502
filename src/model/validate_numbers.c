/* Numbers: finite, in range, and sensible together. */
#include "model/param_path.h"
#include "model/validate.h"

#include "base/error.h"

#include <float.h>
#include <string.h>

/* Tolerance of length 1 for a direction or quaternion. It allows for printed digits, not for a forgotten
 * normalization. */
static const double UNIT_LENGTH_TOL = 1e-6;

/* m: largest size of a shape. Collision multiplies six lengths (collide/simplex.c), which overflows near 1e51 m. */
static const double MOST_SIZE = 1e30;

/* Every double of a field is finite. */
static tacStatus check_finite(const tacCheck *c, int field) {
    const tacField *f = &TAC_FIELDS[field];
    const double *x = tac_field_data(c->m, f);
    size_t n = (size_t)tac_field_rows(c->m, f) * (size_t)f->per;
    for (size_t k = 0; k < n; k++) {
        if (tac_finite(x[k])) continue;
        tacKind kind;
        int id, element;
        const char *word = tac_param_place(c->m, field, (int)k, &kind, &id, &element);
        if (element < 0) return TAC_REFUSE(c, kind, id, "%s is %g, expected a finite number", word, x[k]);
        return TAC_REFUSE(c, kind, id, "%s[%d] is %g, expected a finite number", word, element, x[k]);
    }
    return TAC_OK;
}

static tacStatus check_all_finite(const tacCheck *c) {
    for (int i = 0; i < TAC_NFIELD; i++) {
        int checked = TAC_FIELDS[i].role != 'D' && TAC_FIELDS[i].element == sizeof(double) &&
                      strcmp(TAC_FIELDS[i].kind, "key") != 0; /* keyframes are filled later */
        if (checked) TAC_TRY(check_finite(c, i));
    }
    return TAC_OK;
}

/* --- Single numbers ----------------------------------------------------------------------------------------------- */

static tacStatus check_not_negative(const tacCheck *c, tacKind kind, int id, const char *what, double value) {
    return value >= 0 ? TAC_OK : TAC_REFUSE(c, kind, id, "%s is %g, expected zero or more", what, value);
}

static tacStatus check_range(const tacCheck *c, tacKind kind, int id, const char *what, const double *range) {
    if (range[0] < range[1]) return TAC_OK;
    return TAC_REFUSE(c, kind, id, "%s is %g to %g, expected an increasing range", what, range[0], range[1]);
}

static tacStatus check_quat(const tacCheck *c, tacKind kind, int id, const char *what, tacQuat q) {
    if (tac_abs(tac_quat_norm(q) - 1) < UNIT_LENGTH_TOL) return TAC_OK;
    return TAC_REFUSE(c, kind, id, "%s is %g %g %g %g, expected a rotation", what, q.w, q.x, q.y, q.z);
}

/* --- Kinds -------------------------------------------------------------------------------------------------------- */

static tacStatus check_option(const tacCheck *c) {
    const tacModel *m = c->m;
    if (!(*m->option_timestep > 0))
        return TAC_REFUSE(c, TAC_KIND_OPTION, 0, "timestep is %g, expected a positive time", *m->option_timestep);
    if (!(*m->option_impratio > 0))
        return TAC_REFUSE(c, TAC_KIND_OPTION, 0, "impratio is %g, expected a positive number", *m->option_impratio);
    TAC_TRY(check_not_negative(c, TAC_KIND_OPTION, 0, "boundmass", *m->option_boundmass));
    return check_not_negative(c, TAC_KIND_OPTION, 0, "boundinertia", *m->option_boundinertia);
}

static tacStatus check_bodies(const tacCheck *c) {
    const tacModel *m = c->m;
    for (int i = 0; i < m->nbody; i++) {
        TAC_TRY(check_quat(c, TAC_KIND_BODY, i, "quat", m->body_quat[i]));
        if (m->body_inertial[i] == TAC_INERTIAL_GEOMS) continue;
        TAC_TRY(check_quat(c, TAC_KIND_BODY, i, "iquat", m->inertial_quat[i]));
        TAC_TRY(check_not_negative(c, TAC_KIND_BODY, i, "mass", m->inertial_mass[i]));
    }
    return TAC_OK;
}

static tacStatus check_joint(const tacCheck *c, int i) {
    const tacModel *m = c->m;
    const double *range = m->joint_range + 2 * i, *spring = m->joint_springdamper + 2 * i;
    int type = m->joint_type[i];
    tacVec3 axis = m->joint_axis[i];
    if (tac_abs(tac_norm3(axis) - 1) > UNIT_LENGTH_TOL)
        return TAC_REFUSE(c, TAC_KIND_JOINT, i, "axis is %g %g %g, expected a direction", axis.x, axis.y, axis.z);
    TAC_TRY(check_not_negative(c, TAC_KIND_JOINT, i, "armature", m->joint_armature[i]));
    if (m->joint_limited[i] && type == TAC_JOINT_FREE)
        return TAC_REFUSE(c, TAC_KIND_JOINT, i, "limited is set, expected no range for a free joint");
    if (m->joint_limited[i] && type == TAC_JOINT_BALL && range[0] != 0)
        return TAC_REFUSE(c, TAC_KIND_JOINT, i, "range[0] is %g, expected 0 for a ball joint", range[0]);
    if (m->joint_limited[i] && type == TAC_JOINT_BALL && !(range[1] > 0))
        return TAC_REFUSE(c, TAC_KIND_JOINT, i, "range[1] is %g, expected a positive angle for a ball joint", range[1]);
    if (m->joint_limited[i] && type != TAC_JOINT_BALL) TAC_TRY(check_range(c, TAC_KIND_JOINT, i, "range", range));
    if (m->joint_actfrclimited[i] && (type == TAC_JOINT_FREE || type == TAC_JOINT_BALL))
        return TAC_REFUSE(c, TAC_KIND_JOINT, i, "actfrclimited is set, expected a hinge or slide");
    if (m->joint_actfrclimited[i])
        TAC_TRY(check_range(c, TAC_KIND_JOINT, i, "actfrcrange", m->joint_actfrcrange + 2 * i));
    if ((spring[0] != 0 || spring[1] != 0) && !(spring[0] > 0 && spring[1] > 0))
        return TAC_REFUSE(c, TAC_KIND_JOINT, i, "springdamper is %g %g, expected two positive numbers", spring[0],
                          spring[1]);
    return TAC_OK;
}

/* The numbers of a size that must be positive, by type, and their names. */
static const struct {
    int n;
    const char *word[3];
} SIZES[TAC_GEOM_TYPES] = {
    [TAC_GEOM_SPHERE] = {1, {"radius"}},
    [TAC_GEOM_CAPSULE] = {2, {"radius", "half-length"}},
    [TAC_GEOM_ELLIPSOID] = {3, {"radius", "radius", "radius"}},
    [TAC_GEOM_CYLINDER] = {2, {"radius", "half-length"}},
    [TAC_GEOM_BOX] = {3, {"half-size", "half-size", "half-size"}},
    [TAC_GEOM_CONE] = {2, {"radius", "half-height"}},
};

/* A visual geom may be a point. Any other has an extent. */
static tacStatus check_size(const tacCheck *c, int i) {
    const double *size = c->m->geom_size + 3 * i;
    int type = c->m->geom_type[i];
    for (int k = 0; k < SIZES[type].n; k++) {
        if (c->m->geom_visual[i] ? size[k] < 0 : size[k] <= 0)
            return TAC_REFUSE(c, TAC_KIND_GEOM, i, "size[%d] is %g, expected a positive %s", k, size[k],
                              SIZES[type].word[k]);
        if (size[k] > MOST_SIZE)
            return TAC_REFUSE(c, TAC_KIND_GEOM, i, "size[%d] is %g, expected a %s of at most %g m", k, size[k],
                              SIZES[type].word[k], MOST_SIZE);
    }
    if (type == TAC_GEOM_PLANE && !c->m->geom_visual[i] && !(size[2] > 0))
        return TAC_REFUSE(c, TAC_KIND_GEOM, i, "size[2] is %g, expected a positive grid spacing", size[2]);
    return TAC_OK;
}

static tacStatus check_geom(const tacCheck *c, int i) {
    const tacModel *m = c->m;
    int weld = m->body_weld[m->geom_body[i]];
    TAC_TRY(check_quat(c, TAC_KIND_GEOM, i, "quat", m->geom_quat[i]));
    TAC_TRY(check_size(c, i));
    if (m->geom_type[i] == TAC_GEOM_PLANE && weld != 0 && m->body_mocap[weld] < 0)
        return TAC_REFUSE(c, TAC_KIND_GEOM, i, "plane on moving body '%s', expected a fixed or mocap body",
                          tac_model_name(m, TAC_KIND_BODY, m->geom_body[i]));
    if (m->geom_type[i] == TAC_GEOM_MESH && m->geom_shell[i])
        return TAC_REFUSE(c, TAC_KIND_GEOM, i, "shell is set, expected inertia shell in the mesh");
    if (!(m->geom_restitution[i] >= 0 && m->geom_restitution[i] <= 1))
        return TAC_REFUSE(c, TAC_KIND_GEOM, i, "restitution is %g, expected 0 to 1", m->geom_restitution[i]);
    TAC_TRY(check_not_negative(c, TAC_KIND_GEOM, i, "pad", m->geom_pad[i]));
    if (m->geom_pad[i] > MOST_SIZE)
        return TAC_REFUSE(c, TAC_KIND_GEOM, i, "pad is %g, expected at most %g m", m->geom_pad[i], MOST_SIZE);
    if (m->geom_pad[i] > 0 && (m->geom_type[i] == TAC_GEOM_PLANE || m->geom_type[i] == TAC_GEOM_HFIELD))
        return TAC_REFUSE(c, TAC_KIND_GEOM, i, "pad is %g, expected 0 for a plane or height field", m->geom_pad[i]);
    if (m->geom_has_mass[i]) return check_not_negative(c, TAC_KIND_GEOM, i, "mass", m->geom_mass[i]);
    return check_not_negative(c, TAC_KIND_GEOM, i, "density", m->geom_density[i]);
}

static double largest_of(tacVec3 a) { return tac_max(tac_abs(a.x), tac_max(tac_abs(a.y), tac_abs(a.z))); }

/* Vertices (file - refpos), turned and scaled, stay within 3 MOST_SIZE for any rotation. */
static tacStatus check_mesh_size(const tacCheck *c, int i) {
    const tacModel *m = c->m;
    double scale = largest_of(m->mesh_scale[i]), off = largest_of(m->mesh_refpos[i]);
    for (int k = 0; k < m->mesh_vert_num[i]; k++) {
        tacVec3 v = m->mesh_file_vert[m->mesh_vert_adr[i] + k];
        if ((largest_of(v) + off) * scale > MOST_SIZE)
            return TAC_REFUSE(c, TAC_KIND_MESH, i, "vertex %d is %g %g %g before scaling by %g, expected at most %g m",
                              k, v.x, v.y, v.z, scale, MOST_SIZE);
    }
    return TAC_OK;
}

static tacStatus check_mesh(const tacCheck *c, int i) {
    tacVec3 s = c->m->mesh_scale[i];
    TAC_TRY(check_mesh_size(c, i));
    if (s.x == 0 || s.y == 0 || s.z == 0)
        return TAC_REFUSE(c, TAC_KIND_MESH, i, "scale is %g %g %g, expected nonzero numbers", s.x, s.y, s.z);
    return check_quat(c, TAC_KIND_MESH, i, "refquat", c->m->mesh_refquat[i]);
}

static tacStatus check_tendon(const tacCheck *c, int i) {
    const tacModel *m = c->m;
    const double *rest = m->tendon_springlength + 2 * i, *force = m->tendon_actfrcrange + 2 * i;
    if (m->tendon_limited[i]) TAC_TRY(check_range(c, TAC_KIND_TENDON, i, "range", m->tendon_range + 2 * i));
    if (m->tendon_actfrclimited[i]) TAC_TRY(check_range(c, TAC_KIND_TENDON, i, "actfrcrange", force));
    if (m->tendon_actfrclimited[i] && (force[0] > 0 || force[1] < 0))
        return TAC_REFUSE(c, TAC_KIND_TENDON, i, "actfrcrange is %g to %g, expected a range that includes zero",
                          force[0], force[1]);
    if (rest[0] > rest[1])
        return TAC_REFUSE(c, TAC_KIND_TENDON, i, "springlength is %g to %g, expected a non-decreasing range", rest[0],
                          rest[1]);
    return check_not_negative(c, TAC_KIND_TENDON, i, "armature", m->tendon_armature[i]);
}

static tacStatus check_actuator(const tacCheck *c, int i) {
    const tacModel *m = c->m;
    if (m->actuator_ctrllimited[i])
        TAC_TRY(check_range(c, TAC_KIND_ACTUATOR, i, "ctrlrange", m->actuator_ctrlrange + 2 * i));
    if (m->actuator_forcelimited[i])
        TAC_TRY(check_range(c, TAC_KIND_ACTUATOR, i, "forcerange", m->actuator_forcerange + 2 * i));
    if (m->actuator_actlimited[i])
        TAC_TRY(check_range(c, TAC_KIND_ACTUATOR, i, "actrange", m->actuator_actrange + 2 * i));
    if (m->actuator_trntype[i] == TAC_TRN_SLIDERCRANK && !(m->actuator_cranklength[i] > 0))
        return TAC_REFUSE(c, TAC_KIND_ACTUATOR, i, "cranklength is %g, expected a positive length",
                          m->actuator_cranklength[i]);
    return TAC_OK;
}

tacStatus tac_validate_numbers(const tacModel *m, const tacOrder *order, tacError *err) {
    const tacCheck check = {m, order, err}, *c = &check;
    TAC_TRY(check_all_finite(c));
    TAC_TRY(check_option(c));
    TAC_TRY(check_bodies(c));
    for (int i = 0; i < m->njnt; i++)
        TAC_TRY(check_joint(c, i));
    for (int i = 0; i < m->ngeom; i++)
        TAC_TRY(check_geom(c, i));
    for (int i = 0; i < m->nmesh; i++)
        TAC_TRY(check_mesh(c, i));
    for (int i = 0; i < m->nsite; i++)
        TAC_TRY(check_quat(c, TAC_KIND_SITE, i, "quat", m->site_quat[i]));
    for (int i = 0; i < m->ntendon; i++)
        TAC_TRY(check_tendon(c, i));
    for (int i = 0; i < m->nu; i++)
        TAC_TRY(check_actuator(c, i));
    return TAC_OK;
}

/* First non-finite number among n, said of keyframe i. */
static tacStatus check_key(const tacCheck *c, int i, const char *what, const double *x, int n) {
    int bad = tac_first_nonfinite(n, x);
    return bad < 0 ? TAC_OK
                   : TAC_REFUSE(c, TAC_KIND_KEY, i, "%s[%d] is %g, expected a finite number", what, bad, x[bad]);
}

tacStatus tac_validate_keys(const tacModel *m, tacError *err) {
    const tacCheck check = {m, NULL, err}, *c = &check;
    for (int i = 0; i < m->nkey; i++) {
        TAC_TRY(check_key(c, i, "time", m->key_time + i, 1));
        TAC_TRY(check_key(c, i, "qpos", m->key_qpos + (size_t)i * (size_t)m->nq, m->nq));
        TAC_TRY(check_key(c, i, "qvel", m->key_qvel + (size_t)i * (size_t)m->nv, m->nv));
        TAC_TRY(check_key(c, i, "act", m->key_act + (size_t)i * (size_t)m->na, m->na));
        TAC_TRY(check_key(c, i, "ctrl", m->key_ctrl + (size_t)i * (size_t)m->nu, m->nu));
        TAC_TRY(check_key(c, i, "mpos", (const double *)(m->key_mpos + (size_t)i * (size_t)m->nmocap), 3 * m->nmocap));
        TAC_TRY(
            check_key(c, i, "mquat", (const double *)(m->key_mquat + (size_t)i * (size_t)m->nmocap), 4 * m->nmocap));
    }
    return TAC_OK;
}
