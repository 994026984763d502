/* Hulls that qhull makes of bad clouds of points, as polyhedra: duplicates, lattices, plates and needles thinner than
 * rounding, coordinates in single precision. */
#include "io/mesh.h"
#include "model/polyhedron.h"

#include "math/vec3.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* m, for clouds of size 1 to 3: vertices above a face that is wide enough to have a normal. */
static const double TOL_ABOVE = 1e-11;
/* m^2: twice the area of such a face. */
static const double WIDE = 1e-3;

enum { CLOUDS = 4000, MOST = 64 };
typedef enum { CLOUD, LATTICE, TURNED_LATTICE, PLATE, NEEDLE, RING, NOISY_LATTICE, SINGLE, KINDS } Kind;

static tacVec3 lattice_point(tacDraw *d) {
    double x = draw_int(d, 3), y = draw_int(d, 3), z = draw_int(d, 3);
    return tac_vec3(x, y, z);
}

static tacVec3 draw_point(tacDraw *d, Kind kind, int i, double thin, tacMat3 R) {
    tacVec3 x = draw_vec3(d, 1);
    switch (kind) {
    case LATTICE:
        return lattice_point(d);
    case TURNED_LATTICE:
        return tac_mulmv3(R, lattice_point(d));
    case PLATE:
        return tac_mulmv3(R, tac_mul3(x, tac_vec3(1, 1, thin)));
    case NEEDLE:
        return tac_mulmv3(R, tac_mul3(x, tac_vec3(1, thin, thin)));
    case RING:
        return tac_mulmv3(R, tac_vec3(cos(i), sin(i), i & 1 ? thin : 0));
    case NOISY_LATTICE:
        return tac_add3(tac_mulmv3(R, lattice_point(d)), tac_scale3(1e-15, x));
    case SINGLE:
        x = tac_mulmv3(R, tac_scale3(0.1, lattice_point(d)));
        return tac_vec3((double)(float)x.x, (double)(float)x.y, (double)(float)x.z);
    default:
        return x;
    }
}

/* Vertices, a fifth of them twice. */
static int draw_cloud(tacDraw *d, Kind kind, tacVec3 *vert) {
    int n = 4 + draw_int(d, MOST - 4);
    double thin = pow(10, draw_uniform(d, -14, 0));
    tacMat3 R = tac_quat_mat(draw_quat(d));
    for (int i = 0; i < n; i++) {
        vert[i] = draw_point(d, kind, i, thin, R);
        if (i > 0 && draw_int(d, 5) == 0) vert[i] = vert[draw_int(d, i)];
    }
    return n;
}

/* No vertex lies above a face; loops are simple; a sphere. */
static void check_polyhedron(const tacVec3 *vert, int nvert, const tacPolyhedron *p) {
    CHECK_INT(p->ncorner - p->nedge / 2 + p->npolygon, 2);
    for (int f = 0; f < p->npolygon; f++) {
        const int *loop = p->loop + p->loop_adr[f];
        tacVec3 N = tac_zero3(), first = vert[p->corner[loop[0]]];
        CHECK(p->loop_num[f] >= 3);
        for (int k = 2; k < p->loop_num[f]; k++)
            N = tac_add3(N, tac_cross3(tac_sub3(vert[p->corner[loop[k - 1]]], first),
                                       tac_sub3(vert[p->corner[loop[k]]], first)));
        double area = tac_norm3(N);
        for (int i = 0; i < nvert && area > WIDE; i++)
            CHECK_LT(tac_dot3(N, tac_sub3(vert[i], first)) / area, TOL_ABOVE);
    }
}

static void bad_clouds(void **state) {
    (void)state;
    int made[KINDS] = {0};
    for (int i = 0; i < CLOUDS; i++) {
        tacDraw d = {(uint64_t)i, 0};
        tacVec3 vert[MOST];
        tacMeshData mesh = {.vert = vert};
        tacError err;
        tacPolyhedron p;
        mesh.nvert = draw_cloud(&d, (Kind)(i % KINDS), vert);
        if (tac_mesh_hull(&mesh, &err) != TAC_OK) continue; /* too flat for qhull */
        CHECK_INT(tac_polyhedron_new(vert, mesh.nhullface, mesh.hullface, 1, &p), TAC_OK);
        check_polyhedron(vert, mesh.nvert, &p);
        CHECK(p.ncorner <= mesh.nhullvert && p.npolygon <= mesh.nhullface);
        made[i % KINDS]++;
        tac_polyhedron_free(&p);
        free(mesh.hullvert), free(mesh.hullface);
    }
    for (int k = 0; k < KINDS; k++)
        CHECK(made[k] > CLOUDS / KINDS / 2);
}

/* Lattices: a cube of 27 points has 8 corners and 6 faces, whichever triangles qhull makes, turned as it may be. */
static void lattices(void **state) {
    (void)state;
    for (int k = 0; k < 50; k++) {
        tacDraw d = {(uint64_t)k + 1000, 0};
        tacMat3 R = tac_quat_mat(draw_quat(&d));
        tacVec3 vert[27], shift = draw_vec3(&d, 3);
        for (int i = 0; i < 27; i++)
            vert[i] = tac_add3(tac_mulmv3(R, tac_vec3(i % 3, i / 3 % 3, i / 9)), shift);
        tacMeshData mesh = {.vert = vert, .nvert = 27};
        tacError err;
        tacPolyhedron p;
        CHECK_INT(tac_mesh_hull(&mesh, &err), TAC_OK);
        CHECK_INT(tac_polyhedron_new(vert, mesh.nhullface, mesh.hullface, 1, &p), TAC_OK);
        CHECK_INT(p.ncorner, 8);
        CHECK_INT(p.npolygon, 6);
        tac_polyhedron_free(&p);
        free(mesh.hullvert), free(mesh.hullface);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bad_clouds), cmocka_unit_test(lattices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
