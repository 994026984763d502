#include "io/task/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Search ------------------------------------------------------------------------------------------------------ */

const tacNode *tac_node_find(const tacNode *map, const char *key) {
    if (map == NULL || map->kind != TAC_NODE_MAP) return NULL;
    for (const tacNode *item = map->first; item != NULL; item = item->next)
        if (strcmp(item->key, key) == 0) return item;
    return NULL;
}

const tacNode *tac_node_item(const tacNode *list, int index) {
    if (list == NULL || list->kind == TAC_NODE_SCALAR) return NULL;
    const tacNode *item = list->first;
    for (int i = 0; i < index && item != NULL; i++)
        item = item->next;
    return item;
}

/* --- Change ------------------------------------------------------------------------------------------------------ */

void tac_node_append(tacNode *parent, tacNode *item) {
    item->parent = parent;
    item->index = parent->n++;
    item->next = NULL;
    if (parent->last != NULL)
        parent->last->next = item;
    else
        parent->first = item;
    parent->last = item;
}

void tac_node_replace(tacNode *old, tacNode *item) {
    tacNode *parent = old->parent;
    item->parent = parent;
    item->key = old->key;
    item->key_line = old->key_line;
    item->key_column = old->key_column;
    item->index = old->index;
    item->next = old->next;
    if (parent->last == old) parent->last = item;
    if (parent->first == old) parent->first = item;
    for (tacNode *before = parent->first; before != NULL; before = before->next)
        if (before->next == old) before->next = item;
}

/* --- Messages ---------------------------------------------------------------------------------------------------- */

static size_t put(char *out, size_t size, size_t used, const char *format, ...) TAC_FORMAT(4, 5);

/* Appends to a text of `used` bytes; -> its length, as if there were room. */
static size_t put(char *out, size_t size, size_t used, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(used < size ? out + used : NULL, used < size ? size - used : 0, format, args);
    va_end(args);
    return used + (n > 0 ? (size_t)n : 0);
}

void tac_node_path(const tacNode *node, char *out, size_t size) {
    const tacNode *chain[TAC_TASK_DEPTH + 2];
    int n = 0;
    size_t used = 0;
    if (size > 0) out[0] = '\0';
    for (; node != NULL && node->parent != NULL && n < TAC_TASK_DEPTH + 2; node = node->parent)
        chain[n++] = node;
    while (n-- > 0) {
        if (chain[n]->key != NULL)
            used = put(out, size, used, "%s%.*s", used > 0 ? "." : "", TAC_TASK_SHOWN, chain[n]->key);
        else
            used = put(out, size, used, "[%d]", chain[n]->index);
    }
}

/* A place of a file or option, and the path of a node there. */
typedef struct Place {
    const char *origin;
    int line, column;
    const tacNode *node;
} Place;

static tacStatus fail_at(Place place, tacError *err, tacStatus status, const char *format, va_list args)
    TAC_FORMAT(4, 0);

static tacStatus fail_at(Place place, tacError *err, tacStatus status, const char *format, va_list args) {
    enum { PATH = 256, WHERE = 512 };
    char text[TAC_ERROR_TEXT], path[PATH], where[WHERE];
    vsnprintf(text, sizeof text, format, args);
    tac_node_path(place.node, path, sizeof path);
    const char *colon = path[0] != '\0' ? ": " : "";
    if (place.line > 0)
        snprintf(where, sizeof where, "%s:%d:%d: %s%s", place.origin, place.line, place.column, path, colon);
    else
        snprintf(where, sizeof where, "%s: %s%s", place.origin, path, colon);
    return tac_fail(err, status, "%s%s", where, text);
}

tacStatus tac_node_fail(const tacNode *node, tacError *err, tacStatus status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Place place = {node->origin, node->line, node->column, node};
    fail_at(place, err, status, format, args);
    va_end(args);
    return status;
}

tacStatus tac_node_fail_key(const tacNode *node, tacError *err, tacStatus status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Place place = {node->origin, node->line > 0 ? node->key_line : 0, node->key_column, node->parent};
    fail_at(place, err, status, format, args);
    va_end(args);
    return status;
}

const char *tac_node_describe(const tacNode *node, char *out, size_t size) {
    if (node->kind == TAC_NODE_LIST)
        snprintf(out, size, "a list of %d", node->n);
    else if (node->kind == TAC_NODE_MAP)
        snprintf(out, size, "a map of %d key%s", node->n, node->n == 1 ? "" : "s");
    else if (node->text[0] == '\0' && !node->quoted)
        snprintf(out, size, "nothing");
    else
        snprintf(out, size, "%s\"%.*s%s\"", node->quoted ? "the text " : "", TAC_TASK_SHOWN, node->text,
                 strlen(node->text) > TAC_TASK_SHOWN ? "..." : "");
    for (char *p = out; *p != '\0'; p++)
        if ((unsigned char)*p < ' ') *p = ' '; /* one line */
    return out;
}
