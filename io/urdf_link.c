/* A link's mass and collision shapes. Inertias are taken as written: real files have zero ones and ones that no rigid
 * body can have, and a robot's numbers should not change when it is loaded. */
#include "io/urdf_parse.h"

#include "math/eig3.h"

#include <string.h>

/* Below this share of the largest principal inertia a negative one, or a gap in the triangle inequality, is
 * rounding. */
#define INERTIA_ROUNDING 1e-9
/* Radius given to a sphere of radius zero, which stands for a contact point; m. */
#define POINT_RADIUS 1e-6

tacStatus tac_urdf_read_origin(const xmlNode *node, tacVec3 *pos, tacQuat *quat, tacError *err) {
    const xmlNode *origin = tac_xml_child(node, "origin");
    double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
    if (origin != NULL) {
        tacStatus status = tac_xml_doubles(origin, "xyz", 3, 3, xyz, NULL, err);
        if (status == TAC_OK) status = tac_xml_doubles(origin, "rpy", 3, 3, rpy, NULL, err);
        if (status != TAC_OK) return status;
    }
    *pos = tac_load3(xyz);
    /* fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll) */
    tacQuat roll = tac_quat_axis_angle(tac_vec3(1, 0, 0), rpy[0]),
            pitch = tac_quat_axis_angle(tac_vec3(0, 1, 0), rpy[1]),
            yaw = tac_quat_axis_angle(tac_vec3(0, 0, 1), rpy[2]);
    *quat = tac_quat_mul(yaw, tac_quat_mul(pitch, roll));
    return TAC_OK;
}

/* --- Inertial ----------------------------------------------------------------------------------------------------- */

static void warn_about_inertia(tacUrdf *urdf, const xmlNode *link, double mass, tacSym3 inertia) {
    tacQuat axes;
    tacVec3 e = tac_eig3(inertia, &axes); /* decreasing */
    double slack = INERTIA_ROUNDING * tac_max(tac_abs(e.x), tac_abs(e.z));
    if (e.z < -slack)
        tac_urdf_warn(urdf, link, "inertia has a negative principal value %g: it is used as written", e.z);
    else if (e.x == 0 && mass > 0)
        tac_urdf_warn(urdf, link, "mass %g with zero inertia: it is used as written", mass);
    else if (e.y + e.z < e.x - slack)
        tac_urdf_warn(urdf, link,
                      "principal inertias %g %g %g violate the triangle inequality: they are used as written", e.x, e.y,
                      e.z);
}

static tacStatus read_inertia(const xmlNode *node, tacSym3 *inertia, tacError *err) {
    const struct {
        const char *name;
        double *value;
        int needed;
    } entry[] = {{"ixx", &inertia->xx, 1}, {"iyy", &inertia->yy, 1}, {"izz", &inertia->zz, 1},
                 {"ixy", &inertia->xy, 0}, {"ixz", &inertia->xz, 0}, {"iyz", &inertia->yz, 0}};
    for (int i = 0; i < 6; i++) {
        const char *text;
        tacStatus status = entry[i].needed ? tac_xml_need(node, entry[i].name, &text, err) : TAC_OK;
        if (status == TAC_OK) status = tac_xml_doubles(node, entry[i].name, 1, 1, entry[i].value, NULL, err);
        if (status != TAC_OK) return status;
    }
    return TAC_OK;
}

static tacStatus read_mass(const xmlNode *node, double *mass, tacError *err) {
    const char *text;
    tacStatus status = tac_xml_need(node, "value", &text, err);
    if (status == TAC_OK) status = tac_xml_doubles(node, "value", 1, 1, mass, NULL, err);
    if (status == TAC_OK && *mass < 0)
        return tac_xml_fail(node, err, TAC_ERR_MODEL, "mass is %g, expected zero or more", *mass);
    return status;
}

