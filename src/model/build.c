#include "model/build.h"

#include "base/error.h"
#include "base/platform.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

/* Keeps the first failure. Returns -1, the result of the adding functions on failure. */
static int refuse(tacBuilder *b, tacStatus status, tacKind kind, int id, const char *format, ...) TAC_FORMAT(5, 6);
static int refuse(tacBuilder *b, tacStatus status, tacKind kind, int id, const char *format, ...) {
    if (b == NULL || b->error.status != TAC_OK) return -1;
    va_list args;
    va_start(args, format);
    tac_fail_list(&b->error, status, kind, id, format, args);
    va_end(args);
    return -1;
}

tacStatus tac_builder_fail(tacBuilder *b, tacError *err, tacStatus status, tacKind kind, int id, const char *format,
                           ...) {
    tacError failure = b->error;
    if (failure.status == TAC_OK) {
        va_list args;
        va_start(args, format);
        tac_fail_list(&failure, status, kind, id, format, args);
        va_end(args);
        b->error = failure;
    }
    if (err != NULL) *err = failure;
    return failure.status;
}

/* Room for one more element; NULL when out of memory. */
static void *grow(tacList *list, size_t element) {
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? list->capacity : FIRST_CAPACITY / 2;
        if (capacity > INT_MAX / 2) return NULL;
        capacity *= 2;
        if ((size_t)capacity > SIZE_MAX / 2 / element) return NULL;
        void *data = realloc(list->data, (size_t)capacity * element);
        if (data == NULL) return NULL;
        list->data = data;
        list->capacity = capacity;
    }
    return (char *)list->data + (size_t)list->count * element;
}

/* Appends a copy of *element; returns its id or -1. */
static int append(tacBuilder *b, tacKind kind, tacList *list, const void *element, size_t size) {
    void *place = grow(list, size);
    if (place == NULL)
        return refuse(b, TAC_ERR_MEMORY, kind, list->count, "out of memory for a %s", tac_kind_text(kind));
    memcpy(place, element, size);
    return list->count++;
}

/* A copy that lives as long as the builder. NULL stays NULL (no error); out of memory sets the builder's error. */
static const void *keep(tacBuilder *b, const void *source, size_t n, size_t element) {
    if (source == NULL || n == 0) return NULL;
    void **slot = n <= SIZE_MAX / 2 / element ? grow(&b->memory, sizeof(void *)) : NULL;
    void *copy = slot != NULL ? malloc(n * element) : NULL;
    if (copy == NULL) {
        refuse(b, TAC_ERR_MEMORY, TAC_KIND_NONE, -1, "out of memory while building a model");
        return NULL;
    }
    memcpy(copy, source, n * element);
    *slot = copy;
    b->memory.count++;
    return copy;
}

static const char *keep_text(tacBuilder *b, const char *text) {
    return text != NULL ? keep(b, text, strlen(text) + 1, 1) : NULL;
}

/* 1: an element may be added. The arguments are there, and nothing failed before. */
static int ready(tacBuilder *b, const void *def, tacKind kind) {
    if (b == NULL) return 0;
    if (def == NULL) refuse(b, TAC_ERR_ARGUMENT, kind, -1, "a %s was added without a definition", tac_kind_text(kind));
    return b->error.status == TAC_OK;
}

/* "'foot'" or "7": name of an element in a message. */
static const char *call(const char *name, int id, char *text, size_t size) {
    if (name != NULL && name[0] != '\0')
        snprintf(text, size, "'%s'", name);
    else
        snprintf(text, size, "%d", id);
    return text;
}

/* 1: the owning body exists. Otherwise fails and names it. */
static int has_body(tacBuilder *b, int body, tacKind kind, int id, const char *name) {
    if (body >= 0 && body < b->body.count) return 1;
    char text[128];
    refuse(b, TAC_ERR_MODEL, kind, id, "%s %s: body %d does not exist, expected 0 to %d", tac_kind_text(kind),
           call(name, id, text, sizeof text), body, b->body.count - 1);
    return 0;
}

tacBuilder *tac_model_begin(void) {
    tacBuilder *b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->option = tac_default_option();
    b->error.id = -1;
    tacAddedBody world = {.def = tac_default_body(), .parent = 0};
    world.def.name = "world";
    if (append(b, TAC_KIND_BODY, &b->body, &world, sizeof world) == 0) return b;
    tac_builder_free(b);
    return NULL;
}

void tac_builder_free(tacBuilder *b) {
    if (b == NULL) return;
    for (int i = 0; i < b->memory.count; i++)
        free(((void **)b->memory.data)[i]);
    tacList *lists[] = {&b->body,     &b->joint, &b->geom,    &b->mesh, &b->site,   &b->tendon, &b->actuator,
                        &b->equality, &b->pair,  &b->exclude, &b->key,  &b->sensor, &b->memory};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]->data);
    free(b);
}

void tac_model_abandon(tacBuilder *b) { tac_builder_free(b); }

