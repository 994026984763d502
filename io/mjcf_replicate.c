/* MJCF <replicate>: copies of its elements in frames, with numbered names, and copies of what refers to them. Works on
 * the tree, before anything is read, innermost first as MuJoCo does. What an <attach> inside adds is copied too: the
 * element stands for it, with a suffix for its names. */
#include "io/mjcf_read.h"
#include "io/numbers.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ELEMENTS = 50000 /* that replication may make: a short file must not fill the memory */ };

typedef struct Replicate {
    tacMjcf *m;
    const xmlNode *node;
    int count;
    tacVec3 offset, euler;
    const char *sep, *childclass;
    tacMjcfNames inside[TAC_KIND_COUNT]; /* names that get a number */
    tacMjcfNames patterns;               /* numbers of the <attach> inside, as text */
    long *made;                          /* elements made by all replications so far */
} Replicate;

/* --- Copies ------------------------------------------------------------------------------------------------------- */

/* The element after `node` in document order within `top`. */
static xmlNode *next_element(xmlNode *node, const xmlNode *top) {
    xmlNode *child = tac_xml_child(node, NULL);
    if (child != NULL) return child;
    for (; node != top; node = node->parent) {
        xmlNode *next = tac_xml_next(node, NULL);
        if (next != NULL) return next;
    }
    return NULL;
}

/* A deep copy whose nodes know where they come from. */
static xmlNode *copy_tree(const Replicate *r, xmlNode *source) {
    xmlNode *copy = xmlDocCopyNode(source, r->m->root->doc, 1);
    if (copy == NULL) return NULL;
    xmlNode *to = copy;
    for (xmlNode *from = source; from != NULL && to != NULL;
         from = next_element(from, source), to = next_element(to, copy)) {
        to->_private = from->_private;
        to->psvi = from->psvi;
    }
    return copy;
}

/* The model that a planned <attach>, or what stands for it in a section, adds; NULL: another element. */
static const tacModel *added_model(const tacMjcf *m, const xmlNode *node) {
    int pattern = tac_mjcf_pattern(node);
    return pattern < 0 ? NULL : TAC_AT(m->patterns, tacMjcfPattern, pattern)->model;
}

static long count_elements(const tacMjcf *m, xmlNode *top) {
    long n = 0;
    for (xmlNode *node = top; node != NULL; node = next_element(node, top)) {
        const tacModel *added = tac_xml_is(node, "attach") ? added_model(m, node) : NULL;
        for (int k = 0; k < TAC_KIND_COUNT && added != NULL; k++)
            n += tac_model_count(added, (tacKind)k);
        n++;
    }
    return n;
}

/* name + sep + number, the number as wide as the count. */
static tacStatus number_attribute(const Replicate *r, xmlNode *node, const char *attr, int i) {
    char digits[16];
    int width = snprintf(digits, sizeof digits, "%d", r->count);
    const char *name = tac_xml_get(node, attr);
    size_t size = strlen(name) + strlen(r->sep) + sizeof digits + 1;
    char *text = tac_mjcf_keep(r->m, size);
    if (text == NULL) return TAC_ERR_MEMORY;
    snprintf(text, size, "%s%s%0*d", name, r->sep, width, i);
    return xmlSetProp(node, BAD_CAST attr, BAD_CAST text) != NULL ? TAC_OK : tac_mjcf_no_memory(r->m);
}

/* --- What has a name inside --------------------------------------------------------------------------------------- */

static tacKind kind_of_element(const xmlNode *node) {
    if (tac_xml_is(node, "body")) return TAC_KIND_BODY;
    if (tac_xml_is(node, "joint") || tac_xml_is(node, "freejoint")) return TAC_KIND_JOINT;
    if (tac_xml_is(node, "geom")) return TAC_KIND_GEOM;
    if (tac_xml_is(node, "site")) return TAC_KIND_SITE;
    return TAC_KIND_NONE; /* cameras, lights, frames: only sensors may refer to them */
}

/* The names are copied: the tree they stand in goes away. */
static tacStatus note_text(Replicate *r, tacMjcfNames *names, const char *name, const char *suffix) {
    size_t size = strlen(name) + strlen(suffix) + 1;
    char *copy = tac_mjcf_keep(r->m, size);
    if (copy == NULL) return TAC_ERR_MEMORY;
    snprintf(copy, size, "%s%s", name, suffix);
    return tac_mjcf_names_add(names, copy, 0) ? TAC_OK : tac_mjcf_no_memory(r->m);
}

/* An empty name is none. */
static tacStatus note_name(Replicate *r, tacKind kind, const char *name, const char *suffix) {
    return name[0] == '\0' ? TAC_OK : note_text(r, &r->inside[kind], name, suffix);
}

