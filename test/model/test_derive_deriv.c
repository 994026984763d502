/* How masses and inertias in use move with every number of a model, against Ridders' differences of the derived rows:
 * every primitive, solid and shell, every mesh mode, bounds, balance, total mass, and every robot of ours. */
#include "support/check.h"

#include "measure/differences.h"
#include "model/inertia.h"
#include "model/sample.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the largest entry of a column; one that is zero (a turned ball) to this share of the numbers themselves,
 * whose rounding the differences show. */
#define TOL_GRADIENT 1e-7
#define ZERO_COLUMN  1e-4
/* First step of the differences, relative to the size of the number. */
#define FIRST_STEP 1e-2
/* A smaller derivative is none. */
#define ROUNDING 1e-14
/* Mass, centre, inertia. */
#define PER_BODY 10

typedef struct Case {
    const tacModel *m;
    tacModel *moved;
    char path[256];
    double value;
} Case;

/* --- Differences of the derived rows ------------------------------------------------------------------------------ */

static int derive_along(void *context, double t, double *out) {
    Case *c = context;
    tac_model_copy_arrays(c->moved, c->m);
    if (tac_param_write(c->moved, c->path, c->value + t, NULL) != TAC_OK) return 1;
    if (tac_model_derive(c->moved, NULL) != TAC_OK) return 1;
    for (int b = 0; b < c->m->nbody; b++) {
        double *row = out + PER_BODY * b;
        row[0] = c->moved->body_mass[b];
        memcpy(row + 1, &c->moved->body_ipos[b], 3 * sizeof *row);
        memcpy(row + 4, &c->moved->body_icom[b], 6 * sizeof *row);
    }
    return 0;
}

/* Ridders' differences with a step that suits the number's size, or a smaller one where it has a bound nearby; 0 where
 * it has no neighbour on one side. */
static int differences(Case *c, int n, double *out) {
    double *work = calloc((size_t)difference_work(n), sizeof(double)), size = fabs(c->value);
    int failed = difference_ridders(derive_along, c, n, FIRST_STEP * fmin(1, fmax(size, 0.1)), out, NULL, work);
    if (failed && size > 0) failed = difference_ridders(derive_along, c, n, FIRST_STEP * size, out, NULL, work);
    free(work);
    return !failed;
}

/* One number: the error of its tangent, or -1 where there is nothing to compare with; *size is its largest entry. */
static double tangent_error(Case *c, int field, int index, double *size) {
    int n = PER_BODY * c->m->nbody;
    tacInertialTangent *t = malloc((size_t)c->m->nbody * sizeof *t);
    double *difference = calloc((size_t)n, sizeof(double)), worst = 0, largest = ZERO_COLUMN;
    for (int b = 1; b < c->m->nbody; b++)
        largest = fmax(largest, ZERO_COLUMN * fmax(c->m->body_mass[b], c->m->body_inertia[b].x));
    memset(t, 0xFF, (size_t)c->m->nbody * sizeof *t); /* NaN: what it held does not matter */
    int moves = tac_inertial_tangent(c->m, field, index, t);
    c->value = *tac_param_at(c->m, field, index);
    int known = differences(c, n, difference);
    *size = 0;
    for (int i = 0; i < n; i++) {
        double entry = ((const double *)t)[i];
        CHECK(isfinite(entry));
        worst = worse(worst, fabs(entry - difference[i]));
        largest = fmax(largest, fabs(difference[i]));
        *size = fmax(*size, fabs(entry));
    }
    CHECK_INT(moves, *size > 0);
    if (moves) CHECK(tac_inertial_depends(c->m, field, index));
    free(t);
    free(difference);
    return known ? worst / largest : -1;
}

/* Every number that can be registered; returns how many move something. */
static int check_model(const tacModel *m, double *worst, int *skipped) {
    Case c = {.m = m};
    tacModel *registered;
    int moving = 0, n = tac_param_count(m);
    CHECK_INT(tac_model_copy(m, &c.moved, NULL), TAC_OK);
    CHECK_INT(tac_model_copy(m, &registered, NULL), TAC_OK);
    for (int i = 0; i < n; i++) {
        int field, index;
        double size, error;
        CHECK_INT(tac_param_path(m, i, c.path, sizeof c.path), TAC_OK);
        if (tac_param_register(registered, c.path, NULL, NULL) != TAC_OK) continue;
        CHECK(tac_param_find(m, c.path, &field, &index, NULL) != NULL);
        error = tangent_error(&c, field, index, &size);
        if (!(error < TOL_GRADIENT)) print_error("%s: error %.3g, size %.3g\n", c.path, error, size);
        CHECK_LT(error, TOL_GRADIENT);
        *worst = worse(*worst, error);
        *skipped += error < 0;
        moving += size > ROUNDING;
    }
    tac_model_free(c.moved);
    tac_model_free(registered);
    return moving;
}

