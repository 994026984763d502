/* Finding and reading the meshes a URDF names.
 *
 * Files may be opened inside the package that the URDF lies in: the nearest folder above it (itself included) that
 * holds a package.xml; without one, the URDF's folder, or its parent when the folder has one of the names that packages
 * keep their descriptions in (urdf, robots, ...). A package://NAME/REST is looked for in package_dirs when those are
 * given, and otherwise in the folders above the URDF: a folder called NAME, or one next to such a folder. What is found
 * there is part of the model and may be opened; a path that leads out of it may not. */
#include "io/urdf_parse.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 5 }; /* folders above the URDF's that are looked at */

static int holds_package_file(const char *folder) {
    tacFiles anywhere = {.allow_outside = 1};
    char path[TAC_PATH];
    tac_files_join(folder, "package.xml", path, sizeof path);
    return tac_files_exists(&anywhere, path);
}

/* Folder above, in place; 0: there is none. */
static int go_up(char *folder) {
    char above[TAC_PATH];
    if (strcmp(folder, "/") == 0) return 0;
    tac_files_folder(folder, above, sizeof above);
    strcpy(folder, above);
    return strcmp(folder, "/") != 0;
}

void tac_urdf_find_package(tacUrdf *urdf) {
    static const char *const inner[] = {"urdf", "robots", "robot", "xacro", "sdf", "model", "models"};
    char folder[TAC_PATH];
    strcpy(folder, urdf->files->root);
    strcpy(urdf->package, folder);
    for (int level = 0; level <= MAX_LEVELS; level++) {
        if (holds_package_file(folder)) {
            strcpy(urdf->package, folder);
            return;
        }
        if (!go_up(folder)) break;
    }
    strcpy(folder, urdf->files->root);
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        if (strcmp(tac_files_base(folder), inner[i]) == 0 && go_up(folder)) {
            strcpy(urdf->package, folder);
            return;
        }
}

/* --- Where a file name leads -------------------------------------------------------------------------------------- */

/* A file that was found, and the folder it may not lead out of. */
typedef struct Place {
    char path[TAC_PATH];
    tacFiles files;
} Place;

/* folder/name, allowed inside `root`; 1: there is such a file. */
static int try_place(const tacUrdf *urdf, const char *root, const char *folder, const char *name, Place *place) {
    place->files = *urdf->files;
    snprintf(place->files.root, sizeof place->files.root, "%s", root);
    tac_files_join(folder, name, place->path, sizeof place->path);
    return tac_files_exists(&place->files, place->path);
}

/* folder/NAME/REST, or folder/REST when the folder itself is called NAME. */
static int try_package(const tacUrdf *urdf, const char *folder, const char *name, const char *rest, Place *place) {
    char inside[TAC_PATH];
    if (strcmp(tac_files_base(folder), name) == 0 && try_place(urdf, folder, folder, rest, place)) return 1;
    tac_files_join(folder, name, inside, sizeof inside);
    return try_place(urdf, inside, inside, rest, place);
}

/* Each of package_dirs, links resolved: the user named them. */
static int search_given(const tacUrdf *urdf, const char *name, const char *rest, Place *place) {
    const char *at = urdf->options->package_dirs;
    while (at != NULL && *at != 0) {
        size_t n = strcspn(at, ":");
        char folder[TAC_PATH];
        snprintf(folder, sizeof folder, "%.*s", (int)n, at);
        at += n;
        at += *at == ':';
        tacFiles real = *urdf->files;
        if (tac_files_set_root(&real, folder, NULL) == TAC_OK && try_package(urdf, real.root, name, rest, place))
            return 1;
    }
    return 0;
}

/* The folders above the URDF, nearest first. */
static int search_above(const tacUrdf *urdf, const char *name, const char *rest, Place *place) {
    char folder[TAC_PATH];
    strcpy(folder, urdf->files->root);
    for (int level = 0; level <= MAX_LEVELS; level++) {
        if (try_package(urdf, folder, name, rest, place)) return 1;
        if (!go_up(folder)) return 0;
    }
    return 0;
}

