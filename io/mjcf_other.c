/* MJCF <tendon>, <equality>, <contact>, <sensor>, <keyframe>, <deformable>. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* --- Tendons ------------------------------------------------------------------------------------------------------ */

#define AT(field) .offset = offsetof(tacMjcfTendon, field)
static const tacAttr TENDON[] = {
    TAC_A_NAME,
    {"group", TAC_A_WHOLE, AT(def.group)},
    {"limited", TAC_A_KEY(TAC_MJCF_AUTOBOOL), AT(def.limited)},
    {"actuatorfrclimited", TAC_A_KEY(TAC_MJCF_AUTOBOOL), AT(def.actfrclimited)},
    {"range", TAC_A_NUMBERS(2, 2), AT(def.range)},
    {"actuatorfrcrange", TAC_A_NUMBERS(2, 2), AT(def.actfrcrange)},
    {"solreflimit", TAC_A_NUMBERS(1, 2), AT(def.solref_limit)},
    {"solimplimit", TAC_A_NUMBERS(1, 5), AT(def.solimp_limit)},
    {"solreffriction", TAC_A_NUMBERS(1, 2), AT(def.solref_friction)},
    {"solimpfriction", TAC_A_NUMBERS(1, 5), AT(def.solimp_friction)},
    {"frictionloss", TAC_A_NUMBER, AT(def.frictionloss)},
    {"springlength", TAC_A_NUMBERS(1, 2), AT(def.springlength), .count_offset = offsetof(tacMjcfTendon, nspringlength)},
    {"width", TAC_A_UNUSED},
    {"material", TAC_A_UNUSED},
    {"margin", TAC_A_NUMBER, AT(def.margin)},
    {"stiffness", TAC_A_NUMBERS(1, 3), AT(stiffness)},
    {"damping", TAC_A_NUMBERS(1, 3), AT(damping)},
    {"armature", TAC_A_NUMBER, AT(def.armature)},
    {"rgba", TAC_A_UNUSED},
    {"user", TAC_A_UNUSED},
    TAC_ATTR_END};
#undef AT

tacStatus tac_mjcf_read_tendon(tacMjcf *m, const xmlNode *node, tacMjcfTendon *tendon) {
    tendon->nspringlength = 0;
    tacStatus status = tac_mjcf_read(m, node, TENDON, tendon);
    if (tendon->nspringlength == 1) tendon->def.springlength[1] = tendon->def.springlength[0];
    return status;
}

/* One term of a fixed tendon. */
static tacStatus read_term(tacMjcf *m, const xmlNode *node, int *joint, double *coef) {
    static const tacAttr attributes[] = {{"joint", TAC_A_ELSE}, {"coef", TAC_A_ELSE}, TAC_ATTR_END};
    const char *name, *text;
    if (!tac_xml_is(node, "joint"))
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "unknown inside <fixed>, expected <joint>");
    tacStatus status = tac_mjcf_read(m, node, attributes, NULL);
    if (status == TAC_OK) status = tac_xml_need(node, "joint", &name, m->err);
    if (status == TAC_OK) status = tac_xml_need(node, "coef", &text, m->err);
    if (status == TAC_OK) status = tac_xml_doubles(node, "coef", 1, 1, coef, NULL, m->err);
    return status == TAC_OK ? tac_mjcf_find(m, node, "joint", TAC_KIND_JOINT, name, joint) : status;
}

static tacStatus read_terms(tacMjcf *m, const xmlNode *node, tacTendonDef *def) {
    int n = 0;
    for (const xmlNode *c = tac_xml_child(node, NULL); c != NULL; c = tac_xml_next(c, NULL))
        n++;
    if (n == 0) return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "found no path, expected at least one <joint>");
    int *joint = tac_mjcf_keep(m, (size_t)n * sizeof *joint);
    double *coef = tac_mjcf_keep(m, (size_t)n * sizeof *coef);
    if (joint == NULL || coef == NULL) return TAC_ERR_MEMORY;
    tacStatus status = TAC_OK;
    const xmlNode *c = tac_xml_child(node, NULL);
    for (int i = 0; i < n && status == TAC_OK; i++, c = tac_xml_next(c, NULL))
        status = read_term(m, c, &joint[i], &coef[i]);
    def->nterm = n;
    def->joint = joint;
    def->coef = coef;
    return status;
}

