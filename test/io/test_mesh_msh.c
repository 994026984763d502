#include "io/mesh_formats.h"
#include "io/mesh_bytes.h"

#include "support/check.h"

#include <stdlib.h>

static tacStatus read_msh(const MeshBytes *b, size_t size, tacMeshData *mesh, tacError *err) {
    unsigned char *copy = malloc(size + 1); /* as long as it says, so that asan sees an overrun */
    memcpy(copy, b->data, size);
    copy[size] = 0;
    memset(mesh, 0, sizeof *mesh);
    tacStatus status = tac_mesh_read_msh("m.msh", copy, size, mesh, err);
    free(copy);
    if (status != TAC_OK) tac_mesh_free(mesh);
    return status;
}

static void reads(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        MeshBytes b;
        tacMeshData mesh;
        tacError err;
        put_msh(&b, kind & 1, kind & 2);
        CHECK_INT(read_msh(&b, b.size, &mesh, &err), TAC_OK);
        CHECK_INT(mesh.nvert, 4);
        CHECK_INT(mesh.nface, 4);
        for (int i = 0; i < 12; i++)
            CHECK_INT(mesh.face[i], TETRAHEDRON_FACE[i / 3][i % 3]);
        CHECK(mesh.vert[3].z == 1 && mesh.vert[2].y == 1 && mesh.vert[1].x == 1);
        tac_mesh_free(&mesh);
    }
}

static void refuses_lies(void **state) {
    (void)state;
    MeshBytes b;
    tacMeshData mesh;
    tacError err;
    put_msh(&b, 1, 1);
    for (size_t size = 0; size < b.size; size++)
        CHECK_INT(read_msh(&b, size, &mesh, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "m.msh");
    for (int word = 0; word < 4; word++) {
        static const unsigned char wrong[3][4] = {{5, 0, 0, 0}, {0xFF, 0xFF, 0xFF, 0x7F}, {0xFF, 0xFF, 0xFF, 0xFF}};
        for (int i = 0; i < 3; i++) {
            put_msh(&b, 1, 1);
            memcpy(b.data + 4 * word, wrong[i], 4);
            CHECK_INT(read_msh(&b, b.size, &mesh, &err), TAC_ERR_SYNTAX);
            CHECK_HAS(err.text, "header says");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(refuses_lies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
