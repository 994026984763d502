/* MJCF <geom>: shapes, meshes, height fields, primitives fitted to meshes; and where bodies get their mass from. */
#include "io/mjcf_read.h"

#include "base/error.h"
#include "io/numbers.h"

#include <string.h>

static const double MIN_LENGTH = 1e-14; /* MuJoCo's mjEPS */

#define AT(field)         .offset = offsetof(tacMjcfGeom, field)
#define COUNTED(field, n) .offset = offsetof(tacMjcfGeom, field), .count_offset = offsetof(tacMjcfGeom, n)
static const tacAttr GEOM[] = {TAC_A_NAME,
                               {"type", TAC_A_KEY(TAC_MJCF_GEOM_TYPE), AT(def.type)},
                               {"contype", TAC_A_WHOLE, AT(def.contype)},
                               {"conaffinity", TAC_A_WHOLE, AT(def.conaffinity)},
                               {"condim", TAC_A_WHOLE, AT(def.condim)},
                               {"group", TAC_A_WHOLE, AT(def.group)},
                               {"priority", TAC_A_WHOLE, AT(def.priority)},
                               {"size", TAC_A_NUMBERS(1, 3), AT(def.size)},
                               {"material", TAC_A_UNUSED},
                               {"friction", TAC_A_NUMBERS(1, 3), AT(def.friction)},
                               {"mass", TAC_A_NUMBER, COUNTED(def.mass, nmass)},
                               {"density", TAC_A_NUMBER, AT(def.density)},
                               {"shellinertia", TAC_A_YESNO, AT(def.shell)},
                               {"solmix", TAC_A_NUMBER, AT(def.solmix)},
                               {"solref", TAC_A_NUMBERS(1, 2), AT(def.solref)},
                               {"solimp", TAC_A_NUMBERS(1, 5), AT(def.solimp)},
                               {"margin", TAC_A_NUMBER, AT(def.margin)},
                               {"gap", TAC_A_NUMBER, AT(def.gap)},
                               {"surfacevel", TAC_A_NUMBERS(1, 6), AT(surfacevel)},
                               {"adhesion", TAC_A_NUMBER, AT(adhesion)},
                               {"fromto", TAC_A_NUMBERS(6, 6), COUNTED(fromto, nfromto)},
                               {"pos", TAC_A_NUMBERS(3, 3), AT(def.pos)},
                               TAC_MJCF_ORIENT_ATTRS,
                               {"hfield", TAC_A_TEXT, AT(hfield)},
                               {"mesh", TAC_A_TEXT, AT(mesh)},
                               {"fitscale", TAC_A_NUMBER, AT(fitscale)},
                               {"rgba", .type = TAC_ATTR_FLOAT, .min = 4, .max = 4, AT(def.rgba)},
                               {"fluidshape", TAC_A_UNUSED},
                               {"fluidcoef", TAC_A_UNUSED},
                               {"user", TAC_A_UNUSED},
                               TAC_ATTR_END};
#undef AT
#undef COUNTED

/* tactus:pad, tactus:sum. */
static tacStatus read_own(tacMjcf *m, const xmlNode *node, tacMjcfGeom *geom) {
    const char *pad = tac_xml_own(node, "pad"), *sum = tac_xml_own(node, "sum");
    tacError why;
    int n;
    if (sum != NULL) geom->sum = sum;
    if (pad == NULL || tac_numbers_read(pad, 1, 1, &geom->def.pad, &n, &why) == TAC_OK) return TAC_OK;
    return tac_xml_fail(node, m->err, why.status, "attribute 'tactus:pad': %s", why.text);
}

tacStatus tac_mjcf_read_geom(tacMjcf *m, const xmlNode *node, tacMjcfGeom *geom) {
    tacStatus status = tac_mjcf_read(m, node, GEOM, geom);
    if (status == TAC_OK) status = read_own(m, node, geom);
    return status == TAC_OK ? tac_mjcf_orient(m, node, &geom->orient) : status;
}

tacStatus tac_mjcf_fromto(tacMjcf *m, const xmlNode *node, const double *fromto, tacGeomType type, tacVec3 *pos,
                          tacQuat *quat, double *size) {
    if (type != TAC_GEOM_CAPSULE && type != TAC_GEOM_CYLINDER && type != TAC_GEOM_ELLIPSOID && type != TAC_GEOM_BOX)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                            "attribute 'fromto' expects type capsule, cylinder, ellipsoid or box");
    if (pos->x != 0 || pos->y != 0 || pos->z != 0)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "found pos and fromto, expected one of them");
    /* MuJoCo's z axis points from the second point to the first. */
    tacVec3 from = tac_load3(fromto), to = tac_load3(fromto + 3), axis = tac_sub3(from, to);
    double length = tac_norm3(axis);
    if (length / 2 < MIN_LENGTH)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL,
                            "attribute 'fromto': found two equal points, expected different points");
    *pos = tac_scale3(0.5, tac_add3(from, to));
    *quat = tac_quat_from_z(tac_scale3(1 / length, axis));
    size[1] = length / 2;
    if (type == TAC_GEOM_ELLIPSOID || type == TAC_GEOM_BOX) {
        size[2] = size[1];
        size[1] = size[0];
    }
    return TAC_OK;
}

