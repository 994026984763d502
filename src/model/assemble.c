/* Builder -> model: regroups by body, fills the rows, then checks, indexes and derives. */
#include "model/build.h"
#include "model/hull.h"
#include "model/validate.h"

#include "base/error.h"
#include "math/quat.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A model under construction, and the permutations: order[new id] = id in order of adding, place[old id] = new id. */
typedef struct Assembly {
    const tacBuilder *b;
    tacModel *m;
    tacOrder order;
    int *joint_place, *geom_place, *site_place;
    tacPolyhedron *hull; /* per mesh */
    int name_end;        /* bytes of the name pool in use */
} Assembly;

/* --- Regrouping --------------------------------------------------------------------------------------------------- */

/* The owning body of element i, stored `offset` bytes into each element of `stride` bytes. */
typedef struct Owners {
    const tacList *list;
    size_t stride, offset;
} Owners;

static int owner(Owners o, int i) {
    return *(const int *)((const char *)o.list->data + (size_t)i * o.stride + o.offset);
}

/* Stable counting sort of a list by body. Returns 0 when out of memory. */
static int regroup(int nbody, Owners owners, int **order, int **place) {
    int n = owners.list->count;
    int *start = calloc((size_t)nbody + 1, sizeof(int));
    *order = malloc(((size_t)n + 1) * sizeof(int));
    *place = malloc(((size_t)n + 1) * sizeof(int));
    if (start == NULL || *order == NULL || *place == NULL) {
        free(start);
        return 0;
    }
    for (int i = 0; i < n; i++)
        start[owner(owners, i) + 1]++;
    for (int b = 0; b < nbody; b++)
        start[b + 1] += start[b];
    for (int i = 0; i < n; i++) {
        int at = start[owner(owners, i)]++;
        (*order)[at] = i;
        (*place)[i] = at;
    }
    free(start);
    return 1;
}

static int regroup_all(Assembly *a) {
    const tacBuilder *b = a->b;
    const Owners joints = {&b->joint, sizeof(tacAddedJoint), offsetof(tacAddedJoint, body)};
    const Owners geoms = {&b->geom, sizeof(tacAddedGeom), offsetof(tacAddedGeom, body)};
    const Owners sites = {&b->site, sizeof(tacAddedSite), offsetof(tacAddedSite, body)};
    return regroup(b->body.count, joints, &a->order.joint, &a->joint_place) &&
           regroup(b->body.count, geoms, &a->order.geom, &a->geom_place) &&
           regroup(b->body.count, sites, &a->order.site, &a->site_place);
}

/* The new id of an element. An id out of range stays out of range, and the checks refuse it. */
static int placed(const int *place, int n, int id) { return id >= 0 && id < n ? place[id] : id; }
static int placed_joint(const Assembly *a, int id) { return placed(a->joint_place, a->b->joint.count, id); }
static int placed_geom(const Assembly *a, int id) { return placed(a->geom_place, a->b->geom.count, id); }
static int placed_site(const Assembly *a, int id) { return placed(a->site_place, a->b->site.count, id); }

/* --- Names -------------------------------------------------------------------------------------------------------- */

static size_t text_bytes(const char *text) { return text != NULL && text[0] != '\0' ? strlen(text) + 1 : 0; }

/* Bytes of all names. Reads the name pointer at `offset` of each element of `stride` bytes. */
static size_t list_name_bytes(const tacList *list, size_t stride, size_t offset) {
    size_t total = 0;
    for (int i = 0; i < list->count; i++)
        total += text_bytes(*(const char *const *)((const char *)list->data + (size_t)i * stride + offset));
    return total;
}

