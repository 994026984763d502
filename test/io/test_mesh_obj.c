#include "io/mesh_formats.h"

#include "support/check.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Areas of a few triangles. */
#define TOL_AREA 1e-6

static tacStatus read_obj(const char *text, tacMeshData *mesh, tacError *err) {
    size_t size = strlen(text);
    unsigned char *copy = malloc(size + 1); /* as long as it says, so that asan sees an overrun */
    memcpy(copy, text, size + 1);
    memset(mesh, 0, sizeof *mesh);
    tacStatus status = tac_mesh_read_obj("m.obj", copy, size, mesh, err);
    free(copy);
    if (status != TAC_OK) tac_mesh_free(mesh);
    return status;
}

/* Its diagonal from the first corner is the shorter one. */
#define SQUARE "v 0 0 0\nv 1 0 0\nv 0.9 0.9 0\nv 0 1 0\n"

static void check_faces(const char *text, int nface, const int *face) {
    tacMeshData mesh;
    tacError err = {.text = ""};
    tacStatus status = read_obj(text, &mesh, &err);
    if (status != TAC_OK) print_error("%s", err.text);
    CHECK_INT(status, TAC_OK);
    CHECK_INT(mesh.nface, nface);
    for (int i = 0; i < 3 * nface; i++)
        CHECK_INT(mesh.face[i], face[i]);
    tac_mesh_free(&mesh);
}

static void reads_every_way_to_write_a_face(void **state) {
    (void)state;
    static const int fan[] = {0, 1, 2, 0, 2, 3};
    check_faces(SQUARE "f 1 2 3 4\n", 2, fan);
    check_faces(SQUARE "f 1/1 2/2 3/3 4/4\n", 2, fan);
    check_faces(SQUARE "f 1//1 2//1 3//1 4//1\n", 2, fan);
    check_faces(SQUARE "f 1/7/1 2/7/1 3/7/1 4/7/1\n", 2, fan);
    check_faces(SQUARE "f -4 -3 -2 -1\n", 2, fan);
    check_faces(SQUARE "f -4//-1 2//1 -2/3/-1 4/ \n", 2, fan);
    check_faces(SQUARE "  f \t1  2\t3 4  \r\n", 2, fan);
    check_faces(SQUARE "f 1 2 \\\n 3 \\\r\n4\n", 2, fan); /* a line goes on after a backslash */
    check_faces(SQUARE "f 1 2 3\nf 1 3 4", 2, fan);       /* no newline at the end */
    check_faces("f 1 2 3 4\n" SQUARE, 2, fan);            /* vertices may come later */
    check_faces("#c\nmtllib x\nusemtl y\no thing\ns off\n" SQUARE
                "vn 0 0 1\nvt 0 0\nf 1 2 3\nusemtl z\nf 1 3 4\nl 1 2\n",
                2, fan);
    check_faces("v 0 0 0\rv 1 0 0\rv 0.9 0.9 0\rv 0 1 0\rf 1 2 3 4\r", 2, fan); /* old line ends */
    check_faces("v 0 0 0 1\nv 1 0 0 1 0 0\nv 0.9 0.9 0 0.5 0.5 0.5\nv 0 1 0 1\nf 1 2 3 4\n", 2, fan); /* colours */
}

/* MuJoCo's reader: along the shorter diagonal, the second where they are equal; polygons from the first ear on; and
 * when only the last try finds one, the rest of the polygon is lost. */
static void cuts_polygons_as_mujoco(void **state) {
    (void)state;
    check_faces("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", 2, (const int[]){0, 1, 3, 1, 2, 3});
    check_faces("v 0 0 0\nv 1 0 0\nv 2 2 1\nv 0 1 0\nf 1 2 3 4\n", 2, (const int[]){0, 1, 3, 1, 2, 3});
    check_faces("v 1 1 0\nv 3 1 0\nv 4 2 0\nv 3 3 0\nv 1 3 0\nf 1 2 3 4 5\n", 3,
                (const int[]){1, 2, 3, 1, 3, 4, 0, 1, 4});
}

/* MuJoCo takes the faces of the first group that has any, and all vertices. */
static void takes_the_first_group(void **state) {
    (void)state;
    tacMeshData mesh;
    tacError err;
    CHECK_INT(read_obj("g a\n" SQUARE "g b\nf 1 2 3\ng c\nv 0 0 9\nf 1 3 4\nf 1 2 5\n", &mesh, &err), TAC_OK);
    CHECK_INT(mesh.nvert, 5);
    CHECK_INT(mesh.nface, 1);
    CHECK_INT(mesh.dropped, 2);
    tac_mesh_free(&mesh);
    CHECK_INT(read_obj(SQUARE "f 1 2\no b\nf 1 2 3\n", &mesh, &err), TAC_OK); /* two corners are no face */
    CHECK_INT(mesh.nface, 1);
    CHECK_INT(mesh.dropped, 0);
    tac_mesh_free(&mesh);
}

