#include "model/hull.h"

#include "math/vec3.h"
#include "model/sample.h"
#include "support/check.h"
#include "support/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Corners by a parameter against differences. */
static const double TOL_TANGENT = 1e-8;

/* --- Triangles to polygons ---------------------------------------------------------------------------------------- */

static tacPolyhedron polyhedron_of(const tacVec3 *vert, int nface, const int *face) {
    tacPolyhedron p;
    CHECK_INT(tac_polyhedron_new(vert, nface, face, 1, &p), TAC_OK);
    return p;
}

static int same_polyhedra(const tacPolyhedron *p, const tacPolyhedron *q) {
    if (p->ncorner != q->ncorner || p->npolygon != q->npolygon || p->nedge != q->nedge) return 0;
    size_t n = 3 * (size_t)p->ncorner + 2 * (size_t)p->npolygon + 3 * (size_t)p->nedge;
    return memcmp(p->corner, q->corner, n * sizeof(int)) == 0;
}

/* Loops and neighbours fit together: turning round a corner across its faces goes through its neighbours in order. */
static void check_consistent(const tacPolyhedron *p) {
    int total = 0;
    for (int r = 0; r < p->npolygon; r++) {
        const int *loop = p->loop + p->loop_adr[r];
        int n = p->loop_num[r];
        total += n;
        CHECK(n >= 3);
        for (int k = 0; k < n; k++) {
            int v = loop[k], to = loop[(k + 1) % n], back = loop[(k + n - 1) % n], at = -1;
            CHECK(v >= loop[0]);
            for (int i = 0; i < p->edge_num[v]; i++)
                if (p->edge[p->edge_adr[v] + i] == to) at = i;
            CHECK(at >= 0);
            CHECK_INT(p->edge_face[p->edge_adr[v] + at], r);
            CHECK_INT(p->edge[p->edge_adr[v] + (at + 1) % p->edge_num[v]], back);
        }
        if (r > 0) CHECK(loop[0] > p->loop[p->loop_adr[r - 1]] || loop[1] > p->loop[p->loop_adr[r - 1] + 1]);
    }
    CHECK_INT(total, p->nedge);
    CHECK_INT(p->ncorner - p->nedge / 2 + p->npolygon, 2);
    for (int i = 1; i < p->ncorner; i++)
        CHECK(p->corner[i] > p->corner[i - 1]);
}

static void cube(void **state) {
    (void)state;
    tacPolyhedron p = polyhedron_of(CUBE_VERT, CUBE_NFACE, CUBE_FACE);
    CHECK_INT(p.ncorner, 8);
    CHECK_INT(p.npolygon, 6);
    CHECK_INT(p.nedge, 24);
    check_consistent(&p);
    for (int r = 0; r < 6; r++)
        CHECK_INT(p.loop_num[r], 4);
    for (int v = 0; v < 8; v++)
        CHECK_INT(p.edge_num[v], 3);
    const int bottom[] = {0, 2, 3, 1}; /* counter-clockwise from below; the first loop in order is 0 1 5 4 */
    int found = 0;
    for (int r = 0; r < 6; r++)
        found |= memcmp(p.loop + p.loop_adr[r], bottom, sizeof bottom) == 0;
    CHECK(found);
    tac_polyhedron_free(&p);
    CHECK(p.corner == NULL && p.ncorner == 0);
}

/* Nothing hangs on the order of triangles or where each begins. */
static void order_does_not_count(void **state) {
    (void)state;
    tacPolyhedron p = polyhedron_of(CUBE_VERT, CUBE_NFACE, CUBE_FACE);
    tacDraw d = {4, 0};
    for (int k = 0; k < 50; k++) {
        int face[3 * CUBE_NFACE];
        memcpy(face, CUBE_FACE, sizeof face);
        for (int i = CUBE_NFACE - 1; i > 0; i--) {
            int j = draw_int(&d, i + 1), turn = draw_int(&d, 3), f[3];
            memcpy(f, face + 3 * i, sizeof f);
            memcpy(face + 3 * i, face + 3 * j, sizeof f);
            for (int c = 0; c < 3; c++)
                face[3 * j + c] = f[(c + turn) % 3];
        }
        tacPolyhedron q = polyhedron_of(CUBE_VERT, CUBE_NFACE, face);
        CHECK(same_polyhedra(&p, &q));
        tac_polyhedron_free(&q);
    }
    tac_polyhedron_free(&p);
}

