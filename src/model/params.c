/* Parameters by path: list, find, get, set in place, register.
 *
 * A NUMBER row is a parameter unless something else decides its value; then it is refused by name (reason_against). One
 * at which the rule changes by which another number is read can be set, but not registered: there is no derivative
 * (reason_against_deriving). */
#include "model/inertia.h"
#include "model/param_path.h"
#include "model/validate.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define IS(f, row) ((f)->offset == offsetof(tacModel, row))

/* --- Which numbers are parameters --------------------------------------------------------------------------------- */

/* The rows inertial_mass, _pos, _quat, _diag, _full. */
static int is_inertial(const tacField *f) { return strcmp(f->kind, "inertial") == 0; }

static const char *reason_against_inertial(const tacModel *m, const tacField *f, int body) {
    int mode = m->body_inertial[body];
    if (IS(f, inertial_full) && mode != TAC_INERTIAL_FULL) return "the inertia is not written in full: set inertia";
    if (IS(f, inertial_diag) && mode == TAC_INERTIAL_FULL) return "the inertia is written in full: set fullinertia";
    return NULL;
}

static const char *reason_against_joint(const tacModel *m, const tacField *f, int joint) {
    const double *spring = m->joint_springdamper + 2 * joint;
    int type = m->joint_type[joint];
    if ((IS(f, joint_stiffness) || IS(f, joint_damping)) && spring[0] > 0 && spring[1] > 0)
        return "it is computed from springdamper";
    if (IS(f, joint_springdamper) && spring[0] == 0 && spring[1] == 0)
        return "springdamper is not in use: stiffness and damping are";
    if (IS(f, joint_pos) && type == TAC_FREE) return "a free joint has no anchor";
    if (IS(f, joint_axis) && (type == TAC_FREE || type == TAC_BALL)) return "a free or ball joint has no axis";
    return NULL;
}

/* Stiffness and damping coefficient in biasprm. */
enum { BIAS_STIFFNESS = 1, BIAS_DAMPING = 2 };

static int shapes_inertia(const tacField *f) {
    return IS(f, geom_pos) || IS(f, geom_quat) || IS(f, geom_size) || IS(f, geom_density) || IS(f, geom_mass);
}

/* Whether the number went into an inertia that is no longer computed from it (fusestatic, discardvisual, align). */
static int is_frozen(const tacModel *m, const tacField *f, int row) {
    if (shapes_inertia(f)) return m->body_frozen[m->geom_body[row]];
    if (!IS(f, mesh_scale) && !IS(f, mesh_refpos) && !IS(f, mesh_refquat)) return 0;
    for (int g = 0; g < m->ngeom; g++)
        if (m->geom_mesh[g] == row && m->body_frozen[m->geom_body[g]]) return 1;
    return 0;
}

/* NULL when (field, index) is a parameter, else why not. */
static const char *reason_against(const tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    int row = index / f->per;
    if (f->role == 'D') return "it is computed, not set";
    if (f->role == 'I') return "it is structure, fixed when the model is built";
    if (row == 0 && (strcmp(f->kind, "body") == 0 || is_inertial(f)))
        return "the world stands still and weighs nothing";
    if (is_inertial(f)) return reason_against_inertial(m, f, row);
    if (strcmp(f->kind, "joint") == 0) return reason_against_joint(m, f, row);
    if (is_frozen(m, f, row)) return "the inertia of its body was computed once, when the file was read";
    if (IS(f, geom_mass) && !m->geom_has_mass[row]) return "the mass was not given: set density";
    if (IS(f, actuator_biasprm) && index % f->per == BIAS_DAMPING && m->actuator_dampratio[row] > 0)
        return "it is computed from dampratio";
    return NULL;
}

/* --- Which have a derivative -------------------------------------------------------------------------------------- */

/* How many of an actuator's six gears count. */
static int gears_used(const tacModel *m, int a) {
    int type = m->actuator_trntype[a];
    if (type == TAC_TRN_JOINT || type == TAC_TRN_JOINT_IN_PARENT)
        return TAC_JOINT_NV[m->joint_type[m->actuator_trnid[2 * a]]];
    return type == TAC_TRN_SITE ? 6 : 1;
}

