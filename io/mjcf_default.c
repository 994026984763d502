/* MJCF default classes: records copied from the parent class and overridden. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <string.h>

/* Index of the new class, or -1 with the error set. */
static int append_class(tacMjcf *m, const tacMjcfClass *cls) {
    int id = tac_mjcf_append(&m->classes, cls, sizeof *cls);
    if (id >= 0 && tac_mjcf_names_add(&m->class_names, cls->name, id)) return id;
    tac_mjcf_no_memory(m);
    return -1;
}

tacStatus tac_mjcf_defaults_begin(tacMjcf *m) {
    tacMjcfJoint *joint = tac_mjcf_keep(m, sizeof *joint);
    tacMjcfGeom *geom = tac_mjcf_keep(m, sizeof *geom);
    tacMjcfSite *site = tac_mjcf_keep(m, sizeof *site);
    tacMjcfMesh *mesh = tac_mjcf_keep(m, sizeof *mesh);
    tacMjcfTendon *tendon = tac_mjcf_keep(m, sizeof *tendon);
    tacMjcfActuator *actuator = tac_mjcf_keep(m, sizeof *actuator);
    tacMjcfEquality *equality = tac_mjcf_keep(m, sizeof *equality);
    tacMjcfPair *pair = tac_mjcf_keep(m, sizeof *pair);
    if (!joint || !geom || !site || !mesh || !tendon || !actuator || !equality || !pair) return tac_mjcf_no_memory(m);
    joint->def = tac_default_joint();
    joint->def.limited = joint->def.actfrclimited = joint->align = TAC_MJCF_AUTO;
    geom->def = tac_default_geom();
    geom->orient.quat = site->orient.quat = tac_quat_identity();
    geom->fitscale = 1;
    geom->fit = -1;
    site->def = tac_default_site();
    mesh->def = tac_default_mesh();
    mesh->maxhullvert = -1;
    tendon->def = tac_default_tendon();
    tendon->def.limited = tendon->def.actfrclimited = TAC_MJCF_AUTO;
    actuator->def = tac_default_actuator();
    actuator->trntype = -1;
    actuator->def.ctrllimited = actuator->def.forcelimited = actuator->def.actlimited = TAC_MJCF_AUTO;
    equality->def = tac_default_equality();
    pair->def = tac_default_pair();
    tacMjcfClass base = {"main", joint, geom, site, mesh, tendon, actuator, equality, pair};
    return append_class(m, &base) >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

tacStatus tac_mjcf_class(tacMjcf *m, const xmlNode *node, const char *attr, int inherited, int *found) {
    const char *name = tac_xml_get(node, attr);
    *found = name != NULL ? tac_mjcf_names_find(&m->class_names, name) : inherited;
    if (*found >= 0) return TAC_OK;
    return tac_xml_fail(node, m->err, TAC_ERR_NAME,
                        "attribute '%s': found \"%.60s\", expected the name of a default class", attr, name);
}

/* Each reads one element of a class into a copy of the record it had. */
#define READ_RECORD(kind, type)                                                                                        \
    static tacStatus default_##kind(tacMjcf *m, const xmlNode *node, void *scope) {                                    \
        type *record = tac_mjcf_keep(m, sizeof *record);                                                               \
        if (record == NULL) return TAC_ERR_MEMORY;                                                                     \
        tacMjcfClass *cls = TAC_AT(m->classes, tacMjcfClass, *(const int *)scope);                                     \
        *record = *cls->kind;                                                                                          \
        cls->kind = record;                                                                                            \
        return tac_mjcf_read_##kind(m, node, record);                                                                  \
    }
READ_RECORD(joint, tacMjcfJoint)
READ_RECORD(geom, tacMjcfGeom)
READ_RECORD(site, tacMjcfSite)
READ_RECORD(mesh, tacMjcfMesh)
READ_RECORD(tendon, tacMjcfTendon)
READ_RECORD(actuator, tacMjcfActuator)
READ_RECORD(equality, tacMjcfEquality)
READ_RECORD(pair, tacMjcfPair)

static tacStatus skip_class(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)m;
    (void)node;
    (void)scope;
    return TAC_OK;
}

static tacStatus read_class(tacMjcf *m, const xmlNode *node, int class_id) {
    static const tacMjcfChild children[] = {{"joint", default_joint},
                                            {"geom", default_geom},
                                            {"site", default_site},
                                            {"mesh", default_mesh},
                                            {"tendon", default_tendon},
                                            {"equality", default_equality},
                                            {"pair", default_pair},
                                            {"general", default_actuator},
                                            {"motor", default_actuator},
                                            {"position", default_actuator},
                                            {"velocity", default_actuator},
                                            {"intvelocity", default_actuator},
                                            {"damper", default_actuator},
                                            {"cylinder", default_actuator},
                                            {"muscle", default_actuator},
                                            {"adhesion", default_actuator},
                                            {"dcmotor", default_actuator},
                                            {"pid", default_actuator},
                                            {"orientation", default_actuator},
                                            {"default", skip_class},
                                            {"material", tac_mjcf_ignore_looks},
                                            {"camera", tac_mjcf_ignore_looks},
                                            {"light", tac_mjcf_ignore_looks},
                                            {NULL, NULL}};
    return tac_mjcf_children(m, node, children, &class_id);
}

/* A class inside another: a copy of its parent to begin with. */
static tacStatus add_class(tacMjcf *m, const xmlNode *node, int parent, int *added) {
    const char *name;
    tacStatus status = tac_xml_need(node, "class", &name, m->err);
    if (status != TAC_OK) return status;
    if (name[0] == '\0' || tac_mjcf_names_find(&m->class_names, name) >= 0)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                            "attribute 'class': found \"%.60s\" again, expected a unique name", name);
    tacMjcfClass copy = *TAC_AT(m->classes, tacMjcfClass, parent);
    copy.name = name;
    *added = append_class(m, &copy);
    return *added >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

/* A class's own elements first, then the classes inside it. Recursion is as deep as the file. */
static tacStatus read_default(tacMjcf *m, const xmlNode *node, int class_id) {
    static const tacAttr attributes[] = {{"class", TAC_A_ELSE}, TAC_ATTR_END};
    tacStatus status = tac_mjcf_read(m, node, attributes, NULL);
    if (status == TAC_OK) status = read_class(m, node, class_id);
    const xmlNode *nested = tac_xml_child(node, "default");
    for (; nested != NULL && status == TAC_OK; nested = tac_xml_next(nested, "default")) {
        int added = -1;
        status = add_class(m, nested, class_id, &added);
        if (status == TAC_OK) status = read_default(m, nested, added);
    }
    return status;
}

tacStatus tac_mjcf_default(tacMjcf *m, const xmlNode *section) {
    const char *name = tac_xml_get(section, "class");
    if (name != NULL && name[0] != '\0' && strcmp(name, "main") != 0)
        return tac_xml_fail(section, m->err, TAC_ERR_MODEL,
                            "attribute 'class': found \"%.60s\", expected \"main\" or none for a top-level default",
                            name);
    m->reading_defaults = 1;
    tacStatus status = read_default(m, section, 0);
    m->reading_defaults = 0;
    return status;
}
