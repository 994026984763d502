/* Attributes and children of MJCF elements by table. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NUMBERS = 16, LIST_TEXT = 700 };

const tacKeyword TAC_MJCF_AUTOBOOL[] = {{"false", 0}, {"true", 1}, {"auto", TAC_MJCF_AUTO}, {NULL, 0}};
const tacKeyword TAC_MJCF_GEOM_TYPE[] = {{"plane", TAC_GEOM_PLANE},
                                         {"hfield", TAC_GEOM_HFIELD},
                                         {"sphere", TAC_GEOM_SPHERE},
                                         {"capsule", TAC_GEOM_CAPSULE},
                                         {"ellipsoid", TAC_GEOM_ELLIPSOID},
                                         {"cylinder", TAC_GEOM_CYLINDER},
                                         {"box", TAC_GEOM_BOX},
                                         {"mesh", TAC_GEOM_MESH},
                                         {"sdf", TAC_MJCF_SDF},
                                         {NULL, 0}};

static const tacAttr *find_row(const tacAttr *table, const char *name) {
    for (; table != NULL && table->name != NULL; table++)
        if (strcmp(table->name, name) == 0) return table;
    return NULL;
}

/* "name, class, ..." of what a table allows here. */
static size_t list_names(const tacMjcf *m, const tacAttr *table, char *out, size_t used, size_t size) {
    for (; table != NULL && table->name != NULL; table++) {
        if (table->type == TAC_ATTR_DROPPED || (m->reading_defaults && table->element_only) || used >= size) continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", table->name);
    }
    return used;
}

static tacStatus fail_unknown(tacMjcf *m, const xmlNode *node, const char *attr, const tacAttr *table,
                              const tacAttr *more) {
    char known[LIST_TEXT] = "none";
    list_names(m, more, known, list_names(m, table, known, 0, sizeof known), sizeof known);
    return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "found attribute '%.60s', expected one of %s", attr, known);
}

/* Every attribute is in a table; dropped ones are warned about. Names with a prefix belong to other tools. */
static tacStatus check_attributes(tacMjcf *m, const xmlNode *node, const tacAttr *table, const tacAttr *more) {
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        const char *name = (const char *)a->name;
        if (a->ns != NULL || strchr(name, ':') != NULL) continue;
        const tacAttr *row = find_row(table, name);
        if (row == NULL) row = find_row(more, name);
        if (row == NULL || (m->reading_defaults && row->element_only)) return fail_unknown(m, node, name, table, more);
        if (row->type == TAC_ATTR_DROPPED)
            tac_mjcf_warn(m, node, "attribute '%s' of older MuJoCo versions is ignored", name);
    }
    return TAC_OK;
}

static tacStatus read_floats(tacMjcf *m, const xmlNode *node, const tacAttr *row, float *out, int *n) {
    double value[MAX_NUMBERS];
    tacStatus status = tac_xml_doubles(node, row->name, row->min, row->max, value, n, m->err);
    for (int i = 0; status == TAC_OK && i < *n; i++)
        out[i] = (float)value[i];
    return status;
}

/* Numbers that are not there: MuJoCo takes an empty attribute as none. */
static int is_empty(const tacAttr *row, const char *text) {
    int numeric = row->type == TAC_ATTR_DOUBLE || row->type == TAC_ATTR_FLOAT || row->type == TAC_ATTR_INT;
    return numeric && text[strspn(text, " \t\r\n")] == '\0';
}

static tacStatus read_row(tacMjcf *m, const xmlNode *node, const tacAttr *row, void *record) {
    char *place = record != NULL ? (char *)record + row->offset : NULL;
    const char *text = tac_xml_get(node, row->name);
    int n = 0;
    if (text == NULL || is_empty(row, text)) return TAC_OK;
    tacStatus status = TAC_OK;
    switch (row->type) {
    case TAC_ATTR_DOUBLE:
        status = tac_xml_doubles(node, row->name, row->min, row->max, (double *)place, &n, m->err);
        break;
    case TAC_ATTR_FLOAT:
        status = read_floats(m, node, row, (float *)place, &n);
        break;
    case TAC_ATTR_INT:
        status = tac_xml_ints(node, row->name, row->min, row->max, (int *)place, &n, m->err);
        break;
    case TAC_ATTR_KEY:
        return tac_xml_keyword(node, row->name, row->keys, (int *)place, m->err);
    case TAC_ATTR_BOOL:
        return tac_xml_keyword(node, row->name, TAC_XML_BOOL, (int *)place, m->err);
    case TAC_ATTR_TEXT:
        *(const char **)place = text;
        break;
    case TAC_ATTR_ELSE:
    case TAC_ATTR_IGNORED:
    case TAC_ATTR_DROPPED:
        break;
    }
    if (status == TAC_OK && n > 0 && row->count_offset != 0) *(int *)((char *)record + row->count_offset) = n;
    return status;
}