static size_t all_name_bytes(const tacBuilder *b) {
    return 1 + list_name_bytes(&b->body, sizeof(tacAddedBody), offsetof(tacAddedBody, def.name)) +
           list_name_bytes(&b->joint, sizeof(tacAddedJoint), offsetof(tacAddedJoint, def.name)) +
           list_name_bytes(&b->geom, sizeof(tacAddedGeom), offsetof(tacAddedGeom, def.name)) +
           list_name_bytes(&b->mesh, sizeof(tacMeshDef), offsetof(tacMeshDef, name)) +
           list_name_bytes(&b->site, sizeof(tacAddedSite), offsetof(tacAddedSite, def.name)) +
           list_name_bytes(&b->tendon, sizeof(tacTendonDef), offsetof(tacTendonDef, name)) +
           list_name_bytes(&b->actuator, sizeof(tacActuatorDef), offsetof(tacActuatorDef, name)) +
           list_name_bytes(&b->equality, sizeof(tacEqualityDef), offsetof(tacEqualityDef, name)) +
           list_name_bytes(&b->pair, sizeof(tacPairDef), offsetof(tacPairDef, name)) +
           list_name_bytes(&b->exclude, sizeof(tacAddedExclude), offsetof(tacAddedExclude, name)) +
           list_name_bytes(&b->key, sizeof(tacAddedKey), offsetof(tacAddedKey, def.name)) +
           list_name_bytes(&b->sensor, sizeof(tacAddedSensor), offsetof(tacAddedSensor, name)) +
           list_name_bytes(&b->sensor, sizeof(tacAddedSensor), offsetof(tacAddedSensor, tag));
}