static tacStatus resolve_frame(tacMjcf *m, tacMjcfGeom *geom, tacPose frame) {
    tacGeomDef *def = &geom->def;
    if (geom->nfromto > 0) {
        if (geom->mesh != NULL)
            return tac_xml_fail(geom->node, m->err, TAC_ERR_MODEL, "found fromto and mesh, expected one of them");
        tacStatus status = tac_mjcf_fromto(m, geom->node, geom->fromto, def->type, &def->pos, &def->quat, def->size);
        if (status != TAC_OK) return status;
    } else {
        const char *wrong = tac_orient_resolve(&geom->orient, &m->compiler.angles, &def->quat);
        if (wrong != NULL) return tac_xml_fail(geom->node, m->err, TAC_ERR_MODEL, "%s", wrong);
    }
    tacPose pose = tac_pose_compose(frame, (tacPose){def->pos, def->quat});
    def->pos = pose.pos;
    def->quat = pose.quat;
    return TAC_OK;
}

static tacStatus resolve_mesh(tacMjcf *m, tacMjcfGeom *geom) {
    int id;
    if (geom->mesh == NULL) {
        if (geom->def.type != TAC_GEOM_MESH) return TAC_OK;
        return tac_xml_fail(geom->node, m->err, TAC_ERR_MODEL,
                            "attribute 'mesh' is missing, expected the name of a mesh");
    }
    tacStatus status = tac_mjcf_find(m, geom->node, "mesh", TAC_KIND_MESH, geom->mesh, &id);
    if (status != TAC_OK) return status;
    if (geom->def.type == TAC_GEOM_MESH)
        geom->def.mesh = id;
    else
        geom->fit = id;
    if (geom->def.type == TAC_GEOM_MESH && geom->def.shell)
        return tac_xml_fail(geom->node, m->err, TAC_ERR_MODEL,
                            "attribute 'shellinertia' is set, expected inertia=\"shell\" in the mesh");
    return TAC_OK;
}

/* The geom keeps its place and MuJoCo's bounding sizes, and touches nothing. */
static tacStatus resolve_hfield(tacMjcf *m, tacMjcfGeom *geom) {
    if (geom->hfield == NULL && geom->def.type != TAC_GEOM_HFIELD) return TAC_OK;
    int id = geom->hfield != NULL ? tac_mjcf_names_find(&m->hfield_names, geom->hfield) : -1;
    if (id < 0 || geom->def.type != TAC_GEOM_HFIELD)
        return tac_xml_fail(geom->node, m->err, TAC_ERR_NAME,
                            "attributes 'type' and 'hfield': expected type=\"hfield\" with the name of a height field");
    const double *size = TAC_AT(m->hfield, tacMjcfHfield, id)->size;
    geom->def.size[0] = size[0];
    geom->def.size[1] = size[1];
    geom->def.size[2] = 0.25 * size[2] + 0.5 * size[3];
    return tac_mjcf_unsupported(m, geom->node, "height fields are not supported: the geom does not collide");
}

static tacStatus resolve_extras(tacMjcf *m, tacMjcfGeom *geom) {
    tacStatus status = TAC_OK;
    int moves = 0;
    for (int i = 0; i < 6; i++)
        moves |= geom->surfacevel[i] != 0;
    if (moves)
        status = tac_mjcf_unsupported(m, geom->node,
                                      "attribute 'surfacevel' is not supported: the surface velocity is zero");
    if (status == TAC_OK && geom->adhesion != 0)
        status =
            tac_mjcf_unsupported(m, geom->node, "attribute 'adhesion' is not supported: there is no adhesion force");
    if (status == TAC_OK && tac_xml_child(geom->node, "plugin") != NULL)
        status = tac_mjcf_unsupported(m, geom->node, "plugins are not supported: the shape is read as a mesh");
    if (status == TAC_OK && (int)geom->def.type == TAC_MJCF_SDF) {
        status = tac_mjcf_unsupported(m, geom->node, "type=\"sdf\" is not supported: the shape is read as a mesh");
        geom->def.type = TAC_GEOM_MESH;
    }
    return status;
}