/* A servo whose length is an angle takes its setpoint on a circle, whose size the gear sets. */
static const char *reason_against_circle(const tacModel *m, const tacField *f, int a, int k) {
    if ((IS(f, actuator_gainprm) && k == 0) || (IS(f, actuator_biasprm) && k == BIAS_STIFFNESS))
        return "the actuator's setpoint is taken on a circle only while gainprm[0] is -biasprm[1]";
    if (!IS(f, actuator_gear) || k >= gears_used(m, a)) return NULL;
    if (m->actuator_dyntype[a] == TAC_DYN_INTEGRATOR) return "the activation is kept on a circle of this size";
    if (m->actuator_trntype[a] == TAC_TRN_SITE && k < 3) return "at 0 the length is an angle, beside 0 it is not";
    return NULL;
}

/* A servo's damping ratio applies only while gainprm[0] is -biasprm[1], and only to what it has a moment on. */
static const char *reason_against_servo(const tacModel *m, const tacField *f, int a, int k) {
    const double *bias = m->actuator_biasprm + 10 * a;
    int servo = m->actuator_gainprm[10 * a] == -bias[BIAS_STIFFNESS];
    double ratio = tac_damping_ratio(m, a);
    if (IS(f, actuator_dampratio) && !(m->actuator_dampratio[a] > 0))
        return "dampratio is not in use: biasprm[2] is the damping";
    if (IS(f, actuator_dampratio) && !servo) return "dampratio is not in use: gainprm[0] is not -biasprm[1]";
    if (IS(f, actuator_biasprm) && k == BIAS_DAMPING && servo && bias[BIAS_DAMPING] == 0)
        return "at 0 it turns from a damping (below) into a damping ratio (above)";
    if (!(ratio > 0)) return tac_servo_on_circle(m, a) ? reason_against_circle(m, f, a, k) : NULL;
    if ((IS(f, actuator_gainprm) && k == 0) || (IS(f, actuator_biasprm) && k == BIAS_STIFFNESS))
        return "the actuator's damping ratio applies only while gainprm[0] is -biasprm[1]";
    if (IS(f, actuator_gear) && m->actuator_gear[6 * a + k] == 0 && k < gears_used(m, a))
        return "at 0 the actuator's damping ratio may not feel a joint that it feels beside 0";
    return tac_servo_on_circle(m, a) ? reason_against_circle(m, f, a, k) : NULL;
}

/* A body that only slides along its axes has a simpler inverse weight, by which springdamper is read. */
static const char *reason_against_sliding(const tacModel *m, int body) {
    if (!tac_body_only_slides(m, body)) return NULL;
    for (int j = m->body_joint_adr[body]; j < m->body_joint_adr[body] + m->body_joint_num[body]; j++)
        if (tac_joint_by_ratio(m, j)) return "springdamper is read otherwise once the body does more than slide freely";
    return NULL;
}

/* A tendon without inertia: with some, the bodies it pulls count otherwise. */
static const char *reason_against_armature(const tacModel *m, int tendon) {
    const char *reason = NULL;
    for (int k = 0; k < m->tendon_term_num[tendon] && reason == NULL; k++)
        reason = reason_against_sliding(m, m->joint_body[m->term_joint[m->tendon_term_adr[tendon] + k]]);
    return reason;
}

/* NULL when steps have a derivative with respect to (field, index), a number that can be set; else why not. */
static const char *reason_against_deriving(const tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    int row = index / f->per;
    if (IS(f, option_settotalmass) && !(*m->option_settotalmass > 0)) return "no total mass is set";
    if (IS(f, joint_axis)) return reason_against_sliding(m, m->joint_body[row]);
    if (IS(f, joint_range) && m->joint_type[row] == TAC_BALL && m->joint_limited[row] && index % 2 == 0)
        return "the range of a ball joint begins at 0";
    if (IS(f, tendon_armature) && m->tendon_armature[row] == 0) return reason_against_armature(m, row);
    if (IS(f, tendon_springlength) && tac_spring_is_automatic(m, row))
        return "it is -1, which stands for the length at the joints' springref";
    if (IS(f, equality_data) && tac_weld_is_automatic(m, row) && index % 11 >= 6 && index % 11 < 10)
        return "the quaternion is 0 0 0 0, which stands for the pose that the file draws";
    if (strcmp(f->kind, "actuator") == 0) return reason_against_servo(m, f, row, index % f->per);
    return NULL;
}

