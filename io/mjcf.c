#include "io/mjcf.h"

#include "base/error.h"
#include "io/mjcf_read.h"

#include <stdlib.h>
#include <string.h>

/* A top-level section and its reader; the order is that of reading, so that what others refer to comes first. */
static const struct {
    const char *name;
    tacStatus (*read)(tacMjcf *m, const xmlNode *section);
    const char *ignored;                                  /* why nothing is read from it */
    tacStatus (*attached)(tacMjcf *m, tacMjcfPart *part); /* adds what attached models have of it */
} SECTION[] = {{.name = "compiler", .read = tac_mjcf_compiler},
               {.name = "option", .read = tac_mjcf_option},
               {.name = "size", .read = tac_mjcf_size},
               {.name = "default", .read = tac_mjcf_default},
               {.name = "asset", .read = tac_mjcf_asset},
               {.name = "worldbody", .read = tac_mjcf_worldbody},
               {.name = "contact", .read = tac_mjcf_contact, .attached = tac_mjcf_attached_contact},
               {.name = "tendon", .read = tac_mjcf_tendon, .attached = tac_mjcf_attached_tendon},
               {.name = "equality", .read = tac_mjcf_equality, .attached = tac_mjcf_attached_equality},
               {.name = "actuator", .read = tac_mjcf_actuator, .attached = tac_mjcf_attached_actuator},
               {.name = "sensor", .read = tac_mjcf_sensor, .attached = tac_mjcf_attached_sensor},
               {.name = "deformable", .read = tac_mjcf_deformable},
               {.name = "keyframe", .read = tac_mjcf_keyframe},
               {.name = "visual", .ignored = "visual only"},
               {.name = "statistic", .ignored = "visual only"},
               {.name = "custom", .read = tac_mjcf_custom},
               {.name = "extension", .ignored = "plugins are not loaded"}};
enum { NSECTION = sizeof SECTION / sizeof *SECTION };

static tacStatus ignore_here(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)m;
    (void)node;
    (void)scope;
    return TAC_OK;
}

/* <mujoco> holds known sections only. */
static tacStatus check_root(tacMjcf *m) {
    static const tacAttr attributes[] = {{"model", TAC_A_UNUSED}, TAC_ATTR_END};
    tacMjcfChild known[NSECTION + 1] = {{NULL, NULL}};
    if (!tac_xml_is(m->root, "mujoco"))
        return tac_xml_fail(m->root, m->err, TAC_ERR_SYNTAX, "expected <mujoco> as the root of an MJCF file");
    for (int i = 0; i < NSECTION; i++)
        known[i] = (tacMjcfChild){SECTION[i].name, ignore_here};
    tacStatus status = tac_mjcf_read(m, m->root, attributes, NULL);
    return status == TAC_OK ? tac_mjcf_children(m, m->root, known, NULL) : status;
}

static tacStatus read_section(tacMjcf *m, int i, const xmlNode *section) {
    tacMjcfPart *part;
    if (SECTION[i].read == NULL) return tac_mjcf_ignore(m, section, SECTION[i].ignored);
    if (SECTION[i].attached == NULL || !tac_mjcf_is_placed(section)) return SECTION[i].read(m, section);
    TAC_TRY(tac_mjcf_placed_part(m, section, &part));
    return part == NULL ? TAC_OK : SECTION[i].attached(m, part);
}

static tacStatus read_sections(tacMjcf *m, int begin, int end) {
    tacStatus status = TAC_OK;
    for (int i = begin; i < end && status == TAC_OK; i++) {
        const xmlNode *section = tac_xml_child(m->root, SECTION[i].name);
        for (; section != NULL && status == TAC_OK; section = tac_xml_next(section, SECTION[i].name))
            status = read_section(m, i, section);
    }
    return status;
}

static tacStatus add_world(tacMjcf *m) {
    tacMjcfBody world = {.def = tac_default_body(), .node = m->root};
    world.def.name = "world";
    return tac_mjcf_add(m, &m->body, &world, sizeof world, TAC_KIND_BODY, "world") == 0 ? TAC_OK : TAC_ERR_MEMORY;
}

