/* A tree against the table of keys. */
#include "io/task/keys.h"
#include "io/task/nearest.h"
#include "io/task/quantity.h"

#include "tactus/tactus.h"

#include <stdio.h>
#include <string.h>

enum { FOUND = 128, HINT = 192, WORDS = 256 };

static const char *type_text(tacTaskType type) {
    static const char *const text[] = {
#define X(TYPE, words) words,
        TAC_TASK_TYPES(X)
#undef X
    };
    return text[type];
}

/* "one of auto, exact" for "auto|exact|". Returns out. */
static const char *list_words(const char *words, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "one of ");
    for (; *words != '\0' && words[1] != '\0' && used + 3 < size; words++) {
        out[used++] = *words == '|' ? ',' : *words;
        if (*words == '|') out[used++] = ' ';
    }
    out[used] = '\0';
    return out;
}

static tacStatus expected(const tacNode *node, const char *what, tacError *err) {
    char found[FOUND];
    return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found %s, expected %s",
                         tac_node_describe(node, found, sizeof found), what);
}

/* --- One value ---------------------------------------------------------------------------------------------------- */

static tacStatus check_bounds(const tacTaskKey *key, const tacNode *node, double value, tacError *err) {
    char most[FOUND] = "";
    if (value >= key->least && value <= key->most) return TAC_OK;
    if (key->most < TAC_TASK_HUGE) snprintf(most, sizeof most, " and at most %.10g", key->most);
    if (key->least == key->most)
        return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found %.10g, expected %.10g", value, key->least);
    return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found %.10g, expected at least %.10g%s", value, key->least, most);
}

static tacStatus check_number(const tacTaskKey *key, const tacNode *node, tacError *err) {
    double value;
    TAC_TRY(tac_node_real(node, &value, err));
    return check_bounds(key, node, value, err);
}

static tacStatus check_int(const tacTaskKey *key, const tacNode *node, tacError *err) {
    int value;
    TAC_TRY(tac_node_int(node, &value, err));
    return check_bounds(key, node, value, err);
}

static tacStatus check_text(const tacTaskKey *key, const tacNode *node, tacError *err) {
    (void)key;
    if (node->kind == TAC_NODE_SCALAR && node->text[0] != '\0') return TAC_OK;
    return expected(node, "a text", err);
}

static tacStatus check_bool(const tacTaskKey *key, const tacNode *node, tacError *err) {
    (void)key;
    if (node->kind == TAC_NODE_SCALAR && !node->quoted && tac_task_has_word("true|false|", node->text)) return TAC_OK;
    return expected(node, "true or false", err);
}

static tacStatus check_word(const tacTaskKey *key, const tacNode *node, tacError *err) {
    char words[WORDS], found[FOUND], hint[HINT];
    list_words(key->more, words, sizeof words);
    if (node->kind != TAC_NODE_SCALAR) return expected(node, words, err);
    if (tac_task_has_word(key->more, node->text)) return TAC_OK;
    tacNearest nearest = tac_nearest_begin(node->text);
    for (const char *word = key->more; *word != '\0'; word += strcspn(word, "|") + 1) {
        char one[FOUND];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(word, "|"), word);
        tac_nearest_try(&nearest, one);
    }
    return tac_node_fail(node, err, TAC_ERR_SYNTAX, "found %s, expected %s%s",
                         tac_node_describe(node, found, sizeof found), words,
                         tac_nearest_text(&nearest, hint, sizeof hint));
}

/* A number, or a list of numbers, or at depth 2 a list of lists of numbers of one length. */
static tacStatus check_numbers(const tacTaskKey *key, const tacNode *node, int depth, tacError *err) {
    if (node->kind == TAC_NODE_SCALAR) return check_number(key, node, err);
    if (node->kind == TAC_NODE_MAP || node->n == 0) return expected(node, type_text(key->type), err);
    for (const tacNode *item = node->first; item != NULL; item = item->next) {
        if (depth > 1 && item->kind == TAC_NODE_LIST) {
            TAC_TRY(check_numbers(key, item, 1, err));
        } else {
            TAC_TRY(check_number(key, item, err));
        }
        int rows = node->first->kind == TAC_NODE_LIST;
        if (rows != (item->kind == TAC_NODE_LIST) || (rows && item->n != node->first->n))
            return expected(item, "rows of one length", err);
    }
    return TAC_OK;
}

