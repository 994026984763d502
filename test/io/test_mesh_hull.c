#include "io/mesh.h"

#include "math/vec3.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Volume of a hull of points with about eight digits, and distance of points from its planes. */
#define TOL_VOLUME 1e-6
#define TOL_PLANE  1e-7

/* A point cloud as a mesh (face NULL: its hull's faces). */
static tacMeshData cloud(int n, const tacVec3 *point) {
    tacMeshData mesh;
    tacError err;
    CHECK_INT(tac_mesh_from_arrays(n, point, 0, NULL, &mesh, &err), TAC_OK);
    return mesh;
}

/* Signed volume by the divergence theorem: positive when faces turn outward. */
static double volume(const tacMeshData *mesh) {
    double sum = 0;
    for (int i = 0; i < mesh->nhullface; i++) {
        const int *f = mesh->hullface + 3 * i;
        sum += tac_dot3(mesh->vert[f[0]], tac_cross3(mesh->vert[f[1]], mesh->vert[f[2]])) / 6;
    }
    return sum;
}

/* Every vertex lies behind every face. */
static void check_convex(const tacMeshData *mesh) {
    for (int i = 0; i < mesh->nhullface; i++) {
        const int *f = mesh->hullface + 3 * i;
        tacVec3 a = mesh->vert[f[0]];
        tacVec3 n = tac_cross3(tac_sub3(mesh->vert[f[1]], a), tac_sub3(mesh->vert[f[2]], a));
        double length = tac_norm3(n);
        for (int k = 0; k < mesh->nvert && length > TOL_PLANE; k++)
            CHECK_LT(tac_dot3(n, tac_sub3(mesh->vert[k], a)) / length, TOL_PLANE);
    }
    CHECK_INT(mesh->nhullface, 2 * mesh->nhullvert - 4); /* Euler, for triangles */
}

static void hull_of_a_cube(void **state) {
    (void)state;
    tacVec3 point[10];
    for (int i = 0; i < 8; i++)
        point[i] = tac_vec3(2 * (i & 1), 3 * (i >> 1 & 1), 4 * (i >> 2 & 1));
    point[8] = tac_vec3(1, 1, 1); /* inside */
    point[9] = tac_vec3(1, 0, 0); /* on an edge */
    tacMeshData mesh = cloud(10, point);
    CHECK_NEAR(volume(&mesh), 24, TOL_VOLUME);
    CHECK_INT(mesh.nhullvert, 8);
    CHECK_INT(mesh.nhullface, 12);
    CHECK_INT(mesh.nvert, 10); /* vertices stay */
    CHECK_INT(mesh.nface, 12); /* no faces given: the hull's */
    for (int i = 0; i < mesh.nhullvert; i++)
        CHECK(mesh.hullvert[i] < 8);
    check_convex(&mesh);
    tacError err;
    CHECK_INT(tac_mesh_hull(&mesh, &err), TAC_OK); /* again: the same */
    CHECK_INT(mesh.nhullface, 12);
    tac_mesh_free(&mesh);
    CHECK(mesh.vert == NULL && mesh.nhullface == 0);
}

static void hull_of_a_ball(void **state) {
    (void)state;
    enum { N = 500 };
    tacVec3 point[N];
    for (int i = 0; i < N; i++) { /* golden spiral */
        double z = 1 - (2 * i + 1.0) / N, r = sqrt(1 - z * z), a = i * 2.399963229728653;
        point[i] = tac_vec3(r * cos(a), r * sin(a), z);
    }
    tacMeshData mesh = cloud(N, point);
    CHECK_INT(mesh.nhullvert, N);
    CHECK(volume(&mesh) > 4.1 && volume(&mesh) < 4.18879 /* of the unit ball */);
    check_convex(&mesh);
    tac_mesh_free(&mesh);
}