/* File -> lists of definitions. */
static tacStatus read_model(tacMjcf *m, const tacMjcfFile *file) {
    TAC_TRY(tac_xml_parse(&m->xml, file->path, file->bytes, file->size, &m->root, m->err));
    TAC_TRY(tac_mjcf_include(m));
    TAC_TRY(check_root(m));
    if (m->outer == NULL) tac_report_set_name(m->report, tac_xml_get(m->root, "model"));
    TAC_TRY(tac_mjcf_defaults_begin(m));
    TAC_TRY(add_world(m));
    TAC_TRY(read_sections(m, 0, 1)); /* <compiler> says how angles are meant */
    TAC_TRY(tac_mjcf_models(m));
    TAC_TRY(tac_mjcf_replicate(m));
    TAC_TRY(read_sections(m, 1, NSECTION));
    TAC_TRY(tac_mjcf_sums(m));
    TAC_TRY(tac_mjcf_hulls(m));
    TAC_TRY(tac_mjcf_fit_geoms(m));
    return tac_mjcf_inertias(m);
}

static void free_all(tacMjcf *m) {
    for (int i = 0; i < m->mesh.n; i++)
        tac_mesh_free(&TAC_AT(m->mesh, tacMjcfMesh, i)->data);
    for (int i = 0; i < m->memory.n; i++)
        free(*TAC_AT(m->memory, void *, i));
    tacMjcfList *lists[] = {&m->memory, &m->classes, &m->ignored, &m->body,   &m->joint,    &m->geom,
                            &m->mesh,   &m->hfield,  &m->site,    &m->tendon, &m->actuator, &m->equality,
                            &m->pair,   &m->exclude, &m->key,     &m->sensor};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->data);
    for (int i = 0; i < TAC_KIND_COUNT; i++)
        tac_mjcf_names_free(&m->names[i]);
    tac_mjcf_names_free(&m->hfield_names);
    tac_mjcf_names_free(&m->class_names);
    tac_mjcf_free_models(m);
    tac_xml_free(&m->xml);
}

static tacMjcf new_load(tacFiles *files, const tacLoadOptions *options, tacReport *report, tacError *err) {
    return (tacMjcf){.files = files,
                     .options = options,
                     .report = report,
                     .err = err,
                     .option = tac_default_option(),
                     .compiler = {.angles = {.degree = 1, .eulerseq = "xyz"},
                                  .autolimits = 1,
                                  .inertiafromgeom = TAC_MJCF_AUTO,
                                  .inertiagrouprange = {0, 5}}};
}

static tacStatus load(tacMjcf *m, const tacMjcfFile *file, tacModel **model) {
    *model = NULL;
    if (strlen(file->path) >= sizeof m->folder)
        return tac_fail(m->err, TAC_ERR_FILE, "%.80s...: the path is too long", file->path);
    tac_xml_init(&m->xml, m->report);
    tac_files_folder(file->path, m->folder, sizeof m->folder);
    TAC_TRY(read_model(m, file));
    TAC_TRY(tac_mjcf_simplify(m));
    TAC_TRY(tac_mjcf_emit(m, &m->option, 0, model));
    tac_mjcf_report_ignored(m);
    return TAC_OK;
}

tacStatus tac_mjcf_load_model(tacMjcf *outer, const tacMjcfFile *file, tacMjcfModel *model) {
    tacMjcf m = new_load(outer->files, outer->options, outer->report, outer->err);
    m.outer = outer;
    tacStatus status = load(&m, file, &model->model);
    const char *name = status == TAC_OK ? tac_xml_get(m.root, "model") : NULL;
    if (name != NULL) {
        char *kept = tac_mjcf_keep(outer, strlen(name) + 1);
        if (kept != NULL) model->name = strcpy(kept, name);
        if (kept == NULL) status = TAC_ERR_MEMORY;
    }
    free_all(&m);
    return status;
}

tacStatus tac_mjcf_load(tacFiles *files, const tacMjcfFile *file, const tacLoadOptions *options, tacReport *report,
                        tacModel **model, tacError *err) {
    tacLoadOptions defaults = tac_default_load_options();
    tacMjcf m = new_load(files, options != NULL ? options : &defaults, report, err);
    tacStatus status = load(&m, file, model);
    free_all(&m);
    return status;
}
