/* MJCF <asset>: meshes, and the sizes of height fields. */
#include "io/mjcf_read.h"

#include "base/error.h"
#include "io/mesh_builtin.h"

#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

static const tacKeyword INERTIA[] = {{"convex", TAC_MESH_CONVEX},
                                     {"legacy", TAC_MESH_LEGACY},
                                     {"exact", TAC_MESH_EXACT},
                                     {"shell", TAC_MESH_SHELL},
                                     {NULL, 0}};

#define AT(field) .offset = offsetof(tacMjcfMesh, field)
static const tacAttr MESH[] = {TAC_A_NAME,
                               {"content_type", TAC_A_UNUSED},
                               {"file", TAC_A_ELSE},
                               {"vertex", TAC_A_ELSE},
                               {"normal", TAC_A_UNUSED},
                               {"texcoord", TAC_A_UNUSED},
                               {"face", TAC_A_ELSE},
                               {"refpos", TAC_A_NUMBERS(3, 3), AT(def.refpos)},
                               {"refquat", TAC_A_NUMBERS(4, 4), AT(def.refquat)},
                               {"scale", TAC_A_NUMBERS(3, 3), AT(def.scale)},
                               {"smoothnormal", TAC_A_UNUSED},
                               {"maxhullvert", TAC_A_WHOLE, AT(maxhullvert)},
                               {"inertia", TAC_A_KEY(INERTIA), AT(def.inertia_mode)},
                               {"builtin", TAC_A_ELSE},
                               {"params", TAC_A_ELSE},
                               {"material", TAC_A_UNUSED},
                               TAC_ATTR_END};
#undef AT

tacStatus tac_mjcf_read_mesh(tacMjcf *m, const xmlNode *node, tacMjcfMesh *mesh) {
    tacStatus status = tac_mjcf_read(m, node, MESH, mesh);
    if (status == TAC_OK && mesh->maxhullvert != -1 && mesh->maxhullvert < 4)
        status = tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                              "attribute 'maxhullvert': found %d, expected -1 or at least 4", mesh->maxhullvert);
    return status;
}

/* File name without folder and extension, or NULL. */
static const char *stem_of(tacMjcf *m, const char *file) {
    const char *base = tac_files_base(file), *dot = strrchr(base, '.');
    size_t n = dot != NULL ? (size_t)(dot - base) : strlen(base);
    char *stem = tac_mjcf_keep(m, n + 1);
    return stem != NULL ? memcpy(stem, base, n) : NULL;
}

/* MuJoCo looks beside the main file first, then beside the file that names it. */
static void find_file(const tacMjcf *m, const xmlNode *node, const char *file, char *path) {
    char folder[PATH], beside[PATH], other[PATH];
    const char *name = m->compiler.strippath ? tac_files_base(file) : file;
    const char *meshdir = m->compiler.meshdir != NULL ? m->compiler.meshdir : "";
    tac_files_join(m->folder, meshdir, folder, sizeof folder);
    tac_files_join(meshdir[0] != '\0' ? folder : m->folder, name, path, PATH);
    if (tac_files_exists(m->files, path)) return;
    tac_files_folder(tac_xml_file(node), beside, sizeof beside);
    tac_files_join(beside, meshdir, folder, sizeof folder);
    tac_files_join(meshdir[0] != '\0' ? folder : beside, name, other, sizeof other);
    if (tac_files_exists(m->files, other)) strcpy(path, other);
}

static tacStatus read_mesh_file(tacMjcf *m, const xmlNode *node, const char *file, tacMeshData *data) {
    char path[PATH];
    tacError why;
    find_file(m, node, file, path);
    tacStatus status = tac_mesh_read(m->files, path, data, &why);
    return status == TAC_OK ? TAC_OK : tac_xml_fail(node, m->err, status, "%s", why.text);
}

