#include "tactus/tactus.h"

#include <stdio.h>
#include <string.h>

/* Number of elements and name offsets of one kind. */
static int kind_names(const tacModel *m, tacKind kind, const int **names) {
    if (m == NULL) return 0;
    switch (kind) {
    case TAC_KIND_BODY:
        *names = m->body_name;
        return m->nbody;
    case TAC_KIND_JOINT:
        *names = m->joint_name;
        return m->njnt;
    case TAC_KIND_GEOM:
        *names = m->geom_name;
        return m->ngeom;
    case TAC_KIND_MESH:
        *names = m->mesh_name;
        return m->nmesh;
    case TAC_KIND_SITE:
        *names = m->site_name;
        return m->nsite;
    case TAC_KIND_TENDON:
        *names = m->tendon_name;
        return m->ntendon;
    case TAC_KIND_ACTUATOR:
        *names = m->actuator_name;
        return m->nu;
    case TAC_KIND_EQUALITY:
        *names = m->equality_name;
        return m->neq;
    case TAC_KIND_PAIR:
        *names = m->pair_name;
        return m->npair;
    case TAC_KIND_EXCLUDE:
        *names = m->exclude_name;
        return m->nexclude;
    case TAC_KIND_KEY:
        *names = m->key_name;
        return m->nkey;
    case TAC_KIND_SENSOR:
        *names = m->sensor_name;
        return m->nsensor;
    default:
        *names = NULL;
        return 0;
    }
}

int tac_model_count(const tacModel *model, tacKind kind) {
    const int *names;
    return kind_names(model, kind, &names);
}

const char *tac_model_name(const tacModel *model, tacKind kind, int id) {
    const int *names;
    int n = kind_names(model, kind, &names);
    return id >= 0 && id < n ? model->all_names + names[id] : "";
}

int tac_model_find(const tacModel *model, tacKind kind, const char *name) {
    const int *names;
    int n = kind_names(model, kind, &names);
    if (name == NULL || name[0] == '\0') return -1;
    for (int i = 0; i < n; i++)
        if (strcmp(model->all_names + names[i], name) == 0) return i;
    return -1;
}

/* The body that names an unnamed element, or -1. */
static int owner_of(const tacModel *m, tacKind kind, int id) {
    if (m == NULL) return -1;
    const int *body = kind == TAC_KIND_GEOM    ? m->geom_body
                      : kind == TAC_KIND_SITE  ? m->site_body
                      : kind == TAC_KIND_JOINT ? m->joint_body
                                               : NULL;
    return body != NULL && id >= 0 && id < tac_model_count(m, kind) ? body[id] : -1;
}

const char *tac_model_label(const tacModel *model, tacKind kind, int id, char *text, size_t size) {
    if (text == NULL || size == 0) return "";
    const char *name = tac_model_name(model, kind, id);
    int body = owner_of(model, kind, id);
    const char *owner = body > 0 ? tac_model_name(model, TAC_KIND_BODY, body) : "";
    if (kind == TAC_KIND_BODY && id == 0)
        snprintf(text, size, "the world");
    else if (name[0] != '\0')
        snprintf(text, size, "\"%s\"", name);
    else if (owner[0] != '\0')
        snprintf(text, size, "#%d of \"%s\"", id, owner);
    else if (body == 0)
        snprintf(text, size, "#%d of the world", id);
    else if (body > 0)
        snprintf(text, size, "#%d of body #%d", id, body);
    else
        snprintf(text, size, "#%d", id);
    return text;
}
