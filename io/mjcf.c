#include "io/mjcf.h"

#include "base/error.h"
#include "io/mjcf_read.h"

#include <stdlib.h>
#include <string.h>

/* A top-level section and its reader; the order is that of reading, so that what others refer to comes first. */
static const struct {
    const char *name;
    tacStatus (*read)(tacMjcf *m, const xmlNode *section);
    const char *ignored; /* why nothing is read from it */
} SECTION[] = {{"compiler", tac_mjcf_compiler, NULL},
               {"option", tac_mjcf_option, NULL},
               {"size", tac_mjcf_size, NULL},
               {"default", tac_mjcf_default, NULL},
               {"asset", tac_mjcf_asset, NULL},
               {"worldbody", tac_mjcf_worldbody, NULL},
               {"contact", tac_mjcf_contact, NULL},
               {"tendon", tac_mjcf_tendon, NULL},
               {"equality", tac_mjcf_equality, NULL},
               {"actuator", tac_mjcf_actuator, NULL},
               {"sensor", tac_mjcf_sensor, NULL},
               {"deformable", tac_mjcf_deformable, NULL},
               {"keyframe", tac_mjcf_keyframe, NULL},
               {"visual", NULL, "visual only"},
               {"statistic", NULL, "visual only"},
               {"custom", tac_mjcf_custom, NULL},
               {"extension", NULL, "plugins are not loaded"}};
enum { NSECTION = sizeof SECTION / sizeof *SECTION };

static tacStatus ignore_here(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)m, (void)node, (void)scope;
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

static tacStatus read_sections(tacMjcf *m, int begin, int end) {
    tacStatus status = TAC_OK;
    for (int i = begin; i < end && status == TAC_OK; i++) {
        const xmlNode *section = tac_xml_child(m->root, SECTION[i].name);
        for (; section != NULL && status == TAC_OK; section = tac_xml_next(section, SECTION[i].name))
            status =
                SECTION[i].read != NULL ? SECTION[i].read(m, section) : tac_mjcf_ignore(m, section, SECTION[i].ignored);
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
    tac_report_set_name(m->report, tac_xml_get(m->root, "model"));
    TAC_TRY(tac_mjcf_defaults_begin(m));
    TAC_TRY(add_world(m));
    TAC_TRY(read_sections(m, 0, 1)); /* <compiler> says how angles are meant */
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
    tac_xml_free(&m->xml);
}

tacStatus tac_mjcf_load(tacFiles *files, const tacMjcfFile *file, const tacLoadOptions *options, tacReport *report,
                        tacModel **model, tacError *err) {
    tacLoadOptions defaults = tac_default_load_options();
    tacMjcf m = {.files = files,
                 .options = options != NULL ? options : &defaults,
                 .report = report,
                 .err = err,
                 .option = tac_default_option(),
                 .compiler = {.angles = {.degree = 1, .eulerseq = "xyz"},
                              .autolimits = 1,
                              .inertiafromgeom = TAC_MJCF_AUTO,
                              .inertiagrouprange = {0, 5}}};
    if (strlen(file->path) >= sizeof m.folder)
        return tac_fail(err, TAC_ERR_FILE, "%.80s...: the path is too long", file->path);
    tac_xml_init(&m.xml, report);
    tac_files_folder(file->path, m.folder, sizeof m.folder);
    *model = NULL;
    tacStatus status = read_model(&m, file);
    if (status == TAC_OK) status = tac_mjcf_simplify(&m);
    if (status == TAC_OK) status = tac_mjcf_emit(&m, &m.option, 0, model);
    if (status == TAC_OK) tac_mjcf_report_ignored(&m);
    free_all(&m);
    return status;
}
