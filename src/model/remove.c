/* Removing elements from a builder, and looking them up there. */
#include "model/build.h"

#include "base/error.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The list of a kind: its element's size and where the name is. */
typedef struct Listing {
    tacList *list;
    size_t size, name;
} Listing;

#define LISTING(field, type, place)                                                                                    \
    (Listing) { &((tacBuilder *)(uintptr_t)b)->field, sizeof(type), offsetof(type, place) }

static Listing list_of(const tacBuilder *b, tacKind kind) {
    switch (kind) {
    case TAC_KIND_BODY:
        return LISTING(body, tacAddedBody, def.name);
    case TAC_KIND_JOINT:
        return LISTING(joint, tacAddedJoint, def.name);
    case TAC_KIND_GEOM:
        return LISTING(geom, tacAddedGeom, def.name);
    case TAC_KIND_MESH:
        return LISTING(mesh, tacMeshDef, name);
    case TAC_KIND_SITE:
        return LISTING(site, tacAddedSite, def.name);
    case TAC_KIND_TENDON:
        return LISTING(tendon, tacTendonDef, name);
    case TAC_KIND_ACTUATOR:
        return LISTING(actuator, tacActuatorDef, name);
    case TAC_KIND_EQUALITY:
        return LISTING(equality, tacEqualityDef, name);
    case TAC_KIND_PAIR:
        return LISTING(pair, tacPairDef, name);
    case TAC_KIND_EXCLUDE:
        return LISTING(exclude, tacAddedExclude, name);
    case TAC_KIND_KEY:
        return LISTING(key, tacAddedKey, def.name);
    case TAC_KIND_SENSOR:
        return LISTING(sensor, tacAddedSensor, name);
    default:
        return (Listing){0};
    }
}

int tac_builder_count(const tacBuilder *b, tacKind kind) {
    Listing l = b != NULL ? list_of(b, kind) : (Listing){0};
    return l.list != NULL ? l.list->count : 0;
}

int tac_builder_find(const tacBuilder *b, tacKind kind, const char *name) {
    if (b == NULL || name == NULL || name[0] == '\0') return -1;
    Listing l = list_of(b, kind);
    for (int i = 0; l.list != NULL && i < l.list->count; i++) {
        const char *text = *(const char *const *)((const char *)l.list->data + (size_t)i * l.size + l.name);
        if (text != NULL && strcmp(text, name) == 0) return i;
    }
    return -1;
}

tacStatus tac_builder_option(const tacBuilder *b, tacOptionDef *def) {
    if (b == NULL || def == NULL) return TAC_ERR_ARGUMENT;
    *def = b->option;
    return TAC_OK;
}

/* --- What goes ---------------------------------------------------------------------------------------------------- */

/* map[kind][id]: -1 where the element goes; renumber() then writes the new ids of those that stay. */
typedef struct Removal {
    tacBuilder *b;
    int *map[TAC_KIND_COUNT];
} Removal;

static int goes(const Removal *r, tacKind kind, int id) {
    return id >= 0 && id < tac_builder_count(r->b, kind) && r->map[kind][id] < 0;
}

static tacKind target_kind(tacTransmission type) {
    switch (type) {
    case TAC_TRN_TENDON:
        return TAC_KIND_TENDON;
    case TAC_TRN_SITE:
    case TAC_TRN_SLIDERCRANK:
        return TAC_KIND_SITE;
    case TAC_TRN_BODY:
        return TAC_KIND_BODY;
    default:
        return TAC_KIND_JOINT;
    }
}

#define EACH(kind, field, type, d)                                                                                     \
    for (int i = 0, *mark = r->map[kind]; i < r->b->field.count; i++)                                                  \
        for (type *d = TAC_ADDED(r->b->field, type, i); d != NULL; d = NULL)

