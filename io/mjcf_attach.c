/* MJCF <asset><model> and <attach>: models of other files as parts of this one. A file is loaded into a model of its
 * own, with its own compiler settings and classes. tac_model_attach makes the part of it that comes along, with prefix
 * and pose, and the part's elements are added to the lists as if they stood in the place of <attach>. */
#include "io/mjcf_read.h"

#include "base/error.h"
#include "model/element_def.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 32,      /* of files that have each other as models */
    MAX_ELEMENTS = 50000 /* that attaching may make, all files put together: short files must not fill the memory */
};

/* --- <model> ------------------------------------------------------------------------------------------------------ */

static tacStatus check_chain(tacMjcf *m, const xmlNode *node, const char *path) {
    int depth = 0;
    for (const tacMjcf *outer = m; outer != NULL; outer = outer->outer, depth++)
        if (tac_mjcf_same_file(outer->xml.file[0], path))
            return tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                                "file \"%s\" has itself as a model, expected no circular inclusion", path);
    if (depth < MAX_DEPTH) return TAC_OK;
    return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "models are nested too deeply, expected at most %d files",
                        MAX_DEPTH);
}

static tacStatus load_file(tacMjcf *m, const xmlNode *node, const char *path, tacMjcfModel *model) {
    tacError why;
    unsigned char *bytes;
    size_t size;
    tacStatus status = tac_files_read(m->files, path, &bytes, &size, &why);
    if (status != TAC_OK) return tac_xml_fail(node, m->err, status, "%s", why.text);
    const tacMjcfFile file = {path, bytes, size};
    status = tac_mjcf_load_model(m, &file, model);
    free(bytes);
    return status;
}

static tacStatus add_model(tacMjcf *m, const xmlNode *node, tacMjcfModel *model) {
    const char *name = tac_xml_get(node, "name");
    if (name != NULL) model->name = name;
    if (tac_mjcf_names_find(&m->model_names, model->name) >= 0)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "found a second model \"%.60s\", expected a unique name",
                            model->name);
    int id = tac_mjcf_append(&m->models, model, sizeof *model);
    if (id < 0) return tac_mjcf_no_memory(m);
    model->model = NULL; /* the list's from here on */
    return tac_mjcf_names_add(&m->model_names, model->name, id) ? TAC_OK : tac_mjcf_no_memory(m);
}

tacStatus tac_mjcf_model(tacMjcf *m, const xmlNode *node, void *scope) {
    static const tacKeyword types[] = {{"text/xml", 0}, {NULL, 0}};
    static const tacAttr attributes[] = {
        {"name", TAC_A_ELSE}, {"file", TAC_A_ELSE}, {"content_type", TAC_A_ELSE}, TAC_ATTR_END};
    const char *file;
    char path[TAC_PATH];
    int type;
    tacMjcfModel model = {.name = "", .node = node};
    (void)scope;
    tacStatus status = tac_mjcf_read(m, node, attributes, NULL);
    if (status == TAC_OK) status = tac_xml_need(node, "file", &file, m->err);
    if (status == TAC_OK) status = tac_xml_keyword(node, "content_type", types, &type, m->err);
    if (status == TAC_OK) status = tac_mjcf_beside(m, node, file, path);
    if (status == TAC_OK) status = check_chain(m, node, path);
    if (status == TAC_OK) status = load_file(m, node, path, &model);
    if (status == TAC_OK) status = add_model(m, node, &model);
    tac_model_free(model.model);
    return status;
}

/* --- From ids of a part to places in the lists -------------------------------------------------------------------- */

/* -1: none. The part's world is the body that it is attached to. */
static int place_of(const tacMjcfPart *p, tacKind kind, int id) {
    if (id < 0) return -1;
    if (kind != TAC_KIND_BODY) return p->first[kind] + id;
    return id == 0 ? p->body : p->first[kind] + id - 1;
}

/* An array of a part's ids as places in the lists, kept; NULL: no memory. */
static int *places_of(tacMjcf *m, const tacMjcfPart *p, tacKind kind, int n, const int *id) {
    int *place = tac_mjcf_keep(m, (size_t)n * sizeof *place);
    for (int i = 0; i < n && place != NULL; i++)
        place[i] = place_of(p, kind, id[i]);
    return place;
}