/* By attribute, not by row: most elements have few of the many a table knows. */
static tacStatus read_table(tacMjcf *m, const xmlNode *node, const tacAttr *table, void *record) {
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        const tacAttr *row = a->ns == NULL ? find_row(table, (const char *)a->name) : NULL;
        tacStatus status = row != NULL ? read_row(m, node, row, record) : TAC_OK;
        if (status != TAC_OK) return status;
    }
    return TAC_OK;
}

tacStatus tac_mjcf_read2(tacMjcf *m, const xmlNode *node, const tacAttr *table, void *record, const tacAttr *more,
                         void *more_record) {
    tacStatus status = check_attributes(m, node, table, more);
    if (status == TAC_OK) status = read_table(m, node, table, record);
    return status == TAC_OK && more != NULL ? read_table(m, node, more, more_record) : status;
}

tacStatus tac_mjcf_read(tacMjcf *m, const xmlNode *node, const tacAttr *table, void *record) {
    return tac_mjcf_read2(m, node, table, record, NULL, NULL);
}

static tacStatus fail_child(tacMjcf *m, const xmlNode *node, const tacMjcfChild *table) {
    char known[LIST_TEXT] = "none";
    size_t used = 0;
    for (; table->name != NULL && used < sizeof known; table++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s<%s>", used > 0 ? ", " : "", table->name);
    return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "unknown inside <%s>, expected one of %s",
                        tac_xml_name(node->parent), known);
}

tacStatus tac_mjcf_children(tacMjcf *m, const xmlNode *node, const tacMjcfChild *table, void *scope) {
    tacStatus status = TAC_OK;
    for (xmlNode *child = tac_xml_child(node, NULL); child != NULL && status == TAC_OK;
         child = tac_xml_next(child, NULL)) {
        const tacMjcfChild *row = table;
        while (row->name != NULL && !tac_xml_is(child, row->name))
            row++;
        status = row->name != NULL ? row->read(m, child, scope) : fail_child(m, child, table);
    }
    return status;
}

tacStatus tac_mjcf_ignore_looks(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_ignore(m, node, "visual only");
}

/* --- Attributes with rules of their own --------------------------------------------------------------------------- */

tacStatus tac_mjcf_orient(tacMjcf *m, const xmlNode *node, tacOrient *orient) {
    static const struct {
        const char *name;
        tacOrientKind kind;
        int n;
    } row[] = {{"axisangle", TAC_ORIENT_AXISANGLE, 4},
               {"xyaxes", TAC_ORIENT_XYAXES, 6},
               {"zaxis", TAC_ORIENT_ZAXIS, 3},
               {"euler", TAC_ORIENT_EULER, 3}};
    double quat[4];
    int n, given;
    tacStatus status = tac_xml_doubles(node, "quat", 4, 4, quat, &n, m->err);
    if (n > 0 && status == TAC_OK) orient->quat = tac_quat_load(quat);
    given = n > 0;
    for (size_t i = 0; i < sizeof row / sizeof *row && status == TAC_OK; i++) {
        status = tac_xml_doubles(node, row[i].name, row[i].n, row[i].n, orient->value, &n, m->err);
        if (status != TAC_OK || n == 0) continue;
        orient->kind = row[i].kind;
        given++;
    }
    if (status == TAC_OK && given > 1)
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX,
                            "found %d orientations, expected one of quat, axisangle, xyaxes, zaxis, euler", given);
    return status;
}

tacStatus tac_mjcf_limited(tacMjcf *m, const xmlNode *node, const char *what, int *limited, const double *range) {
    if (*limited != TAC_MJCF_AUTO) return TAC_OK;
    int given = range[0] != 0 || range[1] != 0;
    if (given && !m->compiler.autolimits)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                            "found a range of %s without its 'limited', expected 'limited' because the compiler has "
                            "autolimits=\"false\"",
                            what);
    *limited = range[0] < range[1];
    if (range[0] > range[1])
        tac_mjcf_warn(m, node, "the range of %s, %g to %g, is reversed: it is ignored, as in MuJoCo", what, range[0],
                      range[1]);
    return TAC_OK;
}

tacStatus tac_mjcf_linear(tacMjcf *m, const xmlNode *node, const char *attr, double *poly, double *out) {
    *out = poly[0];
    if (poly[1] == 0 && poly[2] == 0) return TAC_OK;
    return tac_mjcf_unsupported(
        m, node, "attribute '%s' with polynomial coefficients is not supported, expected one number", attr);
}
