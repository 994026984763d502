/* The lists of an MJCF load -> a model, with core errors led back to file, line and element. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Builder ids of the lists' elements, and the node behind each id in order of adding. */
typedef struct Emit {
    tacMjcf *m;
    tacBuilder *b;
    int *body, *joint, *geom, *mesh, *site;
    tacMjcfList nodes[TAC_KIND_COUNT]; /* const xmlNode * */
} Emit;

static void note(Emit *e, tacKind kind, const xmlNode *node) { tac_mjcf_append(&e->nodes[kind], &node, sizeof node); }

static void emit_bodies(Emit *e) {
    tacMjcf *m = e->m;
    note(e, TAC_KIND_BODY, m->root);
    e->body[0] = 0;
    for (int i = 1; i < m->body.n; i++) {
        const tacMjcfBody *body = TAC_AT(m->body, tacMjcfBody, i);
        if (body->fused) {
            e->body[i] = e->body[body->parent];
            continue;
        }
        e->body[i] = tac_model_add_body(e->b, e->body[body->parent], &body->def);
        note(e, TAC_KIND_BODY, body->node);
    }
}

static void emit_joints(Emit *e) {
    tacMjcf *m = e->m;
    for (int i = 0; i < m->joint.n; i++) {
        const tacMjcfJoint *joint = TAC_AT(m->joint, tacMjcfJoint, i);
        e->joint[i] = tac_model_add_joint(e->b, e->body[joint->body], &joint->def);
        note(e, TAC_KIND_JOINT, joint->node);
    }
}

static void emit_meshes(Emit *e) {
    for (int i = 0; i < e->m->mesh.n; i++) {
        const tacMjcfMesh *mesh = TAC_AT(e->m->mesh, tacMjcfMesh, i);
        e->mesh[i] = mesh->dropped ? -1 : tac_model_add_mesh(e->b, &mesh->def);
        if (!mesh->dropped) note(e, TAC_KIND_MESH, mesh->node);
    }
}

static int compare_geoms(const void *a, const void *b) {
    int x = (*(tacMjcfGeom *const *)a)->order, y = (*(tacMjcfGeom *const *)b)->order;
    return (x > y) - (x < y);
}

/* In order of `order`; a negative one was discarded. */
static tacStatus emit_geoms(Emit *e) {
    tacMjcf *m = e->m;
    tacMjcfGeom **sorted = tac_mjcf_keep(m, (size_t)m->geom.n * sizeof(tacMjcfGeom *));
    if (sorted == NULL) return TAC_ERR_MEMORY;
    tacMjcfGeom *first = m->geom.data;
    for (int i = 0; i < m->geom.n; i++)
        sorted[i] = first + i;
    qsort(sorted, (size_t)m->geom.n, sizeof *sorted, compare_geoms);
    for (int i = 0, id = 0; i < m->geom.n; i++)
        e->geom[sorted[i] - first] = sorted[i]->order < 0 ? -1 : id++;
    for (int i = 0; i < m->geom.n; i++) {
        tacGeomDef def = sorted[i]->def;
        if (sorted[i]->order < 0) continue;
        if (def.mesh >= 0) def.mesh = e->mesh[def.mesh];
        if (def.sum >= 0) def.sum = e->geom[def.sum];
        e->geom[sorted[i] - first] = tac_model_add_geom(e->b, e->body[sorted[i]->body], &def);
        note(e, TAC_KIND_GEOM, sorted[i]->node);
    }
    return TAC_OK;
}

static int compare_sites(const void *a, const void *b) {
    int x = (*(tacMjcfSite *const *)a)->order, y = (*(tacMjcfSite *const *)b)->order;
    return (x > y) - (x < y);
}

static tacStatus emit_sites(Emit *e) {
    tacMjcf *m = e->m;
    tacMjcfSite **sorted = tac_mjcf_keep(m, (size_t)m->site.n * sizeof(tacMjcfSite *));
    if (sorted == NULL) return TAC_ERR_MEMORY;
    tacMjcfSite *first = m->site.data;
    for (int i = 0; i < m->site.n; i++)
        sorted[i] = first + i;
    qsort(sorted, (size_t)m->site.n, sizeof *sorted, compare_sites);
    for (int i = 0; i < m->site.n; i++) {
        e->site[sorted[i] - first] = tac_model_add_site(e->b, e->body[sorted[i]->body], &sorted[i]->def);
        note(e, TAC_KIND_SITE, sorted[i]->node);
    }
    return TAC_OK;
}