static tacStatus check_reals(const tacTaskKey *key, const tacNode *node, tacError *err) {
    return check_numbers(key, node, 1, err);
}

static tacStatus check_matrix(const tacTaskKey *key, const tacNode *node, tacError *err) {
    return check_numbers(key, node, 2, err);
}

/* Words that are none of `more` may be names of the model, which are checked later. */
static tacStatus check_value(const tacTaskKey *key, const tacNode *node, tacError *err) {
    if (node->kind != TAC_NODE_SCALAR || tac_node_is_number(node)) return check_numbers(key, node, 2, err);
    return node->text[0] != '\0' ? TAC_OK : expected(node, type_text(key->type), err);
}

static tacStatus check_texts(const tacTaskKey *key, const tacNode *node, tacError *err) {
    if (node->kind == TAC_NODE_SCALAR) return check_text(key, node, err);
    if (node->kind != TAC_NODE_LIST || node->n == 0) return expected(node, type_text(key->type), err);
    for (const tacNode *item = node->first; item != NULL; item = item->next)
        TAC_TRY(check_text(key, item, err));
    return TAC_OK;
}

static tacStatus check_range(const tacTaskKey *key, const tacNode *node, tacError *err) {
    double range[2];
    if (node->kind != TAC_NODE_LIST || node->n == 0) return expected(node, type_text(key->type), err);
    if (node->first->kind != TAC_NODE_LIST) return tac_node_range(node, range, err);
    for (const tacNode *item = node->first; item != NULL; item = item->next)
        TAC_TRY(tac_node_range(item, range, err));
    return TAC_OK;
}

/* A knot, or `end`. */
static tacStatus check_knot(const tacTaskKey *key, const tacNode *node, tacError *err) {
    if (node->kind == TAC_NODE_SCALAR && strcmp(node->text, "end") == 0) return TAC_OK;
    if (!tac_node_is_number(node)) return expected(node, "a step or end", err);
    return check_int(key, node, err);
}

static tacStatus check_steps(const tacTaskKey *key, const tacNode *node, tacError *err) {
    if (node->kind == TAC_NODE_SCALAR) return check_knot(key, node, err);
    if (node->kind != TAC_NODE_LIST || node->n != 2) return expected(node, type_text(key->type), err);
    TAC_TRY(check_knot(key, node->first, err));
    return check_knot(key, node->last, err);
}

static tacStatus check_quantity(const tacTaskKey *key, const tacNode *node, tacError *err) {
    (void)key;
    return tac_task_check_quantity(node, err);
}

static tacStatus check_by_name(const tacTaskKey *key, const tacNode *node, tacError *err,
                               tacStatus (*check)(const tacTaskKey *, const tacNode *, tacError *)) {
    if (node->kind != TAC_NODE_MAP) return expected(node, type_text(key->type), err);
    for (const tacNode *item = node->first; item != NULL; item = item->next)
        TAC_TRY(check(key, item, err));
    return TAC_OK;
}

static tacStatus check_reals_by_name(const tacTaskKey *key, const tacNode *node, tacError *err) {
    return check_by_name(key, node, err, check_reals);
}

static tacStatus check_one_range(const tacTaskKey *key, const tacNode *node, tacError *err) {
    double range[2];
    (void)key;
    return tac_node_range(node, range, err);
}

static tacStatus check_ranges_by_name(const tacTaskKey *key, const tacNode *node, tacError *err) {
    return check_by_name(key, node, err, check_one_range);
}

/* --- Options of the step ------------------------------------------------------------------------------------------ */

static tacStatus check_options(const tacTaskKey *key, const tacNode *node, tacError *err) {
    char hint[HINT];
    if (node->kind != TAC_NODE_MAP) return expected(node, type_text(key->type), err);
    for (const tacNode *item = node->first; item != NULL; item = item->next) {
        tacNearest nearest = tac_nearest_begin(item->key);
        const tacOptionInfo *info = tac_option_info(0);
        for (int i = 0; info != NULL && strcmp(info->name, item->key) != 0; info = tac_option_info(++i))
            tac_nearest_try(&nearest, info->name);
        if (info == NULL)
            return tac_node_fail_key(item, err, TAC_ERR_SYNTAX, "unknown option \"%.*s\" of the step%s", TAC_TASK_SHOWN,
                                     item->key, tac_nearest_text(&nearest, hint, sizeof hint));
        TAC_TRY(check_text(key, item, err));
    }
    return TAC_OK;
}