static void hull_of_thin_and_far_shapes(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        static const double thickness[] = {1e-3, 1e-5, 1, 1}, size[] = {1, 1, 1e-6, 1e6};
        tacVec3 point[8];
        for (int i = 0; i < 8; i++)
            point[i] = tac_scale3(size[k], tac_vec3(i & 1, i >> 1 & 1, thickness[k] * (i >> 2 & 1)));
        tacMeshData mesh = cloud(8, point);
        CHECK_NEAR(volume(&mesh) / (size[k] * size[k] * size[k] * thickness[k]), 1, TOL_VOLUME);
        tac_mesh_free(&mesh);
    }
}

/* Standard error of the process into a file, while `run` runs: how many bytes came. */
static long stderr_bytes(void (*run)(void)) {
    fflush(stderr);
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    CHECK(file != NULL && before >= 0);
    dup2(fileno(file), STDERR_FILENO);
    run();
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

enum { CLOUDS = 5 };
static tacError flat_error[CLOUDS];

/* Point i of flat cloud `kind`: one point, a line, two planes, and one that only qhull finds flat. */
static tacVec3 flat_point(int kind, int i) {
    double x = i % 3, y = i / 3; /* NOLINT(bugprone-integer-division) */
    switch (kind) {
    case 0:
        return tac_vec3(1, 2, 3);
    case 1:
        return tac_vec3(i, 2 * i, -i);
    case 2:
        return tac_vec3(x, y, 0);
    case 3:
        return tac_vec3(x, y, x + y);
    default:
        return tac_vec3(x + 1000, y + 1000, 1e-14 * x * y);
    }
}

static void try_flat_clouds(void) {
    for (int kind = 0; kind < CLOUDS; kind++) {
        tacVec3 point[9];
        tacMeshData mesh;
        for (int i = 0; i < 9; i++)
            point[i] = flat_point(kind, i);
        flat_error[kind].status = tac_mesh_from_arrays(9, point, 0, NULL, &mesh, &flat_error[kind]);
        tac_mesh_free(&mesh);
    }
}

static void flat_clouds_are_refused_in_silence(void **state) {
    (void)state;
    static const char *const expected[CLOUDS] = {"coincide", "one line", "one plane", "one plane", "qhull"};
    CHECK_INT(stderr_bytes(try_flat_clouds), 0);
    for (int kind = 0; kind < CLOUDS; kind++) {
        CHECK_INT(flat_error[kind].status, TAC_ERR_MODEL);
        CHECK_HAS(flat_error[kind].text, expected[kind]);
    }
}

static void arrays_are_checked(void **state) {
    (void)state;
    tacVec3 point[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int face[6] = {0, 2, 1, 0, 1, 3};
    tacMeshData mesh;
    tacError err;
    CHECK_INT(tac_mesh_from_arrays(4, point, 2, face, &mesh, &err), TAC_OK);
    CHECK_INT(mesh.nface, 2);
    CHECK_INT(mesh.nhullface, 0); /* no hull until it is asked for */
    tac_mesh_free(&mesh);
    CHECK_INT(tac_mesh_from_arrays(3, point, 0, NULL, &mesh, &err), TAC_ERR_MODEL);
    CHECK_HAS(err.text, "at least 4");
    face[4] = 4;
    CHECK_INT(tac_mesh_from_arrays(4, point, 2, face, &mesh, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "face 1 names vertex 4");
    face[4] = -1;
    CHECK_INT(tac_mesh_from_arrays(4, point, 2, face, &mesh, &err), TAC_ERR_SYNTAX);
    point[2].y = (double)NAN;
    CHECK_INT(tac_mesh_from_arrays(4, point, 0, NULL, &mesh, &err), TAC_ERR_SYNTAX);
    CHECK_HAS(err.text, "vertex 2 is not finite");
    point[2].y = 1e300; /* finite, but not as a float */
    CHECK_INT(tac_mesh_from_arrays(4, point, 0, NULL, &mesh, &err), TAC_ERR_SYNTAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hull_of_a_cube),
        cmocka_unit_test(hull_of_a_ball),
        cmocka_unit_test(hull_of_thin_and_far_shapes),
        cmocka_unit_test(flat_clouds_are_refused_in_silence),
        cmocka_unit_test(arrays_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
