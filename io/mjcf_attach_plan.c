/* MJCF <model>, and what each <attach> will add, before anything is read: <replicate> has to know its names, and where
 * its tendons, actuators and the like stand among those of this file. A file is loaded into a model of its own, with
 * its own compiler settings and classes. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 32,      /* of files that have each other as models */
    MAX_ELEMENTS = 50000 /* that attaching may make, all files put together: short files must not fill the memory */
};

/* No file has an element or attribute of these names. */
#define PLACE   "(attach)"
#define PATTERN ":(pattern)"

const char *const TAC_MJCF_ATTACHED[] = {"contact", "tendon", "equality", "actuator", "sensor", NULL};

/* --- <model> ------------------------------------------------------------------------------------------------------ */

static tacStatus check_chain(tacMjcf *m, const xmlNode *node, const char *path) {
    int depth = 0;
    for (const tacMjcf *outer = m; outer != NULL; outer = outer->outer, depth++)
        if (tac_mjcf_same_file(outer->xml.file[0], path))
            return tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                                "file \"%s\" has itself as a model, expected no circular inclusion", path);
    if (depth < MAX_DEPTH) return TAC_OK;
    return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "models are nested too deeply, expected at most %d files",
                        MAX_DEPTH);
}

static tacStatus load_file(tacMjcf *m, const xmlNode *node, const char *path, tacMjcfModel *model) {
    tacError why;
    unsigned char *bytes;
    size_t size;
    tacStatus status = tac_files_read(m->files, path, &bytes, &size, &why);
    if (status != TAC_OK) return tac_xml_fail(node, m->err, status, "%s", why.text);
    const tacMjcfFile file = {path, bytes, size};
    status = tac_mjcf_load_model(m, &file, model);
    free(bytes);
    return status;
}

static tacStatus add_model(tacMjcf *m, const xmlNode *node, tacMjcfModel *model) {
    const char *name = tac_xml_get(node, "name");
    if (name != NULL) model->name = name;
    if (tac_mjcf_names_find(&m->model_names, model->name) >= 0)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "found a second model \"%.60s\", expected a unique name",
                            model->name);
    int id = tac_mjcf_append(&m->models, model, sizeof *model);
    if (id < 0) return tac_mjcf_no_memory(m);
    model->model = NULL; /* the list's from here on */
    return tac_mjcf_names_add(&m->model_names, model->name, id) ? TAC_OK : tac_mjcf_no_memory(m);
}

static tacStatus read_model(tacMjcf *m, const xmlNode *node) {
    static const tacKeyword types[] = {{"text/xml", 0}, {NULL, 0}};
    static const tacAttr attributes[] = {
        {"name", TAC_A_ELSE}, {"file", TAC_A_ELSE}, {"content_type", TAC_A_ELSE}, TAC_ATTR_END};
    const char *file;
    char path[TAC_PATH];
    int type;
    tacMjcfModel model = {.name = "", .node = node};
    tacStatus status = tac_mjcf_read(m, node, attributes, NULL);
    if (status == TAC_OK) status = tac_xml_need(node, "file", &file, m->err);
    if (status == TAC_OK) status = tac_xml_keyword(node, "content_type", types, &type, m->err);
    if (status == TAC_OK) status = tac_mjcf_beside(m, node, file, path);
    if (status == TAC_OK) status = check_chain(m, node, path);
    if (status == TAC_OK) status = load_file(m, node, path, &model);
    if (status == TAC_OK) status = add_model(m, node, &model);
    tac_model_free(model.model);
    return status;
}

tacStatus tac_mjcf_models(tacMjcf *m) {
    for (const xmlNode *s = tac_xml_child(m->root, "asset"); s != NULL; s = tac_xml_next(s, "asset"))
        for (const xmlNode *node = tac_xml_child(s, "model"); node != NULL; node = tac_xml_next(node, "model"))
            TAC_TRY(read_model(m, node));
    return TAC_OK;
}