/* Checks, prints and frees. */
static void check_and_free(tacModel *m, const char *what, int at_least) {
    double worst = 0;
    int skipped = 0, n = tac_param_count(m), moving = check_model(m, &worst, &skipped);
    print_message("%s: %d of %d numbers move an inertia, worst error %.2g, %d without neighbours\n", what, moving, n,
                  worst, skipped);
    CHECK(moving >= at_least);
    tac_model_free(m);
}

/* --- Primitives --------------------------------------------------------------------------------------------------- */

static const tacGeomType PRIMITIVES[] = {TAC_GEOM_SPHERE,   TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID,
                                         TAC_GEOM_CYLINDER, TAC_GEOM_BOX,     TAC_GEOM_CONE};
enum { NPRIMITIVE = sizeof PRIMITIVES / sizeof PRIMITIVES[0] };
static const int LENGTHS[NPRIMITIVE] = {1, 2, 3, 2, 3, 2};

static tacGeomDef primitive(int i, int shell, int has_mass) {
    tacGeomDef geom = tac_default_geom();
    geom.type = PRIMITIVES[i];
    geom.shell = shell;
    geom.size[0] = 0.13, geom.size[1] = 0.22, geom.size[2] = 0.31;
    geom.pos = (tacVec3){0.1 + 0.02 * i, -0.2, 0.05 * (i + 1)};
    geom.quat = (tacQuat){0.8, 0.3 - 0.1 * i, -0.2, 0.4};
    geom.density = shell ? 40 : 700;
    geom.has_mass = has_mass;
    geom.mass = 2.5;
    return geom;
}

static int add_plain_body(tacBuilder *b) {
    tacBodyDef body = tac_default_body();
    body.pos = (tacVec3){0.3, 0.1, -0.2};
    return tac_model_add_body(b, 0, &body);
}

/* Each alone on a body: size, orientation, and density or mass; the place of all. */
static void primitives(void **state) {
    (void)state;
    for (int shell = 0; shell < 2; shell++)
        for (int has_mass = 0; has_mass < 2; has_mass++)
            for (int i = 0; i < NPRIMITIVE; i++) {
                char what[64];
                tacBuilder *b = tac_model_begin();
                tacGeomDef geom = primitive(i, shell, has_mass);
                tac_model_add_geom(b, add_plain_body(b), &geom);
                snprintf(what, sizeof what, "primitive %d%s%s", (int)geom.type, shell ? ", shell" : "",
                         has_mass ? ", mass given" : "");
                int turns = geom.type == TAC_GEOM_SPHERE ? 0 : 4; /* a ball looks the same however it lies */
                check_and_free(assemble(b), what, LENGTHS[i] + 3 + turns + 1);
            }
}

static tacBuilder *all_together(void) {
    tacBuilder *b = tac_model_begin();
    int first = add_plain_body(b), second = add_plain_body(b);
    for (int i = 0; i < NPRIMITIVE; i++) {
        tacGeomDef solid = primitive(i, 0, i % 2), shell = primitive(i, 1, (i + 1) % 2);
        tac_model_add_geom(b, first, &solid);
        tac_model_add_geom(b, second, &shell);
    }
    tacGeomDef looks = primitive(0, 0, 0), light = primitive(1, 0, 0);
    looks.visual = 1, looks.contype = looks.conaffinity = 0;
    light.adds_mass = 0;
    tac_model_add_geom(b, first, &looks);
    tac_model_add_geom(b, first, &light);
    return b;
}

/* Several on a body: parallel axes with a common centre that moves. */
static void several_geoms(void **state) {
    (void)state;
    check_and_free(assemble(all_together()), "several geoms", 2 * (13 + 3 * 6 + 4 * 6 - 4 + 6));
}

/* --- Meshes ------------------------------------------------------------------------------------------------------- */

/* A crooked box with a deep dent in its top: not star-shaped about its centre, so that modes differ. */
static const tacVec3 DENTED[9] = {{-1, -1.1, -1}, {1, -0.9, -1.05}, {-0.95, 1, -1.1}, {1.2, 1, -1},     {-1, -1, 1},
                                  {1.1, -1, 0.9}, {-1, 1.05, 1.1},  {1, 1.1, 1},      {0.1, 0.05, -0.7}};