/* Marks elements that refer to a removed one. A parent comes before its children. */
static void spread(Removal *r) {
    EACH(TAC_KIND_BODY, body, tacAddedBody, d) if (i > 0 && goes(r, TAC_KIND_BODY, d->parent)) mark[i] = -1;
    EACH(TAC_KIND_JOINT, joint, tacAddedJoint, d) if (goes(r, TAC_KIND_BODY, d->body)) mark[i] = -1;
    EACH(TAC_KIND_GEOM, geom, tacAddedGeom, d) {
        if (goes(r, TAC_KIND_BODY, d->body)) mark[i] = -1;
        if (d->def.type == TAC_GEOM_MESH && goes(r, TAC_KIND_MESH, d->def.mesh)) mark[i] = -1;
    }
    EACH(TAC_KIND_SITE, site, tacAddedSite, d) if (goes(r, TAC_KIND_BODY, d->body)) mark[i] = -1;
    EACH(TAC_KIND_TENDON, tendon, tacTendonDef, d)
    for (int k = 0; k < d->nterm; k++)
        if (goes(r, TAC_KIND_JOINT, d->joint[k])) mark[i] = -1;
    for (int k = 0; k < 2; k++) {
        EACH(TAC_KIND_ACTUATOR, actuator, tacActuatorDef, d)
        if (goes(r, target_kind(d->trntype), d->trnid[k])) mark[i] = -1;
        EACH(TAC_KIND_EQUALITY, equality, tacEqualityDef, d) if (goes(r, d->objkind, d->obj[k])) mark[i] = -1;
        EACH(TAC_KIND_PAIR, pair, tacPairDef, d) if (goes(r, TAC_KIND_GEOM, d->geom[k])) mark[i] = -1;
        EACH(TAC_KIND_EXCLUDE, exclude, tacAddedExclude, d) if (goes(r, TAC_KIND_BODY, d->body[k])) mark[i] = -1;
    }
}

/* --- Keyframes ---------------------------------------------------------------------------------------------------- */

/* Takes n numbers of `element` bytes from `at` on out of a key's array, which has those from *from to before *to. */
static void cut(const void *array, int *from, int *to, int at, int n, size_t element) {
    if (at + n <= *from) {
        *from -= n;
        *to -= n;
    } else if (at < *to) {
        char *bytes = (char *)(uintptr_t)array;
        size_t begin = (size_t)(at - *from) * element, size = (size_t)n * element;
        size_t end = (size_t)(*to - *from) * element;
        if (bytes != NULL) memmove(bytes + begin, bytes + begin + size, end - begin - size);
        *to -= n;
    }
}

/* The same of two arrays with the same numbers. */
static void cut_both(const void *a, const void *b, tacKeySpan *from, tacKeySpan *to, int at) {
    tacKeySpan f = *from, t = *to;
    cut(a, &f.nmocap, &t.nmocap, at, 1, sizeof(tacVec3));
    cut(b, &from->nmocap, &to->nmocap, at, 1, sizeof(tacQuat));
}

/* The builder owns these arrays. Elements are taken from the last to the first, so that addresses before stay. */
static void cut_key(const Removal *r, tacAddedKey *key) {
    tacKeySpan at = tac_builder_span(r->b), *from = &key->from, *to = &key->to;
    for (int i = r->b->joint.count - 1; i >= 0; i--) {
        int type = (int)TAC_ADDED(r->b->joint, tacAddedJoint, i)->def.type;
        at.nq -= TAC_JOINT_NQ[type];
        at.nv -= TAC_JOINT_NV[type];
        if (!goes(r, TAC_KIND_JOINT, i)) continue;
        cut(key->def.qpos, &from->nq, &to->nq, at.nq, TAC_JOINT_NQ[type], sizeof(double));
        cut(key->def.qvel, &from->nv, &to->nv, at.nv, TAC_JOINT_NV[type], sizeof(double));
    }
    for (int i = r->b->actuator.count - 1; i >= 0; i--) {
        int n = TAC_ADDED(r->b->actuator, tacActuatorDef, i)->actdim;
        at.na -= n;
        if (!goes(r, TAC_KIND_ACTUATOR, i)) continue;
        cut(key->def.act, &from->na, &to->na, at.na, n, sizeof(double));
        cut(key->def.ctrl, &from->nu, &to->nu, i, 1, sizeof(double));
    }
    for (int i = r->b->body.count - 1; i >= 0; i--) {
        if (!TAC_ADDED(r->b->body, tacAddedBody, i)->def.mocap) continue;
        at.nmocap--;
        if (goes(r, TAC_KIND_BODY, i)) cut_both(key->def.mpos, key->def.mquat, from, to, at.nmocap);
    }
}

/* --- Closing the gaps --------------------------------------------------------------------------------------------- */

static void recount(Removal *r) {
    EACH(TAC_KIND_JOINT, joint, tacAddedJoint, d) if (mark[i] < 0) {
        r->b->nq -= TAC_JOINT_NQ[d->def.type];
        r->b->nv -= TAC_JOINT_NV[d->def.type];
    }
    EACH(TAC_KIND_ACTUATOR, actuator, tacActuatorDef, d) if (mark[i] < 0) r->b->na -= d->actdim;
    EACH(TAC_KIND_BODY, body, tacAddedBody, d) if (mark[i] < 0) r->b->nmocap -= d->def.mocap != 0;
}

/* Moves elements that stay down and writes their new ids. */
static void renumber(Removal *r, tacKind kind) {
    Listing l = list_of(r->b, kind);
    int kept = 0;
    for (int i = 0; i < l.list->count; i++) {
        char *data = l.list->data;
        if (r->map[kind][i] < 0) continue;
        if (kept < i) memcpy(data + (size_t)kept * l.size, data + (size_t)i * l.size, l.size);
        r->map[kind][i] = kept++;
    }
    l.list->count = kept;
}

