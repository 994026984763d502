/* Parameters by path: list, find, get, set in place, register.
 *
 * A NUMBER row is a parameter unless something else decides its value. Then it is refused by name (reason_against). A
 * number at which the meaning of another number changes can be set, but not registered: there is no derivative
 * (reason_against_deriving). */
#include "model/hull.h"
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
    if (IS(f, inertial_full) && mode != TAC_INERTIAL_FULL) return "the body has no fullinertia: set inertia";
    if (IS(f, inertial_diag) && mode == TAC_INERTIAL_FULL) return "the body has a fullinertia: set fullinertia";
    return NULL;
}

static const char *reason_against_joint(const tacModel *m, const tacField *f, int joint) {
    const double *spring = m->joint_springdamper + 2 * joint;
    int type = m->joint_type[joint];
    if ((IS(f, joint_stiffness) || IS(f, joint_damping)) && spring[0] > 0 && spring[1] > 0)
        return "it is computed from springdamper";
    if (IS(f, joint_springdamper) && spring[0] == 0 && spring[1] == 0)
        return "the joint uses stiffness and damping, not springdamper";
    if (IS(f, joint_pos) && type == TAC_JOINT_FREE) return "a free joint has no anchor";
    if (IS(f, joint_axis) && (type == TAC_JOINT_FREE || type == TAC_JOINT_BALL))
        return "a free or ball joint has no axis";
    return NULL;
}

/* Stiffness and damping coefficient in biasprm. */
enum { BIAS_STIFFNESS = 1, BIAS_DAMPING = 2 };

static int shapes_inertia(const tacField *f) {
    return IS(f, geom_pos) || IS(f, geom_quat) || IS(f, geom_size) || IS(f, geom_density) || IS(f, geom_mass);
}

/* 1: the number went into an inertia that is no longer computed from it (fusestatic, discardvisual, align). */
static int is_frozen(const tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    int mesh = tac_mesh_of_number(m, (tacNumber){field, index});
    if (shapes_inertia(f)) return m->body_inertia_fixed[m->geom_body[index / f->per]];
    for (int g = 0; g < m->ngeom && mesh >= 0; g++)
        if (m->geom_mesh[g] == mesh && m->body_inertia_fixed[m->geom_body[g]]) return 1;
    return 0;
}

/* NULL if (field, index) is a parameter, else the reason why not. */
static const char *reason_against(const tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    int row = index / f->per;
    if (f->role == 'D') return "it is computed from other fields";
    if (f->role == 'I') return "it is structure, fixed when the model is built";
    if (row == 0 && (strcmp(f->kind, "body") == 0 || is_inertial(f))) return "the world is fixed and has no mass";
    if (is_inertial(f)) return reason_against_inertial(m, f, row);
    if (strcmp(f->kind, "joint") == 0) return reason_against_joint(m, f, row);
    if (is_frozen(m, field, index)) return "the inertia of its body was computed when the file was read";
    if (IS(f, geom_mass) && !m->geom_has_mass[row]) return "the mass was not given: set density";
    if (IS(f, actuator_biasprm) && index % f->per == BIAS_DAMPING && m->actuator_dampratio[row] > 0)
        return "it is computed from dampratio";
    if (IS(f, mesh_file_vert)) return tac_hull_fixes_vertex(m, tac_mesh_of_number(m, (tacNumber){field, index}), row);
    return NULL;
}

/* --- Which have a derivative -------------------------------------------------------------------------------------- */

/* Number of an actuator's six gears that count. */
static int gears_used(const tacModel *m, int a) {
    int type = m->actuator_trntype[a];
    if (type == TAC_TRN_JOINT || type == TAC_TRN_JOINT_IN_PARENT)
        return TAC_JOINT_NV[m->joint_type[m->actuator_trnid[2 * a]]];
    return type == TAC_TRN_SITE ? 6 : 1;
}

