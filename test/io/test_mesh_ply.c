#include "io/mesh_formats.h"

#include "io/mesh_bytes.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static tacStatus read_ply(const void *bytes, size_t size, tacMeshData *mesh, tacError *err) {
    unsigned char *copy = malloc(size + 1); /* as long as it says, so that asan sees an overrun */
    memcpy(copy, bytes, size);
    copy[size] = 0;
    memset(mesh, 0, sizeof *mesh);
    tacStatus status = tac_mesh_read_ply("m.ply", copy, size, mesh, err);
    free(copy);
    if (status != TAC_OK) tac_mesh_free(mesh);
    return status;
}

static void check_tetrahedron(const void *bytes, size_t size) {
    tacMeshData mesh;
    tacError err = {.text = ""};
    tacStatus status = read_ply(bytes, size, &mesh, &err);
    if (status != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(status, TAC_OK);
    CHECK_INT(mesh.nvert, 4);
    CHECK_INT(mesh.nface, 4);
    for (int i = 0; i < 4; i++) {
        CHECK(mesh.vert[i].x == (double)TETRAHEDRON[i][0]);
        CHECK(mesh.vert[i].y == (double)TETRAHEDRON[i][1]);
        CHECK(mesh.vert[i].z == (double)TETRAHEDRON[i][2]);
    }
    for (int i = 0; i < 12; i++)
        CHECK_INT(mesh.face[i], TETRAHEDRON_FACE[i / 3][i % 3]);
    tac_mesh_free(&mesh);
}

#define VERTICES "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define FACES    "element face 4\nproperty list uchar int vertex_indices\n"
#define POINTS   "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
#define CORNERS  "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
#define ASCII    "ply\nformat ascii 1.0\n"

static void reads_text(void **state) {
    (void)state;
    static const char *const same[] = {
        ASCII VERTICES FACES "end_header\n" POINTS CORNERS,
        ASCII FACES VERTICES "end_header\n" CORNERS POINTS, /* faces first */
        ASCII "comment element vertex 7\nobj_info none\n" VERTICES
              "element face 4\nproperty list uint8 uint32 vertex_index\nend_header\n" POINTS CORNERS,
        "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\n"
        "element face 4\r\nproperty list uchar int vertex_indices\r\nend_header\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n0 0 "
        "1\r\n3 0 2 1\r\n3 0 1 3\r\n3 0 3 2\r\n3 1 2 3",
        /* what does not count: colours, a list between, elements of other names, one without properties */
        ASCII
        "element nothing 2000000000\nelement vertex 4\nproperty list int float weights\nproperty float z\nproperty "
        "uchar red\nproperty float y\nproperty float x\nelement edge 2\nproperty int vertex1\nproperty int vertex2\n"
        "element face 4\nproperty list uchar float texcoord\nproperty list uchar int vertex_indices\nproperty int "
        "flags\nend_header\n0 0 9 0 0\n1 5 0 9 0 1\n0 0 9 1 0\n2 5 5 1 9 0 0\n0 1\n1 2\n"
        "0 3 0 2 1 0\n2 1 1 3 0 1 3 0\n0 3 0 3 2 0\n0 3 1 2 3 0\n",
        ASCII VERTICES "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" POINTS
                       "15 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check_tetrahedron(same[i], strlen(same[i]));
}

static void reads_both_byte_orders(void **state) {
    (void)state;
    MeshBytes b;
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        put_ply(&b, big_endian);
        check_tetrahedron(b.data, b.size);
    }
}

/* One vertex of every type of number, little and big endian: the coordinates are 2, -3 and 200. */
static void reads_every_type(void **state) {
    (void)state;
    static const struct {
        const char *type;
        int width;
        unsigned char two[8]; /* lowest byte first */
    } type[] = {
        {"char", 1, {2}},  {"uchar", 1, {2}}, {"short", 2, {2}},           {"uint16", 2, {2}},
        {"int32", 4, {2}}, {"uint", 4, {2}},  {"float", 4, {0, 0, 0, 64}}, {"float64", 8, {0, 0, 0, 0, 0, 0, 0, 64}}};
    for (size_t i = 0; i < 2 * sizeof type / sizeof *type; i++) {
        int k = (int)(i / 2), big_endian = i % 2;
        MeshBytes b = {.size = 0};
        tacMeshData mesh;
        tacError err = {.text = ""};
        put_text(&b, big_endian ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
        put_text(&b, "element vertex 1\nproperty ");
        put_text(&b, type[k].type);
        put_text(&b, " x\nproperty int8 y\nproperty uint8 z\nend_header\n");
        memcpy(b.data + b.size, type[k].two, (size_t)type[k].width);
        b.size += (size_t)type[k].width;
        if (big_endian) turn_around(&b, (size_t)type[k].width);
        b.data[b.size++] = 0xfd, b.data[b.size++] = 200;
        CHECK_INT(read_ply(b.data, b.size, &mesh, &err), TAC_OK);
        CHECK_INT(mesh.nvert, 1);
        CHECK(mesh.vert[0].x == 2 && mesh.vert[0].y == -3 && mesh.vert[0].z == 200);
        tac_mesh_free(&mesh);
    }
}

static void cuts_polygons_and_strips(void **state) {
    (void)state;
    /* a square along its shorter diagonal, as in OBJ; a strip of two triangles, of one orientation */
    static const char *const text =
        ASCII "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 2\n"
              "property list uchar int vertex_indices\nelement tristrips 1\nproperty list int int "
              "vertex_indices\nend_header\n"
              "0 0 0\n1 0 0\n0.9 0.9 0\n0 1 0\n4 0 1 2 3\n2 0 1\n4 0 1 3 2\n";
    static const int expected[] = {0, 1, 2, 0, 2, 3, 0, 1, 3, 3, 1, 2};
    tacMeshData mesh;
    tacError err = {.text = ""};
    CHECK_INT(read_ply(text, strlen(text), &mesh, &err), TAC_OK);
    CHECK_INT(mesh.nface, 4);
    for (int i = 0; i < 12; i++)
        CHECK_INT(mesh.face[i], expected[i]);
    tac_mesh_free(&mesh);
}

static void refuses(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "m.ply:1: found \"\", expected ply"},
        {"plx\n", "m.ply:1: found \"plx\", expected ply"},
        {"ply\nformat ascii 1.0\n", "expected end_header"},
        {"ply\nformat text 1.0\n", "m.ply:2: found \"text\", expected ascii"},
        {"ply\n" VERTICES "end_header\n" POINTS, "expected a line format before it"},
        {ASCII "end_header\n", "expected an element vertex with properties x, y and z"},
        {ASCII "element vertex 4\nproperty float x\nproperty float y\nend_header\n", "properties x, y and z"},
        {ASCII "property float x\n", "m.ply:3: found \"float\", expected an element before its properties"},
        {ASCII "element vertex -4\n", "m.ply:3: number of elements is -4"},
        {ASCII "element vertex 4e9\n", "number of elements is 4e+09"},
        {ASCII "element vertex 4\nproperty quad x\n", "m.ply:4: found \"quad\", expected a type"},
        {ASCII "element vertex 4\nproperty list uchar x\n", "found \"x\", expected a type"},
        {ASCII "thing\n", "m.ply:3: found \"thing\", expected format"},
        {ASCII VERTICES FACES "end_header\n" POINTS "3 0 1 4\n3 0 1 2\n3 0 1 2\n3 0 1 2\n",
         "m.ply: face 0 names vertex 4, expected 0 to 3"},
        {ASCII VERTICES FACES "end_header\n" POINTS "3 0 1 -1\n", "m.ply: face 0 has a vertex -1"},
        {ASCII VERTICES FACES "end_header\n" POINTS "3 0 1 1.5\n", "m.ply: face 0 has a vertex 1.5"},
        {ASCII VERTICES FACES "end_header\n" POINTS "3 0 1 1e300\n", "m.ply: face 0 has a vertex 1e+300"},
        {ASCII VERTICES FACES "end_header\n" POINTS "-3 0 1 2\n", "m.ply: face 0 has a list of length -3"},
        {ASCII VERTICES FACES "end_header\n" POINTS "3 0 1 2\n", "the file ends inside face"},
        {ASCII VERTICES "end_header\n0 0 nan\n", "m.ply:8: found \"nan\", expected a finite number"},
        {ASCII VERTICES "end_header\n0 0 0\n0 1e39 0\n", "m.ply:9: coordinate 1e+39"},
        {ASCII "element vertex 2000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
         "the file ends inside vertex"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tacMeshData mesh;
        tacError err = {.text = ""};
        CHECK_INT(read_ply(bad[i].text, strlen(bad[i].text), &mesh, &err), TAC_ERR_SYNTAX);
        CHECK_HAS(err.text, bad[i].message);
    }
}

/* Cut anywhere, a binary file says where it ends; a count that lies, or an index, is found before it is used. */
static void refuses_damaged_numbers(void **state) {
    (void)state;
    MeshBytes b;
    tacMeshData mesh;
    tacError err;
    put_ply(&b, 0);
    size_t whole = b.size;
    for (size_t size = 0; size < whole; size++)
        CHECK_INT(read_ply(b.data, size, &mesh, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "m.ply: the file ends inside face 3 of 4");
    b.data[whole - 1] = 0x7f; /* highest byte of the last index */
    CHECK_INT(read_ply(b.data, whole, &mesh, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "m.ply: face 3 names vertex 2130706435, expected 0 to 3");
    put_ply(&b, 0);
    b.data[whole - 13] = 255; /* corners of the last face */
    CHECK_INT(read_ply(b.data, whole, &mesh, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "m.ply: the file ends inside face 3 of 4");
    put_ply(&b, 0);
    b.data[whole - 4 * 13 - 9] = 255; /* length of the list that does not count */
    CHECK_INT(read_ply(b.data, whole, &mesh, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "m.ply: the file ends inside other 0 of 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_text),       cmocka_unit_test(reads_both_byte_orders),
        cmocka_unit_test(reads_every_type), cmocka_unit_test(cuts_polygons_and_strips),
        cmocka_unit_test(refuses),          cmocka_unit_test(refuses_damaged_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
