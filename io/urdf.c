#include "io/urdf.h"

#include "base/error.h"
#include "io/urdf_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE_TEXT = 512 };

/* --- Reporting ---------------------------------------------------------------------------------------------------- */

static int same_element(const xmlNode *a, const xmlNode *b) {
    return strcmp(tac_xml_name(a), tac_xml_name(b)) == 0 &&
           strcmp(tac_xml_name(a->parent), tac_xml_name(b->parent)) == 0;
}

void tac_urdf_ignore(tacUrdf *urdf, const xmlNode *node) {
    for (int i = 0; i < urdf->nignored; i++)
        if (same_element(urdf->ignored[i].node, node)) {
            urdf->ignored[i].count++;
            return;
        }
    if (urdf->nignored < TAC_URDF_MAX_IGNORED) urdf->ignored[urdf->nignored++] = (tacUrdfIgnored){node, 1};
}

static void list_ignored(const tacUrdf *urdf) {
    for (int i = 0; i < urdf->nignored; i++) {
        const tacUrdfIgnored *item = &urdf->ignored[i];
        char more[32] = "";
        if (item->count > 1) snprintf(more, sizeof more, " and %d more", item->count - 1);
        tac_report_add_ignored(urdf->report, "%s:%d: <%s> in <%s>%s", tac_xml_file(item->node),
                               tac_xml_line(item->node), tac_xml_name(item->node), tac_xml_name(item->node->parent),
                               more);
    }
}

static void warn_list(tacUrdf *urdf, const xmlNode *node, const char *instead, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));
static void warn_list(tacUrdf *urdf, const xmlNode *node, const char *instead, const char *format, va_list args) {
    char where[WHERE_TEXT], text[TAC_ERROR_TEXT];
    tac_xml_where(node, where, sizeof where);
    vsnprintf(text, sizeof text, format, args);
    tac_report_add_warning(urdf->report, "%s: %s%s%s", where, text, instead[0] != 0 ? "; " : "", instead);
}

void tac_urdf_warn(tacUrdf *urdf, const xmlNode *node, const char *format, ...) {
    va_list args;
    va_start(args, format);
    warn_list(urdf, node, "", format, args);
    va_end(args);
}

tacStatus tac_urdf_refuse(tacUrdf *urdf, const xmlNode *node, tacStatus status, const char *instead, const char *format,
                          ...) {
    int lenient = urdf->options->lenient && status != TAC_ERR_MEMORY; /* a model that memory decides is none */
    va_list args;
    va_start(args, format);
    char text[TAC_ERROR_TEXT];
    if (lenient)
        warn_list(urdf, node, instead, format, args);
    else
        vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (lenient) return TAC_OK;
    return tac_xml_strict(urdf->err, tac_xml_fail(node, urdf->err, status, "%s", text));
}

int tac_urdf_added(tacUrdf *urdf, tacKind kind, int id, const xmlNode *node) {
    tacUrdfOrigin *origin = &urdf->origin[kind];
    if (id < 0 || id != origin->n) return id;
    if ((origin->n & (origin->n + 1)) == 0) { /* 0, 1, 3, 7, ...: full */
        const xmlNode **grown = realloc(origin->node, (2 * (size_t)origin->n + 1) * sizeof *grown);
        if (grown == NULL) return id;
        origin->node = grown;
    }
    origin->node[origin->n++] = node;
    return id;
}

/* An error of the builder, told by the element it came from. */
static tacStatus blame_element(const tacUrdf *urdf, tacStatus status, const tacError *why) {
    const tacUrdfOrigin *origin = &urdf->origin[why->kind];
    const xmlNode *node = why->id >= 0 && why->id < origin->n ? origin->node[why->id] : urdf->robot;
    tac_xml_fail(node != NULL ? node : urdf->robot, urdf->err, status, "%s", why->text);
    if (urdf->err != NULL) {
        urdf->err->kind = why->kind;
        urdf->err->id = why->id;
    }
    return status;
}

/* --- Settings ----------------------------------------------------------------------------------------------------- */