static const int DENTED_FACE[3 * 14] = {0, 2, 1, 1, 2, 3, 4, 5, 8, 5, 7, 8, 7, 6, 8, 6, 4, 8, 0, 1, 4,
                                        1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static tacMeshDef dented_mesh(tacMeshInertia mode) {
    tacMeshDef mesh = cube_mesh(mode); /* whose triangles are the hull's */
    mesh.name = "dented";
    mesh.nvert = 9, mesh.vert = DENTED;
    mesh.nface = 14, mesh.face = DENTED_FACE;
    mesh.scale = (tacVec3){0.1, 0.2, 0.15};
    mesh.refpos = (tacVec3){0.3, -0.4, 0.2};
    mesh.refquat = (tacQuat){0.7, 0.1, -0.5, 0.3};
    mesh.inertia_mode = mode;
    return mesh;
}

static tacModel *mesh_model(tacMeshInertia mode, int has_mass, int mirrored) {
    tacBuilder *b = tac_model_begin();
    tacMeshDef mesh = dented_mesh(mode);
    if (mirrored) mesh.scale.x = -mesh.scale.x, mesh.scale.z = -mesh.scale.z;
    tacGeomDef geom = primitive(1, 0, has_mass), other = primitive(0, 0, 0);
    geom.type = TAC_GEOM_MESH;
    geom.contype = geom.conaffinity = 0; /* its triangles are no convex hull */
    geom.mesh = tac_model_add_mesh(b, &mesh);
    int alone = add_plain_body(b), shared = add_plain_body(b);
    tac_model_add_geom(b, alone, &geom);
    geom.pos.x += 0.1;
    tac_model_add_geom(b, shared, &geom);
    tac_model_add_geom(b, shared, &other);
    return assemble(b);
}

static void meshes(void **state) {
    (void)state;
    for (int mode = TAC_MESH_LEGACY; mode <= TAC_MESH_SHELL; mode++)
        for (int has_mass = 0; has_mass < 2; has_mass++) {
            char what[64];
            snprintf(what, sizeof what, "mesh, mode %d%s", mode, has_mass ? ", mass given" : "");
            check_and_free(mesh_model((tacMeshInertia)mode, has_mass, 0), what, 10 + 2 * 8 + 5);
            check_and_free(mesh_model((tacMeshInertia)mode, has_mass, 1), what, 10 + 2 * 8 + 5);
        }
}

/* A box along its axes, turned by nothing yet: the principal axes start to turn with it. */
static void aligned_mesh(void **state) {
    (void)state;
    static tacVec3 vert[CUBE_NVERT];
    tacBuilder *b = tac_model_begin();
    tacMeshDef mesh = cube_mesh(TAC_MESH_EXACT);
    for (int i = 0; i < CUBE_NVERT; i++)
        vert[i] = (tacVec3){CUBE_VERT[i].x, 2 * CUBE_VERT[i].y, 3 * CUBE_VERT[i].z};
    mesh.vert = vert;
    mesh.scale = (tacVec3){0.1, 0.1, 0.1};
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_MESH;
    geom.mesh = tac_model_add_mesh(b, &mesh);
    tac_model_add_geom(b, add_plain_body(b), &geom);
    check_and_free(assemble(b), "aligned mesh", 9 + 7); /* a unit quaternion's real part turns nothing */
}

/* --- Written inertias --------------------------------------------------------------------------------------------- */

static void written(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = 2;
    body.ipos = (tacVec3){0.1, -0.2, 0.3};
    body.iquat = (tacQuat){0.8, 0.3, -0.2, 0.4};
    body.inertia = (tacVec3){0.02, 0.03, 0.04};
    int diag = tac_model_add_body(b, 0, &body);
    body.inertial = TAC_INERTIAL_FULL;
    body.fullinertia = (tacSym3){0.02, 0.03, 0.04, 0.001, 0.002, -0.003};
    tac_model_add_body(b, 0, &body);
    tacGeomDef geom = primitive(0, 0, 0); /* not felt by a body that says what it weighs */
    tac_model_add_geom(b, diag, &geom);
    check_and_free(assemble(b), "written", 1 + 3 + 4 + 3 + 1 + 3 + 4 + 6);
}

/* Where nothing carries mass, the centre of mass is at the body's own place. */
static void weightless_body(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    add_plain_body(b);
    check_and_free(assemble(b), "weightless", 3);
}

static void one_of_everything(void **state) {
    (void)state;
    check_and_free(sample_model(), "sample", 40);
}

/* --- Bounds, balance, total mass ---------------------------------------------------------------------------------- */

static tacModel *bounded(tacBuilder *b, double boundmass, double boundinertia, int balance, double total) {
    tacOptionDef option = tac_default_option();
    option.boundmass = boundmass;
    option.boundinertia = boundinertia;
    option.balanceinertia = balance;
    option.settotalmass = total;
    tac_model_set_option(b, &option);
    return assemble(b);
}

/* One principal inertia, then two, then all are held; the mass as well. */
static void bounds(void **state) {
    (void)state;
    tacModel *m = assemble(all_together());
    tacVec3 inertia = m->body_inertia[1];
    double mass = m->body_mass[1];
    tac_model_free(m);
    CHECK(inertia.x > inertia.y && inertia.y > inertia.z);
    const double bound[] = {(inertia.y + inertia.z) / 2, (inertia.x + inertia.y) / 2, 2 * inertia.x};
    for (int i = 0; i < 3; i++)
        check_and_free(bounded(all_together(), 0, bound[i], 0, 0), "bounded inertia", 60);
    m = bounded(all_together(), 2 * mass, 2 * inertia.x, 0, 0);
    CHECK(m->body_mass[1] == 2 * mass);
    check_and_free(m, "bounded mass", 40); /* the centre still moves */
    for (int i = 0; i < NPRIMITIVE; i++) {
        tacBuilder *b = tac_model_begin();
        tacGeomDef geom = primitive(i, 0, 1);
        tac_model_add_geom(b, add_plain_body(b), &geom);
        m = assemble(b);
        tacVec3 d = m->body_inertia[1];
        tac_model_free(m);
        b = tac_model_begin();
        tac_model_add_geom(b, add_plain_body(b), &geom);
        double low = fmin(d.x, fmin(d.y, d.z)), high = fmax(d.x, fmax(d.y, d.z));
        double between = low < high ? 0.4 * low + 0.6 * high : 2 * high; /* a ball has all or none held */
        check_and_free(bounded(b, 1, between, 0, 0), "bounded primitive", 3 + (i > 0));
    }
}

static void balance(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = 2;
    body.iquat = (tacQuat){0.8, 0.3, -0.2, 0.4};
    body.inertia = (tacVec3){0.001, 0.003, 0.04};
    tac_model_add_body(b, 0, &body);
    body.inertial = TAC_INERTIAL_FULL;
    body.fullinertia = (tacSym3){0.002, 0.003, 0.04, 0.001, 0.0002, -0.0003};
    tac_model_add_body(b, 0, &body);
    tacModel *m = bounded(b, 0, 0.002, 1, 0);
    CHECK_NEAR(m->body_inertia[1].x, 0.045 / 3, 1e-12);
    check_and_free(m, "balanced", 4 + 2 + 4 + 6);
}

static void total_mass(void **state) {
    (void)state;
    tacModel *m = bounded(all_together(), 0, 0, 0, 3.3);
    CHECK_NEAR(m->body_mass[1] + m->body_mass[2], 3.3, 1e-14);
    check_and_free(m, "total mass", 1 + 2 * (13 + 3 * 6 + 4 * 6 - 4 + 6));
    check_and_free(bounded(sample_builder(), 0.4, 0.001, 0, 7), "sample, total mass and bounds", 40);
}

/* At a bound the derivative is the bound's. */
static void kinks(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    body.name = "lump";
    body.inertial = TAC_INERTIAL_DIAG;
    body.mass = 2;
    body.inertia = (tacVec3){0.02, 0.03, 0.04};
    tac_model_add_body(b, 0, &body);
    tacModel *m = bounded(b, 2, 0.03, 0, 0);
    tacInertialTangent t[2];
    int field, index;
    CHECK(tac_param_find(m, "body/lump.mass", &field, &index, NULL) != NULL);
    CHECK_INT(tac_inertial_tangent(m, field, index, t), 0);
    CHECK(tac_param_find(m, "body/lump.inertia[1]", &field, &index, NULL) != NULL);
    CHECK_INT(tac_inertial_tangent(m, field, index, t), 0);
    CHECK(tac_param_find(m, "body/lump.inertia[2]", &field, &index, NULL) != NULL);
    CHECK_INT(tac_inertial_tangent(m, field, index, t), 1);
    CHECK_NEAR(t[1].icom.zz, 1, 0);
    tac_model_free(m);
}

/* --- Robots ------------------------------------------------------------------------------------------------------- */

static void robots(void **state) {
    static const char *const ROBOTS[] = {"pendulum", "double_pendulum", "cartpole", "double_cartpole", "box",
                                         "hopper",   "half_cheetah",    "ant",      "quadruped",       "humanoid",
                                         "atlas",    "panda",           "xarm6",    "quadrotor",       "catapult"};
    (void)state;
    for (size_t r = 0; r < sizeof ROBOTS / sizeof *ROBOTS; r++) {
        char path[256];
        tacModel *m = NULL;
        tacError err;
        snprintf(path, sizeof path, "models/%s.xml", ROBOTS[r]);
        if (tac_load(path, &m, &err) != TAC_OK) print_error("%s\n", err.text);
        CHECK(m != NULL);
        check_and_free(m, path, 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives),        cmocka_unit_test(several_geoms), cmocka_unit_test(meshes),
        cmocka_unit_test(aligned_mesh),      cmocka_unit_test(written),       cmocka_unit_test(weightless_body),
        cmocka_unit_test(one_of_everything), cmocka_unit_test(bounds),        cmocka_unit_test(balance),
        cmocka_unit_test(total_mass),        cmocka_unit_test(kinks),         cmocka_unit_test(robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