/* A servo whose length is an angle takes its setpoint on a circle. The gear sets its size. */
static const char *reason_against_circle(const tacModel *m, const tacField *f, int a, int k) {
    if ((IS(f, actuator_gainprm) && k == 0) || (IS(f, actuator_biasprm) && k == BIAS_STIFFNESS))
        return "the actuator wraps its setpoint to a full turn only while gainprm[0] = -biasprm[1]";
    if (!IS(f, actuator_gear) || k >= gears_used(m, a)) return NULL;
    if (m->actuator_dyntype[a] == TAC_DYN_INTEGRATOR) return "it sets the period at which the activation wraps";
    if (m->actuator_trntype[a] == TAC_TRN_SITE && k < 3)
        return "at 0 the actuator length is an angle, otherwise it is not";
    return NULL;
}

/* A servo's damping ratio applies only while gainprm[0] is -biasprm[1], and only to dofs with a moment. */
static const char *reason_against_servo(const tacModel *m, const tacField *f, int a, int k) {
    const double *bias = m->actuator_biasprm + 10 * a;
    int servo = m->actuator_gainprm[10 * a] == -bias[BIAS_STIFFNESS];
    double ratio = tac_damping_ratio(m, a);
    if (IS(f, actuator_dampratio) && !(m->actuator_dampratio[a] > 0))
        return "the actuator uses the damping biasprm[2], not dampratio";
    if (IS(f, actuator_dampratio) && !servo) return "dampratio applies only if gainprm[0] = -biasprm[1]";
    if (IS(f, actuator_biasprm) && k == BIAS_DAMPING && servo && bias[BIAS_DAMPING] == 0)
        return "at 0 it changes from a damping (negative) to a damping ratio (positive)";
    if (!(ratio > 0)) return tac_servo_on_circle(m, a) ? reason_against_circle(m, f, a, k) : NULL;
    if ((IS(f, actuator_gainprm) && k == 0) || (IS(f, actuator_biasprm) && k == BIAS_STIFFNESS))
        return "the actuator's damping ratio applies only while gainprm[0] = -biasprm[1]";
    if (IS(f, actuator_gear) && m->actuator_gear[6 * a + k] == 0 && k < gears_used(m, a))
        return "at 0 the actuator's damping ratio may exclude a joint that it includes otherwise";
    return tac_servo_on_circle(m, a) ? reason_against_circle(m, f, a, k) : NULL;
}

/* A body that only slides along its axes has a simpler inverse weight, which springdamper uses. */
static const char *reason_against_sliding(const tacModel *m, int body) {
    if (!tac_body_only_slides(m, body)) return NULL;
    for (int j = m->body_joint_adr[body]; j < m->body_joint_adr[body] + m->body_joint_num[body]; j++)
        if (tac_joint_by_ratio(m, j)) return "springdamper uses another formula if the body does not only slide";
    return NULL;
}

/* A tendon without inertia. With inertia, the bodies that it pulls have other weights. */
static const char *reason_against_armature(const tacModel *m, int tendon) {
    const char *reason = NULL;
    for (int k = 0; k < m->tendon_term_num[tendon] && reason == NULL; k++)
        reason = reason_against_sliding(m, m->joint_body[m->term_joint[m->tendon_term_adr[tendon] + k]]);
    return reason;
}