/* A cube with a point in the middle of an edge (8), of a face (9), and a second corner in the place of 7 (10), joined
 * by triangles without area, as qhull leaves them. */
static void points_that_are_no_corners(void **state) {
    (void)state;
    tacVec3 vert[11];
    memcpy(vert, CUBE_VERT, sizeof CUBE_VERT);
    vert[8] = (tacVec3){0, -1, -1}, vert[9] = (tacVec3){0, 0, 1}, vert[10] = vert[7];
    const int face[] = {0, 2, 8, 8, 2, 1, 1, 2, 3, 4, 5, 9, 5, 7, 9, 7, 6, 9, 6, 4,  9, 0, 8, 4,  8,  1, 5,
                        8, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 10, 5, 3, 7, 10, 10, 7, 5};
    for (int turned = 0; turned < 2; turned++) {
        tacPolyhedron p = polyhedron_of(vert, 18, face);
        CHECK_INT(p.ncorner, 8);
        CHECK_INT(p.npolygon, 6);
        for (int i = 0; i < 8; i++)
            CHECK_INT(p.corner[i], i);
        check_consistent(&p);
        tac_polyhedron_free(&p);
        tacMat3 R = tac_quat_mat(tac_quat_exp(tac_vec3(0.3, -0.5, 0.7))); /* and with rounding in every coordinate */
        for (int i = 0; i < 11; i++)
            vert[i] = tac_add3(tac_mulmv3(R, vert[i]), tac_vec3(10, 20, -5));
    }
}

/* A plate thinner than rounding: two faces back to back. */
static void thin_plate(void **state) {
    (void)state;
    tacVec3 vert[8];
    for (int i = 0; i < 8; i++)
        vert[i] = tac_mul3(CUBE_VERT[i], tac_vec3(1, 1, 1e-15));
    tacPolyhedron p = polyhedron_of(vert, CUBE_NFACE, CUBE_FACE);
    CHECK_INT(p.npolygon, 2);
    CHECK_INT(p.ncorner, 4);
    check_consistent(&p);
    tac_polyhedron_free(&p);
}

/* What is no hull is refused, and nothing is left. */
static void no_hulls(void **state) {
    (void)state;
    tacPolyhedron p;
    tacVec3 vert[9];
    memcpy(vert, CUBE_VERT, sizeof CUBE_VERT);
    CHECK_INT(tac_polyhedron_new(vert, 0, NULL, 1, &p), TAC_ERR_MODEL);
    CHECK_INT(tac_polyhedron_new(vert, CUBE_NFACE - 1, CUBE_FACE, 1, &p), TAC_ERR_MODEL); /* a hole */
    CHECK(p.corner == NULL && p.ncorner == 0 && p.npolygon == 0);
    CHECK_INT(tac_polyhedron_new(vert, CUBE_NFACE, CUBE_FACE, -1, &p), TAC_ERR_MODEL); /* inside out */
    int face[3 * CUBE_NFACE];
    memcpy(face, CUBE_FACE, sizeof face);
    face[0] = CUBE_FACE[1], face[1] = CUBE_FACE[0]; /* one triangle the other way round */
    CHECK_INT(tac_polyhedron_new(vert, CUBE_NFACE, face, 1, &p), TAC_ERR_MODEL);
    vert[7] = tac_vec3(0.1, 0.1, 0.1); /* a dent */
    CHECK_INT(tac_polyhedron_new(vert, CUBE_NFACE, CUBE_FACE, 1, &p), TAC_ERR_MODEL);
    memset(face, 0, sizeof face); /* one point */
    CHECK_INT(tac_polyhedron_new(vert, CUBE_NFACE, face, 1, &p), TAC_ERR_MODEL);
    vert[7].x = (double)NAN;
    CHECK(tac_polyhedron_new(vert, CUBE_NFACE, CUBE_FACE, 1, &p) != TAC_OK);
    const int two[] = {0, 1, 2, 0, 2, 1, 3, 4, 5, 3, 5, 4}; /* two bodies */
    CHECK_INT(tac_polyhedron_new(CUBE_VERT, 4, two, 1, &p), TAC_ERR_MODEL);
}

