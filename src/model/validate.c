/* Structure: ids, types, names. */
#include "model/validate.h"

#include "base/error.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tolerance of |q|^2 for a unit: the rounding of normalizing in double precision. */
#define UNIT_TOL (8 * DBL_EPSILON)
/* A shorter axis or quaternion has no direction (MuJoCo's limit). */
#define MIN_NORM 1e-14
/* Limit on activations of one actuator. It exceeds any dynamics' need, so that a short file cannot ask for all
 * memory. */
enum { MAX_ACTDIM = 1000 };

tacQuat tac_unit_quat(tacQuat q) {
    double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(tac_abs(n2 - 1) > UNIT_TOL) || !(n2 >= MIN_NORM * MIN_NORM) || !tac_finite(n2)) return q;
    double n = tac_sqrt(n2);
    return (tacQuat){q.w / n, q.x / n, q.y / n, q.z / n};
}

tacVec3 tac_unit_axis(tacVec3 axis) {
    double n2 = tac_dot3(axis, axis);
    if (!(tac_abs(n2 - 1) > UNIT_TOL) || !(n2 >= MIN_NORM * MIN_NORM) || !tac_finite(n2)) return axis;
    double n = tac_sqrt(n2);
    return (tacVec3){axis.x / n, axis.y / n, axis.z / n};
}

/* Id in order of adding. */
static int added_id(const tacOrder *order, tacKind kind, int id) {
    const int *map = order == NULL            ? NULL
                     : kind == TAC_KIND_JOINT ? order->joint
                     : kind == TAC_KIND_GEOM  ? order->geom
                     : kind == TAC_KIND_SITE  ? order->site
                                              : NULL;
    return map != NULL && id >= 0 ? map[id] : id;
}

