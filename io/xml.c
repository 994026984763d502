#include "io/xml.h"

#include "base/error.h"
#include "io/numbers.h"
#include "io/report.h"
#include "io/xml_limits.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX_TEXT = 512, VALUE_SHOWN = 60 };

const tacKeyword TAC_XML_BOOL[] = {{"false", 0}, {"true", 1}, {NULL, 0}};

/* --- Parsing ------------------------------------------------------------------------------------------------------ */

/* What one parse has to report, reached from libxml2's context; nothing is global. */
typedef struct Capture {
    char *file;
    int line;       /* of the first error; 0: none */
    int doctype;    /* line of a document type declaration; 0: none */
    int version;    /* 1: the XML declaration names no version that there is */
    char text[256]; /* libxml2's words */
} Capture;

/* Slips that published robot files have and other readers accept. */
static int is_tolerable(int code) {
    return code == XML_ERR_UNKNOWN_VERSION || code == XML_ERR_HYPHEN_IN_COMMENT || code == XML_ERR_RESERVED_XML_NAME ||
           code == XML_NS_ERR_UNDEFINED_NAMESPACE || code == XML_WAR_NS_URI || code == XML_WAR_NS_URI_RELATIVE;
}

static void on_error(void *user, xmlError *error) {
    Capture *capture = ((xmlParserCtxt *)user)->_private;
    capture->version |= error->code == XML_ERR_UNKNOWN_VERSION;
    if (capture->line != 0 || error->level < XML_ERR_ERROR || is_tolerable(error->code)) return;
    capture->line = error->line > 0 ? error->line : 1;
    snprintf(capture->text, sizeof capture->text, "%s", error->message != NULL ? error->message : "malformed XML");
    capture->text[strcspn(capture->text, "\r\n")] = '\0';
}

/* A document type could define entities: parsing ends here. */
static void on_doctype(void *user, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
    (void)name;
    (void)external;
    (void)system;
    xmlParserCtxt *context = user;
    ((Capture *)context->_private)->doctype = context->input->line;
    xmlStopParser(context);
}

/* Makes each attribute's value one text node, so that reading it allocates nothing. */
static void join_attribute_text(xmlNode *node) {
    for (xmlAttr *attr = node->properties; attr != NULL; attr = attr->next) {
        xmlNode *text = attr->children;
        if (text == NULL || (text->next == NULL && text->type == XML_TEXT_NODE)) continue;
        xmlChar *whole = xmlNodeListGetString(node->doc, text, 1);
        xmlFreeNodeList(text);
        attr->children = attr->last = xmlNewDocText(node->doc, whole);
        if (attr->children != NULL) attr->children->parent = (xmlNode *)attr;
        xmlFree(whole);
    }
}

/* Line on which the current start tag begins. The parser stands at the tag's end, and '<' cannot occur within it. */
static int start_tag_line(const xmlParserCtxt *context) {
    int line = context->input->line;
    for (const xmlChar *p = context->input->cur; p > context->input->base && *p != '<'; p--)
        if (p[-1] == '\n') line--;
    return line > 0 ? line : 1;
}

/* libxml2's own node has 16 bits for the line: the exact line goes to psvi, the file name to _private. */
static void on_element(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int nnamespace,
                       const xmlChar **namespaces, int nattribute, int ndefaulted, const xmlChar **attributes) {
    xmlParserCtxt *context = user;
    int line = start_tag_line(context);
    xmlSAX2StartElementNs(user, name, prefix, uri, nnamespace, namespaces, nattribute, ndefaulted, attributes);
    xmlNode *node = context->node;
    if (node == NULL) return;
    node->psvi = (void *)(intptr_t)line; /* NOLINT(performance-no-int-to-ptr) */
    node->_private = ((Capture *)context->_private)->file;
    join_attribute_text(node);
}

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

void tac_xml_init(tacXml *xml, tacReport *report) {
    pthread_once(&library_once, xmlInitParser);
    *xml = (tacXml){.dict = xmlDictCreate(), .report = report};
}

void tac_xml_free(tacXml *xml) {
    for (int i = 0; i < xml->n; i++) {
        xmlFreeDoc(xml->doc[i]);
        free(xml->file[i]);
    }
    free(xml->doc);
    free(xml->file);
    xmlDictFree(xml->dict);
    *xml = (tacXml){0};
}

/* Room for one more file and a copy of its name, or NULL. */
static char *add_file(tacXml *xml, const char *file) {
    size_t n = (size_t)xml->n + 1;
    xmlDoc **docs = realloc(xml->doc, n * sizeof *docs);
    if (docs != NULL) xml->doc = docs;
    char **files = realloc(xml->file, n * sizeof *files);
    if (files != NULL) xml->file = files;
    char *copy = malloc(strlen(file) + 1);
    if (docs == NULL || files == NULL || copy == NULL) {
        free(copy);
        return NULL;
    }
    strcpy(copy, file);
    xml->doc[xml->n] = NULL;
    xml->file[xml->n++] = copy;
    return copy;
}