/* --- Rows of a model ---------------------------------------------------------------------------------------------- */

static tacModel *model_of(tacVec3 scale, tacVec3 refpos, tacVec3 turn) {
    tacBuilder *b = tac_model_begin();
    tacMeshDef mesh = cube_mesh(TAC_MESH_EXACT);
    tacGeomDef geom = tac_default_geom();
    tacModel *model;
    tacError err;
    mesh.scale = scale, mesh.refpos = refpos, mesh.refquat = tac_quat_exp(turn);
    tac_model_add_mesh(b, &mesh);
    mesh.name = "second";
    geom.type = TAC_GEOM_MESH, geom.mesh = tac_model_add_mesh(b, &mesh);
    tac_model_add_geom(b, 0, &geom);
    CHECK_INT(tac_model_assemble(b, &model, &err), TAC_OK);
    tac_builder_free(b);
    return model;
}

/* Newell's normal of a polygon points away from the middle of the mesh, whether or not the scale mirrors. */
static void rows(void **state) {
    (void)state;
    for (int mirror = 0; mirror < 4; mirror++) {
        tacVec3 scale = {mirror & 1 ? -0.5 : 0.5, mirror & 2 ? -2 : 2, 1.5};
        tacModel *m = model_of(scale, tac_vec3(0.1, 0.2, 0.3), tac_vec3(0.4, 0, -0.2));
        CHECK_INT(m->nhullcorner, 16);
        CHECK_INT(m->nhullpolygon, 12);
        CHECK_INT(m->nhulledge, 48);
        for (int mesh = 0; mesh < 2; mesh++) {
            CHECK_INT(m->mesh_corner_adr[mesh], 8 * mesh);
            const tacVec3 *x = m->hull_pos + m->mesh_corner_adr[mesh];
            for (int i = 0; i < 8; i++)
                CHECK_ARRAY(3, &x[i], &m->mesh_vert[m->mesh_vert_adr[mesh] + m->hull_corner[8 * mesh + i]], 0);
            for (int r = 0; r < 6; r++) {
                int at = m->mesh_polygon_adr[mesh] + r;
                const int *loop = m->hull_loop + m->mesh_edge_adr[mesh] + m->hull_loop_adr[at];
                tacVec3 a = x[loop[0]], n = tac_cross3(tac_sub3(x[loop[1]], a), tac_sub3(x[loop[2]], a));
                CHECK_INT(m->hull_loop_num[at], 4);
                CHECK(tac_dot3(n, tac_sub3(a, m->mesh_com[mesh])) > 0);
            }
        }
        tac_model_free(m);
    }
}

static int field_of(const char *kind, const char *name) {
    for (int i = 0; i < TAC_NFIELD; i++)
        if (strcmp(TAC_FIELDS[i].kind, kind) == 0 && strcmp(TAC_FIELDS[i].name, name) == 0) return i;
    return -1;
}