static const char *pattern_text(int pattern, char text[16]) {
    snprintf(text, 16, "%d", pattern);
    return text;
}
static tacStatus note_pattern(Replicate *r, int pattern) {
    char text[16];
    return note_text(r, &r->patterns, pattern_text(pattern, text), "");
}

/* The names of what an <attach> adds. */
static tacStatus collect_added(Replicate *r, const xmlNode *attach) {
    static const tacKind kinds[] = {TAC_KIND_BODY, TAC_KIND_JOINT,  TAC_KIND_GEOM,
                                    TAC_KIND_SITE, TAC_KIND_TENDON, TAC_KIND_ACTUATOR};
    const tacModel *added = added_model(r->m, attach);
    const char *suffix = tac_xml_get(attach, TAC_MJCF_SUFFIX);
    int pattern = tac_mjcf_pattern(attach);
    TAC_TRY(note_pattern(r, pattern));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = kinds[k] == TAC_KIND_BODY; i < tac_model_count(added, kinds[k]); i++)
            TAC_TRY(note_name(r, kinds[k], tac_model_name(added, kinds[k], i), suffix));
    return TAC_OK;
}

static tacStatus collect_names(Replicate *r, xmlNode *top) {
    for (xmlNode *node = next_element(top, top); node != NULL; node = next_element(node, top)) {
        const char *name = tac_xml_get(node, "name");
        if (name != NULL) TAC_TRY(note_name(r, kind_of_element(node), name, ""));
        if (added_model(r->m, node) != NULL) TAC_TRY(collect_added(r, node));
    }
    return TAC_OK;
}

/* --- What refers to it -------------------------------------------------------------------------------------------- */

static const struct {
    const char *attr;
    tacKind kind;
} REFERENCE[] = {{"joint", TAC_KIND_JOINT},     {"jointinparent", TAC_KIND_JOINT}, {"joint1", TAC_KIND_JOINT},
                 {"joint2", TAC_KIND_JOINT},    {"site", TAC_KIND_SITE},           {"site1", TAC_KIND_SITE},
                 {"site2", TAC_KIND_SITE},      {"refsite", TAC_KIND_SITE},        {"cranksite", TAC_KIND_SITE},
                 {"slidersite", TAC_KIND_SITE}, {"sidesite", TAC_KIND_SITE},       {"body", TAC_KIND_BODY},
                 {"body1", TAC_KIND_BODY},      {"body2", TAC_KIND_BODY},          {"subtree1", TAC_KIND_BODY},
                 {"subtree2", TAC_KIND_BODY},   {"geom", TAC_KIND_GEOM},           {"geom1", TAC_KIND_GEOM},
                 {"geom2", TAC_KIND_GEOM},      {"tendon", TAC_KIND_TENDON},       {"tendon1", TAC_KIND_TENDON},
                 {"tendon2", TAC_KIND_TENDON},  {"actuator", TAC_KIND_ACTUATOR},   {"objname", TAC_KIND_COUNT},
                 {"refname", TAC_KIND_COUNT}}; /* TAC_KIND_COUNT: any kind */
enum { NREFERENCE = sizeof REFERENCE / sizeof *REFERENCE };

static int refers_inside(const Replicate *r, const xmlNode *node, int reference) {
    const char *name = tac_xml_get(node, REFERENCE[reference].attr);
    tacKind kind = REFERENCE[reference].kind;
    if (name == NULL) return 0;
    if (kind != TAC_KIND_COUNT) return tac_mjcf_names_find(&r->inside[kind], name) >= 0;
    for (int k = 0; k < TAC_KIND_COUNT; k++)
        if (tac_mjcf_names_find(&r->inside[k], name) >= 0) return 1;
    return 0;
}

/* 1: a section's place of what an <attach> inside adds. */
static int is_added_inside(const Replicate *r, const xmlNode *node) {
    char text[16];
    int pattern = tac_mjcf_pattern(node);
    return pattern >= 0 && tac_mjcf_names_find(&r->patterns, pattern_text(pattern, text)) >= 0;
}

static int any_inside(const Replicate *r, xmlNode *top) {
    if (is_added_inside(r, top)) return 1;
    for (xmlNode *node = top; node != NULL; node = next_element(node, top))
        for (int i = 0; i < NREFERENCE; i++)
            if (refers_inside(r, node, i)) return 1;
    return 0;
}

/* Numbers an element's own name and every name inside that it refers to. */
static tacStatus number_references(const Replicate *r, xmlNode *top, int i) {
    const char *own = tac_xml_get(top, "name");
    tacStatus status = own != NULL && own[0] != '\0' ? number_attribute(r, top, "name", i) : TAC_OK;
    if (is_added_inside(r, top)) status = number_attribute(r, top, TAC_MJCF_SUFFIX, i);
    for (xmlNode *node = top; node != NULL && status == TAC_OK; node = next_element(node, top))
        for (int k = 0; k < NREFERENCE && status == TAC_OK; k++)
            if (refers_inside(r, node, k)) status = number_attribute(r, node, REFERENCE[k].attr, i);
    return status;
}