/* The new id of an element; an id that was out of range stays so. before[kind]: elements there were. */
static int moved(const Removal *r, const int *before, tacKind kind, int id) {
    int known = (unsigned)kind < TAC_KIND_COUNT && r->map[kind] != NULL;
    return known && id >= 0 && id < before[kind] ? r->map[kind][id] : id;
}

static void refer_again(Removal *r, const int *before) {
#define MOVED(kind, id) ((id) = moved(r, before, kind, id))
    EACH(TAC_KIND_BODY, body, tacAddedBody, d) {
        MOVED(TAC_KIND_BODY, d->parent);
        (void)mark;
    }
    EACH(TAC_KIND_JOINT, joint, tacAddedJoint, d) {
        MOVED(TAC_KIND_BODY, d->body);
        (void)mark;
    }
    EACH(TAC_KIND_GEOM, geom, tacAddedGeom, d) {
        MOVED(TAC_KIND_BODY, d->body);
        MOVED(TAC_KIND_MESH, d->def.mesh);
        MOVED(TAC_KIND_GEOM, d->def.sum);
        (void)mark;
    }
    EACH(TAC_KIND_SITE, site, tacAddedSite, d) {
        MOVED(TAC_KIND_BODY, d->body);
        (void)mark;
    }
    EACH(TAC_KIND_TENDON, tendon, tacTendonDef, d)
    for (int k = 0; k < d->nterm; k++) {
        MOVED(TAC_KIND_JOINT, ((int *)(uintptr_t)d->joint)[k]);
        (void)mark;
    }
    for (int k = 0; k < 2; k++) {
        EACH(TAC_KIND_ACTUATOR, actuator, tacActuatorDef, d) {
            MOVED(target_kind(d->trntype), d->trnid[k]);
            (void)mark;
        }
        EACH(TAC_KIND_EQUALITY, equality, tacEqualityDef, d) {
            MOVED(d->objkind, d->obj[k]);
            (void)mark;
        }
        EACH(TAC_KIND_PAIR, pair, tacPairDef, d) {
            MOVED(TAC_KIND_GEOM, d->geom[k]);
            (void)mark;
        }
        EACH(TAC_KIND_EXCLUDE, exclude, tacAddedExclude, d) {
            MOVED(TAC_KIND_BODY, d->body[k]);
            (void)mark;
        }
    }
#undef MOVED
}

static void take_out(Removal *r) {
    int before[TAC_KIND_COUNT] = {0};
    for (int i = 0; i < r->b->key.count; i++)
        cut_key(r, TAC_ADDED(r->b->key, tacAddedKey, i));
    recount(r);
    for (tacKind kind = TAC_KIND_BODY; kind < TAC_KIND_OPTION; kind++) {
        before[kind] = tac_builder_count(r->b, kind);
        renumber(r, kind);
    }
    refer_again(r, before);
}

tacStatus tac_model_remove(tacBuilder *b, tacKind kind, int id, tacError *err) {
    if (b == NULL) return tac_fail(err, TAC_ERR_ARGUMENT, "builder is NULL");
    if (b->error.status != TAC_OK) return tac_builder_fail(b, err, TAC_OK, TAC_KIND_NONE, -1, " ");
    if (list_of(b, kind).list == NULL)
        return tac_fail(err, TAC_ERR_ARGUMENT, "kind %d has no elements that could be removed", (int)kind);
    int n = tac_builder_count(b, kind);
    if (id < 0 || id >= n)
        return tac_fail_at(err, TAC_ERR_ARGUMENT, kind, id, "%s %d does not exist, the builder has %d",
                           tac_kind_text(kind), id, n);
    if (kind == TAC_KIND_BODY && id == 0)
        return tac_fail_at(err, TAC_ERR_ARGUMENT, kind, id, "the world cannot be removed");
    Removal r = {.b = b};
    int fine = 1;
    for (tacKind k = TAC_KIND_BODY; k < TAC_KIND_OPTION && fine; k++) {
        r.map[k] = calloc((size_t)tac_builder_count(b, k) + 1, sizeof(int));
        fine = r.map[k] != NULL;
    }
    if (fine) {
        r.map[kind][id] = -1;
        spread(&r);
        take_out(&r);
    }
    for (tacKind k = TAC_KIND_BODY; k < TAC_KIND_OPTION; k++)
        free(r.map[k]);
    return fine ? TAC_OK : tac_fail(err, TAC_ERR_MEMORY, "out of memory for removing a %s", tac_kind_text(kind));
}