static tacStatus read_tendon(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    int class_id, is_fixed = tac_xml_is(node, "fixed");
    tacStatus status = tac_mjcf_class(m, node, "class", 0, &class_id);
    if (status != TAC_OK) return status;
    tacMjcfTendon tendon = *TAC_AT(m->classes, tacMjcfClass, class_id)->tendon;
    tacTendonDef *def = &tendon.def;
    tendon.node = node;
    def->name = tac_xml_get(node, "name");
    def->type = is_fixed ? TAC_TENDON_FIXED : TAC_TENDON_SPATIAL;
    status = tac_mjcf_read_tendon(m, node, &tendon);
    if (status == TAC_OK) status = tac_mjcf_linear(m, node, "stiffness", tendon.stiffness, &def->stiffness);
    if (status == TAC_OK) status = tac_mjcf_linear(m, node, "damping", tendon.damping, &def->damping);
    if (status == TAC_OK) status = tac_mjcf_limited(m, node, "the tendon", &def->limited, def->range);
    if (status == TAC_OK)
        status = tac_mjcf_limited(m, node, "the actuator force", &def->actfrclimited, def->actfrcrange);
    if (status == TAC_OK)
        status = is_fixed
                     ? read_terms(m, node, def)
                     : tac_mjcf_unsupported(m, node, "spatial tendons are not supported: the tendon gives no force");
    if (status != TAC_OK) return status;
    int id = tac_mjcf_add(m, &m->tendon, &tendon, sizeof tendon, TAC_KIND_TENDON, def->name);
    return id >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

tacStatus tac_mjcf_tendon(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {{"fixed", read_tendon}, {"spatial", read_tendon}, {NULL, NULL}};
    return tac_mjcf_children(m, section, children, NULL);
}

/* --- Equality constraints ----------------------------------------------------------------------------------------- */

#define AT(field) .offset = offsetof(tacMjcfEquality, def.field)
static const tacAttr EQUALITY[] = {TAC_A_NAME,
                                   {"active", TAC_A_YESNO, AT(active)},
                                   {"solref", TAC_A_NUMBERS(1, 2), AT(solref)},
                                   {"solimp", TAC_A_NUMBERS(1, 5), AT(solimp)},
                                   TAC_ATTR_END};
#undef AT

tacStatus tac_mjcf_read_equality(tacMjcf *m, const xmlNode *node, tacMjcfEquality *equality) {
    return tac_mjcf_read(m, node, EQUALITY, equality);
}

/* Each type's attributes and where its numbers go in data. */
static const tacAttr CONNECT[] = {{"body1", TAC_A_ELSE}, {"body2", TAC_A_ELSE},           {"site1", TAC_A_ELSE},
                                  {"site2", TAC_A_ELSE}, {"anchor", TAC_A_NUMBERS(3, 3)}, TAC_ATTR_END};
static const tacAttr WELD[] = {{"body1", TAC_A_ELSE},
                               {"body2", TAC_A_ELSE},
                               {"site1", TAC_A_ELSE},
                               {"site2", TAC_A_ELSE},
                               {"anchor", TAC_A_NUMBERS(3, 3)},
                               {"relpose", TAC_A_NUMBERS(7, 7), .offset = 3 * sizeof(double)},
                               {"torquescale", TAC_A_NUMBER, .offset = 10 * sizeof(double)},
                               TAC_ATTR_END};
static const tacAttr COUPLE_JOINTS[] = {
    {"joint1", TAC_A_ELSE}, {"joint2", TAC_A_ELSE}, {"polycoef", TAC_A_NUMBERS(1, 5)}, TAC_ATTR_END};
static const tacAttr COUPLE_TENDONS[] = {
    {"tendon1", TAC_A_ELSE}, {"tendon2", TAC_A_ELSE}, {"polycoef", TAC_A_NUMBERS(1, 5)}, TAC_ATTR_END};

static const struct {
    const char *tag;
    tacEqualityType type;
    tacKind kind;
    const tacAttr *attributes;
    const char *first, *second;
} EQUALITY_TAG[] = {{"connect", TAC_EQ_CONNECT, TAC_KIND_BODY, CONNECT, "body1", "body2"},
                    {"weld", TAC_EQ_WELD, TAC_KIND_BODY, WELD, "body1", "body2"},
                    {"joint", TAC_EQ_JOINT, TAC_KIND_JOINT, COUPLE_JOINTS, "joint1", "joint2"},
                    {"tendon", TAC_EQ_TENDON, TAC_KIND_TENDON, COUPLE_TENDONS, "tendon1", "tendon2"}};

static tacStatus find_objects(tacMjcf *m, const xmlNode *node, tacEqualityDef *def, const char *first,
                              const char *second) {
    const char *name;
    tacStatus status = tac_xml_need(node, first, &name, m->err);
    if (status == TAC_OK) status = tac_mjcf_find(m, node, first, def->objkind, name, &def->obj[0]);
    const char *other = tac_xml_get(node, second);
    def->obj[1] = def->objkind == TAC_KIND_BODY ? 0 : -1;
    if (status == TAC_OK && other != NULL) status = tac_mjcf_find(m, node, second, def->objkind, other, &def->obj[1]);
    if (status == TAC_OK && def->obj[0] == def->obj[1])
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "found \"%.60s\" twice, expected two different elements",
                            name);
    return status;
}

