/* MJCF <attach>: a model of another file as a part of this one. tac_model_attach makes the part that comes along, with
 * its names and pose, and the part's elements are added to the lists as if they stood in the place of <attach>. */
#include "io/mjcf_read.h"

#include "base/error.h"
#include "model/element_def.h"

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
static tacStatus add_mesh(tacMjcf *m, const tacModel *part, const xmlNode *node, int i) {
    size_t faces = 3 * (size_t)part->mesh_face_num[i], hull = 3 * (size_t)part->mesh_hullface_num[i];
    int *room = tac_mjcf_keep(m, (faces + hull) * sizeof *room);
    tacError why;
    if (room == NULL) return TAC_ERR_MEMORY;
    tacMjcfMesh mesh = {.def = tac_mesh_def(part, i, room, room + faces), .maxhullvert = -1, .node = node};
    const tacMeshDef *def = &mesh.def;
    tacStatus status = tac_mesh_from_arrays(def->nvert, def->vert, def->nface, def->face, &mesh.data, &why);
    if (status != TAC_OK) return tac_xml_fail(node, m->err, status, "%s", why.text);
    if (tac_mjcf_add(m, &m->mesh, &mesh, sizeof mesh, TAC_KIND_MESH, mesh.def.name) >= 0) return TAC_OK;
    tac_mesh_free(&mesh.data);
    return TAC_ERR_MEMORY;
}

/* Copies of one <attach> share its meshes, whose names have the prefix alone. */
static tacStatus add_meshes(tacMjcf *m, tacMjcfPart *p) {
    tacMjcfPattern *pattern = TAC_AT(m->patterns, tacMjcfPattern, p->pattern);
    p->first[TAC_KIND_MESH] = pattern->first_mesh;
    if (pattern->first_mesh >= 0) return TAC_OK;
    p->first[TAC_KIND_MESH] = pattern->first_mesh = m->mesh.n;
    for (int i = 0; i < pattern->model->nmesh; i++)
        TAC_TRY(add_mesh(m, pattern->model, p->node, i));
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

/* --- <attach> ----------------------------------------------------------------------------------------------------- */

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

static tacStatus add_part(tacMjcf *m, tacMjcfPart *part) {
    tacStatus (*const add[])(tacMjcf *, tacMjcfPart *) = {add_bodies, add_joints, add_meshes, add_geoms, add_sites};
    for (size_t i = 0; i < sizeof add / sizeof *add; i++)
        TAC_TRY(add[i](m, part));
    return TAC_OK;
}

/* A part in the list; its elements come later. */
static tacStatus new_part(tacMjcf *m, const xmlNode *node, const tacAttachDef *def, tacMjcfPart *part, int *id) {
    tacMjcfPattern *pattern = TAC_AT(m->patterns, tacMjcfPattern, part->pattern);
    TAC_TRY(tac_mjcf_make_part(m, node, pattern->source, def, &part->model));
    part->next = pattern->part;
    *id = tac_mjcf_append(&m->parts, part, sizeof *part);
    if (*id < 0) {
        tac_model_free(part->model);
        return tac_mjcf_no_memory(m);
    }
    pattern->part = *id;
    return TAC_OK;
}

tacStatus tac_mjcf_attach(tacMjcf *m, const xmlNode *node, int body, tacPose frame) {
    static const tacAttr attributes[] = {
        {"model", TAC_A_ELSE}, {"body", TAC_A_ELSE}, {"prefix", TAC_A_ELSE}, TAC_ATTR_END};
    tacMjcfPart part = {.node = node, .body = body, .pattern = tac_mjcf_pattern(node)};
    const tacMjcfPattern *pattern = TAC_AT(m->patterns, tacMjcfPattern, part.pattern);
    const tacAttachDef def = {.prefix = tac_xml_get(node, "prefix"),
                              .suffix = tac_xml_get(node, TAC_MJCF_SUFFIX),
                              .pos = frame.pos,
                              .quat = frame.quat,
                              .body = pattern->body};
    int id;
    TAC_TRY(tac_mjcf_read(m, node, attributes, NULL));
    TAC_TRY(check_masses(m, node, pattern->source));
    TAC_TRY(new_part(m, node, &def, &part, &id));
    TAC_TRY(tac_mjcf_note_part(m, node, id));
    if (def.suffix[0] != '\0') TAC_TRY(tac_mjcf_charge_part(m, node, part.model));
    return add_part(m, TAC_AT(m->parts, tacMjcfPart, id));
}
