/* XML for the loaders: libxml2's tree with network, entities and document types refused, exact line numbers, errors
 * that name file, line and element, and typed attributes. A tree may be put together from several files (includes). */
#pragma once

#include "tactus/io.h"

#include <libxml/tree.h>

#include <stddef.h>

/* The files one load has parsed; nodes point into it, so it outlives them. */
typedef struct tacXml {
    xmlDict *dict; /* shared by all documents, so that nodes can move between them */
    xmlDoc **doc;
    char **file; /* as shown in messages */
    int n;
    tacReport *report;
} tacXml;

/* report takes the warnings; NULL: nobody hears them. */
void tac_xml_init(tacXml *xml, tacReport *report);
void tac_xml_free(tacXml *xml);
/* Bytes -> *root. `file` is the name used in messages. Errors read "file:line: what". */
tacStatus tac_xml_parse(tacXml *xml, const char *file, const void *bytes, size_t size, xmlNode **root, tacError *err);

/* Where a node stands. */
const char *tac_xml_file(const xmlNode *node);
int tac_xml_line(const xmlNode *node);
const char *tac_xml_name(const xmlNode *node);
int tac_xml_is(const xmlNode *node, const char *name);
/* Child elements in file order; name NULL: any. NULL at the end. */
xmlNode *tac_xml_child(const xmlNode *node, const char *name);
xmlNode *tac_xml_next(const xmlNode *node, const char *name);

/* `file:line: element <geom name="foot">: ` + text; returns status. */
tacStatus tac_xml_fail(const xmlNode *node, tacError *err, tacStatus status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds to the text of a failure that the file is refused because loading is strict, and what takes it. Returns
 * status. */
tacStatus tac_xml_strict(tacError *err, tacStatus status);
/* The prefix alone: `file:line: element <geom name="foot">`. */
void tac_xml_where(const xmlNode *node, char *out, size_t size);

/* Namespace of attributes that are ours alone; a prefix "tactus:" that no xmlns declares means it too. */
#define TAC_XML_OWN "urn:tactus"
/* The text of an attribute of that namespace, or NULL. */
const char *tac_xml_own(const xmlNode *node, const char *attr);
/* Value of an attribute, or NULL when it is not there. */
const char *tac_xml_get(const xmlNode *node, const char *attr);
/* The same, but its absence is an error. */
tacStatus tac_xml_need(const xmlNode *node, const char *attr, const char **value, tacError *err);

/* Each reads the attribute when it is there and leaves *out alone when it is not; *n counts what was read (may be
 * NULL). */
tacStatus tac_xml_doubles(const xmlNode *node, const char *attr, int min, int max, double *out, int *n, tacError *err);
tacStatus tac_xml_ints(const xmlNode *node, const char *attr, int min, int max, int *out, int *n, tacError *err);
/* *out is malloc'ed; NULL and 0 when the attribute is absent or empty. */
tacStatus tac_xml_double_list(const xmlNode *node, const char *attr, double **out, int *n, tacError *err);
tacStatus tac_xml_int_list(const xmlNode *node, const char *attr, int **out, int *n, tacError *err);

/* A keyword and what it stands for; a table ends with {NULL, 0}. */
typedef struct tacKeyword {
    const char *text;
    int value;
} tacKeyword;
extern const tacKeyword TAC_XML_BOOL[]; /* false, true */
tacStatus tac_xml_keyword(const xmlNode *node, const char *attr, const tacKeyword *table, int *out, tacError *err);