/* NULL if steps have a derivative with respect to (field, index), a number that can be set. Else the reason why not. */
static const char *reason_against_deriving(const tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    int row = index / f->per;
    if (IS(f, option_settotalmass) && !(*m->option_settotalmass > 0)) return "no total mass is set";
    if (IS(f, geom_pad) && !(m->geom_pad[row] > 0)) return "a pad of 0 has a derivative to one side alone";
    if (IS(f, joint_axis)) return reason_against_sliding(m, m->joint_body[row]);
    if (IS(f, joint_range) && m->joint_type[row] == TAC_JOINT_BALL && m->joint_limited[row] && index % 2 == 0)
        return "the range of a ball joint begins at 0";
    if (IS(f, tendon_armature) && m->tendon_armature[row] == 0) return reason_against_armature(m, row);
    if (IS(f, tendon_springlength) && tac_spring_is_automatic(m, row))
        return "it is -1, which means the length at the joints' springref";
    if (IS(f, equality_data) && tac_weld_is_automatic(m, row) && index % 11 >= 6 && index % 11 < 10)
        return "the quaternion is 0 0 0 0, which means the initial pose in the file";
    if (strcmp(f->kind, "actuator") == 0) return reason_against_servo(m, f, row, index % f->per);
    return NULL;
}

int tac_param_allowed(const tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    int64_t n = (int64_t)tac_field_rows(m, f) * f->per;
    return f->role == 'N' && index >= 0 && index < n && reason_against(m, field, index) == NULL;
}

/* 1: all numbers of a field can be set, so that they need not be checked one by one. */
static int has_no_exceptions(const tacField *f) {
    return f->role == 'N' && !is_inertial(f) && strcmp(f->kind, "body") != 0 && !IS(f, joint_stiffness) &&
           !IS(f, joint_damping) && !IS(f, joint_springdamper) && !IS(f, joint_pos) && !IS(f, joint_axis) &&
           !shapes_inertia(f) && strcmp(f->kind, "mesh") != 0 && !IS(f, actuator_biasprm);
}

/* 1: the number belongs to a body whose inertia comes from its geoms. */
static int comes_from_geoms(const tacModel *m, const tacField *f, int index) {
    return is_inertial(f) && m->body_inertial[index / f->per] == TAC_INERTIAL_GEOMS;
}

/* 1: the list shows the number. Mass and inertia from geoms can be set (which makes them explicit) but are not listed:
 * the geoms' own numbers are. */
