/* Events of libyaml -> tree. */
#include "io/task/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { PIECE = 16 * 1024 };

typedef struct Piece {
    struct Piece *next;
    size_t used, size;
    _Alignas(16) char bytes[];
} Piece;

struct tacTree {
    Piece *pieces;
    tacNode *root;
    int values;
};

/* --- Memory ------------------------------------------------------------------------------------------------------ */

static void *take(tacTree *tree, size_t size) {
    size = (size + 15) & ~(size_t)15;
    Piece *piece = tree->pieces;
    if (piece == NULL || piece->size - piece->used < size) {
        size_t room = size > PIECE ? size : PIECE;
        piece = malloc(sizeof *piece + room);
        if (piece == NULL) return NULL;
        *piece = (Piece){.next = tree->pieces, .size = room};
        tree->pieces = piece;
    }
    void *memory = piece->bytes + piece->used;
    piece->used += size;
    return memory;
}

char *tac_tree_text(tacTree *tree, const char *text, size_t size) {
    char *copy = take(tree, size + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

tacNode *tac_tree_node(tacTree *tree, tacNodeKind kind, const char *origin) {
    if (tree->values >= TAC_TASK_VALUES) return NULL;
    tacNode *node = take(tree, sizeof *node);
    if (node == NULL) return NULL;
    *node = (tacNode){.kind = kind, .origin = origin, .text = ""};
    tree->values++;
    return node;
}

tacNode *tac_tree_root(const tacTree *tree) { return tree->root; }

void tac_tree_free(tacTree *tree) {
    if (tree == NULL) return;
    for (Piece *piece = tree->pieces, *next; piece != NULL; piece = next) {
        next = piece->next;
        free(piece);
    }
    free(tree);
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

/* What one parse knows. */
typedef struct Reader {
    yaml_parser_t parser;
    tacTree *tree;
    const char *origin, *text;
    size_t size;
    int is_option;   /* lines say nothing */
    tacNode *open;   /* the list or map that is being filled */
    tacNode *root;   /* the first value */
    tacNode pending; /* the key that waits for its value */
    int depth;
    tacError *err;
} Reader;

static tacStatus fail_mark(const Reader *r, const yaml_mark_t *mark, const char *text) {
    if (r->is_option) return tac_fail(r->err, TAC_ERR_SYNTAX, "%s: %s", r->origin, text);
    return tac_fail(r->err, TAC_ERR_SYNTAX, "%s:%zu:%zu: %s", r->origin, mark->line + 1, mark->column + 1, text);
}

static tacStatus no_memory(const Reader *r) { return tac_fail(r->err, TAC_ERR_MEMORY, "%s: no memory", r->origin); }

/* The letter that a mark stands at, or 0. Marks count letters, not bytes. */
static char letter_at(const Reader *r, const yaml_mark_t *mark) {
    size_t letter = 0;
    for (size_t i = 0; i < r->size; i++) {
        if (((unsigned char)r->text[i] & 0xc0) == 0x80) continue;
        if (letter++ == mark->index) return r->text[i];
    }
    return '\0';
}

/* What libyaml found wrong, with the cure where it is known. */
static tacStatus fail_parser(const Reader *r) {
    const yaml_parser_t *p = &r->parser;
    char text[TAC_ERROR_TEXT];
    const char *problem = p->problem != NULL ? p->problem : "malformed YAML", *cure = "";
    if (p->error == YAML_MEMORY_ERROR) return no_memory(r);
    if (p->error == YAML_READER_ERROR) {
        snprintf(text, sizeof text, "byte %zu: %s; expected UTF-8 text", p->problem_offset, problem);
        return tac_fail(r->err, TAC_ERR_SYNTAX, "%s: %s", r->origin, text);
    }
    char at = letter_at(r, &p->problem_mark);
    if (p->error == YAML_PARSER_ERROR && (at == '[' || at == ']') && p->context != NULL &&
        strstr(p->context, "flow mapping") != NULL)
        cure = "; a path with brackets is put in quotes inside braces: {\"geom/foot.friction[0]\": 0.5}";
    else if (p->context != NULL && (strstr(p->context, "alias") != NULL || strstr(p->context, "anchor") != NULL))
        cure = "; a path that begins with * is put in quotes";
    else if (strstr(problem, "cannot start any token") != NULL && at == '\t')
        cure = "; lines are indented with blanks, not with tabs";
    snprintf(text, sizeof text, "%s%s%s%s", problem, p->context != NULL ? " " : "",
             p->context != NULL ? p->context : "", cure);
    return fail_mark(r, &p->problem_mark, text);
}

static tacStatus check_plain(const Reader *r, const yaml_event_t *event, const yaml_char_t *anchor,
                             const yaml_char_t *tag) {
    char text[TAC_ERROR_TEXT];
    if (anchor != NULL) {
        snprintf(text, sizeof text, "found the anchor \"&%.*s\", expected none: values are written out", TAC_TASK_SHOWN,
                 (const char *)anchor);
        return fail_mark(r, &event->start_mark, text);
    }
    if (tag == NULL) return TAC_OK;
    snprintf(text, sizeof text, "found the tag \"%.*s\", expected none: the key decides what a value is",
             TAC_TASK_SHOWN, (const char *)tag);
    return fail_mark(r, &event->start_mark, text);
}

/* A scalar where a map expects its key. */
static tacStatus begin_key(Reader *r, const yaml_event_t *event) {
    char text[TAC_ERROR_TEXT];
    const char *key = (const char *)event->data.scalar.value;
    size_t size = event->data.scalar.length;
    if (size == 0) return fail_mark(r, &event->start_mark, "found an empty key, expected a name");
    if (size > TAC_TASK_KEY || memchr(key, '\0', size) != NULL) {
        snprintf(text, sizeof text, "found a key of %zu bytes, expected a name of at most %d", size, TAC_TASK_KEY);
        return fail_mark(r, &event->start_mark, text);
    }
    const tacNode *twin = tac_node_find(r->open, key);
    if (twin != NULL) {
        snprintf(text, sizeof text, "the key \"%.*s\" stands twice, first in line %d", TAC_TASK_SHOWN, key,
                 twin->key_line);
        return fail_mark(r, &event->start_mark, text);
    }
    if (r->open->n >= TAC_TASK_WIDTH) {
        snprintf(text, sizeof text, "found more than %d keys in one map", TAC_TASK_WIDTH);
        return fail_mark(r, &event->start_mark, text);
    }
    r->pending.key = tac_tree_text(r->tree, key, size);
    r->pending.key_line = (int)event->start_mark.line + 1;
    r->pending.key_column = (int)event->start_mark.column + 1;
    return r->pending.key != NULL ? TAC_OK : no_memory(r);
}

/* A new value in the place that waits for one. */
static tacStatus add_value(Reader *r, const yaml_event_t *event, tacNodeKind kind, tacNode **out) {
    char text[TAC_ERROR_TEXT];
    if (r->open != NULL && r->open->kind == TAC_NODE_MAP && r->pending.key == NULL)
        return fail_mark(r, &event->start_mark, "found a list or map as a key, expected a name");
    if (r->tree->values >= TAC_TASK_VALUES) {
        snprintf(text, sizeof text, "found more than %d values", TAC_TASK_VALUES);
        return fail_mark(r, &event->start_mark, text);
    }
    tacNode *node = tac_tree_node(r->tree, kind, r->origin);
    if (node == NULL) return no_memory(r);
    node->line = r->is_option ? 0 : (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    node->key = r->pending.key;
    node->key_line = r->pending.key_line;
    node->key_column = r->pending.key_column;
    r->pending.key = NULL;
    if (r->open != NULL)
        tac_node_append(r->open, node);
    else
        r->root = node;
    *out = node;
    return TAC_OK;
}

static tacStatus add_scalar(Reader *r, const yaml_event_t *event) {
    tacNode *node;
    TAC_TRY(check_plain(r, event, event->data.scalar.anchor, event->data.scalar.tag));
    if (r->open != NULL && r->open->kind == TAC_NODE_MAP && r->pending.key == NULL) return begin_key(r, event);
    TAC_TRY(add_value(r, event, TAC_NODE_SCALAR, &node));
    const char *text = (const char *)event->data.scalar.value;
    if (memchr(text, '\0', event->data.scalar.length) != NULL)
        return fail_mark(r, &event->start_mark, "found a zero byte in a text");
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = tac_tree_text(r->tree, text, event->data.scalar.length);
    return node->text != NULL ? TAC_OK : no_memory(r);
}

static tacStatus open_value(Reader *r, const yaml_event_t *event, tacNodeKind kind) {
    char text[TAC_ERROR_TEXT];
    tacNode *node;
    int is_list = kind == TAC_NODE_LIST;
    TAC_TRY(check_plain(r, event, is_list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor,
                        is_list ? event->data.sequence_start.tag : event->data.mapping_start.tag));
    if (++r->depth > TAC_TASK_DEPTH) {
        snprintf(text, sizeof text, "found more than %d lists and maps inside each other", TAC_TASK_DEPTH);
        return fail_mark(r, &event->start_mark, text);
    }
    TAC_TRY(add_value(r, event, kind, &node));
    r->open = node;
    return TAC_OK;
}

static void close_value(Reader *r) {
    r->depth--;
    r->open = r->open->parent;
}

static tacStatus begin_document(const Reader *r, const yaml_event_t *event) {
    if (r->root != NULL) return fail_mark(r, &event->start_mark, "found a second document (---), expected one task");
    if (event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end)
        return fail_mark(r, &event->start_mark, "found a %TAG directive, expected none: tags are not used");
    return TAC_OK;
}

static tacStatus take_event(Reader *r, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return begin_document(r, event);
    case YAML_ALIAS_EVENT:
        return fail_mark(r, &event->start_mark,
                         "found an alias (*), expected none: values are written out, and a path or pattern that begins "
                         "with * is put in quotes");
    case YAML_SCALAR_EVENT:
        return add_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_value(r, event, TAC_NODE_LIST);
    case YAML_MAPPING_START_EVENT:
        return open_value(r, event, TAC_NODE_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_value(r);
        return TAC_OK;
    default:
        return TAC_OK;
    }
}

static tacStatus read_events(Reader *r) {
    tacStatus status = TAC_OK;
    for (int done = 0; !done && status == TAC_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) return fail_parser(r);
        done = event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT;
        status = take_event(r, &event);
        yaml_event_delete(&event);
    }
    return status;
}

/* Reads the text into r->root. */
static tacStatus read_text(Reader *r) {
    if (!yaml_parser_initialize(&r->parser)) return no_memory(r);
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text, r->size);
    tacStatus status = read_events(r);
    yaml_parser_delete(&r->parser);
    return status;
}

tacStatus tac_tree_parse(const char *origin, const char *text, size_t size, tacTree **tree, tacError *err) {
    *tree = NULL;
    if (size > TAC_TASK_BYTES)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s: %zu bytes, expected at most %d", origin, size, TAC_TASK_BYTES);
    tacTree *made = calloc(1, sizeof *made);
    const char *name = made != NULL ? tac_tree_text(made, origin, strlen(origin)) : NULL;
    if (name == NULL) {
        tac_tree_free(made);
        return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", origin);
    }
    Reader reader = {.tree = made, .origin = name, .text = text, .size = size, .err = err};
    tacStatus status = read_text(&reader);
    if (status == TAC_OK && reader.root == NULL)
        status = tac_fail(err, TAC_ERR_SYNTAX, "%s:1:1: the file is empty, expected a task", origin);
    if (status != TAC_OK) {
        tac_tree_free(made);
        return status;
    }
    made->root = reader.root;
    *tree = made;
    return TAC_OK;
}

tacStatus tac_tree_parse_option(tacTree *tree, const char *origin, const char *text, tacNode **node, tacError *err) {
    const char *name = tac_tree_text(tree, origin, strlen(origin));
    if (name == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", origin);
    Reader reader = {.tree = tree, .origin = name, .text = text, .size = strlen(text), .is_option = 1, .err = err};
    TAC_TRY(read_text(&reader));
    if (reader.root == NULL) return tac_fail(err, TAC_ERR_SYNTAX, "%s: found nothing, expected a value", origin);
    *node = reader.root;
    return TAC_OK;
}