/* 1: libxml2 found no memory since the last reset. Not all of its functions tell the parser. */
static int ran_short(void) {
    const xmlError *last = xmlGetLastError();
    return last != NULL && last->code == XML_ERR_NO_MEMORY;
}

static xmlParserCtxt *new_context(tacXml *xml, Capture *capture) {
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (context == NULL || context->sax == NULL) return context;
    context->_private = capture;
    context->sax->startElementNs = on_element;
    context->sax->internalSubset = on_doctype;
    context->sax->serror = on_error;
    if (context->dict != NULL) xmlDictFree(context->dict);
    context->dict = xml->dict;
    xmlDictReference(xml->dict);
    return context;
}

tacStatus tac_xml_parse(tacXml *xml, const char *file, const void *bytes, size_t size, xmlNode **root, tacError *err) {
    *root = NULL;
    Capture capture = {.file = add_file(xml, file)};
    if (capture.file == NULL || xml->dict == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", file);
    if (size == 0) return tac_fail(err, TAC_ERR_SYNTAX, "%s:1: the file is empty, expected XML", file);
    if (size > INT32_MAX)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:1: the file has %zu bytes, expected less than 2 GiB", file, size);
    tacStatus status = tac_xml_check_limits(file, bytes, size, err);
    if (status != TAC_OK) return status;
    xmlResetLastError();
    xmlParserCtxt *context = new_context(xml, &capture);
    if (context == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", file);
    /* Recovery only so that tolerable slips do not end the parse; any other error refuses the file below. The limits
     * are ours, not the library's (HUGE): a mesh written in the file may well have more than 10 MB. */
    xmlDoc *doc =
        xmlCtxtReadMemory(context, bytes, (int)size, NULL, NULL,
                          XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_RECOVER | XML_PARSE_NOERROR | XML_PARSE_HUGE);
    xmlFreeParserCtxt(context);
    xml->doc[xml->n - 1] = doc;
    if (ran_short()) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", file);
    if (capture.doctype != 0)
        return tac_fail(err, TAC_ERR_SYNTAX,
                        "%s:%d: found a document type declaration (DOCTYPE), expected none: entities are refused", file,
                        capture.doctype);
    if (capture.line != 0)
        return tac_fail(err, TAC_ERR_SYNTAX, "%s:%d: malformed XML: %s", file, capture.line, capture.text);
    if (capture.version)
        tac_report_add_warning(xml->report, "%s:1: the XML declaration names an unknown version: it is read as 1.0",
                               file);
    *root = doc != NULL ? xmlDocGetRootElement(doc) : NULL;
    if (*root == NULL) return tac_fail(err, TAC_ERR_SYNTAX, "%s:1: no element found, expected XML", file);
    return TAC_OK;
}

/* --- Nodes -------------------------------------------------------------------------------------------------------- */

const char *tac_xml_file(const xmlNode *node) { return node->_private != NULL ? node->_private : ""; }
int tac_xml_line(const xmlNode *node) { return (int)(intptr_t)node->psvi; }
const char *tac_xml_name(const xmlNode *node) { return (const char *)node->name; }
int tac_xml_is(const xmlNode *node, const char *name) { return strcmp((const char *)node->name, name) == 0; }

static xmlNode *first_element(xmlNode *node, const char *name) {
    while (node != NULL && (node->type != XML_ELEMENT_NODE || (name != NULL && !tac_xml_is(node, name))))
        node = node->next;
    return node;
}

xmlNode *tac_xml_child(const xmlNode *node, const char *name) { return first_element(node->children, name); }
xmlNode *tac_xml_next(const xmlNode *node, const char *name) { return first_element(node->next, name); }

void tac_xml_where(const xmlNode *node, char *out, size_t size) {
    static const char *const label[] = {"name", "class", "joint", "mesh", "file", "key"};
    const char *value = NULL;
    size_t i = 0;
    for (; i < sizeof label / sizeof *label && value == NULL; i++)
        value = tac_xml_get(node, label[i]);
    if (value == NULL)
        snprintf(out, size, "%s:%d: element <%s>", tac_xml_file(node), tac_xml_line(node), tac_xml_name(node));
    else
        snprintf(out, size, "%s:%d: element <%s %s=\"%.*s\">", tac_xml_file(node), tac_xml_line(node),
                 tac_xml_name(node), label[i - 1], VALUE_SHOWN, value);
}

tacStatus tac_xml_fail(const xmlNode *node, tacError *err, tacStatus status, const char *format, ...) {
    char text[TAC_ERROR_TEXT], where[PREFIX_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tac_xml_where(node, where, sizeof where);
    return tac_fail(err, status, "%s: %s", where, text);
}

tacStatus tac_xml_strict(tacError *err, tacStatus status) {
    static const char hint[] = "; load option lenient (--lenient) makes this a warning";
    if (err == NULL || status == TAC_OK || status == TAC_ERR_MEMORY) return status; /* memory is never lenient */
    size_t n = strlen(err->text), most = sizeof err->text - sizeof hint;
    if (n > most) n = most; /* the hint is whole, whatever comes before it */
    memcpy(err->text + n, hint, sizeof hint);
    return status;
}

/* --- Attributes --------------------------------------------------------------------------------------------------- */

const char *tac_xml_get(const xmlNode *node, const char *attr) {
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next)
        if (strcmp((const char *)a->name, attr) == 0 && a->ns == NULL)
            return a->children != NULL && a->children->content != NULL ? (const char *)a->children->content : "";
    return NULL;
}

const char *tac_xml_own(const xmlNode *node, const char *attr) {
    static const char prefix[] = "tactus:";
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        const char *name = (const char *)a->name;
        if (a->ns != NULL ? strcmp((const char *)a->ns->href, TAC_XML_OWN) != 0
                          : strncmp(name, prefix, sizeof prefix - 1) != 0)
            continue;
        if (strcmp(a->ns != NULL ? name : name + sizeof prefix - 1, attr) == 0)
            return a->children != NULL && a->children->content != NULL ? (const char *)a->children->content : "";
    }
    return NULL;
}

tacStatus tac_xml_need(const xmlNode *node, const char *attr, const char **value, tacError *err) {
    *value = tac_xml_get(node, attr);
    if (*value != NULL) return TAC_OK;
    return tac_xml_fail(node, err, TAC_ERR_SYNTAX, "attribute '%s' is missing", attr);
}

/* Says which element and attribute a number's error is about. */
static tacStatus fail_attribute(const xmlNode *node, const char *attr, const tacError *why, tacError *err) {
    return tac_xml_fail(node, err, why->status, "attribute '%s': %s", attr, why->text);
}

tacStatus tac_xml_doubles(const xmlNode *node, const char *attr, int min, int max, double *out, int *n, tacError *err) {
    const char *text = tac_xml_get(node, attr);
    int count = 0;
    tacError why;
    if (text != NULL && tac_numbers_read(text, min, max, out, &count, &why) != TAC_OK)
        return fail_attribute(node, attr, &why, err);
    if (n != NULL) *n = count;
    return TAC_OK;
}

tacStatus tac_xml_ints(const xmlNode *node, const char *attr, int min, int max, int *out, int *n, tacError *err) {
    const char *text = tac_xml_get(node, attr);
    int count = 0;
    tacError why;
    if (text != NULL && tac_numbers_read_int(text, min, max, out, &count, &why) != TAC_OK)
        return fail_attribute(node, attr, &why, err);
    if (n != NULL) *n = count;
    return TAC_OK;
}

tacStatus tac_xml_double_list(const xmlNode *node, const char *attr, double **out, int *n, tacError *err) {
    const char *text = tac_xml_get(node, attr);
    tacError why;
    *out = NULL;
    *n = 0;
    if (text != NULL && tac_numbers_list(text, out, n, &why) != TAC_OK) return fail_attribute(node, attr, &why, err);
    return TAC_OK;
}

tacStatus tac_xml_int_list(const xmlNode *node, const char *attr, int **out, int *n, tacError *err) {
    const char *text = tac_xml_get(node, attr);
    tacError why;
    *out = NULL;
    *n = 0;
    if (text != NULL && tac_numbers_list_int(text, out, n, &why) != TAC_OK)
        return fail_attribute(node, attr, &why, err);
    return TAC_OK;
}

tacStatus tac_xml_keyword(const xmlNode *node, const char *attr, const tacKeyword *table, int *out, tacError *err) {
    const char *text = tac_xml_get(node, attr);
    if (text == NULL) return TAC_OK;
    char expected[PREFIX_TEXT] = "";
    size_t used = 0;
    for (const tacKeyword *k = table; k->text != NULL; k++) {
        if (strcmp(k->text, text) == 0) {
            *out = k->value;
            return TAC_OK;
        }
        if (used < sizeof expected)
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s", used > 0 ? ", " : "", k->text);
    }
    return tac_xml_fail(node, err, TAC_ERR_SYNTAX, "attribute '%s': found \"%.*s\", expected one of %s", attr,
                        VALUE_SHOWN, text, expected);
}
