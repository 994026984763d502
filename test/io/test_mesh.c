/* Reading by extension, and the formats that the program tactus-mesh reads. TACTUS_MESH_READER names it. */
#include "io/mesh.h"

#include "io/mesh_bytes.h"
#include "io/scratch.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

/* One product in single precision. */
#define TOL_FLOAT 1e-6

static const char *const OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
static const char *const OFF = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
static const char *const PLY = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                               "property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
                               "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
/* The tetrahedron drawn with y up and in millimetres. */
static const char *const DAE =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><unit name=\"millimeter\" meter=\"0.001\"/><up_axis>Y_UP</up_axis></asset>"
    "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"12\">"
    "0 0 0 1000 0 0 0 1000 0 0 0 1000</float_array><technique_common><accessor source=\"#a\" count=\"4\" stride=\"3\">"
    "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor>"
    "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    "<triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 0 3 2 1 2 "
    "3</p></triangles>"
    "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node>"
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";
/* Its buffer is another file. */
#define GLTF(uri)                                                                                                      \
    "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{"             \
    "\"primitives\":"                                                                                                  \
    "[{\"attributes\":{\"POSITION\":0},\"mode\":4}]}],\"buffers\":[{\"byteLength\":144,\"uri\":\"" uri "\"}],"         \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":144}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"     \
    "\"count\":12,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,1]}]}"

static tacStatus read_file(const char *path, tacMeshData *mesh, tacError *err) {
    tacFiles files;
    tacStatus status = tac_files_init(&files, scratch_text("model/main.xml", "<mujoco/>"), NULL, err);
    return status == TAC_OK ? tac_mesh_read(&files, path, mesh, err) : status;
}

/* Reads a tetrahedron; 0: this build lacks the format. */
static int check_tetrahedron(const char *path) {
    tacMeshData mesh;
    tacError err = {.text = ""};
    tacStatus status = read_file(path, &mesh, &err);
    if (status == TAC_ERR_UNSUPPORTED) {
        CHECK_HAS(err.text, "tactus-mesh");
        CHECK_HAS(err.text, path);
        return 0;
    }
    if (status != TAC_OK) print_error("%s\n", err.text);
    CHECK_INT(status, TAC_OK);
    CHECK_INT(mesh.nvert, 4);
    CHECK_INT(mesh.nface, 4);
    CHECK_INT(tac_mesh_hull(&mesh, &err), TAC_OK);
    CHECK_INT(mesh.nhullface, 4);
    tac_mesh_free(&mesh);
    return 1;
}

static void reads_by_extension(void **state) {
    (void)state;
    scratch_begin();
    MeshBytes b;
    put_stl(&b, "", 4);
    CHECK(check_tetrahedron(scratch_bytes("model/a.stl", b.data, b.size)));
    CHECK(check_tetrahedron(scratch_bytes("model/a.b.STL", b.data, b.size)));
    put_msh(&b, 1, 0);
    CHECK(check_tetrahedron(scratch_bytes("model/a.Msh", b.data, b.size)));
    CHECK(check_tetrahedron(scratch_text("model/a.obj", OBJ)));
    CHECK(check_tetrahedron(scratch_text("model/a.ply", PLY)));
    CHECK(check_tetrahedron(scratch_text("model/a.OFF", OFF)));
    scratch_end();
}

static void takes_the_hull_of_points(void **state) {
    (void)state;
    scratch_begin();
    CHECK(check_tetrahedron(scratch_text("model/points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")));
    scratch_end();
}

static void refuses_what_it_does_not_know(void **state) {
    (void)state;
    static const char *const names[] = {"model/a.xyz", "model/stl", "model.stl/a", "model/a."};
    scratch_begin();
    for (int i = 0; i < 4; i++) {
        tacMeshData mesh;
        tacError err;
        CHECK_INT(read_file(scratch_path(names[i]), &mesh, &err), TAC_ERR_UNSUPPORTED);
        CHECK_HAS(err.text, "unknown mesh format");
        CHECK_HAS(err.text, names[i]);
    }
    tacMeshData mesh;
    tacError err;
    CHECK_INT(read_file(scratch_path("model/nothing.stl"), &mesh, &err), TAC_ERR_FILE);
    CHECK_HAS(err.text, "nothing.stl");
    CHECK_INT(read_file(scratch_text("model/few.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), &mesh, &err),
              TAC_ERR_MODEL);
    CHECK_HAS(err.text, "few.obj: 3 vertices, expected at least 4");
    CHECK(mesh.vert == NULL && mesh.face == NULL);
    scratch_end();
}

static void reads_apart(void **state) {
    (void)state;
    scratch_begin();
    char path[2048];
    snprintf(path, sizeof path, "%s", scratch_text("model/a.dae", DAE));
    if (check_tetrahedron(path)) {
        tacMeshData mesh;
        tacError err;
        CHECK_INT(read_file(path, &mesh, &err), TAC_OK);
        double highest = 0;
        for (int i = 0; i < 4; i++) /* metres, and no turn: frames of a robot do not follow the up axis */
            highest = mesh.vert[i].y > highest ? mesh.vert[i].y : highest;
        CHECK_NEAR(highest, 1, TOL_FLOAT);
        tac_mesh_free(&mesh);
        CHECK_INT(read_file(scratch_text("model/bad.dae", "<COLLADA"), &mesh, &err), TAC_ERR_SYNTAX);
        CHECK_HAS(err.text, "bad.dae: assimp");
        CHECK_INT(read_file(scratch_path("model/none.dae"), &mesh, &err), TAC_ERR_FILE);
    } else {
        print_message("there is no program tactus-mesh\n");
    }
    scratch_end();
}

/* A scene may not lead the reader out of the model's folder. */
static void the_reader_stays_inside(void **state) {
    (void)state;
    scratch_begin();
    MeshBytes b = {.size = 0};
    for (int i = 0; i < 36; i++)
        put_float(&b, TETRAHEDRON[TETRAHEDRON_FACE[i / 9][i / 3 % 3]][i % 3]);
    scratch_bytes("model/buffer.bin", b.data, b.size);
    scratch_bytes("outside.bin", b.data, b.size);
    if (check_tetrahedron(scratch_text("model/a.gltf", GLTF("buffer.bin")))) {
        tacMeshData mesh;
        tacError err;
        CHECK(read_file(scratch_text("model/b.gltf", GLTF("../outside.bin")), &mesh, &err) != TAC_OK);
    }
    scratch_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_by_extension),
        cmocka_unit_test(takes_the_hull_of_points),
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(reads_apart),
        cmocka_unit_test(the_reader_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
