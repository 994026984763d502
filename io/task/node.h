/* A task file as a tree: scalars, lists and maps, each with the line and column it stands at.
 *
 * YAML 1.1, and JSON as a part of it, without tags, anchors and aliases. No key may stand twice in a map. Depth, size
 * and number of values are bounded. A tree lives in one block of memory pieces and goes away as a whole. */
#pragma once

#include "base/error.h"

#include <stddef.h>

/* Bounds of a task file. */
enum {
    TAC_TASK_DEPTH = 16,          /* maps and lists inside each other */
    TAC_TASK_VALUES = 1 << 18,    /* scalars, lists and maps */
    TAC_TASK_WIDTH = 1024,        /* keys of one map */
    TAC_TASK_KEY = 512,           /* bytes of a key */
    TAC_TASK_BYTES = 8 * 1 << 20, /* of the file */
    TAC_TASK_SHOWN = 60           /* bytes of a value that messages show */
};

typedef enum { TAC_NODE_SCALAR, TAC_NODE_LIST, TAC_NODE_MAP } tacNodeKind;

typedef struct tacTree tacTree;

/* One value. Its place is that of its first letter; that of an empty value is where it was expected. */
typedef struct tacNode {
    tacNodeKind kind;
    const char *origin;           /* file or option that it comes from */
    int line, column;             /* from 1; line 0: it comes from an option */
    const char *key;              /* in a map; otherwise NULL */
    int key_line, key_column;     /* of the key */
    int index;                    /* in its list or map, from 0 */
    const char *text;             /* of a scalar */
    int quoted;                   /* a scalar in quotes, or a block of text, which is never a number */
    int n;                        /* items of a list or map */
    struct tacNode *first, *last; /* them */
    struct tacNode *next, *parent;
} tacNode;

/* Text -> tree. `origin` begins each message; as_option: it is no file, and lines say nothing. Text has a zero byte
 * after its end. An empty text is an error. */
tacStatus tac_tree_parse(const char *origin, const char *text, size_t size, tacTree **tree, tacError *err);
/* Text of an option -> its value as a node of an existing tree. */
tacStatus tac_tree_parse_option(tacTree *tree, const char *origin, const char *text, tacNode **node, tacError *err);
tacNode *tac_tree_root(const tacTree *tree);
void tac_tree_free(tacTree *tree);

/* A copy of the text in the memory of the tree; NULL: no memory. */
char *tac_tree_text(tacTree *tree, const char *text, size_t size);
/* A new node in that memory; NULL: no memory, or too many of them. */
tacNode *tac_tree_node(tacTree *tree, tacNodeKind kind, const char *origin);
/* Puts a node at the end of a list or map. */
void tac_node_append(tacNode *parent, tacNode *item);
/* Puts a node in the place of another. */
void tac_node_replace(tacNode *old, tacNode *item);

/* (map, key) -> value, or NULL. A NULL map has none. */
const tacNode *tac_node_find(const tacNode *map, const char *key);
/* (list, index) -> item, or NULL. */
const tacNode *tac_node_item(const tacNode *list, int index);
/* "cost[0].target": where a node stands; "" for the root. Cut to size. */
void tac_node_path(const tacNode *node, char *out, size_t size);
/* "FILE:LINE:COLUMN: cost[0].target: ..." into err. */
tacStatus tac_node_fail(const tacNode *node, tacError *err, tacStatus status, const char *format, ...) TAC_FORMAT(4, 5);
/* The same about the key of the node. */
tacStatus tac_node_fail_key(const tacNode *node, tacError *err, tacStatus status, const char *format, ...)
    TAC_FORMAT(4, 5);
/* What a node is, for messages: the text "up", a list of 3, a map, nothing. Returns out. */
const char *tac_node_describe(const tacNode *node, char *out, size_t size);
