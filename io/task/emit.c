/* Tree -> YAML that reads back to the same tree. */
#include "io/task/task.h"

#include "io/model_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";

/* A text that is the same word without quotes, wherever it stands. */
static int is_plain(const char *text) {
    return text[0] != '\0' && strchr("-.+", text[0]) == NULL && text[strspn(text, PLAIN)] == '\0';
}

/* Letters of several bytes that would end a line, and how they are written. */
static const char *const BREAKS[][2] = {{"\xc2\x85", "\\N"}, {"\xe2\x80\xa8", "\\L"}, {"\xe2\x80\xa9", "\\P"}};

/* One of BREAKS -> its length, written; 0: it is none. */
static size_t put_break(tacText *out, const char *text) {
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(BREAKS[i][0]);
        if (strncmp(text, BREAKS[i][0], n) != 0) continue;
        tac_text_add(out, BREAKS[i][1]);
        return n;
    }
    return 0;
}

static void put_quoted(tacText *out, const char *text) {
    tac_text_add(out, "\"");
    for (const char *p = text; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        size_t n = put_break(out, p);
        if (n > 0)
            p += n - 1;
        else if (c == '"' || c == '\\')
            tac_text_format(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            tac_text_format(out, "\\x%02x", c);
        else
            tac_text_format(out, "%c", c);
    }
    tac_text_add(out, "\"");
}

static void put_key_text(tacText *out, const char *key) {
    if (is_plain(key))
        tac_text_add(out, key);
    else
        put_quoted(out, key);
}

static void put_scalar(tacText *out, const tacNode *node) {
    if (!node->quoted && (is_plain(node->text) || tac_node_is_number(node)))
        tac_text_add(out, node->text);
    else
        put_quoted(out, node->text);
}

/* In braces and brackets, on one line. */
static void put_flow(tacText *out, const tacNode *node, const char *without) {
    if (node->kind == TAC_NODE_SCALAR) {
        put_scalar(out, node);
        return;
    }
    int is_map = node->kind == TAC_NODE_MAP;
    tac_text_add(out, is_map ? "{" : "[");
    int n = 0;
    for (const tacNode *item = node->first; item != NULL; item = item->next) {
        if (is_map && without != NULL && strcmp(item->key, without) == 0) continue;
        if (n++ > 0) tac_text_add(out, ", ");
        if (is_map) {
            put_key_text(out, item->key);
            tac_text_add(out, ": ");
        }
        put_flow(out, item, NULL);
    }
    tac_text_add(out, is_map ? "}" : "]");
}

/* A key of the task: maps in a list on a line each. */
static void put_key(tacText *out, const tacNode *item, const char *without) {
    put_key_text(out, item->key);
    tac_text_add(out, ":");
    if (item->kind == TAC_NODE_LIST && item->n > 0 && item->first->kind == TAC_NODE_MAP) {
        for (const tacNode *line = item->first; line != NULL; line = line->next) {
            tac_text_add(out, "\n  - ");
            put_flow(out, line, NULL);
        }
    } else {
        tac_text_add(out, " ");
        put_flow(out, item, strcmp(item->key, "solver") == 0 ? without : NULL);
    }
    tac_text_add(out, "\n");
}

char *tac_task_emit(const tacTask *task, const char *model, const char *without) {
    tacText out = {0};
    for (const tacNode *item = task->root->first; item != NULL; item = item->next) {
        if (strcmp(item->key, "model") != 0) {
            put_key(&out, item, without);
            continue;
        }
        tac_text_add(&out, "model: ");
        put_quoted(&out, model);
        tac_text_add(&out, "\n");
    }
    return tac_text_take(&out);
}