static void rounds_to_single_precision(void **state) {
    (void)state;
    tacMeshData mesh;
    tacError err;
    char *before = setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* a comma for the point, where that locale is installed */
    CHECK_INT(read_obj("v 0.1 1.5e-3 -.25\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &mesh, &err), TAC_OK);
    if (before != NULL) setlocale(LC_NUMERIC, "C");
    CHECK(mesh.vert[0].x == (double)0.1f && mesh.vert[0].y == (double)1.5e-3f && mesh.vert[0].z == -0.25);
    tac_mesh_free(&mesh);
}

static void refuses_bad_lines(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {SQUARE "f 1 2 5\n", "m.obj:5: face: vertex 5, expected 1 to 4"},
        {SQUARE "f 1 2 3\nf 1 2 -5\n", "m.obj:6: face: vertex -5"},
        {SQUARE "f 0 1 2\n", "m.obj:5: face: vertex 0"},
        {SQUARE "f 1 2 x\n", "m.obj:5: face: found \"x\""},
        {SQUARE "f 1 2 3//a\n", "m.obj:5: face: found \"3//a\""},
        {SQUARE "f 1 2 3/1/1/1\n", "found \"3/1/1/1\""},
        {SQUARE "f 1 2 99999999999999999999\n", "m.obj:5"},
        {SQUARE "f 1 2 2147483648\n", "m.obj:5"},
        {SQUARE "f 1 2 1.5\n", "found \"1.5\""},
        {SQUARE "g a\nf 1 2 3\ng b\nf 1 2 9\n", "m.obj:8: face: vertex 9"}, /* in a group that does not count too */
        {"v 0 0\n", "m.obj:1: vertex"},
        {"v 0 0 nan\n", "m.obj:1: vertex"},
        {"v 0 0 1e400\n", "m.obj:1: vertex"},
        {"v 0 0 1e39\n", "m.obj:1: coordinate"},
        {"v 1,5 0 0\n", "m.obj:1: vertex"},
        {"v 1 2 3 4 5 6 7 8 9\n", "m.obj:1: vertex"},
        {"#\n\\\n#\n" SQUARE "f 1 \\\n 2 7\n", "m.obj:8: face: vertex 7"}, /* lines are counted through continuations */
    };
    tacMeshData mesh;
    tacError err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_INT(read_obj(bad[i].text, &mesh, &err), TAC_ERR_SYNTAX);
        CHECK_HAS(err.text, bad[i].message);
    }
}

/* --- Ears --------------------------------------------------------------------------------------------------------- */

static double triangle_area(const float *vert, const int *face) {
    const float *a = vert + 3 * face[0], *b = vert + 3 * face[1], *c = vert + 3 * face[2];
    double u[3], w[3];
    for (int k = 0; k < 3; k++)
        u[k] = (double)b[k] - (double)a[k], w[k] = (double)c[k] - (double)a[k];
    double x = u[1] * w[2] - u[2] * w[1], y = u[2] * w[0] - u[0] * w[2], z = u[0] * w[1] - u[1] * w[0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

static void cuts_reflex_corners(void **state) {
    (void)state;
    /* an L seen along each axis: area 3, and a fan about corner 0 would give more */
    static const float L[6][2] = {{1, 1}, {1, 2}, {0, 2}, {0, 0}, {2, 0}, {2, 1}};
    for (int axis = 0; axis < 3; axis++) {
        float vert[18] = {0};
        int polygon[6], face[12];
        for (int i = 0; i < 6; i++) {
            vert[3 * i + (axis + 1) % 3] = L[i][0];
            vert[3 * i + (axis + 2) % 3] = L[i][1];
            polygon[i] = i;
        }
        CHECK_INT(tac_mesh_cut_ears(vert, 6, polygon, face), 4);
        double area = 0;
        for (int i = 0; i < 4; i++)
            area += triangle_area(vert, face + 3 * i);
        CHECK_NEAR(area, 3, TOL_AREA);
    }
}

static void ends_on_any_polygon(void **state) {
    (void)state;
    enum { N = 3000 };
    float *vert = calloc(3 * N, sizeof *vert);
    int *polygon = malloc(N * sizeof *polygon), *face = malloc(3 * N * sizeof *face);
    for (int i = 0; i < N; i++)
        polygon[i] = i;
    CHECK_INT(tac_mesh_cut_ears(vert, 5, polygon, face), 3);         /* all corners in one point */
    static const float bow[4][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}}; /* crosses itself */
    for (int i = 0; i < 4; i++)
        vert[3 * i] = bow[i][0], vert[3 * i + 1] = bow[i][1], polygon[i] = i;
    CHECK(tac_mesh_cut_ears(vert, 4, polygon, face) <= 2);
    for (int i = 0; i < N; i++) /* more corners than are searched for ears: a fan */
        vert[3 * i] = (float)cos(i * 2e-3), vert[3 * i + 1] = (float)sin(i * 2e-3), polygon[i] = i;
    CHECK_INT(tac_mesh_cut_ears(vert, N, polygon, face), N - 2);
    CHECK_INT(face[3 * (N - 3)], 0);
    free(vert);
    free(polygon);
    free(face);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_way_to_write_a_face),
        cmocka_unit_test(cuts_polygons_as_mujoco),
        cmocka_unit_test(takes_the_first_group),
        cmocka_unit_test(rounds_to_single_precision),
        cmocka_unit_test(refuses_bad_lines),
        cmocka_unit_test(cuts_reflex_corners),
        cmocka_unit_test(ends_on_any_polygon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