/* vertex and face attributes; without faces the hull's serve. */
static tacStatus read_inline(tacMjcf *m, const xmlNode *node, tacMeshData *data) {
    double *vertex = NULL;
    int *face = NULL, nvertex, nface = 0;
    tacError why;
    tacStatus status = tac_xml_double_list(node, "vertex", &vertex, &nvertex, m->err);
    if (status == TAC_OK) status = tac_xml_int_list(node, "face", &face, &nface, m->err);
    if (status == TAC_OK && (nvertex == 0 || nvertex % 3 != 0))
        status = tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                              "attribute 'vertex': found %d numbers, expected three per vertex", nvertex);
    if (status == TAC_OK && nface % 3 != 0)
        status = tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                              "attribute 'face': found %d numbers, expected three per face", nface);
    for (int i = 0; i < nface && status == TAC_OK; i++)
        if (face[i] < 0 || face[i] >= nvertex / 3)
            status = tac_xml_fail(node, m->err, TAC_ERR_MODEL, "attribute 'face': found vertex %d, expected 0 to %d",
                                  face[i], nvertex / 3 - 1);
    if (status == TAC_OK) {
        status = tac_mesh_from_arrays(nvertex / 3, (const tacVec3 *)vertex, nface / 3, face, data, &why);
        if (status != TAC_OK) tac_xml_fail(node, m->err, status, "%s", why.text);
    }
    free(vertex);
    free(face);
    return status;
}

/* builtin and params attributes. A plate's mass lies on its surface, whatever 'inertia' says. */
static tacStatus make_builtin(tacMjcf *m, const xmlNode *node, const char *kind, tacMjcfMesh *mesh) {
    double *param = NULL;
    int nparam, shell = 0;
    tacError why;
    tacStatus status = tac_xml_double_list(node, "params", &param, &nparam, m->err);
    if (status != TAC_OK) return status;
    status = tac_mesh_make(kind, nparam, param, &mesh->data, &shell, &why);
    free(param);
    if (shell) mesh->def.inertia_mode = TAC_MESH_SHELL;
    return status == TAC_OK ? TAC_OK : tac_xml_fail(node, m->err, status, "%s", why.text);
}

static tacStatus load_mesh(tacMjcf *m, const xmlNode *node, tacMjcfMesh *mesh) {
    const char *file = tac_xml_get(node, "file"), *builtin = tac_xml_get(node, "builtin");
    if (tac_xml_child(node, "plugin") != NULL)
        return tac_xml_fail(node, m->err, TAC_ERR_UNSUPPORTED,
                            "plugin meshes are not supported, expected 'file', 'vertex' or 'builtin'");
    if (builtin != NULL && strcmp(builtin, "none") != 0) return make_builtin(m, node, builtin, mesh);
    if (file != NULL) return read_mesh_file(m, node, file, &mesh->data);
    if (tac_xml_get(node, "vertex") != NULL) return read_inline(m, node, &mesh->data);
    return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX,
                        "attributes 'file' and 'vertex' are missing, expected one of them");
}

static void point_at_data(tacMjcfMesh *mesh) {
    mesh->def.nvert = mesh->data.nvert;
    mesh->def.vert = mesh->data.vert;
    mesh->def.nface = mesh->data.nface;
    mesh->def.face = mesh->data.face;
    mesh->def.nhullvert = mesh->data.nhullvert;
    mesh->def.hullvert = mesh->data.hullvert;
    mesh->def.nhullface = mesh->data.nhullface;
    mesh->def.hullface = mesh->data.hullface;
}

static tacStatus read_mesh(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    int class_id;
    const char *file = tac_xml_get(node, "file");
    tacStatus status = tac_mjcf_class(m, node, "class", 0, &class_id);
    if (status != TAC_OK) return status;
    tacMjcfMesh mesh = *TAC_AT(m->classes, tacMjcfClass, class_id)->mesh;
    if (m->compiler.exactmeshinertia) mesh.def.inertia_mode = TAC_MESH_EXACT;
    mesh.node = node;
    status = tac_mjcf_read_mesh(m, node, &mesh);
    if (status != TAC_OK) return status;
    mesh.def.name = tac_xml_get(node, "name");
    if (mesh.def.name == NULL && file != NULL && (mesh.def.name = stem_of(m, file)) == NULL) return TAC_ERR_MEMORY;
    mesh.def.refquat = tac_quat_normalize(mesh.def.refquat);
    status = load_mesh(m, node, &mesh);
    if (status != TAC_OK) return status;
    if (mesh.data.dropped > 0)
        tac_mjcf_warn(m, node, "%d faces after the file's first group are ignored, as in MuJoCo", mesh.data.dropped);
    point_at_data(&mesh);
    if (tac_mjcf_add(m, &m->mesh, &mesh, sizeof mesh, TAC_KIND_MESH, mesh.def.name) >= 0) return TAC_OK;
    tac_mesh_free(&mesh.data);
    return TAC_ERR_MEMORY;
}

