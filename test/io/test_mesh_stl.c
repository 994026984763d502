#include "io/mesh_formats.h"
#include "io/mesh_bytes.h"

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Reads a copy, as the reader may write to its bytes; the copy is as long as it says, so that asan sees an overrun. */
static tacStatus read_stl(const void *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    unsigned char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    copy[size] = 0;
    memset(mesh, 0, sizeof *mesh);
    tacStatus status = tac_mesh_read_stl("m.stl", copy, size, mesh, err);
    free(copy);
    if (status != TAC_OK) tac_mesh_free(mesh);
    return status;
}

/* Every triangle of the mesh is that of the tetrahedron. */
static void check_tetrahedron(const tacMeshData *mesh) {
    CHECK_INT(mesh->nvert, 4);
    CHECK_INT(mesh->nface, 4);
    for (int i = 0; i < 12; i++) {
        const float *p = TETRAHEDRON[TETRAHEDRON_FACE[i / 3][i % 3]];
        tacVec3 v = mesh->vert[mesh->face[i]];
        CHECK(v.x == (double)p[0] && v.y == (double)p[1] && v.z == (double)p[2]);
    }
}

static void reads_binary(void **state) {
    (void)state;
    MeshBytes b;
    tacMeshData mesh;
    tacError err;
    static const char *const word[] = {"", "solid cube", "COLOR=rgba"}; /* "solid" does not make it text */
    for (int i = 0; i < 3; i++) {
        put_stl(&b, word[i], 4);
        CHECK_INT(read_stl(b.data, b.size, &mesh, &err), TAC_OK);
        check_tetrahedron(&mesh);
        CHECK_INT(mesh.face[0], 0); /* numbered in order of first use */
        CHECK_INT(mesh.face[1], 1);
        CHECK_INT(mesh.face[2], 2);
        tac_mesh_free(&mesh);
    }
}

static void merges_by_bits(void **state) {
    (void)state;
    MeshBytes b;
    tacMeshData mesh;
    tacError err;
    put_stl(&b, "", 4);
    b.data[84 + 12 + 3] = 0x80; /* -0.0 in the first corner: as in MuJoCo another vertex than 0.0 */
    CHECK_INT(read_stl(b.data, b.size, &mesh, &err), TAC_OK);
    CHECK_INT(mesh.nvert, 5);
    CHECK_INT(mesh.nface, 4);
    tac_mesh_free(&mesh);
}

static const char *const ASCII =
    "solid vertex of endfacet\r\n" /* a name may be anything */
    "facet normal 0 0 -1\n outer loop\n  vertex 0 0 0\n  vertex 0 1 0\n  vertex 1 0 0\n"
    " endloop\nendfacet\n"
    "facet normal nan nan nan\nouter loop\nvertex 0 0 0\nvertex 1.0e0 0 0\nvertex 0 0 +1\n"
    "endloop\nendfacet\n"
    "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 1 0 endloop endfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\n"
    "endfacet\nendsolid vertex\n";

static void reads_text(void **state) {
    (void)state;
    tacMeshData mesh;
    tacError err;
    CHECK_INT(read_stl(ASCII, strlen(ASCII), &mesh, &err), TAC_OK);
    check_tetrahedron(&mesh);
    tac_mesh_free(&mesh);
    const char *solid =
        "solid\nfacet normal 0 0 1 outer loop vertex 1 2 3 vertex 4 5 6 vertex 7 8 0.1 endloop endfacet";
    CHECK_INT(read_stl(solid, strlen(solid), &mesh, &err), TAC_OK);
    CHECK_INT(mesh.nvert, 3);
    CHECK(mesh.vert[2].z == (double)0.1f); /* single precision, like the binary form */
    tac_mesh_free(&mesh);
}

static void header_that_lies(void **state) {
    (void)state;
    MeshBytes b;
    tacMeshData mesh;
    tacError err;
    static const uint32_t counts[] = {0,          3,          5,
                                      0x7FFFFFFF, 0xFFFFFFFF, 85899346}; /* the last overflows 32 bits times 50 */
    for (int i = 0; i < 6; i++) {
        put_stl(&b, i % 2 == 0 ? "solid" : "", counts[i]);
        CHECK_INT(read_stl(b.data, b.size, &mesh, &err), TAC_ERR_SYNTAX);
        CHECK_HAS(err.text, "m.stl");
        CHECK_HAS(err.text, "header says");
    }
    put_stl(&b, "", 4);
    for (size_t size = 0; size < b.size; size++) /* truncated anywhere */
        CHECK_INT(read_stl(b.data, size, &mesh, &err), TAC_ERR_SYNTAX);
}

static void refuses_bad_numbers(void **state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY, 2e9f};
    MeshBytes b;
    tacMeshData mesh;
    tacError err;
    for (int i = 0; i < 4; i++) {
        put_stl(&b, "", 4);
        MeshBytes number = {.size = 0};
        put_float(&number, bad[i]);
        memcpy(b.data + 84 + 50 + 12, number.data, 4);
        CHECK_INT(read_stl(b.data, b.size, &mesh, &err), TAC_ERR_SYNTAX);
        CHECK_HAS(err.text, "triangle 1");
    }
}

static void refuses_bad_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"solid x\nfacet\nouter loop\nvertex 1 2 nan\n", "m.stl:4"},
        {"solid x\nfacet\nouter loop\nvertex 1 2 1e400\n", "m.stl:4"},
        {"solid x\nfacet\nouter loop\nvertex 1 2\n", "m.stl:5: the file ends"},
        {"solid x\nfacet\nvertex 0 0 0\nvertex 0 0 0\nendfacet\n", "m.stl:5: a facet with 2 vertices"},
        {"solid x\nfacet\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 1\nendfacet\n", "with 4 vertices"},
        {"solid x\nfacet\nvertex 0 0 0\n", "with 1 vertices"},
        {"solid x\nfact\n", "m.stl:2: found \"fact\""},
        {"solid x\nendsolid x\n", "0 triangles"},
        {"solid", "0 triangles"},
        {"soli", "4 bytes"},
        {"", "0 bytes"},
        {"solid x\nfacet\nvertex 1,5 0 0\n", "m.stl:3"},
    };
    tacMeshData mesh;
    tacError err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_INT(read_stl(bad[i].text, strlen(bad[i].text), &mesh, &err), TAC_ERR_SYNTAX);
        CHECK_HAS(err.text, bad[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_binary),     cmocka_unit_test(merges_by_bits),      cmocka_unit_test(reads_text),
        cmocka_unit_test(header_that_lies), cmocka_unit_test(refuses_bad_numbers), cmocka_unit_test(refuses_bad_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