/* Each copy has a frame of its own beside its elements. */
static tacStatus charge(Replicate *r, long elements) {
    elements++;
    *r->made += elements > MAX_ELEMENTS / (r->count + 1L) ? MAX_ELEMENTS : elements * r->count;
    if (*r->made < MAX_ELEMENTS) return TAC_OK;
    return tac_xml_fail(r->node, r->m->err, TAC_ERR_MODEL, "replication creates too many elements, expected at most %d",
                        MAX_ELEMENTS);
}

/* The elements of all sections of one name that refer inside, marked by moving them to *out. */
static tacStatus take_referring(Replicate *r, const char *section_name, tacKind own_kind, tacMjcfList *out) {
    tacStatus status = TAC_OK;
    for (xmlNode *s = tac_xml_child(r->m->root, section_name); s != NULL; s = tac_xml_next(s, section_name)) {
        for (xmlNode *node = tac_xml_child(s, NULL), *next; node != NULL && status == TAC_OK; node = next) {
            next = tac_xml_next(node, NULL);
            if (!any_inside(r, node)) continue;
            const char *name = tac_xml_get(node, "name");
            if (name != NULL && own_kind != TAC_KIND_NONE) status = note_name(r, own_kind, name, "");
            if (status == TAC_OK) status = charge(r, count_elements(r->m, node));
            if (status == TAC_OK && tac_mjcf_append(out, &node, sizeof node) < 0) status = tac_mjcf_no_memory(r->m);
        }
    }
    return status;
}

/* A copy of a section's element, numbered, at the end of all sections of that name. */
static tacStatus copy_element(const Replicate *r, const char *section, xmlNode *node, int i) {
    xmlNode *copy = copy_tree(r, node);
    if (copy == NULL) return tac_mjcf_no_memory(r->m);
    TAC_TRY(tac_mjcf_append_to_section(r->m, section, copy));
    return number_references(r, copy, i);
}

/* Copies go to the end, all of one number before those of the next; the originals go away. */
static tacStatus copy_referring(Replicate *r, const char *section_name, tacKind own_kind) {
    tacMjcfList list = {0};
    tacStatus status = take_referring(r, section_name, own_kind, &list);
    for (int i = 0; i < r->count && status == TAC_OK; i++)
        for (int k = 0; k < list.n && status == TAC_OK; k++)
            status = copy_element(r, section_name, *TAC_AT(list, xmlNode *, k), i);
    for (int k = 0; k < list.n; k++) {
        xmlUnlinkNode(*TAC_AT(list, xmlNode *, k));
        xmlFreeNode(*TAC_AT(list, xmlNode *, k));
    }
    tac_mjcf_list_free(&list);
    return status;
}

/* --- One <replicate> ---------------------------------------------------------------------------------------------- */

static tacStatus read_attributes(Replicate *r, const xmlNode *node) {
    static const tacAttr attributes[] = {{"count", TAC_A_WHOLE, .offset = offsetof(Replicate, count)},
                                         {"offset", TAC_A_NUMBERS(3, 3), .offset = offsetof(Replicate, offset)},
                                         {"euler", TAC_A_NUMBERS(3, 3), .offset = offsetof(Replicate, euler)},
                                         {"sep", TAC_A_TEXT, .offset = offsetof(Replicate, sep)},
                                         {"childclass", TAC_A_TEXT, .offset = offsetof(Replicate, childclass)},
                                         TAC_ATTR_END};
    const char *text;
    tacStatus status = tac_mjcf_read(r->m, node, attributes, r);
    if (status == TAC_OK) status = tac_xml_need(node, "count", &text, r->m->err);
    if (status == TAC_OK && r->count < 1)
        status =
            tac_xml_fail(node, r->m->err, TAC_ERR_MODEL, "attribute 'count': found %d, expected at least 1", r->count);
    return status;
}

/* Turn number i: its euler angles times i, which loses fewer digits than turning i times. */
static tacStatus turn(const Replicate *r, int i, tacQuat *quat) {
    tacOrient orient = {.quat = tac_quat_identity(), .kind = TAC_ORIENT_EULER};
    tac_store3(orient.value, tac_scale3(i, r->euler));
    const char *wrong = tac_orient_resolve(&orient, &r->m->compiler.angles, quat);
    return wrong == NULL ? TAC_OK : tac_xml_fail(r->node, r->m->err, TAC_ERR_MODEL, "%s", wrong);
}