/* Adds a name to the pool. Returns its offset, 0 for none. */
static int put_name(Assembly *a, const char *text) {
    size_t bytes = text_bytes(text);
    if (bytes == 0) return 0;
    int at = a->name_end;
    memcpy(a->m->all_names + at, text, bytes);
    a->name_end += (int)bytes;
    return at;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* COPY: a number, an int or a vector; COPY_N: an array of the definition into row i. */
#define COPY(kind, field)   m->kind##_##field[i] = d->field
#define COPY_N(kind, field) memcpy((char *)m->kind##_##field + (size_t)i * sizeof d->field, d->field, sizeof d->field)

static void fill_option(tacModel *m, const tacOptionDef *d) {
    const int i = 0;
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
}

static void fill_bodies(Assembly *a) {
    tacModel *m = a->m;
    for (int i = 0; i < m->nbody; i++) {
        const tacAddedBody *added = TAC_ADDED(a->b->body, tacAddedBody, i);
        const tacBodyDef *d = &added->def;
        m->body_name[i] = put_name(a, d->name);
        m->body_parent[i] = added->parent;
        m->body_mocap[i] = d->mocap ? 0 : -1; /* numbered by tac_model_index */
        m->body_inertial[i] = (int)d->inertial;
        COPY(body, pos);
        COPY(body, gravcomp);
        COPY(body, inertia_fixed);
        m->body_quat[i] = tac_unit_quat(d->quat);
        m->inertial_mass[i] = d->mass;
        m->inertial_pos[i] = d->ipos;
        m->inertial_quat[i] = tac_unit_quat(d->iquat);
        m->inertial_diag[i] = d->inertia;
        m->inertial_full[i] = d->fullinertia;
    }
}

static void fill_joints(Assembly *a) {
    tacModel *m = a->m;
    for (int i = 0; i < m->njnt; i++) {
        const tacAddedJoint *added = TAC_ADDED(a->b->joint, tacAddedJoint, a->order.joint[i]);
        const tacJointDef *d = &added->def;
        int one_axis = d->type == TAC_JOINT_HINGE || d->type == TAC_JOINT_SLIDE;
        m->joint_name[i] = put_name(a, d->name);
        m->joint_type[i] = (int)d->type;
        m->joint_body[i] = added->body;
        COPY(joint, limited);
        COPY(joint, actfrclimited);
        COPY(joint, actgravcomp);
        COPY(joint, group);
        m->joint_pos[i] = d->type == TAC_JOINT_FREE ? tac_zero3() : d->pos;
        m->joint_axis[i] = one_axis ? tac_unit_axis(d->axis) : tac_vec3(0, 0, 1);
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
    }
}

static void fill_geoms(Assembly *a) {
    tacModel *m = a->m;
    for (int i = 0; i < m->ngeom; i++) {
        const tacAddedGeom *added = TAC_ADDED(a->b->geom, tacAddedGeom, a->order.geom[i]);
        const tacGeomDef *d = &added->def;
        m->geom_name[i] = put_name(a, d->name);
        m->geom_type[i] = (int)d->type;
        m->geom_body[i] = added->body;
        m->geom_mesh[i] = d->type == TAC_GEOM_MESH ? d->mesh : -1;
        m->geom_sum[i] = placed_geom(a, d->sum);
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
        m->geom_quat[i] = tac_unit_quat(d->quat);
        COPY_N(geom, size);
        COPY(geom, pad);
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
    }
}

static void fill_sites(Assembly *a) {
    tacModel *m = a->m;
    for (int i = 0; i < m->nsite; i++) {
        const tacAddedSite *added = TAC_ADDED(a->b->site, tacAddedSite, a->order.site[i]);
        const tacSiteDef *d = &added->def;
        m->site_name[i] = put_name(a, d->name);
        m->site_body[i] = added->body;
        m->site_type[i] = (int)d->type;
        COPY(site, group);
        COPY(site, pos);
        COPY_N(site, size);
        m->site_quat[i] = tac_unit_quat(d->quat);
    }
}

static int is_mirrored(const tacMeshDef *d) { return d->scale.x * d->scale.y * d->scale.z < 0; }

/* Copies triangles. Reverses them if the scale mirrors, so that they stay counter-clockwise from outside. */
static void fill_faces(int *to, const int *from, int n, int mirrored) {
    for (int f = 0; f < n; f++) {
        to[3 * f] = from[3 * f];
        to[3 * f + 1] = from[3 * f + (mirrored ? 2 : 1)];
        to[3 * f + 2] = from[3 * f + (mirrored ? 1 : 2)];
    }
}

static void copy_bytes(void *to, const void *from, size_t bytes) {
    if (bytes > 0) memcpy(to, from, bytes);
}

/* 1: every vertex of the hull's triangles exists. The checks refuse others. */
static int hull_ids_exist(const tacMeshDef *d) {
    for (int k = 0; k < 3 * d->nhullface; k++)
        if (d->hullface[k] < 0 || d->hullface[k] >= d->nvert) return 0;
    return 1;
}

/* The polyhedron of one mesh's hull. There is none without triangles, or if they enclose no convex body. */
static int make_hull(const tacMeshDef *d, tacPolyhedron *hull) {
    if (d->nhullface <= 0 || !hull_ids_exist(d)) return 1;
    int *face = malloc(3 * (size_t)d->nhullface * sizeof(int));
    if (face == NULL) return 0;
    fill_faces(face, d->hullface, d->nhullface, is_mirrored(d));
    tacStatus status = tac_polyhedron_new(d->vert, d->nhullface, face, is_mirrored(d) ? -1 : 1, hull);
    free(face);
    return status != TAC_ERR_MEMORY;
}

/* Returns 0 when out of memory. */
static int make_hulls(Assembly *a) {
    a->hull = calloc((size_t)a->b->mesh.count + 1, sizeof *a->hull);
    if (a->hull == NULL) return 0;
    for (int i = 0; i < a->b->mesh.count; i++)
        if (!make_hull(TAC_ADDED(a->b->mesh, tacMeshDef, i), &a->hull[i])) return 0;
    return 1;
}

static void free_hulls(Assembly *a) {
    for (int i = 0; i < a->b->mesh.count && a->hull != NULL; i++)
        tac_polyhedron_free(&a->hull[i]);
    free(a->hull);
}

static void fill_meshes(Assembly *a) {
    tacModel *m = a->m;
    int vert = 0, face = 0, hullvert = 0, hullface = 0;
    for (int i = 0; i < m->nmesh; i++) {
        const tacMeshDef *d = TAC_ADDED(a->b->mesh, tacMeshDef, i);
        int mirrored = is_mirrored(d);
        m->mesh_name[i] = put_name(a, d->name);
        m->mesh_inertia_mode[i] = (int)d->inertia_mode;
        COPY(mesh, scale);
        COPY(mesh, refpos);
        m->mesh_refquat[i] = tac_unit_quat(d->refquat);
        m->mesh_vert_adr[i] = vert;
        m->mesh_vert_num[i] = d->nvert;
        m->mesh_face_adr[i] = face;
        m->mesh_face_num[i] = d->nface;
        m->mesh_hullvert_adr[i] = hullvert;
        m->mesh_hullvert_num[i] = d->nhullvert;
        m->mesh_hullface_adr[i] = hullface;
        m->mesh_hullface_num[i] = d->nhullface;
        copy_bytes(m->mesh_file_vert + vert, d->vert, (size_t)d->nvert * sizeof(tacVec3));
        copy_bytes(m->mesh_hullvert + hullvert, d->hullvert, (size_t)d->nhullvert * sizeof(int));
        fill_faces(m->mesh_face + 3 * (size_t)face, d->face, d->nface, mirrored);
        fill_faces(m->mesh_hullface + 3 * (size_t)hullface, d->hullface, d->nhullface, mirrored);
        vert += d->nvert;
        face += d->nface;
        hullvert += d->nhullvert;
        hullface += d->nhullface;
        tac_hull_fill(m, i, &a->hull[i]);
    }
}

static void fill_tendons(Assembly *a) {
    tacModel *m = a->m;
    int term = 0;
    for (int i = 0; i < m->ntendon; i++) {
        const tacTendonDef *d = TAC_ADDED(a->b->tendon, tacTendonDef, i);
        m->tendon_name[i] = put_name(a, d->name);
        m->tendon_type[i] = (int)d->type;
        m->tendon_term_adr[i] = term;
        m->tendon_term_num[i] = d->nterm;
        for (int k = 0; k < d->nterm; k++, term++) {
            m->term_joint[term] = placed_joint(a, d->joint[k]);
            m->term_coef[term] = d->coef[k];
        }
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
    }
}

/* The new id of an actuator's target. */
static int placed_target(const Assembly *a, tacTransmission type, int id) {
    switch (type) {
    case TAC_TRN_JOINT:
    case TAC_TRN_JOINT_IN_PARENT:
        return placed_joint(a, id);
    case TAC_TRN_SLIDERCRANK:
    case TAC_TRN_SITE:
        return placed_site(a, id);
    default:
        return id;
    }
}

static void fill_actuators(Assembly *a) {
    tacModel *m = a->m;
    for (int i = 0; i < m->nu; i++) {
        const tacActuatorDef *d = TAC_ADDED(a->b->actuator, tacActuatorDef, i);
        m->actuator_name[i] = put_name(a, d->name);
        m->actuator_trntype[i] = (int)d->trntype;
        m->actuator_trnid[2 * i] = placed_target(a, d->trntype, d->trnid[0]);
        m->actuator_trnid[2 * i + 1] = placed_target(a, d->trntype, d->trnid[1]);
        m->actuator_dyntype[i] = (int)d->dyntype;
        m->actuator_gaintype[i] = (int)d->gaintype;
        m->actuator_biastype[i] = (int)d->biastype;
        m->actuator_act_num[i] = d->actdim;
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
    }
}

static int placed_object(const Assembly *a, tacKind kind, int id) {
    return kind == TAC_KIND_JOINT ? placed_joint(a, id) : kind == TAC_KIND_SITE ? placed_site(a, id) : id;
}

static void fill_constraints(Assembly *a) {
    tacModel *m = a->m;
    for (int i = 0; i < m->neq; i++) {
        const tacEqualityDef *d = TAC_ADDED(a->b->equality, tacEqualityDef, i);
        m->equality_name[i] = put_name(a, d->name);
        m->equality_type[i] = (int)d->type;
        m->equality_objkind[i] = (int)d->objkind;
        m->equality_obj[2 * i] = placed_object(a, d->objkind, d->obj[0]);
        m->equality_obj[2 * i + 1] = placed_object(a, d->objkind, d->obj[1]);
        COPY(equality, active);
        COPY_N(equality, data);
        COPY_N(equality, solref);
        COPY_N(equality, solimp);
    }
    for (int i = 0; i < m->npair; i++) {
        const tacPairDef *d = TAC_ADDED(a->b->pair, tacPairDef, i);
        m->pair_name[i] = put_name(a, d->name);
        m->pair_geom[2 * i] = placed_geom(a, d->geom[0]);
        m->pair_geom[2 * i + 1] = placed_geom(a, d->geom[1]);
        COPY(pair, condim);
        COPY_N(pair, friction);
        COPY_N(pair, solref);
        COPY_N(pair, solreffriction);
        COPY_N(pair, solimp);
        COPY(pair, margin);
        COPY(pair, gap);
    }
    for (int i = 0; i < m->nexclude; i++) {
        const tacAddedExclude *d = TAC_ADDED(a->b->exclude, tacAddedExclude, i);
        m->exclude_name[i] = put_name(a, d->name);
        COPY_N(exclude, body);
    }
}

static void fill_sensors(Assembly *a) {
    for (int i = 0; i < a->m->nsensor; i++) {
        const tacAddedSensor *d = TAC_ADDED(a->b->sensor, tacAddedSensor, i);
        a->m->sensor_name[i] = put_name(a, d->name);
        a->m->sensor_tag[i] = put_name(a, d->tag);
    }
}

/* Numbers from begin to before end. */
typedef struct Span {
    int begin, end;
} Span;

/* qpos_0 of a joint. */
static void default_coordinates(const tacModel *m, int joint, double *q) {
    tacVec3 pos = m->body_pos[m->joint_body[joint]];
    if (m->joint_type[joint] == TAC_JOINT_FREE) {
        tac_store3(q, pos);
        tac_quat_store(q + 3, m->body_quat[m->joint_body[joint]]);
    } else if (m->joint_type[joint] == TAC_JOINT_BALL) {
        tac_quat_store(q, tac_quat_identity());
    } else {
        q[0] = m->joint_ref[joint];
    }
}

/* Coordinates in the order of adding, from number `begin` to before `end` -> their position in the model's order.
 * Joints beyond these numbers keep what `to` has. */
static void place_coordinates(const Assembly *a, const int *width, const int *adr, Span span, const double *from,
                              double *to) {
    int at = 0;
    for (int k = 0; k < a->m->njnt; k++) {
        int joint = a->joint_place[k];
        int n = width[a->m->joint_type[joint]];
        if (at >= span.begin && at + n <= span.end)
            memcpy(to + adr[joint], from + at - span.begin, (size_t)n * sizeof(double));
        at += n;
    }
}

/* Poses of mocap bodies: those beyond the key's numbers stand where the model has them. */
static void fill_key_poses(Assembly *a, int i, const tacAddedKey *key) {
    tacModel *m = a->m;
    for (int k = 0; k < m->nmocap; k++) {
        int row = i * m->nmocap + k, body = m->mocap_body[k], at = k - key->from.nmocap;
        int inside = at >= 0 && k < key->to.nmocap;
        if (key->def.mpos != NULL) m->key_mpos[row] = inside ? key->def.mpos[at] : m->body_pos[body];
        if (key->def.mquat != NULL) m->key_mquat[row] = inside ? key->def.mquat[at] : m->body_quat[body];
    }
}

/* Bits of TAC_KEY_QPOS and its sisters. Of a part without numbers it makes no difference: it counts as not given. */
static int given_parts(const tacModel *m, const tacKeyDef *d) {
    int qpos = d->qpos != NULL && m->nq > 0, mpos = d->mpos != NULL && m->nmocap > 0;
    int mquat = d->mquat != NULL && m->nmocap > 0;
    return (qpos ? TAC_KEY_QPOS : 0) | (mpos ? TAC_KEY_MPOS : 0) | (mquat ? TAC_KEY_MQUAT : 0);
}

/* Keyframes as given. tac_model_derive completes them. */
static void fill_keys(Assembly *a) {
    tacModel *m = a->m;
    for (int i = 0; i < m->nkey; i++) {
        const tacAddedKey *key = TAC_ADDED(a->b->key, tacAddedKey, i);
        const tacKeyDef *d = &key->def;
        double *qpos = m->key_qpos + (size_t)i * (size_t)m->nq;
        double *act = m->key_act + (size_t)i * (size_t)m->na, *ctrl = m->key_ctrl + (size_t)i * (size_t)m->nu;
        tacKeySpan from = key->from, to = key->to;
        m->key_time[i] = d->time;
        m->key_given[i] = given_parts(m, d);
        for (int j = 0; j < m->njnt && d->qpos != NULL; j++)
            default_coordinates(m, j, qpos + m->joint_qpos_adr[j]);
        if (d->qpos != NULL)
            place_coordinates(a, TAC_JOINT_NQ, m->joint_qpos_adr, (Span){from.nq, to.nq}, d->qpos, qpos);
        if (d->qvel != NULL)
            place_coordinates(a, TAC_JOINT_NV, m->joint_dof_adr, (Span){from.nv, to.nv}, d->qvel,
                              m->key_qvel + (size_t)i * (size_t)m->nv);
        if (d->act != NULL) memcpy(act + from.na, d->act, (size_t)(to.na - from.na) * sizeof(double));
        if (d->ctrl != NULL) memcpy(ctrl + from.nu, d->ctrl, (size_t)(to.nu - from.nu) * sizeof(double));
        fill_key_poses(a, i, key);
    }
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

static int fits(int64_t n) { return n >= 0 && n <= INT_MAX; }

/* Counts -> sizes. 0: one exceeds an int. */
static int measure(const Assembly *a, tacModel *s) {
    const tacBuilder *b = a->b;
    int64_t vert = 0, face = 0, hullvert = 0, hullface = 0, corner = 0, polygon = 0, edge = 0, term = 0;
    for (int i = 0; i < b->mesh.count; i++) {
        const tacMeshDef *d = TAC_ADDED(b->mesh, tacMeshDef, i);
        vert += d->nvert;
        face += d->nface;
        hullvert += d->nhullvert;
        hullface += d->nhullface;
        corner += a->hull[i].ncorner;
        polygon += a->hull[i].npolygon;
        edge += a->hull[i].nedge;
    }
    for (int i = 0; i < b->tendon.count; i++)
        term += TAC_ADDED(b->tendon, tacTendonDef, i)->nterm;
    int64_t names = (int64_t)all_name_bytes(b), keys = b->key.count;
    *s = (tacModel){.nq = b->nq, .nv = b->nv, .nu = b->actuator.count, .na = b->na, .nbody = b->body.count};
    s->njnt = b->joint.count;
    s->ngeom = b->geom.count;
    s->nsite = b->site.count;
    s->nmesh = b->mesh.count;
    s->nmeshvert = (int)vert;
    s->nmeshface = (int)face;
    s->nhullvert = (int)hullvert;
    s->nhullface = (int)hullface;
    s->nhullcorner = (int)corner;
    s->nhullpolygon = (int)polygon;
    s->nhulledge = (int)edge;
    s->ntendon = b->tendon.count;
    s->nterm = (int)term;
    s->neq = b->equality.count;
    s->npair = b->pair.count;
    s->nexclude = b->exclude.count;
    s->nkey = b->key.count;
    s->nsensor = b->sensor.count;
    s->nmocap = b->nmocap;
    s->nkeyq = (int)(keys * b->nq);
    s->nkeyv = (int)(keys * b->nv);
    s->nkeya = (int)(keys * b->na);
    s->nkeyu = (int)(keys * s->nu);
    s->nkeym = (int)(keys * b->nmocap);
    s->noption = 1;
    s->nname = (int)names;
    return fits(vert) && fits(face) && fits(hullvert) && fits(hullface) && fits(edge) && fits(term) && fits(names) &&
           fits(keys * b->nq) && fits(keys * b->nv) && fits(keys * b->na) && fits(keys * s->nu) &&
           fits(keys * b->nmocap);
}

/* A key's arrays were copied with the sizes at that time. They must still be the model's sizes. */
static tacStatus check_key_sizes(const tacBuilder *b, tacError *err) {
    for (int i = 0; i < b->key.count; i++) {
        const tacAddedKey *k = TAC_ADDED(b->key, tacAddedKey, i);
        tacKeySpan has = k->to;
        if (k->grows) continue;
        if (has.nq != b->nq || has.nv != b->nv || has.na != b->na || has.nu != b->actuator.count ||
            has.nmocap != b->nmocap)
            return tac_fail_at(err, TAC_ERR_MODEL, TAC_KIND_KEY, i,
                               "key %d '%s' was added at nq %d, nu %d, na %d, nmocap %d, expected after all "
                               "joints, actuators and mocap bodies (nq %d, nu %d, na %d, nmocap %d)",
                               i, k->def.name != NULL ? k->def.name : "", has.nq, has.nu, has.na, has.nmocap, b->nq,
                               b->actuator.count, b->na, b->nmocap);
    }
    return TAC_OK;
}

/* Limit on the numbers of all keyframes together, so that a short file cannot ask for all memory. */
#define MOST_KEY_NUMBERS 4000000

static tacStatus check_key_total(const tacBuilder *b, tacError *err) {
    int64_t each = (int64_t)b->nq + b->nv + b->na + b->actuator.count + TAC_POSE_SIZE * (int64_t)b->nmocap;
    if (each * b->key.count <= MOST_KEY_NUMBERS) return TAC_OK;
    return tac_fail_at(err, TAC_ERR_MODEL, TAC_KIND_KEY, b->key.count - 1,
                       "%d keyframes of %lld numbers each, expected at most %d numbers in all", b->key.count,
                       (long long)each, MOST_KEY_NUMBERS);
}

static void fill(Assembly *a) {
    a->name_end = 1;
    fill_option(a->m, &a->b->option);
    fill_bodies(a);
    fill_joints(a);
    fill_geoms(a);
    fill_meshes(a);
    fill_sites(a);
    fill_tendons(a);
    fill_actuators(a);
    fill_constraints(a);
    fill_sensors(a);
    for (int i = 0; i < a->m->nkey; i++)
        a->m->key_name[i] = put_name(a, TAC_ADDED(a->b->key, tacAddedKey, i)->def.name);
}

/* Regroups, fills, checks, derives. The caller frees the model in a->m. */
static tacStatus assemble(Assembly *a, tacError *err) {
    tacModel sizes;
    TAC_TRY(check_key_total(a->b, err));
    if (!make_hulls(a)) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for the hulls of the meshes");
    if (!measure(a, &sizes)) return tac_fail(err, TAC_ERR_MODEL, "a size of the model exceeds the range of int");
    if (!regroup_all(a) || (a->m = tac_model_allocate(&sizes)) == NULL)
        return tac_fail(err, TAC_ERR_MEMORY, "out of memory for the model");
    fill(a);
    TAC_TRY(check_key_sizes(a->b, err));
    TAC_TRY(tac_validate_structure(a->m, &a->order, err));
    if (!tac_model_index(a->m))
        return tac_fail(err, TAC_ERR_MODEL, "the number of mass matrix entries exceeds the range of int");
    TAC_TRY(tac_validate_numbers(a->m, &a->order, err));
    fill_keys(a);
    TAC_TRY(tac_validate_keys(a->m, err));
    return tac_model_derive(a->m, err);
}

tacStatus tac_model_assemble(tacBuilder *b, tacModel **model, tacError *err) {
    if (b == NULL || model == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "tac_model_finish: an argument is NULL");
    if (b->error.status != TAC_OK) {
        if (err != NULL) *err = b->error;
        return b->error.status;
    }
    Assembly a = {.b = b};
    tacStatus status = assemble(&a, err);
    free(a.order.joint);
    free(a.order.geom);
    free(a.order.site);
    free(a.joint_place);
    free(a.geom_place);
    free(a.site_place);
    free_hulls(&a);
    if (status != TAC_OK) {
        tac_model_free(a.m);
        return status;
    }
    *model = a.m;
    return TAC_OK;
}