tacStatus tac_fail_element(const tacModel *m, const tacOrder *order, tacError *err, tacKind kind, int id,
                           const char *format, ...) {
    char text[TAC_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *word = tac_kind_text(kind), *name = tac_model_name(m, kind, id);
    int added = added_id(order, kind, id);
    if (kind == TAC_KIND_OPTION) return tac_fail_at(err, TAC_ERR_MODEL, kind, -1, "option: %s", text);
    if (name[0] == '\0') return tac_fail_at(err, TAC_ERR_MODEL, kind, added, "%s %d: %s", word, added, text);
    return tac_fail_at(err, TAC_ERR_MODEL, kind, added, "%s '%s': %s", word, name, text);
}

/* value is 0 ... n-1 */
static tacStatus check_type(const tacCheck *c, tacKind kind, int id, const char *what, int value, int n) {
    if (value >= 0 && value < n) return TAC_OK;
    return TAC_REFUSE(c, kind, id, "%s is %d, expected 0 to %d", what, value, n - 1);
}

/* value is an id of `other`, of which there are n. -1 is allowed too where none is. */
static tacStatus check_id(const tacCheck *c, tacKind kind, int id, tacKind other, int value, int none_allowed) {
    int n = tac_model_count(c->m, other);
    if ((value >= 0 && value < n) || (none_allowed && value == -1)) return TAC_OK;
    if (n == 0) return TAC_REFUSE(c, kind, id, "%s %d does not exist: the model has none", tac_kind_text(other), value);
    return TAC_REFUSE(c, kind, id, "%s %d does not exist, expected 0 to %d", tac_kind_text(other), value, n - 1);
}

/* --- Names -------------------------------------------------------------------------------------------------------- */

typedef struct NamedId {
    const char *name;
    int id;
} NamedId;

static int compare_names(const void *a, const void *b) {
    const NamedId *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

/* No two elements of one kind share a name. */
static tacStatus check_names(const tacCheck *c, tacKind kind) {
    int n = tac_model_count(c->m, kind), named = 0;
    NamedId *list = malloc(((size_t)n + 1) * sizeof *list);
    if (list == NULL) return tac_fail(c->err, TAC_ERR_MEMORY, "out of memory for checking names");
    for (int i = 0; i < n; i++) {
        const char *name = tac_model_name(c->m, kind, i);
        if (name[0] != '\0') list[named++] = (NamedId){name, added_id(c->order, kind, i)};
    }
    qsort(list, (size_t)named, sizeof *list, compare_names);
    tacStatus status = TAC_OK;
    for (int i = 1; i < named && status == TAC_OK; i++)
        if (strcmp(list[i].name, list[i - 1].name) == 0)
            status = tac_fail_at(c->err, TAC_ERR_MODEL, kind, list[i].id,
                                 "%s '%s': the name is taken by %s %d, expected unique names", tac_kind_text(kind),
                                 list[i].name, tac_kind_text(kind), list[i - 1].id);
    free(list);
    return status;
}

/* Offsets are in the pool. The pool begins with the empty name and ends with a zero. */
static tacStatus check_pool(const tacCheck *c) {
    const tacModel *m = c->m;
    if (m->nname < 1 || m->all_names[0] != '\0' || m->all_names[m->nname - 1] != '\0')
        return tac_fail(c->err, TAC_ERR_MODEL, "the names are damaged");
    const struct {
        const int *offset;
        int n;
    } lists[] = {{m->body_name, m->nbody},       {m->joint_name, m->njnt},   {m->geom_name, m->ngeom},
                 {m->mesh_name, m->nmesh},       {m->site_name, m->nsite},   {m->tendon_name, m->ntendon},
                 {m->actuator_name, m->nu},      {m->equality_name, m->neq}, {m->pair_name, m->npair},
                 {m->exclude_name, m->nexclude}, {m->key_name, m->nkey},     {m->sensor_name, m->nsensor},
                 {m->sensor_tag, m->nsensor}};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        for (int i = 0; i < lists[k].n; i++)
            if (lists[k].offset[i] < 0 || lists[k].offset[i] >= m->nname)
                return tac_fail(c->err, TAC_ERR_MODEL, "the names are damaged");
    return TAC_OK;
}

/* --- Kinds -------------------------------------------------------------------------------------------------------- */

static tacStatus check_option(const tacCheck *c) {
    const tacModel *m = c->m;
    TAC_TRY(check_type(c, TAC_KIND_OPTION, 0, "integrator", *m->option_integrator, TAC_INTEGRATOR_IMPLICITFAST + 1));
    TAC_TRY(check_type(c, TAC_KIND_OPTION, 0, "cone", *m->option_cone, TAC_CONE_ELLIPTIC + 1));
    return check_type(c, TAC_KIND_OPTION, 0, "solver", *m->option_solver, TAC_SOLVER_NEWTON + 1);
}

static tacStatus check_bodies(const tacCheck *c) {
    const tacModel *m = c->m;
    if (m->nbody < 1) return tac_fail(c->err, TAC_ERR_MODEL, "the model has no world");
    for (int i = 0; i < m->nbody; i++) {
        int parent = m->body_parent[i];
        if (parent < 0 || (i > 0 ? parent >= i : parent != 0))
            return TAC_REFUSE(c, TAC_KIND_BODY, i, "parent %d, expected 0 to %d", parent, i - 1);
        if (m->body_mocap[i] >= 0 && (i == 0 || parent != 0))
            return TAC_REFUSE(c, TAC_KIND_BODY, i, "is a mocap body, expected a child of the world");
        TAC_TRY(check_type(c, TAC_KIND_BODY, i, "inertial", m->body_inertial[i], TAC_INERTIAL_FULL + 1));
    }
    return TAC_OK;
}

/* Rows sorted by body, each body in range. */
static tacStatus check_owners(const tacCheck *c, tacKind kind, int n, const int *body) {
    for (int i = 0; i < n; i++) {
        TAC_TRY(check_id(c, kind, i, TAC_KIND_BODY, body[i], 0));
        if (i > 0 && body[i] < body[i - 1]) return TAC_REFUSE(c, kind, i, "not in the order of bodies");
    }
    return TAC_OK;
}

static tacStatus check_joints(const tacCheck *c) {
    const tacModel *m = c->m;
    TAC_TRY(check_owners(c, TAC_KIND_JOINT, m->njnt, m->joint_body));
    for (int i = 0; i < m->njnt; i++) {
        int body = m->joint_body[i];
        TAC_TRY(check_type(c, TAC_KIND_JOINT, i, "type", m->joint_type[i], TAC_JOINT_HINGE + 1));
        if (body == 0) return TAC_REFUSE(c, TAC_KIND_JOINT, i, "moves the world, expected a body");
        if (m->body_mocap[body] >= 0)
            return TAC_REFUSE(c, TAC_KIND_JOINT, i, "moves mocap body '%s', expected a mocap body to have no joints",
                              tac_model_name(m, TAC_KIND_BODY, body));
        if (m->joint_type[i] != TAC_JOINT_FREE) continue;
        if (m->body_parent[body] != 0)
            return TAC_REFUSE(c, TAC_KIND_JOINT, i, "free joint of body '%s', expected a child of the world",
                              tac_model_name(m, TAC_KIND_BODY, body));
        if ((i > 0 && m->joint_body[i - 1] == body) || (i + 1 < m->njnt && m->joint_body[i + 1] == body))
            return TAC_REFUSE(c, TAC_KIND_JOINT, i,
                              "body '%s' has a free joint and another joint, expected only the free joint",
                              tac_model_name(m, TAC_KIND_BODY, body));
    }
    return TAC_OK;
}

static tacStatus check_geoms(const tacCheck *c) {
    const tacModel *m = c->m;
    TAC_TRY(check_owners(c, TAC_KIND_GEOM, m->ngeom, m->geom_body));
    for (int i = 0; i < m->ngeom; i++) {
        int condim = m->geom_condim[i];
        TAC_TRY(check_type(c, TAC_KIND_GEOM, i, "type", m->geom_type[i], TAC_GEOM_TYPES));
        if (m->geom_type[i] == TAC_GEOM_MESH) TAC_TRY(check_id(c, TAC_KIND_GEOM, i, TAC_KIND_MESH, m->geom_mesh[i], 0));
        if (m->geom_type[i] != TAC_GEOM_MESH && m->geom_mesh[i] != -1)
            return TAC_REFUSE(c, TAC_KIND_GEOM, i, "has a mesh, expected none");
        if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
            return TAC_REFUSE(c, TAC_KIND_GEOM, i, "condim is %d, expected 1, 3, 4 or 6", condim);
    }
    return TAC_OK;
}

/* 1: a geom's sum names it. The rows of bodies, which tac_geom_is_added reads, are not checked yet. */
static int is_in_sum(const tacModel *m, int geom) {
    for (int g = 0; g < m->ngeom; g++)
        if (m->geom_sum[g] == geom) return 1;
    return 0;
}

/* A shape that sums may have: bounded, and there to touch. */
static int can_be_summed(const tacModel *m, int geom) {
    int type = m->geom_type[geom];
    return type != TAC_GEOM_PLANE && type != TAC_GEOM_HFIELD && !m->geom_visual[geom];
}

/* The geoms that a geom's sum goes through: bounded shapes of one body, no circle, few. */
static tacStatus check_sum(const tacCheck *c, int i) {
    const tacModel *m = c->m;
    TAC_TRY(check_id(c, TAC_KIND_GEOM, i, TAC_KIND_GEOM, m->geom_sum[i], 1));
    for (int g = m->geom_sum[i], levels = 1; g >= 0; g = m->geom_sum[g], levels++) {
        const char *name = tac_model_name(m, TAC_KIND_GEOM, g);
        TAC_TRY(check_id(c, TAC_KIND_GEOM, g, TAC_KIND_GEOM, m->geom_sum[g], 1));
        if (g == i) return TAC_REFUSE(c, TAC_KIND_GEOM, i, "its sum leads back to itself, expected another geom");
        if (levels > TAC_SUM_LEVELS)
            return TAC_REFUSE(c, TAC_KIND_GEOM, i, "its sum goes through more than %d geoms, or in a circle",
                              TAC_SUM_LEVELS);
        if (m->geom_body[g] != m->geom_body[i])
            return TAC_REFUSE(c, TAC_KIND_GEOM, i, "sum '%s' is on body '%s', expected a geom of its own body '%s'",
                              name, tac_model_name(m, TAC_KIND_BODY, m->geom_body[g]),
                              tac_model_name(m, TAC_KIND_BODY, m->geom_body[i]));
        if (!can_be_summed(m, i) || !can_be_summed(m, g))
            return TAC_REFUSE(c, TAC_KIND_GEOM, i,
                              "a plane, a height field or a visual geom is in a sum with '%s', expected bounded shapes",
                              name);
    }
    return TAC_OK;
}

static tacStatus check_sums(const tacCheck *c) {
    const tacModel *m = c->m;
    for (int i = 0; i < m->ngeom; i++)
        TAC_TRY(check_sum(c, i));
    for (int i = 0; i < 2 * m->npair; i++) {
        int geom = m->pair_geom[i];
        if (geom >= 0 && geom < m->ngeom && is_in_sum(m, geom))
            return TAC_REFUSE(c, TAC_KIND_PAIR, i / 2,
                              "geom '%s' is in a sum, expected a geom with contacts of its own",
                              tac_model_name(m, TAC_KIND_GEOM, geom));
    }
    return TAC_OK;
}

/* num rows from *end on. Moves *end behind them. */
static int takes_rows(int adr, int num, int total, int *end) {
    if (adr != *end || num < 0 || num > total - *end) return 0;
    *end += num;
    return 1;
}

/* Vertex ids are below nvert. */
static tacStatus check_vertex_ids(const tacCheck *c, int mesh, const char *what, const int *ids, int n, int per) {
    int nvert = c->m->mesh_vert_num[mesh];
    for (int k = 0; k < n * per; k++)
        if (ids[k] < 0 || ids[k] >= nvert)
            return TAC_REFUSE(c, TAC_KIND_MESH, mesh, "%s %d has vertex %d, expected 0 to %d", what, k / per, ids[k],
                              nvert - 1);
    return TAC_OK;
}

static tacStatus check_meshes(const tacCheck *c) {
    const tacModel *m = c->m;
    int vert = 0, face = 0, hullvert = 0, hullface = 0;
    for (int i = 0; i < m->nmesh; i++) {
        TAC_TRY(check_type(c, TAC_KIND_MESH, i, "inertia_mode", m->mesh_inertia_mode[i], TAC_MESH_SHELL + 1));
        if (m->mesh_inertia_mode[i] == TAC_MESH_CONVEX && m->mesh_hullface_num[i] == 0)
            return TAC_REFUSE(c, TAC_KIND_MESH, i, "inertia convex has no hull, expected hull triangles");
        if (!takes_rows(m->mesh_vert_adr[i], m->mesh_vert_num[i], m->nmeshvert, &vert) ||
            !takes_rows(m->mesh_face_adr[i], m->mesh_face_num[i], m->nmeshface, &face) ||
            !takes_rows(m->mesh_hullvert_adr[i], m->mesh_hullvert_num[i], m->nhullvert, &hullvert) ||
            !takes_rows(m->mesh_hullface_adr[i], m->mesh_hullface_num[i], m->nhullface, &hullface))
            return TAC_REFUSE(c, TAC_KIND_MESH, i, "its rows are damaged");
        TAC_TRY(check_vertex_ids(c, i, "face", m->mesh_face + 3 * (size_t)m->mesh_face_adr[i], m->mesh_face_num[i], 3));
        TAC_TRY(check_vertex_ids(c, i, "hull vertex", m->mesh_hullvert + m->mesh_hullvert_adr[i],
                                 m->mesh_hullvert_num[i], 1));
        TAC_TRY(check_vertex_ids(c, i, "hull face", m->mesh_hullface + 3 * (size_t)m->mesh_hullface_adr[i],
                                 m->mesh_hullface_num[i], 3));
        if (m->mesh_inertia_mode[i] == TAC_MESH_EXACT) TAC_TRY(tac_validate_mesh_edges(c, i));
    }
    if (vert != m->nmeshvert || face != m->nmeshface || hullvert != m->nhullvert || hullface != m->nhullface)
        return tac_fail(c->err, TAC_ERR_MODEL, "the rows of the meshes are damaged");
    return TAC_OK;
}

/* 1: something may touch the geom, by its collision bits or because a pair names it. */
static int may_collide(const tacModel *m, int geom) {
    if (m->geom_visual[geom]) return 0;
    if (m->geom_contype[geom] != 0 || m->geom_conaffinity[geom] != 0) return 1;
    for (int i = 0; i < 2 * m->npair; i++)
        if (m->pair_geom[i] == geom) return 1;
    return is_in_sum(m, geom);
}

/* A mesh that something may touch has a hull. */
static tacStatus check_hulls(const tacCheck *c) {
    const tacModel *m = c->m;
    for (int i = 0; i < m->ngeom; i++) {
        int mesh = m->geom_mesh[i];
        if (mesh < 0 || m->mesh_corner_num[mesh] > 0 || !may_collide(m, i)) continue;
        const char *name = tac_model_name(m, TAC_KIND_MESH, mesh);
        if (m->mesh_hullface_num[mesh] == 0)
            return TAC_REFUSE(c, TAC_KIND_GEOM, i,
                              "collides with mesh %d '%s', which has no hull, expected hull vertices and triangles, or "
                              "contype and conaffinity 0",
                              mesh, name);
        return TAC_REFUSE(c, TAC_KIND_GEOM, i,
                          "collides with mesh %d '%s', whose hull triangles enclose no convex body, expected a closed "
                          "surface, counter-clockwise seen from outside",
                          mesh, name);
    }
    return TAC_OK;
}

/* A hinge or slide joint: one number. */
static tacStatus check_scalar_joint(const tacCheck *c, tacKind kind, int id, int joint) {
    TAC_TRY(check_id(c, kind, id, TAC_KIND_JOINT, joint, 0));
    int type = c->m->joint_type[joint];
    if (type == TAC_JOINT_HINGE || type == TAC_JOINT_SLIDE) return TAC_OK;
    return TAC_REFUSE(c, kind, id, "joint '%s' is %s, expected a hinge or slide",
                      tac_model_name(c->m, TAC_KIND_JOINT, joint), type == TAC_JOINT_FREE ? "free" : "ball");
}

static tacStatus check_tendons(const tacCheck *c) {
    const tacModel *m = c->m;
    int term = 0;
    for (int i = 0; i < m->ntendon; i++) {
        TAC_TRY(check_type(c, TAC_KIND_TENDON, i, "type", m->tendon_type[i], TAC_TENDON_SPATIAL + 1));
        if (m->tendon_type[i] == TAC_TENDON_FIXED && m->tendon_term_num[i] == 0)
            return TAC_REFUSE(c, TAC_KIND_TENDON, i, "has no joints, expected at least one");
        if (!takes_rows(m->tendon_term_adr[i], m->tendon_term_num[i], m->nterm, &term))
            return TAC_REFUSE(c, TAC_KIND_TENDON, i, "its rows are damaged");
        for (int k = 0; k < m->tendon_term_num[i]; k++)
            TAC_TRY(check_scalar_joint(c, TAC_KIND_TENDON, i, m->term_joint[m->tendon_term_adr[i] + k]));
    }
    if (term != m->nterm) return tac_fail(c->err, TAC_ERR_MODEL, "the rows of the tendons are damaged");
    return TAC_OK;
}

/* The target of an actuator. */
static tacStatus check_target(const tacCheck *c, int i) {
    const tacModel *m = c->m;
    const int *id = m->actuator_trnid + 2 * i;
    static const tacKind target[] = {TAC_KIND_JOINT,  TAC_KIND_JOINT, TAC_KIND_SITE,
                                     TAC_KIND_TENDON, TAC_KIND_SITE,  TAC_KIND_BODY};
    TAC_TRY(check_type(c, TAC_KIND_ACTUATOR, i, "trntype", m->actuator_trntype[i], TAC_TRN_BODY + 1));
    tacTransmission type = (tacTransmission)m->actuator_trntype[i];
    TAC_TRY(check_id(c, TAC_KIND_ACTUATOR, i, target[type], id[0], 0));
    if (type == TAC_TRN_SLIDERCRANK) return check_id(c, TAC_KIND_ACTUATOR, i, TAC_KIND_SITE, id[1], 0);
    if (type == TAC_TRN_SITE) return check_id(c, TAC_KIND_ACTUATOR, i, TAC_KIND_SITE, id[1], 1);
    return TAC_OK;
}

static tacStatus check_actuators(const tacCheck *c) {
    const tacModel *m = c->m;
    for (int i = 0; i < m->nu; i++) {
        int dyn = m->actuator_dyntype[i], n = m->actuator_act_num[i];
        TAC_TRY(check_target(c, i));
        TAC_TRY(check_type(c, TAC_KIND_ACTUATOR, i, "dyntype", dyn, TAC_DYN_USER + 1));
        TAC_TRY(check_type(c, TAC_KIND_ACTUATOR, i, "gaintype", m->actuator_gaintype[i], TAC_GAIN_USER + 1));
        TAC_TRY(check_type(c, TAC_KIND_ACTUATOR, i, "biastype", m->actuator_biastype[i], TAC_BIAS_USER + 1));
        if (n < 0 || (dyn == TAC_DYN_NONE && n != 0))
            return TAC_REFUSE(c, TAC_KIND_ACTUATOR, i, "actdim is %d, expected 0 without dynamics", n);
        if (dyn != TAC_DYN_NONE && n == 0)
            return TAC_REFUSE(c, TAC_KIND_ACTUATOR, i, "actdim is 0, expected at least 1 with dynamics");
        if (dyn != TAC_DYN_USER && n > 1)
            return TAC_REFUSE(c, TAC_KIND_ACTUATOR, i, "actdim is %d, expected at most 1 unless the dynamics are user",
                              n);
        if (n > MAX_ACTDIM)
            return TAC_REFUSE(c, TAC_KIND_ACTUATOR, i, "actdim is %d, expected at most %d", n, MAX_ACTDIM);
        if (dyn == TAC_DYN_NONE && m->actuator_actlimited[i])
            return TAC_REFUSE(c, TAC_KIND_ACTUATOR, i, "actlimited is set without dynamics, expected dynamics");
    }
    return TAC_OK;
}

static tacStatus check_equality(const tacCheck *c, int i) {
    const tacModel *m = c->m;
    const int *obj = m->equality_obj + 2 * i;
    int kind = m->equality_objkind[i];
    TAC_TRY(check_type(c, TAC_KIND_EQUALITY, i, "type", m->equality_type[i], TAC_EQ_TENDON + 1));
    switch (m->equality_type[i]) {
    case TAC_EQ_CONNECT:
    case TAC_EQ_WELD:
        if (kind != TAC_KIND_BODY && kind != TAC_KIND_SITE)
            return TAC_REFUSE(c, TAC_KIND_EQUALITY, i, "objkind is %d, expected bodies or sites", kind);
        TAC_TRY(check_id(c, TAC_KIND_EQUALITY, i, (tacKind)kind, obj[0], 0));
        return check_id(c, TAC_KIND_EQUALITY, i, (tacKind)kind, obj[1], kind == TAC_KIND_BODY);
    case TAC_EQ_JOINT:
        if (kind != TAC_KIND_JOINT) return TAC_REFUSE(c, TAC_KIND_EQUALITY, i, "objkind is %d, expected joints", kind);
        TAC_TRY(check_scalar_joint(c, TAC_KIND_EQUALITY, i, obj[0]));
        return obj[1] == -1 ? TAC_OK : check_scalar_joint(c, TAC_KIND_EQUALITY, i, obj[1]);
    default:
        if (kind != TAC_KIND_TENDON)
            return TAC_REFUSE(c, TAC_KIND_EQUALITY, i, "objkind is %d, expected tendons", kind);
        TAC_TRY(check_id(c, TAC_KIND_EQUALITY, i, TAC_KIND_TENDON, obj[0], 0));
        return check_id(c, TAC_KIND_EQUALITY, i, TAC_KIND_TENDON, obj[1], 1);
    }
}

static tacStatus check_pairs(const tacCheck *c) {
    const tacModel *m = c->m;
    for (int i = 0; i < m->npair; i++) {
        int condim = m->pair_condim[i];
        TAC_TRY(check_id(c, TAC_KIND_PAIR, i, TAC_KIND_GEOM, m->pair_geom[2 * i], 0));
        TAC_TRY(check_id(c, TAC_KIND_PAIR, i, TAC_KIND_GEOM, m->pair_geom[2 * i + 1], 0));
        if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
            return TAC_REFUSE(c, TAC_KIND_PAIR, i, "condim is %d, expected 1, 3, 4 or 6", condim);
    }
    for (int i = 0; i < m->nexclude; i++) {
        TAC_TRY(check_id(c, TAC_KIND_EXCLUDE, i, TAC_KIND_BODY, m->exclude_body[2 * i], 0));
        TAC_TRY(check_id(c, TAC_KIND_EXCLUDE, i, TAC_KIND_BODY, m->exclude_body[2 * i + 1], 0));
    }
    return TAC_OK;
}

tacStatus tac_validate_structure(const tacModel *m, const tacOrder *order, tacError *err) {
    const tacCheck check = {m, order, err}, *c = &check;
    TAC_TRY(check_pool(c));
    for (tacKind kind = TAC_KIND_BODY; kind < TAC_KIND_OPTION; kind++)
        TAC_TRY(check_names(c, kind));
    TAC_TRY(check_option(c));
    TAC_TRY(check_bodies(c));
    TAC_TRY(check_joints(c));
    TAC_TRY(check_geoms(c));
    TAC_TRY(check_sums(c));
    TAC_TRY(check_meshes(c));
    TAC_TRY(check_hulls(c));
    TAC_TRY(check_owners(c, TAC_KIND_SITE, m->nsite, m->site_body));
    for (int i = 0; i < m->nsite; i++)
        TAC_TRY(check_type(c, TAC_KIND_SITE, i, "type", m->site_type[i], TAC_GEOM_TYPES));
    TAC_TRY(check_tendons(c));
    TAC_TRY(check_actuators(c));
    for (int i = 0; i < m->neq; i++)
        TAC_TRY(check_equality(c, i));
    return check_pairs(c);
}