void tac_model_set_option(tacBuilder *b, const tacOptionDef *def) {
    if (ready(b, def, TAC_KIND_OPTION)) b->option = *def;
}

int tac_model_add_body(tacBuilder *b, int parent, const tacBodyDef *def) {
    if (!ready(b, def, TAC_KIND_BODY)) return -1;
    int id = b->body.count;
    if (parent < 0 || parent >= id) {
        char text[128];
        return refuse(b, TAC_ERR_MODEL, TAC_KIND_BODY, id, "body %s: parent %d does not exist, expected 0 to %d",
                      call(def->name, id, text, sizeof text), parent, id - 1);
    }
    tacAddedBody added = {.def = *def, .parent = parent};
    added.def.name = keep_text(b, def->name);
    b->nmocap += def->mocap != 0;
    return b->error.status == TAC_OK ? append(b, TAC_KIND_BODY, &b->body, &added, sizeof added) : -1;
}

int tac_model_add_joint(tacBuilder *b, int body, const tacJointDef *def) {
    if (!ready(b, def, TAC_KIND_JOINT)) return -1;
    int id = b->joint.count;
    if (!has_body(b, body, TAC_KIND_JOINT, id, def->name)) return -1;
    char text[128];
    if ((unsigned)def->type > TAC_JOINT_HINGE)
        return refuse(b, TAC_ERR_MODEL, TAC_KIND_JOINT, id, "joint %s: type %d, expected free, ball, slide or hinge",
                      call(def->name, id, text, sizeof text), (int)def->type);
    if (b->nq > INT_MAX - TAC_JOINT_NQ[def->type])
        return refuse(b, TAC_ERR_MODEL, TAC_KIND_JOINT, id, "the number of joint coordinates exceeds the range of int");
    tacAddedJoint added = {.def = *def, .body = body};
    added.def.name = keep_text(b, def->name);
    b->nq += TAC_JOINT_NQ[def->type];
    b->nv += TAC_JOINT_NV[def->type];
    return b->error.status == TAC_OK ? append(b, TAC_KIND_JOINT, &b->joint, &added, sizeof added) : -1;
}

int tac_model_add_geom(tacBuilder *b, int body, const tacGeomDef *def) {
    if (!ready(b, def, TAC_KIND_GEOM) || !has_body(b, body, TAC_KIND_GEOM, b->geom.count, def->name)) return -1;
    tacAddedGeom added = {.def = *def, .body = body};
    added.def.name = keep_text(b, def->name);
    return b->error.status == TAC_OK ? append(b, TAC_KIND_GEOM, &b->geom, &added, sizeof added) : -1;
}

int tac_model_add_site(tacBuilder *b, int body, const tacSiteDef *def) {
    if (!ready(b, def, TAC_KIND_SITE) || !has_body(b, body, TAC_KIND_SITE, b->site.count, def->name)) return -1;
    tacAddedSite added = {.def = *def, .body = body};
    added.def.name = keep_text(b, def->name);
    return b->error.status == TAC_OK ? append(b, TAC_KIND_SITE, &b->site, &added, sizeof added) : -1;
}

/* Each count is at least zero and comes with its array. */
static int mesh_arrays_agree(const tacMeshDef *def) {
    const struct {
        int n;
        const void *array;
    } part[] = {{def->nvert, def->vert},
                {def->nface, def->face},
                {def->nhullvert, def->hullvert},
                {def->nhullface, def->hullface}};
    for (int i = 0; i < 4; i++)
        if (part[i].n < 0 || part[i].n > INT_MAX / 3 || (part[i].n > 0 && part[i].array == NULL)) return 0;
    return 1;
}

int tac_model_add_mesh(tacBuilder *b, const tacMeshDef *def) {
    if (!ready(b, def, TAC_KIND_MESH)) return -1;
    char text[128];
    if (!mesh_arrays_agree(def))
        return refuse(b, TAC_ERR_ARGUMENT, TAC_KIND_MESH, b->mesh.count, "mesh %s: a count does not match its array",
                      call(def->name, b->mesh.count, text, sizeof text));
    tacMeshDef added = *def;
    added.name = keep_text(b, def->name);
    added.vert = keep(b, def->vert, (size_t)def->nvert, sizeof(tacVec3));
    added.face = keep(b, def->face, 3 * (size_t)def->nface, sizeof(int));
    added.hullvert = keep(b, def->hullvert, (size_t)def->nhullvert, sizeof(int));
    added.hullface = keep(b, def->hullface, 3 * (size_t)def->nhullface, sizeof(int));
    /* a cloud of points: its hull */
    if (added.nface == 0) {
        added.nface = added.nhullface;
        added.face = added.hullface;
    }
    return b->error.status == TAC_OK ? append(b, TAC_KIND_MESH, &b->mesh, &added, sizeof added) : -1;
}