static int is_listed(const tacModel *m, int field, int index) {
    return reason_against(m, field, index) == NULL && !comes_from_geoms(m, &TAC_FIELDS[field], index);
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

/* 1: the list leaves the field out. Meshes have very many vertices: they are reached by their paths. */
static int is_unlisted(const tacField *f) { return f->role != 'N' || IS(f, mesh_file_vert); }

/* Walks the list. Finds (field, index) of parameter i if i is below the count. Returns how many were passed. */
static int walk(const tacModel *m, int i, int *field, int *index) {
    int passed = 0;
    for (int k = 0; k < TAC_NFIELD; k++) {
        const tacField *f = &TAC_FIELDS[k];
        int n = is_unlisted(f) ? 0 : tac_field_rows(m, f) * f->per;
        if (has_no_exceptions(f)) {
            if (i - passed < n) {
                *field = k;
                *index = i - passed;
                return i;
            }
            passed += n;
            continue;
        }
        for (int e = 0; e < n; e++) {
            if (!is_listed(m, k, e)) continue;
            if (passed == i) {
                *field = k;
                *index = e;
                return i;
            }
            passed++;
        }
    }
    return passed;
}

int tac_param_count(const tacModel *model) {
    int field, index;
    return model == NULL ? 0 : walk(model, 0x7fffffff, &field, &index);
}

tacStatus tac_param_path(const tacModel *model, int i, char *text, size_t size) {
    int field = -1, index = 0;
    if (model == NULL || i < 0 || text == NULL || size == 0) return TAC_ERR_ARGUMENT;
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
    for (int k = 0; k < model->nmember; k++)
        if (IS(&TAC_FIELDS[model->param_field[k]], option_timestep)) return model->param_theta[k];
    return -1;
}

double *tac_param_find(const tacModel *model, const char *path, int *field, int *index, tacError *err) {
    int f, i;
    if (model == NULL || path == NULL) {
        tac_fail(err, TAC_ERR_ARGUMENT, "model or path is NULL");
        return NULL;
    }
    if (tac_param_parse(model, path, &f, &i, err) != TAC_OK) return NULL;
    const char *reason = reason_against(model, f, i);
    if (reason != NULL) {
        tac_fail(err, TAC_ERR_NAME, "parameter '%s' cannot be set: %s", path, reason);
        return NULL;
    }
    if (field != NULL) *field = f;
    if (index != NULL) *index = i;
    return tac_param_at(model, f, i);
}

/* The number as a file would write it with the body's inertia written out. */
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

/* --- Registered numbers ------------------------------------------------------------------------------------------- */

/* Position among the registered numbers, or -1. */
static int find_member(const tacModel *m, int field, int index) {
    for (int i = 0; i < m->nmember; i++)
        if (m->param_field[i] == field && m->param_index[i] == index) return i;
    return -1;
}

/* Number of numbers that a parameter sets. *first: the first of them. */
static int count_members(const tacModel *m, int k, int *first) {
    int n = 0;
    for (int i = m->nmember - 1; i >= 0; i--)
        if (m->param_theta[i] == k) {
            n++;
            *first = i;
        }
    return n;
}

/* Fails because the number at `at` belongs to a group, but the caller means it alone. */
static tacStatus refuse_member(const tacModel *m, const char *path, int at, const char *what, tacError *err) {
    int first = at, n = count_members(m, m->param_theta[at], &first);
    char text[TAC_ERROR_TEXT / 2];
    int other = first == at ? at + 1 : first;
    tac_param_text(m, m->param_field[other], m->param_index[other], text, sizeof text);
    return tac_fail(err, TAC_ERR_NAME, "parameter '%s' cannot be %s: it is one of a group of %d, with '%s'", path, what,
                    n, text);
}

/* 1: the number is one of several that a parameter sets. */
static int is_tied(const tacModel *m, int at) {
    int first;
    return count_members(m, m->param_theta[at], &first) > 1;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* Stores the mass and inertia that a body has from its geoms. They no longer follow the geoms. */
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

/* Normalizes quaternions and axes again after one of their numbers changed. */
static void normalize_row(tacModel *m, int field, int index) {
    const tacField *f = &TAC_FIELDS[field];
    tacQuat *quats[] = {m->body_quat, m->inertial_quat, m->geom_quat, m->site_quat, m->mesh_refquat};
    int row = index / f->per;
    for (size_t i = 0; i < sizeof quats / sizeof quats[0]; i++)
        if (tac_field_data(m, f) == quats[i]) quats[i][row] = tac_unit_quat(quats[i][row]);
    if (IS(f, joint_axis)) m->joint_axis[row] = tac_unit_axis(m->joint_axis[row]);
}

/* Writes one number into its row. */
static tacStatus put_number(tacModel *m, int field, int index, double value, tacError *err) {
    const tacField *f = &TAC_FIELDS[field];
    double *number = tac_param_at(m, field, index);
    if (comes_from_geoms(m, f, index)) TAC_TRY(make_explicit(m, index / f->per, err));
    if (IS(f, mesh_scale) && (value > 0) != (*number > 0))
        return tac_fail_element(
            m, NULL, err, TAC_KIND_MESH, index / f->per,
            "scale[%d] changes from %g to %g, expected the same sign: a new sign turns the triangles inside out",
            index % f->per, *number, value);
    *number = value;
    return TAC_OK;
}

/* A vertex that has moved leaves the faces of the hull what they were. */
static tacStatus check_vertex(const tacModel *m, int field, int index, tacError *err) {
    if (!IS(&TAC_FIELDS[field], mesh_file_vert)) return TAC_OK;
    int mesh = tac_mesh_of_number(m, (tacNumber){field, index});
    const char *reason = tac_hull_fixes_vertex(m, mesh, index / 3);
    if (reason == NULL) return TAC_OK;
    return tac_fail_element(m, NULL, err, TAC_KIND_MESH, mesh,
                            "file_vert[%d] becomes %g, expected a number at which the hull has the same faces: %s",
                            index - 3 * m->mesh_vert_adr[mesh], *tac_param_at(m, field, index), reason);
}

static tacStatus check_written(const tacModel *m, tacError *err) {
    TAC_TRY(tac_validate_numbers(m, NULL, err));
    for (int i = 0; i < m->nmember; i++)
        TAC_TRY(check_vertex(m, m->param_field[i], m->param_index[i], err));
    return TAC_OK;
}

/* A number of a group sets the whole group. All are written before rows become units again. */
tacStatus tac_param_write(tacModel *model, const char *path, double value, tacError *err) {
    int field, index, first = 0, n = 0;
    if (tac_param_find(model, path, &field, &index, err) == NULL) return err != NULL ? err->status : TAC_ERR_NAME;
    TAC_TRY(put_number(model, field, index, value, err));
    int at = find_member(model, field, index);
    if (at >= 0) n = count_members(model, model->param_theta[at], &first);
    for (int i = first; i < first + n; i++)
        if (i != at) TAC_TRY(put_number(model, model->param_field[i], model->param_index[i], value, err));
    for (int i = first; i < first + n; i++)
        normalize_row(model, model->param_field[i], model->param_index[i]);
    if (n == 0) normalize_row(model, field, index);
    TAC_TRY(check_written(model, err));
    return check_vertex(model, field, index, err);
}

tacStatus tac_param_write_all(tacModel *model, const double *theta, tacError *err) {
    for (int i = 0; i < model->nmember; i++)
        TAC_TRY(put_number(model, model->param_field[i], model->param_index[i], theta[model->param_theta[i]], err));
    for (int i = 0; i < model->nmember; i++)
        normalize_row(model, model->param_field[i], model->param_index[i]);
    return check_written(model, err);
}

/* --- Registering -------------------------------------------------------------------------------------------------- */

/* Path -> (field, index) of a number with a derivative of steps. */
static tacStatus admit(const tacModel *m, const char *path, int *field, int *index, tacError *err) {
    if (tac_param_find(m, path, field, index, err) == NULL) return err != NULL ? err->status : TAC_ERR_NAME;
    const char *reason = reason_against_deriving(m, *field, *index);
    if (reason == NULL) return TAC_OK;
    return tac_fail(err, TAC_ERR_NAME, "parameter '%s' cannot be registered: %s", path, reason);
}

/* Adds one number to parameter k. There is room for it. */
static tacStatus append_member(tacModel *m, int field, int index, int k, tacError *err) {
    if (comes_from_geoms(m, &TAC_FIELDS[field], index)) {
        TAC_TRY(make_explicit(m, index / TAC_FIELDS[field].per, err));
        TAC_TRY(tac_model_derive(m, err));
    }
    m->param_field[m->nmember] = field;
    m->param_index[m->nmember] = index;
    m->param_theta[m->nmember++] = k;
    return TAC_OK;
}

tacStatus tac_param_register(tacModel *model, const char *path, int *index, tacError *err) {
    int field, number;
    TAC_TRY(admit(model, path, &field, &number, err));
    int at = find_member(model, field, number), k = at < 0 ? model->nparam : model->param_theta[at];
    if (at >= 0 && is_tied(model, at)) return refuse_member(model, path, at, "registered by itself", err);
    if (at < 0) {
        TAC_TRY(tac_model_reserve_params(model, model->nmember + 1, err));
        TAC_TRY(append_member(model, field, number, k, err));
        model->nparam++;
    }
    if (index != NULL) *index = k;
    return TAC_OK;
}

/* 1: paths[i] is one of those before it. */
static int comes_again(const tacModel *m, const char *const *paths, int i) {
    int field, index, other_field, other_index;
    if (tac_param_find(m, paths[i], &field, &index, NULL) == NULL) return 0;
    for (int k = 0; k < i; k++)
        if (tac_param_find(m, paths[k], &other_field, &other_index, NULL) != NULL && other_field == field &&
            other_index == index)
            return 1;
    return 0;
}

/* The parameter that sets exactly these numbers, or -1. */
static int find_group(const tacModel *m, const char *const *paths, int n) {
    int k = -1, first;
    for (int i = 0; i < n; i++) {
        int field, index, at = -1;
        if (tac_param_find(m, paths[i], &field, &index, NULL) != NULL) at = find_member(m, field, index);
        if (at < 0 || (i > 0 && m->param_theta[at] != k) || comes_again(m, paths, i)) return -1;
        k = m->param_theta[at];
    }
    return count_members(m, k, &first) == n ? k : -1;
}

/* 1: paths[i] may join the group of those before it. */
static tacStatus check_group_member(const tacModel *m, const char *const *paths, int i, tacError *err) {
    int field, index;
    double value, first;
    TAC_TRY(admit(m, paths[i], &field, &index, err));
    if (comes_again(m, paths, i)) return tac_fail(err, TAC_ERR_NAME, "parameter '%s' is in the group twice", paths[i]);
    if (IS(&TAC_FIELDS[field], option_timestep))
        return tac_fail(err, TAC_ERR_NAME, "parameter '%s' cannot be in a group: each simulation has its own time step",
                        paths[i]);
    int at = find_member(m, field, index);
    if (at >= 0 && is_tied(m, at)) return refuse_member(m, paths[i], at, "in this group", err);
    if (at >= 0)
        return tac_fail(err, TAC_ERR_NAME, "parameter '%s' cannot be in a group: it is registered by itself", paths[i]);
    TAC_TRY(tac_param_get(m, paths[0], &first, err));
    TAC_TRY(tac_param_get(m, paths[i], &value, err));
    if (value == first) return TAC_OK;
    return tac_fail(err, TAC_ERR_ARGUMENT, "a group needs equal values: '%s' is %.17g, '%s' is %.17g", paths[0], first,
                    paths[i], value);
}

/* Appends them all, or none. There is room for them. */
static tacStatus append_group(tacModel *m, const char *const *paths, int n, tacError *err) {
    int before = m->nmember;
    tacStatus status = TAC_OK;
    for (int i = 0; i < n && status == TAC_OK; i++) {
        int field, index;
        status = admit(m, paths[i], &field, &index, err);
        if (status == TAC_OK) status = append_member(m, field, index, m->nparam, err);
    }
    if (status != TAC_OK) m->nmember = before;
    return status;
}

tacStatus tac_param_register_group(tacModel *model, const char *const *paths, int n, int *index, tacError *err) {
    if (model == NULL || paths == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "model or paths is NULL");
    if (n < 1) return tac_fail(err, TAC_ERR_ARGUMENT, "a group of %d parameters, expected at least 1", n);
    for (int i = 0; i < n; i++)
        if (paths[i] == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "path %d of the group is NULL", i);
    int k = find_group(model, paths, n);
    if (k < 0) {
        for (int i = 0; i < n; i++)
            TAC_TRY(check_group_member(model, paths, i, err));
        TAC_TRY(tac_model_reserve_params(model, model->nmember + n, err));
        k = model->nparam;
        TAC_TRY(append_group(model, paths, n, err));
        model->nparam++;
    }
    if (index != NULL) *index = k;
    return TAC_OK;
}

tacStatus tac_param_registered(const tacModel *model, int k, int member, char *text, size_t size) {
    int first = 0;
    if (model == NULL || k < 0 || member < 0 || text == NULL || size == 0) return TAC_ERR_ARGUMENT;
    if (member >= count_members(model, k, &first)) return TAC_ERR_ARGUMENT;
    tac_param_text(model, model->param_field[first + member], model->param_index[first + member], text, size);
    return TAC_OK;
}