/* --- Maps --------------------------------------------------------------------------------------------------------- */

static tacStatus fail_unknown(const tacNode *item, tacTaskSections sections, tacError *err) {
    char hint[HINT], known[WORDS] = "";
    size_t used = 0;
    tacNearest nearest = tac_nearest_begin(item->key);
    for (int s = 0; sections[s] != NULL; s++) {
        for (int i = 0; tac_task_key(i) != NULL; i++) {
            const tacTaskKey *key = tac_task_key(i);
            if (strcmp(key->section, sections[s]) != 0) continue;
            tac_nearest_try(&nearest, key->name);
            if (used < sizeof known)
                used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", key->name);
        }
    }
    tac_nearest_text(&nearest, hint, sizeof hint);
    return tac_node_fail_key(item, err, TAC_ERR_SYNTAX, "unknown key \"%.*s\"%s%s", TAC_TASK_SHOWN, item->key,
                             hint[0] != '\0' ? hint : ", expected one of ", hint[0] != '\0' ? "" : known);
}

/* Each key of the map is of these sections, and none that is required is missing. */
static tacStatus check_map(const tacNode *node, tacTaskSections sections, tacError *err) {
    if (node->kind != TAC_NODE_MAP) return expected(node, "a map of keys and values", err);
    for (const tacNode *item = node->first; item != NULL; item = item->next) {
        const tacTaskKey *key = NULL;
        for (int s = 0; sections[s] != NULL && key == NULL; s++)
            key = tac_task_find_key(sections[s], item->key);
        if (key == NULL) return fail_unknown(item, sections, err);
        TAC_TRY(tac_task_check_value(key, item, err));
    }
    for (int s = 0; sections[s] != NULL; s++) {
        for (int i = 0; tac_task_key(i) != NULL; i++) {
            const tacTaskKey *key = tac_task_key(i);
            if (strcmp(key->section, sections[s]) != 0 || key->fallback != TAC_TASK_REQUIRED) continue;
            if (tac_node_find(node, key->name) == NULL)
                return tac_node_fail(node, err, TAC_ERR_SYNTAX, "the key \"%s\" is missing: %s", key->name, key->text);
        }
    }
    return TAC_OK;
}

static tacStatus check_section(const tacTaskKey *key, const tacNode *node, tacError *err) {
    return check_map(node, (tacTaskSections){key->more}, err);
}

static tacStatus check_sections(const tacTaskKey *key, const tacNode *node, tacError *err) {
    if (node->kind != TAC_NODE_LIST) return expected(node, type_text(key->type), err);
    for (const tacNode *item = node->first; item != NULL; item = item->next)
        TAC_TRY(check_section(key, item, err));
    return TAC_OK;
}

tacStatus tac_task_check_value(const tacTaskKey *key, const tacNode *node, tacError *err) {
    static tacStatus (*const check[])(const tacTaskKey *, const tacNode *, tacError *) = {
        [TAC_TASK_BOOL] = check_bool,
        [TAC_TASK_INT] = check_int,
        [TAC_TASK_REAL] = check_number,
        [TAC_TASK_TEXT] = check_text,
        [TAC_TASK_WORD] = check_word,
        [TAC_TASK_REALS] = check_reals,
        [TAC_TASK_MATRIX] = check_matrix,
        [TAC_TASK_VALUE] = check_value,
        [TAC_TASK_TEXTS] = check_texts,
        [TAC_TASK_RANGE] = check_range,
        [TAC_TASK_STEPS] = check_steps,
        [TAC_TASK_QUANTITY] = check_quantity,
        [TAC_TASK_REALS_BY_NAME] = check_reals_by_name,
        [TAC_TASK_RANGES_BY_NAME] = check_ranges_by_name,
        [TAC_TASK_OPTIONS] = check_options,
        [TAC_TASK_SECTION] = check_section,
        [TAC_TASK_SECTIONS] = check_sections,
    };
    return check[key->type](key, node, err);
}

tacStatus tac_task_check(const tacNode *root, tacTaskSections sections, tacError *err) {
    return check_map(root, sections, err);
}