static xmlNode *new_frame(const Replicate *r, tacPose pose) {
    char text[128];
    xmlNode *frame = xmlNewDocNode(r->m->root->doc, NULL, BAD_CAST "frame", NULL);
    if (frame == NULL) return NULL;
    frame->_private = r->node->_private;
    frame->psvi = r->node->psvi;
    tac_numbers_text(3, (const double[]){pose.pos.x, pose.pos.y, pose.pos.z}, text, sizeof text);
    xmlSetProp(frame, BAD_CAST "pos", BAD_CAST text);
    tac_numbers_text(4, (const double[]){pose.quat.w, pose.quat.x, pose.quat.y, pose.quat.z}, text, sizeof text);
    xmlSetProp(frame, BAD_CAST "quat", BAD_CAST text);
    if (r->childclass != NULL) xmlSetProp(frame, BAD_CAST "childclass", BAD_CAST r->childclass);
    return frame;
}

/* Copy number i of all children, in a frame before the <replicate>. */
static tacStatus copy_children(const Replicate *r, xmlNode *node, int i, tacPose pose) {
    xmlNode *frame = new_frame(r, pose);
    if (frame == NULL) return tac_mjcf_no_memory(r->m);
    xmlAddPrevSibling(node, frame);
    tacStatus status = TAC_OK;
    for (xmlNode *child = tac_xml_child(node, NULL); child != NULL && status == TAC_OK;
         child = tac_xml_next(child, NULL)) {
        xmlNode *copy = copy_tree(r, child);
        if (copy == NULL) return tac_mjcf_no_memory(r->m);
        xmlAddChild(frame, copy);
        for (xmlNode *named = copy; named != NULL && status == TAC_OK; named = next_element(named, copy)) {
            const char *name = tac_xml_get(named, "name");
            if (name != NULL && name[0] != '\0') status = number_attribute(r, named, "name", i);
            if (status == TAC_OK && tac_mjcf_pattern(named) >= 0)
                status = number_attribute(r, named, TAC_MJCF_SUFFIX, i);
        }
    }
    return status;
}

static tacStatus expand(Replicate *r, xmlNode *node) {
    tacStatus status = read_attributes(r, node);
    if (status == TAC_OK) status = collect_names(r, node);
    if (status == TAC_OK) status = charge(r, count_elements(r->m, node));
    tacPose pose = {tac_zero3(), tac_quat_identity()};
    for (int i = 0; i < r->count && status == TAC_OK; i++) {
        status = turn(r, i, &pose.quat);
        if (status == TAC_OK) status = copy_children(r, node, i, pose);
        pose.pos = tac_add3(pose.pos, tac_quat_rotate(pose.quat, r->offset));
    }
    static const struct {
        const char *name;
        tacKind kind;
    } section[] = {{"contact", TAC_KIND_NONE},
                   {"tendon", TAC_KIND_TENDON},
                   {"equality", TAC_KIND_NONE},
                   {"actuator", TAC_KIND_ACTUATOR},
                   {"sensor", TAC_KIND_NONE}};
    for (size_t i = 0; i < sizeof section / sizeof *section && status == TAC_OK; i++)
        status = copy_referring(r, section[i].name, section[i].kind);
    if (status != TAC_OK) return status;
    xmlUnlinkNode(node);
    xmlFreeNode(node);
    return TAC_OK;
}

static tacStatus replicate_one(tacMjcf *m, xmlNode *node, long *made) {
    Replicate r = {.m = m, .node = node, .sep = "", .made = made};
    tacStatus status = expand(&r, node);
    for (int i = 0; i < TAC_KIND_COUNT; i++)
        tac_mjcf_names_free(&r.inside[i]);
    tac_mjcf_names_free(&r.patterns);
    return status;
}

/* Children before their parent; recursion is as deep as the file. */
static tacStatus replicate_below(tacMjcf *m, xmlNode *top, long *made) {
    tacStatus status = TAC_OK;
    for (xmlNode *child = tac_xml_child(top, NULL), *next; child != NULL && status == TAC_OK; child = next) {
        next = tac_xml_next(child, NULL);
        status = replicate_below(m, child, made);
        if (status == TAC_OK && tac_xml_is(child, "attach")) status = tac_mjcf_plan_attach(m, child);
        if (status == TAC_OK && tac_xml_is(child, "replicate")) status = replicate_one(m, child, made);
    }
    return status;
}

tacStatus tac_mjcf_replicate(tacMjcf *m) {
    tacStatus status = TAC_OK;
    long made = 0;
    for (xmlNode *s = tac_xml_child(m->root, "worldbody"); s != NULL && status == TAC_OK;
         s = tac_xml_next(s, "worldbody"))
        status = replicate_below(m, s, &made);
    return status;
}