/* Is it a macro that has to be expanded before this is a URDF? */
static int is_xacro(const xmlNode *node) {
    return strncmp(tac_xml_name(node), "xacro:", 6) == 0 ||
           (node->ns != NULL && node->ns->prefix != NULL && strcmp((const char *)node->ns->prefix, "xacro") == 0);
}

static tacStatus read_settings(tacUrdf *urdf) {
    tacStatus status = TAC_OK;
    for (const xmlNode *node = tac_xml_child(urdf->robot, NULL); node != NULL && status == TAC_OK;
         node = tac_xml_next(node, NULL)) {
        if (is_xacro(node))
            status = tac_urdf_refuse(urdf, node, TAC_ERR_UNSUPPORTED, "it is ignored",
                                     "a xacro macro, expected plain URDF: run xacro first");
        else if (tac_xml_is(node, "mujoco"))
            status = tac_urdf_read_mujoco(urdf, node);
        else if (!tac_xml_is(node, "link") && !tac_xml_is(node, "joint") && !tac_xml_is(node, "loop_joint"))
            tac_urdf_ignore(urdf, node);
    }
    return status;
}

/* --- Building ----------------------------------------------------------------------------------------------------- */

/* A root link called world is the world itself. */
static int is_world(const tacUrdfLink *link) { return link->joint < 0 && strcmp(link->name, "world") == 0; }

static tacStatus add_world(tacUrdf *urdf, tacUrdfLink *link) {
    link->body = 0;
    if (tac_xml_child(link->node, "inertial") != NULL)
        tac_urdf_warn(urdf, link->node, "the inertia of the world link is ignored");
    if (urdf->options->base != TAC_BASE_FLOATING) return TAC_OK;
    return tac_urdf_refuse(urdf, link->node, TAC_ERR_ARGUMENT, "the base stays fixed",
                           "the root link is the world and cannot float, expected --base fixed");
}

static tacStatus add_body(tacUrdf *urdf, tacUrdfLink *link) {
    tacBodyDef body = tac_default_body();
    tacUrdfJoint *joint = link->joint >= 0 ? &urdf->joint[link->joint] : NULL;
    body.name = link->name;
    tacStatus status = TAC_OK;
    if (joint != NULL) status = tac_urdf_read_origin(joint->node, &body.pos, &body.quat, urdf->err);
    if (status == TAC_OK) status = tac_urdf_read_inertial(urdf, link->node, &body);
    if (status != TAC_OK) return status;
    int parent = joint != NULL ? urdf->link[joint->parent].body : 0;
    link->body = tac_urdf_added(urdf, TAC_KIND_BODY, tac_model_add_body(urdf->builder, parent, &body), link->node);
    if (joint != NULL) return tac_urdf_add_joint(urdf, joint);
    return urdf->options->base == TAC_BASE_FLOATING ? tac_urdf_add_free_joint(urdf, link) : TAC_OK;
}

static tacStatus add_links(tacUrdf *urdf) {
    tacStatus status = TAC_OK;
    for (int root = 0; root < urdf->nlink; root++) {
        if (urdf->link[root].joint >= 0) continue;
        for (int i = root; i >= 0 && status == TAC_OK; i = tac_urdf_next_link(urdf, root, i)) {
            tacUrdfLink *link = &urdf->link[i];
            status = is_world(link) ? add_world(urdf, link) : add_body(urdf, link);
            if (status == TAC_OK) status = tac_urdf_add_geoms(urdf, link);
        }
    }
    return status;
}

/* Links, joints and couplings -> model; why holds the builder's own error. */
static tacStatus assemble(tacUrdf *urdf, tacModel **model, tacError *why) {
    urdf->builder = tac_model_begin();
    if (urdf->builder == NULL) return tac_fail(urdf->err, TAC_ERR_MEMORY, "%s: no memory", tac_xml_file(urdf->robot));
    tac_urdf_added(urdf, TAC_KIND_BODY, 0, urdf->robot);
    tacStatus status = add_links(urdf);
    if (status == TAC_OK) status = tac_urdf_add_couplings(urdf);
    if (status != TAC_OK) return status;
    tac_model_set_option(urdf->builder, &urdf->option);
    status = tac_model_finish(urdf->builder, model, why);
    return status == TAC_OK ? TAC_OK : blame_element(urdf, status, why);
}

