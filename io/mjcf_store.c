/* Lists, names, memory and messages of one MJCF load. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16, WHERE_TEXT = 512 };

int tac_mjcf_append(tacMjcfList *list, const void *element, size_t size) {
    if (list->n == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : FIRST_CAPACITY;
        void *data = list->capacity <= INT_MAX / 4 ? realloc(list->data, (size_t)capacity * size) : NULL;
        if (data == NULL) return -1;
        list->data = data;
        list->capacity = capacity;
    }
    memcpy((char *)list->data + (size_t)list->n * size, element, size);
    return list->n++;
}

void tac_mjcf_list_free(tacMjcfList *list) {
    free(list->data);
    *list = (tacMjcfList){0};
}

/* --- Names -------------------------------------------------------------------------------------------------------- */

/* Slot of a name, or the empty slot where it would go. */
static int find_slot(const tacMjcfNames *names, const char *name) {
    int mask = names->capacity - 1;
    int slot = (int)(tac_hash(name, strlen(name), 0) & (uint64_t)mask);
    while (names->name[slot] != NULL && strcmp(names->name[slot], name) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

static int grow_names(tacMjcfNames *names) {
    tacMjcfNames larger = {.capacity = names->capacity > 0 ? 2 * names->capacity : FIRST_CAPACITY, .n = names->n};
    larger.name = calloc((size_t)larger.capacity, sizeof *larger.name);
    larger.id = calloc((size_t)larger.capacity, sizeof *larger.id);
    if (larger.name == NULL || larger.id == NULL) {
        tac_mjcf_names_free(&larger);
        return 0;
    }
    for (int i = 0; i < names->capacity; i++) {
        if (names->name[i] == NULL) continue;
        int slot = find_slot(&larger, names->name[i]);
        larger.name[slot] = names->name[i];
        larger.id[slot] = names->id[i];
    }
    tac_mjcf_names_free(names);
    *names = larger;
    return 1;
}

int tac_mjcf_names_add(tacMjcfNames *names, const char *name, int id) {
    if (2 * names->n >= names->capacity && !grow_names(names)) return 0;
    int slot = find_slot(names, name);
    if (names->name[slot] != NULL) return 1;
    names->name[slot] = name;
    names->id[slot] = id;
    names->n++;
    return 1;
}

int tac_mjcf_names_find(const tacMjcfNames *names, const char *name) {
    if (names->capacity == 0) return -1;
    int slot = find_slot(names, name);
    return names->name[slot] != NULL ? names->id[slot] : -1;
}

void tac_mjcf_names_free(tacMjcfNames *names) {
    free(names->name);
    free(names->id);
    *names = (tacMjcfNames){0};
}

/* --- Records ------------------------------------------------------------------------------------------------------ */

tacStatus tac_mjcf_no_memory(tacMjcf *m) {
    return tac_fail(m->err, TAC_ERR_MEMORY, "%s: no memory while loading", m->xml.n > 0 ? m->xml.file[0] : "");
}

void *tac_mjcf_keep(tacMjcf *m, size_t bytes) {
    void *memory = calloc(1, bytes > 0 ? bytes : 1);
    if (memory != NULL && tac_mjcf_append(&m->memory, &memory, sizeof memory) >= 0) return memory;
    free(memory);
    tac_mjcf_no_memory(m);
    return NULL;
}

int tac_mjcf_add(tacMjcf *m, tacMjcfList *list, const void *record, size_t size, tacKind kind, const char *name) {
    int id = tac_mjcf_append(list, record, size);
    int named = name != NULL && name[0] != '\0';
    if (id >= 0 && (!named || tac_mjcf_names_add(&m->names[kind], name, id))) return id;
    if (id >= 0) list->n--; /* the record stays its caller's */
    tac_mjcf_no_memory(m);
    return -1;
}

tacStatus tac_mjcf_find(tacMjcf *m, const xmlNode *node, const char *attr, tacKind kind, const char *name, int *id) {
    *id = tac_mjcf_names_find(&m->names[kind], name);
    if (*id >= 0) return TAC_OK;
    return tac_xml_fail(node, m->err, TAC_ERR_NAME, "attribute '%s': found \"%.60s\", expected the name of a %s", attr,
                        name, tac_kind_text(kind));
}

/* --- Messages ----------------------------------------------------------------------------------------------------- */

static void format_warning(tacMjcf *m, const xmlNode *node, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static void format_warning(tacMjcf *m, const xmlNode *node, const char *format, va_list args) {
    char text[WHERE_TEXT], where[WHERE_TEXT];
    vsnprintf(text, sizeof text, format, args);
    tac_xml_where(node, where, sizeof where);
    tac_report_add_warning(m->report, "%s: %s", where, text);
}

void tac_mjcf_warn(tacMjcf *m, const xmlNode *node, const char *format, ...) {
    va_list args;
    va_start(args, format);
    format_warning(m, node, format, args);
    va_end(args);
}

tacStatus tac_mjcf_unsupported(tacMjcf *m, const xmlNode *node, const char *format, ...) {
    char text[WHERE_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!m->options->lenient)
        return tac_xml_strict(m->err, tac_xml_fail(node, m->err, TAC_ERR_UNSUPPORTED, "%s", text));
    tac_mjcf_warn(m, node, "%s", text);
    return TAC_OK;
}

tacStatus tac_mjcf_ignore(tacMjcf *m, const xmlNode *node, const char *why) {
    for (int i = 0; i < m->ignored.n; i++) {
        tacMjcfIgnored *seen = TAC_AT(m->ignored, tacMjcfIgnored, i);
        if (!tac_xml_is(node, seen->tag)) continue;
        seen->count++;
        return TAC_OK;
    }
    tacMjcfIgnored first = {.tag = tac_xml_name(node), .why = why, .first = node, .count = 1};
    return tac_mjcf_append(&m->ignored, &first, sizeof first) >= 0 ? TAC_OK : tac_mjcf_no_memory(m);
}

void tac_mjcf_report_ignored(tacMjcf *m) {
    for (int i = 0; i < m->ignored.n; i++) {
        const tacMjcfIgnored *seen = TAC_AT(m->ignored, tacMjcfIgnored, i);
        char times[32] = "";
        if (seen->count > 1) snprintf(times, sizeof times, ", %d times", seen->count);
        tac_report_add_ignored(m->report, "%s:%d: element <%s>%s: %s", tac_xml_file(seen->first),
                               tac_xml_line(seen->first), seen->tag, times, seen->why);
    }
}
