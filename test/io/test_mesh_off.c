#include "io/mesh_formats.h"

#include "io/mesh_bytes.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static tacStatus read_off(const char *text, tacMeshData *mesh, tacError *err) {
    size_t size = strlen(text);
    unsigned char *copy = malloc(size + 1); /* as long as it says, so that asan sees an overrun */
    memcpy(copy, text, size + 1);
    memset(mesh, 0, sizeof *mesh);
    tacStatus status = tac_mesh_read_off("m.off", copy, size, mesh, err);
    free(copy);
    if (status != TAC_OK) tac_mesh_free(mesh);
    return status;
}

static void reads_every_way_to_write_it(void **state) {
    (void)state;
    static const char *const same[] = {
        "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
        "OFF 4 4 0\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n0 0 1\r\n3 0 2 1\r\n3 0 1 3\r\n3 0 3 2\r\n3 1 2 3",
        "# comments\nOFF # here\n\n4 4 6#and here\n0 0 0\n1 0 0 # x\n# y\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 "
        "2 3\n",
        "COFF\n4 4 6\n0 0 0 255 0 0 255\n1 0 0 1\n0 1 0\n0 0 1 7 7\n3 0 2 1 255 0 0\n3 0 1 3 0.5 0.5 0.5\n3 0 3 2\n3 1 "
        "2 3 1\n",
        "STCNOFF\n4 4 6\n0 0 0 0 0 1\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        tacMeshData mesh;
        tacError err = {.text = ""};
        tacStatus status = read_off(same[i], &mesh, &err);
        if (status != TAC_OK) print_error("%s\n", err.text);
        CHECK_INT(status, TAC_OK);
        CHECK_INT(mesh.nvert, 4);
        CHECK_INT(mesh.nface, 4);
        for (int k = 0; k < 4; k++) {
            CHECK(mesh.vert[k].x == (double)TETRAHEDRON[k][0]);
            CHECK(mesh.vert[k].y == (double)TETRAHEDRON[k][1]);
            CHECK(mesh.vert[k].z == (double)TETRAHEDRON[k][2]);
        }
        for (int k = 0; k < 12; k++)
            CHECK_INT(mesh.face[k], TETRAHEDRON_FACE[k / 3][k % 3]);
        tac_mesh_free(&mesh);
    }
}

static void cuts_polygons(void **state) {
    (void)state;
    static const int expected[] = {0, 1, 2, 0, 2, 3};
    tacMeshData mesh;
    tacError err = {.text = ""};
    CHECK_INT(read_off("OFF\n4 3 0\n0 0 0\n1 0 0\n0.9 0.9 0\n0 1 0\n4 0 1 2 3\n2 0 1\n0\n", &mesh, &err), TAC_OK);
    CHECK_INT(mesh.nface, 2);
    for (int i = 0; i < 6; i++)
        CHECK_INT(mesh.face[i], expected[i]);
    tac_mesh_free(&mesh);
}

static void refuses(void **state) {
    (void)state;
#define POINTS "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "m.off:1: found \"\", expected OFF"},
        {"OOF\n", "m.off:1: found \"OOF\", expected OFF"},
        {"4OFF\n4 4 0\n", "m.off:1: found \"4OFF\", expected OFF"},
        {"OFF BINARY\n", "m.off:1: found \"BINARY\""},
        {"OFF\n-1 0 0\n", "m.off:2: number of vertices is -1"},
        {"OFF\n4 1e12 0\n", "m.off:2: number of faces is 1e+12"},
        {"OFF\n4 1\n", "the file ends inside number of edges"},
        {"OFF\n2000000000 1 0\n0 0 0\n", "the file ends inside the vertices"},
        {"OFF\n4 1 0\n0 0 zero\n", "m.off:3: found \"zero\", expected a finite number"},
        {"OFF\n4 1 0\n0 0 1e39\n", "m.off:3: coordinate 1e+39"},
        {"OFF\n4 2 0\n" POINTS "3 0 1 2\n3 0 1 4\n",
         "m.off:8: vertex of a face is 4, expected a whole number from 0 to 3"},
        {"OFF\n4 1 0\n" POINTS "3 0 1 -1\n", "m.off:7: vertex of a face is -1"},
        {"OFF\n4 1 0\n" POINTS "3 0 1 0.5\n", "m.off:7: vertex of a face is 0.5"},
        {"OFF\n4 1 0\n" POINTS "-3 0 1 2\n", "m.off:7: corners of a face is -3"},
        {"OFF\n4 1 0\n" POINTS "2147483647 0 1 2\n", "the file ends inside vertex of a face"},
        {"OFF\n0 1 0\n3 0 0 0\n", "m.off:3: vertex of a face is 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tacMeshData mesh;
        tacError err = {.text = ""};
        CHECK_INT(read_off(bad[i].text, &mesh, &err), TAC_ERR_SYNTAX);
        CHECK_HAS(err.text, bad[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_every_way_to_write_it), cmocka_unit_test(cuts_polygons),
                                       cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