static tacStatus emit_tendons(Emit *e) {
    tacMjcf *m = e->m;
    for (int i = 0; i < m->tendon.n; i++) {
        const tacMjcfTendon *tendon = TAC_AT(m->tendon, tacMjcfTendon, i);
        tacTendonDef def = tendon->def;
        int *joint = tac_mjcf_keep(m, (size_t)def.nterm * sizeof *joint);
        if (joint == NULL) return TAC_ERR_MEMORY;
        for (int j = 0; j < def.nterm; j++)
            joint[j] = e->joint[def.joint[j]];
        def.joint = joint;
        tac_model_add_tendon(e->b, &def);
        note(e, TAC_KIND_TENDON, tendon->node);
    }
    return TAC_OK;
}

/* List index -> builder id of that kind. */
static int translate(const Emit *e, tacKind kind, int i) {
    if (i < 0) return -1;
    switch (kind) {
    case TAC_KIND_BODY:
        return e->body[i];
    case TAC_KIND_JOINT:
        return e->joint[i];
    case TAC_KIND_GEOM:
        return e->geom[i];
    case TAC_KIND_SITE:
        return e->site[i];
    default:
        return i;
    }
}

tacKind tac_mjcf_target(tacTransmission type) {
    static const tacKind kind[] = {[TAC_TRN_JOINT] = TAC_KIND_JOINT,      [TAC_TRN_JOINT_IN_PARENT] = TAC_KIND_JOINT,
                                   [TAC_TRN_SLIDERCRANK] = TAC_KIND_SITE, [TAC_TRN_TENDON] = TAC_KIND_TENDON,
                                   [TAC_TRN_SITE] = TAC_KIND_SITE,        [TAC_TRN_BODY] = TAC_KIND_BODY};
    return kind[type];
}

static void emit_actuators(Emit *e) {
    for (int i = 0; i < e->m->actuator.n; i++) {
        const tacMjcfActuator *actuator = TAC_AT(e->m->actuator, tacMjcfActuator, i);
        tacActuatorDef def = actuator->def;
        for (int j = 0; j < 2; j++)
            def.trnid[j] = translate(e, tac_mjcf_target(def.trntype), def.trnid[j]);
        tac_model_add_actuator(e->b, &def);
        note(e, TAC_KIND_ACTUATOR, actuator->node);
    }
}

static void emit_constraints(Emit *e) {
    tacMjcf *m = e->m;
    for (int i = 0; i < m->equality.n; i++) {
        tacMjcfEquality equality = *TAC_AT(m->equality, tacMjcfEquality, i);
        for (int j = 0; j < 2; j++)
            equality.def.obj[j] = translate(e, equality.def.objkind, equality.def.obj[j]);
        tac_model_add_equality(e->b, &equality.def);
        note(e, TAC_KIND_EQUALITY, equality.node);
    }
    for (int i = 0; i < m->pair.n; i++) {
        tacMjcfPair pair = *TAC_AT(m->pair, tacMjcfPair, i);
        for (int j = 0; j < 2; j++)
            pair.def.geom[j] = e->geom[pair.def.geom[j]];
        tac_model_add_pair(e->b, &pair.def);
        note(e, TAC_KIND_PAIR, pair.node);
    }
    for (int i = 0; i < m->exclude.n; i++) {
        const tacMjcfExclude *exclude = TAC_AT(m->exclude, tacMjcfExclude, i);
        tac_model_add_exclude(e->b, exclude->name, e->body[exclude->body[0]], e->body[exclude->body[1]]);
        note(e, TAC_KIND_EXCLUDE, exclude->node);
    }
}

static void emit_rest(Emit *e) {
    tacMjcf *m = e->m;
    for (int i = 0; i < m->key.n; i++) {
        const tacMjcfKey *key = TAC_AT(m->key, tacMjcfKey, i);
        tac_model_add_key(e->b, &key->def);
        note(e, TAC_KIND_KEY, key->node);
    }
    for (int i = 0; i < m->sensor.n; i++) {
        const tacMjcfSensor *sensor = TAC_AT(m->sensor, tacMjcfSensor, i);
        tac_model_add_sensor(e->b, sensor->tag, sensor->name);
        note(e, TAC_KIND_SENSOR, sensor->node);
    }
}

/* The section an error about options is about ("option: timestep is ..."): the last one that has the attribute. */
static const xmlNode *option_section(const xmlNode *root, const char *text) {
    char attr[64];
    const xmlNode *found = root;
    if (sscanf(text, "option: %63s", attr) != 1) return root;
    for (const xmlNode *section = tac_xml_child(root, NULL); section != NULL; section = tac_xml_next(section, NULL))
        if (tac_xml_get(section, attr) != NULL) found = section;
    return found;
}