/* package://NAME/REST (or model://) */
static int find_in_package(const tacUrdf *urdf, const char *name_and_rest, Place *place) {
    size_t n = strcspn(name_and_rest, "/");
    char name[256];
    if (n == 0 || n >= sizeof name || name_and_rest[n] != '/') return 0;
    snprintf(name, sizeof name, "%.*s", (int)n, name_and_rest);
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 0;
    const char *rest = name_and_rest + n + strspn(name_and_rest + n, "/");
    return search_given(urdf, name, rest, place) || search_above(urdf, name, rest, place) ||
           try_place(urdf, urdf->package, urdf->package, rest, place);
}

/* A plain path: beside the URDF (in the folder it asks for), or counted from its package. */
static int find_plain(const tacUrdf *urdf, const char *name, Place *place) {
    char folder[TAC_PATH];
    tac_files_join(urdf->folder, urdf->meshdir != NULL ? urdf->meshdir : "", folder, sizeof folder);
    return try_place(urdf, urdf->package, folder, name, place) ||
           try_place(urdf, urdf->package, urdf->package, name, place) ||
           try_place(urdf, urdf->package, folder, name, place); /* so that errors name this one */
}

/* Text after a prefix, or NULL. */
static const char *after(const char *text, const char *prefix) {
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static const char *after_scheme(const char *name) {
    const char *rest = after(name, "package://");
    return rest != NULL ? rest : after(name, "model://");
}

static tacStatus find_mesh(tacUrdf *urdf, const xmlNode *node, const char *name, Place *place, int *found) {
    const char *rest = after_scheme(name), *local = after(name, "file://");
    *found = 1;
    if (rest != NULL && !urdf->strippath) {
        if (find_in_package(urdf, rest, place)) return TAC_OK;
        *found = 0;
        return tac_urdf_refuse(urdf, node, TAC_ERR_FILE, "this shape is ignored",
                               "\"%s\" is not in the parent folders of this file; set the folder of the package "
                               "(package_dirs, --package-dirs)",
                               name);
    }
    find_plain(urdf, urdf->strippath ? tac_files_base(name) : local != NULL ? local : name, place);
    return TAC_OK; /* one that is not there fails when it is read, with the reason */
}

/* --- Meshes of the model ------------------------------------------------------------------------------------------ */

static int same_scale(tacVec3 a, tacVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static tacStatus read_scale(const xmlNode *node, tacVec3 *scale, tacError *err) {
    double s[3] = {1, 1, 1};
    int n = 0;
    tacStatus status = tac_xml_doubles(node, "scale", 1, 3, s, &n, err);
    if (status != TAC_OK) return status;
    if (n == 2) return tac_xml_fail(node, err, TAC_ERR_SYNTAX, "attribute 'scale': found 2 numbers, expected 3");
    if (n == 1) s[1] = s[2] = s[0];
    if (s[0] == 0 || s[1] == 0 || s[2] == 0)
        return tac_xml_fail(node, err, TAC_ERR_MODEL, "attribute 'scale' has a zero, expected nonzero numbers");
    *scale = (tacVec3){s[0], s[1], s[2]};
    return TAC_OK;
}

/* The file's stem, with a number after it when the name is taken; malloc'ed. */
static char *make_name(tacUrdf *urdf, const char *path) {
    enum { NUMBER = 12 };
    const char *stem = tac_files_base(path);
    const char *dot = strrchr(stem, '.');
    size_t n = dot != NULL ? (size_t)(dot - stem) : strlen(stem);
    char *name = malloc(n + NUMBER);
    if (name == NULL) return NULL;
    snprintf(name, n + NUMBER, "%.*s", (int)n, stem);
    for (int i = 0; tac_urdf_names_find(&urdf->mesh_names, name) >= 0; i++)
        snprintf(name + n, NUMBER, "%d", i);
    return name;
}

static tacStatus add_to_model(tacUrdf *urdf, const xmlNode *node, const tacMeshData *data, tacUrdfMesh *mesh) {
    tacMeshDef def = tac_default_mesh();
    def.name = mesh->name;
    def.nvert = data->nvert;
    def.vert = data->vert;
    def.nface = data->nface;
    def.face = data->face;
    def.nhullvert = data->nhullvert;
    def.hullvert = data->hullvert;
    def.nhullface = data->nhullface;
    def.hullface = data->hullface;
    def.scale = mesh->scale;
    mesh->id = tac_urdf_added(urdf, TAC_KIND_MESH, tac_model_add_mesh(urdf->builder, &def), node);
    return TAC_OK;
}

/* One file at many scales is many meshes: a small URDF must not ask for all memory. */
static tacStatus count_vertices(tacUrdf *urdf, const xmlNode *node, int nvert) {
    enum { MAX_VERTICES = 1 << 26 };
    urdf->nvert += nvert;
    if (urdf->nvert <= MAX_VERTICES) return TAC_OK;
    return tac_xml_fail(node, urdf->err, TAC_ERR_MODEL, "the meshes have too many vertices, expected at most %d",
                        MAX_VERTICES);
}

/* Keeps a mesh that was read, under a name of its own. */
static tacStatus keep_mesh(tacUrdf *urdf, const xmlNode *node, const Place *place, tacVec3 scale,
                           const tacMeshData *data, int *id) {
    tacUrdfMesh mesh = {.path = malloc(strlen(place->path) + 1), .name = make_name(urdf, place->path), .scale = scale};
    tacUrdfMesh *grown = realloc(urdf->mesh, ((size_t)urdf->nmesh + 1) * sizeof *grown);
    if (grown != NULL) urdf->mesh = grown;
    if (grown == NULL || mesh.path == NULL || mesh.name == NULL ||
        !tac_urdf_names_add(&urdf->mesh_names, mesh.name, urdf->nmesh)) {
        free(mesh.path);
        free(mesh.name);
        return tac_xml_fail(node, urdf->err, TAC_ERR_MEMORY, "no memory for a mesh");
    }
    strcpy(mesh.path, place->path);
    tacStatus status = add_to_model(urdf, node, data, &mesh);
    urdf->mesh[urdf->nmesh++] = mesh;
    *id = mesh.id;
    return status;
}

static tacStatus read_mesh(tacUrdf *urdf, const xmlNode *node, const Place *place, tacVec3 scale, int *id) {
    tacMeshData data;
    tacError why;
    tacStatus status = tac_mesh_read(&place->files, place->path, &data, &why);
    if (status != TAC_OK) return tac_urdf_refuse(urdf, node, status, "this shape is ignored", "%s", why.text);
    status = tac_mesh_hull(&data, &why);
    if (status != TAC_OK)
        status = tac_urdf_refuse(urdf, node, status, "this shape is ignored", "%s: %s", place->path, why.text);
    else if ((status = count_vertices(urdf, node, data.nvert)) == TAC_OK)
        status = keep_mesh(urdf, node, place, scale, &data, id);
    if (data.dropped > 0)
        tac_urdf_warn(urdf, node, "%s: %d faces after the first group are not part of the mesh's volume", place->path,
                      data.dropped);
    tac_mesh_free(&data);
    return status;
}

tacStatus tac_urdf_add_mesh(tacUrdf *urdf, const xmlNode *node, int *id) {
    const char *name;
    tacVec3 scale;
    *id = -1;
    tacStatus status = tac_xml_need(node, "filename", &name, urdf->err);
    if (status == TAC_OK) status = read_scale(node, &scale, urdf->err);
    if (status != TAC_OK) return status;
    Place *place = malloc(sizeof *place);
    if (place == NULL) return tac_xml_fail(node, urdf->err, TAC_ERR_MEMORY, "no memory for a mesh");
    int found;
    status = find_mesh(urdf, node, name, place, &found);
    for (int i = 0; i < urdf->nmesh && status == TAC_OK && found && *id < 0; i++)
        if (same_scale(urdf->mesh[i].scale, scale) && strcmp(urdf->mesh[i].path, place->path) == 0)
            *id = urdf->mesh[i].id;
    if (status == TAC_OK && found && *id < 0) status = read_mesh(urdf, node, place, scale, id);
    free(place);
    return status;
}
