/* Meshes: volume, centre and inertia by each rule. */
#include "model/inertia.h"
#include "model/sample.h"
#include "support/check.h"

#include <math.h>

#define TOL 1e-13

/* A fixed body with one geom of this mesh. */
static tacBuilder *with_mesh(const tacMeshDef *mesh) {
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tac_model_add_body(b, 0, &body);
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_MESH;
    geom.contype = geom.conaffinity = 0; /* so that it needs no hull */
    geom.mesh = tac_model_add_mesh(b, mesh);
    geom.density = 100;
    tac_model_add_geom(b, 1, &geom);
    return b;
}

/* Box of half-sizes 0.5, 1, 1.5: volume 6, I = 6/3 (b^2 + c^2) ... */
static void boxes_by_every_rule(void **state) {
    (void)state;
    const tacMeshInertia solid[] = {TAC_MESH_LEGACY, TAC_MESH_EXACT, TAC_MESH_CONVEX};
    const double I[6] = {2 * 3.25, 2 * 2.5, 2 * 1.25, 0, 0, 0}, com[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        tacMeshDef mesh = cube_mesh(solid[i]);
        mesh.scale = (tacVec3){0.5, 1, 1.5};
        tacModel *m = assemble(with_mesh(&mesh));
        CHECK_NEAR(m->mesh_volume[0], 6, TOL);
        CHECK_ARRAY(3, &m->mesh_com[0], com, TOL);
        CHECK_ARRAY(6, &m->mesh_icom[0], I, TOL);
        CHECK_NEAR(m->body_mass[1], 600, 100 * TOL);
        CHECK_NEAR(m->body_icom[1].yy, 500, 100 * TOL);
        CHECK_NEAR(m->body_inertia[1].x, 650, 100 * TOL); /* principal inertias in decreasing order */
        tac_model_free(m);
    }
}

/* A tetrahedron with corners at the origin and at a, b, c on the axes: V = abc/6, centre at a quarter,
 * I_xx about the centre = 3 V (b^2 + c^2) / 80, products xy: + V a b / 80. */
static void tetrahedron(void **state) {
    (void)state;
    const double a = 1, b = 2, c = 3, V = 1;
    const tacVec3 vert[4] = {{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c}};
    const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    tacMeshDef mesh = tac_default_mesh();
    mesh.nvert = 4, mesh.nface = 4, mesh.vert = vert, mesh.face = face;
    const double com[3] = {a / 4, b / 4, c / 4};
    const double I[6] = {3 * V * (b * b + c * c) / 80,
                         3 * V * (a * a + c * c) / 80,
                         3 * V * (a * a + b * b) / 80,
                         V * a * b / 80,
                         V * a * c / 80,
                         V * b * c / 80};
    const tacMeshInertia modes[] = {TAC_MESH_EXACT, TAC_MESH_LEGACY};
    for (int i = 0; i < 2; i++) {
        mesh.inertia_mode = modes[i];
        tacModel *m = assemble(with_mesh(&mesh));
        CHECK_NEAR(m->mesh_volume[0], V, TOL);
        CHECK_ARRAY(3, &m->mesh_com[0], com, TOL);
        CHECK_ARRAY(6, &m->mesh_icom[0], I, TOL);
        tac_model_free(m);
    }
}

/* The shell of a cube is the box's shell. */
static void shell(void **state) {
    (void)state;
    tacMeshDef mesh = cube_mesh(TAC_MESH_SHELL);
    tacModel *m = assemble(with_mesh(&mesh));
    CHECK_NEAR(m->mesh_volume[0], 24, 24 * TOL);
    CHECK_NEAR(m->mesh_icom[0].zz, 24 * 10.0 / 9, 24 * TOL); /* plates: (2 (1/3 + 1/3) + 4 (1/3 + 1)) 4 = 26.67 */
    CHECK_NEAR(m->mesh_icom[0].xy, 0, 24 * TOL);
    tac_model_free(m);
}

/* Placement: minus refpos, turned by the inverse of refquat, then scaled; and a geom that is turned and shifted. */
static void placement(void **state) {
    (void)state;
    tacMeshDef mesh = cube_mesh(TAC_MESH_EXACT);
    mesh.refpos = (tacVec3){1, 2, 3};
    mesh.refquat =
        (tacQuat){sqrt(0.5), 0, 0, sqrt(0.5)}; /* quarter turn about z: its inverse takes (x, y) to (y, -x) */
    mesh.scale = (tacVec3){1, 2, 3};
    tacModel *m = assemble(with_mesh(&mesh));
    const double com[3] = {-2, 2, -9};
    CHECK_ARRAY(3, &m->mesh_com[0], com, TOL);
    CHECK_NEAR(m->mesh_volume[0], 48, 48 * TOL);
    CHECK_NEAR(m->mesh_vert[0].x, -1 - 2, TOL);
    CHECK_NEAR(m->mesh_vert[0].y, 2 * (1 + 1), TOL);
    CHECK_NEAR(m->body_ipos[1].z, -9, TOL);
    tac_model_free(m);
}