/* The core names the element by kind and id: we know where it stands in which file. */
static tacStatus finish(Emit *e, tacModel **model) {
    tacError why = {.id = -1};
    tacStatus status = tac_model_finish(e->b, model, &why);
    if (status == TAC_OK) return TAC_OK;
    const tacMjcfList *nodes = (unsigned)why.kind < TAC_KIND_COUNT ? &e->nodes[why.kind] : NULL;
    int known = nodes != NULL && why.id >= 0 && why.id < nodes->n;
    const xmlNode *node = known ? *TAC_AT(*nodes, const xmlNode *, why.id) : option_section(e->m->root, why.text);
    tac_xml_fail(node, e->m->err, status, "%s", why.text);
    if (e->m->err != NULL) {
        e->m->err->kind = why.kind;
        e->m->err->id = why.id;
    }
    return status;
}

static tacStatus allocate_ids(Emit *e) {
    tacMjcf *m = e->m;
    int **ids[] = {&e->body, &e->joint, &e->geom, &e->mesh, &e->site};
    int n[] = {m->body.n, m->joint.n, m->geom.n, m->mesh.n, m->site.n};
    for (int i = 0; i < 5; i++)
        if ((*ids[i] = tac_mjcf_keep(m, (size_t)n[i] * sizeof(int))) == NULL) return TAC_ERR_MEMORY;
    return TAC_OK;
}

static tacStatus emit_others(Emit *e) {
    emit_joints(e);
    tacStatus status = emit_sites(e);
    if (status == TAC_OK) status = emit_tendons(e);
    if (status != TAC_OK) return status;
    emit_actuators(e);
    emit_constraints(e);
    emit_rest(e);
    return TAC_OK;
}

/* Keyframes of attached models need the whole model's sizes and defaults: they come last, to a model that is finished
 * once more. One keyframe holds for all copies of an <attach>. */
static tacStatus emit_attached_keys(Emit *e, tacModel **model) {
    tacMjcf *m = e->m;
    tacModel *without = *model;
    int added = 0;
    tacStatus status = TAC_OK;
    for (int i = 0; i < m->patterns.n; i++) {
        const tacMjcfPattern *pattern = TAC_AT(m->patterns, tacMjcfPattern, i);
        for (int k = 0; k < pattern->model->nkey && pattern->part >= 0 && status == TAC_OK; k++, added++) {
            tacKeyDef def;
            status = tac_mjcf_attached_key(m, pattern, k, without, e->body, &def);
            if (status == TAC_OK) tac_model_add_key(e->b, &def);
            note(e, TAC_KIND_KEY, TAC_AT(m->parts, tacMjcfPart, pattern->part)->node);
        }
    }
    if (added == 0) return TAC_OK;
    if (status == TAC_OK) status = finish(e, model);
    if (status != TAC_OK) *model = NULL;
    tac_model_free(without);
    return status;
}

/* Keyframes hold unit quaternions, as MuJoCo has it. */
static void normalize_keys(tacModel *model) {
    for (int k = 0; k < model->nkey; k++) {
        double *qpos = model->key_qpos + (size_t)k * (size_t)model->nq;
        for (int j = 0; j < model->njnt; j++) {
            int type = model->joint_type[j], at = model->joint_qpos_adr[j] + (type == TAC_JOINT_FREE ? 3 : 0);
            if (type == TAC_JOINT_FREE || type == TAC_JOINT_BALL)
                tac_quat_store(qpos + at, tac_quat_normalize(tac_quat_load(qpos + at)));
        }
    }
    for (int i = 0; i < model->nkeym; i++)
        model->key_mquat[i] = tac_quat_normalize(model->key_mquat[i]);
}

tacStatus tac_mjcf_emit(tacMjcf *m, const tacOptionDef *option, int bodies_only, tacModel **model) {
    Emit e = {.m = m, .b = tac_model_begin()};
    if (e.b == NULL) return tac_mjcf_no_memory(m);
    tacStatus status = allocate_ids(&e);
    tac_model_set_option(e.b, option);
    if (status == TAC_OK) {
        emit_bodies(&e);
        emit_meshes(&e);
        status = emit_geoms(&e);
    }
    if (status == TAC_OK && !bodies_only) status = emit_others(&e);
    if (status == TAC_OK) status = finish(&e, model);
    if (status == TAC_OK && !bodies_only) status = emit_attached_keys(&e, model);
    if (status == TAC_OK) normalize_keys(*model);
    for (int i = 0; i < TAC_KIND_COUNT; i++)
        free(e.nodes[i].data);
    tac_builder_free(e.b);
    return status;
}