int tac_param_allowed(const tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    int64_t n = (int64_t)tac_field_rows(m, f) * f->per;
    return f->role == 'N' && index >= 0 && index < n && reason_against(m, field, index) == NULL;
}

/* Whether a field's numbers can all be set, so that they need not be looked at one by one. */
static int has_no_exceptions(const tacField *f) {
    return f->role == 'N' && !is_inertial(f) && strcmp(f->kind, "body") != 0 && !IS(f, joint_stiffness) &&
           !IS(f, joint_damping) && !IS(f, joint_springdamper) && !IS(f, joint_pos) && !IS(f, joint_axis) &&
           !shapes_inertia(f) && strcmp(f->kind, "mesh") != 0 && !IS(f, actuator_biasprm);
}

/* Whether the number belongs to a body whose inertia comes from its geoms. */
static int comes_from_geoms(const tacModel *m, const tacField *f, int index) {
    return is_inertial(f) && m->body_inertial[index / f->per] == TAC_INERTIAL_GEOMS;
}

/* Whether the list shows it. Mass and inertia that come from geoms can be set (which makes them explicit) but are not
 * listed: the geoms' own numbers are. */
static int is_listed(const tacModel *m, int field, int index) {
    return reason_against(m, field, index) == NULL && !comes_from_geoms(m, &TAC_FIELDS[field], index);
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

/* Walks the list: the i-th parameter's (field, index) where i is below the count; returns how many were passed. */
static int walk(const tacModel *m, int i, int *field, int *index) {
    int passed = 0;
    for (int k = 0; k < TAC_NFIELD; k++) {
        const tacField *f = &TAC_FIELDS[k];
        int n = f->role == 'N' ? tac_field_rows(m, f) * f->per : 0;
        if (has_no_exceptions(f)) {
            if (i - passed < n) return *field = k, *index = i - passed, i;
            passed += n;
            continue;
        }
        for (int e = 0; e < n; e++) {
            if (!is_listed(m, k, e)) continue;
            if (passed == i) return *field = k, *index = e, i;
            passed++;
        }
    }
    return passed;
}

int tac_param_count(const tacModel *model) {
    int field, index;
    return walk(model, 0x7fffffff, &field, &index);
}

tacStatus tac_param_path(const tacModel *model, int i, char *text, size_t size) {
    int field = -1, index = 0;
    if (i < 0 || text == NULL || size == 0) return TAC_ERR_ARGUMENT;
    walk(model, i, &field, &index);
    if (field < 0) return TAC_ERR_ARGUMENT;
    tac_param_text(model, field, index, text, size);
    return TAC_OK;
}

/* --- Finding, getting --------------------------------------------------------------------------------------------- */

double *tac_param_at(const tacModel *model, int field, int index) {
    return (double *)tac_field_data(model, &TAC_FIELDS[field]) + index;
}

int tac_param_of_time(const tacModel *model) {
    for (int k = 0; k < model->nparam; k++)
        if (IS(&TAC_FIELDS[model->param_field[k]], option_timestep)) return k;
    return -1;
}

double *tac_param_find(const tacModel *model, const char *path, int *field, int *index, tacError *err) {
    int f, i;
    if (model == NULL || path == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "model or path is NULL"), NULL;
    if (tac_param_parse(model, path, &f, &i, err) != TAC_OK) return NULL;
    const char *reason = reason_against(model, f, i);
    if (reason != NULL) return tac_fail(err, TAC_ERR_NAME, "parameter '%s' cannot be set: %s", path, reason), NULL;
    if (field != NULL) *field = f;
    if (index != NULL) *index = i;
    return tac_param_at(model, f, i);
}

/* The number as a file would write it if the body's inertia were written out. */
static tacStatus inertial_from_geoms(const tacModel *m, const tacField *f, int index, double *value, tacError *err) {
    tacMassProperties p;
    int element = index % f->per;
    TAC_TRY(tac_body_inertia(m, index / f->per, &p, err));
    if (IS(f, inertial_mass)) *value = p.mass;
    if (IS(f, inertial_pos)) *value = tac_get3(p.com, element);
    if (IS(f, inertial_diag)) *value = tac_get3(p.diag, element);
    if (IS(f, inertial_quat)) {
        double q[4];
        tac_quat_store(q, p.quat);
        *value = q[element];
    }
    return TAC_OK;
}

tacStatus tac_param_get(const tacModel *model, const char *path, double *value, tacError *err) {
    int field, index;
    if (value == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "value is NULL");
    const double *number = tac_param_find(model, path, &field, &index, err);
    if (number == NULL) return err != NULL ? err->status : TAC_ERR_NAME;
    if (comes_from_geoms(model, &TAC_FIELDS[field], index))
        return inertial_from_geoms(model, &TAC_FIELDS[field], index, value, err);
    *value = *number;
    return TAC_OK;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* Writes down the mass and inertia a body has from its geoms; they no longer follow the geoms. */
static tacStatus make_explicit(tacModel *m, int body, tacError *err) {
    tacMassProperties p;
    TAC_TRY(tac_body_inertia(m, body, &p, err));
    m->body_inertial[body] = TAC_INERTIAL_DIAG;
    m->inertial_mass[body] = p.mass;
    m->inertial_pos[body] = p.com;
    m->inertial_quat[body] = tac_unit_quat(p.quat);
    m->inertial_diag[body] = p.diag;
    return TAC_OK;
}

/* Quaternions and axes are kept as units: again after one of their numbers changed. */
static void normalize_row(tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    tacQuat *quats[] = {m->body_quat, m->inertial_quat, m->geom_quat, m->site_quat, m->mesh_refquat};
    int row = index / f->per;
    for (size_t i = 0; i < sizeof quats / sizeof quats[0]; i++)
        if (tac_field_data(m, f) == quats[i]) quats[i][row] = tac_unit_quat(quats[i][row]);
    if (IS(f, joint_axis)) m->joint_axis[row] = tac_unit_axis(m->joint_axis[row]);
}

/* One number into its row. */
static tacStatus put_number(tacModel *m, int field, int index, double value, tacError *err) {
    const tacField *f = &TAC_FIELDS[field];
    double *number = tac_param_at(m, field, index);
    if (comes_from_geoms(m, f, index)) TAC_TRY(make_explicit(m, index / f->per, err));
    if (IS(f, mesh_scale) && (value > 0) != (*number > 0))
        return tac_fail_element(
            m, NULL, err, TAC_KIND_MESH, index / f->per,
            "scale[%d] goes from %g to %g, expected its sign to stay: triangles would turn inside out", index % f->per,
            *number, value);
    *number = value;
    return TAC_OK;
}

tacStatus tac_param_write(tacModel *model, const char *path, double value, tacError *err) {
    int field, index;
    if (tac_param_find(model, path, &field, &index, err) == NULL) return err != NULL ? err->status : TAC_ERR_NAME;
    TAC_TRY(put_number(model, field, index, value, err));
    normalize_row(model, field, index);
    return tac_validate_numbers(model, NULL, err);
}

tacStatus tac_param_write_all(tacModel *model, const double *theta, tacError *err) {
    for (int i = 0; i < model->nparam; i++)
        TAC_TRY(put_number(model, model->param_field[i], model->param_index[i], theta[i], err));
    for (int i = 0; i < model->nparam; i++)
        normalize_row(model, model->param_field[i], model->param_index[i]);
    return tac_validate_numbers(model, NULL, err);
}

tacStatus tac_param_register(tacModel *model, const char *path, int *index, tacError *err) {
    int field, number;
    if (tac_param_find(model, path, &field, &number, err) == NULL) return err != NULL ? err->status : TAC_ERR_NAME;
    const char *reason = reason_against_deriving(model, field, number);
    if (reason != NULL) return tac_fail(err, TAC_ERR_NAME, "parameter '%s' cannot be registered: %s", path, reason);
    int at = 0;
    while (at < model->nparam && (model->param_field[at] != field || model->param_index[at] != number))
        at++;
    if (at == model->nparam) {
        TAC_TRY(tac_model_reserve_params(model, model->nparam + 1, err));
        if (comes_from_geoms(model, &TAC_FIELDS[field], number)) {
            TAC_TRY(make_explicit(model, number / TAC_FIELDS[field].per, err));
            TAC_TRY(tac_model_derive(model, err));
        }
        model->param_field[at] = field;
        model->param_index[at] = number;
        model->nparam++;
    }
    if (index != NULL) *index = at;
    return TAC_OK;
}