/* --- Patterns ----------------------------------------------------------------------------------------------------- */

tacStatus tac_mjcf_make_part(tacMjcf *m, const xmlNode *node, const tacModel *model, const tacAttachDef *def,
                             tacModel **part) {
    tacError why;
    tacBuilder *b = tac_model_begin();
    if (b == NULL) return tac_mjcf_no_memory(m);
    tacStatus status = tac_model_attach(b, 0, model, def, &why);
    if (status == TAC_OK) status = tac_model_finish(b, part, &why);
    tac_builder_free(b);
    return status == TAC_OK ? TAC_OK : tac_xml_fail(node, m->err, status, "%s", why.text);
}

tacStatus tac_mjcf_charge_part(tacMjcf *m, const xmlNode *node, const tacModel *part) {
    tacMjcf *main = m;
    while (main->outer != NULL)
        main = main->outer;
    for (int k = 0; k < TAC_KIND_COUNT; k++)
        main->attached += tac_model_count(part, (tacKind)k);
    if (main->attached < MAX_ELEMENTS) return TAC_OK;
    return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "attaching creates too many elements, expected at most %d",
                        MAX_ELEMENTS);
}

static tacStatus find_model(tacMjcf *m, const xmlNode *node, tacAttachDef *def, const tacModel **model) {
    const char *name, *body = tac_xml_get(node, "body");
    TAC_TRY(tac_xml_need(node, "model", &name, m->err));
    TAC_TRY(tac_xml_need(node, "prefix", &def->prefix, m->err));
    int id = tac_mjcf_names_find(&m->model_names, name);
    if (id < 0)
        return tac_xml_fail(node, m->err, TAC_ERR_NAME,
                            "attribute 'model': found \"%.60s\", expected the name of a <model>", name);
    *model = TAC_AT(m->models, tacMjcfModel, id)->model;
    def->body = body != NULL ? tac_model_find(*model, TAC_KIND_BODY, body) : 0;
    if (def->body >= 0) return TAC_OK;
    return tac_xml_fail(node, m->err, TAC_ERR_NAME,
                        "attribute 'body': found \"%.60s\", expected a body of the model \"%.60s\"", body, name);
}

/* A pattern in the list. Its number, and a suffix that <replicate> makes longer, are noted at the node. */
static tacStatus add_pattern(tacMjcf *m, xmlNode *node) {
    tacAttachDef def = tac_default_attach();
    tacMjcfPattern pattern = {.part = -1, .first_mesh = -1};
    char number[16];
    TAC_TRY(find_model(m, node, &def, &pattern.source));
    pattern.body = def.body;
    TAC_TRY(tac_mjcf_make_part(m, node, pattern.source, &def, &pattern.model));
    int id = tac_mjcf_append(&m->patterns, &pattern, sizeof pattern);
    if (id < 0) {
        tac_model_free(pattern.model);
        return tac_mjcf_no_memory(m);
    }
    snprintf(number, sizeof number, "%d", id);
    int noted = xmlSetProp(node, BAD_CAST PATTERN, BAD_CAST number) != NULL;
    noted = noted && xmlSetProp(node, BAD_CAST TAC_MJCF_SUFFIX, BAD_CAST "") != NULL;
    return noted ? tac_mjcf_charge_part(m, node, pattern.model) : tac_mjcf_no_memory(m);
}

int tac_mjcf_pattern(const xmlNode *node) {
    const char *number = tac_xml_get(node, PATTERN);
    return number == NULL ? -1 : (int)strtol(number, NULL, 10);
}

/* --- Places in sections ------------------------------------------------------------------------------------------- */

static int is_place(const xmlNode *node) { return node != NULL && tac_xml_is(node, PLACE); }

static xmlNode *new_section(tacMjcf *m, const char *name, const xmlNode *like) {
    xmlNode *section = xmlNewDocNode(m->root->doc, NULL, BAD_CAST name, NULL);
    if (section == NULL) return NULL;
    section->_private = like->_private;
    section->psvi = like->psvi;
    return xmlAddChild(m->root, section);
}