int tac_model_add_tendon(tacBuilder *b, const tacTendonDef *def) {
    if (!ready(b, def, TAC_KIND_TENDON)) return -1;
    char text[128];
    if (def->nterm < 0 || (def->nterm > 0 && (def->joint == NULL || def->coef == NULL)))
        return refuse(b, TAC_ERR_ARGUMENT, TAC_KIND_TENDON, b->tendon.count,
                      "tendon %s: %d terms do not match its joints and coefficients",
                      call(def->name, b->tendon.count, text, sizeof text), def->nterm);
    tacTendonDef added = *def;
    added.name = keep_text(b, def->name);
    added.joint = keep(b, def->joint, (size_t)def->nterm, sizeof(int));
    added.coef = keep(b, def->coef, (size_t)def->nterm, sizeof(double));
    return b->error.status == TAC_OK ? append(b, TAC_KIND_TENDON, &b->tendon, &added, sizeof added) : -1;
}

/* Number of activations: as asked, or one if the dynamics have a state. */
static int activations(const tacActuatorDef *def) {
    return def->actdim >= 0 ? def->actdim : def->dyntype != TAC_DYN_NONE;
}

int tac_model_add_actuator(tacBuilder *b, const tacActuatorDef *def) {
    if (!ready(b, def, TAC_KIND_ACTUATOR)) return -1;
    int id = b->actuator.count;
    if (b->na > INT_MAX - activations(def))
        return refuse(b, TAC_ERR_MODEL, TAC_KIND_ACTUATOR, id, "the number of activations exceeds the range of int");
    tacActuatorDef added = *def;
    added.name = keep_text(b, def->name);
    added.actdim = activations(def);
    b->na += added.actdim;
    return b->error.status == TAC_OK ? append(b, TAC_KIND_ACTUATOR, &b->actuator, &added, sizeof added) : -1;
}

int tac_model_add_equality(tacBuilder *b, const tacEqualityDef *def) {
    if (!ready(b, def, TAC_KIND_EQUALITY)) return -1;
    tacEqualityDef added = *def;
    added.name = keep_text(b, def->name);
    return b->error.status == TAC_OK ? append(b, TAC_KIND_EQUALITY, &b->equality, &added, sizeof added) : -1;
}

int tac_model_add_pair(tacBuilder *b, const tacPairDef *def) {
    if (!ready(b, def, TAC_KIND_PAIR)) return -1;
    tacPairDef added = *def;
    added.name = keep_text(b, def->name);
    return b->error.status == TAC_OK ? append(b, TAC_KIND_PAIR, &b->pair, &added, sizeof added) : -1;
}

int tac_model_add_exclude(tacBuilder *b, const char *name, int body1, int body2) {
    if (!ready(b, b, TAC_KIND_EXCLUDE)) return -1;
    tacAddedExclude added = {.name = keep_text(b, name), .body = {body1, body2}};
    return b->error.status == TAC_OK ? append(b, TAC_KIND_EXCLUDE, &b->exclude, &added, sizeof added) : -1;
}

tacKeySpan tac_builder_span(const tacBuilder *b) {
    return (tacKeySpan){b->nq, b->nv, b->na, b->actuator.count, b->nmocap};
}

/* A copy of a key's array for the elements from `from` to before `to`. */
static const void *keep_span(tacBuilder *b, const void *source, int from, int to, size_t element) {
    return keep(b, source, (size_t)(to - from), element);
}

static int add_key(tacBuilder *b, const tacKeyDef *def, tacKeySpan from, int grows) {
    tacKeySpan to = tac_builder_span(b);
    tacAddedKey added = {.def = *def, .from = from, .to = to, .grows = grows};
    added.def.name = keep_text(b, def->name);
    added.def.qpos = keep_span(b, def->qpos, from.nq, to.nq, sizeof(double));
    added.def.qvel = keep_span(b, def->qvel, from.nv, to.nv, sizeof(double));
    added.def.act = keep_span(b, def->act, from.na, to.na, sizeof(double));
    added.def.ctrl = keep_span(b, def->ctrl, from.nu, to.nu, sizeof(double));
    added.def.mpos = keep_span(b, def->mpos, from.nmocap, to.nmocap, sizeof(tacVec3));
    added.def.mquat = keep_span(b, def->mquat, from.nmocap, to.nmocap, sizeof(tacQuat));
    return b->error.status == TAC_OK ? append(b, TAC_KIND_KEY, &b->key, &added, sizeof added) : -1;
}

int tac_model_add_key(tacBuilder *b, const tacKeyDef *def) {
    return ready(b, def, TAC_KIND_KEY) ? add_key(b, def, (tacKeySpan){0}, 0) : -1;
}

int tac_builder_add_partial_key(tacBuilder *b, const tacKeyDef *def, tacKeySpan from) {
    return ready(b, def, TAC_KIND_KEY) ? add_key(b, def, from, 1) : -1;
}

int tac_model_add_sensor(tacBuilder *b, const char *tag, const char *name) {
    if (!ready(b, b, TAC_KIND_SENSOR)) return -1;
    tacAddedSensor added = {.tag = keep_text(b, tag), .name = keep_text(b, name)};
    return b->error.status == TAC_OK ? append(b, TAC_KIND_SENSOR, &b->sensor, &added, sizeof added) : -1;
}
