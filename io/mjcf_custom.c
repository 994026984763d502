/* MJCF <custom>: user data. One kind of it is ours: MJCF has no restitution, and MuJoCo refuses attributes it does not
 * know, so a file says
 *
 *   <numeric name="geom/NAME.restitution" data="0.8"/>
 *
 * by the path of the parameter, and still loads in MuJoCo. A star for NAME means all geoms; within a section what names
 * one geom wins, in whatever order. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <string.h>

static const char PREFIX[] = "geom/", SUFFIX[] = ".restitution";

/* 1: the element is ours; its geom's name goes to name[size], cut. */
static int names_restitution(const xmlNode *node, char *name, size_t size) {
    const char *path = tac_xml_get(node, "name");
    size_t prefix = sizeof PREFIX - 1, suffix = sizeof SUFFIX - 1, n = path == NULL ? 0 : strlen(path);
    if (n <= prefix + suffix || strncmp(path, PREFIX, prefix) != 0 || strcmp(path + n - suffix, SUFFIX) != 0) return 0;
    n -= prefix + suffix;
    if (n >= size) n = size - 1;
    memcpy(name, path + prefix, n);
    name[n] = '\0';
    return 1;
}

static tacStatus set_restitution(tacMjcf *m, const xmlNode *node, const char *name) {
    double value = 0;
    int n = 0, id = -1, all = strcmp(name, "*") == 0;
    tacStatus status = tac_xml_doubles(node, "data", 1, 1, &value, &n, m->err);
    if (status == TAC_OK && n == 0)
        status = tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "attribute 'data' is missing, expected a restitution");
    if (status == TAC_OK && !(value >= 0 && value <= 1))
        status = tac_xml_fail(node, m->err, TAC_ERR_MODEL, "attribute 'data' is %g, expected a restitution from 0 to 1",
                              value);
    if (status == TAC_OK && !all) status = tac_mjcf_find(m, node, "name", TAC_KIND_GEOM, name, &id);
    if (status != TAC_OK) return status;
    for (int i = 0; i < m->geom.n; i++)
        if (all || i == id) TAC_AT(m->geom, tacMjcfGeom, i)->def.restitution = value;
    return TAC_OK;
}

/* all: the elements that speak of all geoms, or those of one. */
static tacStatus read_restitutions(tacMjcf *m, const xmlNode *section, int all) {
    enum { LONGEST = 1024 };
    char name[LONGEST];
    tacStatus status = TAC_OK;
    const xmlNode *node = tac_xml_child(section, "numeric");
    for (; node != NULL && status == TAC_OK; node = tac_xml_next(node, "numeric"))
        if (names_restitution(node, name, sizeof name) && (strcmp(name, "*") == 0) == all)
            status = set_restitution(m, node, name);
    return status;
}

/* Anything else is not for us. */
static tacStatus ignore_rest(tacMjcf *m, const xmlNode *section) {
    char name[1];
    int others = 0;
    for (const xmlNode *node = tac_xml_child(section, NULL); node != NULL; node = tac_xml_next(node, NULL))
        others += !(tac_xml_is(node, "numeric") && names_restitution(node, name, sizeof name));
    return others > 0 ? tac_mjcf_ignore(m, section, "user data") : TAC_OK;
}

tacStatus tac_mjcf_custom(tacMjcf *m, const xmlNode *section) {
    tacStatus status = read_restitutions(m, section, 1);
    if (status == TAC_OK) status = read_restitutions(m, section, 0);
    return status == TAC_OK ? ignore_rest(m, section) : status;
}