tacStatus tac_urdf_read_inertial(tacUrdf *urdf, const xmlNode *link, tacBodyDef *body) {
    body->inertial = TAC_INERTIAL_FULL;
    const xmlNode *inertial = tac_xml_child(link, "inertial");
    if (inertial == NULL) { /* MuJoCo's place for the centre of mass of a body without mass */
        body->ipos = body->pos;
        body->iquat = body->quat;
        return TAC_OK;
    }
    const xmlNode *mass = tac_xml_child(inertial, "mass"), *inertia = tac_xml_child(inertial, "inertia");
    if (mass == NULL) tac_urdf_warn(urdf, link, "<inertial> without <mass>: the mass is 0");
    if (mass != NULL && inertia == NULL)
        return tac_xml_fail(link, urdf->err, TAC_ERR_SYNTAX, "<inertial> without <inertia>");
    tacStatus status = tac_urdf_read_origin(inertial, &body->ipos, &body->iquat, urdf->err);
    if (status == TAC_OK && mass != NULL) status = read_mass(mass, &body->mass, urdf->err);
    if (status == TAC_OK && inertia != NULL) status = read_inertia(inertia, &body->fullinertia, urdf->err);
    if (status == TAC_OK) warn_about_inertia(urdf, link, body->mass, body->fullinertia);
    return status;
}

/* --- Shapes ------------------------------------------------------------------------------------------------------- */

/* Positive numbers of an attribute that must be there; zero or less gives *degenerate. */
static tacStatus read_sizes(const xmlNode *node, const char *attr, int n, double *out, int *degenerate, tacError *err) {
    const char *text;
    tacStatus status = tac_xml_need(node, attr, &text, err);
    if (status == TAC_OK) status = tac_xml_doubles(node, attr, n, n, out, NULL, err);
    for (int i = 0; i < n && status == TAC_OK; i++) {
        if (out[i] < 0)
            return tac_xml_fail(node, err, TAC_ERR_MODEL, "attribute '%s' is %g, expected a positive size", attr,
                                out[i]);
        *degenerate |= out[i] == 0;
    }
    return status;
}

static tacStatus read_box(const xmlNode *node, tacGeomDef *geom, int *degenerate, tacError *err) {
    geom->type = TAC_GEOM_BOX;
    tacStatus status = read_sizes(node, "size", 3, geom->size, degenerate, err);
    for (int i = 0; i < 3; i++)
        geom->size[i] /= 2; /* half lengths */
    return status;
}

static tacStatus read_round(const xmlNode *node, tacGeomType type, tacGeomDef *geom, int *degenerate, tacError *err) {
    geom->type = type;
    tacStatus status = read_sizes(node, "radius", 1, &geom->size[0], degenerate, err);
    if (status == TAC_OK) status = read_sizes(node, "length", 1, &geom->size[1], degenerate, err);
    geom->size[1] /= 2;
    return status;
}

static tacStatus read_sphere(tacUrdf *urdf, const xmlNode *node, tacGeomDef *geom) {
    int point = 0;
    geom->type = TAC_GEOM_SPHERE;
    tacStatus status = read_sizes(node, "radius", 1, geom->size, &point, urdf->err);
    if (status == TAC_OK && point) {
        geom->size[0] = POINT_RADIUS;
        tac_urdf_warn(urdf, node, "radius 0: the radius is set to %g", POINT_RADIUS);
    }
    return status;
}

/* Shape element -> geom; *keep 0: left out (lenient). */
static tacStatus read_shape(tacUrdf *urdf, const xmlNode *shape, tacGeomDef *geom, int *keep) {
    int degenerate = 0;
    tacStatus status;
    *keep = 1;
    if (tac_xml_is(shape, "box"))
        status = read_box(shape, geom, &degenerate, urdf->err);
    else if (tac_xml_is(shape, "cylinder"))
        status = read_round(shape, TAC_GEOM_CYLINDER, geom, &degenerate, urdf->err);
    else if (tac_xml_is(shape, "capsule"))
        status = read_round(shape, TAC_GEOM_CAPSULE, geom, &degenerate, urdf->err);
    else if (tac_xml_is(shape, "sphere"))
        status = read_sphere(urdf, shape, geom);
    else {
        geom->type = TAC_GEOM_MESH;
        status = tac_urdf_add_mesh(urdf, shape, &geom->mesh);
        *keep = geom->mesh >= 0;
    }
    if (status != TAC_OK || !degenerate) return status;
    *keep = 0;
    return tac_urdf_refuse(urdf, shape, TAC_ERR_MODEL, "this shape is ignored",
                           "a size is zero, expected positive sizes");
}