/* Only name and size matter: the heights are for contact. */
static tacStatus read_hfield(tacMjcf *m, const xmlNode *node, void *scope) {
    static const tacAttr attributes[] = {
        {"name", TAC_A_ELSE},        {"content_type", TAC_A_UNUSED},
        {"file", TAC_A_ELSE},        {"nrow", TAC_A_UNUSED},
        {"ncol", TAC_A_UNUSED},      {"size", TAC_A_NUMBERS(4, 4), .offset = offsetof(tacMjcfHfield, size)},
        {"elevation", TAC_A_UNUSED}, TAC_ATTR_END};
    (void)scope;
    const char *size, *file = tac_xml_get(node, "file");
    tacMjcfHfield hfield = {.name = tac_xml_get(node, "name")};
    tacStatus status = tac_mjcf_read(m, node, attributes, &hfield);
    if (status == TAC_OK) status = tac_xml_need(node, "size", &size, m->err);
    if (status != TAC_OK) return status;
    if (hfield.name == NULL && file != NULL && (hfield.name = stem_of(m, file)) == NULL) return TAC_ERR_MEMORY;
    int id = tac_mjcf_append(&m->hfield, &hfield, sizeof hfield);
    if (id < 0 || (hfield.name != NULL && !tac_mjcf_names_add(&m->hfield_names, hfield.name, id)))
        return tac_mjcf_no_memory(m);
    return TAC_OK;
}

/* <model>: tac_mjcf_models has read it. */
static tacStatus read_before(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)m, (void)node, (void)scope;
    return TAC_OK;
}

tacStatus tac_mjcf_asset(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {{"mesh", read_mesh},
                                            {"hfield", read_hfield},
                                            {"texture", tac_mjcf_ignore_looks},
                                            {"material", tac_mjcf_ignore_looks},
                                            {"skin", tac_mjcf_ignore_looks},
                                            {"model", read_before},
                                            {NULL, NULL}};
    return tac_mjcf_children(m, section, children, NULL);
}

/* --- Hulls -------------------------------------------------------------------------------------------------------- */

static void need_hull(tacMjcf *m, int geom_id) {
    int mesh = TAC_AT(m->geom, tacMjcfGeom, geom_id)->def.mesh;
    if (mesh >= 0) TAC_AT(m->mesh, tacMjcfMesh, mesh)->needs_hull = 1;
}

static void mark_hulls(tacMjcf *m) {
    for (int i = 0; i < m->geom.n; i++) {
        const tacGeomDef *def = &TAC_AT(m->geom, tacMjcfGeom, i)->def;
        if (def->contype != 0 || def->conaffinity != 0) need_hull(m, i);
        if (def->sum >= 0) need_hull(m, def->sum);
    }
    for (int i = 0; i < 2 * m->pair.n; i++)
        need_hull(m, TAC_AT(m->pair, tacMjcfPair, i / 2)->def.geom[i % 2]);
    for (int i = 0; i < m->mesh.n; i++) {
        tacMjcfMesh *mesh = TAC_AT(m->mesh, tacMjcfMesh, i);
        if (mesh->def.inertia_mode == TAC_MESH_CONVEX) mesh->needs_hull = 1;
    }
}

tacStatus tac_mjcf_hulls(tacMjcf *m) {
    mark_hulls(m);
    for (int i = 0; i < m->mesh.n; i++) {
        tacMjcfMesh *mesh = TAC_AT(m->mesh, tacMjcfMesh, i);
        tacError why;
        if (!mesh->needs_hull || mesh->def.nhullvert > 0) continue;
        tacStatus status = tac_mesh_hull(&mesh->data, &why);
        if (status != TAC_OK) return tac_xml_fail(mesh->node, m->err, status, "%s", why.text);
        point_at_data(mesh);
        if (mesh->maxhullvert > 0 && mesh->data.nhullvert > mesh->maxhullvert)
            tac_mjcf_warn(m, mesh->node, "attribute 'maxhullvert' is ignored: the full hull of %d vertices is used",
                          mesh->data.nhullvert);
    }
    return TAC_OK;
}