/* Forgets what assemble made, but not what was read. */
static void disassemble(tacUrdf *urdf) {
    tac_builder_free(urdf->builder);
    urdf->builder = NULL;
    for (int i = 0; i < urdf->nmesh; i++) {
        free(urdf->mesh[i].path);
        free(urdf->mesh[i].name);
    }
    urdf->nmesh = 0;
    urdf->nvert = 0;
    for (int kind = 0; kind < TAC_KIND_COUNT; kind++) {
        free(urdf->origin[kind].node);
        urdf->origin[kind] = (tacUrdfOrigin){0};
    }
    tac_urdf_names_free(&urdf->geom_names);
    tac_urdf_names_free(&urdf->mesh_names);
    for (int i = 0; i < urdf->njoint; i++)
        urdf->joint[i].id = -1;
}

/* Lenient: the joint that moves no inertia takes the least armature. 1: there is one more to give it to. */
static int give_armature(tacUrdf *urdf, const tacError *why) {
    const tacUrdfOrigin *origin = &urdf->origin[TAC_KIND_JOINT];
    if (why->kind != TAC_KIND_JOINT || why->id < 0 || why->id >= origin->n) return 0;
    const xmlNode *node = origin->node[why->id];
    int given = 0;
    for (int i = 0; i < urdf->njoint; i++)
        if (urdf->joint[i].node == node && !urdf->joint[i].weightless) urdf->joint[i].weightless = given = 1;
    for (int i = 0; i < urdf->nlink; i++)
        if (urdf->link[i].node == node && !urdf->link[i].weightless) urdf->link[i].weightless = given = 1;
    if (given)
        tac_urdf_warn(urdf, node, "moves no inertia, so the joint-space inertia is singular; its armature is set to %g",
                      TAC_URDF_LEAST_ARMATURE);
    return given;
}

static tacStatus build(tacUrdf *urdf, tacModel **model) {
    enum { MAX_MENDED = 32 }; /* joints without inertia; each costs another pass */
    tacStatus status = read_settings(urdf);
    if (status == TAC_OK) status = tac_urdf_read_tree(urdf);
    if (status != TAC_OK) return status;
    int nignored = urdf->nignored;
    for (int pass = 0;; pass++) {
        tacError why = {.id = -1};
        urdf->nignored = nignored;
        status = assemble(urdf, model, &why);
        int mend = status == TAC_ERR_SINGULAR && urdf->options->lenient && pass < MAX_MENDED;
        if (status == TAC_ERR_SINGULAR && !urdf->options->lenient && why.kind == TAC_KIND_JOINT)
            return tac_xml_strict(urdf->err, status);
        if (!mend || !give_armature(urdf, &why)) return status;
        disassemble(urdf);
    }
}

static void free_urdf(tacUrdf *urdf) {
    disassemble(urdf);
    free(urdf->mesh);
    free(urdf->link);
    free(urdf->joint);
    free(urdf->material);
    tac_urdf_names_free(&urdf->material_names);
    tac_urdf_names_free(&urdf->link_names);
    tac_urdf_names_free(&urdf->joint_names);
    free(urdf);
}

tacStatus tac_urdf_load(const char *path, xmlNode *robot, const tacFiles *files, const tacLoadOptions *options,
                        tacReport *report, tacModel **model, tacError *err) {
    tacUrdf *urdf = calloc(1, sizeof *urdf);
    if (urdf == NULL) return tac_fail(err, TAC_ERR_MEMORY, "%s: no memory", path);
    urdf->files = files;
    urdf->options = options;
    urdf->report = report;
    urdf->err = err;
    urdf->robot = robot;
    tac_report_set_name(report, tac_xml_get(robot, "name"));
    urdf->option = tac_default_option();
    urdf->option.literal_inertia = 1;
    tac_files_folder(path, urdf->folder, sizeof urdf->folder);
    tac_urdf_find_package(urdf);
    tacStatus status = build(urdf, model);
    list_ignored(urdf);
    free_urdf(urdf);
    return status;
}