tacStatus tac_mjcf_append_to_section(tacMjcf *m, const char *name, xmlNode *node) {
    xmlNode *last = NULL;
    for (xmlNode *s = tac_xml_child(m->root, name); s != NULL; s = tac_xml_next(s, name))
        last = s;
    if (last == NULL || is_place(node) || is_place(tac_xml_child(last, NULL))) last = new_section(m, name, node);
    if (last != NULL && xmlAddChild(last, node) != NULL) return TAC_OK;
    xmlFreeNode(node);
    return tac_mjcf_no_memory(m);
}

/* Stands for what a pattern has of a section. */
static tacStatus add_place(tacMjcf *m, const xmlNode *attach, const char *section) {
    xmlNode *place = xmlNewDocNode(m->root->doc, NULL, BAD_CAST PLACE, NULL);
    if (place == NULL) return tac_mjcf_no_memory(m);
    place->_private = attach->_private;
    place->psvi = attach->psvi;
    const char *noted[] = {PATTERN, TAC_MJCF_SUFFIX};
    for (int i = 0; i < 2; i++)
        if (xmlSetProp(place, BAD_CAST noted[i], BAD_CAST tac_xml_get(attach, noted[i])) == NULL) {
            xmlFreeNode(place);
            return tac_mjcf_no_memory(m);
        }
    return tac_mjcf_append_to_section(m, section, place);
}

tacStatus tac_mjcf_plan_attach(tacMjcf *m, xmlNode *node) {
    TAC_TRY(add_pattern(m, node));
    for (int i = 0; TAC_MJCF_ATTACHED[i] != NULL; i++)
        TAC_TRY(add_place(m, node, TAC_MJCF_ATTACHED[i]));
    return TAC_OK;
}

/* Pattern and suffix, which no two parts share, in text that is kept. NULL: no memory. */
static const char *part_key(tacMjcf *m, const xmlNode *node) {
    const char *pattern = tac_xml_get(node, PATTERN), *suffix = tac_xml_get(node, TAC_MJCF_SUFFIX);
    size_t size = strlen(pattern) + strlen(suffix) + 2;
    char *text = tac_mjcf_keep(m, size);
    if (text != NULL) snprintf(text, size, "%s %s", pattern, suffix);
    return text;
}

tacStatus tac_mjcf_note_part(tacMjcf *m, const xmlNode *node, int part) {
    const char *key = part_key(m, node);
    return key != NULL && tac_mjcf_names_add(&m->part_names, key, part) ? TAC_OK : tac_mjcf_no_memory(m);
}

int tac_mjcf_is_placed(const xmlNode *section) { return is_place(tac_xml_child(section, NULL)); }

tacStatus tac_mjcf_placed_part(tacMjcf *m, const xmlNode *section, tacMjcfPart **part) {
    const char *key = part_key(m, tac_xml_child(section, NULL));
    if (key == NULL) return TAC_ERR_MEMORY;
    int id = tac_mjcf_names_find(&m->part_names, key);
    *part = id < 0 ? NULL : TAC_AT(m->parts, tacMjcfPart, id);
    return TAC_OK;
}

void tac_mjcf_free_models(tacMjcf *m) {
    for (int i = 0; i < m->models.n; i++)
        tac_model_free(TAC_AT(m->models, tacMjcfModel, i)->model);
    for (int i = 0; i < m->patterns.n; i++)
        tac_model_free(TAC_AT(m->patterns, tacMjcfPattern, i)->model);
    for (int i = 0; i < m->parts.n; i++)
        tac_model_free(TAC_AT(m->parts, tacMjcfPart, i)->model);
    tac_mjcf_list_free(&m->models);
    tac_mjcf_list_free(&m->patterns);
    tac_mjcf_list_free(&m->parts);
    tac_mjcf_names_free(&m->model_names);
    tac_mjcf_names_free(&m->part_names);
}