/* connect and weld may name two sites instead of bodies. */
static tacStatus check_semantics(tacMjcf *m, const xmlNode *node, tacEqualityDef *def, const char **first,
                                 const char **second) {
    int sites = (tac_xml_get(node, "site1") != NULL) + (tac_xml_get(node, "site2") != NULL);
    if (sites == 0) {
        if (def->type == TAC_EQ_CONNECT && tac_xml_get(node, "anchor") == NULL)
            return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "attribute 'anchor' is missing");
        return TAC_OK;
    }
    if (sites == 1 || tac_xml_get(node, "body1") != NULL || tac_xml_get(node, "body2") != NULL ||
        tac_xml_get(node, "anchor") != NULL || tac_xml_get(node, "relpose") != NULL)
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "expected either site1 and site2, or body1 with an anchor");
    def->objkind = TAC_KIND_SITE;
    *first = "site1";
    *second = "site2";
    return TAC_OK;
}

static tacStatus read_constraint(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    int class_id;
    size_t tag = 0;
    while (!tac_xml_is(node, EQUALITY_TAG[tag].tag))
        tag++;
    tacStatus status = tac_mjcf_class(m, node, "class", 0, &class_id);
    if (status != TAC_OK) return status;
    tacMjcfEquality eq = *TAC_AT(m->classes, tacMjcfClass, class_id)->equality;
    tacEqualityDef *def = &eq.def;
    const char *first = EQUALITY_TAG[tag].first, *second = EQUALITY_TAG[tag].second;
    eq.node = node;
    def->name = tac_xml_get(node, "name");
    def->type = EQUALITY_TAG[tag].type;
    def->objkind = EQUALITY_TAG[tag].kind;
    if (def->objkind == TAC_KIND_BODY) def->data[0] = def->data[1] = def->data[2] = 0;
    status = tac_mjcf_read2(m, node, EQUALITY, &eq, EQUALITY_TAG[tag].attributes, def->data);
    if (status == TAC_OK && def->objkind == TAC_KIND_BODY) status = check_semantics(m, node, def, &first, &second);
    if (status == TAC_OK) status = find_objects(m, node, def, first, second);
    if (status != TAC_OK) return status;
    int id = tac_mjcf_add(m, &m->equality, &eq, sizeof eq, TAC_KIND_EQUALITY, def->name);
    return id >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

static tacStatus drop_constraint(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_unsupported(m, node, "this equality constraint is not supported: it is ignored");
}

tacStatus tac_mjcf_equality(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {
        {"connect", read_constraint},    {"weld", read_constraint},     {"joint", read_constraint},
        {"tendon", read_constraint},     {"flex", drop_constraint},     {"flexvert", drop_constraint},
        {"flexstrain", drop_constraint}, {"distance", drop_constraint}, {NULL, NULL}};
    return tac_mjcf_children(m, section, children, NULL);
}

/* --- Contact ------------------------------------------------------------------------------------------------------ */

#define AT(field) .offset = offsetof(tacMjcfPair, field)
static const tacAttr PAIR[] = {TAC_A_NAME,
                               {"geom1", TAC_A_ELSE, .element_only = 1},
                               {"geom2", TAC_A_ELSE, .element_only = 1},
                               {"condim", TAC_A_WHOLE, AT(def.condim)},
                               {"friction", TAC_A_NUMBERS(1, 5), AT(def.friction)},
                               {"solref", TAC_A_NUMBERS(1, 2), AT(def.solref)},
                               {"solreffriction", TAC_A_NUMBERS(1, 2), AT(def.solreffriction)},
                               {"solimp", TAC_A_NUMBERS(1, 5), AT(def.solimp)},
                               {"gap", TAC_A_NUMBER, AT(def.gap)},
                               {"margin", TAC_A_NUMBER, AT(def.margin)},
                               {"adhesion", TAC_A_NUMBER, AT(adhesion)},
                               TAC_ATTR_END};
#undef AT

tacStatus tac_mjcf_read_pair(tacMjcf *m, const xmlNode *node, tacMjcfPair *pair) {
    return tac_mjcf_read(m, node, PAIR, pair);
}

/* Two names of one kind, the element of the smaller body first as MuJoCo has them. */
static tacStatus find_two(tacMjcf *m, const xmlNode *node, const char *const *attr, tacKind kind, int *id) {
    tacStatus status = TAC_OK;
    for (int i = 0; i < 2 && status == TAC_OK; i++) {
        const char *name;
        status = tac_xml_need(node, attr[i], &name, m->err);
        if (status == TAC_OK) status = tac_mjcf_find(m, node, attr[i], kind, name, &id[i]);
    }
    return status;
}

static tacStatus read_pair(tacMjcf *m, const xmlNode *node, void *scope) {
    static const char *const attr[2] = {"geom1", "geom2"};
    (void)scope;
    int class_id;
    tacStatus status = tac_mjcf_class(m, node, "class", 0, &class_id);
    if (status != TAC_OK) return status;
    tacMjcfPair pair = *TAC_AT(m->classes, tacMjcfClass, class_id)->pair;
    int *geom = pair.def.geom;
    pair.node = node;
    pair.def.name = tac_xml_get(node, "name");
    status = tac_mjcf_read_pair(m, node, &pair);
    if (status == TAC_OK) status = find_two(m, node, attr, TAC_KIND_GEOM, geom);
    if (status == TAC_OK && pair.adhesion != 0)
        status = tac_mjcf_unsupported(m, node, "attribute 'adhesion' is not supported: there is no adhesion force");
    if (status != TAC_OK) return status;
    if (TAC_AT(m->geom, tacMjcfGeom, geom[0])->body > TAC_AT(m->geom, tacMjcfGeom, geom[1])->body) {
        int first = geom[0];
        geom[0] = geom[1];
        geom[1] = first;
    }
    return tac_mjcf_add(m, &m->pair, &pair, sizeof pair, TAC_KIND_PAIR, pair.def.name) >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

static tacStatus read_exclude(tacMjcf *m, const xmlNode *node, void *scope) {
    static const tacAttr attributes[] = {
        {"name", TAC_A_ELSE}, {"body1", TAC_A_ELSE}, {"body2", TAC_A_ELSE}, TAC_ATTR_END};
    static const char *const attr[2] = {"body1", "body2"};
    (void)scope;
    tacMjcfExclude exclude = {.name = tac_xml_get(node, "name"), .node = node};
    tacStatus status = tac_mjcf_read(m, node, attributes, NULL);
    if (status == TAC_OK) status = find_two(m, node, attr, TAC_KIND_BODY, exclude.body);
    if (status != TAC_OK) return status;
    if (exclude.body[0] > exclude.body[1]) {
        int first = exclude.body[0];
        exclude.body[0] = exclude.body[1];
        exclude.body[1] = first;
    }
    int id = tac_mjcf_add(m, &m->exclude, &exclude, sizeof exclude, TAC_KIND_EXCLUDE, exclude.name);
    return id >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

tacStatus tac_mjcf_contact(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {{"pair", read_pair}, {"exclude", read_exclude}, {NULL, NULL}};
    return tac_mjcf_children(m, section, children, NULL);
}

/* --- Sensors, keyframes, deformables ------------------------------------------------------------------------------ */

static tacStatus read_sensor(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    tacMjcfSensor sensor = {.name = tac_xml_get(node, "name"), .tag = tac_xml_name(node), .node = node};
    int id = tac_mjcf_add(m, &m->sensor, &sensor, sizeof sensor, TAC_KIND_SENSOR, sensor.name);
    return id >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

tacStatus tac_mjcf_sensor(tacMjcf *m, const xmlNode *section) {
    static const char *const known[] = {"touch",
                                        "accelerometer",
                                        "velocimeter",
                                        "gyro",
                                        "force",
                                        "torque",
                                        "magnetometer",
                                        "camprojection",
                                        "rangefinder",
                                        "jointpos",
                                        "jointvel",
                                        "tendonpos",
                                        "tendonvel",
                                        "actuatorpos",
                                        "actuatorvel",
                                        "actuatorfrc",
                                        "jointactuatorfrc",
                                        "tendonactuatorfrc",
                                        "ballquat",
                                        "ballangvel",
                                        "jointlimitpos",
                                        "jointlimitvel",
                                        "jointlimitfrc",
                                        "tendonlimitpos",
                                        "tendonlimitvel",
                                        "tendonlimitfrc",
                                        "framepos",
                                        "framequat",
                                        "framexaxis",
                                        "frameyaxis",
                                        "framezaxis",
                                        "framelinvel",
                                        "frameangvel",
                                        "framelinacc",
                                        "frameangacc",
                                        "subtreecom",
                                        "subtreelinvel",
                                        "subtreeangmom",
                                        "insidesite",
                                        "distance",
                                        "normal",
                                        "fromto",
                                        "contact",
                                        "e_potential",
                                        "e_kinetic",
                                        "clock",
                                        "tactile",
                                        "user",
                                        "plugin"};
    enum { NKNOWN = sizeof known / sizeof *known };
    tacMjcfChild children[NKNOWN + 1] = {{NULL, NULL}};
    for (int i = 0; i < NKNOWN; i++)
        children[i] = (tacMjcfChild){known[i], read_sensor};
    return tac_mjcf_children(m, section, children, NULL);
}

/* Sizes that keyframes must have. */
typedef struct StateSizes {
    int nq, nv, na, nu, nmocap;
} StateSizes;

static StateSizes count_state(const tacMjcf *m) {
    static const int nq[] = {[TAC_JOINT_FREE] = 7, [TAC_JOINT_BALL] = 4, [TAC_JOINT_SLIDE] = 1, [TAC_JOINT_HINGE] = 1};
    static const int nv[] = {[TAC_JOINT_FREE] = 6, [TAC_JOINT_BALL] = 3, [TAC_JOINT_SLIDE] = 1, [TAC_JOINT_HINGE] = 1};
    StateSizes s = {.nu = m->actuator.n};
    for (int i = 0; i < m->joint.n; i++) {
        tacJointType type = TAC_AT(m->joint, tacMjcfJoint, i)->def.type;
        s.nq += nq[type];
        s.nv += nv[type];
    }
    for (int i = 0; i < m->actuator.n; i++) {
        const tacActuatorDef *def = &TAC_AT(m->actuator, tacMjcfActuator, i)->def;
        s.na += def->actdim >= 0 ? def->actdim : def->dyntype != TAC_DYN_NONE;
    }
    for (int i = 0; i < m->body.n; i++)
        s.nmocap += TAC_AT(m->body, tacMjcfBody, i)->def.mocap != 0;
    return s;
}

/* A key of a model with other joints or actuators: an error, or with `lenient` a warning and *keep 0. */
static tacStatus refuse_length(tacMjcf *m, const xmlNode *node, const char *attr, int found, int expected, int *keep) {
    const char *plural = found == 1 ? "" : "s";
    if (!m->options->lenient)
        return tac_xml_strict(m->err, tac_xml_fail(node, m->err, TAC_ERR_SYNTAX,
                                                   "attribute '%s': found %d number%s, expected %d", attr, found,
                                                   plural, expected));
    tac_mjcf_warn(m, node, "attribute '%s': found %d number%s, expected %d: the key is ignored", attr, found, plural,
                  expected);
    *keep = 0;
    return TAC_OK;
}

/* Exactly n numbers, or none at all. */
static tacStatus read_state(tacMjcf *m, const xmlNode *node, const char *attr, int n, const double **out, int *keep) {
    double *list;
    int found;
    *out = NULL;
    tacStatus status = tac_xml_double_list(node, attr, &list, &found, m->err);
    if (status != TAC_OK || list == NULL) return status;
    if (found != n) status = refuse_length(m, node, attr, found, n, keep);
    if (found == n && n > 0) {
        double *kept = tac_mjcf_keep(m, (size_t)n * sizeof *kept);
        if (kept != NULL) memcpy(kept, list, (size_t)n * sizeof *kept);
        status = kept != NULL ? TAC_OK : TAC_ERR_MEMORY;
        *out = kept;
    }
    free(list);
    return status;
}

static tacStatus read_key(tacMjcf *m, const xmlNode *node, void *scope) {
    static const tacAttr attributes[] = {
        {"name", TAC_A_ELSE},  {"time", TAC_A_NUMBER, .offset = offsetof(tacKeyDef, time)},
        {"qpos", TAC_A_ELSE},  {"qvel", TAC_A_ELSE},
        {"act", TAC_A_ELSE},   {"mpos", TAC_A_ELSE},
        {"mquat", TAC_A_ELSE}, {"ctrl", TAC_A_ELSE},
        TAC_ATTR_END};
    const StateSizes *s = scope;
    tacMjcfKey key = {.def = tac_default_key(), .node = node};
    tacKeyDef *def = &key.def;
    const double *mpos = NULL, *mquat = NULL;
    int keep = 1;
    def->name = tac_xml_get(node, "name");
    tacStatus status = tac_mjcf_read(m, node, attributes, def);
    if (status == TAC_OK) status = read_state(m, node, "qpos", s->nq, &def->qpos, &keep);
    if (status == TAC_OK) status = read_state(m, node, "qvel", s->nv, &def->qvel, &keep);
    if (status == TAC_OK) status = read_state(m, node, "act", s->na, &def->act, &keep);
    if (status == TAC_OK) status = read_state(m, node, "ctrl", s->nu, &def->ctrl, &keep);
    if (status == TAC_OK) status = read_state(m, node, "mpos", 3 * s->nmocap, &mpos, &keep);
    if (status == TAC_OK) status = read_state(m, node, "mquat", 4 * s->nmocap, &mquat, &keep);
    if (status != TAC_OK || !keep) return status;
    def->mpos = (const tacVec3 *)mpos;
    def->mquat = (const tacQuat *)mquat;
    return tac_mjcf_add(m, &m->key, &key, sizeof key, TAC_KIND_KEY, def->name) >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

tacStatus tac_mjcf_keyframe(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {{"key", read_key}, {NULL, NULL}};
    StateSizes sizes = count_state(m);
    return tac_mjcf_children(m, section, children, &sizes);
}

static tacStatus read_flex(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_unsupported(m, node, "flexible bodies are not supported: the body is missing");
}

tacStatus tac_mjcf_deformable(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {{"flex", read_flex}, {"skin", tac_mjcf_ignore_looks}, {NULL, NULL}};
    return tac_mjcf_children(m, section, children, NULL);
}