/* A mirroring scale turns the triangles round, so that they still face outwards. */
static void mirrored(void **state) {
    (void)state;
    const tacMeshInertia modes[] = {TAC_MESH_EXACT, TAC_MESH_CONVEX};
    for (int i = 0; i < 2; i++) {
        tacMeshDef mesh = cube_mesh(modes[i]);
        mesh.scale = (tacVec3){-1, 1, 1};
        mesh.refpos = (tacVec3){0.5, 0, 0};
        tacModel *m = assemble(with_mesh(&mesh));
        CHECK_NEAR(m->mesh_volume[0], 8, TOL * 8);
        CHECK_NEAR(m->mesh_com[0].x, 0.5, TOL);
        CHECK_INT(m->mesh_face[1], CUBE_FACE[2]);
        tac_model_free(m);
    }
}

/* Legacy counts every pyramid as positive: a cube with one dent of a pyramid (apex at the centre of a face pushed in
 * past the middle) is counted too heavy, exact is right. */
static void legacy_overestimates_dents(void **state) {
    (void)state;
    /* the cube's top (two triangles) replaced by four that meet at (0, 0, d) */
    const double d = -0.5;
    tacVec3 vert[9];
    int face[3 * 14];
    for (int i = 0; i < 8; i++)
        vert[i] = CUBE_VERT[i];
    vert[8] = (tacVec3){0, 0, d};
    int n = 0;
    for (int i = 0; i < CUBE_NFACE; i++) {
        const int *f = CUBE_FACE + 3 * i;
        if (f[0] >= 4 && f[1] >= 4 && f[2] >= 4) continue;
        face[3 * n] = f[0], face[3 * n + 1] = f[1], face[3 * n++ + 2] = f[2];
    }
    const int ring[5] = {4, 5, 7, 6, 4};
    for (int i = 0; i < 4; i++)
        face[3 * n] = ring[i], face[3 * n + 1] = ring[i + 1], face[3 * n++ + 2] = 8;
    tacMeshDef mesh = tac_default_mesh();
    mesh.nvert = 9, mesh.nface = n, mesh.vert = vert, mesh.face = face;
    mesh.inertia_mode = TAC_MESH_EXACT;
    tacModel *exact = assemble(with_mesh(&mesh));
    mesh.inertia_mode = TAC_MESH_LEGACY;
    tacModel *legacy = assemble(with_mesh(&mesh));
    CHECK_INT(n, 14);
    CHECK_NEAR(exact->mesh_volume[0], 8 - 4 * (1 - d) / 3, 8 * TOL); /* cube minus the pyramid */
    CHECK(legacy->mesh_volume[0] > exact->mesh_volume[0] + 0.1);
    tac_model_free(exact);
    tac_model_free(legacy);
}

/* A cloud of points takes its hull for a surface. */
static void faces_from_hull(void **state) {
    (void)state;
    tacMeshDef mesh = cube_mesh(TAC_MESH_LEGACY);
    mesh.nface = 0;
    mesh.face = NULL;
    tacModel *m = assemble(with_mesh(&mesh));
    CHECK_INT(m->nmeshface, CUBE_NFACE);
    CHECK_NEAR(m->mesh_volume[0], 8, 8 * TOL);
    tac_model_free(m);
}

static void refused(void **state) {
    (void)state;
    tacMeshDef mesh = cube_mesh(TAC_MESH_EXACT);
    int turned[3 * CUBE_NFACE];
    for (int i = 0; i < CUBE_NFACE; i++)
        turned[3 * i] = CUBE_FACE[3 * i], turned[3 * i + 1] = CUBE_FACE[3 * i + 2],
                   turned[3 * i + 2] = CUBE_FACE[3 * i + 1];
    mesh.face = turned; /* inside out */
    CHECK_STR(assemble_error(with_mesh(&mesh)).text, "mesh 'cube': volume is -8, expected at least 1e-15");
    turned[3] = CUBE_FACE[3], turned[4] = CUBE_FACE[4], turned[5] = CUBE_FACE[5]; /* one face right again */
    CHECK_HAS(assemble_error(with_mesh(&mesh)).text, "expected consistently oriented faces");
    mesh = cube_mesh(TAC_MESH_LEGACY);
    mesh.nface = 2; /* a square without extent: no volume */
    tacError err = assemble_error(with_mesh(&mesh));
    CHECK_INT(err.kind, TAC_KIND_MESH);
    CHECK_INT(err.id, 0);
    CHECK_HAS(err.text, "mesh 'cube': volume is 0, expected at least 1e-15");
    mesh.nface = mesh.nhullface = 0;
    CHECK_HAS(assemble_error(with_mesh(&mesh)).text, "surface area is 0");
    mesh = cube_mesh(TAC_MESH_CONVEX);
    mesh.nhullface = 0;
    CHECK_HAS(assemble_error(with_mesh(&mesh)).text, "inertia convex has no hull");
}

/* A flat mesh only for looks is fine. */
static void flat_for_looks(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacMeshDef mesh = cube_mesh(TAC_MESH_LEGACY);
    mesh.nface = 2;
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_MESH;
    geom.mesh = tac_model_add_mesh(b, &mesh);
    geom.visual = 1;
    tac_model_add_geom(b, 0, &geom);
    tacModel *m = assemble(b);
    CHECK(m->mesh_volume[0] == 0 && m->mesh_icom[0].xx == 0);
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_by_every_rule),
        cmocka_unit_test(tetrahedron),
        cmocka_unit_test(shell),
        cmocka_unit_test(placement),
        cmocka_unit_test(mirrored),
        cmocka_unit_test(legacy_overestimates_dents),
        cmocka_unit_test(faces_from_hull),
        cmocka_unit_test(refused),
        cmocka_unit_test(flat_for_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