/* Every number of the second mesh against central differences of whole models; those of others move nothing. */
static void tangents(void **state) {
    (void)state;
    const char *names[] = {"scale", "refpos", "refquat"};
    const double step = 1e-6;
    tacModel *m = model_of(tac_vec3(0.5, -2, 1.5), tac_vec3(0.1, 0.2, 0.3), tac_vec3(0.4, 0, -0.2));
    for (int f = 0; f < 3; f++) {
        int field = field_of("mesh", names[f]), per = TAC_FIELDS[field].per;
        for (int k = 0; k < 2 * per; k++) {
            tacVec3 d[8], moved[2][8];
            int moves = tac_hull_tangent(m, 1, field, k, d);
            CHECK_INT(moves, k >= per);
            if (!moves) continue;
            double *number = tac_param_at(m, field, k), before = *number, most = 0;
            tacQuat quat = m->mesh_refquat[1];
            for (int side = 0; side < 2; side++) {
                *number = before + (side ? step : -step);
                m->mesh_refquat[1] = tac_quat_normalize(m->mesh_refquat[1]); /* as when it is set */
                CHECK_INT(tac_model_derive(m, NULL), TAC_OK);
                memcpy(moved[side], m->hull_pos + 8, sizeof moved[side]);
                m->mesh_refquat[1] = quat;
                *number = before;
            }
            for (int i = 0; i < 8; i++) {
                tacVec3 difference = tac_scale3(0.5 / step, tac_sub3(moved[1][i], moved[0][i]));
                most = fmax(most, tac_norm3(d[i]));
                CHECK_LT(tac_norm3(tac_sub3(d[i], difference)), TOL_TANGENT);
            }
            CHECK(most > 0.1 || f == 2); /* a zero map would pass anything */
            CHECK(most > 0.01);
        }
    }
    tacVec3 d[8];
    CHECK_INT(tac_hull_tangent(m, 0, field_of("geom", "size"), 0, d), 0);
    tac_model_free(m);
}

/* Packed rows that another hull would have are refused. */
static void packed(void **state) {
    (void)state;
    tacModel *m = model_of(tac_vec3(1, 1, 1), tac_zero3(), tac_zero3());
    int *rows[] = {m->hull_corner, m->hull_edge, m->hull_edge_face, m->hull_loop, m->hull_loop_num, m->mesh_corner_num};
    tacError err;
    CHECK_INT(tac_hull_check(m, &err), TAC_OK);
    for (int i = 0; i < 6; i++) {
        rows[i][1] += 1;
        CHECK_INT(tac_hull_check(m, &err), TAC_ERR_MODEL);
        CHECK_HAS(err.text, "hull");
        rows[i][1] -= 1;
    }
    CHECK_INT(tac_hull_check(m, &err), TAC_OK);
    tac_model_free(m);
}

/* A mesh that something may touch needs a hull; one that nothing touches does not. */
static void missing_hulls(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        tacBuilder *b = tac_model_begin();
        tacMeshDef mesh = cube_mesh(TAC_MESH_EXACT);
        tacGeomDef geom = tac_default_geom();
        tacModel *model = NULL;
        tacError err;
        if (kind != 1) mesh.nhullvert = mesh.nhullface = 0;
        if (kind == 1) mesh.nhullface--;
        geom.name = "shell", geom.type = TAC_GEOM_MESH, geom.mesh = tac_model_add_mesh(b, &mesh);
        if (kind >= 2) geom.contype = geom.conaffinity = 0;
        if (kind == 4) geom.visual = 1, geom.contype = 1;
        int id = tac_model_add_geom(b, 0, &geom);
        if (kind == 2) {
            geom = tac_default_geom(), geom.type = TAC_GEOM_SPHERE, geom.size[0] = 1;
            tacPairDef pair = tac_default_pair();
            pair.geom[0] = id, pair.geom[1] = tac_model_add_geom(b, 0, &geom);
            tac_model_add_pair(b, &pair);
        }
        tacStatus status = tac_model_assemble(b, &model, &err);
        CHECK_INT(status, kind < 3 ? TAC_ERR_MODEL : TAC_OK);
        if (kind < 3) {
            CHECK_HAS(err.text, "geom 'shell': collides with mesh 0 'cube'");
            CHECK_HAS(err.text, kind == 1 ? "enclose no convex body" : "no hull");
        }
        tac_model_free(model);
        tac_builder_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube),
        cmocka_unit_test(order_does_not_count),
        cmocka_unit_test(points_that_are_no_corners),
        cmocka_unit_test(thin_plate),
        cmocka_unit_test(no_hulls),
        cmocka_unit_test(rows),
        cmocka_unit_test(tangents),
        cmocka_unit_test(packed),
        cmocka_unit_test(missing_hulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