tacStatus tac_mjcf_add_geom(tacMjcf *m, const xmlNode *node, int class_id, int body, tacPose frame) {
    tacMjcfGeom geom = *TAC_AT(m->classes, tacMjcfClass, class_id)->geom;
    geom.node = node;
    geom.body = body;
    geom.order = m->geom.n;
    geom.def.name = tac_xml_get(node, "name");
    tacStatus status = tac_mjcf_read_geom(m, node, &geom);
    if (status == TAC_OK) status = resolve_extras(m, &geom);
    if (status == TAC_OK) status = resolve_frame(m, &geom, frame);
    if (status == TAC_OK) status = resolve_mesh(m, &geom);
    if (status == TAC_OK) status = resolve_hfield(m, &geom);
    if (status != TAC_OK) return status;
    geom.def.has_mass = geom.nmass > 0;
    geom.def.adds_mass =
        geom.def.group >= m->compiler.inertiagrouprange[0] && geom.def.group <= m->compiler.inertiagrouprange[1];
    int id = tac_mjcf_add(m, &m->geom, &geom, sizeof geom, TAC_KIND_GEOM, geom.def.name);
    return id >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

tacStatus tac_mjcf_sums(tacMjcf *m) {
    tacStatus status = TAC_OK;
    for (int i = 0; i < m->geom.n && status == TAC_OK; i++) {
        tacMjcfGeom *geom = TAC_AT(m->geom, tacMjcfGeom, i);
        if (geom->sum == NULL) continue;
        status = tac_mjcf_find(m, geom->node, "tactus:sum", TAC_KIND_GEOM, geom->sum, &geom->def.sum);
        if (status == TAC_OK) TAC_AT(m->geom, tacMjcfGeom, geom->def.sum)->def.adds_mass = 0;
    }
    return status;
}

/* --- Primitives fitted to meshes ---------------------------------------------------------------------------------- */

/* The mesh's own inertia frame and box. */
typedef struct MeshBox {
    tacPose pose;         /* principal axes at the centre of mass, in the mesh frame */
    tacVec3 box;          /* half-sizes of the box with the same mass and inertia */
    tacVec3 center, half; /* bounding box in those axes */
} MeshBox;

static void bound_mesh(const tacModel *model, tacPose inverse, MeshBox *out) {
    tacVec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (int i = 0; i < model->nmeshvert; i++) {
        tacVec3 v = tac_pose_compose(inverse, (tacPose){model->mesh_vert[i], tac_quat_identity()}).pos;
        low = i == 0 ? v : tac_vec3(tac_min(low.x, v.x), tac_min(low.y, v.y), tac_min(low.z, v.z));
        high = i == 0 ? v : tac_vec3(tac_max(high.x, v.x), tac_max(high.y, v.y), tac_max(high.z, v.z));
    }
    out->center = tac_scale3(0.5, tac_add3(low, high));
    out->half = tac_sub3(high, out->center);
}

/* A model of that mesh alone, of density one, knows its mass and principal axes. */
static tacStatus measure_mesh(tacMjcf *m, const tacMjcfGeom *user, const tacMjcfMesh *mesh, MeshBox *out) {
    tacError why;
    tacModel *model = NULL;
    tacBuilder *b = tac_model_begin();
    if (b == NULL) return tac_mjcf_no_memory(m);
    tacBodyDef body = tac_default_body();
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_MESH;
    geom.density = 1;
    tac_model_add_body(b, 0, &body);
    geom.mesh = tac_model_add_mesh(b, &mesh->def);
    tac_model_add_geom(b, 1, &geom);
    tacStatus status = tac_model_finish(b, &model, &why);
    tac_builder_free(b);
    if (status != TAC_OK) return tac_xml_fail(user->node, m->err, status, "cannot fit to the mesh: %s", why.text);
    double volume = model->body_mass[1];
    tacVec3 I = model->body_inertia[1];
    out->pose = (tacPose){model->body_ipos[1], model->body_iquat[1]};
    out->box = tac_vec3(0.5 * tac_sqrt(6 * (I.y + I.z - I.x) / volume), 0.5 * tac_sqrt(6 * (I.x + I.z - I.y) / volume),
                        0.5 * tac_sqrt(6 * (I.x + I.y - I.z) / volume));
    bound_mesh(model, tac_pose_inverse(out->pose), out);
    tac_model_free(model);
    return TAC_OK;
}

/* MuJoCo's rules: by the inertia box, or (fitaabb) the smallest shape whose bounding box holds the mesh's. */
static tacStatus fit_size(tacMjcf *m, tacMjcfGeom *geom, const MeshBox *box) {
    int aabb = m->compiler.fitaabb;
    tacVec3 b = aabb ? box->half : box->box;
    double *size = geom->def.size, radius = aabb ? tac_max(b.x, b.y) : (b.x + b.y) / 2;
    switch (geom->def.type) {
    case TAC_GEOM_SPHERE:
        size[0] = aabb ? tac_max(radius, b.z) : (b.x + b.y + b.z) / 3;
        break;
    case TAC_GEOM_CAPSULE:
        size[0] = radius;
        size[1] = aabb ? b.z - radius : tac_max(0, b.z - radius / 2);
        break;
    case TAC_GEOM_CYLINDER:
        size[0] = radius;
        size[1] = b.z;
        break;
    case TAC_GEOM_ELLIPSOID:
    case TAC_GEOM_BOX:
        tac_store3(size, b);
        break;
    default:
        return tac_xml_fail(geom->node, m->err, TAC_ERR_MODEL,
                            "attribute 'type': expected sphere, capsule, cylinder, ellipsoid, box or mesh with a mesh");
    }
    for (int i = 0; i < 3; i++)
        size[i] *= geom->fitscale;
    return TAC_OK;
}

tacStatus tac_mjcf_fit_geoms(tacMjcf *m) {
    for (int i = 0; i < m->geom.n; i++) {
        tacMjcfGeom *geom = TAC_AT(m->geom, tacMjcfGeom, i);
        MeshBox box = {0};
        if (geom->fit < 0) continue;
        tacStatus status = measure_mesh(m, geom, TAC_AT(m->mesh, tacMjcfMesh, geom->fit), &box);
        if (status == TAC_OK) status = fit_size(m, geom, &box);
        if (status != TAC_OK) return status;
        tacPose shift = {m->compiler.fitaabb ? box.center : tac_zero3(), tac_quat_identity()};
        tacPose pose = tac_pose_compose((tacPose){geom->def.pos, geom->def.quat}, tac_pose_compose(box.pose, shift));
        geom->def.pos = pose.pos;
        geom->def.quat = pose.quat;
    }
    return TAC_OK;
}

/* --- Where bodies get their mass from ----------------------------------------------------------------------------- */

/* Has it weight of its own to give? */
static int weighs(const tacGeomDef *def) {
    return def->adds_mass && (def->has_mass ? def->mass != 0 : def->density != 0) && def->type != TAC_GEOM_PLANE &&
           def->type != TAC_GEOM_HFIELD;
}

static void mark_looks(tacMjcf *m) {
    for (int i = 0; i < m->geom.n; i++) {
        tacMjcfGeom *geom = TAC_AT(m->geom, tacMjcfGeom, i);
        const tacBodyDef *body = &TAC_AT(m->body, tacMjcfBody, geom->body)->def;
        int gives = geom->body > 0 && body->inertial == TAC_INERTIAL_GEOMS && weighs(&geom->def);
        geom->def.visual = geom->def.contype == 0 && geom->def.conaffinity == 0 && !gives;
    }
    for (int i = 0; i < m->geom.n; i++) {
        int sum = TAC_AT(m->geom, tacMjcfGeom, i)->def.sum;
        if (sum >= 0) TAC_AT(m->geom, tacMjcfGeom, sum)->def.visual = 0;
    }
    for (int i = 0; i < 2 * m->pair.n; i++) {
        int id = TAC_AT(m->pair, tacMjcfPair, i / 2)->def.geom[i % 2];
        TAC_AT(m->geom, tacMjcfGeom, id)->def.visual = 0;
    }
}

tacStatus tac_mjcf_inertias(tacMjcf *m) {
    char *heavy = tac_mjcf_keep(m, (size_t)m->body.n);
    if (heavy == NULL) return TAC_ERR_MEMORY;
    for (int i = 0; i < m->geom.n; i++) {
        const tacMjcfGeom *geom = TAC_AT(m->geom, tacMjcfGeom, i);
        heavy[geom->body] |= (char)weighs(&geom->def);
    }
    for (int i = 1; i < m->body.n; i++) {
        tacMjcfBody *body = TAC_AT(m->body, tacMjcfBody, i);
        if (body->attached) continue;
        int wanted =
            m->compiler.inertiafromgeom == 1 || (m->compiler.inertiafromgeom == TAC_MJCF_AUTO && !body->has_inertial);
        if (wanted && heavy[i])
            body->def.inertial = TAC_INERTIAL_GEOMS;
        else if (!body->has_inertial)
            body->def.inertial = TAC_INERTIAL_DIAG; /* no mass, at the frame that read_body left in ipos and iquat */
    }
    mark_looks(m);
    return TAC_OK;
}