static const xmlNode *find_shape(const xmlNode *geometry) {
    static const char *const shapes[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
    for (const xmlNode *node = tac_xml_child(geometry, NULL); node != NULL; node = tac_xml_next(node, NULL))
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            if (tac_xml_is(node, shapes[i])) return node;
    return NULL;
}

/* A name that is taken already is dropped, as MuJoCo does. */
static const char *geom_name(tacUrdf *urdf, const xmlNode *collision) {
    const char *name = tac_xml_get(collision, "name");
    if (name == NULL || name[0] == 0) return NULL;
    if (tac_urdf_names_find(&urdf->geom_names, name) < 0)
        return tac_urdf_names_add(&urdf->geom_names, name, 0) ? name : NULL;
    tac_urdf_warn(urdf, collision, "a second collision has this name: its name is removed");
    return NULL;
}

static tacStatus add_geom(tacUrdf *urdf, const xmlNode *collision, int body, const float rgba[4]) {
    const xmlNode *geometry = tac_xml_child(collision, "geometry");
    if (geometry == NULL) return tac_xml_fail(collision, urdf->err, TAC_ERR_SYNTAX, "element <geometry> is missing");
    const xmlNode *shape = find_shape(geometry);
    if (shape == NULL)
        return tac_xml_fail(geometry, urdf->err, TAC_ERR_SYNTAX,
                            "no shape, expected box, cylinder, sphere, capsule or mesh");
    tacGeomDef geom = tac_default_geom();
    int keep;
    tacStatus status = read_shape(urdf, shape, &geom, &keep);
    if (status == TAC_OK) status = tac_urdf_read_origin(collision, &geom.pos, &geom.quat, urdf->err);
    if (status != TAC_OK || !keep) return status;
    geom.name = geom_name(urdf, collision);
    geom.adds_mass = 0; /* mass comes from <inertial> alone */
    memcpy(geom.rgba, rgba, sizeof geom.rgba);
    tac_urdf_added(urdf, TAC_KIND_GEOM, tac_model_add_geom(urdf->builder, body, &geom), collision);
    return TAC_OK;
}

/* --- Colours, for pictures: a shape takes that of the link's last visual ------------------------------------------ */

static void read_colour(const tacUrdf *urdf, const xmlNode *visual, float rgba[4]) {
    const xmlNode *material = tac_xml_child(visual, "material");
    if (material == NULL) return;
    const char *name = tac_xml_get(material, "name");
    const xmlNode *colour = tac_xml_child(material, "color");
    int known = colour == NULL && name != NULL ? tac_urdf_names_find(&urdf->material_names, name) : -1;
    if (known >= 0) colour = tac_xml_child(urdf->material[known], "color");
    double number[4];
    int n = 0;
    if (colour == NULL || tac_xml_doubles(colour, "rgba", 4, 4, number, &n, NULL) != TAC_OK || n != 4) return;
    for (int i = 0; i < 4; i++)
        rgba[i] = (float)tac_clamp(number[i], 0, 1);
}

tacStatus tac_urdf_add_geoms(tacUrdf *urdf, const tacUrdfLink *link) {
    tacGeomDef plain = tac_default_geom();
    float rgba[4];
    memcpy(rgba, plain.rgba, sizeof rgba);
    tacStatus status = TAC_OK;
    for (const xmlNode *node = tac_xml_child(link->node, NULL); node != NULL && status == TAC_OK;
         node = tac_xml_next(node, NULL)) {
        if (tac_xml_is(node, "collision"))
            status = add_geom(urdf, node, link->body, rgba);
        else if (tac_xml_is(node, "visual")) {
            read_colour(urdf, node, rgba);
            tac_urdf_ignore(urdf, node);
        } else if (!tac_xml_is(node, "inertial"))
            tac_urdf_ignore(urdf, node);
    }
    return status;
}
