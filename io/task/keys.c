#include "io/task/keys.h"

#include "io/numbers.h"

#include <string.h>

#define R(least, most) least, most
static const tacTaskKey KEYS[] = {
#define X(section, name, TYPE, more, range, unit, fallback, text)                                                      \
    {#section, #name, TAC_TASK_##TYPE, more, range, unit, fallback, text},
    TAC_TASK_KEYS(X, R)
#undef X
};
#undef R

enum { NKEY = sizeof KEYS / sizeof *KEYS };

const tacTaskKey *tac_task_key(int i) { return i >= 0 && i < NKEY ? &KEYS[i] : NULL; }

const tacTaskKey *tac_task_find_key(const char *section, const char *name) {
    for (const tacTaskKey *key = KEYS; key < KEYS + NKEY; key++)
        if (strcmp(key->section, section) == 0 && strcmp(key->name, name) == 0) return key;
    return NULL;
}

int tac_task_has_section(const char *section) {
    for (const tacTaskKey *key = KEYS; key < KEYS + NKEY; key++)
        if (strcmp(key->section, section) == 0) return 1;
    return 0;
}

int tac_task_has_word(const char *words, const char *word) {
    size_t n = strlen(word);
    while (*words != '\0') {
        size_t length = strcspn(words, "|");
        if (length == n && strncmp(words, word, n) == 0) return 1;
        words += length + (words[length] == '|');
    }
    return 0;
}

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

static tacStatus expected(const tacNode *node, const char *what, tacError *err) {
    enum { FOUND = 128 };
    char found[FOUND];
    return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found %s, expected %s",
                         tac_node_describe(node, found, sizeof found), what);
}

tacStatus tac_node_real(const tacNode *node, double *value, tacError *err) {
    tacError why;
    int n;
    if (node->kind != TAC_NODE_SCALAR || node->quoted || node->text[0] == '\0')
        return expected(node, node->quoted ? "a number (without quotes)" : "a number", err);
    if (tac_numbers_read(node->text, 1, 1, value, &n, &why) != TAC_OK)
        return tac_node_fail(node, err, TAC_ERR_SYNTAX, "%s", why.text);
    return TAC_OK;
}

tacStatus tac_node_int(const tacNode *node, int *value, tacError *err) {
    tacError why;
    int n;
    if (node->kind != TAC_NODE_SCALAR || node->quoted || node->text[0] == '\0')
        return expected(node, node->quoted ? "a whole number (without quotes)" : "a whole number", err);
    if (tac_numbers_read_int(node->text, 1, 1, value, &n, &why) != TAC_OK)
        return tac_node_fail(node, err, TAC_ERR_SYNTAX, "%s", why.text);
    return TAC_OK;
}

int tac_node_is_number(const tacNode *node) {
    double value;
    int n;
    return node->kind == TAC_NODE_SCALAR && !node->quoted && node->text[0] != '\0' &&
           tac_numbers_read(node->text, 1, 1, &value, &n, NULL) == TAC_OK;
}

tacStatus tac_node_range(const tacNode *node, double range[2], tacError *err) {
    if (node->kind != TAC_NODE_LIST || node->n != 2) return expected(node, "a range [least, most]", err);
    TAC_TRY(tac_node_real(node->first, &range[0], err));
    TAC_TRY(tac_node_real(node->last, &range[1], err));
    if (range[0] <= range[1]) return TAC_OK;
    return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found a range from %g to %g, expected least before most", range[0],
                         range[1]);
}

/* --- Values that were checked ------------------------------------------------------------------------------------- */

const char *tac_task_get_text(const tacNode *map, const char *section, const char *name) {
    const tacTaskKey *key = tac_task_find_key(section, name);
    TAC_ASSERT(key != NULL);
    const tacNode *node = tac_node_find(map, name);
    if (node != NULL && node->kind == TAC_NODE_SCALAR) return node->text;
    return key != NULL && key->fallback != NULL ? key->fallback : "";
}

double tac_task_get_real(const tacNode *map, const char *section, const char *name) {
    double value = 0;
    int n;
    tac_numbers_read(tac_task_get_text(map, section, name), 0, 1, &value, &n, NULL);
    return value;
}

int tac_task_get_int(const tacNode *map, const char *section, const char *name) {
    int value = 0, n;
    tac_numbers_read_int(tac_task_get_text(map, section, name), 0, 1, &value, &n, NULL);
    return value;
}