/* --- What stands in the place of <attach> ------------------------------------------------------------------------- */

static tacStatus add_bodies(tacMjcf *m, tacMjcfPart *p) {
    p->first[TAC_KIND_BODY] = m->body.n;
    for (int i = 1; i < p->model->nbody; i++) {
        tacMjcfBody body = {.def = tac_body_def(p->model, i), .node = p->node, .has_inertial = 1, .attached = 1};
        body.parent = place_of(p, TAC_KIND_BODY, p->model->body_parent[i]);
        if (tac_mjcf_add(m, &m->body, &body, sizeof body, TAC_KIND_BODY, body.def.name) < 0) return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

static tacStatus add_joints(tacMjcf *m, tacMjcfPart *p) {
    p->first[TAC_KIND_JOINT] = m->joint.n;
    for (int i = 0; i < p->model->njnt; i++) {
        tacMjcfJoint joint = {.def = tac_joint_def(p->model, i), .node = p->node};
        joint.body = place_of(p, TAC_KIND_BODY, p->model->joint_body[i]);
        if (tac_mjcf_add(m, &m->joint, &joint, sizeof joint, TAC_KIND_JOINT, joint.def.name) < 0) return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

/* The data is copied: a pair of this file may ask for a hull that the part lacks. */
static tacStatus add_mesh(tacMjcf *m, const tacMjcfPart *p, int i) {
    const tacModel *part = p->model;
    size_t faces = 3 * (size_t)part->mesh_face_num[i], hull = 3 * (size_t)part->mesh_hullface_num[i];
    int *room = tac_mjcf_keep(m, (faces + hull) * sizeof *room);
    tacError why;
    if (room == NULL) return TAC_ERR_MEMORY;
    tacMjcfMesh mesh = {.def = tac_mesh_def(part, i, room, room + faces), .maxhullvert = -1, .node = p->node};
    const tacMeshDef *def = &mesh.def;
    tacStatus status = tac_mesh_from_arrays(def->nvert, def->vert, def->nface, def->face, &mesh.data, &why);
    if (status != TAC_OK) return tac_xml_fail(p->node, m->err, status, "%s", why.text);
    if (tac_mjcf_add(m, &m->mesh, &mesh, sizeof mesh, TAC_KIND_MESH, mesh.def.name) >= 0) return TAC_OK;
    tac_mesh_free(&mesh.data);
    return TAC_ERR_MEMORY;
}

static tacStatus add_meshes(tacMjcf *m, tacMjcfPart *p) {
    p->first[TAC_KIND_MESH] = m->mesh.n;
    for (int i = 0; i < p->model->nmesh; i++)
        TAC_TRY(add_mesh(m, p, i));
    return TAC_OK;
}

static tacStatus add_geoms(tacMjcf *m, tacMjcfPart *p) {
    p->first[TAC_KIND_GEOM] = m->geom.n;
    for (int i = 0; i < p->model->ngeom; i++) {
        tacMjcfGeom geom = {.def = tac_geom_def(p->model, i), .fit = -1, .order = m->geom.n, .node = p->node};
        geom.body = place_of(p, TAC_KIND_BODY, p->model->geom_body[i]);
        geom.def.mesh = place_of(p, TAC_KIND_MESH, geom.def.mesh);
        if (tac_mjcf_add(m, &m->geom, &geom, sizeof geom, TAC_KIND_GEOM, geom.def.name) < 0) return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

static tacStatus add_sites(tacMjcf *m, tacMjcfPart *p) {
    p->first[TAC_KIND_SITE] = m->site.n;
    for (int i = 0; i < p->model->nsite; i++) {
        tacMjcfSite site = {.def = tac_site_def(p->model, i), .order = m->site.n, .node = p->node};
        site.body = place_of(p, TAC_KIND_BODY, p->model->site_body[i]);
        if (tac_mjcf_add(m, &m->site, &site, sizeof site, TAC_KIND_SITE, site.def.name) < 0) return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

/* --- What stands after this file's own elements of its kind ------------------------------------------------------- */

tacStatus tac_mjcf_attached_contact(tacMjcf *m, tacMjcfPart *p) {
    for (int i = 0; i < p->model->npair; i++) {
        tacMjcfPair pair = {.def = tac_pair_def(p->model, i), .node = p->node};
        for (int k = 0; k < 2; k++)
            pair.def.geom[k] = place_of(p, TAC_KIND_GEOM, pair.def.geom[k]);
        if (tac_mjcf_add(m, &m->pair, &pair, sizeof pair, TAC_KIND_PAIR, pair.def.name) < 0) return TAC_ERR_MEMORY;
    }
    for (int i = 0; i < p->model->nexclude; i++) {
        tacMjcfExclude exclude = {.name = tac_model_name(p->model, TAC_KIND_EXCLUDE, i), .node = p->node};
        for (int k = 0; k < 2; k++)
            exclude.body[k] = place_of(p, TAC_KIND_BODY, p->model->exclude_body[2 * i + k]);
        if (tac_mjcf_add(m, &m->exclude, &exclude, sizeof exclude, TAC_KIND_EXCLUDE, exclude.name) < 0)
            return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

tacStatus tac_mjcf_attached_tendon(tacMjcf *m, tacMjcfPart *p) {
    p->first[TAC_KIND_TENDON] = m->tendon.n;
    for (int i = 0; i < p->model->ntendon; i++) {
        tacMjcfTendon tendon = {.def = tac_tendon_def(p->model, i), .node = p->node};
        tendon.def.joint = places_of(m, p, TAC_KIND_JOINT, tendon.def.nterm, tendon.def.joint);
        if (tendon.def.joint == NULL) return TAC_ERR_MEMORY;
        if (tac_mjcf_add(m, &m->tendon, &tendon, sizeof tendon, TAC_KIND_TENDON, tendon.def.name) < 0)
            return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

tacStatus tac_mjcf_attached_equality(tacMjcf *m, tacMjcfPart *p) {
    for (int i = 0; i < p->model->neq; i++) {
        tacMjcfEquality equality = {.def = tac_equality_def(p->model, i), .node = p->node};
        tacEqualityDef *def = &equality.def;
        for (int k = 0; k < 2; k++) {
            int to_world = def->objkind == TAC_KIND_BODY && def->obj[k] < 0 && p->body > 0;
            def->obj[k] = to_world ? p->body : place_of(p, def->objkind, def->obj[k]);
        }
        if (tac_mjcf_add(m, &m->equality, &equality, sizeof equality, TAC_KIND_EQUALITY, def->name) < 0)
            return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

tacStatus tac_mjcf_attached_actuator(tacMjcf *m, tacMjcfPart *p) {
    p->first[TAC_KIND_ACTUATOR] = m->actuator.n;
    for (int i = 0; i < p->model->nu; i++) {
        tacMjcfActuator actuator = {.def = tac_actuator_def(p->model, i), .node = p->node};
        tacActuatorDef *def = &actuator.def;
        for (int k = 0; k < 2; k++)
            def->trnid[k] = place_of(p, tac_mjcf_target(def->trntype), def->trnid[k]);
        if (tac_mjcf_add(m, &m->actuator, &actuator, sizeof actuator, TAC_KIND_ACTUATOR, def->name) < 0)
            return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

tacStatus tac_mjcf_attached_sensor(tacMjcf *m, tacMjcfPart *p) {
    for (int i = 0; i < p->model->nsensor; i++) {
        tacMjcfSensor sensor = {.name = tac_model_name(p->model, TAC_KIND_SENSOR, i),
                                .tag = p->model->all_names + p->model->sensor_tag[i],
                                .node = p->node};
        if (tac_mjcf_add(m, &m->sensor, &sensor, sizeof sensor, TAC_KIND_SENSOR, sensor.name) < 0)
            return TAC_ERR_MEMORY;
    }
    return TAC_OK;
}

/* --- Keyframes ---------------------------------------------------------------------------------------------------- */

/* Where the numbers of a part begin in the whole model. */
typedef struct Offsets {
    int body, qpos, dof, act, actuator, mocap;
} Offsets;

static Offsets find_offsets(const tacMjcfPart *p, const tacModel *whole, int first_body) {
    Offsets o = {.body = first_body, .actuator = p->first[TAC_KIND_ACTUATOR]};
    for (int j = whole->njnt - 1; j >= 0 && whole->joint_body[j] >= first_body; j--) {
        o.qpos = whole->joint_qpos_adr[j];
        o.dof = whole->joint_dof_adr[j];
    }
    for (int i = whole->nu - 1; i >= o.actuator; i--)
        if (whole->actuator_act_adr[i] >= 0) o.act = whole->actuator_act_adr[i];
    for (int i = whole->nmocap - 1; i >= 0 && whole->mocap_body[i] >= first_body; i--)
        o.mocap = i;
    return o;
}

/* The numbers of the whole with those of the part, n of size `size` each at place `at`, kept. NULL: no memory. */
static void *overlay(tacMjcf *m, const void *whole, int nwhole, const void *part, int n, int at, size_t size) {
    char *to = tac_mjcf_keep(m, (size_t)nwhole * size);
    if (to == NULL) return NULL;
    if (whole != NULL && nwhole > 0) memcpy(to, whole, (size_t)nwhole * size);
    if (n > 0) memcpy(to + (size_t)at * size, part, (size_t)n * size);
    return to;
}

/* Poses of the whole's mocap bodies as the model has them. */
static tacStatus mocap_poses(tacMjcf *m, const tacModel *whole, tacVec3 **pos, tacQuat **quat) {
    *pos = tac_mjcf_keep(m, (size_t)whole->nmocap * sizeof **pos);
    *quat = tac_mjcf_keep(m, (size_t)whole->nmocap * sizeof **quat);
    if (*pos == NULL || *quat == NULL) return TAC_ERR_MEMORY;
    for (int i = 0; i < whole->nmocap; i++) {
        (*pos)[i] = whole->body_pos[whole->mocap_body[i]];
        (*quat)[i] = whole->body_quat[whole->mocap_body[i]];
    }
    return TAC_OK;
}

tacStatus tac_mjcf_attached_key(tacMjcf *m, const tacMjcfPart *p, int key, const tacModel *whole, int first_body,
                                tacKeyDef *out) {
    const tacModel *part = p->model;
    const Offsets o = find_offsets(p, whole, first_body);
    const size_t number = sizeof(double);
    tacKeyDef d = tac_key_def(part, key);
    tacVec3 *pos;
    tacQuat *quat;
    TAC_TRY(mocap_poses(m, whole, &pos, &quat));
    if (d.qpos != NULL) d.qpos = overlay(m, whole->qpos_0, whole->nq, d.qpos, part->nq, o.qpos, number);
    if (d.mpos != NULL) d.mpos = overlay(m, pos, whole->nmocap, d.mpos, part->nmocap, o.mocap, sizeof *pos);
    if (d.mquat != NULL) d.mquat = overlay(m, quat, whole->nmocap, d.mquat, part->nmocap, o.mocap, sizeof *quat);
    d.qvel = overlay(m, NULL, whole->nv, d.qvel, part->nv, o.dof, number);
    d.act = overlay(m, NULL, whole->na, d.act, part->na, o.act, number);
    d.ctrl = overlay(m, NULL, whole->nu, d.ctrl, part->nu, o.actuator, number);
    *out = d;
    return d.qvel != NULL && d.act != NULL && d.ctrl != NULL ? TAC_OK : TAC_ERR_MEMORY;
}

/* --- <attach> ----------------------------------------------------------------------------------------------------- */

/* The part that comes along, as a model: its world is the body that it is attached to. */
static tacStatus make_part(tacMjcf *m, const xmlNode *node, const tacModel *model, const tacAttachDef *def,
                           tacModel **part) {
    tacError why;
    tacBuilder *b = tac_model_begin();
    if (b == NULL) return tac_mjcf_no_memory(m);
    tacStatus status = tac_model_attach(b, 0, model, def, &why);
    if (status == TAC_OK) status = tac_model_finish(b, part, &why);
    tac_builder_free(b);
    return status == TAC_OK ? TAC_OK : tac_xml_fail(node, m->err, status, "%s", why.text);
}

/* All files put together make at most MAX_ELEMENTS. */
static tacStatus charge(tacMjcf *m, const xmlNode *node, const tacModel *part) {
    tacMjcf *main = m;
    while (main->outer != NULL)
        main = main->outer;
    for (int k = 0; k < TAC_KIND_COUNT; k++)
        main->attached += tac_model_count(part, (tacKind)k);
    if (main->attached < MAX_ELEMENTS) return TAC_OK;
    return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "attaching creates too many elements, expected at most %d",
                        MAX_ELEMENTS);
}

/* Settings that act on masses when a model is finished, which is done for the whole by this file's. */
static tacStatus check_masses(tacMjcf *m, const xmlNode *node, const tacModel *model) {
    const tacOptionDef d = tac_option_def(model), *own = &m->option;
    int same = d.boundmass == own->boundmass && d.boundinertia == own->boundinertia &&
               d.balanceinertia == own->balanceinertia && !(d.settotalmass > 0);
    return same ? TAC_OK
                : tac_mjcf_unsupported(m, node,
                                       "boundmass, boundinertia, balanceinertia and settotalmass of an attached model "
                                       "are not supported: this file's act on all bodies");
}

static tacStatus find_model(tacMjcf *m, const xmlNode *node, const tacModel **model, tacAttachDef *def) {
    const char *name, *body = tac_xml_get(node, "body");
    TAC_TRY(tac_xml_need(node, "model", &name, m->err));
    TAC_TRY(tac_xml_need(node, "prefix", &def->prefix, m->err));
    int id = tac_mjcf_names_find(&m->model_names, name);
    if (id < 0)
        return tac_xml_fail(node, m->err, TAC_ERR_NAME,
                            "attribute 'model': found \"%.60s\", expected the name of a <model>", name);
    *model = TAC_AT(m->models, tacMjcfModel, id)->model;
    def->body = body != NULL ? tac_model_find(*model, TAC_KIND_BODY, body) : 0;
    if (def->body >= 0) return TAC_OK;
    return tac_xml_fail(node, m->err, TAC_ERR_NAME,
                        "attribute 'body': found \"%.60s\", expected a body of the model \"%.60s\"", body, name);
}

static tacStatus add_part(tacMjcf *m, tacMjcfPart *part) {
    tacStatus (*const add[])(tacMjcf *, tacMjcfPart *) = {add_bodies, add_joints, add_meshes, add_geoms, add_sites};
    for (size_t i = 0; i < sizeof add / sizeof *add; i++)
        TAC_TRY(add[i](m, part));
    return TAC_OK;
}

tacStatus tac_mjcf_attach(tacMjcf *m, const xmlNode *node, int body, tacPose frame) {
    static const tacAttr attributes[] = {
        {"model", TAC_A_ELSE}, {"body", TAC_A_ELSE}, {"prefix", TAC_A_ELSE}, TAC_ATTR_END};
    tacAttachDef def = tac_default_attach();
    tacMjcfPart part = {.node = node, .body = body};
    const tacModel *model = NULL;
    TAC_TRY(tac_mjcf_read(m, node, attributes, NULL));
    TAC_TRY(find_model(m, node, &model, &def));
    TAC_TRY(check_masses(m, node, model));
    def.pos = frame.pos;
    def.quat = frame.quat;
    TAC_TRY(make_part(m, node, model, &def, &part.model));
    int id = tac_mjcf_append(&m->parts, &part, sizeof part);
    if (id < 0) {
        tac_model_free(part.model);
        return tac_mjcf_no_memory(m);
    }
    TAC_TRY(charge(m, node, part.model));
    return add_part(m, TAC_AT(m->parts, tacMjcfPart, id));
}

void tac_mjcf_free_models(tacMjcf *m) {
    for (int i = 0; i < m->models.n; i++)
        tac_model_free(TAC_AT(m->models, tacMjcfModel, i)->model);
    for (int i = 0; i < m->parts.n; i++)
        tac_model_free(TAC_AT(m->parts, tacMjcfPart, i)->model);
    tac_mjcf_list_free(&m->models);
    tac_mjcf_list_free(&m->parts);
    tac_mjcf_names_free(&m->model_names);
}
